//! Arrays that enter from the launch's queues, or leave to them.

use crate::step::{Bases, BufId};
use meshwright_base::Caller;
use meshwright_ir::TensorType;
use meshwright_runtime::{DeviceId, HostArray, RunError, RunErrorKind, Workers};

#[derive(Clone, Debug)]
pub struct FeedStep {
    /// Whether the arrays enter.
    pub enters: bool,
    pub arrays: Vec<(BufId, TensorType)>,
}

impl FeedStep {
    pub fn run(&self, bases: &Bases, device: DeviceId, workers: &dyn Workers) -> Result<(), RunError> {
        let feed = workers.feed().ok_or_else(no_queues)?;
        self.arrays.iter().try_for_each(|(buf, ty)| {
            if self.enters {
                enter(bases.at(*buf), feed.take(device, ty)?, ty)
            } else {
                leave(bases.at(*buf), ty, |array| feed.give(device, array))
            }
        })
    }

    fn bufs(&self, enters: bool) -> Vec<BufId> {
        self.arrays.iter().filter(|_| self.enters == enters).map(|(buf, _)| *buf).collect()
    }

    pub fn reads(&self) -> Vec<BufId> {
        self.bufs(false)
    }

    pub fn writes(&self) -> Vec<BufId> {
        self.bufs(true)
    }
}

fn len(ty: &TensorType) -> usize {
    meshwright_runtime::array::byte_len(ty).unwrap_or(0)
}

fn enter(to: *mut u8, array: HostArray, ty: &TensorType) -> Result<(), RunError> {
    if array.bytes.len() != len(ty) {
        let message = format!("{} bytes are queued for {ty}", array.bytes.len());
        return Err(RunError::new(RunErrorKind::BadInput, message));
    }
    // SAFETY: the buffer has as many bytes as its type.
    unsafe { std::ptr::copy_nonoverlapping(array.bytes.as_ptr(), to, array.bytes.len()) };
    Ok(())
}

fn leave(from: *const u8, ty: &TensorType, give: impl FnOnce(HostArray)) -> Result<(), RunError> {
    // SAFETY: the buffer has as many bytes as its type, and nobody writes it now.
    let bytes = unsafe { std::slice::from_raw_parts(from, len(ty)) }.to_vec();
    give(HostArray { ty: ty.clone(), bytes });
    Ok(())
}

fn no_queues() -> RunError {
    let message = "the program moves data between host and device, and the launch has no queues for that";
    RunError::new(RunErrorKind::BadInput, message).help(match Caller::here() {
        Caller::CommandLine => "give arrays by `--infeed FILE.npz`, take them by `--outfeed FILE.npz`",
        Caller::Python => "make what it reads an argument of the function, and what it writes a result",
    })
}
