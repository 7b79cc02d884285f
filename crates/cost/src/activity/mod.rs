//! A program as activities: what a device or its links do in one go, how much of it there is, and what it waits for.
//!
//! An activity is a loop over elements with all that is fused into it, a product with what is done to its operands and
//! result on the way, a collective, or a loop of activities. How long it takes is not here: the same activities are
//! timed on any machine, in any order of devices, with any coefficients ([`simulate`](mod@crate::simulate)). They are
//! made once for a program ([`Activities::of`]); functions that are called several times are shared.

mod fusion;
mod lower;
mod weigh;

use crate::machine::{Coefficient, Machine};
use crate::pattern::Pattern;
use meshwright_ir::op::Precision;
use meshwright_ir::{DType, SourceId};
use meshwright_shard::{AxisRef, MeshId};
use std::sync::Arc;

pub(crate) use fusion::Inlined;
pub use fusion::Rounded;
pub use lower::meshes;
pub(crate) use weigh::writes_into;

/// What a program does, in order.
#[derive(Clone, Debug)]
pub struct Activities {
    pub main: Arc<Sequence>,
    /// What cannot be priced: of these, nothing is in any estimate.
    pub unknown: Vec<Unknown>,
}

/// Something of a program that has no price.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Unknown {
    /// For people: `custom call @f`.
    pub what: String,
    pub source: SourceId,
}

/// Activities one after the other, with what they take from outside.
#[derive(Clone, Debug, Default)]
pub struct Sequence {
    pub activities: Vec<Activity>,
    pub results: Vec<Need>,
}

/// Where something that is used comes from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Need {
    /// It is there.
    Nothing,
    /// Of an activity of the same sequence.
    Of(u32),
    /// A parameter of the sequence.
    Param(u32),
}

#[derive(Clone, Debug)]
pub struct Activity {
    pub doing: Doing,
    pub needs: Vec<Need>,
    pub source: SourceId,
    /// Computed again, to keep less.
    pub is_again: bool,
}

/// What is done.
#[derive(Clone, Debug)]
pub enum Doing {
    Compute(Load),
    Communicate(Exchange),
    Repeat(Repeat),
    /// One of these.
    Branch(Vec<Arc<Sequence>>),
    Call(Arc<Sequence>),
}

/// A loop.
#[derive(Clone, Debug)]
pub struct Repeat {
    pub trips: i64,
    pub body: Arc<Sequence>,
    /// So many of its parameters are results of the trip before.
    pub carries: usize,
    /// Stages of a pipeline that it is.
    pub stages: Option<i64>,
}

/// A collective.
#[derive(Clone, PartialEq, Debug)]
pub struct Exchange {
    pub pattern: Pattern,
    pub among: Among,
    pub size: i64,
    /// Bytes that the program gives it and gets.
    pub input: f64,
    pub output: f64,
    /// The share of them that goes over links: less than 1 where some are rounded before.
    pub share: f64,
}

/// Between whom.
#[derive(Clone, PartialEq, Debug)]
pub enum Among {
    Axes {
        mesh: MeshId,
        axes: Vec<AxisRef>,
    },
    /// Groups that are listed: members of the first.
    Listed(Vec<u32>),
    /// Groups of so many that lie next to each other.
    Near,
    Pairs(Arc<[(u32, u32)]>),
}

/// What kind of computing takes a device's time.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Kind {
    Products,
    /// Products with batch dims, as of attention.
    BatchedProducts,
    /// Element by element, and sums.
    Loops,
    /// Elements at other places.
    Moves,
    /// Sums along a dim, sorts: one after the other.
    Running,
}

impl Kind {
    pub const ALL: [Kind; 5] =
        [Kind::Products, Kind::BatchedProducts, Kind::Loops, Kind::Moves, Kind::Running];

    pub fn name(self) -> &'static str {
        match self {
            Kind::Products => "products",
            Kind::BatchedProducts => "batched products",
            Kind::Loops => "loops",
            Kind::Moves => "moves",
            Kind::Running => "running sums and sorts",
        }
    }
}

