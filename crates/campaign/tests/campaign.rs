//! A small campaign, and proof that it would notice.

use meshwright_base::SourceText;
use meshwright_campaign::check::Passed;
use meshwright_campaign::{Case, Failure, Table, case, check_with, faults, filetest, hunt, run, shrink_by};
use meshwright_compile::{Options, StopAfter, Unobserved, plan};
use meshwright_text::stablehlo;
use std::collections::BTreeSet;

#[test]
fn partitioned_programs_compute_what_the_whole_ones_do() {
    let summary = run(1, 0..150, |_| ());
    let failed: Vec<String> = summary
        .failed
        .iter()
        .map(|failed| format!("case {}: {}", failed.number, failed.failure.message))
        .collect();
    assert_eq!(failed, Vec::<String>::new());
    assert_eq!((summary.cases, summary.failures()), (150, 0));
    assert!(summary.table.rows.len() > 30, "{}", summary.table.to_text());
}

#[test]
fn exact_programs_compute_whole_numbers_and_all_stay_finite() {
    for number in 0..300 {
        let case = case(3, number);
        let inputs = meshwright_campaign::check::inputs(&case).expect("inputs");
        for result in meshwright_interp::run_global(&case.module, &inputs).expect("a run") {
            let floats = result.to_f64s();
            assert!(floats.iter().all(|x| x.is_finite()), "case {number}");
            assert!(!case.exact || floats.iter().all(|x| x.fract() == 0.0), "case {number}");
        }
    }
}

#[test]
fn ranges_can_be_run_apart_and_joined() {
    let whole = run(2, 0..40, |_| ());
    let joined = run(2, 20..40, |_| ()).merge(run(2, 0..20, |_| ()));
    assert_eq!(whole.table, joined.table);
    assert_eq!((whole.cases, whole.failed), (joined.cases, joined.failed));
}

#[test]
fn faults_have_names_of_their_own() {
    let all = faults();
    assert!(all.len() >= 20);
    assert_eq!(all.iter().map(|fault| fault.name).collect::<BTreeSet<_>>().len(), all.len());
}

#[test]
fn some_faults_are_found_soon() {
    for name in ["mask dropped", "reduction dropped", "permute shifted"] {
        let fault = meshwright_campaign::faults::fault(name).expect("a fault of that name");
        let found = hunt(&fault, 200, 1);
        assert!(found.found_after.is_some(), "{name}: {found:?}");
    }
}

/// A case in which a dropped reduction shows.
fn at_fault() -> (Case, Failure) {
    let broken = |number| Some((case(1, number), spoilt(&case(1, number)).err()?));
    (0..300).find_map(broken).expect("a case that shows the fault")
}

fn spoilt(case: &Case) -> Result<Passed, Failure> {
    let fault = meshwright_campaign::faults::fault("reduction dropped").expect("a fault of that name");
    check_with(case, Some((&fault, 0)))
}

#[test]
fn a_failing_case_shrinks_to_a_filetest_that_reads_back() {
    let (case, failure) = at_fault();
    let (small, failure) = shrink_by(&case, &failure, 600, &|case| spoilt(case).map(|_| ()));
    let ops = |case: &Case| case.module.main().insts_in_order().len();
    assert!(ops(&small) <= ops(&case) && ops(&small) <= 8, "{}", filetest(&small, &failure));
    assert!(spoilt(&small).is_err_and(|found| found.class() == failure.class()));
    let text = filetest(&small, &failure);
    assert!(text.starts_with("// test run devices="), "{text}");
    let read = stablehlo::parse(&SourceText::new("case.mlir", text.clone())).expect("the text reads back");
    assert_eq!(stablehlo::print(&read), stablehlo::print(&small.module), "{text}");
}

#[test]
fn replicating_everything_would_exceed_the_budget() {
    let mut table = run(1, 0..150, |_| ()).table;
    for row in table.rows.values_mut() {
        (row.cases, row.whole) = (1000, 400);
    }
    assert!(table.exceeded().len() > 30);
}

/// How often the ops of a planned program fell back to whole operands; `%x` is split over four devices.
fn fallen_back(of: &str, body: &str) -> usize {
    let split = r#"{sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}"#;
    let text = format!(
        "module {{\n  sdy.mesh @mesh = <[\"x\"=4]>\n  func.func public @main(%x: tensor<4x4xf32> {split}) -> {body}\n}}"
    );
    let module = stablehlo::parse(&SourceText::new("case.mlir", text)).expect("a module");
    let given = module.funcs.values().map(|func| func.inst_count()).collect();
    let planned = plan(module, &Options::default(), StopAfter::Reshard, &mut Unobserved).expect("a plan");
    let mut table = Table::default();
    table.count(&Passed { planned: planned.0.module().clone(), given, was_at_fault: false });
    assert_eq!(table.rows[of].cases, 1, "{}", table.to_text());
    table.rows[of].whole
}

#[test]
fn what_is_needed_whole_is_no_fall_back_of_an_op_that_makes_more_of_it() {
    let whole = |dims: &str| format!("{{sdy.sharding = #sdy.sharding<@mesh, [{dims}]>}}");
    let broadcast = format!(
        "(tensor<9x4x4xf32> {}) {{
           %0 = stablehlo.broadcast_in_dim %x, dims = [1, 2] : (tensor<4x4xf32>) -> tensor<9x4x4xf32>
           return %0 : tensor<9x4x4xf32>
         }}",
        whole("{}, {}, {}")
    );
    assert_eq!(fallen_back("broadcast_in_dim", &broadcast), 0);
    let cholesky = format!(
        "(tensor<4x4xf32> {}) {{
           %0 = stablehlo.cholesky %x, lower = true : tensor<4x4xf32>
           return %0 : tensor<4x4xf32>
         }}",
        whole("{}, {}")
    );
    assert_eq!(fallen_back("cholesky", &cholesky), 1);
}

#[test]
fn indices_that_count_their_own_dim_are_drawn_and_hold() {
    let is_changed = |number: &u64| meshwright_opt::batch_indices(&mut case(4, *number).module);
    let drawn: Vec<u64> = (0..400).filter(is_changed).collect();
    assert!(drawn.len() > 3, "{drawn:?}");
    for number in drawn {
        let failure = check_with(&case(4, number), None).err().map(|failure| failure.message);
        assert_eq!(failure, None, "case {number}");
    }
}
