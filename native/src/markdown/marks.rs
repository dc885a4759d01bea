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

/// The bytes of each of `count` sections in the whole text; `number_at` says which begins at a token.
pub fn section_spans(
    marks: &[Mark],
    length: usize,
    count: usize,
    number_at: impl Fn(u32) -> Option<usize>,
) -> Vec<Vec<(usize, usize)>> {
    let mut spans: Vec<Vec<(usize, usize)>> = vec![Vec::new(); count];
    let (mut owner, mut begun) = (0, 0);
    let mut around = Vec::new();
    for (mark, at) in marks.iter().copied().chain([(None, length)]) {
        if begun < at {
            let own = &mut spans[owner];
            match own.last_mut() {
                Some(last) if last.1 == begun => last.1 = at,
                _ => own.push((begun, at)),
            }
            begun = at;
        }
        match mark {
            None => owner = around.pop().unwrap_or(owner),
            Some((token, is_term)) => {
                if is_term {
                    around.push(owner);
                }
                owner = number_at(token).unwrap_or(owner);
            }
        }
    }
    spans
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
