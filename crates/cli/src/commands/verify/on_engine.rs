//! Both programs on the CPU engine, for sizes that the interpreter takes minutes for.
//!
//! The module runs on one device, the partitioned program on as many as it is for, from the same arrays and queues. All
//! elements of both are compared; of what the module's instructions make by themselves, one after the other, the
//! interpreter judges elements that are drawn ([`super::sampled`]). The report says how many.

use super::alone::{alone, refused};
use super::judge::apart;
use super::sampled::{Sampled, Sampler, not_sampled, peak_bytes};
use crate::args::EngineArgs;
use crate::commands::run::memory;
use crate::engine::{as_it_is, asked_options, failed, in_process, launched_within, load_options, to_tensor};
use crate::failure::Failure;
use crate::queues;
use crate::views::{Given, beside, sees_one};
use meshwright_base::{Ask, Code, Diagnostic, Id};
use meshwright_interp::Tensor;
use meshwright_interp::global::device_count;
use meshwright_ir::{Module, SpmdModule};
use meshwright_pjrt::PjrtDevices;
use meshwright_runtime::devices::place_all;
use meshwright_runtime::{DeviceArray, Devices, HostArray};
use std::sync::Arc;

/// Results are not what the instructions make one by one.
const JOINED_WRONGLY: Code = Code(617);

/// What both made.
pub struct Ran {
    pub whole: Vec<HostArray>,
    pub parts: Vec<HostArray>,
    /// What each device gave out while it ran: the module, and the program in its place.
    pub outfeeds: Vec<(Vec<Tensor>, Vec<Tensor>)>,
}

/// The module on one device, and its partitioned program.
pub struct Sides<'a> {
    whole: SpmdModule,
    parts: &'a SpmdModule,
    engine: EngineArgs,
    verify_each: bool,
    /// Where the partitioned program runs, if not on the engine.
    plugin: Option<PjrtDevices>,
}

impl<'a> Sides<'a> {
    pub fn of(
        module: &Module,
        parts: &'a SpmdModule,
        verify_each: bool,
        plugin: Option<PjrtDevices>,
    ) -> Result<Sides<'a>, Failure> {
        let alone = alone(module).map_err(Failure::input)?;
        if !sees_one(parts) {
            return Err(Failure::input(refused("its devices see different arrays")));
        }
        let whole = as_it_is(alone, 1).map_err(|found| Failure::found(found, None))?;
        Ok(Sides { whole, parts, engine: EngineArgs::default(), verify_each, plugin })
    }

    /// Said of every comparison.
    pub fn note(&self) -> &'static str {
        match self.plugin {
            None => "note: both sides ran on the CPU engine\n",
            Some(_) => {
                "note: the module ran on the CPU engine, its partitioned program on the plugin's devices\n"
            }
        }
    }

    /// Run both from these arrays, and from queues that are made up from a seed.
    pub fn run(&self, arrays: &[HostArray], seed: u64) -> Result<Ran, Failure> {
        let engine = |program| in_process(&self.engine, self.verify_each, device_count(program));
        let (whole, of_whole) = self.launch(&self.whole, &engine(&self.whole)?, arrays, seed)?;
        let (parts, of_parts) = match &self.plugin {
            Some(plugin) => self.launch(self.parts, plugin, arrays, seed)?,
            None => self.launch(self.parts, &engine(self.parts)?, arrays, seed)?,
        };
        Ok(Ran { whole, parts, outfeeds: beside(&of_whole, &of_parts) })
    }

    /// Run the module's instructions one by one and let the interpreter judge elements of each; a note, and what was
    /// judged. `results` are those of the whole module, which must be the same.
    pub fn sampled(
        &self,
        arrays: &[HostArray],
        results: &[HostArray],
        limit: f64,
        seed: u64,
    ) -> Result<(String, Option<Sampled>), Failure> {
        let module = self.whole.module();
        let left = |why: &str| Ok((format!("note: the interpreter judged no element: {why}\n"), None));
        if let Some(why) = not_sampled(module) {
            return left(why);
        }
        let bytes = peak_bytes(module);
        if bytes > memory::limit() {
            let gigabytes = bytes.div_ceil(1 << 30);
            return left(&format!("what its instructions make, one by one, takes {gigabytes} GB"));
        }
        let devices = in_process(&self.engine, self.verify_each, 1)?;
        let (engine, found) = (&self.engine, Sampled::default());
        let mut sampler = Sampler { module, devices: &devices, engine, limit, found, draw: seed };
        let one_by_one = sampler.run(arrays)?;
        for (at, (own, whole)) in one_by_one.iter().zip(results).enumerate() {
            let difference = apart(own, whole, |_| ()).relative();
            if difference > limit {
                return Err(Failure::input(joined_wrongly(at, difference)));
            }
        }
        Ok((sampler.found.told(), Some(sampler.found)))
    }

    /// Results, and what each device gave out while it ran.
    fn launch(
        &self,
        program: &SpmdModule,
        devices: &dyn Devices,
        arrays: &[HostArray],
        seed: u64,
    ) -> Result<(Vec<HostArray>, Given), Failure> {
        let local = devices.local();
        let args = place_all(program, arrays, &local).map_err(|error| failed(&error))?;
        let queues = Arc::new(queues::on_engine(seed));
        let options = match self.plugin {
            // It knows how much its devices have, and the one here has the host to itself.
            Some(_) => asked_options(&self.engine),
            None => load_options(&self.engine, local.len()),
        };
        let results = launched_within(&options, program, devices, &self.engine, args, Some(&queues))?;
        // Shards go as soon as they are put together: results may be most of what fits.
        let put_together = |(result, placement): (DeviceArray, &_)| {
            result.to_host(&program.module().meshes, placement).map_err(|error| failed(&error))
        };
        let results = results.into_iter().zip(&program.results).map(put_together);
        let left = local.iter().map(|device| {
            let arrays: Result<Vec<Tensor>, Failure> = queues.left(*device).iter().map(to_tensor).collect();
            Ok((device.index(), arrays?))
        });
        Ok((results.collect::<Result<_, Failure>>()?, left.collect::<Result<_, Failure>>()?))
    }
}

fn joined_wrongly(result: usize, difference: f64) -> Diagnostic {
    let message = format!(
        "result {result} differs by {difference:.3e} of its largest element from what its instructions make one by one"
    );
    Diagnostic::error(JOINED_WRONGLY, message)
        .note("the engine joins instructions wrongly, or the module is very sensitive to rounding")
        .help(format!(
            "see which: the interpreter runs all of it with `{}`, smaller with `{}`",
            Ask::Text("backend", "interp"),
            Ask::Flag("scaled")
        ))
}
