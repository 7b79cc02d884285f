//! Sharding ops: identities where values are local or whole, real cuts where global arrays meet manual regions.
//!
//! In a global run the program outside manual regions runs on one device, with whole arrays. At a region's entry each
//! array is cut for every device of the mesh by the *manual* axes of its sharding; devices that differ only along other
//! axes get the same piece. The body runs on all devices, with collectives; at the exit pieces are put together again.

use crate::fault::{Fault, GLOBAL_ONLY, NOT_RUN};
use crate::lanes::{Device, Lanes};
use crate::layout::TileLayout;
use crate::machine::{Site, World};
use crate::tensor::{Data, Tensor, element_count};
use crate::view::{View, copy, row_major, sizes};
use meshwright_base::{Id, IdMap};
use meshwright_ir::groups::{Places, mesh_of};
use meshwright_ir::op::sharding::{ManualComputation, ShardingOp};
use meshwright_ir::{Annotation, TensorType, ValueId};
use meshwright_shard::{AxisRef, Sharding};

pub(crate) fn eval(op: &ShardingOp, site: &mut Site<'_, '_>, args: Vec<Lanes>) -> Result<Vec<Lanes>, Fault> {
    match op {
        ShardingOp::Constraint { .. } | ShardingOp::Barrier { .. } | ShardingOp::Reshard(_) => Ok(args),
        ShardingOp::Group { .. } => Ok(Vec::new()),
        ShardingOp::Named { .. } => {
            let active = site.active;
            site.run_region(0, args, active)
        }
        ShardingOp::Manual(manual) => region(manual, site, args),
        ShardingOp::FullToShard { .. } => full_to_shard(site, args),
        ShardingOp::ShardToFull { .. } => shard_to_full(site, args),
    }
}

/// How one dim is cut: number of tiles, and the axes that number them.
struct DimTiles {
    tiles: usize,
    axes: Vec<AxisRef>,
}

fn is_manual(axis: AxisRef, manual: &[AxisRef]) -> bool {
    let end = |axis: &AxisRef| axis.pre.saturating_mul(axis.size);
    manual.iter().any(|m| m.axis == axis.axis && axis.pre >= m.pre && end(&axis) <= end(m))
}

/// How a sharding cuts a value over the manual axes.
fn cuts(places: &Places<'_>, sharding: &Sharding, manual: &[AxisRef]) -> Result<Vec<DimTiles>, Fault> {
    if sharding.partial.iter().any(|axis| is_manual(*axis, manual)) {
        return Err(Fault::new(
            NOT_RUN,
            "a value that is partial over a manual axis crosses the region's edge",
        )
        .help("reduce it inside the region"));
    }
    let cut = |axes: &[AxisRef]| {
        let axes: Vec<AxisRef> = axes.iter().copied().filter(|axis| is_manual(*axis, manual)).collect();
        places.check(&axes)?;
        Ok(DimTiles { tiles: meshwright_shard::axis::product(&axes) as usize, axes })
    };
    sharding.dims.iter().map(|dim| cut(&dim.axes)).collect()
}

/// Tile numbers of a device, and tile counts.
fn tile(cuts: &[DimTiles], places: &Places<'_>, device: Device) -> (Vec<usize>, Vec<usize>) {
    let index = cuts.iter().map(|cut| places.along(device.index(), &cut.axes)).collect();
    (index, cuts.iter().map(|cut| cut.tiles).collect())
}

/// Where tile `index` lies in a dim of `size`: start and how many of its elements are real.
fn span(size: i64, index: usize, share: i64) -> (i64, i64) {
    let start = share.saturating_mul(index as i64).min(size);
    (start, (size - start).min(share))
}

/// The piece of a whole array that has the given tile numbers, as a tensor of type `local`, padded with zeros.
fn cut(x: &Tensor, index: &[usize], tiles: &[usize], local: &TensorType) -> Result<Tensor, Fault> {
    check_tiles(x.dims(), tiles, &local.dims)?;
    let mut data = Data::zeros(local.dtype.class(), element_count(&local.dims).unwrap_or(0));
    let (mut source, mut target) = (View::whole(x.dims()), View::whole(&local.dims));
    for (d, index) in index.iter().enumerate() {
        let (start, count) = span(x.dims()[d], *index, local.dims[d]);
        source.offset += source.strides[d] * start;
        source.dims[d] = count as usize;
        target.dims[d] = count as usize;
    }
    copy(&mut data, &target, x.data(), &source)?;
    Tensor::new(local.clone(), data).ok_or_else(|| Fault::unsound("cuts into another element type"))
}

