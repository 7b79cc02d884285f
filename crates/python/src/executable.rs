//! A partitioned program on the cores of this machine, loaded once and run often.
//!
//! Arrays of Python's are read where they lie: a device whose piece is the whole array works on that memory, unless the
//! program is given the buffer for good; others get their pieces by one copy. What a run gives is handed over as bytes
//! that Python's arrays own, or stays on the devices as [`Array`]s.

use crate::array::{Access, Array, Given as GivenArray, Held};
use crate::failure::{bad_arrays, here, raised, watched};
use crate::settings::Given;
use crate::signature::{names, signature};
use meshwright_base::cancel;
use meshwright_cli::commands::run::memory::limit_of_device;
use meshwright_cli::engine::failed;
use meshwright_cli::failure::Failure;
use meshwright_cpu::Cpu;
use meshwright_ir::op::Control;
use meshwright_ir::{Function, Module, Op, Placement, SpmdModule};
use meshwright_runtime::{
    Args, Buffer, DeviceArray, DeviceId, Devices, Executable as _, InProcess, LoadOptions, Loaded, RunError,
    array,
};
use meshwright_shard::Meshes;
use pyo3::buffer::PyBuffer;
use pyo3::prelude::*;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError};
use std::time::{Duration, Instant};

#[pyclass(frozen, module = "meshwright._native")]
pub struct Executable {
    meshes: Arc<Meshes>,
    params: Vec<Placement>,
    results: Vec<Placement>,
    /// Which parameters are donated to the program.
    donated: Vec<bool>,
    /// What the user's program calls them.
    names: Vec<Option<String>>,
    devices: Vec<DeviceId>,
    /// One run at a time: it takes all cores.
    loaded: Mutex<Loaded>,
    signature: String,
    /// How often loops turn may depend on numbers: a run says nothing of how long the next one takes.
    may_turn: bool,
    /// The last run was soon over: nobody has to wait for signals meanwhile.
    is_short: AtomicBool,
}

/// How long to wait before it is looked again whether somebody else still runs.
const TURN: Duration = Duration::from_micros(200);

/// A run that takes no longer is over before somebody wonders whether Ctrl-C was heard.
const SHORT: Duration = Duration::from_millis(100);

/// How a program is loaded.
pub struct Loading {
    threads: Option<u32>,
    memory_limit: Option<i64>,
    check_numbers: bool,
}

impl Loading {
    pub fn of(given: &Given<'_, '_>) -> Result<Loading, Failure> {
        Ok(Loading {
            threads: given.count("threads")?,
            memory_limit: given.bytes("memory_limit")?,
            check_numbers: given.flag("check_nans")?,
        })
    }
}

/// Bytes of Python's, held by whoever lends them for as long as a run takes.
#[derive(Clone, Copy)]
struct Lent {
    at: *const u8,
    bytes: usize,
}

// SAFETY: read only, and alive until the run is over.
unsafe impl Send for Lent {}
// SAFETY: as above.
unsafe impl Sync for Lent {}

/// An argument of a run.
enum Source {
    Lent(Lent),
    Held(Box<GivenArray>),
}

/// Arguments, and what keeps those that are lent.
#[derive(Default)]
struct Sources {
    each: Vec<Source>,
    kept: Vec<PyBuffer<u8>>,
}

#[pymethods]
impl Executable {
    #[getter]
    fn devices(&self) -> usize {
        self.devices.len()
    }

    fn signature(&self) -> &str {
        &self.signature
    }

    /// Bytes that a device takes.
    #[getter]
    fn memory(&self) -> usize {
        let loaded = self.loaded.lock().unwrap_or_else(PoisonError::into_inner);
        let memory = loaded.memory();
        memory.arena + memory.inputs + memory.outputs
    }

