//! A run: the inline content of one paragraph, cell or heading. Twin of `run.py`.
//!
//! Markup is a code: NUL and one private-use character; NUL is in no parsed tree.
//! What Python keeps as a list of parts is one text here, and places in it.

use crate::ask::Ask;
use crate::markdown::escaping::{code_span, escape, escape_line_start};
use crate::markdown::flanking::as_tags;
use crate::markdown::loose::tightened;
use crate::spaces::{collapsed_html, is_blank, is_space};
use memchr::memchr;
use rustc_hash::FxHashSet;
use std::borrow::Cow;

pub const ALONE: u32 = 0xF0000;
pub const OPEN: u32 = 0x100000;
pub const CLOSE: u32 = 0x108000;
const MOST_ALONE: usize = 0xFFF0;
const MOST_PAIRS: usize = 0x7FF0;
pub const BREAK: &str = "\0\u{e000}";

/// Marks around a part of the run: how they open and close, and the tag that replaces emphasis.
pub struct Pair {
    pub opening: Cow<'static, str>,
    closing: Cow<'static, str>,
    pub tag: &'static str,
}

/// What stands alone: markup as it is, or the text of a code span.
enum Piece {
    Markup(String),
    Code(String),
}

/// Gathers inline content.
#[derive(Default)]
pub struct Run {
    parts: String,
    pieces: Vec<Piece>,
    pub pairs: Vec<Pair>,
    /// Where the last code span ends.
    code_end: usize,
    /// Where the last text stands that is empty: it parts, though it is not seen.
    empty_at: Option<usize>,
    anchors: usize,
    emphasized: bool,
}

impl Run {
    /// Literal text.
    pub fn text(&mut self, text: &str) {
        if text.is_empty() {
            self.empty_at = Some(self.parts.len());
        }
        self.parts.push_str(text);
    }

    /// Markup that stands alone, such as an image.
    pub fn piece(&mut self, markup: String) {
        if self.pieces.len() < MOST_ALONE {
            self.push_code(ALONE, self.pieces.len());
            self.pieces.push(Piece::Markup(markup));
        } else {
            self.text(&markup); // sixty thousand pieces in one paragraph: only text from here on
        }
    }

    /// A code span. Two in a row are one: their marks would run together.
    pub fn code(&mut self, text: &str) {
        let end = self.parts.len();
        if self.code_end == end && self.empty_at != Some(end) {
            if let Some(Piece::Code(before)) = self.pieces.last_mut() {
                return before.push_str(text);
            }
        }
        if self.pieces.len() >= MOST_ALONE {
            return self.text(text);
        }
        self.push_code(ALONE, self.pieces.len());
        self.pieces.push(Piece::Code(text.to_owned()));
        self.code_end = self.parts.len();
    }

    /// A place that can be linked to: it shows nothing.
    pub fn anchor(&mut self, markup: String) {
        if !markup.is_empty() && self.pieces.len() < MOST_ALONE {
            self.piece(markup);
            self.anchors += 1;
        }
    }

    /// Whether there is nothing to see in it.
    pub fn is_blank(&self) -> bool {
        self.pairs.is_empty()
            && self.pieces.len() == self.anchors
            && Items(&self.parts).all(|part| match part {
                Item::Text(text) => is_blank(text),
                part => matches!(part, Item::Alone(_)),
            })
    }

    pub fn line_break(&mut self) {
        self.text(BREAK);
    }

    /// Marks around what follows until `close`; `tag` names the element that emphasis falls back to.
    pub fn open(
        &mut self,
        opening: impl Into<Cow<'static, str>>,
        closing: impl Into<Cow<'static, str>>,
        tag: &'static str,
    ) -> usize {
        let opening = opening.into();
        if !tag.is_empty() {
            self.emphasized = true;
            if let Some(joined) = self.reopened(&opening) {
                return joined;
            }
        }
        let number = self.pairs.len();
        self.pairs.push(Pair { opening, closing: closing.into(), tag });
        if number < MOST_PAIRS {
            self.push_code(OPEN, number);
        }
        number
    }

    /// The pair of these marks that ended just before, open again.
    fn reopened(&mut self, opening: &str) -> Option<usize> {
        let before = self.parts.trim_end_matches(is_space);
        let end = before.len();
        if self.empty_at.is_some_and(|at| at >= end) {
            return None;
        }
        let code = before.chars().next_back()?;
        let start = (end - code.len_utf8()).checked_sub(1)?;
        let Item::Close(number) = Item::of(code) else {
            return None;
        };
        if before.as_bytes()[start] != 0 || self.pairs[number].opening != opening {
            return None;
        }
        self.parts.replace_range(start..end, "");
        Some(number)
    }

    /// The end of what `open` began.
    pub fn close(&mut self, number: usize) {
        if number < MOST_PAIRS {
            self.push_code(CLOSE, number);
        }
    }

    fn push_code(&mut self, base: u32, number: usize) {
        let code = u32::try_from(number).ok().and_then(|number| char::from_u32(base + number));
        self.parts.push('\0');
        self.parts.push(code.unwrap_or('\u{fffd}'));
    }

