//! A directory of checkpoints: writing one whole or not at all, listing them, keeping the newest.

use super::index::{Index, Stored, StoredPiece, covers};
use super::{DISK, MISMATCH, Piece, Snapshot, Tensor, broken, unreadable};
use super::{Done, Job};
use crate::checksum::{Checksum, checksum};
use meshwright_ground::Diagnostic;
use meshwright_runtime::safetensors;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// A file goes on until it has this many bytes.
const FILE_BYTES: usize = 1 << 30;

/// Begins the names of what each process writes of an index.
const SHARE: &str = "share-";

const WRITING: &str = ".writing-";
const REMOVING: &str = ".removing-";

/// Where files are made; tests put a full disk in its place.
pub trait Disk: Send {
    fn write_file(&self, path: &Path, parts: &[&[u8]]) -> io::Result<()>;
}

/// The file system: written and synced.
#[derive(Clone, Copy, Debug, Default)]
pub struct RealDisk;

impl Disk for RealDisk {
    fn write_file(&self, path: &Path, parts: &[&[u8]]) -> io::Result<()> {
        let mut file = File::create_new(path)?;
        parts.iter().try_for_each(|part| file.write_all(part))?;
        file.sync_all()
    }
}

/// A directory of checkpoints.
pub struct Store {
    root: PathBuf,
    keep: usize,
    disk: Box<dyn Disk>,
}

impl Store {
    /// Makes the directory if need be, and clears what a killed run left half-written.
    pub fn open(root: &Path, keep: usize) -> Result<Self, Diagnostic> {
        Self::on(root, keep, Box::new(RealDisk))
    }

    pub fn on(root: &Path, keep: usize, disk: Box<dyn Disk>) -> Result<Self, Diagnostic> {
        fs::create_dir_all(root).map_err(|error| unwritable(root, 0, &error))?;
        let store = Store { root: root.into(), keep: keep.max(1), disk };
        let names = store.names()?;
        let left = names.iter().filter(|name| name.starts_with(WRITING) || name.starts_with(REMOVING));
        left.for_each(|name| drop(fs::remove_dir_all(store.root.join(name))));
        Ok(store)
    }

    /// For a process that writes shares beside another, which has opened the directory.
    pub fn join(root: &Path) -> Self {
        Store { root: root.into(), keep: usize::MAX, disk: Box::new(RealDisk) }
    }

    /// Steps with a whole checkpoint, ascending.
    pub fn steps(&self) -> Result<Vec<u64>, Diagnostic> {
        let names = self.names()?;
        let steps = names.iter().filter_map(|name| name.strip_prefix("step-")?.parse().ok());
        let mut steps: Vec<u64> =
            steps.filter(|step| self.path(*step).join("index.json").is_file()).collect();
        steps.sort_unstable();
        Ok(steps)
    }

    /// The directory of a step.
    pub fn path(&self, step: u64) -> PathBuf {
        self.root.join(format!("step-{step:08}"))
    }

