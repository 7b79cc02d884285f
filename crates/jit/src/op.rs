//! What a loop computes: a short list of ops on numbered tiles, element by element.
//!
//! Narrow floats are `f32` and rounded after every op, narrow integers 32 bits and wrapped. `kernels` runs such a list
//! on tiles, this crate makes machine code of it; both give the same bits.

use meshwright_ir::DType;
use meshwright_ir::op::{BinaryOp, Direction, UnaryOp};

/// Number of a tile in a program.
pub type Reg = u16;

/// One op on tiles. `ty` is the type of the operands.
#[derive(Clone, PartialEq, Debug)]
pub enum TileOp {
    Unary {
        op: UnaryOp,
        ty: DType,
        to: Reg,
        a: Reg,
    },
    Binary {
        op: BinaryOp,
        ty: DType,
        to: Reg,
        a: Reg,
        b: Reg,
    },
    Compare {
        direction: Direction,
        total: bool,
        ty: DType,
        to: Reg,
        a: Reg,
        b: Reg,
    },
    Select {
        ty: DType,
        to: Reg,
        p: Reg,
        a: Reg,
        b: Reg,
    },
    Convert {
        from: DType,
        to_ty: DType,
        to: Reg,
        a: Reg,
    },
    Bitcast {
        from: DType,
        to_ty: DType,
        to: Reg,
        a: Reg,
    },
    Precision {
        ty: DType,
        exponent: u32,
        mantissa: u32,
        to: Reg,
        a: Reg,
    },
    /// One element (as bytes of its type) everywhere.
    Splat {
        ty: DType,
        element: [u8; 16],
        to: Reg,
    },
}

impl TileOp {
    pub fn target(&self) -> Reg {
        match self {
            TileOp::Unary { to, .. }
            | TileOp::Binary { to, .. }
            | TileOp::Compare { to, .. }
            | TileOp::Select { to, .. }
            | TileOp::Convert { to, .. }
            | TileOp::Bitcast { to, .. }
            | TileOp::Precision { to, .. }
            | TileOp::Splat { to, .. } => *to,
        }
    }

    fn target_mut(&mut self) -> &mut Reg {
        match self {
            TileOp::Unary { to, .. }
            | TileOp::Binary { to, .. }
            | TileOp::Compare { to, .. }
            | TileOp::Select { to, .. }
            | TileOp::Convert { to, .. }
            | TileOp::Bitcast { to, .. }
            | TileOp::Precision { to, .. }
            | TileOp::Splat { to, .. } => to,
        }
    }

    /// The same op of other tiles, into another one, which may be none of theirs.
    pub fn renamed_into(&self, sources: &dyn Fn(Reg) -> Reg, to: Reg) -> TileOp {
        let mut op = self.renamed(sources);
        *op.target_mut() = to;
        op
    }

    pub fn sources(&self) -> Vec<Reg> {
        match self {
            TileOp::Unary { a, .. }
            | TileOp::Convert { a, .. }
            | TileOp::Bitcast { a, .. }
            | TileOp::Precision { a, .. } => vec![*a],
            TileOp::Binary { a, b, .. } | TileOp::Compare { a, b, .. } => vec![*a, *b],
            TileOp::Select { p, a, b, .. } => vec![*p, *a, *b],
            TileOp::Splat { .. } => Vec::new(),
        }
    }

    /// The same op on other tiles.
    pub fn renamed(&self, map: &dyn Fn(Reg) -> Reg) -> TileOp {
        let mut op = self.clone();
        match &mut op {
            TileOp::Unary { to, a, .. }
            | TileOp::Convert { to, a, .. }
            | TileOp::Bitcast { to, a, .. }
            | TileOp::Precision { to, a, .. } => [to, a].into_iter().for_each(|reg| *reg = map(*reg)),
            TileOp::Binary { to, a, b, .. } | TileOp::Compare { to, a, b, .. } => {
                [to, a, b].into_iter().for_each(|reg| *reg = map(*reg));
            }
            TileOp::Splat { to, .. } => *to = map(*to),
            TileOp::Select { to, p, a, b, .. } => {
                [to, p, a, b].into_iter().for_each(|reg| *reg = map(*reg));
            }
        }
        op
    }
}
