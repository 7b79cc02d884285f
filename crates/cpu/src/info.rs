//! What plans and traces are told of the steps: each by name, family and sizes, and the order they run in.
//!
//! Sizes are read off the steps as they run, so that whoever prices them sees what is done, not what the module said.

use crate::lower::Lowered;
use meshwright_base::IdMap;
use meshwright_ir::DType;
use meshwright_ir::op::Effort;
use meshwright_jit::TileOp;
use meshwright_kernels::bands::Work;
use meshwright_kernels::compiled::LoopCode;
use meshwright_kernels::copy::Copy;
use meshwright_kernels::cumulate::By;
use meshwright_kernels::dot::DotStep;
use meshwright_kernels::fused::{Fused, PIECE, Source};
use meshwright_kernels::gather::Windows;
use meshwright_kernels::step::{BufId, Effects, Step};
use meshwright_kernels::tile::{Held, TILE};
use meshwright_kernels::tiled::TiledStep;
use meshwright_runtime::{
    LoopSize, ProductSize, RunSize, Site, SiteId, StepInfo, StepOrder, StepWork, TileWork, Touched,
};
use meshwright_steps::{Access, Body, BufInfo, Extent, Item, PlacedAt, Point, StepId, Test};
use std::collections::BTreeMap;

/// What is said of each place of the line.
pub(crate) fn infos(lowered: &Lowered) -> Vec<StepInfo> {
    let Lowered { steps, sites, .. } = lowered;
    let starts = starts(lowered);
    let one = |(point, name): (Point<StepId>, String)| match point {
        Point::Step(id) => {
            let mut info = info(steps.work(id), name, &steps.bufs, sites);
            info.work.touched = places(steps.work(id), &steps.bufs, &starts);
            info
        }
        control => {
            let bytes = control.test().map_or(0, |buf| steps.bufs[buf].bytes as u64);
            StepInfo { name, kind: "control", bytes, work: StepWork::default() }
        }
    };
    steps.line().points.into_iter().zip(steps.names()).map(one).collect()
}

/// The order of the steps, by their places on the line.
pub(crate) fn order(lowered: &Lowered) -> Vec<StepOrder> {
    let points = lowered.steps.line().points;
    let placed = points.iter().enumerate().filter_map(|(at, point)| Some((*point.step()?, at)));
    in_order(&lowered.steps.body, &placed.collect())
}

fn in_order(body: &Body, places: &BTreeMap<StepId, usize>) -> Vec<StepOrder> {
    let one = |item: &Item| match item {
        Item::Step(id) => places.get(id).map(|at| StepOrder::Step(*at)),
        Item::Loop(turns) => {
            let body = in_order(&turns.body, places);
            Some(match &turns.test {
                Test::Trips { trips, .. } => StepOrder::Loop { trips: *trips, body },
                Test::While { head, .. } => StepOrder::While { head: in_order(head, places), body },
            })
        }
        Item::Branch(branch) => {
            Some(StepOrder::Branch(branch.arms.iter().map(|arm| in_order(arm, places)).collect()))
        }
    };
    body.iter().filter_map(one).collect()
}

fn info(step: &Step, name: String, bufs: &IdMap<BufId, BufInfo>, sites: &IdMap<SiteId, Site>) -> StepInfo {
    let bytes = match step {
        Step::Copy(copy) => 2 * moved(copy),
        Step::Alias(_) | Step::Rename { .. } => 0,
        Step::Gather(step) => {
            bufs[step.indices].bytes as u64 + 2 * looked_up(&step.windows, step.width).total()
        }
        _ => touched(step, bufs),
    };
    let work = StepWork { pieces: step.pieces().map(|pieces| pieces as u64), ..work(step) };
    let name = match step {
        Step::Dot(_) | Step::Tiled(_) => {
            work.products.first().map_or(name.clone(), |size| format!("{name} = {size}"))
        }
        Step::Sparse(step) => format!("{name} = sparse {}x{}", step.masked(), step.n),
        Step::Sampled(step) => format!("{name} = sampled {}x{}", work.masked, step.depth),
        _ => name,
    };
    let kind = match step {
        Step::Join { site, .. } => sites[*site].kind_name(),
        other => other.kind(),
    };
    StepInfo { name, kind, bytes, work }
}

