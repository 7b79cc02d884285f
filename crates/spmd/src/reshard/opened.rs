//! A layout opened: lists of atoms by dim, tiles, and how much a device holds.

use super::layouts::Spot;
use super::question::Question;
use crate::atoms::Atom;

/// A layout as a search goes on from it.
pub struct Opened {
    pub spots: Vec<Spot>,
    /// Atoms of each dim, major first.
    pub dims: Vec<Vec<Atom>>,
    /// In ascending order.
    pub partial: Vec<Atom>,
    /// Tiles of each dim.
    pub tiles: Vec<i64>,
    /// What a device holds.
    pub bytes: i64,
}

impl Opened {
    pub fn new(question: &Question, spots: &[Spot]) -> Self {
        let atoms = || (0..spots.len()).map(|atom| atom as Atom);
        let mut dims = vec![Vec::new(); question.dims.len()];
        let mut placed: Vec<_> =
            atoms().filter_map(|atom| Some((spots[usize::from(atom)].dim()?, atom))).collect();
        placed.sort_unstable();
        for ((dim, _), atom) in placed {
            dims[dim].push(atom);
        }
        let partial = atoms().filter(|atom| spots[usize::from(*atom)] == Spot::PARTIAL).collect();
        let tiles: Vec<i64> = dims.iter().map(|dim| question.sizes(dim)).collect();
        let bytes = question.bytes(tiles.iter().copied());
        Opened { spots: spots.to_vec(), dims, partial, tiles, bytes }
    }

    pub fn is_free(&self, atom: Atom) -> bool {
        self.spots[usize::from(atom)] == Spot::FREE
    }
}
