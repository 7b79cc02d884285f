//! The machines that are known by name: one function each, from what their makers and the papers say of them.
//!
//! Sources in a word: *v2/v3 paper* is Jouppi et al., CACM 2020; *v4 paper* is Jouppi et al., ISCA 2023; *Cloud TPU*
//! and *data sheet* are the makers' pages of the system; *How to Scale Your Model* is the book of the JAX team
//! (jax-ml.github.io/scaling-book). Where GShard and GSPMD give a number of their own, theirs is taken. What no source
//! states is *assumed*, with wide bounds: the sizes at which products take twice as long, what loops reach of a memory,
//! what a function and a running sum take of a vector unit, what a TPU takes to begin an op, and what batched products
//! reach on GPUs. Peaks are published, but not these; a measurement on the machine would give them.

use super::{Coefficient, Known, Machine, Overlap, Source};
use crate::network::{Network, Tier, TierKind};
use meshwright_ir::DType;
use std::borrow::Cow;

/// How a kind of machine is put together from as many devices as one wants.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Build {
    /// A grid of chips in so many directions. A direction is closed if its size is a multiple of `closes`; the largest
    /// pod has `most` in one of them, and `chips` in all.
    Torus { directions: usize, closes: i64, cores: i64, most: i64, chips: i64 },
    /// Hosts with so many devices each.
    Hosts { each: i64 },
}

/// A kind of machine.
pub struct Kind {
    pub name: &'static str,
    /// What a device is, and of what a shape counts.
    pub device: &'static str,
    pub build: Build,
    one: fn() -> Machine,
}

impl Kind {
    /// One device of it, on a switch of its own.
    pub fn device(&self) -> Machine {
        (self.one)()
    }
}

const fn torus(directions: usize, closes: i64, cores: i64, most: i64, chips: i64) -> Build {
    Build::Torus { directions, closes, cores, most, chips }
}

/// All of them. Pods are those of the papers and of Cloud TPU's pages.
pub const KINDS: [Kind; 11] = [
    Kind { name: "tpu-v2", device: "core", build: torus(2, 16, 2, 16, 256), one: tpu_v2 },
    Kind { name: "tpu-v3", device: "core", build: torus(2, 32, 2, 32, 1024), one: tpu_v3 },
    Kind { name: "tpu-v4", device: "chip", build: torus(3, 4, 1, 64, 4096), one: tpu_v4 },
    Kind { name: "tpu-v4-core", device: "core", build: torus(3, 4, 2, 64, 4096), one: tpu_v4_core },
    Kind { name: "tpu-v5e", device: "chip", build: torus(2, 16, 1, 16, 256), one: tpu_v5e },
    Kind { name: "tpu-v5p", device: "chip", build: torus(3, 4, 1, 64, 8960), one: tpu_v5p },
    Kind { name: "tpu-v6e", device: "chip", build: torus(2, 16, 1, 16, 256), one: tpu_v6e },
    Kind { name: "a100-40", device: "GPU", build: Build::Hosts { each: 8 }, one: a100_40 },
    Kind { name: "a100-80", device: "GPU", build: Build::Hosts { each: 8 }, one: a100_80 },
    Kind { name: "h100", device: "GPU", build: Build::Hosts { each: 8 }, one: h100 },
    Kind { name: "h200", device: "GPU", build: Build::Hosts { each: 8 }, one: h200 },
];

/// The kind of a name.
pub fn find(name: &str) -> Option<&'static Kind> {
    KINDS.iter().find(|kind| kind.name == name)
}

const ASSUMED: Source = Source::assumed("");
const CHOSEN: Source = Source::assumed("chosen for a machine that is none");
const SCALING_TPU: Source = Source::others("How to Scale Your Model, part 3: half a microsecond to one");
const SCALING_LINK: Source =
    Source::others("How to Scale Your Model, part 3: 95 % of what is stated, over 16 chips of v5e");
const SCALING_START: Source = Source::others(
    "How to Scale Your Model, part 3: 10 MB over 16 chips of v5e at 95 %, which leaves 5 us for it and all hops",
);
const SCALING_RING: Source = Source::others(
    "How to Scale Your Model, part 3: over a closed ring a quarter of an all-gather, so all goes the shorter way",
);
const SCALING_GPU: Source =
    Source::others("How to Scale Your Model, on GPUs: 370 of 450 GB/s in an all-reduce of 8 H100");
