//! Ops that each device does on its piece before a few results are put together: cumulative reductions, top_k,
//! reductions of several values at once.
//!
//! ```text
//! cumulative sum     scan the piece; add what all pieces before it sum to           one total per device is gathered
//! top_k              the best k of the piece; the best k of those                   k per device
//! reduce (v, i)      reduce the piece; reduce what comes out of all of them         one element per device
//! ```

use crate::exchange::layout::Cut;
use crate::exchange::windows::Cumulative;
use crate::localize::emit::Emit;
use crate::localize::halo::{self, Along, Fill, along};
use crate::localize::subject::{Local, Subject};
use meshwright_ir::op::{CollectiveKind, Direction, Gather, Reduce, ReduceWindow, TopK, WindowDim};
use meshwright_ir::{Build, Class, DType, Literal, Op, TensorType, ValueId};
use meshwright_shard::{AxisRef, Dim, Reducer, Sharding};

/// Scan pieces along dims, then add what the pieces before them come to. One dim after another: each is a reduction of
/// lines of its own.
pub fn cumulative(
    emit: &mut Emit<'_, '_>,
    mut value: ValueId,
    sizes: &[i64],
    to: &Sharding,
    reducer: Reducer,
    dims: &[(Dim, Cumulative)],
) -> ValueId {
    for (dim, direction) in dims {
        let dim = *dim;
        let Some(along) = along(&[(to, dim)]) else { continue };
        let source = Cut::of(sizes[dim], crate::axes::tiles(along.axes)).own();
        let fill = identity(emit, value, reducer);
        value = halo::own(emit, value, dim, along, source, fill);
        let total = emit.reduce(reducer, value, vec![dim.index()]);
        let others = before(emit, total, along, reducer, *direction);
        value = scanned(emit, value, dim, reducer, *direction);
        let ty = emit.tensor(value);
        let kept: Vec<usize> = (0..ty.rank()).filter(|kept| *kept != dim.index()).collect();
        let others = emit.broadcast(others, kept, &ty.dims);
        value = emit.binary(reducer.into(), value, others);
    }
    value
}

fn identity(emit: &mut Emit<'_, '_>, value: ValueId, reducer: Reducer) -> Fill {
    let scalar = emit.tensor(value).with_dims(Vec::new());
    let identity = emit.identity(reducer, &scalar);
    halo::fill_of(emit, identity)
}

/// A cumulative reduction within the piece.
fn scanned(
    emit: &mut Emit<'_, '_>,
    value: ValueId,
    dim: Dim,
    reducer: Reducer,
    direction: Cumulative,
) -> ValueId {
    let ty = emit.tensor(value);
    if ty.dims[dim] <= 1 {
        return value;
    }
    let mut window = vec![WindowDim::TRIVIAL; ty.rank()];
    window[dim] = direction.window(ty.dims[dim]);
    emit.reduce_by(Op::ReduceWindow(ReduceWindow { window }), value, reducer)
}

/// What the totals of all devices before this one (behind it, if backward) come to.
fn before(
    emit: &mut Emit<'_, '_>,
    total: ValueId,
    along: Along<'_>,
    reducer: Reducer,
    direction: Cumulative,
) -> ValueId {
    let all = stacked(emit, total, along);
    let ty = emit.tensor(all);
    let number = emit.iota(DType::S32, &ty.dims, Dim::new(0));
    let own = emit.axis_index(along.mesh, along.axes);
    let own = emit.broadcast(own, Vec::new(), &ty.dims);
    let direction = if direction == Cumulative::Forward { Direction::Lt } else { Direction::Gt };
    let counts = emit.compare(direction, number, own);
    let nothing = emit.identity(reducer, &ty);
    let counted = emit.select(counts, all, nothing);
    emit.reduce(reducer, counted, vec![0])
}

/// The value of every device along some axes, along a new first dim.
fn stacked(emit: &mut Emit<'_, '_>, value: ValueId, along: Along<'_>) -> ValueId {
    let ty = emit.tensor(value);
    let dims: Vec<i64> = std::iter::once(1).chain(ty.dims).collect();
    let row = emit.reshape(value, &dims);
    gathered(emit, row, Dim::new(0), along)
}

fn gathered(emit: &mut Emit<'_, '_>, value: ValueId, dim: Dim, along: Along<'_>) -> ValueId {
    emit.collective(CollectiveKind::AllGather { dim: dim.index() }, along.mesh, along.axes, value, None)
}

