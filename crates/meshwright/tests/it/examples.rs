//! Every example runs.

#[allow(dead_code)]
#[path = "../../../../examples/quickstart.rs"]
mod quickstart;

#[allow(dead_code)]
#[path = "../../../../examples/data_parallel.rs"]
mod data_parallel;

#[allow(dead_code)]
#[path = "../../../../examples/expert_parallel.rs"]
mod expert_parallel;

#[allow(dead_code)]
#[path = "../../../../examples/weight_update_sharding.rs"]
mod weight_update_sharding;

#[allow(dead_code)]
#[path = "../../../../examples/manual_dispatch.rs"]
mod manual_dispatch;

#[allow(dead_code)]
#[path = "../../../../examples/spatial_convolution.rs"]
mod spatial_convolution;

#[allow(dead_code)]
#[path = "../../../../examples/transformer_2d.rs"]
mod transformer_2d;

#[allow(dead_code)]
#[path = "../../../../examples/jax_module.rs"]
mod jax_module;

#[allow(dead_code)]
#[path = "../../../../examples/own_model.rs"]
mod own_model;

#[allow(dead_code)]
#[path = "../../../../examples/sequences.rs"]
mod sequences;

#[allow(dead_code)]
#[path = "../../../../examples/images.rs"]
mod images;

#[allow(dead_code)]
#[path = "../../../../examples/pictures.rs"]
mod pictures;

#[allow(dead_code)]
#[path = "../../../../examples/grouped_heads.rs"]
mod grouped_heads;

#[allow(dead_code)]
#[path = "../../../../examples/bags.rs"]
mod bags;

#[allow(dead_code)]
#[path = "../../../../examples/ten_lines.rs"]
mod ten_lines;

#[test]
fn the_readme_shows_what_its_ten_lines_are_told() {
    ten_lines::main().unwrap();
    let partitioned = meshwright::Partition::partition(&ten_lines::layer().unwrap()).unwrap();
    let told = partitioned.explain().to_string();
    let readme = include_str!("../../../../README.md");
    let told = told.trim_end();
    assert!(readme.contains(&format!("```text\n{told}\n```\n")), "README.md does not show this:\n{told}");
}

/// Values that the ten lines give no name have one in the module that pictures are drawn of.
#[test]
fn the_readmes_picture_is_of_its_ten_lines() {
    let mut text = meshwright::Partition::to_stablehlo(&ten_lines::layer().unwrap());
    for (traced, named) in [("%2", "%h"), ("%5", "%r"), ("%6", "%y")] {
        text = text.replace(traced, named);
    }
    assert_eq!(include_str!("../../../../docs/pictures/ten-lines.mlir").trim_end(), text.trim_end());
}

#[test]
fn quickstart_runs() {
    quickstart::main().unwrap();
}

#[test]
fn data_parallel_runs() {
    data_parallel::main().unwrap();
}

#[test]
fn expert_parallel_runs() {
    expert_parallel::main().unwrap();
}

#[test]
fn weight_update_sharding_runs() {
    weight_update_sharding::main().unwrap();
}

#[test]
fn manual_dispatch_runs() {
    manual_dispatch::main().unwrap();
}

#[test]
fn spatial_convolution_runs() {
    spatial_convolution::main().unwrap();
}

#[test]
fn transformer_2d_runs() {
    transformer_2d::main().unwrap();
}

#[test]
fn jax_module_runs() {
    jax_module::main().unwrap();
}

#[test]
fn own_model_learns() {
    let losses = own_model::train(60).unwrap();
    assert!(losses[59] < losses[0] * 0.2, "{losses:?}");
}

#[test]
fn sequences_are_learnt_from_their_spelling() {
    let losses = sequences::train(40).unwrap();
    assert!(losses[39] < losses[0] * 0.7, "{losses:?}");
}

#[test]
fn images_are_told_apart_by_running_averages_too() {
    let (losses, right) = images::train(40).unwrap();
    assert!(losses[39] < losses[0] * 0.2, "{losses:?}");
    assert!(right >= 22, "{right} of 24 images are told right");
}

/// Pictures that a model has not seen; by chance a quarter is told right.
#[test]
fn a_residual_network_and_a_vit_learn_to_see() {
    use meshwright::prelude::*;
    let mesh = |axes: [(&str, i64); 2]| Mesh::new(axes).unwrap();
    let by_rows = Rules::of(&mesh([("data", 2), ("rows", 4)]), [("batch", "data"), ("space", "rows")]);
    let right = pictures::train(&pictures::residual(), &by_rows, 0.01, 120).unwrap();
    assert!(right >= 0.9, "the residual network tells {right} right");
    let by_heads = meshwright::nn::models::strategy::DATA_MODEL.rules(&mesh([("data", 2), ("model", 4)]));
    let right = pictures::train(&pictures::vit(), &by_heads, 0.003, 300).unwrap();
    assert!(right >= 0.8, "the ViT tells {right} right");
}

#[test]
fn grouped_heads_learn_to_count() {
    let losses = grouped_heads::train(40).unwrap();
    assert!(losses[39] < losses[0] * 0.7, "{losses:?}");
}

#[test]
fn bags_are_judged() {
    let losses = bags::train(40).unwrap();
    assert!(losses[39] < losses[0] * 0.7, "{losses:?}");
}
