//! From a traced program to one program for all devices, and what there is to say about it.

use crate::error::Error;
use meshwright_base::SourceText;
use meshwright_base::units::{count, exact_bytes};
use meshwright_compile::{Compiled, Options, Unobserved};
use meshwright_cost::{Machine, program_peak, traffic};
use meshwright_ir::{Module, Placement, TensorType};
use meshwright_shard::{Mesh, Sharding};
use meshwright_tensor::{Errors, Program};
use meshwright_text::Format;
use std::sync::Arc;

/// What a traced program can be turned into.
///
/// ```
/// use meshwright::prelude::*;
/// let mesh = Mesh::new([("x", 4)])?;
/// let program = trace("f", |t| t.input("x", f32, [8]).mesh_split(&mesh, ["x"]).sum(..))?;
/// println!("{}", program.to_stablehlo());
/// let partitioned = program.partition()?;
/// # Ok::<(), Error>(())
/// ```
pub trait Partition {
    /// Complete the annotations and write the one program that every device runs.
    ///
    /// ```
    /// use meshwright::prelude::*;
    /// let mesh = Mesh::new([("x", 8)])?;
    /// let program = trace("f", |t| t.input("x", f32, [16]).mesh_split(&mesh, ["x"]).sum(..))?;
    /// println!("{}", program.partition()?.explain());
    /// # Ok::<(), Error>(())
    /// ```
    fn partition(&self) -> Result<Partitioned, Error>;

    /// [`partition`](Partition::partition), told more.
    ///
    /// ```
    /// use meshwright::prelude::*;
    /// let program = trace("f", |t| t.input("x", f32, [8]).sum(..))?;
    /// let partitioned = program.partition_with(&Default::default())?;
    /// # Ok::<(), Error>(())
    /// ```
    fn partition_with(&self, options: &Options) -> Result<Partitioned, Error>;

    /// The program as StableHLO, annotations included, as JAX and XLA read it.
    ///
    /// ```
    /// use meshwright::prelude::*;
    /// let program = trace("f", |t| t.input("x", f32, [16]).relu())?;
    /// assert!(program.to_stablehlo().contains("stablehlo.maximum"));
    /// # Ok::<(), Error>(())
    /// ```
    fn to_stablehlo(&self) -> String;
}

impl Partition for Program {
    fn partition(&self) -> Result<Partitioned, Error> {
        self.partition_with(&Options::default())
    }

    fn partition_with(&self, options: &Options) -> Result<Partitioned, Error> {
        let module = self.module().clone();
        let compiled = meshwright_compile::partition(module, options, &mut Unobserved)?;
        Ok(Partitioned { program: self.clone(), compiled: Arc::new(compiled) })
    }

    fn to_stablehlo(&self) -> String {
        meshwright_text::print(self.module(), Format::Stablehlo)
    }
}

/// A StableHLO or HLO text (from JAX, say) as a program: to be differentiated, partitioned and run like a traced one.
///
/// ```
/// use meshwright::prelude::*;
/// let exported = trace("f", |t| t.input("x", f32, [4]).square().sum(..))?.to_stablehlo();
/// let program = parse("f.mlir", &exported)?.value_and_grad(&["x"])?;
/// let results = program.partition()?.load(1)?.run(&[("x", &Array::filled([4], 3.0f32))])?;
/// assert_eq!(results.get("grad.x")?.to_vec::<f32>()?, [6.0; 4]);
/// # Ok::<(), Error>(())
/// ```
pub fn parse(name: &str, text: &str) -> Result<Program, Error> {
    let source = SourceText::new(name, text);
    let module = meshwright_text::parse(&source).map_err(|found| Errors::in_text(found, &source))?;
    Ok(Program::from_module(module)?)
}

/// One program for all devices.
///
/// ```
/// use meshwright::prelude::*;
/// let mesh = Mesh::new([("x", 4)])?;
/// let program = trace("f", |t| t.input("x", f32, [8]).mesh_split(&mesh, ["x"]).sum(..))?;
/// let partitioned: Partitioned = program.partition()?;
/// println!("{}", partitioned.explain());
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone)]
pub struct Partitioned {
    pub(crate) program: Program,
    pub(crate) compiled: Arc<Compiled>,
}

