//! Programs: to look at, and on the devices of a client, to run.

use crate::border::{Lent, Serve, list};
use crate::buffer::Buffer;
use crate::client::Client;
use crate::compiled::{Compiled, Param};
use crate::device::{Device, Held};
use crate::event::Event;
use crate::fault::Fault;
use crate::handles::{Handle, find, issue, release};
use meshwright_ir::TensorType;
use meshwright_pjrt::abi::{self, Arguments, ErrorCode};
use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// A program to look at.
pub struct Executable(pub Arc<Compiled>);

/// A program on devices.
pub struct Loaded {
    compiled: Arc<Compiled>,
    client: Arc<Client>,
    devices: Vec<Arc<Device>>,
    handles: Lent<Vec<*mut abi::Device>>,
    is_deleted: AtomicBool,
}

impl Loaded {
    pub fn new(client: Arc<Client>, compiled: Arc<Compiled>) -> Result<Arc<Loaded>, Fault> {
        let first: Vec<i64> = (0..compiled.partitions as i64).collect();
        let ids = if compiled.devices.is_empty() { &first } else { &compiled.devices };
        if ids.iter().collect::<BTreeSet<_>>().len() < ids.len() {
            return Err(Fault::bad(format!("a device is assigned twice: {ids:?}")));
        }
        let devices = ids.iter().map(|id| client.device(*id)).collect::<Result<Vec<_>, Fault>>()?;
        let handles = Lent(devices.iter().map(|device| device.handle()).collect());
        Ok(Arc::new(Loaded { compiled, client, devices, handles, is_deleted: AtomicBool::new(false) }))
    }

    /// Whether this run is one that is to fail.
    fn fails(&self) -> Option<Fault> {
        let run = self.client.runs.fetch_add(1, Ordering::Relaxed);
        let good = self.client.settings.fail_execute_after?;
        let device = self.devices.last().map_or(0, |device| device.id);
        let message = format!("device {device} failed in run {run}, as `fail_execute_after={good}` wants it");
        (run >= good).then(|| Fault::new(ErrorCode::INTERNAL, message))
    }

    /// Run on the arguments of each device, each an array that is there and fits.
    fn run(&self, args: &[Vec<Arc<Held>>]) -> Result<Vec<Vec<Arc<Buffer>>>, Fault> {
        if let Some(fault) = self.fails() {
            let failed = |device: &Arc<Device>, ty: &TensorType| {
                Buffer::failed(device.clone(), ty.clone(), fault.clone())
            };
            let of_device =
                |device: &Arc<Device>| self.compiled.results.iter().map(|ty| failed(device, ty)).collect();
            return Ok(self.devices.iter().map(of_device).collect());
        }
        let results = self.compiled.run(args)?;
        let of_device = |(device, results): (&Arc<Device>, Vec<Vec<u8>>)| {
            let made = results.into_iter().zip(&self.compiled.results);
            made.map(|(bytes, ty)| Ok(Buffer::here(device.clone(), ty.clone(), device.held(bytes)?)))
                .collect()
        };
        self.devices.iter().zip(results).map(of_device).collect()
    }

    /// The arguments of one device, held against what the program takes.
    fn checked(&self, device: &Arc<Device>, given: &[*mut abi::Buffer]) -> Result<Vec<Arc<Buffer>>, Fault> {
        let one = |(at, (handle, param)): (usize, (&*mut abi::Buffer, &Param))| {
            let buffer = find(*handle, "argument")?;
            if buffer.ty != param.ty {
                let message = format!("argument {at} is {}, the program takes {}", buffer.ty, param.ty);
                return Err(Fault::bad(message));
            }
            if !Arc::ptr_eq(&buffer.device, device) {
                let (lies, runs) = (buffer.device.id, device.id);
                return Err(Fault::bad(format!(
                    "argument {at} lies on device {lies}, it is given to device {runs}"
                )));
            }
            Ok(buffer)
        };
        given.iter().zip(&self.compiled.params).enumerate().map(one).collect()
    }
}

