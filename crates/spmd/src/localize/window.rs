//! Windows over split dims: convolution and its gradients, reduce_window.
//!
//! ```text
//! output split    device i makes places [i*t, (i+1)*t)    of all taps            needs t*stride*i - low  on
//! kernel split    device i takes taps   [i*k, (i+1)*k)    at all places: a sum   needs k*dilation*i - low  on
//! ```
//!
//! In coordinates of the padded and dilated base every device needs a span of one length; [`Layout`] says which elements
//! lie in it and how they are padded there. With base dilation the spans may start at different places of the holes:
//!
//! ```text
//! same place on every device     the local op pads and dilates as the whole one did                     A.2, case 1
//! stride 1                       every device makes a few places too many and cuts out its own          A.2, case 2
//! otherwise                      dilate the interval, cut out the span: the op sees no dilation         for case 3
//! ```
//!
//! The paper pads the window for case 3, which adds taps to every place; dilating beforehand adds none.

use crate::localize::combine::{self, cumulative_dims};
use crate::localize::emit::Emit;
use crate::localize::halo::{self, Along, Fill, Need, Source};
use crate::localize::op::{Local, Subject};
use meshwright_ir::op::convolution::SpatialRole;
use meshwright_ir::op::{Convolution, ReduceWindow, WindowDim};
use meshwright_ir::{Op, ValueId};
use meshwright_shard::{Reducer, Sharding};

/// What one device needs of a dim, in coordinates of the padded and dilated base.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Span {
    /// Tile `i` starts at `step * i + first`.
    pub step: i64,
    pub first: i64,
    pub length: i64,
}

/// Where spans start that stand differently in the holes of a dilated base.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Phase {
    /// Tile `i` starts later the fewer holes it has before its first element.
    span: Span,
    dilation: i64,
    /// The most holes that a tile has there.
    low: i64,
    /// The latest start.
    most: i64,
}

/// Which elements lie in the span, and how they are padded and dilated to it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Layout {
    pub need: Need,
    pub low: i64,
    pub high: i64,
    pub dilation: i64,
    /// The span starts late: it is longer by the latest start.
    pub phase: Option<Phase>,
}

impl Layout {
    pub fn new(span: Span, dilation: i64, tiles: i64) -> Layout {
        let Span { step, first, length } = span;
        if dilation <= 1 {
            let need = Need::linear(step, first, length);
            return Layout { need, low: 0, high: 0, dilation: 1, phase: None };
        }
        let holes = |tile: i64| holes(span, dilation, tile);
        let fewest = (0..tiles).map(holes).min().unwrap_or(0);
        let low = (0..tiles).map(holes).max().unwrap_or(0);
        let (width, most) = ((length - 1 - fewest).max(0) / dilation + 1, low - fewest);
        Layout {
            need: Need { step, first: first + dilation - 1, per: dilation, times: 1, shift: 0, width },
            low,
            high: most + length - low - ((width - 1) * dilation + 1),
            dilation,
            phase: (most > 0).then_some(Phase { span, dilation, low, most }),
        }
    }
}

/// Holes before the first element of a tile's span.
fn holes(Span { step, first, .. }: Span, dilation: i64, tile: i64) -> i64 {
    step.saturating_mul(tile).saturating_add(first).saturating_neg().rem_euclid(dilation)
}

impl Phase {
    /// How late each tile's span starts.
    pub fn offsets(&self, tiles: i64) -> Vec<i64> {
        (0..tiles).map(|tile| self.low - holes(self.span, self.dilation, tile)).collect()
    }
}

/// A dim cut into tiles.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Cut {
    pub size: i64,
    pub tiles: i64,
}

impl Cut {
    pub fn of(size: i64, tiles: i64) -> Cut {
        Cut { size, tiles }
    }

