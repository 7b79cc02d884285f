//! Files of examples that are broken or do not fit the configuration: each fault has its own diagnostic.

use super::files::{Asked, ExampleShape, Files};
use super::recordings::Recordings;
use super::spectrograms::Sizes;
use super::*;
use std::io::{Cursor, Write};
use std::path::{Path, PathBuf};
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

fn place(name: &str) -> PathBuf {
    let path = std::env::temp_dir().join(format!("meshwright-fields-{}-{name}", std::process::id()));
    let _ = std::fs::remove_dir_all(&path);
    std::fs::create_dir_all(&path).unwrap();
    path
}

/// An array of an archive: name, element type, shape and bytes.
type ArrayRow<'a> = (&'a str, &'a str, &'a str, Vec<u8>);

fn npz(rows: &[ArrayRow<'_>]) -> Vec<u8> {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, descr, shape, bytes) in rows {
        let text = format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}}}");
        zip.start_file(format!("{name}.npy"), SimpleFileOptions::default()).unwrap();
        let head = [b"\x93NUMPY\x01\0", &(text.len() as u16).to_le_bytes()[..], text.as_bytes()].concat();
        zip.write_all(&head).unwrap();
        zip.write_all(bytes).unwrap();
    }
    zip.finish().unwrap().into_inner()
}

fn bytes(numbers: &[i32]) -> Vec<u8> {
    numbers.iter().flat_map(|number| number.to_le_bytes()).collect()
}

/// Two images of 2 x 2.
fn images() -> ArrayRow<'static> {
    ("images", "|u1", "(2, 2, 2)", vec![9; 8])
}

fn labels(numbers: [i32; 2]) -> ArrayRow<'static> {
    ("labels", "<i4", "(2,)", bytes(&numbers))
}

fn shape() -> ExampleShape {
    ExampleShape {
        sizes: vec![2, 2],
        channels: 1,
        classes: 3,
        names: Vec::new(),
        told: Vec::new(),
        asked: None,
    }
}

fn asking() -> ExampleShape {
    ExampleShape { asked: Some(Asked { length: 2, words: 5 }), ..shape() }
}

fn segmenting() -> ExampleShape {
    ExampleShape { told: vec![2, 2], ..shape() }
}

#[track_caller]
fn is_refused<T>(opened: Result<T, Diagnostic>, words: &str) {
    let found = opened.err().expect("it is refused");
    assert_eq!(found.code, EXAMPLE, "{words}");
    assert!(found.message.contains(words), "no `{words}` in {}", found.message);
    assert!(found.help.is_some(), "{words}");
}

fn open(path: &Path, shape: ExampleShape) -> Result<Files, Diagnostic> {
    Files::open(&[path.display().to_string()], shape)
}

#[test]
fn every_fault_of_an_archive_of_images_is_named() {
    let path = place("images").join("a.npz");
    is_refused(open(&path, shape()), "cannot read `");
    std::fs::write(&path, npz(&[images(), labels([0, 2])])).unwrap();
    let mut files = open(&path, shape()).unwrap();
    assert!(files.example(0, 1).is_ok());
    for (part, at) in [(0, 2), (1, 0), (0, u64::MAX)] {
        let found = files.example(part, at).unwrap_err();
        assert_eq!(found.message, format!("there is no example {at} in part {part}"));
    }
    let cut = ("labels", "<i4", "(2,)", bytes(&[1]));
    let text = ("labels", "<U4", "(2,)", vec![0; 32]);
    let questions = |shape, numbers: &[i32]| ("tokens", "<i4", shape, bytes(numbers));
    for (rows, shape, words) in [
        (npz(&[images(), cut]), shape(), "array `labels`: s32[2] takes 8 bytes but only 4 follow"),
        (npz(&[images(), text]), shape(), "array `labels`: element type '<U4' is not one of ours"),
        (
            npz(&[images(), ("x", "<i4", "(2,)", bytes(&[0, 0]))]),
            shape(),
            "no array `labels`, but `images`, `x`",
        ),
        (b"no archive".to_vec(), shape(), "it is no .npz archive"),
        (
            npz(&[("images", "|u1", "(2, 4)", vec![9; 8]), labels([0, 1])]),
            shape(),
            "has images of [4], and the configuration's are 2x2 with 1 channel",
        ),
        (
            npz(&[images(), labels([0, 1])]),
            segmenting(),
            "has 2 images and labels of [2]: they should be [2, 2, 2]",
        ),
        (npz(&[images(), labels([0, 3])]), shape(), "example 1 has label 3, and the 3 classes are 0 to 2"),
        (npz(&[images(), labels([-1, 0])]), shape(), "example 0 has label -1, and the 3 classes are 0 to 2"),
        (npz(&[images(), labels([0, 1])]), asking(), "no array `tokens`, but `images`, `labels`"),
        (
            npz(&[images(), labels([0, 1]), questions("(2, 1)", &[1, 2])]),
            asking(),
            "has questions of [2, 1]: they should be [2, 2]",
        ),
        (
            npz(&[images(), labels([0, 1]), questions("(2, 2)", &[0, 1, 2, 5])]),
            asking(),
            "question 1 has word 5, and the 5 kinds are 0 to 4",
        ),
    ] {
        std::fs::write(&path, rows).unwrap();
        is_refused(open(&path, shape), words);
    }
}

