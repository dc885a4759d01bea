//! The content's tree to Markdown: blocks in order, each by the part that knows it. Twin of `writer.py`.

use crate::ask::Ask;
use crate::html::head::anchor_of;
use crate::html::links::Resolver;
use crate::html::tag::{Tag, TEX};
use crate::html::tree::{Document, Node};
use crate::html::walk::{find, has, text_of};
use crate::markdown::anchors::{Anchors, Style};
use crate::markdown::boxes::quoted;
use crate::markdown::code::is_code_block;
use crate::markdown::footnotes::{join_footnotes, written_note, NOTE};
use crate::markdown::inline::Inline;
use crate::markdown::marks::{unmarked, Mark};
use crate::markdown::run::{plain_paragraph, Run};
use crate::markdown::tex::{is_math, tex_of};
use crate::spaces::is_white;
use crate::tables::{class, element, Tables};

/// Lists, quotes and definitions inside each other; deeper ones are written flat.
pub const MAX_NESTING: usize = 24;

pub struct Heading {
    pub level: u8,
    pub text: String,
    pub anchor: Option<String>,
}

/// Markdown, which ends with a newline unless it is empty, the headings in it, and where they stand.
pub struct Written {
    pub markdown: String,
    pub headings: Vec<Heading>,
    pub marks: Vec<Mark>,
}

/// Markdown of the main elements, which change, in order; None where that is the reference's to write.
pub fn write_markdown<'py>(
    document: &mut Document,
    main: &[u32],
    links: &mut Resolver<'_, 'py>,
    style: Style,
    ask: &Ask<'py, '_>,
) -> Option<Written> {
    let tables = ask.tables();
    join_footnotes(document, main, tables);
    let mut writer = Writer {
        document,
        links,
        tables,
        ask,
        anchors: Anchors::new(style, ask),
        headings: Vec::new(),
        language: String::new(),
        linked: Vec::new(),
        marked: Vec::new(),
        declined: false,
    };
    let mut blocks = Vec::new();
    for element in main {
        blocks.append(&mut writer.blocks(&[Node::Element(*element)], 0));
    }
    blocks.extend(writer.standing());
    let (mut markdown, marks) = unmarked(writer.parted(blocks).join("\n\n"), document, &writer.marked);
    if !markdown.is_empty() {
        markdown.push('\n');
    }
    (!writer.declined).then_some(Written { markdown, headings: writer.headings, marks })
}

