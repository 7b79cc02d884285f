//! What is wrong with a trace is told at the user's line, with the shapes and names, all of it together.

use meshwright_tensor::prelude::*;

/// The errors of a trace as they are shown; lines of this file are written as `LINE`.
fn shown<R: Tree>(f: impl FnOnce(Trace) -> R) -> String {
    let text = trace("f", f).expect_err("the trace should be refused").to_string();
    let mut out = String::new();
    for line in text.lines() {
        match line.trim_start().strip_prefix("--> crates/tensor/tests/it/errors.rs:") {
            Some(rest) => {
                let label = rest.split_once(' ').map_or(String::new(), |(_, label)| format!(" {label}"));
                out += &format!("  --> LINE{label}\n");
            }
            None => out += &format!("{line}\n"),
        }
    }
    out
}

fn says<R: Tree>(expected: &[&str], f: impl FnOnce(Trace) -> R) {
    let text = shown(f);
    assert!(text.contains("--> LINE"), "{text}");
    for part in expected {
        assert!(text.contains(part), "{text}\nshould say: {part}");
    }
}

#[test]
fn shapes_that_do_not_fit_are_shown_with_their_names() {
    let text = shown(|t| {
        let x = t.input("x", f32, [("batch", 8), ("model", 4)]);
        x + t.input("y", f32, [("batch", 8)])
    });
    assert_eq!(
        text,
        "error[E0801]: add of f32[batch=8,model=4] and f32[batch=8]: the shapes do not fit\n  --> LINE\n   = note: \
         dim 1 on the left has 4 elements, dim 0 on the right 8\n   = help: dims are paired from the last one, and \
         must be equal or 1; `unsqueeze` adds a dim of 1\n"
    );
}

#[test]
fn element_types_are_never_converted_silently() {
    says(&["multiply of f32[2] and bf16[2]: the element types differ", ".cast(f32)"], |t| {
        t.input("x", f32, [2]) * t.input("y", bf16, [2])
    });
    says(&["the number 0.5 has a fraction, the tensor beside it is s32"], |t| t.input("x", i32, [2]) * 0.5);
    says(&["the choice must be pred"], |t| t.input("x", i32, [2]).select(1, 2));
    says(&["the numbers must be integers"], |t| t.input("x", f32, [2]).one_hot(3, f32));
}

#[test]
fn an_einsum_is_shown_with_a_caret_in_its_spec() {
    let text = shown(|t| einsum("bd,df->bg", [t.input("x", f32, [2, 3]), t.param("w", [3, 4])]));
    assert_eq!(
        text,
        "error[E0804]: einsum: `g` stands in the output, but in no tensor\n  --> LINE\n  --> the spec:1:9\n  |\n1 | \
         bd,df->bg\n  |         ^ here\n   = note: tensors: f32[2,3], f32[3,4]\n   = help: the output can only have \
         dims of the tensors\n"
    );
    says(&["`d` is 3 before, but dim 0 of tensor 1 has 5 elements"], |t| {
        einsum("bd,df->bf", [t.input("x", f32, [2, 3]), t.param("w", [5, 4])])
    });
    says(&["the spec has 3 terms, but 2 tensors are given"], |t| {
        einsum("a,b,c->a", [t.input("x", f32, [2]), t.param("w", [5])])
    });
    says(&["the term names 2 dims, but tensor 0 has 1"], |t| einsum("ab->a", [t.input("x", f32, [2])]));
    says(&["`3` is not a letter"], |t| einsum("a3->a", [t.input("x", f32, [2])]));
    says(&["`a` stands in the output twice"], |t| einsum("a->aa", [t.input("x", f32, [2])]));
}

