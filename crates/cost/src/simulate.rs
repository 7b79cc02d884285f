//! The step of one device, simulated: activities in order on what computes, and on what sends.
//!
//! ```text
//! compute   product ----> | loop -> | (waits) | product -------->
//! links            gather ---------------->    permute ->
//! ```
//!
//! All devices do the same at the same time, so one is simulated for all of them. A collective begins when what it
//! sends is made and the links are free. Where the machine runs it beside computing, the device goes on until something
//! needs the result: what it waits then is *exposed*, the rest is *hidden*. Elsewhere all of it is exposed. A loop is
//! simulated for two trips, the second of which stands for all that follow.
//!
//! Costs as much as the program is long, whatever the number of devices and of trips.

use crate::activity::{Activities, Activity, Among, Doing, Exchange, Kind, Load, Need, Repeat, Sequence};
use crate::collective::sent;
use crate::machine::{Coefficient, Machine};
use crate::network::wiring::Wiring;
use crate::network::{Group, Network, TierKind, Way, route};
use crate::pattern::Pattern;
use crate::price::{Algorithm, Priced, price};
use crate::traffic::Members;
use meshwright_base::Diagnostic;
use meshwright_ir::{Module, SourceId};
use meshwright_shard::sdy_text::print_axes;
use meshwright_shard::{AxisRef, Mesh, MeshId};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Devices of a permute.
type Pairs = Arc<[(u32, u32)]>;
/// Groups that were looked at, by what they were asked for.
type Known<Key> = RefCell<BTreeMap<Key, Arc<Group>>>;

/// The meshes of a program on a network.
pub struct Wired {
    network: Network,
    devices: i64,
    meshes: BTreeMap<MeshId, (Mesh, Wiring)>,
    groups: Known<(MeshId, Vec<AxisRef>)>,
    pairs: Known<Pairs>,
}

impl Wired {
    /// As the meshes of a program say it.
    pub fn of(module: &Module, network: &Network) -> Result<Wired, Diagnostic> {
        let mut meshes = BTreeMap::new();
        for id in crate::activity::meshes(module) {
            let Some(mesh) = module.meshes.get(id) else { continue };
            meshes.insert(id, (mesh.clone(), Wiring::of(mesh, network)?));
        }
        Ok(Wired::on(module, network, meshes))
    }

    /// The same; where a mesh does not lie on the network, all groups are taken to lie as near to each other as so many
    /// can.
    pub fn near(module: &Module, network: &Network) -> Wired {
        Wired::of(module, network).unwrap_or_else(|_| Wired::on(module, network, BTreeMap::new()))
    }

    fn on(module: &Module, network: &Network, meshes: BTreeMap<MeshId, (Mesh, Wiring)>) -> Wired {
        let over = crate::activity::meshes(module);
        let all = over.into_iter().filter_map(|id| module.meshes.get(id)).map(Mesh::device_count);
        Wired {
            network: network.clone(),
            devices: all.max().or(module.num_partitions).unwrap_or(1),
            meshes,
            groups: RefCell::default(),
            pairs: RefCell::default(),
        }
    }

    /// With one mesh in another order.
    #[must_use]
    pub fn rewired(&self, id: MeshId, wiring: Wiring) -> Wired {
        let mut meshes = self.meshes.clone();
        if let Some((_, known)) = meshes.get_mut(&id) {
            *known = wiring;
        }
        let (groups, pairs) = (RefCell::default(), RefCell::default());
        Wired { network: self.network.clone(), devices: self.devices, meshes, groups, pairs }
    }

    pub fn devices(&self) -> i64 {
        self.devices
    }

    /// Meshes that collectives are over, and how they lie.
    pub fn meshes(&self) -> impl Iterator<Item = (MeshId, &Mesh, &Wiring)> {
        self.meshes.iter().map(|(id, (mesh, wiring))| (*id, mesh, wiring))
    }

