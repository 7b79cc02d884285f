//! What fields must hold together. Errors stop the run before any compute; warnings say what a choice costs.
//!
//! Every rule is a function from the configuration to at most a few findings; the list of them is [`RULES`].

use super::*;

/// A rule looks at the whole configuration.
type CheckRule = fn(&Config) -> Vec<Finding>;

const RULES: &[CheckRule] = &[
    sizes,
    kv_heads,
    tokens,
    bounds,
    shares,
    experts,
    capacity,
    room,
    lengths,
    teacher,
    corpora,
    sentinels,
    mesh,
    pipeline,
    optimizer,
    stored,
    written_without_effect,
    images::of_one_kind,
    images::fits,
    speech::fits,
    images::without_effect,
];

/// A finding before it is given its place: the field it is about, what is wrong, and the way out.
pub(super) struct Finding {
    field: String,
    code: Code,
    message: String,
    help: String,
}

impl Config {
    /// All contradictions (errors) and costs (warnings). No errors: the run may start.
    pub fn check(&self) -> Vec<Diagnostic> {
        let findings = RULES.iter().flat_map(|rule| rule(self));
        findings.map(|finding| self.diagnose(finding)).collect()
    }

    fn diagnose(&self, finding: Finding) -> Diagnostic {
        let severity = match finding.code {
            COST => meshwright_base::Severity::Warning,
            _ => meshwright_base::Severity::Error,
        };
        Diagnostic::new(severity, finding.code, finding.message)
            .at_place(self.written(&finding.field).cloned())
            .help(finding.help)
    }
}

pub(super) fn wrong(
    field: impl Into<String>,
    message: impl Into<String>,
    help: impl Into<String>,
) -> Finding {
    Finding { field: field.into(), code: CONTRADICTION, message: message.into(), help: help.into() }
}

pub(super) fn costs(
    field: impl Into<String>,
    message: impl Into<String>,
    help: impl Into<String>,
) -> Finding {
    Finding { field: field.into(), code: COST, message: message.into(), help: help.into() }
}

/// Sizes of which none makes no sense.
fn sizes(config: &Config) -> Vec<Finding> {
    let (model, data) = (&config.model, &config.data);
    let sizes = [
        ("model.layers", model.layers),
        ("model.d_model", model.d_model),
        ("model.d_ff", model.d_ff),
        ("model.heads", model.heads),
        ("model.d_kv", model.d_kv),
        ("model.expert_every", model.expert_every),
        ("model.top", model.top),
        ("model.stages", model.stages),
        ("model.pipeline.stages", config.pipeline.stages),
        ("model.pipeline.rounds", config.pipeline.rounds),
        ("model.pipeline.microbatches", config.pipeline.microbatches),
        ("data.batch", data.batch),
        ("data.input_length", data.input_length),
        ("data.target_length", data.target_length),
        ("optimizer.accumulate", config.optimizer.accumulate),
        ("checkpoint.keep", config.checkpoint.keep),
        ("data.held_out_one_in", usize::from(data.held_out_one_in > 1)),
        ("train.log_every", usize::from(config.train.log_every > 0)),
        ("checkpoint.every", usize::from(config.checkpoint.every > 0)),
        ("train.eval_batches", usize::from(config.train.eval_batches > 0)),
        ("train.steps", usize::from(config.train.steps > 0)),
    ];
    let least = |field| if field == "data.held_out_one_in" { 2 } else { 1 };
    let zero = sizes.into_iter().filter(|(_, size)| *size == 0);
    zero.map(|(field, _)| {
        wrong(field, format!("`{field}` is too small"), format!("make it {} or more", least(field)))
    })
    .collect()
}

/// Heads of keys that serve as many of queries each.
fn kv_heads(config: &Config) -> Vec<Finding> {
    let (heads, groups) = (config.model.heads, config.model.kv_heads);
    if groups == 0 || heads.is_multiple_of(groups) {
        return Vec::new();
    }
    let message = format!("{heads} heads of queries cannot share {groups} heads of keys and values evenly");
    vec![wrong("model.kv_heads", message, "use a number that divides `model.heads`, or 0 for as many")]
}

/// Rows that must be in the table.
fn tokens(config: &Config) -> Vec<Finding> {
    let (model, rows) = (&config.model, config.model.vocabulary);
    let named = [("model.pad_token", model.pad_token), ("model.start_token", model.start_token)];
    let beyond = named.into_iter().filter(|(_, token)| *token > 0 && *token >= rows);
    let wrong = |(field, token): (_, usize)| {
        let message = format!("`{field}` is row {token} of a table of `model.vocabulary` {rows}");
        wrong(field, message, "set `model.vocabulary` to the rows of the table, and take one of them")
    };
    beyond.map(wrong).collect()
}

