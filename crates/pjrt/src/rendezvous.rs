//! Several processes of one job over TCP. The first of them keeps keys and values for all; it listens at the address
//! that every process is given.
//!
//! ```text
//! hello: a mark, number of processes, number of this one, whether this line says that it lives, the job's token
//! ask:   length, kind, milliseconds to wait, length of the key, key, value        answer: length, status, value or words
//! ```
//! Every process keeps one line open as long as it lives. If a process ends without notice, the others learn of it at
//! once, and so do pending waits. Every wait has an end. The first process listens at the named address alone, and
//! beyond loopback only with a token that every process must show: nothing of a line is read before but its short
//! hello. Lines are not encrypted.

use crate::keys::{KeyError, KeyValues};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::fmt;
use std::io::{self, Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream, ToSocketAddrs};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// A secret that the processes of a job share; empty if there is none.
#[derive(Clone, PartialEq, Eq, Default)]
pub struct Token(Vec<u8>);

impl Token {
    /// `None` if it is longer than 256 bytes.
    pub fn new(secret: &str) -> Option<Token> {
        (secret.len() <= LONGEST_TOKEN).then(|| Token(secret.into()))
    }

    /// Compares in a time that depends on the lengths alone.
    fn admits(&self, shown: &[u8]) -> bool {
        let differing = self.0.iter().zip(shown).fold(0, |bits, (own, other)| bits | (own ^ other));
        self.0.len() == shown.len() && std::hint::black_box(differing) == 0
    }
}

impl fmt::Debug for Token {
    /// Never shows the secret.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.is_empty() { "Token(none)" } else { "Token(..)" })
    }
}

/// A process of several, and where they meet.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Job {
    /// `HOST:PORT`, where the first process listens.
    pub coordinator: String,
    pub processes: usize,
    /// The number of this one, from 0.
    pub process: usize,
    /// How long the others are waited for.
    pub deadline: Duration,
    pub token: Token,
}

/// This process among the others.
pub struct Peers {
    job: Job,
    address: SocketAddr,
    /// Held open as long as this process lives.
    _alive: TcpStream,
    /// Lines that nobody uses just now.
    idle: Mutex<Vec<TcpStream>>,
}

const MARK: &[u8; 24] = b"meshwright processes, 2\n";
/// Numbers of a hello, and the length of its token.
const NUMBERS: usize = 9 + 2;
const LONGEST_TOKEN: usize = 256;
/// Lines that have not sent a hello. Beyond this number, the oldest is closed.
const MOST_STRANGERS: usize = 64;
/// The longest key, and the most bytes of values that the first process keeps.
const LONGEST_KEY: usize = 1 << 16;
const MOST_KEPT: usize = 4 << 30;
/// No message is longer. A message holds one key and its value, and a plugin's values are addresses and topologies of
/// some kilobytes; results are put in pieces of [`LONGEST_VALUE`].
const LONGEST: u32 = 1 << 24;
/// The longest value, with room in its message for its key and the numbers of an ask.
pub const LONGEST_VALUE: usize = LONGEST as usize - LONGEST_KEY - ASK;
/// Kind, wait and length of the key.
const ASK: usize = 1 + 8 + 4;
/// How long a new line may take to say who it is.
const GREETING: Duration = Duration::from_secs(10);
/// How long is waited before the first process is looked for again.
const AGAIN: Duration = Duration::from_millis(50);

const GET: u8 = 0;
const TRY_GET: u8 = 1;
const PUT: u8 = 2;
const DELETE: u8 = 3;
const LEAVE: u8 = 4;
const CHECK: u8 = 5;

const DONE: u8 = 0;
const NOT_FOUND: u8 = 1;
const TIMED_OUT: u8 = 2;
const LOST: u8 = 3;

