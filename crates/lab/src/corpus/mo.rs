//! Catalogues of gettext (`.mo`): an English text and its translation, entry by entry. Both byte orders.

use super::BROKEN;
use meshwright_base::Diagnostic;

const MAGIC: u32 = 0x9504_12de;

/// How many times its bytes the strings of a catalogue may have.
const SHARED: usize = 8;

/// Between what an entry is used for and its text.
const CONTEXT: char = '\u{4}';

/// An English text and its translation.
pub type Message = (String, String);

/// All entries that are translated, in the catalogue's order. An entry with forms for numbers gives its singular and
/// its plural. `path` is for messages.
pub fn messages(path: &str, bytes: &[u8]) -> Result<Vec<Message>, Diagnostic> {
    read(bytes).map_err(|why| {
        Diagnostic::error(
            BROKEN,
            format!("`{path}` ({} bytes) is no catalogue that can be read: {why}", bytes.len()),
        )
        .help(
            "install its package again, or convert it: `msgunfmt FILE | msgconv -t UTF-8 | msgfmt -o FILE -`",
        )
    })
}

/// Numbers and strings of a catalogue by where they lie.
struct Words<'a> {
    bytes: &'a [u8],
    is_big: bool,
}

impl Words<'_> {
    fn number(&self, at: usize) -> Result<usize, String> {
        let four = at.checked_add(4).and_then(|end| self.bytes.get(at..end)?.try_into().ok());
        let four = four.ok_or_else(|| format!("it ends before byte {at}, where a number should be"))?;
        let number = if self.is_big { u32::from_be_bytes(four) } else { u32::from_le_bytes(four) };
        Ok(number as usize)
    }

    /// Entry `entry` of the table of strings at byte `table`.
    fn string(&self, table: usize, entry: usize) -> Result<&[u8], String> {
        let at = entry.checked_mul(8).and_then(|at| at.checked_add(table)).ok_or("its table is too large")?;
        let (length, begin) = (self.number(at)?, self.number(at.saturating_add(4))?);
        let string = begin.checked_add(length).and_then(|end| self.bytes.get(begin..end));
        string.ok_or_else(|| format!("its string {entry} of {length} bytes would lie at byte {begin}"))
    }
}

fn read(bytes: &[u8]) -> Result<Vec<Message>, String> {
    let first: Option<[u8; 4]> = bytes.get(..4).and_then(|four| four.try_into().ok());
    let is_big = match first.map(u32::from_le_bytes) {
        Some(MAGIC) => false,
        Some(other) if other.swap_bytes() == MAGIC => true,
        _ => return Err("it does not begin with the number 0x950412de".into()),
    };
    let words = Words { bytes, is_big };
    let [revision, count, originals, translations] = [4, 8, 12, 16].map(|at| words.number(at));
    let (revision, count) = (revision?, count?);
    if revision >> 16 > 1 {
        return Err(format!("it is of revision {}, and 0 and 1 are read", revision >> 16));
    }
    let (originals, translations) = (originals?, translations?);
    let (mut found, mut held) = (Vec::new(), 0);
    let mut encoding = Encoding::Utf8;
    for entry in 0..count {
        let (original, translation) = (words.string(originals, entry)?, words.string(translations, entry)?);
        // Entries may share strings; a catalogue made to fill the memory shares all of them.
        held += original.len() + translation.len();
        if held > SHARED * bytes.len() {
            return Err(format!("its first {} strings have {held} bytes", 2 * (entry + 1)));
        }
        if original.is_empty() {
            encoding = Encoding::of_header(translation)?;
            continue;
        }
        let decoded =
            |text| encoding.decoded(text).ok_or_else(|| format!("entry {entry} is not {encoding:?}"));
        found.extend(forms(&decoded(original)?, &decoded(translation)?));
    }
    Ok(found)
}

/// What the header says of an entry's bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Encoding {
    Utf8,
    Latin1,
}

impl Encoding {
    /// `Content-Type: text/plain; charset=UTF-8`; without it, UTF-8.
    fn of_header(header: &[u8]) -> Result<Encoding, String> {
        let header = String::from_utf8_lossy(header).to_ascii_lowercase();
        let Some((_, charset)) = header.split_once("charset=") else { return Ok(Encoding::Utf8) };
        match charset.split_whitespace().next().unwrap_or("") {
            "utf-8" | "utf8" | "us-ascii" | "ascii" | "" => Ok(Encoding::Utf8),
            "iso-8859-1" | "iso8859-1" | "latin1" | "latin-1" => Ok(Encoding::Latin1),
            other => Err(format!("it is in the encoding `{other}`; UTF-8 and ISO-8859-1 are read")),
        }
    }

    fn decoded(self, bytes: &[u8]) -> Option<String> {
        match self {
            Encoding::Utf8 => std::str::from_utf8(bytes).ok().map(str::to_string),
            Encoding::Latin1 => Some(bytes.iter().map(|byte| char::from(*byte)).collect()),
        }
    }
}

