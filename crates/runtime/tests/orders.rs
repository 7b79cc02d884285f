//! Launches in every order of steps that a scheduler thinks of: nobody waits for ever, everything is there when it is
//! read.
//!
//! Run by `cargo xtask shuttle`. `SCHEDULES=N` tries more orders; `SEED=N` others.
#![cfg(shuttle)]

use meshwright_base::{Id, IdMap};
use meshwright_ir::op::CollectiveKind;
use meshwright_ir::{DType, TensorType};
use meshwright_runtime::{
    Collectives, DeviceId, DeviceMemory, Event, Executable, Join, Joining, LoadOptions, Loaded, MemoryPlan,
    Program, ResultPlace, RunError, RunErrorKind, Site, SiteId, StepInfo, StepOrder, Task, Workers,
};
use meshwright_shard::Reducer;
use shuttle::scheduler::{PctScheduler, RandomScheduler};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

/// Elements of an array: each is written by a piece of its own.
const LEN: usize = 3;
const ROUNDS: usize = 2;
/// Where results lie in an arena.
const RESULTS: usize = 64;

/// Devices that write their numbers, add them up with all others, and look at the sums, again and again.
struct Sums {
    devices: usize,
    /// One that ends after its first round.
    leaves: Option<usize>,
    sites: IdMap<SiteId, Site>,
    memory: MemoryPlan,
}

struct Adder {
    device: usize,
    devices: usize,
    rounds: usize,
    round: usize,
    memory: DeviceMemory,
}

/// An address that crosses to helpers.
struct At(*mut f32);
// SAFETY: every piece writes an element of its own.
unsafe impl Sync for At {}

impl At {
    fn put(&self, at: usize, value: f32) {
        // SAFETY: the arena has `LEN` elements.
        unsafe { self.0.add(at).write(value) }
    }
}

/// What device `device` adds in a round.
fn number(device: usize, round: usize, at: usize) -> f32 {
    (100 * round + 10 * device + at) as f32
}

impl Adder {
    fn check(&self) {
        let Some(before) = self.round.checked_sub(1) else { return };
        for at in 0..LEN {
            let sum: f32 = (0..self.devices).map(|device| number(device, before, at)).sum();
            // SAFETY: the collective has written the results.
            let found = unsafe { self.memory.arena.add(RESULTS).cast::<f32>().add(at).read() };
            assert_eq!(found, sum, "device {} round {before}", self.device);
        }
    }
}

impl Task for Adder {
    fn resume(&mut self, workers: &dyn Workers) -> Result<Event, RunError> {
        self.check();
        if self.round == self.rounds {
            return Ok(Event::Done);
        }
        let (own, round, device) = (At(self.memory.arena.cast()), self.round, self.device);
        workers.each(LEN, &|at| own.put(at, number(device, round, at)));
        self.round += 1;
        let operands = vec![self.memory.arena.cast_const()];
        let results = vec![self.memory.arena.wrapping_add(RESULTS)];
        Ok(Event::Join(Join { site: Id::from_index(round % 2), operands, results }))
    }

    fn position(&self) -> usize {
        self.round
    }
}

impl Program for Sums {
    fn params(&self) -> &[TensorType] {
        &[]
    }
    fn results(&self) -> &[TensorType] {
        &[]
    }
    fn donated(&self) -> &[bool] {
        &[]
    }
    fn result_places(&self) -> &[ResultPlace] {
        &[]
    }
    fn sites(&self) -> &IdMap<SiteId, Site> {
        &self.sites
    }
    fn memory(&self) -> &MemoryPlan {
        &self.memory
    }
    fn steps(&self) -> &[StepInfo] {
        &[]
    }
    fn order(&self) -> &[StepOrder] {
        &[]
    }
    fn start(&self, device: DeviceId, memory: DeviceMemory) -> Box<dyn Task + '_> {
        let device = device.index();
        let rounds = if self.leaves == Some(device) { 1 } else { ROUNDS };
        Box::new(Adder { device, devices: self.devices, rounds, round: 0, memory })
    }
}

/// Joins at once, or when asked for the second time: as over a network.
struct Exchange {
    is_late: bool,
    under_way: Mutex<BTreeMap<u64, (usize, Site, Vec<Join>)>>,
}

