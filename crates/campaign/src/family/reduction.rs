//! Dots, reductions, reductions of several inputs together, cumulative ops and windows.

use crate::build::{Gen, Val, Want, joined, largest};
use meshwright_base::arrange::Arrange;
use meshwright_ir::op::{BinaryOp, Direction, Dot, Iota, Reduce, ReduceWindow, WindowDim};
use meshwright_ir::{BlockId, Build, Class, DType, Op, TensorType};

pub fn dot(g: &mut Gen) -> Option<()> {
    let lhs = g.operand(Want::Number, 1, 3);
    let dims = g.choices.shuffled((0..lhs.ty.rank()).collect());
    let batch = g.choices.index(dims.len().min(2) + 1).min(dims.len());
    let contract = g.choices.index((dims.len() - batch).min(2) + 1);
    let (batch, contract) = (&dims[..batch], &dims[batch..batch + contract]);
    // The other side has these dims and free ones, in any order; which is which is kept beside the size.
    let mut sides: Vec<(Option<usize>, i64)> =
        batch.iter().chain(contract).map(|dim| (Some(*dim), lhs.ty.dims[*dim])).collect();
    for _ in 0..g.choices.index(3) {
        sides.push((None, g.size()));
    }
    let sides = g.choices.shuffled(sides);
    let shape: Vec<i64> = sides.iter().map(|side| side.1).collect();
    let rhs = g.of_type(lhs.ty.dtype, &shape);
    let pair = |dim: &usize| (*dim, sides.iter().position(|side| side.0 == Some(*dim)).unwrap_or(0));
    let mut op = Dot {
        batch: batch.iter().map(pair).collect(),
        contract: contract.iter().map(pair).collect(),
        result: product_dtype(g, lhs.ty.dtype),
        precision: Vec::new(),
        algorithm: None,
    };
    let terms: i64 = contract.iter().map(|dim| lhs.ty.dims[*dim]).product();
    let bound = lhs.info.bound * rhs.info.bound * terms.max(1) as f64;
    if g.choices.chance(50) {
        return g.emit(Op::Dot(op), &[&lhs, &rhs], bound).map(|_| ());
    }
    let swap = |pairs: &mut Vec<(usize, usize)>| pairs.iter_mut().for_each(|pair| *pair = (pair.1, pair.0));
    swap(&mut op.batch);
    swap(&mut op.contract);
    g.emit(Op::Dot(op), &[&rhs, &lhs], bound).map(|_| ())
}

/// Mostly the operands' own type; narrow ones may widen.
fn product_dtype(g: &mut Gen, dtype: DType) -> DType {
    match dtype {
        DType::BF16 if g.choices.chance(40) => DType::F32,
        DType::U8 if g.choices.chance(40) => DType::S32,
        other => other,
    }
}

/// Reducers of a type.
fn reducers(dtype: DType) -> &'static [BinaryOp] {
    match dtype.class() {
        Class::Float | Class::Complex => {
            &[BinaryOp::Add, BinaryOp::Maximum, BinaryOp::Minimum, BinaryOp::Add, BinaryOp::Multiply]
        }
        Class::Pred => &[BinaryOp::Or, BinaryOp::And, BinaryOp::Xor],
        Class::Signed | Class::Unsigned => &[
            BinaryOp::Add,
            BinaryOp::Maximum,
            BinaryOp::Minimum,
            BinaryOp::Multiply,
            BinaryOp::And,
            BinaryOp::Or,
            BinaryOp::Xor,
        ],
    }
}

/// How large a reduction of `terms` elements can get.
fn reduced_bound(op: BinaryOp, dtype: DType, element: f64, init: f64, terms: i64) -> f64 {
    match op {
        BinaryOp::Add => element * terms as f64 + init,
        BinaryOp::Multiply => element.max(1.0).powi(terms.min(64) as i32) * init.max(1.0),
        BinaryOp::And | BinaryOp::Or | BinaryOp::Xor => largest(dtype),
        _ => element.max(init),
    }
}

