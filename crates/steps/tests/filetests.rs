//! Runs `tests/filetests/steps`: each file there is a text of steps, with what is wrong with it.
//!
//! ```text
//! %0 = arena, 64 bytes, at 0, alive 0 to 1
//! {
//!   ..
//! }
//! //~ ERROR step 2 (copy): needs %0         part of what is said; a line each, in order, for all that is found
//! ```
//!
//! Three judges look at each: the verifier, the checker if the text says where buffers lie, and the one of lives if it
//! declares any.

use meshwright_steps::{Opaque, PlacedAt, Places, Steps, check, lives, parse, verify};
use std::path::Path;

fn found(steps: &Steps<Opaque>, places: &Places) -> Vec<String> {
    let line = steps.line();
    let mut found = verify(steps, &places.donated);
    if places.of.values().any(|at| matches!(at, PlacedAt::Arena(_))) {
        found.extend(check(steps, &line, places).iter().map(ToString::to_string));
    }
    found.extend(lives(steps, &line, places).iter().map(ToString::to_string));
    found
}

/// What a file says that is not so.
fn wrong(text: &str) -> Option<String> {
    let expected: Vec<&str> =
        text.lines().filter_map(|line| line.trim().strip_prefix("//~ ERROR ")).collect();
    let found = match parse(text) {
        Ok((steps, places)) => found(&steps, &places),
        Err(refused) => vec![refused],
    };
    let fits = found.len() == expected.len() && found.iter().zip(&expected).all(|(a, b)| a.contains(b));
    (!fits).then(|| format!("expected {expected:#?}, found {found:#?}"))
}

#[test]
fn what_is_wrong_with_steps_is_found_and_nothing_else() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/filetests/steps");
    let mut files: Vec<_> = folder.read_dir().unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    assert!(files.len() >= 5, "{files:?}");
    let wrong = files.iter().filter_map(|path| {
        let name = path.file_name().unwrap().display();
        Some(format!("{name}: {}", wrong(&std::fs::read_to_string(path).unwrap())?))
    });
    let wrong: Vec<String> = wrong.collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
