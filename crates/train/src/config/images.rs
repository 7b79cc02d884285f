//! What must hold of runs on what is no text: that all is of one kind, sizes of images and volumes, and which fields
//! say something of them. (Of sound more is in `speech`.)

use super::check::{Finding, costs, uneven, wrong};
use super::*;
use meshwright_nn::models::family::{Sizes, looking_both_ways};
use meshwright_nn::models::images::SPACE;
use meshwright_nn::models::images::dilated::Dilated;
use meshwright_nn::models::images::joined::Joined;
use meshwright_nn::models::images::residual::{Residual, Stage};
use meshwright_nn::models::images::vit::Vit;
use meshwright_nn::models::transformer::Transformer;
use meshwright_nn::models::unet::UNet;

/// Classes of corpus "volumes": what is outside of all bodies, solid ones, and hollow ones with what they enclose.
const VOLUMES: [&str; 3] = ["outside", "solid", "hollow"];

/// Classes of corpus "pictures".
pub const PICTURES: [&str; 6] = ["disc", "ring", "square", "frame", "cross", "stripes"];

/// Classes of corpus "weather".
const WEATHER: [&str; 3] = ["dry", "light rain", "heavy rain"];

/// Answers of corpus "questions": a kind of corpus "pictures", or one of these.
const NO_YES: [&str; 2] = ["no", "yes"];

/// The words of corpus "questions", by number; 0 is no word.
pub const WORDS: [&str; 22] = [
    "", "a", "body", "bright", "can", "dark", "is", "kind", "of", "one", "see", "the", "there", "what",
    "which", "you", "disc", "ring", "square", "frame", "cross", "stripes",
];

/// Words that a question of it has at most.
pub const LONGEST_QUESTION: usize = 7;

/// Most places along a spatial dim, levels, and features: beyond what any machine has.
const MOST: [usize; 3] = [1 << 14, 12, 1 << 16];

/// What is learnt from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    Text,
    Images,
    Sound,
}

impl Kind {
    pub(super) fn name(self) -> &'static str {
        match self {
            Kind::Text => "text",
            Kind::Images => "images",
            Kind::Sound => "sound",
        }
    }
}

impl Task {
    pub fn kind(self) -> Kind {
        match self {
            Task::Segment | Task::Classify => Kind::Images,
            Task::Speech => Kind::Sound,
            Task::Spans | Task::Translate | Task::Next => Kind::Text,
        }
    }

    /// Whether what is learnt from is text.
    pub fn of_text(self) -> bool {
        self.kind() == Kind::Text
    }

    /// What its models judge one by one.
    pub fn places(self) -> &'static str {
        match self {
            Task::Spans | Task::Translate | Task::Next => "tokens",
            Task::Segment => "places",
            Task::Classify => "images",
            Task::Speech => "labels",
        }
    }
}

impl Family {
    pub fn kind(self) -> Kind {
        match self {
            Family::Unet
            | Family::Residual
            | Family::Vit
            | Family::Vmoe
            | Family::Dilated
            | Family::Joined => Kind::Images,
            Family::Conformer => Kind::Sound,
            Family::Switch
            | Family::Gshard
            | Family::T5
            | Family::Dense2d
            | Family::Nllb
            | Family::Mixtral => Kind::Text,
        }
    }
}

impl Family {
    /// Whether it may have experts, if the configuration asks for some.
    pub fn takes_experts(self) -> bool {
        match self {
            Family::T5
            | Family::Unet
            | Family::Residual
            | Family::Vit
            | Family::Dilated
            | Family::Joined
            | Family::Conformer => false,
            Family::Switch
            | Family::Gshard
            | Family::Dense2d
            | Family::Nllb
            | Family::Mixtral
            | Family::Vmoe => true,
        }
    }

