//! A training run under attack: `cargo xtask hammer SECONDS [KILLS] [RANKS] [BINARY] [end]`.
//!
//! One run saves at every step. Beside it two readers (`generate` and `eval`) and a second trainer come again and
//! again. With `KILLS` the run is killed, stopped or asked to end so often, at random moments, and gone on with each
//! time; with `RANKS` it runs over so many MPI ranks, and any of them is struck, or `mpirun`, or all. With `end` the
//! blows come when it has made its last step and not ended yet. A blow may also move the run's directory, or that of
//! its checkpoints, and move it back once the run has ended. What must hold, whatever comes:
//!
//! - nobody dies but by our hand, and nothing outlasts its deadline;
//! - no checkpoint that can be seen lacks its index, and none that was seen is lost;
//! - a run ends with E1208 after its directory moves, leaves nothing at the old place, and can be resumed;
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
/// The longest that the run is left alone, from its start or from its next checkpoint on.
const LONGEST: f64 = 1.5;
/// How often a blow waits for a checkpoint.
const LATER: f64 = 0.7;
/// The longest that processes are stopped which then go on.
const PAUSE: f64 = 3.0;
/// How many blows pass between lines of progress.
const SHOWN: u64 = 50;
/// What a run takes from its last step to its end, about.
const LAST: f64 = 0.6;

/// The run: small, and saved at every step.
const SETS: [&str; 6] =
    ["--set", "checkpoint.every=1", "--set", "checkpoint.keep=2", "--set", "train.eval_every=0"];

/// Its steps, and those of one that is struck at its end alone.
const STEPS: (u64, u64) = (100, 5);

/// Ranks that wait leave the cores to others.
const MPIRUN: &str = "mpirun --allow-run-as-root --oversubscribe --mca mpi_yield_when_idle 1";

/// Exit codes from here on speak of a signal.
const BY_SIGNAL: i32 = 128;

/// Who is struck.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Whom {
    /// The process that was started: over ranks the one that starts `mpirun`.
    Run,
    Mpirun,
    Rank,
    All,
}

/// A signal to somebody.
#[derive(Clone, Copy)]
struct Blow {
    name: &'static str,
    signal: &'static str,
    whom: Whom,
    /// How often, beside the others.
    weight: u32,
}

const fn blow(weight: u32, name: &'static str, signal: &'static str, whom: Whom) -> Blow {
    Blow { name, signal, whom, weight }
}

/// In place of a signal: the directory is moved.
const MOVE: &str = "move";

/// Directories that are moved, and their names meanwhile.
const MOVES: [(&str, &str); 2] = [("run", "moved"), ("run/checkpoints", "run/moved")];

const ALONE: &[Blow] = &[
    blow(2, "directories moved", MOVE, Whom::Run),
    blow(5, "killed", "-KILL", Whom::Run),
    blow(2, "interrupted", "-INT", Whom::Run),
    blow(2, "terminated", "-TERM", Whom::Run),
    blow(1, "stopped", "-STOP", Whom::Run),
];

const OVER_RANKS: &[Blow] = &[
    blow(2, "directories moved", MOVE, Whom::Run),
    blow(5, "ranks killed", "-KILL", Whom::Rank),
    blow(4, "ranks stopped", "-STOP", Whom::Rank),
    blow(1, "ranks interrupted", "-INT", Whom::Rank),
    blow(1, "ranks terminated", "-TERM", Whom::Rank),
    blow(2, "mpirun killed", "-KILL", Whom::Mpirun),
    blow(1, "mpirun terminated", "-TERM", Whom::Mpirun),
    blow(1, "mpirun stopped", "-STOP", Whom::Mpirun),
    blow(2, "all killed", "-KILL", Whom::All),
    blow(1, "all stopped", "-STOP", Whom::All),
    blow(1, "runs interrupted", "-INT", Whom::Run),
    blow(1, "runs terminated", "-TERM", Whom::Run),
];

impl Blow {
    fn draw(of: &[Blow], dice: &mut Dice) -> Blow {
        let all: Vec<Blow> = of.iter().flat_map(|blow| vec![*blow; blow.weight as usize]).collect();
        dice.choose(&all).copied().unwrap_or(ALONE[0])
    }

