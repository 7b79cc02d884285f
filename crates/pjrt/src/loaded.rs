//! A program on the devices that are there, and arrays on them.
//!
//! Arrays go to a device and come back in row-major order, whatever order the device has them in. Every call waits for
//! what it set going: an error has a call to belong to.

use crate::abi::{self, Arguments, BufferType};
use crate::call::call;
use crate::client::Client;
use crate::compiled::Compiled;
use crate::error::{PluginError, Trouble};
use crate::options::CompileOptions;
use crate::topology::lent_program;
use std::ptr::NonNull;
use std::sync::Arc;

/// An array on one device.
#[derive(Debug)]
pub struct DeviceBuffer {
    client: Arc<Client>,
    handle: NonNull<abi::Buffer>,
    dims: usize,
}

// SAFETY: the interface says that buffers may be used from all threads.
unsafe impl Send for DeviceBuffer {}
// SAFETY: as above.
unsafe impl Sync for DeviceBuffer {}

impl DeviceBuffer {
    /// Bytes of one device's array, dense, put on a device of the client.
    pub fn put(
        client: &Arc<Client>,
        device: usize,
        kind: BufferType,
        dims: &[i64],
        bytes: &[u8],
    ) -> Result<DeviceBuffer, PluginError> {
        let none =
            Trouble::Answer { function: "PJRT_Client_AddressableDevices", what: "with too few devices" };
        let device = client.device(device)?.ok_or_else(|| client.failed(none))?;
        let mut args = abi::ClientBufferFromHostBuffer {
            client: client.handle(),
            data: bytes.as_ptr().cast(),
            kind,
            dims: dims.as_ptr(),
            num_dims: dims.len(),
            host_buffer_semantics: abi::HostSemantics::UNTIL_TRANSFER_COMPLETES,
            device,
            ..abi::ClientBufferFromHostBuffer::EMPTY
        };
        // SAFETY: the handles are alive; the bytes outlive the wait below.
        unsafe { call(client.api(), &mut args) }.map_err(|trouble| client.failed(trouble))?;
        // SAFETY: the event was made for us.
        let sent =
            unsafe { finished(client, args.done_with_host_buffer, "PJRT_Client_BufferFromHostBuffer") };
        // SAFETY: the buffer was made for us.
        let buffer = unsafe { owned(client, args.buffer, dims.len(), "PJRT_Client_BufferFromHostBuffer") };
        sent?;
        buffer
    }

    /// The bytes of the array, dense, into room of just as many.
    pub fn fetch(&self, room: &mut [u8]) -> Result<(), PluginError> {
        let client = &self.client;
        let order: Vec<i64> = (0..self.dims as i64).rev().collect();
        let tiled = abi::TiledLayout {
            minor_to_major: order.as_ptr(),
            minor_to_major_size: order.len(),
            ..abi::TiledLayout::EMPTY
        };
        let mut layout = abi::MemoryLayout { tiled, ..abi::MemoryLayout::EMPTY };
        let mut args = abi::BufferToHostBuffer {
            src: self.handle.as_ptr(),
            host_layout: &mut layout,
            ..abi::BufferToHostBuffer::EMPTY
        };
        // SAFETY: the handle is alive, and so is the order; without room, the call asks for the size.
        unsafe { call(client.api(), &mut args) }.map_err(|trouble| client.failed(trouble))?;
        if args.dst_size != room.len() {
            let what = "with an array of another size";
            return Err(client.failed(Trouble::Answer { function: "PJRT_Buffer_ToHostBuffer", what }));
        }
        args.dst = room.as_mut_ptr().cast();
        // SAFETY: the handle is alive; the room has the size that was asked for and outlives the wait below.
        unsafe {
            call(client.api(), &mut args).map_err(|trouble| client.failed(trouble))?;
            finished(client, args.event, "PJRT_Buffer_ToHostBuffer")
        }
    }
}

