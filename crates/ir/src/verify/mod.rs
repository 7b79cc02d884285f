//! What must hold of every module. This is the specification; passes and engines rely on it and check it no more.
//!
//! 1. The entry exists; functions have distinct names.
//! 2. Every dim of a type is at least 0, and the bytes of a value can be counted.
//! 3. A value is defined before it is used, in the same block or in one around it.
//! 4. A block is the root of its function or a region of one instruction; an instruction stands in one block, once;
//!    each value knows what defines it.
//! 5. Operands and regions fit their op, and result types are those that [`Op::infer`](crate::Op::infer) gives.
//! 6. A function has one record per parameter and per result; a result's record has the type of the returned value.
//! 7. A called function exists; no function calls itself, directly or through others.
//! 8. A donated buffer is given to a result that exists, has as many bytes, and is given no other buffer.
//! 9. A sharding, on a value, on a result or at the edge of a region, has a mesh of the module, the rank of its value,
//!    and is well formed ([`Sharding::verify`](meshwright_shard::Sharding::verify)).
//! 10. The groups of a collective name devices of the program, none twice, and are of the size the instruction says.
//! 11. The valid part of a padded value has its rank and lies inside it.
//!
//! The code of a diagnostic is 0200 plus the number. At most [`MOST_ERRORS`] are reported. One walk, linear in the
//! module.

mod calls;
mod groups;
mod sharding;
mod walk;

use crate::codes;
use crate::infer::{InferCx, signatures};
use crate::module::{Donation, FuncId, Function, InstId, Module, ValueId};
use meshwright_base::diagnostic::Place;
use meshwright_base::{Code, Diagnostic, Id, Span};
use std::collections::BTreeMap;

/// After so many errors the rest is not looked for.
pub const MOST_ERRORS: usize = 20;

/// Where an instruction stands in a text, if it came from one.
pub type SpanOf<'a> = &'a dyn Fn(FuncId, InstId) -> Option<Span>;

/// Check everything above. Places are the locations the instructions carry.
pub fn verify(module: &Module) -> Result<(), Vec<Diagnostic>> {
    verify_with(module, &|_, _| None)
}

/// Check everything above; `span_of` tells parsers' places, which are preferred to carried locations.
pub fn verify_with(module: &Module, span_of: SpanOf<'_>) -> Result<(), Vec<Diagnostic>> {
    let mut report = Report { module, span_of, errors: Vec::new() };
    check_functions(&mut report);
    let signatures = signatures(module);
    let cx = InferCx { meshes: &module.meshes, signatures: &signatures };
    let mut calls = calls::Calls::new(module);
    for (id, func) in module.funcs.iter() {
        if report.is_full() {
            break;
        }
        walk::check_function(&mut report, id, func, &cx, &mut calls);
        check_signature(&mut report, id, func);
    }
    calls.check(&mut report);
    if report.errors.is_empty() { Ok(()) } else { Err(report.errors) }
}

/// Collects errors up to the cap.
struct Report<'a> {
    module: &'a Module,
    span_of: SpanOf<'a>,
    errors: Vec<Diagnostic>,
}

impl Report<'_> {
    fn is_full(&self) -> bool {
        self.errors.len() >= MOST_ERRORS
    }

    fn add(&mut self, error: Diagnostic) {
        if !self.is_full() {
            self.errors.push(error);
        }
    }

    fn place(&self, func: FuncId, inst: InstId) -> Option<Place> {
        let carried = || self.module.place(self.module.funcs[func].inst(inst).source);
        (self.span_of)(func, inst).map(Place::Span).or_else(carried)
    }

    /// An error about an instruction: `` `%x` = add: message``.
    fn at_inst(
        &mut self,
        code: Code,
        func: FuncId,
        inst: InstId,
        message: impl AsRef<str>,
        help: Option<String>,
    ) {
        if self.is_full() {
            return;
        }
        let function = &self.module.funcs[func];
        let about = inst_name(function, inst);
        let mut error = Diagnostic::error(code, format!("{about}: {}", message.as_ref()));
        error.help = help;
        let place = self.place(func, inst);
        self.add(self.in_function(func, error.at_place(place)));
    }

    fn at_function(&mut self, code: Code, func: FuncId, message: String) {
        self.add(self.in_function(func, Diagnostic::error(code, message)));
    }

    /// Say which function, where there are several.
    fn in_function(&self, func: FuncId, error: Diagnostic) -> Diagnostic {
        match self.module.funcs.len() {
            1 => error,
            _ => error.note(format!("in function `@{}`", self.module.funcs[func].name)),
        }
    }
}

