//! GShard, Table 4: how what a partitioned operator computes and sends on each device grows with the number of devices.
//!
//! Every dim that is split grows with the devices, as in the paper; C of the dispatch shrinks. Counted from the
//! partitioned program, as `partition --stats` does: flops and bytes of a device. The paper's O(sqrt D) of an
//! all-to-all is a time on a torus, so it is tested as one, on the network of a TPU v3; its bytes stay constant there.

use meshwright_base::SourceText;
use meshwright_compile::{Options, Unobserved, partition};
use meshwright_cost::network::Group;
use meshwright_cost::price::price;
use meshwright_cost::{Form, Pattern, Target, Traffic, traffic};
use meshwright_spmd::Loops;

const DEVICES: [i64; 4] = [4, 16, 64, 256];

/// An operator of the table, as a module for so many devices.
type Operator = fn(i64) -> String;

/// Growth with the number of devices.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Growth {
    Constant,
    /// As the square root.
    Root,
    Linear,
}

impl Growth {
    fn exponent(self) -> f64 {
        match self {
            Growth::Constant => 0.0,
            Growth::Root => 0.5,
            Growth::Linear => 1.0,
        }
    }
}

struct Row {
    operator: &'static str,
    module: Operator,
    /// On each device, as the paper has it.
    compute: Growth,
    sent: Option<(Pattern, Growth)>,
    /// The same as a loop, where the paper has "AG or CP".
    looped: bool,
}

const ROWS: [Row; 9] = [
    row("Add(A,A->A)  A", add, Growth::Constant, None),
    row("Matmul(AB,BC->AC)  B", matmul_b, Growth::Constant, Some((Pattern::AllReduce, Growth::Constant))),
    row("Matmul(AB,BC->AC)  A", matmul_a, Growth::Constant, None),
    Row {
        looped: true,
        ..row("Matmul(AB,BC->AC)  A,B", matmul_ab, Growth::Linear, Some((Pattern::AllGather, Growth::Linear)))
    },
    Row {
        looped: true,
        ..row("Matmul(AB,BC->AC)  A,C", matmul_ac, Growth::Linear, Some((Pattern::AllGather, Growth::Linear)))
    },
    row("Reduce(AB->A)  A", reduce_to_a, Growth::Constant, None),
    row("Reduce(AB->B)  A", reduce_to_b, Growth::Constant, Some((Pattern::AllReduce, Growth::Constant))),
    row(
        "Einsum(GSEC,GSM->EGCM)  G,E",
        dispatch,
        Growth::Constant,
        Some((Pattern::AllToAll, Growth::Constant)),
    ),
    row(
        "Convolution(BIXY,xyIO->BOXY)  X",
        convolution,
        Growth::Constant,
        Some((Pattern::Permute, Growth::Constant)),
    ),
];

const fn row(
    operator: &'static str,
    module: Operator,
    compute: Growth,
    sent: Option<(Pattern, Growth)>,
) -> Row {
    Row { operator, module, compute, sent, looped: false }
}

#[test]
fn compute_and_communication_of_a_device_grow_as_in_the_paper() {
    for row in ROWS {
        let counted = DEVICES.map(|devices| count(&(row.module)(devices), Loops::Never));
        check_growth(row.operator, &DEVICES, &counted.each_ref().map(|counted| counted.flops), row.compute);
        check_sent(row.operator, &counted, row.sent);
    }
}

#[test]
fn a_loop_of_permutes_sends_and_computes_what_the_gather_does() {
    for row in ROWS.into_iter().filter(|row| row.looped) {
        for devices in DEVICES {
            let module = (row.module)(devices);
            let gathered = count(&module, Loops::Never);
            let looped = count(&module, Loops::All(Form::default()));
            assert_eq!(looped.sent, gathered.sent, "{} over {devices}", row.operator);
            assert_eq!(looped.contraction_flops, gathered.contraction_flops, "{}", row.operator);
            let patterns: Vec<Pattern> = looped.by_pattern.keys().copied().collect();
            assert_eq!(patterns, [Pattern::Permute], "{}", row.operator);
        }
        let counted = DEVICES.map(|devices| count(&(row.module)(devices), Loops::All(Form::default())));
        check_sent(row.operator, &counted, Some((Pattern::Permute, Growth::Linear)));
    }
}

