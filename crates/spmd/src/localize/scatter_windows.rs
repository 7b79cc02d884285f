//! select_and_scatter over split dims: the gradient of a maximum over windows.
//!
//! ```text
//! piece of the operand      | 8 9 10 11 12 13 14 15 |          stride 2, windows of 3
//! windows that touch it   (6 7 8)(8 9 10) .. (14 15 16)        places 3 to 7 of the source
//! what they look at       6 .. 16                              a halo of the operand
//! ```
//!
//! Each device has every window that touches its piece choose, from all it looks at, and keeps its piece of what they
//! scatter. A window that there is not chooses too, but has nothing to scatter. So windows across edges are chosen
//! several times, once on each side.
//!
//! Where windows reach beyond the operand, some of what they look at is not there, and no element stands for that:
//! whatever the comparison, it might be chosen. So the choice is made by hand, over (value, place, is it there), and
//! what was chosen is scattered to its place.

use crate::exchange::layout::Cut;
use crate::exchange::windows::{SelectDim, select_and_scatter_dims};
use crate::localize::emit::Emit;
use crate::localize::halo::{self, Fill, along};
use crate::localize::subject::{Local, Subject};
use meshwright_ir::op::{BinaryOp, Direction, ReduceWindow, Scatter, SelectAndScatter, WindowDim};
use meshwright_ir::{At, BlockId, Build, DType, Dim, Op, Type, ValueId};
use meshwright_shard::Sharding;

/// Localize; `None` if no split dim has windows.
pub fn select_and_scatter(
    emit: &mut Emit<'_, '_>,
    subject: &Subject<'_>,
    op: &SelectAndScatter,
) -> Option<Local> {
    let [operand, source, init] = subject.operands[..] else { return None };
    let to = subject.to.first()?.sharding.as_ref()?;
    let ty = subject.local(emit)?;
    let cuts = |at: usize| Cut::all(subject.from[at].padded(), subject.from[at].sharding.as_deref());
    let dims = select_and_scatter_dims(op, &cuts(0), &cuts(1), &Cut::all(subject.to[0].padded(), Some(to)));
    let regions = emit.func().inst(subject.inst).regions.clone();
    let reducer = emit.func().region_reducer(*regions.get(1)?);
    if dims.is_empty() {
        return None;
    }
    if ty.dims.contains(&0) {
        return Some(Local::Value(emit.splat_int(&ty, 0)));
    }
    let scalar = emit.tensor(source).with_dims(Vec::new());
    let nothing = emit.identity(reducer?, &scalar);
    let nothing = halo::fill_of(emit, nothing);
    let (mut seen, mut windows) = (operand, source);
    for dim in &dims {
        let along = along(&[(to, dim.dim)])?;
        seen = halo::exchange(emit, seen, dim.dim, along, dim.operand.0, dim.operand.1, Fill::Anything);
        windows = halo::exchange(emit, windows, dim.dim, along, dim.source.0, dim.source.1, nothing);
    }
    let is_padded = |dim: &SelectDim| (op.window[dim.dim].pad_low, op.window[dim.dim].pad_high) != (0, 0);
    let mut value = if dims.iter().any(is_padded) {
        chosen_by_hand(emit, op, &dims, to, [seen, windows, init], [*regions.first()?, *regions.get(1)?])?
    } else {
        emit.push_in(Op::SelectAndScatter(op.clone()), vec![seen, windows, init], regions)
    };
    for dim in &dims {
        let along = along(&[(to, dim.dim)])?;
        let piece = ty.dims[dim.dim];
        let start = |tile: i64| tile * piece - dim.operand.1.start(tile);
        let offsets: Vec<i64> = (0..crate::axes::tiles(along.axes)).map(start).collect();
        value = halo::cut(emit, value, dim.dim, along, &offsets, piece);
    }
    Some(Local::Value(value))
}

