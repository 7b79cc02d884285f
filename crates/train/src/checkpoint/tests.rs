//! Checkpoints come back in any cut, survive kills and full disks, and say so when they are damaged.

use super::*;
use crate::data::content::Content;
use crate::disk::{Disk, RealDisk, names_in};
use crate::lock::LOCK;
use meshwright_base::random::Random;
use std::fs;
use std::io;
use std::path::PathBuf;

fn directory(name: &str) -> PathBuf {
    let path = std::env::temp_dir().join(format!("meshwright-checkpoint-{}-{name}", std::process::id()));
    let _ = fs::remove_dir_all(&path);
    path
}

/// The run that writes here.
fn owner() -> Owner {
    Owner { run: RunId::parse("1f0c63d2a5b79e48").unwrap(), origin: Origin::Here }
}

/// What is in a directory but for its lock.
fn left(root: &Path) -> Vec<String> {
    names_in(root).unwrap().into_iter().filter(|name| name != LOCK).collect()
}

/// Element `n` of a tensor holds `n`.
fn numbers(shape: &[usize], region: &Region) -> Vec<u8> {
    let all: Vec<u8> = (0..shape.iter().product::<usize>() as u32).flat_map(u32::to_le_bytes).collect();
    let mut out = vec![0; region.shape.iter().product::<usize>() * 4];
    for run in Region::whole(shape).runs_into(region, 4) {
        out[run.to..run.to + run.bytes].copy_from_slice(&all[run.from as usize..][..run.bytes]);
    }
    out
}

/// A tensor cut into so many pieces per dim, the last ones smaller.
fn tensor(name: &str, role: Role, shape: &[usize], cuts: &[usize]) -> Tensor {
    let mut regions = vec![Region { start: vec![], shape: vec![] }];
    for (size, cut) in shape.iter().zip(cuts) {
        let each = size.div_ceil(*cut);
        let grow = |region: &Region, at: usize| {
            let start = at * each;
            let size = each.min(size.saturating_sub(start));
            Region {
                start: [&region.start[..], &[start]].concat(),
                shape: [&region.shape[..], &[size]].concat(),
            }
        };
        regions = regions.iter().flat_map(|region| (0..*cut).map(move |at| grow(region, at))).collect();
        regions.retain(|region| region.shape.last() != Some(&0));
    }
    let piece = |region: Region| Piece { bytes: numbers(shape, &region), region };
    let pieces = regions.into_iter().map(piece).collect();
    Tensor { name: name.into(), role, element: Element::F32, shape: shape.to_vec(), pieces }
}

fn snapshot(step: u64) -> Snapshot {
    let data = Position { drawn: 7, passed: vec![1, u64::MAX], offset: 3 };
    let contents = Contents {
        tokenizer: Some(Content::of("t.model", b"pieces")),
        files: vec![Content::of("a \"b\".txt", b"text"), Content::of("c", b"")],
    };
    let config = "[model]\nexperts = \"q\"\n".into();
    let state = State { run: Some(owner().run), step, data, contents, random: vec![5, 6], config };
    let tensors = vec![
        tensor("encoder.experts.wi", Role::Weight, &[8, 6, 5], &[4, 1, 2]),
        tensor("encoder.bias", Role::Weight, &[7], &[2]),
        tensor("encoder.bias.v", Role::Optimizer, &[7], &[1]),
        tensor("scale", Role::Weight, &[], &[]),
        Tensor { pieces: vec![], ..tensor("nothing", Role::Weight, &[0, 4], &[1, 1]) },
    ];
    Snapshot { state, tensors }
}

#[test]
fn weights_that_are_no_numbers_are_not_taken() {
    let store = Store::open(&directory("nan"), 3, owner()).unwrap();
    let mut broken = snapshot(5);
    broken.tensors[1].pieces[0].bytes[..4].copy_from_slice(&f32::NAN.to_le_bytes());
    let mut checkpoint = Checkpoint::open(&store.write(&broken).unwrap()).unwrap();
    let weights: &mut dyn Weights = &mut checkpoint;
    let said = weights.read("encoder.bias", &Region::whole(&[7])).unwrap_err().message;
    assert!(said.starts_with("`encoder.bias` of `") && said.contains("step-00000005`"), "{said}");
    assert!(said.ends_with("holds a NaN or an infinity: 1 of the 7 numbers read"), "{said}");
    weights.read("encoder.bias.v", &Region::whole(&[7])).unwrap();
}

