//! Reading a checkpoint: any box of any tensor, however it was cut when it was written.

use super::index::read_index;
use super::index::{Index, StoredPiece};
use super::list::Kept;
use super::{Element, MEMORY, MISMATCH, Region, Role, State, broken, unreadable};
use crate::checksum::Checksum;
use meshwright_base::Diagnostic;
use meshwright_runtime::files::open_sized;
use meshwright_runtime::safetensors::{self, Entry};
use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

/// Bytes checked at a time.
const BLOCK: u64 = 1 << 20;

/// An open checkpoint. Files are opened when they are first needed, and pieces checked once from end to end: who needs
/// few pieces reads few bytes. A run does not remove it meanwhile.
#[derive(Debug)]
pub struct Checkpoint {
    path: PathBuf,
    _kept: Kept,
    index: Index,
    files: BTreeMap<String, PartFile>,
}

/// A file, and what of it is known to be as it was written.
#[derive(Debug)]
struct PartFile {
    file: File,
    entries: BTreeMap<String, Entry>,
    data: u64,
    is_sound: bool,
    sound: BTreeSet<String>,
}

impl Checkpoint {
    pub fn open(path: &Path) -> Result<Self, Diagnostic> {
        let kept = Kept::reading(path)?;
        Ok(Checkpoint { path: path.into(), _kept: kept, index: read_index(path)?, files: BTreeMap::new() })
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    pub fn state(&self) -> &State {
        &self.index.state
    }

    /// Name, role, element and global shape of every tensor, by name.
    pub fn tensors(&self) -> impl Iterator<Item = (&str, Role, Element, &[usize])> {
        self.index
            .tensors
            .iter()
            .map(|(name, stored)| (name.as_str(), stored.role, stored.element, &stored.shape[..]))
    }

    /// Checks every byte of every file.
    pub fn verify(&mut self) -> Result<(), Diagnostic> {
        let names: Vec<String> = self.index.files.keys().cloned().collect();
        names.iter().try_for_each(|name| self.verify_file(name))
    }

    fn verify_file(&mut self, name: &str) -> Result<(), Diagnostic> {
        let path = self.path.join(name);
        let (bytes, sum) = self.index.files.get(name).copied().unwrap_or_default();
        let part = self.part(name)?;
        let found = part.file.rewind().and_then(|()| sum_of(&mut part.file, bytes));
        let found = found.map_err(|error| unreadable(&path, &error))?;
        if found != sum {
            return Err(broken(&path, format!("its checksum is {found:08x} and should be {sum:08x}")));
        }
        part.is_sound = true;
        Ok(())
    }

    /// The bytes of a box of a tensor.
    pub fn read(&mut self, name: &str, region: &Region) -> Result<Vec<u8>, Diagnostic> {
        let stored = self.index.tensors.get(name).ok_or_else(|| self.no_tensor(name))?;
        let width = stored.element.bytes();
        let (pieces, element) = (stored.pieces.clone(), stored.element);
        let bytes = region.volume().and_then(|volume| volume.checked_mul(width));
        let Some(bytes) = bytes.filter(|_| region.fits(&stored.shape)) else {
            let message = format!(
                "tensor `{name}` is {:?} and has no box at {:?} of {:?}",
                stored.shape, region.start, region.shape
            );
            return Err(
                Diagnostic::error(MISMATCH, message).help("resume with the configuration of the checkpoint")
            );
        };
        // Found in their files first: a shape that no file bears out must not cost memory.
        let pieces: Vec<&StoredPiece> =
            pieces.iter().filter(|piece| piece.region.meet(region).is_some()).collect();
        let begins: Vec<u64> =
            pieces.iter().map(|piece| self.find(piece, element)).collect::<Result<_, _>>()?;
        let mut out = Vec::new();
        out.try_reserve_exact(bytes).map_err(|_| no_memory(name, bytes))?;
        out.resize(bytes, 0);
        for (piece, begin) in pieces.into_iter().zip(begins) {
            self.read_piece(piece, begin, element.bytes(), region, &mut out)?;
        }
        Ok(out)
    }

    /// Where the bytes of a piece begin in its file. All of them are as they were written.
    fn find(&mut self, piece: &StoredPiece, element: Element) -> Result<u64, Diagnostic> {
        let path = self.path.join(&piece.file);
        let part = self.part(&piece.file)?;
        let fits = |entry: &&Entry| entry.element == element && entry.shape == piece.region.shape;
        let entry = part.entries.get(&piece.entry).filter(fits);
        let entry =
            entry.ok_or_else(|| broken(&path, format!("`{}` is not as the index says", piece.entry)))?;
        let (begin, bytes) = (part.data + entry.begin, entry.bytes);
        if part.is_sound || part.sound.contains(&piece.entry) {
            return Ok(begin);
        }
        let Some(sum) = piece.sum else { return self.verify_file(&piece.file).map(|()| begin) };
        let found = part.file.seek(SeekFrom::Start(begin)).and_then(|_| sum_of(&mut part.file, bytes));
        let found = found.map_err(|error| unreadable(&path, &error))?;
        if found != sum {
            let what = format!("the checksum of `{}` is {found:08x} and should be {sum:08x}", piece.entry);
            return Err(broken(&path, what));
        }
        part.sound.insert(piece.entry.clone());
        Ok(begin)
    }

    fn read_piece(
        &mut self,
        piece: &StoredPiece,
        begin: u64,
        width: usize,
        region: &Region,
        out: &mut [u8],
    ) -> Result<(), Diagnostic> {
        let path = self.path.join(&piece.file);
        let part = self.part(&piece.file)?;
        for run in piece.region.runs_into(region, width) {
            let into = &mut out[run.to..run.to + run.bytes];
            let read =
                part.file.seek(SeekFrom::Start(begin + run.from)).and_then(|_| part.file.read_exact(into));
            read.map_err(|error| unreadable(&path, &error))?;
        }
        Ok(())
    }

    fn part(&mut self, name: &str) -> Result<&mut PartFile, Diagnostic> {
        let part = match self.files.remove(name) {
            Some(part) => part,
            None => self.open_part(name)?,
        };
        Ok(self.files.entry(name.to_string()).or_insert(part))
    }

    fn open_part(&self, name: &str) -> Result<PartFile, Diagnostic> {
        let path = self.path.join(name);
        let (bytes, _) = self.index.files.get(name).copied().unwrap_or_default();
        let (mut file, found) = open_sized(&path).map_err(|error| unreadable(&path, &error))?;
        if found != bytes {
            return Err(broken(&path, format!("it has {found} bytes and should have {bytes}")));
        }
        let (entries, data) = entries_of(&mut file, bytes).map_err(|what| broken(&path, what))?;
        Ok(PartFile { file, entries, data, is_sound: false, sound: BTreeSet::new() })
    }

    fn no_tensor(&self, name: &str) -> Diagnostic {
        let message = format!("the checkpoint `{}` has no tensor `{name}`", self.path.display());
        Diagnostic::error(MISMATCH, message).help(
            "resume with the configuration of the checkpoint, or take what fits with `checkpoint.init_from`",
        )
    }
}

fn no_memory(name: &str, bytes: usize) -> Diagnostic {
    Diagnostic::error(MEMORY, format!("there is no memory for the {bytes} bytes of tensor `{name}`"))
        .help("read it in smaller boxes, on more devices")
}

/// Of so many bytes from where a file stands, or as many as there are.
fn sum_of(file: &mut File, bytes: u64) -> std::io::Result<u32> {
    let mut sum = Checksum::default();
    let mut block = vec![0; bytes.clamp(1, BLOCK) as usize];
    let mut limited = file.take(bytes);
    loop {
        match limited.read(&mut block)? {
            0 => return Ok(sum.value()),
            read => sum.add(&block[..read]),
        }
    }
}

/// The tensors of a file and where their bytes begin.
fn entries_of(file: &mut File, bytes: u64) -> Result<(BTreeMap<String, Entry>, u64), String> {
    let text = |error: std::io::Error| error.to_string();
    file.seek(SeekFrom::Start(0)).map_err(text)?;
    let mut first = [0; 8];
    file.read_exact(&mut first).map_err(text)?;
    let length = safetensors::header_length(first, bytes)?;
    let mut header = vec![0; length as usize];
    file.read_exact(&mut header).map_err(text)?;
    let data = 8 + u64::from(length);
    Ok((safetensors::entries(&header, bytes - data)?, data))
}

#[cfg(all(test, unix))]
mod tests {
    use super::super::index::Stored;
    use super::super::{DISK, Origin, Owner, Piece, RunId, Snapshot, Store, Tensor};
    use super::*;
    use std::path::PathBuf;

