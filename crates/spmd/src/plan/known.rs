//! What is known of a function before anything is decided: its instructions in order, which of them have a choice and
//! which are alike, how often each block runs, and what completion wished for.

use crate::blocks::program_insts;
use crate::plan::kinds::{KindId, Kinds, TypesOfValues};
use crate::plan::table::{ShardingId, Table};
use meshwright_base::IdMap;
use meshwright_ir::op::{Control, Structure};
use meshwright_ir::raise_scan::trip_count;
use meshwright_ir::{Annotation, BlockId, FuncId, Function, InstId, Module, ValueId};

pub(super) struct Known<'a> {
    pub(super) module: &'a Module,
    pub(super) func: &'a Function,
    pub(super) order: Vec<InstId>,
    /// Kinds of the instructions that have a choice.
    pub(super) kind: IdMap<InstId, Option<KindId>>,
    /// What completion wished for.
    pub(super) wish: IdMap<ValueId, Option<ShardingId>>,
    /// Operands and results of the instructions, and how often they run. A sweep looks at these again and again: they
    /// lie side by side, and the instructions themselves far apart.
    tensors: Vec<ValueId>,
    at: IdMap<InstId, Tensors>,
    /// How often each value is made.
    made: IdMap<ValueId, f64>,
}

/// Where the tensors of an instruction lie.
#[derive(Clone, Copy)]
struct Tensors {
    start: u32,
    results: u32,
    end: u32,
    times: f64,
}

impl<'a> Known<'a> {
    pub(super) fn new(
        module: &'a Module,
        func: &'a Function,
        table: &mut Table<'_>,
        kinds: &mut Kinds,
    ) -> Self {
        let mut known = Known {
            module,
            func,
            order: program_insts(func),
            kind: IdMap::filled(func.inst_count(), None),
            wish: IdMap::filled(func.value_count(), None),
            tensors: Vec::with_capacity(func.value_count() * 2),
            at: IdMap::filled(func.inst_count(), Tensors { start: 0, results: 0, end: 0, times: 1.0 }),
            made: IdMap::filled(func.value_count(), 1.0),
        };
        for (value, info) in func.values().iter() {
            if let Some(sharding) = info.sharding.as_ref().and_then(Annotation::as_shared) {
                known.wish[value] = Some(table.planned(sharding));
            }
        }
        let mut types = TypesOfValues::unread(func);
        // How often each block runs.
        let mut inside = IdMap::filled(func.block_count(), 1.0);
        for inst in &known.order {
            let (info, times) = (func.inst(*inst), inside[func.block_of(*inst)]);
            for region in &info.regions {
                inside[*region] = times * trips(module, func, *inst);
                func.block(*region).params.iter().for_each(|value| known.made[*value] = inside[*region]);
            }
            if info.op.structure().is_none() {
                known.kind[*inst] = Some(kinds.of(func, *inst, &mut types));
            }
            let start = known.tensors.len() as u32;
            let results = start + info.operands.len() as u32;
            known.tensors.extend(info.operands.iter().chain(&info.results));
            known.at[*inst] = Tensors { start, results, end: known.tensors.len() as u32, times };
            info.results.iter().for_each(|value| known.made[*value] = times);
        }
        known
    }

    pub(super) fn operands(&self, inst: InstId) -> &[ValueId] {
        let at = self.at[inst];
        &self.tensors[at.start as usize..at.results as usize]
    }

    pub(super) fn results(&self, inst: InstId) -> &[ValueId] {
        let at = self.at[inst];
        &self.tensors[at.results as usize..at.end as usize]
    }

    /// Operands, then results.
    pub(super) fn tensors(&self, inst: InstId) -> &[ValueId] {
        let at = self.at[inst];
        &self.tensors[at.start as usize..at.end as usize]
    }

    /// Whether anything is planned for a value: it has a sharding.
    pub(super) fn is_planned(&self, value: ValueId) -> bool {
        self.wish[value].is_some()
    }

    /// How often an instruction runs.
    pub(super) fn times(&self, inst: InstId) -> f64 {
        self.at[inst].times
    }

    /// How often a value is made.
    pub(super) fn times_of(&self, value: ValueId) -> f64 {
        self.made[value]
    }
}

/// How often each function runs. Completion has given every call a function of its own.
pub(super) fn calls(module: &Module) -> IdMap<FuncId, f64> {
    let mut times = IdMap::filled(module.funcs.len(), 0.0);
    let mut stack = vec![(module.entry, 1.0)];
    while let Some((id, often)) = stack.pop() {
        times[id] += often;
        let func = &module.funcs[id];
        let mut inside: IdMap<BlockId, f64> = IdMap::filled(func.block_count(), often);
        for inst in program_insts(func) {
            let info = func.inst(inst);
            let here = inside[func.block_of(inst)];
            for region in &info.regions {
                inside[*region] = here * trips(module, func, inst);
            }
            if let Some(Structure::Call(call)) = info.op.structure() {
                stack.push((call.callee, here));
            }
        }
    }
    times
}

fn trips(module: &Module, func: &Function, inst: InstId) -> f64 {
    const UNKNOWN: f64 = 16.0;
    match func.inst(inst).op.structure() {
        Some(Structure::Scan(scan)) => scan.trips as f64,
        Some(Structure::Control(Control::While)) => {
            trip_count(module, func, inst).map_or(UNKNOWN, |trips| trips as f64)
        }
        Some(Structure::Control(Control::If | Control::Case | Control::Fusion { .. })) => 1.0,
        Some(Structure::Call(_) | Structure::Sharding(_) | Structure::Token(_)) | None => 1.0,
    }
}
