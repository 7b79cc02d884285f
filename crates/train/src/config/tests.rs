//! What users write and what they are told.

use super::*;
use meshwright_base::render;

fn read(text: &str) -> Config {
    let source = SourceText::new("run.toml", text);
    Config::read(&source).unwrap_or_else(|found| panic!("{found:?}"))
}

/// All that is said of a text, rendered.
fn told(text: &str) -> String {
    let source = SourceText::new("run.toml", text);
    let found = Config::read(&source).map_or_else(|found| found, |config| config.check());
    found.iter().map(|diagnostic| render(diagnostic, Some(&source))).collect()
}

#[test]
fn an_empty_text_is_the_default_run_and_contradicts_nothing() {
    let config = read("");
    assert_eq!(config, Config::default());
    assert_eq!(config.check(), []);
}

#[test]
fn what_is_written_is_read_again() {
    let mut config = read("[model]\nexperts = 1_6\ndtype = \"bf16\"\n[mesh]\naxes = \"data=2, expert=4\"\n");
    config.data.files = vec!["a \"b\"\\\n".into()];
    assert_eq!((config.model.experts, config.model.dtype), (16, Dtype::Bf16));
    assert_eq!(config.mesh.axes.0, [("data".to_string(), 2), ("expert".to_string(), 4)]);
    let mut again = read(&config.write());
    again.written = config.written.clone();
    assert_eq!(again, config);
}

#[test]
fn every_field_is_documented_and_its_default_is_of_its_type() {
    for (section, fields) in Config::reference() {
        for info in fields {
            assert!(info.doc.len() > 8, "{section}.{}", info.name);
            let text = format!("[{section}]\n{} = {}\n", info.name, info.default);
            assert_eq!(read(&text).write(), Config::default().write(), "{text}");
        }
    }
}

#[test]
fn what_is_explained_is_the_configuration_with_comments() {
    let config = read("[model]\nexperts = 16\n[mesh]\naxes = \"expert=4\"\n");
    let text = config.explained();
    assert!(
        text.contains("\n# Experts per routed layer; 0 makes every FFN dense.\nexperts = 16\n"),
        "{text}"
    );
    assert!(text.contains("(one of \"f32\", \"bf16\", \"f64\")\ndtype = \"f32\"\n"), "{text}");
    assert_eq!(read(&text).write(), config.write());
    // Nothing in it counts as said by its user.
    assert_eq!(told(&text), "");
}

#[test]
fn an_unknown_field_shows_its_line_and_the_near_name() {
    assert_eq!(
        told("[model]\nlayers = 2\nexpert = 4\n"),
        "error[E1102]: `[model]` has no field `expert`\n  --> run.toml:3:1\n  |\n3 | expert = 4\n  | ^^^^^^\n   = help: did you mean `experts`?\n"
    );
}

#[test]
fn all_mistakes_are_told_at_once_in_the_order_of_the_text() {
    let said = told("[train]\nexperts = 3\nsteps = \"many\"\n[modle]\nlayers = 1\n[mesh]\naxes = \"a=0\"\n");
    let heads: Vec<&str> = said.lines().filter(|line| line.starts_with("error")).collect();
    assert_eq!(
        heads,
        [
            "error[E1102]: `[train]` has no field `experts`",
            "error[E1103]: `train.steps` cannot be \"many\"",
            "error[E1102]: there is no section `[modle]`",
            "error[E1103]: `mesh.axes` cannot be \"a=0\"",
        ]
    );
    assert!(said.contains("help: `experts` is a field of `[model]`"));
    assert!(said.contains("help: did you mean `model`?"));
}

#[test]
fn broken_toml_and_fields_outside_sections_are_told_with_their_line() {
    assert!(told("[model]\nlayers = = 2\n").contains("run.toml:2:"));
    assert!(told("experts = 2\n").contains("help: put it under `[model]`"));
    assert!(told("[model]\nlayers = 99999999999999999999999\n").contains("E1103"));
    assert!(told("[model]\nlayers = -1\n").contains("write a whole number"));
    let deep = format!("[model]\nlayers = {}", "[".repeat(100_000));
    assert!(told(&deep).contains("error"));
}