    /// The run as Markdown paragraphs.
    pub fn paragraphs(&self, ask: &Ask) -> Vec<String> {
        let text = self.collapsed();
        if text.is_empty() {
            return Vec::new();
        }
        let text = escape(&text, ask);
        if !text.contains(BREAK) {
            return vec![self.assembled(&escape_line_start(text, ask), ask)];
        }
        let start = |line: &&str| escape_line_start((*line).to_owned(), ask);
        let paragraphs = paragraphs(&text).into_iter();
        let joined = paragraphs.map(|lines| lines.iter().map(start).collect::<Vec<_>>().join("\\\n"));
        joined.map(|text| self.assembled(&text, ask)).collect()
    }

    /// The run as Markdown on one line, as in headings and cells; its start is not escaped.
    pub fn on_one_line(&self, line_break: &str, ask: &Ask) -> String {
        let text = self.collapsed();
        if text.is_empty() {
            return String::new();
        }
        let text = escape(&text, ask);
        if !text.contains(BREAK) {
            return self.assembled(&text, ask);
        }
        let lines = text.split(BREAK).map(|part| part.trim_matches(' ')).filter(|line| !line.is_empty());
        self.assembled(&lines.collect::<Vec<_>>().join(line_break), ask)
    }

    fn collapsed(&self) -> String {
        let mut text = collapsed_html(&self.parts);
        if !self.pairs.is_empty() {
            text = tightened(text);
        }
        if text.contains(BREAK) {
            // before escaping, which looks at what stands beside a mark
            text = text.replace(&format!(" {BREAK}"), BREAK).replace(&format!("{BREAK} "), BREAK);
        }
        match text.trim_matches(' ') {
            trimmed if trimmed.len() == text.len() => text,
            trimmed => trimmed.to_owned(),
        }
    }

    /// Codes to markup.
    fn assembled(&self, text: &str, ask: &Ask) -> String {
        if memchr(0, text.as_bytes()).is_none() {
            return text.to_owned();
        }
        let as_tags = if self.emphasized { as_tags(text, &self.pairs, ask) } else { FxHashSet::default() };
        let mut markup = String::with_capacity(2 * text.len());
        for item in Items(text) {
            match item {
                Item::Text(text) => markup.push_str(text),
                Item::Alone(number) => match &self.pieces[number] {
                    Piece::Markup(piece) => markup.push_str(piece),
                    Piece::Code(text) => markup.push_str(&code_span(text)),
                },
                Item::Open(number) if as_tags.contains(&number) => {
                    markup.extend(["<", self.pairs[number].tag, ">"]);
                }
                Item::Open(number) => markup.push_str(&self.pairs[number].opening),
                Item::Close(number) if as_tags.contains(&number) => {
                    markup.extend(["</", self.pairs[number].tag, ">"]);
                }
                Item::Close(number) => markup.push_str(&self.pairs[number].closing),
                Item::Break => {}
            }
        }
        markup
    }
}

/// A paragraph that is text alone: what a run with nothing else in it would write.
pub fn plain_paragraph(text: &str, ask: &Ask) -> Vec<String> {
    match collapsed_html(text) {
        text if text.is_empty() => Vec::new(),
        text => vec![escape_line_start(escape(&text, ask), ask)],
    }
}

/// A part of a run: text, or what a code stands for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Item<'t> {
    Text(&'t str),
    Alone(usize),
    Open(usize),
    Close(usize),
    Break,
}

impl Item<'_> {
    pub fn of(code: char) -> Self {
        let code = code as u32;
        match code {
            CLOSE.. => Item::Close((code - CLOSE) as usize),
            OPEN.. => Item::Open((code - OPEN) as usize),
            ALONE.. => Item::Alone((code - ALONE) as usize),
            _ => Item::Break,
        }
    }
}

/// The parts of a text, in order.
pub struct Items<'t>(pub &'t str);

impl<'t> Iterator for Items<'t> {
    type Item = Item<'t>;

    fn next(&mut self) -> Option<Item<'t>> {
        let text = self.0;
        match memchr(0, text.as_bytes()) {
            None if text.is_empty() => None,
            Some(0) => {
                let mut rest = text[1..].chars();
                let code = rest.next()?;
                self.0 = rest.as_str();
                Some(Item::of(code))
            }
            end => {
                let (before, rest) = text.split_at(end.unwrap_or(text.len()));
                self.0 = rest;
                Some(Item::Text(before))
            }
        }
    }
}

/// The lines of each paragraph: one line break ends a line; two a paragraph, unless inside a pair.
fn paragraphs(text: &str) -> Vec<Vec<&str>> {
    let mut paragraphs = vec![Vec::new()];
    let mut depth = 0;
    let mut rest = text;
    while let Some(end) = rest.find(BREAK) {
        let line = &rest[..end];
        rest = &rest[end..];
        let mut breaks = 0;
        while let Some(further) = rest.strip_prefix(BREAK) {
            (rest, breaks) = (further, breaks + 1);
        }
        for item in Items(line) {
            depth += i32::from(matches!(item, Item::Open(_))) - i32::from(matches!(item, Item::Close(_)));
        }
        add_line(&mut paragraphs, line);
        if breaks > 1 && depth == 0 {
            paragraphs.push(Vec::new());
        }
    }
    add_line(&mut paragraphs, rest);
    paragraphs.retain(|lines| !lines.is_empty());
    paragraphs
}

fn add_line<'t>(paragraphs: &mut [Vec<&'t str>], line: &'t str) {
    if let (Some(last), false) = (paragraphs.last_mut(), line.is_empty()) {
        last.push(line);
    }
}
