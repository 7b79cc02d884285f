//! Random sums of pieces keep every bit, those of zeros with a sign and of NaNs included.

use meshwright_base::SourceText;
use meshwright_base::random::Random;
use meshwright_interp::{Tensor, run_global};
use meshwright_ir::{DType, Module, verify};
use meshwright_opt::{dce, sum_pieces};

/// A loop that carries sums of pieces of random shapes, at places some of which lie beyond the edges; and how many sums
/// it may rewrite at most.
fn program(random: &mut Random) -> (String, [Vec<i64>; 2], i64) {
    let rank = 1 + random.index(3);
    let dims: Vec<i64> = (0..rank).map(|_| random.between(1, 6) as i64).collect();
    let sizes: Vec<i64> = dims.iter().map(|size| random.between(1, *size as u64) as i64).collect();
    let (dtype, zero) =
        [("f32", "0.0"), ("f32", "-0.0"), ("i32", "0"), ("bf16", "0.0"), ("f64", "-0.0")][random.index(5)];
    let shape = |dims: &[i64]| {
        let sizes: String = dims.iter().map(|size| format!("{size}x")).collect();
        format!("tensor<{sizes}{dtype}>")
    };
    let (whole, piece) = (shape(&dims), shape(&sizes));
    let begins = ["%zeros", "%x"][random.index(2)];
    let scatters = random.index(2) == 0;
    let places: Vec<String> =
        (0..rank).map(|at| if at == 0 { "%i".into() } else { format!("%k{at}") }).collect();
    let windows: Vec<String> = (0..rank).map(|dim| dim.to_string()).collect();
    let made = if scatters {
        let parts = places.iter().enumerate().map(|(at, place)| {
            format!("%p{at} = stablehlo.reshape {place} : (tensor<i32>) -> tensor<1xi32>\n")
        });
        let names: Vec<String> = (0..rank).map(|at| format!("%p{at}")).collect();
        let types = vec!["tensor<1xi32>"; rank].join(", ");
        let windows = windows.join(", ");
        format!(
            "{}%index = stablehlo.concatenate {}, dim = 0 : ({types}) -> tensor<{rank}xi32>
             %u = \"stablehlo.scatter\"(%zeros, %index, %now) <{{indices_are_sorted = false, scatter_dimension_numbers =
               #stablehlo.scatter<update_window_dims = [{windows}], scatter_dims_to_operand_dims = [{windows}],
               index_vector_dim = 0>, unique_indices = false}}> ({{
             ^bb0(%a: tensor<{dtype}>, %b: tensor<{dtype}>):
               %sum = stablehlo.add %a, %b : tensor<{dtype}>
               stablehlo.return %sum : tensor<{dtype}>
             }}) : ({whole}, tensor<{rank}xi32>, {piece}) -> {whole}",
            parts.collect::<String>(),
            names.join(", ")
        )
    } else {
        let types = vec!["tensor<i32>"; rank].join(", ");
        format!(
            "%u = stablehlo.dynamic_update_slice %zeros, %now, {} : ({whole}, {piece}, {types}) -> {whole}",
            places.join(", ")
        )
    };
    let others: String = (1..rank)
        .map(|at| {
            format!("%k{at} = stablehlo.constant dense<{}> : tensor<i32>\n", random.index(5) as i64 - 1)
        })
        .collect();
    let operands = if random.index(2) == 0 { "%acc, %u" } else { "%u, %acc" };
    let first = random.index(4) as i64 - 2;
    let text = format!(
        "module {{ func.func public @main(%x: {whole}, %g: {piece}) -> {whole} {{
           %first = stablehlo.constant dense<{first}> : tensor<i32>
           %last = stablehlo.constant dense<4> : tensor<i32>
           {others}
           %z = stablehlo.constant dense<{zero}> : tensor<{dtype}>
           %zeros = stablehlo.broadcast_in_dim %z, dims = [] : (tensor<{dtype}>) -> {whole}
           %r:3 = stablehlo.while(%i = %first, %acc = {begins}, %now = %g) : tensor<i32>, {whole}, {piece}
            cond {{
             %c = stablehlo.compare LT, %i, %last : (tensor<i32>, tensor<i32>) -> tensor<i1>
             stablehlo.return %c : tensor<i1>
           }} do {{
             %one = stablehlo.constant dense<1> : tensor<i32>
             %j = stablehlo.add %i, %one : tensor<i32>
             {made}
             %s = stablehlo.add {operands} : {whole}
             %next = stablehlo.negate %now : {piece}
             stablehlo.return %j, %s, %next : tensor<i32>, {whole}, {piece}
           }}
           return %r#1 : {whole}
         }} }}"
    );
    let exact = i64::from(zero != "0.0" || begins == "%zeros");
    (text, [dims, sizes], exact)
}

fn parse(text: &str) -> Module {
    meshwright_text::parse(&SourceText::new("test.mlir", text))
        .unwrap_or_else(|found| panic!("{found:?}\n{text}"))
}

/// Floats are now and then infinite, not a number, or a zero with a sign.
fn tensor(random: &mut Random, dtype: DType, dims: &[i64]) -> Tensor {
    const ODD: [f64; 6] = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, -0.0, 0.0, 1e-40];
    let mut one = || match random.index(3) {
        0 if dtype.is_float() => ODD[random.index(6)],
        _ => random.index(9) as f64 - 4.0,
    };
    let values: Vec<f64> = (0..dims.iter().product::<i64>()).map(|_| one()).collect();
    Tensor::from_f64s(dtype, dims, &values).expect("as many values as elements")
}

#[test]
fn random_sums_of_pieces_keep_every_bit() {
    let (mut rewritten, mut left) = (0, 0);
    for case in 0..400 {
        let mut random = Random::new(17, case);
        let (text, dims, exact) = program(&mut random);
        let before = parse(&text);
        let mut after = before.clone();
        let changed = sum_pieces(&mut after);
        // A scatter may be wholly out of place, but its piece is added where it is known to be exact.
        assert_eq!(i64::from(changed), exact, "case {case}: {text}");
        dce(&mut after);
        verify(&after).expect("the module holds");
        let main = before.main();
        let dtype = main.ty(main.param_values()[0]).as_tensor().map(|ty| ty.dtype).expect("a tensor");
        for _ in 0..3 {
            let given: Vec<Tensor> = dims.iter().map(|dims| tensor(&mut random, dtype, dims)).collect();
            let run = |module: &Module| {
                let results =
                    run_global(module, &given).unwrap_or_else(|found| panic!("case {case}: {found:?}"));
                results.iter().map(Tensor::to_bytes).collect::<Vec<_>>()
            };
            assert_eq!(run(&before), run(&after), "case {case}: {text}");
        }
        *(if changed { &mut rewritten } else { &mut left }) += 1;
    }
    assert!(rewritten > 200 && left > 50, "{rewritten} rewritten, {left} left");
}
