//! Lists: bullets, numbers, tasks, definitions. Twin of `lists.py`.

use crate::html::tag::Tag;
use crate::html::tree::Node;
use crate::html::walk::find;
use crate::markdown::escaping::{decimals, escape_line_start};
use crate::markdown::writer::{Writer, MAX_NESTING};
use crate::spaces::{is_blank, is_white, strip};
use crate::tables::{class, element};

const MAY_FOLLOW: [&str; 4] = ["- ", "* ", "1. ", "1) "];
/// The mark where what a term says ends.
const END: &str = "\0\0";
const LARGEST: u32 = 999_999_999;

struct Item {
    element: Option<u32>,
    blocks: Vec<String>,
}

/// What a definition list holds: a term, or what stands for what it says.
enum Entry {
    Term(u32),
    Said(u32),
    Loose(Node),
    /// For its anchor; what it holds follows.
    Box(u32),
}

impl Writer<'_, '_, '_, '_, '_> {
    /// A `ul` or `ol` as one block.
    pub fn listed(&mut self, element: u32, depth: usize) -> Vec<String> {
        if self.document.tag(element).name == "ul" && self.lays_out(element) {
            return self.items(element, depth).into_iter().flat_map(|item| item.blocks).collect();
        }
        let items = self.items(element, depth + 1);
        if depth >= MAX_NESTING {
            return items.into_iter().flat_map(|item| item.blocks).collect();
        }
        let document = self.document;
        let ordered = document.tag(element).name == "ol";
        let mut number = number_in(document.tag(element).get("start"), 1);
        let loose = items.iter().any(|item| self.is_loose(&item.blocks));
        let mut written = Vec::with_capacity(items.len());
        for item in items {
            if let (true, Some(element)) = (ordered, item.element) {
                number = number_in(document.tag(element).get("value"), number);
            }
            if !item.blocks.is_empty() {
                let mark = if ordered { format!("{number}. ") } else { "- ".to_owned() };
                written.push(self.indented(&mark, item.blocks, loose));
            }
            number = LARGEST.min(number + 1);
        }
        joined(written, loose)
    }

    /// A `dl` as one block.
    pub fn definition_list(&mut self, element: u32, depth: usize) -> Vec<String> {
        let document = self.document;
        let mut entries = Vec::new();
        self.gather_entries(document.children(element), &mut entries);
        let mut items: Vec<Vec<String>> = Vec::new();
        let mut marked: Vec<usize> = Vec::new();
        let mut follows_term = false;
        for entry in entries {
            if let Entry::Term(own) | Entry::Said(own) | Entry::Box(own) = entry {
                self.anchors.meet(document.tag(own));
            }
            let mut said = match entry {
                Entry::Box(_) => continue,
                Entry::Term(term) => {
                    let mut line = self.term(term, depth + 1);
                    if !follows_term || items.is_empty() {
                        items.push(Vec::new());
                        marked.push(0);
                    }
                    follows_term |= !line.is_empty();
                    if let (Some(first), true) = (line.first_mut(), self.is_named(term)) {
                        first.insert_str(0, &self.mark(term));
                        *marked.last_mut().unwrap_or(&mut 0) += 1;
                    }
                    items.last_mut().unwrap_or(&mut Vec::new()).append(&mut line);
                    continue;
                }
                Entry::Said(element) => self.blocks(document.children(element), depth + 1),
                Entry::Loose(node) => self.blocks(&[node], depth + 1),
            };
            match items.last_mut() {
                Some(last) => last.append(&mut said),
                None => {
                    items.push(said);
                    marked.push(0);
                }
            }
            follows_term = false;
        }
        for (item, count) in items.iter_mut().zip(marked) {
            if let Some(last) = item.last_mut() {
                last.push_str(&END.repeat(count));
            }
        }
        if depth >= MAX_NESTING {
            return items.into_iter().flatten().collect();
        }
        let items = items.into_iter().filter(|blocks| !blocks.is_empty());
        joined(items.map(|blocks| self.indented("- ", blocks, true)).collect(), true)
    }

    /// Blocks of which no list runs into the one before it.
    pub fn parted(&self, mut blocks: Vec<String>) -> Vec<String> {
        for at in 1..blocks.len() {
            let (before, block) = (&blocks[at - 1], &blocks[at]);
            let apart = if block.starts_with("- ") && before.starts_with("- ") {
                with_marks(block, |line| line.starts_with("- ").then_some((0, "*")))
            } else if self.numbered(block).is_some() && self.numbered(before).is_some() {
                with_marks(block, |line| self.numbered(line).map(|length| (length, ")")))
            } else {
                continue;
            };
            blocks[at] = apart;
        }
        blocks
    }

    /// How long the number is that a line of an ordered list begins with.
    fn numbered(&self, line: &str) -> Option<usize> {
        let (length, count) = decimals(line, self.ask);
        (count > 0 && line[length..].starts_with(". ")).then_some(length)
    }

    fn items(&mut self, element: u32, depth: usize) -> Vec<Item> {
        let document = self.document;
        let mut items = Vec::new();
        let mut stray = Vec::new();
        for child in document.children(element) {
            match *child {
                Node::Element(own) if document.tag(own).name == "li" => {
                    self.settle_stray(&mut stray, &mut items, depth);
                    self.anchors.meet(document.tag(own));
                    items.push(Item {
                        element: Some(own),
                        blocks: self.blocks(document.children(own), depth),
                    });
                }
                // no item: a list right inside a list, or loose text
                other => stray.push(other),
            }
        }
        self.settle_stray(&mut stray, &mut items, depth);
        items
    }

    fn settle_stray(&mut self, stray: &mut Vec<Node>, items: &mut Vec<Item>, depth: usize) {
        if stray.is_empty() {
            return;
        }
        let mut blocks = self.blocks(stray, depth);
        stray.clear();
        match items.last_mut() {
            _ if blocks.is_empty() => {}
            Some(last) => last.blocks.append(&mut blocks),
            None => items.push(Item { element: None, blocks }),
        }
    }

    fn lays_out(&self, element: u32) -> bool {
        let is_element = |node: &&Node| matches!(node, Node::Element(_));
        let mut items = self.document.children(element).iter().filter(is_element).peekable();
        items.peek().is_some()
            && items.all(|node| matches!(*node, Node::Element(item) if self.begins_with_heading(item, 4)))
    }

    /// Whether an item begins with a heading, in boxes or not.
    fn begins_with_heading(&self, item: u32, levels: usize) -> bool {
        let document = self.document;
        for node in document.children(item) {
            match *node {
                Node::Text(text) if is_white(document.text(text)) => {}
                Node::Text(_) => return false,
                Node::Element(own) => {
                    let is = document.tag(own).is;
                    if is & element::HEADING != 0
                        || (levels > 0
                            && is & element::HEADING_BOX != 0
                            && self.begins_with_heading(own, levels - 1))
                    {
                        return true;
                    }
                    if !document.children(own).is_empty() {
                        return false;
                    }
                }
            }
        }
        false
    }

    fn is_loose(&self, blocks: &[String]) -> bool {
        let Some((first, rest)) = blocks.split_first() else {
            return false;
        };
        let may_follow = |block: &String| MAY_FOLLOW.iter().any(|mark| block.starts_with(mark));
        !rest.iter().all(may_follow) || (!rest.is_empty() && first.contains("```") && !self.is_list(first))
    }

    fn is_list(&self, block: &str) -> bool {
        let (length, count) = decimals(block, self.ask);
        let number = &block[length..];
        block.starts_with("- ")
            || block.starts_with("* ")
            || (count > 0 && (number.starts_with(". ") || number.starts_with(") ")))
    }

    fn indented(&self, mark: &str, blocks: Vec<String>, loose: bool) -> String {
        let body = self.parted(blocks).join(if loose { "\n\n" } else { "\n" });
        let indent = " ".repeat(mark.len());
        let mut item = String::with_capacity(mark.len() + body.len() + body.len() / 8);
        item.push_str(mark);
        for (place, line) in body.split('\n').enumerate() {
            if place > 0 {
                item.push('\n');
                if !line.is_empty() {
                    item.push_str(&indent);
                }
            }
            item.push_str(line);
        }
        item
    }

    fn gather_entries(&self, nodes: &[Node], entries: &mut Vec<Entry>) {
        for node in nodes {
            match *node {
                Node::Element(element) => match self.document.tag(element).name {
                    "dt" => entries.push(Entry::Term(element)),
                    "dd" => entries.push(Entry::Said(element)),
                    "div" => {
                        entries.push(Entry::Box(element));
                        self.gather_entries(self.document.children(element), entries);
                    }
                    _ => entries.push(Entry::Loose(*node)),
                },
                Node::Text(text) if is_blank(self.document.text(text)) => {}
                Node::Text(_) => entries.push(Entry::Loose(*node)),
            }
        }
    }

    fn term(&mut self, term: u32, depth: usize) -> Vec<String> {
        let document = self.document;
        let children = document.children(term);
        if self.hold_block(children) {
            return self.blocks(children, depth);
        }
        let is_sign = |node: &Node| matches!(*node, Node::Element(own) if document.tag(own).named & class::SIGNATURE != 0);
        let is_signature = is_sign(&Node::Element(term)) || children.iter().any(is_sign);
        self.anchors.meet_all(document, term);
        let names = std::mem::take(&mut self.anchors.waiting);
        let line = if is_signature {
            self.line_of(|writer, inline| writer.code(inline, children), " ")
        } else {
            self.line(children, " ")
        };
        let line = strip(&line).to_owned(); // white space of any kind inside of `**` would make it plain text
        let Some(last) = line.chars().next_back() else {
            self.anchors.waiting = names;
            return Vec::new();
        };
        let anchors: String = names.iter().map(|name| self.anchors.written(name)).collect();
        let is_plain = !line.contains(['`', '*', '[', '<', '!', '\\']) && self.ask.is_alphanumeric(last);
        vec![match is_plain {
            true => format!("{anchors}**{line}**"),
            false if anchors.is_empty() => escape_line_start(line, self.ask),
            false => anchors + &line,
        }]
    }
}

