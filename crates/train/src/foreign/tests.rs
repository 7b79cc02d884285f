//! Folders that are damaged or of no model here: each fault has its own diagnostic, and nothing is written.

use super::*;
use crate::run::{Error, RunDir};
use std::fs;

fn place(name: &str) -> PathBuf {
    let path = std::env::temp_dir().join(format!("meshwright-foreign-unit-{}-{name}", std::process::id()));
    let _ = fs::remove_dir_all(&path);
    path
}

/// A copy of a golden folder.
fn copied(name: &str, of: &str) -> PathBuf {
    let folder = place(name);
    fs::create_dir_all(&folder).unwrap();
    let golden = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/golden_hf").join(of);
    for path in golden.read_dir().unwrap().map(|entry| entry.unwrap().path()) {
        fs::copy(&path, folder.join(path.file_name().unwrap())).unwrap();
    }
    folder
}

fn set(folder: &Path, from: &str, to: &str) {
    let path = folder.join("config.json");
    let text = fs::read_to_string(&path).unwrap();
    assert!(text.contains(from), "{from}");
    fs::write(path, text.replace(from, to)).unwrap();
}

fn open(folder: &Path) -> Result<Foreign, Vec<Diagnostic>> {
    Foreign::open(Library::HuggingFace, folder)
}

#[track_caller]
fn says(found: &Diagnostic, code: Code, words: &str) {
    assert_eq!(found.code, code, "{}", found.message);
    assert!(found.message.contains(words), "no `{words}` in {}", found.message);
    assert!(found.help.is_some(), "{words}");
}

#[test]
fn an_index_of_weights_that_is_wrong_is_refused() {
    const INDEX: &str = "model.safetensors.index.json";
    let folder = copied("index", "t5");
    let index = folder.join(INDEX);
    let refused = |words: &str| says(&open(&folder).unwrap_err()[0], FOLDER, words);
    fs::create_dir(&index).unwrap();
    refused("model.safetensors.index.json`: ");
    fs::remove_dir(&index).unwrap();
    for (text, words) in [
        ("[", "it is no JSON: "),
        ("{}", "its `weight_map` does not give a file of this folder for each tensor"),
        (r#"{"weight_map": {"w": "../model.safetensors"}}"#, "its `weight_map` does not give a file"),
        (
            r#"{"weight_map": {"w": "model.safetensors"}}"#,
            "it has `w` in `model.safetensors`, which lacks it",
        ),
        (r#"{"weight_map": {"w": "part.safetensors"}}"#, "part.safetensors`: "),
    ] {
        fs::write(&index, text).unwrap();
        refused(words);
    }
    #[cfg(unix)]
    {
        fs::remove_file(&index).unwrap();
        std::os::unix::fs::symlink("nowhere", &index).unwrap();
        refused("model.safetensors.index.json`: ");
    }
}

#[test]
fn a_weight_that_a_folder_lacks_is_named() {
    let folder = copied("weight", "t5");
    let mut foreign = open(&folder).unwrap();
    says(&foreign.folder.read("w").unwrap_err(), FOLDER, "is damaged: no file of it has `w`");
    let found = foreign.read("params.w", &Region::whole(&[1])).unwrap_err();
    says(&found, WEIGHTS, "has no weight `params.w`");
    fs::write(folder.join("generation_config.json"), "[").unwrap();
    let notes = open(&folder).unwrap().notes().join("\n");
    assert!(notes.contains("generation_config.json` is damaged: it is no JSON: "), "{notes}");
    assert!(notes.ends_with(": it is not followed"), "{notes}");
}

#[test]
fn a_model_that_cannot_be_built_or_named_is_refused() {
    let folder = copied("short", "mixtral");
    set(&folder, "\"max_position_embeddings\": 64", "\"max_position_embeddings\": 0");
    let found = open(&folder).unwrap_err();
    let words =
        "`data.target_length` is too small, as the checkpoint says it in `max_position_embeddings`: 0";
    assert_eq!(found[0].message, words);
    let folder = copied("many", "t5");
    let foreign = open(&folder).unwrap();
    let mut wide = foreign.config().clone();
    wide.set("model.d_ff=64").unwrap();
    let plan = TrainingPlan::of(&wide, Vocabularies { source: 48, target: 48 }).unwrap();
    let found = foreign.fits(&plan, &wide).unwrap_err();
    says(&found, WEIGHTS, "`: 8 of another shape (params.encoder.block_0.mlp.wi");
    set(&folder, "\"num_layers\": 2", "\"num_layers\": 99");
    let found = open(&folder).unwrap_err();
    says(&found[0], WEIGHTS, "it has 99 layers, and there are ");
    fs::rename(folder.join("model.safetensors"), folder.join("pytorch_model.bin")).unwrap();
    let found = open(&folder).unwrap_err();
    says(&found[0], FOLDER, "has weights in `pytorch_model.bin` alone, which is not read");
    let mut config = open(&copied("names", "t5-v1_1")).unwrap().config().clone();
    config.set("model.activation=geglu").unwrap();
    let found = weights(Architecture::T5 { gated: false }, &config).unwrap_err();
    says(&found[0], ARCHITECTURE, "the other library's model has no weight for `encoder.block_0.mlp.wg`");
}

/// A tokenizer of three pieces and more, the last of which ends a text.
fn tokenizer(more: usize) -> String {
    let pieces: String = (0..more).map(|at| format!("[\"p{at}\", -1.0], ")).collect();
    format!(
        r#"{{"added_tokens": [{{"id": {}, "content": "</s>", "special": true}}],
            "model": {{"type": "Unigram", "unk_id": 0, "vocab": [["<unk>", 0.0], {pieces}["</s>", 0.0]]}}}}"#,
        more + 1
    )
}

