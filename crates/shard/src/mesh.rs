//! Meshes: named axes over devices, and references to axes or pieces of them.
//!
//! A mesh of a million devices takes as much memory as one of eight, unless it carries an explicit device order.
//! Axes are listed major first: with `<["x"=4, "y"=2]>` device number = 2 * x + y, looked up in the order if there is one.

use meshwright_ground::{IdMap, define_id};
use std::sync::Arc;

define_id!(
    /// A mesh of a module's [`Meshes`] table.
    pub MeshId, "mesh"
);

define_id!(
    /// An axis of one mesh, by position (0 is the most major).
    pub AxisId, "axis"
);

/// A named axis.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Axis {
    pub name: Arc<str>,
    pub size: i64,
}

/// An ordered list of named axes over devices.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Mesh {
    pub name: Arc<str>,
    pub axes: IdMap<AxisId, Axis>,
    /// Device at each mesh position, positions in row-major order of the axes. `None`: position `i` is device `i`.
    pub order: Option<Arc<[u32]>>,
}

/// A whole axis, or a piece of one.
///
/// An axis of size 8 may be seen as sub-axes of sizes 2 (major) and 4. A piece is named by the product of the sizes
/// before it (`pre`) and its own size, as Shardy writes `"x":(2)4`. A whole axis has `pre` 1 and the axis's size.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct AxisRef {
    pub axis: AxisId,
    pub pre: i64,
    pub size: i64,
}

/// All meshes of a module. Shardings name theirs by id.
pub type Meshes = IdMap<MeshId, Mesh>;
