//! From lowered steps to a plan: drop what nobody reads, write in place where a value dies, place all buffers.

mod carry;
mod early;

use crate::lower::{BufInfo, Kind, Lowered};
use meshwright_base::arrange::Arrange;
use meshwright_base::{Id, IdMap};
use meshwright_ir::DType;
use meshwright_kernels::compiled::{Around, LoopCode, Staggered};
use meshwright_kernels::fused::{Fused, Input, Source};
use meshwright_kernels::step::{BufId, Step};
use meshwright_kernels::tile::{Held, Reg};
use meshwright_runtime::{Interval, MemoryPlan, ResultPlace, assign};

/// Where each buffer lies on a device.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PlacedAt {
    Arena(usize),
    Input(usize),
    Result(usize),
    Constant(usize),
    /// Never used.
    Nowhere,
}

pub struct Finished {
    pub places: IdMap<BufId, PlacedAt>,
    pub results: Vec<ResultPlace>,
    pub memory: MemoryPlan,
}

/// Finish in place; `donated` says which parameters may be written.
pub fn finish(lowered: &mut Lowered, donated: &[bool], results: usize) -> Finished {
    prune(lowered);
    compact(lowered);
    if lowered.fuse {
        crate::bands::join_bands(lowered);
    }
    compact(lowered);
    early::write_early(lowered);
    lowered.steps.iter_mut().flat_map(Step::loops_mut).for_each(allocate_tiles);
    let mut lives = Lives::of(lowered, donated);
    lives.carry(lowered);
    lives.reuse(lowered);
    lives.match_donated(lowered);
    direct(lowered, &mut lives);
    let finished = place(lowered, &mut lives, results);
    compact(lowered);
    finished
}

/// Drop stores and steps whose results nobody reads.
fn prune(lowered: &mut Lowered) {
    loop {
        let mut read: IdMap<BufId, bool> = IdMap::filled(lowered.bufs.len(), false);
        for step in &lowered.steps {
            step.reads().into_iter().for_each(|buf| read[buf] = true);
        }
        for (buf, info) in lowered.bufs.iter() {
            read[buf] |= matches!(info.kind, Kind::Result(_));
        }
        let mut changed = false;
        for step in &mut lowered.steps {
            if step.has_effect() || matches!(step, Step::Nothing) {
                continue;
            }
            if !step.writes().iter().any(|buf| read[*buf]) {
                *step = Step::Nothing;
                changed = true;
            } else if let Step::Fused(fused) = step {
                changed |= prune_fused(fused, &read);
            }
        }
        if !changed {
            return;
        }
    }
}

/// Drop stores nobody reads, and ops and operands they alone needed.
fn prune_fused(fused: &mut Fused, read: &IdMap<BufId, bool>) -> bool {
    let sizes = |fused: &Fused| (fused.outputs.len(), fused.sinks.len(), fused.inputs.len(), fused.ops.len());
    let before = sizes(fused);
    fused.outputs.retain(|output| read[output.buf]);
    fused.sinks.retain(|sink| read[sink.buf]);
    keep_needed(fused);
    before != sizes(fused)
}

/// Drop ops and operands that no result needs.
pub fn keep_needed(fused: &mut Fused) {
    let mut needed = vec![false; fused.regs.len()];
    fused.outputs.iter().for_each(|output| needed[output.reg as usize] = true);
    fused.sinks.iter().for_each(|sink| needed[sink.reg as usize] = true);
    for op in fused.ops.iter().rev() {
        if needed[op.target() as usize] {
            op.sources().iter().for_each(|reg| needed[*reg as usize] = true);
        }
    }
    fused.ops.retain(|op| needed[op.target() as usize]);
    fused.inputs.retain(|input| needed[input.reg as usize]);
}