    /// The dims of a tensor.
    pub fn all(sizes: &[i64], sharding: Option<&Sharding>) -> Vec<Cut> {
        let tiles = |dim: usize| sharding.map_or(1, |sharding| sharding.dims[dim].tiles());
        sizes.iter().enumerate().map(|(dim, size)| Cut::of(*size, tiles(dim))).collect()
    }

    /// Elements of one shard.
    pub fn piece(&self) -> i64 {
        self.size.div_euclid(self.tiles) + i64::from(self.size % self.tiles != 0)
    }

    /// As the source of an exchange over `tiles` tiles.
    pub fn source(&self, tiles: i64) -> Source {
        let (piece, is_split) = (self.piece(), self.tiles > 1);
        Source { from: 0, size: self.size, tiles, piece, is_split, is_ring: false }
    }
}

/// Span of a window whose places are split; `None` if they are not.
pub fn places(window: &WindowDim, result: Cut) -> Option<Span> {
    if result.tiles <= 1 || result.size == 0 {
        return None;
    }
    let places = result.piece();
    Some(Span {
        step: places.saturating_mul(window.stride),
        first: -window.pad_low,
        length: reach(places, window.stride, window.size, window.window_dilation),
    })
}

/// Span of a window whose taps are split.
fn taps(window: &WindowDim, kernel: Cut, places: i64) -> Option<Span> {
    if kernel.tiles <= 1 {
        return None;
    }
    let taps = kernel.piece();
    let step = taps.saturating_mul(window.window_dilation);
    let last = (window.size - taps) * window.window_dilation;
    let (step, first) = if window.reversal { (-step, last) } else { (step, 0) };
    let length = reach(places.max(1), window.stride, taps, window.window_dilation);
    Some(Span { step, first: first - window.pad_low, length })
}

/// Elements from the first tap at the first place to the last tap at the last.
fn reach(places: i64, stride: i64, taps: i64, dilation: i64) -> i64 {
    let from_first = (places - 1).saturating_mul(stride);
    from_first.saturating_add((taps - 1).max(0).saturating_mul(dilation)).saturating_add(1)
}

/// A spatial dim of a convolution whose pieces need others.
#[derive(Clone, Copy, Debug)]
pub struct ConvolutionDim {
    pub index: usize,
    pub layout: Layout,
    pub source: Source,
    /// Taps of the local window, and places it takes.
    taps: i64,
    places: i64,
}

/// The dims of a convolution that are exchanged, for `cut(tensor, dim)` of (input, kernel, result).
pub fn convolution_dims(op: &Convolution, cut: impl Fn(usize, usize) -> Cut) -> Vec<ConvolutionDim> {
    let dim = |index: usize| {
        let dims = &op.dims;
        let input = cut(0, dims.input_spatial[index]);
        let kernel = cut(1, dims.kernel_spatial[index]);
        let result = cut(2, dims.output_spatial[index]);
        let role = op.spatial_role(index, input.size);
        if !matches!(role, SpatialRole::Window | SpatialRole::Taps) {
            return None;
        }
        let window = &op.window[index];
        let (span, tiles) = match places(window, result) {
            Some(span) => (span, result.tiles),
            None => (taps(window, kernel, result.size)?, kernel.tiles),
        };
        let layout = Layout::new(span, window.base_dilation, tiles);
        let source = input.source(tiles);
        Some(ConvolutionDim { index, layout, source, taps: kernel.piece(), places: result.piece() })
    };
    (0..op.window.len()).filter_map(dim).collect()
}

