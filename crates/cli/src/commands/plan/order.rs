//! Orders of devices: does an axis of the mesh lie across the network, and what would it take in another order?
//!
//! Tried are all orders of the mesh's axes from outside in; of each only collectives change, so it is simulated again
//! as it is. One is proposed if its step is shorter by more than a hundredth.

use super::planned::Planned;
use meshwright_base::Id;
use meshwright_cost::network::wiring::Run;
use meshwright_cost::{Detail, Wiring, simulate};
use meshwright_shard::{AxisId, Mesh, MeshId};

/// Orders that are tried at most: those of five axes.
const MOST: usize = 120;
const SHORTER: f64 = 0.99;

/// A mesh whose devices could lie better.
pub struct Better {
    pub mesh: String,
    /// Seconds of the step as it is, and in the better order.
    pub seconds: f64,
    pub better: f64,
    /// Axes from outside in.
    pub axes: Vec<(String, i64)>,
    /// The device of each position of the mesh as it is written; `None` if that is the number of the position.
    pub devices: Option<Vec<u32>>,
    /// Where each axis lies, before and then.
    pub lies: Vec<(String, String, String)>,
}

/// The best order of the largest mesh, if it is worth it. Threads of one process lie nowhere.
pub fn better(planned: &Planned) -> Option<Better> {
    if planned.native.is_some() {
        return None;
    }
    let (id, mesh, wiring) =
        planned.wired.meshes().max_by_key(|(id, mesh, _)| (mesh.device_count(), id.index()))?;
    let mut best: Option<(f64, Vec<usize>, Wiring)> = None;
    for order in orders(mesh.axes.len()).into_iter().take(MOST) {
        let network = &planned.machine.network;
        let Ok(made) = Wiring::of_runs(mesh, runs(mesh, &order), network) else { continue };
        let seconds = seconds(planned, id, made.clone());
        if best.as_ref().is_none_or(|(best, ..)| seconds < *best) {
            best = Some((seconds, order, made));
        }
    }
    let (better, order, made) = best?;
    if better > SHORTER * planned.step.seconds {
        return None;
    }
    let network = &planned.machine.network;
    let axis = |at: &usize| AxisId::from_index(*at);
    let lies = mesh.whole_axes().into_iter().filter(|axis| axis.size > 1).map(|of| {
        let name = mesh.axes[of.axis].name.to_string();
        (name, wiring.text(mesh, of, network), made.text(mesh, of, network))
    });
    Some(Better {
        mesh: mesh.name.to_string(),
        seconds: planned.step.seconds,
        better,
        axes: order
            .iter()
            .map(|at| (mesh.axes[axis(at)].name.to_string(), mesh.axes[axis(at)].size))
            .collect(),
        devices: made.devices(mesh.device_count()),
        lies: lies.collect(),
    })
}

fn seconds(planned: &Planned, mesh: MeshId, wiring: Wiring) -> f64 {
    let wired = planned.wired.rewired(mesh, wiring);
    simulate(&planned.activities, &wired, &planned.machine, Detail::Totals).seconds
}

/// All orders of so many things.
fn orders(count: usize) -> Vec<Vec<usize>> {
    let mut all: Vec<Vec<usize>> = vec![Vec::new()];
    for next in 0..count {
        all = all
            .into_iter()
            .flat_map(|order| {
                (0..=order.len()).map(move |at| {
                    let mut order = order.clone();
                    order.insert(order.len() - at, next);
                    order
                })
            })
            .collect();
        all.truncate(MOST);
    }
    all
}

/// A mesh's positions, the innermost axis first, where its axes lie on devices in this order from outside in.
fn runs(mesh: &Mesh, order: &[usize]) -> Vec<Run> {
    let size = |at: usize| mesh.axes[AxisId::from_index(at)].size;
    let stride = |axis: usize| -> i64 {
        let behind = order.iter().skip_while(|at| **at != axis).skip(1);
        behind.map(|at| size(*at)).product()
    };
    (0..order.len()).rev().map(|axis| Run { size: size(axis), stride: stride(axis) }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn orders_are_all_there_are_and_the_first_is_the_mesh_as_it_is() {
        let all = orders(3);
        assert_eq!((all.len(), &all[0][..]), (6, &[0, 1, 2][..]));
        let distinct: std::collections::BTreeSet<_> = all.iter().collect();
        assert_eq!(distinct.len(), 6);
    }

    #[test]
    fn the_outermost_axis_has_the_longest_stride() {
        let mesh = Mesh::new("m", [("x", 4), ("y", 2)], None).expect("a mesh");
        assert_eq!(runs(&mesh, &[0, 1]), [Run { size: 2, stride: 1 }, Run { size: 4, stride: 2 }]);
        assert_eq!(runs(&mesh, &[1, 0]), [Run { size: 2, stride: 4 }, Run { size: 4, stride: 1 }]);
    }
}
