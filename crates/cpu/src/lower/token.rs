//! Ops ordered by tokens. Steps run in program order, so a token is nothing.

use super::{Frame, Lower, Val, Where};
use meshwright_ir::op::TokenOp;
use meshwright_ir::{DType, Inst, TensorType};
use meshwright_kernels::feed::FeedStep;
use meshwright_kernels::step::Step;
use meshwright_runtime::RunError;

pub fn token() -> Val {
    Val { dtype: DType::Pred, dims: Vec::new(), at: Where::Token }
}

impl<'m> Lower<'m> {
    pub fn token(
        &mut self,
        op: &TokenOp,
        frame: &Frame<'m>,
        inst: &Inst,
        operands: &[Val],
    ) -> Result<Vec<Val>, RunError> {
        match op {
            TokenOp::AfterAll => Ok(vec![token()]),
            TokenOp::Infeed { .. } => self.enter(frame, inst),
            TokenOp::Outfeed { .. } => self.leave(frame, inst, operands),
            TokenOp::Send(transfer) if transfer.is_host_transfer => self.leave(frame, inst, operands),
            TokenOp::Recv { transfer, .. } if transfer.is_host_transfer => self.enter(frame, inst),
            TokenOp::Send(_) | TokenOp::Recv { .. } => Err(self.refuse(op.mnemonic())),
        }
    }

    fn enter(&mut self, frame: &Frame<'m>, inst: &Inst) -> Result<Vec<Val>, RunError> {
        let (mut arrays, mut vals) = (Vec::new(), Vec::new());
        for i in 0..inst.results.len().saturating_sub(1) {
            let (dtype, dims) = self.result(frame, inst, i)?;
            let (buf, val) = self.fresh(dtype, &dims)?;
            arrays.push((buf, TensorType::new(dtype, dims.iter().map(|n| *n as i64).collect::<Vec<_>>())));
            vals.push(val);
        }
        self.push(Step::Feed(FeedStep { enters: true, arrays }));
        vals.push(token());
        Ok(vals)
    }

    fn leave(&mut self, frame: &Frame<'m>, inst: &Inst, operands: &[Val]) -> Result<Vec<Val>, RunError> {
        let mut arrays = Vec::new();
        for (val, operand) in operands.iter().zip(&inst.operands) {
            if let Some(ty) = frame.func.ty(*operand).as_tensor() {
                arrays.push((self.dense(val)?, ty.clone()));
            }
        }
        self.push(Step::Feed(FeedStep { enters: false, arrays }));
        Ok(vec![token()])
    }
}
