//! Loading a plugin: its library, its table of functions, what it tells of itself.
//!
//! A library is loaded once and never unloaded: plugins keep threads, and some do not survive a second start.

use crate::abi::{self, Api, Arguments, ErrorCode};
use crate::call::{call, named_values};
use crate::cuda::Packages;
use crate::ending;
use crate::error::{PluginError, Trouble};
use crate::named::NamedValue;
use crate::options::CompileOptions;
use std::ffi::{CStr, CString, c_void};
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// A loaded plugin.
pub struct Plugin {
    /// As it was asked for.
    path: String,
    /// A copy: the plugin's own may be shorter than this.
    api: Api,
    attributes: Vec<(String, NamedValue)>,
    /// What all programs' compile options have besides.
    options: Vec<u8>,
}

/// Have the plugin of TPUs be a compiler, on a machine without one. It would ask the cloud it may be in, for minutes,
/// which TPU this machine has, and complain of what it was not told: so it is told of one, which no program that is
/// compiled for a named machine depends on. It has to be said before that plugin is loaded; what the environment says
/// stays.
pub fn without_tpu() {
    const TOLD: [(&str, &str); 7] = [
        // Several processes may compile at once: there is no device that one of them would have to itself.
        ("ALLOW_MULTIPLE_LIBTPU_LOAD", "1"),
        ("TPU_SKIP_MDS_QUERY", "1"),
        ("TPU_ACCELERATOR_TYPE", "v4-8"),
        ("TPU_WORKER_HOSTNAMES", "localhost"),
        ("TPU_WORKER_ID", "0"),
        ("TPU_MIN_LOG_LEVEL", "3"),
        ("TPU_STDERR_LOG_LEVEL", "3"),
    ];
    TOLD.iter().for_each(|(name, value)| tell(name, value));
}

/// Have the plugin of CUDA tell its errors as errors alone, and nothing beside them: it would write of each loop that
/// it schedules. Said as [`without_tpu`] is.
pub fn without_logs() {
    tell("TF_CPP_MIN_LOG_LEVEL", "3");
}

/// Put a variable into the environment that is not there.
fn tell(name: &str, value: &str) {
    if std::env::var_os(name).is_none() {
        // SAFETY: foreign code that reads the environment is not there before a plugin is loaded, and ours asks Rust,
        // which takes turns.
        unsafe { std::env::set_var(name, value) };
    }
}

/// All that were loaded, by the file they came from.
static LOADED: Mutex<Vec<(PathBuf, &'static Plugin)>> = Mutex::new(Vec::new());

impl fmt::Debug for Plugin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.path)
    }
}

impl Plugin {
    /// Load a plugin, or give the one that was loaded from the same file before.
    pub fn load(path: &Path) -> Result<&'static Plugin, PluginError> {
        let failed = |trouble| PluginError { plugin: path.display().to_string(), trouble };
        let file = path.canonicalize().map_err(|error| failed(Trouble::Unloaded(error.to_string())))?;
        let mut loaded = LOADED.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, plugin)) = loaded.iter().find(|(of, _)| *of == file) {
            return Ok(plugin);
        }
        let packages = Packages::beside(&file);
        packages.libraries().iter().for_each(|library| {
            // Whoever lacks one is told by the plugin, of its kind and when it needs it.
            let _ = opened(library);
        });
        let api = table(&file).map_err(failed)?;
        ending::listen();
        let attributes = started(&api).map_err(failed)?;
        let plugin =
            Plugin { path: path.display().to_string(), api, attributes, options: packages.options() };
        let plugin: &'static Plugin = Box::leak(Box::new(plugin));
        loaded.push((file, plugin));
        Ok(plugin)
    }

    pub fn path(&self) -> &str {
        &self.path
    }

    /// Major and minor version of the interface it was built for.
    pub fn version(&self) -> (i32, i32) {
        (self.api.version.major_version, self.api.version.minor_version)
    }

    /// What it tells of itself, such as the versions of StableHLO it reads.
    pub fn attributes(&self) -> &[(String, NamedValue)] {
        &self.attributes
    }

    /// On the wire, with what every program is compiled with here.
    pub(crate) fn encoded(&self, options: &CompileOptions) -> Vec<u8> {
        // Messages one behind the other are one.
        [&options.encoded()[..], &self.options].concat()
    }

    pub(crate) fn api(&self) -> &Api {
        &self.api
    }

    /// An error of this plugin.
    pub(crate) fn failed(&self, trouble: Trouble) -> PluginError {
        let (major, minor) = self.version();
        let trouble = match trouble {
            // Structs grow at their ends: a plugin of a later time may insist on all of one.
            Trouble::Refused { function, code: ErrorCode::INVALID_ARGUMENT, message }
                if minor > abi::MINOR
                    && message.starts_with("Unexpected PJRT_")
                    && message.contains("size") =>
            {
                Trouble::Wants { function, major, minor, message }
            }
            other => other,
        };
        PluginError { plugin: self.path.clone(), trouble }
    }
}

