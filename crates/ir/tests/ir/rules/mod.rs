//! Each family's inference and rule, as text: types in; result types, rule and linearity out.

mod contract;
mod elementwise;
mod gather;
mod movement;
mod programs;
mod whole;
mod windows;

use crate::table::Case;
use meshwright_ir::rule::DimFactors;
use meshwright_ir::{DType, FactorKind, Op, TensorType};

pub const F32_SUM: &[&str] = &["(f32[], f32[])->(f32[])"];

/// Every case shows what is expected, and every rule is well formed.
#[track_caller]
pub fn check(cases: &[(Case, &str)]) {
    let shown: Vec<String> = cases.iter().map(|(case, _)| case.show()).collect();
    let as_expected = shown.iter().zip(cases).all(|(shown, case)| shown == case.1);
    assert!(as_expected, "not as expected; now:\n@@{}\n", shown.join("\n@@"));
    for (case, _) in cases.iter().filter(|(case, _)| case.infer().is_ok()) {
        well_formed(case);
    }
}

/// Factors multiply to their dims (but for loose ones), reduced ones are in no result, all are used.
#[track_caller]
fn well_formed(case: &Case) {
    let rule = case.rule();
    let results = case.infer().unwrap();
    let operands = case.operand_types();
    let has_factors = !rule.factors.is_empty();
    for (dims, ty) in rule.tensors().zip(operands.iter().chain(&results)) {
        for (factors, size) in dims.iter().zip(ty.dims()) {
            let is_loose = factors.iter().any(|id| rule.kind(*id) == FactorKind::Permute);
            let product: i64 = factors.iter().map(|id| rule.factors[*id].size).product();
            let is_edge =
                factors.is_empty() && matches!(case.op, Op::Sharding(_) | Op::Binary(_) | Op::BatchNorm(_));
            assert!(!has_factors || is_loose || is_edge || product == *size, "{rule} on {ty}: {:?}", case.op);
        }
    }
    for (id, factor) in rule.factors.iter() {
        let among =
            |tensors: &[Vec<DimFactors>]| tensors.iter().flatten().flatten().any(|other| *other == id);
        let reduces = matches!(factor.kind, FactorKind::Reduce(_));
        assert!(among(&rule.operands) || among(&rule.results), "{rule}: {id:?} stands nowhere");
        assert!(!reduces || !among(&rule.results), "{rule}: {id:?} is reduced, but in a result");
    }
}

pub fn f32(dims: &[i64]) -> TensorType {
    TensorType::new(DType::F32, dims)
}