const NCCL_SHARE: Source =
    Source::others("nccl-tests, issue 212: 370 of 450 GB/s of NVLink in what is no all-reduce");
const ONE_SWITCH: &[Tier] = &[Tier::new(TierKind::Switch, i64::MAX)];

/// Peaks of the plain machine, and what it takes to begin; nothing else is in the way.
const PLAIN: [(Coefficient, f64); 13] = [
    (Coefficient::Products, 1e14),
    (Coefficient::Memory, 1e12),
    (Coefficient::Elements, 1e13),
    (Coefficient::Function, 8.0),
    (Coefficient::Division, 4.0),
    (Coefficient::Masked, 1e12),
    (Coefficient::Drawn, 1e12),
    (Coefficient::Crossed, 1e12),
    (Coefficient::Launch, 1e-7),
    (Coefficient::Start, 1e-6),
    (Coefficient::Link, 1e11),
    (Coefficient::Outer, 1e11),
    (Coefficient::Inner, 1e12),
];

/// An accelerator of the class the papers used, as plans are made for where no machine is named. Nothing of it is
/// measured: it has no bounds.
pub(super) fn plain() -> Machine {
    let chosen = |of: Coefficient| PLAIN.iter().find(|(known, _)| *known == of).map(|(_, value)| *value);
    let value = |of: Coefficient| chosen(of).or(of.perfect()).unwrap_or(0.0);
    let known = Coefficient::ALL.map(|of| Known::new(value(of), 0.0, CHOSEN));
    Machine {
        name: Cow::Borrowed("plain"),
        capacity: 16 << 30,
        known,
        types: Cow::Borrowed(&[]),
        tile: 1,
        caches: Cow::Borrowed(&[]),
        workers: None,
        overlap: Overlap::All,
        fuses: true,
        // That of XLA.
        loops_from: 268_435_456.0,
        network: Network { tiers: Cow::Borrowed(ONE_SWITCH) },
    }
}

/// What the compiler of TPUs leaves to a program of a device's memory, in units of 2^30 bytes: it keeps some itself.
/// That is what libtpu 0.0.52 says when it refuses one (`exceeds available HBM (15.48G)`), with as many digits.
const fn left_by_libtpu(hundredths: i64) -> i64 {
    (hundredths << 30) / 100
}

/// What its maker states of a device.
struct Stated {
    name: &'static str,
    /// What a program can have of its memory.
    capacity: i64,
    flops: f64,
    memory: f64,
    link: f64,
    source: &'static str,
}

fn stated(of: &Stated) -> Machine {
    let peak = |value| Known::new(value, 0.02, Source::spec(of.source));
    let machine = Machine { name: Cow::Borrowed(of.name), capacity: of.capacity, ..plain() };
    machine
        .knowing(Coefficient::Products, peak(of.flops))
        .knowing(Coefficient::Memory, peak(of.memory))
        .knowing(Coefficient::Link, peak(of.link))
}

/// What all TPUs have in common: arrays of 128 x 128 (256 x 256 from v6e on, fed by as many rows), vectors of 8 x 128.
fn tpu(of: &Stated) -> Machine {
    let small = Known::new(24.0, 1.0, ASSUMED);
    let vector =
        Known::new(of.flops / 32.0, 0.5, Source::spec("vector unit of 8 x 128 beside an array of 128 x 128"));
    let machine = stated(of)
        .knowing(
            Coefficient::ProductShare,
            Known::new(0.87, 0.07, Source::others("GShard 5.2: over 85% of peak")),
        )
        .knowing(
            Coefficient::BatchedShare,
            Known::new(0.6, 0.4, Source::assumed("GShard 5.2 has over 30% of peak in attention, on TPU v3")),
        )
        .knowing(Coefficient::HalfRows, small.clone())
        .knowing(Coefficient::HalfColumns, small.clone())
        .knowing(Coefficient::HalfDepth, small)
        .knowing(Coefficient::MemoryShare, Known::new(0.85, 0.12, ASSUMED))
        .knowing(Coefficient::Elements, vector)
        .knowing(Coefficient::Function, Known::new(10.0, 0.6, ASSUMED))
        .knowing(
            Coefficient::Running,
            Known::new(
                0.1,
                1.0,
                Source::fitted(
                    "gshard-figure-8 (5.2: cumsum is sequential, a tenth of a layer at 2,048 cores)",
                ),
            ),
        )
        .knowing(Coefficient::Launch, Known::new(1e-6, 1.0, ASSUMED))
        .knowing(Coefficient::Start, Known::new(1.5e-6, 1.0, SCALING_START))
        .knowing(Coefficient::LinkShare, Known::new(0.95, 0.05, SCALING_LINK))
        .knowing(Coefficient::ExchangeShare, Known::new(0.8, 0.2, ASSUMED))
        .knowing(Coefficient::RingShare, Known::new(1.0, 0.2, SCALING_RING))
        .knowing(Coefficient::Hop, Known::new(5e-7, 1.0, SCALING_TPU))
        .knowing(
            Coefficient::Inner,
            Known::new(of.memory / 2.0, 0.5, Source::assumed("half the rate of the chip's memory")),
        );
    Machine { types: Cow::Borrowed(TPU_TYPES), tile: 128, ..machine }
}

