//! HLO's shardings, which name devices, as shardings over named axes. All of a module are imported together, so that
//! they land on as few meshes as hold them.

use crate::codes;
use crate::provenance::name_of;
use meshwright_base::Diagnostic;
use meshwright_base::diagnostic::Place;
use meshwright_ir::op::Movement;
use meshwright_ir::{Annotation, Editor, FuncId, Module, Op, ValueId};
use meshwright_shard::{HloSharding, HloShardingKind, ShardGroup, import_all};
use std::collections::BTreeMap;

/// Where an annotation stands.
#[derive(Clone, Copy)]
enum Site {
    Value(FuncId, ValueId),
    Result(FuncId, usize),
}

/// Values that are to be split alike (`shard_as`, `shard_like`).
pub(crate) type AlikeGroups = Vec<Vec<(FuncId, ValueId)>>;

/// Replace every HLO annotation of the module; the groups they name.
pub(crate) fn import_hlo(module: &mut Module, devices: Option<i64>) -> Result<AlikeGroups, Vec<Diagnostic>> {
    forget_marked(module);
    let found = annotations(module);
    if found.is_empty() {
        return Ok(AlikeGroups::new());
    }
    let asked = devices;
    let devices = devices.or(module.num_partitions).unwrap_or_else(|| largest(&found));
    if let Some(error) = all_for_others(module, &found, devices, asked) {
        return Err(vec![error]);
    }
    let mut meshes = module.meshes.clone();
    let all: Vec<(&HloSharding, usize)> = found.iter().map(|(_, rank, sharding)| (sharding, *rank)).collect();
    let imported =
        import_all(&all, devices, &mut meshes).map_err(|all| told(module, &found, devices, all))?;
    module.meshes = meshes;
    let mut groups: BTreeMap<i64, Vec<(FuncId, ValueId)>> = BTreeMap::new();
    for ((site, _, from), sharding) in found.into_iter().zip(imported) {
        if let (Site::Value(func, value), Some(ShardGroup::As(id) | ShardGroup::Like(id))) =
            (site, from.group)
        {
            groups.entry(id).or_default().push((func, value));
        }
        let says_nothing = from.kind == HloShardingKind::Unknown;
        set(module, site, (!says_nothing).then_some(Annotation::from(sharding)));
    }
    Ok(groups.into_values().collect())
}

/// What XLA writes on broadcasts of scalars, each for one user, so that equal ones are not made one: only that.
const KEPT_APART: &str = "op_name=\"_sharding_propagation_cse_prevention\"";

/// Drop the shardings that only keep equal broadcasts apart: these are made again for every user here.
fn forget_marked(module: &mut Module) {
    for func in module.funcs.values_mut() {
        let marked = |value: &ValueId| {
            let is_scalar = func.def_inst(*value).map(|inst| func.inst(inst)).is_some_and(|inst| {
                let [operand] = inst.operands[..] else { return false };
                matches!(inst.op, Op::Movement(Movement::Broadcast(_))) && func.dims(operand).is_empty()
            });
            let metadata = match &func.value(*value).sharding {
                Some(Annotation::Hlo(sharding)) => &sharding.metadata[..],
                Some(Annotation::Mesh(_)) | None => &[],
            };
            is_scalar && matches!(metadata, [one] if one.trim() == KEPT_APART)
        };
        let marked: Vec<ValueId> = func.values().keys().filter(marked).collect();
        marked.into_iter().for_each(|value| Editor::new(func).set_sharding(value, None));
    }
}

fn annotations(module: &Module) -> Vec<(Site, usize, HloSharding)> {
    let mut found = Vec::new();
    for (id, func) in module.funcs.iter() {
        for (value, info) in func.values().iter() {
            if let Some(Annotation::Hlo(sharding)) = &info.sharding {
                found.push((Site::Value(id, value), info.ty.rank(), HloSharding::clone(sharding)));
            }
        }
        for (at, info) in func.results.iter().enumerate() {
            if let Some(Annotation::Hlo(sharding)) = &info.sharding {
                found.push((Site::Result(id, at), info.ty.rank(), HloSharding::clone(sharding)));
            }
        }
    }
    found
}

