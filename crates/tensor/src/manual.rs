//! Manual regions: inside, a tensor is one device's piece, and devices talk by collectives.

use crate::boundary::Local;
use crate::codes;
use crate::mesh::{AxisAt, Cut, Cuts, Mesh, sharding};
use crate::state::{self, Line};
use crate::tensor::{Tensor, emit_all, entries, poison, report};
use crate::tree::Tree;
use meshwright_base::arrange::Arrange;
use meshwright_base::{Diagnostic, Id};
use meshwright_ir::op::collective::{Channel, Groups};
use meshwright_ir::op::{BinaryOp, Collective, CollectiveKind, ManualComputation, ShardingOp};
use meshwright_ir::{Op, TensorType};
use meshwright_shard::{AxisRef, MeshId, Sharding};
use std::collections::BTreeSet;
use std::panic::Location;
use std::sync::Arc;

/// What goes into a manual region: a tensor with how it is cut, or a tuple, array or list of such.
///
/// ```
/// use meshwright_tensor::prelude::*;
/// let mesh = Mesh::new([("x", 4)])?;
/// let program = trace("f", |t| {
///     let (a, b) = (t.input("a", f32, [8, 6]), t.input("b", f32, [6]));
///     let by_row = ("x", ());
///     manual(&mesh, &["x"], ((a, by_row), (b, [()])), [by_row], |(a, b)| a * b)
/// })?;
/// # Ok::<(), Errors>(())
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not say how a tensor is cut",
    label = "neither `(tensor, cuts)` nor a tuple, array or list of such",
    note = "write `(x, (\"x\", ()))`: the tensor, and for each of its dims a mesh axis or `()` for whole"
)]
pub trait ManualInputs {
    /// The pieces, in the same structure.
    type Pieces;

    /// Tensors and their cuts, in order.
    fn collect(self, into: &mut Vec<(Tensor, Vec<Cut>)>);

    /// The structure, of pieces taken one by one.
    fn pieces(&self, next: &mut dyn FnMut() -> Tensor) -> Self::Pieces;
}

impl<C: Cuts> ManualInputs for (Tensor, C) {
    type Pieces = Tensor;

    fn collect(self, into: &mut Vec<(Tensor, Vec<Cut>)>) {
        into.push((self.0, self.1.into_cuts()));
    }

    fn pieces(&self, next: &mut dyn FnMut() -> Tensor) -> Tensor {
        next()
    }
}

impl<I: ManualInputs, const N: usize> ManualInputs for [I; N] {
    type Pieces = [I::Pieces; N];

    fn collect(self, into: &mut Vec<(Tensor, Vec<Cut>)>) {
        self.into_iter().for_each(|input| input.collect(into));
    }

    fn pieces(&self, next: &mut dyn FnMut() -> Tensor) -> [I::Pieces; N] {
        self.each_ref().map(|input| input.pieces(next))
    }
}

impl<I: ManualInputs> ManualInputs for Vec<I> {
    type Pieces = Vec<I::Pieces>;

    fn collect(self, into: &mut Vec<(Tensor, Vec<Cut>)>) {
        self.into_iter().for_each(|input| input.collect(into));
    }

    fn pieces(&self, next: &mut dyn FnMut() -> Tensor) -> Vec<I::Pieces> {
        self.iter().map(|input| input.pieces(next)).collect()
    }
}

impl<I: ManualInputs + Clone> ManualInputs for &I {
    type Pieces = I::Pieces;

    fn collect(self, into: &mut Vec<(Tensor, Vec<Cut>)>) {
        self.clone().collect(into);
    }

    fn pieces(&self, next: &mut dyn FnMut() -> Tensor) -> I::Pieces {
        (**self).pieces(next)
    }
}

