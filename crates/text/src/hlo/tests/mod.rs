//! Whole modules: round trips of every family, dumps of XLA, broken texts.

mod printed;

use super::{parse, parse_with_spans, print};
use meshwright_base::{Diagnostic, SourceText, render};
use meshwright_ir::op::{
    BinaryOp, Collective, CollectiveKind, Control, CustomCall, Foreign, Groups, Movement, ShardingOp,
};
use meshwright_ir::{
    Annotation, At, Donation, Editor, Literal, Module, Op, SourceId, TensorType, Type, same_with_sources,
    verify, verify_with,
};
use std::path::{Path, PathBuf};

fn read(text: &str) -> Module {
    let source = SourceText::new("test.hlo", text);
    parse(&source).unwrap_or_else(|errors| panic!("{}\n{text}", shown(&errors, &source)))
}

fn shown(errors: &[Diagnostic], source: &SourceText) -> String {
    errors.iter().map(|error| render(error, Some(source))).collect()
}

/// Read, verify, print, read again: the same module. Gives the module and its print.
fn round_trip(text: &str) -> (Module, String) {
    let module = read(text);
    if let Err(errors) = verify(&module) {
        panic!("{}\n{text}", shown(&errors, &SourceText::new("test.hlo", text)));
    }
    let printed = print(&module);
    if let Err(difference) = same_with_sources(&module, &read(&printed)) {
        panic!("{difference}\n{printed}");
    }
    (module, printed)
}

/// A module of one computation.
fn entry(body: &str) -> String {
    format!("HloModule m, num_partitions=8\n\n{REDUCERS}\nENTRY main {{\n{body}\n}}\n")
}

const REDUCERS: &str = "add (a: f32[], b: f32[]) -> f32[] {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT c = f32[] add(a, b)
}

less (a: f32[], b: f32[]) -> pred[] {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT c = pred[] compare(a, b), direction=LT, type=TOTALORDER
}

greater_equal (a: f32[], b: f32[]) -> pred[] {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT c = pred[] compare(a, b), direction=GE
}
";

/// Lines over `x: f32[4,6]` that must come back as they are written.
const LINES: &[&str] = &[
    "%r = f32[4,6]{1,0} add(%x, %x)",
    "%r = f32[4,6]{1,0} tanh(%x)",
    "%r = f32[4,6]{1,0} copy(%x)",
    "%r = pred[4,6]{1,0} compare(%x, %x), direction=LT, type=TOTALORDER",
    "%r = f32[4,6]{1,0} clamp(%i, %x, %i)",
    "%r = bf16[4,6]{1,0} convert(%x)",
    "%r = s32[4,6]{1,0} bitcast-convert(%x)",
    "%r = f32[4,6]{1,0} reduce-precision(%x), exponent_bits=8, mantissa_bits=7",
    "%r = f32[4,2,6]{2,1,0} broadcast(%x), dimensions={0,2}",
    "%r = f32[24]{0} reshape(%x)",
    "%r = f32[6,4]{1,0} transpose(%x), dimensions={1,0}",
    "%r = f32[2,2]{1,0} slice(%x), slice={[0:4:2], [1:3]}",
    "%r = f32[5,9]{1,0} pad(%x, %i), padding=0_1x2_1",
    "%r = f32[7,6]{1,0} pad(%x, %i), padding=0_0_1x0_0_0",
    "%r = f32[8,6]{1,0} concatenate(%x, %x), dimensions={0}",
    "%r = f32[4,6]{1,0} reverse(%x), dimensions={1}",
    "%r = f32[2,6]{1,0} dynamic-slice(%x, %k, %k), dynamic_slice_sizes={2,6}",
    "%r = f32[4,6]{1,0} dynamic-update-slice(%x, %x, %k, %k)",
    "%r = s32[4]{0} iota(), iota_dimension=0",
    "%r = f32[4,4]{1,0} dot(%x, %x), lhs_contracting_dims={1}, rhs_contracting_dims={1}, \
     operand_precision={highest,default}",
    "%r = f32[4]{0} dot(%x, %x), lhs_batch_dims={0}, lhs_contracting_dims={1}, rhs_batch_dims={0}, \
     rhs_contracting_dims={1}, algorithm=dot_tf32_tf32_f32",
    "%r = f32[4]{0} reduce(%x, %i), dimensions={1}, to_apply=%add",
    "%r = f32[4,6]{1,0} map(%x, %x), dimensions={0,1}, to_apply=%add",
    "%r = f32[4,5]{1,0} reduce-window(%x, %i), window={size=1x2}, to_apply=%add",
    "%r = f32[2,4]{1,0} reduce-window(%x, %i), window={size=2x2 stride=2x1 pad=0_0x-1_0}, to_apply=%add",
    "%r = f32[4,6]{1,0} select-and-scatter(%x, %x, %i), window={size=1x1}, select=%greater_equal, scatter=%add",
    "%r = f32[4,6]{1,0} sort(%x), dimensions={1}, is_stable=true, to_apply=%less",
    "%r = f32[4,6]{1,0} rng(%i, %i), distribution=rng_uniform",
    "%r = f32[4,6]{1,0} all-reduce(%x), channel_id=1, replica_groups=[2,4]<=[4,2]T(1,0), \
     use_global_device_ids=true, to_apply=%add",
    "%r = f32[8,6]{1,0} all-gather(%x), channel_id=2, replica_groups={{0,1},{2,3},{4,5},{6,7}}, dimensions={0}, \
     use_global_device_ids=true",
    "%r = f32[4,3]{1,0} reduce-scatter(%x), channel_id=3, replica_groups=[4,2]<=[8], dimensions={1}, \
     use_global_device_ids=true, to_apply=%add",
    "%r = f32[4,6]{1,0} all-to-all(%x), channel_id=4, replica_groups=[4,2]<=[8], dimensions={1}",
    "%r = f32[4,6]{1,0} collective-permute(%x), channel_id=5, source_target_pairs={{0,1},{1,0}}",
    "%r = f32[4,6]{1,0} collective-broadcast(%x), channel_id=6, replica_groups={{0,1,2,3,4,5,6,7}}",
    "%r = u32[] partition-id()",
    "%r = u32[] replica-id()",
    "%r = f32[4,6]{1,0} opt-barrier(%x)",
    "%r = f32[4,6]{1,0} custom-call(%x), custom_call_target=\"Sharding\", \
     backend_config=\"unspecified_dims=[0,1]\", sharding={devices=[2,1,4]<=[8] last_tile_dim_replicate}",
    "%r = f32[4,6]{1,0} custom-call(%x), custom_call_target=\"xla.sdy.PropagationBarrier\", \
     frontend_attributes={xla.sdy.allowed_direction=\"1\"}",
    "%r = f32[4,6]{1,0} custom-call(%x), custom_call_target=\"chlo.erfc\"",
    "%r = f32[4,6]{0,1} custom-call(%x), custom_call_target=\"mine\", called_computations={%main.1}, \
     custom_call_has_side_effect=true, operand_layout_constraints={f32[4,6]{0,1}}, \
     output_to_operand_aliasing={{}: (0, {})}, api_version=API_VERSION_TYPED_FFI, backend_config={a = 1 : i64}",
    "%r = f32[4,6]{1,0} custom-call(%x), custom_call_target=\"mine\", backend_config=\"a\\\"b\"",
    "%r = u64[1]{0} rng-get-and-update-state(), delta=3",
    "%r = f32[4,6]{1,0} negate(%x), frontend_attributes={a=\"b\",c={d=\"3\"}}, original_value={{\"x\"}}, \
     metadata={op_type=\"neg\" op_name=\"f/neg\" source_file=\"a.py\" source_line=3 source_end_line=4 \
     source_column=5 source_end_column=6 deduplicated_name=\"n\"}",
    "%r = f32[4,6]{0,1} negate(%x)",
];

