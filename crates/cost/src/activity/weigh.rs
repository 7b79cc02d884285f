//! How much one op is: steps per element, products, bytes that it touches of what it is given.

use super::{Kind, Load, Product};
use meshwright_ir::op::{Convolution, Dot, Dynamic, Effort, Linalg, Movement, Precision};
use meshwright_ir::{DType, Op, Type};

/// An op's part of an activity, without the bytes.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Weight {
    pub kind: Kind,
    pub product: Option<Product>,
    pub steps: f64,
    pub functions: f64,
    pub running: f64,
}

impl Weight {
    pub(super) const NONE: Weight =
        Weight { kind: Kind::Moves, product: None, steps: 0.0, functions: 0.0, running: 0.0 };

    fn loops(steps: f64) -> Weight {
        Weight { kind: Kind::Loops, steps, ..Weight::NONE }
    }

    fn running(running: f64) -> Weight {
        Weight { kind: Kind::Running, running, ..Weight::NONE }
    }

    /// Alone, as an activity of so many bytes.
    pub(super) fn load(self, bytes: f64) -> Load {
        let Weight { kind, product, steps, functions, running } = self;
        Load { kind, product, bytes, steps, functions, running }
    }

    /// Two ops in one activity: the heavier names it.
    pub(super) fn and(self, other: Weight) -> Weight {
        let rank = |kind: Kind| match kind {
            Kind::Products | Kind::BatchedProducts => 3,
            Kind::Running => 2,
            Kind::Loops => 1,
            Kind::Moves => 0,
        };
        Weight {
            kind: if rank(other.kind) > rank(self.kind) { other.kind } else { self.kind },
            product: self.product.or(other.product),
            steps: self.steps + other.steps,
            functions: self.functions + other.functions,
            running: self.running + other.running,
        }
    }
}

fn elements(ty: Option<&&Type>) -> f64 {
    ty.and_then(|ty| ty.as_tensor()).map_or(0.0, |tensor| tensor.elements() as f64)
}

fn effort(effort: Effort, elements: f64) -> Weight {
    // A division is a few steps: a guess and its corrections.
    const DIVISION: f64 = 4.0;
    match effort {
        Effort::Step => Weight::loops(elements),
        Effort::Division => Weight::loops(DIVISION * elements),
        Effort::Function => Weight { functions: elements, ..Weight::loops(0.0) },
    }
}

/// What an op that computes takes.
pub(super) fn weigh(op: &Op, operands: &[&Type], results: &[&Type]) -> Weight {
    let (first, made) = (elements(operands.first()), elements(results.first()));
    let log = |n: f64| n.max(2.0).log2();
    match op {
        Op::Constant(_) | Op::Iota(_) | Op::PartitionId | Op::ReplicaId | Op::OptimizationBarrier => {
            Weight::NONE
        }
        Op::Unary(op) => effort(op.effort(), made),
        Op::Binary(op) => effort(op.effort(), made),
        Op::Compare(_) | Op::Select | Op::Clamp | Op::Convert(_) => Weight::loops(made),
        Op::Movement(Movement::Pad(_)) => Weight { kind: Kind::Moves, ..Weight::loops(made) },
        Op::Movement(_) | Op::Dynamic(_) | Op::Gather(_) => Weight::NONE,
        Op::Scatter(_) => Weight { kind: Kind::Moves, ..Weight::loops(elements(operands.last())) },
        Op::Dot(dot) => {
            let product = product(dot, operands, results);
            Weight { product: Some(product), kind: kind(&product), ..Weight::NONE }
        }
        Op::Convolution(of) => {
            Weight { product: Some(convolution(of, operands, results)), kind: Kind::Products, ..Weight::NONE }
        }
        Op::Reduce(_) => Weight::loops(first),
        Op::Map(_) => Weight::loops(made),
        Op::ReduceWindow(window) => {
            let size: f64 = window.window.iter().map(|dim| dim.size as f64).product();
            Weight { steps: made, ..Weight::running(made * size) }
        }
        Op::SelectAndScatter(_) => Weight::loops(4.0 * first),
        // A network of comparisons.
        Op::Sort(_) => Weight { steps: first * log(first) * log(first) / 2.0, ..Weight::running(0.0) },
        Op::TopK(_) => Weight { steps: first * log(first), ..Weight::running(0.0) },
        Op::Random(_) => Weight { functions: 2.0 * made, ..Weight::loops(0.0) },
        Op::Fft(_) => Weight::loops(5.0 * made * log(made)),
        Op::Linalg(op) => Weight::running(linalg(op, operands)),
        Op::BatchNorm(_) => Weight::loops(8.0 * first),
        Op::Control(_) | Op::Scan(_) | Op::Call(_) | Op::Collective(_) => Weight::NONE,
        Op::Foreign(_) | Op::Token(_) | Op::Sharding(_) => Weight::NONE,
    }
}