/// Localize a convolution: exchange what windows reach into, then the op itself on the pieces.
pub fn convolution(emit: &mut Emit<'_, '_>, subject: &Subject, op: &Convolution) -> Option<Local> {
    let [input, kernel] = subject.operands[..] else { return None };
    let [Some(of_input), Some(of_kernel)] = &subject.from[..] else { return None };
    let Some(Some(of_result)) = subject.to.first() else { return None };
    let shardings = [of_input, of_kernel, of_result];
    let sizes = [&subject.padded[0], &subject.padded[1], &subject.made[0]];
    let cut = |tensor: usize, dim: usize| Cut::of(sizes[tensor][dim], shardings[tensor].dims[dim].tiles());
    let dims = convolution_dims(op, cut);
    let ty = subject.types.first()?.as_tensor()?.clone();
    let local_sizes = [emit.tensor(input).dims, emit.tensor(kernel).dims, ty.dims.clone()];
    let mut local = on_pieces(op, &sizes[0].clone(), &local_sizes);
    let uneven = uneven_sums(op, cut);
    if dims.is_empty() && uneven.is_empty() && local == *op {
        return None;
    }
    if ty.dims.contains(&0) {
        return Some(Local::Value(emit.splat(ty, 0)));
    }
    let (mut value, mut kernel) = (input, kernel);
    for (tensor, dim) in uneven {
        let (sharding, masked) = if tensor == 0 { (of_input, &mut value) } else { (of_kernel, &mut kernel) };
        *masked = real(emit, *masked, dim, cut(tensor, dim), sharding)?;
    }
    let mut made = ty.clone();
    let mut late: Vec<(usize, Phase)> = Vec::new();
    for dim in &dims {
        let (from, to) = (op.dims.input_spatial[dim.index], op.dims.output_spatial[dim.index]);
        let along = along(&[(of_result, to), (of_kernel, op.dims.kernel_spatial[dim.index])])?;
        value = halo::exchange(emit, value, from, along, dim.source, dim.layout.need, Fill::Zero);
        let window = &mut local.window[dim.index];
        match dim.layout.phase {
            Some(phase) if window.stride == 1 => {
                made.dims[to] = dim.places + phase.most;
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
    let mut result = emit.push(Op::Convolution(local), vec![value, kernel], made);
    for (dim, phase) in late {
        let along = along(&[(of_result, dim), (of_kernel, kernel_dim(op, dim))])?;
        let tiles = crate::axes::tiles(along.axes);
        result = halo::cut(emit, result, dim, along, &phase.offsets(tiles), ty.dims[dim]);
    }
    Some(Local::Value(result))
}

/// Dims of input (0) and kernel (1) that are summed over pieces of which the last has padding. Taps that there are not count
/// as zeros; what they look at is real, or is filled with zeros where it is exchanged.
fn uneven_sums(op: &Convolution, cut: impl Fn(usize, usize) -> Cut) -> Vec<(usize, usize)> {
    let dims = |index: usize| {
        let (input, kernel) = (op.dims.input_spatial[index], op.dims.kernel_spatial[index]);
        let summed = match op.spatial_role(index, cut(0, input).size) {
            SpatialRole::Taps => vec![(1, kernel)],
            SpatialRole::Contracted => vec![(0, input), (1, kernel)],
            SpatialRole::InputFree | SpatialRole::KernelFree | SpatialRole::Batch | SpatialRole::Window => {
                Vec::new()
            }
        };
        summed.into_iter()
    };
    let is_uneven = |(tensor, dim): &(usize, usize)| {
        let cut = cut(*tensor, *dim);
        cut.piece().saturating_mul(cut.tiles) != cut.size
    };
    (0..op.window.len()).flat_map(dims).filter(is_uneven).collect()
}

/// A piece with zeros where the whole has nothing.
fn real(emit: &mut Emit<'_, '_>, value: ValueId, dim: usize, cut: Cut, of: &Sharding) -> Option<ValueId> {
    let along = along(&[(of, dim)])?;
    Some(halo::own(emit, value, dim, along, cut.source(cut.tiles), Fill::Zero))
}

/// The kernel dim of the window that a result dim belongs to.
fn kernel_dim(op: &Convolution, dim: usize) -> usize {
    let index = op.dims.output_spatial.iter().position(|other| *other == dim).unwrap_or(0);
    op.dims.kernel_spatial[index]
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
    dim: usize,
    along: Along<'_>,
    layout: &Layout,
    phase: Phase,
    fill: Fill,
) -> ValueId {
    let spread = halo::pad(emit, value, dim, [layout.low, layout.dilation - 1, layout.high], fill);
    let tiles = crate::axes::tiles(along.axes);
    halo::cut(emit, spread, dim, along, &phase.offsets(tiles), phase.span.length)
}

/// The first of these dims that is split.
pub fn along<'a>(dims: &[(&'a Sharding, usize)]) -> Option<Along<'a>> {
    let split = dims.iter().find(|(sharding, dim)| !sharding.dims[*dim].axes.is_empty())?;
    Some(Along { mesh: split.0.mesh, axes: &split.0.dims[split.1].axes })
}

