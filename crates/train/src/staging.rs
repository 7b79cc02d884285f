//! A directory that appears whole: written under a hidden name beside its place, then renamed.
//!
//! ```text
//! runs/.converting-t5-9c0f..   locked while it is written; removed by the next attempt once its process is gone
//! runs/t5                      the same directory, renamed
//! ```

use crate::disk::{Disk, RealDisk, names_in, rename_synced, token};
use crate::lock::{DISK, LOCK, Lock};
use meshwright_base::Diagnostic;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// Begins the names of directories that are being written.
const CONVERTING: &str = ".converting-";

/// Most characters of the target's name in the hidden one: names of files have a limit.
const NAME_CHARS: usize = 64;

/// A directory that is not in its place yet. It is removed unless it is published.
#[derive(Debug)]
pub struct StagedDir {
    hidden: PathBuf,
    parent: PathBuf,
    target: PathBuf,
    lock: Lock,
    is_published: bool,
}

impl StagedDir {
    /// Begins a directory for `target`, which is free or empty. Removes directories of killed attempts.
    pub fn beside(target: &Path) -> Result<StagedDir, Diagnostic> {
        let unusable = |error: io::Error| {
            let message = format!("cannot write `{}`: {error}", target.display());
            Diagnostic::error(DISK, message).help("name a directory with a writable parent")
        };
        let (parent, name) = place_of(target).map_err(unusable)?;
        let start = format!("{CONVERTING}{}-", name.chars().take(NAME_CHARS).collect::<String>());
        remove_abandoned(&parent, &start);
        let hidden = parent.join(format!("{start}{:016x}", token()));
        let lock = Lock::take(&hidden)?;
        Ok(StagedDir { target: parent.join(name), hidden, parent, lock, is_published: false })
    }

    /// The hidden directory, until [`publish`](Self::publish) renames it.
    pub fn path(&self) -> &Path {
        &self.hidden
    }

    /// Where the directory will be, as a path without links.
    pub fn target(&self) -> PathBuf {
        fs::canonicalize(&self.parent).map_or_else(
            |_| self.target.clone(),
            |parent| parent.join(self.target.file_name().unwrap_or_default()),
        )
    }

    /// Puts the directory in its place, instead of an empty one that may be there.
    pub fn publish(mut self) -> io::Result<()> {
        if self.target.is_dir() {
            // It holds nothing but leftovers: callers check. A lock keeps a run out that would begin there.
            let _lock = Lock::take(&self.target).map_err(|found| io::Error::other(found.message))?;
            fs::remove_dir_all(&self.target)?;
        }
        RealDisk.sync_dir(&self.hidden)?;
        if let Err(error) = rename_synced(&RealDisk, &self.hidden, &self.target, &self.parent) {
            // Whether the name outlives a loss of power is unknown: then nothing is there, as the error says.
            let _ = RealDisk.rename(&self.target, &self.hidden);
            return Err(error);
        }
        self.is_published = true;
        self.lock.move_to(&self.target);
        Ok(())
    }
}

impl Drop for StagedDir {
    fn drop(&mut self) {
        if self.is_published {
            return;
        }
        // The lock goes last, and takes along the directories that were made for it.
        for name in names_in(&self.hidden).unwrap_or_default().iter().filter(|name| *name != LOCK) {
            let path = self.hidden.join(name);
            let _ = if path.is_dir() { fs::remove_dir_all(&path) } else { fs::remove_file(&path) };
        }
    }
}

/// The parent and name of a directory. A rename cannot put another one in the place of the current directory, and would
/// replace a link instead of its target.
fn place_of(target: &Path) -> io::Result<(PathBuf, String)> {
    let real = fs::canonicalize(target).unwrap_or_else(|_| target.into());
    if std::env::current_dir().and_then(fs::canonicalize).is_ok_and(|current| current == real) {
        return Err(io::Error::other("it is the current directory"));
    }
    let name = real.file_name().ok_or_else(|| io::Error::other("it has no name"))?;
    let parent = real.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    Ok((parent.into(), name.to_string_lossy().into_owned()))
}