    /// Whether a model has a dim that tables call so. Convolutions over a plane or a volume have no heads and no hidden
    /// dims, and what reads text or sound has no space.
    pub(super) fn has_dim(self, dim: &str) -> bool {
        let is_space = dim == "batch" || SPACE.contains(&dim);
        match self {
            Family::Unet => is_space,
            Family::Residual | Family::Dilated => is_space || ["features", "vocab"].contains(&dim),
            Family::Vit | Family::Vmoe | Family::Joined => true,
            Family::Switch
            | Family::Gshard
            | Family::T5
            | Family::Dense2d
            | Family::Nllb
            | Family::Mixtral
            | Family::Conformer => !SPACE.contains(&dim) && !dim.starts_with("image/"),
        }
    }

    /// Of a model of images: whether it tells the class of each place, or that of the whole.
    fn tells_places(self) -> bool {
        matches!(self, Family::Unet | Family::Dilated)
    }
}

impl Corpus {
    /// The names of its classes, if it is one of images that are generated.
    fn class_names(self) -> Option<Vec<&'static str>> {
        match self {
            Corpus::Volumes => Some(VOLUMES.to_vec()),
            Corpus::Pictures => Some(PICTURES.to_vec()),
            Corpus::Weather => Some(WEATHER.to_vec()),
            Corpus::Questions => Some([&PICTURES[..], &NO_YES].concat()),
            _ => None,
        }
    }

    /// Of one of images that are generated: whether each place has a class, or the whole.
    fn has_places(self) -> Option<bool> {
        match self {
            Corpus::Volumes | Corpus::Weather => Some(true),
            Corpus::Pictures | Corpus::Questions => Some(false),
            _ => None,
        }
    }

    /// Arrays are of whatever a task is of.
    fn is_of(self, kind: Kind) -> bool {
        match self {
            Corpus::Volumes | Corpus::Pictures | Corpus::Weather | Corpus::Questions => kind == Kind::Images,
            Corpus::Spectrograms => kind == Kind::Sound,
            Corpus::Arrays => kind != Kind::Text,
            _ => kind == Kind::Text,
        }
    }
}

impl Config {
    /// The U-Net that the configuration asks for.
    pub fn unet(&self) -> UNet {
        use meshwright_nn::models::unet::{Down as Halving, Normal};
        let (from, image) = (&self.unet, &self.image);
        let whole = |size: usize| i64::try_from(size).unwrap_or(i64::MAX);
        let features = |level: usize| [whole(from.features) << level.min(MOST[1]); 2];
        UNet {
            sizes: image.size.0.iter().map(|size| whole(*size)).collect(),
            channels: whole(image.channels),
            classes: whole(image.classes),
            levels: (0..from.levels).map(features).collect(),
            down: match from.down {
                Down::Stride => Halving::Stride,
                Down::Pool => Halving::Pool,
            },
            narrows_up: from.down == Down::Stride,
            normal: match from.norm {
                Normalization::Instance => Normal::Instance,
                Normalization::Batch => Normal::Batch,
            },
            overlap: from.overlap,
            compute: self.compute(),
        }
    }

    /// The type of activations.
    fn compute(&self) -> meshwright_ir::DType {
        match self.model.dtype {
            Dtype::F32 => meshwright_ir::DType::F32,
            Dtype::Bf16 => meshwright_ir::DType::BF16,
            Dtype::F64 => meshwright_ir::DType::F64,
        }
    }

    /// The residual network that the configuration asks for.
    pub fn residual(&self) -> Residual {
        let (from, image) = (&self.residual, &self.image);
        let whole = |size: usize| i64::try_from(size).unwrap_or(i64::MAX);
        let stage = |at: usize| Stage { blocks: from.blocks, width: whole(from.features) << at.min(MOST[1]) };
        let sizes: Vec<i64> = image.size.0.iter().map(|size| whole(*size)).collect();
        let stages = (0..from.stages).map(stage);
        Residual {
            stem: whole(from.features),
            bottleneck: from.bottleneck,
            compute: self.compute(),
            ..Residual::plain(sizes, whole(image.channels), stages, whole(image.classes))
        }
    }

