//! Meshes, and how the dims of a tensor are cut over one: the words of an annotation.
//!
//! ```text
//! [0, -1]              dim 0 over mesh axis 0, dim 1 whole                 (the papers' form)
//! ["batch", "model"]   by the names of mesh axes
//! ("x", (), ["y", "z"], OPEN)   over x; whole; over y and z, y major; left to completion
//! ```

use crate::codes;
use crate::error::Errors;
use crate::state::{Line, State};
use meshwright_base::{Diagnostic, Id};
use meshwright_shard::{AxisRef, DimSharding, Mesh as Axes, MeshId, Meshes, Sharding};
use std::panic::Location;
use std::sync::Arc;

/// Named axes over devices.
///
/// ```
/// use meshwright_tensor::prelude::*;
/// let mesh = Mesh::new([("x", 4), ("y", 2)])?;
/// assert_eq!(mesh.devices(), 8);
/// # Ok::<(), meshwright_tensor::Errors>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Mesh {
    pub(crate) axes: Arc<Axes>,
}

impl Mesh {
    /// A mesh called `mesh`, axes major first: device number = place along the last axis + its size * the rest.
    ///
    /// ```
    /// use meshwright_tensor::prelude::*;
    /// let mesh = Mesh::new([("x", 4), ("y", 2)])?; // device 5 is at x=2, y=1
    /// # Ok::<(), Errors>(())
    /// ```
    #[track_caller]
    pub fn new<'n>(axes: impl IntoIterator<Item = (&'n str, i64)>) -> Result<Mesh, Errors> {
        Mesh::made("mesh", axes, None)
    }

    /// A mesh whose position `i` is device `order[i]`, to follow the links between devices.
    ///
    /// ```
    /// use meshwright_tensor::prelude::*;
    /// let ring = Mesh::with_order([("x", 4)], [0, 1, 3, 2])?;
    /// assert!(Mesh::with_order([("x", 4)], [0, 1, 1, 2]).is_err());
    /// # Ok::<(), meshwright_tensor::Errors>(())
    /// ```
    #[track_caller]
    pub fn with_order<'n>(
        axes: impl IntoIterator<Item = (&'n str, i64)>,
        order: impl Into<Vec<u32>>,
    ) -> Result<Mesh, Errors> {
        Mesh::made("mesh", axes, Some(order.into()))
    }

    #[track_caller]
    pub(crate) fn made<'n>(
        name: &str,
        axes: impl IntoIterator<Item = (&'n str, i64)>,
        order: Option<Vec<u32>>,
    ) -> Result<Mesh, Errors> {
        let line = Location::caller();
        match Axes::new(name, axes, order) {
            Ok(axes) => Ok(Mesh { axes: Arc::new(axes) }),
            Err(found) => Err(Errors::from(found).at(line)),
        }
    }

    /// The same mesh under another name, for modules with several.
    ///
    /// ```
    /// use meshwright_tensor::prelude::*;
    /// let workers = Mesh::new([("x", 4)])?.named("workers");
    /// # Ok::<(), Errors>(())
    /// ```
    pub fn named(self, name: &str) -> Mesh {
        let mut axes = Axes::clone(&self.axes);
        axes.name = name.into();
        Mesh { axes: Arc::new(axes) }
    }

    /// Number of devices.
    ///
    /// ```
    /// use meshwright_tensor::prelude::*;
    /// assert_eq!(Mesh::new([("x", 4), ("y", 2)])?.devices(), 8);
    /// # Ok::<(), Errors>(())
    /// ```
    pub fn devices(&self) -> i64 {
        self.axes.device_count()
    }

    /// Number of devices along an axis, if there is such an axis.
    ///
    /// ```
    /// use meshwright_tensor::prelude::*;
    /// assert_eq!(Mesh::new([("x", 4), ("y", 2)])?.size("y"), Some(2));
    /// # Ok::<(), Errors>(())
    /// ```
    pub fn size(&self, axis: &str) -> Option<i64> {
        self.axes.axis(axis).map(|id| self.axes.axes[id].size)
    }

    /// The axis pointed at.
    pub(crate) fn axis(&self, at: &AxisAt) -> Result<AxisRef, Diagnostic> {
        let all = self.axes.whole_axes();
        let found = match at {
            AxisAt::Number(number) => usize::try_from(*number).ok().and_then(|at| all.get(at)).copied(),
            AxisAt::Name(name) => self.axes.axis(name).map(|id| self.axes.whole(id)),
        };
        let known = self.words();
        found.ok_or_else(|| {
            let message = match at {
                AxisAt::Number(number) => format!("mesh axis {number} does not exist: {known}"),
                AxisAt::Name(name) => format!("mesh axis `{name}` does not exist: {known}"),
            };
            let help = "use an axis of the mesh, or -1 (or `()`) for a dim that stays whole";
            Diagnostic::error(codes::ANNOTATION, message).help(help)
        })
    }

    /// The axes in words.
    pub(crate) fn words(&self) -> String {
        let axis = |axis: &meshwright_shard::Axis| format!("`{}` of size {}", axis.name, axis.size);
        let axes: Vec<String> = self.axes.axes.values().map(axis).collect();
        match axes.len() {
            0 => "the mesh has no axes".to_string(),
            n => format!("the mesh has {n}: {}", axes.join(", ")),
        }
    }

    /// The id of this mesh among a module's, where names are unique.
    fn intern(&self, meshes: &mut Meshes) -> MeshId {
        if let Some((id, _)) = meshes.iter().find(|(_, known)| known.same_but_name(&self.axes)) {
            return id;
        }
        let mut mesh = Axes::clone(&self.axes);
        let mut number = 1;
        while meshes.values().any(|known| known.name == mesh.name) {
            mesh.name = format!("{}_{number}", self.axes.name).into();
            number += 1;
        }
        meshes.push(mesh)
    }
}

