//! The content's tree to Markdown. Each file is the twin of one of `formats/markdown`.

mod boxes;
mod code;
mod escaping;
mod flanking;
mod inline;
mod lists;
mod run;
mod tables;
mod tex;
mod writer;

pub use boxes::{has_tabs, label_tabs};
pub use writer::{write_markdown, Written};