    /// The dilated stack that the configuration asks for.
    pub fn dilated(&self) -> Dilated {
        let (from, image) = (&self.dilated, &self.image);
        let whole = |size: usize| i64::try_from(size).unwrap_or(i64::MAX);
        Dilated {
            image: image.size.0.iter().map(|size| whole(*size)).collect(),
            channels: whole(image.channels),
            features: whole(from.features),
            dilations: (0..from.blocks.min(MOST[1])).map(|at| 1 << at).collect(),
            stacks: from.stacks,
            told: self.told().iter().map(|size| whole(*size)).collect(),
            classes: whole(image.classes),
            compute: self.compute(),
        }
    }

    /// Spatial sizes of what has labels: the middle, or all.
    pub fn told(&self) -> &[usize] {
        let all = &self.image.size.0;
        if self.image.told.0.is_empty() { all } else { &self.image.told.0 }
    }

    /// The model of images and questions that the configuration asks for.
    pub fn joined(&self) -> Joined {
        let whole = |size: usize| i64::try_from(size).unwrap_or(i64::MAX);
        Joined {
            image: self.residual(),
            text: self.looking_both_ways(),
            blocks: self.model.layers,
            vocab: whole(self.question.words),
            length: whole(self.question.length),
        }
    }

    /// The ViT that the configuration asks for.
    pub fn vit(&self) -> Vit {
        let image = &self.image;
        let whole = |size: usize| i64::try_from(size).unwrap_or(i64::MAX);
        Vit {
            image: image.size.0.iter().map(|size| whole(*size)).collect(),
            channels: whole(image.channels),
            patch: vec![whole(self.vit.patch); image.size.0.len()],
            net: self.looking_both_ways(),
            blocks: self.model.layers,
            classes: whole(image.classes),
            factors: [0.0; 2],
        }
    }

    /// Tokens that an image is to a ViT, if the model is one.
    pub fn patches(&self) -> Option<usize> {
        let along = |size: &usize| size / self.vit.patch.max(1);
        let is_vit = matches!(self.model.family, Family::Vit | Family::Vmoe);
        is_vit.then(|| self.image.size.0.iter().map(along).fold(1, usize::saturating_mul))
    }

    /// The Transformer of a model that sees.
    fn looking_both_ways(&self) -> Transformer {
        let from = &self.model;
        let whole = |size: usize| i64::try_from(size).unwrap_or(i64::MAX);
        let sizes = Sizes {
            model: whole(from.d_model),
            hidden: whole(from.d_ff),
            heads: whole(from.heads),
            kv: whole(from.d_kv),
            gated: false,
            experts: 0,
            every: 1,
            groups: 1,
            room: 100,
        };
        Transformer {
            dropout: from.dropout,
            compute: self.compute(),
            recompute: from.recompute,
            ..looking_both_ways(&sizes)
        }
    }

    /// Names of the classes of places, or of images: those of the corpus or of the configuration, else what the files
    /// call them.
    pub fn classes(&self, of_files: &[String]) -> Vec<String> {
        let known: Vec<String> = match self.data.corpus.class_names() {
            Some(names) => names.into_iter().map(String::from).collect(),
            None if self.image.names.is_empty() => of_files.to_vec(),
            None => self.image.names.clone(),
        };
        let name = |class: usize| known.get(class).cloned().unwrap_or_else(|| format!("class {class}"));
        (0..self.image.classes).map(name).collect()
    }

    /// The words of what is asked of images, if they are known.
    pub fn words(&self) -> &'static [&'static str] {
        if self.data.corpus == Corpus::Questions { &WORDS } else { &[] }
    }
}

