//! The tasks, one function each: from a draw to a question and its answer, both text.
//!
//! They mirror the kinds that Switch 3 fine-tunes on: one sentence judged, two compared, inference, questions with and
//! without a passage, summaries, whom a pronoun means, and reading.

use super::world::{Relation, World, any_town};
use crate::data::corpus::Document;
use crate::data::corpus::languages::{ENGLISH, PEOPLE};
use crate::data::corpus::numerals::{entry, in_words};
use meshwright_base::random::Random;

/// What a task's answers are judged by, each from 0 to 1.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Metric {
    /// One of few answers is right.
    Accuracy,
    /// The answer is the expected one but for case, signs and articles.
    ExactMatch,
    /// Pairs of words that both have.
    Rouge2,
}

/// A kind of question.
pub struct Kind {
    pub name: &'static str,
    pub metric: Metric,
    make: fn(&World, &mut Random) -> Made,
}

/// A question with its answer.
pub struct Made {
    pub document: Document,
    /// What decides whether it is held out, if it is not the question's text.
    pub split_by: Option<String>,
}

pub const KINDS: &[Kind] = &[
    Kind { name: "acceptability", metric: Metric::Accuracy, make: acceptability },
    Kind { name: "sentiment", metric: Metric::Accuracy, make: sentiment },
    Kind { name: "paraphrase", metric: Metric::Accuracy, make: paraphrase },
    Kind { name: "inference", metric: Metric::Accuracy, make: inference },
    Kind { name: "closed-book", metric: Metric::ExactMatch, make: closed_book },
    Kind { name: "passage", metric: Metric::ExactMatch, make: passage },
    Kind { name: "summary", metric: Metric::Rouge2, make: summary },
    Kind { name: "pick", metric: Metric::Accuracy, make: pick },
    Kind { name: "reading", metric: Metric::Accuracy, make: reading },
];

impl Kind {
    pub fn make(&self, world: &World, random: &mut Random) -> Made {
        (self.make)(world, random)
    }
}

fn made(source: String, target: impl Into<String>) -> Made {
    Made { document: Document { source, target: target.into() }, split_by: None }
}

fn any<'a>(random: &mut Random, items: &[&'a str]) -> &'a str {
    random.choose(items).copied().unwrap_or_default()
}

/// So many different people.
fn people<const N: usize>(random: &mut Random) -> [&'static str; N] {
    let (first, step) = (random.index(PEOPLE.len()), [1, 3, 5, 7][random.index(4)]);
    std::array::from_fn(|at| PEOPLE[(first + at * step) % PEOPLE.len()])
}

fn noun(at: usize) -> String {
    entry(ENGLISH.nouns, at % 10)
}

fn day(random: &mut Random) -> String {
    entry(ENGLISH.days, random.index(7))
}

fn number(random: &mut Random) -> u32 {
    random.between(2, 30) as u32
}

fn words(number: u32) -> String {
    in_words(&ENGLISH, number)
}

/// One sentence: are its words in order?
fn acceptability(_: &World, random: &mut Random) -> Made {
    let [who, other] = people(random);
    let (verb, count) = (any(random, &["sells", "gives", "brings"]), words(number(random)));
    let text = format!("{who} {verb} {count} {} to {other} on {}", noun(random.index(10)), day(random));
    let mut sentence: Vec<&str> = text.split(' ').collect();
    let is_right = random.index(2) == 0;
    if !is_right {
        let at = random.index(sentence.len() - 1);
        sentence.swap(at, at + 1);
    }
    let answer = if is_right { "acceptable" } else { "unacceptable" };
    made(format!("acceptability: {}", sentence.join(" ")), answer)
}

/// One sentence: is it praise? `not` turns what it stands before.
fn sentiment(_: &World, random: &mut Random) -> Made {
    let good = ["fine", "lovely", "fresh", "splendid", "cheap", "clean"];
    let bad = ["poor", "dreadful", "stale", "broken", "dear", "dirty"];
    let (is_good, is_turned) = (random.index(2) == 0, random.index(3) == 0);
    let word = any(random, if is_good { &good } else { &bad });
    let (thing, town, [who]) = (noun(random.index(10)), any_town(random), people(random));
    let not = if is_turned { "not " } else { "" };
    let text = match random.index(3) {
        0 => format!("{who} says the {thing} in {town} are {not}{word}"),
        1 => format!("the {thing} that {who} saw in {town} were {not}{word}"),
        _ => format!("in {town}, says {who}, all {thing} are {not}{word}"),
    };
    made(format!("sentiment: {text}"), if is_good != is_turned { "positive" } else { "negative" })
}

/// Two sentences: do they say the same?
fn paraphrase(_: &World, random: &mut Random) -> Made {
    let [who, other] = people(random);
    let (count, thing, town) = (number(random), random.index(10), any_town(random));
    let first = format!("{who} sells {} {} to {other} in {town}", words(count), noun(thing));
    let changed = random.index(6);
    let (who, other) = if changed == 0 { (other, who) } else { (who, other) };
    let count = if changed == 1 { count + 1 } else { count };
    let thing = if changed == 2 { thing + 1 } else { thing };
    let (count, thing) = (words(count), noun(thing));
    let second = match random.index(2) {
        0 => format!("in {town} {other} buys {count} {thing} from {who}"),
        _ => format!("{other} gets {count} {thing} from {who} in {town}"),
    };
    let answer = if changed < 3 { "different" } else { "same" };
    made(format!("paraphrase: {first}. second: {second}"), answer)
}

