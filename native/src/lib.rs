//! The native reader: everything that is read from a page's normal form, in one call.
//!
//! 1. The Python of `formats/html` and `formats/markdown` is the reference: this does the same, value for
//!    value, and tests compare both. A file here has the name of its twin there.
//! 2. What cannot be read exactly is declined (None), and Python reads that page. A panic declines too.
//! 3. Tables are Python's, handed over once. Unicode, URLs that are not plain and patterns of names are asked
//!    of Python, one question at a time (`ask`).
//! 4. No `unsafe`, no I/O, no clock, no environment.

mod ask;
mod html;
mod markdown;
mod reading;
mod spaces;
mod tables;
mod traps;

use ask::Memory;
use html::guard;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyString, PyTuple};
use reading::{Makers, Options, Reading};
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::str::from_utf8;
use tables::Tables;

/// What this reads and writes: a reader of another version of the reference is not used.
const REFERENCE: &str = "text_v1 markdown_v2";

/// Reads pages; one is enough for a process.
#[pyclass(frozen)]
struct Reader {
    tables: Tables,
    makers: Makers,
    memory: Memory,
}

#[pymethods]
impl Reader {
    #[new]
    fn new(tables: &Bound<'_, PyDict>, makers: &Bound<'_, PyDict>) -> PyResult<Self> {
        Ok(Reader { tables: Tables::read(tables)?, makers: Makers::read(makers)?, memory: Memory::default() })
    }

    /// Whether a page is surely within the limits of `guard.py`.
    fn is_harmless(&self, html: &Bound<'_, PyAny>) -> bool {
        utf8_of(html).is_some_and(|html| guard::is_harmless(html, &self.tables))
    }

    /// Of what a normal form leaves out or writes otherwise, what the page may have.
    fn changed(&self, html: &Bound<'_, PyAny>) -> Vec<&str> {
        let names = &self.tables.lists.changed;
        match utf8_of(html) {
            Some(html) => guard::names_in(html, names),
            None => names.iter().map(String::as_str).collect(),
        }
    }

    /// The words that the gist of a page is made of, all of them and those of no link; None where Python has to
    /// say it.
    fn said<'py>(
        &self,
        text: &Bound<'py, PyString>,
        address: &Bound<'py, PyString>,
        linked: &Bound<'py, PyString>,
    ) -> Option<(Bound<'py, PyBytes>, Bound<'py, PyBytes>)> {
        let py = text.py();
        let (all, unlinked) = traps::said(text.to_str().ok()?, address.to_str().ok()?, linked.to_str().ok()?);
        Some((PyBytes::new(py, &all), PyBytes::new(py, &unlinked)))
    }

    /// What is read from a normal form, or None. `questions` answers what `ask` asks.
    fn read<'py>(
        &self,
        normal_form: &Bound<'py, PyString>,
        questions: &Bound<'py, PyAny>,
        options: Options<'py>,
    ) -> PyResult<Option<Bound<'py, PyTuple>>> {
        let Ok(form) = normal_form.to_str() else {
            return Ok(None);
        };
        let reading =
            Reading { tables: &self.tables, makers: &self.makers, memory: &self.memory, options: &options };
        catch_unwind(AssertUnwindSafe(|| reading.of(form, questions))).unwrap_or(Ok(None))
    }
}

/// A page that is given as a text, or as its bytes in UTF-8; None where it is neither.
fn utf8_of<'a>(html: &'a Bound<'_, PyAny>) -> Option<&'a str> {
    match html.cast::<PyBytes>() {
        Ok(bytes) => from_utf8(bytes.as_bytes()).ok(),
        Err(_) => html.cast::<PyString>().ok()?.to_str().ok(),
    }
}

#[pymodule]
fn _native(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("REFERENCE", REFERENCE)?;
    module.add_class::<Reader>()
}
