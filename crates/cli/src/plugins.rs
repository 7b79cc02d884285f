//! Where plugins of PJRT lie: named, in the environment, among the packages of the active Python.

use crate::failure::{Failure, Fault};
use crate::plan_args::PluginArgs;
use crate::processes::ProcessArgs;
use meshwright_base::arrange::Arrange;
use meshwright_base::{Code, Diagnostic};
use meshwright_pjrt::{Plugin, PluginError, Tried};
use std::path::{Path, PathBuf};

/// None was named, and none is where they are looked for.
const NONE: Code = Code(737);
/// Something is said of plugins where none is used.
const UNUSED: Code = Code(741);
const VARIABLE: &str = "MESHWRIGHT_PJRT_PLUGIN";

/// What a plugin is for, by the name of its library or its package.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    Tpu,
    Cuda,
    Other,
}

impl Kind {
    pub fn of(path: &Path) -> Kind {
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or("");
        match name {
            _ if name.contains("tpu") => Kind::Tpu,
            _ if name.contains("cuda") => Kind::Cuda,
            _ => Kind::Other,
        }
    }
}

impl Kind {
    /// Whether the system shows such a device.
    fn is_here(self) -> bool {
        let places: &[&str] = match self {
            Kind::Tpu => &["/dev/accel0", "/dev/vfio/0"],
            Kind::Cuda => &["/dev/nvidiactl", "/dev/nvidia0"],
            Kind::Other => &[],
        };
        places.iter().any(|path| Path::new(path).exists())
    }

    fn whose(self) -> &'static str {
        match self {
            Kind::Tpu => "of TPUs",
            Kind::Cuda => "of NVIDIA's GPUs",
            Kind::Other => "of other devices",
        }
    }
}

/// A plugin that was found, and where.
pub struct Found {
    pub path: PathBuf,
    pub from: &'static str,
}

impl Found {
    /// Whether somebody named it, and it was not come upon.
    fn is_named(&self) -> bool {
        self.from != PACKAGES
    }
}

const PACKAGES: &str = "the active Python";

/// What is said of plugins is not passed over where none runs the program: it is refused.
pub fn unused(
    plugin: &PluginArgs,
    stored: Option<&Path>,
    processes: Option<&ProcessArgs>,
) -> Result<(), Failure> {
    let said = [
        ("--plugin", plugin.plugin.is_some()),
        ("--plugin-option", !plugin.plugin_option.is_empty()),
        ("--stored", stored.is_some()),
        ("--coordinator-address", processes.is_some_and(|of| of.coordinator_address.is_some())),
        ("--num-processes", processes.is_some_and(|of| of.num_processes.is_some())),
        ("--process-id", processes.is_some_and(|of| of.process_id.is_some())),
    ];
    let Some((name, _)) = said.into_iter().find(|(_, is_said)| *is_said) else { return Ok(()) };
    let message = format!("`{name}`, but no plugin runs the program");
    let help = format!("add `--backend pjrt`, or drop `{name}`");
    Err(Failure::new(Fault::Usage, Diagnostic::error(UNUSED, message).help(help)))
}

/// The plugin that was asked for, or the first one found that is of a kind: the one asked for, or that of which this
/// machine has devices.
pub fn chosen(args: &PluginArgs, kind: Option<Kind>) -> Result<&'static Plugin, Failure> {
    let all = found(args);
    if let (Some(path), Some(kind)) = (&args.plugin, kind) {
        let found = Kind::of(path);
        if found != Kind::Other && found != kind {
            return Err(other_kind(path, found, kind));
        }
    }
    let of = |kind: Kind| all.iter().find(|found| Kind::of(&found.path) == kind);
    let named = all.iter().find(|found| found.is_named());
    let other = || all.iter().find(|found| Kind::of(&found.path) == Kind::Other && found.is_named());
    let best = match kind {
        _ if args.plugin.is_some() => named,
        // A library may be called anything by whoever names it.
        Some(kind) => of(kind).or_else(other),
        None => KINDS.iter().find_map(|kind| of(*kind).filter(|_| kind.is_here())).or_else(|| all.first()),
    };
    match best {
        Some(found) => loaded(&found.path, kind.is_some()),
        None => Err(none(kind)),
    }
}

const KINDS: [Kind; 2] = [Kind::Cuda, Kind::Tpu];

fn other_kind(path: &Path, found: Kind, wanted: Kind) -> Failure {
    let message = format!(
        "`{}` is the plugin {}, and the target is one {}",
        path.display(),
        found.whose(),
        wanted.whose()
    );
    let help = format!(
        "name that {}, or drop `--plugin` to have it looked for; `meshwright doctor` lists what is here",
        wanted.whose()
    );
    Failure::new(Fault::Usage, Diagnostic::error(NONE, message).help(help))
}

/// Load a plugin, to name a machine or for the devices here. That of TPUs would look for one, minutes if there is none.
pub fn loaded(path: &Path, names_machine: bool) -> Result<&'static Plugin, Failure> {
    if Kind::of(path) == Kind::Tpu && (names_machine || !Kind::Tpu.is_here()) {
        meshwright_pjrt::without_tpu();
    }
    if Kind::of(path) == Kind::Cuda {
        meshwright_pjrt::without_logs();
    }
    Plugin::load(path).map_err(|error| failed(&error, Tried::Asking))
}

