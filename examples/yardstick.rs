//! One training step of a decoder-only Transformer with a mixture of experts in every odd layer, annotated for a mesh
//! of `x` by `y` devices: the model that `peers/` holds beside JAX, written once more with this front end.
//!
//!     cargo run --release --example yardstick                                       five steps of a small one, on 4 x 2 devices
//!     cargo run --release --example yardstick -- --x 8 --y 1 --stablehlo step.mlir  the program as StableHLO
//!
//! Sizes are options too: `--layers 4 --m 256 --h 1024 --heads 4 --experts 8 --batch 32 --seq 128 --vocab 8192`, and
//! `--f64 1` writes it in f64.

#![allow(clippy::print_stdout)]

use meshwright::DType;
use meshwright::prelude::*;
use std::collections::BTreeMap;

/// The sizes: as few letters as the papers use.
#[derive(Clone, Copy, Debug)]
pub struct Model {
    pub layers: usize,
    pub m: i64,
    pub h: i64,
    pub heads: i64,
    pub experts: i64,
    pub batch: i64,
    pub seq: i64,
    pub vocab: i64,
    pub dtype: DType,
}

impl Default for Model {
    fn default() -> Model {
        Model { layers: 2, m: 16, h: 32, heads: 4, experts: 8, batch: 8, seq: 16, vocab: 64, dtype: f32 }
    }
}

/// Weights by name.
type Params = BTreeMap<String, Tensor>;

/// A weight: its name, its sizes, and the mesh axis of each dim.
type Spec = (String, Vec<i64>, Vec<i64>);

impl Model {
    /// All weights. `-1` is a dim that stays whole.
    pub fn specs(&self) -> Vec<Spec> {
        let (m, h, n, d, e) = (self.m, self.h, self.heads, self.m / self.heads, self.experts);
        let mut specs: Vec<Spec> = vec![("emb".into(), vec![self.vocab, m], vec![1, -1])];
        for i in 0..self.layers {
            let mut add = |name: &str, sizes: &[i64], cuts: &[i64]| {
                specs.push((format!("{i}.{name}"), sizes.to_vec(), cuts.to_vec()));
            };
            add("qkv", &[3, m, n, d], &[-1, -1, 1, -1]);
            add("o", &[n, d, m], &[1, -1, -1]);
            if i % 2 == 1 {
                add("wg", &[m, e], &[-1, -1]);
                add("wi", &[e, m, h], &[0, -1, 1]);
                add("wo", &[e, h, m], &[0, 1, -1]);
            } else {
                add("wi", &[m, h], &[-1, 1]);
                add("wo", &[h, m], &[1, -1]);
            }
            add("ln1", &[m], &[-1]);
            add("ln2", &[m], &[-1]);
        }
        specs
    }

    /// Logits, and the loss that balances the experts.
    fn forward(&self, mesh: &Mesh, p: &Params, tokens: Tensor) -> (Tensor, Tensor) {
        let (seq, depth) = (self.seq, self.m / self.heads);
        let w = |layer: usize, name: &str| p[&format!("{layer}.{name}")];
        let causal = iota(i32, [seq, seq], 0).ge(iota(i32, [seq, seq], 1));
        let mut x = p["emb"].take(tokens, 0).mesh_split(mesh, [0, -1, -1]);
        let mut balance = scalar(self.dtype, 0.0);
        for i in 0..self.layers {
            let h = norm(x, w(i, "ln1"));
            let qkv = einsum("bsm,cmnd->cbsnd", [h, w(i, "qkv")]);
            let (q, k, v) = (qkv.slice((0,)), qkv.slice((1,)), qkv.slice((2,)));
            let scores = einsum("bsnd,btnd->bnst", [q, k]) / (depth as f64).sqrt();
            let attention = causal.select(scores, -1e9).softmax(-1);
            let o = einsum("bnst,btnd->bsnd", [attention, v]).mesh_split(mesh, [0, -1, 1, -1]);
            x = (x + einsum("bsnd,ndm->bsm", [o, w(i, "o")])).mesh_split(mesh, [0, -1, -1]);
            let h = norm(x, w(i, "ln2"));
            if i % 2 == 1 {
                let gates = einsum("gsm,me->gse", [h, w(i, "wg")]).softmax(-1);
                let (combine, loss) = top_2_gating(gates, (2 * seq / self.experts).max(1));
                balance = balance + loss;
                let dispatch = combine.gt(0.0).cast(self.dtype);
                let e = einsum("gsec,gsm->egcm", [dispatch, h]).mesh_split(mesh, [0, -1, -1, -1]);
                let e = einsum("egcm,emh->egch", [e, w(i, "wi")]).relu().mesh_split(mesh, [0, -1, -1, 1]);
                let e = einsum("egch,ehm->gecm", [e, w(i, "wo")]).mesh_split(mesh, [0, -1, -1, -1]);
                x = x + einsum("gsec,gecm->gsm", [combine, e]);
            } else {
                let h = einsum("bsm,mh->bsh", [h, w(i, "wi")]).relu().mesh_split(mesh, [0, -1, 1]);
                x = x + einsum("bsh,hm->bsm", [h, w(i, "wo")]);
            }
            x = x.mesh_split(mesh, [0, -1, -1]);
        }
        (einsum("bsm,vm->bsv", [x, p["emb"]]), balance)
    }

    /// Mean of -log p of the next token, the first one following the last, and a little of the balance.
    fn loss(&self, mesh: &Mesh, p: &Params, tokens: Tensor) -> Tensor {
        let (logits, balance) = self.forward(mesh, p, tokens);
        let target = tokens.roll(-1, 1).unsqueeze(-1);
        -logits.log_softmax(-1).take_along(target, -1).mean(..) + 0.01 * balance
    }

