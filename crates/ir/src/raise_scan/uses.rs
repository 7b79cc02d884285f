//! Who uses each value of a function, and where each value is defined.

use crate::module::{BlockId, Function, InstId, ValueId};
use meshwright_base::IdMap;

/// A use of a value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Use {
    /// As this operand.
    Operand(InstId, usize),
    /// As this result of a block.
    Result(BlockId, usize),
}

pub struct Uses(IdMap<ValueId, Vec<Use>>);

impl Uses {
    pub fn of_function(func: &Function) -> Self {
        let mut uses = IdMap::filled(func.value_count(), Vec::new());
        for block in func.blocks_in_order() {
            for inst in &func.block(block).insts {
                for (index, operand) in func.inst(*inst).operands.iter().enumerate() {
                    uses[*operand].push(Use::Operand(*inst, index));
                }
            }
            for (index, result) in func.block(block).results.iter().enumerate() {
                uses[*result].push(Use::Result(block, index));
            }
        }
        Uses(uses)
    }

    pub fn of(&self, value: ValueId) -> &[Use] {
        &self.0[value]
    }
}
