//! What is asked of a way between two shardings, and what is answered.

use meshwright_ir::op::ReshardOp;
use meshwright_shard::{DimSharding, Sharding};

/// One step and the sharding after it.
#[derive(Clone, PartialEq, Debug)]
pub struct ReshardStep {
    pub op: ReshardOp,
    pub to: Sharding,
}

/// A way from one sharding to another.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Path {
    pub steps: Vec<ReshardStep>,
    pub seconds: f64,
    /// Bytes every device sends.
    pub sent: f64,
}

/// The value that is resharded.
#[derive(Clone, Copy, Debug)]
pub struct Subject<'a> {
    pub dims: &'a [i64],
    pub element_bits: i64,
}

impl Subject<'_> {
    /// Bytes of one device's piece.
    pub fn local_bytes(&self, sharding: &Sharding) -> i64 {
        self.bytes_by_tiles(sharding.dims.iter().map(DimSharding::tiles))
    }

    fn bytes_by_tiles(&self, tiles: impl Iterator<Item = i64>) -> i64 {
        let elements: i64 =
            self.dims.iter().zip(tiles).map(|(size, tiles)| (size + tiles - 1) / tiles).product();
        (elements * self.element_bits + 7) / 8
    }
}
