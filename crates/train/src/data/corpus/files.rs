//! Text from files: one document a line, `source<TAB>target` or the text alone. Empty lines are no documents.
//!
//! Files are read once when opened, to count lines and to note where every so many of them begin; at most [`MARKS`]
//! places are kept per file, so memory does not grow with the files. A document is then found by one seek and at most
//! a stride of lines. Reading in ascending order goes on where it stands, without a seek.

use super::{CORPUS, Corpus, Document, Part, no_such_document};
use crate::checksum::Checksum;
use crate::data::content::Content;
use meshwright_base::Diagnostic;
use meshwright_runtime::files::open_regular;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

/// Most places remembered per file.
const MARKS: usize = 1 << 15;

/// Longest line in bytes: one document must fit into memory.
const LONGEST: u64 = 1 << 20;

/// What some editors put before UTF-8 text; in files that were put together it begins other lines than the first too.
const BYTE_ORDER_MARK: char = '\u{feff}';

/// Lines of files.
#[derive(Debug)]
pub struct FileCorpus {
    parts: Vec<Part>,
    files: Vec<LineFile>,
    contents: Vec<Content>,
}

/// A file with marks: `marks[n]` is where document `n * stride` begins.
#[derive(Debug)]
struct LineFile {
    path: PathBuf,
    marks: Vec<u64>,
    stride: u64,
    documents: u64,
    /// How many of them are one text and no pair, and which line the first of these is, from 1.
    alone: u64,
    first_alone: u64,
    reader: BufReader<File>,
    /// The document that reading on would give.
    next: u64,
}

impl FileCorpus {
    /// Opens all files, or says of the first what is wrong with it.
    pub fn open(paths: &[PathBuf]) -> Result<Self, Diagnostic> {
        let opened: Vec<_> = paths.iter().map(|path| LineFile::open(path)).collect::<Result<_, _>>()?;
        let (files, contents): (Vec<LineFile>, Vec<Content>) = opened.into_iter().unzip();
        let part =
            |file: &LineFile| Part { name: file.path.display().to_string(), documents: file.documents };
        let parts: Vec<Part> = files.iter().map(part).collect();
        if parts.iter().all(|part| part.documents == 0) {
            Err(empty(paths))
        } else {
            Ok(FileCorpus { parts, files, contents })
        }
    }
}

impl FileCorpus {
    /// Refuses texts that have nothing beside them, where a source is learnt with its target.
    pub fn check_pairs(&self) -> Result<(), Diagnostic> {
        let Some(file) = self.files.iter().find(|file| file.alone > 0) else { return Ok(()) };
        let (path, line) = (file.path.display(), file.first_alone);
        let message = format!("line {line} of `{path}` has no tab between a source and its target");
        Err(Diagnostic::error(CORPUS, message)
            .note(format!("that is so in {} of its {} documents", file.alone, file.documents))
            .help("write `SOURCE<TAB>TARGET` on each line; texts alone are for `--set data.task=spans` or `next`"))
    }

    /// What the files held when they were opened.
    pub fn contents(&self) -> &[Content] {
        &self.contents
    }
}

impl Corpus for FileCorpus {
    fn parts(&self) -> &[Part] {
        &self.parts
    }

    fn document(&mut self, part: usize, at: u64) -> Result<Document, Diagnostic> {
        let file = self.files.get_mut(part).filter(|file| at < file.documents);
        let line = file.ok_or_else(|| no_such_document(part, at))?.document(at)?;
        Ok(match line.split_once('\t') {
            Some((source, target)) => Document { source: source.into(), target: target.into() },
            None => Document { source: String::new(), target: line },
        })
    }
}

