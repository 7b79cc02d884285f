//! Who may change a directory: one process at a time, for as long as it lives.
//!
//! The lock is the operating system's, on the file `.lock`: it is gone with its process, however that ends. The file
//! also says who holds it, for others to be told. Reading needs no lock and makes none.

use crate::disk::{RealDisk, make_dirs};
use meshwright_base::{Code, Diagnostic};
use std::fmt::Display;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Read, Seek, Write};
use std::path::{Path, PathBuf};

pub(crate) const DISK: Code = Code(1203);
pub(crate) const LOCKED: Code = Code(1205);

/// The name of the file.
pub const LOCK: &str = ".lock";

/// Most that is read of who holds a lock.
const OWNER_BYTES: u64 = 1 << 10;

/// Most times that a file which others remove meanwhile is made anew.
const MOST_TRIES: usize = 100;

/// A directory that nobody else may change.
#[derive(Debug)]
pub struct Lock {
    path: PathBuf,
    /// `None` where the file system knows no locks.
    file: Option<File>,
    /// Directories that were made for it, innermost first.
    made: Vec<PathBuf>,
}

impl Lock {
    /// Takes the lock of a directory, which is made if need be; refused while another holds it.
    pub fn take(dir: &Path) -> Result<Lock, Diagnostic> {
        let unusable = |error: &io::Error| {
            let message = format!("`{}` cannot be the directory of a run: {error}", dir.display());
            Diagnostic::error(DISK, message).help("make the directory writable, or name another one")
        };
        let mut lock = Lock { path: dir.join(LOCK), file: None, made: Vec::new() };
        for _ in 0..MOST_TRIES {
            lock.made.extend(make_dirs(&RealDisk, dir).map_err(|error| unusable(&error))?);
            // One that leads nowhere would be opened as if its directory went, over and over.
            if lock.path.is_symlink() {
                return Err(unusable(&link_error()));
            }
            let mut options = OpenOptions::new();
            let mut file = match options.create(true).truncate(false).read(true).write(true).open(&lock.path)
            {
                Ok(file) => file,
                // Its holder went meanwhile, and took the directory along.
                Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                Err(error) => return Err(unusable(&error)),
            };
            match file.try_lock() {
                Ok(()) if is_at(&file, &lock.path).map_err(|error| unusable(&error))? => {
                    // What it says is for people: a disk without room for it is no reason to end.
                    let _ = sign(&file, None);
                    lock.file = Some(file);
                    return Ok(lock);
                }
                // Its holder went meanwhile, and took the file along.
                Ok(()) => {}
                Err(TryLockError::WouldBlock) => return Err(taken(dir, &owner(&mut file))),
                Err(TryLockError::Error(error)) if knows_no_locks(&error) => return Ok(lock),
                Err(TryLockError::Error(error)) => return Err(unusable(&error)),
            }
        }
        Err(unusable(&io::Error::other("others take and leave it without end")))
    }

    /// Adds to the lock which run holds it.
    pub fn sign_for(&self, run: impl Display) {
        if let Some(file) = &self.file {
            // As in [`take`](Lock::take), for people alone.
            let _ = sign(file, Some(&run));
        }
    }

    /// With directories that were made for it before, which go with it if they hold nothing else.
    pub fn with(self, before: Vec<PathBuf>) -> Lock {
        let mut lock = self;
        lock.made.extend(before);
        lock
    }

    /// Follows the directory to its new name.
    pub(crate) fn move_to(&mut self, dir: &Path) {
        self.path = dir.join(LOCK);
        self.made.clear();
    }

    /// Whether others are kept out. They are not where the file system knows no locks.
    pub fn is_kept(&self) -> bool {
        self.file.is_some()
    }
}

/// The file goes before the lock does, and so do directories that hold nothing but it. Where the directory was moved,
/// another one may have its path: that stays as it is.
impl Drop for Lock {
    fn drop(&mut self) {
        match &self.file {
            Some(file) if is_at(file, &self.path).unwrap_or(false) => drop(fs::remove_file(&self.path)),
            Some(_) => return,
            None => {}
        }
        let is_gone = |dir: &PathBuf| match fs::remove_dir(dir) {
            Err(error) => error.kind() == io::ErrorKind::NotFound,
            Ok(()) => true,
        };
        let _ = self.made.iter().all(is_gone);
    }
}

/// Whether a file system has no locks: some refuse the operation, and NFS without a lock daemon returns `ENOLCK`.
fn knows_no_locks(error: &io::Error) -> bool {
    const ENOLCK: i32 = if cfg!(target_os = "linux") { 37 } else { 77 };
    error.kind() == io::ErrorKind::Unsupported || cfg!(unix) && error.raw_os_error() == Some(ENOLCK)
}

/// The refusal of a lock file that could lead anywhere.
fn link_error() -> io::Error {
    io::Error::other("its file `.lock` is a link")
}