/// Writes blocks; the parts are in files of their own.
pub struct Writer<'d, 'a, 'r, 'py, 'm> {
    pub document: &'d Document<'a>,
    pub links: &'d mut Resolver<'r, 'py>,
    pub tables: &'d Tables,
    pub ask: &'d Ask<'py, 'm>,
    pub anchors: Anchors<'d, 'py, 'm>,
    headings: Vec<Heading>,
    language: String,
    /// Headings, and the links around them that go into them.
    linked: Vec<(u32, u32)>,
    /// The headings and terms that are marked.
    marked: Vec<u32>,
    /// Whether the reference has to write this page.
    declined: bool,
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
                    if !inline.is_empty() || !is_white(document.text(text)) {
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
        if written.len() > 1 {
            self.parted(written)
        } else {
            written
        }
    }

    /// Children on one line, the anchors that wait before them.
    pub fn line(&mut self, children: &[Node], line_break: &str) -> String {
        self.line_of(|writer, inline| writer.add(inline, children), line_break)
    }

    /// What is added to a run, on one line, the anchors that wait before it.
    pub fn line_of(&mut self, add: impl FnOnce(&mut Self, &mut Inline), line_break: &str) -> String {
        match self.bare_line(add, line_break) {
            line if line.is_empty() => line,
            line => self.anchors.take() + &line,
        }
    }

    /// What stands for the place of a heading or a term until all is written.
    pub fn mark(&mut self, element: u32) -> String {
        self.marked.push(element);
        format!("\0{}\0", self.marked.len() - 1)
    }

    /// The anchors that wait, as a block: for what can have none inside.
    pub fn standing(&mut self) -> Option<String> {
        Some(self.anchors.take()).filter(|anchors| !anchors.is_empty())
    }

    fn bare_line(&mut self, add: impl FnOnce(&mut Self, &mut Inline), line_break: &str) -> String {
        let run = self.run_of(add);
        run.map_or_else(String::new, |run| run.on_one_line(line_break, self.ask))
    }

    /// The run of what is added; None where it shows nothing: its anchors then wait for what does.
    fn run_of(&mut self, add: impl FnOnce(&mut Self, &mut Inline)) -> Option<Run> {
        let mut inline = Inline::default();
        add(self, &mut inline);
        if !inline.met.is_empty() && inline.run.is_blank() {
            self.anchors.waiting.append(&mut inline.met);
            return None;
        }
        Some(inline.run)
    }

    /// Whether an element must be laid out as a block: it is one, or one is inside.
    pub fn holds_block(&self, element: u32) -> bool {
        let tag = self.document.tag(element);
        tag.is & element::BLOCK != 0
            || tag.named & class::BLOCK != 0
            || self.hold_block(self.document.children(element))
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
        let mut paragraphs = if let [Node::Text(text)] = nodes {
            plain_paragraph(self.document.text(*text), self.ask)
        } else {
            let run = self.run_of(|writer, inline| writer.add(inline, nodes));
            run.map_or_else(Vec::new, |run| run.paragraphs(self.ask))
        };
        if let (Some(first), false) = (paragraphs.first_mut(), self.anchors.waiting.is_empty()) {
            first.insert_str(0, &self.anchors.take());
        }
        paragraphs
    }

    fn block(&mut self, element: u32, depth: usize) -> Vec<String> {
        let document = self.document;
        let tag = document.tag(element);
        self.anchors.meet(tag);
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
            NOTE => written_note(tag.value("label"), self.blocks(document.children(element), depth + 1)),
            "hr" => self.after_anchors("___".to_owned()),
            "a" => self.block_link(element, depth),
            _ if tag.attrs.is_empty() => self.blocks(document.children(element), depth),
            _ => self.boxed(element, depth),
        }
    }

    fn heading(&mut self, element: u32) -> Vec<String> {
        let document = self.document;
        let wrapped_by = self.anchors.waiting.last().cloned();
        self.anchors.meet_all(document, element);
        let mut line = self.bare_line(|writer, inline| writer.add_heading(inline, element), " ");
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
        let text = text_of(document, document.children(element));
        let (before, after) = self.anchors.around_heading(&text);
        let anchor = anchor_of(document, element, &self.links_into(element));
        let anchor = anchor.filter(|anchor| !anchor.is_empty()).or(wrapped_by);
        self.headings.push(Heading { level, text, anchor });
        let mark = self.mark(element);
        vec![format!("{mark}{} {before}{line}{after}", &"######"[..usize::from(level)])]
    }

    /// A box without a meaning of its own, unless its class gives it one.
    fn boxed(&mut self, element: u32, depth: usize) -> Vec<String> {
        let document = self.document;
        let tag = document.tag(element);
        if self.is_admonition(tag) {
            return self.admonition(element, depth);
        }
        if is_math(document, element) {
            let tex = tex_of(document, element).filter(|tex| !tex.is_empty());
            return tex.map_or_else(Vec::new, |tex| self.after_anchors(format!("$$\n{tex}\n$$")));
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
            Some(heading) => {
                // In code, where the reference would find that link, its class may mean that it is no code.
                self.declined |= document.tag(element).named & class::GUTTER != 0;
                self.linked.push((heading, element));
            }
            None if !has(document, children, |tag| matches!(tag.name, "pre" | "table" | "ul" | "ol")) => {
                return self.paragraphs(&[Node::Element(element)]);
            }
            None => {}
        }
        self.blocks(children, depth)
    }

    /// A code block. In it no anchor can stand: they stand before it, but for those of its lines.
    fn fence(&mut self, element: u32) -> Vec<String> {
        let document = self.document;
        let Some(block) = self.fenced(element, &self.language) else {
            return Vec::new();
        };
        find(document, document.children(element), &mut |_, tag| {
            if tag.name != "span" && tag.get("href").is_none() {
                self.anchors.meet(tag);
            }
            false
        });
        self.after_anchors(block)
    }

    /// A block, and before it the anchors that wait.
    fn after_anchors(&mut self, block: String) -> Vec<String> {
        self.standing().into_iter().chain([block]).collect()
    }

    fn quote(&mut self, element: u32, depth: usize) -> Vec<String> {
        if self.is_admonition(self.document.tag(element)) {
            return self.admonition(element, depth);
        }
        let blocks = self.blocks(self.document.children(element), depth + 1);
        if depth < MAX_NESTING {
            quoted(blocks)
        } else {
            blocks
        }
    }
}

fn is_block_math(tag: &Tag) -> bool {
    match tag.name {
        "math" => tag.value("display") == "block",
        TEX => tag.value("type").contains("mode=display"),
        _ => false,
    }
}
