//! HLO's shardings, which name devices, as shardings over named axes.

use crate::codes;
use meshwright_ground::Diagnostic;
use meshwright_ir::{Annotation, Module};

/// Replace every HLO annotation of the module.
pub(crate) fn import_hlo(module: &mut Module) -> Vec<Diagnostic> {
    let left = |annotation: &Option<Annotation>| matches!(annotation, Some(Annotation::Hlo(_)));
    let any = module.funcs.values().any(|func| {
        func.values().values().any(|value| left(&value.sharding))
            || func.results.iter().any(|r| left(&r.sharding))
    });
    if any {
        vec![Diagnostic::error(codes::ANNOTATION, "HLO shardings cannot be imported yet")]
    } else {
        Vec::new()
    }
}
