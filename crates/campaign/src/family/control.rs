//! While, if, case, scan, calls: programs inside programs.
//!
//! A loop runs a few times. What it carries stays bounded: it adds something bounded each time, or is clamped, or
//! stays.

use super::some_ops;
use crate::build::{Gen, Info, Val, Want, joined};
use meshwright_ir::op::{BinaryOp, Call, Compare, Control, Direction, Dynamic, Reduce, Scan};
use meshwright_ir::{BlockId, Class, DType, Function, Op, TensorType, Type};

/// How a loop changes one value it carries.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum CarryChange {
    /// `carry + x`, x not from the carry: a partial sum may be carried.
    Adds,
    /// Anything, clamped.
    Clamps,
    /// Element or row `i` is written.
    Writes,
    Stays,
}

/// A carried value and what becomes of it.
struct Carry {
    init: Val,
    step: CarryChange,
    /// Most it can be inside the loop.
    bound: f64,
}

pub fn while_loop(g: &mut Gen) -> Option<()> {
    let trips = i64::from(g.choices.below(4));
    let start = g.splat(TensorType::scalar(DType::S32), 0);
    let carries = carries(g, trips);
    let condition = condition(g, &start, &carries, trips);
    let mut inits = vec![start];
    inits.extend(carries.iter().map(|carry| carry.init.clone()));
    let inside = inside(&inits, &carries, g.varying_here());
    let (body, params) = g.region(&inside);
    g.enter(body, false);
    let (count, state) = (params[0].clone(), params[1..].to_vec());
    let one = g.splat(count.ty.clone(), 1);
    let next = g.emit(Op::Binary(BinaryOp::Add), &[&count, &one], 4.0);
    let stepped = next.and_then(|next| Some((next, step_all(g, &carries, &state, Some(&count))?)));
    let like = Info { varying: g.varying_here(), ..joined(&state.iter().collect::<Vec<_>>()) };
    g.leave();
    let (next, stepped) = stepped?;
    let results: Vec<Val> = std::iter::once(next).chain(stepped).collect();
    g.returns(body, &results);
    let operands: Vec<&Val> = inits.iter().collect();
    let bounds: Vec<f64> =
        results.iter().zip(&inits).map(|(out, init)| out.info.bound.max(init.info.bound)).collect();
    g.emit_as(Op::Control(Control::While), &operands, vec![condition, body], &bounds, like).map(|_| ())
}

/// `i < trips`, on the whole state.
fn condition(g: &mut Gen, start: &Val, carries: &[Carry], trips: i64) -> BlockId {
    let state: Vec<Val> =
        std::iter::once(start.clone()).chain(carries.iter().map(|carry| carry.init.clone())).collect();
    let (block, params) = g.region(&state);
    g.enter(block, true);
    let limit = g.splat(TensorType::scalar(DType::S32), trips);
    let compare = Op::Compare(Compare { direction: Direction::Lt, kind: None });
    let mut go = g.emit(compare, &[&params[0], &limit], 1.0);
    if g.choices.chance(25) {
        go = go.and_then(|go| and_small(g, &go, params.last()?, carries.last()?.bound).or(Some(go)));
    }
    g.leave();
    g.returns(block, &go.into_iter().collect::<Vec<_>>());
    block
}

/// Also look at all of a carried value: whether it is as small as it must be.
fn and_small(g: &mut Gen, go: &Val, state: &Val, bound: f64) -> Option<Val> {
    let ty = TensorType::scalar(state.ty.dtype);
    if state.ty.rank() == 0
        || state.ty.dtype.class() == Class::Unsigned
        || bound > 1000.0
        || !state.info.exact
    {
        return None;
    }
    let init = g.splat(ty.clone(), -1);
    let region = g.reducer(BinaryOp::Maximum, ty.dtype);
    let all = Op::Reduce(Reduce { dims: (0..state.ty.rank()).collect() });
    let most = g.emit_all(all, &[state, &init], vec![region], &[bound.max(1.0)])?.pop()?;
    let limit = g.splat(ty, 2000);
    let compare = Op::Compare(Compare { direction: Direction::Lt, kind: None });
    let small = g.emit(compare, &[&most, &limit], 1.0)?;
    g.emit(Op::Binary(BinaryOp::And), &[go, &small], 1.0)
}

/// One or two values to carry.
fn carries(g: &mut Gen, trips: i64) -> Vec<Carry> {
    let count = 1 + g.choices.index(2);
    (0..count).map(|_| carry(g, trips)).collect()
}

fn carry(g: &mut Gen, trips: i64) -> Carry {
    let init = g.operand(Want::Number, 0, 3);
    let steps =
        [CarryChange::Adds, CarryChange::Stays, CarryChange::Clamps, CarryChange::Writes, CarryChange::Adds];
    let step = g.choices.pick(&steps);
    let bound = match step {
        CarryChange::Adds => init.info.bound + trips as f64 * 64.0,
        CarryChange::Clamps | CarryChange::Writes => init.info.bound.max(16.0),
        CarryChange::Stays => init.info.bound,
    };
    Carry { init, step, bound }
}