macro_rules! tuple_inputs {
    ($($name:ident $at:tt)*) => {
        impl<$($name: ManualInputs),*> ManualInputs for ($($name,)*) {
            type Pieces = ($($name::Pieces,)*);

            fn collect(self, into: &mut Vec<(Tensor, Vec<Cut>)>) {
                $(self.$at.collect(into);)*
            }

            fn pieces(&self, next: &mut dyn FnMut() -> Tensor) -> Self::Pieces {
                ($(self.$at.pieces(next),)*)
            }
        }
    };
}
tuple_inputs!(A 0);
tuple_inputs!(A 0 B 1);
tuple_inputs!(A 0 B 1 C 2);
tuple_inputs!(A 0 B 1 C 2 D 3);
tuple_inputs!(A 0 B 1 C 2 D 3 E 4);
tuple_inputs!(A 0 B 1 C 2 D 3 E 4 F 5);

/// How the results of a manual region are put together: the cuts of each, as an array, a list or a tuple.
///
/// ```
/// use meshwright_tensor::prelude::*;
/// let mesh = Mesh::new([("x", 4)])?;
/// let program = trace("f", |t| {
///     let x = t.input("x", f32, [8, 6]);
///     let outputs = (("x", ()), [()]); // rows of the first, the second is the same on all devices
///     manual(&mesh, &["x"], (x, ("x", ())), outputs, |x| (x * 2.0, x.sum(0).all_reduce(&mesh, &["x"])))
/// })?;
/// # Ok::<(), Errors>(())
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not say how each result is put together",
    label = "not a list of cuts",
    note = "write `[(\"x\", ())]` for one result: a list, even of one"
)]
pub trait ManualOutputs {
    /// The cuts of each result.
    fn into_lists(self) -> Vec<Vec<Cut>>;
}

impl<C: Cuts, const N: usize> ManualOutputs for [C; N] {
    fn into_lists(self) -> Vec<Vec<Cut>> {
        self.into_iter().map(Cuts::into_cuts).collect()
    }
}

impl<C: Cuts> ManualOutputs for Vec<C> {
    fn into_lists(self) -> Vec<Vec<Cut>> {
        self.into_iter().map(Cuts::into_cuts).collect()
    }
}

impl<O: ManualOutputs + Clone> ManualOutputs for &O {
    fn into_lists(self) -> Vec<Vec<Cut>> {
        self.clone().into_lists()
    }
}

macro_rules! tuple_outputs {
    ($($name:ident $at:tt)*) => {
        impl<$($name: Cuts),*> ManualOutputs for ($($name,)*) {
            fn into_lists(self) -> Vec<Vec<Cut>> {
                vec![$(self.$at.into_cuts()),*]
            }
        }
    };
}
tuple_outputs!(A 0);
tuple_outputs!(A 0 B 1);
tuple_outputs!(A 0 B 1 C 2);
tuple_outputs!(A 0 B 1 C 2 D 3);

/// A part of the program that says itself what each device does. Over the mesh axes `axes` the closure's tensors are
/// local: each input is cut as its cuts say, and each result is put together as `outputs` say. Over other axes of the
/// mesh the inside is still partitioned automatically.
///
/// ```
/// use meshwright_tensor::prelude::*;
/// let mesh = Mesh::new([("x", 4), ("y", 2)])?;
/// let program = trace("f", |t| {
///     let x = t.input("x", f32, [8, 16]);
///     manual(&mesh, &["x"], (x, ("x", ())), [("x", ())], |piece| {
///         piece - piece.sum(0).all_reduce(&mesh, &["x"]) // pieces are f32[2,16]
///     })
/// })?;
/// # Ok::<(), Errors>(())
/// ```
#[track_caller]
pub fn manual<I: ManualInputs + Clone, R: Tree>(
    mesh: &Mesh,
    axes: &[&str],
    inputs: I,
    outputs: impl ManualOutputs,
    inside: impl FnOnce(I::Pieces) -> R,
) -> R {
    let (line, outputs) = (Location::caller(), outputs.into_lists());
    let mut given = Vec::new();
    inputs.clone().collect(&mut given);
    let operands: Vec<Tensor> = given.iter().map(|(x, _)| *x).collect();
    let id = state::with(|state| state.mesh(mesh, line)).unwrap_or_else(|| Id::from_index(0));
    let manual = axis_list(mesh, axes, line);
    let ins: Vec<Sharding> = given.iter().map(|(x, cuts)| checked(mesh, id, &x.dims(), cuts, line)).collect();
    let block = state::with(|state| state.open_region()).unwrap_or_else(|| Id::from_index(0));
    let locals: Vec<Tensor> =
        operands.iter().zip(&ins).map(|(x, split)| local(*x, split, mesh, &manual, line)).collect();
    let mut next = locals.into_iter();
    let results = inside(inputs.pieces(&mut || next.next().unwrap_or_else(Tensor::nowhere)));
    let leaves = results.leaves();
    let ids = entries(&leaves, line);
    let types: Vec<TensorType> = leaves.iter().map(|leaf| leaf.ty()).collect();
    state::with(|state| state.close_block(&ids, line));
    if outputs.len() != leaves.len() {
        described(leaves.len(), outputs.len(), line);
        return results.with_leaves(&types.into_iter().map(|ty| poison(ty, line)).collect::<Vec<_>>());
    }
    let outs = types.iter().zip(&outputs).map(|(ty, cuts)| checked(mesh, id, &ty.dims, cuts, line)).collect();
    let op = ManualComputation { mesh: id, axes: manual, in_shardings: ins, out_shardings: outs };
    results.with_leaves(&emit_all(Op::Sharding(ShardingOp::Manual(op)), &operands, vec![block], &types, line))
}