#[test]
fn every_box_of_every_tensor_comes_back_whatever_the_cut() {
    let store = Store::open(&directory("cuts"), 3, owner()).unwrap();
    let path = store.write(&snapshot(5)).unwrap();
    let mut checkpoint = Checkpoint::open(&path).unwrap();
    assert_eq!(checkpoint.state(), &snapshot(5).state);
    let mut random = Random::new(1, 0);
    for tensor in snapshot(5).tensors {
        for _ in 0..50 {
            let start: Vec<usize> = tensor.shape.iter().map(|size| random.index(*size)).collect();
            let shape: Vec<usize> =
                tensor.shape.iter().zip(&start).map(|(size, start)| random.index(size - start + 1)).collect();
            let region = Region { start, shape };
            assert_eq!(checkpoint.read(&tensor.name, &region).unwrap(), numbers(&tensor.shape, &region));
        }
        let whole = Region::whole(&tensor.shape);
        assert_eq!(checkpoint.read(&tensor.name, &whole).unwrap(), numbers(&tensor.shape, &whole));
    }
    let outside = Region { start: vec![5], shape: vec![3] };
    assert!(
        checkpoint
            .read("encoder.bias", &outside)
            .unwrap_err()
            .message
            .contains("is [7] and has no box at [5]")
    );
    assert!(checkpoint.read("bias", &outside).unwrap_err().message.contains("no tensor `bias`"));
}

#[test]
fn an_export_has_every_weight_whole_under_its_name() {
    let path = Store::open(&directory("export"), 1, owner()).unwrap().write(&snapshot(5)).unwrap();
    let mut checkpoint = Checkpoint::open(&path).unwrap();
    for all in [false, true] {
        let mut file = Vec::new();
        let exported = export(&mut checkpoint, all, &mut file).unwrap();
        let length = safetensors::header_length(file[..8].try_into().unwrap(), file.len() as u64).unwrap();
        let (header, data) = file[8..].split_at(length as usize);
        let entries = safetensors::entries(header, data.len() as u64).unwrap();
        let expected: Vec<Tensor> =
            snapshot(5).tensors.into_iter().filter(|tensor| all || tensor.role == Role::Weight).collect();
        assert_eq!((exported.tensors, exported.bytes), (expected.len(), data.len() as u64));
        assert_eq!(entries.len(), expected.len());
        for tensor in expected {
            let entry = &entries[&tensor.name];
            assert_eq!((entry.element, &entry.shape), (tensor.element, &tensor.shape));
            let bytes = &data[entry.begin as usize..][..entry.bytes as usize];
            assert_eq!(bytes, numbers(&tensor.shape, &Region::whole(&tensor.shape)), "{}", tensor.name);
        }
    }
}

#[test]
fn only_the_newest_stay_and_none_is_overwritten() {
    let root = directory("keep");
    let store = Store::open(&root, 2, owner()).unwrap();
    [3, 10, 200].iter().for_each(|step| drop(store.write(&snapshot(*step)).unwrap()));
    assert_eq!(store.steps().unwrap(), [10, 200]);
    assert_eq!(store.newest().unwrap(), Some(root.join("step-00000200")));
    assert!(store.write(&snapshot(200)).unwrap_err().message.contains("step 200 already"));
    drop(store);
    fs::create_dir(root.join(".writing-00000300-1")).unwrap();
    assert_eq!(Store::open(&root, 2, owner()).unwrap().steps().unwrap(), [10, 200]);
    assert_eq!(left(&root), ["step-00000010", "step-00000200"]);
}

#[test]
fn whoever_reads_changes_nothing_and_keeps_what_it_reads() {
    let root = directory("readers");
    let store = Store::open(&root, 1, owner()).unwrap();
    store.write(&snapshot(1)).unwrap();
    store.write_share(&share(&snapshot(2), 0, 2), 0).unwrap();
    let before = names_in(&root).unwrap();
    assert!(before.iter().any(|name| name.starts_with(".writing-00000002-")), "{before:?}");
    let find = || super::with_newest(&root, None, Checkpoint::open).unwrap().unwrap();
    let mut reader = find();
    assert_eq!((steps(&root).unwrap(), names_in(&root).unwrap()), (vec![1], before));
    Store::join(&root, store.token(), owner().run).write_share(&share(&snapshot(2), 1, 2), 1).unwrap();
    store.show(2).unwrap();
    store.write(&snapshot(3)).unwrap();
    assert_eq!(store.steps().unwrap(), [1, 3], "what is read stays, beyond those to keep");
    reader.verify().unwrap();
    drop(reader);
    store.write(&snapshot(4)).unwrap();
    assert_eq!(left(&root), ["step-00000004"]);
    assert_eq!(find().state().step, 4);
    assert_eq!(newest(&root.join("nowhere"), None).unwrap(), None);
}