impl Handle for abi::Executable {
    type Of = Executable;
    const KIND: &'static str = "executable";
}

impl Handle for abi::LoadedExecutable {
    type Of = Loaded;
    const KIND: &'static str = "loaded executable";
}

impl Serve for abi::LoadedExecutableExecute {
    unsafe fn serve(&mut self) -> Result<(), Fault> {
        let loaded = find(self.executable, "executable")?;
        if loaded.is_deleted.load(Ordering::Relaxed) {
            return Err(Fault::new(ErrorCode::FAILED_PRECONDITION, "the program was deleted before"));
        }
        let (devices, params) = (loaded.devices.len(), loaded.compiled.params.len());
        if self.num_devices != devices {
            return Err(Fault::bad(format!(
                "the program has {devices} devices, {} are given",
                self.num_devices
            )));
        }
        if self.num_args != params {
            return Err(Fault::bad(format!(
                "the program takes {params} arrays, {} are given",
                self.num_args
            )));
        }
        if !self.execute_device.is_null() && devices > 1 {
            return Err(Fault::bad(format!("the program has {devices} devices, and is to run on one")));
        }
        // SAFETY: as the caller promises, here and below.
        let options = unsafe { self.options.as_ref() };
        let kept = match options {
            // SAFETY: as above.
            Some(options) => unsafe {
                list(
                    options.non_donatable_input_indices,
                    options.num_non_donatable_input_indices,
                    "non_donatable_input_indices",
                )?
            },
            None => &[],
        };
        // SAFETY: as above.
        let lists = unsafe { list(self.argument_lists, devices, "argument_lists") }?;
        // SAFETY: as above.
        let rooms = unsafe { list(self.output_lists, devices, "output_lists") }?;
        let mut buffers = Vec::new();
        for (device, start) in loaded.devices.iter().zip(lists) {
            // SAFETY: as above.
            buffers.push(loaded.checked(device, unsafe { list(*start, params, "argument_lists") }?)?);
        }
        if !loaded.compiled.results.is_empty() && rooms.iter().any(|room| room.is_null()) {
            return Err(Fault::bad("`output_lists` has no room for the results of a device"));
        }
        let held = taken(&buffers, &loaded.compiled.params, kept)?;
        let results = loaded.run(&held)?;
        drop(held);
        for (at, (results, room)) in results.into_iter().zip(rooms).enumerate() {
            let outcome = results.iter().try_for_each(|buffer| buffer.outcome());
            for (at, buffer) in results.into_iter().enumerate() {
                // SAFETY: there is room for as many results as the program has.
                unsafe { room.add(at).write(issue(buffer)) };
            }
            if !self.device_complete_events.is_null() {
                // SAFETY: there is room for an event of each device.
                unsafe { self.device_complete_events.add(at).write(issue(Event::done(outcome))) };
            }
        }
        Ok(())
    }
}

/// The bytes of all arguments. What is donated is used up: its array is gone for everybody else.
fn taken(buffers: &[Vec<Arc<Buffer>>], params: &[Param], kept: &[i64]) -> Result<Vec<Vec<Arc<Held>>>, Fault> {
    let is_donated = |at: usize| params[at].is_donated && !kept.contains(&(at as i64));
    for of_device in buffers {
        for (at, buffer) in of_device.iter().enumerate().filter(|(at, _)| is_donated(*at)) {
            let again =
                of_device.iter().enumerate().find(|(other, b)| *other != at && Arc::ptr_eq(b, buffer));
            if let Some((other, _)) = again {
                return Err(Fault::bad(format!("argument {at} is donated, and is argument {other} too")));
            }
        }
    }
    let held = |of_device: &Vec<Arc<Buffer>>| of_device.iter().map(|buffer| buffer.held()).collect();
    let held = buffers.iter().map(held).collect::<Result<Vec<Vec<Arc<Held>>>, Fault>>()?;
    for of_device in buffers {
        let donated = of_device.iter().enumerate().filter(|(at, _)| is_donated(*at));
        donated.for_each(|(_, buffer)| buffer.end("donated to a program"));
    }
    Ok(held)
}

