//! A question about the way between two shardings, in numbers: all that the answer depends on, and no more.
//!
//! Names of axes are gone, and so are dims that are whole at both ends, where no way leads: they only make all pieces
//! larger. Questions that differ in nothing else are one, and have one answer.

use super::layouts::Spot;
use super::path::Subject;
use crate::atoms::{Atom, AtomSet, Atoms};
use meshwright_cost::network::{Group, Network, Piece};
use meshwright_shard::{Mesh, Sharding};

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Question {
    /// Size of each atom.
    pub atoms: Vec<i64>,
    /// Sizes of the dims that are split at an end.
    pub dims: Vec<i64>,
    /// Bits of the value at one place of these dims.
    bits: i64,
    pub start: Vec<Spot>,
    pub goal: Vec<Spot>,
    /// Whether partial sums of both ends are of different reducers.
    pub changes_reducer: bool,
    /// What of the machine's network each atom lies on; `None` where one switch joins all, or some atom lies across.
    pub lies: Option<Vec<Vec<Piece>>>,
}

impl Question {
    /// The question, and which dims of the value its dims are. `None` if no sums could stay that both ends have, or
    /// there are more atoms than a set has.
    pub fn new(
        subject: Subject<'_>,
        atoms: &Atoms,
        (mesh, network): (&Mesh, &Network),
        from: &Sharding,
        to: &Sharding,
    ) -> Option<(Question, Vec<usize>)> {
        let is_split = |at: usize| [from, to].iter().any(|end| !end.dims[at].axes.is_empty());
        let (split, whole): (Vec<usize>, Vec<usize>) = (0..from.rank()).partition(|at| is_split(*at));
        let start = spots(atoms, &split, from);
        let goal = spots(atoms, &split, to);
        let changes_reducer = from.reducer != to.reducer;
        let stays = |(a, b)| a == b && b == Spot::PARTIAL;
        let mut both = start.iter().copied().zip(goal.iter().copied());
        if atoms.count() > AtomSet::MOST || changes_reducer && both.any(stays) {
            return None;
        }
        let question = Question {
            atoms: (0..atoms.count()).map(|atom| atoms.size(atom as Atom)).collect(),
            dims: split.iter().map(|at| subject.dims[*at]).collect(),
            bits: whole.iter().map(|at| subject.dims[*at]).product::<i64>() * subject.element_bits,
            start,
            goal,
            changes_reducer,
            lies: atoms.on(mesh, network),
        };
        Some((question, split))
    }

    /// Devices that differ in these atoms, if it is known where they are.
    pub fn group(&self, atoms: AtomSet, network: &Network) -> Option<Group> {
        let lies = self.lies.as_ref()?;
        let pieces = atoms.atoms().flat_map(|atom| lies[usize::from(atom)].iter().copied());
        Some(Group::of_parts(network, pieces.collect()))
    }

    pub fn size(&self, atom: Atom) -> i64 {
        self.atoms[usize::from(atom)]
    }

    pub fn sizes(&self, atoms: &[Atom]) -> i64 {
        atoms.iter().map(|atom| self.size(*atom)).product()
    }

    /// Bytes of one device's piece.
    pub fn bytes(&self, tiles: impl Iterator<Item = i64>) -> i64 {
        let pieces: i64 =
            self.dims.iter().zip(tiles).map(|(size, tiles)| (size + tiles - 1) / tiles).product();
        (pieces * self.bits + 7) / 8
    }

    /// Whether every dim divides evenly into its tiles.
    pub fn divides(&self, tiles: impl Iterator<Item = i64>) -> bool {
        self.dims.iter().zip(tiles).all(|(size, tiles)| size % tiles == 0)
    }
}

fn spots(atoms: &Atoms, split: &[usize], sharding: &Sharding) -> Vec<Spot> {
    let mut spots = vec![Spot::FREE; atoms.count()];
    for (dim, of) in split.iter().enumerate() {
        for (at, atom) in atoms.read(&sharding.dims[*of].axes).into_iter().enumerate() {
            spots[usize::from(atom)] = Spot::on(dim, at);
        }
    }
    for atom in atoms.read(&sharding.partial) {
        spots[usize::from(atom)] = Spot::PARTIAL;
    }
    spots
}