    /// Axes of a mesh for people.
    fn axes(&self, mesh: MeshId, axes: &[AxisRef]) -> Option<String> {
        self.meshes.get(&mesh).map(|(mesh, _)| print_axes(axes, mesh))
    }

    /// What a collective takes on a machine.
    pub fn price(&self, of: &Exchange, machine: &Machine) -> Priced {
        let (input, output) = (of.share * of.input, of.share * of.output);
        let priced = price(of.pattern, &self.group(of), input, output, machine);
        // Between threads of one process somebody has to copy.
        let by_hand = machine.network.tiers.iter().any(|tier| tier.kind == TierKind::Threads);
        let scale = if by_hand { scale(self, machine) } else { 1.0 };
        Priced { seconds: priced.seconds * scale, moving: priced.moving * scale, ..priced }
    }

    fn group(&self, exchange: &Exchange) -> Arc<Group> {
        match &exchange.among {
            Among::Axes { mesh, axes } => self.of_axes(*mesh, axes, exchange.size),
            Among::Pairs(pairs) => self.of_pairs(pairs),
            Among::Listed(devices) => Arc::new(self.of_list(devices)),
            Among::Near => Arc::new(Group::packed(&self.network, exchange.size)),
        }
    }

    fn of_axes(&self, id: MeshId, axes: &[AxisRef], size: i64) -> Arc<Group> {
        let mut known = self.groups.borrow_mut();
        let made = known.entry((id, axes.to_vec())).or_insert_with(|| {
            Arc::new(match self.meshes.get(&id) {
                Some((mesh, wiring)) => wiring.group(mesh, axes, &self.network),
                None => Group::packed(&self.network, size),
            })
        });
        made.clone()
    }

    /// One message each, over the links between.
    fn of_pairs(&self, pairs: &Pairs) -> Arc<Group> {
        let mut known = self.pairs.borrow_mut();
        let made = known.entry(pairs.clone()).or_insert_with(|| {
            let load = route::load(pairs, &self.network);
            let way = Way {
                kind: load.kind,
                size: 2,
                distance: load.farthest.max(1),
                sharing: load.busiest.max(1.0),
                cores: 1.0,
            };
            Arc::new(Group { hops: vec![way], size: 2 })
        });
        made.clone()
    }

    /// Members whose numbers are equally far apart lie on tiers; others are taken as near to each other.
    fn of_list(&self, devices: &[u32]) -> Group {
        let size = devices.len() as i64;
        let stride = devices.get(1).zip(devices.first()).map(|(b, a)| i64::from(*b) - i64::from(*a));
        let even = stride.filter(|stride| {
            *stride > 0 && devices.windows(2).all(|two| i64::from(two[1]) - i64::from(two[0]) == *stride)
        });
        let pieces = even.and_then(|stride| crate::network::wiring::on_tiers(stride, size, &self.network));
        match pieces {
            Some(pieces) => Group::of(&self.network, &pieces),
            None => Group::packed(&self.network, size),
        }
    }
}

/// What one kind of collective over one set of axes came to in a step.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Communication {
    pub count: f64,
    /// Bytes that a device sends, as wide as the program has them.
    pub sent: f64,
    pub seconds: f64,
    /// Seconds that the device waits.
    pub exposed: f64,
    pub algorithm: Option<Algorithm>,
}

impl Communication {
    pub fn hidden(&self) -> f64 {
        (self.seconds - self.exposed).max(0.0)
    }
}

/// A step, by what it is spent on.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct StepTime {
    pub seconds: f64,
    /// Seconds of computing.
    pub computing: BTreeMap<Kind, f64>,
    pub communication: BTreeMap<(Pattern, Members), Communication>,
    /// Seconds of computing on a pipeline's padding.
    pub bubbles: f64,
    /// Seconds of computing again, bubbles not among them.
    pub again: f64,
    /// Flops of products.
    pub flops: f64,
    pub events: Vec<Event>,
    /// Seconds of computing by the place in the user's program that takes most of them, with [`Detail::Events`].
    pub places: BTreeMap<SourceId, f64>,
}

