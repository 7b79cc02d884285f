//! A directory of checkpoints, for the run that writes them: one whole or not at all, the newest kept, and none of
//! another run touched.
//!
//! The process that opens it holds its lock before it cleans up. A checkpoint that is not whole has a name with a
//! number that the store drew: processes of a killed run may still write to theirs.

use super::index::{INDEX, Index, Stored, StoredPiece, covers, read_file, read_index};
use super::list::{self, Kept, hollow, step_of, steps};
use super::owner::{Owner, RunId};
use super::{DISK, MISMATCH, Piece, Snapshot, State, Tensor};
use super::{Done, Job};
use crate::anchor::Anchor;
use crate::checksum::{Checksum, checksum};
use crate::disk::{Disk, RealDisk, WRITING, make_dirs, names_in, rename_synced, token, write_synced};
use crate::lock::Lock;
use meshwright_base::Diagnostic;
use meshwright_base::arrange::Arrange;
use meshwright_base::units::count;
use meshwright_runtime::safetensors;
use std::cell::{OnceCell, RefCell};
use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};

/// A file goes on until it has this many bytes.
const FILE_BYTES: usize = 1 << 30;

/// Begins the names of the parts of an index, one for each process.
const SHARE: &str = "share-";

const REMOVING: &str = ".removing-";

/// Begins the names of checkpoints that lack a file.
const HOLLOW: &str = "hollow-";

/// A directory of checkpoints.
pub struct Store {
    root: PathBuf,
    /// Opened with the store, or by a process that joins with its first share.
    anchor: OnceCell<Anchor>,
    keep: usize,
    run: RunId,
    /// Steps of the checkpoints that this run wrote: it removes no other.
    own: RefCell<BTreeSet<u64>>,
    /// Of this run, in the names of checkpoints that are not whole yet.
    token: u64,
    disk: Box<dyn Disk>,
    /// Findings and changes of its opening.
    notes: Vec<String>,
    /// Held by the process that shows checkpoints.
    _lock: Option<Lock>,
}

impl Store {
    /// Makes the directory if need be, and takes its lock. Refuses one with checkpoints of another run. Clears
    /// half-written files of a killed run, and sets aside damaged checkpoints.
    pub fn open(root: &Path, keep: usize, owner: Owner) -> Result<Self, Diagnostic> {
        Self::on(root, keep, owner, Box::new(RealDisk))
    }

    pub fn on(root: &Path, keep: usize, owner: Owner, disk: Box<dyn Disk>) -> Result<Self, Diagnostic> {
        let made = make_dirs(&*disk, root).map_err(|error| unwritable(root, 0, &error))?;
        let lock = Lock::take(root)?.with(made);
        let anchor = Anchor::hold(root).map_err(|error| unwritable(root, 0, &error))?;
        let found = owner.check(root)?;
        lock.sign_for(owner.run);
        let mut store = Store {
            root: root.into(),
            anchor: OnceCell::from(anchor),
            keep: keep.max(1),
            run: owner.run,
            own: RefCell::new(found.own.into_iter().collect()),
            token: token(),
            disk,
            notes: Vec::new(),
            _lock: Some(lock),
        };
        store.clean()?;
        if let Some(unnamed) = note_unnamed(root, &found.unnamed) {
            store.notes.push(unnamed);
        }
        Ok(store)
    }

    /// For a process that writes shares beside another, which has opened the directory and drawn the number.
    pub fn join(root: &Path, token: u64, run: RunId) -> Self {
        Store {
            root: root.into(),
            anchor: OnceCell::new(),
            keep: usize::MAX,
            run,
            own: RefCell::default(),
            token,
            disk: Box::new(RealDisk),
            notes: Vec::new(),
            _lock: None,
        }
    }

    /// Refuses to write once the directory has moved.
    fn check_place(&self) -> Result<(), Diagnostic> {
        if let Some(anchor) = self.anchor.get() {
            return anchor.check();
        }
        let held = Anchor::hold(&self.root);
        let anchor = held.map_err(|_| not_shared(&self.root, "this rank does not see it".into()))?;
        self.anchor.get_or_init(|| anchor).check()
    }

