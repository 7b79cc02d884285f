//! How far results are apart, and what is said of it.

use crate::failure::Failure;
use crate::report::Report;
use meshwright_base::{Code, Diagnostic};
use meshwright_interp::{Scalar, Tensor};
use meshwright_ir::TensorType;
use meshwright_runtime::{DeviceArray, HostArray};
use serde_json::json;
use std::fmt::Write;

/// Of a result with a larger share of NaNs and infinities it is said that agreement means little.
const NOT_FINITE: f64 = 0.01;

/// One result over all inputs, or one array that leaves while the program runs.
#[derive(Clone, Copy, Default)]
struct Judged {
    /// The largest difference.
    worst: f64,
    /// How many elements were compared.
    elements: usize,
    /// How many of them were NaN or infinite in the original.
    not_finite: usize,
}

impl Judged {
    fn take(&mut self, a: &Tensor, b: &Tensor) {
        self.worst = self.worst.max(difference(a, b));
        self.count(a);
    }

    fn count(&mut self, a: &Tensor) {
        self.elements += a.len();
        self.not_finite += (0..a.len()).filter(|at| !is_finite(a, *at)).count();
    }
}

pub struct Judge {
    results: Vec<Judged>,
    outfeeds: Vec<Judged>,
    limit: f64,
}

impl Judge {
    pub fn new(results: usize, limit: f64) -> Judge {
        Judge { results: vec![Judged::default(); results], outfeeds: Vec::new(), limit }
    }

    /// The largest difference that is allowed.
    pub fn limit(&self) -> f64 {
        self.limit
    }

    /// Result `at` of the original and of its partitioned form.
    pub fn result(&mut self, at: usize, a: &Tensor, b: &Tensor) {
        self.results.iter_mut().skip(at).take(1).for_each(|judged| judged.take(a, b));
    }

    /// The same of arrays as an engine has them.
    pub fn arrays(&mut self, at: usize, a: &HostArray, b: &HostArray) {
        for judged in self.results.iter_mut().skip(at).take(1) {
            let apart = apart(a, b, |part| judged.count(part));
            judged.worst = judged.worst.max(apart.relative());
        }
    }

    /// What one device gave out while it ran.
    pub fn outfeeds(&mut self, a: &[Tensor], b: &[Tensor]) {
        let count = a.len().max(b.len());
        self.outfeeds.resize(self.outfeeds.len().max(count), Judged::default());
        for (at, judged) in self.outfeeds.iter_mut().enumerate().take(count) {
            match (a.get(at), b.get(at)) {
                (Some(a), Some(b)) => judged.take(a, b),
                _ => judged.worst = f64::INFINITY,
            }
        }
    }

    fn named(&self) -> impl Iterator<Item = (String, &Judged)> {
        let results = self.results.iter().enumerate().map(|(at, judged)| (format!("result {at}"), judged));
        let outfeeds = self.outfeeds.iter().enumerate().map(|(at, judged)| (format!("outfeed {at}"), judged));
        results.chain(outfeeds)
    }

    /// The verdict; `devices` and `on` say on which devices and inputs.
    pub fn report(&self, devices: &str, on: &str) -> Result<Report, Failure> {
        let wrong = |judged: &Judged| judged.worst > self.limit;
        let mut text = String::new();
        for (name, Judged { worst, elements, not_finite }) in self.named() {
            let _ = write!(text, "{name}: largest difference {worst:.3e}");
            let _ = match not_finite {
                0 => writeln!(text),
                _ => writeln!(text, "; {not_finite} of {elements} elements are NaN or infinite"),
            };
        }
        let agree = self.named().filter(|(_, judged)| !wrong(judged)).count();
        let all = self.results.len() + self.outfeeds.len();
        let _ = writeln!(text, "{devices}\n{agree} of {all} results agree within {:e}, {on}", self.limit);
        if let Some((first, judged)) = self.named().find(|(_, judged)| wrong(judged)) {
            let message = format!("{first} differs by {:.3e} of its largest element", judged.worst);
            let diagnostic = Diagnostic::error(Code(611), message)
                .note(text.trim_end())
                .note("the partitioned program is wrong, or the module is very sensitive to rounding");
            return Err(Failure::input(diagnostic));
        }
        let worst = |all: &[Judged]| json!(all.iter().map(|judged| judged.worst).collect::<Vec<_>>());
        let not_finite: Vec<usize> = self.results.iter().map(|judged| judged.not_finite).collect();
        let report = Report::new(text)
            .with("differences", worst(&self.results))
            .with("outfeeds", worst(&self.outfeeds))
            .with("not_finite", json!(not_finite))
            .with("limit", self.limit);
        Ok(Report { notes: self.says_little(), ..report })
    }