impl State {
    /// The id of a mesh in the module. Meshes of one program are over the same devices: reports another one.
    pub(crate) fn mesh(&mut self, mesh: &Mesh, line: Line) -> MeshId {
        let known = self.module.meshes.len();
        let id = mesh.intern(&mut self.module.meshes);
        let counts = |mesh: &Axes| mesh.device_count() > 1;
        let other = self.module.meshes.values().take(known);
        let other = other
            .filter(|other| counts(other) && counts(&mesh.axes))
            .find(|other| other.device_count() != mesh.devices());
        if let Some(other) = other.filter(|_| id.index() >= known).cloned() {
            let earlier = Mesh { axes: Arc::new(other) };
            let message = format!(
                "a mesh of {} devices is used beside one of {}: one program runs on one set of devices",
                mesh.devices(),
                earlier.devices()
            );
            let diagnostic = Diagnostic::error(codes::ANNOTATION, message)
                .note(format!("here {}; before, {}", mesh.words(), earlier.words()))
                .help("give both the same number of devices: an axis that no dim is split over repeats");
            self.report(line, diagnostic);
        }
        id
    }
}

/// A mesh axis, pointed at.
///
/// ```
/// use meshwright_tensor::prelude::*;
/// let mesh = Mesh::new([("x", 4), ("y", 2)])?;
/// let program = trace("f", |t| {
///     let x = t.input("x", f32, [8, 8]);
///     x.mesh_split(&mesh, [0, 1]) + x.mesh_split(&mesh, ["x", "y"]) // the same axes
/// })?;
/// # Ok::<(), Errors>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum AxisAt {
    /// By number, as the papers do; 0 is the most major.
    Number(i64),
    /// By name.
    Name(Arc<str>),
}

impl From<&str> for AxisAt {
    fn from(name: &str) -> AxisAt {
        AxisAt::Name(name.into())
    }
}

impl From<i32> for AxisAt {
    fn from(number: i32) -> AxisAt {
        AxisAt::Number(i64::from(number))
    }
}

impl From<i64> for AxisAt {
    fn from(number: i64) -> AxisAt {
        AxisAt::Number(number)
    }
}

/// How one dim is cut.
///
/// ```
/// use meshwright_tensor::prelude::*;
/// let mesh = Mesh::new([("x", 4), ("y", 2)])?;
/// let program = trace("f", |t| {
///     let x = t.input("x", f32, [8, 8, 8]);
///     x.mesh_split(&mesh, (["x", "y"], (), OPEN)) // over both axes, whole, left to completion
/// })?;
/// # Ok::<(), Errors>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Cut {
    /// Not at all.
    Whole,
    /// As completion likes.
    Open,
    /// Over these axes, major first.
    Over(Vec<AxisAt>),
}

/// In an annotation: this dim is left to completion.
///
/// ```
/// use meshwright_tensor::prelude::*;
/// let mesh = Mesh::new([("x", 4), ("y", 2)])?;
/// let program = trace("f", |t| {
///     let x = t.input("x", f32, [8, 8, 8]);
///     x.mesh_split(&mesh, (["x", "y"], (), OPEN)) // over both axes, whole, left to completion
/// })?;
/// # Ok::<(), Errors>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Open;

/// In an annotation: this dim is left to completion.
///
/// ```
/// use meshwright_tensor::prelude::*;
/// let mesh = Mesh::new([("x", 4), ("y", 2)])?;
/// let program = trace("f", |t| {
///     let x = t.input("x", f32, [8, 8, 8]);
///     x.mesh_split(&mesh, (["x", "y"], (), OPEN)) // over both axes, whole, left to completion
/// })?;
/// # Ok::<(), Errors>(())
/// ```
pub const OPEN: Open = Open;

impl From<Open> for Cut {
    fn from(_: Open) -> Cut {
        Cut::Open
    }
}

