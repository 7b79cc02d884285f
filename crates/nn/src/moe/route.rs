//! Routing: which tokens of a group go to which expert, at which of its places, with what weight.
//!
//! ```text
//! gates [G, S, E]  =>  choices: expert, place and weight per token  =>  combine, dispatch [G, S, E, C]
//! ```
//!
//! Groups are independent. A counter per expert gives out its places in the order of the tokens, all first choices
//! before any second (GShard, Algorithm 1). The order is stated as running sums, so that no loop over tokens remains
//! (GShard 3.1); `tests/it/moe_routing.rs` holds this against loops written from the algorithms' lines.
//!
//! Costs `G S E C` elements for each of the two masks; [`Choice`]s are what gathers use instead.

use meshwright_tensor::prelude::*;

/// How gates become weights when a token has several experts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Weights {
    /// Divided by the sum over the token's choices before any of them is dropped (GShard, Algorithm 1): who loses the
    /// second expert keeps the weight of the first as it is.
    NormalizedBefore,
    /// Divided by the sum over what is left after dropping (praxis' later default, DeepSpeed, fairseq).
    NormalizedAfter,
    /// As the softmax gave them (Switch Transformer).
    Raw,
}

/// Whether a second choice is used at all.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Second {
    /// With probability `min(1, g / t)` for its normalized gate `g`. GShard's `2 g > rnd` is `t = 0.5`; the authors'
    /// code has 0.2.
    Random(f64),
    /// With probability `min(1, g / t)` for its gate `g` as the softmax gave it. fairseq's "random" has `t = 0.5`.
    RandomGate(f64),
    /// Always, and which expert it is, chance says: each as likely as its gate, the first left out (fairseq's
    /// "sampling").
    Sampled,
    /// If its normalized gate is above this.
    Above(f64),
    /// Always.
    All,
    /// Never.
    None,
}

impl Second {
    /// How many numbers by chance a token needs, of so many experts; they lie behind groups and tokens.
    pub fn chances(self, experts: i64) -> Vec<i64> {
        if self == Second::Sampled { vec![experts] } else { Vec::new() }
    }
}

/// Scale of the loss that balances experts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Balance {
    /// GShard, line 13: `1/E sum(c/S m)`, `1/E^2` when uniform.
    GShard,
    /// Switch Transformer, equation 4 without its factor alpha, and the authors' code: `E sum(f P)`, 1 when uniform.
    Switch,
}

/// Two experts per token.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Top2 {
    pub weights: Weights,
    pub second: Second,
    /// Whether a second choice that is not used takes a place all the same.
    pub unused_take_places: bool,
    pub balance: Balance,
}

impl Top2 {
    /// GShard's Algorithm 1, line by line: a second choice moves the counter also if chance leaves it out (line 22).
    pub const PAPER: Top2 = Top2 {
        weights: Weights::NormalizedBefore,
        second: Second::Random(0.5),
        unused_take_places: true,
        balance: Balance::GShard,
    };
    /// What the authors' libraries do: who is left out by chance takes no place; threshold 0.2; loss scaled by `E^2`.
    pub const CODE: Top2 = Top2 {
        weights: Weights::NormalizedBefore,
        second: Second::Random(0.2),
        unused_take_places: false,
        balance: Balance::Switch,
    };
}

/// One choice of each token.
#[derive(Clone, Copy, Debug, Tree)]
pub struct Choice {
    /// `s32[G, S]`.
    pub expert: Tensor,
    /// Its place there, `s32[G, S]`; counted on beyond the capacity.
    pub place: Tensor,
    /// Weight of the expert's output, `[G, S]`; 0 if dropped.
    pub weight: Tensor,
    /// Whether the expert sees the token, `pred[G, S]`.
    pub kept: Tensor,
}

/// What became of the tokens, `s32[G, E]` each.
#[derive(Clone, Copy, Debug, Tree)]
pub struct Counts {
    /// Tokens that an expert sees.
    pub routed: Tensor,
    /// Choices of an expert that found no place, unless the token may choose again.
    pub dropped: Tensor,
    /// Choices left out by policy, not for want of a place.
    pub unused: Tensor,
    /// Places that stay empty.
    pub empty: Tensor,
}

