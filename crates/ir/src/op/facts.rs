//! What is known of an op besides its types and its rule: each question is answered once, here and beside the families, and whoever
//! rewrites, prices or runs ops asks by name instead of listing them.
//!
//! No wildcards: a new op says what it is. What depends on attributes is said by its family (`facts` there).

use super::{Convert, Foreign, Op, Random, ShardingOp, TokenOp};
use crate::module::FuncId;
use meshwright_shard::MeshId;

/// The answers of one op. All `false` is the plain op: arrays from arrays, on the device it is on, by what it says itself.
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
    };
    const ELEMENTWISE: Facts = Facts { is_elementwise: true, is_shapeless: true, ..Facts::PLAIN };
    const WITH_REGIONS: Facts = Facts { has_regions: true, ..Facts::PLAIN };
    const ELSEWHERE: Facts = Facts { is_free: true, is_elsewhere: true, ..Facts::PLAIN };
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
            Op::Constant(_) => Facts { is_free: true, ..Facts::PLAIN },
            Op::Iota(_) | Op::Movement(_) | Op::Dynamic(_) | Op::Gather(_) | Op::Dot(_) => Facts::PLAIN,
            Op::Convolution(_) | Op::TopK(_) | Op::Fft(_) | Op::Linalg(_) | Op::BatchNorm(_) => Facts::PLAIN,
            Op::Scatter(_) | Op::Reduce(_) | Op::Map(_) | Op::ReduceWindow(_) => Facts::WITH_REGIONS,
            Op::SelectAndScatter(_) | Op::Sort(_) => Facts::WITH_REGIONS,
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
        match self {
            Foreign::CustomCall(call) => {
                Facts { has_effect: call.has_side_effect, refers: !call.callees.is_empty(), ..Facts::PLAIN }
            }
            Foreign::Composite(_) => Facts { is_elsewhere: true, refers: true, ..Facts::PLAIN },
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
