//! Calls of things the IR does not know by itself: custom calls and composites.

use super::control::infer_call;
use super::lapack::Routine;
use super::sort::rule_top_k;
use crate::attr::{Attr, Attrs};
use crate::infer::{InferCx, Inferred, Operands};
use crate::module::FuncId;
use crate::rule::{Localize, Rule, RuleCx};
use crate::types::Type;

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Foreign {
    CustomCall(CustomCall),
    Composite(Composite),
}

/// An external function by name. Parses and verifies whatever the target; only running an unknown one is an error.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct CustomCall {
    pub target: String,
    pub results: Vec<Type>,
    pub has_side_effect: bool,
    /// `backend_config`: a string, or a dictionary in `attrs`, there also as `mhlo.backend_config`.
    pub backend_config: Option<String>,
    pub api_version: Option<i64>,
    /// Everything else the text said (layouts, aliases, dictionaries), in its order.
    pub attrs: Attrs,
    /// `called_computations`.
    pub callees: Vec<FuncId>,
}

/// A named op with a decomposition that means the same.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Composite {
    pub name: String,
    pub decomposition: FuncId,
    pub version: i64,
    pub attrs: Attrs,
}

impl Foreign {
    pub fn infer(&self, operands: Operands<'_>, cx: &InferCx<'_>) -> Inferred {
        match self {
            Foreign::CustomCall(call) => Ok(call.results.clone()),
            Foreign::Composite(composite) => infer_call(composite.decomposition, operands, cx),
        }
    }

    /// Functions it refers to.
    pub fn callees(&self) -> &[FuncId] {
        match self {
            Foreign::CustomCall(call) => &call.callees,
            Foreign::Composite(composite) => std::slice::from_ref(&composite.decomposition),
        }
    }

    pub fn callees_mut(&mut self) -> &mut [FuncId] {
        match self {
            Foreign::CustomCall(call) => &mut call.callees,
            Foreign::Composite(composite) => std::slice::from_mut(&mut composite.decomposition),
        }
    }

    pub fn rule(&self, cx: RuleCx<'_>) -> Rule {
        match self {
            Foreign::CustomCall(call) => call.rule(cx),
            Foreign::Composite(_) => Rule::whole(cx),
        }
    }

    pub fn mnemonic(&self) -> &'static str {
        match self {
            Foreign::CustomCall(_) => "custom_call",
            Foreign::Composite(_) => "composite",
        }
    }
}

/// Targets that compute element by element.
const ELEMENTWISE: [&str; 9] = [
    "MoveToHost",
    "MoveToDevice",
    "annotate_device_placement",
    "PinToDevice",
    "PinToDeviceSram",
    "LayoutConstraint",
    "X64Combine",
    "X64SplitHigh",
    "X64SplitLow",
];

/// Targets that search the last dim.
const TOP_K: [&str; 3] = ["TopK", "mhlo.topk", "ApproxTopK"];

impl CustomCall {
    /// Nothing is known of most targets, so nothing may be split.
    fn rule(&self, cx: RuleCx<'_>) -> Rule {
        let target = self.target.as_str();
        if ELEMENTWISE.contains(&target) && one_shape(cx) {
            return Rule::elementwise(cx);
        }
        if TOP_K.contains(&target) && is_top_k(cx) {
            let mut rule = rule_top_k(cx);
            rule.move_by(Localize::Never);
            return rule;
        }
        match self.routine() {
            Some(routine) => routine.rule(cx),
            None => Rule::whole(cx),
        }
    }

    /// The LAPACK routine that the call means, if it means one.
    pub fn routine(&self) -> Option<Routine> {
        Routine::of(&self.target, &self.attrs)
    }

    /// A field of the dictionary that configures the call, as text: `76 : ui8`.
    pub fn config(&self, field: &str) -> Option<&str> {
        let dictionaries = CONFIGS.iter().filter_map(|name| self.attrs.get(name));
        let mut fields = dictionaries.filter_map(|config| match config {
            Attr::Dict(fields) => fields.get(field),
            Attr::Unit | Attr::Str(_) | Attr::Raw(_) => None,
        });
        match fields.next()? {
            Attr::Raw(text) | Attr::Str(text) => Some(text),
            Attr::Dict(_) | Attr::Unit => None,
        }
    }

    /// A letter given by its number.
    pub fn config_letter(&self, field: &str) -> Option<char> {
        let number: u8 = self.config(field)?.split_whitespace().next()?.parse().ok()?;
        Some(char::from(number))
    }
}

/// Where a dictionary stands: in HLO and in StableHLO, in StableHLO that JAX writes.
const CONFIGS: [&str; 2] = ["backend_config", "mhlo.backend_config"];

fn one_shape(cx: RuleCx<'_>) -> bool {
    let mut all = cx.operands.iter().chain(cx.results).map(|ty| ty.dims());
    let first = all.next();
    all.all(|dims| Some(dims) == first)
}

/// One operand; results of its shape but for the last dim.
fn is_top_k(cx: RuleCx<'_>) -> bool {
    let ([operand], Some(_)) = (cx.operands, cx.results.first()) else { return false };
    let before = |dims: &[i64]| dims.split_last().map(|(_, before)| before.to_vec());
    operand.rank() > 0 && cx.results.iter().all(|ty| before(ty.dims()) == before(operand.dims()))
}
