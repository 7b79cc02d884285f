//! What binds a field once a run has begun.

/// What holds a field as it is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Bound {
    /// Nothing: the next step is made with the new value.
    Free,
    /// The shapes, names or meaning of weights.
    Model,
    /// What states a checkpoint has, and their types.
    States,
    /// The vocabulary, which was learnt before the first step.
    Vocabulary,
    /// Which texts there are, in what order, and which are held out: the place in the data is one among them.
    Texts,
    /// Nothing, but what the named files hold is compared.
    Content,
    /// It was used before the first step, and is not used again.
    Beginning,
}

impl Bound {
    /// Why a field may not change. `None` if it may.
    pub fn reason(self) -> Option<&'static str> {
        match self {
            Bound::Free | Bound::Content => None,
            Bound::Model => {
                Some("the weights were made for the one, and do not fit the other or mean another model")
            }
            Bound::States => Some("the checkpoint has the states of the one, and none of the other"),
            Bound::Vocabulary => {
                Some("the vocabulary was learnt before the first step, and the weights belong to it")
            }
            Bound::Texts => Some(
                "the place in the data is one among those texts in their order: others would come twice, never, or out of \
                 what was held out",
            ),
            Bound::Beginning => Some("it was used before the first step, and is not used again"),
        }
    }
}