    /// NaN equals NaN, so results of many such agree whatever the program does.
    fn says_little(&self) -> String {
        let share = |judged: &Judged| judged.not_finite as f64 / judged.elements.max(1) as f64;
        let many: Vec<(String, f64)> = self
            .named()
            .map(|(name, judged)| (name, share(judged)))
            .filter(|(_, share)| *share > NOT_FINITE)
            .collect();
        let Some((worst, share)) = many.iter().max_by(|a, b| a.1.total_cmp(&b.1)) else {
            return String::new();
        };
        let (count, percent) = (many.len(), (share * 100.0).floor());
        format!(
            "warning: {count} of the results are NaN or infinite in more than 1 % of their elements, {worst} in \
             {percent} %, so that they agree says little; compare on inputs of your own: `--inputs FILE.npz`\n"
        )
    }
}

fn is_finite(tensor: &Tensor, at: usize) -> bool {
    tensor.get(at).is_some_and(|scalar| parts(scalar).iter().all(|part| part.is_finite()))
}

/// Elements of an array that are looked at together: the interpreter's are wide.
const TOGETHER: usize = 1 << 16;

/// How far two arrays are apart, and how large the first one is.
#[derive(Clone, Copy, Default)]
pub struct Apart {
    worst: f64,
    scale: f64,
}

impl Apart {
    /// Take in a part of both. NaN equals NaN.
    pub fn take(&mut self, a: &Tensor, b: &Tensor) {
        if a.ty() != b.ty() {
            self.worst = f64::INFINITY;
            return;
        }
        for at in 0..a.len() {
            let (Some(x), Some(y)) = (a.get(at), b.get(at)) else { continue };
            for (x, y) in parts(x).into_iter().zip(parts(y)) {
                let is_same = x == y || (x.is_nan() && y.is_nan());
                let finite = if x.is_finite() || !is_same { x.abs() } else { 0.0 };
                self.scale = self.scale.max(finite);
                if !is_same {
                    self.worst = self.worst.max(if (x - y).is_nan() { f64::INFINITY } else { (x - y).abs() });
                }
            }
        }
    }

    /// Relative to the largest element.
    pub fn relative(&self) -> f64 {
        self.relative_to(self.scale)
    }

    pub fn relative_to(&self, scale: f64) -> f64 {
        if scale > 0.0 { self.worst / scale } else { self.worst }
    }
}

/// Largest difference of two tensors, relative to the largest element of the first.
fn difference(a: &Tensor, b: &Tensor) -> f64 {
    let mut apart = Apart::default();
    apart.take(a, b);
    apart.relative()
}

/// How far two arrays are apart; each part of the first is shown.
pub fn apart(a: &HostArray, b: &HostArray, mut show: impl FnMut(&Tensor)) -> Apart {
    let mut apart = Apart::default();
    let lengths = (a.bytes.len(), b.bytes.len());
    if a.ty != b.ty || lengths.0 != lengths.1 {
        return Apart { worst: f64::INFINITY, scale: 0.0 };
    }
    for (a, b) in pieces(&a.ty, &a.bytes).zip(pieces(&b.ty, &b.bytes)) {
        show(&a);
        apart.take(&a, &b);
    }
    apart
}

/// An array piece by piece.
fn pieces<'a>(ty: &'a TensorType, bytes: &'a [u8]) -> impl Iterator<Item = Tensor> + 'a {
    let size = ty.dtype.bytes().max(1);
    let of = move |part: &[u8]| Tensor::from_bytes(ty.with_dims([(part.len() / size) as i64]), part);
    bytes.chunks(size * TOGETHER).filter_map(of)
}

/// The largest finite element of an array.
pub fn scale_of(array: &DeviceArray) -> f64 {
    let mut apart = Apart::default();
    let bytes = array.shards().ok().and_then(|shards| shards.first()).map_or(&[][..], |shard| shard.bytes());
    pieces(&array.ty, bytes).for_each(|part| apart.take(&part, &part));
    apart.scale
}

fn parts(scalar: Scalar) -> [f64; 2] {
    match scalar {
        Scalar::Pred(x) => [f64::from(u8::from(x)), 0.0],
        Scalar::Int(x) => [x as f64, 0.0],
        Scalar::Uint(x) => [x as f64, 0.0],
        Scalar::Float(x) => [x, 0.0],
        Scalar::Complex(z) => [z.re, z.im],
    }
}
