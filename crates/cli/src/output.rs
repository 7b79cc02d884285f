//! Writing files whole: beside their place first, then renamed, so that a reader never sees half of one and
//! an error leaves what was there.
//!
//! The file beside is made by this call or not at all: what somebody planted under its name, a link above all, is never
//! written to. A rename would put a plain file where a device, a pipe or a link is, so those are told apart: a link's
//! target is replaced and not the link, and what is no plain file (`/dev/stdout`, `/dev/null`, a shell's
//! `>(..)`) is written into once everything is ready in memory, with no file made anywhere. `-` is standard
//! output.

use crate::report::write_stdout;
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Cursor, ErrorKind, Seek, Write};
use std::path::{Path, PathBuf};

/// What can be written to at any place.
pub trait Sink: Write + Seek {}

impl<T: Write + Seek> Sink for T {}

/// Replace what is at `path` by what `write` writes.
pub fn replace(path: &Path, write: impl FnOnce(&mut dyn Sink) -> io::Result<()>) -> io::Result<()> {
    match Destination::of(path) {
        Destination::Plain(path) => replace_plain(&path, write),
        Destination::Special(path) => {
            let ready = in_memory(write)?;
            OpenOptions::new().append(true).open(path)?.write_all(&ready)
        }
        Destination::Stdout => write_stdout(&in_memory(write)?),
    }
}

fn in_memory(write: impl FnOnce(&mut dyn Sink) -> io::Result<()>) -> io::Result<Vec<u8>> {
    let mut ready = Cursor::new(Vec::new());
    write(&mut ready).map(|()| ready.into_inner())
}

