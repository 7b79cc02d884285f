//! Attributes that stand beside an op's own: shardings, donation, and what is kept without meaning.
//!
//! The texts of shardings are read and written by the shard crate; this file is where both meet.

use super::op::Draft;
use super::parser::{Failed, Parsed, Parser, clip};
use super::tree::{Prop, Text, Tree};
use crate::codes;
use meshwright_base::arrange::Arrange;
use meshwright_base::{Diagnostic, nearest};
use meshwright_ir::{Annotation, Attr, Attrs, Donation, Editor, InstId, Module, ParamInfo};
use meshwright_shard::sdy_text::{MeshScope, SdyReader, print_sharding};
use meshwright_shard::{DimSharding, HloSharding, HloShardingKind, Mesh, Sharding, parse_hlo_sharding};
use std::sync::Arc;

/// Attributes of StableHLO's own ops that the IR keeps but does not interpret.
pub const KEPT: [&str; 3] = ["has_side_effect", "layout", "result_accuracy"];

/// Read Shardy's text at byte `at`. Gives the byte after it too.
pub fn sdy<'a, T>(
    p: &mut Parser<'a>,
    at: usize,
    read: impl FnOnce(&mut SdyReader<'a>, &mut MeshScope<'_>) -> Result<T, Diagnostic>,
) -> Parsed<(T, usize)> {
    let text = p.slice(at, p.text.len());
    let mut reader = SdyReader::new(text, u32::try_from(at).unwrap_or(u32::MAX));
    let named = &p.symbols.meshes;
    let by_name = |name: &str| named.get(name).copied();
    let mut scope = MeshScope { meshes: &mut p.module.meshes, by_name: &by_name };
    match read(&mut reader, &mut scope) {
        Ok(value) => Ok((value, at + reader.consumed())),
        Err(diagnostic) if follows(p, &diagnostic) => Err(Failed),
        Err(diagnostic) => Err(p.report(diagnostic)),
    }
}

/// Whether a diagnostic only says that a mesh is missing whose declaration was refused.
fn follows(p: &Parser<'_>, diagnostic: &Diagnostic) -> bool {
    let named = |name: &Text<'_>| diagnostic.message.ends_with(&format!("`{name}`"));
    diagnostic.code == meshwright_shard::codes::UNKNOWN_MESH && p.symbols.broken_meshes.iter().any(named)
}

/// `#sdy.sharding<..>`.
pub fn sdy_sharding<'a>(p: &mut Parser<'a>, prop: &Prop<'a>) -> Parsed<Sharding> {
    match prop.tree {
        Tree::Dialect { name: "sdy.sharding", body } if body > 0 => {
            sdy(p, body - 1, |reader, scope| reader.sharding(scope)).map(|(sharding, _)| sharding)
        }
        _ => Err(p.bad_prop(prop, "#sdy.sharding<..>")),
    }
}

/// `#sdy.sharding_per_value<[..]>`.
fn sdy_shardings<'a>(p: &mut Parser<'a>, prop: &Prop<'a>) -> Parsed<Vec<Sharding>> {
    match prop.tree {
        Tree::Dialect { name: "sdy.sharding_per_value", body } => {
            sdy(p, body, |reader, scope| reader.shardings(scope)).map(|(shardings, _)| shardings)
        }
        Tree::Dialect { name: "sdy.sharding", .. } => Ok(vec![sdy_sharding(p, prop)?]),
        _ => Err(p.bad_prop(prop, "#sdy.sharding_per_value<[..]>")),
    }
}

pub fn sdy_list<'a>(p: &mut Parser<'a>, draft: &mut Draft<'a>, name: &str) -> Parsed<Vec<Sharding>> {
    let prop = p.need(draft, name)?;
    sdy_shardings(p, &prop)
}

fn hlo_sharding<'a>(p: &mut Parser<'a>, prop: &Prop<'a>) -> Parsed<HloSharding> {
    let Tree::Str(text) = &prop.tree else {
        return Err(p.bad_prop(prop, "a string"));
    };
    let base = prop.at.start.saturating_add(1);
    parse_hlo_sharding(text, base).map_err(|diagnostic| p.report(diagnostic))
}

/// Give an instruction the attributes its family left.
pub fn take_props<'a>(p: &mut Parser<'a>, inst: InstId, props: Vec<Prop<'a>>) -> Parsed<()> {
    for prop in sorted(props) {
        match &*prop.name {
            "sdy.sharding" => take_sdy(p, inst, &prop)?,
            "mhlo.sharding" => take_hlo(p, inst, &prop)?,
            name if name.contains('.') || KEPT.contains(&name) => keep(p, inst, &prop)?,
            _ => return Err(unknown_attribute(p, &prop)),
        }
    }
    Ok(())
}

fn keep<'a>(p: &mut Parser<'a>, inst: InstId, prop: &Prop<'a>) -> Parsed<()> {
    let attr = attr_of(p, prop)?;
    Editor::new(&mut p.func).attrs_mut(inst).set(&prop.name, attr);
    Ok(())
}

