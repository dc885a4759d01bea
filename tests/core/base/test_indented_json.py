"""JSON that is indented is the standard library's, byte for byte."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from holdfast.core.base.json_shape import indented_json
from holdfast.core.links.link_state import LinkState

scalars = (
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8) | st.sampled_from(LinkState)
)
values = st.recursive(
    scalars,
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.tuples(inner, inner)
        | st.dictionaries(st.text(max_size=5) | st.sampled_from(LinkState), inner, max_size=4)
    ),
    max_leaves=12,
)


@pytest.mark.spec("STA-3")
@given(values)
@settings(max_examples=300, deadline=None)
def test_it_is_what_the_standard_library_writes(value):
    assert indented_json(value) == json.dumps(value, ensure_ascii=False, indent=2)
