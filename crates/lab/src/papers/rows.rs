//! What the papers measured of whole steps, as they print it: one row for each configuration.
//!
//! Of each table every second row, beginning with the first, is for fitting constants ([`Use::Fit`]); the others are
//! for testing what came of it and are looked at by nothing else.

/// What a row is for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Use {
    Fit,
    Test,
}

/// A configuration that was measured.
#[derive(Clone, Copy, Debug)]
pub struct Measured {
    /// Of `nn::models::presets`.
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
    /// Whether the paper states all sizes of its models; some of the others are what fits its counts.
    pub is_stated: bool,
    pub rows: &'static [Measured],
}

impl Table {
    /// Every row, with what it is for.
    pub fn uses(&self) -> impl Iterator<Item = (&'static Measured, Use)> {
        let uses = [Use::Fit, Use::Test].into_iter().cycle();
        self.rows.iter().zip(uses)
    }
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

const V3_32: &str = "tpu-v3:4x4";
const V3_64: &str = "tpu-v3:4x8";
const V3_128: &str = "tpu-v3:8x8";
const V3_256: &str = "tpu-v3:8x16";
const V3_512: &str = "tpu-v3:16x16";
const V3_2048: &str = "tpu-v3:32x32";

/// The text of some tables has lost their columns. Of Table 2, 6.25, 6.30 and 6.31 seconds cannot be told apart.
/// Seconds and utilization of Tables 3 and 4 belong together where their product is the flops that a row needs: the
/// same for all rows of Table 3 but the one of 5.71 s, which has a tenth more, as if something were computed again
/// there; by the trips of its pipeline in Table 4, whose bubbles tell its other rows apart. (8,16,2) and (8,8,4) have the
/// same trips: weights are not split over X there (5.2), so the larger of the two peaks belongs to the smaller Y.
pub const TABLES: [Table; 6] = [
    Table {
        name: "gspmd-table-2",
        title: "GSPMD, Table 2: dense Transformers with wide layers",
        is_stated: true,
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
        is_stated: true,
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
        is_stated: true,
        rows: &[
            row("gspmd-16b-pipe-2x16x8", V3_256, 24.0, 14.9, 46.2),
            row("gspmd-16b-pipe-4x16x4-16", V3_256, 22.3, 13.3, 58.0),
            row("gspmd-16b-pipe-4x16x4-32", V3_256, 22.2, 13.1, 51.8),
            row("gspmd-16b-pipe-8x16x2", V3_256, 23.4, 15.0, 54.8),
            row("gspmd-16b-pipe-8x8x4", V3_256, 23.7, 11.5, 55.5),
        ],
    },
    Table {
        name: "gspmd-table-6",
        title: "GSPMD, Table 6: sparse mixtures of experts",
        is_stated: false,
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
        is_stated: false,
        rows: &[
            row("gspmd-hybrid-33b", V3_32, 2.12, 12.3, 55.3),
            row("gspmd-hybrid-57b", V3_128, 2.19, 12.9, 50.2),
            row("gspmd-hybrid-420b", V3_512, 2.08, 11.9, 50.8),
            row("gspmd-hybrid-804b", V3_2048, 1.92, 8.5, 53.8),
        ],
    },
    Table {
        name: "gshard-table-3",
        title: "GShard, Table 3: steps of its family",
        is_stated: false,
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