    /// A checkpoint with a tensor of four numbers.
    fn written(name: &str) -> PathBuf {
        let root = std::env::temp_dir().join(format!("meshwright-read-{}-{name}", std::process::id()));
        let _ = std::fs::remove_dir_all(&root);
        let pieces = vec![Piece { region: Region::whole(&[4]), bytes: vec![1; 16] }];
        let (role, element, shape) = (Role::Weight, Element::F32, vec![4]);
        let tensor = Tensor { name: "w".into(), role, element, shape, pieces };
        let owner = Owner { run: RunId::from_number(1).unwrap(), origin: Origin::Nothing };
        let snapshot = Snapshot { tensors: vec![tensor], ..Snapshot::default() };
        Store::open(&root, 1, owner).unwrap().write(&snapshot).unwrap()
    }

    /// A disk that loses a file after it was opened: reading a directory fails as reading a bad sector does.
    #[test]
    fn a_part_that_can_no_longer_be_read_is_named() {
        let path = written("unreadable");
        let part = "part-00000.safetensors";
        let opened = || {
            let mut checkpoint = Checkpoint::open(&path).unwrap();
            checkpoint.part(part).unwrap();
            checkpoint
        };
        let lose =
            |checkpoint: &mut Checkpoint| checkpoint.part(part).unwrap().file = File::open(&path).unwrap();
        let is_named = |found: Diagnostic| {
            assert_eq!(found.code, DISK);
            assert!(found.message.contains(&format!("{part}`: Is a directory")), "{}", found.message);
        };
        let all = Region::whole(&[4]);
        let mut checkpoint = opened();
        lose(&mut checkpoint);
        is_named(checkpoint.verify().unwrap_err());
        is_named(checkpoint.read("w", &all).unwrap_err());
        // Its sum was right before.
        let mut checkpoint = opened();
        checkpoint.verify().unwrap();
        lose(&mut checkpoint);
        is_named(checkpoint.read("w", &all).unwrap_err());
    }

    /// A whole index has no such tensor: no file bears out its shape.
    #[test]
    fn a_tensor_that_no_memory_holds_is_refused() {
        let mut checkpoint = Checkpoint::open(&written("memory")).unwrap();
        let (role, element, shape) = (Role::Weight, Element::U8, vec![1 << 62]);
        let whole = Region::whole(&shape);
        checkpoint.index.tensors.insert("v".into(), Stored { role, element, shape, pieces: Vec::new() });
        let found = checkpoint.read("v", &whole).unwrap_err();
        assert_eq!(found.code, MEMORY);
        assert_eq!(found.message, "there is no memory for the 4611686018427387904 bytes of tensor `v`");
    }
}
