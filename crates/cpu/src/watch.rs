//! Looking for the first step that makes a NaN or an infinity of finite numbers.

use half::{bf16, f16};
use meshwright_ir::DType;
use meshwright_kernels::fused::Source;
use meshwright_kernels::step::{Bases, BufId, Step};
use meshwright_kernels::tiled::TiledStep;
use meshwright_runtime::{RunError, RunErrorKind};

/// Float buffers a step reads and writes, as far as it knows their types.
pub struct Watched {
    reads: Vec<Floats>,
    writes: Vec<Floats>,
    /// A constant operand is not finite itself.
    given: Found,
}

struct Floats {
    buf: BufId,
    dtype: DType,
    count: usize,
}

/// What was found among numbers, worst of all.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub enum Found {
    #[default]
    Finite,
    Infinity,
    NaN,
}

impl Watched {
    /// What moves no numbers is not looked at.
    pub fn nothing() -> Watched {
        Watched { reads: Vec::new(), writes: Vec::new(), given: Found::Finite }
    }

    pub fn of(step: &Step) -> Watched {
        let all = |bufs: &[(BufId, DType, usize)]| -> Vec<Floats> {
            let floats = bufs.iter().filter(|(_, dtype, _)| dtype.is_float() && dtype.bytes() > 1);
            floats.map(|(buf, dtype, count)| Floats { buf: *buf, dtype: *dtype, count: *count }).collect()
        };
        let mut given = Found::Finite;
        let (reads, writes) = match step {
            Step::Fused(step) => {
                let mut reads = Vec::new();
                for input in &step.inputs {
                    match &input.source {
                        Source::View { buf, dims, strides, offset } => {
                            // Only what lies from the start to the last place the view reaches.
                            let reach =
                                dims.iter().zip(strides).map(|(n, s)| (*n as isize - 1).max(0) * s.max(&0));
                            let count = (*offset + reach.sum::<isize>() + 1).max(0) as usize;
                            reads.push((*buf, input.dtype, count));
                        }
                        Source::Splat(element) => given = given.max(of_bytes(input.dtype, element, 1)),
                        Source::Iota { .. } => {}
                    }
                }
                let count = step.count;
                (reads, step.outputs.iter().map(|out| (out.buf, out.dtype, count)).collect::<Vec<_>>())
            }
            Step::Dot(step) | Step::Tiled(TiledStep { dot: step, .. }) => {
                let batch: usize = step.batch.iter().product();
                let (m, n, k) = (step.m, step.n, step.k);
                let side = |matrix: &meshwright_kernels::dot::Matrix, rows: usize, columns: usize| {
                    let reach = |n: usize, s: isize| n.saturating_sub(1) as isize * s.max(0);
                    let batches: isize =
                        step.batch.iter().zip(&matrix.batch).map(|(n, s)| reach(*n, *s)).sum();
                    let last =
                        matrix.offset + batches + reach(rows, matrix.row) + reach(columns, matrix.column);
                    (matrix.buf, step.operands, (last + 1).max(0) as usize)
                };
                (
                    vec![side(&step.lhs, m, k), side(&step.rhs, k, n)],
                    vec![(step.to.buf, step.dtype, batch * m * n)],
                )
            }
            Step::Reduce(step) => {
                let reads = step.inputs.iter().map(|input| {
                    let reach = |dims: &[usize], strides: &[isize]| -> isize {
                        dims.iter().zip(strides).map(|(n, s)| (*n as isize - 1).max(0) * s.max(&0)).sum()
                    };
                    let last =
                        input.offset + reach(&step.kept, &input.kept) + reach(&step.reduced, &input.reduced);
                    (input.buf, input.dtype, (last + 1).max(0) as usize)
                });
                for (init, dtype) in step.inits.iter().zip(&step.dtypes) {
                    if let meshwright_kernels::reduce::Init::Splat(element) = init {
                        given = given.max(of_bytes(*dtype, element, 1));
                    }
                }
                let count = step.kept.iter().product();
                let writes = step.outputs.iter().zip(&step.dtypes).map(|(buf, dtype)| (*buf, *dtype, count));
                (reads.collect(), writes.collect())
            }
            // Others only move numbers.
            _ => (Vec::new(), Vec::new()),
        };
        Watched { reads: all(&reads), writes: all(&writes), given }
    }

    pub fn before(&self, bases: &Bases) -> Found {
        self.reads.iter().map(|floats| floats.look(bases)).fold(self.given, Found::max)
    }

    /// An error if the results are worse than the operands were.
    pub fn judge(&self, bases: &Bases, before: Found) -> Result<(), RunError> {
        let after = self.writes.iter().map(|floats| floats.look(bases)).max().unwrap_or_default();
        if after <= before {
            return Ok(());
        }
        let what = if after == Found::NaN { "a NaN" } else { "an infinity" };
        let operands = if before == Found::Finite { "finite operands" } else { "an infinity" };
        Err(RunError::new(RunErrorKind::BadNumber, format!("makes {what} of {operands}")).help(
            "look at the operands of this op; a log or a root of 0 or less, a division by 0, or an overflow",
        ))
    }
}

impl Floats {
    fn look(&self, bases: &Bases) -> Found {
        let bytes = self.count * self.dtype.bytes();
        of_bytes(self.dtype, bases.bytes(self.buf, bytes), self.count)
    }
}

fn of_bytes(dtype: DType, bytes: &[u8], count: usize) -> Found {
    let width = dtype.bytes();
    let one = |x: f64| match (x.is_nan(), x.is_infinite()) {
        (true, _) => Found::NaN,
        (_, true) => Found::Infinity,
        _ => Found::Finite,
    };
    let number = |x: &[u8]| match (dtype, x) {
        (DType::F16, [a, b]) => f64::from(f16::from_le_bytes([*a, *b])),
        (DType::BF16, [a, b]) => f64::from(bf16::from_le_bytes([*a, *b])),
        (DType::F32, [a, b, c, d]) => f64::from(f32::from_le_bytes([*a, *b, *c, *d])),
        (DType::F64, x) => x.try_into().map_or(0.0, f64::from_le_bytes),
        _ => 0.0,
    };
    bytes.chunks_exact(width).take(count).map(|x| one(number(x))).max().unwrap_or_default()
}
