//! Which run a checkpoint belongs to.
//!
//! ```text
//! runs/a/run.id                           1f0c63d2a5b79e48
//! runs/a/checkpoints/step-00000200        "run": "1f0c63d2a5b79e48"      of this run: may be removed by it
//! runs/a/checkpoints/step-00000300        "run": "84c0e1b2f7a6d935"      of another: refused, and never touched
//! runs/a/checkpoints/step-00000100        no "run"                       older than run ids: read, and never removed
//! ```

use super::index::read_index;
use super::list::{at, hollow, steps_named};
use meshwright_base::{Code, Diagnostic};
use meshwright_runtime::files::read_text;
use std::fmt;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};

const OTHERS: Code = Code(1207);

/// The file of a run's directory that holds its id, and most that is read of it.
pub(crate) const RUN: &str = "run.id";
pub(crate) const RUN_BYTES: u64 = 1 << 10;

/// The identity of a run, which its checkpoints carry. It is never zero.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct RunId(u64);

impl RunId {
    /// Derives the id of a run that begins in a directory, given by its canonical path. The same run in the same place
    /// writes the same bytes; equal configurations in two directories are two runs.
    pub fn derive(dir: &Path, config: &str) -> RunId {
        let mut hasher = DefaultHasher::new();
        (dir.as_os_str().as_encoded_bytes(), config).hash(&mut hasher);
        RunId::from_number(hasher.finish()).unwrap_or(RunId(1))
    }

    /// The id with this number: ranks exchange it as one.
    pub fn from_number(number: u64) -> Option<RunId> {
        if number == 0 { None } else { Some(RunId(number)) }
    }

    pub fn number(self) -> u64 {
        self.0
    }

    /// Parses 16 hexadecimal digits.
    pub fn parse(text: &str) -> Option<RunId> {
        let is_digits = text.len() == 16 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
        if is_digits { RunId::from_number(u64::from_str_radix(text, 16).ok()?) } else { None }
    }
}

impl fmt::Display for RunId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}

/// How a run uses a directory of checkpoints.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Origin {
    /// It begins: no checkpoint may be there.
    Nothing,
    /// It resumes, but from no checkpoint of this directory: none that is whole may be there.
    Elsewhere,
    /// It resumes from a checkpoint of this directory: none of another run may be there.
    Here,
}

/// A run that opens a directory of checkpoints.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Owner {
    pub run: RunId,
    pub origin: Origin,
}

impl Owner {
    /// Refuses a directory with checkpoints that this run must not mix with its own. Returns the steps that are its own
    /// and those that carry no id.
    pub fn check(&self, root: &Path) -> Result<OwnedSteps, Diagnostic> {
        let mut found = OwnedSteps::default();
        for step in steps_named(root)? {
            let path = at(root, step);
            if hollow(&path).is_some() {
                if self.origin == Origin::Nothing {
                    return Err(occupied(root, &path, None, self.run));
                }
                continue;
            }
            // The index of a damaged checkpoint names no run. Such a checkpoint stays.
            let index = read_index(&path).ok();
            let run = index.as_ref().and_then(|index| index.state.run);
            if self.origin != Origin::Here || run.is_some_and(|run| run != self.run) {
                return Err(occupied(root, &path, run, self.run));
            }
            match (index, run) {
                (Some(_), Some(_)) => found.own.push(step),
                (Some(_), None) => found.unnamed.push(step),
                (None, _) => {}
            }
        }
        Ok(found)
    }
}

/// Steps of a directory's checkpoints, ascending.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct OwnedSteps {
    pub own: Vec<u64>,
    /// Of checkpoints from before there were run ids.
    pub unnamed: Vec<u64>,
}

/// Whether a run may take a checkpoint for its own: it carries the run's id, or none.
pub fn is_of(path: &Path, run: Option<RunId>) -> bool {
    let Some(run) = run else { return true };
    read_index(path).ok().and_then(|index| index.state.run).is_none_or(|other| other == run)
}

fn occupied(root: &Path, checkpoint: &Path, run: Option<RunId>, own: RunId) -> Diagnostic {
    let step = checkpoint.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let (dir, help) = (root.display(), "by default it is `checkpoints`, inside the run's own directory");
    if run == Some(own) {
        let message = format!("`{dir}` holds checkpoints of this run that it does not resume from: `{step}`");
        return Diagnostic::error(OTHERS, message)
            .help(format!("resume from the newest of them, or name another `checkpoint.dir`; {help}"));
    }
    let of = match (dir_of(run, root), run) {
        (Some(above), _) => format!("another run, of `{}`", above.display()),
        (None, Some(run)) => format!("another run, {run}"),
        (None, None) => "another run".into(),
    };
    let message = format!("`{dir}` holds checkpoints of {of}: `{step}`");
    Diagnostic::error(OTHERS, message)
        .help(format!("name a directory for this run alone in `checkpoint.dir`; {help}"))
}

/// The diagnostic for a checkpoint that lies among those of another run.
pub fn misplaced(checkpoint: &Path, dir: &Path) -> Diagnostic {
    let message =
        format!("`{}` is a checkpoint of another run than that of `{}`", checkpoint.display(), dir.display());
    Diagnostic::error(OTHERS, message)
        .help("move it to the checkpoints of its own run, or to a directory alone")
}

/// The directory of a run that keeps its checkpoints in a directory, if it is above.
fn dir_of(run: Option<RunId>, root: &Path) -> Option<PathBuf> {
    let above = root.ancestors().take(3).find(|above| above.join("config.toml").is_file())?;
    let id = read_text(&above.join(RUN), RUN_BYTES).ok();
    let is_its = id.and_then(|text| RunId::parse(text.trim())) == run;
    if is_its { Some(above.to_path_buf()) } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_depends_on_the_directory_and_the_configuration_alone() {
        let id = RunId::derive(Path::new("/runs/a"), "steps = 1");
        assert_eq!(id, RunId::derive(Path::new("/runs/a"), "steps = 1"));
        assert_ne!(id, RunId::derive(Path::new("/runs/b"), "steps = 1"));
        assert_ne!(id, RunId::derive(Path::new("/runs/a"), "steps = 2"));
        assert_eq!(RunId::parse(&id.to_string()), Some(id));
        assert_eq!(RunId::from_number(id.number()), Some(id));
        for wrong in ["", "0000000000000000", "+123456789abcdef", "123456789abcdefg", "1"] {
            assert_eq!(RunId::parse(wrong), None, "{wrong}");
        }
    }
}
