//! `meshwright data collect`: documentation that is installed on this machine, as lines to train on.
//!
//! Of every file that gave something: where it was, whose it is, of which version, its checksum. Nothing is downloaded.

use crate::failure::{Failure, Fault};
use crate::report::Report;
use crate::train_args::CollectArgs;
use crate::training::ended_by;
use meshwright_base::arrange::Arrange;
use meshwright_base::{Code, Diagnostic};
use meshwright_train::checksum::checksum;
use meshwright_train::data::prose::{Form, documents};
use meshwright_train::run::RunDir;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;

const NOTHING: Code = Code(1152);
const TEXT: &str = "documents.txt";
const SOURCES: &str = "sources.json";
/// A longer file is no documentation.
const LONGEST: u64 = 4 << 20;
const PACKAGES: &str = "/usr/share/doc";

/// A place to look, and whose files lie there.
struct Root {
    path: PathBuf,
    owner: Owner,
}

/// Who brought the files of a root.
enum Owner {
    /// Each folder is a package's.
    Packages(BTreeMap<String, String>),
    /// All are of one origin and version.
    One(String, String),
}

impl Owner {
    /// Name and version for a file, by its path within the root.
    fn of(&self, within: &Path) -> (String, String) {
        match self {
            Owner::One(name, version) => (name.clone(), version.clone()),
            Owner::Packages(versions) => {
                let folder = within.components().next().map(|part| part.as_os_str().to_string_lossy());
                let name = folder.map_or(String::new(), std::borrow::Cow::into_owned);
                let version = versions.get(&name).cloned().unwrap_or_default();
                (name, version)
            }
        }
    }
}

/// What has been found so far.
#[derive(Default)]
struct Found {
    text: String,
    sources: Vec<Value>,
    /// Licences and notices stand in hundreds of packages: each paragraph is kept once.
    seen: BTreeSet<(u32, usize)>,
    documents: usize,
    /// How much of the text each owner gave.
    owners: BTreeMap<String, usize>,
}

pub fn collect(args: &CollectArgs) -> Result<Report, Failure> {
    let dir = RunDir::new(args.out.clone());
    dir.check_absent(&[TEXT, SOURCES]).map_err(ended_by)?;
    let most = usize::try_from(args.megabytes.saturating_mul(1 << 20)).unwrap_or(usize::MAX);
    let roots = roots(&args.from);
    let mut found = Found::default();
    for root in &roots {
        // Each root has its share, or the first would fill it all.
        let until = found.text.len() + (most - found.text.len().min(most)) / 2;
        let is_last = std::ptr::eq(root, roots.last().unwrap_or(root));
        gather(root, if is_last { most } else { until }, &mut found);
    }
    if found.documents == 0 {
        let looked: Vec<String> = roots.iter().map(|root| root.path.display().to_string()).collect();
        let diagnostic =
            Diagnostic::error(NOTHING, format!("no documentation was found in {}", looked.join(", ")))
                .help("name a directory of `.txt`, `.md`, `.rst` or `.html` files with `--from`");
        return Err(Failure::new(Fault::Environment, diagnostic));
    }
    let text = dir.write(TEXT, found.text.as_bytes()).map_err(ended_by)?;
    let sources = json!({
        "documents": found.documents, "bytes": found.text.len(),
        "crc32c": format!("{:08x}", checksum(found.text.as_bytes())), "sources": found.sources,
    });
    let listed = dir.write(SOURCES, format!("{sources:#}\n").as_bytes()).map_err(ended_by)?;
    Ok(told(&found, &text, &listed).with("documents", found.documents).with("bytes", found.text.len()))
}

fn told(found: &Found, text: &Path, listed: &Path) -> Report {
    let mut owners: Vec<(&String, &usize)> = found.owners.iter().collect();
    owners.arrange_by_key(|(name, bytes)| (std::cmp::Reverse(**bytes), (*name).clone()));
    let largest: Vec<String> =
        owners.iter().take(5).map(|(name, bytes)| format!("{name} {:.1} MB", **bytes as f64 / 1e6)).collect();
    Report::new(format!(
        "{} documents, {:.1} MB, of {} files of {} packages; most from {}\n{}: one document a line\n{}: where each came \
         from, its version and checksum\ntrain on it: {}\n",
        found.documents,
        found.text.len() as f64 / 1e6,
        found.sources.len(),
        owners.len(),
        largest.join(", "),
        text.display(),
        listed.display(),
        train_on(text)
    ))
    .with("text", text.display().to_string())
    .with("sources", listed.display().to_string())
}

