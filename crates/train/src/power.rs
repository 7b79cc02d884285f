//! Loss of power, played through: at every moment, with what was not synced there, gone or half there, in any mixture.
//!
//! A disk notes what is done to it. Of the first so many of its notes a disk after the loss is made: of a file that was
//! not synced any beginning may be there, and of the names that were changed in a directory since its sync any of the
//! changes.

use crate::checkpoint::{
    Checkpoint, Element, Origin, Owner, Piece, Region, Role, RunId, Snapshot, State, Store, Tensor,
};
use crate::disk::{Disk, RealDisk, replace};
use meshwright_base::random::Random;
use std::collections::BTreeMap;
use std::fs::{self, Permissions};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

/// What was done, with paths below the disk's directory.
#[derive(Clone, Debug)]
enum Note {
    Dir(PathBuf),
    File(PathBuf, Vec<u8>),
    SyncFile(PathBuf),
    SyncDir(PathBuf),
    Rename(PathBuf, PathBuf),
    Remove(PathBuf),
    /// What is promised from here on.
    Promise(u64),
}

/// Does what it is told, and notes it.
#[derive(Clone)]
struct Noting {
    root: PathBuf,
    notes: Arc<Mutex<Vec<Note>>>,
    /// Says that it syncs, and does not.
    lies: bool,
}

impl Noting {
    fn new(name: &str, lies: bool) -> Noting {
        let root = std::env::temp_dir().join(format!("meshwright-power-{}-{name}", std::process::id()));
        let _ = fs::remove_dir_all(&root);
        fs::create_dir_all(&root).unwrap();
        Noting { root, notes: Arc::default(), lies }
    }

    fn below(&self, path: &Path) -> PathBuf {
        path.strip_prefix(&self.root).unwrap().to_path_buf()
    }

    fn note(&self, note: Note) -> io::Result<()> {
        self.notes.lock().unwrap().push(note);
        Ok(())
    }
}

impl Disk for Noting {
    fn create_dir(&self, path: &Path) -> io::Result<()> {
        RealDisk.create_dir(path)?;
        self.note(Note::Dir(self.below(path)))
    }

    fn write_new(&self, path: &Path, parts: &[&[u8]], permissions: Option<Permissions>) -> io::Result<()> {
        RealDisk.write_new(path, parts, permissions)?;
        self.note(Note::File(self.below(path), parts.concat()))
    }

    fn sync_file(&self, path: &Path) -> io::Result<()> {
        if self.lies { Ok(()) } else { self.note(Note::SyncFile(self.below(path))) }
    }

    fn sync_dir(&self, path: &Path) -> io::Result<()> {
        if self.lies { Ok(()) } else { self.note(Note::SyncDir(self.below(path))) }
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        RealDisk.rename(from, to)?;
        self.note(Note::Rename(self.below(from), self.below(to)))
    }

    fn remove_file(&self, path: &Path) -> io::Result<()> {
        RealDisk.remove_file(path)?;
        self.note(Note::Remove(self.below(path)))
    }

    fn remove_dir_all(&self, path: &Path) -> io::Result<()> {
        for name in crate::disk::names_in(path)? {
            self.remove_file(&path.join(name))?;
        }
        fs::remove_dir(path)?;
        self.note(Note::Remove(self.below(path)))
    }
}

/// A change of the names in a directory.
#[derive(Clone)]
enum Change {
    Put(String, usize),
    Take(String),
    Move(String, String, usize),
}

/// A file or directory, as it is and as it surely is on the disk.
#[derive(Clone)]
enum Thing {
    File { bytes: Vec<u8>, is_sure: bool },
    Dir { now: BTreeMap<String, usize>, sure: BTreeMap<String, usize>, since: Vec<Change> },
}

/// The first is the directory of the disk.
struct Disks(Vec<Thing>);

fn name_of(path: &Path) -> String {
    path.file_name().unwrap().to_string_lossy().into_owned()
}

impl Disks {
    fn empty_dir() -> Thing {
        Thing::Dir { now: BTreeMap::new(), sure: BTreeMap::new(), since: Vec::new() }
    }

    fn at(&self, path: &Path) -> usize {
        path.iter().fold(0, |at, name| match &self.0[at] {
            Thing::Dir { now, .. } => now[&name.to_string_lossy().into_owned()],
            Thing::File { .. } => unreachable!("a file has no files in it"),
        })
    }

    fn change(&mut self, path: &Path, change: Change) {
        let at = self.at(path.parent().unwrap());
        let Thing::Dir { now, since, .. } = &mut self.0[at] else { unreachable!("it is above") };
        apply(now, &change);
        since.push(change);
    }

    fn put(&mut self, path: &Path, thing: Thing) {
        self.0.push(thing);
        self.change(path, Change::Put(name_of(path), self.0.len() - 1));
    }

    fn follow(&mut self, note: &Note) {
        match note {
            Note::Dir(path) => self.put(path, Disks::empty_dir()),
            Note::File(path, bytes) => self.put(path, Thing::File { bytes: bytes.clone(), is_sure: false }),
            Note::Remove(path) => self.change(path, Change::Take(name_of(path))),
            Note::Rename(from, to) => {
                let thing = self.at(from);
                self.change(from, Change::Move(name_of(from), name_of(to), thing));
            }
            Note::SyncFile(path) | Note::SyncDir(path) => {
                let at = self.at(path);
                match &mut self.0[at] {
                    Thing::File { is_sure, .. } => *is_sure = true,
                    Thing::Dir { now, sure, since } => {
                        sure.clone_from(now);
                        since.clear();
                    }
                }
            }
            Note::Promise(_) => {}
        }
    }

