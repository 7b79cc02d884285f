//! `--infeed` and `--outfeed`: files for what enters and leaves a program while it runs.
//!
//! Arrays of the first file are queued in order, the same for every device. What devices give out is written in the
//! order in which they gave it: once where all gave the same, else stacked over devices.

use crate::args::RunArgs;
use crate::commands::run::{Results, write_results};
use crate::engine::{to_host, to_tensor};
use crate::failure::Failure;
use crate::input;
use crate::npz::FileArchive;
use meshwright_base::{Code, Diagnostic, Id};
use meshwright_interp::Tensor;
use meshwright_ir::TensorType;
use meshwright_runtime::{DeviceId, feed::Feed};
use std::cell::RefCell;
use std::collections::{BTreeMap, VecDeque};
use std::path::Path;
use std::sync::Arc;

const BAD_FEED: Code = Code(714);

/// The arrays of `--infeed`, in order.
fn entering(args: &RunArgs) -> Result<Vec<Tensor>, Failure> {
    args.infeed.as_deref().map_or(Ok(Vec::new()), read_all)
}

fn read_all(path: &Path) -> Result<Vec<Tensor>, Failure> {
    let name = path.display().to_string();
    let bad = |message: String| {
        let help = "`meshwright run --help` tells how arrays are named";
        Failure::input(Diagnostic::error(BAD_FEED, message).help(help))
    };
    let archive = FileArchive::open(path).map_err(|error| input::unreadable(&name, &error))?;
    let mut archive = archive.map_err(|error| bad(format!("`{name}`: {error}")))?;
    let count = archive.len();
    let read = |index: usize| {
        let entry =
            archive.find(index, &[]).ok_or_else(|| bad(format!("`{name}` has no array `{index}`")))?;
        let array = archive
            .read(entry, LARGEST)
            .map_err(|error| bad(format!("array {index} of `{name}`: {error}")))?;
        Tensor::from_bytes(array.ty.clone(), &array.bytes)
            .ok_or_else(|| bad(format!("array {index} of `{name}` does not fit its type {}", array.ty)))
    };
    (0..count).map(read).collect()
}

/// Bytes of one array.
const LARGEST: u64 = 8 << 30;

/// Write what each device gave out.
fn write(path: &Path, mut left: Results) -> Result<(), Failure> {
    let first = left.first().map_or(&[][..], Vec::as_slice);
    let types = |all: &[Tensor]| all.iter().map(|array| array.ty().clone()).collect::<Vec<_>>();
    if let Some(other) = left.iter().position(|other| types(other) != types(first)) {
        let message = format!(
            "device 0 gave out {} arrays and device {other} others, {} of them",
            first.len(),
            left[other].len()
        );
        let help = "give out the same number and types on every device";
        return Err(Failure::input(Diagnostic::error(BAD_FEED, message).help(help)));
    }
    let bytes = |all: &[Tensor]| all.iter().map(Tensor::to_bytes).collect::<Vec<_>>();
    if left.iter().skip(1).all(|other| bytes(other) == bytes(first)) {
        left.truncate(1);
    }
    write_results(path, &left)
}

/// Queues for the interpreter.
pub struct Simulated {
    arrays: VecDeque<Tensor>,
    /// Of devices that have taken something.
    entering: RefCell<BTreeMap<usize, VecDeque<Tensor>>>,
    left: RefCell<BTreeMap<usize, Vec<Tensor>>>,
}

impl meshwright_interp::Feed for Simulated {
    fn take(&self, device: usize, _: &TensorType) -> Option<Tensor> {
        self.entering.borrow_mut().entry(device).or_insert_with(|| self.arrays.clone()).pop_front()
    }

    fn give(&self, device: usize, array: Tensor) {
        self.left.borrow_mut().entry(device).or_default().push(array);
    }
}

impl Simulated {
    /// `None` if neither file is named.
    pub fn new(args: &RunArgs) -> Result<Option<Simulated>, Failure> {
        if args.infeed.is_none() && args.outfeed.is_none() {
            return Ok(None);
        }
        let arrays = entering(args)?.into();
        Ok(Some(Simulated { arrays, entering: RefCell::default(), left: RefCell::default() }))
    }

    pub fn finish(self, args: &RunArgs) -> Result<(), Failure> {
        let left = self.left.into_inner().into_values().collect();
        args.outfeed.as_deref().map_or(Ok(()), |path| write(path, left))
    }
}

/// Queues for the devices of an engine that live here; `None` if neither file is named.
pub fn queues(args: &RunArgs, local: &[DeviceId]) -> Result<Option<Arc<Feed>>, Failure> {
    if args.infeed.is_none() && args.outfeed.is_none() {
        return Ok(None);
    }
    let feed = Feed::default();
    for array in entering(args)? {
        local.iter().for_each(|device| feed.queue(*device, to_host(&array)));
    }
    Ok(Some(Arc::new(feed)))
}

/// Write what the devices that live here gave out. Over several ranks: the rank of device 0 does, for its own devices.
pub fn finish(args: &RunArgs, feed: &Feed, local: &[DeviceId]) -> Result<(), Failure> {
    let has_first = local.iter().any(|device| device.index() == 0);
    let Some(path) = args.outfeed.as_deref().filter(|_| has_first) else { return Ok(()) };
    let of = |device: &DeviceId| feed.left(*device).iter().map(to_tensor).collect::<Result<Vec<_>, _>>();
    write(path, local.iter().map(of).collect::<Result<_, _>>()?)
}
