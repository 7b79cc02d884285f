//! Values that are split as one: members of a sharding group, and a loop's carry outside and inside.
//!
//! What shares a member is one tie. All that is stated of its members must have one sharding that every statement
//! allows. Members of a group that have none are an error; for a carry the first statement holds and the contradiction
//! is told as a note.

use crate::codes;
use crate::edges::{carries, outputs};
use crate::foreign::AlikeGroups;
use crate::landmarks::{Landmark, op_of};
use crate::provenance::name_of;
use meshwright_base::Diagnostic;
use meshwright_base::arrange::Arrange;
use meshwright_base::diagnostic::Place;
use meshwright_ir::op::ShardingOp;
use meshwright_ir::{Annotation, Def, FuncId, Module, Op, ValueId};
use meshwright_shard::sdy_text::{print_axes, print_sharding};
use meshwright_shard::{AxisRef, Sharding, agree, axis};
use std::borrow::Cow;
use std::collections::BTreeMap;

/// A value of a function.
pub(crate) type Member = (FuncId, ValueId);

/// Values of one sharding.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Tie {
    pub members: Vec<Member>,
    /// Whether the user tied any of them; otherwise they are one carry.
    is_group: bool,
}

/// All ties of a module: named groups, the groups of its HLO shardings, carries.
pub(crate) fn ties(module: &Module, landmarks: &[Landmark], groups: &AlikeGroups) -> Vec<Tie> {
    let mut ties = Ties::default();
    for members in groups.iter().cloned().chain(named_groups(module, landmarks)) {
        ties.add(Tie { members, is_group: true });
    }
    for (id, inst) in landmarks {
        for carry in carries(&module.funcs[*id], *inst) {
            let members = carry.into_iter().map(|value| (*id, value)).collect();
            ties.add(Tie { members, is_group: false });
        }
    }
    ties.ties.into_iter().filter(|tie| tie.members.len() > 1).collect()
}

/// Members of each sharding group: values of one `Group` id.
fn named_groups(module: &Module, landmarks: &[Landmark]) -> AlikeGroups {
    let mut groups: BTreeMap<i64, Vec<Member>> = BTreeMap::new();
    for (id, inst) in landmarks {
        if let Op::Sharding(ShardingOp::Group { id: group }) = op_of(module, (*id, *inst)) {
            let members = module.funcs[*id].inst(*inst).operands.iter().map(|value| (*id, *value));
            groups.entry(*group).or_default().extend(members);
        }
    }
    groups.into_values().collect()
}

/// Ties while they are joined: one that was joined to another is left empty.
#[derive(Default)]
struct Ties {
    ties: Vec<Tie>,
    of: BTreeMap<Member, usize>,
}

impl Ties {
    fn add(&mut self, tie: Tie) {
        let mut met: Vec<usize> =
            tie.members.iter().filter_map(|member| self.of.get(member).copied()).collect();
        met.arrange();
        met.dedup();
        let home = met.first().copied().unwrap_or(self.ties.len());
        if met.is_empty() {
            self.ties.push(Tie::default());
        }
        let others: Vec<Tie> = met.iter().skip(1).map(|at| std::mem::take(&mut self.ties[*at])).collect();
        for Tie { members, is_group } in others.into_iter().chain([tie]) {
            self.ties[home].is_group |= is_group;
            for member in members {
                if self.of.insert(member, home) != Some(home) {
                    self.ties[home].members.push(member);
                }
            }
        }
    }
}

/// What cannot be: errors for groups, notes for carries.
pub(crate) fn check(module: &Module, ties: &[Tie]) -> (Vec<Diagnostic>, Vec<Diagnostic>) {
    ties.iter().filter_map(|tie| check_tie(module, tie)).partition(Diagnostic::is_error)
}

fn check_tie(module: &Module, tie: &Tie) -> Option<Diagnostic> {
    let mut stated: Option<(Member, Cow<Sharding>)> = None;
    let (first, rest) = tie.members.split_first()?;
    if tie.is_group
        && let Some(told) = rest.iter().find_map(|other| check_kind(module, *first, *other))
    {
        return Some(told);
    }
    for member in &tie.members {
        let Some(own) = statement(module, *member) else { continue };
        stated = match stated {
            None => Some((*member, Cow::Borrowed(own))),
            Some((before, all)) => match agree(&all, own) {
                Some(both) => Some((before, Cow::Owned(both))),
                None => return Some(contradiction(module, tie, (before, &all), (*member, own))),
            },
        };
    }
    None
}

