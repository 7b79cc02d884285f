//! What processes of one job tell one another beside what their devices exchange: whether they run the same program, a
//! number each, results for the first.

use crate::keys::{KeyError, KeyValues};
use crate::rendezvous::{LONGEST_VALUE, Peers};
use meshwright_runtime::{RunError, RunErrorKind};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

pub const START_AGAIN: &str = "look at what the other processes said, and start all of them again";

/// This process among the others. All of them ask it for the same, in the same order.
pub struct Exchange {
    peers: Arc<Peers>,
    /// How often something was said.
    rounds: AtomicU64,
    /// How often results were gathered.
    gathers: AtomicU64,
}

impl Exchange {
    pub fn new(peers: Arc<Peers>) -> Exchange {
        Exchange { peers, rounds: AtomicU64::new(0), gathers: AtomicU64::new(0) }
    }

    pub fn peers(&self) -> &Peers {
        &self.peers
    }

    /// Whether this is the process that writes files.
    pub fn is_first(&self) -> bool {
        self.peers.job().process == 0
    }

    fn failed(&self, error: &KeyError) -> RunError {
        let kind = match error {
            KeyError::TimedOut(_) => RunErrorKind::TimedOut,
            KeyError::NotFound | KeyError::Lost(_) => RunErrorKind::Transport,
        };
        RunError::new(kind, error.to_string()).rank(self.peers.job().process).help(START_AGAIN)
    }

    /// What every process says, in their order.
    pub fn all(&self, own: u64) -> Result<Vec<u64>, RunError> {
        let round = self.rounds.fetch_add(1, Ordering::Relaxed);
        let what = |round: u64| format!("answer in round {round}");
        let said = self.peers.all(&what(round), &own.to_le_bytes());
        let said = said.map_err(|error| self.failed(&error))?;
        // Whoever spoke in this round has heard all of the one before; nobody asks for what came before that.
        if let Some(old) = round.checked_sub(1) {
            self.peers.forget(&what(old)).map_err(|error| self.failed(&error))?;
        }
        let number = |bytes: Vec<u8>| {
            let number = bytes.try_into().map(u64::from_le_bytes);
            number.map_err(|_| self.failed(&KeyError::Lost("a process said what is no number".into())))
        };
        said.into_iter().map(number).collect()
    }

    /// Do what every process does with a program of this mark; an error everywhere if their programs differ, or one of
    /// them cannot.
    pub fn alike<T>(&self, mark: u64, work: impl FnOnce() -> Result<T, RunError>) -> Result<T, RunError> {
        let process = self.peers.job().process;
        // All compare before any may refuse, so that none waits for one that left.
        let marks = self.all(mark)?;
        if let Some(other) = marks.iter().position(|other| *other != mark) {
            let message =
                format!("process {other} runs program {:016x}, this process {mark:016x}", marks[other]);
            return Err(RunError::new(RunErrorKind::DifferentPrograms, message)
                .rank(process)
                .help("start every process with the same module and options"));
        }
        let done = work();
        let failed = self.all(u64::from(done.is_err()));
        // Those that heard of it may have left before all is said here: its own error is the reason.
        let done = done.map_err(|error| error.rank(process))?;
        match failed?.iter().position(|failed| *failed != 0) {
            None => Ok(done),
            Some(other) => {
                let message = format!("process {other} could not load the program");
                Err(RunError::new(RunErrorKind::Transport, message).rank(process).help(START_AGAIN))
            }
        }
    }

