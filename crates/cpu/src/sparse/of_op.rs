//! What an op makes of what is known of its operands.

use super::{Dims, Fact, Known, MAX_RANK, product, sum};
use meshwright_base::IdMap;
use meshwright_ir::op::{
    BinaryOp, Broadcast, Collective, CollectiveKind, Compare, Concatenate, Control, Convert, Direction, Dot,
    Dynamic, Foreign, Movement, Pad, Reduce, Scan, UnaryOp,
};
use meshwright_ir::{BlockId, DType, Function, Inst, Op, TensorType, ValueId};
use meshwright_shard::Reducer;

/// Regions that nest deeper are not looked into.
const MAX_DEPTH: usize = 200;

type Map = IdMap<ValueId, Known>;

/// A value's type and what is known of it.
type Told<'a> = (&'a TensorType, &'a Known);

/// Learn about all results in a block, and in the blocks inside it.
pub(super) fn learn(func: &Function, block: BlockId, known: &mut Map, depth: usize) {
    if depth > MAX_DEPTH {
        return;
    }
    for inst in &func.block(block).insts {
        let inst = func.inst(*inst);
        enter(func, inst, known);
        if matches!(inst.op, Op::Control(_) | Op::Scan(_)) {
            inst.regions.iter().for_each(|region| learn(func, *region, known, depth + 1));
        }
        let results: Vec<Known> = (0..inst.results.len()).map(|i| result(func, inst, i, known)).collect();
        inst.results.iter().zip(results).for_each(|(value, found)| known[*value] = found);
    }
}

/// What regions are given: slices of what a scan takes, and the operands of a fusion.
fn enter(func: &Function, inst: &Inst, known: &mut Map) {
    let Some(region) = inst.regions.first() else { return };
    let params = &func.block(*region).params;
    match &inst.op {
        Op::Scan(op) => {
            for (param, value) in params.iter().zip(&inst.operands).skip(op.carries) {
                known[*param] = sliced(&known[*value], func.dims(*param));
            }
        }
        Op::Control(Control::Fusion { .. }) => {
            for (param, value) in params.iter().zip(&inst.operands) {
                known[*param] = known[*value].clone();
            }
        }
        _ => {}
    }
}

/// A value without dim 0.
fn sliced(known: &Known, shape: &[i64]) -> Known {
    let lower = |dims: Dims| Dims::of(dims.iter().filter_map(|d| d.checked_sub(1)));
    let facts = known.facts.iter().map(|fact| Fact { dims: lower(fact.dims), most: fact.most });
    let found = Known { same: lower(known.same), apart: lower(known.apart), ..Known::default() };
    found.with_facts(facts, shape)
}

/// Slices put together along a new dim 0.
fn stacked(known: &Known, shape: &[i64]) -> Known {
    let raise = |dims: Dims| Dims::of(dims.iter().map(|d| d + 1));
    let facts = known.facts.iter().map(|fact| Fact { dims: raise(fact.dims), most: fact.most });
    let found = Known { same: raise(known.same), apart: raise(known.apart), ..Known::default() };
    found.with_facts(facts, shape)
}

