//! Both programs on the CPU engine, for sizes that the interpreter takes minutes for.
//!
//! The module runs on one device, the partitioned program on as many as it is for, from the same arrays. The
//! interpreter judges neither, and the report says so.

use super::alone::alone;
use crate::args::EngineArgs;
use crate::engine::{as_it_is, failed, in_process, load_options, to_host, to_tensor};
use crate::failure::Failure;
use crate::views::sees_one;
use meshwright_base::{Code, Diagnostic};
use meshwright_campaign::global::device_count;
use meshwright_interp::Tensor;
use meshwright_ir::{Module, SpmdModule};
use meshwright_runtime::devices::place_all;
use meshwright_runtime::{DeviceArray, Devices, HostArray, assemble, interrupt};

/// Said of every comparison here.
pub const NOTE: &str = "note: both sides ran on the CPU engine; the interpreter judged neither\n";

/// The module on one device, and its partitioned program.
pub struct Sides<'a> {
    whole: SpmdModule,
    parts: &'a SpmdModule,
    engine: EngineArgs,
}

impl<'a> Sides<'a> {
    pub fn of(module: &Module, parts: &'a SpmdModule) -> Result<Sides<'a>, Failure> {
        if !sees_one(parts) {
            let message = "its devices see different arrays, which the CPU engine does not compare";
            let help = "verify it on the interpreter: drop `--backend cpu`";
            return Err(Failure::input(Diagnostic::error(Code(614), message).help(help)));
        }
        let whole =
            as_it_is(alone(module).map_err(Failure::input)?).map_err(|found| Failure::found(found, None))?;
        Ok(Sides { whole, parts, engine: EngineArgs::default() })
    }

    /// Results of the module and of its partitioned program.
    pub fn run(&self, inputs: &[Tensor]) -> Result<(Vec<Tensor>, Vec<Tensor>), Failure> {
        let arrays: Vec<HostArray> = inputs.iter().map(to_host).collect();
        Ok((self.launch(&self.whole, &arrays)?, self.launch(self.parts, &arrays)?))
    }

    fn launch(&self, program: &SpmdModule, arrays: &[HostArray]) -> Result<Vec<Tensor>, Failure> {
        let devices = in_process(&self.engine, device_count(program))?;
        let local = devices.local();
        let run = || {
            let args = place_all(program, arrays, &local)?;
            let mut executable = devices.load(program, &load_options(&self.engine, local.len()))?;
            executable.launch(args, None)
        };
        let _listening = interrupt::listen();
        let results = run().map_err(|error| failed(&error))?;
        // Shards go as soon as they are put together: results may be most of what fits.
        let whole = |(result, placement): (DeviceArray, &_)| {
            let shards: Vec<&[u8]> = result.shards.iter().map(|shard| shard.bytes()).collect();
            let array = assemble(&program.module().meshes, placement, &shards);
            to_tensor(&array.map_err(|error| failed(&error))?)
        };
        results.into_iter().zip(&program.results).map(whole).collect()
    }
}
