"""Ids of nodes: the values of the contract, to the octet."""

import pytest

from holdfast.core.base.hashing import content_hash
from holdfast.core.links.citation import document_bid, folder_bid, revision_bid, url_bid
from holdfast.core.url.compiled import canonicalize
from holdfast.core.url.policy import WEB

pytestmark = pytest.mark.spec("TRK-3")


def test_a_revision_is_named_by_its_content():
    assert revision_bid(content_hash("hello")) == "bid:38466351-d0fc-5c1e-9d90-5f62adeb9a44"


def test_a_node_is_named_by_its_web_canonical_url():
    expected = "bid:eb132f35-17e9-51a3-bb7b-0e90d9cb2fdb"

    assert url_bid(canonicalize("https://example.com/spec.html", WEB)) == expected
    assert url_bid(canonicalize("HTTPS://EXAMPLE.com:443/spec.html#x", WEB)) == expected


def test_documents_and_folders_are_named_by_their_paths():
    assert document_bid("docs/research/paper.md") == "bid:1a838ef9-2147-5448-8160-b418a9d37ad1"
    assert folder_bid("docs/research") == folder_bid("docs/research/")
    assert folder_bid("docs/research/") == "bid:89c95f85-870a-539e-8a3a-b418a9d37ad1"


def test_the_root_is_a_folder_too():
    assert folder_bid("") == folder_bid(".") == folder_bid("./") == document_bid("./")
