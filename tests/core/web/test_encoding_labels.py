"""The table of labels against another reading of the same standard (`webencodings`)."""

import codecs

import pytest
import webencodings
from webencodings.labels import LABELS as THEIRS

from holdfast.core.web.decoding import CODECS, LABELS


def test_every_label_that_webencodings_knows_means_the_same_here():
    ours = {label: LABELS.get(label) for label in THEIRS}
    differing = {label: (name, ours[label]) for label, name in THEIRS.items() if ours[label] != name}
    assert differing == {}, differing


def test_no_label_is_ours_alone():
    assert set(LABELS) - set(THEIRS) == set()


@pytest.mark.parametrize("name", [name for name, codec in CODECS.items() if codec])
def test_letters_that_both_can_write_are_read_alike(name):
    theirs = webencodings.lookup(name)
    if theirs is None or name == "x-user-defined":
        pytest.skip("there is no codec of theirs to compare with")
    codec = codecs.lookup(CODECS[name])
    for byte in range(0x20, 0x7F):
        assert codec.decode(bytes([byte]), "replace") == theirs.codec_info.decode(bytes([byte]), "replace")
