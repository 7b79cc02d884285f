//! Structured control flow: while, if, case, scan, fusion.
//!
//! Devices may take different ways; those that wait are simply not active until the others are done.

use crate::fault::Fault;
use crate::lanes::{Device, Lanes, Value, merge, split};
use crate::machine::Site;
use crate::movement::window;
use crate::tensor::{Data, Scalar, Tensor, element_count};
use crate::view::{View, copy};
use meshwright_ir::Dim;
use meshwright_ir::op::control::{Control, Scan};

pub(crate) fn eval(op: &Control, site: &mut Site<'_, '_>, args: Vec<Lanes>) -> Result<Vec<Lanes>, Fault> {
    match op {
        Control::While => run_while(site, args),
        Control::If => branch(site, &args, |choice, _| usize::from(choice == Scalar::Pred(false))),
        Control::Case => branch(site, &args, |choice, count| {
            let index = choice.to_i64().and_then(|index| usize::try_from(index).ok());
            index.filter(|index| *index < count).unwrap_or(count.saturating_sub(1))
        }),
        Control::Fusion { .. } => {
            let active = site.active;
            site.run_region(0, args, active)
        }
    }
}

fn scalar_on(lanes: &Lanes, device: Device) -> Result<Scalar, Fault> {
    match lanes.get(device) {
        Some(Value::Tensor(tensor)) if tensor.dims().is_empty() => tensor.get(0),
        _ => None,
    }
    .ok_or_else(|| Fault::unsound("decides by something that is not a scalar"))
}

fn run_while(site: &mut Site<'_, '_>, mut state: Vec<Lanes>) -> Result<Vec<Lanes>, Fault> {
    let mut going = site.active.to_vec();
    loop {
        let asked = site.run_region(0, state.clone(), &going)?;
        let [answer] = &asked[..] else {
            return Err(Fault::unsound("its condition returns other than one value"));
        };
        let mut next = Vec::new();
        for device in going {
            if scalar_on(answer, device)? == Scalar::Pred(true) {
                next.push(device);
            }
        }
        going = next;
        if going.is_empty() {
            return Ok(state);
        }
        let args = split(&mut state, &going);
        let made = site.run_region(1, args, &going)?;
        merge(&mut state, made, &going);
    }
}

/// Run for each branch the devices that take it.
fn branch(
    site: &mut Site<'_, '_>,
    args: &[Lanes],
    choose: impl Fn(Scalar, usize) -> usize,
) -> Result<Vec<Lanes>, Fault> {
    let inst = site.frame.func.inst(site.inst);
    let (count, results) = (inst.regions.len(), inst.results.len());
    let lanes = args.first().ok_or_else(|| Fault::unsound("has no operand"))?;
    let mut chosen = Vec::new();
    for device in site.active {
        chosen.push((*device, choose(scalar_on(lanes, *device)?, count)));
    }
    let mut out = vec![site.no_lanes(); results];
    for index in 0..count {
        let taking: Vec<Device> =
            chosen.iter().filter(|(_, way)| *way == index).map(|(device, _)| *device).collect();
        if !taking.is_empty() {
            let made = site.run_region(index, Vec::new(), &taking)?;
            merge(&mut out, made, &taking);
        }
    }
    Ok(out)
}

pub(crate) fn scan(op: &Scan, site: &mut Site<'_, '_>, mut args: Vec<Lanes>) -> Result<Vec<Lanes>, Fault> {
    if args.len() < op.carries {
        return Err(Fault::unsound(format!("carries {} values, has {}", op.carries, args.len())));
    }
    let inputs = args.split_off(op.carries);
    let mut carries = args;
    let mut outputs = empty_outputs(op, site)?;
    for step in 0..op.trips.max(0) {
        let at = if op.reverse { op.trips - 1 - step } else { step };
        let mut given = carries;
        for lanes in &inputs {
            given.push(slices(site, lanes, at)?);
        }
        let active = site.active;
        let mut made = site.run_region(0, given, active)?;
        let stacked = made.split_off(op.carries.min(made.len()));
        carries = made;
        stack(site, &mut outputs, stacked, at)?;
    }
    finish_outputs(op, site, outputs, &mut carries)?;
    Ok(carries)
}

/// Slice `at` of dim 0 on every active device, without that dim.
fn slices(site: &Site<'_, '_>, lanes: &Lanes, at: i64) -> Result<Lanes, Fault> {
    let mut out = site.no_lanes();
    for device in site.active {
        let x = lanes.tensor(*device)?;
        let slice = window(x, Dim::new(0), at, 1)?;
        out.put(*device, slice.reshaped(&x.dims()[1..]).map(Value::Tensor));
    }
    Ok(out)
}

/// Zeroed elements of each stacked output, per active device.
fn empty_outputs(op: &Scan, site: &Site<'_, '_>) -> Result<Vec<Vec<Data>>, Fault> {
    let count = site.frame.func.inst(site.inst).results.len();
    let mut outputs = Vec::new();
    for i in op.carries..count {
        let ty = site.result_type(i)?.as_tensor().ok_or_else(|| Fault::unsound("stacks a token"))?;
        let zeros = Data::zeros(ty.dtype.class(), element_count(&ty.dims).unwrap_or(0));
        outputs.push(vec![zeros; site.active.len()]);
    }
    Ok(outputs)
}

fn stack(site: &Site<'_, '_>, outputs: &mut [Vec<Data>], stacked: Vec<Lanes>, at: i64) -> Result<(), Fault> {
    if stacked.len() != outputs.len() {
        return Err(Fault::unsound(format!("stacks {} values, has {}", outputs.len(), stacked.len())));
    }
    for (output, lanes) in outputs.iter_mut().zip(stacked) {
        for (data, device) in output.iter_mut().zip(site.active) {
            let x = lanes.tensor(*device)?;
            let source = View { dims: vec![x.len()], strides: vec![1], offset: 0 };
            let target = View { offset: at.saturating_mul(x.len() as i64), ..source.clone() };
            copy(data, &target, x.data(), &source)?;
        }
    }
    Ok(())
}

fn finish_outputs(
    op: &Scan,
    site: &Site<'_, '_>,
    outputs: Vec<Vec<Data>>,
    results: &mut Vec<Lanes>,
) -> Result<(), Fault> {
    for (i, output) in outputs.into_iter().enumerate() {
        let mut lanes = site.no_lanes();
        for (data, device) in output.into_iter().zip(site.active) {
            let tensor: Tensor = site.tensor(op.carries + i, data)?;
            lanes.put_tensor(*device, tensor);
        }
        results.push(lanes);
    }
    Ok(())
}
