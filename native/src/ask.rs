//! Questions that Python answers: what its own Unicode tables, the URL parser and regular expressions say.
//!
//! Answers that depend on nothing but the question are remembered from page to page. What a question
//! raises is kept, and raised when the page is done.

use crate::html::listed_sections::SectionFacts;
use crate::spaces::strip;
use crate::tables::Tables;
use pyo3::prelude::*;
use pyo3::types::{PyString, PyTuple};
use rustc_hash::FxHashMap;
use std::cell::RefCell;
use std::sync::{Mutex, MutexGuard, PoisonError};

const ALPHANUMERIC: u8 = 1;
const DECIMAL: u8 = 2;
const APART: u8 = 4;
/// How many answers of a kind are remembered.
const MOST: usize = 4_000;
/// Longer questions are not remembered.
const LONG: usize = 200;

/// What was answered before.
#[derive(Default)]
pub struct Memory {
    characters: Mutex<FxHashMap<char, u8>>,
    names: Mutex<FxHashMap<String, u8>>,
    languages: Mutex<FxHashMap<String, String>>,
    alignments: Mutex<FxHashMap<String, String>>,
}

pub struct Ask<'py, 'm> {
    python: &'m Bound<'py, PyAny>,
    memory: &'m Memory,
    tables: &'m Tables,
    failure: RefCell<Option<PyErr>>,
}

impl<'py, 'm> Ask<'py, 'm> {
    pub fn new(python: &'m Bound<'py, PyAny>, memory: &'m Memory, tables: &'m Tables) -> Self {
        Ask { python, memory, tables, failure: RefCell::new(None) }
    }

    pub fn tables(&self) -> &'m Tables {
        self.tables
    }

    pub fn py(&self) -> Python<'py> {
        self.python.py()
    }

    /// What a question raised, if one did.
    pub fn failure(&self) -> Option<PyErr> {
        self.failure.borrow_mut().take()
    }

    /// `str.isalnum`.
    pub fn is_alphanumeric(&self, c: char) -> bool {
        if c.is_ascii() {
            c.is_ascii_alphanumeric()
        } else {
            self.character(c) & ALPHANUMERIC != 0
        }
    }

    /// `str.isdecimal`.
    pub fn is_decimal(&self, c: char) -> bool {
        if c.is_ascii() {
            c.is_ascii_digit()
        } else {
            self.character(c) & DECIMAL != 0
        }
    }

    /// Whether Unicode 3.2 calls a character punctuation, a symbol, a separator or nothing.
    pub fn stands_apart(&self, c: char) -> bool {
        self.character(c) & APART != 0
    }

    /// What an id or a class says it is: bits of `prune`.
    pub fn named_after(&self, names: &str) -> u8 {
        remembered(&self.memory.names, names, || self.ask("named_after", (names,)))
    }

    /// The language that a class names; empty where it names none.
    pub fn language(&self, classes: &str) -> String {
        remembered(&self.memory.languages, classes, || self.ask("language", (classes,)))
    }

    /// A language as it may stand after a fence.
    pub fn safe_language(&self, stated: &str) -> String {
        self.ask("safe_language", (stated,))
    }

    /// How a style aligns text; empty where it says nothing of it.
    pub fn alignment(&self, style: &str) -> String {
        remembered(&self.memory.alignments, style, || self.ask("alignment", (style,)))
    }

    /// NFC of Unicode 14.0.
    pub fn nfc(&self, text: &str) -> String {
        self.ask("nfc", (text,))
    }

    /// `urllib.parse.unquote`.
    pub fn unquote(&self, text: &str) -> String {
        self.ask("unquote", (text,))
    }

    /// The id that a renderer makes of a heading.
    pub fn heading_slug(&self, text: &str) -> String {
        if !text.is_ascii() {
            return self.ask("heading_slug", (text,));
        }
        let kept = strip(text).chars().filter(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | ' '));
        kept.map(|c| if c == ' ' { '-' } else { c.to_ascii_lowercase() }).collect()
    }

    /// The qualified name of a section that is not a signature.
    pub fn api_name(&self, section: &SectionFacts, around: &str, page: &str) -> Option<String> {
        self.ask("api_name", (section.names.clone(), &section.title, around, section.code, page))
    }

    /// What a page is about, by its title and what it says of itself.
    pub fn container_in(&self, title: &str, descriptions: &[&str]) -> String {
        self.ask("container_in", (title, descriptions.to_vec()))
    }

    /// The numbers of the headings of which a renderer would make one of these ids.
    pub fn fitting_headings(&self, ids: &[String], headings: Vec<String>) -> Vec<usize> {
        self.ask("fitting_headings", (ids.to_vec(), headings))
    }

    /// The URL that a reference means, by the URL parser.
    pub fn parse(&self, reference: &str) -> Option<Bound<'py, PyTuple>> {
        let question = PyString::intern(self.py(), "parse");
        self.kept(self.python.call_method1(question, (reference,)).map(|url| url.cast_into::<PyTuple>().ok()))
    }

    /// The URL that relative references are relative to; `reference` is what the page says of it.
    pub fn base(&self, reference: Option<&str>) -> PyResult<Bound<'py, PyTuple>> {
        Ok(self.python.call_method1("base", (reference,))?.cast_into::<PyTuple>()?)
    }

    fn character(&self, c: char) -> u8 {
        let known = locked(&self.memory.characters).get(&c).copied();
        known.unwrap_or_else(|| {
            let properties = self.ask("character", (c,));
            locked(&self.memory.characters).insert(c, properties);
            properties
        })
    }

    fn ask<T>(&self, question: &str, about: impl pyo3::call::PyCallArgs<'py>) -> T
    where
        T: Default + for<'a> FromPyObject<'a, 'py, Error = PyErr>,
    {
        let question = PyString::intern(self.py(), question);
        self.kept(self.python.call_method1(question, about).and_then(|answer| answer.extract()))
    }

    fn kept<T: Default>(&self, answer: PyResult<T>) -> T {
        answer.unwrap_or_else(|error| {
            self.failure.borrow_mut().get_or_insert(error);
            T::default()
        })
    }
}

fn remembered<T: Clone>(memory: &Mutex<FxHashMap<String, T>>, question: &str, ask: impl FnOnce() -> T) -> T {
    if let Some(answer) = locked(memory).get(question) {
        return answer.clone();
    }
    let answer = ask();
    if question.len() < LONG {
        let mut memory = locked(memory);
        if memory.len() >= MOST {
            memory.clear();
        }
        memory.insert(question.to_owned(), answer.clone());
    }
    answer
}

fn locked<T>(memory: &Mutex<T>) -> MutexGuard<'_, T> {
    memory.lock().unwrap_or_else(PoisonError::into_inner)
}