/// Whether a name still stands for an open file, and for no link to one.
#[cfg(unix)]
fn is_at(file: &File, path: &Path) -> io::Result<bool> {
    use std::os::unix::fs::MetadataExt;
    let open = file.metadata()?;
    let named = match fs::symlink_metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(false),
        found => found?,
    };
    let is_same = (named.dev(), named.ino()) == (open.dev(), open.ino());
    if named.is_symlink() { Err(link_error()) } else { Ok(is_same) }
}

#[cfg(not(unix))]
fn is_at(_: &File, path: &Path) -> io::Result<bool> {
    Ok(path.is_file())
}

/// Writes down who this is.
fn sign(mut file: &File, run: Option<&dyn Display>) -> io::Result<()> {
    let run = run.map_or(String::new(), |run| format!(", run {run}"));
    file.set_len(0)?;
    file.rewind()?;
    file.write_all(format!("{}{run}", this_process()).as_bytes())
}

fn this_process() -> String {
    let host = fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    let on = if host.trim().is_empty() { String::new() } else { format!(" on {}", host.trim()) };
    let mut words: Vec<String> =
        std::env::args_os().map(|word| word.to_string_lossy().into_owned()).collect();
    if let Some(first) = words.first_mut() {
        let name = Path::new(first.as_str()).file_name().map(|name| name.to_string_lossy().into_owned());
        *first = name.unwrap_or_default();
    }
    format!("process {}{on}, `{}`", std::process::id(), words.join(" "))
}

/// Who holds a lock, by its own word.
fn owner(file: &mut File) -> String {
    let mut bytes = Vec::new();
    let _ = file.take(OWNER_BYTES).read_to_end(&mut bytes);
    let text: String = String::from_utf8_lossy(&bytes).chars().filter(|sign| !sign.is_control()).collect();
    if text.is_empty() { "another process".into() } else { text }
}

fn taken(dir: &Path, owner: &str) -> Diagnostic {
    Diagnostic::error(LOCKED, format!("`{}` is in use by {owner}", dir.display()))
        .help("wait for it to end or stop it, or name another directory with `--out`")
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    fn directory(name: &str) -> PathBuf {
        let path = std::env::temp_dir().join(format!("meshwright-lock-{}-{name}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        path
    }

    #[test]
    fn one_holds_it_and_others_are_told_who() {
        let dir = directory("one").join("a/b");
        let lock = Lock::take(&dir).unwrap();
        assert!(lock.is_kept());
        let said = Lock::take(&dir).unwrap_err();
        assert_eq!(said.code, LOCKED);
        let owner = format!("is in use by process {}", std::process::id());
        assert!(said.message.contains(&owner), "{}", said.message);
        drop(lock);
        assert!(!dir.exists(), "what was made for it alone goes with it");
        let lock = Lock::take(&dir).unwrap();
        fs::write(dir.join("run"), "").unwrap();
        drop(lock);
        assert_eq!(crate::disk::names_in(&dir).unwrap(), ["run"]);
    }

    #[test]
    fn a_file_that_a_dead_process_left_is_no_lock() {
        let dir = directory("dead");
        fs::create_dir_all(&dir).unwrap();
        fs::write(dir.join(LOCK), "process 1, `gone`").unwrap();
        drop(Lock::take(&dir).unwrap());
        assert_eq!(crate::disk::names_in(&dir).unwrap(), [""; 0]);
    }

    #[test]
    fn a_directory_that_took_the_place_of_the_locked_one_stays() {
        let dir = directory("replaced");
        let lock = Lock::take(&dir).unwrap();
        fs::rename(&dir, directory("replaced-moved")).unwrap();
        let other = Lock::take(&dir).unwrap();
        drop(lock);
        assert!(dir.join(LOCK).is_file());
        drop(other);
    }

    #[test]
    fn a_link_in_its_place_is_refused_and_not_followed() {
        let dir = directory("link");
        fs::create_dir_all(&dir).unwrap();
        fs::write(dir.join("victim"), "precious").unwrap();
        std::os::unix::fs::symlink("victim", dir.join(LOCK)).unwrap();
        assert!(Lock::take(&dir).unwrap_err().message.ends_with("its file `.lock` is a link"));
        assert_eq!(fs::read(dir.join("victim")).unwrap(), b"precious");
        for target in ["nowhere/lock", "new"] {
            fs::remove_file(dir.join(LOCK)).unwrap();
            std::os::unix::fs::symlink(target, dir.join(LOCK)).unwrap();
            assert!(Lock::take(&dir).unwrap_err().message.ends_with("its file `.lock` is a link"));
            assert!(!dir.join(target).exists());
        }
    }

    #[test]
    fn many_that_take_and_leave_it_never_hold_it_together() {
        use std::sync::atomic::{AtomicUsize, Ordering};
        let (dir, holders, taken) = (directory("many"), AtomicUsize::new(0), AtomicUsize::new(0));
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for _ in 0..200 {
                        let Ok(lock) = Lock::take(&dir) else { continue };
                        assert_eq!(holders.fetch_add(1, Ordering::SeqCst), 0);
                        taken.fetch_add(1, Ordering::SeqCst);
                        holders.fetch_sub(1, Ordering::SeqCst);
                        drop(lock);
                    }
                });
            }
        });
        assert!(taken.into_inner() > 0);
    }
}
