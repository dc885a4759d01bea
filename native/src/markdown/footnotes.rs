//! Footnotes: notes and what refers to them. Twin of `footnotes.py`, which says the rules.

use crate::html::tag::Tag;
use crate::html::tree::{Document, Node};
use crate::html::walk::{find, raw_text};
use crate::spaces::{is_space, strip};
use crate::tables::{class, Tables};
use rustc_hash::{FxHashMap, FxHashSet};
use std::borrow::Cow;

pub const NOTE: &str = "#note";
pub const REFERENCE: &str = "#reference";

/// What becomes a note, and what it stands in: the list, or the list of terms, is one no more.
struct Note {
    element: u32,
    holder: Option<u32>,
}

/// The notes of a page by the ids they have, in the order in which they were found.
#[derive(Default)]
struct Notes {
    by_name: FxHashMap<String, usize>,
    all: Vec<Note>,
}

impl Notes {
    fn add(&mut self, name: &str, element: u32, holder: Option<u32>) {
        if !self.by_name.contains_key(name) {
            self.by_name.insert(name.to_owned(), self.all.len());
            self.all.push(Note { element, holder });
        }
    }
}

/// The labels of the notes that are referred to, in the order of their first references.
#[derive(Default)]
struct Labels {
    of: FxHashMap<String, String>,
    order: Vec<String>,
    taken: FxHashSet<String>,
}

impl Labels {
    /// The label of a note; a new one where a reference is the first to it.
    fn label(&mut self, name: &str, said: &str) -> String {
        if let Some(label) = self.of.get(name) {
            return label.clone();
        }
        let label =
            if self.taken.contains(said) { format!("{said}-{}", self.of.len()) } else { said.to_owned() };
        self.taken.insert(label.clone());
        self.of.insert(name.to_owned(), label.clone());
        self.order.push(name.to_owned());
        label
    }
}

/// Make footnotes of notes and of what refers to them.
pub fn join_footnotes(document: &mut Document, roots: &[u32], tables: &Tables) {
    let mut notes = Notes::default();
    for root in roots {
        for element in with_all_in(document, *root) {
            let tag = document.tag(element);
            if tag.named & class::NOTE_HOLDER != 0 || tag.role() == "doc-endnotes" {
                gather(document, element, &mut notes);
            }
        }
    }
    if notes.all.is_empty() {
        return;
    }
    let mut labels = Labels::default();
    for root in roots {
        refer(document, *root, &notes, &mut labels, tables);
    }
    for name in &labels.order {
        settle(document, notes.all[notes.by_name[name]].element, &labels.of[name], tables);
    }
    let mut seen = FxHashSet::default();
    for holder in notes.all.iter().filter_map(|note| note.holder) {
        if seen.insert(holder) {
            open(document, holder, tables);
        }
    }
}

/// The blocks of a note as one block.
pub fn written_note(label: &str, blocks: Vec<String>) -> Vec<String> {
    if blocks.is_empty() {
        return blocks;
    }
    let text = blocks.join("\n\n");
    let mut lines = text.trim_end_matches('\u{a0}').split('\n');
    let first = lines.next().unwrap_or("");
    let mut note = format!("[^{label}]: {first}");
    if !first.contains(' ') {
        note.push_str(" &#32;"); // a lone word would make it the definition of a link
    }
    for line in lines {
        note.push_str(if line.is_empty() { "\n" } else { "\n    " });
        note.push_str(line);
    }
    vec![note]
}

fn with_all_in(document: &Document, element: u32) -> Vec<u32> {
    let mut all = vec![element];
    find(document, document.children(element), &mut |own, _| {
        all.push(own);
        false
    });
    all
}

/// The notes that an element holds, or the one that it is.
fn gather(document: &Document, holder: u32, notes: &mut Notes) {
    let tag = document.tag(holder);
    if let ("aside" | "div", Some(id)) = (tag.name, tag.id()) {
        if !id.is_empty() {
            notes.add(id, holder, None);
        }
    }
    for within in with_all_in(document, holder) {
        if !matches!(document.tag(within).name, "ol" | "ul" | "dl") {
            continue;
        }
        let mut term = "";
        for node in document.children(within) {
            let Node::Element(child) = *node else {
                continue;
            };
            let tag = document.tag(child);
            match (tag.name, tag.id()) {
                ("li", Some(id)) if !id.is_empty() => notes.add(id, child, Some(within)),
                ("dt", id) => term = id.unwrap_or(""),
                ("dd", _) if !term.is_empty() => {
                    notes.add(term, child, Some(within));
                    term = "";
                }
                _ => {}
            }
        }
    }
}

