//! Random slips in what is typed about plugins, machines and stored programs: each ends in words that say what to do,
//! and none in a panic. `MESHWRIGHT_SLIPS` is how many, `MESHWRIGHT_SLIPS_SEED` which. What no slip touches is right.

use std::env::consts::{DLL_PREFIX, DLL_SUFFIX};
use std::path::{Path, PathBuf};
use std::process::Command;

/// It is made with this test, which depends on it, in the same folder.
fn library() -> PathBuf {
    let here = std::env::current_exe().unwrap();
    here.parent().unwrap().join(format!("{DLL_PREFIX}meshwright_pjrt_plugin{DLL_SUFFIX}"))
}

fn meshwright(typed: &[String]) -> (String, Option<i32>) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_meshwright"));
    let output = command.args(typed).env_remove("MESHWRIGHT_PJRT_PLUGIN").output().unwrap();
    let text = [output.stdout, output.stderr].concat();
    (String::from_utf8_lossy(&text).into_owned(), output.status.code())
}

/// Numbers by a seed (xorshift).
struct Random(u64);

impl Random {
    fn below(&mut self, most: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as usize % most.max(1)
    }

    fn one<'a>(&mut self, of: &[&'a str]) -> &'a str {
        of[self.below(of.len())]
    }
}

/// Files that slips are made of.
struct Files {
    folder: PathBuf,
    module: String,
    /// A program that the plugin stored, of that module.
    stored: Vec<u8>,
}

impl Files {
    fn new() -> Files {
        let folder = std::env::temp_dir().join(format!("meshwright-slips-{}", std::process::id()));
        std::fs::create_dir_all(folder.join("folder.so")).unwrap();
        let mut files = Files { folder, module: String::new(), stored: Vec::new() };
        files.module = files.file("step.mlir", STEP.as_bytes());
        let stored = files.path("step.bin");
        let own = library().to_str().unwrap().to_string();
        let typed = ["compile", &files.module, "--plugin", &own, "--save", &stored];
        let (text, exit) = meshwright(&typed.map(String::from));
        assert_eq!(exit, Some(0), "{text}");
        files.stored = std::fs::read(&stored).unwrap();
        files
    }

    fn path(&self, name: &str) -> String {
        self.folder.join(name).to_str().unwrap().to_string()
    }

    fn file(&self, name: &str, bytes: &[u8]) -> String {
        std::fs::write(self.folder.join(name), bytes).unwrap();
        self.path(name)
    }

    /// What is no plugin.
    fn library(&self, random: &mut Random) -> String {
        let own = std::fs::read(library()).unwrap();
        match random.below(7) {
            0 => self.path("missing.so"),
            1 => self.path("folder.so"),
            2 => self.file("empty.so", b""),
            3 => self.file("text.so", b"not a library\n"),
            4 => self.file("cut.so", &own[..random.below(4000)]),
            5 => self.module.clone(),
            _ => "/dev/null".into(),
        }
    }

    /// What is no stored program of the module.
    fn spoiled(&self, random: &mut Random) -> String {
        let mut bytes = self.stored.clone();
        match random.below(6) {
            0 => bytes.truncate(random.below(bytes.len())),
            1 => (0..=random.below(4))
                .for_each(|_| bytes[random.below(self.stored.len())] ^= 1 << random.below(8)),
            2 => bytes.push(random.below(256) as u8),
            3 => return self.module.clone(),
            4 => return self.path("folder.so"),
            _ => return self.path("missing.bin"),
        }
        if bytes == self.stored { self.path("missing.bin") } else { self.file("spoiled.bin", &bytes) }
    }
}

