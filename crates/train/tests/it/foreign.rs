//! Checkpoints of Hugging Face's `transformers` beside what it computes of them (`tests/golden_hf`): logits, losses,
//! every gradient and greedy texts, on one device and on eight; and back to the same bytes.

use meshwright_cpu::Cpu;
use meshwright_ir::{Placement, TensorType};
use meshwright_nn::models::step::{Model, batch_inputs, gradients};
use meshwright_nn::params::Params;
use meshwright_nn::tensor::prelude::*;
use meshwright_nn::tensor::{InputInfo, ResultInfo};
use meshwright_runtime::weights::{Named, read, write_file};
use meshwright_runtime::{
    Buffer, DeviceArray, DeviceId, Devices, HostArray, InProcess, LoadOptions, assemble, cut,
};
use meshwright_train::Config;
use meshwright_train::checkpoint::{Checkpoint, Region, Weights};
use meshwright_train::data::source::Vocabularies;
use meshwright_train::foreign::{Foreign, Library, from_folder, to_folder};
use meshwright_train::run::{
    self, CacheLayout, Decoder, Decoding, Framing, Host, NextToken, Room, RunDir, Search, TextNet, TextPlan,
    TrainingPlan,
};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// One device, and eight.
const MESHES: [&str; 2] = ["", "data=2,expert=2,model=2"];

const ALL: [&str; 7] = ["t5", "t5-v1_1", "mt5", "switch", "switch-all", "nllb-moe", "mixtral"];

fn golden(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/golden_hf").join(name)
}

/// A directory that is not there yet.
fn place(name: &str) -> PathBuf {
    let path = std::env::temp_dir().join(format!("meshwright-foreign-{}-{name}", std::process::id()));
    let _ = std::fs::remove_dir_all(&path);
    path
}

struct Case {
    library: Library,
    folder: PathBuf,
    expected: Named,
    plan: TextPlan,
}

impl Case {
    fn new(name: &str, axes: &str) -> Case {
        Case::of((Library::HuggingFace, name), name, &[], axes)
    }

    /// A folder of a library, what `of` says of it, and options that make it say so.
    fn of((library, name): (Library, &str), of: &str, sets: &[&str], axes: &str) -> Case {
        let foreign = Foreign::open(library, &golden(name)).unwrap();
        let expected = read(&golden(of).join("expected.safetensors")).unwrap();
        let plan = plan(foreign.config(), sets, axes);
        Case { library, folder: golden(name), expected, plan }
    }

    fn expected(&self, name: &str) -> Vec<f64> {
        numbers(&self.expected[name])
    }

    /// A language model here does not read the last token, which nothing follows.
    fn logits(&self) -> Vec<f64> {
        let all = &self.expected["logits"];
        let read = usize::try_from(self.plan.training.length).unwrap() - 1;
        let vocab = all.ty.dims[2] as usize;
        let row = |row: &[f64]| match &self.plan.model {
            TextNet::Pair(_) => row.to_vec(),
            TextNet::Language(_) => row[..read * vocab].to_vec(),
        };
        numbers(all).chunks(all.ty.dims[1] as usize * vocab).flat_map(row).collect()
    }

    /// Logits of padding are nobody's business: NLLB gives it no place of its own.
    fn asked(&self, logits: &[f64]) -> Vec<f64> {
        let vocab = self.expected["logits"].ty.dims[2] as usize;
        let is_asked: Vec<bool> = match &self.plan.model {
            TextNet::Pair(_) => self.expected("target").into_iter().map(|token| token != 0.0).collect(),
            TextNet::Language(_) => vec![true; logits.len() / vocab],
        };
        assert_eq!(is_asked.len() * vocab, logits.len());
        let rows = logits.chunks(vocab).zip(is_asked).filter(|(_, is_asked)| *is_asked);
        rows.flat_map(|(row, _)| row.to_vec()).collect()
    }

    /// Tokens as `s32`.
    fn tokens(&self, name: &str) -> HostArray {
        let array = &self.expected[name];
        array.clone()
    }

    /// The batch of a model by the names of its fields.
    fn batch(&self) -> Vec<(String, HostArray)> {
        let fields = self.plan.model.fields(&self.plan.training);
        fields.into_iter().map(|field| (field.name.to_string(), self.tokens(field.name))).collect()
    }

    /// What the model says of the batch: `logits`, `loss`, and `grad.NAME`.
    fn said(&self) -> Vec<(String, Vec<f64>)> {
        let plan = &self.plan;
        let program = trace_with("said", &plan.rules, |t| {
            let batch = batch_inputs(t, &plan.model, &plan.training);
            let params = plan.model.specs().params(t, "params", f32);
            let found = gradients(&plan.model, &params, &Params::default(), &batch, None, 1);
            let logits = plan.model.heard(&params, &given(&plan.model, &batch));
            let mut out = vec![("logits".to_string(), logits), ("loss".to_string(), found.losses.loss)];
            let named = |(name, x): (String, Tensor)| (format!("grad.params.{name}"), x);
            out.extend(found.gradients.list.into_iter().map(named));
            out
        });
        let given = [weights(Foreign::open(self.library, &self.folder).unwrap()), self.batch()];
        ran(&program.unwrap(), plan.devices(), &given.concat())
    }

