//! Annotations: how a tensor is split over devices. The logical shape does not change.
//!
//! Every form leads to one op, a sharding constraint; its gradient is the same constraint.

use crate::boundary::annotated;
use crate::codes;
use crate::dims::At;
use crate::mesh::{Cut, Cuts, Mesh, sharding};
use crate::state::{self, Line};
use crate::tensor::Tensor;
use meshwright_base::Diagnostic;
use meshwright_ir::op::ShardingOp;
use meshwright_shard::Sharding;
use meshwright_shard::axis::overlap;
use std::panic::Location;

impl Tensor {
    /// Split over a mesh (GSPMD's `mesh_split`): for each dim a mesh axis, by number or name, several of them, `-1` or
    /// `()` for a dim that stays whole, or `OPEN` for one that completion may split. Axes that are not named replicate.
    ///
    /// ```
    /// use meshwright_tensor::prelude::*;
    /// let mesh = Mesh::new([("x", 4), ("y", 2)])?;
    /// let program = trace("f", |t| {
    ///     let bd = t.input("bd", f32, [8, 16]).mesh_split(&mesh, [0, -1]);
    ///     let df = t.param("df", [16, 32]).mesh_split(&mesh, ["x", "y"]);
    ///     let bf = bd.matmul(df).mesh_split(&mesh, (["x", "y"], OPEN));
    ///     bf
    /// })?;
    /// # Ok::<(), Errors>(())
    /// ```
    #[track_caller]
    pub fn mesh_split(self, mesh: &Mesh, dims: impl Cuts) -> Tensor {
        constrain(self, mesh, &dims.into_cuts(), Location::caller())
    }

    /// The whole tensor on every device (GShard's `replicate`).
    ///
    /// ```
    /// use meshwright_tensor::prelude::*;
    /// let program = trace("f", |t| {
    ///     t.set_devices(8);
    ///     t.param("wg", [16, 4]).replicate()
    /// })?;
    /// # Ok::<(), Errors>(())
    /// ```
    #[track_caller]
    pub fn replicate(self) -> Tensor {
        let line = Location::caller();
        let mesh = state::with(|state| state.rules.as_ref().map(|rules| rules.mesh.clone())).flatten();
        let mesh = match mesh.map_or_else(any_devices, Ok) {
            Ok(mesh) => mesh,
            Err(errors) => return refused(self, errors, line),
        };
        constrain(self, &mesh, &vec![Cut::Whole; self.rank()], line)
    }

    /// One dim in `parts` parts, part `i` on device `i` (GShard's `split`). If there are more devices, `parts` must
    /// divide their number, and the other devices repeat the first ones.
    ///
    /// ```
    /// use meshwright_tensor::prelude::*;
    /// let program = trace("f", |t| {
    ///     t.set_devices(8);
    ///     t.input("inputs", f32, [16, 4]).split(0, 8)
    /// })?;
    /// # Ok::<(), Errors>(())
    /// ```
    #[track_caller]
    pub fn split(self, dim: impl Into<At>, parts: i64) -> Tensor {
        let line = Location::caller();
        let Some(dim) = self.one_dim(dim.into(), line) else { return self };
        let Some(devices) = device_count() else {
            let message = "split needs to know how many devices there are";
            let help = "say it with `t.set_devices(8)`, or trace with `Rules` over a mesh";
            self.report(line, Diagnostic::error(codes::ANNOTATION, message).help(help));
            return self;
        };
        if let Some(diagnostic) = bad_parts(parts, devices) {
            self.report(line, diagnostic);
            return self;
        }
        let mesh = match flat(devices, parts) {
            Ok(mesh) => mesh,
            Err(errors) => return refused(self, errors, line),
        };
        let mut cuts = vec![Cut::Whole; self.rank()];
        cuts[dim] = Cut::from("part");
        constrain(self, &mesh, &cuts, line)
    }

    /// Tile `[i, j, ..]` on the device that stands there in a nested array with the tensor's rank (GShard's `shard`).
    ///
    /// ```
    /// use meshwright_tensor::prelude::*;
    /// let program = trace("f", |t| t.input("x", f32, [4, 4]).shard([[0, 2], [1, 3]]))?;
    /// # Ok::<(), Errors>(())
    /// ```
    #[track_caller]
    pub fn shard(self, assignment: impl Into<DeviceAssignment>) -> Tensor {
        let (line, assignment) = (Location::caller(), assignment.into());
        let names: Vec<String> = (0..assignment.shape.len()).map(|dim| format!("d{dim}")).collect();
        let axes = names.iter().map(String::as_str).zip(assignment.shape.iter().copied());
        match Mesh::made("devices", axes, Some(assignment.devices)) {
            Ok(mesh) => {
                let cuts: Vec<Cut> = names.iter().map(|name| Cut::from(name.as_str())).collect();
                constrain(self, &mesh, &cuts, line)
            }
            Err(errors) => refused(self, errors, line),
        }
    }

    /// Split as the trace's [`Rules`](crate::Rules) say of these names of dims. Without rules nothing is said.
    ///
    /// ```
    /// use meshwright_tensor::prelude::*;
    /// let mesh = Mesh::new([("data", 4), ("model", 2)])?;
    /// let rules = Rules::of(&mesh, [("batch", "data"), ("hidden", "model")]);
    /// let program = trace_with("f", &rules, |t| {
    ///     let x = t.input("x", f32, [8, 16]);
    ///     x.matmul(t.param("w", [16, 32])).logical(["batch", "hidden"])
    /// })?;
    /// # Ok::<(), Errors>(())
    /// ```
    #[track_caller]
    pub fn logical<'n>(self, names: impl AsRef<[&'n str]>) -> Tensor {
        let line = Location::caller();
        let named = self.name_dims(names);
        by_names(named, line)
    }
}

