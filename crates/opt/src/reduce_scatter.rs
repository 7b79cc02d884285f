//! An all-reduce of which every device keeps its own piece becomes a reduce-scatter.
//!
//! ```text
//! %sum = all-reduce %a, over={x}
//! %own = dynamic-slice %sum, position * piece     =>     %own = reduce-scatter %a, over={x}
//! ```
//!
//! Half the bytes. A reshape between the two moves before the reduce-scatter. The slice has to be the only use, to cut
//! one dim into as many pieces as the group has members, and to start at the piece of the device's position in its
//! group. The last is not read off the arithmetic, which every partitioner writes in its own way, but tried out: a
//! program of just that arithmetic, and of one reduce-scatter that says each device its position, is run by the
//! interpreter on all devices. So only programs for at most [`MOST_DEVICES`] are changed.

use crate::Changed;
use meshwright_ground::{IdMap, LookupMap};
use meshwright_interp::run_devices;
use meshwright_ir::op::{BinaryOp, Collective, CollectiveKind, Dynamic, Iota, Movement, Reshape};
use meshwright_ir::{
    At, BlockId, DType, Editor, Function, InstId, Module, Op, SourceId, TensorType, Type, ValueId,
};

/// Most devices on which a start is tried out.
pub const MOST_DEVICES: i64 = 4096;

/// Most instructions, and most elements of a value, in the arithmetic of one start.
const MOST_STEPS: usize = 64;
const MOST_ELEMENTS: i64 = 1 << 16;

pub fn reduce_scatter(module: &mut Module) -> Changed {
    let devices = module.num_partitions.unwrap_or(1);
    if !(2..=MOST_DEVICES).contains(&devices) || module.num_replicas.unwrap_or(1) > 1 {
        return false;
    }
    let mut changed = false;
    for id in module.funcs.keys() {
        let found = found_in(module, &module.funcs[id], devices as usize);
        changed |= !found.is_empty();
        rewrite(&mut module.funcs[id], &found);
    }
    changed
}

/// An all-reduce and the slice of its result.
struct Pair {
    all_reduce: InstId,
    slice: InstId,
    /// The dim that is cut, of the sliced shape.
    dim: usize,
    /// Shape of what is sliced.
    whole: TensorType,
}

fn found_in(module: &Module, func: &Function, devices: usize) -> Vec<Pair> {
    let users = only_users(func);
    let insts = func.insts_in_order().into_iter();
    insts
        .filter_map(|inst| pair(func, inst, &users))
        .filter(|pair| starts_at_own_piece(module, func, pair, devices) == Some(true))
        .collect()
}

/// How a value is used.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Users {
    None,
    One(InstId),
    More,
}

/// The only user of every value that has just one; what a block returns has more.
fn only_users(func: &Function) -> IdMap<ValueId, Users> {
    let mut users = IdMap::filled(func.value_count(), Users::None);
    for inst in func.insts_in_order() {
        for value in &func.inst(inst).operands {
            users[*value] = if users[*value] == Users::None { Users::One(inst) } else { Users::More };
        }
    }
    for block in func.blocks_in_order() {
        for value in &func.block(block).results {
            users[*value] = Users::More;
        }
    }
    users
}

/// The pattern, but for where the slice starts.
fn pair(func: &Function, all_reduce: InstId, users: &IdMap<ValueId, Users>) -> Option<Pair> {
    let size = plain_all_reduce(func, all_reduce)?.group_size;
    let mut value = *func.inst(all_reduce).results.first()?;
    let mut user = users[value];
    while let Users::One(reshape) = user
        && matches!(func.inst(reshape).op, Op::Movement(Movement::Reshape(_)))
    {
        value = *func.inst(reshape).results.first()?;
        user = users[value];
    }
    let Users::One(slice) = user else { return None };
    let info = func.inst(slice);
    let Op::Dynamic(Dynamic::Slice { sizes }) = &info.op else { return None };
    let whole = func.ty(value).as_tensor().filter(|_| info.operands.first() == Some(&value))?.clone();
    let is_cut = |dim: &usize| sizes[*dim] != whole.dims[*dim];
    let mut cut = (0..sizes.len().min(whole.rank())).filter(is_cut);
    let (dim, None) = (cut.next()?, cut.next()) else { return None };
    let fits = sizes[dim].checked_mul(size) == Some(whole.dims[dim]);
    let same_block = func.block_of(slice) == func.block_of(all_reduce);
    (fits && same_block).then_some(Pair { all_reduce, slice, dim, whole })
}

