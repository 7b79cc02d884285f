//! Layouts of one value as numbers: where each atom lies.
//!
//! ```text
//! x at the first place of dim 0, y behind it, z partial, w free      [d0p0 d0p1 partial free]
//! ```
//!
//! A layout is a short list of places, an atom's at its index, and is met again by its number. What a search reads of
//! one, lists of atoms by dim and how much a device holds, is opened when the search goes on from there.

use super::question::Question;
use crate::atoms::Atom;
use meshwright_base::{Id, LookupMap, define_id};

define_id!(
    /// A layout that a search has met.
    pub LayoutId, "layout"
);

/// Where an atom lies.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Place(u16);

impl Place {
    /// Nowhere: devices along it have the same.
    pub const FREE: Place = Place(0);
    pub const PARTIAL: Place = Place(1);
    /// Dims and places of a dim that have a number. A mesh of 2^63 devices has fewer atoms.
    pub const MOST: usize = 255;

    /// So many atoms of the dim are major to it.
    pub fn on(dim: usize, at: usize) -> Place {
        debug_assert!(dim < Place::MOST && at < Place::MOST, "beyond what places number");
        Place((dim as u16 + 1) << 8 | at as u16)
    }

    fn dim(self) -> Option<(usize, usize)> {
        let (dim, at) = (usize::from(self.0 >> 8), usize::from(self.0 & 0xff));
        (dim > 0).then(|| (dim - 1, at))
    }
}

/// The layouts met so far.
pub struct Layouts {
    atoms: usize,
    places: Vec<Place>,
    ids: LookupMap<Box<[Place]>, LayoutId>,
}

impl Layouts {
    pub fn of_atoms(atoms: usize) -> Self {
        Layouts { atoms, places: Vec::new(), ids: LookupMap::default() }
    }

    pub fn len(&self) -> usize {
        self.ids.len()
    }

    pub fn get(&self, id: LayoutId) -> &[Place] {
        &self.places[id.index() * self.atoms..][..self.atoms]
    }

    /// The number of a layout: the next one if it was not met before.
    pub fn number(&mut self, places: &[Place]) -> LayoutId {
        if let Some(id) = self.ids.get(places) {
            return *id;
        }
        let id = LayoutId::from_index(self.ids.len());
        self.ids.insert(places.into(), id);
        self.places.extend_from_slice(places);
        id
    }
}

/// A layout as a search goes on from it.
pub struct Opened {
    pub places: Vec<Place>,
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
    pub fn new(question: &Question, places: &[Place]) -> Self {
        let atoms = || (0..places.len()).map(|atom| atom as Atom);
        let mut dims = vec![Vec::new(); question.dims.len()];
        let mut placed: Vec<_> =
            atoms().filter_map(|atom| Some((places[usize::from(atom)].dim()?, atom))).collect();
        placed.sort_unstable();
        for ((dim, _), atom) in placed {
            dims[dim].push(atom);
        }
        let partial = atoms().filter(|atom| places[usize::from(*atom)] == Place::PARTIAL).collect();
        let tiles: Vec<i64> = dims.iter().map(|dim| question.sizes(dim)).collect();
        let bytes = question.bytes(tiles.iter().copied());
        Opened { places: places.to_vec(), dims, partial, tiles, bytes }
    }

    pub fn is_free(&self, atom: Atom) -> bool {
        self.places[usize::from(atom)] == Place::FREE
    }
}
