//! Several processes with the devices of a plugin: their options, and the environment variables that JAX also reads.

use crate::failure::{Failure, Fault};
use crate::help::PROCESSES;
use meshwright_base::{Code, Diagnostic};
use meshwright_pjrt::{Exchange, Job, Peers, PjrtDevices, Token};
use std::sync::Arc;
use std::time::Duration;

/// Processes that fail to connect.
pub const APART: Code = Code(739);

/// The longest deadline: more than a year.
const LONGEST: Duration = Duration::from_secs(40_000_000);

/// A secret that the processes share. Not an option: command lines are shown to all users of a machine.
const TOKEN: &str = "MESHWRIGHT_JOB_TOKEN";

/// The address, count and id of a process that runs with others.
#[derive(clap::Args, Clone, Debug, Default)]
pub struct ProcessArgs {
    /// Set the address of process 0, for plugins on several hosts [default: $JAX_COORDINATOR_ADDRESS]
    #[arg(long, value_name = "HOST:PORT", hide_short_help = true, help_heading = PROCESSES)]
    pub coordinator_address: Option<String>,
    /// Set the number of processes [default: $JAX_NUM_PROCESSES, or from mpirun or srun]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..), hide_short_help = true, help_heading = PROCESSES)]
    pub num_processes: Option<u32>,
    /// Set the id of this process, from 0 [default: $JAX_PROCESS_ID, or from mpirun or srun]
    #[arg(long, value_name = "N", hide_short_help = true, help_heading = PROCESSES)]
    pub process_id: Option<u32>,
}

const NUMBERS: [&str; 4] = ["JAX_NUM_PROCESSES", "OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_NTASKS"];
const IDS: [&str; 4] = ["JAX_PROCESS_ID", "OMPI_COMM_WORLD_RANK", "PMI_RANK", "SLURM_PROCID"];

impl ProcessArgs {
    /// Returns the job of several processes, or `None` for a single process.
    pub fn job(&self, deadline: f64) -> Result<Option<Job>, Failure> {
        let said = |name: &str| std::env::var(name).ok().filter(|text| !text.is_empty());
        let Some(coordinator) = self.coordinator_address.clone().or_else(|| said("JAX_COORDINATOR_ADDRESS"))
        else {
            return match (self.num_processes, self.process_id) {
                (None | Some(1), None | Some(0)) => Ok(None),
                _ => Err(usage(
                    "several processes need a coordinator address",
                    "give the address of process 0: `--coordinator-address HOST:PORT`",
                )),
            };
        };
        let number = |given: Option<u32>, names: &[&str]| {
            let number = given.map(u64::from);
            number.or_else(|| names.iter().find_map(|name| said(name)?.parse().ok()))
        };
        let (processes, process) = (number(self.num_processes, &NUMBERS), number(self.process_id, &IDS));
        let (Some(processes), Some(process)) = (processes, process) else {
            let help =
                "add `--num-processes` and `--process-id`, or start the processes with `mpirun` or `srun`";
            return Err(usage(
                &format!(
                    "the coordinator address is `{coordinator}`, but the number or id of this process is missing"
                ),
                help,
            ));
        };
        if process >= processes {
            let help = "number the processes from 0, and use the same `--num-processes` for all of them";
            return Err(usage(&format!("there is no process {process} among {processes}"), help));
        }
        let deadline = Duration::try_from_secs_f64(deadline).map_or(LONGEST, |wait| wait.min(LONGEST));
        let (processes, process) = (processes as usize, process as usize);
        let token = Token::new(&said(TOKEN).unwrap_or_default())
            .ok_or_else(|| usage(&format!("`{TOKEN}` is longer than 256 bytes"), "use a shorter secret"))?;
        Ok((processes > 1).then_some(Job { coordinator, processes, process, deadline, token }))
    }
}

fn usage(message: &str, help: &str) -> Failure {
    Failure::new(Fault::Usage, Diagnostic::error(APART, message).help(help))
}

/// Connects to the other processes.
pub fn joined(job: Job) -> Result<Arc<Peers>, Failure> {
    let own = format!("this is process {} of {}", job.process, job.processes);
    Peers::join(job).map(Arc::new).map_err(|error| {
        let diagnostic = Diagnostic::error(APART, error.to_string()).note(own).help(
            "start every process with the same `--coordinator-address`, `--num-processes` and secret in \
             `$MESHWRIGHT_JOB_TOKEN`, and its own `--process-id`; `--deadline` sets how long they wait for one another",
        );
        Failure::new(Fault::Environment, diagnostic)
    })
}

/// Disconnects the processes of these devices, if there are several.
pub fn leave(devices: &PjrtDevices) -> Result<(), Failure> {
    devices.exchange().map_or(Ok(()), Exchange::leave).map_err(|error| crate::engine::failed(&error))
}

/// Whether this is the process that writes files and reports.
pub fn is_first(devices: &PjrtDevices) -> bool {
    devices.exchange().is_none_or(Exchange::is_first)
}
