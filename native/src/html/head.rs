//! What a page says about itself. Twin of `head.py` and of `outline.py`; Python reads the refresh.

use crate::html::links::{Resolver, Url};
use crate::html::tag::Tag;
use crate::html::tree::Document;
use crate::html::walk::find;
use crate::spaces::{strip, words};
use std::rc::Rc;

pub struct Head<'py> {
    pub title: String,
    pub language: String,
    pub canonical: Option<Rc<Url<'py>>>,
    pub noindex: bool,
    pub nofollow: bool,
    /// The content of the first refresh.
    pub refresh: Option<String>,
    pub markdown_alternate: Option<Rc<Url<'py>>>,
}

/// The reference of the first `<base href>`.
pub fn base_reference<'d>(document: &'d Document) -> Option<&'d str> {
    collected(document).filter(|tag| tag.name == "base").find_map(|tag| tag.get("href"))
}

pub fn read_head<'py>(document: &Document, resolver: &mut Resolver<'_, 'py>) -> Head<'py> {
    let says = |robots: &[String], word: &str| robots.iter().any(|own| own == word || own == "none");
    let robots = robots(document);
    let root = collected(document).find(|tag| tag.name == "html");
    let is_refresh = |tag: &&Tag| tag.name == "meta" && tag.value("http-equiv").to_lowercase() == "refresh";
    Head {
        title: title(document),
        language: root.map_or("", |tag| strip(tag.value("lang"))).to_owned(),
        canonical: linked(document, "canonical", "", resolver),
        noindex: says(&robots, "noindex"),
        nofollow: says(&robots, "nofollow"),
        refresh: collected(document).find(is_refresh).map(|tag| tag.value("content").to_owned()),
        markdown_alternate: linked(document, "alternate", "text/markdown", resolver),
    }
}

/// `[attrs of the tags there are]` asked for what `signals.py` wants to know: an element that a script
/// fills, a password field.
pub fn signs(document: &Document, shell_ids: &[String]) -> (bool, bool) {
    let has_root =
        document.tags.iter().any(|tag| tag.id().is_some_and(|id| shell_ids.iter().any(|own| own == id)));
    let asks = |tag: &Tag| tag.name == "input" && tag.value("type").to_lowercase() == "password";
    (has_root, document.tags.iter().any(asks))
}

/// Every id, and every name of a link; some of them more than once.
pub fn anchors<'d>(document: &'d Document) -> Vec<&'d str> {
    let ids = document.tags.iter().filter_map(Tag::id);
    let names = document.tags.iter().filter(|tag| tag.name == "a").filter_map(|tag| tag.get("name"));
    ids.chain(names).collect()
}

/// A heading's own id, or that of an anchor in it.
pub fn anchor_of(document: &Document, heading: u32, around: &[u32]) -> Option<String> {
    if let Some(own) = document.tag(heading).id() {
        return Some(own.to_owned());
    }
    let own = around.iter().rev().find_map(|link| target_of(document.tag(*link)));
    own.or_else(|| {
        let inner = find(document, document.children(heading), &mut |_, tag| target_of(tag).is_some())?;
        target_of(document.tag(inner))
    })
}

/// The name that a link to an element uses.
pub fn target_of(tag: &Tag) -> Option<String> {
    let name = || {
        if tag.name == "a" {
            tag.get("name")
        } else {
            None
        }
    };
    tag.id().filter(|id| !id.is_empty()).or_else(name).filter(|name| !name.is_empty()).map(str::to_owned)
}

fn collected<'d, 'a>(document: &'d Document<'a>) -> impl Iterator<Item = &'d Tag<'a>> {
    document.collected.iter().map(|at| document.token(*at))
}

fn title(document: &Document) -> String {
    let titles = ["title", "h1"].into_iter().flat_map(|name| {
        let places = document.collected.iter().filter(move |at| document.token(**at).name == name);
        places.map(|at| document.text_at(*at))
    });
    titles.into_iter().find(|title| !title.is_empty()).unwrap_or_default()
}

fn robots(document: &Document) -> Vec<String> {
    let metas =
        collected(document).filter(|tag| tag.name == "meta" && tag.value("name").to_lowercase() == "robots");
    metas.flat_map(|tag| tag.value("content").split(',').map(|word| strip(word).to_lowercase())).collect()
}

fn linked<'py>(
    document: &Document,
    relation: &str,
    media: &str,
    resolver: &mut Resolver<'_, 'py>,
) -> Option<Rc<Url<'py>>> {
    let is_wanted = |tag: &&Tag| {
        tag.name == "link"
            && words(&tag.value("rel").to_lowercase()).any(|word| word == relation)
            && tag.get("href").is_some()
            && (media.is_empty() || tag.value("type").to_lowercase() == media)
    };
    let link = collected(document).find(is_wanted)?;
    resolver.url(link.value("href"))
}
