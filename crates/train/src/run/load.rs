//! A program on devices: partitioned, loaded, fed and read.

use super::error::Error;
use super::held::ArrayPlace;
use meshwright_base::{Id, budget};
use meshwright_compile::{Observer, Options, Unobserved};
use meshwright_ir::{Module, SpmdModule, TensorType};
use meshwright_nn::tensor::Program;
use meshwright_runtime::{
    Args, DeviceArray, Devices, Executable, HostArray, LoadOptions, RunError, RunErrorKind,
};

/// Of one result, the bytes on every device by number from those that live here; `None` if another process gets them.
pub type Gather<'a> = &'a dyn Fn(Vec<Vec<u8>>) -> Result<Option<Vec<Vec<u8>>>, RunError>;

/// How a program becomes one for all devices.
pub type Compile<'a> = &'a dyn Fn(Module) -> Result<SpmdModule, Error>;

/// Compiles a program for devices of one machine.
pub fn compile(module: Module) -> Result<SpmdModule, Error> {
    compile_observed(module, &mut Unobserved)
}

/// The same, for who wants to see what every stage makes.
pub fn compile_observed(module: Module, observer: &mut dyn Observer) -> Result<SpmdModule, Error> {
    Ok(meshwright_compile::partition(module, &Options::in_process(), observer)?.program)
}

/// What a run is run on.
#[derive(Clone, Copy)]
pub struct Host<'a> {
    pub devices: &'a dyn Devices,
    pub gather: Gather<'a>,
    /// What every process says, in their order; all of them ask, at the same places.
    pub say: &'a dyn Fn(u64) -> Result<Vec<u64>, RunError>,
    /// Whether this process writes files and tells what happens. One does; it is the one that gathers.
    pub is_first: bool,
    pub memory_limit: Option<usize>,
    /// Asked once for each program of a run.
    pub compile: Compile<'a>,
}

impl Host<'_> {
    /// Whether any process says so; all of them ask.
    pub fn any(&self, own: bool) -> Result<bool, RunError> {
        Ok((self.say)(u64::from(own))?.contains(&1))
    }

    /// Whether all devices are this process's.
    pub fn is_alone(&self) -> bool {
        self.devices.local().len() == self.devices.count()
    }

    /// Whether this process's share of so many parameters fits it, before programs of them are made.
    pub fn check_parameters(&self, count: i64) -> Result<(), Error> {
        const WIDTH: u64 = 4;
        let bytes = count.unsigned_abs().saturating_mul(WIDTH);
        let share = bytes / self.devices.count().max(1) as u64 * self.devices.local().len() as u64;
        budget::check(share, || format!("the model's {count} parameters")).map_err(Error::Environment)
    }

    /// The number of the first device of this process; no other process has it.
    pub fn first_device(&self) -> usize {
        self.devices.local().first().map_or(0, |device| device.index())
    }
}

/// A loaded program with the names of what goes in and comes out.
pub struct Loaded {
    pub program: Program,
    spmd: SpmdModule,
    executable: Box<dyn Executable>,
}

impl Loaded {
    pub fn new(program: Program, host: &Host<'_>) -> Result<Loaded, Error> {
        let spmd = (host.compile)(program.module().clone())?;
        let options = LoadOptions { memory_limit: host.memory_limit };
        let executable = host.devices.load(&spmd, &options)?;
        Ok(Loaded { program, spmd, executable })
    }

    /// What every device runs.
    pub fn module(&self) -> &Module {
        self.spmd.module()
    }

    /// Bytes that a device takes while it runs.
    pub fn device_bytes(&self) -> usize {
        self.executable.memory().peak()
    }

    /// Where an input lies, by its position.
    pub fn input_place(&self, at: usize) -> Result<ArrayPlace, Error> {
        Ok(ArrayPlace::of(self.spmd.module(), self.spmd.params.get(at).ok_or_else(no_such_place)?)?)
    }

    /// Where a result lies, by its position.
    pub fn result_place(&self, at: usize) -> Result<ArrayPlace, Error> {
        Ok(ArrayPlace::of(self.spmd.module(), self.spmd.results.get(at).ok_or_else(no_such_place)?)?)
    }

    pub fn input_type(&self, at: usize) -> Option<&TensorType> {
        self.program.inputs().get(at).map(|input| &input.ty)
    }

    /// Whole numbers for an input, the same in every process.
    pub fn feed(&self, at: usize, numbers: &[i32], host: &Host<'_>) -> Result<DeviceArray, Error> {
        let ty = self.input_type(at).cloned().ok_or_else(no_such_place)?;
        let bytes = numbers.iter().flat_map(|number| number.to_le_bytes()).collect();
        let array = HostArray::new(ty.clone(), bytes).ok_or_else(|| {
            let message = format!("{} numbers are given to {ty}", numbers.len());
            RunError::new(RunErrorKind::BadInput, message)
        })?;
        Ok(self.input_place(at)?.put(&array, host)?)
    }

    pub fn launch(&mut self, args: Args) -> Result<Vec<DeviceArray>, Error> {
        Ok(self.executable.launch(args, None)?)
    }

    /// Position of a result.
    pub fn result(&self, name: &str) -> Option<usize> {
        self.program.results().iter().position(|result| &*result.name == name)
    }
}

fn no_such_place() -> RunError {
    RunError::new(RunErrorKind::Unsound, "a program has fewer values than names")
}
