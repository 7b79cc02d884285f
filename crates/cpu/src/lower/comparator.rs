//! Comparators that only compare keys: what they compare, the weightiest first.
//!
//! ```text
//! f(a0) < f(b0)                                         one key, f of input 0
//! f(a0) < f(b0) | (f(a0) == f(b0) & g(a1) > g(b1))      two keys, the second one descending
//! ```
//!
//! `f` is any computation of one element: it is written twice, for either side.

use super::region::RegionProgram;
use meshwright_ir::op::{BinaryOp, Direction};
use meshwright_kernels::sort::Key;
use meshwright_kernels::tile::{Reg, TileOp};

/// Keys at most; regions of so many ops at most.
const MAX_KEYS: usize = 16;
const MAX_OPS: usize = 256;

/// The keys of a comparator of so many inputs.
pub fn keys(program: &RegionProgram, inputs: usize) -> Option<Vec<Key>> {
    let comparator = Comparator { program, params: 2 * inputs };
    if program.ops.len() > MAX_OPS {
        return None;
    }
    let mut keys = Vec::new();
    let mut rest = Some(*program.results.first()?);
    while let Some(reg) = rest {
        let (key, lighter) = comparator.weightiest(reg)?;
        keys.push(key);
        rest = lighter;
        if keys.len() > MAX_KEYS {
            return None;
        }
    }
    Some(keys)
}

struct Comparator<'p> {
    program: &'p RegionProgram,
    params: usize,
}

impl Comparator<'_> {
    fn op(&self, reg: Reg) -> Option<&TileOp> {
        self.program.ops.iter().find(|op| op.target() == reg)
    }

    /// The first key of a comparison, and what decides where it is equal.
    fn weightiest(&self, reg: Reg) -> Option<(Key, Option<Reg>)> {
        match self.op(reg)? {
            TileOp::Binary { op: BinaryOp::Or, a, b, .. } => {
                let (less, tie) = match self.op(*a)? {
                    TileOp::Compare { .. } => (*a, *b),
                    _ => (*b, *a),
                };
                let key = self.key(less)?;
                let TileOp::Binary { op: BinaryOp::And, a, b, .. } = self.op(tie)? else { return None };
                let lighter = match (self.ties(*a, &key), self.ties(*b, &key)) {
                    (true, _) => *b,
                    (_, true) => *a,
                    _ => return None,
                };
                Some((key, Some(lighter)))
            }
            _ => Some((self.key(reg)?, None)),
        }
    }

    /// Whether a value says that both sides have the same key.
    fn ties(&self, reg: Reg, key: &Key) -> bool {
        let Some(TileOp::Compare { direction: Direction::Eq, total, a, b, .. }) = self.op(reg) else {
            return false;
        };
        let sides = [*a, *b].contains(&key.reg) || self.same(*a, key.reg) || self.same(*b, key.reg);
        *total == key.total && sides && self.mirrored(*a, *b)
    }

    /// A key from a comparison of both sides.
    fn key(&self, reg: Reg) -> Option<Key> {
        let TileOp::Compare { direction, total, ty, a, b, .. } = self.op(reg)? else { return None };
        let (a, b) = (*a, *b);
        if !self.mirrored(a, b) || ty.is_complex() {
            return None;
        }
        let (first, element) = (self.side(a)?, self.side(b)?);
        // The key is computed of the side whose element is the first.
        let (reg, element, ascending) = if first % 2 == 0 {
            (a, first, *direction == Direction::Lt)
        } else {
            (b, element, *direction == Direction::Gt)
        };
        if !matches!(direction, Direction::Lt | Direction::Gt) {
            return None;
        }
        let (ops, total) = (self.needed(reg), *total);
        let input = usize::from(element) / 2;
        Some(Key { input, element, ops, reg, dtype: *ty, total, descending: !ascending })
    }

    /// The parameter that a value is computed of, if it is one.
    fn side(&self, reg: Reg) -> Option<Reg> {
        let needed = self.needed(reg);
        let sources = needed.iter().flat_map(TileOp::sources).chain([reg]);
        let mut params = sources.filter(|reg| usize::from(*reg) < self.params);
        let first = params.next()?;
        params.all(|other| other == first).then_some(first)
    }

    /// The ops that a value needs, in order.
    fn needed(&self, reg: Reg) -> Vec<TileOp> {
        let mut wanted = vec![reg];
        let mut ops = Vec::new();
        for op in self.program.ops.iter().rev() {
            if wanted.contains(&op.target()) {
                wanted.extend(op.sources());
                ops.push(op.clone());
            }
        }
        ops.reverse();
        ops
    }

    /// Whether one value is of one side what the other is of the other side.
    fn mirrored(&self, a: Reg, b: Reg) -> bool {
        self.alike(a, b, 1)
    }

    fn same(&self, a: Reg, b: Reg) -> bool {
        self.alike(a, b, 0)
    }

    /// Whether two values are computed alike, the second of parameters whose numbers differ in the bits of `flip`.
    fn alike(&self, a: Reg, b: Reg, flip: Reg) -> bool {
        let mut pairs = vec![(a, b)];
        let mut seen = Vec::new();
        while let Some((a, b)) = pairs.pop() {
            if seen.contains(&(a, b)) {
                continue;
            }
            seen.push((a, b));
            if usize::from(a) < self.params || usize::from(b) < self.params {
                if a ^ flip != b {
                    return false;
                }
                continue;
            }
            let (Some(x), Some(y)) = (self.op(a), self.op(b)) else { return false };
            if x.renamed(&|_| 0) != y.renamed(&|_| 0) {
                return false;
            }
            pairs.extend(x.sources().into_iter().zip(y.sources()));
        }
        true
    }
}
