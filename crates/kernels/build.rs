//! Tells the crate how it is compiled: nothing in the language says whether there is optimization.

fn main() {
    let level = std::env::var("OPT_LEVEL").unwrap_or_default();
    println!("cargo:rustc-env=MESHWRIGHT_OPT_LEVEL={level}");
    println!("cargo:rerun-if-changed=build.rs");
}
