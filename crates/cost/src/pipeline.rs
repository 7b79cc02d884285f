//! Pipelines in a program, and what of its work is of use: a loop is one if what it carries moves on by one stage each
//! trip.
//!
//! ```text
//! while (%b, ..) {                        stages that %b has room for: 4     trips: 19
//!   %c = stage(%b)                        bubbles: (4 - 1) / 19 of the work
//!   return select(first, %in, moved %c)
//! }
//! ```
//!
//! Nothing marks such a loop. It is known by its dependences: every way from something carried to its next value
//! passes one move along a dim, be it a permute between devices, rows that change places, or both. So a module of any
//! front end that shifts a buffer is told of alike, and forward and backward loops are. A stencil is none: what it
//! carries also stays where it is.
//!
//! With `m` microbatches and `r` rounds there are `r m + stages - 1` trips, and each stage has `r m` of them of use:
//! the share of bubbles is `(stages - 1) / trips` for GPipe's schedule and the circular one.
//!
//! What is computed again is known by its name ([`again`](crate::again)).

use crate::machine::Machine;
use crate::pattern::Pattern;
use crate::traffic::{Traffic, block_traffic};
use meshwright_base::IdMap;
use meshwright_ir::op::{Collective, CollectiveKind, Control, Movement};
use meshwright_ir::raise_scan::trip_count;
use meshwright_ir::{BlockId, FuncId, Function, InstId, Module, Op, ValueId};
use std::collections::{BTreeMap, BTreeSet};

/// A loop over the trips of a pipeline.
#[derive(Clone, PartialEq, Debug)]
pub struct PipelineLoop {
    pub stages: i64,
    pub trips: i64,
    /// How often the program comes to it.
    pub times: f64,
    /// Flops of contractions of all trips, on a device.
    pub flops: f64,
    /// Those of them that are computed again.
    pub again: f64,
    /// Bytes that a device sends to the next stage in all trips.
    pub moved: f64,
}

impl PipelineLoop {
    /// The share of trips that a stage spends on padding.
    pub fn bubble(&self) -> f64 {
        (self.stages - 1) as f64 / self.trips as f64
    }
}

/// What the flops of a program's contractions are for.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Usefulness {
    pub loops: Vec<PipelineLoop>,
    /// All flops of contractions.
    pub flops: f64,
    /// Those that stages compute on padding.
    pub bubbles: f64,
    /// Those that are computed again, on data.
    pub again: f64,
}

impl Usefulness {
    pub fn useful(&self) -> f64 {
        self.flops - self.bubbles - self.again
    }

    /// Bytes that a device sends from stage to stage.
    pub fn moved(&self) -> f64 {
        self.loops.iter().map(|one| one.moved).sum()
    }
}

/// What a program's work is for, of which `total` is all.
pub fn usefulness(module: &Module, machine: &Machine, total: &Traffic) -> Usefulness {
    let mut finder = Finder { module, machine, loops: Vec::new(), depth: 0 };
    let main = module.main();
    finder.block(main, main.root(), 1.0);
    let loops = finder.loops;
    let sum = |of: &dyn Fn(&PipelineLoop) -> f64| loops.iter().map(of).sum::<f64>();
    let bubbles = sum(&|one| one.flops * one.bubble());
    let padded = sum(&|one| one.again * one.bubble());
    Usefulness { flops: total.contraction_flops, bubbles, again: total.again_flops - padded, loops }
}

struct Finder<'a> {
    module: &'a Module,
    machine: &'a Machine,
    loops: Vec<PipelineLoop>,
    depth: usize,
}

