//! Manual regions: inside, a tensor is one device's piece, and devices talk by collectives.

use crate::boundary::Local;
use crate::codes;
use crate::mesh::{AxisAt, Cut, Mesh, sharding};
use crate::state::{self, Line};
use crate::tensor::{Tensor, emit_all, entries, poison, report};
use crate::tree::Tree;
use meshwright_ground::Diagnostic;
use meshwright_ir::op::collective::{Channel, Groups};
use meshwright_ir::op::{BinaryOp, Collective, CollectiveKind, ManualComputation, ShardingOp};
use meshwright_ir::{Op, TensorType};
use meshwright_shard::{AxisRef, MeshId, Sharding};
use std::panic::Location;
use std::sync::Arc;

/// A part of the program that says itself what each device does. Over the mesh axes `axes` the closure's tensors are
/// local: each input is cut as its cuts say, and each result is put together as `outputs` say. Over other axes of the
/// mesh the inside is still partitioned automatically.
///
/// ```
/// use meshwright_tensor::prelude::*;
/// let mesh = Mesh::new([("x", 4), ("y", 2)])?;
/// let program = trace("f", |t| {
///     let x = t.input("x", f32, [8, 16]);
///     manual(&mesh, &["x"], &[(x, vec!["x".into(), ().into()])], &[vec!["x".into(), ().into()]], |local| {
///         let piece = local[0]; // f32[2,16]
///         piece - piece.sum(0).all_reduce(&mesh, &["x"])
///     })
/// })?;
/// # Ok::<(), Errors>(())
/// ```
#[track_caller]
pub fn manual<R: Tree>(
    mesh: &Mesh,
    axes: &[&str],
    inputs: &[(Tensor, Vec<Cut>)],
    outputs: &[Vec<Cut>],
    inside: impl FnOnce(&[Tensor]) -> R,
) -> R {
    let line = Location::caller();
    let operands: Vec<Tensor> = inputs.iter().map(|(x, _)| *x).collect();
    let id = state::with(|state| mesh.intern(&mut state.module.meshes))
        .unwrap_or_else(|| meshwright_ground::Id::from_index(0));
    let manual = axis_list(mesh, axes, line);
    let edge = |dims: &[i64], cuts: &[Cut]| checked(mesh, id, dims, cuts, line);
    let ins: Vec<Sharding> = inputs.iter().map(|(x, cuts)| edge(&x.dims(), cuts)).collect();
    let block =
        state::with(|state| state.open_region()).unwrap_or_else(|| meshwright_ground::Id::from_index(0));
    let locals: Vec<Tensor> =
        operands.iter().zip(&ins).map(|(x, split)| local(*x, split, mesh, &manual, line)).collect();
    let results = inside(&locals);
    let leaves = results.leaves();
    let ids = entries(&leaves, line);
    let types: Vec<TensorType> = leaves.iter().map(|leaf| leaf.ty()).collect();
    state::with(|state| state.close_block(&ids, line));
    if outputs.len() != leaves.len() {
        let message = format!(
            "the manual region returns {} tensors, but {} outputs are described",
            leaves.len(),
            outputs.len()
        );
        report(
            line,
            Diagnostic::error(codes::MANUAL, message).help("describe how each result is put together"),
        );
        return results.with_leaves(&types.into_iter().map(|ty| poison(ty, line)).collect::<Vec<_>>());
    }
    let outs: Vec<Sharding> = types.iter().zip(outputs).map(|(ty, cuts)| edge(&ty.dims, cuts)).collect();
    let op = ManualComputation { mesh: id, axes: manual, in_shardings: ins, out_shardings: outs };
    results.with_leaves(&emit_all(Op::Sharding(ShardingOp::Manual(op)), &operands, vec![block], &types, line))
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
    out.sort_unstable();
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

/// A collective over the devices that differ only along these axes.
fn collective(
    kind: CollectiveKind,
    x: Tensor,
    mesh: &Mesh,
    axes: &[&str],
    guess: Vec<i64>,
    line: Line,
) -> Tensor {
    let axes = axis_list(mesh, axes, line);
    let group_size = axes.iter().map(|axis| axis.size).product();
    let id = state::with(|state| mesh.intern(&mut state.module.meshes))
        .unwrap_or_else(|| meshwright_ground::Id::from_index(0));
    let region = match kind {
        CollectiveKind::AllReduce | CollectiveKind::ReduceScatter { .. } => {
            vec![crate::ops::reduce::reducer(BinaryOp::Add, x.dtype(), line)]
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
    ///     manual(&mesh, &["x"], &[(x, vec!["x".into()])], &[vec![().into()]], |x| x[0].all_reduce(&mesh, &["x"]))
    /// })?;
    /// # Ok::<(), Errors>(())
    /// ```
    #[track_caller]
    pub fn all_reduce(self, mesh: &Mesh, axes: &[&str]) -> Tensor {
        collective(CollectiveKind::AllReduce, self, mesh, axes, self.dims(), Location::caller())
    }

    /// The pieces of the devices along these mesh axes, one after another along a dim, on each of them.
    ///
    /// ```
    /// use meshwright_tensor::prelude::*;
    /// let mesh = Mesh::new([("x", 4)])?;
    /// let program = trace("f", |t| {
    ///     let x = t.input("x", f32, [8]);
    ///     manual(&mesh, &["x"], &[(x, vec!["x".into()])], &[vec![().into()]], |x| x[0].all_gather(&mesh, &["x"], 0))
    /// })?;
    /// # Ok::<(), Errors>(())
    /// ```
    #[track_caller]
    pub fn all_gather(self, mesh: &Mesh, axes: &[&str], dim: usize) -> Tensor {
        collective(CollectiveKind::AllGather { dim }, self, mesh, axes, self.dims(), Location::caller())
    }

    /// The sum over the devices along these mesh axes, each device keeping its part along a dim.
    ///
    /// ```
    /// use meshwright_tensor::prelude::*;
    /// let mesh = Mesh::new([("x", 4)])?;
    /// let program = trace("f", |t| {
    ///     let x = t.input("x", f32, [8]);
    ///     let whole = [(x, vec![().into()])];
    ///     manual(&mesh, &["x"], &whole, &[vec!["x".into()]], |x| x[0].reduce_scatter(&mesh, &["x"], 0))
    /// })?;
    /// # Ok::<(), Errors>(())
    /// ```
    #[track_caller]
    pub fn reduce_scatter(self, mesh: &Mesh, axes: &[&str], dim: usize) -> Tensor {
        collective(CollectiveKind::ReduceScatter { dim }, self, mesh, axes, self.dims(), Location::caller())
    }

    /// Part `i` along dim `split` goes to device `i` along these mesh axes; what comes in is joined along dim `join`.
    ///
    /// ```
    /// use meshwright_tensor::prelude::*;
    /// let mesh = Mesh::new([("x", 4)])?;
    /// let program = trace("f", |t| {
    ///     let x = t.input("x", f32, [8, 8]);
    ///     let (rows, columns) = (vec!["x".into(), ().into()], vec![().into(), "x".into()]);
    ///     manual(&mesh, &["x"], &[(x, rows)], &[columns], |x| x[0].all_to_all(&mesh, &["x"], 1, 0))
    /// })?;
    /// # Ok::<(), Errors>(())
    /// ```
    #[track_caller]
    pub fn all_to_all(self, mesh: &Mesh, axes: &[&str], split: usize, join: usize) -> Tensor {
        let line = Location::caller();
        let split_count = axis_list(mesh, axes, line).iter().map(|axis| axis.size).product();
        let kind = CollectiveKind::AllToAll { split_dim: split, concat_dim: join, split_count };
        collective(kind, self, mesh, axes, self.dims(), line)
    }
}
