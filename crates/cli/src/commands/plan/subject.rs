//! What is planned: a module, a model at a paper's size, or a training run, and the same with something changed.

use crate::failure::{Failure, Fault};
use crate::load::{Loaded, is_partitioned, load_located, stated_devices};
use crate::located::located;
use crate::plan_args::SubjectArgs;
use crate::preset::OfImages;
use crate::read::read_with_spans;
use crate::training::{axes, checked, set, shown_axes};
use crate::{input, preset};
use meshwright_base::{Ask, Code, Diagnostic, SourceText};
use meshwright_ir::Module;
use meshwright_nn::models::presets::{self, Preset};
use meshwright_shard::Axis;
use meshwright_spmd::Goal;
use meshwright_train::Config;
use meshwright_train::config::Axes;
use meshwright_train::data::source::Vocabularies;
use meshwright_train::run::{TrainingPlan, step_program};
use std::path::Path;

const CHANGE: Code = Code(1182);

/// Something with a step.
pub enum Subject {
    File(Box<Loaded>),
    Preset(Box<Preset>),
    Images(OfImages),
    Run(Box<Config>),
}

/// What is done otherwise than it says itself.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Change {
    pub mesh: Option<Axes>,
    pub batch: Option<i64>,
    pub microbatches: Option<i64>,
    pub recompute: Option<bool>,
    pub goal: Goal,
}

/// A module with what is known of its batch.
pub struct Subjected {
    pub module: Module,
    pub text: SourceText,
    /// Sequences and tokens of a step.
    pub sequences: Option<f64>,
    pub tokens: Option<f64>,
    pub mesh: Axes,
}

impl Change {
    pub fn of(args: &SubjectArgs) -> Result<Change, Failure> {
        let mesh = args.mesh.as_deref().map(axes).transpose()?;
        Ok(Change {
            mesh,
            batch: args.batch,
            microbatches: args.microbatches,
            recompute: args.recompute,
            goal: Goal::default(),
        })
    }

    /// What is changed beside the mesh: options and their values.
    pub fn numbers(&self) -> Vec<(&'static str, String)> {
        let parts = [
            self.batch.map(|n| ("batch", n.to_string())),
            self.microbatches.map(|n| ("microbatches", n.to_string())),
            self.recompute.map(|does| ("recompute", does.to_string())),
        ];
        parts.into_iter().flatten().collect()
    }

    /// All of it, to be asked for.
    pub fn asks<'a>(&'a self, numbers: &'a [(&'static str, String)]) -> Vec<Ask<'a>> {
        let mesh = self.mesh.as_ref().map(|mesh| Ask::Sizes("mesh", &mesh.0));
        let least = (self.goal == Goal::Seconds).then_some(Ask::Text("least", "seconds"));
        let numbers = numbers.iter().map(|(name, value)| Ask::Option(name, value));
        mesh.into_iter().chain(numbers).chain(least).collect()
    }
}

impl Subject {
    pub fn open(args: &SubjectArgs) -> Result<Subject, Failure> {
        let path = &args.what;
        if path.extension().is_some_and(|extension| extension == "toml") {
            let text = input::read(path)?;
            let config = Config::read(&text).map_err(|found| Failure::in_text(text.clone(), found))?;
            return run(config, Some(&text), &args.set);
        }
        let subject = match preset::name(path) {
            Some(name) => of_preset(name, args)?,
            None => Subject::File(Box::new(load_located(path)?)),
        };
        match (&subject, args.set.first()) {
            (Subject::File(_) | Subject::Preset(_) | Subject::Images(_), Some(set)) => {
                Err(unchangeable(&format!("--set {set}"), path))
            }
            _ => Ok(subject),
        }
    }

    /// Sequences in a batch, if it has some that can be changed.
    pub fn batch(&self) -> Option<i64> {
        match self {
            Subject::File(_) => None,
            Subject::Preset(preset) => Some(preset.batch),
            Subject::Images(of) => Some(of.batch()),
            Subject::Run(config) => Some(config.data.batch as i64),
        }
    }

