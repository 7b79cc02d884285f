//! Arrays on a device: in row-major order, whatever order the caller has them in or wants them in.

use crate::border::{Lent, Serve, list};
use crate::client::Client;
use crate::device::{Device, Held};
use crate::elements::{number, tensor_type};
use crate::event::Event;
use crate::fault::Fault;
use crate::handles::{Handle, find, issue, release};
use meshwright_ir::TensorType;
use meshwright_pjrt::abi::{self, ErrorCode, HostSemantics, LayoutKind};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

pub struct Buffer {
    pub device: Arc<Device>,
    pub ty: TensorType,
    /// Or why there is none any more.
    slot: Mutex<Result<Arc<Slot>, &'static str>>,
    /// When its bytes are there, or will never be.
    ready: Arc<Event>,
}

/// The bytes of an array: here, failed, or on their way. Who was given it has it, whatever becomes of the array.
pub struct Slot {
    outcome: OnceLock<Result<Arc<Held>, Fault>>,
    ready: Arc<Event>,
}

impl Slot {
    /// The bytes came, or will not.
    pub fn fill(&self, outcome: Result<Held, Fault>) {
        let told = outcome.as_ref().map(|_| ()).map_err(Clone::clone);
        let _ = self.outcome.set(outcome.map(Arc::new));
        self.ready.set_outcome(told);
    }

    /// The bytes, waited for.
    pub fn held(&self) -> Result<Arc<Held>, Fault> {
        // What is wrong with it, its outcome says.
        let _ = self.ready.waited();
        let never = || Err(Fault::new(ErrorCode::INTERNAL, "the array never came"));
        self.outcome.get().cloned().unwrap_or_else(never)
    }
}

impl Buffer {
    /// An array whose bytes are there.
    pub fn here(device: Arc<Device>, ty: TensorType, held: Held) -> Arc<Buffer> {
        let (buffer, slot) = Buffer::coming(device, ty);
        slot.fill(Ok(held));
        buffer
    }

    /// An array that is on its way, and where its bytes will be.
    pub fn coming(device: Arc<Device>, ty: TensorType) -> (Arc<Buffer>, Arc<Slot>) {
        let ready: Arc<Event> = Arc::default();
        let slot = Arc::new(Slot { outcome: OnceLock::new(), ready: ready.clone() });
        (Arc::new(Buffer { device, ty, slot: Mutex::new(Ok(slot.clone())), ready }), slot)
    }

