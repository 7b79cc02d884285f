//! What enters and leaves a running program: `infeed`, `outfeed`, and transfers to and from the host.
//!
//! Each device has a queue of its own on both sides. A program that asks for more than was queued ends in a diagnostic:
//! nobody waits. Channels are not told apart: arrays go in the order in which a device asks for them.

use crate::fault::{Fault, NOT_RUN};
use crate::lanes::{Device, Lanes, Value};
use crate::machine::Site;
use crate::tensor::Tensor;
use meshwright_base::{Caller, Id};
use meshwright_ir::TensorType;
use meshwright_ir::op::TokenOp;

/// The queues of a run.
pub trait Feed {
    /// The next array for a device, if there is one; the program asks for one of this type.
    fn take(&self, device: usize, ty: &TensorType) -> Option<Tensor>;
    /// An array that a device gives out.
    fn give(&self, device: usize, array: Tensor);
}

pub(crate) fn eval(op: &TokenOp, site: &Site<'_, '_>, args: &[Lanes]) -> Result<Vec<Lanes>, Fault> {
    match op {
        TokenOp::AfterAll => Ok(vec![tokens(site)]),
        TokenOp::Infeed { results, .. } => receive(site, results.len()),
        TokenOp::Outfeed { .. } => send(site, args),
        TokenOp::Send(transfer) if transfer.is_host_transfer => send(site, args),
        TokenOp::Recv { transfer, results } if transfer.is_host_transfer => receive(site, results.len()),
        TokenOp::Send(_) | TokenOp::Recv { .. } => {
            let message =
                "has no partner in its block: a send with the same channel, pairs and types before a receive";
            Err(Fault::new(NOT_RUN, message)
                .help("use `collective_permute`, which sends and receives at once"))
        }
    }
}

fn tokens(site: &Site<'_, '_>) -> Lanes {
    let mut lanes = site.no_lanes();
    for device in site.active {
        lanes.put(*device, Some(Value::Token));
    }
    lanes
}

/// What can be done where there are no queues.
fn feed_help() -> &'static str {
    match Caller::here() {
        Caller::CommandLine => "give arrays by `--infeed FILE.npz`, take them by `--outfeed FILE.npz`",
        Caller::Python => "make what it reads an argument of the function, and what it writes a result",
    }
}

fn queues<'m>(site: &Site<'_, 'm>) -> Result<&'m dyn Feed, Fault> {
    let message = "moves data between host and device, and the run has no queues for that";
    let help = feed_help();
    site.machine.feed.ok_or_else(|| Fault::new(NOT_RUN, message).help(help))
}

/// As many arrays as the op has results, and the token.
fn receive(site: &Site<'_, '_>, count: usize) -> Result<Vec<Lanes>, Fault> {
    let feed = queues(site)?;
    let mut results = vec![site.no_lanes(); count];
    for (index, lanes) in results.iter_mut().enumerate() {
        let ty = site.result_type(index)?.as_tensor().ok_or_else(|| Fault::unsound("takes in a token"))?;
        for device in site.active {
            let array = feed.take(device.index(), ty).ok_or_else(|| empty(*device, &ty.to_string()))?;
            if ty != array.ty() {
                let message = format!("takes {ty}, but the next array for device {device} is {}", array.ty());
                return Err(
                    Fault::new(NOT_RUN, message).help("queue arrays in the order in which they are taken")
                );
            }
            lanes.put_tensor(*device, site.tensor(index, array.into_data())?);
        }
    }
    results.push(tokens(site));
    Ok(results)
}

fn empty(device: Device, ty: &str) -> Fault {
    let message = format!("takes {ty}, but nothing is queued for device {device} any more");
    Fault::new(NOT_RUN, message).help("queue one array for each that the program takes")
}

fn send(site: &Site<'_, '_>, args: &[Lanes]) -> Result<Vec<Lanes>, Fault> {
    let feed = queues(site)?;
    for lanes in args {
        for device in site.active {
            if let Some(Value::Tensor(array)) = lanes.get(*device) {
                feed.give(device.index(), array.clone());
            }
        }
    }
    Ok(vec![tokens(site)])
}
