//! The inputs to damage: files of the repository, files that the binary makes, and seeds that are made in code.

use crate::attempt::{Attempt, Ending};
use meshwright_attack::change::Dice;
use meshwright_attack::{bundle, formats, seeds};
use serde_json::Value;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Files with a command that reads them.
pub struct Input {
    pub kind: &'static str,
    /// A file, or a folder.
    path: PathBuf,
    /// Its name where the command runs.
    name: String,
    pub commands: &'static [&'static str],
    /// Whether the command is one of `meshwright-lab`.
    is_of_lab: bool,
    /// The exit code and a part of the output without damage: else mutants would test one refusal over and over.
    undamaged: (i32, &'static str),
}

/// All inputs by kind.
pub struct Stock {
    binary: PathBuf,
    kinds: Vec<Vec<Input>>,
}

/// The largest program that is damaged.
const LARGEST_PROGRAM: u64 = 3000;

/// Commands that read a program of this name.
macro_rules! programs {
    ($name:literal) => {
        &[
            concat!("check ", $name),
            concat!("print ", $name, " -o out"),
            concat!("print ", $name, " -o out --format hlo"),
            concat!("print ", $name, " -o out --format stablehlo"),
            concat!("complete ", $name, " -o out"),
            concat!("complete ", $name, " --summary"),
            concat!("explain ", $name),
            concat!("explain ", $name, " --html out"),
            concat!("partition ", $name, " -o out"),
            concat!("partition ", $name, " -o out --stats stats.json --format hlo"),
            concat!("plan ", $name, " --target h100:2x1"),
            concat!("verify ", $name),
            concat!("run ", $name, " --outputs out.npz"),
            concat!("run ", $name, " --backend cpu --threads 1 --outputs out.npz"),
            concat!("bench compile ", $name, " --repeat 1"),
        ]
    };
}

const OF_RUNS: &[&str] = &[
    "export run -o out.safetensors",
    "export run -o out.safetensors --all",
    "eval run --batches 1 --threads 1",
    "generate run --prompt drei --max-tokens 2 --threads 1",
    "train --resume run --steps 3 --threads 1",
    "convert run hf:out",
];

/// Adds numbers of an archive.
const ADD: &str = "func.func public @main(%a: tensor<2x3xf32>, %b: tensor<2xbf16>, %c: tensor<4xi8>) -> (tensor<2x3xf32>, \
    tensor<2xbf16>, tensor<4xi8>) {\n  %0 = stablehlo.add %a, %a : tensor<2x3xf32>\n  return %0, %b, %c : \
    tensor<2x3xf32>, tensor<2xbf16>, tensor<4xi8>\n}\n";

impl Stock {
    /// Makes all inputs anew, in a folder of `place`.
    pub fn make(root: &Path, place: &Path, binary: &Path) -> io::Result<Stock> {
        let folder = place.join("stock");
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder)?;
        let lab = binary.with_file_name("meshwright-lab");
        // Without it fewer kinds would be drawn from, so a seed would give other mutants.
        if !lab.is_file() {
            let message = format!("{} is missing: `cargo build -p meshwright-lab`", lab.display());
            return Err(io::Error::other(message));
        }
        let kinds = vec![
            programs(root, "mlir", programs!("in.mlir"))?,
            programs(root, "hlo", programs!("in.hlo"))?,
            archives(&folder)?,
            configurations(root)?,
            weights(root)?,
            runs(root, &folder, binary)?,
            tokenizers(root, &folder)?,
            stored_program(root, &folder)?,
            texts(root, &folder)?,
            images(root, &folder)?,
            packages(root, &folder)?,
        ];
        let stock = Stock { binary: binary.into(), kinds };
        stock
            .kinds
            .iter()
            .filter_map(|kind| kind.first())
            .try_for_each(|input| stock.try_undamaged(input, place))?;
        Ok(stock)
    }

    /// Runs the first command of an input as it is.
    fn try_undamaged(&self, input: &Input, place: &Path) -> io::Result<()> {
        let folder = place.join("undamaged");
        let _ = fs::remove_dir_all(&folder);
        input.copy_into(&folder)?;
        let attempt = Attempt::new(&self.binary_of(input), input.commands.first().unwrap_or(&""));
        let (ending, said) = (attempt.run(&folder)?, Attempt::output(&folder));
        let (code, part) = input.undamaged;
        if !matches!(ending, Ending::Exit(found) if found == code) || !said.contains(part) {
            let message = format!("without damage, `{}` ends with {ending}: {said}", attempt.line());
            return Err(io::Error::other(message));
        }
        Ok(())
    }

    /// Draws an input: each kind is as likely as any other.
    pub fn draw(&self, dice: &mut Dice) -> &Input {
        let kind = dice.pick(&self.kinds).expect("there are kinds");
        dice.pick(kind).expect("each kind has inputs")
    }

    pub fn binary_of(&self, input: &Input) -> PathBuf {
        let lab = || self.binary.with_file_name("meshwright-lab");
        if input.is_of_lab { lab() } else { self.binary.clone() }
    }
}

