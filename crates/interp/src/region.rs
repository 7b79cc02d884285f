//! Regions on scalars, as reducers, comparators and maps use them.

use crate::fault::Fault;
use crate::lanes::{Device, Value, take_tensors};
use crate::machine::Site;
use crate::scalar::{Program, scalar_of};
use crate::tensor::{Scalar, Tensor};
use meshwright_ir::{BlockId, Function};

/// A region that can be applied to scalars of one device, again and again.
pub(crate) enum Applier {
    /// Compiled: scalar arithmetic only.
    Program(Program),
    /// Run instruction by instruction.
    Block { region: BlockId, device: Device },
}

impl Applier {
    /// Prepare the instruction's region `index` for a device.
    pub fn new(site: &Site<'_, '_>, index: usize, device: Device) -> Result<Applier, Fault> {
        let region = site.region(index)?;
        let captured = |value| match site.frame.get(value, device) {
            Some(Value::Tensor(tensor)) => scalar_of(tensor),
            _ => None,
        };
        Ok(match Program::compile(site.frame.func, region, &captured) {
            Some(program) => Applier::Program(program),
            None => Applier::Block { region, device },
        })
    }

    /// A function on scalars that does no more than arithmetic.
    pub fn of_function(func: &Function) -> Option<Applier> {
        Program::compile(func, func.root(), &|_| None).map(Applier::Program)
    }

    /// Results go to `out`, which is cleared first.
    pub fn apply(
        &mut self,
        site: &mut Site<'_, '_>,
        args: &[Scalar],
        out: &mut Vec<Scalar>,
    ) -> Result<(), Fault> {
        match self {
            Applier::Program(program) => program.run(args.iter().copied(), out),
            Applier::Block { region, device } => run_block(site, *region, *device, args, out),
        }
    }

    /// For comparators and selectors: apply and read one `pred`.
    pub fn test(
        &mut self,
        site: &mut Site<'_, '_>,
        args: &[Scalar],
        out: &mut Vec<Scalar>,
    ) -> Result<bool, Fault> {
        self.apply(site, args, out)?;
        match out.first() {
            Some(Scalar::Pred(answer)) => Ok(*answer),
            _ => Err(Fault::unsound("its region returns no pred")),
        }
    }
}

fn run_block(
    site: &mut Site<'_, '_>,
    region: BlockId,
    device: Device,
    args: &[Scalar],
    out: &mut Vec<Scalar>,
) -> Result<(), Fault> {
    let func = site.frame.func;
    let mut values = Vec::with_capacity(args.len());
    for (param, arg) in func.block(region).params.iter().zip(args) {
        let dtype = crate::scalar::scalar_dtype(func.ty(*param));
        let tensor = dtype.and_then(|dtype| Tensor::scalar(dtype, *arg));
        let tensor = tensor.ok_or_else(|| Fault::unsound("its region takes other types"))?;
        let mut lanes = site.no_lanes();
        lanes.put_tensor(device, tensor);
        values.push(lanes);
    }
    let mut results = site.machine.block(site.frame, region, values, &[device])?;
    out.clear();
    for tensor in take_tensors(&mut results, device)? {
        out.push(scalar_of(&tensor).ok_or_else(|| Fault::unsound("its region returns no scalar"))?);
    }
    Ok(())
}