/// Parameters of a loop body: the initial values, as large as they can get. Inside a manual region they may differ over
/// whatever anything around differs over.
fn inside(inits: &[Val], carries: &[Carry], varying: u32) -> Vec<Val> {
    let plain = inits.len() - carries.len();
    let bound = |at: usize| at.checked_sub(plain).map_or(4.0, |at| carries[at].bound);
    let param = |(at, init): (usize, &Val)| Val {
        info: Info { bound: bound(at), varying, ..init.info },
        ..init.clone()
    };
    inits.iter().enumerate().map(param).collect()
}

/// The carried values after one turn.
fn step_all(g: &mut Gen, carries: &[Carry], state: &[Val], count: Option<&Val>) -> Option<Vec<Val>> {
    // What is added must not come from a carried value: it would grow with it.
    let mut added = Vec::new();
    for (carry, now) in carries.iter().zip(state) {
        added.push(if carry.step == CarryChange::Adds { Some(addend(g, now)) } else { None });
    }
    for (carry, now) in carries.iter().zip(state) {
        if carry.step != CarryChange::Adds && carry.bound < 1e4 {
            g.offer(now.clone());
        }
    }
    some_ops(g, 2);
    carries.iter().zip(state).zip(added).map(|((carry, now), add)| step(g, carry, now, add, count)).collect()
}

/// Something of at most 64 to add.
fn addend(g: &mut Gen, now: &Val) -> Val {
    let value = g.of_type(now.ty.dtype, &now.ty.dims);
    if value.info.bound <= 64.0 { value } else { g.fresh(now.ty.clone()) }
}

fn step(g: &mut Gen, carry: &Carry, now: &Val, add: Option<Val>, count: Option<&Val>) -> Option<Val> {
    match (carry.step, add) {
        (CarryChange::Adds, Some(add)) => g.emit(Op::Binary(BinaryOp::Add), &[now, &add], carry.bound),
        (CarryChange::Clamps, _) => {
            let value = g.of_type(now.ty.dtype, &now.ty.dims);
            let bound = carry.bound.min(100.0);
            let limit = bound as i64;
            let low = if now.ty.dtype.class() == Class::Unsigned { 0 } else { -limit };
            let low = g.splat(TensorType::scalar(now.ty.dtype), low);
            let high = g.splat(TensorType::scalar(now.ty.dtype), limit);
            g.emit(Op::Clamp, &[&low, &value, &high], bound)
        }
        (CarryChange::Writes, _) => write(g, carry, now, count),
        _ => Some(now.clone()),
    }
}

/// Write a row at the loop's counter.
fn write(g: &mut Gen, carry: &Carry, now: &Val, count: Option<&Val>) -> Option<Val> {
    let (Some(count), Some(first)) = (count, now.ty.dims.first()) else { return Some(now.clone()) };
    let mut dims = now.ty.dims.clone();
    dims[0] = (*first).min(1);
    let row = g.of_type(now.ty.dtype, &dims);
    if row.info.bound > carry.bound {
        return Some(now.clone());
    }
    let zero = g.splat(count.ty.clone(), 0);
    let rest = std::iter::repeat_n(&zero, dims.len() - 1);
    let operands: Vec<&Val> = [now, &row, count].into_iter().chain(rest).collect();
    g.emit(Op::Dynamic(Dynamic::UpdateSlice), &operands, carry.bound)
}

pub fn scan(g: &mut Gen) -> Option<()> {
    let trips = 1 + i64::from(g.choices.below(4));
    let carries = carries(g, trips);
    let stacked = stacked(g, trips);
    let mut inside = inside(
        &carries.iter().map(|carry| carry.init.clone()).collect::<Vec<_>>(),
        &carries,
        g.varying_here(),
    );
    inside.extend(
        stacked.iter().map(|whole| Val { ty: whole.ty.with_dims(&whole.ty.dims[1..]), ..whole.clone() }),
    );
    let (body, params) = g.region(&inside);
    g.enter(body, false);
    let (state, slices) = params.split_at(carries.len());
    slices.iter().for_each(|slice| g.offer(slice.clone()));
    let stepped = step_all(g, &carries, state, None);
    let outputs: Vec<Val> = (0..g.choices.index(2)).map(|_| g.operand(Want::Any, 0, 2)).collect();
    let like =
        Info { varying: g.varying_here(), ..joined(&params.iter().chain(&outputs).collect::<Vec<_>>()) };
    g.leave();
    let results: Vec<Val> = stepped?.into_iter().chain(outputs).collect();
    g.returns(body, &results);
    let inits = carries.iter().map(|carry| &carry.init);
    let operands: Vec<&Val> = inits.clone().chain(&stacked).collect();
    let floor = inits.map(|init| init.info.bound).chain(std::iter::repeat(0.0));
    let bounds: Vec<f64> = results.iter().zip(floor).map(|(out, init)| out.info.bound.max(init)).collect();
    let op = Op::Scan(Scan { trips, carries: carries.len(), reverse: g.choices.chance(30) });
    g.emit_as(op, &operands, vec![body], &bounds, like).map(|_| ())
}

