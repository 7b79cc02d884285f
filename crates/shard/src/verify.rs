//! What must hold of a sharding over its mesh. This is the specification; everything else in the crate relies on it.
//!
//! 1. Every axis exists, and every piece of one divides it: `pre * size` divides the axis, both at least 1.
//! 2. No part of an axis is used twice, be it by two dims or as partial, manual or replicated. Size-1 axes are exempt.
//! 3. Pieces of one axis line up: each starts at a multiple of where the one before ends, so what lies between two
//!    pieces is a piece too.
//! 4. There is one entry per dim of the value.

use crate::codes;
use crate::mesh::{AxisRef, Mesh};
use crate::sharding::Sharding;
use meshwright_base::arrange::Arrange;
use meshwright_base::{Diagnostic, Id};
use std::fmt;

/// What a sharding uses an axis for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Role {
    Dim(usize),
    Replicated,
    Partial,
    Manual,
}

impl fmt::Display for Role {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Role::Dim(dim) => write!(f, "dim {dim}"),
            Role::Replicated => f.write_str("its replicated axes"),
            Role::Partial => f.write_str("its partial axes"),
            Role::Manual => f.write_str("its manual axes"),
        }
    }
}

impl Sharding {
    /// Everything wrong with this sharding of a value of this shape. Empty: it can be used.
    pub fn verify(&self, mesh: &Mesh, shape: &[i64]) -> Vec<Diagnostic> {
        let mut found = self.verify_axes(mesh);
        if shape.len() != self.rank() {
            found.push(rank_mismatch(self.rank(), shape.len()));
        }
        found
    }

    /// The part of [`Sharding::verify`] that needs no shape.
    pub fn verify_axes(&self, mesh: &Mesh) -> Vec<Diagnostic> {
        let uses: Vec<_> = self.uses().collect();
        let found: Vec<_> = uses.iter().filter_map(|(_, axis)| check_piece(mesh, *axis)).collect();
        if found.is_empty() { check_together(mesh, uses) } else { found }
    }

    fn uses(&self) -> impl Iterator<Item = (Role, AxisRef)> {
        let dims = self.dims.iter().enumerate().map(|(dim, split)| (Role::Dim(dim), &*split.axes));
        let rest = [
            (Role::Replicated, &*self.replicated),
            (Role::Partial, &*self.partial),
            (Role::Manual, &*self.manual),
        ];
        dims.chain(rest).flat_map(|(role, axes)| axes.iter().map(move |axis| (role, *axis)))
    }
}

pub(crate) fn rank_mismatch(sharding: usize, value: usize) -> Diagnostic {
    Diagnostic::error(codes::RANK, format!("a sharding of {sharding} dims on a value of {value} dims"))
        .help(format!("write one entry per dim of the value, {value} in all"))
}

/// What is wrong with one axis or piece of one.
pub(crate) fn check_piece(mesh: &Mesh, piece: AxisRef) -> Option<Diagnostic> {
    let Some(axis) = mesh.axes.get(piece.axis) else {
        let message = format!("mesh `{}` has no axis number {}", mesh.name, piece.axis.index());
        return Some(Diagnostic::error(codes::UNKNOWN_AXIS, message).help(axes_help(mesh)));
    };
    let (AxisRef { pre, size, .. }, name, full) = (piece, &axis.name, axis.size);
    let divides = pre >= 1 && size >= 1 && pre.checked_mul(size).is_some_and(|end| full % end == 0);
    if divides {
        return None;
    }
    let message = format!("`{name}`:({pre}){size} is no piece of axis `{name}` of size {full}");
    Some(
        Diagnostic::error(codes::SUB_AXIS, message)
            .help(format!("in (m)k, m times k must divide the size of the axis, here {full}")),
    )
}

pub(crate) fn axes_help(mesh: &Mesh) -> String {
    format!("the axes of mesh `{}` are: {}", mesh.name, mesh.axis_names())
}

/// Rules 2 and 3, for pieces that are each sound.
fn check_together(mesh: &Mesh, mut uses: Vec<(Role, AxisRef)>) -> Vec<Diagnostic> {
    uses.retain(|(_, piece)| piece.size > 1);
    uses.arrange_by_key(|(_, piece)| *piece);
    uses.windows(2).filter_map(|pair| check_neighbours(mesh, pair[0], pair[1])).collect()
}

fn check_neighbours(mesh: &Mesh, first: (Role, AxisRef), second: (Role, AxisRef)) -> Option<Diagnostic> {
    let ((role, a), (other, b)) = (first, second);
    if a.lines_up(b) {
        return None;
    }
    let name = piece_name(mesh, b);
    if !a.overlaps(b) {
        let message = format!("{} in {role} and {name} in {other} do not line up", piece_name(mesh, a));
        return Some(Diagnostic::error(codes::SUB_AXIS, message).help(format!(
            "start the second at a multiple of {}, where the first ends, not at {}",
            a.end(),
            b.pre
        )));
    }
    let message = if role == other {
        format!("axis {name} is used twice by {role}")
    } else {
        format!("axis {name} is used by {role} and by {other}")
    };
    Some(
        Diagnostic::error(codes::AXIS_TWICE, message).help(format!("drop {name} from one of the two places")),
    )
}

fn piece_name(mesh: &Mesh, piece: AxisRef) -> String {
    let axis = &mesh.axes[piece.axis];
    if piece == mesh.whole(piece.axis) {
        format!("`{}`", axis.name)
    } else {
        format!("`{}`:({}){}", axis.name, piece.pre, piece.size)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{piece, tiled};

    fn messages(dims: &[&[AxisRef]], shape: &[i64]) -> Vec<String> {
        let mesh = Mesh::new("m", [("x", 4), ("y", 12), ("one", 1)], None).unwrap();
        tiled(dims).verify(&mesh, shape).into_iter().map(|diagnostic| diagnostic.message).collect()
    }

    #[test]
    fn an_axis_used_twice_names_both_places() {
        let (x, y) = (piece(0, 1, 4), piece(1, 1, 12));
        assert_eq!(messages(&[&[x], &[y, x]], &[8, 8]), ["axis `x` is used by dim 0 and by dim 1"]);
        assert_eq!(messages(&[&[x, piece(0, 2, 2)]], &[8]), ["axis `x`:(2)2 is used twice by dim 0"]);
        assert!(messages(&[&[piece(0, 1, 2)], &[piece(0, 2, 2), y]], &[1, 1]).is_empty());
        assert!(messages(&[&[piece(2, 1, 1)], &[piece(2, 1, 1)]], &[1, 1]).is_empty());
    }

    #[test]
    fn pieces_must_divide_their_axis_and_line_up() {
        assert_eq!(messages(&[&[piece(0, 2, 4)]], &[8]), ["`x`:(2)4 is no piece of axis `x` of size 4"]);
        assert_eq!(messages(&[&[piece(0, 0, 2)]], &[8]), ["`x`:(0)2 is no piece of axis `x` of size 4"]);
        assert_eq!(messages(&[&[piece(7, 1, 2)]], &[8]), ["mesh `m` has no axis number 7"]);
        assert_eq!(
            messages(&[&[piece(1, 1, 2), piece(1, 3, 2)]], &[8]),
            ["`y`:(1)2 in dim 0 and `y`:(3)2 in dim 0 do not line up"]
        );
    }

    #[test]
    fn rank_must_match() {
        assert_eq!(messages(&[&[]], &[8, 8]), ["a sharding of 1 dims on a value of 2 dims"]);
    }
}
