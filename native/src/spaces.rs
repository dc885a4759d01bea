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
    let mut line = String::with_capacity(text.len());
    for word in words(text) {
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    line
}

/// How many characters there are, as `len` of a `str` counts them.
pub fn length(text: &str) -> usize {
    if text.is_ascii() {
        text.len()
    } else {
        text.chars().count()
    }
}

/// Runs of spaces, and of these characters, as one space; none at the ends.
pub fn squeezed(text: &str, is_white: impl Fn(u8) -> bool) -> String {
    let bytes = text.as_bytes();
    let mut kept = String::with_capacity(text.len());
    let mut at = 0;
    loop {
        while at < bytes.len() && is_white(bytes[at]) {
            at += 1;
        }
        let start = at;
        while at < bytes.len() && !is_white(bytes[at]) {
            at += 1;
        }
        if start == at {
            return kept;
        }
        if !kept.is_empty() {
            kept.push(' ');
        }
        kept.push_str(&text[start..at]);
    }
}

/// `run._collapsed`: runs of HTML's white space as one space, none at the ends.
pub fn collapsed_html(text: &str) -> String {
    squeezed(text, |byte| matches!(byte, b' ' | b'\n' | b'\t' | b'\r' | 0x0c))
}

/// `spaces.one_spaced`.
pub fn one_spaced(text: &str) -> String {
    squeezed(text, |byte| byte == b' ')
}

/// Line ends as Unix has them.
pub fn unix_lines(text: Cow<'_, str>) -> Cow<'_, str> {
    if text.contains('\r') {
        Cow::Owned(text.replace("\r\n", "\n").replace('\r', "\n"))
    } else {
        text
    }
}
