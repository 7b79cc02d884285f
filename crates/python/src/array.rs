//! Arrays on the devices, and bytes that Python's arrays own.

use crate::failure::{bad_arrays, here, raised};
use meshwright_cli::engine::failed;
use meshwright_cli::failure::Failure;
use meshwright_ir::Placement;
use meshwright_runtime::{Buffer, DeviceArray, DeviceId, array};
use meshwright_shard::Meshes;
use pyo3::exceptions::PyBufferError;
use pyo3::ffi;
use pyo3::prelude::*;
use std::ffi::c_int;
use std::sync::{Arc, Mutex, PoisonError};

/// What lies on the devices, and how it is cut.
#[derive(Clone)]
pub struct Held {
    pub array: DeviceArray,
    pub placement: Placement,
    pub meshes: Arc<Meshes>,
}

/// An array on the devices of this process, until it is given away.
#[pyclass(frozen, module = "meshwright._native")]
pub struct Array(Mutex<Option<Held>>);

#[pymethods]
impl Array {
    /// Whether it is there still: a program that was given it for good has used it up.
    #[getter]
    fn is_held(&self) -> bool {
        self.held().is_some()
    }

    /// The bytes of the whole array: those of a device that has all of it as they lie, else a copy.
    fn bytes(&self, py: Python<'_>) -> PyResult<Bytes> {
        let held = self.held().ok_or_else(|| raised(py, &used_up("the array")))?;
        here(py, || held.bytes(Access::Read))
    }
}

impl Array {
    pub fn new(held: Held) -> Array {
        Array(Mutex::new(Some(held)))
    }

    fn held(&self) -> Option<Held> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The array for a parameter: for good if the program asks for that, and cut as the program takes it.
    pub fn given(
        &self,
        called: &str,
        placement: &Placement,
        devices: &[DeviceId],
        is_donated: bool,
    ) -> Result<Given, Failure> {
        let mut place = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(held) = &*place else { return Err(used_up(called)) };
        if held.placement.global != placement.global {
            let message =
                format!("{called} is {}, the program takes {}", held.placement.global, placement.global);
            return Err(bad_arrays(message, "give an array of that type"));
        }
        if held.array.count() != devices.len() {
            let count = held.array.count();
            let message = format!("{called} lies on {count} devices, the program runs on {}", devices.len());
            return Err(bad_arrays(message, "give it as a numpy array: `numpy.asarray(it)`"));
        }
        let held = if is_donated { place.take() } else { place.clone() };
        held.map(Given).ok_or_else(|| used_up(called))
    }
}

/// An array that a program was given.
pub struct Given(Held);

impl Given {
    /// As the program takes it: what is cut another way is put together and cut again.
    pub fn placed(
        self,
        meshes: &Meshes,
        placement: &Placement,
        devices: &[DeviceId],
    ) -> Result<DeviceArray, Failure> {
        let Given(held) = self;
        let is_same = held.placement.sharding.mesh == placement.sharding.mesh
            && held.placement.sharding.dims == placement.sharding.dims
            && held.meshes.get(held.placement.sharding.mesh) == meshes.get(placement.sharding.mesh);
        if is_same {
            return Ok(held.array);
        }
        let whole = held.whole()?;
        DeviceArray::from_bytes(meshes, placement, whole.bytes(), devices).map_err(|error| failed(&error))
    }
}

fn used_up(what: &str) -> Failure {
    let message = format!("{what} was given away: a program that takes it for good has used it up");
    bad_arrays(message, "keep what that run gave in its place, or give the program a numpy array")
}

/// What may be done with bytes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Access {
    Read,
    /// Nobody else has them.
    Write,
}

impl Held {
    /// The whole array, in a buffer of its own.
    fn whole(&self) -> Result<Buffer, Failure> {
        let shards = self.array.shards().map_err(|error| failed(&error))?;
        let shards: Vec<&[u8]> = shards.iter().map(|shard| shard.bytes()).collect();
        array::gathered(&self.meshes, &self.placement, &shards).map_err(|error| failed(&error))
    }

    /// The whole array as bytes: those of the first device where it has all of it, else put together.
    pub fn bytes(&self, access: Access) -> Result<Bytes, Failure> {
        if self.placement.sharding.tiles().iter().all(|tiles| *tiles == 1) {
            let shards = self.array.shards().map_err(|error| failed(&error))?;
            if let Some(first) = shards.first() {
                return Ok(Bytes { buffer: first.clone(), access });
            }
        }
        Ok(Bytes { buffer: Arc::new(self.whole()?), access: Access::Write })
    }
}

/// Bytes that a Python array can own: it is given them by the buffer protocol.
#[pyclass(frozen, module = "meshwright._native")]
pub struct Bytes {
    buffer: Arc<Buffer>,
    access: Access,
}

impl Bytes {
    /// Of a buffer that nobody else has.
    pub fn of(buffer: Buffer) -> Bytes {
        Bytes { buffer: Arc::new(buffer), access: Access::Write }
    }
}

#[pymethods]
impl Bytes {
    /// # Safety
    /// Called by Python, with a view that it owns.
    unsafe fn __getbuffer__(slf: Bound<'_, Self>, view: *mut ffi::Py_buffer, flags: c_int) -> PyResult<()> {
        if view.is_null() {
            return Err(PyBufferError::new_err("no view to fill"));
        }
        let (at, length) = (slf.get().buffer.as_ptr(), slf.get().buffer.len());
        let length = ffi::Py_ssize_t::try_from(length).map_err(|_| PyBufferError::new_err("too long"))?;
        let is_read_only = c_int::from(slf.get().access == Access::Read);
        // SAFETY: the view holds a reference to this object, and with it the buffer; whoever may write has it alone.
        let filled =
            unsafe { ffi::PyBuffer_FillInfo(view, slf.as_ptr(), at.cast(), length, is_read_only, flags) };
        if filled == 0 { Ok(()) } else { Err(PyErr::fetch(slf.py())) }
    }
}