    pub fn microbatches(&self) -> i64 {
        match self {
            Subject::File(_) | Subject::Images(_) => 1,
            Subject::Preset(preset) => preset.pipeline.map_or(1, |piped| piped.microbatches),
            Subject::Run(config) => config.optimizer.accumulate as i64,
        }
    }

    /// Whether blocks are computed again, where that is a choice.
    pub fn recomputes(&self) -> Option<bool> {
        match self {
            Subject::File(_) | Subject::Images(_) => None,
            Subject::Preset(preset) => Some(preset.recompute),
            Subject::Run(config) => Some(config.model.recompute),
        }
    }

    /// Its step with a change.
    pub fn with(&self, change: &Change) -> Result<Subjected, Failure> {
        match self {
            Subject::File(loaded) => file(loaded, change),
            Subject::Preset(preset) => at_paper_size(preset, change),
            Subject::Images(of) => of_images(*of, change),
            Subject::Run(config) => configured(config, change),
        }
    }
}

fn of_preset(name: &str, args: &SubjectArgs) -> Result<Subject, Failure> {
    if let Some(found) = presets::find(name) {
        return Ok(Subject::Preset(Box::new(found)));
    }
    if !preset::is_known(name) {
        return Err(preset::unknown(name));
    }
    if let Some(found) = OfImages::find(name) {
        return Ok(Subject::Images(found));
    }
    let text = meshwright_train::preset::preset(name).map_err(Failure::input)?;
    let config = Config::read(&text).map_err(|found| Failure::in_text(text.clone(), found))?;
    run(config, Some(&text), &args.set)
}

fn run(mut config: Config, text: Option<&SourceText>, sets: &[String]) -> Result<Subject, Failure> {
    set(&mut config, sets)?;
    checked(&config, text)?;
    Ok(Subject::Run(Box::new(config)))
}

fn unchangeable(what: &str, path: &Path) -> Failure {
    let message = format!("`{what}`, but `{}` is no configuration of a training run", path.display());
    let help = "a module's sizes are written in it: make another, or plan a preset or a FILE.toml";
    Failure::new(Fault::Usage, Diagnostic::error(CHANGE, message).help(help))
}

/// A module over meshes of other sizes: its annotations name axes.
fn file(loaded: &Loaded, change: &Change) -> Result<Subjected, Failure> {
    if let Some((name, value)) = change.numbers().first() {
        return Err(unchangeable(&Ask::Option(name, value).to_string(), Path::new(&loaded.text.name)));
    }
    let module = match &change.mesh {
        Some(_) if is_partitioned(&loaded.module) => {
            let message = format!(
                "`{}`, but `{}` is partitioned already, for {} devices",
                Ask::Either { line: "--mesh", python: "mesh=" },
                loaded.text.name,
                stated_devices(&loaded.module)
            );
            let help = "its shapes and groups are those of one mesh: name the module that it was made from";
            return Err(Failure::new(Fault::Usage, Diagnostic::error(CHANGE, message).help(help)));
        }
        Some(axes) => resized(loaded, axes)?,
        None => loaded.module.clone(),
    };
    // Costs are counted call by call.
    meshwright_ir::check_unfolded(&module).map_err(Failure::input)?;
    let largest = module.meshes.values().max_by_key(|mesh| mesh.device_count());
    let axes = largest.map_or_else(Axes::default, |mesh| {
        Axes(mesh.axes.values().map(|axis| (axis.name.to_string(), axis.size as usize)).collect())
    });
    Ok(Subjected { module, text: loaded.text.clone(), sequences: None, tokens: None, mesh: axes })
}

