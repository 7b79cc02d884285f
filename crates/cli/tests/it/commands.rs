//! Every command on the first pages and in the guide runs here, or in a test that [`ELSEWHERE`] names.
//!
//! A page is a scratch directory: its `toml` blocks become files, [`inputs`] adds the files that its text presumes,
//! and its commands run one after the other in the shell. Training is shortened to two steps.

use crate::train::translate;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};

/// Commands that run in other tests: how they begin, the file, and a name in it.
const ELSEWHERE: &[(&str, &str, &str)] = &[
    // The commands of README and CONTRIBUTING build and test this repository.
    ("cargo xtask check", ".ci/run", "cargo xtask check"),
    ("cargo xtask publish --dry-run", "xtask/src/check.rs", "crate::publish::publish"),
    ("cargo xtask map", "xtask/src/main.rs", "tidy::write_map"),
    ("cargo xtask release", "xtask/src/release.rs", "fn archived"),
    ("cargo xtask bench", "xtask/src/bench.rs", "fn compared"),
    ("cargo publish", "xtask/src/publish.rs", "fn compiled"),
    ("cargo build --release", "xtask/src/hammer.rs", "\"build\", \"--release\", \"-p\", \"meshwright-cli\""),
    ("cargo install", "xtask/src/publish.rs", "fn compiled"),
    ("cargo add", "xtask/src/publish.rs", "fn compiled"),
    ("cargo test", "xtask/src/check.rs", "const TEST"),
    ("MESHWRIGHT_BLESS=1 cargo test", "xtask/src/check.rs", "const TEST"),
    ("pip install", "xtask/src/python.rs", "fn maturin"),
    ("export JAX_PLATFORMS", "python/tests/jax/pages.py", "xla_force_host_platform_device_count"),
    // Programs of others.
    ("wandb sync", "crates/train/src/metrics/tensorboard.rs", "#[test]"),
    ("python - <<", "crates/train/src/metrics/mod.rs", "mod tests"),
    ("python -c", "crates/cli/tests/it/train/foreign.rs", "safetensors"),
    // Commands that need another binary, packages, an MPI library, or an endless pipe.
    (
        "meshwright reproduce gspmd-table",
        "crates/lab/tests/it/papers.rs",
        "what_is_computed_or_trained_is_listed",
    ),
    ("meshwright reproduce", "crates/lab/tests/it/studies.rs", "\"reproduce\""),
    ("meshwright data m4", "crates/lab/tests/it/m4.rs", "\"data\", \"m4\""),
    (
        "meshwright train gshard-tiny",
        "crates/lab/tests/it/m4.rs",
        "the_command_that_is_told_trains_on_the_corpus",
    ),
    ("meshwright data collect", "crates/cli/tests/it/data.rs", "\"collect\""),
    ("meshwright draw", "crates/cli/tests/it/pictures.rs", "meshwright draw"),
    ("mpirun", "crates/cli/tests/it/train/mpi.rs", "mpirun"),
    ("timeout -k 10 2h mpirun", "crates/cli/tests/it/train/mpi.rs", "mpirun"),
    (
        "meshwright train switch-tiny --mesh data=4 --backend mpi",
        "crates/cli/tests/it/train/mpi.rs",
        "--restarts",
    ),
    ("tail -f log.de", "crates/cli/tests/it/train/translate.rs", "fn piped"),
    // Folders of other libraries, which the page downloads.
    ("meshwright convert", "crates/cli/tests/it/train/foreign.rs", "\"convert\""),
    ("meshwright generate hf:", "crates/cli/tests/it/train/foreign.rs", "\"generate\""),
    ("meshwright generate runs/t5-small", "crates/cli/tests/it/train/foreign.rs", "\"generate\""),
    ("meshwright translate hf:", "crates/cli/tests/it/train/foreign.rs", "\"translate\""),
    ("meshwright eval hf:", "crates/cli/tests/it/train/foreign.rs", "\"eval\""),
    ("meshwright train runs/t5-small", "crates/cli/tests/it/train/foreign.rs", "--init-from"),
];

