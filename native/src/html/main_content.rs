//! Which elements of a page are its content. Twin of `main_content.py`, which says the rules.

use crate::html::tag::Tag;
use crate::html::tree::{Document, Node, Place, ROOT};
use crate::spaces::{length, one_line};
use crate::tables::{class, Row, Tables};
use rustc_hash::FxHashSet;

const ENOUGH: f64 = 0.35;
const ENOUGH_WHEN_SURE: f64 = 0.1;

/// The places that are the content, who made the page, and what else to drop inside.
pub struct MainContent<'t> {
    pub places: Vec<Place>,
    pub generator: &'t str,
    pub drop: &'t [String],
}

impl<'t> MainContent<'t> {
    fn of(place: Place, generator: &'t str) -> Self {
        MainContent { places: vec![place], generator, drop: &[] }
    }

    /// Whether the table knew it.
    pub fn known(&self) -> bool {
        !self.generator.starts_with('~')
    }
}

/// The content of a page.
pub fn find_main<'t>(document: &mut Document, tables: &'t Tables) -> MainContent<'t> {
    let (found, title) = Search::new(document).found(tables);
    if let Some(element) = title {
        document.rename(element, "h1", tables);
    }
    found
}

/// The whole body.
pub fn whole<'t>(document: &Document) -> MainContent<'t> {
    let body = document.landmarks().find(|place| document.tag(place.element).name == "body");
    MainContent { places: Vec::from_iter(body.copied()), generator: "whole page", drop: &[] }
}

/// The places of one page, measured by the running length of the text.
struct Search<'d, 'a> {
    document: &'d Document<'a>,
    ends: Vec<usize>,
    body: Place,
    marks: Vec<Place>,
    total: usize,
}

impl<'d, 'a> Search<'d, 'a> {
    fn new(document: &'d Document<'a>) -> Self {
        let mut ends = Vec::with_capacity(document.len() + 1);
        ends.push(0);
        for text in &document.texts[..document.len()] {
            ends.push(ends[ends.len() - 1] + length(text));
        }
        let is_body = |place: &&Place| document.tag(place.element).name == "body";
        let body = document.landmarks().find(is_body).copied();
        let body = body.unwrap_or(Place { element: ROOT, start: 0, end: document.len() });
        let marks = document.landmarks().filter(|place| !is_body(place)).take(50).copied().collect();
        let total = ends[body.end] - ends[body.start];
        Search { document, ends, body, marks, total }
    }

