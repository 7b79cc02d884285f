//! What tells equal elements of a sort apart, read off the comparator and what is sorted.

use meshwright_ir::op::{CompareKind, Direction, Movement, ShardingOp};
use meshwright_ir::{BlockId, Class, DType, Function, InstId, Op, ValueId};

/// What tells equal elements apart.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Ties {
    /// Nothing: they are the same to the last bit.
    Same,
    /// An operand that counts upwards along the dim.
    Carried(usize),
    /// Their places only.
    Place,
}

/// What tells equal elements of a sort apart; `None` for other ops.
pub fn ties(func: &Function, inst: InstId) -> Option<Ties> {
    let info = func.inst(inst);
    let Op::Sort(sort) = &info.op else { return None };
    let dtype = |value: &ValueId| func.ty(*value).as_tensor().map(|ty| ty.dtype);
    let whole_numbers = |dtype: DType| matches!(dtype.class(), Class::Signed | Class::Unsigned | Class::Pred);
    let plain = info.regions.first().and_then(|region| plain_comparison(func, *region));
    let are_same = match (&info.operands[..], plain) {
        ([only], Some(is_total)) => is_total || dtype(only).is_some_and(whole_numbers),
        _ => false,
    };
    let counting = || info.operands.iter().position(|value| counts(func, *value, sort.dim));
    Some(if are_same { Ties::Same } else { counting().map_or(Ties::Place, Ties::Carried) })
}

/// Whether a comparator only asks which of its first two parameters is less or greater; and then, whether in total
/// order.
fn plain_comparison(func: &Function, region: BlockId) -> Option<bool> {
    let block = func.block(region);
    let [inst] = block.insts[..] else { return None };
    let Op::Compare(compare) = &func.inst(inst).op else { return None };
    let is_strict = matches!(compare.direction, Direction::Lt | Direction::Gt);
    let asks = match (&func.inst(inst).operands[..], &block.params[..]) {
        ([a, b], [x, y]) => (a, b) == (x, y) || (a, b) == (y, x),
        _ => false,
    };
    let is_total = compare.kind == Some(CompareKind::TotalOrder);
    (is_strict && asks && block.results == func.inst(inst).results).then_some(is_total)
}

/// Whether a value counts 0, 1, 2, .. along a dim, in a type that has all these numbers.
fn counts(func: &Function, mut value: ValueId, dim: usize) -> bool {
    loop {
        let Some(inst) = func.def_inst(value) else { return false };
        let info = func.inst(inst);
        match &info.op {
            Op::Iota(iota) => {
                let ty = &iota.ty;
                let most = match ty.dtype.class() {
                    Class::Signed => 1i64 << (ty.dtype.bits() - 1).min(62),
                    Class::Unsigned => 1i64 << ty.dtype.bits().min(62),
                    Class::Pred | Class::Float | Class::Complex => 0,
                };
                return iota.dim == dim && ty.dims.get(dim).is_some_and(|size| *size <= most);
            }
            Op::Sharding(ShardingOp::Reshard(_) | ShardingOp::Constraint { .. }) => value = info.operands[0],
            // Padding adds and takes away behind the last element.
            Op::Movement(Movement::Slice(slice)) if slice.start.iter().all(|start| *start == 0) => {
                value = info.operands[0];
            }
            Op::Movement(Movement::Pad(pad))
                if pad.low.iter().chain(&pad.interior).all(|more| *more == 0) =>
            {
                value = info.operands[0];
            }
            _ => return false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use meshwright_base::SourceText;

    /// Of the only sort of a module that sorts `x`, and what numbers its places if that is asked for.
    fn of(element: &str, compare: &str, with_places: bool) -> Option<Ties> {
        let (line, scalar) = (format!("tensor<8x{element}>"), format!("tensor<{element}>"));
        let (mut operands, mut types, mut params) =
            ("%x".to_string(), line.clone(), format!("%a: {scalar}, %b: {scalar}"));
        if with_places {
            operands += ", %i";
            types += ", tensor<8xi32>";
            params += ", %c: tensor<i32>, %d: tensor<i32>";
        }
        let results = if with_places { "%s:2" } else { "%s" };
        let text = format!(
            r#"func.func @main(%x: {line}) -> {line} {{
  %i = stablehlo.iota dim = 0 : tensor<8xi32>
  {results} = "stablehlo.sort"({operands}) <{{dimension = 0 : i64}}> ({{
  ^bb0({params}):
    %p = stablehlo.compare {compare} : ({scalar}, {scalar}) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  }}) : ({types}) -> ({types})
  return {first} : {line}
}}"#,
            first = if with_places { "%s#0" } else { "%s" }
        );
        let module = meshwright_text::parse(&SourceText::new("t.mlir", text)).expect("the module is read");
        let func = module.main();
        func.insts_in_order().into_iter().find_map(|inst| ties(func, inst))
    }

    #[test]
    fn equal_elements_are_the_same_where_the_order_and_the_type_say_so() {
        assert_eq!(of("i32", "LT, %a, %b, SIGNED", false), Some(Ties::Same));
        assert_eq!(of("f32", "GT, %b, %a, TOTALORDER", false), Some(Ties::Same));
        assert_eq!(of("f32", "LT, %a, %b, FLOAT", false), Some(Ties::Place));
        assert_eq!(of("i32", "LE, %a, %b, SIGNED", false), Some(Ties::Place));
    }

    #[test]
    fn an_operand_that_counts_tells_equal_elements_apart() {
        assert_eq!(of("f32", "LT, %a, %b, FLOAT", true), Some(Ties::Carried(1)));
    }
}