/// All attribute names that some op has, for suggestions.
const KNOWN: [&str; 12] = [
    "mhlo.sharding",
    "sdy.sharding",
    "mhlo.frontend_attributes",
    "backend_config",
    "precision_config",
    "dimensions",
    "broadcast_dimensions",
    "replica_groups",
    "channel_handle",
    "use_global_device_ids",
    "has_side_effect",
    "result_accuracy",
];

fn unknown_attribute<'a>(p: &mut Parser<'a>, prop: &Prop<'a>) -> super::parser::Failed {
    let message = format!("unknown attribute `{}`", clip(&prop.name));
    let help = nearest::suggest(&prop.name, KNOWN.into_iter()).unwrap_or_else(|| {
        "remove it, or give it the prefix of a dialect (`mine.name`) to have it kept".to_string()
    });
    p.fail_help(codes::UNKNOWN_ATTRIBUTE, prop.at, message, help)
}

fn take_sdy<'a>(p: &mut Parser<'a>, inst: InstId, prop: &Prop<'a>) -> Parsed<()> {
    let shardings = sdy_shardings(p, prop)?;
    let results = p.func.inst(inst).results.clone();
    if results.is_empty() {
        return keep(p, inst, prop);
    }
    if shardings.len() != results.len() {
        let message = format!("{} shardings for {} results", shardings.len(), results.len());
        return Err(p.fail(codes::BAD_SHARDING, prop.at, message));
    }
    for (value, sharding) in results.into_iter().zip(shardings) {
        let annotation = on_value(p, sharding, p.func.dims(value).len());
        Editor::new(&mut p.func).set_sharding(value, Some(annotation));
    }
    Ok(())
}

/// Whether a mesh stands for one certain device.
fn is_maximal(mesh: &Mesh) -> bool {
    mesh.axes.is_empty() && mesh.order.is_some()
}

/// A sharding on one device is written without dims, whatever the rank.
fn on_value(p: &Parser<'_>, mut sharding: Sharding, rank: usize) -> Annotation {
    if sharding.dims.is_empty() && is_maximal(&p.module.meshes[sharding.mesh]) {
        sharding.dims = vec![DimSharding::default(); rank];
    }
    Annotation::from(sharding)
}

/// `<@mesh, [..]>` of a value.
fn sdy_text(module: &Module, sharding: &Sharding) -> String {
    if !is_maximal(&module.meshes[sharding.mesh]) {
        return print_sharding(sharding, &module.meshes);
    }
    print_sharding(&Sharding { dims: Vec::new(), ..sharding.clone() }, &module.meshes)
}

/// A tuple has one sharding per result (unknown: none); any other holds for all results.
fn take_hlo<'a>(p: &mut Parser<'a>, inst: InstId, prop: &Prop<'a>) -> Parsed<()> {
    let sharding = hlo_sharding(p, prop)?;
    let results = p.func.inst(inst).results.clone();
    if results.is_empty() {
        return keep(p, inst, prop);
    }
    let leaves = match sharding.kind {
        HloShardingKind::Tuple(leaves) => leaves.into_iter().map(known).collect(),
        _ => vec![Some(sharding); results.len()],
    };
    if leaves.len() != results.len() {
        let message = format!("{} shardings for {} results", leaves.len(), results.len());
        return Err(p.fail(codes::BAD_SHARDING, prop.at, message));
    }
    for (value, sharding) in results.into_iter().zip(leaves) {
        Editor::new(&mut p.func).set_sharding(value, sharding.map(Annotation::from));
    }
    Ok(())
}

fn known(sharding: HloSharding) -> Option<HloSharding> {
    (sharding.kind != HloShardingKind::Unknown).then_some(sharding)
}

/// One value's attributes: of a parameter, or of a function's result.
pub struct ValueInfo {
    pub sharding: Option<Annotation>,
    pub info: ParamInfo,
}

pub fn value_info<'a>(p: &mut Parser<'a>, props: Vec<Prop<'a>>, rank: usize) -> Parsed<ValueInfo> {
    let mut out = ValueInfo { sharding: None, info: ParamInfo::default() };
    for prop in sorted(props) {
        match (&*prop.name, &prop.tree) {
            ("sdy.sharding", _) => {
                let sharding = sdy_sharding(p, &prop)?;
                out.sharding = Some(on_value(p, sharding, rank));
            }
            ("mhlo.sharding", _) => out.sharding = Some(Annotation::from(hlo_sharding(p, &prop)?)),
            ("jax.buffer_donor", Tree::Bool(true)) => out.info.donation = Some(Donation::Donor),
            ("tf.aliasing_output", Tree::Int(result, _)) => {
                let Ok(result) = usize::try_from(*result) else {
                    return Err(p.bad_prop(&prop, "the number of a result"));
                };
                out.info.donation = Some(Donation::Alias { result, must: false });
            }
            _ => {
                let attr = attr_of(p, &prop)?;
                out.info.attrs.set(&prop.name, attr);
            }
        }
    }
    Ok(out)
}

