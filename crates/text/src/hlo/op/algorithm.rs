//! The algorithm of a dot: one name in HLO, a list of fields in StableHLO, which is how it is kept.
//!
//! ```text
//! dot_bf16_bf16_f32_x3    lhs_precision_type = bf16, rhs_precision_type = bf16, accumulation_type = f32,
//!                         lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 3,
//!                         allow_imprecise_accumulation = false
//! ```

use crate::hlo::inst::InstText;
use crate::hlo::lex::Read;
use meshwright_ir::DType;

/// Name, type of the operands, type of the sum, products, whether the sum may be imprecise. `f8` stands for any of
/// them.
type AlgorithmRow = (&'static str, &'static str, &'static str, u32, bool);

const ALGORITHMS: [AlgorithmRow; 15] = [
    ("dot_any_f8_any_f8_f32", "f8", "f32", 1, false),
    ("dot_any_f8_any_f8_f32_fast_accum", "f8", "f32", 1, true),
    ("dot_any_f8_any_f8_any", "f8", "any", 1, false),
    ("dot_any_f8_any_f8_any_fast_accum", "f8", "any", 1, true),
    ("dot_f16_f16_f16", "f16", "f16", 1, false),
    ("dot_f16_f16_f32", "f16", "f32", 1, false),
    ("dot_bf16_bf16_bf16", "bf16", "bf16", 1, false),
    ("dot_bf16_bf16_f32", "bf16", "f32", 1, false),
    ("dot_bf16_bf16_f32_x3", "bf16", "f32", 3, false),
    ("dot_bf16_bf16_f32_x6", "bf16", "f32", 6, false),
    ("dot_bf16_bf16_f32_x9", "bf16", "f32", 9, false),
    ("dot_tf32_tf32_f32", "tf32", "f32", 1, false),
    ("dot_tf32_tf32_f32_x3", "tf32", "f32", 3, false),
    ("dot_f32_f32_f32", "f32", "f32", 1, false),
    ("dot_f64_f64_f64", "f64", "f64", 1, false),
];

/// `algorithm=dot_f32_f32_f32` as fields.
pub(super) fn read(text: &mut InstText<'_, '_>) -> Read<Option<String>> {
    let names = ALGORITHMS.map(|row| (row, row.0));
    let unset = text.get("algorithm").is_none_or(|piece| piece.str == "dot_unset");
    let Some((_, operands, sum, products, imprecise)) =
        (if unset { None } else { text.word("algorithm", &names)? })
    else {
        return Ok(None);
    };
    let of_operand = |index: usize| -> Read<&str> {
        let dtype = text.operand(index)?.dtype;
        Ok(match operands {
            "f8" if dtype.is_float() && dtype.bits() == 8 => dtype.mlir_name(),
            "f8" => DType::F8E4M3FN.mlir_name(),
            name => name,
        })
    };
    let sum = if sum == "any" { text.sum_dtype()?.mlir_name() } else { sum };
    let (lhs, rhs) = (of_operand(0)?, of_operand(1)?);
    Ok(Some(format!(
        "lhs_precision_type = {lhs}, rhs_precision_type = {rhs}, accumulation_type = {sum}, \
         lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = {products}, \
         allow_imprecise_accumulation = {imprecise}"
    )))
}

/// The name of fields; `None` if HLO has none for them.
pub(super) fn name(fields: &str) -> Option<&'static str> {
    let fields = fields.trim().trim_start_matches('<').trim_end_matches('>');
    let field = |key: &str| {
        fields.split(',').filter_map(|field| field.split_once('=')).find(|(name, _)| name.trim() == key)
    };
    let value = |key| field(key).map(|(_, value)| value.trim());
    let of_operand = |key| value(key).map(|name| if name.starts_with("f8") { "f8" } else { name });
    let operands = of_operand("lhs_precision_type")?;
    let products: u32 = value("num_primitive_operations")?.parse().ok()?;
    let imprecise = value("allow_imprecise_accumulation")? == "true";
    let sum = value("accumulation_type")?;
    let same = |row: &&AlgorithmRow| {
        let sums = row.2 == sum || row.2 == "any";
        row.1 == operands && sums && row.3 == products && row.4 == imprecise
    };
    let is_even = of_operand("rhs_precision_type") == Some(operands);
    ALGORITHMS.iter().filter(|_| is_even).find(same).map(|row| row.0)
}
