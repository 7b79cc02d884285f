//! `meshwright draw`: what the pictures have in them, where they go, and what is refused.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

const LAYER: &str = r#"sdy.mesh @mesh = <["data"=4, "model"=2]>
func.func public @main(
    %x: tensor<64x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}]>},
    %up: tensor<32x128xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"model"}]>},
    %down: tensor<128x32xf32>
) -> tensor<64x32xf32> {
  %h = stablehlo.dot_general %x, %up, contracting_dims = [1] x [0] : (tensor<64x32xf32>, tensor<32x128xf32>) -> tensor<64x128xf32>
  %y = stablehlo.dot_general %h, %down, contracting_dims = [1] x [0] : (tensor<64x128xf32>, tensor<128x32xf32>) -> tensor<64x32xf32>
  return %y : tensor<64x32xf32>
}
"#;

/// Movement and a window along a dim of 16 over 4 devices, and one along a dim that is whole.
const MOVES: &str = r#"sdy.mesh @m = <["x"=4]>
func.func public @main(%a: tensor<2x16x3xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {"x"}, {}]>}, %w: tensor<3x3x4xf32>, %p: tensor<f32>) -> (tensor<2x16x4xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {"x"}, {}]>}, tensor<2x18x3xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {"x"}, {}]>}, tensor<2x6x3xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {"x"}, {}]>}, tensor<2x16x3xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {"x"}, {}]>}) {
  %c = stablehlo.convolution(%a, %w) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {stride = [1], pad = [[1, 1]], lhs_dilate = [1], rhs_dilate = [1], reverse = [false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x16x3xf32>, tensor<3x3x4xf32>) -> tensor<2x16x4xf32>
  %q = stablehlo.pad %a, %p, low = [0, 1, 0], high = [0, 1, 0], interior = [0, 0, 0] : (tensor<2x16x3xf32>, tensor<f32>) -> tensor<2x18x3xf32>
  %s = stablehlo.slice %a [0:2, 5:11, 0:3] : (tensor<2x16x3xf32>) -> tensor<2x6x3xf32>
  %r = stablehlo.reverse %a, dims = [1] : tensor<2x16x3xf32>
  return %c, %q, %s, %r : tensor<2x16x4xf32>, tensor<2x18x3xf32>, tensor<2x6x3xf32>, tensor<2x16x3xf32>
}
"#;

fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("draw-{name}"));
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("layer.mlir"), LAYER).unwrap();
    std::fs::write(folder.join("moves.mlir"), MOVES).unwrap();
    folder
}

fn draw(folder: &Path, typed: &str) -> Output {
    let words = typed.split_whitespace();
    let mut command = Command::new(env!("CARGO_BIN_EXE_meshwright"));
    command.arg("draw").args(words).current_dir(folder).env_remove("MESHWRIGHT_DUMP");
    command.output().unwrap()
}

