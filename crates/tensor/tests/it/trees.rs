//! `#[derive(Tree)]`: shapes of structs, names of places, and what is left alone.

use meshwright_tensor::prelude::*;

#[derive(Clone, Tree)]
struct Dense {
    w: Tensor,
    #[tree(name = "bias")]
    b: Option<Tensor>,
}

#[derive(Clone, Copy, Tree)]
struct Pair<A, B = Tensor>(A, B);

#[derive(Clone, Tree)]
struct Model<T, S>
where
    S: Copy,
{
    layers: Vec<Dense>,
    #[tree(flatten)]
    ends: Pair<T>,
    #[tree(name = "scales.all")]
    scales: [Tensor; 2],
    r#type: Box<Tensor>,
    #[tree(skip)]
    setting: S,
    #[tree(skip)]
    words: Vec<String>,
}

#[derive(Clone, Copy, Tree)]
struct Nothing;

#[derive(Tree)]
struct Borrowed<'a, const N: usize> {
    parts: [Tensor; N],
    #[tree(skip)]
    name: &'a str,
}

fn model() -> Model<(Tensor, Nothing), u8> {
    let one = |n: i64| zeros(f32, [n]);
    Model {
        layers: vec![Dense { w: one(1), b: None }, Dense { w: one(2), b: Some(one(3)) }],
        ends: Pair((one(4), Nothing), one(5)),
        scales: [one(6), one(7)],
        r#type: Box::new(one(8)),
        setting: 9,
        words: vec!["as it is".into()],
    }
}

#[test]
fn places_are_named_after_fields_and_attributes() {
    let program = trace("f", |t| t.inputs("model", model())).unwrap();
    let names: Vec<&str> = program.inputs().iter().map(|input| &*input.name).collect();
    assert_eq!(
        names,
        [
            "model.layers.0.w",
            "model.layers.1.w",
            "model.layers.1.bias",
            "model.0.0",
            "model.1",
            "model.scales.all.0",
            "model.scales.all.1",
            "model.type"
        ]
    );
    let results: Vec<String> =
        program.results().iter().map(|result| format!("model.{}", result.name)).collect();
    assert_eq!(results, names, "results are called as inputs are");
    let sizes: Vec<i64> = program.inputs().iter().map(|input| input.ty.dims[0]).collect();
    assert_eq!(sizes, [1, 2, 3, 4, 5, 6, 7, 8]);
}

#[test]
fn what_is_skipped_is_kept() {
    trace("f", |_| {
        let mapped = model().map(&mut |x| x + 1);
        assert_eq!((mapped.setting, &mapped.words[..]), (9, &["as it is".to_string()][..]));
        let lent = Borrowed { parts: [mapped.scales[0]; 3], name: "lent" };
        assert_eq!((lent.leaves().len(), lent.map(&mut |x| x).name), (3, "lent"));
        Nothing
    })
    .unwrap();
}

#[test]
fn gradients_come_in_the_structure_of_the_parameters() {
    let program = trace("f", |t| {
        let model = t.states("", model());
        let loss = |m: Model<(Tensor, Nothing), u8>| {
            m.leaves().into_iter().map(|x| x.square().sum(..)).reduce(|a, b| a + b).unwrap_or(scalar(f32, 0))
        };
        grad(model, loss)
    });
    let program = program.unwrap();
    assert_eq!(program.results().len(), 8);
    assert!(
        program
            .results()
            .iter()
            .zip(program.inputs())
            .all(|(out, input)| out.ty == input.ty && out.name == input.name)
    );
}

#[test]
fn each_place_of_an_input_has_its_own_name() {
    let errors = trace("f", |t| {
        t.params("layer", (zeros(f32, [2]), zeros(f32, [2])));
        t.params("layer", (zeros(f32, [2]), zeros(f32, [2])))
    });
    let text = errors.unwrap_err().to_string();
    assert!(
        text.contains("two inputs are called `layer.0`") && text.contains("two inputs are called `layer.1`"),
        "{text}"
    );
    assert!(text.contains("trees.rs:"), "{text}");
}

#[test]
fn shapes_of_inputs_leave_nothing_behind() {
    let program =
        trace("f", |t| t.params("", (zeros(f32, [("rows", 2), ("columns", 3)]), ones(f32, [4])))).unwrap();
    assert_eq!(program.module().main().insts_in_order().len(), 0, "no constants are left");
    assert_eq!(program.to_string(), "f(0: f32[rows=2,columns=3], 1: f32[4]) -> (0: f32[2,3], 1: f32[4])");
}

#[test]
fn structures_are_zipped_place_by_place() {
    let program = trace("f", |t| {
        let (a, b) = (t.inputs("a", model()), t.inputs("b", model()));
        a.zip_map(&b, |a, b| a - b)
    });
    assert_eq!(program.unwrap().results().len(), 8);
}
