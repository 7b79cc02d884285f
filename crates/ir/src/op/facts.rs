//! What is known of an op besides its types and its rule: each question is answered once, here and beside the families,
//! and whoever rewrites, prices or runs ops asks by name instead of listing them.
//!
//! No wildcards: a new op says what it is. What depends on attributes is said by its family (`facts` there).

use super::{Call, Control, Convert, Foreign, Movement, Op, Random, Scan, ShardingOp, TokenOp};
use crate::module::FuncId;
use meshwright_shard::{MeshId, Reducer};

/// The answers of one op. All `false` is the plain op: arrays from arrays, on the device it is on, by what it says
/// itself.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Facts {
    /// Each element of the result depends on the elements of the operands at its place, and on nothing else.
    pub is_elementwise: bool,
    /// Does the same to any number of elements: elementwise, and says nothing of a shape.
    pub is_shapeless: bool,
    /// Does something besides making its results. What is in regions and callees counts by itself.
    pub has_effect: bool,
    /// Makes another result each time it runs.
    pub is_drawn: bool,
    pub has_regions: bool,
    /// What it takes is somewhere else (in its regions, in a callee, on links) or nowhere.
    pub is_free: bool,
    /// Is no step of its own: it stands for other instructions, other devices, or nothing that runs.
    pub is_elsewhere: bool,
    /// Names functions, meshes or sharding groups of its module.
    pub refers: bool,
    /// Multiplies and adds over all pairs of places: its flops are more than what it reads.
    pub is_contraction: bool,
    /// Indices say where it reads or writes: with that dim split, every device goes through all of them.
    pub picks_by_index: bool,
    /// Cuts the same elements into other dims: a piece is a run of elements.
    pub regroups: bool,
    /// Its bytes are written down: pieces are cut out of them, all of one size.
    pub is_written: bool,
    /// Pieces along some dim may need elements of others, or be combined: the whole on every device may be less to
    /// send.
    pub mixes_pieces: bool,
    /// Where it is localized by hand, pieces may end in elements that nobody asked for.
    pub takes_padded_pieces: bool,
    /// Known by its name only.
    pub is_foreign: bool,
}

impl Facts {
    pub const PLAIN: Facts = Facts {
        is_elementwise: false,
        is_shapeless: false,
        has_effect: false,
        is_drawn: false,
        has_regions: false,
        is_free: false,
        is_elsewhere: false,
        refers: false,
        is_contraction: false,
        picks_by_index: false,
        regroups: false,
        is_written: false,
        mixes_pieces: false,
        takes_padded_pieces: false,
        is_foreign: false,
    };
    const ELEMENTWISE: Facts = Facts { is_elementwise: true, is_shapeless: true, ..Facts::PLAIN };
    const MIXING: Facts = Facts { mixes_pieces: true, ..Facts::PLAIN };
    const PICKING: Facts = Facts { picks_by_index: true, takes_padded_pieces: true, ..Facts::PLAIN };
    const WITH_REGIONS: Facts = Facts { has_regions: true, ..Facts::PLAIN };
    const MIXING_WITH_REGIONS: Facts = Facts { has_regions: true, ..Facts::MIXING };
    const ELSEWHERE: Facts = Facts { is_free: true, is_elsewhere: true, ..Facts::PLAIN };
}

