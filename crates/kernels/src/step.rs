//! The steps of a compiled program: what each touches, and the kernel it runs.

use crate::{
    arg, bands, convolution, copy, cumulate, dot, feed, fourier, fused, gather, linalg, plain, reduce, rng,
    sampled, scalar_loop, scatter, sort, sparse, tiled, window,
};
use meshwright_base::Id;
use meshwright_runtime::{RunError, SiteId, Workers};
use meshwright_steps::{Access, Mode};

pub use meshwright_steps::{BufId, Counter, Effects};

/// Addresses of all buffers on one device.
#[derive(Clone)]
pub struct Bases(pub Vec<*mut u8>);

// SAFETY: pieces of a step write disjoint places of buffers that live as long as the launch.
unsafe impl Send for Bases {}
// SAFETY: as above.
unsafe impl Sync for Bases {}

impl Bases {
    #[inline]
    pub fn at(&self, buf: BufId) -> *mut u8 {
        self.0[meshwright_base::Id::index(buf)]
    }

    pub fn put(&mut self, buf: BufId, at: *mut u8) {
        self.0[meshwright_base::Id::index(buf)] = at;
    }

    /// The first so many bytes of a buffer, which must have them, while nobody writes it.
    #[inline]
    pub fn bytes(&self, buf: BufId, count: usize) -> &[u8] {
        // SAFETY: buffers live as long as the launch; what is read is what the plan says of the buffer.
        unsafe { std::slice::from_raw_parts(self.at(buf), count) }
    }

    /// A `pred` of no dims.
    #[inline]
    pub fn truth(&self, buf: BufId) -> bool {
        // SAFETY: as above, one byte.
        unsafe { *self.at(buf) != 0 }
    }

    /// An `s32` of no dims.
    #[inline]
    pub fn number(&self, buf: BufId) -> i32 {
        // SAFETY: as above; buffers begin at multiples of 4 at least.
        unsafe { *self.at(buf).cast::<i32>() }
    }
}

/// A place that pieces of a step share: each writes its own part.
#[derive(Clone, Copy)]
pub(crate) struct At(pub(crate) *mut u8);

// SAFETY: pieces write disjoint places.
unsafe impl Send for At {}
// SAFETY: as above.
unsafe impl Sync for At {}

impl At {
    /// As a whole, so that a closure takes the place and not the bare pointer.
    pub(crate) fn ptr(self) -> *mut u8 {
        self.0
    }
}

#[derive(Clone, Debug)]
pub enum Step {
    Fused(fused::Fused),
    Band(bands::BandStep),
    Copy(copy::Copy),
    Alias(copy::Alias),
    Fill(copy::Fill),
    Dot(dot::DotStep),
    Tiled(tiled::TiledStep),
    Sparse(sparse::SparseStep),
    Sampled(sampled::SampledStep),
    Cumulate(cumulate::CumulateStep),
    Convolution(convolution::ConvolutionStep),
    Reduce(reduce::ReduceStep),
    Arg(arg::ArgStep),
    Window(window::WindowStep),
    SelectScatter(window::scatter::SelectScatterStep),
    Gather(gather::GatherStep),
    Scatter(scatter::ScatterStep),
    Sort(sort::SortStep),
    TopK(sort::TopKStep),
    Fourier(fourier::FourierStep),
    Cholesky(linalg::CholeskyStep),
    Solve(linalg::SolveStep),
    Random(rng::RandomStep),
    Plain(plain::PlainStep),
    Feed(feed::FeedStep),
    ScalarLoop(scalar_loop::ScalarLoopStep),
    /// The number of the device, divided and then wrapped, as u32.
    DeviceNumber {
        to: BufId,
        over: u32,
        wrap: u32,
    },
    /// Begins the life of a buffer that is written piece by piece.
    Touch {
        to: BufId,
    },
    Join {
        site: SiteId,
        operands: Vec<BufId>,
        results: Vec<BufId>,
    },
    /// The value of `from` is called `to` from here on, in the same bytes: nothing is done.
    Rename {
        from: BufId,
        to: BufId,
    },
    /// A place held for a loop that is still open.
    Nothing,
}