fn described(returned: usize, described: usize, line: Line) {
    let message =
        format!("the manual region returns {returned} tensors, but {described} outputs are described");
    report(line, Diagnostic::error(codes::MANUAL, message).help("describe how each result is put together"));
}

fn checked(mesh: &Mesh, id: MeshId, dims: &[i64], cuts: &[Cut], line: Line) -> Sharding {
    sharding(mesh, id, dims, cuts).unwrap_or_else(|diagnostic| {
        report(line, diagnostic);
        Sharding::replicated(id, dims.len())
    })
}

pub(crate) fn axis_list(mesh: &Mesh, axes: &[&str], line: Line) -> Vec<AxisRef> {
    let mut out = Vec::new();
    for axis in axes {
        match mesh.axis(&AxisAt::from(*axis)) {
            Ok(axis) => out.push(axis),
            Err(diagnostic) => report(line, diagnostic),
        }
    }
    out.arrange();
    out
}

/// The parameter for one device's piece.
fn local(x: Tensor, split: &Sharding, mesh: &Mesh, manual: &[AxisRef], line: Line) -> Tensor {
    let mut dims = x.dims();
    for (dim, cut) in split.dims.iter().enumerate() {
        let tiles: i64 = cut.axes.iter().filter(|axis| manual.contains(axis)).map(|axis| axis.size).product();
        if dims[dim] % tiles.max(1) != 0 {
            let message = format!("dim {dim} of {} does not divide into {tiles} manual pieces", x.words());
            report(line, Diagnostic::error(codes::MANUAL, message).help("pad it, or cut it over other axes"));
        }
        dims[dim] /= tiles.max(1);
    }
    let (ty, names) = (x.ty().with_dims(dims), x.names());
    let made = state::with(|state| Tensor::new(state.id, state.param(ty, names)));
    let made = made.unwrap_or_else(Tensor::nowhere);
    made.set_local(Some(Arc::new(Local::within(x.local().as_deref(), mesh, manual, line))));
    made
}

/// A collective over the devices that differ only along these axes. Those that combine values do it by the reducer.
fn collective(
    (kind, reducer): (CollectiveKind, BinaryOp),
    x: Tensor,
    mesh: &Mesh,
    axes: &[&str],
    guess: Vec<i64>,
    line: Line,
) -> Tensor {
    let axes = axis_list(mesh, axes, line);
    let group_size = axes.iter().map(|axis| axis.size).product();
    let id = state::with(|state| state.mesh(mesh, line)).unwrap_or_else(|| Id::from_index(0));
    let region = match kind {
        CollectiveKind::AllReduce | CollectiveKind::ReduceScatter { .. } => {
            vec![crate::ops::reduce::reducer(reducer, x.dtype(), line)]
        }
        _ => Vec::new(),
    };
    let op = Collective {
        kind,
        groups: Groups::Axes { mesh: id, axes },
        group_size,
        channel: Channel { id: Some(1), kind: 1, use_global_device_ids: true },
        wide: None,
    };
    let results = emit_all(Op::Collective(op), &[x], region, &[x.ty().with_dims(guess)], line);
    results.first().copied().unwrap_or(x)
}

