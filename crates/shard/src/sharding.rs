//! How one value is split over a mesh.
//!
//! Per dim an ordered list of axes, major first: with axes `x`, `y` on a dim, shard number = x * |y| + y. A shard has
//! ceil(size / tiles) elements, padding at the end. Axes that are named nowhere replicate. No axis stands twice.

use crate::axis;
use crate::mesh::{AxisRef, Mesh, MeshId};

/// The split of one dim.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct DimSharding {
    /// Axes that tile this dim, major first.
    pub axes: Vec<AxisRef>,
    /// Whether completion may append axes.
    pub open: bool,
    /// The user's priority: lower is propagated earlier.
    pub priority: Option<u32>,
}

/// How partial values combine into the whole.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub enum Reducer {
    #[default]
    Sum,
    Product,
    Min,
    Max,
    And,
    Or,
    Xor,
}

/// How a value is split over a mesh.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Sharding {
    pub mesh: MeshId,
    /// One entry per dim of the value; empty for a scalar.
    pub dims: Vec<DimSharding>,
    /// Axes over which the value must stay replicated (a closed statement; completion may not use them).
    pub replicated: Vec<AxisRef>,
    /// Axes over which the value is still to be reduced, sorted.
    pub partial: Vec<AxisRef>,
    /// The reducer of `partial`; `Sum` when `partial` is empty.
    pub reducer: Reducer,
    /// Axes over which the value is already local (GSPMD's manual subgroup).
    pub manual: Vec<AxisRef>,
}

impl Sharding {
    /// Replicated over the whole mesh, every dim closed.
    pub fn replicated(mesh: MeshId, rank: usize) -> Self {
        Sharding {
            mesh,
            dims: vec![DimSharding::default(); rank],
            replicated: Vec::new(),
            partial: Vec::new(),
            reducer: Reducer::Sum,
            manual: Vec::new(),
        }
    }

    pub fn rank(&self) -> usize {
        self.dims.len()
    }

    /// No dim split and every dim open: nothing is known and everything may be chosen.
    pub fn open(mesh: MeshId, rank: usize) -> Self {
        let dim = DimSharding { open: true, ..DimSharding::default() };
        Sharding { dims: vec![dim; rank], ..Sharding::replicated(mesh, 0) }
    }

    /// Dims split over these axes, every dim closed.
    pub fn tiled(mesh: MeshId, dims: impl IntoIterator<Item = Vec<AxisRef>>) -> Self {
        let dims = dims.into_iter().map(DimSharding::closed).collect();
        Sharding { dims, ..Sharding::replicated(mesh, 0) }
    }

    /// Number of tiles of each dim.
    pub fn tiles(&self) -> Vec<i64> {
        self.dims.iter().map(DimSharding::tiles).collect()
    }

    /// Whether no dim is split and nothing is partial.
    pub fn is_replicated(&self) -> bool {
        self.partial.is_empty() && self.dims.iter().all(|dim| dim.axes.is_empty())
    }

    /// Shape of every device's shard: ceil(size / tiles) per dim.
    pub fn shard_shape(&self, shape: &[i64]) -> Vec<i64> {
        shape.iter().zip(&self.dims).map(|(size, dim)| dim.shard_size(*size)).collect()
    }

    /// Axes that split the value, are partial or manual: all over which devices hold different data.
    pub fn used_axes(&self) -> Vec<AxisRef> {
        let tiling = self.dims.iter().flat_map(|dim| &dim.axes);
        axis::canonical_set(&tiling.chain(&self.partial).chain(&self.manual).copied().collect::<Vec<_>>())
    }

    /// Every piece it names, for whatever purpose, as written.
    pub fn all_axes(&self) -> impl Iterator<Item = AxisRef> {
        let rest = self.replicated.iter().chain(&self.partial).chain(&self.manual);
        self.dims.iter().flat_map(|dim| &dim.axes).chain(rest).copied()
    }

    /// Axes, or pieces of them, over which devices hold the same data; in mesh order, size-1 axes left out.
    ///
    /// Explicitly replicated axes are among them.
    pub fn unused_axes(&self, mesh: &Mesh) -> Vec<AxisRef> {
        axis::difference(&mesh.whole_axes(), &self.used_axes())
    }

    /// The form in which equal splits over one mesh are equal: pieces joined, size-1 axes dropped, sets sorted.
    pub fn canonical(&self) -> Sharding {
        let dims = self.dims.iter();
        let dims = dims.map(|dim| DimSharding { axes: axis::canonical(&dim.axes), ..dim.clone() }).collect();
        let partial = axis::canonical_set(&self.partial);
        Sharding {
            mesh: self.mesh,
            dims,
            replicated: axis::canonical_set(&self.replicated),
            reducer: if partial.is_empty() { Reducer::Sum } else { self.reducer },
            partial,
            manual: axis::canonical_set(&self.manual),
        }
    }

    /// The same split with every dim closed and without priorities: what is left when completion is over.
    pub fn closed(&self) -> Sharding {
        let dims = self.dims.iter().map(|dim| DimSharding::closed(dim.axes.clone())).collect();
        Sharding { dims, ..self.clone() }
    }
}

impl DimSharding {
    pub fn closed(axes: Vec<AxisRef>) -> Self {
        DimSharding { axes, open: false, priority: None }
    }

    pub fn tiles(&self) -> i64 {
        axis::product(&self.axes)
    }

    /// Size of a shard of a dim of this size.
    fn shard_size(&self, size: i64) -> i64 {
        match self.tiles() {
            1 => size,
            tiles => (size + tiles - 1) / tiles,
        }
    }
}