fn result(func: &Function, inst: &Inst, index: usize, known: &Map) -> Known {
    let Some(ty) = inst.results.get(index).and_then(|value| func.ty(*value).as_tensor()) else {
        return Known::default();
    };
    if ty.rank() > MAX_RANK {
        return Known::default();
    }
    let told: Option<Vec<Told<'_>>> = inst
        .operands
        .iter()
        .map(|value| func.ty(*value).as_tensor().map(|ty| (ty, &known[*value])))
        .collect();
    let nothing = || Known::of_shape(&ty.dims);
    let Some(x) = told else { return nothing() };
    let region = |at: usize| inst.regions.get(at).copied();
    let found = match &inst.op {
        Op::Constant(op) => Some(constant(ty, op.0.is_splat(), op.0.is_zero())),
        Op::Iota(op) => Some(iota(ty, op.dim)),
        Op::Unary(op) => x.first().map(|x| unary(*op, ty, x.1)),
        Op::Binary(op) => two(&x).map(|(a, b)| binary(*op, ty, a.1, b.1)),
        Op::Compare(op) => two(&x).map(|(a, b)| compare(op, ty, a, b)),
        Op::Select => select(ty, &x),
        Op::Convert(op) => x.first().map(|x| convert(op, ty, *x)),
        Op::Movement(op) => movement(op, ty, &x),
        Op::Dynamic(op) => dynamic(op, ty, &x),
        Op::Dot(op) => two(&x).map(|(a, b)| dot(op, ty, a, b)),
        Op::Reduce(op) => Some(reduce(op, ty, region(0).and_then(|at| func.region_reducer(at)), &x)),
        Op::Scan(op) => scan_result(func, inst, op, index, ty, known),
        Op::Control(Control::Fusion { .. }) => returned(func, region(0), index).map(|v| known[v].clone()),
        Op::Collective(op) => {
            let reducer = region(0).and_then(|at| func.region_reducer(at));
            x.get(index).map(|x| collective(op, ty, reducer, x.1))
        }
        Op::OptimizationBarrier => x.get(index).map(|x| x.1.clone()),
        Op::Clamp => same_everywhere(ty, &x),
        Op::Control(Control::While | Control::If | Control::Case)
        | Op::Foreign(Foreign::Composite(_) | Foreign::CustomCall(_))
        | Op::Gather(_)
        | Op::Scatter(_)
        | Op::Convolution(_)
        | Op::Map(_)
        | Op::ReduceWindow(_)
        | Op::SelectAndScatter(_)
        | Op::Sort(_)
        | Op::TopK(_)
        | Op::Random(_)
        | Op::Fft(_)
        | Op::Linalg(_)
        | Op::BatchNorm(_)
        | Op::Call(_)
        | Op::PartitionId
        | Op::ReplicaId
        | Op::Token(_)
        | Op::Sharding(_) => None,
    };
    found.unwrap_or_else(nothing)
}

fn two<'a>(x: &[Told<'a>]) -> Option<(Told<'a>, Told<'a>)> {
    match x {
        [a, b] => Some((*a, *b)),
        _ => None,
    }
}

/// The value a region returns.
fn returned(func: &Function, region: Option<BlockId>, index: usize) -> Option<ValueId> {
    func.block(region?).results.get(index).copied()
}

fn scan_result(
    func: &Function,
    inst: &Inst,
    op: &Scan,
    index: usize,
    ty: &TensorType,
    known: &Map,
) -> Option<Known> {
    let value = returned(func, inst.regions.first().copied(), index)?;
    (index >= op.carries).then(|| stacked(&known[value], &ty.dims))
}

fn constant(ty: &TensorType, splat: bool, zero: bool) -> Known {
    let same = if splat { Dims::of(0..ty.rank()) } else { Dims::NONE };
    let none = zero.then_some(Fact { dims: Dims::NONE, most: 0 });
    Known { same, ..Known::default() }.with_facts(none, &ty.dims)
}

fn iota(ty: &TensorType, dim: usize) -> Known {
    let size = ty.dims.get(dim).copied().unwrap_or(0);
    let apart = if counts_to(ty.dtype, size) { Dims::of([dim]) } else { Dims::NONE };
    let same = Dims::of((0..ty.rank()).filter(|d| *d != dim));
    Known { same, apart, ..Known::default() }.with_facts([], &ty.dims)
}

/// Whether so many numbers from 0 on are all different in the type.
fn counts_to(dtype: DType, size: i64) -> bool {
    let bits = match dtype {
        DType::F64 => 53,
        DType::F32 => 24,
        DType::F16 => 11,
        DType::BF16 => 8,
        _ if dtype.is_integer() => dtype.bits(),
        _ => 0,
    };
    bits >= 63 || size <= 1 << bits
}

/// Dims along which all operands of this shape are the same.
fn same_in_all(x: &[&Known]) -> Dims {
    x.iter().map(|x| x.same).reduce(Dims::and).unwrap_or(Dims::NONE)
}

