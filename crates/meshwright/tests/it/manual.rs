//! Manual code, as a region and as annotations, alone and under `vmap` and `scan`: what one device computes whole.

use meshwright::prelude::*;

fn mesh() -> Mesh {
    Mesh::new([("x", 4), ("y", 2)]).unwrap()
}

fn numbers(dims: &[i64]) -> Array {
    let number = |i: i64| ((i * 37 % 101) as f64 / 101.0 - 0.5) * 0.8;
    Array::new(dims, &(0..dims.iter().product()).map(number).collect::<Vec<_>>()).unwrap()
}

/// The results of a program on as many devices as it is for, its inputs filled with numbers.
fn run(program: &Program) -> Vec<Vec<f64>> {
    let arrays: Vec<(String, Array)> =
        program.inputs().iter().map(|input| (input.name.to_string(), numbers(&input.ty.dims))).collect();
    let inputs: Vec<(&str, &Array)> = arrays.iter().map(|(name, array)| (&**name, array)).collect();
    let partitioned = program.partition().unwrap();
    let results = partitioned.load(8).unwrap().run(&inputs).unwrap();
    let one = |result: &meshwright::ResultInfo| results.get(&result.name).unwrap().to_vec::<f64>().unwrap();
    program.results().iter().map(one).collect()
}

/// Both programs give the same results, and the same gradients with respect to all inputs of a loss on the first.
fn same(one: Program, other: Program) {
    let wrt: Vec<String> = one.inputs().iter().map(|input| input.name.to_string()).collect();
    let wrt: Vec<&str> = wrt.iter().map(String::as_str).collect();
    for (a, b) in [
        (one.clone(), other.clone()),
        (one.value_and_grad(&wrt).unwrap(), other.value_and_grad(&wrt).unwrap()),
    ] {
        let (a, b) = (run(&a), run(&b));
        assert_eq!(a.len(), b.len());
        for (at, (a, b)) in a.iter().zip(&b).enumerate() {
            assert_eq!(a.len(), b.len());
            let worst = a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            assert!(worst < 1e-12, "result {at} differs by {worst}");
        }
    }
}

fn loss(y: Tensor) -> Tensor {
    (y.sin() * (iota(f64, y.dims(), 0) + 1.0)).sum(..)
}

fn inputs(t: Trace) -> (Tensor, Tensor) {
    (t.input("a", f64, [8, 6]), t.input("b", f64, [6]))
}

/// Rows minus their mean over all rows, times `b`.
fn whole(a: Tensor, b: Tensor) -> Tensor {
    (a - a.mean_keep(0)) * b
}

fn flat(mesh: &Mesh, a: Tensor, b: Tensor) -> Tensor {
    let a = a.auto_to_manual(mesh, &["x"], ("x", ()));
    let b = b.auto_to_manual(mesh, &["x"], [()]);
    let mean = a.sum_keep(0).all_reduce(mesh, &["x"]) / 8.0;
    ((a - mean) * b).manual_to_auto(mesh, &["x"], ("x", ()))
}

fn region(mesh: &Mesh, a: Tensor, b: Tensor) -> Tensor {
    manual(mesh, &["x"], ((a, ("x", ())), (b, [()])), [("x", ())], |(a, b)| {
        let mean = a.sum_keep(0).all_reduce(mesh, &["x"]) / 8.0;
        (a - mean) * b
    })
}

#[test]
fn the_flat_form_is_what_the_region_is() {
    let mesh = mesh();
    let alone = || {
        trace("f", |t| {
            let (a, b) = inputs(t);
            loss(whole(a, b))
        })
        .unwrap()
    };
    same(
        trace("f", |t| {
            let (a, b) = inputs(t);
            loss(flat(&mesh, a, b))
        })
        .unwrap(),
        alone(),
    );
    same(
        trace("f", |t| {
            let (a, b) = inputs(t);
            loss(region(&mesh, a, b))
        })
        .unwrap(),
        alone(),
    );
}

#[test]
fn axes_that_are_not_manual_are_still_partitioned() {
    let mesh = mesh();
    let program = trace("f", |t| {
        let a = t.input("a", f64, [8, 6]).auto_to_manual(&mesh, &["x"], ["x", "y"]);
        loss((a + a.all_gather(&mesh, &["x"], 0).sum_keep(0)).manual_to_auto(&mesh, &["x"], ["x", "y"]))
    });
    let alone = trace("f", |t| {
        let a = t.input("a", f64, [8, 6]);
        loss(a + a.sum_keep(0))
    });
    let explained = program.as_ref().unwrap().partition().unwrap().explain();
    assert!(explained.contains("in  a: f64[8,6] as f64[2,3] [x, y]"), "{explained}");
    same(program.unwrap(), alone.unwrap());
}

