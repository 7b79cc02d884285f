//! Fused loops while they grow.
//!
//! Elementwise ops over as many elements join a group; two groups join when an op uses both. A group is closed when
//! something else needs one of its values; it then runs where its last op stood. That is sound because nothing in
//! between used it. Stores that nobody reads are dropped at the end, so every value of a group may be asked for.

use super::home::Home;
use super::{Lower, Val, Where};
use meshwright_base::arrange::Arrange;
use meshwright_ir::DType;
use meshwright_ir::op::UnaryOp;
use meshwright_kernels::fused::{Fused, Input, Output, Sink, Source};
use meshwright_kernels::step::{BufId, Step};
use meshwright_kernels::tile::{Reg, TileOp};
use meshwright_kernels::view::View;
use meshwright_runtime::RunError;
use meshwright_shard::Reducer;
use meshwright_steps::StepId;

/// Ops of a group at most.
const MAX_NODES: usize = 160;
/// Nodes that are computed again at most.
const MAX_AGAIN: usize = 16;
/// Operands of a group at most.
const MAX_INPUTS: usize = 40;

pub(crate) struct Group {
    pub count: usize,
    /// Values by number: operands and results of ops.
    pub nodes: Vec<Node>,
    /// The step where it runs.
    pub hole: StepId,
    /// What it became part of: group and number of its first node there.
    pub joined: Option<(usize, usize)>,
    /// A reduction of its rows, before it is closed: node, reducer, initial value, row length and result.
    pub sink: Option<(usize, Reducer, f32, usize, BufId)>,
    /// Whether it runs as it is. Its nodes are kept: they may be computed again elsewhere.
    pub closed: bool,
    /// Whether it was closed only so that its rows are reduced in its loop.
    pub sunk: bool,
}

#[derive(Clone)]
pub(crate) struct Node {
    pub dtype: DType,
    pub what: What,
    /// Where the result goes instead of a buffer of its own.
    pub home: Option<Home>,
}

#[derive(Clone, PartialEq)]
pub(crate) enum What {
    Input(Source),
    /// Tiles are node numbers; results go to the buffer if anybody reads it.
    Op(TileOp, BufId),
}

/// An op to be added: its tiles are filled in.
pub(crate) type Make<'a> = &'a dyn Fn(Reg, &[Reg]) -> TileOp;

