//! Derivatives of called functions.
//!
//! ```text
//! y = call @f(a)      =>      y, r = call @f_forward(a)   ..   da = call @f_backward(r, dy)
//! ```
//!
//! A pair of functions is made once for each set of operands that vary and results that have a cotangent; operands that
//! the backward pass needs are passed by the caller. A call marked [`CHECKPOINT`](mark::CHECKPOINT) stays as it is, and
//! its backward function computes it again behind a barrier from its operands. One with rules of its own
//! ([`FORWARD`](mark::FORWARD), [`BACKWARD`](mark::BACKWARD)) calls those.

use crate::activity::is_differentiable;
use crate::codes::CUSTOM_RULE;
use crate::prune::prune;
use crate::scan::scratch_param;
use crate::shared::{add_function, again};
use crate::tape::{FrameKind, From, ReverseFrame, Tape};
use meshwright_base::{Diagnostic, LookupMap};
use meshwright_ir::copy::{ValueMap, copy_inst, mapped};
use meshwright_ir::op::Call;
use meshwright_ir::{
    At, Attr, BlockId, Build, Builder, Editor, FuncId, Function, InstId, Op, Type, ValueId, mark,
};

/// Callee, which operands vary, which results have a cotangent, whether to compute it again.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct PairKey {
    callee: FuncId,
    varied: Vec<bool>,
    from: Vec<bool>,
    again: bool,
}

/// The functions that a call becomes.
#[derive(Clone, Debug)]
pub(crate) struct Pair {
    /// The callee, with `kept` further results.
    forward: FuncId,
    kept: Vec<Type>,
    /// Takes the residuals, then the cotangents.
    backward: FuncId,
    residuals: Vec<Kept>,
    /// Operands whose cotangents it returns.
    given: Vec<usize>,
}

#[derive(Clone, Copy, Debug)]
enum Kept {
    Operand(usize),
    Result(usize),
}

pub(crate) fn grad(t: &mut Tape<'_>, inst: InstId, callee: FuncId, cotangents: &[Option<ValueId>]) {
    let attrs = &t.func.inst(inst).attrs;
    if attrs.get(mark::BACKWARD).is_some() {
        return custom(t, inst, cotangents);
    }
    let again = attrs.get(mark::CHECKPOINT).is_some();
    by_pair(t, inst, callee, cotangents, again);
}

/// A composite is called as its decomposition.
pub(crate) fn composite(t: &mut Tape<'_>, inst: InstId, callee: FuncId, cotangents: &[Option<ValueId>]) {
    by_pair(t, inst, callee, cotangents, false);
}

fn by_pair(t: &mut Tape<'_>, inst: InstId, callee: FuncId, cotangents: &[Option<ValueId>], again: bool) {
    let operands = t.func.inst(inst).operands.clone();
    let varied = operands.iter().map(|operand| t.is_varied(*operand)).collect();
    let from = cotangents.iter().map(Option::is_some).collect();
    let key = PairKey { callee, varied, from, again };
    let known = t.shared.pairs.get(&key).cloned();
    let Some(pair) = known.or_else(|| make(t, &key)) else { return };
    t.shared.pairs.insert(key, pair.clone());
    if !pair.kept.is_empty() {
        let mut editor = Editor::new(&mut t.func);
        editor.set_op(inst, Op::Call(Call { callee: pair.forward }));
        for ty in &pair.kept {
            editor.add_result(inst, ty.clone());
        }
    }
    let results = t.func.inst(inst).results.clone();
    let value_of = |kept: &Kept| match kept {
        Kept::Operand(at) => operands[*at],
        Kept::Result(at) => results[*at],
    };
    let residuals: Vec<ValueId> = pair.residuals.iter().map(value_of).collect();
    let mut passed = t.primals(&residuals);
    passed.extend(cotangents.iter().copied().flatten());
    let types = result_types(&t.module.funcs[pair.backward]);
    let results = t.push_typed(Op::Call(Call { callee: pair.backward }), passed, Vec::new(), types);
    for (at, given) in pair.given.iter().zip(results) {
        t.pull(operands[*at], given);
    }
}

fn result_types(func: &Function) -> Vec<Type> {
    func.results.iter().map(|result| result.ty.clone()).collect()
}

fn make(t: &mut Tape<'_>, key: &PairKey) -> Option<Pair> {
    let func = t.module.funcs.get(key.callee)?.clone();
    if key.again { make_again(t, key, &func) } else { make_pair(t, key, func) }
}