/// Put a piece into a whole array; padding is dropped.
fn paste(
    whole: &mut Data,
    dims: &[i64],
    piece: &Tensor,
    index: &[usize],
    tiles: &[usize],
) -> Result<(), Fault> {
    check_tiles(dims, tiles, piece.dims())?;
    let mut source = View::whole(piece.dims());
    let mut target = View { dims: sizes(dims), strides: row_major(&sizes(dims)), offset: 0 };
    for (d, index) in index.iter().enumerate() {
        let (start, count) = span(dims[d], *index, piece.dims()[d]);
        target.offset += target.strides[d] * start;
        source.dims[d] = count as usize;
        target.dims[d] = count as usize;
    }
    copy(whole, &target, piece.data(), &source)
}

/// A local dim is the ceiling of the whole one divided by the tiles.
fn check_tiles(whole: &[i64], tiles: &[usize], local: &[i64]) -> Result<(), Fault> {
    let ceiling =
        |size: i64, tiles: usize| size.checked_add(tiles as i64 - 1).map(|n| n / tiles.max(1) as i64);
    let fits = whole.len() == tiles.len()
        && whole.len() == local.len()
        && whole
            .iter()
            .zip(tiles)
            .zip(local)
            .all(|((size, tiles), local)| ceiling(*size, *tiles) == Some(*local));
    if fits {
        return Ok(());
    }
    Err(Fault::unsound(format!("cuts {whole:?} into {tiles:?} tiles and declares pieces of {local:?}")))
}

/// `sdy.manual_computation`.
fn region(op: &ManualComputation, site: &mut Site<'_, '_>, args: Vec<Lanes>) -> Result<Vec<Lanes>, Fault> {
    let active = site.active;
    if op.axes.iter().all(|axis| axis.size == 1) {
        return site.run_region(0, args, active);
    }
    let world = site.machine.world;
    if world == World::Local {
        return Err(Fault::new(GLOBAL_ONLY, "its operands are global arrays, this run has local ones")
            .help("run the module as a global program, or partition it first"));
    }
    let places = Places::new(mesh_of(site.machine.module, op.mesh)?, site.machine.numbering)?;
    places.check(&op.axes)?;
    let inner: Vec<Device> = match world {
        World::GlobalOnOne => Device::all(site.machine.devices).collect(),
        World::Local | World::GlobalOnAll => active.to_vec(),
    };
    let given = enter(op, site, &places, &inner, &args)?;
    site.machine.world = World::GlobalOnAll;
    let made = site.run_region(0, given, &inner)?;
    site.machine.world = world;
    leave(op, site, &places, &inner, &made)
}

/// Cut each operand for every device.
fn enter(
    op: &ManualComputation,
    site: &Site<'_, '_>,
    places: &Places<'_>,
    inner: &[Device],
    args: &[Lanes],
) -> Result<Vec<Lanes>, Fault> {
    let func = site.frame.func;
    let params = &func.block(site.region(0)?).params;
    let mut given = Vec::new();
    for (i, lanes) in args.iter().enumerate() {
        let (Some(sharding), Some(param)) = (op.in_shardings.get(i), params.get(i)) else {
            return Err(Fault::unsound("has more operands than shardings or parameters"));
        };
        let local = tensor_type(site, *param)?;
        let cuts = cuts(places, sharding, &op.axes)?;
        let mut out = site.no_lanes();
        for device in inner {
            let from = if site.active.contains(device) { *device } else { Device::FIRST };
            let (index, tiles) = tile(&cuts, places, *device);
            out.put_tensor(*device, cut(lanes.tensor(from)?, &index, &tiles, local)?);
        }
        given.push(out);
    }
    Ok(given)
}

fn tensor_type<'m>(site: &Site<'_, 'm>, value: ValueId) -> Result<&'m TensorType, Fault> {
    let func = site.frame.func;
    func.ty(value).as_tensor().ok_or_else(|| Fault::unsound("passes a token where a tensor is needed"))
}

