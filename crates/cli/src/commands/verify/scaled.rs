//! `--scaled`: a module too large to run is verified with smaller dims, on a smaller mesh.
//!
//! Dims of one size shrink together, by halves, and with them what they are made of: factors where a reshape makes one
//! of several, parts of slices and concatenations. An odd size that is one more or less than another (a sequence with
//! what begins it) follows that one. Which sizes can shrink is tried out: each alone first, judged by the verifier of
//! the module that it gives. Sizes that attributes or windows hold fast stay; constants that are data are cropped. Axes
//! of meshes shrink by halves too, down to 2: every device is simulated. The verdict says that it is not about the full
//! size.

use super::fewer::on_fewer_devices;
use crate::failure::Failure;
use meshwright_base::arrange::set;
use meshwright_base::{Code, Diagnostic};
use meshwright_cost::{Machine, traffic};
use meshwright_interp::storage;
use meshwright_ir::op::sharding::ShardingOp;
use meshwright_ir::op::{
    Broadcast, Constant, Convert, Dynamic, Gather, Iota, Movement, Random, Reshape, Scan, Slice,
};
use meshwright_ir::{Editor, Function, Inst, Literal, Module, Op, TensorType, Type, ValueId};
use std::collections::{BTreeMap, BTreeSet};

/// Parameters and results of a scaled module take no more than this, as the interpreter holds them.
const MOST_BYTES: u64 = 32 << 20;
/// What the interpreter computes in some seconds; more only where nothing shrinks any further.
const MOST_FLOPS: f64 = 3e7;
/// No dim becomes smaller.
const LEAST: i64 = 8;
/// How often sizes are made even with what they are tied to, before that is given up.
const ROUNDS: usize = 64;
/// The most by which one size follows another.
const NEAR: i64 = 2;

/// A module with smaller dims.
pub struct Scaled {
    pub module: Module,
    /// Full sizes and what they became.
    pub dims: Vec<(i64, i64)>,
    /// The same of axes of meshes.
    pub axes: Vec<(String, i64, i64)>,
}

/// How often each size is halved.
type Halves = BTreeMap<i64, u32>;

/// What sizes have to do with each other.
struct Ties {
    /// Dims of one product, and parts with their whole: they shrink together.
    merged: Vec<Merged>,
    /// Odd sizes, each with the even one beside it and by how much it is more.
    follows: BTreeMap<i64, (i64, i64)>,
}

/// What sizes become.
struct Scale<'a> {
    halves: &'a Halves,
    ties: &'a Ties,
}

/// The module with dims so small that it can be run, or which dims cannot shrink.
pub fn scaled(module: &Module) -> Result<Scaled, Failure> {
    let ties = Ties::of(module);
    let is_free = |n: &i64| *n > LEAST && !ties.follows.contains_key(n);
    let sizes: BTreeSet<i64> = set(tensors(module).flat_map(|ty| ty.dims.clone()).filter(is_free));
    let mut halves = Halves::new();
    let (mut stubborn, mut free) = (Vec::new(), Vec::new());
    for size in sizes.iter().rev() {
        match attempt(module, &halves, *size, &ties) {
            Ok(_) => free.push(*size),
            Err(why) => stubborn.push((*size, why)),
        }
    }
    let mut small = module.clone();
    while bytes(&small) > MOST_BYTES || traffic(&small, &Machine::default()).flops > MOST_FLOPS {
        let next = free.iter().find_map(|size| Some((*size, attempt(module, &halves, *size, &ties).ok()?)));
        let Some((size, tried)) = next else { break };
        halves = tried;
        small = resized(module, &Scale { halves: &halves, ties: &ties });
        // The next one first, so that all shrink alike.
        free.retain(|other| *other != size);
        free.push(size);
    }
    if bytes(&small) > MOST_BYTES {
        stubborn.retain(|(size, _)| !halves.contains_key(size));
        return Err(too_large(&small, &stubborn));
    }
    let scale = Scale { halves: &halves, ties: &ties };
    let all = halves.keys().chain(ties.follows.keys()).collect::<BTreeSet<_>>();
    let dims = all.into_iter().map(|size| (*size, scale.of(*size))).filter(|(full, small)| full != small);
    let dims: Vec<(i64, i64)> = dims.collect();
    if dims.is_empty() {
        return Ok(Scaled { module: small, dims, axes: Vec::new() });
    }
    let (module, axes) = on_fewer_devices(small);
    Ok(Scaled { module, dims, axes })
}

