//! What is known of each section that a page lists. Twin of `facts_of` in `listed_sections.py`; Python names them.

use crate::ask::Ask;
use crate::html::section_outline::{Bounds, Outline};
use crate::html::tag::Tag;
use crate::html::text_v1::normalized;
use crate::html::tree::Document;
use crate::spaces::{length, strip, Squeezed};

/// What a section is, by its tokens.
pub struct SectionFacts {
    /// The section around it; -1: none.
    pub parent: i64,
    pub level: u8,
    pub names: Vec<String>,
    pub title: String,
    /// The name that its signature shows.
    pub shown: String,
    pub code: bool,
    pub text: String,
    pub kind: &'static str,
    pub start: usize,
}

/// The sections of a page, and the text and kind of what stands before the first.
pub fn facts_of(outline: &Outline, ask: &Ask) -> (Vec<SectionFacts>, (String, &'static str)) {
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
            title: normalized(outline.title(each), ask),
            shown: if is_signature { shown_name(document, tokens.clone()) } else { String::new() },
            code: tokens.clone().any(|at| matches!(document.token(at).name, "code" | "tt")),
            text,
            kind,
            start: each.start,
        }
    });
    (facts.collect(), before)
}

/// What the page says of itself.
pub fn descriptions<'d>(document: &'d Document) -> Vec<&'d str> {
    let metas = document.collected.iter().map(|at| document.token(*at)).filter(|tag| tag.name == "meta");
    metas
        .filter(|tag| tag.value("name").to_lowercase() == "description")
        .map(|tag| tag.value("content"))
        .collect()
}

/// The section that each is in.
fn parents(bounds: &[Bounds]) -> Vec<i64> {
    let mut parents = Vec::with_capacity(bounds.len());
    let mut around: Vec<usize> = Vec::new();
    for (place, each) in bounds.iter().enumerate() {
        while around.pop_if(|last| bounds[*last].end <= each.start).is_some() {}
        parents.push(around.last().map_or(-1, |last| *last as i64));
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
