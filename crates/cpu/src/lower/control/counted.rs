//! Loops that count from one known number up to another: their trips are known, and no test runs.
//!
//! ```text
//! while i = 0, x = %x  cond { i < 10 }  do { .. i + 1 .. }        =>        loop of 10 trips { .. }
//! ```

use crate::lower::{Frame, Lower, Val, Where};
use meshwright_ir::op::{BinaryOp, Compare, Direction};
use meshwright_ir::{BlockId, DType, Function, Op, ValueId};
use meshwright_runtime::RunError;
use meshwright_steps::{Loop, Test};

/// How a loop counts.
pub struct Counted {
    /// The counter's place among the carries.
    at: usize,
    start: i64,
    trips: i64,
    /// Whether anything but the test and the count itself reads it.
    is_read: bool,
}

/// How a loop with these regions counts, if it does.
pub fn counted(frame: &Frame<'_>, [cond, body]: [BlockId; 2], operands: &[Val]) -> Option<Counted> {
    let func = frame.func;
    let (cond, body) = (func.block(cond), func.block(body));
    let [test] = cond.results[..] else { return None };
    let test = func.def_inst(test)?;
    let Op::Compare(Compare { direction: Direction::Lt, .. }) = func.inst(test).op else { return None };
    let only_tests =
        cond.insts.iter().all(|inst| *inst == test || matches!(func.inst(*inst).op, Op::Constant(_)));
    let [counter, end] = func.inst(test).operands[..] else { return None };
    let at = cond.params.iter().position(|param| *param == counter)?;
    let (end, start) = (known(func, end)?, start(operands.get(at)?)?);
    let (param, next) = (*body.params.get(at)?, *body.results.get(at)?);
    let step = func.inst(func.def_inst(next)?);
    let is_count = matches!(step.op, Op::Binary(BinaryOp::Add))
        && match step.operands[..] {
            [a, b] => (a == param && known(func, b) == Some(1)) || (b == param && known(func, a) == Some(1)),
            _ => false,
        };
    let is_read = frame.uses[param] > 1 || frame.uses[next] > 1;
    let trips = end.checked_sub(start)?.max(0);
    (only_tests && is_count).then_some(Counted { at, start, trips, is_read })
}

/// A constant whole number of no dims.
fn known(func: &Function, value: ValueId) -> Option<i64> {
    let Op::Constant(constant) = &func.inst(func.def_inst(value)?).op else { return None };
    func.dims(value).is_empty().then(|| constant.0.as_int()).flatten()
}

fn start(val: &Val) -> Option<i64> {
    let Where::Splat([a, b, c, d, e, f, g, h, ..]) = val.at else { return None };
    val.dims.is_empty().then_some(())?;
    match val.dtype {
        DType::S32 => Some(i64::from(i32::from_le_bytes([a, b, c, d]))),
        DType::U32 => Some(i64::from(u32::from_le_bytes([a, b, c, d]))),
        DType::S64 => Some(i64::from_le_bytes([a, b, c, d, e, f, g, h])),
        _ => None,
    }
}

impl<'m> Lower<'m> {
    pub(super) fn counted_loop(
        &mut self,
        frame: &mut Frame<'m>,
        body: BlockId,
        mut operands: Vec<Val>,
        counted: &Counted,
    ) -> Result<Vec<Val>, RunError> {
        let Counted { at, start, trips, is_read } = *counted;
        self.flush_all();
        let unread = if is_read { None } else { Some(operands.remove(at)) };
        let mut carries = self.carries(operands)?;
        let name = self.current.clone();
        let counter = self.counters;
        self.counters += 1;
        let (body, ()) = self.apart(|cx| {
            let mut args = carries.clone();
            unread.iter().for_each(|counter| args.insert(at, counter.clone()));
            let mut results = cx.block(frame, body, args)?;
            if unread.is_some() && at < results.len() {
                results.remove(at);
            }
            cx.renew(&carries, &results)
        })?;
        self.end_loop(Loop { name, test: Test::Trips { counter, trips }, body });
        if let Some(counter) = unread {
            let mut element = [0; 16];
            element[..8].copy_from_slice(&(start + trips).to_le_bytes());
            carries.insert(at, Val { at: Where::Splat(element), ..counter });
        }
        Ok(carries)
    }
}