#[test]
fn manual_code_stands_inside_of_manual_code() {
    let mesh = mesh();
    let program = trace("f", |t| {
        let (a, b) = inputs(t);
        let a = a.auto_to_manual(&mesh, &["x"], ("x", ()));
        let b = b.auto_to_manual(&mesh, &["x"], [()]).auto_to_manual(&mesh, &["y"], ["y"]);
        let a = a.auto_to_manual(&mesh, &["y"], ((), "y"));
        let mean = a.sum_keep(0).all_reduce(&mesh, &["x"]) / 8.0;
        let y = ((a - mean) * b).manual_to_auto(&mesh, &["y"], ((), "y"));
        loss(y.manual_to_auto(&mesh, &["x"], ("x", ())))
    });
    let alone = trace("f", |t| {
        let (a, b) = inputs(t);
        loss(whole(a, b))
    });
    same(program.unwrap(), alone.unwrap());
}

#[test]
fn the_text_of_a_flat_program_reads_as_it() {
    let mesh = mesh();
    let program = trace("f", |t| {
        let (a, b) = inputs(t);
        loss(flat(&mesh, a, b))
    })
    .unwrap();
    let text = program.to_stablehlo();
    assert!(text.contains("@SPMDFullToShardShape") && text.contains("@SPMDShardToFullShape"), "{text}");
    same(parse("f.mlir", &text).unwrap(), program);
}

#[test]
fn vmap_of_manual_code_leaves_the_new_dim_to_the_outside() {
    let mesh = mesh();
    let cases = |t: Trace| (t.input("a", f64, [2, 8, 6]), t.input("b", f64, [6]));
    let alone = trace("f", |t| {
        let (a, b) = cases(t);
        loss(vmap(a, |a| whole(a, b)))
    })
    .unwrap();
    type Form = fn(&Mesh, Tensor, Tensor) -> Tensor;
    for form in [flat as Form, region as Form] {
        let program = trace("f", |t| {
            let (a, b) = cases(t);
            let stages = a.mesh_split(&mesh, ("y", OPEN, OPEN));
            let y = vmap(stages, |a| form(&mesh, a, b));
            loss(y)
        })
        .unwrap();
        let explained = program.partition().unwrap().explain();
        assert!(explained.contains("in  a: f64[2,8,6] as f64[1,2,6] [y, x, _]"), "{explained}");
        same(program, alone.clone());
    }
}

#[test]
fn scan_of_manual_code_leaves_the_stacked_dim_to_the_outside() {
    let mesh = mesh();
    let cases = |t: Trace| (t.input("a", f64, [8, 6]), t.input("bs", f64, [4, 6]));
    let alone = trace("f", |t| {
        let (a, bs) = cases(t);
        let (a, sums) = scan(a, bs, |a, b| {
            let a = whole(a, b + 1.0);
            (a, a.sum(0))
        });
        loss(a) + loss(sums)
    });
    let alone = alone.unwrap();
    type Form = fn(&Mesh, Tensor, Tensor) -> Tensor;
    for form in [flat as Form, region as Form] {
        let program = trace("f", |t| {
            let (a, bs) = cases(t);
            let (a, sums) = scan(a, bs.mesh_split(&mesh, ("y", OPEN)), |a, b| {
                let a = form(&mesh, a, b + 1.0);
                (a, a.sum(0))
            });
            loss(a) + loss(sums)
        })
        .unwrap();
        let explained = program.partition().unwrap().explain();
        assert!(explained.contains("in  bs: f64[4,6] as f64[2,6] [y, _]"), "{explained}");
        same(program, alone.clone());
    }
}

#[test]
fn a_loop_may_stand_inside_of_manual_code() {
    let mesh = mesh();
    let program = trace("f", |t| {
        let (a, b) = inputs(t);
        let a = a.auto_to_manual(&mesh, &["x"], ("x", ()));
        let grown = repeat(3, a, |_, a| a + a.sum_keep(0).all_reduce(&mesh, &["x"]) * 0.1);
        let kept = cond(b.sum(..).gt(0.0), || grown, || a);
        loss(checkpoint(|| kept.tanh()).manual_to_auto(&mesh, &["x"], ("x", ())) * b)
    });
    let alone = trace("f", |t| {
        let (a, b) = inputs(t);
        let grown = repeat(3, a, |_, a| a + a.sum_keep(0) * 0.1);
        loss(cond(b.sum(..).gt(0.0), || grown, || a).tanh() * b)
    });
    same(program.unwrap(), alone.unwrap());
}

#[test]
fn annotations_under_vmap_and_scan_keep_their_dims_and_leave_the_new_one() {
    let mesh = mesh();
    let one = |w: Tensor, x: Tensor| x.matmul(w).mesh_split(&mesh, [-1, 1]).tanh();
    let cases = |t: Trace| (t.input("w", f64, [4, 6, 6]), t.input("x", f64, [8, 6]));
    let mapped = |outside: bool| {
        let program = trace("f", |t| {
            let (w, x) = cases(t);
            let w = if outside { w.mesh_split(&mesh, (0, OPEN, OPEN)) } else { w };
            vmap(w, |w| one(w, x))
        });
        program.unwrap().partition().unwrap().explain()
    };
    let explained = mapped(false);
    assert!(explained.contains("out result: f64[4,8,6] as f64[4,8,3] [_, _, y]"), "{explained}");
    let explained = mapped(true);
    assert!(explained.contains("out result: f64[4,8,6] as f64[1,8,3] [x, _, y]"), "{explained}");
    let scanned = |outside: bool| {
        let program = trace("f", |t| {
            let (w, x) = cases(t);
            let (_, ys) = scan(x, w, |x, w| (one(w, x), one(w, x)));
            if outside { ys.mesh_split(&mesh, (0, OPEN, OPEN)) } else { ys }
        });
        program.unwrap().partition().unwrap().explain()
    };
    let explained = scanned(false);
    assert!(explained.contains("out result: f64[4,8,6] as f64[4,8,3] [_, _, y]"), "{explained}");
    let explained = scanned(true);
    assert!(explained.contains("out result: f64[4,8,6] as f64[1,8,3] [x, _, y]"), "{explained}");
}