/// Products of `f32` at the default precision are one pass in `bf16`.
const TPU_TYPES: &[(DType, f64)] = &[(DType::BF16, 1.0), (DType::F32, 1.0)];
/// With twice the rate in 8 bits.
const TPU_NARROW: &[(DType, f64)] = &[(DType::S8, 2.0), (DType::BF16, 1.0), (DType::F32, 1.0)];

fn tpu_v2() -> Machine {
    let source = "v2/v3 paper: half of a chip's 46 TFLOP/s and 700 GB/s; links of 496 Gb/s";
    let of = Stated {
        name: "tpu-v2",
        capacity: left_by_libtpu(748),
        flops: 23e12,
        memory: 350e9,
        link: 62e9,
        source,
    };
    early(&of)
}

/// The first two that trained: only what goes to a neighbour is hidden, and all-to-alls gain little from closed rings.
fn early(of: &Stated) -> Machine {
    const RING: Source = Source::fitted(
        "gshard-figure-8, gshard-figure-9 (5.2, 5.3: 3.75 times as long on 2,048 cores as on 128, 9 times as long as on 16)",
    );
    const ROWS: Source = Source::fitted(
        "gspmd-table-2, gspmd-table-3, gspmd-table-6, gspmd-table-7 (every second row, `reproduce tpu-v3-constants`)",
    );
    const AT_BOUND: Source = Source::fitted(
        "gspmd-table-2, gspmd-table-3, gspmd-table-6, gspmd-table-7 (every second row; it is at the bound of 0.97 that \
         the fit allows, so the rows ask for more than a share can give)",
    );
    const BELOW: Source = Source::fitted(
        "gspmd-table-2, gspmd-table-3, gspmd-table-6, gspmd-table-7 (every second row; GShard 5.2 has over 30% in \
         attention, so this includes losses of these programs elsewhere)",
    );
    let machine = tpu(of)
        .knowing(Coefficient::Start, Known::new(5e-6, 1.0, ASSUMED))
        .knowing(Coefficient::RingShare, Known::new(0.1, 1.0, RING))
        .knowing(Coefficient::ProductShare, Known::new(0.97, 0.05, AT_BOUND))
        .knowing(Coefficient::BatchedShare, Known::new(0.21, 0.4, BELOW))
        .knowing(Coefficient::MemoryShare, Known::new(0.78, 0.12, ROWS))
        .knowing(Coefficient::LinkShare, Known::new(0.655, 0.1, ROWS))
        .knowing(Coefficient::ExchangeShare, Known::new(0.9, 0.1, ROWS));
    Machine { overlap: Overlap::Permutes, ..machine }
}

fn tpu_v3() -> Machine {
    let source =
        "v2/v3 paper: half of a chip's 123 TFLOP/s and 900 GB/s; links of 656 Gb/s. GSPMD 5: 16 GB a core";
    let of = Stated {
        name: "tpu-v3",
        capacity: left_by_libtpu(1548),
        flops: 61.5e12,
        memory: 450e9,
        link: 82e9,
        source,
    };
    early(&of)
}

fn tpu_v4() -> Machine {
    let source = "v4 paper: 275 TFLOP/s, 1.2 TB/s, 6 links of 50 GB/s";
    tpu(&Stated {
        name: "tpu-v4",
        capacity: left_by_libtpu(3075),
        flops: 275e12,
        memory: 1.2e12,
        link: 50e9,
        source,
    })
}

