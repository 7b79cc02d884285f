//! States from a checkpoint, whatever mesh it was written on: every device reads the boxes it holds.

use super::error::Error;
use super::held::{ArrayPlace, Held, copied};
use super::host::Host;
use super::load::Loaded;
use super::snapshot::element;
use super::state::{States, wanted};
use crate::checkpoint::{
    Checkpoint, Element, InitReport, MISMATCH, Region, Wanted, Weights, are_alike, plan_init,
};
use meshwright_base::Diagnostic;
use meshwright_ir::DType;
use meshwright_ir::literal::float_bytes;
use meshwright_ir::retype::float_of;
use meshwright_nn::optim::stored::MASTER;

/// All states of a step. Everything is compared before anything is read.
pub fn restored(step: &Loaded, checkpoint: &mut Checkpoint, host: &Host<'_>) -> Result<States, Error> {
    read_all(wanted(step)?, Widths::Same, checkpoint, host)
}

/// The parameters of a program, by their names, from wherever weights are.
pub fn parameters(program: &Loaded, weights: &mut dyn Weights, host: &Host<'_>) -> Result<States, Error> {
    let inputs = program.program.inputs().iter().enumerate();
    let named = inputs.filter(|(_, input)| input.name.starts_with("params."));
    let mut places = Vec::new();
    for (at, input) in named {
        places.push((input.name.to_string(), program.input_place(at)?));
    }
    read_all(places, Widths::Same, weights, host)
}

/// The weights of another model, which a program has as inputs under another name than `params`.
pub fn renamed(
    program: &Loaded,
    as_name: &str,
    weights: &mut dyn Weights,
    host: &Host<'_>,
) -> Result<States, Error> {
    let weight =
        |name: &str| name.strip_prefix(as_name)?.strip_prefix('.').map(|name| format!("params.{name}"));
    let mut places = Vec::new();
    for (at, input) in program.program.inputs().iter().enumerate() {
        if let Some(name) = weight(&input.name) {
            places.push((name, program.input_place(at)?));
        }
    }
    let read = read_all(places, Widths::Any, weights, host)?.held.into_iter();
    let named = read.map(|(name, held)| (name.replacen("params", as_name, 1), held));
    Ok(States { held: named.collect() })
}

/// Whether floats may be of another width than they are stored in.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Widths {
    /// They may not: a run goes on with the same bits.
    Same,
    Any,
}

/// States by name and place.
fn read_all(
    places: Vec<(String, ArrayPlace)>,
    widths: Widths,
    from: &mut dyn Weights,
    host: &Host<'_>,
) -> Result<States, Error> {
    let found: Vec<Diagnostic> = places.iter().filter_map(|want| differs(want, widths, from)).collect();
    if !found.is_empty() {
        return Err(Error::Input(found));
    }
    let mut states = States::default();
    for (name, place) in places {
        let held = read(&name, place, from, host)?;
        states.held.insert(name, held);
    }
    Ok(states)
}

/// Weights by name in place of those that were drawn, as far as they fit.
pub fn initialized(
    states: &mut States,
    other: &mut dyn Weights,
    host: &Host<'_>,
) -> Result<InitReport, Error> {
    let weights = states.held.iter().filter(|(name, _)| name.starts_with("params."));
    let want = |(name, held): (&String, &Held)| {
        let element = element(held.place.placement.global.dtype)?;
        Some(Wanted { name: name.clone(), element, shape: held.place.shape() })
    };
    let wanted: Vec<Wanted> = weights.filter_map(want).collect();
    let report = plan_init(&wanted, other);
    for name in &report.taken {
        // The wide copy of a weight is the better source, and begins with the weight where the run keeps one.
        let master = name.replacen("params", MASTER, 1);
        let from = if other.tensor(&master).is_some() { &master } else { name };
        for into in [name, &master] {
            let Some(place) = states.held.get(into).map(|held| held.place.clone()) else { continue };
            let held = read(from, place, other, host)?;
            states.held.insert(into.clone(), held);
        }
    }
    Ok(report)
}

/// What keeps a tensor of the checkpoint from being this state.
fn differs((name, place): &(String, ArrayPlace), widths: Widths, from: &dyn Weights) -> Option<Diagnostic> {
    let refuse = |message: String| {
        let help = "resume with the configuration of the checkpoint, or take what fits with `--init-from`";
        Some(Diagnostic::error(MISMATCH, message).help(help))
    };
    let Some((found, shape)) = from.tensor(name) else {
        return refuse(format!("the checkpoint has no tensor `{name}`"));
    };
    let wanted: Option<Element> = element(place.placement.global.dtype);
    let fits = |wanted| wanted == found || widths == Widths::Any && are_alike(found, wanted);
    if wanted.is_some_and(fits) && shape == place.shape() {
        return None;
    }
    refuse(format!(
        "`{name}` is {} {shape:?} in the checkpoint, the model has {} {:?}",
        found.word(),
        wanted.map_or("nothing", Element::word),
        place.shape()
    ))
}

fn read(name: &str, place: ArrayPlace, from: &mut dyn Weights, host: &Host<'_>) -> Result<Held, Error> {
    let dtype = place.placement.global.dtype;
    let there = from.tensor(name).and_then(|(stored, _)| type_of(stored));
    let width = dtype.bytes();
    let dims: Vec<usize> =
        place.shard_dims().iter().map(|size| usize::try_from(*size).unwrap_or(0)).collect();
    // Devices that hold the same box have it read once.
    let mut last: Option<(Region, Vec<u8>)> = None;
    let array = place.fill(host, |device| {
        let Some(region) = place.region(device) else {
            let bytes = Region::whole(&dims).volume().unwrap_or(0) * width;
            return Ok::<_, Error>(vec![0; bytes]);
        };
        if let Some((_, bytes)) = last.as_ref().filter(|(known, _)| *known == region) {
            return Ok(bytes.clone());
        }
        let bytes = converted(from.read(name, &region)?, there.unwrap_or(dtype), dtype);
        let from = Region { start: vec![0; dims.len()], shape: region.shape.clone() };
        let bytes = copied(&bytes, &from, &Region::whole(&dims), width);
        last = Some((region, bytes.clone()));
        Ok(bytes)
    })?;
    Ok(Held { place, array })
}

/// The type of floats that a checkpoint holds.
fn type_of(stored: Element) -> Option<DType> {
    [DType::BF16, DType::F32, DType::F64].into_iter().find(|dtype| element(*dtype) == Some(stored))
}

/// Floats in another width, rounded to the nearest.
fn converted(bytes: Vec<u8>, from: DType, to: DType) -> Vec<u8> {
    if from == to {
        return bytes;
    }
    bytes.chunks_exact(from.bytes()).flat_map(|one| float_bytes(to, float_of(from, one))).collect()
}