/// Where tokens go.
#[derive(Clone, Debug, Tree)]
pub struct Routing {
    /// Weights, `[G, S, E, C]`.
    pub combine: Tensor,
    /// Ones where a token sits, `[G, S, E, C]`, in the type of the gates. A constant to differentiation.
    pub dispatch: Tensor,
    /// The balancing loss, the mean over groups; without its factor.
    pub balance_loss: Tensor,
    /// The router's z-loss, without its factor; told by layers, which know the logits.
    pub z_loss: Option<Tensor>,
    /// The gates, `[G, S, E]`; told by layers, as well.
    pub gates: Option<Tensor>,
    /// The tokens' fates.
    pub counts: Counts,
    /// The same as `combine` and `dispatch`, by index.
    pub choices: Vec<Choice>,
}

/// A choice before places are given out.
#[derive(Clone, Copy)]
struct Wish {
    /// One at the expert, nothing for a token that chooses none: `s32[G, S, E]`.
    mask: Tensor,
    /// `s32[G, S]`.
    expert: Tensor,
    gate: Tensor,
    /// Whether the token would use it, `pred[G, S]`.
    used: Tensor,
    /// What moves the counters, `s32[G, S, E]`.
    counted: Tensor,
}

/// The experts of each token, best first, the lower number of equals: one-hot masks and indices. An expert is chosen
/// once, also where all other gates are 0.
fn best(gates: Tensor, choices: usize) -> Vec<(Tensor, Tensor)> {
    let experts = gates.dim(-1);
    let mut left = gates.stop_gradient();
    let mut out = Vec::new();
    for _ in 0..choices {
        let expert = left.argmax(-1);
        let mask = expert.one_hot(experts, i32);
        left = mask.eq(1).select(f64::NEG_INFINITY, left);
        out.push((mask, expert));
    }
    out
}

/// Tokens that are not padding, for masks: `s32[G, S, 1]`, ones without a table.
fn presence(gates: Tensor, real: Option<Tensor>) -> Tensor {
    let dims = [gates.dim(0), gates.dim(1), 1];
    real.map_or_else(|| ones(i32, dims), |real| real.cast(i32).reshape(dims))
}

fn gate_of(gates: Tensor, mask: Tensor) -> Tensor {
    (gates * mask.cast(gates.dtype())).sum(-1)
}

fn picked(mask: Tensor) -> Tensor {
    mask.sum(-1).gt(0)
}

/// GShard's top-2 gating of `gates [G, S, E]` (a softmax over experts) with `places` places per group and expert.
/// `chance` is uniform in [0, 1), as [`Second::chances`] says, and only read by policies that leave something to
/// chance; without it every second choice is the best one left, and used. Tokens that are not `real` (`pred[G, S]`) go
/// nowhere, take no place and count in no loss.
#[track_caller]
pub fn top2(
    gates: Tensor,
    places: i64,
    options: &Top2,
    chance: Option<Tensor>,
    real: Option<Tensor>,
) -> Routing {
    let present = presence(gates, real);
    let found = match (options.second, chance) {
        (Second::Sampled, Some(chance)) => sampled(gates, chance),
        _ => best(gates, 2),
    };
    let [(mask1, expert1), (mask2, expert2)] = [found[0], found[1]].map(|(mask, at)| (mask * present, at));
    let (g1, g2) = (gate_of(gates, mask1), gate_of(gates, mask2));
    let sum = g1 + g2;
    let sum = sum.gt(0.0).select(sum, 1.0);
    let share = g2 / sum;
    let wanted = picked(mask2);
    let used = wanted & used_second([share, g2], options.second, chance);
    let counted = if options.unused_take_places { mask2 } else { mask2 * used.cast(i32).unsqueeze(-1) };
    let (gate1, gate2) = match options.weights {
        Weights::NormalizedBefore => (g1 / sum, share),
        _ => (g1, g2),
    };
    let first = Wish { mask: mask1, expert: expert1, gate: gate1, used: picked(mask1), counted: mask1 };
    let second = Wish { mask: mask2, expert: expert2, gate: gate2, used, counted };
    let balance = balance_loss(gates, mask1, present, options.balance);
    assign_places(&[first, second], places, balance, options.weights, gates.dtype())
}

