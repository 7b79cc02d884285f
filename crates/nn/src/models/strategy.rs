//! Strategies as data: for each name of a dim the mesh axes it is split over. A model is one definition; a table
//! decides how it lies on a mesh.
//!
//! ```text
//! EXPERT_DATA    batch -> data, expert    group -> data, expert    expert -> expert    expert_group -> data
//! ```
//!
//! A weight's dim, or one that says where tokens lie, that is not in a table is whole; dims of activations between
//! (`features`, `act_heads`, `act_hidden`) are then left to completion. A row for `stage/batch` speaks of `batch`
//! inside of a pipeline's stages: the same axes can do other work before and behind it.

use meshwright_tensor::prelude::*;
use meshwright_tensor::{AxisAt, Cut, Errors};

/// One strategy.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Table {
    pub name: &'static str,
    /// Mesh axes that it needs.
    pub axes: &'static [&'static str],
    /// Names of dims, each with the axes it is split over, major first.
    pub rows: &'static [(&'static str, &'static [&'static str])],
}

/// Names that are whole where a table does not speak of them.
const WHOLE: [&str; 24] = [
    "model",
    "hidden",
    "heads",
    "kv",
    "vocab",
    "buckets",
    "stage",
    "round",
    "layer",
    "router_model",
    "router_expert",
    "expert",
    "expert_model",
    "expert_hidden",
    "expert_width",
    "batch",
    "microbatch",
    "group",
    "home_expert",
    "expert_group",
    "window",
    "in_channels",
    "channels",
    "squeezed",
];

impl Table {
    /// A mesh of these axes, and of those of size 1 that the table also names.
    pub fn mesh<'a>(&self, given: impl IntoIterator<Item = (&'a str, i64)>) -> Result<Mesh, Errors> {
        let mut all: Vec<(&str, i64)> = given.into_iter().collect();
        for axis in self.axes {
            if !all.iter().any(|(known, _)| known == axis) {
                all.push((axis, 1));
            }
        }
        Mesh::new(all)
    }

    /// The table over a mesh. An axis that the mesh lacks is reported where it is first used.
    pub fn rules(&self, mesh: &Mesh) -> Rules {
        let base = WHOLE.iter().fold(Rules::new(mesh), |rules, name| rules.with(name, ()));
        self.rows.iter().fold(base, |rules, (name, axes)| rules.with(name, over(axes)))
    }

    /// Its rows over a mesh and nothing else: what they do not name is left to completion.
    pub fn rows_alone(&self, mesh: &Mesh) -> Rules {
        self.rows.iter().fold(Rules::new(mesh), |rules, (name, axes)| rules.with(name, over(axes)))
    }

    /// Mesh axes that a dim of this name is split over, major first; none for one that it does not name.
    pub fn axes_over(&self, dim: &str) -> &'static [&'static str] {
        self.rows.iter().find(|(name, _)| *name == dim).map_or(&[], |(_, axes)| axes)
    }
}

fn over(axes: &[&str]) -> Cut {
    Cut::Over(axes.iter().map(|axis| AxisAt::from(*axis)).collect())
}

/// Switch 5.1: the batch over `data`; all weights on every device.
pub const DATA: Table = Table {
    name: "data",
    axes: &["data"],
    rows: &[("batch", &["data"]), ("group", &["data"]), ("expert_group", &["data"])],
};

/// Switch 5.2: hidden dims and heads over `model`; activations between layers on every device.
pub const MODEL: Table = Table {
    name: "model",
    axes: &["model"],
    rows: &[("hidden", &["model"]), ("heads", &["model"]), ("expert_hidden", &["model"])],
};

/// Switch 5.3: the batch over `data`, weights as in [`MODEL`].
pub const DATA_MODEL: Table = Table {
    name: "data+model",
    axes: &["data", "model"],
    rows: &[
        ("batch", &["data"]),
        ("group", &["data"]),
        ("expert_group", &["data"]),
        ("hidden", &["model"]),
        ("heads", &["model"]),
        ("expert_hidden", &["model"]),
    ],
};

/// GShard: the batch and the experts over `expert`, everything else on every device. Tokens travel. Also the 1D form of
/// GSPMD 5.4.
pub const EXPERT: Table = Table {
    name: "expert",
    axes: &["expert"],
    rows: &[("batch", &["expert"]), ("group", &["expert"]), ("expert", &["expert"])],
};