#[test]
fn one_run_writes_to_a_directory_at_a_time() {
    let root = directory("locked");
    let store = Store::open(&root, 1, owner()).unwrap();
    store.write_share(&share(&snapshot(1), 0, 2), 0).unwrap();
    let before = names_in(&root).unwrap();
    let Err(said) = Store::open(&root, 1, owner()) else { panic!("it was opened twice") };
    assert!(said.message.contains(&format!("in use by process {}", std::process::id())), "{}", said.message);
    assert_eq!(names_in(&root).unwrap(), before);
}

#[test]
fn what_lacks_a_file_is_set_aside_and_never_taken() {
    let root = directory("hollow");
    let store = Store::open(&root, 9, owner()).unwrap();
    (1..=5).for_each(|step| drop(store.write(&snapshot(step)).unwrap()));
    fs::remove_dir_all(store.path(5)).unwrap();
    fs::create_dir(store.path(5)).unwrap();
    fs::write(store.path(4).join("index.json"), "").unwrap();
    fs::remove_file(store.path(3).join("part-00000.safetensors")).unwrap();
    assert_eq!(newest(&root, None).unwrap(), Some(store.path(2)));
    assert_eq!(newer(&root, 2, None), [0; 0]);
    drop(store);
    fs::create_dir(root.join("hollow-00000005")).unwrap();
    let store = Store::open(&root, 9, owner()).unwrap();
    let aside = ["hollow-00000003", "hollow-00000004", "hollow-00000005", "hollow-00000005-2"];
    assert_eq!(left(&root), [&aside[..], &["step-00000001", "step-00000002"]].concat());
    let said = store.notes().join("\n");
    for words in [
        "it has no `part-00000.safetensors`",
        "its `index.json` is empty",
        "it has no `index.json`",
        "the newest other is of step 2: 3 steps are lost",
    ] {
        assert!(said.contains(words), "{said}");
    }
    store.write(&snapshot(3)).unwrap();
    assert_eq!(newest(&root, None).unwrap(), Some(store.path(3)));
}

/// A disk with room for so many bytes.
struct SmallDisk(std::sync::Mutex<usize>);

impl Disk for SmallDisk {
    fn write_new(&self, path: &Path, parts: &[&[u8]], _: Option<fs::Permissions>) -> io::Result<()> {
        let mut room = self.0.lock().unwrap();
        let bytes: usize = parts.iter().map(|part| part.len()).sum();
        let written = parts.concat()[..bytes.min(*room)].to_vec();
        fs::write(path, &written)?;
        *room -= written.len();
        if written.len() < bytes { Err(io::ErrorKind::StorageFull.into()) } else { Ok(()) }
    }
}

/// A disk that gives a directory another name before one of the changes.
struct MovingDisk {
    root: PathBuf,
    /// Changes until then.
    left: std::sync::Mutex<usize>,
}

impl MovingDisk {
    fn step(&self) {
        let mut left = self.left.lock().unwrap();
        *left = left.saturating_sub(1);
        if *left == 0 && self.root.is_dir() {
            fs::rename(&self.root, aside(&self.root)).unwrap();
        }
    }
}

fn aside(root: &Path) -> PathBuf {
    root.with_extension("moved")
}

impl Disk for MovingDisk {
    fn create_dir(&self, path: &Path) -> io::Result<()> {
        self.step();
        RealDisk.create_dir(path)
    }

    fn write_new(&self, path: &Path, parts: &[&[u8]], like: Option<fs::Permissions>) -> io::Result<()> {
        self.step();
        RealDisk.write_new(path, parts, like)
    }

    fn sync_dir(&self, path: &Path) -> io::Result<()> {
        self.step();
        RealDisk.sync_dir(path)
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        self.step();
        RealDisk.rename(from, to)
    }

    fn remove_file(&self, path: &Path) -> io::Result<()> {
        self.step();
        RealDisk.remove_file(path)
    }

    fn remove_dir_all(&self, path: &Path) -> io::Result<()> {
        self.step();
        RealDisk.remove_dir_all(path)
    }
}

