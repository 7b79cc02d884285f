//! Decoding with keys and values kept, held against the whole window computed again for every token; beam search held
//! against itself in both layouts and against a search written as loops over plain numbers.

use crate::support;

use meshwright_campaign::global::run_spmd;
use meshwright_compile::Unobserved;
use meshwright_interp::Tensor as Array;
use meshwright_nn::models::decode::beam::{Limits, Searched, length_penalty, own, search};
use meshwright_nn::models::decode::cache::{CacheLayout, CacheSize, KeysValues};
use meshwright_nn::models::decode::greedy::{Begun, NextToken, greedy};
use meshwright_nn::models::decode::writer::{Writer, Writing};
use meshwright_nn::models::encoder_decoder::EncoderDecoder;
use meshwright_nn::models::language::Language;
use meshwright_nn::models::piped::Piped;
use meshwright_nn::models::step::Model;
use meshwright_nn::models::strategy::*;
use meshwright_nn::models::transformer::{Moe, Position, Transformer, Where};
use meshwright_nn::moe::attention::Projection;
use meshwright_nn::moe::capacity::Capacity;
use meshwright_nn::moe::exchange::Exchange;
use meshwright_nn::params::{Params, Specs};
use meshwright_tensor::prelude::*;
use support::tiny::{SIZES, SPARSE, VOCAB, dense2d, gshard, switch, t5};
use support::{Random, array, close, numbers};

/// A model of either kind, and what decoding is asked for.
#[derive(Clone, Debug)]
enum Kind {
    Pair(EncoderDecoder),
    Alone(Language),
}

#[derive(Clone, Debug)]
struct Case {
    kind: Kind,
    size: CacheSize,
    source: i64,
    seed: u64,
    /// What every text of a beam search begins with.
    first: Option<i64>,
}