/// The dims of a reduce_window that are exchanged; cumulative ones are not.
pub fn reduce_window_dims(op: &ReduceWindow, input: &[Cut], result: &[Cut]) -> Vec<(usize, Source, Layout)> {
    let scanned = cumulative_dims(op, input, result);
    let dim = |dim: usize| {
        let window = &op.window[dim];
        let is_cumulative = scanned.iter().any(|(other, _)| *other == dim);
        let span = places(window, result[dim]).filter(|_| !window.is_trivial(input[dim].size))?;
        if is_cumulative {
            return None;
        }
        let tiles = result[dim].tiles;
        Some((dim, input[dim].source(tiles), Layout::new(span, window.base_dilation, tiles)))
    };
    (0..op.window.len()).filter_map(dim).collect()
}

/// Localize a reduce_window whose places are split.
pub fn reduce_window(emit: &mut Emit<'_, '_>, subject: &Subject, op: &ReduceWindow) -> Option<Local> {
    let region = *emit.func().inst(subject.inst).regions.first()?;
    match (&subject.operands[..], emit.func().region_reducer(region)) {
        ([input, init], Some(reducer)) => plainly_reduced(emit, subject, op, [*input, *init], reducer),
        (operands, _) => windows_inside(emit, subject, op, operands.len() / 2),
    }
}

/// Windows of any reduction, over several values too, that reach neither beyond the edges nor into holes: every place that
/// there is sees real elements only.
fn windows_inside(
    emit: &mut Emit<'_, '_>,
    subject: &Subject,
    op: &ReduceWindow,
    inputs: usize,
) -> Option<Local> {
    let of_result = subject.to.first()?.as_ref()?;
    let from = Cut::all(subject.padded.first()?, subject.from.first()?.as_ref());
    let dims = reduce_window_dims(op, &from, &Cut::all(subject.made.first()?, Some(of_result)));
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
    emit.editor.set_operands(subject.inst, operands);
    Some(Local::Op(Op::ReduceWindow(local)))
}

/// Of a plain reducer. Beyond the edges stands the identity: a window there has nothing to add.
fn plainly_reduced(
    emit: &mut Emit<'_, '_>,
    subject: &Subject,
    op: &ReduceWindow,
    [input, init]: [ValueId; 2],
    reducer: Reducer,
) -> Option<Local> {
    let Some(Some(of_result)) = subject.to.first() else { return None };
    let from = Cut::all(&subject.padded[0], subject.from[0].as_ref());
    let to = Cut::all(&subject.made[0], Some(of_result));
    let dims = reduce_window_dims(op, &from, &to);
    let scanned = cumulative_dims(op, &from, &to);
    if dims.is_empty() && scanned.is_empty() {
        return None;
    }
    let scalar = emit.tensor(input).with_dims(Vec::new());
    let identity = emit.identity(reducer, scalar);
    let fill = halo::fill_of(emit, identity);
    let (mut local, mut value) = (op.clone(), input);
    if !scanned.is_empty() {
        let wide = subject.types.first()?.as_tensor()?.dtype;
        value = emit.convert(value, wide);
        value = combine::cumulative(emit, value, &subject.padded[0], of_result, reducer, &scanned);
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
