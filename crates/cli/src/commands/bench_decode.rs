//! `meshwright bench decode`: what a turn of a run's model takes, by beam, length and layout.
//!
//! Weights are those of the run, texts never end before their last turn. Times are of processors, so that other work on
//! the machine does not count.

use crate::decode_args::BenchDecodeArgs;
use crate::failure::Failure;
use crate::languages::Reader;
use crate::report::Report;
use crate::training::{ended_by, on_devices, opened_text};
use meshwright_base::random::Random;
use meshwright_runtime::clock::cpu_seconds;
use meshwright_train::run::{CacheLayout, Decoder, Decoding, Framing, NextToken, Search, TurnBytes};
use serde_json::{Value, json};

/// What was asked for, and what it took.
struct Timed {
    search: Search,
    length: usize,
    /// Milliseconds of processors that a turn takes.
    turn: f64,
    traffic: TurnBytes,
}

pub fn decode(args: &BenchDecodeArgs) -> Result<Report, Failure> {
    let mut model = opened_text(&args.model, &args.host)?;
    args.languages.timed(Reader::of(&mut model))?;
    let (vocabulary, room) = (model.feed.vocabularies(), args.room.capacity.room());
    let (plan, weights) = (&model.plan, &mut *model.weights);
    // No token of the model: nothing ends.
    let end = u32::try_from(vocabulary.target).unwrap_or(u32::MAX);
    let frame = Framing { end, ..model.feed.frame() };
    // A language takes the first turn.
    let given = usize::from(frame.answer.is_some());
    let most = Decoding::of(plan, 1, frame, room, Search::One(NextToken::Likeliest)).places;
    let lengths = if args.lengths.is_empty() { vec![most.div_ceil(2), most] } else { sizes(&args.lengths) };
    let mut prompts = prompts(args.batch as usize, plan.training.length as usize, vocabulary.source);
    let rows = on_devices(&args.host, args.model.backend, model.devices, |host| {
        let mut rows = Vec::new();
        for search in args.beams.iter().flat_map(|beam| searches(*beam as usize)) {
            // One turn is timed at least, behind the first and a given one.
            for length in lengths.iter().map(|length| (*length).max(given + 2).min(most)) {
                let decoding = Decoding {
                    places: length,
                    ..Decoding::of(plan, args.batch as usize, frame, room, search)
                };
                if decoding.source == 0 {
                    prompts.iter_mut().for_each(Vec::clear);
                }
                let mut decoder = Decoder::new(plan, decoding, host).map_err(ended_by)?;
                let states = decoder.states(weights, host).map_err(ended_by)?;
                let mut time = |turns: usize| {
                    fastest(args.repeat, || {
                        decoder.run(&states, &prompts, turns, 0, host).map_err(ended_by).map(|_| ())
                    })
                };
                let (one, all) = (time(1)?, time(length)?);
                let turns = length.saturating_sub(1 + given).max(1);
                let turn = (all - one).max(LEAST) * 1e3 / turns as f64;
                rows.push(Timed { search, length, turn, traffic: decoding.traffic(plan) });
            }
        }
        Ok(rows)
    })?;
    let Some(rows) = rows else { return Ok(Report::elsewhere()) };
    let speed = reading_speed();
    let batch = args.batch as usize;
    Ok(Report { notes: model.notes, ..Report::new(table(&rows, batch, speed)) }
        .with("batch", batch)
        .with("read_gib_per_s", speed / GIB)
        .with("rows", rows.iter().map(|row| shown(row, batch, speed)).collect::<Vec<Value>>()))
}

fn sizes(all: &[u32]) -> Vec<usize> {
    all.iter().map(|one| *one as usize).collect()
}

fn searches(beam: usize) -> Vec<Search> {
    let with = |layout| Search::Beam { beam, layout, alpha: 0.6 };
    match beam {
        1 => vec![Search::One(NextToken::Likeliest)],
        _ => vec![with(CacheLayout::ByHypothesis), with(CacheLayout::Flat)],
    }
}

