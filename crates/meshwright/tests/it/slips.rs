//! Slips that are easily made, and what is said of each: at the line of the slip, with the way out.

use meshwright::nn::layers::dense::Dense;
use meshwright::nn::losses::mse;
use meshwright::nn::optim::Optimizer;
use meshwright::nn::params::Params;
use meshwright::prelude::*;

/// What is said of a program that is refused.
fn refused<R: Tree>(function: impl FnOnce(Trace) -> R) -> String {
    trace("step", function).expect_err("it should be refused").to_string()
}

fn refused_by<R: Tree>(rules: &Rules, function: impl FnOnce(Trace) -> R) -> String {
    trace_with("step", rules, function).expect_err("it should be refused").to_string()
}

/// What is said of a program that runs.
fn noted(program: Result<Program, Errors>) -> String {
    let program = program.expect("it should be traced");
    let note = |note: &meshwright_base::Diagnostic| meshwright_base::diagnostic::render(note, None);
    program.notes().iter().map(note).collect()
}

fn failed<T>(result: Result<T, Error>) -> String {
    result.map(drop).expect_err("it should fail").to_string()
}

/// Every message is listed in the guide.
const PAGE: &str = include_str!("../../../../docs/guide/slips.md");

#[track_caller]
fn says(text: &str, parts: &[&str]) {
    let message = text.lines().next().and_then(|line| line.split_once(": ")).expect("a message").1;
    assert!(PAGE.contains(message), "docs/guide/slips.md does not have:\n{message}");
    assert!(text.contains("--> crates/meshwright/tests/it/slips.rs:"), "no line of the user's:\n{text}");
    parts.iter().for_each(|part| assert!(text.contains(part), "{text}\nshould say: {part}"));
}

fn mesh() -> Mesh {
    Mesh::new([("data", 2), ("model", 2)]).unwrap()
}

#[test]
fn rules_for_dims_that_no_tensor_has() {
    let misspelt = Rules::of(&mesh(), [("btach", "data"), ("hidden", "model")]);
    let program = |t: Trace| t.input("x", f32, [("batch", 8), ("hidden", 4)]).sum(..);
    says(
        &refused_by(&misspelt, program),
        &[
            "the rules split dims called `btach`, but no tensor has one",
            "did you mean `batch`?",
            "help: name the dim so",
        ],
    );
    let far = Rules::of(&mesh(), [("experts", "model")]);
    says(&noted(trace_with("f", &far, program)), &["dims called `experts`, but no tensor has one"]);
    // A row that leaves the other name alone is a choice.
    let chosen = misspelt.with("batch", OPEN);
    assert!(trace_with("f", &chosen, program).is_ok());
}

#[test]
fn rules_and_annotations_with_axes_that_do_not_exist() {
    let rules = Rules::of(&mesh(), [("batch", "dta")]);
    let program = |t: Trace| t.input("x", f32, [("batch", 8)]).sum(..);
    says(&refused_by(&rules, program), &["mesh axis `dta` does not exist", "`data` of size 2"]);
    let twice = Rules::of(&mesh(), [("batch", "data"), ("hidden", "data")]);
    let program = |t: Trace| t.input("x", f32, [("batch", 8), ("hidden", 4)]).sum(..);
    says(&refused_by(&twice, program), &["mesh axis `data` is asked for by dim 0 and by dim 1"]);
    let program = |t: Trace| t.input("x", f32, [8, 4]).mesh_split(&mesh(), [0]);
    says(&refused(program), &["speaks of 1 dims, the tensor has 2"]);
}

#[test]
fn states_that_are_not_replaced() {
    let never = |t: Trace| {
        let w = t.state("weight", f32, [4]);
        let (loss, slope) = value_and_grad(w, |w| w.square().sum(..));
        [("loss", loss), ("wieght", w - 0.1 * slope)]
    };
    says(
        &refused(never),
        &["no result replaces state `weight`", "did you mean `wieght`?", "[(\"weight\", ..)]"],
    );
    let other_shape = |t: Trace| {
        let w = t.state("w", f32, [4]);
        [("w", (w * 2.0).unsqueeze(0))]
    };
    says(&refused(other_shape), &["state `w` is f32[4], but its new value is f32[1,4]", "state `w`"]);
    let other_type = |t: Trace| [("w", t.state("w", f32, [4]).cast(bf16))];
    says(&refused(other_type), &["state `w` is f32[4], but its new value is bf16[4]"]);
}

#[test]
fn weights_by_a_wrong_name() {
    let program = |t: Trace| {
        let params = Params { list: vec![("layer.kernel".to_string(), t.param("layer.kernel", [4, 2]))] };
        t.input("x", f32, [2, 4]).matmul(params.get("layer.kernal"))
    };
    says(&refused(program), &["no parameter is called `layer.kernal`", "did you mean `layer.kernel`?"]);
}

