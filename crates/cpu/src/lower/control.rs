//! Control flow as loops and branches of steps.
//!
//! ```text
//! while:  copy init -> carry;  loop { head: cond; body; copy results -> carry }
//! while i < 10 { .. i + 1 }:  a loop of so many trips; a counter that nobody else reads is no value at all
//! scan:   the same with a counter; slices are read and written at the counter's place
//! if:     branch { true: ..; copy results -> out } { false: ..; copy results -> out }
//! ```

mod counted;

use super::{Frame, Lower, Val, Where};
use meshwright_ir::op::{Control, Scan};
use meshwright_ir::{DType, Inst};
use meshwright_kernels::copy::{Place, PlaceFrom};
use meshwright_kernels::step::{BufId, Step};
use meshwright_kernels::view::View;
use meshwright_runtime::RunError;
use meshwright_steps::{Branch, Item, Loop, On, Test};

impl<'m> Lower<'m> {
    pub fn control(
        &mut self,
        op: &Control,
        frame: &mut Frame<'m>,
        inst: &'m Inst,
        operands: Vec<Val>,
    ) -> Result<Vec<Val>, RunError> {
        match op {
            Control::While => self.while_loop(frame, inst, operands),
            Control::If | Control::Case => self.branches(op, frame, inst, &operands),
            Control::Fusion { .. } => {
                let region = *inst.regions.first().ok_or_else(|| self.unsound("fusion has no region"))?;
                self.block(frame, region, operands)
            }
        }
    }

    fn while_loop(
        &mut self,
        frame: &mut Frame<'m>,
        inst: &'m Inst,
        operands: Vec<Val>,
    ) -> Result<Vec<Val>, RunError> {
        let [cond, body] = inst.regions[..] else { return Err(self.unsound("while has two regions")) };
        if let Some(counted) = counted::counted(frame, [cond, body], &operands) {
            return self.counted_loop(frame, body, operands, &counted);
        }
        self.flush_all();
        let carries = self.carries(operands)?;
        let name = self.current.clone();
        let (head, pred) = self.apart(|cx| {
            let answer = cx.block(frame, cond, carries.clone())?;
            let answer = answer.first().ok_or_else(|| cx.unsound("the condition gives nothing"))?;
            let pred = cx.dense(answer)?;
            cx.flush_all();
            Ok(pred)
        })?;
        let (body, ()) = self.apart(|cx| {
            let results = cx.block(frame, body, carries.clone())?;
            cx.renew(&carries, &results)
        })?;
        self.end_loop(Loop { name, test: Test::While { head, pred }, body });
        Ok(carries)
    }

    /// Buffers that hold the loop's state, filled with the initial values.
    fn carries(&mut self, operands: Vec<Val>) -> Result<Vec<Val>, RunError> {
        let one = |cx: &mut Self, val: Val| match val.at {
            Where::Token => Ok(val),
            _ => cx.copied(&val).map(|(_, carry)| carry),
        };
        let carries = operands.into_iter().map(|val| one(self, val)).collect::<Result<Vec<_>, _>>()?;
        self.flush_all();
        Ok(carries)
    }

    /// Copy what the body returns into the carries. What is read from one carry and written to another goes by a copy.
    fn renew(&mut self, carries: &[Val], results: &[Val]) -> Result<(), RunError> {
        let own: Vec<Option<BufId>> = carries.iter().map(dense_buf).collect();
        let mut moves = Vec::new();
        for (i, result) in results.iter().enumerate() {
            if matches!(result.at, Where::Token) {
                continue;
            }
            let (mut buf, mut view) = self.view(result)?;
            if own[i] == Some(buf) && view.is_dense() {
                continue;
            }
            if own.contains(&Some(self.memory_of(buf))) {
                (buf, _) = self.copied(result)?;
                view = View::dense(&result.dims);
            }
            moves.push((i, buf, view));
        }
        self.flush_all();
        for (i, buf, view) in moves {
            let Some(to) = own.get(i).copied().flatten() else {
                return Err(self.unsound("a carry is missing"));
            };
            let carry = &carries[i];
            self.copy(
                (buf, &view),
                (to, &View::dense(&carry.dims)),
                carry.dtype,
                Vec::new(),
                Vec::new(),
                true,
            );
        }
        Ok(())
    }

    fn end_loop(&mut self, one: Loop) {
        self.body.push(Item::Loop(one));
        // What was copied of the carries is theirs no more.
        self.copies.clear();
    }

