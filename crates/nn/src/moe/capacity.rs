//! How many tokens of a group an expert takes.
//!
//! The papers give a real number; libraries round it in different ways. Never less than 1.

/// A convention, with its capacity factor.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Capacity {
    /// GShard 2.2: `2 S / E`, for at most two experts per token. Rounded up.
    GShard,
    /// Switch Transformer 2.1: `S / E * factor`. Rounded up.
    Switch(f64),
    /// This many.
    Fixed(i64),
    /// mesh-tensorflow: `min(S, int(S * factor / E))`, at least 4. The factor is for all choices of a token together.
    MeshTensorflow(f64),
    /// praxis: `int(S * factor / E)` rounded up to a multiple of 4.
    Praxis(f64),
    /// flaxformer: `S * factor / E`, rounded to the nearest, halves to even; at least 4.
    Flaxformer(f64),
    /// DeepSpeed and Megatron: `k * factor * S / E` rounded up, where a token has `k` experts.
    PerChoice(f64),
    /// fairseq and NLLB-MoE in training: `k * factor * ceil(S / E)`, where the factor is 1. Rounded up.
    Fairseq(f64),
    /// As many as there are tokens: nothing is ever dropped.
    Unlimited,
}

impl Capacity {
    /// Places per expert and group, for groups of `tokens`, `experts` experts and `choices` experts per token.
    pub fn places(self, tokens: i64, experts: i64, choices: i64) -> i64 {
        let share = tokens as f64 / experts.max(1) as f64;
        let times = |factor: f64| tokens as f64 * factor / experts.max(1) as f64;
        let places = match self {
            Capacity::GShard => (2.0 * share).ceil(),
            Capacity::Switch(factor) => times(factor).ceil(),
            Capacity::Fixed(places) => places as f64,
            Capacity::MeshTensorflow(factor) => times(factor).floor().min(tokens as f64).max(4.0),
            Capacity::Praxis(factor) => (times(factor).floor() / 4.0).ceil() * 4.0,
            Capacity::Flaxformer(factor) => times(factor).round_ties_even().max(4.0),
            Capacity::PerChoice(factor) => times(factor * choices as f64).ceil(),
            Capacity::Fairseq(factor) => (share.ceil() * factor * choices as f64).ceil(),
            Capacity::Unlimited => tokens as f64,
        };
        (places as i64).max(1)
    }
}

#[cfg(test)]
mod tests {
    use super::Capacity::*;

    #[test]
    fn conventions_round_as_their_libraries_do() {
        let all = [GShard, Switch(1.25), Fixed(3), MeshTensorflow(1.25), Praxis(1.25), Flaxformer(1.25)];
        let found: Vec<i64> = all.iter().map(|one| one.places(10, 4, 2)).collect();
        assert_eq!(found, [5, 4, 3, 4, 4, 4]);
        assert_eq!([(20, 1.3), (18, 1.0)].map(|(s, f)| Flaxformer(f).places(s, 4, 1)), [6, 4]);
        assert_eq!(PerChoice(1.25).places(10, 4, 2), 7);
        assert_eq!(Fairseq(1.0).places(10, 4, 2), 6);
        assert_eq!(Unlimited.places(10, 4, 2), 10);
    }

    #[test]
    fn there_is_always_a_place() {
        assert_eq!(
            [Switch(0.1).places(1, 64, 1), Fixed(-2).places(4, 4, 1), GShard.places(0, 4, 2)],
            [1, 1, 1]
        );
    }
}
