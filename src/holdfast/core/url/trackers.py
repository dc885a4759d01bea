"""Query keys that say where a visitor came from and nothing about the page (ID-4), by policy version.

A list is frozen with the version that has it. What a key must be to be on the list of version 2:

1. At least two public lists of such keys (`LISTS`) have it, for every site. Each row names them, as they were
   in August 2026; a prefix must stand there as a prefix.
2. No list has taken it back, or left out kinds of pages, because pages need it. That a list excepts
   one host is not a reason: hosts have overrides here, too.
3. It is not a word that sites use for other things (`source`, `campaign`, `cid`, `si`, `spm`, `from`, `trk`).
4. Case makes no difference: keys are matched in lower case, and all names here are in lower case.

What was on the list of version 1 stays, whatever the lists say of it: identities grow coarser, not otherwise.
"""

from __future__ import annotations

from typing import Final, NamedTuple

LISTS: Final = {
    "AdGuard": "AdGuard URL Tracking Protection, general rules (AdguardTeam/AdguardFilters d5b8947)",
    "Brave": "Brave query filter and clean URLs, rules for every site (brave/adblock-lists 53ba6df)",
    "ClearURLs": "ClearURLs, global rules (ClearURLs/Rules 9317c06)",
    "Dandelion": "Actually Legitimate URL Shortener Tool (DandelionSprout/adfilt 0ee6b9b)",
    "DuckDuckGo": "DuckDuckGo tracking parameters (duckduckgo/privacy-configuration 215aef9)",
    "Firefox": "Firefox query stripping as documented, and its list for copied links (StripOnShare.json)",
    "Neat": "Neat URL, default parameters without a host (Smile4ever/Neat-URL 08b87d5)",
    "registry": "Tracking Query Params Registry (mpchadwick/tracking-query-params-registry 4c39dd0)",
    "uBlock": "uBlock filters, privacy, rules for every site (uBlockOrigin/uAssets 458fc44)",
}
"""The public lists that were gone through, by the names that rows give them."""


class DroppedKey(NamedTuple):
    """Why a key is on the list of version 2: what it is, and which public lists have it."""

    why: str
    lists: str


TRACKERS_1: Final = frozenset(
    ("gclid", "fbclid", "mc_cid", "mc_eid", "ref", "ref_src", "cmpid", "icid", "ocid"),
)
PREFIXES_1: Final = ("utm_",)

_KEPT: Final = "on the list of version 1"

PREFIXES_2: Final = {
    "utm_": DroppedKey(_KEPT, "ClearURLs Dandelion Neat"),
    "mtm_": DroppedKey("campaign, Matomo", "ClearURLs Dandelion Neat"),
}
"""Beginnings of keys of version 2."""

