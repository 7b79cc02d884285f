//! In f32: the first loss and every gradient of the first step on a mesh beside those on one device.
//!
//! Stochastic descent's momentum after one step is the gradient, and the checkpoint of that step holds it.

use crate::runs::support::{MESHES, MODELS, at, config, fields, whole};
use meshwright_train::checkpoint::{Checkpoint, Region};
use std::collections::BTreeMap;

const FIRST: [&str; 5] = [
    "model.dtype=f32",
    "optimizer.rule=sgd",
    "optimizer.beta1=0.5",
    "optimizer.clip_norm=0",
    "train.steps=1",
];

type Gradients = BTreeMap<String, Vec<f64>>;

fn first_step(model: (&str, &'static [&'static str]), axes: &str) -> (f64, Gradients) {
    let mesh = format!("mesh.axes={axes}");
    let sets = [&fields(model)[..], &FIRST, &[&mesh]].concat();
    let (outcome, _, dir) = whole(&config(&sets), &format!("gradients-{}", model.0));
    let mut checkpoint = Checkpoint::open(&at(&dir, 1)).unwrap();
    let tensors: Vec<(String, Vec<usize>)> =
        checkpoint.tensors().map(|(name, _, _, shape)| (name.to_string(), shape.to_vec())).collect();
    let momenta = tensors.into_iter().filter(|(name, _)| name.starts_with("momentum."));
    let mut read = |(name, shape): (String, Vec<usize>)| {
        let bytes = checkpoint.read(&name, &Region::whole(&shape)).unwrap();
        let numbers = bytes.chunks_exact(4).map(|one| f64::from(f32::from_le_bytes(one.try_into().unwrap())));
        (name, numbers.collect())
    };
    (outcome.losses[0], momenta.map(&mut read).collect())
}

fn norm(values: impl Iterator<Item = f64>) -> f64 {
    values.map(|value| value * value).sum::<f64>().sqrt()
}

fn close(model: (&str, &'static [&'static str]), meshes: &[&str]) {
    let (loss, gradients) = first_step(model, "");
    assert!(gradients.len() > 10 && gradients.values().all(|one| norm(one.iter().copied()) > 0.0));
    for axes in meshes {
        let (ours, found) = first_step(model, axes);
        let off = (ours - loss).abs() / loss.abs();
        let far = |name: &String| {
            let (a, b) = (&found[name], &gradients[name]);
            norm(a.iter().zip(b).map(|(a, b)| a - b)) / norm(b.iter().copied())
        };
        let (worst, name) =
            gradients.keys().map(|name| (far(name), name)).max_by(|a, b| a.0.total_cmp(&b.0)).unwrap();
        println!(
            "{} on {axes}: loss {off:.1e}, gradients at most {worst:.1e} of their norm ({name})",
            model.0
        );
        assert!(off <= 1e-6, "{} on {axes}: {ours} and {loss}", model.0);
        assert!(worst <= 1e-5, "{} on {axes}: {name} is {worst} of its norm apart", model.0);
    }
}

#[test]
fn the_first_gradients_of_every_model_are_the_same() {
    MODELS.into_iter().for_each(|model| close(model, &MESHES));
}
