//! Where the sections of a page begin and end, in its tokens. Twin of `section_outline.py`, which says the rules.

use crate::ask::Ask;
use crate::html::text_v1::{is_left_out, is_role_left_out, text_between, Landmark, Visible};
use crate::html::tree::Document;
use crate::spaces::{length, strip, white_space, Squeezed};
use crate::tables::element;
use rustc_hash::FxHashMap;

/// A section's first token, where it ends, its level (of a term: 0), and whether the page lists it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Bounds {
    pub start: usize,
    pub end: usize,
    pub level: u8,
    listed: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Landmark,
    LeftOut,
    Term,
}

struct Holder {
    start: usize,
    end: usize,
    kind: Kind,
}

/// The tokens of a page, with what encloses what and where its sections are.
pub struct Outline<'d, 'a, 'py, 'm> {
    pub document: &'d Document<'a>,
    ask: &'d Ask<'py, 'm>,
    pub parent: Vec<Option<usize>>,
    pub end: Vec<usize>,
    pub ids: FxHashMap<&'d str, usize>,
    page: Option<&'d Landmark>,
    visible: Vec<Visible>,
    /// Every heading and every term.
    pub found: Vec<Bounds>,
    hidden: Vec<(usize, usize)>,
}

impl<'d, 'a, 'py, 'm> Outline<'d, 'a, 'py, 'm> {
    pub fn new(document: &'d Document<'a>, page: Option<&'d Landmark>, ask: &'d Ask<'py, 'm>) -> Self {
        let visible =
            page.map_or_else(Vec::new, |page| Visible::between(document, page.first, page.last, page.body));
        let mut outline = Outline {
            document,
            ask,
            parent: Vec::with_capacity(document.len()),
            end: Vec::with_capacity(document.len()),
            ids: FxHashMap::default(),
            page,
            visible,
            found: Vec::new(),
            hidden: Vec::new(),
        };
        outline.enclose();
        outline.sweep();
        outline
    }

    /// The sections that the page lists, in order.
    pub fn listed(&self) -> Vec<Bounds> {
        let Some(page) = self.page else { return Vec::new() };
        let is_listed =
            |bounds: &Bounds| bounds.listed && page.first <= bounds.start && bounds.start < page.last;
        let mut listed: Vec<Bounds> = self.found.iter().copied().filter(is_listed).collect();
        listed.sort_unstable();
        listed
    }

    /// The landmark; None where the page has no text.
    pub fn page(&self) -> Option<(usize, usize)> {
        self.page.map(|page| (page.first, page.last))
    }

    /// Add the text between two tokens.
    pub fn add(&self, start: usize, end: usize, text: &mut Squeezed) {
        match self.seen(start, end) {
            _ if end <= start => {}
            Some(visible) => {
                for (at, own) in (start..end).zip(visible) {
                    own.add(&self.document.texts[at], text);
                }
            }
            None => text.add(&text_between(self.document, start, end, false), white_space),
        }
    }

    /// How the tokens of a range of the landmark are read; None outside of it.
    pub fn seen(&self, start: usize, end: usize) -> Option<&[Visible]> {
        let page = self.page?;
        let is_inside = page.first <= start && end <= page.last && !self.is_hidden(start);
        is_inside.then(|| &self.visible[start - page.first..end.max(start) - page.first])
    }

    /// What a section can be linked by, the likeliest first.
    pub fn own_names(&self, bounds: &Bounds) -> Vec<String> {
        let mut found = self.names_in(bounds.start);
        if bounds.level == 0 {
            return found;
        }
        if found.is_empty() {
            found = (bounds.start..self.end[bounds.start]).filter_map(|at| self.permalink(at)).collect();
        }
        if found.is_empty() {
            self.names_before(bounds)
        } else {
            found
        }
    }

    /// The words of a heading or term, without the mark that is its permalink; white space collapsed.
    pub fn title(&self, bounds: &Bounds) -> String {
        let mut text = Squeezed::default();
        let (mut at, end) = (bounds.start, self.end[bounds.start]);
        while at < end {
            if self.is_mark(at) {
                at = self.end[at];
            }
            if at < self.document.len() {
                self.add(at, at + 1, &mut text);
            }
            at += 1;
        }
        text.done
    }

    /// The place on this page that a mark leads to.
    fn permalink(&self, at: usize) -> Option<String> {
        if !self.is_mark(at) {
            return None;
        }
        let name = self.document.token(at).value("href").strip_prefix('#')?;
        let name = if name.contains('%') { self.ask.unquote(name) } else { name.to_owned() };
        self.ids.contains_key(name.as_str()).then_some(name)
    }

    /// Whether a permalink begins here: a link to a place on this page whose text is no word.
    fn is_mark(&self, at: usize) -> bool {
        let tag = self.document.token(at);
        if tag.name != "a" || self.end[at] - at > 4 || !tag.value("href").starts_with('#') {
            return false;
        }
        let text = self.document.texts[at..self.end[at]].concat();
        let text = strip(&text);
        let is_word = !text.is_empty() && text.chars().all(|c| self.ask.is_alphanumeric(c));
        length(text) <= 2 && !is_word
    }

    fn names_before(&self, bounds: &Bounds) -> Vec<String> {
        let first = self.page.map_or(0, |page| page.first);
        for at in (first + 1..bounds.start).rev() {
            let tag = self.document.token(at);
            let name = tag.name.strip_prefix('/').unwrap_or(tag.name);
            if !strip(&self.document.texts[at]).is_empty() || heading_level(name) > 0 {
                break;
            }
            if let Some(name) = self.permalink(at) {
                return vec![name];
            }
            let names: Vec<String> = tag.targets().map(str::to_owned).collect();
            if !names.is_empty() && self.end[at] <= bounds.end {
                return names;
            }
        }
        Vec::new()
    }