    /// Whether it asks the run to end well.
    fn is_kind(&self) -> bool {
        self.whom == Whom::Run && self.signal != "-KILL"
    }
}

impl Whom {
    /// The processes, as far as they have been started, those that start others first.
    fn of(self, run: u32, dice: &mut Dice) -> Vec<u32> {
        let mpirun = children(run);
        let ranks: Vec<u32> = mpirun.iter().flat_map(|id| children(*id)).collect();
        let one = |of: &[u32], dice: &mut Dice| dice.choose(of).copied().into_iter().collect();
        match self {
            Whom::Run => vec![run],
            Whom::Mpirun => one(&mpirun, dice),
            Whom::Rank => one(&ranks, dice),
            Whom::All => family(run),
        }
    }
}

pub fn hammer(root: &Path, args: &[String]) -> bool {
    let number = |at: usize| args.get(at).and_then(|text| text.parse::<u64>().ok());
    let Some(seconds) = number(0) else {
        eprintln!("usage: cargo xtask hammer SECONDS [KILLS] [RANKS] [BINARY] [end]");
        return false;
    };
    let (kills, ranks) = (number(1).unwrap_or(0), number(2).unwrap_or(0));
    let at_end = args.last().is_some_and(|last| last == "end");
    let named = args.get(3).filter(|_| args.len() > 3 + usize::from(at_end));
    let binary = named.map_or_else(|| built(root, ranks > 0), fs::canonicalize);
    let struck = binary.and_then(|binary| Attack::new(root, binary, ranks, at_end)?.run(seconds, kills));
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
    if command.status()?.success() {
        Ok(root.join("target/release/meshwright"))
    } else {
        Err(io::Error::other("the binary does not build"))
    }
}