/// Where each buffer begins, if all that a device holds lay one after the other.
fn starts(lowered: &Lowered) -> IdMap<BufId, u64> {
    let bufs = &lowered.steps.bufs;
    let mut next = lowered.placed.memory.arena as u64;
    let mut own: BTreeMap<(u8, usize), u64> = BTreeMap::new();
    let mut starts = IdMap::filled(bufs.len(), 0);
    for (buf, info) in bufs.iter() {
        let place = match lowered.placed.places.get(buf).copied().unwrap_or(PlacedAt::Nowhere) {
            PlacedAt::Arena(offset) => {
                starts[buf] = offset as u64;
                continue;
            }
            PlacedAt::Input(at) => (0, at),
            PlacedAt::Result(at) => (1, at),
            PlacedAt::Constant(at) => (2, at),
            PlacedAt::Nowhere => continue,
        };
        starts[buf] = *own.entry(place).or_insert_with(|| {
            next += info.bytes as u64;
            next - info.bytes as u64
        });
    }
    starts
}

/// The places that a step reads or writes, each once.
fn places(step: &Step, bufs: &IdMap<BufId, BufInfo>, starts: &IdMap<BufId, u64>) -> Vec<Touched> {
    if matches!(step, Step::Alias(_) | Step::Rename { .. }) {
        return Vec::new();
    }
    // Of what is somewhere in a buffer.
    let some = match step {
        Step::Gather(step) => Some(looked_up(&step.windows, step.width).total()),
        Step::Copy(copy) => Some(moved(copy)),
        _ => None,
    };
    let mut places: Vec<Touched> = Vec::new();
    for access in step.accesses() {
        let all = bufs[access.region.buf].bytes as u64;
        let (start, bytes) = match &access.region.extent {
            Extent::Strided(strided) => (strided.offset.max(0) as u64, (strided.bytes() as u64).min(all)),
            Extent::All => (0, all),
            Extent::Somewhere => (0, some.map_or(all, |bytes| bytes.min(all))),
        };
        let place = Touched { start: starts[access.region.buf] + start, bytes };
        if bytes > 0 && !places.contains(&place) {
            places.push(place);
        }
    }
    places
}

/// Bytes of all places that a step reads or writes; what it reads several times counts once.
fn touched(step: &Step, bufs: &IdMap<BufId, BufInfo>) -> u64 {
    let mut seen: Vec<Access> = Vec::new();
    let mut bytes = 0;
    for access in step.accesses() {
        if seen.contains(&access) {
            continue;
        }
        let all = bufs[access.region.buf].bytes;
        bytes += match &access.region.extent {
            Extent::Strided(strided) => strided.bytes().min(all),
            Extent::All | Extent::Somewhere => all,
        } as u64;
        seen.push(access);
    }
    bytes
}

fn moved(copy: &Copy) -> u64 {
    (copy.dims.iter().product::<usize>() * copy.width) as u64
}

