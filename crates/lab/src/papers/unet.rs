//! GSPMD, Table 8: a 3D U-Net in pieces of space. One annotation on the input image; what a device holds and sends on
//! every mesh, beside the memory and the seconds that the paper prints.
//!
//! The paper names the network (Çiçek et al.) and no more of it: padding, norm, optimizer and types of its benchmark
//! are not told. Peaks here are without the padding of TPUs, which the paper's are said to include. Seconds of the
//! columns of its table are told apart by utilization: flops times rate must be alike.
//!
//! On one core the step does not fit: XLA computes again what it has no room for, and so does `partition` within the
//! same 16 GiB. The paper's seconds and utilization say that its first row has more flops than its second, too.

use super::program::{Bytes, partitioned_by, unet_within_a_core};
use super::rows::{self, Measured};
use super::timed::Timed;
use meshwright_cli::failure::Failure;
use meshwright_cli::grid::{Cell, Grid};
use meshwright_cli::report::Report;
use meshwright_compile::Options;
use meshwright_cost::{Coefficient, Machine, Pattern, traffic};
use meshwright_ir::Module;
use meshwright_nn::models::unet::{OfTable8, TABLE_8};
use meshwright_spmd::Loops;

/// The row as the paper prints it.
fn printed(of: &OfTable8) -> Result<&'static Measured, Failure> {
    let found = rows::find(of.name);
    found.map(|(_, row, _)| row).ok_or_else(|| Failure::bug(&format!("no row of `{}`", of.name)))
}

const HEAD: [&str; 17] = [
    "mesh",
    "image",
    "annotations",
    "paper GB",
    "peak GB",
    "plan GB",
    "states GB",
    "activations GB",
    "halo MB",
    "halos",
    "other MB",
    "paper again %",
    "again %",
    "paper s",
    "ours s",
    "padded s",
    "paper util %",
];

/// What a row comes to.
struct Segmenting {
    annotations: usize,
    bytes: Bytes,
    /// Share of flops that is computed again so that it fits.
    again: f64,
    /// Megabytes that a device sends to neighbours, in how many exchanges, and all else that it sends.
    halo: f64,
    halos: f64,
    other: f64,
    plan: f64,
    seconds: f64,
    /// If each device's images were padded to 8.
    padded: f64,
}

/// Rows of a TPU's vector registers. The paper's utilization goes by the images of a device: 41 to 48 % at four, 20.5 %
/// at two. That is 82 to 96 % of a peak of which a batch of four fills a half and one of two a quarter, as if the batch
/// lay along the 8 rows of a register. No document says so; `step-times` does not use it.
const SUBLANES: f64 = 8.0;

/// How many shardings the program was given.
fn annotations(module: &Module) -> usize {
    let main = module.main();
    let made = main.insts_in_order().into_iter().flat_map(|inst| main.inst(inst).results.clone());
    let all = main.param_values().iter().copied().chain(made);
    all.filter(|value| main.value(*value).sharding.is_some()).count()
}

fn row(of: &OfTable8) -> Result<Segmenting, Failure> {
    let annotations = of.step().as_ref().map_or(0, |step| annotations(step.module()));
    let compiled = unet_within_a_core(of)?;
    let module = compiled.program.module();
    let found = traffic(module, &Machine::default());
    let halo = found.by_pattern.get(&Pattern::Permute);
    let timed = Timed::of(module, printed(of)?.target)?;
    let step = timed.step(&timed.machine);
    let padded = timed.machine.clone();
    let share = (of.batch / of.mesh[0]) as f64 / SUBLANES;
    let slower = padded[Coefficient::ProductShare] * share;
    let padded = timed.step(&padded.with(Coefficient::ProductShare, slower));
    Ok(Segmenting {
        annotations,
        bytes: Bytes::of(module),
        again: compiled.rematerialized.map_or(0.0, |again| again.again / again.flops.max(1.0)),
        halo: halo.map_or(0.0, |halo| halo.sent),
        halos: halo.map_or(0.0, |halo| halo.count),
        other: found.sent - halo.map_or(0.0, |halo| halo.sent),
        plan: timed.peak,
        seconds: step.seconds,
        padded: padded.seconds,
    })
}

/// Peak of the first row where nothing is computed again.
fn unlimited() -> Result<f64, Failure> {
    let mut options = Options::default();
    options.partition.loops = Loops::Never;
    Ok(Bytes::of(partitioned_by(TABLE_8[0].step(), &options)?.program.module()).peak)
}

/// Flops of a printed row by its seconds and utilization, in those of a core's peak second, for as much work as the
/// rows of 128^3 have.
fn printed_flops(of: &OfTable8) -> Result<f64, Failure> {
    let work = (of.batch * of.size.pow(3)) as f64 / (TABLE_8[1].batch * TABLE_8[1].size.pow(3)) as f64;
    let row = printed(of)?;
    Ok(row.seconds * row.utilization.unwrap_or(f64::NAN) / 100.0 * of.devices() as f64 / work)
}