#[test]
fn a_directory_that_moves_between_any_two_changes_is_the_cause_of_the_error() {
    let root = directory("moving");
    let mut moves = 0;
    for left in 1.. {
        let _ = (fs::remove_dir_all(&root), fs::remove_dir_all(aside(&root)));
        Store::open(&root, 1, owner()).unwrap().write(&snapshot(1)).unwrap();
        let disk = MovingDisk { root: root.clone(), left: (left + 1).into() };
        let store = Store::on(&root, 1, owner(), Box::new(disk)).unwrap();
        let written = store.write(&snapshot(2));
        if root.is_dir() {
            written.unwrap();
            break;
        }
        moves += 1;
        if let Err(error) = written {
            assert_eq!(error.code, crate::anchor::MOVED, "after {left} changes: {}", error.message);
        }
        drop(store);
        fs::rename(aside(&root), &root).unwrap();
        let step = newest(&root, None).unwrap().expect("a checkpoint is left");
        assert!(super::Checkpoint::open(&step).is_ok(), "after {left} changes");
    }
    assert!(moves > 5, "{moves}");
}

#[test]
fn a_full_disk_is_told_and_leaves_everything_as_it_was() {
    let root = directory("full");
    let before = Store::open(&root, 1, owner()).unwrap().write(&snapshot(1)).unwrap();
    for room in (0..3000).step_by(97) {
        let store = Store::on(&root, 1, owner(), Box::new(SmallDisk(room.into()))).unwrap();
        let found = store.write(&snapshot(2)).unwrap_err();
        assert!(found.message.starts_with("cannot write the 1"), "{}", found.message);
        assert_eq!(left(&root), ["step-00000001"]);
        Checkpoint::open(&before).unwrap().verify().unwrap();
    }
}

#[test]
fn no_flipped_byte_and_no_cut_goes_unseen() {
    let root = directory("broken");
    let path = Store::open(&root, 1, owner()).unwrap().write(&snapshot(1)).unwrap();
    let check = || Checkpoint::open(&path).and_then(|mut checkpoint| checkpoint.verify());
    check().unwrap();
    let mut random = Random::new(4, 0);
    for name in ["index.json", "part-00000.safetensors"] {
        let file = path.join(name);
        let good = fs::read(&file).unwrap();
        for at in (0..good.len()).step_by(13) {
            let mut bad = good.clone();
            bad[at] ^= 1 << random.index(8);
            fs::write(&file, &bad).unwrap();
            let found = check().unwrap_err();
            assert!(found.help.is_some() && !found.message.is_empty());
        }
        for _ in 0..100 {
            fs::write(&file, &good[..random.index(good.len())]).unwrap();
            assert!(check().is_err());
        }
        fs::write(&file, [&good[..], b"x"].concat()).unwrap();
        assert!(check().is_err());
        fs::write(&file, &good).unwrap();
        check().unwrap();
    }
    fs::remove_file(path.join("part-00000.safetensors")).unwrap();
    assert!(check().unwrap_err().message.starts_with("cannot read"));
}

/// Random changes with checksums made right again: the reader must refuse or read, and never panic.
#[test]
fn an_index_that_lies_is_refused_or_read_without_panic() {
    let root = directory("lies");
    let path = Store::open(&root, 1, owner()).unwrap().write(&snapshot(1)).unwrap();
    let file = path.join("index.json");
    let good = fs::read_to_string(&file).unwrap();
    let inner = good.split_once("\"index\": ").unwrap().1.strip_suffix("}\n").unwrap().to_string();
    let mut random = Random::new(8, 0);
    let mut read = 0;
    for _ in 0..600 {
        let mut bytes = inner.clone().into_bytes();
        let digits: Vec<usize> = (0..bytes.len()).filter(|at| bytes[*at].is_ascii_digit()).collect();
        let at = *random.choose(&digits).unwrap();
        bytes[at] = b'0' + random.index(10) as u8;
        let sum = crate::checksum::checksum(&bytes);
        let text =
            format!("{{\"checksum\": \"{sum:08x}\", \"index\": {}}}\n", String::from_utf8(bytes).unwrap());
        fs::write(&file, text).unwrap();
        let Ok(mut checkpoint) = Checkpoint::open(&path) else { continue };
        let wanted: Vec<(String, Vec<usize>)> =
            checkpoint.tensors().map(|(name, _, _, shape)| (name.to_string(), shape.to_vec())).collect();
        let all = wanted.iter().all(|(name, shape)| checkpoint.read(name, &Region::whole(shape)).is_ok());
        read += usize::from(all);
    }
    assert!(read < 500, "{read}");
}

