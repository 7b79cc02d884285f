//! `run --infeed FILE --outfeed FILE`: what enters and leaves a program while it runs, on the interpreter and on
//! devices.

use meshwright_cli::npz::{self, Archive, Array};
use meshwright_ir::{DType, TensorType};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// Three rounds, each of which takes two numbers, adds them to what it has, and gives that out.
const ROUNDS: &str = r#"
module @rounds {
  sdy.mesh @mesh = <["x"=2]>
  func.func public @main(%x: tensor<2xf32> SHARDING) -> tensor<2xf32> {
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %one = stablehlo.constant dense<1> : tensor<i32>
    %three = stablehlo.constant dense<3> : tensor<i32>
    %t = stablehlo.create_token : !stablehlo.token
    %r:3 = stablehlo.while(%i = %zero, %sum = %x, %order = %t) : tensor<i32>, tensor<2xf32>, !stablehlo.token
    cond {
      %go = stablehlo.compare LT, %i, %three : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %go : tensor<i1>
    } do {
      %in:2 = "stablehlo.infeed"(%order) <{infeed_config = "", layout = [[0]]}> : (!stablehlo.token) -> (tensor<2xf32>, !stablehlo.token)
      %y = stablehlo.add %sum, %in#0 : tensor<2xf32>
      %out = "stablehlo.outfeed"(%y, %in#1) <{outfeed_config = ""}> : (tensor<2xf32>, !stablehlo.token) -> !stablehlo.token
      %n = stablehlo.add %i, %one : tensor<i32>
      stablehlo.return %n, %y, %out : tensor<i32>, tensor<2xf32>, !stablehlo.token
    }
    return %r#1 : tensor<2xf32>
  }
}
"#;

struct Place(PathBuf);

impl Place {
    fn new(name: &str, sharding: &str) -> Place {
        let folder = std::env::temp_dir().join(format!("meshwright-feed-{}-{name}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join("rounds.mlir"), ROUNDS.replace("SHARDING", sharding)).unwrap();
        let place = Place(folder);
        place.write("x.npz", &[[0.0, 10.0]]);
        place
    }

    fn write(&self, name: &str, arrays: &[[f32; 2]]) {
        let ty = TensorType::new(DType::F32, [2]);
        let bytes = |array: &[f32; 2]| array.iter().flat_map(|x| x.to_le_bytes()).collect();
        let arrays: Vec<Array> =
            arrays.iter().map(|array| Array { ty: ty.clone(), bytes: bytes(array) }).collect();
        npz::write(&self.0.join(name), &arrays).unwrap();
    }

    fn run(&self, more: &[&str]) -> Output {
        let fixed = ["run", "rounds.mlir", "--inputs", "x.npz", "--infeed", "in.npz", "--outfeed", "out.npz"];
        let mut command = Command::new(env!("CARGO_BIN_EXE_meshwright"));
        command.args(fixed).args(more).current_dir(&self.0).output().unwrap()
    }

    fn out(&self) -> Vec<Vec<f32>> {
        floats(&self.0.join("out.npz"))
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn floats(path: &Path) -> Vec<Vec<f32>> {
    let mut archive = Archive::open(path).unwrap().unwrap();
    let number = |bytes: &[u8]| f32::from_le_bytes(bytes.try_into().unwrap());
    let mut read = |index: usize| {
        let entry = archive.find(index, &[]).unwrap();
        archive.read(entry, 1 << 20).unwrap().bytes.chunks(4).map(number).collect()
    };
    (0..3).map(&mut read).collect()
}

const WAYS: [&[&str]; 2] = [&["--backend", "interp"], &["--backend", "cpu"]];
const IN: [[f32; 2]; 3] = [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]];
const OUT: [[f32; 2]; 3] = [[1.0, 12.0], [4.0, 16.0], [9.0, 22.0]];

#[test]
fn arrays_enter_and_leave_in_order() {
    let place = Place::new("order", "");
    place.write("in.npz", &IN);
    for way in WAYS {
        let ran = place.run(way);
        assert!(ran.status.success(), "{way:?}: {}", String::from_utf8_lossy(&ran.stderr));
        assert_eq!(place.out(), OUT, "{way:?}");
    }
}

#[test]
fn every_device_takes_and_gives_whole_arrays() {
    let place = Place::new("devices", r#"{sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}"#);
    place.write("in.npz", &IN);
    let ran = place.run(&["--backend", "cpu"]);
    assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
    assert_eq!(place.out(), OUT);
}

#[test]
fn a_program_that_takes_more_than_is_queued_is_told_so() {
    let place = Place::new("short", "");
    place.write("in.npz", &IN[..2]);
    for way in WAYS {
        let ran = place.run(way);
        let said = String::from_utf8_lossy(&ran.stderr);
        assert_eq!(ran.status.code(), Some(1), "{way:?}: {said}");
        assert!(said.contains("nothing is queued") && said.contains("infeed"), "{way:?}: {said}");
    }
}
