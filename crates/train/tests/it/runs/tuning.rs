//! From a trained model to another: fine-tuned on tasks, on other meshes, with an end in between; and taught by one.

use crate::runs::support::{Heard, MESHES, TRANSLATE, at, config, dir, messages, train, whole};
use meshwright_train::Config;
use meshwright_train::data::content::DataChange;
use meshwright_train::foreign::{Library, to_folder};
use meshwright_train::run::{self, Ending, Outcome, RunDir, Start};

/// Fine-tuning as in Switch 4.1: few steps, dropout in experts more than elsewhere, other capacities and lengths.
const TUNED: [&str; 12] = [
    "data.corpus=tasks",
    "data.documents=2700",
    "data.held_out_one_in=10",
    "data.input_length=32",
    "data.batch=8",
    "model.dropout=0.1",
    "model.expert_dropout=0.4",
    "model.capacity_factor=2.0",
    "train.questions=2",
    "train.steps=6",
    "train.eval_every=3",
    "checkpoint.every=4",
];

/// An encoder and a decoder with experts, trained a little on spans.
fn pre_trained(name: &str, mesh: &str) -> RunDir {
    let mesh = format!("mesh.axes={mesh}");
    let sets = ["data.corpus=world", "data.task=spans", "data.sentinels=8", "train.steps=4", &mesh];
    whole(&config(&[&TRANSLATE[..], &sets].concat()), name).2
}

fn tuned(from: &RunDir, more: &[&str]) -> Config {
    let from = format!("checkpoint.init_from={}", from.root.display());
    config(&[&TRANSLATE[..], &["data.sentinels=8"], &TUNED, &[&from], more].concat())
}

fn fresh(config: &Config, name: &str) -> (Outcome, Heard, RunDir) {
    whole(config, name)
}

#[test]
fn fine_tuning_on_another_mesh_with_an_end_in_between_is_as_undisturbed() {
    let from = pre_trained("tuning-from", "expert=4");
    let mesh = format!("mesh.axes={}", MESHES[2]);
    let config = tuned(&from, &[&mesh]);
    let (undisturbed, heard, _) = fresh(&config, "tuning-undisturbed");
    let said = heard.notes.join("\n");
    assert!(said.contains("took ") && said.contains("the vocabulary is that of `"), "{said}");
    assert!(!said.contains("begin fresh"), "{said}");
    let dir = dir("tuning-stopped");
    let mut first = Heard { stop_after: Some(4), ..Heard::default() };
    let outcome = train(&config, &dir, &Start::Fresh, &mut first).unwrap();
    assert_eq!((outcome.ending, outcome.step), (Ending::Asked(2), 4));
    let saved = run::find(&dir.root).unwrap();
    let stopped = RunDir::new(saved.checkpoint.clone().unwrap());
    // What it began with is not needed to go on.
    std::fs::remove_dir_all(from.root.join("checkpoints")).unwrap();
    let start = Start::Resume(saved.checkpoint, DataChange::Refuse);
    let resumed = train(&saved.config, &dir, &start, &mut Heard::default()).unwrap();
    assert_eq!([outcome.losses, resumed.losses].concat(), undisturbed.losses);
    assert_eq!(resumed.evaluation, undisturbed.evaluation);
    // The same weights without the rest of the checkpoint are another run: what is dropped and read is told by it.
    let forgetful = tuned(&stopped, &[&mesh, "train.steps=2", "train.questions=0"]);
    assert_ne!(fresh(&forgetful, "tuning-forgetful").0.losses, undisturbed.losses[4..]);
    let found = undisturbed.evaluation.unwrap();
    let asked: Vec<usize> = found.answers.iter().map(|one| one.questions).collect();
    assert_eq!(asked, [2; 9], "every task was asked");
    assert_eq!(heard.steps.iter().filter(|line| line.get("eval_score").is_some()).count(), 2);
}

#[test]
fn dropout_within_experts_is_another_run_and_a_dense_model_takes_all_but_them() {
    let from = pre_trained("tuning-dense-from", "");
    let short = ["train.steps=2", "train.questions=0"];
    let losses = |more: &[&str]| fresh(&tuned(&from, &[&short[..], more].concat()), "tuning-short").0.losses;
    let with = losses(&[]);
    assert_eq!(losses(&[]), with);
    assert_ne!(losses(&["model.expert_dropout=0"])[0], with[0]);
    let from = format!("checkpoint.init_from={}", from.root.display());
    let sets = ["data.corpus=tasks", "data.documents=2700", "data.sentinels=8", "train.steps=2", &from];
    let dense = config(&[&TRANSLATE[..], &sets, &["model.experts=0"]].concat());
    let said = fresh(&dense, "tuning-dense").1.notes.join("\n");
    // One routed block in each stack: both FFNs of a dense block there begin fresh, the router and experts are left.
    assert!(said.contains("4 begin fresh") && said.contains("6 are not used"), "{said}");
}