fn work(step: &Step) -> StepWork {
    let none = StepWork::default();
    match step {
        Step::Dot(dot) | Step::Tiled(TiledStep { dot, .. }) => {
            StepWork { products: vec![product(dot)], ..none }
        }
        Step::Band(band) => {
            let (rows, streams) = (band.cut.rows as u64, band.staggered.is_some());
            let one = |fused| LoopSize { rows, ..loop_size(fused, streams) };
            let sums = band.members.iter().filter(|member| matches!(member.work, Work::Columns(_)));
            let sums = sums.map(|member| folded(&[], member.flops(band.cut.rows), member.per_row));
            StepWork {
                products: band.products().map(|product| self::product(product.dot())).collect(),
                loops: step.loops().into_iter().map(one).chain(sums).collect(),
                ..none
            }
        }
        Step::Fused(fused) => StepWork { loops: vec![loop_size(fused, false)], ..none },
        Step::Convolution(step) => {
            let places: usize = step.spatial.iter().map(|dim| dim.output).product();
            let window: usize = step.spatial.iter().map(|dim| dim.window).product();
            let size = ProductSize {
                batch: step.groups as u64,
                rows: (step.batch.0 * places) as u64,
                depth: (step.inner.0 * window) as u64,
                columns: step.outer.0 as u64,
                dtype: DType::F32,
                is_turned: false,
            };
            StepWork { products: vec![size], ..none }
        }
        Step::Reduce(step) => {
            let rows: usize = step.kept.iter().product();
            let elements = rows * step.reduced.iter().product::<usize>();
            let size = folded(&step.ops, elements, rows);
            let turns = step.turns();
            let (calls, tiles) = (turns.unwrap_or(1) as u64, turns.map(|_| TileWork::default()));
            // It reads one array and writes another.
            StepWork { loops: vec![LoopSize { calls, arrays: 2, tiles, ..size }], ..none }
        }
        Step::Arg(step) => {
            let rows: usize = step.kept.iter().product();
            StepWork { loops: vec![folded(&[], rows * step.n, rows)], ..none }
        }
        Step::Cumulate(step) => {
            let rows = step.outer * step.inner;
            let ops: &[TileOp] = match &step.by {
                By::Program { ops, .. } => ops,
                By::Fold(_) => &[],
            };
            StepWork { loops: vec![folded(ops, rows * step.n, rows)], ..none }
        }
        Step::Window(step) => {
            let rows: usize = step.dims.iter().map(|dim| dim.output).product();
            let seen: usize = step.dims.iter().map(|dim| dim.window).product();
            StepWork { loops: vec![folded(&[], rows * seen, rows)], ..none }
        }
        Step::Sparse(step) => {
            let count = step.runs_apart();
            let bytes = (step.masked() * step.mask.dtype.bytes()).checked_div(count).unwrap_or(0);
            let runs = RunSize { count: count as u64, bytes: bytes as u64 };
            StepWork { masked: step.masked() as u64, runs, ..none }
        }
        Step::Sampled(step) => StepWork { masked: step.dims.iter().product::<usize>() as u64, ..none },
        Step::Random(step) => StepWork { drawn: step.dims.iter().product::<usize>() as u64, ..none },
        Step::Copy(copy) => StepWork { runs: runs(copy), ..none },
        Step::Gather(step) => StepWork { runs: looked_up(&step.windows, step.width), ..none },
        Step::Scatter(step) => StepWork {
            runs: looked_up(&step.windows, step.dtypes.iter().map(|dtype| dtype.bytes()).sum()),
            ..none
        },
        Step::Join { site, .. } => StepWork { site: Some(*site), ..none },
        _ => none,
    }
}

fn product(dot: &DotStep) -> ProductSize {
    let batch: usize = dot.batch.iter().product();
    ProductSize {
        batch: batch as u64,
        rows: dot.m as u64,
        depth: dot.k as u64,
        columns: dot.n as u64,
        dtype: dot.dtype,
        is_turned: dot.n > 1 && dot.rhs.column != 1,
    }
}

/// A loop; `streams`: no operand of it is collected.
fn loop_size(fused: &Fused, streams: bool) -> LoopSize {
    let rows = if fused.sinks.is_empty() { 0 } else { fused.count.checked_div(fused.row).unwrap_or(0) };
    let mut size = ops_of(&fused.ops, fused.count, rows);
    size.steps += fused.sinks.len() as u64;
    let code = fused.code.as_ref();
    let span = code.map_or(TILE, |code| if streams { PIECE } else { code.span(fused) });
    size.calls = fused.count.div_ceil(span) as u64;
    size.arrays = fused.inputs.iter().filter(|input| matches!(input.source, Source::View { .. })).count()
        as u64
        + fused.outputs.len() as u64;
    size.tiles = if streams { None } else { tile_work(fused) };
    size
}

