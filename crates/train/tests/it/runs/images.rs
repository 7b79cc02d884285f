//! Runs on volumes: the same losses on every mesh, also where sizes do not divide; resuming; and data that does not
//! fit.

use crate::runs::support::{Heard, apart, at, dir, evaluated, messages, of_arrays, train, whole};
use meshwright_train::Config;
use meshwright_train::data::content::DataChange;
use meshwright_train::run::Start;

/// A tiny U-Net on volumes of odd sizes.
const UNET: [&str; 7] = [
    "model.family=unet",
    "model.unet.levels=2",
    "model.unet.features=2",
    "data.corpus=volumes",
    "data.task=segment",
    "data.image.size=11x8x6",
    "data.image.noise=0.2",
];

fn config(sets: &[&str]) -> Config {
    of_arrays(&[&UNET[..], sets].concat())
}

#[test]
fn a_u_net_is_the_same_run_on_every_mesh_also_where_sizes_do_not_divide() {
    for norm in ["model.unet.norm=instance", "model.unet.norm=batch"] {
        let (alone, _, _) = whole(&config(&[norm]), "unet-alone");
        let figure = |outcome: &meshwright_train::run::Outcome| outcome.evaluation.clone().unwrap().figures;
        assert!(alone.losses.last() < alone.losses.first(), "nothing was learnt: {:?}", alone.losses);
        for axes in ["data=2,spatial=4", "spatial=2,spatial_2=2,spatial_3=2"] {
            let (together, _, _) = whole(&config(&[norm, &format!("mesh.axes={axes}")]), "unet-together");
            let off = apart(&alone, &together);
            println!("{norm} on {axes}: {off:.1e} apart after {} steps", alone.losses.len());
            assert!(off <= 1e-10, "{norm} on {axes}: {off}");
            assert_eq!(figure(&together), figure(&alone), "{axes}");
            assert_eq!(together.pictures, alone.pictures, "{axes}");
        }
    }
}

/// A stack of dilated convolutions that tells the middle of maps.
const DILATED: [&str; 11] = [
    "model.family=dilated",
    "model.dilated.blocks=2",
    "model.dilated.features=3",
    "data.corpus=weather",
    "data.task=segment",
    "data.image.size=17x13",
    "data.image.told=9x6",
    // A norm over three features that are nearly alike makes much of how they are rounded: what is apart grows tenfold
    // in some steps.
    "train.steps=6",
    "data.image.channels=2",
    "data.image.classes=3",
    "data.image.noise=0.1",
];

#[test]
fn a_dilated_stack_is_the_same_run_also_split_in_both_dims() {
    let (alone, _, _) = whole(&of_arrays(&DILATED), "dilated-alone");
    assert!(alone.losses.last() < alone.losses.first(), "nothing was learnt: {:?}", alone.losses);
    for axes in ["data=2,spatial=4", "data=2,spatial=2,spatial_2=2"] {
        let mesh = format!("mesh.axes={axes}");
        let (together, _, _) = whole(&of_arrays(&[&DILATED[..], &[&mesh]].concat()), "dilated-together");
        let off = apart(&alone, &together);
        assert!(off <= 1e-10, "{axes}: {off}");
        assert_eq!((&together.samples, &together.pictures), (&alone.samples, &alone.pictures), "{axes}");
    }
    assert_eq!(alone.pictures.len(), 3);
}

#[test]
fn a_u_net_goes_on_where_it_was_and_is_evaluated_on_other_meshes() {
    let config = config(&["train.steps=20", "model.unet.norm=batch", "mesh.axes=data=2"]);
    let (outcome, _, whole_dir) = whole(&config, "unet-whole");
    let (stopped, mut heard) = (dir("unet-stopped"), Heard { stop_after: Some(10), ..Heard::default() });
    let first = train(&config, &stopped, &Start::Fresh, &mut heard).unwrap();
    let start = Start::Resume(Some(at(&stopped, 10)), DataChange::Refuse);
    let rest = train(&config, &stopped, &start, &mut Heard::default()).unwrap();
    assert_eq!([first.losses, rest.losses].concat(), outcome.losses);
    let mut other = config.clone();
    other.set("mesh.axes=spatial=4").unwrap();
    let (here, there) =
        (outcome.evaluation.unwrap(), evaluated(&other, &whole_dir, &at(&whole_dir, 20)).unwrap());
    assert!((here.nll - there.nll).abs() < 1e-10, "running averages are those of the run");
    assert_eq!(here.figures, there.figures);
}