#[test]
fn a_student_learns_from_its_teacher_alike_on_all_meshes() {
    let teacher = pre_trained("teacher", "expert=4");
    let named = format!("distill.teacher={}", teacher.root.display());
    let student = |more: &[&str]| {
        let sets =
            ["data.corpus=world", "data.task=spans", "data.sentinels=8", "train.steps=3", "data.batch=16"];
        config(&[&TRANSLATE[..], &sets, &[&named, "model.experts=0"], more].concat())
    };
    let whole_losses = |more: &[&str]| fresh(&student(more), "student").0.losses;
    let one = whole_losses(&[]);
    for mesh in ["mesh.axes=data=4", "mesh.axes=data=2,model=2"] {
        for (a, b) in whole_losses(&[mesh]).iter().zip(&one) {
            assert!((a - b).abs() <= 1e-9 * b.abs(), "{mesh}: {a} {b}");
        }
    }
    let parts = whole_losses(&["optimizer.accumulate=2"]);
    assert!((parts[0] - one[0]).abs() < 1e-2 * one[0], "{} {}", parts[0], one[0]);
    // Without a share of the teacher's it is as without a teacher.
    let alone = config(
        &[
            &TRANSLATE[..],
            &["data.corpus=world", "data.task=spans", "data.sentinels=8", "train.steps=3", "data.batch=16"],
            &["model.experts=0"],
        ]
        .concat(),
    );
    let alone = fresh(&alone, "student-alone").0.losses;
    let without = whole_losses(&["distill.share=0"]);
    assert!(alone.iter().zip(&without).all(|(a, b)| (a - b).abs() < 1e-9), "{alone:?} {without:?}");
    assert!((one[0] - alone[0]).abs() > 1e-4, "{} {}", one[0], alone[0]);
}

/// A T5 as a run, and as folders of two other libraries: the same teacher, on one device and on eight.
#[test]
fn a_folder_of_another_library_teaches_as_the_run_it_was_made_of() {
    let dense =
        ["model.family=t5", "model.experts=0", "model.dtype=f32", "data.sentinels=0", "train.steps=3"];
    let sets = [&TRANSLATE[..3], &dense].concat();
    let teacher = whole(&config(&sets), "t5-teacher").2;
    let folders = [Library::HuggingFace, Library::T5x].map(|library| {
        let folder = dir("t5-folder").root;
        to_folder(&teacher.root, library, &folder).unwrap();
        (if library == Library::T5x { "t5x" } else { "hf" }, folder)
    });
    let student = |teacher: &str, more: &[&str]| {
        let named = format!("distill.teacher={teacher}");
        config(
            &[&sets[..], &["model.layers=1", "model.decoder_layers=1", &named, "distill.share=0.5"], more]
                .concat(),
        )
    };
    let by_run = fresh(&student(&teacher.root.display().to_string(), &[]), "by-run").0.losses;
    for (library, folder) in &folders {
        let named = format!("{library}:{}", folder.display());
        for mesh in ["", "data=2,model=2", "data=8"] {
            let (found, heard, _) = fresh(&student(&named, &[&format!("mesh.axes={mesh}")]), "by-folder");
            let said = heard.notes.join("\n");
            assert!(said.contains(&format!("the teacher is `{named}`, t5")), "{said}");
            assert!(said.contains("the vocabulary is that of `"), "{said}");
            for (ours, theirs) in found.losses.iter().zip(&by_run) {
                assert!((ours - theirs).abs() < 1e-5 * theirs, "{library} on `{mesh}`: {ours} {theirs}");
            }
        }
    }
    // It teaches in other numbers than its own, too.
    let named = format!("hf:{}", folders[0].1.display());
    let wide = |teacher: &str| fresh(&student(teacher, &["model.dtype=f64"]), "wide").0.losses;
    assert_eq!(wide(&named), wide(&teacher.root.display().to_string()));
    let refused = |config: &Config| {
        let dir = dir("by-folder-refused");
        let found = train(config, &dir, &Start::Fresh, &mut Heard::default()).unwrap_err();
        assert!(!dir.root.join("config.toml").exists(), "nothing is written");
        messages(found)
    };
    let mut other = student(&named, &[]);
    let dir_of_other = whole(&config(&["data.vocabulary=401"]), "by-folder-other").2;
    other.data.tokenizer = dir_of_other.root.join("tokenizer.model").display().to_string();
    let said = refused(&other);
    assert!(said.contains("reads other pieces of words"), "{said}");
    let said = refused(&student(&named, &["data.sentinels=9"]));
    assert!(said.contains("has 400 rows in its table of pieces, and this run 409"), "{said}");
    std::fs::remove_file(folders[0].1.join("model.safetensors")).unwrap();
    assert!(refused(&student(&named, &[])).contains("model.safetensors"), "its weights are gone");
}

