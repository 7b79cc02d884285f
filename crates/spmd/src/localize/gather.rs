//! Gather and scatter whose indexed dim is split: each device looks up what lies in its own piece.
//!
//! ```text
//! gather   index -> clamp to the whole dim, minus the piece's offset; rows outside the piece are zero: a partial sum
//! scatter  index -> minus the piece's offset; what falls outside is dropped, as the op drops it anyway
//! ```
//!
//! A slice of several elements may lie across pieces: then a piece is widened by zeros on both sides, where a gather's
//! slices find what they do not have here, and where a scatter's windows leave what does not belong here. The op drops
//! a window that does not lie in the whole dim, so its index becomes one that lies nowhere.

use crate::localize::emit::Emit;
use crate::localize::halo::{self, Fill};
use crate::localize::subject::{Local, Subject};
use meshwright_ir::op::{BinaryOp, Direction, Gather, Scatter};
use meshwright_ir::{Build, DType, Op, TensorType, ValueId};
use meshwright_shard::{AxisRef, Dim, MeshId, Reducer, Sharding};

/// One component of the index vectors.
#[derive(Clone)]
struct Component {
    axes: Vec<AxisRef>,
    /// Largest legal start index on the whole dim.
    last: i64,
    /// Starts on a piece (on the whole dim, if it is not split).
    piece: i64,
    /// Zeros on both sides of a piece.
    margin: i64,
}

/// Global dims of a gather's operand: the real ones, and with padding.
pub struct Sizes<'a> {
    pub whole: &'a [i64],
    pub padded: &'a [i64],
}

/// Localize a gather; `ty` is the local result type.
pub fn gather(
    emit: &mut Emit<'_, '_>,
    op: &Gather,
    [operand, indices]: [ValueId; 2],
    Sizes { whole, padded }: Sizes<'_>,
    sharding: &Sharding,
    ty: TensorType,
) -> ValueId {
    let local = emit.tensor(operand).dims;
    let component = |dim: &Dim| {
        if op.slice_sizes[*dim] == padded[*dim] && is_window(op, *dim) {
            // Taken whole: the only legal start is 0 on every piece.
            Component { axes: Vec::new(), last: 0, piece: 1, margin: 0 }
        } else {
            let margin = margin(op, *dim, sharding);
            Component {
                axes: sharding.dims[*dim].axes.clone(),
                last: (whole[*dim] - op.slice_sizes[*dim]).max(0),
                piece: local[*dim] + if margin > 0 { margin + 1 } else { 0 },
                margin,
            }
        }
    };
    let dims: Vec<Dim> = op.start_index_map.iter().map(|dim| Dim::new(*dim)).collect();
    let components: Vec<Component> = dims.iter().map(component).collect();
    let operand = dims.iter().zip(&components).fold(operand, |operand, (dim, component)| {
        halo::pad(emit, operand, *dim, [component.margin, 0, component.margin], Fill::Zero)
    });
    let is_split = components.iter().any(|component| !component.axes.is_empty());
    let is_padded = op.start_index_map.iter().any(|dim| local[*dim] > whole[*dim]);
    let window = op.clone();
    let mut op = op.clone();
    for (dim, size) in op.slice_sizes.iter_mut().enumerate() {
        if *size == padded[dim] && is_window(&window, Dim::new(dim)) {
            *size = local[dim];
        }
    }
    if !is_split && !is_padded {
        return emit.push(Op::Gather(op), [operand, indices]);
    }
    let place = op.index_vector_dim;
    let clamped = clamp(emit, indices, place, &components);
    if !is_split {
        return emit.push(Op::Gather(op), [operand, clamped]);
    }
    let (local_indices, inside) = localized(emit, clamped, place, sharding.mesh, &components);
    let inside = if place < emit.tensor(inside).rank() {
        emit.reduce(Reducer::And, inside, vec![place])
    } else {
        inside
    };
    let batch: Vec<usize> = (0..ty.rank()).filter(|dim| !op.offset_dims.contains(dim)).collect();
    let rows = emit.push(Op::Gather(op), [operand, local_indices]);
    let mask = emit.broadcast(inside, batch, &ty.dims);
    let zero = emit.splat_int(&ty, 0);
    emit.select(mask, rows, zero)
}

