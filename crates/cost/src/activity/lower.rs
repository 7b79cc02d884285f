//! From a module to activities.

use super::fusion::{Fused, Rounded, origin, place_of, places};
use super::weigh::{Weight, reads, weigh, writes};
use super::{Activities, Activity, Among, Doing, Exchange, Need, Repeat, Sequence, Unknown};
use crate::again::is_again;
use crate::machine::Habits;
use crate::pipeline;
use crate::traffic::pattern_of;
use meshwright_base::IdMap;
use meshwright_ir::op::{Collective, CollectiveKind, Control, Foreign, Groups, TokenOp};
use meshwright_ir::raise_scan::trip_count;
use meshwright_ir::{BlockId, Def, FuncId, Function, InstId, Module, Op, SourceId, Type, ValueId};
use meshwright_shard::MeshId;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

const DEEPEST: usize = 256;

impl Activities {
    /// Of a program on local shapes.
    pub fn of(module: &Module, habits: Habits) -> Activities {
        let mut lower = Lower { module, habits, known: BTreeMap::new(), unknown: Vec::new(), depth: 0 };
        let main = lower.function(module.entry);
        Activities { main, unknown: lower.unknown }
    }
}

struct Lower<'m> {
    module: &'m Module,
    habits: Habits,
    known: BTreeMap<FuncId, Arc<Sequence>>,
    unknown: Vec<Unknown>,
    depth: usize,
}

/// What is known of a function.
#[derive(Clone, Copy)]
struct Known<'a> {
    places: &'a IdMap<InstId, u32>,
    rounded: &'a Rounded,
}

/// A block while it is gone through.
struct Within<'a> {
    func: &'a Function,
    block: BlockId,
    known: Known<'a>,
    fused: Fused,
    /// The activity of each loop, by the place of its last op.
    made: BTreeMap<u32, u32>,
}

