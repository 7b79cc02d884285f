//! A loaded program: fed by name, asked by name; states stay on the devices between runs.

use crate::array::Array;
use crate::error::{Error, arrays};
use crate::partition::Partitioned;
use meshwright_ir::Placement;
use meshwright_pjrt::{Client, PjrtDevices, Plugin, PluginError};
use meshwright_runtime::{Args, DeviceArray, DeviceId, Devices, Executable, InProcess, LoadOptions};
use std::collections::BTreeMap;
use std::panic::Location;
use std::path::Path;
use std::sync::Arc;

/// A program on devices.
///
/// ```
/// use meshwright::prelude::*;
/// let mesh = Mesh::new([("data", 4)])?;
/// let step = trace("count", |t| {
///     let total = t.state("total", f32, ());
///     let x = t.input("x", f32, [8]).mesh_split(&mesh, ["data"]);
///     [("total", total + x.sum(..))]
/// })?;
/// let mut loaded = step.partition()?.load(4)?;
/// loaded.set("total", &Array::filled((), 0.0f32))?;
/// for _ in 0..3 {
///     loaded.run(&[("x", &Array::filled([8], 1.0f32))])?;
/// }
/// assert_eq!(loaded.get("total")?.to_vec::<f32>()?, [24.0]);
/// # Ok::<(), Error>(())
/// ```
pub struct Loaded {
    partitioned: Partitioned,
    executable: Box<dyn Executable>,
    local: Vec<DeviceId>,
    /// States and parameters that stay on the devices.
    kept: BTreeMap<String, DeviceArray>,
}

/// What a run gave.
///
/// ```
/// use meshwright::prelude::*;
/// let program = trace("f", |t| [("total", t.state("total", f32, ()) + t.input("x", f32, [8]).sum(..))])?;
/// let mut loaded = program.partition()?.load(1)?;
/// loaded.set("total", &Array::filled((), 1.0f32))?;
/// let results: Results = loaded.run(&[("x", &Array::filled([8], 1.0f32))])?;
/// assert_eq!(results.number("total")?, 9.0);
/// # Ok::<(), Error>(())
/// ```
pub struct Results {
    partitioned: Partitioned,
    arrays: Vec<DeviceArray>,
}

impl Partitioned {
    /// Load it on devices of this process: resumable tasks on as many workers as there are cores.
    ///
    /// ```
    /// use meshwright::prelude::*;
    /// let mesh = Mesh::new([("x", 4)])?;
    /// let program = trace("f", |t| t.input("x", f32, [8]).mesh_split(&mesh, ["x"]).sum(..))?;
    /// let results = program.partition()?.load(4)?.run(&[("x", &Array::filled([8], 1.0f32))])?;
    /// assert_eq!(results.number("result")?, 8.0);
    /// # Ok::<(), Error>(())
    /// ```
    #[track_caller]
    pub fn load(&self, devices: usize) -> Result<Loaded, Error> {
        let line = Location::caller();
        self.load_here(devices).map_err(|error| error.at(line))
    }

    fn load_here(&self, devices: usize) -> Result<Loaded, Error> {
        let set = InProcess::new(devices, None, Arc::new(meshwright_cpu::Cpu::default()));
        self.load_on(&set)
    }

    /// Load it on the first devices of a plugin of PJRT, which are how GPUs and TPUs are reached. States and parameters
    /// stay there between runs. [`pjrt`](crate::pjrt) has more to say to a plugin.
    ///
    /// ```
    /// use meshwright::prelude::*;
    /// let program = trace("f", |t| t.input("x", f32, [8]).relu())?.partition()?;
    /// let mut loaded = match program.load_on_plugin("xla_cuda_plugin.so") {
    ///     Ok(loaded) => loaded,
    ///     Err(why) => {
    ///         assert!(why.to_string().contains("cannot be loaded")); // where there is no such library
    ///         program.load(1)?
    ///     }
    /// };
    /// let results = loaded.run(&[("x", &Array::filled([8], -1.0f32))])?;
    /// assert_eq!(results.get("result")?.to_vec::<f32>()?, [0.0; 8]);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn load_on_plugin(&self, library: impl AsRef<Path>) -> Result<Loaded, Error> {
        let failed = |error: PluginError| meshwright_pjrt::failed(&error);
        let plugin = Plugin::load(library.as_ref()).map_err(failed)?;
        let client = Client::new(plugin, &[]).map_err(failed)?;
        self.load_on(&PjrtDevices::new(Arc::new(client), self.devices())?)
    }

    /// Load it on any set of devices.
    ///
    /// ```
    /// use meshwright::prelude::*;
    /// let mesh = Mesh::new([("x", 4)])?;
    /// let program = trace("f", |t| t.input("x", f32, [8]).mesh_split(&mesh, ["x"]).sum(..))?;
    /// use meshwright::{cpu::Cpu, runtime::InProcess};
    /// let devices = InProcess::new(4, Some(1), std::sync::Arc::new(Cpu::default())); // one worker
    /// let loaded = program.partition()?.load_on(&devices)?;
    /// # Ok::<(), Error>(())
    /// ```
    pub fn load_on(&self, devices: &dyn Devices) -> Result<Loaded, Error> {
        Loaded::new(self.clone(), devices)
    }
}

