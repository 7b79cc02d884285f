//! The driver of reverse mode: check what is asked for, run the tape over the function, return the cotangents.

use crate::Options;
use crate::activity::is_differentiable;
use crate::codes::{LOSS, PARAMETER};
use crate::prune::prune;
use crate::shared::{Shared, add_function};
use crate::tape::{FrameKind, ReverseFrame, Tape};
use meshwright_base::Diagnostic;
use meshwright_ir::op::Control;
use meshwright_ir::{Build, Editor, FuncId, Function, Module, Op, Type, ValueId, raise_scan};

/// What cotangents start from.
#[derive(Clone, Copy)]
pub(crate) enum From<'a> {
    /// One at result 0.
    Loss,
    /// A further parameter for each of these results.
    Results(&'a [usize]),
}

pub(crate) fn transform(
    module: &mut Module,
    func: FuncId,
    wrt: &[usize],
    from: From<'_>,
    options: &Options,
) -> Result<FuncId, Vec<Diagnostic>> {
    check(module, func, wrt, from)?;
    if module.funcs.values().any(has_while) {
        raise_scan(module);
    }
    let mut shared = Shared::new(options);
    let built = build(module, &mut shared, func, wrt, from);
    if shared.diagnostics.iter().any(Diagnostic::is_error) {
        return Err(shared.diagnostics);
    }
    let suffix = match from {
        From::Loss => "grad",
        From::Results(_) => "vjp",
    };
    Ok(add_function(module, built, suffix))
}

fn has_while(func: &Function) -> bool {
    func.insts_in_order().iter().any(|inst| matches!(func.inst(*inst).op, Op::Control(Control::While)))
}

fn build(module: &mut Module, shared: &mut Shared, func: FuncId, wrt: &[usize], from: From<'_>) -> Function {
    let copy = module.funcs[func].clone();
    let count = copy.param_values().len();
    let varied: Vec<bool> = (0..count).map(|at| wrt.contains(&at)).collect();
    let mut t = Tape::new(module, shared, copy, &varied);
    let root = t.func.root();
    let (params, results) = (t.func.param_values().to_vec(), t.func.result_values().to_vec());
    if t.enter(ReverseFrame::new(root, root, FrameKind::Direct)) {
        start(&mut t, &results, from);
        t.walk();
        let given: Vec<ValueId> = wrt.iter().map(|at| cotangent(&mut t, params[*at])).collect();
        t.leave();
        Editor::new(&mut t.func).set_results(root, results.into_iter().chain(given).collect());
        t.finish();
    }
    let Tape { mut func, .. } = t;
    prune(&mut func);
    func
}

fn start(t: &mut Tape<'_>, results: &[ValueId], from: From<'_>) {
    match from {
        From::Loss => {
            let one = t.splat_like(results[0], 1.0);
            t.pull(results[0], one);
        }
        From::Results(from) => {
            for at in from {
                let ty = t.func.ty(results[*at]).clone();
                let root = t.func.root();
                let param = Editor::new(&mut t.func).param(root, ty);
                t.pull(results[*at], param);
            }
        }
    }
}

fn cotangent(t: &mut Tape<'_>, param: ValueId) -> ValueId {
    // Not taken: a parameter may be asked for twice.
    match t.frame().cotangents.get(&param).copied() {
        Some(cotangent) => t.plain(cotangent),
        None => t.zeros_like(param),
    }
}

fn check(module: &Module, func: FuncId, wrt: &[usize], from: From<'_>) -> Result<(), Vec<Diagnostic>> {
    let Some(func) = module.funcs.get(func) else {
        return Err(vec![Diagnostic::error(PARAMETER, "there is no such function to differentiate")]);
    };
    let mut found: Vec<Diagnostic> = wrt.iter().filter_map(|at| check_parameter(module, func, *at)).collect();
    match from {
        From::Loss => found.extend(check_loss(module, func)),
        From::Results(from) => found.extend(from.iter().filter_map(|at| check_result(func, *at))),
    }
    if found.is_empty() { Ok(()) } else { Err(found) }
}

fn check_parameter(module: &Module, func: &Function, at: usize) -> Option<Diagnostic> {
    let params = func.param_values();
    let Some(param) = params.get(at) else {
        let count = params.len();
        let message = format!("there is no parameter {at} to differentiate by, @{} has {count}", func.name);
        return Some(Diagnostic::error(PARAMETER, message).help("parameters count from 0"));
    };
    if is_differentiable(func.ty(*param)) {
        return None;
    }
    let name = func.value(*param).name.as_deref().map(|name| format!(" `{name}`")).unwrap_or_default();
    let message =
        format!("parameter {at}{name} of @{} is {}, which has no derivative", func.name, func.ty(*param));
    let _ = module;
    let help = "differentiate by floats only; convert the parameter to a float before the call if you mean its value";
    Some(Diagnostic::error(PARAMETER, message).help(help))
}

fn check_loss(module: &Module, func: &Function) -> Option<Diagnostic> {
    let Some(loss) = func.result_values().first() else {
        let message = format!("@{} returns nothing, so there is no loss to differentiate", func.name);
        return Some(Diagnostic::error(LOSS, message).help("return the loss as the first result"));
    };
    let ty = func.ty(*loss);
    let is_scalar_float = matches!(ty, Type::Tensor(ty) if ty.dims.is_empty() && ty.dtype.is_float());
    if is_scalar_float {
        return None;
    }
    let message = format!("the loss must be a scalar float, but result 0 of @{} is {ty}", func.name);
    let place = func.def_inst(*loss).and_then(|inst| module.place(func.inst(inst).source));
    let help = "reduce it to one number (a mean or a sum), or ask for its vjp";
    Some(Diagnostic::error(LOSS, message).at_place(place).help(help))
}

fn check_result(func: &Function, at: usize) -> Option<Diagnostic> {
    let results = func.result_values();
    let message = match results.get(at) {
        Some(result) if is_differentiable(func.ty(*result)) => return None,
        Some(result) => {
            format!("result {at} of @{} is {}, which has no cotangent", func.name, func.ty(*result))
        }
        None => format!("there is no result {at} to pull back from, @{} has {}", func.name, results.len()),
    };
    Some(Diagnostic::error(PARAMETER, message).help("pull back from floats only; results count from 0"))
}
