//! The papers' models at the papers' sizes, with mesh, batch, types and optimizer: one table. They can be planned
//! (traced, completed, partitioned: only shapes are made), not trained here.
//!
//! What no paper states is marked so in a row's comment: the lengths of GShard's sequences (`SENTENCE`), the mesh of
//! models for which only a number of cores is known, and the split of `M x layers` in GSPMD's Tables 6 and 7.
//! Switch-XXL has the 128 experts that its count of parameters needs (Table 9 prints 64). Dense GShard baselines have
//! `kv = 64`, by which their printed counts come out; 128 is the sparse models'.
//!
//! Groups of the Switch models are the tokens of a core (Figure 16), moved by index: the same rows as by its masks,
//! whose products would be three times the model's for groups of so many tokens. Switch-C's cores have one sequence
//! each, in which an expert would have 0.31 places (equation 3): 16 cores share a group there. What is counted in a
//! sequence beyond Table 9's flops is held in `tests/table_9.rs`.
//!
//! Blocks are stacked, so that a program's text does not grow with the depth. Only those of pipelines are recomputed
//! in the backward pass: GSPMD calls that "a key difference from non-pipelined configurations" (5.2), whose printed
//! memory and flops leave no room for it either. It follows GPipe there, which keeps what enters a stage and computes
//! all of the stage again. GShard leaves it to the compiler (5.1): its sparse models fit their devices with a memory
//! limit.

use super::conformer::Conformer;
use super::encoder_decoder::EncoderDecoder;
use super::family::{Sizes, conformer, dense2d, gshard, switch, t5};
use super::language::Language;
use super::piped::Piped;
use super::step::{Model, Training, train_step};
use super::strategy::{
    DATA, DATA_MODEL, EXPERT, EXPERT_DATA, EXPERT_MODEL_DATA, EXPERT_POOLED, FINALIZED, HYBRID, PIPELINED,
    PIPELINED_DATA, Table,
};
use super::transformer::{Moe, Transformer};
use crate::moe::exchange::Exchange;
use crate::optim::Optimizer;
use crate::optim::adafactor::Adafactor;
use crate::optim::schedule::Schedule;
use crate::optim::stored::Stored;
use meshwright_ir::DType;
use meshwright_tensor::prelude::*;

/// Whose model it is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Family {
    T5,
    Switch,
    GShard,
    /// GSPMD's language models.
    Dense2d,
    /// GSPMD's speech models: `length` is frames, of which a quarter is left in the blocks.
    Conformer,
}

/// A number of parameters in a document's own characters, so that no value stands here that no document contains.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Printed {
    /// As printed: `26B`, `12.5B`, `1T`.
    pub digits: &'static str,
    /// Where.
    pub place: &'static str,
    /// The value of the document's "B": 10^9, or 2^30 in GSPMD's tables.
    pub billion: f64,
}

impl Printed {
    const fn new(digits: &'static str, place: &'static str) -> Printed {
        Printed { digits, place, billion: 1e9 }
    }

    /// A number in GSPMD's units, in which a billion is 2^30.
    const fn binary(digits: &'static str, place: &'static str) -> Printed {
        Printed { digits, place, billion: GIBI }
    }

    /// Number and suffix.
    fn parts(&self) -> (&'static str, f64) {
        let number = self.digits.trim_end_matches(|last: char| last == ' ' || last.is_ascii_alphabetic());
        let thousand = if self.billion == GIBI { 1_024.0 } else { 1_000.0 };
        let factor = match &self.digits[number.len()..] {
            "M" => self.billion / thousand,
            "T" => self.billion * thousand,
            _ => self.billion,
        };
        (number, factor)
    }

    /// The number of parameters; no number if the digits are none.
    pub fn value(&self) -> f64 {
        let (number, factor) = self.parts();
        number.parse().map_or(f64::NAN, |number: f64| number * factor)
    }

    /// The value of one in the last digit: nothing finer is printed.
    pub fn unit(&self) -> f64 {
        let (number, factor) = self.parts();
        let decimals = number.split_once('.').map_or(0, |(_, decimals)| decimals.len());
        factor / 10f64.powi(i32::try_from(decimals).unwrap_or(i32::MAX))
    }

    /// Whether a count rounds to the printed digits.
    pub fn is_met_by(&self, count: i64) -> bool {
        (count as f64 - self.value()).abs() <= 0.5 * self.unit()
    }
}

