//! Which collectives a compiled program has: its instructions are counted, as the optimized module holds them.
//!
//! A start counts, its done does not. What a compiler wraps into an asynchronous pair is counted where it stands; where
//! it is written in several places, as its beginning and its end, it is one by its channel.

use crate::compiled::OptimizedProgram;
use crate::hlo::Hlo;
use std::collections::{BTreeMap, BTreeSet};

/// How often a kind of collective stands in a program.
pub type Collectives = BTreeMap<&'static str, usize>;

/// The collectives of a compiled program, and the arrays that they take: a compiler joins several in one.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct CompiledCollectives {
    pub counts: Collectives,
    pub arrays: Collectives,
}

const KINDS: [&str; 7] = [
    "all-gather",
    "all-reduce",
    "all-to-all",
    "collective-broadcast",
    "collective-permute",
    "ragged-all-to-all",
    "reduce-scatter",
];

/// `None` for a form that is not known.
pub fn collectives(program: &OptimizedProgram) -> Option<CompiledCollectives> {
    let hlo = Hlo::of(program)?;
    let mut found = CompiledCollectives::default();
    let mut seen = BTreeSet::new();
    for instruction in hlo.computations.iter().flat_map(|computation| &computation.instructions) {
        let mut is_new = |kind| instruction.channel == 0 || seen.insert((kind, instruction.channel));
        if let Some(kind) = kind(instruction.opcode).filter(|kind| is_new(*kind)) {
            *found.counts.entry(kind).or_default() += 1;
            *found.arrays.entry(kind).or_default() += instruction.operands.len();
        }
    }
    Some(found)
}

fn kind(opcode: &str) -> Option<&'static str> {
    let opcode = opcode.strip_suffix("-start").unwrap_or(opcode);
    KINDS.into_iter().find(|kind| *kind == opcode)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hlo::tests::{of, on_channel, program, written};

    #[test]
    fn starts_are_counted_and_dones_are_not() {
        let opcodes = ["all-reduce", "all-gather-start", "all-gather-done", "fusion", "all-reduce"];
        let operands: [&[u8]; 5] = [&[1, 2, 3], &[1], &[1], &[1], &[1]];
        let instructions = opcodes.iter().zip(operands).map(|(opcode, of)| written(9, opcode, of, &[]));
        let found = collectives(&program(1, vec![of(1, 9, instructions.collect())])).unwrap();
        assert_eq!(found.counts, Collectives::from([("all-gather", 1), ("all-reduce", 2)]));
        assert_eq!(found.arrays, Collectives::from([("all-gather", 1), ("all-reduce", 4)]));
        let begun = |channel| on_channel(written(9, "all-gather", &[1], &[]), channel);
        let found =
            collectives(&program(1, vec![of(1, 9, vec![begun(5), begun(6)]), of(2, 9, vec![begun(5)])]));
        assert_eq!(found.unwrap().counts, Collectives::from([("all-gather", 2)]), "5 stands in two places");
        assert_eq!(collectives(&OptimizedProgram { format: "mlir".into(), code: Vec::new() }), None);
    }
}
