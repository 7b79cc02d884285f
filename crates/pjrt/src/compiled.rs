//! A compiled program, and what its compiler tells of it.

use crate::abi::{self, Arguments};
use crate::call::{bytes, call, named_values, text};
use crate::error::{PluginError, Trouble};
use crate::library::Plugin;
use crate::named::NamedValue;
use std::marker::PhantomData;
use std::ptr::NonNull;

/// A compiled program. It can be looked at and stored; to run it takes devices. That of a
/// [`LoadedProgram`](crate::LoadedProgram) lives no longer than that does: a plugin may keep it in the same place.
pub struct Compiled<'l> {
    plugin: &'static Plugin,
    handle: NonNull<abi::Executable>,
    of: PhantomData<&'l ()>,
}

/// Bytes of one device, as the compiler counts them. What it does not tell is `None`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct CompiledMemory {
    pub code: Option<i64>,
    pub arguments: Option<i64>,
    pub results: Option<i64>,
    /// Of the results, what lies in donated arguments.
    pub aliased: Option<i64>,
    pub temporaries: Option<i64>,
    /// The most that is taken at one time.
    pub peak: Option<i64>,
}

impl CompiledMemory {
    /// What a run takes: arguments, temporaries, and results that no argument gave its place to.
    pub fn total(&self) -> Option<i64> {
        let fresh = self.results? - self.aliased.unwrap_or(0);
        Some(self.arguments? + self.temporaries? + fresh.max(0))
    }
}

/// The program behind all passes of a compiler, in a form of its own.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct OptimizedProgram {
    /// Such as `hlo_with_config`.
    pub format: String,
    pub code: Vec<u8>,
}

