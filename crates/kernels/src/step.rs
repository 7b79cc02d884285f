//! The steps of a compiled program: what each reads and writes, and the kernel it runs.

use crate::{
    arg, bands, convolution, copy, cumulate, dot, feed, fourier, fused, gather, linalg, plain, reduce, rng,
    sampled, scatter, sort, sparse, tiled, window,
};
use meshwright_base::Id;
use meshwright_runtime::{RunError, SiteId, Workers};

meshwright_base::define_id!(
    /// A buffer of the program.
    pub BufId, "buf"
);

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

/// A loop counter of a device.
pub type Counter = usize;

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
    /// Counters are numbered per program.
    SetCounter {
        counter: Counter,
        value: i64,
    },
    /// Go to `target` unless the counter is below `trips`.
    ExitLoop {
        counter: Counter,
        trips: i64,
        target: usize,
    },
    /// Count up and go to `target`.
    NextTrip {
        counter: Counter,
        target: usize,
    },
    Jump {
        target: usize,
    },
    /// Go to `target` if the pred is false.
    JumpUnless {
        pred: BufId,
        target: usize,
    },
    /// Go to the target of the index; out of range is the last.
    Switch {
        index: BufId,
        targets: Vec<usize>,
    },
    Nothing,
}

impl Step {
    pub fn reads(&self) -> Vec<BufId> {
        match self {
            Step::Fused(step) => step.reads(),
            Step::Band(step) => step.reads(),
            Step::Copy(step) => step.reads(),
            Step::Alias(step) => step.reads(),
            Step::Dot(step) => vec![step.lhs.buf, step.rhs.buf],
            Step::Tiled(step) => step.reads(),
            Step::Sparse(step) => vec![step.mask.buf, step.rows.buf],
            Step::Sampled(step) => step.reads(),
            Step::Cumulate(step) => vec![step.from],
            Step::Convolution(step) => vec![step.input.0, step.kernel.0],
            Step::Reduce(step) => step.reads(),
            Step::Arg(step) => vec![step.from],
            Step::Window(step) => vec![step.from.0],
            Step::SelectScatter(step) => step.reads(),
            Step::Gather(step) => vec![step.operand, step.indices],
            Step::Scatter(step) => step.reads(),
            Step::Sort(step) => step.inputs.clone(),
            Step::TopK(step) => vec![step.input],
            Step::Fourier(step) => vec![step.from],
            Step::Cholesky(step) => vec![step.from],
            Step::Solve(step) => vec![step.a, step.b],
            Step::Random(step) => vec![step.state],
            Step::Plain(step) => step.operands.iter().map(|(buf, _)| *buf).collect(),
            Step::Feed(step) => step.reads(),
            Step::Join { operands, .. } => operands.clone(),
            Step::JumpUnless { pred, .. } => vec![*pred],
            Step::Switch { index, .. } => vec![*index],
            Step::Fill(_) | Step::DeviceNumber { .. } | Step::Touch { .. } | Step::SetCounter { .. } => {
                Vec::new()
            }
            Step::ExitLoop { .. } | Step::NextTrip { .. } | Step::Jump { .. } | Step::Nothing => Vec::new(),
        }
    }

    pub fn writes(&self) -> Vec<BufId> {
        match self {
            Step::Fused(step) => step.writes(),
            Step::Band(step) => step.writes(),
            Step::Copy(step) => vec![step.to],
            Step::Alias(step) => vec![step.to],
            Step::Fill(step) => vec![step.to],
            Step::Dot(step) => vec![step.to.buf],
            Step::Tiled(step) => step.writes(),
            Step::Sparse(step) => vec![step.to.buf],
            Step::Sampled(step) => vec![step.to],
            Step::Cumulate(step) => vec![step.to],
            Step::Convolution(step) => vec![step.to],
            Step::Reduce(step) => step.outputs.clone(),
            Step::Arg(step) => vec![step.to],
            Step::Window(step) => vec![step.to],
            Step::SelectScatter(step) => vec![step.to],
            Step::Gather(step) => vec![step.to],
            Step::Scatter(step) => step.targets.clone(),
            Step::Sort(step) => step.outputs.clone(),
            Step::TopK(step) => vec![step.values, step.places],
            Step::Fourier(step) => vec![step.to],
            Step::Cholesky(step) => vec![step.to],
            Step::Solve(step) => vec![step.to],
            Step::Random(step) => vec![step.new_state, step.bits],
            Step::Plain(step) => step.results.iter().map(|(buf, _)| *buf).collect(),
            Step::Feed(step) => step.writes(),
            Step::DeviceNumber { to, .. } | Step::Touch { to } => vec![*to],
            Step::Join { results, .. } => results.clone(),
            Step::SetCounter { .. }
            | Step::ExitLoop { .. }
            | Step::NextTrip { .. }
            | Step::Jump { .. }
            | Step::JumpUnless { .. }
            | Step::Switch { .. }
            | Step::Nothing => Vec::new(),
        }
    }

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

    /// Whether the step must run even if nobody reads what it writes.
    pub fn has_effect(&self) -> bool {
        matches!(
            self,
            Step::Join { .. }
                | Step::Feed(_)
                | Step::SetCounter { .. }
                | Step::ExitLoop { .. }
                | Step::NextTrip { .. }
                | Step::Jump { .. }
                | Step::JumpUnless { .. }
                | Step::Switch { .. }
        )
    }

    /// Jump targets, to be changed when steps move.
    pub fn targets_mut(&mut self) -> Vec<&mut usize> {
        match self {
            Step::ExitLoop { target, .. }
            | Step::NextTrip { target, .. }
            | Step::Jump { target }
            | Step::JumpUnless { target, .. } => vec![target],
            Step::Switch { targets, .. } => targets.iter_mut().collect(),
            _ => Vec::new(),
        }
    }

    /// The family it is counted under.
    pub fn kind(&self) -> &'static str {
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
            Step::Join { .. } => "collective",
            Step::DeviceNumber { .. } | Step::Touch { .. } | Step::Alias(_) => "other",
            Step::SetCounter { .. } | Step::ExitLoop { .. } | Step::NextTrip { .. } => "control",
            Step::Jump { .. } | Step::JumpUnless { .. } | Step::Switch { .. } | Step::Nothing => "control",
        }
    }

    /// Run a step that is neither control, a collective nor a part. `draws`: how often `rng` ran before on the device.
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
            // SAFETY: the buffer has four bytes.
            Step::DeviceNumber { to, over, wrap } => unsafe {
                bases.at(*to).cast::<u32>().write(device / over.max(&1) % wrap.max(&1));
            },
            Step::Touch { .. }
            | Step::Alias(_)
            | Step::Join { .. }
            | Step::SetCounter { .. }
            | Step::ExitLoop { .. }
            | Step::NextTrip { .. }
            | Step::Jump { .. }
            | Step::JumpUnless { .. }
            | Step::Switch { .. }
            | Step::Nothing => {}
        }
        Ok(())
    }
}
