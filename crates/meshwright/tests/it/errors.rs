//! What is fed and asked wrongly is told at the user's line, with the numbers and what to do.

use meshwright::prelude::*;

#[track_caller]
fn says<T>(result: Result<T, Error>, parts: &[&str]) {
    let Err(error) = result else { panic!("it should be refused: {parts:?}") };
    let text = error.to_string();
    assert!(text.contains("--> crates/meshwright/tests/it/errors.rs:") && text.contains("help: "), "{text}");
    parts.iter().for_each(|part| assert!(text.contains(part), "{text}\nshould say: {part}"));
}

fn ones(dims: &[i64]) -> Array {
    Array::filled(dims, 1.0f32)
}

#[test]
fn arrays_hold_as_many_numbers_as_they_say() {
    says(Array::new([2, 2], &[1.0f32]), &["1 numbers are given to f32[2,2], which has 4"]);
    says(Array::from_bytes(f32, [2], vec![0; 7]), &["7 bytes do not make f32[2]"]);
    says(ones(&[2]).to_vec::<f64>(), &["the array is f32[2], not of f64", "ask for f32"]);
}

#[test]
fn a_program_is_fed_by_name_with_what_it_takes() -> Result<(), Error> {
    let program = trace("f", |t| [("y", t.param("w", [2]) + t.input("x", f32, [2]))])?;
    let mut loaded = program.partition()?.load(1)?;
    says(loaded.set("v", &ones(&[2])), &["the program has no input `v`", "it has `w`, `x`"]);
    says(loaded.set("w", &ones(&[3])), &["`w` is given as f32[3], the program takes f32[2]"]);
    says(loaded.get("w"), &["`w` is not on the devices", "put it there with `set`"]);
    loaded.set("w", &ones(&[2]))?;
    says(loaded.run(&[]), &["input `x` is not given"]);
    says(loaded.run(&[("x", &ones(&[2])), ("z", &ones(&[2]))]), &["the program has no input `z`"]);
    says(
        loaded.run(&[("x", &Array::filled([2], 1i32))]),
        &["`x` is given as s32[2], the program takes f32[2]"],
    );
    let results = loaded.run(&[("x", &ones(&[2]))])?;
    says(results.get("z"), &["the program has no result `z`", "the results are `y`"]);
    assert_eq!(results.get("y")?.to_vec::<f32>()?, [2.0, 2.0]);
    Ok(())
}

#[test]
fn a_program_needs_its_devices() -> Result<(), Error> {
    let mesh = Mesh::new([("x", 8)])?;
    let program = trace("f", |t| t.input("x", f32, [16]).mesh_split(&mesh, ["x"]))?;
    says(program.partition()?.load(4), &["the program is for 8 devices, 4 are given"]);
    Ok(())
}

#[test]
fn a_text_that_does_not_read_is_shown() {
    let error = parse(
        "f.mlir",
        "func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {\n  return %y : tensor<2xf32>\n}",
    );
    let text = error.unwrap_err().to_string();
    assert!(text.contains("--> f.mlir:2:") && text.contains("%y"), "{text}");
}
