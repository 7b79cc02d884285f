//! All-reduces whose result is cut: which become reduce-scatters, and that the program means the same after it.

use meshwright_base::{SourceText, render};
use meshwright_interp::{Tensor, run_devices};
use meshwright_ir::{DType, Module, verify};
use meshwright_opt::{dce, reduce_scatter};

fn parse(text: &str) -> Module {
    let source = SourceText::new("test.hlo", text);
    meshwright_text::hlo::parse(&source).unwrap_or_else(|errors| {
        panic!("{}", errors.iter().map(|error| render(error, Some(&source))).collect::<String>())
    })
}

/// A program for four devices that sums `f32[8,6]` over groups, and whatever `rest` makes of `%sum`.
fn program(groups: &str, rest: &str) -> String {
    format!(
        "HloModule test, num_partitions=4

         add {{
           a = f32[] parameter(0)
           b = f32[] parameter(1)
           ROOT c = f32[] add(a, b)
         }}

         ENTRY main {{
           x = f32[8,6] parameter(0)
           zero = s32[] constant(0)
           device = u32[] partition-id()
           sum = f32[8,6] all-reduce(x), channel_id=1, replica_groups={groups}, use_global_device_ids=true, to_apply=add
           {rest}
         }}"
    )
}

/// The start on device `n` is entry `n` of a table, as foreign partitioners write it.
fn table(starts: &str) -> String {
    format!(
        "table = s32[4] constant({{{starts}}})
         entry = s32[1] dynamic-slice(table, device), dynamic_slice_sizes={{1}}
         start = s32[] reshape(entry)"
    )
}

/// Results of every device, whose input counts up from its number.
fn outcome(module: &Module) -> Vec<Vec<f64>> {
    let inputs = (0..4).map(|device| {
        let values: Vec<f64> = (0..48).map(|at| f64::from(at * (device + 1))).collect();
        vec![Tensor::from_f64s(DType::F32, &[8, 6], &values).expect("48 values")]
    });
    let results = run_devices(module, 4, &inputs.collect::<Vec<_>>()).expect("the program runs");
    results.into_iter().map(|tensors| tensors[0].to_f64s()).collect()
}

/// Whether the pass changes the program; it has to mean the same before and after.
fn changes(text: &str) -> bool {
    let before = parse(text);
    let mut after = before.clone();
    let changed = reduce_scatter(&mut after);
    dce(&mut after);
    verify(&after).expect("the changed program is sound");
    assert_eq!(outcome(&before), outcome(&after));
    let printed = meshwright_text::hlo::print(&after);
    assert_eq!(printed.contains("reduce-scatter("), changed, "{printed}");
    assert_eq!(printed.contains("all-reduce("), !changed, "{printed}");
    changed
}

const PAIRS: &str = "{{0,1},{2,3}}";

#[test]
fn a_slice_of_ones_own_piece_becomes_a_reduce_scatter() {
    let slice = "ROOT own = f32[4,6] dynamic-slice(sum, start, zero), dynamic_slice_sizes={4,6}";
    assert!(changes(&program(PAIRS, &format!("{}\n{slice}", table("0,4,0,4")))));
    assert!(changes(&program("{{0,2},{1,3}}", &format!("{}\n{slice}", table("0,0,4,4")))));
    assert!(changes(&program("{{1,0},{3,2}}", &format!("{}\n{slice}", table("4,0,4,0")))));
}

#[test]
fn a_start_that_is_computed_is_told_for_every_device() {
    let rest = "number = s32[] convert(device)
         six = s32[] constant(6)
         scaled = s32[] multiply(number, six)
         four = s32[] constant(4)
         start = s32[] divide(scaled, four)
         two = s32[] constant(2)
         even = s32[] multiply(start, two)
         ROOT own = f32[2,6] dynamic-slice(sum, even, zero), dynamic_slice_sizes={2,6}";
    // 0, 2, 6, 8: the last clamps to 6, the third is not the third piece.
    assert!(!changes(&program("{{0,1,2,3}}", rest)));
    let rest = rest.replace("constant(6)", "constant(4)");
    assert!(changes(&program("{{0,1,2,3}}", &rest)));
}