/// An all-reduce of one value by a plain reducer.
fn plain_all_reduce(func: &Function, inst: InstId) -> Option<&Collective> {
    let info = func.inst(inst);
    let Op::Collective(collective) = &info.op else { return None };
    func.region_reducer(*info.regions.first()?)?;
    let fits = collective.kind == CollectiveKind::AllReduce && collective.group_size > 1;
    (fits && info.operands.len() == 1).then_some(collective)
}

/// Whether the slice starts at `piece * position` on every device; `None` if that cannot be tried out.
fn starts_at_own_piece(module: &Module, func: &Function, pair: &Pair, devices: usize) -> Option<bool> {
    let collective = plain_all_reduce(func, pair.all_reduce)?;
    let start = *func.inst(pair.slice).operands.get(1 + pair.dim)?;
    let probe = probe(module, func, start, collective)?;
    let results = run_devices(&probe, devices, &vec![Vec::new(); devices]).ok()?;
    let whole = *pair.whole.dims.get(pair.dim)?;
    let piece = whole / collective.group_size;
    let is_own = |results: &Vec<meshwright_interp::Tensor>| {
        let scalar = |at: usize| results.get(at)?.to_ints()?.first().copied();
        let (start, position) = (scalar(0)?, scalar(1)?);
        Some(start.clamp(0, whole - piece) == piece.checked_mul(position)?)
    };
    Some(results.iter().all(|results| is_own(results) == Some(true)))
}

/// A program that returns the start, and the device's position in its group.
fn probe(module: &Module, func: &Function, start: ValueId, collective: &Collective) -> Option<Module> {
    let mut probe = Module::new("probe");
    probe.meshes = module.meshes.clone();
    probe.num_partitions = module.num_partitions;
    let entry = probe.entry;
    let mut editor = Editor::new(&mut probe.funcs[entry]);
    let root = editor.func().root();
    let start = copy_arithmetic(func, start, &mut editor, root)?;
    let position = push_position(&mut editor, root, collective);
    editor.set_results(root, vec![start, position]);
    Some(probe)
}

/// Copy what computes a value, if it is arithmetic on constants and the device's number.
fn copy_arithmetic(
    func: &Function,
    value: ValueId,
    editor: &mut Editor<'_>,
    root: BlockId,
) -> Option<ValueId> {
    // lookup only: old values to their copies
    let mut copies: LookupMap<ValueId, ValueId> = LookupMap::default();
    let mut stack = vec![value];
    while let Some(next) = stack.last().copied() {
        if copies.contains_key(&next) {
            stack.pop();
            continue;
        }
        let inst = func.inst(func.def_inst(next)?);
        if !is_arithmetic(&inst.op) || !is_small(func.ty(next)) || stack.len() + copies.len() > MOST_STEPS {
            return None;
        }
        let operands: Vec<ValueId> = inst.operands.iter().filter_map(|of| copies.get(of).copied()).collect();
        if operands.len() == inst.operands.len() {
            copies.insert(
                next,
                push(editor, root, inst.op.clone(), operands, Vec::new(), func.ty(next).clone()),
            );
        } else {
            stack.extend(inst.operands.iter().filter(|of| !copies.contains_key(of)));
        }
    }
    copies.get(&value).copied()
}

fn is_small(ty: &Type) -> bool {
    ty.as_tensor().is_some_and(|tensor| tensor.elements() <= MOST_ELEMENTS)
}

/// Ops of one result and without regions that depend on nothing but their operands and the device's number.
fn is_arithmetic(op: &Op) -> bool {
    match op {
        Op::Constant(_) | Op::Iota(_) | Op::Unary(_) | Op::Binary(_) | Op::Compare(_) => true,
        Op::Select | Op::Clamp | Op::Convert(_) | Op::Movement(_) | Op::Dynamic(_) => true,
        Op::Gather(_) | Op::PartitionId => true,
        Op::Scatter(_) | Op::Dot(_) | Op::Convolution(_) | Op::Reduce(_) | Op::Map(_) => false,
        Op::ReduceWindow(_) | Op::SelectAndScatter(_) | Op::Sort(_) | Op::TopK(_) | Op::Random(_) => false,
        Op::Fft(_) | Op::Linalg(_) | Op::BatchNorm(_) | Op::Control(_) | Op::Scan(_) | Op::Call(_) => false,
        Op::Collective(_) | Op::ReplicaId | Op::Foreign(_) | Op::OptimizationBarrier => false,
        Op::Token(_) | Op::Sharding(_) => false,
    }
}

