//! Configurations that come with the program, by name.

use meshwright_base::{Code, Diagnostic, SourceText, nearest};

const NO_PRESET: Code = Code(1106);

/// A configuration that comes with the program.
#[derive(Clone, Copy, Debug)]
pub struct Preset {
    pub name: &'static str,
    /// What it is.
    pub about: &'static str,
    /// What to expect of a run as it stands, for whoever sees one for the first time.
    pub expects: &'static str,
    /// TOML.
    pub text: &'static str,
}

macro_rules! presets {
    (@text $name:literal) => { include_str!(concat!("../presets/", $name, ".toml")) };
    // A file that ends in a section, and more fields of it.
    (@text $name:literal $file:literal $more:literal) => {
        concat!(include_str!(concat!("../presets/", $file, ".toml")), $more)
    };
    ($($name:literal $(= $file:literal + $more:literal)?: $about:literal, $expects:literal;)*) => {
        /// All of them, by name.
        pub const PRESETS: &[Preset] = &[$(Preset {
            name: $name,
            about: $about,
            expects: $expects,
            text: presets!(@text $name $($file $more)?),
        }),*];
    };
}

presets! {
    "conformer-tiny":
        "a Conformer in small: tones in noise to labels, the batch over 8 devices",
        "a minute or two on two cores; nearly all labels right in the end";
    "dense2d-pipe-tiny":
        "GSPMD's dense model in two pipeline stages, each split in two dims",
        "some minutes on two cores; stories in the end, two tokens of three right";
    "dense2d-tiny":
        "GSPMD's dense language model, split in two dims",
        "some minutes on two cores; stories in the end, two tokens of three right";
    "gshard-m4-12l-16e" = "gshard-m4" + "layers = 6\nexperts = 16\nrouting = \"gshard\"\ncapacity_rule = \"gshard\"\ngroup_size = 512\n":
        "the same with 12 layers and 16 experts",
        "see docs/results.md: two to three times the time of 4 layers";
    "gshard-m4-12l-4e" = "gshard-m4" + "layers = 6\nexperts = 4\nrouting = \"gshard\"\ncapacity_rule = \"gshard\"\ngroup_size = 512\n":
        "the same with 12 layers",
        "see docs/results.md: two to three times the time of 4 layers";
    "gshard-m4-4l-16e" = "gshard-m4" + "layers = 2\nexperts = 16\nrouting = \"gshard\"\ncapacity_rule = \"gshard\"\ngroup_size = 512\n":
        "the same with 16 experts",
        "see docs/results.md";
    "gshard-m4-4l-32e" = "gshard-m4" + "layers = 2\nexperts = 32\nrouting = \"gshard\"\ncapacity_rule = \"gshard\"\ngroup_size = 512\n":
        "the same with 32 experts",
        "see docs/results.md";
    "gshard-m4-4l-4e" = "gshard-m4" + "layers = 2\nexperts = 4\nrouting = \"gshard\"\ncapacity_rule = \"gshard\"\ngroup_size = 512\n":
        "GShard's M4: many languages into English, 4 layers, 4 experts",
        "some minutes on two cores; help of an office program, half understood";
    "gshard-m4-dense" = "gshard-m4" + "layers = 2\nexperts = 0\n":
        "the same without experts, of many languages or of `data.languages`",
        "see docs/results.md";
    "gshard-tiny":
        "GShard's translation model: two experts per token, phrases into English",
        "some minutes on two cores; most phrases right in the end";
    "gspmd-figure-2-tiny":
        "GSPMD's Figure 2: a pipeline of experts encodes, a dense one decodes",
        "a quarter of an hour on two busy cores; two tokens of three right, hardly a phrase";
    "questions-tiny":
        "what is asked of a picture: one trunk split in space, one by heads",
        "some minutes on two cores; nearly all answers right in the end";
    "resnet-tiny":
        "a residual network with batch norm: which of six bodies is in the noise",
        "a minute or two on two cores; nearly all right in the end";
    "switch-figure-12-decoder":
        "one run of `reproduce switch-figure-12-decoder`, on one device",
        "a point of a curve: what it writes is not yet worth reading";
    "switch-spans":
        "one run of `reproduce switch-figure-12`: spans, on one device",
        "one to two minutes on two cores; half of the cut tokens right in the end";
    "switch-tiny":
        "a Switch Transformer, decoder alone: it goes on with phrases",
        "some minutes on two cores; phrases of the right kind in the end, seldom the right ones";
    "switch-translate-tiny":
        "a Switch Transformer of 8 experts: fifteen languages into English",
        "one to four minutes on two cores; most phrases right by the end";
    "t5-tiny":
        "dense T5: spans cut out of stories, over data and model",
        "some minutes on two cores; half of the cut tokens right in the end";
    "unet-tiny":
        "GSPMD's 3D U-Net in small: solid and hollow bodies in noise",
        "some minutes on two cores; a Dice of 0.9 and more in the end";
    "v-moe-tiny":
        "V-MoE: patches of a picture choose among four experts, two each",
        "a minute or less on two cores; nearly all right in the end";
    "vit-tiny":
        "a Vision Transformer: which of six bodies is in the noise",
        "some minutes on two cores; most right in the end";
    "weather-tiny":
        "MetNet-2 in small: where showers will be, split in both spatial dims",
        "some minutes on two cores; a Dice of 0.8 and more in the end";
}

/// The preset of a name.
pub fn find(name: &str) -> Option<&'static Preset> {
    PRESETS.iter().find(|preset| preset.name == name)
}

/// The configuration of a preset, as a text.
pub fn preset(name: &str) -> Result<SourceText, Diagnostic> {
    let found = find(name).ok_or_else(|| no_preset(name))?;
    Ok(SourceText::new(format!("preset {name}"), found.text))
}

fn no_preset(name: &str) -> Diagnostic {
    let names: Vec<&str> = PRESETS.iter().map(|preset| preset.name).collect();
    let help = nearest::suggest(name, names.iter().copied())
        .unwrap_or_else(|| format!("the presets are {}; a file's name ends in `.toml`", names.join(", ")));
    Diagnostic::error(NO_PRESET, format!("there is no preset `{name}`")).help(help)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Config;

    #[test]
    fn every_preset_is_sound_and_says_nothing_twice() {
        for Preset { name, .. } in PRESETS {
            let config = Config::read(&preset(name).unwrap()).unwrap();
            let found = config.check();
            assert!(found.is_empty(), "{name}: {found:?}");
        }
        assert!(PRESETS.is_sorted_by_key(|preset| preset.name), "by name");
    }

    #[test]
    fn a_name_that_is_nearly_right_is_told() {
        let found = preset("switch-tny").unwrap_err();
        assert!(found.help.as_deref().unwrap_or("").contains("switch-tiny"), "{found:?}");
    }
}
