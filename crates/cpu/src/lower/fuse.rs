//! Fused loops while they grow.
//!
//! Elementwise ops over as many elements join a group; two groups join when an op uses both. A group is closed when
//! something else needs one of its values; it then runs where its last op stood. That is sound because nothing in
//! between used it. Stores that nobody reads are dropped at the end, so every value of a group may be asked for.

use super::{Lower, Val, Where};
use crate::kernel::fused::{Fused, Input, Output, Sink, Source};
use crate::step::{BufId, Step};
use crate::tile::{Reg, TileOp};
use crate::view::View;
use meshwright_ir::DType;
use meshwright_ir::op::UnaryOp;
use meshwright_runtime::RunError;
use meshwright_shard::Reducer;

/// Ops of a group at most.
const MAX_NODES: usize = 160;
/// Operands of a group at most.
const MAX_INPUTS: usize = 40;

pub(crate) struct Group {
    pub count: usize,
    /// Values by number: operands and results of ops.
    pub nodes: Vec<Node>,
    /// The step where it runs.
    pub hole: usize,
    /// What it became part of: group and number of its first node there.
    pub joined: Option<(usize, usize)>,
    /// A reduction of its rows, before it is closed: node, reducer, initial value, row length and result.
    pub sink: Option<(usize, Reducer, f32, usize, BufId)>,
    /// Buffers of the nodes, once closed.
    pub closed: Option<Vec<Option<BufId>>>,
}

#[derive(Clone)]
pub(crate) struct Node {
    pub dtype: DType,
    pub what: What,
}

#[derive(Clone, PartialEq)]
pub(crate) enum What {
    Input(Source),
    /// Tiles are node numbers.
    Op(TileOp),
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
        self.groups[group].nodes.push(Node { dtype, what: What::Op(op) });
        self.steps[self.groups[group].hole] = Step::Nothing;
        self.groups[group].hole = self.push(Step::Nothing);
        Ok(Val { dtype, dims: dims.to_vec(), at: Where::Tile { group, node } })
    }

    /// The open group of the operands, joined into one where there are several; else a new one.
    fn group_for(&mut self, count: usize, operands: &[&Val]) -> usize {
        let mut found: Vec<usize> = operands.iter().filter_map(|val| self.open_group(val, count)).collect();
        found.sort_unstable();
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
        let Where::Tile { group, node } = val.at else { return None };
        let (group, _) = self.resolve(group, node);
        let info = &self.groups[group];
        (info.closed.is_none() && info.count == count).then_some(group)
    }

    fn new_group(&mut self, count: usize) -> usize {
        let hole = self.push(Step::Nothing);
        self.groups.push(Group { count, nodes: Vec::new(), hole, joined: None, sink: None, closed: None });
        self.open.push(self.groups.len() - 1);
        self.groups.len() - 1
    }

    fn join(&mut self, from: usize, into: usize) {
        let nodes = std::mem::take(&mut self.groups[from].nodes);
        let first = self.groups[into].nodes.len();
        let moved = nodes.into_iter().map(|node| Node {
            dtype: node.dtype,
            what: match node.what {
                What::Op(op) => What::Op(op.renamed(&|reg| reg + first as Reg)),
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
        if let Where::Tile { group: own, node } = val.at {
            let (own, node) = self.resolve(own, node);
            if own == group {
                return Ok(node);
            }
        }
        let source = self.source(val)?;
        let known = self.groups[group].nodes.iter().position(|node| {
            matches!(&node.what, What::Input(known) if *known == source) && node.dtype == val.dtype
        });
        if let Some(node) = known {
            return Ok(node);
        }
        self.groups[group].nodes.push(Node { dtype: val.dtype, what: What::Input(source) });
        Ok(self.groups[group].nodes.len() - 1)
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
                let View { dims, strides, offset } = view.collapsed();
                Ok(Source::View { buf, dims, strides, offset })
            }
        }
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
        let Where::Tile { group, node } = val.at else { return false };
        let (group, node) = self.resolve(group, node);
        let open =
            self.groups[group].closed.is_none() && matches!(self.groups[group].nodes[node].what, What::Op(_));
        if !self.fuse || !open || val.dtype != DType::F32 || row < 8 {
            return false;
        }
        self.groups[group].sink = Some((node, reducer, init, row, to));
        self.close(group);
        true
    }

    /// The buffer of a tile: closes its group.
    pub fn tile_buf(&mut self, group: usize, node: usize) -> BufId {
        let (group, node) = self.resolve(group, node);
        self.close(group);
        let bufs = self.groups[group].closed.as_ref();
        bufs.and_then(|bufs| bufs[node]).unwrap_or_else(|| unreachable!("tiles of values are results of ops"))
    }

    fn close(&mut self, group: usize) {
        if self.groups[group].closed.is_some() {
            return;
        }
        self.open.retain(|other| *other != group);
        let nodes = self.groups[group].nodes.clone();
        let count = self.groups[group].count;
        let sink = self.groups[group].sink.take();
        let mut fused = Fused {
            count,
            regs: Vec::new(),
            inputs: Vec::new(),
            ops: Vec::new(),
            outputs: Vec::new(),
            row: sink.map_or(count, |(_, _, _, row, _)| row),
            sinks: Vec::new(),
        };
        fused.sinks.extend(sink.map(|(node, reducer, init, _, buf)| Sink {
            reg: node as Reg,
            reducer,
            init,
            buf,
        }));
        let mut bufs = Vec::new();
        for (i, node) in nodes.into_iter().enumerate() {
            fused.regs.push(node.dtype);
            let reg = i as Reg;
            match node.what {
                What::Input(source) => {
                    fused.inputs.push(Input { reg, dtype: node.dtype, source });
                    bufs.push(None);
                }
                What::Op(op) => {
                    fused.ops.push(op);
                    let name = format!("fused {}[{count}]", node.dtype);
                    let bytes = count * node.dtype.bytes();
                    let buf = self.bufs.push(super::BufInfo { bytes, kind: super::Kind::Arena, name });
                    fused.outputs.push(Output { reg, dtype: node.dtype, buf, direct: false });
                    bufs.push(Some(buf));
                }
            }
        }
        let hole = self.groups[group].hole;
        if self.fuse {
            self.names[hole] = format!("fused of {} ops [{count}]", fused.ops.len());
        }
        self.steps[hole] = Step::Fused(fused);
        self.groups[group].closed = Some(bufs);
        self.groups[group].nodes = Vec::new();
    }

    /// Close everything: control flow follows.
    pub fn flush_all(&mut self) {
        for group in std::mem::take(&mut self.open) {
            self.close(group);
        }
    }
}

/// Whether reading the view in order jumps through memory: then it is better moved by blocks first.
fn is_scattered(view: &View) -> bool {
    let small = view.count() < 4096;
    let view = view.collapsed();
    let inner = view.strides.last().copied().unwrap_or(0);
    !small && !(-1..=1).contains(&inner)
}