/// One size halved once more, if what comes of it is a module; else what is wrong with it.
fn attempt(module: &Module, halves: &Halves, size: i64, ties: &Ties) -> Result<Halves, String> {
    let halves =
        halved(halves, size, &ties.merged).ok_or("it cannot be halved together with what it is part of")?;
    match meshwright_ir::verify(&resized(module, &Scale { halves: &halves, ties })) {
        Ok(()) => Ok(halves),
        Err(found) => Err(found.into_iter().next().map(|first| first.message).unwrap_or_default()),
    }
}

fn too_large(small: &Module, stubborn: &[(i64, String)]) -> Failure {
    let shown = || stubborn.iter().take(8);
    let named: Vec<String> = shown().map(|(size, _)| size.to_string()).collect();
    let message = format!(
        "parameters and results take {} bytes even with every dim halved that can be; what holds others: {}",
        bytes(small),
        if named.is_empty() { "none is held".to_string() } else { format!("dims of {}", named.join(", ")) }
    );
    let help = "lower a smaller configuration of the model, and verify that";
    let told = shown().fold(Diagnostic::error(Code(613), message), |told, (size, why)| {
        told.note(format!("with half of {size}: {why}"))
    });
    Failure::input(told.help(help))
}

fn bytes(module: &Module) -> u64 {
    let main = module.main();
    let values = main.param_values().iter().chain(main.result_values());
    values.map(|value| storage(main.ty(*value))).fold(0, u64::saturating_add)
}

fn tensors(module: &Module) -> impl Iterator<Item = &TensorType> {
    module.funcs.values().flat_map(|func| func.values().values().filter_map(|value| value.ty.as_tensor()))
}

/// One size halved once more, and with it what it is a factor of; `None` if one of them does not divide.
fn halved(halves: &Halves, size: i64, groups: &[Merged]) -> Option<Halves> {
    let mut halves = halves.clone();
    *halves.entry(size).or_default() += 1;
    let times = |halves: &Halves, dims: &[i64]| -> u32 {
        dims.iter().map(|dim| halves.get(dim).copied().unwrap_or(0)).sum()
    };
    for _ in 0..ROUNDS {
        let mut changed = false;
        for (one, other) in groups {
            let (a, b) = (times(&halves, one), times(&halves, other));
            let short = if a > b { other } else { one };
            let Some(size) = (a != b).then(|| most_halvable(&halves, short)).flatten() else { continue };
            *halves.entry(size).or_default() += 1;
            changed = true;
        }
        if !changed {
            break;
        }
    }
    halves.iter().all(|(size, times)| fits(*size, *times)).then_some(halves)
}

/// Whether a size can be halved so often.
fn fits(size: i64, times: u32) -> bool {
    times < 62 && size % (1i64 << times) == 0 && size >> times >= LEAST
}

/// Of the sizes of one side, the largest that can be halved once more.
fn most_halvable(halves: &Halves, dims: &[i64]) -> Option<i64> {
    let left = |size: i64| {
        let times = halves.get(&size).copied().unwrap_or(0) + 1;
        fits(size, times).then_some((size >> times, size))
    };
    dims.iter().filter_map(|size| left(*size)).max().map(|(_, size)| size)
}

/// Dims of one side and of the other with the same product.
type Merged = (Vec<i64>, Vec<i64>);