    /// The number that other processes need to [`join`](Store::join).
    pub fn token(&self) -> u64 {
        self.token
    }

    /// Findings and changes of its opening, in lines.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// Clears the directory. No other process writes here, so a half-written checkpoint is of a run that is gone.
    fn clean(&mut self) -> Result<(), Diagnostic> {
        let mut aside = 0;
        for name in list::names(&self.root)? {
            let path = self.root.join(&name);
            if name.starts_with(WRITING) || name.starts_with(REMOVING) {
                let _ = self.disk.remove_dir_all(&path);
            } else if let (Some(step), Some(what)) = (step_of(&name), hollow(&path)) {
                self.set_aside(step, &path, &what)?;
                aside = aside.max(step);
            }
        }
        let newest = self.steps()?.last().copied();
        if let Some(lost @ 1..) = aside.checked_sub(newest.unwrap_or(0)) {
            let left = newest
                .map_or("there is no other".into(), |step| format!("the newest other is of step {step}"));
            let steps = if lost == 1 { "a step is lost".into() } else { format!("{lost} steps are lost") };
            self.notes.push(format!("{left}: {steps}"));
        }
        Ok(())
    }

    /// Gives a checkpoint that lacks a file another name, so that its step can be written again. Nothing of it is
    /// removed.
    fn set_aside(&mut self, step: u64, path: &Path, what: &str) -> Result<(), Diagnostic> {
        let numbered = |at: usize| match at {
            1 => format!("{HOLLOW}{step:08}"),
            _ => format!("{HOLLOW}{step:08}-{at}"),
        };
        let free = (1..).map(|at| self.root.join(numbered(at))).find(|aside| !aside.exists());
        let aside = free.unwrap_or_else(|| self.root.join(numbered(1)));
        let moved = rename_synced(&*self.disk, path, &aside, &self.root);
        moved.map_err(|error| unwritable(&aside, 0, &error))?;
        let (path, aside) = (path.display(), aside.display());
        self.notes.push(format!("`{path}` is no checkpoint any more, {what}: set aside as `{aside}`"));
        Ok(())
    }

    /// Steps with a checkpoint, ascending.
    pub fn steps(&self) -> Result<Vec<u64>, Diagnostic> {
        steps(&self.root)
    }

    /// The directory of a step.
    pub fn path(&self, step: u64) -> PathBuf {
        list::at(&self.root, step)
    }

    /// The newest checkpoint, if there is any.
    pub fn newest(&self) -> Result<Option<PathBuf>, Diagnostic> {
        super::newest(&self.root, Some(self.run))
    }

    pub fn done(&self, job: Job) -> Done {
        match job {
            Job::Whole(snapshot) => Done::Shown(self.write(&snapshot)),
            Job::Share(snapshot, first) => Done::Shared(self.write_share(&snapshot, first)),
            Job::Show(step) => Done::Shown(self.show(step)),
            Job::Drop(step) => {
                self.drop_hidden(step);
                Done::Dropped
            }
            Job::Trim => Done::Trimmed(self.in_place(|| self.drop_oldest())),
        }
    }

    /// Changes the directory, unless it has moved. If it moves meanwhile, that is the cause of an error, not the
    /// missing file.
    fn in_place<T>(&self, change: impl FnOnce() -> Result<T, Diagnostic>) -> Result<T, Diagnostic> {
        self.check_place()?;
        change().or_else(|error| self.check_place().and(Err(error)))
    }

    /// Writes a checkpoint and drops the oldest beyond those to keep. On an error the directory is as it was.
    pub fn write(&self, snapshot: &Snapshot) -> Result<PathBuf, Diagnostic> {
        check(snapshot)?;
        let step = snapshot.state.step;
        self.in_place(|| {
            self.check_absent(step)?;
            let written = self.write_parts(snapshot, 0).and_then(|index| self.seal(step, &index));
            self.shown(step, written, snapshot_bytes(snapshot))
        })
    }

