//! What an instruction uses, with all in its regions, and how often values are used.

use meshwright_base::{Id, IdMap};
use meshwright_ir::{Function, InstId, ValueId};

/// Every operand of an instruction and of all in its regions, and what these return.
pub fn each(func: &Function, inst: InstId, note: &mut impl FnMut(ValueId)) {
    let info = func.inst(inst);
    info.operands.iter().for_each(|value| note(*value));
    if info.regions.is_empty() {
        return;
    }
    let mut left = info.regions.clone();
    while let Some(region) = left.pop() {
        let block = func.block(region);
        block.results.iter().for_each(|value| note(*value));
        for inner in block.insts.iter().map(|inst| func.inst(*inst)) {
            inner.operands.iter().for_each(|value| note(*value));
            left.extend(&inner.regions);
        }
    }
}

/// How often each value is used.
pub fn counts(func: &Function) -> IdMap<ValueId, u32> {
    let mut counts = IdMap::filled(func.value_count(), 0);
    for inst in func.insts_in_order() {
        func.inst(inst).operands.iter().for_each(|value| counts[*value] += 1);
    }
    for block in func.blocks_in_order() {
        func.block(block).results.iter().for_each(|value| counts[*value] += 1);
    }
    counts
}

/// A list for each of many keys, all in one.
pub struct Lists<K, V> {
    /// Where the list of each key begins, and the end of the last.
    starts: Vec<u32>,
    items: Vec<V>,
    key: std::marker::PhantomData<fn(K)>,
}

impl<K: Id, V: Id> Lists<K, V> {
    /// Lists of `count` keys from pairs; the items of a key stay in order.
    pub fn new(count: usize, pairs: &[(K, V)]) -> Self {
        let mut starts = vec![0; count + 1];
        pairs.iter().for_each(|(key, _)| starts[key.index() + 1] += 1);
        for at in 0..count {
            starts[at + 1] += starts[at];
        }
        let (mut next, mut items) = (starts.clone(), vec![V::from_index(0); pairs.len()]);
        for (key, item) in pairs {
            let next: &mut u32 = &mut next[key.index()];
            items[*next as usize] = *item;
            *next += 1;
        }
        Lists { starts, items, key: std::marker::PhantomData }
    }

    /// The lists of all keys, one behind the other.
    pub fn into_items(self) -> Vec<V> {
        self.items
    }

    pub fn of(&self, key: K) -> &[V] {
        let at = key.index();
        &self.items[self.starts[at] as usize..self.starts[at + 1] as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_keep_the_order_of_their_items() {
        let (key, item) = (ValueId::from_index, InstId::from_index);
        let pairs = [(key(2), item(7)), (key(0), item(1)), (key(2), item(3)), (key(2), item(5))];
        let lists: Lists<ValueId, InstId> = Lists::new(4, &pairs);
        assert_eq!(lists.of(key(2)), [item(7), item(3), item(5)]);
        assert_eq!(lists.of(key(0)), [item(1)]);
        assert!(lists.of(key(1)).is_empty() && lists.of(key(3)).is_empty());
    }
}
