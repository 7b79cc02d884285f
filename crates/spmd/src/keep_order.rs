//! Tell a compiler what to do before it goes on, so that large values end as early as they do here.
//!
//! ```text
//! %g = all-gather %dy                          %g = all-gather %dy
//! %dw = dot %h, %g        much later used      %dw = dot %h, %g
//! %dx = dot %g, %w                       =>    %dx = dot %g, %w
//! %n = all-gather %x                           %x1, %dw1 = optimization_barrier %x, %dw
//!                                              %n = all-gather %x1
//! ```
//!
//! Compilers order a program anew. That of TPUs put the products that make gradients of weights at the end, and kept
//! what they read until then: of GSPMD's model, 2 layers on 2,048 cores, that took 4.82 GB, and 2.88 GB where the rest
//! waits.
//!
//! Where the last user of a large value is done, the next work that does not need all its users waits for them. What
//! waits is a product, a collective or a loop, by an operand that is in memory anyway: that of an elementwise op would
//! no longer be fused. Values are the same. Costs a walk back from each of them.

use meshwright_base::IdMap;
use meshwright_ir::{BlockId, Build, Builder, Editor, Function, InstId, Module, Op, ValueId};
use std::collections::{BTreeMap, BTreeSet};

/// Smaller values are not waited for: of the peak, and in any program.
const SHARE: i64 = 128;
const LEAST: i64 = 16 << 20;

/// So far behind a last user is work looked for that can wait.
const MOST_WORK: usize = 8;

pub fn keep_order(module: &mut Module) {
    let least = (meshwright_cost::program_peak(module) / SHARE).max(LEAST);
    keep_order_from(module, least);
}

/// The same for values of so many bytes.
pub fn keep_order_from(module: &mut Module, least: i64) {
    for func in module.funcs.values_mut() {
        for block in func.blocks_in_order() {
            let waits = BlockUses::of(func, block).waits(least);
            wait(func, block, &waits);
        }
    }
}

/// By the place of what waits: by which operand, and for which values.
type Waits = BTreeMap<usize, WaitsFor>;

struct WaitsFor {
    held: ValueId,
    late: BTreeSet<ValueId>,
}

/// A block with who uses what.
struct BlockUses<'a> {
    func: &'a Function,
    insts: &'a [InstId],
    /// Where a value is made, if in this block.
    made: IdMap<ValueId, Option<usize>>,
    /// Where it is used, in order; a result of the block is used behind all.
    users: BTreeMap<ValueId, Vec<usize>>,
}

impl BlockUses<'_> {
    fn of(func: &Function, block: BlockId) -> BlockUses<'_> {
        let insts = &func.block(block).insts[..];
        let mut made = IdMap::filled(func.value_count(), None);
        let mut users: BTreeMap<ValueId, Vec<usize>> = BTreeMap::new();
        for (place, inst) in insts.iter().enumerate() {
            for value in reads(func, *inst) {
                users.entry(value).or_default().push(place);
            }
            func.inst(*inst).results.iter().for_each(|value| made[*value] = Some(place));
        }
        for value in &func.block(block).results {
            users.entry(*value).or_default().push(insts.len());
        }
        BlockUses { func, insts, made, users }
    }

    fn waits(&self, least: i64) -> Waits {
        let mut waits = Waits::new();
        for (place, inst) in self.insts.iter().enumerate() {
            let large = |value: &&ValueId| self.func.ty(**value).byte_size() >= least;
            for value in self.func.inst(*inst).results.iter().filter(large) {
                if let Some((waiting, wait)) = self.wait_for(*value, place) {
                    waits.entry(waiting).and_modify(|known| known.late.extend(&wait.late)).or_insert(wait);
                }
            }
        }
        waits
    }

    /// What waits for the users of a value, and for which of their results.
    fn wait_for(&self, value: ValueId, made: usize) -> Option<(usize, WaitsFor)> {
        let users = self.users.get(&value)?;
        let last = *users.last().filter(|last| **last < self.insts.len())?;
        let work =
            (last + 1..self.insts.len()).filter(|place| is_work(&self.func.inst(self.insts[*place]).op));
        for waiting in work.take(MOST_WORK) {
            let needed = self.needed_by(waiting, made);
            if users.iter().all(|user| needed.contains(user)) {
                return None;
            }
            let Some(held) = self.held_operand(waiting) else { continue };
            let mut late = BTreeSet::new();
            let free = users.iter().filter(|user| !needed.contains(user));
            free.for_each(|user| self.alive(*user, waiting, &mut late));
            late.remove(&held);
            return (!late.is_empty()).then_some((waiting, WaitsFor { held, late }));
        }
        None
    }

    /// The places from one on whose results something needs.
    fn needed_by(&self, place: usize, from: usize) -> BTreeSet<usize> {
        let mut needed = BTreeSet::from([place]);
        let mut open = vec![place];
        while let Some(place) = open.pop() {
            let makers = reads(self.func, self.insts[place]).into_iter().filter_map(|value| self.made[value]);
            open.extend(makers.filter(|maker| *maker >= from && needed.insert(*maker)));
        }
        needed
    }

    /// What comes of an instruction and is alive behind a place.
    fn alive(&self, from: usize, at: usize, found: &mut BTreeSet<ValueId>) {
        let mut seen = BTreeSet::from([from]);
        let mut open = vec![from];
        while let Some(place) = open.pop() {
            for value in &self.func.inst(self.insts[place]).results {
                let users = self.users.get(value).map_or(&[][..], |users| users);
                if users.last().is_some_and(|last| *last > at) && self.func.ty(*value).as_tensor().is_some() {
                    found.insert(*value);
                    continue;
                }
                open.extend(users.iter().copied().filter(|user| *user < at && seen.insert(*user)));
            }
        }
    }

    /// The operand by which something can wait: one that no fusion makes.
    fn held_operand(&self, place: usize) -> Option<ValueId> {
        let waiting = self.func.inst(self.insts[place]);
        let is_held = |value: &ValueId| match self.made[*value] {
            _ if matches!(waiting.op, Op::OptimizationBarrier) => true,
            Some(maker) => is_work(&self.func.inst(self.insts[maker]).op),
            None => true,
        };
        waiting
            .operands
            .iter()
            .copied()
            .find(|value| self.func.ty(*value).as_tensor().is_some() && is_held(value))
    }
}

