//! Looks at a compilation while it runs: writes each stage's module where `MESHWRIGHT_DUMP` says, and keeps what the user
//! should be told of the plan.

use crate::failure::Failure;
use crate::input;
use meshwright_compile::Observer;
use meshwright_ir::Module;
use meshwright_spmd::plan::whole::{WholeOperand, whole_operands};
use std::path::PathBuf;

/// The folder every stage's module is written to, as `00-complete.mlir` and so on.
const DUMP: &str = "MESHWRIGHT_DUMP";

#[derive(Default)]
pub struct Stages {
    dump: Option<PathBuf>,
    count: usize,
    /// Operands that the plan puts together because it must.
    pub whole: Vec<WholeOperand>,
    failed: Option<Failure>,
}

impl Stages {
    pub fn new() -> Self {
        Stages { dump: std::env::var_os(DUMP).map(PathBuf::from), ..Stages::default() }
    }

    /// The first module that could not be written, if any.
    pub fn finish(&mut self) -> Result<(), Failure> {
        self.failed.take().map_or(Ok(()), Err)
    }

    fn write(&self, name: &str, module: &Module) -> Result<(), Failure> {
        let Some(folder) = &self.dump else { return Ok(()) };
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
