//! A program, partitioned and ready for the interpreter, with all that is told of it.

use crate::PLATFORM;
use crate::border::Lent;
use crate::compile_options::CompileOptions;
use crate::device::MEMORY;
use crate::elements::number;
use crate::fault::Fault;
use crate::settings::Settings;
use meshwright_base::{Diagnostic, SourceText, render};
use meshwright_compile::{Options, Unobserved, partition};
use meshwright_cost::{Machine, program_peak, traffic};
use meshwright_interp::{Tensor, run_devices};
use meshwright_ir::{Module, Op, Placement, SpmdModule, TensorType, ValueId, verify};
use meshwright_pjrt::abi::{Arguments, BufferType, ErrorCode, Named, NamedKind, NamedValue};
use meshwright_runtime::fingerprint;
use meshwright_shard::{Mesh, Sharding};
use meshwright_text::stablehlo;
use std::ffi::c_char;
use std::io::{self, Write};

/// What arrives, to be compiled.
#[derive(Clone, Copy)]
pub struct Source<'a> {
    pub format: &'a str,
    pub code: &'a [u8],
    pub options: &'a [u8],
}

pub struct Compiled {
    pub name: String,
    pub partitions: usize,
    /// The device of each partition, if that was said.
    pub devices: Vec<i64>,
    pub params: Vec<Param>,
    pub results: Vec<TensorType>,
    pub memory: Memory,
    /// The partitioned program as text.
    pub text: String,
    pub fingerprint: String,
    pub costs: Lent<[NamedValue; 2]>,
    pub told: Told,
    /// What [`Compiled::stored`] reads back.
    pub stored: Vec<u8>,
    program: SpmdModule,
}

/// An argument: its type on each device, and whether the caller gives it away.
pub struct Param {
    pub ty: TensorType,
    pub is_donated: bool,
}

/// Bytes of one device.
#[derive(Clone, Copy)]
pub struct Memory {
    pub arguments: i64,
    pub results: i64,
    pub temporaries: i64,
}

impl Memory {
    fn total(self) -> i64 {
        self.arguments.saturating_add(self.results).saturating_add(self.temporaries)
    }
}

/// Results, as lists that callers are lent.
pub struct Told {
    pub types: Vec<BufferType>,
    pub dims: Vec<i64>,
    pub ranks: Vec<usize>,
    pub memories: Lent<Vec<*const c_char>>,
    pub memory_sizes: Vec<usize>,
}

/// What a serialized program begins with.
const MARK: &[u8] = b"meshwright test plugin, program 1\n";

impl Compiled {
    pub fn new(source: Source<'_>, settings: &Settings) -> Result<Compiled, Fault> {
        if settings.abort_compile {
            // Nobody is left to be told that it could not be said.
            let _ = io::stderr().write_all(b"F0000 a check failed: the compiler gives up\n");
            std::process::abort();
        }
        if let Some(message) = &settings.fail_compile {
            return Err(Fault::new(ErrorCode::INTERNAL, message.clone()));
        }
        let options = CompileOptions::read(source.options)?;
        if options.replicas != 1 {
            return Err(Fault::lacking(format!("{} replicas: write partitions instead", options.replicas)));
        }
        let partitions = usize::try_from(options.partitions).ok().filter(|count| *count > 0);
        let partitions =
            partitions.ok_or_else(|| Fault::bad(format!("{} partitions", options.partitions)))?;
        let program = partitioned(source, partitions)?;
        let compiled = told(program, partitions, options.devices, stored(source));
        let (memory, limit) = (compiled.memory, settings.memory_bytes.unwrap_or(u64::MAX));
        if u64::try_from(memory.total()).unwrap_or(u64::MAX) > limit {
            let message = format!(
                "the program takes {} bytes of each device ({} arguments, {} results, {} temporaries), which has {limit}",
                memory.total(),
                memory.arguments,
                memory.results,
                memory.temporaries
            );
            return Err(Fault::new(ErrorCode::RESOURCE_EXHAUSTED, message));
        }
        Ok(compiled)
    }

    /// A program from what was serialized.
    pub fn restored(stored: &[u8], settings: &Settings) -> Result<Compiled, Fault> {
        let broken = || Fault::bad("these bytes are no serialized program of this plugin");
        let rest = stored.strip_prefix(MARK).ok_or_else(broken)?;
        let (length, rest) = rest.split_first_chunk().ok_or_else(broken)?;
        let length = usize::try_from(u64::from_le_bytes(*length)).map_err(|_| broken())?;
        let (options, code) = rest.split_at_checked(length).ok_or_else(broken)?;
        // It was compiled before, whoever compiles no more.
        let settings = Settings { fail_compile: None, abort_compile: false, ..settings.clone() };
        Compiled::new(Source { format: TEXT, code, options }, &settings)
    }

    /// Run once: arguments of each device in, results of each device out.
    pub fn run(&self, args: &[Vec<&[u8]>]) -> Result<Vec<Vec<Vec<u8>>>, Fault> {
        let wrong = || Fault::new(ErrorCode::INTERNAL, "an array does not have the bytes of its type");
        let tensor =
            |(bytes, param): (&&[u8], &Param)| Tensor::from_bytes(param.ty.clone(), bytes).ok_or_else(wrong);
        let of_device = |args: &Vec<&[u8]>| args.iter().zip(&self.params).map(tensor).collect();
        let inputs = args.iter().map(of_device).collect::<Result<Vec<Vec<Tensor>>, Fault>>()?;
        let results = run_devices(self.program.module(), self.partitions, &inputs)
            .map_err(|found| Fault::new(ErrorCode::INTERNAL, shown(&found, None)))?;
        Ok(results.iter().map(|of| of.iter().map(Tensor::to_bytes).collect()).collect())
    }
}

