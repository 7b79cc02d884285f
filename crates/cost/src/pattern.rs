//! Who sends what to whom: the kinds of collectives there are.

/// The communication pattern of a collective.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Pattern {
    AllGather,
    AllReduce,
    ReduceScatter,
    AllToAll,
    Permute,
    Broadcast,
}

impl std::fmt::Display for Pattern {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(match self {
            Pattern::AllGather => "all-gather",
            Pattern::AllReduce => "all-reduce",
            Pattern::ReduceScatter => "reduce-scatter",
            Pattern::AllToAll => "all-to-all",
            Pattern::Permute => "permute",
            Pattern::Broadcast => "broadcast",
        })
    }
}
