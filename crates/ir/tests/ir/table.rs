//! Types written as text, and an op on them: what it infers and its rule, as text.

use meshwright_base::IdMap;
use meshwright_ir::rule::RuleCx;
use meshwright_ir::{DType, InferCx, Op, Operands, TensorType, Type};
use meshwright_shard::{Meshes, Reducer};

/// `f32[2,3]`, or `token`.
pub fn ty(text: &str) -> Type {
    if text == "token" {
        return Type::Token;
    }
    let (dtype, dims) = text.trim_end_matches(']').split_once('[').expect("a type as f32[2,3]");
    let dims: Vec<i64> =
        dims.split(',').filter(|dim| !dim.is_empty()).map(|dim| dim.parse().unwrap()).collect();
    Type::Tensor(TensorType::new(DType::from_hlo(dtype).expect("an element type"), dims))
}

/// Types of a region: `(f32[], f32[])->(f32[])`.
fn region(text: &str) -> (Vec<Type>, Vec<Type>) {
    let (params, results) = text.split_once("->").expect("a region as (..)->(..)");
    let list = |text: &str| {
        let inner = text.trim().trim_start_matches('(').trim_end_matches(')');
        inner.split(", ").filter(|part| !part.is_empty()).map(ty).collect()
    };
    (list(params), list(results))
}

/// An op in a table test.
pub struct Case {
    pub op: Op,
    pub operands: &'static str,
    pub regions: &'static [&'static str],
    pub reducer: Option<Reducer>,
}

impl Case {
    pub fn new(op: Op, operands: &'static str) -> Self {
        Case { op, operands, regions: &[], reducer: None }
    }

    pub fn regions(self, regions: &'static [&'static str]) -> Self {
        Case { regions, ..self }
    }

    pub fn reducer(self, reducer: Reducer) -> Self {
        Case { reducer: Some(reducer), ..self }
    }

    pub fn operand_types(&self) -> Vec<Type> {
        self.operands.split(' ').filter(|part| !part.is_empty()).map(ty).collect()
    }

    /// Result types, or the message.
    pub fn infer(&self) -> Result<Vec<Type>, String> {
        let operands = self.operand_types();
        let operands: Vec<&Type> = operands.iter().collect();
        let regions: Vec<_> = self.regions.iter().map(|text| region(text)).collect();
        let regions: Vec<_> = regions
            .iter()
            .map(|(params, results)| (params.iter().collect(), results.iter().collect()))
            .collect();
        let (meshes, signatures) = (Meshes::new(), IdMap::new());
        let cx = InferCx { meshes: &meshes, signatures: &signatures };
        self.op.infer(Operands { types: &operands, regions: &regions }, &cx).map_err(|error| error.message)
    }

    /// The rule on the inferred results.
    pub fn rule(&self) -> meshwright_ir::Rule {
        let results = self.infer().unwrap_or_else(|error| panic!("{:?}: {error}", self.op));
        let operands = self.operand_types();
        let (operands, results): (Vec<_>, Vec<_>) = (operands.iter().collect(), results.iter().collect());
        self.op.rule(RuleCx { operands: &operands, results: &results, reducer: self.reducer })
    }

    /// Result types, the rule, and where it is linear.
    pub fn show(&self) -> String {
        let results = match self.infer() {
            Ok(results) => results.iter().map(|ty| ty.to_string()).collect::<Vec<_>>().join(" "),
            Err(message) => return format!("error: {message}"),
        };
        let rule = self.rule();
        let linear = match rule.linear.reducers.as_slice() {
            [] => String::new(),
            [one] => format!(" {one:?}"),
            _ => " any".to_string(),
        };
        let list = |label: &str, operands: &[usize]| {
            if operands.is_empty() { String::new() } else { format!(" {label} {operands:?}") }
        };
        let jointly = list("jointly", &rule.linear.jointly);
        let singly = list("singly", &rule.linear.singly);
        format!("{results} | {rule}{linear}{jointly}{singly}")
    }
}
