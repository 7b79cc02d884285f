//! Read a module, complete it, show what values got.

// Each test file uses some of it.
#![allow(dead_code)]

use meshwright_base::{SourceText, render};
use meshwright_complete::{Options, Report, complete};
use meshwright_ir::{Annotation, Module, ShardedModule};
use meshwright_shard::{AxisRef, Sharding};

pub fn parse(text: &str) -> Module {
    let source = SourceText::new("test.mlir", text);
    meshwright_text::stablehlo::parse(&source).unwrap_or_else(|errors| {
        panic!("{}", errors.iter().map(|error| render(error, Some(&source))).collect::<String>())
    })
}

pub fn completed(text: &str) -> (ShardedModule, Report) {
    complete(parse(text), &Options::default()).unwrap_or_else(|errors| panic!("{errors:#?}"))
}

/// Shardings of named values, `x*y,-` style, of the first value of that name in any function.
pub fn check(text: &str, expect: &[(&str, &str)]) -> (ShardedModule, Report) {
    let (sharded, report) = completed(text);
    let found: Vec<(&str, String)> = expect.iter().map(|(name, _)| (*name, shown(&sharded, name))).collect();
    let wanted: Vec<(&str, String)> =
        expect.iter().map(|(name, axes)| (*name, (*axes).to_string())).collect();
    assert_eq!(found, wanted, "\n{}", meshwright_text::stablehlo::print(sharded.module()));
    (sharded, report)
}

pub fn shown(sharded: &ShardedModule, name: &str) -> String {
    let module = sharded.module();
    let values = module.funcs.values().flat_map(|func| func.values().values());
    let mut named = values.filter(|value| value.name.as_deref() == Some(name));
    let value = named.next().unwrap_or_else(|| panic!("no value %{name}"));
    show(module, value.sharding.as_ref().and_then(Annotation::as_mesh).expect("a sharding"))
}

/// Axes of each dim: `x*y,-`.
pub fn show(module: &Module, sharding: &Sharding) -> String {
    let mesh = &module.meshes[sharding.mesh];
    let axis = |axis: &AxisRef| match &mesh.axes[axis.axis] {
        info if info.size == axis.size => info.name.to_string(),
        info => format!("{}:({}){}", info.name, axis.pre, axis.size),
    };
    let dim = |axes: &[AxisRef]| match axes {
        [] => "-".to_string(),
        axes => axes.iter().map(axis).collect::<Vec<_>>().join("*"),
    };
    sharding.dims.iter().map(|each| dim(&each.axes)).collect::<Vec<_>>().join(",")
}
