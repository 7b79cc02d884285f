//! Steps of training: what stays on the devices is sent there once, batches are all that is sent again, and nobody
//! waits for what need not be waited for.

mod support;

use meshwright_base::Id;
use meshwright_interp::{Style, random_inputs};
use meshwright_ir::SpmdModule;
use meshwright_pjrt::PjrtDevices;
use meshwright_runtime::{Args, DeviceArray, Devices, Executable, HostArray, LoadOptions};
use std::path::PathBuf;
use std::time::{Duration, Instant};
use support::{Counted, client, parsed, partitioned, placed};

/// A weight that is replaced, a table that stays, a batch.
const STEP: &str = r#"
sdy.mesh @m = <["x"=2, "y"=4]>
func.func public @main(%w: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {"y"}]>, tf.aliasing_output = 0 : i32},
                       %table: tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>},
                       %batch: tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>})
    -> (tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {"y"}]>}, tensor<4x16xf32>) {
  %x = stablehlo.add %table, %batch : tensor<4x8xf32>
  %y = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0]
    : (tensor<4x8xf32>, tensor<8x16xf32>) -> tensor<4x16xf32>
  %dw = stablehlo.dot_general %x, %y, contracting_dims = [0] x [0]
    : (tensor<4x8xf32>, tensor<4x16xf32>) -> tensor<8x16xf32>
  %new = stablehlo.add %w, %dw : tensor<8x16xf32>
  return %new, %y : tensor<8x16xf32>, tensor<4x16xf32>
}
"#;

fn log(name: &str) -> PathBuf {
    let path = std::env::temp_dir().join(format!("meshwright-steps-{}-{name}", std::process::id()));
    let _ = std::fs::remove_file(&path);
    path
}

/// How many transfers to devices there were between one run and the next.
fn puts(log: &PathBuf) -> Vec<usize> {
    let text = std::fs::read_to_string(log).unwrap();
    std::fs::remove_file(log).unwrap();
    let mut counts = vec![0];
    for line in text.lines() {
        match line.split(' ').next() {
            Some("run") => counts.push(0),
            Some("put") => *counts.last_mut().unwrap() += 1,
            _ => {}
        }
    }
    counts.pop();
    counts
}

fn loaded(options: &[&str]) -> (SpmdModule, Box<dyn Executable>, Args) {
    let program = partitioned(STEP);
    let devices = PjrtDevices::new(client(options), 8).unwrap();
    let executable = devices.load(&program, &LoadOptions::default()).unwrap();
    let inputs = random_inputs(&parsed(STEP), 1, Style::SmallInts).unwrap();
    let args = placed(&program, 8, &inputs);
    (program, executable, args)
}

/// A batch as whoever reads one puts it in place.
fn batch(program: &SpmdModule, like: &DeviceArray) -> DeviceArray {
    let place = &program.params[2];
    let whole: HostArray = like.to_host(&program.module().meshes, place).unwrap();
    let local: Vec<_> = (0..8).map(Id::from_index).collect();
    DeviceArray::from_host(&program.module().meshes, place, &whole, &local).unwrap()
}

#[test]
fn of_a_training_step_only_the_batch_is_sent() {
    let _counted = Counted::new(0);
    let log = log("batch");
    let (program, mut step, args) = loaded(&[&format!("log={}", log.display())]);
    let [mut w, table, first]: [DeviceArray; 3] = args.try_into().unwrap();
    for _ in 0..4 {
        let batch = batch(&program, &first);
        let mut results = step.launch(vec![w, table.clone(), batch], None).unwrap();
        results[1].shards().unwrap();
        w = results.remove(0);
        // As a checkpoint does: it looks, and the array stays where it is.
        w.shards().unwrap();
    }
    assert_eq!(puts(&log), [24, 8, 8, 8], "a weight, a table and a batch on eight devices, then batches");
}

#[test]
fn what_is_placed_is_not_sent_again() {
    let _counted = Counted::new(0);
    let log = log("placed");
    let (_, mut step, args) = loaded(&[&format!("log={}", log.display())]);
    let placed: Args = args.into_iter().enumerate().map(|(at, arg)| step.place(at, arg).unwrap()).collect();
    placed.iter().for_each(|arg| arg.ready().unwrap());
    let [w, table, batch]: [DeviceArray; 3] = placed.try_into().unwrap();
    let made = step.launch(vec![w, table.clone(), batch.clone()], None).unwrap();
    step.launch(vec![made[0].clone(), table, batch], None).unwrap()[1].ready().unwrap();
    assert_eq!(puts(&log), [24, 0]);
}

#[test]
fn nobody_waits_for_transfers_and_runs_before_their_results_are_looked_at() {
    let _counted = Counted::new(0);
    let (program, mut step, args) = loaded(&["transfer_ms=1000", "execute_ms=4000"]);
    let begun = Instant::now();
    let results = step.launch(args.clone(), None).unwrap();
    // Eight devices and three arrays one by one would be 24 s.
    assert!(begun.elapsed() < Duration::from_secs(3), "{:?}", begun.elapsed());
    let given = results[1].to_host(&program.module().meshes, &program.results[1]).unwrap();
    let took = begun.elapsed();
    assert!(took >= Duration::from_secs(4) && took < Duration::from_secs(20), "{took:?}");
    let inputs: Vec<_> = random_inputs(&parsed(STEP), 1, Style::SmallInts).unwrap();
    let expected = meshwright_campaign::run_spmd(&program, &inputs).unwrap();
    assert_eq!(given.bytes, expected[1].to_bytes());
}