impl Drop for DeviceBuffer {
    fn drop(&mut self) {
        let mut args = abi::BufferDestroy { buffer: self.handle.as_ptr(), ..abi::BufferDestroy::EMPTY };
        // SAFETY: ours, and used for the last time. Nobody is left who could be told of an error.
        let _ = unsafe { call(self.client.api(), &mut args) };
    }
}

/// A program on the devices of a client.
pub struct LoadedProgram {
    client: Arc<Client>,
    handle: NonNull<abi::LoadedExecutable>,
    devices: usize,
    /// Ranks of the results.
    results: Vec<usize>,
}

// SAFETY: the interface says that executables may be used from all threads.
unsafe impl Send for LoadedProgram {}
// SAFETY: as above.
unsafe impl Sync for LoadedProgram {}

impl LoadedProgram {
    /// Compile a program, StableHLO text, for devices of the client. `results` are the ranks of its results.
    pub fn new(
        client: &Arc<Client>,
        program: &str,
        options: &CompileOptions,
        results: Vec<usize>,
    ) -> Result<LoadedProgram, PluginError> {
        let encoded = options.encoded();
        let program = lent_program(program);
        let mut args = abi::ClientCompile {
            client: client.handle(),
            program: &program,
            compile_options: encoded.as_ptr().cast(),
            compile_options_size: encoded.len(),
            ..abi::ClientCompile::EMPTY
        };
        // SAFETY: the handle is alive; program and options outlive the call.
        unsafe { call(client.api(), &mut args) }.map_err(|trouble| client.failed(trouble))?;
        let Some(handle) = NonNull::new(args.executable) else {
            let trouble = Trouble::Answer { function: "PJRT_Client_Compile", what: "with no program" };
            return Err(client.failed(trouble));
        };
        let loaded =
            LoadedProgram { client: client.clone(), handle, devices: options.devices.len(), results };
        loaded.check_results()?;
        Ok(loaded)
    }

    /// As many results as there is room for: a plugin writes as many as it has.
    fn check_results(&self) -> Result<(), PluginError> {
        let compiled = self.compiled()?;
        if compiled.results()? == self.results.len() {
            return Ok(());
        }
        let what = "with another number of results than the program has";
        Err(self.client.failed(Trouble::Answer { function: "PJRT_Executable_NumOutputs", what }))
    }

    /// What was compiled, to look at.
    pub fn compiled(&self) -> Result<Compiled, PluginError> {
        let loaded_executable = self.handle.as_ptr();
        let mut args = abi::LoadedExecutableGetExecutable {
            loaded_executable,
            ..abi::LoadedExecutableGetExecutable::EMPTY
        };
        // SAFETY: the handle is alive.
        unsafe { call(self.client.api(), &mut args) }.map_err(|trouble| self.client.failed(trouble))?;
        // SAFETY: the executable is a handle of its own, made for us.
        unsafe {
            Compiled::owned(self.client.plugin(), args.executable, "PJRT_LoadedExecutable_GetExecutable")
        }
    }

