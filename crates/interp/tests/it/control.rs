//! Control flow, lockstep, limits.

use crate::support;

use meshwright_interp::{
    DIVERGED, NOT_RUN, Options, TOO_DEEP, TOO_MANY_BYTES, TOO_MANY_STEPS, run, run_devices, run_with,
};
use meshwright_ir::op::collective::{Channel, Collective, CollectiveKind, Groups};
use meshwright_ir::op::control::{Call, Control, Scan};
use meshwright_ir::op::data::Iota;
use meshwright_ir::op::{BinaryOp, Direction, Op};
use meshwright_ir::{DType, Function, Module, Type, ValueId};
use support::*;

/// `while (i < limit) { i += 1; x = body(x, i) }` from i = 0; gives x.
fn count_to(
    b: &mut Body,
    limit: ValueId,
    x: ValueId,
    body: impl FnOnce(&mut Body, ValueId, ValueId) -> ValueId,
) -> ValueId {
    let state = [s32(&[]), s32(&[])];
    let condition = b.region(&state, |b, s| vec![b.compare(Direction::Lt, s[0], limit)]);
    let step = b.region(&state, |b, s| {
        let one = b.int(1);
        let next = b.binary(BinaryOp::Add, s[0], one);
        vec![next, body(b, s[1], next)]
    });
    let zero = b.int(0);
    b.all(Op::Control(Control::While), &[zero, x], &[condition, step])[1]
}

#[test]
fn a_loop_runs_with_captured_values() {
    let module = module(&[s32(&[]), s32(&[])], |b, p| {
        vec![count_to(b, p[0], p[1], |b, x, _| b.binary(BinaryOp::Add, x, p[1]))]
    });
    assert_eq!(run_ints(&module, &[ints(&[], &[4]), ints(&[], &[3])]), [15]);
    assert_eq!(run_ints(&module, &[ints(&[], &[0]), ints(&[], &[3])]), [3]);
}

#[test]
fn branches_take_what_the_index_says_and_the_last_if_out_of_range() {
    let module = module(&[s32(&[])], |b, p| {
        let regions: Vec<_> = (0..3).map(|i| b.region(&[], |b, _| vec![b.int(10 * i)])).collect();
        vec![b.with(Op::Control(Control::Case), &[p[0]], &regions)]
    });
    for (index, expected) in [(0, 0), (1, 10), (2, 20), (7, 20), (-1, 20)] {
        assert_eq!(run_ints(&module, &[ints(&[], &[index])]), [expected]);
    }
    let module = support::module(&[ty(DType::Pred, &[])], |b, p| {
        let yes = b.region(&[], |b, _| vec![b.int(1)]);
        let no = b.region(&[], |b, _| vec![b.int(2)]);
        vec![b.with(Op::Control(Control::If), &[p[0]], &[yes, no])]
    });
    assert_eq!(run_ints(&module, &[pred(true)]), [1]);
    assert_eq!(run_ints(&module, &[pred(false)]), [2]);
}

#[test]
fn a_scan_carries_and_stacks_in_either_direction() {
    for (reverse, stacked) in [(false, [1, 21, 321]), (true, [321, 320, 300])] {
        let module = module(&[s32(&[]), s32(&[3])], |b, p| {
            let body = b.region(&[s32(&[]), s32(&[])], |b, s| {
                let sum = b.binary(BinaryOp::Add, s[0], s[1]);
                vec![sum, sum]
            });
            b.all(Op::Scan(Scan { trips: 3, carries: 1, reverse }), &[p[0], p[1]], &[body])
        });
        let results = run(&module, &[ints(&[], &[0]), ints(&[3], &[1, 20, 300])]).unwrap();
        assert_eq!(results[0].to_ints().unwrap(), [321]);
        assert_eq!(results[1].to_ints().unwrap(), stacked);
    }
}

