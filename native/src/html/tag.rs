//! What a tag means, worked out once for all that are written alike. Twin of `Tag` in `tokens.py`.

use crate::ask::Ask;
use crate::html::prune;
use crate::spaces::words;
use crate::tables::{class, element, Tables};
use memchr::memchr;
use std::borrow::Cow;

/// What TeX in a script stays as.
pub const TEX: &str = "$tex";

/// What a tag does to the tree.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Turn {
    Closes,
    /// An element that means nothing: what is in it belongs to what is around it.
    Passes,
    Opens,
    /// A void element.
    Stands,
    /// Opens or stands, and somebody wants to know.
    Noted,
    Nothing,
}

#[derive(Clone)]
pub struct Tag<'a> {
    /// `p`, `/p`.
    pub name: &'a str,
    pub attrs: Vec<(&'a str, Cow<'a, str>)>,
    /// Which sets of element names it is in (`tables::element`).
    pub is: u32,
    /// Which sets of ids and class names it has one of (`tables::class`).
    pub named: u32,
    /// Whether it has a class name or an id at all.
    pub has_names: bool,
    pub turn: Turn,
    pub place: bool,
    pub doubtful: bool,
    /// What it is named after (`Ask::named_after`), if it is a box.
    pub after: u8,
}

impl<'a> Tag<'a> {
    /// An element without attributes.
    pub fn plain(name: &'a str, tables: &Tables) -> Self {
        Tag {
            name,
            attrs: Vec::new(),
            is: tables.element(name),
            named: 0,
            has_names: false,
            turn: Turn::Opens,
            place: false,
            doubtful: false,
            after: 0,
        }
    }

    /// What stands between `<` and `>`; None where it is written as no serializer writes it.
    pub fn read(head: &'a str, tables: &Tables, ask: &Ask) -> Option<Self> {
        let bytes = head.as_bytes();
        let end = memchr(b' ', bytes).unwrap_or(head.len());
        let mut tag = Tag::plain(&head[..end], tables);
        tag.attrs = attributes(&head[end..])?;
        if tag.name.is_empty() || tag.name.starts_with('/') {
            let closes = !tag.name.is_empty() && tables.element(&tag.name[1..]) & element::VOID == 0;
            // Foreign elements with void names do have an end tag, which closes nothing.
            tag.turn = if closes { Turn::Closes } else { Turn::Nothing };
            tag.is &= element::INLINE;
            return Some(tag);
        }
        tag.read_names(tables);
        let has_role = tag.get("role").is_some_and(|role| !role.is_empty());
        tag.place = !tag.void()
            && (tag.is & element::LANDMARK != 0 || tag.role() == "main" || tag.named & class::PLACE != 0);
        tag.doubtful = prune::is_doubtful(&mut tag, ask);
        tag.turn = if tag.place || tag.doubtful || has_role || tag.name == "h1" {
            Turn::Noted
        } else if tag.void() {
            Turn::Stands
        } else if tag.is & element::PASSED != 0 && tag.id().is_none() && tag.named & class::MEANINGFUL == 0 {
            Turn::Passes
        } else {
            Turn::Opens
        };
        Some(tag)
    }

    fn read_names(&mut self, tables: &Tables) {
        for (name, value) in &self.attrs {
            if *name == "class" {
                for word in words(value) {
                    self.has_names = true;
                    self.named |= tables.class(word);
                }
            } else if *name == "id" {
                self.has_names = true;
                self.named |= tables.id(value);
            }
        }
    }

    pub fn void(&self) -> bool {
        self.is & element::VOID != 0
    }

    /// The value of an attribute.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.attrs.iter().rev().find(|(own, _)| *own == name).map(|(_, value)| value.as_ref())
    }

    /// The value of an attribute, or nothing.
    pub fn value(&self, name: &str) -> &str {
        self.get(name).unwrap_or("")
    }

    pub fn id(&self) -> Option<&str> {
        self.get("id")
    }

    pub fn role(&self) -> &str {
        self.value("role")
    }

    /// Whether an element is the main content by its own word.
    pub fn is_main(&self) -> bool {
        self.name == "main" || self.role() == "main"
    }

    /// What an element can be linked by.
    pub fn targets(&self) -> impl Iterator<Item = &str> {
        let name = if self.name == "a" { self.get("name") } else { None };
        [self.id(), name].into_iter().flatten().filter(|name| !name.is_empty())
    }

    pub fn classes(&self) -> impl Iterator<Item = &str> {
        words(self.value("class"))
    }

    /// Whether it has this class name, or this id, with a `#` before it.
    pub fn has(&self, name: &str) -> bool {
        match name.strip_prefix('#') {
            Some(id) if self.id() == Some(id) => true,
            _ => self.has_names && self.classes().any(|own| own == name),
        }
    }

    /// Whether it could be the target of a heading's link: an element of this name.
    pub fn heading_level(&self) -> Option<u8> {
        match self.name.as_bytes() {
            [b'h', level @ b'1'..=b'6'] => Some(level - b'0'),
            _ => None,
        }
    }
}

/// Attributes as they are serialized: ` name="value"`.
fn attributes(raw: &str) -> Option<Vec<(&str, Cow<'_, str>)>> {
    let mut attrs = Vec::new();
    let mut rest = raw;
    while !rest.is_empty() {
        let after = rest.strip_prefix(' ')?;
        let equals = memchr(b'=', after.as_bytes())?;
        let name = &after[..equals];
        if equals == 0
            || name
                .bytes()
                .any(|byte| matches!(byte, b'"' | b' ' | b'<' | b'/' | b'\t' | b'\n' | b'\r' | 0x0c))
        {
            return None;
        }
        let quoted = after[equals + 1..].strip_prefix('"')?;
        let end = memchr(b'"', quoted.as_bytes())?;
        attrs.push((name, unescape(&quoted[..end])));
        rest = &quoted[end + 1..];
    }
    Some(attrs)
}

/// Serialized text or attribute value to what it means.
pub fn unescape(text: &str) -> Cow<'_, str> {
    let Some(mut at) = memchr(b'&', text.as_bytes()) else {
        return Cow::Borrowed(text);
    };
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    loop {
        plain.push_str(&rest[..at]);
        rest = &rest[at..];
        let (meant, length) = ENTITIES
            .iter()
            .find(|(entity, _)| rest.starts_with(entity))
            .map_or(("&", 1), |(entity, meant)| (*meant, entity.len()));
        plain.push_str(meant);
        rest = &rest[length..];
        match memchr(b'&', rest.as_bytes()) {
            Some(next) => at = next,
            None => {
                plain.push_str(rest);
                return Cow::Owned(plain);
            }
        }
    }
}

const ENTITIES: [(&str, &str); 5] =
    [("&lt;", "<"), ("&gt;", ">"), ("&amp;", "&"), ("&nbsp;", "\u{a0}"), ("&quot;", "\"")];
