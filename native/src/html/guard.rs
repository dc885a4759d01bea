//! Whether a page is surely within the limits of `guard.py`, whose rules these are.
//!
//! Nearly every page is. Of any other, and of any that is not sure, Python decides.

use memchr::{memchr, memchr_iter};
use rustc_hash::FxHashSet;

const FEW_TAGS: usize = 12_000;
const HARMLESS_TAGS: usize = 1_600;
const SHORT_PAGE: usize = 30_000;
const BOUND: usize = 600_000;
const LONG: usize = 3_000;
const FORMATTING: [&[u8]; 12] =
    [b"b", b"big", b"code", b"em", b"font", b"i", b"s", b"small", b"strike", b"strong", b"tt", b"u"];

pub fn is_harmless(html: &str) -> bool {
    let bytes = html.as_bytes();
    let tags = memchr_iter(b'<', bytes).count();
    tags <= FEW_TAGS
        && (tags <= HARMLESS_TAGS || 3 * formatting_tags(bytes) * tags <= BOUND)
        && (bytes.len() <= SHORT_PAGE || !memchr_iter(b'<', bytes).any(|at| is_long(&bytes[at + 1..])))
}

/// How many distinct tags of formatting elements there are, at most.
fn formatting_tags(bytes: &[u8]) -> usize {
    let mut found: FxHashSet<&[u8]> = FxHashSet::default();
    for at in memchr_iter(b'<', bytes) {
        let rest = &bytes[at + 1..];
        let name = rest.iter().take(7).take_while(|byte| byte.is_ascii_alphabetic()).count();
        let Some(after) = rest.get(name) else {
            continue;
        };
        // A letter that is not ASCII may be one in upper case.
        if after.is_ascii() && !FORMATTING.iter().any(|own| own.eq_ignore_ascii_case(&rest[..name])) {
            continue;
        }
        if *after != b'>' && *after != b'/' && *after > b' ' && after.is_ascii() {
            continue;
        }
        found.insert(&rest[..end_of_tag(rest, name, rest.len())]);
    }
    found.len()
}

/// Whether a tag could have many attributes because it is long. `rest` is what follows its `<`.
fn is_long(rest: &[u8]) -> bool {
    let first = rest.strip_prefix(b"/").unwrap_or(rest).first();
    if !first.is_some_and(|byte| byte.is_ascii_alphabetic() || !byte.is_ascii()) {
        return false;
    }
    let near = &rest[..rest.len().min(LONG)];
    match memchr(b'>', near) {
        None => rest.len() > LONG,
        Some(end) if !near[..end].iter().any(|byte| matches!(byte, b'"' | b'\'')) => false,
        Some(_) => end_of_tag(rest, 0, LONG) >= LONG,
    }
}

/// Where a tag ends: at the first `>` that is in no quoted value, or beyond `most`.
fn end_of_tag(tag: &[u8], from: usize, most: usize) -> usize {
    let mut at = from;
    while at < tag.len().min(most) && tag[at] != b'>' {
        let is_value = tag[at] == b'=';
        at += 1;
        if is_value {
            while at < tag.len() && (tag[at] <= b' ' || tag[at] >= 0x80) {
                at += 1;
            }
            if let Some(quote @ (b'"' | b'\'')) = tag.get(at) {
                at = memchr(*quote, &tag[at + 1..]).map_or(at, |end| at + end + 2);
            }
        }
    }
    at
}
