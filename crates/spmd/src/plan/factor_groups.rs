//! Which factors of a rule have to do with each other.

use meshwright_base::IdMap;
use meshwright_ir::{FactorId, FactorKind, Rule};

/// Factors that meet in some tensor, directly or by others, have the same number. Only among those an axis is used
/// once: the values that pass a barrier, say, have nothing to do with each other. A factor that is reduced stands in
/// the results too: they are partial over its axes.
pub fn factor_groups(rule: &Rule) -> IdMap<FactorId, usize> {
    let mut groups = IdMap::filled(rule.factors.len(), 0);
    for (number, factor) in rule.factors.keys().enumerate() {
        groups[factor] = number;
    }
    let reduced = || rule.factors.iter().filter(|(_, info)| matches!(info.kind, FactorKind::Reduce(_)));
    for (at, tensor) in rule.tensors().enumerate() {
        let partial = reduced().map(|(factor, _)| factor).filter(|_| at >= rule.operands.len());
        let met: Vec<usize> =
            tensor.iter().flatten().copied().chain(partial).map(|factor| groups[factor]).collect();
        let Some(least) = met.iter().min().copied() else { continue };
        groups.values_mut().filter(|number| met.contains(number)).for_each(|number| *number = least);
    }
    groups
}