impl Writer<'_, '_, '_, '_, '_> {
    /// Whether a term can be linked to.
    fn is_named(&self, term: u32) -> bool {
        let is_target = |tag: &Tag| tag.id().is_some() || (tag.name == "a" && tag.get("name").is_some());
        // A link around blocks counts as one in its heading: the reference moves it there.
        let is_named = |own: u32, tag: &Tag| {
            is_target(tag) || self.links_into(own).into_iter().any(|link| is_target(self.document.tag(link)))
        };
        is_target(self.document.tag(term))
            || find(self.document, self.document.children(term), &mut |own, tag| is_named(own, tag)).is_some()
    }
}

fn joined(items: Vec<String>, loose: bool) -> Vec<String> {
    if items.is_empty() {
        return items;
    }
    vec![items.join(if loose { "\n\n" } else { "\n" })]
}

/// A block with other marks: where in a line, and the character that replaces the one there.
fn with_marks(block: &str, mark: impl Fn(&str) -> Option<(usize, &'static str)>) -> String {
    let mut marked = String::with_capacity(block.len());
    for (place, line) in block.split('\n').enumerate() {
        if place > 0 {
            marked.push('\n');
        }
        match mark(line) {
            Some((at, character)) => marked.extend([&line[..at], character, &line[at + 1..]]),
            None => marked.push_str(line),
        }
    }
    marked
}

fn number_in(text: Option<&str>, default: u32) -> u32 {
    let text = strip(text.unwrap_or(""));
    let is_number = (1..=9).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit());
    if is_number {
        text.parse().unwrap_or(default)
    } else {
        default
    }
}
