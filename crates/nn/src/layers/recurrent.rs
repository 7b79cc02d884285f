//! Cells that carry a state along a sequence: GRU and LSTM. The gates of all kinds lie side by side in one matrix.

use crate::init::Init;
use meshwright_tensor::prelude::*;

/// The weights of `n` gates of a cell.
#[derive(Clone, Copy, Debug, Tree)]
pub struct Gates {
    /// `[inputs, n hidden]`.
    pub wi: Tensor,
    /// `[hidden, n hidden]`.
    pub wh: Tensor,
    /// `[n hidden]`.
    pub bi: Tensor,
    /// `[n hidden]`.
    pub bh: Tensor,
}

impl Gates {
    /// All even between plus and minus `1 / sqrt(hidden)`.
    fn new(key: Key, n: i64, inputs: i64, hidden: i64) -> Gates {
        let init = Init::Uniform(1.0 / (hidden.max(1) as f64).sqrt());
        let draw = |at: i64, dims: &[i64]| init.draw(key.fold_in(at), default_float(), dims);
        Gates {
            wi: draw(0, &[inputs, n * hidden]),
            wh: draw(1, &[hidden, n * hidden]),
            bi: draw(2, &[n * hidden]),
            bh: draw(3, &[n * hidden]),
        }
    }

    /// What the input and what the state says to each gate.
    #[track_caller]
    fn of<const N: usize>(&self, x: Tensor, h: Tensor) -> ([Tensor; N], [Tensor; N]) {
        (cut(x.matmul(self.wi) + self.bi), cut(h.matmul(self.wh) + self.bh))
    }

    /// A state of zeros for sequences `x [batch, ..]`.
    fn rest(&self, x: Tensor) -> Tensor {
        zeros(x.dtype(), [x.dim(0), self.wh.dim(0)])
    }
}

fn cut<const N: usize>(x: Tensor) -> [Tensor; N] {
    let each = x.dim(-1) / N as i64;
    std::array::from_fn(|at| x.slice_dim(-1, at as i64 * each..(at as i64 + 1) * each))
}

/// A gated recurrent unit: gates `r`, `z`, `n` in this order.
///
/// ```text
/// n = tanh(x n + r (h n))     h = (1 - z) n + z h
/// ```
#[derive(Clone, Copy, Debug, Tree)]
pub struct Gru {
    #[tree(flatten)]
    pub gates: Gates,
}

impl Gru {
    pub fn new(key: Key, inputs: i64, hidden: i64) -> Gru {
        Gru { gates: Gates::new(key, 3, inputs, hidden) }
    }

    /// The state after one input: `h [batch, hidden]`, `x [batch, inputs]`.
    #[track_caller]
    pub fn step(&self, h: Tensor, x: Tensor) -> Tensor {
        let ([xr, xz, xn], [hr, hz, hn]) = self.gates.of(x, h);
        let (r, z) = ((xr + hr).sigmoid(), (xz + hz).sigmoid());
        let n = (xn + r * hn).tanh();
        n + z * (h - n)
    }

    /// All states of sequences `[batch, length, inputs]`, from zeros or from a state: `[batch, length, hidden]`, and
    /// the last.
    #[track_caller]
    pub fn apply(&self, x: Tensor, h: Option<Tensor>) -> (Tensor, Tensor) {
        let first = h.unwrap_or_else(|| self.gates.rest(x));
        let (last, all) = scan(first, x.swap_dims(0, 1), |h, x| {
            let h = self.step(h, x);
            (h, h)
        });
        (all.swap_dims(0, 1), last)
    }
}

/// What an LSTM carries.
#[derive(Clone, Copy, Debug, Tree)]
pub struct Carried {
    pub h: Tensor,
    pub c: Tensor,
}

/// A long short-term memory: gates `i`, `f`, `g`, `o` in this order.
///
/// ```text
/// c = f c + i g     h = o tanh(c)
/// ```
#[derive(Clone, Copy, Debug, Tree)]
pub struct Lstm {
    #[tree(flatten)]
    pub gates: Gates,
}

impl Lstm {
    pub fn new(key: Key, inputs: i64, hidden: i64) -> Lstm {
        Lstm { gates: Gates::new(key, 4, inputs, hidden) }
    }

    /// What is carried after one input `x [batch, inputs]`.
    #[track_caller]
    pub fn step(&self, old: Carried, x: Tensor) -> Carried {
        let (from_x, from_h) = self.gates.of::<4>(x, old.h);
        let [i, f, g, o] = std::array::from_fn(|at| from_x[at] + from_h[at]);
        let c = f.sigmoid() * old.c + i.sigmoid() * g.tanh();
        Carried { h: o.sigmoid() * c.tanh(), c }
    }

    /// All states `h` of sequences `[batch, length, inputs]`, from zeros or from what was carried:
    /// `[batch, length, hidden]`, and what is carried on.
    #[track_caller]
    pub fn apply(&self, x: Tensor, carried: Option<Carried>) -> (Tensor, Carried) {
        let rest = || Carried { h: self.gates.rest(x), c: self.gates.rest(x) };
        let first = carried.unwrap_or_else(rest);
        let (last, all) = scan(first, x.swap_dims(0, 1), |old, x| {
            let new = self.step(old, x);
            (new, new.h)
        });
        (all.swap_dims(0, 1), last)
    }
}
