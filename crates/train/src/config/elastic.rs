//! The mesh of a run on fewer or more devices than it was made for.
//!
//! ```text
//! data=2,expert=4, 6 devices are there  ->  data=3,expert=2     the largest; of those, what wastes least and changes least
//! ```
//!
//! The batch stays the program's, and so do the groups of tokens that are routed together: the losses are the same but
//! for the last bits. Rows and experts that do not divide lie unevenly.

use super::{Axes, Config};
use std::cmp::Reverse;

impl Config {
    /// The largest mesh of the same axes on at most `most` devices, as many as `unit` divides, that the strategy
    /// allows. Among meshes of one size: with the fewest costs, the nearest to this one, and the earliest axes largest.
    /// `None` if there is none.
    pub fn largest_mesh(&self, most: usize, unit: usize) -> Option<Axes> {
        let names: Vec<String> = match self.mesh.axes.0.as_slice() {
            [] => vec!["data".to_string()],
            axes => axes.iter().map(|(name, _)| name.clone()).collect(),
        };
        let unit = unit.max(1);
        (1..=most / unit)
            .rev()
            .find_map(|units| {
                let all = factorizations(units * unit, names.len()).into_iter();
                let meshes = all.map(|sizes| Axes(names.iter().cloned().zip(sizes).collect()));
                meshes.filter_map(|axes| Some((self.cost_of(&axes)?, axes))).min_by_key(|(cost, _)| *cost)
            })
            .map(|(_, axes)| axes)
    }

    /// What speaks against a mesh: the less the better. `None` if the strategy does not allow it.
    fn cost_of(&self, axes: &Axes) -> Option<(usize, usize, Reverse<[usize; 8]>)> {
        let mut config = self.clone();
        config.mesh.axes = axes.clone();
        let found = config.check();
        let times = |(name, size): &(String, usize)| {
            let before = self.mesh.axes.size(name).unwrap_or(1).max(1);
            before.max(*size).saturating_mul(1000) / before.min(*size).max(1)
        };
        let apart = axes.0.iter().map(times).fold(0, usize::saturating_add);
        let mut sizes = [0; 8];
        sizes.iter_mut().zip(&axes.0).for_each(|(to, (_, size))| *to = *size);
        let is_allowed = !found.iter().any(|one| one.is_error());
        is_allowed.then_some((found.len(), apart, Reverse(sizes)))
    }
}

/// All ways to write a number as a product of so many, in order.
fn factorizations(of: usize, parts: usize) -> Vec<Vec<usize>> {
    if parts <= 1 {
        return vec![vec![of]];
    }
    let firsts = (1..=of).filter(|first| of.is_multiple_of(*first));
    let with = |first: usize| {
        factorizations(of / first, parts - 1).into_iter().map(move |rest| [vec![first], rest].concat())
    };
    firsts.flat_map(with).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mesh(sets: &[&str], most: usize, unit: usize) -> Option<String> {
        let mut config = Config::default();
        let all = ["data.batch=64", "model.experts=8"];
        all.iter().chain(sets).for_each(|set| config.set(set).unwrap());
        let axes = config.largest_mesh(most, unit)?;
        Some(axes.0.iter().map(|(name, size)| format!("{name}={size} ")).collect())
    }

    #[test]
    fn the_largest_mesh_wastes_and_changes_least() {
        let both = "mesh.axes=data=2,expert=4";
        for (most, unit, expected) in [
            (8, 1, "data=2 expert=4 "),
            (8, 2, "data=2 expert=4 "),
            (16, 1, "data=4 expert=4 "),
            (4, 1, "data=2 expert=2 "),
            (7, 1, "data=7 expert=1 "),
            (7, 2, "data=3 expert=2 "),
            (3, 3, "data=3 expert=1 "),
            (1, 1, "data=1 expert=1 "),
        ] {
            assert_eq!(mesh(&[both], most, unit).as_deref(), Some(expected), "{most} by {unit}");
        }
        assert_eq!(mesh(&["mesh.axes="], 3, 3).as_deref(), Some("data=3 "));
        assert_eq!(mesh(&[both], 2, 3), None);
        assert_eq!(
            mesh(&["mesh.axes=expert=4", "mesh.strategy=expert"], 16, 1).as_deref(),
            Some("expert=16 ")
        );
    }
}