#[test]
fn the_text_of_nested_manual_code_is_differentiated_as_it() {
    let mesh = mesh();
    let program = trace("f", |t| {
        let (a, b) = inputs(t);
        let a = a.auto_to_manual(&mesh, &["x"], ("x", ())).auto_to_manual(&mesh, &["y"], ((), "y"));
        let b = b.auto_to_manual(&mesh, &["x"], [()]).auto_to_manual(&mesh, &["y"], ["y"]);
        let mean = a.sum_keep(0).all_reduce(&mesh, &["x"]) / 8.0;
        let y = ((a - mean) * b).manual_to_auto(&mesh, &["y"], ((), "y"));
        loss(y.manual_to_auto(&mesh, &["x"], ("x", ())))
    });
    let program = program.unwrap();
    same(parse("f.mlir", &program.to_stablehlo()).unwrap(), program);
}

#[test]
fn a_softmax_over_a_split_dim_needs_the_largest_and_the_sum_of_all() {
    let mesh = mesh();
    let program = trace("f", |t| {
        let x = t.input("x", f64, [8, 6]).auto_to_manual(&mesh, &["x"], ("x", ())) * 10.0;
        let most = x.max_keep(0).all_reduce_max(&mesh, &["x"]).stop_gradient();
        let parts = (x - most).exp();
        let y = parts / parts.sum_keep(0).all_reduce(&mesh, &["x"]);
        loss(y.manual_to_auto(&mesh, &["x"], ("x", ())))
    });
    let alone = trace("f", |t| loss((t.input("x", f64, [8, 6]) * 10.0).softmax(0)));
    same(program.unwrap(), alone.unwrap());
    let least = trace("f", |t| {
        let x = t.input("x", f64, [8, 6]);
        manual(&mesh, &["x", "y"], (x, ("x", "y")), [((), "y")], |x| {
            x.min_keep(0).all_reduce_min(&mesh, &["x"])
        })
    });
    let alone = trace("f", |t| t.input("x", f64, [8, 6]).min_keep(0));
    assert_eq!(run(&least.unwrap()), run(&alone.unwrap()));
}

#[test]
fn a_device_knows_its_place_by_its_piece_of_a_range() {
    let mesh = mesh();
    let program = trace("f", |t| {
        let x = t.input("x", f64, [8]).auto_to_manual(&mesh, &["x"], ["x"]);
        let place = range(f64, 4).auto_to_manual(&mesh, &["x"], ["x"]); // f64[1]
        (x * 0.0 + place).manual_to_auto(&mesh, &["x"], ["x"])
    });
    assert_eq!(run(&program.unwrap()), [[0.0, 0.0, 1.0, 1.0, 2.0, 2.0, 3.0, 3.0]]);
}

#[test]
fn pieces_are_handed_on_along_an_axis_and_gradients_come_back() {
    let mesh = Mesh::with_order([("x", 4), ("y", 2)], [3, 1, 2, 0, 7, 5, 6, 4]).unwrap();
    let next: Vec<(i64, i64)> = (0..3).map(|place| (place, place + 1)).collect();
    let handed_on = trace("f", |t| {
        let x = t.input("x", f64, [8, 6]);
        let y = manual(&mesh, &["x"], (x, ("x", ())), [("x", ())], |x| x.permute(&mesh, &["x"], &next));
        (loss(y), y)
    });
    let whole = trace("f", |t| {
        let x = t.input("x", f64, [8, 6]);
        let y = concat([zeros(f64, [2, 6]), x.slice_dim(0, ..6)], 0);
        (loss(y), y)
    });
    same(handed_on.unwrap(), whole.unwrap());
}

#[test]
fn a_pair_of_places_there_are_not_is_told_at_the_line() {
    let mesh = mesh();
    for (pairs, told) in [
        ([(0, 4), (1, 2)], "there is no place 4 among the 4 along these axes"),
        ([(0, 1), (0, 2)], "place 0 sends twice"),
        ([(0, 1), (2, 1)], "place 1 is sent to twice"),
    ] {
        let error = trace("f", |t| {
            let x = t.input("x", f64, [8]).auto_to_manual(&mesh, &["x"], ["x"]);
            x.permute(&mesh, &["x"], &pairs).manual_to_auto(&mesh, &["x"], ["x"])
        });
        let text = error.unwrap_err().to_string();
        assert!(text.contains(told) && text.contains("manual.rs"), "{text}");
    }
}