/// How far slices may reach beyond a piece of a dim.
fn margin(op: &Gather, dim: Dim, sharding: &Sharding) -> i64 {
    match (op.slice_sizes[dim], sharding.dims[dim].axes.is_empty()) {
        (size, false) if size > 1 => size,
        _ => 0,
    }
}

/// Whether an operand dim has a dim of its own in the slices.
fn is_window(op: &Gather, dim: Dim) -> bool {
    !op.collapsed_slice_dims.contains(&dim.index()) && !op.operand_batching_dims.contains(&dim.index())
}

/// One looked-up dim of a scatter.
struct Window {
    dim: Dim,
    size: i64,
    component: Component,
}

/// Localize a scatter; `None` if no indexed dim is split or padded.
pub fn scatter(emit: &mut Emit<'_, '_>, subject: &Subject<'_>, op: &Scatter) -> Option<Local> {
    let count = subject.operands.len() / 2;
    let sharding = subject.from.first()?.sharding.as_ref()?;
    let windows: Vec<Window> = op
        .scatter_dims_to_operand_dims
        .iter()
        .map(|dim| window(emit, subject, op, sharding, Dim::new(*dim)))
        .collect();
    let is_split = windows.iter().any(|window| !window.component.axes.is_empty());
    let is_widened = windows.iter().any(|window| window.component.margin > 0);
    if !is_split && !is_widened {
        return None;
    }
    let place = op.index_vector_dim;
    let mut indices = widened(emit, subject.operands[count]);
    if is_widened {
        indices = inside_whole(emit, indices, place, &windows);
    }
    let components: Vec<Component> = windows.iter().map(|window| window.component.clone()).collect();
    let (indices, _) = localized(emit, indices, place, sharding.mesh, &components);
    if !is_widened {
        emit.editor.set_operand(subject.inst, count, indices);
        return None;
    }
    let mut operands = subject.operands.clone();
    operands[count] = indices;
    for window in &windows {
        let margin = window.component.margin;
        for input in &mut operands[..count] {
            *input = halo::pad(emit, *input, window.dim, [margin, 0, margin], Fill::Zero);
        }
    }
    let regions = emit.func().inst(subject.inst).regions.clone();
    // Indices that lie nowhere are one place now, below the others.
    let wide = Op::Scatter(Scatter { indices_are_sorted: false, unique_indices: false, ..op.clone() });
    let results = emit.push_all(wide, operands.to_vec(), regions);
    let cut = |emit: &mut Emit<'_, '_>, value: ValueId, window: &Window| {
        let margin = window.component.margin;
        let end = emit.tensor(value).dims[window.dim] - margin;
        emit.slice_dim(value, window.dim, margin..end)
    };
    let own = |value| windows.iter().fold(value, |value, window| cut(emit, value, window));
    Some(Local::Values(results.into_iter().map(own).collect()))
}

/// How an indexed dim is looked up here: a window of all of it can only start at 0, one of several elements may reach
/// beyond a piece or into its padding.
fn window(emit: &Emit<'_, '_>, subject: &Subject<'_>, op: &Scatter, sharding: &Sharding, dim: Dim) -> Window {
    let (whole, padded) = (subject.from[0].whole()[dim], subject.from[0].padded()[dim]);
    let piece = emit.tensor(subject.operands[0]).dims[dim];
    let is_dropped =
        |dim: &usize| op.inserted_window_dims.contains(dim) || op.input_batching_dims.contains(dim);
    let before = (0..dim.index()).filter(|dim| !is_dropped(dim)).count();
    let updates = subject.from[subject.operands.len() / 2 + 1].whole();
    let size = if is_dropped(&dim.index()) {
        1
    } else {
        op.update_window_dims.get(before).map_or(1, |dim| updates[*dim])
    };
    let axes = sharding.dims[dim].axes.clone();
    if size == whole && !is_dropped(&dim.index()) {
        let component = Component { axes: Vec::new(), last: 0, piece, margin: 0 };
        return Window { dim, size, component };
    }
    let reaches = size > 1 && (!axes.is_empty() || padded > whole);
    let margin = if reaches { size } else { 0 };
    let piece = piece + if reaches { margin + 1 } else { 0 };
    Window { dim, size, component: Component { axes, last: whole - size, piece, margin } }
}

