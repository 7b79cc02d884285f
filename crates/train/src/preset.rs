//! Configurations that come with the program, by name.

use meshwright_ground::{Code, Diagnostic, SourceText, nearest};

const NO_PRESET: Code = Code(1106);

macro_rules! presets {
    ($($name:literal: $about:literal,)*) => {
        /// Name, what it is, and its TOML.
        pub const PRESETS: &[(&str, &str, &str)] =
            &[$(($name, $about, include_str!(concat!("../presets/", $name, ".toml")))),*];
    };
}

presets! {
    "switch-tiny": "a Switch Transformer of 8 experts on 8 devices, some minutes on two cores",
    "switch-translate-tiny": "the same with an encoder, from fifteen languages into English",
    "gshard-tiny": "GShard's translation model: two experts per token, the same phrases",
    "t5-tiny": "dense T5: spans cut out of stories, over data and model",
    "dense2d-tiny": "GSPMD's dense language model, split in two dims",
    "switch-figure-12": "one run of `meshwright reproduce switch-figure-12`, on one device",
}

/// The configuration of a preset, as a text.
pub fn preset(name: &str) -> Result<SourceText, Diagnostic> {
    let text = PRESETS.iter().find(|(known, ..)| *known == name).map(|(.., text)| *text);
    text.map(|text| SourceText::new(format!("preset {name}"), text)).ok_or_else(|| no_preset(name))
}

fn no_preset(name: &str) -> Diagnostic {
    let names: Vec<&str> = PRESETS.iter().map(|(name, ..)| *name).collect();
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
        for (name, ..) in PRESETS {
            let config = Config::read(&preset(name).unwrap()).unwrap();
            let found = config.check();
            assert!(found.is_empty(), "{name}: {found:?}");
        }
    }

    #[test]
    fn a_name_that_is_nearly_right_is_told() {
        let found = preset("switch-tny").unwrap_err();
        assert!(found.help.as_deref().unwrap_or("").contains("switch-tiny"), "{found:?}");
    }
}
