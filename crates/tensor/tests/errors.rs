//! What is wrong with a trace is told at the user's line, with the shapes and names, all of it together.

use meshwright_tensor::prelude::*;

/// The errors of a trace as they are shown; lines of this file are written as `LINE`.
fn shown<R: Tree>(f: impl FnOnce(Trace) -> R) -> String {
    let text = trace("f", f).expect_err("the trace should be refused").to_string();
    let mut out = String::new();
    for line in text.lines() {
        match line.trim_start().strip_prefix("--> crates/tensor/tests/errors.rs:") {
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
    assert!(
        Mesh::new([("x", 2), ("x", 2)]).unwrap_err().to_string().contains("two mesh axes are called `x`")
    );
}

#[test]
fn gradients_need_a_float_scalar_and_float_arguments() {
    says(&["the loss is f32[3], but must be a float scalar"], |t| grad(t.param("w", [3]), |w| w * 2));
    says(&["an integer has no gradient"], |t| grad(t.input("n", i32, ()), |n| n.cast(f32)));
    let program = trace("f", |t| t.param("w", [3]).sum(..)).unwrap();
    let unknown = program.value_and_grad(&["v"]).unwrap_err().to_string();
    assert!(unknown.contains("no input `v`") && unknown.contains("its inputs are `w`"), "{unknown}");
}

#[test]
fn names_are_given_once() {
    says(&["two inputs are called `x`", "the first `x`"], |t| {
        t.input("x", f32, [2]) + t.input("x", f32, [2])
    });
    says(&["an input has no name"], |t| t.input("", f32, [2]));
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
    says(&["the body of scan takes as f32[2], but returns it as f32[3]"], |t| {
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