/// A chip of v4 as two devices, as its predecessors are.
fn tpu_v4_core() -> Machine {
    let source = "v4 paper: half of a chip's 275 TFLOP/s and 1.2 TB/s; links of 50 GB/s";
    let of = Stated {
        name: "tpu-v4-core",
        capacity: left_by_libtpu(1525),
        flops: 137.5e12,
        memory: 0.6e12,
        link: 50e9,
        source,
    };
    tpu(&of)
}

fn tpu_v5e() -> Machine {
    let source = "Cloud TPU v5e: 197 TFLOP/s, 819 GB/s, 1,600 Gb/s over 4 links";
    let of = Stated {
        name: "tpu-v5e",
        capacity: left_by_libtpu(1575),
        flops: 197e12,
        memory: 819e9,
        link: 50e9,
        source,
    };
    Machine { types: Cow::Borrowed(TPU_NARROW), ..tpu(&of) }
}

fn tpu_v5p() -> Machine {
    let source = "Cloud TPU v5p: 459 TFLOP/s, 2,765 GB/s, 4,800 Gb/s over 6 links";
    let of = Stated {
        name: "tpu-v5p",
        capacity: left_by_libtpu(9573),
        flops: 459e12,
        memory: 2.765e12,
        link: 100e9,
        source,
    };
    Machine { types: Cow::Borrowed(TPU_NARROW), ..tpu(&of) }
}

fn tpu_v6e() -> Machine {
    let source = "Cloud TPU v6e: 918 TFLOP/s, 1,640 GB/s, 3,584 Gb/s over 4 links";
    let of = Stated {
        name: "tpu-v6e",
        capacity: left_by_libtpu(3124),
        flops: 918e12,
        memory: 1.64e12,
        link: 112e9,
        source,
    };
    Machine { types: Cow::Borrowed(TPU_NARROW), tile: 256, ..tpu(&of) }
}

/// What GPUs have in common.
fn gpu(of: &Stated, outer: f64, share: f64, function: f64) -> Machine {
    let small = Known::new(96.0, 1.0, ASSUMED);
    stated(of)
        .knowing(
            Coefficient::ProductShare,
            Known::new(share, 0.1, Source::others("published runs of large products in bf16")),
        )
        .knowing(Coefficient::BatchedShare, Known::new(0.75, 0.3, ASSUMED))
        .knowing(Coefficient::HalfRows, small.clone())
        .knowing(Coefficient::HalfColumns, small.clone())
        .knowing(Coefficient::HalfDepth, small)
        .knowing(Coefficient::MemoryShare, Known::new(0.85, 0.1, ASSUMED))
        .knowing(
            Coefficient::Elements,
            Known::new(of.flops / 16.0, 0.5, Source::spec("its rate in f32 without tensor cores")),
        )
        .knowing(
            Coefficient::Function,
            Known::new(
                function + 1.0,
                0.4,
                Source::spec("CUDA C++ Programming Guide: 16 exponentials a clock beside 64 sums (128 from H100 on), and one more to scale"),
            ),
        )
        .knowing(Coefficient::Running, Known::new(0.1, 1.0, ASSUMED))
        .knowing(
            Coefficient::Launch,
            Known::new(
                8e-7,
                1.0,
                Source::others("NVIDIA, Getting Started with CUDA Graphs: a kernel of 2.9 us takes 3.4 to 3.8 behind others"),
            ),
        )
        .knowing(
            Coefficient::Start,
            Known::new(9e-6, 0.6, Source::others("NCCL, src/graph/tuning.cc: 6.6 to 14 us to begin")),
        )
        .knowing(Coefficient::LinkShare, Known::new(0.82, 0.1, SCALING_GPU))
        .knowing(Coefficient::ExchangeShare, Known::new(0.82, 0.1, NCCL_SHARE))
        .knowing(
            Coefficient::Hop,
            Known::new(1.5e-6, 1.4, Source::others("NCCL, src/graph/tuning.cc: 0.6 to 3.4 us over NVLink")),
        )
        .knowing(Coefficient::Outer, Known::new(outer, 0.1, Source::spec("data sheet: one InfiniBand port for each GPU")))
        .knowing(
            Coefficient::OuterHop,
            Known::new(6e-6, 1.4, Source::others("NCCL, src/graph/tuning.cc: 2.7 to 14 us over a network")),
        )
}

