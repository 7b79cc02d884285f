//! What one step does to a layout: a collective, or a free slice.

use super::layouts::Spot;
use super::opened::Opened;
use super::question::Question;
use crate::atoms::{Atom, AtomSet};
use meshwright_cost::{Coefficient, CollectiveCost, Machine, Pattern};

/// One step from a layout. What it moves follows from that layout.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Move {
    /// Append a free atom to a dim.
    Slice {
        dim: usize,
        atom: Atom,
    },
    /// Drop the last atoms of a dim.
    Gather {
        dim: usize,
        count: usize,
    },
    /// Move the last atoms of a dim to the end of another.
    AllToAll {
        from: usize,
        to: usize,
        count: usize,
    },
    /// Two atoms of one size change places, or two neighbours within a dim.
    Exchange(Atom, Atom),
    /// All atoms go where they are wanted: every dim has as many tiles already.
    Settle,
    AllReduce {
        atoms: AtomSet,
    },
    /// Finish the first atoms that a dim wants of a partial sum, and append them to it.
    ReduceScatter {
        dim: usize,
        count: usize,
    },
    /// All wanted atoms over which the value is replicated join a partial sum.
    ToPartial,
}

/// What a step changes but for names: tiles, and what is sent by which pattern.
pub struct Effect {
    /// A dim that is split further, and by how many.
    pub split: Option<(usize, i64)>,
    /// A dim of which so many tiles are put together.
    pub joined: Option<(usize, i64)>,
    pub pattern: Option<Pattern>,
    /// Who takes part: so many devices, which differ in these atoms.
    pub group: i64,
    pub among: AtomSet,
}

impl Effect {
    /// Tiles of each dim behind the step.
    pub fn tiles<'a>(&self, before: &'a [i64]) -> impl Iterator<Item = i64> + Clone + use<'a> {
        let (split, joined) = (self.split, self.joined);
        before.iter().enumerate().map(move |(dim, tiles)| {
            let tiles = split.filter(|(at, _)| *at == dim).map_or(*tiles, |(_, factor)| tiles * factor);
            joined.filter(|(at, _)| *at == dim).map_or(tiles, |(_, factor)| tiles / factor)
        })
    }

    pub fn cost(&self, question: &Question, before: i64, after: i64, machine: &Machine) -> CollectiveCost {
        let Some(pattern) = self.pattern else {
            return CollectiveCost { sent: 0.0, seconds: machine[Coefficient::Launch] };
        };
        match question.group(self.among, &machine.network) {
            Some(group) => CollectiveCost::among(pattern, &group, before, after, machine),
            None => CollectiveCost::of(pattern, self.group, before, after, machine),
        }
    }
}

impl Question {
    pub fn effect(&self, here: &Opened, step: Move, goal: &Opened) -> Effect {
        let nothing =
            Effect { split: None, joined: None, pattern: None, group: 1, among: AtomSet::default() };
        let last = |dim: usize, count| {
            let atoms = tail(&here.dims[dim], count);
            (self.sizes(atoms), AtomSet::of(atoms))
        };
        match step {
            Move::Slice { dim, atom } => Effect { split: Some((dim, self.size(atom))), ..nothing },
            Move::Gather { dim, count } => {
                let (group, among) = last(dim, count);
                let pattern = Some(Pattern::AllGather);
                Effect { joined: Some((dim, group)), pattern, group, among, ..nothing }
            }
            Move::AllToAll { from, to, count } => {
                let (group, among) = last(from, count);
                let pattern = Some(Pattern::AllToAll);
                Effect { split: Some((to, group)), joined: Some((from, group)), pattern, group, among }
            }
            Move::Exchange(a, b) => {
                let among = AtomSet::of(&[a, b]);
                Effect { pattern: Some(Pattern::Permute), among, ..nothing }
            }
            Move::Settle => {
                let among = AtomSet::first(self.atoms.len());
                Effect { pattern: Some(Pattern::Permute), among, ..nothing }
            }
            Move::AllReduce { atoms } => {
                let finished = here.partial.iter().filter(|atom| atoms.has(**atom));
                let group = finished.map(|atom| self.size(*atom)).product();
                Effect { pattern: Some(Pattern::AllReduce), group, among: atoms, ..nothing }
            }
            Move::ReduceScatter { dim, count } => {
                let atoms = &scattered(here, goal, dim)[..count];
                let (group, among) = (self.sizes(atoms), AtomSet::of(atoms));
                let pattern = Some(Pattern::ReduceScatter);
                Effect { split: Some((dim, group)), pattern, group, among, ..nothing }
            }
            Move::ToPartial => nothing,
        }
    }
}

/// The places of atoms behind a step.
pub fn spots_after(here: &Opened, step: Move, goal: &Opened, spots: &mut Vec<Spot>) {
    spots.clone_from(&here.spots);
    let mut append = |atoms: &[Atom], dim: usize| {
        for (at, atom) in atoms.iter().enumerate() {
            spots[usize::from(*atom)] = Spot::on(dim, here.dims[dim].len() + at);
        }
    };
    match step {
        Move::Slice { dim, atom } => append(&[atom], dim),
        Move::AllToAll { from, to, count } => append(tail(&here.dims[from], count), to),
        Move::ReduceScatter { dim, count } => append(&scattered(here, goal, dim)[..count], dim),
        Move::Exchange(a, b) => spots.swap(usize::from(a), usize::from(b)),
        Move::Settle => spots.clone_from(&goal.spots),
        Move::Gather { dim, count } => set(spots, tail(&here.dims[dim], count), Spot::FREE),
        Move::AllReduce { atoms } => {
            let finished = here.partial.iter().copied().filter(|atom| atoms.has(*atom));
            set(spots, &finished.collect::<Vec<_>>(), Spot::FREE);
        }
        Move::ToPartial => set(spots, &joining(here, goal), Spot::PARTIAL),
    }
}

