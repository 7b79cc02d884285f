//! A training run under attack: `cargo xtask hammer SECONDS [KILLS] [RANKS] [BINARY]`.
//!
//! One run saves at every step. Beside it two readers (`generate` and `eval`) and a second trainer come again and again. With
//! `KILLS` the run is killed, stopped or asked to end so often, at random moments, and gone on with each time; with `RANKS` it runs
//! over so many MPI ranks, of which one is struck. What must hold, whatever comes:
//!
//! - nobody dies but by our hand, and nothing outlasts its deadline;
//! - no checkpoint that can be seen lacks its index, and none that was seen is lost;
//! - a run that comes to its end has the losses of one in peace, to the last digit.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError, RwLock};
use std::thread;
use std::time::{Duration, Instant};

/// What ranks wait for one another.
const DEADLINE: Duration = Duration::from_secs(10);
/// What passes beyond that on a busy machine until all have ended.
const SLACK: Duration = Duration::from_secs(50);
/// The longest that the run is left alone.
const LONGEST: f64 = 1.5;

/// The run: small, and saved at every step.
const SETS: [&str; 8] = [
    "--set",
    "checkpoint.every=1",
    "--set",
    "checkpoint.keep=2",
    "--set",
    "train.eval_every=0",
    "--set",
    "train.steps=40",
];

pub fn hammer(root: &Path, args: &[String]) -> bool {
    let number = |at: usize| args.get(at).and_then(|text| text.parse::<u64>().ok());
    let Some(seconds) = number(0) else {
        eprintln!("usage: cargo xtask hammer SECONDS [KILLS] [RANKS] [BINARY]");
        return false;
    };
    let (kills, ranks) = (number(1).unwrap_or(0), number(2).unwrap_or(0));
    let binary = args.get(3).map_or_else(|| built(root, ranks > 0), fs::canonicalize);
    let struck = binary.and_then(|binary| Attack::new(root, binary, ranks)?.run(seconds, kills));
    match struck {
        Ok(counts) => counts.told(),
        Err(error) => {
            eprintln!("# hammer: {error}");
            false
        }
    }
}

/// The release binary.
fn built(root: &Path, mpi: bool) -> io::Result<PathBuf> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    command.args(["build", "--release", "-p", "meshwright-cli"]).current_dir(root);
    if mpi {
        command.args(["--features", "mpi"]);
    }
    match command.status()?.success() {
        true => Ok(root.join("target/release/meshwright")),
        false => Err(io::Error::other("the binary does not build")),
    }
}

/// How often what happened.
#[derive(Default)]
struct Counts(Mutex<BTreeMap<&'static str, u64>>);

/// What must not happen.
const WRONG: [&str; 6] = ["deaths", "reader deaths", "emptied", "steps lost", "losses differ", "hangs"];

impl Counts {
    fn add(&self, what: &'static str) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner).entry(what).or_default() += 1;
    }

    fn of(&self, what: &'static str) -> u64 {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).get(what).copied().unwrap_or(0)
    }

    /// A table of all, and whether all was well.
    fn told(&self) -> bool {
        WRONG.iter().for_each(|what| println!("{:8} {what}", self.of(what)));
        let all = self.0.lock().unwrap_or_else(PoisonError::into_inner).clone();
        for (what, count) in all.iter().filter(|(what, _)| !WRONG.contains(what)) {
            println!("{count:8} {what}");
        }
        WRONG.iter().all(|what| !all.contains_key(what))
    }
}

/// Numbers that are as good as drawn.
struct Dice(u64);

impl Dice {
    fn unit(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as f64 / (1u64 << 31) as f64
    }

    fn choose<'a, T>(&mut self, of: &'a [T]) -> Option<&'a T> {
        of.get((self.unit() * of.len() as f64) as usize)
    }
}

/// One run and those around it.
struct Attack {
    place: PathBuf,
    binary: PathBuf,
    ranks: u64,
    counts: Counts,
    is_over: AtomicBool,
    /// Held by who is beside the run, and by nobody while its directory is taken away.
    beside: RwLock<()>,
}

