//! What must hold of runs on sound, and the Conformer that a configuration asks for.

use super::check::{Finding, wrong};
use super::images::{Kind, of_one_kind};
use super::*;
use meshwright_nn::models::conformer::{Conformer, ConvNorm, times};

/// Frames that a generated tone takes at least, with the silence behind it.
pub const LEAST_FRAMES: usize = 8;

/// Most frames and energies, labels, and channels: beyond what any machine has.
const MOST: [usize; 3] = [1 << 20, 1 << 16, 1 << 16];

impl Config {
    /// The Conformer that the configuration asks for.
    pub fn conformer(&self) -> Conformer {
        use meshwright_ir::DType;
        let (model, speech) = (&self.model, &self.speech);
        let whole = |size: usize| i64::try_from(size).unwrap_or(i64::MAX);
        Conformer {
            features: whole(speech.features),
            channels: whole(self.conformer.channels),
            model: whole(model.d_model),
            hidden: whole(model.d_ff),
            heads: whole(model.heads),
            kv: whole(model.d_kv),
            window: whole(self.conformer.window),
            norm: match self.conformer.norm {
                ConvNormalization::Layer => ConvNorm::Layer,
                ConvNormalization::Batch => ConvNorm::Batch,
                ConvNormalization::Group => ConvNorm::Group(whole(self.conformer.norm_groups)),
            },
            blocks: model.layers,
            labels: whole(speech.labels),
            most: whole(speech.most_labels),
            dropout: model.dropout,
            compute: match model.dtype {
                Dtype::F32 => DType::F32,
                Dtype::Bf16 => DType::BF16,
                Dtype::F64 => DType::F64,
            },
            stacked: false,
            recompute: model.recompute,
            pipeline: self.piped(),
        }
    }
}

/// Sizes of sound.
pub(super) fn fits(config: &Config) -> Vec<Finding> {
    let (speech, model) = (&config.speech, &config.conformer);
    if config.data.task.kind() != Kind::Sound || !of_one_kind(config).is_empty() {
        return Vec::new();
    }
    let sizes = [
        ("data.speech.frames", speech.frames, MOST[0]),
        ("data.speech.features", speech.features, MOST[0]),
        ("data.speech.labels", speech.labels, MOST[1]),
        ("data.speech.most_labels", speech.most_labels, MOST[1]),
        ("model.conformer.channels", model.channels, MOST[2]),
        ("model.conformer.window", model.window, MOST[2]),
        ("model.conformer.norm_groups", model.norm_groups, MOST[2]),
    ];
    let wild = sizes.into_iter().filter(|(_, size, most)| !(1..=*most).contains(size));
    let mut found: Vec<Finding> = wild
        .map(|(field, size, most)| {
            wrong(field, format!("`{field}` is {size}"), format!("make it 1 to {most}"))
        })
        .collect();
    if !(speech.noise >= 0.0 && speech.noise.is_finite()) {
        let message = format!("`data.speech.noise` is {}", speech.noise);
        found.push(wrong("data.speech.noise", message, "it must be a finite number, 0 or more"));
    }
    if found.is_empty() {
        found.extend(labels_in_frames(config));
    }
    found
}

/// Whether there are times enough to say all labels, and frames enough to make them of.
fn labels_in_frames(config: &Config) -> Option<Finding> {
    let (frames, most) = (config.speech.frames, config.speech.most_labels);
    let times = usize::try_from(times(frames as i64)).unwrap_or(0);
    if most > times {
        let message = format!(
            "{most} labels do not fit into {frames} frames: a model says one at each of {times} times at most"
        );
        let each = if config.data.corpus == Corpus::Spectrograms { LEAST_FRAMES } else { 4 };
        let fewer = match frames / each {
            0 => String::new(),
            fit => format!(", or at most {fit} labels"),
        };
        let help = format!("use at least {} frames{fewer}", each * most);
        return Some(wrong("data.speech.most_labels", message, help));
    }
    let generated = config.data.corpus == Corpus::Spectrograms;
    (generated && frames < LEAST_FRAMES * most).then(|| {
        let message = format!(
            "{frames} frames have no room for {most} tones with silence between them: one takes {LEAST_FRAMES}"
        );
        let fewer = match frames / LEAST_FRAMES {
            0 => String::new(),
            fit => format!(", or at most {fit} labels"),
        };
        let help = format!("use at least {} frames{fewer}", LEAST_FRAMES * most);
        wrong("data.speech.frames", message, help)
    })
}