impl Serve for abi::LoadedExecutableDestroy {
    unsafe fn serve(&mut self) -> Result<(), Fault> {
        release(self.executable, "executable").map(drop)
    }
}

impl Serve for abi::LoadedExecutableGetExecutable {
    unsafe fn serve(&mut self) -> Result<(), Fault> {
        let loaded = find(self.loaded_executable, "loaded_executable")?;
        self.executable = issue(Arc::new(Executable(loaded.compiled.clone())));
        Ok(())
    }
}

impl Serve for abi::LoadedExecutableAddressableDevices {
    unsafe fn serve(&mut self) -> Result<(), Fault> {
        let loaded = find(self.executable, "executable")?;
        self.addressable_devices = loaded.handles.0.as_ptr();
        self.num_addressable_devices = loaded.handles.0.len();
        Ok(())
    }
}

impl Serve for abi::LoadedExecutableDelete {
    unsafe fn serve(&mut self) -> Result<(), Fault> {
        find(self.executable, "executable")?.is_deleted.store(true, Ordering::Relaxed);
        Ok(())
    }
}

impl Serve for abi::LoadedExecutableIsDeleted {
    unsafe fn serve(&mut self) -> Result<(), Fault> {
        self.is_deleted = u8::from(find(self.executable, "executable")?.is_deleted.load(Ordering::Relaxed));
        Ok(())
    }
}

impl Serve for abi::LoadedExecutableFingerprint {
    unsafe fn serve(&mut self) -> Result<(), Fault> {
        let loaded = find(self.executable, "executable")?;
        let text = &loaded.compiled.fingerprint;
        (self.executable_fingerprint, self.executable_fingerprint_size) = (text.as_ptr().cast(), text.len());
        Ok(())
    }
}

/// What a handle stands for.
fn compiled(executable: *const abi::Executable) -> Result<Arc<Compiled>, Fault> {
    Ok(find(executable, "executable")?.0.clone())
}

impl Serve for abi::ExecutableDestroy {
    unsafe fn serve(&mut self) -> Result<(), Fault> {
        release(self.executable, "executable").map(drop)
    }
}

impl Serve for abi::ExecutableName {
    unsafe fn serve(&mut self) -> Result<(), Fault> {
        let compiled = compiled(self.executable)?;
        (self.executable_name, self.executable_name_size) =
            (compiled.name.as_ptr().cast(), compiled.name.len());
        Ok(())
    }
}

impl Serve for abi::ExecutableNumReplicas {
    unsafe fn serve(&mut self) -> Result<(), Fault> {
        compiled(self.executable)?;
        self.num_replicas = 1;
        Ok(())
    }
}

impl Serve for abi::ExecutableNumPartitions {
    unsafe fn serve(&mut self) -> Result<(), Fault> {
        self.num_partitions = compiled(self.executable)?.partitions;
        Ok(())
    }
}

impl Serve for abi::ExecutableNumOutputs {
    unsafe fn serve(&mut self) -> Result<(), Fault> {
        self.num_outputs = compiled(self.executable)?.results.len();
        Ok(())
    }
}

impl Serve for abi::ExecutableSizeOfGeneratedCodeInBytes {
    unsafe fn serve(&mut self) -> Result<(), Fault> {
        compiled(self.executable)?;
        self.size_in_bytes = 0;
        Ok(())
    }
}

impl Serve for abi::ExecutableGetCostAnalysis {
    unsafe fn serve(&mut self) -> Result<(), Fault> {
        let compiled = compiled(self.executable)?;
        (self.properties, self.num_properties) = (compiled.costs.0.as_ptr(), compiled.costs.0.len());
        Ok(())
    }
}

