//! Convolutions drawn at random: one to three spatial dims, each with a stride, dilations and padding of its own;
//! groups of features and of batches; layouts with features first and last, and that of a gradient by the kernel;
//! results without elements.
//!
//! Small ones are exact against the interpreter on small whole numbers. All are the same bits on one and on two
//! workers, and with every set of instructions that the CPU has, on numbers whose sums are rounded: sets are for whole
//! processes, so this test starts itself once for each.
//!
//! `CASES=N` draws so many, `FIRST=N` begins elsewhere.

use crate::support;

use meshwright_base::SourceText;
use meshwright_base::random::Random;
use meshwright_cpu::{Isa, VARIABLE};
use meshwright_interp::{Style, random_inputs, run_global};
use meshwright_ir::Module;
use support::{launch, same_enough};

/// Multiply-adds of a case that the interpreter judges, and of one that only ways of ours are compared on.
const JUDGED: usize = 1 << 20;
const COMPARED: usize = 1 << 25;

/// A spatial dim.
#[derive(Clone, Debug)]
struct Dim {
    size: usize,
    window: usize,
    stride: usize,
    low: i64,
    high: i64,
    image_dilation: usize,
    window_dilation: usize,
    reverse: bool,
}

impl Dim {
    /// Places, if what is left of a padded image is none of an image at all.
    fn output(&self) -> Option<usize> {
        let spread = |count: usize, by: usize| ((count - 1) * by + 1) as i64;
        let image = spread(self.size, self.image_dilation) + self.low + self.high;
        let room = image - spread(self.window, self.window_dilation);
        (image >= 0).then(|| if room < 0 { 0 } else { room as usize / self.stride + 1 })
    }
}

#[derive(Clone, Copy, Debug)]
enum Layout {
    First,
    Last,
    /// Batch and features of image and kernel have changed places.
    Gradient,
}

#[derive(Clone, Debug)]
struct Case {
    dims: Vec<Dim>,
    layout: Layout,
    /// Images and features of a group, summed over and made.
    images: usize,
    inner: usize,
    made: usize,
    feature_groups: usize,
    batch_groups: usize,
}

fn drawn(draw: &mut Random) -> Case {
    let rank = draw.of(&[1, 2, 2, 2, 3]);
    // Windows that are small, as large as the image or larger, or of one place.
    let (kind, most) = (draw.index(4), [70, 24, 9][rank - 1]);
    let dilates = draw.index(4);
    let dims = (0..rank).map(|_| {
        let size = 1 + draw.index(most);
        let window = match kind {
            0 | 1 => 1 + draw.index(5),
            2 => (size + draw.index(5)).saturating_sub(draw.index(4)).max(1),
            _ => 1,
        };
        let plain = draw.index(3) == 0;
        let mut by = |wanted: bool, most: usize| if wanted && !plain { 1 + draw.index(most) } else { 1 };
        Dim {
            size,
            window,
            stride: by(dilates != 1, 4),
            image_dilation: by(dilates == 1 || dilates == 3, 4),
            window_dilation: by(dilates >= 2, 3),
            low: draw.index(window + 5) as i64 - 2,
            high: draw.index(window + 5) as i64 - 2,
            reverse: draw.index(3) == 0,
        }
    });
    let dims = dims.collect();
    let few = [1, 2, 3, 4, 5, 8];
    let many = [1, 3, 7, 12, 16, 17, 24, 31, 32, 33, 48, 64, 70];
    let (inner, made) = (draw.of(&many), draw.of(&many));
    let (feature_groups, batch_groups) =
        draw.of(&[(1, 1), (1, 1), (1, 1), (2, 1), (9, 1), (70, 1), (1, 3), (1, 20)]);
    let groups: usize = feature_groups.max(batch_groups);
    Case {
        dims,
        layout: draw.of(&[Layout::First, Layout::Last, Layout::Last, Layout::Gradient]),
        images: draw.of(&[1, 1, 2, 3, 15, 30]),
        inner: if groups > 2 { draw.of(&few) } else { inner },
        made: if groups > 2 { draw.of(&few) } else { made },
        feature_groups,
        batch_groups,
    }
}