#[test]
fn lines_come_back_as_they_are_written() {
    for line in LINES {
        let helper = "main.1 (y: f32[4,6]) -> f32[4,6] {\n  y = f32[4,6] parameter(0)\n  ROOT z = f32[4,6] negate(y)\n}\n";
        let body = format!(
            "  x = f32[4,6] parameter(0)\n  i = f32[] constant(0)\n  k = s32[] constant(1)\n  ROOT {line}"
        );
        let text = entry(&body).replace("\nENTRY", &format!("\n{helper}\nENTRY"));
        let (_, printed) = round_trip(&text);
        assert!(printed.contains(line), "{line}\n{printed}");
    }
}

#[test]
fn several_results_are_taken_apart_and_put_together() {
    for (line, opcode) in [
        ("(f32[4,2], s32[4,2]) topk(x), k=2, largest=true", "topk"),
        (
            "(f32[4,6], f32[6], f32[6]) batch-norm-training(x, s, s), epsilon=0.001, feature_index=1",
            "batch-norm",
        ),
        ("(u64[2], u32[4]) rng-bit-generator(u), algorithm=rng_three_fry", "rng-bit-generator"),
        ("(f32[4,6], f32[4,6]) custom-call(x), custom_call_target=\"two\"", "custom-call"),
        ("((f32[4,6]), f32[]) custom-call(x), custom_call_target=\"nested\"", "custom-call"),
        ("(f32[4,6], f32[4,6]) opt-barrier(t)", "opt-barrier"),
        ("(f32[4,6], f32[4,6]) all-to-all(x, x), replica_groups={{0,1},{2,3},{4,5},{6,7}}", "all-to-all"),
        ("(f32[4,6], f32[4,6]) copy(t)", "copy"),
        ("(f32[4,6], f32[4,6]) collective-permute(x, x), source_target_pairs={{0,1}}", "collective-permute"),
    ] {
        let body = format!(
            "  x = f32[4,6] parameter(0)\n  s = f32[6] parameter(1)\n  u = u64[2] parameter(2)\n  \
             t = (f32[4,6], f32[4,6]) tuple(x, x)\n  m = {line}\n  ROOT r = {} tuple(m)",
            format_args!("({})", line.split_once(&format!(" {opcode}")).unwrap().0)
        );
        let (module, printed) = round_trip(&entry(&body));
        assert!(module.main().results.len() >= 2, "{printed}");
        assert!(printed.contains(opcode), "{printed}");
    }
}

#[test]
fn calls_of_foreign_numerics_survive() {
    for line in [
        "c64[4,6] fft(c), fft_type=FFT, fft_length={6}",
        "f32[4,4] cholesky(q), lower=true",
        "f32[4,6] triangular-solve(q, x), left_side=true, lower=true, transpose_a=NO_TRANSPOSE",
        "f32[4,6] batch-norm-inference(x, s, s, s, s), epsilon=0.001, feature_index=1",
        "f32[1,4,6,8] convolution(img, ker), window={size=3x3 pad=1_1x1_1 rhs_reversal=1x0}, \
         dim_labels=b01f_01io->b01f, feature_group_count=2",
        "f32[4,3] gather(x, idx), offset_dims={0}, collapsed_slice_dims={1}, start_index_map={1}, \
         index_vector_dim=1, slice_sizes={4,1}, indices_are_sorted=true",
        "f32[4,6] scatter(x, idx, upd), update_window_dims={0}, inserted_window_dims={1}, \
         scatter_dims_to_operand_dims={1}, index_vector_dim=1, unique_indices=true, to_apply=add",
    ] {
        let body = format!(
            "  x = f32[4,6] parameter(0)\n  c = c64[4,6] parameter(1)\n  q = f32[4,4] parameter(2)\n  \
             s = f32[6] parameter(3)\n  img = f32[1,4,6,4] parameter(4)\n  ker = f32[3,3,2,8] parameter(5)\n  \
             idx = s32[3] parameter(6)\n  upd = f32[4,3] parameter(7)\n  ROOT r = {line}"
        );
        round_trip(&entry(&body));
    }
}

