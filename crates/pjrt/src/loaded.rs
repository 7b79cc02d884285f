//! A program on the devices that are there, and arrays on them.
//!
//! Arrays go to a device and come back in row-major order, whatever order the device has them in. No call waits for
//! what it sets going: that is a [`Pending`] beside what it makes. An array may be used at once, whatever still makes
//! it.

use crate::abi::{self, Arguments, BufferType};
use crate::call::{call, list};
use crate::client::Client;
use crate::compiled::Compiled;
use crate::error::{PluginError, Trouble};
use crate::options::CompileOptions;
use crate::pending::Pending;
use crate::topology::lent_program;
use meshwright_runtime::Buffer;
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
    /// Bytes of one device's array, dense, on their way to a device of the client. They are held until they are there.
    pub fn put(
        client: &Arc<Client>,
        device: usize,
        kind: BufferType,
        dims: &[i64],
        bytes: &Arc<Buffer>,
    ) -> Result<(DeviceBuffer, Pending), PluginError> {
        const NAME: &str = "PJRT_Client_BufferFromHostBuffer";
        let none =
            Trouble::Answer { function: "PJRT_Client_AddressableDevices", what: "with too few devices" };
        let device = client.device(device)?.ok_or_else(|| client.failed(none))?;
        let mut args = abi::ClientBufferFromHostBuffer {
            client: client.handle(),
            data: bytes.as_ptr().cast_const().cast(),
            kind,
            dims: dims.as_ptr(),
            num_dims: dims.len(),
            host_buffer_semantics: abi::HostSemantics::UNTIL_TRANSFER_COMPLETES,
            device,
            ..abi::ClientBufferFromHostBuffer::EMPTY
        };
        // SAFETY: the handles are alive; nobody writes the bytes, which are held until the event has happened. Event
        // and buffer are made for us.
        unsafe {
            call(client.api(), &mut args).map_err(|trouble| client.failed(trouble))?;
            let sent = Pending::new(client, args.done_with_host_buffer, NAME, Some(bytes.clone()));
            Ok((owned(client, args.buffer, dims.len(), NAME)?, sent))
        }
    }

    /// The bytes of the array, dense, on their way into room for just as many.
    pub fn fetch(&self, room: Buffer) -> Result<Fetch, PluginError> {
        const NAME: &str = "PJRT_Buffer_ToHostBuffer";
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
            return Err(client.failed(Trouble::Answer { function: NAME, what }));
        }
        let room = Arc::new(room);
        args.dst = room.as_ptr().cast();
        // SAFETY: the handle is alive; the room has the size that was asked for, and is held, untouched, until the
        // event has happened, which is made for us.
        let coming = unsafe {
            call(client.api(), &mut args).map_err(|trouble| client.failed(trouble))?;
            Pending::new(client, args.event, NAME, Some(room.clone()))
        };
        Ok(Fetch { coming, room })
    }
}

/// Bytes on their way from a device.
pub struct Fetch {
    coming: Pending,
    room: Arc<Buffer>,
}

impl Fetch {
    /// The bytes, once all are there.
    pub fn finished(mut self) -> Result<Arc<Buffer>, PluginError> {
        self.coming.wait()?;
        Ok(self.room)
    }
}

impl Drop for DeviceBuffer {
    fn drop(&mut self) {
        if self.client.is_abandoned() {
            return;
        }
        let mut args = abi::BufferDestroy { buffer: self.handle.as_ptr(), ..abi::BufferDestroy::EMPTY };
        // SAFETY: ours, and used for the last time. Nobody is left who could be told of an error.
        let _ = unsafe { call(self.client.api(), &mut args) };
    }
}