impl From<()> for Cut {
    fn from((): ()) -> Cut {
        Cut::Whole
    }
}

impl From<&str> for Cut {
    fn from(axis: &str) -> Cut {
        Cut::Over(vec![axis.into()])
    }
}

impl From<i64> for Cut {
    fn from(axis: i64) -> Cut {
        if axis == -1 { Cut::Whole } else { Cut::Over(vec![axis.into()]) }
    }
}

impl From<i32> for Cut {
    fn from(axis: i32) -> Cut {
        i64::from(axis).into()
    }
}

impl<A: Into<AxisAt>, const N: usize> From<[A; N]> for Cut {
    fn from(axes: [A; N]) -> Cut {
        Cut::Over(axes.into_iter().map(Into::into).collect())
    }
}

impl From<Option<&str>> for Cut {
    fn from(axis: Option<&str>) -> Cut {
        axis.map_or(Cut::Whole, Cut::from)
    }
}

/// One [`Cut`] per dim: an array, a list, or a tuple of different words.
///
/// ```
/// use meshwright_tensor::prelude::*;
/// let mesh = Mesh::new([("x", 4), ("y", 2)])?;
/// let program = trace("f", |t| {
///     let x = t.input("x", f32, [8, 8, 8]);
///     x.mesh_split(&mesh, (["x", "y"], (), OPEN)) // over both axes, whole, left to completion
/// })?;
/// # Ok::<(), Errors>(())
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not say how each dim is cut",
    label = "not one word per dim",
    note = "write an array of one kind of words, `[0, -1]` or `[\"x\", \"y\"]`, or a tuple of any: `(\"x\", (), OPEN)`"
)]
pub trait Cuts {
    /// The cuts, dim 0 first.
    fn into_cuts(self) -> Vec<Cut>;
}

impl<C: Into<Cut>, const N: usize> Cuts for [C; N] {
    fn into_cuts(self) -> Vec<Cut> {
        self.into_iter().map(Into::into).collect()
    }
}

impl<C: Into<Cut>> Cuts for Vec<C> {
    fn into_cuts(self) -> Vec<Cut> {
        self.into_iter().map(Into::into).collect()
    }
}

impl<C: Into<Cut> + Clone> Cuts for &[C] {
    fn into_cuts(self) -> Vec<Cut> {
        self.iter().cloned().map(Into::into).collect()
    }
}

macro_rules! tuple_cuts {
    ($($name:ident)*) => {
        impl<$($name: Into<Cut>),*> Cuts for ($($name,)*) {
            fn into_cuts(self) -> Vec<Cut> {
                #[allow(non_snake_case)]
                let ($($name,)*) = self;
                vec![$($name.into()),*]
            }
        }
    };
}
tuple_cuts!(A);
tuple_cuts!(A B);
tuple_cuts!(A B C);
tuple_cuts!(A B C D);
tuple_cuts!(A B C D E);
tuple_cuts!(A B C D E F);
tuple_cuts!(A B C D E F G);
tuple_cuts!(A B C D E F G H);

/// The sharding of a tensor of this shape that the cuts ask for; `id` is the mesh's in the module.
pub(crate) fn sharding(mesh: &Mesh, id: MeshId, dims: &[i64], cuts: &[Cut]) -> Result<Sharding, Diagnostic> {
    if cuts.len() != dims.len() {
        let message = format!("the annotation speaks of {} dims, the tensor has {}", cuts.len(), dims.len());
        let help = "say one thing per dim: a mesh axis, -1 (or `()`) for whole, or `OPEN`";
        return Err(Diagnostic::error(codes::ANNOTATION, message).help(help));
    }
    let mut used: Vec<(usize, AxisRef)> = Vec::new();
    let mut out = Sharding::replicated(id, 0);
    for (dim, cut) in cuts.iter().enumerate() {
        let axes = match cut {
            Cut::Over(axes) => axes.iter().map(|at| mesh.axis(at)).collect::<Result<Vec<_>, _>>()?,
            Cut::Whole | Cut::Open => Vec::new(),
        };
        for axis in &axes {
            if let Some((other, _)) = used.iter().find(|(_, known)| known == axis) {
                return Err(used_twice(mesh, *axis, *other, dim));
            }
            used.push((dim, *axis));
        }
        out.dims.push(DimSharding { axes, open: *cut == Cut::Open, priority: None });
    }
    Ok(out)
}

fn used_twice(mesh: &Mesh, axis: AxisRef, first: usize, second: usize) -> Diagnostic {
    let name = &mesh.axes.axes[axis.axis].name;
    let place = if first == second {
        format!("dim {first} is split over mesh axis `{name}` twice")
    } else {
        format!("mesh axis `{name}` is asked for by dim {first} and by dim {second}")
    };
    Diagnostic::error(codes::ANNOTATION, place)
        .note("a device holds one piece, so an axis can split one dim only")
        .help(format!("drop `{name}` on one of them"))
}
