//! Runs on pictures whose class is asked for: the same losses on every mesh, resuming, and what does not fit.

use crate::runs::support::{
    Heard, apart, at, dir, evaluated, messages, of_arrays, read_of_arrays, train, whole,
};
use meshwright_train::Config;
use meshwright_train::data::content::DataChange;
use meshwright_train::preset::preset;
use meshwright_train::run::{Outcome, Start};

const PICTURES: [&str; 5] = [
    "data.corpus=pictures",
    "data.task=classify",
    "data.image.size=10x13",
    "data.image.classes=6",
    "data.image.noise=0.2",
];

const RESIDUAL: [&str; 3] = ["model.family=residual", "model.residual.features=3", "model.residual.stages=2"];
const VIT: [&str; 8] = [
    "model.family=vit",
    "model.layers=1",
    "model.d_model=8",
    "model.d_ff=12",
    "model.heads=4",
    "model.d_kv=3",
    "model.vit.patch=3",
    "data.image.size=12x9",
];

fn config(sets: &[&str]) -> Config {
    of_arrays(&[&PICTURES[..], sets].concat())
}

#[test]
fn what_tells_classes_is_the_same_run_on_every_mesh_also_where_sizes_do_not_divide() {
    for (name, family, meshes) in [
        ("residual", &RESIDUAL[..], ["data=2,spatial=4", "spatial=8"]),
        ("vit", &VIT[..], ["data=2,spatial=4", "data=2,model=4"]),
    ] {
        let (alone, _, _) = whole(&config(family), &format!("{name}-alone"));
        assert!(alone.losses.last() < alone.losses.first(), "nothing was learnt: {:?}", alone.losses);
        for axes in meshes {
            let mesh = format!("mesh.axes={axes}");
            let (together, _, _) =
                whole(&config(&[family, &[mesh.as_str()]].concat()), &format!("{name}-together"));
            let off = apart(&alone, &together);
            assert!(off <= 1e-10, "{name} on {axes}: {off}");
            let figures =
                |outcome: &meshwright_train::run::Outcome| outcome.evaluation.clone().unwrap().figures;
            assert_eq!(figures(&together), figures(&alone), "{name} on {axes}");
            assert_eq!(figures(&alone).iter().map(|one| one.name.as_str()).collect::<Vec<_>>(), ["right"]);
            assert_eq!((&together.samples, &together.pictures), (&alone.samples, &alone.pictures), "{axes}");
        }
    }
}

/// Of what is asked of a picture: as a batch, and by modes.
const QUESTIONS: [&str; 11] = [
    "model.family=joined",
    "data.corpus=questions",
    "data.image.classes=8",
    "model.layers=1",
    "model.d_model=8",
    "model.d_ff=12",
    "model.heads=4",
    "model.d_kv=3",
    "model.residual.features=3",
    "model.residual.stages=2",
    "data.image.size=12x9",
];

const EXPERTS: [&str; 4] =
    ["model.family=v-moe", "model.experts=4", "model.expert_every=1", "model.group_size=12"];

#[test]
fn two_modes_and_experts_for_patches_are_the_same_run_on_every_mesh() {
    let of_experts = [&VIT[..], &EXPERTS].concat();
    for (name, sets, meshes) in [
        ("joined", &QUESTIONS[..], ["x=2,y=4", "x=4,y=2"]),
        ("v-moe", &of_experts[..], ["expert=4", "data=2,expert=2"]),
    ] {
        let (alone, _, _) = whole(&config(sets), &format!("{name}-alone"));
        assert!(alone.losses.iter().all(|loss| loss.is_finite()), "{:?}", alone.losses);
        for axes in meshes {
            let mesh = format!("mesh.axes={axes}");
            let (together, _, _) =
                whole(&config(&[sets, &[mesh.as_str()]].concat()), &format!("{name}-together"));
            let off = apart(&alone, &together);
            assert!(off <= 1e-10, "{name} on {axes}: {off}");
            assert_eq!((&together.samples, &together.pictures), (&alone.samples, &alone.pictures), "{axes}");
        }
        let told = &alone.samples[0];
        assert_eq!(told.prompt.ends_with('?'), name == "joined", "{told:?}");
        assert_eq!(alone.evaluation.unwrap().loads.len(), usize::from(name == "v-moe"));
    }
}