/// Family, task and corpus must be of one kind.
pub(super) fn of_one_kind(config: &Config) -> Vec<Finding> {
    let (data, family) = (&config.data, config.model.family);
    let kind = data.task.kind();
    let mut found = Vec::new();
    if family.kind() != kind {
        let message = format!(
            "family \"{}\" reads {}, and task \"{}\" is one of {}",
            family.word(),
            family.kind().name(),
            data.task.word(),
            kind.name()
        );
        let help = "take family \"unet\" or \"dilated\" with task \"segment\", \"residual\", \"vit\", \"v-moe\" or \"joined\" with \"classify\", \"conformer\" with \"speech\", or none of them";
        found.push(wrong("data.task", message, help));
    }
    if !data.corpus.is_of(kind) {
        let (corpus, task) = (data.corpus.word(), data.task.word());
        let message = format!("task \"{task}\" is one of {}, and corpus \"{corpus}\" has none", kind.name());
        let help = match kind {
            Kind::Text => {
                "take a corpus of text: \"volumes\", \"weather\", \"pictures\", \"questions\", \"spectrograms\" and \"arrays\" are for other tasks"
            }
            Kind::Images => "take corpus \"volumes\", \"weather\", \"pictures\", \"questions\" or \"arrays\"",
            Kind::Sound => "take corpus \"spectrograms\" or \"arrays\"",
        };
        found.push(wrong("data.corpus", message, help));
    }
    let whole =
        |is_whole: bool| if is_whole { "of an image as a whole" } else { "of each place of an image" };
    if found.is_empty() && kind == Kind::Images && family.tells_places() != (data.task == Task::Segment) {
        let message = format!(
            "family \"{}\" tells the class {}, and task \"{}\" asks for that {}",
            family.word(),
            whole(!family.tells_places()),
            data.task.word(),
            whole(data.task == Task::Classify)
        );
        let help = "take family \"unet\" or \"dilated\" with task \"segment\", or \"residual\", \"vit\", \"v-moe\" or \"joined\" with \"classify\"";
        found.push(wrong("data.task", message, help));
    }
    let has_places = data.corpus.has_places();
    if found.is_empty() && has_places.is_some_and(|has| has != (data.task == Task::Segment)) {
        let message = format!(
            "corpus \"{}\" has the class {}, and task \"{}\" asks for that {}",
            data.corpus.word(),
            whole(has_places == Some(false)),
            data.task.word(),
            whole(data.task == Task::Classify)
        );
        let help = "take corpus \"volumes\" or \"weather\" with task \"segment\", \"pictures\" or \"questions\" with \"classify\", or \"arrays\" with either";
        found.push(wrong("data.corpus", message, help));
    }
    let (asks, is_asked) = (data.corpus == Corpus::Questions, family == Family::Joined);
    if found.is_empty() && asks != is_asked && (asks || data.corpus != Corpus::Arrays) {
        let (corpus, family) = (data.corpus.word(), family.word());
        let message = if asks {
            format!("corpus \"{corpus}\" asks questions, and family \"{family}\" reads none")
        } else {
            format!("family \"{family}\" reads questions, and corpus \"{corpus}\" has none")
        };
        let help = "take family \"joined\" with corpus \"questions\" or \"arrays\"";
        found.push(wrong("data.corpus", message, help));
    }
    if data.corpus == Corpus::Arrays && data.files.is_empty() {
        let message = "corpus \"arrays\" has no files";
        found.push(wrong("data.corpus", message, "name archives or folders in `data.files`"));
    }
    found
}