impl Effects for Step {
    fn accesses(&self) -> Vec<Access> {
        match self {
            Step::Fused(step) => step.accesses(),
            Step::Band(step) => step.accesses(),
            Step::Copy(step) => step.accesses(),
            Step::Alias(step) => step.accesses(),
            Step::Fill(step) => step.accesses(),
            Step::Dot(step) => step.accesses(),
            Step::Tiled(step) => step.accesses(),
            Step::Sparse(step) => whole([step.mask.buf, step.rows.buf], [step.to.buf]),
            Step::Sampled(step) => whole(step.reads(), [step.to]),
            Step::Cumulate(step) => whole([step.from], [step.to]),
            Step::Convolution(step) => step.accesses(),
            Step::Reduce(step) => whole(step.reads(), step.outputs.iter().copied()),
            Step::Arg(step) => whole([step.from], [step.to]),
            Step::Window(step) => whole([step.from.0], [step.to]),
            Step::SelectScatter(step) => whole([step.from, step.source], [step.to]),
            Step::Gather(step) => whole([step.operand, step.indices], [step.to]),
            Step::Scatter(step) => step.accesses(),
            Step::Sort(step) => whole(step.inputs.iter().copied(), step.outputs.iter().copied()),
            Step::TopK(step) => whole([step.input], [step.values, step.places]),
            Step::Fourier(step) => whole([step.from], [step.to]),
            Step::Cholesky(step) => whole([step.from], [step.to]),
            Step::Solve(step) => whole([step.a, step.b], [step.to]),
            Step::Random(step) => whole([step.state], [step.new_state, step.bits]),
            Step::Plain(step) => {
                let buf = |(buf, _): &(BufId, _)| *buf;
                whole(step.operands.iter().map(buf), step.results.iter().map(buf))
            }
            Step::Feed(step) => whole(step.reads(), step.writes()),
            Step::ScalarLoop(step) => step.accesses(),
            Step::DeviceNumber { to, .. } | Step::Touch { to } => whole([], [*to]),
            Step::Join { operands, results, .. } => whole(operands.iter().copied(), results.iter().copied()),
            Step::Rename { from, to } => whole([*from], [*to]),
            Step::Nothing => Vec::new(),
        }
    }

    fn has_effect(&self) -> bool {
        matches!(self, Step::Join { .. } | Step::Feed(_))
    }

    /// The family it is counted under.
    fn kind(&self) -> &'static str {
        match self {
            Step::Fused(_) => "fused",
            Step::Band(band) if band.products().next().is_some() => "band",
            Step::Band(_) => "rows",
            Step::Copy(_) => "copy",
            Step::Fill(_) => "fill",
            Step::Dot(_) | Step::Tiled(_) => "dot",
            Step::Sparse(_) | Step::Sampled(_) => "sparse",
            Step::Convolution(_) => "convolution",
            Step::Reduce(_) | Step::Arg(_) | Step::Cumulate(_) => "reduce",
            Step::Window(_) | Step::SelectScatter(_) => "window",
            Step::Gather(_) => "gather",
            Step::Scatter(_) => "scatter",
            Step::Sort(_) => "sort",
            Step::TopK(_) => "top_k",
            Step::Fourier(_) => "fourier",
            Step::Cholesky(_) | Step::Solve(_) => "linalg",
            Step::Random(_) => "random",
            Step::Plain(_) => "plain",
            Step::Feed(_) => "feed",
            Step::ScalarLoop(_) => "scalar_loop",
            Step::Join { .. } => "collective",
            Step::DeviceNumber { .. } | Step::Touch { .. } | Step::Alias(_) => "other",
            Step::Rename { .. } | Step::Nothing => "other",
        }
    }

    fn word(&self) -> &'static str {
        match self {
            Step::Alias(_) => "part",
            Step::Touch { .. } => "begin",
            Step::Rename { .. } => "rename",
            Step::DeviceNumber { .. } => "device",
            other => other.kind(),
        }
    }

    fn detail(&self) -> String {
        let product = |dot: &dot::DotStep| {
            let batch: usize = dot.batch.iter().product();
            format!("{batch}x[{}x{}x{}]", dot.m, dot.k, dot.n)
        };
        match self {
            Step::Fused(fused) => format!("{} ops, {} tiles", fused.ops.len(), fused.regs.len()),
            Step::Band(band) => {
                format!("{} members, {} values in scratch", band.members.len(), band.locals.len())
            }
            Step::Dot(dot) => product(dot),
            Step::Tiled(tiled) => product(&tiled.dot),
            Step::ScalarLoop(step) => format!("{} ops", step.ops()),
            _ => String::new(),
        }
    }

    fn renames(&self) -> Option<(BufId, BufId)> {
        if let Step::Rename { from, to } = self { Some((*from, *to)) } else { None }
    }

    fn finds(&self) -> Option<BufId> {
        if let Step::Alias(alias) = self { Some(alias.to) } else { None }
    }

    fn may_share(&self, from: BufId, to: BufId) -> bool {
        match self {
            Step::Fused(fused) => fused.may_share(from, to),
            Step::Band(band) => band.may_share(from, to),
            _ => false,
        }
    }
}

/// A step that may touch all of these buffers.
fn whole(reads: impl IntoIterator<Item = BufId>, writes: impl IntoIterator<Item = BufId>) -> Vec<Access> {
    Access::reads(reads).chain(Access::writes(writes)).collect()
}

