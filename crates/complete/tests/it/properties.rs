//! What holds of every completion: annotations are kept, shardings are sound, nothing is left to do.

use meshwright_base::SourceText;
use meshwright_complete::{Options, complete};
use meshwright_ir::op::Control;
use meshwright_ir::{Annotation, Editor, FuncId, Function, Module, Op, ShardedModule, ValueId};
use meshwright_shard::axis::is_prefix;
use meshwright_shard::{AxisRef, DimSharding, Mesh, MeshId, Sharding, rebase};
use std::path::PathBuf;

/// A small generator: the same numbers on every run.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, below: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) % below
    }
}

fn goldens() -> Vec<PathBuf> {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../tests/golden");
    let folders = std::fs::read_dir(root).expect("the golden fixtures");
    let mut found: Vec<PathBuf> = folders.flatten().map(|folder| folder.path().join("module.mlir")).collect();
    found.retain(|path| path.exists());
    found.sort();
    found
}

fn read(path: &PathBuf) -> Option<Module> {
    let text = std::fs::read_to_string(path).ok()?;
    meshwright_text::stablehlo::parse(&SourceText::new("golden", text)).ok()
}

/// Three meshes over the same 12 devices: cut differently, and one that lists them in a transposed order.
fn meshes() -> [Mesh; 3] {
    let mesh = |name: &str, axes: &[(&str, i64)], order: Option<Vec<u32>>| {
        Mesh::new(name, axes.iter().copied(), order).expect("a mesh")
    };
    let turned = (0..12).map(|position| position % 4 * 3 + position / 4).collect();
    [
        mesh("random", &[("x", 2), ("y", 2), ("z", 3)], None),
        mesh("flat", &[("all", 12)], None),
        mesh("turned", &[("z", 3), ("w", 4)], Some(turned)),
    ]
}

/// Forget what the module says, and annotate some parameters at random, over one mesh or several.
fn annotate(module: &mut Module, dice: &mut Dice) {
    module.num_partitions = None;
    let known = if dice.roll(2) == 0 { 1 } else { 3 };
    let meshes: Vec<(MeshId, Vec<AxisRef>)> = meshes()
        .into_iter()
        .take(known)
        .map(|mesh| {
            let axes = mesh.whole_axes();
            (module.meshes.push(mesh), axes)
        })
        .collect();
    let params = module.main().param_values().to_vec();
    let entry = module.entry;
    for value in params {
        if dice.roll(3) > 0 && module.main().ty(value).as_tensor().is_some() {
            let rank = module.main().dims(value).len();
            let (mesh, axes) = &meshes[dice.roll(meshes.len() as u64) as usize];
            let sharding = random_sharding(*mesh, rank, axes, dice);
            Editor::new(&mut module.funcs[entry]).set_sharding(value, Some(Annotation::from(sharding)));
        }
    }
}

fn random_sharding(mesh: MeshId, rank: usize, axes: &[AxisRef], dice: &mut Dice) -> Sharding {
    let mut dims = vec![DimSharding::default(); rank];
    for axis in axes.iter().filter(|_| rank > 0) {
        if dice.roll(2) > 0 {
            dims[dice.roll(rank as u64) as usize].axes.push(*axis);
        }
    }
    dims.iter_mut().for_each(|dim| dim.open = dice.roll(4) == 0);
    Sharding { dims, ..Sharding::replicated(mesh, 0) }
}

/// Whether a module says something of shardings itself: what is annotated at random would contradict it.
fn uses_meshes(module: &Module) -> bool {
    let annotated = |func: &Function| {
        let values = func.values().values().any(|value| value.sharding.is_some());
        values || func.results.iter().any(|result| result.sharding.is_some())
    };
    !module.meshes.is_empty() || module.funcs.values().any(annotated)
}

fn sharding(module: &Module, func: FuncId, value: ValueId) -> Option<&Sharding> {
    module.funcs[func].value(value).sharding.as_ref().and_then(Annotation::as_mesh)
}

fn check_sound(sharded: &ShardedModule, what: &str) {
    let module = sharded.module();
    for (id, func) in module.funcs.iter() {
        for block in func.blocks_in_order() {
            let insts = func.block(block).insts.iter().flat_map(|inst| &func.inst(*inst).results);
            for value in func.block(block).params.iter().chain(insts) {
                let Some(sharding) = sharding(module, id, *value) else { continue };
                let wrong = sharding.verify(&module.meshes[sharding.mesh], func.dims(*value));
                assert!(wrong.is_empty(), "{what}: {value:?} {wrong:?}");
                assert!(sharding.dims.iter().all(|dim| !dim.open), "{what}: {value:?} is still open");
            }
        }
    }
}

fn check_loops(sharded: &ShardedModule, what: &str) {
    let module = sharded.module();
    for (id, func) in module.funcs.iter() {
        for inst in func.insts_in_order().iter().map(|inst| func.inst(*inst)) {
            if !matches!(inst.op, Op::Control(Control::While)) {
                continue;
            }
            for region in &inst.regions {
                for (result, param) in inst.results.iter().zip(&func.block(*region).params) {
                    assert_eq!(
                        sharding(module, id, *result),
                        sharding(module, id, *param),
                        "{what}: a carry"
                    );
                }
            }
        }
    }
}

#[test]
fn completions_of_golden_modules_are_sound_whatever_is_annotated() {
    let mut dice = Dice(1);
    let mut checked = 0;
    for path in goldens() {
        let Some(module) = read(&path) else { continue };
        let what = path.display().to_string();
        if uses_meshes(&module) {
            continue;
        }
        for _ in 0..3 {
            let mut module = module.clone();
            annotate(&mut module, &mut dice);
            let (sharded, _) = complete(module.clone(), &Options::default())
                .unwrap_or_else(|errors| panic!("{what}: {errors:#?}"));
            check_sound(&sharded, &what);
            check_loops(&sharded, &what);
            for value in module.main().param_values() {
                let Some(given) = sharding(&module, module.entry, *value) else { continue };
                let got = sharding(sharded.module(), module.entry, *value).expect("a sharding");
                let there = &sharded.module().meshes[got.mesh];
                let given = rebase(given, &module.meshes[given.mesh], there).expect("the meshes go together");
                for (given, got) in given.dims.iter().zip(&got.dims) {
                    let kept = is_prefix(&given.axes, &got.axes)
                        && (given.open || is_prefix(&got.axes, &given.axes));
                    assert!(kept, "{what}: {value:?} was {given:?}, is {got:?}");
                }
            }
            let twin = complete(module.clone(), &Options::default()).expect("completes").0;
            assert_eq!(
                meshwright_text::stablehlo::print(twin.module()),
                meshwright_text::stablehlo::print(sharded.module()),
                "{what}: not the same every time"
            );
            let again = complete(sharded.clone().into_module(), &Options::default()).expect("completes").0;
            assert_eq!(
                meshwright_text::stablehlo::print(again.module()),
                meshwright_text::stablehlo::print(sharded.module()),
                "{what}"
            );
            checked += 1;
        }
    }
    assert!(checked > 100, "{checked}");
}