/// Sizes beyond what any paper or machine has: a program of theirs would never be made.
fn bounds(config: &Config) -> Vec<Finding> {
    let (model, data) = (&config.model, &config.data);
    let eval_batches = usize::try_from(config.train.eval_batches).unwrap_or(usize::MAX);
    let most = [
        ("model.layers", model.layers, 1 << 12),
        ("model.decoder_layers", model.decoder_layers, 1 << 12),
        ("model.d_model", model.d_model, 1 << 20),
        ("model.d_ff", model.d_ff, 1 << 24),
        ("model.expert_ff", model.expert_ff, 1 << 24),
        ("model.heads", model.heads, 1 << 16),
        ("model.kv_heads", model.kv_heads, 1 << 16),
        ("model.rotary_base", model.rotary_base, 1 << 40),
        ("model.d_kv", model.d_kv, 1 << 16),
        ("model.experts", model.experts, 1 << 20),
        ("model.top", model.top, 1 << 6),
        ("model.stages", model.stages, 1 << 6),
        ("model.pipeline.stages", config.pipeline.stages, 1 << 12),
        ("model.pipeline.rounds", config.pipeline.rounds, 1 << 12),
        ("model.pipeline.microbatches", config.pipeline.microbatches, 1 << 16),
        ("model.vocabulary", model.vocabulary, 1 << 24),
        ("data.vocabulary", data.vocabulary, 1 << 24),
        ("data.target_vocabulary", data.target_vocabulary, 1 << 24),
        ("data.sentinels", data.sentinels, 1 << 24),
        ("data.input_length", data.input_length, 1 << 20),
        ("data.target_length", data.target_length, 1 << 20),
        ("data.batch", data.batch, 1 << 24),
        ("optimizer.accumulate", config.optimizer.accumulate, 1 << 16),
        ("train.eval_batches", eval_batches, 100_000),
        ("train.questions", usize::try_from(config.train.questions).unwrap_or(usize::MAX), 100_000),
    ];
    let beyond = most.into_iter().filter(|(_, size, most)| size > most);
    let mut found: Vec<Finding> = beyond
        .map(|(field, size, most)| {
            wrong(
                field,
                format!("`{field}` is {size}, the most is {most}"),
                format!("make it {most} or less"),
            )
        })
        .collect();
    // Places of tokens are whole numbers of 32 bits.
    let length = data.input_length.max(data.target_length).saturating_add(1);
    let tokens = data.batch.saturating_mul(length);
    if found.is_empty() && tokens > i32::MAX as usize {
        let message = format!("a batch of {} rows of {length} tokens is {tokens} tokens", data.batch);
        let help = format!("keep rows times length under {}", i32::MAX);
        found.push(wrong("data.batch", message, help));
    }
    found
}

/// Numbers that are shares or must be positive.
fn shares(config: &Config) -> Vec<Finding> {
    let (model, data, optimizer) = (&config.model, &config.data, &config.optimizer);
    let below_one = [
        ("model.dropout", model.dropout),
        ("model.expert_dropout", model.expert_dropout),
        ("model.label_smoothing", model.label_smoothing),
        ("model.jitter", model.jitter),
        ("model.router_dropout", model.router_dropout),
        ("optimizer.beta1", optimizer.beta1),
        ("optimizer.beta2", optimizer.beta2),
    ];
    let positive = [
        ("model.init_scale", model.init_scale),
        ("model.capacity_factor", model.capacity_factor),
        ("model.eval_capacity_factor", model.eval_capacity_factor),
        ("data.temperature", data.temperature),
        ("distill.temperature", config.distill.temperature),
        ("optimizer.learning_rate", optimizer.learning_rate),
        ("optimizer.epsilon", optimizer.epsilon),
    ];
    let not_negative = [
        ("model.aux_loss", model.aux_loss),
        ("model.z_loss", model.z_loss),
        ("model.second_threshold", model.second_threshold),
        ("data.skew", data.skew),
        ("optimizer.weight_decay", optimizer.weight_decay),
        ("optimizer.clip_norm", optimizer.clip_norm),
    ];
    let outside = |(field, value): (&'static str, f64), bounds: &str| {
        wrong(field, format!("`{field}` is {value}"), format!("it must be {bounds}"))
    };
    let a = below_one
        .into_iter()
        .filter(|(_, v)| !(0.0..1.0).contains(v))
        .map(|f| outside(f, "0 or more and under 1"));
    let b = positive.into_iter().filter(|(_, v)| !(*v > 0.0 && v.is_finite()));
    let b = b.map(|f| outside(f, "a finite number over 0"));
    let c = not_negative.into_iter().filter(|(_, v)| !(*v >= 0.0 && v.is_finite()));
    let c = c.map(|f| outside(f, "a finite number, 0 or more"));
    let share = Some(("distill.share", config.distill.share)).filter(|(_, v)| !(0.0..=1.0).contains(v));
    let d = share.into_iter().map(|f| outside(f, "between 0 and 1"));
    a.chain(b).chain(c).chain(d).collect()
}