/// The buffers of accesses that do this.
pub(crate) fn touched(accesses: &[Access], mode: Mode) -> Vec<BufId> {
    accesses.iter().filter(|access| access.mode == mode).map(|access| access.region.buf).collect()
}

impl Step {
    /// The loops it runs.
    pub fn loops(&self) -> Vec<&fused::Fused> {
        match self {
            Step::Fused(fused) => vec![fused],
            Step::Band(band) => band.members.iter().filter_map(bands::Member::as_loop).collect(),
            _ => Vec::new(),
        }
    }

    pub fn loops_mut(&mut self) -> Vec<&mut fused::Fused> {
        match self {
            Step::Fused(fused) => vec![fused],
            Step::Band(band) => band.members.iter_mut().filter_map(bands::Member::as_loop_mut).collect(),
            _ => Vec::new(),
        }
    }

    /// Into how many pieces it is cut, which workers share; `None` where its parts are cut each in a way of its own.
    pub fn pieces(&self) -> Option<usize> {
        Some(match self {
            Step::Fused(step) => step.pieces(),
            Step::Band(step) => step.pieces(),
            Step::Copy(step) => step.pieces(),
            Step::Fill(step) => step.pieces(),
            Step::Dot(step) => step.pieces(),
            Step::Tiled(step) => step.pieces(),
            Step::Sparse(step) => step.pieces(),
            Step::Sampled(step) => step.pieces(),
            Step::Reduce(step) => step.pieces(),
            Step::Gather(step) => step.pieces(),
            Step::Scatter(step) => step.pieces(),
            Step::Random(step) => step.pieces(),
            Step::Cumulate(_)
            | Step::Convolution(_)
            | Step::Arg(_)
            | Step::Window(_)
            | Step::SelectScatter(_)
            | Step::Sort(_)
            | Step::TopK(_)
            | Step::Fourier(_)
            | Step::Cholesky(_)
            | Step::Solve(_) => return None,
            Step::Plain(_)
            | Step::Feed(_)
            | Step::ScalarLoop(_)
            | Step::DeviceNumber { .. }
            | Step::Touch { .. }
            | Step::Alias(_)
            | Step::Join { .. }
            | Step::Rename { .. }
            | Step::Nothing => 1,
        })
    }

    /// Bytes that each worker takes for as long as it works on a piece.
    pub fn scratch(&self) -> usize {
        match self {
            Step::Sort(step) => step.scratch(),
            Step::TopK(step) => step.scratch(),
            Step::Fourier(step) => step.scratch(),
            Step::Cholesky(step) => step.scratch(),
            Step::Solve(step) => step.scratch(),
            _ => 0,
        }
    }

    /// Run a step that is neither a collective nor a part. `draws`: how often `rng` ran before on the device.
    pub fn run(
        &self,
        bases: &Bases,
        counters: &[i64],
        (device, draws): (u32, u64),
        workers: &dyn Workers,
    ) -> Result<(), RunError> {
        match self {
            Step::Fused(step) => step.run(bases, workers),
            Step::Band(step) => step.run(bases, workers),
            Step::Copy(step) => step.run(bases, counters, workers),
            Step::Fill(step) => step.run(bases, workers),
            Step::Dot(step) => step.run(bases, workers),
            Step::Tiled(step) => step.run(bases, workers),
            Step::Sparse(step) => step.run(bases, workers),
            Step::Sampled(step) => step.run(bases, workers),
            Step::Cumulate(step) => step.run(bases, workers),
            Step::Convolution(step) => step.run(bases, workers),
            Step::Reduce(step) => step.run(bases, workers),
            Step::Arg(step) => step.run(bases, workers),
            Step::Window(step) => step.run(bases, workers),
            Step::SelectScatter(step) => step.run(bases, workers),
            Step::Gather(step) => step.run(bases, workers),
            Step::Scatter(step) => step.run(bases, workers),
            Step::Sort(step) => step.run(bases, workers),
            Step::TopK(step) => step.run(bases, workers),
            Step::Fourier(step) => step.run(bases, workers),
            Step::Cholesky(step) => step.run(bases, workers),
            Step::Solve(step) => step.run(bases, workers),
            Step::Random(step) => step.run(bases, workers),
            Step::Plain(step) => return step.run(bases, draws),
            Step::Feed(step) => return step.run(bases, Id::from_index(device as usize), workers),
            Step::ScalarLoop(step) => return step.run(bases, workers),
            // SAFETY: the buffer has four bytes.
            Step::DeviceNumber { to, over, wrap } => unsafe {
                bases.at(*to).cast::<u32>().write(device / over.max(&1) % wrap.max(&1));
            },
            Step::Touch { .. } | Step::Alias(_) | Step::Join { .. } | Step::Rename { .. } | Step::Nothing => {
            }
        }
        Ok(())
    }
}