/// The module with other sizes of its axes: read again from a text in which its meshes say so. An order of devices is
/// one of that many, and goes.
fn resized(loaded: &Loaded, axes: &Axes) -> Result<Module, Failure> {
    check_names(&loaded.module, axes)?;
    let size = |axis: &Axis| axes.size(&axis.name).map_or(axis.size, |size| size as i64);
    let meshes = loaded.module.meshes.values();
    let devices = meshes.map(|mesh| mesh.axes.values().map(size).product::<i64>()).max().unwrap_or(1);
    let lines = loaded.text.text.lines().map(|line| match line.split_whitespace().next() {
        Some("sdy.mesh") => with_sizes(line, axes),
        Some("module") => with_devices(line, devices),
        _ => line.to_string(),
    });
    let text = SourceText::new(loaded.text.name.clone(), lines.collect::<Vec<_>>().join("\n") + "\n");
    if text.text.trim_end() == loaded.text.text.trim_end() {
        return unchanged(loaded, axes);
    }
    let (module, spans) = read_with_spans(&text).map_err(|found| Failure::in_text(text.clone(), found))?;
    Ok(located(module, &spans, &text))
}

/// A module whose text says no sizes: it is as it is.
fn unchanged(loaded: &Loaded, axes: &Axes) -> Result<Module, Failure> {
    let mut all = loaded.module.meshes.values().flat_map(|mesh| mesh.axes.values());
    if all.all(|axis| axes.size(&axis.name).is_none_or(|size| size as i64 == axis.size)) {
        return Ok(loaded.module.clone());
    }
    let message = format!(
        "`{}`, but the module's shardings say devices by number",
        Ask::Either { line: "--mesh", python: "mesh=" }
    );
    let rewritten =
        Ask::Either { line: "meshwright print --format stablehlo", python: "to_text(format=\"stablehlo\")" };
    let help = format!("lower it for another mesh, or rewrite it with named axes: `{rewritten}`");
    Err(Failure::new(Fault::Usage, Diagnostic::error(CHANGE, message).help(help)))
}

/// `sdy.mesh @m = <["x"=4, "y"=2], ..>` with other sizes. If all its axes are listed, its devices are counted along
/// them as they are listed.
fn with_sizes(line: &str, axes: &Axes) -> String {
    let (Some(start), Some(end)) = (line.find('['), line.find(']')) else { return line.to_string() };
    let was = line[start + 1..end].trim();
    let parts = was.split(',').map(|part| {
        let (name, was) = part.split_once('=').unwrap_or((part, ""));
        let name = name.trim().trim_matches('"').to_string();
        let size = axes.size(&name).map_or_else(|| was.trim().to_string(), |size| size.to_string());
        (name, size)
    });
    let parts: Vec<(String, String)> = parts.collect();
    let made = parts.iter().map(|(name, size)| format!("\"{name}\"={size}")).collect::<Vec<_>>().join(", ");
    let start = &line[..start];
    match listed_order(&parts, axes) {
        Some(order) if order.is_sorted() => format!("{start}[{made}]>"),
        Some(order) => {
            let order = order.iter().map(i64::to_string).collect::<Vec<_>>().join(", ");
            format!("{start}[{made}], device_ids=[{order}]>")
        }
        None if made == was => line.to_string(),
        None => format!("{start}[{made}]>"),
    }
}

/// The device at each place of a mesh with these axes, if devices are counted along the axes as they are listed;
/// `None` if not all of its axes are.
fn listed_order(mesh: &[(String, String)], axes: &Axes) -> Option<Vec<i64>> {
    let at = |name: &str| axes.0.iter().position(|(listed, _)| listed == name);
    let listed: Vec<usize> = mesh.iter().map(|(name, _)| at(name)).collect::<Option<_>>()?;
    let sizes: Vec<i64> = mesh.iter().map(|(_, size)| size.parse().ok()).collect::<Option<_>>()?;
    // How far apart devices are that differ in one step along an axis: by the axes that are listed behind it.
    let stride = |axis: usize| {
        let behind = listed.iter().zip(&sizes).filter(|(other, _)| **other > listed[axis]);
        behind.map(|(_, size)| *size).product::<i64>()
    };
    let strides: Vec<i64> = (0..sizes.len()).map(stride).collect();
    let mut order = vec![0];
    for (size, stride) in sizes.iter().zip(&strides) {
        order = order.iter().flat_map(|before| (0..*size).map(move |step| before + step * stride)).collect();
    }
    Some(order)
}