impl Compiled<'_> {
    /// # Safety
    /// The handle is null, or an executable of this plugin that nobody else will destroy, and that stays alive for as
    /// long as it is kept.
    pub(crate) unsafe fn owned(
        plugin: &'static Plugin,
        handle: *mut abi::Executable,
        function: &'static str,
    ) -> Result<Self, PluginError> {
        match NonNull::new(handle) {
            Some(handle) => Ok(Compiled { plugin, handle, of: PhantomData }),
            None => Err(plugin.failed(Trouble::Answer { function, what: "with no program" })),
        }
    }

    fn failed(&self, trouble: Trouble) -> PluginError {
        self.plugin.failed(trouble)
    }

    pub fn name(&self) -> Result<String, PluginError> {
        let executable = self.handle.as_ptr();
        let mut args = abi::ExecutableName { executable, ..abi::ExecutableName::EMPTY };
        // SAFETY: the handle is alive, and what is told lives as long.
        let told = unsafe {
            call(self.plugin.api(), &mut args).map(|()| text(args.executable_name, args.executable_name_size))
        };
        told.map_err(|trouble| self.failed(trouble))
    }

    pub fn partitions(&self) -> Result<usize, PluginError> {
        let executable = self.handle.as_ptr();
        let mut args = abi::ExecutableNumPartitions { executable, ..abi::ExecutableNumPartitions::EMPTY };
        // SAFETY: the handle is alive.
        unsafe { call(self.plugin.api(), &mut args) }.map_err(|trouble| self.failed(trouble))?;
        Ok(args.num_partitions)
    }

    pub fn results(&self) -> Result<usize, PluginError> {
        let executable = self.handle.as_ptr();
        let mut args = abi::ExecutableNumOutputs { executable, ..abi::ExecutableNumOutputs::EMPTY };
        // SAFETY: the handle is alive.
        unsafe { call(self.plugin.api(), &mut args) }.map_err(|trouble| self.failed(trouble))?;
        Ok(args.num_outputs)
    }

    /// What the compiler says that a device needs.
    pub fn memory(&self) -> Result<CompiledMemory, PluginError> {
        // What a plugin does not know of, it leaves as it was.
        const UNTOLD: i64 = -1;
        let mut args = abi::ExecutableGetCompiledMemoryStats {
            executable: self.handle.as_ptr(),
            generated_code_size_in_bytes: UNTOLD,
            argument_size_in_bytes: UNTOLD,
            output_size_in_bytes: UNTOLD,
            alias_size_in_bytes: UNTOLD,
            temp_size_in_bytes: UNTOLD,
            peak_memory_in_bytes: UNTOLD,
            ..abi::ExecutableGetCompiledMemoryStats::EMPTY
        };
        // SAFETY: the handle is alive.
        unsafe { call(self.plugin.api(), &mut args) }.map_err(|trouble| self.failed(trouble))?;
        let told = |bytes: i64| (bytes >= 0).then_some(bytes);
        Ok(CompiledMemory {
            code: told(args.generated_code_size_in_bytes),
            arguments: told(args.argument_size_in_bytes),
            results: told(args.output_size_in_bytes),
            aliased: told(args.alias_size_in_bytes),
            temporaries: told(args.temp_size_in_bytes),
            peak: told(args.peak_memory_in_bytes).filter(|bytes| *bytes > 0),
        })
    }

    /// What the compiler says that a run costs, by names of its own: `flops`, `bytes accessed`, `optimal_seconds`.
    pub fn costs(&self) -> Result<Vec<(String, NamedValue)>, PluginError> {
        let executable = self.handle.as_ptr();
        let mut args = abi::ExecutableGetCostAnalysis { executable, ..abi::ExecutableGetCostAnalysis::EMPTY };
        // SAFETY: the handle is alive, and what is told lives as long.
        let told = unsafe {
            call(self.plugin.api(), &mut args).map(|()| named_values(args.properties, args.num_properties))
        };
        told.map_err(|trouble| self.failed(trouble))
    }

    /// The program that devices run.
    pub fn optimized(&self) -> Result<OptimizedProgram, PluginError> {
        let mut program = abi::Program::EMPTY;
        let mut args = abi::ExecutableOptimizedProgram {
            executable: self.handle.as_ptr(),
            program: &mut program,
            ..abi::ExecutableOptimizedProgram::EMPTY
        };
        // SAFETY: the handle is alive; without code, the call asks for the size.
        unsafe { call(self.plugin.api(), &mut args) }.map_err(|trouble| self.failed(trouble))?;
        let mut code = vec![0; program.code_size];
        program.code = code.as_mut_ptr().cast();
        args.program = &mut program;
        // SAFETY: the handle is alive; `code` has the room that was asked for.
        unsafe { call(self.plugin.api(), &mut args) }.map_err(|trouble| self.failed(trouble))?;
        code.truncate(program.code_size);
        // SAFETY: the name of a format lives as long as the library.
        let format = unsafe { text(program.format, program.format_size) };
        Ok(OptimizedProgram { format, code })
    }

    /// The program as bytes that a client of the same plugin loads.
    pub fn serialized(&self) -> Result<Vec<u8>, PluginError> {
        let executable = self.handle.as_ptr();
        let mut args = abi::ExecutableSerialize { executable, ..abi::ExecutableSerialize::EMPTY };
        // SAFETY: the handle is alive.
        unsafe { call(self.plugin.api(), &mut args) }.map_err(|trouble| self.failed(trouble))?;
        // SAFETY: the bytes live until their owner is deleted, once.
        unsafe {
            let copy = bytes(args.serialized_bytes, args.serialized_bytes_size).to_vec();
            if let Some(delete) = args.deleter {
                delete(args.serialized_executable);
            }
            Ok(copy)
        }
    }
}

impl Drop for Compiled<'_> {
    fn drop(&mut self) {
        let executable = self.handle.as_ptr();
        let mut args = abi::ExecutableDestroy { executable, ..abi::ExecutableDestroy::EMPTY };
        // SAFETY: ours, and used for the last time. Nobody is left who could be told of an error.
        let _ = unsafe { call(self.plugin.api(), &mut args) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_in_donated_arguments_count_once() {
        let memory = CompiledMemory {
            arguments: Some(100),
            results: Some(60),
            aliased: Some(50),
            temporaries: Some(7),
            ..CompiledMemory::default()
        };
        assert_eq!(memory.total(), Some(117));
        assert_eq!(CompiledMemory { temporaries: None, ..memory }.total(), None);
    }
}