    /// The content, and the element that becomes its title.
    fn found<'t>(&self, tables: &'t Tables) -> (MainContent<'t>, Option<u32>) {
        let found =
            self.by_table(tables).or_else(|| self.by_landmark()).or_else(|| self.by_usual_name(tables));
        match found {
            Some(found) => self.with_title(found),
            None => (MainContent::of(self.body, "~body"), None),
        }
    }

    /// How much text a place holds.
    fn length(&self, place: &Place) -> usize {
        self.ends[place.end] - self.ends[place.start]
    }

    fn by_table<'t>(&self, tables: &'t Tables) -> Option<MainContent<'t>> {
        let document = self.document;
        let places: Vec<&Tag> = document.places.iter().map(|place| document.token(place.start)).collect();
        let metas = document.collected.iter().map(|at| document.token(*at)).filter(|tag| tag.name == "meta");
        let hints: Vec<&Tag> = places.iter().copied().chain(metas).collect();
        let present = Present::of(&places);
        let largest = self.marks.iter().map(|place| self.length(place)).max().unwrap_or(self.total);
        let enough = ENOUGH * self.total.min(largest) as f64;
        for row in &tables.rows {
            if let Some(hint) = &row.hint {
                if !present.all(&hint.names) || !hints.iter().any(|tag| hint.matches(tag)) {
                    continue;
                }
            }
            let found = self.first_of_each(row, &present, &places);
            let held: usize = found.iter().map(|place| self.length(place)).sum();
            if !found.is_empty() && (held as f64 >= enough.max(1.0) || self.is_sure(row, &found, held)) {
                return Some(MainContent { places: found, generator: &row.name, drop: &row.drop });
            }
        }
        None
    }

    /// Whether little text is enough: a short page beside a long menu.
    fn is_sure(&self, row: &Row, found: &[Place], held: usize) -> bool {
        if row.main.len() == 1 {
            return self.is_headed(&found[0]);
        }
        let whole = row.hint.is_some() && found.len() == row.main.len();
        whole && held as f64 >= ENOUGH_WHEN_SURE * self.total as f64
    }

    fn first_of_each(&self, row: &Row, present: &Present, tags: &[&Tag]) -> Vec<Place> {
        let mut found: Vec<Place> = Vec::new();
        for selector in row.main.iter().filter(|selector| present.all(&selector.names)) {
            let Some(at) = tags.iter().position(|tag| selector.matches(tag)) else {
                continue;
            };
            let place = self.document.places[at];
            if !found.iter().any(|other| *other == place || other.holds(&place)) {
                found.retain(|other| !place.holds(other));
                found.push(place);
            }
        }
        found
    }

    fn by_landmark<'t>(&self) -> Option<MainContent<'t>> {
        let is_article = |place: &&Place| self.document.tag(place.element).name == "article";
        let articles: Vec<&Place> = self.marks.iter().filter(is_article).collect();
        let mut main: Option<&Place> = None;
        for place in self.marks.iter().filter(|place| !is_article(place)) {
            if main.is_none_or(|main| self.length(place) > self.length(main)) {
                main = Some(place);
            }
        }
        let total = self.total as f64;
        if let Some(main) = main {
            let held = self.length(main) as f64;
            if held > 0.15 * total || self.is_headed(main) {
                let mut inside = articles.iter().filter(|place| main.holds(place));
                return match (inside.next(), inside.next()) {
                    (Some(only), None) if self.length(only) as f64 > 0.6 * held => {
                        Some(MainContent::of(**only, "~article"))
                    }
                    _ => Some(MainContent::of(*main, "~main")),
                };
            }
        }
        match articles[..] {
            [only] if self.length(only) as f64 > 0.25 * total => Some(MainContent::of(*only, "~article")),
            _ => None,
        }
    }

    fn by_usual_name<'t>(&self, tables: &Tables) -> Option<MainContent<'t>> {
        for name in &tables.lists.usual {
            let places = self.document.places.iter();
            let mut bearers = places.filter(|place| self.document.tag(place.element).has(name));
            let (Some(only), None) = (bearers.next(), bearers.next()) else {
                continue;
            };
            let enough = if self.is_headed(only) { 0.15 } else { 0.4 };
            if self.length(only) as f64 > enough * self.total as f64 {
                return Some(MainContent::of(*only, "~name"));
            }
        }
        None
    }

    fn with_title<'t>(&self, mut found: MainContent<'t>) -> (MainContent<'t>, Option<u32>) {
        let document = self.document;
        let is_headed = |place: &Place| document.tag(place.element).name == "h1" || self.is_headed(place);
        if found.places.iter().any(is_headed) {
            return (found, None);
        }
        let at = document.collected.iter().find(|at| document.token(**at).name == "title");
        let title = at.map_or_else(String::new, |at| document.text_at(*at));
        for heading in &document.titles {
            let text = document.text_at(heading.start);
            if !text.is_empty() && title.contains(&text) {
                found.places.insert(0, *heading);
                return (found, None);
            }
        }
        let mut elements = document.places.iter().map(|place| place.element);
        let own = elements
            .find(|element| document.tag(*element).named & class::TITLED != 0 && self.says(*element, &title));
        (found, own)
    }

    /// Whether there is an `h1` inside. An element below the depth of the tree holds nothing.
    fn is_headed(&self, place: &Place) -> bool {
        let document = self.document;
        !document.children(place.element).is_empty()
            && (place.start + 1..place.end).any(|at| document.token(at).name == "h1")
    }

    /// Whether a box begins with what the title says, and not with a heading of its own.
    fn says(&self, element: u32, title: &str) -> bool {
        let Some(Node::Text(text)) = self.document.children(element).first() else {
            return false;
        };
        let line = one_line(self.document.text(*text));
        matches!(self.document.tag(element).name, "div" | "p" | "span")
            && !line.is_empty()
            && title.contains(&line)
    }
}

/// The ids and class names of all places.
struct Present<'t> {
    classes: FxHashSet<&'t str>,
    ids: FxHashSet<&'t str>,
}

impl<'t> Present<'t> {
    fn of(tags: &[&'t Tag]) -> Self {
        Present {
            classes: tags.iter().flat_map(|tag| tag.classes()).collect(),
            ids: tags.iter().filter_map(|tag| tag.id()).collect(),
        }
    }

    fn all(&self, names: &[String]) -> bool {
        names.iter().all(|name| match name.strip_prefix('#') {
            Some(id) => self.ids.contains(id) || self.classes.contains(name.as_str()),
            None => self.classes.contains(name.as_str()),
        })
    }
}
