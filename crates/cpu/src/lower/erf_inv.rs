//! The inverse of the error function, spelled out, so that it joins loops: a polynomial of `-log(1 - x^2)` in the
//! middle, of its root near the ends (M. Giles, *Approximating the erfinv function*, 2010). The relative error is below
//! 1e-6.

use super::{Lower, Val, Where};
use meshwright_ir::DType;
use meshwright_ir::op::{BinaryOp, Direction, UnaryOp};
use meshwright_kernels::tile::TileOp;
use meshwright_runtime::RunError;

/// Coefficients in the middle and near the ends, the highest power first.
const TERMS: [[f32; 2]; 9] = [
    [2.810_226_4e-8, -2.002_142_6e-4],
    [3.432_739_4e-7, 1.009_505_6e-4],
    [-3.523_387_7e-6, 1.349_343_2e-3],
    [-4.391_506_6e-6, -3.673_428_4e-3],
    [2.185_808_7e-4, 5.739_507_7e-3],
    [-1.253_725e-3, -7.622_461_3e-3],
    [-4.177_681_6e-3, 9.438_870_5e-3],
    [0.246_640_73, 1.001_674],
    [1.501_409_4, 2.832_976_8],
];
/// From here on it is near an end.
const NEAR: f32 = 5.0;

impl<'m> Lower<'m> {
    /// Of numbers of 32 bits or fewer; others are not made here.
    pub fn inverse_error(&mut self, x: &Val) -> Result<Val, RunError> {
        let own = x.dtype;
        let x = self.convert_to(DType::F32, x)?;
        let all = |number: f32| splat(number, &x);
        let square = self.f32s(BinaryOp::Multiply, &x, &x)?;
        let below = self.unary_of(UnaryOp::Negate, DType::F32, &square)?;
        let log = self.unary_of(UnaryOp::LogPlusOne, DType::F32, &below)?;
        let w = self.unary_of(UnaryOp::Negate, DType::F32, &log)?;
        let middle = self.holds(Direction::Lt, &w, &all(NEAR))?;
        let root = self.unary_of(UnaryOp::Sqrt, DType::F32, &w)?;
        let near = self.f32s(BinaryOp::Subtract, &root, &all(3.0))?;
        let far = self.f32s(BinaryOp::Subtract, &w, &all(2.5))?;
        let w = self.select(&[middle.clone(), far, near])?;
        let [[inside, outside], terms @ ..] = TERMS;
        let mut sum = self.select(&[middle.clone(), all(inside), all(outside)])?;
        for [inside, outside] in terms {
            let term = self.select(&[middle.clone(), all(inside), all(outside)])?;
            let power = self.f32s(BinaryOp::Multiply, &sum, &w)?;
            sum = self.f32s(BinaryOp::Add, &power, &term)?;
        }
        let made = self.f32s(BinaryOp::Multiply, &sum, &x)?;
        let size = self.unary_of(UnaryOp::Abs, DType::F32, &x)?;
        let one = self.holds(Direction::Eq, &size, &all(1.0))?;
        let infinite = self.f32s(BinaryOp::Multiply, &x, &all(f32::INFINITY))?;
        let made = self.select(&[one, infinite, made])?;
        self.convert_to(own, &made)
    }

    fn f32s(&mut self, op: BinaryOp, a: &Val, b: &Val) -> Result<Val, RunError> {
        self.binary_of(op, DType::F32, a, b)
    }

    fn holds(&mut self, direction: Direction, a: &Val, b: &Val) -> Result<Val, RunError> {
        self.elementwise(DType::Pred, &a.dims, &[a, b], &|to, x| TileOp::Compare {
            direction,
            total: false,
            ty: DType::F32,
            to,
            a: x[0],
            b: x[1],
        })
    }
}

/// A number at all places of a value.
fn splat(number: f32, like: &Val) -> Val {
    let mut element = [0; 16];
    element[..4].copy_from_slice(&number.to_le_bytes());
    Val { dtype: DType::F32, dims: like.dims.clone(), at: Where::Splat(element) }
}