impl Input {
    fn new(kind: &'static str, path: PathBuf, name: &str, commands: &'static [&'static str]) -> Input {
        Input { kind, path, name: name.into(), commands, is_of_lab: false, undamaged: (0, "") }
    }

    pub fn copy_into(&self, folder: &Path) -> io::Result<()> {
        fs::create_dir_all(folder)?;
        copy(&self.path, &if self.name.is_empty() { folder.into() } else { folder.join(&self.name) })
    }
}

/// Copies a file, or a folder with all within.
pub fn copy(from: &Path, to: &Path) -> io::Result<()> {
    if !from.is_dir() {
        return fs::copy(from, to).map(drop);
    }
    fs::create_dir_all(to)?;
    for entry in from.read_dir()? {
        let entry = entry?;
        copy(&entry.path(), &to.join(entry.file_name()))?;
    }
    Ok(())
}

fn programs(root: &Path, end: &str, commands: &'static [&'static str]) -> io::Result<Vec<Input>> {
    let found = crate::files(&root.join("tests/filetests"))?;
    let is_small = |path: &PathBuf| path.metadata().is_ok_and(|data| data.len() <= LARGEST_PROGRAM);
    let found =
        found.into_iter().filter(|path| path.extension().is_some_and(|of| of == end)).filter(is_small);
    let kind = if end == "mlir" { "stablehlo" } else { "hlo" };
    Ok(found.map(|path| Input::new(kind, path, &format!("in.{end}"), commands)).collect())
}

fn archives(folder: &Path) -> io::Result<Vec<Input>> {
    let array = |descr: &str, shape: &str, bytes: &[u8]| {
        let header = format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}\n");
        [header.as_bytes(), bytes].concat()
    };
    let parts = [
        ("0.npy".to_string(), array("<f4", "(2, 3)", &[0; 24])),
        ("1:bf16.npy".into(), array("<u2", "(2,)", &[128, 63, 0, 64])),
        ("z/arr_2.npy".into(), array("|i1", "(4,)", &[1, 2, 3, 4])),
    ];
    let place = folder.join("archive");
    fs::create_dir_all(&place)?;
    fs::write(place.join("in.npz"), formats::npz(&parts))?;
    fs::write(place.join("add.mlir"), ADD)?;
    let commands = &[
        "run add.mlir --inputs in.npz --outputs out.npz",
        "run add.mlir --expect in.npz",
        "run add.mlir --infeed in.npz",
    ];
    Ok(vec![Input::new("npz", place, "", commands)])
}

fn configurations(root: &Path) -> io::Result<Vec<Input>> {
    let commands =
        &["train in.toml --print-config", "plan in.toml --target h100:2x1", "plan in.toml --target h100:8x4"];
    let found = crate::files(&root.join("crates/train/presets"))?;
    Ok(found.into_iter().map(|path| Input::new("config", path, "in.toml", commands)).collect())
}

