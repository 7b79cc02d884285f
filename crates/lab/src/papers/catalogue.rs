//! Every table, figure and algorithm of the four documents: what shows it here, at what scale, and how far that goes.
//!
//! `docs/results/catalogue.md` is this list, which `cargo test -p meshwright-lab --test it papers::` compares, and
//! `meshwright reproduce --list` prints it. [`DOCUMENTS`] counts the items of each document; a test finds an item that
//! is missing here, and a command or file that does not exist.

use meshwright_cli::grid::{Cell, Grid};

/// A document, with how many items of each kind it has.
pub struct Document {
    pub name: &'static str,
    pub title: &'static str,
    pub tables: usize,
    pub figures: usize,
    pub algorithms: usize,
}

pub const DOCUMENTS: [Document; 4] = [
    Document { name: "GSPMD", title: "GSPMD (2021)", tables: 9, figures: 10, algorithms: 0 },
    Document { name: "GShard", title: "GShard (2020)", tables: 4, figures: 13, algorithms: 2 },
    Document { name: "Switch", title: "Switch Transformers (2021)", tables: 11, figures: 16, algorithms: 0 },
    Document { name: "Blog", title: "the blog post on GSPMD (2021)", tables: 1, figures: 2, algorithms: 0 },
];

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Kind {
    Table,
    Figure,
    Algorithm,
}

impl Kind {
    pub fn name(self) -> &'static str {
        match self {
            Kind::Table => "Table",
            Kind::Figure => "Figure",
            Kind::Algorithm => "Algorithm",
        }
    }
}

/// The origin of an item's number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Evidence {
    /// Timed on this machine, at the size that the item is about.
    MeasuredHere,
    /// Counted in, or rewritten by, a program at the item's size: there is nothing to estimate.
    Counted,
    /// By the ahead-of-time compiler of TPUs, from our program.
    CompiledByTpu,
    /// By our cost model of a machine, with its errors.
    Simulated,
    /// Trained here at a size thousands of times smaller: an order at most, no number of the paper.
    Toy,
    /// Nothing, and why.
    Missing(&'static str),
}

impl Evidence {
    pub const NAMES: [&str; 6] =
        ["measured here", "counted", "compiled by the TPU compiler", "simulated", "a toy", "missing"];

    /// The evidence of a name; none for `missing`, which needs a reason.
    pub fn of_name(name: &str) -> Option<Evidence> {
        use Evidence::{CompiledByTpu, Counted, MeasuredHere, Simulated, Toy};
        [MeasuredHere, Counted, CompiledByTpu, Simulated, Toy].into_iter().find(|one| one.name() == name)
    }

    pub fn name(self) -> &'static str {
        let [measured, counted, compiled, simulated, toy, missing] = Evidence::NAMES;
        match self {
            Evidence::MeasuredHere => measured,
            Evidence::Counted => counted,
            Evidence::CompiledByTpu => compiled,
            Evidence::Simulated => simulated,
            Evidence::Toy => toy,
            Evidence::Missing(_) => missing,
        }
    }
}

/// One item.
pub struct Entry {
    pub document: &'static str,
    pub kind: Kind,
    pub number: usize,
    pub about: &'static str,
    /// What to type, in a checkout; nothing for what is not there yet.
    pub command: &'static str,
    pub scale: &'static str,
    pub evidence: Evidence,
}