/// The same on intervals of which not everything is there.
fn chosen_by_hand(
    emit: &mut Emit<'_, '_>,
    op: &SelectAndScatter,
    dims: &[SelectDim],
    to: &Sharding,
    [seen, windows, init]: [ValueId; 3],
    [select, scatter]: [BlockId; 2],
) -> Option<ValueId> {
    let shape = emit.tensor(seen).dims;
    let count: i64 = shape.iter().product();
    let mut window = op.window.clone();
    for dim in dims {
        (window[dim.dim].pad_low, window[dim.dim].pad_high) = (0, 0);
    }
    let places = emit.iota(DType::S32, &[count], Dim::new(0));
    let places = emit.reshape(places, &shape);
    let there = is_there(emit, dims, to, &shape)?;
    let [place, is_there] = best_places(emit, window, [seen, places, there], select)?;
    let nowhere = emit.splat_int(&emit.tensor(place), -1);
    let place = emit.select(is_there, place, nowhere);
    let line = emit.broadcast(init, Vec::new(), &[count]);
    let block = emit.copy_block(scatter);
    let scattered = Op::Scatter(Scatter {
        update_window_dims: Vec::new(),
        inserted_window_dims: vec![0],
        input_batching_dims: Vec::new(),
        scatter_indices_batching_dims: Vec::new(),
        scatter_dims_to_operand_dims: vec![0],
        index_vector_dim: shape.len(),
        indices_are_sorted: false,
        unique_indices: false,
    });
    let line = emit.push_in(scattered, vec![line, place, windows], vec![block]);
    Some(emit.reshape(line, &shape))
}

/// Which elements of the intervals the operand has.
fn is_there(emit: &mut Emit<'_, '_>, dims: &[SelectDim], to: &Sharding, shape: &[i64]) -> Option<ValueId> {
    let mut all: Option<ValueId> = None;
    for dim in dims {
        let along = along(&[(to, dim.dim)])?;
        let (source, need) = dim.operand;
        let starts: Vec<i64> = source.tiles.each().map(|tile| need.start(tile)).collect();
        let index = emit.iota(DType::S32, shape, dim.dim);
        let start = halo::per_tile(emit, along, &starts);
        let start = emit.broadcast(start, Vec::new(), shape);
        let place = emit.binary(BinaryOp::Add, index, start);
        for (direction, bound) in [(Direction::Ge, 0), (Direction::Lt, source.size)] {
            let bound = emit.splat_int(&emit.tensor(place), bound);
            let holds = emit.compare(direction, place, bound);
            all = Some(all.map_or(holds, |all| emit.binary(BinaryOp::And, all, holds)));
        }
    }
    all
}

/// The place that each window chooses, and whether it saw anything: a later element wins where the comparison does not
/// keep the earlier.
fn best_places(
    emit: &mut Emit<'_, '_>,
    window: Vec<WindowDim>,
    inputs: [ValueId; 3],
    select: BlockId,
) -> Option<[ValueId; 2]> {
    let scalars = inputs.map(|value| emit.tensor(value).with_dims(Vec::new()));
    let block = emit.editor.block();
    let mut params = Vec::new();
    for ty in scalars.iter().chain(&scalars) {
        params.push(emit.editor.param(block, Type::Tensor(ty.clone())));
    }
    let [best, _, best_there, here, _, here_there] = params[..] else { return None };
    let at = std::mem::replace(&mut emit.at, At::End(block));
    let keeps = *emit.inlined(select, block, &[best, here]).first()?;
    let missing = emit.not(here_there);
    let keeps = emit.binary(BinaryOp::Or, missing, keeps);
    let keeps = emit.binary(BinaryOp::And, best_there, keeps);
    let picked = (0..3).map(|at| emit.select(keeps, params[at], params[at + 3])).collect();
    emit.at = at;
    emit.editor.set_results(block, picked);
    let inits = scalars.clone().map(|ty| emit.splat_int(&ty, 0));
    let op = Op::ReduceWindow(ReduceWindow { window });
    let operands = inputs.into_iter().chain(inits).collect();
    let results = emit.push_all(op, operands, vec![block]);
    Some([*results.get(1)?, *results.get(2)?])
}