impl Ties {
    fn of(module: &Module) -> Ties {
        let (mut merged, mut near) = (BTreeSet::new(), BTreeMap::new());
        for func in module.funcs.values() {
            for inst in func.insts_in_order().into_iter().map(|inst| func.inst(inst)) {
                merged.extend(products(func, inst));
                for (part, whole) in parts(func, inst) {
                    let is_odd = |n: i64| n % 2 == 1 && n > LEAST;
                    match (whole - part).abs() <= NEAR {
                        true if is_odd(part) && !is_odd(whole) => {
                            near.entry(part).or_insert((whole, part - whole));
                        }
                        true if is_odd(whole) && !is_odd(part) => {
                            near.entry(whole).or_insert((part, whole - part));
                        }
                        true => {}
                        false if part > LEAST => merged.extend(pairs(&[part], &[whole])),
                        false => {}
                    }
                }
            }
        }
        let is_near = |dims: &[i64]| dims.iter().any(|dim| near.contains_key(dim));
        let merged = merged.into_iter().filter(|(one, other)| !is_near(one) && !is_near(other)).collect();
        Ties { merged, follows: near }
    }
}

impl Scale<'_> {
    fn of(&self, size: i64) -> i64 {
        let halved = |size: i64| size >> self.halves.get(&size).copied().unwrap_or(0);
        self.ties.follows.get(&size).map_or_else(|| halved(size), |(other, more)| halved(*other) + more)
    }

    fn all(&self, dims: &[i64]) -> Vec<i64> {
        dims.iter().map(|dim| self.of(*dim)).collect()
    }
}

/// Dims that differ where slices, concatenations and pads make wholes of parts, or parts of wholes: the smaller first.
fn parts(func: &Function, inst: &Inst) -> Vec<(i64, i64)> {
    let is_partial =
        matches!(inst.op, Op::Movement(Movement::Slice(_) | Movement::Concatenate(_) | Movement::Pad(_)));
    let (Some(result), true) = (inst.results.first(), is_partial) else { return Vec::new() };
    let whole = func.dims(*result);
    let differ = inst.operands.iter().flat_map(|operand| func.dims(*operand).iter().zip(whole));
    differ.filter(|(a, b)| a != b).map(|(a, b)| (*a.min(b), *a.max(b))).collect()
}

/// What reshapes merge and split, and what manual parts cut: a whole dim shrinks with its pieces.
fn products(func: &Function, inst: &Inst) -> Vec<Merged> {
    let (Some(operand), Some(result)) = (inst.operands.first(), inst.results.first()) else {
        return Vec::new();
    };
    let (from, to) = (func.dims(*operand), func.dims(*result));
    if matches!(inst.op, Op::Movement(Movement::Reshape(_))) {
        reshaped(from, to)
    } else if matches!(inst.op, Op::Sharding(ShardingOp::FullToShard { .. } | ShardingOp::ShardToFull { .. }))
    {
        pairs(from, to)
    } else if let (Op::Sharding(ShardingOp::Manual(_)), Some(region)) = (&inst.op, inst.regions.first()) {
        let block = func.block(*region);
        let inside = inst.operands.iter().zip(&block.params);
        let both = inside.chain(inst.results.iter().zip(&block.results));
        both.flat_map(|(a, b)| pairs(func.dims(*a), func.dims(*b))).collect()
    } else {
        Vec::new()
    }
}

fn pairs(from: &[i64], to: &[i64]) -> Vec<Merged> {
    let differ = from.iter().zip(to).filter(|(a, b)| a != b);
    differ.flat_map(|(a, b)| [(vec![*a], vec![*b]), (vec![*b], vec![*a])]).collect()
}

/// The smallest runs of dims of one product on both sides.
fn reshaped(from: &[i64], to: &[i64]) -> Vec<Merged> {
    let (mut groups, mut a, mut b) = (Vec::new(), 0, 0);
    while a < from.len() && b < to.len() {
        let (start, other) = (a, b);
        let (mut x, mut y) = (from[a], to[b]);
        (a, b) = (a + 1, b + 1);
        while x != y {
            if x < y && a < from.len() {
                x = x.saturating_mul(from[a]);
                a += 1;
            } else if y < x && b < to.len() {
                y = y.saturating_mul(to[b]);
                b += 1;
            } else {
                return groups;
            }
        }
        groups.push((from[start..a].to_vec(), to[other..b].to_vec()));
    }
    groups
}