type Of = (usize, &'static str, &'static str, &'static str, Evidence);

const fn entry(document: &'static str, kind: Kind, of: Of) -> Entry {
    let (number, about, command, scale, evidence) = of;
    Entry { document, kind, number, about, command, scale, evidence }
}

/// A document's items of one kind, as a list of entries.
macro_rules! entries {
    ($document:literal, $kind:ident: $($of:expr),* $(,)?) => {
        [$(entry($document, Kind::$kind, $of)),*]
    };
}

use Evidence::{Counted, Missing, Simulated, Toy};

const PAPER: &str = "the paper's";
const SMALL: &str = "small";
const ROUTING: &str = "cargo test -p meshwright-nn --test it moe_routing::";
const GSPMD_TABLES: [Entry; 9] = entries!["GSPMD", Table:
    (1, "memory and communication of three ways to split a dense layer", "meshwright reproduce gspmd-table-1", "one layer, meshes of 16 to 64", Counted),
    (2, "dense Transformers of 64B to 1T", "meshwright reproduce gspmd-table-2", PAPER, Simulated),
    (3, "narrower dense Transformers of 16B", "meshwright reproduce gspmd-table-3", PAPER, Simulated),
    (4, "the same in pipelines", "meshwright reproduce gspmd-table-4", PAPER, Simulated),
    (5, "Conformers in pipelines", "meshwright reproduce gspmd-table-5", PAPER, Simulated),
    (6, "sparse mixtures of experts of 10B to 577B", "meshwright reproduce gspmd-table-6", PAPER, Simulated),
    (7, "hybrids of sparse and dense layers", "meshwright reproduce gspmd-table-7", PAPER, Simulated),
    (8, "3D U-Nets in pieces of space", "meshwright reproduce gspmd-table-8", PAPER, Simulated),
    (9, "ops for values that differ per device", "meshwright partition tests/filetests/partition/figures/gshard_figures_11_and_12_gspmd_figure_9_halos_differ_from_device_to_device.mlir", SMALL, Counted),
];

const GSPMD_FIGURES: [Entry; 10] = entries!["GSPMD", Figure:
    (1, "three kinds of sharding", "meshwright complete tests/filetests/complete/figures/gspmd_figure_1_tiled_replicated_and_partially_tiled.mlir", SMALL, Counted),
    (2, "an encoder of experts and a dense decoder over the same two axes", "meshwright train gspmd-figure-2-tiny", SMALL, Toy),
    (3, "a dot merges its operands' shardings", "meshwright complete tests/filetests/complete/figures/gspmd_figure_3_a_dot_merges_its_operands.mlir", SMALL, Counted),
    (4, "elementwise ops decide before dots", "meshwright complete tests/filetests/complete/figures/gspmd_figure_4_elementwise_ops_decide_before_dots.mlir", SMALL, Counted),
    (5, "halos of a convolution, a pad and a reshape", "meshwright partition tests/filetests/partition/figures/gspmd_figure_5a_convolution_reaches_into_both_neighbours.mlir", SMALL, Counted),
    (6, "recursive partitioning of an einsum", "meshwright partition tests/filetests/partition/figures/gspmd_figure_6_recursive_partitioning_of_an_einsum.mlir", SMALL, Counted),
    (7, "a feed-forward layer under three strategies", "meshwright partition tests/filetests/partition/figures/gspmd_figure_7_2d_finalized_gathers_weights_and_activations.mlir", SMALL, Counted),
    (8, "a layer of experts, and the hybrid", "meshwright partition tests/filetests/partition/figures/gspmd_figure_8b_hybrid_moe_layer.mlir", SMALL, Counted),
    (9, "halos of device-dependent sizes", "meshwright partition tests/filetests/partition/figures/gshard_figures_11_and_12_gspmd_figure_9_halos_differ_from_device_to_device.mlir", SMALL, Counted),
    (10, "convolutions of a dilated base, case 3 among them", "meshwright partition tests/filetests/partition/figures/gshard_figure_13_gspmd_figure_10_case_3_stride_2.mlir", SMALL, Counted),
];

const GSHARD_TABLES: [Entry; 4] = entries!["GShard", Table:
    (1, "the family of models and their parameters", "meshwright presets", PAPER, Counted),
    (2, "tokens to a loss, by depth and experts", "meshwright reproduce gshard-m4", SMALL, Toy),
    (3, "steps per second, and BLEU", "meshwright reproduce gshard-table-3", PAPER, Simulated),
    (4, "how operators scale with the devices", "cargo test -p meshwright-spmd --test it gshard_table_4::", "4 to 256 devices", Counted),
];

const GSHARD_FIGURES: [Entry; 13] = entries!["GShard", Figure:
    (1, "translation quality over model size", "meshwright reproduce gshard-m4", SMALL, Toy),
    (2, "one program for all devices", "meshwright partition tests/filetests/partition/figures/gshard_figure_2b_one_program_for_all_devices.mlir", SMALL, Counted),
    (3, "an encoder with experts in every other layer", "meshwright explain preset:gshard-12l-128e", PAPER, Counted),
    (4, "three ways to partition an einsum", "meshwright partition tests/filetests/partition/figures/gshard_figure_4a_an_einsum_along_g_is_resharded_to_e.mlir", SMALL, Counted),
    (5, "halos of a convolution, a pad and a reshape", "meshwright partition tests/filetests/partition/figures/gspmd_figure_5b_pad_changes_shard_boundaries.mlir", SMALL, Counted),
    (6, "translation quality by language", "meshwright reproduce gshard-m4", SMALL, Toy),
    (7, "memory per device for each model", "meshwright reproduce gshard-figure-7", PAPER, Simulated),
    (8, "parts of a layer's time, beside its roofline", "meshwright reproduce gshard-figure-8", PAPER, Simulated),
    (9, "all-reduce and all-to-all on up to 2,048 cores", "meshwright reproduce gshard-figure-9", PAPER, Simulated),
    (10, "an order of devices for the network", "meshwright reproduce gshard-figure-10", PAPER, Simulated),
    (11, "halos of device-dependent sizes", "meshwright partition tests/filetests/partition/figures/gshard_figures_11_and_12_gspmd_figure_9_halos_differ_from_device_to_device.mlir", SMALL, Counted),
    (12, "the ops of a general halo exchange", "meshwright partition tests/filetests/partition/figures/gshard_figures_11_and_12_gspmd_figure_9_halos_differ_from_device_to_device.mlir", SMALL, Counted),
    (13, "convolutions of a dilated base", "meshwright partition tests/filetests/partition/figures/gshard_figure_13_gspmd_figure_10_case_1_dilation_in_step.mlir", SMALL, Counted),
];

const GSHARD_ALGORITHMS: [Entry; 2] = entries!["GShard", Algorithm:
    (1, "top-2 gating by groups", ROUTING, "any", Counted),
    (2, "the layer of experts as einsums", "meshwright reproduce gshard-algorithm-2", "one layer, 128 to 2,048 devices", Counted),
];

const SWITCH_TABLES: [Entry; 11] = entries!["Switch", Table:
    (1, "Switch beside two experts per token and dense", "meshwright reproduce switch-table-1", SMALL, Toy),
    (2, "selective precision", "meshwright reproduce switch-table-2", SMALL, Toy),
    (3, "a smaller scale of initial weights", "meshwright reproduce switch-table-3", SMALL, Toy),
    (4, "dropout of experts in fine-tuning", "meshwright reproduce switch-table-4", SMALL, Toy),
    (5, "fine-tuning results", "meshwright reproduce switch-table-5", SMALL, Toy),
    (6, "distillation", "meshwright reproduce switch-table-6", SMALL, Toy),
    (7, "compression by distillation", "meshwright reproduce switch-table-7", SMALL, Toy),
    (8, "distillation of a fine-tuned model", "meshwright reproduce switch-table-8", SMALL, Toy),
    (9, "the family of models: parameters and flops", "meshwright reproduce switch-table-9", PAPER, Counted),
    (10, "experts in attention", "meshwright reproduce switch-table-10", SMALL, Toy),
    (11, "how a router explores", "meshwright reproduce switch-table-11", SMALL, Toy),
];

const SWITCH_FIGURES: [Entry; 16] = entries!["Switch", Figure:
    (1, "loss falls with experts; a speed-up in steps", "meshwright reproduce switch-figure-1", SMALL, Toy),
    (2, "an encoder's block with a layer of experts", "meshwright explain preset:switch-base", PAPER, Counted),
    (3, "capacity and dropped tokens", ROUTING, "any", Counted),
    (4, "loss over experts and over steps", "meshwright reproduce switch-figure-1", SMALL, Toy),
    (5, "loss over time", "meshwright reproduce switch-figure-5", SMALL, Toy),
    (6, "beside a larger dense model", "meshwright reproduce switch-figure-6", SMALL, Toy),
    (7, "gains in 101 languages", "meshwright reproduce switch-figure-7", SMALL, Toy),
    (8, "speed-ups in 101 languages", "meshwright reproduce switch-figure-8", SMALL, Toy),
    (9, "strategies for data and weights", "cargo test -p meshwright-nn --test it strategies::", SMALL, Counted),
    (10, "experts in attention", "cargo test -p meshwright-nn --test it moe_variants::", SMALL, Counted),
    (11, "no token left behind", "meshwright reproduce switch-figure-11", SMALL, Toy),
    (12, "few experts already help", "meshwright reproduce switch-figure-12", SMALL, Toy),
    (13, "quality in pre-training and after it", "meshwright reproduce switch-figure-13", SMALL, Toy),
    (14, "the balancing loss, as code", ROUTING, "any", Counted),
    (15, "the router, as code", ROUTING, "any", Counted),
    (16, "the layer, as code", "cargo test -p meshwright-nn --test it moe_layer::", "any", Counted),
];

const BLOG: [Entry; 1] = entries!["Blog", Table:
    (1, "utilization of four large models", "meshwright reproduce blog-table", PAPER, Simulated),
];

const BLOG_FIGURES: [Entry; 2] = entries!["Blog", Figure:
    (1, "a feed-forward layer, annotated and partitioned", "meshwright partition tests/filetests/partition/figures/gspmd_figure_7_2d_finalized_gathers_weights_and_activations.mlir", SMALL, Counted),
    (2, "an encoder of experts and a dense decoder over the same two axes", "meshwright train gspmd-figure-2-tiny", SMALL, Toy),
];

/// All of them: by document, then tables, figures, algorithms.
pub fn entries() -> impl Iterator<Item = &'static Entry> {
    let gspmd = GSPMD_TABLES.iter().chain(&GSPMD_FIGURES);
    let gshard = GSHARD_TABLES.iter().chain(&GSHARD_FIGURES).chain(&GSHARD_ALGORITHMS);
    let switch = SWITCH_TABLES.iter().chain(&SWITCH_FIGURES);
    gspmd.chain(gshard).chain(switch).chain(&BLOG).chain(&BLOG_FIGURES)
}

