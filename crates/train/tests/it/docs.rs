//! What the documentation says of presets is what they are.

use meshwright_train::Config;
use meshwright_train::preset::{PRESETS, preset};
use meshwright_train::reproduce::{page, studies};
use std::path::Path;

const GUIDE: &str = include_str!("../../../../docs/guide/06-training.md");
const RESULTS: &str = include_str!("../../../../docs/results.md");

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

#[test]
fn results_show_the_presets_of_studies_as_they_are() {
    for study in studies() {
        let text = preset(study.preset).unwrap();
        let block = format!("```toml\n{}```", text.text);
        assert!(RESULTS.contains(&block), "docs/results.md shows another `{}`", study.preset);
    }
}

/// `MESHWRIGHT_BLESS=1` writes the page of the results that are kept.
#[test]
fn the_page_of_outcomes_is_that_of_the_kept_results() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/results");
    let kept = |study: &str| {
        let text = std::fs::read_to_string(folder.join(format!("switch/{study}.json"))).ok()?;
        Some(serde_json::from_str(&text).unwrap())
    };
    let (made, path) = (page(kept), folder.join("switch.md"));
    if std::env::var_os("MESHWRIGHT_BLESS").is_some() {
        std::fs::write(&path, &made).unwrap();
    }
    assert_eq!(std::fs::read_to_string(path).unwrap_or_default(), made, "MESHWRIGHT_BLESS=1 writes it anew");
}