/// The module with every dim of these sizes smaller.
fn resized(module: &Module, scale: &Scale<'_>) -> Module {
    let mut module = module.clone();
    for func in module.funcs.values_mut() {
        resize(func, scale);
    }
    module
}

fn resize(func: &mut Function, scale: &Scale<'_>) {
    let values: Vec<ValueId> = func.values().keys().collect();
    let insts = func.insts_in_order();
    let blocks = func.blocks_in_order();
    let ops: Vec<Option<Op>> = insts.iter().map(|inst| op(func, *inst, scale)).collect();
    let mut editor = Editor::new(func);
    for value in values {
        if let Type::Tensor(ty) = editor.func().ty(value) {
            let ty = Type::Tensor(ty.with_dims(scale.all(&ty.dims)));
            editor.set_type(value, ty);
        }
    }
    for (inst, op) in insts.into_iter().zip(ops) {
        op.into_iter().for_each(|op| editor.set_op(inst, op));
    }
    for block in blocks {
        let results = editor.func().block(block).results.clone();
        editor.set_results(block, results);
    }
}

/// The op of an instruction with smaller sizes in its attributes, if it has any.
fn op(func: &Function, inst: meshwright_ir::InstId, scale: &Scale<'_>) -> Option<Op> {
    let info = func.inst(inst);
    let result = info.results.first().map_or(&[][..], |value| func.dims(*value));
    let operand = info.operands.first().map_or(&[][..], |value| func.dims(*value));
    let shape = || scale.all(result);
    let ty = |ty: &TensorType| ty.with_dims(scale.all(&ty.dims));
    if let Op::Movement(op) = &info.op {
        return movement(op, (operand, result), scale, shape());
    }
    Some(if let Op::Constant(constant) = &info.op {
        Op::Constant(Constant(cropped(&constant.0, ty(constant.0.ty()))?))
    } else if let Op::Iota(iota) = &info.op {
        Op::Iota(Iota { dim: iota.dim, ty: ty(&iota.ty) })
    } else if let Op::Dynamic(Dynamic::Slice { .. }) = &info.op {
        Op::Dynamic(Dynamic::Slice { sizes: shape() })
    } else if let Op::Convert(Convert::Bitcast(bits)) = &info.op {
        Op::Convert(Convert::Bitcast(ty(bits)))
    } else if let Op::Gather(gather) = &info.op {
        let slice_sizes = scale.all(&gather.slice_sizes);
        Op::Gather(Gather { slice_sizes, ..gather.clone() })
    } else if let Op::Scan(scan) = &info.op {
        Op::Scan(Scan { trips: scale.of(scan.trips), ..*scan })
    } else if let Op::Random(Random::Rng { distribution, .. }) = &info.op {
        Op::Random(Random::Rng { distribution: *distribution, shape: shape() })
    } else if let Op::Random(Random::BitGenerator { algorithm, bits }) = &info.op {
        Op::Random(Random::BitGenerator { algorithm: *algorithm, bits: ty(bits) })
    } else if let Op::Sharding(ShardingOp::FullToShard { unspecified, .. }) = &info.op {
        Op::Sharding(ShardingOp::FullToShard { unspecified: unspecified.clone(), shape: shape() })
    } else if let Op::Sharding(ShardingOp::ShardToFull { unspecified, .. }) = &info.op {
        Op::Sharding(ShardingOp::ShardToFull { unspecified: unspecified.clone(), shape: shape() })
    } else {
        return None;
    })
}

