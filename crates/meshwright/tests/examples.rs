//! Every example runs.

#[allow(dead_code, clippy::print_stdout)]
#[path = "../../../examples/quickstart.rs"]
mod quickstart;

#[allow(dead_code, clippy::print_stdout)]
#[path = "../../../examples/data_parallel.rs"]
mod data_parallel;

#[test]
fn quickstart_runs() {
    quickstart::main().unwrap();
}

#[test]
fn data_parallel_runs() {
    data_parallel::main().unwrap();
}