/// How often what happened.
#[derive(Default)]
struct Counts(Mutex<BTreeMap<&'static str, u64>>);

/// What must not happen.
const WRONG: [&str; 8] = [
    "deaths",
    "reader deaths",
    "emptied",
    "steps lost",
    "losses differ",
    "hangs",
    "moves not noticed",
    "split runs",
];

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

/// The outcome of a move.
enum Moved {
    /// There was nothing to move.
    Not,
    AsExpected,
    /// The run came to its end beside it.
    Ended(ExitStatus),
}

/// One run and those around it.
struct Attack {
    place: PathBuf,
    binary: PathBuf,
    ranks: u64,
    /// How many steps the run has.
    steps: u64,
    /// Whether all blows come after its last step.
    at_end: bool,
    counts: Counts,
    is_over: AtomicBool,
    /// Held by who is beside the run, and by nobody while its directory is taken away.
    beside: RwLock<()>,
}

impl Attack {
    fn new(root: &Path, binary: PathBuf, ranks: u64, at_end: bool) -> io::Result<Attack> {
        let place = std::env::temp_dir().join(format!("meshwright-hammer-{}", std::process::id()));
        fs::create_dir_all(&place)?;
        fs::copy(root.join("crates/train/tests/small.toml"), place.join("small.toml"))?;
        Ok(Attack {
            place,
            binary,
            ranks,
            steps: if at_end { STEPS.1 } else { STEPS.0 },
            at_end,
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
        let mut command = self.command(&self.binary, log)?;
        let steps = self.steps.to_string();
        command.arg("train").args(args).args(SETS).args(["--threads", "1", "--steps", &steps]);
        if self.ranks > 0 {
            let (mesh, ranks) = (format!("data={}", self.ranks), self.ranks.to_string());
            let deadline = DEADLINE.as_secs().to_string();
            command.args(["--backend", "mpi", "--mesh", &mesh, "--deadline", &deadline]);
            command.args(["--ranks", &ranks, "--mpirun", MPIRUN]);
        }
        command.spawn()
    }

    /// Strikes the run at random moments, until its time or the number of blows is up.
    fn strike(&self, end: Instant, kills: u64) -> io::Result<()> {
        let mut dice = Dice(u64::from(std::process::id()));
        let (mut newest, log) = (0, self.place.join("run.log"));
        let (begun, mut shown) = (Instant::now(), 0);
        while Instant::now() < end && (kills == 0 || self.counts.of("blows") < kills) {
            let mut run = self.trainer("run", &log)?;
            if newest > 0 {
                self.counts.add("gone on");
            }
            // One that was struck at its end comes to it.
            let is_left = kills == 0 || self.at_end && newest >= self.steps;
            let ended = if is_left { self.wait(&mut run, end)? } else { None };
            let ended = match ended {
                Some(ended) => Some(ended),
                None => self.life(&mut run, &mut dice, newest)?,
            };
            self.judge(ended, &log)?;
            newest = self.look(newest)?;
            let blows = self.counts.of("blows");
            if blows >= shown + SHOWN {
                shown = blows;
                eprintln!("# {blows} blows in {} s", begun.elapsed().as_secs());
            }
        }
        Ok(())
    }

    /// A life of the run, up to the blow that ends it; `None` if it was our hand that ended it.
    fn life(&self, run: &mut Child, dice: &mut Dice, newest: u64) -> io::Result<Option<ExitStatus>> {
        loop {
            let (awaited, longest) = match (self.at_end, dice.unit() < LATER) {
                (true, _) => (self.steps, LAST),
                (false, true) => (newest + 1, LONGEST),
                (false, false) => (0, LONGEST),
            };
            let patience = Instant::now() + DEADLINE + SLACK;
            while self.newest()? < awaited && run.try_wait()?.is_none() && Instant::now() < patience {
                thread::sleep(Duration::from_millis(5));
            }
            let moment = Instant::now() + Duration::from_secs_f64(longest * dice.unit());
            if let Some(ended) = self.wait(run, moment)? {
                return Ok(Some(ended));
            }
            let blow = Blow::draw(if self.ranks == 0 { ALONE } else { OVER_RANKS }, dice);
            if blow.signal == MOVE {
                match self.move_away(run, dice, &blow)? {
                    Moved::Not => continue,
                    Moved::AsExpected => return Ok(None),
                    Moved::Ended(status) => return Ok(Some(status)),
                }
            }
            let (struck, all) = (blow.whom.of(run.id(), dice), family(run.id()));
            self.counts.add("blows");
            self.counts.add(blow.name);
            struck.iter().try_for_each(|id| send(blow.signal, *id))?;
            if blow.signal != "-STOP" || blow.whom == Whom::Rank && dice.unit() < 0.5 {
                return self.end(run, all, &blow);
            }
            thread::sleep(Duration::from_secs_f64(PAUSE * dice.unit()));
            self.counts.add("stopped processes that went on");
            struck.iter().try_for_each(|id| send("-CONT", *id))?;
        }
    }

    /// Moves a directory of the run away, waits for the run's end, and moves it back. Readers wait meanwhile.
    fn move_away(&self, run: &mut Child, dice: &mut Dice, blow: &Blow) -> io::Result<Moved> {
        let _alone = self.beside.write().unwrap_or_else(PoisonError::into_inner);
        // A run that is just beginning does not hold its directory yet. Its next checkpoint shows that it does: the
        // second trainer writes none meanwhile.
        let (before, patience) = (self.newest()?, Instant::now() + DEADLINE + SLACK);
        while self.newest()? <= before && run.try_wait()?.is_none() && Instant::now() < patience {
            thread::sleep(Duration::from_millis(5));
        }
        if let Some(status) = run.try_wait()? {
            return Ok(Moved::Ended(status));
        }
        let &(from, to) = dice.choose(&MOVES).unwrap_or(&MOVES[0]);
        let [from, to] = [from, to].map(|name| self.place.join(name));
        let seen = self.newest()?;
        if seen <= before || !from.is_dir() {
            return Ok(Moved::Not);
        }
        self.counts.add("blows");
        self.counts.add(blow.name);
        let all = family(run.id());
        fs::rename(&from, &to)?;
        let ended = self.end(run, all, blow)?;
        if from.exists() {
            self.counts.add("split runs");
            return Err(io::Error::other(format!(
                "{} is there again beside {}",
                from.display(),
                to.display()
            )));
        }
        fs::rename(&to, &from)?;
        if self.newest()? < seen {
            self.counts.add("steps lost");
            eprintln!("# moved at step {seen}, the newest checkpoint is of step {} now", self.newest()?);
        }
        let said = fs::read_to_string(self.place.join("run.log"))?;
        match ended {
            // It had written its last byte when its directory moved.
            Some(status) if status.success() => Ok(Moved::Ended(status)),
            Some(_) if said.contains("error[E1208]") => Ok(Moved::AsExpected),
            // A hang, which is counted.
            None => Ok(Moved::AsExpected),
            Some(status) => {
                self.counts.add("moves not noticed");
                eprintln!("# moved, the run ended with {status}: {said}");
                Ok(Moved::AsExpected)
            }
        }
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

    /// The end of a run that was struck, with all that belongs to it; `None` if it was our hand that ended it.
    fn end(&self, run: &mut Child, all: Vec<u32>, blow: &Blow) -> io::Result<Option<ExitStatus>> {
        let until = Instant::now() + DEADLINE + SLACK;
        let mut ended = self.wait(run, until)?;
        while all.iter().any(|id| lives(*id)) && Instant::now() < until {
            thread::sleep(Duration::from_millis(5));
        }
        let left: Vec<u32> = all.into_iter().filter(|id| lives(*id)).collect();
        if ended.is_none() || !left.is_empty() {
            self.counts.add("hangs");
            let said = fs::read_to_string(self.place.join("run.log"))?;
            let told: Vec<String> = left.iter().map(|id| described(*id)).collect();
            eprintln!("# {}: run {}, not all had ended, left are {told:#?}; {said}", blow.name, run.id());
            left.iter().try_for_each(|id| send("-KILL", *id))?;
            run.wait()?;
            ended = None;
        }
        Ok(ended.filter(|status| blow.is_kind() && status.code().is_some_and(|code| code < BY_SIGNAL)))
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

    /// Names and paths of what is beside the checkpoints, with the step of those that are one.
    fn checkpoints(&self) -> io::Result<Vec<(String, PathBuf, Option<u64>)>> {
        let dir = self.place.join("run/checkpoints");
        if !dir.is_dir() {
            return Ok(Vec::new());
        }
        let named = |entry: io::Result<fs::DirEntry>| {
            let path = entry?.path();
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            let step = name.strip_prefix("step-").and_then(|step| step.parse::<u64>().ok());
            Ok((name, path, step))
        };
        fs::read_dir(&dir)?.map(named).collect()
    }

    fn newest(&self) -> io::Result<u64> {
        Ok(self.checkpoints()?.into_iter().filter_map(|(.., step)| step).max().unwrap_or(0))
    }

    /// The newest checkpoint, which must be no older than before, and all of which have their index.
    fn look(&self, before: u64) -> io::Result<u64> {
        // A run that is done is taken away.
        if !self.place.join("run").is_dir() {
            return Ok(0);
        }
        let (mut newest, mut emptied) = (0, false);
        for (name, path, step) in self.checkpoints()? {
            newest = newest.max(step.unwrap_or(0));
            let is_empty = step.is_some() && path.is_dir() && !path.join("index.json").is_file();
            emptied |= name.starts_with("hollow-") || is_empty && path.is_dir();
        }
        if emptied {
            self.counts.add("emptied");
            eprintln!("# a checkpoint lacks its index in {}", self.place.display());
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

/// A process and those that it started, and they, those that start others first.
fn family(of: u32) -> Vec<u32> {
    let mut all = vec![of];
    let mut at = 0;
    while let Some(id) = all.get(at).copied() {
        all.extend(children(id));
        at += 1;
    }
    all
}

/// A process in words: its parent and state are among the numbers of `stat`, the place in the kernel where it waits
/// behind them.
fn described(id: u32) -> String {
    let [stat, waits, args] = ["stat", "wchan", "cmdline"]
        .map(|name| fs::read_to_string(format!("/proc/{id}/{name}")).unwrap_or_default());
    let stat: Vec<&str> = stat.split(' ').take(5).collect();
    format!("{} in {waits}: {}", stat.join(" "), args.replace('\0', " "))
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
