//! Whether a page is surely within the limits of `guard.py`, whose rules these are, and what may be in it.
//!
//! 1. Nearly every page is. Of any that is not, and of any that is not sure, Python decides.
//! 2. What Python's patterns make of letters that are not ASCII is Python's to say: a tag with one is not sure.

use crate::tables::Tables;
use memchr::{memchr, memchr2, memchr_iter, memmem};
use rustc_hash::{FxHashMap, FxHashSet};
use std::borrow::Cow;

const FEW_TAGS: usize = 12_000;
const HARMLESS_TAGS: usize = 1_600;
const SHORT_PAGE: usize = 30_000;
const BOUND: usize = 600_000;
const LONG: usize = 3_000;
const MAX_TAGS: usize = 1_000_000;
const MAX_ATTRIBUTES: usize = 1_500;
const MAX_OPEN: usize = 1_000;
const MAX_REBUILT: usize = 150_000;
const FORMATTING: [&[u8]; 12] =
    [b"b", b"big", b"code", b"em", b"font", b"i", b"s", b"small", b"strike", b"strong", b"tt", b"u"];
const SELF_CLOSING: [&str; 8] = ["p", "li", "dt", "dd", "tr", "td", "th", "option"];
/// Elements in which there are no tags.
const NO_TAGS: [&str; 8] = ["script", "style", "textarea", "title", "xmp", "iframe", "noembed", "noframes"];

pub fn is_harmless(html: &str, tables: &Tables) -> bool {
    let bytes = html.as_bytes();
    let tags = memchr_iter(b'<', bytes).count();
    let is_surely = tags <= FEW_TAGS
        && (tags <= HARMLESS_TAGS || 3 * formatting_tags(bytes) * tags <= BOUND)
        && (bytes.len() <= SHORT_PAGE || !memchr_iter(b'<', bytes).any(|at| is_long(&bytes[at + 1..])));
    is_surely || is_within(html, tables)
}

/// Which of these names a page may have: of elements, those that stand after a `<`; of media types all that
/// stand anywhere.
pub fn names_in<'n>(html: &str, names: &'n [String]) -> Vec<&'n str> {
    let bytes = html.as_bytes();
    let (types, mut missing): (Vec<&str>, Vec<&str>) =
        names.iter().map(String::as_str).partition(|name| name.contains('/'));
    let mut found: Vec<&str> =
        types.into_iter().filter(|name| memmem::find(bytes, name.as_bytes()).is_some()).collect();
    for at in memchr_iter(b'<', bytes) {
        let Some(first) = bytes.get(at + 1).map(u8::to_ascii_lowercase) else { break };
        let begins = |name: &&str| {
            let own = name.as_bytes();
            own[0] == first
                && bytes.get(at + 1..=at + own.len()).is_some_and(|there| own.eq_ignore_ascii_case(there))
        };
        if let Some(place) = missing.iter().position(begins) {
            found.push(missing.swap_remove(place));
        }
    }
    found
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
        Some(end) if memchr2(b'"', b'\'', &near[..end]).is_none() => false,
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

/// The page tag by tag, as `_scanned` reads it: whether it is surely within every limit.
fn is_within(html: &str, tables: &Tables) -> bool {
    let bytes = html.as_bytes();
    let mut opened: FxHashMap<Cow<str>, usize> = FxHashMap::default();
    let (mut depth, mut formatting, mut rebuilt, mut tags) = (0, 0, 0, 0);
    let mut at = 0;
    while let Some(next) = memchr(b'<', &bytes[at..]) {
        at += next + 1;
        let rest = &bytes[at..];
        if rest.starts_with(b"!--") {
            let Some(end) = memmem::find(&rest[3..], b"-->") else { return true };
            at += end + 6;
            continue;
        }
        let Some(head) = TagHead::read(rest) else {
            continue;
        };
        if !head.is_plain {
            return false;
        }
        if let Some(name) = head.holds_no_tags() {
            match end_of_raw(&rest[name.len()..], name) {
                RawEnd::At(end) => at += name.len() + end,
                RawEnd::Nowhere => return true,
                RawEnd::Unsure => return false,
            }
            continue;
        }
        let Some(length) = length_of_words(&rest[head.length..]) else {
            return false;
        };
        at += head.length + length;
        tags += 1;
        let name = head.name;
        let is_formatting = FORMATTING.contains(&name.as_bytes());
        if head.closes {
            if let Some(open) = opened.get_mut(&name).filter(|open| **open > 0) {
                *open -= 1;
                depth -= 1;
                formatting -= usize::from(is_formatting);
            }
            continue;
        }
        rebuilt += formatting;
        let is_open = opened.get(&name).is_some_and(|open| *open > 0);
        if tables.is_void(&name) || (is_open && SELF_CLOSING.contains(&name.as_ref())) {
            continue;
        }
        formatting += usize::from(is_formatting);
        *opened.entry(name).or_default() += 1;
        depth += 1;
        if depth > MAX_OPEN || rebuilt > MAX_REBUILT || tags > MAX_TAGS {
            return false;
        }
    }
    true
}