/// A number that changes nothing, or any other scalar.
fn initial(g: &mut Gen, op: BinaryOp, dtype: DType) -> Val {
    let scalar = TensorType::scalar(dtype);
    match (g.choices.below(3), op) {
        (0, BinaryOp::Multiply) => g.splat(scalar, 1),
        (0, _) => g.splat(scalar, 0),
        (1, _) => g.splat(scalar, 3),
        _ => g.scalar(dtype),
    }
}

pub fn reduce(g: &mut Gen) -> Option<()> {
    let x = g.operand(Want::Any, 1, 3);
    let dims = some_dims(g, x.ty.rank());
    let op = g.choices.pick(reducers(x.ty.dtype));
    let dtype = if g.choices.chance(15) { wider(x.ty.dtype) } else { x.ty.dtype };
    let init = initial(g, op, dtype);
    let terms: i64 = dims.iter().map(|dim| x.ty.dims[*dim]).product();
    let bound = reduced_bound(op, dtype, x.info.bound, init.info.bound, terms);
    let region = g.reducer(op, dtype);
    g.emit_all(Op::Reduce(Reduce { dims }), &[&x, &init], vec![region], &[bound]).map(|_| ())
}

/// A type of the same class that a reduction may add up in.
fn wider(dtype: DType) -> DType {
    match dtype {
        DType::BF16 | DType::F16 => DType::F32,
        DType::F32 => DType::F64,
        DType::U8 => DType::U32,
        DType::S32 => DType::S64,
        other => other,
    }
}

/// At least one dim.
fn some_dims(g: &mut Gen, rank: usize) -> Vec<usize> {
    let one = g.choices.index(rank);
    let mut dims = g.choices.some_of(rank, 40);
    dims.push(one);
    dims.arrange();
    dims.dedup();
    dims
}

/// The largest (or smallest) element and where it is, ties to the lower index.
pub fn arg_reduce(g: &mut Gen) -> Option<()> {
    let x = g.operand_if(Want::Number, 1, 3, |value| value.info.exact && value.info.bound < 1e5);
    let dim = g.choices.index(x.ty.rank());
    let largest = !g.choices.chance(50);
    let index = x.ty.with_dtype(DType::S32);
    let place = g.emit(Op::Iota(Iota { dim, ty: index }), &[], 64.0)?;
    let worst = match (largest, x.ty.dtype) {
        (true, DType::U8) => 0,
        (true, DType::BF16) => -256,
        (true, _) => -1_000_000,
        (false, DType::U8) => 255,
        (false, DType::BF16) => 256,
        (false, _) => 1_000_000,
    };
    let worst = g.splat(TensorType::scalar(x.ty.dtype), worst);
    let nowhere = g.splat(TensorType::scalar(DType::S32), 1000);
    let region = better_of(g, x.ty.dtype, largest);
    let bounds = [x.info.bound.max(worst.info.bound), 1000.0];
    let operands = [&x, &place, &worst, &nowhere];
    g.emit_all(Op::Reduce(Reduce { dims: vec![dim] }), &operands, vec![region], &bounds).map(|_| ())
}

/// `(value, index, value, index)`: the better pair.
fn better_of(g: &mut Gen, dtype: DType, largest: bool) -> BlockId {
    let better = if largest { Direction::Gt } else { Direction::Lt };
    g.scalar_region(&[dtype, DType::S32, dtype, DType::S32], |body, params| {
        let (a, i, b, j) = (params[0], params[1], params[2], params[3]);
        let wins = body.compare(better, a, b);
        let ties = body.compare(Direction::Eq, a, b);
        let earlier = body.compare(Direction::Lt, i, j);
        let breaks = body.binary(BinaryOp::And, ties, earlier);
        let first = body.binary(BinaryOp::Or, wins, breaks);
        vec![body.select(first, a, b), body.select(first, i, j)]
    })
}