/// Collectives, for use inside [`manual`].
impl Tensor {
    /// The sum over the devices along these mesh axes, on each of them.
    ///
    /// ```
    /// use meshwright_tensor::prelude::*;
    /// let mesh = Mesh::new([("x", 4)])?;
    /// let program = trace("f", |t| {
    ///     let x = t.input("x", f32, [8]);
    ///     manual(&mesh, &["x"], (x, ["x"]), [[()]], |x| x.all_reduce(&mesh, &["x"]))
    /// })?;
    /// # Ok::<(), Errors>(())
    /// ```
    #[track_caller]
    pub fn all_reduce(self, mesh: &Mesh, axes: &[&str]) -> Tensor {
        collective(
            (CollectiveKind::AllReduce, BinaryOp::Add),
            self,
            mesh,
            axes,
            self.dims(),
            Location::caller(),
        )
    }

    /// The largest over the devices along these mesh axes, element by element, on each of them.
    ///
    /// ```
    /// use meshwright_tensor::prelude::*;
    /// let mesh = Mesh::new([("x", 4)])?;
    /// let program = trace("f", |t| {
    ///     let x = t.input("x", f32, [8]);
    ///     manual(&mesh, &["x"], (x, ["x"]), [[()]], |x| x.all_reduce_max(&mesh, &["x"]))
    /// })?;
    /// # Ok::<(), Errors>(())
    /// ```
    #[track_caller]
    pub fn all_reduce_max(self, mesh: &Mesh, axes: &[&str]) -> Tensor {
        let how = (CollectiveKind::AllReduce, BinaryOp::Maximum);
        collective(how, self, mesh, axes, self.dims(), Location::caller())
    }

    /// The smallest over the devices along these mesh axes, element by element, on each of them.
    ///
    /// ```
    /// use meshwright_tensor::prelude::*;
    /// let mesh = Mesh::new([("x", 4)])?;
    /// let program = trace("f", |t| {
    ///     let x = t.input("x", f32, [8]);
    ///     manual(&mesh, &["x"], (x, ["x"]), [[()]], |x| x.all_reduce_min(&mesh, &["x"]))
    /// })?;
    /// # Ok::<(), Errors>(())
    /// ```
    #[track_caller]
    pub fn all_reduce_min(self, mesh: &Mesh, axes: &[&str]) -> Tensor {
        let how = (CollectiveKind::AllReduce, BinaryOp::Minimum);
        collective(how, self, mesh, axes, self.dims(), Location::caller())
    }

    /// The pieces of the devices along these mesh axes, one after another along a dim, on each of them.
    ///
    /// ```
    /// use meshwright_tensor::prelude::*;
    /// let mesh = Mesh::new([("x", 4)])?;
    /// let program = trace("f", |t| {
    ///     let x = t.input("x", f32, [8]);
    ///     manual(&mesh, &["x"], (x, ["x"]), [[()]], |x| x.all_gather(&mesh, &["x"], 0))
    /// })?;
    /// # Ok::<(), Errors>(())
    /// ```
    #[track_caller]
    pub fn all_gather(self, mesh: &Mesh, axes: &[&str], dim: usize) -> Tensor {
        collective(
            (CollectiveKind::AllGather { dim }, BinaryOp::Add),
            self,
            mesh,
            axes,
            self.dims(),
            Location::caller(),
        )
    }

    /// The sum over the devices along these mesh axes, each device keeping its part along a dim.
    ///
    /// ```
    /// use meshwright_tensor::prelude::*;
    /// let mesh = Mesh::new([("x", 4)])?;
    /// let program = trace("f", |t| {
    ///     let x = t.input("x", f32, [8]);
    ///     manual(&mesh, &["x"], (x, [()]), [["x"]], |x| x.reduce_scatter(&mesh, &["x"], 0))
    /// })?;
    /// # Ok::<(), Errors>(())
    /// ```
    #[track_caller]
    pub fn reduce_scatter(self, mesh: &Mesh, axes: &[&str], dim: usize) -> Tensor {
        collective(
            (CollectiveKind::ReduceScatter { dim }, BinaryOp::Add),
            self,
            mesh,
            axes,
            self.dims(),
            Location::caller(),
        )
    }