impl Lower<'_> {
    fn function(&mut self, id: FuncId) -> Arc<Sequence> {
        if let Some(known) = self.known.get(&id) {
            return known.clone();
        }
        let module = self.module;
        let Some(func) = module.funcs.get(id).filter(|_| self.depth < DEEPEST) else { return Arc::default() };
        self.depth += 1;
        let rounded = Rounded::by(func, self.habits);
        let known = Known { places: &places(func), rounded: &rounded };
        let made = Arc::new(self.block(func, func.root(), known));
        self.depth -= 1;
        self.known.insert(id, made.clone());
        made
    }

    fn block(&mut self, func: &Function, block: BlockId, known: Known<'_>) -> Sequence {
        let fused = Fused::of(func, block, known.places, self.habits.fuses);
        let mut members: BTreeMap<u32, Vec<InstId>> = BTreeMap::new();
        for (at, inst) in func.block(block).insts.iter().enumerate() {
            for last in fused.last(at) {
                members.entry(*last).or_default().push(*inst);
            }
        }
        let mut within = Within { func, block, known, fused, made: BTreeMap::new() };
        let mut activities = Vec::new();
        for (last, members) in &members {
            if let Some(activity) = self.activity(&within, members) {
                within.made.insert(*last, activities.len() as u32);
                activities.push(activity);
            }
        }
        let results = func.block(block).results.iter().map(|value| within.need(*value)).collect();
        Sequence { activities, results }
    }

    fn activity(&mut self, within: &Within<'_>, members: &[InstId]) -> Option<Activity> {
        let last = members.last().copied()?;
        let info = within.func.inst(last);
        let doing = match members {
            [_] => self.alone(within, last)?,
            _ => Doing::Compute(within.load(members)),
        };
        let source = self.heaviest(within, members);
        let again = self.module.sources.get(source).is_some_and(is_again);
        let mut needs: Vec<Need> = info.operands.iter().map(|value| within.need(*value)).collect();
        if let Doing::Compute(_) | Doing::Communicate(_) = doing {
            needs = within.needs(members);
        } else if !info.regions.is_empty() {
            let mut inside = Vec::new();
            pipeline::used_inside(within.func, &info.regions, &mut inside);
            needs.extend(inside.into_iter().map(|value| within.need(value)));
        }
        Some(Activity { doing, needs, source, is_again: again })
    }

    /// The place in the user's program of what takes most of an activity's time.
    fn heaviest(&self, within: &Within<'_>, members: &[InstId]) -> SourceId {
        let is_product = |inst: &&InstId| within.func.inst(**inst).op.facts().is_contraction;
        let product = members.iter().find(is_product);
        within.func.inst(*product.or(members.last()).unwrap_or(&members[0])).source
    }

    /// An op that is an activity by itself; `None` if it takes no time.
    fn alone(&mut self, within: &Within<'_>, id: InstId) -> Option<Doing> {
        let info = within.func.inst(id);
        match &info.op {
            Op::Collective(of) => {
                Exchange::of(within.func, id, of, within.known.rounded).map(Doing::Communicate)
            }
            Op::Call(call) => Some(Doing::Call(self.function(call.callee))),
            Op::Scan(scan) => self.repeat(within, id, scan.trips, scan.carries),
            Op::Control(Control::While) => {
                let trips = trip_count(self.module, within.func, id);
                if trips.is_none() {
                    self.unknown(info.source, "how often a `while` runs: it is counted once");
                }
                self.repeat(within, id, trips.unwrap_or(1), info.operands.len())
            }
            Op::Control(Control::Fusion { .. }) => {
                let body = *info.regions.first()?;
                Some(Doing::Call(Arc::new(self.block(within.func, body, within.known))))
            }
            Op::Control(Control::If | Control::Case) | Op::Sharding(_) => {
                let of = |region: &BlockId| Arc::new(self.block(within.func, *region, within.known));
                let branches: Vec<Arc<Sequence>> = info.regions.iter().map(of).collect();
                (!branches.is_empty()).then_some(Doing::Branch(branches))
            }
            Op::Foreign(foreign) => self.foreign(within, id, foreign),
            Op::Token(token) => {
                match token {
                    TokenOp::AfterAll => {}
                    TokenOp::Infeed { .. } | TokenOp::Outfeed { .. } => {
                        self.unknown(info.source, "what enters and leaves over the host");
                    }
                    TokenOp::Send(_) | TokenOp::Recv { .. } => {
                        self.unknown(info.source, "what is sent and received by channel");
                    }
                }
                None
            }
            _ => Some(Doing::Compute(within.load(&[id]))),
        }
    }

    fn repeat(&mut self, within: &Within<'_>, id: InstId, trips: i64, carries: usize) -> Option<Doing> {
        let body = *within.func.inst(id).regions.last()?;
        let stages = pipeline::stages(within.func, id, body).filter(|stages| (2..=trips).contains(stages));
        let body = Arc::new(self.block(within.func, body, within.known));
        (trips > 0).then_some(Doing::Repeat(Repeat { trips, body, carries, stages }))
    }

    fn foreign(&mut self, within: &Within<'_>, id: InstId, foreign: &Foreign) -> Option<Doing> {
        let info = within.func.inst(id);
        match foreign {
            Foreign::Composite(composite) => Some(Doing::Call(self.function(composite.decomposition))),
            Foreign::CustomCall(_) if info.op.facts().is_elementwise => {
                Some(Doing::Compute(within.load(&[id])))
            }
            Foreign::CustomCall(call) => {
                self.unknown(info.source, &format!("what custom call `{}` takes", call.target));
                None
            }
        }
    }

    fn unknown(&mut self, source: SourceId, what: &str) {
        let unknown = Unknown { what: what.into(), source };
        if !self.unknown.contains(&unknown) {
            self.unknown.push(unknown);
        }
    }
}

impl Exchange {
    /// Of a collective; `None` between a device and itself.
    pub fn of(func: &Function, id: InstId, collective: &Collective, rounded: &Rounded) -> Option<Exchange> {
        let info = func.inst(id);
        let bytes = |values: &[ValueId]| values.iter().map(|value| func.ty(*value).byte_size() as f64).sum();
        let (input, output): (f64, f64) = (bytes(&info.operands), bytes(&info.results));
        let rounded: f64 = info.results.iter().map(|value| rounded.bytes(func, *value) as f64).sum();
        let share = if output > 0.0 { rounded / output } else { 1.0 };
        let (pattern, size) = (pattern_of(&collective.kind), collective.group_size);
        let among = match &collective.kind {
            CollectiveKind::Permute { pairs } => Among::Pairs(pairs.as_slice().into()),
            _ if size <= 1 => return None,
            CollectiveKind::AllReduce
            | CollectiveKind::AllGather { .. }
            | CollectiveKind::ReduceScatter { .. }
            | CollectiveKind::AllToAll { .. }
            | CollectiveKind::AllToAllTuple
            | CollectiveKind::Broadcast => among(&collective.groups),
        };
        Some(Exchange { pattern, among, size, input, output, share })
    }
}

