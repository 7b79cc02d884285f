//! Every example runs.

#[allow(dead_code)]
#[path = "../../../examples/quickstart.rs"]
mod quickstart;

#[allow(dead_code)]
#[path = "../../../examples/data_parallel.rs"]
mod data_parallel;

#[allow(dead_code)]
#[path = "../../../examples/expert_parallel.rs"]
mod expert_parallel;

#[allow(dead_code)]
#[path = "../../../examples/weight_update_sharding.rs"]
mod weight_update_sharding;

#[allow(dead_code)]
#[path = "../../../examples/manual_dispatch.rs"]
mod manual_dispatch;

#[allow(dead_code)]
#[path = "../../../examples/spatial_convolution.rs"]
mod spatial_convolution;

#[allow(dead_code)]
#[path = "../../../examples/transformer_2d.rs"]
mod transformer_2d;

#[allow(dead_code)]
#[path = "../../../examples/jax_module.rs"]
mod jax_module;

#[allow(dead_code)]
#[path = "../../../examples/own_model.rs"]
mod own_model;

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