    /// The newest checkpoint, if there is any.
    pub fn newest(&self) -> Result<Option<PathBuf>, Diagnostic> {
        Ok(self.steps()?.last().map(|step| self.path(*step)))
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
        }
    }

    /// Writes a checkpoint and drops the oldest beyond those to keep. On an error the directory is as it was.
    pub fn write(&self, snapshot: &Snapshot) -> Result<PathBuf, Diagnostic> {
        check(snapshot)?;
        let step = snapshot.state.step;
        self.check_absent(step)?;
        let written = self.write_parts(snapshot, 0).and_then(|index| self.seal(step, &index));
        self.shown(step, written, snapshot_bytes(snapshot))
    }

    /// Writes what one process has of a checkpoint, by the number of its first device. It is not to be seen yet.
    pub fn write_share(&self, snapshot: &Snapshot, first: usize) -> Result<(), Diagnostic> {
        check_pieces(snapshot)?;
        let step = snapshot.state.step;
        self.check_absent(step)?;
        if !self.root.is_dir() {
            return Err(not_shared(&self.root, "this rank does not see it".into()));
        }
        let written = self.write_parts(snapshot, first).and_then(|index| {
            let name = format!("{SHARE}{first:05}.json");
            self.disk.write_file(&self.hidden(step).join(name), &[index.write().as_bytes()])?;
            sync_directory(&self.hidden(step))
        });
        written.map_err(|error| unwritable(&self.path(step), snapshot_bytes(snapshot), &error))
    }

    /// Joins the shares that all processes have written, and shows the checkpoint. On an error nothing is left of it.
    pub fn show(&self, step: u64) -> Result<PathBuf, Diagnostic> {
        let index = self.joined(step).inspect_err(|_| self.drop_hidden(step))?;
        let bytes = index.files.values().fold(0, |sum: u64, (bytes, _)| sum.saturating_add(*bytes));
        let written = self.seal(step, &index);
        self.shown(step, written, usize::try_from(bytes).unwrap_or(usize::MAX))
    }

    /// Removes what is there of a checkpoint that is not whole.
    pub fn drop_hidden(&self, step: u64) {
        let _ = fs::remove_dir_all(self.hidden(step));
    }

    fn hidden(&self, step: u64) -> PathBuf {
        self.root.join(format!("{WRITING}{step:08}"))
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
        self.drop_oldest()?;
        Ok(target)
    }

    /// The files of a process, and what they hold.
    fn write_parts(&self, snapshot: &Snapshot, first: usize) -> io::Result<Index> {
        let hidden = self.hidden(snapshot.state.step);
        // Another rank may have been faster.
        fs::create_dir_all(&hidden)?;
        let mut index = Index { state: snapshot.state.clone(), ..Index::default() };
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
        self.disk.write_file(&hidden.join("index.json"), &[index.write().as_bytes()])?;
        for name in names_in(&hidden)?.iter().filter(|name| name.starts_with(SHARE)) {
            fs::remove_file(hidden.join(name))?;
        }
        sync_directory(&hidden)?;
        fs::rename(&hidden, self.path(step))?;
        sync_directory(&self.root)
    }

    fn joined(&self, step: u64) -> Result<Index, Diagnostic> {
        let hidden = self.hidden(step);
        let names = names_in(&hidden).map_err(|error| unreadable(&hidden, &error))?;
        let mut all: Option<Index> = None;
        for name in names.iter().filter(|name| name.starts_with(SHARE)) {
            let share = read(&hidden.join(name), Index::read_share)?;
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
        self.disk.write_file(&hidden.join(&name), &parts)?;
        let bytes = parts.iter().map(|part| part.len() as u64).sum();
        index.files.insert(name.clone(), (bytes, sum.value()));
        for placed in file {
            let (region, entry) = (placed.piece.region.clone(), placed.entry.clone());
            let sum = Some(checksum(&placed.piece.bytes));
            stored(index, placed.tensor).pieces.push(StoredPiece { region, file: name.clone(), entry, sum });
        }
        Ok(())
    }

    fn drop_oldest(&self) -> Result<(), Diagnostic> {
        let steps = self.steps()?;
        for step in &steps[..steps.len().saturating_sub(self.keep)] {
            // Out of sight at once, so that a kill halfway leaves no half of a checkpoint.
            let gone = self.root.join(format!("{REMOVING}{step:08}-{}", std::process::id()));
            let removed = fs::rename(self.path(*step), &gone).and_then(|()| fs::remove_dir_all(&gone));
            removed.map_err(|error| unwritable(&self.path(*step), 0, &error))?;
        }
        Ok(())
    }

    fn names(&self) -> Result<Vec<String>, Diagnostic> {
        names_in(&self.root).map_err(|error| unreadable(&self.root, &error))
    }
}

/// Names in a directory, in order.
fn names_in(path: &Path) -> io::Result<Vec<String>> {
    let listed = fs::read_dir(path)?;
    let mut names: Vec<String> =
        listed.filter_map(|entry| entry.ok()?.file_name().into_string().ok()).collect();
    names.sort();
    Ok(names)
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
    names.sort_unstable();
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

/// What was renamed into a directory is there after a crash only if the directory is synced too.
fn sync_directory(path: &Path) -> io::Result<()> {
    File::open(path)?.sync_all()
}

fn unwritable(path: &Path, bytes: usize, error: &io::Error) -> Diagnostic {
    let message = match bytes {
        0 => format!("cannot write `{}`: {error}", path.display()),
        _ => format!("cannot write the {bytes} bytes of `{}`: {error}", path.display()),
    };
    Diagnostic::error(DISK, message)
        .help("make room or give another `checkpoint.dir`; older checkpoints are as they were")
}

/// The text of the index of a checkpoint directory.
pub fn read_index(path: &Path) -> Result<Index, Diagnostic> {
    read(&path.join("index.json"), Index::read)
}

fn read(file: &Path, parse: fn(&str) -> Result<Index, Option<String>>) -> Result<Index, Diagnostic> {
    let bytes = fs::read(file).map_err(|error| unreadable(file, &error))?;
    let text = String::from_utf8(bytes).map_err(|_| broken(file, "it is not UTF-8"))?;
    parse(&text).map_err(|what| match what {
        Some(what) => broken(file, what),
        None => Diagnostic::error(
            super::FOREIGN,
            format!("`{}` is no index of a Meshwright checkpoint", file.display()),
        )
        .help("give a directory `step-..` that this program wrote"),
    })
}
