//! The qualified name of what a section documents. Twin of `api_names.py`, which says the rules and has the
//! patterns: it is asked where one of them may fit, which for most sections none can.

use crate::ask::Ask;
use crate::html::listed_sections::SectionFacts;

/// The qualified name of a section; `around` is that of what it is in, `page` the page's title.
pub fn api_name(section: &SectionFacts, around: &str, page: &str, ask: &Ask) -> Option<String> {
    if !section.shown.is_empty() {
        return Some(signed(section.own(), &section.shown, around, ask));
    }
    if may_be_named(section, ask) {
        ask.api_name(section, around, page)
    } else {
        None
    }
}

/// What a page is about, where it says so in its head.
pub fn container_in(title: &str, descriptions: &[&str], ask: &Ask) -> String {
    let declares = descriptions.iter().any(|content| content.starts_with("declaration: "));
    if declares || title.ends_with("Reference") {
        ask.container_in(title, descriptions)
    } else {
        String::new()
    }
}

/// Whether one of the patterns may fit.
fn may_be_named(section: &SectionFacts, ask: &Ask) -> bool {
    let (title, lists) = (section.title.as_str(), &ask.tables().lists);
    let is_of = |name: &String| lists.member_ids.iter().any(|kind| name.starts_with(kind.as_str()));
    title.starts_with(['#', '.'])
        || title.ends_with("Reference")
        || title.contains('(')
        || (section.code && (title.contains('.') || title.contains("::")))
        || lists.containers.iter().any(|kind| title.starts_with(kind.as_str()))
        || section.names.iter().any(|name| name.ends_with(')') || is_of(name))
}

/// The name of a signature: its id, if that ends with what it shows.
fn signed(own: &str, shown: &str, around: &str, ask: &Ask) -> String {
    match own.strip_suffix(shown) {
        Some(before)
            if before.is_empty() || ask.tables().lists.domains.iter().any(|domain| domain == before) =>
        {
            shown.to_owned()
        }
        Some(before) if before.ends_with('.') => own.to_owned(),
        _ => within(around, shown),
    }
}

/// A name in its container, unless it says one itself; `#x` and `.x` are Ruby's.
fn within(around: &str, name: &str) -> String {
    if around.is_empty() {
        return name.trim_start_matches(['#', '.']).to_owned();
    }
    if name.starts_with(['#', '.']) {
        return format!("{around}{name}");
    }
    if name.contains("::") || name.contains('.') || name.starts_with(around) {
        return name.to_owned();
    }
    let parted_by = if around.contains("::") { "::" } else { "." };
    format!("{around}{parted_by}{name}")
}