/// Give tiles numbers anew: operands and results keep their own, others share as they die.
fn allocate_tiles(fused: &mut Fused) {
    let count = fused.regs.len();
    let mut last = vec![0; count];
    for (at, op) in fused.ops.iter().enumerate() {
        op.sources().iter().for_each(|reg| last[*reg as usize] = at);
    }
    let mut map: Vec<Option<Reg>> = vec![None; count];
    let mut regs: Vec<DType> = Vec::new();
    let own = |reg: Reg, map: &mut Vec<Option<Reg>>, regs: &mut Vec<DType>| {
        map[reg as usize] = Some(regs.len() as Reg);
        regs.push(fused.regs[reg as usize]);
    };
    fused.inputs.iter().for_each(|input| own(input.reg, &mut map, &mut regs));
    fused.outputs.iter().for_each(|output| own(output.reg, &mut map, &mut regs));
    for sink in &fused.sinks {
        if map[sink.reg as usize].is_none() {
            own(sink.reg, &mut map, &mut regs);
        }
    }
    let shared: Vec<bool> = map.iter().map(Option::is_none).collect();
    let mut free: Vec<Reg> = Vec::new();
    for (at, op) in fused.ops.iter_mut().enumerate() {
        let target = op.target() as usize;
        // Sources that die here are free for later ops only: widths of tiles may differ within one op.
        if shared[target] {
            let held = Held::of(fused.regs[target]);
            let found = free.iter().position(|reg| Held::of(regs[*reg as usize]) == held);
            map[target] = Some(match found {
                Some(place) => free.swap_remove(place),
                None => {
                    regs.push(fused.regs[target]);
                    (regs.len() - 1) as Reg
                }
            });
        }
        let mut dying: Vec<usize> = op.sources().iter().map(|reg| *reg as usize).collect();
        dying.arrange();
        dying.dedup();
        dying.retain(|reg| shared[*reg] && last[*reg] == at);
        *op = op.renamed(&|reg| map[reg as usize].unwrap_or(reg));
        free.extend(dying.iter().filter_map(|reg| map[*reg]));
    }
    let named = |reg: Reg| map[reg as usize].unwrap_or(reg);
    fused.inputs.iter_mut().for_each(|input| input.reg = named(input.reg));
    fused.outputs.iter_mut().for_each(|output| output.reg = named(output.reg));
    fused.sinks.iter_mut().for_each(|sink| sink.reg = named(sink.reg));
    fused.regs = regs;
}

/// Take empty steps out and mend jumps and loops.
fn compact(lowered: &mut Lowered) {
    let mut place = Vec::with_capacity(lowered.steps.len() + 1);
    let mut next = 0;
    for step in &lowered.steps {
        place.push(next);
        next += usize::from(!matches!(step, Step::Nothing));
    }
    place.push(next);
    for step in &mut lowered.steps {
        step.targets_mut().into_iter().for_each(|target| *target = place[*target]);
    }
    for (first, last) in &mut lowered.loops {
        (*first, *last) = (place[*first], place[*last]);
    }
    let steps = std::mem::take(&mut lowered.steps);
    let names = std::mem::take(&mut lowered.names);
    for (step, name) in steps.into_iter().zip(names) {
        if !matches!(step, Step::Nothing) {
            lowered.steps.push(step);
            lowered.names.push(name);
        }
    }
}

/// When each buffer is alive, and which buffers are one.
struct Lives {
    first: IdMap<BufId, usize>,
    last: IdMap<BufId, usize>,
    /// First access by step order, without loops: what a copy may take over.
    same: IdMap<BufId, BufId>,
    kind: IdMap<BufId, Kind>,
    donated: Vec<bool>,
    used: IdMap<BufId, bool>,
}