impl LineFile {
    fn open(path: &Path) -> Result<(Self, Content), Diagnostic> {
        let file = open_regular(path).map_err(|error| unreadable(path, &error))?;
        let mut found = LineFile {
            path: path.into(),
            marks: Vec::new(),
            stride: 1,
            documents: 0,
            alone: 0,
            first_alone: 0,
            reader: BufReader::new(file),
            next: 0,
        };
        let (mut begins, mut number, mut sum) = (0, 0, Checksum::default());
        while let Some((line, end)) = found.line(begins, Some(&mut sum))? {
            number += 1;
            if !line.trim().is_empty() {
                found.mark(begins);
                if !line.contains('\t') {
                    found.first_alone = if found.alone == 0 { number } else { found.first_alone };
                    found.alone += 1;
                }
            }
            begins = end;
        }
        // No document is due next: the reader stands at the end.
        found.next = u64::MAX;
        let content = Content { name: path.display().to_string(), bytes: begins, sum: sum.value() };
        Ok((found, content))
    }

    /// Counts a document, and thins the marks out when they are full.
    fn mark(&mut self, begins: u64) {
        if self.documents.is_multiple_of(self.stride) {
            self.marks.push(begins);
        }
        self.documents += 1;
        if self.marks.len() >= MARKS {
            let mut keep = false;
            self.marks.retain(|_| {
                keep = !keep;
                keep
            });
            self.stride *= 2;
        }
    }

    fn document(&mut self, at: u64) -> Result<String, Diagnostic> {
        let near = self.next <= at && at - self.next <= self.stride;
        if !near {
            let mark = self.marks.get((at / self.stride) as usize).copied().unwrap_or(0);
            self.reader.seek(SeekFrom::Start(mark)).map_err(|error| unreadable(&self.path, &error))?;
            self.next = at / self.stride * self.stride;
        }
        while let Some((line, _)) = self.line(0, None)? {
            if line.trim().is_empty() {
                continue;
            }
            self.next += 1;
            if self.next > at {
                return Ok(line);
            }
        }
        Err(changed(&self.path, at))
    }

    /// The next line without its end, and where the one after it begins. `None` at the end of the file. All bytes are
    /// added to a `sum`, where one is given.
    fn line(&mut self, begins: u64, sum: Option<&mut Checksum>) -> Result<Option<(String, u64)>, Diagnostic> {
        let mut bytes = Vec::new();
        let mut limited = (&mut self.reader).take(LONGEST + 1);
        let read = limited.read_until(b'\n', &mut bytes).map_err(|error| unreadable(&self.path, &error))?;
        if read == 0 {
            return Ok(None);
        }
        if bytes.len() as u64 > LONGEST {
            return Err(too_long(&self.path, self.documents));
        }
        sum.into_iter().for_each(|sum| sum.add(&bytes));
        let text = String::from_utf8(bytes).map_err(|error| not_text(&self.path, begins, &error))?;
        let line = text.trim_end_matches(['\n', '\r']).trim_start_matches(BYTE_ORDER_MARK);
        Ok(Some((line.to_string(), begins + read as u64)))
    }
}

fn unreadable(path: &Path, error: &io::Error) -> Diagnostic {
    Diagnostic::error(CORPUS, format!("cannot read `{}`: {error}", path.display()))
        .help("check the name in `data.files` and that the file may be read")
}

fn too_long(path: &Path, line: u64) -> Diagnostic {
    let message =
        format!("`{}` has a line longer than {LONGEST} bytes after {line} documents", path.display());
    Diagnostic::error(CORPUS, message).help("write one document a line")
}

fn not_text(path: &Path, begins: u64, error: &std::string::FromUtf8Error) -> Diagnostic {
    let at = begins + error.utf8_error().valid_up_to() as u64;
    Diagnostic::error(CORPUS, format!("`{}` is not UTF-8 at byte {at}", path.display()))
        .help("convert the file to UTF-8, one document a line")
}

fn changed(path: &Path, at: u64) -> Diagnostic {
    Diagnostic::error(CORPUS, format!("`{}` has no document {at} any more", path.display()))
        .help("the file changed during the run; restore it")
}

fn empty(paths: &[PathBuf]) -> Diagnostic {
    Diagnostic::error(CORPUS, format!("the corpus is empty: {} files without a line of text", paths.len()))
        .help("name files with one document a line in `data.files`")
}

#[cfg(test)]
mod tests {
    use super::*;
    use meshwright_base::random::permuted;

    fn file(name: &str, text: &[u8]) -> PathBuf {
        let path = std::env::temp_dir().join(format!("meshwright-{}-{name}", std::process::id()));
        std::fs::write(&path, text).unwrap();
        path
    }

