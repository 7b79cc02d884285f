//! Messages between ranks: non-blocking, of at most a gigabyte each. Parts of arrays travel from and to where they lie.

use crate::within::within;
use meshwright_runtime::{RunError, RunErrorKind};
use mpi::ffi;
use mpi::raw::AsRaw;
use mpi::topology::SimpleCommunicator;
use mpi::traits::Communicator;
use std::time::{Duration, Instant};

/// Bytes of one message at most: counts are `int` in MPI.
const MESSAGE: usize = 1 << 30;

/// Bytes of an array: `runs` runs of `bytes` bytes, `step` bytes apart, the first one `start` bytes in.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ByteRuns {
    pub start: usize,
    pub runs: usize,
    pub bytes: usize,
    pub step: usize,
}

impl ByteRuns {
    pub fn dense(start: usize, bytes: usize) -> ByteRuns {
        ByteRuns { start, runs: 1, bytes, step: bytes }
    }

    /// Parts that fit one message each, in order; none where there is nothing.
    fn messages(self) -> Vec<ByteRuns> {
        let ByteRuns { start, runs, bytes, step } = self;
        if runs == 0 || bytes == 0 {
            return Vec::new();
        }
        if bytes == step && runs > 1 {
            return ByteRuns::dense(start, runs * bytes).messages();
        }
        if bytes > MESSAGE {
            let cut = |from: usize| {
                (0..bytes).step_by(MESSAGE).map(move |at| ByteRuns::dense(from + at, MESSAGE.min(bytes - at)))
            };
            return (0..runs).flat_map(|run| cut(start + run * step)).collect();
        }
        let each = MESSAGE / bytes;
        (0..runs)
            .step_by(each)
            .map(|run| ByteRuns { start: start + run * step, runs: each.min(runs - run), bytes, step })
            .collect()
    }
}

/// What MPI calls a part: so many of a type.
#[derive(Clone, Copy)]
struct TypedCount {
    count: i32,
    ty: ffi::MPI_Datatype,
    /// To be freed.
    is_own: bool,
}

impl TypedCount {
    /// Of a part that fits one message.
    fn of(part: ByteRuns, rank: usize) -> Result<TypedCount, RunError> {
        // SAFETY: a constant of the library.
        let byte = unsafe { ffi::RSMPI_UINT8_T };
        if part.runs == 1 {
            return Ok(TypedCount { count: part.bytes as i32, ty: byte, is_own: false });
        }
        let mut ty = byte;
        let (runs, bytes, step) = (part.runs as i32, part.bytes as i32, part.step as ffi::MPI_Aint);
        // SAFETY: plain numbers and a place for the new type.
        check(unsafe { ffi::MPI_Type_create_hvector(runs, bytes, step, byte, &mut ty) }, rank)?;
        // SAFETY: the type was just made.
        check(unsafe { ffi::MPI_Type_commit(&mut ty) }, rank)?;
        Ok(TypedCount { count: 1, ty, is_own: true })
    }

