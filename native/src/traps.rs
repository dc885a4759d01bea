//! What the gist of a page is made of. Twin of `gist_of` in `core/url/traps.py`, which hashes it.

use rustc_hash::FxHashSet;

/// The words of a text that count, and those of them that are not words of links, each list with single spaces
/// between. All is in lower case: the text, the page's own address, the texts of its links.
pub fn said(text: &str, address: &str, linked: &str) -> (Vec<u8>, Vec<u8>) {
    let links: FxHashSet<&[u8]> = words(linked).collect();
    let own: FxHashSet<&[u8]> = words(address).filter(|word| !links.contains(word)).collect();
    let (mut all, mut unlinked) = (Vec::with_capacity(text.len()), Vec::with_capacity(text.len()));
    for word in words(text) {
        if own.contains(word) || word.iter().any(u8::is_ascii_digit) {
            continue;
        }
        add(&mut all, word);
        if !links.contains(word) {
            add(&mut unlinked, word);
        }
    }
    (all, unlinked)
}

/// Runs of letters and digits; what is not ASCII counts as a letter.
fn words(text: &str) -> impl Iterator<Item = &[u8]> {
    let is_apart = |byte: &u8| byte.is_ascii() && !byte.is_ascii_alphanumeric();
    text.as_bytes().split(is_apart).filter(|word| !word.is_empty())
}

fn add(words: &mut Vec<u8>, word: &[u8]) {
    if !words.is_empty() {
        words.push(b' ');
    }
    words.extend_from_slice(word);
}