/// Put references in the place of links to notes; not in code.
fn refer(document: &mut Document, element: u32, notes: &Notes, labels: &mut Labels, tables: &Tables) {
    let mut children = document.children(element).to_vec();
    let mut changed = false;
    for child in &mut children {
        let Node::Element(own) = *child else { continue };
        if matches!(document.tag(own).name, "pre" | "code") {
            continue;
        }
        let name = target(document, own).to_owned();
        let text = raw_text(document, document.children(own));
        let said = if notes.by_name.contains_key(&name) { label_in(strip(&text)) } else { None };
        let Some(said) = said else {
            refer(document, own, notes, labels, tables);
            continue;
        };
        let mut tag = Tag::plain(REFERENCE, tables);
        tag.attrs.push(("label", Cow::Owned(labels.label(&name, said))));
        let text = document.add_text(text);
        *child = document.add_element(tag, &[text]);
        changed = true;
    }
    if changed {
        document.set_children(element, &children);
    }
}

/// The place on this page that a link, or a `sup` around one, leads to.
fn target<'d>(document: &'d Document, element: u32) -> &'d str {
    let link = match document.tag(element).name {
        "sup" => find(document, document.children(element), &mut |_, tag| tag.name == "a"),
        _ => Some(element),
    };
    let link = link.map(|link| document.tag(link)).filter(|tag| tag.name == "a");
    link.and_then(|tag| tag.value("href").strip_prefix('#')).unwrap_or("")
}

/// The label that a whole text is, brackets around it left out.
fn label_in(text: &str) -> Option<&str> {
    let label = text.trim_start_matches(['[', '(']).trim_end_matches([']', ')']);
    let is_label = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
    ((1..=20).contains(&label.len()) && label.bytes().all(is_label)).then_some(label)
}

fn settle<'a>(document: &mut Document<'a>, element: u32, label: &str, tables: &Tables) {
    without_label(document, element, label);
    for inner in with_all_in(document, element) {
        let children = document.children(inner);
        let kept: Vec<Node> =
            children.iter().copied().filter(|child| !leads_back(document, *child)).collect();
        if kept.len() < children.len() {
            document.set_children(inner, &kept);
        }
    }
    document.rename(element, NOTE, tables);
    document.set_attribute(element, "label", label.to_owned());
}

/// A list that holds footnotes is none any more, and the terms that were their labels go.
fn open(document: &mut Document, holder: u32, tables: &Tables) {
    let name = |node: &Node| match *node {
        Node::Element(element) => document.tag(element).name,
        Node::Text(_) => "",
    };
    let children = document.children(holder);
    if !children.iter().any(|child| name(child) == NOTE) {
        return;
    }
    let mut kept = Vec::with_capacity(children.len());
    let mut terms = Vec::new();
    for child in children {
        match name(child) {
            "" => {}
            "dt" => terms.push(*child),
            NOTE => {
                terms.clear();
                kept.push(*child);
            }
            _ => {
                kept.append(&mut terms);
                kept.push(*child);
            }
        }
    }
    document.rename(holder, "div", tables);
    document.set_children(holder, &kept);
}

/// Take a note's label from its start: `1. ` and `[1]`, links back.
fn without_label(document: &mut Document, element: u32, label: &str) {
    let children = document.children(element).to_vec();
    for (place, child) in children.iter().enumerate() {
        let own = match *child {
            Node::Text(text) if matches!(strip(document.text(text)), "" | "[" | "(") => continue,
            Node::Text(_) => return,
            Node::Element(own) => own,
        };
        let said = raw_text(document, document.children(own));
        if label_in(strip(&said)) != Some(label) {
            return without_label(document, own, label);
        }
        let mut rest = children[place + 1..].to_vec();
        if let Some(Node::Text(text)) = rest.first().copied() {
            let after = document.text(text).trim_start_matches([']', ')']);
            let after = after.strip_prefix('.').unwrap_or(after).trim_start_matches(is_space).to_owned();
            rest[0] = document.add_text(after);
        }
        return document.set_children(element, &rest);
    }
}

fn leads_back(document: &Document, node: Node) -> bool {
    let Node::Element(element) = node else {
        return false;
    };
    let tag = document.tag(element);
    tag.named & class::BACK != 0 || tag.role() == "doc-backlink" || tag.get("data-footnote-backref").is_some()
}