/// The format that is read.
const TEXT: &str = "mlir";

fn partitioned(source: Source<'_>, partitions: usize) -> Result<SpmdModule, Fault> {
    if source.format != TEXT {
        return Err(Fault::lacking(format!(
            "programs in the format `{}`: StableHLO text is read",
            source.format
        )));
    }
    const BYTECODE: &[u8] = b"ML\xefR";
    if source.code.starts_with(BYTECODE) {
        return Err(Fault::lacking("StableHLO as bytecode: this test plugin reads its text"));
    }
    let text = std::str::from_utf8(source.code).map_err(|_| Fault::bad("the program is not UTF-8"))?;
    let text = SourceText::new("program", text);
    let refused = |found: Vec<Diagnostic>| {
        Fault::bad(found.first().map_or_else(String::new, |first| shown(first, Some(&text))))
    };
    let module = stablehlo::parse_with_spans(&text).map_err(refused)?.0;
    verify(&module).map_err(refused)?;
    let program = if partitions == 1 && is_plain(&module) {
        as_it_is(module).map_err(refused)?
    } else {
        partition(module, &Options::in_process(), &mut Unobserved).map_err(refused)?.program
    };
    let module = program.module();
    let devices = module.meshes.values().map(Mesh::device_count).max().unwrap_or(1);
    if usize::try_from(devices).ok() == Some(partitions) {
        return Ok(program);
    }
    Err(Fault::bad(format!(
        "the program has a mesh of {devices} devices, and is compiled for {partitions} partitions"
    )))
}

/// Nothing in the module speaks of several devices.
fn is_plain(module: &Module) -> bool {
    let has_sharding_ops = module.funcs.values().any(|func| {
        func.insts_in_order().into_iter().any(|inst| matches!(func.inst(inst).op, Op::Sharding(_)))
    });
    !has_sharding_ops && module.meshes.values().all(|mesh| mesh.device_count() <= 1)
}

/// The module as the program of one device.
fn as_it_is(mut module: Module) -> Result<SpmdModule, Vec<Diagnostic>> {
    let mesh = Mesh::new("one", [("d", 1)], None).map_err(|found| vec![found])?;
    let mesh = module.meshes.push(mesh);
    let types = |values: &[ValueId]| values.iter().map(|value| module.main().ty(*value).as_array()).collect();
    let (params, results): (Vec<TensorType>, Vec<TensorType>) =
        (types(module.main().param_values()), types(module.main().result_values()));
    let place = |ty: TensorType| Placement { sharding: Sharding::replicated(mesh, ty.rank()), global: ty };
    let params = params.into_iter().map(place).collect();
    let results = results.into_iter().map(place).collect();
    SpmdModule::new(module, params, results)
}

fn shown(found: &Diagnostic, text: Option<&SourceText>) -> String {
    render(found, text).trim_end().to_string()
}

fn stored(source: Source<'_>) -> Vec<u8> {
    [MARK, &(source.options.len() as u64).to_le_bytes(), source.options, source.code].concat()
}

fn told(program: SpmdModule, partitions: usize, devices: Vec<i64>, stored: Vec<u8>) -> Compiled {
    let module = program.module();
    let main = module.main();
    let types = |values: &[ValueId]| -> Vec<TensorType> {
        values.iter().map(|value| main.ty(*value).as_array()).collect()
    };
    let (params, results) = (types(main.param_values()), types(main.result_values()));
    let bytes = |types: &[TensorType]| types.iter().map(TensorType::byte_size).fold(0, i64::saturating_add);
    let (arguments, given) = (bytes(&params), bytes(&results));
    let temporaries = (program_peak(module) - arguments - given).max(0);
    let seen = traffic(module, &Machine::default());
    let cost = |name: &'static str, value: f64| NamedValue {
        name: name.as_ptr().cast(),
        name_size: name.len(),
        kind: NamedKind::FLOAT,
        value: Named { float: value as f32 },
        value_size: 1,
        ..NamedValue::EMPTY
    };
    let donated = main.params.iter().map(|info| info.donation.is_some());
    let lists = Told {
        types: results.iter().map(|ty| number(ty.dtype)).collect(),
        dims: results.iter().flat_map(|ty| ty.dims.iter().copied()).collect(),
        ranks: results.iter().map(TensorType::rank).collect(),
        memories: Lent(vec![MEMORY.as_ptr().cast(); results.len()]),
        memory_sizes: vec![MEMORY.len(); results.len()],
    };
    Compiled {
        name: format!("{PLATFORM}_{}", main.name),
        partitions,
        devices,
        memory: Memory { arguments, results: given, temporaries },
        text: stablehlo::print(module),
        fingerprint: format!("{:016x}", fingerprint(module)),
        costs: Lent([cost("flops", seen.flops), cost("bytes sent", seen.sent)]),
        told: lists,
        params: params.into_iter().zip(donated).map(|(ty, is_donated)| Param { ty, is_donated }).collect(),
        results,
        stored,
        program,
    }
}