/// The name of a tag, in lower case, and how many bytes it is with the `/` before it.
struct TagHead<'h> {
    name: Cow<'h, str>,
    closes: bool,
    length: usize,
    /// Whether it is ASCII, and so is what follows it.
    is_plain: bool,
}

impl<'h> TagHead<'h> {
    /// `rest` is what follows a `<`; None where that is not a tag.
    fn read(rest: &'h [u8]) -> Option<Self> {
        let closes = rest.first() == Some(&b'/');
        let from = usize::from(closes);
        let first = rest.get(from)?;
        if !first.is_ascii_alphabetic() && first.is_ascii() {
            return None;
        }
        let is_end = |byte: &u8| matches!(byte, b' ' | b'\t' | b'\n' | b'\x0c' | b'\r' | b'/' | b'>');
        let length = rest[from..].iter().position(is_end).map_or(rest.len(), |end| from + end);
        let mut name = String::from_utf8_lossy(&rest[from..length]);
        if name.bytes().any(|byte| byte.is_ascii_uppercase()) {
            name = Cow::Owned(name.to_ascii_lowercase());
        }
        let is_plain = name.is_ascii() && rest.get(length).is_none_or(u8::is_ascii);
        Some(TagHead { name, closes, length, is_plain })
    }

    /// The name of a start tag after which there are no tags. A pattern ends it where a word ends.
    fn holds_no_tags(&self) -> Option<&'static str> {
        let word = self.name.bytes().take_while(|byte| byte.is_ascii_alphanumeric() || *byte == b'_').count();
        NO_TAGS.into_iter().find(|name| !self.closes && *name == &self.name[..word])
    }
}

enum RawEnd {
    At(usize),
    Nowhere,
    Unsure,
}

/// Where an element ends in which there are no tags: after the name of the end tag.
fn end_of_raw(rest: &[u8], name: &str) -> RawEnd {
    for at in memmem::find_iter(rest, b"</") {
        let there = &rest[at + 2..];
        let same = there.iter().zip(name.bytes()).take_while(|(a, b)| a.eq_ignore_ascii_case(b)).count();
        if same == name.len() {
            return RawEnd::At(at + 2 + same);
        }
        if there.get(same).is_some_and(|byte| !byte.is_ascii()) {
            return RawEnd::Unsure;
        }
    }
    RawEnd::Nowhere
}

/// How many bytes the attributes of a tag are; None where they may be too many, or it is not sure.
fn length_of_words(rest: &[u8]) -> Option<usize> {
    let mut at = 0;
    while at < rest.len() && rest[at] != b'>' {
        let is_value = rest[at] == b'=';
        at += 1;
        if is_value {
            at += rest[at..].iter().take_while(|byte| is_space(**byte)).count();
            match rest.get(at) {
                Some(quote @ (b'"' | b'\'')) => {
                    at = memchr(*quote, &rest[at + 1..]).map_or(at, |end| at + end + 2);
                }
                Some(byte) if !byte.is_ascii() => return None,
                _ => {}
            }
        }
    }
    let breaks = || rest[..at].iter().filter(|byte| is_space(**byte) || **byte == b'/' || !byte.is_ascii());
    (at <= MAX_ATTRIBUTES || breaks().count() < MAX_ATTRIBUTES).then_some(at)
}

/// What `\s` knows of ASCII.
fn is_space(byte: u8) -> bool {
    matches!(byte, b'\t'..=b'\r' | b'\x1c'..=b'\x1f' | b' ')
}
