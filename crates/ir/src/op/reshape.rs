//! The rule of `reshape`: both shapes as products of common factors.
//!
//! ```text
//! [6,4] -> [2,3,4]    ([ij, k])->([i, j, k])     {i=2, j=3, k=4}
//! [4,6] -> [8,3]      ([i, jk])->([ij, k])       {i=4, j=2, k=3}
//! [2,6] -> [4,3]      ([i, jk])->([ij, k])       {i=2, j=2, k=3}
//! [4,6] -> [3,8]      ([i, j])->([i, k])         no common factors: the major dims move elements
//! [8,3,5] -> [8,15]   ([i, j, k])->([i, jk])
//! ```
//!
//! Both shapes are walked from the major end. While the smaller of what is left of two dims divides the larger, it is a
//! common factor. Where it does not, all dims up to the next common boundary stay together, but the major one on each
//! side can be split: shards are runs of elements on both, and runs move between them.

use crate::rule::{FactorKind, OperandIdx, ResultIdx, Rule, RuleCx};

pub(super) fn rule(cx: RuleCx<'_>) -> Rule {
    let (from, to) = (cx.operands[0].dims(), cx.results[0].dims());
    if from.contains(&0) {
        return Rule::whole(cx);
    }
    let mut rule = Rule::empty(cx);
    let mut walk = ReshapeWalk { from: Side::new(from), to: Side::new(to) };
    while !walk.from.is_done() && !walk.to.is_done() {
        if !walk.common_factor(&mut rule) {
            walk.group(&mut rule);
        }
    }
    rule
}

struct ReshapeWalk<'a> {
    from: Side<'a>,
    to: Side<'a>,
}

/// One shape with its current dim and how much of it has no factor yet.
struct Side<'a> {
    dims: &'a [i64],
    dim: usize,
    left: i64,
}

impl<'a> Side<'a> {
    fn new(dims: &'a [i64]) -> Self {
        let mut side = Side { dims, dim: 0, left: dims.first().copied().unwrap_or(1) };
        side.skip();
        side
    }

    fn is_done(&self) -> bool {
        self.dim >= self.dims.len()
    }

    /// Whether nothing of the current dim has been taken.
    fn is_fresh(&self) -> bool {
        self.dims.get(self.dim) == Some(&self.left)
    }

    /// Go on to the next dim that has something left.
    fn skip(&mut self) {
        while self.left == 1 && !self.is_done() {
            self.dim += 1;
            self.left = self.dims.get(self.dim).copied().unwrap_or(1);
        }
    }

    fn take(&mut self, factor: i64) {
        self.left /= factor;
        self.skip();
    }
}

impl ReshapeWalk<'_> {
    /// Add the next common factor; false if there is none.
    fn common_factor(&mut self, rule: &mut Rule) -> bool {
        let (a, b) = (self.from.left, self.to.left);
        let size = a.min(b);
        if a % size != 0 || b % size != 0 {
            return false;
        }
        rule.pass(size, OperandIdx(0).dim(self.from.dim), ResultIdx(0).dim(self.to.dim));
        self.from.take(size);
        self.to.take(size);
        true
    }

    /// Dims up to the next place where as many elements lie behind on both sides.
    fn group(&mut self, rule: &mut Rule) {
        let (mut behind_from, mut behind_to) = (1i64, 1i64);
        let mut major = (self.from.is_fresh() && self.to.is_fresh())
            .then(|| rule.factor(self.from.left, FactorKind::Permute));
        let mut major_to = major;
        loop {
            let from_lags = behind_from <= behind_to;
            let side = if from_lags { &mut self.from } else { &mut self.to };
            let size = side.left;
            let first = if from_lags { &mut major } else { &mut major_to };
            let factor = first.take().unwrap_or_else(|| rule.factor(size, FactorKind::Whole));
            let behind = if from_lags {
                rule.place(factor, [OperandIdx(0).dim(side.dim)]);
                &mut behind_from
            } else {
                rule.place(factor, [ResultIdx(0).dim(side.dim)]);
                &mut behind_to
            };
            *behind = behind.saturating_mul(size);
            side.take(size);
            if behind_from == behind_to || (self.from.is_done() && self.to.is_done()) {
                return;
            }
        }
    }
}