    #[test]
    fn documents_are_found_in_any_order_beyond_the_marks() {
        let count = 3 * MARKS as u64 + 17;
        let text: String =
            (0..count).map(|n| format!("{}line {n}\r\n", if n % 7 == 0 { "\n" } else { "" })).collect();
        let mut corpus = FileCorpus::open(&[file("order", text.as_bytes())]).unwrap();
        assert_eq!(corpus.parts()[0].documents, count);
        assert!(corpus.files[0].marks.len() < MARKS && corpus.files[0].stride == 4);
        let mut check = |at: u64| assert_eq!(corpus.document(0, at).unwrap().target, format!("line {at}"));
        (0..500).for_each(|n| check(permuted(3, count, n)));
        (200..260).for_each(&mut check);
        check(count - 1);
        check(0);
        assert!(corpus.document(0, count).is_err());
    }

    #[test]
    fn a_tab_parts_source_and_target() {
        let mut corpus = FileCorpus::open(&[file("tab", "a b\tc\td\nalone".as_bytes())]).unwrap();
        assert_eq!(corpus.document(0, 0).unwrap(), Document { source: "a b".into(), target: "c\td".into() });
        assert_eq!(corpus.document(0, 1).unwrap().target, "alone");
        let told = corpus.check_pairs().unwrap_err();
        assert!(told.message.starts_with("line 2 of "), "{}", told.message);
        assert_eq!(told.notes, ["that is so in 1 of its 2 documents"]);
        let pairs = FileCorpus::open(&[file("tabs", "a\tb\n\nc\td\n".as_bytes())]).unwrap();
        assert_eq!(pairs.check_pairs(), Ok(()));
    }

    #[test]
    fn a_byte_order_mark_is_no_part_of_a_document() {
        let mut corpus = FileCorpus::open(&[file("mark", "\u{feff}one\ntwo\n".as_bytes())]).unwrap();
        assert_eq!(corpus.document(0, 0).unwrap().target, "one");
    }

    #[test]
    fn a_file_that_changes_while_it_is_read_is_named() {
        let path = file("changes", b"one\ntwo\n");
        let mut corpus = FileCorpus::open(std::slice::from_ref(&path)).unwrap();
        std::fs::write(&path, "one\n").unwrap();
        let found = corpus.document(0, 1).unwrap_err();
        assert_eq!(found.message, format!("`{}` has no document 1 any more", path.display()));
        assert_eq!(found.help.as_deref(), Some("the file changed during the run; restore it"));
        // An open file can still fail to read: a directory has no bytes, and a pipe cannot seek.
        #[cfg(unix)]
        {
            let said = |corpus: &mut FileCorpus| {
                corpus.files[0].next = u64::MAX;
                corpus.document(0, 0).unwrap_err().message
            };
            corpus.files[0].reader = BufReader::new(File::open(std::env::temp_dir()).unwrap());
            assert!(said(&mut corpus).ends_with("-changes`: Is a directory (os error 21)"));
            let (end, _) = std::os::unix::net::UnixStream::pair().unwrap();
            corpus.files[0].reader = BufReader::new(File::from(std::os::fd::OwnedFd::from(end)));
            assert!(said(&mut corpus).contains("-changes`: Illegal seek"), "{}", said(&mut corpus));
        }
    }

    #[test]
    fn what_cannot_be_read_is_told() {
        let said = |paths: &[PathBuf]| FileCorpus::open(paths).unwrap_err().message;
        assert!(said(&["/nowhere/at/all".into()]).starts_with("cannot read `/nowhere/at/all`"));
        assert!(said(&[file("empty", b"\n \n")]).starts_with("the corpus is empty: 1 files"));
        assert!(said(&[file("bytes", b"ab\nc\xff\n")]).ends_with("is not UTF-8 at byte 4"));
        assert!(said(&[file("long", &vec![b'x'; 2 << 20])]).contains("longer than 1048576 bytes"));
        assert!(said(&[std::env::temp_dir()]).starts_with("cannot read"));
    }
}
