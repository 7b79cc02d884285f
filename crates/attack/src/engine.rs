//! What must hold of any program: the engine gives what the interpreter gives, or says that it has no kernel.
//!
//! The bytes are choices of the campaign's generator: a program, a mesh, shardings, inputs. It runs as a whole on the
//! interpreter; partitioned, on devices of this process, with the vector instructions that `MESHWRIGHT_CPU` names.

use meshwright_base::Id;
use meshwright_campaign::{check_engine, of_bytes};
use meshwright_cpu::{Cpu, Isa};
use meshwright_interp::Tensor;
use meshwright_ir::SpmdModule;
use meshwright_runtime::devices::place_all;
use meshwright_runtime::{Devices, HostArray, InProcess, LoadOptions, RunErrorKind};
use std::sync::Arc;

/// Workers of the engine: more than one, so that pieces are handed out.
const WORKERS: usize = 2;

/// Make a program of these choices and run it on both.
pub fn engine(data: &[u8]) -> bool {
    if let Err(error) = Isa::select(None) {
        panic!("{error}");
    }
    let case = of_bytes(data);
    if let Err(failure) = check_engine(&case, &launched) {
        let (stage, message) = (failure.stage, failure.message);
        panic!("{stage}: {message}\n{}", meshwright_text::stablehlo::print(&case.module));
    }
    true
}

/// Results of the engine; `None` where it has no kernel.
fn launched(program: &SpmdModule, inputs: &[Tensor]) -> Option<Vec<Tensor>> {
    let module = program.module();
    let count = module.meshes.values().map(|mesh| mesh.device_count()).max().unwrap_or(1);
    let count =
        usize::try_from(count.max(module.num_partitions.unwrap_or(1))).expect("a campaign's mesh is small");
    let set = InProcess::new(count, Some(WORKERS), Arc::new(Cpu::default()));
    let mut loaded = match set.load(program, &LoadOptions::default()) {
        Ok(loaded) => loaded,
        Err(error) if error.kind == RunErrorKind::NotCompiled => return None,
        Err(error) => panic!("{error}"),
    };
    let arrays: Vec<HostArray> =
        inputs.iter().map(|x| HostArray { ty: x.ty().clone(), bytes: x.to_bytes() }).collect();
    let devices: Vec<_> = (0..count).map(Id::from_index).collect();
    let args = place_all(program, &arrays, &devices).unwrap_or_else(|error| panic!("{error}"));
    let results = loaded.launch(args, None).unwrap_or_else(|error| panic!("{error}"));
    let whole = results.iter().zip(&program.results).map(|(result, placement)| {
        let whole = result.to_host(&module.meshes, placement).unwrap_or_else(|error| panic!("{error}"));
        Tensor::from_bytes(whole.ty, &whole.bytes).expect("the engine made bytes that are no tensor")
    });
    Some(whole.collect())
}