fn movement(
    op: &Movement,
    (operand, result): (&[i64], &[i64]),
    scale: &Scale<'_>,
    shape: Vec<i64>,
) -> Option<Op> {
    Some(Op::Movement(match op {
        Movement::Broadcast(op) => Movement::Broadcast(Broadcast { dims: op.dims.clone(), shape }),
        Movement::Reshape(_) => Movement::Reshape(Reshape { shape }),
        Movement::Slice(op) => Movement::Slice(sliced(op, operand, result, scale)),
        Movement::Transpose(_) | Movement::Pad(_) | Movement::Concatenate(_) | Movement::Reverse(_) => {
            return None;
        }
    }))
}

/// What is at an end stays there; what is between shrinks as the dim it is in. The verifier tells whether it fits.
fn sliced(op: &Slice, operand: &[i64], result: &[i64], scale: &Scale<'_>) -> Slice {
    let mut small = op.clone();
    for (at, (whole, part)) in operand.iter().zip(result).enumerate() {
        let (start, limit, stride) = (op.start[at], op.limit[at], op.stride[at]);
        let (inside, taken) = (scale.of(*whole), scale.of(*part));
        let shrunk = |bound: i64| if *whole == 0 { bound } else { bound * inside / whole };
        (small.start[at], small.limit[at]) = match stride {
            1 if start == 0 => (0, taken),
            1 if limit == *whole => (inside - taken, inside),
            1 => (shrunk(start), shrunk(start) + taken),
            _ => (shrunk(start), shrunk(limit)),
        };
    }
    small
}

/// The first elements along every dim. Nobody asks for what the numbers mean: both programs get them.
fn cropped(literal: &Literal, ty: TensorType) -> Option<Literal> {
    if let Some(element) = literal.as_splat() {
        return Literal::splat(ty, element);
    }
    let full = &literal.ty().dims;
    let mut bytes = Vec::new();
    for at in 0..ty.elements() {
        let (mut rest, mut from, mut stride) = (at, 0, 1);
        for (small, full) in ty.dims.iter().zip(full).rev() {
            from += rest % small * stride;
            rest /= small;
            stride *= full;
        }
        bytes.extend(literal.element(usize::try_from(from).ok()?));
    }
    Literal::dense(ty, bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn constants_keep_their_first_elements_along_every_dim() {
        let ty = |dims: [i64; 2]| TensorType::new(meshwright_ir::DType::S32, dims);
        let bytes = (0..12i32).flat_map(i32::to_le_bytes).collect();
        let small = cropped(&Literal::dense(ty([3, 4]), bytes).unwrap(), ty([2, 3])).unwrap();
        assert_eq!(small.to_ints().unwrap(), [0, 1, 2, 4, 5, 6]);
    }

    #[test]
    fn reshapes_fall_into_the_smallest_groups() {
        let groups = reshaped(&[6, 4, 5], &[24, 5]);
        assert_eq!(groups, [(vec![6, 4], vec![24]), (vec![5], vec![5])]);
        assert_eq!(reshaped(&[6, 4], &[8, 3]), [(vec![6, 4], vec![8, 3])]);
    }

    #[test]
    fn factors_of_one_product_shrink_with_those_of_the_other_side() {
        let groups = [(vec![2048, 512], vec![128, 8192])];
        let once = halved(&Halves::new(), 2048, &groups).unwrap();
        assert_eq!(once, Halves::from([(2048, 1), (8192, 1)]));
        let three = (0..6).fold(once, |halves, _| halved(&halves, 512, &groups).unwrap());
        assert_eq!(three[&512], 6);
        assert_eq!(three[&8192] + three.get(&128).unwrap_or(&0), 7);
    }

    #[test]
    fn a_product_shrinks_with_its_factors() {
        let groups = [(vec![64, 16], vec![1024])];
        let once = halved(&Halves::new(), 64, &groups).unwrap();
        assert_eq!(once, Halves::from([(64, 1), (1024, 1)]));
        let twice = halved(&once, 16, &groups).unwrap();
        assert_eq!(twice, Halves::from([(16, 1), (64, 1), (1024, 2)]));
        assert_eq!(halved(&twice, 16, &groups), None);
    }
}
