//! What binds a field once a run has begun: what may change when a run goes on, and why the rest may not.
//!
//! Every field names its [`Bound`] where it is declared, so that none can be left out. Two configurations are compared
//! field by field; a field that is bound and would mean something else is refused with the reason, never ignored.

use super::{Bound, Config, Dtype, Rule, field::Section};
use meshwright_base::{Code, Diagnostic};

const BOUND: Code = Code(1107);

/// A field that is not as it was.
struct Changed {
    path: String,
    bound: Bound,
    before: String,
    now: String,
}

impl Config {
    /// What of this configuration cannot go on from a run of `saved`, among fields that `binds` says are bound.
    pub fn refused_on_resume(&self, saved: &Config, binds: impl Fn(Bound) -> bool) -> Vec<Diagnostic> {
        let changed = self.changed_since(saved).into_iter();
        let refused = changed.filter(|one| binds(one.bound) && !means_the_same(&one.path, saved, self));
        refused.filter_map(|one| self.refusal(one)).collect()
    }

    fn refusal(&self, changed: Changed) -> Option<Diagnostic> {
        let Changed { path, bound, before, now } = changed;
        let message = format!("`{path}` is {before} in the run and {now} here: {}", bound.reason()?);
        let help =
            "leave it as it was, or begin another run, with what fits of these weights by `--init-from`";
        Some(Diagnostic::error(BOUND, message).at_place(self.written(&path).cloned()).help(help))
    }

    fn changed_since(&self, saved: &Config) -> Vec<Changed> {
        let mut all = Vec::new();
        macro_rules! visit {
            ($config:expr, $($name:ident $path:literal),*) => { $(compare(&mut all, $path, &saved.$name, &self.$name);)* };
        }
        super::each_section!(self, visit);
        all
    }
}

fn compare<S: Section>(all: &mut Vec<Changed>, section: &str, saved: &S, ours: &S) {
    let values = saved.values().into_iter().zip(ours.values());
    for (info, ((name, before), (_, now))) in S::fields().into_iter().zip(values) {
        if before != now {
            all.push(Changed { path: format!("{section}.{name}"), bound: info.bound, before, now });
        }
    }
}

/// Fields that say the same in other words, or bind only some of their values.
fn means_the_same(path: &str, saved: &Config, ours: &Config) -> bool {
    let is_wide = |config: &Config| config.model.dtype == Dtype::F64;
    let seed = |config: &Config| if config.data.seed == 0 { config.train.seed } else { config.data.seed };
    match path {
        "model.dtype" => is_wide(saved) == is_wide(ours),
        "optimizer.rule" | "optimizer.beta1" => kept(saved) == kept(ours),
        "data.seed" | "train.seed" => seed(saved) == seed(ours),
        _ => false,
    }
}

/// What an optimizer keeps of each weight.
fn kept(config: &Config) -> &'static str {
    match config.optimizer.rule {
        Rule::Adafactor | Rule::AdafactorGshard => "a factored second moment",
        Rule::Adam | Rule::Adamw => "both moments",
        Rule::Sgd if config.optimizer.beta1 == 0.0 => "nothing",
        Rule::Sgd => "a momentum",
    }
}