/// Members of a group must have one shape and be local over the same axes.
fn check_kind(module: &Module, a: Member, b: Member) -> Option<Diagnostic> {
    let (name_a, name_b) = (name_of(module, a), name_of(module, b));
    let ty = |(func, value): Member| &module.funcs[func].value(value).ty;
    if ty(a).dims() != ty(b).dims() {
        let (a, b) = (ty(a), ty(b));
        let message =
            format!("`{name_a}` ({a}) and `{name_b}` ({b}) are in one sharding group but differ in shape");
        return Some(Diagnostic::error(codes::GROUP, message).help("group only values of one shape"));
    }
    let (local_a, local_b) = (local_axes(module, a), local_axes(module, b));
    let axes = |local: &Local| match local {
        Some((mesh, axes)) => print_axes(axes, &module.meshes[*mesh]),
        None => "no axes".into(),
    };
    let message = || {
        let (a, b) = (axes(&local_a), axes(&local_b));
        format!("`{name_a}` and `{name_b}` are in one sharding group, but local over {a} and {b}")
    };
    (local_a != local_b).then(|| {
        Diagnostic::error(codes::GROUP, message())
            .at_place(place(module, a))
            .label(place(module, b), format!("`{name_b}`"))
            .help("group only values of one manual region")
    })
}

/// Axes over which a value is local, by the regions around it or its annotation.
type Local = Option<(meshwright_shard::MeshId, Vec<AxisRef>)>;

fn local_axes(module: &Module, (id, value): Member) -> Local {
    let func = &module.funcs[id];
    let (mut mesh, mut axes) = (None, Vec::new());
    let stated = func.value(value).sharding.as_ref().and_then(Annotation::as_mesh);
    if let Some(sharding) = stated.filter(|sharding| !sharding.manual.is_empty()) {
        mesh = Some(sharding.mesh);
        axes.clone_from(&sharding.manual);
    }
    let mut around = func.block(func.def_block(value)).parent;
    while let Some(inst) = around {
        if let Op::Sharding(ShardingOp::Manual(manual)) = &func.inst(inst).op {
            mesh = Some(manual.mesh);
            axes.extend(axis::difference(&manual.axes, &axes));
        }
        around = func.block(func.block_of(inst)).parent;
    }
    let axes = axis::canonical_set(&axes);
    mesh.filter(|_| !axes.is_empty()).map(|mesh| (mesh, axes))
}

/// What is stated of a value: by an annotation, or by the region whose result it is.
pub(crate) fn statement(module: &Module, (id, value): Member) -> Option<&Sharding> {
    let func = &module.funcs[id];
    let info = func.value(value);
    let own = info.sharding.as_ref().and_then(Annotation::as_mesh);
    let of_region = || match info.def {
        Def::Result { inst, index } => outputs(&func.inst(inst).op).get(index),
        Def::Param { .. } => None,
    };
    own.or_else(of_region).filter(|sharding| sharding.rank() == info.ty.rank())
}

fn contradiction(
    module: &Module,
    tie: &Tie,
    (a, stated): (Member, &Sharding),
    (b, other): (Member, &Sharding),
) -> Diagnostic {
    let (name_a, name_b) = (name_of(module, a), name_of(module, b));
    let text = |sharding| print_sharding(sharding, &module.meshes);
    let told = if tie.is_group {
        Diagnostic::error(
            codes::TWO_ANNOTATIONS,
            format!("`{name_a}` and `{name_b}` are in one sharding group but annotated differently"),
        )
    } else {
        Diagnostic::note_only(
            codes::TWO_ANNOTATIONS,
            format!(
                "`{name_a}` and `{name_b}` are one carry of a loop but annotated differently; the first holds"
            ),
        )
    };
    told.at_place(place(module, a))
        .label(place(module, b), format!("`{name_b}`"))
        .note(format!("`{name_a}` is annotated {}, `{name_b}` {}", text(stated), text(other)))
        .help("annotate one of the two, or both alike")
}

fn place(module: &Module, (func, value): Member) -> Option<Place> {
    let inst = module.funcs[func].def_inst(value)?;
    module.place(module.funcs[func].inst(inst).source)
}
