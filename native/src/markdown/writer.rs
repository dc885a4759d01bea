//! The content's tree to Markdown: blocks in order, each by the part that knows it. Twin of `writer.py`.

use crate::ask::Ask;
use crate::html::head::anchor_of;
use crate::html::links::Resolver;
use crate::html::tag::{Tag, TEX};
use crate::html::tree::{Document, Node};
use crate::html::walk::{find, has, text_of};
use crate::markdown::boxes::quoted;
use crate::markdown::code::is_code_block;
use crate::markdown::inline::Inline;
use crate::markdown::run::{plain_paragraph, Run};
use crate::markdown::tex::{is_math, tex_of};
use crate::spaces::is_blank;
use crate::tables::{class, element, Tables};

/// Lists, quotes and definitions inside each other; deeper ones are written flat.
pub const MAX_NESTING: usize = 24;

pub struct Heading {
    pub level: u8,
    pub text: String,
    pub anchor: Option<String>,
}

/// Markdown, which ends with a newline unless it is empty, and the headings in it.
pub struct Written {
    pub markdown: String,
    pub headings: Vec<Heading>,
}

/// Markdown of the main elements, in order; None where a part of it has too many pieces.
pub fn write_markdown<'py>(
    document: &Document,
    main: &[u32],
    links: &mut Resolver<'_, 'py>,
    tables: &Tables,
    ask: &Ask<'py, '_>,
) -> Option<Written> {
    let mut writer = Writer {
        document,
        links,
        tables,
        ask,
        headings: Vec::new(),
        language: String::new(),
        section: None,
        linked: Vec::new(),
        too_long: false,
    };
    let mut blocks = Vec::new();
    for element in main {
        blocks.append(&mut writer.blocks(&[Node::Element(*element)], 0));
    }
    let mut markdown = writer.parted(blocks).join("\n\n");
    if !markdown.is_empty() {
        markdown.push('\n');
    }
    (!writer.too_long).then_some(Written { markdown, headings: writer.headings })
}

/// Writes blocks; the parts are in files of their own.
pub struct Writer<'d, 'a, 'r, 'py, 'm> {
    pub document: &'d Document<'a>,
    pub links: &'d mut Resolver<'r, 'py>,
    pub tables: &'d Tables,
    pub ask: &'d Ask<'py, 'm>,
    headings: Vec<Heading>,
    language: String,
    section: Option<&'d str>,
    /// Headings, and the links around them that go into them.
    linked: Vec<(u32, u32)>,
    too_long: bool,
}

impl<'d> Writer<'d, '_, '_, '_, '_> {
    /// Children as blocks: inline ones in a row make paragraphs.
    pub fn blocks(&mut self, children: &[Node], depth: usize) -> Vec<String> {
        let document = self.document;
        let mut written = Vec::new();
        let mut inline = Vec::new();
        for child in children {
            match *child {
                Node::Text(text) => {
                    if !inline.is_empty() || !is_blank(document.text(text)) {
                        inline.push(*child);
                    }
                }
                Node::Element(element) => {
                    let tag = document.tag(element);
                    if tag.is & element::SILENT != 0 {
                        continue;
                    }
                    if tag.is & element::BLOCK == 0 && !self.holds_block(element) && !is_block_math(tag) {
                        inline.push(*child);
                        continue;
                    }
                    self.settle(&mut inline, &mut written);
                    written.append(&mut self.block(element, depth));
                }
            }
        }
        self.settle(&mut inline, &mut written);
        if written.len() > 1 { self.parted(written) } else { written }
    }

    /// Children on one line.
    pub fn line(&mut self, children: &[Node], line_break: &str) -> String {
        let mut inline = Inline::default();
        self.add(&mut inline, children);
        self.ended(inline).on_one_line(line_break, self.ask)
    }

    /// A run that is gathered.
    pub fn ended(&mut self, inline: Inline) -> Run {
        self.too_long |= inline.run.too_long;
        inline.run
    }

    /// Whether an element must be laid out as a block: it is one, or one is inside.
    pub fn holds_block(&self, element: u32) -> bool {
        let tag = self.document.tag(element);
        tag.is & element::BLOCK != 0 || tag.named & class::BLOCK != 0 || self.hold_block(self.document.children(element))
    }

    /// Whether one of these must be laid out as a block.
    pub fn hold_block(&self, nodes: &[Node]) -> bool {
        nodes.iter().any(|node| matches!(*node, Node::Element(element) if self.holds_block(element)))
    }

    /// The links around a heading that go into it, the innermost first.
    pub fn links_into(&self, heading: u32) -> Vec<u32> {
        self.linked.iter().filter(|(own, _)| *own == heading).map(|(_, link)| *link).collect()
    }

