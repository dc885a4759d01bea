"""What a tracked root goes by without settings of its own: `web@1` writes URLs and joins them, `text_v1`."""

from holdfast.core.crawl.standard import Standard
from holdfast.core.identity import identity_in_force
from holdfast.core.policy import Overrides
from holdfast.core.recipe import Component, Version
from holdfast.core.settings import resolve

_IDENTITY = identity_in_force("web", resolve().identity, Overrides())
WEB_STANDARD = Standard(
    _IDENTITY.recipe(Component("text", Version(1))), _IDENTITY.policy, _IDENTITY.policy, _IDENTITY.digest
)
