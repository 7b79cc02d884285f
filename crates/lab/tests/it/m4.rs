//! `data m4` on packages and catalogues made here.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn folder(name: &str) -> PathBuf {
    let path = std::env::temp_dir().join(format!("meshwright-m4-{}-{name}", std::process::id()));
    let _ = fs::remove_dir_all(&path);
    fs::create_dir_all(&path).expect("temporary folders can be made");
    path
}

fn m4(place: &Path, args: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_meshwright-lab"));
    command.args(["data", "m4", "--catalogues", "locale"]).args(args).current_dir(place);
    command.output().expect("the binary runs")
}

fn said(ended: &Output) -> String {
    String::from_utf8_lossy(&ended.stderr).into_owned()
}

/// An archive of tar of plain files.
fn tar(files: &[(String, Vec<u8>)]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for (name, content) in files {
        let mut head = vec![0; 512];
        head[..name.len()].copy_from_slice(name.as_bytes());
        head[124..135].copy_from_slice(format!("{:011o}", content.len()).as_bytes());
        head[148..156].fill(b' ');
        head[156] = b'0';
        let sum: u32 = head.iter().map(|byte| u32::from(*byte)).sum();
        head[148..155].copy_from_slice(format!("{sum:06o}\0").as_bytes());
        bytes.extend(head);
        bytes.extend(content);
        bytes.resize(bytes.len().next_multiple_of(512), 0);
    }
    bytes.resize(bytes.len() + 1024, 0);
    bytes
}

/// A package whose archives are not packed.
fn deb(name: &str, files: &[(String, Vec<u8>)]) -> Vec<u8> {
    let control = format!("Package: {name}\nVersion: 1.2\n").into_bytes();
    let mut bytes = b"!<arch>\n".to_vec();
    for (member, content) in
        [("control.tar", tar(&[("./control".into(), control)])), ("data.tar", tar(files))]
    {
        bytes.extend(format!("{member:16}{:12}{:6}{:6}{:8}{:10}`\n", 0, 0, 0, 644, content.len()).bytes());
        bytes.extend(content);
    }
    bytes
}

/// A catalogue of one message beside its header.
fn catalogue(charset: &str, english: &str, translated: &str) -> Vec<u8> {
    let header = format!("Content-Type: text/plain; charset={charset}\n");
    let texts = ["", english, &header, translated];
    let mut words = vec![0x9504_12de, 0, 2, 28, 44, 0, 60];
    let mut at = 60;
    for text in texts {
        words.extend([text.len() as u32, at]);
        at += text.len() as u32 + 1;
    }
    let strings = texts.iter().flat_map(|text| text.bytes().chain([0]));
    words.iter().flat_map(|word| word.to_le_bytes()).chain(strings).collect()
}

fn page(language: &str, sentence: impl Fn(usize) -> String) -> (String, Vec<u8>) {
    let lines = (0..400).map(|n| format!("<p id=\"par_id{n}\" class=\"x\">{}</p>\n", sentence(n)));
    (format!("./usr/share/libreoffice/help/{language}/text/a.html"), lines.collect::<String>().into())
}

/// Packages of help in English, German and French, and a catalogue in German.
fn place(name: &str) -> PathBuf {
    let place = folder(name);
    fs::create_dir_all(place.join("debs")).unwrap();
    fs::create_dir_all(place.join("locale/de/LC_MESSAGES")).unwrap();
    let pages = [
        ("en-us", page("en-US", |n| format!("Open the <b>file</b> number {n}."))),
        ("de", page("de", |n| format!("Datei mit der Nummer {n} jetzt öffnen."))),
        ("fr", page("fr", |n| format!("Ouvrir le fichier au numéro {n} ici."))),
    ];
    for (language, page) in pages {
        let name = format!("libreoffice-help-{language}");
        fs::write(place.join(format!("debs/{name}_1.2_all.deb")), deb(&name, &[page])).unwrap();
    }
    let guide = [("en", "Long sentences of a guide"), ("de", "Lange Sätze eines Leitfadens")].map(
        |(language, line)| {
            let page = format!("./usr/share/doc/installation-guide-amd64/{language}/ch01.html");
            (page, format!("<h2>1. {line}</h2>\n<p>{line}, and again</p>").into_bytes())
        },
    );
    let name = "installation-guide-amd64";
    fs::write(place.join(format!("debs/{name}_1_all.deb")), deb(name, &guide)).unwrap();
    let messages = catalogue("UTF-8", "Close all of them", "Schließe sie alle");
    fs::write(place.join("locale/de/LC_MESSAGES/one.mo"), messages).unwrap();
    place
}

