//! A program on devices: partitioned, loaded, fed and read.

use super::error::Error;
use super::held::ArrayPlace;
use super::host::Host;
use crate::data::arrays::Values;
use meshwright_compile::{Observer, Options, Unobserved};
use meshwright_ir::{Module, SpmdModule, TensorType};
use meshwright_nn::tensor::{Program, Role};
use meshwright_runtime::{Args, DeviceArray, Executable, HostArray, LoadOptions, RunError, RunErrorKind};
use std::ops::Range;

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
    pub fn feed_whole(&self, at: usize, numbers: &[i32], host: &Host<'_>) -> Result<DeviceArray, Error> {
        self.feed(at, Some(&Values::Whole(numbers.to_vec())), host)
    }

    /// Numbers for an input. Every process gives those of its own devices; the rest is not looked at.
    pub fn feed(&self, at: usize, values: Option<&Values>, host: &Host<'_>) -> Result<DeviceArray, Error> {
        let ty = self.input_type(at).cloned().ok_or_else(no_such_place)?;
        let bytes = values.map_or_else(Vec::new, |values| values.bytes(ty.dtype));
        let given = bytes.len() / ty.dtype.bytes().max(1);
        let array = HostArray::new(ty.clone(), bytes).ok_or_else(|| {
            let message = format!("{given} numbers are given to {ty}");
            RunError::new(RunErrorKind::BadInput, message)
        })?;
        Ok(self.input_place(at)?.put(&array, host)?)
    }

    /// The rows of a batch that devices of this process hold: those from the first to the last one.
    pub fn rows(&self, host: &Host<'_>) -> Result<Range<usize>, Error> {
        let mut all: Option<Range<usize>> = None;
        for (at, _) in self.program.inputs().iter().enumerate().filter(|(_, input)| input.role == Role::Input)
        {
            let place = self.input_place(at)?;
            for region in host.devices.local().iter().filter_map(|device| place.region(*device)) {
                let (Some(start), Some(size)) = (region.start.first(), region.shape.first()) else {
                    continue;
                };
                let known = all.take().unwrap_or(*start..*start);
                all = Some(known.start.min(*start)..known.end.max(start + size));
            }
        }
        Ok(all.unwrap_or(0..0))
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