/// The list, for a terminal and for programs.
pub fn grid() -> Grid {
    let mut grid = Grid::new(["item", "subject", "number is", "scale", "command, or why not"]);
    for entry in entries() {
        let why = match entry.evidence {
            Missing(why) => why.to_string(),
            _ => format!("`{}`", entry.command),
        };
        let item = format!("{} {} {}", entry.document, entry.kind.name(), entry.number);
        let cells = [item.as_str(), entry.about, entry.evidence.name(), entry.scale, &why];
        grid.row(cells.map(Cell::text));
    }
    grid
}

/// The count of each kind of evidence.
pub fn summary() -> String {
    let count = |name: &str| entries().filter(|entry| entry.evidence.name() == name).count();
    let all = entries().count();
    let kinds = Evidence::NAMES.map(|name| format!("{} {name}", count(name)));
    format!("{all} items: {}", kinds.join(", "))
}

/// What is said behind the list.
const BESIDE: &str = "\nBeside these: `meshwright reproduce step-times` has all rows of GSPMD's and GShard's tables with their errors, and\n\
`meshwright reproduce tpu-v3-constants` fits again the constants that every second row of them gave.\n\
`meshwright reproduce sensitivity` says how much steps change where a constant that no source states is half or twice what is assumed.\n\
`meshwright reproduce switch-table-9-nll` trains what the last columns of Switch's Table 9 have, and \
`meshwright reproduce switch-figure-12-decoder` its Figure 12 with a decoder alone.\n\
`meshwright reproduce switch-table-1-speed` simulates the speed column of Switch's Table 1, and Figures 5 and 6 by the clock, at the paper's size; `meshwright reproduce constants` has the source of every constant.\n\
`meshwright reproduce gshard-figure-2` compiles a dot as one program for each device and as one for all, on 1 to 2,048 devices, and measures the CPU time here; \
`meshwright reproduce gspmd-annotations` counts the annotated tensors of a layer.\n\
`meshwright reproduce in-process` predicts steps on this machine, behind `meshwright bench machine`, and runs them.\n";

