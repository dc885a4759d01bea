//! The serialized tree to tokens. Twin of `tokens.py`, from `_columns` on.
//!
//! Where a bracket stands in a name, or an attribute is written oddly, there are no tokens: Python reads
//! such a page by its regular expression.

use crate::ask::Ask;
use crate::html::tag::{unescape, Tag};
use crate::tables::Tables;
use memchr::{memchr, memchr2, memmem, memrchr2};
use rustc_hash::FxHashMap;
use std::borrow::Cow;

/// A page in columns: each tag, as an index into the tags there are, and the text after it.
pub struct Tokens<'a> {
    pub tags: Vec<Tag<'a>>,
    pub heads: Vec<u32>,
    pub texts: Vec<Cow<'a, str>>,
}

/// The page without asides and highlighting: what `read_tokens` splits.
pub fn plain_form(normal_form: &str) -> Option<Cow<'_, str>> {
    let plain = without_asides(normal_form)?;
    Some(match without_highlighting(&plain) {
        Some(shorter) => Cow::Owned(shorter),
        None => plain,
    })
}

pub fn read_tokens<'a>(plain: &'a str, tables: &Tables, ask: &Ask) -> Option<Tokens<'a>> {
    let mut known: FxHashMap<&'a str, u32> = FxHashMap::default();
    let guess = plain.len() / 24;
    let mut tokens = Tokens {
        tags: Vec::with_capacity(256),
        heads: Vec::with_capacity(guess),
        texts: Vec::with_capacity(guess),
    };
    let mut rest = match memchr(b'<', plain.as_bytes()) {
        Some(start) => &plain[start..],
        None => return Some(tokens),
    };
    while !rest.is_empty() {
        let close = 1 + memchr2(b'<', b'>', &rest.as_bytes()[1..])?;
        let (head, after) = (&rest[1..close], &rest[close + 1..]);
        if rest.as_bytes()[close] == b'<' {
            return None;
        }
        let end = memchr2(b'<', b'>', after.as_bytes()).unwrap_or(after.len());
        if after.as_bytes().get(end) == Some(&b'>') {
            return None;
        }
        let tag = match known.get(head) {
            Some(tag) => *tag,
            None => {
                let tag = tokens.tags.len() as u32;
                tokens.tags.push(Tag::read(head, tables, ask)?);
                known.insert(head, tag);
                tag
            }
        };
        tokens.heads.push(tag);
        tokens.texts.push(unescape(&after[..end]));
        rest = &after[end..];
    }
    Some(tokens)
}

/// The page without comments and instructions; None where a name looks like the start of one.
fn without_asides(form: &str) -> Option<Cow<'_, str>> {
    let bytes = form.as_bytes();
    let mut comments = memmem::find_iter(bytes, b"<!--").peekable();
    let mut instructions = memmem::find_iter(bytes, b"<?").peekable();
    let mut kept = String::new();
    let mut from = 0;
    loop {
        while comments.next_if(|at| *at < from).is_some() {}
        while instructions.next_if(|at| *at < from).is_some() {}
        let Some(start) = comments.peek().into_iter().chain(instructions.peek()).min().copied() else {
            break;
        };
        let between = &bytes[from..start];
        if memrchr2(b'<', b'>', between).is_some_and(|last| between[last] == b'<') {
            return None; // inside of a tag
        }
        let length = match &bytes[start..] {
            [b'<', b'!', b'-', b'-', inside @ ..] => memmem::find(inside, b"-->")? + 7,
            inside => memchr(b'>', inside)? + 1,
        };
        if from == 0 {
            kept.reserve(form.len());
        }
        kept.push_str(&form[from..start]);
        from = start + length;
    }
    if from == 0 {
        return Some(Cow::Borrowed(form));
    }
    kept.push_str(&form[from..]);
    Some(Cow::Owned(kept))
}

/// Take the spans of syntax highlighters out of code blocks. None where there are none.
fn without_highlighting(html: &str) -> Option<String> {
    let bytes = html.as_bytes();
    let start = memmem::Finder::new(b"<pre");
    let end = memmem::Finder::new(b"</pre>");
    let mut kept = String::new();
    let (mut from, mut at) = (0, 0);
    while let Some(next) = start.find(&bytes[at..]) {
        let block = at + next;
        at = block + 4;
        if !matches!(bytes.get(at), Some(b'>' | b' ')) {
            continue;
        }
        let Some(inside) = memchr(b'>', &bytes[at..]) else {
            break;
        };
        let Some(closes) = end.find(&bytes[at + inside + 1..]) else {
            break;
        };
        at += inside + 1 + closes + 6;
        if let Some(plain) = plain_block(&html[block..at]) {
            kept.push_str(&html[from..block]);
            kept.push_str(&plain);
            from = at;
        }
    }
    if from == 0 {
        return None;
    }
    kept.push_str(&html[from..]);
    Some(kept)
}

/// The block without its spans; None where one of them is no highlighting, or they do not pair.
fn plain_block(html: &str) -> Option<String> {
    let bytes = html.as_bytes();
    if memmem::find(&bytes[1..], b"<pre").is_some() {
        return None; // a span may not end before the block does
    }
    let mut plain = String::with_capacity(html.len());
    let (mut from, mut at) = (0, 0);
    let (mut opened, mut closed) = (0, 0);
    while let Some(next) = memchr(b'<', &bytes[at..]) {
        let start = at + next;
        let length = if bytes[start..].starts_with(b"</span>") {
            closed += 1;
            7
        } else if let Some(length) = highlight(&html[start..]) {
            opened += 1;
            length
        } else {
            at = start + 1;
            continue;
        };
        plain.push_str(&html[from..start]);
        from = start + length;
        at = from;
    }
    if opened != closed || opened == 0 {
        return None;
    }
    plain.push_str(&html[from..]);
    Some(plain)
}

/// How long the start tag of a highlighter's span is, if one stands here.
fn highlight(html: &str) -> Option<usize> {
    let rest = html.strip_prefix("<span")?;
    if rest.starts_with('>') {
        return Some(6);
    }
    let value = rest.strip_prefix(" class=\"")?;
    let end = memchr(b'"', value.as_bytes())?;
    (value.as_bytes().get(end + 1) == Some(&b'>') && is_colour(&value[..end])).then_some(15 + end)
}

/// Whether a class is a highlighter's: it has no meaning but colour.
fn is_colour(class: &str) -> bool {
    let bytes = class.as_bytes();
    let lower = |byte: &u8| byte.is_ascii_lowercase();
    match bytes {
        b"ln" | b"lnt" => false,
        [first, rest @ ..] if rest.len() < 3 && lower(first) => {
            rest.iter().all(|byte| lower(byte) || byte.is_ascii_digit())
        }
        [b'h', b'l', b'j', b's', b'-', rest @ ..] => {
            !rest.is_empty() && rest.iter().all(|byte| lower(byte) || *byte == b'_')
        }
        [b't', b'o', b'k', b'e', b'n', b' ', rest @ ..] => {
            !rest.is_empty() && rest.iter().all(|byte| lower(byte) || matches!(byte, b' ' | b'-'))
        }
        _ => COLOURS.contains(&class),
    }
}

const COLOURS: [&str; 16] = [
    "ident",
    "macro",
    "string",
    "comment",
    "number",
    "lifetime",
    "self",
    "attribute",
    "keyword",
    "operator",
    "preprocessor",
    "keywordtype",
    "keywordflow",
    "type",
    "function",
    "class",
];
