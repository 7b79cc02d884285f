//! From a question in numbers back to axes: a chain of steps as reshards and shardings.

use super::moves::{Move, joining, scattered, tail};
use super::opened::Opened;
use super::path::{Path, ReshardStep, Subject};
use super::question::Question;
use super::search::{Chain, Ends, cheapest};
use super::setting::{Room, Setting};
use crate::atoms::{Atom, AtomSize, Atoms};
use meshwright_cost::{CollectiveCost, Machine, Pattern};
use meshwright_ir::op::ReshardOp;
use meshwright_ir::op::sharding::AxisMove;
use meshwright_shard::{AxisRef, DimSharding, Mesh, Reducer, Sharding};

/// The ends of a way, and what its steps are called.
pub struct Ways<'a> {
    subject: Subject<'a>,
    machine: &'a Machine,
    from: &'a Sharding,
    to: &'a Sharding,
    atoms: Atoms,
    pub question: Question,
    /// The dims of the value that the question's dims are.
    split: Vec<usize>,
}

impl<'a> Ways<'a> {
    /// `None` if no sums that both ends have could stay, or atoms are too many to number.
    pub fn new(
        subject: Subject<'a>,
        [from, to]: [&'a Sharding; 2],
        mesh: &Mesh,
        size: AtomSize,
        machine: &'a Machine,
    ) -> Option<Self> {
        let atoms = Atoms::of(&[from, to], mesh, size)?;
        let (question, split) = Question::new(subject, &atoms, (mesh, &machine.network), from, to)?;
        Some(Ways { subject, machine, from, to, atoms, question, split })
    }

    pub fn cheapest(&self, room: Room, ends: Ends) -> Option<Chain> {
        cheapest(&Setting::new(&self.question, self.machine, room), ends)
    }

    pub fn path(&self, chain: &Chain) -> Path {
        let mut path = Path { steps: Vec::new(), seconds: chain.seconds, sent: chain.sent };
        let [mut before, goal] =
            [&self.question.start, &self.question.goal].map(|end| Opened::new(&self.question, end));
        for (step, spots) in &chain.steps {
            let after = Opened::new(&self.question, spots);
            path.steps.push(self.step(*step, &before, &after, &goal));
            before = after;
        }
        self.join(&mut path);
        path
    }

    /// Slices and permutes that follow each other are one step.
    fn join(&self, path: &mut Path) {
        let mut joined: Vec<ReshardStep> = Vec::new();
        for step in path.steps.drain(..) {
            match (joined.last_mut(), &step.op) {
                (Some(last), ReshardOp::Permute) if last.op == ReshardOp::Permute => {
                    last.to = step.to;
                    let bytes = self.subject.local_bytes(&last.to);
                    let twice = CollectiveCost::of(Pattern::Permute, 1, bytes, bytes, self.machine);
                    path.seconds -= twice.seconds;
                    path.sent -= twice.sent;
                }
                (
                    Some(ReshardStep { op: ReshardOp::AllSlice { axes }, to }),
                    ReshardOp::AllSlice { axes: more },
                ) => {
                    for (axes, more) in axes.iter_mut().zip(more) {
                        axes.extend_from_slice(more);
                    }
                    *to = step.to;
                }
                _ => joined.push(step),
            }
        }
        path.steps = joined;
    }

    fn sharding(&self, layout: &Opened, goal: &Opened) -> Sharding {
        let mut sharding = self.from.clone();
        sharding.dims = vec![DimSharding::closed(Vec::new()); sharding.dims.len()];
        for (atoms, dim) in layout.dims.iter().zip(&self.split) {
            sharding.dims[*dim] = DimSharding::closed(self.atoms.write(atoms));
        }
        sharding.partial = self.atoms.write(&layout.partial);
        sharding.reducer = match (layout.partial.is_empty(), layout.partial == goal.partial) {
            (true, _) => Reducer::Sum,
            (false, true) => self.to.reducer,
            (false, false) => self.from.reducer,
        };
        sharding.replicated = Vec::new();
        sharding
    }

    fn step(&self, step: Move, before: &Opened, after: &Opened, goal: &Opened) -> ReshardStep {
        let reducer = self.from.reducer;
        let op = match step {
            Move::Slice { dim, atom } => ReshardOp::AllSlice { axes: self.on_dim(dim, &[atom]) },
            Move::Gather { dim, count } => {
                ReshardOp::AllGather { axes: self.on_dim(dim, tail(&before.dims[dim], count)) }
            }
            Move::AllToAll { from, to, count } => {
                let axes = self.atoms.write(tail(&before.dims[from], count));
                ReshardOp::AllToAll {
                    moves: vec![AxisMove { axes, from: self.split[from], to: self.split[to] }],
                }
            }
            Move::Exchange(..) | Move::Settle => ReshardOp::Permute,
            Move::AllReduce { atoms } => {
                let finished: Vec<Atom> =
                    before.partial.iter().copied().filter(|atom| atoms.has(*atom)).collect();
                ReshardOp::AllReduce { axes: self.atoms.write(&finished), reducer }
            }
            Move::ReduceScatter { dim, count } => {
                let atoms = scattered(before, goal, dim);
                ReshardOp::ReduceScatter { axes: self.on_dim(dim, &atoms[..count]), reducer }
            }
            Move::ToPartial => ReshardOp::ToPartial {
                axes: self.atoms.write(&joining(before, goal)),
                reducer: self.to.reducer,
            },
        };
        ReshardStep { op, to: self.sharding(after, goal) }
    }

    /// Axes on one dim of the question, by the dims of the value.
    fn on_dim(&self, dim: usize, atoms: &[Atom]) -> Vec<Vec<AxisRef>> {
        let mut axes = vec![Vec::new(); self.from.rank()];
        axes[self.split[dim]] = self.atoms.write(atoms);
        axes
    }
}
