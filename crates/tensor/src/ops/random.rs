//! Random numbers from explicit keys: the same numbers on any mesh and any engine.
//!
//! A key is `u64[2]`: the cipher's key and a counter that starts at 0. Numbers depend on the key and on the position in
//! the global tensor only (Threefry 2x32, as `rng_bit_generator` defines it). Draw once per key; split for more.

use crate::arg::Arg;
use crate::dims::Shape;
use crate::ops::create::{full, iota};
use crate::state::Line;
use crate::tensor::{Tensor, emit_all, poison};
use crate::tree::Tree;
use meshwright_ir::op::Random;
use meshwright_ir::op::random::RngAlgorithm;
use meshwright_ir::{DType, Op, TensorType};
use std::panic::Location;

/// What random numbers come from.
///
/// ```
/// use meshwright_tensor::prelude::*;
/// let program = trace("noise", |t| {
///     let [a, b] = Key::input(t, "key").split();
///     a.normal(f32, [4]) + b.uniform(f32, [4])
/// })?;
/// # Ok::<(), Errors>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Key(pub Tensor);

impl Tree for Key {
    fn visit(&self, path: &str, visit: &mut dyn FnMut(&str, Tensor)) {
        visit(path, self.0);
    }

    fn map(&self, next: &mut dyn FnMut(Tensor) -> Tensor) -> Self {
        Key(next(self.0))
    }
}

impl Key {
    /// The key of a number that is fixed in the program.
    ///
    /// ```
    /// use meshwright_tensor::prelude::*;
    /// let program = trace("f", |_| Key::seed(42).uniform(f32, [4]))?;
    /// # Ok::<(), Errors>(())
    /// ```
    #[track_caller]
    pub fn seed(seed: u64) -> Key {
        let literal: Vec<u8> = [seed, 0].iter().flat_map(|word| word.to_le_bytes()).collect();
        let ty = TensorType::new(DType::U64, [2]);
        let literal = meshwright_ir::Literal::dense(ty.clone(), literal);
        Key(crate::ops::create::literal(literal.unwrap_or_else(|| meshwright_ir::Literal::zeros(ty))))
    }

    /// A key that is fed at each run, `u64[2]`: any number, then 0.
    ///
    /// ```
    /// use meshwright_tensor::prelude::*;
    /// let program = trace("f", |t| Key::input(t, "key").uniform(f32, [4]))?;
    /// # Ok::<(), Errors>(())
    /// ```
    #[track_caller]
    pub fn input(t: crate::Trace, name: &str) -> Key {
        Key(t.input(name, DType::U64, [2]))
    }

    /// As many independent keys as are asked for.
    ///
    /// ```
    /// use meshwright_tensor::prelude::*;
    /// let program = trace("f", |_| {
    ///     let [a, b] = Key::seed(1).split();
    ///     (a.uniform(f32, [2]), b.uniform(f32, [2]))
    /// })?;
    /// # Ok::<(), Errors>(())
    /// ```
    #[track_caller]
    pub fn split<const N: usize>(self) -> [Key; N] {
        let line = Location::caller();
        let words = draw(self.salted(0x9e37_79b9_7f4a_7c15), DType::U64, vec![N as i64], line);
        std::array::from_fn(|at| Key(keyed(words, at as i64, line)))
    }

    /// The key of a place, a step or a layer: `n` is an integer scalar or a number.
    ///
    /// ```
    /// use meshwright_tensor::prelude::*;
    /// let program = trace("f", |t| Key::seed(1).fold_in(t.input("step", i32, ())).uniform(f32, [2]))?;
    /// # Ok::<(), Errors>(())
    /// ```
    #[track_caller]
    pub fn fold_in(self, n: impl Into<Arg>) -> Key {
        let line = Location::caller();
        let n = n.into().tensor(DType::U64, line).cast(DType::U64);
        let key = self.salted(0x4cf5_ad43_2745_937f).0.slice(0..1);
        let counter = n.reshape([1]);
        let state = crate::ops::join::concat([key, counter], 0);
        Key(keyed(draw(Key(state), DType::U64, vec![1], line), 0, line))
    }

    /// A key beside this one, so that splitting, folding and drawing never see the same numbers.
    #[track_caller]
    fn salted(self, salt: u64) -> Key {
        Key(self.0 ^ Key::seed(salt).0)
    }

