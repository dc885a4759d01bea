//! Where a page points to. Twin of `links.py`: what is not plain goes to the URL parser, by Python.

use crate::ask::Ask;
use crate::html::tag::Tag;
use crate::html::tree::Document;
use crate::spaces::{one_line, strip, words};
use crate::tables::Tables;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString, PyTuple};
use rustc_hash::{FxHashMap, FxHashSet};
use std::cell::OnceCell;
use std::rc::Rc;

const HTML_SPACE: [char; 5] = ['\t', '\n', '\x0c', '\r', ' '];

/// The parts of the URL that references are relative to: scheme, host, port, path, query, fragment.
pub type Parts = (String, String, Option<u32>, String, Option<String>, String);

/// An http(s) URL: as the tuple that Python makes a `Url` of, and as text without its fragment.
pub struct Url<'py> {
    pub parts: Bound<'py, PyTuple>,
    /// The `Url` that was made of it, if one was.
    pub made: OnceCell<Bound<'py, PyAny>>,
    href: String,
    fragment: String,
}

impl Url<'_> {
    fn whole(&self) -> String {
        if self.fragment.is_empty() {
            self.href.clone()
        } else {
            format!("{}#{}", self.href, self.fragment)
        }
    }
}

/// How links are written.
pub struct Writing<'py> {
    pub absolute: bool,
    pub local: Option<Bound<'py, PyDict>>,
}

/// Resolves the references of one page, each distinct one once.
pub struct Resolver<'a, 'py> {
    ask: &'a Ask<'py, 'a>,
    tables: &'a Tables,
    writing: &'a Writing<'py>,
    base: Base<'py>,
    seen: FxHashMap<String, Option<Rc<Url<'py>>>>,
    written: FxHashMap<String, Rc<str>>,
}

struct Base<'py> {
    scheme: Bound<'py, PyAny>,
    host: Bound<'py, PyAny>,
    port: Bound<'py, PyAny>,
    query: Bound<'py, PyAny>,
    origin: String,
    path: String,
    query_text: Option<String>,
    folder: Vec<String>,
}

impl<'py> Base<'py> {
    fn new(url: &Bound<'py, PyTuple>) -> PyResult<Self> {
        let (scheme, host, port, path, query_text, _) = url.extract::<Parts>()?;
        let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
        let folder = folder.split('/').map(str::to_owned).collect();
        Ok(Base {
            scheme: url.get_item(0)?,
            host: url.get_item(1)?,
            port: url.get_item(2)?,
            query: url.get_item(4)?,
            origin: origin(&scheme, &host, port),
            path,
            query_text,
            folder,
        })
    }
}

fn origin(scheme: &str, host: &str, port: Option<u32>) -> String {
    port.map_or_else(|| format!("{scheme}://{host}"), |port| format!("{scheme}://{host}:{port}"))
}

fn with_query(mut href: String, query: Option<&str>) -> String {
    if let Some(query) = query {
        href.push('?');
        href.push_str(query);
    }
    href
}

impl<'a, 'py> Resolver<'a, 'py> {
    pub fn new(
        base: &Bound<'py, PyTuple>,
        writing: &'a Writing<'py>,
        tables: &'a Tables,
        ask: &'a Ask<'py, 'a>,
    ) -> PyResult<Self> {
        let (seen, written) = Default::default();
        Ok(Resolver { ask, tables, writing, base: Base::new(base)?, seen, written })
    }

