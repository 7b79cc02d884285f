//! The devices of all ranks, and loading on them.

use crate::collectives::MpiCollectives;
use crate::note;
use crate::transport::Transport;
use meshwright_ground::Id;
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
    /// How long a collective waits for its peers.
    pub deadline: Duration,
}

/// All devices of the job.
pub struct MpiDevices {
    world: SimpleCommunicator,
    options: MpiOptions,
    compiler: Arc<dyn Compiler>,
    /// Ends MPI when it goes.
    _universe: Universe,
}

impl MpiDevices {
    /// Start MPI. `None` if it runs already or lacks threads.
    pub fn new(options: MpiOptions, compiler: Arc<dyn Compiler>) -> Option<MpiDevices> {
        let (universe, threading) = mpi::initialize_with_threading(Threading::Serialized)?;
        if threading < Threading::Serialized && options.workers > 1 {
            return None;
        }
        note::set("stopped before the first collective");
        note::install();
        let world = universe.world();
        Some(MpiDevices { world, options, compiler, _universe: universe })
    }

    pub fn rank(&self) -> usize {
        self.world.rank() as usize
    }

    /// End all ranks: for errors that leave others waiting.
    pub fn abort(&self, code: i32) -> ! {
        self.world.abort(code)
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
        let transport = Transport::new(&self.world);
        let mark = fingerprint(module.module());
        // All ranks compare before any may refuse, so that none waits for one that left.
        let marks = transport.all(mark);
        if let Some(other) = marks.iter().position(|other| *other != mark) {
            let message = format!("rank {other} runs program {:016x}, this rank {mark:016x}", marks[other]);
            return Err(RunError::new(RunErrorKind::DifferentPrograms, message)
                .rank(self.rank())
                .help("start every rank with the same module and options"));
        }
        let program = self.compiler.compile(module, self.count());
        let failed = transport.all(u64::from(program.is_err()));
        let program = program.map_err(|error| error.rank(self.rank()))?;
        if let Some(other) = failed.iter().position(|failed| *failed != 0) {
            let message = format!("rank {other} could not load the program");
            return Err(RunError::new(RunErrorKind::Transport, message).rank(self.rank()));
        }
        let MpiOptions { per_rank, workers, deadline } = self.options;
        let collectives = MpiCollectives::new(program.clone(), transport, per_rank, deadline);
        let loaded = Loaded::new(program, mark, self.local(), workers, Arc::new(collectives), options)?;
        Ok(Box::new(loaded))
    }
}
