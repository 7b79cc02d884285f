//! Put what an instruction is known to be in its place, before shardings are decided.
//!
//! ```text
//! select(true, a, b)       a                    pad by nothing, transpose of no dims        what they are given
//! iota of one == 0         true                 x + 0, x * 1 (whole numbers)                x
//! ```
//!
//! What nobody needs would have its say otherwise in how the rest is split: a branch that is never chosen, or a dim
//! that is only turned round in name. Of the rules of [`simplify`](crate::simplify()) those that come to a value there
//! is, or to a constant: others change between which instructions cost may choose. What carries an annotation stays,
//! and so does a member of a sharding group.

use crate::Changed;
use crate::simplify::{Rules, rewrite};
use meshwright_ir::Module;

pub fn fold(module: &mut Module) -> Changed {
    rewrite(module, Rules::Known)
}
