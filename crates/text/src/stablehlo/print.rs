//! Writing a module: header, meshes, functions, and the table of locations.

use super::PrintOptions;
use super::annotate::{annotation_prop, donation_prop, sorted, tree_of};
use super::loc::write_source;
use super::tree::{Prop, Tree, separated, write_dict, write_symbol};
use super::types::{write_type, write_types};
use super::writer::Writer;
use meshwright_base::Id;
use meshwright_base::arrange::Arrange;
use meshwright_ir::{Function, Module, SourceId};
use meshwright_shard::sdy_text::print_mesh;
use std::fmt::Write;

pub fn module(module: &Module, options: PrintOptions) -> String {
    let mut out = String::new();
    let attrs = module_attrs(module);
    open_module(&mut out, module, options, &attrs);
    for mesh in module.meshes.values().filter(|mesh| !mesh.name.is_empty()) {
        let axes = print_mesh(mesh);
        if options.generic {
            put!(out, "\n  \"sdy.mesh\"() <{{mesh = #sdy.mesh{axes}, sym_name = ");
            super::tree::write_string(&mut out, &mesh.name);
            out.push_str("}> : () -> ()");
        } else {
            out.push_str("\n  sdy.mesh ");
            write_symbol(&mut out, &mesh.name);
            put!(out, " = {axes}");
        }
    }
    // Number given to each source, 0 for none yet.
    let mut locations = vec![SourceId::unknown(); module.sources.len()];
    for func in module.funcs.values() {
        out.push_str("\n  ");
        if options.generic {
            open_generic_function(&mut out, module, func);
        } else {
            open_function(&mut out, module, func);
        }
        let mut writer = Writer::new(module, func, options, locations);
        writer.function_body();
        let (body, named) = writer.finish();
        locations = named;
        out.push_str(&body);
        if options.generic {
            out.push(')');
            write_spaced_dict(&mut out, &sorted(tree_of(&func.attrs)));
            out.push_str(" : () -> ()");
        }
    }
    close_module(&mut out, options, &attrs);
    write_locations(&mut out, module, &locations);
    out
}

fn module_attrs(module: &Module) -> Vec<Prop<'_>> {
    let mut attrs = tree_of(&module.attrs);
    let count =
        |name, count: Option<i64>| count.map(|count| Prop::made(name, Tree::Int(count, "i32".into())));
    attrs.extend(count("mhlo.num_partitions", module.num_partitions));
    attrs.extend(count("mhlo.num_replicas", module.num_replicas));
    sorted(attrs)
}

