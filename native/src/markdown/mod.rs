//! The content's tree to Markdown. Each file is the twin of one of `formats/markdown`.

mod anchors;
mod boxes;
mod code;
mod escaping;
mod flanking;
mod footnotes;
mod inline;
mod lists;
mod loose;
mod marks;
mod run;
mod tables;
mod tex;
mod writer;

pub use anchors::Style;
pub use boxes::{has_tabs, label_tabs};
pub use marks::section_spans;
pub use writer::{write_markdown, Written};
