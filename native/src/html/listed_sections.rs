//! The sections of a page in order. Twin of `listed_sections.py`, and of `anchors_for` in `core/page/section.py`.

use crate::ask::Ask;
use crate::html::api_names::{api_name, container_in};
use crate::html::section_outline::{Bounds, Outline};
use crate::html::tag::Tag;
use crate::html::text_v1::normalized;
use crate::html::tree::Document;
use crate::spaces::{length, strip, Squeezed};
use rustc_hash::{FxHashMap, FxHashSet};

/// A section; where `is_entry`, its name is the last of its path, else its title is.
pub struct ListedSection {
    pub anchor: String,
    /// The section around it, by its number.
    pub parent: Option<usize>,
    pub title: String,
    pub level: usize,
    pub kind: &'static str,
    pub name: Option<String>,
    pub text: String,
    /// The token that it begins at; None: what stands before the first.
    pub start: Option<usize>,
    pub is_entry: bool,
}

/// What a section is, by its tokens.
pub struct SectionFacts {
    /// The section around it.
    parent: Option<usize>,
    pub level: u8,
    pub names: Vec<String>,
    pub title: String,
    /// The name that its signature shows.
    pub shown: String,
    pub code: bool,
    text: String,
    kind: &'static str,
    start: usize,
}

impl SectionFacts {
    /// The name that it is linked by; empty where it has none.
    pub fn own(&self) -> &str {
        self.names.first().map_or("", String::as_str)
    }
}

/// The sections of a page of this title.
pub fn listed_sections(outline: &Outline, title: &str, ask: &Ask) -> Vec<ListedSection> {
    let (known, (text, kind)) = facts_of(outline, ask);
    let anchors = anchors_for(&known, ask);
    let apis = names(&known, &container_in(title, &descriptions(outline.document), ask), title, ask);
    let mut listed = Vec::with_capacity(known.len() + 1);
    if !text.is_empty() || known.is_empty() {
        listed.push(ListedSection {
            anchor: String::new(),
            parent: None,
            title: title.to_owned(),
            level: 0,
            kind,
            name: None,
            text,
            start: None,
            is_entry: false,
        });
    }
    let first = listed.len();
    for ((each, anchor), name) in known.into_iter().zip(anchors).zip(apis) {
        let parent = each.parent.map(|parent| parent + first);
        let is_named = name.as_deref().is_some_and(|name| !name.is_empty());
        let above = parent.map_or(0, |parent| listed[parent].level);
        listed.push(ListedSection {
            anchor,
            parent,
            title: each.title,
            level: if each.level > 0 { usize::from(each.level) } else { above + 1 },
            kind: if is_named { "api" } else { each.kind },
            name,
            text: each.text,
            start: Some(each.start),
            is_entry: is_named && each.level == 0,
        });
    }
    listed
}

/// The anchor of each section.
fn anchors_for(sections: &[SectionFacts], ask: &Ask) -> Vec<String> {
    let is_titled = sections.first().is_some_and(|section| section.level == 1);
    let mut first: FxHashMap<&str, usize> = FxHashMap::default();
    for (place, section) in sections.iter().enumerate().filter(|(_, section)| !section.own().is_empty()) {
        first.entry(section.own()).or_insert(place);
    }
    let mut used: FxHashSet<String> = FxHashSet::default();
    let mut counts: FxHashMap<String, usize> = FxHashMap::default();
    let mut anchors = Vec::with_capacity(sections.len());
    let mut bases: Vec<String> = Vec::with_capacity(sections.len());
    for (place, section) in sections.iter().enumerate() {
        let own = section.own();
        if first.get(own) == Some(&place) {
            anchors.push(own.to_owned());
            bases.push(own.to_owned());
            continue;
        }
        let mut base = match section.parent {
            _ if is_titled && (section.parent == Some(0) || place == 0) => String::new(),
            Some(parent) => format!("{}/", bases[parent]),
            None => (if is_titled { "/" } else { "" }).to_owned(),
        };
        let called = if own.is_empty() { ask.heading_slug(&section.title) } else { own.to_owned() };
        base.push_str(if called.is_empty() { "section" } else { &called });
        let (mut anchor, mut number) = (base.clone(), counts.get(&base).copied().unwrap_or(1));
        while first.contains_key(anchor.as_str()) || used.contains(&anchor) {
            number += 1;
            anchor = format!("{base}-{number}");
        }
        counts.insert(base.clone(), number);
        bases.push(base);
        used.insert(anchor.clone());
        anchors.push(anchor);
    }
    anchors
}

/// The qualified name of each section that is an API entry; `whole` is what the page is about, `page` its title.
fn names(sections: &[SectionFacts], whole: &str, page: &str, ask: &Ask) -> Vec<Option<String>> {
    let mut found: Vec<Option<String>> = Vec::with_capacity(sections.len());
    let mut named: Vec<Option<usize>> = Vec::with_capacity(sections.len()); // by which section, for what is in each
    for (number, each) in sections.iter().enumerate() {
        let outer = each.parent.and_then(|parent| named[parent]);
        let around = outer.and_then(|place| found[place].as_deref()).unwrap_or(whole);
        let is_nameless = each.level == 0 && each.shown.is_empty();
        let name = if is_nameless { None } else { api_name(each, around, page, ask) };
        let names_others = name.as_deref().is_some_and(|name| !name.is_empty());
        named.push(if names_others { Some(number) } else { outer });
        found.push(name);
    }
    found
}

