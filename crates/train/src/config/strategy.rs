//! The table that a configuration lies by, and how many devices share a dim: what is asked of `mesh.strategy`.

use super::{Config, Family, PipelineSchedule, Strategy};
use meshwright_nn::models::images::joined::BY_MODE;
use meshwright_nn::models::piped::Piped;
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
            Strategy::Spatial => Some(&SPATIAL),
            Strategy::ByMode => Some(&BY_MODE),
            Strategy::PipelinedData => Some(&PIPELINED_DATA),
            Strategy::Pipelined => Some(&PIPELINED),
            Strategy::PipelinedExperts => Some(&PIPELINED_EXPERTS),
        }
    }
}

impl Config {
    /// The table of a model that sees, if nothing else is asked for. A ViT on a mesh without an axis in space is a
    /// Transformer like others.
    fn table_of_images(&self) -> Option<&'static Table> {
        let has_axis = SPATIAL.axes.iter().skip(1).any(|axis| self.mesh.axes.size(axis).unwrap_or(1) > 1);
        match self.model.family {
            Family::Unet | Family::Residual | Family::Dilated => Some(&SPATIAL),
            Family::Vit | Family::Vmoe if has_axis => Some(&SPATIAL),
            Family::Joined => Some(&BY_MODE),
            _ => None,
        }
    }

    /// Axes of a mesh that the model may lie on.
    pub(super) fn known_axes(&self) -> &'static [&'static str] {
        let table = self.mesh.strategy.table().or(self.table_of_images());
        table.map_or(&["data", "model", "expert"], |table| table.axes)
    }

    /// The table that was asked for, or the one whose axes the mesh has.
    pub fn table(&self) -> &'static Table {
        let has = |axis| self.mesh.axes.size(axis).unwrap_or(1) > 1;
        let of_images = self.table_of_images();
        self.mesh.strategy.table().or(of_images).unwrap_or(match (has("data"), has("expert"), has("model")) {
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

    /// How the blocks lie on stages, if they do.
    pub fn piped(&self) -> Option<Piped> {
        let whole = |size: usize| i64::try_from(size).unwrap_or(i64::MAX);
        let from = &self.pipeline;
        let rounds = match from.schedule {
            PipelineSchedule::Gpipe => 1,
            PipelineSchedule::Circular => whole(from.rounds),
        };
        let (stages, microbatches) = (whole(from.stages), whole(from.microbatches));
        (stages > 1).then_some(Piped { stages, rounds, microbatches, recompute: from.recompute })
    }

    /// Parts that a batch is computed in: those whose gradients are added up, and of each the microbatches of a
    /// pipeline.
    pub fn parts(&self) -> usize {
        let microbatches = self.piped().map_or(1, |_| self.pipeline.microbatches.max(1));
        self.optimizer.accumulate.max(1).saturating_mul(microbatches)
    }

    /// Devices that share a part of the batch.
    pub fn share_a_part(&self) -> usize {
        let within = self.split_over("stage/batch");
        if self.piped().is_some() && !self.axes_over("stage/batch").is_empty() {
            within
        } else {
            self.split_over("batch")
        }
    }

    /// Devices that a dim of this name is split over.
    pub fn split_over(&self, dim: &str) -> usize {
        let size = |axis: &&str| self.mesh.axes.size(axis).unwrap_or(1).max(1);
        self.axes_over(dim).iter().map(size).fold(1, usize::saturating_mul)
    }
}
