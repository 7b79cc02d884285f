//! GSPMD, Table 1: what three ways of splitting a dense layer hold and send as either axis of the mesh doubles.
//!
//! Everything is read off partitioned training steps, of which only some numbers differ:
//!
//! ```text
//! bytes = layers * (weights + batch * (between + width * inside)) + rest
//! ```
//!
//! `rest` is what embedding and softmax take. `between` is what lies between layers (BSM), `inside` what lies within
//! (BSND, BSH and what attention makes of them): it grows with the heads and the hidden dim. Weights count with their
//! gradients and the optimizer's states, all of which grow with the width too.

use super::program::{Bytes, exponent, partitioned};
use meshwright_cli::failure::Failure;
use meshwright_cli::grid::{Cell, Grid};
use meshwright_cli::report::Report;
use meshwright_ir::DType;
use meshwright_nn::models::family::Sizes;
use meshwright_nn::models::presets::{Family, Preset};
use meshwright_nn::models::strategy::{ATTEMPT_1, ATTEMPT_2, FINALIZED, Table};
use meshwright_tensor::prelude::Mesh;

/// What of a step's bytes is asked for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Summand {
    Weights,
    Between,
    Inside,
}

/// One of the table's terms: by which powers of X and Y it is said to grow; `None` for nothing at all.
struct Term {
    strategy: &'static Table,
    of: fn(&Bytes) -> f64,
    /// `memory` or `communication`.
    what: &'static str,
    part: Summand,
    paper: Option<(f64, f64)>,
}

const MEMORY: fn(&Bytes) -> f64 = |bytes| bytes.peak;
const SENT: fn(&Bytes) -> f64 = |bytes| bytes.sent;

const fn memory(strategy: &'static Table, part: Summand, paper: (f64, f64)) -> Term {
    Term { strategy, of: MEMORY, what: "memory", part, paper: Some(paper) }
}

const fn sent(strategy: &'static Table, part: Summand, paper: Option<(f64, f64)>) -> Term {
    Term { strategy, of: SENT, what: "communication", part, paper }
}

const OVER_X: (f64, f64) = (-1.0, 0.0);
const OVER_Y: (f64, f64) = (0.0, -1.0);
const OVER_BOTH: (f64, f64) = (-1.0, -1.0);

/// The two columns of Table 1, term by term. Where a strategy's row there names one term of activations for both kinds,
/// the other kind's is in its column of shardings.
const TERMS: [Term; 18] = [
    memory(&ATTEMPT_1, Summand::Weights, OVER_BOTH),
    memory(&ATTEMPT_1, Summand::Between, OVER_X),
    memory(&ATTEMPT_1, Summand::Inside, OVER_Y),
    sent(&ATTEMPT_1, Summand::Weights, None),
    sent(&ATTEMPT_1, Summand::Between, Some(OVER_X)),
    sent(&ATTEMPT_1, Summand::Inside, Some(OVER_Y)),
    memory(&ATTEMPT_2, Summand::Weights, OVER_BOTH),
    memory(&ATTEMPT_2, Summand::Between, OVER_X),
    memory(&ATTEMPT_2, Summand::Inside, OVER_BOTH),
    sent(&ATTEMPT_2, Summand::Weights, Some(OVER_Y)),
    sent(&ATTEMPT_2, Summand::Between, Some(OVER_X)),
    sent(&ATTEMPT_2, Summand::Inside, None),
    memory(&FINALIZED, Summand::Weights, OVER_BOTH),
    memory(&FINALIZED, Summand::Between, OVER_BOTH),
    memory(&FINALIZED, Summand::Inside, OVER_BOTH),
    sent(&FINALIZED, Summand::Weights, Some(OVER_Y)),
    sent(&FINALIZED, Summand::Between, Some(OVER_X)),
    sent(&FINALIZED, Summand::Inside, None),
];

/// Sizes of either axis; the other one has the first.
const AXIS: [i64; 3] = [16, 32, 64];

/// Sizes that the largest mesh divides, and in which no part hides another.
const MODEL: i64 = 1_024;
const HIDDEN: i64 = 4_096;
const HEADS: i64 = 64;
const KV: i64 = 16;
const BATCH: i64 = 256;
const LENGTH: i64 = 256;
const LAYERS: usize = 2;

/// A step of so many times the layers, the batch and the width, over a mesh.
fn step(table: &'static Table, mesh: (i64, i64), [layers, batch, width]: [i64; 3]) -> Result<Bytes, Failure> {
    let sizes = Sizes {
        model: MODEL,
        hidden: HIDDEN * width,
        heads: HEADS * width,
        kv: KV,
        gated: false,
        experts: 0,
        every: 0,
        groups: 1,
        room: 200,
    };
    let preset = Preset {
        name: "gspmd-table-1",
        family: Family::Dense2d,
        blocks: LAYERS * layers as usize,
        sizes,
        printed: None,
        table,
        mesh: &[],
        batch: BATCH * batch,
        length: LENGTH,
        compute: DType::BF16,
        recompute: false,
        pipeline: None,
    };
    let mesh = Mesh::new([("x", mesh.0), ("y", mesh.1)]);
    let step = mesh.and_then(|mesh| preset.model().train_step(&preset.training(), &table.rules(&mesh)));
    Ok(Bytes::of(partitioned(step, None)?.program.module()))
}

