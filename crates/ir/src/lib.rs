//! The intermediate representation: StableHLO's ops and semantics in SSA form, with shardings beside the types.
//!
//! This crate does no IO, starts no thread, reads no clock, and fails only by a diagnostic.

#![forbid(unsafe_code)]

pub mod attr;
pub mod build;
pub mod codes;
pub mod copy;
pub mod count;
pub mod edit;
mod expect;
pub mod groups;
pub mod infer;
pub mod literal;
pub mod lower_scan;
pub mod mark;
pub mod module;
pub mod op;
mod order;
pub mod project;
pub mod raise_scan;
pub mod retype;
pub mod rule;
pub mod same;
pub mod small_float;
pub mod stage;
mod transfers;
pub mod types;
mod unfold;
pub mod verify;

pub use attr::{Attr, Attrs};
pub use build::{Build, Builder};
pub use count::{Summary, summary};
pub use edit::{At, Editor};
pub use infer::{InferCx, InferError, Inferred, Operands};
pub use literal::Literal;
pub use lower_scan::lower_scan;
pub use module::{
    Annotation, Block, BlockId, Def, Donation, Frame, FuncId, Function, Inst, InstId, Module, ParamInfo,
    ResultInfo, Source, SourceId, Value, ValueId,
};
pub use op::{Facts, Op};
pub use raise_scan::raise_scan;
pub use rule::{Factor, FactorId, FactorKind, Linear, Localize, Rule, RuleCx, rule_of};
pub use same::{same, same_with_sources};
pub use stage::{Placement, PlannedModule, ShardedModule, SpmdModule};
pub use transfers::join_transfers;
pub use types::{Class, DType, TensorType, Type};
pub use unfold::{check_unfolded, unfolded};
pub use verify::{verify, verify_with};

pub use meshwright_shard::Dim;