/// By the rate of `bf16`; `f32` as TF32.
const A100_TYPES: &[(DType, f64)] =
    &[(DType::S8, 2.0), (DType::BF16, 1.0), (DType::F16, 1.0), (DType::F32, 0.5), (DType::F64, 0.0625)];
const H100_TYPES: &[(DType, f64)] = &[
    (DType::S8, 2.0),
    (DType::F8E4M3FN, 2.0),
    (DType::F8E5M2, 2.0),
    (DType::BF16, 1.0),
    (DType::F16, 1.0),
    (DType::F32, 0.5),
    (DType::F64, 0.068),
];

fn a100_40() -> Machine {
    let source = "data sheet: 312 TFLOP/s, 1,555 GB/s, NVLink of 300 GB/s one way";
    let of = Stated {
        name: "a100-40",
        capacity: 40_000_000_000,
        flops: 312e12,
        memory: 1.555e12,
        link: 300e9,
        source,
    };
    Machine { types: Cow::Borrowed(A100_TYPES), ..gpu(&of, 25e9, 0.8, 4.0) }
}

fn a100_80() -> Machine {
    let source = "data sheet: 312 TFLOP/s, 2,039 GB/s, NVLink of 300 GB/s one way";
    let of = Stated {
        name: "a100-80",
        capacity: 80_000_000_000,
        flops: 312e12,
        memory: 2.039e12,
        link: 300e9,
        source,
    };
    Machine { types: Cow::Borrowed(A100_TYPES), ..gpu(&of, 25e9, 0.8, 4.0) }
}

fn h100() -> Machine {
    let source = "data sheet: 989 TFLOP/s, 3.35 TB/s, NVLink of 450 GB/s one way";
    let of = Stated {
        name: "h100",
        capacity: 80_000_000_000,
        flops: 989e12,
        memory: 3.35e12,
        link: 450e9,
        source,
    };
    Machine { types: Cow::Borrowed(H100_TYPES), ..gpu(&of, 50e9, 0.7, 8.0) }
}

fn h200() -> Machine {
    let source = "data sheet: 989 TFLOP/s, 4.8 TB/s, NVLink of 450 GB/s one way";
    let of = Stated {
        name: "h200",
        capacity: 141_000_000_000,
        flops: 989e12,
        memory: 4.8e12,
        link: 450e9,
        source,
    };
    Machine { types: Cow::Borrowed(H100_TYPES), ..gpu(&of, 50e9, 0.7, 8.0) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_peak_of_the_plain_machine_is_chosen() {
        let missing = |of: &Coefficient| of.perfect().is_none() && plain()[*of] == 0.0;
        assert_eq!(Coefficient::ALL.into_iter().find(missing), None);
    }

    #[test]
    fn every_machine_says_where_each_number_comes_from() {
        for kind in &KINDS {
            let machine = kind.device();
            assert_eq!(machine.name, kind.name);
            for of in Coefficient::ALL {
                let known = machine.known(of);
                let is_said = matches!(known.source, Source::Assumed(_)) || !known.source.detail().is_empty();
                assert!(is_said && known.value.is_finite(), "{} {}", kind.name, of.name());
                assert!((0.0..=1.5).contains(&known.within), "{} {}", kind.name, of.name());
            }
        }
    }

    /// A constant fitted to a figure must name it, so that the figure is not taken for a test.
    #[test]
    fn constants_taken_from_a_papers_figure_are_fitted_on_it() {
        let machine = tpu_v3();
        for (of, figure) in [
            (Coefficient::RingShare, "gshard-figure-9"),
            (Coefficient::RingShare, "gshard-figure-8"),
            (Coefficient::Running, "gshard-figure-8"),
            (Coefficient::ProductShare, "gspmd-table-2"),
        ] {
            assert!(
                machine.known(of).source.fitted_on().any(|rows| rows == figure),
                "{} {figure}",
                of.name()
            );
        }
        let bound = machine.known(Coefficient::ProductShare);
        assert!(bound.value == 0.97 && bound.source.detail().contains("at the bound of 0.97"));
        assert!(machine.known(Coefficient::BatchedShare).source.detail().contains("over 30%"));
        assert_eq!(tpu_v4().known(Coefficient::Products).source.kind(), "published spec");
    }
}
