//! What is known of zeros before a program runs: along which dims of a value few elements can differ from zero.
//!
//! ```text
//! %e = compare EQ, iota along 1, broadcast(%x)      at most 1 along {1}
//! %m = multiply broadcast(%e), broadcast(%f)        at most 1 along {1, 2}: one expert and one place for a token
//! ```
//!
//! A fact holds for finite numbers: where a quotient by zero makes a NaN of a zero, or `0 * inf` one, it does not. So
//! it decides only what pays (see `lower/sparse.rs`); kernels look at the values. Facts come from comparisons of
//! numbers that are all different along a dim (an iota) with numbers that are the same along it, and go through
//! elementwise ops, movement, sums, products, and what loops stack. Nothing is known of parameters, of what loops
//! carry, and of what calls give. One walk over a function.

mod of_op;
#[cfg(test)]
mod tests;

use meshwright_base::IdMap;
use meshwright_ir::{Function, InstId, ValueId};

/// A set of dims of one value.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub struct Dims(u64);

/// Nothing is said of values of more dims.
const MAX_RANK: usize = 64;
/// Facts kept of a value.
const MAX_FACTS: usize = 6;

impl Dims {
    pub const NONE: Dims = Dims(0);

    pub fn of(dims: impl IntoIterator<Item = usize>) -> Dims {
        Dims(dims.into_iter().filter(|d| *d < MAX_RANK).fold(0, |set, d| set | 1 << d))
    }

    pub fn has(self, d: usize) -> bool {
        d < MAX_RANK && self.0 >> d & 1 == 1
    }

    pub fn iter(self) -> impl Iterator<Item = usize> {
        (0..MAX_RANK).filter(move |d| self.has(*d))
    }

    pub fn or(self, other: Dims) -> Dims {
        Dims(self.0 | other.0)
    }

    pub fn and(self, other: Dims) -> Dims {
        Dims(self.0 & other.0)
    }

    pub fn without(self, other: Dims) -> Dims {
        Dims(self.0 & !other.0)
    }

    pub fn holds(self, other: Dims) -> bool {
        other.without(self) == Dims::NONE
    }

    /// Elements along these dims.
    fn size(self, shape: &[i64]) -> u64 {
        let sizes = self.iter().filter_map(|d| shape.get(d));
        sizes.fold(1, |n, size| n.saturating_mul(u64::try_from(*size).unwrap_or(0)))
    }
}

/// Wherever the other dims stand, at most `most` elements along `dims` are not zero. Dims of size 1 are left out, so
/// all zeros is "at most 0 along none".
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Fact {
    pub dims: Dims,
    pub most: u64,
}

/// What is known of a value.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Known {
    pub facts: Vec<Fact>,
    /// Dims along which elements are the same: among them all of size 1.
    pub same: Dims,
    /// Dims along which no two elements are the same.
    apart: Dims,
}

impl Known {
    /// Of all elements, how many are not zero at most: a fraction.
    pub fn density(&self, shape: &[i64]) -> f64 {
        let part = |fact: &Fact| fact.most as f64 / fact.dims.size(shape).max(1) as f64;
        self.facts.iter().map(part).fold(1.0, f64::min)
    }

    /// Only the sizes are known.
    fn of_shape(shape: &[i64]) -> Known {
        Known { same: ones(shape), ..Known::default() }
    }

    /// Useless and repeated facts dropped, the sharpest first.
    fn with_facts(self, facts: impl IntoIterator<Item = Fact>, shape: &[i64]) -> Known {
        let ones = ones(shape);
        let plain = |fact: Fact| Fact { dims: fact.dims.without(ones), most: fact.most };
        let useful = |fact: &Fact| fact.most < fact.dims.size(shape).max(1);
        let mut facts: Vec<Fact> = facts.into_iter().map(plain).filter(useful).collect();
        let share = |fact: &Fact| fact.most as f64 / fact.dims.size(shape).max(1) as f64;
        facts.sort_by(|a, b| share(a).total_cmp(&share(b)).then(a.dims.cmp(&b.dims)));
        facts.dedup();
        let mut kept: Vec<Fact> = Vec::new();
        for fact in facts {
            let said = kept.iter().any(|known| known.dims == fact.dims && known.most <= fact.most);
            if !said && kept.len() < MAX_FACTS {
                kept.push(fact);
            }
        }
        Known { facts: kept, same: self.same.or(ones), ..self }
    }
}

/// Dims of size 1.
fn ones(shape: &[i64]) -> Dims {
    Dims::of((0..shape.len()).filter(|d| shape[*d] == 1))
}

/// A fact over more dims.
fn widened(fact: Fact, dims: Dims, shape: &[i64]) -> Fact {
    let added = dims.without(fact.dims).size(shape);
    Fact { dims: fact.dims.or(dims), most: fact.most.saturating_mul(added) }
}

/// Not zero only where both are: what each says, and both together where one does not vary along the dims of the other.
fn product(a: &Known, b: &Known) -> Vec<Fact> {
    let mut facts: Vec<Fact> = a.facts.iter().chain(&b.facts).copied().collect();
    for x in &a.facts {
        for y in &b.facts {
            let apart = x.dims.and(y.dims) == Dims::NONE;
            if apart && (a.same.holds(y.dims) || b.same.holds(x.dims)) {
                facts.push(Fact { dims: x.dims.or(y.dims), most: x.most.saturating_mul(y.most) });
            }
        }
    }
    facts
}

/// Not zero only where one of them is not; both have this shape.
fn sum(a: &[Fact], b: &[Fact], shape: &[i64]) -> Vec<Fact> {
    let both = |(x, y): (&Fact, &Fact)| {
        let dims = x.dims.or(y.dims);
        let most = widened(*x, dims, shape).most.saturating_add(widened(*y, dims, shape).most);
        Fact { dims, most }
    };
    a.iter().flat_map(|x| b.iter().map(move |y| (x, y))).map(both).collect()
}

/// All that is known of a function's values, and who uses them.
pub struct Sparsity {
    known: IdMap<ValueId, Known>,
    users: IdMap<ValueId, Vec<InstId>>,
}

impl Sparsity {
    pub fn of(func: &Function) -> Sparsity {
        let known = func.values().values().map(|value| match value.ty.as_tensor() {
            Some(ty) if ty.rank() <= MAX_RANK => Known::of_shape(&ty.dims),
            _ => Known::default(),
        });
        let mut found =
            Sparsity { known: known.collect(), users: IdMap::filled(func.value_count(), Vec::new()) };
        for inst in func.insts_in_order() {
            func.inst(inst).operands.iter().for_each(|value| found.users[*value].push(inst));
        }
        of_op::learn(func, func.root(), &mut found.known, 0);
        found
    }

    pub fn known(&self, value: ValueId) -> &Known {
        &self.known[value]
    }

    /// Instructions with the value as an operand, once for each.
    pub fn users(&self, value: ValueId) -> &[InstId] {
        &self.users[value]
    }
}