    fn lock(&self) -> MutexGuard<'_, Result<Arc<Slot>, &'static str>> {
        self.slot.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Where its bytes are or will be.
    pub fn slot(&self) -> Result<Arc<Slot>, Fault> {
        let gone =
            |why: &&str| Fault::new(ErrorCode::FAILED_PRECONDITION, format!("the array was {why} before"));
        self.lock().as_ref().cloned().map_err(gone)
    }

    /// The bytes, waited for.
    pub fn held(&self) -> Result<Arc<Held>, Fault> {
        self.slot()?.held()
    }

    /// The same array on a device.
    fn copied(&self, device: Arc<Device>) -> Result<*mut abi::Buffer, Fault> {
        let held = device.held(self.held()?.bytes.clone())?;
        Ok(issue(Buffer::here(device, self.ty.clone(), held)))
    }

    /// Let go of the bytes; what fails later says why.
    pub fn end(&self, why: &'static str) {
        let old = std::mem::replace(&mut *self.lock(), Err(why));
        drop(old);
    }

    fn is_gone(&self) -> bool {
        self.lock().is_err()
    }

    fn bytes(&self) -> usize {
        bytes(&self.ty)
    }
}

fn bytes(ty: &TensorType) -> usize {
    usize::try_from(ty.byte_size()).unwrap_or(0)
}

impl Handle for abi::Buffer {
    type Of = Buffer;
    const KIND: &'static str = "buffer";
}

/// Bytes from element to element along each dim, in row-major order.
fn dense(ty: &TensorType) -> Vec<i64> {
    let order: Vec<usize> = (0..ty.rank()).rev().collect();
    strides(ty, &order)
}

/// The same, where `order` lists dims from the one whose elements lie closest.
fn strides(ty: &TensorType, order: &[usize]) -> Vec<i64> {
    let mut strides = vec![0; ty.rank()];
    let mut next = ty.dtype.bytes() as i64;
    for dim in order {
        strides[*dim] = next;
        next *= ty.dims[*dim].max(1);
    }
    strides
}

/// The order of dims that a layout wants, as strides.
///
/// # Safety
/// `layout` is null or alive, with what it points at.
unsafe fn wanted(layout: *const abi::MemoryLayout, ty: &TensorType) -> Result<Vec<i64>, Fault> {
    // SAFETY: as the caller promises.
    let Some(layout) = (unsafe { layout.as_ref() }) else { return Ok(dense(ty)) };
    if layout.kind != LayoutKind::TILED || layout.tiled.num_tiles > 0 {
        return Err(Fault::lacking("layouts by strides or in tiles: name an order of dims"));
    }
    // SAFETY: as the caller promises.
    let dims =
        unsafe { list(layout.tiled.minor_to_major, layout.tiled.minor_to_major_size, "minor_to_major") }?;
    let order: Vec<usize> = dims.iter().filter_map(|dim| usize::try_from(*dim).ok()).collect();
    let mut sorted = order.clone();
    sorted.sort_unstable();
    if sorted != (0..ty.rank()).collect::<Vec<_>>() || order.len() != dims.len() {
        return Err(Fault::bad(format!("{dims:?} is not an order of the {} dims of {ty}", ty.rank())));
    }
    Ok(strides(ty, &order))
}

/// Copy all elements of an array from one order into another.
///
/// # Safety
/// At `from` and at `to` there are elements as far as the strides lead.
unsafe fn copy(ty: &TensorType, from: (*const u8, &[i64]), to: (*mut u8, &[i64])) {
    if ty.dims.contains(&0) {
        return;
    }
    let width = ty.dtype.bytes();
    let mut index = vec![0i64; ty.rank()];
    loop {
        let at =
            |strides: &[i64]| index.iter().zip(strides).map(|(at, stride)| at * stride).sum::<i64>() as isize;
        // SAFETY: as the caller promises.
        unsafe { std::ptr::copy_nonoverlapping(from.0.offset(at(from.1)), to.0.offset(at(to.1)), width) };
        let next = (0..index.len()).rev().find(|dim| index[*dim] + 1 < ty.dims[*dim]);
        let Some(next) = next else { return };
        index[next] += 1;
        index[next + 1..].fill(0);
    }
}

impl Serve for abi::ClientBufferFromHostBuffer {
    unsafe fn serve(&mut self) -> Result<(), Fault> {
        let client = find(self.client, "client")?;
        // SAFETY: as the caller promises, here and below.
        let dims = unsafe { list(self.dims, self.num_dims, "dims") }?;
        let ty = tensor_type(self.kind, dims)?;
        let device = device(&client, self.device, self.memory)?;
        // SAFETY: as above.
        let asked = unsafe { wanted(self.device_layout, &ty) }?;
        if asked != dense(&ty) {
            return Err(Fault::lacking("arrays on devices in another order than row-major"));
        }
        // SAFETY: as above.
        let given = unsafe { list(self.byte_strides, self.num_byte_strides, "byte_strides") }?;
        let given = match given.len() {
            0 => dense(&ty),
            count if count == ty.rank() => given.to_vec(),
            count => return Err(Fault::bad(format!("{count} strides are given for {ty}"))),
        };
        if self.data.is_null() && bytes(&ty) > 0 {
            return Err(Fault::bad("`data` is null"));
        }
        let mut held = device.held(vec![0; bytes(&ty)])?;
        let from = device.clone();
        from.log(|| format!("put {} bytes on device {}", bytes(&ty), from.id));
        let (buffer, slot) = Buffer::coming(device, ty.clone());
        let at = Lent(self.data.cast::<u8>());
        let fill = move || {
            let at = at;
            let to = dense(&ty);
            // SAFETY: the caller leaves its bytes as they are until it is told; ours are as many as the type has.
            unsafe { copy(&ty, (at.0, &given), (held.bytes.as_mut_ptr(), &to)) };
            slot.fill(Ok(held));
        };
        let may_wait = self.host_buffer_semantics != HostSemantics::ONLY_DURING_CALL;
        from.transfer(may_wait, fill);
        self.done_with_host_buffer = issue(buffer.ready.clone());
        self.buffer = issue(buffer);
        Ok(())
    }
}

/// The device that an array goes to: one that is named, or whose memory is.
fn device(
    client: &Client,
    device: *const abi::Device,
    memory: *const abi::Memory,
) -> Result<Arc<Device>, Fault> {
    let found = if memory.is_null() { find(device, "device")? } else { find(memory, "memory")? };
    let is_ours = client.devices.iter().any(|ours| Arc::ptr_eq(ours, &found));
    is_ours.then_some(found).ok_or_else(|| Fault::bad("the device is one of another client"))
}

impl Serve for abi::BufferToHostBuffer {
    unsafe fn serve(&mut self) -> Result<(), Fault> {
        let buffer = find(self.src, "src")?;
        // SAFETY: as the caller promises.
        let to = unsafe { wanted(self.host_layout, &buffer.ty) }?;
        if self.dst.is_null() {
            self.dst_size = buffer.bytes();
            return Ok(());
        }
        if self.dst_size < buffer.bytes() {
            return Err(Fault::bad(format!(
                "{} has {} bytes, there is room for {}",
                buffer.ty,
                buffer.bytes(),
                self.dst_size
            )));
        }
        let event = Arc::new(Event::default());
        self.event = issue(event.clone());
        let at = Lent(self.dst.cast::<u8>());
        let device = &buffer.device;
        device.log(|| format!("fetch {} bytes from device {}", buffer.bytes(), device.id));
        buffer.device.clone().transfer(true, move || {
            let at = at;
            let outcome = buffer.held().map(|held| {
                // SAFETY: the caller leaves the room alone until it is told; it has as many bytes as it said.
                unsafe { copy(&buffer.ty, (held.bytes.as_ptr(), &dense(&buffer.ty)), (at.0, &to)) };
            });
            event.set_outcome(outcome);
        });
        Ok(())
    }
}

impl Serve for abi::BufferDestroy {
    unsafe fn serve(&mut self) -> Result<(), Fault> {
        release(self.buffer, "buffer").map(drop)
    }
}

impl Serve for abi::BufferElementType {
    unsafe fn serve(&mut self) -> Result<(), Fault> {
        self.kind = number(find(self.buffer, "buffer")?.ty.dtype);
        Ok(())
    }
}

impl Serve for abi::BufferDimensions {
    unsafe fn serve(&mut self) -> Result<(), Fault> {
        let found = find(self.buffer, "buffer")?;
        (self.dims, self.num_dims) = (found.ty.dims.as_ptr(), found.ty.dims.len());
        Ok(())
    }
}

impl Serve for abi::BufferUnpaddedDimensions {
    unsafe fn serve(&mut self) -> Result<(), Fault> {
        let found = find(self.buffer, "buffer")?;
        (self.unpadded_dims, self.num_dims) = (found.ty.dims.as_ptr(), found.ty.dims.len());
        Ok(())
    }
}

impl Serve for abi::BufferDynamicDimensionIndices {
    unsafe fn serve(&mut self) -> Result<(), Fault> {
        find(self.buffer, "buffer")?;
        (self.dynamic_dim_indices, self.num_dynamic_dims) = (std::ptr::null(), 0);
        Ok(())
    }
}

impl Serve for abi::BufferOnDeviceSizeInBytes {
    unsafe fn serve(&mut self) -> Result<(), Fault> {
        self.on_device_size_in_bytes = find(self.buffer, "buffer")?.bytes();
        Ok(())
    }
}

impl Serve for abi::BufferDevice {
    unsafe fn serve(&mut self) -> Result<(), Fault> {
        self.device = find(self.buffer, "buffer")?.device.handle();
        Ok(())
    }
}

impl Serve for abi::BufferMemory {
    unsafe fn serve(&mut self) -> Result<(), Fault> {
        self.memory = find(self.buffer, "buffer")?.device.memory_handle();
        Ok(())
    }
}

impl Serve for abi::BufferDelete {
    unsafe fn serve(&mut self) -> Result<(), Fault> {
        find(self.buffer, "buffer")?.end("deleted");
        Ok(())
    }
}

impl Serve for abi::BufferIsDeleted {
    unsafe fn serve(&mut self) -> Result<(), Fault> {
        self.is_deleted = u8::from(find(self.buffer, "buffer")?.is_gone());
        Ok(())
    }
}

impl Serve for abi::BufferCopyToDevice {
    unsafe fn serve(&mut self) -> Result<(), Fault> {
        let source = find(self.buffer, "buffer")?;
        self.dst_buffer = source.copied(find(self.dst_device, "dst_device")?)?;
        Ok(())
    }
}

impl Serve for abi::BufferCopyToMemory {
    unsafe fn serve(&mut self) -> Result<(), Fault> {
        let source = find(self.buffer, "buffer")?;
        self.dst_buffer = source.copied(find(self.dst_memory, "dst_memory")?)?;
        Ok(())
    }
}

impl Serve for abi::BufferIsOnCpu {
    unsafe fn serve(&mut self) -> Result<(), Fault> {
        find(self.buffer, "buffer")?;
        self.is_on_cpu = 0;
        Ok(())
    }
}

impl Serve for abi::BufferReadyEvent {
    unsafe fn serve(&mut self) -> Result<(), Fault> {
        self.event = issue(find(self.buffer, "buffer")?.ready.clone());
        Ok(())
    }
}