    /// Gradients of the other library in the form of weights here: a folder that holds them in place of weights.
    fn gradients(&self, name: &str) -> Vec<(String, HostArray)> {
        let folder = place(&format!("grad-{name}-{}", self.plan.devices()));
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::copy(golden(name).join("config.json"), folder.join("config.json")).unwrap();
        let shapes = whole(&golden(name));
        // An expert that no token was sent to has none.
        let of = |(name, weight): (&String, &HostArray)| {
            let none = || HostArray::new(weight.ty.clone(), vec![0; weight.bytes.len()]).unwrap();
            (name.clone(), self.expected.get(&format!("grad.{name}")).cloned().unwrap_or_else(none))
        };
        let all: Named = shapes.iter().map(of).collect();
        let listed: Vec<(&str, &HostArray)> = all.iter().map(|(name, array)| (&**name, array)).collect();
        write_file(&folder.join("model.safetensors"), &listed).unwrap();
        let found = weights(Foreign::open(Library::HuggingFace, &folder).unwrap());
        std::fs::remove_dir_all(&folder).unwrap();
        found
    }
}

/// Every weight, as a folder has it.
fn weights(mut foreign: Foreign) -> Vec<(String, HostArray)> {
    let names = foreign.weights();
    let one = |(name, _, shape): (String, _, Vec<usize>)| {
        let bytes = foreign.read(&name, &Region::whole(&shape)).unwrap();
        let dims: Vec<i64> = shape.iter().map(|size| *size as i64).collect();
        (name, HostArray::new(TensorType::new(f32, &dims[..]), bytes).unwrap())
    };
    names.into_iter().map(one).collect()
}

/// What a program says on so many devices, its inputs given by name.
fn ran(program: &Program, devices: usize, given: &[(String, HostArray)]) -> Vec<(String, Vec<f64>)> {
    let spmd = run::compile(program.module().clone()).unwrap();
    let devices = InProcess::new(devices, Some(2), Arc::new(Cpu::default()));
    let mut loaded = devices.load(&spmd, &LoadOptions { memory_limit: None }).unwrap();
    let meshes = &spmd.module().meshes;
    let placed = |(input, placement): (&InputInfo, &Placement)| {
        let (_, array) = given.iter().find(|(name, _)| **name == *input.name).unwrap();
        let shard = |device: &DeviceId| {
            Arc::new(Buffer::from_bytes(&cut(meshes, placement, array, *device).unwrap().bytes).unwrap())
        };
        let ty = input.ty.with_dims(placement.sharding.shard_shape(&input.ty.dims));
        DeviceArray::new(ty, devices.local().iter().map(shard).collect())
    };
    let args = program.inputs().iter().zip(&spmd.params).map(placed).collect();
    let results = loaded.launch(args, None).unwrap();
    let whole = |((array, placement), result): ((DeviceArray, &Placement), &ResultInfo)| {
        let shards = array.shards().unwrap();
        let shards: Vec<&[u8]> = shards.iter().map(|shard| shard.bytes()).collect();
        (result.name.to_string(), numbers(&assemble(meshes, placement, &shards).unwrap()))
    };
    results.into_iter().zip(&spmd.results).zip(program.results()).map(whole).collect()
}

/// A language model here does not read the last token, which nothing follows.
fn given(model: &TextNet, batch: &Params) -> Params {
    let cut = |(name, x): &(String, Tensor)| match model {
        TextNet::Pair(_) => (name.clone(), *x),
        TextNet::Language(_) => (name.clone(), x.slice((.., 0..x.dim(1) - 1))),
    };
    Params { list: batch.list.iter().map(cut).collect() }
}

/// All tensors of a folder.
fn whole(folder: &Path) -> Named {
    let file = folder.join("model.safetensors");
    read(if file.is_file() { &file } else { folder }).unwrap()
}

fn numbers(array: &HostArray) -> Vec<f64> {
    let width = array.ty.dtype.bytes();
    let one = |bytes: &[u8]| match array.ty.dtype {
        meshwright_ir::DType::S32 => f64::from(i32::from_le_bytes(bytes.try_into().unwrap())),
        dtype => meshwright_ir::retype::float_of(dtype, bytes),
    };
    array.bytes.chunks(width).map(one).collect()
}

/// A plan for the batch of the golden files, with what else is asked for.
fn plan(config: &Config, sets: &[&str], axes: &str) -> TextPlan {
    let mut config = config.clone();
    let axes = format!("mesh.axes={axes}");
    for set in [&*axes, "data.batch=8", "data.input_length=24", "data.target_length=12"] {
        config.set(set).unwrap();
    }
    if config.model.decoder_only {
        config.set("data.target_length=23").unwrap();
    }
    config.model.group_size = if config.model.experts > 0 { 24 } else { 0 };
    sets.iter().for_each(|set| config.set(set).unwrap());
    let size = config.model.vocabulary;
    TrainingPlan::of(&config, Vocabularies { source: size, target: size }).unwrap().text().unwrap()
}