#[test]
fn a_tokenizer_that_is_not_that_of_the_model_is_refused() {
    let folder = copied("tokenizer", "t5");
    let path = folder.join("tokenizer.json");
    let refused = |code: Code, words: &str| {
        let run = place("tokenizer-run");
        let found = from_folder(Library::HuggingFace, &folder, &RunDir::new(&run)).unwrap_err();
        let Error::Input(found) = found else { panic!("{found:?}") };
        says(&found[0], code, words);
        assert!(!run.exists());
    };
    fs::create_dir(&path).unwrap();
    refused(FOLDER, "tokenizer.json`: ");
    fs::remove_dir(&path).unwrap();
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink("nowhere", &path).unwrap();
        refused(FOLDER, "tokenizer.json`: ");
        fs::remove_file(&path).unwrap();
    }
    fs::write(&path, tokenizer(47)).unwrap();
    set(&folder, "\"eos_token_id\": 1", "\"eos_token_id\": 48");
    refused(ARCHITECTURE, "tokenizer.json` has 49 pieces, the model 48");
    fs::write(&path, tokenizer(4)).unwrap();
    refused(ARCHITECTURE, "`eos_token_id` is 48, and texts end with 5 of `");
    fs::remove_file(&path).unwrap();
    refused(
        ARCHITECTURE,
        "`eos_token_id` is 48, there is no tokenizer that has it, and this family ends texts with 1",
    );
}

#[test]
fn nothing_is_converted_over_what_is_there_or_out_of_a_run_without_a_checkpoint() {
    let folder = copied("over", "t5");
    let found = from_folder(Library::HuggingFace, &folder, &RunDir::new(&folder)).unwrap_err();
    let Error::Input(found) = found else { panic!("{found:?}") };
    assert!(found[0].message.starts_with("there is something in `"), "{found:?}");
    assert_eq!(found[0].help.as_deref(), Some("name a directory that is not there, or is empty"));
    let refused = |run: &Path, into: &Path, words: &str| {
        let found = to_folder(run, Library::HuggingFace, into).unwrap_err();
        let Error::Input(found) = found else { panic!("{found:?}") };
        says(&found[0], FOLDER, words);
    };
    let run = place("begun");
    refused(&run, &folder, "is there already, and would be overwritten");
    RunDir::new(&run).write_config(&Config::default()).unwrap();
    let into = place("begun-back");
    refused(&run, &into, "has no checkpoint yet");
    assert!(!into.exists());
}
