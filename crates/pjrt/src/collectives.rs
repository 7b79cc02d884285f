//! Which collectives a compiled program has: its instructions are counted, as the optimized module holds them.
//!
//! A start counts, its done does not. What a compiler wraps into an asynchronous pair is counted where it stands.

use crate::compiled::OptimizedProgram;
use crate::wire::fields;
use std::collections::BTreeMap;

/// How often a kind of collective stands in a program.
pub type Collectives = BTreeMap<&'static str, usize>;

const KINDS: [&str; 7] = [
    "all-gather",
    "all-reduce",
    "all-to-all",
    "collective-broadcast",
    "collective-permute",
    "ragged-all-to-all",
    "reduce-scatter",
];

/// Field of `HloModuleProtoWithConfig`.
const MODULE: u64 = 1;
/// Field of `HloModuleProto`.
const COMPUTATIONS: u64 = 3;
/// Field of `HloComputationProto`.
const INSTRUCTIONS: u64 = 2;
/// Field of `HloInstructionProto`.
const OPCODE: u64 = 2;

/// `None` for a form that is not known.
pub fn collectives(program: &OptimizedProgram) -> Option<Collectives> {
    let code: &[u8] = &program.code;
    match &*program.format {
        "hlo" => Some(of_module(code)),
        "hlo_with_config" => Some(of_module(inside(code, MODULE).next()?)),
        _ => None,
    }
}

fn of_module(module: &[u8]) -> Collectives {
    let instructions = inside(module, COMPUTATIONS).flat_map(|computation| inside(computation, INSTRUCTIONS));
    let opcodes = instructions.filter_map(|instruction| inside(instruction, OPCODE).next());
    let mut counts = Collectives::new();
    for kind in opcodes.filter_map(kind) {
        *counts.entry(kind).or_default() += 1;
    }
    counts
}

fn kind(opcode: &[u8]) -> Option<&'static str> {
    let opcode = std::str::from_utf8(opcode).ok()?;
    let opcode = opcode.strip_suffix("-start").unwrap_or(opcode);
    KINDS.into_iter().find(|kind| *kind == opcode)
}

fn inside(message: &[u8], wanted: u64) -> impl Iterator<Item = &[u8]> {
    fields(message).filter(move |(field, _)| *field == wanted).map(|(_, bytes)| bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::Message;

    #[test]
    fn starts_are_counted_and_dones_are_not() {
        let opcodes = ["all-reduce", "all-gather-start", "all-gather-done", "fusion", "all-reduce"];
        let mut computation = Message::default().bytes(1, b"main");
        for opcode in opcodes {
            let instruction = Message::default().bytes(1, b"x").bytes(OPCODE, opcode.as_bytes());
            computation = computation.message(INSTRUCTIONS, instruction);
        }
        let module = Message::default().bytes(1, b"m").message(COMPUTATIONS, computation);
        let code = Message::default().message(MODULE, module).into_bytes();
        let found = collectives(&OptimizedProgram { format: "hlo_with_config".into(), code });
        assert_eq!(found, Some(Collectives::from([("all-gather", 1), ("all-reduce", 2)])));
        assert_eq!(collectives(&OptimizedProgram { format: "mlir".into(), code: Vec::new() }), None);
    }
}