    /// One step of Adam: `tokens` in; `loss` out; weights `p.*` and moments `m.*`, `v.*` replaced in place.
    pub fn train_step(&self, mesh: &Mesh) -> Result<Program, Errors> {
        trace("train_step", |t| {
            let specs = self.specs();
            let state = |slot: &str| -> Params {
                let one = |(name, sizes, cuts): &Spec| {
                    let x = t.state(&format!("{slot}.{name}"), self.dtype, sizes);
                    (name.clone(), x.mesh_split(mesh, &cuts[..]))
                };
                specs.iter().map(one).collect()
            };
            let (p, m, v) = (state("p"), state("m"), state("v"));
            let tokens = t.input("tokens", i32, [self.batch, self.seq]).mesh_split(mesh, [0, -1]);
            let (loss, gradients) = value_and_grad(p.clone(), |p| self.loss(mesh, &p, tokens));
            let mut results = vec![("loss".to_string(), loss)];
            for (name, p) in &p {
                let g = gradients[name];
                let m = 0.9 * m[name] + 0.1 * g;
                let v: Tensor = 0.99 * v[name] + 0.01 * g * g;
                let p = p - 1e-3 * m / (v.sqrt() + 1e-8);
                let slots = [("p", p), ("m", m), ("v", v)];
                results.extend(slots.map(|(slot, x)| (format!("{slot}.{name}"), x)));
            }
            results
        })
    }
}

fn norm(x: Tensor, scale: Tensor) -> Tensor {
    x * ((x * x).mean_keep(-1) + 1e-6).rsqrt() * scale
}

/// GShard's gating (Algorithm 1, without its random second choice): weights `[G, S, E, C]` that combine the experts'
/// results, and the loss that balances them. Second choices queue behind all first ones.
fn top_2_gating(gates: Tensor, capacity: i64) -> (Tensor, Tensor) {
    let (dtype, experts) = (gates.dtype(), gates.dim(-1));
    let mask_1 = gates.argmax(-1).one_hot(experts, dtype);
    let gate_1 = (gates * mask_1).sum(-1);
    let mask_2 = (gates * (1 - mask_1)).argmax(-1).one_hot(experts, dtype);
    let gate_2 = (gates * mask_2).sum(-1);
    let balance = (mask_1.mean(1) * gates.mean(1)).mean(..) * (experts * experts);
    let place_1 = (mask_1.cumsum(1) - mask_1) * mask_1;
    let mask_1 = mask_1 * place_1.lt(capacity).cast(dtype);
    let place_2 = (mask_2.cumsum(1) - mask_2 + mask_1.sum_keep(1)) * mask_2;
    let mask_2 = mask_2 * place_2.lt(capacity).cast(dtype);
    let total = gate_1 + gate_2 + 1e-9;
    let combine = |gate: Tensor, mask: Tensor, place: Tensor| {
        let slot = (place * mask).sum(-1).cast(i32).one_hot(capacity, dtype);
        (gate / total).unsqueeze(-1).unsqueeze(-1) * mask.unsqueeze(-1) * slot.unsqueeze(2)
    };
    (combine(gate_1, mask_1, place_1) + combine(gate_2, mask_2, place_2), balance)
}

/// What follows an option on the command line.
fn option(arguments: &[String], name: &str) -> Option<String> {
    let at = arguments.iter().position(|word| word == name)?;
    arguments.get(at + 1).cloned()
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let size = |name: &str, default: i64| match option(&arguments, name) {
        Some(word) => word.parse().map_err(|_| format!("{name} {word}: give a whole number")),
        None => Ok(default),
    };
    let small = Model::default();
    let model = Model {
        layers: usize::try_from(size("--layers", 2)?)?,
        m: size("--m", small.m)?,
        h: size("--h", small.h)?,
        heads: size("--heads", small.heads)?.max(1),
        experts: size("--experts", small.experts)?.max(1),
        batch: size("--batch", small.batch)?,
        seq: size("--seq", small.seq)?,
        vocab: size("--vocab", small.vocab)?,
        dtype: if size("--f64", 0)? == 1 { f64 } else { f32 },
    };
    let mesh = Mesh::new([("x", size("--x", 4)?), ("y", size("--y", 2)?)])?;
    let step = model.train_step(&mesh)?;
    match option(&arguments, "--stablehlo") {
        Some(path) => Ok(std::fs::write(path, step.to_stablehlo())?),
        None => Ok(train(&model, &step)?),
    }
}

/// Five steps from made-up weights on made-up tokens.
pub fn train(model: &Model, step: &Program) -> Result<(), Error> {
    let partitioned = step.partition()?;
    println!("{}", partitioned.explain());
    let mut loaded = partitioned.load(partitioned.devices())?;
    for (name, sizes, _) in model.specs() {
        let count = sizes.iter().product::<i64>();
        let number =
            |i: i64| if name.contains("ln") { 1.0 } else { ((i * 7919 % 997) as f32 / 997.0 - 0.5) * 0.07 };
        let numbers: Vec<f32> = (0..count).map(number).collect();
        loaded.set(&format!("p.{name}"), &Array::new(sizes.clone(), &numbers)?)?;
        loaded.set(&format!("m.{name}"), &Array::zeros(f32, sizes.clone()))?;
        loaded.set(&format!("v.{name}"), &Array::zeros(f32, sizes))?;
    }
    let tokens: Vec<i32> = (0..model.batch * model.seq).map(|i| (i * 31 % model.vocab) as i32).collect();
    let tokens = Array::new([model.batch, model.seq], &tokens)?;
    for number in 0..5 {
        println!("step {number}: loss {:.6}", loaded.run(&[("tokens", &tokens)])?.number("loss")?);
    }
    Ok(())
}
