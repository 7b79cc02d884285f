//! Groups over several ranks: every rank of a group gets what its members need of all operands, then joins in its own
//! memory.
//!
//! A sum of many bytes is taken in two steps: each rank adds up one range of the elements over all members, then the
//! ranks exchange their ranges. Members of a rank are not added up first: sums are taken in ascending position, and
//! `(a + b) + (c + d)` has other bits than `((a + b) + c) + d`.

use crate::note;
use crate::parts::{needed, range};
use crate::transport::{ByteRuns, Requests, Transport};
use meshwright_base::Id;
use meshwright_ir::op::collective::CollectiveKind;
use meshwright_ir::{DType, TensorType};
use meshwright_runtime::array::byte_len;
use meshwright_runtime::collective::join_group;
use meshwright_runtime::{
    Buffer, Collectives, DeviceId, Join, Joining, Program, RunError, RunErrorKind, Site, SiteId, Workers,
};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// From so many bytes on a sum is taken range by range: two exchanges then cost less than the bytes they save.
const BY_RANGES: usize = 1 << 16;

pub struct MpiCollectives {
    program: Arc<dyn Program>,
    /// Devices of a rank.
    per_rank: usize,
    deadline: Duration,
    state: Mutex<State>,
}

struct State {
    transport: Transport,
    next: u64,
    under_way: BTreeMap<u64, Exchange>,
}

/// A group whose messages are under way.
struct Exchange {
    id: SiteId,
    group: usize,
    /// All ranks of the group, ascending.
    ranks: Vec<usize>,
    /// By position; `None`: lives elsewhere.
    members: Vec<Option<Join>>,
    /// Operands of members that live elsewhere.
    remote: Vec<Vec<Buffer>>,
    requests: Requests,
    since: Instant,
    then: Then,
}

/// What is done when the messages have come.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Then {
    /// Join all of the operands.
    Join,
    /// Add up this rank's range and exchange it for the others'.
    AddRange,
    /// The first member here has the whole sums: give them to the others here.
    Spread,
}

impl MpiCollectives {
    pub fn new(
        program: Arc<dyn Program>,
        transport: Transport,
        per_rank: usize,
        deadline: Duration,
    ) -> MpiCollectives {
        let state = Mutex::new(State { transport, next: 0, under_way: BTreeMap::new() });
        MpiCollectives { program, per_rank, deadline, state }
    }

    fn rank_of(&self, device: DeviceId) -> usize {
        device.index() / self.per_rank
    }

    fn site(&self, id: SiteId) -> &Site {
        &self.program.sites()[id]
    }

    /// Messages of one collective on one group carry one number; order on a pair of ranks keeps repeats apart.
    fn tag(&self, id: SiteId, group: usize) -> i32 {
        let devices = self.site(id).groups.iter().map(Vec::len).sum::<usize>();
        ((id.index() * devices + group) % (1 << 22)) as i32
    }

    /// The ranks of a group, ascending.
    fn ranks(&self, devices: &[DeviceId]) -> Vec<usize> {
        let mut ranks: Vec<usize> = devices.iter().map(|device| self.rank_of(*device)).collect();
        ranks.sort_unstable();
        ranks.dedup();
        ranks
    }

    fn exchange(&self, state: &State, joining: &Joining<'_>) -> Result<Exchange, RunError> {
        let (site, id, group) = (joining.site, joining.id, joining.group);
        let ranks = self.ranks(&site.groups[group]);
        let by_ranges =
            site.kind == CollectiveKind::AllReduce && ranks.len() > 1 && site.bytes() >= BY_RANGES;
        let then = if by_ranges { Then::AddRange } else { Then::Join };
        let (members, requests, since) = (joining.members.clone(), Requests::default(), Instant::now());
        let mut exchange = Exchange { id, group, ranks, members, remote: Vec::new(), requests, since, then };
        self.first_messages(&state.transport, &mut exchange)?;
        Ok(exchange)
    }