    /// Random bits: every number of an integer type with the same chance.
    ///
    /// ```
    /// use meshwright_tensor::prelude::*;
    /// let program = trace("f", |_| Key::seed(1).bits(u32, [4]))?;
    /// # Ok::<(), Errors>(())
    /// ```
    #[track_caller]
    pub fn bits(self, dtype: DType, shape: impl Shape) -> Tensor {
        let (dims, names) = shape.into_shape();
        let out = draw(self, dtype, dims, Location::caller());
        out.set_names(names);
        out
    }

    /// Numbers from 0 to 1, without 1.
    ///
    /// ```
    /// use meshwright_tensor::prelude::*;
    /// let program = trace("f", |_| Key::seed(1).uniform(f32, [4]) * 2.0 - 1.0)?;
    /// # Ok::<(), Errors>(())
    /// ```
    #[track_caller]
    pub fn uniform(self, dtype: DType, shape: impl Shape) -> Tensor {
        let line = Location::caller();
        let (dims, names) = shape.into_shape();
        let wide = if dtype == DType::F64 { DType::F64 } else { DType::F32 };
        let out = match dtype {
            DType::F32 | DType::F64 => unit(self, wide, dims),
            DType::F16 | DType::BF16 => narrow(self, dtype, dims),
            _ => {
                let message = format!("uniform numbers cannot be {dtype}");
                super::create::refuse(
                    line,
                    crate::codes::DTYPE,
                    message,
                    "draw f32, f64, f16 or bf16, or use `bits`",
                );
                poison(TensorType::new(dtype, dims), line)
            }
        };
        out.set_names(names);
        out
    }

    /// Numbers from the normal distribution of mean 0 and deviation 1.
    ///
    /// ```
    /// use meshwright_tensor::prelude::*;
    /// let program = trace("f", |_| Key::seed(1).normal(f32, [4]) * 0.02)?;
    /// # Ok::<(), Errors>(())
    /// ```
    #[track_caller]
    pub fn normal(self, dtype: DType, shape: impl Shape) -> Tensor {
        self.truncated(dtype, shape, f64::INFINITY)
    }

    /// Numbers from the normal distribution, cut off `bound` deviations from the mean.
    ///
    /// ```
    /// use meshwright_tensor::prelude::*;
    /// let program = trace("f", |_| Key::seed(1).truncated_normal(f32, [4], 2.0))?;
    /// # Ok::<(), Errors>(())
    /// ```
    #[track_caller]
    pub fn truncated_normal(self, dtype: DType, shape: impl Shape, bound: f64) -> Tensor {
        self.truncated(dtype, shape, bound)
    }

    #[track_caller]
    fn truncated(self, dtype: DType, shape: impl Shape, bound: f64) -> Tensor {
        let wide = if dtype == DType::F64 { DType::F64 } else { DType::F32 };
        let half = if bound.is_finite() { mass(bound) } else { 1.0 };
        // Not quite -1: the inverse of erf is infinite there.
        let edge =
            if wide == DType::F64 { 1.0 - f64::EPSILON / 2.0 } else { 1.0 - f64::from(f32::EPSILON) / 2.0 };
        let low = -half.min(edge);
        let between = self.uniform(wide, shape) * (half.min(edge) - low) + low;
        let drawn = between.maximum(low).erf_inv() * std::f64::consts::SQRT_2;
        let drawn = if bound.is_finite() { drawn.clip(-bound, bound) } else { drawn };
        drawn.cast(dtype)
    }

    /// True with probability `p`.
    ///
    /// ```
    /// use meshwright_tensor::prelude::*;
    /// let program = trace("f", |t| Key::seed(1).bernoulli(0.9, [4]).select(t.input("x", f32, [4]), 0.0))?;
    /// # Ok::<(), Errors>(())
    /// ```
    #[track_caller]
    pub fn bernoulli(self, p: f64, shape: impl Shape) -> Tensor {
        self.uniform(DType::F32, shape).lt(p)
    }

    /// Whole numbers from 0 to `end`, without `end`.
    ///
    /// ```
    /// use meshwright_tensor::prelude::*;
    /// let program = trace("f", |_| Key::seed(1).integers(10, [4]))?;
    /// # Ok::<(), Errors>(())
    /// ```
    #[track_caller]
    pub fn integers(self, end: i64, shape: impl Shape) -> Tensor {
        let bits = self.bits(DType::U64, shape);
        (bits % end.max(1)).cast(DType::S32)
    }

