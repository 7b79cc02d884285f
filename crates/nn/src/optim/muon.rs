//! Muon: the momentum of a matrix made orthogonal, so that a step is equally long in all directions.
//!
//! ```text
//! X = M / |M|     X = a X + (b (X X^T) + c (X X^T)^2) X, five times     push = X sqrt(max(1, columns / rows))
//! ```
//!
//! Singular values come near to 1 and not to it: Newton and Schulz's iteration with coefficients that are quick rather
//! than exact. Matrices of experts and of stacked layers are made orthogonal one by one.

use super::leaf::Leaf;
use meshwright_tensor::prelude::*;
use meshwright_tensor::refuse;

/// Settings.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Muon {
    pub momentum: f64,
    pub nesterov: bool,
    /// Rounds of the iteration.
    pub rounds: usize,
}

impl Default for Muon {
    fn default() -> Muon {
        Muon { momentum: 0.95, nesterov: true, rounds: 5 }
    }
}

const COEFFICIENTS: [f64; 3] = [3.4445, -4.7750, 2.0315];

impl Muon {
    /// The momentum is a mean, made up for its start at 0.
    pub(super) fn push(
        &self,
        leaf: &Leaf,
        gradient: Tensor,
        m: Tensor,
        step: Tensor,
    ) -> (Tensor, Vec<Tensor>) {
        let [row, column] = leaf.own_dims()[..] else {
            let message = format!("Muon is for matrices: `{}` is {gradient:?}", leaf.name);
            let help = "give it to matrices with `.only(Leaf::is_matrix)`, and another rule to the rest";
            return (refuse(&[gradient], gradient.ty(), &message, help), vec![m]);
        };
        let mix = |old: Tensor| old * self.momentum + gradient * (1.0 - self.momentum);
        let m = mix(m);
        let unbiased = |ahead: f64| 1.0 - ((step + ahead) * self.momentum.ln()).exp();
        let push = if self.nesterov {
            let old = m / unbiased(1.0);
            old * self.momentum + gradient / unbiased(0.0) * (1.0 - self.momentum)
        } else {
            m / unbiased(0.0)
        };
        let (rows, columns) = (push.dim(row), push.dim(column));
        let wider = (columns as f64 / rows as f64).max(1.0).sqrt();
        (self.orthogonal(push, row, column) * wider, vec![m])
    }

    fn orthogonal(&self, x: Tensor, row: usize, column: usize) -> Tensor {
        let [a, b, c] = COEFFICIENTS;
        let (short, long) = if x.dim(row) <= x.dim(column) { (row, column) } else { (column, row) };
        let norm = (x * x).sum_keep([row, column]).sqrt();
        let mut x = x / (norm + 1e-8);
        let specs = Specs::new(x.rank(), short, long);
        for _ in 0..self.rounds {
            let square = einsum(&specs.square, [x, x]);
            let twice = einsum(&specs.twice, [square, square]);
            x = x * a + einsum(&specs.applied, [square * b + twice * c, x]);
        }
        x
    }
}

/// Einsums over two dims of a tensor, the others a batch: `X X^T`, its square, and the product with `X`.
struct Specs {
    square: String,
    twice: String,
    applied: String,
}

impl Specs {
    fn new(rank: usize, short: usize, long: usize) -> Specs {
        let letter = |at: usize| char::from(b'c' + at as u8);
        let spec = |at_short: char, at_long: char| -> String {
            let one = |dim: usize| match dim {
                dim if dim == short => at_short,
                dim if dim == long => at_long,
                dim => letter(dim),
            };
            (0..rank).map(one).collect()
        };
        let batch: String = (0..rank).filter(|dim| *dim != short && *dim != long).map(letter).collect();
        Specs {
            square: format!("{},{}->{batch}AB", spec('A', 'Z'), spec('B', 'Z')),
            twice: format!("{batch}AB,{batch}BC->{batch}AC"),
            applied: format!("{batch}AB,{}->{}", spec('B', 'Z'), spec('A', 'Z')),
        }
    }
}