/// `%name`, or `%index` of a value without a name.
pub fn value_name(func: &Function, value: ValueId) -> String {
    match func.values().get(value).and_then(|value| value.name.as_deref()) {
        Some(name) => format!("%{name}"),
        None => format!("%{}", value.index()),
    }
}

/// `` `%x` = add``, or the op alone if it has no results.
pub fn inst_name(func: &Function, inst: InstId) -> String {
    let inst = func.inst(inst);
    let op = inst.op.mnemonic();
    match (&inst.name, inst.results.first()) {
        (Some(name), _) => format!("`%{name}` = {op}"),
        (None, Some(value)) => format!("`{}` = {op}", value_name(func, *value)),
        (None, None) => op.to_string(),
    }
}

/// Rule 1.
fn check_functions(report: &mut Report<'_>) {
    let module = report.module;
    if module.funcs.get(module.entry).is_none() {
        report.add(Diagnostic::error(codes::FUNCTIONS, "the module has no entry function"));
    }
    let mut seen = BTreeMap::new();
    for (id, func) in module.funcs.iter() {
        if seen.insert(&*func.name, id).is_some() {
            let message = format!("two functions are called `@{}`", func.name);
            report.add(Diagnostic::error(codes::FUNCTIONS, message).help("rename one of them"));
        }
    }
}

/// Rules 6 and 8.
fn check_signature(report: &mut Report<'_>, id: FuncId, func: &Function) {
    let (params, records) = (func.param_values().len(), func.params.len());
    if params != records {
        let message = format!("`@{}` has {params} parameters, but {records} records of them", func.name);
        report.at_function(codes::SIGNATURE, id, message);
    }
    let (results, records) = (func.result_values(), &func.results);
    if results.len() != records.len() {
        let (count, records) = (results.len(), records.len());
        let message = format!("`@{}` returns {count} values, but has {records} records of them", func.name);
        return report.at_function(codes::SIGNATURE, id, message);
    }
    for (index, (value, record)) in results.iter().zip(records).enumerate() {
        let found = func.values().get(*value).map(|value| &value.ty);
        if let Some(found) = found.filter(|ty| **ty != record.ty) {
            let message =
                format!("result {index} of `@{}` is {found}, but is declared {}", func.name, record.ty);
            report.at_function(codes::SIGNATURE, id, message);
        }
        sharding::check_result(report, id, index, record);
    }
    check_donations(report, id, func);
}

fn check_donations(report: &mut Report<'_>, id: FuncId, func: &Function) {
    let mut given = BTreeMap::new();
    for (param, (value, info)) in func.param_values().iter().zip(&func.params).enumerate() {
        let Some(Donation::Alias { result, .. }) = info.donation else { continue };
        let Some(record) = func.results.get(result) else {
            let count = func.results.len();
            let message =
                format!("parameter {param} is donated to result {result}, but there are {count} results");
            report.at_function(codes::DONATION, id, message);
            continue;
        };
        let ty = func.ty(*value);
        if ty.byte_size() != record.ty.byte_size() {
            let (has, needs) = (ty.byte_size(), record.ty.byte_size());
            let message = format!(
                "parameter {param} is donated to result {result}, but {ty} has {has} bytes and {} has {needs}",
                record.ty
            );
            report.at_function(codes::DONATION, id, message);
        }
        if let Some(other) = given.insert(result, param) {
            let message = format!("parameters {other} and {param} are both donated to result {result}");
            report.at_function(codes::DONATION, id, message);
        }
    }
}
