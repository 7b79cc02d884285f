//! Translating sentences, and how near that comes to what they should become: BLEU and chrF by language.

use super::decoding::{Decoder, Decoding, Framing, Hypothesis, Room, Search};
use super::error::Error;
use super::host::Host;
use super::net::TextNet;
use super::plan::TextPlan;
use super::state::States;
use crate::checkpoint::Weights;
use crate::data::sentences::Sentences;
use crate::data::source::Source;
use crate::score::Scores;
use meshwright_base::arrange::Arrange;

/// How translations are looked for.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Translating {
    /// Sentences at a time.
    pub rows: usize,
    pub room: Room,
    pub search: Search,
    /// Most tokens of a translation; as many as the model has learnt to write, without.
    pub most: Option<usize>,
}

/// A model that translates, with its weights on the devices.
pub struct Translator {
    decoder: Decoder,
    states: States,
    most: usize,
}

/// A source, as a model reads it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Read {
    pub tokens: Vec<u32>,
    /// How many more there were than the model reads.
    pub too_many: usize,
}

impl Translator {
    /// `None` of a model without an encoder.
    pub fn new(
        plan: &TextPlan,
        frame: Framing,
        weights: &mut dyn Weights,
        how: &Translating,
        host: &Host<'_>,
    ) -> Result<Option<Translator>, Error> {
        let TextNet::Pair(_) = &plan.model else { return Ok(None) };
        let mut decoding = Decoding::of(plan, how.rows, frame, how.room, how.search);
        let given = usize::from(frame.answer.is_some());
        let most = how.most.map_or(decoding.places, |most| most.saturating_add(given));
        decoding.places = most.clamp(1, decoding.places);
        let decoder = Decoder::new(plan, decoding, host)?;
        let states = decoder.states(weights, host)?;
        Ok(Some(Translator { decoder, states, most: decoding.places }))
    }

    /// Most tokens of a source, without what stands around it.
    pub fn longest(&self) -> usize {
        self.decoder.decoding.source_room()
    }

    /// Sentences that are translated at a time.
    pub fn rows(&self) -> usize {
        self.decoder.decoding.rows
    }

    /// The beginning of a source, as far as the model reads.
    pub fn read(&self, mut tokens: Vec<u32>) -> Read {
        let too_many = tokens.len().saturating_sub(self.longest());
        tokens.truncate(self.longest());
        Read { tokens, too_many }
    }

    /// The hypotheses of each source, best first: one, unless a beam was asked for. `first` is the number of the first
    /// source among all.
    pub fn translate(
        &mut self,
        sources: &[Vec<u32>],
        first: usize,
        host: &Host<'_>,
    ) -> Result<Vec<Vec<Hypothesis>>, Error> {
        self.decoder.run(&self.states, sources, self.most, first, host)
    }
}

/// A model's translations of one language.
#[derive(Clone, Debug, PartialEq)]
pub struct Scored {
    pub language: String,
    pub translations: Vec<String>,
    pub scores: Scores,
    /// Tokens of the translations.
    pub tokens: usize,
    /// Sources of which the model could read the beginning only.
    pub too_long: usize,
    /// Translations without an end.
    pub cut: usize,
}

/// What a checkpoint makes of sentences, by language; held against what they should become. Sources of like lengths go
/// together, whatever their language.
pub fn scored(
    plan: &TextPlan,
    source: &Source,
    weights: &mut dyn Weights,
    sentences: &[Sentences],
    how: &Translating,
    host: &Host<'_>,
) -> Result<Vec<Scored>, Error> {
    let count: usize = sentences.iter().map(|one| one.documents.len()).sum();
    let how = Translating { rows: how.rows.min(count).max(1), ..*how };
    let translator = Translator::new(plan, source.frame(), weights, &how, host)?;
    let Some(mut translator) = translator else { return Ok(Vec::new()) };
    let documents = || sentences.iter().flat_map(|one| &one.documents);
    let read: Vec<Read> =
        documents().map(|one| translator.read(source.tokenizer().encode(&one.source))).collect();
    let mut order: Vec<usize> = (0..count).collect();
    order.arrange_by_key(|at| (read[*at].tokens.len(), *at));
    let sorted: Vec<Vec<u32>> = order.iter().map(|at| read[*at].tokens.clone()).collect();
    let found = translator.translate(&sorted, 0, host)?;
    let mut best: Vec<Option<Hypothesis>> = vec![None; count];
    for (at, all) in order.into_iter().zip(found) {
        best[at] = all.into_iter().next();
    }
    let mut all = read.into_iter().zip(best);
    Ok(sentences.iter().map(|one| of_language(source, one, &mut all)).collect())
}

fn of_language(
    source: &Source,
    sentences: &Sentences,
    found: &mut impl Iterator<Item = (Read, Option<Hypothesis>)>,
) -> Scored {
    let mut scored = Scored {
        language: sentences.language.clone(),
        translations: Vec::new(),
        scores: Scores::default(),
        tokens: 0,
        too_long: 0,
        cut: 0,
    };
    for (document, (read, best)) in sentences.documents.iter().zip(found) {
        let text = best.as_ref().map_or_else(String::new, |best| source.shown(&best.tokens));
        scored.scores.bleu.add(&text, &document.target);
        scored.scores.chrf.add(&text, &document.target);
        scored.tokens += best.as_ref().map_or(0, |best| best.tokens.len());
        scored.too_long += usize::from(read.too_many > 0);
        scored.cut += usize::from(best.is_some_and(|best| !best.is_ended));
        scored.translations.push(text);
    }
    scored
}
