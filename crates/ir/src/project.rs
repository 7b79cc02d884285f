//! From the axes of a tensor's dims to the axes of a rule's factors, and back.
//!
//! A dim that is a product of factors hands its axes to them major first: a factor takes axes until it is used up, and
//! an axis that is larger than what is left of it is cut. `[ij]` with i=4, j=6 over `x`=8 gives i `x:(1)4`, j `x:(4)2`.
//! If the first axis does not divide so (i=3 over 2), the major factor has them all, unevenly; a later one belongs to
//! no factor: the projection stops there.

use crate::rule::{DimFactors, FactorId, Rule};
use meshwright_base::IdMap;
use meshwright_shard::{AxisRef, DimSharding, Sharding};

/// Axes of every factor of a rule, major first.
pub type FactorAxes = IdMap<FactorId, Vec<AxisRef>>;

/// What one tensor's sharding says of the factors. Exact: whether every axis of every dim found its factor.
pub struct Projection {
    pub axes: FactorAxes,
    pub exact: bool,
}

/// Project a tensor's sharding onto the factors of its dims.
pub fn to_factors(rule: &Rule, dims: &[DimFactors], sharding: &Sharding) -> Projection {
    let mut axes = FactorAxes::filled(rule.factors.len(), Vec::new());
    let exact = dims
        .iter()
        .zip(&sharding.dims)
        .map(|(factors, dim)| split_dim(rule, factors, &dim.axes, &mut axes))
        .fold(true, |all, exact| all & exact);
    Projection { axes, exact: exact && dims.len() == sharding.dims.len() }
}

/// Hand the axes of one dim to its factors; whether all found a place.
fn split_dim(rule: &Rule, factors: &[FactorId], axes: &[AxisRef], out: &mut FactorAxes) -> bool {
    match factors {
        [] => axes.is_empty(),
        [only] => {
            out[*only] = axes.to_vec();
            true
        }
        _ => split_product(rule, factors, axes, out),
    }
}

fn split_product(rule: &Rule, factors: &[FactorId], axes: &[AxisRef], out: &mut FactorAxes) -> bool {
    let sizes: Vec<i64> = factors.iter().map(|factor| rule.factors[*factor].size).collect();
    split(&sizes, axes, Uneven::Major, |at, axes| out[factors[at]] = axes)
}

/// What becomes of axes of a product that do not divide one of its factors.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Uneven {
    /// They belong to the major-most factor if already the first of them does not divide it, else to none.
    Major,
    /// They belong to the major-most factor if no shard ends inside a row of the others, else to none.
    Rows,
}

/// Axes of each factor of a dim, given the dim's. `sizes` are the factors', major first; `put` gets (position, axes)
/// for those that have any. Whether all axes found a place.
pub fn split(
    sizes: &[i64],
    axes: &[AxisRef],
    uneven: Uneven,
    mut put: impl FnMut(usize, Vec<AxisRef>),
) -> bool {
    if axes.is_empty() {
        return true;
    }
    let has_all = match uneven {
        Uneven::Major => sizes.first().is_some_and(|size| is_uneven(*size, axes[0].size)),
        Uneven::Rows => ends_with_rows(tiles(axes), sizes),
    };
    if sizes.len() == 1 || has_all {
        put(0, axes.to_vec());
        return true;
    }
    let mut axes = axes.iter().copied();
    let mut rest = axes.next();
    for (at, size) in sizes.iter().enumerate() {
        let (taken, left) = take(*size, &mut rest, &mut axes);
        if !taken.is_empty() {
            put(at, taken);
        }
        if left > 1 && rest.is_some() {
            return false;
        }
    }
    rest.is_none()
}

/// Axes off the front of a list that divide a factor of this size, the last one cut where the factor ends; what is left
/// of the factor.
fn take(
    size: i64,
    rest: &mut Option<AxisRef>,
    axes: &mut impl Iterator<Item = AxisRef>,
) -> (Vec<AxisRef>, i64) {
    let (mut taken, mut left) = (Vec::new(), size);
    while let Some(axis) = *rest
        && left > 1
    {
        if left % axis.size == 0 {
            taken.push(axis);
            left /= axis.size;
            *rest = axes.next();
        } else if axis.size % left == 0 {
            taken.push(AxisRef { size: left, ..axis });
            *rest = Some(AxisRef { axis: axis.axis, pre: axis.pre * left, size: axis.size / left });
            left = 1;
        } else {
            break;
        }
    }
    (taken, left)
}

/// Whether a factor can neither be cut by an axis nor be a part of it.
fn is_uneven(size: i64, axis: i64) -> bool {
    size > 1 && size % axis != 0 && axis % size != 0
}

fn tiles(axes: &[AxisRef]) -> i64 {
    axes.iter().fold(1, |tiles, axis| tiles.saturating_mul(axis.size))
}

/// Whether cutting a product into so many tiles cuts its major-most factor alone.
pub fn ends_with_rows(tiles: i64, sizes: &[i64]) -> bool {
    let Some((major, minor)) = sizes.split_first() else { return false };
    let row = minor.iter().fold(1i64, |row, size| row.saturating_mul(*size));
    let shard = |size: i64| size.saturating_add(tiles - 1) / tiles.max(1);
    tiles <= *major && shard(major.saturating_mul(row)) == shard(*major).saturating_mul(row)
}

