//! The devices of a plugin behind the interface that all engines have.
//!
//! A program is handed over as one around a manual region whose arrays divide evenly: on each device the shard is what
//! the program inside takes. Results stay on the devices until somebody looks at them, and go back in as they are. What
//! is given again and again is sent there once; what is donated is used up, unless somebody else still holds it. A
//! launch is over once it is under way: whoever looks at a result waits, and is told what failed.

use crate::abi::BufferType;
use crate::arrays::{Local, Shards, Work};
use crate::client::Client;
use crate::diagnose::failed;
use crate::error::PluginError;
use crate::loaded::{DeviceBuffer, LoadedProgram};
use crate::options::CompileOptions;
use crate::processes::Exchange;
use crate::stored::Stored;
use crate::topology::DeviceInfo;
use meshwright_base::{Ask, Id};
use meshwright_ir::op::token::TokenOp;
use meshwright_ir::{DType, Function, Module, Op, SpmdModule, TensorType, ValueId};
use meshwright_runtime::devices::check_args;
use meshwright_runtime::feed::Feed;
use meshwright_runtime::{
    Args, DeviceArray, DeviceId, Devices, Executable, LoadOptions, MemoryPlan, RunError, RunErrorKind,
    StepInfo, Trace, fingerprint,
};
use meshwright_spmd::embed::{Border, embed};
use meshwright_text::stablehlo::{GroupForm, PrintOptions, print_with};
use std::sync::Arc;

/// Devices of a client: the first ones, as many of each process.
pub struct PjrtDevices {
    /// Of all processes, in the order of the program.
    ids: Vec<i64>,
    place: Local,
    exchange: Option<Exchange>,
    stored: Option<Stored>,
}

impl PjrtDevices {
    /// So many devices of a client; an error if it has fewer.
    pub fn new(client: Arc<Client>, count: usize) -> Result<PjrtDevices, RunError> {
        let asking = |error: PluginError| failed(&error);
        let (all, here) = (client.all_devices().map_err(asking)?, client.devices().map_err(asking)?);
        let exchange = client.peers().cloned().map(Exchange::new);
        let processes = exchange.as_ref().map_or(1, |exchange| exchange.peers().job().processes);
        // One process knows of no others, whatever number the plugin gives it.
        let process = |device: &DeviceInfo| if processes > 1 { device.process } else { 0 };
        let of = |number: usize| {
            all.iter().filter(move |device| process(device) == number as i64).take(count / processes)
        };
        let ids: Vec<i64> = (0..processes).flat_map(of).map(|device| device.id).collect();
        if ids.len() != count {
            return Err(too_few(count, processes, all.len()));
        }
        let at = |id: &i64| here.iter().position(|device| device.id == *id);
        let numbered = ids.iter().enumerate();
        let (local, at): (Vec<DeviceId>, Vec<usize>) =
            numbered.filter_map(|(number, id)| Some((DeviceId::from_index(number), at(id)?))).unzip();
        Ok(PjrtDevices { ids, place: Local { client, local, at }, exchange, stored: None })
    }

    /// Load a program that was compiled before in place of compiling it. It must be the one that is loaded.
    pub fn with_stored(self, stored: Stored) -> PjrtDevices {
        PjrtDevices { stored: Some(stored), ..self }
    }

    fn restored(
        &self,
        stored: &Stored,
        text: &str,
        to: &CompileOptions,
        ranks: Vec<usize>,
    ) -> Result<LoadedProgram, RunError> {
        let client = &self.place.client;
        let told = |text: Result<String, PluginError>| text.map_err(|error| failed(&error));
        let (platform, version) = (told(client.platform())?, told(client.platform_version())?);
        let fits = stored.check_place(&platform, &version, to).and_then(|()| stored.check_program(text));
        fits.map_err(|misfit| misfit.error())?;
        LoadedProgram::restored(client, &stored.bytes, to, ranks).map_err(|error| failed(&error))
    }

    /// What joins this process to the others, if there are several.
    pub fn exchange(&self) -> Option<&Exchange> {
        self.exchange.as_ref()
    }
}

fn too_few(count: usize, processes: usize, there: usize) -> RunError {
    let (message, help) = match processes {
        1 => (
            format!("the program has {count} devices, the plugin {there}"),
            format!(
                "give the same axes smaller sizes, each may be 1 (`{}`), or take a machine with more devices",
                Ask::Option("mesh", "AXES")
            ),
        ),
        _ => (
            format!(
                "the program's {count} devices do not spread evenly over {processes} processes, which have {there}"
            ),
            "lower it for a mesh whose devices the number of processes divides, or start another number of them"
                .into(),
        ),
    };
    RunError::new(RunErrorKind::BadDevices, message).help(help)
}

