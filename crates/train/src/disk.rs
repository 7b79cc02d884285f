//! Changing files so that a kill or a loss of power at any moment leaves what was there or what is new, never half of
//! it.
//!
//! ```text
//! create exclusively -> write -> sync the file -> rename -> sync the directory
//! ```
//!
//! A file's bytes and its name reach the disk by themselves: only a sync says when. What changes files of a run goes
//! through [`Disk`], so that tests can put a full one, or one that forgets what was not synced, in its place.

use meshwright_base::arrange::Arrange;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

/// Begins the name of what is not whole yet.
pub const WRITING: &str = ".writing-";

/// What changes files. As they stand here, the methods are those of the file system.
pub trait Disk: Send {
    /// One directory, whose parent is there.
    fn create_dir(&self, path: &Path) -> io::Result<()> {
        fs::create_dir(path)
    }

    /// A new file with these bytes, one part after the other. What is there already is not touched.
    fn write_new(&self, path: &Path, parts: &[&[u8]]) -> io::Result<()> {
        let mut file = File::create_new(path)?;
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
    disk.write_new(path, parts)?;
    disk.sync_file(path)
}

/// Puts bytes in the place of a file, whether it is there or not. On an error it is as it was.
pub fn replace(disk: &dyn Disk, path: &Path, bytes: &[u8]) -> io::Result<()> {
    let parent = path.parent().unwrap_or(Path::new(""));
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let hidden = parent.join(format!("{WRITING}{name}-{:016x}", token()));
    let written = write_synced(disk, &hidden, &[bytes]).and_then(|()| {
        if let Ok(found) = fs::metadata(path) {
            // A file that was closed to others stays so. A file system without modes keeps its own.
            let _ = fs::set_permissions(&hidden, found.permissions());
        }
        rename_synced(disk, &hidden, path, parent)
    });
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

/// A number that nobody else has drawn: for names beside those of others, also of processes that are long gone.
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