fn done(folder: &Path, typed: &str) -> String {
    let output = draw(folder, typed);
    assert!(output.status.success(), "{typed}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

fn refused(folder: &Path, typed: &str, exit: i32) -> String {
    let output = draw(folder, typed);
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(exit), "{typed}: {said}");
    assert!(output.stdout.is_empty(), "{typed}");
    said
}

/// Elements of an SVG are closed in the order in which they were opened, and attributes are quoted.
fn is_well_formed(svg: &str) {
    let mut open: Vec<&str> = Vec::new();
    for (at, tag) in svg.match_indices('<').map(|(at, _)| (at, &svg[at + 1..])) {
        let tag = &tag[..tag.find('>').unwrap_or_else(|| panic!("no end of tag at {at}"))];
        let name = tag.trim_start_matches('/').split([' ', '/']).next().unwrap();
        if tag.starts_with('/') {
            assert_eq!(open.pop(), Some(name), "at {at}");
        } else if !tag.ends_with('/') {
            open.push(name);
        }
        assert_eq!(tag.matches('"').count() % 2, 0, "{tag}");
    }
    assert_eq!(open, [""; 0]);
}

#[test]
fn tensors_stand_side_by_side_with_their_devices() {
    let folder = folder("tensor");
    let svg = done(&folder, "tensor layer.mlir %x %up %h %down %y");
    is_well_formed(&svg);
    assert_eq!(svg, done(&folder, "tensor layer.mlir %x %up %h %down %y"), "the same bytes each time");
    // 4, 2, 8, 2 and 4 tiles, and 8 devices on each tensor.
    assert_eq!(svg.matches("data-tile=").count(), 20);
    assert_eq!(svg.matches("data-device=").count(), 40);
    assert_eq!(svg.matches("class=\"frame\"").count(), 2, "%x and %up are annotated");
    for said in ["mesh 4 x 2", "[data, model]", "each tile on 4 devices", "Framed: annotated."] {
        assert!(svg.contains(said), "{said}");
    }
}

#[test]
fn an_op_is_drawn_with_the_collectives_around_it() {
    let folder = folder("op");
    let sum = done(&folder, "op layer.mlir %y");
    is_well_formed(&sum);
    for said in ["all-reduce over model", "2.05 kB sent", "[data, _] sum over model", "f32[16,64]"] {
        assert!(sum.contains(said), "{said}: {sum}");
    }
    assert!(sum.contains("dot_general of f32[16,64], f32[64,32] makes f32[16,32]"), "{sum}");
    let none = done(&folder, "op layer.mlir %h");
    assert!(!none.contains("sent"), "{none}");
    let halo = done(&folder, "op moves.mlir %c");
    assert!(halo.contains("permute, 2 times") && halo.contains("48 bytes sent"), "{halo}");
}

#[test]
fn halos_are_those_that_the_program_sends() {
    let folder = folder("halo");
    let window = done(&folder, "halo moves.mlir %c");
    is_well_formed(&window);
    assert_eq!(window.matches("<polygon").count(), 6, "three rows up, three down");
    assert_eq!(window.matches("class=\"hatch\"").count(), 2, "beyond both ends");
    assert!(window.contains("Permute 1: device 0 to 1, 1 to 2, 2 to 3; 1 element of the dim, 24 bytes each"));
    assert!(window.contains("Permute 2: device 1 to 0, 2 to 1, 3 to 2; 1 element of the dim, 24 bytes each"));
    let pad = done(&folder, "halo moves.mlir %q");
    assert_eq!(pad.matches("<polygon").count(), 2);
    let slice = done(&folder, "halo moves.mlir %s");
    assert!(slice.contains("slice: dim 1 of %a f32[2,16,3], 16 elements over x"), "{slice}");
    let reverse = done(&folder, "halo moves.mlir %r");
    assert!(reverse.contains("device 3 to 0") && reverse.contains("4 elements of the dim"), "{reverse}");
}

/// What a picture says is sent is what the finished program sends; where ops beside it move the same, that is said.
#[test]
fn bytes_of_halos_are_those_of_the_finished_program() {
    let folder = folder("bytes");
    let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/filetests/partition");
    let mut own = 0;
    for entry in tests.join("figures").read_dir().unwrap() {
        let path = entry.unwrap().path();
        let output = draw(&folder, &format!("halo {} %0", path.display()));
        let svg = String::from_utf8(output.stdout).unwrap();
        if output.status.success() && svg.contains("Permute 1") {
            assert!(!svg.contains("So it is planned"), "{}: {svg}", path.display());
            own += 1;
        }
    }
    assert!(own >= 5, "{own}");
    // The halo of the second dim goes over what the first one brought.
    let both = tests.join("image_split_both_ways_with_features.mlir");
    let svg = done(&folder, &format!("halo {} %0", both.display()));
    assert!(svg.contains("64 bytes each") && svg.contains("96 bytes each"), "{svg}");
    assert!(done(&folder, &format!("op {} %0", both.display())).contains("320 bytes sent"));
    let rotation = tests.join("rotation_is_one_permute.mlir");
    let svg = done(&folder, &format!("halo {} %2", rotation.display()));
    assert!(
        svg.contains("So it is planned, 192 bytes in all. The finished program sends 128 bytes"),
        "{svg}"
    );
}

#[test]
fn pipelines_are_those_of_schedule() {
    let folder = folder("pipeline");
    let one = done(&folder, "pipeline 1f1b --stages 2 --microbatches 3");
    is_well_formed(&one);
    assert!(one.contains("3 microbatches: 12 units of time, of which stages wait 25.0 %"), "{one}");
    let all = done(&folder, "pipeline --stages 4 --microbatches 9");
    is_well_formed(&all);
    // 9 microbatches do not fall into groups of 4, as an interleaved schedule has them.
    assert!(all.contains("zero-bubble") && !all.contains("interleaved"), "{all}");
    std::fs::write(folder.join("mine.txt"), "F0 F1 B0 B1\nF0 B0 F1 B1\n").unwrap();
    assert!(done(&folder, "pipeline mine.txt").contains("2 microbatches: "));
}

#[test]
fn what_cannot_be_drawn_is_refused_with_a_way_out() {
    let folder = folder("refused");
    let unknown = refused(&folder, "tensor layer.mlir %z", 1);
    assert!(unknown.contains("E0620") && unknown.contains("there are `%x`"), "{unknown}");
    let none = refused(&folder, "halo layer.mlir %y", 1);
    assert!(none.contains("E0628") && none.contains("no op of this module exchanges pieces"), "{none}");
    std::fs::write(
        folder.join("sum.mlir"),
        MOVES.replace("return %c,", "%t = stablehlo.tanh %c : tensor<2x16x4xf32>\n  return %t,"),
    )
    .unwrap();
    let none = refused(&folder, "halo sum.mlir %t", 1);
    assert!(none.contains("`%c` (convolution), `%q` (pad), `%s` (slice)"), "{none}");
    let parameter = refused(&folder, "op layer.mlir %x", 1);
    assert!(parameter.contains("E0629") && parameter.contains("meshwright draw tensor"), "{parameter}");
    std::fs::write(folder.join("alone.mlir"), "func.func public @main(%a: tensor<2xf32>) -> tensor<2xf32> {\n  %b = stablehlo.tanh %a : tensor<2xf32>\n  return %b : tensor<2xf32>\n}\n").unwrap();
    for typed in ["tensor alone.mlir %a", "op alone.mlir %b", "halo alone.mlir %b"] {
        let said = refused(&folder, typed, 1);
        assert!(said.contains("the module has no mesh") && said.contains("annotate a value"), "{said}");
    }
    // Values of a preset have the names that it is written with, for all that draw them.
    let parameter = refused(&folder, "op preset:dense2d-tiny %params.embed.table", 1);
    assert!(parameter.contains("E0629"), "{parameter}");
    let schedule = refused(&folder, "pipeline 1fb", 3);
    assert!(schedule.contains("the known ones are gpipe"), "{schedule}");
    let nowhere = refused(&folder, "tensor layer.mlir %x -o no/such/x.svg", 3);
    assert!(nowhere.contains("E0706") && nowhere.contains("no/such/x.svg"), "{nowhere}");
    assert_eq!(draw(&folder, "tensor layer.mlir").status.code(), Some(2));
}

#[test]
fn a_picture_goes_to_a_file_or_to_standard_output() {
    let folder = folder("out");
    let svg = done(&folder, "tensor layer.mlir %x");
    assert!(done(&folder, "tensor layer.mlir %x -o x.svg").is_empty());
    assert_eq!(std::fs::read_to_string(folder.join("x.svg")).unwrap(), svg);
    let json = draw(&folder, "--json tensor layer.mlir %x");
    let json: serde_json::Value = serde_json::from_slice(&json.stdout).unwrap();
    assert_eq!(json["text"], svg.as_str());
    let names: Vec<_> = folder.read_dir().unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(names.len(), 3, "no partial file stays: {names:?}");
}