    /// Writes the share of one process, by the number of its first device. The checkpoint is not visible yet.
    pub fn write_share(&self, snapshot: &Snapshot, first: usize) -> Result<(), Diagnostic> {
        check_pieces(snapshot)?;
        let step = snapshot.state.step;
        self.in_place(|| {
            self.check_absent(step)?;
            let written = self.write_parts(snapshot, first).and_then(|index| {
                let name = format!("{SHARE}{first:05}.json");
                write_synced(&*self.disk, &self.hidden(step).join(name), &[index.write().as_bytes()])?;
                self.disk.sync_dir(&self.hidden(step))
            });
            written.map_err(|error| unwritable(&self.path(step), snapshot_bytes(snapshot), &error))
        })
    }

    /// Joins the shares that all processes have written, and shows the checkpoint. On an error nothing is left of it.
    pub fn show(&self, step: u64) -> Result<PathBuf, Diagnostic> {
        self.in_place(|| {
            let index = self.joined(step).inspect_err(|_| self.drop_hidden(step))?;
            let bytes = index.files.values().fold(0, |sum: u64, (bytes, _)| sum.saturating_add(*bytes));
            let written = self.seal(step, &index);
            self.shown(step, written, usize::try_from(bytes).unwrap_or(usize::MAX))
        })
    }

    /// Removes a checkpoint that is not whole.
    pub fn drop_hidden(&self, step: u64) {
        let _ = self.disk.remove_dir_all(&self.hidden(step));
    }

    fn hidden(&self, step: u64) -> PathBuf {
        self.root.join(format!("{WRITING}{step:08}-{:016x}", self.token))
    }

    fn check_absent(&self, step: u64) -> Result<(), Diagnostic> {
        let target = self.path(step);
        if !target.exists() {
            return Ok(());
        }
        let message = format!("there is a checkpoint of step {step} already: `{}`", target.display());
        Err(Diagnostic::error(DISK, message).help("resume from it, or give another `checkpoint.dir`"))
    }

    fn shown(&self, step: u64, written: io::Result<()>, bytes: usize) -> Result<PathBuf, Diagnostic> {
        let target = self.path(step);
        if let Err(error) = written {
            self.drop_hidden(step);
            return Err(unwritable(&target, bytes, &error));
        }
        self.own.borrow_mut().insert(step);
        self.drop_oldest()?;
        Ok(target)
    }

    /// Writes the files of a process. Returns their index.
    fn write_parts(&self, snapshot: &Snapshot, first: usize) -> io::Result<Index> {
        let hidden = self.hidden(snapshot.state.step);
        // A missing directory stays missing: it may have been moved.
        match self.disk.create_dir(&hidden) {
            // Another rank was faster.
            Err(_) if hidden.is_dir() => {}
            made => made?,
        }
        self.disk.sync_dir(&self.root)?;
        let state = State { run: Some(self.run), ..snapshot.state.clone() };
        let mut index = Index { state, ..Index::default() };
        for (number, file) in files_of(&snapshot.tensors).into_iter().enumerate() {
            let more = if number == 0 { String::new() } else { format!("-{number}") };
            let name = format!("part-{first:05}{more}.safetensors");
            self.write_part(&hidden, name, &file, &mut index)?;
        }
        // Tensors without pieces here are there all the same.
        for tensor in &snapshot.tensors {
            stored(&mut index, tensor);
        }
        Ok(index)
    }

    /// The index goes in last, and the directory is seen.
    fn seal(&self, step: u64, index: &Index) -> io::Result<()> {
        let hidden = self.hidden(step);
        write_synced(&*self.disk, &hidden.join(INDEX), &[index.write().as_bytes()])?;
        for name in names_in(&hidden)?.iter().filter(|name| name.starts_with(SHARE)) {
            self.disk.remove_file(&hidden.join(name))?;
        }
        self.disk.sync_dir(&hidden)?;
        let target = self.path(step);
        rename_synced(&*self.disk, &hidden, &target, &self.root).inspect_err(|_| {
            // Whether the name outlives a loss of power is unknown: then the checkpoint is not there, as is said.
            let _ = self.disk.rename(&target, &hidden);
        })
    }

