//! How much memory a run may take on this machine if nobody says: half of what this process can still get, as an op may
//! hold its operands and results a second time while it runs.
//!
//! Asked of Linux: free memory, the limit of the process's address space, the limit of its control group. Where none of
//! them answers, the interpreter's own limit holds.

use super::TOO_LARGE;
use crate::failure::{Failure, Fault};
use meshwright_base::{Caller, Diagnostic, budget};
use meshwright_interp::{Options, storage};
use meshwright_ir::{Module, TensorType, Type};
use std::fs::read_to_string;

/// Bytes that values may take: what this process may.
pub fn limit() -> u64 {
    budget::limit()
}

/// What this process may take if nobody says.
pub fn half_of_free() -> u64 {
    let free = [free_memory(), free_addresses(), free_in_group()].into_iter().flatten().min();
    free.map_or(Options::default().max_bytes, |free| free / 2)
}

/// The same for each of so many devices of an engine.
pub fn limit_of_device(devices: usize) -> usize {
    usize::try_from(limit() / devices.max(1) as u64).unwrap_or(usize::MAX)
}

/// Whether the arrays that an engine's run takes and gives fit beside it: this command holds them wide.
pub(in crate::commands) fn check_arrays(module: &Module, devices: usize) -> Result<(), Failure> {
    let main = module.main();
    let values = main.param_values().iter().chain(main.result_values());
    let sizes = values.map(|value| storage(main.ty(*value)));
    let size = sizes.fold(0u64, u64::saturating_add).saturating_mul(devices as u64);
    let limit = limit();
    if size <= limit {
        return Ok(());
    }
    let message = format!(
        "parameters and results take {size} bytes of this process besides what the engine needs, \
         the host's limit is {limit}"
    );
    let help = budget::help();
    Err(Failure::new(Fault::Environment, Diagnostic::error(TOO_LARGE, message).help(help)))
}

/// Whether parameters of so many devices fit, and are worth being made up or read.
pub fn check(params: &[TensorType], devices: usize, limit: u64) -> Result<(), Failure> {
    let sizes = params.iter().map(|ty| storage(&Type::Tensor(ty.clone())));
    let size = sizes.fold(0u64, u64::saturating_add).saturating_mul(devices as u64);
    if size <= limit {
        return Ok(());
    }
    let message = format!(
        "the parameters take {size} bytes on {devices} devices in the interpreter, which holds numbers wide; \
         the limit is {limit}"
    );
    let help = match Caller::here() {
        Caller::CommandLine => {
            "run a smaller model, use `--backend cpu`, or allow more with `--memory-limit BYTES`"
        }
        Caller::Python => "run a smaller model, or use `backend=\"cpu\"`",
    };
    Err(Failure::input(Diagnostic::error(TOO_LARGE, message).help(help)))
}

fn free_memory() -> Option<u64> {
    Some(field(&read_to_string("/proc/meminfo").ok()?, "MemAvailable:")? << 10)
}

/// What is left of the address space, if it is limited.
fn free_addresses() -> Option<u64> {
    let limit = field(&read_to_string("/proc/self/limits").ok()?, "Max address space")?;
    let used = field(&read_to_string("/proc/self/status").ok()?, "VmSize:")? << 10;
    Some(limit.saturating_sub(used))
}

fn free_in_group() -> Option<u64> {
    let number =
        |file: &str| read_to_string(format!("/sys/fs/cgroup/{file}")).ok()?.trim().parse::<u64>().ok();
    Some(number("memory.max")?.saturating_sub(number("memory.current")?))
}

/// The number after a label; `None` if there is none, as for `unlimited`.
fn field(text: &str, label: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix(label))?;
    line.split_whitespace().next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_found_by_their_labels() {
        let limits = "Max data size             unlimited            unlimited            bytes\n\
                      Max address space         4096000000           unlimited            bytes\n";
        assert_eq!(field(limits, "Max address space"), Some(4_096_000_000));
        assert_eq!(field(limits, "Max data size"), None);
        assert_eq!(field("MemFree: 1 kB\nMemAvailable:   24 kB\n", "MemAvailable:"), Some(24));
    }
}