/// `module @m attributes {mhlo.num_partitions = 8 : i32, ..}` with another number, if it says one.
fn with_devices(line: &str, devices: i64) -> String {
    const SAID: &str = "num_partitions = ";
    let Some(at) = line.find(SAID).map(|at| at + SAID.len()) else { return line.to_string() };
    let rest = line[at..].trim_start_matches(|digit: char| digit.is_ascii_digit());
    format!("{}{devices}{rest}", &line[..at])
}

fn check_names(module: &Module, axes: &Axes) -> Result<(), Failure> {
    let all = module.meshes.values().flat_map(|mesh| mesh.axes.values());
    let names: Vec<String> = all.map(|axis| axis.name.to_string()).collect();
    let Some((name, _)) = axes.0.iter().find(|(name, _)| !names.contains(name)) else { return Ok(()) };
    let near = meshwright_base::nearest::suggest(name, names.iter().map(String::as_str));
    let listed = format!("its axes are {}", names.join(", "));
    let help = near.into_iter().chain([listed]).collect::<Vec<_>>().join(" ");
    let message = format!("no mesh of the module has an axis `{name}`");
    Err(Failure::new(Fault::Usage, Diagnostic::error(CHANGE, message).help(help)))
}

fn at_paper_size(preset: &Preset, change: &Change) -> Result<Subjected, Failure> {
    let own = preset.mesh.iter().map(|(name, size)| (name.to_string(), *size as usize)).collect();
    let axes = change.mesh.clone().unwrap_or(Axes(own));
    let mut preset = Preset { batch: change.batch.unwrap_or(preset.batch), ..*preset };
    preset.recompute = change.recompute.unwrap_or(preset.recompute);
    let mut training = preset.training();
    match (&mut preset.pipeline, change.microbatches) {
        (Some(piped), Some(parts)) => piped.microbatches = parts,
        (None, Some(parts)) => training.microbatches = parts,
        (_, None) => {}
    }
    let wrong = |errors: meshwright_nn::tensor::Errors| Failure::found(errors.diagnostics(), None);
    let mesh =
        meshwright_nn::tensor::Mesh::new(axes.0.iter().map(|(name, size)| (name.as_str(), *size as i64)));
    let mesh = mesh.map_err(wrong)?;
    let program = preset.model().train_step(&training, &preset.table.rules(&mesh));
    let program =
        program.map_err(|errors| lacking(&preset, &axes, &errors).unwrap_or_else(|| wrong(errors)))?;
    let sides =
        if matches!(preset.model(), presets::Built::EncoderDecoder(_)) { target_length(&preset) } else { 0 };
    Ok(Subjected {
        module: program.into_module(),
        text: SourceText::new(format!("preset:{}", preset.name), String::new()),
        sequences: Some(preset.batch as f64),
        tokens: Some((preset.batch * (preset.length + sides)) as f64),
        mesh: axes,
    })
}

/// What is wrong with axes that lack one which errors are about: the table splits something over it.
fn lacking(preset: &Preset, axes: &Axes, errors: &meshwright_nn::tensor::Errors) -> Option<Failure> {
    let found = errors.diagnostics();
    let is_told = |axis: &&&str| found.iter().any(|one| one.message.contains(&format!("`{axis}`")));
    let is_there = |axis: &str| axes.0.iter().any(|(known, _)| known == axis);
    let axis = preset.table.axes.iter().filter(|axis| !is_there(axis)).find(is_told)?;
    let given = shown_axes(axes);
    let message =
        format!("`preset:{}` splits something over axis `{axis}`, which `{given}` has not", preset.name);
    let help = format!(
        "write `--mesh {given},{axis}=1` for one device along it; its axes are {}",
        preset.table.axes.join(", ")
    );
    Some(Failure::new(Fault::Usage, Diagnostic::error(CHANGE, message).help(help)))
}