    /// Run once. Each argument is a flat buffer of bytes, or an [`Array`]; types were held against the signature.
    /// Results are `Bytes`, or `Array`s if they are to stay on the devices.
    fn run<'py>(
        &self,
        py: Python<'py>,
        arguments: Vec<Bound<'py, PyAny>>,
        stays: bool,
    ) -> PyResult<Vec<Bound<'py, PyAny>>> {
        if arguments.len() != self.params.len() {
            let (given, takes) = (arguments.len(), self.params.len());
            let message = format!("{given} inputs are given, the program takes {takes}");
            return Err(raised(
                py,
                &bad_arrays(message, "give one array for each parameter, in their order"),
            ));
        }
        let Sources { each, kept } = self.sources(py, 0, &arguments)?;
        let began = Instant::now();
        let was_short = self.is_short.load(Ordering::Relaxed);
        let results =
            if was_short { here(py, || self.launch(each)) } else { watched(py, || self.launch(each)) };
        self.is_short.store(!self.may_turn && began.elapsed() < SHORT, Ordering::Relaxed);
        drop(kept);
        let results = results?;
        if stays {
            return results
                .into_iter()
                .map(|held| Ok(Bound::new(py, Array::new(held))?.into_any()))
                .collect();
        }
        let bytes =
            here(py, || results.iter().map(|held| held.bytes(Access::Write)).collect::<Result<Vec<_>, _>>())?;
        // Who writes to the bytes has them alone.
        drop(results);
        bytes.into_iter().map(|bytes| Ok(Bound::new(py, bytes)?.into_any())).collect()
    }

    /// Put an array on the devices, as input `at` takes it.
    fn put(&self, py: Python<'_>, at: usize, argument: Bound<'_, PyAny>) -> PyResult<Array> {
        let Sources { each, kept } = self.sources(py, at, &[argument])?;
        let placed = here(py, || {
            let (mut each, placement) = (each.into_iter(), &self.params[at]);
            let source = each.next().ok_or_else(|| bad_arrays("nothing is given", "give an array"))?;
            self.place(source, placement, true).map(|array| self.held(array, placement))
        });
        drop(kept);
        placed.map(Array::new)
    }
}

impl Executable {
    /// Compile a program for so many devices of this process.
    pub fn new(program: &SpmdModule, devices: usize, loading: &Loading) -> Result<Executable, Failure> {
        let engine = Cpu { check_numbers: loading.check_numbers, verify_each: false };
        let set = InProcess::new(devices, loading.threads.map(|threads| threads as usize), Arc::new(engine));
        let asked = loading.memory_limit.map(|bytes| usize::try_from(bytes).unwrap_or(usize::MAX));
        let options = LoadOptions { memory_limit: Some(asked.unwrap_or_else(|| limit_of_device(devices))) };
        let loaded = set.loaded(program, &options).map_err(|error| failed(&error))?;
        Ok(Executable {
            meshes: Arc::new(program.module().meshes.clone()),
            params: program.params.clone(),
            results: program.results.clone(),
            names: names(program.module()),
            donated: loaded.program().donated().to_vec(),
            devices: set.local(),
            loaded: Mutex::new(loaded),
            may_turn: may_turn(program.module()),
            is_short: AtomicBool::new(false),
            signature: signature(program.module(), Some((&program.params, &program.results))).to_string(),
        })
    }