fn farthest(a: &[f64], b: &[f64]) -> f64 {
    assert_eq!(a.len(), b.len());
    a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
}

fn norm(x: &[f64]) -> f64 {
    x.iter().map(|x| x * x).sum::<f64>().sqrt()
}

/// The same numbers on every mesh.
fn agrees(name: &str) {
    agrees_with(name, &[]);
}

fn agrees_with(name: &str, sets: &[&str]) {
    for axes in MESHES {
        let case = Case::of((Library::HuggingFace, name), name, sets, axes);
        let said = case.said();
        let of = |name: &str| &said.iter().find(|(known, _)| known == name).unwrap().1;
        let far = farthest(&case.asked(of("logits")), &case.asked(&case.logits()));
        assert!(far < 1e-5, "{name} on `{axes}`: logits are {far:e} apart");
        let (loss, theirs) = (of("loss")[0], case.expected("loss")[0]);
        assert!((loss - theirs).abs() < 1e-4 * theirs, "{name} on `{axes}`: loss {loss}, theirs {theirs}");
        // That of keys' biases is nothing but for rounding: all keys of a query move alike.
        let none = 1e-7 * case.gradients(name).iter().map(|(_, x)| norm(&numbers(x))).fold(0.0, f64::max);
        for (weight, theirs) in case.gradients(name) {
            let (ours, theirs) = (of(&format!("grad.{weight}")), numbers(&theirs));
            let off: Vec<f64> = ours.iter().zip(&theirs).map(|(a, b)| a - b).collect();
            let (off, size) = (norm(&off), norm(&theirs));
            assert!(
                off <= 1e-4 * size || off.max(size) <= none,
                "{name} on `{axes}`: {weight} is off by {off:e} of {size:e}"
            );
        }
    }
}

/// Through a run and back: the same bytes.
fn comes_back(name: &str) {
    let (run, folder) = (place(&format!("run-{name}")), place(&format!("back-{name}")));
    let there = from_folder(Library::HuggingFace, &golden(name), &RunDir::new(&run)).unwrap();
    let back = to_folder(&run, Library::HuggingFace, &folder).unwrap();
    assert_eq!((&there.kind, there.elements), (&back.kind, back.elements));
    let bytes = |path: PathBuf| std::fs::read(path).unwrap();
    assert!(
        bytes(folder.join("config.json")) == bytes(golden(name).join("config.json")),
        "{name}: config.json"
    );
    assert_eq!(whole(&folder), whole(&golden(name)));
    let file = golden(name).join("model.safetensors");
    if file.is_file() {
        assert!(bytes(folder.join("model.safetensors")) == bytes(file), "{name}: model.safetensors");
    }
    [run, folder].iter().for_each(|path| std::fs::remove_dir_all(path).unwrap());
}

#[test]
fn t5_is_the_same_model() {
    ["t5", "t5-v1_1"].into_iter().for_each(agrees);
}

#[test]
fn mt5_is_the_same_model_from_three_files() {
    agrees("mt5");
}

#[test]
fn switch_drops_balances_and_learns_the_same() {
    ["switch", "switch-all"].into_iter().for_each(agrees);
}

#[test]
fn nllb_moe_is_the_same_model() {
    agrees("nllb-moe");
}

/// As it is trained: all of a batch is a group, an expert has a bounded number of places, and two choices of a token
/// share what was not dropped.
#[test]
fn nllb_moe_drops_in_training_as_there() {
    let sets = ["model.capacity_rule=fairseq", "model.capacity_factor=1", "model.group_size=192"];
    agrees_with("nllb-moe-trained", &sets);
    let case = Case::of((Library::HuggingFace, "nllb-moe-trained"), "nllb-moe-trained", &[], "");
    let said = case.said();
    let logits = &said.iter().find(|(known, _)| known == "logits").unwrap().1;
    assert!(
        farthest(&case.asked(logits), &case.asked(&case.logits())) > 1e-2,
        "without a bound nobody is dropped"
    );
}

#[test]
fn policies_and_capacities_of_nllb_moe_come_back() {
    for (policy, option) in [("all", "all"), ("random", "random-gate"), ("sampling", "sampled")] {
        let folder = mended("policy", "nllb-moe", |folder| {
            set(
                folder,
                "\"second_expert_policy\": \"all\"",
                &format!("\"second_expert_policy\": \"{policy}\""),
            );
        });
        let (run, back) = (place("policy-run"), place("policy-back"));
        from_folder(Library::HuggingFace, &folder, &RunDir::new(&run)).unwrap();
        let text = std::fs::read_to_string(run.join("config.toml")).unwrap();
        assert!(text.contains(&format!("second = \"{option}\"")), "{text}");
        to_folder(&run, Library::HuggingFace, &back).unwrap();
        let bytes = |folder: &Path| std::fs::read(folder.join("config.json")).unwrap();
        assert!(bytes(&folder) == bytes(&back), "{policy}");
        [folder, run, back].iter().for_each(|path| std::fs::remove_dir_all(path).unwrap());
    }
}

#[test]
fn mixtral_is_the_same_model() {
    agrees("mixtral");
}

#[test]
fn what_goes_through_a_run_comes_back_to_the_byte() {
    ALL.into_iter().for_each(comes_back);
}

