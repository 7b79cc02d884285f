//! The module's header: `HloModule name, key=value, ..`.
//!
//! ```text
//! num_partitions, replica_count   fields of the module
//! buffer_donor={ (0, {}) }        donation of parameters
//! input_output_alias={ {0}: (1, {}, may-alias) }
//! entry_computation_layout={(f32[2]{0})->f32[2]{0}}    made from parameters and results; unusual layouts are kept
//! anything else                   kept as `hlo.<key>` and printed back
//! ```

use super::build::Built;
use super::computation::kept;
use super::inst::{bad, int, int_list, list_of};
use super::lex::{Cursor, Piece, Read, fault};
use super::line::braces;
use super::outline::RawAttr;
use super::shape::{Form, HloShape, describe_shape, write_form, write_type};
use crate::codes;
use meshwright_base::Diagnostic;
use meshwright_ir::{Attr, Attrs, Donation, Function, Module, Type, ValueId};
use std::fmt::Write;

/// A whole-number header field.
pub(super) fn number(header: &[RawAttr<'_>], key: &str) -> Read<Option<i64>> {
    header.iter().find(|attr| attr.key.str == key).map(|attr| int(attr.value)).transpose()
}

/// Puts the header into a module whose entry is built, and reports every field that does not fit it. The device counts
/// are read before, by [`number`].
pub(super) fn apply(module: &mut Module, built: &Built, header: &[RawAttr<'_>]) -> Vec<Diagnostic> {
    let entry = &mut module.funcs[module.entry];
    keep_forms(entry, built);
    let mut diagnostics = Vec::new();
    for attr in header {
        let applied = match attr.key.str {
            "num_partitions" | "replica_count" => Ok(()),
            "buffer_donor" => donors(entry, built, attr.value),
            "input_output_alias" => aliases(entry, built, attr.value),
            "entry_computation_layout" => layouts(entry, built, attr.value),
            key => {
                module.attrs.set(&format!("hlo.{key}"), Attr::Str(attr.value.str.into()));
                Ok(())
            }
        };
        diagnostics.extend(applied.err().map(|error| *error));
    }
    diagnostics
}

/// Remember how tuples nest at the entry, where it is not the obvious way.
fn keep_forms(entry: &mut Function, built: &Built) {
    let mut set = |name: &str, form: &Form| {
        let mut text = String::new();
        form.write(&mut text);
        entry.attrs.set(name, Attr::Str(text.into()));
    };
    if built.result_form != Form::of_count(built.result_form.leaves()) {
        set("hlo.results", &built.result_form);
    }
    if built.param_forms.iter().any(|form| *form != Form::Leaf) {
        set("hlo.params", &Form::tuple(built.param_forms.iter().cloned()));
    }
}

/// How the parameters of a function nest: each by itself, or as the text had them.
pub(super) fn param_forms(func: &Function) -> Vec<Form> {
    let kept = kept(&func.attrs, "hlo.params").and_then(Form::read);
    match kept.filter(|form| form.leaves() == func.params.len()) {
        Some(form) => form.items().map(|(item, _)| item.clone()).collect(),
        None => vec![Form::Leaf; func.params.len()],
    }
}

/// `(1, {0}, may-alias)`: the flat parameter, and the word at the end.
fn param_place<'t>(cursor: &mut Cursor<'t>, built: &Built) -> Read<(usize, Piece<'t>)> {
    let here = cursor.here();
    cursor.expect(b'(')?;
    let number = cursor.int()?;
    let mut path = Vec::new();
    let mut kind = Piece { str: "", at: 0 };
    if cursor.eat(b',') {
        path = int_list(cursor.brackets()?)?;
    }
    if cursor.eat(b',') {
        kind = cursor.name();
    }
    cursor.expect(b')')?;
    let form = usize::try_from(number).ok().and_then(|number| built.param_forms.get(number));
    let before = || built.param_forms.iter().take(number as usize).map(Form::leaves).sum::<usize>();
    let Some(form) = form else {
        let message =
            format!("the entry has {} parameters, and no parameter {number}", built.param_forms.len());
        return Err(fault(codes::BAD_ATTRIBUTE, here, message));
    };
    match form.leaf_at(&path) {
        Some(leaf) => Ok((before() + leaf, kind)),
        None => {
            let message = format!("parameter {number} has no tensor at {}", braces(&path));
            Err(fault(codes::BAD_ATTRIBUTE, here, message))
        }
    }
}

fn donors(entry: &mut Function, built: &Built, value: Piece<'_>) -> Read<()> {
    for (param, _) in list_of(value, |cursor| param_place(cursor, built))? {
        donate(entry, param, Donation::Donor);
    }
    Ok(())
}

fn donate(entry: &mut Function, param: usize, donation: Donation) {
    if let Some(info) = entry.params.get_mut(param) {
        info.donation = Some(donation);
    }
}

fn aliases(entry: &mut Function, built: &Built, value: Piece<'_>) -> Read<()> {
    let alias = |cursor: &mut Cursor<'_>| {
        let output = cursor.brackets()?;
        cursor.expect(b':')?;
        let (param, kind) = param_place(cursor, built)?;
        let path = int_list(output)?;
        let missing = || {
            let message = format!("the result has no tensor at {}", braces(&path));
            fault(codes::BAD_ATTRIBUTE, output.span(), message)
        };
        let result = built.result_form.leaf_at(&path).ok_or_else(missing)?;
        Ok((param, Donation::Alias { result, must: kind.str == "must-alias" }))
    };
    for (param, donation) in list_of(value, alias)? {
        donate(entry, param, donation);
    }
    Ok(())
}