fn make_pair(t: &mut Tape<'_>, key: &PairKey, func: Function) -> Option<Pair> {
    let source = t.source;
    let mut inner = Tape::new(t.module, t.shared, func, &key.varied);
    inner.source = source;
    let root = inner.func.root();
    let scratch = Editor::new(&mut inner.func).block();
    if !inner.enter(ReverseFrame::new(root, scratch, FrameKind::Once)) {
        return None;
    }
    let params = inner.func.param_values().to_vec();
    let cotangents = pull_results(&mut inner, &key.from);
    inner.walk();
    let (given, results) = take_params(&mut inner, &params);
    let frame = inner.leave()?;
    let mut results_of_forward = inner.func.result_values().to_vec();
    let own = results_of_forward.len();
    let mut residuals = Vec::new();
    for residual in &frame.residuals {
        residuals.push(match residual.from {
            From::Param(at) => Kept::Operand(at),
            From::Value(value) => Kept::Result(position(&mut results_of_forward, value)),
        });
    }
    let kept = results_of_forward[own..].iter().map(|value| inner.func.ty(*value).clone()).collect();
    let params = frame.residuals.iter().map(|residual| residual.param).chain(cotangents).collect();
    let mut editor = Editor::new(&mut inner.func);
    editor.set_results(root, results_of_forward);
    editor.set_params(scratch, params);
    editor.set_results(scratch, results);
    inner.finish();
    let Tape { func, module, .. } = inner;
    let backward = extract(&func, scratch);
    let kept: Vec<Type> = kept;
    let forward = if kept.is_empty() { key.callee } else { add_function(module, func, "forward") };
    Some(Pair { backward: add_function(module, backward, "backward"), forward, kept, residuals, given })
}

/// Where a value stands in a list, at the end if it is new.
fn position(list: &mut Vec<ValueId>, value: ValueId) -> usize {
    list.iter().position(|other| *other == value).unwrap_or_else(|| {
        list.push(value);
        list.len() - 1
    })
}

/// Cotangents of results as parameters of the block that is written.
fn pull_results(t: &mut Tape<'_>, from: &[bool]) -> Vec<ValueId> {
    let results = t.func.result_values().to_vec();
    let mut params = Vec::new();
    for (result, _) in results.into_iter().zip(from).filter(|(_, has)| **has) {
        let param = scratch_param(t, result);
        t.pull(result, param);
        params.push(param);
    }
    params
}

/// The cotangents of parameters, with the parameters' positions.
fn take_params(t: &mut Tape<'_>, params: &[ValueId]) -> (Vec<usize>, Vec<ValueId>) {
    let taken = params.iter().enumerate();
    taken.filter_map(|(at, param)| t.take(*param).map(|cotangent| (at, cotangent))).unzip()
}

/// A block as a function of its own.
pub(crate) fn extract(from: &Function, block: BlockId) -> Function {
    let mut func = Function::new(&from.name, false);
    let root = func.root();
    let mut map = ValueMap::default();
    for param in &from.block(block).params {
        let new = Editor::new(&mut func).param(root, from.ty(*param).clone());
        map.insert(*param, new);
    }
    for inst in &from.block(block).insts {
        copy_inst(Some(from), &mut func, *inst, root, &mut map);
    }
    let results = from.block(block).results.iter().map(|value| mapped(&map, *value)).collect();
    Editor::new(&mut func).set_results(root, results);
    prune(&mut func);
    func
}

/// The callee behind a barrier, followed by its derivative: everything from the operands.
fn make_again(t: &mut Tape<'_>, key: &PairKey, callee: &Function) -> Option<Pair> {
    let cotangent_types: Vec<Type> = callee
        .result_values()
        .iter()
        .zip(&key.from)
        .filter(|(_, has)| **has)
        .map(|(value, _)| callee.ty(*value).clone())
        .collect();
    let (mut func, operands, cotangents) = behind_barrier(callee, &cotangent_types, t.source);
    let mut known = LookupMap::default();
    for inst in func.insts_in_order() {
        let source = again(t.module, func.inst(inst).source, &mut known);
        Editor::new(&mut func).set_source(inst, source);
    }
    // Everything in it is differentiated; the barrier is not.
    let varied: Vec<bool> =
        key.varied.iter().copied().chain(std::iter::repeat_n(false, cotangents.len())).collect();
    let source = t.source;
    let mut inner = Tape::new(t.module, t.shared, func, &varied);
    inner.source = source;
    let root = inner.func.root();
    if !inner.enter(ReverseFrame::new(root, root, FrameKind::Direct)) {
        return None;
    }
    let results = inner.func.result_values().to_vec();
    let with = results.into_iter().zip(&key.from).filter(|(_, has)| **has).map(|(value, _)| value);
    for (result, cotangent) in with.zip(cotangents) {
        inner.pull(result, cotangent);
    }
    inner.walk_after(1);
    let (given, results) = take_params(&mut inner, &operands);
    inner.leave();
    Editor::new(&mut inner.func).set_results(root, results);
    inner.finish();
    let Tape { mut func, module, .. } = inner;
    prune(&mut func);
    let residuals = (0..operands.len()).map(Kept::Operand).collect();
    let backward = add_function(module, func, "again");
    Some(Pair { forward: key.callee, kept: Vec::new(), backward, residuals, given })
}