impl Attack {
    fn new(root: &Path, binary: PathBuf, ranks: u64) -> io::Result<Attack> {
        let place = std::env::temp_dir().join(format!("meshwright-hammer-{}", std::process::id()));
        fs::create_dir_all(&place)?;
        fs::copy(root.join("crates/train/tests/small.toml"), place.join("small.toml"))?;
        Ok(Attack {
            place,
            binary,
            ranks,
            counts: Counts::default(),
            is_over: AtomicBool::new(false),
            beside: RwLock::new(()),
        })
    }

    fn run(self, seconds: u64, kills: u64) -> io::Result<Counts> {
        let peace = self.trainer("peace", &self.place.join("peace.log"))?.wait()?;
        if !peace.success() {
            return Err(io::Error::other(format!(
                "the run in peace ended with {peace}: {}",
                self.place.display()
            )));
        }
        let end = Instant::now() + Duration::from_secs(seconds);
        thread::scope(|scope| {
            scope.spawn(|| self.read(&["generate", "run", "--prompt", "drei", "--tokens", "1"]));
            scope.spawn(|| self.read(&["eval", "run", "--batches", "1"]));
            scope.spawn(|| self.intrude());
            let done = self.strike(end, kills);
            self.is_over.store(true, Ordering::Relaxed);
            done
        })?;
        if WRONG.iter().all(|what| self.counts.of(what) == 0) {
            fs::remove_dir_all(&self.place)?;
        }
        Ok(self.counts)
    }

    /// The binary in the place of all, its words in a file.
    fn command(&self, program: &Path, log: &Path) -> io::Result<Command> {
        let mut command = Command::new(program);
        command.current_dir(&self.place).stdin(Stdio::null());
        command.stdout(Stdio::null()).stderr(File::create(log)?);
        Ok(command)
    }

    /// Begins the run, or goes on with it.
    fn trainer(&self, run: &str, log: &Path) -> io::Result<Child> {
        let begun = self.place.join(run).join("config.toml").is_file();
        let args: &[&str] = if begun { &["--resume", run] } else { &["small.toml", "--out", run] };
        let mut command = match self.ranks {
            0 => self.command(&self.binary, log)?,
            ranks => {
                let mut command = self.command(Path::new("mpirun"), log)?;
                command.args(["--allow-run-as-root", "--oversubscribe", "--mca", "mpi_yield_when_idle", "1"]);
                command.args(["-n", &ranks.to_string()]).arg(&self.binary);
                command
            }
        };
        command.arg("train").args(args).args(SETS).args(["--threads", "1"]);
        if self.ranks > 0 {
            let mesh = format!("data={}", self.ranks);
            let deadline = DEADLINE.as_secs().to_string();
            command.args(["--backend", "mpi", "--mesh", &mesh, "--deadline", &deadline]);
        }
        command.spawn()
    }

    /// Strikes the run at random moments, until its time or the number of blows is up.
    fn strike(&self, end: Instant, kills: u64) -> io::Result<()> {
        let mut dice = Dice(u64::from(std::process::id()));
        let (mut newest, log) = (0, self.place.join("run.log"));
        while Instant::now() < end && (kills == 0 || self.counts.of("blows") < kills) {
            let mut run = self.trainer("run", &log)?;
            if newest > 0 {
                self.counts.add("gone on");
            }
            let blow = Duration::from_secs_f64(LONGEST * dice.unit());
            let until = if kills == 0 { end } else { Instant::now() + blow };
            let ended = match self.wait(&mut run, until)? {
                Some(ended) => Some(ended),
                None => self.blow(&mut run, &mut dice)?,
            };
            self.judge(ended, &log)?;
            newest = self.look(newest)?;
        }
        Ok(())
    }

    /// Waits so long; `None` if it still goes on then.
    fn wait(&self, run: &mut Child, until: Instant) -> io::Result<Option<ExitStatus>> {
        loop {
            match run.try_wait()? {
                Some(status) => return Ok(Some(status)),
                None if Instant::now() >= until => return Ok(None),
                None => thread::sleep(Duration::from_millis(5)),
            }
        }
    }

