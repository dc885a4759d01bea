//! The tree of a page, built from its tokens. Twin of `tree.py`.
//!
//! Elements and lists of children are numbers: whoever changes the tree writes a new list of children.

use crate::html::tag::{Tag, Turn};
use crate::html::tokens::Tokens;
use crate::spaces::one_line;
use crate::tables::{element, Tables};
use std::borrow::Cow;

pub const MAX_DEPTH: i32 = 120;
pub const ROOT: u32 = 0;

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Node {
    Element(u32),
    Text(u32),
}

#[derive(Clone, Copy)]
struct Element {
    tag: u32,
    first: u32,
    end: u32,
    /// The token at which it opens; `NOWHERE` for one that was made.
    start: u32,
}

/// The token of an element that the page does not have.
pub const NOWHERE: u32 = u32::MAX;

/// An element that matters, and the tokens at which it opens and closes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Place {
    pub element: u32,
    pub start: usize,
    pub end: usize,
}

impl Place {
    pub fn holds(&self, other: &Place) -> bool {
        self.start < other.start && other.end <= self.end
    }
}

/// An element that may be no content, what it is in, and the token at which it opens.
#[derive(Clone, Copy)]
pub struct Doubt {
    pub element: u32,
    pub parent: u32,
    pub start: usize,
}

pub struct Document<'a> {
    pub tags: Vec<Tag<'a>>,
    pub heads: Vec<u32>,
    pub texts: Vec<Cow<'a, str>>,
    elements: Vec<Element>,
    nodes: Vec<Node>,
    pub roles: Vec<usize>,
    pub places: Vec<Place>,
    pub titles: Vec<Place>,
    pub doubts: Vec<Doubt>,
    pub collected: Vec<usize>,
}

impl<'a> Document<'a> {
    /// How many tokens there are. The tree may have more texts than that.
    pub fn len(&self) -> usize {
        self.heads.len()
    }

    /// The tag at a token.
    pub fn token(&self, at: usize) -> &Tag<'a> {
        &self.tags[self.heads[at] as usize]
    }

    /// The name of the tag at a token; empty after the last.
    pub fn name(&self, at: usize) -> &'a str {
        self.heads.get(at).map_or("", |head| self.tags[*head as usize].name)
    }

    pub fn tag(&self, element: u32) -> &Tag<'a> {
        &self.tags[self.elements[element as usize].tag as usize]
    }

    /// The token at which an element opens.
    pub fn start(&self, element: u32) -> u32 {
        self.elements[element as usize].start
    }

    pub fn text(&self, text: u32) -> &str {
        &self.texts[text as usize]
    }

    pub fn children(&self, element: u32) -> &[Node] {
        let element = &self.elements[element as usize];
        &self.nodes[element.first as usize..element.end as usize]
    }

    pub fn set_children(&mut self, element: u32, children: &[Node]) {
        let first = self.nodes.len() as u32;
        self.nodes.extend_from_slice(children);
        let element = &mut self.elements[element as usize];
        (element.first, element.end) = (first, self.nodes.len() as u32);
    }

    /// Make another element of an element: its attributes stay.
    pub fn rename(&mut self, element: u32, name: &'a str, tables: &Tables) {
        let mut tag = self.tag(element).clone();
        (tag.name, tag.is) = (name, tables.element(name));
        self.elements[element as usize].tag = self.tags.len() as u32;
        self.tags.push(tag);
    }

    /// Give an element this attribute and no other; it has a tag of its own (`rename`).
    pub fn set_attribute(&mut self, element: u32, name: &'a str, value: String) {
        let tag = self.elements[element as usize].tag as usize;
        self.tags[tag].attrs = vec![(name, Cow::Owned(value))];
    }

    /// A new element around nodes.
    pub fn add_element(&mut self, tag: Tag<'a>, children: &[Node]) -> Node {
        let element = self.elements.len() as u32;
        self.elements.push(Element { tag: self.tags.len() as u32, first: 0, end: 0, start: NOWHERE });
        self.tags.push(tag);
        self.set_children(element, children);
        Node::Element(element)
    }

    pub fn add_text(&mut self, text: String) -> Node {
        self.texts.push(Cow::Owned(text));
        Node::Text(self.texts.len() as u32 - 1)
    }

    /// The places that are landmarks.
    pub fn landmarks(&self) -> impl Iterator<Item = &Place> {
        self.places.iter().filter(|place| {
            let tag = self.tag(place.element);
            tag.is & element::LANDMARK != 0 || tag.is_main()
        })
    }

    /// Where the element that starts here ends; the end of all where it does not, or not before `last`.
    pub fn end_of(&self, at: usize, last: usize) -> usize {
        let name = self.name(at);
        let mut still_open = 1;
        for (place, head) in self.heads[..last].iter().enumerate().skip(at + 1) {
            let own = self.tags[*head as usize].name;
            if own == name {
                still_open += 1;
            } else if own.strip_prefix('/') == Some(name) {
                still_open -= 1;
                if still_open == 0 {
                    return place;
                }
            }
        }
        last
    }

    /// All text of the element that opens at a token, in one line.
    pub fn text_at(&self, at: usize) -> String {
        match self.end_of(at, self.len()) {
            end if end == at + 1 => one_line(&self.texts[at]),
            end => one_line(&self.texts[at..end].concat()),
        }
    }
}

