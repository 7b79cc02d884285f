//! Where the stages of a pipeline lie: wherever completion puts them, or by hand along a mesh axis (GSPMD 3.4).
//!
//! ```text
//! anywhere:      buffer = roll(buffer, 1)                                     the compiler makes it a permute
//! by hand:       buffer = concat(permute(buffer[last]), buffer[..last])       of the stages of one place
//! ```

use crate::codes;
use crate::mesh::{AxisAt, Cut, Mesh};
use crate::ops::create::iota;
use crate::ops::join::concat;
use crate::state::Line;
use crate::tensor::{Tensor, report};
use meshwright_base::Diagnostic;
use meshwright_ir::DType;

/// The places of a mesh axis, each with as many stages.
#[derive(Clone, Copy)]
pub(super) struct Places<'a> {
    mesh: &'a Mesh,
    axis: &'a str,
    count: i64,
}

impl<'a> Places<'a> {
    /// Reports an axis that the mesh does not have, and stages that do not divide.
    pub(super) fn along(mesh: &'a Mesh, axis: &'a str, stages: i64, line: Line) -> Option<Places<'a>> {
        let count = mesh.axis(&AxisAt::from(axis)).map(|axis| axis.size);
        let count = count.map_err(|diagnostic| report(line, diagnostic)).ok()?;
        if stages % count == 0 {
            return Some(Places { mesh, axis, count });
        }
        let message =
            format!("a pipeline of {stages} stages does not lie on the {count} places of mesh axis `{axis}`");
        let help = format!("make the stages a multiple of {count}, or the axis as long as there are stages");
        report(line, Diagnostic::error(codes::CONTROL, message).help(help));
        None
    }

    /// Cut along one dim by the axis; over other axes as completion likes.
    fn cuts(&self, x: Tensor, dim: usize) -> Vec<Cut> {
        let mut cuts = vec![Cut::Open; x.dims().len()];
        cuts[dim] = Cut::from(self.axis);
        cuts
    }

    /// What each stage has, at the next one; at the first what the last had.
    fn moved_on(&self, x: Tensor) -> Tensor {
        let own = x.dims()[0];
        let pairs: Vec<(i64, i64)> = (0..self.count).map(|at| (at, (at + 1) % self.count)).collect();
        let come = x.slice_dim(0, own - 1..).permute(self.mesh, &[self.axis], &pairs);
        if own == 1 { come } else { concat([come, x.slice_dim(0, ..own - 1)], 0) }
    }
}

#[derive(Clone, Copy)]
pub(super) enum Lies<'a> {
    Anywhere,
    On(Places<'a>),
}

impl Lies<'_> {
    /// Of a tensor with all stages along a dim, those that are here.
    pub(super) fn enter(self, x: Tensor, dim: usize) -> Tensor {
        match self {
            Lies::Anywhere => x,
            Lies::On(at) => x.auto_to_manual(at.mesh, &[at.axis], at.cuts(x, dim)),
        }
    }

    /// All stages again. What is whole has nothing of a stage in it: it is the same for each.
    pub(super) fn leave(self, x: Tensor, dim: usize) -> Tensor {
        match self {
            Lies::Anywhere => x,
            Lies::On(at) if x.local().is_none() => x.repeat_dim(at.count as usize, dim),
            Lies::On(at) => x.manual_to_auto(at.mesh, &[at.axis], at.cuts(x, dim)),
        }
    }

    /// Where in a tensor of the stages here the first of all is.
    pub(super) fn is_first(self, x: Tensor, numbers: Tensor) -> Tensor {
        match self {
            Lies::Anywhere => iota(DType::S32, x.dims(), 0).eq(0),
            Lies::On(_) => {
                let ones = vec![1; x.dims().len() - 1];
                numbers.eq(0).reshape([&numbers.dims()[..], &ones].concat()).broadcast_to(x.dims())
            }
        }
    }

    pub(super) fn moved_on(self, x: Tensor) -> Tensor {
        match self {
            Lies::Anywhere => x.roll(1, 0),
            Lies::On(at) => at.moved_on(x),
        }
    }
}