impl Peers {
    /// Meet the others: all are there when this returns.
    pub fn join(job: Job) -> Result<Peers, KeyError> {
        let lost = |error: io::Error| KeyError::Lost(format!("`{}`: {error}", job.coordinator));
        let mut addresses = job.coordinator.to_socket_addrs().map_err(lost)?;
        let address = addresses
            .next()
            .ok_or_else(|| KeyError::Lost(format!("`{}` is the name of no machine", job.coordinator)))?;
        if job.process == 0 {
            if !address.ip().is_loopback() && job.token.0.is_empty() {
                return Err(KeyError::Lost(format!(
                    "`{}` is {}, which others can reach: the processes of a job need a token in common",
                    job.coordinator,
                    address.ip()
                )));
            }
            let listener = TcpListener::bind(address).map_err(|error| {
                KeyError::Lost(format!(
                    "process 0 cannot listen at `{}` ({address}): {error}",
                    job.coordinator
                ))
            })?;
            serve(listener, job.processes, job.token.clone());
        }
        let until = Instant::now() + job.deadline;
        let alive = loop {
            match greeted(&job, address, true) {
                Ok(line) => break line,
                Err(Greeting::Refused(words)) => return Err(KeyError::Lost(words)),
                Err(Greeting::Failed(_)) if Instant::now() < until => thread::sleep(AGAIN),
                Err(Greeting::Failed(error)) => {
                    return Err(KeyError::TimedOut(format!(
                        "nobody listens at `{}` within {:?}: {error}",
                        job.coordinator, job.deadline
                    )));
                }
            }
        };
        let peers = Peers { job, address, _alive: alive, idle: Mutex::default() };
        peers.meet("come together")?;
        Ok(peers)
    }

    pub fn job(&self) -> &Job {
        &self.job
    }

    /// What every process says, in their order. All of them ask, for the same.
    pub fn all(&self, what: &str, own: &[u8]) -> Result<Vec<Vec<u8>>, KeyError> {
        self.put(&key(what, self.job.process), own)?;
        let one = |process| {
            self.get(&key(what, process), self.job.deadline).map_err(|error| match error {
                KeyError::TimedOut(_) => KeyError::TimedOut(format!(
                    "process {process} of {} did not {what} within {:?}",
                    self.job.processes, self.job.deadline
                )),
                other => other,
            })
        };
        (0..self.job.processes).map(one).collect()
    }

    /// Wait until all are at this place.
    pub fn meet(&self, what: &str) -> Result<(), KeyError> {
        self.all(what, &[]).map(drop)
    }

    /// What this process said is forgotten.
    pub fn forget(&self, what: &str) -> Result<(), KeyError> {
        self.delete(&key(what, self.job.process))
    }

    pub fn delete(&self, key: &[u8]) -> Result<(), KeyError> {
        self.asked(DELETE, key, &[], Duration::ZERO).map(drop)
    }

    /// An error if one of the processes ended before its time.
    pub fn check(&self) -> Result<(), KeyError> {
        self.asked(CHECK, &[], &[], Duration::ZERO).map(drop)
    }

    /// All is well, and this process goes. The first waits for the others, who need it.
    pub fn leave(&self) -> Result<(), KeyError> {
        self.asked(LEAVE, &[], &[], self.job.deadline).map(drop)
    }

    fn asked(&self, kind: u8, key: &[u8], value: &[u8], wait: Duration) -> Result<Vec<u8>, KeyError> {
        let milliseconds = u64::try_from(wait.as_millis()).unwrap_or(u64::MAX).to_le_bytes();
        let length = u32::try_from(key.len()).unwrap_or(u32::MAX).to_le_bytes();
        let ask = [&[kind][..], &milliseconds, &length, key, value].concat();
        if ask.len() > LONGEST as usize {
            let message = format!("a message of {} bytes: at most {LONGEST} are sent at once", ask.len());
            return Err(KeyError::Lost(message));
        }
        let idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let mut line = match idle {
            Some(line) => line,
            None => self.new_line()?,
        };
        let mut answered = || {
            // A machine that is switched off says nothing: the answer is waited for a little longer than it may take.
            line.set_read_timeout(Some(wait.saturating_add(GREETING)))?;
            send(&mut line, &ask)?;
            receive(&mut line)
        };
        let answer = answered().map_err(|error| self.gone(&error))?;
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).push(line);
        let words = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        match answer.split_first() {
            Some((&DONE, value)) => Ok(value.to_vec()),
            Some((&NOT_FOUND, _)) => Err(KeyError::NotFound),
            Some((&TIMED_OUT, rest)) => Err(KeyError::TimedOut(words(rest))),
            Some((_, rest)) => Err(KeyError::Lost(words(rest))),
            None => Err(KeyError::Lost("an empty answer".into())),
        }
    }

    /// Opens a further line. Strangers that crowd the first process may get it closed before its greeting.
    fn new_line(&self) -> Result<TcpStream, KeyError> {
        const ATTEMPTS: usize = 3;
        let mut attempt = 1;
        loop {
            match greeted(&self.job, self.address, false) {
                Ok(line) => return Ok(line),
                Err(Greeting::Refused(words)) => return Err(KeyError::Lost(words)),
                Err(Greeting::Failed(error)) if attempt == ATTEMPTS => return Err(self.gone(&error)),
                Err(Greeting::Failed(_)) => thread::sleep(AGAIN),
            }
            attempt += 1;
        }
    }

    fn gone(&self, error: &io::Error) -> KeyError {
        KeyError::Lost(format!("process 0, at `{}`, is gone: {error}", self.job.coordinator))
    }
}

