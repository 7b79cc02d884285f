//! How far we agree with XLA's own propagation on the yardstick's training step.

use meshwright_base::SourceText;
use meshwright_complete::{Options, agreement, complete};
use meshwright_ir::Module;

fn read(name: &str) -> Module {
    let path = format!("{}/../../tests/golden/yardstick/{name}", env!("CARGO_MANIFEST_DIR"));
    let source = SourceText::new(name, std::fs::read_to_string(path).expect("a golden fixture"));
    meshwright_text::hlo::parse(&source).expect("a module")
}

/// XLA splits the dispatch masks over experts there, the GShard paper and we over groups: that is all of the rest.
#[test]
fn at_least_95_percent_of_split_values_are_placed_as_by_xla() {
    let (ours, _) = complete(read("before_propagation.hlo"), &Options::default()).expect("completes");
    let found = agreement(&ours, read("after_propagation.hlo"));
    assert!(found.total > 700, "{found:?}");
    assert!(found.equal * 100 >= found.total * 95, "{:#?}", found.differences);
    let over_experts =
        |difference: &meshwright_complete::Difference| difference.theirs.starts_with("[-,-,axis_0");
    assert!(found.differences.iter().all(over_experts), "{:#?}", found.differences);
}

#[test]
fn a_completion_agrees_with_itself() {
    let (ours, _) = complete(read("before_propagation.hlo"), &Options::default()).expect("completes");
    let found = agreement(&ours, ours.clone().into_module());
    assert!(found.total > 0 && found.differences.is_empty() && found.equal == found.total);
}
