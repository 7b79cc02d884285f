//! In-process devices: resumable tasks on a few workers.
//!
//! Each worker takes a device that can go on and runs it to its next collective. The last local member of a group to
//! arrive starts the collective; when it is done all members can go on. Workers without a device help with the pieces
//! of others' steps, or wait: they ask for some microseconds, then they sleep. They stay for later launches, and are
//! called when there is something for them: a launch of one device whose steps have one piece each needs none. When
//! nothing runs, nothing is under way and devices are left, that is a deadlock: it is reported with who waits where.
//!
//! The same scheduler runs the devices of one rank of several: then [`Collectives`] exchanges with the other ranks.

use crate::collective::join_group;
use crate::crew::{self, Crew};
use crate::devices::{Args, DeviceArray, Devices, Executable, LoadOptions, check_args, check_count};
use crate::feed::Feed;
use crate::pool::{Alone, Pieces, Workers};
use crate::program::{Compiler, DeviceMemory, Event, Join, Program, Task};
use crate::site::{Site, SiteId};
use crate::step::StepInfo;
use crate::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use crate::sync::{Condvar, Mutex, lock, thread};
use crate::trace::{Trace, TraceEvent};
use crate::{Buffer, DeviceId, MemoryPlan, ResultPlace, RunError, RunErrorKind, fingerprint, interrupt};
use meshwright_base::cancel::Token;
use meshwright_base::{Id, IdMap};
use meshwright_ir::SpmdModule;
use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, PoisonError};
use std::time::Duration;

/// One group at one collective: all members that live here, with their addresses.
pub struct Joining<'a> {
    pub id: SiteId,
    pub site: &'a Site,
    pub group: usize,
    /// In order of position; `None`: lives elsewhere.
    pub members: Vec<Option<Join>>,
}

/// How a group exchanges its data.
pub trait Collectives: Send + Sync {
    /// Start, or do at once. `Some`: to be polled with this number.
    fn start(&self, joining: Joining<'_>, workers: &dyn Workers) -> Result<Option<u64>, RunError>;
    /// Whether it is done.
    fn poll(&self, ticket: u64, workers: &dyn Workers) -> Result<bool, RunError>;
}

/// All members live here: memory is the network.
struct SharedMemory;

impl Collectives for SharedMemory {
    fn start(&self, joining: Joining<'_>, workers: &dyn Workers) -> Result<Option<u64>, RunError> {
        let members: Option<Vec<&Join>> = joining.members.iter().map(Option::as_ref).collect();
        let members =
            members.ok_or_else(|| RunError::new(RunErrorKind::Unsound, "a member lives elsewhere"))?;
        let operands: Vec<_> = members.iter().map(|member| &member.operands[..]).collect();
        let results: Vec<_> = members.iter().map(|member| Some(&member.results[..])).collect();
        join_group(joining.site, joining.group, &operands, &results, workers)?;
        Ok(None)
    }

    fn poll(&self, _: u64, _: &dyn Workers) -> Result<bool, RunError> {
        Ok(true)
    }
}

/// Devices of this process.
#[derive(Clone)]
pub struct InProcess {
    devices: usize,
    workers: usize,
    compiler: Arc<dyn Compiler>,
}

impl InProcess {
    /// `workers`: `None` is as many as there are cores.
    pub fn new(devices: usize, workers: Option<usize>, compiler: Arc<dyn Compiler>) -> InProcess {
        let cores = || std::thread::available_parallelism().map_or(1, usize::from);
        InProcess { devices: devices.max(1), workers: workers.unwrap_or_else(cores).max(1), compiler }
    }

    /// [`load`](Devices::load), for who keeps the program where several threads reach it.
    pub fn loaded(&self, module: &SpmdModule, options: &LoadOptions) -> Result<Loaded, RunError> {
        check_count(self.devices)?;
        let program = self.compiler.compile(module, self.devices)?;
        let mark = fingerprint(module.module());
        Loaded::new(program, mark, self.local(), self.workers, Arc::new(SharedMemory), options)
    }
}

impl Devices for InProcess {
    fn count(&self) -> usize {
        self.devices
    }

    fn local(&self) -> Vec<DeviceId> {
        (0..self.devices).map(Id::from_index).collect()
    }

