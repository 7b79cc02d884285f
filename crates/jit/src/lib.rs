//! Machine code for elementwise loops, made when a program is loaded: the ops of a tile program on vector registers.
//!
//! ```text
//! for each few elements:  load operands -> ops in registers -> store results
//! ```
//!
//! The same loop may run over many rows at once, with reductions of each. A value of a loop goes through memory only if
//! it is an operand or a result. The same ops on tiles, which `kernels` runs, go through the first cache between ops;
//! they give the same bits, and are run on all other CPUs, for element types that have no code here, and where the
//! system gives no memory that can be executed. This crate knows nothing of steps or buffers, and does not ask the CPU
//! what it has: that is who calls it.
//!
//! * `op`: what a loop computes;
//! * `math`: functions of one number as arithmetic, which tiles and machine code do in the same order;
//! * `asm`: code as bytes, and constants;
//! * `inst`: instructions; `evex`, `vex`, `neon`: how AVX-512, AVX2 and NEON write those of vectors;
//! * `control`: what goes on around them; `x86`, `a64`: how that is written;
//! * `functions`: exponentials and the like, as the same arithmetic as in `math.rs`;
//! * `circle`: sine, cosine and tangent;
//! * `wide`: several vectors at once;
//! * `lanes`: where something holds, with masks and without;
//! * `sequences`: what AVX2 and NEON have no instruction for;
//! * `divide`: quotients by one number for all elements;
//! * `fold`: reductions of what a loop computes;
//! * `kept`: what is the same for all elements of a row;
//! * `double`: types of 64 bits; `narrow`: whole numbers of 8 and 16;
//! * `select`: from ops to instructions, with registers as values live; loops of single numbers too;
//! * `memory`: where code lies and how it is entered.

mod a64;
mod asm;
mod circle;
mod control;
mod divide;
mod double;
mod evex;
mod fold;
mod functions;
mod inst;
mod kept;
mod lanes;
pub mod math;
mod memory;
mod narrow;
mod neon;
mod op;
mod select;
mod sequences;
mod vex;
mod wide;
mod x86;

#[cfg(test)]
mod tests;

pub use asm::Target;
pub use divide::EXACT;
pub use memory::Code;
pub use op::{Reg, TileOp};
pub use select::{Carry, ScalarLoop, Test, compile, compile_scalar_loop, may_be_carried};

use meshwright_ir::DType;
use meshwright_shard::Reducer;

/// A loop, one of those that run as one.
#[derive(Clone, Copy, Debug)]
pub struct Loop<'a> {
    pub ops: &'a [TileOp],
    pub inputs: &'a [Port<From>],
    pub outputs: &'a [Port<To>],
    pub folds: &'a [Port<Fold>],
    pub prefetches: &'a [Prefetch],
    /// The number of its first stream: others are numbered from there on.
    pub first: usize,
}

/// Where an operand's elements are.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum From {
    /// One after another, as in memory.
    Memory,
    /// One after another, as a tile holds them.
    Tile,
    /// One element for all.
    One,
    /// Whole numbers from the one on that is there.
    Count,
    /// Known when the program is loaded, as bits of what a register holds.
    Known(u64),
}

/// Where a result goes.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct To {
    /// As in memory, not as a tile holds it.
    pub memory: bool,
    /// After all operands were read: it may lie where one does.
    pub last: bool,
    /// Past the caches; its address is aligned to 64 bytes.
    pub past: bool,
}

/// A reduction of all elements of a row, which is left at the address of another tile.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Fold {
    pub reducer: Reducer,
    pub to: Reg,
    /// What the row is combined with, if it is whole.
    pub init: Option<f32>,
}

/// Memory that is asked for while a loop runs, because something reads it soon.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Prefetch {
    /// Its address is the one of this tile.
    pub of: Reg,
    /// Bytes for each element of the loop.
    pub width: usize,
    /// How many bytes before they are needed.
    pub ahead: i32,
    /// Into the first cache, not only the second.
    pub near: bool,
}

/// An operand or a result; its address is the one of its tile.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Port<P> {
    pub reg: Reg,
    pub dtype: DType,
    pub at: P,
}

/// What a register holds of one element, given as bytes of its type.
pub fn held_bits(dtype: DType, element: &[u8; 16]) -> Option<u64> {
    let [a, b, c, d, e, f, g, h, ..] = *element;
    let single = match dtype {
        DType::F32 | DType::S32 | DType::U32 => Some(u32::from_le_bytes([a, b, c, d])),
        DType::BF16 => Some(u32::from(u16::from_le_bytes([a, b])) << 16),
        dtype if narrow::is_narrow(dtype) => Some(narrow::held(dtype, [a, b])),
        DType::F16 => Some(half::f16::from_le_bytes([a, b]).to_f32().to_bits()),
        DType::F64 | DType::S64 | DType::U64 => return Some(u64::from_le_bytes([a, b, c, d, e, f, g, h])),
        // All ones in lanes of any size.
        DType::Pred => return Some(if a == 0 { 0 } else { u64::MAX }),
        _ => None,
    };
    single.map(u64::from)
}