/// The page of the docs.
pub fn page() -> String {
    format!(
        "# Every table, figure and algorithm\n\n\
         Written by `meshwright reproduce --list`; a test fails if this page is out of date. The column *number is* says \
         where a number comes from: *measured here*, timed on this machine; *counted* in a program or rewritten by it, with \
         nothing to estimate; *compiled by the TPU compiler*; *simulated* by our model of the papers' machines, whose errors \
         the command prints beside it; *a toy*, trained at a size for two cores, which shows an order at most. [All items \
         by row](items.md) has every row, count and claim with its number; [the headline results](headline.md) are one \
         screen.\n\n\
         {}\n{}",
        summary() + ".\n",
        grid().to_text() + BESIDE,
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_item_of_every_document_is_listed_once() {
        let mut wanted = BTreeSet::new();
        for document in &DOCUMENTS {
            let kinds = [
                (Kind::Table, document.tables),
                (Kind::Figure, document.figures),
                (Kind::Algorithm, document.algorithms),
            ];
            for (kind, count) in kinds {
                wanted.extend((1..=count).map(|number| (document.name, kind, number)));
            }
        }
        let listed: Vec<_> = entries().map(|entry| (entry.document, entry.kind, entry.number)).collect();
        assert_eq!(listed.len(), wanted.len());
        assert_eq!(listed.into_iter().collect::<BTreeSet<_>>(), wanted);
    }

    /// The choice of values that are computed again hangs on the cost model.
    #[test]
    fn nothing_that_hangs_on_the_cost_model_is_counted() {
        let of = |document: &str, kind: Kind, number: usize| {
            let found =
                entries().find(|one| (one.document, one.kind, one.number) == (document, kind, number));
            found.map(|entry| entry.evidence)
        };
        assert_eq!(of("GShard", Kind::Figure, 7), Some(Simulated));
        for number in 2..=8 {
            assert_eq!(of("GSPMD", Kind::Table, number), Some(Simulated));
        }
        assert_eq!(of("Switch", Kind::Table, 1), Some(Toy));
    }

    #[test]
    fn what_is_there_has_a_command_and_what_is_not_has_a_reason() {
        for entry in entries() {
            let is_there = !matches!(entry.evidence, Missing(_));
            assert_eq!(
                is_there,
                !entry.command.is_empty(),
                "{} {:?} {}",
                entry.document,
                entry.kind,
                entry.number
            );
        }
    }
}
