//! A collective of the program: what it does and who takes part, resolved once when the program is loaded.

use crate::{DeviceId, RunError, RunErrorKind};
use meshwright_base::Id;
use meshwright_base::arrange::Arrange;
use meshwright_ir::groups::{device_groups, device_pairs};
use meshwright_ir::op::{Collective, CollectiveKind, Numbering};
use meshwright_ir::{Class, DType, Function, InstId, Module, Op, TensorType, ValueId};
use meshwright_shard::Reducer;

meshwright_base::define_id!(
    /// A collective of a program.
    pub SiteId, "site"
);

/// One collective.
#[derive(Clone, Debug)]
pub struct Site {
    /// As `all_reduce f32[8,16]`.
    pub name: String,
    pub kind: CollectiveKind,
    /// Devices of each group in order of their position. Every device is in exactly one.
    pub groups: Vec<Vec<DeviceId>>,
    pub operands: Vec<TensorType>,
    pub results: Vec<TensorType>,
    /// For sums: how elements combine, and in which type.
    pub reducer: Option<Reducer>,
    pub wide: Option<DType>,
}

impl Site {
    /// The collective of an instruction, on so many devices.
    pub fn new(
        module: &Module,
        func: &Function,
        inst: InstId,
        op: &Collective,
        devices: usize,
    ) -> Result<Site, RunError> {
        let body = func.inst(inst);
        let operands = tensors(func, &body.operands)?;
        let results = tensors(func, &body.results)?;
        let shown = operands.first().map_or(String::new(), |ty| format!(" {ty}"));
        let name = format!("{}{shown}", Op::Collective(op.clone()).mnemonic());
        let reducer = match (op.has_reducer(), body.regions.first()) {
            (true, Some(region)) => Some(plain_reducer(func.region_reducer(*region), &operands, &name)?),
            (true, None) => return Err(unsound(&name, "has no reducer")),
            (false, _) => None,
        };
        let kind = in_devices(module, op, devices)?;
        let groups = member_lists(module, op, &kind, devices)?;
        let site = Site { name, kind, groups, operands, results, reducer, wide: op.wide };
        site.check(devices)?;
        Ok(site)
    }

    /// The group of a device and its position in it.
    pub fn place_of(&self, device: DeviceId) -> Option<(usize, usize)> {
        let place = |group: &Vec<DeviceId>| group.iter().position(|member| *member == device);
        self.groups.iter().enumerate().find_map(|(i, group)| Some((i, place(group)?)))
    }

    /// The collective's mnemonic.
    pub fn kind_name(&self) -> &'static str {
        match self.kind {
            CollectiveKind::AllReduce => "all_reduce",
            CollectiveKind::AllGather { .. } => "all_gather",
            CollectiveKind::ReduceScatter { .. } => "reduce_scatter",
            CollectiveKind::AllToAll { .. } | CollectiveKind::AllToAllTuple => "all_to_all",
            CollectiveKind::Permute { .. } => "collective_permute",
            CollectiveKind::Broadcast => "collective_broadcast",
        }
    }

    /// Bytes of all operands.
    pub fn bytes(&self) -> usize {
        self.operands.iter().filter_map(crate::array::byte_len).sum()
    }

    /// Every device in one group, and shapes that fit the groups.
    fn check(&self, devices: usize) -> Result<(), RunError> {
        let mut seen = vec![0; devices];
        for device in self.groups.iter().flatten() {
            match seen.get_mut(device.index()) {
                Some(count) => *count += 1,
                None => {
                    let message = format!("names device {}, there are {devices}", device.index());
                    return Err(RunError::new(RunErrorKind::BadDevices, message).collective(&self.name));
                }
            }
        }
        if let Some(device) = seen.iter().position(|count| *count != 1) {
            let message = format!("device {device} is in {} of the groups, not in one", seen[device]);
            return Err(RunError::new(RunErrorKind::BadDevices, message).collective(&self.name));
        }
        self.groups.iter().try_for_each(|group| self.check_group(group.len()))
    }

    fn check_group(&self, size: usize) -> Result<(), RunError> {
        let fits = |expected: &dyn Fn(&TensorType) -> Option<TensorType>| {
            self.operands.len() == self.results.len()
                && self.operands.iter().zip(&self.results).all(|(a, b)| expected(a).as_ref() == Some(b))
        };
        let count = size as i64;
        let scale = |ty: &TensorType, dim: usize, times: i64, over: i64| {
            let mut ty = ty.clone();
            let size = ty.dims.get_mut(dim)?;
            *size = size.checked_mul(times)?;
            (*size % over == 0).then_some(())?;
            *size /= over;
            Some(ty)
        };
        let sound = match &self.kind {
            CollectiveKind::AllReduce | CollectiveKind::Broadcast | CollectiveKind::Permute { .. } => {
                fits(&|ty| Some(ty.clone()))
            }
            CollectiveKind::AllGather { dim } => fits(&|ty| scale(ty, *dim, count, 1)),
            CollectiveKind::ReduceScatter { dim } => fits(&|ty| scale(ty, *dim, 1, count)),
            CollectiveKind::AllToAll { split_dim, concat_dim, .. } => {
                fits(&|ty| scale(&scale(ty, *split_dim, 1, count)?, *concat_dim, count, 1))
            }
            CollectiveKind::AllToAllTuple => self.operands.len() == size && fits(&|ty| Some(ty.clone())),
        };
        if sound { Ok(()) } else { Err(unsound(&self.name, &format!("does not fit groups of {size}"))) }
    }
}