fn experts(config: &Config) -> Vec<Finding> {
    // Whatever the field's default says. T5 is told what it would be with experts.
    let model = &config.model;
    if model.family.kind() != images::Kind::Text && !model.family.takes_experts() {
        return Vec::new();
    }
    let mut found = Vec::new();
    if model.routing == Routing::Top && model.experts > 0 && model.top > model.experts {
        let message = format!("each token goes to {} experts, and there are {}", model.top, model.experts);
        found.push(wrong("model.top", message, "lower `model.top` or raise `model.experts`"));
    }
    if is_top_two(model.routing) && model.experts == 1 {
        let message =
            format!("routing \"{}\" sends each token to 2 experts, and there is 1", model.routing.word());
        found.push(wrong("model.routing", message, "take 2 or more experts, or routing \"switch\""));
    }
    if model.experts > 0 && model.routing == Routing::NoneLeftBehind && model.stages > model.experts {
        let message = format!("a token may ask {} experts, and there are {}", model.stages, model.experts);
        found.push(wrong("model.stages", message, "lower `model.stages` or raise `model.experts`"));
    }
    if model.routing == Routing::NoneLeftBehind && model.explore == Explore::Sample {
        let message =
            "who finds no place asks the next best expert: there is no next best of an expert that was drawn";
        let help =
            "set `model.explore` to \"jitter\", \"input-dropout\" or \"argmax\", or routing \"switch\"";
        found.push(wrong("model.explore", message, help));
    }
    let looks_ahead = matches!(model.routing, Routing::ExpertChoice | Routing::Prioritized);
    if model.experts > 0 && looks_ahead && is_decoder_alone(config) {
        let message = "experts that choose among all tokens of a group look at tokens to come: a decoder alone would \
                       be trained on what it is to predict";
        let help = "take an encoder beside it (`model.decoder_only = false`), whose experts may choose, or routing \
                    \"switch\"";
        found.push(wrong("model.routing", message, help));
    }
    // Of two gates the second is the smaller one.
    let own = if model.routing == Routing::Gshard { 0.5 } else { 0.2 };
    let threshold = if model.second_threshold == 0.0 { own } else { model.second_threshold };
    if is_top_two(model.routing) && model.second == Second::Threshold && threshold >= 0.5 {
        let message = format!(
            "a second choice is used if its share of both gates is above {threshold}, and none has more than 0.5"
        );
        let help = "set `model.second_threshold` lower, or `model.second` to \"none\"";
        found.push(wrong("model.second", message, help));
    }
    if model.experts > 0 && !model.ffn_experts && model.attention_experts == AttentionExperts::None {
        let message = format!("neither FFNs nor attention have the {} experts", model.experts);
        let help = "set `model.attention_experts` to \"linear\" or \"ffn\", or `model.ffn_experts` to true";
        found.push(wrong("model.ffn_experts", message, help));
    }
    let layers = model.layers.max(model.decoder_layers);
    // T5 has none, whatever a field of experts says.
    if model.experts > 0 && model.expert_every > layers && model.family != Family::T5 {
        let message = format!("no layer is routed: one in {} of {layers} layers", model.expert_every);
        found.push(wrong("model.expert_every", message, "lower it, or set `model.experts` to 0"));
    }
    found
}

fn is_top_two(routing: Routing) -> bool {
    matches!(routing, Routing::Gshard | Routing::GshardCode)
}

/// An expert must have room for a token: capacity is tokens x factor / experts, rounded down.
fn capacity(config: &Config) -> Vec<Finding> {
    let model = &config.model;
    let is_bound = model.routing != Routing::Dropless && model.capacity_rule != CapacityRule::Unlimited;
    let is_of_text = model.family.kind() == images::Kind::Text;
    if model.experts == 0 || !is_bound || !(is_of_text || model.family.takes_experts()) {
        return Vec::new();
    }
    let group = group_tokens(config);
    let factors = [
        ("model.capacity_factor", model.capacity_factor),
        ("model.eval_capacity_factor", model.eval_capacity_factor),
    ];
    let factors = &factors[..if model.eval_dropless { 1 } else { 2 }];
    if model.capacity_rule == CapacityRule::Fixed {
        let part = factors.iter().copied().filter(|(_, places)| places.fract() != 0.0 || *places < 1.0);
        let wrong = |(field, places): (_, f64)| {
            let message =
                format!("an expert cannot have {places} places, which is what capacity rule \"fixed\" says");
            wrong(field, message, "make it a whole number of 1 or more, or use another `model.capacity_rule`")
        };
        return part.map(wrong).collect();
    }
    let places = |factor: f64| group as f64 * factor / model.experts as f64;
    let short = factors.iter().copied().filter(|(_, factor)| *factor > 0.0 && places(*factor) < 1.0);
    short
        .map(|(field, factor)| {
            let message = format!(
                "an expert has room for {:.2} tokens: {group} tokens in a group x {factor} / {} experts",
                places(factor),
                model.experts
            );
            wrong(field, message, "raise the factor, `model.group_size` or the batch, or take fewer experts")
        })
        .collect()
}

/// How many times the tokens of a group an expert may have places: beyond all of them places stay empty.
const MOST_ROOM: f64 = 16.0;

/// Places of capacity rule "fixed", which may be more than a short group has tokens.
const MOST_PLACES: f64 = 65_536.0;