const DE_FR: [&str; 4] = ["--languages", "de,fr", "--from", "debs"];

fn english(place: &Path, share: &str) -> Vec<String> {
    let text = ["de", "fr"]
        .map(|language| fs::read_to_string(place.join(format!("m4/{share}/{language}.tsv"))).unwrap());
    text.concat().lines().map(|line| line.split_once('\t').unwrap().1.to_string()).collect()
}

#[test]
fn packages_become_a_corpus_whose_tests_no_language_trains_on() {
    let place = place("whole");
    let ended = m4(&place, &DE_FR);
    assert_eq!(ended.status.code(), Some(0), "{}", said(&ended));
    let [train, dev, test] = ["train", "dev", "test"].map(|share| english(&place, share));
    assert!(!test.is_empty() && !dev.is_empty());
    assert!(test.iter().all(|line| !train.contains(line) && !dev.contains(line)));
    assert!(dev.iter().all(|line| !train.contains(line)));
    assert_eq!(train.len() + dev.len() + test.len(), 801);
    let told = String::from_utf8_lossy(&ended.stdout).into_owned();
    assert!(
        told.starts_with(
            "language      help    screen installed   phrases    train      dev     test    guide\nde "
        ),
        "{told}"
    );
    let manifest: serde_json::Value =
        serde_json::from_str(&fs::read_to_string(place.join("m4/manifest.json")).unwrap()).unwrap();
    assert_eq!(manifest["packages"][0]["version"], "1.2");
    assert_eq!(manifest["languages"][0]["origins"]["installed"], 1);
    assert_eq!(manifest["catalogues"][0]["messages"], 1);
    let guide = fs::read_to_string(place.join("m4/guide/de.tsv")).unwrap();
    assert_eq!(
        guide.lines().next(),
        Some("1. Lange Sätze eines Leitfadens\t1. Long sentences of a guide"),
        "{guide}"
    );
    let counts = [0, 1].map(|at| manifest["languages"][at]["guide"]["pairs"].clone());
    assert_eq!(counts, [2, 0], "the guide is not in French here");
    // Screens were not among the packages, and that is told.
    assert!(said(&ended).contains("note: package `libreoffice-l10n-de` is not there"));
    // The same input gives the same bytes.
    let before = fs::read(place.join("m4/train/de.tsv")).unwrap();
    m4(&place, &DE_FR);
    assert_eq!(fs::read(place.join("m4/train/de.tsv")).unwrap(), before);
}

#[test]
fn the_command_that_is_told_trains_on_the_corpus() {
    let place = place("trained");
    let ended = m4(&place, &[&DE_FR[..], &["--dev-one-in", "10"]].concat());
    let told = String::from_utf8_lossy(&ended.stdout).into_owned();
    let told =
        told.lines().find_map(|line| line.strip_prefix("train on it: meshwright ")).expect("a command");
    let words = told.split(' ').map(|word| word.trim_matches('\''));
    let smaller =
        ["--steps", "1", "--set", "data.vocabulary=450", "--set", "data.batch=8", "--mesh", "data=1"];
    let mut command = Command::new(env!("CARGO_BIN_EXE_meshwright-lab"));
    let ended = command.args(words).args(smaller).current_dir(&place).output().expect("the binary runs");
    assert!(ended.status.success(), "{told}: {}", said(&ended));
    // A file that changed is no longer what the manifest says.
    fs::write(place.join("m4/train/fr.tsv"), "eins\tone\n").unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_meshwright-lab"));
    let words = told.split(' ').map(|word| word.trim_matches('\''));
    let ended = command.args(words).current_dir(&place).output().expect("the binary runs");
    assert_eq!(ended.status.code(), Some(1), "{}", said(&ended));
    assert!(said(&ended).contains("m4/train/fr.tsv` is not as the manifest"), "{}", said(&ended));
}