    /// Operands, or what is needed of them.
    fn first_messages(&self, transport: &Transport, exchange: &mut Exchange) -> Result<(), RunError> {
        let own = transport.rank();
        let site = self.site(exchange.id);
        let (tag, devices) = (self.tag(exchange.id, exchange.group), &site.groups[exchange.group]);
        let positions = |rank: usize| -> Vec<usize> {
            (0..devices.len()).filter(|position| self.rank_of(devices[*position]) == rank).collect()
        };
        let here = positions(own);
        let others: Vec<(usize, Vec<usize>)> = exchange
            .ranks
            .iter()
            .filter(|rank| **rank != own)
            .map(|rank| (*rank, positions(*rank)))
            .collect();
        let parts = |rank: usize, members: &[usize], k: usize, from: usize| match exchange.then {
            Then::AddRange => vec![range_of(&site.operands[k], &exchange.ranks, rank)],
            Then::Join | Then::Spread => needed(site, exchange.group, k, from, members),
        };
        for (position, member) in exchange.members.iter().enumerate() {
            let mut buffers = Vec::new();
            for (k, ty) in site.operands.iter().enumerate() {
                let Some(join) = member else {
                    let buffer = Buffer::zeroed(byte_len(ty).unwrap_or(0))?;
                    let rank = self.rank_of(devices[position]);
                    for part in parts(own, &here, k, position) {
                        // SAFETY: the buffer has the operand's bytes and is kept with the requests.
                        unsafe {
                            transport.receive(buffer.as_ptr(), part, rank, tag, &mut exchange.requests)?;
                        }
                    }
                    buffers.push(buffer);
                    continue;
                };
                for (rank, members) in &others {
                    for part in parts(*rank, members, k, position) {
                        // SAFETY: the device waits, so its operands stay as they are.
                        unsafe {
                            transport.send(join.operands[k], part, *rank, tag, &mut exchange.requests)?;
                        }
                    }
                }
            }
            exchange.remote.push(buffers);
        }
        Ok(())
    }

    /// This rank's range of the sums for all other ranks', to and from the first member here.
    fn second_messages(&self, transport: &Transport, exchange: &mut Exchange) -> Result<(), RunError> {
        let (site, own) = (self.site(exchange.id), transport.rank());
        let tag = self.tag(exchange.id, exchange.group);
        exchange.requests = Requests::default();
        exchange.remote.clear();
        let Some(first) = exchange.members.iter().flatten().next() else { return Ok(()) };
        for (ty, result) in site.operands.iter().zip(&first.results) {
            for rank in exchange.ranks.iter().filter(|rank| **rank != own) {
                let (ours, theirs) =
                    (range_of(ty, &exchange.ranks, own), range_of(ty, &exchange.ranks, *rank));
                // SAFETY: the device waits: nobody else touches its results; the ranges do not overlap.
                unsafe {
                    transport.send(*result, ours, *rank, tag, &mut exchange.requests)?;
                    transport.receive(*result, theirs, *rank, tag, &mut exchange.requests)?;
                }
            }
        }
        exchange.then = Then::Spread;
        Ok(())
    }

    fn join(&self, exchange: &Exchange, workers: &dyn Workers) -> Result<(), RunError> {
        let operands = operands(exchange, |_| 0);
        let operands: Vec<&[*const u8]> = operands.iter().map(Vec::as_slice).collect();
        let results: Vec<_> =
            exchange.members.iter().map(|member| member.as_ref().map(|join| &join.results[..])).collect();
        join_group(self.site(exchange.id), exchange.group, &operands, &results, workers)
    }

    /// Add up this rank's range into the results of the first member here.
    fn add_range(&self, exchange: &Exchange, own: usize, workers: &dyn Workers) -> Result<(), RunError> {
        let site = self.site(exchange.id);
        let ranges: Vec<ByteRuns> =
            site.operands.iter().map(|ty| range_of(ty, &exchange.ranks, own)).collect();
        let types: Vec<TensorType> =
            site.operands.iter().zip(&ranges).map(|(ty, range)| flat(ty.dtype, range.bytes)).collect();
        let part = Site {
            groups: vec![site.groups[exchange.group].clone()],
            operands: types.clone(),
            results: types,
            ..self.site(exchange.id).clone()
        };
        let operands = operands(exchange, |k| ranges[k].start);
        let operands: Vec<&[*const u8]> = operands.iter().map(Vec::as_slice).collect();
        let first = exchange.members.iter().position(Option::is_some);
        let moved = |join: &Join| -> Vec<*mut u8> {
            join.results.iter().zip(&ranges).map(|(to, range)| to.wrapping_add(range.start)).collect()
        };
        let places: Option<Vec<*mut u8>> = exchange.members.iter().flatten().next().map(moved);
        let results: Vec<Option<&[*mut u8]>> = (0..exchange.members.len())
            .map(|position| places.as_deref().filter(|_| Some(position) == first))
            .collect();
        join_group(&part, 0, &operands, &results, workers)
    }

