//! The optimized module of a compiled program, as much of it as is counted: of each computation its instructions, of
//! each instruction what it does, what it reads and calls, and what the compiler wrote beside it.
//!
//! What is not there stays empty: a module of another form has no computations, or instructions that do nothing.

use crate::compiled::OptimizedProgram;
use crate::wire::{FieldValue, fields, packed};

/// Field of `HloModuleProtoWithConfig`.
const MODULE: u64 = 1;

/// Fields of `HloModuleProto`.
mod module {
    pub const COMPUTATIONS: u64 = 3;
    pub const ENTRY: u64 = 6;
}

/// Fields of `HloComputationProto`.
mod computation {
    pub const INSTRUCTIONS: u64 = 2;
    pub const ID: u64 = 5;
    pub const ROOT: u64 = 6;
}

/// Fields of `HloInstructionProto`.
mod instruction {
    pub const OPCODE: u64 = 2;
    pub const LITERAL: u64 = 8;
    pub const TUPLE_INDEX: u64 = 13;
    pub const CHANNEL: u64 = 26;
    pub const ID: u64 = 35;
    pub const OPERANDS: u64 = 36;
    pub const CALLED: u64 = 38;
    pub const BACKEND_CONFIG: u64 = 43;
    pub const DIRECTION: u64 = 63;
}

/// Fields of `LiteralProto` that hold whole numbers: those of 32 and 64 bits, with and without a sign.
const WHOLE: [u64; 4] = [4, 5, 6, 7];

#[derive(Default)]
pub struct Hlo<'a> {
    pub entry: u64,
    pub computations: Vec<HloComputation<'a>>,
}

#[derive(Default)]
pub struct HloComputation<'a> {
    pub id: u64,
    pub root: u64,
    pub instructions: Vec<HloInstruction<'a>>,
}

#[derive(Default)]
pub struct HloInstruction<'a> {
    pub id: u64,
    pub opcode: &'a str,
    pub operands: Vec<u64>,
    pub called: Vec<u64>,
    /// Of a constant: the first whole number in it.
    pub number: Option<i64>,
    /// Of a tuple's element: which.
    pub tuple_index: u64,
    /// Of a collective: which one of the program it is; 0 if that is not said.
    pub channel: u64,
    /// Of a comparison.
    pub direction: &'a str,
    /// What the compiler wrote beside it.
    pub config: &'a [u8],
}

impl<'a> Hlo<'a> {
    /// `None` for a form that is not known.
    pub fn of(program: &'a OptimizedProgram) -> Option<Hlo<'a>> {
        let code: &[u8] = &program.code;
        match &*program.format {
            "hlo" => Some(read_module(code)),
            "hlo_with_config" => fields(code).find_map(|(field, held)| match held {
                FieldValue::Bytes(bytes) if field == MODULE => Some(read_module(bytes)),
                FieldValue::Bytes(_) | FieldValue::Number(_) => None,
            }),
            _ => None,
        }
    }

    pub fn computation(&self, id: u64) -> Option<&HloComputation<'a>> {
        self.computations.iter().find(|computation| computation.id == id)
    }
}

impl<'a> HloComputation<'a> {
    pub fn instruction(&self, id: u64) -> Option<&HloInstruction<'a>> {
        self.instructions.iter().find(|instruction| instruction.id == id)
    }
}

fn read_module(bytes: &[u8]) -> Hlo<'_> {
    let mut read = Hlo::default();
    for (field, held) in fields(bytes) {
        match (field, held) {
            (module::COMPUTATIONS, FieldValue::Bytes(bytes)) => {
                read.computations.push(read_computation(bytes))
            }
            (module::ENTRY, FieldValue::Number(id)) => read.entry = id,
            _ => {}
        }
    }
    read
}

fn read_computation(bytes: &[u8]) -> HloComputation<'_> {
    let mut read = HloComputation::default();
    for (field, held) in fields(bytes) {
        match (field, held) {
            (computation::INSTRUCTIONS, FieldValue::Bytes(bytes)) => {
                read.instructions.push(read_instruction(bytes));
            }
            (computation::ID, FieldValue::Number(id)) => read.id = id,
            (computation::ROOT, FieldValue::Number(id)) => read.root = id,
            _ => {}
        }
    }
    read
}

