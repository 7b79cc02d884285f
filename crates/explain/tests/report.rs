//! The report of small programs: what is sent and why, and what an annotation would change.

use meshwright_base::SourceText;
use meshwright_compile::{Options, Unobserved};
use meshwright_explain::model::ReasonKind;
use meshwright_explain::{
    Explained, Wish, diff, explain, model_explorer, names, suggest, tried_with, why_not,
};
use meshwright_ir::Module;

/// Two blocks of a product and a function, split by batch, their weights not annotated or annotated over `y`.
fn blocks(weights: &str) -> String {
    let mut text = String::from(
        r#"sdy.mesh @mesh = <["x"=4, "y"=2]>
func.func public @main(%x: tensor<64x128xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>} loc("batch")"#,
    );
    for block in 0..2 {
        for (name, from, to) in [("up", 128, 512), ("down", 512, 128)] {
            text += &format!(
                ", %{name}{block}: tensor<{from}x{to}xf32>{weights} loc(\"p['blocks'][{block}]['{name}']\")"
            );
        }
    }
    text += ") -> tensor<64x128xf32> {\n";
    let mut from = "x".to_string();
    for block in 0..2 {
        let loc = |op: &str, line: u32| format!("loc(\"jit(f)/block_{block}/{op}\"(\"model.py\":{line}:4))");
        text += &format!(
            "  %h{block} = stablehlo.dot_general %{from}, %up{block}, contracting_dims = [1] x [0] : (tensor<64x128xf32>, tensor<128x512xf32>) -> tensor<64x512xf32> {}\n",
            loc("dot_general", 8)
        );
        text += &format!("  %a{block} = stablehlo.tanh %h{block} : tensor<64x512xf32> {}\n", loc("tanh", 9));
        text += &format!(
            "  %o{block} = stablehlo.dot_general %a{block}, %down{block}, contracting_dims = [1] x [0] : (tensor<64x512xf32>, tensor<512x128xf32>) -> tensor<64x128xf32> {}\n",
            loc("dot_general", 10)
        );
        from = format!("o{block}");
    }
    text + "  return %o1 : tensor<64x128xf32>\n}\n"
}

const FIRST_DIM: &str = r#" {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {}]>}"#;

fn module(text: &str) -> Module {
    let text = SourceText::new("t.mlir", text);
    meshwright_text::parse(&text).unwrap_or_else(|found| panic!("{found:?}"))
}

fn explained(text: &str) -> Explained {
    explain(module(text), &Options::default(), &mut Unobserved).unwrap_or_else(|found| panic!("{found:?}"))
}

#[test]
fn a_report_adds_up_to_what_the_program_sends() {
    let of = explained(&blocks(FIRST_DIM)).explanation;
    let sent: f64 = of.collectives.iter().map(|one| one.sent).sum();
    assert!((sent - of.totals.sent).abs() < 1e-6 * of.totals.sent, "{sent} and {}", of.totals.sent);
    let layers: f64 = of.layers.iter().map(|layer| layer.sent).sum();
    assert!((layers - sent).abs() < 1e-6 * sent, "{layers} and {sent}");
    assert_eq!(of.memory.peak, of.totals.peak);
    assert!(of.memory.curve.iter().max() <= Some(&of.memory.peak));
}

#[test]
fn equal_layers_are_one_and_collectives_know_line_and_annotation() {
    let of = explained(&blocks(FIRST_DIM)).explanation;
    let layer = of.layers.iter().find(|layer| layer.name == "block_#").expect("the blocks are a layer");
    assert_eq!(layer.instances, 2);
    let one = of.collectives.first().expect("something is sent");
    assert!(matches!(one.reason.kind, ReasonKind::PartialSum | ReasonKind::Reshard), "{one:?}");
    assert!(one.reason.from.is_some() && one.reason.to.is_some(), "{one:?}");
    let origins: Vec<&str> = one.reason.origins.iter().map(|origin| origin.value.as_str()).collect();
    assert!(origins.iter().any(|value| value.starts_with("p['blocks']")), "{one:?}");
}