/// Weights of other libraries.
fn weights(root: &Path) -> io::Result<Vec<Input>> {
    let golden = root.join("tests/golden_hf");
    let of = |kind, name: &str, commands| Input::new(kind, golden.join(name), "in", commands);
    let (hugging_face, t5x) = (&["convert hf:in out"], &["convert t5x:in out"]);
    let mut all: Vec<Input> = ["t5", "t5-v1_1", "mt5", "switch", "mixtral", "nllb-moe"]
        .map(|name| of("hugging face", name, hugging_face))
        .into();
    all.extend(["t5x-v1_1", "t5x-gated", "t5x-switch"].map(|name| of("t5x", name, t5x)));
    Ok(all)
}

/// A run of two steps, trained here.
fn runs(root: &Path, folder: &Path, binary: &Path) -> io::Result<Vec<Input>> {
    let place = folder.join("run");
    fs::create_dir_all(&place)?;
    fs::copy(root.join("crates/train/tests/small.toml"), place.join("small.toml"))?;
    let sets = ["checkpoint.every=1", "train.eval_every=0"].iter().flat_map(|set| ["--set", set]);
    let mut command = Command::new(binary);
    command.args(["train", "small.toml", "--out", "run", "--steps", "2", "--threads", "1"]).args(sets);
    let output = command.current_dir(&place).output()?;
    if !output.status.success() {
        return Err(io::Error::other(String::from_utf8_lossy(&output.stderr).into_owned()));
    }
    // Times differ from run to run, and so would mutants.
    let metrics = place.join("run/metrics.jsonl");
    let steady: Vec<String> = fs::read_to_string(&metrics)?.lines().map(without_times).collect();
    fs::write(&metrics, steady.join("\n") + "\n")?;
    for name in ["report.md", "report.html", "curve.svg"] {
        let _ = fs::remove_file(place.join("run").join(name));
    }
    let _ = fs::remove_dir_all(place.join("run/tensorboard"));
    Ok(vec![Input::new("run", place, "", OF_RUNS)])
}

/// Replaces every fraction of a metrics line by one, except the loss.
fn without_times(line: &str) -> String {
    let Ok(Value::Object(mut row)) = serde_json::from_str(line) else { return line.into() };
    for (name, value) in &mut row {
        if value.is_f64() && name != "loss" {
            *value = 1.0.into();
        }
    }
    Value::Object(row).to_string()
}

/// A file of seeds of the fuzzer's, beside a configuration that reads it.
fn beside(folder: &Path, name: &str, files: &[(&str, Vec<u8>)]) -> io::Result<PathBuf> {
    let place = folder.join(name);
    for (name, bytes) in files {
        let path = place.join(name);
        path.parent().map_or(Ok(()), fs::create_dir_all)?;
        fs::write(path, bytes)?;
    }
    Ok(place)
}

/// A small model of text.
const SMALL: &str = r#"[model]
decoder_only = true
layers = 1
experts = 0
d_model = 8
d_ff = 8
heads = 1
d_kv = 8
[train]
eval_every = 0
[data]
corpus = "files"
files = ["text.txt"]
task = "next"
sentinels = 0
target_length = 8
batch = 2
"#;

const TRAIN: &[&str] = &["train in.toml --out run --steps 1 --threads 1"];

fn tokenizers(root: &Path, folder: &Path) -> io::Result<Vec<Input>> {
    let text: String = (0..80).map(|number| format!("the house {number} is small\n")).collect();
    let mut all = Vec::new();
    for (name, bytes) in seeds::make("tokenizer", root) {
        let config = format!("{SMALL}tokenizer = \"in-{name}\"\n").into_bytes();
        let files =
            [(&*format!("in-{name}"), bytes), ("in.toml", config), ("text.txt", text.clone().into_bytes())];
        all.push(Input::new("tokenizer", beside(folder, &name, &files)?, "", TRAIN));
    }
    Ok(all)
}