    /// Run once on all devices: `args` has an array of all devices for each parameter. Parameters in `kept` are not
    /// used up, whatever the program says. The results come the same way.
    pub fn run(&self, args: &[&[DeviceBuffer]], kept: &[i64]) -> Result<Vec<Vec<DeviceBuffer>>, PluginError> {
        let client = &self.client;
        let of_device = |device: usize| {
            args.iter().filter_map(move |of| of.get(device)).map(|b| b.handle.as_ptr()).collect()
        };
        let given: Vec<Vec<*mut abi::Buffer>> = (0..self.devices).map(of_device).collect();
        if given.iter().any(|of| of.len() != args.len()) {
            let what = "to too few arrays for its devices";
            return Err(client.failed(Trouble::Answer { function: "PJRT_LoadedExecutable_Execute", what }));
        }
        let lists: Vec<*const *mut abi::Buffer> = given.iter().map(Vec::as_ptr).collect();
        let mut room = vec![vec![std::ptr::null_mut(); self.results.len()]; self.devices];
        let outputs: Vec<*mut *mut abi::Buffer> = room.iter_mut().map(Vec::as_mut_ptr).collect();
        let mut events = vec![std::ptr::null_mut(); self.devices];
        let mut options = abi::ExecuteOptions {
            non_donatable_input_indices: kept.as_ptr(),
            num_non_donatable_input_indices: kept.len(),
            ..abi::ExecuteOptions::EMPTY
        };
        let mut args = abi::LoadedExecutableExecute {
            executable: self.handle.as_ptr(),
            options: &mut options,
            argument_lists: lists.as_ptr(),
            num_devices: self.devices,
            num_args: args.len(),
            output_lists: outputs.as_ptr(),
            device_complete_events: events.as_mut_ptr(),
            ..abi::LoadedExecutableExecute::EMPTY
        };
        const NAME: &str = "PJRT_LoadedExecutable_Execute";
        // SAFETY: the handles are alive; every list has as many entries as it says, and room for what is written.
        unsafe { call(client.api(), &mut args) }.map_err(|trouble| client.failed(trouble))?;
        let mut failed = Ok(());
        for event in events {
            // SAFETY: the events were made for us. All are waited for, whatever one says.
            let done = unsafe { finished(client, event, NAME) };
            failed = failed.and(done);
        }
        let mut made: Vec<Vec<DeviceBuffer>> = self.results.iter().map(|_| Vec::new()).collect();
        let mut missing = Ok(());
        for results in room {
            for ((handle, rank), into) in results.into_iter().zip(&self.results).zip(&mut made) {
                // SAFETY: the buffers were made for us.
                match unsafe { owned(client, handle, *rank, NAME) } {
                    Ok(buffer) => into.push(buffer),
                    Err(error) => missing = Err(error),
                }
            }
        }
        failed.and(missing).map(|()| made)
    }
}

impl Drop for LoadedProgram {
    fn drop(&mut self) {
        let executable = self.handle.as_ptr();
        let mut args = abi::LoadedExecutableDestroy { executable, ..abi::LoadedExecutableDestroy::EMPTY };
        // SAFETY: ours, and used for the last time. Nobody is left who could be told of an error.
        let _ = unsafe { call(self.client.api(), &mut args) };
    }
}

/// # Safety
/// The handle is null, or a buffer of this client that nobody else will destroy.
unsafe fn owned(
    client: &Arc<Client>,
    handle: *mut abi::Buffer,
    dims: usize,
    function: &'static str,
) -> Result<DeviceBuffer, PluginError> {
    match NonNull::new(handle) {
        Some(handle) => Ok(DeviceBuffer { client: client.clone(), handle, dims }),
        None => Err(client.failed(Trouble::Answer { function, what: "with no array" })),
    }
}

/// Wait for an event, and be rid of it.
///
/// # Safety
/// The event is null, or of this client, and nobody else will destroy it.
unsafe fn finished(
    client: &Client,
    event: *mut abi::Event,
    function: &'static str,
) -> Result<(), PluginError> {
    if event.is_null() {
        return Ok(());
    }
    let mut wait = abi::EventAwait { event, ..abi::EventAwait::EMPTY };
    let mut end = abi::EventDestroy { event, ..abi::EventDestroy::EMPTY };
    // SAFETY: the event is alive; it is destroyed once, and not used after that.
    let waited = unsafe {
        let waited = call(client.api(), &mut wait);
        let _ = call(client.api(), &mut end);
        waited
    };
    let named = |trouble| match trouble {
        // The wait went well: it is what was waited for that did not.
        Trouble::Refused { code, message, .. } => Trouble::Refused { function, code, message },
        other => other,
    };
    waited.map_err(|trouble| client.failed(named(trouble)))
}
