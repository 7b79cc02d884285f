//! Programs: to look at, and on the devices of a client, to run.

use crate::border::{Lent, Serve, list};
use crate::buffer::{Buffer, Slot};
use crate::client::Client;
use crate::compiled::{Compiled, Param};
use crate::device::{Device, Held};
use crate::event::Event;
use crate::exchange::Exchange;
use crate::fault::Fault;
use crate::handles::{self, Handle, find, issue, release};
use meshwright_pjrt::abi::{self, Arguments, ErrorCode};
use std::collections::{BTreeMap, BTreeSet};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Weak};

/// A program to look at. One of a loaded program lives only as long as that does, as in XLA's plugins.
pub struct Executable {
    pub compiled: Arc<Compiled>,
    pub of: Option<Weak<Loaded>>,
}

/// What a run makes: arrays of each device, and its end there.
struct Made {
    slots: Vec<Vec<Arc<Slot>>>,
    ends: Vec<Arc<Event>>,
}

/// A program on devices.
pub struct Loaded {
    compiled: Arc<Compiled>,
    client: Arc<Client>,
    /// Of all processes, by partition.
    devices: Vec<Arc<Device>>,
    /// Of this one.
    here: Vec<Arc<Device>>,
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
        let here: Vec<_> = devices.iter().filter(|device| device.is_here).cloned().collect();
        let handles = Lent(here.iter().map(|device| device.handle()).collect());
        Ok(Arc::new(Loaded { compiled, client, devices, here, handles, is_deleted: AtomicBool::new(false) }))
    }

    /// The number of this run, and whether it is one that is to fail.
    fn begun(&self) -> (u64, Option<Fault>) {
        let run = self.client.runs.fetch_add(1, Ordering::Relaxed);
        let device = self.devices.last().map_or(0, |device| device.id);
        let fails = self.client.settings.fail_execute_after.filter(|good| run >= *good).map(|good| {
            let message =
                format!("device {device} failed in run {run}, as `fail_execute_after={good}` wants it");
            Fault::new(ErrorCode::INTERNAL, message)
        });
        (run, fails)
    }

    /// Run on the arguments of each device of this process, each an array that fits, and is there or will be.
    fn run(&self, run: u64, args: &[Vec<Arc<Slot>>]) -> Result<Vec<Vec<Held>>, Fault> {
        let held = |of_device: &Vec<Arc<Slot>>| of_device.iter().map(|slot| slot.held()).collect();
        let held = args.iter().map(held).collect::<Result<Vec<Vec<Arc<Held>>>, Fault>>()?;
        let own: Vec<Vec<&[u8]>> =
            held.iter().map(|of_device| of_device.iter().map(|held| &held.bytes[..]).collect()).collect();
        let others = match &self.client.exchange {
            Some(exchange) if self.here.len() < self.devices.len() => self.exchanged(exchange, run, &own)?,
            _ => BTreeMap::new(),
        };
        let args = self.everywhere(own, &others)?;
        let results = self.compiled.run(&args)?;
        let of_device = |(device, results): (&Arc<Device>, Vec<Vec<u8>>)| {
            results.into_iter().map(|bytes| device.held(bytes)).collect()
        };
        self.devices.iter().zip(results).filter(|(device, _)| device.is_here).map(of_device).collect()
    }

    /// Give the other processes what this one's devices have, and take what theirs have: every process runs all
    /// devices, and keeps what its own come to.
    fn exchanged(
        &self,
        exchange: &Exchange,
        run: u64,
        own: &[Vec<&[u8]>],
    ) -> Result<BTreeMap<usize, Vec<u8>>, Fault> {
        let key = |process: usize| format!("arguments of run {run}, process {process}");
        exchange.put(&key(self.client.settings.process), &own.concat().concat())?;
        let others: BTreeSet<usize> =
            self.devices.iter().filter(|device| !device.is_here).map(|device| device.process).collect();
        others.into_iter().map(|process| Ok((process, exchange.get(&key(process))?))).collect()
    }

    /// The arguments of all devices, by partition.
    fn everywhere<'a>(
        &self,
        own: Vec<Vec<&'a [u8]>>,
        others: &'a BTreeMap<usize, Vec<u8>>,
    ) -> Result<Vec<Vec<&'a [u8]>>, Fault> {
        let short = || Fault::new(ErrorCode::INTERNAL, "another process gave too few bytes");
        let mut own = own.into_iter();
        let mut rests: BTreeMap<usize, &[u8]> = others.iter().map(|(of, bytes)| (*of, &bytes[..])).collect();
        let mut all = Vec::new();
        for device in &self.devices {
            if device.is_here {
                all.push(own.next().ok_or_else(short)?);
                continue;
            }
            let rest = rests.get_mut(&device.process).ok_or_else(short)?;
            let mut take = |param: &Param| {
                let bytes = usize::try_from(param.ty.byte_size()).unwrap_or(usize::MAX);
                let (taken, after) = rest.split_at_checked(bytes).ok_or_else(short)?;
                *rest = after;
                Ok(taken)
            };
            all.push(self.compiled.params.iter().map(&mut take).collect::<Result<_, Fault>>()?);
        }
        Ok(all)
    }

    /// Run, and fill the results' slots. A panic fails them all.
    fn fill(&self, args: Vec<Vec<Arc<Slot>>>, (number, fails): (u64, Option<Fault>), made: &Made) {
        std::thread::sleep(self.client.settings.execute);
        let run = || fails.map_or_else(|| self.run(number, &args), Err);
        let panicked = |_| Err(Fault::new(ErrorCode::INTERNAL, "a run panicked"));
        let outcome = catch_unwind(AssertUnwindSafe(run)).unwrap_or_else(panicked);
        // What was used up is free before anybody learns of the end.
        drop(args);
        let told = outcome.as_ref().map(|_| ()).map_err(Clone::clone);
        let slots = made.slots.iter().flatten();
        match outcome {
            Ok(held) => slots.zip(held.into_iter().flatten()).for_each(|(slot, held)| slot.fill(Ok(held))),
            Err(fault) => slots.for_each(|slot| slot.fill(Err(fault.clone()))),
        }
        made.ends.iter().for_each(|end| end.set_outcome(told.clone()));
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
        let (devices, params) = (loaded.here.len(), loaded.compiled.params.len());
        if self.num_devices != devices {
            return Err(Fault::bad(format!(
                "the program has {devices} devices here, {} are given",
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
        for (device, start) in loaded.here.iter().zip(lists) {
            // SAFETY: as above.
            buffers.push(loaded.checked(device, unsafe { list(*start, params, "argument_lists") }?)?);
        }
        if !loaded.compiled.results.is_empty() && rooms.iter().any(|room| room.is_null()) {
            return Err(Fault::bad("`output_lists` has no room for the results of a device"));
        }
        let args = taken(&buffers, &loaded.compiled.params, kept)?;
        let (run, fails) = loaded.begun();
        if let Some(log) = &loaded.client.settings.log {
            log.line(&format!("run {run}"));
        }
        let coming = |device: &Arc<Device>| -> (Vec<Arc<Buffer>>, Vec<Arc<Slot>>) {
            let results = loaded.compiled.results.iter();
            results.map(|ty| Buffer::coming(device.clone(), ty.clone())).unzip()
        };
        let (results, slots): (Vec<_>, Vec<_>) = loaded.here.iter().map(coming).unzip();
        let ends: Vec<Arc<Event>> = loaded.here.iter().map(|_| Arc::default()).collect();
        for (at, (results, room)) in results.into_iter().zip(rooms).enumerate() {
            for (at, buffer) in results.into_iter().enumerate() {
                // SAFETY: there is room for as many results as the program has.
                unsafe { room.add(at).write(issue(buffer)) };
            }
            if !self.device_complete_events.is_null() {
                // SAFETY: there is room for an event of each device.
                unsafe { self.device_complete_events.add(at).write(issue(ends[at].clone())) };
            }
        }
        drop(buffers);
        let (client, made) = (loaded.client.clone(), Made { slots, ends });
        client.work(move || loaded.fill(args, (run, fails), &made));
        Ok(())
    }
}

/// Where the bytes of all arguments are. What is donated is used up: its array is gone for everybody else.
fn taken(buffers: &[Vec<Arc<Buffer>>], params: &[Param], kept: &[i64]) -> Result<Vec<Vec<Arc<Slot>>>, Fault> {
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
    let slots = |of_device: &Vec<Arc<Buffer>>| of_device.iter().map(|buffer| buffer.slot()).collect();
    let slots = buffers.iter().map(slots).collect::<Result<Vec<Vec<Arc<Slot>>>, Fault>>()?;
    for of_device in buffers {
        let donated = of_device.iter().enumerate().filter(|(at, _)| is_donated(*at));
        donated.for_each(|(_, buffer)| buffer.end("donated to a program"));
    }
    Ok(slots)
}

impl Serve for abi::LoadedExecutableDestroy {
    unsafe fn serve(&mut self) -> Result<(), Fault> {
        release(self.executable, "executable").map(drop)
    }
}

impl Serve for abi::LoadedExecutableGetExecutable {
    unsafe fn serve(&mut self) -> Result<(), Fault> {
        let loaded = find(self.loaded_executable, "loaded_executable")?;
        let (compiled, of) = (loaded.compiled.clone(), Some(Arc::downgrade(&loaded)));
        self.executable = issue(Arc::new(Executable { compiled, of }));
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
    let found = find(executable, "executable")?;
    match &found.of {
        Some(of) if of.strong_count() == 0 => {
            Err(handles::count_stale("`executable` is of a loaded program that was destroyed"))
        }
        _ => Ok(found.compiled.clone()),
    }
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
