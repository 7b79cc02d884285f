//! Runs on sound: the same losses on every mesh and on stages, resuming, and sequences that cannot be said.

use crate::runs::support::{
    Heard, apart, at, dir, evaluated, messages, of_arrays, read_of_arrays, train, whole,
};
use meshwright_train::Config;
use meshwright_train::data::content::DataChange;
use meshwright_train::run::Start;

/// A tiny Conformer; six sequences, of lengths that differ.
const CONFORMER: [&str; 15] = [
    "model.family=conformer",
    "model.layers=2",
    "model.d_model=8",
    "model.d_ff=12",
    "model.heads=2",
    "model.d_kv=4",
    "model.conformer.channels=2",
    "model.conformer.window=3",
    "data.corpus=spectrograms",
    "data.task=speech",
    "data.batch=6",
    "data.speech.frames=25",
    "data.speech.features=6",
    "data.speech.labels=3",
    "data.speech.most_labels=3",
];

fn config(sets: &[&str]) -> Config {
    of_arrays(&[&CONFORMER[..], sets].concat())
}

#[test]
fn a_conformer_is_the_same_run_on_every_mesh_also_where_sizes_do_not_divide() {
    let (alone, _, _) = whole(&config(&[]), "conformer-alone");
    assert!(alone.losses.iter().all(|loss| *loss < 10.0), "{:?}", alone.losses);
    let figures = &alone.evaluation.as_ref().unwrap().figures;
    assert_eq!(figures[0].name, "label error rate");
    assert!((0.3..1.0).contains(&figures[0].trivial), "{figures:?}");
    let piped = "mesh.strategy=pipelined+data";
    let stages = ["model.pipeline.stages=2", "model.pipeline.microbatches=2"];
    for sets in [
        &["mesh.axes=data=2,model=4"][..],
        &["mesh.axes=data=8"],
        &["mesh.axes=stage=2,data=4", piped, stages[0], stages[1]],
    ] {
        let (together, _, _) = whole(&config(sets), "conformer-together");
        let off = apart(&alone, &together);
        println!("{sets:?}: {off:.1e} apart after {} steps", alone.losses.len());
        // Stages draw the first values of their weights in another order.
        if sets.contains(&piped) {
            assert!(together.losses.iter().all(|loss| *loss < 10.0), "{:?}", together.losses);
        } else {
            assert!(off <= 1e-10, "{sets:?}: {off}");
            assert_eq!(together.samples, alone.samples, "{sets:?}");
            assert_eq!(&together.evaluation.unwrap().figures, figures, "{sets:?}");
        }
    }
}

#[test]
fn a_conformer_goes_on_where_it_was_and_is_evaluated_on_other_meshes() {
    let config = config(&["train.steps=20", "mesh.axes=data=2"]);
    let (outcome, _, whole_dir) = whole(&config, "conformer-whole");
    let (stopped, mut heard) = (dir("conformer-stopped"), Heard { stop_after: Some(10), ..Heard::default() });
    let first = train(&config, &stopped, &Start::Fresh, &mut heard).unwrap();
    let start = Start::Resume(Some(at(&stopped, 10)), DataChange::Refuse);
    let rest = train(&config, &stopped, &start, &mut Heard::default()).unwrap();
    assert_eq!([first.losses, rest.losses].concat(), outcome.losses);
    let mut other = config.clone();
    other.set("mesh.axes=data=2,model=2").unwrap();
    let (here, there) =
        (outcome.evaluation.unwrap(), evaluated(&other, &whole_dir, &at(&whole_dir, 20)).unwrap());
    assert!((here.nll - there.nll).abs() < 1e-10);
    assert_eq!(here.figures, there.figures);
}

#[test]
fn batch_norm_over_times_is_the_same_run_on_every_mesh_and_its_averages_survive() {
    let sets = ["model.conformer.norm=batch", "train.steps=20"];
    let (alone, _, dir) = whole(&config(&sets), "norm-alone");
    let (together, _, _) =
        whole(&config(&[&sets[..], &["mesh.axes=data=2,model=2"]].concat()), "norm-together");
    let off = apart(&alone, &together);
    assert!(off <= 1e-10, "{off}");
    let other = config(&[&sets[..], &["mesh.axes=data=2"]].concat());
    let (here, there) = (alone.evaluation.unwrap(), evaluated(&other, &dir, &at(&dir, 20)).unwrap());
    assert!((here.nll - there.nll).abs() < 1e-10, "{} and {}", here.nll, there.nll);
    let piped = [
        "mesh.axes=stage=2",
        "mesh.strategy=pipelined+data",
        "model.pipeline.stages=2",
        "model.pipeline.microbatches=2",
    ];
    let refused = train(
        &config(&[&sets[..], &piped].concat()),
        &crate::runs::support::dir("norm-piped"),
        &Start::Fresh,
        &mut Heard::default(),
    );
    assert!(messages(refused.unwrap_err()).contains("batch norm over 6 sequences"));
}

/// What a configuration is told.
fn told(sets: &[&str]) -> String {
    let config = read_of_arrays(&[&CONFORMER[..], sets].concat());
    config.check().into_iter().map(|found| format!("{}\n", found.message)).collect()
}