    /// MPI keeps it until the messages that use it are done.
    fn free(mut self, rank: usize) -> Result<(), RunError> {
        if self.is_own {
            // SAFETY: made by `of`, freed once.
            check(unsafe { ffi::MPI_Type_free(&mut self.ty) }, rank)
        } else {
            Ok(())
        }
    }
}

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
    pub fn new(world: &SimpleCommunicator, deadline: Duration) -> Transport {
        Transport { world: within(deadline, "a communicator", || world.duplicate()) }
    }

    pub fn rank(&self) -> usize {
        self.world.rank() as usize
    }

    /// What every rank says. All ranks must ask, at the same place.
    pub fn all(&self, own: u64, deadline: Duration) -> Result<Vec<u64>, RunError> {
        let ranks = self.world.size() as usize;
        let mut said = vec![0u64; ranks];
        said.push(own);
        // SAFETY: a null request is a plain value.
        let mut request = unsafe { std::mem::zeroed() };
        // SAFETY: both places are kept until the request is done, or for good.
        let code = unsafe {
            let (word, to) = (ffi::RSMPI_UINT64_T, said.as_mut_ptr());
            let from = to.add(ranks).cast_const().cast();
            ffi::MPI_Iallgather(from, 1, word, to.cast(), 1, word, self.world.as_raw(), &mut request)
        };
        check(code, self.rank())?;
        if let Err(error) = self.wait(&mut Requests(vec![request]), "other ranks", deadline) {
            std::mem::forget(said);
            return Err(error);
        }
        said.truncate(ranks);
        Ok(said)
    }

    /// Sleep until all messages have gone and come.
    pub fn wait(&self, requests: &mut Requests, what: &str, deadline: Duration) -> Result<(), RunError> {
        let since = Instant::now();
        while !self.done(requests)? {
            if since.elapsed() > deadline {
                let message = format!("{what} did not come within {:.1} s", deadline.as_secs_f64());
                return Err(RunError::new(RunErrorKind::TimedOut, message).rank(self.rank()));
            }
            std::thread::sleep(Duration::from_micros(100));
        }
        Ok(())
    }

    /// Start to send a part of an array.
    ///
    /// # Safety
    /// The part lies in the array, which must stay as it is until the requests are done.
    pub unsafe fn send(
        &self,
        from: *const u8,
        part: ByteRuns,
        rank: usize,
        tag: i32,
        requests: &mut Requests,
    ) -> Result<(), RunError> {
        let start = |at: *mut u8, shape: TypedCount, request: &mut ffi::MPI_Request| {
            let (count, ty, peer) = (shape.count, shape.ty, rank as i32);
            // SAFETY: the caller keeps the bytes.
            unsafe { ffi::MPI_Isend(at.cast(), count, ty, peer, tag, self.world.as_raw(), request) }
        };
        self.each_message(from.cast_mut(), part, rank, requests, &start)
    }

    /// Start to receive a part of an array.
    ///
    /// # Safety
    /// The part lies in the array. Nobody may touch it until the requests are done.
    pub unsafe fn receive(
        &self,
        to: *mut u8,
        part: ByteRuns,
        rank: usize,
        tag: i32,
        requests: &mut Requests,
    ) -> Result<(), RunError> {
        let start = |at: *mut u8, shape: TypedCount, request: &mut ffi::MPI_Request| {
            let (count, ty, peer) = (shape.count, shape.ty, rank as i32);
            // SAFETY: the caller keeps the bytes.
            unsafe { ffi::MPI_Irecv(at.cast(), count, ty, peer, tag, self.world.as_raw(), request) }
        };
        self.each_message(to, part, rank, requests, &start)
    }

    /// Start the messages of a part: the same ones at either end.
    fn each_message(
        &self,
        at: *mut u8,
        part: ByteRuns,
        rank: usize,
        requests: &mut Requests,
        start: &dyn Fn(*mut u8, TypedCount, &mut ffi::MPI_Request) -> i32,
    ) -> Result<(), RunError> {
        for message in part.messages() {
            let at = at.wrapping_add(message.start);
            // SAFETY: a null request is a plain value.
            let mut request = unsafe { std::mem::zeroed() };
            let shape = TypedCount::of(message, rank)?;
            let code = start(at, shape, &mut request);
            shape.free(rank)?;
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_is_cut_into_messages_of_a_gigabyte() {
        let long = ByteRuns::dense(8, 2 * MESSAGE + 5).messages();
        assert_eq!(long.iter().map(|part| part.bytes).collect::<Vec<_>>(), [MESSAGE, MESSAGE, 5]);
        assert_eq!(long[2].start, 8 + 2 * MESSAGE);
        let rows = ByteRuns { start: 4, runs: 5, bytes: MESSAGE / 2, step: MESSAGE }.messages();
        assert_eq!(
            rows.iter().map(|part| (part.start, part.runs)).collect::<Vec<_>>(),
            [(4, 2), (4 + 2 * MESSAGE, 2), (4 + 4 * MESSAGE, 1)]
        );
        assert_eq!(ByteRuns { start: 0, runs: 0, bytes: 4, step: 8 }.messages(), []);
        assert_eq!(ByteRuns { start: 0, runs: 3, bytes: 8, step: 8 }.messages(), [ByteRuns::dense(0, 24)]);
    }
}