impl Partitioned {
    /// The program on local shapes, collectives explicit.
    ///
    /// ```
    /// use meshwright::prelude::*;
    /// let mesh = Mesh::new([("x", 4)])?;
    /// let program = trace("f", |t| t.input("x", f32, [8]).mesh_split(&mesh, ["x"]).sum(..))?;
    /// assert_eq!(program.partition()?.module().main().param_values().len(), 1);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn module(&self) -> &Module {
        self.compiled.program.module()
    }

    /// The program as StableHLO.
    ///
    /// ```
    /// use meshwright::prelude::*;
    /// let mesh = Mesh::new([("x", 4)])?;
    /// let program = trace("f", |t| t.input("x", f32, [8]).mesh_split(&mesh, ["x"]).sum(..))?;
    /// assert!(program.partition()?.to_stablehlo().contains("stablehlo.all_reduce"));
    /// # Ok::<(), Error>(())
    /// ```
    pub fn to_stablehlo(&self) -> String {
        meshwright_text::print(self.module(), Format::Stablehlo)
    }

    /// How many devices it is for.
    ///
    /// ```
    /// use meshwright::prelude::*;
    /// let mesh = Mesh::new([("x", 4)])?;
    /// let program = trace("f", |t| t.input("x", f32, [8]).mesh_split(&mesh, ["x"]).sum(..))?;
    /// assert_eq!(program.partition()?.devices(), 4);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn devices(&self) -> usize {
        let meshes = self.module().meshes.values().map(Mesh::device_count).max();
        usize::try_from(meshes.unwrap_or(1).max(1)).unwrap_or(1)
    }

    /// Where every input and result lies, and what the devices send each other.
    ///
    /// ```
    /// use meshwright::prelude::*;
    /// let mesh = Mesh::new([("x", 4)])?;
    /// let program = trace("f", |t| t.input("x", f32, [8]).mesh_split(&mesh, ["x"]).sum(..))?;
    /// assert!(program.partition()?.explain().contains("in  x: f32[8] as f32[2] [x]"));
    /// # Ok::<(), Error>(())
    /// ```
    pub fn explain(&self) -> String {
        let spmd = &self.compiled.program;
        let mut out = format!("{} on {}\n", self.program, count(self.devices(), "device"));
        let inputs = self.program.inputs().iter().map(|input| input.name.as_ref());
        self.places(&mut out, "in ", inputs, &spmd.params);
        let results = self.program.results().iter().map(|result| result.name.as_ref());
        self.places(&mut out, "out", results, &spmd.results);
        out += &crate::collectives::lines(self.module());
        for note in self.program.notes() {
            out += &meshwright_base::diagnostic::render(note, None);
        }
        let traffic = traffic(self.module(), &Machine::default());
        let sends = match traffic.collectives as usize {
            0 => "sends nothing".to_string(),
            number => {
                format!("sends {} in {}", exact_bytes(traffic.sent as i64), count(number, "collective"))
            }
        };
        let peak = exact_bytes(program_peak(self.module()));
        out + &format!("  each device {sends}, peak memory {peak}\n")
    }

    fn places<'a>(
        &self,
        out: &mut String,
        word: &str,
        names: impl Iterator<Item = &'a str>,
        placements: &[Placement],
    ) {
        for (name, placement) in names.zip(placements) {
            let mesh = self.module().meshes.get(placement.sharding.mesh);
            let local = placement.sharding.shard_shape(&placement.global.dims);
            let local = TensorType::new(placement.global.dtype, local);
            let cuts = mesh.map_or(String::new(), |mesh| cuts(mesh, &placement.sharding));
            *out += &format!("  {word} {name}: {} as {local} {cuts}\n", placement.global);
        }
    }
}

/// Returns the axes of each dim, as `[x, _, y]`.
fn cuts(mesh: &Mesh, sharding: &Sharding) -> String {
    let name = |axis: &meshwright_shard::AxisRef| {
        mesh.axes.get(axis.axis).map_or("?", |axis| &axis.name).to_string()
    };
    let dim = |dim: &meshwright_shard::sharding::DimSharding| {
        if dim.axes.is_empty() {
            "_".to_string()
        } else {
            dim.axes.iter().map(name).collect::<Vec<_>>().join("*")
        }
    };
    format!("[{}]", sharding.dims.iter().map(dim).collect::<Vec<_>>().join(", "))
}