const GREY: &str = "P2 2 2 9 0 1 2 3";

#[test]
fn every_fault_of_a_folder_of_images_is_named() {
    let put = |folder: &Path, files: &[(&str, &str)]| {
        for (name, text) in files {
            let path = folder.join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
    };
    let whole = place("whole");
    put(&whole, &[("cat/a.pgm", GREY), ("dog/b.pgm", GREY), (".hidden/c.pgm", "no image")]);
    assert_eq!(open(&whole, shape()).unwrap().class_names(), ["cat", "dog"]);
    let named = || ExampleShape { names: vec!["cat".into(), "cow".into()], ..shape() };
    let pair = |image, labels| vec![("images/a.pgm", image), ("labels/a.pgm", labels)];
    for (name, files, shape, words) in [
        ("nothing", vec![("cat/a.txt", "")], shape(), "has no images of the kinds .png, .pgm and .ppm"),
        ("cut", vec![("cat/a.pgm", "P2 2 2 9 0 1")], shape(), "a.pgm` is no whole PNG, PGM or PPM image"),
        (
            "size",
            vec![("cat/a.pgm", "P2 1 2 9 0 1")],
            shape(),
            "a.pgm` is 2x1 with 1 channel, and the configuration's images are 2x2 with 1 channel",
        ),
        ("class", vec![("dog/a.pgm", GREY)], named(), "class/dog` is of no class: they are `cat`, `cow`"),
        (
            "many",
            ["a", "b", "c", "d"].map(|_| ("cat/a.pgm", GREY)).to_vec(),
            asking(),
            "many` has no questions",
        ),
        ("flat", vec![("a.pgm", GREY)], segmenting(), "cannot read the folder `"),
        (
            "alone",
            vec![("images/a.pgm", GREY)],
            segmenting(),
            "`a.pgm` has no image of classes of the same name in `",
        ),
        (
            "coarse",
            pair(GREY, "P2 1 1 9 0"),
            segmenting(),
            "labels/a.pgm` is 1x1 with 1 channel, and images of classes here are 2x2 with 1 channel",
        ),
        (
            "unknown",
            pair(GREY, GREY),
            segmenting(),
            "labels/a.pgm`: the place at [1, 1] has label 3, and the 3 classes are 0 to 2",
        ),
    ] {
        let folder = place(name);
        put(&folder, &files);
        is_refused(open(&folder, shape), words);
    }
    let folders = place("classes");
    ["a", "b", "c", "d"].iter().for_each(|name| put(&folders, &[(&format!("{name}/x.pgm"), GREY)]));
    is_refused(open(&folders, shape()), "example 3 has label 3, and the 3 classes are 0 to 2");
}

#[test]
fn every_fault_of_an_archive_of_sequences_is_named() {
    let sizes = Sizes { frames: 4, features: 1, labels: 3, most: 1 };
    let path = place("sequences").join("a.npz");
    let open = |rows: &[ArrayRow<'_>]| {
        std::fs::write(&path, npz(rows)).unwrap();
        Recordings::open(&[path.display().to_string()], sizes)
    };
    let frames = || ("frames", "|u1", "(1, 4, 1)", vec![9; 4]);
    let one = |name, number| (name, "<i4", "(1,)", bytes(&[number]));
    let said = |name| (name, "<i4", "(1, 1)", bytes(&[2]));
    let rows = |frames, count| [frames, one("frame_lengths", 4), said("labels"), one("label_lengths", count)];
    let mut whole = open(&rows(frames(), 1)).unwrap();
    assert!(whole.example(0, 0).is_ok());
    for (part, at) in [(0, 1), (1, 0), (0, u64::MAX)] {
        let found = whole.example(part, at).unwrap_err();
        assert_eq!(found.message, format!("there is no example {at} in part {part}"));
    }
    let cut = ("frames", "|u1", "(1, 4, 1)", vec![9; 3]);
    let complex = ("frames", ">f4", "(1, 4, 1)", vec![9; 16]);
    let short = ("frames", "|u1", "(1, 3, 1)", vec![9; 3]);
    for (rows, words) in [
        (rows(frames(), 0), "none of the 1 sequences of `"),
        (rows(cut, 1), "array `frames`: u8[1,4,1] takes 4 bytes but only 3 follow"),
        (rows(complex, 1), "array `frames`: element type '>f4' is not one of ours; big-endian"),
        (rows(short, 1), "array `frames` is [1, 3, 1], and should be [1, 4, 1]"),
        (
            [frames(), one("frame_lengths", 4), said("said"), one("label_lengths", 1)],
            "it has no array `labels`, but `frames`, `frame_lengths`, `said`, `label_lengths`",
        ),
    ] {
        is_refused(open(&rows), words);
    }
    std::fs::write(&path, "no archive").unwrap();
    is_refused(Recordings::open(&[path.display().to_string()], sizes), "it is no .npz archive");
}