#[test]
fn overrides_set_words_and_numbers_and_are_named_in_what_is_told() {
    let mut config = read("[model]\nexperts = 4\n");
    config.set("model.experts=16").unwrap();
    config.set("model.routing = gshard").unwrap();
    config.set("mesh.axes=data=2,expert=4").unwrap();
    config.set("checkpoint.dir=\"a b\"").unwrap();
    assert_eq!((config.model.experts, config.model.routing), (16, Routing::Gshard));
    assert_eq!((config.mesh.axes.devices(), config.checkpoint.dir.as_str()), (8, "a b"));
    let said = |result: Result<(), Vec<Diagnostic>>| render(&result.unwrap_err()[0], None);
    assert!(said(config.set("model.expert=2")).contains("--> --set model.expert=2:1:7"));
    assert!(said(config.set("model.experts")).contains("write it as"));
    assert!(said(config.set("experts=2")).contains("put it under `[model]`"));
    config.set("model.expert_every=9").unwrap();
    assert!(render(&config.check()[0], None).contains("--> --set model.expert_every=9"));
}

#[test]
fn a_teacher_without_a_share_is_told_to_cost_and_change_nothing() {
    let read = |text: &str| Config::read(&SourceText::new("run.toml", text)).unwrap();
    let found = read("[distill]\nteacher = \"a\"\nshare = 0").check();
    assert!(
        found.iter().any(|one| !one.is_error() && one.message.ends_with("`distill.share` is 0")),
        "{found:?}"
    );
    assert_eq!(read("[distill]\nteacher = \"a\"").check(), Vec::new());
}