/// A program on the devices of a client.
pub struct LoadedProgram {
    client: Arc<Client>,
    handle: NonNull<abi::LoadedExecutable>,
    /// Of each device of this process, in the order that the program was compiled for, its place in the plugin's.
    places: Vec<usize>,
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
        let encoded = client.plugin().encoded(options);
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
        LoadedProgram { client: client.clone(), handle, places: Vec::new(), results }.checked(options)
    }

    /// A program that was compiled before, for the same devices, from what the plugin serialized.
    pub fn restored(
        client: &Arc<Client>,
        stored: &[u8],
        options: &CompileOptions,
        results: Vec<usize>,
    ) -> Result<LoadedProgram, PluginError> {
        let mut args = abi::ExecutableDeserializeAndLoad {
            client: client.handle(),
            serialized_executable: stored.as_ptr().cast(),
            serialized_executable_size: stored.len(),
            ..abi::ExecutableDeserializeAndLoad::EMPTY
        };
        // SAFETY: the handle is alive; the bytes outlive the call.
        unsafe { call(client.api(), &mut args) }.map_err(|trouble| client.failed(trouble))?;
        let Some(handle) = NonNull::new(args.loaded_executable) else {
            let function = "PJRT_Executable_DeserializeAndLoad";
            return Err(client.failed(Trouble::Answer { function, what: "with no program" }));
        };
        LoadedProgram { client: client.clone(), handle, places: Vec::new(), results }.checked(options)
    }

    fn checked(mut self, options: &CompileOptions) -> Result<LoadedProgram, PluginError> {
        self.check_results()?;
        self.places = self.places(&options.devices)?;
        Ok(self)
    }

    /// Where devices of this process stand in the plugin's order.
    fn places(&self, devices: &[i64]) -> Result<Vec<usize>, PluginError> {
        let executable = self.handle.as_ptr();
        let mut args = abi::LoadedExecutableAddressableDevices {
            executable,
            ..abi::LoadedExecutableAddressableDevices::EMPTY
        };
        // SAFETY: the handle is alive; what is told lives as long.
        let theirs = unsafe {
            call(self.client.api(), &mut args).map_err(|trouble| self.client.failed(trouble))?;
            list(args.addressable_devices, args.num_addressable_devices)
        };
        // SAFETY: the devices are alive as the client is.
        let ids = theirs.iter().map(|device| unsafe { self.client.info(*device) }.map(|info| info.id));
        let ids = ids.collect::<Result<Vec<i64>, PluginError>>()?;
        let places: Vec<usize> =
            devices.iter().filter_map(|id| ids.iter().position(|theirs| theirs == id)).collect();
        if places.len() == ids.len() {
            return Ok(places);
        }
        let function = "PJRT_LoadedExecutable_AddressableDevices";
        Err(self.client.failed(Trouble::Answer { function, what: "with devices that were not named" }))
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
    pub fn compiled(&self) -> Result<Compiled<'_>, PluginError> {
        let loaded_executable = self.handle.as_ptr();
        let mut args = abi::LoadedExecutableGetExecutable {
            loaded_executable,
            ..abi::LoadedExecutableGetExecutable::EMPTY
        };
        // SAFETY: the handle is alive.
        unsafe { call(self.client.api(), &mut args) }.map_err(|trouble| self.client.failed(trouble))?;
        // SAFETY: the executable is a handle of its own, made for us; this program outlives it.
        unsafe {
            Compiled::owned(self.client.plugin(), args.executable, "PJRT_LoadedExecutable_GetExecutable")
        }
    }

    /// Set a run going on all devices of this process: `args` has an array of each of them for every parameter.
    /// Parameters in `kept` are not used up, whatever the program says. The results come the same way.
    pub fn run(&self, args: &[&[DeviceBuffer]], kept: &[i64]) -> Result<Started, PluginError> {
        const NAME: &str = "PJRT_LoadedExecutable_Execute";
        let (client, devices) = (&self.client, self.places.len());
        let mut given: Vec<Vec<*mut abi::Buffer>> = vec![Vec::new(); devices];
        for (device, place) in self.places.iter().enumerate() {
            given[*place] = args.iter().filter_map(|of| of.get(device)).map(|b| b.handle.as_ptr()).collect();
        }
        if given.iter().any(|of| of.len() != args.len()) {
            let what = "to too few arrays for its devices";
            return Err(client.failed(Trouble::Answer { function: NAME, what }));
        }
        let lists: Vec<*const *mut abi::Buffer> = given.iter().map(Vec::as_ptr).collect();
        let mut room = vec![vec![std::ptr::null_mut(); self.results.len()]; devices];
        let outputs: Vec<*mut *mut abi::Buffer> = room.iter_mut().map(Vec::as_mut_ptr).collect();
        let mut events = vec![std::ptr::null_mut(); devices];
        let mut options = abi::ExecuteOptions {
            non_donatable_input_indices: kept.as_ptr(),
            num_non_donatable_input_indices: kept.len(),
            ..abi::ExecuteOptions::EMPTY
        };
        let mut args = abi::LoadedExecutableExecute {
            executable: self.handle.as_ptr(),
            options: &mut options,
            argument_lists: lists.as_ptr(),
            num_devices: devices,
            num_args: args.len(),
            output_lists: outputs.as_ptr(),
            device_complete_events: events.as_mut_ptr(),
            ..abi::LoadedExecutableExecute::EMPTY
        };
        // SAFETY: the handles are alive; every list has as many entries as it says, and room for what is written.
        unsafe { call(client.api(), &mut args) }.map_err(|trouble| client.failed(trouble))?;
        // SAFETY: the events were made for us.
        let pending = |place: &usize| unsafe { Pending::new(client, events[*place], NAME, None) };
        let done = self.places.iter().map(pending).collect();
        let mut results: Vec<Vec<DeviceBuffer>> = self.results.iter().map(|_| Vec::new()).collect();
        let mut missing = Ok(());
        for place in &self.places {
            for ((handle, rank), into) in room[*place].iter().zip(&self.results).zip(&mut results) {
                // SAFETY: the buffers were made for us. All are ours before one is found missing.
                match unsafe { owned(client, *handle, *rank, NAME) } {
                    Ok(buffer) => into.push(buffer),
                    Err(error) => missing = Err(error),
                }
            }
        }
        missing.map(|()| Started { results, done })
    }
}

/// A run under way.
pub struct Started {
    /// Of each result an array of every device.
    pub results: Vec<Vec<DeviceBuffer>>,
    /// The run on each device.
    pub done: Vec<Pending>,
}

impl Drop for LoadedProgram {
    fn drop(&mut self) {
        if self.client.is_abandoned() {
            return;
        }
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
