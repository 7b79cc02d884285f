//! Looks at a compilation while it runs: writes the module behind each stage and pass where that is asked for, and the
//! engine's steps behind those, and keeps what the user should be told of the plan.

use crate::args::DumpArgs;
use crate::dumped::Folder;
use crate::failure::{Failure, Fault};
use crate::still::Still;
use meshwright_base::nearest::suggest;
use meshwright_base::{Code, Diagnostic};
use meshwright_compile::{Observer, Options, names};
use meshwright_interp::global::device_count;
use meshwright_ir::{Module, SpmdModule};
use meshwright_runtime::RunError;
use meshwright_spmd::plan::whole::{WholeOperand, whole_operands};
use meshwright_train::run;
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::path::PathBuf;

/// The folder that modules are written to where `--dump-dir` names none.
const DUMP: &str = "MESHWRIGHT_DUMP";

/// Modules cannot be written as they are asked for.
const NOT_DUMPED: Code = Code(727);

#[derive(Default)]
pub struct Stages {
    folder: Option<Folder>,
    /// Those whose modules or steps are written; all if there are none.
    after: Vec<&'static str>,
    /// How many ran, written or not.
    count: usize,
    ran: BTreeSet<&'static str>,
    /// Operands that the plan puts together because it must.
    pub whole: Vec<WholeOperand>,
    failed: Option<Failure>,
    /// Says that a long compilation goes on.
    still: Option<Still>,
}

impl Stages {
    pub fn new(args: &DumpArgs) -> Result<Self, Failure> {
        let folder = folder(args)?.map(Folder::new);
        let still = Still::begun();
        Ok(Stages { folder, after: args.dump_after.clone(), still, ..Stages::default() })
    }

    /// Those of a command that runs its module as it is, because of `why`: there is nothing to write.
    pub fn none(args: &DumpArgs, why: &str, help: &str) -> Result<(), Failure> {
        let DumpArgs { dump_dir, dump_after, verify_each } = args;
        if dump_dir.is_none() && dump_after.is_empty() && !verify_each {
            return Ok(());
        }
        let message =
            format!("`--dump-dir`, `--dump-after` and `--verify-each` are for what is compiled; {why}");
        Err(Failure::new(Fault::Usage, Diagnostic::error(NOT_DUMPED, message).help(help)))
    }

    /// Whether anything may be written.
    pub fn writes(&self) -> bool {
        self.folder.is_some()
    }

    /// The first module that could not be written, if any; else what to tell: of names behind which there was nothing
    /// to write, and of files that an older dump left.
    pub fn finish(&mut self) -> Result<String, Failure> {
        self.still = None;
        if let Some(failure) = self.failed.take() {
            return Err(failure);
        }
        let missed = self.after.iter().filter(|name| !self.ran.contains(*name));
        let missed: String = missed.map(|name| did_not_run(name)).collect();
        Ok(missed + &self.folder.as_ref().map_or(String::new(), Folder::note))
    }

    /// Write the steps that the engine makes of a program, when they are lowered and behind each pass over them.
    pub fn write_steps(&mut self, module: &Module, devices: usize) -> Result<(), RunError> {
        let is_asked_for = self.after.is_empty() || self.after.iter().any(|name| is_of_steps(name));
        if self.writes() && is_asked_for {
            for (name, text) in meshwright_cpu::steps_after_each(module, devices)? {
                self.ran(name, "steps", || text);
            }
        }
        Ok(())
    }

    /// Numbers count every stage and pass that ran, over the module or over steps, written or not.
    fn ran(&mut self, name: &'static str, kind: &str, text: impl FnOnce() -> String) {
        let is_asked_for = self.after.is_empty() || self.after.contains(&name);
        if let Some(folder) = self.folder.as_mut().filter(|_| is_asked_for && self.failed.is_none()) {
            self.failed = folder.write(format!("{:02}-{name}.{kind}", self.count), &text()).err();
        }
        self.ran.insert(name);
        self.count += 1;
    }
}

