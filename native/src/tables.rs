//! What the tables of the Python modules say, handed over once (`formats/native_reader.py`).
//!
//! A set of element names, or of class names and ids, is one bit: what a name is in is one look-up.

use crate::html::selector::Selector;
use pyo3::exceptions::PyKeyError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use rustc_hash::FxHashMap;

/// Sets of element names.
pub mod element {
    pub const VOID: u32 = 1;
    pub const COLLECTED: u32 = 1 << 1;
    pub const LANDMARK: u32 = 1 << 2;
    pub const PASSED: u32 = 1 << 3;
    pub const INLINE: u32 = 1 << 4;
    pub const BLOCK: u32 = 1 << 5;
    pub const SILENT: u32 = 1 << 6;
    pub const UNREAD: u32 = 1 << 7;
    pub const CODE: u32 = 1 << 8;
    pub const CONTROL: u32 = 1 << 9;
    pub const BOX: u32 = 1 << 10;
    pub const BOXED: u32 = 1 << 11;
    pub const LINE: u32 = 1 << 12;
    pub const SKIPPED: u32 = 1 << 13;
    pub const GENERIC: u32 = 1 << 14;
    pub const ITALIC: u32 = 1 << 15;
    pub const STRONG: u32 = 1 << 16;
    pub const DELETED: u32 = 1 << 17;
    pub const HEADING: u32 = 1 << 18;

    pub const ANCHOR_BOX: u32 = 1 << 19;
    pub const ANCHORLESS: u32 = 1 << 20;
    pub const HEADING_BOX: u32 = 1 << 21;
    pub const PART: u32 = 1 << 22;
    pub const NAMELESS: u32 = 1 << 23;
    pub const AROUND: u32 = 1 << 24;

    pub const KEYS: [(&str, u32); 25] = [
        ("void", VOID),
        ("collected", COLLECTED),
        ("landmark", LANDMARK),
        ("passed", PASSED),
        ("inline", INLINE),
        ("block", BLOCK),
        ("silent", SILENT),
        ("unread", UNREAD),
        ("code", CODE),
        ("control", CONTROL),
        ("box", BOX),
        ("boxed", BOXED),
        ("line", LINE),
        ("skipped", SKIPPED),
        ("generic", GENERIC),
        ("em", ITALIC),
        ("strong", STRONG),
        ("del", DELETED),
        ("heading", HEADING),
        ("anchor box", ANCHOR_BOX),
        ("anchorless", ANCHORLESS),
        ("heading box", HEADING_BOX),
        ("part", PART),
        ("nameless", NAMELESS),
        ("around", AROUND),
    ];
}

/// Sets of class names, and of ids with a `#` before them.
pub mod class {
    pub const PLACE: u32 = 1;
    pub const CHROME: u32 = 1 << 1;
    pub const DROPPED: u32 = 1 << 2;
    pub const MEANINGFUL: u32 = 1 << 3;
    pub const MATH: u32 = 1 << 4;
    pub const GUTTER: u32 = 1 << 5;
    pub const SIGNATURE: u32 = 1 << 6;
    pub const FAMILY: u32 = 1 << 7;
    pub const TITLE: u32 = 1 << 8;
    pub const LAYOUT: u32 = 1 << 9;
    pub const NUMBERS: u32 = 1 << 10;
    pub const BLOCK: u32 = 1 << 11;
    pub const PERMALINK: u32 = 1 << 12;

    pub const NOTE_HOLDER: u32 = 1 << 13;
    pub const BACK: u32 = 1 << 14;
    pub const CODE: u32 = 1 << 15;
    pub const TITLED: u32 = 1 << 16;

    pub const KEYS: [(&str, u32); 17] = [
        ("place", PLACE),
        ("chrome", CHROME),
        ("dropped", DROPPED),
        ("meaningful", MEANINGFUL),
        ("math", MATH),
        ("gutter", GUTTER),
        ("signature", SIGNATURE),
        ("family", FAMILY),
        ("title", TITLE),
        ("layout", LAYOUT),
        ("numbers", NUMBERS),
        ("block name", BLOCK),
        ("permalink", PERMALINK),
        ("note holder", NOTE_HOLDER),
        ("back", BACK),
        ("code name", CODE),
        ("titled", TITLED),
    ];
}

