//! Both programs on the CPU engine, for sizes that the interpreter takes minutes for.
//!
//! The module runs on one device, the partitioned program on as many as it is for, from the same arrays and queues. The
//! interpreter judges neither, and the report says so.

use super::alone::{alone, refused};
use crate::args::EngineArgs;
use crate::engine::{as_it_is, failed, in_process, launched, to_host, to_tensor, whole};
use crate::failure::Failure;
use crate::queues;
use crate::views::{Both, Given, beside, sees_one};
use meshwright_base::Id;
use meshwright_campaign::global::device_count;
use meshwright_interp::Tensor;
use meshwright_ir::{Module, SpmdModule};
use meshwright_runtime::devices::place_all;
use meshwright_runtime::{DeviceArray, Devices, HostArray};
use std::sync::Arc;

/// Said of every comparison here.
pub const NOTE: &str = "note: both sides ran on the CPU engine; the interpreter judged neither\n";

/// The module on one device, and its partitioned program.
pub struct Sides<'a> {
    whole: SpmdModule,
    parts: &'a SpmdModule,
    engine: EngineArgs,
    verify_each: bool,
}

impl<'a> Sides<'a> {
    pub fn of(module: &Module, parts: &'a SpmdModule, verify_each: bool) -> Result<Sides<'a>, Failure> {
        let alone = alone(module).map_err(Failure::input)?;
        if !sees_one(parts) {
            return Err(Failure::input(refused("its devices see different arrays")));
        }
        let whole = as_it_is(alone).map_err(|found| Failure::found(found, None))?;
        Ok(Sides { whole, parts, engine: EngineArgs::default(), verify_each })
    }

    /// Run both from these arrays, and from queues that are made up from a seed.
    pub fn run(&self, inputs: &[Tensor], seed: u64) -> Result<Both, Failure> {
        let arrays: Vec<HostArray> = inputs.iter().map(to_host).collect();
        let (whole, of_whole) = self.launch(&self.whole, &arrays, seed)?;
        let (parts, of_parts) = self.launch(self.parts, &arrays, seed)?;
        Ok(Both { results: vec![(whole, parts)], outfeeds: beside(&of_whole, &of_parts) })
    }

    /// Results, and what each device gave out while it ran.
    fn launch(
        &self,
        program: &SpmdModule,
        arrays: &[HostArray],
        seed: u64,
    ) -> Result<(Vec<Tensor>, Given), Failure> {
        let devices = in_process(&self.engine, self.verify_each, device_count(program))?;
        let local = devices.local();
        let args = place_all(program, arrays, &local).map_err(|error| failed(&error))?;
        let queues = Arc::new(queues::on_engine(seed));
        let results = launched(program, &devices, &self.engine, args, Some(&queues))?;
        // Shards go as soon as they are put together: results may be most of what fits.
        let put_together = |(result, placement): (DeviceArray, &_)| {
            let shards: Vec<&[u8]> = result.shards.iter().map(|shard| shard.bytes()).collect();
            whole(program, placement, &shards)
        };
        let results = results.into_iter().zip(&program.results).map(put_together);
        let left = local.iter().map(|device| {
            let arrays: Result<Vec<Tensor>, Failure> = queues.left(*device).iter().map(to_tensor).collect();
            Ok((device.index(), arrays?))
        });
        Ok((results.collect::<Result<_, Failure>>()?, left.collect::<Result<_, Failure>>()?))
    }
}
