//! The text of a section of a page, for whoever cites it. Twin of `sections.py`, which says the rules; what a
//! fragment names, and what its text hashes to, Python says.

use crate::ask::Ask;
use crate::html::section_outline::{Bounds, Outline};
use crate::html::tag::{Tag, TEX};
use crate::html::text_v1::{normalized, text_between};
use crate::spaces::{strip, Squeezed};
use crate::tables::element;
use rustc_hash::FxHashMap;

type Range = (usize, usize);

/// Where a fragment leads to.
pub struct Places<'o, 'd, 'a, 'py, 'm> {
    outline: &'o Outline<'d, 'a, 'py, 'm>,
    ask: &'o Ask<'py, 'm>,
    /// Listed sections by their names; the first of a name has it.
    listed: FxHashMap<String, Range>,
    /// Where the section of each heading ends, and that of each term.
    headings: FxHashMap<usize, usize>,
    terms: FxHashMap<usize, usize>,
}

impl<'o, 'd, 'a, 'py, 'm> Places<'o, 'd, 'a, 'py, 'm> {
    pub fn new(outline: &'o Outline<'d, 'a, 'py, 'm>, ask: &'o Ask<'py, 'm>) -> Self {
        let mut listed = FxHashMap::default();
        for bounds in outline.listed() {
            for name in outline.own_names(&bounds) {
                listed.entry(name).or_insert((bounds.start, bounds.end));
            }
        }
        let ends = |wanted: fn(&Bounds) -> bool| {
            outline
                .found
                .iter()
                .filter(|bounds| wanted(bounds))
                .map(|bounds| (bounds.start, bounds.end))
                .collect()
        };
        let (headings, terms) = (ends(|bounds| bounds.level > 0), ends(|bounds| bounds.level == 0));
        Places { outline, ask, listed, headings, terms }
    }

    /// The text of the section that has one of these names; None where there is none.
    pub fn text_of(&self, names: &[String]) -> Option<String> {
        let named = names.iter().find_map(|name| self.listed.get(name).copied());
        let (start, end) = named.or_else(|| self.find(names).map(|at| self.section(at)))?;
        Some(self.text(start, end))
    }

    /// All text of the page.
    pub fn body_text(&self) -> String {
        let document = self.outline.document;
        normalized(text_between(document, 0, document.len(), false), self.ask)
    }

    /// Where the element of the first name that is there begins.
    fn find(&self, names: &[String]) -> Option<usize> {
        let by_id = names.iter().find_map(|name| self.outline.ids.get(name.as_str()).copied());
        by_id.or_else(|| self.by_heading(names))
    }

    /// From where to where an element's section goes.
    fn section(&self, at: usize) -> Range {
        if let Some(heading) = self.around(Some(at), |at| self.headings.contains_key(&at)) {
            return self.under(heading);
        }
        let term = self.around(Some(at), |at| self.outline.document.name(at) == "dt");
        if let Some((term, end)) = term.and_then(|term| self.terms.get_key_value(&term)) {
            return (*term, *end);
        }
        if self.collapsed(at, self.outline.end[at]).is_empty() {
            return self.beside(at);
        }
        let is_inline = is_inline(self.outline.document.token(at));
        // a block that begins at the first token is none: the reference has it so
        let block = self.around(Some(at), |at| self.is_block(at)).filter(|block| is_inline && *block > 0);
        self.block(block.unwrap_or(at))
    }

    fn by_heading(&self, names: &[String]) -> Option<usize> {
        let mut headings: Vec<usize> = self.headings.keys().copied().collect();
        headings.sort_unstable();
        let texts = headings.iter().map(|at| self.text(*at, self.outline.end[*at])).collect();
        let fitting = self.ask.fitting_headings(names, texts);
        fitting.into_iter().map(|number| headings[number]).find(|at| !self.outline.has_names(*at))
    }

    /// The nearest element that is wanted, itself or around it.
    fn around(&self, from: Option<usize>, wanted: impl Fn(usize) -> bool) -> Option<usize> {
        std::iter::successors(from, |at| self.outline.parent[*at]).find(|at| wanted(*at))
    }

    fn under(&self, heading: usize) -> Range {
        (heading, self.headings[&heading])
    }

    /// A block; where it begins with a heading and ends with its section, or before, the heading's.
    fn block(&self, block: usize) -> Range {
        let end = self.outline.end[block];
        for index in block..end {
            if let Some(until) = self.headings.get(&index) {
                return if end <= *until { (index, *until) } else { (block, end) };
            }
            if self.has_text(index) {
                break;
            }
        }
        (block, end)
    }

    /// The section of an element that is empty.
    fn beside(&self, at: usize) -> Range {
        let around = self.around(self.outline.parent[at], |at| self.is_block(at));
        if let Some(section) = around.filter(|at| !self.is_landmark(*at)).and_then(|at| self.lone_heading(at))
        {
            return section;
        }
        let length = self.outline.document.len();
        for index in at..length {
            if self.headings.contains_key(&index) {
                return self.under(index);
            }
            if !self.has_text(index) {
                continue;
            }
            let closes = self.outline.document.name(index).starts_with('/');
            let from = if closes { self.outline.parent[index] } else { Some(index) };
            let holder = self.around(from, |at| self.is_block(at)).filter(|at| !self.is_landmark(*at));
            return match holder {
                Some(holder) => self.block(holder),
                None => (at, (index + 1..length).find(|at| self.headings.contains_key(at)).unwrap_or(length)),
            };
        }
        (at, self.outline.end[at])
    }

    /// The section of the heading that is all that a block holds.
    fn lone_heading(&self, block: usize) -> Option<Range> {
        let end = self.outline.end[block];
        let heading = (block..end).find(|index| self.headings.contains_key(index))?;
        let is_all = self.text(block, end) == self.text(heading, self.outline.end[heading]);
        is_all.then(|| self.under(heading))
    }

    fn text(&self, start: usize, end: usize) -> String {
        normalized(self.collapsed(start, end), self.ask)
    }

    fn collapsed(&self, start: usize, end: usize) -> String {
        let mut text = Squeezed::default();
        self.outline.add(start, end, &mut text);
        text.done
    }

    fn has_text(&self, at: usize) -> bool {
        !strip(&self.outline.document.texts[at]).is_empty()
    }

    fn is_landmark(&self, at: usize) -> bool {
        self.ask.tables().element(self.outline.document.name(at)) & element::AROUND != 0
    }

    fn is_block(&self, at: usize) -> bool {
        let tag = self.outline.document.token(at);
        !tag.name.is_empty() && !is_inline(tag) && !tag.void()
    }
}

fn is_inline(tag: &Tag) -> bool {
    tag.is & element::INLINE != 0 && tag.name != TEX
}