/// Up to two inputs of which each turn sees one slice.
fn stacked(g: &mut Gen, trips: i64) -> Vec<Val> {
    let count = g.choices.index(3);
    let mut inputs = Vec::new();
    for _ in 0..count {
        let dtype = g.dtype(Want::Any);
        let mut dims = g.dims(0, 2);
        dims.insert(0, trips);
        inputs.push(g.of_type(dtype, &dims));
    }
    inputs
}

/// If, or a case of several branches.
pub fn branch(g: &mut Gen) -> Option<()> {
    let is_case = g.choices.chance(30);
    let choice = g.scalar(if is_case { DType::S32 } else { DType::Pred });
    let count = if is_case { 1 + g.choices.index(3) } else { 2 };
    let likes: Vec<Val> = (0..1 + g.choices.index(2)).map(|_| g.operand(Want::Any, 0, 3)).collect();
    let mut blocks = Vec::new();
    let mut like = choice.info;
    let mut bounds = vec![0f64; likes.len()];
    for _ in 0..count {
        let (block, _) = g.region(&[]);
        g.enter(block, false);
        some_ops(g, 2);
        let results: Vec<Val> = likes.iter().map(|like| g.of_type(like.ty.dtype, &like.ty.dims)).collect();
        let here = joined(&results.iter().collect::<Vec<_>>());
        like = Info { exact: like.exact && here.exact, varying: like.varying | g.varying_here(), ..like };
        g.leave();
        g.returns(block, &results);
        bounds.iter_mut().zip(&results).for_each(|(bound, value)| *bound = bound.max(value.info.bound));
        blocks.push(block);
    }
    let op = if is_case { Control::Case } else { Control::If };
    g.emit_as(Op::Control(op), &[&choice], blocks, &bounds, like).map(|_| ())
}

/// A function of its own, called once or twice.
pub fn call(g: &mut Gen) -> Option<()> {
    let operands: Vec<Val> = (0..1 + g.choices.index(2)).map(|_| g.operand(Want::Any, 0, 3)).collect();
    let callee = Function::new("callee", false);
    let caller = std::mem::replace(&mut g.func, callee);
    let root = g.func.root();
    let params = function_params(g, root, &operands);
    params.iter().for_each(|param| edge_sharding(g, param));
    g.enter(root, true);
    params.iter().for_each(|param| g.offer(param.clone()));
    some_ops(g, 3);
    let results: Vec<Val> = (0..1 + g.choices.index(2)).map(|_| g.operand(Want::Any, 0, 3)).collect();
    g.leave();
    g.returns(root, &results);
    let callee = std::mem::replace(&mut g.func, caller);
    let types =
        |values: &[Val]| values.iter().map(|value| Type::Tensor(value.ty.clone())).collect::<Vec<_>>();
    let id = g.add_function(callee, (types(&params), types(&results)));
    let bounds: Vec<f64> = results.iter().map(|value| value.info.bound).collect();
    let exact = results.iter().all(|value| value.info.exact);
    let mut called = operands.clone();
    for _ in 0..1 + g.choices.index(2) {
        let all: Vec<&Val> = called.iter().collect();
        let like = Info { exact, ..joined(&all) };
        g.emit_as(Op::Call(Call { callee: id }), &all, Vec::new(), &bounds, like)?;
        called = operands.iter().map(|value| again(g, value)).collect();
    }
    Some(())
}

/// An operand for a second call: no larger than the one the callee was built for.
fn again(g: &mut Gen, first: &Val) -> Val {
    let other = g.of_type(first.ty.dtype, &first.ty.dims);
    let fits = other.info.bound <= first.info.bound && (other.info.exact || !first.info.exact);
    if fits { other } else { first.clone() }
}

/// Now and then a called function says how it wants a parameter.
fn edge_sharding(g: &mut Gen, param: &Val) {
    if g.choices.chance(15) {
        let sharding = g.random_sharding(param.ty.rank());
        g.annotate(param.id, sharding);
    }
}

fn function_params(g: &mut Gen, root: BlockId, operands: &[Val]) -> Vec<Val> {
    let mut editor = meshwright_ir::Editor::new(&mut g.func);
    let param = |value: &Val| Val { id: editor.param(root, Type::Tensor(value.ty.clone())), ..value.clone() };
    operands.iter().map(param).collect()
}
