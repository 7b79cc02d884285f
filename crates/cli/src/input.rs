//! Reading text from a file or standard input, in bounded memory: of modules, and of configurations.
//!
//! Whatever is no text is told apart before a parser sees it: a folder, a file that is not there, bytes
//! that are no UTF-8, nothing at all, and the binary forms that other tools write.

use crate::failure::{Failure, Fault};
use crate::output;
use meshwright_base::{Ask, Code, Diagnostic, SourceText};
use meshwright_runtime::files::open_regular;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

/// Larger texts are refused: places in a text are counted in 32 bits.
const LARGEST: u64 = 2 << 30;

/// This many bytes are looked at to tell text from anything else.
const SNIFFED: u64 = 8 << 10;

/// What some editors put before UTF-8 text. It is no part of it.
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

const UNREADABLE: Code = Code(701);
const NOT_TEXT: Code = Code(702);
const EMPTY: Code = Code(703);
const TOO_LARGE: Code = Code(704);
const UNWRITABLE: Code = Code(706);

/// What a text is expected to be, for those who gave something else.
#[derive(Clone, Copy)]
struct Kind {
    /// Completes "name one file in it, as `FOLDER/..`".
    example: &'static str,
    what: &'static str,
    may_be_empty: bool,
    /// Whether it is refused where a path leads to no regular file: opening a FIFO waits for a writer.
    is_regular: bool,
}

const MODULE: Kind = Kind {
    example: "module.mlir",
    what: "a module is StableHLO text or HLO text",
    may_be_empty: false,
    is_regular: false,
};
const CONFIGURATION: Kind = Kind {
    example: "config.toml",
    what: "a configuration is TOML, as the `config.toml` that every run writes",
    may_be_empty: true,
    is_regular: true,
};

const LINES: Kind = Kind {
    example: "sentences.txt",
    what: "what is scored is plain text in UTF-8, one sentence a line",
    may_be_empty: true,
    is_regular: false,
};

/// Read the module text at `path`; `-` is standard input.
pub fn read(path: &Path) -> Result<SourceText, Failure> {
    read_as(path, MODULE)
}

/// The same of a text that is in memory already, by a name for it.
pub fn given(name: &str, text: &[u8]) -> Result<SourceText, Failure> {
    read_from(text, name, LARGEST, MODULE)
}

/// The same of a configuration, which may be empty.
pub fn read_configuration(path: &Path) -> Result<SourceText, Failure> {
    read_as(path, CONFIGURATION)
}

/// The same of plain text, one sentence a line.
pub fn read_lines(path: &Path) -> Result<SourceText, Failure> {
    read_as(path, LINES)
}

fn read_as(path: &Path, kind: Kind) -> Result<SourceText, Failure> {
    if path.as_os_str() == "-" {
        return read_from(io::stdin().lock(), "<stdin>", LARGEST, kind);
    }
    let name = path.display().to_string();
    let unreadable = |error| unreadable(&name, &error);
    // A pipe that a shell passes, as in `<(..)`, has a writer already.
    let is_open = output::is_descriptor(path) || path.is_dir();
    let file = if kind.is_regular && !is_open { open_regular(path) } else { File::open(path) };
    let file = file.map_err(unreadable)?;
    if file.metadata().map_err(unreadable)?.is_dir() {
        return Err(Failure::new(
            Fault::Environment,
            Diagnostic::error(UNREADABLE, format!("`{name}` is a folder")).help(format!(
                "name one file in it, as `{}/{}`",
                name.trim_end_matches('/'),
                kind.example
            )),
        ));
    }
    read_from(file, &name, LARGEST, kind)
}