impl Serve for abi::ExecutableOutputMemoryKinds {
    unsafe fn serve(&mut self) -> Result<(), Fault> {
        let compiled = compiled(self.executable)?;
        let told = &compiled.told;
        self.num_outputs = compiled.results.len();
        (self.memory_kinds, self.memory_kind_sizes) = (told.memories.0.as_ptr(), told.memory_sizes.as_ptr());
        Ok(())
    }
}

impl Serve for abi::ExecutableOutputElementTypes {
    unsafe fn serve(&mut self) -> Result<(), Fault> {
        let compiled = compiled(self.executable)?;
        (self.output_types, self.num_output_types) =
            (compiled.told.types.as_ptr(), compiled.told.types.len());
        Ok(())
    }
}

impl Serve for abi::ExecutableOutputDimensions {
    unsafe fn serve(&mut self) -> Result<(), Fault> {
        let compiled = compiled(self.executable)?;
        self.num_outputs = compiled.results.len();
        (self.dims, self.dim_sizes) = (compiled.told.dims.as_ptr(), compiled.told.ranks.as_ptr());
        Ok(())
    }
}

impl Serve for abi::ExecutableOptimizedProgram {
    unsafe fn serve(&mut self) -> Result<(), Fault> {
        const FORMAT: &str = "mlir";
        let compiled = compiled(self.executable)?;
        // SAFETY: null, or alive, as the caller promises.
        let program = unsafe { self.program.as_mut() }.ok_or_else(|| Fault::bad("`program` is null"))?;
        let text = &compiled.text;
        if !program.code.is_null() {
            if program.code_size < text.len() {
                return Err(Fault::bad(format!(
                    "the text has {} bytes, there is room for {}",
                    text.len(),
                    program.code_size
                )));
            }
            // SAFETY: there is room for as many bytes as the caller says.
            unsafe { std::ptr::copy_nonoverlapping(text.as_ptr(), program.code.cast(), text.len()) };
        }
        program.code_size = text.len();
        (program.format, program.format_size) = (FORMAT.as_ptr().cast(), FORMAT.len());
        Ok(())
    }
}

impl Serve for abi::ExecutableSerialize {
    unsafe fn serve(&mut self) -> Result<(), Fault> {
        let owner = Arc::new(compiled(self.executable)?.stored.clone());
        (self.serialized_bytes, self.serialized_bytes_size) = (owner.as_ptr().cast(), owner.len());
        self.serialized_executable = issue(owner);
        self.deleter = Some(delete);
        Ok(())
    }
}

impl Handle for abi::SerializedExecutable {
    type Of = Vec<u8>;
    const KIND: &'static str = "serialized executable";
}

/// # Safety
/// None is asked for: a handle is a number.
unsafe extern "C" fn delete(owner: *mut abi::SerializedExecutable) {
    let _ = release(owner, "serialized_executable");
}

impl Serve for abi::ExecutableFingerprint {
    unsafe fn serve(&mut self) -> Result<(), Fault> {
        let compiled = compiled(self.executable)?;
        let text = &compiled.fingerprint;
        (self.executable_fingerprint, self.executable_fingerprint_size) = (text.as_ptr().cast(), text.len());
        Ok(())
    }
}

impl Serve for abi::ExecutableGetCompiledMemoryStats {
    unsafe fn serve(&mut self) -> Result<(), Fault> {
        let memory = compiled(self.executable)?.memory;
        let (struct_size, executable) = (self.struct_size, self.executable);
        *self = abi::ExecutableGetCompiledMemoryStats {
            struct_size,
            executable,
            argument_size_in_bytes: memory.arguments,
            output_size_in_bytes: memory.results,
            temp_size_in_bytes: memory.temporaries,
            ..abi::ExecutableGetCompiledMemoryStats::EMPTY
        };
        Ok(())
    }
}
