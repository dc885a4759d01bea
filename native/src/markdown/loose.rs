//! White space moves out of what opens and closes. Twin of `Run._collapsed` in `run.py`.

use crate::markdown::run::{Item, Items, ALONE, BREAK, CLOSE, OPEN};
use crate::spaces::one_spaced;
use memchr::memchr;

/// A collapsed text with its spaces outside of what opens and closes, and without pairs around nothing.
pub fn tightened(text: String) -> String {
    if is_loose(&text) {
        one_spaced(&spaces_outside(&without_empty_pairs(&text)))
    } else {
        text
    }
}

/// Whether there is anything to move or to take out: a space after what opens or before what closes, no content.
fn is_loose(text: &str) -> bool {
    let mut before = Item::Text("");
    for item in Items(text) {
        let loose = match (before, item) {
            (Item::Open(_), Item::Text(text)) => text.starts_with(' '),
            (Item::Open(_), Item::Close(_)) => true,
            (Item::Text(text), Item::Close(_)) => text.ends_with(' '),
            _ => false,
        };
        if loose {
            return true;
        }
        before = item;
    }
    false
}

/// The text without what opens and closes with only spaces between.
fn without_empty_pairs(text: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    let mut from = text;
    while !from.is_empty() {
        let end = memchr(0, from.as_bytes()).unwrap_or(from.len());
        kept.push_str(&from[..end]);
        let mut rest = from[end..].chars();
        let (Some(nul), Some(code)) = (rest.next(), rest.next()) else {
            break;
        };
        from = rest.as_str();
        if let (Item::Close(_), Some(open)) = (Item::of(code), open_at_end(&kept)) {
            let spaces = kept.len() - open.end;
            kept.truncate(open.start);
            kept.extend(std::iter::repeat_n(' ', spaces));
        } else {
            kept.extend([nul, code]);
        }
    }
    kept
}

/// Where the code that opens stands that a text ends with, spaces after it not counted.
fn open_at_end(text: &str) -> Option<std::ops::Range<usize>> {
    let trimmed = text.trim_end_matches(' ');
    let code = trimmed.chars().next_back()?;
    let before = &trimmed[..trimmed.len() - code.len_utf8()];
    let is_open = before.ends_with('\0') && matches!(Item::of(code), Item::Open(_));
    is_open.then(|| before.len() - 1..trimmed.len())
}

/// One space after what opens stands before it, one before what closes after it.
fn spaces_outside(text: &str) -> String {
    let mut after_open = String::with_capacity(text.len());
    let mut opens = 0; // where the codes that open begin with which the text so far ends
    for item in Items(text) {
        match item {
            Item::Open(number) => push_code(&mut after_open, OPEN, number),
            Item::Text(text) => {
                match text.strip_prefix(' ') {
                    Some(rest) if opens < after_open.len() => {
                        after_open.insert(opens, ' ');
                        after_open.push_str(rest);
                    }
                    _ => after_open.push_str(text),
                }
                opens = after_open.len();
            }
            other => {
                push_item(&mut after_open, other);
                opens = after_open.len();
            }
        }
    }
    let mut done = String::with_capacity(text.len());
    let mut owed = false; // a space that stands before what closes
    for item in Items(&after_open) {
        if owed && !matches!(item, Item::Close(_)) {
            done.push(' ');
            owed = false;
        }
        match item {
            Item::Text(text) => match text.strip_suffix(' ') {
                Some(rest) => {
                    done.push_str(rest);
                    owed = true;
                }
                None => done.push_str(text),
            },
            other => push_item(&mut done, other),
        }
    }
    if owed {
        done.push(' ');
    }
    done
}

fn push_item(text: &mut String, item: Item) {
    match item {
        Item::Text(own) => text.push_str(own),
        Item::Alone(number) => push_code(text, ALONE, number),
        Item::Open(number) => push_code(text, OPEN, number),
        Item::Close(number) => push_code(text, CLOSE, number),
        Item::Break => text.push_str(BREAK),
    }
}

fn push_code(text: &mut String, base: u32, number: usize) {
    text.push('\0');
    text.extend(char::from_u32(base + number as u32));
}