    /// A class for each row of logits, with the chances that softmax gives: `i32`.
    ///
    /// ```
    /// use meshwright_tensor::prelude::*;
    /// let program = trace("f", |t| Key::seed(1).categorical(t.input("logits", f32, [4, 10])))?; // s32[4]
    /// # Ok::<(), Errors>(())
    /// ```
    #[track_caller]
    pub fn categorical(self, logits: Tensor) -> Tensor {
        let u = self.uniform(logits.dtype(), logits.dims());
        let noise = -(-(u.maximum(f64::from(f32::MIN_POSITIVE)).log())).log();
        (logits + noise).argmax(-1)
    }
}

/// How much of the normal distribution lies within `bound` deviations: erf(bound / sqrt 2), by its series.
fn mass(bound: f64) -> f64 {
    let x = bound.abs().min(6.0) / std::f64::consts::SQRT_2;
    let (mut term, mut sum) = (x, x);
    for n in 1..200 {
        let n = f64::from(n);
        term *= -x * x / n;
        sum += term / (2.0 * n + 1.0);
    }
    sum * 2.0 / std::f64::consts::PI.sqrt()
}

fn draw(key: Key, dtype: DType, dims: Vec<i64>, line: Line) -> Tensor {
    let bits = TensorType::new(dtype, dims);
    let op = Op::Random(Random::BitGenerator { algorithm: RngAlgorithm::ThreeFry, bits: bits.clone() });
    let guesses = [TensorType::new(DType::U64, [2]), bits];
    let results = emit_all(op, &[key.0], Vec::new(), &guesses, line);
    results.get(1).copied().unwrap_or_else(Tensor::nowhere)
}

/// The key of a drawn word: the word, and a counter of 0.
#[track_caller]
fn keyed(words: Tensor, at: i64, _: Line) -> Tensor {
    let word = words.slice(at..at + 1).broadcast_to([2]);
    let first = iota(DType::S32, [2], 0).eq(0);
    first.select(word, full(DType::U64, [2], 0))
}

/// The top bits as the fraction of a number from 1 to 2, minus 1.
#[track_caller]
fn unit(key: Key, dtype: DType, dims: Vec<i64>) -> Tensor {
    let (bits, shift, one) = match dtype {
        DType::F64 => (DType::U64, 12, 0x3ff0_0000_0000_0000_i64),
        _ => (DType::U32, 9, 0x3f80_0000),
    };
    let drawn = key.bits(bits, dims);
    let fraction = drawn.shift_right(shift) | one;
    fraction.bitcast(dtype) - 1
}

/// A narrow float: as many bits as it has exactly, so that it never rounds up to 1.
#[track_caller]
fn narrow(key: Key, dtype: DType, dims: Vec<i64>) -> Tensor {
    let digits = if dtype == DType::F16 { 11 } else { 8 };
    let drawn = key.bits(DType::U32, dims).shift_right(32 - digits);
    drawn.cast(dtype) * 2f64.powi(-(digits as i32))
}

impl Tensor {
    /// The bits of unsigned integers moved right by `by`, zeros from the left.
    ///
    /// ```
    /// use meshwright_tensor::prelude::*;
    /// let program = trace("f", |t| t.input("x", u32, [3]).shift_right(9))?;
    /// # Ok::<(), Errors>(())
    /// ```
    #[track_caller]
    pub fn shift_right(self, by: i64) -> Tensor {
        let line = Location::caller();
        crate::ops::elementwise::binary(
            meshwright_ir::op::BinaryOp::ShiftRightLogical,
            self.into(),
            by.into(),
            line,
        )
    }

    /// The bits of integers moved left by `by`.
    ///
    /// ```
    /// use meshwright_tensor::prelude::*;
    /// let program = trace("f", |t| t.input("x", u32, [3]).shift_left(9))?;
    /// # Ok::<(), Errors>(())
    /// ```
    #[track_caller]
    pub fn shift_left(self, by: i64) -> Tensor {
        let line = Location::caller();
        crate::ops::elementwise::binary(meshwright_ir::op::BinaryOp::ShiftLeft, self.into(), by.into(), line)
    }
}
