//! What sums over elements: products, reductions, windows, convolutions, matrices, spectra.

use crate::gradients::check::In::{Apart, C, F};
use crate::gradients::check::{Row, row};
use meshwright::prelude::*;
use meshwright::{Padding, Triangle, Window};

pub fn products() -> Vec<Row> {
    let (a, b) = (F(&[2, 3], -1.0, 1.0), F(&[3, 4], -1.0, 1.0));
    vec![
        row("matmul", &[a, b], |x| vec![x[0].sin().matmul(x[1])]),
        row("matmul of one matrix with itself", &[F(&[3, 3], -1.0, 1.0)], |x| vec![x[0].matmul(x[0])]),
        row("matmul of vectors", &[F(&[3], -1.0, 1.0), F(&[3], -1.0, 1.0)], |x| vec![x[0].matmul(x[1])]),
        row(
            "matmul over batches that broadcast",
            &[F(&[2, 1, 2, 3], -1.0, 1.0), F(&[4, 3, 2], -1.0, 1.0)],
            |x| vec![x[0].matmul(x[1])],
        ),
        row("matmul of complex", &[C(&[2, 3], -1.0, 1.0), C(&[3, 2], -1.0, 1.0)], |x| {
            vec![x[0].matmul(x[1])]
        }),
        row(
            "einsum with batch, free and summed letters",
            &[F(&[2, 3, 4], -1.0, 1.0), F(&[4, 2, 5], -1.0, 1.0)],
            |x| vec![einsum("bij,jbk->kib", [x[0], x[1].sin()])],
        ),
        row("einsum over two letters", &[F(&[2, 3, 4], -1.0, 1.0), F(&[4, 3], -1.0, 1.0)], |x| {
            vec![einsum("bij,ji->b", [x[0].sin(), x[1]])]
        }),
        row("einsum of three", &[a, b, F(&[4], -1.0, 1.0)], |x| {
            vec![einsum("ij,jk,k->i", [x[0], x[1], x[2]])]
        }),
        row("einsum of an outer product", &[F(&[2], -1.0, 1.0), F(&[3], -1.0, 1.0)], |x| {
            vec![einsum("i,j->ji", [x[0], x[1]])]
        }),
        row("einsum that sums a letter of one", &[a, b], |x| vec![einsum("ij,jk->i", [x[0], x[1]])]),
    ]
}

pub fn reductions() -> Vec<Row> {
    let any = F(&[3, 4], 0.5, 1.5);
    let mixed = Apart(&[3, 4]);
    vec![
        row("sum", &[any], |x| vec![x[0].sin().sum(1), x[0].sin().sum(0)]),
        row("sum of all", &[any], |x| vec![x[0].sin().sum(..)]),
        row("sum of complex", &[C(&[3, 4], -1.0, 1.0)], |x| vec![x[0].exp().sum(1)]),
        row("mean", &[any], |x| vec![x[0].sin().mean(0)]),
        row("variance", &[any], |x| vec![x[0].variance_keep(1)]),
        row("prod", &[any], |x| vec![x[0].prod(1)]),
        row("prod over two dims", &[any], |x| vec![x[0].prod([0, 1])]),
        row("max", &[mixed], |x| vec![x[0].max(1), x[0].max(..)]),
        row("min", &[mixed], |x| vec![x[0].min(0)]),
        row("softmax", &[any], |x| vec![x[0].softmax(1)]),
        row("softmax over two dims", &[any], |x| vec![x[0].softmax([0, 1])]),
        row("log_softmax", &[any], |x| vec![x[0].log_softmax(1)]),
        row("logsumexp", &[any], |x| vec![x[0].logsumexp(0)]),
        row("standardize", &[any], |x| vec![x[0].standardize(1, 1e-3)]),
        row("rms_normalize", &[any], |x| vec![x[0].rms_normalize(1, 1e-3)]),
        row("cross_entropy", &[any, crate::gradients::check::In::I(&[3], &[1, 3, 0])], |x| {
            vec![x[0].cross_entropy(x[1])]
        }),
    ]
}

fn windowed(strides: [i64; 2]) -> Window {
    Window { strides: strides.to_vec(), ..Window::new(2) }
}

