//! The pages of results show the studies as they are.

use meshwright_lab::studies::{page, studies};
use meshwright_train::preset::preset;
use std::path::Path;

const RESULTS: &str = include_str!("../../../../docs/results.md");

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