#[test]
fn annotations_name_axes_that_exist_one_per_dim() {
    let mesh = Mesh::new([("x", 4), ("y", 2)]).unwrap();
    says(&["speaks of 1 dims, the tensor has 2", "f32[8,4]"], |t| {
        t.input("x", f32, [8, 4]).mesh_split(&mesh, [0])
    });
    says(&["mesh axis `z` does not exist", "`x` of size 4, `y` of size 2"], |t| {
        t.input("x", f32, [8]).mesh_split(&mesh, ["z"])
    });
    says(&["mesh axis 2 does not exist"], |t| t.input("x", f32, [8]).mesh_split(&mesh, [2]));
    says(&["mesh axis `x` is asked for by dim 0 and by dim 1"], |t| {
        t.input("x", f32, [8, 8]).mesh_split(&mesh, [0, 0])
    });
    says(&["split into 16 parts over 8 devices", "use 1 to 8 parts"], |t| {
        t.set_devices(8);
        t.input("x", f32, [16]).split(0, 16)
    });
    says(&["3 parts do not divide 8 devices"], |t| {
        t.set_devices(8);
        t.input("x", f32, [16]).split(0, 3)
    });
    says(&["how many devices there are"], |t| t.input("x", f32, [16]).split(0, 2));
    says(&["dim 2 does not exist in f32[16,3]"], |t| {
        t.set_devices(8);
        t.input("x", f32, [16, 3]).split(2, 2)
    });
    says(&["a mesh of 6 devices is used beside one of 8", "before, the mesh has 2: `x` of size 4"], |t| {
        let other = Mesh::new([("z", 6)]).unwrap();
        t.input("x", f32, [8]).mesh_split(&mesh, ["x"]).replicate().mesh_split(&other, ["z"])
    });
    says(&["into 0 parts over 8 devices"], |t| {
        t.set_devices(8);
        t.input("x", f32, [16]).split(0, 0)
    });
    says(&["speaks of 2 dims, the tensor has 1"], |t| t.input("x", f32, [4]).shard([[0, 1], [2, 3]]));
    says(&["device 1"], |t| t.input("x", f32, [4]).shard([0, 1, 1, 2]));
    let twice = Mesh::new([("x", 2), ("x", 2)]).unwrap_err().to_string();
    assert!(twice.contains("two mesh axes are called `x`"), "{twice}");
    assert!(twice.contains("--> crates/tensor/tests/it/errors.rs:"), "{twice}");
}

#[test]
fn gradients_need_a_float_scalar_and_float_arguments() {
    says(&["the loss is f32[3], but must be a float scalar"], |t| grad(t.param("w", [3]), |w| w * 2));
    says(&["an integer has no gradient"], |t| grad(t.input("n", i32, ()), |n| n.cast(f32)));
    says(&["the function to differentiate returns nothing"], |t| grad(t.param("w", [3]), |_| ()));
    says(&["argument 1 `ids` is s32[3]: an integer has no gradient", "without making it an argument"], |t| {
        #[derive(Tree)]
        struct Model {
            w: Tensor,
            ids: Tensor,
        }
        grad(Model { w: t.param("w", [3]), ids: t.input("ids", i32, [3]) }, |m| m.w.sum(..))
    });
    says(&["while"], |t| grad(t.param("w", ()), |w| while_loop(w, |w| w.lt(1.0), |w| w * 2.0)));
}

#[test]
fn gradients_of_a_program_are_of_its_float_inputs_once_each() {
    let program = trace("f", |t| (t.param("w", [3]) * t.input("n", i32, [3]).cast(f32)).sum(..)).unwrap();
    let refused = |wrt: &[&str], parts: &[&str]| {
        let text = program.value_and_grad(wrt).unwrap_err().to_string();
        assert!(text.contains("--> crates/tensor/tests/it/errors.rs:"), "{text}");
        assert!(parts.iter().all(|part| text.contains(part)), "{text}");
    };
    refused(&["v"], &["no input `v`", "its inputs are `w`, `n`"]);
    refused(&["w", "w"], &["the gradient of `w` is asked for twice"]);
    refused(&["n"], &["`n` is s32[3]: an integer has no gradient"]);
    let vector = trace("f", |t| t.param("w", [3]) * 2.0).unwrap();
    let text = vector.value_and_grad(&["w"]).unwrap_err().to_string();
    assert!(text.contains("f32[3]") && text.contains("--> crates/tensor/tests/it/errors.rs:"), "{text}");
}

#[test]
fn names_are_given_once() {
    says(&["two inputs are called `x`", "the first `x`"], |t| {
        t.input("x", f32, [2]) + t.input("x", f32, [2])
    });
    says(&["an input has no name"], |t| t.input("", f32, [2]));
    says(&["results 0 and 2 are both called `loss`"], |t| {
        let x = t.input("x", f32, ());
        vec![("loss".to_string(), x), ("other".to_string(), x), ("loss".to_string(), x)]
    });
    says(&["input `y` is made inside of a loop"], |t| {
        repeat(2, t.input("x", f32, ()), |_, x| x + t.input("y", f32, ()))
    });
}