/// Places that no token of a group is left for cost memory, and hold nothing.
fn room(config: &Config) -> Vec<Finding> {
    let model = &config.model;
    let is_bound = model.routing != Routing::Dropless && model.capacity_rule != CapacityRule::Unlimited;
    if model.experts == 0 || !is_bound {
        return Vec::new();
    }
    let is_fixed = model.capacity_rule == CapacityRule::Fixed;
    let most = if is_fixed { MOST_PLACES } else { MOST_ROOM * model.experts as f64 };
    let factors = [
        ("model.capacity_factor", model.capacity_factor),
        ("model.eval_capacity_factor", model.eval_capacity_factor),
    ];
    let beyond = factors.into_iter().filter(|(_, factor)| factor.is_finite() && *factor > most);
    beyond
        .map(|(field, factor)| {
            let what = if is_fixed {
                format!("`{field}` is {factor}: an expert would have as many places")
            } else {
                let times = factor / model.experts as f64;
                format!("`{field}` is {factor}: an expert would have places for {times:.0} times all tokens of a group")
            };
            let all = if is_fixed {
                "as many as a group has tokens are".to_string()
            } else {
                format!("{}, the number of experts, is", model.experts)
            };
            let help = format!(
                "make it {most} or less: {all} room for everybody, and places beyond that are never used; or drop nobody \
                 by `model.capacity_rule = \"unlimited\"`"
            );
            wrong(field, what, help)
        })
        .collect()
}

/// A teacher is computed at every step.
fn teacher(config: &Config) -> Vec<Finding> {
    let distill = &config.distill;
    if distill.teacher.is_empty() || distill.share != 0.0 {
        return Vec::new();
    }
    let message = "the teacher of `distill.teacher` is computed at every step and changes nothing: `distill.share` is 0";
    vec![costs("distill.share", message, "raise it, 0.25 is its default, or name no teacher")]
}

/// Tokens that are routed together on the narrower side of the model.
fn group_tokens(config: &Config) -> usize {
    let data = &config.data;
    let length = config.patches().unwrap_or(data.input_length.min(data.target_length)).max(1);
    let rows = data.batch / config.mesh.axes.devices().max(1) / config.parts();
    let tokens = rows.max(1).saturating_mul(length);
    if config.model.group_size == 0 { tokens } else { config.model.group_size.min(tokens) }
}

fn lengths(config: &Config) -> Vec<Finding> {
    let positions = config.model.positions;
    // A decoder alone reads no input.
    let input = if is_decoder_alone(config) { 0 } else { config.data.input_length };
    let lengths = [("data.input_length", input), ("data.target_length", config.data.target_length)];
    let long = lengths.into_iter().filter(|(_, length)| positions > 0 && *length > positions);
    long.map(|(field, length)| {
        let message = format!("`{field}` is {length} and the model has {positions} positions");
        wrong(field, message, format!("set it to {positions} or less, or raise `model.positions`"))
    })
    .collect()
}

fn corpora(config: &Config) -> Vec<Finding> {
    let data = &config.data;
    let mut found = Vec::new();
    if data.corpus == Corpus::Files && data.files.is_empty() {
        found.push(wrong("data.corpus", "corpus \"files\" has no files", "name them in `data.files`"));
    }
    if data.corpus == Corpus::Pairs && data.files.len() != 1 {
        let message = format!("corpus \"pairs\" is one folder, and `data.files` names {}", data.files.len());
        let help = "name the folder that `meshwright data m4` wrote, as `data.files = [\"m4\"]`";
        found.push(wrong("data.files", message, help));
    }
    if !data.corpus.reads_files() && !data.files.is_empty() {
        let message =
            format!("{} files are named, and the corpus is \"{}\"", data.files.len(), data.corpus.word());
        found.push(wrong("data.files", message, "set `data.corpus` to \"files\" or \"pairs\", or name none"));
    }
    if !data.corpus.reads_files() && data.documents == 0 {
        found.push(wrong("data.documents", "the corpus would be empty", "ask for 1 document or more"));
    }
    if matches!(data.corpus, Corpus::Text | Corpus::World) && data.task == Task::Translate {
        let help = "take task \"spans\" or \"next\", or corpus \"multilingual\" or \"tasks\"";
        found.push(wrong("data.task", format!("corpus \"{}\" has no targets", data.corpus.word()), help));
    }
    if config.has_two_vocabularies() && data.task != Task::Translate {
        let message =
            format!("task \"{}\" has one text, and two vocabularies are asked for", data.task.word());
        found.push(wrong(
            "data.task",
            message,
            "take task \"translate\", or leave `data.target_vocabulary` at 0",
        ));
    }
    if config.has_two_vocabularies() && !config.has_two_embeddings() {
        let message = "two vocabularies would share one table of embeddings";
        found.push(wrong("model.embeddings", message, "set `model.embeddings = \"separate\"`"));
    }
    if is_decoder_alone(config) && data.task != Task::Next {
        let message = format!("task \"{}\" needs an encoder and a decoder", data.task.word());
        found.push(wrong("data.task", message, "take task \"next\", or a model with an encoder"));
    }
    if !is_decoder_alone(config) && data.task == Task::Next {
        let help = "set `model.decoder_only = true`, or take task \"spans\" or \"translate\"";
        found.push(wrong("data.task", "task \"next\" leaves the encoder without input", help));
    }
    found
}

fn has_languages(corpus: Corpus) -> bool {
    matches!(corpus, Corpus::Pairs | Corpus::Multilingual)
}

