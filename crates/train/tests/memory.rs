//! Memory runs out while a checkpoint is written, at one allocation after another: the process may end, and no
//! checkpoint is lost.
//!
//! An allocation that fails ends a process at once, so each is tried in one of its own: this binary starts itself.
#![cfg(unix)]
#![expect(clippy::print_stdout, reason = "a test that measures says what it measured")]

use meshwright_train::checkpoint::{
    Checkpoint, Element, Origin, Owner, Piece, Region, Role, RunId, Snapshot, State, Store, Tensor, newest,
};
use meshwright_train::disk::Disk;
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::io;
use std::path::Path;
use std::process::{Command, Stdio};

thread_local! {
    /// Allocations of this thread until one fails; 0: none does.
    static LEFT: Cell<u64> = const { Cell::new(0) };
}

/// The system's memory, which has an end where it is told.
struct Ending;

fn is_out() -> bool {
    LEFT.with(|left| {
        let before = left.get();
        left.set(before.saturating_sub(1));
        before == 1
    })
}

// SAFETY: all is the system's allocator's, or the null that says that there is no memory.
unsafe impl GlobalAlloc for Ending {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's promise is handed on.
        if is_out() { std::ptr::null_mut() } else { unsafe { System.alloc(layout) } }
    }

    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        // SAFETY: as above.
        unsafe { System.dealloc(at, layout) }
    }

    unsafe fn realloc(&self, at: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: as above.
        if is_out() { std::ptr::null_mut() } else { unsafe { System.realloc(at, layout, size) } }
    }
}

#[global_allocator]
static ALLOCATOR: Ending = Ending;

const ROOT: &str = "MESHWRIGHT_TEST_MEMORY_ROOT";
const FAILS: &str = "MESHWRIGHT_TEST_MEMORY_FAILS";
/// Every how manyth allocation is tried: 1 for all, which takes a minute or more.
const EVERY: &str = "MESHWRIGHT_TEST_MEMORY_EVERY";

fn owner() -> Owner {
    Owner { run: RunId::parse("1f0c63d2a5b79e48").unwrap(), origin: Origin::Here }
}

fn snapshot(step: u64) -> Snapshot {
    let piece = |start: usize| Piece {
        region: Region { start: vec![start], shape: vec![2] },
        bytes: vec![step as u8; 8],
    };
    let pieces = vec![piece(0), piece(2)];
    let tensor =
        Tensor { name: "w".into(), role: Role::Weight, element: Element::F32, shape: vec![4], pieces };
    Snapshot { state: State { step, ..State::default() }, tensors: vec![tensor] }
}

/// The power stays on here.
struct Unsynced;

impl Disk for Unsynced {
    fn sync_file(&self, _: &Path) -> io::Result<()> {
        Ok(())
    }

    fn sync_dir(&self, _: &Path) -> io::Result<()> {
        Ok(())
    }
}

fn opened(root: &Path) -> Store {
    Store::on(root, 1, owner(), Box::new(Unsynced)).unwrap()
}

/// As a process of its own: writes the next checkpoint, and has so many allocations for it.
#[test]
#[ignore = "a process of another test"]
fn writes_with_an_end() {
    let [Ok(root), Ok(fails)] = [ROOT, FAILS].map(std::env::var) else { return };
    let store = opened(Path::new(&root));
    let snapshot = snapshot(store.steps().unwrap().last().unwrap() + 1);
    LEFT.with(|left| left.set(fails.parse().unwrap()));
    let written = store.write(&snapshot);
    let used = LEFT.with(|left| left.replace(0)) == 0;
    drop(store);
    std::process::exit(if written.is_err() { 3 } else { i32::from(used) });
}

fn child(root: &Path, fails: u64) -> std::process::ExitStatus {
    Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "writes_with_an_end", "--ignored"])
        .envs([(ROOT, root.as_os_str()), (FAILS, fails.to_string().as_ref())])
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .unwrap()
}

/// What is there is whole. Returns its step.
fn check(root: &Path) -> u64 {
    let path = newest(root, None).unwrap().expect("no checkpoint is left");
    let mut checkpoint = Checkpoint::open(&path).unwrap();
    checkpoint.verify().unwrap();
    let step = checkpoint.state().step;
    let whole = Region::whole(&[4]);
    assert_eq!(checkpoint.read("w", &whole).unwrap(), vec![step as u8; 16]);
    step
}

#[test]
fn no_allocation_that_fails_loses_a_checkpoint() {
    let root = std::env::temp_dir().join(format!("meshwright-memory-{}", std::process::id()));
    let _ = std::fs::remove_dir_all(&root);
    opened(&root).write(&snapshot(1)).unwrap();
    let (mut ended, mut said, mut written, mut step) = (0, 0, 0, 1);
    let every = std::env::var(EVERY).map_or(7, |every| every.parse().unwrap());
    for fails in (1..).step_by(every) {
        let status = child(&root, fails);
        let now = check(&root);
        match status.code() {
            // It had allocations left.
            Some(0) => {
                assert_eq!(now, step + 1);
                break;
            }
            Some(1) => {
                assert_eq!(now, step + 1);
                written += 1;
            }
            Some(3) => said += 1,
            Some(code) => panic!("allocation {fails}: exit code {code}"),
            None => ended += 1,
        }
        assert!([step, step + 1].contains(&now), "it was {step}, and is {now}");
        step = now;
        let store = opened(&root);
        assert!(store.notes().is_empty(), "{:?}", store.notes());
    }
    opened(&root).write(&snapshot(step + 2)).unwrap();
    assert_eq!(check(&root), step + 2);
    assert!(ended > 3, "{ended} ended, {said} said so, {written} were written all the same");
    println!(
        "of {} allocations {ended} ended the process, {said} were told, {written} did no harm",
        ended + said + written
    );
}
