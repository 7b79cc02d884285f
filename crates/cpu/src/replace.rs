//! Instructions that have no kernel, in favour of others that do: who knows such a kind says what it is and what is put
//! in its place.

use meshwright_base::arrange::map;
use meshwright_ir::{Editor, Function, InstId, Module, ValueId};
use std::collections::BTreeMap;

/// The module with each instruction that `find` knows replaced by what `write` puts before it, which gives the results
/// in its place. `None` if there is none: the module is not copied then.
pub fn replaced<T>(
    module: &Module,
    find: impl Fn(&Function, InstId) -> Option<T>,
    write: impl Fn(&mut Function, InstId, T) -> Option<Vec<ValueId>>,
) -> Option<Module> {
    let all = |func: &Function| -> Vec<(InstId, T)> {
        func.insts_in_order().into_iter().filter_map(|inst| Some((inst, find(func, inst)?))).collect()
    };
    if module.funcs.values().all(|func| all(func).is_empty()) {
        return None;
    }
    let mut module = module.clone();
    for func in module.funcs.values_mut() {
        for (inst, found) in all(func) {
            let Some(results) = write(func, inst, found) else { continue };
            let old = func.inst(inst).results.clone();
            let new: BTreeMap<ValueId, ValueId> = map(old.into_iter().zip(results));
            let mut editor = Editor::new(func);
            editor.map_uses(|value| new.get(&value).copied().unwrap_or(value));
            editor.unlink(inst);
        }
    }
    Some(module)
}
