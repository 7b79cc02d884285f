//! Which values of a band have no place in memory, and how its rows are cut so that those stay in a cache.

use super::members::Shape;
use crate::lower::{BufInfo, Kind};
use meshwright_base::IdMap;
use meshwright_base::arrange::Arrange;
use meshwright_ir::DType;
use meshwright_kernels::bands::{Along, Blocking, Local, Member, Product, SCRATCH, Work, fine, piece};
use meshwright_kernels::fused::Source;
use meshwright_kernels::gemm;
use meshwright_kernels::step::BufId;
use meshwright_runtime::{Interval, assign};
use std::collections::BTreeMap;

/// Bytes of a block's values between its products, about: a quarter of the second cache. Less in tests.
const BLOCK: usize = if cfg!(test) { 1 << 13 } else { 1 << 19 };
/// The same where the block must be as deep as products add before they put down a sum.
const DEEP: usize = if cfg!(test) { 1 << 16 } else { 1 << 20 };
/// The same where rows are so long that products would have too few of them.
const LONG: usize = if cfg!(test) { 1 << 13 } else { 7 << 18 };
/// Bytes of right operands that are packed once for all blocks of rows.
const PACKED: usize = 1 << 20;
/// Products from which on each is cut for one worker alone.
const MANY: usize = 8;
/// Rows that products should have at least, or all there are.
const LEAST: usize = if cfg!(test) { 14 } else { 56 };
/// Rows that products of `f32` take at once.
const STRIP: usize = 14;
/// From so many bytes on values pay that are not written to memory.
const PAYS: usize = if cfg!(test) { 1 } else { 2 << 20 };
/// Flops of the products for each such byte at most: products are a little slower block by block.
const FLOPS: usize = if cfg!(test) { usize::MAX } else { 224 };

/// A value that only the band uses.
#[derive(Clone, PartialEq, Debug)]
pub struct Wanted {
    pub buf: BufId,
    /// Bytes for so many rows.
    bytes: usize,
    rows: usize,
    /// The first and the last group of members that use it: neighbouring loops are one group.
    first: usize,
    last: usize,
    /// Whether it is a packed operand, which lives as long as its product is the same.
    packed: bool,
}

impl Wanted {
    /// Whether only one group of loops uses it.
    fn fine(&self) -> bool {
        !self.packed && self.first == self.last
    }
}

/// The group each member is in.
fn groups(members: &[Member]) -> Vec<usize> {
    let mut group = 0;
    let mut last = true;
    let one = |(at, member): (usize, &Member)| {
        let is_loop = member.as_loop().is_some();
        group += usize::from(at > 0 && !(is_loop && last));
        last = is_loop;
        group
    };
    members.iter().enumerate().map(one).collect()
}

/// Bytes for each row of what members make that other steps could use.
fn made(member: &Member) -> Vec<(BufId, usize)> {
    match &member.work {
        Work::Product(product, Along::Rows) => {
            vec![(product.dot().to.buf, member.per_row * product.dot().dtype.bytes())]
        }
        Work::Product(_, Along::Depth) | Work::Columns(_) => Vec::new(),
        Work::Loop(fused) => {
            let stored =
                fused.outputs.iter().map(|output| (output.buf, member.per_row * output.dtype.bytes()));
            stored.chain(fused.sinks.iter().map(|sink| (sink.buf, 4))).collect()
        }
    }
}

/// What only the band uses; `alone`: whether no step reads a value but so many members.
pub fn wanted(
    members: &[Member],
    span: usize,
    bufs: &IdMap<BufId, BufInfo>,
    alone: &dyn Fn(BufId, u32) -> bool,
) -> Vec<Wanted> {
    let groups = groups(members);
    let mut inside: BTreeMap<BufId, (u32, usize)> = BTreeMap::new();
    for (member, group) in members.iter().zip(&groups) {
        let mut reads = member.reads();
        reads.arrange();
        reads.dedup();
        for buf in reads {
            let known = inside.entry(buf).or_default();
            *known = (known.0 + 1, *group);
        }
    }
    let all = groups.last().copied().unwrap_or(0);
    let mut found: Vec<Wanted> = Vec::new();
    for (member, group) in members.iter().zip(&groups) {
        if let Some(product) = member.as_product() {
            found.extend(packed(product, span, bufs, all));
        }
        for (buf, bytes) in made(member) {
            let Some((reads, last)) = inside.get(&buf) else { continue };
            let local = bufs[buf].kind == Kind::Arena && alone(buf, *reads);
            if local && found.iter().all(|other| other.buf != buf) {
                let (first, last) = (*group, *last);
                found.push(Wanted { buf, bytes, rows: 1, first, last, packed: false });
            }
        }
    }
    found
}

