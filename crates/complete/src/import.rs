//! From annotations as written to shardings over meshes of the module, each checked.
//!
//! 1. Every HLO sharding becomes a sharding over a mesh made for all of them together; `unknown` becomes none.
//! 2. Meshes over the same devices are brought to one common mesh where there is one, so that axes can be compared.
//! 3. Every annotation is checked (rank, axes, pieces, an axis twice); a module without meshes gets one of one axis.
//! 4. Dims a constraint calls unspecified are opened.
//! 5. Values that are to be split alike must be able to (`ties.rs`).
//! 6. Parameters and results that may not be touched are closed.

use crate::foreign::{AlikeGroups, import_hlo};
use crate::landmarks::{Landmark, op_of};
use crate::one_mesh::{bring_to_one_mesh, used_meshes};
use crate::provenance::name_of;
use crate::{Free, Options, codes, ties};
use meshwright_base::{Diagnostic, Id};
use meshwright_ir::op::ShardingOp;
use meshwright_ir::{Annotation, Attr, Editor, FuncId, Module, Op, ValueId};
use meshwright_shard::{Mesh, MeshId, Sharding};

/// What import finds out besides the annotations.
pub(crate) struct Imported {
    /// The mesh for what has no sharding.
    pub mesh: MeshId,
    /// Values whose HLO shardings are to be alike.
    pub groups: AlikeGroups,
    /// Statements that contradict each other where the first one holds.
    pub notes: Vec<Diagnostic>,
}

/// Import everything.
pub(crate) fn import(
    module: &mut Module,
    landmarks: &[Landmark],
    options: &Options,
) -> Result<Imported, Vec<Diagnostic>> {
    check_asked(module, options)?;
    check_free(module, options)?;
    let groups = import_hlo(module, options.devices)?;
    spread_maximal(module);
    let mut errors = check_annotations(module);
    errors.extend(landmarks.iter().flat_map(|landmark| check_stated(module, *landmark)));
    if errors.is_empty() {
        let used = used_meshes(module, landmarks);
        errors = check_devices(module, &used, options);
    }
    if !errors.is_empty() {
        return Err(errors);
    }
    let mesh = match bring_to_one_mesh(module, landmarks) {
        Some(mesh) => mesh,
        None => first_mesh(module, options)?,
    };
    open_unspecified(module, landmarks);
    let (errors, notes) = ties::check(module, &ties::ties(module, landmarks, &groups));
    if !errors.is_empty() {
        return Err(errors);
    }
    close_edges(module, options, mesh);
    Ok(Imported { mesh, groups, notes })
}

/// A sharding that names one device may leave out the dims.
fn spread_maximal(module: &mut Module) {
    if !module.meshes.values().any(Mesh::is_maximal) {
        return;
    }
    let (meshes, funcs) = (&module.meshes, &mut module.funcs);
    let is_maximal = |sharding: &Sharding| meshes.get(sharding.mesh).is_some_and(Mesh::is_maximal);
    let spread = |sharding: &Sharding, rank: usize| {
        let fits = sharding.rank() == rank || !sharding.dims.is_empty() || !is_maximal(sharding);
        (!fits).then(|| Annotation::from(Sharding::replicated(sharding.mesh, rank)))
    };
    for func in funcs.values_mut() {
        let mut editor = Editor::new(func);
        for value in editor.func().values().keys() {
            let info = editor.func().value(value);
            let spread =
                info.sharding.as_ref().and_then(Annotation::as_mesh).and_then(|s| spread(s, info.ty.rank()));
            if spread.is_some() {
                editor.set_sharding(value, spread);
            }
        }
        for info in editor.result_info_mut() {
            let spread =
                info.sharding.as_ref().and_then(Annotation::as_mesh).and_then(|s| spread(s, info.ty.rank()));
            info.sharding = spread.or(info.sharding.take());
        }
    }
}

fn check_annotations(module: &Module) -> Vec<Diagnostic> {
    let mut errors = Vec::new();
    for (id, func) in module.funcs.iter() {
        for (value, info) in func.values().iter() {
            let Some(Annotation::Mesh(sharding)) = &info.sharding else { continue };
            let place = || func.def_inst(value).and_then(|inst| module.place(func.inst(inst).source));
            let subject = || format!("`{}`", name_of(module, (id, value)));
            let error = check(module, sharding, info.ty.dims(), subject);
            errors.extend(error.map(|error| error.at_place(place())));
        }
        for (at, info) in func.results.iter().enumerate() {
            let Some(Annotation::Mesh(sharding)) = &info.sharding else { continue };
            let subject = || format!("result {at} of @{}", func.name);
            errors.extend(check(module, sharding, info.ty.dims(), subject));
        }
    }
    errors
}

