//! Lines of bytes as they come, read ahead by a thread of their own.

use crate::failure::{Failure, Fault};
use crate::input;
use crate::output::is_stdout;
use meshwright_base::{Code, Diagnostic};
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::time::Duration;

/// A line that is not translated.
pub const LINE: Code = Code(1172);

const FOLDER: Code = Code(1175);

/// Longest line in bytes; what is behind that is thrown away as it is read.
const LONGEST: u64 = 1 << 20;

/// How long a batch waits for one more line.
const PAUSE: Duration = Duration::from_millis(2);

/// Why a line is not translated.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Refused {
    pub message: String,
    pub help: &'static str,
}

/// The text of a line, without its end.
pub type Line = Result<String, Refused>;

/// Lines on their way in.
pub struct Lines {
    name: String,
    came: Receiver<io::Result<Line>>,
    batch: usize,
    /// Whether a batch is full but for the last.
    waits: bool,
}

/// That there are no more lines, and why.
pub type End = io::Result<()>;

impl Lines {
    /// Begins to read; no more than two batches ahead.
    pub fn open(path: &Path, batch: usize, waits: bool) -> Result<Lines, Failure> {
        let name = if is_stdout(path) { "<stdin>".to_string() } else { path.display().to_string() };
        let from: Box<dyn Read + Send> = if is_stdout(path) {
            Box::new(io::stdin())
        } else {
            let file = File::open(path).map_err(|error| input::unreadable(&name, &error))?;
            if file.metadata().is_ok_and(|about| about.is_dir()) {
                return Err(is_folder(&name));
            }
            Box::new(file)
        };
        let (to, came) = sync_channel(2 * batch.max(1));
        let read = move || {
            let mut from = BufReader::new(from);
            let mut number = 0;
            loop {
                let line = one(&mut from, number).transpose();
                let Some(line) = line else { return };
                let is_last = line.is_err();
                number += 1;
                if to.send(line).is_err() || is_last {
                    return;
                }
            }
        };
        let begun = std::thread::Builder::new().name("lines".to_string()).spawn(read);
        begun.map_err(|error| {
            let message = format!("no thread can be started to read `{name}`: {error}");
            let help = "let the machine run fewer processes, or raise its limit of threads";
            Failure::new(Fault::Environment, Diagnostic::error(LINE, message).help(help))
        })?;
        Ok(Lines { name, came, batch: batch.max(1), waits })
    }

    /// What is read, for messages.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The lines that have come, one at least unless there are no more; and whether there are no more.
    pub fn next(&mut self) -> (Vec<Line>, Option<End>) {
        let mut lines = Vec::new();
        while lines.len() < self.batch {
            let came = if lines.is_empty() || self.waits {
                self.came.recv().map_err(|_| RecvTimeoutError::Disconnected)
            } else {
                self.came.recv_timeout(PAUSE)
            };
            match came {
                Ok(Ok(line)) => lines.push(line),
                Ok(Err(error)) => return (lines, Some(Err(error))),
                Err(RecvTimeoutError::Disconnected) => return (lines, Some(Ok(()))),
                Err(RecvTimeoutError::Timeout) => break,
            }
        }
        (lines, None)
    }
}

fn is_folder(name: &str) -> Failure {
    let diagnostic = Diagnostic::error(FOLDER, format!("`{name}` is a folder"))
        .help(format!("name one file in it, as `{}/sentences.txt`", name.trim_end_matches('/')));
    Failure::new(Fault::Environment, diagnostic)
}

/// The next line; `None` behind the last. One without an end is a line too, unless it is empty.
fn one(from: &mut impl BufRead, number: usize) -> io::Result<Option<Line>> {
    let mut bytes = Vec::new();
    let read = from.by_ref().take(LONGEST).read_until(b'\n', &mut bytes)?;
    if read == 0 {
        return Ok(None);
    }
    let is_whole = bytes.ends_with(b"\n") || (read as u64) < LONGEST;
    if !is_whole && skip_line(from)? > 0 {
        let message = format!("it is longer than {LONGEST} bytes");
        return Ok(Some(Err(Refused { message, help: "give one sentence a line" })));
    }
    let bytes = bytes.strip_suffix(b"\n").unwrap_or(&bytes);
    let bytes = bytes.strip_suffix(b"\r").unwrap_or(bytes);
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").filter(|_| number == 0).unwrap_or(bytes);
    Ok(Some(match std::str::from_utf8(bytes) {
        Ok(text) => Ok(text.to_string()),
        Err(error) => {
            let at = error.valid_up_to();
            let message = format!("it is no UTF-8: byte {:#04x} at place {}", bytes[at], at + 1);
            Err(Refused { message, help: "convert it, as by `iconv -f ENCODING -t UTF-8`" })
        }
    }))
}

/// Throws the rest of a line away; how many bytes there were before its end.
fn skip_line(from: &mut impl BufRead) -> io::Result<usize> {
    let mut skipped = 0;
    loop {
        let some = from.fill_buf()?;
        if some.is_empty() {
            return Ok(skipped);
        }
        let end = some.iter().position(|byte| *byte == b'\n');
        let used = end.map_or(some.len(), |end| end + 1);
        skipped += end.unwrap_or(used);
        from.consume(used);
        if end.is_some() {
            return Ok(skipped);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(bytes: &[u8]) -> Vec<Line> {
        let mut from = BufReader::with_capacity(7, bytes);
        (0..).map_while(|number| one(&mut from, number).unwrap()).collect()
    }

    #[test]
    fn lines_end_in_every_way_and_none_is_lost() {
        let texts = |bytes: &[u8]| all(bytes).into_iter().map(Result::unwrap).collect::<Vec<_>>();
        assert_eq!(texts(b""), [""; 0]);
        assert_eq!(texts(b"\n"), [""]);
        assert_eq!(texts(b"a\nb"), ["a", "b"]);
        assert_eq!(texts(b"\xef\xbb\xbfa\r\n\n\xef\xbb\xbfb\n"), ["a", "", "\u{feff}b"]);
    }

    #[test]
    fn what_is_no_text_is_told_and_the_rest_goes_on() {
        let found = all(b"good\nba\xffd\ngood\n");
        assert_eq!(found[1].clone().unwrap_err().message, "it is no UTF-8: byte 0xff at place 3");
        assert_eq!([found[0].is_ok(), found[2].is_ok()], [true; 2]);
    }

    #[test]
    fn lines_beyond_all_measure_are_thrown_away() {
        let long = "a ".repeat(LONGEST as usize);
        let found = all(format!("{long}\nb\n{}\n{}", "c".repeat(LONGEST as usize), "d".repeat(9)).as_bytes());
        assert!(found[0].as_ref().is_err_and(|refused| refused.message.contains("longer than 1048576")));
        assert_eq!(found[1], Ok("b".to_string()));
        assert_eq!(found[2].as_ref().map(String::len), Ok(LONGEST as usize));
        assert_eq!(found[3], Ok("d".repeat(9)));
    }
}