impl Loaded {
    pub(crate) fn new(partitioned: Partitioned, devices: &dyn Devices) -> Result<Loaded, Error> {
        let (has, needs) = (devices.count(), partitioned.devices());
        if has < needs {
            let message = format!("the program is for {needs} devices, {has} are given");
            return Err(arrays(message, format!("load it on {needs} devices, or use a smaller mesh")));
        }
        let executable = devices.load(&partitioned.compiled.program, &LoadOptions::default())?;
        Ok(Loaded { partitioned, executable, local: devices.local(), kept: BTreeMap::new() })
    }

    /// Put a state or parameter on the devices, to stay there.
    ///
    /// ```
    /// use meshwright::prelude::*;
    /// let program = trace("f", |t| [("total", t.state("total", f32, ()) + t.input("x", f32, [8]).sum(..))])?;
    /// let mut loaded = program.partition()?.load(1)?;
    /// loaded.set("total", &Array::filled((), 1.0f32))?;
    /// assert!(loaded.set("total", &Array::filled([2], 1.0f32)).is_err());
    /// # Ok::<(), Error>(())
    /// ```
    #[track_caller]
    pub fn set(&mut self, name: &str, array: &Array) -> Result<(), Error> {
        let line = Location::caller();
        self.keep(name, array).map_err(|error| error.at(line))
    }

    fn keep(&mut self, name: &str, array: &Array) -> Result<(), Error> {
        let at = self.input(name)?;
        let placed = self.place(at, array)?;
        self.kept.insert(name.to_string(), placed);
        Ok(())
    }

    /// Put every result of another program on the devices that has the name of an input here: first values, for
    /// instance.
    ///
    /// ```
    /// use meshwright::{nn::optim::Optimizer, prelude::*};
    /// let adam = Optimizer::adam(0.1);
    /// let first = trace("first", |_| adam.first("w", Key::seed(1).normal(f32, [4])))?;
    /// let step = trace("step", |t| adam.train(t, "w", zeros(f32, [4]), |w| w.square().sum(..)))?;
    /// let mut loaded = step.partition()?.load(1)?;
    /// loaded.set_all(&first.partition()?.load(1)?.run(&[])?)?;
    /// let before = loaded.run(&[])?.number("loss")?;
    /// assert!(loaded.run(&[])?.number("loss")? < before);
    /// # Ok::<(), Error>(())
    /// ```
    #[track_caller]
    pub fn set_all(&mut self, results: &Results) -> Result<(), Error> {
        let line = Location::caller();
        self.keep_all(results).map_err(|error| error.at(line))
    }

    fn keep_all(&mut self, results: &Results) -> Result<(), Error> {
        let names = results.names();
        let known: Vec<&str> =
            names.iter().copied().filter(|name| self.partitioned.program.input(name).is_some()).collect();
        if known.is_empty() {
            let message = format!("no input has the name of a result ({})", names.join(", "));
            return Err(arrays(message, "give both programs the same names"));
        }
        known.into_iter().try_for_each(|name| self.keep(name, &results.whole(name)?))
    }