impl Lives {
    fn of(lowered: &Lowered, donated: &[bool]) -> Lives {
        let count = lowered.bufs.len();
        let end = lowered.steps.len();
        let mut lives = Lives {
            first: IdMap::filled(count, usize::MAX),
            last: IdMap::filled(count, 0),
            same: lowered.bufs.keys().collect(),
            kind: lowered.bufs.values().map(|info| info.kind).collect(),
            donated: donated.to_vec(),
            used: IdMap::filled(count, false),
        };
        for (at, step) in lowered.steps.iter().enumerate() {
            for buf in step.reads().into_iter().chain(step.writes()) {
                lives.first[buf] = lives.first[buf].min(at);
                lives.last[buf] = lives.last[buf].max(at);
                lives.used[buf] = true;
            }
        }
        // Of what parts are seen of lives on until nobody reads them, and one step longer: it is not written by the
        // last step that does. Parts of parts come after those.
        for buf in lowered.bufs.keys().collect::<Vec<_>>().into_iter().rev() {
            if let (Kind::Alias(of), true) = (lowered.bufs[buf].kind, lives.used[buf]) {
                lives.last[of] = lives.last[of].max(lives.last[buf] + 1);
            }
        }
        // What comes into a loop from before stays until its end. Inner loops are listed before outer ones.
        for (first, last) in &lowered.loops {
            for buf in lowered.bufs.keys() {
                if lives.first[buf] < *first && lives.last[buf] >= *first {
                    lives.last[buf] = lives.last[buf].max(*last);
                }
            }
        }
        for (buf, info) in lowered.bufs.iter() {
            match info.kind {
                Kind::Input(param) => {
                    lives.first[buf] = 0;
                    lives.used[buf] = true;
                    if !lives.may_write(param) {
                        lives.last[buf] = end;
                    }
                }
                Kind::Result(_) => {
                    lives.last[buf] = end;
                    lives.used[buf] = true;
                }
                Kind::Constant(_) => (lives.first[buf], lives.last[buf]) = (0, end),
                Kind::Arena | Kind::Alias(_) => {}
            }
        }
        lives
    }

    fn may_write(&self, param: usize) -> bool {
        self.donated.get(param).copied().unwrap_or(false)
    }

    fn root(&self, mut buf: BufId) -> BufId {
        while self.same[buf] != buf {
            buf = self.same[buf];
        }
        buf
    }

    /// Whether `to` may live on in the buffer of `from`, which dies at step `at` where `to` begins.
    fn follows(&self, lowered: &Lowered, from: BufId, to: BufId, at: usize) -> bool {
        let (from, to) = (self.root(from), self.root(to));
        let kinds = match (self.kind[from], self.kind[to]) {
            (Kind::Arena, Kind::Arena | Kind::Result(_)) => true,
            (Kind::Input(param), Kind::Arena | Kind::Result(_)) => self.may_write(param),
            _ => false,
        };
        kinds
            && from != to
            && self.used[from]
            && self.used[to]
            && self.last[from] == at
            && self.first[to] == at
            && bytes(lowered, from) == bytes(lowered, to)
    }

    fn join(&mut self, from: BufId, to: BufId) {
        let (from, to) = (self.root(from), self.root(to));
        // A donated parameter keeps its name; the result found in it is noted by the kind of `to`.
        let (keep, drop) = match self.kind[from] {
            Kind::Input(_) => (from, to),
            _ => (to, from),
        };
        self.first[keep] = self.first[from];
        self.last[keep] = self.last[to];
        self.same[drop] = keep;
    }

    /// Copies of dying values need not be made; elementwise results take the place of a dying operand.
    fn reuse(&mut self, lowered: &mut Lowered) {
        for at in 0..lowered.steps.len() {
            match &lowered.steps[at] {
                Step::Copy(copy) if copy.whole && self.follows(lowered, copy.from, copy.to, at) => {
                    let (from, to) = (copy.from, copy.to);
                    self.join(from, to);
                    lowered.steps[at] = Step::Nothing;
                }
                Step::Fused(_) | Step::Band(_) => {
                    let loops = lowered.steps[at].loops();
                    for place in 0..loops.len() {
                        for (from, to) in self.in_place(lowered, &loops[..=place], at) {
                            let others = loops.iter().enumerate().filter(|(other, _)| *other != place);
                            let free = |(other, fused): (usize, &&Fused)| {
                                let reads = fused.inputs.iter().filter(|input| self.reads_from(input, from));
                                reads.into_iter().all(|input| other < place && is_whole(input, fused.count))
                            };
                            let free =
                                others.into_iter().all(free) && !self.multiplies(&lowered.steps[at], from);
                            if free && self.follows(lowered, from, to, at) {
                                self.join(from, to);
                            }
                        }
                    }
                }
                _ => {}
            }
        }
    }