fn read_instruction(bytes: &[u8]) -> HloInstruction<'_> {
    let mut read = HloInstruction::default();
    for (field, held) in fields(bytes) {
        match (field, held) {
            (instruction::OPCODE, FieldValue::Bytes(bytes)) => read.opcode = text(bytes),
            (instruction::LITERAL, FieldValue::Bytes(bytes)) => read.number = whole_number(bytes),
            (instruction::TUPLE_INDEX, FieldValue::Number(index)) => read.tuple_index = index,
            (instruction::CHANNEL, FieldValue::Number(channel)) => read.channel = channel,
            (instruction::ID, FieldValue::Number(id)) => read.id = id,
            (instruction::OPERANDS, held) => read.operands.extend(numbers(held)),
            (instruction::CALLED, held) => read.called.extend(numbers(held)),
            (instruction::BACKEND_CONFIG, FieldValue::Bytes(bytes)) => read.config = bytes,
            (instruction::DIRECTION, FieldValue::Bytes(bytes)) => read.direction = text(bytes),
            _ => {}
        }
    }
    read
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).unwrap_or("")
}

/// Numbers are packed, or a field each.
fn numbers(held: FieldValue<'_>) -> Vec<u64> {
    match held {
        FieldValue::Number(number) => vec![number],
        FieldValue::Bytes(bytes) => packed(bytes).collect(),
    }
}

fn whole_number(literal: &[u8]) -> Option<i64> {
    let held = fields(literal).find(|(field, _)| WHOLE.contains(field)).map(|(_, held)| held)?;
    numbers(held).first().map(|number| *number as i64)
}

#[cfg(test)]
pub mod tests {
    use super::*;
    use crate::wire::Message;

    /// An instruction on the wire.
    pub fn written(id: i64, opcode: &str, operands: &[u8], called: &[u8]) -> Message {
        Message::default()
            .bytes(1, b"x")
            .bytes(instruction::OPCODE, opcode.as_bytes())
            .int(instruction::ID, id)
            .bytes(instruction::OPERANDS, operands)
            .bytes(instruction::CALLED, called)
    }

    /// A constant of one number.
    pub fn constant(id: i64, number: u8) -> Message {
        written(id, "constant", &[], &[])
            .message(instruction::LITERAL, Message::default().bytes(4, &[number]))
    }

    pub fn with_config(written: Message, config: &str) -> Message {
        written.bytes(instruction::BACKEND_CONFIG, config.as_bytes())
    }

    pub fn on_channel(written: Message, channel: i64) -> Message {
        written.int(instruction::CHANNEL, channel)
    }

    pub fn less(id: i64, operands: &[u8]) -> Message {
        written(id, "compare", operands, &[]).bytes(instruction::DIRECTION, b"LT")
    }

    pub fn element(id: i64, of: u8, index: i64) -> Message {
        written(id, "get-tuple-element", &[of], &[]).int(instruction::TUPLE_INDEX, index)
    }

    /// A computation on the wire; the last instruction is its root.
    pub fn of(id: i64, root: i64, instructions: Vec<Message>) -> Message {
        let head = Message::default().bytes(1, b"c").int(computation::ID, id).int(computation::ROOT, root);
        instructions.into_iter().fold(head, |made, inside| made.message(computation::INSTRUCTIONS, inside))
    }

    /// A program of these computations, with the first as its entry.
    pub fn program(entry: i64, computations: Vec<Message>) -> OptimizedProgram {
        let head = Message::default().bytes(1, b"m").int(module::ENTRY, entry);
        let module = computations.into_iter().fold(head, |made, one| made.message(module::COMPUTATIONS, one));
        let code = Message::default().message(MODULE, module).into_bytes();
        OptimizedProgram { format: "hlo_with_config".into(), code }
    }

    #[test]
    fn what_is_counted_reads_back_and_a_broken_module_ends() {
        let whole = program(7, vec![of(7, 2, vec![constant(1, 12), less(2, &[1, 1])])]);
        let read = Hlo::of(&whole).unwrap();
        let main = read.computation(read.entry).unwrap();
        let root = main.instruction(main.root).unwrap();
        assert_eq!((root.opcode, root.direction, &root.operands[..]), ("compare", "LT", &[1, 1][..]));
        assert_eq!(main.instruction(1).unwrap().number, Some(12));
        for cut in 0..whole.code.len() {
            let broken = OptimizedProgram { code: whole.code[..cut].to_vec(), ..whole.clone() };
            assert!(Hlo::of(&broken).is_none_or(|read| read.computations.len() <= 1));
        }
        assert!(Hlo::of(&OptimizedProgram { format: "mlir".into(), code: Vec::new() }).is_none());
    }
}