/// A model at a paper's size.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Preset {
    pub name: &'static str,
    pub family: Family,
    /// Blocks of each stack.
    pub blocks: usize,
    pub sizes: Sizes,
    /// Parameters as the paper prints them, if it does.
    pub printed: Option<Printed>,
    pub table: &'static Table,
    pub mesh: &'static [(&'static str, i64)],
    /// Sequences in a batch.
    pub batch: i64,
    /// Tokens of a sequence: the source's.
    pub length: i64,
    /// Type of activations; parameters and states are `f32`.
    pub compute: DType,
    /// Whether blocks are computed again in the backward pass.
    pub recompute: bool,
    /// Its blocks on stages, if they lie so.
    pub pipeline: Option<Piped>,
}

/// A model of any kind.
#[derive(Clone, Debug)]
pub enum Built {
    Language(Language),
    EncoderDecoder(EncoderDecoder),
    Conformer(Conformer),
}

impl Built {
    /// Number of parameters.
    pub fn elements(&self) -> i64 {
        match self {
            Built::Language(model) => model.specs().elements(),
            Built::EncoderDecoder(model) => model.specs().elements(),
            Built::Conformer(model) => model.specs().elements(),
        }
    }

    /// One training step.
    pub fn train_step(&self, training: &Training, rules: &Rules) -> Result<Program, Errors> {
        match self {
            Built::Language(model) => train_step(model, training, rules),
            Built::EncoderDecoder(model) => train_step(model, training, rules),
            Built::Conformer(model) => train_step(model, training, rules),
        }
    }
}

impl Preset {
    pub fn model(&self) -> Built {
        let net = |net: Transformer| Transformer {
            compute: self.compute,
            stacked: true,
            recompute: self.recompute,
            pipeline: self.pipeline,
            ..net
        };
        let pair = |model: EncoderDecoder| {
            Built::EncoderDecoder(EncoderDecoder { net: net(model.net.clone()), ..model })
        };
        match self.family {
            Family::T5 => pair(t5(&self.sizes, self.blocks)),
            Family::Switch => pair(by_index(switch(&self.sizes, self.blocks))),
            Family::GShard => {
                pair(EncoderDecoder { target_length: self.length, ..gshard(&self.sizes, self.blocks) })
            }
            Family::Dense2d => {
                let model = dense2d(&self.sizes, self.blocks);
                // "16-bit floating-point activations" (5.1) are taken at their word, as the authors' library does.
                let net = Transformer { narrow_logits: true, ..net(model.net.clone()) };
                Built::Language(Language { net, ..model })
            }
            Family::Conformer => Built::Conformer(Conformer {
                compute: self.compute,
                stacked: true,
                recompute: self.recompute,
                pipeline: self.pipeline,
                ..conformer(&self.sizes, self.blocks)
            }),
        }
    }

    /// The papers' optimizer: Adafactor with T5's or GShard's settings, the latter as A.2 prints them.
    pub fn training(&self) -> Training {
        let (adafactor, schedule) = match self.family {
            Family::GShard => (Adafactor::GSHARD_AS_PRINTED, Schedule::GSHARD),
            Family::T5 | Family::Switch | Family::Dense2d | Family::Conformer => {
                (Adafactor::T5, Schedule::T5)
            }
        };
        // A language model also reads a first token and predicts a last one.
        let more = i64::from(self.family == Family::Dense2d);
        Training {
            optimizer: Optimizer::new(adafactor, schedule),
            batch: self.batch,
            microbatches: 1,
            length: self.length + more,
            dtype: DType::F32,
            stored: Stored::Wide,
            seed: 0,
        }
    }

    /// Its training step over its mesh. Only shapes are made.
    pub fn step(&self) -> Result<Program, Errors> {
        let mesh = Mesh::new(self.mesh.iter().copied())?;
        self.model().train_step(&self.training(), &self.table.rules(&mesh))
    }

    /// Number of devices.
    pub fn devices(&self) -> i64 {
        self.mesh.iter().map(|(_, size)| *size).product()
    }
}

fn by_index(model: EncoderDecoder) -> EncoderDecoder {
    let moe = model.net.moe.map(|moe| Moe { exchange: Exchange::Gather, ..moe });
    EncoderDecoder { net: Transformer { moe, ..model.net }, ..model }
}

