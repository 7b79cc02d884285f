//! Cases of `tests/golden_nn`: numbers in, and what PyTorch and optax made of them.

use super::{close, run};
use meshwright_tensor::prelude::*;

pub struct Array {
    pub name: String,
    pub dims: Vec<i64>,
    pub numbers: Vec<f64>,
}

pub struct Case {
    pub inputs: Vec<Array>,
    pub outputs: Vec<Array>,
}

fn array(words: &str) -> Array {
    let (head, numbers) = words.split_once(" | ").expect("a bar before numbers");
    let (name, dims) = head.rsplit_once(' ').expect("a name and dims");
    let dims =
        dims.split(',').filter(|size| *size != "-").map(|size| size.parse().expect("a size")).collect();
    let numbers = numbers.split_whitespace().map(|number| number.parse().expect("a number")).collect();
    Array { name: name.to_string(), dims, numbers }
}

pub fn case(file: &str, name: &str) -> Case {
    let start = file.lines().position(|line| line == format!("case {name}")).expect("the case");
    let mut found = Case { inputs: Vec::new(), outputs: Vec::new() };
    for line in file.lines().skip(start + 1).take_while(|line| !line.starts_with("case ")) {
        match line.strip_prefix("in ") {
            Some(words) => found.inputs.push(array(words)),
            None => found.outputs.push(array(line.strip_prefix("out ").expect("an output"))),
        }
    }
    found
}

/// Inputs of a case by name; those called as whole numbers are `s32`.
pub struct Given<'a>(pub Trace, pub &'a Case);

impl Given<'_> {
    pub fn of(&self, name: &str, dtype: meshwright_tensor::DType) -> Tensor {
        let array = self.1.inputs.iter().find(|array| array.name == name).expect("an input of this name");
        self.0.input(name, dtype, array.dims.clone())
    }

    pub fn floats<const N: usize>(&self, names: [&str; N]) -> [Tensor; N] {
        names.map(|name| self.of(name, f64))
    }
}

pub fn holds<R: Tree>(file: &str, name: &str, compute: impl FnOnce(&Given<'_>) -> R) {
    let case = case(file, name);
    let program = trace("golden", |t| {
        t.set_float(f64);
        compute(&Given(t, &case))
    });
    let program = program.unwrap_or_else(|errors| panic!("{name}: {errors}"));
    let inputs: Vec<(&str, &[f64])> =
        case.inputs.iter().map(|array| (array.name.as_str(), array.numbers.as_slice())).collect();
    let found = run(&program, &inputs);
    assert_eq!(found.len(), case.outputs.len(), "{name}");
    for (found, expected) in found.iter().zip(&case.outputs) {
        close(found, &expected.numbers, 1e-10);
    }
}
