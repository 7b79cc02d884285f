//! Whole steps that the papers measured, as they print them: one row for each configuration.
//!
//! Of four tables every second row, beginning with the first, is fitted ([`Use::Fitted`]); the others of such a table
//! resemble them ([`Use::SameTable`]). Rows of tables that nothing was fitted to are unseen ([`Use::UnseenTable`]):
//! only they test the model on unknown programs.
//!
//! `docs/results/data/printed.csv` has every value once more, transcribed from the documents separately; a test
//! compares the two.

/// The relation of a row to the constants of the cost model.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Use {
    Fitted,
    SameTable,
    UnseenTable,
}

impl Use {
    pub const ALL: [Use; 3] = [Use::Fitted, Use::SameTable, Use::UnseenTable];

    pub fn name(self) -> &'static str {
        match self {
            Use::Fitted => "fitted",
            Use::SameTable => "same table",
            Use::UnseenTable => "unseen table",
        }
    }
}

/// A configuration that was measured.
#[derive(Clone, Copy, Debug)]
pub struct Measured {
    /// A name from `nn::models::presets` or `nn::models::unet`.
    pub preset: &'static str,
    /// The machine, by its chips; a device is one of their two cores.
    pub target: &'static str,
    pub seconds: f64,
    /// Decimal.
    pub peak_gb: Option<f64>,
    /// Percent of the peak flops of all devices.
    pub utilization: Option<f64>,
    /// Percent of the time in all-to-alls.
    pub all_to_all: Option<f64>,
}

/// A table of them.
pub struct Table {
    pub name: &'static str,
    pub title: &'static str,
    /// Whether constants are fitted to every second row of it.
    pub is_fitted: bool,
    /// Widening of the intervals of its rows.
    pub beyond: Beyond,
    pub rows: &'static [Measured],
}

/// By which shares steps and peaks of all other tables are off beyond the uncertainty of constants, nine times of ten.
/// `step-times` computes it anew, and a test compares.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Beyond {
    pub seconds: f64,
    pub peak: f64,
}

const fn beyond(seconds: f64, peak: f64) -> Beyond {
    Beyond { seconds, peak }
}

impl Table {
    /// Every row, with what it is for.
    pub fn uses(&self) -> impl Iterator<Item = (&'static Measured, Use)> {
        let uses = if self.is_fitted { [Use::Fitted, Use::SameTable] } else { [Use::UnseenTable; 2] };
        self.rows.iter().zip(uses.into_iter().cycle())
    }
}

/// The row of a preset.
pub fn find(preset: &str) -> Option<(&'static Table, &'static Measured, Use)> {
    let all = TABLES.iter().flat_map(|table| table.uses().map(move |(row, used)| (table, row, used)));
    all.into_iter().find(|(_, row, _)| row.preset == preset)
}

const fn row(
    preset: &'static str,
    target: &'static str,
    seconds: f64,
    peak_gb: f64,
    utilization: f64,
) -> Measured {
    let (peak_gb, utilization) = (Some(peak_gb), Some(utilization));
    Measured { preset, target, seconds, peak_gb, utilization, all_to_all: None }
}

const fn sparse(row: Measured, all_to_all: f64) -> Measured {
    Measured { all_to_all: Some(all_to_all), ..row }
}

/// From steps per second.
const fn rate(preset: &'static str, target: &'static str, rate: f64) -> Measured {
    Measured { preset, target, seconds: 1.0 / rate, peak_gb: None, utilization: None, all_to_all: None }
}

/// The smallest machine: one chip, of which a single-core row uses one of two cores.
const V3_2: &str = "tpu-v3:1x1";
const V3_4: &str = "tpu-v3:1x2";
const V3_8: &str = "tpu-v3:2x2";
const V3_16: &str = "tpu-v3:2x4";
const V3_32: &str = "tpu-v3:4x4";
const V3_64: &str = "tpu-v3:4x8";
const V3_128: &str = "tpu-v3:8x8";
const V3_256: &str = "tpu-v3:8x16";
const V3_512: &str = "tpu-v3:16x16";
const V3_2048: &str = "tpu-v3:32x32";