/// Replacements in commands: text of the page, text that runs, and the reason.
const SHORTER: &[(&str, &str, &str)] = &[
    ("cargo run --release -p meshwright-cli -- ", "meshwright ", "the binary is built"),
    ("--steps 1000", "--steps 2", "time"),
    ("--steps 400", "--steps 2", "time"),
    ("--steps 300", "--steps 2", "time"),
    ("--set train.steps=1000", "--set train.steps=2", "time"),
    ("step-00000200", "step-00000002", "the run has two steps"),
    ("--serve 8080", "--serve 0", "the port may be taken"),
    ("--set model.experts=16", "--set model.experts=4", "time"),
];

/// Appended to training commands that the page does not shorten itself.
const TWO_STEPS: &str = " --set train.steps=2";
const NO_WARMUP: &str = " --set optimizer.warmup=1";

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The pages, by path.
fn pages() -> Vec<String> {
    let guide = root().join("docs/guide").read_dir().unwrap();
    let names = guide.map(|entry| format!("docs/guide/{}", entry.unwrap().file_name().to_string_lossy()));
    let first = ["README.md", "docs/README.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md"];
    let mut pages: Vec<String> = names.chain(first.map(String::from)).collect();
    pages.sort_unstable();
    pages
}

/// A block of code: its language, the line before it, where it begins, and its text.
struct Block<'p> {
    kind: &'p str,
    before: &'p str,
    line: usize,
    text: String,
}

fn blocks(page: &str) -> Vec<Block<'_>> {
    let (mut found, mut open, mut before) = (Vec::new(), None::<Block<'_>>, "");
    for (at, line) in page.lines().enumerate() {
        match (line.strip_prefix("```"), open.take()) {
            (Some(kind), None) => {
                let kind = kind.split_whitespace().next().unwrap_or_default();
                open = Some(Block { kind, before, line: at + 2, text: String::new() });
            }
            (Some(_), Some(block)) => found.push(block),
            (None, Some(mut block)) => {
                block.text += line;
                block.text.push('\n');
                open = Some(block);
            }
            (None, None) if !line.is_empty() => before = line,
            (None, None) => {}
        }
    }
    found
}

/// The commands of a block with their lines: continued lines are joined, comments and the text of a `<<` left out.
fn commands(block: &Block<'_>) -> Vec<(usize, String)> {
    if !["sh", "bash", "console"].contains(&block.kind) {
        return Vec::new();
    }
    let has_output = block.text.starts_with("$ ");
    let (mut found, mut end_of_text) = (Vec::<(usize, String)>::new(), None::<String>);
    let mut goes_on = false;
    for (at, line) in block.text.lines().enumerate() {
        if let Some(end) = &end_of_text {
            if line == end {
                end_of_text = None;
            }
            continue;
        }
        if has_output && !line.starts_with("$ ") {
            continue;
        }
        let line = line.trim_start_matches("$ ");
        let code = line.split(" #").next().unwrap_or(line).trim_end();
        let (code, continues) = code.strip_suffix('\\').map_or((code, false), |code| (code.trim_end(), true));
        match found.last_mut().filter(|_| goes_on) {
            Some((_, before)) => *before = format!("{before} {}", code.trim_start()),
            None if code.is_empty() => {}
            None => found.push((block.line + at, code.to_string())),
        }
        goes_on = continues;
        end_of_text = code.split_once("<<").map(|(_, end)| end.trim_matches('\'').to_string());
    }
    found
}

fn is_elsewhere(command: &str) -> Option<usize> {
    ELSEWHERE.iter().position(|(begin, ..)| command.starts_with(begin))
}

/// The command as it runs here.
fn shorten(command: &str) -> String {
    let mut command =
        SHORTER.iter().fold(command.to_string(), |command, (from, to, _)| command.replace(from, to));
    if command.starts_with("meshwright train ") && !command.contains("--print-config") {
        if !command.contains("steps") && !command.contains("--resume") {
            command += TWO_STEPS;
        }
        command += if command.contains("--resume") { "" } else { NO_WARMUP };
    }
    command
}

