//! What models have in common, and a training step of any of them as one program.
//!
//! ```text
//! batch, step, params (masters), states  =>  loss, nats, gradient_norm, step, params (masters), states, routed.i, dropped.i
//! ```
//!
//! A batch is some arrays under the names of the model's [fields](Field): tokens, or images with their labels. The
//! batch is the first dim of all. Microbatches go one after the other, their gradients added up; each has its share
//! of the groups and counts what it predicts by the whole batch, so that losses and gradients are those of the whole
//! batch.

use crate::layers::attention::wide;
use crate::losses::{smoothed_cross_entropy, soft_cross_entropy};
use crate::moe::layer::CONFIG;
use crate::moe::route::Counts;
use crate::optim::Optimizer;
use crate::optim::stored::{Stored, widened};
use crate::params::{Params, Specs};
use meshwright_base::Diagnostic;
use meshwright_ir::DType;
use meshwright_tensor::prelude::*;

/// A model that can be trained.
pub trait Model: Clone {
    /// What is wrong with the sizes.
    fn check(&self, training: &Training) -> Result<(), Diagnostic>;
    /// All parameters.
    fn specs(&self) -> Specs;
    /// The arrays of a batch.
    fn fields(&self, training: &Training) -> Vec<Field>;
    /// How many places of a batch are predicted (tokens, voxels, images): a float scalar.
    fn predicted(&self, batch: &Params) -> Tensor;
    /// Losses of a batch, or a part of one, with the sum over predicted places divided by `count`. `key` is for
    /// training.
    fn losses(&self, p: &Params, batch: &Params, count: Tensor, key: Option<Key>) -> Losses;
    /// What an evaluation needs to know of a batch; without what is random in training.
    fn judged(&self, p: &Params, batch: &Params) -> Judged;
    /// The same with what it reads besides parameters and a batch, as inputs of the program that is traced.
    fn bound(&self, _t: Trace, _training: &Training) -> Self {
        self.clone()
    }
    /// Groups of the layers of experts, if there are any.
    fn groups(&self) -> Option<i64>;
    /// The same for `1/n` of the batch.
    fn part(&self, n: i64) -> Self;
}

/// An array of a batch. Its dims have names, which tables split; the first is the batch.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Field {
    pub name: &'static str,
    pub dtype: DType,
    pub dims: Vec<(&'static str, i64)>,
}

impl Field {
    /// Rows of tokens.
    pub fn tokens(name: &'static str, batch: i64, length: i64) -> Field {
        Field { name, dtype: DType::S32, dims: vec![("batch", batch), ("length", length)] }
    }

    /// As an input of a program.
    pub fn input(&self, t: Trace) -> Tensor {
        t.input(self.name, self.dtype, &self.dims)
    }
}

/// What a model says of a batch.
#[derive(Clone, Debug, Tree)]
pub struct Losses {
    /// What is minimized: `nats` with other losses (of balance, of overlap), by their factors.
    pub loss: Tensor,
    /// The mean of -log p over predicted places.
    pub nats: Tensor,
    /// Where tokens went, for each layer of experts.
    pub counts: Vec<Counts>,
    /// New values of the parameters that are statistics.
    pub statistics: Params,
}

/// What a model makes of a batch that nothing is learnt from.
#[derive(Clone, Debug)]
pub struct Judged {
    /// -log p of what is right, at each place that is asked for: a token, a voxel, an image.
    pub nats: Tensor,
    /// 1 where the model finds that likeliest, else 0.
    pub right: Tensor,
    /// Which places count; all, if it is not said.
    pub counts_as: Option<Tensor>,
    /// Numbers that add up over batches and figures are made of, by name.
    pub sums: Vec<(String, Tensor)>,
    /// Where tokens went, for each layer of experts.
    pub experts: Vec<Counts>,
}

impl Judged {
    /// Of logits, the class last, and the classes that are right.
    pub fn of(logits: Tensor, asked: Tensor, counts_as: Option<Tensor>, experts: Vec<Counts>) -> Judged {
        let logits = logits.cast(wide(logits.dtype()));
        let right = logits.argmax(-1).cast(i32).eq(asked).cast(logits.dtype());
        Judged { nats: logits.cross_entropy(asked), right, counts_as, sums: Vec::new(), experts }
    }

    /// With how many places are asked to be of each class, are said to be, and both: `class_asked`, `class_said`,
    /// `class_both`. Places of a class below 0 count for nothing.
    pub fn by_class(mut self, logits: Tensor, asked: Tensor) -> Judged {
        let counts = asked.ge(0);
        self.counts_as = Some(counts);
        let (classes, dtype) = (logits.dim(-1), self.nats.dtype());
        let asked = asked.one_hot(classes, dtype);
        let said = logits.argmax(-1).cast(i32).one_hot(classes, dtype);
        let said = counts.unsqueeze(-1).select(said, 0.0);
        let over: Vec<i64> = (0..asked.rank() as i64 - 1).collect();
        let sum = |x: Tensor| x.sum(&over[..]);
        let sums =
            [("class_asked", sum(asked)), ("class_said", sum(said)), ("class_both", sum(asked * said))];
        self.sums.extend(sums.map(|(name, x)| (name.to_string(), x)));
        self
    }
}

