//! Options of a client: how many devices there are, and what fails.
//!
//! | option | what it does |
//! |---|---|
//! | `devices` | how many each process has; 8 unless said |
//! | `num_nodes`, `node_id` | how many processes there are, and which this one is: they exchange keys by the caller's callbacks |
//! | `memory_bytes` | what each has: a program or an array that does not fit is `RESOURCE_EXHAUSTED` |
//! | `fail_compile` | a message: the compiler refuses every program with it |
//! | `abort_compile` | `true`: the compiler ends the process, as real ones do that find a fault of theirs |
//! | `fail_execute_after` | so many runs go well; in each later one the last device fails, while it runs |
//! | `transfer_ms` | so many milliseconds go by before a transfer reads or writes the caller's bytes |
//! | `execute_ms` | so many milliseconds go by in each run, which the caller does not wait for |
//! | `log` | a file that gets a line for each transfer and each run |

use crate::border::{list, text};
use crate::fault::Fault;
use meshwright_pjrt::abi::{NamedKind, NamedValue};
use std::fs::{File, OpenOptions};
use std::io::Write;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

#[derive(Clone, Debug)]
pub struct Settings {
    pub devices: usize,
    pub processes: usize,
    pub process: usize,
    pub memory_bytes: Option<u64>,
    pub fail_compile: Option<String>,
    pub abort_compile: bool,
    pub fail_execute_after: Option<u64>,
    pub transfer: Duration,
    pub execute: Duration,
    pub log: Option<Arc<Log>>,
}

/// What is done, line by line.
#[derive(Debug)]
pub struct Log(Mutex<File>);

impl Log {
    fn open(path: &str) -> Result<Log, Fault> {
        let file = OpenOptions::new().create(true).append(true).open(path);
        let cannot = |error| Fault::bad(format!("option `log`: `{path}` cannot be written: {error}"));
        file.map(|file| Log(Mutex::new(file))).map_err(cannot)
    }

    /// Who reads it misses a line that cannot be written.
    pub fn line(&self, text: &str) {
        let _ = writeln!(self.0.lock().unwrap_or_else(PoisonError::into_inner), "{text}");
    }
}

const MOST_DEVICES: i64 = 4096;
const MOST_PROCESSES: i64 = 64;

impl Default for Settings {
    fn default() -> Self {
        Settings {
            devices: 8,
            processes: 1,
            process: 0,
            memory_bytes: None,
            fail_compile: None,
            abort_compile: false,
            fail_execute_after: None,
            transfer: Duration::ZERO,
            execute: Duration::ZERO,
            log: None,
        }
    }
}

impl Settings {
    /// # Safety
    /// `options` is null or the first of `count` named values that are alive, with what they point at.
    pub unsafe fn read(options: *const NamedValue, count: usize) -> Result<Settings, Fault> {
        let mut settings = Settings::default();
        // SAFETY: as the caller promises.
        for option in unsafe { list(options, count, "create_options") }? {
            // SAFETY: as the caller promises.
            let name = unsafe { text(option.name, option.name_size, "name of an option") }?;
            match name {
                "devices" => settings.devices = int(name, option, 1, MOST_DEVICES)? as usize,
                "num_nodes" => settings.processes = int(name, option, 1, MOST_PROCESSES)? as usize,
                "node_id" => settings.process = int(name, option, 0, MOST_PROCESSES)? as usize,
                "memory_bytes" => settings.memory_bytes = Some(int(name, option, 0, i64::MAX)? as u64),
                "abort_compile" => settings.abort_compile = flag(name, option)?,
                "fail_execute_after" => {
                    settings.fail_execute_after = Some(int(name, option, 0, i64::MAX)? as u64);
                }
                "transfer_ms" => {
                    settings.transfer = Duration::from_millis(int(name, option, 0, 10_000)? as u64);
                }
                "execute_ms" => {
                    settings.execute = Duration::from_millis(int(name, option, 0, 600_000)? as u64);
                }
                // SAFETY: as the caller promises.
                "log" => settings.log = Some(Arc::new(Log::open(&unsafe { words(name, option) }?)?)),
                // SAFETY: as the caller promises.
                "fail_compile" => settings.fail_compile = Some(unsafe { words(name, option) }?),
                _ => return Err(unknown(name)),
            }
        }
        if settings.process >= settings.processes {
            let Settings { process, processes, .. } = settings;
            return Err(Fault::bad(format!("option `node_id` is {process}, of `num_nodes` {processes}")));
        }
        Ok(settings)
    }
}

fn unknown(name: &str) -> Fault {
    Fault::bad(format!(
        "there is no option `{name}`; there are devices, num_nodes, node_id, memory_bytes, fail_compile, \
         abort_compile, fail_execute_after, transfer_ms, execute_ms and log"
    ))
}

fn int(name: &str, option: &NamedValue, least: i64, most: i64) -> Result<i64, Fault> {
    if option.kind != NamedKind::INT64 {
        return Err(Fault::bad(format!("option `{name}` is a whole number")));
    }
    // SAFETY: the kind says which member was written.
    let value = unsafe { option.value.int64 };
    if (least..=most).contains(&value) {
        return Ok(value);
    }
    Err(Fault::bad(format!("option `{name}` is {value}, not {least} to {most}")))
}

fn flag(name: &str, option: &NamedValue) -> Result<bool, Fault> {
    if option.kind != NamedKind::BOOL {
        return Err(Fault::bad(format!("option `{name}` is true or false")));
    }
    // SAFETY: the kind says which member was written.
    Ok(unsafe { option.value.flag } != 0)
}

/// # Safety
/// A text is alive.
unsafe fn words(name: &str, option: &NamedValue) -> Result<String, Fault> {
    if option.kind != NamedKind::STRING {
        return Err(Fault::bad(format!("option `{name}` is a text")));
    }
    // SAFETY: the kind says which member was written; the caller promises the rest.
    unsafe { text(option.value.string, option.value_size, name) }.map(str::to_string)
}
