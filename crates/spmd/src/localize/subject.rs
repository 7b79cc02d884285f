//! What localization is given of an instruction, and what becomes of it.

use crate::exchange::ties::Ties;
use meshwright_ir::{InstId, Op, Type, ValueId};
use meshwright_shard::Sharding;

/// An instruction before and after: global types, shardings, local result types.
pub struct Subject {
    pub inst: InstId,
    pub op: Op,
    pub operands: Vec<ValueId>,
    /// Global dims of the operands: the real ones, without padding.
    pub whole: Vec<Vec<i64>>,
    /// Global dims of the operands with their padding.
    pub padded: Vec<Vec<i64>>,
    /// Global dims of the results with their padding, and the real ones.
    pub made: Vec<Vec<i64>>,
    pub real: Vec<Vec<i64>>,
    pub from: Vec<Option<Sharding>>,
    pub to: Vec<Option<Sharding>>,
    /// Local types of the results.
    pub types: Vec<Type>,
    /// Of a sort.
    pub ties: Option<Ties>,
}

/// What becomes of an instruction.
pub enum Local {
    /// It stays, with this op.
    Op(Op),
    /// Its only result is this value now.
    Value(ValueId),
    /// Its results are these values now.
    Values(Vec<ValueId>),
    /// It goes: it said something about shardings and made nothing.
    Nothing,
}
