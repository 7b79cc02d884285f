//! What lies on the devices as files, and back: safetensors, which Python reads too.

use crate::array::Array;
use crate::error::{Error, arrays};
use crate::run::Loaded;
use meshwright_runtime::HostArray;
use meshwright_runtime::weights::{Named, read, write_file, write_shards};
use meshwright_tensor::Role;
use std::panic::Location;
use std::path::Path;

impl Loaded {
    /// Write everything that lies on the devices to one safetensors file, under the names of the program. What was
    /// there is replaced when all is written, and stays if writing fails.
    ///
    /// ```
    /// use meshwright::prelude::*;
    /// let program = trace("f", |t| t.input("x", f32, [2]) * t.param("w", [2]))?;
    /// let mut loaded = program.partition()?.load(1)?;
    /// loaded.set("w", &Array::filled([2], 3.0f32))?;
    /// let file = std::env::temp_dir().join(format!("meshwright-save-{}.safetensors", std::process::id()));
    /// loaded.save(&file)?;
    /// let mut again = program.partition()?.load(1)?;
    /// again.load(&file)?;
    /// assert_eq!(again.get("w")?.to_vec::<f32>()?, [3.0, 3.0]);
    /// # std::fs::remove_file(&file).unwrap();
    /// # Ok::<(), Error>(())
    /// ```
    #[track_caller]
    pub fn save(&self, path: impl AsRef<Path>) -> Result<(), Error> {
        let line = Location::caller();
        self.written(|all| write_file(path.as_ref(), all)).map_err(|error| error.at(line))
    }

    /// [`save`](Loaded::save) into a directory of files of at most so many bytes each, with the index that Hugging
    /// Face's tools read.
    ///
    /// ```
    /// use meshwright::prelude::*;
    /// let program = trace("f", |t| t.input("x", f32, [2]) * t.param("w", [2]) + t.param("b", [2]))?;
    /// let mut loaded = program.partition()?.load(1)?;
    /// loaded.set("w", &Array::filled([2], 3.0f32))?;
    /// loaded.set("b", &Array::filled([2], 1.0f32))?;
    /// let folder = std::env::temp_dir().join(format!("meshwright-shards-{}", std::process::id()));
    /// loaded.save_sharded(&folder, 8)?; // two files
    /// assert!(program.partition()?.load(1)?.load(&folder)?.is_empty());
    /// # std::fs::remove_dir_all(&folder).unwrap();
    /// # Ok::<(), Error>(())
    /// ```
    #[track_caller]
    pub fn save_sharded(&self, path: impl AsRef<Path>, most_bytes: u64) -> Result<(), Error> {
        let line = Location::caller();
        self.written(|all| write_shards(path.as_ref(), all, most_bytes)).map_err(|error| error.at(line))
    }

    fn written(&self, write: impl FnOnce(&[(&str, &HostArray)]) -> Result<(), String>) -> Result<(), Error> {
        let names = self.kept_names();
        if names.is_empty() {
            return Err(arrays("nothing is on the devices to be saved".into(), "put it there with `set`"));
        }
        let all: Vec<Array> = names.iter().map(|name| self.get(name)).collect::<Result<_, Error>>()?;
        let named: Vec<(&str, &HostArray)> =
            names.iter().copied().zip(all.iter().map(|one| &one.host)).collect();
        write(&named)
            .map_err(|message| arrays(message, "choose a place that can be written, with enough room"))
    }

    /// Put on the devices what a file or directory holds that the program takes. Every parameter and state must be
    /// there, or have been `set` before; all that does not fit is told, and then nothing is loaded. Gives the names for
    /// which the program has no place.
    ///
    /// ```
    /// use meshwright::prelude::*;
    /// let program = trace("f", |t| t.input("x", f32, [2]) * t.param("w", [2]))?;
    /// let mut loaded = program.partition()?.load(1)?;
    /// assert!(loaded.load("nowhere.safetensors").unwrap_err().to_string().contains("cannot read `nowhere.safetensors`"));
    /// # Ok::<(), Error>(())
    /// ```
    #[track_caller]
    pub fn load(&mut self, path: impl AsRef<Path>) -> Result<Vec<String>, Error> {
        let line = Location::caller();
        self.taken(path.as_ref()).map_err(|error| error.at(line))
    }

    fn taken(&mut self, path: &Path) -> Result<Vec<String>, Error> {
        let help = "give a safetensors file, or a directory with an index of such files";
        let found = read(path).map_err(|message| arrays(message, help))?;
        let wrong = self.misfits(&found);
        if !wrong.is_empty() {
            let message = format!("`{}` does not fit the program: {}", path.display(), wrong.join("; "));
            let help =
                "nothing was loaded; give weights of this program, or `set` what the file lacks before";
            return Err(arrays(message, help));
        }
        let mut left = Vec::new();
        for (name, host) in found {
            if self.takes(&name).is_some() { self.set(&name, &Array { host })? } else { left.push(name) }
        }
        Ok(left)
    }

    /// What is missing, or of another shape or type.
    fn misfits(&self, found: &Named) -> Vec<String> {
        let kept = self.kept_names();
        let wrong = |input: &meshwright_tensor::InputInfo| match found.get(&*input.name) {
            Some(array) if array.ty != input.ty => {
                Some(format!("`{}` is {}, the program takes {}", input.name, array.ty, input.ty))
            }
            Some(_) => None,
            None if input.role == Role::Input || kept.contains(&&*input.name) => None,
            None => Some(format!("`{}` ({}) is missing", input.name, input.ty)),
        };
        self.inputs().iter().filter_map(wrong).collect()
    }
}