#[test]
fn values_are_known_by_every_name_they_have() {
    let module = module(&blocks(FIRST_DIM));
    let asked = |name: &str| -> Vec<String> {
        names::find(&module, name).unwrap().into_iter().map(|question| question.name).collect()
    };
    assert_eq!(asked("%up1"), ["p['blocks'][1]['up']"]);
    assert_eq!(asked("p['blocks'][1]['up']"), ["p['blocks'][1]['up']"]);
    assert_eq!(asked("p['blocks'][*]['up']"), ["p['blocks'][0]['up']", "p['blocks'][1]['up']"]);
    assert_eq!(asked("block_0/tanh"), ["%a0"]);
    assert_eq!(asked("model.py:9"), ["%a0", "%a1"]);
    assert_eq!(asked("%h1.1"), ["%h1"]);
    let none = names::find(&module, "p['blocks'][7]['up']").unwrap_err();
    assert!(none.help.unwrap().contains("`p['blocks'][0]['up']`"));
}

#[test]
fn advice_is_what_partitioning_with_it_gives() {
    let text = blocks(FIRST_DIM);
    let of = explained(&text);
    let advice = suggest(&of, &Options::default(), &|_| None).suggestions;
    assert!(!advice.is_empty());
    for one in advice.iter().filter(|one| one.instead_of.is_none()) {
        let wishes: Vec<Wish> =
            one.annotate.iter().map(|asked| Wish::read(&of.input.module, asked, false).unwrap()).collect();
        let after = tried_with(&module(&text), &wishes, &Options::default()).unwrap();
        assert_eq!(after, one.after, "{one:?}");
        assert!(one.after.sent < one.before.sent);
    }
}