/// The preset of a name.
pub fn find(name: &str) -> Option<Preset> {
    all().into_iter().find(|preset| preset.name == name)
}

const TABLE_9: &str = "Switch, Table 9";
const GSHARD_1: &str = "GShard, Table 1";

/// GSPMD's B.
const GIBI: f64 = (1u64 << 30) as f64;

const fn dense(model: i64, hidden: i64, heads: i64, kv: i64) -> Sizes {
    Sizes { model, hidden, heads, kv, gated: false, experts: 0, every: 0, groups: 1, room: 200 }
}

const fn gated(sizes: Sizes) -> Sizes {
    Sizes { gated: true, ..sizes }
}

const fn sparse(sizes: Sizes, experts: i64, every: usize, groups: i64) -> Sizes {
    Sizes { experts, every, groups, ..sizes }
}

const T5_BASE: Sizes = gated(dense(768, 2_048, 12, 64));
const T5_LARGE: Sizes = gated(dense(1_024, 2_816, 16, 64));
const T5_XXL: Sizes = gated(dense(4_096, 10_240, 64, 64));
/// Wider: 768 to 896, 16 heads.
const BASE_PLUS: Sizes = gated(dense(896, 2_048, 16, 64));
const SWITCH_C: Sizes = dense(2_080, 6_144, 32, 64);

/// Everything.
pub fn all() -> Vec<Preset> {
    [
        t5s(),
        switches(),
        gshards(),
        gshard_baselines(),
        wide(),
        narrow(),
        pipelined(),
        conformers(),
        sparse_languages(),
        hybrids(),
    ]
    .concat()
}

/// Switch Transformer, Table 9. 2^20 tokens a batch in sequences of 512; cores are stated for the base models (32).
fn t5s() -> Vec<Preset> {
    let one = |name, blocks, sizes, printed, table, mesh| Preset {
        name,
        family: Family::T5,
        blocks,
        sizes,
        printed,
        table,
        mesh,
        batch: 2_048,
        length: 512,
        compute: DType::BF16,
        recompute: false,
        pipeline: None,
    };
    vec![
        one("t5-base", 12, T5_BASE, Some(Printed::new("223M", "Switch, 4.1")), &DATA, &[("data", 32)]),
        one("t5-large", 24, T5_LARGE, Some(Printed::new("0.7B", TABLE_9)), &DATA, &[("data", 32)]),
        one(
            "t5-xxl",
            24,
            T5_XXL,
            Some(Printed::new("11B", TABLE_9)),
            &DATA_MODEL,
            &[("data", 32), ("model", 16)],
        ),
    ]
}

fn switches() -> Vec<Preset> {
    let one = |name, blocks, sizes, printed, table, mesh| Preset {
        name,
        family: Family::Switch,
        blocks,
        sizes,
        printed,
        table,
        mesh,
        batch: 2_048,
        length: 512,
        compute: DType::BF16,
        recompute: false,
        pipeline: None,
    };
    let small: &[(&str, i64)] = &[("data", 1), ("expert", 32)];
    let wide: &[(&str, i64)] = &[("data", 1), ("expert", 128)];
    let cubic: &[(&str, i64)] = &[("data", 1), ("expert", 128), ("model", 8)];
    vec![
        one(
            "switch-base",
            12,
            sparse(T5_BASE, 128, 2, 32),
            Some(Printed::new("7B", TABLE_9)),
            &EXPERT_DATA,
            small,
        ),
        one("switch-base-plus", 12, sparse(BASE_PLUS, 128, 2, 32), None, &EXPERT_DATA, small),
        one(
            "switch-large",
            24,
            sparse(T5_LARGE, 128, 2, 128),
            Some(Printed::new("26B", TABLE_9)),
            &EXPERT_DATA,
            wide,
        ),
        one(
            "switch-xxl",
            24,
            sparse(T5_XXL, 128, 2, 128),
            Some(Printed::new("395B", TABLE_9)),
            &EXPERT_MODEL_DATA,
            cubic,
        ),
        one(
            "switch-c",
            15,
            sparse(SWITCH_C, 2_048, 1, 128),
            Some(Printed::new("1571B", TABLE_9)),
            &EXPERT_POOLED,
            &[("data", 128), ("expert", 16)],
        ),
    ]
}

/// Tokens of GShard's sequences, of either side. The paper says only that they are short, so that attention is bound
/// by memory (5.2); with 1,024, what attention keeps would alone be a third of the memory in which its 24 layers fit
/// (5.1).
const SENTENCE: i64 = 128;

