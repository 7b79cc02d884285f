//! Donated buffers: a result can only take over the buffer of a parameter that is split as it is.
//!
//! Where annotations split the two differently, a donation that is only offered becomes one to any result, and one that
//! must happen is refused.

use crate::codes;
use meshwright_base::Diagnostic;
use meshwright_ir::{Annotation, Donation, Editor, Function, Module};

/// Parameters and the results that take over their buffers.
pub(crate) fn aliases(func: &Function) -> Vec<(usize, usize)> {
    let donations = func.params.iter().map(|info| info.donation).enumerate();
    donations
        .filter_map(|(param, donation)| match donation? {
            Donation::Alias { result, .. } => Some((param, result)),
            Donation::Donor => None,
        })
        .collect()
}

/// Take back what completed shardings make impossible.
pub(crate) fn drop_impossible(module: &mut Module) -> Vec<Diagnostic> {
    let mut errors = Vec::new();
    let apart: Vec<(usize, usize)> =
        aliases(module.main()).into_iter().filter(|pair| differ(module.main(), *pair).is_some()).collect();
    for (param, result) in apart {
        let must = matches!(module.main().params[param].donation, Some(Donation::Alias { must: true, .. }));
        if must {
            errors.push(refusal(param, result));
            continue;
        }
        let entry = module.entry;
        Editor::new(&mut module.funcs[entry]).param_info_mut()[param].donation = Some(Donation::Donor);
    }
    errors
}

/// The shardings of a parameter and a result, if they are not the same.
fn differ(func: &Function, (param, result): (usize, usize)) -> Option<(&Annotation, &Annotation)> {
    let from = func.value(*func.param_values().get(param)?).sharding.as_ref()?;
    let to = func.results.get(result)?.sharding.as_ref()?;
    (from != to).then_some((from, to))
}

fn refusal(param: usize, result: usize) -> Diagnostic {
    let message =
        format!("parameter {param} must give its buffer to result {result}, which is split otherwise");
    Diagnostic::error(codes::DONATION, message).help("annotate the two alike, or only one of them")
}