/// Axes of a dim, given those of its factors, major first. Stops where pieces would not be contiguous.
pub fn join<'a>(sizes: &[i64], axes: impl Fn(usize) -> &'a [AxisRef], uneven: Uneven) -> Vec<AxisRef> {
    let mut joined: Vec<AxisRef> = Vec::new();
    for (at, size) in sizes.iter().enumerate() {
        let tiles = tiles(axes(at));
        let is_even = sizes.len() == 1 || size % tiles == 0;
        if uneven == Uneven::Rows && !is_even && (at > 0 || !ends_with_rows(tiles, sizes)) {
            break;
        }
        axes(at).iter().for_each(|axis| push_joined(&mut joined, *axis));
        if tiles != *size {
            break;
        }
    }
    joined
}

/// The sharding of a tensor whose factors have these axes. Factors of a product after one that is not used up get
/// nothing: their pieces would not be contiguous.
pub fn from_factors(rule: &Rule, dims: &[DimFactors], axes: &FactorAxes, like: &Sharding) -> Sharding {
    let dims = dims.iter().map(|factors| DimSharding::closed(join_dim(rule, factors, axes))).collect();
    Sharding { dims, replicated: Vec::new(), partial: Vec::new(), ..like.clone() }
}

/// Axes of one dim from its factors.
pub fn join_dim(rule: &Rule, factors: &[FactorId], axes: &FactorAxes) -> Vec<AxisRef> {
    if let [only] = factors
        && axes[*only].len() <= 1
    {
        return axes[*only].clone();
    }
    let sizes: Vec<i64> = factors.iter().map(|factor| rule.factors[*factor].size).collect();
    join(&sizes, |at| &axes[factors[at]], Uneven::Major)
}

/// Append an axis, joined with the last one if it continues it.
pub fn push_joined(axes: &mut Vec<AxisRef>, axis: AxisRef) {
    match axes.last_mut() {
        Some(last) if last.axis == axis.axis && last.pre * last.size == axis.pre => last.size *= axis.size,
        _ => axes.push(axis),
    }
}

/// Whether a tensor's dims can carry exactly these factor axes: no factor of a product is split while one before it is
/// not used up, and all factors of products but the major one divide evenly.
pub fn fits(rule: &Rule, dims: &[DimFactors], axes: &FactorAxes) -> bool {
    dims.iter().filter(|factors| factors.len() > 1).all(|factors| {
        let mut used_up = true;
        factors.iter().enumerate().all(|(at, factor)| {
            let tiles: i64 = axes[*factor].iter().map(|axis| axis.size).product();
            let size = rule.factors[*factor].size;
            let is_uneven_major =
                at == 0 && axes[*factor].first().is_some_and(|axis| is_uneven(size, axis.size));
            let fits = (tiles == 1 || used_up) && (size % tiles == 0 || is_uneven_major);
            used_up &= tiles == size;
            fits
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rule::{FactorKind, OperandIdx, ResultIdx};
    use meshwright_base::Id;
    use meshwright_shard::{AxisId, MeshId};

    fn axis(axis: usize, pre: i64, size: i64) -> AxisRef {
        AxisRef { axis: AxisId::from_index(axis), pre, size }
    }

    fn split_of(axes: &[AxisRef], sizes: &[i64], uneven: Uneven) -> (Vec<Vec<AxisRef>>, bool) {
        let mut out = vec![Vec::new(); sizes.len()];
        let exact = split(sizes, axes, uneven, |at, axes| out[at] = axes);
        (out, exact)
    }

    #[test]
    fn axes_that_end_with_rows_belong_to_the_major_factor_if_that_is_wanted() {
        let x = axis(0, 1, 4);
        assert_eq!(split_of(&[x], &[7, 2], Uneven::Rows), (vec![vec![x], vec![]], true));
        assert_eq!(split_of(&[x], &[7, 2], Uneven::Major), (vec![vec![x], vec![]], true));
        let y = axis(0, 1, 2);
        assert_eq!(
            split_of(&[y], &[3, 4], Uneven::Rows),
            (vec![vec![], vec![]], false),
            "a row of 4 would be cut"
        );
    }

    #[test]
    fn a_minor_factor_follows_only_one_that_is_used_up() {
        let (x, y) = ([axis(0, 1, 4)], [axis(1, 1, 2)]);
        let of = |sizes: &[i64]| join(sizes, |at| [&x[..], &y[..]][at], Uneven::Rows);
        assert_eq!(of(&[4, 6]), [x[0], y[0]]);
        assert_eq!(of(&[8, 6]), x);
    }

    #[test]
    fn an_axis_is_cut_between_the_factors_of_a_product() {
        let mut rule = Rule::of_ranks([1], [2]);
        let (i, j) = (rule.factor(4, FactorKind::Pass), rule.factor(6, FactorKind::Pass));
        rule.place(i, [OperandIdx(0).dim(0), ResultIdx(0).dim(0)]);
        rule.place(j, [OperandIdx(0).dim(0), ResultIdx(0).dim(1)]);
        let x = AxisRef { axis: AxisId::from_index(0), pre: 1, size: 8 };
        let mut sharding = Sharding::replicated(MeshId::from_index(0), 1);
        sharding.dims[0] = DimSharding::closed(vec![x]);
        let projection = to_factors(&rule, &rule.operands[0], &sharding);
        assert!(projection.exact);
        assert_eq!(projection.axes[i], [AxisRef { size: 4, ..x }]);
        assert_eq!(projection.axes[j], [AxisRef { pre: 4, size: 2, ..x }]);
        assert!(fits(&rule, &rule.operands[0], &projection.axes));
        let result =
            from_factors(&rule, &rule.results[0], &projection.axes, &Sharding::replicated(sharding.mesh, 2));
        assert_eq!(result.tiles(), [4, 2]);
        assert_eq!(join_dim(&rule, &rule.operands[0][0], &projection.axes), [x], "and joined again");
    }
}