/// What is said of a name that was asked for in vain, and how it would run.
fn did_not_run(name: &str) -> String {
    let help = if is_of_steps(name) {
        "it is of the CPU engine: `meshwright run FILE --backend cpu` runs it"
    } else if name == meshwright_opt::passes::REMATERIALIZE.name {
        WITHIN_A_LIMIT
    } else {
        "this command ends before it, or had no work for it; `meshwright partition FILE` goes through all"
    };
    format!(
        "note: `--dump-after {name}`: it did not run, so nothing is written behind it\n   = help: {help}\n"
    )
}

impl Observer for Stages {
    fn stage(&mut self, name: &'static str, module: &Module) {
        self.still.iter().for_each(|still| still.behind(name));
        if name == "plan" {
            self.whole = whole_operands(module);
        }
        self.ran(name, "mlir", || meshwright_text::stablehlo::print(module));
    }
}

/// What makes `rematerialize` run.
const WITHIN_A_LIMIT: &str =
    "it runs within a memory limit: `meshwright partition FILE --memory-limit BYTES`, or `--target DEVICE`";

/// Steps before any pass.
const LOWERED: (&str, &str) = ("lower", "makes the engine's steps of a program");

/// What the CPU engine does to steps, with what each does.
pub fn step_names() -> impl Iterator<Item = (&'static str, &'static str)> {
    std::iter::once(LOWERED).chain(meshwright_cpu::PASSES.iter().map(|pass| (pass.name, pass.does)))
}

fn is_of_steps(name: &str) -> bool {
    step_names().any(|(known, _)| known == name)
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
    verify_each: bool,
    /// Names of the programs so far.
    names: RefCell<Vec<String>>,
}

impl Programs {
    pub fn new(args: &DumpArgs) -> Result<Self, Failure> {
        if let Some(name) =
            args.dump_after.iter().find(|name| **name == meshwright_opt::passes::REMATERIALIZE.name)
        {
            let message = format!("`--dump-after {name}`: it runs in none of the programs of a run");
            let told = Diagnostic::error(NOT_DUMPED, message).help(WITHIN_A_LIMIT);
            return Err(Failure::new(Fault::Usage, told));
        }
        let (after, verify_each) = (args.dump_after.clone(), args.verify_each);
        Ok(Programs { folder: folder(args)?, after, verify_each, ..Programs::default() })
    }

    /// Those of one run of several: into a folder of its own.
    pub fn of_run(&self, name: &str) -> Programs {
        let folder = self.folder.as_ref().map(|folder| folder.join(name));
        let (after, verify_each) = (self.after.clone(), self.verify_each);
        Programs { folder, after, verify_each, ..Programs::default() }
    }

    pub fn compile(&self, module: Module) -> Result<SpmdModule, run::Error> {
        let options = Options { verify_each: self.verify_each, ..Options::in_process() };
        let folder = self.folder.as_ref().map(|folder| Folder::new(folder.join(self.named(&module.name))));
        let mut stages = Stages { folder, after: self.after.clone(), ..Stages::default() };
        let program = run::compile_observed(module, &options, &mut stages)?;
        stages.write_steps(program.module(), device_count(&program))?;
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

/// Parses the name of a stage or pass.
pub fn name(text: &str) -> Result<&'static str, String> {
    let known: Vec<&'static str> = names().chain(step_names()).map(|(name, _)| name).collect();
    known.iter().copied().find(|name| *name == text).ok_or_else(|| {
        let near = suggest(text, known.iter().copied()).map_or(String::new(), |near| format!("{near} "));
        format!("{near}the stages and passes are {}", known.join(", "))
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
        assert!(refused.starts_with(
            "did you mean `reduce_scatter`? the stages and passes are prune, fold, batch_indices"
        ));
        assert!(name("qqqqqqqqqqqqqqq").unwrap_err().starts_with("the stages and passes are prune"));
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
