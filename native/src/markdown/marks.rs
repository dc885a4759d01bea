//! Where in the Markdown each heading and each term with an id stands. Twin of `marks.py`, which says the rules.

use crate::html::tree::Document;

/// The token of a heading or a term and whether it is a term (None: the end of one), and the byte at which the
/// line begins (ends).
pub type Mark = (Option<(u32, bool)>, usize);

/// The Markdown without its marks, and where they were.
pub fn unmarked(text: String, document: &Document, marked: &[u32]) -> (String, Vec<Mark>) {
    if marked.is_empty() {
        return (text, Vec::new());
    }
    let pieces: Vec<&str> = text.split('\0').collect();
    let plain: String = pieces.iter().step_by(2).copied().collect();
    let mut marks = Vec::with_capacity(pieces.len() / 2);
    let mut at = 0;
    for piece in pieces.chunks_exact(2) {
        at += piece[0].len();
        marks.push(match piece[1].parse::<usize>() {
            Ok(number) => {
                let element = marked[number];
                let mark = (document.start(element), document.tag(element).name == "dt");
                (Some(mark), plain[..at].rfind('\n').map_or(0, |end| end + 1))
            }
            Err(_) => (None, next_line(&plain, at)),
        });
    }
    (plain, marks)
}

/// Where the next line begins that is not empty.
fn next_line(text: &str, at: usize) -> usize {
    let Some(end) = text[at..].find('\n') else { return text.len() };
    let start = at + end + 1;
    let blank = text[start..].bytes().take_while(|byte| matches!(byte, b'\n' | b'>' | b' ')).count();
    if start + blank == text.len() {
        return text.len();
    }
    text[start..start + blank].rfind('\n').map_or(start, |last| start + last + 1)
}