impl Lower<'_> {
    /// The group a tile is in now, and its number there.
    fn resolve(&self, mut group: usize, mut node: usize) -> (usize, usize) {
        while let Some((into, first)) = self.groups[group].joined {
            (group, node) = (into, node + first);
        }
        (group, node)
    }

    /// Add an elementwise op over the operands, which all have as many elements as the result.
    pub fn elementwise(
        &mut self,
        dtype: DType,
        dims: &[usize],
        operands: &[&Val],
        make: Make<'_>,
    ) -> Result<Val, RunError> {
        let count = dims.iter().product();
        let group = self.group_for(count, operands);
        let mut regs = Vec::new();
        for operand in operands {
            regs.push(self.node_of(group, operand)? as Reg);
        }
        let node = self.groups[group].nodes.len();
        let op = make(node as Reg, &regs);
        let buf = self.tile_buf(dtype, count);
        self.groups[group].nodes.push(Node { dtype, what: What::Op(op, buf), home: None });
        self.steps[self.groups[group].hole].work = Step::Nothing;
        self.groups[group].hole = self.push(Step::Nothing);
        Ok(Val { dtype, dims: dims.to_vec(), at: Where::Tile { group, node, buf } })
    }

    /// A buffer for an op's result: not used unless something outside the loop reads it.
    fn tile_buf(&mut self, dtype: DType, count: usize) -> BufId {
        let (bytes, name) = (count * dtype.bytes(), format!("fused {dtype}[{count}]"));
        self.bufs.push(super::BufInfo { bytes, kind: super::Kind::Arena, name })
    }

    /// The open group of the operands, joined into one where there are several; else a new one.
    fn group_for(&mut self, count: usize, operands: &[&Val]) -> usize {
        let mut found: Vec<usize> = operands.iter().filter_map(|val| self.open_group(val, count)).collect();
        found.arrange();
        found.dedup();
        let full = |group: &Group| {
            let inputs = group.nodes.iter().filter(|node| matches!(node.what, What::Input(_))).count();
            group.nodes.len() > MAX_NODES || inputs > MAX_INPUTS
        };
        found.retain(|group| self.fuse && !full(&self.groups[*group]));
        let Some((first, others)) = found.split_first() else { return self.new_group(count) };
        for other in others {
            if self.groups[*first].nodes.len() + self.groups[*other].nodes.len() <= MAX_NODES {
                self.join(*other, *first);
            }
        }
        *first
    }

    fn open_group(&self, val: &Val, count: usize) -> Option<usize> {
        let Where::Tile { group, node, .. } = val.at else { return None };
        let (group, _) = self.resolve(group, node);
        let info = &self.groups[group];
        (!info.closed && info.count == count).then_some(group)
    }

    fn new_group(&mut self, count: usize) -> usize {
        let hole = self.push(Step::Nothing);
        let (nodes, joined, sink) = (Vec::new(), None, None);
        self.groups.push(Group { count, nodes, hole, joined, sink, closed: false, sunk: false });
        self.open.push(self.groups.len() - 1);
        self.groups.len() - 1
    }

    fn join(&mut self, from: usize, into: usize) {
        let nodes = std::mem::take(&mut self.groups[from].nodes);
        let first = self.groups[into].nodes.len();
        let moved = nodes.into_iter().map(|node| Node {
            dtype: node.dtype,
            home: node.home,
            what: match node.what {
                What::Op(op, buf) => What::Op(op.renamed(&|reg| reg + first as Reg), buf),
                input => input,
            },
        });
        self.groups[into].nodes.extend(moved);
        let hole = self.groups[from].hole.max(self.groups[into].hole);
        self.groups[into].hole = hole;
        self.groups[from].joined = Some((into, first));
        self.open.retain(|group| *group != from);
    }

    /// The number of a value in a group; added as an operand if it is not there.
    fn node_of(&mut self, group: usize, val: &Val) -> Result<usize, RunError> {
        if let Where::Tile { group: own, node, .. } = val.at {
            let (own, node) = self.resolve(own, node);
            if own == group {
                return Ok(node);
            }
            if let Some(node) = self.again(group, (own, node)) {
                return Ok(node);
            }
        }
        let source = self.source(val)?;
        Ok(self.input_of(group, val.dtype, source))
    }

    /// The number of an operand in a group.
    fn input_of(&mut self, group: usize, dtype: DType, source: Source) -> usize {
        let known = self.groups[group].nodes.iter().position(|node| {
            matches!(&node.what, What::Input(known) if *known == source) && node.dtype == dtype
        });
        if let Some(node) = known {
            return node;
        }
        self.groups[group].nodes.push(Node { dtype, what: What::Input(source), home: None });
        self.groups[group].nodes.len() - 1
    }

    /// A value whose loop ran only for a reduction is computed again where it is used, if that reads no more than the
    /// value itself: it need not be stored then.
    ///
    /// ```text
    /// loop: e = exp(x - m), s = sum(e), store e; loop: e / s    =>    loop: s = sum(exp(x - m)); loop: exp(x - m) / s
    /// ```
    fn again(&mut self, group: usize, (own, node): (usize, usize)) -> Option<usize> {
        let from = &self.groups[own];
        if !from.closed || !from.sunk || from.count != self.groups[group].count {
            return None;
        }
        let chain = chain(&from.nodes, node);
        let count = from.count;
        let cheap = chain.iter().all(|at| is_cheap(&from.nodes[*at]));
        let whole = chain.iter().filter(|at| is_whole(&from.nodes[**at], count)).count();
        if !cheap || whole > 1 || chain.len() > MAX_AGAIN || self.groups[group].nodes.len() > MAX_NODES {
            return None;
        }
        let mut named: Vec<(usize, usize)> = Vec::new();
        for at in chain {
            let Node { dtype, what, .. } = self.groups[own].nodes[at].clone();
            let new = match what {
                What::Input(source) => self.input_of(group, dtype, source),
                What::Op(op, _) => {
                    let buf = self.tile_buf(dtype, count);
                    let nodes = &mut self.groups[group].nodes;
                    let number = nodes.len();
                    let name = |reg: Reg| named.iter().find(|(old, _)| *old == reg as usize).map(|x| x.1);
                    let op = op.renamed(&|reg| name(reg).unwrap_or(number) as Reg);
                    nodes.push(Node { dtype, what: What::Op(op, buf), home: None });
                    number
                }
            };
            named.push((at, new));
        }
        named.last().map(|(_, new)| *new)
    }

    fn source(&mut self, val: &Val) -> Result<Source, RunError> {
        match &val.at {
            Where::Splat(element) => Ok(Source::Splat(*element)),
            Where::Iota { dim } => {
                let inner = val.dims[dim + 1..].iter().product::<usize>().max(1);
                Ok(Source::Iota { inner, size: val.dims[*dim].max(1) })
            }
            Where::Buf { .. } | Where::Tile { .. } | Where::Token => {
                let (mut buf, mut view) = self.view(val)?;
                if is_scattered(&view) {
                    buf = self.dense(val)?;
                    view = View::dense(&val.dims);
                }
                view = view.collapsed();
                if let Some(few) = repeats(&view) {
                    let Repeated { once, again } = few;
                    let dims = once.dims.clone();
                    let once = Val { dtype: val.dtype, dims, at: Where::Buf { buf, view: once } };
                    (buf, view) = (self.dense(&once)?, again.collapsed());
                }
                let View { dims, strides, offset } = view;
                Ok(Source::View { buf, dims, strides, offset })
            }
        }
    }

    /// Columns of a value whose loop is still open are summed up: what else is made of it is computed again, so that it
    /// need not be stored.
    pub fn is_summed(&mut self, val: &Val) {
        let Where::Tile { group, node, .. } = val.at else { return };
        let (group, _) = self.resolve(group, node);
        let open = !self.groups[group].closed;
        self.groups[group].sunk |= open && self.fuse;
    }

    /// The value as a tile of a group of its own.
    pub fn tile_copy(&mut self, val: &Val) -> Result<Val, RunError> {
        let dtype = val.dtype;
        self.elementwise(dtype, &val.dims, &[val], &|to, a| TileOp::Unary {
            op: UnaryOp::Copy,
            ty: dtype,
            to,
            a: a[0],
        })
    }

    /// Reduce rows of `row` elements of a value whose group is still open, within its loop; the group is closed.
    pub fn sink(&mut self, val: &Val, reducer: Reducer, init: f32, row: usize, to: BufId) -> bool {
        let Where::Tile { group, node, .. } = val.at else { return false };
        let (group, node) = self.resolve(group, node);
        let open = !self.groups[group].closed;
        if !self.fuse || !open || val.dtype != DType::F32 || row < 8 {
            return false;
        }
        self.groups[group].sink = Some((node, reducer, init, row, to));
        self.groups[group].sunk = true;
        self.close(group);
        true
    }

    /// Something needs the buffer of a tile: its loop runs, and where it stores the tile if not there.
    pub fn stored(&mut self, group: usize, node: usize) -> Option<Home> {
        let (group, node) = self.resolve(group, node);
        self.close(group);
        self.groups[group].nodes[node].home.clone()
    }

    /// Whether the value is a tile of an open loop that has a buffer of its own.
    pub fn is_homeless(&self, val: &Val) -> bool {
        let Where::Tile { group, node, .. } = val.at else { return false };
        let (group, node) = self.resolve(group, node);
        let node = &self.groups[group].nodes[node];
        !self.groups[group].closed && matches!(node.what, What::Op(..)) && node.home.is_none()
    }

    pub fn give_home(&mut self, val: &Val, home: Home) {
        let Where::Tile { group, node, .. } = val.at else { return };
        let (group, node) = self.resolve(group, node);
        self.groups[group].nodes[node].home = Some(home);
    }

    /// The nodes of a tile's group as they are now, the tile's number there, and the nodes it is made of, ascending.
    pub fn chain_of(&self, group: usize, node: usize) -> (&[Node], Vec<usize>) {
        let (group, node) = self.resolve(group, node);
        let nodes = &self.groups[group].nodes;
        (nodes, chain(nodes, node))
    }

    fn close(&mut self, group: usize) {
        if self.groups[group].closed {
            return;
        }
        self.open.retain(|other| *other != group);
        let count = self.groups[group].count;
        let sink = self.groups[group].sink.take();
        let row = sink.map_or(1, |(_, _, _, row, _)| row);
        for node in &mut self.groups[group].nodes {
            // Rows are folded whole.
            node.home.take_if(|home| !home.runs.len.is_multiple_of(row));
        }
        let nodes = self.groups[group].nodes.clone();
        let mut fused = Fused {
            count,
            regs: Vec::new(),
            inputs: Vec::new(),
            ops: Vec::new(),
            outputs: Vec::new(),
            row: sink.map_or(count, |(_, _, _, row, _)| row),
            sinks: Vec::new(),
            code: None,
        };
        fused.sinks.extend(sink.map(|(node, reducer, init, _, buf)| Sink {
            reg: node as Reg,
            reducer,
            init,
            buf,
        }));
        for (i, node) in nodes.into_iter().enumerate() {
            fused.regs.push(node.dtype);
            let reg = i as Reg;
            match node.what {
                What::Input(source) => {
                    fused.inputs.push(Input { reg, dtype: node.dtype, source });
                }
                What::Op(op, buf) => {
                    fused.ops.push(op);
                    let (buf, runs) = node.home.map_or((buf, None), |home| (home.buf, Some(home.runs)));
                    fused.outputs.push(Output { reg, dtype: node.dtype, buf, runs, alone: false });
                }
            }
        }
        let hole = self.groups[group].hole;
        if self.fuse {
            self.steps[hole].name = format!("fused of {} ops [{count}]", fused.ops.len());
        }
        self.steps[hole].work = Step::Fused(fused);
        self.groups[group].closed = true;
    }

    /// Close everything: control flow follows.
    pub fn flush_all(&mut self) {
        for group in std::mem::take(&mut self.open) {
            self.close(group);
        }
    }
}

