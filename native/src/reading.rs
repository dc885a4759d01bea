//! One page from its normal form to the values that Python makes a page of.

use crate::ask::{Ask, Memory};
use crate::html::head::{anchors, base_reference, read_head, signs, Head};
use crate::html::links::{page_links, Link, Resolver, Url, Writing};
use crate::html::listed_sections::{listed_sections, ListedSection};
use crate::html::main_content::{find_main, whole, MainContent};
use crate::html::prune::prune;
use crate::html::section_outline::Outline;
use crate::html::sections::Places;
use crate::html::text_v1::{normalized, page_landmark};
use crate::html::tokens::{plain_form, read_tokens};
use crate::html::tree::{build, Document};
use crate::markdown::{has_tabs, label_tabs, section_spans, write_markdown, Style, Written};
use crate::tables::Tables;
use pyo3::exceptions::PyKeyError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyFrozenSet, PyString, PyTuple};
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// What is wanted: `DistillOptions`, as far as a reader needs them.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct Options<'py> {
    full: bool,
    absolute: bool,
    written: bool,
    links: bool,
    local: Option<Bound<'py, PyDict>>,
    anchors: String,
    outline: bool,
    /// Names of sections that somebody cites, those of one citation together; whether words are quoted.
    cited: Option<(Vec<Vec<String>>, bool)>,
}

/// The Python classes that values are made of.
pub struct Makers {
    make: Py<PyAny>,
    url: Py<PyAny>,
    link: Py<PyAny>,
    heading: Py<PyAny>,
    kinds: Py<PyDict>,
    section: Py<PyAny>,
    section_kinds: Py<PyDict>,
    section_hash: Py<PyAny>,
    content_hash: Py<PyAny>,
}

impl Makers {
    pub fn read(given: &Bound<'_, PyDict>) -> PyResult<Self> {
        let get = |key: &str| given.get_item(key)?.ok_or_else(|| PyKeyError::new_err(key.to_owned()));
        Ok(Makers {
            make: given.py().get_type::<PyTuple>().getattr("__new__")?.unbind(),
            url: get("url")?.unbind(),
            link: get("link")?.unbind(),
            heading: get("heading")?.unbind(),
            kinds: get("kinds")?.cast_into::<PyDict>()?.unbind(),
            section: get("section")?.unbind(),
            section_kinds: get("section kinds")?.cast_into::<PyDict>()?.unbind(),
            section_hash: get("section hash")?.unbind(),
            content_hash: get("content hash")?.unbind(),
        })
    }

    /// A named tuple of these values.
    fn made<'py>(&self, class: &Py<PyAny>, values: Bound<'py, PyTuple>) -> PyResult<Bound<'py, PyAny>> {
        let py = values.py();
        self.make.bind(py).call1((class.bind(py), values))
    }

    fn url<'py>(&self, url: Option<Rc<Url<'py>>>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let Some(url) = url else { return Ok(None) };
        if let Some(made) = url.made.get() {
            return Ok(Some(made.clone()));
        }
        let made = self.made(&self.url, url.parts.clone())?;
        Ok(Some(url.made.get_or_init(|| made).clone()))
    }
}

/// How a page is read.
pub struct Reading<'r, 'py> {
    pub tables: &'r Tables,
    pub makers: &'r Makers,
    pub memory: &'r Memory,
    pub options: &'r Options<'py>,
}

