//! `text_v1`. Twin of `text_v1.py`, which is the specification; Python makes NFC of what is returned.
//!
//! White space is collapsed before NFC instead of after it: NFC makes no white space of anything else, and
//! composes nothing across it.

use crate::html::tag::TEX;
use crate::html::tree::{Document, Place};
use crate::tables::element;

/// The text of a page, white space collapsed.
pub fn page_text(document: &Document) -> String {
    for (landmark, body) in candidates(document) {
        let text = text_between(document, landmark.start, landmark.end, body);
        if !text.is_empty() {
            return text;
        }
    }
    String::new()
}

/// The text from the tag at one token to another; of a body without what stands around.
pub fn text_between(document: &Document, first: usize, end: usize, body: bool) -> String {
    let end = end.min(document.len());
    let mut text = Collapsed::default();
    if first < end {
        text.add(&document.texts[first]);
    }
    let mut roles = document.roles.iter().copied().filter(|at| *at > first).peekable();
    let mut at = first + 1;
    while at < end {
        let tag = document.token(at);
        let has_role = roles.next_if(|role| *role <= at).is_some_and(|role| role == at);
        let left_out = is_left_out(tag.name, body) || (has_role && is_role_left_out(tag.role(), body));
        if left_out && !tag.void() {
            at = document.end_of(at, end);
            while roles.next_if(|role| *role <= at).is_some() {}
            if at < end {
                // the end tag itself parts, whatever it is
                text.part();
                text.add(&document.texts[at]);
            }
        } else {
            if tag.is & element::INLINE == 0 && !tag.name.is_empty() {
                text.part();
            }
            if tag.name != TEX {
                text.add(&document.texts[at]);
            }
        }
        at += 1;
    }
    text.done
}

/// What may be the landmark, in order, and whether it is read as a body.
fn candidates(document: &Document) -> Vec<(Place, bool)> {
    let named = |name: &'static str| {
        document.landmarks().filter(move |place| document.tag(place.element).name == name).copied()
    };
    let main = document.landmarks().find(|place| document.tag(place.element).is_main());
    let mut articles = named("article");
    let article = articles.next().filter(|_| articles.next().is_none());
    let marked = main.copied().into_iter().chain(article).map(|place| (place, false));
    marked.chain(named("body").take(1).map(|place| (place, true))).collect()
}

fn is_left_out(name: &str, body: bool) -> bool {
    match name {
        "nav" => true,
        "header" | "footer" | "aside" => body,
        _ => false,
    }
}

fn is_role_left_out(role: &str, body: bool) -> bool {
    match role {
        "navigation" => true,
        "banner" | "contentinfo" | "complementary" => body,
        _ => false,
    }
}

/// Text whose white space is collapsed while it is put together.
#[derive(Default)]
struct Collapsed {
    done: String,
    /// Whether white space came after what is done.
    parted: bool,
}

impl Collapsed {
    fn part(&mut self) {
        self.parted = true;
    }

    fn add(&mut self, text: &str) {
        let mut from = 0;
        while from < text.len() {
            let white = white_space(text.as_bytes(), from);
            if white > 0 {
                self.parted = true;
                from += white;
                continue;
            }
            let bytes = text.as_bytes();
            let mut end = from + 1;
            while end < bytes.len() && white_space(bytes, end) == 0 {
                end += 1;
            }
            if self.parted && !self.done.is_empty() {
                self.done.push(' ');
            }
            self.parted = false;
            self.done.push_str(&text[from..end]);
            from = end;
        }
    }
}

/// How many bytes of a character of Unicode's White_Space property begin here; 0 where none does.
fn white_space(bytes: &[u8], at: usize) -> usize {
    match bytes[at] {
        b' ' | b'\t'..=b'\r' => 1,
        0xc2 if matches!(bytes[at + 1], 0x85 | 0xa0) => 2,
        0xe1 if bytes[at + 1..].starts_with(b"\x9a\x80") => 3,
        0xe2 => match bytes[at + 1..] {
            [0x80, 0x80..=0x8a | 0xa8 | 0xa9 | 0xaf, ..] | [0x81, 0x9f, ..] => 3,
            _ => 0,
        },
        0xe3 if bytes[at + 1..].starts_with(b"\x80\x80") => 3,
        _ => 0,
    }
}