/// A node and all it is made of, in an order in which they can be computed.
fn chain(nodes: &[Node], node: usize) -> Vec<usize> {
    let mut found: Vec<usize> = Vec::new();
    let mut open = vec![node];
    while let Some(at) = open.pop() {
        if found.contains(&at) {
            continue;
        }
        found.push(at);
        if let What::Op(op, _) = &nodes[at].what {
            open.extend(op.sources().into_iter().map(usize::from));
        }
    }
    // Operands are numbered before what uses them.
    found.arrange();
    found
}

/// Whether computing an op again costs less than writing its result and reading it.
fn is_cheap(node: &Node) -> bool {
    match &node.what {
        What::Input(_) => true,
        What::Op(TileOp::Unary { op, ty, .. }, _) => {
            *ty == DType::F32
                && matches!(op, UnaryOp::Negate | UnaryOp::Abs | UnaryOp::Square | UnaryOp::Exponential)
        }
        What::Op(TileOp::Binary { op, ty, .. }, _) => {
            use meshwright_ir::op::BinaryOp as B;
            let plain =
                matches!(op, B::Add | B::Subtract | B::Multiply | B::Divide | B::Maximum | B::Minimum);
            *ty == DType::F32 && plain
        }
        What::Op(TileOp::Compare { ty, total, .. }, _) => matches!(ty, DType::F32 | DType::S32) && !total,
        What::Op(TileOp::Select { ty, .. }, _) => *ty == DType::F32,
        What::Op(TileOp::Convert { from, to_ty, .. }, _) => {
            matches!((from, to_ty), (DType::BF16 | DType::Pred, DType::F32))
        }
        What::Op(TileOp::Bitcast { .. } | TileOp::Precision { .. } | TileOp::Splat { .. }, _) => false,
    }
}