    fn settle(&mut self, inline: &mut Vec<Node>, written: &mut Vec<String>) {
        if !inline.is_empty() {
            written.append(&mut self.paragraphs(inline));
            inline.clear();
        }
    }

    fn paragraphs(&mut self, nodes: &[Node]) -> Vec<String> {
        if let [Node::Text(text)] = nodes {
            return plain_paragraph(self.document.text(*text), self.ask);
        }
        let mut inline = Inline::default();
        self.add(&mut inline, nodes);
        self.ended(inline).paragraphs(self.ask)
    }

    fn block(&mut self, element: u32, depth: usize) -> Vec<String> {
        let document = self.document;
        let tag = document.tag(element);
        match tag.name {
            "p" if !tag.has_names => self.blocks(document.children(element), depth),
            "h1" | "h2" | "h3" | "h4" | "h5" | "h6" => self.heading(element),
            "pre" | "listing" => self.fence(element),
            "ul" | "ol" | "menu" | "dir" => self.listed(element, depth),
            "dl" => self.definition_list(element, depth),
            "table" => self.table(element, depth),
            "blockquote" => self.quote(element, depth),
            "details" if self.is_admonition(tag) => self.admonition(element, depth),
            "details" => self.details(element, depth),
            "hr" => vec!["___".to_owned()],
            "a" => self.block_link(element, depth),
            _ if tag.attrs.is_empty() => self.blocks(document.children(element), depth),
            _ => self.boxed(element, depth),
        }
    }

    fn heading(&mut self, element: u32) -> Vec<String> {
        let document = self.document;
        let mut inline = Inline::default();
        self.add_heading(&mut inline, element);
        let mut line = self.ended(inline).on_one_line(" ", self.ask);
        if line.ends_with('#') {
            let stem = line.trim_end_matches('#');
            if stem.is_empty() || stem.ends_with(' ') {
                line.insert(stem.len(), '\\');
            }
        }
        if line.is_empty() {
            return Vec::new();
        }
        let level = document.tag(element).heading_level().unwrap_or(1);
        let around = self.links_into(element);
        let anchor = anchor_of(document, element, &around).or_else(|| self.section.map(str::to_owned));
        self.section = None;
        self.headings.push(Heading { level, text: text_of(document, document.children(element)), anchor });
        vec![format!("{} {line}", &"######"[..usize::from(level)])]
    }

    /// A box without a meaning of its own, unless its class gives it one.
    fn boxed(&mut self, element: u32, depth: usize) -> Vec<String> {
        let document = self.document;
        let tag = document.tag(element);
        self.section = tag.id().or(self.section);
        if self.is_admonition(tag) {
            return self.admonition(element, depth);
        }
        if is_math(document, element) {
            let tex = tex_of(document, element).filter(|tex| !tex.is_empty());
            return Vec::from_iter(tex.map(|tex| format!("$$\n{tex}\n$$")));
        }
        if tag.has("summary-table") {
            return self.table_of_boxes(element, depth);
        }
        if is_code_block(tag) {
            return self.fence(element);
        }
        let language = self.language_in(tag);
        if language.is_empty() {
            return self.blocks(document.children(element), depth);
        }
        let outer = std::mem::replace(&mut self.language, language);
        let blocks = self.blocks(document.children(element), depth);
        self.language = outer;
        blocks
    }

    /// A link around blocks: the link goes to the heading, else all is one line.
    fn block_link(&mut self, element: u32, depth: usize) -> Vec<String> {
        let document = self.document;
        let children = document.children(element);
        match find(document, children, &mut |_, tag| tag.is & element::HEADING != 0) {
            Some(heading) => self.linked.push((heading, element)),
            None if !has(document, children, |tag| matches!(tag.name, "pre" | "table" | "ul" | "ol")) => {
                return self.paragraphs(&[Node::Element(element)]);
            }
            None => {}
        }
        self.blocks(children, depth)
    }

    fn fence(&mut self, element: u32) -> Vec<String> {
        Vec::from_iter(self.fenced(element, &self.language))
    }

    fn quote(&mut self, element: u32, depth: usize) -> Vec<String> {
        if self.is_admonition(self.document.tag(element)) {
            return self.admonition(element, depth);
        }
        let blocks = self.blocks(self.document.children(element), depth + 1);
        if depth < MAX_NESTING { quoted(blocks) } else { blocks }
    }
}

fn is_block_math(tag: &Tag) -> bool {
    match tag.name {
        "math" => tag.value("display") == "block",
        TEX => tag.value("type").contains("mode=display"),
        _ => false,
    }
}