fn set(spots: &mut [Spot], atoms: &[Atom], place: Spot) {
    for atom in atoms {
        spots[usize::from(*atom)] = place;
    }
}

/// The last atoms of a dim.
pub fn tail(atoms: &[Atom], count: usize) -> &[Atom] {
    &atoms[atoms.len() - count..]
}

/// Partial atoms that are to be finished.
pub fn to_finish(here: &Opened, goal: &Opened) -> Vec<Atom> {
    here.partial.iter().copied().filter(|atom| !goal.partial.contains(atom)).collect()
}

/// Those of them that a dim wants, as it wants them.
pub fn scattered(here: &Opened, goal: &Opened, dim: usize) -> Vec<Atom> {
    let to_finish = to_finish(here, goal);
    goal.dims[dim].iter().copied().filter(|atom| to_finish.contains(atom)).collect()
}

/// Atoms over which the value is replicated, and is to be partial.
pub fn joining(here: &Opened, goal: &Opened) -> Vec<Atom> {
    goal.partial.iter().copied().filter(|atom| here.is_free(*atom)).collect()
}

/// Every step from a layout, in a fixed order.
pub fn moves(question: &Question, here: &Opened, goal: &Opened) -> Vec<Move> {
    let mut moves = Vec::new();
    for (dim, wanted) in goal.dims.iter().enumerate() {
        let free = wanted.iter().filter(|atom| here.is_free(**atom));
        moves.extend(free.map(|atom| Move::Slice { dim, atom: *atom }));
    }
    reductions(question, here, goal, &mut moves);
    all_to_alls(here, goal, &mut moves);
    permutes(question, here, goal, &mut moves);
    for (dim, atoms) in here.dims.iter().enumerate() {
        moves.extend((1..=atoms.len()).map(|count| Move::Gather { dim, count }));
    }
    moves
}

fn reductions(question: &Question, here: &Opened, goal: &Opened, moves: &mut Vec<Move>) {
    let to_finish = to_finish(here, goal);
    moves.extend(subsets(&to_finish).map(|atoms| Move::AllReduce { atoms }));
    if !to_finish.is_empty() {
        for dim in 0..goal.dims.len() {
            let most = scattered(here, goal, dim).len();
            moves.extend((1..=most).map(|count| Move::ReduceScatter { dim, count }));
        }
    }
    // Neutral elements of another reducer must not be reduced with what is still to finish.
    let mixes = !to_finish.is_empty() && question.changes_reducer;
    if !mixes && goal.partial.iter().any(|atom| here.is_free(*atom)) {
        moves.push(Move::ToPartial);
    }
}

/// Atoms move only to a dim that wants every one of them.
fn all_to_alls(here: &Opened, goal: &Opened, moves: &mut Vec<Move>) {
    let dims = here.dims.len();
    for (from, to) in (0..dims).flat_map(|from| (0..dims).map(move |to| (from, to))).filter(|(a, b)| a != b) {
        let wanted = here.dims[from].iter().rev().take_while(|atom| goal.dims[to].contains(atom)).count();
        moves.extend((1..=wanted).map(|count| Move::AllToAll { from, to, count }));
    }
}

/// Settle all, or exchange the atom at a place with its next neighbour, or with any atom of its size elsewhere or
/// unused.
fn permutes(question: &Question, here: &Opened, goal: &Opened, moves: &mut Vec<Move>) {
    if here.spots != goal.spots && here.tiles == goal.tiles && here.partial == goal.partial {
        moves.push(Move::Settle);
    }
    let all = || (0..question.atoms.len()).map(|atom| atom as Atom);
    for atoms in &here.dims {
        for (at, atom) in atoms.iter().enumerate() {
            moves.extend(atoms.get(at + 1).map(|next| Move::Exchange(*atom, *next)));
            let fits = |other: &Atom| {
                other != atom
                    && question.size(*other) == question.size(*atom)
                    && !here.partial.contains(other)
            };
            moves.extend(all().filter(fits).map(|other| Move::Exchange(*atom, other)));
        }
    }
}

/// Non-empty subsets; beyond a few atoms only the whole set and the single ones.
fn subsets(atoms: &[Atom]) -> impl Iterator<Item = AtomSet> {
    const FEW: usize = 4;
    let is_few = atoms.len() <= FEW;
    let picked = |bits: u64| {
        let picked = atoms.iter().enumerate().filter(|(at, _)| bits >> at & 1 == 1).map(|(_, atom)| *atom);
        AtomSet::of(&picked.collect::<Vec<_>>())
    };
    let few: Vec<AtomSet> =
        if is_few { (1..1u64 << atoms.len()).rev().map(picked).collect() } else { Vec::new() };
    let many = (!is_few).then(|| AtomSet::of(atoms));
    let single = atoms.iter().filter(move |_| !is_few).map(|atom| AtomSet::of(&[*atom]));
    few.into_iter().chain(many).chain(single)
}