/// Devices of a [`shard`](Tensor::shard): a nested array.
///
/// ```
/// use meshwright_tensor::prelude::*;
/// let program = trace("f", |t| t.input("x", f32, [4, 4]).shard(DeviceAssignment::from([[0, 2], [1, 3]])))?;
/// # Ok::<(), Errors>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DeviceAssignment {
    shape: Vec<i64>,
    devices: Vec<u32>,
}

impl<const A: usize> From<[u32; A]> for DeviceAssignment {
    fn from(devices: [u32; A]) -> Self {
        DeviceAssignment { shape: vec![A as i64], devices: devices.to_vec() }
    }
}

impl<const A: usize, const B: usize> From<[[u32; B]; A]> for DeviceAssignment {
    fn from(devices: [[u32; B]; A]) -> Self {
        DeviceAssignment { shape: vec![A as i64, B as i64], devices: devices.concat() }
    }
}

impl<const A: usize, const B: usize, const C: usize> From<[[[u32; C]; B]; A]> for DeviceAssignment {
    fn from(devices: [[[u32; C]; B]; A]) -> Self {
        DeviceAssignment { shape: vec![A as i64, B as i64, C as i64], devices: devices.concat().concat() }
    }
}

impl DeviceAssignment {
    /// Devices in row-major order of any shape.
    ///
    /// ```
    /// use meshwright_tensor::prelude::*;
    /// assert_eq!(DeviceAssignment::new(&[2, 2], &[0, 2, 1, 3]), DeviceAssignment::from([[0, 2], [1, 3]]));
    /// ```
    pub fn new(shape: &[i64], devices: &[u32]) -> DeviceAssignment {
        DeviceAssignment { shape: shape.to_vec(), devices: devices.to_vec() }
    }
}

fn device_count() -> Option<i64> {
    state::with(|state| state.devices).flatten()
}

/// As many devices as are spoken of, or any.
fn any_devices() -> Result<Mesh, crate::Errors> {
    device_count().map_or_else(|| Mesh::made("any", [], None), |devices| flat(devices, 1))
}

/// Devices in a row of `parts`, and as many rows as that takes.
fn flat(devices: i64, parts: i64) -> Result<Mesh, crate::Errors> {
    Mesh::made("parts", [("copy", devices / parts.max(1)), ("part", parts)], None)
}

fn bad_parts(parts: i64, devices: i64) -> Option<Diagnostic> {
    if parts < 1 || parts > devices {
        let message = format!("a dim cannot be split into {parts} parts over {devices} devices");
        return Some(Diagnostic::error(codes::ANNOTATION, message).help(format!("use 1 to {devices} parts")));
    }
    if devices % parts != 0 {
        let message = format!("{parts} parts do not divide {devices} devices");
        let help =
            "use a number of parts that divides the number of devices, so that the rest can repeat them";
        return Some(Diagnostic::error(codes::ANNOTATION, message).help(help));
    }
    None
}

fn refused(x: Tensor, errors: crate::Errors, line: Line) -> Tensor {
    errors.diagnostics().into_iter().for_each(|diagnostic| x.report(line, diagnostic));
    x
}

/// Split by the names of the dims, if the trace has a table and any of them is in it.
pub(crate) fn by_names(x: Tensor, line: Line) -> Tensor {
    let known = state::with(|state| state.rules.clone().map(|rules| (rules, state.scopes.clone()))).flatten();
    let Some((rules, scopes)) = known else { return x };
    let cut = |name: &crate::dims::Name| name.as_deref().map_or(Cut::Open, |name| rules.cut(name, &scopes));
    let cuts: Vec<Cut> = x.names().iter().map(cut).collect();
    if cuts.iter().all(|cut| *cut == Cut::Open) { x } else { constrain(x, &rules.mesh, &cuts, line) }
}

/// Add the constraint.
fn constrain(x: Tensor, mesh: &Mesh, cuts: &[Cut], line: Line) -> Tensor {
    let Some(id) = state::with(|state| state.mesh(mesh, line)) else { return x };
    let split = sharding(mesh, id, &x.dims(), cuts).and_then(|split| free(x, mesh, split));
    match split {
        Ok(split) => annotated(ShardingOp::Constraint { unspecified: Vec::new() }, x, split, line),
        Err(diagnostic) => {
            x.report(line, diagnostic.note(format!("the tensor is {}", x.words())));
            x
        }
    }
}

/// The sharding, if it leaves alone the axes over which the tensor is local.
fn free(x: Tensor, mesh: &Mesh, split: Sharding) -> Result<Sharding, Diagnostic> {
    let Some(local) = x.local().filter(|local| local.mesh == *mesh) else { return Ok(split) };
    let used = split.dims.iter().flat_map(|dim| dim.axes.iter().copied()).collect::<Vec<_>>();
    if !overlap(&local.axes, &used) {
        return Ok(split);
    }
    let message = format!("a piece over {} cannot be split over these axes again", local.words());
    let help = "annotate over the other axes of the mesh, or annotate the whole";
    Err(Diagnostic::error(codes::ANNOTATION, message).help(help))
}
