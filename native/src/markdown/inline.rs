//! Inline content: each element to its part of a run. Twin of `inline.py`.
//!
//! The anchors of a link, of emphasis or of code stand before it, with those of everything inside.

use crate::html::links::image_source;
use crate::html::tag::{Tag, TEX};
use crate::html::tree::Node;
use crate::html::walk::{find, push_text, raw_text};
use crate::markdown::escaping::escaped_alt;
use crate::markdown::footnotes::REFERENCE;
use crate::markdown::run::Run;
use crate::markdown::tex::{is_math, tex_of};
use crate::markdown::writer::Writer;
use crate::spaces::{is_blank, is_space, length, one_line, strip};
use crate::tables::{class, element};

/// Between their marks stands no anchor; nor in links, `sup` and `sub`.
const HOISTED: u32 = element::CODE | element::ITALIC | element::STRONG | element::DELETED;

/// A run, and what its next nodes are inside of.
#[derive(Default)]
pub struct Inline {
    pub run: Run,
    /// The anchors that stand in the run.
    pub met: Vec<String>,
    link: bool,
    hoisted: bool,
    emphasis: Vec<&'static str>,
}

impl Inline {
    pub fn text(&mut self, text: &str) {
        if !self.link || !text.contains(['[', ']']) {
            return self.run.text(text);
        }
        // Brackets in the text of a link are escaped whatever stands around them.
        let mut rest = text;
        while let Some(at) = rest.find(['[', ']']) {
            if at > 0 {
                self.run.text(&rest[..at]);
            }
            self.run.piece(format!("\\{}", &rest[at..=at]));
            rest = &rest[at + 1..];
        }
        if !rest.is_empty() {
            self.run.text(rest);
        }
    }

    fn code_text(&mut self, text: &str) {
        let words = one_line(text);
        if words.is_empty() {
            if !text.is_empty() {
                self.run.text(text);
            }
            return;
        }
        if text.starts_with(is_space) {
            self.run.text(" ");
        }
        self.run.code(&words);
        if text.ends_with(is_space) {
            self.run.text(" ");
        }
    }
}

