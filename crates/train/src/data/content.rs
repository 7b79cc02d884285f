//! What the files of a run held: their lengths and checksums, so that one that changed between two parts of a run is
//! noticed.
//!
//! Files are compared by what they hold, in the order in which they are named; a name may change. The checksum finds
//! what happens by mistake (see [`checksum`](crate::checksum)).

use crate::checksum::checksum;
use meshwright_base::{Code, Diagnostic};

const CHANGED: Code = Code(1149);

/// What the name of two tokenizers together has in it.
pub const TARGETS_TOO: &str = " with target.model";

/// A file, as it was read.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Content {
    pub name: String,
    pub bytes: u64,
    pub sum: u32,
}

/// Everything that batches are made from besides the configuration.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Contents {
    /// The tokenizer, given or learnt. `None` in checkpoints that did not say.
    pub tokenizer: Option<Content>,
    /// The files of corpus "files".
    pub files: Vec<Content>,
}

/// What to do where the files of a run are not as they were.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum DataChange {
    #[default]
    Refuse,
    /// Go on with what they hold now.
    Accept,
}

impl Content {
    pub fn of(name: &str, bytes: &[u8]) -> Content {
        Content { name: name.into(), bytes: bytes.len() as u64, sum: checksum(bytes) }
    }

    fn holds(&self, other: &Content) -> bool {
        (self.bytes, self.sum) == (other.bytes, other.sum)
    }

    fn told(&self) -> String {
        format!("{} bytes, checksum {:08x}", self.bytes, self.sum)
    }
}

impl Contents {
    /// Notes on what has changed since `saved`, if that is accepted; else what is wrong with the first.
    pub fn since(&self, saved: &Contents, change: DataChange) -> Result<Vec<String>, Diagnostic> {
        self.tokenizer_since(saved)?;
        if !saved.says() {
            return Ok(Vec::new());
        }
        if saved.files.len() != self.files.len() {
            return Err(other_number(saved.files.len(), self.files.len()));
        }
        let pairs = saved.files.iter().zip(&self.files);
        let changed: Vec<_> = pairs.filter(|(before, now)| !before.holds(now)).collect();
        match (changed.first(), change) {
            (Some((before, now)), DataChange::Refuse) => Err(other_file(before, now)),
            _ => Ok(changed.into_iter().map(|(before, now)| sentence(before, now)).collect()),
        }
    }

    /// Whether it says anything: checkpoints of before did not, and what is made by rules has no files. Arrays have
    /// files and no tokenizer.
    fn says(&self) -> bool {
        self.tokenizer.is_some() || !self.files.is_empty()
    }

    /// Weights belong to the pieces they were learnt for: no other tokenizer will do.
    pub fn tokenizer_since(&self, saved: &Contents) -> Result<(), Diagnostic> {
        match self.tokenizers_apart(saved) {
            Some((before, now)) => Err(other_tokenizer(before, now)),
            None => Ok(()),
        }
    }

    /// The tokenizer of `saved` and this one, if they hold other bytes.
    fn tokenizers_apart<'a>(&'a self, saved: &'a Contents) -> Option<(&'a Content, &'a Content)> {
        let (before, now) = (saved.tokenizer.as_ref()?, self.tokenizer.as_ref()?);
        (!before.holds(now)).then_some((before, now))
    }

    /// The tokenizer of other weights beside this one's, in words, if they hold other bytes.
    pub fn tokenizer_beside(&self, theirs: &Contents) -> Option<String> {
        let (theirs, own) = self.tokenizers_apart(theirs)?;
        let two = [theirs, own].map(|one| one.name.contains(TARGETS_TOO));
        let why = match two {
            [true, false] => ": it has a second one for targets, and there is one for both here",
            [false, true] => ": there is a second one for targets here, and it has one for both",
            [true, true] | [false, false] => "",
        };
        Some(format!("`{}` ({}) and not `{}` ({}){why}", theirs.name, theirs.told(), own.name, own.told()))
    }
}

fn sentence(before: &Content, now: &Content) -> String {
    let was = if before.name == now.name { String::new() } else { format!(" (then `{}`)", before.name) };
    format!(
        "`{}`{was} has changed since the checkpoint: {} then, {} now",
        now.name,
        before.told(),
        now.told()
    )
}

