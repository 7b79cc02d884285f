//! Project chores: `cargo xtask check`.

fn main() {}
