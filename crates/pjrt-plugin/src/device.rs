//! Devices: a number, a memory with a limit, and what is told of them.

use crate::PLATFORM;
use crate::border::{Lent, Serve};
use crate::fault::Fault;
use crate::handles::{Handle, find, issue, release};
use crate::settings::{Log, Settings};
use meshwright_pjrt::abi::{self, Arguments, ErrorCode};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::thread;
use std::time::Duration;

/// What every device is called.
pub const KIND: &str = "simulated device of a test plugin";
/// What its memory is called.
pub const MEMORY: &str = "device";

/// A device, there or not.
pub struct Description {
    id: i32,
    process: i32,
    debug: String,
    text: String,
}

impl Description {
    pub fn new(id: usize, process: usize) -> Description {
        let debug = format!("{PLATFORM} device {id}: {KIND}");
        Description { id: id as i32, process: process as i32, debug, text: format!("{PLATFORM}:{id}") }
    }
}

/// A device that is there.
pub struct Device {
    pub id: usize,
    /// The process that it is of, and whether it is this one.
    pub process: usize,
    pub is_here: bool,
    /// Its number in its process.
    local: usize,
    limit: Option<u64>,
    /// What goes by before a transfer.
    pause: Duration,
    log: Option<Arc<Log>>,
    usage: Mutex<Usage>,
    memory_text: String,
    handles: OnceLock<DeviceHandles>,
}

#[derive(Clone, Copy, Default)]
struct Usage {
    now: u64,
    peak: u64,
    largest: u64,
    allocations: i64,
}

impl Device {
    /// A device, and handles that lead to it until it is closed.
    pub fn open(id: usize, (process, local): (usize, usize), settings: &Settings) -> Arc<Device> {
        let device = Arc::new(Device {
            id,
            process,
            is_here: process == settings.process,
            local,
            limit: settings.memory_bytes,
            pause: settings.transfer,
            log: settings.log.clone(),
            usage: Mutex::default(),
            memory_text: format!("memory of {PLATFORM}:{id}"),
            handles: OnceLock::new(),
        });
        let handles = DeviceHandles {
            device: issue(device.clone()),
            memory: Lent([issue(device.clone())]),
            description: issue(Arc::new(Description::new(id, process))),
        };
        let _ = device.handles.set(handles);
        device
    }

    pub fn handle(&self) -> *mut abi::Device {
        self.handles.get().map_or(std::ptr::null_mut(), |handles| handles.device)
    }

    pub fn memory_handle(&self) -> *mut abi::Memory {
        self.handles.get().map_or(std::ptr::null_mut(), |handles| handles.memory.0[0])
    }

    pub fn close(&self) {
        if let Some(handles) = self.handles.get() {
            let _ = release(handles.device, "device");
            let _ = release(handles.memory.0[0], "memory");
            let _ = release(handles.description, "device_description");
        }
    }

    /// Note what is done, where that is wanted.
    pub fn log(&self, line: impl FnOnce() -> String) {
        if let Some(log) = &self.log {
            log.line(&line());
        }
    }

    /// Read or write the caller's bytes: later, if transfers take their time and the caller may be waited for.
    pub fn transfer(&self, may_wait: bool, work: impl FnOnce() + Send + 'static) {
        if self.pause.is_zero() || !may_wait {
            return work();
        }
        let pause = self.pause;
        thread::spawn(move || {
            thread::sleep(pause);
            work();
        });
    }