    /// One blow, and what came of it; `None` if it was our hand that ended it.
    fn blow(&self, run: &mut Child, dice: &mut Dice) -> io::Result<Option<ExitStatus>> {
        self.counts.add("blows");
        let members = children(run.id());
        let one = dice.choose(&members).copied();
        let (what, signal, whom) = match (self.ranks, one, dice.unit()) {
            (0, _, at) if at < 0.6 => ("killed", "-KILL", run.id()),
            (0, _, at) if at < 0.8 => ("interrupted", "-INT", run.id()),
            (0, ..) => ("terminated", "-TERM", run.id()),
            (_, Some(one), at) if at < 0.5 => ("ranks killed", "-KILL", one),
            (_, Some(one), at) if at < 0.75 => ("ranks stopped", "-STOP", one),
            (_, Some(one), at) if at < 0.85 => ("ranks interrupted", "-INT", one),
            _ => ("asked through mpirun", "-USR1", run.id()),
        };
        self.counts.add(what);
        send(signal, whom)?;
        let ended = self.wait(run, Instant::now() + DEADLINE + SLACK)?;
        if ended.is_none() {
            // Of `mpirun` alone nothing is asked: it may wait for ranks that were struck while they were starting.
            let left = children(run.id()).into_iter().filter(|id| lives(*id)).count();
            let is_ours = self.ranks == 0 || left > 0;
            self.counts.add(if is_ours { "hangs" } else { "mpirun outlived its ranks" });
            let said = fs::read_to_string(self.place.join("run.log"))?;
            eprintln!("# {what}: nothing ended, {left} ranks are left; {said}");
            children(run.id()).into_iter().chain([run.id()]).try_for_each(|id| send("-KILL", id))?;
            run.wait()?;
        }
        let by_us = what.starts_with("ranks") || signal == "-KILL";
        Ok(ended.filter(|status| !by_us && status.code().is_some_and(|code| code < 128)))
    }

    /// What the end of the run says: it is a death unless it is one of the ways to end.
    fn judge(&self, ended: Option<ExitStatus>, log: &Path) -> io::Result<()> {
        let Some(status) = ended else { return Ok(()) };
        let said = fs::read_to_string(log)?;
        match status.code() {
            Some(0) => self.compare(),
            // The second trainer came between two lives of the first.
            Some(_) if said.contains("error[E1205]") || said.contains("a newer checkpoint now") => {
                self.counts.add("found another at work");
                thread::sleep(Duration::from_millis(100));
                Ok(())
            }
            _ => {
                self.counts.add("deaths");
                eprintln!("# the run ended with {status}: {said}");
                Ok(())
            }
        }
    }

    /// A run that is done is held against the one in peace, and begun anew.
    fn compare(&self) -> io::Result<()> {
        self.counts.add("runs done");
        let losses = |run: &str| -> io::Result<Vec<String>> {
            let text = fs::read_to_string(self.place.join(run).join("metrics.jsonl"))?;
            Ok(text.lines().map(loss).collect())
        };
        if losses("run")? != losses("peace")? {
            self.counts.add("losses differ");
            eprintln!("# the losses are not those of the run in peace");
        }
        let _alone = self.beside.write().unwrap_or_else(PoisonError::into_inner);
        fs::remove_dir_all(self.place.join("run"))
    }

    /// The newest checkpoint, which must be no older than before, and all of which have their index.
    fn look(&self, before: u64) -> io::Result<u64> {
        let dir = self.place.join("run/checkpoints");
        if !dir.is_dir() {
            return Ok(0);
        }
        let (mut newest, mut emptied) = (0, false);
        for entry in fs::read_dir(&dir)? {
            let path = entry?.path();
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            let step = name.strip_prefix("step-").and_then(|step| step.parse::<u64>().ok());
            newest = newest.max(step.unwrap_or(0));
            let is_empty = step.is_some() && path.is_dir() && !path.join("index.json").is_file();
            emptied |= name.starts_with("hollow-") || is_empty && path.is_dir();
        }
        if emptied {
            self.counts.add("emptied");
            eprintln!("# a checkpoint lacks its index in {}", dir.display());
        }
        if newest < before {
            self.counts.add("steps lost");
            eprintln!("# the newest checkpoint is of step {newest}, and was of {before}");
        }
        Ok(newest)
    }