/// A command that trains on what was collected. Documentation has more letters than the preset's vocabulary has room
/// for.
fn train_on(text: &Path) -> String {
    let sets =
        ["data.corpus=files", "data.vocabulary=2048", "data.task=next"].map(|set| format!("--set {set}"));
    let files = format!("--set 'data.files=[\"{}\"]'", text.display());
    format!("meshwright train switch-tiny {} {files}", sets.join(" "))
}

/// Where to look: what was named, or the toolchain's and the packages' documentation.
fn roots(from: &[PathBuf]) -> Vec<Root> {
    let named = |path: &PathBuf| Root {
        path: path.clone(),
        owner: Owner::One(path.display().to_string(), String::new()),
    };
    if !from.is_empty() {
        return from.iter().map(named).collect();
    }
    let packages = Root { path: PACKAGES.into(), owner: Owner::Packages(versions()) };
    toolchain().into_iter().chain([packages]).collect()
}

/// The documentation of the Rust toolchain in use.
fn toolchain() -> Option<Root> {
    let said = |args: &[&str]| {
        let output = Command::new("rustc").args(args).output().ok()?;
        let text = String::from_utf8(output.stdout).ok()?;
        (output.status.success() && !text.trim().is_empty()).then(|| text.trim().to_string())
    };
    let path = Path::new(&said(&["--print", "sysroot"])?).join("share").join("doc");
    Some(Root { path, owner: Owner::One("rust".into(), said(&["--version"])?) })
}

/// Versions of installed Debian packages, by name.
fn versions() -> BTreeMap<String, String> {
    let status = std::fs::read_to_string("/var/lib/dpkg/status").unwrap_or_default();
    let field = |entry: &str, name: &str| {
        entry.lines().find_map(|line| line.strip_prefix(name)).map(|value| value.trim().to_string())
    };
    status
        .split("\n\n")
        .filter_map(|entry| Some((field(entry, "Package:")?, field(entry, "Version:")?)))
        .collect()
}

/// The documents of all files below a root, in the order of their paths, until there is enough.
fn gather(root: &Root, most: usize, found: &mut Found) {
    let mut waiting = vec![root.path.clone()];
    while let Some(path) = waiting.pop() {
        if found.text.len() >= most {
            return;
        }
        // A link may lead out, or in a circle.
        let Ok(kind) = std::fs::symlink_metadata(&path) else { continue };
        if kind.is_dir() {
            let entries = std::fs::read_dir(&path).into_iter().flatten().flatten();
            let mut inner: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
            inner.arrange_by(|a, b| b.cmp(a));
            waiting.extend(inner);
        } else if kind.is_file() && kind.len() <= LONGEST {
            read(root, &path, most, found);
        }
    }
}

fn read(root: &Root, path: &Path, most: usize, found: &mut Found) {
    let name = path.file_name().map(|name| name.to_string_lossy()).unwrap_or_default();
    let Some(form) = Form::of_name(&name) else { return };
    let Ok(bytes) = std::fs::read(path) else { return };
    let Ok(text) = std::str::from_utf8(&bytes) else { return };
    let (before, documents_before) = (found.text.len(), found.documents);
    for document in documents(text, form) {
        let is_full = found.text.len() + document.len() >= most;
        if !is_full && found.seen.insert((checksum(document.as_bytes()), document.len())) {
            found.text.push_str(&document);
            found.text.push('\n');
            found.documents += 1;
        }
    }
    if found.documents == documents_before {
        return;
    }
    let (package, version) = root.owner.of(path.strip_prefix(&root.path).unwrap_or(path));
    *found.owners.entry(package.clone()).or_default() += found.text.len() - before;
    found.sources.push(json!({
        "path": path.display().to_string(), "package": package, "version": version, "bytes": bytes.len(),
        "crc32c": format!("{:08x}", checksum(&bytes)), "documents": found.documents - documents_before,
    }));
}