/// A model of images, whose blocks are as they are.
fn of_images(of: OfImages, change: &Change) -> Result<Subjected, Failure> {
    let name = format!("preset:{}", of.name());
    if let Some(recompute) = change.recompute {
        let ask = Ask::Option("recompute", &recompute.to_string()).to_string();
        let message = format!("`{ask}`, but `{name}` has no blocks to compute again");
        let help = "leave it out: what is computed again to fit into memory is found by itself";
        return Err(Failure::new(Fault::Usage, Diagnostic::error(CHANGE, message).help(help)));
    }
    let own = of.mesh().into_iter().map(|(name, size)| (name.to_string(), size as usize));
    let axes = change.mesh.clone().unwrap_or_else(|| Axes(own.collect()));
    if let Some((axis, _)) = axes.0.iter().find(|(axis, _)| !of.axes().contains(&axis.as_str())) {
        let message = format!("`{name}` puts nothing on axis `{axis}`");
        let help = format!("its axes are {}", of.axes().join(", "));
        return Err(Failure::new(Fault::Usage, Diagnostic::error(CHANGE, message).help(help)));
    }
    let batch = change.batch.unwrap_or(of.batch());
    let mesh: Vec<(&str, i64)> = axes.0.iter().map(|(name, size)| (name.as_str(), *size as i64)).collect();
    let program = of.step_over(&mesh, [batch, change.microbatches.unwrap_or(1)]);
    let program = program.map_err(|errors| Failure::found(errors.diagnostics(), None))?;
    Ok(Subjected {
        module: program.into_module(),
        text: SourceText::new(name, String::new()),
        sequences: Some(batch as f64),
        tokens: None,
        mesh: axes,
    })
}

/// Tokens of a target sequence.
fn target_length(preset: &Preset) -> i64 {
    match preset.model() {
        presets::Built::EncoderDecoder(model) => model.target_length,
        presets::Built::Language(_) | presets::Built::Conformer(_) => 0,
    }
}

fn configured(config: &Config, change: &Change) -> Result<Subjected, Failure> {
    let mut config = config.clone();
    let whole = |n: i64| usize::try_from(n).unwrap_or(1);
    config.data.batch = change.batch.map_or(config.data.batch, whole);
    config.optimizer.accumulate = change.microbatches.map_or(config.optimizer.accumulate, whole);
    config.model.recompute = change.recompute.unwrap_or(config.model.recompute);
    config.mesh.axes = change.mesh.clone().unwrap_or(config.mesh.axes);
    // What stands where a field was written has been checked: what is left is said of what was changed.
    checked(&config, None).map_err(|failure| failure.without_places())?;
    let source = config.data.vocabulary.saturating_add(config.data.sentinels);
    let target = if config.has_two_vocabularies() { config.data.target_vocabulary } else { source };
    let wrong = |found: Vec<Diagnostic>| Failure::found(found, None);
    let plan = TrainingPlan::of(&config, Vocabularies { source, target }).map_err(wrong)?;
    let program = step_program(&plan).map_err(|errors| wrong(errors.diagnostics()))?;
    Ok(Subjected {
        module: program.into_module(),
        text: SourceText::new("the training step", String::new()),
        sequences: Some(plan.training.batch as f64),
        tokens: Some(plan.places() as f64),
        mesh: config.mesh.axes.clone(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn axes_in_another_order_count_devices_along_it() {
        let axes = |list: &[(&str, usize)]| {
            Axes(list.iter().map(|(name, size)| (name.to_string(), *size)).collect())
        };
        let line = "sdy.mesh @m = <[\"x\"=4, \"y\"=2], device_ids=[7, 6, 5, 4, 3, 2, 1, 0]>";
        let made = |list: &[(&str, usize)]| with_sizes(line, &axes(list));
        assert_eq!(made(&[("x", 4)]), line, "as it is");
        assert_eq!(made(&[("x", 4), ("y", 2)]), "sdy.mesh @m = <[\"x\"=4, \"y\"=2]>");
        assert_eq!(made(&[("x", 2)]), "sdy.mesh @m = <[\"x\"=2, \"y\"=2]>");
        assert_eq!(
            made(&[("y", 2), ("x", 3)]),
            "sdy.mesh @m = <[\"x\"=3, \"y\"=2], device_ids=[0, 3, 1, 4, 2, 5]>"
        );
    }
}
