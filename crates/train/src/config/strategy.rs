//! The table that a configuration lies by, and how many devices share a dim: what is asked of `mesh.strategy`.

use super::{Config, Strategy};
use meshwright_nn::models::strategy::*;

impl Strategy {
    /// Its table; none where the mesh decides.
    pub fn table(self) -> Option<&'static Table> {
        match self {
            Strategy::Auto => None,
            Strategy::Data => Some(&DATA),
            Strategy::Model => Some(&MODEL),
            Strategy::Expert => Some(&EXPERT),
            Strategy::DataModel => Some(&DATA_MODEL),
            Strategy::ExpertData => Some(&EXPERT_DATA),
            Strategy::ExpertModelData => Some(&EXPERT_MODEL_DATA),
            Strategy::WeightUpdate => Some(&WEIGHT_UPDATE),
            Strategy::Attempt1 => Some(&ATTEMPT_1),
            Strategy::Attempt2 => Some(&ATTEMPT_2),
            Strategy::Finalized => Some(&FINALIZED),
            Strategy::Hybrid => Some(&HYBRID),
        }
    }
}

impl Config {
    /// The table that was asked for, or the one whose axes the mesh has.
    pub fn table(&self) -> &'static Table {
        let has = |axis| self.mesh.axes.size(axis).unwrap_or(1) > 1;
        self.mesh.strategy.table().unwrap_or(match (has("data"), has("expert"), has("model")) {
            (_, false, false) => &DATA,
            (false, true, false) => &EXPERT,
            (true, true, false) => &EXPERT_DATA,
            (false, false, true) => &MODEL,
            (true, false, true) => &DATA_MODEL,
            (_, true, true) => &EXPERT_MODEL_DATA,
        })
    }

    /// Mesh axes that a dim of this name is split over, major first.
    pub fn axes_over(&self, dim: &str) -> &'static [&'static str] {
        self.table().axes_over(dim)
    }

    /// Devices that a dim of this name is split over.
    pub fn split_over(&self, dim: &str) -> usize {
        let size = |axis: &&str| self.mesh.axes.size(axis).unwrap_or(1).max(1);
        self.axes_over(dim).iter().map(size).fold(1, usize::saturating_mul)
    }
}