    /// Whether a heading can be linked by a name of its own.
    pub fn has_names(&self, heading: usize) -> bool {
        !self.names_in(heading).is_empty()
    }

    fn names_in(&self, index: usize) -> Vec<String> {
        let tags = (index..self.end[index]).map(|at| self.document.token(at));
        let tags = tags.filter(|tag| tag.is & element::NAMELESS == 0);
        tags.flat_map(|tag| tag.targets().map(str::to_owned).collect::<Vec<_>>()).collect()
    }

    fn enclose(&mut self) {
        let document = self.document;
        let mut open: Vec<usize> = Vec::new();
        for index in 0..document.len() {
            let tag = document.token(index);
            let closes = tag.name.strip_prefix('/');
            if let (Some(name), Some(last)) = (closes, open.last()) {
                if document.name(*last) == name {
                    self.end[*last] = index;
                    open.pop();
                }
            }
            self.parent.push(open.last().copied());
            self.end.push(index);
            if tag.name.is_empty() || closes.is_some() {
                continue;
            }
            if !tag.void() {
                open.push(index);
            }
            for name in tag.targets() {
                self.ids.entry(name).or_insert(index);
            }
        }
        for index in open {
            self.end[index] = document.len();
        }
    }

    /// Find the headings and the terms, and what they stand in.
    fn sweep(&mut self) {
        let document = self.document;
        let landmarks: FxHashMap<usize, usize> =
            document.landmarks().map(|mark| (mark.start, mark.end)).collect();
        let mut holders: Vec<Holder> = Vec::new();
        let mut open: FxHashMap<Option<usize>, Vec<Bounds>> = FxHashMap::default();
        let mut inside_heading = 0;
        for index in 0..document.len() {
            while let Some(holder) = holders.pop_if(|holder| holder.end <= index) {
                let held = open.remove(&Some(holder.start)).unwrap_or_default();
                self.finish(held, holder.end);
            }
            let name = document.name(index);
            if name.is_empty() || name.starts_with('/') || index < inside_heading {
                continue; // what is in a heading is its text
            }
            let level = heading_level(name);
            if level > 0 {
                inside_heading = self.end[index];
                let held = open.entry(holders.last().map(|holder| holder.start)).or_default();
                while let Some(before) = held.pop_if(|before| before.level >= level) {
                    self.found.push(Bounds { end: index, ..before });
                }
                let listed = holders.iter().all(|holder| holder.kind == Kind::Landmark);
                held.push(Bounds { start: index, end: index, level, listed });
            } else if let Some(end) = landmarks.get(&index) {
                holders.push(Holder { start: index, end: *end, kind: Kind::Landmark });
            } else if name == "dt" {
                holders.extend(self.term(index));
            } else if self.leaves_out(index) {
                holders.push(Holder { start: index, end: self.end[index], kind: Kind::LeftOut });
            }
        }
        for held in open.into_values() {
            self.finish(held, document.len());
        }
    }

    /// Note a term; one with an id holds what it says.
    fn term(&mut self, index: usize) -> Option<Holder> {
        let end = self.end_of_term(index);
        let named = !self.names_in(index).is_empty();
        let listed = named && !self.is_hidden(index);
        self.found.push(Bounds { start: index, end, level: 0, listed });
        named.then_some(Holder { start: index, end, kind: Kind::Term })
    }

    /// Whether the text of this element is none of the page's; noted, if it is not in another such.
    fn leaves_out(&mut self, index: usize) -> bool {
        let Some(page) = self.page else { return false };
        let tag = self.document.token(index);
        if index < page.first || index >= page.last || tag.void() {
            return false;
        }
        if !is_left_out(tag.name, page.body) && !is_role_left_out(tag.role(), page.body) {
            return false;
        }
        if !self.is_hidden(index) {
            self.hidden.push((index, self.end[index]));
        }
        true
    }

    fn finish(&mut self, headings: Vec<Bounds>, end: usize) {
        self.found.extend(headings.into_iter().map(|heading| Bounds { end, ..heading }));
    }

    fn end_of_term(&self, term: usize) -> usize {
        let parent = self.parent[term];
        let last = parent.map_or(self.document.len(), |parent| self.open_end(parent));
        let mut said = false;
        let mut index = self.end[term];
        while index < last {
            let name = self.document.name(index);
            if !name.is_empty() && !name.starts_with('/') && self.parent_of(index) == parent {
                if name == "dt" && said {
                    return index;
                }
                said = said || name == "dd";
                index = index.max(self.end[index]);
            }
            index += 1;
        }
        last
    }

    fn open_end(&self, index: usize) -> usize {
        self.end[index]
    }

    fn parent_of(&self, index: usize) -> Option<usize> {
        self.parent[index]
    }

    fn is_hidden(&self, at: usize) -> bool {
        let place = self.hidden.partition_point(|(start, _)| *start <= at);
        place > 0 && at < self.hidden[place - 1].1
    }
}

/// The level of a heading; 0 of anything else.
pub fn heading_level(name: &str) -> u8 {
    match name.as_bytes() {
        [b'h', level @ b'1'..=b'6'] => level - b'0',
        _ => 0,
    }
}