/// Some tables lost their columns in the text. In Table 2, 6.25, 6.30 and 6.31 seconds are ambiguous.
/// Seconds and utilization of Tables 3 and 4 belong together where their product is the flops that a row needs. In
/// Table 3 that product is constant except at 5.71 s, where it is a tenth larger, as if by recomputation. In Table 4 it
/// follows the trips of the pipeline, so bubbles identify most rows. (8,16,2) and (8,8,4) have equal trips: weights are
/// not split over X there (5.2), so the larger of the two peaks belongs to the smaller Y.
pub const TABLES: [Table; 8] = [
    Table {
        name: "gspmd-table-2",
        title: "GSPMD, Table 2: dense Transformers with wide layers",
        is_fitted: true,
        beyond: beyond(1.06, 0.76),
        rows: &[
            row("gspmd-64b-128", V3_128, 5.74, 15.3, 62.7),
            row("gspmd-64b-512", V3_512, 6.25, 13.3, 57.1),
            row("gspmd-64b-2048", V3_2048, 6.30, 15.56, 56.9),
            row("gspmd-128b", V3_2048, 6.31, 14.0, 56.5),
            row("gspmd-256b", V3_2048, 6.71, 12.9, 54.1),
            row("gspmd-512b", V3_2048, 7.64, 13.6, 47.5),
            row("gspmd-1t", V3_2048, 12.66, 15.8, 55.6),
        ],
    },
    Table {
        name: "gspmd-table-3",
        title: "GSPMD, Table 3: narrower dense Transformers",
        is_fitted: true,
        beyond: beyond(1.02, 0.76),
        rows: &[
            row("gspmd-16b-4x16", V3_64, 3.56, 12.4, 39.4),
            row("gspmd-16b-8x16", V3_128, 3.43, 14.6, 40.5),
            row("gspmd-16b-8x32", V3_256, 5.71, 14.8, 27.1),
            row("gspmd-16b-16x4", V3_64, 3.10, 13.8, 45.7),
            row("gspmd-16b-16x8", V3_128, 3.37, 12.7, 41.7),
            row("gspmd-16b-32x8", V3_256, 3.36, 14.1, 41.3),
        ],
    },
    Table {
        name: "gspmd-table-4",
        title: "GSPMD, Table 4: the same model in pipelines",
        is_fitted: false,
        beyond: beyond(1.02, 0.76),
        rows: &[
            row("gspmd-16b-pipe-2x16x8", V3_256, 24.0, 14.9, 46.2),
            row("gspmd-16b-pipe-4x16x4-16", V3_256, 22.3, 13.3, 58.0),
            row("gspmd-16b-pipe-4x16x4-32", V3_256, 22.2, 13.1, 51.8),
            row("gspmd-16b-pipe-8x16x2", V3_256, 23.4, 15.0, 54.8),
            row("gspmd-16b-pipe-8x8x4", V3_256, 23.7, 11.5, 55.5),
        ],
    },
    Table {
        name: "gspmd-table-5",
        title: "GSPMD, Table 5: Conformers in pipelines",
        is_fitted: false,
        beyond: beyond(1.02, 0.76),
        rows: &[
            row("gspmd-conformer-6b-gpipe-64", V3_8, 8.40, 13.8, 59.4),
            row("gspmd-conformer-6b-gpipe-16", V3_8, 2.80, 12.2, 57.9),
            row("gspmd-conformer-6b-circular-16", V3_8, 2.30, 14.1, 53.9),
            row("gspmd-conformer-13b-gpipe-128", V3_16, 18.37, 15.4, 60.5),
            row("gspmd-conformer-13b-gpipe-32", V3_16, 5.58, 12.8, 59.0),
            row("gspmd-conformer-13b-circular-32", V3_16, 4.42, 14.8, 50.6),
        ],
    },
    Table {
        name: "gspmd-table-6",
        title: "GSPMD, Table 6: sparse mixtures of experts",
        is_fitted: true,
        beyond: beyond(1.02, 0.76),
        rows: &[
            sparse(row("gspmd-moe-10b", V3_32, 0.98, 10.8, 58.2), 2.0),
            sparse(row("gspmd-moe-37b", V3_128, 1.01, 11.2, 49.8), 6.0),
            sparse(row("gspmd-moe-145b", V3_512, 1.10, 11.2, 49.8), 9.0),
            sparse(row("gspmd-moe-577b", V3_2048, 1.51, 11.6, 46.8), 11.0),
        ],
    },
    Table {
        name: "gspmd-table-7",
        title: "GSPMD, Table 7: hybrids of sparse and dense layers",
        is_fitted: true,
        beyond: beyond(1.02, 0.76),
        rows: &[
            row("gspmd-hybrid-33b", V3_32, 2.12, 12.3, 55.3),
            row("gspmd-hybrid-57b", V3_128, 2.19, 12.9, 50.2),
            row("gspmd-hybrid-420b", V3_512, 2.08, 11.9, 50.8),
            row("gspmd-hybrid-804b", V3_2048, 1.92, 8.5, 53.8),
        ],
    },
    Table {
        name: "gspmd-table-8",
        title: "GSPMD, Table 8: 3D U-Nets in pieces of space",
        is_fitted: false,
        beyond: beyond(0.59, 0.38),
        rows: &[
            row("gspmd-unet-128-1x1", V3_2, 2.99, 14.3, 47.9),
            row("gspmd-unet-128-1x2", V3_2, 1.56, 14.8, 43.7),
            row("gspmd-unet-128-1x4", V3_4, 0.79, 7.9, 43.5),
            row("gspmd-unet-128-1x8", V3_8, 0.39, 4.5, 43.5),
            row("gspmd-unet-128-1x16", V3_16, 0.19, 2.7, 43.8),
            row("gspmd-unet-256-4x16", V3_64, 1.66, 14.9, 20.5),
            row("gspmd-unet-256-2x32", V3_64, 0.76, 8.52, 41.2),
        ],
    },
    Table {
        name: "gshard-table-3",
        title: "GShard, Table 3: steps of its family",
        is_fitted: false,
        beyond: beyond(0.98, 0.67),
        rows: &[
            rate("gshard-36l-2048e", V3_2048, 0.72),
            rate("gshard-12l-2048e", V3_2048, 2.15),
            rate("gshard-36l-512e", V3_512, 1.05),
            rate("gshard-12l-512e", V3_512, 3.28),
            rate("gshard-36l-128e", V3_128, 0.67),
            rate("gshard-12l-128e", V3_128, 2.16),
        ],
    },
];