#[test]
fn a_call_has_its_own_values() {
    let mut module = Module::new("test");
    let double = module.funcs.push(Function::new("double", false));
    fill_func(&mut module, double, &[s32(&[])], |b, p| vec![b.binary(BinaryOp::Add, p[0], p[0])]);
    fill(&mut module, &[s32(&[])], |b, p| {
        let once = b.op(Op::Call(Call { callee: double }), &[p[0]]);
        vec![b.op(Op::Call(Call { callee: double }), &[once])]
    });
    assert_eq!(run_ints(&module, &[ints(&[], &[5])]), [20]);
}

#[test]
fn endless_recursion_and_endless_loops_end_in_a_diagnostic() {
    let mut module = Module::new("test");
    let entry = module.entry;
    fill(&mut module, &[s32(&[])], |b, p| {
        b.typed(Op::Call(Call { callee: entry }), &[p[0]], &[], &[Type::Tensor(s32(&[]))])
    });
    assert_eq!(run(&module, &[ints(&[], &[5])]).unwrap_err().code, TOO_DEEP);

    let module = support::module(&[s32(&[])], |b, p| {
        vec![count_to(b, p[0], p[0], |b, x, _| b.binary(BinaryOp::Add, x, x))]
    });
    let options = Options { max_steps: 1000, ..Options::default() };
    let error = run_with(&module, &[ints(&[], &[1_000_000])], options).unwrap_err();
    assert_eq!(error.code, TOO_MANY_STEPS);
}

#[test]
fn a_value_beyond_the_limit_is_refused_before_it_is_made() {
    let module = module(&[], |b, _| vec![b.op(Op::Iota(Iota { dim: 0, ty: s32(&[1 << 40]) }), &[])]);
    let error = run(&module, &[]).unwrap_err();
    assert_eq!(error.code, TOO_MANY_BYTES);
    assert!(error.message.starts_with("`iota` `%0`: its results take 8796093022208 bytes"), "{error}");
}

#[test]
fn values_are_given_back_after_their_last_use() {
    let chain = |b: &mut Body, x: ValueId, keep: bool| {
        let mut made = vec![x];
        for _ in 0..20 {
            let last = made[made.len() - 1];
            made.push(b.binary(BinaryOp::Add, last, x));
        }
        if keep { made.split_off(1) } else { made.split_off(20) }
    };
    let inputs = [ints(&[1000], &[1; 1000])];
    let options = Options { max_bytes: 40_000, ..Options::default() };
    let short = module(&[s32(&[1000])], |b, p| chain(b, p[0], false));
    assert_eq!(run_with(&short, &inputs, options).unwrap()[0].to_ints().unwrap()[0], 21);
    let long = module(&[s32(&[1000])], |b, p| chain(b, p[0], true));
    assert_eq!(run_with(&long, &inputs, options).unwrap_err().code, TOO_MANY_BYTES);
    // In a loop the state does not pile up either.
    let looped = module(&[s32(&[1000]), s32(&[])], |b, p| {
        let state = [s32(&[]), s32(&[1000])];
        let condition = b.region(&state, |b, s| vec![b.compare(Direction::Lt, s[0], p[1])]);
        let step = b.region(&state, |b, s| {
            let one = b.int(1);
            vec![b.binary(BinaryOp::Add, s[0], one), b.binary(BinaryOp::Add, s[1], p[0])]
        });
        let zero = b.int(0);
        vec![b.all(Op::Control(Control::While), &[zero, p[0]], &[condition, step])[1]]
    });
    let inputs = [ints(&[1000], &[1; 1000]), ints(&[], &[50])];
    assert_eq!(run_with(&looped, &inputs, options).unwrap()[0].to_ints().unwrap()[0], 51);
}

/// Sum over all devices.
fn sum_all(b: &mut Body, x: ValueId, devices: i64) -> ValueId {
    let region = b.reducer(BinaryOp::Add, DType::S32);
    let op = Collective {
        kind: CollectiveKind::AllReduce,
        groups: Groups::All,
        group_size: devices,
        channel: Channel::default(),
        wide: None,
    };
    b.with(Op::Collective(op), &[x], &[region])
}

fn on_each(values: &[&[i64]]) -> Vec<Vec<meshwright_interp::Tensor>> {
    values.iter().map(|own| own.iter().map(|x| ints(&[], &[*x])).collect()).collect()
}