impl<'py> Reading<'_, 'py> {
    /// Text and its hash, head, links, anchors, signs, sections and, where it is wanted, Markdown, headings and
    /// generator. What is hashed is handed over as bytes: Python would have to make them of its own text.
    pub fn of(
        &self,
        normal_form: &str,
        questions: &Bound<'py, PyAny>,
    ) -> PyResult<Option<Bound<'py, PyTuple>>> {
        let py = questions.py();
        let ask = Ask::new(questions, self.memory, self.tables);
        let Some(plain) = plain_form(normal_form) else {
            return Ok(None);
        };
        let tokens = read_tokens(&plain, self.tables, &ask);
        let Some(mut document) = tokens.and_then(|tokens| build(tokens, self.tables)) else {
            return Ok(None);
        };
        let base = ask.base(base_reference(&document))?;
        let writing = Writing { absolute: self.options.absolute, local: self.options.local.clone() };
        let mut resolver = Resolver::new(&base, &writing, self.tables, &ask)?;
        let head = read_head(&document, &mut resolver);
        let landmark = page_landmark(&document);
        let links = if self.options.links { page_links(&document, &mut resolver) } else { Vec::new() };
        let anchors = PyFrozenSet::new(py, anchors(&document))?;
        let signs = signs(&document, &self.tables.lists.shell_ids);
        let (mut listed, mut cited) = (Vec::new(), None);
        if self.options.outline || self.options.cited.is_some() {
            let outline = Outline::new(&document, landmark.as_ref(), &ask);
            cited = self.options.cited.as_ref().map(|cited| self.cited_texts(&outline, cited, &ask));
            if self.options.outline {
                listed = listed_sections(&outline, &head.title, &ask);
            }
        }
        let text = normalized(landmark.map_or_else(String::new, |landmark| landmark.text), &ask);
        let (mut written, mut spans) = (None, vec![Vec::new(); listed.len()]);
        if self.options.written {
            let Some(own) = self.written(&mut document, &mut resolver, &ask) else {
                return Ok(None);
            };
            spans = spans_of(&listed, &own.0);
            written = Some(self.written_values(own, py)?);
        }
        let links = self.link_values(links, py)?;
        let listed = self.section_values(listed, spans, &head.language, py)?;
        if let Some(error) = ask.failure() {
            return Err(error);
        }
        let hash = self.makers.content_hash.bind(py).call1((PyBytes::new(py, text.as_bytes()),))?;
        (text, hash, self.head_values(head, py)?, links, anchors, signs, listed, cited, written)
            .into_pyobject(py)
            .map(Some)
    }

    /// The Markdown, and the generator. The tree is changed by that.
    fn written(
        &self,
        document: &mut Document,
        resolver: &mut Resolver<'_, 'py>,
        ask: &Ask<'py, '_>,
    ) -> Option<(Written, Option<String>)> {
        let options = self.options;
        let mut main = if options.full { whole(document) } else { find_main(document, self.tables) };
        let mut written = self.write(document, &main, resolver, ask)?;
        if written.markdown.is_empty() && !options.full {
            // the content is elsewhere: better all than nothing
            main = MainContent { generator: "~body", ..whole(document) };
            written = self.write(document, &main, resolver, ask)?;
        }
        Some((written, main.known().then(|| main.generator.to_owned())))
    }

    fn write(
        &self,
        document: &mut Document,
        main: &MainContent,
        resolver: &mut Resolver<'_, 'py>,
        ask: &Ask<'py, '_>,
    ) -> Option<Written> {
        if has_tabs(document, self.tables) {
            for place in &main.places {
                label_tabs(document, place.element, self.tables);
            }
        }
        prune(document, main, self.tables);
        let elements: Vec<u32> = main.places.iter().map(|place| place.element).collect();
        write_markdown(document, &elements, resolver, Style::of(&self.options.anchors), ask)
    }

    fn written_values(
        &self,
        (written, generator): (Written, Option<String>),
        py: Python<'py>,
    ) -> PyResult<(Bound<'py, PyString>, Bound<'py, PyTuple>, Option<String>)> {
        let makers = self.makers;
        let headings = written.headings.into_iter().map(|heading| {
            let values = (heading.level, heading.text, heading.anchor).into_pyobject(py)?;
            makers.made(&makers.heading, values)
        });
        let headings = PyTuple::new(py, headings.collect::<PyResult<Vec<_>>>()?)?;
        Ok((PyString::new(py, &written.markdown), headings, generator))
    }

    /// The text of each section that is cited (None: it is not there), and that of the whole page, if words
    /// of it are quoted.
    fn cited_texts(
        &self,
        outline: &Outline<'_, '_, 'py, '_>,
        (cited, quotes): &(Vec<Vec<String>>, bool),
        ask: &Ask<'py, '_>,
    ) -> (Vec<Option<String>>, Option<String>) {
        let places = Places::new(outline, ask);
        (cited.iter().map(|names| places.text_of(names)).collect(), quotes.then(|| places.body_text()))
    }

    fn section_values(
        &self,
        listed: Vec<ListedSection>,
        spans: Vec<Vec<(usize, usize)>>,
        language: &str,
        py: Python<'py>,
    ) -> PyResult<Bound<'py, PyTuple>> {
        let (makers, kinds) = (self.makers, self.makers.section_kinds.bind(py));
        let language = (!language.is_empty()).then(|| PyString::new(py, language));
        let mut paths: Vec<Bound<'py, PyTuple>> = Vec::with_capacity(listed.len());
        let mut made = Vec::with_capacity(listed.len());
        for (section, spans) in listed.into_iter().zip(spans) {
            let anchor = PyString::new(py, &section.anchor);
            let name = section.name.map(|name| match name == section.anchor {
                true => anchor.clone(),
                false => PyString::new(py, &name),
            });
            let own = name.clone().filter(|_| section.is_entry);
            let own = own.unwrap_or_else(|| PyString::new(py, &section.title));
            let above = section.parent.map(|parent| paths[parent].as_sequence().to_owned());
            let is_blank = section.start.is_none() && section.title.is_empty();
            let own = PyTuple::new(py, (!is_blank).then_some(own))?;
            let path = match above {
                Some(above) => above.concat(own.as_sequence())?.cast_into::<PyTuple>()?,
                None => own,
            };
            let hash = makers.section_hash.bind(py).call1((PyBytes::new(py, section.text.as_bytes()),))?;
            let kind = kinds.get_item(PyString::intern(py, section.kind))?;
            let spans = PyTuple::new(py, spans)?;
            let values = (anchor, &path, section.level, kind, name, &language, section.text, hash, spans);
            made.push(makers.made(&makers.section, values.into_pyobject(py)?)?);
            paths.push(path);
        }
        PyTuple::new(py, made)
    }

    fn link_values(&self, links: Vec<Link<'py>>, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let makers = self.makers;
        let kinds = makers.kinds.bind(py);
        let links = links.into_iter().map(|link| {
            let url = makers.url(Some(link.url))?;
            let kind = kinds.get_item(PyString::intern(py, link.kind))?;
            makers.made(&makers.link, (url, link.text, kind, link.nofollow).into_pyobject(py)?)
        });
        PyTuple::new(py, links.collect::<PyResult<Vec<_>>>()?)
    }

    fn head_values(&self, head: Head<'py>, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let (canonical, alternate) =
            (self.makers.url(head.canonical)?, self.makers.url(head.markdown_alternate)?);
        (head.title, head.language, canonical, head.noindex, head.nofollow, head.refresh, alternate)
            .into_pyobject(py)
    }
}

/// The bytes of the Markdown that say each section.
fn spans_of(listed: &[ListedSection], written: &Written) -> Vec<Vec<(usize, usize)>> {
    if listed.is_empty() {
        return Vec::new();
    }
    let numbers = listed.iter().enumerate().filter_map(|(number, section)| Some((section.start?, number)));
    let numbers: FxHashMap<usize, usize> = numbers.collect();
    let number_at = |token: u32| numbers.get(&(token as usize)).copied();
    section_spans(&written.marks, written.markdown.len(), listed.len(), number_at)
}