    /// Reads the run again and again.
    fn read(&self, args: &[&str]) {
        let log = self.place.join(format!("{}.log", args.first().unwrap_or(&"")));
        while !self.is_over.load(Ordering::Relaxed) {
            let begun = Instant::now();
            let beside = self.beside.read().unwrap_or_else(PoisonError::into_inner);
            let status = self.command(&self.binary, &log).and_then(|mut command| command.args(args).status());
            let said = fs::read_to_string(&log).unwrap_or_default();
            // There is not always something to read.
            let is_early = ["has no checkpoint yet", "holds no run and no checkpoint"]
                .iter()
                .any(|of| said.contains(of));
            match status {
                Ok(status) if status.success() => self.counts.add("reads"),
                Ok(status) if status.code() == Some(1) && is_early => self.counts.add("nothing to read"),
                other => {
                    self.counts.add("reader deaths");
                    eprintln!("# {args:?} ended with {other:?}: {said}");
                }
            }
            drop(beside);
            thread::sleep(Duration::from_millis(50).saturating_sub(begun.elapsed()));
        }
    }

    /// Wants to train in the same directory, and is killed where it can.
    fn intrude(&self) {
        let (log, mut dice) = (self.place.join("second.log"), Dice(7));
        while !self.is_over.load(Ordering::Relaxed) {
            thread::sleep(Duration::from_secs_f64(dice.unit()));
            let _beside = self.beside.read().unwrap_or_else(PoisonError::into_inner);
            if !self.place.join("run/config.toml").is_file() {
                continue;
            }
            let started = self
                .command(&self.binary, &log)
                .and_then(|mut command| command.args(["train", "--resume", "run", "--threads", "1"]).spawn());
            let Ok(mut second) = started else { continue };
            let until = Instant::now() + Duration::from_secs_f64(1.0 + LONGEST * dice.unit());
            match self.wait(&mut second, until) {
                Ok(Some(_)) => self.counts.add("second trainers refused"),
                _ => {
                    self.counts.add("second trainers killed");
                    let _ = second.kill().and_then(|()| second.wait());
                }
            }
        }
    }
}

/// Step and loss of a line of metrics, as they are written.
fn loss(line: &str) -> String {
    let field = |name: &str| {
        let from = line.split_once(&format!("\"{name}\":")).map_or("", |(_, rest)| rest);
        from.split([',', '}']).next().unwrap_or_default().to_string()
    };
    format!("{} {}", field("step"), field("loss"))
}

/// Processes that were started by another, on Linux.
fn children(of: u32) -> Vec<u32> {
    let tasks = fs::read_dir(format!("/proc/{of}/task")).into_iter().flatten().flatten();
    let lists = tasks.filter_map(|task| fs::read_to_string(task.path().join("children")).ok());
    lists
        .flat_map(|list| list.split_whitespace().filter_map(|id| id.parse().ok()).collect::<Vec<u32>>())
        .collect()
}

/// Whether a process has not ended, on Linux; one that nobody has asked about is listed for ever.
fn lives(id: u32) -> bool {
    let state = fs::read_to_string(format!("/proc/{id}/stat")).unwrap_or_default();
    state.rsplit(')').next().is_some_and(|rest| rest.trim_start().starts_with(['R', 'S', 'D', 'T', 't']))
}

fn send(signal: &str, whom: u32) -> io::Result<()> {
    // One that has just ended needs no more.
    Command::new("kill").args([signal, &whom.to_string()]).stderr(Stdio::null()).status().map(drop)
}
