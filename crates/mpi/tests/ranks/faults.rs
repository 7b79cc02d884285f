//! What happens to the others when a rank is killed, stopped, panics, is slow, or runs another program.

use crate::{Ended, mpirun, mpirun_beside};
use meshwright_base::{IdMap, SourceText};
use meshwright_compile::{Options, Unobserved, partition};
use meshwright_cpu::Cpu;
use meshwright_ir::{SpmdModule, TensorType};
use meshwright_mpi::{MpiDevices, MpiOptions};
use meshwright_runtime::devices::place_all;
use meshwright_runtime::{
    Compiler, DeviceId, DeviceMemory, Devices, Event, HostArray, LoadOptions, MemoryPlan, Program,
    ResultPlace, RunError, Site, SiteId, StepInfo, StepOrder, Task, Workers,
};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

/// What a stopped or too slow rank's peers wait for.
const DEADLINE: Duration = Duration::from_secs(2);
/// The most that may pass from a fault to the end of all, starting up (and the deadline) aside.
const SOON: Duration = Duration::from_secs(5);
/// Starting ranks and compiling on a busy machine.
const START: Duration = Duration::from_secs(6);

pub const TESTS: &[(&str, fn())] = &[
    ("a_killed_rank_ends_the_others_with_their_place", killed),
    ("a_stopped_rank_ends_the_others_after_the_deadline", stopped),
    ("a_panic_on_one_rank_ends_the_others_with_their_place", panics),
    ("a_rank_that_is_slow_but_in_time_changes_nothing", slow),
    ("a_rank_that_is_too_slow_ends_the_others_after_the_deadline", too_slow),
    ("ranks_with_different_programs_do_not_start", mismatch),
    ("a_rank_that_is_stopped_before_it_starts_ends_the_others_after_the_deadline", stopped_early),
    ("a_rank_that_stops_before_it_ends_ends_the_others_after_the_deadline", stopped_late),
    ("a_rank_that_is_stopped_after_the_end_of_mpi_is_ended", stopped_after),
    ("a_rank_that_is_another_program_ends_the_others_after_the_deadline", another_program),
];

/// The survivor has named itself, a device and a collective, and nobody calls it a success.
fn survivors_speak(ended: &Ended, within: Duration) {
    let said = &ended.err;
    assert_ne!(ended.code, Some(0), "{said}");
    let named = said
        .lines()
        .any(|line| line.contains("rank 0") && line.contains("device ") && line.contains("collective "));
    assert!(named, "rank 0 named no device and collective:\n{said}");
    assert!(ended.after < START + within, "took {:.1} s", ended.after.as_secs_f64());
}

fn killed() {
    survivors_speak(&mpirun(2, "kill"), SOON);
}

fn stopped() {
    survivors_speak(&mpirun(2, "stop"), DEADLINE + SOON + SOON);
}

fn panics() {
    let ended = mpirun(2, "panic");
    survivors_speak(&ended, SOON);
    assert!(ended.err.contains("made to panic"), "{}", ended.err);
}

fn slow() {
    let ended = mpirun(2, "slow");
    assert_eq!(ended.code, Some(0), "{}", ended.err);
}

fn too_slow() {
    survivors_speak(&mpirun(2, "too-slow"), DEADLINE + SOON + SOON);
}

fn mismatch() {
    let ended = mpirun(2, "mismatch");
    assert_ne!(ended.code, Some(0));
    assert!(ended.err.contains("runs program"), "{}", ended.err);
    assert!(ended.after < START + SOON, "took {:.1} s", ended.after.as_secs_f64());
}

/// The others have said what they waited for, in time.
fn late(ended: &Ended, what: &str) {
    let words = format!("{what} did not come within {:.1} s; on rank 0", DEADLINE.as_secs_f64());
    assert!(ended.err.contains(&words), "{}", ended.err);
    assert_ne!(ended.code, Some(0));
    assert!(ended.after < START + DEADLINE + SOON, "took {:.1} s", ended.after.as_secs_f64());
}

fn stopped_early() {
    late(&mpirun(2, "stop-early"), "the start of MPI");
}

fn stopped_late() {
    late(&mpirun(2, "stop-late"), "the end of MPI");
}

/// Nobody waits for it any more but `mpirun`.
fn stopped_after() {
    let ended = mpirun(2, "stop-after");
    assert_eq!(ended.code, Some(128 + libc::SIGKILL), "{}", ended.err);
    assert!(ended.after < START + DEADLINE + SOON, "took {:.1} s", ended.after.as_secs_f64());
}

fn another_program() {
    late(&mpirun_beside(&["sleep", "1000"], "nothing"), "the start of MPI");
}