/// Removes directories with this prefix if their processes have ended.
fn remove_abandoned(parent: &Path, start: &str) {
    let names = names_in(parent).unwrap_or_default();
    for name in names.iter().filter(|name| name.starts_with(start)) {
        let path = parent.join(name);
        // Without locks, a file system cannot show that a process has ended: the directories stay.
        if let Ok(lock) = Lock::take(&path)
            && lock.is_kept()
        {
            let _ = fs::remove_dir_all(&path);
        }
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    fn folder(name: &str) -> PathBuf {
        let path = std::env::temp_dir().join(format!("meshwright-staged-{}-{name}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        path
    }

    #[test]
    fn a_directory_appears_whole_or_not_at_all() {
        let root = folder("whole");
        let target = root.join("a/b");
        let staged = StagedDir::beside(&target).unwrap();
        fs::write(staged.path().join("x"), "1").unwrap();
        assert!(!target.exists());
        drop(staged);
        assert!(!root.exists(), "nothing is left of an attempt that failed");
        let staged = StagedDir::beside(&target).unwrap();
        fs::write(staged.path().join("x"), "1").unwrap();
        assert_eq!(staged.target(), fs::canonicalize(root.join("a")).unwrap().join("b"));
        staged.publish().unwrap();
        assert_eq!(names_in(&target).unwrap(), ["x"]);
        assert_eq!(names_in(&root.join("a")).unwrap(), ["b"]);
    }

    #[test]
    fn an_empty_directory_in_its_place_is_replaced_and_a_link_kept() {
        let root = folder("empty");
        fs::create_dir_all(root.join("real/checkpoints")).unwrap();
        std::os::unix::fs::symlink("real", root.join("link")).unwrap();
        let staged = StagedDir::beside(&root.join("link")).unwrap();
        fs::write(staged.path().join("x"), "1").unwrap();
        staged.publish().unwrap();
        assert_eq!(names_in(&root).unwrap(), ["link", "real"]);
        assert_eq!(names_in(&root.join("link")).unwrap(), ["x"]);
    }

    #[test]
    fn a_place_where_no_directory_can_appear_is_refused() {
        let said = |target: &Path| {
            let found = StagedDir::beside(target).unwrap_err();
            assert_eq!(found.code, DISK);
            assert_eq!(found.help.as_deref(), Some("name a directory with a writable parent"));
            found.message
        };
        assert_eq!(said(Path::new("/")), "cannot write `/`: it has no name");
        let here = std::env::current_dir().unwrap();
        assert_eq!(said(&here), format!("cannot write `{}`: it is the current directory", here.display()));
        assert_eq!(said(Path::new(".")), "cannot write `.`: it is the current directory");
        let root = folder("taken");
        let target = root.join("a");
        fs::create_dir_all(&target).unwrap();
        let staged = StagedDir::beside(&target).unwrap();
        let lock = Lock::take(&target).unwrap();
        let error = staged.publish().unwrap_err().to_string();
        assert!(error.starts_with(&format!("`{}` is in use by process ", target.display())), "{error}");
        drop(lock);
        assert_eq!((names_in(&root).unwrap(), names_in(&target).unwrap()), (vec!["a".into()], Vec::new()));
    }

    #[test]
    fn the_next_attempt_removes_what_a_killed_one_left_and_spares_a_live_one() {
        let root = folder("abandoned");
        let (dead, other) = (root.join(".converting-b-0"), root.join(".converting-c-0"));
        [&dead, &other].iter().for_each(|path| fs::create_dir_all(path.join("checkpoints")).unwrap());
        fs::write(dead.join("config.toml"), "").unwrap();
        let live = StagedDir::beside(&root.join("b")).unwrap();
        let second = StagedDir::beside(&root.join("b")).unwrap();
        assert!(!dead.exists() && other.exists() && live.path().exists() && second.path().exists());
    }
}