fn packed(product: &Product, span: usize, bufs: &IdMap<BufId, BufInfo>, last: usize) -> Vec<Wanted> {
    let batches = product.dot().batch.iter().product::<usize>().max(1);
    product.packed().into_iter().map(|buf| packed_room(buf, bufs[buf].bytes / batches, span, last)).collect()
}

fn packed_room(buf: BufId, bytes: usize, span: usize, last: usize) -> Wanted {
    Wanted { buf, bytes, rows: span, first: 0, last, packed: true }
}

/// Let products of several blocks of rows with what was not made here pack it once.
pub fn pack_once(members: &mut [Member], shape: Shape, bufs: &mut IdMap<BufId, BufInfo>) -> Vec<Wanted> {
    let last = groups(members).last().copied().unwrap_or(0);
    let mut left = PACKED;
    let mut found = Vec::new();
    for member in members {
        let Work::Product(Product::Plain(dot, right), Along::Rows) = &mut member.work else { continue };
        let bytes = Some(()).filter(|()| dot.dtype == DType::F32).and_then(|()| dot.packed_bytes());
        let batches = (shape.rows / shape.span).max(1);
        let Some(bytes) = bytes.filter(|bytes| bytes / batches <= left) else { continue };
        left -= bytes / batches;
        let name = "packed operand".to_string();
        *right = Some(bufs.push(BufInfo { bytes, kind: Kind::Arena, name }));
        found.extend(right.iter().map(|right| packed_room(*right, bytes / batches, shape.span, last)));
    }
    found
}

/// Most bytes of a row that are alive at once, of what lives from one group to another.
fn bytes_per_row(wanted: &[Wanted]) -> usize {
    let coarse = || wanted.iter().filter(|value| !value.packed && !value.fine());
    let most = coarse().map(|value| value.last).max().unwrap_or(0);
    let alive = |at: usize| coarse().filter(move |value| value.first <= at && at <= value.last);
    (0..=most).map(|at| alive(at).map(|value| value.bytes).sum()).max().unwrap_or(0)
}

/// Whether a band with products is worth it: values that are not written to memory would leave the caches there, and
/// take longer to write and read than the products lose.
pub fn pays(shape: Shape, members: &[Member], wanted: &[Wanted]) -> bool {
    let coarse = wanted.iter().filter(|value| !value.packed && !value.fine());
    let bytes: usize = coarse.map(|value| value.bytes * shape.rows).sum();
    let flops: usize = members.iter().filter_map(Member::as_product).map(|one| one.dot().flops()).sum();
    shape.rows / shape.span >= MANY && bytes >= PAYS && flops / FLOPS <= bytes
}

/// How rows are cut; `None` if a block does not stay in the cache.
pub fn cut(shape: Shape, members: &[Member], wanted: &[Wanted]) -> Option<Blocking> {
    let Shape { rows, span, .. } = shape;
    let longest = members.iter().filter(|member| member.as_loop().is_some());
    let longest = longest.map(|member| member.per_row).max().unwrap_or(1);
    let fine = fine(longest);
    if let Some(row) = shape.row {
        return Some(Blocking { rows, span: rows, piece: piece(row), block: piece(row), fine });
    }
    let (per_row, batches) = (bytes_per_row(wanted), rows / span);
    if per_row == 0 {
        return None;
    }
    let grain = grain(members);
    if span * per_row <= BLOCK {
        let most = (BLOCK / (span * per_row)).min(batches / MANY).max(1);
        let block = most * span;
        return Some(Blocking { rows, span: rows, piece: block, block, fine });
    }
    let (block, least) = match grain {
        Grain::Deep => (gemm::DEPTH, gemm::DEPTH),
        Grain::Lines(lines) => (even(span, (BLOCK / per_row).max(LEAST), lines), LEAST),
        Grain::Whole => return None,
    };
    let most = if grain == Grain::Deep { DEEP } else { LONG };
    let fits = block >= least && block * per_row <= most;
    fits.then_some(Blocking { rows, span, piece: span, block, fine })
}