impl Writer<'_, '_, '_, '_, '_> {
    /// Nodes in order.
    pub fn add(&mut self, inline: &mut Inline, nodes: &[Node]) {
        for node in nodes {
            match *node {
                Node::Text(text) => inline.text(self.document.text(text)),
                Node::Element(element) => self.add_element(inline, element),
            }
        }
    }

    fn add_element(&mut self, inline: &mut Inline, element: u32) {
        let document = self.document;
        let tag = document.tag(element);
        let children = document.children(element);
        self.meet(inline, tag);
        if tag.is & HOISTED != 0 || matches!(tag.name, "a" | "sup" | "sub") {
            self.hoisted(inline, children, |writer, inline| writer.write_element(inline, element));
        } else {
            self.write_element(inline, element);
        }
    }

    /// What is written after the anchors of everything in it.
    fn hoisted(&mut self, inline: &mut Inline, nodes: &[Node], write: impl FnOnce(&mut Self, &mut Inline)) {
        if inline.hoisted {
            return write(self, inline);
        }
        find(self.document, nodes, &mut |_, inner| {
            self.meet(inline, inner);
            false
        });
        inline.hoisted = true;
        write(self, inline);
        inline.hoisted = false;
    }

    /// The anchors of an element stand here.
    fn meet(&mut self, inline: &mut Inline, tag: &Tag) {
        if tag.attrs.is_empty() {
            return;
        }
        for name in self.anchors.of(tag) {
            inline.run.anchor(self.anchors.written(&name));
            inline.met.push(name);
        }
    }

    fn write_element(&mut self, inline: &mut Inline, element: u32) {
        let document = self.document;
        let tag = document.tag(element);
        let children = document.children(element);
        match tag.name {
            "a" => self.anchor(inline, tag, children),
            "br" => inline.run.line_break(),
            "img" => self.image(inline, tag),
            "input" => check_box(inline, tag),
            "sup" | "sub" => self.raised(inline, tag.name, children),
            "math" | TEX => self.formula(inline, element),
            REFERENCE => inline.run.piece(format!("[^{}]", tag.value("label"))),
            _ if tag.is & element::UNREAD != 0 => {}
            _ if tag.is & element::CODE != 0 => self.code(inline, children),
            _ if tag.is & element::ITALIC != 0 => self.emphasized(inline, children, "*", "em"),
            _ if tag.is & element::STRONG != 0 => self.emphasized(inline, children, "**", "strong"),
            _ if tag.is & element::DELETED != 0 => self.emphasized(inline, children, "~~", "del"),
            _ if tag.named & class::MATH != 0 => self.formula(inline, element),
            "span" if tag.named & class::CODE != 0 => self.code(inline, children),
            _ if tag.is & element::BLOCK != 0 => {
                inline.run.text(" ");
                self.add_heading(inline, element);
                inline.run.text(" ");
            }
            "q" => {
                inline.text("“");
                self.add(inline, children);
                inline.text("”");
            }
            _ => self.add(inline, children),
        }
    }

    /// What a heading holds, inside of the links around it that go into it.
    pub fn add_heading(&mut self, inline: &mut Inline, heading: u32) {
        let links = self.links_into(heading);
        self.add_linked(inline, &links, self.document.children(heading));
    }

    /// Nodes inside of links, the innermost first.
    fn add_linked(&mut self, inline: &mut Inline, links: &[u32], nodes: &[Node]) {
        let Some((outermost, rest)) = links.split_last() else {
            return self.add(inline, nodes);
        };
        let tag = self.document.tag(*outermost);
        self.hoisted(inline, nodes, |writer, inline| {
            writer.linked_to(inline, tag, |writer, inline| writer.add_linked(inline, rest, nodes));
        });
    }

    /// A link. One inside of another is its text.
    fn anchor(&mut self, inline: &mut Inline, tag: &Tag, children: &[Node]) {
        self.linked_to(inline, tag, |writer, inline| writer.add(inline, children));
    }

    fn linked_to(&mut self, inline: &mut Inline, tag: &Tag, add: impl FnOnce(&mut Self, &mut Inline)) {
        let reference = tag.get("href").filter(|_| !inline.link);
        let destination = reference.map(|reference| self.links.destination(reference));
        let Some(destination) = destination.filter(|destination| !destination.is_empty()) else {
            return add(self, inline);
        };
        let number = inline.run.open("[", format!("]({destination})"), "");
        inline.link = true;
        add(self, inline);
        inline.link = false;
        inline.run.close(number);
    }

    /// Emphasis; inside of the same emphasis it is nothing.
    fn emphasized(&mut self, inline: &mut Inline, children: &[Node], mark: &'static str, tag: &'static str) {
        if inline.emphasis.contains(&mark) {
            return self.add(inline, children);
        }
        inline.emphasis.push(mark);
        let number = inline.run.open(mark, mark, tag);
        self.add(inline, children);
        inline.run.close(number);
        inline.emphasis.retain(|own| *own != mark);
    }

    /// A code span.
    pub fn code(&mut self, inline: &mut Inline, children: &[Node]) {
        if let [Node::Text(text)] = *children {
            return inline.code_text(self.document.text(text));
        }
        let text = raw_text(self.document, children);
        if !self.is_composed(children) {
            return inline.code_text(&text);
        }
        match self.main_link(children, &text) {
            Some(link) if !inline.link => self.linked_code(inline, &text, self.document.tag(link)),
            _ => self.composed_code(inline, children),
        }
    }

    fn linked_code(&mut self, inline: &mut Inline, text: &str, link: &Tag) {
        let destination = self.links.destination(link.value("href"));
        if destination.is_empty() {
            return inline.code_text(text);
        }
        let number = inline.run.open("[", format!("]({destination})"), "");
        inline.code_text(text);
        inline.run.close(number);
    }

    /// The one link in code that is at least half of it: the code is then linked as a whole.
    fn main_link(&self, children: &[Node], text: &str) -> Option<u32> {
        let document = self.document;
        let mut only = None;
        let other = find(document, children, &mut |own, tag| {
            let is_other = tag.name == "br" || (only.is_some() && is_part(tag));
            if !is_other && is_part(tag) {
                only = Some(own);
            }
            is_other
        });
        let held = length(&raw_text(document, document.children(only?)));
        (other.is_none() && 2 * held >= length(strip(text))).then_some(only?)
    }

    /// Code that holds links or line breaks is several spans, so that these stay what they are.
    fn composed_code(&mut self, inline: &mut Inline, nodes: &[Node]) {
        let document = self.document;
        let mut between = String::new();
        for node in nodes {
            match *node {
                Node::Text(text) => between.push_str(document.text(text)),
                Node::Element(element) => {
                    let (tag, children) = (document.tag(element), document.children(element));
                    let is_part = is_part(tag);
                    if !is_part && !self.is_composed(children) {
                        push_text(document, children, &mut between);
                        continue;
                    }
                    inline.code_text(&between);
                    between.clear();
                    if is_part {
                        self.code_part(inline, tag, children);
                    } else {
                        self.composed_code(inline, children);
                    }
                }
            }
        }
        inline.code_text(&between);
    }

    fn code_part(&mut self, inline: &mut Inline, tag: &Tag, children: &[Node]) {
        if tag.name == "br" {
            return inline.run.line_break();
        }
        let text = raw_text(self.document, children);
        if inline.link || tag.get("href").is_none() {
            inline.code_text(&text);
        } else {
            self.linked_code(inline, &text, tag);
        }
    }

    /// Whether there is a link or a line break below.
    fn is_composed(&self, nodes: &[Node]) -> bool {
        nodes.iter().any(|node| match *node {
            Node::Element(element) => {
                is_part(self.document.tag(element)) || self.is_composed(self.document.children(element))
            }
            Node::Text(_) => false,
        })
    }

    /// An image; where it leads nowhere, what it shows.
    fn image(&mut self, inline: &mut Inline, tag: &Tag) {
        let alt = one_line(tag.value("alt"));
        let source = image_source(tag);
        if !source.is_empty() {
            let destination = self.links.destination(source);
            if !destination.is_empty() {
                return inline.run.piece(format!("![{}]({destination})", escaped_alt(&alt)));
            }
        }
        inline.run.text(&alt);
    }

    /// `sup` and `sub`; a lone link in one is a reference, not a power.
    fn raised(&mut self, inline: &mut Inline, name: &str, children: &[Node]) {
        let document = self.document;
        let is_content = |node: &&Node| !matches!(node, Node::Text(text) if is_blank(document.text(*text)));
        let mut only = children.iter().filter(is_content);
        if let (Some(Node::Element(element)), None) = (only.next(), only.next()) {
            if document.tag(*element).name == "a" {
                return self.add(inline, children);
            }
        }
        let number = inline.run.open(format!("<{name}>"), format!("</{name}>"), "");
        self.add(inline, children);
        inline.run.close(number);
    }

    /// A formula, as its TeX.
    fn formula(&mut self, inline: &mut Inline, element: u32) {
        let document = self.document;
        let tex = is_math(document, element).then(|| tex_of(document, element)).flatten();
        match tex.filter(|tex| !tex.is_empty()) {
            Some(tex) => inline.run.piece(format!("${}$", one_line(&tex))),
            None if document.tag(element).name != TEX => self.add(inline, document.children(element)),
            None => {}
        }
    }
}

/// A box of a task list.
fn check_box(inline: &mut Inline, tag: &Tag) {
    if tag.value("type").to_lowercase() == "checkbox" {
        let is_checked = tag.get("checked").is_some();
        inline.run.piece(if is_checked { "[x]" } else { "[ ]" }.to_owned());
        inline.run.text(" ");
    }
}

fn is_part(tag: &Tag) -> bool {
    tag.name == "br" || (tag.name == "a" && tag.get("href").is_some())
}