impl Devices for PjrtDevices {
    fn count(&self) -> usize {
        self.ids.len()
    }

    fn local(&self) -> Vec<DeviceId> {
        self.place.local.clone()
    }

    fn load(&self, module: &SpmdModule, options: &LoadOptions) -> Result<Box<dyn Executable>, RunError> {
        check_feed(module)?;
        let main = module.module().main();
        let types = |values: &[_]| values.iter().map(|value| main.ty(*value).as_array()).collect::<Vec<_>>();
        let (params, results) = (types(main.param_values()), types(main.result_values()));
        let wire = |types: &[TensorType]| types.iter().map(wire_type).collect::<Result<Vec<_>, _>>();
        let (kinds, _) = (wire(&params)?, wire(&results)?);
        let donated = main.params.iter().map(|info| info.donation.is_some()).collect();
        let text = text_of(&handed_over(module, self.ids.len())?);
        let to = CompileOptions { devices: self.ids.clone() };
        let ranks = results.iter().map(|ty| ty.dims.len()).collect();
        let mark = fingerprint(module.module());
        let compile = || match &self.stored {
            Some(stored) => self.restored(stored, &text, &to, ranks),
            None => LoadedProgram::new(&self.place.client, &text, &to, ranks).map_err(|error| failed(&error)),
        };
        let compile = || compile().map_err(|error| with_largest(error, main));
        let program = match &self.exchange {
            None => compile()?,
            Some(exchange) => exchange.alike(mark, compile)?,
        };
        let memory = memory(&program);
        memory.check(options.memory_limit)?;
        Ok(Box::new(OnPlugin {
            place: self.place.clone(),
            fingerprint: mark,
            program,
            memory,
            params,
            kinds,
            donated,
            results,
        }))
    }
}

/// The program as a plugin takes it: around a manual region, where it has several devices.
pub fn handed_over(module: &SpmdModule, devices: usize) -> Result<Module, RunError> {
    if devices <= 1 {
        return Ok(module.module().clone());
    }
    embed(module, Border::Even).map_err(|found| {
        let error = RunError::new(RunErrorKind::NotCompiled, found.message);
        RunError { notes: found.notes, help: found.help, ..error }
    })
}

/// Its text: groups are lists, which all plugins read.
pub fn text_of(handed_over: &Module) -> String {
    print_with(handed_over, &PrintOptions { groups: GroupForm::Lists, ..PrintOptions::default() })
}

/// What does not fit a device is told with what takes most of it, as far as we know: its parameters and results.
fn with_largest(error: RunError, main: &Function) -> RunError {
    const TOLD: usize = 5;
    if error.kind != RunErrorKind::TooMuchMemory {
        return error;
    }
    let values = |what: &'static str, values: &[ValueId]| {
        let one = |(at, value): (usize, &ValueId)| (main.ty(*value).as_array(), format!("{what} {at}"));
        values.iter().enumerate().map(one).collect::<Vec<_>>()
    };
    let mut all = [values("parameter", main.param_values()), values("result", main.result_values())].concat();
    all.sort_by_key(|(ty, _)| std::cmp::Reverse(ty.byte_size()));
    let note = |error: RunError, (ty, what): (TensorType, String)| {
        error.note(format!("{what}, {ty}, takes {} bytes of each device", ty.byte_size()))
    };
    all.into_iter().take(TOLD).fold(error, note)
}

/// Nothing enters or leaves a program here but its arguments and results.
fn check_feed(module: &SpmdModule) -> Result<(), RunError> {
    let module = module.module();
    for func in module.funcs.values() {
        for inst in func.insts_in_order().into_iter().map(|inst| func.inst(inst)) {
            if let Op::Token(TokenOp::Infeed { .. } | TokenOp::Outfeed { .. }) = &inst.op {
                let message = format!("`{}` has no queue on a plugin's devices", inst.op.mnemonic());
                let error = RunError::new(RunErrorKind::NotCompiled, message);
                let help = "make it a parameter or a result, or use `--backend cpu`";
                return Err(error.at_place(module.place(inst.source)).help(help));
            }
        }
    }
    Ok(())
}

/// What the compiler says that a device needs.
fn memory(program: &LoadedProgram) -> MemoryPlan {
    let told = program.compiled().and_then(|compiled| compiled.memory()).unwrap_or_default();
    let bytes = |of: Option<i64>| of.and_then(|bytes| usize::try_from(bytes).ok()).unwrap_or(0);
    MemoryPlan {
        arena: bytes(told.temporaries),
        inputs: bytes(told.arguments),
        outputs: bytes(told.results).saturating_sub(bytes(told.aliased)),
        constants: bytes(told.code),
        scratch: 0,
        largest: Vec::new(),
    }
}

