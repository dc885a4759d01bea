//! What is taken out of the content before it is written. Twin of `prune.py`, which says the rules.

use crate::ask::Ask;
use crate::html::head::target_of;
use crate::html::main_content::MainContent;
use crate::html::tag::Tag;
use crate::html::tree::{Document, Node};
use crate::html::walk::{find, has, raw_text, text_length};
use crate::spaces::{length, strip};
use crate::tables::{class, element, Tables};
use rustc_hash::FxHashSet;
use std::borrow::Cow;

/// A bit of `Ask::named_after`: named after furniture.
pub const FURNITURE: u8 = 1;

/// Whether such an element could be taken out on any page; what it holds may still keep it.
pub fn is_doubtful(tag: &mut Tag, ask: &Ask) -> bool {
    if tag.is & (element::CONTROL | element::GENERIC) != 0 {
        tag.after = if tag.is & element::BOX != 0 { named_after(tag, ask) } else { 0 };
        return true;
    }
    if tag.attrs.is_empty() {
        return false;
    }
    if tag.is & element::BOX != 0 && tag.has_names {
        tag.after = named_after(tag, ask);
    }
    (tag.name == "a" && tag.value("href").contains('#'))
        || tag.get("hidden").is_some()
        || tag.get("aria-hidden").is_some()
        || ask.tables().lists.roles.iter().any(|role| role == tag.role())
        || tag.named & class::DROPPED != 0
        || tag.after != 0
}

fn named_after(tag: &Tag, ask: &Ask) -> u8 {
    let (classes, id) = (tag.value("class"), tag.value("id"));
    if length(classes) + length(id) >= 400 {
        return 0;
    }
    let of = |names: &str| {
        if names.is_empty() {
            0
        } else {
            ask.named_after(names)
        }
    };
    of(classes) | of(id)
}

/// Take what is no content out of the main elements.
pub fn prune(document: &mut Document, main: &MainContent, tables: &Tables) {
    for place in &main.places {
        let pruner = Pruner {
            document,
            tables,
            main,
            half: if main.known() { 0 } else { text_length(document, document.children(place.element)) / 2 },
        };
        let doubts = document.doubts.iter().filter(|doubt| {
            place.start <= doubt.start && doubt.start < place.end && doubt.element != place.element
        });
        let mut gone = FxHashSet::default();
        let mut parents = Vec::new();
        for doubt in doubts {
            let own = own_of(document.tag(doubt.parent).name);
            if own != document.tag(doubt.element).name && pruner.is_chrome(doubt.element) {
                gone.insert(doubt.element);
                parents.push(doubt.parent);
            }
        }
        let mut seen = FxHashSet::default();
        parents.retain(|parent| seen.insert(*parent));
        // In document order: what is inside of something dropped is there until that is.
        for parent in parents {
            let mut kept = Vec::new();
            for node in document.children(parent).to_vec() {
                match node {
                    Node::Element(element) if gone.contains(&element) => {
                        add_targets(document, element, &mut kept, tables);
                    }
                    other => kept.push(other),
                }
            }
            document.set_children(parent, &kept);
        }
    }
}

/// What an element may hold that is no chrome there: a quote names its author, code has links.
fn own_of(parent: &str) -> &'static str {
    match parent {
        "blockquote" => "footer",
        "pre" | "code" => "a",
        _ => "",
    }
}

struct Pruner<'d, 'a> {
    document: &'d Document<'a>,
    tables: &'d Tables,
    main: &'d MainContent<'d>,
    half: usize,
}

impl<'d, 'a> Pruner<'d, 'a> {
    fn is_chrome(&self, element: u32) -> bool {
        let tag = self.document.tag(element);
        if tag.is & element::CONTROL != 0 {
            return tag.role() != "tab";
        }
        if tag.get("hidden").is_some_and(|hidden| hidden != "until-found") && !is_tab_panel(tag) {
            return true;
        }
        if self.tables.lists.roles.iter().any(|role| role == tag.role()) {
            return true;
        }
        if tag.named & class::CHROME != 0 || self.main.drop.iter().any(|name| tag.has(name)) {
            return !self.is_wrapper(element);
        }
        if tag.name == "a" {
            return self.is_permalink(element);
        }
        if tag.get("aria-hidden") == Some("true") && matches!(tag.name, "i" | "div") {
            return true;
        }
        !self.main.known() && self.is_generic_chrome(element)
    }

    fn is_generic_chrome(&self, element: u32) -> bool {
        let tag = self.document.tag(element);
        match tag.name {
            "footer" => return self.text_length(element) <= self.half,
            "aside" => return self.is_mostly_links(element) && self.text_length(element) <= self.half,
            "header" => return !self.holds(element, |tag| tag.is & element::HEADING != 0),
            _ => {}
        }
        let named = tag.after & FURNITURE != 0 || (tag.after != 0 && self.is_mostly_links(element));
        tag.is & element::BOX != 0
            && named
            && !self.holds(element, |tag| matches!(tag.name, "pre" | "h1"))
            && self.text_length(element) <= self.half
    }

    fn text_length(&self, element: u32) -> usize {
        text_length(self.document, self.document.children(element))
    }

    fn holds(&self, element: u32, wanted: impl Fn(&Tag) -> bool) -> bool {
        has(self.document, self.document.children(element), wanted)
    }

    fn is_mostly_links(&self, element: u32) -> bool {
        let mut linked = 0;
        find(self.document, self.document.children(element), &mut |inner, tag| {
            if tag.name == "a" {
                linked += self.text_length(inner);
            }
            false
        });
        2 * linked >= self.text_length(element)
    }

    /// A permalink's class on what holds the heading itself (GitHub, Hugo): that is the heading.
    fn is_wrapper(&self, element: u32) -> bool {
        self.document.tag(element).name == "a" && self.holds(element, |tag| tag.is & element::HEADING != 0)
    }

    fn is_permalink(&self, element: u32) -> bool {
        let tag = self.document.tag(element);
        if !tag.value("href").contains('#') {
            return false;
        }
        let text = raw_text(self.document, self.document.children(element));
        let text = strip(&text);
        if self.tables.lists.marks.iter().any(|mark| mark == text)
            || (text == "link" && tag.named & class::PERMALINK != 0)
        {
            return true;
        }
        text.is_empty() && !self.holds(element, |tag| tag.name == "img")
    }
}

/// What is left of a permalink: the places that it is itself the target of (node's `<a id=x href=#x>`).
fn add_targets(document: &mut Document, element: u32, kept: &mut Vec<Node>, tables: &Tables) {
    if !matches!(document.tag(element).name, "a" | "span") {
        return;
    }
    let mut targets = Vec::from_iter(target_of(document.tag(element)));
    find(document, document.children(element), &mut |_, tag| {
        targets.extend(target_of(tag));
        false
    });
    for target in targets {
        let mut tag = Tag::plain("a", tables);
        tag.attrs.push(("id", Cow::Owned(target)));
        kept.push(document.add_element(tag, &[]));
    }
}

fn is_tab_panel(tag: &Tag) -> bool {
    let is_tab = |name: &str| name.to_lowercase().contains("tab");
    tag.role() == "tabpanel" || tag.classes().any(is_tab) || tag.id().is_some_and(is_tab)
}