    /// Pairs of an operand and a result of the last of these loops that walk the same way; donated parameters first.
    /// The loops before it are done with the rows it is at: what only they read may go as well.
    fn in_place(&self, lowered: &Lowered, loops: &[&Fused], at: usize) -> Vec<(BufId, BufId)> {
        let Some((fused, before)) = loops.split_last() else { return Vec::new() };
        let own = fused.inputs.iter().map(|input| (input, 1));
        let alike = before.iter().filter(|other| other.count == fused.count);
        let others = alike.flat_map(|other| &other.inputs).map(|input| (input, 0));
        let mut pairs = Vec::new();
        for (input, wanted) in own.chain(others) {
            let Source::View { buf, .. } = &input.source else { continue };
            let dense = is_whole(input, fused.count);
            let uses = fused.reads().iter().filter(|other| self.root(**other) == self.root(*buf)).count();
            if !dense || uses != wanted {
                continue;
            }
            for output in fused.outputs.iter().filter(|output| output.runs.is_none()) {
                let fits = output.dtype.bytes() == input.dtype.bytes();
                if fits && self.follows(lowered, *buf, output.buf, at) {
                    pairs.push((*buf, output.buf));
                }
            }
        }
        let is_param = |buf: BufId| matches!(self.kind[self.root(buf)], Kind::Input(_));
        let is_result = |buf: BufId| matches!(self.kind[self.root(buf)], Kind::Result(_));
        pairs.arrange_by_key(|(from, to)| match (is_param(*from), is_result(*to)) {
            (true, true) => 0,
            (false, false) => 1,
            _ => 2,
        });
        pairs
    }

    /// Whether a product of a band reads a value, of whatever rows.
    fn multiplies(&self, step: &Step, buf: BufId) -> bool {
        let Step::Band(band) = step else { return false };
        let mut operands = band.products().flat_map(|product| [product.dot().lhs.buf, product.dot().rhs.buf]);
        operands.any(|operand| self.root(operand) == self.root(buf))
    }

    fn reads_from(&self, input: &Input, root: BufId) -> bool {
        matches!(&input.source, Source::View { buf, .. } if self.root(*buf) == self.root(root))
    }

    /// Results without a place of their own take donated parameters that are dead by then.
    fn match_donated(&mut self, lowered: &Lowered) {
        let of_kind = |lives: &Lives, wanted: fn(Kind) -> bool| -> Vec<BufId> {
            lowered.bufs.keys().filter(|buf| lives.root(*buf) == *buf && wanted(lives.kind[*buf])).collect()
        };
        let results = of_kind(self, |kind| matches!(kind, Kind::Result(_)));
        for result in results {
            let params = of_kind(self, |kind| matches!(kind, Kind::Input(_)));
            let fits = |param: &BufId| {
                let Kind::Input(index) = self.kind[*param] else { return false };
                self.may_write(index)
                    && self.last[*param] < self.first[result]
                    && bytes(lowered, *param) == bytes(lowered, result)
                    && self.result_in(lowered, *param).is_none()
            };
            if let Some(param) = params.into_iter().find(fits) {
                self.last[param] = self.last[result];
                self.same[result] = param;
            }
        }
    }

    /// The result that lives in a buffer.
    fn result_in(&self, lowered: &Lowered, root: BufId) -> Option<usize> {
        lowered.bufs.keys().find_map(|buf| match self.kind[buf] {
            Kind::Result(result) if self.root(buf) == root => Some(result),
            _ => None,
        })
    }
}

/// Whether an operand is all of a buffer, element by element.
fn is_whole(input: &Input, count: usize) -> bool {
    let Source::View { dims, strides, offset: 0, .. } = &input.source else { return false };
    dims.len() <= 1 && strides.iter().all(|s| *s == 1) && dims.iter().product::<usize>() == count
}

fn bytes(lowered: &Lowered, buf: BufId) -> usize {
    lowered.bufs[buf].bytes
}