impl KeyValues for Peers {
    fn get(&self, key: &[u8], timeout: Duration) -> Result<Vec<u8>, KeyError> {
        self.asked(GET, key, &[], timeout)
    }

    fn try_get(&self, key: &[u8]) -> Result<Vec<u8>, KeyError> {
        self.asked(TRY_GET, key, &[], Duration::ZERO)
    }

    fn put(&self, key: &[u8], value: &[u8]) -> Result<(), KeyError> {
        self.asked(PUT, key, value, Duration::ZERO).map(drop)
    }
}

/// Where a process says something.
fn key(what: &str, process: usize) -> Vec<u8> {
    format!("{what}, {process}").into_bytes()
}

enum Greeting {
    /// By who listens there, in its words.
    Refused(String),
    Failed(io::Error),
}

/// A line to the first process.
fn greeted(job: &Job, address: SocketAddr, is_alive: bool) -> Result<TcpStream, Greeting> {
    let number = |count: usize| u32::try_from(count).unwrap_or(u32::MAX).to_le_bytes();
    let length = u16::try_from(job.token.0.len()).unwrap_or(u16::MAX).to_le_bytes();
    let numbers = [&number(job.processes)[..], &number(job.process), &[u8::from(is_alive)], &length].concat();
    let hello = [&MARK[..], &numbers, &job.token.0].concat();
    let mut line = TcpStream::connect_timeout(&address, GREETING).map_err(Greeting::Failed)?;
    let greet = |line: &mut TcpStream| {
        line.set_nodelay(true)?;
        line.set_read_timeout(Some(GREETING))?;
        line.write_all(&hello)?;
        let answer = receive(line)?;
        line.set_read_timeout(None)?;
        Ok(answer)
    };
    let answer = greet(&mut line).map_err(Greeting::Failed)?;
    match answer.split_first() {
        Some((&DONE, _)) => Ok(line),
        Some((_, words)) => Err(Greeting::Refused(String::from_utf8_lossy(words).into_owned())),
        None => Err(Greeting::Refused("an empty answer".into())),
    }
}

fn send(line: &mut TcpStream, message: &[u8]) -> io::Result<()> {
    let length = u32::try_from(message.len()).ok().filter(|length| *length <= LONGEST);
    let length = length.ok_or_else(|| {
        io::Error::other(format!("{} bytes are more than {LONGEST} of a message", message.len()))
    })?;
    line.write_all(&length.to_le_bytes())?;
    line.write_all(message)
}

fn receive(line: &mut TcpStream) -> io::Result<Vec<u8>> {
    let mut length = [0; 4];
    line.read_exact(&mut length)?;
    let length = u32::from_le_bytes(length);
    if length > LONGEST {
        return Err(io::Error::other(format!("{length} bytes are more than {LONGEST} of a message")));
    }
    let mut message = Vec::new();
    line.take(length.into()).read_to_end(&mut message)?;
    if message.len() as u64 == u64::from(length) {
        Ok(message)
    } else {
        Err(io::ErrorKind::UnexpectedEof.into())
    }
}

