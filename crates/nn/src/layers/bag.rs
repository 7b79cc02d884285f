//! Rows of a table by number, and bags of them as one row.

use crate::init::Init;
use meshwright_tensor::prelude::*;
use meshwright_tensor::refuse;

/// A table of rows.
#[derive(Clone, Copy, Debug, Tree)]
pub struct EmbeddingBag {
    /// `[rows, model]`.
    pub table: Tensor,
}

/// What becomes of the rows of a bag.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Pool {
    Sum,
    Mean,
    Max,
}

impl EmbeddingBag {
    /// Normal, of deviation 1.
    pub fn new(key: Key, rows: i64, model: i64) -> EmbeddingBag {
        EmbeddingBag { table: Init::Normal(1.0).draw(key, default_float(), &[rows, model]) }
    }

    /// A row for each number: `s32[..]` to `[.., model]`.
    #[track_caller]
    pub fn rows(&self, numbers: Tensor) -> Tensor {
        self.table.take(numbers, 0)
    }

    /// A row for each bag: `s32[bags, most]` to `[bags, model]`. `counts`, `pred[bags, most]`, says which numbers are
    /// in the bag; an empty bag gives zeros.
    #[track_caller]
    pub fn apply(&self, numbers: Tensor, counts: Option<Tensor>, pool: Pool) -> Tensor {
        if numbers.rank() != 2 {
            let message = format!("bags are given as {numbers:?}, not as one row of numbers each");
            return refuse(&[numbers], self.table.ty(), &message, "give `[bags, most]`");
        }
        let counts = counts.unwrap_or_else(|| numbers.eq(numbers));
        let rows = self.rows(numbers);
        let counts = counts.unsqueeze(-1);
        let sum = || counts.select(rows, 0.0).sum(1);
        let many = || counts.cast(rows.dtype()).sum(1);
        match pool {
            Pool::Sum => sum(),
            Pool::Mean => sum() / many().maximum(1.0),
            Pool::Max => many().gt(0.0).select(counts.select(rows, LEAST).max(1), 0.0),
        }
    }
}

/// Less than any row, and finite: a mask by infinity would make NaN of it in a product.
const LEAST: f64 = -1e30;