    /// The http(s) URL that a reference means; None where it means none.
    pub fn url(&mut self, reference: &str) -> Option<Rc<Url<'py>>> {
        if let Some(url) = self.seen.get(reference) {
            return url.clone();
        }
        let url = self.resolve(reference.trim_matches(HTML_SPACE)).map(Rc::new);
        self.seen.insert(reference.to_owned(), url.clone());
        url
    }

    /// A reference as a Markdown link destination: absolute, closed; empty where it leads nowhere.
    pub fn destination(&mut self, reference: &str) -> Rc<str> {
        if let Some(written) = self.written.get(reference) {
            return written.clone();
        }
        let written: Rc<str> = match self.nearby(reference) {
            Some(path) if !path.is_empty() => path.into(),
            _ => self.write(reference).into(),
        };
        self.written.insert(reference.to_owned(), written.clone());
        written
    }

    /// The file that stands for a reference, where there is one.
    fn nearby(&mut self, reference: &str) -> Option<String> {
        let local = self.writing.local.as_ref()?;
        let url = self.url(reference)?;
        let path: String = local.get_item(&url.href).ok()??.extract().ok()?;
        let leads_on = !path.is_empty() && !url.fragment.is_empty();
        Some(if leads_on { closed(format!("{path}#{}", url.fragment)) } else { path })
    }

    fn resolve(&self, reference: &str) -> Option<Url<'py>> {
        let base = &self.base;
        let own = reference.strip_prefix(&base.origin).filter(|own| own.starts_with('/'));
        let Some(plain) = Plain::read(own.unwrap_or(reference)) else {
            return self.parsed(reference);
        };
        let is_page = plain.up == 0 && plain.path.is_empty();
        let path = if is_page {
            base.path.clone()
        } else {
            let kept = base.folder.len().saturating_sub(plain.up).max(1);
            let mut path = base.folder[..kept].join("/");
            path.push('/');
            path.push_str(plain.path);
            path
        };
        let py = self.ask.py();
        let query = if is_page { base.query.clone() } else { py.None().into_bound(py) };
        let href =
            with_query(format!("{}{path}", base.origin), base.query_text.as_deref().filter(|_| is_page));
        let (whole, fragment) = (PyString::new(py, &path), PyString::new(py, plain.fragment));
        let parts = (&base.scheme, &base.host, &base.port, whole, query, fragment).into_pyobject(py).ok()?;
        Some(Url { parts, made: OnceCell::new(), href, fragment: plain.fragment.to_owned() })
    }

    fn parsed(&self, reference: &str) -> Option<Url<'py>> {
        let parts = self.ask.parse(reference)?;
        let (scheme, host, port, path, query, fragment) = parts.extract::<Parts>().ok()?;
        let href = with_query(origin(&scheme, &host, port) + &path, query.as_deref());
        let made = OnceCell::from(parts.clone().into_any());
        Some(Url { parts, made, href, fragment })
    }

    fn write(&mut self, reference: &str) -> String {
        let scheme = scheme_of(reference);
        if self.writing.absolute || scheme.is_some() {
            if let Some(url) = self.url(reference) {
                return closed(url.whole());
            }
            let dead = &self.tables.lists.dead_schemes;
            if scheme.is_none_or(|scheme| dead.contains(&scheme.to_lowercase())) {
                return String::new();
            }
        }
        let mut safe = String::with_capacity(reference.len());
        for c in reference.trim_matches(HTML_SPACE).chars() {
            if matches!(c, '\0'..=' ' | '<' | '>' | '\\' | '\x7f') {
                safe.push_str(&format!("%{:02X}", c as u32));
            } else {
                safe.push(c);
            }
        }
        closed(safe)
    }
}

/// A reference of plain ASCII path and fragment: steps up (from the root: all there are), path, fragment.
struct Plain<'r> {
    up: usize,
    path: &'r str,
    fragment: &'r str,
}

impl<'r> Plain<'r> {
    fn read(reference: &'r str) -> Option<Self> {
        let (mut rest, mut up) = (reference, 0);
        if let Some(further) = reference.strip_prefix('/') {
            (rest, up) = (further, usize::MAX);
        } else {
            while let Some(further) = rest.strip_prefix("../") {
                (rest, up) = (further, up + 1);
            }
        }
        let (path, fragment) = rest.split_once('#').unwrap_or((rest, ""));
        let is_word = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'~' | b'-');
        let mut starts = true;
        for byte in path.bytes() {
            match byte {
                b'/' if !starts => starts = true,
                b'.' if !starts => {}
                _ if is_word(byte) => starts = false,
                _ => return None,
            }
        }
        let allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"_.~:/?@!$&()*+,;=%-".contains(&byte);
        fragment.bytes().all(allowed).then_some(Plain { up, path, fragment })
    }
}

