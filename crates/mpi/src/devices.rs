//! The devices of all ranks, and loading on them.

use crate::collectives::MpiCollectives;
use crate::note;
use crate::transport::{ByteRuns, Requests, Transport};
use crate::watchdog;
use crate::within::within;
use meshwright_base::Id;
use meshwright_ir::SpmdModule;
use meshwright_runtime::{
    Compiler, DeviceId, Devices, Executable, LoadOptions, Loaded, RunError, RunErrorKind, fingerprint,
};
use mpi::Threading;
use mpi::environment::Universe;
use mpi::topology::SimpleCommunicator;
use mpi::traits::Communicator;
use std::sync::Arc;
use std::time::Duration;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MpiOptions {
    /// Devices of each rank.
    pub per_rank: usize,
    /// Workers of each rank.
    pub workers: usize,
    /// How long others are waited for: by a collective, and by MPI while it starts and ends.
    pub deadline: Duration,
}

/// How many ranks `mpirun` says it starts; 1 without it.
pub fn expected_ranks() -> usize {
    said_by_launcher(["OMPI_COMM_WORLD_SIZE", "PMI_SIZE"]).unwrap_or(1).max(1)
}

/// Whether `mpirun` says that this process is the first rank, before MPI has started; so is one without it.
pub fn expects_first() -> bool {
    said_by_launcher(["OMPI_COMM_WORLD_RANK", "PMI_RANK"]).unwrap_or(0) == 0
}

/// A number that the launcher gives to its processes, under the first of these names that there is.
fn said_by_launcher(names: [&str; 2]) -> Option<usize> {
    names.iter().find_map(|name| std::env::var(name).ok()?.parse().ok())
}

/// All devices of the job.
pub struct MpiDevices {
    world: SimpleCommunicator,
    /// For what is not a program's.
    control: Transport,
    options: MpiOptions,
    compiler: Arc<dyn Compiler>,
    session: Arc<Session>,
}

/// MPI, once it has started. Ends it when the last goes.
struct Session {
    universe: Option<Universe>,
    deadline: Duration,
}

impl Session {
    fn world(&self) -> Option<SimpleCommunicator> {
        self.universe.as_ref().map(Universe::world)
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        let universe = self.universe.take();
        watchdog::start(self.deadline);
        within(self.deadline, "the end of MPI", || drop(universe));
    }
}

impl MpiDevices {
    /// Start MPI. `None` if it runs already or lacks threads.
    pub fn new(options: MpiOptions, compiler: Arc<dyn Compiler>) -> Option<MpiDevices> {
        let deadline = options.deadline;
        let start = || mpi::initialize_with_threading(Threading::Serialized);
        let (universe, threading) = within(deadline, "the start of MPI", start)?;
        let session = Arc::new(Session { universe: Some(universe), deadline });
        if threading < Threading::Serialized && options.workers > 1 {
            return None;
        }
        note::set("stopped before the first collective");
        note::install();
        MpiDevices::on(session, options, compiler)
    }

    /// The same ranks with other options or another engine: MPI starts once in a process.
    pub fn with(&self, options: MpiOptions, compiler: Arc<dyn Compiler>) -> Option<MpiDevices> {
        MpiDevices::on(self.session.clone(), options, compiler)
    }

    fn on(session: Arc<Session>, options: MpiOptions, compiler: Arc<dyn Compiler>) -> Option<MpiDevices> {
        let world = session.world()?;
        let control = Transport::new(&world, options.deadline);
        Some(MpiDevices { world, control, options, compiler, session })
    }

    pub fn ranks(&self) -> usize {
        self.world.size() as usize
    }

    pub fn rank(&self) -> usize {
        self.world.rank() as usize
    }

    /// The bytes of all devices by number, on rank 0; each rank gives those of its own devices, all of one length.
    pub fn gather(&self, shards: &[Vec<u8>]) -> Result<Option<Vec<Vec<u8>>>, RunError> {
        let size = shards.first().map_or(0, Vec::len);
        let (rank, ranks) = (self.rank(), self.world.size() as usize);
        let mut requests = Requests::default();
        let mut others: Vec<Vec<u8>> = Vec::new();
        if rank == 0 {
            others = vec![vec![0; size]; (ranks - 1) * self.options.per_rank];
            for (at, shard) in others.iter_mut().enumerate() {
                let from = 1 + at / self.options.per_rank;
                // SAFETY: the bytes outlive the requests, which are waited for below.
                unsafe {
                    self.control.receive(
                        shard.as_mut_ptr(),
                        ByteRuns::dense(0, size),
                        from,
                        0,
                        &mut requests,
                    )?
                };
            }
        } else {
            for shard in shards {
                // SAFETY: as above.
                unsafe { self.control.send(shard.as_ptr(), ByteRuns::dense(0, size), 0, 0, &mut requests)? };
            }
        }
        self.control.wait(&mut requests, "results", self.options.deadline)?;
        Ok((rank == 0).then(|| shards.iter().cloned().chain(others).collect()))
    }

    /// What every rank says. All ranks must ask, at the same place.
    pub fn all(&self, own: u64) -> Result<Vec<u64>, RunError> {
        self.control.all(own, self.options.deadline)
    }

    /// End all ranks: for errors that leave others waiting.
    pub fn abort(&self, code: i32) -> ! {
        within(self.options.deadline, "the end of all ranks", || self.world.abort(code))
    }
}

impl Devices for MpiDevices {
    fn count(&self) -> usize {
        self.world.size() as usize * self.options.per_rank
    }

    fn local(&self) -> Vec<DeviceId> {
        let first = self.rank() * self.options.per_rank;
        (first..first + self.options.per_rank).map(Id::from_index).collect()
    }

    fn load(&self, module: &SpmdModule, options: &LoadOptions) -> Result<Box<dyn Executable>, RunError> {
        let MpiOptions { per_rank, workers, deadline } = self.options;
        let transport = Transport::new(&self.world, deadline);
        let mark = fingerprint(module.module());
        // All ranks compare before any may refuse, so that none waits for one that left.
        let marks = transport.all(mark, deadline)?;
        if let Some(other) = marks.iter().position(|other| *other != mark) {
            let message = format!("rank {other} runs program {:016x}, this rank {mark:016x}", marks[other]);
            return Err(RunError::new(RunErrorKind::DifferentPrograms, message)
                .rank(self.rank())
                .help("start every rank with the same module and options"));
        }
        let program = self.compiler.compile(module, self.count());
        let failed = transport.all(u64::from(program.is_err()), deadline)?;
        let program = program.map_err(|error| error.rank(self.rank()))?;
        if let Some(other) = failed.iter().position(|failed| *failed != 0) {
            let message = format!("rank {other} could not load the program");
            return Err(RunError::new(RunErrorKind::Transport, message).rank(self.rank()));
        }
        let collectives = MpiCollectives::new(program.clone(), transport, per_rank, deadline);
        let loaded = Loaded::new(program, mark, self.local(), workers, Arc::new(collectives), options)?;
        Ok(Box::new(loaded))
    }
}