#[test]
fn weights_and_inputs_that_play_no_part() {
    let program = trace("f", |t| {
        t.input("mask", f32, [4]);
        t.input("x", f32, [4]) * 2.0
    });
    says(&noted(program), &["input `mask` is used nowhere"]);
    let program = trace("f", |t| {
        let dense = t.params("dense", Dense::new(Key::seed(1), 4, 2));
        let x = t.input("x", f32, [3, 4]);
        grad(dense, |dense| x.matmul(dense.w).sum(..))
    });
    says(&noted(program), &["the loss does not use `b`: the gradient is 0"]);
    let program = trace("f", |t| {
        let w = t.param("w", [4]);
        grad(w, |_| w.square().sum(..))
    });
    says(&noted(program), &["the loss does not use its argument"]);
}

#[test]
fn losses_of_shapes_that_would_pair_everything_with_everything() {
    let program = |t: Trace| mse(t.input("x", f32, [8, 1]), t.input("y", f32, [8]));
    says(&refused(program), &["a squared error of f32[8,1] and f32[8]: the shapes differ", "squeeze"]);
}

#[test]
fn losses_that_are_no_scalar_and_weights_that_are_integers() {
    let program = |t: Trace| Optimizer::adam(0.1).train(t, "w", zeros(f32, [4]), |w| w.square());
    says(&refused(program), &["the loss is f32[4], but must be a float scalar"]);
    let program = |t: Trace| Optimizer::adam(0.1).train(t, "w", zeros(i32, [4]), |w| w.cast(f32).sum(..));
    says(&refused(program), &["an integer has no gradient"]);
}

#[test]
fn layers_of_other_sizes_and_types() {
    let program = |t: Trace| {
        let dense = t.params("dense", Dense::new(Key::seed(1), 4, 2));
        dense.apply(t.input("x", f32, [3, 5]))
    };
    says(&refused(program), &["f32[3,5]", "f32[4,2]"]);
    let program = |t: Trace| {
        let dense = t.params("dense", Dense::new(Key::seed(1), 4, 2));
        dense.apply(t.input("x", bf16, [3, 4]))
    };
    says(&refused(program), &["bf16[3,4]", "the element types differ"]);
}

#[test]
fn tensors_that_outlive_their_trace_and_names_given_twice() {
    let mut old = None;
    let first = trace("first", |t| {
        let x = t.input("x", f32, [4]);
        old = Some(x);
        x
    });
    let old = first.map(|_| old.unwrap()).unwrap();
    says(&refused(|t| t.input("x", f32, [4]) + old), &["a tensor of another trace is used in this one"]);
    let twice = |t: Trace| t.param("w", [4]) + t.param("w", [4]);
    says(&refused(twice), &["two inputs are called `w`", "the first `w`"]);
}

#[test]
fn programs_fed_and_asked_wrongly() -> Result<(), Error> {
    let step = trace("step", |t| {
        let x = t.input("x", f32, [2]);
        [("y", x * t.param("w", [2])), ("n", x.sum(..).unsqueeze(0))]
    })?;
    let mut loaded = step.partition()?.load(1)?;
    let (two, three) = (Array::filled([2], 1.0f32), Array::filled([3], 1.0f32));
    says(&failed(loaded.run(&[("x", &two)])), &["input `w` is not given"]);
    loaded.set("w", &two)?;
    says(&failed(loaded.set("v", &two)), &["the program has no input `v`"]);
    says(&failed(loaded.run(&[("x", &three)])), &["`x` is given as f32[3], the program takes f32[2]"]);
    says(&failed(loaded.run(&[("x", &two), ("x", &two)])), &["input `x` is given twice"]);
    let results = loaded.run(&[("x", &two)])?;
    says(&failed(results.get("z")), &["the program has no result `z`"]);
    says(&failed(results.number("y")), &["result `y` is f32[2]: 2 numbers, not one"]);
    assert_eq!(results.number("n")?, 2.0);
    let other = trace("first", |_| [("weights", zeros(f32, [2]))])?.partition()?.load(1)?.run(&[])?;
    says(&failed(loaded.set_all(&other)), &["no input has the name of a result (weights)"]);
    Ok(())
}

#[test]
fn a_result_of_a_parameters_name_and_another_type_leaves_it_alone() -> Result<(), Error> {
    let step = trace("step", |t| [("w", t.param("w", [4]).sum(..))])?;
    let mut loaded = step.partition()?.load(1)?;
    loaded.set("w", &Array::filled([4], 1.0f32))?;
    for _ in 0..2 {
        assert_eq!(loaded.run(&[])?.number("w")?, 4.0);
    }
    Ok(())
}