fn is_decoder_alone(config: &Config) -> bool {
    config.model.decoder_only || matches!(config.model.family, Family::Dense2d | Family::Mixtral)
}

fn sentinels(config: &Config) -> Vec<Finding> {
    let data = &config.data;
    if data.task != Task::Spans {
        return Vec::new();
    }
    let mut found = Vec::new();
    if !(data.noise_density > 0.0 && data.noise_density < 1.0) {
        let message = format!("`data.noise_density` is {}", data.noise_density);
        found.push(wrong("data.noise_density", message, "it must be over 0 and under 1; T5 has 0.15"));
    }
    if data.mean_span < 1.0 {
        let message = format!("`data.mean_span` is {}", data.mean_span);
        found.push(wrong("data.mean_span", message, "it must be 1 or more; T5 has 3"));
    }
    if !found.is_empty() {
        return found;
    }
    // Every span becomes a sentinel in the input, and at least one kept token stands before it.
    let spans =
        (data.input_length as f64 * data.noise_density / (1.0 - data.noise_density) / data.mean_span).ceil();
    let most = spans.min(data.input_length as f64 / 2.0);
    if most > data.sentinels as f64 {
        let message =
            format!("a sample hides about {most} spans, and there are {} sentinels", data.sentinels);
        found.push(wrong(
            "data.sentinels",
            message,
            format!("set it to {most} or more, or shorten `data.input_length`"),
        ));
    }
    found
}

fn mesh(config: &Config) -> Vec<Finding> {
    let (mesh, model, data) = (&config.mesh, &config.model, &config.data);
    let needed = config.known_axes();
    let mut found = Vec::new();
    for (name, size) in &mesh.axes.0 {
        if *size > 1 && !needed.contains(&name.as_str()) {
            let message =
                format!("strategy \"{}\" puts nothing on axis `{name}` of size {size}", mesh.strategy.word());
            found.push(wrong("mesh.axes", message, format!("its axes are {}", needed.join(", "))));
        }
    }
    found.extend(idle_axes(config));
    let along_expert = mesh.axes.size("expert").unwrap_or(1);
    if along_expert > 1 && model.experts == 0 {
        let message = format!("axis `expert` has {along_expert} devices, and the model has no experts");
        found.push(wrong("mesh.axes", message, "set `model.experts`, or drop the axis"));
    }
    let experts_over = config.split_over("expert");
    if model.experts > 0 && !model.experts.is_multiple_of(experts_over) {
        let along = format!("devices of axis `{}`", config.axes_over("expert").join("`, `"));
        found.push(uneven("mesh.axes", "experts", model.experts, &along, experts_over));
    }
    let parts = config.optimizer.accumulate.max(1);
    if !data.batch.is_multiple_of(parts) {
        let message = format!("a batch of {} rows cannot be computed in {parts} equal parts", data.batch);
        found.push(wrong("optimizer.accumulate", message, "take a divisor of `data.batch`"));
    }
    let rows_over = config.split_over("batch");
    if !(data.batch / parts).is_multiple_of(rows_over) {
        found.push(uneven("data.batch", "rows", data.batch / parts, "devices that share a batch", rows_over));
    }
    found
}

/// Axes of a strategy that split nothing of this family: all devices along one would do the same work.
fn idle_axes(config: &Config) -> Vec<Finding> {
    let (table, family) = (config.table(), config.model.family);
    let splits =
        |axis: &str| table.rows.iter().any(|(dim, axes)| axes.contains(&axis) && family.has_dim(dim));
    let is_idle =
        |(name, size): &&(String, usize)| *size > 1 && table.axes.contains(&name.as_str()) && !splits(name);
    let finding = |(name, size): &(String, usize)| {
        let message = format!(
            "strategy \"{}\" splits nothing of family \"{}\" over axis `{name}`: its {size} devices would do the same work",
            table.name,
            family.word()
        );
        let help = match family.kind() {
            images::Kind::Images => {
                "drop the axis, or take strategy \"spatial\", which splits the batch over axis `data` and images over \
                 `spatial`, `spatial_2` and `spatial_3`"
            }
            images::Kind::Text | images::Kind::Sound => {
                "drop the axis, or take a strategy that splits something over it"
            }
        };
        wrong("mesh.strategy", message, help)
    };
    config.mesh.axes.0.iter().filter(is_idle).map(finding).collect()
}