/// The shardings a manual or named region states at its edges.
fn check_stated(module: &Module, (id, inst): Landmark) -> Vec<Diagnostic> {
    let func = &module.funcs[id];
    let info = func.inst(inst);
    let check_all = |values: &[ValueId], stated: &[Sharding], what: &str| {
        let each = values.iter().zip(stated).enumerate();
        let check = |(at, (value, sharding)): (usize, (&ValueId, &Sharding))| {
            check(module, sharding, func.dims(*value), || {
                format!("{what} {at} of a manual or named computation")
            })
        };
        each.filter_map(check).collect::<Vec<_>>()
    };
    let mut errors = check_all(&info.operands, crate::edges::inputs(&info.op), "operand");
    errors.extend(check_all(&info.results, crate::edges::outputs(&info.op), "result"));
    if let Op::Sharding(ShardingOp::Manual(manual)) = &info.op {
        let axes = Sharding { manual: manual.axes.clone(), ..Sharding::replicated(manual.mesh, 0) };
        errors.extend(check(module, &axes, &[], || "a manual computation".to_string()));
    }
    let place = module.place(info.source);
    errors.into_iter().map(|error| error.at_place(place.clone())).collect()
}

/// What is wrong with an annotation, if anything, with the name of what it stands on.
fn check(
    module: &Module,
    sharding: &Sharding,
    shape: &[i64],
    subject: impl Fn() -> String,
) -> Option<Diagnostic> {
    let Some(mesh) = module.meshes.get(sharding.mesh) else {
        let known = module.meshes.len();
        let message = format!(
            "{} is sharded over mesh {}, but the module has {known}",
            subject(),
            sharding.mesh.index()
        );
        return Some(Diagnostic::error(codes::NO_MESH, message).help("declare the mesh in the module"));
    };
    let first = sharding.verify(mesh, shape).into_iter().next()?;
    let message = format!("{} cannot be split as asked: {}", subject(), first.message);
    Some(Diagnostic { message, ..first })
}

/// The first mesh with axes, or a new one of a single axis over all devices.
fn first_mesh(module: &mut Module, options: &Options) -> Result<MeshId, Vec<Diagnostic>> {
    if let Some((id, _)) = module.meshes.iter().find(|(_, mesh)| !mesh.axes.is_empty()) {
        return Ok(id);
    }
    let devices = options.devices.or(module.num_partitions).unwrap_or(1);
    let mesh = Mesh::new("devices", [("d", devices)], None).map_err(|error| vec![error])?;
    Ok(module.meshes.push(mesh))
}

/// Parameters and results that may be split are counted from 0.
fn check_free(module: &Module, options: &Options) -> Result<(), Vec<Diagnostic>> {
    let main = module.main();
    let asked = [
        (&options.propagate_to_parameters, "parameter", main.param_values().len()),
        (&options.propagate_to_results, "result", main.results.len()),
    ];
    let beyond = |(free, what, count): (&Free, &str, usize)| {
        let Free::Only(numbers) = free else { return None };
        let at = numbers.iter().find(|at| **at >= count)?;
        let message = format!("{what} {at} may be split, but there is none: the module has {count} {what}s");
        let help = match count.checked_sub(1) {
            None => format!("ask for no {what}s"),
            Some(last) => format!("{what}s are counted from 0 to {last}"),
        };
        Some(Diagnostic::error(codes::NOT_THERE, message).help(help))
    };
    let found: Vec<Diagnostic> = asked.into_iter().filter_map(beyond).collect();
    if found.is_empty() { Ok(()) } else { Err(found) }
}

/// What is asked for has to be what the module says, if it says more than one.
fn check_asked(module: &Module, options: &Options) -> Result<(), Vec<Diagnostic>> {
    let said = module.num_partitions.filter(|said| *said > 1);
    match (options.devices, said) {
        (Some(devices), Some(said)) if said != devices => {
            let message =
                format!("{devices} devices are asked for, but the module is for {said} (`num_partitions`)");
            let help = format!(
                "ask for {said} devices, or lower the module for a mesh of {devices}: its shardings are for {said}"
            );
            Err(vec![Diagnostic::error(codes::DEVICES, message).help(help)])
        }
        _ => Ok(()),
    }
}

