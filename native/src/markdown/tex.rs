//! Mathematics, as the TeX it was written in. Twin of `tex.py`.

use crate::html::tag::{Tag, TEX};
use crate::html::tree::Document;
use crate::html::walk::{find, raw_text};
use crate::spaces::strip;
use crate::tables::class;

const DELIMITERS: [(&str, &str); 4] = [("\\(", "\\)"), ("\\[", "\\]"), ("$$", "$$"), ("$", "$")];

/// Whether an element holds a formula.
pub fn is_math(document: &Document, element: u32) -> bool {
    let tag = document.tag(element);
    matches!(tag.name, "math" | TEX) || (tag.named & class::MATH != 0 && tex_of(document, element).is_some())
}

/// The TeX source that an element carries; None where it carries none.
pub fn tex_of(document: &Document, element: u32) -> Option<String> {
    let children = document.children(element);
    let tag = document.tag(element);
    let text = |element: u32| strip(&raw_text(document, document.children(element))).to_owned();
    let some = |text: &str| Some(strip(text)).filter(|text| !text.is_empty()).map(str::to_owned);
    if tag.name == TEX {
        return Some(text(element));
    }
    let is_annotation =
        &mut |_: u32, tag: &Tag| tag.name == "annotation" && tag.value("encoding").contains("tex");
    if let Some(annotation) = find(document, children, is_annotation) {
        return Some(text(annotation));
    }
    let formula = if tag.name == "math" {
        Some(element)
    } else {
        find(document, children, &mut |_, tag| tag.name == "math")
    };
    if let Some(formula) = formula {
        return some(document.tag(formula).value("alttext"));
    }
    if let Some(image) = find(document, children, &mut |_, tag| tag.name == "img") {
        return some(document.tag(image).value("alt"));
    }
    let raw = raw_text(document, children);
    let raw = strip(&raw);
    let inside = |(opening, closing): &(&str, &str)| raw.strip_prefix(opening)?.strip_suffix(closing);
    DELIMITERS.iter().find_map(inside).map(|tex| strip(tex).to_owned())
}