fn open_module(out: &mut String, module: &Module, options: PrintOptions, attrs: &[Prop<'_>]) {
    if options.generic {
        out.push_str("\"builtin.module\"() ");
        if !module.name.is_empty() {
            out.push_str("<{sym_name = ");
            super::tree::write_string(out, &module.name);
            out.push_str("}> ");
        }
        return out.push_str("({");
    }
    out.push_str("module ");
    if !module.name.is_empty() {
        write_symbol(out, &module.name);
        out.push(' ');
    }
    if !attrs.is_empty() {
        out.push_str("attributes ");
        write_dict(out, attrs);
        out.push(' ');
    }
    out.push('{');
}

fn close_module(out: &mut String, options: PrintOptions, attrs: &[Prop<'_>]) {
    out.push_str("\n}");
    if options.generic {
        out.push(')');
        write_spaced_dict(out, attrs);
        out.push_str(" : () -> ()");
    }
    out.push('\n');
}

fn write_spaced_dict(out: &mut String, props: &[Prop<'_>]) {
    if !props.is_empty() {
        out.push(' ');
        write_dict(out, props);
    }
}

fn param_props<'m>(module: &'m Module, func: &'m Function, index: usize) -> Vec<Prop<'m>> {
    let mut props = Vec::new();
    if let Some(info) = func.params.get(index) {
        props.extend(tree_of(&info.attrs));
        props.extend(info.donation.map(donation_prop));
    }
    let value = func.param_values().get(index).map(|value| func.value(*value));
    let sharding = value.and_then(|value| value.sharding.as_ref());
    props.extend(sharding.map(|sharding| annotation_prop(module, sharding)));
    sorted(props)
}

fn result_props<'m>(module: &'m Module, func: &'m Function, index: usize) -> Vec<Prop<'m>> {
    let Some(info) = func.results.get(index) else { return Vec::new() };
    let mut props = tree_of(&info.attrs);
    props.extend(info.sharding.as_ref().map(|sharding| annotation_prop(module, sharding)));
    sorted(props)
}

fn open_function(out: &mut String, module: &Module, func: &Function) {
    out.push_str(if func.is_public { "func.func public " } else { "func.func private " });
    write_symbol(out, &func.name);
    out.push('(');
    let names = super::names::Names::of(func);
    for (i, value) in func.param_values().iter().enumerate() {
        out.push_str(if i > 0 { ", " } else { "" });
        names.value(*value).write(out);
        out.push_str(": ");
        write_type(out, func.ty(*value));
        write_spaced_dict(out, &param_props(module, func, i));
        if let Some(name) = func.params.get(i).and_then(|info| info.name.as_deref()) {
            out.push_str(" loc(");
            super::tree::write_string(out, name);
            out.push(')');
        }
    }
    out.push(')');
    write_results(out, module, func);
    let attrs = sorted(tree_of(&func.attrs));
    if !attrs.is_empty() {
        out.push_str(" attributes");
        write_spaced_dict(out, &attrs);
    }
    out.push(' ');
}

fn write_results(out: &mut String, module: &Module, func: &Function) {
    let props: Vec<_> = (0..func.results.len()).map(|i| result_props(module, func, i)).collect();
    match &func.results[..] {
        [] => {}
        [only] if props.iter().all(Vec::is_empty) => {
            out.push_str(" -> ");
            write_type(out, &only.ty);
        }
        results => {
            out.push_str(" -> (");
            for (i, (result, props)) in results.iter().zip(&props).enumerate() {
                out.push_str(if i > 0 { ", " } else { "" });
                write_type(out, &result.ty);
                write_spaced_dict(out, props);
            }
            out.push(')');
        }
    }
}

fn open_generic_function(out: &mut String, module: &Module, func: &Function) {
    out.push_str("\"func.func\"() <{");
    let params: Vec<_> = (0..func.param_values().len()).map(|i| param_props(module, func, i)).collect();
    if params.iter().any(|props| !props.is_empty()) {
        out.push_str("arg_attrs = [");
        separated(out, &params, |out, props| write_dict(out, props));
        out.push_str("], ");
    }
    out.push_str("function_type = (");
    write_types(out, func.param_values().iter().map(|value| func.ty(*value)));
    out.push_str(") -> ");
    let single = func.results.len() == 1;
    out.push_str(if single { "" } else { "(" });
    write_types(out, func.results.iter().map(|result| &result.ty));
    out.push_str(if single { "" } else { ")" });
    let results: Vec<_> = (0..func.results.len()).map(|i| result_props(module, func, i)).collect();
    if results.iter().any(|props| !props.is_empty()) {
        out.push_str(", res_attrs = [");
        separated(out, &results, |out, props| write_dict(out, props));
        out.push(']');
    }
    out.push_str(", sym_name = ");
    super::tree::write_string(out, &func.name);
    out.push_str(if func.is_public {
        ", sym_visibility = \"public\"}> ("
    } else {
        ", sym_visibility = \"private\"}> ("
    });
}

/// `#loc1 = loc(..)` for every source that was named, in the order of its number.
fn write_locations(out: &mut String, module: &Module, locations: &[SourceId]) {
    let mut numbered: Vec<(usize, usize)> = locations
        .iter()
        .enumerate()
        .map(|(source, number)| (number.index(), source))
        .filter(|pair| pair.0 > 0)
        .collect();
    numbered.arrange();
    for (number, source) in numbered {
        put!(out, "#loc{number} = loc(");
        write_source(out, &module.sources[SourceId::from_index(source)]);
        out.push_str(")\n");
    }
}