    /// The bytes of all devices by number, in the first process; each gives those of its own devices.
    pub fn gather(&self, shards: Vec<Vec<u8>>) -> Result<Option<Vec<Vec<u8>>>, RunError> {
        let round = self.gathers.fetch_add(1, Ordering::Relaxed);
        let peers = &self.peers;
        let key = |process: usize, piece: usize| {
            format!("results in round {round}, {process}, {piece}").into_bytes()
        };
        let failed = |error: KeyError| self.failed(&error);
        let process = peers.job().process;
        if !self.is_first() {
            let joined: Vec<u8> = shards.iter().flat_map(|shard| written(shard)).collect();
            let pieces = joined.chunks(LONGEST_VALUE);
            let count = (pieces.len() as u64).to_le_bytes();
            peers.put(&key(process, 0), &count).map_err(failed)?;
            return pieces
                .zip(1..)
                .try_for_each(|(piece, number)| peers.put(&key(process, number), piece))
                .map(|()| None)
                .map_err(failed);
        }
        let take = |process: usize, piece: usize| {
            let bytes = peers.get(&key(process, piece), peers.job().deadline)?;
            peers.delete(&key(process, piece)).map(|()| bytes)
        };
        let mut all = shards;
        for process in 1..peers.job().processes {
            let broken = || KeyError::Lost(format!("process {process} sent results that do not read"));
            let count = take(process, 0).map_err(failed)?;
            let count = count.try_into().map(u64::from_le_bytes).map_err(|_| failed(broken()))?;
            let mut joined = Vec::new();
            for piece in 1..=usize::try_from(count).map_err(|_| failed(broken()))? {
                joined.extend(take(process, piece).map_err(failed)?);
            }
            all.extend(read(&joined).ok_or_else(broken).map_err(failed)?);
        }
        Ok(Some(all))
    }

    /// All is well, and this process goes; the first one when all others did.
    pub fn leave(&self) -> Result<(), RunError> {
        self.peers.leave().map_err(|error| self.failed(&error))
    }
}

/// Bytes behind their length.
fn written(bytes: &[u8]) -> Vec<u8> {
    [&(bytes.len() as u64).to_le_bytes()[..], bytes].concat()
}

fn read(mut joined: &[u8]) -> Option<Vec<Vec<u8>>> {
    let mut all = Vec::new();
    while !joined.is_empty() {
        let (length, rest) = joined.split_first_chunk()?;
        let (bytes, rest) = rest.split_at_checked(usize::try_from(u64::from_le_bytes(*length)).ok()?)?;
        all.push(bytes.to_vec());
        joined = rest;
    }
    Some(all)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rendezvous::{Job, Token};

    /// Results are as large as a program's: their messages are not.
    #[test]
    fn results_beyond_one_message_are_gathered_in_pieces() {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let coordinator = listener.local_addr().unwrap().to_string();
        drop(listener);
        let exchange = |process| {
            let deadline = std::time::Duration::from_secs(60);
            let coordinator = coordinator.clone();
            let job = Job { coordinator, processes: 2, process, deadline, token: Token::default() };
            Exchange::new(Arc::new(Peers::join(job).unwrap()))
        };
        let large: Vec<u8> = (0..2 * LONGEST_VALUE + 7).map(|at| at as u8).collect();
        std::thread::scope(|scope| {
            let second = scope.spawn(|| {
                let exchange = exchange(1);
                assert_eq!(exchange.gather(vec![large.clone(), vec![9]]).unwrap(), None);
                assert_eq!(exchange.gather(vec![]).unwrap(), None);
                exchange.leave().unwrap();
            });
            let first = exchange(0);
            let all = first.gather(vec![vec![1]]).unwrap().unwrap();
            assert!(all == [vec![1], large.clone(), vec![9]]);
            assert_eq!(first.gather(vec![vec![2]]).unwrap(), Some(vec![vec![2]]));
            first.leave().unwrap();
            second.join().unwrap();
        });
    }

    #[test]
    fn arrays_that_are_joined_come_apart_again() {
        let arrays = [vec![1, 2, 3], vec![], vec![7; 300]];
        let joined: Vec<u8> = arrays.iter().flat_map(|one| written(one)).collect();
        assert_eq!(read(&joined).as_deref(), Some(&arrays[..]));
        assert_eq!((read(&joined[..joined.len() - 1]), read(&[1, 2])), (None, None));
    }
}
