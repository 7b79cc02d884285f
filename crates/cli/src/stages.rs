//! Looks at a compilation while it runs: writes the module behind each stage and pass where that is asked for, and
//! keeps what the user should be told of the plan.

use crate::args::DumpArgs;
use crate::failure::{Failure, Fault};
use crate::input;
use meshwright_base::nearest::suggest;
use meshwright_base::{Code, Diagnostic};
use meshwright_compile::{Observer, names};
use meshwright_ir::{Module, SpmdModule};
use meshwright_spmd::plan::whole::{WholeOperand, whole_operands};
use meshwright_train::run;
use std::cell::RefCell;
use std::path::PathBuf;

/// The folder that modules are written to where `--dump-dir` names none.
const DUMP: &str = "MESHWRIGHT_DUMP";

/// Modules cannot be written as they are asked for.
const NOT_DUMPED: Code = Code(727);

#[derive(Default)]
pub struct Stages {
    folder: Option<PathBuf>,
    /// Those whose modules are written; all if there are none.
    after: Vec<&'static str>,
    count: usize,
    /// Operands that the plan puts together because it must.
    pub whole: Vec<WholeOperand>,
    failed: Option<Failure>,
}

impl Stages {
    pub fn new(args: &DumpArgs) -> Result<Self, Failure> {
        Ok(Stages { folder: folder(args)?, after: args.dump_after.clone(), ..Stages::default() })
    }

    /// Those of a command that runs its module as it is, because of `why`: there is nothing to write.
    pub fn none(args: &DumpArgs, why: &str, help: &str) -> Result<(), Failure> {
        if args.dump_dir.is_none() && args.dump_after.is_empty() {
            return Ok(());
        }
        let message = format!("`--dump-dir` and `--dump-after` are for what is compiled; {why}");
        Err(Failure::new(Fault::Usage, Diagnostic::error(NOT_DUMPED, message).help(help)))
    }

    /// The same of an engine's command: passes over its steps may be asked for nevertheless.
    pub fn steps_only(args: &DumpArgs, why: &str, help: &str) -> Result<(), Failure> {
        let steps = !args.dump_after.is_empty() && args.dump_after.iter().all(|name| is_of_steps(name));
        if steps { Ok(()) } else { Stages::none(args, why, help) }
    }

    /// Whether any module may be written.
    pub fn writes(&self) -> bool {
        self.folder.is_some()
    }

    /// The first module that could not be written, if any.
    pub fn finish(&mut self) -> Result<(), Failure> {
        self.failed.take().map_or(Ok(()), Err)
    }

    /// Numbers count every stage and pass that ran, written or not.
    fn write(&self, name: &'static str, module: &Module) -> Result<(), Failure> {
        let is_asked_for = self.after.is_empty() || self.after.contains(&name);
        let Some(folder) = self.folder.as_ref().filter(|_| is_asked_for) else { return Ok(()) };
        std::fs::create_dir_all(folder)
            .map_err(|error| input::unwritable(&folder.display().to_string(), &error))?;
        let path = folder.join(format!("{:02}-{name}.mlir", self.count));
        input::write_file(&path, meshwright_text::stablehlo::print(module).as_bytes())
    }
}

impl Observer for Stages {
    fn stage(&mut self, name: &'static str, module: &Module) {
        if name == "plan" {
            self.whole = whole_operands(module);
        }
        let written = self.write(name, module);
        self.failed = self.failed.take().or(written.err());
        self.count += 1;
    }
}

/// Steps before any pass.
const LOWERED: (&str, &str) = ("lower", "makes the engine's steps of a program");

/// What the CPU engine does to steps, with what each does: `--dump-after` writes their text where it is named.
pub fn step_names() -> impl Iterator<Item = (&'static str, &'static str)> {
    std::iter::once(LOWERED).chain(meshwright_cpu::PASSES.iter().map(|pass| (pass.name, pass.does)))
}

fn is_of_steps(name: &str) -> bool {
    step_names().any(|(known, _)| known == name)
}