    /// Part `i` along dim `split` goes to device `i` along these mesh axes; what comes in is joined along dim `join`.
    ///
    /// ```
    /// use meshwright_tensor::prelude::*;
    /// let mesh = Mesh::new([("x", 4)])?;
    /// let program = trace("f", |t| {
    ///     let x = t.input("x", f32, [8, 8]);
    ///     manual(&mesh, &["x"], (x, ("x", ())), [((), "x")], |x| x.all_to_all(&mesh, &["x"], 1, 0))
    /// })?;
    /// # Ok::<(), Errors>(())
    /// ```
    #[track_caller]
    pub fn all_to_all(self, mesh: &Mesh, axes: &[&str], split: usize, join: usize) -> Tensor {
        let line = Location::caller();
        let split_count = axis_list(mesh, axes, line).iter().map(|axis| axis.size).product();
        let kind = CollectiveKind::AllToAll { split_dim: split, concat_dim: join, split_count };
        collective((kind, BinaryOp::Add), self, mesh, axes, self.dims(), line)
    }

    /// For each pair of places along these mesh axes, what the first has goes to the second. Where nothing comes, there
    /// is zero.
    ///
    /// ```
    /// use meshwright_tensor::prelude::*;
    /// let mesh = Mesh::new([("stage", 4)])?;
    /// let next: Vec<_> = (0..3).map(|stage| (stage, stage + 1)).collect();
    /// let program = trace("f", |t| {
    ///     let x = t.input("x", f32, [8]);
    ///     manual(&mesh, &["stage"], (x, ["stage"]), [["stage"]], |x| x.permute(&mesh, &["stage"], &next))
    /// })?;
    /// # Ok::<(), Errors>(())
    /// ```
    #[track_caller]
    pub fn permute(self, mesh: &Mesh, axes: &[&str], pairs: &[(i64, i64)]) -> Tensor {
        let line = Location::caller();
        state::with(|state| state.mesh(mesh, line));
        let groups = meshwright_shard::groups(&mesh.axes, &axis_list(mesh, axes, line));
        if let Some(wrong) = wrong_pair(pairs, groups.size()) {
            let help = "give each place at most once as a first and at most once as a second";
            report(line, Diagnostic::error(codes::MANUAL, wrong).help(help));
            return self;
        }
        let mut devices = Vec::new();
        for members in groups.iter() {
            let at = |place: i64| {
                usize::try_from(place).ok().and_then(|place| members.get(place)).map(|device| device.number())
            };
            devices.extend(pairs.iter().filter_map(|(from, to)| at(*from).zip(at(*to))));
        }
        let op = Collective {
            kind: CollectiveKind::Permute { pairs: devices },
            groups: Groups::All,
            group_size: 1,
            channel: Channel { id: Some(1), kind: 1, use_global_device_ids: true },
            wide: None,
        };
        let results = emit_all(Op::Collective(op), &[self], Vec::new(), &[self.ty()], line);
        results.first().copied().unwrap_or(self)
    }
}

/// What is wrong with pairs of places, if anything is.
fn wrong_pair(pairs: &[(i64, i64)], size: i64) -> Option<String> {
    let (mut sent, mut taken) = (BTreeSet::new(), BTreeSet::new());
    pairs.iter().find_map(|(from, to)| {
        if let Some(place) = [from, to].into_iter().find(|place| !(0..size).contains(*place)) {
            return Some(format!("there is no place {place} among the {size} along these axes"));
        }
        match (sent.insert(from), taken.insert(to)) {
            (true, true) => None,
            (false, _) => Some(format!("place {from} sends twice")),
            (true, false) => Some(format!("place {to} is sent to twice")),
        }
    })
}
