//! Emphasis that CommonMark would not read as such. Twin of `Run._as_tags` in `run.py`.

use crate::ask::Ask;
use crate::markdown::run::{Pair, CLOSE, OPEN};
use crate::spaces::is_space;
use rustc_hash::FxHashSet;

/// NUL and a character of plane 15 or 16.
const CODE: usize = 5;

/// The numbers of emphasis pairs that must be tags because their marks would not be read.
pub fn as_tags(text: &str, pairs: &[Pair], ask: &Ask) -> FxHashSet<usize> {
    let marks = Marks { text, pairs, ask };
    let mut failing = FxHashSet::default();
    let mut around = Vec::new();
    for (place, _) in text.match_indices('\0') {
        let (closing, number) = match marks.code(place) {
            Some(code) if code >= CLOSE => (true, (code - CLOSE) as usize),
            Some(code) if code >= OPEN => (false, (code - OPEN) as usize),
            _ => continue,
        };
        if pairs[number].tag.is_empty() {
            continue;
        }
        let mark = pairs[number].opening.as_bytes()[0];
        if closing {
            around.pop();
        }
        // `*a**b**c*`: what opens here could as well close what is around it
        if !marks.is_read(place, closing)
            || (!closing && around.contains(&mark) && marks.is_read(place, true))
        {
            failing.insert(number);
        }
        if !closing {
            around.push(mark);
        }
    }
    failing
}

/// What the flanking rule sees.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Space,
    /// Punctuation; all other markup is.
    Mark,
    Letter,
}

struct Marks<'t, 'py, 'm> {
    text: &'t str,
    pairs: &'t [Pair],
    ask: &'t Ask<'py, 'm>,
}

impl Marks<'_, '_, '_> {
    /// The code of a mark or piece that begins at this byte.
    fn code(&self, place: usize) -> Option<u32> {
        let rest = self.text.as_bytes().get(place..)?;
        // Only a character of four bytes can be one, and NUL is never inside of a character.
        (rest.len() >= CODE && rest[0] == 0 && rest[1] >= 0xf0)
            .then(|| self.text[place + 1..].chars().next())
            .flatten()
            .map(|code| code as u32)
    }

    /// Whether the mark here is left-flanking (right-flanking, when it closes).
    fn is_read(&self, place: usize, closing: bool) -> bool {
        if !closing && self.mark_before(place, true).is_some() {
            return false; // `*a**b*`: two marks in a row read as one
        }
        // Only marks of the same character read as one run; `~~` before `**` stands before punctuation.
        let own = self.mark_at(place, closing);
        let (mut left, mut right) = (place, place + CODE);
        while self.mark_before(left, closing).is_some_and(|like| Some(like) == own) {
            left -= CODE;
        }
        while self.mark_at(right, closing).is_some_and(|like| Some(like) == own) {
            right += CODE;
        }
        let (before, after) = (self.kind_before(left), self.kind_after(right));
        let (inside, outside) = if closing { (before, after) } else { (after, before) };
        inside == Kind::Letter || (inside == Kind::Mark && outside != Kind::Letter)
    }

    /// The character of the emphasis mark of that side that stands at this place.
    fn mark_at(&self, place: usize, closing: bool) -> Option<u8> {
        let code = self.code(place)?;
        let number = match closing {
            true => code.checked_sub(CLOSE)?,
            false if code < CLOSE => code.checked_sub(OPEN)?,
            false => return None,
        };
        let pair = self.pairs.get(number as usize).filter(|pair| !pair.tag.is_empty())?;
        pair.opening.bytes().next()
    }

    fn mark_before(&self, place: usize, closing: bool) -> Option<u8> {
        self.mark_at(place.checked_sub(CODE)?, closing)
    }

    fn kind_before(&self, place: usize) -> Kind {
        let mut characters = self.text[..place].chars().rev();
        match (characters.next(), characters.next()) {
            (None, _) => Kind::Space,
            (_, Some('\0')) => Kind::Mark,
            (Some(c), _) => self.kind(c),
        }
    }

    fn kind_after(&self, place: usize) -> Kind {
        match self.text[place..].chars().next() {
            None => Kind::Space,
            Some('\0') => Kind::Mark,
            Some(c) => self.kind(c),
        }
    }

    fn kind(&self, c: char) -> Kind {
        if is_space(c) {
            Kind::Space
        } else if if c.is_ascii() { c.is_ascii_alphanumeric() } else { !self.ask.stands_apart(c) } {
            Kind::Letter
        } else {
            Kind::Mark
        }
    }
}