/// The best expert, and one of the others: the largest of logarithms of gates with noise of Gumbel's on them.
fn sampled(gates: Tensor, chance: Tensor) -> Vec<(Tensor, Tensor)> {
    let experts = gates.dim(-1);
    let first = best(gates, 1)[0];
    let noisy = gates.stop_gradient().log() - (-chance.log()).log();
    let expert = first.0.eq(1).select(f64::NEG_INFINITY, noisy).argmax(-1);
    vec![first, (expert.one_hot(experts, i32), expert)]
}

/// By the second gate's share in both, and the gate itself.
fn used_second([share, gate]: [Tensor; 2], policy: Second, chance: Option<Tensor>) -> Tensor {
    let always = share.stop_gradient().ge(0.0);
    match (policy, chance) {
        (Second::Random(threshold), Some(chance)) => (share.stop_gradient() / threshold).gt(chance),
        (Second::RandomGate(threshold), Some(chance)) => (gate.stop_gradient() / threshold).gt(chance),
        (Second::Random(_) | Second::RandomGate(_), None) | (Second::All | Second::Sampled, _) => always,
        (Second::Above(threshold), _) => share.stop_gradient().gt(threshold),
        (Second::None, _) => !always,
    }
}

/// The Switch Transformer's top-1 routing: the softmax's own weight, no normalization. `chosen` (`s32[G, S]`) is the
/// expert of each token where it is sampled; without it the best.
#[track_caller]
pub fn top1(gates: Tensor, places: i64, chosen: Option<Tensor>, real: Option<Tensor>) -> Routing {
    let present = presence(gates, real);
    let expert = chosen.unwrap_or_else(|| gates.stop_gradient().argmax(-1));
    let mask = expert.one_hot(gates.dim(-1), i32) * present;
    let gate = gate_of(gates, mask);
    let wish = Wish { mask, expert, gate, used: picked(mask), counted: mask };
    let balance = balance_loss(gates, mask, present, Balance::Switch);
    assign_places(&[wish], places, balance, Weights::Raw, gates.dtype())
}

/// [`top1`] where an expert takes the tokens with the largest gates, not the first ones (batch-prioritized routing); of
/// equal gates the earlier token. It looks at tokens to come, so it is not for decoding.
#[track_caller]
pub fn top1_by_gate(gates: Tensor, places: i64, real: Option<Tensor>) -> Routing {
    let present = presence(gates, real);
    let expert = gates.stop_gradient().argmax(-1);
    let mask = expert.one_hot(gates.dim(-1), i32) * present;
    let gate = gate_of(gates, mask);
    let order = (-gate.stop_gradient()).argsort(1);
    let wide = |at: Tensor| at.unsqueeze(-1).broadcast_to(mask.dims());
    let sorted = mask.take_along(wide(order), 1);
    let ahead = (sorted.cumsum(1) - sorted).take_along(wide(order.argsort(1)), 1);
    let place = (ahead * mask).sum(-1);
    let used = picked(mask);
    let kept = used & place.lt(places);
    let wish = Wish { mask, expert, gate, used, counted: mask };
    let choice = Choice { expert, place, weight: kept.select(gate, 0.0), kept };
    let balance = balance_loss(gates, mask, present, Balance::Switch);
    laid_out(&[wish], vec![choice], places, balance, gates.dtype())
}

/// The z-loss of router logits: the mean of log(sum(exp(logits)))^2, which keeps them small.
#[track_caller]
pub fn z_loss(logits: Tensor) -> Tensor {
    logits.logsumexp(-1).square().mean(..)
}

/// The best `choices` experts of each token, all first choices before any second, and so on.
#[track_caller]
pub fn top_n(gates: Tensor, places: i64, choices: usize, weights: Weights, real: Option<Tensor>) -> Routing {
    let present = presence(gates, real);
    let found = best(gates, choices.max(1));
    let masks: Vec<Tensor> = found.iter().map(|(mask, _)| *mask * present).collect();
    let raw: Vec<Tensor> = masks.iter().map(|mask| gate_of(gates, *mask)).collect();
    let gate = match weights {
        Weights::NormalizedBefore => shares(&raw),
        _ => raw,
    };
    let wish = |at: usize| {
        let mask = masks[at];
        Wish { mask, expert: found[at].1, gate: gate[at], used: picked(mask), counted: mask }
    };
    let wishes: Vec<Wish> = (0..found.len()).map(wish).collect();
    let balance = balance_loss(gates, masks[0], present, Balance::Switch);
    assign_places(&wishes, places, balance, weights, gates.dtype())
}

