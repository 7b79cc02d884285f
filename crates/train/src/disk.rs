//! Changes of files that a kill or a loss of power at any moment leaves undone or done, never half done.
//!
//! ```text
//! create exclusively -> write -> sync the file -> rename -> sync the directory
//! ```
//!
//! A file's bytes and its name reach the disk by themselves: only a sync says when. A run changes files through
//! [`Disk`]. Tests put a full disk in its place, or one that forgets changes that were not synced.

use meshwright_base::arrange::Arrange;
use std::fs::{self, File, OpenOptions, Permissions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

/// Begins the names of files and directories that are not whole yet.
pub const WRITING: &str = ".writing-";

/// Changes of files. By default, the methods are those of the file system.
pub trait Disk: Send {
    /// Makes one directory. Its parent must exist.
    fn create_dir(&self, path: &Path) -> io::Result<()> {
        fs::create_dir(path)
    }

    /// Writes a new file with these bytes, one part after the other. Never touches an existing file. With permissions,
    /// only the owner can open the file until it has them.
    fn write_new(&self, path: &Path, parts: &[&[u8]], permissions: Option<Permissions>) -> io::Result<()> {
        let mut options = OpenOptions::new();
        options.write(true).create_new(true);
        #[cfg(unix)]
        if permissions.is_some() {
            std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        }
        let mut file = options.open(path)?;
        if let Some(permissions) = permissions {
            // A file system without modes keeps its own.
            let _ = file.set_permissions(permissions);
        }
        parts.iter().try_for_each(|part| file.write_all(part))
    }

    /// The bytes of a file will be there after a loss of power.
    fn sync_file(&self, path: &Path) -> io::Result<()> {
        File::open(path)?.sync_all()
    }

    /// So will the names in a directory.
    fn sync_dir(&self, path: &Path) -> io::Result<()> {
        File::open(path)?.sync_all()
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        fs::rename(from, to)
    }

    fn remove_file(&self, path: &Path) -> io::Result<()> {
        fs::remove_file(path)
    }

    fn remove_dir_all(&self, path: &Path) -> io::Result<()> {
        fs::remove_dir_all(path)
    }
}

/// The file system.
#[derive(Clone, Copy, Debug, Default)]
pub struct RealDisk;

impl Disk for RealDisk {}

/// A new file, written and synced. Its name is synced with its directory.
pub fn write_synced(disk: &dyn Disk, path: &Path, parts: &[&[u8]]) -> io::Result<()> {
    disk.write_new(path, parts, None)?;
    disk.sync_file(path)
}

/// Puts bytes in the place of a file, whether it is there or not. It keeps its permissions, and on an error it is as it
/// was.
pub fn replace(disk: &dyn Disk, path: &Path, bytes: &[u8]) -> io::Result<()> {
    let parent = path.parent().unwrap_or(Path::new(""));
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let hidden = parent.join(format!("{WRITING}{name}-{:016x}", token()));
    let permissions = fs::metadata(path).ok().map(|found| found.permissions());
    let written = disk
        .write_new(&hidden, &[bytes], permissions)
        .and_then(|()| disk.sync_file(&hidden))
        .and_then(|()| rename_synced(disk, &hidden, path, parent));
    if written.is_err() {
        let _ = disk.remove_file(&hidden);
    }
    written
}

/// Renames within a directory, and returns once that is sure.
pub fn rename_synced(disk: &dyn Disk, from: &Path, to: &Path, parent: &Path) -> io::Result<()> {
    disk.rename(from, to)?;
    disk.sync_dir(if parent.as_os_str().is_empty() { Path::new(".") } else { parent })
}

/// Makes a directory and those above it that are missing, each of them synced. Returns those it made, innermost first.
pub fn make_dirs(disk: &dyn Disk, path: &Path) -> io::Result<Vec<PathBuf>> {
    let missing: Vec<&Path> =
        path.ancestors().take_while(|above| !above.as_os_str().is_empty() && !above.is_dir()).collect();
    let mut made = Vec::new();
    for dir in missing.into_iter().rev() {
        match disk.create_dir(dir) {
            Ok(()) => made.insert(0, dir.to_path_buf()),
            // Another process was faster.
            Err(_) if dir.is_dir() => {}
            Err(error) => return Err(error),
        }
        let parent = dir.parent().filter(|parent| !parent.as_os_str().is_empty());
        disk.sync_dir(parent.unwrap_or(Path::new(".")))?;
    }
    Ok(made)
}

/// Draws a number for names beside those of other processes, also of processes that are long gone.
pub fn token() -> u64 {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    let time = meshwright_base::random::mix(since.as_nanos() as u64);
    meshwright_base::random::mix(time ^ u64::from(std::process::id())).wrapping_add(count)
}

/// Names in a directory, in order.
pub fn names_in(path: &Path) -> io::Result<Vec<String>> {
    let listed = fs::read_dir(path)?;
    let mut names: Vec<String> =
        listed.filter_map(|entry| entry.ok()?.file_name().into_string().ok()).collect();
    names.arrange();
    Ok(names)
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    fn mode(path: &Path) -> u32 {
        fs::metadata(path).unwrap().permissions().mode() & 0o777
    }

    /// A disk that reports the mode of each file when it is synced: before it has its final name.
    struct Watching<'a>(&'a std::sync::Mutex<Vec<u32>>);

    impl Disk for Watching<'_> {
        fn sync_file(&self, path: &Path) -> io::Result<()> {
            self.0.lock().unwrap().push(mode(path));
            RealDisk.sync_file(path)
        }
    }

    #[test]
    fn a_replaced_file_keeps_its_mode_and_is_never_more_open() {
        let folder = std::env::temp_dir().join(format!("meshwright-disk-mode-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let path = folder.join("run.json");
        let seen = std::sync::Mutex::new(Vec::new());
        replace(&Watching(&seen), &path, b"one").unwrap();
        let usual = mode(&path);
        for wanted in [0o600, 0o640, 0o400] {
            fs::set_permissions(&path, Permissions::from_mode(wanted)).unwrap();
            replace(&Watching(&seen), &path, b"two").unwrap();
            assert_eq!(mode(&path), wanted, "{wanted:o}");
        }
        assert_eq!(seen.into_inner().unwrap(), [usual, 0o600, 0o640, 0o400]);
        assert_eq!(fs::read(&path).unwrap(), b"two");
        assert_eq!(names_in(&folder).unwrap(), ["run.json"]);
        fs::remove_dir_all(&folder).unwrap();
    }
}
