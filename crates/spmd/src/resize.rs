//! The same op on other sizes.
//!
//! Padding and localization both change the sizes of dims an op passes through; attributes that repeat such a size have
//! to follow. Dims the op does something to keep their attributes: they are neither split nor padded.

use meshwright_ir::op::{
    Broadcast, Constant, Convert, Dynamic, Foreign, Gather, Iota, Movement, Pad, Random, ReduceWindow,
    Reshape, SelectAndScatter, Slice, WindowDim,
};
use meshwright_ir::{Op, Type};

/// Dims of an instruction's operands before and after, and its result types after.
pub struct Sizes<'a> {
    pub before: &'a [&'a [i64]],
    pub after: &'a [&'a [i64]],
    pub results: &'a [&'a Type],
}

/// `op` with every attribute that names a size adapted. A constant that is no splat stays as it is.
pub fn resized(op: Op, sizes: &Sizes<'_>) -> Op {
    let dims = || sizes.results.first().map(|ty| ty.dims().to_vec()).unwrap_or_default();
    match op {
        Op::Constant(constant) => match constant.0.reshaped(dims()) {
            Some(literal) if constant.0.is_splat() => Op::Constant(Constant(literal)),
            _ => Op::Constant(constant),
        },
        Op::Convert(Convert::Bitcast(ty)) => Op::Convert(Convert::Bitcast(ty.with_dims(dims()))),
        Op::Iota(iota) => Op::Iota(Iota { dim: iota.dim, ty: iota.ty.with_dims(dims()) }),
        Op::Movement(Movement::Broadcast(op)) => {
            Op::Movement(Movement::Broadcast(Broadcast { shape: dims(), ..op }))
        }
        Op::Movement(Movement::Reshape(_)) => Op::Movement(Movement::Reshape(Reshape { shape: dims() })),
        Op::Movement(Movement::Slice(slice)) => Op::Movement(Movement::Slice(slice_of(slice, sizes))),
        Op::Movement(Movement::Pad(pad)) => Op::Movement(Movement::Pad(pad_of(pad, sizes))),
        Op::Dynamic(Dynamic::Slice { .. }) => Op::Dynamic(Dynamic::Slice { sizes: dims() }),
        Op::Gather(gather) => Op::Gather(gather_of(gather, sizes)),
        Op::ReduceWindow(op) => Op::ReduceWindow(ReduceWindow { window: windows_of(&op.window, sizes) }),
        Op::SelectAndScatter(op) => {
            Op::SelectAndScatter(SelectAndScatter { window: windows_of(&op.window, sizes) })
        }
        Op::Random(Random::Rng { distribution, .. }) => {
            Op::Random(Random::Rng { distribution, shape: dims() })
        }
        Op::Foreign(Foreign::CustomCall(mut call)) => {
            call.results = sizes.results.iter().map(|ty| (*ty).clone()).collect();
            Op::Foreign(Foreign::CustomCall(call))
        }
        op @ (Op::Unary(_)
        | Op::Binary(_)
        | Op::Compare(_)
        | Op::Select
        | Op::Clamp
        | Op::Convert(Convert::To(_) | Convert::ReducePrecision { .. })
        | Op::Movement(Movement::Transpose(_) | Movement::Concatenate(_) | Movement::Reverse(_))
        | Op::Dynamic(Dynamic::UpdateSlice)
        | Op::Scatter(_)
        | Op::Dot(_)
        | Op::Convolution(_)
        | Op::Reduce(_)
        | Op::Map(_)
        | Op::Sort(_)
        | Op::TopK(_)
        | Op::Random(Random::BitGenerator { .. })
        | Op::Fft(_)
        | Op::Linalg(_)
        | Op::BatchNorm(_)
        | Op::Control(_)
        | Op::Scan(_)
        | Op::Call(_)
        | Op::Collective(_)
        | Op::PartitionId
        | Op::ReplicaId
        | Op::Foreign(Foreign::Composite(_))
        | Op::OptimizationBarrier
        | Op::Token(_)
        | Op::Sharding(_)) => op,
    }
}

/// A dim that was taken whole is taken whole again.
fn slice_of(mut slice: Slice, sizes: &Sizes<'_>) -> Slice {
    let (Some(before), Some(after)) = (sizes.before.first(), sizes.after.first()) else { return slice };
    for (dim, (before, after)) in before.iter().zip(*after).enumerate() {
        if slice.start[dim] == 0 && slice.limit[dim] == *before && (slice.stride[dim] == 1 || *before <= 1) {
            slice.stride[dim] = 1;
            slice.limit[dim] = *after;
        }
    }
    slice
}

/// Between the elements of a dim that has one there is nothing; there might be once it has more.
fn pad_of(mut pad: Pad, sizes: &Sizes<'_>) -> Pad {
    let Some(before) = sizes.before.first() else { return pad };
    for (dim, size) in before.iter().enumerate() {
        if *size <= 1 && pad.low[dim] == 0 && pad.high[dim] == 0 {
            pad.interior[dim] = 0;
        }
    }
    pad
}

/// A window that takes the only element by itself takes each by itself once there are more.
fn windows_of(window: &[WindowDim], sizes: &Sizes<'_>) -> Vec<WindowDim> {
    let Some(before) = sizes.before.first() else { return window.to_vec() };
    let one = |(window, size): (&WindowDim, &i64)| {
        if window.is_trivial(*size) { WindowDim::TRIVIAL } else { *window }
    };
    window.iter().zip(*before).map(one).collect()
}

fn gather_of(mut gather: Gather, sizes: &Sizes<'_>) -> Gather {
    let (Some(before), Some(after)) = (sizes.before.first(), sizes.after.first()) else { return gather };
    let dropped: Vec<usize> =
        gather.collapsed_slice_dims.iter().chain(&gather.operand_batching_dims).copied().collect();
    for (dim, (size, (before, after))) in
        gather.slice_sizes.iter_mut().zip(before.iter().zip(*after)).enumerate()
    {
        if size == before && !dropped.contains(&dim) {
            *size = *after;
        }
    }
    gather
}