/// The tree of a page; None where its tags do not pair.
pub fn build<'a>(tokens: Tokens<'a>, tables: &Tables) -> Option<Document<'a>> {
    let mut builder = Builder::new(tokens, tables);
    for at in 0..builder.document.heads.len() {
        builder.read(at)?;
    }
    Some(builder.done())
}

/// What is open while the tree is built: elements, and for each that is no alias the children so far.
struct Builder<'a> {
    document: Document<'a>,
    open: Vec<(u32, bool)>,
    lists: Vec<Vec<Node>>,
    spare: Vec<Vec<Node>>,
    level: i32,
    opened: Vec<(i32, u32, usize)>,
    marked: Vec<Place>,
}

impl<'a> Builder<'a> {
    fn new(tokens: Tokens<'a>, tables: &Tables) -> Self {
        let Tokens { mut tags, heads, texts } = tokens;
        let root = Element { tag: tags.len() as u32, first: 0, end: 0, start: NOWHERE };
        tags.push(Tag::plain("#document", tables));
        let guess = heads.len() / 2 + 1;
        let mut elements = Vec::with_capacity(guess);
        elements.push(root);
        Builder {
            document: Document {
                tags,
                heads,
                elements,
                nodes: Vec::with_capacity(texts.len() + guess),
                texts,
                roles: Vec::new(),
                places: Vec::new(),
                titles: Vec::new(),
                doubts: Vec::new(),
                collected: Vec::new(),
            },
            open: vec![(ROOT, true)],
            lists: vec![Vec::new()],
            spare: Vec::new(),
            level: 0,
            opened: Vec::new(),
            marked: Vec::new(),
        }
    }

    fn read(&mut self, at: usize) -> Option<()> {
        let head = self.document.heads[at];
        let (turn, is) = {
            let tag = &self.document.tags[head as usize];
            (tag.turn, tag.is)
        };
        if is & element::COLLECTED != 0 {
            self.document.collected.push(at);
        }
        match turn {
            Turn::Closes => self.close(at)?,
            Turn::Passes => {
                self.level += 1;
                if self.level <= MAX_DEPTH {
                    let around = self.open.last()?.0;
                    self.open.push((around, false));
                }
            }
            Turn::Nothing => {}
            Turn::Opens | Turn::Stands | Turn::Noted => self.add(at, head, turn, is & element::VOID != 0)?,
        }
        if !self.document.texts[at].is_empty() {
            self.lists.last_mut()?.push(Node::Text(at as u32));
        }
        Some(())
    }

    fn add(&mut self, at: usize, head: u32, turn: Turn, void: bool) -> Option<()> {
        let document = &mut self.document;
        let element = document.elements.len() as u32;
        document.elements.push(Element { tag: head, first: 0, end: 0, start: at as u32 });
        self.lists.last_mut()?.push(Node::Element(element));
        if turn == Turn::Noted {
            let tag = &document.tags[head as usize];
            if tag.doubtful {
                document.doubts.push(Doubt { element, parent: self.open.last()?.0, start: at });
            }
            if !tag.role().is_empty() {
                document.roles.push(at);
            }
            if tag.place || tag.name == "h1" {
                self.opened.push((self.level + 1, element, at));
            }
        }
        if turn != Turn::Stands && !void {
            self.level += 1;
            if self.level <= MAX_DEPTH {
                self.open.push((element, true));
                self.lists.push(self.spare.pop().unwrap_or_default());
            }
        }
        Some(())
    }

    fn close(&mut self, at: usize) -> Option<()> {
        if let Some((level, element, start)) = self.opened.last().copied() {
            if level == self.level {
                self.opened.pop();
                self.marked.push(Place { element, start, end: at });
            }
        }
        if self.level <= MAX_DEPTH {
            self.settle()?;
            self.open.last()?;
        }
        self.level -= 1;
        Some(())
    }

    /// The innermost element has all its children.
    fn settle(&mut self) -> Option<()> {
        let (element, own) = self.open.pop()?;
        if own {
            let mut list = self.lists.pop()?;
            self.document.set_children(element, &list);
            list.clear();
            self.spare.push(list);
        }
        Some(())
    }

    fn done(mut self) -> Document<'a> {
        while self.settle().is_some() {}
        let mut document = self.document;
        self.marked.sort_by_key(|place| place.start);
        document.titles =
            self.marked.iter().copied().filter(|place| document.tag(place.element).name == "h1").collect();
        document.places = self.marked.into_iter().filter(|place| document.token(place.start).place).collect();
        document
    }
}
