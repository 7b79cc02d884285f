//! How long a library has to be, by its own headers. The system maps one that was cut short, as by a download that
//! broke off, and ends the process when it reads beyond the file's end.
//!
//! Reads ELF of 64 bits, the lower bytes first, as all plugins are; of any other file it says nothing.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;

/// Headers of segments that are looked at.
const MOST: u16 = 512;

/// Bytes that the file has, and how many its segments take, if that is more.
pub fn cut_short(path: &Path) -> io::Result<Option<(u64, u64)>> {
    let mut file = File::open(path)?;
    let there = file.metadata()?.len();
    let wanted = segments_end(&mut file).unwrap_or(0);
    Ok((wanted > there).then_some((there, wanted)))
}

/// Where the last segment ends; `None` of what is no such library.
fn segments_end(file: &mut (impl Read + Seek)) -> Option<u64> {
    let mut head = [0; 64];
    file.read_exact(&mut head).ok()?;
    if !head.starts_with(b"\x7fELF\x02\x01") {
        return None;
    }
    let (at, size, count) = (number(&head, 32, 8)?, number(&head, 54, 2)?, number(&head, 56, 2)?);
    let mut end = at.checked_add(size.checked_mul(count)?)?;
    for segment in 0..count.min(MOST.into()) {
        let mut header = [0; 56];
        let read = file.seek(SeekFrom::Start(at + segment * size)).and_then(|_| file.read_exact(&mut header));
        if read.is_err() {
            break;
        }
        end = end.max(number(&header, 8, 8)?.checked_add(number(&header, 32, 8)?)?);
    }
    Some(end)
}

/// A number of so many bytes at a place, the lowest first.
fn number(bytes: &[u8], at: usize, size: usize) -> Option<u64> {
    let bytes = bytes.get(at..at + size)?;
    Some(bytes.iter().rev().fold(0, |number, byte| number << 8 | u64::from(*byte)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Cursor;

    #[test]
    fn a_library_is_as_long_as_its_last_segment_says() {
        let mut library = vec![0; 64 + 56];
        library[..6].copy_from_slice(b"\x7fELF\x02\x01");
        (library[32], library[54], library[56]) = (64, 56, 1);
        // From 0x100 on, 0x200 bytes.
        (library[64 + 9], library[64 + 33]) = (1, 2);
        assert_eq!(segments_end(&mut Cursor::new(&library)), Some(0x300));
        assert_eq!(segments_end(&mut Cursor::new(&library[..100])), Some(64 + 56), "its headers are cut");
        assert_eq!(segments_end(&mut Cursor::new(&library[..60])), None);
        assert_eq!(segments_end(&mut Cursor::new(&[b'x'; 200])), None);
    }

    #[test]
    fn the_running_program_is_whole() {
        let own = std::env::current_exe().unwrap();
        assert_eq!(cut_short(&own).unwrap(), None);
        assert!(cut_short(Path::new("no/such/file")).is_err());
    }
}
