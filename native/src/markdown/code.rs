//! Code: fenced blocks with their language and every byte of their text. Twin of `code.py`.

use crate::html::tag::Tag;
use crate::html::tree::{Document, Node};
use crate::markdown::escaping::fence_length;
use crate::markdown::writer::Writer;
use crate::spaces::{is_blank, unix_lines};
use crate::tables::{class, element};
use std::borrow::Cow;

impl Writer<'_, '_, '_, '_, '_> {
    /// A `pre`, or what stands for one, as a fenced block; None when there is no code in it.
    pub fn fenced(&self, element: u32, around: &str) -> Option<String> {
        let code = code_text(self.document, element);
        if is_blank(&code) {
            return None;
        }
        let fence = "`".repeat(fence_length(&code, 3));
        let own = self.language_of(element);
        let language = if own.is_empty() { around } else { &own };
        let end = if code.ends_with('\n') { "" } else { "\n" };
        Some(format!("{fence}{language}\n{code}{end}{fence}"))
    }

    /// The language a code block says it is in: on itself, or on the `code` (`pre` in `pre`) that it holds.
    fn language_of(&self, element: u32) -> String {
        let document = self.document;
        let tag = document.tag(element);
        let own = self.language_in(tag);
        if !own.is_empty() {
            return own;
        }
        let inner = document.children(element).iter().find_map(|node| {
            let Node::Element(child) = *node else {
                return None;
            };
            let own = self.language_in(document.tag(child));
            let is_block = own.is_empty() && document.tag(child).name == "pre";
            Some(if is_block { self.language_of(child) } else { own }).filter(|language| !language.is_empty())
        });
        let bare = &self.tables.lists.bare_languages;
        inner.unwrap_or_else(|| {
            tag.classes().find(|name| bare.iter().any(|own| own == name)).unwrap_or_default().to_owned()
        })
    }

    /// The language in one element's attributes.
    pub fn language_in(&self, tag: &Tag) -> String {
        if tag.attrs.is_empty() {
            return String::new();
        }
        let named = ["data-lang", "data-language", "syntax"].into_iter().map(|name| tag.value(name));
        match named.into_iter().find(|stated| !stated.is_empty()) {
            Some(stated) => self.ask.safe_language(stated),
            None => match tag.value("class") {
                "" => String::new(),
                classes => self.ask.language(classes),
            },
        }
    }
}

/// `pre`, and the box that Doxygen has instead.
pub fn is_code_block(tag: &Tag) -> bool {
    tag.name == "pre" || (tag.name == "div" && tag.has("fragment"))
}

/// The code itself.
pub fn code_text<'d>(document: &'d Document, element: u32) -> Cow<'d, str> {
    let children = document.children(element);
    if let [Node::Text(text)] = *children {
        return unix_lines(Cow::Borrowed(document.text(text)));
    }
    let mut code = Code::default();
    code.gather(document, children, document.tag(element).name == "div");
    unix_lines(Cow::Owned(code.text))
}

/// Code that is put together part by part.
#[derive(Default)]
struct Code {
    text: String,
    /// Whether there is a part, and the last one, which may be empty, does not end its line.
    in_line: bool,
}

impl Code {
    fn of(document: &Document, children: &[Node]) -> String {
        let mut code = Code::default();
        code.gather(document, children, false);
        code.text
    }

    fn push(&mut self, part: &str) {
        self.text.push_str(part);
        self.in_line = !part.ends_with('\n');
    }

    /// The text below. `boxed`: white space between boxes is layout, not code.
    fn gather(&mut self, document: &Document, children: &[Node], boxed: bool) {
        let is_line = |node: Option<&Node>| matches!(node, Some(Node::Element(element)) if document.tag(*element).is & element::LINE != 0);
        for (place, child) in children.iter().enumerate() {
            let element = match *child {
                Node::Text(text) if boxed && is_blank(document.text(text)) => continue,
                Node::Text(text) => {
                    self.push(document.text(text));
                    continue;
                }
                Node::Element(element) => element,
            };
            let (tag, inside) = (document.tag(element), document.children(element));
            if tag.name == "br" {
                self.push("\n");
            } else if tag.is & element::SKIPPED != 0 || tag.named & class::GUTTER != 0 {
                continue;
            } else if tag.is & element::LINE == 0 {
                self.gather(document, inside, false);
            } else if boxed
                || (place > 0 && is_line(children.get(place - 1)))
                || is_line(children.get(place + 1))
            {
                self.add_line(&Code::of(document, inside));
            } else {
                self.add_box(&Code::of(document, inside), document, children.get(place + 1));
            }
        }
    }

    /// One of several boxes in a row, each of which is a line.
    fn add_line(&mut self, own: &str) {
        if self.in_line {
            self.push("\n");
        }
        self.text.push_str(own.strip_suffix('\n').unwrap_or(own));
        self.push("\n");
    }

    /// A box among text: it begins and ends a line, if the text around it does not.
    fn add_box(&mut self, own: &str, document: &Document, after: Option<&Node>) {
        if own.is_empty() {
            return;
        }
        if self.in_line && !own.starts_with('\n') {
            self.push("\n");
        }
        self.push(own);
        match after {
            Some(Node::Text(text)) if document.text(*text).starts_with('\n') => {}
            Some(_) if !own.ends_with('\n') => self.push("\n"),
            _ => self.push(""),
        }
    }
}