/// Tables with more rows than there are pieces, as checkpoints of others have them.
#[test]
fn a_teacher_and_its_student_may_have_rows_without_pieces() {
    let rows = "model.vocabulary=448";
    let dir = whole(&config(&["train.steps=2", rows]), "wide-teacher").2;
    let named = format!("distill.teacher={}", dir.root.display());
    let student = config(&["train.steps=2", "model.experts=0", rows, &named]);
    let losses = fresh(&student, "wide-student").0.losses;
    assert_eq!(losses.len(), 2);
    let alone = config(&["train.steps=2", "model.experts=0", rows]);
    assert!(fresh(&alone, "wide-alone").0.losses != losses);
}

#[test]
fn weights_beside_another_tokenizer_are_told_which_two_there_are() {
    let short = ["train.steps=1"];
    let from = whole(&config(&short), "pieces-from").2;
    let other = whole(&config(&["train.steps=1", "data.tokenizer_kind=bpe"]), "pieces-other").2;
    let begun = format!("checkpoint.init_from={}", from.root.display());
    let said = |config: &Config| fresh(config, "pieces").1.notes.join("\n");
    let mut config = config(&[&short[..], &[&*begun]].concat());
    assert!(!said(&config).contains("other pieces"));
    config.data.tokenizer = other.root.join("tokenizer.model").display().to_string();
    let said = said(&config);
    assert!(said.contains("belong to other pieces now: the weights in `"), "{said}");
    assert!(
        said.contains("`tokenizer.model` (") && said.contains(&format!("`{}` (", config.data.tokenizer)),
        "{said}"
    );
}

#[test]
fn what_cannot_teach_or_begin_a_run_is_refused_before_anything_is_written() {
    let teacher = pre_trained("unfit-teacher", "");
    let named = format!("distill.teacher={}", teacher.root.display());
    let alone = |more: &[&str]| config(&[&[named.as_str(), "model.experts=0"], more].concat());
    let spans = ["data.corpus=world", "data.task=spans", "data.sentinels=8"];
    let of = |more: &[&str]| alone(&[&TRANSLATE[..], &spans, more].concat());
    let other = whole(&config(&["data.vocabulary=401"]), "other-vocabulary").2;
    let mut with_other = of(&[]);
    with_other.data.tokenizer = other.root.join("tokenizer.model").display().to_string();
    let refused = |config: &Config, name: &str| {
        let dir = dir(name);
        let found = train(config, &dir, &Start::Fresh, &mut Heard::default()).unwrap_err();
        assert!(!dir.root.join("config.toml").exists(), "nothing is written");
        messages(found)
    };
    let said = refused(&with_other, "unfit-vocabulary");
    assert!(said.contains("reads other pieces of words: its tokenizer is `tokenizer.model` ("), "{said}");
    assert!(said.contains("and not `") && !said.contains("has changed"), "{said}");
    // What is hopeless is told before what other sizes would mend.
    let said = refused(&alone(&["data.sentinels=9"]), "unfit-kind");
    assert!(said.contains("has an encoder, and the model here is a decoder alone"), "{said}");
    let said = refused(&of(&["data.sentinels=9"]), "unfit-size");
    assert!(said.contains(" rows in its table of pieces, and this run "), "{said}");
    let short = whole(&config(&["model.positions=16", "data.target_length=16", "train.steps=1"]), "short").2;
    let longer = format!("checkpoint.init_from={}", short.root.display());
    let said = refused(&config(&[&longer, "data.target_length=32"]), "too-long");
    assert!(said.contains("were trained with 16 positions"), "{said}");
    let wide = config(&[&longer, "model.d_model=24", "model.d_ff=40", "model.experts=2", "model.heads=4"]);
    let said = refused(&wide, "nothing-fits");
    assert!(said.starts_with("none of the ") && said.contains("are of another shape (params."), "{said}");
    let mut gone = of(&[]);
    gone.distill.teacher = "hf:nowhere/t5".into();
    let said = refused(&gone, "gone");
    assert!(said.starts_with("the teacher of `distill.teacher` is not there: `hf:nowhere/t5`"), "{said}");
    // Its first checkpoint is as it was.
    assert!(at(&short, 1).is_dir());
}
