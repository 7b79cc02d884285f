//! Meshes: named axes over devices, and references to axes or pieces of them.
//!
//! A mesh of a million devices takes as much memory as one of eight, unless it carries an explicit device order.
//! Axes are listed major first: with `<["x"=4, "y"=2]>` device number = 2 * x + y, looked up in the order if there is
//! one.
//!
//! A *position* counts places of the mesh in row-major order of its axes; a *device* is what the order puts there.
//! Two meshes without axes are special: `<[]>` stands for "any devices, nothing split", and `<[], device_ids=[3]>` (a
//! *maximal* mesh) for device 3 alone. That is why only a mesh with axes drops an order that says nothing.

use crate::codes;
use meshwright_base::{Diagnostic, Id, IdMap, define_id};
use std::fmt;
use std::sync::Arc;

/// How many devices a list of devices made here may have. Meshes described by axes alone have no such limit.
pub const MAX_LISTED_DEVICES: i64 = 1 << 24;

define_id!(
    /// A mesh of a module's [`Meshes`] table.
    pub MeshId, "mesh"
);

define_id!(
    /// An axis of one mesh, by position (0 is the most major).
    pub AxisId, "axis"
);

define_id!(
    /// A device, by its number. A mesh has one at each of its positions.
    pub DeviceId, "device"
);

impl DeviceId {
    /// As texts and lists of devices have it.
    pub fn new(number: u32) -> DeviceId {
        DeviceId(number)
    }

    pub fn number(self) -> u32 {
        self.0
    }
}

impl fmt::Display for DeviceId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

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

/// The id of `mesh` in the table, added if it is not there.
pub fn intern(meshes: &mut Meshes, mesh: Mesh) -> MeshId {
    let known = meshes.iter().find(|(_, known)| **known == mesh).map(|(id, _)| id);
    known.unwrap_or_else(|| meshes.push(mesh))
}

/// The mesh called `name`.
pub fn find(meshes: &Meshes, name: &str) -> Option<MeshId> {
    meshes.iter().find(|(_, mesh)| &*mesh.name == name).map(|(id, _)| id)
}

impl Mesh {
    /// A mesh that can be: axis names differ, sizes are at least 1, the order (if any) lists every device once.
    ///
    /// An order that says what no order says is dropped, so equal meshes compare equal.
    pub fn new<N: Into<Arc<str>>>(
        name: impl Into<Arc<str>>,
        axes: impl IntoIterator<Item = (N, i64)>,
        order: Option<Vec<u32>>,
    ) -> Result<Mesh, Diagnostic> {
        let axes = axes.into_iter().map(|(name, size)| Axis { name: name.into(), size }).collect();
        let mut mesh = Mesh { name: name.into(), axes, order: None };
        let count = check_axes(&mesh)?;
        if let Some(order) = order {
            check_order(&mesh, count, &order)?;
            let says_nothing =
                order.iter().enumerate().all(|(position, device)| position == *device as usize);
            mesh.order = (mesh.axes.is_empty() || !says_nothing).then(|| order.into());
        }
        Ok(mesh)
    }

    /// The mesh of one device, named as Shardy names it.
    pub fn maximal(device: DeviceId) -> Mesh {
        let name = format!("maximal_mesh_{device}").into();
        Mesh { name, axes: IdMap::new(), order: Some(Arc::new([device.number()])) }
    }

    /// Whether this stands for one device alone.
    pub fn is_maximal(&self) -> bool {
        self.axes.is_empty() && self.order.is_some()
    }

    /// Whether the other mesh is this one but for its name.
    pub fn same_but_name(&self, other: &Mesh) -> bool {
        self.axes == other.axes && self.order == other.order
    }

    pub fn device_count(&self) -> i64 {
        self.axes.values().fold(1, |count: i64, axis| count.saturating_mul(axis.size))
    }

    pub fn axis(&self, name: &str) -> Option<AxisId> {
        self.axes.iter().find(|(_, axis)| &*axis.name == name).map(|(id, _)| id)
    }

    /// All of `axis`.
    pub fn whole(&self, axis: AxisId) -> AxisRef {
        AxisRef::whole(axis, self.axes[axis].size)
    }

    /// All of every axis, major first.
    pub fn whole_axes(&self) -> Vec<AxisRef> {
        self.axes.keys().map(|axis| self.whole(axis)).collect()
    }

    /// How far apart two neighbours along `axis` are, in positions.
    pub fn stride(&self, axis: AxisId) -> i64 {
        let minor = self.axes.values().skip(axis.index() + 1);
        minor.fold(1, |stride: i64, axis| stride.saturating_mul(axis.size))
    }

    /// Place along each axis of a position.
    pub fn coordinates(&self, position: i64) -> Vec<i64> {
        self.axes.keys().map(|axis| position / self.stride(axis) % self.axes[axis].size).collect()
    }

    /// The position at these coordinates, one per axis.
    pub fn position_at(&self, coordinates: &[i64]) -> i64 {
        self.axes.values().zip(coordinates).fold(0, |position, (axis, at)| position * axis.size + at)
    }

    /// The device at a position, if the mesh has it.
    pub fn device_at(&self, position: i64) -> Option<DeviceId> {
        if !(0..self.device_count()).contains(&position) {
            return None;
        }
        let number = match &self.order {
            None => u32::try_from(position).ok(),
            Some(order) => order.get(usize::try_from(position).ok()?).copied(),
        };
        number.map(DeviceId)
    }