/// Sizes of images.
pub(super) fn fits(config: &Config) -> Vec<Finding> {
    let (data, image) = (&config.data, &config.image);
    let mut found = Vec::new();
    if data.task.kind() != Kind::Images || !of_one_kind(config).is_empty() {
        return found;
    }
    let of_corpus = data.corpus.class_names().map_or(image.classes, |names| names.len());
    if image.classes != of_corpus {
        let (corpus, classes) = (data.corpus.word(), image.classes);
        let message =
            format!("corpus \"{corpus}\" has {of_corpus} classes, and `data.image.classes` is {classes}");
        found.push(wrong("data.image.classes", message, format!("set it to {of_corpus}")));
    }
    let rank = image.size.0.len();
    let is_plane = matches!(data.corpus, Corpus::Pictures | Corpus::Weather | Corpus::Questions);
    if is_plane && rank != 2 {
        let corpus = data.corpus.word();
        let message = format!("corpus \"{corpus}\" has 2 spatial dims, and `data.image.size` {rank}");
        found.push(wrong("data.image.size", message, "give two sizes, as \"24x24\""));
    }
    found.extend(names(config));
    found.extend(told_of_seen(config));
    found.extend(questions(config));
    if !(2..=SPACE.len()).contains(&rank) {
        let message = format!("`data.image.size` has {rank} dims");
        found.push(wrong("data.image.size", message, "give two of images, or three of volumes"));
    }
    let large = image.size.0.iter().find(|size| **size > MOST[0]);
    let sizes = [
        ("data.image.size", large.copied().unwrap_or(1), MOST[0]),
        ("data.image.channels", image.channels, MOST[2]),
        ("data.image.classes", image.classes, MOST[2]),
        ("model.unet.levels", config.unet.levels, MOST[1]),
        ("model.unet.features", config.unet.features, MOST[2]),
        ("model.residual.stages", config.residual.stages, MOST[1]),
        ("model.residual.blocks", config.residual.blocks, MOST[1]),
        ("model.residual.features", config.residual.features, MOST[2]),
        ("model.vit.patch", config.vit.patch, MOST[0]),
        ("model.dilated.stacks", config.dilated.stacks, MOST[1]),
        ("model.dilated.blocks", config.dilated.blocks, MOST[1]),
        ("model.dilated.features", config.dilated.features, MOST[2]),
        ("data.question.length", config.question.length, MOST[2]),
        ("data.question.words", config.question.words, MOST[2]),
    ];
    for (field, size, most) in sizes {
        if !(1..=most).contains(&size) {
            found.push(wrong(field, format!("`{field}` is {size}"), format!("make it 1 to {most}")));
        }
    }
    let factors = [("data.image.noise", image.noise), ("model.unet.overlap", config.unet.overlap)];
    for (field, value) in factors {
        if !(value >= 0.0 && value.is_finite()) {
            found.push(wrong(
                field,
                format!("`{field}` is {value}"),
                "it must be a finite number, 0 or more",
            ));
        }
    }
    if found.is_empty() {
        found.extend(along_space(config));
    }
    found
}

/// Whether each class has one name, if any has.
fn names(config: &Config) -> Option<Finding> {
    let (names, classes) = (&config.image.names, config.image.classes);
    if names.is_empty() {
        return None;
    }
    let refused = |message: String, help: &str| Some(wrong("data.image.names", message, help));
    if config.data.corpus.class_names().is_some() {
        let message = format!(
            "corpus \"{}\" names its classes, and `data.image.names` has others",
            config.data.corpus.word()
        );
        return refused(message, "leave it out: names are for corpus \"arrays\"");
    }
    if names.len() != classes {
        let message =
            format!("`data.image.names` has {}, and `data.image.classes` is {classes}", names.len());
        return refused(message, "name each class once, from 0 on");
    }
    let twice = names.iter().enumerate().find(|(at, name)| name.is_empty() || names[..*at].contains(name));
    let (_, name) = twice?;
    let message = if name.is_empty() {
        "`data.image.names` has an empty name".to_string()
    } else {
        format!("`data.image.names` has \"{name}\" twice")
    };
    refused(message, "give each class a name of its own")
}

/// Whether what is told lies in what is seen.
fn told_of_seen(config: &Config) -> Option<Finding> {
    let (seen, told) = (&config.image.size.0, &config.image.told.0);
    if told.is_empty() {
        return None;
    }
    if config.model.family != Family::Dilated {
        let family = config.model.family.word();
        let message = format!(
            "family \"{family}\" tells all that it sees, and `data.image.told` is {}",
            config.image.told
        );
        return Some(wrong("data.image.told", message, "leave it out, or take family \"dilated\""));
    }
    let fits = seen.len() == told.len() && seen.iter().zip(told).all(|(seen, told)| told <= seen);
    let message =
        format!("{} places are to be told of {} that are seen", config.image.told, config.image.size);
    (!fits).then(|| wrong("data.image.told", message, "give as many sizes as there are, none of them larger"))
}

