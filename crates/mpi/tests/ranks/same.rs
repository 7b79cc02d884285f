//! The same results over ranks as in one process, bit for bit, and as the interpreter's.

use crate::mpirun;
use meshwright_base::{Id, SourceText};
use meshwright_campaign::{Case, case};
use meshwright_compile::{Options, Unobserved, partition};
use meshwright_cpu::Cpu;
use meshwright_interp::{Style, Tensor, random_inputs, run_global};
use meshwright_ir::{Module, SpmdModule};
use meshwright_mpi::{MpiDevices, MpiOptions};
use meshwright_runtime::devices::place_all;
use meshwright_runtime::{DeviceArray, DeviceId, Devices, HostArray, InProcess, LoadOptions};
use meshwright_shard::Mesh;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

pub const TESTS: &[(&str, fn())] = &[
    ("two_ranks_compute_what_one_process_does", || conformance(2)),
    ("four_ranks_compute_what_one_process_does", || conformance(4)),
];

fn conformance(ranks: usize) {
    let ended = mpirun(ranks, "conformance");
    print!("{}", ended.out);
    assert_eq!(ended.code, Some(0), "{}{}", ended.out, ended.err);
    assert!(ended.out.contains("of"), "{}", ended.err);
}

/// A program with its inputs, and what the interpreter makes of them.
struct Program {
    name: String,
    program: SpmdModule,
    devices: usize,
    inputs: Vec<Tensor>,
    expected: Vec<Tensor>,
}

fn parse(path: &Path) -> Option<Module> {
    let text = std::fs::read_to_string(path).ok()?;
    meshwright_text::parse(&SourceText::new(path.display().to_string(), text)).ok()
}

fn prepared(name: String, module: Module, options: &Options, style: Style) -> Option<Program> {
    meshwright_ir::verify(&module).ok()?;
    let inputs = random_inputs(&module, 1, style).ok()?;
    let expected = run_global(&module, &inputs).ok()?;
    let program = partition(module, options, &mut Unobserved).ok()?.program;
    let meshes = program.module().meshes.values().map(Mesh::device_count).max().unwrap_or(1);
    let devices = usize::try_from(meshes.max(program.module().num_partitions.unwrap_or(1))).ok()?;
    Some(Program { name, program, devices, inputs, expected })
}

