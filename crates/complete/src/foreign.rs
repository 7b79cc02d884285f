//! HLO's shardings, which name devices, as shardings over named axes. All of a module are imported together, so that
//! they land on as few meshes as hold them.

use crate::provenance::name_of;
use meshwright_ground::Diagnostic;
use meshwright_ground::diagnostic::Place;
use meshwright_ir::{Annotation, Editor, FuncId, Module, ValueId};
use meshwright_shard::{HloSharding, HloShardingKind, ShardGroup, import_all};
use std::collections::BTreeMap;

/// Where an annotation stands.
#[derive(Clone, Copy)]
enum Site {
    Value(FuncId, ValueId),
    Result(FuncId, usize),
}

/// Values that are to be split alike (`shard_as`, `shard_like`).
pub(crate) type Groups = Vec<Vec<(FuncId, ValueId)>>;

/// Replace every HLO annotation of the module; the groups they name.
pub(crate) fn import_hlo(module: &mut Module, devices: Option<i64>) -> Result<Groups, Vec<Diagnostic>> {
    let found = annotations(module);
    if found.is_empty() {
        return Ok(Groups::new());
    }
    let devices = devices.or(module.num_partitions).unwrap_or_else(|| largest(&found));
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
        set(module, site, (!says_nothing).then_some(Annotation::Mesh(sharding)));
    }
    Ok(groups.into_values().collect())
}

fn annotations(module: &Module) -> Vec<(Site, usize, HloSharding)> {
    let mut found = Vec::new();
    for (id, func) in module.funcs.iter() {
        for (value, info) in func.values().iter() {
            if let Some(Annotation::Hlo(sharding)) = &info.sharding {
                found.push((Site::Value(id, value), info.ty.rank(), sharding.clone()));
            }
        }
        for (at, info) in func.results.iter().enumerate() {
            if let Some(Annotation::Hlo(sharding)) = &info.sharding {
                found.push((Site::Result(id, at), info.ty.rank(), sharding.clone()));
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

/// As many devices as the largest tiled sharding uses, in a module that does not say.
fn largest(found: &[(Site, usize, HloSharding)]) -> i64 {
    let used = |sharding: &HloSharding| match &sharding.kind {
        HloShardingKind::Tiled { tiles, .. } => {
            tiles.iter().fold(1i64, |all, tiles| all.saturating_mul(*tiles))
        }
        HloShardingKind::Named(named) => named.0.device_count(),
        HloShardingKind::Maximal { device } => device.saturating_add(1),
        HloShardingKind::Replicated
        | HloShardingKind::Manual
        | HloShardingKind::Unknown
        | HloShardingKind::Unreduced
        | HloShardingKind::Tuple(_) => 1,
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