/// The same arithmetic for every number of devices; the results are held against the interpreter's for four.
#[test]
fn a_start_is_told_for_any_number_of_devices() {
    let text = |devices: i64, piece: i64| {
        let (half, rows, of_group) = (devices / 2, 2 * devices, devices / 2);
        format!(
            "HloModule test, num_partitions={devices}

             add {{
               a = f32[] parameter(0)
               b = f32[] parameter(1)
               ROOT c = f32[] add(a, b)
             }}

             ENTRY main {{
               x = f32[{rows},6] parameter(0)
               zero = s32[] constant(0)
               device = u32[] partition-id()
               number = s32[] convert(device)
               two = s32[] constant(2)
               place = s32[] divide(number, two)
               size = s32[] constant({of_group})
               within = s32[] remainder(place, size)
               piece = s32[] constant({piece})
               start = s32[] multiply(within, piece)
               sum = f32[{rows},6] all-reduce(x), channel_id=1, replica_groups=[2,{half}]<=[{half},2]T(1,0), use_global_device_ids=true, to_apply=add
               ROOT own = f32[4,6] dynamic-slice(sum, start, zero), dynamic_slice_sizes={{4,6}}
             }}"
        )
    };
    assert!(changes(&text(4, 4)));
    assert!(!changes(&text(4, 3)));
    for devices in [4_096, 8_192, 1 << 20] {
        assert!(reduce_scatter(&mut parse(&text(devices, 4))), "{devices}");
        assert!(!reduce_scatter(&mut parse(&text(devices, 3))), "{devices}");
    }
}

#[test]
fn a_start_beyond_the_last_piece_clamps_to_it() {
    let slice = "ROOT own = f32[4,6] dynamic-slice(sum, start, zero), dynamic_slice_sizes={4,6}";
    assert!(changes(&program(PAIRS, &format!("{}\n{slice}", table("-1,9,0,4")))));
}

#[test]
fn reshapes_between_move_before_it() {
    let rest = "flat = f32[48] reshape(sum)
         turned = f32[6,8] reshape(flat)
         ROOT own = f32[3,8] dynamic-slice(turned, start, zero), dynamic_slice_sizes={3,8}";
    assert!(changes(&program(PAIRS, &format!("{}\n{rest}", table("0,3,0,3")))));
}

#[test]
fn pieces_of_other_devices_stay_slices() {
    let slice = "ROOT own = f32[4,6] dynamic-slice(sum, start, zero), dynamic_slice_sizes={4,6}";
    assert!(!changes(&program(PAIRS, &format!("{}\n{slice}", table("4,0,0,4")))));
    assert!(!changes(&program(PAIRS, &format!("{}\n{slice}", table("0,4,0,0")))));
    assert!(!changes(&program("{{0,1,2,3}}", &format!("{}\n{slice}", table("0,4,0,4")))));
}

#[test]
fn cuts_of_two_dims_or_of_uneven_pieces_stay_slices() {
    let two = "ROOT own = f32[4,3] dynamic-slice(sum, start, zero), dynamic_slice_sizes={4,3}";
    assert!(!changes(&program(PAIRS, &format!("{}\n{two}", table("0,4,0,4")))));
    let uneven = "ROOT own = f32[3,6] dynamic-slice(sum, start, zero), dynamic_slice_sizes={3,6}";
    assert!(!changes(&program(PAIRS, &format!("{}\n{uneven}", table("0,3,0,3")))));
}

#[test]
fn a_sum_with_other_uses_stays_whole() {
    let rest = "own = f32[4,6] dynamic-slice(sum, start, zero), dynamic_slice_sizes={4,6}
         rest = f32[4,6] slice(sum), slice={[0:4], [0:6]}
         ROOT both = f32[4,6] add(own, rest)";
    assert!(!changes(&program(PAIRS, &format!("{}\n{rest}", table("0,4,0,4")))));
}

#[test]
fn a_start_that_depends_on_data_stays_a_slice() {
    let rest = "first = f32[1,1] slice(x), slice={[0:1], [0:1]}
         number = f32[] reshape(first)
         start = s32[] convert(number)
         ROOT own = f32[4,6] dynamic-slice(sum, start, zero), dynamic_slice_sizes={4,6}";
    assert!(!changes(&program(PAIRS, rest)));
}

/// As XLA writes it: a list of places by device, and a list of starts by place, shorter than there are devices.
#[test]
fn a_start_may_be_looked_up_by_a_place_that_is_looked_up() {
    let starts = |starts: &str| {
        format!(
            "places = u32[4] constant({{0, 1, 0, 1}})
             own = u32[1] dynamic-slice(places, device), dynamic_slice_sizes={{1}}
             place = u32[] reshape(own)
             starts = s32[2] constant({{{starts}}})
             entry = s32[1] dynamic-slice(starts, place), dynamic_slice_sizes={{1}}
             start = s32[] reshape(entry)
             ROOT cut = f32[4,6] dynamic-slice(sum, start, zero), dynamic_slice_sizes={{4,6}}"
        )
    };
    assert!(changes(&program("{{0,1},{2,3}}", &starts("0, 4"))));
    assert!(!changes(&program("{{0,1},{2,3}}", &starts("4, 0"))));
    assert!(!changes(&program("{{0,2},{1,3}}", &starts("0, 4"))));
}