pub fn failed(error: &PluginError, tried: Tried<'_>) -> Failure {
    Failure::new(Fault::Environment, error.diagnostic(tried))
}

fn none(kind: Option<Kind>) -> Failure {
    let (what, package) = match kind {
        Some(Kind::Tpu) => ("of TPUs ", "libtpu"),
        Some(Kind::Cuda) => ("of NVIDIA's GPUs ", "jax-cuda13-pjrt nvidia-cuda-nvcc nvidia-nvvm"),
        _ => ("", "libtpu` or `jax-cuda12-pjrt"),
    };
    let message = format!("no plugin {what}was named or found");
    let help = format!(
        "`pip install {package}` in the active Python, or name a library: `--plugin` or `${VARIABLE}`; `meshwright doctor` \
         lists what is here"
    );
    let diagnostic = Diagnostic::error(NONE, message)
        .note(format!("looked at `--plugin`, `${VARIABLE}` and the packages of the active Python"));
    Failure::new(Fault::Environment, diagnostic.help(help))
}

/// All plugins: what was named first, each file once.
pub fn found(args: &PluginArgs) -> Vec<Found> {
    let named = args.plugin.iter().map(|path| Found { path: path.clone(), from: "--plugin" });
    let listed = std::env::var_os(VARIABLE).unwrap_or_default();
    let listed = std::env::split_paths(&listed).filter(|path| !path.as_os_str().is_empty());
    let listed = listed.map(|path| Found { path, from: "$MESHWRIGHT_PJRT_PLUGIN" });
    let packaged = site_packages().into_iter().flat_map(|folder| in_packages(&folder));
    let packaged = packaged.map(|path| Found { path, from: PACKAGES });
    let mut seen = Vec::new();
    let mut all: Vec<Found> = named.chain(listed).chain(packaged).collect();
    all.retain(|found| {
        let file = found.path.canonicalize().unwrap_or_else(|_| found.path.clone());
        let is_new = !seen.contains(&file);
        seen.push(file);
        is_new
    });
    all
}

/// Folders of packages of the Python that is active here: a virtual environment's, else those beside `python3`.
fn site_packages() -> Vec<PathBuf> {
    let environments =
        ["VIRTUAL_ENV", "CONDA_PREFIX"].into_iter().filter_map(std::env::var_os).map(PathBuf::from);
    let paths = std::env::var_os("PATH").unwrap_or_default();
    let binary =
        std::env::split_paths(&paths).map(|folder| folder.join("python3")).find(|path| path.is_file());
    // A link leads out of a virtual environment that was not activated: both sides are looked at.
    let binaries = binary.iter().flat_map(|path| [Some(path.clone()), path.canonicalize().ok()]).flatten();
    let beside = binaries.filter_map(|path| Some(path.parent()?.parent()?.to_path_buf()));
    let mut folders = Vec::new();
    for prefix in environments.chain(beside) {
        for python in listed(&prefix.join("lib"), |name| name.starts_with("python3")) {
            folders.extend(["site-packages", "dist-packages"].map(|name| python.join(name)));
        }
    }
    folders.retain(|folder| folder.is_dir());
    folders
}

/// Plugins among packages: that of `libtpu`, and those that JAX looks for.
fn in_packages(folder: &Path) -> Vec<PathBuf> {
    let tpu = folder.join("libtpu").join("libtpu.so");
    let mut all: Vec<PathBuf> = Some(tpu).into_iter().filter(|path| path.is_file()).collect();
    for package in listed(&folder.join("jax_plugins"), |_| true) {
        all.extend(listed(&package, |name| name.contains("plugin") && name.ends_with(".so")));
    }
    all
}

/// What a folder holds, by name.
fn listed(folder: &Path, is_wanted: impl Fn(&str) -> bool) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let wanted = entries.filter(|entry| entry.file_name().to_str().is_some_and(&is_wanted));
    let mut paths: Vec<PathBuf> = wanted.map(|entry| entry.path()).collect();
    paths.arrange();
    paths
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plugins_of_packages_are_found_by_their_names() {
        let folder = std::env::temp_dir().join(format!("meshwright-plugins-{}", std::process::id()));
        for file in
            ["libtpu/libtpu.so", "jax_plugins/xla_cuda12/xla_cuda_plugin.so", "jax_plugins/other/x.so"]
        {
            let path = folder.join(file);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, "").unwrap();
        }
        let found = in_packages(&folder);
        std::fs::remove_dir_all(&folder).unwrap();
        let names: Vec<_> = found.iter().map(|path| path.strip_prefix(&folder).unwrap()).collect();
        assert_eq!(
            names,
            [Path::new("libtpu/libtpu.so"), Path::new("jax_plugins/xla_cuda12/xla_cuda_plugin.so")]
        );
        assert_eq!([Kind::of(&found[0]), Kind::of(&found[1])], [Kind::Tpu, Kind::Cuda]);
    }
}