    fn load(&self, module: &SpmdModule, options: &LoadOptions) -> Result<Box<dyn Executable>, RunError> {
        Ok(Box::new(self.loaded(module, options)?))
    }
}

/// A program on the devices of this process.
pub struct Loaded {
    program: Arc<dyn Program>,
    fingerprint: u64,
    devices: Vec<DeviceId>,
    workers: usize,
    collectives: Arc<dyn Collectives>,
    arenas: Vec<Buffer>,
    feed: Option<Arc<Feed>>,
}

impl Loaded {
    pub fn new(
        program: Arc<dyn Program>,
        fingerprint: u64,
        devices: Vec<DeviceId>,
        workers: usize,
        collectives: Arc<dyn Collectives>,
        options: &LoadOptions,
    ) -> Result<Loaded, RunError> {
        program.memory().check(options.memory_limit)?;
        let arenas =
            devices.iter().map(|_| Buffer::zeroed(program.memory().arena)).collect::<Result<_, _>>()?;
        Ok(Loaded { program, fingerprint, devices, workers, collectives, arenas, feed: None })
    }

    pub fn program(&self) -> &Arc<dyn Program> {
        &self.program
    }
}

/// Buffers of one device during a launch.
struct Held {
    inputs: Vec<Input>,
    fresh: Vec<Option<Buffer>>,
}

enum Input {
    Shared(Arc<Buffer>),
    Owned(Option<Buffer>),
}

impl Input {
    fn as_ptr(&self) -> *mut u8 {
        match self {
            Input::Shared(buffer) => buffer.as_ptr(),
            Input::Owned(buffer) => buffer.as_ref().map_or(std::ptr::null_mut(), Buffer::as_ptr),
        }
    }
}

impl Executable for Loaded {
    fn memory(&self) -> &MemoryPlan {
        self.program.memory()
    }

    fn fingerprint(&self) -> u64 {
        self.fingerprint
    }

    fn connect(&mut self, feed: Arc<Feed>) {
        self.feed = Some(feed);
    }

    fn steps(&self) -> &[StepInfo] {
        self.program.steps()
    }

    fn launch(&mut self, args: Args, trace: Option<&Trace>) -> Result<Vec<DeviceArray>, RunError> {
        check_args(self.program.params(), &args, self.devices.len())?;
        let mut held = self.hold(args)?;
        let tasks: Vec<Mutex<Box<dyn Task + '_>>> = self
            .devices
            .iter()
            .zip(&self.arenas)
            .zip(&held)
            .map(|((device, arena), held)| {
                Mutex::new(self.program.start(*device, self.memory_of(arena, held)))
            })
            .collect();
        let launch = Launch::new(self, &tasks, trace);
        launch.run();
        let failed = lock(&launch.state).failed.take();
        drop(launch);
        drop(tasks);
        match failed {
            Some(error) => Err(error),
            None => Ok(self.collect(&mut held)),
        }
    }
}

impl Loaded {
    /// Per device: inputs (a donated one is taken, or copied if someone else still holds it) and fresh results.
    fn hold(&self, args: Args) -> Result<Vec<Held>, RunError> {
        let one = |_| Ok(Held { inputs: Vec::new(), fresh: self.fresh_results()? });
        let mut held = self.devices.iter().map(one).collect::<Result<Vec<Held>, RunError>>()?;
        for (arg, donated) in args.into_iter().zip(self.program.donated()) {
            for (shard, held) in arg.into_shards()?.into_iter().zip(&mut held) {
                held.inputs.push(if *donated {
                    Input::Owned(Some(Arc::try_unwrap(shard).or_else(|shared| shared.copied())?))
                } else {
                    Input::Shared(shard)
                });
            }
        }
        Ok(held)
    }

    fn fresh_results(&self) -> Result<Vec<Option<Buffer>>, RunError> {
        let places = self.program.result_places().iter().zip(self.program.results());
        let one = |(place, ty): (&ResultPlace, _)| match place {
            ResultPlace::Fresh => Buffer::unset(crate::array::byte_len(ty).unwrap_or(0)).map(Some),
            ResultPlace::Donated { .. } => Ok(None),
        };
        places.map(one).collect()
    }

    fn memory_of(&self, arena: &Buffer, held: &Held) -> DeviceMemory {
        let inputs: Vec<*mut u8> = held.inputs.iter().map(Input::as_ptr).collect();
        let result = |(place, fresh): (&ResultPlace, &Option<Buffer>)| match (place, fresh) {
            (ResultPlace::Fresh, Some(buffer)) => buffer.as_ptr(),
            (ResultPlace::Donated { param }, _) => inputs[*param],
            (ResultPlace::Fresh, None) => std::ptr::null_mut(),
        };
        let results = self.program.result_places().iter().zip(&held.fresh).map(result).collect();
        DeviceMemory { arena: arena.as_ptr(), inputs, results }
    }