#[test]
fn an_annotation_that_is_in_the_way_is_told_with_what_changing_it_gives() {
    let text = r#"sdy.mesh @mesh = <["x"=4, "y"=2]>
func.func public @main(%h: tensor<512x4096xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>} loc("h"), %m: tensor<512x4096xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {"x"}]>} loc("mask")) -> (tensor<512x4096xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}) {
  %b = stablehlo.multiply %h, %m : tensor<512x4096xf32> loc("jit(f)/mul"("model.py":32:8))
  return %b : tensor<512x4096xf32>
}
"#;
    let of = explained(text);
    let advice = suggest(&of, &Options::default(), &|_| None).suggestions;
    let one = advice.iter().find(|one| one.values[0].called.as_deref() == Some("mask")).expect("it is told");
    assert_eq!((one.sharding.as_str(), one.instead_of.as_deref()), ("[x, y]", Some("[y, x]")));
    assert_eq!(one.jax.as_deref(), Some("NamedSharding(mesh, P('x', 'y'))"));
    let pasted = explained(&text.replace(r#"[{"y"}, {"x"}]"#, r#"[{"x"}, {"y"}]"#));
    assert_eq!(one.after, pasted.explanation.totals);
    assert_eq!(one.after.sent, 0.0);
}

/// A gradient's place is a line that makes the forward value: no line is told to be pasted there.
#[test]
fn a_gradient_gets_no_line_of_the_forward_pass() {
    for (path, backward) in [("transpose(jvp(f))", true), ("jvp(f)", false)] {
        let of = explained(&blocks(FIRST_DIM).replace("jit(f)/", &format!("jit(f)/{path}/")));
        let advice = suggest(&of, &Options::default(), &|_| Some("h @ w".into())).suggestions;
        let added: Vec<_> = advice.iter().filter(|one| one.instead_of.is_none()).collect();
        let unnamed: Vec<_> =
            added.into_iter().filter(|one| one.values.iter().all(|value| value.called.is_none())).collect();
        assert!(!unnamed.is_empty());
        for one in unnamed {
            assert_eq!((one.backward, one.jax.is_none()), (backward, backward), "{one:?}");
        }
    }
}

#[test]
fn another_sharding_is_priced_and_told_what_stood_against_it() {
    let of = explained(&blocks(FIRST_DIM));
    let wish = Wish::read(&of.input.module, "%h0=[_, x]", false).unwrap();
    let answer = why_not(&of, &wish, &Options::default()).unwrap();
    assert_eq!(answer.wanted, "[_, x]");
    assert!(answer.after.sent > answer.before.sent, "{answer:?}");
    assert!(
        answer.against.as_deref().is_some_and(|told| told.contains("`x` shards dimension 0")),
        "{answer:?}"
    );
}

#[test]
fn wishes_that_cannot_be_are_refused_with_a_way_out() {
    let module = module(&blocks(FIRST_DIM));
    let refused = |asked: &str| Wish::read(&module, asked, false).unwrap_err();
    assert_eq!(refused("%h0=[z, _]").message, "no axis is called `z`");
    assert!(refused("%h0=[z, _]").help.unwrap().contains("`x`, `y`"));
    assert!(refused("%h0=[x]").message.contains("f32[64,512]"));
    assert!(refused("%h0=[x, x]").message.contains("stands twice"));
    assert!(refused("%up0=[_, y]").message.contains("is annotated [y, _], which forbids [_, y]"));
    assert!(refused("%h0").message.contains("is no annotation"));
    assert!(refused("%nothing=[x]").message.contains("no value is called"));
}

#[test]
fn renamed_values_and_moved_lines_are_no_difference() {
    let text = blocks(FIRST_DIM);
    let moved =
        text.replace("model.py\":8", "model.py\":108").replace("%h", "%hidden").replace("%a", "%active");
    let of = diff(&explained(&text), &explained(&moved), &Options::default());
    assert!(of.related && of.collectives.is_empty() && of.annotations.is_empty(), "{of:?}");
    assert_eq!(of.growth(), 0.0);
}

#[test]
fn a_difference_names_the_annotation_and_what_undoing_it_gives() {
    let (old, new) = (blocks(FIRST_DIM), blocks(FIRST_DIM).replacen(r#"[{"y"}, {}]"#, r#"[{}, {}]"#, 1));
    let (old, new) = (explained(&old), explained(&new));
    let of = diff(&old, &new, &Options::default());
    let [one] = &of.annotations[..] else { panic!("{of:?}") };
    assert_eq!(
        (one.value.as_str(), one.before.as_deref(), one.after.as_deref()),
        ("p['blocks'][0]['up']", Some("[y, _]"), Some("[_, _]"))
    );
    assert_eq!(one.undone.map(|undone| undone.sent), Some(old.explanation.totals.sent));
    assert!(of.markdown().contains("**Annotations**"), "{}", of.markdown());
}

#[test]
fn the_graph_is_one_that_model_explorer_reads() {
    let graph = model_explorer(&explained(&blocks(FIRST_DIM)).explanation);
    let nodes = graph["graphs"][0]["nodes"].as_array().expect("nodes");
    assert!(nodes.iter().any(|node| node["namespace"] == "block_1" && node["label"] == "tanh"), "{graph}");
    let ids: Vec<&str> = nodes.iter().filter_map(|node| node["id"].as_str()).collect();
    for edge in nodes.iter().flat_map(|node| node["incomingEdges"].as_array().expect("edges")) {
        assert!(ids.contains(&edge["sourceNodeId"].as_str().expect("an id")));
    }
}

#[test]
fn collectives_of_equal_layers_are_one_where_no_line_is_told() {
    let text: String = blocks(FIRST_DIM)
        .lines()
        .map(|line| line.split(" loc(\"jit").next().unwrap_or(line).to_string() + "\n")
        .collect();
    let told = explained(&blocks(FIRST_DIM)).explanation;
    let plain = explained(&text).explanation;
    assert_eq!(plain.totals, told.totals);
    assert!(plain.collectives.len() <= told.collectives.len(), "{:?}", plain.collectives);
}

#[test]
fn a_module_without_locations_has_a_report() {
    let text = "sdy.mesh @m = <[\"x\"=2]>\nfunc.func public @main(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{\"x\"}]>}) -> tensor<f32> {\n  %z = stablehlo.constant dense<0.0> : tensor<f32>\n  %s = stablehlo.reduce(%a init: %z) applies stablehlo.add across dimensions = [0] : (tensor<8xf32>, tensor<f32>) -> tensor<f32>\n  return %s : tensor<f32>\n}\n";
    let explained = explained(text);
    let (of, completion) = (explained.explanation, explained.compiled.completion);
    let [one] = &of.collectives[..] else { panic!("{of:?}") };
    assert_eq!(
        (one.kind.as_str(), one.axes.as_str(), one.reason.kind),
        ("all-reduce", "x", ReasonKind::PartialSum)
    );
    assert_eq!(one.value.name, "%s");
    assert!(meshwright_explain::overview(&of, "t.mlir", &completion).contains("all-reduce over `x`"));
}
