//! What tests of several passes do with programs.

use meshwright_ir::Module;

/// Annotated values are left as they are, so that users find them: here all may be changed.
pub fn without_annotations(module: &Module) -> Module {
    let mut module = module.clone();
    for func in module.funcs.values_mut() {
        let values: Vec<_> = func.values().keys().collect();
        let mut editor = meshwright_ir::Editor::new(func);
        values.into_iter().for_each(|value| editor.set_sharding(value, None));
    }
    module
}
