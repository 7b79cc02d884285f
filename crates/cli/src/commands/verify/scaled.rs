//! `--scaled`: a module too large to run is verified with smaller dims.
//!
//! Dims of one size shrink together, by halves, and where a reshape makes one of several, the product shrinks with them.
//! Which sizes can shrink is tried out: each alone first, judged by the verifier of the module that it gives. Sizes that
//! attributes, windows or constants hold fast stay. The verdict says that it is not about the full size.

use crate::failure::Failure;
use meshwright_ground::{Code, Diagnostic};
use meshwright_interp::storage;
use meshwright_ir::op::sharding::ShardingOp;
use meshwright_ir::op::{Broadcast, Constant, Dynamic, Gather, Iota, Movement, Random, Reshape, Scan, Slice};
use meshwright_ir::{Editor, Function, Literal, Module, Op, TensorType, Type, ValueId};
use std::collections::{BTreeMap, BTreeSet};

/// Parameters and results of a scaled module take no more than this, as the interpreter holds them.
const MOST_BYTES: u64 = 32 << 20;
/// No dim becomes smaller.
const LEAST: i64 = 8;

/// A module with smaller dims.
pub struct Scaled {
    pub module: Module,
    /// Full sizes and what they became.
    pub dims: Vec<(i64, i64)>,
}

/// How often each size is halved.
type Halves = BTreeMap<i64, u32>;

/// The module with dims so small that it can be run, or which dims cannot shrink.
pub fn scaled(module: &Module) -> Result<Scaled, Failure> {
    let groups = merged(module);
    let sizes: BTreeSet<i64> =
        tensors(module).flat_map(|ty| ty.dims.clone()).filter(|n| *n > LEAST).collect();
    let mut halves = Halves::new();
    let (mut stubborn, mut free) = (Vec::new(), Vec::new());
    for size in sizes.iter().rev() {
        match attempt(module, &halves, *size, &groups) {
            Ok(_) => free.push(*size),
            Err(why) => stubborn.push((*size, why)),
        }
    }
    let mut small = module.clone();
    while bytes(&small) > MOST_BYTES {
        let next = free.iter().find_map(|size| Some((*size, attempt(module, &halves, *size, &groups).ok()?)));
        let Some((size, tried)) = next else {
            stubborn.retain(|(size, _)| !halves.contains_key(size));
            return Err(too_large(&small, &stubborn));
        };
        halves = tried;
        small = resized(module, &halves);
        // The next one first, so that all shrink alike.
        free.retain(|other| *other != size);
        free.push(size);
    }
    let dims = halves.iter().filter(|(_, times)| **times > 0);
    Ok(Scaled { module: small, dims: dims.map(|(size, times)| (*size, size >> times)).collect() })
}