    fn joined(&self, step: u64) -> Result<Index, Diagnostic> {
        let hidden = self.hidden(step);
        let names = list::names(&hidden)?;
        let mut all: Option<Index> = None;
        for name in names.iter().filter(|name| name.starts_with(SHARE)) {
            let share = read_file(&hidden.join(name), Index::read_share)?;
            match &mut all {
                None => all = Some(share),
                Some(all) => all.join(share).map_err(|what| not_shared(&self.root, what))?,
            }
        }
        let index = all.ok_or_else(|| not_shared(&self.root, "no rank has written there".into()))?;
        index.check().map_err(|what| not_shared(&self.root, what))?;
        let absent = index.files.keys().find(|name| !hidden.join(name).is_file());
        match absent {
            None => Ok(index),
            Some(name) => Err(not_shared(&self.root, format!("`{name}` is not there"))),
        }
    }

    fn write_part(
        &self,
        hidden: &Path,
        name: String,
        file: &[Placed<'_>],
        index: &mut Index,
    ) -> io::Result<()> {
        let table: Vec<_> = file.iter().map(Placed::row).collect();
        let header = safetensors::header(&table);
        let mut parts: Vec<&[u8]> = vec![&header];
        parts.extend(file.iter().map(|placed| placed.piece.bytes.as_slice()));
        let mut sum = Checksum::default();
        parts.iter().for_each(|part| sum.add(part));
        write_synced(&*self.disk, &hidden.join(&name), &parts)?;
        let bytes = parts.iter().map(|part| part.len() as u64).sum();
        index.files.insert(name.clone(), (bytes, sum.value()));
        for placed in file {
            let (region, entry) = (placed.piece.region.clone(), placed.entry.clone());
            let sum = Some(checksum(&placed.piece.bytes));
            stored(index, placed.tensor).pieces.push(StoredPiece { region, file: name.clone(), entry, sum });
        }
        Ok(())
    }

    /// Removes the oldest checkpoints of this run beyond those to keep. A checkpoint in use stays until the next
    /// call. Damaged ones, and those of another run, always stay.
    fn drop_oldest(&self) -> Result<(), Diagnostic> {
        let mut own = self.own.borrow_mut();
        let old: Vec<u64> = own.iter().rev().skip(self.keep).rev().copied().collect();
        for step in old {
            let path = self.path(step);
            match read_index(&path) {
                Ok(index) if index.state.run == Some(self.run) => {}
                // It cannot be read now: the next time it may.
                Err(error) if error.code == DISK && path.exists() => continue,
                // Someone has taken it away, or put another one there.
                Ok(_) | Err(_) => {
                    own.remove(&step);
                    continue;
                }
            }
            let Some(_alone) = Kept::alone(&path) else { continue };
            // Out of sight at once, so that a kill halfway leaves no half of a checkpoint.
            let gone = self.root.join(format!("{REMOVING}{step:08}-{:016x}", self.token));
            let removed = rename_synced(&*self.disk, &path, &gone, &self.root)
                .and_then(|()| self.disk.remove_dir_all(&gone));
            removed.map_err(|error| unwritable(&path, 0, &error))?;
            own.remove(&step);
        }
        Ok(())
    }
}

/// The note on checkpoints that carry no run id.
fn note_unnamed(root: &Path, steps: &[u64]) -> Option<String> {
    let (oldest, newest) = (steps.first()?, steps.last()?);
    Some(format!(
        "{} in `{}`, of steps {oldest} to {newest}, {} no run id: the run never removes {}",
        count(steps.len(), "checkpoint"),
        root.display(),
        if steps.len() == 1 { "carries" } else { "carry" },
        if steps.len() == 1 { "it" } else { "them" }
    ))
}

/// Ranks that do not write into one directory.
fn not_shared(root: &Path, what: String) -> Diagnostic {
    let message = format!("ranks cannot write a checkpoint together in `{}`: {what}", root.display());
    Diagnostic::error(DISK, message)
        .help("put the run, or `checkpoint.dir`, where all ranks see the same directory")
}

/// A piece with the name it has in its file.
struct Placed<'a> {
    tensor: &'a Tensor,
    piece: &'a Piece,
    entry: String,
}