/// Every mesh that is used has to be over all devices.
fn check_devices(module: &Module, used: &[MeshId], options: &Options) -> Vec<Diagnostic> {
    let said = module.num_partitions.filter(|said| *said > 1);
    let Some(devices) = options.devices.or(said) else { return Vec::new() };
    let by = if options.devices.is_some() { "asked for" } else { "said by the module (`num_partitions`)" };
    let told = |mesh: &Mesh| {
        let count = mesh.device_count();
        let message = format!("mesh `{}` has {count} devices, but {devices} are {by}", mesh.name);
        let help = format!("use a mesh of {devices} devices, or {count} devices");
        (count != devices).then(|| Diagnostic::error(codes::DEVICES, message).help(help))
    };
    used.iter().filter_map(|mesh| told(&module.meshes[*mesh])).collect()
}

/// Dims that a constraint, or a boundary of a manual part, leaves to completion.
fn open_unspecified(module: &mut Module, landmarks: &[Landmark]) {
    for (id, inst) in landmarks {
        let Op::Sharding(
            ShardingOp::Constraint { unspecified }
            | ShardingOp::FullToShard { unspecified, .. }
            | ShardingOp::ShardToFull { unspecified, .. },
        ) = op_of(module, (*id, *inst))
        else {
            continue;
        };
        if !unspecified.is_empty() {
            let (dims, results) = (unspecified.clone(), module.funcs[*id].inst(*inst).results.clone());
            results.into_iter().for_each(|value| open(module, *id, value, &dims));
        }
    }
}

fn open(module: &mut Module, id: FuncId, value: ValueId, dims: &[usize]) {
    let Some(Annotation::Mesh(sharding)) = &module.funcs[id].value(value).sharding else { return };
    let mut sharding = Sharding::clone(sharding);
    for dim in dims {
        if let Some(dim) = sharding.dims.get_mut(*dim) {
            dim.open = true;
        }
    }
    Editor::new(&mut module.funcs[id]).set_sharding(value, Some(Annotation::from(sharding)));
}

/// Parameters and results without a sharding that completion may not choose are replicated, by statement.
fn close_edges(module: &mut Module, options: &Options, mesh: MeshId) {
    let entry = module.entry;
    let may = |free: &Free, attr: &str| allowed(module, free, attr);
    let may_params = may(&options.propagate_to_parameters, "allow_spmd_sharding_propagation_to_parameters");
    let may_results = may(&options.propagate_to_results, "allow_spmd_sharding_propagation_to_output");
    let params: Vec<ValueId> = module.main().param_values().to_vec();
    let mut editor = Editor::new(&mut module.funcs[entry]);
    for (at, value) in params.into_iter().enumerate() {
        if !may_params(at) && editor.func().value(value).sharding.is_none() {
            let rank = editor.func().dims(value).len();
            editor.set_sharding(value, Some(Annotation::from(Sharding::replicated(mesh, rank))));
        }
    }
    for (at, info) in editor.result_info_mut().iter_mut().enumerate() {
        if !may_results(at) && info.sharding.is_none() {
            info.sharding = Some(Annotation::from(Sharding::replicated(mesh, info.ty.rank())));
        }
    }
}

/// Whether completion may choose the sharding of the entry's parameter or result of a number.
fn allowed(module: &Module, free: &Free, attr: &str) -> impl Fn(usize) -> bool + use<> {
    let header = module.attrs.get(&format!("hlo.{attr}")).or(module.attrs.get(attr));
    let (said, otherwise) = match (free, header) {
        (Free::AsModule, Some(Attr::Raw(text) | Attr::Str(text))) => (flags(text), true),
        (Free::AsModule | Free::All, _) => (vec![true], true),
        (Free::None, _) => (vec![false], false),
        (Free::Only(numbers), _) => {
            let count = numbers
                .iter()
                .max()
                .map_or(0, |last| last.saturating_add(1).min(module.main().values().len()));
            ((0..count).map(|at| numbers.contains(&at)).chain([false]).collect(), false)
        }
    };
    move |at| match said.as_slice() {
        [one] => *one,
        all => all.get(at).copied().unwrap_or(otherwise),
    }
}

/// `{true,false}` or `true`.
fn flags(text: &str) -> Vec<bool> {
    let words = text.trim_matches(['{', '}']).split(',').map(str::trim);
    words.filter(|word| !word.is_empty()).map(|word| word == "true" || word == "1").collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flags_of_the_header_are_read_one_by_one_or_for_all() {
        assert_eq!(flags("{true,false}"), [true, false]);
        assert_eq!(flags("false"), [false]);
        assert!(flags("{}").is_empty());
    }
}