/// Whether a question of the corpus has room.
fn questions(config: &Config) -> Option<Finding> {
    let (length, words) = (config.question.length, config.question.words);
    let fits = length >= LONGEST_QUESTION && words >= WORDS.len();
    let message = format!(
        "corpus \"questions\" has {LONGEST_QUESTION} words in a question and {} kinds of words, and `[data.question]` room \
         for {length} and {words}",
        WORDS.len()
    );
    (config.data.corpus == Corpus::Questions && !fits)
        .then(|| wrong("data.question.length", message, "give them room, or leave the fields out"))
}

/// Whether each device that shares a spatial dim has a place of it.
fn along_space(config: &Config) -> Vec<Finding> {
    (0..SPACE.len()).filter_map(|dim| along_dim(config, dim)).collect()
}

/// The same of one spatial dim.
fn along_dim(config: &Config, dim: usize) -> Option<Finding> {
    // Of a model of two modes the table says how images alone lie.
    let of_images = format!("image/{}", SPACE[dim]);
    let name = if config.axes_over(&of_images).is_empty() { SPACE[dim] } else { &of_images };
    let devices = config.split_over(name);
    let axes = config.axes_over(name).join("`, `");
    let Some(size) = config.image.size.0.get(dim).copied() else {
        let rank = config.image.size.0.len();
        let message = format!(
            "axis `{axes}` of {devices} devices splits spatial dim {}, and images have {rank}",
            dim + 1
        );
        return (devices > 1).then(|| wrong("mesh.axes", message, "leave it out"));
    };
    if devices < 2 {
        return None;
    }
    let nth = ["first", "second", "third"][dim];
    if size < devices {
        let message = format!("the {nth} spatial dim has {size} places, and axis `{axes}` {devices} devices");
        let help = "use fewer devices along it, or larger images: the batch is split over `data`";
        return Some(wrong("mesh.axes", message, help));
    }
    let halved = |times: usize| (0..times).fold(size, |size, _| size.div_ceil(2));
    let (least, at) = match config.model.family {
        Family::Vit | Family::Vmoe => (size / config.vit.patch.max(1), "as patches".to_string()),
        Family::Dilated => {
            let told = config.told().get(dim).copied().unwrap_or(size);
            (told, "that are told".to_string())
        }
        Family::Residual | Family::Joined => {
            let stages = config.residual.stages;
            (halved(stages.saturating_sub(1)), format!("at the coarsest of {stages} stages"))
        }
        _ => {
            let levels = config.unet.levels;
            (halved(levels.saturating_sub(1)), format!("at the coarsest of {levels} levels"))
        }
    };
    if least < devices {
        let message = format!(
            "{least} places of the {nth} spatial dim {at} over {devices} devices of axis `{axes}`: {} of them have nothing \
             to do there",
            devices - least
        );
        let help = match config.model.family {
            Family::Vit | Family::Vmoe => "use smaller patches, fewer devices along it, or larger images",
            Family::Dilated => "use fewer devices along it, or tell more places",
            Family::Residual | Family::Joined => "use fewer stages, fewer devices along it, or larger images",
            _ => "use fewer levels, fewer devices along it, or larger images",
        };
        return Some(costs("mesh.axes", message, help));
    }
    let what = format!("places of the {nth} spatial dim");
    (!size.is_multiple_of(devices)).then(|| uneven("mesh.axes", &what, size, "devices", devices))
}