/// Full sources of any tokens.
fn prompts(count: usize, length: usize, vocabulary: usize) -> Vec<Vec<u32>> {
    let one = |at: usize| {
        let mut random = Random::new(1, at as u64);
        let token = |random: &mut Random| (random.unit() * vocabulary as f64) as u32;
        (1..length).map(|_| token(&mut random).max(3)).collect()
    };
    (0..count).map(one).collect()
}

/// Less does no clock tell apart.
const LEAST: f64 = 1e-9;

/// Processor seconds of the fastest of some launches, the first aside. What is short is timed several times at once: it
/// is subtracted from what is little longer.
fn fastest(repeat: u32, mut work: impl FnMut() -> Result<(), Failure>) -> Result<f64, Failure> {
    const LONG: f64 = 0.02;
    const MOST: f64 = 1000.0;
    let mut timed = |times: u32| -> Result<f64, Failure> {
        let start = cpu_seconds();
        (0..times).try_for_each(|_| work())?;
        Ok((cpu_seconds() - start) / f64::from(times))
    };
    timed(1)?;
    let times = (LONG / timed(1)?.max(1e-9)).ceil().clamp(1.0, MOST) as u32;
    let rounds = (0..repeat.max(1)).map(|_| timed(times)).collect::<Result<Vec<f64>, Failure>>()?;
    Ok(rounds.into_iter().fold(f64::INFINITY, f64::min))
}

const GIB: f64 = (1u64 << 30) as f64;
const MIB: f64 = (1u64 << 20) as f64;

/// Bytes that a core reads in a second, of more memory than caches hold.
fn reading_speed() -> f64 {
    let words: Vec<u64> = (0..1u64 << 24).collect();
    let times = (0..5).map(|_| {
        let start = cpu_seconds();
        std::hint::black_box(words.iter().fold(0u64, |sum, word| sum.wrapping_add(*word)));
        cpu_seconds() - start
    });
    (words.len() * 8) as f64 / times.fold(f64::INFINITY, f64::min)
}

fn name(search: Search) -> (usize, &'static str) {
    match search {
        Search::One(_) => (1, "greedy"),
        Search::Beam { beam, layout: CacheLayout::ByHypothesis, .. } => (beam, "reordered"),
        Search::Beam { beam, layout: CacheLayout::Flat, .. } => (beam, "flat"),
    }
}

/// Milliseconds in which a core reads what a turn must read.
fn floor(traffic: TurnBytes, speed: f64) -> f64 {
    (traffic.weights + traffic.kept) as f64 / speed * 1e3
}

fn table(rows: &[Timed], batch: usize, speed: f64) -> String {
    let line = |row: &Timed| {
        let ((beam, layout), TurnBytes { weights, kept, moved }) = (name(row.search), row.traffic);
        let [weights, kept, moved] = [weights, kept, moved].map(|bytes| bytes as f64 / MIB);
        let (token, share) = (row.turn * 1e3 / batch as f64, floor(row.traffic, speed) / row.turn * 100.0);
        let per_second = batch as f64 * 1e3 / row.turn / row.length as f64;
        format!(
            "{beam:>4}  {layout:<9}  {:>6}  {:>7.3}  {token:>8.1}  {per_second:>11.1}  {weights:>7.2}  {kept:>6.2}  {moved:>6.2}  {share:>4.0}%\n",
            row.length, row.turn
        )
    };
    let head = "beam  layout     length  ms/turn  us/token  sentences/s  weights    kept   moved  floor\n";
    let told = format!(
        "{batch} texts at a time; times are of processors; sentences of this length a second and core; weights, kept, moved: MiB a turn;\n\
         floor: reading weights and what is kept once, at {:.1} GiB/s of a core\n",
        speed / GIB
    );
    head.to_string() + &rows.iter().map(line).collect::<String>() + &told
}

fn shown(row: &Timed, batch: usize, speed: f64) -> Value {
    let ((beam, layout), traffic) = (name(row.search), row.traffic);
    json!({
        "beam": beam, "layout": layout, "length": row.length, "ms_per_turn": row.turn,
        "us_per_token": row.turn * 1e3 / batch as f64, "weight_bytes": traffic.weights, "kept_bytes": traffic.kept,
        "moved_bytes": traffic.moved, "floor_ms": floor(traffic, speed),
    })
}
