//! Small questions to the tree. Twin of `walk.py`; the tree is at most `MAX_DEPTH` deep.

use crate::html::tag::Tag;
use crate::html::tree::{Document, Node};
use crate::spaces::{length, one_line, strip};

/// Visit the elements below in document order until one is wanted.
pub fn find<'a>(
    document: &Document<'a>,
    nodes: &[Node],
    wanted: &mut dyn FnMut(u32, &Tag<'a>) -> bool,
) -> Option<u32> {
    nodes.iter().find_map(|node| match *node {
        Node::Element(element) if wanted(element, document.tag(element)) => Some(element),
        Node::Element(element) => find(document, document.children(element), wanted),
        Node::Text(_) => None,
    })
}

/// Whether an element below is wanted.
pub fn has<'a>(document: &Document<'a>, nodes: &[Node], wanted: impl Fn(&Tag<'a>) -> bool) -> bool {
    find(document, nodes, &mut |_, tag| wanted(tag)).is_some()
}

/// All text below, as it stands.
pub fn raw_text(document: &Document, nodes: &[Node]) -> String {
    let mut text = String::new();
    push_text(document, nodes, &mut text);
    text
}

pub fn push_text(document: &Document, nodes: &[Node], into: &mut String) {
    for node in nodes {
        match *node {
            Node::Text(text) => into.push_str(document.text(text)),
            Node::Element(element) => push_text(document, document.children(element), into),
        }
    }
}

/// All text below in one line.
pub fn text_of(document: &Document, nodes: &[Node]) -> String {
    match *nodes {
        [Node::Text(text)] => one_line(document.text(text)),
        _ => one_line(&raw_text(document, nodes)),
    }
}

/// How many characters of text are below, white space around them not counted.
pub fn text_length(document: &Document, nodes: &[Node]) -> usize {
    let lengths = nodes.iter().map(|node| match *node {
        Node::Text(text) => length(strip(document.text(text))),
        Node::Element(element) => text_length(document, document.children(element)),
    });
    lengths.sum()
}