/// Reads until the bytes are full, all of them within one time.
fn fill(line: &mut TcpStream, bytes: &mut [u8], until: Instant) -> io::Result<()> {
    let mut filled = 0;
    while filled < bytes.len() {
        let rest = until.saturating_duration_since(Instant::now());
        if rest.is_zero() {
            return Err(io::ErrorKind::TimedOut.into());
        }
        line.set_read_timeout(Some(rest))?;
        match line.read(&mut bytes[filled..])? {
            0 => return Err(io::ErrorKind::UnexpectedEof.into()),
            read => filled += read,
        }
    }
    Ok(())
}

/// The hello of a new line.
struct Hello {
    processes: usize,
    process: usize,
    /// Whether the process lives as long as this line.
    is_alive: bool,
    token: Vec<u8>,
}

/// What the first process keeps for all.
struct Kept {
    processes: usize,
    token: Token,
    /// Lines that have not sent a hello, oldest first, by numbers.
    strangers: Mutex<VecDeque<(u64, TcpStream)>>,
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    values: BTreeMap<Vec<u8>, Vec<u8>>,
    /// Bytes of keys and values.
    bytes: usize,
    /// Processes that came, that went well, those of them that were told that they may, and that were lost.
    here: BTreeSet<usize>,
    left: BTreeSet<usize>,
    told: BTreeSet<usize>,
    lost: BTreeSet<usize>,
}

/// Threads for whoever comes; they end with the process.
fn serve(listener: TcpListener, processes: usize, token: Token) {
    let kept = Arc::new(Kept {
        processes,
        token,
        strangers: Mutex::default(),
        state: Mutex::default(),
        changed: Condvar::new(),
    });
    thread::spawn(move || {
        for (line, number) in listener.incoming().flatten().zip(0..) {
            let kept = kept.clone();
            // A line that cannot be closed is not let in.
            let Ok(other) = line.try_clone() else { continue };
            kept.note_stranger(number, other);
            // A line that fails has a process at its other end that knows.
            thread::spawn(move || drop(kept.attend(line, number)));
        }
    });
}

impl Kept {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn strangers(&self) -> MutexGuard<'_, VecDeque<(u64, TcpStream)>> {
        self.strangers.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds a line that has sent nothing yet. A process sends its hello at once: idle lines make room for it.
    fn note_stranger(&self, number: u64, line: TcpStream) {
        let mut strangers = self.strangers();
        if strangers.len() >= MOST_STRANGERS
            && let Some((_, oldest)) = strangers.pop_front()
        {
            let _ = oldest.shutdown(Shutdown::Both);
        }
        strangers.push_back((number, line));
    }

    /// A line from its greeting to its end.
    fn attend(&self, mut line: TcpStream, number: u64) -> io::Result<()> {
        let hello = self.greeting(&mut line);
        self.strangers().retain(|(other, _)| *other != number);
        let Some(Hello { processes, process, is_alive, token }) = hello? else { return Ok(()) };
        if !self.token.admits(&token) {
            return send(&mut line, &[&[LOST], &b"another token than that of process 0"[..]].concat());
        }
        if let Err(words) = self.let_in(processes, process, is_alive) {
            return send(&mut line, &[&[LOST], words.as_bytes()].concat());
        }
        if let Err(error) = send(&mut line, &[DONE]).and_then(|()| line.set_read_timeout(None)) {
            // The line was closed to make room for others. The process connects again with this number.
            if is_alive {
                self.state().here.remove(&process);
            }
            return Err(error);
        }
        let ended = self.answer_all(&mut line, process);
        if is_alive {
            let mut state = self.state();
            if !state.left.contains(&process) {
                state.lost.insert(process);
            }
            self.changed.notify_all();
        }
        ended
    }

    /// Reads a hello, within one time; `None` if it is none.
    fn greeting(&self, line: &mut TcpStream) -> io::Result<Option<Hello>> {
        line.set_nodelay(true)?;
        let until = Instant::now() + GREETING;
        let mut hello = [0; MARK.len() + NUMBERS];
        fill(line, &mut hello, until)?;
        let (mark, numbers) = hello.split_at(MARK.len());
        if mark != MARK {
            return Ok(None);
        }
        let number = |at: usize, bytes: usize| {
            numbers[at..at + bytes].iter().rev().fold(0, |sum, byte| sum << 8 | usize::from(*byte))
        };
        let length = number(9, 2);
        if length > LONGEST_TOKEN {
            return Ok(None);
        }
        let mut token = vec![0; length];
        fill(line, &mut token, until)?;
        let (processes, process, is_alive) = (number(0, 4), number(4, 4), numbers[8] != 0);
        Ok(Some(Hello { processes, process, is_alive, token }))
    }

