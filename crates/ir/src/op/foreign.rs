//! Calls of things the IR does not know by itself: custom calls and composites.

use crate::attr::Attrs;
use crate::module::FuncId;
use crate::types::Type;

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Foreign {
    CustomCall(CustomCall),
    Composite(Composite),
}

/// An external function by name. Parses and verifies whatever the target; only running an unknown one is an error.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct CustomCall {
    pub target: String,
    pub results: Vec<Type>,
    pub has_side_effect: bool,
    /// `backend_config`: a string, or a dictionary in `attrs`.
    pub backend_config: Option<String>,
    pub api_version: Option<i64>,
    /// Everything else the text said (layouts, aliases, dictionaries), in its order.
    pub attrs: Attrs,
    /// `called_computations`.
    pub callees: Vec<FuncId>,
}

/// A named op with a decomposition that means the same.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Composite {
    pub name: String,
    pub decomposition: FuncId,
    pub version: i64,
    pub attrs: Attrs,
}
