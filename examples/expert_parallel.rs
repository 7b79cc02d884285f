//! Expert parallelism by the einsums of GShard's Algorithm 2, behind the gate of the Switch Transformer: each token
//! goes to one expert, where GShard's Algorithm 1 sends it to two. Two annotations move the tokens from groups to
//! experts and back.
//!
//!     cargo run --release --example expert_parallel

#![allow(clippy::print_stdout)]

use meshwright::prelude::*;

const GROUPS: i64 = 8;
const TOKENS: i64 = 16;
const MODEL: i64 = 32;
const HIDDEN: i64 = 64;
const EXPERTS: i64 = 8;
const CAPACITY: i64 = 4;
const DEVICES: i64 = 8;

/// Each token to its best expert, as long as that has room: combine weights `[G, S, E, C]`.
fn top_1_gating(gates: Tensor) -> Tensor {
    let expert = gates.argmax(-1).one_hot(EXPERTS, f32); // GSE
    let place = expert.cumsum(1) * expert - 1; // place of each token at its expert, -1 elsewhere
    let gate = (gates * expert).sum_keep(-1); // GS1
    let slot = place.cast(i32).one_hot(CAPACITY, f32); // a place beyond the capacity has none
    slot * gate.unsqueeze(-1)
}

fn layer(inputs: Tensor, wg: Tensor, wi: Tensor, wo: Tensor) -> Tensor {
    let inputs = inputs.split(0, DEVICES);
    let gates = einsum("gsm,me->gse", [inputs, wg.replicate()]).softmax(-1);
    let combine_weights = top_1_gating(gates);
    let dispatch_mask = combine_weights.gt(0.0).cast(f32);
    let dispatched = einsum("gsec,gsm->egcm", [dispatch_mask, inputs]).split(0, DEVICES); // an all-to-all
    let h = einsum("egcm,emh->egch", [dispatched, wi]).relu();
    let expert_outputs = einsum("egch,ehm->gecm", [h, wo]);
    einsum("gsec,gecm->gsm", [combine_weights, expert_outputs]).split(0, DEVICES)
}

fn loss(t: Trace) -> Tensor {
    t.set_devices(DEVICES);
    let inputs = t.input("inputs", f32, [GROUPS, TOKENS, MODEL]);
    let wg = t.param("wg", [MODEL, EXPERTS]);
    let wi = t.param("wi", [EXPERTS, MODEL, HIDDEN]);
    let wo = t.param("wo", [EXPERTS, HIDDEN, MODEL]);
    (layer(inputs, wg, wi, wo) - inputs).square().mean(..)
}

pub fn main() -> Result<(), Error> {
    let step = trace("moe", loss)?.value_and_grad(&["wg", "wi", "wo"])?;
    let partitioned = step.partition()?;
    println!("{}", partitioned.explain());
    let random = |n: i64| (0..n).map(|i| ((i * 7919 % 1009) as f32 / 1009.0 - 0.5) * 0.4).collect::<Vec<_>>();
    let array = |dims: &[i64]| Array::new(dims, &random(dims.iter().product()));
    let inputs = array(&[GROUPS, TOKENS, MODEL])?;
    let wg = array(&[MODEL, EXPERTS])?;
    let wi = array(&[EXPERTS, MODEL, HIDDEN])?;
    let wo = array(&[EXPERTS, HIDDEN, MODEL])?;
    let results = partitioned.load(8)?.run(&[("inputs", &inputs), ("wg", &wg), ("wi", &wi), ("wo", &wo)])?;
    println!("loss {:.6}", results.number("result")?);
    Ok(())
}