/// The kind with pairs as devices.
fn in_devices(module: &Module, op: &Collective, devices: usize) -> Result<CollectiveKind, RunError> {
    let CollectiveKind::Permute { pairs } = &op.kind else { return Ok(op.kind.clone()) };
    let pairs = device_pairs(pairs, op.channel, Numbering::of(module, devices))?;
    let number = |device: usize| u32::try_from(device).ok();
    let pair = |(from, to): (usize, usize)| Some((number(from)?, number(to)?));
    let pairs = pairs.into_iter().map(pair).collect::<Option<_>>();
    let pairs = pairs.ok_or_else(|| unsound(op.mnemonic(), "has too many devices"))?;
    Ok(CollectiveKind::Permute { pairs })
}

fn member_lists(
    module: &Module,
    op: &Collective,
    kind: &CollectiveKind,
    devices: usize,
) -> Result<Vec<Vec<DeviceId>>, RunError> {
    let lists = match kind {
        CollectiveKind::Permute { pairs } => connected(pairs, devices),
        _ => device_groups(module, op, Numbering::of(module, devices))?,
    };
    Ok(lists.into_iter().map(|list| list.into_iter().map(Id::from_index).collect()).collect())
}

/// Devices that a permute connects must meet; a device it does not name goes alone (and gets zeros).
fn connected(pairs: &[(u32, u32)], devices: usize) -> Vec<Vec<usize>> {
    let mut leader: Vec<usize> = (0..devices).collect();
    for (a, b) in pairs {
        let of = |device: u32| leader.get(device as usize).copied();
        let (Some(a), Some(b)) = (of(*a), of(*b)) else { continue };
        let (low, high) = (a.min(b), a.max(b));
        leader.iter_mut().filter(|of| **of == high).for_each(|of| *of = low);
    }
    let mut keyed: Vec<(usize, usize)> = leader.into_iter().enumerate().map(|(d, of)| (of, d)).collect();
    keyed.arrange();
    keyed.chunk_by(|a, b| a.0 == b.0).map(|group| group.iter().map(|(_, d)| *d).collect()).collect()
}

fn tensors(func: &Function, values: &[ValueId]) -> Result<Vec<TensorType>, RunError> {
    let one = |value: &ValueId| func.ty(*value).as_tensor().cloned();
    let all: Option<Vec<_>> = values.iter().map(one).collect();
    all.ok_or_else(|| unsound("collective", "takes or gives a token"))
}

/// Whether a reducer is defined on an element type.
pub fn is_plain(reducer: Reducer, dtype: DType) -> bool {
    match (dtype.class(), reducer) {
        (Class::Pred | Class::Signed | Class::Unsigned, _) => true,
        (Class::Float, Reducer::Sum | Reducer::Product | Reducer::Min | Reducer::Max) => true,
        (Class::Complex, Reducer::Sum | Reducer::Product) => true,
        (Class::Float | Class::Complex, _) => false,
    }
}

fn plain_reducer(reducer: Option<Reducer>, operands: &[TensorType], name: &str) -> Result<Reducer, RunError> {
    reducer.filter(|reducer| operands.iter().all(|ty| is_plain(*reducer, ty.dtype))).ok_or_else(|| {
        RunError::new(RunErrorKind::NotCompiled, "a collective with a computation that is no plain reducer")
            .collective(name)
            .help("use add, multiply, min, max, and, or or xor")
    })
}

fn unsound(name: &str, what: &str) -> RunError {
    RunError::new(RunErrorKind::Unsound, format!("{name} {what}"))
}