    /// The first member's results for the others here.
    fn spread(&self, exchange: &Exchange, workers: &dyn Workers) -> Result<(), RunError> {
        let site = self.site(exchange.id);
        let here: Vec<&Join> = exchange.members.iter().flatten().collect();
        let Some(first) = here.first() else { return Ok(()) };
        let from: Vec<*const u8> = first.results.iter().map(|at| at.cast_const()).collect();
        let operands: Vec<&[*const u8]> = here.iter().map(|_| &from[..]).collect();
        let results: Vec<Option<&[*mut u8]>> = here.iter().map(|join| Some(&join.results[..])).collect();
        let copy = Site { kind: CollectiveKind::Broadcast, groups: Vec::new(), ..site.clone() };
        join_group(&copy, 0, &operands, &results, workers)
    }

    fn late(&self, exchange: &Exchange) -> RunError {
        let site = self.site(exchange.id);
        let devices = &site.groups[exchange.group];
        let away: Vec<String> = devices
            .iter()
            .zip(&exchange.members)
            .filter(|(_, member)| member.is_none())
            .map(|(device, _)| device.index().to_string())
            .collect();
        let message =
            format!("devices {} did not come within {:.1} s", away.join(","), self.deadline.as_secs_f64());
        let here = devices.iter().zip(&exchange.members).find(|(_, member)| member.is_some());
        let error = RunError::new(RunErrorKind::TimedOut, message).collective(&site.name);
        match here {
            Some((device, _)) => error.on(*device),
            None => error,
        }
    }
}

/// Addresses of all operands by position, each moved on by so many bytes.
fn operands(exchange: &Exchange, moved: impl Fn(usize) -> usize) -> Vec<Vec<*const u8>> {
    let own = |join: &Join| join.operands.clone();
    let remote = |buffers: &Vec<Buffer>| buffers.iter().map(|buffer| buffer.as_ptr().cast_const()).collect();
    let all = exchange.members.iter().zip(&exchange.remote);
    all.map(|(member, buffers)| member.as_ref().map_or_else(|| remote(buffers), own))
        .map(|at: Vec<*const u8>| at.iter().enumerate().map(|(k, at)| at.wrapping_add(moved(k))).collect())
        .collect()
}

/// The bytes of an operand that a rank of the group adds up.
fn range_of(ty: &TensorType, ranks: &[usize], rank: usize) -> ByteRuns {
    let (width, index) = (ty.dtype.bytes(), ranks.binary_search(&rank).unwrap_or(0));
    let elements = range(byte_len(ty).unwrap_or(0) / width.max(1), index, ranks.len());
    ByteRuns::dense(elements.start * width, elements.len() * width)
}

fn flat(dtype: DType, bytes: usize) -> TensorType {
    TensorType::new(dtype, vec![(bytes / dtype.bytes().max(1)) as i64])
}

impl Collectives for MpiCollectives {
    fn start(&self, joining: Joining<'_>, workers: &dyn Workers) -> Result<Option<u64>, RunError> {
        let devices = &joining.site.groups[joining.group];
        let here = devices.iter().zip(&joining.members).find(|(_, member)| member.is_some());
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let rank = state.transport.rank();
        note::set(&format!(
            "rank {rank}: stopped with device {} at collective {} ({})",
            here.map_or(0, |(device, _)| device.index()),
            joining.id.index(),
            joining.site.name
        ));
        let exchange = self.exchange(&state, &joining).map_err(|error| error.rank(rank))?;
        if joining.members.iter().all(Option::is_some) {
            drop(state);
            self.join(&exchange, workers)?;
            return Ok(None);
        }
        state.next += 1;
        let ticket = state.next;
        state.under_way.insert(ticket, exchange);
        Ok(Some(ticket))
    }

    fn poll(&self, ticket: u64, workers: &dyn Workers) -> Result<bool, RunError> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let rank = state.transport.rank();
        let State { transport, under_way, .. } = &mut *state;
        let Some(exchange) = under_way.get_mut(&ticket) else { return Ok(true) };
        if !transport.done(&mut exchange.requests).map_err(|error| error.rank(rank))? {
            let late = exchange.since.elapsed() > self.deadline;
            return if late { Err(self.late(exchange).rank(rank)) } else { Ok(false) };
        }
        let Some(mut exchange) = under_way.remove(&ticket) else { return Ok(true) };
        drop(state);
        match exchange.then {
            Then::Join => self.join(&exchange, workers)?,
            Then::Spread => self.spread(&exchange, workers)?,
            Then::AddRange => {
                self.add_range(&exchange, rank, workers)?;
                let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
                self.second_messages(&state.transport, &mut exchange).map_err(|error| error.rank(rank))?;
                state.under_way.insert(ticket, exchange);
                return Ok(false);
            }
        }
        Ok(true)
    }
}