/// Of one pair of matrices, also along dims of one place, or of several.
fn kind(product: &Product) -> Kind {
    if product.batch > 1.0 { Kind::BatchedProducts } else { Kind::Products }
}

fn sizes(ty: Option<&&Type>) -> Vec<f64> {
    ty.map_or_else(Vec::new, |ty| ty.dims().iter().map(|size| *size as f64).collect())
}

fn dtype(ty: Option<&&Type>) -> DType {
    ty.and_then(|ty| ty.as_tensor()).map_or(DType::F32, |tensor| tensor.dtype)
}

fn product(dot: &Dot, operands: &[&Type], _: &[&Type]) -> Product {
    let (lhs, rhs) = (sizes(operands.first()), sizes(operands.get(1)));
    let over = |sizes: &[f64], dims: &mut dyn Iterator<Item = usize>| -> f64 {
        dims.map(|dim| sizes.get(dim).copied().unwrap_or(1.0)).product()
    };
    let batch = over(&lhs, &mut dot.batch.iter().map(|pair| pair.0));
    let depth = over(&lhs, &mut dot.contract.iter().map(|pair| pair.0));
    let all = |sizes: &[f64]| sizes.iter().product::<f64>();
    Product {
        batch,
        rows: (all(&lhs) / (batch * depth).max(1.0)).max(1.0),
        columns: (all(&rhs) / (batch * depth).max(1.0)).max(1.0),
        depth: depth.max(1.0),
        dtype: dtype(operands.first()),
        precision: dot.precision.iter().copied().max().unwrap_or(Precision::Default),
    }
}

fn convolution(of: &Convolution, operands: &[&Type], results: &[&Type]) -> Product {
    let (kernel, made) = (sizes(operands.get(1)), elements(results.first()));
    let groups = (of.feature_group_count * of.batch_group_count).max(1) as f64;
    let columns = kernel.get(of.dims.kernel_output_feature).copied().unwrap_or(1.0).max(1.0);
    let depth = kernel.iter().product::<f64>() / columns;
    Product {
        batch: groups,
        rows: (made / columns).max(1.0),
        columns: (columns / groups).max(1.0),
        depth: depth.max(1.0),
        dtype: dtype(operands.first()),
        precision: of.precision.iter().copied().max().unwrap_or(Precision::Default),
    }
}

/// Steps of an elimination over the last two dims.
fn linalg(_: &Linalg, operands: &[&Type]) -> f64 {
    let sizes = sizes(operands.first());
    let last = sizes.last().copied().unwrap_or(1.0);
    sizes.iter().product::<f64>() * last
}

/// Bytes that an op really reads of an operand: of what it only picks from, as many as it makes; of what a scatter adds
/// to, as many as it adds.
pub(super) fn reads(op: &Op, index: usize, operands: &[&Type], results: &[&Type]) -> f64 {
    let bytes = |ty: Option<&&Type>| ty.map_or(0.0, |ty| ty.byte_size() as f64);
    let whole = bytes(operands.get(index));
    let made: f64 = results.iter().map(|ty| ty.byte_size() as f64).sum();
    let picks = match op {
        Op::Movement(Movement::Slice(_)) | Op::Gather(_) => index == 0,
        Op::Dynamic(Dynamic::Slice { .. }) => index == 0,
        _ => false,
    };
    match op {
        _ if picks => whole.min(made),
        Op::Scatter(_) if index == 0 => whole.min(bytes(operands.last())),
        _ if index == 0 && writes_into(op) => 0.0,
        _ => whole,
    }
}

/// Whether an op changes a part of its first operand, where that lies.
pub(crate) fn writes_into(op: &Op) -> bool {
    matches!(op, Op::Dynamic(Dynamic::UpdateSlice) | Op::Scatter(_))
}

/// Bytes that an op writes.
pub(super) fn writes(op: &Op, operands: &[&Type], results: &[&Type]) -> f64 {
    let part = match op {
        Op::Dynamic(Dynamic::UpdateSlice) => operands.get(1),
        Op::Scatter(_) => operands.last(),
        _ => None,
    };
    match part {
        Some(part) => part.byte_size() as f64,
        None => results.iter().map(|ty| ty.byte_size() as f64).sum(),
    }
}