fn among(groups: &Groups) -> Among {
    match groups {
        Groups::Axes { mesh, axes } => Among::Axes { mesh: *mesh, axes: axes.clone() },
        Groups::List(lists) => Among::Listed(lists.first().cloned().unwrap_or_default()),
        Groups::Iota { size, reshape, transpose, .. } => {
            Among::Listed((0..*size).map(|at| iota(at, reshape, transpose)).collect())
        }
        Groups::All => Among::Near,
    }
}

/// The number at a place of `iota` in one shape, its dims exchanged.
fn iota(at: i64, reshape: &[i64], transpose: &[usize]) -> u32 {
    let stride = |dim: usize| reshape.iter().skip(dim + 1).product::<i64>();
    let (mut left, mut number) = (at, 0);
    for dim in transpose.iter().rev() {
        let size = reshape.get(*dim).copied().unwrap_or(1).max(1);
        number += left % size * stride(*dim);
        left /= size;
    }
    u32::try_from(number).unwrap_or(0)
}

impl Within<'_> {
    fn types(&self, values: &[ValueId]) -> Vec<&Type> {
        values.iter().map(|value| self.func.ty(*value)).collect()
    }

    /// Where a value comes from, as far as somebody may have to wait for it.
    fn need(&self, value: ValueId) -> Need {
        let Some(value) = origin(self.func, value) else { return Need::Nothing };
        match self.func.value(value).def {
            Def::Param { block, index } if block == self.block => Need::Param(index as u32),
            Def::Param { .. } => Need::Nothing,
            Def::Result { .. } => {
                let place = place_of(self.func, self.block, self.known.places, value);
                let last = place.and_then(|place| self.fused.last(place).first());
                last.and_then(|last| self.made.get(last)).map_or(Need::Nothing, |at| Need::Of(*at))
            }
        }
    }

    /// Of all that the ops of one loop are given from outside of it, once.
    fn needs(&self, members: &[InstId]) -> Vec<Need> {
        let operands = members.iter().flat_map(|inst| &self.func.inst(*inst).operands);
        let mut needs: Vec<Need> = Vec::new();
        for need in operands.map(|value| self.need(*value)) {
            if need != Need::Nothing && !needs.contains(&need) {
                needs.push(need);
            }
        }
        needs
    }

    fn written(&self, inst: InstId, operands: &[&Type], results: &[&Type]) -> f64 {
        let info = self.func.inst(inst);
        let made = info.results.iter().map(|value| self.known.rounded.bytes(self.func, *value) as f64);
        writes(&info.op, operands, results).min(made.sum())
    }

    fn load(&self, members: &[InstId]) -> super::Load {
        let mut weight = Weight::NONE;
        let mut read: BTreeMap<ValueId, f64> = BTreeMap::new();
        let mut written = 0.0;
        let inside: BTreeSet<InstId> = members.iter().copied().collect();
        for inst in members {
            let info = self.func.inst(*inst);
            let (operands, results) = (self.types(&info.operands), self.types(&info.results));
            weight = weight.and(weigh(&info.op, &operands, &results));
            for (index, value) in info.operands.iter().enumerate() {
                let Some(from) = origin(self.func, *value) else { continue };
                if self.func.def_inst(from).is_some_and(|inst| inside.contains(&inst)) {
                    continue;
                }
                // A repeated element is read as often as it is stored.
                let whole = self.known.rounded.bytes(self.func, from) as f64;
                let bytes = reads(&info.op, index, &operands, &results).min(whole);
                let most = read.entry(from).or_default();
                *most = most.max(bytes);
            }
            if self.fused.is_kept(self.known.places[*inst] as usize) {
                written += self.written(*inst, &operands, &results);
            }
        }
        weight.load(read.values().sum::<f64>() + written)
    }
}

/// Meshes that collectives of a program are over.
pub fn meshes(module: &Module) -> BTreeSet<MeshId> {
    let groups = module.funcs.values().flat_map(|func| {
        func.insts_in_order().into_iter().filter_map(|inst| match &func.inst(inst).op {
            Op::Collective(collective) => collective.groups.mesh(),
            _ => None,
        })
    });
    groups.collect()
}