/// The best of every window with its place: a reduction of two values that no plain reducer describes.
pub fn arg_window(g: &mut Gen) -> Option<()> {
    let x = g.operand_if(Want::Number, 1, 2, |value| value.info.exact && value.info.bound < 1e5);
    let dim = g.choices.index(x.ty.rank());
    let place = g.emit(Op::Iota(Iota { dim, ty: x.ty.with_dtype(DType::S32) }), &[], 64.0)?;
    let reaches_out = g.choices.chance(25);
    let mut window = vec![WindowDim::TRIVIAL; x.ty.rank()];
    for one in &mut window {
        let any = any_window(g);
        if g.choices.chance(60) {
            *one = if reaches_out {
                any
            } else {
                WindowDim { pad_low: 0, pad_high: 0, base_dilation: 1, ..any }
            };
        }
    }
    let worst = if x.ty.dtype == DType::U8 { 0 } else { -200 };
    let worst = g.splat(TensorType::scalar(x.ty.dtype), worst);
    let nowhere = g.splat(TensorType::scalar(DType::S32), 1000);
    let region = better_of(g, x.ty.dtype, true);
    let bounds = [x.info.bound.max(worst.info.bound), 1000.0];
    let operands = [&x, &place, &worst, &nowhere];
    g.emit_all(Op::ReduceWindow(ReduceWindow { window }), &operands, vec![region], &bounds).map(|_| ())
}

/// Cumulative sum, product, maximum or minimum along a dim, forwards or backwards.
pub fn cumulative(g: &mut Gen) -> Option<()> {
    let x = g.operand(Want::Number, 1, 3);
    let dim = g.choices.index(x.ty.rank());
    let size = x.ty.dims[dim];
    if size == 0 {
        return None;
    }
    let op = g.choices.pick(reducers(x.ty.dtype));
    let init = initial(g, op, x.ty.dtype);
    let mut window = vec![WindowDim::TRIVIAL; x.ty.rank()];
    let backwards = g.choices.chance(30);
    let (pad_low, pad_high) = if backwards { (0, size - 1) } else { (size - 1, 0) };
    window[dim] = WindowDim { size, pad_low, pad_high, ..WindowDim::TRIVIAL };
    windowed(g, op, &x, &init, window, size)
}

/// Any window: pooling, strides, dilations.
pub fn window(g: &mut Gen) -> Option<()> {
    let x = g.operand(Want::Number, 1, 3);
    let op = g.choices.pick(reducers(x.ty.dtype));
    let init = initial(g, op, x.ty.dtype);
    let mut window = Vec::new();
    for _ in 0..x.ty.rank() {
        let one = if g.choices.chance(50) { any_window(g) } else { WindowDim::TRIVIAL };
        window.push(one);
    }
    let places: i64 = window.iter().map(|dim| dim.size).product();
    windowed(g, op, &x, &init, window, places)
}

fn any_window(g: &mut Gen) -> WindowDim {
    let mut small = |n: u32| i64::from(g.choices.below(n));
    WindowDim {
        size: 2 + small(2),
        stride: 1 + small(3),
        pad_low: small(3),
        pad_high: small(3),
        base_dilation: 1 + (small(6) - 3).max(0),
        window_dilation: 1 + small(5) / 4,
        reversal: false,
    }
}

/// Padding counts as initial values, so they count `terms` times too.
fn windowed(
    g: &mut Gen,
    op: BinaryOp,
    x: &Val,
    init: &Val,
    window: Vec<WindowDim>,
    terms: i64,
) -> Option<()> {
    let element = joined(&[x, init]).bound;
    let bound = reduced_bound(op, x.ty.dtype, element, element, terms);
    let region = g.reducer(op, x.ty.dtype);
    g.emit_all(Op::ReduceWindow(ReduceWindow { window }), &[x, init], vec![region], &[bound]).map(|_| ())
}