#[test]
fn contradictions_say_the_numbers_and_the_way_out() {
    let cases = [
        ("[model]\nexperts = 2\nrouting = \"top\"\ntop = 3", "each token goes to 3 experts, and there are 2"),
        ("[model]\nexperts = 1\nrouting = \"gshard\"", "2 experts, and there is 1"),
        ("[model]\nexperts = 256\n[data]\nbatch = 2", "an expert has room for 0.62 tokens"),
        (
            "[model]\ndecoder_only = true\n[data]\ntask = \"next\"\ninput_length = 8",
            "`data.input_length` has no effect: a decoder alone reads no input",
        ),
        (
            "[model]\nexperts = 4\ncapacity_factor = 1e9",
            "`model.capacity_factor` is 1000000000: an expert would have places for 250000000 times all tokens of a group",
        ),
        (
            "[model]\ncapacity_rule = \"fixed\"\neval_capacity_factor = 70000",
            "`model.eval_capacity_factor` is 70000: an expert would have as many places",
        ),
        ("[model]\npositions = 32", "`data.input_length` is 64 and the model has 32 positions"),
        ("[data]\ncorpus = \"files\"", "has no files"),
        ("[data]\nfiles = [\"a\"]", "1 files are named, and the corpus is \"multilingual\""),
        ("[data]\ncorpus = \"text\"", "has no targets"),
        ("[model]\ndecoder_only = true", "needs an encoder and a decoder"),
        ("[data]\ntask = \"next\"", "without input"),
        ("[data]\ntask = \"spans\"\nsentinels = 2", "about 4 spans, and there are 2 sentinels"),
        ("[data]\ntask = \"spans\"\nnoise_density = 1.0", "`data.noise_density` is 1"),
        ("[model]\nexperts = 0\n[mesh]\naxes = \"expert=8\"", "the model has no experts"),
        ("[mesh]\nstrategy = \"expert+data\"\naxes = \"model=2\"", "puts nothing on axis `model` of size 2"),
        ("[optimizer]\naccumulate = 3", "a batch of 64 rows cannot be computed in 3 equal parts"),
        ("[optimizer]\nschedule = \"cosine\"\nwarmup = 2000", "warmup takes 2000 of 1000 steps"),
        ("[optimizer]\nbeta2 = 0.9", "`optimizer.beta2` has no effect: only adam and adamw read it"),
        ("[checkpoint]\nkeep = 0", "`checkpoint.keep` is too small"),
        ("[model]\ndropout = 1.0", "`model.dropout` is 1"),
        ("[data]\ndocuments = 0", "the corpus would be empty"),
        ("[model]\nrouting = \"none-left-behind\"\nstages = 9", "may ask 9 experts, and there are 8"),
        (
            "[model]\nrouting = \"none-left-behind\"\nexplore = \"sample\"",
            "no next best of an expert that was drawn",
        ),
        ("[model]\nstages = 3", "`model.stages` has no effect"),
        ("[model]\ngate_weights = \"raw\"", "`model.gate_weights` has no effect: only routings \"gshard\""),
        ("[model]\nrouting = \"top\"\nsecond = \"all\"", "`model.second` has no effect"),
        (
            "[model]\nrouting = \"gshard\"\nsecond = \"all\"\nsecond_threshold = 0.3",
            "`model.second_threshold` has no effect: second choices are used always, or never",
        ),
        (
            "[model]\nrouting = \"gshard\"\nsecond = \"threshold\"\nsecond_threshold = 0.6",
            "is above 0.6, and none has more than 0.5",
        ),
        ("[model]\nrouting = \"gshard\"\nsecond = \"threshold\"", "is above 0.5, and none has more than 0.5"),
        ("[model]\nexplore = \"sample\"\njitter = 0.1", "`model.jitter` has no effect"),
        ("[model]\ncapacity_rule = \"gshard\"\ncapacity_factor = 1.0", "\"gshard\" has no factor"),
        ("[optimizer]\nmaster = false", "`optimizer.master` has no effect: weights are stored as wide"),
        ("[model]\nparam_dtype = \"bf16\"\ndtype = \"f64\"", "each step would round away what f64 is for"),
        ("[model]\nlayers = 1000000000", "`model.layers` is 1000000000, the most is 4096"),
        ("[data]\nbatch = 9223372036854775807", "`data.batch` is 9223372036854775807, the most is 16777216"),
        ("[data]\nbatch = 16777216\ntarget_length = 1048576", "is 17592202821632 tokens"),
        ("[train]\neval_batches = 1000000000000", "the most is 100000"),
        ("[model.pipeline]\nstages = 0", "`model.pipeline.stages` is too small"),
        ("[model.pipeline]\nstages = 2\nmicrobatches = 0", "`model.pipeline.microbatches` is too small"),
        (
            "[model.pipeline]\nstages = 2\nschedule = \"circular\"\nrounds = 0",
            "`model.pipeline.rounds` is too small",
        ),
        ("[model.pipeline]\nmicrobatches = 4", "`model.pipeline.stages` is 1: no pipeline"),
        ("[model.pipeline]\nstages = 2\nrounds = 3", "only schedule \"circular\" reads it"),
        (
            "[model]\nlayers = 6\n[model.pipeline]\nstages = 4",
            "6 layers do not divide into 4 stages x 1 of 2 layers with experts",
        ),
        (
            "[model]\nexperts = 0\nlayers = 4\n[model.pipeline]\nstages = 4\nschedule = \"circular\"",
            "4 layers do not divide into 4 stages x 2 rounds",
        ),
        (
            "[model]\nexperts = 0\nlayers = 4\n[model.pipeline]\nstages = 4\nmicrobatches = 9",
            "64 rows cannot be cut into 9 equal microbatches",
        ),
        (
            "[model]\nexperts = 0\nlayers = 4\n[model.pipeline]\nstages = 2\n\
             [mesh]\naxes = \"stage=4\"\nstrategy = \"2d-pipelined\"",
            "2 stages cannot lie on the 4 devices of axis `stage`",
        ),
        (
            "[mesh]\naxes = \"stage=4\"\nstrategy = \"2d-pipelined\"",
            "axis `stage` has 4 devices for stages, and the model has one stage",
        ),
    ];
    for (text, expected) in cases {
        let said = told(text);
        assert!(
            said.contains("error[E1104]") && said.contains(expected) && said.contains("help"),
            "{text}\n{said}"
        );
    }
}