/// Runs a command in the shell of a page.
fn run(place: &Path, command: &str) -> Result<(), String> {
    let binaries = Path::new(env!("CARGO_BIN_EXE_meshwright")).parent().unwrap();
    let path = std::env::var("PATH").unwrap_or_default();
    let output = Command::new("sh")
        .args(["-c", command])
        .current_dir(place)
        .env("PATH", format!("{}:{path}", binaries.display()))
        .env("HOME", place)
        .env("XDG_CONFIG_HOME", place)
        .env("XDG_CACHE_HOME", place)
        .env_remove("MESHWRIGHT_DUMP")
        .stdin(Stdio::null())
        .output()
        .unwrap();
    if output.status.success() {
        return Ok(());
    }
    Err(format!("`{command}` ends with {}:\n{}", output.status, String::from_utf8_lossy(&output.stderr)))
}

/// Puts the files into a page's directory that its text presumes.
fn inputs(page: &str, place: &Path) {
    let copy = |from: &str, to: &str| {
        fs::copy(root().join(from), place.join(to)).unwrap();
    };
    let do_run = |command: &str| run(place, command).unwrap_or_else(|error| panic!("{page}: {error}"));
    match page.trim_start_matches("docs/guide/") {
        "README.md" => copy("docs/pictures/ten-lines.mlir", "step.mlir"),
        "06-training.md" => {
            do_run("meshwright train switch-tiny --print-config > config.toml");
            for run in ["a", "other", "switch-tiny"] {
                do_run(&shorten(&format!("meshwright train switch-tiny --out runs/{run}")));
            }
        }
        "07-jax.md" => {
            copy("tests/golden/mlp/module.mlir", "step.mlir");
            copy("tests/golden/mlp/inputs.npz", "in.npz");
            copy("tests/golden/mlp/outputs.npz", "out.npz");
            copy("docs/pictures/ten-lines.mlir", "before.mlir");
            do_run("meshwright complete before.mlir -o after.mlir");
        }
        "09-plan.md" => {
            copy("tests/golden/sharding_constraint/module.mlir", "step.mlir");
            do_run("meshwright train switch-tiny --print-config > run.toml");
        }
        "data.md" => {
            fs::create_dir(place.join("collected")).unwrap();
            copy("docs/guide/06-training.md", "collected/documents.txt");
        }
        "evaluate-and-generate.md" => {
            do_run(&shorten("meshwright train switch-translate-tiny"));
            let trained = translate::trained("guide");
            fs::rename(trained.join("run"), place.join("runs/m4")).unwrap();
            fs::rename(trained.join("corpus"), place.join("corpus")).unwrap();
            fs::write(place.join("sentences.de"), "Satz Nummer 7\nSatz Nummer 12\n").unwrap();
            for name in ["reference.en", "one.en", "other.en"] {
                fs::write(place.join(name), "this is sentence 7\nthis is sentence 12\n").unwrap();
            }
        }
        "own-arrays.md" => own_arrays(place),
        _ => {}
    }
}

/// The archives that the Python of own-arrays.md writes, with fewer rows and simpler values.
fn own_arrays(place: &Path) {
    const ROWS: i64 = 200;
    let array = |descr: &str, dims: &[i64], of: &dyn Fn(i64) -> [u8; 4]| {
        let shape: String = dims.iter().map(|dim| format!("{dim},")).collect();
        let head = format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': ({shape})}}\n");
        let length = (head.len() as u16).to_le_bytes();
        let values = (0..dims.iter().product::<i64>()).flat_map(of);
        let prefix = [b"\x93NUMPY\x01\0", &length[..], head.as_bytes()].concat();
        prefix.into_iter().chain(values).collect::<Vec<u8>>()
    };
    let floats = |dims: &[i64]| array("<f4", dims, &|n| ((n * 37 % 101) as f32 / 101.0).to_le_bytes());
    let ints = |dims: &[i64], of: &dyn Fn(i64) -> i32| array("<i4", dims, &|n| of(n).to_le_bytes());
    let write = |name: &str, arrays: &[(&str, Vec<u8>)]| {
        let mut archive = zip::ZipWriter::new(fs::File::create(place.join(name)).unwrap());
        for (name, bytes) in arrays {
            let options =
                zip::write::SimpleFileOptions::default().compression_method(zip::CompressionMethod::Stored);
            archive.start_file(format!("{name}.npy"), options).unwrap();
            archive.write_all(bytes).unwrap();
        }
        archive.finish().unwrap();
    };
    let images = || ("images", floats(&[ROWS, 32, 32]));
    write("places.npz", &[images(), ("labels", ints(&[ROWS, 32, 32], &|n| (n % 3) as i32))]);
    write("whole.npz", &[images(), ("labels", ints(&[ROWS], &|n| (n % 4) as i32))]);
    write(
        "sound.npz",
        &[
            ("frames", floats(&[ROWS, 80, 12])),
            ("frame_lengths", ints(&[ROWS], &|n| (n % 5 + 1) as i32 * 16)),
            ("labels", ints(&[ROWS, 5], &|n| if n % 5 <= n / 5 % 5 { 1 + (n % 5) as i32 } else { 0 })),
            ("label_lengths", ints(&[ROWS], &|n| (n % 5 + 1) as i32)),
        ],
    );
}

