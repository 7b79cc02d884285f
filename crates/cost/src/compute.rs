//! Flops and bytes of one op on given (local) types.
//!
//! Contractions count two flops per multiply-add. Everything else counts one per element of its largest tensor: it is
//! the bytes that decide there.

use crate::machine::{Coefficient, Machine};
use meshwright_ir::op::Dot;
use meshwright_ir::{Op, Type};

/// Work of one op on one device.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Work {
    pub flops: f64,
    /// Bytes read and written if nothing is fused.
    pub bytes: f64,
    /// Whether the flops run at the matrix rate.
    pub is_contraction: bool,
}

impl Work {
    /// Time on a machine: the longer of computing and moving. Element-wise flops are never what takes the time.
    pub fn seconds(&self, machine: &Machine) -> f64 {
        let rate = machine[Coefficient::Products] * machine[Coefficient::ProductShare];
        let compute = if self.is_contraction { self.flops / rate } else { 0.0 };
        let moving = self.bytes / (machine[Coefficient::Memory] * machine[Coefficient::MemoryShare]);
        machine[Coefficient::Launch] + compute.max(moving)
    }
}

/// Work of an op from its operand and result types. Regions count nothing: their instructions are ops of their own,
/// and per-element regions (reducers, comparators) are within the estimate of their op.
pub fn work(op: &Op, operands: &[&Type], results: &[&Type]) -> Work {
    let bytes = |types: &[&Type]| types.iter().map(|ty| ty.byte_size() as f64).sum::<f64>();
    let all = bytes(operands) + bytes(results);
    let largest = operands.iter().chain(results).map(|ty| elements(ty)).fold(0.0, f64::max);
    match op {
        Op::Dot(dot) => Work { flops: dot_flops(dot, operands, results), bytes: all, is_contraction: true },
        Op::Convolution(convolution) => {
            let kernel = operands.get(1).copied();
            let per_output = kernel.map_or(0.0, |kernel| {
                let features =
                    kernel.dims().get(convolution.dims.kernel_output_feature).copied().unwrap_or(1);
                elements(kernel) / features.max(1) as f64
            });
            let output = results.first().map_or(0.0, |ty| elements(ty));
            Work { flops: 2.0 * output * per_output, bytes: all, is_contraction: true }
        }
        _ if op.facts().is_free => Work::default(),
        _ => Work { flops: largest, bytes: all, is_contraction: false },
    }
}

fn elements(ty: &Type) -> f64 {
    ty.as_tensor().map_or(0.0, |tensor| tensor.elements() as f64)
}

fn dot_flops(dot: &Dot, operands: &[&Type], results: &[&Type]) -> f64 {
    let summed: f64 = operands.first().map_or(1.0, |lhs| {
        dot.contract.iter().map(|(dim, _)| lhs.dims().get(*dim).copied().unwrap_or(1) as f64).product()
    });
    2.0 * summed * results.first().map_or(0.0, |ty| elements(ty))
}