/// A value that a field does not have, of its type.
fn another(info: &FieldInfo) -> String {
    let words: Vec<&str> =
        info.expected.strip_prefix("one of ").into_iter().flat_map(|all| all.split(", ")).collect();
    let word = words.into_iter().find(|word| *word != info.default);
    match (word, info.default.as_str()) {
        (Some(word), _) => word.to_string(),
        (None, "true") => "false".into(),
        (None, "false") => "true".into(),
        (None, list) if list.starts_with('[') => "[\"other.txt\"]".into(),
        (None, text) if text.contains("24x24") => "\"8x8\"".into(),
        (None, _) if info.name == "told" => "\"8x8\"".into(),
        (None, text) if text.starts_with('"') => "\"data=2\"".into(),
        (None, "7") => "8".into(),
        (None, _) => "7".into(),
    }
}

/// Every field there is, set to something else on a run that goes on: it takes effect, or is refused with the reason.
#[test]
fn every_field_takes_effect_when_a_run_goes_on_or_is_refused_with_the_reason() {
    // What binds only some of its values.
    let in_part = |path: &str| matches!(path, "model.dtype" | "optimizer.rule" | "optimizer.beta1");
    for (section, fields) in Config::reference() {
        for info in fields {
            let (saved, mut ours) = (Config::default(), Config::default());
            let path = format!("{section}.{}", info.name);
            ours.set(&format!("{path}={}", another(&info))).unwrap();
            let found = ours.refused_on_resume(&saved, |_| true);
            match info.bound.reason() {
                _ if in_part(&path) => {}
                None => assert_eq!(found, [], "{path}"),
                Some(reason) => {
                    let said = render(found.first().unwrap_or_else(|| panic!("`{path}` is taken")), None);
                    assert!(said.starts_with(&format!("error[E1107]: `{path}` is ")), "{said}");
                    assert!(said.contains(reason) && said.contains("--init-from"), "{said}");
                }
            }
            assert!(ours.refused_on_resume(&saved, |_| false).is_empty());
        }
    }
}

#[test]
fn fields_that_bind_some_of_their_values_let_the_others_change() {
    let said = |before: &[&str], now: &[&str]| {
        let mut saved = Config::default();
        before.iter().for_each(|set| saved.set(set).unwrap());
        let mut ours = saved.clone();
        now.iter().for_each(|set| ours.set(set).unwrap());
        ours.refused_on_resume(&saved, |_| true).into_iter().map(|one| one.message).collect::<String>()
    };
    assert_eq!(said(&[], &["model.dtype=bf16"]), "");
    assert!(said(&[], &["model.dtype=f64"]).contains("has the states of the one"));
    assert_eq!(said(&[], &["optimizer.rule=adafactor-gshard"]), "");
    assert_eq!(said(&["optimizer.rule=adam"], &["optimizer.rule=adamw", "optimizer.beta1=0.5"]), "");
    assert!(
        said(&["optimizer.rule=adam"], &["optimizer.rule=sgd"])
            .starts_with("`optimizer.rule` is \"adam\" in the run")
    );
    assert!(
        said(&["optimizer.rule=sgd"], &["optimizer.beta1=0"])
            .starts_with("`optimizer.beta1` is 0.9 in the run and 0.0")
    );
    assert_eq!(said(&["train.seed=5"], &["data.seed=5"]), "", "the same order of texts");
    assert_eq!(said(&["data.seed=5"], &["train.seed=6"]), "", "only what is drawn in the next steps");
    assert!(said(&[], &["train.seed=6"]).contains("the place in the data"));
}