/// GShard, Table 1 and Figure 7: M 1024, H 8192, 16 heads of 128; blocks are per stack, half of "12L". As many cores
/// as experts; 4M tokens a batch on 2,048 cores, else 1M.
fn gshards() -> Vec<Preset> {
    const BLOCK: Sizes = dense(1_024, 8_192, 16, 128);
    let one = |name, layers: usize, experts, printed, mesh, compute| {
        let tokens = if experts == 2_048 { 4 << 20 } else { 1 << 20 };
        Preset {
            name,
            family: Family::GShard,
            blocks: layers / 2,
            // Groups of as many tokens as a core of 2,048 has (Figure 8 keeps them).
            sizes: sparse(BLOCK, experts, 2, tokens / 2_048),
            printed,
            table: &EXPERT,
            mesh,
            batch: tokens / SENTENCE,
            length: SENTENCE,
            compute,
            recompute: false,
            pipeline: None,
        }
    };
    let (full, half) = (DType::F32, DType::BF16);
    const M2048: &[(&str, i64)] = &[("expert", 2_048)];
    const M512: &[(&str, i64)] = &[("expert", 512)];
    const M128: &[(&str, i64)] = &[("expert", 128)];
    const M32: &[(&str, i64)] = &[("expert", 32)];
    vec![
        one("gshard-36l-2048e", 36, 2_048, Some(Printed::new("600B", GSHARD_1)), M2048, full),
        one("gshard-36l-512e", 36, 512, Some(Printed::new("150B", GSHARD_1)), M512, full),
        one("gshard-36l-128e", 36, 128, Some(Printed::new("37B", GSHARD_1)), M128, full),
        one("gshard-36l-32e", 36, 32, None, M32, full),
        one("gshard-12l-2048e", 12, 2_048, Some(Printed::new("200B", GSHARD_1)), M2048, full),
        one("gshard-12l-512e", 12, 512, Some(Printed::new("50B", GSHARD_1)), M512, full),
        one("gshard-12l-128e", 12, 128, Some(Printed::new("12.5B", GSHARD_1)), M128, full),
        one("gshard-24l-2048e", 24, 2_048, None, M2048, full),
        one("gshard-60l-2048e", 60, 2_048, Some(Printed::new("1T", GSHARD_1)), M2048, half),
    ]
}

/// Dense models that GShard is compared with. The deep ones are "trained with GPipe" (4.2): encoder and decoder are
/// pipelines of their own over the same cores, the batch over the rest of them. Data parallel, either would need more
/// than a core has. No document has their stages or microbatches: 4 and 8 stages with 4 microbatches each are ours, and
/// `reproduce gshard-table-3` shows other stages beside them.
fn gshard_baselines() -> Vec<Preset> {
    let one = |name, blocks, sizes, printed, mesh, tokens: i64| Preset {
        name,
        family: Family::GShard,
        blocks,
        sizes,
        printed,
        table: &DATA,
        mesh,
        batch: tokens / SENTENCE,
        length: SENTENCE,
        compute: DType::F32,
        recompute: false,
        pipeline: None,
    };
    let deep = |name, blocks, sizes, printed, mesh: &'static [(&'static str, i64)]| {
        let stages = mesh.first().map_or(1, |(_, size)| *size);
        let piped = Piped { stages, rounds: 1, microbatches: 4 * stages, recompute: true };
        let whole = one(name, blocks, sizes, printed, mesh, 4 << 20);
        Preset { table: &PIPELINED_DATA, pipeline: Some(piped), ..whole }
    };
    vec![
        deep(
            "gshard-t96l",
            48,
            dense(1_024, 8_192, 16, 64),
            Some(Printed::new("2.3B", "GShard, Figure 6")),
            &[("stage", 4), ("data", 512)],
        ),
        deep(
            "gshard-t128l",
            64,
            dense(1_024, 16_384, 32, 64),
            Some(Printed::new("6 billion", "GShard, 4.2")),
            &[("stage", 8), ("data", 256)],
        ),
        one(
            "gshard-bilingual-big",
            6,
            dense(1_024, 8_192, 16, 64),
            Some(Printed::new("0.4B", "GShard, Figure 6")),
            &[("data", 128)],
            1 << 20,
        ),
        one("gshard-bilingual-base", 6, dense(512, 2_048, 8, 64), None, &[("data", 128)], 1 << 20),
    ]
}