/// Fields of the other kind that were written: most likely the user believes that they do something.
pub(super) fn without_effect(config: &Config) -> Vec<Finding> {
    // Of a family and a task of two kinds nobody knows which of them is meant.
    if config.is_written_out() || config.model.family.kind() != config.data.task.kind() {
        return Vec::new();
    }
    let (kind, family) = (config.data.task.kind(), config.model.family);
    let is_idle = |field: &str| {
        let (section, name) = field.rsplit_once('.').unwrap_or((field, ""));
        match (section, kind) {
            ("model", Kind::Images) if family == Family::Vmoe => {
                !OF_VITS.contains(&name) && !OF_EXPERTS.contains(&name)
            }
            ("model", Kind::Images) if matches!(family, Family::Vit | Family::Joined) => {
                !OF_VITS.contains(&name)
            }
            ("model", Kind::Images) => !["family", "dtype", "param_dtype"].contains(&name),
            ("model.unet", Kind::Images) => family != Family::Unet,
            ("model.residual", Kind::Images) => !matches!(family, Family::Residual | Family::Joined),
            ("model.dilated", Kind::Images) => family != Family::Dilated,
            ("data.question", Kind::Images) => family != Family::Joined,
            ("model.vit", Kind::Images) => !matches!(family, Family::Vit | Family::Vmoe),
            ("model", Kind::Sound) => !OF_CONFORMERS.contains(&name),
            ("model.pipeline", Kind::Images) => true,
            ("data", Kind::Images | Kind::Sound) => {
                !["corpus", "task", "files", "documents", "held_out_one_in", "batch", "seed"].contains(&name)
            }
            ("model.unet" | "model.residual" | "model.vit" | "model.dilated", Kind::Text | Kind::Sound) => {
                true
            }
            ("data.image" | "data.question", Kind::Text | Kind::Sound) => true,
            ("model.conformer" | "data.speech", Kind::Text | Kind::Images) => true,
            _ => false,
        }
    };
    let all = Config::reference().into_iter();
    let names = all.flat_map(|(section, fields)| fields.into_iter().map(move |info| (section, info.name)));
    let written = names.filter_map(|(section, name)| {
        let field = format!("{section}.{name}");
        (is_idle(&field) && config.written(&field).is_some()).then_some(field)
    });
    written
        .map(|field| {
            let task = config.data.task.word();
            let family = family.word();
            let is_of_family = field.starts_with("model.") || field.starts_with("data.question");
            let (message, help) = if is_of_family && kind == Kind::Images {
                (
                    format!("`{field}` has no effect: family \"{family}\" does not have it"),
                    "remove it, or take another family",
                )
            } else {
                let message = format!("`{field}` has no effect: task \"{task}\" is one of {}", kind.name());
                (message, "remove it, or take another task")
            };
            wrong(field, message, help)
        })
        .collect()
}

/// Fields of `[model]` that a ViT has, and what reads questions.
const OF_VITS: [&str; 10] =
    ["family", "layers", "d_model", "d_ff", "heads", "d_kv", "dropout", "dtype", "param_dtype", "recompute"];

/// Fields of `[model]` that say something of experts.
const OF_EXPERTS: [&str; 27] = [
    "experts",
    "expert_every",
    "expert_ff",
    "routing",
    "top",
    "gate_weights",
    "second",
    "second_threshold",
    "stages",
    "capacity_factor",
    "eval_capacity_factor",
    "capacity_rule",
    "exchange",
    "ffn_experts",
    "attention_experts",
    "group_size",
    "router_losses",
    "aux_loss",
    "z_loss",
    "explore",
    "jitter",
    "router_dropout",
    "router_f32",
    "expert_dropout",
    "expert_masking",
    "dropout_places",
    "init_scale",
];

/// Fields of `[model]` that a Conformer has.
const OF_CONFORMERS: [&str; 9] =
    ["family", "layers", "d_model", "d_ff", "heads", "d_kv", "dropout", "dtype", "recompute"];

#[cfg(test)]
mod tests {
    use super::*;
    use meshwright_base::SourceText;

    const UNET: &str =
        "[model]\nfamily = \"unet\"\n[data]\ncorpus = \"volumes\"\ntask = \"segment\"\nbatch = 4\n";