/// How a training step goes about.
#[derive(Clone, Debug)]
pub struct Training {
    pub optimizer: Optimizer,
    /// Sequences in a batch.
    pub batch: i64,
    /// Parts of the batch that go one after the other, their gradients added up; each has its share of the groups, so
    /// that the losses are those of the whole batch.
    pub microbatches: i64,
    /// Tokens of a sequence; 0 of models that read none. Of a language model, the first is only read and the last only
    /// predicted; of an encoder-decoder it is the source's.
    pub length: i64,
    /// Type of states and of the optimizer's arithmetic.
    pub dtype: DType,
    /// What parameters are stored in.
    pub stored: Stored,
    /// Seed of dropout and routing.
    pub seed: u64,
}

impl Training {
    /// Sequences of a part of the batch.
    pub fn rows(&self) -> i64 {
        self.batch / self.microbatches.max(1)
    }

    /// Whether batch and groups can be cut into microbatches.
    fn check(&self, groups: Option<i64>) -> Result<(), Diagnostic> {
        let (n, batch) = (self.microbatches, self.batch);
        let cut = |groups: i64| n == 1 || groups % n == 0;
        if self.length == 1 {
            let message = "sequences of 1 token have nothing that follows, to be predicted";
            return Err(Diagnostic::error(CONFIG, message).help("use sequences of 2 tokens at least"));
        }
        if n >= 1 && batch % n == 0 && groups.is_none_or(cut) {
            return Ok(());
        }
        let groups = groups.map_or(String::new(), |groups| format!(" in {groups} groups"));
        let what = match self.length {
            0 => "examples".to_string(),
            length => format!("sequences of {length} tokens"),
        };
        let message = format!("a batch of {batch} {what}{groups} does not divide into {n} microbatches");
        let help = "use a number of microbatches that divides both";
        Err(Diagnostic::error(CONFIG, message).help(help))
    }
}

/// What a batch says of the parameters.
#[derive(Clone, Debug, Tree)]
pub struct Gradients {
    pub losses: Losses,
    pub gradients: Params,
}

/// The arrays of a batch as inputs of a program.
pub fn batch_inputs<M: Model>(t: Trace, model: &M, training: &Training) -> Params {
    let one = |field: Field| (field.name.to_string(), field.input(t));
    Params { list: model.fields(training).into_iter().map(one).collect() }
}

/// Losses and gradients of a batch, in `n` parts one after the other. Each takes every `n`-th row, so that a batch
/// that is split over devices stays where it is. Statistics become the mean of what the parts make of them.
pub fn gradients<M: Model>(
    model: &M,
    params: &Params,
    statistics: &Params,
    batch: &Params,
    key: Option<Key>,
    n: i64,
) -> Gradients {
    let count = model.predicted(batch) / n.max(1);
    if n <= 1 {
        return of_part(model, params, statistics, batch, count, key);
    }
    let part = model.part(n);
    let cut = |x: Tensor| {
        let dims = [x.dim(0) / n, n].into_iter().chain(x.dims().into_iter().skip(1));
        let parts = x.reshape(dims.collect::<Vec<i64>>());
        let names: Vec<&str> = (0..parts.rank()).map(|dim| if dim == 1 { "batch" } else { "" }).collect();
        parts.swap_dims(0, 1).logical(names)
    };
    let none = |params: &Params| params.map(&mut |x| x.zeros_like());
    let none = (scalar(count.dtype(), 0), scalar(count.dtype(), 0), (none(params), none(statistics)));
    let parts = (batch.map(&mut |x| cut(x)), range(i32, n));
    let (sums, counts) = scan(none, parts, |(loss, nats, (sum, averages)), (batch, turn)| {
        let key = key.map(|key| key.fold_in(turn));
        let found = of_part(&part, params, statistics, &batch, count, key);
        let sums = (added(&sum, &found.gradients), added(&averages, &found.losses.statistics));
        ((loss + found.losses.loss, nats + found.losses.nats, sums), found.losses.counts)
    });
    let (loss, nats, (sum, averages)) = sums;
    let counts = counts.map(&mut |count| count.reshape([-1, count.dim(-1)]));
    let statistics = averages.map(&mut |x| x / n);
    let losses = Losses { loss: loss / n, nats: nats / n, counts, statistics };
    Gradients { losses, gradients: sum.map(&mut |x| x / n) }
}

/// Sums of what is called alike.
fn added(sum: &Params, more: &Params) -> Params {
    let one = |(name, x): &(String, Tensor)| (name.clone(), *x + more.get(name));
    Params { list: sum.list.iter().map(one).collect() }
}

fn of_part<M: Model>(
    model: &M,
    params: &Params,
    statistics: &Params,
    batch: &Params,
    count: Tensor,
    key: Option<Key>,
) -> Gradients {
    let ((_, losses), gradients) = value_and_grad(params.clone(), |p| {
        let p = Params { list: [p.list, statistics.list.clone()].concat() };
        let losses = model.losses(&p, batch, count, key);
        (losses.loss, losses)
    });
    Gradients { losses, gradients }
}