/// Devices of this process.
fn on<R>(devices: usize, work: impl FnOnce(&Host<'_>) -> R) -> R {
    let devices = InProcess::new(devices, Some(2), Arc::new(Cpu::default()));
    work(&Host {
        devices: &devices,
        gather: &|shards: Vec<Vec<u8>>| Ok(Some(shards)),
        say: &|own| Ok(vec![own]),
        is_first: true,
        memory_limit: None,
        compile: &run::compile,
    })
}

/// The token that some texts were made to begin with.
const FORCED: u32 = 17;

/// Greedy texts of a checkpoint that was converted.
fn writes_alike(name: &str) {
    let dir = place(&format!("greedy-{name}"));
    from_folder(Library::HuggingFace, &golden(name), &RunDir::new(&dir)).unwrap();
    let found = run::find(&dir).unwrap().checkpoint.unwrap();
    for axes in MESHES {
        let case = Case::new(name, axes);
        let is_pair = matches!(case.plan.model, TextNet::Pair(_));
        let end = if ["nllb-moe", "mixtral"].contains(&name) { 2 } else { 1 };
        let rows = |of: &str| -> Vec<Vec<u32>> {
            let array = &case.expected[of];
            let row = |row: &[f64]| row.iter().map(|x| *x as u32).collect();
            numbers(array).chunks(array.ty.dims[1] as usize).map(row).collect()
        };
        // What begins every text here, or ends every source, is not given.
        let prompt = |row: Vec<u32>| -> Vec<u32> {
            if is_pair { row.into_iter().take_while(|x| *x != end).collect() } else { row[1..6].to_vec() }
        };
        let prompts: Vec<_> =
            rows(if is_pair { "source" } else { "tokens" }).into_iter().map(prompt).collect();
        let until =
            |row: Vec<u32>| -> Vec<u32> { row.into_iter().take(12).take_while(|x| *x != end).collect() };
        let expected: Vec<_> = rows("written").into_iter().map(until).collect();
        let search = Search::One(NextToken::Likeliest);
        let write = |answer: Option<u32>, most: usize| -> Vec<Vec<u32>> {
            let written = on(case.plan.devices(), |host| {
                let frame = Framing { answer, end, ..Framing::default() };
                let decoding = Decoding::of(&case.plan, 8, frame, Room::Training, search);
                let mut decoder = Decoder::new(&case.plan, decoding, host).unwrap();
                let states = decoder.states(&mut Checkpoint::open(&found).unwrap(), host).unwrap();
                decoder.run(&states, &prompts, most, 0, host).unwrap()
            });
            written.into_iter().map(|all| all[0].tokens.clone()).collect()
        };
        assert_eq!(write(None, 12), expected, "{name} on `{axes}`");
        if case.expected.contains_key("forced") {
            let expected: Vec<Vec<u32>> = rows("forced")
                .into_iter()
                .map(|row| {
                    assert_eq!(row[0], FORCED);
                    row.into_iter().skip(1).take_while(|x| *x != end).collect()
                })
                .collect();
            assert_eq!(write(Some(FORCED), 11), expected, "{name} on `{axes}`, its first token forced");
            assert_ne!(write(None, 12)[0], [&[FORCED][..], &expected[0]].concat());
        }
    }
    std::fs::remove_dir_all(dir).unwrap();
}

/// Hypotheses of a beam search, with a first token that is given and without: the same texts in the same order, and the
/// same scores. Those that did not end stand among the others there, and here only the best where none has ended.
fn searches_alike(name: &str, end: u32) {
    let rows = |array: &HostArray| -> Vec<Vec<f64>> {
        numbers(array).chunks(array.ty.dims[1] as usize).map(<[f64]>::to_vec).collect()
    };
    let mut ended = 0;
    for axes in MESHES {
        let case = Case::new(name, axes);
        let own = if name == "nllb-moe" { 2.0 } else { 1.0 };
        let prompt = |row: Vec<f64>| row.iter().take_while(|x| **x != own).map(|x| *x as u32).collect();
        let prompts: Vec<Vec<u32>> = rows(&case.expected["source"]).into_iter().map(prompt).collect();
        for (of, layout) in
            [("", CacheLayout::ByHypothesis), ("", CacheLayout::Flat), ("forced_", CacheLayout::Flat)]
        {
            let Some(beams) = case.expected.get(&format!("{of}beams")) else { continue };
            let scores = rows(&case.expected[&format!("{of}scores")]);
            let answer = (of == "forced_").then_some(FORCED);
            let given = usize::from(answer.is_some());
            let frame = Framing { answer, end, ..Framing::default() };
            let search = Search::Beam { beam: scores[0].len(), layout, alpha: 0.0 };
            let decoding = Decoding::of(&case.plan, 8, frame, Room::Training, search);
            let found = on(case.plan.devices(), |host| {
                let mut decoder = Decoder::new(&case.plan, decoding, host).unwrap();
                let mut foreign = Foreign::open(case.library, &case.folder).unwrap();
                let states = decoder.states(&mut foreign, host).unwrap();
                decoder.run(&states, &prompts, 12 - given, 0, host).unwrap()
            });
            let texts: Vec<Vec<u32>> =
                numbers(beams).chunks(12).map(|row| row.iter().map(|x| *x as u32).collect()).collect();
            for ((ours, theirs), scores) in found.iter().zip(texts.chunks(scores[0].len())).zip(&scores) {
                let theirs = theirs.iter().zip(scores).map(|(text, score)| {
                    assert!(text[..given].iter().all(|token| *token == FORCED));
                    let text = &text[given..];
                    let own: Vec<u32> = text.iter().copied().take_while(|token| *token != end).collect();
                    (own.len() < text.len(), own, *score)
                });
                let (done, cut): (Vec<_>, Vec<_>) = theirs.partition(|(is_ended, ..)| *is_ended);
                ended += done.len();
                let expected = if ours[0].is_ended {
                    done
                } else {
                    assert!(done.is_empty());
                    cut
                };
                let ours: Vec<_> =
                    ours.iter().map(|one| (one.is_ended, one.tokens.clone(), one.score)).collect();
                assert!(!expected.is_empty() || ours[0].0);
                for (ours, theirs) in ours.iter().zip(&expected) {
                    assert_eq!(
                        (ours.0, &ours.1),
                        (theirs.0, &theirs.1),
                        "{name} on `{axes}`, {of}{layout:?}"
                    );
                    assert!((ours.2 - theirs.2).abs() < 1e-4, "{name} on `{axes}`: {ours:?} {theirs:?}");
                }
                assert!(ours.len() >= expected.len() || !ours[0].0, "{ours:?} {expected:?}");
            }
        }
    }
    assert!(ended > 20, "{name}: {ended} ended");
}

#[test]
fn beams_are_the_same_and_begin_with_what_is_given() {
    [("t5", 47), ("switch", 42), ("nllb-moe", 37)]
        .into_iter()
        .for_each(|(name, end)| searches_alike(name, end));
}

#[test]
fn greedy_texts_are_the_same() {
    ALL.into_iter().for_each(writes_alike);
}

/// A golden folder with something done to it.
fn mended(name: &str, of: &str, mend: impl FnOnce(&Path)) -> PathBuf {
    let folder = place(name);
    std::fs::create_dir_all(&folder).unwrap();
    for entry in golden(of).read_dir().unwrap() {
        let path = entry.unwrap().path();
        std::fs::copy(&path, folder.join(path.file_name().unwrap())).unwrap();
    }
    mend(&folder);
    folder
}

/// What is said of a folder that is refused; nothing is written.
fn said_of(folder: &Path) -> String {
    let run = place("refused");
    let found = from_folder(Library::HuggingFace, folder, &RunDir::new(&run)).unwrap_err();
    assert!(!run.exists());
    std::fs::remove_dir_all(folder).unwrap();
    match found {
        run::Error::Input(found) => found.into_iter().map(|one| one.message).collect::<Vec<_>>().join("\n"),
        other => panic!("{other:?}"),
    }
}

fn set(folder: &Path, from: &str, to: &str) {
    let path = folder.join("config.json");
    let text = std::fs::read_to_string(&path).unwrap();
    assert!(text.contains(from));
    std::fs::write(path, text.replace(from, to)).unwrap();
}

#[test]
fn a_folder_that_is_damaged_is_refused() {
    let cut = mended("cut", "t5", |folder| {
        let file = std::fs::OpenOptions::new().write(true).open(folder.join("model.safetensors")).unwrap();
        file.set_len(20_000).unwrap();
    });
    let said = said_of(&cut);
    assert!(said.contains("model.safetensors` is damaged: its tensors do not fill its"), "{said}");
    let lost = mended("lost", "mt5", |folder| {
        std::fs::remove_file(folder.join("model-00002-of-00003.safetensors")).unwrap();
    });
    let said = said_of(&lost);
    assert!(said.contains("cannot read") && said.contains("model-00002-of-00003.safetensors"), "{said}");
}

#[test]
fn weights_that_are_no_numbers_are_refused_by_their_name_there() {
    let broken = mended("nan", "t5", |folder| {
        let all = whole(folder);
        let mut weights: Vec<(&str, HostArray)> = all.iter().map(|(name, x)| (&**name, x.clone())).collect();
        let name = "decoder.block.0.layer.1.EncDecAttention.k.weight";
        let (_, array) = weights.iter_mut().find(|(known, _)| *known == name).unwrap();
        array.bytes[..4].copy_from_slice(&f32::NAN.to_le_bytes());
        array.bytes[8..12].copy_from_slice(&f32::NEG_INFINITY.to_le_bytes());
        let listed: Vec<(&str, &HostArray)> = weights.iter().map(|(name, array)| (*name, array)).collect();
        write_file(&folder.join("model.safetensors"), &listed).unwrap();
    });
    let said = said_of(&broken);
    assert!(said.contains("`decoder.block.0.layer.1.EncDecAttention.k.weight` of `"), "{said}");
    assert!(said.contains("holds a NaN or an infinity: 2 of the 256 numbers read"), "{said}");
}

#[test]
fn everything_missing_unknown_or_of_another_shape_is_listed() {
    let other = mended("other", "switch", |folder| {
        set(folder, "\"d_ff\": 32", "\"d_ff\": 24");
        set(folder, "\"num_experts\": 4", "\"num_experts\": 3");
    });
    let said = said_of(&other);
    assert!(said.contains("of another shape or type (") && said.contains("unknown ("), "{said}");
    assert!(
        said.contains(
            "encoder.block.0.layer.1.mlp.wi.weight is F32 [32, 16], and should be of floats [24, 16]"
        )
    );
    assert!(said.contains("encoder.block.1.layer.1.mlp.experts.expert_3.wi.weight"), "{said}");
    for (from, to) in [
        ("\"num_layers\": 2", "\"num_layers\": 18446744073709551615"),
        ("\"num_experts\": 4", "\"num_experts\": 999999999"),
    ] {
        let begun = std::time::Instant::now();
        let said = said_of(&mended("many", "switch", |folder| set(folder, from, to)));
        assert!(said.contains(", and there are ") && begun.elapsed().as_secs() < 10, "{said}");
    }
    let deep = mended("deep", "t5", |folder| set(folder, "\"num_layers\": 2", "\"num_layers\": 3"));
    let said = said_of(&deep);
    assert!(
        said.contains("missing (") && said.contains("encoder.block.2.layer.0.layer_norm.weight [16]"),
        "{said}"
    );
}

#[test]
fn what_is_asked_and_not_done_is_refused_or_told() {
    let added = |asked: &str| {
        said_of(&mended("added", "t5-v1_1", |folder| set(folder, "\"d_ff\"", &format!("{asked}, \"d_ff\""))))
    };
    for asked in [
        "\"quantization_config\": {\"bits\":8}",
        "\"scale_embedding\": true",
        "\"attention_bias\": true",
        "\"num_hidden_layers\": 7",
    ] {
        let (said, name) = (added(asked), asked.split('"').nth(1).unwrap());
        assert!(said.contains(&format!("what `config.json` says: `{name}` is ")), "{said}");
    }
    for (of, from, to) in [
        ("t5-v1_1", "\"dense_act_fn\": \"gelu_new\"", "\"dense_act_fn\": \"silu\""),
        ("t5", "\"is_encoder_decoder\": true", "\"is_encoder_decoder\": false"),
        ("t5", "\"eos_token_id\": 1", "\"eos_token_id\": 7"),
        ("mixtral", "\"eos_token_id\": 2", "\"eos_token_id\": [2, 7]"),
    ] {
        let said = said_of(&mended("asked", of, |folder| set(folder, from, to)));
        let (name, value) = to.split_once(": ").unwrap();
        let value = value.replace(", ", ",");
        assert!(said.contains(&format!("`{}` is {value}", name.trim_matches('"'))), "{said}");
    }
    let notes = |folder: PathBuf| {
        let notes = Foreign::open(Library::HuggingFace, &folder).unwrap().notes().join("\n");
        std::fs::remove_dir_all(folder).unwrap();
        notes
    };
    assert_eq!(notes(mended("plain", "t5", |_| ())), "");
    let told = notes(mended("told", "t5", |folder| {
        set(
            folder,
            "\"d_ff\": 32",
            "\"d_ff\": 32, \"num_beams\": 4, \"novel\": {\"a\": 1}, \"_name_or_path\": \"x\"",
        );
        let asked = "{\"_from_model_config\": true, \"eos_token_id\": 1, \"num_beams\": 4, \"forced_bos_token_id\": 3}";
        std::fs::write(folder.join("generation_config.json"), asked).unwrap();
    }));
    let lines = [
        "`generation_config.json` is not followed in `forced_bos_token_id` 3",
        "`config.json` is not followed in `num_beams` 4, `novel`",
    ];
    assert_eq!(told, lines.join("\n"));
    let told = notes(mended("told", "nllb-moe", |_| ()));
    assert!(told.contains("`decoder_layerdrop` 0.05, `encoder_layerdrop` 0.05"), "{told}");
}

#[test]
fn mt5_has_logits_of_its_own_unless_it_says_otherwise() {
    let untied = mended("untied", "mt5", |folder| set(folder, "\n \"tie_word_embeddings\": false,", ""));
    let config = |folder: &Path| Foreign::open(Library::HuggingFace, folder).unwrap().config().clone();
    assert!(!config(&untied).model.tied_embeddings);
    let (run, back) = (place("untied-run"), place("untied-back"));
    from_folder(Library::HuggingFace, &untied, &RunDir::new(&run)).unwrap();
    to_folder(&run, Library::HuggingFace, &back).unwrap();
    let bytes = |folder: &Path| std::fs::read(folder.join("config.json")).unwrap();
    assert!(bytes(&untied) == bytes(&back));
    let gated = mended("gated", "mt5", |folder| set(folder, "\n \"feed_forward_proj\": \"gated-gelu\",", ""));
    assert_eq!(config(&gated).model.activation, meshwright_train::config::Activation::Geglu);
    [untied, run, back, gated].iter().for_each(|path| std::fs::remove_dir_all(path).unwrap());
}

#[test]
fn a_value_out_of_bounds_and_weights_as_pickles_are_told_in_the_folder_s_words() {
    let said = said_of(&mended("dropout", "t5", |folder| {
        set(folder, "\"dropout_rate\": 0.0", "\"dropout_rate\": 1.0")
    }));
    assert!(
        said.contains("`model.dropout` is 1, as the checkpoint says it in `dropout_rate`: 1.0"),
        "{said}"
    );
    let said = said_of(&mended("pickled", "t5", |folder| {
        let rename = |from: &str, to: &str| std::fs::rename(folder.join(from), folder.join(to)).unwrap();
        rename("model.safetensors", "pytorch_model.bin");
    }));
    assert!(said.contains("has weights in `pytorch_model.bin` alone"), "{said}");
    let said = said_of(&mended("tokenizer", "t5", |folder| {
        std::fs::write(folder.join("tokenizer.json"), "{\"model\": 3}").unwrap();
    }));
    assert!(said.contains("tokenizer.json` is no tokenizer: "), "{said}");
}

#[test]
fn what_no_model_here_has_is_refused_by_name() {
    let other = mended("buckets", "t5", |folder| {
        set(folder, "\"relative_attention_num_buckets\": 32", "\"relative_attention_num_buckets\": 16");
        set(folder, "\"feed_forward_proj\": \"relu\"", "\"feed_forward_proj\": \"gelu\"");
    });
    let said = said_of(&other);
    assert!(said.contains("`relative_attention_num_buckets` is 16"), "{said}");
    assert!(said.contains("`feed_forward_proj` is \"gelu\""), "{said}");
    let bert =
        mended("bert", "t5", |folder| set(folder, "\"model_type\": \"t5\"", "\"model_type\": \"bert\""));
    assert!(said_of(&bert).contains("`model_type` is `bert`"));
}

#[test]
fn a_run_takes_all_weights_of_a_folder_or_none() {
    let foreign = Foreign::open(Library::HuggingFace, &golden("nllb-moe")).unwrap();
    let with = |sets: &[&str]| {
        let mut config = foreign.config().clone();
        sets.iter().for_each(|set| config.set(set).unwrap());
        let size = config.model.vocabulary;
        let plan = TrainingPlan::of(&config, Vocabularies { source: size, target: size }).unwrap();
        foreign.fits(&plan, &config).map_err(|found| found.message)
    };
    assert_eq!(with(&[]), Ok(()));
    assert_eq!(with(&["data.input_length=64", "model.dropout=0.3"]), Ok(()));
    let said = with(&["data.target_length=65"]).unwrap_err();
    assert!(said.contains("it has learnt 64 positions, and texts of 65 tokens are asked for"), "{said}");
    let said = with(&["model.layers=4", "model.d_ff=16"]).unwrap_err();
    assert!(said.contains("not there (") && said.contains("of another shape ("), "{said}");
    let said = with(&["model.start_token=3"]).unwrap_err();
    assert!(said.contains("`model.start_token` is 3 and should be 2"), "{said}");
}

/// A checkpoint of T5X holds the numbers of the folder that it was made of.
#[test]
fn t5x_has_the_same_weights() {
    let bytes = |library: Library, name: &str| -> Vec<(String, Vec<u8>)> {
        let all = weights(Foreign::open(library, &golden(name)).unwrap());
        all.into_iter().map(|(name, array)| (name, array.bytes)).collect()
    };
    for (name, of) in [("t5x-v1_1", "t5-v1_1"), ("t5x-switch", "switch")] {
        assert!(bytes(Library::T5x, name) == bytes(Library::HuggingFace, of), "{name}");
    }
}

/// Layers that are not there one by one.
#[test]
fn layers_in_piles_are_refused_of_t5x() {
    let folder = place("t5x-other");
    std::fs::create_dir_all(&folder).unwrap();
    let of = golden("t5x-switch");
    let bytes = std::fs::read(of.join("checkpoint")).unwrap();
    // Names of one length, so that the file stays whole.
    let with = |from: &str, to: &str| {
        let mut bytes = bytes.clone();
        for at in 0..bytes.len() - from.len() {
            if bytes[at..].starts_with(from.as_bytes()) {
                bytes[at..at + to.len()].copy_from_slice(to.as_bytes());
            }
        }
        std::fs::write(folder.join("checkpoint"), bytes).unwrap();
        let found = Foreign::open(Library::T5x, &folder).unwrap_err();
        found.into_iter().map(|one| one.message).collect::<String>()
    };
    for array in of.read_dir().unwrap().map(|entry| entry.unwrap().path()).filter(|path| path.is_dir()) {
        let into = folder.join(array.file_name().unwrap());
        std::fs::create_dir_all(&into).unwrap();
        for chunk in array.read_dir().unwrap().map(|entry| entry.unwrap().path()) {
            std::fs::copy(&chunk, into.join(chunk.file_name().unwrap())).unwrap();
        }
    }
    let said = with("layers_0", "blocks_0");
    assert!(said.contains("it has no `encoder/layers_0` with a `decoder/layers_0`"), "{said}");
    std::fs::remove_dir_all(folder).unwrap();
}

/// flaxformer's layout of a Switch: with its routing as `transformers` has it the same model as that one's, and with
/// its own what numpy says, gates, another width of experts and dropped tokens among it.
#[test]
fn switch_of_flaxformer_is_the_same_model() {
    let as_there = [
        "model.capacity_rule=fixed",
        "model.capacity_factor=7",
        "model.route_padding=true",
        "model.router_losses=stack",
        "model.aux_loss=0.02",
        "model.z_loss=0.01",
    ];
    for axes in MESHES {
        for (name, of, sets) in [("t5x-switch", "switch", &as_there[..]), ("t5x-gated", "t5x-gated", &[])] {
            let case = Case::of((Library::T5x, name), of, sets, axes);
            let said = case.said();
            let logits = &said.iter().find(|(known, _)| known == "logits").unwrap().1;
            let far = farthest(&case.asked(logits), &case.asked(&case.logits()));
            assert!(far < 1e-5, "{name} on `{axes}`: logits are {far:e} apart");
            if let Some(loss) = case.expected.get("loss") {
                let (ours, theirs) =
                    (said.iter().find(|(known, _)| known == "loss").unwrap().1[0], numbers(loss)[0]);
                assert!(
                    (ours - theirs).abs() < 1e-4 * theirs,
                    "{name} on `{axes}`: loss {ours}, theirs {theirs}"
                );
            }
        }
    }
}

/// Through a run and back twice: the one file is the same to the byte.
#[test]
fn t5x_comes_back_to_the_byte() {
    for name in ["t5x-v1_1", "t5x-switch", "t5x-gated"] {
        let [run, back, again, twice] =
            ["run", "back", "again", "twice"].map(|at| place(&format!("{name}-{at}")));
        from_folder(Library::T5x, &golden(name), &RunDir::new(&run)).unwrap();
        to_folder(&run, Library::T5x, &back).unwrap();
        let all = |folder: &Path| -> Vec<(String, Vec<u8>)> {
            let found = weights(Foreign::open(Library::T5x, folder).unwrap());
            found.into_iter().map(|(name, array)| (name, array.bytes)).collect()
        };
        assert!(all(&golden(name)) == all(&back), "{name}");
        from_folder(Library::T5x, &back, &RunDir::new(&again)).unwrap();
        to_folder(&again, Library::T5x, &twice).unwrap();
        let bytes = |folder: &Path| std::fs::read(folder.join("checkpoint")).unwrap();
        assert!(bytes(&back) == bytes(&twice), "{name}");
        [run, back, again, twice].iter().for_each(|path| std::fs::remove_dir_all(path).unwrap());
    }
}

#[test]
fn a_chunk_of_t5x_that_is_cut_or_not_there_is_refused_unless_zeros_are_meant() {
    let chunk = |folder: &Path| folder.join("target.token_embedder.embedding/0.0");
    let copied = |name: &str| {
        let folder = place(name);
        for entry in golden("t5x-v1_1").read_dir().unwrap() {
            let path = entry.unwrap().path();
            let into = folder.join(path.file_name().unwrap());
            if path.is_dir() {
                std::fs::create_dir_all(&into).unwrap();
                for entry in path.read_dir().unwrap() {
                    let path = entry.unwrap().path();
                    std::fs::copy(&path, into.join(path.file_name().unwrap())).unwrap();
                }
            } else {
                std::fs::create_dir_all(&folder).unwrap();
                std::fs::copy(&path, into).unwrap();
            }
        }
        folder
    };
    let cut = copied("t5x-cut");
    let bytes = std::fs::read(chunk(&cut)).unwrap();
    std::fs::write(chunk(&cut), &bytes[..bytes.len() / 2]).unwrap();
    let run = place("t5x-refused");
    let found = from_folder(Library::T5x, &cut, &RunDir::new(&run)).unwrap_err();
    assert!(
        matches!(&found, run::Error::Input(all) if all[0].message.contains("0.0` is damaged")),
        "{found:?}"
    );
    assert!(!run.exists());
    std::fs::remove_file(chunk(&cut)).unwrap();
    let found = Foreign::open(Library::T5x, &cut).unwrap_err();
    let said = "target.token_embedder.embedding` is not whole: 1 of its 6 chunks are not there";
    assert!(found[0].message.contains(said), "{found:?}");
    let array = cut.join("target.token_embedder.embedding/.zarray");
    let text = std::fs::read_to_string(&array).unwrap();
    for fill in [0.0, 0.25] {
        let filled = text.replace("\"fill_value\":null", &format!("\"fill_value\":{fill:?}"));
        std::fs::write(&array, filled).unwrap();
        let foreign = Foreign::open(Library::T5x, &cut).unwrap();
        let note = "`token_embedder/embedding` lacks 1 of its 6 chunks, which hold its `fill_value`: ";
        assert_eq!(foreign.notes(), [format!("{note}{fill}")]);
        let all = weights(foreign);
        let (_, table) = all.iter().find(|(name, _)| name == "params.embed.table").unwrap();
        assert_eq!(numbers(table)[..12], [fill; 12]);
        assert!(numbers(table)[12] != fill);
    }
    std::fs::remove_dir_all(cut).unwrap();
}