    /// What may be there after the loss.
    fn write_out(&self, at: usize, to: &Path, random: &mut Random) {
        match &self.0[at] {
            Thing::File { bytes, is_sure: true } => fs::write(to, bytes).unwrap(),
            Thing::File { bytes, is_sure: false } => {
                fs::write(to, &bytes[..random.index(bytes.len() + 1)]).unwrap();
            }
            Thing::Dir { sure, since, .. } => {
                fs::create_dir_all(to).unwrap();
                let mut names = sure.clone();
                since.iter().filter(|_| random.unit() < 0.5).for_each(|change| apply(&mut names, change));
                names.iter().for_each(|(name, at)| self.write_out(*at, &to.join(name), random));
            }
        }
    }
}

fn apply(names: &mut BTreeMap<String, usize>, change: &Change) {
    match change {
        Change::Put(name, at) => drop(names.insert(name.clone(), *at)),
        Change::Take(name) => drop(names.remove(name)),
        Change::Move(from, to, at) => {
            names.remove(from);
            names.insert(to.clone(), *at);
        }
    }
}

/// Loses the power after each note, so often, and lets `judge` look at what is left and at what was promised by then.
/// Returns how many disks it was not content with.
fn lost(disk: &Noting, tries: u64, judge: impl Fn(&Path, u64) -> bool) -> usize {
    let notes = disk.notes.lock().unwrap().clone();
    let (mut wrong, after) = (0, disk.root.with_extension("after"));
    for end in 0..=notes.len() {
        let mut disks = Disks(vec![Disks::empty_dir()]);
        notes[..end].iter().for_each(|note| disks.follow(note));
        let mut promises = notes[..end].iter().filter_map(|note| match note {
            Note::Promise(step) => Some(*step),
            _ => None,
        });
        let promised = promises.next_back().unwrap_or(0);
        for seed in 0..tries {
            let _ = fs::remove_dir_all(&after);
            disks.write_out(0, &after, &mut Random::new(seed, end as u64));
            wrong += usize::from(!judge(&after, promised));
        }
    }
    wrong
}

fn owner() -> Owner {
    Owner { run: RunId::parse("1f0c63d2a5b79e48").unwrap(), origin: Origin::Here }
}

fn snapshot(step: u64) -> Snapshot {
    let region = Region::whole(&[3]);
    let bytes: Vec<u8> = [step as u32; 3].into_iter().flat_map(u32::to_le_bytes).collect();
    let pieces = vec![Piece { region, bytes }];
    let tensor =
        Tensor { name: "w".into(), role: Role::Weight, element: Element::U32, shape: vec![3], pieces };
    Snapshot { state: State { step, ..State::default() }, tensors: vec![tensor] }
}

/// The newest checkpoint is whole and no older than what was promised, and nothing that can be seen is hollow.
fn holds(root: &Path, promised: u64) -> bool {
    let Ok(store) = Store::open(root, 9, owner()) else { return false };
    let newest = store.steps().ok().and_then(|steps| steps.last().copied()).unwrap_or(0);
    let is_whole = |step: &u64| {
        let checkpoint = Checkpoint::open(&store.path(*step));
        checkpoint.and_then(|mut checkpoint| {
            checkpoint.verify()?;
            checkpoint.read("w", &Region::whole(&[3]))
        }) == Ok(snapshot(*step).tensors[0].pieces[0].bytes.clone())
    };
    let all = store.steps().unwrap_or_default();
    newest >= promised && store.notes().is_empty() && all.iter().all(is_whole)
}

fn written(name: &str, lies: bool) -> Noting {
    let disk = Noting::new(name, lies);
    let store = Store::on(&disk.root, 2, owner(), Box::new(disk.clone())).unwrap();
    for step in 1..=4 {
        store.write(&snapshot(step)).unwrap();
        disk.note(Note::Promise(step)).unwrap();
    }
    disk
}

#[test]
fn no_loss_of_power_takes_a_checkpoint_that_was_promised() {
    assert_eq!(lost(&written("sound", false), 12, holds), 0);
}

#[test]
fn a_disk_that_does_not_sync_is_found_out() {
    assert!(lost(&written("lying", true), 2, holds) > 0);
}

#[test]
fn a_file_that_is_replaced_is_the_old_or_the_new_one() {
    let run = |lies: bool| {
        let disk = Noting::new(&format!("replaced-{lies}"), lies);
        for step in 1..=3 {
            replace(&disk, &disk.root.join("config.toml"), &[step; 40]).unwrap();
            disk.note(Note::Promise(u64::from(step))).unwrap();
        }
        lost(&disk, 12, |root, promised| {
            let found = fs::read(root.join("config.toml")).unwrap_or_default();
            let step = found.first().copied().unwrap_or(0);
            u64::from(step) >= promised
                && found.iter().all(|byte| *byte == step)
                && [0, 40].contains(&found.len())
        })
    };
    assert_eq!(run(false), 0);
    assert!(run(true) > 0);
}