fn tile_work(fused: &Fused) -> Option<TileWork> {
    let code = fused.code.as_ref();
    let mut work = TileWork::default();
    let mut any = code.is_none();
    for (_, input) in
        fused.inputs.iter().enumerate().filter(|(at, _)| code.is_none_or(|code| code.collects(*at)))
    {
        any = true;
        match &input.source {
            Source::View { dims, strides, .. } => {
                let is_run = matches!(strides.last(), Some(0 | 1));
                let together = dims.last().copied().filter(|_| is_run).unwrap_or(1).max(1);
                work.runs += (fused.count / together) as u64;
            }
            Source::Iota { inner, .. } if is_counted(*inner, input.dtype) => {
                work.counted += fused.count as u64
            }
            Source::Iota { .. } => {}
            Source::Splat(_) => {}
        }
    }
    if !fused.sinks.is_empty() && !code.is_some_and(LoopCode::folds) {
        any = true;
        work.folded = (fused.count * fused.sinks.len()) as u64;
    }
    any.then_some(work)
}

/// Whether numbers are put into a tile one by one: whole numbers that go up with each element are not.
fn is_counted(inner: usize, dtype: DType) -> bool {
    inner != 1 || Held::of(dtype) != Held::I32 || dtype.bytes() != 4
}

/// A loop that folds elements into rows by these ops, or by one if there are none.
fn folded(ops: &[TileOp], elements: usize, rows: usize) -> LoopSize {
    let size = ops_of(ops, elements, rows);
    LoopSize { steps: size.steps.max(1), ..size }
}

/// Constants are no work: they stay in registers.
fn ops_of(ops: &[TileOp], elements: usize, rows: usize) -> LoopSize {
    let mut size = LoopSize { elements: elements as u64, rows: rows as u64, ..LoopSize::default() };
    for op in ops {
        match effort(op) {
            Some(Effort::Step) => size.steps += 1,
            Some(Effort::Division) => size.divisions += 1,
            Some(Effort::Function) => size.functions += 1,
            None => {}
        }
    }
    size
}

fn effort(op: &TileOp) -> Option<Effort> {
    match op {
        TileOp::Unary { op, .. } => Some(op.effort()),
        TileOp::Binary { op, .. } => Some(op.effort()),
        TileOp::Compare { .. }
        | TileOp::Select { .. }
        | TileOp::Convert { .. }
        | TileOp::Bitcast { .. }
        | TileOp::Precision { .. } => Some(Effort::Step),
        TileOp::Splat { .. } => None,
    }
}

/// Windows that are looked up one by one.
fn looked_up(of: &Windows, width: usize) -> RunSize {
    let (count, elements): (usize, usize) = (of.batch.iter().product(), of.window.iter().product());
    RunSize { count: count as u64, bytes: (elements * width) as u64 }
}

/// Elements of a copy that lie together both where they come from and where they go, or are one element again and
/// again. What changes places with another dim is moved in blocks, whose rows are runs.
fn runs(copy: &Copy) -> RunSize {
    const BLOCK: usize = 8;
    let mut together = 1;
    let repeats = copy.source.last() == Some(&0);
    let dims = copy.dims.iter().zip(copy.source.iter().zip(&copy.target)).rev();
    for (size, (source, target)) in dims {
        let goes_on = *source == if repeats { 0 } else { together as isize };
        if !goes_on || *target != together as isize {
            break;
        }
        together *= size;
    }
    let exchanges = together == 1 && copy.target.last() == Some(&1) && copy.source.contains(&1);
    let together = if exchanges { BLOCK } else { together };
    let count = copy.dims.iter().product::<usize>().div_ceil(together.max(1));
    RunSize { count: count as u64, bytes: (together * copy.width) as u64 }
}