/// Of what rows of a block must be a multiple.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Grain {
    Lines(usize),
    /// Of what products add before they put down a sum.
    Deep,
    /// All rows of a product.
    Whole,
}

fn grain(members: &[Member]) -> Grain {
    let one = |member: &Member| match &member.work {
        Work::Loop(_) | Work::Columns(_) => Grain::Lines(1),
        Work::Product(Product::Plain(dot, _), Along::Depth) if dot.dtype == DType::F32 => Grain::Deep,
        Work::Product(_, Along::Depth) => Grain::Whole,
        Work::Product(Product::Plain(..), Along::Rows) => Grain::Lines(STRIP),
        Work::Product(Product::Tiled(_), Along::Rows) => Grain::Lines(meshwright_kernels::amx::LINES),
    };
    let coarser = |a: Grain, b: Grain| match (a, b) {
        (Grain::Whole, _) | (_, Grain::Whole) => Grain::Whole,
        (Grain::Deep, _) | (_, Grain::Deep) => Grain::Deep,
        (Grain::Lines(a), Grain::Lines(b)) => Grain::Lines(a.max(b)),
    };
    members.iter().map(one).fold(Grain::Lines(1), coarser)
}

/// At most so many rows, a multiple of the grain, so that blocks are about equal.
fn even(span: usize, most: usize, grain: usize) -> usize {
    let most = (most / grain * grain).max(grain);
    span.div_ceil(span.div_ceil(most)).next_multiple_of(grain).min(most)
}

/// The values that have a place in the scratch, the first ones that fit; `None` if packed operands do not.
pub fn locals(mut wanted: Vec<Wanted>, cut: Blocking) -> Option<Vec<Local>> {
    wanted.arrange_by_key(|value| !value.packed);
    loop {
        let intervals: Vec<Interval> = wanted
            .iter()
            .map(|value| Interval { bytes: room(value, cut), first: value.first, last: value.last })
            .collect();
        let (places, total) = assign(&intervals);
        if total <= SCRATCH {
            let local = |(value, at): (&Wanted, usize)| {
                let Wanted { buf, bytes, rows, .. } = *value;
                Local { buf, bytes, rows, at, fine: value.fine() }
            };
            return Some(wanted.iter().zip(places).map(local).collect());
        }
        if wanted.pop()?.packed {
            return None;
        }
    }
}

/// Bytes of a value in the scratch; one line more, so that values do not all fall on the same sets of the cache.
fn room(value: &Wanted, cut: Blocking) -> usize {
    let rows = if value.fine() { cut.fine } else { cut.block };
    (value.bytes * rows.div_ceil(value.rows)).next_multiple_of(64) + 64
}

/// A value that a loop makes of another one that dies there takes its place, element by element.
pub fn in_place(members: &mut [Member], wanted: &[Wanted]) {
    for at in 0..members.len() {
        while let Some((from, to)) = heir(members, at, wanted) {
            members.iter_mut().for_each(|member| member.rename(to, from));
        }
    }
}

/// A value that dies in a loop, and one that may have its place.
fn heir(members: &[Member], at: usize, wanted: &[Wanted]) -> Option<(BufId, BufId)> {
    let (before, rest) = members.split_at_checked(at)?;
    let (member, later) = rest.split_first()?;
    let fused = member.as_loop()?;
    let is_local = |buf: BufId| wanted.iter().any(|value| value.buf == buf && !value.packed);
    let dies = |buf: BufId, width: usize| {
        let made =
            before.iter().flat_map(made).any(|(own, bytes)| own == buf && bytes == member.per_row * width);
        let read = later.iter().any(|member| member.reads().contains(&buf));
        made && !read && fused.reads().iter().filter(|own| **own == buf).count() == 1
    };
    fused.inputs.iter().find_map(|input| {
        let Source::View { buf, dims, strides, offset: 0 } = &input.source else { return None };
        let whole = dims[..] == [fused.count] && strides[..] == [1] && is_local(*buf);
        let width = input.dtype.bytes();
        if !whole || !dies(*buf, width) || fused.writes().contains(buf) {
            return None;
        }
        let fits = |to: &BufId| is_local(*to) && before.iter().all(|member| !member.writes().contains(to));
        let mut outputs = fused.outputs.iter().filter(|output| output.dtype.bytes() == width);
        outputs.find(|output| fits(&output.buf)).map(|output| (*buf, output.buf))
    })
}