#[test]
fn what_is_no_checkpoint_is_told() {
    let root = directory("foreign");
    fs::create_dir_all(&root).unwrap();
    assert!(Checkpoint::open(&root).unwrap_err().message.starts_with("cannot read"));
    fs::write(root.join("index.json"), "{\"weight_map\": {}}").unwrap();
    assert_eq!(Checkpoint::open(&root).unwrap_err().code, FOREIGN);
    fs::write(root.join("file"), "").unwrap();
    assert!(Store::open(&root.join("file"), 1, owner()).is_err());
}

#[test]
fn weights_are_taken_by_name_and_the_rest_is_reported() {
    let path = Store::open(&directory("init"), 1, owner()).unwrap().write(&snapshot(1)).unwrap();
    let checkpoint = Checkpoint::open(&path).unwrap();
    let want = |name: &str, shape: &[usize]| Wanted {
        name: name.into(),
        element: Element::F32,
        shape: shape.to_vec(),
    };
    let wanted = [
        want("scale", &[]),
        want("encoder.bias", &[8]),
        want("decoder.bias", &[7]),
        want("encoder.bias.v", &[7]),
    ];
    let report = plan_init(&wanted, &checkpoint);
    let summary = "took 1 of 4 weights, 2 begin fresh, 1 differ and begin fresh, 2 are not used";
    assert_eq!(report.summary(), summary);
    assert_eq!(
        report.to_string(),
        "2 begin fresh:\n  decoder.bias\n  encoder.bias.v\n1 differ and begin fresh:\n  \
         encoder.bias: F32 [7] there, F32 [8] wanted\n2 are not used:\n  encoder.experts.wi\n  nothing\n"
    );
}

#[test]
fn a_background_writer_writes_all_and_passes_errors_on() {
    let root = directory("background");
    let background = Background::new(Store::open(&root, 2, owner()).unwrap());
    let mut done = Vec::new();
    for step in [1, 2, 3, 3] {
        background.submit(Job::Whole(snapshot(step)));
        done.extend(background.finished());
    }
    done.extend(background.idle());
    assert_eq!(done.iter().filter(|done| matches!(done, Done::Shown(Ok(_)))).count(), 3);
    let Some(Done::Shown(Err(last))) = done.get(3) else { panic!("{done:?}") };
    assert!(last.message.contains("already"));
    assert!(background.idle().is_empty());
    // What was handed over is written although nobody listens any more.
    background.submit(Job::Whole(snapshot(4)));
    drop(background);
    assert_eq!(Store::open(&root, 2, owner()).unwrap().steps().unwrap(), [3, 4]);
    fs::remove_dir_all(root.join("step-00000004")).unwrap();
    drop(Store::open(&root, 2, owner()).unwrap().write(&snapshot(2)).unwrap());
    assert_eq!(Store::open(&root, 2, owner()).unwrap().steps().unwrap(), [2, 3]);
}

#[test]
fn a_snapshot_that_does_not_add_up_is_not_written() {
    let root = directory("wrong");
    let store = Store::open(&root, 1, owner()).unwrap();
    let with = |change: &dyn Fn(&mut Snapshot)| {
        let mut wrong = snapshot(1);
        change(&mut wrong);
        store.write(&wrong).unwrap_err().message
    };
    assert!(with(&|s| drop(s.tensors[0].pieces.pop())).contains("do not tile its 240"));
    assert!(with(&|s| s.tensors[1].name = "scale".into()).contains("two tensors"));
    assert!(with(&|s| s.tensors[1].name = "a#1".into()).contains("a `#`"));
    assert!(with(&|s| s.tensors[1].pieces[0].bytes.push(0)).contains("has 17 bytes"));
    assert_eq!(left(&root), [""; 0]);
}

/// Writes checkpoints until it is killed; only [`a_run_killed_at_any_moment_leaves_whole_checkpoints`] runs it, as a
/// process.
#[test]
#[ignore = "a process of another test"]
fn writes_without_end() {
    let Some(root) = std::env::var_os("MESHWRIGHT_TEST_ROOT") else { return };
    let store = Store::open(Path::new(&root), 2, owner()).unwrap();
    let first = store.steps().unwrap().last().map_or(1, |step| step + 1);
    (first..first + 1_000_000).for_each(|step| drop(store.write(&snapshot(step)).unwrap()));
}