/// `f(a.., c..) = callee(a'..)` with `a'.., c'.. = barrier(a.., c..)`; also returns `a'..` and `c'..`.
fn behind_barrier(
    callee: &Function,
    cotangents: &[Type],
    source: meshwright_ir::SourceId,
) -> (Function, Vec<ValueId>, Vec<ValueId>) {
    let mut func = Function::new(&callee.name, false);
    let root = func.root();
    let types = callee.param_values().iter().map(|param| callee.ty(*param).clone());
    let types: Vec<Type> = types.chain(cotangents.iter().cloned()).collect();
    let mut editor = Editor::new(&mut func);
    let params: Vec<ValueId> = types.iter().map(|ty| editor.param(root, ty.clone())).collect();
    let mut b = Builder::new(&mut func, At::End(root), source);
    let mut operands = b.push_all(Op::OptimizationBarrier, params, Vec::new());
    let cotangents = operands.split_off(callee.param_values().len());
    let mut map: ValueMap = callee.param_values().iter().copied().zip(operands.iter().copied()).collect();
    for inst in &callee.block(callee.root()).insts {
        copy_inst(Some(callee), &mut func, *inst, root, &mut map);
    }
    let results = callee.result_values().iter().map(|value| mapped(&map, *value)).collect();
    Editor::new(&mut func).set_results(root, results);
    (func, operands, cotangents)
}

/// A call with a forward and a backward function of its own.
fn custom(t: &mut Tape<'_>, inst: InstId, cotangents: &[Option<ValueId>]) {
    let it = t.func.inst(inst).clone();
    let (forward, backward) = match custom_functions(t, inst) {
        Ok(found) => found,
        Err(message) => {
            let place = t.module.place(it.source);
            let help = "forward maps the operands to the results and residuals, backward maps residuals and \
                        cotangents of the results to cotangents of the operands";
            return t.report(Diagnostic::error(CUSTOM_RULE, message).at_place(place).help(help));
        }
    };
    let kept = result_types(&t.module.funcs[forward]).split_off(it.results.len());
    let mut editor = Editor::new(&mut t.func);
    editor.set_op(inst, Op::Call(Call { callee: forward }));
    for name in [mark::FORWARD, mark::BACKWARD] {
        editor.attrs_mut(inst).remove(name);
    }
    let residuals: Vec<ValueId> = kept.into_iter().map(|ty| editor.add_result(inst, ty)).collect();
    let mut passed = t.primals(&residuals);
    for (result, cotangent) in it.results.iter().zip(cotangents) {
        passed.push(cotangent.unwrap_or_else(|| t.zeros_like(*result)));
    }
    let types = result_types(&t.module.funcs[backward]);
    let given = t.push_typed(Op::Call(Call { callee: backward }), passed, Vec::new(), types);
    for (operand, given) in it.operands.iter().zip(given) {
        t.pull(*operand, given);
    }
}

/// The two functions a call names, if they fit it.
fn custom_functions(t: &Tape<'_>, inst: InstId) -> Result<(FuncId, FuncId), String> {
    let it = t.func.inst(inst);
    let find = |name: &str| match it.attrs.get(name) {
        Some(Attr::Str(func)) => t
            .module
            .func_named(func)
            .ok_or_else(|| format!("the custom derivative names function @{func}, which does not exist")),
        _ => Err(format!("a custom derivative needs the mark {name} with the name of a function")),
    };
    let (forward, backward) = (find(mark::FORWARD)?, find(mark::BACKWARD)?);
    let types = |values: &[ValueId]| values.iter().map(|value| t.func.ty(*value).clone()).collect::<Vec<_>>();
    let (operands, results) = (types(&it.operands), types(&it.results));
    let made = result_types(&t.module.funcs[forward]);
    expect(&t.module.funcs[forward], "forward", &operands)?;
    if made.len() < results.len() || made[..results.len()] != results[..] {
        return Err(format!(
            "the forward function of a custom derivative returns {} values, which must begin with the {} results",
            made.len(),
            results.len()
        ));
    }
    let passed: Vec<Type> = made[results.len()..].iter().chain(&results).cloned().collect();
    expect(&t.module.funcs[backward], "backward", &passed)?;
    let given = result_types(&t.module.funcs[backward]);
    let fits = given.len() == operands.len()
        && given
            .iter()
            .zip(&operands)
            .all(|(given, operand)| given == operand || !is_differentiable(operand));
    if !fits {
        return Err(format!(
            "the backward function of a custom derivative returns {} values, but must return one cotangent for each \
             of {} operands, of its type",
            given.len(),
            operands.len()
        ));
    }
    Ok((forward, backward))
}

fn expect(func: &Function, what: &str, wanted: &[Type]) -> Result<(), String> {
    let list = |types: &mut dyn Iterator<Item = &Type>| {
        types.map(|ty| ty.to_string()).collect::<Vec<_>>().join(", ")
    };
    let takes: Vec<&Type> = func.param_values().iter().map(|param| func.ty(*param)).collect();
    if takes.iter().copied().eq(wanted) {
        Ok(())
    } else {
        Err(format!(
            "the {what} function of a custom derivative takes ({}), but is given ({})",
            list(&mut takes.into_iter()),
            list(&mut wanted.iter())
        ))
    }
}