/// Whether results of fused loops lie where no operand does; what each loop runs as.
fn direct(lowered: &mut Lowered, lives: &mut Lives) {
    for step in &mut lowered.steps {
        let arounds = match step {
            Step::Band(band) => band.arounds(),
            _ => vec![Around::default()],
        };
        for (fused, around) in step.loops_mut().into_iter().zip(arounds) {
            let read: Vec<BufId> = fused.reads().iter().map(|buf| lives.root(*buf)).collect();
            for output in &mut fused.outputs {
                let root = lives.root(output.buf);
                output.alone = !read.contains(&root);
            }
            fused.code = LoopCode::of(fused, &around);
        }
        if let Step::Band(band) = step {
            band.staggered = Staggered::of(band);
        }
    }
}

fn place(lowered: &Lowered, lives: &mut Lives, results: usize) -> Finished {
    let roots: Vec<BufId> = lowered
        .bufs
        .keys()
        .filter(|buf| lives.root(*buf) == *buf && lives.used[*buf] && lives.kind[*buf] == Kind::Arena)
        .collect();
    let intervals: Vec<Interval> = roots
        .iter()
        .map(|buf| Interval { bytes: bytes(lowered, *buf), first: lives.first[*buf], last: lives.last[*buf] })
        .collect();
    let (offsets, arena) = assign(&intervals);
    let mut places: IdMap<BufId, PlacedAt> = IdMap::filled(lowered.bufs.len(), PlacedAt::Nowhere);
    for (buf, offset) in roots.iter().zip(&offsets) {
        places[*buf] = PlacedAt::Arena(*offset);
    }
    let mut memory =
        MemoryPlan { arena, largest: largest(lowered, &roots, &intervals), ..MemoryPlan::default() };
    let mut result_places = vec![ResultPlace::Fresh; results];
    for (buf, info) in lowered.bufs.iter() {
        match info.kind {
            Kind::Input(param) => {
                places[buf] = PlacedAt::Input(param);
                memory.inputs += info.bytes;
            }
            Kind::Constant(index) => {
                places[buf] = PlacedAt::Constant(index);
                memory.constants += info.bytes;
            }
            Kind::Result(result) => match lives.kind[lives.root(buf)] {
                Kind::Input(param) => result_places[result] = ResultPlace::Donated { param },
                _ => {
                    places[lives.root(buf)] = PlacedAt::Result(result);
                    memory.outputs += info.bytes;
                }
            },
            Kind::Arena | Kind::Alias(_) => {}
        }
    }
    for buf in lowered.bufs.keys() {
        places[buf] = places[lives.root(buf)];
    }
    // Parameters and results live all the time.
    for (buf, info) in lowered.bufs.iter() {
        let stays = matches!(places[buf], PlacedAt::Input(_) | PlacedAt::Result(_));
        if stays && !matches!(info.kind, Kind::Arena) && lives.root(buf) == buf {
            memory.largest.push((info.name.clone(), info.bytes));
        }
    }
    memory.largest.arrange_by_key(|(_, bytes)| std::cmp::Reverse(*bytes));
    memory.largest.truncate(12);
    Finished { places, results: result_places, memory }
}

/// The largest buffers that are alive when most is.
fn largest(lowered: &Lowered, roots: &[BufId], intervals: &[Interval]) -> Vec<(String, usize)> {
    let mut change = vec![0i64; lowered.steps.len() + 2];
    for interval in intervals {
        change[interval.first.min(lowered.steps.len())] += interval.bytes as i64;
        change[interval.last.min(lowered.steps.len()) + 1] -= interval.bytes as i64;
    }
    let (mut live, mut most, mut fullest) = (0, 0, 0);
    for (at, change) in change.iter().enumerate() {
        live += change;
        if live > most {
            (most, fullest) = (live, at);
        }
    }
    let mut alive: Vec<(usize, BufId)> = intervals
        .iter()
        .zip(roots)
        .filter(|(interval, _)| interval.first <= fullest && fullest <= interval.last)
        .map(|(interval, buf)| (interval.bytes, *buf))
        .collect();
    alive.arrange_by_key(|(bytes, buf)| (std::cmp::Reverse(*bytes), buf.index()));
    let named = |(bytes, buf): &(usize, BufId)| (info(lowered, *buf).name.clone(), *bytes);
    alive.iter().take(12).map(named).collect()
}

fn info(lowered: &Lowered, buf: BufId) -> &BufInfo {
    &lowered.bufs[buf]
}