/// Messages of one entry. The first of several translated forms is for one, the last for many; a language with one form
/// has it for many.
fn forms(original: &str, translation: &str) -> Vec<Message> {
    let original = original.split_once(CONTEXT).map_or(original, |(_, text)| text);
    let forms: Vec<&str> = translation.split('\0').collect();
    let pairs = match (original.split_once('\0'), &forms[..]) {
        (None, [one, ..]) => vec![(original, *one)],
        (Some((_, plural)), [all]) => vec![(plural, *all)],
        (Some((singular, plural)), [one, .., many]) => vec![(singular, *one), (plural, *many)],
        (_, []) => Vec::new(),
    };
    let is_translated = |(_, translation): &(&str, &str)| !translation.is_empty();
    pairs.into_iter().filter(is_translated).map(|(from, to)| (from.to_string(), to.to_string())).collect()
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// A catalogue of these entries.
    pub fn catalogue(entries: &[(&[u8], &[u8])], is_big: bool) -> Vec<u8> {
        let word = |number: usize| {
            let number = number as u32;
            if is_big { number.to_be_bytes() } else { number.to_le_bytes() }
        };
        let (originals, translations) = (28, 28 + 8 * entries.len());
        let mut tables = [Vec::new(), Vec::new()];
        let (mut strings, begin) = (Vec::new(), 28 + 16 * entries.len());
        for (original, translation) in entries {
            for (table, text) in tables.iter_mut().zip([original, translation]) {
                table.extend([word(text.len()), word(begin + strings.len())].concat());
                strings.extend([text, &b"\0"[..]].concat());
            }
        }
        let head = [MAGIC as usize, 0, entries.len(), originals, translations, 0, begin].map(word).concat();
        [head, tables.concat(), strings].concat()
    }

    const UTF8: (&[u8], &[u8]) = (b"", b"Language: de\nContent-Type: text/plain; charset=UTF-8\n");

    #[test]
    fn both_byte_orders_give_the_same_messages() {
        let entries: [(&[u8], &[u8]); 5] = [
            UTF8,
            (b"Open file", "Datei öffnen".as_bytes()),
            (b"menu\x04Close", b"Schliessen"),
            (b"%d file\0%d files", b"%d Datei\0%d Dateien"),
            (b"Not yet", b""),
        ];
        let expected = [
            ("Open file", "Datei öffnen"),
            ("Close", "Schliessen"),
            ("%d file", "%d Datei"),
            ("%d files", "%d Dateien"),
        ]
        .map(|(from, to)| (from.to_string(), to.to_string()));
        for is_big in [false, true] {
            assert_eq!(messages("x.mo", &catalogue(&entries, is_big)).unwrap(), expected);
        }
        let one: [(&[u8], &[u8]); 1] = [(b"%d file\0%d files", "%d ファイル".as_bytes())];
        assert_eq!(messages("x.mo", &catalogue(&one, true)).unwrap()[0].0, "%d files");
    }

    #[test]
    fn encodings_are_read_or_named() {
        let of = |charset: &str, text: &[u8]| {
            let header = format!("Content-Type: text/plain; charset={charset}\n");
            messages("x.mo", &catalogue(&[(b"", header.as_bytes()), (b"coffee", text)], false))
        };
        assert_eq!(of("ISO-8859-1", b"caf\xe9").unwrap()[0].1, "café");
        assert!(of("EUC-JP", b"x").unwrap_err().message.contains("in the encoding `euc-jp`"));
        assert!(of("UTF-8", b"caf\xe9").unwrap_err().message.contains("entry 1 is not Utf8"));
    }

    #[test]
    fn broken_catalogues_are_told_with_places() {
        let whole = catalogue(&[UTF8, (b"a", b"b")], false);
        let said = |bytes: &[u8]| messages("x.mo", bytes).unwrap_err().message;
        assert!(said(b"").contains("(0 bytes)") && said(b"GNU!").contains("does not begin"));
        assert!(said(&whole[..10]).contains("ends before byte 8"));
        assert!(said(&whole[..whole.len() - 3]).contains("would lie at byte"));
        let mut many = whole.clone();
        many[8..12].copy_from_slice(&u32::MAX.to_le_bytes());
        assert!(said(&many).contains("x.mo"));
        let mut shared = catalogue(&[UTF8; 20], false);
        let text = vec![b'x'; 4000];
        let begin = shared.len() as u32;
        for entry in 20..40 {
            let at = 28 + 8 * entry;
            shared[at..at + 8].copy_from_slice(&[4000u32.to_le_bytes(), begin.to_le_bytes()].concat());
        }
        shared.extend(text);
        assert!(said(&shared).contains("strings have"), "{}", said(&shared));
        let mut newer = whole;
        newer[6] = 9;
        assert!(said(&newer).contains("of revision 9"));
    }
}
