//! Messages between ranks: non-blocking, in parts of at most a gigabyte.

use meshwright_runtime::{RunError, RunErrorKind};
use mpi::ffi;
use mpi::raw::AsRaw;
use mpi::topology::SimpleCommunicator;
use mpi::traits::{Communicator, CommunicatorCollectives};

/// Bytes of one message at most: counts are `int` in MPI.
const PART: usize = 1 << 30;

/// Messages under way.
#[derive(Default)]
pub struct Requests(Vec<ffi::MPI_Request>);

// SAFETY: requests are handles; all calls are made under one lock.
unsafe impl Send for Requests {}

/// A communicator of the program's own.
pub struct Transport {
    world: SimpleCommunicator,
}

// SAFETY: all calls are made under one lock, which `MPI_THREAD_SERIALIZED` allows.
unsafe impl Send for Transport {}

impl Transport {
    /// Made at load, in program order, on all ranks.
    pub fn new(world: &SimpleCommunicator) -> Transport {
        Transport { world: world.duplicate() }
    }

    pub fn rank(&self) -> usize {
        self.world.rank() as usize
    }

    /// What every rank says.
    pub fn all(&self, own: u64) -> Vec<u64> {
        let mut all = vec![0u64; self.world.size() as usize];
        self.world.all_gather_into(&own, &mut all[..]);
        all
    }

    /// Start to send bytes.
    ///
    /// # Safety
    /// The bytes must stay as they are until the requests are done.
    pub unsafe fn send(
        &self,
        from: *const u8,
        bytes: usize,
        rank: usize,
        tag: i32,
        requests: &mut Requests,
    ) -> Result<(), RunError> {
        for start in (0..bytes).step_by(PART) {
            let count = PART.min(bytes - start) as i32;
            // SAFETY: a null request is a plain value.
            let mut request = unsafe { std::mem::zeroed() };
            // SAFETY: the caller keeps the bytes.
            let code = unsafe {
                let at = from.add(start).cast();
                ffi::MPI_Isend(
                    at,
                    count,
                    ffi::RSMPI_UINT8_T,
                    rank as i32,
                    tag,
                    self.world.as_raw(),
                    &mut request,
                )
            };
            check(code, rank)?;
            requests.0.push(request);
        }
        Ok(())
    }

    /// Start to receive bytes.
    ///
    /// # Safety
    /// Nobody may touch the bytes until the requests are done.
    pub unsafe fn receive(
        &self,
        to: *mut u8,
        bytes: usize,
        rank: usize,
        tag: i32,
        requests: &mut Requests,
    ) -> Result<(), RunError> {
        for start in (0..bytes).step_by(PART) {
            let count = PART.min(bytes - start) as i32;
            // SAFETY: a null request is a plain value.
            let mut request = unsafe { std::mem::zeroed() };
            // SAFETY: the caller keeps the bytes.
            let code = unsafe {
                let at = to.add(start).cast();
                ffi::MPI_Irecv(
                    at,
                    count,
                    ffi::RSMPI_UINT8_T,
                    rank as i32,
                    tag,
                    self.world.as_raw(),
                    &mut request,
                )
            };
            check(code, rank)?;
            requests.0.push(request);
        }
        Ok(())
    }

    /// Whether all messages have gone and come.
    pub fn done(&self, requests: &mut Requests) -> Result<bool, RunError> {
        let mut flag = 0;
        // SAFETY: the requests are those started above.
        let code = unsafe {
            ffi::MPI_Testall(
                requests.0.len() as i32,
                requests.0.as_mut_ptr(),
                &mut flag,
                ffi::RSMPI_STATUSES_IGNORE,
            )
        };
        check(code, self.rank())?;
        Ok(flag != 0)
    }
}

fn check(code: i32, rank: usize) -> Result<(), RunError> {
    match code {
        0 => Ok(()),
        code => Err(RunError::new(
            RunErrorKind::Transport,
            format!("MPI failed with code {code}, peer rank {rank}"),
        )),
    }
}