/// The greatest of equal lists `0, 1, ..` scattered over the group: each device gets its own position.
fn push_position(editor: &mut Editor<'_>, root: BlockId, collective: &Collective) -> ValueId {
    let scalar = Type::tensor(DType::S64, []);
    let region = editor.block();
    let sides = vec![editor.param(region, scalar.clone()), editor.param(region, scalar.clone())];
    let greater = Op::Binary(BinaryOp::Maximum);
    let greater = push(editor, region, greater, sides, Vec::new(), scalar.clone());
    editor.set_results(region, vec![greater]);
    let list = TensorType::new(DType::S64, [collective.group_size]);
    let iota = Op::Iota(Iota { dim: 0, ty: list.clone() });
    let iota = push(editor, root, iota, Vec::new(), Vec::new(), list.into());
    let scatter = Op::Collective(Collective {
        kind: CollectiveKind::ReduceScatter { dim: 0 },
        wide: None,
        ..collective.clone()
    });
    let one = Type::tensor(DType::S64, [1]);
    let one = push(editor, root, scatter, vec![iota], vec![region], one);
    let reshape = Op::Movement(Movement::Reshape(Reshape { shape: Vec::new() }));
    push(editor, root, reshape, vec![one], Vec::new(), scalar)
}

fn push(
    editor: &mut Editor<'_>,
    block: BlockId,
    op: Op,
    operands: Vec<ValueId>,
    regions: Vec<BlockId>,
    ty: Type,
) -> ValueId {
    let inst = editor.push_typed(At::End(block), op, operands, regions, vec![ty], SourceId::unknown());
    editor.func().inst(inst).results[0]
}

/// Make each all-reduce the reduce-scatter, where it stands. What it made unused is left to `dce`.
fn rewrite(func: &mut Function, found: &[Pair]) {
    let mut replaced: IdMap<ValueId, Option<ValueId>> = IdMap::filled(func.value_count(), None);
    for pair in found {
        if let Some((old, new)) = replace(func, pair) {
            replaced[old] = Some(new);
        }
    }
    if !found.is_empty() {
        let of = |value: ValueId| replaced.get(value).copied().flatten().unwrap_or(value);
        Editor::new(func).map_uses(of);
    }
}

/// Turn one all-reduce; returns the slice's result and what stands for it now.
fn replace(func: &mut Function, pair: &Pair) -> Option<(ValueId, ValueId)> {
    let collective = plain_all_reduce(func, pair.all_reduce)?.clone();
    let old = *func.inst(pair.slice).results.first()?;
    let (name, ty) = (func.value(old).name.clone(), func.ty(old).clone());
    let regions = func.inst(pair.all_reduce).regions.clone();
    let operand = shaped_operand(func, pair)?;
    let kind = CollectiveKind::ReduceScatter { dim: pair.dim };
    let op = Op::Collective(Collective { kind, ..collective });
    let mut editor = Editor::new(func);
    let new = *editor.replace(pair.all_reduce, op, vec![operand], regions, vec![ty]).first()?;
    editor.set_name(new, name);
    Some((old, new))
}

/// The operand of the all-reduce in the shape that is sliced.
fn shaped_operand(func: &mut Function, pair: &Pair) -> Option<ValueId> {
    let info = func.inst(pair.all_reduce);
    let (operand, source) = (*info.operands.first()?, info.source);
    if func.dims(operand) == pair.whole.dims {
        return Some(operand);
    }
    let ty = func.ty(operand).as_tensor()?.with_dims(pair.whole.dims.clone());
    let reshape = Op::Movement(Movement::Reshape(Reshape { shape: ty.dims.clone() }));
    let mut editor = Editor::new(func);
    let at = At::Before(pair.all_reduce);
    let inst = editor.push_typed(at, reshape, vec![operand], Vec::new(), vec![ty.into()], source);
    editor.func().inst(inst).results.first().copied()
}