/// An attribute to keep: its text, unless it is a string, a flag or a dictionary.
pub fn attr_of<'a>(p: &mut Parser<'a>, prop: &Prop<'a>) -> Parsed<Attr> {
    Ok(match &prop.tree {
        Tree::Unit => Attr::Unit,
        Tree::Str(text) => Attr::Str((&**text).into()),
        Tree::Dict(props) => Attr::Dict(attrs_of(p, props)?),
        Tree::Raw(text) => Attr::Raw((&**text).into()),
        _ => Attr::Raw(p.verbatim(prop.at.start as usize, prop.at.end as usize)?),
    })
}

pub fn attrs_of<'a>(p: &mut Parser<'a>, props: &[Prop<'a>]) -> Parsed<Attrs> {
    let attr = |prop: &Prop<'a>| Ok((Arc::from(&*prop.name), attr_of(p, prop)?));
    let mut attrs: Vec<_> = props.iter().map(attr).collect::<Parsed<_>>()?;
    attrs.arrange_by(|a: &(Arc<str>, Attr), b| a.0.cmp(&b.0));
    Ok(Attrs(attrs))
}

/// Kept attributes as they are written.
pub fn tree_of(attrs: &Attrs) -> Vec<Prop<'_>> {
    attrs.0.iter().map(|(name, attr)| kept(name, attr)).collect()
}

fn kept<'m>(name: &'m str, attr: &'m Attr) -> Prop<'m> {
    let tree = match attr {
        Attr::Unit => Tree::Unit,
        Attr::Str(text) => Tree::Str(Text::Borrowed(text)),
        Attr::Dict(attrs) => Tree::Dict(sorted(tree_of(attrs))),
        Attr::Raw(text) => Tree::Raw(Text::Borrowed(text)),
    };
    Prop { name: Text::Borrowed(name), tree, at: Default::default() }
}

/// MLIR keeps dictionaries sorted by name.
pub fn sorted(mut props: Vec<Prop<'_>>) -> Vec<Prop<'_>> {
    props.arrange_by(|a, b| a.name.cmp(&b.name));
    props
}

/// The annotation of one value as an attribute.
pub fn annotation_prop(module: &Module, annotation: &Annotation) -> Prop<'static> {
    match annotation {
        Annotation::Mesh(sharding) => {
            let text = format!("#sdy.sharding{}", sdy_text(module, sharding));
            Prop::made("sdy.sharding", Tree::Raw(text.into()))
        }
        Annotation::Hlo(sharding) => Prop::made("mhlo.sharding", Tree::Str(sharding.to_string().into())),
    }
}

/// The annotations of an op's results as attributes: one of each kind that occurs.
pub fn annotation_props(module: &Module, annotations: &[(Option<&Annotation>, usize)]) -> Vec<Prop<'static>> {
    let mut props = Vec::new();
    let mesh = annotations.iter().find_map(|(annotation, _)| annotation.and_then(Annotation::as_mesh));
    if let Some(first) = mesh {
        let each =
            annotations.iter().map(|(annotation, rank)| match annotation.and_then(Annotation::as_mesh) {
                Some(sharding) => sdy_text(module, sharding),
                None => sdy_text(module, &open(first, *rank)),
            });
        let text = format!("#sdy.sharding_per_value<[{}]>", each.collect::<Vec<_>>().join(", "));
        props.push(Prop::made("sdy.sharding", Tree::Raw(text.into())));
    }
    props.extend(hlo_annotation(annotations));
    props
}

fn hlo_annotation(annotations: &[(Option<&Annotation>, usize)]) -> Option<Prop<'static>> {
    let hlo = |annotation: &Option<&Annotation>| match annotation {
        Some(Annotation::Hlo(sharding)) => Some(sharding.to_string()),
        _ => None,
    };
    let each: Vec<Option<String>> = annotations.iter().map(|(annotation, _)| hlo(annotation)).collect();
    if each.iter().all(Option::is_none) {
        return None;
    }
    let text = match &each[..] {
        [Some(only)] => only.clone(),
        _ => {
            let leaves: Vec<&str> = each.iter().map(|leaf| leaf.as_deref().unwrap_or("{unknown}")).collect();
            format!("{{{}}}", leaves.join(", "))
        }
    };
    Some(Prop::made("mhlo.sharding", Tree::Str(text.into())))
}

/// A sharding that says nothing: every dim open.
fn open(like: &Sharding, rank: usize) -> Sharding {
    let mut sharding = Sharding::replicated(like.mesh, rank);
    sharding.dims.iter_mut().for_each(|dim| dim.open = true);
    sharding
}

/// Donation as attributes of a parameter.
pub fn donation_prop(donation: Donation) -> Prop<'static> {
    match donation {
        Donation::Donor => Prop::made("jax.buffer_donor", Tree::Bool(true)),
        Donation::Alias { result, .. } => {
            Prop::made("tf.aliasing_output", Tree::Int(result as i64, "i32".into()))
        }
    }
}