/// What is known of the sections of a page, and the text and kind of what stands before the first.
fn facts_of(outline: &Outline, ask: &Ask) -> (Vec<SectionFacts>, (String, &'static str)) {
    let document = outline.document;
    let bounds = outline.listed();
    let parents = parents(&bounds);
    let mut parts = parts(outline, &bounds);
    let within = enclosures(document);
    let before = said(outline, &parts.pop().unwrap_or_default(), &within, ask);
    let facts = bounds.iter().zip(parents).zip(parts).map(|((each, parent), ranges)| {
        let tokens = each.start..outline.end[each.start];
        let (text, kind) = said(outline, &ranges, &within, ask);
        let is_signature = each.level == 0 && is_signature(document.token(each.start));
        SectionFacts {
            parent,
            level: each.level,
            names: outline.own_names(each),
            title: without_marks(&normalized(outline.title(each), ask), ask),
            shown: if is_signature { shown_name(document, tokens.clone()) } else { String::new() },
            code: tokens.clone().any(|at| matches!(document.token(at).name, "code" | "tt")),
            text,
            kind,
            start: each.start,
        }
    });
    (facts.collect(), before)
}

/// A title without permalinks' marks at its ends.
fn without_marks(title: &str, ask: &Ask) -> String {
    let marks = &ask.tables().lists.title_marks;
    title.trim_matches(|c| marks.contains(&c)).to_owned()
}

/// What the page says of itself.
fn descriptions<'d>(document: &'d Document) -> Vec<&'d str> {
    let metas = document.collected.iter().map(|at| document.token(*at)).filter(|tag| tag.name == "meta");
    metas
        .filter(|tag| tag.value("name").to_lowercase() == "description")
        .map(|tag| tag.value("content"))
        .collect()
}

/// The section that each is in.
fn parents(bounds: &[Bounds]) -> Vec<Option<usize>> {
    let mut parents = Vec::with_capacity(bounds.len());
    let mut around: Vec<usize> = Vec::new();
    for (place, each) in bounds.iter().enumerate() {
        while around.pop_if(|last| bounds[*last].end <= each.start).is_some() {}
        parents.push(around.last().copied());
        around.push(place);
    }
    parents
}

type Range = (usize, usize);

/// The ranges of tokens that are each section's own; the last are those of none.
fn parts(outline: &Outline, bounds: &[Bounds]) -> Vec<Vec<Range>> {
    let mut parts: Vec<Vec<Range>> = vec![Vec::new(); bounds.len() + 1];
    let Some((first, last)) = outline.page() else { return parts };
    let mut around: Vec<usize> = Vec::new();
    let mut at = first;
    let mut own = |until: usize, around: &[usize]| {
        if at < until {
            parts[around.last().copied().unwrap_or(bounds.len())].push((at, until));
            at = until;
        }
    };
    for (place, each) in bounds.iter().enumerate() {
        while let Some(last) = around.last().copied().filter(|last| bounds[*last].end <= each.start) {
            own(bounds[last].end, &around);
            around.pop();
        }
        own(each.start, &around);
        around.push(place);
    }
    while let Some(innermost) = around.last().copied() {
        own(bounds[innermost].end.min(last), &around);
        around.pop();
    }
    own(last, &around);
    parts
}

/// The text of ranges, and what most of it is.
fn said(outline: &Outline, ranges: &[Range], within: &[u8], ask: &Ask) -> (String, &'static str) {
    let mut text = Squeezed::default();
    let (mut code, mut table, mut total) = (0, 0, 0);
    for (start, end) in ranges {
        text.part();
        outline.add(*start, *end, &mut text);
        for (at, own) in (*start..*end).zip(outline.seen(*start, *end).unwrap_or_default()) {
            let held = if own.text { length(strip(&outline.document.texts[at])) } else { 0 };
            total += held;
            match within[at] {
                b'p' => code += held,
                b't' => table += held,
                _ => {}
            }
        }
    }
    let kind = match () {
        () if 2 * code > total => "code",
        () if 2 * table > total => "table",
        () => "prose",
    };
    (normalized(text.done, ask), kind)
}

/// What each token is in: a `pre`, before that a `table`, or neither.
fn enclosures(document: &Document) -> Vec<u8> {
    let (mut pre, mut table) = (0, 0);
    let mut found = Vec::with_capacity(document.len());
    for at in 0..document.len() {
        match document.name(at) {
            "pre" => pre += 1,
            "/pre" => pre -= 1,
            "table" => table += 1,
            "/table" => table -= 1,
            _ => {}
        }
        found.push(if pre != 0 {
            b'p'
        } else if table != 0 {
            b't'
        } else {
            b' '
        });
    }
    found
}

fn is_signature(tag: &Tag) -> bool {
    tag.has("sig") || tag.has("sig-object")
}

/// The name that a signature shows, with what stands before it.
fn shown_name(document: &Document, tokens: std::ops::Range<usize>) -> String {
    let (mut before, mut name) = (String::new(), String::new());
    for at in tokens.clone() {
        let tag = document.token(at);
        if !tag.has_names {
            continue;
        }
        if name.is_empty() && (tag.has("sig-name") || tag.has("descname")) {
            name = small_text(document, at, tokens.end);
        } else if before.is_empty() && (tag.has("sig-prename") || tag.has("descclassname")) {
            before = small_text(document, at, tokens.end);
        }
    }
    if name.is_empty() {
        name
    } else {
        strip(&(before + &name)).to_owned()
    }
}

/// The text of a small element, which may hold another (`<span class=n>`).
fn small_text(document: &Document, at: usize, end: usize) -> String {
    let mut text = document.texts[at].to_string();
    let mut depth = 1;
    for place in at + 1..end {
        depth += if document.name(place).starts_with('/') { -1 } else { 1 };
        if depth == 0 {
            break;
        }
        text.push_str(&document.texts[place]);
    }
    strip(&text).to_owned()
}
