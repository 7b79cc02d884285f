//! What moves elements: reshapes, slices, pads, joins, lookups and scatters, orders.

use crate::gradients::check::In::{Apart, C, F, I};
use crate::gradients::check::{Row, row};
use meshwright::prelude::*;

const X: &[i64] = &[3, 4];

/// A function of one tensor of 3 by 4, behind a sine.
fn moved(name: &'static str, function: impl Fn(Tensor) -> Tensor + 'static) -> Row {
    row(name, &[F(X, -1.0, 1.0)], move |x| vec![function(x[0].sin())])
}

pub fn movement() -> Vec<Row> {
    vec![
        moved("broadcast a new leading dim", |x| x.broadcast_to([2, 3, 4])),
        moved("broadcast stretches a dim of one", |x| x.slice_dim(1, 1..2).broadcast_to([3, 5])),
        moved("broadcast into chosen dims", |x| x.broadcast_in_dim([3, 2, 4], vec![0, 2])),
        moved("broadcast into dims in another order", |x| x.broadcast_in_dim([4, 2, 3], vec![2, 0])),
        row("broadcast a scalar", &[F(&[], -1.0, 1.0)], |x| vec![x[0].sin().broadcast_to([2, 3])]),
        moved("reshape", |x| x.reshape([2, 6])),
        moved("flatten", Tensor::flatten),
        moved("squeeze and unsqueeze", |x| x.unsqueeze(1).squeeze(1)),
        moved("transpose", |x| x.reshape([3, 2, 2]).transpose([2, 0, 1])),
        moved("flip", |x| x.flip(1)),
        moved("flip both dims", |x| x.flip([0, 1])),
        moved("slice inside", |x| x.slice((1..3, 1..3))),
        moved("slice with a stride", |x| x.step_by(2, 1)),
        moved("slice with a stride that leaves a rest", |x| x.slice((.., 1..4)).step_by(2, 1)),
        moved("slice of one row", |x| x.slice((1,))),
        moved("pad", |x| x.pad([(1, 2), (0, 1)], 0.5)),
        moved("pad that crops", |x| x.pad([(-1, 1), (2, -2)], 0.5)),
        row("pad by a computed number", &[F(X, -1.0, 1.0), F(&[], -1.0, 1.0)], |x| {
            vec![x[0].sin().pad([(1, 0), (1, 1)], x[1].sin())]
        }),
        row("concat", &[F(&[2, 3], -1.0, 1.0), F(&[2, 1], -1.0, 1.0)], |x| {
            vec![concat([x[0].sin(), x[1], x[0]], 1)]
        }),
        row("stack", &[F(&[2, 3], -1.0, 1.0), F(&[2, 3], -1.0, 1.0)], |x| vec![stack([x[0].sin(), x[1]], 1)]),
        moved("roll", |x| x.roll(1, 1)),
        moved("repeat_dim", |x| x.repeat_dim(3, 0)),
        row("chunks used apart", &[F(&[6, 2], -1.0, 1.0)], |x| {
            let parts = x[0].sin().chunks(3, 0);
            vec![parts[0] * parts[2], parts[1]]
        }),
        row("concat of complex", &[C(&[2, 2], -1.0, 1.0)], |x| vec![concat([x[0].exp(), x[0]], 0).flip(0)]),
        row("dynamic slice", &[F(X, -1.0, 1.0), I(&[], &[1])], |x| {
            vec![x[0].sin().dynamic_slice([x[1], scalar(i32, 2)], [2, 2])]
        }),
        row("dynamic slice moved back inside", &[F(X, -1.0, 1.0), I(&[], &[7])], |x| {
            vec![x[0].sin().dynamic_slice([x[1], scalar(i32, -3)], [2, 2])]
        }),
        row("dynamic update", &[F(X, -1.0, 1.0), F(&[2, 2], -1.0, 1.0), I(&[], &[1])], |x| {
            vec![x[0].sin().dynamic_update(x[1].sin(), [x[2], scalar(i32, 1)])]
        }),
        row(
            "dynamic update moved back inside",
            &[F(X, -1.0, 1.0), F(&[2, 2], -1.0, 1.0), I(&[], &[9])],
            |x| vec![x[0].sin().dynamic_update(x[1].sin(), [x[2], scalar(i32, 1)])],
        ),
    ]
}