pub fn convolutions() -> Vec<Row> {
    let image = F(&[2, 6, 5, 4], -1.0, 1.0);
    let kernel = F(&[3, 2, 4, 4], -1.0, 1.0);
    let conv = |name, window: Window| row(name, &[image, kernel], move |x| vec![x[0].conv(x[1], &window)]);
    let edges = |edges: [(i64, i64); 2]| Window { padding: Padding::Edges(edges.to_vec()), ..Window::new(2) };
    vec![
        conv("conv", Window::new(2)),
        conv("conv padded to the same size", Window::same(2)),
        conv("conv with strides", windowed([2, 3])),
        conv("conv with strides, padded", Window { strides: vec![2, 2], ..Window::same(2) }),
        conv("conv with uneven edges", edges([(2, 0), (1, 3)])),
        conv("conv with edges beyond the window", edges([(4, 3), (0, 5)])),
        conv("conv with negative edges", edges([(-1, 0), (1, -2)])),
        conv("conv with a dilated kernel", Window { dilation: vec![2, 3], ..Window::same(2) }),
        conv("conv with a dilated image", Window { base_dilation: vec![2, 3], ..Window::same(2) }),
        conv(
            "conv with everything",
            Window {
                strides: vec![2, 1],
                padding: Padding::Edges(vec![(1, 2), (3, 0)]),
                dilation: vec![1, 2],
                base_dilation: vec![3, 1],
                groups: 1,
            },
        ),
        row("conv in groups", &[image, F(&[3, 2, 2, 6], -1.0, 1.0)], |x| {
            vec![x[0].conv(x[1], &Window { groups: 2, ..Window::same(2) })]
        }),
        row("conv of each feature alone", &[image, F(&[2, 2, 1, 4], -1.0, 1.0)], |x| {
            vec![x[0].conv(x[1], &Window { groups: 4, strides: vec![2, 1], ..Window::same(2) })]
        }),
        row("conv of one dim", &[F(&[2, 7, 3], -1.0, 1.0), F(&[3, 3, 2], -1.0, 1.0)], |x| {
            vec![x[0].conv(x[1], &Window::same(1))]
        }),
        row("conv of three dims", &[F(&[1, 3, 4, 3, 2], -1.0, 1.0), F(&[2, 2, 2, 2, 3], -1.0, 1.0)], |x| {
            vec![x[0].conv(x[1], &Window::new(3))]
        }),
    ]
}

pub fn windows() -> Vec<Row> {
    let image = F(&[1, 6, 5, 2], -1.0, 1.0);
    let mixed = Apart(&[1, 6, 5, 2]);
    let sum =
        |name, window: Window| row(name, &[image], move |x| vec![x[0].sin().sum_pool(&[3, 2], &window)]);
    let max = |name, window: Window| row(name, &[mixed], move |x| vec![x[0].max_pool(&[3, 2], &window)]);
    let edges = || Padding::Edges(vec![(1, 2), (0, 1)]);
    let crop = || Padding::Edges(vec![(-1, 1), (1, -1)]);
    vec![
        sum("sum_pool", Window::new(2)),
        sum("sum_pool with strides", windowed([2, 3])),
        sum("sum_pool padded", Window { strides: vec![2, 2], ..Window::same(2) }),
        sum("sum_pool with uneven edges", Window { padding: edges(), ..Window::new(2) }),
        sum("sum_pool with negative edges", Window { padding: crop(), ..Window::new(2) }),
        sum("sum_pool dilated", Window { dilation: vec![2, 2], ..Window::new(2) }),
        sum("sum_pool of a dilated image", Window { base_dilation: vec![2, 3], ..Window::same(2) }),
        row("mean_pool", &[image], |x| vec![x[0].sin().mean_pool(&[2, 2], &windowed([2, 2]))]),
        max("max_pool", Window::new(2)),
        max("max_pool with strides", windowed([2, 2])),
        max("max_pool padded", Window { strides: vec![2, 2], ..Window::same(2) }),
        max("max_pool with uneven edges", Window { padding: edges(), ..Window::new(2) }),
        max("max_pool with negative edges", Window { padding: crop(), ..Window::new(2) }),
        max("max_pool dilated", Window { dilation: vec![2, 2], ..Window::new(2) }),
        max("max_pool of a dilated image", Window { base_dilation: vec![2, 1], ..Window::same(2) }),
    ]
}