/// What holds a program together: ops whose operands go where regions, callees or annotations say.
pub enum Structure<'a> {
    Control(&'a Control),
    Scan(&'a Scan),
    Call(&'a Call),
    Sharding(&'a ShardingOp),
    Token(&'a TokenOp),
}

/// Something of the module that an op names.
pub enum Reference<'a> {
    Func(&'a mut FuncId),
    Mesh(&'a mut MeshId),
    /// The number of a sharding group.
    Group(&'a mut i64),
}

impl Op {
    pub fn facts(&self) -> Facts {
        match self {
            Op::Unary(_) | Op::Binary(_) | Op::Compare(_) | Op::Select | Op::Clamp => Facts::ELEMENTWISE,
            Op::Constant(_) => Facts { is_free: true, is_written: true, ..Facts::PLAIN },
            Op::Iota(_) => Facts { takes_padded_pieces: true, ..Facts::PLAIN },
            Op::Fft(_) | Op::Linalg(_) | Op::BatchNorm(_) => Facts::PLAIN,
            Op::Dynamic(_) | Op::TopK(_) => Facts::MIXING,
            Op::Movement(op) => op.facts(),
            Op::Dot(_) => Facts { is_contraction: true, ..Facts::PLAIN },
            Op::Convolution(_) => Facts { is_contraction: true, ..Facts::MIXING },
            Op::Gather(_) => Facts::PICKING,
            Op::Scatter(_) => Facts { has_regions: true, ..Facts::PICKING },
            Op::Map(_) => Facts::WITH_REGIONS,
            Op::Reduce(_) | Op::ReduceWindow(_) | Op::SelectAndScatter(_) | Op::Sort(_) => {
                Facts::MIXING_WITH_REGIONS
            }
            Op::Control(_) | Op::Scan(_) => Facts { has_regions: true, ..Facts::ELSEWHERE },
            Op::Call(_) => Facts { refers: true, ..Facts::ELSEWHERE },
            Op::PartitionId | Op::ReplicaId | Op::OptimizationBarrier => Facts::ELSEWHERE,
            Op::Collective(op) => Facts {
                has_regions: op.has_reducer(),
                refers: op.groups.mesh().is_some(),
                ..Facts::ELSEWHERE
            },
            Op::Convert(op) => op.facts(),
            Op::Random(op) => op.facts(),
            Op::Foreign(op) => op.facts(),
            Op::Token(op) => op.facts(),
            Op::Sharding(op) => op.facts(),
        }
    }

    /// What it is to the program around it; `None` for an op that computes.
    pub fn structure(&self) -> Option<Structure<'_>> {
        match self {
            Op::Control(op) => Some(Structure::Control(op)),
            Op::Scan(op) => Some(Structure::Scan(op)),
            Op::Call(op) => Some(Structure::Call(op)),
            Op::Sharding(op) => Some(Structure::Sharding(op)),
            Op::Token(op) => Some(Structure::Token(op)),
            Op::Constant(_) | Op::Iota(_) | Op::Unary(_) | Op::Binary(_) | Op::Compare(_) | Op::Select => {
                None
            }
            Op::Clamp | Op::Convert(_) | Op::Movement(_) | Op::Dynamic(_) | Op::Gather(_) => None,
            Op::Scatter(_) | Op::Dot(_) | Op::Convolution(_) | Op::Reduce(_) | Op::Map(_) => None,
            Op::ReduceWindow(_) | Op::SelectAndScatter(_) | Op::Sort(_) | Op::TopK(_) | Op::Random(_) => None,
            Op::Fft(_) | Op::Linalg(_) | Op::BatchNorm(_) | Op::Collective(_) | Op::PartitionId => None,
            Op::ReplicaId | Op::Foreign(_) | Op::OptimizationBarrier => None,
        }
    }

    /// Whether its regions hold program code rather than the scalar function of a reduction, a sort or the like.
    pub fn runs_regions(&self) -> bool {
        match self.structure() {
            Some(Structure::Control(_) | Structure::Scan(_) | Structure::Sharding(_)) => true,
            Some(Structure::Call(_) | Structure::Token(_)) | None => false,
        }
    }

    /// The reducer that combines two values as this op does.
    pub fn reducer(&self) -> Option<Reducer> {
        let Op::Binary(op) = self else { return None };
        op.reducer()
    }

    /// Functions it refers to.
    pub fn callees(&self) -> &[FuncId] {
        match self {
            Op::Call(call) => std::slice::from_ref(&call.callee),
            Op::Foreign(foreign) => foreign.callees(),
            Op::Constant(_) | Op::Iota(_) | Op::Unary(_) | Op::Binary(_) | Op::Compare(_) | Op::Select => &[],
            Op::Clamp
            | Op::Convert(_)
            | Op::Movement(_)
            | Op::Dynamic(_)
            | Op::Gather(_)
            | Op::Scatter(_) => &[],
            Op::Dot(_) | Op::Convolution(_) | Op::Reduce(_) | Op::Map(_) | Op::ReduceWindow(_) => &[],
            Op::SelectAndScatter(_) | Op::Sort(_) | Op::TopK(_) | Op::Random(_) | Op::Fft(_) => &[],
            Op::Linalg(_) | Op::BatchNorm(_) | Op::Control(_) | Op::Scan(_) | Op::Collective(_) => &[],
            Op::PartitionId | Op::ReplicaId | Op::OptimizationBarrier | Op::Token(_) | Op::Sharding(_) => &[],
        }
    }

    /// The op with what it names in a module changed; `None` if it names nothing.
    pub fn with_references(&self, mut change: impl FnMut(Reference<'_>)) -> Option<Op> {
        if !self.facts().refers {
            return None;
        }
        let mut op = self.clone();
        match &mut op {
            Op::Call(call) => change(Reference::Func(&mut call.callee)),
            Op::Foreign(op) => {
                op.callees_mut().iter_mut().for_each(|callee| change(Reference::Func(callee)));
            }
            Op::Collective(op) => {
                op.groups.mesh_mut().into_iter().for_each(|mesh| change(Reference::Mesh(mesh)))
            }
            Op::Sharding(op) => op.each_reference(&mut change),
            Op::Constant(_) | Op::Iota(_) | Op::Unary(_) | Op::Binary(_) | Op::Compare(_) | Op::Select => {}
            Op::Clamp
            | Op::Convert(_)
            | Op::Movement(_)
            | Op::Dynamic(_)
            | Op::Gather(_)
            | Op::Scatter(_) => {}
            Op::Dot(_) | Op::Convolution(_) | Op::Reduce(_) | Op::Map(_) | Op::ReduceWindow(_) => {}
            Op::SelectAndScatter(_) | Op::Sort(_) | Op::TopK(_) | Op::Random(_) | Op::Fft(_) => {}
            Op::Linalg(_) | Op::BatchNorm(_) | Op::Control(_) | Op::Scan(_) | Op::Token(_) => {}
            Op::PartitionId | Op::ReplicaId | Op::OptimizationBarrier => {}
        }
        Some(op)
    }
}

impl Movement {
    fn facts(&self) -> Facts {
        let regroups = match self {
            Movement::Reshape(_) => true,
            Movement::Broadcast(_) | Movement::Transpose(_) | Movement::Slice(_) => false,
            Movement::Pad(_) | Movement::Concatenate(_) | Movement::Reverse(_) => false,
        };
        Facts { regroups, ..Facts::MIXING }
    }
}

impl Convert {
    /// A change of bits says the whole type.
    fn facts(&self) -> Facts {
        match self {
            Convert::To(_) | Convert::ReducePrecision { .. } => Facts::ELEMENTWISE,
            Convert::Bitcast(_) => Facts { is_shapeless: false, ..Facts::ELEMENTWISE },
        }
    }
}

impl Random {
    /// One draws from a state nobody sees, the other from the state it is given.
    fn facts(&self) -> Facts {
        match self {
            Random::Rng { .. } => Facts { is_drawn: true, ..Facts::PLAIN },
            Random::BitGenerator { .. } => Facts::PLAIN,
        }
    }
}

impl Foreign {
    fn facts(&self) -> Facts {
        let plain = Facts { is_foreign: true, ..Facts::PLAIN };
        match self {
            Foreign::CustomCall(call) => {
                Facts { has_effect: call.has_side_effect, refers: !call.callees.is_empty(), ..plain }
            }
            Foreign::Composite(_) => Facts { is_elsewhere: true, refers: true, ..plain },
        }
    }
}

impl TokenOp {
    /// Tokens stand for an order, which is an effect even where nothing is sent.
    fn facts(&self) -> Facts {
        Facts { has_effect: true, ..Facts::ELSEWHERE }
    }
}

impl ShardingOp {
    fn facts(&self) -> Facts {
        let plain = Facts::ELSEWHERE;
        match self {
            ShardingOp::Manual(_) | ShardingOp::Named { .. } => {
                Facts { has_regions: true, refers: true, ..plain }
            }
            ShardingOp::Group { .. } => Facts { refers: true, ..plain },
            ShardingOp::Constraint { .. } | ShardingOp::Barrier { .. } | ShardingOp::Reshard(_) => plain,
            ShardingOp::FullToShard { .. } | ShardingOp::ShardToFull { .. } => plain,
        }
    }

    fn each_reference(&mut self, change: &mut impl FnMut(Reference<'_>)) {
        match self {
            ShardingOp::Manual(manual) => {
                change(Reference::Mesh(&mut manual.mesh));
                let stated = manual.in_shardings.iter_mut().chain(&mut manual.out_shardings);
                stated.for_each(|sharding| change(Reference::Mesh(&mut sharding.mesh)));
            }
            ShardingOp::Named { in_shardings, out_shardings, .. } => {
                let stated = in_shardings.iter_mut().chain(out_shardings);
                stated.for_each(|sharding| change(Reference::Mesh(&mut sharding.mesh)));
            }
            ShardingOp::Group { id } => change(Reference::Group(id)),
            ShardingOp::Constraint { .. } | ShardingOp::Barrier { .. } | ShardingOp::Reshard(_) => {}
            ShardingOp::FullToShard { .. } | ShardingOp::ShardToFull { .. } => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::op::collective::Channel;
    use crate::op::{Call, Collective, CollectiveKind, Groups};
    use meshwright_base::Id;

    fn collective(kind: CollectiveKind, groups: Groups) -> Op {
        Op::Collective(Collective { kind, groups, group_size: 2, channel: Channel::default(), wide: None })
    }

    #[test]
    fn what_refers_is_changed_and_the_rest_is_not_copied() {
        let call = Op::Call(Call { callee: FuncId::from_index(1) });
        let moved = call.with_references(|reference| {
            if let Reference::Func(func) = reference {
                *func = FuncId::from_index(5);
            }
        });
        assert_eq!(moved.as_ref().map(Op::callees), Some(&[FuncId::from_index(5)][..]));
        assert_eq!(Op::Select.with_references(|_| panic!("it names nothing")), None);
        let groups = Groups::Axes { mesh: MeshId::from_index(0), axes: Vec::new() };
        let mut seen = 0;
        let _ = collective(CollectiveKind::AllReduce, groups).with_references(|_| seen += 1);
        assert_eq!(seen, 1);
        assert_eq!(collective(CollectiveKind::AllReduce, Groups::All).with_references(|_| ()), None);
    }

    #[test]
    fn only_elementwise_ops_are_shapeless() {
        let bits = Op::Convert(Convert::Bitcast(crate::TensorType::scalar(crate::DType::F32)));
        assert!(bits.facts().is_elementwise && !bits.facts().is_shapeless);
        assert!(Op::Select.facts().is_elementwise && Op::Select.facts().is_shapeless);
        assert!(!Op::PartitionId.facts().is_elementwise && Op::PartitionId.facts().is_free);
    }
}