pub fn lookup() -> Vec<Row> {
    let table = F(&[5, 4], -1.0, 1.0);
    let rows_of = F(&[4, 3], 0.5, 1.5);
    let places = I(&[4], &[1, 0, 4, 1]);
    let apart = I(&[4], &[3, 0, 4, 1]);
    let beyond = I(&[4], &[2, -7, 4, 99]);
    let target = F(&[5, 3], 0.5, 1.5);
    vec![
        row("take rows", &[table, places], |x| vec![x[0].sin().take(x[1], 0)]),
        row("take columns", &[table, I(&[2, 2], &[3, 0, 0, 1])], |x| vec![x[0].sin().take(x[1], 1)]),
        row("take beyond the ends", &[table, beyond], |x| vec![x[0].sin().take(x[1], 0)]),
        row("take_along", &[table, I(&[5, 2], &[3, 3, 0, 1, 2, 1, 0, 0, 3, 2])], |x| {
            vec![x[0].sin().take_along(x[1], 1)]
        }),
        row("gather_nd of elements", &[table, I(&[3, 2], &[1, 1, 0, 2, 1, 1])], |x| {
            vec![x[0].sin().gather_nd(x[1])]
        }),
        row("gather_nd of rows", &[table, I(&[2, 1], &[4, 2])], |x| vec![x[0].sin().gather_nd(x[1])]),
        row("one-hot lookup", &[table, places], |x| vec![x[1].one_hot(5, f64).matmul(x[0].sin())]),
        row("scatter_add", &[target, places, rows_of], |x| vec![x[0].sin().scatter_add(x[1], x[2].sin())]),
        row("scatter_add beyond the ends", &[target, beyond, rows_of], |x| {
            vec![x[0].sin().scatter_add(x[1], x[2].sin())]
        }),
        row("scatter_set", &[target, apart, rows_of], |x| vec![x[0].sin().scatter_set(x[1], x[2].sin())]),
        row("scatter_set of rows named twice", &[target, places, rows_of], |x| {
            vec![x[0].sin().scatter_set(x[1], x[2].sin())]
        }),
        row("scatter_mul", &[target, apart, rows_of], |x| vec![x[0].scatter_mul(x[1], x[2])]),
        row("scatter_mul of rows named twice", &[target, places, rows_of], |x| {
            vec![x[0].scatter_mul(x[1], x[2])]
        }),
        row("scatter_max", &[Apart(&[5]), apart, F(&[4], -0.33, 0.31)], |x| {
            vec![x[0].scatter_max(x[1], x[2])]
        }),
        row("scatter_min", &[Apart(&[5]), places, Apart(&[4])], |x| {
            vec![x[0].scatter_min(x[1], x[2] * 1.31 + 0.017)]
        }),
        row("scatter_add_nd", &[target, I(&[3, 2], &[1, 1, 0, 2, 1, 1]), F(&[3], -1.0, 1.0)], |x| {
            vec![x[0].sin().scatter_add_nd(x[1], x[2].sin())]
        }),
    ]
}

pub fn order() -> Vec<Row> {
    let mixed = Apart(&[2, 6]);
    let any = F(&[3, 4], 0.5, 1.5);
    vec![
        row("sort", &[mixed], |x| vec![x[0].sort(1)]),
        row("sort along the first dim", &[mixed], |x| vec![x[0].sort(0)]),
        row("sort_by_key", &[mixed, F(&[2, 6], -1.0, 1.0)], |x| x[0].sort_by_key(&[x[1].sin()], 1)),
        row("by the places of a sort", &[mixed], |x| vec![x[0].sin().take_along(x[0].argsort(1), 1)]),
        row("top_k", &[mixed], |x| vec![x[0].top_k(3).0]),
        row("top_k with places", &[mixed], |x| {
            let (best, places) = x[0].top_k(2);
            vec![best, x[0].sin().take_along(places, 1)]
        }),
        row("argmax", &[mixed], |x| vec![x[0] * x[0].argmax(1).one_hot(6, f64)]),
        row("cumsum", &[any], |x| vec![x[0].sin().cumsum(1)]),
        row("cumsum along the first dim", &[any], |x| vec![x[0].sin().cumsum(0)]),
        row("cumprod", &[any], |x| vec![x[0].cumprod(1)]),
        row("cummax", &[mixed], |x| vec![x[0].cummax(1)]),
    ]
}
