//! Ops ordered by tokens: transfers between host, devices and channels. The interpreter does not run them.

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