    fn change<T>(&self, change: impl FnOnce(&mut Usage) -> T) -> T {
        change(&mut self.usage.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Bytes of this device's memory, as long as they are held.
    pub fn held(self: &Arc<Self>, bytes: Vec<u8>) -> Result<Held, Fault> {
        let size = bytes.len() as u64;
        self.change(|usage| {
            let wanted = usage.now.saturating_add(size);
            if let Some(limit) = self.limit.filter(|limit| wanted > *limit) {
                let message = format!(
                    "{size} bytes do not fit device {}: {} of {limit} are in use",
                    self.id, usage.now
                );
                return Err(Fault::new(ErrorCode::RESOURCE_EXHAUSTED, message));
            }
            usage.now = wanted;
            usage.peak = usage.peak.max(wanted);
            usage.largest = usage.largest.max(size);
            usage.allocations += 1;
            Ok(())
        })?;
        Ok(Held { device: self.clone(), bytes })
    }
}

/// Bytes in a device's memory.
pub struct Held {
    device: Arc<Device>,
    pub bytes: Vec<u8>,
}

impl Drop for Held {
    fn drop(&mut self) {
        let size = self.bytes.len() as u64;
        self.device.change(|usage| usage.now = usage.now.saturating_sub(size));
    }
}

/// The handles of a device; they die with their client.
struct DeviceHandles {
    device: *mut abi::Device,
    memory: Lent<[*mut abi::Memory; 1]>,
    description: *mut abi::DeviceDescription,
}

// SAFETY: handles are numbers.
unsafe impl Send for DeviceHandles {}
// SAFETY: as above.
unsafe impl Sync for DeviceHandles {}

impl Handle for abi::Device {
    type Of = Device;
    const KIND: &'static str = "device";
}

impl Handle for abi::Memory {
    type Of = Device;
    const KIND: &'static str = "memory";
}

impl Handle for abi::DeviceDescription {
    type Of = Description;
    const KIND: &'static str = "device description";
}

impl Serve for abi::DeviceDescriptionId {
    unsafe fn serve(&mut self) -> Result<(), Fault> {
        self.id = find(self.device_description, "device_description")?.id;
        Ok(())
    }
}

impl Serve for abi::DeviceDescriptionProcessIndex {
    unsafe fn serve(&mut self) -> Result<(), Fault> {
        self.process_index = find(self.device_description, "device_description")?.process;
        Ok(())
    }
}

impl Serve for abi::DeviceDescriptionAttributes {
    unsafe fn serve(&mut self) -> Result<(), Fault> {
        find(self.device_description, "device_description")?;
        (self.attributes, self.num_attributes) = (std::ptr::null(), 0);
        Ok(())
    }
}

impl Serve for abi::DeviceDescriptionKind {
    unsafe fn serve(&mut self) -> Result<(), Fault> {
        find(self.device_description, "device_description")?;
        (self.device_kind, self.device_kind_size) = (KIND.as_ptr().cast(), KIND.len());
        Ok(())
    }
}

impl Serve for abi::DeviceDescriptionDebugString {
    unsafe fn serve(&mut self) -> Result<(), Fault> {
        let found = find(self.device_description, "device_description")?;
        (self.debug_string, self.debug_string_size) = (found.debug.as_ptr().cast(), found.debug.len());
        Ok(())
    }
}

impl Serve for abi::DeviceDescriptionToString {
    unsafe fn serve(&mut self) -> Result<(), Fault> {
        let found = find(self.device_description, "device_description")?;
        (self.to_string, self.to_string_size) = (found.text.as_ptr().cast(), found.text.len());
        Ok(())
    }
}

impl Serve for abi::DeviceGetDescription {
    unsafe fn serve(&mut self) -> Result<(), Fault> {
        let found = find(self.device, "device")?;
        self.device_description =
            found.handles.get().map_or(std::ptr::null_mut(), |handles| handles.description);
        Ok(())
    }
}

impl Serve for abi::DeviceIsAddressable {
    unsafe fn serve(&mut self) -> Result<(), Fault> {
        self.is_addressable = u8::from(find(self.device, "device")?.is_here);
        Ok(())
    }
}

impl Serve for abi::DeviceLocalHardwareId {
    unsafe fn serve(&mut self) -> Result<(), Fault> {
        self.local_hardware_id = find(self.device, "device")?.local as i32;
        Ok(())
    }
}

impl Serve for abi::DeviceAddressableMemories {
    unsafe fn serve(&mut self) -> Result<(), Fault> {
        let found = find(self.device, "device")?;
        if let Some(handles) = found.handles.get() {
            (self.memories, self.num_memories) = (handles.memory.0.as_ptr(), handles.memory.0.len());
        }
        Ok(())
    }
}

impl Serve for abi::DeviceDefaultMemory {
    unsafe fn serve(&mut self) -> Result<(), Fault> {
        self.memory = find(self.device, "device")?.memory_handle();
        Ok(())
    }
}

impl Serve for abi::DeviceMemoryStats {
    unsafe fn serve(&mut self) -> Result<(), Fault> {
        let found = find(self.device, "device")?;
        let usage = found.change(|usage| *usage);
        // Callers leave as it was what says whether a number is told.
        let (struct_size, device) = (self.struct_size, self.device);
        *self = abi::DeviceMemoryStats { struct_size, device, ..abi::DeviceMemoryStats::EMPTY };
        self.bytes_in_use = usage.now as i64;
        (self.peak_bytes_in_use, self.peak_bytes_in_use_is_set) = (usage.peak as i64, 1);
        (self.num_allocs, self.num_allocs_is_set) = (usage.allocations, 1);
        (self.largest_alloc_size, self.largest_alloc_size_is_set) = (usage.largest as i64, 1);
        if let Some(limit) = found.limit {
            (self.bytes_limit, self.bytes_limit_is_set) = (i64::try_from(limit).unwrap_or(i64::MAX), 1);
        }
        Ok(())
    }
}

impl Serve for abi::MemoryId {
    unsafe fn serve(&mut self) -> Result<(), Fault> {
        self.id = find(self.memory, "memory")?.id as i32;
        Ok(())
    }
}

impl Serve for abi::MemoryKind {
    unsafe fn serve(&mut self) -> Result<(), Fault> {
        find(self.memory, "memory")?;
        (self.kind, self.kind_size) = (MEMORY.as_ptr().cast(), MEMORY.len());
        Ok(())
    }
}

impl Serve for abi::MemoryKindId {
    unsafe fn serve(&mut self) -> Result<(), Fault> {
        find(self.memory, "memory")?;
        self.kind_id = 0;
        Ok(())
    }
}

impl Serve for abi::MemoryDebugString {
    unsafe fn serve(&mut self) -> Result<(), Fault> {
        let found = find(self.memory, "memory")?;
        let text = &found.memory_text;
        (self.debug_string, self.debug_string_size) = (text.as_ptr().cast(), text.len());
        Ok(())
    }
}

impl Serve for abi::MemoryToString {
    unsafe fn serve(&mut self) -> Result<(), Fault> {
        let found = find(self.memory, "memory")?;
        let text = &found.memory_text;
        (self.to_string, self.to_string_size) = (text.as_ptr().cast(), text.len());
        Ok(())
    }
}

impl Serve for abi::MemoryAddressableByDevices {
    unsafe fn serve(&mut self) -> Result<(), Fault> {
        let found = find(self.memory, "memory")?;
        if let Some(handles) = found.handles.get() {
            (self.devices, self.num_devices) = (&raw const handles.device, 1);
        }
        Ok(())
    }
}
