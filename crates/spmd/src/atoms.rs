//! Axes cut into atoms, so that shardings become lists of small numbers.
//!
//! Two shardings may name pieces of one axis that overlap without being equal (`x` and `x:(1)2`). Cut at every boundary
//! that any of them uses, an axis is a list of atoms, major first, and every sharding is an exact list of atoms.

use meshwright_base::arrange::Arrange;
use meshwright_cost::Wiring;
use meshwright_cost::network::{Network, Piece};
use meshwright_shard::{AxisId, AxisRef, Mesh, Sharding};

/// Index of an atom.
pub type Atom = u8;

/// Atoms as bits: a mesh of n atoms has 2^n devices at least, so 64 are too many for any.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct AtomSet(u64);

impl AtomSet {
    /// As many atoms can be in one.
    pub const MOST: usize = 63;

    pub fn of(atoms: &[Atom]) -> Self {
        AtomSet(atoms.iter().fold(0, |set, atom| set | 1 << atom))
    }

    /// The first so many.
    pub fn first(count: usize) -> Self {
        AtomSet((1 << count.min(Self::MOST)) - 1)
    }

    pub fn has(self, atom: Atom) -> bool {
        self.0 >> atom & 1 == 1
    }

    pub fn atoms(self) -> impl Iterator<Item = Atom> {
        (0..=Self::MOST as Atom).filter(move |atom| self.has(*atom))
    }
}

/// How far axes are cut.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AtomSize {
    /// Where a sharding cuts them.
    AsUsed,
    /// There, and on until every atom has prime size.
    Prime,
}

/// The atoms of one question, sorted by (axis, position), major first.
#[derive(Clone, Debug)]
pub struct Atoms {
    pieces: Vec<AxisRef>,
}

impl Atoms {
    /// Cut the axes of a mesh. `None` if there are too many atoms to number, or cuts of one axis do not divide each
    /// other.
    pub fn of(shardings: &[&Sharding], mesh: &Mesh, size: AtomSize) -> Option<Atoms> {
        let mut pieces = Vec::new();
        for (axis, info) in mesh.axes.iter() {
            let mut cuts = vec![1, info.size];
            for used in
                shardings.iter().flat_map(|sharding| all_axes(sharding)).filter(|used| used.axis == axis)
            {
                cuts.extend([used.pre, used.pre * used.size]);
            }
            cuts.arrange();
            cuts.dedup();
            for pair in cuts.windows(2) {
                if pair[1] % pair[0] != 0 {
                    return None;
                }
                push_pieces(&mut pieces, axis, pair[0], pair[1] / pair[0], size);
            }
        }
        (pieces.len() <= usize::from(Atom::MAX)).then_some(Atoms { pieces })
    }

    pub fn count(&self) -> usize {
        self.pieces.len()
    }

    /// The parts of a network that atoms lie on, each by itself; `None` where one switch joins all devices, or one of
    /// them lies across.
    pub fn on(&self, mesh: &Mesh, network: &Network) -> Option<Vec<Vec<Piece>>> {
        if network.is_plain() {
            return None;
        }
        let wiring = Wiring::of(mesh, network).ok()?;
        self.pieces.iter().map(|atom| wiring.pieces(mesh, *atom, network)).collect()
    }

    pub fn size(&self, atom: Atom) -> i64 {
        self.pieces[usize::from(atom)].size
    }

    pub fn sizes(&self, atoms: &[Atom]) -> i64 {
        atoms.iter().map(|atom| self.size(*atom)).product()
    }

    /// The atoms of one axis list, in its order.
    pub fn read(&self, axes: &[AxisRef]) -> Vec<Atom> {
        let inside = |axis: &AxisRef, piece: &AxisRef| {
            piece.axis == axis.axis && piece.pre >= axis.pre && piece.pre < axis.pre * axis.size
        };
        let number = |at: usize| at as Atom;
        axes.iter()
            .flat_map(|axis| (0..self.pieces.len()).filter(|at| inside(axis, &self.pieces[*at])).map(number))
            .collect()
    }

    /// Back to axes: neighbours that continue each other are joined.
    pub fn write(&self, atoms: &[Atom]) -> Vec<AxisRef> {
        let mut axes: Vec<AxisRef> = Vec::new();
        for atom in atoms {
            let piece = self.pieces[usize::from(*atom)];
            match axes.last_mut() {
                Some(last) if last.axis == piece.axis && last.pre * last.size == piece.pre => {
                    last.size *= piece.size
                }
                _ => axes.push(piece),
            }
        }
        axes
    }
}

/// Add a piece of an axis: `size` tiles behind `pre`.
pub fn push_pieces(pieces: &mut Vec<AxisRef>, axis: AxisId, mut pre: i64, mut size: i64, atoms: AtomSize) {
    let mut divisor = 2;
    while atoms == AtomSize::Prime && size > 1 && divisor * divisor <= size {
        if size % divisor == 0 {
            pieces.push(AxisRef { axis, pre, size: divisor });
            (pre, size) = (pre * divisor, size / divisor);
        } else {
            divisor += 1;
        }
    }
    if size > 1 {
        pieces.push(AxisRef { axis, pre, size });
    }
}

/// Every axis a sharding names.
pub fn all_axes(sharding: &Sharding) -> impl Iterator<Item = &AxisRef> {
    sharding.dims.iter().flat_map(|dim| &dim.axes).chain(&sharding.partial).chain(&sharding.manual)
}

#[cfg(test)]
mod tests {
    use super::*;
    use meshwright_base::Id;
    use meshwright_shard::{Axis, DimSharding, MeshId};

    fn mesh(sizes: &[i64]) -> Mesh {
        let axes =
            sizes.iter().enumerate().map(|(i, size)| Axis { name: format!("a{i}").into(), size: *size });
        Mesh { name: "m".into(), axes: axes.collect(), order: None }
    }

    #[test]
    fn an_axis_is_cut_where_any_sharding_cuts_it_and_joined_again() {
        let axis = AxisId::from_index(0);
        let whole = AxisRef { axis, pre: 1, size: 8 };
        let minor = AxisRef { axis, pre: 2, size: 4 };
        let mut a = Sharding::replicated(MeshId::from_index(0), 1);
        a.dims[0] = DimSharding::closed(vec![whole]);
        let mut b = a.clone();
        b.dims[0] = DimSharding::closed(vec![minor]);
        let atoms = Atoms::of(&[&a, &b], &mesh(&[8]), AtomSize::AsUsed).unwrap();
        assert_eq!(atoms.read(&[whole]), [0, 1]);
        assert_eq!(atoms.read(&[minor]), [1]);
        assert_eq!(atoms.write(&[0, 1]), [whole]);
        assert_eq!(Atoms::of(&[&a], &mesh(&[8]), AtomSize::Prime).unwrap().count(), 3);
    }
}