    fn let_in(&self, processes: usize, process: usize, is_alive: bool) -> Result<(), String> {
        if processes != self.processes {
            return Err(format!(
                "process {process} says that there are {processes}, process 0 {}",
                self.processes
            ));
        }
        if process >= processes {
            return Err(format!("there is no process {process} among {processes}: they count from 0"));
        }
        if is_alive && !self.state().here.insert(process) {
            return Err(format!("two processes say that they are number {process}"));
        }
        Ok(())
    }

    fn answer_all(&self, line: &mut TcpStream, process: usize) -> io::Result<()> {
        loop {
            let ask = receive(line)?;
            let Some((kind, wait, key, value)) = taken_apart(&ask) else { return Ok(()) };
            let answer = match kind {
                PUT => self.put(key, value),
                DELETE => {
                    let mut state = self.state();
                    let freed = state.values.remove(key).map_or(0, |value| key.len() + value.len());
                    state.bytes -= freed;
                    vec![DONE]
                }
                TRY_GET => match self.state().values.get(key) {
                    Some(value) => [&[DONE], &value[..]].concat(),
                    None => vec![NOT_FOUND],
                },
                GET => self.awaited(key, wait),
                LEAVE => self.leave(process, wait),
                CHECK => lost(&self.state()).unwrap_or_else(|| vec![DONE]),
                _ => return Ok(()),
            };
            send(line, &answer)?;
            if kind == LEAVE {
                self.state().told.insert(process);
                self.changed.notify_all();
            }
        }
    }

    fn put(&self, key: &[u8], value: &[u8]) -> Vec<u8> {
        let mut state = self.state();
        let before = state.values.get(key).map_or(0, |value| key.len() + value.len());
        let bytes = state.bytes - before + key.len() + value.len();
        if key.len() > LONGEST_KEY || bytes > MOST_KEPT {
            let words = format!("a key of {} bytes, or values of {bytes} bytes: that is too much", key.len());
            return [&[LOST], words.as_bytes()].concat();
        }
        state.bytes = bytes;
        state.values.insert(key.to_vec(), value.to_vec());
        self.changed.notify_all();
        vec![DONE]
    }

    fn awaited(&self, key: &[u8], wait: Duration) -> Vec<u8> {
        let found = |state: &State| state.values.get(key).map(|value| [&[DONE], &value[..]].concat());
        self.until(wait, found).unwrap_or_else(|| {
            let key = String::from_utf8_lossy(key);
            [&[TIMED_OUT], format!("nobody gave `{key}` a value within {wait:?}").as_bytes()].concat()
        })
    }

    /// One goes; the first does so when all others went.
    fn leave(&self, process: usize, wait: Duration) -> Vec<u8> {
        self.state().left.insert(process);
        if process > 0 {
            return vec![DONE];
        }
        // The answers end with the process that gives them: it goes when all have theirs.
        let all = |state: &State| (state.told.len() + 1 == self.processes).then(|| vec![DONE]);
        self.until(wait, all).unwrap_or_else(|| {
            let still: Vec<usize> =
                (0..self.processes).filter(|one| !self.state().left.contains(one)).collect();
            [&[TIMED_OUT], format!("{still:?} are not done within {wait:?}").as_bytes()].concat()
        })
    }

    /// Wait for an answer, unless a process is lost; `None` when the time is over.
    fn until(&self, wait: Duration, answer: impl Fn(&State) -> Option<Vec<u8>>) -> Option<Vec<u8>> {
        let end = Instant::now().checked_add(wait);
        let mut state = self.state();
        loop {
            if let Some(answer) = answer(&state) {
                return Some(answer);
            }
            if let Some(lost) = lost(&state) {
                return Some(lost);
            }
            const TURN: Duration = Duration::from_secs(60);
            let rest = end.map_or(TURN, |end| end.saturating_duration_since(Instant::now()));
            if rest.is_zero() {
                return None;
            }
            state =
                self.changed.wait_timeout(state, rest.min(TURN)).unwrap_or_else(PoisonError::into_inner).0;
        }
    }
}