#[test]
fn devices_leave_a_loop_at_different_times() {
    let module = module(&[s32(&[]), s32(&[])], |b, p| {
        vec![count_to(b, p[0], p[1], |b, x, i| b.binary(BinaryOp::Add, x, i))]
    });
    let results = run_devices(&module, 3, &on_each(&[&[2, 0], &[0, 100], &[3, 1000]])).unwrap();
    let results: Vec<i64> = results.iter().map(|own| own[0].to_ints().unwrap()[0]).collect();
    assert_eq!(results, [3, 100, 1006]);
}

#[test]
fn a_collective_in_a_loop_needs_all_devices() {
    let mut module =
        module(&[s32(&[]), s32(&[])], |b, p| vec![count_to(b, p[0], p[1], |b, x, _| sum_all(b, x, 3))]);
    let results = run_devices(&module, 3, &on_each(&[&[2, 1], &[2, 2], &[2, 3]])).unwrap();
    assert_eq!(results[1][0].to_ints().unwrap(), [18]);

    let source = place(&mut module, 17);
    let entry = module.entry;
    let func = &mut module.funcs[entry];
    let all_reduce =
        func.insts_in_order().into_iter().find(|i| matches!(func.inst(*i).op, Op::Collective(_)));
    meshwright_ir::Editor::new(func).set_source(all_reduce.unwrap(), source);
    let error = run_devices(&module, 3, &on_each(&[&[1, 1], &[2, 2], &[1, 3]])).unwrap_err();
    assert_eq!(error.code, DIVERGED);
    assert!(error.message.ends_with("device 1 waits here, devices 0,2 went another way"), "{error}");
    assert!(error.message.starts_with("`all_reduce` `%"), "{error}");
    assert!(error.place.is_some());
}

#[test]
fn a_collective_in_a_branch_joins_those_of_its_group_that_took_it() {
    let module = module(&[ty(DType::Pred, &[]), s32(&[])], |b, p| {
        let yes = b.region(&[], |b, _| {
            let region = b.reducer(BinaryOp::Add, DType::S32);
            let op = Collective {
                kind: CollectiveKind::AllReduce,
                groups: Groups::List(vec![vec![0, 1], vec![2, 3]]),
                group_size: 2,
                channel: Channel { id: Some(1), kind: 1, use_global_device_ids: true },
                wide: None,
            };
            vec![b.with(Op::Collective(op), &[p[1]], &[region])]
        });
        let no = b.region(&[], |_, _| vec![p[1]]);
        vec![b.with(Op::Control(Control::If), &[p[0]], &[yes, no])]
    });
    let inputs = |takes: [bool; 4]| -> Vec<_> {
        takes.iter().enumerate().map(|(i, take)| vec![pred(*take), ints(&[], &[1 << i])]).collect()
    };
    let results = run_devices(&module, 4, &inputs([true, true, false, false])).unwrap();
    let results: Vec<i64> = results.iter().map(|own| own[0].to_ints().unwrap()[0]).collect();
    assert_eq!(results, [3, 3, 4, 8]);
    let error = run_devices(&module, 4, &inputs([true, false, false, false])).unwrap_err();
    assert_eq!(error.code, DIVERGED);
}

#[test]
fn what_cannot_be_run_says_so() {
    use meshwright_ir::op::foreign::{CustomCall, Foreign};
    let module = module(&[s32(&[])], |b, p| {
        let call = CustomCall {
            target: "lapack_sgesdd_ffi".into(),
            results: vec![Type::Tensor(s32(&[]))],
            has_side_effect: false,
            backend_config: None,
            api_version: None,
            attrs: Default::default(),
            callees: Vec::new(),
        };
        let types = call.results.clone();
        b.typed(Op::Foreign(Foreign::CustomCall(call)), &[p[0]], &[], &types)
    });
    let error = run(&module, &[ints(&[], &[1])]).unwrap_err();
    assert_eq!(error.code, NOT_RUN);
    assert!(error.message.contains("lapack_sgesdd_ffi"), "{error}");
}