#[test]
fn a_run_killed_at_any_moment_leaves_whole_checkpoints() {
    let root = directory("kill");
    let mut newest = 0;
    // Beside the two that are kept: what was killed before it took away an old one leaves one more.
    let mut left_over = 0;
    for round in 0..20 {
        let mut child = std::process::Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "checkpoint::tests::writes_without_end", "--ignored"])
            .env("MESHWRIGHT_TEST_ROOT", &root)
            .stdout(std::process::Stdio::null())
            .spawn()
            .unwrap();
        let some_time = Random::new(9, round).between(5, 120);
        std::thread::sleep(std::time::Duration::from_millis(some_time));
        child.kill().unwrap();
        child.wait().unwrap();
        let store = Store::open(&root, 2, owner()).unwrap();
        let steps = store.steps().unwrap();
        assert!(steps.len() <= 3 + left_over && steps.last().copied().unwrap_or(0) >= newest, "{steps:?}");
        left_over = steps.len().saturating_sub(2);
        newest = steps.last().copied().unwrap_or(0);
        steps.iter().for_each(|step| Checkpoint::open(&store.path(*step)).unwrap().verify().unwrap());
    }
    assert!(newest > 0, "no round wrote anything");
}

/// What the `rank`-th of `ranks` processes has of a snapshot: every so many pieces.
fn share(whole: &Snapshot, rank: usize, ranks: usize) -> Snapshot {
    let mut share = whole.clone();
    let mut number = 0;
    for tensor in &mut share.tensors {
        tensor.pieces.retain(|_| {
            number += 1;
            number % ranks == rank
        });
    }
    share
}

