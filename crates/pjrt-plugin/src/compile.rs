//! Programs that come in: as text, for a machine by name or for a client's devices, or as what was stored.

use crate::border::{Serve, list, text};
use crate::compiled::{Compiled, Source};
use crate::executable::{Executable, Loaded};
use crate::fault::Fault;
use crate::handles::{find, issue};
use meshwright_pjrt::abi;
use std::ffi::c_char;
use std::sync::Arc;

/// A program that a caller lends, as far as it says what it is.
///
/// # Safety
/// `program` is null or alive, with its code and the name of its format; so are the options.
unsafe fn source<'a>(
    program: *const abi::Program,
    options: (*const c_char, usize),
) -> Result<Source<'a>, Fault> {
    // SAFETY: as the caller promises, here and below.
    let program = unsafe { program.as_ref() }.ok_or_else(|| Fault::bad("`program` is null"))?;
    // SAFETY: as above.
    unsafe {
        Ok(Source {
            format: text(program.format, program.format_size, "format")?,
            code: list(program.code.cast_const().cast(), program.code_size, "code")?,
            options: list(options.0.cast(), options.1, "compile_options")?,
        })
    }
}

impl Serve for abi::Compile {
    unsafe fn serve(&mut self) -> Result<(), Fault> {
        let topology = find(self.topology, "topology")?;
        // SAFETY: as the caller promises.
        let source = unsafe { source(self.program, (self.compile_options, self.compile_options_size)) }?;
        let compiled = Compiled::new(source, &topology.settings)?;
        let (wanted, there) = (compiled.partitions, topology.settings.devices);
        if wanted > there {
            return Err(Fault::bad(format!(
                "the program has {wanted} partitions, `{}` {there} devices",
                topology.name
            )));
        }
        self.executable = issue(Arc::new(Executable { compiled: Arc::new(compiled), of: None }));
        Ok(())
    }
}

impl Serve for abi::ClientCompile {
    unsafe fn serve(&mut self) -> Result<(), Fault> {
        let client = find(self.client, "client")?;
        // SAFETY: as the caller promises.
        let source = unsafe { source(self.program, (self.compile_options, self.compile_options_size)) }?;
        let compiled = Compiled::new(source, &client.settings)?;
        self.executable = issue(Loaded::new(client, Arc::new(compiled))?);
        Ok(())
    }
}

impl Serve for abi::ExecutableDeserializeAndLoad {
    unsafe fn serve(&mut self) -> Result<(), Fault> {
        let client = find(self.client, "client")?;
        let (start, size) = (self.serialized_executable.cast::<u8>(), self.serialized_executable_size);
        // SAFETY: as the caller promises.
        let stored = unsafe { list(start, size, "serialized_executable") }?;
        let compiled = Compiled::restored(stored, &client.settings)?;
        self.loaded_executable = issue(Loaded::new(client, Arc::new(compiled))?);
        Ok(())
    }
}