#[test]
fn a_parameter_that_nothing_uses_is_noted_at_its_line() {
    let program = trace("f", |t| {
        t.param("forgotten", [4]);
        t.input("x", f32, [2]) + t.param("b", [2])
    });
    let program = program.unwrap();
    let [note] = program.notes() else { panic!("one note, not {:?}", program.notes()) };
    let text = Errors::from(note.clone()).to_string();
    assert!(text.starts_with("note[N0808]: parameter `forgotten` is used nowhere"), "{text}");
    assert!(text.contains("--> crates/tensor/tests/it/errors.rs:"), "{text}");
}

#[test]
fn tensors_stay_in_their_trace_and_region() {
    let mut leaked = None;
    trace("other", |t| {
        leaked = Some(t.input("x", f32, [2]));
        leaked
    })
    .unwrap();
    says(&["a tensor of another trace is used in this one"], |t| t.input("y", f32, ()) + leaked.unwrap());
    says(&["used outside of the loop, branch or function it was made in"], |t| {
        let mut inner = None;
        let x = t.input("x", f32, [3]);
        repeat(2, x, |_, c| {
            inner = Some(c * 2);
            c
        });
        inner.unwrap()
    });
}

#[test]
fn control_flow_keeps_types() {
    says(&["the body of scan takes what is carried as f32[2], but returns it as f32[3]"], |t| {
        scan(t.input("c", f32, [2]), t.input("x", f32, [4, 3]), |_, x| (x, ())).0
    });
    says(&["the leading dims differ"], |t| {
        let xs = (t.input("a", f32, [4]), t.input("b", f32, [5]));
        scan(scalar(f32, 0.0), xs, |c, (a, b)| (c + a + b, ())).0
    });
    says(&["branch 0 returns (f32[2]), branch 1 (f32[])"], |t| {
        let x = t.input("x", f32, [2]);
        cond(x.sum(..).gt(0.0), || x, || x.sum(..))
    });
    says(&["must be a scalar of pred, not f32[]"], |t| {
        cond(t.input("x", f32, ()), || scalar(f32, 0), || scalar(f32, 1))
    });
}

#[test]
fn dims_are_pointed_at_within_the_rank() {
    says(&["dim 2 does not exist in f32[a=2,3]", "dims are 0 to 1, or -2 to -1"], |t| {
        t.input("x", f32, [("a", 2), ("", 3)]).name_dims(["a", ""]).sum(2)
    });
    says(&["dim `c` does not exist"], |t| t.input("x", f32, [2]).sum("c"));
    says(&["6 elements"], |t| t.input("x", f32, [2, 3]).reshape([4, 2]));
    says(&["1..5 does not lie in dim 0"], |t| t.input("x", f32, [2]).slice(1..5));
    says(&["the last dim on the left has 3 elements"], |t| {
        t.input("x", f32, [2, 3]).matmul(t.param("w", [4, 5]))
    });
}

#[test]
fn all_errors_of_a_trace_come_together_and_none_twice() {
    let errors = trace("f", |t| {
        let x = t.input("x", f32, [2, 3]);
        let wrong = x + t.input("y", f32, [4]);
        let after = wrong.matmul(t.param("w", [3, 5])).relu();
        after.sum(7)
    });
    assert_eq!(errors.unwrap_err().count(), 1, "what follows from an error is not another");
    let errors = trace("f", |t| {
        let x = t.input("x", f32, [2, 3]);
        let _ = x + t.input("y", f32, [4]);
        x.sum(7)
    });
    assert_eq!(errors.unwrap_err().count(), 2);
}