/// No-Token-Left-Behind (Switch Transformer, appendix B): stage `i` offers the tokens that have no expert yet to their
/// `i`-th choice; counters go on over stages. The weight is the gate of the expert that took the token.
#[track_caller]
pub fn none_left_behind(gates: Tensor, places: i64, stages: usize, real: Option<Tensor>) -> Routing {
    let present = presence(gates, real);
    let found = best(gates, stages.max(1));
    let balance = balance_loss(gates, found[0].0 * present, present, Balance::Switch);
    let (mut waiting, mut taken) = (present, zeros(i32, [gates.dim(0), 1, gates.dim(-1)]));
    let mut choices = Vec::new();
    let mut wishes = Vec::new();
    for (mask, expert) in found {
        let mask = mask * waiting;
        let wish = Wish { mask, expert, gate: gate_of(gates, mask), used: picked(mask), counted: mask };
        let choice = place(&wish, taken, places);
        taken = taken + mask.sum_keep(1);
        waiting = waiting * (!choice.kept).cast(i32).unsqueeze(-1);
        choices.push(choice);
        wishes.push(wish);
    }
    // Whom the last stage refuses has no expert; who is refused before asks again.
    let last = wishes.len().saturating_sub(1);
    let dropped = counted(&wishes[last..], &choices[last..], places).dropped;
    let routing = laid_out(&wishes, choices, places, balance, gates.dtype());
    Routing { counts: Counts { dropped, ..routing.counts }, ..routing }
}

/// Expert choice (Zhou et al. 2022): an expert takes the `places` tokens of a group with the largest gates for it, of
/// equals the earlier; a token may have several experts or none. The weight is the gate. Loads are even by
/// construction, so the balancing loss is 0. It looks at tokens to come, so it is not for decoding.
///
/// Padding is no token: where a share of a group is padding, experts leave as large a share of their places empty. One
/// [`Choice`] per expert: masks are the cheaper exchange.
#[track_caller]
pub fn expert_choice(gates: Tensor, places: i64, real: Option<Tensor>) -> Routing {
    let present = presence(gates, real);
    let (groups, tokens, experts) = (gates.dim(0), gates.dim(1), gates.dim(2));
    let seen = present.gt(0).broadcast_to([groups, tokens, experts]);
    // Padding stands behind all others.
    let order = seen.select(-gates.stop_gradient(), f64::INFINITY).argsort(1);
    let rank = order.argsort(1);
    let share = (present.sum_keep(1).cast(i64) * places + (tokens - 1)) / tokens.max(1);
    let kept = seen & rank.lt(share.cast(i32));
    let seat = rank.one_hot(places, gates.dtype()) * kept.cast(gates.dtype()).unsqueeze(-1);
    let dispatch = seat.stop_gradient();
    let routed = kept.cast(i32).sum(1);
    let one = |at: i64| {
        let of = |x: Tensor| x.slice_dim(2, at..at + 1).squeeze(2);
        let expert = full(i32, [groups, tokens], at);
        Choice { expert, place: of(rank), weight: of(kept).select(of(gates), 0.0), kept: of(kept) }
    };
    Routing {
        combine: dispatch * gates.unsqueeze(-1),
        dispatch,
        balance_loss: scalar(gates.dtype(), 0),
        z_loss: None,
        gates: None,
        // Who is not taken was not refused: it chose nobody.
        counts: Counts {
            routed,
            dropped: routed.zeros_like(),
            unused: routed.zeros_like(),
            empty: places - routed,
        },
        choices: (0..experts).map(one).collect(),
    }
}

/// Give out places, all of one choice before any of the next, and lay the choices out as masks.
fn assign_places(
    wishes: &[Wish],
    places: i64,
    balance: Tensor,
    weights: Weights,
    dtype: meshwright_ir::DType,
) -> Routing {
    let mut choices = Vec::new();
    let mut taken: Option<Tensor> = None;
    for wish in wishes {
        let none = || zeros(i32, [wish.mask.dim(0), 1, wish.mask.dim(-1)]);
        let before = taken.unwrap_or_else(none);
        choices.push(place(wish, before, places));
        taken = Some(before + wish.counted.sum_keep(1));
    }
    if weights == Weights::NormalizedAfter {
        let left: Vec<Tensor> = choices.iter().map(|choice| choice.weight).collect();
        let even = shares(&left);
        choices.iter_mut().zip(even).for_each(|(choice, weight)| choice.weight = weight);
    }
    laid_out(wishes, choices, places, balance, dtype)
}