/// Steps in which each of layers, batch and width is taken once and twice, by their bits.
struct Corners([Bytes; 8]);

impl Corners {
    fn of(table: &'static Table, mesh: (i64, i64)) -> Result<Corners, Failure> {
        let mut corners = [Bytes::default(); 8];
        for (bits, corner) in corners.iter_mut().enumerate() {
            let twice = |bit: usize| 1 + i64::from(bits >> bit & 1 == 1);
            *corner = step(table, mesh, [twice(0), twice(1), twice(2)])?;
        }
        Ok(Corners(corners))
    }

    /// Bytes of one layer that belong to a part.
    fn part(&self, part: Summand, of: fn(&Bytes) -> f64) -> f64 {
        let layer = |batch: usize, width: usize| {
            let bits = batch << 1 | width << 2;
            (of(&self.0[bits | 1]) - of(&self.0[bits])) / LAYERS as f64
        };
        let batch = |width: usize| layer(1, width) - layer(0, width);
        match part {
            Summand::Weights => layer(0, 0) - batch(0),
            Summand::Between => 2.0 * batch(0) - batch(1),
            Summand::Inside => batch(1) - batch(0),
        }
    }
}

/// Below this share of what a layer takes altogether, a part is called nothing.
const NOTHING: f64 = 1e-3;

pub fn table() -> Result<Report, Failure> {
    let mut grid =
        Grid::new(["strategy", "what", "of", "KB a layer", "X^", "paper X^", "Y^", "paper Y^", "as there"]);
    let (mut held, mut found) = (0, Vec::new());
    for strategy in [&ATTEMPT_1, &ATTEMPT_2, &FINALIZED] {
        let over = |mesh: &dyn Fn(i64) -> (i64, i64)| {
            AXIS.iter().map(|size| Corners::of(strategy, mesh(*size))).collect::<Result<Vec<_>, _>>()
        };
        let (along_x, along_y) = (over(&|size| (size, AXIS[0]))?, over(&|size| (AXIS[0], size))?);
        for term in TERMS.iter().filter(|term| term.strategy.name == strategy.name) {
            let shown = Found::of(term, &along_x, &along_y);
            held += usize::from(shown.holds(term));
            grid.row(shown.cells(term));
            found.push(shown);
        }
    }
    let all = found.len();
    let text = format!(
        "GSPMD, Table 1: bytes of a dense layer on one device, and by which powers of X and Y they grow.\n\
         Read off partitioned training steps over meshes of {AXIS:?} by {} and the reverse; M {MODEL}, H {HIDDEN}, N {HEADS}, \
         batch {BATCH} of {LENGTH} tokens.\n\n{}\n{held} of {all} terms grow as the table says (exponents within {CLOSE}).\n",
        AXIS[0],
        grid.to_text(),
    );
    Ok(Report::new(text).with("rows", grid.to_json()).with("terms", all).with("as_the_paper", held))
}

/// What became of a term.
struct Found {
    bytes: f64,
    powers: Option<(f64, f64)>,
}

/// Exponents as near as this are the paper's: over 16 and more devices, `(g - 1) / g` of a ring is within it.
const CLOSE: f64 = 0.1;

impl Found {
    fn of(term: &Term, along_x: &[Corners], along_y: &[Corners]) -> Found {
        let parts = |corners: &[Corners]| -> Vec<(f64, f64)> {
            let sizes = AXIS.iter().map(|size| *size as f64);
            sizes.zip(corners.iter().map(|corners| corners.part(term.part, term.of))).collect()
        };
        let (x, y) = (parts(along_x), parts(along_y));
        let whole: f64 = [Summand::Weights, Summand::Between, Summand::Inside]
            .iter()
            .map(|part| along_x[0].part(*part, term.of))
            .sum();
        let bytes = x[0].1;
        let is_nothing = bytes.abs() < NOTHING * whole;
        let powers = exponent(&x).zip(exponent(&y)).filter(|_| !is_nothing);
        Found { bytes: if is_nothing { 0.0 } else { bytes }, powers }
    }

    fn holds(&self, term: &Term) -> bool {
        match (self.powers, term.paper) {
            (None, None) => self.bytes == 0.0,
            (Some(found), Some(paper)) => {
                (found.0 - paper.0).abs() < CLOSE && (found.1 - paper.1).abs() < CLOSE
            }
            (Some(_), None) | (None, Some(_)) => false,
        }
    }

    fn cells(&self, term: &Term) -> Vec<Cell> {
        let part = match term.part {
            Summand::Weights => "weights",
            Summand::Between => "activations between layers",
            Summand::Inside => "activations inside",
        };
        let power =
            |power: Option<f64>| power.map_or_else(|| Cell::text("-"), |power| Cell::number(power, 2));
        vec![
            Cell::text(term.strategy.name),
            Cell::text(term.what),
            Cell::text(part),
            Cell::number(self.bytes / 1e3, 1),
            power(self.powers.map(|powers| powers.0)),
            power(term.paper.map(|powers| powers.0)),
            power(self.powers.map(|powers| powers.1)),
            power(term.paper.map(|powers| powers.1)),
            Cell::text(if self.holds(term) { "yes" } else { "no" }),
        ]
    }
}