/// A whole training of GShard's Table 3 as printed.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct WholeTraining {
    pub preset: &'static str,
    pub cores: f64,
    pub days: f64,
    pub core_years: f64,
}

const fn training(preset: &'static str, cores: f64, days: f64, core_years: f64) -> WholeTraining {
    WholeTraining { preset, cores, days, core_years }
}

pub const TRAININGS: [WholeTraining; 6] = [
    training("gshard-36l-2048e", 2_048.0, 4.0, 22.4),
    training("gshard-12l-2048e", 2_048.0, 1.4, 7.5),
    training("gshard-36l-512e", 512.0, 11.0, 15.5),
    training("gshard-12l-512e", 512.0, 3.5, 4.9),
    training("gshard-36l-128e", 128.0, 17.3, 6.1),
    training("gshard-12l-128e", 128.0, 5.4, 1.9),
];

/// The last row of the table, T(96L), which prints no steps per second. Footnote 10 has its steps.
pub const DENSE_TRAINING: WholeTraining = training("gshard-t96l", 2_048.0, 42.0, 235.5);
pub const DENSE_STEPS: f64 = 300e3;

#[cfg(test)]
mod tests {
    use super::*;

    /// "1.4" days of 2,048 cores are the row that fits least: 7.9 core-years for the 7.5 printed.
    #[test]
    fn days_cores_and_core_years_of_a_training_agree() {
        for one in TRAININGS.into_iter().chain([DENSE_TRAINING]) {
            let found = one.cores * one.days / 365.0;
            assert!((found / one.core_years - 1.0).abs() < 0.05, "{}: {found}", one.preset);
        }
    }

    /// Rows that are at odds with each other are put together wrong, or were moved.
    #[test]
    fn printed_rows_agree_with_each_other_where_the_papers_sentences_say_so() {
        let seconds = |preset: &str| find(preset).unwrap().1.seconds;
        // GSPMD 5.2: "the best one is still 24% slower than 2D sharding with (X=32, Y=8)", of 1,024 and 192 sequences.
        let best = seconds("gspmd-16b-pipe-4x16x4-32") / 1_024.0;
        let slower = best / (seconds("gspmd-16b-32x8") / 192.0) - 1.0;
        assert!((slower - 0.24).abs() < 0.005, "{slower}");
        // 5.6: "a 15.7x step time reduction on 16 partitions".
        let reduction = seconds("gspmd-unet-128-1x1") / seconds("gspmd-unet-128-1x16");
        assert!((reduction - 15.7).abs() < 0.05, "{reduction}");
        // "32-way partitioning achieves 2x higher FLOPS utilization".
        let utilization = |preset: &str| find(preset).unwrap().1.utilization.unwrap();
        let times = utilization("gspmd-unet-256-2x32") / utilization("gspmd-unet-256-4x16");
        assert!((times - 2.0).abs() < 0.05, "{times}");
    }

    /// Flops of a core's step that seconds and utilization come to, by sequence: the same for all rows of a model.
    #[test]
    fn seconds_and_utilization_of_a_row_come_to_the_flops_of_its_model() {
        let flops = |preset: &str, cores: f64, batch: f64| {
            let row = find(preset).unwrap().1;
            row.seconds * row.utilization.unwrap() * cores / batch
        };
        let first = flops("gspmd-64b-128", 128.0, 64.0);
        for (preset, cores, batch, times) in [
            ("gspmd-64b-512", 512.0, 256.0, 1.0),
            ("gspmd-64b-2048", 2_048.0, 1_024.0, 1.0),
            ("gspmd-128b", 2_048.0, 512.0, 2.0),
            ("gspmd-256b", 2_048.0, 256.0, 4.0),
            ("gspmd-512b", 2_048.0, 128.0, 8.0),
            ("gspmd-1t", 2_048.0, 128.0, 16.0),
        ] {
            let found = flops(preset, cores, batch) / first / times;
            assert!((found - 1.0).abs() < 0.03, "{preset}: {found}");
        }
    }
}