impl<'a> Placed<'a> {
    fn row(&self) -> (&str, super::Element, &'a [usize], usize) {
        (&self.entry, self.tensor.element, &self.piece.region.shape, self.piece.bytes.len())
    }
}

/// Pieces in the order of tensors, cut into files. A tensor in one piece keeps its name.
fn files_of(tensors: &[Tensor]) -> Vec<Vec<Placed<'_>>> {
    let placed = tensors.iter().flat_map(|tensor| {
        let entry = |at: usize| {
            if tensor.pieces.len() == 1 { tensor.name.clone() } else { format!("{}#{at}", tensor.name) }
        };
        tensor.pieces.iter().enumerate().map(move |(at, piece)| Placed { tensor, piece, entry: entry(at) })
    });
    let mut files: Vec<Vec<Placed<'_>>> = Vec::new();
    let mut bytes = usize::MAX;
    for placed in placed {
        if bytes >= FILE_BYTES {
            files.push(Vec::new());
            bytes = 0;
        }
        bytes += placed.piece.bytes.len();
        files
            .last_mut()
            .into_iter()
            .for_each(|file| file.push(Placed { entry: placed.entry.clone(), ..placed }));
    }
    files
}

fn stored<'i>(index: &'i mut Index, tensor: &Tensor) -> &'i mut Stored {
    index.tensors.entry(tensor.name.clone()).or_insert_with(|| Stored {
        role: tensor.role,
        element: tensor.element,
        shape: tensor.shape.clone(),
        pieces: Vec::new(),
    })
}

fn wrong(name: &str, what: String) -> Diagnostic {
    Diagnostic::error(MISMATCH, format!("tensor `{name}` cannot be saved: {what}"))
        .help("this is a mistake in how the run gathers its state; please report it")
}

/// As [`check_pieces`], and pieces tile their tensors.
fn check(snapshot: &Snapshot) -> Result<(), Diagnostic> {
    check_pieces(snapshot)?;
    snapshot.tensors.iter().try_for_each(|tensor| {
        let regions: Vec<_> = tensor.pieces.iter().map(|piece| &piece.region).collect();
        covers(&tensor.shape, &regions).map_err(|what| wrong(&tensor.name, what))
    })
}

/// Names differ, and pieces have as many bytes as they should.
fn check_pieces(snapshot: &Snapshot) -> Result<(), Diagnostic> {
    let mut names: Vec<&str> = snapshot.tensors.iter().map(|tensor| tensor.name.as_str()).collect();
    names.arrange();
    let plain = |name: &&str| name.contains('#') || **name == *"__metadata__" || name.is_empty();
    if let Some(name) = names.windows(2).find(|pair| pair[0] == pair[1]).map(|pair| pair[0]) {
        return Err(wrong(name, "two tensors have this name".into()));
    }
    if let Some(name) = names.into_iter().find(plain) {
        return Err(wrong(name, "the name is empty, reserved or has a `#`".into()));
    }
    for tensor in &snapshot.tensors {
        let bytes = |piece: &Piece| piece.region.volume().map(|volume| volume * tensor.element.bytes());
        if let Some(piece) = tensor.pieces.iter().find(|piece| bytes(piece) != Some(piece.bytes.len())) {
            return Err(wrong(
                &tensor.name,
                format!("a piece of {:?} has {} bytes", piece.region.shape, piece.bytes.len()),
            ));
        }
    }
    Ok(())
}

fn snapshot_bytes(snapshot: &Snapshot) -> usize {
    snapshot.tensors.iter().flat_map(|tensor| &tensor.pieces).map(|piece| piece.bytes.len()).sum()
}

fn unwritable(path: &Path, bytes: usize, error: &io::Error) -> Diagnostic {
    let message = match bytes {
        0 => format!("cannot write `{}`: {error}", path.display()),
        _ => format!("cannot write the {bytes} bytes of `{}`: {error}", path.display()),
    };
    Diagnostic::error(DISK, message)
        .help("make room or give another `checkpoint.dir`; older checkpoints are as they were")
}