/// How much there is to compute and to move.
#[derive(Clone, PartialEq, Debug)]
pub struct Load {
    pub kind: Kind,
    /// The product in it.
    pub product: Option<Product>,
    /// Bytes read and written.
    pub bytes: f64,
    /// Elementwise operations, those that take several counted as such.
    pub steps: f64,
    pub functions: f64,
    /// Steps that go one after the other.
    pub running: f64,
}

/// A product of matrices.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Product {
    pub batch: f64,
    pub rows: f64,
    pub columns: f64,
    pub depth: f64,
    pub dtype: DType,
    pub precision: Precision,
}

impl Product {
    pub fn flops(&self) -> f64 {
        2.0 * self.batch * self.rows * self.columns * self.depth
    }

    /// Seconds of its arithmetic. Many products of one column each, as a depthwise convolution is, have nothing for an
    /// array of multipliers to share: a vector unit may be quicker, a step for each multiplication and addition.
    pub fn seconds(&self, machine: &Machine) -> f64 {
        let by_array = self.by_array(machine);
        let is_thin = self.batch > 1.0 && self.columns <= 1.0 && machine.workers.is_none();
        if is_thin { by_array.min(self.flops() / machine[Coefficient::Elements]) } else { by_array }
    }

    fn by_array(&self, machine: &Machine) -> f64 {
        let share = machine[Coefficient::ProductShare]
            * if self.batch > 1.0 { machine[Coefficient::BatchedShare] } else { 1.0 };
        let tile = machine.tile as f64;
        let whole = |size: f64, tile: f64| (size / tile).ceil() * tile / size.max(1.0);
        // Rows are fed one after the other in short stacks; the array is as wide and as deep as a tile.
        let across = |rows: f64, columns: f64| {
            whole(rows, (tile / 16.0).max(1.0)) * whole(columns, tile) * whole(self.depth, tile)
        };
        let padded = across(self.rows, self.columns).min(across(self.columns, self.rows));
        let small = machine[Coefficient::HalfRows] / self.rows.max(1.0)
            + machine[Coefficient::HalfColumns] / self.columns.max(1.0)
            + machine[Coefficient::HalfDepth] / self.depth.max(1.0);
        self.flops() * padded * (1.0 + small) * self.passes(machine) / (machine.peak(self.dtype) * share)
    }

    /// A product that has to be more exact than its machine's types takes several in a narrower one.
    fn passes(&self, machine: &Machine) -> f64 {
        match self.precision {
            _ if self.dtype != DType::F32 || machine.tile < 128 => 1.0,
            Precision::Default => 1.0,
            Precision::High => 3.0,
            Precision::Highest => 6.0,
        }
    }
}

impl Load {
    /// Seconds on a machine: the longest of computing, moving, and elementwise work.
    pub fn seconds(&self, machine: &Machine) -> f64 {
        let product = self.product.map_or(0.0, |product| product.seconds(machine));
        let moving = self.bytes / machine.moves(self.bytes);
        let steps = self.steps
            + self.functions * machine[Coefficient::Function]
            + self.running * machine[Coefficient::Running];
        let elements = steps / machine[Coefficient::Elements];
        let busy = if machine.workers.is_some() {
            product + moving.max(elements)
        } else {
            product.max(moving).max(elements)
        };
        machine[Coefficient::Launch] + busy
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Target;

    #[test]
    fn a_depthwise_convolution_is_the_vector_unit_s_and_a_grouped_one_is_not() {
        let machine = Target::parse("tpu-v3:1x1").and_then(|target| target.machine(1)).unwrap();
        let of = |columns: f64| Product {
            batch: 3072.0,
            rows: 610.0,
            columns,
            depth: 32.0,
            dtype: DType::BF16,
            precision: Precision::Default,
        };
        let (thin, wide) = (of(1.0), of(64.0));
        assert_eq!(thin.seconds(&machine), thin.flops() / machine[Coefficient::Elements]);
        assert!(thin.by_array(&machine) > 50.0 * thin.seconds(&machine));
        assert_eq!(wide.seconds(&machine), wide.by_array(&machine));
    }
}