/// Put each result together from the devices that differ only along the manual axes.
fn leave(
    op: &ManualComputation,
    site: &Site<'_, '_>,
    places: &Places<'_>,
    inner: &[Device],
    made: &[Lanes],
) -> Result<Vec<Lanes>, Fault> {
    let apart: IdMap<Device, _> =
        (0..places.devices()).map(|device| places.apart_from(device, &op.axes)).collect();
    let mut results = Vec::new();
    for (i, lanes) in made.iter().enumerate() {
        let sharding =
            op.out_shardings.get(i).ok_or_else(|| Fault::unsound("has more results than shardings"))?;
        let cuts = cuts(places, sharding, &op.axes)?;
        let whole = site.result_type(i)?.as_tensor().ok_or_else(|| Fault::unsound("returns a token"))?;
        let mut out = site.no_lanes();
        for device in site.active {
            // Where several devices hold one tile, the lowest numbered one has the say.
            let group = inner.iter().rev().filter(|other| apart[**other] == apart[*device]);
            let mut data = Data::zeros(whole.dtype.class(), element_count(&whole.dims).unwrap_or(0));
            for other in group {
                let (index, tiles) = tile(&cuts, places, *other);
                paste(&mut data, &whole.dims, lanes.tensor(*other)?, &index, &tiles)?;
            }
            out.put_tensor(*device, site.tensor(i, data)?);
        }
        results.push(out);
    }
    Ok(results)
}

fn annotation<'m>(site: &Site<'_, 'm>, value: Option<&ValueId>) -> Option<&'m Annotation> {
    let func = site.frame.func;
    func.value(*value?).sharding.as_ref()
}

/// Whether full and local shapes are one, so that there is nothing to cut.
fn is_identity(site: &Site<'_, '_>) -> bool {
    let inst = site.frame.func.inst(site.inst);
    let dims = |value: Option<&ValueId>| value.map(|value| site.frame.func.dims(*value));
    dims(inst.operands.first()) == dims(inst.results.first())
}

/// The layout of the whole value: of the operand on the way in, of the result on the way out.
fn layout(site: &Site<'_, '_>, value: Option<&ValueId>, rank: usize) -> Result<TileLayout, Fault> {
    if site.machine.world == World::Local {
        return Err(Fault::new(GLOBAL_ONLY, "one of its sides is a global array, this run has local ones")
            .help("run the module as a global program, or partition it first"));
    }
    let annotation = annotation(site, value)
        .ok_or_else(|| Fault::unsound("has no sharding that says how the whole value is split"))?;
    TileLayout::of(annotation, rank, site.machine.module, site.machine.numbering)
}

fn full_to_shard(site: &mut Site<'_, '_>, args: Vec<Lanes>) -> Result<Vec<Lanes>, Fault> {
    if is_identity(site) {
        return Ok(args);
    }
    let local = site.result_type(0)?.as_tensor().ok_or_else(|| Fault::unsound("makes a token"))?;
    let operand = site.frame.func.inst(site.inst).operands.first();
    let layout = layout(site, operand, local.rank())?;
    let lanes = args.first().ok_or_else(|| Fault::unsound("has no operand"))?;
    let mut out = site.no_lanes();
    for device in site.active {
        let x = lanes.tensor(*device)?;
        let (index, tiles) = layout.tile(*device, x.dims(), &local.dims);
        out.put_tensor(*device, cut(x, &index, &tiles, local)?);
    }
    Ok(vec![out])
}

fn shard_to_full(site: &mut Site<'_, '_>, args: Vec<Lanes>) -> Result<Vec<Lanes>, Fault> {
    if is_identity(site) {
        return Ok(args);
    }
    let whole = site.result_type(0)?.as_tensor().ok_or_else(|| Fault::unsound("makes a token"))?;
    let result = site.frame.func.inst(site.inst).results.first();
    let layout = layout(site, result, whole.rank())?;
    let lanes = args.first().ok_or_else(|| Fault::unsound("has no operand"))?;
    let mut out = site.no_lanes();
    for device in site.active {
        let mut data = Data::zeros(whole.dtype.class(), element_count(&whole.dims).unwrap_or(0));
        let group = site.active.iter().rev().filter(|other| layout.group(**other) == layout.group(*device));
        for other in group {
            let piece = lanes.tensor(*other)?;
            let (index, tiles) = layout.tile(*other, &whole.dims, piece.dims());
            paste(&mut data, &whole.dims, piece, &index, &tiles)?;
        }
        out.put_tensor(*device, site.tensor(0, data)?);
    }
    Ok(vec![out])
}
