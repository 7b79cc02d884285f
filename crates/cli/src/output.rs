//! Writing files whole: beside their place first, then renamed, so that a reader never sees half of one and
//! an error leaves what was there.
//!
//! A rename would put a plain file where a device, a pipe or a link is, so those are told apart: a link's
//! target is replaced and not the link, and what is no plain file (`/dev/stdout`, `/dev/null`, a shell's
//! `>(..)`) is written into once everything is ready.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

/// Replace what is at `path` by what `write` writes to the path it is given.
pub fn replace(path: &Path, write: impl FnOnce(&Path) -> io::Result<()>) -> io::Result<()> {
    let place = Place::of(path);
    let partial = place.partial();
    let written = write(&partial).and_then(|()| place.take(&partial));
    if written.is_err() || matches!(place, Place::Special(_)) {
        let _ = fs::remove_file(&partial);
    }
    written
}

/// The same of bytes that are there.
pub fn replace_by(path: &Path, bytes: &[u8]) -> io::Result<()> {
    replace(path, |partial| fs::write(partial, bytes))
}

enum Place {
    /// A plain file, there already or not.
    Plain(PathBuf),
    /// Anything else that can be written to.
    Special(PathBuf),
}

impl Place {
    fn of(path: &Path) -> Place {
        match fs::metadata(path) {
            Ok(found) if !found.is_file() || is_descriptor(path) => Place::Special(path.into()),
            Ok(_) => Place::Plain(fs::canonicalize(path).unwrap_or_else(|_| path.into())),
            Err(_) => Place::Plain(path.into()),
        }
    }

    /// A name that nobody else uses: in the same folder, so that a rename is enough.
    fn partial(&self) -> PathBuf {
        let (folder, path) = match self {
            Place::Plain(path) => (path.parent().map(Path::to_path_buf).unwrap_or_default(), path),
            Place::Special(path) => (std::env::temp_dir(), path),
        };
        let mut name = path.file_name().unwrap_or_default().to_os_string();
        name.push(format!(".{}.partial", std::process::id()));
        folder.join(name)
    }

    fn take(&self, partial: &Path) -> io::Result<()> {
        match self {
            Place::Plain(path) => fs::rename(partial, path),
            Place::Special(path) => {
                let mut into = fs::OpenOptions::new().append(true).open(path)?;
                io::copy(&mut File::open(partial)?, &mut into).map(|_| ())
            }
        }
    }
}

/// Whether the path stands for an open file: what others write there comes before and after.
fn is_descriptor(path: &Path) -> bool {
    ["/dev/fd", "/dev/stdout", "/dev/stderr", "/proc"].iter().any(|of| path.starts_with(of))
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::os::unix::fs::{FileTypeExt, symlink};

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
        let failing = |partial: &Path| fs::write(partial, b"th").and(Err(io::Error::other("full")));
        assert!(replace(&path, failing).is_err());
        assert_eq!(fs::read(&path).unwrap(), b"two");
        assert_eq!(names(&folder), ["a.mlir"]);
        assert!(replace_by(&folder.join("no/such"), b"").is_err());
        assert!(replace_by(&folder, b"").is_err(), "a folder is no place to write into");
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
    }
}