fn other_file(before: &Content, now: &Content) -> Diagnostic {
    let help = "restore it, or go on with what it holds now by `--data-changed ok`: the place in the data stays the number of \
                a document or an example, so some may come twice and some never";
    Diagnostic::error(CHANGED, sentence(before, now)).help(help)
}

fn other_tokenizer(before: &Content, now: &Content) -> Diagnostic {
    let help = "restore it, or name the one that the run learnt, as `--set data.tokenizer=RUN/tokenizer.model`: the weights \
                belong to its pieces";
    let message = if before.name == now.name {
        format!("the tokenizer {}", sentence(before, now))
    } else {
        format!(
            "the tokenizer `{}` is not that of the checkpoint, `{}`: {} there, {} here",
            now.name,
            before.name,
            before.told(),
            now.told()
        )
    };
    Diagnostic::error(CHANGED, message).help(help)
}

fn other_number(before: usize, now: usize) -> Diagnostic {
    let message = format!("the run reads {before} files, and by `data.files` there are {now}");
    Diagnostic::error(CHANGED, message).help(
        "give as many, in the same order: the place in the data is one among them. Of a folder each image is a file",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn contents(files: &[&[u8]], tokenizer: &[u8]) -> Contents {
        let file = |(at, bytes): (usize, &&[u8])| Content::of(&format!("{at}.txt"), bytes);
        Contents {
            tokenizer: Some(Content::of("a.model", tokenizer)),
            files: files.iter().enumerate().map(file).collect(),
        }
    }

    #[test]
    fn a_file_that_changed_is_named_with_both_sizes_and_the_way_out() {
        let (before, now) = (contents(&[b"one", b"two"], b"t"), contents(&[b"one", b"twos"], b"t"));
        let refused = now.since(&before, DataChange::Refuse).unwrap_err();
        assert!(refused.message.starts_with("`1.txt` has changed since the checkpoint: 3 bytes, checksum "));
        assert!(refused.message.contains(" then, 4 bytes, checksum "), "{}", refused.message);
        assert!(refused.help.is_some_and(|help| help.contains("--data-changed ok")));
        assert_eq!(now.since(&before, DataChange::Accept).unwrap().len(), 1);
        // The same length, another letter.
        assert!(contents(&[b"one", b"twO"], b"t").since(&before, DataChange::Refuse).is_err());
        assert_eq!(before.since(&before, DataChange::Refuse).unwrap(), Vec::<String>::new());
    }

    #[test]
    fn another_tokenizer_or_number_of_files_is_never_accepted() {
        let before = contents(&[b"one"], b"t");
        let said = |now: Contents| now.since(&before, DataChange::Accept).unwrap_err().message;
        assert!(said(contents(&[b"one"], b"other")).starts_with("the tokenizer `a.model` has changed"));
        assert!(said(contents(&[], b"t")).contains("reads 1 files, and by `data.files` there are 0"));
        // A checkpoint that does not say is taken as it is.
        assert_eq!(before.since(&Contents::default(), DataChange::Refuse).unwrap(), Vec::<String>::new());
    }

    #[test]
    fn files_are_compared_where_there_is_no_tokenizer() {
        let arrays = |bytes: &[u8]| Contents { tokenizer: None, ..contents(&[bytes], b"") };
        let found = arrays(b"changed").since(&arrays(b"arrays"), DataChange::Refuse).unwrap_err();
        assert!(found.message.starts_with("`0.txt` has changed since the checkpoint: 6 bytes"), "{found:?}");
        assert_eq!(arrays(b"a").since(&arrays(b"a"), DataChange::Refuse).unwrap(), Vec::<String>::new());
        let none = Contents::default().since(&arrays(b"a"), DataChange::Accept).unwrap_err();
        assert!(none.help.is_some_and(|help| help.contains("each image is a file")));
    }

    #[test]
    fn a_file_that_moved_is_the_same() {
        let before = contents(&[b"one"], b"t");
        let mut now = before.clone();
        now.files[0].name = "elsewhere/0.txt".into();
        assert_eq!(now.since(&before, DataChange::Refuse).unwrap(), Vec::<String>::new());
    }
}