    /// Arguments of the parameters from `first` on.
    fn sources(&self, py: Python<'_>, first: usize, arguments: &[Bound<'_, PyAny>]) -> PyResult<Sources> {
        let mut sources = Sources::default();
        for (argument, (at, placement)) in arguments.iter().zip(self.params.iter().enumerate().skip(first)) {
            let source = match argument.cast::<Array>() {
                Ok(array) => {
                    let donated = self.donated.get(at).copied().unwrap_or(false);
                    array
                        .get()
                        .given(&self.called(at), placement, &self.devices, donated)
                        .map(|given| Source::Held(Box::new(given)))
                }
                Err(_) => self.lent(argument, at, placement, &mut sources.kept),
            };
            sources.each.push(source.map_err(|failure| raised(py, &failure))?);
        }
        Ok(sources)
    }

    fn lent(
        &self,
        argument: &Bound<'_, PyAny>,
        at: usize,
        placement: &Placement,
        kept: &mut Vec<PyBuffer<u8>>,
    ) -> Result<Source, Failure> {
        let global = &placement.global;
        let wrong = |told: String| {
            bad_arrays(format!("{}: {told}", self.called(at)), format!("give an array of {global}"))
        };
        let buffer = PyBuffer::<u8>::get(argument).map_err(|error| wrong(error.to_string()))?;
        let wanted = array::byte_len(global);
        if !buffer.is_c_contiguous() || Some(buffer.len_bytes()) != wanted {
            return Err(wrong(format!("{} bytes are given for {global}", buffer.len_bytes())));
        }
        let lent = Lent { at: buffer.buf_ptr().cast(), bytes: buffer.len_bytes() };
        kept.push(buffer);
        Ok(Source::Lent(lent))
    }

    fn launch(&self, sources: Vec<Source>) -> Result<Vec<Held>, Failure> {
        let each = sources.into_iter().zip(&self.params).zip(&self.donated);
        let arguments = each.map(|((source, placement), donated)| self.place(source, placement, *donated));
        let arguments: Args = arguments.collect::<Result<_, _>>()?;
        let mut loaded = self.turn();
        let results = loaded.launch(arguments, None).map_err(|error| failed(&error))?;
        drop(loaded);
        Ok(results
            .into_iter()
            .zip(&self.results)
            .map(|(array, placement)| self.held(array, placement))
            .collect())
    }

    /// An input as messages call it.
    fn called(&self, at: usize) -> String {
        match self.names.get(at).and_then(Option::as_deref) {
            Some(name) => format!("input {at} (`{name}`)"),
            None => format!("input {at}"),
        }
    }

    /// Wait until nobody else runs it, unless this run is given up before.
    fn turn(&self) -> MutexGuard<'_, Loaded> {
        loop {
            match self.loaded.try_lock() {
                Ok(loaded) => return loaded,
                Err(TryLockError::Poisoned(poisoned)) => return poisoned.into_inner(),
                Err(TryLockError::WouldBlock) => {
                    cancel::look();
                    std::thread::sleep(TURN);
                }
            }
        }
    }

    /// An argument on the devices; `is_own` if it must not be somebody else's memory.
    fn place(&self, source: Source, placement: &Placement, is_own: bool) -> Result<DeviceArray, Failure> {
        let lent = match source {
            Source::Held(given) => return given.placed(&self.meshes, placement, &self.devices),
            Source::Lent(lent) => lent,
        };
        let is_whole = placement.sharding.tiles().iter().all(|tiles| *tiles == 1);
        if is_whole && !is_own && lent.bytes > 0 {
            // SAFETY: whoever called keeps the bytes until the run is over; a launch ends before its arguments go.
            if let Some(buffer) = unsafe { Buffer::lent(lent.at, lent.bytes) } {
                let shared = Arc::new(buffer);
                let shards = vec![shared; self.devices.len()];
                return Ok(DeviceArray::new(placement.global.clone(), shards));
            }
        }
        // SAFETY: as above; a buffer of no bytes may have no address.
        let bytes =
            unsafe { if lent.bytes == 0 { &[] } else { std::slice::from_raw_parts(lent.at, lent.bytes) } };
        DeviceArray::from_bytes(&self.meshes, placement, bytes, &self.devices)
            .map_err(|error: RunError| failed(&error))
    }

    fn held(&self, array: DeviceArray, placement: &Placement) -> Held {
        Held { array, placement: placement.clone(), meshes: self.meshes.clone() }
    }
}

/// Whether there are loops that turn for as long as a condition holds.
fn may_turn(module: &Module) -> bool {
    let is_loop = |func: &Function, inst| matches!(func.inst(inst).op, Op::Control(Control::While));
    module.funcs.values().any(|func| func.insts_in_order().into_iter().any(|inst| is_loop(func, inst)))
}
