//! The places of a page that can be linked to, in its Markdown. Twin of `anchors.py`, which says the rules.

use crate::ask::Ask;
use crate::html::tag::Tag;
use crate::html::tree::Document;
use crate::html::walk::find;
use crate::markdown::escaping::decimals;
use crate::spaces::{length, strip};
use crate::tables::{class, element};
use rustc_hash::{FxHashMap, FxHashSet};

const GITHUB: &str = "user-content-";
const LONGEST: usize = 300;

/// How anchors are written.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Style {
    Html,
    Attributes,
    None,
}

impl Style {
    /// By its name; anything else is HTML, as it is for the reference.
    pub fn of(name: &str) -> Self {
        match name {
            "attributes" => Style::Attributes,
            "none" => Style::None,
            _ => Style::Html,
        }
    }
}

/// The anchors of one page, in the order in which they are met; those that wait for the next text.
pub struct Anchors<'d, 'py, 'm> {
    pub waiting: Vec<String>,
    ask: &'d Ask<'py, 'm>,
    style: Style,
    seen: FxHashSet<String>,
    slugs: FxHashMap<String, usize>,
}

impl<'d, 'py, 'm> Anchors<'d, 'py, 'm> {
    pub fn new(style: Style, ask: &'d Ask<'py, 'm>) -> Self {
        Anchors { waiting: Vec::new(), ask, style, seen: FxHashSet::default(), slugs: FxHashMap::default() }
    }

    /// The anchors of an element wait for the next text.
    pub fn meet(&mut self, tag: &Tag) {
        let mut found = self.of(tag);
        self.waiting.append(&mut found);
    }

    /// Those of an element and of everything in it.
    pub fn meet_all(&mut self, document: &Document, element: u32) {
        self.meet(document.tag(element));
        find(document, document.children(element), &mut |_, tag| {
            self.meet(tag);
            false
        });
    }

    /// The anchors of an element that were not met before.
    pub fn of(&mut self, tag: &Tag) -> Vec<String> {
        let mut found = Vec::new();
        if tag.attrs.is_empty() || tag.is & element::ANCHORLESS != 0 {
            return found;
        }
        let name = if tag.name == "a" { tag.get("name") } else { None };
        if (tag.id().is_none() && name.is_none()) || tag.role() == "tabpanel" {
            return found;
        }
        for given in [tag.id(), name].into_iter().flatten() {
            let name = given.strip_prefix(GITHUB).unwrap_or(given);
            let lays_out =
                tag.is & element::ANCHOR_BOX != 0 && self.ask.tables().id(given) & class::PLACE != 0;
            if !self.seen.contains(name) && is_anchor(name, self.ask) && !lays_out {
                self.seen.insert(name.to_owned());
                found.push(name.to_owned());
            }
        }
        found
    }

    /// The waiting anchors, written; none wait afterwards.
    pub fn take(&mut self) -> String {
        self.waiting.drain(..).map(|name| written(self.style, &name)).collect()
    }

    /// What stands before and after the words of a heading.
    pub fn around_heading(&mut self, text: &str) -> (String, String) {
        let slug = self.slug(text);
        let mut names = std::mem::take(&mut self.waiting);
        names.retain(|name| *name != slug);
        let after = match names.first() {
            Some(first) if self.style == Style::Attributes && is_attribute(first) => {
                format!(" {{#{}}}", names.remove(0))
            }
            _ => String::new(),
        };
        (names.iter().map(|name| self.written(name)).collect(), after)
    }

    /// One anchor.
    pub fn written(&self, name: &str) -> String {
        written(self.style, name)
    }

    /// The id that a renderer gives to a heading: the second of a name is the first with a number.
    fn slug(&mut self, text: &str) -> String {
        let slug = if text.is_ascii() { heading_slug(text) } else { self.ask.heading_slug(text) };
        let count = self.slugs.entry(slug.clone()).or_default();
        let number = *count;
        *count += 1;
        if number > 0 {
            format!("{slug}-{number}")
        } else {
            slug
        }
    }
}

fn written(style: Style, name: &str) -> String {
    if style == Style::None {
        return String::new();
    }
    let mut anchor = String::with_capacity(name.len() + 13);
    anchor.push_str("<a id=\"");
    for c in name.chars() {
        match c {
            '&' => anchor.push_str("&amp;"),
            '"' => anchor.push_str("&quot;"),
            '<' => anchor.push_str("&lt;"),
            '>' => anchor.push_str("&gt;"),
            _ => anchor.push(c),
        }
    }
    anchor.push_str("\"></a>");
    anchor
}

/// GitHub's id of a heading that is ASCII.
fn heading_slug(text: &str) -> String {
    let mut slug = String::with_capacity(text.len());
    for c in strip(text).chars() {
        match c {
            'a'..='z' | '0'..='9' | '-' | '_' => slug.push(c),
            'A'..='Z' => slug.push(c.to_ascii_lowercase()),
            ' ' => slug.push('-'),
            _ => {}
        }
    }
    slug
}

fn is_anchor(name: &str, ask: &Ask) -> bool {
    let is_unfit = |c: char| matches!(c, '\0'..='\x1f' | '\x7f'..='\u{a0}');
    (1..=LONGEST).contains(&length(name))
        && !matches!(name, "top" | "_top")
        && !name.contains(is_unfit)
        && !name.starts_with(' ')
        && !name.ends_with(' ')
        && !is_machine_made(name, ask)
}

fn is_machine_made(name: &str, ask: &Ask) -> bool {
    const PREFIXES: [&str; 6] =
        ["sd-tab-item-", "sd-tab-set-", "MathJax-", "mjx-", "__docusaurus_skip", "skip-navbar"];
    if name == "__skip" || PREFIXES.iter().any(|prefix| name.starts_with(prefix)) {
        return true;
    }
    if let Some(rest) = name.strip_prefix("__") {
        let rest = ["codelineno", "span", "tabbed"].into_iter().find_map(|word| rest.strip_prefix(word));
        return rest.is_some_and(|rest| rest.starts_with(['-', '_']));
    }
    // The digits at the start, and what follows them; None where there are none.
    let number = |text: &'_ str| Some(decimals(text, ask).0).filter(|end| *end > 0);
    if let Some(rest) = name.strip_prefix("codecell") {
        return number(rest) == Some(rest.len()) && !rest.is_empty();
    }
    let Some(rest) = name.strip_prefix("cb") else {
        return false;
    };
    let Some(end) = number(rest) else {
        return false;
    };
    match rest[end..].strip_prefix('-') {
        Some(line) => number(line) == Some(line.len()),
        None => end == rest.len(),
    }
}

/// Whether `{#name}` is read as one.
fn is_attribute(name: &str) -> bool {
    !name.contains(['{', '}', '\\', '`', '*', '_', '<', '>', '[', ']', '|', ' '])
}