/// A file that could not be read, with the way out that its kind of error has.
pub fn unreadable(name: &str, error: &io::Error) -> Failure {
    let diagnostic = Diagnostic::error(UNREADABLE, format!("cannot read `{name}`: {error}"));
    let diagnostic = match error.kind() {
        io::ErrorKind::NotFound => diagnostic.help("check the path; `-` reads standard input"),
        io::ErrorKind::PermissionDenied => diagnostic.help("check the file's permissions"),
        io::ErrorKind::IsADirectory => diagnostic.help("name one file in it"),
        io::ErrorKind::InvalidInput => diagnostic.help("name a regular file"),
        _ => diagnostic,
    };
    Failure::new(Fault::Environment, diagnostic)
}

/// A file that could not be written.
pub fn unwritable(name: &str, error: &io::Error) -> Failure {
    let diagnostic = Diagnostic::error(UNWRITABLE, format!("cannot write `{name}`: {error}"));
    Failure::new(
        Fault::Environment,
        diagnostic.help("check that the folder exists, may be written to and has room"),
    )
}

/// What is written must not be what was read.
pub fn check_other(path: &Path, read: &Path) -> Result<(), Failure> {
    let (Ok(path), Ok(read)) = (path.canonicalize(), read.canonicalize()) else { return Ok(()) };
    if path != read {
        return Ok(());
    }
    let message = format!("cannot write `{}`: it is what is read", path.display());
    Err(Failure::new(Fault::Usage, Diagnostic::error(UNWRITABLE, message).help("name another file")))
}

/// Whether a file can be written there, asked before the work that makes it.
pub fn check_place(path: &Path) -> Result<(), Failure> {
    output::check_place(path).map_err(|error| unwritable(&path.display().to_string(), &error))
}

/// Write a whole file or leave what was there.
pub fn write_file(path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    output::replace_by(path, bytes).map_err(|error| unwritable(&path.display().to_string(), &error))
}

fn read_from(mut reader: impl Read, name: &str, largest: u64, kind: Kind) -> Result<SourceText, Failure> {
    let mut bytes = Vec::new();
    let unreadable = |error| unreadable(name, &error);
    reader.by_ref().take(SNIFFED).read_to_end(&mut bytes).map_err(unreadable)?;
    if bytes.is_empty() && !kind.may_be_empty {
        return Err(refuse(EMPTY, format!("`{name}` is empty"), kind.what.into()));
    }
    if let Some(at) = bytes.iter().position(|byte| *byte == 0) {
        return Err(refuse(
            NOT_TEXT,
            format!("`{name}` is not text: byte {at} is zero"),
            binary_help(&bytes, kind),
        ));
    }
    reader.take(largest + 1 - bytes.len() as u64).read_to_end(&mut bytes).map_err(unreadable)?;
    if bytes.len() as u64 > largest {
        let help = "keep large constants out of the module: pass them as parameters";
        return Err(refuse(TOO_LARGE, format!("`{name}` has more than {largest} bytes"), help.into()));
    }
    if bytes.starts_with(BYTE_ORDER_MARK) {
        bytes.drain(..BYTE_ORDER_MARK.len());
    }
    match String::from_utf8(bytes) {
        Ok(text) if text.trim().is_empty() && !kind.may_be_empty => {
            Err(refuse(EMPTY, format!("`{name}` holds only white space"), kind.what.into()))
        }
        Ok(text) => Ok(SourceText::new(name, text)),
        Err(error) => Err(not_utf8(name, &error, kind)),
    }
}

fn not_utf8(name: &str, error: &std::string::FromUtf8Error, kind: Kind) -> Failure {
    let (at, bytes) = (error.utf8_error().valid_up_to(), error.as_bytes());
    let line = bytes[..at].iter().filter(|byte| **byte == b'\n').count() + 1;
    let message = format!("`{name}` is not UTF-8: byte {at}, on line {line}, is {:#04x}", bytes[at]);
    refuse(NOT_TEXT, message, binary_help(bytes, kind))
}