/// Whether a node reads an element of memory for each of its own.
fn is_whole(node: &Node, count: usize) -> bool {
    let What::Input(Source::View { dims, strides, .. }) = &node.what else { return false };
    let apart = dims.iter().zip(strides).filter(|(_, stride)| **stride != 0);
    apart.map(|(size, _)| size).product::<usize>() * 4 > count
}

/// A view that has the same few elements again and again.
struct Repeated {
    /// Them, as often as it takes to make a row.
    once: View,
    /// The whole, of these rows lying one after another.
    again: View,
}

/// Elements of rows that loops go by, at least.
const ROW: usize = 64;
/// Elements of a view for each one that is moved, at least, and of the smallest view of which any is.
const REPEATS: usize = 4;
const FEWEST: usize = 1 << 12;

/// Whether a view of short runs repeats itself: it is better written out until it has rows, and these repeated.
///
/// ```text
/// a b c a b c a b c ..        =>        rows  a b c .. a b c  (64 or more), one of them again and again
/// ```
fn repeats(view: &View) -> Option<Repeated> {
    let View { dims, strides, offset } = view;
    let (last, inner) = dims.split_last()?;
    if *last >= ROW || view.count() < FEWEST {
        return None;
    }
    let at = strides[..inner.len()].iter().rposition(|stride| *stride == 0)?;
    let within: usize = dims[at + 1..].iter().product();
    let times = (1..=dims[at]).find(|n| dims[at].is_multiple_of(*n) && n * within >= ROW)?;
    if dims[at] / times < REPEATS {
        return None;
    }
    let around = |middle: &[usize], behind: &[usize]| [&dims[..at], middle, behind].concat();
    let once = View {
        dims: around(&[times], &dims[at + 1..]),
        strides: [&strides[..at], &[0], &strides[at + 1..]].concat(),
        offset: *offset,
    };
    let row = times * within;
    let mut again = View::dense(&around(&[1], &[row]));
    again.dims[at] = dims[at] / times;
    again.strides[at] = 0;
    Some(Repeated { once, again })
}

/// Whether reading the view in order jumps through memory: then it is better moved by blocks first.
fn is_scattered(view: &View) -> bool {
    let small = view.count() < 4096;
    let view = view.collapsed();
    let inner = view.strides.last().copied().unwrap_or(0);
    !small && !(-1..=1).contains(&inner)
}