/// What stands before the first colon, if it is a scheme.
fn scheme_of(reference: &str) -> Option<&str> {
    let (scheme, _) = reference.trim_start_matches(|c| c <= ' ').split_once(':')?;
    let goes_on = |c: char| c.is_ascii_alphanumeric() || matches!(c, '+' | '.' | '-' | '\t' | '\r' | '\n');
    (scheme.starts_with(|c: char| c.is_ascii_alphabetic()) && scheme.chars().all(goes_on)).then_some(scheme)
}

/// Parentheses that do not pair would end a destination early.
fn closed(text: String) -> String {
    if !text.contains(['(', ')']) {
        return text;
    }
    let mut depth = 0;
    for byte in text.bytes() {
        depth += i32::from(byte == b'(') - i32::from(byte == b')');
        if !(0..=30).contains(&depth) {
            break;
        }
    }
    if depth == 0 {
        text
    } else {
        text.replace('(', "%28").replace(')', "%29")
    }
}

/// Where an image really is: lazy loaders and `srcset` hide it.
pub fn image_source<'t>(tag: &'t Tag) -> &'t str {
    let is_source = |source: &&str| !source.is_empty() && !source.starts_with("data:");
    let named = ["src", "data-src", "data-original", "data-lazy-src"];
    if let Some(source) = named.into_iter().map(|name| strip(tag.value(name))).find(is_source) {
        return source;
    }
    let candidates = ["srcset", "data-srcset"].into_iter().flat_map(|name| tag.value(name).split(','));
    candidates.map(|candidate| strip(candidate).split(' ').next().unwrap_or("")).find(is_source).unwrap_or("")
}

pub struct Link<'py> {
    pub url: Rc<Url<'py>>,
    pub text: String,
    pub kind: &'static str,
    pub nofollow: bool,
}

/// Every link of the page, in document order; the same reference, text and kind once.
pub fn page_links<'py>(document: &Document, resolver: &mut Resolver<'_, 'py>) -> Vec<Link<'py>> {
    let mut seen: FxHashSet<(&'static str, &str, String)> = FxHashSet::default();
    let mut links = Vec::with_capacity(document.collected.len());
    for &at in &document.collected {
        let tag = document.token(at);
        let Some(reading) = reading(document, tag, at) else {
            continue;
        };
        if reading.1.is_empty() || seen.contains(&reading) {
            continue;
        }
        if let Some(url) = resolver.url(reading.1) {
            let nofollow =
                tag.get("rel").is_some_and(|rel| words(&rel.to_lowercase()).any(|word| word == "nofollow"));
            links.push(Link { url, text: reading.2.clone(), kind: reading.0, nofollow });
            seen.insert(reading);
        }
    }
    links
}

/// Kind, reference and text.
fn reading<'d>(document: &'d Document, tag: &'d Tag, at: usize) -> Option<(&'static str, &'d str, String)> {
    let text = |name: &str| tag.value(name).to_owned();
    Some(match tag.name {
        "a" => {
            let reference = tag.get("href").filter(|reference| !reference.is_empty())?;
            let plain = document.name(at + 1) == "/a"; // as in most
            ("anchor", reference, if plain { one_line(&document.texts[at]) } else { document.text_at(at) })
        }
        "img" => ("image", image_source(tag), text("alt")),
        "area" => ("anchor", tag.value("href"), text("alt")),
        "iframe" | "frame" => ("frame", tag.value("src"), text("title")),
        "video" | "audio" | "source" | "embed" => ("media", tag.value("src"), text("title")),
        _ => return None,
    })
}
