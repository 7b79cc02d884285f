//! All ops that can be read: name, pretty form, and how the family makes an [`Op`] of the attributes.
//!
//! Sorted by name, which a test keeps. An op that only exists in generic form has [`Form::Generic`].

use super::families::*;
use super::forms::{Form, Key, KeyKind, Plain, Types};
use super::op::Draft;
use super::parser::{Parsed, Parser};
use meshwright_ir::op::{BinaryOp, UnaryOp};
use meshwright_ir::{Op, SourceId, ValueId};

pub struct OpRow {
    pub name: &'static str,
    pub form: Form,
    pub build: Build,
}

/// How the family makes an op.
pub enum Build {
    Unary(UnaryOp),
    Binary(BinaryOp),
    By(for<'p, 'a, 'd> fn(&'p mut Parser<'a>, &'d mut Draft<'a>) -> Parsed<Op>),
    /// As several instructions; the values that stand for its results.
    Written(for<'p, 'a, 'd> fn(&'p mut Parser<'a>, &'d mut Draft<'a>, SourceId) -> Parsed<Vec<ValueId>>),
    /// Tuples are flattened: the op only names values.
    Tuple,
}

/// What a draft became.
pub enum Built {
    Op(Op),
    Values(Vec<ValueId>),
    Nothing,
}

impl Build {
    pub fn run<'a>(&self, p: &mut Parser<'a>, draft: &mut Draft<'a>, source: SourceId) -> Parsed<Built> {
        match self {
            Build::Unary(op) => elementwise::unary(p, draft, *op).map(Built::Op),
            Build::Binary(op) => elementwise::binary(p, draft, *op).map(Built::Op),
            Build::By(build) => build(p, draft).map(Built::Op),
            Build::Written(write) => write(p, draft, source).map(Built::Values),
            Build::Tuple => Ok(Built::Nothing),
        }
    }
}

pub fn find(name: &str) -> Option<&'static OpRow> {
    let at = ROWS.binary_search_by(|row| row.name.cmp(name)).ok()?;
    ROWS.get(at)
}

pub fn names() -> impl Iterator<Item = &'static str> {
    ROWS.iter().map(|row| row.name)
}

/// Why a known op is left out, and what to do instead.
pub fn unsupported(name: &str) -> Option<&'static str> {
    match name {
        "stablehlo.dynamic_broadcast_in_dim"
        | "stablehlo.dynamic_conv"
        | "stablehlo.dynamic_gather"
        | "stablehlo.dynamic_iota"
        | "stablehlo.dynamic_pad"
        | "stablehlo.dynamic_reshape"
        | "stablehlo.real_dynamic_slice"
        | "stablehlo.set_dimension_size" => {
            Some("shapes are static here: lower the program for fixed shapes")
        }
        "stablehlo.uniform_quantize" | "stablehlo.uniform_dequantize" => {
            Some("quantized types are not supported: lower the program with plain element types")
        }
        "mhlo.scan" => Some("lower it as stablehlo.while"),
        "stablehlo.async_start" | "stablehlo.async_done" => {
            Some("instruction order is the schedule here: write the collective itself")
        }
        _ if name.starts_with("chlo.broadcast_") => {
            Some("implicit broadcasts are not supported: legalize CHLO to StableHLO first")
        }
        _ => None,
    }
}

const fn row(name: &'static str, form: Form, build: Build) -> OpRow {
    OpRow { name, form, build }
}

const fn plain(keys: &'static [Key], types: Types) -> Form {
    Form::Plain(Plain { keys, types })
}

const fn key(word: &'static str, prop: &'static str, kind: KeyKind) -> Key {
    Key { word, prop, kind }
}

const SAME: Form = plain(&[], Types::Same);
const FUNCTIONAL: Form = plain(&[], Types::Functional);
const RESULT: Form = plain(&[], Types::Result);
const BARE: Form = plain(&[], Types::Bare);

use Build::{Binary, By, Unary};
use KeyKind::{Bool, Case, Int, Ints};