    fn said(more: &str) -> String {
        let text = SourceText::new("t", format!("{UNET}{more}"));
        let found = Config::read(&text).unwrap_or_else(|found| panic!("{found:?}")).check();
        found
            .iter()
            .map(|one| format!("{}; {} ", one.message, one.help.clone().unwrap_or_default()))
            .collect()
    }

    #[test]
    fn a_run_on_volumes_is_sound_and_what_contradicts_it_is_told_with_numbers() {
        assert_eq!(said(""), "");
        assert_eq!(said("[mesh]\naxes = \"data=2,spatial=4\"\n"), "");
        assert!(said("[data.image]\nclasses = 4\n").contains("has 3 classes, and `data.image.classes` is 4"));
        assert!(said("[data.image]\nsize = \"9\"\n").contains("has 1 dims"));
        assert!(said("[data.image]\nnoise = -1.0\n").contains("`data.image.noise` is -1"));
        assert!(said("[model.unet]\nlevels = 0\n").contains("`model.unet.levels` is 0; make it 1 to 12"));
        let few = said("[data.image]\nsize = \"6x8x8\"\n[mesh]\naxes = \"spatial=8\"\n");
        assert!(few.contains("has 6 places, and axis `spatial` 8 devices"), "{few}");
        let coarse = said("[mesh]\naxes = \"spatial=8\"\n");
        assert!(coarse.contains("6 places of the first spatial dim at the coarsest of 3 levels"), "{coarse}");
        let uneven = said("[data.image]\nsize = \"30x8x8\"\n[mesh]\naxes = \"spatial=4\"\n");
        assert!(uneven.contains("30 places of the first spatial dim over 4 devices"), "{uneven}");
        assert!(said("[mesh]\naxes = \"expert=2\"\n").contains("puts nothing on axis `expert`"));
        let idle = said("[mesh]\naxes = \"x=2,y=2\"\nstrategy = \"2d-finalized\"\n");
        let words = "strategy \"2d-finalized\" splits nothing of family \"unet\" over axis `y`: its 2 devices would do the \
                     same work; drop the axis, or take strategy \"spatial\"";
        assert!(idle.contains(words) && !idle.contains("over axis `x`"), "{idle}");
        assert_eq!(said("[mesh]\naxes = \"spatial=2,spatial_2=3,spatial_3=2\"\n"), "");
        let third = said("[data.image]\nsize = \"8x8x6\"\n[mesh]\naxes = \"spatial_3=8\"\n");
        assert!(
            third.contains("the third spatial dim has 6 places, and axis `spatial_3` 8 devices"),
            "{third}"
        );
        let none = said("[data.image]\nsize = \"8x8\"\n[mesh]\naxes = \"spatial_3=2\"\n");
        assert!(
            none.contains("axis `spatial_3` of 2 devices splits spatial dim 3, and images have 2"),
            "{none}"
        );
    }

    #[test]
    fn what_says_something_of_text_alone_is_refused_and_the_other_way_round() {
        assert!(
            said("vocabulary = 300\n")
                .contains("`data.vocabulary` has no effect: task \"segment\" is one of images")
        );
        assert!(said("[model.pipeline]\nstages = 2\n").contains("`model.pipeline.stages` has no effect"));
        let text = |text: &str| {
            let config = Config::read(&SourceText::new("t", text)).unwrap();
            config.check().into_iter().map(|found| found.message).collect::<Vec<_>>().concat()
        };
        assert!(text("[model.unet]\nlevels = 2\n").contains("`model.unet.levels` has no effect"));
        assert!(text("[model]\nfamily = \"unet\"\n").contains("family \"unet\" reads images, and task"));
        assert!(
            text("[data]\ncorpus = \"volumes\"\n")
                .contains("is one of text, and corpus \"volumes\" has none")
        );
        assert!(text("[data]\ncorpus = \"arrays\"\ntask = \"segment\"\n").contains("has no files"));
    }
}