#[test]
fn manual_code_ends_where_it_began() {
    let mesh = Mesh::new([("x", 4), ("y", 2)]).unwrap();
    let piece =
        |t: Trace| t.input("x", f32, [("rows", 8), ("columns", 6)]).auto_to_manual(&mesh, &["x"], ("x", ()));
    says(
        &["result `result` is f32[rows=2,columns=6] (local over `x`)", "has no partner", "`manual_to_auto`"],
        piece,
    );
    says(&["no auto_to_manual leads to it", "f32[8]"], |t| {
        t.input("x", f32, [8]).manual_to_auto(&mesh, &["x"], ["x"])
    });
    says(&["manual_to_auto over `y`, but the tensor is f32[rows=2,columns=6] (local over `x`)"], |t| {
        piece(t).manual_to_auto(&mesh, &["y"], ("y", ()))
    });
    says(&["speaks of 1 dims, the tensor has 2"], |t| piece(t).manual_to_auto(&mesh, &["x"], ["x"]));
    says(&["dim 1 of f32[8,6] does not divide into 4 manual pieces"], |t| {
        t.input("x", f32, [8, 6]).auto_to_manual(&mesh, &["x"], ((), "x"))
    });
    says(&["is cut over `x` already"], |t| piece(t).auto_to_manual(&mesh, &["x"], ("x", ())));
    says(&["mesh axis `z` does not exist"], |t| t.input("x", f32, [8]).auto_to_manual(&mesh, &["z"], ["x"]));
    says(&["cannot be split over these axes again"], |t| {
        piece(t).mesh_split(&mesh, ("x", ())).manual_to_auto(&mesh, &["x"], ("x", ()))
    });
    says(&["a piece over `x` meets a piece over `y`", "local over `y` from here on"], |t| {
        piece(t) + t.input("y", f32, [2, 12]).auto_to_manual(&mesh, &["y"], ((), "y"))
    });
    says(&["add of f32[rows=2,columns=6] (local over `x`) and f32[8,6]: the shapes do not fit"], |t| {
        (piece(t) + t.input("y", f32, [8, 6])).manual_to_auto(&mesh, &["x"], ("x", ()))
    });
    says(&["the manual region returns 2 tensors, but 1 outputs are described"], |t| {
        manual(&mesh, &["x"], (t.input("x", f32, [8]), ["x"]), [["x"]], |x| (x, x * 2.0))
    });
    let open = trace("f", |t| {
        let x = piece(t);
        (repeat(2, x, |_, x| x * 2), cond(t.input("c", bool, ()), || x, || -x))
    });
    let text = open.unwrap_err().to_string();
    assert!(text.contains("result `0` is") && text.contains("result `1` is"), "loops and branches: {text}");
}

#[test]
fn a_program_is_called_with_what_it_takes() {
    let layer =
        trace("layer", |t| t.input("x", f32, [("batch", 8), ("model", 4)]).matmul(t.param("w", [4, 2])));
    let layer = layer.unwrap();
    says(&["`layer` takes 2 tensors, but is given 1", "layer(x: f32[batch=8,model=4], w: f32[4,2])"], |t| {
        layer.call::<Tensor>(t.input("x", f32, [8, 4]))
    });
    says(&["argument 1 (`1`) of `layer` is f32[2,4], but `w` must be f32[4,2]"], |t| {
        layer.call::<Tensor>((t.input("x", f32, [8, 4]), t.input("v", f32, [2, 4])))
    });
    says(
        &["argument 0 (`0`) of `layer` is f64[8,4], but `x` must be f32[batch=8,model=4]", ".cast(f32)"],
        |t| layer.call::<Tensor>((t.input("x", f64, [8, 4]), t.input("v", f32, [4, 2]))),
    );
    says(&["`layer` gives 1 results, but is taken as 2"], |t| {
        layer.call::<(Tensor, Tensor)>((t.input("x", f32, [8, 4]), t.input("v", f32, [4, 2]))).0
    });
}

#[test]
fn a_called_program_is_taken_in_once_and_gives_what_it_is() {
    let (mesh, other) = (Mesh::new([("x", 2)]).unwrap(), Mesh::new([("y", 2)]).unwrap());
    let square = trace("square", |t| {
        let x = t.input("x", f64, [4]).mesh_split(&mesh, ["x"]);
        checkpoint(|| x * x + custom_vjp(x, |x| x, |x| (x, ()), |(), d| d * 2.0))
    });
    let square = square.unwrap();
    let program = trace("f", |t| {
        let x = t.input("x", f64, [4]) + t.input("z", f64, [2]).mesh_split(&other, ["y"]).sum(..) * 0.0;
        (
            square.call::<Tensor>(x),
            grad(x, |x| square.call::<Tensor>(x).sum(..) + square.call::<Tensor>(x).max(..)),
        )
    });
    let program = program.unwrap();
    assert!(program.module().func_named("square").is_some());
    assert!(program.module().func_named("square_1").is_none(), "taken in once");
    let array = |x: &[f64]| meshwright_interp::Tensor::from_f64s(f64, &[x.len() as i64], x).unwrap();
    let inputs = [array(&[1.0, 2.0, 3.0, 4.0]), array(&[0.0; 2])];
    let found = meshwright_interp::run_global(program.module(), &inputs).unwrap();
    assert_eq!(found[0].to_f64s(), [2.0, 6.0, 12.0, 20.0], "x x + x");
    assert_eq!(found[1].to_f64s(), [4.0, 6.0, 8.0, 20.0], "2 x + 2, and once more at the largest");
}
