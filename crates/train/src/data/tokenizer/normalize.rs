//! What happens to text before it is cut: replacements of characters, spaces, and `▁` for a space.
//!
//! Replacements come compiled in a SentencePiece file, as a table of Unicode's compatibility forms with its own
//! exceptions: a little-endian u32 with the length of a double-array trie, the trie, then texts ended by zeros. We read
//! that form as it is and make none ourselves: tokenizers trained here replace nothing.

use super::SPACE;

/// The steps, in this order.
#[derive(Clone, PartialEq, Debug)]
pub struct Normalizer {
    /// Replacements in compiled form; empty for none.
    pub replacements: Vec<u8>,
    /// Many spaces become one, none stays at the ends.
    pub collapse: bool,
    /// A space before the text, so that a word is the same piece wherever it stands.
    pub prefix: bool,
}

impl Default for Normalizer {
    fn default() -> Self {
        Normalizer { replacements: Vec::new(), collapse: true, prefix: true }
    }
}

impl Normalizer {
    /// The normalized text as people read it.
    pub fn plain(&self, text: &str) -> String {
        let replaced = replace(&self.replacements, text);
        let spaced: String = replaced.chars().map(|c| if c == SPACE { ' ' } else { c }).collect();
        if self.collapse { collapse(&spaced) } else { spaced }
    }

    /// The normalized text with `▁` for spaces, and one before it.
    pub fn escape(&self, text: &str) -> String {
        let plain = self.plain(text);
        let before = (self.prefix && !plain.is_empty()).then_some(SPACE);
        before.into_iter().chain(plain.chars().map(|c| if c == ' ' { SPACE } else { c })).collect()
    }

    /// Spaces for `▁`, and without the one that was put before.
    pub fn unescape(&self, text: &str) -> String {
        let text = text.strip_prefix(SPACE).filter(|_| self.prefix).unwrap_or(text);
        text.chars().map(|c| if c == SPACE { ' ' } else { c }).collect()
    }
}

/// One space where there were several, none at the ends. Only U+0020 counts: the rest is a matter of replacements.
fn collapse(text: &str) -> String {
    text.split(' ').filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ")
}

/// The longest replacement at every place, left to right.
fn replace(compiled: &[u8], text: &str) -> String {
    let Some((trie, texts)) = parts(compiled) else { return text.to_string() };
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let found = longest(trie, rest.as_bytes())
            .and_then(|(length, at)| Some((rest.get(length..)?, ended(texts, at)?)));
        match found {
            Some((after, text)) => {
                out.push_str(text);
                rest = after;
            }
            None => {
                out.push(first);
                rest = &rest[first.len_utf8()..];
            }
        }
    }
    out
}

/// Whether compiled replacements have their form.
pub fn is_compiled(bytes: &[u8]) -> bool {
    bytes.is_empty() || parts(bytes).is_some_and(|(trie, _)| !trie.is_empty() && trie.len() % 4 == 0)
}

fn parts(compiled: &[u8]) -> Option<(&[u8], &[u8])> {
    let (length, rest) = compiled.split_first_chunk::<4>()?;
    rest.split_at_checked(u32::from_le_bytes(*length) as usize)
}

fn ended(texts: &[u8], at: usize) -> Option<&str> {
    let text = texts.get(at..)?;
    let end = text.iter().position(|byte| *byte == 0)?;
    std::str::from_utf8(&text[..end]).ok()
}

/// What the shortest key that begins the text becomes.
pub fn shortest<'a>(compiled: &'a [u8], text: &str) -> Option<&'a str> {
    let (trie, texts) = parts(compiled)?;
    let (_, at) = keys(trie, text.as_bytes()).next()?;
    ended(texts, at)
}

/// The longest key of the double-array trie that begins the text: its length and value.
fn longest(trie: &[u8], text: &[u8]) -> Option<(usize, usize)> {
    keys(trie, text).last()
}

/// The keys of the double-array trie that begin the text, shortest first: their lengths and values.
fn keys<'a>(trie: &'a [u8], text: &'a [u8]) -> impl Iterator<Item = (usize, usize)> + 'a {
    let unit = |at: usize| {
        let bytes = trie.get(at.checked_mul(4)?..)?.first_chunk::<4>()?;
        Some(u32::from_le_bytes(*bytes))
    };
    // A unit holds, from the top: a leaf's mark or 22 bits of offset, its scale, whether a leaf follows, a label.
    let offset = |unit: u32| ((unit >> 10) << ((unit & (1 << 9)) >> 6)) as usize;
    let mut node = unit(0).map(offset);
    let found = text.iter().enumerate().map_while(move |(at, byte)| {
        let next = node? ^ usize::from(*byte);
        let here = unit(next).filter(|here| here & (1 << 31 | 0xFF) == u32::from(*byte))?;
        let next = next ^ offset(here);
        node = Some(next);
        let leaf = if here & (1 << 8) != 0 { unit(next) } else { None };
        Some(leaf.map(|leaf| (at + 1, (leaf & 0x7FFF_FFFF) as usize)))
    });
    found.flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spaces_collapse_or_stay() {
        let keep = Normalizer { collapse: false, ..Normalizer::default() };
        assert_eq!(Normalizer::default().escape("  a  b "), "▁a▁b");
        assert_eq!(keep.escape(" a  b"), "▁▁a▁▁b");
        assert_eq!(keep.unescape("▁▁a▁▁b"), " a  b");
        assert_eq!(Normalizer::default().escape("  "), "");
        assert_eq!(Normalizer { prefix: false, ..keep }.unescape("▁a"), " a");
    }

    #[test]
    fn broken_replacements_replace_nothing() {
        for compiled in
            [&b"abc"[..], &[255, 255, 255, 255, 1], &[4, 0, 0, 0, 255, 255, 255, 255, 0], &[0, 0, 0, 0]]
        {
            assert_eq!(replace(compiled, "añ"), "añ");
        }
        assert!(!is_compiled(&[1, 2]));
        assert!(is_compiled(&[]));
    }
}