/// Write the steps that the engine makes of a program, behind the passes over them that are asked for.
pub fn write_steps(args: &DumpArgs, module: &Module, devices: usize) -> Result<(), Failure> {
    let asked = |name: &str| args.dump_after.contains(&name);
    let Some(folder) = folder(args)?.filter(|_| step_names().any(|(name, _)| asked(name))) else {
        return Ok(());
    };
    let texts = meshwright_cpu::steps_after_each(module, devices).map_err(|error| {
        Failure::new(
            Fault::Input,
            Diagnostic::error(NOT_DUMPED, format!("no steps to write: {}", error.message)),
        )
    })?;
    std::fs::create_dir_all(&folder)
        .map_err(|error| input::unwritable(&folder.display().to_string(), &error))?;
    let mut asked_for = texts.iter().enumerate().filter(|(_, (name, _))| asked(name));
    asked_for.try_for_each(|(at, (name, text))| {
        input::write_file(&folder.join(format!("{at:02}-{name}.steps")), text.as_bytes())
    })
}

/// Where modules are written, if anywhere.
fn folder(args: &DumpArgs) -> Result<Option<PathBuf>, Failure> {
    let folder = args.dump_dir.clone().or_else(|| std::env::var_os(DUMP).map(PathBuf::from));
    match (args.dump_after.first(), &folder) {
        (Some(name), None) => {
            let message = format!("`--dump-after {name}`, but no folder to write to");
            let help = format!("add `--dump-dir DIR`, or set {DUMP}");
            Err(Failure::new(Fault::Usage, Diagnostic::error(NOT_DUMPED, message).help(help)))
        }
        _ => Ok(folder),
    }
}

/// Compiles the programs of a run, and writes their modules each into a folder of its program's name: `DIR/step`.
#[derive(Default)]
pub struct Programs {
    folder: Option<PathBuf>,
    after: Vec<&'static str>,
    /// Names of the programs so far.
    names: RefCell<Vec<String>>,
}

impl Programs {
    pub fn new(args: &DumpArgs) -> Result<Self, Failure> {
        Ok(Programs { folder: folder(args)?, after: args.dump_after.clone(), ..Programs::default() })
    }

    /// Those of one run of several: into a folder of its own.
    pub fn of_run(&self, name: &str) -> Programs {
        let folder = self.folder.as_ref().map(|folder| folder.join(name));
        Programs { folder, after: self.after.clone(), ..Programs::default() }
    }

    pub fn compile(&self, module: Module) -> Result<SpmdModule, run::Error> {
        let folder = self.folder.as_ref().map(|folder| folder.join(self.named(&module.name)));
        let mut stages = Stages { folder, after: self.after.clone(), ..Stages::default() };
        let program = run::compile_observed(module, &mut stages)?;
        match stages.failed.and_then(|mut failure| failure.diagnostics.pop()) {
            None => Ok(program),
            Some(unwritable) => Err(run::Error::Environment(unwritable)),
        }
    }

    /// A program's name; with a number if there was one of that name before.
    fn named(&self, name: &str) -> String {
        let mut names = self.names.borrow_mut();
        let count = names.iter().filter(|other| *other == name).count();
        names.push(name.to_string());
        if count == 0 { name.to_string() } else { format!("{name}-{}", count + 1) }
    }
}

/// A stage or pass that is named; for `clap`.
pub fn name(text: &str) -> Result<&'static str, String> {
    let known: Vec<&'static str> = names().chain(step_names()).map(|(name, _)| name).collect();
    known.iter().copied().find(|name| *name == text).ok_or_else(|| {
        let near = suggest(text, known.iter().copied()).map_or(String::new(), |near| format!("{near} "));
        format!("{near}known are {}", known.join(", "))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_that_is_unknown_is_refused_with_the_nearest_and_the_list() {
        assert_eq!(name("reduce_scatter"), Ok("reduce_scatter"));
        assert_eq!(name("plan"), Ok("plan"));
        assert_eq!(name("join_bands"), Ok("join_bands"));
        let refused = name("reduce-scater").unwrap_err();
        assert!(refused.starts_with("did you mean `reduce_scatter`? known are prune, fold, batch_indices"));
        assert!(name("qqqqqqqqqqqqqqq").unwrap_err().starts_with("known are prune"));
    }

    #[test]
    fn no_pass_is_called_as_a_stage_or_another() {
        let mut all: Vec<&str> = names().chain(step_names()).map(|(name, _)| name).collect();
        let count = all.len();
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), count);
    }
}
