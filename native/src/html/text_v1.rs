//! `text_v1`. Twin of `text_v1.py`, which is the specification; NFC is Python's (`Ask::nfc`).
//!
//! White space is collapsed before NFC instead of after it: NFC makes no white space of anything else, and
//! composes nothing across it.

use crate::ask::Ask;
use crate::html::tag::TEX;
use crate::html::tree::{Document, Place};
use crate::spaces::{white_space, Squeezed};
use crate::tables::element;

/// What of a page is read: from one token to another, whether as a body, and its text, white space collapsed.
pub struct Landmark {
    pub first: usize,
    pub last: usize,
    pub body: bool,
    pub text: String,
}

/// The landmark; None where there is no text.
pub fn page_landmark(document: &Document) -> Option<Landmark> {
    candidates(document).into_iter().find_map(|(Place { start: first, end: last, .. }, body)| {
        let text = text_between(document, first, last, body);
        (!text.is_empty()).then_some(Landmark { first, last, body, text })
    })
}

/// NFC of a text.
pub fn normalized(text: String, ask: &Ask) -> String {
    if is_normalized(&text) {
        text
    } else {
        ask.nfc(&text)
    }
}

/// Whether a text is surely its own NFC: nothing in it combines, or stands for another character. Most texts
/// that are not ASCII are, but for their quotes and dashes.
pub fn is_normalized(text: &str) -> bool {
    text.is_ascii()
        || text
            .chars()
            .all(|c| matches!(c, '\0'..='\u{2ff}' | '\u{2010}'..='\u{2027}' | '\u{2030}'..='\u{205e}'))
}

/// The text from the tag at one token to another; of a body without what stands around.
pub fn text_between(document: &Document, first: usize, end: usize, body: bool) -> String {
    let mut text = Squeezed::default();
    read_between(document, first, end, body, |at, visible| visible.add(&document.texts[at], &mut text));
    text.done
}

/// What of a token is read: the space that its tag is, the text after it.
#[derive(Clone, Copy)]
pub struct Visible {
    parts: bool,
    pub text: bool,
}

impl Visible {
    /// All tokens from one to another.
    pub fn between(document: &Document, first: usize, end: usize, body: bool) -> Vec<Self> {
        let mut all = vec![Visible { parts: false, text: false }; end - first];
        read_between(document, first, end, body, |at, visible| all[at - first] = visible);
        all
    }

    pub fn add(self, own: &str, text: &mut Squeezed) {
        if self.parts {
            text.part();
        }
        if self.text {
            text.add(own, white_space);
        }
    }
}

/// Go over the tokens of which something is read. The first tag is not asked what it is.
fn read_between(
    document: &Document,
    first: usize,
    end: usize,
    body: bool,
    mut read: impl FnMut(usize, Visible),
) {
    let end = end.min(document.len());
    if first < end {
        read(first, Visible { parts: false, text: true });
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
                read(at, Visible { parts: true, text: true }); // the end tag itself parts, whatever it is
            }
        } else {
            let parts = tag.is & element::INLINE == 0 && !tag.name.is_empty();
            read(at, Visible { parts, text: tag.name != TEX });
        }
        at += 1;
    }
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

pub fn is_left_out(name: &str, body: bool) -> bool {
    match name {
        "nav" => true,
        "header" | "footer" | "aside" => body,
        _ => false,
    }
}

pub fn is_role_left_out(role: &str, body: bool) -> bool {
    match role {
        "navigation" => true,
        "banner" | "contentinfo" | "complementary" => body,
        _ => false,
    }
}