/// What is wrong with a model and the way it is to be trained.
pub fn check<M: Model>(model: &M, training: &Training) -> Result<(), Diagnostic> {
    training.check(model.groups())?;
    model.check(training)
}

/// One training step as one program: a batch in, parameters, states and `step` replaced in place; `loss`, `nats`,
/// `gradient_norm`, `learning_rate` and the counts of each layer of experts out.
pub fn train_step<M: Model>(model: &M, training: &Training, rules: &Rules) -> Result<Program, Errors> {
    check(model, training)?;
    trace_with("train_step", rules, |t| {
        let model = &model.bound(t, training);
        let batch = batch_inputs(t, model, training);
        let before = t.state("step", i32, ());
        let (specs, statistics) = model.specs().parted();
        let statistics = statistics.states(t, "params", training.dtype);
        let stored = training.stored;
        let narrow = specs.states(t, "params", stored.dtype(training.dtype));
        let stepped = stored.stepped(t, &specs, &narrow, training.dtype);
        let params = widened(&narrow, training.dtype);
        let states = training.optimizer.states(t, "", &stepped);
        let key = Key::seed(training.seed).fold_in(before);
        let Gradients { losses, gradients } =
            gradients(model, &params, &statistics, &batch, Some(key), training.microbatches);
        let step = before + 1;
        let count = step.cast(training.dtype);
        let (norm, (stepped, states)) = scope("optimizer", || {
            let (gradients, norm) = training.optimizer.clipped(gradients);
            (norm, training.optimizer.step("", &stepped, &gradients, &states, count))
        });
        let mut out = vec![
            ("loss".to_string(), losses.loss),
            ("nats".to_string(), losses.nats),
            ("gradient_norm".to_string(), norm),
            ("learning_rate".to_string(), training.optimizer.learning_rate(count)),
            ("step".to_string(), step),
        ];
        out.extend(stepped.list.into_iter().flat_map(|(name, w)| stored.kept(&name, w)));
        out.extend(states.list);
        out.extend(losses.statistics.list.into_iter().map(|(name, new)| (format!("params.{name}"), new)));
        for (at, counts) in losses.counts.iter().enumerate() {
            out.push((format!("routed.{at}"), counts.routed));
            out.push((format!("dropped.{at}"), counts.dropped));
        }
        out
    })
}

/// A program without inputs that draws the first parameters, named as the step's states are.
pub fn first_params<M: Model>(model: &M, dtype: DType, seed: u64, rules: &Rules) -> Result<Program, Errors> {
    trace_with("first_params", rules, |_| {
        let drawn = model.specs().draw(Key::seed(seed), dtype).list;
        drawn.into_iter().map(|(name, x)| (format!("params.{name}"), x)).collect::<Vec<_>>()
    })
}

/// What a teacher says of the tokens that are to be predicted, and how much is learnt of it.
#[derive(Clone, Copy, Debug)]
pub struct Soft {
    pub logits: Tensor,
    /// Share of the loss; the rest is that of the labels.
    pub share: f64,
    /// What both models' logits are divided by; the loss is multiplied by its square.
    pub temperature: f64,
}

impl Soft {
    /// The loss of each token.
    fn loss(&self, logits: Tensor) -> Tensor {
        let at = |logits: Tensor| logits / self.temperature;
        let chances = at(self.logits.cast(logits.dtype())).softmax(-1).stop_gradient();
        soft_cross_entropy(at(logits), chances) * (self.temperature * self.temperature)
    }
}

/// What is to be predicted.
pub(super) struct Labels {
    pub tokens: Tensor,
    /// Which of them count; all, if it is not said.
    pub asked: Option<Tensor>,
    /// Share of each that is spread evenly over the vocabulary.
    pub smoothing: f64,
    pub soft: Option<Soft>,
}

/// The whole loss, and the mean over predicted tokens of -log p, which knows nothing of smoothing.
pub(super) fn weigh(
    logits: Tensor,
    labels: Labels,
    count: Tensor,
    more: &[(f64, Option<Tensor>)],
) -> (Tensor, Tensor) {
    scope("loss", || {
        let logits = logits.cast(wide(logits.dtype()));
        let mean = |each: Tensor| {
            let asked = labels.asked.map(|asked| asked.cast(each.dtype()));
            asked.map_or(each, |asked| each * asked).sum(..) / count.cast(each.dtype())
        };
        let nats = mean(logits.cross_entropy(labels.tokens));
        let begun = if labels.smoothing > 0.0 {
            mean(smoothed_cross_entropy(logits, labels.tokens, labels.smoothing))
        } else {
            nats
        };
        let begun = labels
            .soft
            .map_or(begun, |soft| begun * (1.0 - soft.share) + mean(soft.loss(logits)) * soft.share);
        let add = |sum: Tensor, (factor, loss): &(f64, Option<Tensor>)| match loss.filter(|_| *factor != 0.0)
        {
            Some(loss) => sum + loss.cast(sum.dtype()) * *factor,
            None => sum,
        };
        (more.iter().fold(begun, add), nats)
    })
}