/// Switch 5.4 where there are more devices than experts: the batch over both, the experts over `expert`, repeated along
/// `data`.
pub const EXPERT_DATA: Table = Table {
    name: "expert+data",
    axes: &["data", "expert"],
    rows: &[
        ("batch", &["data", "expert"]),
        ("group", &["data", "expert"]),
        ("expert", &["expert"]),
        ("expert_group", &["data"]),
    ],
};

/// As [`EXPERT_DATA`], with groups of the tokens of all devices along `expert`, and the experts over both axes: for
/// more experts than a device's own tokens could fill. Rows go to a group's devices by expert, then along `data`.
pub const EXPERT_POOLED: Table = Table {
    name: "expert+pooled",
    axes: &["data", "expert"],
    rows: &[
        ("batch", &["data", "expert"]),
        ("group", &["data"]),
        ("home_expert", &["expert"]),
        ("expert", &["expert", "data"]),
    ],
};

/// Switch 5.5: as [`EXPERT_DATA`], and hidden dims and heads over `model`.
pub const EXPERT_MODEL_DATA: Table = Table {
    name: "expert+model+data",
    axes: &["data", "expert", "model"],
    rows: &[
        ("batch", &["data", "expert"]),
        ("group", &["data", "expert"]),
        ("expert", &["expert"]),
        ("expert_group", &["data"]),
        ("hidden", &["model"]),
        ("heads", &["model"]),
        ("expert_hidden", &["model"]),
    ],
};

/// Weights and the optimizer's states over the devices that split the batch (GSPMD 5.1 calls it weight-update
/// sharding): weights are gathered where they are used, gradients reduced to the part that a device updates.
pub const WEIGHT_UPDATE: Table = Table {
    name: "weight-update",
    axes: &["data"],
    rows: &[
        ("batch", &["data"]),
        ("group", &["data"]),
        ("expert_group", &["data"]),
        ("model", &["data"]),
        ("expert_model", &["data"]),
    ],
};

/// GSPMD, Table 1, first row: all weights and activations alike, M over `x`, H and N over `y`.
pub const ATTEMPT_1: Table = Table {
    name: "2d-attempt-1",
    axes: &["x", "y"],
    rows: &[
        ("model", &["x"]),
        ("hidden", &["y"]),
        ("heads", &["y"]),
        ("vocab", &["y"]),
        ("features", &["x"]),
        ("act_heads", &["y"]),
        ("act_hidden", &["y"]),
    ],
};

/// Second row: the same weights, but the batch over `x`: weights are gathered along `x` where they are used.
pub const ATTEMPT_2: Table = Table {
    name: "2d-attempt-2",
    axes: &["x", "y"],
    rows: &[
        ("model", &["x"]),
        ("hidden", &["y"]),
        ("heads", &["y"]),
        ("vocab", &["y"]),
        ("batch", &["x"]),
        ("act_heads", &["y"]),
        ("act_hidden", &["y"]),
    ],
};

/// Third row: also what lives between layers, its M over `y`.
pub const FINALIZED: Table = Table {
    name: "2d-finalized",
    axes: &["x", "y"],
    rows: &[
        ("model", &["x"]),
        ("hidden", &["y"]),
        ("heads", &["y"]),
        ("vocab", &["y"]),
        ("batch", &["x"]),
        ("features", &["y"]),
        ("act_heads", &["y"]),
        ("act_hidden", &["y"]),
    ],
};

/// GSPMD 5.5: dense layers as [`FINALIZED`], experts over `x`, their H over `y`.
pub const HYBRID: Table = Table {
    name: "hybrid",
    axes: &["x", "y"],
    rows: &[
        ("model", &["x"]),
        ("hidden", &["y"]),
        ("heads", &["y"]),
        ("vocab", &["y"]),
        ("batch", &["x"]),
        ("features", &["y"]),
        ("act_heads", &["y"]),
        ("act_hidden", &["y"]),
        ("group", &["x"]),
        ("expert", &["x"]),
        ("expert_hidden", &["y"]),
    ],
};

