//! Options of a client: how many devices there are, and what fails.
//!
//! | option | what it does |
//! |---|---|
//! | `devices` | how many there are; 8 unless said |
//! | `memory_bytes` | what each has: a program or an array that does not fit is `RESOURCE_EXHAUSTED` |
//! | `fail_compile` | a message: the compiler refuses every program with it |
//! | `fail_execute_after` | so many runs go well; in each later one the last device fails, while it runs |
//! | `transfer_ms` | so many milliseconds go by before a transfer reads or writes the caller's bytes |

use crate::border::{list, text};
use crate::fault::Fault;
use meshwright_pjrt::abi::{NamedKind, NamedValue};
use std::time::Duration;

#[derive(Clone, Debug)]
pub struct Settings {
    pub devices: usize,
    pub memory_bytes: Option<u64>,
    pub fail_compile: Option<String>,
    pub fail_execute_after: Option<u64>,
    pub transfer: Duration,
}

const MOST_DEVICES: i64 = 4096;

impl Default for Settings {
    fn default() -> Self {
        Settings {
            devices: 8,
            memory_bytes: None,
            fail_compile: None,
            fail_execute_after: None,
            transfer: Duration::ZERO,
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
                "memory_bytes" => settings.memory_bytes = Some(int(name, option, 0, i64::MAX)? as u64),
                "fail_execute_after" => {
                    settings.fail_execute_after = Some(int(name, option, 0, i64::MAX)? as u64);
                }
                "transfer_ms" => {
                    settings.transfer = Duration::from_millis(int(name, option, 0, 10_000)? as u64);
                }
                // SAFETY: as the caller promises.
                "fail_compile" => settings.fail_compile = Some(unsafe { words(name, option) }?),
                _ => return Err(unknown(name)),
            }
        }
        Ok(settings)
    }
}

fn unknown(name: &str) -> Fault {
    Fault::bad(format!(
        "there is no option `{name}`; there are devices, memory_bytes, fail_compile, fail_execute_after and transfer_ms"
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

/// # Safety
/// A text is alive.
unsafe fn words(name: &str, option: &NamedValue) -> Result<String, Fault> {
    if option.kind != NamedKind::STRING {
        return Err(Fault::bad(format!("option `{name}` is a text")));
    }
    // SAFETY: the kind says which member was written; the caller promises the rest.
    unsafe { text(option.value.string, option.value_size, name) }.map(str::to_string)
}
