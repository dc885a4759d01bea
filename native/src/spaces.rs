//! White space as Python's `str` knows it, and as HTML does.

use std::borrow::Cow;

/// `str.isspace`.
pub fn is_space(c: char) -> bool {
    matches!(
        c,
        '\t'..='\r' | '\x1c'..='\x1f' | ' ' | '\u{85}' | '\u{a0}' | '\u{1680}' | '\u{2000}'..='\u{200a}'
            | '\u{2028}' | '\u{2029}' | '\u{202f}' | '\u{205f}' | '\u{3000}'
    )
}

/// `str.strip`.
pub fn strip(text: &str) -> &str {
    text.trim_matches(is_space)
}

/// Whether there is nothing but white space, or nothing.
pub fn is_blank(text: &str) -> bool {
    text.chars().all(is_space)
}

/// `str.isspace` of a whole text: nothing is not white space.
pub fn is_white(text: &str) -> bool {
    !text.is_empty() && is_blank(text)
}

/// `str.split`.
pub fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(is_space).filter(|word| !word.is_empty())
}

/// `" ".join(text.split())`.
pub fn one_line(text: &str) -> String {
    squeezed(text, python_space)
}

/// How many characters there are, as `len` of a `str` counts them.
pub fn length(text: &str) -> usize {
    if text.is_ascii() {
        text.len()
    } else {
        text.chars().count()
    }
}

/// How many bytes of white space begin at a place, by Unicode's White_Space property; 0 where none does.
pub fn white_space(bytes: &[u8], at: usize) -> usize {
    match bytes[at] {
        b' ' | b'\t'..=b'\r' => 1,
        0..=0xc1 => 0,
        0xc2 if matches!(bytes[at + 1], 0x85 | 0xa0) => 2,
        0xe1 if bytes[at + 1..].starts_with(b"\x9a\x80") => 3,
        0xe2 => match bytes[at + 1..] {
            [0x80, 0x80..=0x8a | 0xa8 | 0xa9 | 0xaf, ..] | [0x81, 0x9f, ..] => 3,
            _ => 0,
        },
        0xe3 if bytes[at + 1..].starts_with(b"\x80\x80") => 3,
        _ => 0,
    }
}

/// `str.isspace`.
fn python_space(bytes: &[u8], at: usize) -> usize {
    match bytes[at] {
        b'\x1c'..=b'\x1f' => 1,
        _ => white_space(bytes, at),
    }
}

fn html_space(bytes: &[u8], at: usize) -> usize {
    usize::from(matches!(bytes[at], b' ' | b'\n' | b'\t' | b'\r' | 0x0c))
}

fn plain_space(bytes: &[u8], at: usize) -> usize {
    usize::from(bytes[at] == b' ')
}

/// Text whose white space is collapsed while it is put together: none at the ends.
#[derive(Default)]
pub struct Squeezed {
    pub done: String,
    /// Whether white space came after what is done.
    parted: bool,
}

impl Squeezed {
    /// What follows is a word of its own.
    pub fn part(&mut self) {
        self.parted = true;
    }

    #[inline]
    pub fn add(&mut self, text: &str, space: impl Fn(&[u8], usize) -> usize) {
        let bytes = text.as_bytes();
        let mut at = 0;
        loop {
            let start = at + width(&bytes[at..], &space);
            self.parted = self.parted || start > at;
            if start == bytes.len() {
                return;
            }
            at = end_of_line(bytes, start, &space);
            if self.parted && !self.done.is_empty() {
                self.done.push(' ');
            }
            self.parted = false;
            self.done.push_str(&text[start..at]);
        }
    }
}

/// How many bytes of white space a text begins with.
#[inline]
fn width(bytes: &[u8], space: &impl Fn(&[u8], usize) -> usize) -> usize {
    let mut at = 0;
    while at < bytes.len() {
        match space(bytes, at) {
            0 => break,
            own => at += own,
        }
    }
    at
}

/// Whether white space of any kind could begin with a byte: of most bytes that is known at a glance.
const BEGINS: [bool; 256] = {
    let mut begins = [false; 256];
    let mut byte = 0;
    while byte < 256 {
        begins[byte] = matches!(byte as u8, b'\t'..=b'\r' | b'\x1c'..=b' ' | 0xc2 | 0xe1..=0xe3);
        byte += 1;
    }
    begins
};

/// Where words end that have single spaces between them: they are as they should be.
#[inline]
fn end_of_line(bytes: &[u8], start: usize, space: &impl Fn(&[u8], usize) -> usize) -> usize {
    let mut at = start;
    while at < bytes.len() {
        if BEGINS[usize::from(bytes[at])] && space(bytes, at) > 0 {
            let goes_on = bytes[at] == b' ' && at + 1 < bytes.len() && space(bytes, at + 1) == 0;
            if !goes_on {
                break;
            }
        }
        at += 1;
    }
    at
}

fn squeezed(text: &str, space: impl Fn(&[u8], usize) -> usize) -> String {
    let mut kept = Squeezed { done: String::with_capacity(text.len()), parted: false };
    kept.add(text, space);
    kept.done
}

/// `run._collapsed`: runs of HTML's white space as one space, none at the ends.
pub fn collapsed_html(text: &str) -> String {
    squeezed(text, html_space)
}

/// `spaces.one_spaced`.
pub fn one_spaced(text: &str) -> String {
    squeezed(text, plain_space)
}

/// Line ends as Unix has them.
pub fn unix_lines(text: Cow<'_, str>) -> Cow<'_, str> {
    if text.contains('\r') {
        Cow::Owned(text.replace("\r\n", "\n").replace('\r', "\n"))
    } else {
        text
    }
}
