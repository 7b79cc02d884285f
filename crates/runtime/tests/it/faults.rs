//! What happens when devices do not meet, or break: an error at once that says who and where.

use meshwright_base::{Id, IdMap};
use meshwright_ir::op::CollectiveKind;
use meshwright_ir::{DType, TensorType};
use meshwright_runtime::{
    Collectives, DeviceId, DeviceMemory, Event, Executable, Join, Joining, LoadOptions, Loaded, MemoryPlan,
    Program, ResultPlace, RunError, RunErrorKind, Site, SiteId, StepInfo, StepOrder, Task, Workers,
};
use meshwright_shard::Reducer;
use std::sync::Arc;

/// What each device does, step by step: `Some(site)` joins, `None` panics. Joining `SLOW` takes a while first.
struct Script {
    devices: Vec<Vec<Option<usize>>>,
    sites: IdMap<SiteId, Site>,
    memory: MemoryPlan,
}

struct Actor<'p> {
    script: &'p [Option<usize>],
    at: usize,
    memory: DeviceMemory,
}

impl Task for Actor<'_> {
    fn resume(&mut self, workers: &dyn Workers) -> Result<Event, RunError> {
        workers.each(3, &|_| {});
        let Some(step) = self.script.get(self.at) else { return Ok(Event::Done) };
        self.at += 1;
        let mut site = step.expect("the script says so");
        if site >= SLOW {
            std::thread::sleep(std::time::Duration::from_millis(200));
            site -= SLOW;
        }
        let (operands, results) =
            (vec![self.memory.arena.cast_const()], vec![self.memory.arena.wrapping_add(64)]);
        Ok(Event::Join(Join { site: Id::from_index(site), operands, results }))
    }

    fn position(&self) -> usize {
        self.at.saturating_sub(1)
    }
}

impl Program for Script {
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
        Box::new(Actor { script: &self.devices[device.index()], at: 0, memory })
    }
}

const SLOW: usize = 100;

struct InMemory;

impl Collectives for InMemory {
    fn start(&self, joining: Joining<'_>, workers: &dyn Workers) -> Result<Option<u64>, RunError> {
        let members: Vec<&Join> = joining.members.iter().flatten().collect();
        let operands: Vec<_> = members.iter().map(|member| &member.operands[..]).collect();
        let results: Vec<_> = members.iter().map(|member| Some(&member.results[..])).collect();
        meshwright_runtime::collective::join_group(
            joining.site,
            joining.group,
            &operands,
            &results,
            workers,
        )?;
        Ok(None)
    }
    fn poll(&self, _: u64, _: &dyn Workers) -> Result<bool, RunError> {
        Ok(true)
    }
}

fn launch(devices: Vec<Vec<Option<usize>>>, workers: usize) -> Result<(), RunError> {
    let count = devices.len();
    let ty = TensorType::new(DType::F32, [4]);
    let site = |name: &str| Site {
        name: name.to_string(),
        kind: CollectiveKind::AllReduce,
        groups: vec![(0..count).map(Id::from_index).collect()],
        operands: vec![ty.clone()],
        results: vec![ty.clone()],
        reducer: Some(Reducer::Sum),
        wide: None,
    };
    let sites = [site("first"), site("second")].into_iter().collect();
    let memory = MemoryPlan { arena: 128, ..MemoryPlan::default() };
    let program = Arc::new(Script { devices, sites, memory });
    let ids = (0..count).map(Id::from_index).collect();
    let mut loaded = Loaded::new(program, 0, ids, workers, Arc::new(InMemory), &LoadOptions::default())?;
    loaded.launch(Vec::new(), None).map(|_| ())
}

#[test]
fn devices_that_meet_go_on_for_any_number_of_workers() {
    for workers in 1..6 {
        for _ in 0..50 {
            assert_eq!(launch(vec![vec![Some(0), Some(1), Some(0)]; 5], workers), Ok(()));
        }
    }
}

#[test]
fn devices_that_wait_at_different_collectives_are_told_apart() {
    for workers in 1..4 {
        let error = launch(vec![vec![Some(0)], vec![Some(1)], vec![Some(0)]], workers).unwrap_err();
        assert_eq!(error.kind, RunErrorKind::Deadlock);
        let text = error.to_string();
        assert!(text.contains("device 0 waits at step 0 in first"), "{text}");
        assert!(text.contains("device 1 waits at step 0 in second"), "{text}");
    }
}

#[test]
fn a_device_that_ends_early_leaves_the_others_named() {
    let error = launch(vec![vec![Some(0), Some(1)], vec![Some(0)]], 2).unwrap_err();
    assert_eq!((error.kind, error.device), (RunErrorKind::Deadlock, Some(Id::from_index(0))));
}

#[test]
fn a_panic_on_one_device_ends_the_launch_with_its_name() {
    let error = launch(vec![vec![Some(0), Some(1)], vec![Some(0), None]], 2).unwrap_err();
    assert_eq!((error.kind, error.device), (RunErrorKind::Panicked, Some(Id::from_index(1))));
    assert!(error.to_string().contains("the script says so"), "{error}");
}

#[test]
fn a_slow_device_is_waited_for() {
    for workers in 1..4 {
        let slow = vec![Some(0), Some(SLOW + 1), Some(0)];
        let quick = vec![Some(0), Some(1), Some(0)];
        assert_eq!(launch(vec![slow, quick.clone(), quick], workers), Ok(()));
    }
}

#[test]
fn every_fault_is_told_within_seconds() {
    let start = std::time::Instant::now();
    for workers in 1..4 {
        for broken in [vec![None], vec![Some(1)], vec![]] {
            let mut devices = vec![vec![Some(0), Some(0)]; 7];
            devices.push(broken);
            let error = launch(devices, workers).unwrap_err();
            assert!(error.device.is_some() && !error.to_string().is_empty(), "{error}");
        }
    }
    assert!(start.elapsed() < std::time::Duration::from_secs(5));
}