#[test]
fn shares_of_several_processes_are_one_checkpoint() {
    let (root, whole) = (directory("shares"), snapshot(5));
    let store = Store::open(&root, 1, owner()).unwrap();
    store.write(&snapshot(4)).unwrap();
    for rank in [2, 0, 1] {
        Store::join(&root, store.token(), owner().run)
            .write_share(&share(&whole, rank, 3), rank * 2)
            .unwrap();
        assert_eq!(store.steps().unwrap(), [4], "it is not seen before all are there");
    }
    let path = store.show(5).unwrap();
    assert_eq!(store.steps().unwrap(), [5]);
    let mut names: Vec<_> =
        fs::read_dir(&path).unwrap().map(|one| one.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    let part = |first: usize| format!("part-{first:05}.safetensors");
    assert_eq!(names, ["index.json".to_string(), part(0), part(2), part(4)]);
    let mut checkpoint = Checkpoint::open(&path).unwrap();
    checkpoint.verify().unwrap();
    assert_eq!(checkpoint.state(), &whole.state);
    for tensor in &whole.tensors {
        let all = Region::whole(&tensor.shape);
        assert_eq!(checkpoint.read(&tensor.name, &all).unwrap(), numbers(&tensor.shape, &all));
    }
}

#[test]
fn shares_that_do_not_make_a_whole_are_told_and_nothing_is_left() {
    let (root, whole) = (directory("half"), snapshot(5));
    let store = Store::open(&root, 1, owner()).unwrap();
    let left = || left(&root).len();
    assert!(store.show(5).is_err());
    store.write_share(&share(&whole, 0, 2), 0).unwrap();
    let said = store.show(5).unwrap_err();
    assert!(
        said.message.contains("do not tile its")
            && said.help.is_some_and(|help| help.contains("all ranks see"))
    );
    assert_eq!(left(), 0);
    // The same piece twice, and two that differ about the run.
    store.write_share(&whole, 0).unwrap();
    store.write_share(&share(&whole, 0, 2), 1).unwrap();
    assert!(store.show(5).unwrap_err().message.contains("do not tile its"));
    store.write_share(&share(&whole, 0, 2), 0).unwrap();
    let mut other = share(&whole, 1, 2);
    other.state.data.drawn += 1;
    store.write_share(&other, 1).unwrap();
    assert!(store.show(5).unwrap_err().message.contains("of different states"));
    store.write_share(&share(&whole, 0, 2), 0).unwrap();
    store.drop_hidden(5);
    assert_eq!(left(), 0);
    let nowhere = Store::join(&root.join("nowhere"), 0, owner().run).write_share(&whole, 0).unwrap_err();
    assert!(nowhere.message.contains("this rank does not see it"), "{}", nowhere.message);
}

#[test]
fn only_what_is_read_is_checked() {
    let path = Store::open(&directory("pieces"), 1, owner()).unwrap().write(&snapshot(1)).unwrap();
    let file = path.join("part-00000.safetensors");
    let mut bytes = fs::read(&file).unwrap();
    // The last tensor of the file.
    let last = bytes.len() - 1;
    bytes[last] ^= 1;
    fs::write(&file, &bytes).unwrap();
    let mut checkpoint = Checkpoint::open(&path).unwrap();
    let all = Region::whole(&[7]);
    assert_eq!(checkpoint.read("encoder.bias", &all).unwrap(), numbers(&[7], &all));
    let said = checkpoint.read("scale", &Region::whole(&[])).unwrap_err().message;
    assert!(said.contains("is damaged: the checksum of `scale` is "), "{said}");
    assert!(checkpoint.verify().unwrap_err().message.contains("is damaged: its checksum is "));
}

#[test]
fn a_checkpoint_without_sums_of_pieces_is_checked_by_files() {
    let path = Store::open(&directory("older"), 1, owner()).unwrap().write(&snapshot(1)).unwrap();
    let index = path.join("index.json");
    let mut older = super::index::read_index(&path).unwrap();
    older.tensors.values_mut().flat_map(|tensor| &mut tensor.pieces).for_each(|piece| piece.sum = None);
    fs::write(&index, older.write()).unwrap();
    let all = Region::whole(&[7]);
    let read = || Checkpoint::open(&path).unwrap().read("encoder.bias", &all);
    assert_eq!(read().unwrap(), numbers(&[7], &all));
    let file = path.join("part-00000.safetensors");
    let mut bytes = fs::read(&file).unwrap();
    let last = bytes.len() - 1;
    bytes[last] ^= 1;
    fs::write(&file, &bytes).unwrap();
    assert!(read().unwrap_err().message.contains("is damaged: its checksum is "));
}

#[test]
fn a_directory_of_another_run_is_refused_and_what_moves_in_later_stays() {
    let (root, elsewhere) = (directory("owned"), directory("owned-elsewhere"));
    let store = Store::open(&root, 1, owner()).unwrap();
    store.write(&snapshot(1)).unwrap();
    let other = Owner { run: RunId::parse("84c0e1b2f7a6d935").unwrap(), origin: Origin::Here };
    let theirs = Store::open(&elsewhere, 9, other).unwrap().write(&snapshot(2)).unwrap();
    drop(store);
    let before = left(&root);
    let refused = |owner: Owner| Store::open(&root, 1, owner).err().unwrap().message;
    assert!(refused(other).contains("holds checkpoints of another run, 1f0c63d2a5b79e48: `step-00000001`"));
    for origin in [Origin::Nothing, Origin::Elsewhere] {
        let said = refused(Owner { origin, ..owner() });
        assert!(said.contains("of this run that it does not resume from"), "{said}");
    }
    assert_eq!(left(&root), before);
    let store = Store::open(&root, 1, owner()).unwrap();
    fs::rename(&theirs, store.path(2)).unwrap();
    [3, 4].iter().for_each(|step| drop(store.write(&snapshot(*step)).unwrap()));
    assert_eq!(left(&root), ["step-00000002", "step-00000004"]);
    assert_eq!(store.newest().unwrap(), Some(store.path(4)));
    // One that takes the place of an own one stays as well.
    fs::remove_dir_all(store.path(4)).unwrap();
    fs::rename(store.path(2), store.path(4)).unwrap();
    store.write(&snapshot(5)).unwrap();
    assert_eq!(left(&root), ["step-00000004", "step-00000005"]);
}

/// A disk that takes no new names.
struct NamelessDisk;

impl Disk for NamelessDisk {
    fn rename(&self, _: &Path, _: &Path) -> io::Result<()> {
        Err(io::ErrorKind::PermissionDenied.into())
    }
}

#[test]
fn a_disk_that_refuses_is_named_with_its_path() {
    let root = directory("refusing");
    let path = Store::open(&root, 2, owner()).unwrap().write(&snapshot(1)).unwrap();
    let nameless = || Store::on(&root, 2, owner(), Box::new(NamelessDisk));
    let said = nameless().unwrap().write(&snapshot(2)).unwrap_err().message;
    assert!(said.contains("step-00000002`: permission denied"), "{said}");
    // A checkpoint without its index is set aside, which needs a name.
    fs::remove_file(path.join("index.json")).unwrap();
    let said = nameless().err().unwrap().message;
    assert!(said.contains("hollow-00000001`: permission denied"), "{said}");
    let small = Store::on(&root, 2, owner(), Box::new(SmallDisk(9.into()))).unwrap();
    let said = small.write_share(&share(&snapshot(3), 0, 2), 0).unwrap_err().message;
    assert!(said.contains("step-00000003`: no storage space"), "{said}");
    // A file in the place of the directory.
    let file = root.join("file");
    fs::write(&file, "").unwrap();
    assert!(steps(&file).unwrap_err().message.contains("file`: "));
    assert!(Store::open(&file, 1, owner()).is_err());
}

#[test]
fn shares_that_lack_a_file_or_differ_about_a_tensor_are_refused() {
    let (root, whole) = (directory("lacking"), snapshot(5));
    let store = Store::open(&root, 1, owner()).unwrap();
    let write = || store.write_share(&share(&whole, 0, 2), 0).unwrap();
    let without = |begins: &str| {
        let names = names_in(&root).unwrap();
        let hidden = names.iter().find(|name| name.starts_with(".writing-")).unwrap();
        let files = names_in(&root.join(hidden)).unwrap();
        files
            .iter()
            .filter(|name| name.starts_with(begins))
            .for_each(|name| fs::remove_file(root.join(hidden).join(name)).unwrap());
        store.show(5).unwrap_err().message
    };
    write();
    assert!(without("share-").ends_with("no rank has written there"));
    write();
    store.write_share(&share(&whole, 1, 2), 1).unwrap();
    assert!(without("part-00001").ends_with("`part-00001.safetensors` is not there"));
    write();
    let mut other = share(&whole, 1, 2);
    other.tensors[0].shape.push(1);
    other.tensors[0].pieces.clear();
    store.write_share(&other, 1).unwrap();
    let said = store.show(5).unwrap_err().message;
    assert!(said.ends_with("its shares differ about tensor `encoder.experts.wi`"), "{said}");
}

#[test]
fn an_index_of_foreign_paths_or_too_many_pieces_is_refused() {
    let path = Store::open(&directory("foreign"), 1, owner()).unwrap().write(&snapshot(1)).unwrap();
    let mut index = super::index::read_index(&path).unwrap();
    index.files.insert("../weights".into(), (0, 0));
    assert_eq!(index.check().unwrap_err(), "the file name `../weights`");
    let dot = Region { start: vec![0], shape: vec![0] };
    let said = super::index::covers(&[0], &vec![&dot; 8193]).unwrap_err();
    assert_eq!(said, "8193 pieces, and at most 8192 are allowed");
}

#[test]
fn a_file_that_shrinks_and_a_checkpoint_that_goes_while_they_are_read_are_named() {
    let path = Store::open(&directory("shrinking"), 1, owner()).unwrap().write(&snapshot(1)).unwrap();
    let mut checkpoint = Checkpoint::open(&path).unwrap();
    checkpoint.verify().unwrap();
    fs::File::options().write(true).open(path.join("part-00000.safetensors")).unwrap().set_len(9).unwrap();
    let said = checkpoint.read("encoder.bias", &Region::whole(&[7])).unwrap_err().message;
    assert!(said.contains("part-00000.safetensors`: "), "{said}");
    drop(checkpoint);
    let removing = Kept::alone(&path).unwrap();
    assert!(Kept::reading(&path).unwrap_err().message.contains("step-00000001`: "));
    drop(removing);
}

#[test]
fn an_export_to_a_full_disk_is_an_error() {
    let path = Store::open(&directory("full-export"), 1, owner()).unwrap().write(&snapshot(5)).unwrap();
    let mut checkpoint = Checkpoint::open(&path).unwrap();
    let mut whole = Vec::new();
    export(&mut checkpoint, true, &mut whole).unwrap();
    for room in [0, 9, whole.len() - 1] {
        let mut room = vec![0; room];
        let said = export(&mut checkpoint, true, &mut room.as_mut_slice()).unwrap_err().message;
        assert!(said.starts_with("cannot write the weights: "), "{said}");
    }
}

#[test]
fn a_run_that_begins_refuses_what_is_left_of_another() {
    let root = directory("left");
    fs::create_dir_all(root.join("step-00000007")).unwrap();
    let begins = Owner { origin: Origin::Nothing, ..owner() };
    let said = Store::open(&root, 1, begins).err().unwrap().message;
    assert!(said.ends_with("holds checkpoints of another run: `step-00000007`"), "{said}");
    let said = super::misplaced(&root.join("step-00000007"), Path::new("runs/a")).message;
    assert!(said.ends_with("is a checkpoint of another run than that of `runs/a`"), "{said}");
}
