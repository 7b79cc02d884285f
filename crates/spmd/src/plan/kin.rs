//! Which factors of a rule have to do with each other.

use meshwright_ground::IdMap;
use meshwright_ir::{FactorId, Rule};

/// Factors that meet in some tensor, directly or by others, have the same number. Only among those an axis is used once:
/// the values that pass a barrier, say, have nothing to do with each other.
pub fn kin(rule: &Rule) -> IdMap<FactorId, usize> {
    let mut kin = IdMap::filled(rule.factors.len(), 0);
    for (number, factor) in rule.factors.keys().enumerate() {
        kin[factor] = number;
    }
    for tensor in rule.tensors() {
        let Some(least) = tensor.iter().flatten().map(|factor| kin[*factor]).min() else { continue };
        let met: Vec<usize> = tensor.iter().flatten().map(|factor| kin[*factor]).collect();
        kin.values_mut().filter(|number| met.contains(number)).for_each(|number| *number = least);
    }
    kin
}