/// The place of each token: how many came before it. `taken [G, 1, E]` are the counters to go on from.
fn place(wish: &Wish, taken: Tensor, places: i64) -> Choice {
    let ahead = wish.counted.cumsum(1) - wish.counted + taken;
    let place = (ahead * wish.mask).sum(-1);
    let kept = wish.used & place.lt(places);
    Choice { expert: wish.expert, place, weight: kept.select(wish.gate, 0.0), kept }
}

/// Each divided by the sum of all.
fn shares(all: &[Tensor]) -> Vec<Tensor> {
    let Some((first, rest)) = all.split_first() else { return Vec::new() };
    let sum = rest.iter().fold(*first, |sum, next| sum + *next);
    let sum = sum.gt(0.0).select(sum, 1.0);
    all.iter().map(|one| *one / sum).collect()
}

/// Choices as masks over experts and their places, and counted.
fn laid_out(
    wishes: &[Wish],
    choices: Vec<Choice>,
    places: i64,
    balance_loss: Tensor,
    dtype: meshwright_ir::DType,
) -> Routing {
    let slot = |(wish, choice): (&Wish, &Choice)| {
        let expert = (wish.mask * choice.kept.cast(i32).unsqueeze(-1)).cast(dtype);
        let at = choice.place.one_hot(places, dtype);
        let dispatch = einsum("gse,gsc->gsec", [expert, at]);
        let weighted = expert * choice.weight.unsqueeze(-1);
        (einsum("gse,gsc->gsec", [weighted, at]), dispatch)
    };
    let slots: Vec<(Tensor, Tensor)> = wishes.iter().zip(&choices).map(slot).collect();
    let sum = |all: Vec<Tensor>| all.into_iter().reduce(|a, b| a + b);
    let combine = sum(slots.iter().map(|(combine, _)| *combine).collect());
    let dispatch = sum(slots.iter().map(|(_, dispatch)| dispatch.stop_gradient()).collect());
    let none = || zeros(dtype, [0, 0, 0, 0]);
    Routing {
        combine: combine.unwrap_or_else(none),
        dispatch: dispatch.unwrap_or_else(none),
        balance_loss,
        z_loss: None,
        gates: None,
        counts: counted(wishes, &choices, places),
        choices,
    }
}

fn counted(wishes: &[Wish], choices: &[Choice], places: i64) -> Counts {
    let per_expert = |which: &dyn Fn(&Wish, &Choice) -> Tensor| {
        let one = |(wish, choice): (&Wish, &Choice)| {
            (wish.mask * which(wish, choice).cast(i32).unsqueeze(-1)).sum(1)
        };
        let all = wishes.iter().zip(choices).map(one).reduce(|a, b| a + b);
        all.unwrap_or_else(|| zeros(i32, [0, 0]))
    };
    let routed = per_expert(&|_, choice| choice.kept);
    Counts {
        routed,
        dropped: per_expert(&|wish, choice| wish.used & !choice.kept),
        unused: per_expert(&|wish, _| !wish.used),
        empty: places - routed,
    }
}

/// The loss that pulls experts toward equal shares: the fraction of tokens that chose each first, which no gradient
/// passes, times the mean gate. Counted before any token is dropped.
fn balance_loss(gates: Tensor, first: Tensor, present: Tensor, scale: Balance) -> Tensor {
    let (tokens, experts) = (gates.dim(1), gates.dim(-1));
    let dtype = gates.dtype();
    let fraction = first.sum(1).cast(dtype) / tokens.max(1);
    let mean_gate = (gates * present.cast(dtype)).sum(1) / tokens.max(1);
    let products = (fraction * mean_gate).sum(-1);
    let per_group = match scale {
        Balance::GShard => products / experts,
        Balance::Switch => products * experts,
    };
    per_group.mean(..)
}