/// The answer to whoever waits while a process is lost.
fn lost(state: &State) -> Option<Vec<u8>> {
    let process = state.lost.first()?;
    Some([&[LOST], format!("process {process} ended before its time").as_bytes()].concat())
}

/// Kind, milliseconds to wait, key and value of what is asked; `None` if it is not made so.
fn taken_apart(ask: &[u8]) -> Option<(u8, Duration, &[u8], &[u8])> {
    let (kind, rest) = ask.split_first()?;
    let (wait, rest) = rest.split_first_chunk()?;
    let (length, rest) = rest.split_first_chunk()?;
    let (key, value) = rest.split_at_checked(usize::try_from(u32::from_le_bytes(*length)).ok()?)?;
    Some((*kind, Duration::from_millis(u64::from_le_bytes(*wait)), key, value))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An address that nobody listens at.
    fn free() -> String {
        TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().to_string()
    }

    fn job(coordinator: &str, processes: usize, process: usize) -> Job {
        let deadline = Duration::from_secs(30);
        Job { coordinator: coordinator.into(), processes, process, deadline, token: Token::default() }
    }

    /// Threads in place of processes.
    fn joined(count: usize) -> Vec<Peers> {
        let at = free();
        let one = |process| {
            let job = job(&at, count, process);
            thread::spawn(move || Peers::join(job).unwrap())
        };
        let all: Vec<_> = (0..count).map(one).collect();
        all.into_iter().map(|one| one.join().unwrap()).collect()
    }

    #[test]
    fn what_one_puts_all_get_and_who_waits_is_answered_when_it_is_there() {
        let peers = Arc::new(joined(3));
        let early = {
            let peers = peers.clone();
            thread::spawn(move || peers[2].get(b"late", Duration::from_secs(30)))
        };
        assert_eq!(peers[1].try_get(b"late"), Err(KeyError::NotFound));
        peers[0].put(b"late", b"\0value").unwrap();
        assert_eq!(early.join().unwrap(), Ok(b"\0value".to_vec()));
        let missing = peers[1].get(b"never", Duration::from_millis(20)).unwrap_err();
        assert_eq!(missing, KeyError::TimedOut("nobody gave `never` a value within 20ms".into()));
    }

    #[test]
    fn all_hear_all_and_leave_together() {
        let peers = joined(3);
        let said = |peer: Peers| {
            thread::spawn(move || {
                let said = peer.all("count", &[peer.job().process as u8]).unwrap();
                peer.meet("stop").unwrap();
                peer.forget("count").unwrap();
                peer.leave().unwrap();
                said
            })
        };
        let all: Vec<_> = peers.into_iter().map(said).collect();
        for one in all {
            assert_eq!(one.join().unwrap(), [[0], [1], [2]]);
        }
    }

    #[test]
    fn a_process_that_ends_before_its_time_ends_the_waits_of_the_others() {
        let mut peers = joined(3);
        drop(peers.pop());
        let begun = Instant::now();
        let error = peers[1].get(b"never", Duration::from_secs(600)).unwrap_err();
        assert_eq!(error, KeyError::Lost("process 2 ended before its time".into()));
        assert_eq!(peers[0].check(), Err(error));
        assert!(begun.elapsed() < Duration::from_secs(60));
    }

    #[test]
    fn a_peer_that_does_not_come_is_named() {
        let job = Job { deadline: Duration::from_millis(100), ..job(&free(), 2, 0) };
        let error = Peers::join(job).err().unwrap();
        assert_eq!(error.to_string(), "process 1 of 2 did not come together within 100ms");
        let alone = Job { deadline: Duration::from_millis(100), ..self::job(&free(), 2, 1) };
        assert!(Peers::join(alone).err().unwrap().to_string().starts_with("nobody listens at `127.0.0.1:"));
        let nowhere = job_at("no such machine:1");
        assert!(matches!(Peers::join(nowhere).err(), Some(KeyError::Lost(_))));
    }

    fn job_at(coordinator: &str) -> Job {
        job(coordinator, 2, 1)
    }

    #[test]
    fn numbers_that_do_not_agree_are_told_and_strangers_are_not_let_in() {
        let at = free();
        let first = Job { deadline: Duration::from_secs(5), ..job(&at, 2, 0) };
        let first = thread::spawn(move || Peers::join(first));
        let refused = |job: Job| Peers::join(job).err().unwrap().to_string();
        assert_eq!(refused(job(&at, 3, 1)), "process 1 says that there are 3, process 0 2");
        assert_eq!(refused(job(&at, 2, 2)), "there is no process 2 among 2: they count from 0");
        let mut stranger = TcpStream::connect(&at).unwrap();
        stranger.write_all(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n and more than a greeting has\r\n").unwrap();
        assert!(receive(&mut stranger).is_err());
        let second = Peers::join(job(&at, 2, 1)).unwrap();
        let again = refused(job(&at, 2, 1));
        assert_eq!(again, "two processes say that they are number 1");
        drop(second);
        drop(first.join().unwrap());
    }

    #[test]
    fn a_process_without_the_token_is_not_let_in() {
        let at = free();
        let token = |secret: &str| Token::new(secret).unwrap();
        let with = |process, secret: &str| Job { token: token(secret), ..job(&at, 2, process) };
        let first = with(0, "secret");
        let first = thread::spawn(move || Peers::join(first));
        for wrong in ["", "secre", "secrets", "Secret"] {
            let error = Peers::join(with(1, wrong)).err().unwrap();
            assert_eq!(error, KeyError::Lost("another token than that of process 0".into()), "{wrong}");
        }
        let second = Peers::join(with(1, "secret")).unwrap();
        first.join().unwrap().unwrap().put(b"key", b"value").unwrap();
        assert_eq!(second.try_get(b"key"), Ok(b"value".to_vec()));
        assert!(Token::new(&"s".repeat(257)).is_none());
        assert!(!format!("{:?}", with(1, "secret")).contains("secret"));
    }

    #[test]
    fn an_address_that_others_reach_needs_a_token() {
        // A network for documentation: nothing listens there, and nothing is bound.
        let error = Peers::join(job("192.0.2.1:7001", 2, 0)).err().unwrap().to_string();
        assert!(error.contains("which others can reach"), "{error}");
    }

    #[test]
    fn the_first_process_listens_at_the_named_address_alone() {
        let at = free();
        let first = Job { deadline: Duration::from_millis(200), ..job(&at, 2, 0) };
        let first = thread::spawn(move || Peers::join(first));
        let port = at.rsplit_once(':').unwrap().1;
        // Another address of this machine's loopback network.
        let other = format!("127.0.0.2:{port}");
        let begun = Instant::now();
        while TcpStream::connect(&at).is_err() && begun.elapsed() < Duration::from_secs(10) {}
        assert!(TcpStream::connect(other).is_err());
        assert!(first.join().unwrap().is_err(), "nobody came");
    }

    #[test]
    fn strangers_and_large_keys_are_bounded() {
        let at = free();
        let first = job(&at, 2, 0);
        let first = thread::spawn(move || Peers::join(first));
        let begun = Instant::now();
        let mut strangers = Vec::new();
        while strangers.len() < MOST_STRANGERS + 8 && begun.elapsed() < Duration::from_secs(10) {
            strangers.extend(TcpStream::connect(&at));
        }
        // Beyond those that are waited for, the oldest is closed, and a process is let in.
        let oldest = &mut strangers[0];
        oldest.set_read_timeout(Some(GREETING / 2)).unwrap();
        assert_eq!(oldest.read(&mut [0; 1]).unwrap(), 0);
        let second = Peers::join(job(&at, 2, 1)).unwrap();
        drop(strangers);
        // The longest value fits; a longer one is refused before anything of it is sent.
        second.put(&[7; LONGEST_KEY], &vec![0; LONGEST_VALUE]).unwrap();
        let error = second.put(&[7; LONGEST_KEY], &vec![0; LONGEST_VALUE + 1]).unwrap_err();
        assert!(error.to_string().contains("a message of 16777217 bytes: at most 16777216"), "{error}");
        let error = second.put(&vec![0; LONGEST_KEY + 1], b"").unwrap_err();
        assert!(error.to_string().contains("too much"), "{error}");
        drop(first.join().unwrap());
    }
}