#[test]
fn the_preset_of_experts_for_patches_learns_what_is_in_pictures() {
    let mut config = Config::read(&preset("v-moe-tiny").unwrap()).unwrap();
    let short = ["train.steps=200", "train.eval_every=0", "checkpoint.every=200", "metrics.tensorboard="];
    short.iter().for_each(|set| config.set(set).unwrap());
    let (outcome, _, _) = whole(&config, "v-moe-tiny");
    let evaluation = outcome.evaluation.unwrap();
    let right = &evaluation.figures[0];
    // One of six kinds: 0.61, and 0.99 after ten times as many steps.
    assert!(right.name == "right" && right.value > 0.5, "{evaluation:?}");
    assert_eq!(evaluation.loads.len(), 2);
}

/// Folders of classes with images of 4 x 4 in each, as bright as the class is far behind in the list.
fn folders(name: &str, classes: &[&str]) -> String {
    let folder = std::env::temp_dir().join(format!("meshwright-classes-{}-{name}", std::process::id()));
    let _ = std::fs::remove_dir_all(&folder);
    for (class, name) in classes.iter().enumerate() {
        std::fs::create_dir_all(folder.join(name)).unwrap();
        for at in 0..20 {
            let image = format!("P2 4 4 99 {}", format!("{} ", class * 40).repeat(16));
            std::fs::write(folder.join(name).join(format!("{at}.pgm")), image).unwrap();
        }
    }
    folder.display().to_string()
}

const OF_FILES: [&str; 7] = [
    "model.family=residual",
    "data.corpus=arrays",
    "data.task=classify",
    "data.image.size=4x4",
    "data.held_out_one_in=5",
    "model.residual.features=2",
    "train.steps=4",
];

#[test]
fn classes_of_folders_go_by_the_names_of_the_folders_or_by_those_of_the_configuration() {
    let (cats, more) = (folders("cats", &["cat", "dog"]), folders("more", &["dog"]));
    let files = format!("data.files=[\"{cats}\", \"{more}\"]");
    let run = |more: &[&str]| {
        let sets = [&OF_FILES[..], &["data.image.classes=2", &files], more].concat();
        whole(&of_arrays(&sets), "folders").0
    };
    let expected = |outcome: &Outcome| -> Vec<String> {
        outcome.samples.iter().map(|sample| sample.expected.clone()).collect()
    };
    let by_folder = run(&[]);
    let kinds = expected(&by_folder);
    assert!(kinds.iter().any(|name| name == "cat") && kinds.iter().any(|name| name == "dog"), "{kinds:?}");
    assert!(by_folder.pictures[0].svg.contains("dog"), "{}", by_folder.pictures[0].svg);
    // The other way round the classes have other numbers and the same names.
    let by_name = run(&["data.image.names=[\"dog\", \"cat\"]"]);
    assert_eq!(expected(&by_name), kinds);
    assert_ne!(by_name.losses, by_folder.losses);
}

#[test]
fn folders_and_names_that_do_not_go_together_are_told() {
    let (cats, birds) = (folders("cats-too", &["cat", "dog"]), folders("birds", &["bird", "cat"]));
    let refused = |more: &[&str]| {
        let files = format!("data.files=[\"{cats}\", \"{birds}\"]");
        let config = of_arrays(&[&OF_FILES[..], &["data.image.classes=3", &files], more].concat());
        messages(train(&config, &dir("folders-refused"), &Start::Fresh, &mut Heard::default()).unwrap_err())
    };
    let found = refused(&[]);
    assert!(found.contains("birds/bird` is of no class: they are `cat`, `dog`"), "{found}");
    let found = refused(&["data.image.names=[\"dog\", \"bird\", \"cow\"]"]);
    assert!(found.contains("cats-too/cat` is of no class: they are `dog`, `bird`, `cow`"), "{found}");
}