/// A loaded program.
struct OnPlugin {
    place: Local,
    fingerprint: u64,
    program: LoadedProgram,
    memory: MemoryPlan,
    params: Vec<TensorType>,
    kinds: Vec<BufferType>,
    donated: Vec<bool>,
    results: Vec<TensorType>,
}

impl OnPlugin {
    /// An argument on the devices: as it is, if it lies there already.
    fn placed(&self, at: usize, arg: &DeviceArray) -> Result<Arc<Shards>, RunError> {
        match Shards::of(arg, &self.place.client) {
            Some(there) => Ok(there),
            None => Shards::put(&self.place, self.kinds[at], &self.params[at], arg.shards()?).map(Arc::new),
        }
    }
}

impl Executable for OnPlugin {
    fn memory(&self) -> &MemoryPlan {
        &self.memory
    }

    fn fingerprint(&self) -> u64 {
        self.fingerprint
    }

    fn launch(&mut self, args: Args, _: Option<&Trace>) -> Result<Vec<DeviceArray>, RunError> {
        check_args(&self.params, &args, self.place.local.len())?;
        let mut placed = Vec::with_capacity(args.len());
        for (at, arg) in args.into_iter().enumerate() {
            let shards = self.placed(at, &arg)?;
            // What a program uses up is not there for others.
            if !self.donated[at] && arg.is_shared() {
                arg.keep(shards.clone());
            }
            placed.push(shards);
        }
        let is_kept = |at: &usize| self.donated[*at] && Arc::strong_count(&placed[*at]) > 1;
        let kept: Vec<i64> = (0..placed.len()).filter(is_kept).map(|at| at as i64).collect();
        let given: Vec<&[DeviceBuffer]> = placed.iter().map(|shards| &shards.on[..]).collect();
        let before = || placed.iter().map(|shards| shards.made_by.clone()).collect::<Vec<_>>();
        let started = match self.program.run(&given, &kept) {
            Ok(started) => started,
            Err(error) => {
                // What made an argument may have failed: that is the reason then.
                before().iter().try_for_each(|work| work.outcome())?;
                return Err(failed(&error));
            }
        };
        let work = Arc::new(Work::new(before(), &self.place.local, started.done));
        let array = |(on, ty): (Vec<DeviceBuffer>, &TensorType)| {
            DeviceArray::kept(ty.clone(), Arc::new(Shards::new(&self.place, ty, on, work.clone())))
        };
        Ok(started.results.into_iter().zip(&self.results).map(array).collect())
    }

    fn place(&self, at: usize, array: DeviceArray) -> Result<DeviceArray, RunError> {
        let shards = self.placed(at, &array)?;
        Ok(DeviceArray::kept(array.ty, shards))
    }

    // A program with queues is not loaded.
    fn connect(&mut self, _: Arc<Feed>) {}

    fn steps(&self) -> &[StepInfo] {
        &[]
    }
}

/// The element type of an array as plugins have it.
fn wire_type(ty: &TensorType) -> Result<BufferType, RunError> {
    let kind = match ty.dtype {
        DType::Pred => BufferType::PRED,
        DType::S8 => BufferType::S8,
        DType::S16 => BufferType::S16,
        DType::S32 => BufferType::S32,
        DType::S64 => BufferType::S64,
        DType::U8 => BufferType::U8,
        DType::U16 => BufferType::U16,
        DType::U32 => BufferType::U32,
        DType::U64 => BufferType::U64,
        DType::F16 => BufferType::F16,
        DType::BF16 => BufferType::BF16,
        DType::F32 => BufferType::F32,
        DType::F64 => BufferType::F64,
        DType::C64 => BufferType::C64,
        DType::C128 => BufferType::C128,
        DType::F8E4M3 => BufferType::F8E4M3,
        DType::F8E3M4 => BufferType::F8E3M4,
        DType::F8E5M2 => BufferType::F8E5M2,
        DType::F8E4M3FN => BufferType::F8E4M3FN,
        DType::F8E4M3FNUZ => BufferType::F8E4M3FNUZ,
        DType::F8E5M2FNUZ => BufferType::F8E5M2FNUZ,
        DType::F8E4M3B11FNUZ => BufferType::F8E4M3B11FNUZ,
        DType::F8E8M0FNU => BufferType::F8E8M0FNU,
        // Plugins pack these, arrays of ours do not.
        _ => {
            let message = format!("arrays of {} do not travel to a plugin's devices", ty.dtype.hlo_name());
            let help = "convert it to s8 or u8 at the border, or use `--backend cpu`";
            return Err(RunError::new(RunErrorKind::NotCompiled, message).help(help));
        }
    };
    Ok(kind)
}