/// Stages must divide layers and batch, and lie on an axis of the mesh.
fn pipeline(config: &Config) -> Vec<Finding> {
    let (from, axes) = (&config.pipeline, config.axes_over("stage"));
    let (stages, devices) = (from.stages, config.split_over("stage"));
    let shown = axes.join("`, `");
    if stages == 1 && devices > 1 {
        // Axis `x` of Figure 2 also splits the batch.
        let message = format!("axis `{shown}` has {devices} devices for stages, and the model has one stage");
        let help =
            format!("set `model.pipeline.stages` to {devices} or a multiple of it, or take another strategy");
        return vec![wrong("mesh.axes", message, help)];
    }
    let Some(piped) = config.piped().filter(|_| from.rounds > 0 && from.microbatches > 0) else {
        return Vec::new();
    };
    let mut found = layers_on_stages(config);
    if !stages.is_multiple_of(devices) {
        let message = format!("{stages} stages cannot lie on the {devices} devices of axis `{shown}`");
        let help = format!("use a multiple of {devices} stages, or as many devices as divide {stages}");
        found.push(wrong("model.pipeline.stages", message, help));
    }
    if axes.is_empty() {
        let message =
            format!("{stages} stages, and strategy \"{}\" has no axis for them", config.mesh.strategy.word());
        let help = "take `mesh.strategy` \"2d-pipelined\", \"pipelined+data\" or \"pipelined-experts\": as it is, every \
                    device computes every stage";
        found.push(costs("mesh.strategy", message, help));
    }
    found.extend(batch_in_microbatches(config));
    let bubble = piped.how().bubble(piped.microbatches);
    if found.is_empty() && bubble > MOST_BUBBLES {
        let message = format!(
            "{:.0} % of the stages' work is bubbles: {stages} stages, {} microbatches",
            100.0 * bubble,
            from.microbatches
        );
        let help = "raise `model.pipeline.microbatches`, or have fewer stages";
        found.push(costs("model.pipeline.microbatches", message, help));
    }
    found
}

/// A share of bubbles of which the user is told.
const MOST_BUBBLES: f64 = 0.4;

fn layers_on_stages(config: &Config) -> Vec<Finding> {
    let (model, from) = (&config.model, &config.pipeline);
    let rounds = config.piped().map_or(1, |piped| usize::try_from(piped.rounds).unwrap_or(1));
    let every =
        if model.experts == 0 || !model.family.takes_experts() { 1 } else { model.expert_every.max(1) };
    let (runs, both) = (from.stages.saturating_mul(rounds), !is_decoder_alone(config));
    let decoder = if model.decoder_layers == 0 { model.layers } else { model.decoder_layers };
    let of_decoder = if model.decoder_experts { every } else { 1 };
    let stacks = [("model.layers", model.layers, every), ("model.decoder_layers", decoder, of_decoder)];
    let uneven = stacks.into_iter().take(if both { 2 } else { 1 });
    uneven
        .filter(|(_, layers, period)| !layers.is_multiple_of(runs.saturating_mul(*period)))
        .map(|(field, layers, period)| {
            let unit = runs.saturating_mul(period);
            let rounds = if rounds > 1 { format!(" x {rounds} rounds") } else { String::new() };
            let runs =
                if period > 1 { format!(" x 1 of {period} layers with experts") } else { String::new() };
            let message = format!("{layers} layers do not divide into {} stages{rounds}{runs}", from.stages);
            wrong(field, message, format!("make `{field}` a multiple of {unit}, or have other stages"))
        })
        .collect()
}

fn batch_in_microbatches(config: &Config) -> Vec<Finding> {
    let (rows, parts) =
        (config.data.batch / config.optimizer.accumulate.max(1), config.pipeline.microbatches);
    if !rows.is_multiple_of(parts) {
        let message = format!("{rows} rows cannot be cut into {parts} equal microbatches");
        let help = "take a divisor of the rows: of `data.batch`, divided by `optimizer.accumulate`";
        return vec![wrong("model.pipeline.microbatches", message, help)];
    }
    let devices = config.share_a_part();
    if !(rows / parts).is_multiple_of(devices) {
        let what = "rows of a microbatch";
        return vec![uneven(
            "model.pipeline.microbatches",
            what,
            rows / parts,
            "devices that share it",
            devices,
        )];
    }
    Vec::new()
}

pub(super) fn uneven(field: &'static str, what: &str, count: usize, over: &str, devices: usize) -> Finding {
    let each = count.div_ceil(devices);
    let message = format!(
        "{count} {what} over {devices} {over}: each holds {each}, and {} of {} places stay empty",
        each * devices - count,
        each * devices
    );
    costs(field, message, format!("a multiple of {devices} wastes nothing"))
}

fn optimizer(config: &Config) -> Vec<Finding> {
    let optimizer = &config.optimizer;
    let falls = matches!(optimizer.schedule, Schedule::Cosine | Schedule::Linear);
    if falls && optimizer.warmup > config.train.steps {
        let message = format!("warmup takes {} of {} steps", optimizer.warmup, config.train.steps);
        let help = "shorten `optimizer.warmup`, or raise `train.steps`";
        return vec![wrong("optimizer.warmup", message, help)];
    }
    let (rate, is_absolute) = (highest_rate(optimizer), optimizer.step_size == StepSize::Absolute);
    if is_adafactor(optimizer.rule) && is_absolute && rate > MOST_ABSOLUTE {
        let message = format!(
            "steps of adafactor change weights by up to {rate} each, whatever their size: such runs diverge"
        );
        let help = "take `optimizer.step_size` \"relative\", as the authors of GShard and T5 ran it, or a \
                    `optimizer.learning_rate` of 0.01";
        return vec![costs("optimizer.step_size", message, help)];
    }
    Vec::new()
}