#[test]
fn sizes_and_kinds_that_do_not_fit_are_refused_with_their_numbers() {
    let many = told(&["data.speech.most_labels=9"]);
    assert!(
        many.contains("9 labels do not fit into 25 frames: a model says one at each of 7 times"),
        "{many}"
    );
    let room = told(&["data.speech.most_labels=4"]);
    assert!(
        room.contains("25 frames have no room for 4 tones with silence between them: one takes 8"),
        "{room}"
    );
    let zero = told(&["data.speech.labels=0"]);
    assert!(zero.contains("`data.speech.labels` is 0"), "{zero}");
    let task = told(&["data.task=segment"]);
    assert!(
        task.contains("family \"conformer\" reads sound, and task \"segment\" is one of images"),
        "{task}"
    );
    let corpus = told(&["data.corpus=volumes"]);
    assert!(corpus.contains("task \"speech\" is one of sound, and corpus \"volumes\" has none"), "{corpus}");
    let idle = told(&["data.image.size=8x8"]);
    assert!(idle.contains("`data.image.size` has no effect: task \"speech\" is one of sound"), "{idle}");
}

/// What is said of an archive of two sequences, the second of which has this many frames and these labels.
fn refused(name: &str, length: i32, labels: [i32; 3]) -> String {
    let path = archive(name, &[(25, [1, 2, 3], 3), (length, labels, 3)]);
    let files = format!("data.files=[\"{}\"]", path.display());
    let config = config(&["data.corpus=arrays", &files]);
    let error = train(&config, &dir("refused-sound"), &Start::Fresh, &mut Heard::default()).unwrap_err();
    messages(error)
}

/// An archive of sequences, each with its frames, its labels and how many of them count; and where it lies.
fn archive(name: &str, sequences: &[(i32, [i32; 3], i32)]) -> std::path::PathBuf {
    use meshwright_ir::{DType, TensorType};
    use meshwright_train::npz::{Array, write};
    let whole = |dims: &[i64], all: &[i32]| Array {
        ty: TensorType::new(DType::S32, dims.to_vec()),
        bytes: all.iter().flat_map(|one| one.to_le_bytes()).collect(),
    };
    let n = sequences.len() as i64;
    let bytes = (0..n * 25 * 6).flat_map(|at| ((at % 7) as f32 / 7.0).to_le_bytes()).collect();
    let arrays = [
        Array { ty: TensorType::new(DType::F32, vec![n, 25, 6]), bytes },
        whole(&[n], &sequences.iter().map(|one| one.0).collect::<Vec<_>>()),
        whole(&[n, 3], &sequences.iter().flat_map(|one| one.1).collect::<Vec<_>>()),
        whole(&[n], &sequences.iter().map(|one| one.2).collect::<Vec<_>>()),
    ];
    let mut file = std::io::Cursor::new(Vec::new());
    write(&mut file, &arrays).unwrap();
    let path = std::env::temp_dir().join(format!("meshwright-sound-{}-{name}", std::process::id()));
    std::fs::write(&path, file.into_inner()).unwrap();
    path
}

#[test]
fn held_out_sequences_of_archives_are_judged_once() {
    let path = archive("good.npz", &[(25, [1, 2, 3], 2); 30]);
    let files = format!("data.files=[\"{}\"]", path.display());
    let sets =
        ["data.corpus=arrays", "data.held_out_one_in=4", "train.eval_batches=100", "train.steps=2", &files];
    let (outcome, _, _) = whole(&config(&sets), "sound-arrays");
    let found = outcome.evaluation.unwrap();
    let examples = found.examples.unwrap();
    assert!((1..30).contains(&examples));
    assert_eq!(found.tokens, 2 * examples, "two labels of each, and none of rows that fill a batch");
    assert!(found.nll.is_finite() && found.nll > 0.0, "{found:?}");
    let samples = outcome.samples.len() as u64;
    assert!(samples <= examples, "{samples} samples of {examples}");
}

#[test]
fn transcripts_without_a_label_are_refused() {
    let path = archive("silent.npz", &[(25, [1, 2, 3], 0); 4]);
    let files = format!("data.files=[\"{}\"]", path.display());
    let config = config(&["data.corpus=arrays", &files]);
    let error = train(&config, &dir("silent-sound"), &Start::Fresh, &mut Heard::default()).unwrap_err();
    let said = messages(error);
    assert!(
        said.contains("none of the 4 sequences of") && said.contains("all `label_lengths` are 0"),
        "{said}"
    );
}

#[test]
fn archives_of_sequences_that_cannot_be_said_are_refused_with_their_numbers() {
    let label = refused("label.npz", 25, [1, 4, 2]);
    assert!(label.contains("label.npz`: sequence 1 has label 4, and labels are 1 to 3"), "{label}");
    let long = refused("long.npz", 26, [1, 2, 3]);
    assert!(long.contains("sequence 1 has 26 frames, and the array room for 25"), "{long}");
    let fast = refused("fast.npz", 16, [2, 2, 2]);
    let said = "sequence 1 has 3 labels, 2 of them said again at once in 16 frames: that takes 5 times, and the model has 4";
    assert!(fast.contains(said), "{fast}");
}