fn stored_program(root: &Path, folder: &Path) -> io::Result<Vec<Input>> {
    let module = fs::read(root.join("docs/pictures/ten-lines.mlir"))?;
    let plan = br#"{"target":"h100:8x1","room":"any","mesh":null}"#.to_vec();
    let parts: Vec<(String, Vec<u8>)> =
        [("platform", b"cuda".to_vec()), ("version", b"1".to_vec()), ("plan", plan)]
            .map(|(name, bytes)| (name.to_string(), bytes))
            .into();
    let files = [("in.program", formats::stored_program(&parts)), ("step.mlir", module)];
    let commands = &["run step.mlir --backend pjrt --stored in.program"];
    let input = Input::new("stored", beside(folder, "stored", &files)?, "", commands);
    Ok(vec![Input { undamaged: (1, "it was compiled from program"), ..input }])
}

fn texts(root: &Path, folder: &Path) -> io::Result<Vec<Input>> {
    let page = fs::read(root.join("docs/glossary.md"))?;
    let lines = b"The house is small.\n\nIt has two doors, and one window.\n".to_vec();
    let files =
        [("pages/a.md", page[..page.len().min(4000)].to_vec()), ("in.ref", lines.clone()), ("in.hyp", lines)];
    let commands =
        &["data collect --from pages --out collected", "score in.ref in.hyp", "score in.ref in.hyp --json"];
    Ok(vec![Input::new("text", beside(folder, "text", &files)?, "", commands)])
}

/// A model of images with their classes.
const CLASSES: &str = r#"[model]
family = "residual"
[model.residual]
stages = 1
features = 4
[data]
corpus = "arrays"
task = "classify"
files = ["pictures"]
batch = 1
[data.image]
size = "2x3"
classes = 2
[train]
eval_every = 0
"#;

fn images(root: &Path, folder: &Path) -> io::Result<Vec<Input>> {
    let made = seeds::make("images", root).into_iter().find(|(name, _)| name == "made-file");
    let image = made.map(|(_, bytes)| bytes).unwrap_or_default();
    let grey = b"P5 3 2 255\nabcdef".to_vec();
    let mut files = vec![("in.toml".to_string(), CLASSES.as_bytes().to_vec())];
    for class in ["a", "b"] {
        files.extend((0..6).map(|number| (format!("pictures/{class}/{number}.png"), image.clone())));
        files.push((format!("pictures/{class}/grey.pgm"), grey.clone()));
    }
    let files: Vec<(&str, Vec<u8>)> = files.iter().map(|(name, bytes)| (&**name, bytes.clone())).collect();
    Ok(vec![Input::new("images", beside(folder, "images", &files)?, "", TRAIN)])
}

fn packages(root: &Path, folder: &Path) -> io::Result<Vec<Input>> {
    let made = |target: &str, name: &str| {
        let found = seeds::make(target, root).into_iter().find(|(known, _)| known == name);
        bundle::split(&found.map(|(_, bytes)| bytes).unwrap_or_default()).unwrap_or_default()
    };
    let package = |language: &str, text: &str| {
        let page = format!("<body><p id=\"par_id1\">{text}</p><p id=\"par_id2\">{text} {text}</p></body>");
        let path = format!("data.tar.gz/./usr/share/libreoffice/help/{language}/text/a.html");
        let parts = [made("deb", "made-gzip"), vec![(path, page.into_bytes())]].concat();
        formats::deb(&parts)
    };
    let (german, english) = (package("de", "Das Haus ist klein."), package("en-US", "The house is small."));
    let files = [
        ("packages/libreoffice-help-de_1_all.deb", german),
        ("packages/libreoffice-help-en-us_1_all.deb", english),
        ("locale/de/LC_MESSAGES/x.mo", formats::catalogue(&made("catalogue", "made-good"))),
    ];
    let commands = &["data m4 --languages de --from packages --catalogues locale --out m4"];
    let input = Input::new("packages", beside(folder, "packages", &files)?, "", commands);
    Ok(vec![Input { is_of_lab: true, ..input }])
}
