//! No text may turn into markup. Twin of `escaping.py`, which says what is escaped, and where.

use crate::ask::Ask;
use crate::spaces::is_space;
use std::borrow::Cow;

/// A joined run with its literal text escaped; codes pass unchanged.
pub fn escape(run: &str, ask: &Ask) -> String {
    let bytes = run.as_bytes();
    let mut escaped = String::with_capacity(run.len() + 16);
    let (mut from, mut tildes) = (0, 0);
    for (at, byte) in bytes.iter().enumerate() {
        if !IS_SPECIAL[*byte as usize] {
            continue;
        }
        tildes += usize::from(*byte == b'~');
        if is_markup(run, at, ask) {
            escaped.push_str(&run[from..at]);
            escaped.push('\\');
            from = at;
        }
    }
    escaped.push_str(&run[from..]);
    if tildes > 1 || (tildes == 1 && run.contains('\0')) {
        return escaped.replace('~', "\\~");
    }
    escaped
}

const IS_SPECIAL: [bool; 256] = {
    let mut special = [false; 256];
    let characters = b"\\`*_<&!][~";
    let mut at = 0;
    while at < characters.len() {
        special[characters[at] as usize] = true;
        at += 1;
    }
    special
};

/// Whether the character here would be markup.
fn is_markup(run: &str, at: usize, ask: &Ask) -> bool {
    let bytes = run.as_bytes();
    let next = bytes.get(at + 1).copied();
    match bytes[at] {
        b'\\' => next.is_none_or(|next| next == 0 || next.is_ascii_punctuation()),
        b'`' => true,
        b'*' => {
            let before = at == 0 || bytes[at - 1] == b' ';
            !(before && next.is_none_or(|next| next == b' '))
        }
        b'_' => {
            let before = run[..at].chars().next_back();
            let after = run[at + 1..].chars().next();
            let is_letter = |c: Option<char>| c.is_some_and(|c| ask.is_alphanumeric(c));
            !(is_letter(before) && is_letter(after) || before == Some(' ') && after == Some(' '))
        }
        b'<' => next.is_some_and(|next| next.is_ascii_alphabetic() || matches!(next, b'/' | b'!' | b'?' | 0)),
        b'&' => is_entity(&bytes[at + 1..]),
        b'!' => matches!(next, Some(b'[' | 0)),
        b']' => matches!(next, Some(b'(' | b'[' | b':')),
        b'[' => next == Some(b'^'),
        _ => false,
    }
}

fn is_entity(rest: &[u8]) -> bool {
    let name = rest.strip_prefix(b"#").unwrap_or(rest);
    let length = name.iter().take(33).take_while(|byte| byte.is_ascii_alphanumeric()).count();
    (1..=32).contains(&length) && name.get(length) == Some(&b';')
}

/// A line of a paragraph that cannot be taken for a heading, a list, a quote, a rule or a table.
pub fn escape_line_start(mut line: String, ask: &Ask) -> String {
    if let Some(place) = line_mark(&line, ask) {
        line.insert(place, '\\');
    }
    line
}

/// Where a backslash is needed, if anywhere.
fn line_mark(line: &str, ask: &Ask) -> Option<usize> {
    let bytes = line.as_bytes();
    let first = line.chars().next()?;
    let ends_at = |at: usize| line[at..].chars().next().is_none_or(is_space);
    let only = |from: usize, allowed: &[u8]| bytes[from..].iter().all(|byte| allowed.contains(byte));
    let is_mark = match first {
        '#' => {
            let length = bytes.iter().take_while(|byte| **byte == b'#').count();
            length <= 6 && ends_at(length)
        }
        '-' => ends_at(1) || only(1, b"-:| "),
        '+' | '*' => ends_at(1),
        '>' => true,
        '=' => only(bytes.iter().take_while(|byte| **byte == b'=').count(), b" "),
        '~' => line.starts_with("~~~"),
        '[' => matches!(bytes, [_, b' ' | b'x' | b'X', b']', ..]) && ends_at(3),
        '|' | ':' => only(1, b"-:| "),
        _ => {
            let (length, count) = decimals(line, ask);
            let is_number = (1..=9).contains(&count)
                && matches!(bytes.get(length), Some(b'.' | b')'))
                && ends_at(length + 1);
            return is_number.then_some(length);
        }
    };
    is_mark.then_some(0)
}

/// The decimal digits at the start: how many bytes, how many characters.
pub fn decimals(line: &str, ask: &Ask) -> (usize, usize) {
    let mut count = 0;
    for (at, c) in line.char_indices() {
        if !ask.is_decimal(c) {
            return (at, count);
        }
        count += 1;
    }
    (line.len(), count)
}

/// How many backticks hold this code.
pub fn fence_length(code: &str, least: usize) -> usize {
    let (mut longest, mut run) = (0, 0);
    for byte in code.bytes() {
        run = if byte == b'`' { run + 1 } else { 0 };
        longest = longest.max(run);
    }
    least.max(longest + 1)
}

/// A code span; the text is on one line already.
pub fn code_span(text: &str) -> String {
    if !text.contains('`') {
        return format!("`{text}`");
    }
    let ticks = "`".repeat(fence_length(text, 1));
    let pad = if text.starts_with('`') || text.ends_with('`') { " " } else { "" };
    format!("{ticks}{pad}{text}{pad}{ticks}")
}

/// The alternative text of an image.
pub fn escaped_alt(alt: &str) -> Cow<'_, str> {
    const SPECIAL: [char; 8] = ['\\', '`', '*', '_', '[', ']', '<', '&'];
    if !alt.contains(SPECIAL) {
        return Cow::Borrowed(alt);
    }
    let mut escaped = String::with_capacity(alt.len() + 8);
    for c in alt.chars() {
        if SPECIAL.contains(&c) {
            escaped.push('\\');
        }
        escaped.push(c);
    }
    Cow::Owned(escaped)
}