impl StepTime {
    pub fn compute(&self) -> f64 {
        self.computing.values().sum()
    }

    pub fn exposed(&self) -> f64 {
        self.communication.values().map(|of| of.exposed).sum()
    }

    pub fn hidden(&self) -> f64 {
        self.communication.values().map(Communication::hidden).sum()
    }
}

/// Something that happened, for a picture.
#[derive(Clone, PartialEq, Debug)]
pub struct Event {
    pub name: String,
    pub lane: Lane,
    pub start: f64,
    pub seconds: f64,
    pub source: Option<SourceId>,
    /// Trips of a loop that look like this.
    pub trips: i64,
}

/// What of a device is busy.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Lane {
    Loops,
    Compute,
    Links,
}

/// How much is kept of a simulation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Detail {
    Totals,
    /// Each activity, and of loops the first trip.
    Events,
}

/// Simulate a step.
pub fn simulate(activities: &Activities, wired: &Wired, machine: &Machine, detail: Detail) -> StepTime {
    let mut run = Run {
        wired,
        machine,
        scale: scale(wired, machine),
        now: machine[Coefficient::Begin] * scale(wired, machine),
        wire: 0.0,
        total: StepTime::default(),
        detail,
        records: detail == Detail::Events,
        keys: Vec::new(),
        sending: Vec::new(),
    };
    let results = run.sequence(&activities.main, &[], 1.0);
    let last = results.iter().map(|ready| ready.at).fold(run.now, f64::max);
    run.wait(&results);
    run.total.seconds = run.now.max(last);
    run.total
}

/// Seconds of a step, as all commands tell them.
pub fn step_seconds(module: &Module, machine: &Machine) -> f64 {
    let wired = Wired::near(module, &machine.network);
    simulate(&Activities::of(module, machine.habits()), &wired, machine, Detail::Totals).seconds
}

/// How much longer work takes where devices share cores.
fn scale(wired: &Wired, machine: &Machine) -> f64 {
    machine.workers.map_or(1.0, |workers| wired.devices as f64 / workers.max(1) as f64)
}

/// When a value is there, and the collective that it has to be waited for, if one.
#[derive(Clone, Copy, Debug, Default)]
struct Ready {
    at: f64,
    by: Option<u32>,
}

/// Who communicates how: what is counted together.
type Key = (Pattern, Members);

struct Run<'a> {
    wired: &'a Wired,
    machine: &'a Machine,
    scale: f64,
    /// Until when the device computes.
    now: f64,
    /// Until when its links are busy.
    wire: f64,
    total: StepTime,
    detail: Detail,
    /// Whether what happens now is kept as an event.
    records: bool,
    keys: Vec<Key>,
    /// What was on the links when, of those collectives that may still be waited for.
    sending: Vec<Sending>,
}

/// A collective on the links.
#[derive(Clone, Copy)]
struct Sending {
    key: u32,
    start: f64,
    end: f64,
}

/// What is spent within a loop, to be told apart from what is spent around it.
#[derive(Clone, Copy)]
struct Spent {
    now: f64,
    again: f64,
}

