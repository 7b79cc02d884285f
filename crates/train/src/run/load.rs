//! A program on devices: partitioned, loaded, fed and read.

use super::error::Error;
use super::held::ArrayPlace;
use super::host::Host;
use meshwright_compile::{Observer, Options, Unobserved};
use meshwright_ir::{Module, SpmdModule, TensorType};
use meshwright_nn::tensor::Program;
use meshwright_runtime::{Args, DeviceArray, Executable, HostArray, LoadOptions, RunError, RunErrorKind};

/// Compiles a program for devices of one machine.
pub fn compile(module: Module) -> Result<SpmdModule, Error> {
    compile_observed(module, &Options::in_process(), &mut Unobserved)
}

/// The same, for who wants to see what every stage makes, with options of one's own.
pub fn compile_observed(
    module: Module,
    options: &Options,
    observer: &mut dyn Observer,
) -> Result<SpmdModule, Error> {
    Ok(meshwright_compile::partition(module, options, observer)?.program)
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