fn join(site: &Site, members: &[Join], workers: &dyn Workers) -> Result<(), RunError> {
    let operands: Vec<_> = members.iter().map(|member| &member.operands[..]).collect();
    let results: Vec<_> = members.iter().map(|member| Some(&member.results[..])).collect();
    meshwright_runtime::collective::join_group(site, 0, &operands, &results, workers)
}

impl Collectives for Exchange {
    fn start(&self, joining: Joining<'_>, workers: &dyn Workers) -> Result<Option<u64>, RunError> {
        let members: Vec<Join> = joining.members.into_iter().flatten().collect();
        if !self.is_late {
            return join(joining.site, &members, workers).map(|()| None);
        }
        let mut under_way = self.under_way.lock().unwrap();
        let ticket = under_way.len() as u64;
        under_way.insert(ticket, (0, joining.site.clone(), members));
        Ok(Some(ticket))
    }

    fn poll(&self, ticket: u64, workers: &dyn Workers) -> Result<bool, RunError> {
        let mut under_way = self.under_way.lock().unwrap();
        let (asked, site, members) = under_way.get_mut(&ticket).unwrap();
        *asked += 1;
        if *asked < 2 {
            return Ok(false);
        }
        let (site, members) = (site.clone(), std::mem::take(members));
        // Helpers may take turns while it is joined.
        drop(under_way);
        join(&site, &members, workers).map(|()| true)
    }
}

fn launch(devices: usize, leaves: Option<usize>, workers: usize, is_late: bool) -> Result<(), RunError> {
    let ty = TensorType::new(DType::F32, [LEN as i64]);
    let site = |name: &str| Site {
        name: name.to_string(),
        kind: CollectiveKind::AllReduce,
        groups: vec![(0..devices).map(Id::from_index).collect()],
        operands: vec![ty.clone()],
        results: vec![ty.clone()],
        reducer: Some(Reducer::Sum),
        wide: None,
    };
    let sites = [site("first"), site("second")].into_iter().collect();
    let memory = MemoryPlan { arena: 128, ..MemoryPlan::default() };
    let program = Arc::new(Sums { devices, leaves, sites, memory });
    let ids = (0..devices).map(Id::from_index).collect();
    let exchange = Arc::new(Exchange { is_late, under_way: Mutex::default() });
    let mut loaded = Loaded::new(program, 0, ids, workers, exchange, &LoadOptions::default())?;
    // Twice: the second time members that wait are called again.
    loaded.launch(Vec::new(), None)?;
    loaded.launch(Vec::new(), None).map(drop)
}

/// Try orders of steps at random, and such with few changes from one thread to another, which find what is rare.
fn in_any_order(test: impl Fn() + Send + Sync + 'static) {
    let number = |name: &str, usual| std::env::var(name).ok().and_then(|n| n.parse().ok()).unwrap_or(usual);
    let (count, seed) = (number("SCHEDULES", 1000), number("SEED", 16));
    let test = Arc::new(move || {
        test();
        meshwright_runtime::dismiss();
    });
    let again = test.clone();
    let random = RandomScheduler::new_from_seed(seed, count as usize);
    shuttle::Runner::new(random, shuttle::Config::default()).run(move || again());
    let few = PctScheduler::new_from_seed(seed, 3, count as usize);
    shuttle::Runner::new(few, shuttle::Config::default()).run(move || test());
}

#[test]
fn devices_that_meet_see_their_sums() {
    for workers in 2..4 {
        in_any_order(move || assert_eq!(launch(2, None, workers, false), Ok(())));
    }
    in_any_order(|| assert_eq!(launch(3, None, 2, false), Ok(())));
}

#[test]
fn what_is_exchanged_with_others_is_asked_for_until_it_is_there() {
    for workers in 2..4 {
        in_any_order(move || assert_eq!(launch(2, None, workers, true), Ok(())));
    }
}

#[test]
fn a_device_that_leaves_early_is_a_deadlock_and_no_hang() {
    for (workers, is_late) in [(2, false), (3, false), (2, true)] {
        in_any_order(move || {
            let error = launch(2, Some(1), workers, is_late).unwrap_err();
            assert_eq!((error.kind, error.device), (RunErrorKind::Deadlock, Some(Id::from_index(0))));
        });
    }
}
