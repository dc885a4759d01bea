"""What a tracked root goes by without settings of its own: `web@1` writes URLs and joins them, `text_v1`."""

from holdfast.core.crawl.mirror_spec import Standard
from holdfast.core.settings.identity import identity_in_force
from holdfast.core.settings.resolve import resolve
from holdfast.core.url.policy import Component, Overrides, Version

_IDENTITY = identity_in_force("web", resolve().identity, Overrides())
WEB_STANDARD = Standard(
    _IDENTITY.recipe(Component("text", Version(1))), _IDENTITY.policy, _IDENTITY.policy, _IDENTITY.digest
)
