//! Windows over split dims: convolution and its gradients, reduce_window.
//!
//! ```text
//! output split    device i makes places [i*t, (i+1)*t)    of all taps            needs t*stride*i - low  on
//! kernel split    device i takes taps   [i*k, (i+1)*k)    at all places: a sum   needs k*dilation*i - low  on
//! ```
//!
//! Which elements that are is said by `exchange::windows`, and by [`Layout`] how they are padded to what the window
//! sees. With base dilation the spans may start at different places of the holes:
//!
//! ```text
//! same place on every device     the local op pads and dilates as the whole one did                     A.2, case 1
//! stride 1                       every device makes a few places too many and cuts out its own          A.2, case 2
//! otherwise                      dilate the interval, cut out the span: the op sees no dilation         for case 3
//! ```
//!
//! The paper pads the window for case 3, which adds taps to every place; dilating beforehand adds none.

use crate::exchange::layout::{Cut, Layout, Phase, TileCount};
use crate::exchange::windows::{convolution_dims, cumulative_dims, reduce_window_dims, uneven_sums};
use crate::localize::combine;
use crate::localize::emit::Emit;
use crate::localize::halo::{self, Along, Fill, along};
use crate::localize::subject::{Local, Subject};
use meshwright_ir::op::convolution::SpatialRole;
use meshwright_ir::op::{Convolution, ReduceWindow, WindowDim};
use meshwright_ir::{Build, Op, ValueId};
use meshwright_shard::{Dim, Reducer, Sharding};

/// Localize a convolution: exchange what windows reach into, then the op itself on the pieces.
pub fn convolution(emit: &mut Emit<'_, '_>, subject: &Subject<'_>, op: &Convolution) -> Option<Local> {
    let [input, kernel] = subject.operands[..] else { return None };
    let [of_input, of_kernel] = [0, 1].map(|at| subject.from.get(at)?.sharding.as_ref());
    let (of_input, of_kernel) = (of_input?, of_kernel?);
    let of_result = subject.to.first()?.sharding.as_ref()?;
    let shardings = [of_input, of_kernel, of_result];
    let sizes = [subject.from[0].padded(), subject.from[1].padded(), subject.to[0].padded()];
    let cut = |tensor: usize, dim: usize| Cut::of(sizes[tensor][dim], shardings[tensor].dims[dim].tiles());
    let dims = convolution_dims(op, cut);
    let ty = subject.local(emit)?;
    let local_sizes = [emit.tensor(input).dims, emit.tensor(kernel).dims, ty.dims.clone()];
    let mut local = on_pieces(op, sizes[0], &local_sizes);
    let uneven = uneven_sums(op, cut);
    if dims.is_empty() && uneven.is_empty() && local == *op {
        return None;
    }
    if ty.dims.contains(&0) {
        return Some(Local::Value(emit.splat_int(&ty, 0)));
    }
    let (mut value, mut kernel) = (input, kernel);
    for (tensor, dim) in uneven {
        let (sharding, masked) = if tensor == 0 { (of_input, &mut value) } else { (of_kernel, &mut kernel) };
        *masked = real(emit, *masked, Dim::new(dim), cut(tensor, dim), sharding)?;
    }
    let mut late: Vec<(Dim, Phase)> = Vec::new();
    for dim in &dims {
        let spatial = |dims: &[usize]| Dim::new(dims[dim.index]);
        let (from, to) = (spatial(&op.dims.input_spatial), spatial(&op.dims.output_spatial));
        let along = along(&[(of_result, to), (of_kernel, spatial(&op.dims.kernel_spatial))])?;
        value = halo::exchange(emit, value, from, along, dim.source, dim.layout.need, Fill::Zero);
        let window = &mut local.window[dim.index];
        match dim.layout.phase {
            Some(phase) if window.stride == 1 => {
                late.push((to, phase));
                *window = of_layout(window, &dim.layout, dim.taps);
            }
            Some(phase) => {
                value = dilated(emit, value, from, along, &dim.layout, phase, Fill::Zero);
                *window = bare(window, dim.taps);
            }
            None => *window = of_layout(window, &dim.layout, dim.taps),
        }
    }
    let mut result = emit.push(Op::Convolution(local), [value, kernel]);
    for (dim, phase) in late {
        let along = along(&[(of_result, dim), (of_kernel, kernel_dim(op, dim))])?;
        let tiles = TileCount::new(crate::axes::tiles(along.axes));
        result = halo::cut(emit, result, dim, along, &phase.offsets(tiles), ty.dims[dim]);
    }
    Some(Local::Value(result))
}

/// A piece with zeros where the whole has nothing.
fn real(emit: &mut Emit<'_, '_>, value: ValueId, dim: Dim, cut: Cut, of: &Sharding) -> Option<ValueId> {
    let along = along(&[(of, dim)])?;
    Some(halo::own(emit, value, dim, along, cut.own(), Fill::Zero))
}

/// The kernel dim of the window that a result dim belongs to.
fn kernel_dim(op: &Convolution, dim: Dim) -> Dim {
    let index = op.dims.output_spatial.iter().position(|other| *other == dim.index()).unwrap_or(0);
    Dim::new(op.dims.kernel_spatial[index])
}