/// A row of the generator table.
pub struct Row {
    pub name: String,
    pub main: Vec<Selector>,
    pub hint: Option<Selector>,
    pub drop: Vec<String>,
}

pub struct Tables {
    elements: FxHashMap<String, u32>,
    classes: FxHashMap<String, u32>,
    ids: FxHashMap<String, u32>,
    pub rows: Vec<Row>,
    /// Lists in which the order, or each word, matters.
    pub lists: Lists,
}

pub struct Lists {
    pub usual: Vec<String>,
    pub kinds: Vec<String>,
    pub tabbed: Vec<String>,
    pub bare_languages: Vec<String>,
    pub roles: Vec<String>,
    pub marks: Vec<String>,
    pub shell_ids: Vec<String>,
    /// Elements that are taken out of a page, or written otherwise, and the type of scripts that are kept.
    pub changed: Vec<String>,
    pub dead_schemes: Vec<String>,
    /// What stands at the ends of a title and is not of it.
    pub title_marks: Vec<char>,
    /// What the id of a member begins with, and what a heading begins with that names a container.
    pub member_ids: Vec<String>,
    pub containers: Vec<String>,
    /// What the id of a signature may have before its name.
    pub domains: Vec<String>,
    /// Class names, and how they align text.
    pub aligned: Vec<(String, String)>,
}

impl Tables {
    pub fn read(given: &Bound<'_, PyDict>) -> PyResult<Self> {
        let mut tables = Tables {
            elements: FxHashMap::default(),
            classes: FxHashMap::default(),
            ids: FxHashMap::default(),
            rows: rows(given)?,
            lists: Lists {
                usual: words(given, "usual")?,
                kinds: words(given, "kinds")?,
                tabbed: words(given, "tabbed")?,
                bare_languages: words(given, "bare languages")?,
                roles: words(given, "roles")?,
                marks: words(given, "marks")?,
                shell_ids: words(given, "shell ids")?,
                changed: words(given, "changed")?,
                dead_schemes: words(given, "dead schemes")?,
                title_marks: table(given, "title marks")?.extract()?,
                member_ids: words(given, "member ids")?,
                containers: words(given, "containers")?,
                domains: words(given, "domains")?,
                aligned: table(given, "aligned")?.extract()?,
            },
        };
        for (key, bit) in element::KEYS {
            for name in words(given, key)? {
                if bit == element::INLINE {
                    *tables.elements.entry(format!("/{name}")).or_default() |= bit;
                }
                *tables.elements.entry(name).or_default() |= bit;
            }
        }
        for (key, bit) in class::KEYS {
            for name in words(given, key)? {
                let (names, name) = match name.strip_prefix('#') {
                    Some(id) => (&mut tables.ids, id.to_owned()),
                    None => (&mut tables.classes, name),
                };
                *names.entry(name).or_default() |= bit;
            }
        }
        Ok(tables)
    }

    pub fn element(&self, name: &str) -> u32 {
        self.elements.get(name).copied().unwrap_or(0)
    }

    pub fn is_void(&self, name: &str) -> bool {
        self.element(name) & element::VOID != 0
    }

    pub fn class(&self, name: &str) -> u32 {
        self.classes.get(name).copied().unwrap_or(0)
    }

    pub fn id(&self, name: &str) -> u32 {
        self.ids.get(name).copied().unwrap_or(0)
    }
}

fn table<'py>(given: &Bound<'py, PyDict>, key: &str) -> PyResult<Bound<'py, PyAny>> {
    given.get_item(key)?.ok_or_else(|| PyKeyError::new_err(key.to_owned()))
}

fn words(given: &Bound<'_, PyDict>, key: &str) -> PyResult<Vec<String>> {
    table(given, key)?.try_iter()?.map(|name| name?.extract()).collect()
}

type GivenRow = (String, Vec<Selector>, Option<Selector>, Vec<String>);

fn rows(given: &Bound<'_, PyDict>) -> PyResult<Vec<Row>> {
    let rows = table(given, "generators")?.extract::<Vec<GivenRow>>()?;
    Ok(rows.into_iter().map(|(name, main, hint, drop)| Row { name, main, hint, drop }).collect())
}