#[test]
fn running_averages_survive_a_checkpoint_and_other_meshes() {
    let config = config(&[&RESIDUAL[..], &["train.steps=20", "mesh.axes=data=2"]].concat());
    let (outcome, _, whole_dir) = whole(&config, "residual-whole");
    let (stopped, mut heard) = (dir("residual-stopped"), Heard { stop_after: Some(10), ..Heard::default() });
    let first = train(&config, &stopped, &Start::Fresh, &mut heard).unwrap();
    let start = Start::Resume(Some(at(&stopped, 10)), DataChange::Refuse);
    let rest = train(&config, &stopped, &start, &mut Heard::default()).unwrap();
    assert_eq!([first.losses, rest.losses].concat(), outcome.losses);
    let mut other = config.clone();
    other.set("mesh.axes=spatial=4").unwrap();
    let (here, there) =
        (outcome.evaluation.unwrap(), evaluated(&other, &whole_dir, &at(&whole_dir, 20)).unwrap());
    assert!((here.nll - there.nll).abs() < 1e-10, "{} and {}", here.nll, there.nll);
}

#[test]
fn what_does_not_go_together_is_told() {
    let told = |sets: &[&str]| -> String {
        read_of_arrays(&[&PICTURES[..], sets].concat())
            .check()
            .iter()
            .map(|found| format!("{}\n", found.message))
            .collect()
    };
    let says = |sets: &[&str], part: &str| {
        let found = told(&[&RESIDUAL[..], sets].concat());
        assert!(found.contains(part), "no `{part}` in {found}");
    };
    says(
        &["data.task=segment", "data.corpus=volumes"],
        "family \"residual\" tells the class of an image as a whole, and task \"segment\" asks for that of each place",
    );
    says(
        &["data.corpus=volumes"],
        "corpus \"volumes\" has the class of each place of an image, and task \"classify\" asks for that of an image as a whole",
    );
    says(&["data.image.classes=5"], "corpus \"pictures\" has 6 classes, and `data.image.classes` is 5");
    says(
        &["data.image.names=[\"a\"]"],
        "corpus \"pictures\" names its classes, and `data.image.names` has others",
    );
    let of_files = ["data.corpus=arrays", "data.files=[\"a.npz\"]", "data.image.classes=2"];
    let named = |names: &str, part: &str| {
        let names = format!("data.image.names={names}");
        says(&[&of_files[..], &[names.as_str()]].concat(), part);
    };
    named("[\"a\"]", "`data.image.names` has 1, and `data.image.classes` is 2");
    named("[\"a\", \"a\"]", "`data.image.names` has \"a\" twice");
    named("[\"a\", \"\"]", "`data.image.names` has an empty name");
    says(&["data.image.size=8x8x8"], "corpus \"pictures\" has 2 spatial dims, and `data.image.size` 3");
    says(&["model.vit.patch=2"], "`model.vit.patch` has no effect: family \"residual\" does not have it");
    says(&["model.residual.stages=0"], "`model.residual.stages` is 0");
    says(
        &["data.image.told=4x4"],
        "family \"residual\" tells all that it sees, and `data.image.told` is 4x4",
    );
    says(
        &["data.corpus=questions", "data.image.classes=8"],
        "asks questions, and family \"residual\" reads none",
    );
    says(&["model.experts=4"], "`model.experts` has no effect: family \"residual\" does not have it");
    says(
        &["mesh.axes=spatial=8"],
        "5 places of the first spatial dim at the coarsest of 2 stages over 8 devices of axis `spatial`: 3 of them have nothing to do there",
    );
}
