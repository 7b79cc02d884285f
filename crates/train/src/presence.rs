//! Whether any of the processes lives that a run was given to, for who started them by another program.
//!
//! Each of them holds one file, `.alive`, locked for others to share, from its first moment to its end, however that
//! comes. Who wants to know asks for the file alone. So nothing is sent, nobody's parent is asked, and a killed process
//! needs no words. Each leaves a byte in it, which says that there were any.

use crate::disk::{RealDisk, make_dirs};
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// The name of the file.
pub const ALIVE: &str = ".alive";

/// The file, for who asks.
#[derive(Debug)]
pub struct Presence {
    path: PathBuf,
    file: File,
    /// Directories that were made for it, innermost first.
    made: Vec<PathBuf>,
}

impl Presence {
    /// In a directory, which is made if need be.
    pub fn within(dir: &Path) -> io::Result<Presence> {
        let made = make_dirs(&RealDisk, dir)?;
        let path = dir.join(ALIVE);
        let file = OpenOptions::new().create(true).truncate(false).write(true).open(&path)?;
        Ok(Presence { path, file, made })
    }

    /// What the processes are to be told.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Whether any of them lives. Where the file system knows no locks nobody can tell: then they are taken to.
    pub fn is_any(&self) -> bool {
        match self.file.try_lock() {
            Ok(()) => self.file.unlock().is_err(),
            Err(TryLockError::WouldBlock | TryLockError::Error(_)) => true,
        }
    }

    /// Whether any of them has ever lived; where nobody can tell, they are taken to.
    pub fn was_any(&self) -> bool {
        self.file.metadata().map_or(true, |file| file.len() > 0)
    }
}

/// The file goes, and so do directories that hold nothing but it.
impl Drop for Presence {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.path);
        self.made.iter().try_for_each(fs::remove_dir).unwrap_or_default();
    }
}

/// Says that this process lives, for as long as the file is held. Nothing is said if it is not there.
pub fn show(path: &Path) -> Option<File> {
    let mut file = OpenOptions::new().append(true).open(path).ok()?;
    file.write_all(b".").ok()?;
    // Who asks has it alone for a moment.
    file.lock_shared().ok()?;
    Some(file)
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn any_number_are_seen_until_the_last_has_gone() {
        let root = std::env::temp_dir().join(format!("meshwright-presence-{}", std::process::id()));
        let _ = fs::remove_dir_all(&root);
        let presence = Presence::within(&root.join("runs/a")).unwrap();
        assert!(!presence.is_any() && !presence.was_any());
        let [one, two] = [0; 2].map(|_| show(presence.path()).unwrap());
        assert!(presence.is_any());
        drop(one);
        assert!(presence.is_any());
        drop(two);
        assert!(!presence.is_any() && presence.was_any());
        drop(presence);
        assert!(!root.exists(), "what was made for it alone goes with it");
        assert!(show(&root.join(ALIVE)).is_none());
    }
}
