"""Query keys that say where a visitor came from and nothing about the page (ID-4), by policy version.

A list is frozen with the version that has it. What a key must be to be on the list of version 2:

1. Its maker documents it as an id of a click, a mail, a campaign or a visitor, or at least two public lists
   of such keys have it (Firefox query stripping, Brave query filter, ClearURLs, Safari link tracking
   protection).
2. No site is known to show another page for it. So common words stay off: `source`, `campaign`, `cid`,
   `si`, `spm`, `from`, `trk`; and so do keys that only one site means that way (`feature`, `t`, `s`).
3. Case is no difference: keys are matched in lower case, so all names here are.
"""

from __future__ import annotations

from typing import Final

__all__ = ["PREFIXES_1", "PREFIXES_2", "TRACKERS_1", "TRACKERS_2"]

TRACKERS_1: Final = frozenset(
    ("gclid", "fbclid", "mc_cid", "mc_eid", "ref", "ref_src", "cmpid", "icid", "ocid"),
)
PREFIXES_1: Final = ("utm_",)

PREFIXES_2: Final = {
    "utm_": "campaigns: Google Analytics and everyone since",
    "mtm_": "campaigns of Matomo",
    "hsa_": "ads placed by HubSpot",
    "oft_": "links in mails of Ometria and others (`oft_id`, `oft_ck` …)",
}
"""Beginnings of keys of version 2, each with its reason."""

TRACKERS_2: Final = {
    **dict.fromkeys(sorted(TRACKERS_1), "on the list of version 1"),
    "dclid": "click id, Google Campaign Manager",
    "gbraid": "click id, Google Ads to apps",
    "wbraid": "click id, Google Ads from apps",
    "gclsrc": "where a `gclid` came from, Google Ads",
    "_gl": "visitor id handed on between domains, Google Analytics",
    "_ga": "visitor id, Google Analytics",
    "srsltid": "click id, Google Merchant Center",
    "msclkid": "click id, Microsoft Advertising",
    "yclid": "click id, Yandex Direct",
    "ysclid": "click id, Yandex search",
    "ymclid": "click id, Yandex Market",
    "_openstat": "campaign, Openstat",
    "twclid": "click id, X (Twitter)",
    "ttclid": "click id, TikTok",
    "li_fat_id": "click id, LinkedIn",
    "igshid": "who shared a link, Instagram",
    "igsh": "who shared a link, Instagram",
    "epik": "click id, Pinterest",
    "rdt_cid": "click id, Reddit",
    "fb_action_ids": "which action led here, Facebook",
    "fb_action_types": "which action led here, Facebook",
    "fb_source": "where on Facebook the link stood",
    "mkt_tok": "mail and reader, Marketo",
    "_hsenc": "mail and reader, HubSpot",
    "_hsmi": "mail, HubSpot",
    "__hssc": "visit, HubSpot",
    "__hstc": "visitor, HubSpot",
    "__hsfp": "browser, HubSpot",
    "hsctatracking": "button that was clicked, HubSpot",
    "ml_subscriber": "reader, MailerLite",
    "ml_subscriber_hash": "reader, MailerLite",
    "ck_subscriber_id": "reader, Kit (ConvertKit)",
    "vero_id": "reader, Vero",
    "vero_conv": "campaign, Vero",
    "oly_anon_id": "reader, Omeda",
    "oly_enc_id": "reader, Omeda",
    "bsft_clkid": "click id, Blueshift",
    "bsft_uid": "reader, Blueshift",
    "et_rid": "reader, Salesforce Marketing Cloud",
    "dm_i": "mail and reader, Dotdigital",
    "vgo_ee": "reader, ActiveCampaign",
    "__s": "reader, Drip",
    "_kx": "reader, Klaviyo",
    "_bhlid": "mail and reader, beehiiv",
    "s_cid": "campaign, Adobe Analytics",
    "s_kwcid": "keyword, Adobe Advertising",
    "ef_id": "click id, Adobe Advertising",
    "irclickid": "click id, Impact",
    "wickedid": "click id, Wicked Reports",
    "rb_clickid": "click id, Rambler",
    "_branch_match_id": "click id, Branch",
    "_branch_referrer": "where a click came from, Branch",
    "guce_referrer": "where a visitor came from, Yahoo's consent page",
    "guce_referrer_sig": "signature of `guce_referrer`",
    "guccounter": "how often Yahoo's consent page was seen",
    "pk_campaign": "campaign, Piwik (now Matomo)",
    "pk_kwd": "keyword, Piwik",
    "pk_source": "campaign, Piwik",
    "pk_medium": "campaign, Piwik",
    "pk_content": "campaign, Piwik",
    "pk_cid": "campaign, Piwik",
}
"""Keys of version 2, each with its reason."""