/// GSPMD 5.2: stages over `stage`; in each, `x` and `y` as in [`FINALIZED`], but that weights are whole along `x`: they
/// would be gathered for every microbatch. Embedding and softmax have the batch over `stage` too.
pub const PIPELINED: Table = Table {
    name: "2d-pipelined",
    axes: &["stage", "x", "y"],
    rows: &[
        ("stage", &["stage"]),
        ("hidden", &["y"]),
        ("heads", &["y"]),
        ("vocab", &["y"]),
        ("batch", &["x", "stage"]),
        ("stage/batch", &["x"]),
        ("stage/features", &["y"]),
        ("act_heads", &["y"]),
        ("act_hidden", &["y"]),
    ],
};

/// GSPMD, Figure 2: embedding and softmax have the batch over `x` and the vocabulary over `y`; encoder and decoder have
/// their stages over `x`, and in them the batch or the experts over `y`.
pub const PIPELINED_EXPERTS: Table = Table {
    name: "pipelined-experts",
    axes: &["x", "y"],
    rows: &[
        ("stage", &["x"]),
        ("vocab", &["y"]),
        ("batch", &["x"]),
        ("stage/batch", &["y"]),
        ("group", &["y"]),
        ("expert", &["y"]),
    ],
};

/// GSPMD 5.3: stages over `stage`, and the batch over `data` in them; before and behind them the batch is over both.
pub const PIPELINED_DATA: Table = Table {
    name: "pipelined+data",
    axes: &["stage", "data"],
    rows: &[("stage", &["stage"]), ("batch", &["data", "stage"]), ("stage/batch", &["data"])],
};

/// GSPMD 5.6: the batch over `data`, the first spatial dim of images over `spatial`, and the second and third, where
/// the mesh has axes for them, over `spatial_2` and `spatial_3`.
pub const SPATIAL: Table = Table {
    name: "spatial",
    axes: &["data", "spatial", "spatial_2", "spatial_3"],
    rows: &[
        ("batch", &["data"]),
        ("space", &["spatial"]),
        ("space_2", &["spatial_2"]),
        ("space_3", &["spatial_3"]),
    ],
};

/// All of them.
pub const TABLES: [Table; 16] = [
    DATA,
    MODEL,
    DATA_MODEL,
    EXPERT,
    EXPERT_DATA,
    EXPERT_POOLED,
    EXPERT_MODEL_DATA,
    WEIGHT_UPDATE,
    ATTEMPT_1,
    ATTEMPT_2,
    FINALIZED,
    HYBRID,
    PIPELINED,
    PIPELINED_EXPERTS,
    PIPELINED_DATA,
    SPATIAL,
];

/// How a model is split (Switch Transformer, section 5, figure 9). Mesh axes are `data`, `expert`,
/// `model`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Strategy {
    /// The batch over `data`; all weights on every device.
    Data,
    /// The batch and the experts over `expert`: tokens travel.
    Expert,
    /// The batch over both, the experts over `expert`, repeated along `data`.
    ExpertData,
    /// Hidden dims and heads over `model`; activations between layers on every device.
    Model,
    /// The batch over `data`, weights as in `Model`.
    DataModel,
    /// As `ExpertData`, and hidden dims and heads over `model`.
    ExpertDataModel,
}

impl Strategy {
    pub fn table(self) -> &'static Table {
        match self {
            Strategy::Data => &DATA,
            Strategy::Expert => &EXPERT,
            Strategy::ExpertData => &EXPERT_DATA,
            Strategy::Model => &MODEL,
            Strategy::DataModel => &DATA_MODEL,
            Strategy::ExpertDataModel => &EXPERT_MODEL_DATA,
        }
    }

    /// The table over a mesh: names of dims, and the axes they are split over.
    pub fn rules(self, mesh: &Mesh) -> Rules {
        self.table().rules(mesh)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_use_the_axes_they_name_and_no_name_twice() {
        for table in TABLES {
            let used = |axis: &&str| table.rows.iter().any(|(_, axes)| axes.contains(axis));
            assert!(table.axes.iter().all(used), "{}", table.name);
            let known = |(_, axes): &(&str, &[&str])| axes.iter().all(|axis| table.axes.contains(axis));
            assert!(table.rows.iter().all(known), "{}", table.name);
            let mut names: Vec<&str> = table.rows.iter().map(|(name, _)| *name).collect();
            names.sort_unstable();
            names.dedup();
            assert_eq!(names.len(), table.rows.len(), "{}", table.name);
        }
        let mut names = TABLES.map(|table| table.name).to_vec();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), TABLES.len());
    }
}
