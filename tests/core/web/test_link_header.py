"""`Link` fields: one relation of one type is found, whatever else stands there."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.core.web.headers import linked


@pytest.mark.parametrize(
    ("value", "found"),
    [
        ('<a.md>; rel="alternate"; type="text/markdown"', "a.md"),
        ("<a.md>;rel=alternate;type=text/markdown", "a.md"),
        ('<a.md>; type="text/markdown; charset=utf-8"; rel="canonical alternate"', "a.md"),
        ('<x>; rel=next, <a.md> ; REL="Alternate" ; Type="Text/Markdown"; title="a, \\"b\\"; c"', "a.md"),
        ("<x>; rel=alternate; type=text/html, <a.md>; rel=alternate; type=text/markdown", "a.md"),
        ('<a.md>; title="; rel=x, <y>"; rel=alternate; type=text/markdown', "a.md"),
        ("<a.md>; rel=alternate", None),
        ("<a.md>; rel=canonical; type=text/markdown", None),
        ("<a.md>; rel=canonical; rel=alternate; type=text/markdown", None),
        ("a.md; rel=alternate; type=text/markdown", None),
        ("<a.md; rel=alternate; type=text/markdown", None),
        ("", None),
    ],
)
def test_a_target_is_found_by_relation_and_type(value, found):
    headers = (("Content-Type", "text/html"), ("Link", "<s.css>; rel=preload"), ("lInK", value))
    assert linked(headers, "alternate", "text/markdown") == found


@given(st.text(alphabet='<>;,="\\ \tarel/md', max_size=200))
def test_no_value_can_raise_or_take_long(value):
    linked((("Link", value * 20),), "alternate", "text/markdown")
