//! Layouts of one value as numbers: where each atom lies.
//!
//! ```text
//! x at the first place of dim 0, y behind it, z partial, w free      [d0p0 d0p1 partial free]
//! ```
//!
//! A layout is a short list of places, an atom's at its index, and is met again by its number. What is
//! read of one when a search goes on from it is in `opened`.

use meshwright_base::{Id, LookupMap, define_id};

define_id!(
    /// A layout that a search has met.
    pub LayoutId, "layout"
);

/// Where an atom lies.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Spot(u16);

impl Spot {
    /// Nowhere: devices along it have the same.
    pub const FREE: Spot = Spot(0);
    pub const PARTIAL: Spot = Spot(1);
    /// Dims and places of a dim that have a number. A mesh of 2^63 devices has fewer atoms.
    pub const MOST: usize = 255;

    /// So many atoms of the dim are major to it.
    pub fn on(dim: usize, at: usize) -> Spot {
        debug_assert!(dim < Spot::MOST && at < Spot::MOST, "beyond what is numbered");
        Spot((dim as u16 + 1) << 8 | at as u16)
    }

    pub fn dim(self) -> Option<(usize, usize)> {
        let (dim, at) = (usize::from(self.0 >> 8), usize::from(self.0 & 0xff));
        (dim > 0).then(|| (dim - 1, at))
    }
}

/// The layouts met so far.
pub struct Layouts {
    atoms: usize,
    spots: Vec<Spot>,
    /// By their spots, four in a word.
    ids: LookupMap<Box<[u64]>, LayoutId>,
    words: Vec<u64>,
}

impl Layouts {
    pub fn of_atoms(atoms: usize) -> Self {
        Layouts { atoms, spots: Vec::new(), ids: LookupMap::default(), words: Vec::new() }
    }

    pub fn len(&self) -> usize {
        self.ids.len()
    }

    pub fn get(&self, id: LayoutId) -> &[Spot] {
        &self.spots[id.index() * self.atoms..][..self.atoms]
    }

    /// The number of a layout: the next one if it was not met before.
    pub fn number(&mut self, spots: &[Spot]) -> LayoutId {
        let word = |four: &[Spot]| four.iter().fold(0, |word, spot| word << 16 | u64::from(spot.0));
        self.words.clear();
        self.words.extend(spots.chunks(4).map(word));
        if let Some(id) = self.ids.get(&self.words[..]) {
            return *id;
        }
        let id = LayoutId::from_index(self.ids.len());
        self.ids.insert(self.words.as_slice().into(), id);
        self.spots.extend_from_slice(spots);
        id
    }
}