    fn collect(&self, held: &mut [Held]) -> Vec<DeviceArray> {
        let places = self.program.result_places().iter().zip(self.program.results()).enumerate();
        let take = |held: &mut Held, i: usize, place: &ResultPlace| match place {
            ResultPlace::Fresh => held.fresh[i].take(),
            ResultPlace::Donated { param } => match &mut held.inputs[*param] {
                Input::Owned(buffer) => buffer.take(),
                Input::Shared(_) => None,
            },
        };
        let mut out = Vec::new();
        for (i, (place, ty)) in places {
            let shards = held.iter_mut().filter_map(|held| take(held, i, place)).map(Arc::new).collect();
            out.push(DeviceArray::new(ty.clone(), shards));
        }
        out
    }
}

/// A launch under way.
struct Launch<'a, 't> {
    loaded: &'a Loaded,
    sites: &'a IdMap<SiteId, Site>,
    tasks: &'a [Mutex<Box<dyn Task + 't>>],
    /// Per site and group: where the local members are, by position.
    trace: Option<&'a Trace>,
    state: Mutex<State>,
    /// Something became ready, a piece is offered, or the end has come.
    wake: Condvar,
    /// A helper has left its pieces.
    left: Condvar,
    /// Workers that sleep.
    idle: AtomicUsize,
    /// How often there was something to wake for.
    calls: AtomicUsize,
    /// The other workers, once they are called.
    crew: Mutex<Option<Crew>>,
    is_called: AtomicBool,
    /// What the caller works under.
    token: Option<Token>,
}

#[derive(Default)]
struct State {
    /// Local devices that can go on.
    ready: VecDeque<usize>,
    /// Workers that run a device or a collective.
    running: usize,
    /// Per local device: the collective it waits at, and since when.
    waiting: Vec<Option<Waiting>>,
    offers: Vec<Arc<Offer>>,
    under_way: Vec<UnderWay>,
    /// A worker asks the transport: one at a time.
    is_polled: bool,
    left: usize,
    failed: Option<RunError>,
}

impl State {
    /// Take the turn to ask for what is under way, if there is anything and nobody has it.
    fn take_poll(&mut self) -> Option<Vec<u64>> {
        if self.is_polled || self.under_way.is_empty() {
            return None;
        }
        self.is_polled = true;
        Some(self.under_way.iter().map(|one| one.ticket).collect())
    }
}

#[derive(Clone)]
struct Waiting {
    join: Join,
    group: usize,
    step: usize,
    since: u64,
    started: bool,
}

/// A collective that exchanges with other ranks.
struct UnderWay {
    ticket: u64,
    locals: Vec<usize>,
}

/// Pieces with the number of workers that help.
struct Offer {
    pieces: Pieces,
    helpers: AtomicUsize,
}

/// What a worker does next.
enum Next {
    Device(usize),
    Help(Arc<Offer>),
    Poll(Vec<u64>),
    Stop,
}