/// The largest root mean square of a step of adafactor that is no multiple of the weight's: a weight of a matrix with a
/// hundred inputs has 0.1.
const MOST_ABSOLUTE: f64 = 0.05;

fn is_adafactor(rule: Rule) -> bool {
    matches!(rule, Rule::Adafactor | Rule::AdafactorGshard)
}

/// The rate where the schedule is highest.
fn highest_rate(from: &OptimizerSection) -> f64 {
    match from.schedule {
        Schedule::Rsqrt => from.learning_rate / (from.warmup.max(1) as f64).sqrt(),
        Schedule::Constant | Schedule::HoldRsqrt | Schedule::Cosine | Schedule::Linear => from.learning_rate,
    }
}

/// Weights that are narrower than what is computed with them.
fn stored(config: &Config) -> Vec<Finding> {
    let (model, master) = (&config.model, config.optimizer.master);
    if model.param_dtype != ParamDtype::Bf16 {
        return Vec::new();
    }
    match (model.dtype, master) {
        (Dtype::F64, _) => {
            let message = "weights of \"bf16\" under a `model.dtype` of \"f64\": each step would round away what f64 is for";
            let help = "leave `model.param_dtype` out, or take `model.dtype` \"bf16\" or \"f32\"";
            vec![wrong("model.param_dtype", message, help)]
        }
        (Dtype::F32, true) => {
            let message = "weights are rounded to bf16 beside their f32 copies, and computed with in f32: 2 more bytes a weight";
            let help = "set `model.dtype` to \"bf16\", or leave `model.param_dtype` out";
            vec![costs("model.param_dtype", message, help)]
        }
        (Dtype::Bf16, true) => Vec::new(),
        (Dtype::Bf16 | Dtype::F32, false) => {
            let message = "weights of bf16 without an f32 copy: a step that changes one by less than 1/512 of it is lost";
            let help = "set `optimizer.master = true` (4 bytes a weight) where the last steps count";
            vec![costs("optimizer.master", message, help)]
        }
    }
}