/// Indices of windows that lie in the whole dims; of others, what lies nowhere.
fn inside_whole(emit: &mut Emit<'_, '_>, indices: ValueId, place: usize, windows: &[Window]) -> ValueId {
    let ty = emit.tensor(indices);
    let each = |of: &dyn Fn(&Window) -> i64| windows.iter().map(of).collect::<Vec<_>>();
    let last = spread_constant(emit, &each(&|window| window.component.last), place, &ty);
    let nowhere = each(&|window| -(window.component.last + 2 * window.size + 1));
    let nowhere = spread_constant(emit, &nowhere, place, &ty);
    let zero = emit.splat_int(&ty, 0);
    let from = emit.compare(Direction::Ge, indices, zero);
    let to = emit.compare(Direction::Le, indices, last);
    let inside = emit.binary(BinaryOp::And, from, to);
    emit.select(inside, indices, nowhere)
}

/// Indices in a signed type that offsets cannot overflow.
fn widened(emit: &mut Emit<'_, '_>, indices: ValueId) -> ValueId {
    let dtype = emit.tensor(indices).dtype;
    emit.convert(indices, if dtype.bits() > 32 || dtype == DType::U32 { DType::S64 } else { DType::S32 })
}

/// Clamp each component to its whole dim, in the indices' own type, then widen.
fn clamp(emit: &mut Emit<'_, '_>, indices: ValueId, place: usize, components: &[Component]) -> ValueId {
    let ty = emit.tensor(indices);
    let most = if ty.dtype.bits() >= 64 { i64::MAX } else { i64::MAX >> (64 - ty.dtype.bits()) };
    let last: Vec<i64> = components.iter().map(|component| component.last.min(most)).collect();
    let high = spread_constant(emit, &last, place, &ty);
    let low = emit.splat_int(&ty, 0);
    let clamped = emit.push(Op::Clamp, [low, indices, high]);
    widened(emit, clamped)
}

/// Indices relative to this device's pieces, and which of them lie inside.
fn localized(
    emit: &mut Emit<'_, '_>,
    indices: ValueId,
    place: usize,
    mesh: MeshId,
    components: &[Component],
) -> (ValueId, ValueId) {
    let ty = emit.tensor(indices);
    let offsets: Vec<ValueId> = components
        .iter()
        .map(|component| {
            let held = component.piece - if component.margin > 0 { component.margin + 1 } else { 0 };
            let offset = emit.offset(mesh, &component.axes, held);
            let offset = emit.convert(offset, ty.dtype);
            if component.margin == 0 {
                return offset;
            }
            let margin = emit.splat_int(&TensorType::scalar(ty.dtype), component.margin);
            emit.binary(BinaryOp::Subtract, offset, margin)
        })
        .collect();
    let offset = match (place < ty.rank(), &offsets[..]) {
        (false, [only]) => emit.broadcast(*only, Vec::new(), &ty.dims),
        _ => {
            let vector = emit.stack(&offsets);
            emit.broadcast(vector, vec![place], &ty.dims)
        }
    };
    let relative = emit.binary(BinaryOp::Subtract, indices, offset);
    let pieces: Vec<i64> = components.iter().map(|component| component.piece).collect();
    let limit = spread_constant(emit, &pieces, place, &ty);
    let zero = emit.splat_int(&ty, 0);
    let from = emit.compare(Direction::Ge, relative, zero);
    let to = emit.compare(Direction::Lt, relative, limit);
    (relative, emit.binary(BinaryOp::And, from, to))
}

/// A constant per component, spread over the shape of the indices.
fn spread_constant(emit: &mut Emit<'_, '_>, elements: &[i64], place: usize, ty: &TensorType) -> ValueId {
    match (place < ty.rank(), elements) {
        (false, [only]) => emit.splat_int(ty, *only),
        _ => {
            let vector = emit.vector(ty.dtype, elements);
            emit.broadcast(vector, vec![place], &ty.dims)
        }
    }
}