impl<'a, 't> Launch<'a, 't> {
    fn new(loaded: &'a Loaded, tasks: &'a [Mutex<Box<dyn Task + 't>>], trace: Option<&'a Trace>) -> Self {
        let state = State {
            ready: (0..tasks.len()).collect(),
            waiting: vec![None; tasks.len()],
            left: tasks.len(),
            ..State::default()
        };
        Launch {
            loaded,
            sites: loaded.program.sites(),
            tasks,
            trace,
            state: Mutex::new(state),
            wake: Condvar::new(),
            left: Condvar::new(),
            idle: AtomicUsize::new(0),
            calls: AtomicUsize::new(0),
            crew: Mutex::new(None),
            is_called: AtomicBool::new(false),
            token: Token::held(),
        }
    }

    fn run(&self) {
        /// Lets nobody work on a launch that is gone, also where the caller's own share panics.
        struct Ended<'l, 'a, 't>(&'l Launch<'a, 't>);
        impl Drop for Ended<'_, '_, '_> {
            fn drop(&mut self) {
                let crew = lock(&self.0.crew).take();
                drop(crew);
            }
        }
        let ended = Ended(self);
        if self.tasks.len() > 1 {
            self.call();
        }
        self.work();
        let crew = lock(&self.crew).take();
        crew.into_iter().for_each(Crew::end);
        drop(ended);
    }

    /// Call the other workers, unless they were.
    fn call(&self) {
        if self.is_called.load(Ordering::Relaxed) || self.is_called.swap(true, Ordering::Relaxed) {
            return;
        }
        let others = self.loaded.workers.saturating_sub(1);
        // SAFETY: `run` ends the crew before the launch goes, and a reference to that has nothing to drop.
        let crew = unsafe { Crew::call(others, Box::new(|| self.work())) };
        *lock(&self.crew) = Some(crew);
    }

    /// Tell whoever waits that something has changed.
    fn wake_all(&self) {
        self.calls.fetch_add(1, Ordering::Release);
        self.wake.notify_all();
    }

    fn work(&self) {
        loop {
            match self.next() {
                Next::Device(local) => {
                    self.advance(local);
                    self.glance();
                }
                Next::Help(offer) => self.help(&offer),
                Next::Poll(tickets) => {
                    if !self.poll(&tickets) {
                        thread::sleep(Duration::from_micros(50));
                    }
                }
                Next::Stop => return,
            }
        }
    }

    /// Wait for something to do.
    fn next(&self) -> Next {
        let mut state = lock(&self.state);
        let mut patient = true;
        loop {
            if state.failed.is_some() || state.left == 0 {
                return Next::Stop;
            }
            if let Some(local) = state.ready.pop_front() {
                state.running += 1;
                return Next::Device(local);
            }
            if let Some(offer) = state.offers.iter().find(|offer| !offer.pieces.is_exhausted()) {
                offer.helpers.fetch_add(1, Ordering::Relaxed);
                return Next::Help(offer.clone());
            }
            if state.running == 0 && state.under_way.is_empty() {
                state.failed = Some(self.deadlock(&state));
                self.wake_all();
                return Next::Stop;
            }
            if let Some(tickets) = state.take_poll() {
                return Next::Poll(tickets);
            }
            if std::mem::take(&mut patient) {
                let seen = self.calls.load(Ordering::Acquire);
                drop(state);
                crew::soon(|| self.calls.load(Ordering::Acquire) != seen);
                state = lock(&self.state);
                continue;
            }
            self.idle.fetch_add(1, Ordering::Relaxed);
            state = self.wake.wait(state).unwrap_or_else(PoisonError::into_inner);
            self.idle.fetch_sub(1, Ordering::Relaxed);
        }
    }

    fn help(&self, offer: &Offer) {
        offer.pieces.work();
        offer.helpers.fetch_sub(1, Ordering::Release);
        let _state = lock(&self.state);
        self.left.notify_all();
    }

    fn now(&self) -> u64 {
        self.trace.map_or(0, Trace::now)
    }

    fn fail(&self, error: RunError) {
        let mut state = lock(&self.state);
        state.failed.get_or_insert(error);
        self.wake_all();
    }

    /// Run a device to its next collective, and the collective if all of its group are there.
    fn advance(&self, local: usize) {
        let device = self.loaded.devices[local];
        let mut task = lock(&self.tasks[local]);
        let event = catch_unwind(AssertUnwindSafe(|| task.resume(self)));
        let step = task.position();
        drop(task);
        let outcome = match event {
            Ok(Ok(Event::Done)) => self.done(),
            Ok(Ok(Event::Join(join))) => self.arrive(local, join, step),
            Ok(Err(error)) => Err(error),
            Err(panic) => Err(RunError::new(RunErrorKind::Panicked, message_of(&*panic))),
        };
        if let Err(error) = outcome {
            let name = self.loaded.program.steps().get(step).map_or(String::new(), |info| info.name.clone());
            self.fail(error.on(device).at(step, name));
        }
        let mut state = lock(&self.state);
        state.running -= 1;
        drop(state);
        self.wake_all();
    }

    fn done(&self) -> Result<(), RunError> {
        lock(&self.state).left -= 1;
        Ok(())
    }

    /// Note that a device waits; start the collective if it was the last.
    fn arrive(&self, local: usize, join: Join, step: usize) -> Result<(), RunError> {
        let device = self.loaded.devices[local];
        let site = &self.sites[join.site];
        let (group, _) = site.place_of(device).ok_or_else(|| {
            RunError::new(RunErrorKind::Unsound, "the device is in no group").collective(&site.name)
        })?;
        let id = join.site;
        let mut state = lock(&self.state);
        state.waiting[local] = Some(Waiting { join, group, step, since: self.now(), started: false });
        let Some((locals, members)) = self.gathered(&mut state, id, group) else { return Ok(()) };
        drop(state);
        let joining = Joining { id, site, group, members };
        let name = site.name.clone();
        let started = self.loaded.collectives.start(joining, self).map_err(|error| error.collective(name))?;
        let mut state = lock(&self.state);
        match started {
            None => self.release(&mut state, &locals),
            Some(ticket) => state.under_way.push(UnderWay { ticket, locals }),
        }
        Ok(())
    }

    /// The local members of a group and their addresses by position, if all of them wait here.
    fn gathered(
        &self,
        state: &mut State,
        id: SiteId,
        group: usize,
    ) -> Option<(Vec<usize>, Vec<Option<Join>>)> {
        let (mut locals, mut members) = (Vec::new(), Vec::new());
        for device in self.sites[id].groups.get(group)? {
            let Ok(local) = self.loaded.devices.binary_search(device) else {
                members.push(None);
                continue;
            };
            let waiting = state.waiting[local].as_ref()?;
            if waiting.join.site != id || waiting.started {
                return None;
            }
            locals.push(local);
            members.push(Some(waiting.join.clone()));
        }
        for local in &locals {
            state.waiting[*local].as_mut()?.started = true;
        }
        Some((locals, members))
    }

    /// A collective is done: its members can go on.
    fn release(&self, state: &mut State, locals: &[usize]) {
        for local in locals {
            if let (Some(waiting), Some(trace)) = (state.waiting[*local].take(), self.trace) {
                trace.add(TraceEvent {
                    device: self.loaded.devices[*local].index() as u32,
                    step: waiting.step as u32,
                    start_ns: waiting.since,
                    end_ns: trace.now(),
                });
            }
            state.ready.push_back(*local);
        }
        self.wake_all();
    }

    /// Between devices: messages go on while other devices compute.
    fn glance(&self) {
        let tickets = lock(&self.state).take_poll();
        if let Some(tickets) = tickets {
            self.poll(&tickets);
        }
    }

    /// Ask the transport for what is under way: whether anything came.
    fn poll(&self, tickets: &[u64]) -> bool {
        let mut any = false;
        for ticket in tickets {
            match self.loaded.collectives.poll(*ticket, self) {
                Ok(false) => {}
                Ok(true) => {
                    any = true;
                    let mut state = lock(&self.state);
                    let at = state.under_way.iter().position(|one| one.ticket == *ticket);
                    if let Some(at) = at {
                        let locals = state.under_way.remove(at).locals;
                        self.release(&mut state, &locals);
                    }
                }
                Err(error) => self.fail(error),
            }
        }
        lock(&self.state).is_polled = false;
        any
    }

    /// Who waits where.
    fn deadlock(&self, state: &State) -> RunError {
        let mut error = RunError::new(RunErrorKind::Deadlock, "no device can go on")
            .help("make conditions around collectives the same on all devices of a group");
        for (local, waiting) in state.waiting.iter().enumerate() {
            let Some(waiting) = waiting else { continue };
            let (site, device) = (&self.sites[waiting.join.site], self.loaded.devices[local].index());
            error = error.collective(&site.name).on(self.loaded.devices[local]);
            let members: Vec<String> =
                site.groups[waiting.group].iter().map(|device| device.index().to_string()).collect();
            error = error.note(format!(
                "device {device} waits at step {} in {} with devices {}",
                waiting.step,
                site.name,
                members.join(",")
            ));
        }
        error
    }
}

