//! Ctrl-C: the launch under way ends with an error that says where, and later launches run again.

use crate::support;

use meshwright_base::SourceText;
use meshwright_cpu::Cpu;
use meshwright_runtime::devices::place_all;
use meshwright_runtime::{Devices, HostArray, InProcess, LoadOptions, RunErrorKind, interrupt};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Counts to a number that takes minutes.
const LONG: &str = "func.func @main(%a: tensor<i64>) -> tensor<i64> {
  %end = stablehlo.constant dense<1000000000000> : tensor<i64>
  %one = stablehlo.constant dense<1> : tensor<i64>
  %r = stablehlo.while(%i = %a) : tensor<i64>
  cond {
    %p = stablehlo.compare NE, %i, %end : (tensor<i64>, tensor<i64>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %n = stablehlo.add %i, %one : tensor<i64>
    stablehlo.return %n : tensor<i64>
  }
  return %r : tensor<i64>
}";

#[test]
fn a_launch_that_is_interrupted_ends_soon_and_says_where() {
    let module = meshwright_text::parse(&SourceText::new("long.mlir", LONG)).unwrap();
    let program = support::one_device(module).unwrap();
    let set = InProcess::new(1, Some(2), Arc::new(Cpu::default()));
    let mut loaded = set.load(&program, &LoadOptions::default()).unwrap();
    let args = |at: i64| {
        let zero = HostArray::new(program.params[0].global.clone(), at.to_le_bytes().to_vec()).unwrap();
        place_all(&program, &[zero], &set.local()).unwrap()
    };
    let start = Instant::now();
    let asking = std::thread::spawn(|| {
        std::thread::sleep(Duration::from_millis(200));
        interrupt::ask(true);
    });
    let error = loaded.launch(args(0), None).unwrap_err();
    asking.join().unwrap();
    assert_eq!(error.kind, RunErrorKind::Interrupted);
    assert!(error.device.is_some() && error.position.is_some(), "{error}");
    assert!(start.elapsed() < Duration::from_secs(5));
    interrupt::ask(false);
    let results = loaded.launch(args(999_999_999_990), None).unwrap();
    assert_eq!(results[0].shards().unwrap()[0].bytes(), 1_000_000_000_000i64.to_le_bytes());
}
