//! Plans of this machine over all presets that train here and over golden modules: what is priced is what runs.

use super::*;
use crate::args::DumpArgs;
use crate::commands::bench_against::MODULES;
use crate::commands::bench_step::steps_of_a_launch;
use crate::engine::{Prepared, prepare};
use crate::load::{Loaded, load_located};
use meshwright_runtime::step::steps_in;
use meshwright_train::preset::PRESETS;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

fn programs() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let presets = PRESETS.iter().map(|preset| PathBuf::from(format!("preset:{}", preset.name)));
    presets.chain(MODULES.iter().map(|path| root.join(path))).collect()
}

struct Opened {
    path: PathBuf,
    loaded: Loaded,
    prepared: Prepared,
    native: Native,
}

/// Both tests look at every program: each is compiled once.
static OPENED: LazyLock<Vec<Opened>> = LazyLock::new(|| programs().into_iter().map(open).collect());

fn open(path: PathBuf) -> Opened {
    let fail = |failure: Failure| -> ! { panic!("{}: {}", path.display(), failure.to_text()) };
    let loaded = load_located(&path).unwrap_or_else(|failure| fail(failure));
    let prepared = prepare(&loaded, None, &DumpArgs::default(), true).unwrap_or_else(|failure| fail(failure));
    let native = Native::of(&prepared.program, prepared.devices).unwrap_or_else(|failure| fail(failure));
    Opened { path, loaded, prepared, native }
}

fn branches(order: &[StepOrder]) -> bool {
    order.iter().any(|one| match one {
        StepOrder::Step(_) => false,
        StepOrder::Loop { body, .. } => branches(body),
        StepOrder::While { .. } | StepOrder::Branch(_) => true,
    })
}

#[test]
fn each_step_of_a_program_is_in_its_order_once() {
    for Opened { path, native, .. } in OPENED.iter() {
        let mut ordered = steps_in(&native.order);
        ordered.sort_unstable();
        let is_step = |at: &usize| native.works[*at].info.kind != "control";
        let all: Vec<usize> = (0..native.works.len()).filter(is_step).collect();
        assert_eq!(ordered, all, "{}", path.display());
        let step = native.step(&Machine::in_process());
        assert!(step.seconds > 0.0 && step.seconds.is_finite(), "{}", path.display());
    }
}

#[test]
fn what_is_priced_is_what_runs() {
    let machine = Machine::in_process();
    let mut compared = 0;
    // Twelve layers are three times four.
    let is_deep = |opened: &&Opened| opened.path.display().to_string().contains("-12l-");
    for Opened { path, loaded, prepared, native } in OPENED.iter().filter(|opened| !is_deep(opened)) {
        if branches(&native.order) {
            continue;
        }
        let ran =
            steps_of_a_launch(loaded, prepared).unwrap_or_else(|failure| panic!("{}", failure.to_text()));
        let parts = native.parts(&machine);
        let mut flops = 0.0;
        for (at, work) in native.works.iter().enumerate().filter(|(_, work)| work.info.kind != "control") {
            let runs = ran.get(at).map_or(0, |step| step.runs()) as f64 / prepared.devices as f64;
            if work.exchange.is_none() {
                assert_eq!(parts[at].times, runs, "{} step {at} {}", path.display(), work.info.name);
            }
            let products: u64 = work.info.work.products.iter().map(ProductSize::flops).sum();
            flops += runs * products as f64;
        }
        assert_eq!(native.step(&machine).flops, flops, "{}", path.display());
        compared += 1;
    }
    assert!(compared >= 12, "{compared}");
}