/// What is said of a file of images.
fn refused(name: &str, bytes: &[u8]) -> String {
    let path = std::env::temp_dir().join(format!("meshwright-images-{}-{name}", std::process::id()));
    std::fs::write(&path, bytes).unwrap();
    let files = format!("data.files=[\"{}\"]", path.display());
    let sets = ["data.corpus=arrays", "data.image.size=4x4", "model.unet.levels=1", &files];
    let error = train(&config(&sets), &dir("refused"), &Start::Fresh, &mut Heard::default()).unwrap_err();
    messages(error)
}

/// An archive of images and labels of these dims, with labels counting from 0 under `classes`.
fn archive(images: &[i64], labels: &[i64], classes: i32) -> Vec<u8> {
    use meshwright_ir::{DType, TensorType};
    use meshwright_train::npz::{Array, write};
    let array = |dtype: DType, dims: &[i64], one: &dyn Fn(i64) -> [u8; 4]| {
        let count: i64 = dims.iter().product();
        Array { ty: TensorType::new(dtype, dims.to_vec()), bytes: (0..count).flat_map(one).collect() }
    };
    let image = array(DType::F32, images, &|at| (at as f32 / 100.0).to_le_bytes());
    let label = array(DType::S32, labels, &|at| (at as i32 % classes).to_le_bytes());
    let mut file = std::io::Cursor::new(Vec::new());
    write(&mut file, &[image, label]).unwrap();
    file.into_inner()
}

#[test]
fn files_that_do_not_fit_are_refused_with_their_numbers() {
    let whole = archive(&[9, 4, 4], &[9, 4, 4], 3);
    let cut = refused("cut.npz", &whole[..whole.len() / 2]);
    assert!(cut.contains("cut.npz`: it is no .npz archive"), "{cut}");
    let large = refused("large.npz", &archive(&[9, 5, 4], &[9, 5, 4], 3));
    assert!(large.contains("images of [5, 4], and the configuration's are 4x4 with 1 channel"), "{large}");
    let few = refused("few.npz", &archive(&[9, 4, 4], &[8, 4, 4], 3));
    assert!(few.contains("9 images and labels of [8, 4, 4]: they should be [9, 4, 4]"), "{few}");
    let beyond = refused("beyond.npz", &archive(&[9, 4, 4], &[9, 4, 4], 5));
    assert!(beyond.contains("example 0 at [0, 3] has label 3, and the 3 classes are 0 to 2"), "{beyond}");
    let text = refused("text.npz", b"hello");
    assert!(text.contains("it is no .npz archive"), "{text}");
}

#[test]
fn images_of_files_are_learnt_from() {
    let path = std::env::temp_dir().join(format!("meshwright-images-{}-good.npz", std::process::id()));
    std::fs::write(&path, archive(&[40, 4, 4], &[40, 4, 4], 3)).unwrap();
    let files = format!("data.files=[\"{}\"]", path.display());
    // Some of these numbers of held-out examples fill no whole batch; each is judged once, however many are asked for.
    let judged = ["5", "4", "3"].map(|one_in| {
        let one_in = format!("data.held_out_one_in={one_in}");
        let sets = ["data.corpus=arrays", "data.image.size=4x4", &one_in, "train.steps=4", &files];
        let sets = [&sets[..], &["train.eval_batches=100"]].concat();
        let (outcome, _, _) = whole(&config(&sets), "arrays");
        assert_eq!(outcome.losses.len(), 4);
        let found = outcome.evaluation.unwrap();
        let examples = found.examples.unwrap();
        assert_eq!(found.tokens, examples * 16);
        assert!(found.nll > 0.0 && found.figures.iter().all(|one| one.value <= 1.0), "{found:?}");
        examples
    });
    assert!(judged.iter().all(|count| (1..40).contains(count)), "{judged:?}");
    assert!(judged.iter().any(|count| count % 4 > 0), "{judged:?}");
}