fn set(module: &mut Module, site: Site, annotation: Option<Annotation>) {
    match site {
        Site::Value(func, value) => Editor::new(&mut module.funcs[func]).set_sharding(value, annotation),
        Site::Result(func, at) => {
            if let Some(info) = Editor::new(&mut module.funcs[func]).result_info_mut().get_mut(at) {
                info.sharding = annotation;
            }
        }
    }
}

/// Every sharding is for one other number of devices: one mistake, told once.
fn all_for_others(
    module: &Module,
    found: &[(Site, usize, HloSharding)],
    devices: i64,
    asked: Option<i64>,
) -> Option<Diagnostic> {
    let mut counted = found.iter().filter_map(|(site, _, sharding)| Some((site, spread(sharding)?)));
    let (site, meant) = counted.next()?;
    let (mut same, mut many) = (true, 1);
    counted.for_each(|(_, other)| (same, many) = (same && other == meant, many + 1));
    if meant == devices || !same || many < 2 {
        return None;
    }
    let (first, place) = subject(module, *site);
    let by = if asked.is_some() { "asked for" } else { "said by the module (`num_partitions`)" };
    let others = many - 1;
    let message = format!("{first} and {others} more are split over {meant} devices, but {devices} are {by}");
    let help = format!("use {meant} devices, or lower the module for a mesh of {devices}");
    Some(Diagnostic::error(codes::DEVICES, message).help(help).at_place(place))
}

/// The devices that a sharding spreads its value over, where it says that.
fn spread(sharding: &HloSharding) -> Option<i64> {
    match &sharding.kind {
        HloShardingKind::Tiled { tiles, .. } => {
            Some(tiles.iter().fold(1i64, |all, tiles| all.saturating_mul(*tiles)))
        }
        HloShardingKind::Named(named) => Some(named.0.device_count()).filter(|_| !named.0.axes.is_empty()),
        HloShardingKind::Maximal { .. }
        | HloShardingKind::Replicated
        | HloShardingKind::Manual
        | HloShardingKind::Unknown
        | HloShardingKind::Unreduced
        | HloShardingKind::Tuple(_) => None,
    }
}

/// As many devices as the largest sharding uses, in a module that does not say.
fn largest(found: &[(Site, usize, HloSharding)]) -> i64 {
    let used = |sharding: &HloSharding| match &sharding.kind {
        HloShardingKind::Maximal { device } => device.saturating_add(1),
        _ => spread(sharding).unwrap_or(1),
    };
    found.iter().map(|(_, _, sharding)| used(sharding)).max().unwrap_or(1)
}

/// The errors of single annotations with their values' names; `all` where they only fail together.
fn told(
    module: &Module,
    found: &[(Site, usize, HloSharding)],
    devices: i64,
    all: Vec<Diagnostic>,
) -> Vec<Diagnostic> {
    let of_one = |(site, rank, sharding): &(Site, usize, HloSharding)| {
        let wrong = import_all(&[(sharding, *rank)], devices, &mut module.meshes.clone()).err()?;
        let (subject, place) = subject(module, *site);
        let error = wrong.into_iter().next()?;
        let message = format!("{subject} cannot be split as asked: {}", error.message);
        Some(Diagnostic { message, ..error }.at_place(place))
    };
    let errors: Vec<_> = found.iter().filter_map(of_one).collect();
    if errors.is_empty() { all } else { errors }
}

fn subject(module: &Module, site: Site) -> (String, Option<Place>) {
    match site {
        Site::Value(func, value) => {
            let inst = module.funcs[func].def_inst(value);
            let place = inst.and_then(|inst| module.place(module.funcs[func].inst(inst).source));
            (format!("`{}`", name_of(module, (func, value))), place)
        }
        Site::Result(func, at) => (format!("result {at} of @{}", module.funcs[func].name), None),
    }
}