    /// Where a device stands, if it is in the mesh. Searches the order if there is one.
    pub fn position_of(&self, device: DeviceId) -> Option<i64> {
        match &self.order {
            None => Some(i64::from(device.number())).filter(|position| *position < self.device_count()),
            Some(order) => order.iter().position(|listed| *listed == device.number()).map(|at| at as i64),
        }
    }

    /// Names of the axes for a message: "`x`, `y`".
    pub(crate) fn axis_names(&self) -> String {
        if self.axes.is_empty() {
            return "none".to_string();
        }
        self.axes.values().map(|axis| format!("`{}`", axis.name)).collect::<Vec<_>>().join(", ")
    }
}

/// The number of devices of a mesh whose axes are sound.
fn check_axes(mesh: &Mesh) -> Result<i64, Diagnostic> {
    let mut count: i64 = 1;
    for (id, axis) in mesh.axes.iter() {
        let (name, size) = (&axis.name, axis.size);
        if mesh.axis(name) != Some(id) {
            return Err(Diagnostic::error(codes::MESH_AXES, format!("two mesh axes are called `{name}`"))
                .help("give every axis of the mesh its own name"));
        }
        if size < 1 {
            return Err(Diagnostic::error(codes::MESH_AXES, format!("mesh axis `{name}` has size {size}"))
                .help("an axis needs a size of 1 or more"));
        }
        count = count.checked_mul(size).filter(|count| u32::try_from(*count).is_ok()).ok_or_else(|| {
            Diagnostic::error(
                codes::MESH_AXES,
                format!("mesh axis `{name}` of size {size} makes too many devices"),
            )
            .note(format!("a mesh may have {} devices", u32::MAX))
            .help("make the axes of the mesh smaller")
        })?;
    }
    Ok(count)
}

/// Checks that the order lists each of `count` devices once. A maximal mesh may name any one device.
fn check_order(mesh: &Mesh, count: i64, order: &[u32]) -> Result<(), Diagnostic> {
    let wrong = |message: String| {
        Err(Diagnostic::error(codes::MESH_ORDER, message)
            .help(format!("list every device from 0 to {} exactly once, or leave the order out", count - 1)))
    };
    if order.len() as i64 != count {
        return wrong(format!("the device order lists {} devices, the mesh has {count}", order.len()));
    }
    if mesh.axes.is_empty() {
        return Ok(());
    }
    let mut seen = vec![false; order.len()];
    for device in order {
        match seen.get_mut(*device as usize) {
            None => {
                return wrong(format!(
                    "the device order lists device {device}, the mesh has {count} devices"
                ));
            }
            Some(seen) if *seen => return wrong(format!("the device order lists device {device} twice")),
            Some(seen) => *seen = true,
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(result: Result<Mesh, Diagnostic>) -> String {
        result.expect_err("the mesh should be refused").message
    }

    #[test]
    fn an_order_that_says_nothing_is_dropped_except_on_a_maximal_mesh() {
        let plain = Mesh::new("m", [("x", 2), ("y", 2)], None).unwrap();
        assert_eq!(Mesh::new("m", [("x", 2), ("y", 2)], Some(vec![0, 1, 2, 3])).unwrap(), plain);
        let maximal = Mesh::new::<&str>("m", [], Some(vec![0])).unwrap();
        assert!(maximal.is_maximal());
        assert!(!Mesh::new::<&str>("m", [], None).unwrap().is_maximal());
        assert_eq!(Mesh::new::<&str>("m", [], Some(vec![7])).unwrap().device_at(0), Some(DeviceId(7)));
    }

    #[test]
    fn meshes_that_cannot_be_are_refused_with_numbers() {
        assert_eq!(message(Mesh::new("m", [("x", 2), ("x", 2)], None)), "two mesh axes are called `x`");
        assert_eq!(message(Mesh::new("m", [("x", 0)], None)), "mesh axis `x` has size 0");
        assert!(message(Mesh::new("m", [("x", 1 << 40), ("y", 1 << 40)], None)).contains("too many devices"));
        assert!(
            message(Mesh::new("m", [("x", 2)], Some(vec![0]))).contains("lists 1 devices, the mesh has 2")
        );
        assert!(message(Mesh::new("m", [("x", 2)], Some(vec![0, 0]))).contains("device 0 twice"));
        assert!(message(Mesh::new("m", [("x", 2)], Some(vec![0, 2]))).contains("lists device 2"));
    }

    #[test]
    fn positions_coordinates_and_devices_are_inverse() {
        let mesh = Mesh::new("m", [("x", 2), ("one", 1), ("y", 3)], Some(vec![5, 4, 3, 2, 1, 0])).unwrap();
        for position in 0..6 {
            assert_eq!(mesh.position_at(&mesh.coordinates(position)), position);
            assert_eq!(mesh.position_of(mesh.device_at(position).unwrap()), Some(position));
        }
        assert_eq!(mesh.coordinates(4), [1, 0, 1]);
        assert_eq!(
            (mesh.device_at(6), mesh.device_at(-1), mesh.position_of(DeviceId(6))),
            (None, None, None)
        );
    }

    #[test]
    fn equal_meshes_are_kept_once() {
        let mut meshes = Meshes::new();
        let first = intern(&mut meshes, Mesh::new("m", [("x", 2)], None).unwrap());
        let second = intern(&mut meshes, Mesh::new("n", [("x", 2)], None).unwrap());
        assert_eq!(intern(&mut meshes, Mesh::new("m", [("x", 2)], None).unwrap()), first);
        assert_ne!(first, second);
        assert_eq!((find(&meshes, "n"), find(&meshes, "o")), (Some(second), None));
    }
}
