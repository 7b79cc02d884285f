//! From an op to its meaning: one line per op, the work is in the family files.

use crate::fault::Fault;
use crate::lanes::{Device, Lanes};
use crate::machine::Site;
use crate::tensor::{Data, Scalar, Tensor};
use crate::{
    batch_norm, collective, contract, control, convert, convolution, data, dynamic, elementwise, feed, fft,
    foreign, gather, linalg, manual, movement, random, reduce, scatter, sort, window,
};
use meshwright_base::Id;
use meshwright_ir::op::{Numbering, Op, Random};
use meshwright_ir::{DType, TensorType};

type Args = Vec<Tensor>;

/// Evaluate one instruction on all active devices.
pub(crate) fn eval(mut site: Site<'_, '_>, args: Vec<Lanes>) -> Result<Vec<Lanes>, Fault> {
    let op = &site.frame.func.inst(site.inst).op;
    let s = &mut site;
    match op {
        Op::Constant(op) => shared(s, data::constant(op)),
        Op::Iota(op) => shared(s, data::iota(op)),
        Op::Unary(op) => one(s, args, |out, x: [_; 1]| elementwise::eval_unary(*op, &x[0], out.dtype)),
        Op::Binary(op) => {
            one(s, args, |out, x: [_; 2]| elementwise::eval_binary(*op, &x[0], &x[1], out.dtype))
        }
        Op::Compare(op) => one(s, args, |_, x: [_; 2]| elementwise::eval_compare(*op, &x[0], &x[1])),
        Op::Select => one(s, args, |_, x: [_; 3]| elementwise::eval_select(&x[0], &x[1], &x[2])),
        Op::Clamp => one(s, args, |_, x: [_; 3]| elementwise::eval_clamp(&x[0], &x[1], &x[2])),
        Op::Convert(op) => one(s, args, |out, x: [_; 1]| convert::eval(op, &x[0], out)),
        Op::Movement(op) => any(s, args, |out, x| movement::eval(op, &x, out)),
        Op::Dynamic(op) => any(s, args, |_, x| dynamic::eval(op, x)),
        Op::Gather(op) => one(s, args, |out, x: [_; 2]| gather::gather(op, &x[0], &x[1], out)),
        Op::Scatter(op) => s.each(args, |s, device, x| scatter::scatter(op, s, device, x)),
        Op::Dot(op) => one(s, args, |out, x: [_; 2]| contract::eval(op, &x[0], &x[1], out.dtype)),
        Op::Convolution(op) => one(s, args, |out, x: [_; 2]| convolution::eval(op, &x[0], &x[1], out)),
        Op::Reduce(op) => s.each(args, |s, device, x| reduce::eval(op, s, device, &x)),
        Op::Map(_) => s.each(args, |s, device, x| reduce::eval_map(s, device, &x)),
        Op::ReduceWindow(op) => s.each(args, |s, device, x| window::reduce_window(op, s, device, &x)),
        Op::SelectAndScatter(op) => {
            s.each(args, |s, device, x| window::select_and_scatter(op, s, device, &x))
        }
        Op::Sort(op) => s.each(args, |s, device, x| sort::sort(op, s, device, &x)),
        Op::TopK(op) => s.each(args, |s, _, x| sort::top_k(op, first(&x)?, result_dtype(s, 1)?)),
        Op::Random(op) => run_random(op, s, args),
        Op::Fft(op) => one(s, args, |out, x: [_; 1]| fft::eval(op, &x[0], out)),
        Op::Linalg(op) => any(s, args, |out, x| linalg::eval(op, &x, out.dtype)),
        Op::BatchNorm(op) => s.each(args, |_, _, x| batch_norm::eval(op, &x)),
        Op::Control(op) => control::eval(op, s, args),
        Op::Scan(op) => control::scan(op, s, args),
        Op::Call(op) => s.machine.call(op.callee, args, s.active),
        Op::Collective(op) => collective::eval(op, s, args),
        Op::PartitionId => device_number(s, |numbering, device| device.index() % numbering.partitions),
        Op::ReplicaId => device_number(s, |numbering, device| device.index() / numbering.partitions),
        Op::Foreign(op) => foreign::eval(op, s, args),
        Op::OptimizationBarrier => Ok(args),
        Op::Token(op) => feed::eval(op, s, &args),
        Op::Sharding(op) => manual::eval(op, s, args),
    }
}

fn first(args: &[Tensor]) -> Result<&Tensor, Fault> {
    args.first().ok_or_else(|| Fault::unsound("has no operand"))
}

fn result_tensor(site: &Site<'_, '_>, index: usize) -> Result<TensorType, Fault> {
    let ty = site.result_type(index)?.as_tensor();
    ty.cloned().ok_or_else(|| Fault::unsound("makes a token where a tensor is declared"))
}

fn result_dtype(site: &Site<'_, '_>, index: usize) -> Result<DType, Fault> {
    Ok(result_tensor(site, index)?.dtype)
}

/// An op with any number of operands and one result.
fn any(
    site: &mut Site<'_, '_>,
    args: Vec<Lanes>,
    f: impl Fn(&TensorType, Args) -> Result<Data, Fault>,
) -> Result<Vec<Lanes>, Fault> {
    let out = result_tensor(site, 0)?;
    site.each(args, |_, _, x| Ok(vec![f(&out, x)?]))
}

/// An op with `N` operands and one result.
fn one<const N: usize>(
    site: &mut Site<'_, '_>,
    args: Vec<Lanes>,
    f: impl Fn(&TensorType, [Tensor; N]) -> Result<Data, Fault>,
) -> Result<Vec<Lanes>, Fault> {
    any(site, args, |out, x| {
        let count = x.len();
        let x = x.try_into().map_err(|_| Fault::unsound(format!("has {count} operands instead of {N}")))?;
        f(out, x)
    })
}

/// A value that is the same on all devices: made once.
fn shared(site: &Site<'_, '_>, data: Result<Data, Fault>) -> Result<Vec<Lanes>, Fault> {
    let tensor = site.tensor(0, data?)?;
    let mut lanes = site.no_lanes();
    for device in site.active {
        lanes.put_tensor(*device, tensor.clone());
    }
    Ok(vec![lanes])
}

fn device_number(
    site: &mut Site<'_, '_>,
    number: impl Fn(Numbering, Device) -> usize,
) -> Result<Vec<Lanes>, Fault> {
    let numbering = site.machine.numbering;
    let dtype = result_dtype(site, 0)?;
    site.each(Vec::new(), |_, device, _| {
        let value = Scalar::from_f64(dtype, number(numbering, device) as f64);
        Ok(vec![Data::splat(value, 1)])
    })
}

fn run_random(op: &Random, site: &mut Site<'_, '_>, args: Vec<Lanes>) -> Result<Vec<Lanes>, Fault> {
    match op {
        Random::Rng { distribution, .. } => {
            let stream = site.machine.next_stream();
            one(site, args, |out, x: [_; 2]| random::rng(*distribution, &x[0], &x[1], out, stream))
        }
        Random::BitGenerator { algorithm, bits } => {
            site.each(args, |_, _, x| random::bit_generator(*algorithm, first(&x)?, bits))
        }
    }
}
