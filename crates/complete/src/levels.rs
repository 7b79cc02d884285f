//! When a direction of a step is first looked at, told from the factors of its rule alone (GSPMD 3.5: the most
//! intuitive first).

use meshwright_base::Id;
use meshwright_ir::rule::DimFactors;
use meshwright_ir::{Factor, FactorId, FactorKind};

/// When a direction of a step is first looked at.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Level {
    /// Every dim stays: elementwise, transposes, reshapes, edges. Both ways.
    Keep,
    /// Dims are added, removed or cut: contractions, reductions, gathers, windows. Both ways.
    Change,
    /// From the result of a broadcast to its operand.
    BroadcastBack,
    /// From the operand of a broadcast to its result.
    BroadcastOn,
    Never,
}

/// The levels that run, in their order.
pub(crate) const LEVELS: [Level; 4] = [Level::Keep, Level::Change, Level::BroadcastBack, Level::BroadcastOn];

/// The levels of a rule, forward and backward.
pub(crate) fn levels(
    factors: &[Factor],
    operands: &[Vec<DimFactors>],
    results: &[Vec<DimFactors>],
) -> (Level, Level) {
    let Some(sets) = Sets::of(factors, operands, results) else { return (Level::Change, Level::Change) };
    if sets.operands != 0 && sets.results & !sets.operands & sets.passing & sets.long != 0 {
        return (Level::BroadcastOn, Level::BroadcastBack);
    }
    let keeps = sets.all_pass && sets.same_or_apart();
    if keeps { (Level::Keep, Level::Keep) } else { (Level::Change, Level::Change) }
}

/// Which factors stand where, as bits. Factors that must not be split count for nothing.
struct Sets {
    of: Vec<u128>,
    operands: u128,
    results: u128,
    passing: u128,
    /// Factors of size above 1.
    long: u128,
    all_pass: bool,
}

impl Sets {
    /// `None` if there are too many factors to number.
    fn of(factors: &[Factor], operands: &[Vec<DimFactors>], results: &[Vec<DimFactors>]) -> Option<Sets> {
        if factors.len() > 128 {
            return None;
        }
        let those = |keep: &dyn Fn(&Factor) -> bool| {
            let bits =
                factors.iter().enumerate().filter(|(_, factor)| keep(factor)).map(|(at, _)| 1u128 << at);
            bits.fold(0, |set, bit| set | bit)
        };
        let counted = those(&|factor| factor.kind != FactorKind::Whole);
        let bit = |factor: &FactorId| (1u128 << factor.index()) & counted;
        let set = |dims: &Vec<DimFactors>| dims.iter().flatten().fold(0, |set, factor| set | bit(factor));
        let join = |tensors: &[Vec<DimFactors>]| tensors.iter().fold(0, |all, dims| all | set(dims));
        let (all_operands, all_results) = (join(operands), join(results));
        let present = all_operands | all_results;
        let passing = those(&|factor| factor.kind == FactorKind::Pass) & present;
        Some(Sets {
            of: operands.iter().chain(results).map(set).filter(|set| *set != 0).collect(),
            operands: all_operands,
            results: all_results,
            passing,
            long: those(&|factor| factor.size > 1),
            all_pass: passing == present,
        })
    }

    /// Whether any two tensors have the same factors of size above 1 or none in common, and no factor stands alone.
    fn same_or_apart(&self) -> bool {
        let of = |at: usize| self.of[at] & self.long;
        let alike = |a: usize, b: usize| of(a) == of(b) || of(a) & of(b) == 0;
        let all = |at: usize| (0..self.of.len()).filter(move |other| *other != at);
        (0..self.of.len())
            .all(|at| all(at).all(|other| alike(at, other)) && all(at).any(|other| of(at) == of(other)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(operands: &[&[&[usize]]], results: &[&[&[usize]]]) -> (Level, Level) {
        let factors = vec![Factor::new(4, FactorKind::Pass); 4];
        let dims = |tensor: &&[&[usize]]| -> Vec<DimFactors> {
            tensor.iter().map(|dim| dim.iter().map(|at| FactorId::from_index(*at)).collect()).collect()
        };
        let tensors = |list: &[&[&[usize]]]| list.iter().map(dims).collect::<Vec<_>>();
        levels(&factors, &tensors(operands), &tensors(results))
    }

    #[test]
    fn transposes_and_reshapes_keep_dims_and_a_scalar_beside_them_does_not_matter() {
        assert_eq!(of(&[&[&[0], &[1]], &[]], &[&[&[1], &[0]]]), (Level::Keep, Level::Keep));
        assert_eq!(of(&[&[&[0, 1]]], &[&[&[0], &[1]]]), (Level::Keep, Level::Keep));
    }

    #[test]
    fn dims_that_appear_make_a_broadcast_and_dims_that_vanish_a_change() {
        assert_eq!(of(&[&[&[0]]], &[&[&[0], &[1]]]), (Level::BroadcastOn, Level::BroadcastBack));
        assert_eq!(of(&[&[&[0], &[1]]], &[&[&[0]]]), (Level::Change, Level::Change));
        assert_eq!(of(&[&[&[0], &[2]], &[&[2], &[1]]], &[&[&[0], &[1]]]), (Level::Change, Level::Change));
    }
}
