//! One compound selector of the generator table. Twin of `selector.py`, which parses it.

use crate::html::tag::Tag;
use pyo3::prelude::*;

/// What an element must be and have.
pub struct Selector {
    tag: String,
    pub names: Vec<String>,
    values: Vec<(String, String, String)>,
}

impl Selector {
    /// Whether the element of this tag is one of them.
    pub fn matches(&self, tag: &Tag) -> bool {
        (self.tag.is_empty() || tag.name == self.tag)
            && self.names.iter().all(|name| tag.has(name))
            && self.values.iter().all(|(name, operator, value)| {
                let actual = tag.value(name).to_lowercase();
                if operator == "^=" {
                    actual.starts_with(value.as_str())
                } else {
                    actual == *value
                }
            })
    }
}

impl<'a, 'py> FromPyObject<'a, 'py> for Selector {
    type Error = PyErr;

    fn extract(given: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
        let names =
            given.getattr("names")?.try_iter()?.map(|name| name?.extract()).collect::<PyResult<_>>()?;
        Ok(Selector {
            tag: given.getattr("tag")?.extract()?,
            names,
            values: given.getattr("values")?.extract()?,
        })
    }
}
