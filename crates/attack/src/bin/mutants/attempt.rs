//! One process: its command, its limits and its ending.

use std::fmt;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// Seconds of CPU, kilobytes of address space and seconds on the clock that a process may take.
const CPU_SECONDS: u32 = 20;
const ADDRESS_SPACE: u32 = 8 << 20;
const PATIENCE: Duration = Duration::from_secs(90);

/// Exit codes of the binary that count as a refusal or a success.
const ENDINGS: [i32; 4] = [0, 1, 2, 3];

/// The file that holds all output.
const OUTPUT: &str = "output.txt";

/// A command line of the binary.
pub struct Attempt {
    binary: PathBuf,
    args: Vec<String>,
}

/// How a process ended.
pub enum Ending {
    Exit(i32),
    /// By a signal, which the limit of its time sends, too.
    Signal(String),
    TimeOut,
}

impl Attempt {
    pub fn new(binary: &Path, command: &str) -> Attempt {
        let words = command.split(' ').chain(["--host-memory-limit", "1GB"]);
        Attempt { binary: binary.into(), args: words.map(str::to_string).collect() }
    }

    pub fn line(&self) -> String {
        format!("meshwright {}", self.args.join(" "))
    }

    /// Runs in a folder.
    pub fn run(&self, folder: &Path) -> io::Result<Ending> {
        let output = File::create(folder.join(OUTPUT))?;
        let script = format!("ulimit -t {CPU_SECONDS}; ulimit -v {ADDRESS_SPACE}; ulimit -c 0; exec \"$@\"");
        let mut command = Command::new("sh");
        command.args(["-c", &script, "sh"]).arg(&self.binary).args(&self.args).current_dir(folder);
        command.stdin(Stdio::null()).stdout(output.try_clone()?).stderr(output);
        command.env_remove("MESHWRIGHT_PJRT_PLUGIN").env("NO_COLOR", "1");
        let mut child = command.spawn()?;
        let until = Instant::now() + PATIENCE;
        loop {
            if let Some(status) = child.try_wait()? {
                return Ok(match status.code() {
                    Some(code) => Ending::Exit(code),
                    None => Ending::Signal(status.to_string()),
                });
            }
            if Instant::now() > until {
                child.kill()?;
                child.wait()?;
                return Ok(Ending::TimeOut);
            }
            thread::sleep(Duration::from_millis(1));
        }
    }

    pub fn output(folder: &Path) -> String {
        String::from_utf8_lossy(&fs::read(folder.join(OUTPUT)).unwrap_or_default()).into_owned()
    }

    /// The first lines of the output.
    pub fn said(folder: &Path) -> String {
        Attempt::output(folder).lines().take(3).collect::<Vec<_>>().join(" | ")
    }
}

impl Ending {
    pub fn is_finding(&self) -> bool {
        !matches!(self, Ending::Exit(code) if ENDINGS.contains(code))
    }

    /// A word to count it by.
    pub fn name(&self) -> String {
        match self {
            Ending::Exit(code) => format!("exit {code}"),
            Ending::Signal(_) => "signal".into(),
            Ending::TimeOut => "time-out".into(),
        }
    }
}

impl fmt::Display for Ending {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Ending::Signal(status) => f.write_str(status),
            other => f.write_str(&other.name()),
        }
    }
}