/// Whether this path means standard output.
pub fn is_stdout(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// The same of bytes that are there.
pub fn replace_by(path: &Path, bytes: &[u8]) -> io::Result<()> {
    replace(path, |sink| sink.write_all(bytes))
}

/// Whether a file could be put there: told before long work, not behind it.
pub fn check_place(path: &Path) -> io::Result<()> {
    match Destination::of(path) {
        Destination::Plain(path) => create_beside(&path).and_then(|(partial, _)| fs::remove_file(partial)),
        Destination::Special(path) if path.is_dir() => Err(ErrorKind::IsADirectory.into()),
        Destination::Special(_) | Destination::Stdout => Ok(()),
    }
}

fn replace_plain(path: &Path, write: impl FnOnce(&mut dyn Sink) -> io::Result<()>) -> io::Result<()> {
    let (partial, file) = create_beside(path)?;
    let written = write_whole(file, write).and_then(|()| fs::rename(&partial, path));
    if written.is_err() {
        let _ = fs::remove_file(&partial);
        return written;
    }
    // The new name survives a loss of power. A folder that this process may not list cannot be opened.
    let folder = path.parent().filter(|parent| !parent.as_os_str().is_empty());
    File::open(folder.unwrap_or(Path::new("."))).map_or(Ok(()), |folder| folder.sync_all())
}

fn write_whole(file: File, write: impl FnOnce(&mut dyn Sink) -> io::Result<()>) -> io::Result<()> {
    let mut writer = BufWriter::new(file);
    write(&mut writer)?;
    writer.into_inner()?.sync_all()
}

/// A new file in the same folder, so that a rename is enough. Names that are taken are passed over. It has the mode of
/// the file that it is to replace, and none may read it before it has.
fn create_beside(path: &Path) -> io::Result<(PathBuf, File)> {
    const MOST_NAMES: u32 = 1000;
    let mut taken = None;
    let permissions = fs::metadata(path).ok().map(|found| found.permissions());
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    if permissions.is_some() {
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    }
    for number in 0..MOST_NAMES {
        let mut name = path.file_name().unwrap_or_default().to_os_string();
        name.push(format!(".{}.{number}.partial", std::process::id()));
        let partial = path.with_file_name(name);
        match options.open(&partial) {
            Ok(file) => {
                // A file system without modes keeps its own.
                let _ = permissions.map(|permissions| file.set_permissions(permissions));
                return Ok((partial, file));
            }
            Err(error) if error.kind() == ErrorKind::AlreadyExists => taken = Some(error),
            Err(error) => return Err(error),
        }
    }
    Err(taken.unwrap_or_else(|| ErrorKind::AlreadyExists.into()))
}

enum Destination {
    /// A plain file, there already or not.
    Plain(PathBuf),
    /// Anything else that can be written to.
    Special(PathBuf),
    /// Standard output.
    Stdout,
}

impl Destination {
    fn of(path: &Path) -> Destination {
        match fs::metadata(path) {
            _ if is_stdout(path) => Destination::Stdout,
            Ok(found) if !found.is_file() || is_descriptor(path) => Destination::Special(path.into()),
            Ok(_) => Destination::Plain(fs::canonicalize(path).unwrap_or_else(|_| path.into())),
            Err(_) => Destination::Plain(path.into()),
        }
    }
}

/// Whether the path stands for an open file: what others write there comes before and after.
pub fn is_descriptor(path: &Path) -> bool {
    ["/dev/fd", "/dev/stdout", "/dev/stderr", "/proc"].iter().any(|of| path.starts_with(of))
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::os::unix::fs::{FileTypeExt, PermissionsExt, symlink};

    fn folder(name: &str) -> PathBuf {
        let folder = std::env::temp_dir().join(format!("meshwright-output-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).unwrap();
        folder
    }

    fn names(folder: &Path) -> Vec<String> {
        let mut names: Vec<_> = fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    #[test]
    fn plain_files_are_replaced_and_an_error_leaves_them() {
        let folder = folder("plain");
        let path = folder.join("a.mlir");
        replace_by(&path, b"one").unwrap();
        replace_by(&path, b"two").unwrap();
        let failing = |sink: &mut dyn Sink| sink.write_all(b"th").and(Err(io::Error::other("full")));
        assert!(replace(&path, failing).is_err());
        assert_eq!(fs::read(&path).unwrap(), b"two");
        assert_eq!(names(&folder), ["a.mlir"]);
        assert!(replace_by(&folder.join("no/such"), b"").is_err());
        assert!(replace_by(&folder, b"").is_err(), "a folder is no place to write into");
        assert!(check_place(&folder).is_err());
        assert_eq!(check_place(&path).ok(), Some(()));
    }

    #[test]
    fn a_replaced_file_keeps_its_mode() {
        let folder = folder("mode");
        let path = folder.join("a.mlir");
        let mode = || fs::metadata(&path).unwrap().permissions().mode() & 0o777;
        replace_by(&path, b"one").unwrap();
        let usual = mode();
        for wanted in [0o600, 0o640, 0o400, usual] {
            fs::set_permissions(&path, fs::Permissions::from_mode(wanted)).unwrap();
            replace_by(&path, b"two").unwrap();
            assert_eq!(mode(), wanted, "{wanted:o}");
        }
    }

    #[test]
    fn links_stay_links() {
        let folder = folder("links");
        fs::write(folder.join("real"), b"old").unwrap();
        symlink("real", folder.join("link")).unwrap();
        replace_by(&folder.join("link"), b"new").unwrap();
        assert_eq!(fs::read(folder.join("real")).unwrap(), b"new");
        assert!(fs::symlink_metadata(folder.join("link")).unwrap().is_symlink());
        assert_eq!(names(&folder), ["link", "real"]);
    }

    #[test]
    fn what_was_planted_under_the_name_of_a_partial_file_is_not_written_to() {
        let folder = folder("planted");
        fs::write(folder.join("victim"), b"precious").unwrap();
        let planted = format!("out.{}.0.partial", std::process::id());
        symlink("victim", folder.join(&planted)).unwrap();
        replace_by(&folder.join("out"), b"new").unwrap();
        assert_eq!(fs::read(folder.join("victim")).unwrap(), b"precious");
        assert_eq!(fs::read(folder.join("out")).unwrap(), b"new");
        assert!(fs::symlink_metadata(folder.join("out")).unwrap().is_file());
        assert_eq!(names(&folder), ["out".to_string(), planted, "victim".to_string()]);
    }

    /// The pipe stands for all that is no plain file: whoever may write `/dev/null` may also replace it, so a
    /// failing test on that would harm the machine.
    #[test]
    fn pipes_are_written_into() {
        let folder = folder("pipes");
        let pipe = folder.join("pipe");
        assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        let reader = std::thread::spawn({
            let pipe = pipe.clone();
            move || fs::read(pipe).unwrap()
        });
        replace_by(&pipe, b"through").unwrap();
        assert_eq!(reader.join().unwrap(), b"through");
        assert!(fs::metadata(&pipe).unwrap().file_type().is_fifo());
        assert_eq!(names(&folder), ["pipe"]);
        let ours = |name: &String| name.starts_with("pipe.") && name.ends_with(".partial");
        assert!(!names(&std::env::temp_dir()).iter().any(ours), "no file is made for a pipe anywhere");
    }
}