/// Fields that were written and would change nothing: most likely the user believes otherwise.
fn written_without_effect(config: &Config) -> Vec<Finding> {
    if config.is_written_out() {
        return Vec::new();
    }
    let (model, data, rule) = (&config.model, &config.data, config.optimizer.rule);
    let dense = model.experts == 0 || matches!(model.family, Family::T5 | Family::Conformer);
    let adam = matches!(rule, Rule::Adam | Rule::Adamw);
    let dropless = model.routing == Routing::Dropless;
    let explores = [Routing::Switch, Routing::Dropless, Routing::NoneLeftBehind].contains(&model.routing);
    let two = is_top_two(model.routing);
    let weighs = two || model.routing == Routing::Top;
    let asks_nothing = matches!(model.second, Second::All | Second::None | Second::Sampled);
    let without_factor = matches!(model.capacity_rule, CapacityRule::Gshard | CapacityRule::Unlimited);
    let factorless = if model.capacity_rule == CapacityRule::Gshard {
        "capacity rule \"gshard\" has no factor"
    } else {
        "capacity rule \"unlimited\" has no factor"
    };
    let is_piped = config.piped().is_some();
    let goes_round = config.pipeline.schedule == PipelineSchedule::Circular;
    let idle: &[(&str, bool, &str)] = &[
        ("model.expert_dropout", dense, "the model has no experts"),
        ("model.capacity_factor", dense, "the model has no experts"),
        ("model.routing", dense, "the model has no experts"),
        ("model.expert_ff", dense, "the model has no experts"),
        ("model.expert_ff", !model.ffn_experts, "no FFN has experts"),
        ("model.dropout_places", model.dropout == 0.0, "`model.dropout` is 0"),
        ("model.aux_loss", dense, "the model has no experts"),
        ("model.expert_masking", dense, "the model has no experts"),
        (
            "model.rotary_base",
            model.family != Family::Mixtral,
            "only family \"mixtral\" has rotary positions",
        ),
        ("model.route_padding", dense, "the model has no experts"),
        ("model.router_losses", dense, "the model has no experts"),
        ("model.top", model.routing != Routing::Top, "only routing \"top\" reads it"),
        ("model.capacity_factor", dropless, "routing \"dropless\" has no capacity"),
        ("model.eval_capacity_factor", dropless, "routing \"dropless\" has no capacity"),
        ("model.eval_dropless", dense, "the model has no experts"),
        (
            "model.eval_dropless",
            dropless || model.capacity_rule == CapacityRule::Unlimited,
            "nobody is dropped in training either",
        ),
        ("model.eval_capacity_factor", model.eval_dropless, "`model.eval_dropless` drops nobody"),
        ("model.capacity_factor", without_factor, factorless),
        ("model.eval_capacity_factor", without_factor, factorless),
        ("model.capacity_rule", dropless, "routing \"dropless\" has no capacity"),
        ("model.exchange", dropless, "routing \"dropless\" sorts rows"),
        ("model.exchange", dense, "the model has no experts"),
        ("model.attention_experts", dense, "the model has no experts"),
        ("model.ffn_experts", dense, "the model has no experts"),
        ("model.decoder_experts", dense, "the model has no experts"),
        (
            "model.decoder_experts",
            is_decoder_alone(config),
            "there is no encoder that could have them instead",
        ),
        ("model.router_f32", dense, "the model has no experts"),
        ("model.router_f32", model.dtype != Dtype::Bf16, "activations are not narrower than f32"),
        ("model.expert_dropout", !model.ffn_experts, "no FFN has experts"),
        ("model.gate_weights", !weighs, "only routings \"gshard\", \"gshard-code\" and \"top\" read it"),
        ("model.second", !two, "only routings \"gshard\" and \"gshard-code\" read it"),
        ("model.second_threshold", !two, "only routings \"gshard\" and \"gshard-code\" read it"),
        ("model.second_threshold", asks_nothing, "second choices are used always, or never"),
        (
            "model.stages",
            model.routing != Routing::NoneLeftBehind,
            "only routing \"none-left-behind\" reads it",
        ),
        ("model.explore", !explores, "only routings that choose as \"switch\" does read it"),
        ("model.jitter", !explores, "only routings that choose as \"switch\" does read it"),
        ("model.jitter", model.explore != Explore::Jitter, "the router explores otherwise"),
        (
            "model.router_dropout",
            model.explore != Explore::InputDropout,
            "only explore \"input-dropout\" reads it",
        ),
        ("model.decoder_layers", is_decoder_alone(config), "a decoder alone has `model.layers`"),
        ("model.stacked", is_piped, "the layers of a stage are traced, for all stages"),
        ("model.pipeline.schedule", !is_piped, "`model.pipeline.stages` is 1: no pipeline"),
        ("model.pipeline.rounds", !is_piped, "`model.pipeline.stages` is 1: no pipeline"),
        ("model.pipeline.rounds", !goes_round, "only schedule \"circular\" reads it"),
        ("model.pipeline.microbatches", !is_piped, "`model.pipeline.stages` is 1: no pipeline"),
        ("model.pipeline.recompute", !is_piped, "`model.pipeline.stages` is 1: no pipeline"),
        ("data.temperature", data.mixture != Mixture::Temperature, "only mixture \"temperature\" reads it"),
        ("train.questions", data.task != Task::Translate, "only task \"translate\" has answers"),
        ("data.noise_density", data.task != Task::Spans, "only task \"spans\" reads it"),
        ("data.mean_span", data.task != Task::Spans, "only task \"spans\" reads it"),
        ("data.vocabulary", !data.tokenizer.is_empty(), "the tokenizer of `data.tokenizer` has its own"),
        ("data.tokenizer_kind", !data.tokenizer.is_empty(), "a tokenizer is given in `data.tokenizer`"),
        (
            "data.target_vocabulary",
            !data.target_tokenizer.is_empty(),
            "the tokenizer of `data.target_tokenizer` has its own",
        ),
        ("model.embeddings", is_decoder_alone(config), "a decoder alone has one table"),
        (
            "data.input_length",
            is_decoder_alone(config),
            "a decoder alone reads no input, its texts have `data.target_length` tokens",
        ),
        ("data.documents", data.corpus.reads_files(), "files hold what they hold"),
        ("data.language_token", data.corpus != Corpus::Pairs, "only corpus \"pairs\" reads it"),
        (
            "data.language_token",
            !data.source_language.is_empty(),
            "sources begin with `data.source_language`",
        ),
        ("data.source_language", data.task != Task::Translate, "only task \"translate\" has sources"),
        ("data.target_language", data.task != Task::Translate, "only task \"translate\" has sources"),
        (
            "data.languages",
            !has_languages(data.corpus),
            "only corpora \"pairs\" and \"multilingual\" read it",
        ),
        ("data.tasks", data.corpus != Corpus::Tasks, "only corpus \"tasks\" reads it"),
        ("data.skew", data.corpus != Corpus::Multilingual, "only corpus \"multilingual\" reads it"),
        ("distill.share", config.distill.teacher.is_empty(), "no teacher is named in `distill.teacher`"),
        (
            "distill.temperature",
            config.distill.teacher.is_empty(),
            "no teacher is named in `distill.teacher`",
        ),
        ("optimizer.beta1", is_adafactor(rule), "adafactor keeps no first moment"),
        ("optimizer.step_size", !is_adafactor(rule), "only adafactor reads it"),
        ("optimizer.beta2", !adam, "only adam and adamw read it"),
        ("optimizer.epsilon", !adam, "only adam and adamw read it"),
        ("optimizer.weight_decay", rule != Rule::Adamw, "only adamw decays weights"),
        (
            "optimizer.master",
            model.param_dtype == ParamDtype::Wide,
            "weights are stored as wide as the optimizer works; `model.param_dtype` says otherwise",
        ),
        ("checkpoint.keep", config.checkpoint.dir.is_empty(), "no checkpoints are written"),
        ("checkpoint.every", config.checkpoint.dir.is_empty(), "no checkpoints are written"),
    ];
    let written = idle.iter().filter(|(field, idle, _)| *idle && config.written(field).is_some());
    written
        .map(|(field, _, why)| {
            wrong(*field, format!("`{field}` has no effect: {why}"), "remove it, or change the other")
        })
        .collect()
}
