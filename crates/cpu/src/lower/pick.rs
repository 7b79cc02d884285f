//! Elementwise values of which few elements are taken: computed at these places only.
//!
//! ```text
//! gather(sub(%x, broadcast(%m)), %i)        =>        sub(gather(%x, %i), gather(broadcast(%m), %i))
//! ```
//!
//! The value itself is then stored only if something else reads all of it.

use super::fuse::What;
use super::{Lower, Val, Where};
use meshwright_ir::DType;
use meshwright_kernels::fused::Source;
use meshwright_kernels::tile::TileOp;
use meshwright_kernels::view::View;
use meshwright_runtime::RunError;
use std::collections::BTreeMap;

/// Nodes of a value that is computed at some places only.
const MAX_NODES: usize = 16;

/// Takes the wanted elements of one value.
type Pick<'p, 'm> = &'p mut dyn FnMut(&mut Lower<'m>, &Val) -> Result<Val, RunError>;

impl<'m> Lower<'m> {
    /// The value at the picked places, which are of shape `dims`; `None` if it is not made of a few ops.
    pub fn picked(&mut self, val: &Val, dims: &[usize], pick: Pick<'_, 'm>) -> Result<Option<Val>, RunError> {
        let Where::Tile { group, node, .. } = val.at else { return Ok(None) };
        let (nodes, chain) = self.chain_of(group, node);
        if chain.len() > MAX_NODES {
            return Ok(None);
        }
        let chain: Vec<_> = chain.into_iter().map(|at| (at, nodes[at].clone())).collect();
        let mut made: BTreeMap<usize, Val> = BTreeMap::new();
        // First all operands are seen in the shape of the value: nothing is emitted if one cannot be.
        for (at, node) in &chain {
            let What::Input(source) = &node.what else { continue };
            let Some(operand) = operand(source, val) else { return Ok(None) };
            made.insert(*at, Val { dtype: node.dtype, dims: val.dims.clone(), at: operand });
        }
        for operand in made.values_mut() {
            *operand = match operand.at {
                Where::Splat(_) => Val { dims: dims.to_vec(), ..operand.clone() },
                _ => pick(self, operand)?,
            };
        }
        let mut last = None;
        for (at, node) in chain {
            let What::Op(op, _) = node.what else { continue };
            let sources = op.sources();
            let operands = sources.iter().filter_map(|reg| made.get(&usize::from(*reg)).cloned());
            let operands: Vec<Val> = operands.collect();
            let operands: Vec<&Val> = operands.iter().collect();
            let target = op.target();
            let result = self.elementwise(node.dtype, dims, &operands, &|to, regs| {
                let place = |reg| sources.iter().position(|source| *source == reg);
                let name = |reg| place(reg).and_then(|place| regs.get(place)).copied().unwrap_or(to);
                op.renamed(&|reg| if reg == target { to } else { name(reg) })
            })?;
            made.insert(at, result.clone());
            last = Some(result);
        }
        Ok(last)
    }
}

impl<'m> Lower<'m> {
    /// What a value of `f32` was before it was widened, if it is nothing else.
    pub fn before_widening(&self, val: &Val) -> Option<Val> {
        let Where::Tile { group, node, .. } = val.at else { return None };
        let (nodes, chain) = self.chain_of(group, node);
        let [from, to] = chain[..] else { return None };
        let widens = TileOp::Convert { from: DType::BF16, to_ty: DType::F32, to: 0, a: 0 };
        match (&nodes[from].what, &nodes[to].what) {
            (What::Input(source), What::Op(op, _)) if op.renamed(&|_| 0) == widens => {
                Some(Val { dtype: DType::BF16, dims: val.dims.clone(), at: operand(source, val)? })
            }
            _ => None,
        }
    }
}

/// An operand of a loop over `val`, seen in its shape.
fn operand(source: &Source, val: &Val) -> Option<Where> {
    match source {
        Source::Splat(element) => Some(Where::Splat(*element)),
        Source::View { buf, dims, strides, offset } => {
            let view = View { dims: dims.clone(), strides: strides.clone(), offset: *offset };
            Some(Where::Buf { buf: *buf, view: view.reshape(&val.dims)? })
        }
        Source::Iota { .. } => None,
    }
}