fn language(
    name: &'static str,
    blocks: usize,
    sizes: Sizes,
    printed: Printed,
    table: &'static Table,
    mesh: &'static [(&'static str, i64)],
    batch: i64,
) -> Preset {
    Preset {
        name,
        family: Family::Dense2d,
        blocks,
        sizes,
        printed: Some(printed),
        table,
        mesh,
        batch,
        length: 1_024,
        compute: DType::BF16,
        recompute: false,
        pipeline: None,
    }
}

/// GSPMD, Table 2.
fn wide() -> Vec<Preset> {
    const WIDE: Sizes = dense(8_192, 65_536, 128, 256);
    const WIDER: Sizes = dense(16_384, 131_072, 256, 256);
    const M128: &[(&str, i64)] = &[("x", 8), ("y", 16)];
    const M512: &[(&str, i64)] = &[("x", 16), ("y", 32)];
    const M2048: &[(&str, i64)] = &[("x", 32), ("y", 64)];
    let two = |digits| Printed::binary(digits, "GSPMD, Table 2");
    vec![
        language("gspmd-64b-128", 32, WIDE, two("64B"), &FINALIZED, M128, 64),
        language("gspmd-64b-512", 32, WIDE, two("64B"), &FINALIZED, M512, 256),
        language("gspmd-64b-2048", 32, WIDE, two("64B"), &FINALIZED, M2048, 1_024),
        language("gspmd-128b", 64, WIDE, two("128B"), &FINALIZED, M2048, 512),
        language("gspmd-256b", 128, WIDE, two("256B"), &FINALIZED, M2048, 256),
        language("gspmd-512b", 256, WIDE, two("512B"), &FINALIZED, M2048, 128),
        language("gspmd-1t", 128, WIDER, two("1T"), &FINALIZED, M2048, 128),
    ]
}

/// The model of GSPMD's Tables 3 and 4.
const NARROW: Sizes = dense(4_096, 16_384, 64, 128);

/// GSPMD, Table 3.
fn narrow() -> Vec<Preset> {
    let printed = Printed::binary("16B", "GSPMD, Table 3");
    let one = |name, mesh, batch| language(name, 64, NARROW, printed, &FINALIZED, mesh, batch);
    vec![
        one("gspmd-16b-4x16", &[("x", 4), ("y", 16)], 48),
        one("gspmd-16b-8x16", &[("x", 8), ("y", 16)], 96),
        one("gspmd-16b-8x32", &[("x", 8), ("y", 32)], 192),
        one("gspmd-16b-16x4", &[("x", 16), ("y", 4)], 48),
        one("gspmd-16b-16x8", &[("x", 16), ("y", 8)], 96),
        one("gspmd-16b-32x8", &[("x", 32), ("y", 8)], 192),
    ]
}

/// GSPMD, Table 4: the same model as a pipeline, 1,024 sequences a batch.
fn pipelined() -> Vec<Preset> {
    let one = |name, microbatches, mesh: &'static [(&'static str, i64)]| {
        let stages = mesh.first().map_or(1, |(_, size)| *size);
        let piped = Piped { stages, rounds: 1, microbatches, recompute: true };
        let printed = Printed::binary("16B", "GSPMD, Table 3");
        let whole = language(name, 64, NARROW, printed, &PIPELINED, mesh, 1_024);
        Preset { pipeline: Some(piped), ..whole }
    };
    const BY_4: &[(&str, i64)] = &[("stage", 4), ("x", 16), ("y", 4)];
    vec![
        one("gspmd-16b-pipe-2x16x8", 16, &[("stage", 2), ("x", 16), ("y", 8)]),
        one("gspmd-16b-pipe-4x16x4-16", 16, BY_4),
        one("gspmd-16b-pipe-4x16x4-32", 32, BY_4),
        one("gspmd-16b-pipe-8x16x2", 32, &[("stage", 8), ("x", 16), ("y", 2)]),
        one("gspmd-16b-pipe-8x8x4", 32, &[("stage", 8), ("x", 8), ("y", 4)]),
    ]
}