/// Runs the commands of a page, and returns those that fail.
fn faults(page: &str) -> Vec<String> {
    let text = fs::read_to_string(root().join(page)).unwrap();
    let blocks = blocks(&text);
    let own: Vec<(usize, String)> =
        blocks.iter().flat_map(commands).filter(|(_, command)| is_elsewhere(command).is_none()).collect();
    if own.is_empty() {
        return Vec::new();
    }
    let place = Path::new(env!("CARGO_TARGET_TMPDIR")).join("commands").join(page.replace('/', "-"));
    let _ = fs::remove_dir_all(&place);
    fs::create_dir_all(&place).unwrap();
    for block in blocks.iter().filter(|block| block.kind == "toml") {
        let name = block.before.split('`').nth(1).filter(|name| name.ends_with(".toml"));
        if let Some(name) = name {
            fs::write(place.join(name), &block.text).unwrap();
        }
    }
    inputs(page, &place);
    let wrong = own.into_iter().filter_map(|(line, command)| {
        let command = shorten(&command);
        if !command.starts_with("meshwright ") {
            return Some(format!("{page}:{line}: `{command}` runs nowhere: give it a row in {}", file!()));
        }
        run(&place, &command).err().map(|error| format!("{page}:{line}: {error}"))
    });
    wrong.collect()
}

#[test]
fn every_command_of_the_guide_runs() {
    let pages = pages();
    let next = AtomicUsize::new(0);
    let work = || {
        let mut wrong = Vec::new();
        while let Some(page) = pages.get(next.fetch_add(1, Ordering::Relaxed)) {
            wrong.extend(faults(page));
        }
        wrong
    };
    let wrong: Vec<String> = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..2).map(|_| scope.spawn(work)).collect();
        workers.into_iter().flat_map(|worker| worker.join().unwrap()).collect()
    });
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

#[test]
fn commands_that_run_elsewhere_are_on_a_page_and_in_that_test() {
    let texts: Vec<String> =
        pages().iter().map(|page| fs::read_to_string(root().join(page)).unwrap()).collect();
    let all: Vec<String> = texts
        .iter()
        .flat_map(|text| blocks(text))
        .flat_map(|block| commands(&block))
        .map(|(_, command)| command)
        .collect();
    for (row, (begin, file, name)) in ELSEWHERE.iter().enumerate() {
        assert!(
            all.iter().any(|command| is_elsewhere(command) == Some(row)),
            "no page has `{begin}` any more"
        );
        let text = fs::read_to_string(root().join(file)).unwrap_or_default();
        assert!(text.contains(name), "`{begin}`: {file} has no `{name}`");
    }
    for (from, ..) in SHORTER {
        assert!(all.iter().any(|command| command.contains(from)), "no page has `{from}` any more");
    }
}

#[test]
fn commands_are_read_as_a_shell_reads_them() {
    let page = "Text.\n\n```sh\na  # first\nb \\\n  -c 'x # y'\npython - <<'END'\nnot a command\nEND\n$ x\n```\n\n`d.toml`:\n\n```toml\nk = 1\n```\n";
    let blocks = blocks(page);
    let read: Vec<(usize, String)> = commands(&blocks[0]);
    assert_eq!(read[0], (4, "a".to_string()));
    assert_eq!(read[2].1, "python - <<'END'");
    assert_eq!(read.len(), 4);
    assert_eq!((blocks[1].before, blocks[1].text.as_str()), ("`d.toml`:", "k = 1\n"));
}