impl Finder<'_> {
    fn block(&mut self, func: &Function, block: BlockId, times: f64) {
        for inst in &func.block(block).insts {
            let trips = match &func.inst(*inst).op {
                Op::Scan(scan) => Some(scan.trips),
                Op::Control(Control::While) => trip_count(self.module, func, *inst),
                Op::Call(call) => {
                    self.function(call.callee, times);
                    continue;
                }
                _ => None,
            };
            let found = trips.and_then(|trips| self.pipeline(func, *inst, trips, times));
            let goes_in = found.is_none();
            self.loops.extend(found);
            for region in func.inst(*inst).regions.iter().filter(|_| goes_in) {
                self.block(func, *region, times * trips.unwrap_or(1) as f64);
            }
        }
    }

    fn function(&mut self, callee: FuncId, times: f64) {
        const DEEPEST: usize = 256;
        let Some(func) = self.module.funcs.get(callee).filter(|_| self.depth < DEEPEST) else { return };
        self.depth += 1;
        self.block(func, func.root(), times);
        self.depth -= 1;
    }

    fn pipeline(&self, func: &Function, inst: InstId, trips: i64, times: f64) -> Option<PipelineLoop> {
        let body = *func.inst(inst).regions.last()?;
        let stages = stages(func, inst, body).filter(|stages| (2..=trips).contains(stages))?;
        let inside = block_traffic(self.module, self.machine, func, body, times * trips as f64);
        // What the stages themselves send lies along other axes, in other patterns.
        let permutes = inside.by_pattern.get(&Pattern::Permute);
        Some(PipelineLoop {
            stages,
            trips,
            times,
            flops: inside.contraction_flops,
            again: inside.again_flops,
            moved: permutes.map_or(0.0, |total| total.sent),
        })
    }
}

/// How a value comes from something carried: by ways with no move, with one, with more; and along how many stages.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
struct Ways {
    stays: bool,
    moves: bool,
    moves_on: bool,
    stages: i64,
}

impl Ways {
    fn or(self, other: Ways) -> Ways {
        Ways {
            stays: self.stays || other.stays,
            moves: self.moves || other.moves,
            moves_on: self.moves_on || other.moves_on,
            stages: self.stages.max(other.stages),
        }
    }

    fn moved(self, stages: i64) -> Ways {
        let (moves, moves_on) = (self.stays, self.moves || self.moves_on);
        Ways { stays: false, moves, moves_on, stages: if moves { stages } else { self.stages } }
    }

    fn is_pipeline(self) -> bool {
        self.moves && !self.stays && !self.moves_on
    }
}

/// The stages of a loop of which something carried is a shifting buffer.
pub(crate) fn stages(func: &Function, inst: InstId, body: BlockId) -> Option<i64> {
    let carried = match &func.inst(inst).op {
        Op::Scan(scan) => scan.carries,
        _ => func.inst(inst).operands.len(),
    };
    let block = func.block(body);
    let moves: BTreeMap<InstId, Move> =
        block.insts.iter().filter_map(|inst| Some((*inst, Move::of(func, *inst)?))).collect();
    if moves.is_empty() {
        return None;
    }
    let has_room = |at: &usize| block.params.get(*at).is_some_and(|param| !func.dims(*param).is_empty());
    (0..carried.min(block.results.len())).filter(has_room).find_map(|at| {
        let ways = ways(func, body, block.params[at], &moves, block.results[at]);
        ways.is_pipeline().then_some(ways.stages)
    })
}

/// How a value of a block comes from another.
fn ways(func: &Function, body: BlockId, from: ValueId, moves: &BTreeMap<InstId, Move>, to: ValueId) -> Ways {
    let mut known: IdMap<ValueId, Ways> = IdMap::filled(func.value_count(), Ways::default());
    known[from] = Ways { stays: true, ..Ways::default() };
    for inst in &func.block(body).insts {
        let info = func.inst(*inst);
        let of = |values: &[ValueId]| values.iter().fold(Ways::default(), |all, one| all.or(known[*one]));
        let mut ways = match moves.get(inst) {
            Some(one) => known[one.of].moved(one.stages),
            None => of(&info.operands),
        };
        if !info.regions.is_empty() {
            let mut used = Vec::new();
            used_inside(func, &info.regions, &mut used);
            ways = ways.or(of(&used));
        }
        info.results.iter().for_each(|result| known[*result] = ways);
    }
    known[to]
}

/// Values that blocks use, theirs or not.
pub(crate) fn used_inside(func: &Function, blocks: &[BlockId], used: &mut Vec<ValueId>) {
    for block in blocks {
        used.extend(&func.block(*block).results);
        for inst in &func.block(*block).insts {
            used.extend(&func.inst(*inst).operands);
            used_inside(func, &func.inst(*inst).regions, used);
        }
    }
}

/// An instruction behind which the rows of a value are one place further.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Move {
    of: ValueId,
    stages: i64,
}

