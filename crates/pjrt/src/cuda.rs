//! What CUDA's plugin needs beside itself: NVIDIA's libraries, which it asks the system for by name, and the tools by
//! which it makes code for a card. Where it is one of Python's packages, so are they, in folders where nobody looks.
//!
//! ```text
//! site-packages/jax_plugins/xla_cuda13/xla_cuda_plugin.so
//! site-packages/nvidia/cu13/lib/libcublas.so.13          loaded before the plugin asks
//! site-packages/nvidia/cu13/nvvm/libdevice, bin/ptxas    named to its compiler
//! ```

use crate::wire::Message;
use meshwright_base::arrange::Arrange;
use std::path::{Path, PathBuf};

/// Beginnings of the names of libraries, each before those that need it.
const LIBRARIES: [&str; 12] = [
    "libcudart.so",
    "libnvrtc.so",
    "libnvJitLink.so",
    "libcublasLt.so",
    "libcublas.so",
    "libnccl.so",
    "libcupti.so",
    "libcusparse.so",
    "libcusolver.so",
    "libcufft.so",
    "libnvshmem_host.so",
    "libcudnn.so",
];

/// NVIDIA's packages that lie beside a plugin.
pub struct Packages(Vec<PathBuf>);

impl Packages {
    /// Those beside this library; none if it is no package's, or none of CUDA.
    pub fn beside(plugin: &Path) -> Packages {
        let is_cuda = |folder: &&Path| {
            folder.file_name().and_then(|name| name.to_str()).is_some_and(|name| name.starts_with("xla_cuda"))
        };
        let folder = plugin.parent().filter(is_cuda).and_then(Path::parent).and_then(Path::parent);
        Packages(folder.map_or(Vec::new(), |folder| listed(&folder.join("nvidia"))))
    }

    /// Files that the plugin will ask for by name, in the order to load them in.
    pub fn libraries(&self) -> Vec<PathBuf> {
        let all: Vec<PathBuf> = self.0.iter().flat_map(|package| listed(&package.join("lib"))).collect();
        let is = |path: &&PathBuf, begins: &str| {
            path.file_name().and_then(|name| name.to_str()).is_some_and(|name| name.starts_with(begins))
        };
        LIBRARIES.iter().flat_map(|begins| all.iter().filter(move |path| is(path, begins))).cloned().collect()
    }

    /// What every program's compile options have besides: where the tools are.
    pub fn options(&self) -> Vec<u8> {
        let tools = self.0.iter().find(|package| package.join("nvvm/libdevice").is_dir());
        let text = tools.and_then(|tools| tools.to_str());
        text.map_or(Vec::new(), |text| flag("xla_gpu_cuda_data_dir", text))
    }
}

fn listed(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    paths.arrange();
    paths
}

/// A flag of XLA as `CompileOptionsProto` has it: its `env_option_overrides`.
fn flag(name: &str, value: &str) -> Vec<u8> {
    const OVERRIDES: u64 = 7;
    let (key, of, text) = (1, 2, 1);
    let value = Message::default().bytes(text, value.as_bytes());
    let entry = Message::default().bytes(key, name.as_bytes()).message(of, value);
    Message::default().message(OVERRIDES, entry).into_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packages_are_found_beside_a_plugin_that_is_one() {
        let root = std::env::temp_dir().join(format!("meshwright-cuda-{}", std::process::id()));
        let make = |file: &str| {
            let path = root.join(file);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(&path, "").unwrap();
            path
        };
        let plugin = make("jax_plugins/xla_cuda13/xla_cuda_plugin.so");
        let other = make("elsewhere/xla_cuda_plugin.so");
        for file in ["cudnn/lib/libcudnn.so.9", "cu13/lib/libcublas.so.13", "cu13/lib/libcublasLt.so.13"] {
            make(&format!("nvidia/{file}"));
        }
        make("nvidia/cu13/nvvm/libdevice/libdevice.10.bc");
        let found = Packages::beside(&plugin);
        let names: Vec<_> =
            found.libraries().iter().map(|path| path.file_name().unwrap().to_owned()).collect();
        let options = String::from_utf8_lossy(&found.options()).into_owned();
        let none = Packages::beside(&other);
        let (none, nothing) = (none.libraries(), none.options());
        std::fs::remove_dir_all(&root).unwrap();
        assert_eq!(names, ["libcublasLt.so.13", "libcublas.so.13", "libcudnn.so.9"]);
        assert!(options.contains("xla_gpu_cuda_data_dir") && options.contains("nvidia/cu13"), "{options}");
        assert!(none.is_empty() && nothing.is_empty());
    }
}