/// What to do about a file in a form we know of but do not read.
fn binary_help(bytes: &[u8], kind: Kind) -> String {
    match bytes {
        [0xff, 0xfe, ..] | [0xfe, 0xff, ..] => "this is UTF-16: save it as UTF-8".into(),
        _ if kind.may_be_empty => kind.what.into(),
        [b'M', b'L', 0xef, b'R', ..] => {
            "this is MLIR bytecode: write text, as `lowered.as_text()` in JAX or `stablehlo-opt FILE` does"
                .into()
        }
        [b'P', b'K', 3, 4, ..] => {
            let inputs = Ask::Either { line: "run --inputs", python: "run(numpy.load(FILE))" };
            format!("this is a zip archive: an .npz goes to `{inputs}`")
        }
        [0x1f, 0x8b, ..] => {
            let unzip = "gunzip -c FILE | meshwright check -";
            let unzip = Ask::Either { line: unzip, python: "parse(gzip.decompress(text))" };
            format!("this is gzip: try `{unzip}`")
        }
        _ => format!("{}; a serialized HLO proto must be printed as text first", kind.what),
    }
}

fn refuse(code: Code, message: String, help: String) -> Failure {
    Failure::input(Diagnostic::error(code, message).help(help))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(bytes: &[u8]) -> String {
        let failure = read_from(bytes, "x", 20_000, MODULE).unwrap_err();
        assert_eq!(failure.fault, Fault::Input);
        failure.to_text()
    }

    #[test]
    fn text_is_read_whole() {
        assert_eq!(read_from(&b"module {}\n"[..], "x", 20_000, MODULE).unwrap().text, "module {}\n");
        assert_eq!(read_from(&[b'a'; 20_000][..], "x", 20_000, MODULE).unwrap().text.len(), 20_000);
    }

    #[test]
    fn a_byte_order_mark_is_skipped_and_another_encoding_named() {
        let read = |bytes: &[u8]| read_from(bytes, "x", 20_000, MODULE);
        assert_eq!(read(b"\xef\xbb\xbfmodule {}\n").unwrap().text, "module {}\n");
        assert!(refused(b"\xef\xbb\xbf \n").contains("only white space"));
        assert!(refused(b"\xff\xfem\0o\0").contains("this is UTF-16"));
    }

    #[test]
    fn what_is_no_text_is_refused_with_place_and_help() {
        assert!(refused(b"").contains("`x` is empty"));
        assert!(refused(b" \n\n").contains("only white space"));
        assert!(refused(b"ab\ncd\xff").contains("byte 5, on line 2, is 0xff"));
        assert!(refused(b"ML\xefR\0\0").contains("MLIR bytecode"));
        assert!(refused(b"HloModule\0").contains("byte 9 is zero"));
        assert!(refused(&[b'a'; 20_001]).contains("more than 20000 bytes"));
    }

    #[test]
    fn a_configuration_may_be_empty_and_is_told_apart_from_modules() {
        assert_eq!(read_from(&b""[..], "x", 20_000, CONFIGURATION).unwrap().text, "");
        let binary = read_from(&b"\x1f\x8b\0"[..], "x", 20_000, CONFIGURATION).unwrap_err().to_text();
        assert!(binary.contains("a configuration is TOML") && !binary.contains("module"), "{binary}");
    }

    #[test]
    fn an_endless_binary_stream_is_refused_at_once() {
        assert!(
            read_from(io::repeat(0), "zero", u64::MAX, MODULE)
                .unwrap_err()
                .to_text()
                .contains("byte 0 is zero")
        );
        assert!(
            read_from(io::repeat(b'a'), "endless", 1 << 20, MODULE)
                .unwrap_err()
                .to_text()
                .contains("1048576")
        );
    }

    #[test]
    fn missing_files_and_folders_are_the_environments_fault() {
        let missing = read(Path::new("no/such/file.mlir")).unwrap_err();
        assert_eq!(missing.fault, Fault::Environment);
        assert!(missing.to_text().contains("no/such/file.mlir"));
        let folder = read(Path::new(env!("CARGO_MANIFEST_DIR"))).unwrap_err();
        assert_eq!(folder.fault, Fault::Environment);
        assert!(folder.to_text().contains("is a folder"));
    }
}