#[test]
fn what_is_broken_is_told_and_the_rest_goes_on() {
    let place = place("broken");
    let french = place.join("debs/libreoffice-help-fr_1.2_all.deb");
    let whole = fs::read(&french).unwrap();
    fs::write(&french, &whole[..whole.len() / 2]).unwrap();
    fs::write(place.join("locale/de/LC_MESSAGES/two.mo"), catalogue("EUC-JP", "a", "b")).unwrap();
    fs::write(place.join("locale/de/LC_MESSAGES/three.mo"), "no catalogue").unwrap();
    let ended = m4(&place, &DE_FR);
    let said = said(&ended);
    assert_eq!(ended.status.code(), Some(3), "{said}");
    for expected in [
        "libreoffice-help-fr_1.2_all.deb` (",
        "is no whole .deb: member `data.tar`",
        "it is in the encoding `euc-jp`",
        "three.mo` (12 bytes) is no catalogue that can be read",
        "`fr` has no pairs and is left out",
    ] {
        assert!(said.contains(expected), "{expected}\n{said}");
    }
    assert!(place.join("m4/train/de.tsv").is_file() && !place.join("m4/train/fr.tsv").exists());
    // What is installed in another encoding is told, and is no failure.
    let ended = m4(&place, &["--languages", "de", "--from", "debs", "--out", "second"]);
    assert_eq!(ended.status.code(), Some(0), "{ended:?}");
}

#[test]
fn the_programs_own_phrases_go_the_same_way() {
    let place = folder("phrases");
    let ended = m4(&place, &["--languages", "de,fr", "--phrases", "2000", "--skew", "1"]);
    assert_eq!(ended.status.code(), Some(0), "{}", said(&ended));
    let [train, dev, test] = ["train", "dev", "test"].map(|share| english(&place, share));
    assert!(test.len() > 20 && dev.len() > 20 && train.len() > 500);
    assert!(test.iter().all(|line| !train.contains(line) && !dev.contains(line)));
    let manifest = fs::read(place.join("m4/manifest.json")).unwrap();
    let manifest: serde_json::Value = serde_json::from_slice(&manifest).unwrap();
    let rows = &manifest["languages"];
    assert!(
        rows[0]["origins"]["phrases"].as_u64() > Some(500) && manifest["packages"] == serde_json::json!([])
    );
    assert!(rows[1]["train"]["pairs"].as_u64() < rows[0]["train"]["pairs"].as_u64());
    let again = m4(&place, &["--languages", "de,fr", "--phrases", "2000", "--skew", "1", "--out", "again"]);
    assert_eq!(again.status.code(), Some(0));
    assert_eq!(
        fs::read(place.join("again/manifest.json")).unwrap(),
        fs::read(place.join("m4/manifest.json")).unwrap()
    );
    let over = m4(&place, &["--languages", "de", "--phrases", "50", "--out", "again"]);
    assert!(
        over.status.code() != Some(0) && said(&over).contains("manifest.json` already"),
        "{}",
        said(&over)
    );
}

#[test]
fn without_packages_the_way_out_is_told() {
    let place = folder("nothing");
    fs::create_dir_all(place.join("debs")).unwrap();
    let ended = m4(&place, &DE_FR);
    assert_eq!(ended.status.code(), Some(3));
    for expected in [
        "no pairs were found in any language",
        "apt-get download libreoffice-help-de libreoffice-l10n-de",
        "`--from`",
        "`--languages de,fr --phrases 20000`",
    ] {
        assert!(said(&ended).contains(expected), "{expected}\n{}", said(&ended));
    }
    assert!(!place.join("m4").exists());
}

#[test]
fn arguments_that_make_no_sense_are_refused() {
    let place = folder("arguments");
    let cases = [
        (&["--languages", "de,de", "--from", "."][..], 2, "has `de` twice"),
        (&["--languages", "en", "--from", "."], 2, "`en`, which is what is translated into"),
        (&["--languages", "../etc", "--from", "."], 2, "`../etc`, which is no name"),
        (&["--languages", "", "--from", "."], 2, "is no name of a language"),
        (&["--languages", "de", "--skew=-1"], 2, "expected a number from 0 to 10"),
        (&["--languages", "de,sw", "--phrases", "9"], 2, "no phrases in `sw`"),
        (&["--languages", "de", "--phrases", "9", "--from", "."], 2, "cannot be used with"),
        (&["--languages", "de", "--from", "nowhere"], 3, "cannot read `nowhere`"),
        (&["--languages", "de", "--from", "-"], 2, "names a folder"),
        (&[], 2, "--languages"),
    ];
    for (args, code, message) in cases {
        let ended = m4(&place, args);
        assert_eq!(ended.status.code(), Some(code), "{args:?}: {}", said(&ended));
        assert!(said(&ended).contains(message), "{args:?}: {}", said(&ended));
    }
}