/// Where a program runs.
type On = (&'static Table, &'static [(&'static str, i64)]);

const ONE: On = (&DATA, &[("data", 1)]);
const CLASSIC: [On; 6] = [
    (&DATA, &[("data", 4)]),
    (&MODEL, &[("model", 2)]),
    (&DATA_MODEL, &[("data", 2), ("model", 2)]),
    (&EXPERT, &[("expert", 4)]),
    (&EXPERT_DATA, &[("data", 2), ("expert", 2)]),
    (&EXPERT_MODEL_DATA, &[("data", 2), ("expert", 2), ("model", 2)]),
];
const PLANAR: [On; 3] = [
    (&ATTEMPT_2, &[("x", 2), ("y", 2)]),
    (&FINALIZED, &[("x", 2), ("y", 2)]),
    (&HYBRID, &[("x", 2), ("y", 2)]),
];

/// A change of a model's sizes and choices.
fn with(kind: Kind, change: impl FnOnce(Transformer) -> Transformer) -> Kind {
    match kind {
        Kind::Pair(model) => Kind::Pair(EncoderDecoder { net: change(model.net.clone()), ..model }),
        Kind::Alone(model) => Kind::Alone(Language { net: change(model.net.clone()), ..model }),
    }
}

/// Nobody is left out, whoever else is in the batch.
fn roomy(kind: Kind, groups: i64, exchange: Exchange) -> Kind {
    with(kind, |net| {
        let moe = net.moe.map(|moe| Moe { capacity: Capacity::Unlimited, groups, exchange, ..moe });
        Transformer { moe, ..net }
    })
}

impl Kind {
    fn specs(&self) -> Specs {
        match self {
            Kind::Pair(model) => model.specs(),
            Kind::Alone(model) => model.specs(),
        }
    }

    fn writer(&self) -> Writer<'_> {
        match self {
            Kind::Pair(model) => model.writer(),
            Kind::Alone(model) => model.writer(),
        }
    }

    /// Logits of every place of a window.
    fn window(&self, p: &Params, source: Option<Tensor>, tokens: Tensor) -> Tensor {
        match (self, source) {
            (Kind::Pair(model), Some(source)) => {
                let list = vec![("source".to_string(), source), ("target".to_string(), tokens)];
                model.logits(p, &Params { list }, None).0
            }
            (Kind::Pair(_), None) => panic!("no source"),
            (Kind::Alone(model), _) => model.logits(p, tokens, None, None).0,
        }
    }
}

impl Case {
    /// Weights and sources.
    fn given(&self, t: Trace) -> (Params, Option<Tensor>) {
        let dims = [("batch", self.size.batch), ("length", self.source)];
        let p = self.kind.specs().params(t, "params", f64);
        (p, matches!(self.kind, Kind::Pair(_)).then(|| t.input("source", i32, dims)))
    }

    /// A decoder at work.
    fn writing<R>(&self, (p, source): (&Params, Option<Tensor>), work: impl FnOnce(&Writing<'_>) -> R) -> R {
        let memory = match (&self.kind, source) {
            (Kind::Pair(model), Some(source)) => Some(model.read(p, source)),
            _ => None,
        };
        let writer = self.kind.writer();
        work(&Writing::new(&writer, p, memory, self.size))
    }

    /// Sentences with padding behind them, and weights large enough that tokens differ.
    fn feed(&self, name: &str, count: usize) -> Vec<f64> {
        let mut random =
            Random(self.seed ^ name.bytes().fold(0u64, |hash, byte| hash.wrapping_mul(31) + u64::from(byte)));
        match name {
            "source" => (0..self.size.batch)
                .flat_map(|_| {
                    let real = 1 + random.below(self.source as usize);
                    let token = |random: &mut Random| (1 + random.below(VOCAB as usize - 1)) as f64;
                    let row = |at| if at < real { token(&mut random) } else { 0.0 };
                    (0..self.source as usize).map(row).collect::<Vec<_>>()
                })
                .collect(),
            "tokens" => (0..count).map(|_| (1 + random.below(VOCAB as usize - 1)) as f64).collect(),
            "rows" => (0..count).map(|row| row as f64).collect(),
            "until" => (0..count).map(|row| (self.size.places - (row % 2) as i64) as f64).collect(),
            _ => (0..count).map(|_| 2.0 * (random.unit() - 0.5)).collect(),
        }
    }

    fn inputs(&self, program: &Program, given: &[(&str, Vec<f64>)]) -> Vec<Array> {
        let one = |input: &meshwright_tensor::InputInfo| {
            let told = given.iter().find(|(name, _)| **name == *input.name).map(|(_, values)| values.clone());
            let values = told.unwrap_or_else(|| self.feed(&input.name, input.ty.elements() as usize));
            array(program, &input.name, &values)
        };
        program.inputs().iter().map(one).collect()
    }

    fn run<R: Tree>(
        &self,
        (table, axes): On,
        given: &[(&str, Vec<f64>)],
        traced: impl FnOnce(Trace) -> R,
    ) -> Vec<Vec<f64>> {
        let mesh = Mesh::new(axes.iter().copied()).expect("a mesh");
        let program = trace_with("decode", &table.rules(&mesh), traced);
        let program = program.unwrap_or_else(|found| panic!("{self:?}: {found}"));
        let inputs = self.inputs(&program, given);
        let found = if mesh.devices() == 1 {
            meshwright_interp::run(program.module(), &inputs).expect("it runs")
        } else {
            let options = meshwright_compile::Options::default();
            let module = program.module().clone();
            let compiled = meshwright_compile::partition(module, &options, &mut Unobserved)
                .unwrap_or_else(|found| panic!("{}: {}", table.name, Errors::from(found)));
            run_spmd(&compiled.program, &inputs).expect("the partitioned program runs")
        };
        found.iter().map(numbers).collect()
    }
}

/// Logits of given texts, token by token and in one pass.
fn both_ways(case: &Case, place: On) -> [Vec<f64>; 2] {
    let CacheSize { batch, places, .. } = case.size;
    let found = case.run(place, &[], |t| {
        let (p, source) = case.given(t);
        let tokens = t.input("tokens", i32, [("batch", batch), ("length", places)]);
        // The decoder of a pair reads its text one place late.
        let late = concat([zeros(i32, [batch, 1]), tokens.slice((.., 0..places - 1))], 1);
        let read = if source.is_some() { late } else { tokens };
        let kept = case.writing((&p, source), |writing| {
            let turn = |at: Tensor, (kept, all): (Vec<KeysValues>, Tensor)| {
                let zero = scalar(i32, 0);
                let token = read.dynamic_slice([zero, at], [batch, 1]);
                let (logits, kept) = writing.turn(token, at, &kept, None, None);
                (kept, all.dynamic_update(logits.transpose([1, 0, 2]), [at, zero, zero]))
            };
            let all = zeros(f64, [places, batch, VOCAB]);
            repeat(places, (writing.nothing(), all), turn).1.transpose([1, 0, 2])
        });
        (kept, case.kind.window(&p, source, tokens))
    });
    [found[0].clone(), found[1].clone()]
}

/// Models of every kind, with blocks one by one and in piles, with experts here and there.
fn kinds() -> Vec<Kind> {
    let stacked = |kind: Kind| with(kind, |net| Transformer { stacked: true, ..net });
    let attentive = |layers: Where| {
        with(Kind::Pair(switch()), move |net| {
            let moe = net.moe.map(|moe| Moe { layers, ..moe });
            Transformer { moe, ..net }
        })
    };
    let piped = |rounds: i64| {
        let blocks = if rounds == 1 { 2 } else { 4 };
        let piped = Piped { stages: 2, rounds, microbatches: 2, recompute: false };
        let net = Transformer { pipeline: Some(piped), ..dense2d(&SIZES).net };
        Kind::Alone(Language { net, blocks, ..dense2d(&SIZES) })
    };
    let small = meshwright_nn::models::switch::Switch {
        vocab: VOCAB,
        model: 8,
        hidden: 12,
        heads: 2,
        kv: 4,
        blocks: 4,
        experts: 4,
        compute: f64,
        ..meshwright_nn::models::switch::Switch::small()
    };
    vec![
        Kind::Pair(EncoderDecoder { packed: false, tied: false, ..t5() }),
        Kind::Pair(EncoderDecoder { packed: false, ..switch() }),
        Kind::Pair(EncoderDecoder { packed: false, decoder: 3, ..gshard() }),
        stacked(Kind::Pair(EncoderDecoder { packed: false, encoder: 4, decoder: 4, ..gshard() })),
        Kind::Alone(dense2d(&SIZES)),
        Kind::Alone(dense2d(&SPARSE)),
        Kind::Alone(small.language()),
        stacked(Kind::Alone(Language { blocks: 4, ..small.language() })),
        unpacked(attentive(Where::Both(Projection::Ffn(4)))),
        unpacked(attentive(Where::Attention(Projection::Linear))),
        piped(1),
        piped(2),
    ]
}

fn unpacked(kind: Kind) -> Kind {
    match kind {
        Kind::Pair(model) => Kind::Pair(EncoderDecoder { packed: false, ..model }),
        alone => alone,
    }
}

fn drawn(random: &mut Random, kind: Kind, layout: CacheLayout) -> Case {
    let batch = [1, 2, 4][random.below(3)];
    let beam = [1, 2, 4, 8][random.below(4)];
    let size = CacheSize { batch, beam, places: 1 + random.below(6) as i64, layout };
    let exchange =
        [Exchange::Einsum, Exchange::Gather, Exchange::Sorted { block: 1 + random.below(3) as i64 }];
    let groups = [1, batch][random.below(2)];
    let kind = roomy(kind, groups, exchange[random.below(3)]);
    Case { kind, size, source: 1 + random.below(6) as i64, seed: random.word(), first: None }
}

#[test]
fn what_is_kept_says_what_the_whole_window_says() {
    let mut random = Random(11);
    for kind in kinds() {
        for _ in 0..3 {
            let mut case = drawn(&mut random, kind.clone(), CacheLayout::ByHypothesis);
            case.size.beam = 1;
            let [kept, whole] = both_ways(&case, ONE);
            close(&kept, &whole, 1e-10);
        }
    }
}

#[test]
fn what_is_kept_says_the_same_on_several_devices() {
    let mut random = Random(12);
    for kind in kinds() {
        let is_planar = matches!(&kind, Kind::Alone(model) if model.net.position == Position::Waves);
        let places: &[On] = if is_planar { &PLANAR } else { &CLASSIC };
        let mut case = drawn(&mut random, kind, CacheLayout::ByHypothesis);
        case.size = CacheSize { batch: 4, beam: 1, ..case.size };
        if matches!(&case.kind, Kind::Alone(model) if model.net.pipeline.is_some()) {
            let [kept, whole] = both_ways(&case, (&PIPELINED, &[("stage", 2), ("x", 2), ("y", 2)]));
            close(&kept, &whole, 1e-10);
            continue;
        }
        let place = places[random.below(places.len())];
        let [kept, whole] = both_ways(&case, place);
        close(&kept, &whole, 1e-10);
    }
}

/// What a search answers: texts without their end, with scores, best first.
fn answers(case: &Case, found: &[Vec<f64>], until: &[f64], alpha: f64) -> Vec<Vec<(f64, Vec<usize>)>> {
    let (batch, beam) = (case.size.batch as usize, case.size.beam as usize);
    let [scores, ends, cut, tokens, parents] = found else { panic!("five results") };
    let back = |row: usize, turns: usize, mut at: usize| {
        let mut text = Vec::new();
        for turn in (0..turns).rev() {
            let here = (turn * batch + row) * beam + at;
            text.push(tokens[here] as usize);
            at = parents[here] as usize;
        }
        text.reverse();
        text
    };
    let of = |row: usize| {
        let pool = (0..beam).map(|at| row * beam + at).filter(|at| scores[*at] > f64::NEG_INFINITY);
        let ended = pool.map(|at| {
            let node = ends[at] as usize;
            (scores[at], back(row, node / beam, node % beam))
        });
        let ended: Vec<(f64, Vec<usize>)> = ended.collect();
        let turns = until[row] as usize;
        if ended.is_empty() && turns > 0 {
            return vec![(
                cut[row] / length_penalty(own(turns, case.first.is_some()), alpha),
                back(row, turns, 0),
            )];
        }
        ended
    };
    (0..batch).map(of).collect()
}

const END: i64 = 1;

fn searched(case: &Case, place: On, alpha: f64) -> Vec<Vec<f64>> {
    case.run(place, &[], |t| {
        let given = case.given(t);
        let until = t.input("until", i32, [("batch", case.size.batch)]);
        let limits = Limits { first: case.first, end: END, until, alpha };
        let found: Searched = case.writing((&given.0, given.1), |writing| search(writing, limits));
        found
    })
}

/// The same search as loops over plain numbers, each token at the cost of a whole window.
fn by_hand(case: &Case, until: &[f64], alpha: f64) -> Vec<Vec<(f64, Vec<usize>)>> {
    let beam = case.size.beam as usize;
    let one = |row: usize| {
        let mut live: Vec<(f64, Vec<usize>)> = vec![(0.0, Vec::new())];
        let mut pool: Vec<(f64, Vec<usize>)> = Vec::new();
        let turns = until[row] as usize;
        for turn in 0..turns {
            let chances = log_chances(case, row, live.iter().map(|one| one.1.clone()).collect());
            if let (0, Some(first)) = (turn, case.first) {
                live = vec![(0.0, vec![first as usize])];
                continue;
            }
            let penalty = |turns: usize| length_penalty(own(turns, case.first.is_some()), alpha);
            let mut all: Vec<(f64, usize, usize)> = Vec::new();
            for (at, (score, _)) in live.iter().enumerate() {
                let with = chances[at].iter().enumerate();
                all.extend(with.map(|(token, chance)| (score + chance, at, token)));
            }
            all.sort_by(|a, b| b.0.total_cmp(&a.0));
            all.truncate(2 * beam);
            for (rank, (score, at, token)) in all.iter().enumerate() {
                if *token as i64 == END && rank < beam {
                    pool.push((score / penalty(turn + 1), live[*at].1.clone()));
                }
            }
            pool.sort_by(|a, b| b.0.total_cmp(&a.0));
            pool.truncate(beam);
            let going = all.iter().filter(|one| one.2 as i64 != END).take(beam);
            live = going.map(|(score, at, token)| (*score, [&live[*at].1[..], &[*token]].concat())).collect();
            if pool.len() == beam {
                return pool;
            }
        }
        if pool.is_empty() && turns > 0 {
            pool.push((
                live[0].0 / length_penalty(own(turns, case.first.is_some()), alpha),
                live[0].1.clone(),
            ));
        }
        pool
    };
    (0..case.size.batch as usize).map(one).collect()
}

/// The logarithms of the chances of each token behind each of some texts, all to the same source.
fn log_chances(case: &Case, row: usize, texts: Vec<Vec<usize>>) -> Vec<Vec<f64>> {
    let (rows, turn) = (texts.len(), texts[0].len());
    let places = case.size.places as usize;
    let source = case.feed("source", 0);
    let source = source[row * case.source as usize..][..case.source as usize].repeat(rows);
    let is_pair = matches!(case.kind, Kind::Pair(_));
    // What is not written yet is some token: nobody looks at it.
    let window = |text: &Vec<usize>| {
        let mut window: Vec<f64> = if is_pair { Vec::new() } else { vec![0.0] };
        window.extend(text.iter().map(|token| *token as f64));
        window.resize(places, 1.0);
        window
    };
    let tokens: Vec<f64> = texts.iter().flat_map(window).collect();
    let here = Case { size: CacheSize { batch: rows as i64, ..case.size }, ..case.clone() };
    let here = Case { kind: roomy(here.kind.clone(), 1, Exchange::Einsum), ..here };
    let found = here.run(ONE, &[("source", source), ("tokens", tokens)], |t| {
        let (p, source) = here.given(t);
        let tokens = t.input("tokens", i32, [rows as i64, places as i64]);
        here.kind.window(&p, source, tokens).log_softmax(-1)
    });
    let vocab = VOCAB as usize;
    (0..rows).map(|at| found[0][(at * places + turn) * vocab..][..vocab].to_vec()).collect()
}

fn same(ours: &[Vec<(f64, Vec<usize>)>], theirs: &[Vec<(f64, Vec<usize>)>]) {
    for (ours, theirs) in ours.iter().zip(theirs) {
        let texts = |all: &[(f64, Vec<usize>)]| all.iter().map(|one| one.1.clone()).collect::<Vec<_>>();
        assert_eq!(texts(ours), texts(theirs));
        let scores = |all: &[(f64, Vec<usize>)]| all.iter().map(|one| one.0).collect::<Vec<_>>();
        close(&scores(ours), &scores(theirs), 1e-9);
    }
}

#[test]
fn beams_in_both_layouts_find_what_loops_find() {
    let mut random = Random(13);
    let mut ended = 0;
    for kind in kinds() {
        for alpha in [0.0, 0.6] {
            let mut case = drawn(&mut random, kind.clone(), CacheLayout::ByHypothesis);
            // Every other search is given its first token.
            case.first = (alpha > 0.0).then(|| 2 + random.below(VOCAB as usize - 2) as i64);
            let flat = Case { size: CacheSize { layout: CacheLayout::Flat, ..case.size }, ..case.clone() };
            let until = case.feed("until", case.size.batch as usize);
            let found = answers(&case, &searched(&case, ONE, alpha), &until, alpha);
            let in_flat = answers(&flat, &searched(&flat, ONE, alpha), &until, alpha);
            same(&in_flat, &found);
            same(&by_hand(&case, &until, alpha), &found);
            ended += found.iter().flatten().filter(|one| one.1.len() < case.size.places as usize - 1).count();
        }
    }
    assert!(ended > 10, "hypotheses that end early: {ended}");
}

/// Greedy tokens of each row, up to its end.
fn written(case: &Case, place: On, choice: NextToken, given: &[(&str, Vec<f64>)]) -> Vec<Vec<usize>> {
    let CacheSize { batch, places, .. } = case.size;
    let found = case.run(place, given, |t| {
        let weights = case.given(t);
        let given = Begun {
            tokens: t.input("begun", i32, [("batch", batch), ("length", places + 1)]),
            until: t.input("until", i32, [("batch", batch)]),
            rows: t.input("rows", i32, [("batch", batch)]),
        };
        case.writing((&weights.0, weights.1), |writing| greedy(writing, given, END, choice).replicate())
    });
    let until = case.feed("until", batch as usize);
    let row = |row: usize| {
        let all = (0..until[row] as usize).map(|at| found[0][at * batch as usize + row] as usize);
        all.take_while(|token| *token as i64 != END).collect()
    };
    (0..batch as usize).map(row).collect()
}

/// Nothing but the token that texts begin with.
fn unbegun(case: &Case) -> Vec<f64> {
    let row = std::iter::once(0.0).chain(std::iter::repeat_n(-1.0, case.size.places as usize));
    row.collect::<Vec<_>>().repeat(case.size.batch as usize)
}

#[test]
fn greedy_is_a_beam_of_one_on_one_device_and_on_several() {
    let mut random = Random(14);
    for kind in kinds() {
        let is_planar = matches!(&kind, Kind::Alone(model) if model.net.position == Position::Waves);
        let places: &[On] = if is_planar { &PLANAR } else { &CLASSIC };
        let mut case = drawn(&mut random, kind, CacheLayout::ByHypothesis);
        case.size = CacheSize { beam: 1, batch: 4, ..case.size };
        let until = case.feed("until", 4);
        let found = answers(&case, &searched(&case, ONE, 0.6), &until, 0.6);
        let begun = [("begun", unbegun(&case))];
        let alone = written(&case, ONE, NextToken::Likeliest, &begun);
        let of_beam: Vec<Vec<usize>> =
            found.iter().map(|all| all.first().map_or_else(Vec::new, |best| best.1.clone())).collect();
        assert_eq!(alone, of_beam);
        if matches!(&case.kind, Kind::Alone(model) if model.net.pipeline.is_some()) {
            continue;
        }
        let place = places[random.below(places.len())];
        assert_eq!(written(&case, place, NextToken::Likeliest, &begun), alone);
        let by_chance = NextToken::Drawn { temperature: 0.7, seed: 5 };
        assert_eq!(written(&case, place, by_chance, &begun), written(&case, ONE, by_chance, &begun));
        for layout in [CacheLayout::ByHypothesis, CacheLayout::Flat] {
            let wide = Case { size: CacheSize { beam: 4, layout, ..case.size }, ..case.clone() };
            let ours = answers(&wide, &searched(&wide, place, 0.6), &until, 0.6);
            same(&ours, &answers(&wide, &searched(&wide, ONE, 0.6), &until, 0.6));
        }
    }
}
