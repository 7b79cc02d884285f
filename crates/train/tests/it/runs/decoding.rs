//! What trained models write: token by token what the whole window says, the same in both layouts of keys and values
//! and on several devices.

use crate::runs::support::{MESHES, MODELS, TRANSLATE, at, config, fields, on, whole};
use meshwright_train::Config;
use meshwright_train::checkpoint::Checkpoint;
use meshwright_train::data::sentences::{Sentences, sentences};
use meshwright_train::data::source::Source;
use meshwright_train::run::{
    self, CacheLayout, Decoder, Decoding, Foreteller, Host, Hypothesis, NextToken, Room, RunDir, Scored,
    Search, TextPlan, TrainingPlan, Translating, scored,
};
use meshwright_train::score::Scores;

/// A run that is done, to be used on any mesh.
struct Trained {
    config: Config,
    dir: RunDir,
    source: Source,
}

impl Trained {
    fn new(sets: &[&str], name: &str) -> Trained {
        let config = config(sets);
        let (.., dir) = whole(&config, name);
        let source = run::open_source(&config, &dir).unwrap();
        Trained { config, dir, source }
    }

    fn on<R>(&self, axes: &str, work: impl FnOnce(&TextPlan, &mut Checkpoint, &Host<'_>) -> R) -> R {
        let mut config = self.config.clone();
        config.set(&format!("mesh.axes={axes}")).unwrap();
        let plan = TrainingPlan::of(&config, self.source.vocabularies()).unwrap().text().unwrap();
        let mut checkpoint = Checkpoint::open(&at(&self.dir, config.train.steps)).unwrap();
        on(&config, |host| work(&plan, &mut checkpoint, host))
    }

    /// Sentences as the model reads them, all of the held-out side.
    fn prompts(&mut self, most: usize) -> Vec<Vec<u32>> {
        let found = self.source.held_out_by_part(most).unwrap();
        let documents: Vec<_> = found.into_iter().flat_map(|(_, documents)| documents).take(most).collect();
        documents.iter().map(|one| self.source.tokenizer().encode(&one.source)).collect()
    }

    fn written(
        &self,
        axes: &str,
        prompts: &[Vec<u32>],
        (rows, room): (usize, Room),
        search: Search,
    ) -> Vec<Vec<Hypothesis>> {
        self.on(axes, |plan, checkpoint, host| {
            let decoding = Decoding::of(plan, rows, self.source.frame(), room, search);
            let mut decoder = Decoder::new(plan, decoding, host).unwrap();
            let states = decoder.states(checkpoint, host).unwrap();
            decoder.run(&states, prompts, decoding.places, 0, host).unwrap()
        })
    }
}

const GREEDY: Search = Search::One(NextToken::Likeliest);

fn beam(beam: usize, layout: CacheLayout) -> Search {
    Search::Beam { beam, layout, alpha: 0.6 }
}

fn same(ours: &[Vec<Hypothesis>], theirs: &[Vec<Hypothesis>], what: &str) {
    assert_eq!(ours.len(), theirs.len());
    for (row, (ours, theirs)) in ours.iter().zip(theirs).enumerate() {
        let texts = |all: &[Hypothesis]| all.iter().map(|one| one.tokens.clone()).collect::<Vec<_>>();
        assert_eq!(texts(ours), texts(theirs), "{what}: sentence {row}");
        for (a, b) in ours.iter().zip(theirs) {
            assert!((a.score - b.score).abs() <= 1e-9 && a.is_ended == b.is_ended, "{what}: {a:?} {b:?}");
        }
    }
}

#[test]
fn every_token_is_the_likeliest_of_the_whole_window() {
    let more: [(&str, &[&str]); 3] = [
        ("attention-experts", &["model.attention_experts=linear"]),
        ("stacked", &["model.stacked=true", "model.layers=4"]),
        ("none-left-behind", &["model.routing=none-left-behind", "model.stages=2"]),
    ];
    let pairs = more.map(|(name, sets)| (name, [&TRANSLATE[..], sets].concat()));
    let models = MODELS.into_iter().map(|model| (model.0, fields(model))).chain(pairs);
    for (name, sets) in models {
        let mut trained = Trained::new(&sets, &format!("written-{name}"));
        let prompts: Vec<Vec<u32>> = trained.prompts(7);
        let written = trained.written("", &prompts, (4, Room::Unlimited), GREEDY);
        let texts: Vec<Vec<u32>> = written.iter().map(|all| all[0].tokens.clone()).collect();
        assert!(texts.iter().any(|text| text.len() > 2), "{name}: {texts:?}");
        let told = trained.on("", |plan, checkpoint, host| {
            let decoding = Decoding::of(plan, prompts.len(), trained.source.frame(), Room::Unlimited, GREEDY);
            let states = Decoder::new(plan, decoding, host).unwrap().states(checkpoint, host).unwrap();
            let ended = |(text, all): (&Vec<u32>, &Vec<Hypothesis>)| {
                let end = all[0].is_ended.then_some(decoding.frame.end);
                text.iter().copied().chain(end).collect::<Vec<u32>>()
            };
            let whole: Vec<Vec<u32>> = texts.iter().zip(&written).map(ended).collect();
            Foreteller::new(plan, decoding, host).unwrap().foretold(&states, &prompts, &whole, host).unwrap()
        });
        assert!(told.iter().flatten().all(|told| *told), "{name}: {told:?}");
        assert!(told.iter().map(Vec::len).sum::<usize>() > 7, "{name}: {told:?}");
    }
}

/// Each search on another mesh, each model on another again.
#[test]
fn devices_of_every_mesh_write_the_same() {
    for (number, model) in [MODELS[0], MODELS[2], MODELS[3]].into_iter().enumerate() {
        let mut trained = Trained::new(&fields(model), &format!("meshes-{}", model.0));
        let prompts = trained.prompts(10);
        let drawn = Search::One(NextToken::Drawn { temperature: 0.8, seed: 3 });
        let room = if model.0 == "expert-choice" { Room::Unlimited } else { Room::Training };
        let beams =
            [(beam(4, CacheLayout::ByHypothesis), Room::Unlimited), (beam(4, CacheLayout::Flat), room)];
        let beams = beams.into_iter().filter(|_| model.0 != "switch");
        let ones = [(GREEDY, Room::Unlimited), (GREEDY, room), (drawn, Room::Unlimited)];
        for (at, (search, room)) in beams.chain(ones).enumerate() {
            let axes = MESHES[(at + number) % MESHES.len()];
            let alone = trained.written("", &prompts, (8, room), search);
            let there = trained.written(axes, &prompts, (8, room), search);
            same(&there, &alone, &format!("{} on {axes}: {search:?} {room:?}", model.0));
        }
    }
}

#[test]
fn five_hundred_sentences_have_the_same_hypotheses_in_both_layouts() {
    let sets = [
        &TRANSLATE[..],
        &fields(MODELS[2]),
        &[
            "data.documents=9000",
            "data.held_out_one_in=10",
            "data.vocabulary=600",
            "train.steps=40",
            "data.batch=32",
            "checkpoint.every=40",
        ],
    ]
    .concat();
    let mut trained = Trained::new(&sets, "five-hundred");
    let prompts = trained.prompts(500);
    assert_eq!(prompts.len(), 500);
    let greedy = trained.written("", &prompts, (64, Room::Unlimited), GREEDY);
    let batched = trained.written("", &prompts, (50, Room::Unlimited), GREEDY);
    same(&batched, &greedy, "other batches");
    for (width, rows) in [(1, 64), (4, 64), (8, 50)] {
        let moved =
            trained.written("", &prompts, (rows, Room::Unlimited), beam(width, CacheLayout::ByHypothesis));
        let flat = trained.written("", &prompts, (rows, Room::Unlimited), beam(width, CacheLayout::Flat));
        same(&flat, &moved, &format!("beam {width}"));
        let ended = moved.iter().filter(|all| all[0].is_ended).count();
        let several = moved.iter().filter(|all| all.len() > 1).count();
        println!("beam {width}: {ended} of 500 ended, {several} with several hypotheses");
        if width == 1 {
            let texts =
                |all: &[Vec<Hypothesis>]| all.iter().map(|all| all[0].tokens.clone()).collect::<Vec<_>>();
            assert_eq!(texts(&moved), texts(&greedy));
        } else {
            let words: usize = moved.iter().flatten().map(|one| one.tokens.len()).sum();
            assert!(ended > 100 && several > 100 && words > 1000, "{ended} {several} {words}");
        }
    }
}

#[test]
fn translations_are_scored_by_language() {
    let more = [
        "data.documents=2000",
        "data.held_out_one_in=8",
        "data.vocabulary=600",
        "data.input_length=48",
        "data.batch=32",
        "train.steps=60",
    ];
    let sets = [&TRANSLATE[..], &more].concat();
    let mut trained = Trained::new(&sets, "scored");
    let config = trained.config.clone();
    let all = sentences(&config, &mut trained.source, "dev", 9).unwrap();
    assert!(all.len() > 5 && all.iter().all(|one| (1..=9).contains(&one.documents.len())), "{all:?}");
    assert_eq!(sentences(&config, &mut trained.source, "test", 9).unwrap(), []);
    let of = |rows: usize| {
        let how = Translating { rows, room: Room::Unlimited, search: beam(2, CacheLayout::Flat), most: None };
        trained.on("", |plan, checkpoint, host| {
            scored(plan, &trained.source, checkpoint, &all, &how, host).unwrap()
        })
    };
    let found = of(7);
    assert_eq!(of(64), found, "batches change nothing");
    for (one, asked) in found.iter().zip(&all) {
        assert_eq!((&one.language, one.translations.len()), (&asked.language, asked.documents.len()));
    }
    // What the scores are of: other words than none, held against the references.
    let words: usize = found.iter().map(|one| one.tokens).sum();
    let by_hand = |one: &Scored, asked: &Sentences| {
        let references = asked.documents.iter().map(|document| &*document.target);
        Scores::of(one.translations.iter().map(String::as_str).zip(references))
    };
    assert!(words > 20, "{found:?}");
    assert!(found.iter().zip(&all).all(|(one, asked)| one.scores == by_hand(one, asked)));
    assert!(found.iter().any(|one| one.scores.chrf.score() > 0.0), "{found:?}");
}