impl Case {
    fn output(&self) -> Option<Vec<usize>> {
        self.dims.iter().map(Dim::output).collect()
    }

    fn multiply_adds(&self) -> usize {
        let places: usize = self.dims.iter().map(|dim| dim.window * dim.output().unwrap_or(0)).product();
        places * self.images * self.inner * self.made * self.feature_groups.max(self.batch_groups)
    }

    fn module(&self) -> Option<Module> {
        let (groups, output) = (self.feature_groups.max(self.batch_groups), self.output()?);
        let joined = |all: Vec<String>, by: &str| all.join(by);
        let each = |of: &dyn Fn(&Dim) -> String| joined(self.dims.iter().map(of).collect(), ", ");
        let names: Vec<String> = (0..self.dims.len()).map(|dim| dim.to_string()).collect();
        let sizes =
            |of: &dyn Fn(&Dim) -> usize| self.dims.iter().map(of).map(|x| x.to_string()).collect::<Vec<_>>();
        // What stands for one thing before the places and another after them.
        let around = |before: &[String], places: &[String], after: &[String], by: &str| {
            joined([before, places, after].concat(), by)
        };
        let (b, i, o) =
            (self.images * self.batch_groups, self.inner * self.feature_groups, self.made * groups);
        let [b, i, o, gi, images] = [b, i, o, self.inner, self.images].map(|x| vec![x.to_string()]);
        let [nb, nf, ni, no] = ["b", "f", "i", "o"].map(|x| vec![x.to_string()]);
        let none = Vec::new();
        let pair = |x: &Vec<String>, y: &Vec<String>| [x.clone(), y.clone()].concat();
        let (x, k, y) = match self.layout {
            Layout::First => (
                (pair(&nb, &nf), none.clone()),
                (pair(&no, &ni), none.clone()),
                (pair(&nb, &nf), none.clone()),
            ),
            Layout::Last => {
                ((nb.clone(), nf.clone()), (none.clone(), pair(&ni, &no)), (nb.clone(), nf.clone()))
            }
            Layout::Gradient => {
                ((nf.clone(), nb.clone()), (ni.clone(), no.clone()), (none.clone(), pair(&nb, &nf)))
            }
        };
        let size = |names: &[String], kernel: bool, made: bool| -> Vec<String> {
            let of = |name: &String| match (name.as_str(), kernel, made) {
                ("b", _, true) => &images,
                ("b", ..) => &b,
                ("f", _, true) | ("o", ..) => &o,
                ("f", ..) => &i,
                _ => &gi,
            };
            names.iter().flat_map(of).cloned().collect()
        };
        let ty =
            |(before, after): &(Vec<String>, Vec<String>), places: Vec<String>, kernel: bool, made: bool| {
                let dims = around(&size(before, kernel, made), &places, &size(after, kernel, made), "x");
                format!("tensor<{dims}xf32>")
            };
        let tx = ty(&x, sizes(&|dim| dim.size), false, false);
        let tk = ty(&k, sizes(&|dim| dim.window), true, false);
        let ty = ty(&y, output.iter().map(|x| x.to_string()).collect(), false, true);
        let [x, k, y] = [x, k, y].map(|(before, after)| around(&before, &names, &after, ", "));
        let text = format!(
            "func.func @main(%x: {tx}, %k: {tk}) -> {ty} {{
  %c = stablehlo.convolution(%x, %k) dim_numbers = [{x}]x[{k}]->[{y}], window = {{stride = [{}], pad = [{}], lhs_dilate = [{}], rhs_dilate = [{}], reverse = [{}]}} {{batch_group_count = {} : i64, feature_group_count = {} : i64}} : ({tx}, {tk}) -> {ty}
  return %c : {ty}
}}",
            each(&|dim| dim.stride.to_string()),
            each(&|dim| format!("[{}, {}]", dim.low, dim.high)),
            each(&|dim| dim.image_dilation.to_string()),
            each(&|dim| dim.window_dilation.to_string()),
            each(&|dim| dim.reverse.to_string()),
            self.batch_groups,
            self.feature_groups,
        );
        Some(meshwright_text::parse(&SourceText::new("m.mlir", text)).unwrap())
    }
}