/// The one call that comes before all others, and what the plugin tells then.
fn started(api: &Api) -> Result<Vec<(String, NamedValue)>, Trouble> {
    let mut start = abi::PluginInitialize::EMPTY;
    // SAFETY: no handles. It is called once: the caller keeps what was loaded.
    unsafe { call(api, &mut start) }?;
    let mut told = abi::PluginAttributes::EMPTY;
    // SAFETY: no handles; what it tells lives as long as the process.
    let asked = unsafe { call(api, &mut told) };
    match asked {
        // SAFETY: as above.
        Ok(()) => Ok(unsafe { named_values(told.attributes, told.num_attributes) }),
        Err(Trouble::Lacks { .. }) => Ok(Vec::new()),
        Err(trouble) => Err(trouble),
    }
}

/// The table of functions of a library, as far as it goes.
fn table(file: &Path) -> Result<Api, Trouble> {
    let entry = symbol(file, abi::ENTRY)?;
    // SAFETY: what is exported under this name is a function of this type.
    let entry: abi::Entry = unsafe { std::mem::transmute::<*mut c_void, abi::Entry>(entry) };
    // SAFETY: it takes nothing and gives a table that lives as long as the library, which stays loaded.
    let theirs = unsafe { entry() };
    if theirs.is_null() {
        return Err(Trouble::Foreign("its table of functions is null".into()));
    }
    // SAFETY: a table begins with its size.
    let size = unsafe { (&raw const (*theirs).struct_size).read() };
    if size < FIRST {
        return Err(Trouble::Foreign(format!("its table of functions has {size} bytes")));
    }
    let mut api = Api::EMPTY;
    // SAFETY: the table has `size` bytes, ours as many as its type; every prefix of a table is sizes, numbers, and
    // pointers to functions, null where there is none.
    unsafe {
        let to = (&raw mut api).cast::<u8>();
        std::ptr::copy_nonoverlapping(theirs.cast::<u8>(), to, size.min(size_of::<Api>()));
    }
    let (major, minor) = (api.version.major_version, api.version.minor_version);
    if major != abi::MAJOR || minor < abi::OLDEST {
        return Err(Trouble::Version { major, minor });
    }
    Ok(api)
}

/// Up to where a table has its version.
const FIRST: usize = std::mem::offset_of!(Api, error_destroy);

/// What a library exports under a name.
#[cfg(unix)]
fn symbol(file: &Path, name: &CStr) -> Result<*mut c_void, Trouble> {
    let cut = crate::elf::cut_short(file).map_err(|error| Trouble::Unloaded(error.to_string()))?;
    if let Some((there, wanted)) = cut {
        let told = format!("it has {there} bytes of {wanted}: its download may have broken off");
        return Err(Trouble::Unloaded(told));
    }
    let library = opened(file)?;
    // SAFETY: a library that was loaded, and a name that ends with a zero byte.
    let found = unsafe { libc::dlsym(library, name.as_ptr()) };
    if !found.is_null() {
        return Ok(found);
    }
    // It stays loaded all the same: what its start set going may not survive the end.
    Err(Trouble::Foreign(format!("it does not export `{}`", name.to_string_lossy())))
}

/// Load a library, for as long as the process lives.
#[cfg(unix)]
fn opened(file: &Path) -> Result<*mut c_void, Trouble> {
    use std::os::unix::ffi::OsStrExt;
    let path = CString::new(file.as_os_str().as_bytes())
        .map_err(|_| Trouble::Unloaded("its path has a zero byte".into()))?;
    // SAFETY: a path that ends with a zero byte. What a library does when it is loaded is up to whoever names it.
    let library = unsafe { libc::dlopen(path.as_ptr(), libc::RTLD_NOW | libc::RTLD_LOCAL) };
    if library.is_null() { Err(Trouble::Unloaded(last_error())) } else { Ok(library) }
}

#[cfg(not(unix))]
fn opened(_: &Path) -> Result<*mut c_void, Trouble> {
    Err(Trouble::Unloaded("libraries are loaded on Unix only".into()))
}

#[cfg(not(unix))]
fn symbol(_: &Path, _: &CStr) -> Result<*mut c_void, Trouble> {
    Err(Trouble::Unloaded("libraries are loaded on Unix only".into()))
}

/// Why the system did not load a library.
#[cfg(unix)]
fn last_error() -> String {
    // SAFETY: null, or a text of the system that lives until this thread's next call of its kind.
    unsafe {
        let told = libc::dlerror();
        if told.is_null() {
            return "the system does not say why".into();
        }
        CStr::from_ptr(told).to_string_lossy().into_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_plugin_is_told_apart() {
        let trouble = |path: &str| Plugin::load(Path::new(path)).err().map(|error| error.trouble);
        let missing = trouble("no/such/plugin.so");
        assert!(matches!(&missing, Some(Trouble::Unloaded(_))), "{missing:?}");
        let text = trouble(concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml"));
        assert!(matches!(&text, Some(Trouble::Unloaded(_))), "{text:?}");
    }
}