/// Localize a top_k whose last dim is split: candidates of all pieces come in order, so ties go to the lower index
/// still.
pub fn top_k(emit: &mut Emit<'_, '_>, subject: &Subject<'_>, op: &TopK) -> Option<Local> {
    let [value] = subject.operands[..] else { return None };
    let from = subject.from[0].sharding.as_ref()?;
    let last = from.rank().checked_sub(1)?;
    let dim = Dim::new(last);
    let along = along(&[(from, dim)])?;
    let source = Cut::of(subject.from[0].padded()[dim], from.dims[dim].tiles()).own();
    let types: Vec<TensorType> = subject.locals(emit);
    let [_, of_places] = &types[..] else { return None };
    let of_places = of_places.clone();
    if types.iter().any(|ty| ty.dims.contains(&0)) {
        return Some(Local::Values(types.into_iter().map(|ty| emit.splat_int(&ty, 0)).collect()));
    }
    let worst = worst(emit.tensor(value).with_dims(Vec::new()), op.largest)?;
    let worst = emit.constant(worst);
    let piece = halo::own(emit, value, dim, along, source, Fill::Scalar(worst));
    let most = op.k.min(source.piece);
    let [best, place] = best(emit, piece, most, op.largest)?;
    let offset = emit.offset(along.mesh, along.axes, source.piece);
    let offset = emit.convert(offset, of_places.dtype);
    let dims = emit.tensor(place).dims;
    let offset = emit.broadcast(offset, Vec::new(), &dims);
    let place = emit.binary(meshwright_ir::op::BinaryOp::Add, place, offset);
    let (candidates, places) = (gathered(emit, best, dim, along), gathered(emit, place, dim, along));
    let [values, picked] = self::best(emit, candidates, op.k, op.largest)?;
    let pick = Op::Gather(Gather {
        offset_dims: Vec::new(),
        collapsed_slice_dims: vec![last],
        operand_batching_dims: (0..last).collect(),
        start_indices_batching_dims: (0..last).collect(),
        start_index_map: vec![last],
        index_vector_dim: last + 1,
        slice_sizes: vec![1; last + 1],
        indices_are_sorted: false,
    });
    let places = emit.push(pick, [places, picked]);
    Some(Local::Values(vec![values, places]))
}

fn best(emit: &mut Emit<'_, '_>, value: ValueId, k: i64, largest: bool) -> Option<[ValueId; 2]> {
    emit.push_all(Op::TopK(TopK { k, largest }), vec![value], Vec::new()).try_into().ok()
}

/// What loses against everything else: in the total order of floats that is a NaN.
fn worst(ty: TensorType, largest: bool) -> Option<Literal> {
    let bytes = ty.dtype.bytes();
    let mut element = vec![0xffu8; bytes];
    match ty.dtype.class() {
        Class::Float if !largest => element[bytes - 1] = 0x7f,
        Class::Float => {}
        Class::Pred | Class::Unsigned | Class::Signed | Class::Complex => {
            let reducer = if largest { Reducer::Max } else { Reducer::Min };
            return Some(Literal::identity(reducer, ty));
        }
    }
    Literal::splat(ty, &element)
}

/// Localize a reduction that no plain reducer describes: reduce the piece, then what comes of all pieces, in order.
/// Initial values may count any number of times, as the op allows.
pub fn reduce(emit: &mut Emit<'_, '_>, subject: &Subject<'_>, op: &Reduce) -> Option<Local> {
    let inputs = subject.operands.len() / 2;
    let region = *emit.func().inst(subject.inst).regions.first()?;
    let is_plain = inputs == 1 && emit.func().region_reducer(region).is_some();
    let from = subject.from.first()?.sharding.as_ref()?;
    let split: Vec<Dim> =
        op.dims.iter().map(|dim| Dim::new(*dim)).filter(|dim| !from.dims[*dim].axes.is_empty()).collect();
    if is_plain || split.is_empty() {
        return None;
    }
    let inits: Vec<ValueId> = subject.operands[inputs..].to_vec();
    let mut values: Vec<ValueId> = subject.operands[..inputs].to_vec();
    for (value, init) in values.iter_mut().zip(&inits) {
        let init = {
            let dtype = emit.tensor(*value).dtype;
            emit.convert(*init, dtype)
        };
        for dim in &split {
            let along = along(&[(from, *dim)])?;
            let source = Cut::of(subject.from[0].padded()[*dim], from.dims[*dim].tiles()).own();
            *value = halo::own(emit, *value, *dim, along, source, Fill::Scalar(init));
        }
    }
    let again = emit.copy_block(region);
    let operands = values.into_iter().chain(inits.iter().copied()).collect();
    let made = emit.push_all(Op::Reduce(op.clone()), operands, vec![region]);
    let axes: Vec<AxisRef> = split.iter().flat_map(|dim| from.dims[*dim].axes.clone()).collect();
    let along = Along { mesh: from.mesh, axes: &axes };
    let all: Vec<ValueId> = made.into_iter().map(|value| stacked(emit, value, along)).collect();
    let operands = all.into_iter().chain(inits).collect();
    let last = emit.push_all(Op::Reduce(Reduce { dims: vec![0] }), operands, vec![again]);
    Some(Local::Values(last))
}
