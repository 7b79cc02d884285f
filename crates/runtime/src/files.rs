//! Reading files that must be regular ones.
//!
//! Opening a FIFO waits for a writer, and a device may have no end. A reader that needs a file with a beginning and an
//! end opens it here: without waiting, checked to be regular, and read up to a limit.

use meshwright_base::budget;
use std::fs::{File, OpenOptions};
use std::io::{self, Read};
use std::path::Path;

/// Opens a regular file to read. Anything else is refused at once, whether or not it could be read.
pub fn open_regular(path: &Path) -> io::Result<File> {
    Ok(open_sized(path)?.0)
}

/// As [`open_regular`], with the length of the file.
pub fn open_sized(path: &Path) -> io::Result<(File, u64)> {
    let mut options = OpenOptions::new();
    options.read(true);
    without_waiting(&mut options);
    // A socket, or a FIFO that only a writer may open, cannot be opened at all.
    let file = options.open(path).map_err(|error| refusal(path).unwrap_or(error))?;
    let found = file.metadata()?;
    if found.is_file() { Ok((file, found.len())) } else { Err(not_regular(found.file_type())) }
}

/// Reads a regular file whole, if this process may take as many bytes.
pub fn read_regular(path: &Path) -> io::Result<Vec<u8>> {
    read_limited(path, u64::MAX)
}

/// Reads a regular file whole, if it has at most this many bytes and this process may take as many.
pub fn read_limited(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    let most = most.min(budget::limit().saturating_sub(budget::taken()));
    let (file, length) = open_sized(path)?;
    if length > most {
        return Err(io::Error::new(
            io::ErrorKind::FileTooLarge,
            format!("it has {length} bytes, and may have {most}"),
        ));
    }
    let mut bytes = Vec::new();
    bytes.try_reserve_exact(length as usize)?;
    // Files of the kernel have no length of their own.
    file.take(most.saturating_add(1)).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most {
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, format!("it has more than {most} bytes")));
    }
    Ok(bytes)
}

/// As [`read_limited`], of text in UTF-8.
pub fn read_text(path: &Path, most: u64) -> io::Result<String> {
    let bytes = read_limited(path, most)?;
    String::from_utf8(bytes).map_err(|_| io::Error::new(io::ErrorKind::InvalidData, "it is not UTF-8"))
}

fn refusal(path: &Path) -> Option<io::Error> {
    let kind = std::fs::metadata(path).ok()?.file_type();
    if kind.is_file() || kind.is_dir() { None } else { Some(not_regular(kind)) }
}

fn not_regular(kind: std::fs::FileType) -> io::Error {
    if kind.is_dir() {
        return io::ErrorKind::IsADirectory.into();
    }
    io::Error::new(io::ErrorKind::InvalidInput, format!("it is {}, and should be a regular file", word(kind)))
}

#[cfg(unix)]
fn word(kind: std::fs::FileType) -> &'static str {
    use std::os::unix::fs::FileTypeExt;
    if kind.is_fifo() {
        "a FIFO"
    } else if kind.is_socket() {
        "a socket"
    } else {
        "a device"
    }
}

#[cfg(not(unix))]
fn word(_: std::fs::FileType) -> &'static str {
    "a device"
}

#[cfg(unix)]
fn without_waiting(options: &mut OpenOptions) {
    use std::os::unix::fs::OpenOptionsExt;
    // Reading a regular file never waits, so the flag changes nothing there. A terminal must not become ours.
    options.custom_flags(libc::O_NONBLOCK | libc::O_NOCTTY);
}

#[cfg(not(unix))]
fn without_waiting(_: &mut OpenOptions) {}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::os::unix::net::UnixListener;

    #[test]
    fn what_is_no_regular_file_is_refused_without_waiting() {
        let root = std::env::temp_dir().join(format!("meshwright-regular-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&root);
        std::fs::create_dir_all(&root).unwrap();
        let fifo = root.join("fifo");
        assert!(std::process::Command::new("mkfifo").arg(&fifo).status().unwrap().success());
        let _socket = UnixListener::bind(root.join("socket")).unwrap();
        let said = |path: &Path| open_regular(path).unwrap_err().to_string();
        assert_eq!(said(&fifo), "it is a FIFO, and should be a regular file");
        assert_eq!(said(&root.join("socket")), "it is a socket, and should be a regular file");
        assert_eq!(said(Path::new("/dev/zero")), "it is a device, and should be a regular file");
        assert_eq!(open_regular(&root).unwrap_err().kind(), io::ErrorKind::IsADirectory);
        assert_eq!(open_regular(&root.join("none")).unwrap_err().kind(), io::ErrorKind::NotFound);
    }

    #[test]
    fn a_file_is_read_whole_up_to_its_limit() {
        let path = std::env::temp_dir().join(format!("meshwright-limit-{}", std::process::id()));
        std::fs::write(&path, b"abc").unwrap();
        assert_eq!(read_limited(&path, 3).unwrap(), b"abc");
        assert_eq!(read_regular(&path).unwrap(), b"abc");
        assert_eq!(read_text(&path, 9).unwrap(), "abc");
        assert_eq!(read_limited(&path, 2).unwrap_err().to_string(), "it has 3 bytes, and may have 2");
        std::fs::write(&path, b"a\xff").unwrap();
        assert_eq!(read_text(&path, 9).unwrap_err().to_string(), "it is not UTF-8");
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_file_without_a_length_of_its_own_is_bounded() {
        let path = Path::new("/proc/self/maps");
        assert_eq!(read_limited(path, 2).unwrap_err().to_string(), "it has more than 2 bytes");
        assert!(!read_limited(path, 1 << 30).unwrap().is_empty());
    }
}