/// Keep the unusual layouts of parameters and results.
fn layouts(entry: &mut Function, built: &Built, value: Piece<'_>) -> Read<()> {
    let inner = value.inside('{', '}').ok_or_else(|| bad(value, "`{(..)->..}`"))?;
    let mut cursor = inner.cursor();
    let params = HloShape::read(&mut cursor)?;
    if !cursor.eat_str("->") {
        return Err(cursor.expected("`->`"));
    }
    let results = HloShape::read(&mut cursor)?;
    let types = |values: &[ValueId]| values.iter().map(|value| entry.ty(*value)).collect::<Vec<_>>();
    let declared = |shape: &HloShape<'_>| shape.leaves.iter().map(|leaf| leaf.ty.clone()).collect::<Vec<_>>();
    let fits = types(entry.param_values()).into_iter().eq(&declared(&params))
        && types(entry.result_values()).into_iter().eq(&declared(&results));
    if !fits {
        let message = format!(
            "the layout is of {}->{}, but the entry is {}->{}",
            params.describe(),
            results.describe(),
            describe_shape(&Form::tuple(built.param_forms.iter().cloned()), types(entry.param_values())),
            describe_shape(&built.result_form, types(entry.result_values())),
        );
        return Err(fault(codes::WRONG_TYPE, value.span(), message));
    }
    let keep = |attrs: &mut Attrs, layout: Option<&str>| {
        if let Some(layout) = layout {
            attrs.set("hlo.layout", Attr::Str(layout.into()));
        }
    };
    for (info, leaf) in entry.params.iter_mut().zip(&params.leaves) {
        keep(&mut info.attrs, leaf.layout);
    }
    for (info, leaf) in entry.results.iter_mut().zip(&results.leaves) {
        keep(&mut info.attrs, leaf.layout);
    }
    Ok(())
}

/// The header line.
pub(super) fn print(module: &Module) -> String {
    let mut out = format!("HloModule {}", super::names::clean(&module.name));
    let entry = module.main();
    let mut attr = |key: &str, value: String| {
        let _ = write!(out, ", {key}={value}");
    };
    if let Some(aliases) = printed_aliases(entry) {
        attr("input_output_alias", aliases);
    }
    if let Some(donors) = printed_donors(entry) {
        attr("buffer_donor", donors);
    }
    attr("entry_computation_layout", printed_layouts(entry));
    for (key, value) in &module.attrs.0 {
        if let (Some(key), Attr::Str(text)) = (key.strip_prefix("hlo."), value) {
            attr(key, text.to_string());
        }
    }
    if let Some(replicas) = module.num_replicas {
        attr("replica_count", replicas.to_string());
    }
    if let Some(partitions) = module.num_partitions {
        attr("num_partitions", partitions.to_string());
    }
    out
}

fn result_form(func: &Function) -> Form {
    let kept = kept(&func.attrs, "hlo.results").and_then(Form::read);
    kept.filter(|form| form.leaves() == func.results.len())
        .unwrap_or_else(|| Form::of_count(func.results.len()))
}

/// `(1, {})` of a flat parameter, open at the end.
fn printed_place(func: &Function, param: usize) -> String {
    let params = Form::tuple(param_forms(func));
    let path = params.path_to(param);
    let (number, inner) = path.split_first().map_or((0, &[][..]), |(first, rest)| (*first, rest));
    format!("({number}, {}", braces(inner))
}

fn printed_donors(func: &Function) -> Option<String> {
    let donors = func.params.iter().enumerate().filter(|(_, info)| info.donation == Some(Donation::Donor));
    braced(donors.map(|(param, _)| format!("{})", printed_place(func, param))).collect())
}

fn printed_aliases(func: &Function) -> Option<String> {
    let alias = |(param, info): (usize, &meshwright_ir::ParamInfo)| match info.donation? {
        Donation::Donor => None,
        Donation::Alias { result, must } => {
            let output = braces(&result_form(func).path_to(result));
            let kind = if must { "must-alias" } else { "may-alias" };
            Some(format!("{output}: {}, {kind})", printed_place(func, param)))
        }
    };
    braced(func.params.iter().enumerate().filter_map(alias).collect())
}

fn braced(items: Vec<String>) -> Option<String> {
    (!items.is_empty()).then(|| format!("{{ {} }}", items.join(", ")))
}

fn printed_layouts(func: &Function) -> String {
    let mut out = String::from("{");
    let params: Vec<(&Type, &Attrs)> = func
        .param_values()
        .iter()
        .map(|value| func.ty(*value))
        .zip(func.params.iter().map(|info| &info.attrs))
        .collect();
    let results: Vec<(&Type, &Attrs)> = func.results.iter().map(|info| (&info.ty, &info.attrs)).collect();
    write_shape(&mut out, &Form::tuple(param_forms(func)), &params);
    out.push_str("->");
    write_shape(&mut out, &result_form(func), &results);
    out.push('}');
    out
}

fn write_shape(out: &mut String, form: &Form, leaves: &[(&Type, &Attrs)]) {
    write_form(out, form, 0, &mut |out, leaf| {
        if let Some((ty, attrs)) = leaves.get(leaf) {
            write_type(out, ty, kept(attrs, "hlo.layout"));
        }
    });
}