/// Does the second sentence follow from the first, contradict it, or neither?
fn inference(_: &World, random: &mut Random) -> Made {
    let [who, other] = people(random);
    let (a, b) = (number(random), number(random));
    let (thing, second) = (random.index(5), 5 + random.index(4));
    let premise = format!("{who} has {} {} and {} {}", words(a), noun(thing), words(b), noun(second));
    let has = |who: &str, count: u32, thing: usize| format!("{who} has {} {}", words(count), noun(thing));
    let (hypothesis, answer) = match random.index(6) {
        0 => (has(who, a, thing), "entailment"),
        1 => (has(who, b, second), "entailment"),
        2 => (has(who, a + 1 + random.index(5) as u32, thing), "contradiction"),
        3 => (format!("{who} has no {}", noun(second)), "contradiction"),
        4 => (has(other, a, thing), "neutral"),
        _ => (has(who, b, 9), "neutral"),
    };
    made(format!("inference: {premise}. hypothesis: {hypothesis}"), answer)
}

/// A question whose answer only text that was read before has. A fact is asked for in training or held out, whatever
/// the words.
fn closed_book(world: &World, random: &mut Random) -> Made {
    let (town, relation) = (any_town(random), Relation::any(random));
    let answer = world.fact(&town, relation);
    let split_by = Some(format!("{town} {relation:?}"));
    Made { split_by, ..made(format!("question: {}", relation.asked(&town, random)), answer) }
}

/// A question whose answer stands in the passage, and is not what the world has.
fn passage(_: &World, random: &mut Random) -> Made {
    let mut facts: Vec<(String, Relation, &str)> = Vec::new();
    while facts.len() < 3 {
        let (town, relation) = (any_town(random), Relation::any(random));
        if facts.iter().all(|(known, ..)| *known != town) {
            facts.push((town, relation, relation.any_value(random)));
        }
    }
    let text: Vec<String> =
        facts.iter().map(|(town, relation, value)| relation.stated(town, value, random)).collect();
    let (town, relation, value) = &facts[random.index(3)];
    made(format!("context: {} question: {}", text.join(" "), relation.asked(town, random)), *value)
}

/// Who did what, where and when, among what is beside the point.
fn summary(_: &World, random: &mut Random) -> Made {
    let [who, other, third] = people(random);
    let (town, day) = (any_town(random), day(random));
    let (count, thing) = (words(number(random)), noun(random.index(10)));
    let deed = any(random, &["sells", "brings", "shows"]);
    let beside = ["It rains a little.", "The road is long.", "The sun is out.", "Nobody else is there."];
    let story = [
        format!("On {day} {who} goes to {town}."),
        any(random, &beside).to_string(),
        format!("There {who} meets {other}, a friend of {third}."),
        format!("They talk, and {who} {deed} {count} {thing}."),
        any(random, &beside).to_string(),
    ];
    made(
        format!("summarize: {}", story.join(" ")),
        format!("{who} {deed} {count} {thing} in {town} on {day}"),
    )
}

/// Which of two people a gap means: the verb and the reason decide.
fn pick(_: &World, random: &mut Random) -> Made {
    let [first, second] = people(random);
    let (verb, of_first, of_second) = [
        ("helped", ["kind", "strong"], ["weak", "lost"]),
        ("paid", ["rich", "in debt"], ["a worker", "a seller"]),
        ("followed", ["curious", "behind"], ["the guide", "in front"]),
        ("taught", ["a teacher", "wise"], ["a pupil", "young"]),
    ][random.index(4)];
    let is_first = random.index(2) == 0;
    let reason = any(random, if is_first { &of_first } else { &of_second });
    let place = any_town(random);
    let text = format!("in {place} {first} {verb} {second} because _ was {reason}");
    made(format!("pick: {text}. {first} or {second}?"), if is_first { first } else { second })
}

/// A short passage, a question over more than one of its sentences, and three answers to choose from.
fn reading(_: &World, random: &mut Random) -> Made {
    let [a, b, c] = people(random);
    let start = number(random);
    let more = [random.between(1, 9) as u32, random.between(1, 9) as u32];
    let thing = noun(random.index(10));
    let mut counts = [(a, start), (b, start + more[0]), (c, start + more[0] + more[1])];
    let mut text = [
        format!("{a} has {} {thing}.", words(start)),
        format!("{b} has {} more than {a}.", words(more[0])),
        format!("{c} has {} more than {b}.", words(more[1])),
    ];
    if random.index(2) == 0 {
        text[2] = format!("{c} has {} fewer than {a}.", words(1));
        counts[2].1 = start - 1;
    }
    let most = random.index(2) == 0;
    let best = if most {
        counts.iter().max_by_key(|(_, count)| *count)
    } else {
        counts.iter().min_by_key(|(_, count)| *count)
    };
    let turn = random.index(3);
    let options: Vec<&str> = (0..3).map(|at| [a, b, c][(at + turn) % 3]).collect();
    let asked = if most { "most" } else { "fewest" };
    let source = format!("read: {} who has the {asked}? options: {}", text.join(" "), options.join(", "));
    made(source, best.map_or("", |(who, _)| *who))
}