impl Workers for Launch<'_, '_> {
    fn each(&self, count: usize, run: &(dyn Fn(usize) + Sync)) {
        if count <= 1 || self.loaded.workers == 1 {
            return Alone.each(count, run);
        }
        // SAFETY: this function returns only after every helper has left.
        let pieces = unsafe { Pieces::new(count, run) };
        let offer = Arc::new(Offer { pieces, helpers: AtomicUsize::new(0) });
        lock(&self.state).offers.push(offer.clone());
        self.call();
        self.calls.fetch_add(1, Ordering::Release);
        if self.idle.load(Ordering::Relaxed) > 0 {
            self.wake.notify_one();
        }
        offer.pieces.work();
        lock(&self.state).offers.retain(|other| !Arc::ptr_eq(other, &offer));
        let alone = || offer.helpers.load(Ordering::Acquire) == 0;
        if crew::soon(alone) {
            assert!(!offer.pieces.panicked(), "a piece of the step panicked");
            return;
        }
        let mut state = lock(&self.state);
        while !alone() {
            state = self.left.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        drop(state);
        assert!(!offer.pieces.panicked(), "a piece of the step panicked");
    }

    fn trace(&self) -> Option<&Trace> {
        self.trace
    }

    fn feed(&self) -> Option<&Feed> {
        self.loaded.feed.as_deref()
    }

    fn stop(&self) -> Option<RunError> {
        let is_cancelled = self.token.as_ref().is_some_and(Token::is_cancelled);
        (is_cancelled || interrupt::asked()).then(interrupt::error)
    }
}

fn message_of(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    let text = text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("no message");
    format!("the engine panicked: {text}")
}