/// Partial products whose sum is long enough to be taken range by range, in groups whose positions are not in the order
/// of their devices, and whose elements the ranks do not share evenly.
const LONG_SUM: &str = r#"
sdy.mesh @m = <["x"=2, "y"=4], device_ids=[5, 0, 3, 6, 1, 4, 7, 2]>
func.func @main(%a: tensor<131x16xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {"y"}]>},
                %b: tensor<16x257xf32> {sdy.sharding = #sdy.sharding<@m, [{"y"}, {}]>},
                %c: tensor<16x259xbf16> {sdy.sharding = #sdy.sharding<@m, [{"x", "y"}, {}]>},
                %d: tensor<16x131xbf16> {sdy.sharding = #sdy.sharding<@m, [{"x", "y"}, {}]>})
    -> (tensor<131x257xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {}]>},
        tensor<259x131xbf16> {sdy.sharding = #sdy.sharding<@m, [{}, {}]>}) {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0]
    : (tensor<131x16xf32>, tensor<16x257xf32>) -> tensor<131x257xf32>
  %1 = stablehlo.dot_general %c, %d, contracting_dims = [0] x [0]
    : (tensor<16x259xbf16>, tensor<16x131xbf16>) -> tensor<259x131xbf16>
  return %0, %1 : tensor<131x257xf32>, tensor<259x131xbf16>
}
"#;

/// Golden modules and the campaign's programs, of as many devices as the ranks share evenly.
fn programs(ranks: usize) -> Vec<Program> {
    let golden = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/golden");
    let folders = std::fs::read_dir(golden).map(|all| all.flatten().map(|entry| entry.path()).collect());
    let mut folders: Vec<PathBuf> = folders.unwrap_or_default();
    folders.sort();
    let mut all = Vec::new();
    for folder in folders {
        for file in ["module.mlir", "stablehlo.mlir"] {
            let Some(module) = parse(&folder.join(file)) else { continue };
            let name = folder.display().to_string();
            all.extend(prepared(name, module, &Options::default(), Style::Natural));
        }
    }
    for number in 0..120 {
        let Case { module, exact, machine, .. } = case(11, number);
        let mut options = Options::default();
        options.partition.machine = machine.machine();
        let style = if exact { Style::SmallInts } else { Style::Natural };
        all.extend(prepared(format!("case {number}"), module, &options, style));
    }
    let long =
        meshwright_text::parse(&SourceText::new("long sum", LONG_SUM)).expect("the text above is sound");
    all.push(prepared("long sum".into(), long, &Options::default(), Style::Natural).expect("it partitions"));
    all.retain(|one| one.devices >= ranks && one.devices % ranks == 0);
    all
}

/// Every rank runs all programs; each holds its own devices' results against those of one process.
pub fn rank() -> ExitCode {
    let options = MpiOptions { per_rank: 1, workers: 1, deadline: Duration::from_secs(30) };
    let Some(devices) = MpiDevices::new(options, Arc::new(Cpu::default())) else {
        eprintln!("MPI cannot be started with threads");
        return ExitCode::FAILURE;
    };
    let all = programs(devices.ranks());
    let (mut same, mut wrong) = (0, Vec::new());
    for one in &all {
        match held_against_one_process(one, &devices, options) {
            Ok(()) => same += 1,
            Err(why) => wrong.push(format!("rank {}: {}: {why}", devices.rank(), one.name)),
        }
    }
    println!("rank {}: {same} of {} programs give the bits of one process", devices.rank(), all.len());
    wrong.iter().for_each(|why| println!("{why}"));
    if wrong.is_empty() && same > 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn held_against_one_process(one: &Program, ranks: &MpiDevices, options: MpiOptions) -> Result<(), String> {
    let per_rank = one.devices / ranks.ranks();
    let spread =
        ranks.with(MpiOptions { per_rank, ..options }, Arc::new(Cpu::default())).ok_or("MPI has ended")?;
    let ours = launch(one, &spread)?;
    let together = InProcess::new(one.devices, Some(1), Arc::new(Cpu::default()));
    let theirs = launch(one, &together)?;
    for (i, (ours, theirs)) in ours.iter().zip(&theirs).enumerate() {
        for (shard, device) in ours.shards().map_err(|error| error.to_string())?.iter().zip(spread.local()) {
            let theirs = theirs.shards().map_err(|error| error.to_string())?;
            if shard.bytes() != theirs[device.index()].bytes() {
                return Err(format!("result {i} on device {} has other bits", device.index()));
            }
        }
    }
    let meshes = &one.program.module().meshes;
    for (i, ((result, placement), expected)) in
        theirs.iter().zip(&one.program.results).zip(&one.expected).enumerate()
    {
        let whole = result.to_host(meshes, placement).map_err(|error| error.to_string())?;
        let whole = Tensor::from_bytes(whole.ty, &whole.bytes).ok_or("a result does not fit its type")?;
        let (worst, bits) = (whole.max_difference(expected), expected.dtype().part().bits());
        // Made-up second moments come near zero, where Adam's quotient blows up the last bits of a gradient.
        let allowed = if bits >= 32 { 2e-3 } else { 0.3 };
        if worst > allowed {
            return Err(format!("result {i} differs from the interpreter's by {worst:.3e}"));
        }
    }
    Ok(())
}

fn launch(one: &Program, devices: &dyn Devices) -> Result<Vec<DeviceArray>, String> {
    let array = |x: &Tensor| HostArray { ty: x.ty().clone(), bytes: x.to_bytes() };
    let inputs: Vec<HostArray> = one.inputs.iter().map(array).collect();
    let local: Vec<DeviceId> = devices.local();
    let mut loaded =
        devices.load(&one.program, &LoadOptions::default()).map_err(|error| error.to_string())?;
    let args = place_all(&one.program, &inputs, &local).map_err(|error| error.to_string())?;
    loaded.launch(args, None).map_err(|error| error.to_string())
}
