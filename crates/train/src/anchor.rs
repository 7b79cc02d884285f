//! A directory that a run holds open, so that it notices when the path leads elsewhere.
//!
//! A directory that is renamed takes its open files along, and its path is free for another one: a run that went on
//! writing by path would split in two. The handle stays with the directory, so the two are compared before each write.

use meshwright_base::{Code, Diagnostic};
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

pub(crate) const MOVED: Code = Code(1208);

/// An open directory with the path that it was opened by.
#[derive(Debug)]
pub struct Anchor {
    path: PathBuf,
    /// `None` where a directory cannot be opened as a file: there an open file keeps it from being renamed.
    dir: Option<File>,
}

impl Anchor {
    /// Opens a directory. It must exist.
    pub fn hold(path: &Path) -> io::Result<Anchor> {
        let dir = if cfg!(unix) { Some(File::open(path)?) } else { None };
        Ok(Anchor { path: path.into(), dir })
    }

    /// Refuses to go on once the path leads to another directory, or to none.
    pub fn check(&self) -> Result<(), Diagnostic> {
        match &self.dir {
            Some(dir) if !is_at(dir, &self.path) => Err(self.moved(dir)),
            Some(_) | None => Ok(()),
        }
    }

    fn moved(&self, dir: &File) -> Diagnostic {
        let path = self.path.display();
        if !has_links(dir) {
            return Diagnostic::error(MOVED, format!("`{path}` was removed while a run was using it"))
                .help("start the run again; keep its directory while it trains");
        }
        let to = current_path(dir).map_or_else(String::new, |now| format!(" to `{}`", now.display()));
        Diagnostic::error(MOVED, format!("`{path}` was moved{to} while a run was using it")).help(
            "everything up to the last checkpoint moved along: resume the run from its new place, or move it back",
        )
    }
}

/// Whether a path still leads to an open file.
#[cfg(unix)]
fn is_at(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let (Ok(open), Ok(named)) = (file.metadata(), std::fs::metadata(path)) else { return false };
    (named.dev(), named.ino()) == (open.dev(), open.ino())
}

#[cfg(not(unix))]
fn is_at(_: &File, path: &Path) -> bool {
    path.exists()
}

/// Whether a directory still has a name anywhere.
#[cfg(unix)]
fn has_links(dir: &File) -> bool {
    use std::os::unix::fs::MetadataExt;
    dir.metadata().is_ok_and(|found| found.nlink() > 0)
}

#[cfg(not(unix))]
fn has_links(_: &File) -> bool {
    true
}

/// Returns the present path of an open file, if the system reports it.
#[cfg(target_os = "linux")]
fn current_path(file: &File) -> Option<PathBuf> {
    use std::os::fd::AsRawFd;
    let path = std::fs::read_link(format!("/proc/self/fd/{}", file.as_raw_fd())).ok()?;
    if is_at(file, &path) { Some(path) } else { None }
}

#[cfg(not(target_os = "linux"))]
fn current_path(_: &File) -> Option<PathBuf> {
    None
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn a_directory_that_moves_or_goes_is_noticed_and_one_that_comes_back_is_fine() {
        let root = std::env::temp_dir().join(format!("meshwright-anchor-{}", std::process::id()));
        let _ = fs::remove_dir_all(&root);
        let (dir, moved) = (root.join("run"), root.join("moved"));
        fs::create_dir_all(&dir).unwrap();
        let anchor = Anchor::hold(&dir).unwrap();
        anchor.check().unwrap();
        fs::rename(&dir, &moved).unwrap();
        let said = anchor.check().unwrap_err();
        assert_eq!(said.code, MOVED);
        assert!(said.message.contains("run` was moved"), "{}", said.message);
        fs::create_dir(&dir).unwrap();
        assert!(anchor.check().is_err(), "another directory in its place is not it");
        fs::remove_dir(&dir).unwrap();
        fs::rename(&moved, &dir).unwrap();
        anchor.check().unwrap();
        fs::remove_dir(&dir).unwrap();
        assert!(anchor.check().unwrap_err().message.contains("was removed"));
    }

    /// The system reports no path that is longer than one may be.
    #[cfg(target_os = "linux")]
    #[test]
    fn a_directory_that_moves_where_no_path_leads_is_noticed() {
        let root = std::env::temp_dir().join(format!("meshwright-anchor-deep-{}", std::process::id()));
        let _ = fs::remove_dir_all(&root);
        let dir = root.join("run");
        fs::create_dir_all(&dir).unwrap();
        let anchor = Anchor::hold(&dir).unwrap();
        // Each parent is made around the last one, so that no path here is long.
        let (inner, outer) = (root.join("inner"), root.join("outer"));
        fs::create_dir(&inner).unwrap();
        fs::rename(&dir, inner.join("run")).unwrap();
        for _ in 0..20 {
            fs::create_dir(&outer).unwrap();
            fs::rename(&inner, outer.join("d".repeat(250))).unwrap();
            fs::rename(&outer, &inner).unwrap();
        }
        let said = anchor.check().unwrap_err().message;
        assert_eq!(said, format!("`{}` was moved while a run was using it", dir.display()));
        fs::remove_dir_all(&root).unwrap();
    }
}