fn number(variable: &str, otherwise: u64) -> u64 {
    std::env::var(variable).ok().and_then(|text| text.parse().ok()).unwrap_or(otherwise)
}

/// Cases of at most so many multiply-adds, and their numbers.
fn cases(most: usize) -> impl Iterator<Item = (u64, Case, Module)> {
    let first = number("FIRST", 0);
    (first..first + number("CASES", 120)).filter_map(move |number| {
        let case = drawn(&mut Random::new(number.wrapping_mul(0x9e37_79b9_7f4a_7c15), 0));
        let module = case.module().filter(|_| case.multiply_adds() <= most)?;
        Some((number, case, module))
    })
}

/// With the instructions in use; the last test runs it with all others, in processes of their own.
#[test]
fn convolutions_are_exact_on_small_whole_numbers() {
    let mut judged = 0;
    for (number, case, module) in cases(JUDGED) {
        let inputs = random_inputs(&module, number, Style::SmallInts).unwrap();
        let expected = run_global(&module, &inputs).unwrap();
        let ours = launch(module, &inputs, 2);
        assert_eq!(same_enough(&ours, &expected[0], true), None, "{number}: {case:?}");
        judged += 1;
    }
    assert!(judged > 0);
}

/// A line for each result on numbers whose sums are rounded.
fn digests() -> String {
    let mut lines = String::new();
    for (number, case, module) in cases(COMPARED) {
        let inputs = random_inputs(&module, number, Style::Natural).unwrap();
        let [one, two] = [1, 2].map(|workers| launch(module.clone(), &inputs, workers));
        assert!(one.bytes == two.bytes, "{number}: {case:?}: one worker and two");
        let digest = one.bytes.iter().fold(0xcbf2_9ce4_8422_2325u64, |digest, byte| {
            (digest ^ u64::from(*byte)).wrapping_mul(0x100_0000_01b3)
        });
        lines += &format!("{number} {digest:016x} {case:?}\n");
    }
    lines
}

/// What another process writes; nothing by itself.
#[test]
fn digests_are_written_where_somebody_asks() {
    if let Some(file) = std::env::var_os("DIGESTS") {
        std::fs::write(file, digests()).unwrap();
    }
}

#[test]
fn convolutions_have_the_same_bits_with_all_instructions() {
    let ours = digests();
    for isa in Isa::ALL.into_iter().filter(|isa| isa.is_there() && *isa != Isa::used()) {
        let file = std::env::temp_dir().join(format!(
            "meshwright_convolutions_{}_{}",
            isa.name(),
            std::process::id()
        ));
        let output = std::process::Command::new(std::env::current_exe().unwrap())
            .args([
                "--exact",
                "random_convolutions::digests_are_written_where_somebody_asks",
                "random_convolutions::convolutions_are_exact_on_small_whole_numbers",
            ])
            .env(VARIABLE, isa.name())
            .env("DIGESTS", &file)
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success() && said.contains("2 passed"), "{}: {said}", isa.name());
        let theirs = std::fs::read_to_string(&file).unwrap();
        std::fs::remove_file(&file).unwrap();
        for (ours, theirs) in ours.lines().zip(theirs.lines()) {
            assert_eq!(ours, theirs, "with {} and {}", Isa::used().name(), isa.name());
        }
        assert_eq!(ours.lines().count(), theirs.lines().count());
    }
}