/// A positive definite matrix of a square one.
fn definite(x: Tensor) -> Tensor {
    let n = x.dim(-1);
    x.matmul(x.swap_dims(-1, -2)) + eye(f64, n) * 2.0
}

/// A triangle that is far from singular.
fn solvable(x: Tensor) -> Tensor {
    let n = x.dim(-1);
    x + eye(x.dtype(), n) * 3.0
}

pub fn matrices() -> Vec<Row> {
    let (square, right) = (F(&[3, 3], -1.0, 1.0), F(&[3, 2], -1.0, 1.0));
    let solve = |name, triangle: Triangle| {
        let b = if triangle.left { F(&[3, 2], -1.0, 1.0) } else { F(&[2, 3], -1.0, 1.0) };
        row(name, &[square, b], move |x| vec![solvable(x[0]).triangular_solve(x[1], triangle)])
    };
    let (lower, upper) = (Triangle::lower(), Triangle::upper());
    let _ = right;
    vec![
        row("cholesky", &[square], |x| vec![definite(x[0]).cholesky()]),
        row("cholesky reads one half", &[square], |x| vec![(x[0] + eye(f64, 3) * 4.0).cholesky()]),
        row("cholesky of batches", &[F(&[2, 3, 3], -1.0, 1.0)], |x| vec![definite(x[0]).cholesky()]),
        solve("solve by the lower half", lower),
        solve("solve by the upper half", upper),
        solve("solve from the right", Triangle { left: false, ..lower }),
        solve("solve from the right by the upper half", Triangle { left: false, ..upper }),
        solve("solve with ones on the diagonal", Triangle { unit_diagonal: true, ..lower }),
        solve("solve with the transpose", Triangle { transpose: true, ..lower }),
        solve("solve with the transpose from the right", Triangle { transpose: true, left: false, ..upper }),
        solve("solve with the adjoint", Triangle { transpose: true, conjugate: true, ..upper }),
        row("solve batches", &[F(&[2, 3, 3], -1.0, 1.0), F(&[2, 3, 1], -1.0, 1.0)], |x| {
            vec![solvable(x[0]).triangular_solve(x[1], Triangle::lower())]
        }),
        row("solve complex systems", &[C(&[3, 3], -1.0, 1.0), C(&[3, 2], -1.0, 1.0)], |x| {
            vec![solvable(x[0]).triangular_solve(x[1], Triangle::lower())]
        }),
        row("solve complex systems with the adjoint", &[C(&[3, 3], -1.0, 1.0), C(&[3, 2], -1.0, 1.0)], |x| {
            let adjoint = Triangle { transpose: true, conjugate: true, ..Triangle::lower() };
            vec![solvable(x[0]).triangular_solve(x[1], adjoint)]
        }),
        row("tril and triu", &[square], |x| vec![x[0].sin().tril(), x[0].sin().triu()]),
    ]
}

pub fn spectra() -> Vec<Row> {
    let signal = C(&[2, 6], -1.0, 1.0);
    vec![
        row("fft", &[signal], |x| vec![x[0].exp().fft(1)]),
        row("fft of two dims", &[signal], |x| vec![x[0].exp().fft(2)]),
        row("ifft", &[signal], |x| vec![x[0].exp().ifft(1)]),
        row("rfft", &[F(&[2, 6], -1.0, 1.0)], |x| vec![x[0].sin().rfft(1)]),
        row("rfft of an odd size", &[F(&[2, 5], -1.0, 1.0)], |x| vec![x[0].sin().rfft(1)]),
        row("rfft of two dims", &[F(&[3, 4], -1.0, 1.0)], |x| vec![x[0].sin().rfft(2)]),
        row("irfft", &[C(&[2, 4], -1.0, 1.0)], |x| vec![x[0].exp().irfft(1, 6)]),
        row("irfft of an odd size", &[C(&[2, 3], -1.0, 1.0)], |x| vec![x[0].exp().irfft(1, 5)]),
    ]
}