/// The op on pieces of (input, kernel, result), as far as no exchange is needed: groups are counted anew, and windows
/// that are dots in disguise follow the sizes.
fn on_pieces(op: &Convolution, whole: &[i64], [input, kernel, result]: &[Vec<i64>; 3]) -> Convolution {
    let mut local = op.clone();
    let count = |all: i64, each: i64, known: i64| if each > 0 { (all / each).max(1) } else { known };
    if op.feature_group_count > 1 {
        let (all, each) = (input[op.dims.input_feature], kernel[op.dims.kernel_input_feature]);
        local.feature_group_count = count(all, each, op.feature_group_count);
    }
    if op.batch_group_count > 1 {
        let (all, each) = (input[op.dims.input_batch], result[op.dims.output_batch]);
        local.batch_group_count = count(all, each, op.batch_group_count);
    }
    for (index, window) in local.window.iter_mut().enumerate() {
        let size = kernel[op.dims.kernel_spatial[index]];
        match op.spatial_role(index, whole[op.dims.input_spatial[index]]) {
            SpatialRole::Contracted => window.size = size,
            SpatialRole::Batch => {
                (window.size, window.base_dilation) = (size, size.max(1));
                window.stride = (size - 1).max(1);
            }
            SpatialRole::KernelFree => {
                window.size = size;
                (window.pad_low, window.pad_high) = (size - 1, size - 1);
            }
            SpatialRole::InputFree | SpatialRole::Taps | SpatialRole::Window => {}
        }
    }
    local
}

/// The window on a piece that is padded and dilated by the op itself.
fn of_layout(window: &WindowDim, layout: &Layout, taps: i64) -> WindowDim {
    WindowDim {
        size: taps,
        pad_low: layout.low,
        pad_high: layout.high,
        base_dilation: layout.dilation,
        ..*window
    }
}

/// The window on a piece that is padded and dilated already.
fn bare(window: &WindowDim, taps: i64) -> WindowDim {
    WindowDim { size: taps, pad_low: 0, pad_high: 0, base_dilation: 1, ..*window }
}

/// Dilate an interval and cut out the span, where it starts late.
pub fn dilated(
    emit: &mut Emit<'_, '_>,
    value: ValueId,
    dim: Dim,
    along: Along<'_>,
    layout: &Layout,
    phase: Phase,
    fill: Fill,
) -> ValueId {
    let spread = halo::pad(emit, value, dim, [layout.low, layout.dilation - 1, layout.high], fill);
    let tiles = TileCount::new(crate::axes::tiles(along.axes));
    halo::cut(emit, spread, dim, along, &phase.offsets(tiles), phase.span.length)
}

/// Localize a reduce_window whose places are split.
pub fn reduce_window(emit: &mut Emit<'_, '_>, subject: &Subject<'_>, op: &ReduceWindow) -> Option<Local> {
    let region = *emit.func().inst(subject.inst).regions.first()?;
    match (&subject.operands[..], emit.func().region_reducer(region)) {
        ([input, init], Some(reducer)) => plainly_reduced(emit, subject, op, [*input, *init], reducer),
        (operands, _) => windows_inside(emit, subject, op, operands.len() / 2),
    }
}

/// Windows of any reduction, over several values too, that reach neither beyond the edges nor into holes: every place
/// that there is sees real elements only.
fn windows_inside(
    emit: &mut Emit<'_, '_>,
    subject: &Subject<'_>,
    op: &ReduceWindow,
    inputs: usize,
) -> Option<Local> {
    let of_result = subject.to.first()?.sharding.as_ref()?;
    let from = Cut::all(subject.from.first()?.padded(), subject.from.first()?.sharding.as_deref());
    let dims = reduce_window_dims(op, &from, &Cut::all(subject.to.first()?.padded(), Some(of_result)));
    if dims.is_empty() {
        return None;
    }
    let (mut local, mut operands) = (op.clone(), subject.operands.clone());
    for (dim, source, layout) in dims {
        let along = along(&[(of_result, dim)])?;
        for value in operands.iter_mut().take(inputs) {
            *value = halo::exchange(emit, *value, dim, along, source, layout.need, Fill::Anything);
        }
        local.window[dim] = of_layout(&op.window[dim], &layout, op.window[dim].size);
    }
    emit.editor.set_operands(subject.inst, operands.to_vec());
    Some(Local::Op(Op::ReduceWindow(local)))
}

/// Of a plain reducer. Beyond the edges stands the identity: a window there has nothing to add.
fn plainly_reduced(
    emit: &mut Emit<'_, '_>,
    subject: &Subject<'_>,
    op: &ReduceWindow,
    [input, init]: [ValueId; 2],
    reducer: Reducer,
) -> Option<Local> {
    let of_result = subject.to.first()?.sharding.as_ref()?;
    let from = Cut::all(subject.from[0].padded(), subject.from[0].sharding.as_deref());
    let to = Cut::all(subject.to[0].padded(), Some(of_result));
    let dims = reduce_window_dims(op, &from, &to);
    let scanned = cumulative_dims(op, &from, &to);
    if dims.is_empty() && scanned.is_empty() {
        return None;
    }
    let scalar = emit.tensor(input).with_dims(Vec::new());
    let identity = emit.identity(reducer, &scalar);
    let fill = halo::fill_of(emit, identity);
    let (mut local, mut value) = (op.clone(), input);
    if !scanned.is_empty() {
        let wide = subject.local(emit)?.dtype;
        value = emit.convert(value, wide);
        value = combine::cumulative(emit, value, subject.from[0].padded(), of_result, reducer, &scanned);
        scanned.iter().for_each(|(dim, _)| local.window[*dim] = WindowDim::TRIVIAL);
    }
    for (dim, source, layout) in dims {
        let (window, along) = (op.window[dim], along(&[(of_result, dim)])?);
        value = halo::exchange(emit, value, dim, along, source, layout.need, fill);
        local.window[dim] = match layout.phase {
            Some(phase) => {
                value = dilated(emit, value, dim, along, &layout, phase, fill);
                bare(&window, window.size)
            }
            None => of_layout(&window, &layout, window.size),
        };
    }
    emit.editor.set_operands(subject.inst, vec![value, init]);
    Some(Local::Op(Op::ReduceWindow(local)))
}