/// One size halved once more, if what comes of it is a module; else what is wrong with it.
fn attempt(module: &Module, halves: &Halves, size: i64, groups: &[Merged]) -> Result<Halves, String> {
    let halves =
        halved(halves, size, groups).ok_or("it cannot be halved together with what it is part of")?;
    match meshwright_ir::verify(&resized(module, &halves)) {
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
    for _ in 0..groups.len().min(32) {
        let mut changed = false;
        for (one, other) in groups {
            let (a, b) = (times(&halves, one), times(&halves, other));
            let (product, count) = match (&one[..], &other[..]) {
                (_, [product]) if a > b => (*product, a),
                ([product], _) if b > a => (*product, b),
                _ => continue,
            };
            halves.insert(product, count);
            changed = true;
        }
        if !changed {
            break;
        }
    }
    let fits =
        |(size, times): (&i64, &u32)| *times < 62 && size % (1i64 << times) == 0 && size >> times >= LEAST;
    halves.iter().all(fits).then_some(halves)
}

/// Dims of one side and of the other with the same product.
type Merged = (Vec<i64>, Vec<i64>);

/// What reshapes merge and split, and what manual parts cut: a whole dim shrinks with its pieces.
fn merged(module: &Module) -> Vec<Merged> {
    let mut groups = BTreeSet::new();
    for func in module.funcs.values() {
        for inst in func.insts_in_order().into_iter().map(|inst| func.inst(inst)) {
            let (Some(operand), Some(result)) = (inst.operands.first(), inst.results.first()) else {
                continue;
            };
            let (from, to) = (func.dims(*operand), func.dims(*result));
            if matches!(inst.op, Op::Movement(Movement::Reshape(_))) {
                groups.extend(reshaped(from, to));
            } else if matches!(
                inst.op,
                Op::Sharding(ShardingOp::FullToShard { .. } | ShardingOp::ShardToFull { .. })
            ) {
                groups.extend(pairs(from, to));
            } else if matches!(inst.op, Op::Sharding(ShardingOp::Manual(_))) {
                let Some(block) = inst.regions.first().map(|region| func.block(*region)) else { continue };
                let inside = inst.operands.iter().zip(&block.params);
                let both = inside.chain(inst.results.iter().zip(&block.results));
                groups.extend(both.flat_map(|(a, b)| pairs(func.dims(*a), func.dims(*b))));
            }
        }
    }
    groups.into_iter().collect()
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
fn resized(module: &Module, halves: &Halves) -> Module {
    let mut module = module.clone();
    for func in module.funcs.values_mut() {
        resize(func, halves);
    }
    module
}

fn smaller(halves: &Halves, size: i64) -> i64 {
    size >> halves.get(&size).copied().unwrap_or(0)
}

fn all_smaller(halves: &Halves, dims: &[i64]) -> Vec<i64> {
    dims.iter().map(|dim| smaller(halves, *dim)).collect()
}

fn resize(func: &mut Function, halves: &Halves) {
    let values: Vec<ValueId> = func.values().keys().collect();
    let insts = func.insts_in_order();
    let blocks = func.blocks_in_order();
    let ops: Vec<Option<Op>> = insts.iter().map(|inst| op(func, *inst, halves)).collect();
    let mut editor = Editor::new(func);
    for value in values {
        if let Type::Tensor(ty) = editor.func().ty(value) {
            let ty = Type::Tensor(ty.with_dims(all_smaller(halves, &ty.dims)));
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
fn op(func: &Function, inst: meshwright_ir::InstId, halves: &Halves) -> Option<Op> {
    let info = func.inst(inst);
    let result = info.results.first().map_or(&[][..], |value| func.dims(*value));
    let operand = info.operands.first().map_or(&[][..], |value| func.dims(*value));
    let shape = || all_smaller(halves, result);
    let ty = |ty: &TensorType| ty.with_dims(all_smaller(halves, &ty.dims));
    if let Op::Movement(op) = &info.op {
        return movement(op, operand, halves, shape());
    }
    Some(if let Op::Constant(constant) = &info.op {
        // A constant that is data keeps its type, and so its dims.
        Op::Constant(Constant(Literal::splat(ty(constant.0.ty()), constant.0.as_splat()?)?))
    } else if let Op::Iota(iota) = &info.op {
        Op::Iota(Iota { dim: iota.dim, ty: ty(&iota.ty) })
    } else if let Op::Dynamic(Dynamic::Slice { .. }) = &info.op {
        Op::Dynamic(Dynamic::Slice { sizes: shape() })
    } else if let Op::Gather(gather) = &info.op {
        let slice_sizes = all_smaller(halves, &gather.slice_sizes);
        Op::Gather(Gather { slice_sizes, ..gather.clone() })
    } else if let Op::Scan(scan) = &info.op {
        Op::Scan(Scan { trips: smaller(halves, scan.trips), ..*scan })
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

fn movement(op: &Movement, operand: &[i64], halves: &Halves, shape: Vec<i64>) -> Option<Op> {
    Some(Op::Movement(match op {
        Movement::Broadcast(op) => Movement::Broadcast(Broadcast { dims: op.dims.clone(), shape }),
        Movement::Reshape(_) => Movement::Reshape(Reshape { shape }),
        Movement::Slice(op) => Movement::Slice(sliced(op, operand, halves)),
        Movement::Transpose(_) | Movement::Pad(_) | Movement::Concatenate(_) | Movement::Reverse(_) => {
            return None;
        }
    }))
}

/// Bounds shrink as the dim they are in; the verifier tells whether what is between them did too.
fn sliced(op: &Slice, operand: &[i64], halves: &Halves) -> Slice {
    let shrink = |bounds: &[i64]| {
        let each = bounds.iter().zip(operand);
        each.map(|(bound, dim)| bound >> halves.get(dim).copied().unwrap_or(0)).collect()
    };
    Slice { start: shrink(&op.start), limit: shrink(&op.limit), stride: op.stride.clone() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reshapes_fall_into_the_smallest_groups() {
        let groups = reshaped(&[6, 4, 5], &[24, 5]);
        assert_eq!(groups, [(vec![6, 4], vec![24]), (vec![5], vec![5])]);
        assert_eq!(reshaped(&[6, 4], &[8, 3]), [(vec![6, 4], vec![8, 3])]);
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
