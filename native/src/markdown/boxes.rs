//! Boxes of documentation: admonitions, details, tabs with their labels. Twin of `boxes.py`.

use crate::ask::Ask;
use crate::html::tag::Tag;
use crate::html::tree::{Document, Node};
use crate::html::walk::{find, text_of};
use crate::markdown::escaping::escape_line_start;
use crate::markdown::writer::{Writer, MAX_NESTING};
use crate::spaces::{is_blank, strip};
use crate::tables::{class, element, Tables};

impl Writer<'_, '_, '_, '_, '_> {
    /// Whether an element is a note, a warning, or one of their kin.
    pub fn is_admonition(&self, tag: &Tag) -> bool {
        tag.is & element::BOXED != 0
            && tag.has_names
            && (tag.named & class::FAMILY != 0
                || tag.classes().any(|name| name.starts_with("theme-admonition")))
    }

    /// An admonition as a quote that begins with its title.
    pub fn admonition(&mut self, element: u32, depth: usize) -> Vec<String> {
        let document = self.document;
        let children = document.children(element);
        let in_table = if document.tag(element).has("admonitionblock") {
            title_in_table(document, children)
        } else {
            None
        };
        let (mut line, mut rest) = (String::new(), children.to_vec());
        if let Some((title, content)) = in_table {
            rest = document.children(content).to_vec();
            line = self.line_of(|_, inline| inline.text(&title), " ");
        } else if let Some((place, title)) = title_of(document, children) {
            rest.remove(place);
            line = self.line(document.children(title), " ");
        }
        line = strip(&line).to_owned();
        let mut body = self.blocks(&rest, depth + 1);
        if let (true, Some(first)) = (line.is_empty(), body.first()) {
            let tag = document.tag(element);
            let kind = self.tables.lists.kinds.iter().find(|kind| says(tag, kind));
            if let Some(kind) = kind.filter(|kind| !first.to_lowercase().starts_with(kind.as_str())) {
                line = kind[..1].to_uppercase() + &kind[1..];
            }
        }
        let mut blocks = Vec::from_iter((!line.is_empty()).then(|| strong(line, self.ask)));
        blocks.append(&mut body);
        if depth < MAX_NESTING {
            quoted(blocks)
        } else {
            blocks
        }
    }

    /// `details`: the summary in bold, then what it hides.
    pub fn details(&mut self, element: u32, depth: usize) -> Vec<String> {
        let document = self.document;
        let is_summary =
            |node: &Node| matches!(*node, Node::Element(own) if document.tag(own).name == "summary");
        let mut rest = document.children(element).to_vec();
        let place = rest.iter().position(is_summary);
        let summary = place.map(|place| rest.remove(place));
        let mut blocks = Vec::new();
        if let Some(Node::Element(summary)) = summary {
            let children = document.children(summary);
            if self.hold_block(children) {
                blocks = self.blocks(children, depth);
            } else {
                let line = strip(&self.line(children, " ")).to_owned();
                blocks.extend((!line.is_empty()).then(|| strong(line, self.ask)));
            }
        }
        blocks.append(&mut self.blocks(&rest, depth));
        blocks
    }
}

/// Blocks as one quote.
pub fn quoted(blocks: Vec<String>) -> Vec<String> {
    if blocks.is_empty() {
        return blocks;
    }
    let text = blocks.join("\n\n");
    let mut quote = String::with_capacity(text.len() + text.len() / 16 + 8);
    for (place, line) in text.split('\n').enumerate() {
        quote.push_str(if place > 0 { "\n>" } else { ">" });
        if !line.is_empty() {
            quote.push(' ');
            quote.push_str(line);
        }
    }
    vec![quote]
}

/// The title that an admonition begins with, and its place.
fn title_of(document: &Document, children: &[Node]) -> Option<(usize, u32)> {
    let elements = children.iter().enumerate();
    let (place, first) = elements
        .filter_map(|(place, node)| if let Node::Element(own) = node { Some((place, *own)) } else { None })
        .next()?;
    let tag = document.tag(first);
    let is_named =
        || tag.named & class::TITLE != 0 || tag.classes().any(|name| name.starts_with("admonitionHeading"));
    let is_title = match tag.name {
        "p" | "div" | "strong" => is_named(),
        name => name == "summary",
    };
    is_title.then_some((place, first))
}

/// AsciiDoc lays its admonitions out as a table: an icon, which may be a picture, and the content.
fn title_in_table(document: &Document, children: &[Node]) -> Option<(String, u32)> {
    let cell = |name: &str| find(document, children, &mut |_, tag| tag.name == "td" && tag.has(name));
    let (icon, content) = (cell("icon")?, cell("content")?);
    let icon = document.children(icon);
    let text = text_of(document, icon);
    if !text.is_empty() {
        return Some((text, content));
    }
    let mut label = String::new();
    find(document, icon, &mut |_, tag| {
        let own = tag.get("title").filter(|title| !title.is_empty()).unwrap_or(tag.value("alt"));
        label = own.to_owned();
        !label.is_empty()
    });
    Some((label, content))
}