impl Move {
    fn of(func: &Function, inst: InstId) -> Option<Move> {
        let info = func.inst(inst);
        match &info.op {
            Op::Collective(Collective { kind: CollectiveKind::Permute { pairs }, .. }) => {
                Some(Move { of: *info.operands.first()?, stages: length(pairs) })
            }
            Op::Movement(Movement::Concatenate(concatenate)) => {
                rows_moved(func, &info.operands, concatenate.dim)
            }
            Op::Movement(Movement::Slice(_)) => padded_and_cut(func, inst),
            // Two rows that change places.
            Op::Movement(Movement::Reverse(reverse)) => {
                let of = *info.operands.first()?;
                let [dim] = reverse.dims[..] else { return None };
                (func.dims(of)[dim] == 2).then_some(Move { of, stages: 2 })
            }
            Op::Movement(Movement::Pad(pad)) => {
                let one = pad.low.iter().zip(&pad.high).position(|(low, high)| *low != 0 && *low == -high)?;
                let of = *info.operands.first()?;
                Some(Move { of, stages: func.dims(of)[one] })
            }
            _ => None,
        }
    }
}

/// How many devices stand on the longest line or ring of a permute.
fn length(pairs: &[(u32, u32)]) -> i64 {
    let next: BTreeMap<u32, u32> = pairs.iter().copied().filter(|(from, to)| from != to).collect();
    let Some(first) = pairs.iter().map(|(from, _)| *from).find(|from| next.contains_key(from)) else {
        return 1;
    };
    let targets: BTreeSet<u32> = next.values().copied().collect();
    let start = next.keys().copied().find(|from| !targets.contains(from)).unwrap_or(first);
    let mut line =
        std::iter::successors(next.get(&start).copied(), |at| next.get(at).copied().filter(|_| *at != start));
    let steps = line.by_ref().take(next.len() + 1).filter(|at| *at != start).count();
    steps as i64 + 1
}

/// `concat(fresh, v[..n - 1])`, `concat(v[n - 1..], v[..n - 1])`, and the same with a piece that comes from the next
/// device.
fn rows_moved(func: &Function, pieces: &[ValueId], dim: usize) -> Option<Move> {
    let (mut at, mut found, mut crossed, mut all) = (0, None, 1, 0);
    for piece in pieces {
        let (piece_of, line) = through_permute(func, *piece);
        crossed = crossed.max(line);
        let rows = func.dims(*piece)[dim];
        if let Some((of, start)) = cut(func, piece_of, dim)
            && (start != at || line > 1)
        {
            found = found.or(Some(of)).filter(|known| *known == of);
            all = func.dims(of)[dim];
        }
        at += rows;
    }
    let of = found.filter(|_| at == all)?;
    Some(Move { of, stages: all * crossed })
}

/// What a permute sends, and along how many devices.
fn through_permute(func: &Function, value: ValueId) -> (ValueId, i64) {
    let info = func.def_inst(value).map(|inst| func.inst(inst));
    match info.map(|info| (&info.op, &info.operands[..])) {
        Some((Op::Collective(Collective { kind: CollectiveKind::Permute { pairs }, .. }), [operand])) => {
            (*operand, length(pairs))
        }
        _ => (value, 1),
    }
}

/// Of a slice along one dim: what it is of, and where it begins.
fn cut(func: &Function, value: ValueId, dim: usize) -> Option<(ValueId, i64)> {
    let info = func.inst(func.def_inst(value)?);
    let Op::Movement(Movement::Slice(slice)) = &info.op else { return None };
    Some((*info.operands.first()?, *slice.start.get(dim)?))
}

/// `pad(v, low = 1)[..n]`, `pad(v, high = 1)[1..]`.
fn padded_and_cut(func: &Function, inst: InstId) -> Option<Move> {
    let info = func.inst(inst);
    let padded = *info.operands.first()?;
    let before = func.inst(func.def_inst(padded)?);
    let (Op::Movement(Movement::Slice(slice)), Op::Movement(Movement::Pad(pad))) = (&info.op, &before.op)
    else {
        return None;
    };
    let of = *before.operands.first()?;
    let same = func.dims(of) == func.dims(*info.results.first()?);
    let moves = |dim: &usize| pad.low[*dim] != slice.start[*dim];
    let dim = (0..slice.start.len()).find(moves).filter(|_| same)?;
    Some(Move { of, stages: func.dims(of)[dim] })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ring_and_a_line_have_as_many_devices() {
        assert_eq!(length(&[(0, 1), (1, 2), (2, 3), (3, 0)]), 4);
        assert_eq!(length(&[(2, 3), (0, 1), (1, 2)]), 4);
        assert_eq!(length(&[(0, 2), (1, 3), (2, 0), (3, 1)]), 2);
        assert_eq!(length(&[(0, 0), (1, 1)]), 1);
    }
}