/// A reduction over two devices.
fn program(op: &str) -> SpmdModule {
    let text = format!(
        "sdy.mesh @m = <[\"x\"=2]>\n\
         func.func @main(%a: tensor<8x64xf32> {{sdy.sharding = #sdy.sharding<@m, [{{\"x\"}}, {{}}]>}}) -> tensor<64xf32> {{\n\
           %zero = stablehlo.constant dense<0.0> : tensor<f32>\n\
           %s = stablehlo.reduce(%a init: %zero) applies stablehlo.{op} across dimensions = [0] : (tensor<8x64xf32>, tensor<f32>) -> tensor<64xf32>\n\
           return %s : tensor<64xf32>\n}}\n"
    );
    let module = meshwright_text::parse(&SourceText::new("sum.mlir", text)).expect("the module parses");
    partition(module, &Options::default(), &mut Unobserved).expect("the module partitions").program
}

pub fn rank(fault: &str) -> ExitCode {
    let deadline = if fault == "kill" || fault == "panic" { Duration::from_secs(60) } else { DEADLINE };
    let options = MpiOptions { per_rank: 1, workers: 1, deadline };
    let trouble =
        Arc::new(Troubled { fault: fault.to_string(), rank: std::env::var("OMPI_COMM_WORLD_RANK").ok() });
    let stops = |when: &str| fault == when && trouble.rank.as_deref() == Some("1");
    let stop = |when: &str| {
        if stops(when) {
            // SAFETY: a signal to this process itself.
            unsafe { libc::raise(libc::SIGSTOP) };
        }
    };
    stop("stop-early");
    let Some(devices) = MpiDevices::new(options, trouble.clone()) else { return ExitCode::FAILURE };
    match launch(&devices, fault) {
        Ok(()) => {
            stop("stop-late");
            drop(devices);
            stop("stop-after");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("{error}");
            devices.abort(3)
        }
    }
}

fn launch(devices: &MpiDevices, fault: &str) -> Result<(), RunError> {
    let other = fault == "mismatch" && devices.rank() == 1;
    let program = program(if other { "maximum" } else { "add" });
    let mut loaded = devices.load(&program, &LoadOptions::default())?;
    for _ in 0..40 {
        let global = HostArray::zeros(program.params[0].global.clone());
        let args = place_all(&program, &[global], &devices.local())?;
        loaded.launch(args, None)?;
    }
    Ok(())
}

/// The CPU engine, whose device on rank 1 is troubled at its tenth launch.
struct Troubled {
    fault: String,
    rank: Option<String>,
}

struct TroubledProgram {
    inner: Arc<dyn Program>,
    fault: String,
    launches: std::sync::atomic::AtomicUsize,
}

struct TroubledTask<'p> {
    inner: Box<dyn Task + 'p>,
    fault: Option<&'p str>,
}

impl Compiler for Troubled {
    fn compile(&self, module: &SpmdModule, devices: usize) -> Result<Arc<dyn Program>, RunError> {
        let inner = Cpu::default().compile(module, devices)?;
        if self.rank.as_deref() != Some("1") {
            return Ok(inner);
        }
        Ok(Arc::new(TroubledProgram { inner, fault: self.fault.clone(), launches: Default::default() }))
    }
}

impl Program for TroubledProgram {
    fn params(&self) -> &[TensorType] {
        self.inner.params()
    }
    fn results(&self) -> &[TensorType] {
        self.inner.results()
    }
    fn donated(&self) -> &[bool] {
        self.inner.donated()
    }
    fn result_places(&self) -> &[ResultPlace] {
        self.inner.result_places()
    }
    fn sites(&self) -> &IdMap<SiteId, Site> {
        self.inner.sites()
    }
    fn memory(&self) -> &MemoryPlan {
        self.inner.memory()
    }
    fn steps(&self) -> &[StepInfo] {
        self.inner.steps()
    }
    fn order(&self) -> &[StepOrder] {
        self.inner.order()
    }
    fn start(&self, device: DeviceId, memory: DeviceMemory) -> Box<dyn Task + '_> {
        let before = self.launches.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        let fault = (before == 10).then_some(&*self.fault);
        Box::new(TroubledTask { inner: self.inner.start(device, memory), fault })
    }
}

impl Task for TroubledTask<'_> {
    fn resume(&mut self, workers: &dyn Workers) -> Result<Event, RunError> {
        match self.fault.take() {
            Some("panic") => panic!("made to panic"),
            Some("slow") => std::thread::sleep(DEADLINE / 4),
            Some("too-slow") => std::thread::sleep(DEADLINE * 4),
            // SAFETY: signals to this process itself.
            Some("kill") => unsafe {
                libc::raise(libc::SIGKILL);
            },
            // SAFETY: as above.
            Some("stop") => unsafe {
                libc::raise(libc::SIGSTOP);
            },
            _ => {}
        }
        self.inner.resume(workers)
    }

    fn position(&self) -> usize {
        self.inner.position()
    }
}
