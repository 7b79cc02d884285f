//! What the tapes of one transform share: diagnostics, locations, and the derivatives of called functions.

use crate::Options;
use crate::activity::Kind;
use crate::call::{Pair, PairKey};
use crate::codes::TOO_DEEP;
use crate::tape::MOST_DEPTH;
use meshwright_base::{Diagnostic, LookupMap};
use meshwright_ir::{FuncId, Function, Module, Source, SourceId};
use std::collections::BTreeMap;
use std::sync::Arc;

#[derive(Default)]
pub(crate) struct Shared {
    pub(crate) options: Options,
    pub(crate) diagnostics: Vec<Diagnostic>,
    /// Derivatives of functions by what they are differentiated by and from.
    pub(crate) pairs: BTreeMap<PairKey, Pair>,
    /// Which results of a function vary, by which parameters do.
    pub(crate) varied: BTreeMap<(FuncId, Vec<bool>, Kind), Vec<bool>>,
    /// Batched forms of functions, by which parameters are batched and whether all results have to be.
    pub(crate) batched: BTreeMap<(FuncId, Vec<bool>, bool), FuncId>,
    /// How many frames and calls are open.
    pub(crate) depth: usize,
    sources: LookupMap<SourceId, SourceId>,
}

impl Shared {
    pub(crate) fn new(options: &Options) -> Self {
        Shared { options: options.clone(), ..Shared::default() }
    }

    /// Report, once, that calls and regions nest too deeply.
    pub(crate) fn refuse_depth(&mut self) {
        if self.diagnostics.iter().all(|found| found.code != TOO_DEEP) {
            let message = format!("calls and regions nest more than {MOST_DEPTH} deep");
            self.diagnostics.push(Diagnostic::error(TOO_DEEP, message).help("inline some of the calls"));
        }
    }

    /// The location of the backward instructions of an op: the op's own, with its scopes marked, as in
    /// `transpose(block_0/mlp)/dot_general`.
    pub(crate) fn transposed(&mut self, module: &mut Module, source: SourceId) -> SourceId {
        if source == SourceId::unknown() {
            return source;
        }
        *self.sources.entry(source).or_insert_with(|| {
            let old = module.sources.get(source).cloned().unwrap_or_default();
            let op_name = old.op_name.as_deref().map(|name| match name.rsplit_once('/') {
                Some((scopes, op)) => Arc::from(format!("transpose({scopes})/{op}")),
                None => Arc::from(format!("transpose({name})")),
            });
            module.sources.push(Source { op_name, ..old })
        })
    }
}

/// The location of an instruction that computes again what was computed before: its own, with the name that frameworks
/// give that.
pub(crate) fn again(
    module: &mut Module,
    source: SourceId,
    known: &mut LookupMap<SourceId, SourceId>,
) -> SourceId {
    *known.entry(source).or_insert_with(|| {
        let old = module.sources.get(source).cloned().unwrap_or_default();
        let name = old.op_name.as_deref().map_or(String::new(), |name| format!("/{name}"));
        let op_name = Some(format!("rematted_computation{name}").into());
        module.sources.push(Source { op_name, ..old })
    })
}

/// Add a function under a name that is free, derived from the one it has.
pub(crate) fn add_function(module: &mut Module, mut func: Function, suffix: &str) -> FuncId {
    let base = format!("{}_{suffix}", func.name);
    let taken = |name: &str| module.func_named(name).is_some();
    let name = if taken(&base) {
        (1u32..).map(|n| format!("{base}_{n}")).find(|name| !taken(name)).unwrap_or(base)
    } else {
        base
    };
    func.name = name.into();
    module.funcs.push(func)
}