    pub fn scan(
        &mut self,
        op: &Scan,
        frame: &mut Frame<'m>,
        inst: &'m Inst,
        mut operands: Vec<Val>,
    ) -> Result<Vec<Val>, RunError> {
        let region = *inst.regions.first().ok_or_else(|| self.unsound("scan has no region"))?;
        if operands.len() < op.carries {
            return Err(self.unsound("scan has fewer operands than carries"));
        }
        let inputs = operands.split_off(op.carries);
        self.flush_all();
        let inputs = inputs
            .iter()
            .map(|val| self.view(val))
            .collect::<Result<Vec<_>, _>>()?
            .into_iter()
            .zip(inputs.iter().map(|val| val.dtype).collect::<Vec<_>>());
        let inputs: Vec<((BufId, View), DType)> = inputs.collect();
        let carries = self.carries(operands)?;
        let mut stacked = Vec::new();
        for i in op.carries..inst.results.len() {
            let (dtype, dims) = self.result(frame, inst, i)?;
            let (to, val) = self.fresh(dtype, &dims)?;
            self.push(Step::Touch { to });
            stacked.push((to, val));
        }
        let counter = self.counters;
        self.counters += 1;
        let name = self.current.clone();
        let at = |stride: isize| Place {
            from: PlaceFrom::Counter { counter, reverse: op.reverse },
            stride,
            max: op.trips - 1,
        };
        let (body, ()) = self.apart(|cx| {
            let mut args = carries.clone();
            for ((buf, view), dtype) in &inputs {
                let slice = View {
                    dims: view.dims[1..].to_vec(),
                    strides: view.strides[1..].to_vec(),
                    offset: view.offset,
                };
                let dims = slice.dims.clone();
                let (buf, view) = cx.part((*buf, &slice), *dtype, vec![at(view.strides[0])])?;
                args.push(Val { dtype: *dtype, dims, at: Where::Buf { buf, view } });
            }
            let results = cx.block(frame, region, args)?;
            if results.len() != op.carries + stacked.len() {
                return Err(cx.unsound("the scan's body returns another number of values"));
            }
            for ((to, val), slice) in stacked.iter().zip(&results[op.carries..]) {
                let (buf, view) = cx.view(slice)?;
                let whole = View::dense(&val.dims);
                let target =
                    View { dims: whole.dims[1..].to_vec(), strides: whole.strides[1..].to_vec(), offset: 0 };
                let places = vec![at(whole.strides[0])];
                cx.copy((buf, &view), (*to, &target), val.dtype, Vec::new(), places, false);
            }
            cx.renew(&carries, &results[..op.carries])
        })?;
        self.end_loop(Loop { name, test: Test::Trips { counter, trips: op.trips }, body });
        Ok(carries.into_iter().chain(stacked.into_iter().map(|(_, val)| val)).collect())
    }

    fn branches(
        &mut self,
        op: &Control,
        frame: &mut Frame<'m>,
        inst: &'m Inst,
        operands: &[Val],
    ) -> Result<Vec<Val>, RunError> {
        let [choice] = operands else { return Err(self.unsound("a branch takes one operand")) };
        let buf = self.dense(choice)?;
        self.flush_all();
        let mut outputs = Vec::new();
        for i in 0..inst.results.len() {
            let (dtype, dims) = self.result(frame, inst, i)?;
            outputs.push(self.fresh(dtype, &dims)?);
        }
        let name = self.current.clone();
        let on = if matches!(op, Control::If) { On::Pred(buf) } else { On::Index(buf) };
        let mut arms = Vec::new();
        for region in &inst.regions {
            let (arm, ()) = self.apart(|cx| {
                let results = cx.block(frame, *region, Vec::new())?;
                for ((to, val), result) in outputs.iter().zip(&results) {
                    let (from, view) = cx.view(result)?;
                    let dense = View::dense(&val.dims);
                    cx.copy((from, &view), (*to, &dense), val.dtype, Vec::new(), Vec::new(), true);
                }
                cx.flush_all();
                Ok(())
            })?;
            arms.push(arm);
        }
        self.body.push(Item::Branch(Branch { name, on, arms }));
        Ok(outputs.into_iter().map(|(_, val)| val).collect())
    }
}

fn dense_buf(val: &Val) -> Option<BufId> {
    match &val.at {
        Where::Buf { buf, .. } => Some(*buf),
        Where::Splat(_) | Where::Iota { .. } | Where::Tile { .. } | Where::Token => None,
    }
}