fn check_sent(operator: &str, counted: &[Traffic; 4], expected: Option<(Pattern, Growth)>) {
    for counted in counted {
        let patterns: Vec<Pattern> = counted.by_pattern.keys().copied().collect();
        let wanted: Vec<Pattern> = expected.iter().map(|(pattern, _)| *pattern).collect();
        assert_eq!(patterns, wanted, "{operator}");
    }
    if let Some((pattern, wanted)) = expected {
        // A device keeps its own share of a group's: of 4 devices three quarters travel, of 256 nearly all.
        // A permute is a halo, or one trip of a loop in the place of such a gather.
        let is_halo = pattern == Pattern::Permute && wanted == Growth::Constant;
        let travels = |devices: i64| if is_halo { 1.0 } else { 1.0 - 1.0 / devices as f64 };
        let whole: Vec<f64> =
            counted.iter().zip(DEVICES).map(|(counted, devices)| counted.sent / travels(devices)).collect();
        check_growth(operator, &DEVICES, &whole, wanted);
    }
}

/// The paper's O(sqrt D) of an all-to-all: on a square of chips, a line of which carries a quarter of all that is sent.
/// From 32 by 32 on the lines are closed, which gains a tenth on this network. A larger gain would break the root.
#[test]
fn an_all_to_all_of_equal_bytes_takes_the_square_root_of_the_devices_on_a_torus() {
    const BYTES: f64 = (64 << 20) as f64;
    let priced = |pattern: Pattern, shape: &str| {
        let machine = Target::parse(shape).and_then(|target| target.machine(1)).expect("a shape of TPU v3");
        let group = Group::packed(&machine.network, machine.network.devices());
        price(pattern, &group, BYTES, BYTES, &machine).seconds
    };
    let shapes = ["tpu-v3:4x4", "tpu-v3:8x8", "tpu-v3:16x16"];
    let cores = [32, 128, 512];
    let all_to_all = shapes.map(|shape| priced(Pattern::AllToAll, shape));
    check_growth("AllToAll", &cores, &all_to_all, Growth::Root);
    let all_reduce = shapes.map(|shape| priced(Pattern::AllReduce, shape));
    check_growth("AllReduce", &cores, &all_reduce, Growth::Constant);
}

/// Exponents as near as this to the table's are its growth.
const CLOSE: f64 = 0.06;

/// Checks the exponent of `devices` by which figures grow, from each size to the next.
fn check_growth(operator: &str, devices: &[i64], figures: &[f64], wanted: Growth) {
    for at in 1..figures.len() {
        let more = (devices[at] as f64 / devices[at - 1] as f64).ln();
        let exponent = (figures[at] / figures[at - 1]).ln() / more;
        assert!(
            (exponent - wanted.exponent()).abs() < CLOSE,
            "{operator}: D^{exponent:.2} and not {wanted:?}: {figures:?} over {devices:?}"
        );
    }
}

fn count(module: &str, loops: Loops) -> Traffic {
    let module = meshwright_text::parse(&SourceText::new("table_4.mlir", module)).expect("parses");
    let mut options = Options::default();
    options.partition.loops = loops;
    let compiled = partition(module, &options, &mut Unobserved).expect("partitions");
    traffic(compiled.program.module(), &options.partition.machine)
}

/// A tensor with an annotation.
struct Split {
    shape: String,
    sharding: &'static str,
}

fn split(dims: &[i64], sharding: &'static str) -> Split {
    let dims: Vec<String> = dims.iter().map(i64::to_string).collect();
    Split { shape: format!("tensor<{}xf32>", dims.join("x")), sharding }
}

impl Split {
    fn annotated(&self) -> String {
        format!("{} {{sdy.sharding = #sdy.sharding<@m, {}>}}", self.shape, self.sharding)
    }
}

/// A module of one op from two tensors to one; `body` defines `%r`.
fn module(devices: i64, a: &Split, b: &Split, result: &Split, body: &str) -> String {
    format!(
        "sdy.mesh @m = <[\"d\"={devices}]>\nfunc.func public @main(%a: {}, %b: {}) -> ({}) {{\n{body}\nreturn %r : {}\n}}\n",
        a.annotated(),
        b.annotated(),
        result.annotated(),
        result.shape
    )
}

fn add(devices: i64) -> String {
    let a = split(&[64 * devices], "[{\"d\"}]");
    let body = format!("%r = stablehlo.add %a, %b : {}", a.shape);
    module(devices, &a, &a, &a, &body)
}

