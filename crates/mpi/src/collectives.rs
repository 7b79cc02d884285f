//! Groups over several ranks: every rank of a group gets the operands of all members, then joins in its own memory.

use crate::note;
use crate::transport::{Requests, Transport};
use meshwright_ground::Id;
use meshwright_runtime::array::byte_len;
use meshwright_runtime::collective::join_group;
use meshwright_runtime::{
    Buffer, Collectives, DeviceId, Join, Joining, Program, RunError, RunErrorKind, Site, SiteId, Workers,
};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

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
    members: Vec<Option<Join>>,
    /// Operands of members that live elsewhere.
    remote: Vec<Vec<Buffer>>,
    requests: Requests,
    since: Instant,
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

    fn exchange(&self, state: &State, joining: &Joining<'_>) -> Result<Exchange, RunError> {
        let site = joining.site;
        let tag = self.tag(joining.id, joining.group);
        let devices = &site.groups[joining.group];
        let sizes: Vec<usize> = site.operands.iter().filter_map(byte_len).collect();
        let own = state.transport.rank();
        let mut ranks: Vec<usize> = devices.iter().map(|device| self.rank_of(*device)).collect();
        ranks.sort_unstable();
        ranks.dedup();
        ranks.retain(|rank| *rank != own);
        let mut requests = Requests::default();
        let mut remote = Vec::new();
        for (device, member) in devices.iter().zip(&joining.members) {
            let mut buffers = Vec::new();
            for (k, size) in sizes.iter().enumerate() {
                match member {
                    Some(join) => {
                        for rank in &ranks {
                            // SAFETY: the device waits, so its operands stay as they are.
                            unsafe {
                                state.transport.send(join.operands[k], *size, *rank, tag, &mut requests)?
                            };
                        }
                    }
                    None => {
                        let buffer = Buffer::zeroed(*size);
                        let rank = self.rank_of(*device);
                        // SAFETY: the buffer is kept with the requests.
                        unsafe { state.transport.receive(buffer.as_ptr(), *size, rank, tag, &mut requests)? };
                        buffers.push(buffer);
                    }
                }
            }
            remote.push(buffers);
        }
        let (id, group, since) = (joining.id, joining.group, Instant::now());
        Ok(Exchange { id, group, members: joining.members.clone(), remote, requests, since })
    }

    fn join(&self, exchange: &Exchange, workers: &dyn Workers) -> Result<(), RunError> {
        let operands: Vec<Vec<*const u8>> = exchange
            .members
            .iter()
            .zip(&exchange.remote)
            .map(|(member, remote)| match member {
                Some(join) => join.operands.clone(),
                None => remote.iter().map(|buffer| buffer.as_ptr().cast_const()).collect(),
            })
            .collect();
        let operands: Vec<&[*const u8]> = operands.iter().map(Vec::as_slice).collect();
        let results: Vec<_> =
            exchange.members.iter().map(|member| member.as_ref().map(|join| &join.results[..])).collect();
        join_group(self.site(exchange.id), exchange.group, &operands, &results, workers)
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
        let Some(exchange) = under_way.remove(&ticket) else { return Ok(true) };
        drop(state);
        self.join(&exchange, workers)?;
        Ok(true)
    }
}
