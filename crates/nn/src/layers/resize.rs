//! Images of other sizes: `[batch, spatial.., features]` with other numbers of places. The edges of both images lie on
//! each other, so a place is where its middle falls.
//!
//! ```text
//! from n to m places, m/n = p/q in lowest terms:     x ==spread 2p apart==> ==window of hats or boxes, stride 2q==> y
//! ```
//!
//! As a convolution, a resize of a split dim takes from neighbours what its windows reach over, and no more.

use meshwright_tensor::prelude::*;
use meshwright_tensor::refuse;

/// What lies between places.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Between {
    /// The nearest; of two as near, the later.
    Nearest,
    /// A straight line between the two nearest; the outermost, beyond.
    Linear,
}

/// The largest `p` that is spread: a window has some `4p` elements.
const MOST: i64 = 16;

/// Images with these numbers of places.
///
/// ```
/// use meshwright_nn::layers::resize::{Between, resize};
/// use meshwright_nn::tensor::prelude::*;
/// let program = trace("resize", |t| resize(t.input("x", f32, [1, 8, 12, 3]), &[16, 9], Between::Linear))?;
/// assert_eq!(program.results()[0].ty.dims, [1, 16, 9, 3]);
/// # Ok::<(), Errors>(())
/// ```
#[track_caller]
pub fn resize(x: Tensor, to: &[i64], between: Between) -> Tensor {
    let spatial = x.rank().saturating_sub(2);
    if to.len() != spatial || spatial == 0 || to.iter().chain(&x.dims()[1..=spatial]).any(|size| *size < 1) {
        let message = format!("{x:?} cannot be resized to {to:?} places");
        return refuse(
            &[x],
            x.ty(),
            &message,
            "give [batch, spatial.., features] and a size from 1 up per spatial dim",
        );
    }
    to.iter().enumerate().fold(x, |x, (at, to)| along(x, at + 1, *to, between))
}

fn along(x: Tensor, dim: usize, to: i64, between: Between) -> Tensor {
    let from = x.dims()[dim];
    let common = divisor(from, to);
    let (p, q) = (to / common, from / common);
    match between {
        _ if p == q => x,
        Between::Nearest if q == 1 => repeated(x, dim, p),
        Between::Nearest if p == 1 => x.slice_dim(dim, q / 2..from).step_by(q, dim),
        _ if p > MOST => by_matrix(x, dim, to, between),
        Between::Nearest => windowed(x, dim, (p, q), (&vec![1.0; 2 * p as usize], 2 * p - 1 - q)),
        Between::Linear => {
            let hat = |at: i64| 1.0 - (at - (2 * p - 1)).abs() as f64 / (2 * p) as f64;
            let hats: Vec<f64> = (0..4 * p - 1).map(hat).collect();
            let sum = windowed(x, dim, (p, q), (&hats, 2 * p - 1 - (q - p)));
            // Near the edges some of the weight lies beyond: what is there counts for it.
            let weights: Vec<f64> =
                shares(from, to, between).map(|(at, share)| inside(from, at, share)).collect();
            if weights.iter().all(|weight| *weight == 1.0) {
                return sum;
            }
            let mut dims = vec![1; x.rank()];
            dims[dim] = to;
            sum / constant(x.dtype(), dims, &weights)
        }
    }
}

/// The share of a line's weight that does not lie beyond the edges.
fn inside(from: i64, at: i64, share: f64) -> f64 {
    [(at, 1.0 - share), (at + 1, share)]
        .iter()
        .filter(|(at, _)| (0..from).contains(at))
        .map(|(_, share)| share)
        .sum()
}

/// For each new place the old one before it, and the share of the one after.
fn shares(from: i64, to: i64, between: Between) -> impl Iterator<Item = (i64, f64)> {
    (0..to).map(move |place| {
        let middle = (2 * place + 1) * from;
        match between {
            Between::Nearest => (middle.div_euclid(2 * to), 0.0),
            Between::Linear => {
                let at = middle - to;
                (at.div_euclid(2 * to), at.rem_euclid(2 * to) as f64 / (2 * to) as f64)
            }
        }
    })
}

fn repeated(x: Tensor, dim: usize, times: i64) -> Tensor {
    let mut dims = x.dims();
    dims.insert(dim + 1, times);
    let at: Vec<usize> = (0..=x.rank()).filter(|at| *at != dim + 1).collect();
    let wide = x.broadcast_in_dim(dims.clone(), at);
    dims[dim] *= times;
    dims.remove(dim + 1);
    wide.reshape(dims)
}

/// One window for each feature, whose first element lies so far before the image's first.
fn windowed(x: Tensor, dim: usize, (p, q): (i64, i64), (taps, before): (&[f64], i64)) -> Tensor {
    let (spatial, features) = (x.rank() - 2, x.dim(-1));
    let (from, size) = (x.dims()[dim], taps.len() as i64);
    let at = dim - 1;
    let one = |value: i64, rest: i64| {
        (0..spatial).map(|other| if other == at { value } else { rest }).collect::<Vec<_>>()
    };
    // The last place begins there, in elements of the image as it is spread.
    let last = (from * p / q - 1) * 2 * q;
    let behind = last + size - before - ((from - 1) * 2 * p + 1);
    let edges = (0..spatial).map(|other| if other == at { (before, behind) } else { (0, 0) });
    let window = Window {
        strides: one(2 * q, 1),
        padding: Padding::Edges(edges.collect()),
        dilation: vec![1; spatial],
        base_dilation: one(2 * p, 1),
        groups: features,
    };
    let kernel = constant(x.dtype(), [one(size, 1), vec![1, 1]].concat(), taps);
    x.conv(kernel.broadcast_to([one(size, 1), vec![1, features]].concat()), &window)
}

fn by_matrix(x: Tensor, dim: usize, to: i64, between: Between) -> Tensor {
    let from = x.dims()[dim];
    let mut weights = vec![0.0; (from * to) as usize];
    for (place, (at, share)) in shares(from, to, between).enumerate() {
        for (at, share) in [(at, 1.0 - share), (at + 1, share)] {
            weights[place * from as usize + at.clamp(0, from - 1) as usize] += share;
        }
    }
    let weights = constant(x.dtype(), [to, from], &weights);
    let (last, dim) = (x.rank() - 1, dim as i64);
    x.swap_dims(dim, last).matmul(weights.t()).swap_dims(dim, last)
}

fn divisor(a: i64, b: i64) -> i64 {
    if b == 0 { a } else { divisor(b, a % b) }
}