/// The table.
pub fn table() -> Result<Report, Failure> {
    let mut grid = Grid::new(HEAD);
    for of in &TABLE_8 {
        let Measured { peak_gb, seconds, utilization, .. } = *printed(of)?;
        let row = row(of)?;
        let beside = printed_flops(of)? / printed_flops(&TABLE_8[1])? - 1.0;
        grid.row([
            Cell::text(format!("({}, {})", of.mesh[0], of.mesh[1])),
            Cell::text(format!("{}^3 x {}", of.size, of.batch)),
            Cell::count(i64::try_from(row.annotations).unwrap_or(i64::MAX)),
            Cell::maybe(peak_gb, 1),
            Cell::number(row.bytes.peak / 1e9, 2),
            Cell::number(row.plan / 1e9, 2),
            Cell::number(row.bytes.states / 1e9, 2),
            Cell::number((row.bytes.peak - row.bytes.states) / 1e9, 2),
            Cell::number(row.halo / 1e6, 1),
            Cell::number(row.halos, 0),
            Cell::number(row.other / 1e6, 1),
            Cell::number(100.0 * beside, 0),
            Cell::number(100.0 * row.again, 1),
            Cell::number(seconds, 2),
            Cell::number(row.seconds, 2),
            Cell::number(row.padded, 2),
            Cell::maybe(utilization, 1),
        ]);
    }
    let flops = TABLE_8[0].model().flops();
    let text = format!(
        "GSPMD, Table 8: 3D U-Net, the batch over the first axis of the mesh, the first spatial dim over the second\n\n{}\n\
         annotations: shardings that the program was given, on the image alone\n\
         peak: most bytes that a device holds at one time; plan: the same as `meshwright plan` counts it\n\
         again: computed again so that the step fits into the 16 GiB of a core, as XLA does; without it the first row's peak is \
         {:.1} GB. The paper's: how many more flops its seconds and utilization are than those of its second row, to the last digit \
         of its seconds\n\
         halo: what a device sends to its neighbours in a step; other: sums of gradients and of norms\n\
         a pass of one volume of 128^3 has {:.2} TFLOP here; the paper's seconds and utilization come to {:.1} for a step of four, \
         three passes each\n\
         padded: our seconds if the images of a device were padded to {SUBLANES}. The paper's utilization goes by them: four a \
         device make 41 to 48 %, two 20.5 %. Without that, 32 ways are no better than 16 here; with it they are twice as \
         good, as the paper finds. No document states it, so no other row uses it\n",
        grid.to_text(),
        unlimited()? / 1e9,
        flops / 1e12,
        printed_flops(&TABLE_8[0])? * 61.5
    );
    Ok(Report::new(text).with("rows", grid.to_json()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_annotation_splits_all_and_activations_fall_while_halos_stay() {
        let rows: Vec<Segmenting> = TABLE_8[..5]
            .iter()
            .map(|of| row(of).unwrap_or_else(|failure| panic!("{}", failure.to_text())))
            .collect();
        let kept = |row: &Segmenting| row.bytes.peak - row.bytes.states;
        for (at, pair) in rows.windows(2).enumerate() {
            let [less, more] = pair else { continue };
            assert_eq!((less.annotations, more.annotations), (1, 1));
            // The first does not fit on its core, and spares some.
            let least = if at == 0 { 0.9 } else { 0.75 };
            assert!(kept(more) < least * kept(less), "{at}: {} to {}", kept(less), kept(more));
        }
        assert!(rows[0].bytes.peak < 17.2e9 && (0.01..0.1).contains(&rows[0].again), "{}", rows[0].again);
        assert!(rows[1..].iter().all(|row| row.again == 0.0), "the others fit");
        assert_eq!((rows[0].halo, rows[0].other), (0.0, 0.0), "one device sends nothing");
        let halos: Vec<f64> = rows[2..].iter().map(|row| row.halo).collect();
        assert!(halos.iter().all(|halo| *halo == halos[0] && *halo > 0.0), "{halos:?}");
    }

    /// The paper's finding, which comes out reversed without the padding: two images a device fill a quarter of eight
    /// rows.
    #[test]
    fn with_a_padded_batch_32_ways_are_twice_as_good_as_16() {
        let of = |at: usize| row(&TABLE_8[at]).unwrap_or_else(|failure| panic!("{}", failure.to_text()));
        let (sixteen, thirty_two) = (of(5), of(6));
        assert!(sixteen.seconds < thirty_two.seconds, "reversed: {} {}", sixteen.seconds, thirty_two.seconds);
        let times = sixteen.padded / thirty_two.padded;
        assert!((1.6..2.2).contains(&times), "{times}");
        for (at, of) in TABLE_8.iter().enumerate() {
            let (found, paper) =
                (row(of).map(|row| row.padded).ok().unwrap(), printed(of).ok().unwrap().seconds);
            assert!((found / paper - 1.0).abs() < 0.3, "{at}: {found} for {paper}");
        }
    }
}