fn says(tag: &Tag, kind: &str) -> bool {
    let ends = |name: &str| name.strip_suffix(kind).is_some_and(|before| before.ends_with('-'));
    tag.classes().any(|name| name == kind || ends(name)) || tag.id().is_some_and(ends)
}

fn strong(line: String, ask: &Ask) -> String {
    if line.contains('*') {
        escape_line_start(line, ask)
    } else {
        format!("**{line}**")
    }
}

/// Whether a page has tabs at all.
pub fn has_tabs(document: &Document, tables: &Tables) -> bool {
    document.tags.iter().any(|tag| {
        let classes = tag.value("class");
        tag.role() == "tablist" || tables.lists.tabbed.iter().any(|name| classes.contains(name.as_str()))
    })
}

/// Put each tab's label at the head of its panel, in place of the bar of tabs.
pub fn label_tabs(document: &mut Document, root: u32, tables: &Tables) {
    let mut elements = vec![root];
    find(document, document.children(root), &mut |own, _| {
        elements.push(own);
        false
    });
    for element in elements {
        if document.tag(element).has("sd-tab-set") {
            label_each(document, element, tables);
        } else {
            label_bars(document, element, tables);
        }
    }
}

fn label_bars(document: &mut Document, parent: u32, tables: &Tables) {
    let mut children = document.children(parent).to_vec();
    let is_own = |place: &usize| is_bar(document, children[*place], parent);
    let bars: Vec<usize> = (0..children.len()).filter(is_own).collect();
    let mut matched = Vec::new();
    for (at, bar) in bars.iter().enumerate() {
        let end = bars.get(at + 1).copied().unwrap_or(children.len());
        if label(document, children[*bar], &children[bar + 1..end], tables) {
            matched.push(*bar);
        }
    }
    if !matched.is_empty() {
        for bar in matched.into_iter().rev() {
            children.remove(bar);
        }
        document.set_children(parent, &children);
    }
}

/// The panels of a bar stand between it and the next; a bar that does not match them stays.
fn label(document: &mut Document, bar: Node, between: &[Node], tables: &Tables) -> bool {
    let Node::Element(bar) = bar else {
        return false;
    };
    let mut tabs = Vec::new();
    find(document, document.children(bar), &mut |own, tag| {
        if tag.role() == "tab" || tag.name == "label" {
            tabs.push(own);
        }
        false
    });
    let mut panels = Vec::new();
    gather_panels(document, between, &mut panels);
    if tabs.is_empty() || tabs.len() != panels.len() {
        return false;
    }
    for (tab, panel) in tabs.into_iter().zip(panels) {
        let text = text_of(document, document.children(tab));
        let mut children = vec![paragraph(document, text, tables)];
        children.extend_from_slice(document.children(panel));
        document.set_children(panel, &children);
    }
    true
}

/// Labels that stand before their panels one by one (sphinx-design).
fn label_each(document: &mut Document, parent: u32, tables: &Tables) {
    let mut children = document.children(parent).to_vec();
    for child in &mut children {
        if let Node::Element(own) = *child {
            if document.tag(own).name == "label" {
                let text = text_of(document, document.children(own));
                *child = paragraph(document, text, tables);
            }
        }
    }
    document.set_children(parent, &children);
}

/// A bar of tabs, or a box that holds nothing else.
fn is_bar(document: &Document, node: Node, parent: u32) -> bool {
    let (mut node, mut parent) = (node, parent);
    while let Node::Element(own) = node {
        let tag = document.tag(own);
        if tag.role() == "tablist" || tag.has("tabbed-labels") {
            return true;
        }
        if document.tag(parent).has("vp-code-group") {
            return tag.has("tabs");
        }
        let is_content = |node: &&Node| !matches!(node, Node::Text(text) if is_blank(document.text(*text)));
        let mut inner = document.children(own).iter().filter(is_content);
        match (inner.next(), inner.next()) {
            (Some(only), None) => (parent, node) = (own, *only),
            _ => return false,
        }
    }
    false
}

/// The outermost panels.
fn gather_panels(document: &Document, nodes: &[Node], panels: &mut Vec<u32>) {
    for node in nodes {
        let Node::Element(own) = *node else { continue };
        let tag = document.tag(own);
        let children = document.children(own);
        if tag.role() == "tabpanel" || tag.has("tabbed-block") {
            panels.push(own);
        } else if tag.has("blocks") {
            // of VitePress, whose panels have no name
            panels.extend(children.iter().filter_map(|node| {
                if let Node::Element(own) = node {
                    Some(*own)
                } else {
                    None
                }
            }));
        } else {
            gather_panels(document, children, panels);
        }
    }
}

fn paragraph<'a>(document: &mut Document<'a>, label: String, tables: &Tables) -> Node {
    let text = document.add_text(label);
    let strong = document.add_element(Tag::plain("strong", tables), &[text]);
    document.add_element(Tag::plain("p", tables), &[strong])
}