    /// What lies on the devices under this name.
    ///
    /// ```
    /// use meshwright::prelude::*;
    /// let program = trace("f", |t| [("total", t.state("total", f32, ()) + t.input("x", f32, [8]).sum(..))])?;
    /// let mut loaded = program.partition()?.load(1)?;
    /// assert!(loaded.get("total").is_err(), "nothing was put there");
    /// loaded.set("total", &Array::filled((), 1.0f32))?;
    /// assert_eq!(loaded.get("total")?.to_vec::<f32>()?, [1.0]);
    /// # Ok::<(), Error>(())
    /// ```
    #[track_caller]
    pub fn get(&self, name: &str) -> Result<Array, Error> {
        let line = Location::caller();
        self.kept(name).map_err(|error| error.at(line))
    }

    fn kept(&self, name: &str) -> Result<Array, Error> {
        let at = self.input(name)?;
        let Some(array) = self.kept.get(name) else {
            return Err(arrays(format!("`{name}` is not on the devices"), "put it there with `set`"));
        };
        to_host(&self.partitioned, array, &self.partitioned.compiled.program.params[at])
    }

    /// Names of what lies on the devices, in alphabetical order.
    pub(crate) fn kept_names(&self) -> Vec<&str> {
        self.kept.keys().map(String::as_str).collect()
    }

    pub(crate) fn inputs(&self) -> &[meshwright_tensor::InputInfo] {
        self.partitioned.program.inputs()
    }

    pub(crate) fn takes(&self, name: &str) -> Option<usize> {
        self.partitioned.program.input(name)
    }

    fn input(&self, name: &str) -> Result<usize, Error> {
        let inputs = self.partitioned.program.inputs();
        self.partitioned.program.input(name).ok_or_else(|| {
            let known: Vec<String> = inputs.iter().map(|input| format!("`{}`", input.name)).collect();
            arrays(format!("the program has no input `{name}`"), format!("it has {}", known.join(", ")))
        })
    }

    fn place(&self, at: usize, array: &Array) -> Result<DeviceArray, Error> {
        let spmd = &self.partitioned.compiled.program;
        let name = &self.partitioned.program.inputs()[at].name;
        let placement = &spmd.params[at];
        if placement.global != *array.ty() {
            let message =
                format!("`{name}` is given as {}, the program takes {}", array.ty(), placement.global);
            return Err(arrays(message, "give it with the shape and element type of the trace"));
        }
        Ok(DeviceArray::from_host(&spmd.module().meshes, placement, &array.host, &self.local)?)
    }

    /// Run once. Inputs that were [`set`](Loaded::set) need not be given. A result that has the name and type of one of
    /// them replaces it.
    ///
    /// ```
    /// use meshwright::prelude::*;
    /// let program = trace("f", |t| [("total", t.state("total", f32, ()) + t.input("x", f32, [8]).sum(..))])?;
    /// let mut loaded = program.partition()?.load(1)?;
    /// loaded.set("total", &Array::filled((), 1.0f32))?;
    /// let results = loaded.run(&[("x", &Array::filled([8], 1.0f32))])?;
    /// # Ok::<(), Error>(())
    /// ```
    #[track_caller]
    pub fn run(&mut self, inputs: &[(&str, &Array)]) -> Result<Results, Error> {
        let line = Location::caller();
        self.launch(inputs).map_err(|error| error.at(line))
    }

    fn launch(&mut self, inputs: &[(&str, &Array)]) -> Result<Results, Error> {
        for (at, (name, _)) in inputs.iter().enumerate() {
            self.input(name)?;
            if inputs[..at].iter().any(|(known, _)| known == name) {
                return Err(arrays(format!("input `{name}` is given twice"), "give each input once"));
            }
        }
        let mut args: Args = Vec::new();
        for (at, info) in self.partitioned.program.inputs().iter().enumerate() {
            let given = inputs.iter().find(|(name, _)| **name == *info.name);
            let arg = match (given, self.kept.get(&*info.name)) {
                (Some((_, array)), _) => self.place(at, array)?,
                (None, Some(kept)) => kept.clone(),
                (None, None) => {
                    let help = "give it to `run`, or put it on the devices with `set`";
                    return Err(arrays(format!("input `{}` is not given", info.name), help));
                }
            };
            args.push(arg);
        }
        // Donated buffers must have one owner while the program runs.
        let replaced = self.replaced();
        for (_, input) in &replaced {
            self.kept.remove(&*self.partitioned.program.inputs()[*input].name);
        }
        let arrays = self.executable.launch(args, None)?;
        self.keep_results(&replaced, &arrays)?;
        Ok(Results { partitioned: self.partitioned.clone(), arrays })
    }

