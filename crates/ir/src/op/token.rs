//! Ops ordered by tokens: transfers between host, devices and channels. Interpreter and engines run those with the
//! host, from and to queues that the caller gives.

use crate::expect::ensure;
use crate::infer::{InferError, Inferred, Operands};
use crate::rule::{Rule, RuleCx};
use crate::types::Type;

/// Channel and direction of a transfer.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct TransferAttrs {
    pub channel: i64,
    pub channel_kind: i64,
    pub is_host_transfer: bool,
    pub source_target_pairs: Vec<(u32, u32)>,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum TokenOp {
    /// `create_token` has no operands, `after_all` joins tokens.
    AfterAll,
    /// `(token)`; results `results.., token`.
    Infeed { config: String, results: Vec<Type> },
    /// `(inputs.., token)`; result token.
    Outfeed { config: String },
    /// `(inputs.., token)`; result token.
    Send(TransferAttrs),
    /// `(token)`; results `results.., token`.
    Recv { transfer: TransferAttrs, results: Vec<Type> },
}

impl TokenOp {
    pub fn infer(&self, operands: Operands<'_>) -> Inferred {
        match self {
            TokenOp::AfterAll => infer_after_all(operands),
            TokenOp::Infeed { results, .. } | TokenOp::Recv { results, .. } => {
                infer_receive(operands, results)
            }
            TokenOp::Outfeed { .. } | TokenOp::Send(_) => infer_send(operands),
        }
    }

    /// What leaves or enters does so whole.
    pub fn rule(&self, cx: RuleCx<'_>) -> Rule {
        Rule::whole(cx)
    }

    pub fn mnemonic(&self) -> &'static str {
        match self {
            TokenOp::AfterAll => "after_all",
            TokenOp::Infeed { .. } => "infeed",
            TokenOp::Outfeed { .. } => "outfeed",
            TokenOp::Send(_) => "send",
            TokenOp::Recv { .. } => "recv",
        }
    }
}

fn expect_token(operands: Operands<'_>, index: usize) -> Result<(), InferError> {
    let found = operands.types.get(index);
    ensure!(matches!(found, Some(Type::Token)), "operand {index} must be a token");
    Ok(())
}

fn infer_after_all(operands: Operands<'_>) -> Inferred {
    (0..operands.types.len()).try_for_each(|index| expect_token(operands, index))?;
    Ok(vec![Type::Token])
}

fn infer_receive(operands: Operands<'_>, results: &[Type]) -> Inferred {
    operands.expect_count(1)?;
    expect_token(operands, 0)?;
    Ok(results.iter().cloned().chain([Type::Token]).collect())
}

fn infer_send(operands: Operands<'_>) -> Inferred {
    let Some(last) = operands.types.len().checked_sub(1) else {
        return Err(InferError::new("the last operand must be a token, there is none"));
    };
    (0..last).try_for_each(|index| operands.tensor(index).map(|_| ()))?;
    expect_token(operands, last)?;
    Ok(vec![Type::Token])
}
