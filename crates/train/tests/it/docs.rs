//! What the documentation says of presets is what they are.

use meshwright_train::Config;
use meshwright_train::preset::{PRESETS, preset};

const GUIDE: &str = include_str!("../../../../docs/guide/06-training.md");

/// The cells of the row of a table that begins with `name`.
fn row(text: &'static str, name: &str) -> Vec<&'static str> {
    let begins = format!("| `{name}` |");
    let line = text.lines().find(|line| line.starts_with(&begins));
    let line = line.unwrap_or_else(|| panic!("no row of {name}"));
    line.split('|').map(str::trim).collect()
}

#[test]
fn the_guides_table_has_corpus_mesh_and_steps_of_every_preset() {
    let head = GUIDE.lines().find(|line| line.starts_with("| preset |")).expect("a table of presets");
    let head: Vec<&str> = head.split('|').map(str::trim).collect();
    for found in PRESETS {
        let config = Config::read(&preset(found.name).unwrap()).unwrap();
        let row = row(GUIDE, found.name);
        let cell = |column: &str| row[head.iter().position(|name| *name == column).unwrap()];
        assert_eq!(cell("corpus"), format!("`{}`", config.data.corpus.word()), "{}", found.name);
        assert_eq!(cell("steps"), config.train.steps.to_string(), "{}", found.name);
        let axes: Vec<String> =
            config.mesh.axes.0.iter().map(|(name, size)| format!("{name}={size}")).collect();
        let mesh = if axes.is_empty() { "one device".to_string() } else { format!("`{}`", axes.join(",")) };
        assert!(cell("mesh").starts_with(&mesh), "{}: {} and not {mesh}", found.name, cell("mesh"));
    }
}