/// Of an op that is computed element by element; scalars stand for every place.
fn same_everywhere(ty: &TensorType, x: &[Told<'_>]) -> Option<Known> {
    let whole = |x: &Told<'_>| if x.0.dims == ty.dims { x.1.same } else { Dims::of(0..ty.rank()) };
    let same = x.iter().map(whole).reduce(Dims::and)?;
    Some(Known { same, ..Known::default() }.with_facts([], &ty.dims))
}

fn unary(op: UnaryOp, ty: &TensorType, x: &Known) -> Known {
    let keeps_apart = op == UnaryOp::Copy || op == UnaryOp::Negate && !ty.dtype.is_float();
    let apart = if keeps_apart { x.apart } else { Dims::NONE };
    let facts = if op.keeps_zero() { x.facts.clone() } else { Vec::new() };
    Known { same: x.same, apart, ..Known::default() }.with_facts(facts, &ty.dims)
}

fn binary(op: BinaryOp, ty: &TensorType, a: &Known, b: &Known) -> Known {
    use BinaryOp as B;
    let facts = match op {
        B::Multiply | B::And => product(a, b),
        B::Add | B::Subtract | B::Maximum | B::Minimum | B::Or | B::Xor | B::Complex => {
            sum(&a.facts, &b.facts, &ty.dims)
        }
        B::Divide if ty.dtype.is_float() => a.facts.clone(),
        B::Remainder | B::ShiftLeft | B::ShiftRightArithmetic | B::ShiftRightLogical => a.facts.clone(),
        B::Divide | B::Atan2 | B::NextAfter | B::Polygamma | B::Power | B::Zeta => Vec::new(),
    };
    // Integers wrap around, so numbers that differ still do when all are moved by as much.
    let moved = matches!(op, B::Add | B::Subtract) && ty.dtype.is_integer();
    let apart = if moved { a.apart.and(b.same).or(b.apart.and(a.same)) } else { Dims::NONE };
    Known { same: same_in_all(&[a, b]), apart, ..Known::default() }.with_facts(facts, &ty.dims)
}

fn compare(op: &Compare, ty: &TensorType, a: Told<'_>, b: Told<'_>) -> Known {
    let (a, b) = (a.1, b.1);
    let facts: Vec<Fact> = match op.direction {
        Direction::Eq => {
            let once = a.apart.and(b.same).or(b.apart.and(a.same));
            once.iter().map(|d| Fact { dims: Dims::of([d]), most: 1 }).collect()
        }
        Direction::Ne | Direction::Gt | Direction::Lt => sum(&a.facts, &b.facts, &ty.dims),
        Direction::Ge | Direction::Le => Vec::new(),
    };
    Known { same: same_in_all(&[a, b]), ..Known::default() }.with_facts(facts, &ty.dims)
}

fn select(ty: &TensorType, x: &[Told<'_>]) -> Option<Known> {
    let [p, a, b] = x else { return None };
    let everywhere = Known { same: Dims::of(0..ty.rank()), ..Known::default() };
    let p = if p.0.dims == ty.dims { p.1 } else { &everywhere };
    let facts = sum(&product(p, a.1), &b.1.facts, &ty.dims);
    Some(Known { same: same_in_all(&[p, a.1, b.1]), ..Known::default() }.with_facts(facts, &ty.dims))
}

fn convert(op: &Convert, ty: &TensorType, x: Told<'_>) -> Known {
    let known = x.1;
    let wider = x.0.dtype.is_integer() && ty.dtype.is_integer() && ty.dtype.bits() >= x.0.dtype.bits();
    match op {
        Convert::To(_) => {
            let apart = if wider || x.0.dtype == ty.dtype { known.apart } else { Dims::NONE };
            Known { apart, ..known.clone() }.with_facts(known.facts.clone(), &ty.dims)
        }
        Convert::ReducePrecision { .. } => {
            Known { apart: Dims::NONE, ..known.clone() }.with_facts(known.facts.clone(), &ty.dims)
        }
        Convert::Bitcast(_) => Known::of_shape(&ty.dims),
    }
}

fn movement(op: &Movement, ty: &TensorType, x: &[Told<'_>]) -> Option<Known> {
    let first = *x.first()?;
    Some(match op {
        Movement::Broadcast(op) => broadcast(op, ty, first),
        Movement::Reshape(_) => reshape(ty, first),
        Movement::Transpose(op) => {
            let to = |d: usize| op.permutation.iter().position(|from| *from == d);
            renamed(first.1, &ty.dims, &to)
        }
        Movement::Slice(_) => first.1.clone().with_facts(first.1.facts.clone(), &ty.dims),
        Movement::Reverse(_) => first.1.clone(),
        Movement::Pad(op) => pad(op, ty, x)?,
        Movement::Concatenate(op) => concatenate(op, ty, x),
    })
}

/// The same value with its dims named anew; dims without a name are gone.
fn renamed(known: &Known, shape: &[i64], to: &dyn Fn(usize) -> Option<usize>) -> Known {
    let name = |dims: Dims| Dims::of(dims.iter().filter_map(to));
    let facts = known.facts.iter().map(|fact| Fact { dims: name(fact.dims), most: fact.most });
    Known { same: name(known.same), apart: name(known.apart), ..Known::default() }.with_facts(facts, shape)
}

fn broadcast(op: &Broadcast, ty: &TensorType, (from, known): Told<'_>) -> Known {
    let to = |d: usize| op.dims.get(d).copied();
    let stretched = Dims::of(
        (0..from.rank()).filter(|d| to(*d).is_some_and(|to| from.dims[*d] != ty.dims[to])).filter_map(to),
    );
    let new = Dims::of((0..ty.rank()).filter(|d| !op.dims.contains(d)));
    let mut found = renamed(known, &ty.dims, &to);
    found.apart = found.apart.without(stretched);
    found.same = found.same.or(stretched).or(new);
    found
}

/// Dims of both shapes in runs of as many elements, dims of size 1 left out.
fn runs(from: &[i64], to: &[i64]) -> Option<Vec<(Dims, Dims)>> {
    let long = |shape: &[i64]| -> Vec<(usize, i64)> {
        shape.iter().copied().enumerate().filter(|(_, size)| *size != 1).collect()
    };
    let (from, to) = (long(from), long(to));
    let (mut a, mut b) = (from.iter(), to.iter());
    let mut found = Vec::new();
    while let Some((d, size)) = a.next() {
        let (e, other) = b.next()?;
        let (mut left, mut right) = (*size, *other);
        let (mut own, mut its) = (vec![*d], vec![*e]);
        while left != right {
            let (dims, product, next) = if left < right {
                (&mut own, &mut left, a.next()?)
            } else {
                (&mut its, &mut right, b.next()?)
            };
            dims.push(next.0);
            *product = product.checked_mul(next.1)?;
        }
        found.push((Dims::of(own), Dims::of(its)));
    }
    b.next().is_none().then_some(found)
}

fn reshape(ty: &TensorType, (from, known): Told<'_>) -> Known {
    let nothing = Known::of_shape(&ty.dims);
    let empty = from.dims.contains(&0) || ty.dims.contains(&0);
    let Some(runs) = (!empty).then(|| runs(&from.dims, &ty.dims)).flatten() else { return nothing };
    let whole = |dims: Dims| {
        let held = runs.iter().filter(|(own, _)| dims.holds(*own)).map(|(_, its)| *its);
        held.fold(Dims::NONE, Dims::or)
    };
    let single = |dims: Dims| {
        let one = |dims: Dims| dims.iter().count() == 1;
        let held = runs.iter().filter(|(own, its)| one(*own) && one(*its) && dims.holds(*own));
        held.map(|(_, its)| *its).fold(Dims::NONE, Dims::or)
    };
    // A fact that takes part of a run is one over all of it.
    let facts = known.facts.iter().map(|fact| {
        let touched = runs.iter().filter(|(own, _)| fact.dims.and(*own) != Dims::NONE);
        let (own, its) =
            touched.fold((Dims::NONE, Dims::NONE), |sum, run| (sum.0.or(run.0), sum.1.or(run.1)));
        Fact { dims: its, most: super::widened(*fact, own, &from.dims).most }
    });
    let found = Known { same: whole(known.same), apart: single(known.apart), ..Known::default() };
    found.with_facts(facts, &ty.dims)
}

fn pad(op: &Pad, ty: &TensorType, x: &[Told<'_>]) -> Option<Known> {
    let [(_, known), (_, value)] = x else { return None };
    let zero = value.facts.iter().any(|fact| fact.most == 0);
    let facts = if zero { known.facts.clone() } else { Vec::new() };
    let is_padded = |d: usize| op.low[d] != 0 || op.high[d] != 0 || op.interior[d] != 0;
    let padded = Dims::of((0..ty.rank()).filter(|d| is_padded(*d)));
    Some(Known { same: known.same.without(padded), ..Known::default() }.with_facts(facts, &ty.dims))
}

fn concatenate(op: &Concatenate, ty: &TensorType, x: &[Told<'_>]) -> Known {
    let along = if x.len() > 1 { Dims::of([op.dim]) } else { Dims::NONE };
    let joined = |a: &[Fact], b: &Told<'_>| -> Vec<Fact> {
        // The part that is there already is no longer than the result.
        let mut shape = ty.dims.clone();
        if let (Some(whole), Some(part)) = (shape.get_mut(op.dim), b.0.dims.get(op.dim)) {
            *whole = (*whole).max(*part);
        }
        sum(a, &b.1.facts, &shape)
    };
    let first = x.first().map(|x| x.1.facts.clone()).unwrap_or_default();
    let facts = x.iter().skip(1).fold(first, |facts, part| joined(&facts, part));
    let same = x.iter().map(|x| x.1.same).reduce(Dims::and).unwrap_or(Dims::NONE);
    Known { same: same.without(along), ..Known::default() }.with_facts(facts, &ty.dims)
}

fn dynamic(op: &Dynamic, ty: &TensorType, x: &[Told<'_>]) -> Option<Known> {
    match (op, x) {
        (Dynamic::Slice { .. }, [(_, known), ..]) => {
            Some((*known).clone().with_facts(known.facts.clone(), &ty.dims))
        }
        (Dynamic::UpdateSlice, [(_, known), (_, update), ..]) => {
            let facts = sum(&known.facts, &update.facts, &ty.dims);
            Some(Known::default().with_facts(facts, &ty.dims))
        }
        _ => None,
    }
}

/// Both operands seen over all dims of the products, these multiplied, and what is contracted summed.
fn dot(op: &Dot, ty: &TensorType, (l, a): Told<'_>, (r, b): Told<'_>) -> Known {
    let batch = op.batch.len();
    let free = |used: &dyn Fn(usize) -> bool, rank: usize| -> Vec<usize> {
        (0..rank).filter(|d| !used(*d)).collect()
    };
    let lhs = free(&|d| op.batch.iter().chain(&op.contract).any(|pair| pair.0 == d), l.rank());
    let rhs = free(&|d| op.batch.iter().chain(&op.contract).any(|pair| pair.1 == d), r.rank());
    let depth: Vec<i64> = op.contract.iter().map(|pair| l.dims[pair.0]).collect();
    let shape: Vec<i64> = ty.dims.iter().chain(&depth).copied().collect();
    if shape.len() > MAX_RANK {
        return Known::of_shape(&ty.dims);
    }
    let place = |pairs: &[(usize, usize)], side: &dyn Fn(&(usize, usize)) -> usize, d: usize| {
        pairs.iter().position(|pair| side(pair) == d)
    };
    let spread = |known: &Known, side: &dyn Fn(&(usize, usize)) -> usize, free: &[usize], first: usize| {
        let to = |d: usize| {
            let own = place(&op.batch, side, d);
            let own = own.or_else(|| free.iter().position(|f| *f == d).map(|at| first + at));
            own.or_else(|| place(&op.contract, side, d).map(|at| ty.rank() + at))
        };
        let mut found = renamed(known, &shape, &to);
        let others = (batch..ty.rank()).filter(|d| !(first..first + free.len()).contains(d));
        found.same = found.same.or(Dims::of(others));
        found
    };
    let a = spread(a, &|pair| pair.0, &lhs, batch);
    let b = spread(b, &|pair| pair.1, &rhs, batch + lhs.len());
    let all = Known { same: same_in_all(&[&a, &b]), ..Known::default() }.with_facts(product(&a, &b), &shape);
    let summed: Vec<usize> = (ty.rank()..shape.len()).collect();
    summed_over(&all, &shape, &summed, &ty.dims)
}

/// Summed over dims.
fn summed_over(known: &Known, shape: &[i64], dims: &[usize], to: &[i64]) -> Known {
    let summed = Dims::of(dims.iter().copied());
    let facts = known.facts.iter().map(|fact| Fact {
        dims: fact.dims,
        most: fact.most.saturating_mul(summed.without(fact.dims).size(shape)),
    });
    let kept: Vec<usize> = (0..shape.len()).filter(|d| !summed.has(*d)).collect();
    let whole = Known { facts: facts.collect(), same: known.same, apart: Dims::NONE };
    renamed(&whole, to, &|d| kept.iter().position(|kept| *kept == d))
}

fn reduce(op: &Reduce, ty: &TensorType, reducer: Option<Reducer>, x: &[Told<'_>]) -> Known {
    let inputs = &x[..x.len() / 2];
    let Some((from, _)) = inputs.first() else { return Known::of_shape(&ty.dims) };
    let same = inputs.iter().map(|x| x.1.same).reduce(Dims::and).unwrap_or(Dims::NONE);
    let starts_at_zero = |x: &Told<'_>| x.1.facts.iter().any(|fact| fact.most == 0);
    let facts = match (inputs, reducer) {
        ([input], Some(Reducer::Sum | Reducer::Or | Reducer::Xor))
            if x.last().is_some_and(starts_at_zero) =>
        {
            input.1.facts.clone()
        }
        _ => Vec::new(),
    };
    let known = Known { facts, same, apart: Dims::NONE };
    summed_over(&known, &from.dims, &op.dims, &ty.dims)
}

fn collective(op: &Collective, ty: &TensorType, reducer: Option<Reducer>, x: &Known) -> Known {
    let members = u64::try_from(op.group_size).unwrap_or(u64::MAX);
    let of_all = |fact: &Fact| Fact { dims: fact.dims, most: fact.most.saturating_mul(members) };
    let gathered = |dim: usize, fact: &Fact| if fact.dims.has(dim) { of_all(fact) } else { *fact };
    let one = |facts: Vec<Fact>, same: Dims| Known { same, ..Known::default() }.with_facts(facts, &ty.dims);
    match &op.kind {
        CollectiveKind::AllGather { dim } => {
            let facts = x.facts.iter().map(|fact| gathered(*dim, fact)).collect();
            one(facts, x.same.without(Dims::of([*dim])))
        }
        CollectiveKind::AllToAll { concat_dim, .. } => {
            let facts = x.facts.iter().map(|fact| gathered(*concat_dim, fact)).collect();
            one(facts, x.same.without(Dims::of([*concat_dim])))
        }
        CollectiveKind::AllReduce | CollectiveKind::ReduceScatter { .. } => match reducer {
            Some(Reducer::Sum) => one(x.facts.iter().map(of_all).collect(), x.same),
            _ => one(Vec::new(), x.same),
        },
        CollectiveKind::Permute { .. } | CollectiveKind::Broadcast => one(x.facts.clone(), x.same),
        CollectiveKind::AllToAllTuple => Known::of_shape(&ty.dims),
    }
}
