//! Rows on their way to experts.

use meshwright_tensor::prelude::*;

/// Rows that wait for their experts.
#[derive(Clone, Copy)]
pub struct Rows {
    /// `[E, G, C, K]`; or in blocks, `[G, T, B, K]`.
    rows: Tensor,
    /// The expert of each block, `s32[G, T]`.
    of_block: Option<Tensor>,
}

impl Rows {
    pub(super) fn by_expert(rows: Tensor) -> Rows {
        Rows { rows, of_block: None }
    }

    pub(super) fn in_blocks(rows: Tensor, of_block: Tensor) -> Rows {
        Rows { rows, of_block: Some(of_block) }
    }

    /// The numbers, one row per place.
    pub fn tensor(self) -> Tensor {
        self.rows
    }

    /// The same places with other numbers.
    pub fn with(self, rows: Tensor) -> Rows {
        Rows { rows, ..self }
    }

    /// Each row with its expert's vector of `b [E, K]`.
    pub fn plus(self, b: Tensor) -> Tensor {
        let b = b.cast(self.rows.dtype());
        match self.of_block {
            None => self.rows + b.unsqueeze(1).unsqueeze(1),
            Some(experts) => self.rows + b.take(experts, 0).unsqueeze(2),
        }
    }

    /// Each row times its expert's matrix of `w [E, K, N]`.
    pub fn times(self, w: Tensor) -> Tensor {
        let w = w.cast(self.rows.dtype());
        match self.of_block {
            None => einsum("egcm,emh->egch", [self.rows, w]),
            Some(experts) => einsum("gtbm,gtmh->gtbh", [self.rows, w.take(experts, 0)]),
        }
    }
}