TRACKERS_2: Final = {
    **{name: DroppedKey(_KEPT, "") for name in sorted(TRACKERS_1)},
    "dclid": DroppedKey(
        "click id, Google Campaign Manager", "AdGuard Brave ClearURLs Dandelion registry uBlock"
    ),
    "gbraid": DroppedKey("click id, Google Ads to apps", "AdGuard Brave Dandelion registry uBlock"),
    "wbraid": DroppedKey("click id, Google Ads from apps", "AdGuard Brave Dandelion registry uBlock"),
    "gclsrc": DroppedKey(
        "where a `gclid` came from, Google Ads", "AdGuard Brave Dandelion Neat registry uBlock"
    ),
    "gad_source": DroppedKey("where an ad was shown, Google Ads", "AdGuard Brave Dandelion uBlock"),
    "gad_campaignid": DroppedKey("campaign, Google Ads", "AdGuard Brave Dandelion uBlock"),
    "_gl": DroppedKey(
        "visitor id handed on between domains, Google Analytics", "AdGuard Brave ClearURLs Dandelion uBlock"
    ),
    "_ga": DroppedKey("visitor id, Google Analytics", "AdGuard ClearURLs Dandelion registry"),
    "srsltid": DroppedKey("click id, Google Merchant Center", "AdGuard Brave ClearURLs Dandelion uBlock"),
    "msclkid": DroppedKey(
        "click id, Microsoft Advertising", "AdGuard Brave ClearURLs Dandelion registry uBlock"
    ),
    "yclid": DroppedKey("click id, Yandex Direct", "AdGuard Brave ClearURLs Dandelion Neat registry uBlock"),
    "ysclid": DroppedKey("click id, Yandex search", "AdGuard Brave Dandelion uBlock"),
    "ymclid": DroppedKey("click id, Yandex Market", "Brave uBlock"),
    "_openstat": DroppedKey("campaign, Openstat", "AdGuard Brave ClearURLs Dandelion Neat uBlock"),
    "twclid": DroppedKey("click id, X (Twitter)", "AdGuard Brave ClearURLs Dandelion Neat registry uBlock"),
    "ttclid": DroppedKey("click id, TikTok", "AdGuard Brave Dandelion registry uBlock"),
    "igshid": DroppedKey("who shared a link, Instagram", "Dandelion registry"),
    "epik": DroppedKey("click id, Pinterest", "Dandelion registry"),
    "fb_action_ids": DroppedKey(
        "which action led here, Facebook", "AdGuard Brave ClearURLs Dandelion DuckDuckGo Neat uBlock"
    ),
    "fb_action_types": DroppedKey(
        "which action led here, Facebook", "AdGuard Brave ClearURLs Dandelion DuckDuckGo Neat uBlock"
    ),
    "fb_source": DroppedKey(
        "where on Facebook the link stood", "AdGuard Brave ClearURLs Dandelion DuckDuckGo Neat uBlock"
    ),
    "fb_ref": DroppedKey(
        "where on Facebook the link stood", "AdGuard Brave ClearURLs Dandelion DuckDuckGo Neat uBlock"
    ),
    "_hsenc": DroppedKey("mail and reader, HubSpot", "AdGuard Brave ClearURLs Dandelion Firefox Neat uBlock"),
    "_hsmi": DroppedKey("mail, HubSpot", "AdGuard Brave Dandelion Neat uBlock"),
    "__hssc": DroppedKey("visit, HubSpot", "AdGuard Brave ClearURLs Dandelion Neat uBlock"),
    "__hstc": DroppedKey("visitor, HubSpot", "AdGuard Brave ClearURLs Dandelion Neat uBlock"),
    "__hsfp": DroppedKey("browser, HubSpot", "AdGuard Brave ClearURLs Dandelion uBlock"),
    "hsctatracking": DroppedKey(
        "button that was clicked, HubSpot", "AdGuard Brave ClearURLs Dandelion Neat uBlock"
    ),
    "hsa_acc": DroppedKey("ad, placed by HubSpot", "AdGuard Brave Dandelion Firefox registry uBlock"),
    "hsa_ad": DroppedKey("ad, placed by HubSpot", "AdGuard Brave Dandelion Firefox registry uBlock"),
    "hsa_cam": DroppedKey("ad, placed by HubSpot", "AdGuard Brave Dandelion Firefox registry uBlock"),
    "hsa_grp": DroppedKey("ad, placed by HubSpot", "AdGuard Brave Dandelion Firefox registry uBlock"),
    "hsa_kw": DroppedKey("ad, placed by HubSpot", "AdGuard Brave Dandelion Firefox registry uBlock"),
    "hsa_la": DroppedKey("ad, placed by HubSpot", "AdGuard Brave Dandelion Firefox uBlock"),
    "hsa_mt": DroppedKey("ad, placed by HubSpot", "AdGuard Brave Dandelion Firefox registry uBlock"),
    "hsa_net": DroppedKey("ad, placed by HubSpot", "AdGuard Brave Dandelion Firefox registry uBlock"),
    "hsa_ol": DroppedKey("ad, placed by HubSpot", "AdGuard Brave Dandelion Firefox uBlock"),
    "hsa_src": DroppedKey("ad, placed by HubSpot", "AdGuard Brave Dandelion Firefox registry uBlock"),
    "hsa_tgt": DroppedKey("ad, placed by HubSpot", "AdGuard Brave Dandelion Firefox registry uBlock"),
    "hsa_ver": DroppedKey("ad, placed by HubSpot", "AdGuard Brave Dandelion Firefox registry uBlock"),
    "ml_subscriber": DroppedKey("reader, MailerLite", "AdGuard Brave ClearURLs Dandelion uBlock"),
    "ml_subscriber_hash": DroppedKey("reader, MailerLite", "AdGuard Brave ClearURLs Dandelion uBlock"),
    "vero_id": DroppedKey("reader, Vero", "AdGuard Brave ClearURLs Dandelion Firefox Neat uBlock"),
    "vero_conv": DroppedKey("campaign, Vero", "AdGuard Brave ClearURLs Dandelion Firefox Neat uBlock"),
    "oly_anon_id": DroppedKey("reader, Omeda", "AdGuard Brave ClearURLs Dandelion Firefox uBlock"),
    "oly_enc_id": DroppedKey("reader, Omeda", "AdGuard Brave ClearURLs Dandelion Firefox"),
    "bsft_clkid": DroppedKey("click id, Blueshift", "AdGuard Brave Dandelion uBlock"),
    "bsft_uid": DroppedKey("reader, Blueshift", "AdGuard Brave Dandelion uBlock"),
    "et_rid": DroppedKey("reader, Salesforce Marketing Cloud", "Brave uBlock"),
    "dm_i": DroppedKey("mail and reader, Dotdigital", "Dandelion registry"),
    "vgo_ee": DroppedKey("reader, ActiveCampaign", "Brave Dandelion uBlock"),
    "_bhlid": DroppedKey("mail and reader, beehiiv", "AdGuard Brave Dandelion uBlock"),
    "oft_c": DroppedKey("mail and reader (issue 22082 of Brave)", "Brave Dandelion uBlock"),
    "oft_ck": DroppedKey("mail and reader (issue 22082 of Brave)", "Brave Dandelion uBlock"),
    "oft_d": DroppedKey("mail and reader (issue 22082 of Brave)", "Brave Dandelion uBlock"),
    "oft_id": DroppedKey("mail and reader (issue 22082 of Brave)", "Brave Dandelion uBlock"),
    "oft_ids": DroppedKey("mail and reader (issue 22082 of Brave)", "Brave Dandelion uBlock"),
    "oft_k": DroppedKey("mail and reader (issue 22082 of Brave)", "Brave Dandelion uBlock"),
    "oft_lk": DroppedKey("mail and reader (issue 22082 of Brave)", "Brave Dandelion uBlock"),
    "oft_sk": DroppedKey("mail and reader (issue 22082 of Brave)", "Brave Dandelion uBlock"),
    "s_cid": DroppedKey("campaign, Adobe Analytics", "AdGuard Brave ClearURLs Dandelion Firefox Neat uBlock"),
    "s_kwcid": DroppedKey("keyword, Adobe Advertising", "Dandelion registry"),
    "ef_id": DroppedKey("click id, Adobe Advertising", "Dandelion registry"),
    "irclickid": DroppedKey("click id, Impact", "AdGuard Brave Dandelion"),
    "irgwc": DroppedKey("that Impact led here", "AdGuard Brave Dandelion uBlock"),
    "wickedid": DroppedKey("click id, Wicked Reports", "AdGuard Brave ClearURLs Dandelion uBlock"),
    "rb_clickid": DroppedKey("click id, Omeda", "AdGuard Brave ClearURLs Dandelion uBlock"),
    "_branch_match_id": DroppedKey("click id, Branch", "AdGuard Brave Dandelion registry uBlock"),
    "_branch_referrer": DroppedKey("where a click came from, Branch", "AdGuard Brave Dandelion uBlock"),
    "guce_referrer": DroppedKey(
        "where a visitor came from, Yahoo's consent page", "AdGuard Brave Dandelion uBlock"
    ),
    "guce_referrer_sig": DroppedKey("signature of `guce_referrer`", "AdGuard Brave Dandelion uBlock"),
    "guccounter": DroppedKey("how often Yahoo's consent page was seen", "AdGuard Brave Dandelion uBlock"),
    "wt_mc": DroppedKey("campaign, Mapp (Webtrekk)", "AdGuard ClearURLs Dandelion Neat uBlock"),
    "pk_campaign": DroppedKey("campaign, Piwik (now Matomo)", "AdGuard Brave Dandelion Neat registry uBlock"),
    "pk_kwd": DroppedKey("campaign, Piwik (now Matomo)", "Brave Dandelion Neat registry"),
    "pk_keyword": DroppedKey("campaign, Piwik (now Matomo)", "Brave Dandelion Neat registry"),
    "pk_source": DroppedKey("campaign, Piwik (now Matomo)", "AdGuard Brave Dandelion Neat uBlock"),
    "pk_medium": DroppedKey("campaign, Piwik (now Matomo)", "AdGuard Brave Dandelion Neat uBlock"),
    "pk_content": DroppedKey("campaign, Piwik (now Matomo)", "Brave Dandelion Neat"),
    "pk_cid": DroppedKey("campaign, Piwik (now Matomo)", "Brave Dandelion Neat uBlock"),
}
"""Keys of version 2."""

LEFT_OUT_2: Final = {
    "__s": "AdGuard and uBlock except it at several universities, whose pages it chooses; Drip: a reader",
    "_kx": "taken back by Brave, AdGuard and uBlock in March 2026: pages need it; Klaviyo: a reader",
    "mkt_tok": "Brave and Dandelion leave it where it shows a mail as a page; Marketo: a reader",
    "ck_subscriber_id": "on one list, which leaves it on pages that need it; Kit: a reader",
    "igsh": "on every list for Instagram only",
    "li_fat_id": "on no list; LinkedIn: a click",
    "rdt_cid": "on no list; Reddit: a click",
    "hsa_*": "on one list as a prefix; the keys that HubSpot writes are on the list by name",
    "oft_*": "on no list as a prefix; the keys that were seen are on the list by name",
    "spm": "on two lists; a common abbreviation",
    "source, campaign, cid, si, from, trk": "common words",
}
"""Keys that were looked at and are not on the list of version 2, each with the reason."""