static ROWS: &[OpRow] = &[
    row("chlo.acos", BARE, Unary(UnaryOp::Acos)),
    row("chlo.acosh", BARE, Unary(UnaryOp::Acosh)),
    row("chlo.asin", BARE, Unary(UnaryOp::Asin)),
    row("chlo.asinh", BARE, Unary(UnaryOp::Asinh)),
    row("chlo.atan", BARE, Unary(UnaryOp::Atan)),
    row("chlo.atanh", BARE, Unary(UnaryOp::Atanh)),
    row("chlo.bessel_i1e", BARE, Unary(UnaryOp::BesselI1e)),
    row("chlo.conj", BARE, Unary(UnaryOp::Conj)),
    row("chlo.cosh", BARE, Unary(UnaryOp::Cosh)),
    row("chlo.digamma", BARE, Unary(UnaryOp::Digamma)),
    row("chlo.erf", BARE, Unary(UnaryOp::Erf)),
    row("chlo.erf_inv", BARE, Unary(UnaryOp::ErfInv)),
    row("chlo.erfc", BARE, Unary(UnaryOp::Erfc)),
    row("chlo.is_inf", BARE, Unary(UnaryOp::IsInf)),
    row("chlo.is_neg_inf", BARE, Unary(UnaryOp::IsNegInf)),
    row("chlo.is_pos_inf", BARE, Unary(UnaryOp::IsPosInf)),
    row("chlo.lgamma", BARE, Unary(UnaryOp::Lgamma)),
    row("chlo.mulhi", BARE, By(elementwise::high_product)),
    row("chlo.next_after", BARE, Binary(BinaryOp::NextAfter)),
    row("chlo.polygamma", BARE, Binary(BinaryOp::Polygamma)),
    row("chlo.ragged_dot", BARE, By(contract::ragged_dot)),
    row("chlo.scan", Form::Scan, Build::Written(scan::scan)),
    row("chlo.sinh", BARE, Unary(UnaryOp::Sinh)),
    row("chlo.square", BARE, Unary(UnaryOp::Square)),
    row("chlo.tan", BARE, Unary(UnaryOp::Tan)),
    row("chlo.top_k", Form::TopK, By(sort::top_k)),
    row("chlo.zeta", BARE, Binary(BinaryOp::Zeta)),
    row("func.call", Form::Call, By(control::call)),
    row("mhlo.all_to_all", Form::Generic, By(collective::all_to_all_tuple)),
    row("mhlo.copy", SAME, Unary(UnaryOp::Copy)),
    row("mhlo.erf", SAME, Unary(UnaryOp::Erf)),
    row("mhlo.fusion", Form::Generic, By(control::fusion)),
    row("mhlo.mulhi", SAME, By(elementwise::high_product)),
    row("mhlo.topk", Form::TopK, By(sort::top_k)),
    row("sdy.all_gather", Form::SdyCollective, By(sharding::all_gather)),
    row("sdy.all_reduce", Form::SdyCollective, By(sharding::all_reduce)),
    row("sdy.all_slice", Form::SdyCollective, By(sharding::all_slice)),
    row("sdy.all_to_all", Form::SdyCollective, By(sharding::all_to_all)),
    row("sdy.collective_permute", Form::SdyCollective, By(sharding::permute)),
    row("sdy.manual_computation", Form::Manual, By(sharding::manual)),
    row("sdy.named_computation", Form::Named, By(sharding::named)),
    row("sdy.propagation_barrier", Form::Barrier, By(sharding::barrier)),
    row("sdy.reduce_scatter", Form::SdyCollective, By(sharding::reduce_scatter)),
    row("sdy.replicated_to_unreduced", Form::SdyCollective, By(sharding::to_partial)),
    row("sdy.reshard", Form::Annotated, By(sharding::reshard)),
    row("sdy.sharding_constraint", Form::Annotated, By(sharding::constraint)),
    row("sdy.sharding_group", Form::Group, By(sharding::group)),
    row("stablehlo.abs", SAME, Unary(UnaryOp::Abs)),
    row("stablehlo.add", SAME, Binary(BinaryOp::Add)),
    row("stablehlo.after_all", RESULT, By(token::after_all)),
    row("stablehlo.all_gather", Form::Generic, By(collective::all_gather)),
    row("stablehlo.all_reduce", Form::Generic, By(collective::all_reduce)),
    row("stablehlo.all_to_all", Form::Generic, By(collective::all_to_all)),
    row("stablehlo.and", SAME, Binary(BinaryOp::And)),
    row("stablehlo.atan2", SAME, Binary(BinaryOp::Atan2)),
    row("stablehlo.batch_norm_grad", Form::Generic, By(batch_norm::grad)),
    row("stablehlo.batch_norm_inference", Form::Generic, By(batch_norm::inference)),
    row("stablehlo.batch_norm_training", Form::Generic, By(batch_norm::training)),
    row("stablehlo.bitcast_convert", FUNCTIONAL, By(convert::bitcast)),
    row(
        "stablehlo.broadcast",
        plain(&[key("sizes", "broadcast_sizes", Ints)], Types::Functional),
        By(movement::broadcast),
    ),
    row(
        "stablehlo.broadcast_in_dim",
        plain(&[key("dims", "broadcast_dimensions", Ints)], Types::Functional),
        By(movement::broadcast_in_dim),
    ),
    row("stablehlo.case", Form::Generic, By(control::case)),
    row("stablehlo.cbrt", SAME, Unary(UnaryOp::Cbrt)),
    row("stablehlo.ceil", SAME, Unary(UnaryOp::Ceil)),
    row("stablehlo.cholesky", plain(&[key("lower", "lower", Bool)], Types::Same), By(linalg::cholesky)),
    row("stablehlo.clamp", SAME, By(elementwise::clamp)),
    row("stablehlo.collective_broadcast", Form::Generic, By(collective::broadcast)),
    row("stablehlo.collective_permute", Form::Generic, By(collective::permute)),
    row("stablehlo.compare", Form::Compare, By(elementwise::compare)),
    row("stablehlo.complex", RESULT, Binary(BinaryOp::Complex)),
    row("stablehlo.composite", Form::Composite, By(foreign::composite)),
    row(
        "stablehlo.concatenate",
        plain(&[key("dim", "dimension", Int)], Types::Functional),
        By(movement::concatenate),
    ),
    row("stablehlo.constant", Form::Constant, By(data::constant)),
    row("stablehlo.convert", SAME, By(convert::convert)),
    row("stablehlo.convolution", Form::Convolution, By(convolution::convolution)),
    row("stablehlo.cosine", SAME, Unary(UnaryOp::Cosine)),
    row("stablehlo.count_leading_zeros", SAME, Unary(UnaryOp::CountLeadingZeros)),
    row("stablehlo.create_token", RESULT, By(token::after_all)),
    row("stablehlo.custom_call", Form::CustomCall, By(foreign::custom_call)),
    row("stablehlo.divide", SAME, Binary(BinaryOp::Divide)),
    row("stablehlo.dot", Form::Dot, By(contract::dot)),
    row("stablehlo.dot_general", Form::Dot, By(contract::dot_general)),
    row(
        "stablehlo.dynamic_slice",
        plain(&[key("sizes", "slice_sizes", Ints)], Types::Functional),
        By(movement::dynamic_slice),
    ),
    row("stablehlo.dynamic_update_slice", FUNCTIONAL, By(movement::dynamic_update_slice)),
    row("stablehlo.exponential", SAME, Unary(UnaryOp::Exponential)),
    row("stablehlo.exponential_minus_one", SAME, Unary(UnaryOp::ExponentialMinusOne)),
    row(
        "stablehlo.fft",
        plain(
            &[key("type", "fft_type", Case("fft_type")), key("length", "fft_length", Ints)],
            Types::Functional,
        ),
        By(linalg::fft),
    ),
    row("stablehlo.floor", SAME, Unary(UnaryOp::Floor)),
    row("stablehlo.gather", Form::Generic, By(gather::gather)),
    row(
        "stablehlo.get_dimension_size",
        plain(&[key("dim", "dimension", Int)], Types::Functional),
        By(data::dimension_size),
    ),
    row("stablehlo.get_tuple_element", Form::TupleElement, Build::Tuple),
    row("stablehlo.if", Form::Generic, By(control::branch)),
    row("stablehlo.imag", FUNCTIONAL, Unary(UnaryOp::Imag)),
    row("stablehlo.infeed", Form::Generic, By(token::infeed)),
    row("stablehlo.iota", plain(&[key("dim", "iota_dimension", Int)], Types::Result), By(data::iota)),
    row("stablehlo.is_finite", FUNCTIONAL, Unary(UnaryOp::IsFinite)),
    row("stablehlo.log", SAME, Unary(UnaryOp::Log)),
    row("stablehlo.log_plus_one", SAME, Unary(UnaryOp::LogPlusOne)),
    row("stablehlo.logistic", SAME, Unary(UnaryOp::Logistic)),
    row("stablehlo.map", Form::Generic, By(reduce::map)),
    row("stablehlo.maximum", SAME, Binary(BinaryOp::Maximum)),
    row("stablehlo.minimum", SAME, Binary(BinaryOp::Minimum)),
    row("stablehlo.multiply", SAME, Binary(BinaryOp::Multiply)),
    row("stablehlo.negate", SAME, Unary(UnaryOp::Negate)),
    row("stablehlo.not", SAME, Unary(UnaryOp::Not)),
    row("stablehlo.optimization_barrier", plain(&[], Types::List), By(control::optimization_barrier)),
    row("stablehlo.or", SAME, Binary(BinaryOp::Or)),
    row("stablehlo.outfeed", Form::Generic, By(token::outfeed)),
    row(
        "stablehlo.pad",
        plain(
            &[
                key("low", "edge_padding_low", Ints),
                key("high", "edge_padding_high", Ints),
                key("interior", "interior_padding", Ints),
            ],
            Types::Functional,
        ),
        By(movement::pad),
    ),
    row("stablehlo.partition_id", RESULT, By(data::partition_id)),
    row("stablehlo.popcnt", SAME, Unary(UnaryOp::PopulationCount)),
    row("stablehlo.power", SAME, Binary(BinaryOp::Power)),
    row("stablehlo.real", FUNCTIONAL, Unary(UnaryOp::Real)),
    row("stablehlo.recv", Form::Generic, By(token::recv)),
    row("stablehlo.reduce", Form::Reduce, By(reduce::reduce)),
    row("stablehlo.reduce_precision", Form::ReducePrecision, By(convert::reduce_precision)),
    row("stablehlo.reduce_scatter", Form::Generic, By(collective::reduce_scatter)),
    row("stablehlo.reduce_window", Form::Generic, By(window::reduce_window)),
    row("stablehlo.remainder", SAME, Binary(BinaryOp::Remainder)),
    row("stablehlo.replica_id", RESULT, By(data::replica_id)),
    row("stablehlo.reshape", FUNCTIONAL, By(movement::reshape)),
    row("stablehlo.reverse", plain(&[key("dims", "dimensions", Ints)], Types::Same), By(movement::reverse)),
    row(
        "stablehlo.rng",
        plain(&[key("distribution", "rng_distribution", Case("rng_distribution"))], Types::Functional),
        By(random::rng),
    ),
    row(
        "stablehlo.rng_bit_generator",
        plain(&[key("algorithm", "rng_algorithm", Case("rng_algorithm"))], Types::Functional),
        By(random::bit_generator),
    ),
    row("stablehlo.round_nearest_afz", SAME, Unary(UnaryOp::RoundNearestAfz)),
    row("stablehlo.round_nearest_even", SAME, Unary(UnaryOp::RoundNearestEven)),
    row("stablehlo.rsqrt", SAME, Unary(UnaryOp::Rsqrt)),
    row("stablehlo.scatter", Form::Generic, By(gather::scatter)),
    row("stablehlo.select", plain(&[], Types::Select), By(elementwise::select)),
    row("stablehlo.select_and_scatter", Form::Generic, By(window::select_and_scatter)),
    row("stablehlo.send", Form::Generic, By(token::send)),
    row("stablehlo.shift_left", SAME, Binary(BinaryOp::ShiftLeft)),
    row("stablehlo.shift_right_arithmetic", SAME, Binary(BinaryOp::ShiftRightArithmetic)),
    row("stablehlo.shift_right_logical", SAME, Binary(BinaryOp::ShiftRightLogical)),
    row("stablehlo.sign", SAME, Unary(UnaryOp::Sign)),
    row("stablehlo.sine", SAME, Unary(UnaryOp::Sine)),
    row("stablehlo.slice", Form::Slice, By(movement::slice)),
    row("stablehlo.sort", Form::Generic, By(sort::sort)),
    row("stablehlo.sqrt", SAME, Unary(UnaryOp::Sqrt)),
    row("stablehlo.subtract", SAME, Binary(BinaryOp::Subtract)),
    row("stablehlo.tan", SAME, Unary(UnaryOp::Tan)),
    row("stablehlo.tanh", SAME, Unary(UnaryOp::Tanh)),
    row(
        "stablehlo.transpose",
        plain(&[key("dims", "permutation", Ints)], Types::Functional),
        By(movement::transpose),
    ),
    row("stablehlo.triangular_solve", Form::Generic, By(linalg::triangular_solve)),
    row("stablehlo.tuple", RESULT, Build::Tuple),
    row("stablehlo.while", Form::While, By(control::while_loop)),
    row("stablehlo.xor", SAME, Binary(BinaryOp::Xor)),
];

/// `call` stands for `func.call` where `func` is the default dialect: directly in a function.
pub static CALL: OpRow = row("func.call", Form::Call, By(control::call));

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_sorted_by_name_and_none_stands_twice() {
        assert!(ROWS.is_sorted_by(|a, b| a.name < b.name));
    }

    #[test]
    fn every_op_about_shardings_is_a_form_of_annotation() {
        let forms = crate::annotations::ANNOTATIONS.iter().flat_map(|forms| forms.forms);
        let written: Vec<&str> = forms.map(|form| form.written).collect();
        for name in names().filter(|name| name.starts_with("sdy.")) {
            assert!(
                written.contains(&name),
                "`{name}` is read, and no form of crates/text/src/annotations.rs"
            );
        }
    }
}