    /// Results, and the inputs that they replace: those of their name and type.
    fn replaced(&self) -> Vec<(usize, usize)> {
        let (spmd, program) = (&self.partitioned.compiled.program, &self.partitioned.program);
        let pair = |(at, info): (usize, &meshwright_tensor::ResultInfo)| {
            let input = program.input(&info.name)?;
            (spmd.params[input].global == spmd.results[at].global).then_some((at, input))
        };
        program.results().iter().enumerate().filter_map(pair).collect()
    }

    fn keep_results(&mut self, replaced: &[(usize, usize)], results: &[DeviceArray]) -> Result<(), Error> {
        let spmd = &self.partitioned.compiled.program;
        for (at, input) in replaced.iter().copied() {
            let kept = if spmd.params[input].sharding == spmd.results[at].sharding {
                results[at].clone()
            } else {
                let host = to_host(&self.partitioned, &results[at], &spmd.results[at])?;
                self.place(input, &host)?
            };
            self.kept.insert(self.partitioned.program.inputs()[input].name.to_string(), kept);
        }
        Ok(())
    }
}

fn to_host(partitioned: &Partitioned, array: &DeviceArray, placement: &Placement) -> Result<Array, Error> {
    let meshes = &partitioned.module().meshes;
    Ok(Array { host: array.to_host(meshes, placement)? })
}

impl Results {
    /// The names of all results.
    ///
    /// ```
    /// use meshwright::prelude::*;
    /// let program = trace("f", |t| [("double", t.input("x", f32, [2]) * 2.0)])?;
    /// let results = program.partition()?.load(1)?.run(&[("x", &Array::filled([2], 1.0f32))])?;
    /// assert_eq!(results.names(), ["double"]);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn names(&self) -> Vec<&str> {
        self.partitioned.program.results().iter().map(|result| &*result.name).collect()
    }

    /// The whole array of a result.
    ///
    /// ```
    /// use meshwright::prelude::*;
    /// let program = trace("f", |t| t.input("x", f32, [2]) * 2.0)?;
    /// let results = program.partition()?.load(1)?.run(&[("x", &Array::filled([2], 1.0f32))])?;
    /// assert_eq!(results.get("result")?.to_vec::<f32>()?, [2.0, 2.0]);
    /// # Ok::<(), Error>(())
    /// ```
    #[track_caller]
    pub fn get(&self, name: &str) -> Result<Array, Error> {
        let line = Location::caller();
        self.whole(name).map_err(|error| error.at(line))
    }

    fn whole(&self, name: &str) -> Result<Array, Error> {
        let results = self.partitioned.program.results();
        let Some(at) = results.iter().position(|result| &*result.name == name) else {
            let known: Vec<String> = results.iter().map(|result| format!("`{}`", result.name)).collect();
            return Err(arrays(
                format!("the program has no result `{name}`"),
                format!("the results are {}", known.join(", ")),
            ));
        };
        to_host(&self.partitioned, &self.arrays[at], &self.partitioned.compiled.program.results[at])
    }

    /// A result of one number.
    ///
    /// ```
    /// use meshwright::prelude::*;
    /// let program = trace("f", |t| t.input("x", f32, [2]).sum(..))?;
    /// let results = program.partition()?.load(1)?.run(&[("x", &Array::filled([2], 1.0f32))])?;
    /// assert_eq!(results.number("result")?, 2.0);
    /// # Ok::<(), Error>(())
    /// ```
    #[track_caller]
    pub fn number(&self, name: &str) -> Result<f64, Error> {
        let line = Location::caller();
        self.scalar(name).map_err(|error| error.at(line))
    }

    fn scalar(&self, name: &str) -> Result<f64, Error> {
        let array = self.whole(name)?;
        match array.numbers()[..] {
            [number] => Ok(number),
            ref many => {
                let message = format!("result `{name}` is {}: {} numbers, not one", array.ty(), many.len());
                Err(arrays(message, "reduce it in the program, or ask for the array with `get`"))
            }
        }
    }
}
