//! Loops, branches, and whole pieces of a function: scan, while, cond, checkpoint, custom derivatives, annotations.

use crate::gradients::check::In::{F, I};
use crate::gradients::check::{Row, row};
use meshwright::prelude::*;

/// One layer of a small network.
fn layer(x: Tensor, w: Tensor) -> Tensor {
    x.matmul(w).tanh()
}

pub fn rows() -> Vec<Row> {
    let x = F(&[2, 3], -1.0, 1.0);
    let ws = F(&[4, 3, 3], -1.0, 1.0);
    let w = F(&[3, 3], -1.0, 1.0);
    vec![
        row("scan over weights", &[x, ws], |x| {
            let (last, all) = scan(x[0], x[1], |x, w| {
                let x = layer(x, w);
                (x, x.square().sum(..))
            });
            vec![last, all]
        }),
        row("scan in reverse", &[x, ws], |x| {
            let (last, all) = scan_reverse(x[0], x[1], |x, w| (layer(x, w), x));
            vec![last, all]
        }),
        row("scan that uses a value from outside", &[x, w, F(&[5], -1.0, 1.0)], |x| {
            let w = x[1].sin();
            vec![scan(x[0], x[2], |x, s| (layer(x, w) * s, ())).0]
        }),
        row("scan of a pair with a counter", &[x, ws], |x| {
            let start = (x[0], scalar(i32, 0));
            let ((last, _), _) = scan(start, x[1], |(x, n), w| ((layer(x, w) * n.cast(f64), n + 1), ()));
            vec![last]
        }),
        row("scan of one trip", &[x, F(&[1, 3, 3], -1.0, 1.0)], |x| {
            vec![scan(x[0], x[1], |x, w| (layer(x, w), ())).0]
        }),
        row("scan inside of scan", &[x, ws], |x| {
            let outer = |a: Tensor, s: Tensor| {
                let inner = scan(a, x[1], |b, w| (layer(b, w) * s, ())).0;
                (inner + a, inner.sum(..))
            };
            let (last, sums) = scan(x[0], constant(f64, [2], &[0.5, 1.5]), outer);
            vec![last, sums]
        }),
        row("scan of a checkpointed body", &[x, ws], |x| {
            vec![scan(x[0], x[1], |x, w| (checkpoint(|| layer(x, w).sin()), ())).0]
        }),
        row("repeat", &[x, w], |x| vec![repeat(3, x[0], |turn, y| layer(y, x[1]) + turn.cast(f64))]),
        row("while that counts", &[x, w], |x| {
            let done = |(n, _): (Tensor, Tensor)| n.lt(4);
            vec![while_loop((scalar(i32, 0), x[0]), done, |(n, y)| (n + 1, layer(y, x[1]))).1]
        }),
        row("while that counts by twos up to and with", &[x, w], |x| {
            let done = |(n, _): (Tensor, Tensor)| n.le(5);
            vec![while_loop((scalar(i32, 1), x[0]), done, |(n, y)| (n + 2, layer(y, x[1]) * n.cast(f64))).1]
        }),
        row("while that counts down", &[x, ws], |x| {
            let more = |(n, _): (Tensor, Tensor)| n.ge(0);
            let body = |(n, y): (Tensor, Tensor)| {
                let w = x[1].dynamic_slice([n, scalar(i32, 0), scalar(i32, 0)], [1, 3, 3]).squeeze(0);
                (n - 1, layer(y, w))
            };
            vec![while_loop((scalar(i32, 3), x[0]), more, body).1]
        }),
        row("cond, first branch", &[x, w], |x| {
            let chosen = scalar(i32, 1).gt(0);
            vec![cond(chosen, || layer(x[0], x[1]), || x[0].sin())]
        }),
        row("cond, second branch", &[x, w], |x| {
            let chosen = scalar(i32, 1).lt(0);
            vec![cond(chosen, || layer(x[0], x[1]), || x[0].sin())]
        }),
        row("cond by what is computed", &[x, w], |x| {
            let parts = |y: Tensor| (y.cos(), y * 2.0);
            let (a, b) = cond(x[0].sum(..).gt(100.0), || (x[0], x[0]), || parts(layer(x[0], x[1])));
            vec![a, b]
        }),
        row("switch", &[x, I(&[], &[2])], |x| {
            vec![switch(x[1], 3, |branch| (x[0] * (branch as f64 + 1.0)).sin())]
        }),
        row("switch beyond its branches", &[x, I(&[], &[9])], |x| {
            vec![switch(x[1], 3, |branch| (x[0] * (branch as f64 + 1.0)).sin())]
        }),
        row("cond inside of scan", &[x, ws], |x| {
            let body = |(y, n): (Tensor, Tensor), w: Tensor| {
                let y = cond((n % 2).eq(0), || layer(y, w), || y.sin());
                ((y, n + 1), ())
            };
            vec![scan((x[0], scalar(i32, 0)), x[1], body).0.0]
        }),
        row("checkpoint", &[x, w], |x| vec![checkpoint(|| layer(layer(x[0], x[1]), x[1]))]),
        row("checkpoint inside of checkpoint", &[x, w], |x| {
            vec![checkpoint(|| checkpoint(|| layer(x[0], x[1])).sin())]
        }),
        row("custom_vjp with the true derivative", &[x], |x| {
            vec![custom_vjp(x[0].sin(), |x| x.exp(), |x| (x.exp(), x), |x, dy| dy * x.exp())]
        }),
        row("custom_vjp of two arguments", &[x, F(&[2, 3], -1.0, 1.0)], |x| {
            let product = |(a, b): (Tensor, Tensor)| a * b;
            let forward = move |args: (Tensor, Tensor)| (product(args), args);
            vec![custom_vjp((x[0], x[1]), product, forward, |(a, b), dy| (dy * b, dy * a))]
        }),
        row("a gradient inside of the function", &[x, w], |x| {
            let (value, slope) = value_and_grad(x[1], |w| layer(x[0], w).square().sum(..));
            vec![value, slope]
        })
        .once(),
        row("vmap inside of the function", &[F(&[4, 2, 3], -1.0, 1.0), w], |x| {
            vec![vmap(x[0], |y| layer(y, x[1].sin()))]
        }),
        row("annotations", &[F(&[4, 6], -1.0, 1.0)], |x| {
            let mesh = Mesh::new([("one", 1)]).unwrap();
            vec![x[0].mesh_split(&mesh, [0, -1]).sin().mesh_split(&mesh, (OPEN, 0)).exp()]
        }),
    ]
}