/// GSPMD, Table 5: Conformers of which each core has a stage, microbatches of one sequence. Table 4's sentence on
/// recomputation (5.2) holds for them, as the table's own column says. The length is what fits: by the seconds,
/// utilization and trips of the rows a trip has the flops of some 610 times.
fn conformers() -> Vec<Preset> {
    const BLOCK: Sizes = dense(3_072, 12_288, 16, 192);
    let one = |name, blocks: usize, printed, rounds, microbatches, mesh: &'static [(&'static str, i64)]| {
        let stages = mesh.first().map_or(1, |(_, size)| *size);
        Preset {
            name,
            family: Family::Conformer,
            blocks,
            sizes: BLOCK,
            printed: Some(Printed::binary(printed, "GSPMD, Table 5")),
            table: &PIPELINED_DATA,
            mesh,
            batch: microbatches,
            length: 2_440,
            compute: DType::BF16,
            recompute: false,
            pipeline: Some(Piped { stages, rounds, microbatches, recompute: true }),
        }
    };
    const BY_8: &[(&str, i64)] = &[("stage", 8), ("data", 1)];
    const BY_16: &[(&str, i64)] = &[("stage", 16), ("data", 1)];
    vec![
        one("gspmd-conformer-6b-gpipe-64", 32, "6.47B", 1, 64, BY_8),
        one("gspmd-conformer-6b-gpipe-16", 32, "6.47B", 1, 16, BY_8),
        one("gspmd-conformer-6b-circular-16", 32, "6.47B", 4, 16, BY_8),
        one("gspmd-conformer-13b-gpipe-128", 64, "12.95B", 1, 128, BY_16),
        one("gspmd-conformer-13b-gpipe-32", 64, "12.95B", 1, 32, BY_16),
        one("gspmd-conformer-13b-circular-32", 64, "12.95B", 4, 32, BY_16),
    ]
}

/// GSPMD, Table 6: as many cores as experts. Its counts of parameters say `M x H x (layers with experts) = 9 x 2^24`.
/// GShard's 36 layers of 1,024 would be that, but what such a model keeps for its backward pass is 15.7 GB of the 10.8
/// that were measured; half as many of twice the width keep 11 GB, and have as many flops as seconds and utilization
/// make. Experts have room for one and a half times the tokens, as by default in the authors' library. A group is a
/// sequence, or as many as an expert needs to have three places there: a core's four with 2,048 experts.
fn sparse_languages() -> Vec<Preset> {
    const BLOCK: Sizes = dense(2_048, 8_192, 16, 128);
    let one = |name, experts: i64, printed, mesh, batch: i64| {
        let sequences = (experts / 512).max(1);
        let sizes = Sizes { room: 150, ..sparse(BLOCK, experts, 2, batch / sequences) };
        language(name, 18, sizes, Printed::binary(printed, "GSPMD, Table 6"), &EXPERT, mesh, batch)
    };
    vec![
        one("gspmd-moe-10b", 32, "10B", &[("expert", 32)], 128),
        one("gspmd-moe-37b", 128, "37B", &[("expert", 128)], 512),
        one("gspmd-moe-145b", 512, "145B", &[("expert", 512)], 2_048),
        one("gspmd-moe-577b", 2_048, "577B", &[("expert", 2_048)], 8_192),
    ]
}

/// GSPMD, Table 7: D 128 and `M x (layers with experts) = 49,152` by its counts of parameters; here 8,192 x 6, the
/// layers of GLaM, which it names. Seconds and utilization of the rows make 10.9 and 9.9 parameters of 2^30 (or four
/// times as many) that a token meets, where two experts would be 15, one 12 and none 9: an expert has room for its
/// share of the tokens, once.
fn hybrids() -> Vec<Preset> {
    let one = |name, experts, (hidden, heads), printed, mesh, batch| {
        let sizes = Sizes { room: 100, ..sparse(dense(8_192, hidden, heads, 128), experts, 2, batch) };
        language(name, 12, sizes, Printed::binary(printed, "GSPMD, Table 7"), &HYBRID, mesh, batch)
    };
    let (small, large) = ((32_768, 128), (131_072, 512));
    vec![
        one("gspmd-hybrid-33b", 8, small, "33B", &[("x", 8), ("y", 4)], 32),
        one("gspmd-hybrid-57b", 16, small, "57B", &[("x", 16), ("y", 8)], 128),
        one("gspmd-hybrid-420b", 32, large, "420B", &[("x", 32), ("y", 16)], 128),
        one("gspmd-hybrid-804b", 64, large, "804B", &[("x", 64), ("y", 32)], 512),
    ]
}