#[test]
fn a_t5_of_one_layer_has_no_experts_to_place() {
    let one = "layers = 1\ndecoder_layers = 1\n";
    assert_eq!(told(&format!("[model]\nfamily = \"t5\"\n{one}")), "");
    assert!(told(&format!("[model]\n{one}")).contains("no layer is routed"));
}

#[test]
fn the_guide_names_every_field_that_is_bound() {
    let guide = include_str!("../../../../docs/guide/06-training.md");
    for (section, fields) in Config::reference() {
        for info in fields.iter().filter(|info| info.bound != Bound::Free) {
            assert!(guide.contains(&format!("`{section}.{}`", info.name)), "{section}.{}", info.name);
        }
    }
}

#[test]
fn narrow_weights_are_allowed_and_their_cost_told() {
    let narrow = "[model]\nparam_dtype = \"bf16\"\n";
    assert_eq!(told(&format!("{narrow}dtype = \"bf16\"\n")), "");
    let alone = told(&format!("{narrow}dtype = \"bf16\"\n[optimizer]\nmaster = false\n"));
    assert!(
        alone.starts_with("warning[W1105]") && alone.contains("less than 1/512 of it is lost"),
        "{alone}"
    );
    assert!(told(narrow).contains("2 more bytes a weight"));
}

#[test]
fn an_uneven_cut_is_allowed_and_its_cost_told() {
    let said = told("[model]\nexperts = 6\n[mesh]\naxes = \"expert=4\"\n");
    assert!(
        said.starts_with(
            "warning[W1105]: 6 experts over 4 devices of axis `expert`: each holds 2, and 2 of 8 places stay empty"
        ),
        "{said}"
    );
}

#[test]
fn a_pipeline_that_computes_on_padding_or_has_no_axis_is_allowed_and_its_cost_told() {
    let few = told(
        "[model]\nexperts = 0\nlayers = 8\n[model.pipeline]\nstages = 8\nmicrobatches = 4\n\
                    [mesh]\naxes = \"stage=8\"\nstrategy = \"2d-pipelined\"\n",
    );
    assert!(
        few.starts_with("warning[W1105]: 64 % of the stages' work is bubbles: 8 stages, 4 microbatches"),
        "{few}"
    );
    let nowhere = told("[model]\nexperts = 0\nlayers = 8\n[model.pipeline]\nstages = 2\n");
    assert!(nowhere.contains("2 stages, and strategy \"auto\" has no axis for them"), "{nowhere}");
    assert!(told("[model.pipelin]\nstages = 2\n").contains("did you mean `pipeline`?"));
    assert!(told("[model.pipeline]\nstage = 2\n").contains("did you mean `stages`?"));
}

#[test]
fn the_configuration_that_a_run_wrote_is_one_to_begin_with() {
    for crate::preset::Preset { name, .. } in crate::preset::PRESETS {
        let text = Config::read(&crate::preset::preset(name).unwrap()).unwrap().write();
        assert_eq!(told(&text), "", "{name}");
    }
}

#[test]
fn the_diverging_reading_of_gshards_optimizer_is_allowed_and_warned_about() {
    let printed = "[optimizer]\nrule = \"adafactor-gshard\"\nschedule = \"hold-rsqrt\"\nwarmup = 10000\n";
    assert_eq!(told(printed), "", "relative to the weight");
    let absolute = told(&format!("{printed}step_size = \"absolute\"\n"));
    assert!(
        absolute.starts_with("warning[W1105]: steps of adafactor change weights by up to 1 each"),
        "{absolute}"
    );
    let ran = "[optimizer]\nrule = \"adafactor-gshard\"\nwarmup = 10000\nstep_size = \"absolute\"\n";
    assert_eq!(told(ran), "", "a hundredth");
    assert!(
        told("[optimizer]\nrule = \"adam\"\nstep_size = \"absolute\"\n").contains("only adafactor reads it")
    );
}
