//! What is read from a page's normal form. Each file is the twin of one of `formats/html`.

pub mod api_names;
pub mod guard;
pub mod head;
pub mod links;
pub mod listed_sections;
pub mod main_content;
pub mod prune;
pub mod section_outline;
pub mod sections;
pub mod selector;
pub mod tag;
pub mod text_v1;
pub mod tokens;
pub mod tree;
pub mod walk;
