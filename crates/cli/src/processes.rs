//! Several processes with the devices of a plugin: what each is told, by options or by the environment as JAX names it.

use crate::failure::{Failure, Fault};
use meshwright_base::{Code, Diagnostic};
use meshwright_pjrt::{Exchange, Job, Peers, PjrtDevices};
use std::sync::Arc;
use std::time::Duration;

/// Processes that do not come together.
pub const APART: Code = Code(739);

/// What is waited for at most, whatever is asked: a year and some.
const LONGEST: Duration = Duration::from_secs(40_000_000);

/// Which process of several this one is, with the devices of a plugin.
#[derive(clap::Args, Clone, Debug, Default)]
pub struct ProcessArgs {
    /// Several processes, each with devices of a plugin: where the first of them listens [default:
    /// $JAX_COORDINATOR_ADDRESS]
    #[arg(long, value_name = "HOST:PORT")]
    pub coordinator_address: Option<String>,
    /// How many processes there are [default: $JAX_NUM_PROCESSES, or what mpirun or srun says]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub num_processes: Option<u32>,
    /// Which of them this one is, from 0 [default: $JAX_PROCESS_ID, or what mpirun or srun says]
    #[arg(long, value_name = "N")]
    pub process_id: Option<u32>,
}

const NUMBERS: [&str; 4] = ["JAX_NUM_PROCESSES", "OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_NTASKS"];
const IDS: [&str; 4] = ["JAX_PROCESS_ID", "OMPI_COMM_WORLD_RANK", "PMI_RANK", "SLURM_PROCID"];

impl ProcessArgs {
    /// This process among several; `None` for one alone.
    pub fn job(&self, deadline: f64) -> Result<Option<Job>, Failure> {
        let said = |name: &str| std::env::var(name).ok().filter(|text| !text.is_empty());
        let Some(coordinator) = self.coordinator_address.clone().or_else(|| said("JAX_COORDINATOR_ADDRESS"))
        else {
            return match (self.num_processes, self.process_id) {
                (None | Some(1), None | Some(0)) => Ok(None),
                _ => Err(usage(
                    "several processes have no place to meet",
                    "name where process 0 listens: `--coordinator-address HOST:PORT`",
                )),
            };
        };
        let number = |given: Option<u32>, names: &[&str]| {
            let number = given.map(u64::from);
            number.or_else(|| names.iter().find_map(|name| said(name)?.parse().ok()))
        };
        let (processes, process) = (number(self.num_processes, &NUMBERS), number(self.process_id, &IDS));
        let (Some(processes), Some(process)) = (processes, process) else {
            let help = "give `--num-processes` and `--process-id`, or start them by `mpirun` or `srun`";
            return Err(usage(
                &format!("processes meet at `{coordinator}`, but which of how many this is was not said"),
                help,
            ));
        };
        if process >= processes {
            let help = "count processes from 0, and give all of them the same `--num-processes`";
            return Err(usage(&format!("there is no process {process} among {processes}"), help));
        }
        let deadline = Duration::try_from_secs_f64(deadline).map_or(LONGEST, |wait| wait.min(LONGEST));
        let (processes, process) = (processes as usize, process as usize);
        Ok((processes > 1).then_some(Job { coordinator, processes, process, deadline }))
    }
}

fn usage(message: &str, help: &str) -> Failure {
    Failure::new(Fault::Usage, Diagnostic::error(APART, message).help(help))
}

/// Meet the other processes.
pub fn joined(job: Job) -> Result<Arc<Peers>, Failure> {
    let own = format!("this is process {} of {}", job.process, job.processes);
    Peers::join(job).map(Arc::new).map_err(|error| {
        let diagnostic = Diagnostic::error(APART, error.to_string()).note(own).help(
            "start all of them with the same `--coordinator-address` and `--num-processes`, each with its own \
             `--process-id`; `--deadline` is how long they wait for one another",
        );
        Failure::new(Fault::Environment, diagnostic)
    })
}

/// What joins the processes of these devices, if they are of several.
pub fn leave(devices: &PjrtDevices) -> Result<(), Failure> {
    devices.exchange().map_or(Ok(()), Exchange::leave).map_err(|error| crate::engine::failed(&error))
}

/// Whether this is the process that writes and tells.
pub fn is_first(devices: &PjrtDevices) -> bool {
    devices.exchange().is_none_or(Exchange::is_first)
}
