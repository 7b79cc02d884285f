//! Loops over the same rows, run together: all of them on a few rows, then all of them on the next.
//!
//! ```text
//! for a few rows:  maximum -> exponentials, their sums -> quotients
//! ```
//!
//! What one loop leaves for the next is found in the cache, and what only these loops use has no place outside it: such
//! values live in the worker's scratch. Sums are taken as each loop takes them alone.

use crate::kernel::compiled::Around;
use crate::kernel::fused::{Fused, PIECE, Source};
use crate::kernel::gemm::{SCRATCH, with_scratch};
use crate::step::{Bases, BufId};
use meshwright_ground::Id;
use meshwright_runtime::{Workers, stream};
use std::collections::BTreeMap;

/// Elements of the rows that are worked on together, about.
const BLOCK: usize = 1 << 13;

/// A loop over the rows, or over one element for each.
#[derive(Clone, Debug)]
pub struct Member {
    pub fused: Fused,
    /// Elements for each row.
    pub per_row: usize,
}

/// A value that no step outside uses.
#[derive(Clone, PartialEq, Debug)]
pub struct Local {
    pub buf: BufId,
    /// Bytes for each row.
    pub bytes: usize,
}

#[derive(Clone, Debug)]
pub struct RowsStep {
    pub rows: usize,
    pub row: usize,
    pub members: Vec<Member>,
    pub locals: Vec<Local>,
}

/// Rows that are worked on together.
pub fn block(row: usize) -> usize {
    (BLOCK / row.max(1)).max(1)
}

/// Values of these many bytes a row that fit into the scratch together: the first ones.
pub fn fitting(wanted: Vec<Local>, row: usize) -> Vec<Local> {
    let mut left = SCRATCH;
    let mut fits = |local: &Local| {
        let bytes = room(local, block(row));
        let fits = bytes <= left;
        left -= if fits { bytes } else { 0 };
        fits
    };
    wanted.into_iter().filter(|local| fits(local)).collect()
}

/// Bytes of a value in the scratch; one line more, so that values do not all fall on the same sets of the cache.
fn room(local: &Local, rows: usize) -> usize {
    (local.bytes * rows).next_multiple_of(64) + 64
}

impl RowsStep {
    fn is_local(&self, buf: BufId) -> bool {
        self.locals.iter().any(|local| local.buf == buf)
    }

    pub fn reads(&self) -> Vec<BufId> {
        let all = self.members.iter().flat_map(|member| member.fused.reads());
        all.filter(|buf| !self.is_local(*buf)).collect()
    }

    pub fn writes(&self) -> Vec<BufId> {
        let all = self.members.iter().flat_map(|member| member.fused.writes());
        all.filter(|buf| !self.is_local(*buf)).collect()
    }

    /// What each loop must know of the others. The second loop that reads a value asks for the next rows of it: while it
    /// computes, memory has nothing else to do.
    pub fn arounds(&self) -> Vec<Around> {
        let soon: Vec<BufId> = self.members.iter().flat_map(|member| member.fused.reads()).collect();
        let made: Vec<BufId> = self.members.iter().flat_map(|member| member.fused.writes()).collect();
        let mut times: BTreeMap<BufId, usize> = BTreeMap::new();
        let one = |Member { fused, per_row }: &Member| {
            let mut ahead = Vec::new();
            for input in fused.inputs.iter().filter(|_| *per_row == self.row) {
                let Source::View { buf, dims, strides, .. } = &input.source else { continue };
                let whole = dims[..] == [fused.count] && strides[..] == [1] && !made.contains(buf);
                let times = times.entry(*buf).or_default();
                *times += usize::from(whole);
                if whole && *times == 2 {
                    ahead.push((*buf, block(self.row) * self.row * input.dtype.bytes()));
                }
            }
            Around { soon: soon.clone(), ahead }
        };
        self.members.iter().map(one).collect()
    }

    pub fn flops(&self) -> usize {
        self.members.iter().map(|member| member.fused.ops.len() * member.fused.count).sum()
    }

    pub fn run(&self, bases: &Bases, workers: &dyn Workers) {
        let block = block(self.row);
        let per = (PIECE / self.row).max(1).next_multiple_of(block);
        workers.each(self.rows.div_ceil(per), &|piece| {
            let end = ((piece + 1) * per).min(self.rows);
            with_scratch(|scratch| {
                let mut own = bases.clone();
                for first in (piece * per..end).step_by(block) {
                    self.place(&mut own, scratch.cast(), first, block);
                    let last = (first + block).min(end);
                    for Member { fused, per_row } in &self.members {
                        fused.part(&own, first * per_row, last * per_row);
                    }
                }
            });
            stream::finish();
        });
    }

    /// Let the first of these rows of each local value lie in the scratch.
    fn place(&self, bases: &mut Bases, scratch: *mut u8, first: usize, block: usize) {
        let mut at = scratch;
        for local in &self.locals {
            bases.0[local.buf.index()] = at.wrapping_sub(first * local.bytes);
            at = at.wrapping_add(room(local, block));
        }
    }
}