impl Run<'_> {
    /// Do all of a sequence; when its results are there. `times`: trips of the loops around it.
    fn sequence(&mut self, of: &Sequence, params: &[Ready], times: f64) -> Vec<Ready> {
        let mut done: Vec<Ready> = Vec::with_capacity(of.activities.len());
        let ready = |done: &[Ready], need: Need| match need {
            Need::Nothing => Ready::default(),
            Need::Of(at) => done.get(at as usize).copied().unwrap_or_default(),
            Need::Param(at) => params.get(at as usize).copied().unwrap_or_default(),
        };
        for activity in &of.activities {
            let needs: Vec<Ready> = activity.needs.iter().map(|need| ready(&done, *need)).collect();
            let made = self.activity(activity, &needs, times);
            done.push(made);
        }
        of.results.iter().map(|need| ready(&done, *need)).collect()
    }

    fn activity(&mut self, activity: &Activity, needs: &[Ready], times: f64) -> Ready {
        match &activity.doing {
            Doing::Compute(load) => self.compute(activity, load, needs, times),
            Doing::Communicate(exchange) => self.communicate(activity, exchange, needs, times),
            Doing::Repeat(repeat) => self.repeat(activity, repeat, needs, times),
            Doing::Call(callee) => {
                let results = self.sequence(callee, needs, times);
                self.last_of(&results)
            }
            Doing::Branch(branches) => {
                self.wait_times(needs, times);
                self.longest(branches, times)
            }
        }
    }

    fn compute(&mut self, activity: &Activity, load: &Load, needs: &[Ready], times: f64) -> Ready {
        self.wait_times(needs, times);
        let seconds = load.seconds(self.machine) * self.scale;
        *self.total.computing.entry(load.kind).or_default() += times * seconds;
        if activity.is_again {
            self.total.again += times * seconds;
        }
        self.total.flops += times * load.product.map_or(0.0, |product| product.flops());
        if self.detail == Detail::Events {
            *self.total.places.entry(activity.source).or_default() += times * seconds;
        }
        self.record(load.kind.name(), Lane::Compute, self.now, seconds, activity);
        self.now += seconds;
        Ready { at: self.now, by: None }
    }

    fn communicate(&mut self, activity: &Activity, of: &Exchange, needs: &[Ready], times: f64) -> Ready {
        let priced = self.wired.price(of, self.machine);
        let hides = self.machine.overlap.hides(of.pattern);
        let key = self.key(of);
        let name = of.pattern.to_string();
        let start = if hides {
            needs.iter().map(|ready| ready.at).fold(self.wire, f64::max)
        } else {
            self.wait_times(needs, times);
            self.now.max(self.wire)
        };
        let waits = if hides { 0.0 } else { start + priced.seconds - self.now };
        self.count(key, of, &priced, waits, times);
        self.record(&name, Lane::Links, start, priced.seconds, activity);
        self.wire = start + priced.seconds;
        if hides {
            self.sending.retain(|sending| sending.end > self.now);
            self.sending.push(Sending { key, start, end: self.wire });
        } else {
            self.now = self.wire;
            return Ready { at: self.now, by: None };
        }
        Ready { at: self.wire, by: Some(key) }
    }

    fn key(&mut self, of: &Exchange) -> u32 {
        let axes = match &of.among {
            Among::Axes { mesh, axes } => self.wired.axes(*mesh, axes),
            Among::Listed(_) | Among::Near | Among::Pairs(_) => None,
        };
        let key = (of.pattern, Members { axes, size: of.size });
        let known = self.keys.iter().position(|known| *known == key);
        known.unwrap_or_else(|| {
            self.keys.push(key);
            self.keys.len() - 1
        }) as u32
    }

    fn count(&mut self, key: u32, of: &Exchange, priced: &Priced, waits: f64, times: f64) {
        let Some(key) = self.keys.get(key as usize) else { return };
        let total = self.total.communication.entry(key.clone()).or_default();
        total.count += times;
        total.sent += times * sent(of.pattern, of.size, of.input, of.output);
        total.seconds += times * priced.seconds;
        total.exposed += times * waits;
        total.algorithm = Some(priced.algorithm);
    }

    fn wait(&mut self, needs: &[Ready]) {
        self.wait_times(needs, 1.0);
    }

    /// Until all of that is there. To blame for each moment of waiting is what is on the links then.
    fn wait_times(&mut self, needs: &[Ready], times: f64) {
        let Some(last) = needs.iter().max_by(|a, b| a.at.total_cmp(&b.at)) else { return };
        let waited = last.at - self.now;
        if waited <= 0.0 {
            return;
        }
        let mut left = waited;
        for sending in &self.sending {
            let blamed = (sending.end.min(last.at) - sending.start.max(self.now)).clamp(0.0, left);
            left -= blamed;
            expose(&mut self.total, self.keys.get(sending.key as usize), times * blamed);
        }
        expose(&mut self.total, last.by.and_then(|by| self.keys.get(by as usize)), times * left);
        self.now = last.at;
    }

    fn last_of(&self, results: &[Ready]) -> Ready {
        let last = results.iter().copied().max_by(|a, b| a.at.total_cmp(&b.at));
        last.filter(|last| last.at > self.now).unwrap_or(Ready { at: self.now, by: None })
    }

    fn repeat(&mut self, activity: &Activity, of: &Repeat, needs: &[Ready], times: f64) -> Ready {
        let (carried, given) = needs.split_at(of.carries.min(needs.len()));
        self.wait_times(given, times);
        let before = self.spent();
        let records = self.records;
        let (first, rest) = (self.now, (of.trips - 1) as f64);
        let mut results = self.sequence(&of.body, carried, times);
        if of.trips > 1 {
            self.records = false;
            let (start, wire) = (self.now, self.wire);
            let carried = &results[..of.carries.min(results.len())].to_vec();
            results = self.sequence(&of.body, carried, times * rest);
            let more = (self.now - start).max(self.wire - wire) * (rest - 1.0);
            self.now += more;
            self.wire += more;
            self.sending.iter_mut().for_each(|sending| {
                sending.start += more;
                sending.end += more;
            });
            results.iter_mut().for_each(|ready| ready.at += more);
            self.records = records;
        }
        self.bubbles(of, before, times);
        let seconds = self.now - first;
        if records {
            let name = format!("loop of {} trips", of.trips);
            self.total.events.push(Event {
                name,
                lane: Lane::Loops,
                start: first,
                seconds,
                source: Some(activity.source),
                trips: of.trips,
            });
        }
        self.last_of(&results)
    }

    fn spent(&self) -> Spent {
        Spent { now: self.now, again: self.total.again }
    }

    /// What of a pipeline's time went to its padding.
    fn bubbles(&mut self, of: &Repeat, before: Spent, times: f64) {
        let Some(stages) = of.stages else { return };
        let share = (stages - 1) as f64 / of.trips as f64;
        self.total.bubbles += times * (self.now - before.now) * share;
        self.total.again -= (self.total.again - before.again) * share;
    }

    /// The branch that takes longest.
    fn longest(&mut self, branches: &[Arc<Sequence>], times: f64) -> Ready {
        let (now, wire, before) = (self.now, self.wire, self.total.clone());
        let mut longest: Option<(f64, f64, StepTime, Ready)> = None;
        for branch in branches {
            (self.now, self.wire, self.total) = (now, wire, before.clone());
            let results = self.sequence(branch, &[], times);
            let end = self.last_of(&results);
            if longest.as_ref().is_none_or(|(longest, ..)| self.now > *longest) {
                longest = Some((self.now, self.wire, self.total.clone(), end));
            }
        }
        let Some((now, wire, total, end)) = longest else { return Ready { at: now, by: None } };
        (self.now, self.wire, self.total) = (now, wire, total);
        end
    }

    fn record(&mut self, name: &str, lane: Lane, start: f64, seconds: f64, of: &Activity) {
        if self.records {
            let source = Some(of.source);
            self.total.events.push(Event { name: name.into(), lane, start, seconds, source, trips: 1 });
        }
    }
}

fn expose(total: &mut StepTime, key: Option<&Key>, seconds: f64) {
    if let Some(of) = key.and_then(|key| total.communication.get_mut(key)) {
        of.exposed += seconds;
    }
}

/// The same if every op ran at the machine's peaks: what the step is measured by.
pub fn roofline(activities: &Activities, wired: &Wired, machine: &Machine) -> f64 {
    simulate(activities, wired, &machine.perfect(), Detail::Totals).seconds
}

/// Peak flops per second of a device, in the type that most of a program's products are in.
pub fn peak_flops(machine: &Machine) -> f64 {
    machine[Coefficient::Products]
}