#[test]
fn a_loop_over_a_tuple_becomes_a_loop_over_values() {
    let (module, printed) = round_trip(
        "HloModule loop

cond (s: (s32[], f32[4])) -> pred[] {
  s = (s32[], f32[4]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  n = s32[] constant(10)
  ROOT lt = pred[] compare(i, n), direction=LT
}

body (s: (s32[], f32[4])) -> (s32[], f32[4]) {
  s = (s32[], f32[4]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  one = s32[] constant(1)
  next = s32[] add(i, one)
  x = f32[4] get-tuple-element(s), index=1
  y = f32[4] multiply(x, x)
  ROOT t = (s32[], f32[4]) tuple(next, y)
}

ENTRY main {
  x = f32[4] parameter(0)
  zero = s32[] constant(0)
  init = (s32[], f32[4]) tuple(zero, x)
  loop = (s32[], f32[4]) while(init), condition=cond, body=body
  ROOT out = f32[4] get-tuple-element(loop), index=1
}
",
    );
    let main = module.main();
    let inst =
        main.block(main.root()).insts.iter().find(|inst| !main.inst(**inst).regions.is_empty()).unwrap();
    let inst = main.inst(*inst);
    assert_eq!(inst.op, Op::Control(Control::While));
    assert_eq!((inst.operands.len(), inst.results.len()), (2, 2));
    assert_eq!(main.block(inst.regions[1]).name.as_deref(), Some("body"));
    assert!(printed.contains("ROOT %out = f32[4]{0} get-tuple-element(%loop), index=1"), "{printed}");
}

#[test]
fn a_branch_uses_its_operands_values_directly() {
    let text = "HloModule branches

double {
  a = f32[] parameter(0)
  ROOT r = f32[] add(a, a)
}

first {
  p = (f32[], f32[]) parameter(0)
  ROOT r = f32[] get-tuple-element(p), index=0
}

nothing {
  e = () parameter(0)
  ROOT r = f32[] constant(7)
}

ENTRY main {
  i = s32[] parameter(0)
  x = f32[] parameter(1)
  p = pred[] parameter(2)
  t = (f32[], f32[]) tuple(x, x)
  e = () tuple()
  c = f32[] conditional(i, x, t, e), branch_computations={double, first, nothing}
  ROOT d = f32[] conditional(p, c, e), true_computation=double, false_computation=nothing
}
";
    let (module, printed) = round_trip(text);
    let main = module.main();
    let ops: Vec<_> = main.block(main.root()).insts.iter().map(|inst| &main.inst(*inst).op).collect();
    assert_eq!(ops, [&Op::Control(Control::Case), &Op::Control(Control::If)]);
    assert!(printed.contains("branch_computations={%double, %first, %nothing}"), "{printed}");
    assert_eq!(printed.matches("\n%nothing ").count(), 1, "equal regions of one name stand once: {printed}");
}

#[test]
fn a_loop_that_uses_values_from_outside_carries_them() {
    let mut module = read(
        "HloModule m\n\nc {\n  s = f32[] parameter(0)\n  k = f32[] constant(3)\n  ROOT r = pred[] compare(s, k), direction=LT\n}\n\n\
         b {\n  s = f32[] parameter(0)\n  ROOT r = f32[] add(s, s)\n}\n\n\
         ENTRY main {\n  x = f32[] parameter(0)\n  y = f32[] parameter(1)\n  ROOT w = f32[] while(x), condition=c, body=b\n}\n",
    );
    let entry = module.entry;
    let func = &mut module.funcs[entry];
    let outside = func.param_values()[1];
    let body = func.block(func.root()).insts.last().map(|inst| func.inst(*inst).regions[1]).unwrap();
    let add = func.block(body).insts[0];
    Editor::new(func).set_operand(add, 1, outside);
    let printed = print(&module);
    let again = read(&printed);
    verify(&again).unwrap_or_else(|_| panic!("{printed}"));
    assert!(printed.contains("while(%tuple.1)"), "{printed}");
    assert!(printed.contains("ROOT %w = f32[] get-tuple-element(%while.1), index=0"), "{printed}");
}

#[test]
fn a_reducer_that_uses_a_constant_from_outside_gets_its_own() {
    let mut module = read(&entry(
        "  x = f32[4,6] parameter(0)\n  i = f32[] constant(0)\n  ROOT r = f32[4] reduce(x, i), dimensions={1}, to_apply=add",
    ));
    let id = module.entry;
    let func = &mut module.funcs[id];
    let (constant, reduce) = (func.block(func.root()).insts[0], func.block(func.root()).insts[1]);
    let value = func.inst(constant).results[0];
    let add = func.block(func.inst(reduce).regions[0]).insts[0];
    Editor::new(func).set_operand(add, 1, value);
    verify(&read(&print(&module))).unwrap_or_else(|_| panic!("{}", print(&module)));
}

#[test]
fn regions_on_scalars_that_use_values_from_outside_get_them_as_operands() {
    for line in [
        "f32[4] reduce(x, i), dimensions={1}, to_apply=add",
        "f32[4,6] map(x, x), dimensions={0,1}, to_apply=add",
        "f32[4,5] reduce-window(x, i), window={size=1x2}, to_apply=add",
        "f32[4,6] sort(x), dimensions={1}, to_apply=less",
    ] {
        let body = format!("  x = f32[4,6] parameter(0)\n  i = f32[] parameter(1)\n  ROOT r = {line}");
        let mut module = read(&entry(&body));
        let id = module.entry;
        let func = &mut module.funcs[id];
        let outside = func.param_values()[1];
        let region = func.block(func.root()).insts.last().map(|inst| func.inst(*inst).regions[0]).unwrap();
        let inst = func.block(region).insts[0];
        Editor::new(func).set_operand(inst, 1, outside);
        verify(&module).unwrap();
        let printed = print(&module);
        verify(&read(&printed)).unwrap_or_else(|errors| panic!("{}\n{printed}", errors[0]));
    }
}

#[test]
fn starts_and_dones_are_one_op() {
    let text = entry(
        "  x = f32[4,6] parameter(0)
  s = (f32[4,6], f32[8,6]) all-gather-start(x), channel_id=1, replica_groups=[4,2]<=[8], dimensions={0}, use_global_device_ids=true
  g = f32[8,6] all-gather-done(s)
  rs = f32[8,6] all-reduce-start(g), channel_id=2, replica_groups=[1,8]<=[8], use_global_device_ids=true, to_apply=add
  rd = f32[8,6] all-reduce-done(rs)
  ps = (f32[8,6], f32[8,6], u32[], u32[]) collective-permute-start(rd), channel_id=3, source_target_pairs={{0,1}}
  pd = f32[8,6] collective-permute-done(ps)
  as = ((f32[8,6]), f32[8,6], s32[]) async-start(pd), calls=wrapped
  au = ((f32[8,6]), f32[8,6], s32[]) async-update(as)
  ad = f32[8,6] async-done(au)
  cs = ((f32[8,6]), f32[8,6], s32[]) custom-call-start(ad), custom_call_target=\"mine\", async_execution_thread=\"host\"
  cd = f32[8,6] custom-call-done(cs)
  ys = (f32[8,6], f32[8,6], u32[]) copy-start(cd)
  ROOT yd = f32[8,6] copy-done(ys)",
    );
    let text = text.replace(
        "\nENTRY",
        "\nwrapped {\n  w = f32[8,6] parameter(0)\n  ROOT v = f32[8,6] negate(w)\n}\n\nENTRY",
    );
    let (module, printed) = round_trip(&text);
    assert_eq!(module.main().block(module.main().root()).insts.len(), 6, "{printed}");
    assert!(!printed.contains("-start"), "{printed}");
    assert!(printed.contains("%g = f32[8,6]{1,0} all-gather(%x)"), "{printed}");
}

#[test]
fn tokens_infeeds_and_transfers_keep_their_order() {
    round_trip(&entry(
        "  k = token[] after-all()
  x = f32[4] parameter(0)
  s = (f32[4], u32[], token[]) send(x, k), channel_id=3, is_host_transfer=true, frontend_attributes={a=\"b\"}
  sd = token[] send-done(s), channel_id=3, is_host_transfer=true
  r = (f32[4], u32[], token[]) recv(sd), channel_id=4, is_host_transfer=true
  rd = (f32[4], token[]) recv-done(r), channel_id=4, is_host_transfer=true
  rk = token[] get-tuple-element(rd), index=1
  i = ((f32[4], s32[]), token[]) infeed(rk), infeed_config=\"abc\"
  d = (f32[4], s32[]) get-tuple-element(i), index=0
  j = s32[] get-tuple-element(d), index=1
  ik = token[] get-tuple-element(i), index=1
  o = token[] outfeed(x, ik), outfeed_config=\"hi\", outfeed_shape=f32[4]{0}
  dep = f32[4] add-dependency(x, o)
  ROOT rr = (f32[4], s32[], f32[4]) tuple(d0, j, dep)"
            .replace("tuple(d0", "tuple(rx")
            .replace("  rk =", "  rx = f32[4] get-tuple-element(rd), index=0\n  rk =")
            .as_str(),
    ));
}

#[test]
fn called_computations_are_functions_and_composites_keep_their_fields() {
    let (module, printed) = round_trip(
        "HloModule m\n\nf {\n  a = f32[] parameter(0)\n  ROOT r = (f32[], f32[]) tuple(a, a)\n}\n\n\
         g {\n  a = f32[] parameter(0)\n  ROOT r = f32[] negate(a)\n}\n\n\
         ENTRY main {\n  x = f32[] parameter(0)\n  c = (f32[], f32[]) call(x), to_apply=f\n  \
         y = f32[] get-tuple-element(c), index=1\n  \
         ROOT d = f32[] call(y), to_apply=g, is_composite=true, frontend_attributes={composite.attributes={n = 1 : i64, s = \"t\"},composite.name=\"foo.bar\",composite.version=\"2\"}\n}\n",
    );
    assert_eq!(module.funcs.len(), 3);
    assert!(printed.contains("composite.attributes={n = 1 : i64, s = \"t\"}"), "{printed}");
}

#[test]
fn groups_over_mesh_axes_share_one_mesh() {
    let all_reduce = |name: &str, from: &str, groups: &str| {
        format!(
            "  {name} = f32[4] all-reduce({from}), channel_id=1, replica_groups={groups}, use_global_device_ids=true, to_apply=add\n"
        )
    };
    let body = [
        "  x = f32[4] parameter(0)\n".to_string(),
        all_reduce("a", "x", "mesh['p'=2,'q'=4] {'p'}"),
        all_reduce("b", "a", "mesh['p'=2,'q'=4] {'q':(2)2}"),
        all_reduce("ROOT c", "b", "mesh['p'=2,'q'=4], device_ids=([4,2]T(1,0)) {'p','q'}"),
    ];
    let (module, printed) = round_trip(&entry(&body.concat()));
    assert_eq!(module.meshes.len(), 2);
    assert!(printed.contains("replica_groups=mesh['p'=2,'q'=4] {'q':(2)2}"), "{printed}");
    assert!(printed.contains("device_ids=([4,2]T(1,0)) {'p','q'}"), "{printed}");
    let sizes: Vec<_> = collectives(&module).map(|collective| collective.group_size).collect();
    assert_eq!(sizes, [2, 2, 8]);
}

fn collectives(module: &Module) -> impl Iterator<Item = &Collective> {
    let main = module.main();
    main.insts_in_order().into_iter().filter_map(move |inst| match &main.inst(inst).op {
        Op::Collective(collective) => Some(collective),
        _ => None,
    })
}

#[test]
fn the_header_and_the_entrys_edges_survive() {
    let text = "HloModule m, is_scheduled=true, input_output_alias={ {0}: (1, {}, must-alias) }, \
        buffer_donor={ (0, {}) }, entry_computation_layout={(f32[2,3]{0,1}, f32[4]{0})->(f32[4]{0}, f32[2,3]{1,0})}, \
        allow_spmd_sharding_propagation_to_output={true,false}, replica_count=2, num_partitions=4\n\n\
        ENTRY main {\n  a = f32[2,3] parameter(0), sharding={devices=[2,1,2]<=[4] last_tile_dim_replicate}, metadata={op_name=\"p['x']\"}\n  \
        b = f32[4] parameter(1)\n  \
        ROOT t = (f32[4], f32[2,3]) tuple(b, a), sharding={{replicated}, {devices=[2,2]<=[4]}}\n}\n";
    let (module, printed) = round_trip(text);
    assert_eq!((module.num_replicas, module.num_partitions), (Some(2), Some(4)));
    let main = module.main();
    assert_eq!(main.params[0].donation, Some(Donation::Donor));
    assert_eq!(main.params[1].donation, Some(Donation::Alias { result: 0, must: true }));
    assert!(main.results.iter().all(|result| matches!(result.sharding, Some(Annotation::Hlo(_)))));
    for part in text.lines().next().unwrap().split(", ").skip(1) {
        assert!(printed.contains(part.trim()), "{part}\n{printed}");
    }
}

#[test]
fn tuples_at_the_entry_nest_as_before() {
    let (module, printed) = round_trip(
        "HloModule m, input_output_alias={ {0,1}: (0, {1}, may-alias) }\n\nENTRY main {\n  \
         p = (f32[2], (f32[3])) parameter(0)\n  x = f32[2] get-tuple-element(p), index=0\n  \
         i = (f32[3]) get-tuple-element(p), index=1\n  y = f32[3] get-tuple-element(i), index=0\n  \
         q = (f32[3], f32[2]) tuple(y, x)\n  ROOT r = ((f32[3], f32[2])) tuple(q)\n}\n"
            .replace("(0, {1}, may-alias)", "(0, {0}, may-alias)")
            .as_str(),
    );
    assert_eq!((module.main().params.len(), module.main().results.len()), (2, 2));
    assert!(
        printed.contains("entry_computation_layout={((f32[2]{0}, (f32[3]{0})))->((f32[3]{0}, f32[2]{0}))}"),
        "{printed}"
    );
    assert!(printed.contains("input_output_alias={ {0,1}: (0, {0}, may-alias) }"), "{printed}");
}

#[test]
fn stack_frames_are_resolved_and_printed_back() {
    let text = "HloModule m\n\nFileNames\n1 \"a.py\"\n2 \"b.py\"\n\nFunctionNames\n1 \"main\"\n2 \"step\"\n\n\
        FileLocations\n1 {file_name_id=1 function_name_id=1 line=9 end_line=9 column=1 end_column=2}\n\
        2 {file_name_id=2 function_name_id=2 line=4 end_line=5 column=3 end_column=8}\n\n\
        StackFrames\n1 {file_location_id=1 parent_frame_id=1}\n2 {file_location_id=2 parent_frame_id=2}\n\n\
        ENTRY main {\n  x = f32[] parameter(0)\n  ROOT r = f32[] negate(x), metadata={op_name=\"neg\" stack_frame_id=2}\n}\n";
    let (module, printed) = round_trip(text);
    let main = module.main();
    let source = &module.sources[main.inst(main.block(main.root()).insts[0]).source];
    let frames: Vec<_> = source.frames.iter().map(|frame| (&*frame.file, frame.line)).collect();
    assert_eq!(frames, [("b.py", 4), ("a.py", 9)], "innermost first");
    assert!(printed.contains("2 {file_location_id=2 parent_frame_id=2}"), "{printed}");
}

#[test]
fn a_large_splat_is_printed_as_a_broadcast_and_a_stretch_by_a_reshape() {
    let mut module = Module::new("m");
    let func = &mut module.funcs[module.entry];
    let mut editor = Editor::new(func);
    let root = editor.func().root();
    let large = Type::tensor(meshwright_ir::DType::F32, [2000]);
    let small = editor.param(root, Type::tensor(meshwright_ir::DType::F32, [1, 3]));
    let literal = Literal::splat_int(TensorType::new(meshwright_ir::DType::F32, [2000]), 2);
    let constant = Op::Constant(meshwright_ir::op::Constant(literal));
    let splat = editor.push_typed(At::End(root), constant, vec![], vec![], vec![large], SourceId::unknown());
    let broadcast = meshwright_ir::op::Broadcast { dims: vec![0, 1], shape: vec![2, 3] };
    let stretch = editor.push_typed(
        At::End(root),
        Op::Movement(Movement::Broadcast(broadcast)),
        vec![small],
        vec![],
        vec![Type::tensor(meshwright_ir::DType::F32, [2, 3])],
        SourceId::unknown(),
    );
    let results = [splat, stretch].map(|inst| editor.func().inst(inst).results[0]).to_vec();
    editor.set_results(root, results);
    let printed = print(&module);
    assert!(printed.contains("f32[2000]{0} broadcast(%constant.1), dimensions={}"), "{printed}");
    assert!(printed.contains("%reshape.1 = f32[3]{0} reshape(%param.1)"), "{printed}");
    verify(&read(&printed)).unwrap_or_else(|_| panic!("{printed}"));
}

#[test]
fn manual_boundaries_and_known_targets_are_read_as_what_they_mean() {
    let (module, _) = round_trip(&entry(
        "  x = f32[8] parameter(0)
  s = f32[1] custom-call(x), custom_call_target=\"SPMDFullToShardShape\", sharding={manual}
  h = u32[1] custom-call(s), custom_call_target=\"mine\"
  n = s32[] get-dimension-size(x), dimensions={0}
  m = u32[1] mulhi(h, h)
  ROOT f = f32[8] custom-call(s), custom_call_target=\"SPMDShardToFullShape\", sharding={devices=[8]<=[8]}",
    ));
    let main = module.main();
    let ops: Vec<_> = main.insts_in_order().into_iter().map(|inst| main.inst(inst).op.clone()).collect();
    assert_eq!(ops[0], Op::Sharding(ShardingOp::FullToShard { unspecified: vec![], shape: vec![1] }));
    assert!(
        matches!(&ops[1], Op::Foreign(Foreign::CustomCall(CustomCall { target, .. })) if target == "mine")
    );
    assert!(matches!(&ops[2], Op::Constant(constant) if constant.0.as_int() == Some(8)));
    assert!(ops.contains(&Op::Binary(BinaryOp::ShiftRightLogical)));
}

#[test]
fn a_bitcast_between_layouts_moves_elements() {
    let (module, _) = round_trip(&entry(
        "  x = f32[4,6] parameter(0)\n  c = f32[4,6]{0,1} copy(x)\n  ROOT b = f32[6,4]{1,0} bitcast(c)",
    ));
    let main = module.main();
    let last = main.block(main.root()).insts.last().map(|inst| &main.inst(*inst).op);
    assert!(matches!(last, Some(Op::Movement(Movement::Transpose(_)))), "{last:?}");
}

fn errors(text: &str) -> Vec<Diagnostic> {
    let source = SourceText::new("test.hlo", text);
    parse(&source).map(|_| panic!("this reads:\n{text}")).unwrap_err()
}

fn messages(text: &str) -> Vec<String> {
    let errors = errors(text);
    assert!(errors.iter().all(|error| error.place.is_some()), "{errors:?}");
    errors.into_iter().map(|error| error.message).collect()
}

#[test]
fn every_wrong_line_is_told_once_and_reading_goes_on() {
    let found = messages(&entry(
        "  x = f32[4,6] parameter(0)
  a = f32[4,6] ad(x, x)
  b = f32[4,6] negate(a)
  c = f32[4,6] negate(nowhere)
  d = f32[2] constant({1, 2, 3})
  e = f32[4,6] negate(x), dimensions={0}
  f = f32[4,<=6] negate(x)
  g = f32[4,6] compare(x, x)
  h = f32[2] constant({...})
  i = f32[] get-tuple-element(x), index=0
  x = f32[4,6] negate(x)
  j = f32[4,6] ragged-all-to-all(x, x)
  k = f32[4,6] negate(x), sharding={devices=[2,x]}
  ROOT r = (f32[4,6]) tuple(x, x)",
    ));
    let expected = [
        "dim 1 has a dynamic size; shapes must be static here",
        "unknown opcode `ad`",
        "`nowhere` is used, but nothing above in its computation defines it",
        "dim 0 has size 2, but 3 parts are given for `f32[2]`",
        "`negate` has no attribute `dimensions`",
        "`compare` needs the attribute `direction`",
        "the elements of this constant were left out of the dump",
        "the operand is not a tuple with an element 0",
        "`x` is defined twice",
        "`ragged-all-to-all` is not supported",
    ];
    assert_eq!(found[..10], expected, "{found:#?}");
    assert_eq!(
        found.last().unwrap(),
        "`r` is declared as (f32[4,6]), but its operands give (f32[4,6], f32[4,6])"
    );
    assert_eq!(found.len(), 12, "{found:#?}");
}

#[test]
fn reading_stops_after_fifty_diagnostics() {
    let lines = |count: usize| (0..count).map(|i| format!("  a{i} = f32[] nega(x)\n")).collect::<String>();
    let text =
        |count| entry(&format!("  x = f32[] parameter(0)\n{}  ROOT r = f32[] negate(x)", lines(count)));
    assert_eq!(messages(&text(49)).len(), 49);
    assert_eq!(messages(&text(60)).len(), 50);
}

#[test]
fn a_header_field_is_reported_once() {
    let text = "HloModule m, num_partitions=two\n\nENTRY main {\n  ROOT x = f32[] parameter(0)\n}\n";
    assert_eq!(messages(text), ["expected an integer, found `two`"]);
}

#[test]
fn broken_texts_are_refused_without_panic() {
    let good = entry("  x = f32[4,6] parameter(0)\n  ROOT r = f32[4,6] negate(x), metadata={op_name=\"a\"}");
    for end in (0..good.len()).filter(|end| good.is_char_boundary(*end)) {
        let _ = parse(&SourceText::new("cut", &good[..end]));
        let cut = format!("{}{}", &good[..end], &good[(end + 1).min(good.len())..]);
        let _ = parse(&SourceText::new("hole", cut));
    }
    assert_eq!(messages(""), ["expected `HloModule`, but the text ends here"]);
    assert_eq!(messages("HloModule m"), ["expected a computation, but the text ends here"]);
    assert!(!messages("\u{0}\u{1}garbage \u{fffd}{{{").is_empty());
    assert!(!messages(&"(".repeat(100_000)).is_empty());
    let deep = format!("  x = f32[] parameter(0)\n  ROOT r = {}", "(".repeat(100_000));
    assert!(messages(&entry(&deep)).iter().any(|message| message.contains("nest deeper")));
    let nested = format!("  ROOT r = f32[1] constant({}", "{".repeat(100_000));
    assert!(!messages(&entry(&nested)).is_empty());
}

#[test]
fn computations_that_contain_themselves_or_explode_are_refused() {
    let own = "HloModule m\n\nf {\n  a = f32[] parameter(0)\n  ROOT r = f32[] call(a), to_apply=f\n}\n\n\
        ENTRY main {\n  x = f32[] parameter(0)\n  ROOT c = f32[] call(x), to_apply=f\n}\n";
    assert_eq!(messages(own), ["computation `f` contains itself"]);

    let mut chain =
        String::from("HloModule m\n\nc0 {\n  a = f32[] parameter(0)\n  ROOT r = f32[] negate(a)\n}\n");
    for i in 1..60 {
        chain += &format!(
            "\nc{i} {{\n  a = f32[] parameter(0)\n  b = f32[] fusion(a), kind=kLoop, calls=c{0}\n  ROOT r = f32[] fusion(b), kind=kLoop, calls=c{0}\n}}\n",
            i - 1
        );
    }
    chain +=
        "\nENTRY main {\n  x = f32[] parameter(0)\n  ROOT r = f32[] fusion(x), kind=kLoop, calls=c59\n}\n";
    let found = messages(&chain);
    assert!(found[0].contains("too large when written out"), "{found:?}");

    let mut calls = String::from("HloModule m\n\nc0 {\n  ROOT a = f32[] parameter(0)\n}\n");
    for i in 1..70 {
        calls += &format!(
            "\nc{i} {{\n  a = f32[] parameter(0)\n  ROOT r = f32[] call(a), to_apply=c{}\n}}\n",
            i - 1
        );
    }
    calls += "\nENTRY main {\n  x = f32[] parameter(0)\n  ROOT r = f32[] call(x), to_apply=c69\n}\n";
    assert_eq!(messages(&calls), ["computations nest deeper than 64 levels"]);

    let mut tuples = String::from("  x = f32[] parameter(0)\n  t0 = (f32[], f32[]) tuple(x, x)\n");
    (1..60).for_each(|i| tuples += &format!("  t{i} = tuple(t{0}, t{0})\n", i - 1));
    assert!(!messages(&entry(&tuples)).is_empty());

    let mut nested = String::from("  t0 = f32[] parameter(0)\n");
    (1..70).for_each(|i| nested += &format!("  t{i} = tuple(t{})\n", i - 1));
    assert_eq!(messages(&entry(&nested)), ["tuples nest deeper than 64 levels"]);
}

#[test]
fn a_wrong_shape_is_pointed_at_by_the_verifier() {
    let text = entry("  x = f32[4,6] parameter(0)\n  ROOT bad = f32[4,5] negate(x)");
    let source = SourceText::new("test.hlo", &text);
    let (module, spans) = parse_with_spans(&source).unwrap();
    let errors = verify_with(&module, &|func, inst| spans.get(func)?.get(inst).copied()).unwrap_err();
    let shown = shown(&errors, &source);
    assert!(shown.contains("ROOT bad = f32[4,5] negate(x)"), "{shown}");
}

#[test]
fn dynamic_slices_of_old_texts_are_refused_with_a_way_out() {
    let text = entry(
        "  x = f32[4,6] parameter(0)\n  i = s32[2] parameter(1)\n  ROOT r = f32[2,6] dynamic-slice(x, i), dynamic_slice_sizes={2,6}",
    );
    assert_eq!(messages(&text), ["start indices must be scalars, one for each dim"]);
}

/// Every HLO text below a folder.
fn hlo_files(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    let mut paths: Vec<_> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    paths.sort();
    let inside = |path: &PathBuf| if path.is_dir() { hlo_files(path) } else { vec![path.clone()] };
    let files = paths.iter().flat_map(inside);
    files.filter(|path| path.extension().is_some_and(|ending| ending == "hlo")).collect()
}

#[test]
fn golden_modules_read_print_and_read_back() {
    let golden = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/golden");
    for path in hlo_files(&golden) {
        let Ok(text) = std::fs::read_to_string(&path) else { continue };
        let source = SourceText::new(path.to_string_lossy(), text);
        let module = parse(&source).unwrap_or_else(|errors| panic!("{}", shown(&errors, &source)));
        if let Err(errors) = verify(&module) {
            panic!("{}", shown(&errors, &source));
        }
        let printed = SourceText::new("printed", print(&module));
        let again = parse(&printed).unwrap_or_else(|errors| panic!("{}", shown(&errors, &printed)));
        if let Err(difference) = same_with_sources(&module, &again) {
            panic!("{}: {difference}", path.display());
        }
    }
}

#[test]
fn explicit_groups_may_be_uneven_and_empty_ones_mean_all() {
    let (module, _) = round_trip(&entry(
        "  x = f32[4] parameter(0)\n  a = f32[4] all-reduce(x), replica_groups={{0,1,2},{3,-1,-1}}, to_apply=add\n  \
         ROOT b = f32[4] all-reduce(a), replica_groups={}, to_apply=add",
    ));
    let groups: Vec<_> = collectives(&module).map(|collective| collective.groups.clone()).collect();
    assert_eq!(groups, [Groups::List(vec![vec![0, 1, 2], vec![3]]), Groups::All]);
    assert!(collectives(&module).all(|collective| collective.kind == CollectiveKind::AllReduce));
}

#[test]
fn names_that_xla_would_not_read_are_refused() {
    let text = "HloModule m\n\nENTRY %main (a: f32[]) -> f32[] {\n  %a = f32[] parameter(0)\n  ROOT %b = f32[] negate(%a)\n}\n";
    assert!(parse(&SourceText::new("t", text)).is_ok());
    for (from, to, expected) in [
        ("%main", "4", "`4` is no name: names begin with a letter or `_`"),
        ("%b", "%-b", "`-b` is no name: names begin with a letter or `_`"),
        ("HloModule m", "HloModule 1.m", "`1.m` is no name: names begin with a letter or `_`"),
    ] {
        let errors = parse(&SourceText::new("t", text.replace(from, to))).unwrap_err();
        assert_eq!(errors[0].message, expected);
    }
}

#[test]
fn a_frontend_attribute_that_is_no_attribute_of_mlir_is_a_string() {
    let text = |value: &str| {
        entry(&format!(
            "  a = f32[] parameter(0)\n  ROOT b = f32[] negate(a), frontend_attributes={{x={value}}}"
        ))
    };
    for (value, is_string) in [
        ("\"s\"", true),
        ("{m = #sdy.mesh<[\"x\"=4]>}", false),
        ("{\"json\": [1, 2]}", true),
        ("\"cut\" behind", true),
        ("{\"two\nlines\"}", true),
    ] {
        let (module, _) = round_trip(&text(value));
        let stablehlo = crate::stablehlo::print(&module);
        let again = crate::stablehlo::parse(&SourceText::new("t", stablehlo.as_str()));
        let again = again.unwrap_or_else(|errors| panic!("{}", errors[0].message));
        assert_eq!(crate::stablehlo::print(&again), stablehlo);
        assert_eq!(stablehlo.contains("x = \""), is_string, "{stablehlo}");
    }
}

#[test]
fn kept_attributes_of_mlir_that_hlo_cannot_hold_become_strings() {
    let text = "module {\n  func.func public @main(%a: tensor<f32>) -> tensor<f32> {\n    %0 = stablehlo.negate %a \
                {mhlo.frontend_attributes = {x = array<i32: 1, 2>}} : tensor<f32>\n    return %0 : tensor<f32>\n  }\n}\n";
    let module = crate::stablehlo::parse(&SourceText::new("t", text)).unwrap();
    let printed = print(&module);
    assert!(printed.contains("x=\"array<i32: 1, 2>\""), "{printed}");
    assert_eq!(print(&read(&printed)), printed);
}

#[test]
fn computations_that_nobody_calls_are_kept() {
    let unused = "HloModule m\n\n%b (x: f32[]) -> f32[] {\n  %x = f32[] parameter(0)\n  ROOT %y = f32[] sine(%x)\n}\n\n\
                  %a (x: f32[]) -> f32[] {\n  %x = f32[] parameter(0)\n  ROOT %y = f32[] call(%x), to_apply=%b\n}\n\n\
                  ENTRY %main (x: f32[]) -> f32[] {\n  %x = f32[] parameter(0)\n  ROOT %y = f32[] cosine(%x)\n}\n";
    let (module, printed) = round_trip(unused);
    assert_eq!(module.funcs.len(), 3);
    assert_eq!(print(&read(&printed)), printed);
    let stablehlo = crate::stablehlo::print(&module);
    let module = crate::stablehlo::parse(&SourceText::new("t", stablehlo)).unwrap();
    assert_eq!(print(&module), printed);
    let errors = parse(&SourceText::new("t", unused.replace("%b (x", "%a (x"))).unwrap_err();
    assert_eq!(errors[0].message, "computation `a` is defined twice");
}

#[test]
fn a_computation_may_be_a_region_here_and_called_there() {
    let (module, printed) = round_trip(&entry(
        "  a = f32[4] parameter(0)\n  z = f32[] constant(0)\n  r = f32[] reduce(a, z), dimensions={0}, to_apply=add\n  \
         ROOT c = f32[] call(r, z), to_apply=add",
    ));
    assert_eq!(printed.matches("%add (").count(), 1, "{printed}");
    assert_eq!(module.funcs.len(), 4);
}

#[test]
fn a_place_without_a_file_stays_a_place() {
    let text = entry(
        "  a = f32[] parameter(0)\n  b = f32[] negate(a), metadata={stack_frame_id=1}\n  \
         ROOT c = f32[] negate(b), metadata={source_line=3}",
    );
    let tables =
        "FileLocations\n1 {file_name_id=7}\n\nStackFrames\n1 {file_location_id=1 parent_frame_id=1}\n\n";
    let (_, printed) = round_trip(&text.replacen("\n\n", &format!("\n\n{tables}"), 1));
    assert_eq!(print(&read(&printed)), printed);
}