fn matmul(devices: i64, a: &Split, b: &Split, result: &Split) -> String {
    let body = format!(
        "%r = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : ({}, {}) -> {}",
        a.shape, b.shape, result.shape
    );
    module(devices, a, b, result, &body)
}

fn matmul_b(devices: i64) -> String {
    let (a, b) = (split(&[16, 32 * devices], "[{}, {\"d\"}]"), split(&[32 * devices, 16], "[{\"d\"}, {}]"));
    matmul(devices, &a, &b, &split(&[16, 16], "[{}, {}]"))
}

fn matmul_a(devices: i64) -> String {
    let (a, b) = (split(&[64 * devices, 32], "[{\"d\"}, {}]"), split(&[32, 16], "[{}, {}]"));
    matmul(devices, &a, &b, &split(&[64 * devices, 16], "[{\"d\"}, {}]"))
}

fn matmul_ab(devices: i64) -> String {
    let (a, b) =
        (split(&[64 * devices, 16 * devices], "[{\"d\"}, {}]"), split(&[16 * devices, 8], "[{\"d\"}, {}]"));
    matmul(devices, &a, &b, &split(&[64 * devices, 8], "[{\"d\"}, {}]"))
}

fn matmul_ac(devices: i64) -> String {
    let (a, b) = (split(&[64 * devices, 16], "[{\"d\"}, {}]"), split(&[16, 8 * devices], "[{}, {\"d\"}]"));
    matmul(devices, &a, &b, &split(&[64 * devices, 8 * devices], "[{\"d\"}, {}]"))
}

fn reduce(devices: i64, dim: usize, result: &Split) -> String {
    let a = split(&[16 * devices, 32], "[{\"d\"}, {}]");
    let body = format!(
        "%z = stablehlo.constant dense<0.0> : tensor<f32>\n\
         %s = stablehlo.reduce(%a init: %z) applies stablehlo.add across dimensions = [{dim}] : ({}, tensor<f32>) -> {1}\n\
         %r = stablehlo.negate %s : {1}",
        a.shape, result.shape
    );
    module(devices, &a, &split(&[1], "[{}]"), result, &body)
}

fn reduce_to_a(devices: i64) -> String {
    reduce(devices, 1, &split(&[16 * devices], "[{\"d\"}]"))
}

fn reduce_to_b(devices: i64) -> String {
    reduce(devices, 0, &split(&[32], "[{}]"))
}

fn dispatch(devices: i64) -> String {
    let (groups, experts, capacity) = (devices, devices, 512 / devices);
    let mask = split(&[groups, 64, experts, capacity], "[{\"d\"}, {}, {}, {}]");
    let tokens = split(&[groups, 64, 32], "[{\"d\"}, {}, {}]");
    let sent = split(&[groups, experts, capacity, 32], "[{\"d\"}, {}, {}, {}]");
    let result = split(&[experts, groups, capacity, 32], "[{\"d\"}, {}, {}, {}]");
    let body = format!(
        "%e = stablehlo.dot_general %a, %b, batching_dims = [0] x [0], contracting_dims = [1] x [1] : ({}, {}) -> {2}\n\
         %r = stablehlo.transpose %e, dims = [1, 0, 2, 3] : ({2}) -> {3}",
        mask.shape, tokens.shape, sent.shape, result.shape
    );
    module(devices, &mask, &tokens, &result, &body)
}

fn convolution(devices: i64) -> String {
    let image = split(&[2, 3, 8 * devices, 16], "[{}, {}, {\"d\"}, {}]");
    let kernel = split(&[3, 3, 3, 4], "[{}, {}, {}, {}]");
    let result = split(&[2, 4, 8 * devices, 16], "[{}, {}, {\"d\"}, {}]");
    let body = format!(
        "%r = stablehlo.convolution(%a, %b) dim_numbers = [b, f, 0, 1]x[0, 1, i, o]->[b, f, 0, 1], \
         window = {{stride = [1, 1], pad = [[1, 1], [1, 1]]}} \
         {{batch_group_count = 1 : i64, feature_group_count = 1 : i64}} : ({}, {}) -> {}",
        image.shape, kernel.shape, result.shape
    );
    module(devices, &image, &kernel, &result, &body)
}