/// What takes time of its own, and is not fused with what comes before it.
fn is_work(op: &Op) -> bool {
    matches!(
        op,
        Op::Dot(_)
            | Op::Convolution(_)
            | Op::Collective(_)
            | Op::Control(_)
            | Op::Scan(_)
            | Op::Call(_)
            | Op::OptimizationBarrier
    )
}

/// What an instruction reads, its regions included.
fn reads(func: &Function, inst: InstId) -> Vec<ValueId> {
    let inst = func.inst(inst);
    let mut values = inst.operands.clone();
    for region in &inst.regions {
        let block = func.block(*region);
        values.extend(&block.results);
        block.insts.iter().for_each(|inside| values.extend(reads(func, *inside)));
    }
    values
}

fn wait(func: &mut Function, block: BlockId, waits: &Waits) {
    if waits.is_empty() {
        return;
    }
    let insts = func.block(block).insts.clone();
    let mut passed: BTreeMap<ValueId, ValueId> = BTreeMap::new();
    let now = |passed: &BTreeMap<ValueId, ValueId>, values: &[ValueId]| -> Vec<ValueId> {
        values.iter().map(|value| *passed.get(value).unwrap_or(value)).collect()
    };
    for (place, inst) in insts.into_iter().enumerate() {
        if let Some(WaitsFor { held, late }) = waits.get(&place) {
            let values: Vec<ValueId> = std::iter::once(held).chain(late).copied().collect();
            let operands = now(&passed, &values);
            let types = operands.iter().map(|value| func.ty(*value).clone()).collect();
            let mut b = Builder::before(func, inst);
            let results = b.push_typed(Op::OptimizationBarrier, operands, Vec::new(), types);
            passed.extend(values.into_iter().zip(results));
        }
        let operands = now(&passed, &func.inst(inst).operands);
        Editor::new(func).set_operands(inst, operands);
    }
    let results = now(&passed, &func.block(block).results);
    Editor::new(func).set_results(block, results);
}

#[cfg(test)]
mod tests {
    use super::*;
    use meshwright_base::SourceText;
    use meshwright_text::stablehlo::{parse, print};

    /// A gradient that goes on, and the one of a weight, which is a result: both read `%g`.
    const STEP: &str = "
func.func public @main(%h: tensor<64x64xf32>, %dy: tensor<64x64xf32>, %w: tensor<64x64xf32>, %v: tensor<64x64xf32>) -> (tensor<64x64xf32>, tensor<64x64xf32>) {
  %g = stablehlo.tanh %dy : tensor<64x64xf32>
  %dw = stablehlo.dot_general %h, %g, contracting_dims = [0] x [0] : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %dx = stablehlo.dot_general %g, %w, contracting_dims = [1] x [1] : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %e = stablehlo.sine %dx : tensor<64x64xf32>
  %n = stablehlo.dot_general %e, %v, contracting_dims = [1] x [1] : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  return %n, %dw : tensor<64x64xf32>, tensor<64x64xf32>
}
";

    fn kept(least: i64) -> String {
        let text = SourceText::new("step.mlir", STEP);
        let mut module = parse(&text).expect("a module");
        keep_order_from(&mut module, least);
        print(&module)
    }

    #[test]
    fn what_comes_next_waits_for_all_users_of_a_large_value() {
        let text = kept(4 * 64 * 64);
        let line = text.lines().find(|line| line.contains("optimization_barrier")).expect("a barrier");
        assert!(line.contains("optimization_barrier %v, %dw"), "not by `%e`, which is fused: {line}");
        let at = |what: &str| text.find(what).unwrap_or_else(|| panic!("{what}: {text}"));
        assert!(
            at("%dx = ") < at("optimization_barrier") && at("optimization_barrier") < at("%n = "),
            "{text}"
        );
        assert_eq!(text.matches("optimization_barrier").count(), 1, "{text}");
    }

    #[test]
    fn small_values_are_left() {
        assert!(!kept(4 * 64 * 64 + 1).contains("optimization_barrier"));
    }
}