const STEP: &str = "\
sdy.mesh @m = <[\"x\"=4]>
func.func public @main(%a: tensor<64x32xf32> {sdy.sharding = #sdy.sharding<@m, [{\"x\"}, {}]>}, %b: tensor<32x16xf32>) -> tensor<64x16xf32> {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<64x32xf32>, tensor<32x16xf32>) -> tensor<64x16xf32>
  return %0 : tensor<64x16xf32>
}
";

/// What one types, with one thing wrong.
fn slip(files: &Files, random: &mut Random) -> Vec<String> {
    let (own, step) = (library().to_str().unwrap().to_string(), files.module.as_str());
    let with = |words: &[&str]| words.iter().map(|word| (*word).to_string()).collect::<Vec<_>>();
    match random.below(8) {
        0 => {
            let command = random.one(&["compile", "run", "verify", "bench step"]);
            let mut words: Vec<&str> = command.split(' ').collect();
            words.push(step);
            if command != "compile" {
                words.extend(["--backend", "pjrt"]);
            }
            let library = files.library(random);
            with(&[&words[..], &["--plugin", &library]].concat())
        }
        1 => with(&["run", step, "--backend", "pjrt", "--plugin", &own, "--stored", &files.spoiled(random)]),
        2 => {
            let kind =
                random.one(&["tpu-v3", "tpu-v4", "tpu-v5e", "tpu-v33", "tpu", "h100", "", "this", "a.json"]);
            let shape = random.one(&[
                "",
                ":",
                ":0x2",
                ":2x",
                ":axb",
                ":2x2x2x2",
                ":-1x4",
                ":99999999999x2",
                ":1x1",
                ":3x5",
                ":2x2",
            ]);
            with(&["compile", step, "--plugin", &own, "--target", &format!("{kind}{shape}")])
        }
        3 => {
            let mesh = random.one(&["x=64", "x=0", "y=2", "x", "x=-1", "x=2,x=2", "x=99999999999", ""]);
            with(&["compile", step, "--plugin", &own, "--mesh", mesh])
        }
        4 => {
            let option = random.one(&[
                "x",
                "=1",
                "x=1",
                "devices=0",
                "devices=two",
                "devices=-1",
                "devices=2",
                "log=/no/such/folder/log",
            ]);
            with(&["run", step, "--backend", "pjrt", "--plugin", &own, "--plugin-option", option])
        }
        5 => {
            let to = [files.path("folder.so"), files.path("no/such.bin"), String::new()];
            with(&["compile", step, "--plugin", &own, "--save", &to[random.below(to.len())]])
        }
        6 => {
            let backend = random.one(&["cpu", "interp"]);
            let more = [
                ["--plugin", &own],
                ["--stored", step],
                ["--num-processes", "2"],
                ["--plugin-option", "x=1"],
            ];
            with(&[&["run", step, "--backend", backend], &more[random.below(more.len())][..]].concat())
        }
        _ => {
            let limit = random.one(&["1", "0", "-4", "lots", "99999999999999999999", "100"]);
            with(&["compile", step, "--plugin", &own, "--memory-limit", limit])
        }
    }
}

/// A way out, or what would have been right.
const WAYS: [&str; 5] = ["help: ", "tip: ", "write ", "try '--help'", "the machines known are"];

#[test]
fn a_random_slip_ends_in_words_that_say_what_to_do() {
    let number = |name: &str, otherwise: u64| {
        std::env::var(name).map_or(otherwise, |text| text.parse().unwrap_or_else(|_| panic!("{name}={text}")))
    };
    let mut random = Random(number("MESHWRIGHT_SLIPS_SEED", 1).wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
    let files = Files::new();
    for _ in 0..number("MESHWRIGHT_SLIPS", 40) {
        let typed = slip(&files, &mut random);
        let (text, exit) = meshwright(&typed);
        assert!(matches!(exit, Some(1..=3)), "{exit:?} {typed:?}: {text}");
        assert!(!text.contains("panicked"), "{typed:?}: {text}");
        assert!(WAYS.iter().any(|way| text.contains(way)), "{typed:?}: {text}");
    }
    remove(&files.folder);
}

fn remove(folder: &Path) {
    std::fs::remove_dir_all(folder).unwrap();
}
