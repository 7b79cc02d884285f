//! From a configuration to a stream of batches: the one place where corpus, tokenizer and layout meet.

use super::batch::{Batches, SampleLayout};
use super::content::{Content, Contents, TARGETS_TOO};
use super::corpus::{
    CORPUS, Corpus, Document, FileCorpus, Multilingual, PairCorpus, Part, Prose, Tasks, WorldText,
    is_held_out,
};
use super::languages::{self, Framing};
use super::mixture::{Mixture, Position, Side, weights};
use super::spans::{Corruption, Sentinels};
use super::tokenizer::{Normalizer, TOKENIZER, Tokenizer, Training, WordCounts, train_bpe, train_unigram};
use crate::config::{self, Config, DataSection, TokenizerKind};
use meshwright_base::random::Random;
use meshwright_base::{Diagnostic, nearest};
use std::fmt;
use std::path::PathBuf;

/// Documents that a tokenizer is learnt from.
const LEARNT_FROM: u64 = 20_000;

/// How often one looks for each document that is another.
const LOOKS: usize = 8;

/// How many ids there are on each side.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Vocabularies {
    pub source: usize,
    /// The source's, unless targets have a vocabulary of their own.
    pub target: usize,
}

impl fmt::Display for Vocabularies {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.source)?;
        if self.target == self.source { Ok(()) } else { write!(f, " and of {} for targets", self.target) }
    }
}

/// One of the two texts of a pair.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum End {
    Source,
    Target,
}

impl End {
    fn of(self, data: &DataSection) -> &str {
        match self {
            End::Source => &data.source_language,
            End::Target => &data.target_language,
        }
    }
}

/// Everything batches are made from. Made once; both sides of the split read it.
pub struct Source {
    corpus: Box<dyn Corpus>,
    tokenizer: Tokenizer,
    /// Of targets, if it is another.
    target: Option<Tokenizer>,
    weights: Vec<f64>,
    layout: SampleLayout,
    held_out_one_in: u64,
    contents: Contents,
}

impl Source {
    /// Opens the corpus; reads the tokenizer, or learns it from the training side. `read` gives the bytes of a file.
    pub fn open(
        config: &Config,
        read: impl Fn(&str) -> std::io::Result<Vec<u8>>,
    ) -> Result<Self, Diagnostic> {
        let data = &config.data;
        let seed = if data.seed == 0 { config.train.seed } else { data.seed };
        let (mut corpus, files) = open_corpus(data, seed)?;
        let learnt = Learnt { data, seed, is_learnt: learnt(corpus.parts(), data)? };
        let (tokenizer, content) = open_tokenizer(&mut *corpus, &learnt, &read)?;
        let (target, content) = if config.has_two_vocabularies() {
            let (target, both) = open_target(&mut *corpus, &learnt, &read, &tokenizer)?;
            (Some(target), both)
        } else {
            (None, content)
        };
        let contents = Contents { tokenizer: Some(content), files };
        let temperature = if data.mixture == config::Mixture::Temperature { data.temperature } else { 1.0 };
        let of_targets = target.as_ref().unwrap_or(&tokenizer);
        let length = |document: &Document| of_targets.encode(&document.target).len();
        let mut weights = weights(&mut *corpus, temperature, &length)?;
        weights.iter_mut().zip(&learnt.is_learnt).for_each(|(weight, is_learnt)| {
            *weight = if *is_learnt { *weight } else { 0.0 };
        });
        let layout = layout(data, &tokenizer, seed)?;
        let mut source = Source {
            corpus,
            tokenizer,
            target,
            weights,
            layout,
            held_out_one_in: data.held_out_one_in,
            contents,
        };
        for (field, end) in [("data.source_language", End::Source), ("data.target_language", End::Target)] {
            let name = end.of(data);
            if !name.is_empty() {
                let said = |found: Diagnostic| found.at_place(config.written(field).cloned());
                source.speak(end, field, name).map_err(said)?;
            }
        }
        Ok(source)
    }

    /// What the files of the run hold.
    pub fn contents(&self) -> &Contents {
        &self.contents
    }

    /// Ids the model must know: pieces, then sentinels.
    pub fn vocabularies(&self) -> Vocabularies {
        let source = self.layout.sentinels.vocabulary as usize;
        Vocabularies { source, target: self.target.as_ref().map_or(source, Tokenizer::size) }
    }

    /// Of sources, and of all text where there is no other.
    pub fn tokenizer(&self) -> &Tokenizer {
        &self.tokenizer
    }

    /// Of what a decoder says.
    pub fn target_tokenizer(&self) -> &Tokenizer {
        self.target.as_ref().unwrap_or(&self.tokenizer)
    }

    /// Names of the corpus's parts.
    pub fn parts(&self) -> Vec<String> {
        self.corpus.parts().iter().map(|part| part.name.clone()).collect()
    }

    /// Ends a text.
    pub fn end(&self) -> u32 {
        self.layout.frame.end
    }

    /// What stands around texts.
    pub fn frame(&self) -> Framing {
        self.layout.frame
    }

    /// Texts of one end are in a language of the vocabulary; `asked` is where that was said.
    pub fn speak(&mut self, end: End, asked: &str, name: &str) -> Result<(), Diagnostic> {
        let tokenizer = match end {
            End::Source => &self.tokenizer,
            End::Target => self.target_tokenizer(),
        };
        let piece = Some(languages::piece(tokenizer, asked, name)?);
        let frame = &mut self.layout.frame;
        *(if end == End::Source { &mut frame.source } else { &mut frame.answer }) = piece;
        Ok(())
    }

    /// Refuses task "translate" without languages, of a model that has learnt to read them. `which` are the names by
    /// which they can be given.
    pub fn check_languages(&self, config: &Config, which: &str) -> Result<(), Diagnostic> {
        let Framing { source, answer, .. } = self.layout.frame;
        let reads =
            config.model.family == config::Family::Nllb && self.layout.task == config::Task::Translate;
        if !reads || source.is_some() && answer.is_some() || self.tokenizer.languages().is_empty() {
            return Ok(());
        }
        Err(languages::missing(&self.tokenizer, which))
    }

    /// The first documents of the held-out side that differ: fewer, where few are there.
    pub fn held_out(&mut self, count: usize) -> Result<Vec<Document>, Diagnostic> {
        let mixture = Mixture::new(self.layout.seed, Side::HeldOut, self.held_out_one_in, &self.weights);
        let mut position = mixture.start();
        let mut found = Vec::new();
        for _ in 0..count.saturating_mul(LOOKS) {
            let (document, _, after) = mixture.draw(&mut *self.corpus, &position)?;
            if !found.contains(&document) {
                found.push(document);
            }
            if found.len() == count {
                break;
            }
            position = after;
        }
        Ok(found)
    }

    /// One document in so many is held out.
    pub fn held_out_one_in(&self) -> u64 {
        self.held_out_one_in
    }

    /// The first documents of the held-out side of each part that is learnt, at most so many.
    pub fn held_out_by_part(&mut self, most: usize) -> Result<Vec<(String, Vec<Document>)>, Diagnostic> {
        let parts = self.corpus.parts().to_vec();
        let mut all = Vec::new();
        let is_learnt = self.weights.iter().map(|weight| *weight > 0.0).collect::<Vec<bool>>();
        for (at, part) in parts.into_iter().enumerate().filter(|(at, _)| is_learnt[*at]) {
            let mut found: Vec<Document> = Vec::new();
            for number in 0..part.documents {
                let document = self.corpus.document(at, number)?;
                if is_held_out(&*self.corpus, (at, number), &document, self.held_out_one_in)
                    && !found.contains(&document)
                {
                    found.push(document);
                }
                if found.len() == most {
                    break;
                }
            }
            all.push((part.name, found));
        }
        Ok(all)
    }

    /// A text as task "spans" asks for it, both sides without their end; the same for the same number. `None` of a text
    /// too short to lose anything, or without sentinels.
    pub fn spans(&self, document: &Document, number: u64) -> Option<(Vec<u32>, Vec<u32>)> {
        let SampleLayout { corruption, sentinels, input_length, target_length, frame, seed, .. } =
            self.layout;
        let mut tokens = self.tokenizer.encode(&document.target);
        tokens.truncate(corruption.lengths(input_length).raw);
        let mut random = Random::new(seed, number);
        let (mut input, mut target) = corruption.corrupt(&tokens, sentinels, frame.end, &mut random)?;
        input.pop();
        target.pop();
        (!target.is_empty() && target.len() < target_length).then_some((input, target))
    }

    /// Tokens of the decoder's side as text, with sentinels as `<0>`, `<1>`.
    pub fn shown(&self, tokens: &[u32]) -> String {
        if let Some(target) = &self.target {
            return target.decode(tokens).trim().to_string();
        }
        let Sentinels { vocabulary, count } = self.layout.sentinels;
        let number = |token: u32| vocabulary.saturating_sub(1).checked_sub(token).filter(|at| *at < count);
        let part = |part: &[u32]| match part {
            [one] if number(*one).is_some() => format!(" <{}> ", number(*one).unwrap_or(0)),
            words => self.tokenizer.decode(words),
        };
        let parts = tokens.chunk_by(|a, b| number(*a).is_none() && number(*b).is_none());
        parts.map(part).collect::<String>().trim().to_string()
    }

    /// Whether what is held out are examples that can each be judged once: pairs of one file.
    pub fn has_end(&self) -> bool {
        let is_of_pairs = self.layout.task == config::Task::Translate;
        is_of_pairs && !self.contents.files.is_empty() && self.corpus.parts().len() == 1
    }

    /// Batches of one side, from a saved position or from the start.
    pub fn batches(&mut self, side: Side, position: Option<Position>) -> Batches<'_> {
        let mixture = Mixture::new(self.layout.seed, side, self.held_out_one_in, &self.weights);
        let position = position.unwrap_or_else(|| mixture.start());
        let layout = self.layout.clone();
        let tokenizers = (&self.tokenizer, self.target.as_ref().unwrap_or(&self.tokenizer));
        Batches::new(&mut *self.corpus, tokenizers, mixture, layout, position)
    }
}

/// The corpus, and what its files hold.
fn open_corpus(data: &DataSection, seed: u64) -> Result<(Box<dyn Corpus>, Vec<Content>), Diagnostic> {
    Ok(match data.corpus {
        config::Corpus::Multilingual => {
            (Box::new(Multilingual::new(seed, data.documents, data.skew)), Vec::new())
        }
        // Images and sound come from elsewhere.
        config::Corpus::Text
        | config::Corpus::Volumes
        | config::Corpus::Pictures
        | config::Corpus::Weather
        | config::Corpus::Questions
        | config::Corpus::Arrays
        | config::Corpus::Spectrograms => (Box::new(Prose::new(seed, data.documents)), Vec::new()),
        config::Corpus::World => (Box::new(WorldText::new(seed, data.documents)), Vec::new()),
        config::Corpus::Tasks => (Box::new(Tasks::new(seed, data.documents)), Vec::new()),
        config::Corpus::Pairs => {
            let folder = data.files.first().map(PathBuf::from).unwrap_or_default();
            let corpus = PairCorpus::open(&folder, data.held_out_one_in, data.marks_languages())?;
            let contents = corpus.contents().to_vec();
            (Box::new(corpus), contents)
        }
        config::Corpus::Files => {
            let paths: Vec<PathBuf> = data.files.iter().map(PathBuf::from).collect();
            let corpus = FileCorpus::open(&paths)?;
            if data.task == config::Task::Translate {
                corpus.check_pairs()?;
            }
            let contents = corpus.contents().to_vec();
            (Box::new(corpus), contents)
        }
    })
}

/// What of a corpus is learnt from, and how.
struct Learnt<'a> {
    data: &'a DataSection,
    seed: u64,
    /// Of each part.
    is_learnt: Vec<bool>,
}

/// Which parts are of the languages or tasks that are asked for; all, if none is named.
fn learnt(parts: &[Part], data: &DataSection) -> Result<Vec<bool>, Diagnostic> {
    let (field, what, wanted) = match data.corpus {
        config::Corpus::Tasks => ("data.tasks", "tasks", &data.tasks),
        _ => ("data.languages", "languages", &data.languages),
    };
    let unknown = wanted.iter().find(|name| parts.iter().all(|part| part.name != **name));
    if let Some(name) = unknown {
        let names: Vec<&str> = parts.iter().map(|part| part.name.as_str()).collect();
        let message = format!("`{field}` has `{name}`, and the corpus does not");
        let help = nearest::suggest(name, names.iter().copied())
            .unwrap_or_else(|| format!("its {what} are {}", names.join(", ")));
        return Err(Diagnostic::error(CORPUS, message).help(help));
    }
    Ok(parts.iter().map(|part| wanted.is_empty() || wanted.contains(&part.name)).collect())
}

/// Read, or learnt; with its bytes in a file, which are the same when it is read again.
fn open_tokenizer(
    corpus: &mut dyn Corpus,
    learnt: &Learnt<'_>,
    read: impl Fn(&str) -> std::io::Result<Vec<u8>>,
) -> Result<(Tokenizer, Content), Diagnostic> {
    let data = learnt.data;
    let has_target = data.target_vocabulary > 0 || !data.target_tokenizer.is_empty();
    match data.tokenizer.as_str() {
        "" => {
            let sides = if has_target { Sides::Sources } else { Sides::Both };
            let tokenizer = learn(corpus, learnt, sides)?;
            let content = Content::of("tokenizer.model", &tokenizer.to_sentencepiece());
            Ok((tokenizer, content))
        }
        path => {
            let bytes = read(path).map_err(|error| unreadable("data.tokenizer", path, &error))?;
            Ok((read_tokenizer(path, &bytes)?, Content::of(path, &bytes)))
        }
    }
}

/// The tokenizer of targets, and the bytes of both as one content: weights belong to the pieces of both.
fn open_target(
    corpus: &mut dyn Corpus,
    learnt: &Learnt<'_>,
    read: impl Fn(&str) -> std::io::Result<Vec<u8>>,
    source: &Tokenizer,
) -> Result<(Tokenizer, Content), Diagnostic> {
    let target = match learnt.data.target_tokenizer.as_str() {
        "" => learn(corpus, learnt, Sides::Targets)?,
        path => {
            let bytes = read(path).map_err(|error| unreadable("data.target_tokenizer", path, &error))?;
            read_tokenizer(path, &bytes)?
        }
    };
    let ends = [source, &target].map(Tokenizer::end);
    if ends[0] != ends[1] {
        let told = ends.map(|end| end.map_or("none".to_string(), |id| id.to_string()));
        let message =
            format!("the tokenizers of sources and targets end a text by ids {} and {}", told[0], told[1]);
        let help = "give two that have the same, as those that are learnt here do";
        return Err(Diagnostic::error(TOKENIZER, message).help(help));
    }
    let both = [source.to_sentencepiece(), target.to_sentencepiece()].concat();
    Ok((target, Content::of(&format!("tokenizer.model{TARGETS_TOO}"), &both)))
}

/// What a tokenizer is learnt from.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Sides {
    Both,
    Sources,
    Targets,
}

/// A tokenizer of documents drawn evenly from all parts that are learnt, training side only, so that no held-out text
/// shapes it.
fn learn(
    corpus: &mut dyn Corpus,
    Learnt { data, seed, is_learnt }: &Learnt<'_>,
    sides: Sides,
) -> Result<Tokenizer, Diagnostic> {
    let mut counts = WordCounts::new(Normalizer::default());
    let is_drawn = corpus.parts().iter().zip(is_learnt).map(|(part, learnt)| *learnt && part.documents > 0);
    let even: Vec<f64> = is_drawn.map(f64::from).collect();
    let mixture = Mixture::new(*seed, Side::Training, data.held_out_one_in, &even);
    let mut position = mixture.start();
    let all: u64 = corpus.parts().iter().fold(0, |all, part| all.saturating_add(part.documents));
    for _ in 0..all.min(LEARNT_FROM) {
        let (document, _, after) = mixture.draw(corpus, &position)?;
        if sides != Sides::Targets {
            counts.add(&document.source);
        }
        if sides != Sides::Sources {
            counts.add(&document.target);
        }
        position = after;
    }
    let vocabulary = if sides == Sides::Targets { data.target_vocabulary } else { data.vocabulary };
    let training = Training { vocabulary, ..Training::default() };
    let learnt = match data.tokenizer_kind {
        TokenizerKind::Unigram => train_unigram(&counts, training),
        TokenizerKind::Bpe => train_bpe(&counts, training),
    };
    learnt.map_err(|found| if sides == Sides::Targets { of_targets(found) } else { found })
}

/// The same with the field that is to be changed.
fn of_targets(found: Diagnostic) -> Diagnostic {
    let help = found.help.map(|help| help.replace("`data.vocabulary`", "`data.target_vocabulary`"));
    Diagnostic { help, ..found }
}

fn layout(data: &DataSection, tokenizer: &Tokenizer, seed: u64) -> Result<SampleLayout, Diagnostic> {
    let end = tokenizer.end().ok_or_else(no_end)?;
    let size = tokenizer.size().saturating_add(data.sentinels);
    let too_large = |_| {
        Diagnostic::error(TOKENIZER, format!("a vocabulary of {size} does not fit 32 bits"))
            .help("use fewer `data.sentinels`")
    };
    Ok(SampleLayout {
        task: data.task,
        rows: data.batch,
        input_length: data.input_length,
        target_length: data.target_length,
        packing: data.packing,
        corruption: Corruption { density: data.noise_density, mean_span: data.mean_span },
        sentinels: Sentinels {
            vocabulary: i32::try_from(size).map_err(too_large)? as u32,
            count: data.sentinels as u32,
        },
        frame: Framing { end, ..Framing::default() },
        seed,
    })
}

/// What is wrong with a tokenizer is said with its name.
fn read_tokenizer(path: &str, bytes: &[u8]) -> Result<Tokenizer, Diagnostic> {
    Tokenizer::read(bytes).map_err(|found| Diagnostic {
        message: format!("`{path}` is no tokenizer: {}", found.message),
        ..found
    })
}

fn unreadable(field: &str, path: &str, error: &std::io::Error) -> Diagnostic {
    Diagnostic::error(TOKENIZER, format!("cannot read `{path}`: {error}"))
        .help(format!("check `{field}`, or leave it out to learn one"))
}

fn no_end() -> Diagnostic {
    Diagnostic::error(TOKENIZER, "the tokenizer has no piece that ends a text")
        .help("give one that has `</s>`, as T5's does, `<|endoftext|>`, `<|end_of_text|>`, `<eos>`, `<|end|>` or `[EOS]`")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::pairs::{LanguagePairs, Origin, Sizes, write};
    use meshwright_base::SourceText;

    fn config(text: &str) -> Config {
        let config = Config::read(&SourceText::new("t", text)).unwrap();
        assert!(config.check().iter().all(|found| !found.is_error()), "{:?}", config.check());
        config
    }

    #[test]
    fn defaults_make_batches_of_both_sides() {
        let config = config("[data]\ndocuments = 5000\nvocabulary = 1000\nbatch = 16\n");
        let mut source = Source::open(&config, |path| std::fs::read(path)).unwrap();
        assert_eq!(source.vocabularies(), Vocabularies { source: 1100, target: 1100 });
        for side in [Side::Training, Side::HeldOut] {
            let batch = source.batches(side, None).next_batch().unwrap();
            assert_eq!(batch.encoder.tokens.len(), 16 * 64);
            assert!(batch.encoder.tokens.iter().all(|token| (0..1100).contains(token)));
            // Packed: phrases have about ten tokens, rows sixty-four.
            assert!(batch.asked() > 16 * 25, "{}", batch.asked());
        }
    }

    /// A corpus of three languages, as `data m4` writes it; its configuration.
    fn pairs(name: &str, more: &str) -> Config {
        let folder = std::env::temp_dir().join(format!("meshwright-source-{}-{name}", std::process::id()));
        let _ = std::fs::remove_dir_all(&folder);
        let languages = [("de", "Satz"), ("pt-br", "frase"), ("ja", "文は番号")].map(|(name, word)| {
            let mut pairs = LanguagePairs::new(name);
            for n in 0..400 {
                pairs.add(Origin::Help, &format!("{word} {n} {word}"), &format!("this is sentence {n}"));
            }
            pairs
        });
        let sizes = Sizes { test_one_in: 10, dev_one_in: 50, skew: None, seed: 1 };
        write(&folder, &languages, sizes, serde_json::Map::new()).unwrap();
        config(&format!(
            "[data]\ncorpus = \"pairs\"\nfiles = [{:?}]\nvocabulary = 400\nbatch = 8\n{more}",
            folder.display().to_string()
        ))
    }

    #[test]
    fn a_language_is_one_piece_before_its_sentences() {
        let mut source = Source::open(&pairs("piece", ""), |path| std::fs::read(path)).unwrap();
        assert_eq!(source.parts(), ["de", "pt-br", "ja"]);
        let firsts = ["<de>", "<pt-br>", "<ja>"].map(|language| source.tokenizer().encode(language));
        assert!(firsts.iter().all(|pieces| pieces.len() == 1), "{firsts:?}");
        let batch = source.batches(Side::Training, None).next_batch().unwrap();
        let begins = batch.encoder.positions.iter().zip(&batch.encoder.segments).zip(&batch.encoder.tokens);
        let begins = begins.filter(|((position, segment), _)| **position == 0 && **segment > 0);
        let languages: Vec<u32> = begins.map(|(_, token)| *token as u32).collect();
        assert!(languages.iter().all(|token| firsts.iter().any(|first| first[0] == *token)), "{languages:?}");
        assert!(firsts.iter().all(|first| languages.contains(&first[0])), "{languages:?}");
    }

    /// A tokenizer of letters with two languages, as NLLB has them.
    fn with_languages() -> Vec<u8> {
        let named = ["<s>", "<pad>", "</s>", "<unk>", "\u{2581}"].map(str::to_string);
        let letters = ('a'..='z').chain(('A'..='Z').chain('0'..='9')).map(String::from);
        let vocab: Vec<String> = named.into_iter().chain(letters).collect();
        let rows: serde_json::Map<String, serde_json::Value> =
            vocab.iter().enumerate().map(|(id, text)| (text.clone(), id.into())).collect();
        let special = |id: usize, text: &str| {
            serde_json::json!({"id": id, "content": text, "special": true, "single_word": false, "lstrip": false,
                               "rstrip": false, "normalized": false})
        };
        let mut added: Vec<serde_json::Value> = (0..4).map(|id| special(id, &vocab[id])).collect();
        added.extend(["deu_Latn", "eng_Latn"].iter().zip(vocab.len()..).map(|(text, id)| special(id, text)));
        let model = serde_json::json!({"type": "BPE", "unk_token": "<unk>", "vocab": rows, "merges": []});
        let cut =
            serde_json::json!({"type": "Metaspace", "replacement": "\u{2581}", "add_prefix_space": true});
        serde_json::json!({"added_tokens": added, "pre_tokenizer": cut, "model": model})
            .to_string()
            .into_bytes()
    }

    #[test]
    fn languages_of_the_vocabulary_stand_before_both_texts() {
        let spoken = "[data]\ntokenizer = \"t\"\nsource_language = \"deu_Latn\"\ntarget_language = \"eng_Latn\"\n\
                      sentinels = 0\nbatch = 4\n";
        let mut source = Source::open(&config(spoken), |_| Ok(with_languages())).unwrap();
        let [from, to] = ["deu_Latn", "eng_Latn"].map(|name| source.tokenizer().id(name).unwrap());
        assert_eq!(source.frame(), Framing { source: Some(from), answer: Some(to), end: 2 });
        let batch = source.batches(Side::Training, None).next_batch().unwrap();
        for (grid, language) in [(&batch.encoder, from), (&batch.decoder, to)] {
            let places = grid.positions.iter().zip(&grid.segments).zip(&grid.tokens);
            let mut begun = 0;
            for ((position, segment), token) in places.filter(|((_, segment), _)| **segment > 0) {
                assert_eq!(*position == 0, *token == language as i32, "segment {segment}");
                begun += usize::from(*position == 0);
            }
            assert!(begun >= 4, "{begun}");
        }
        let unknown = spoken.replace("eng_Latn", "eng_Lain");
        let found = Source::open(&config(&unknown), |_| Ok(with_languages())).err().unwrap();
        assert_eq!(found.message, "`data.target_language` is `eng_Lain`, which is no language of the model");
        assert_eq!(found.help.as_deref(), Some("did you mean `eng_Latn`? it knows deu_Latn, eng_Latn"));
        let learnt = "[data]\ndocuments = 300\nvocabulary = 400\nsource_language = \"de\"\n";
        let found = Source::open(&config(learnt), |path| std::fs::read(path)).err().unwrap();
        assert!(found.message.ends_with("and the model's vocabulary has no languages"), "{found:?}");
    }

    /// A model of NLLB's kind is not trained without them.
    #[test]
    fn a_model_that_reads_languages_is_told_them() {
        let model = "[model]\nfamily = \"nllb\"\nrouting = \"gshard-code\"\n[data]\ntokenizer = \"t\"\nsentinels = 0\n";
        let mut config = config(model);
        let open = |config: &Config| Source::open(config, |_| Ok(with_languages())).unwrap();
        let found = open(&config).check_languages(&config, "both").unwrap_err();
        assert_eq!(found.help.as_deref(), Some("name both: it knows deu_Latn, eng_Latn"));
        config.set("data.source_language=deu_Latn").unwrap();
        assert!(open(&config).check_languages(&config, "both").is_err());
        config.set("data.target_language=eng_Latn").unwrap();
        assert_eq!(open(&config).check_languages(&config, "both"), Ok(()));
    }

    #[test]
    fn two_vocabularies_are_learnt_of_a_side_each() {
        let two = "target_vocabulary = 300\n[model]\nembeddings = \"separate\"\n";
        let two = pairs("two", two);
        let mut source = Source::open(&two, |path| std::fs::read(path)).unwrap();
        assert_eq!(source.vocabularies(), Vocabularies { source: 500, target: 300 });
        let pieces = |tokenizer: &Tokenizer, text: &str| tokenizer.encode(text).len();
        let [of_sources, of_targets] = [source.tokenizer().clone(), source.target_tokenizer().clone()];
        assert!(pieces(&of_targets, "sentence") < pieces(&of_sources, "sentence"));
        assert!(pieces(&of_sources, "Satz") < pieces(&of_targets, "Satz"));
        let batch = source.batches(Side::Training, None).next_batch().unwrap();
        let text: Vec<u32> = batch.decoder.tokens.iter().map(|token| *token as u32).collect();
        assert!(of_targets.decode(&text).starts_with("this is sentence"), "{}", of_targets.decode(&text));
        assert!(text.iter().all(|token| *token < 300));
        let mut small = two.clone();
        small.data.target_vocabulary = 262;
        let refused = Source::open(&small, |path| std::fs::read(path)).err().unwrap();
        assert!(
            refused.help.as_ref().is_some_and(|help| help.contains("`data.target_vocabulary`")),
            "{refused:?}"
        );
        // Read again they are the same, and another is noticed.
        let saved = [of_sources.to_sentencepiece(), of_targets.to_sentencepiece()];
        let mut given = two.clone();
        (given.data.tokenizer, given.data.target_tokenizer) = ("0".into(), "1".into());
        let read = |path: &str| Ok(saved[usize::from(path == "1")].clone());
        let again = Source::open(&given, read).unwrap();
        assert!(again.contents().tokenizer_since(source.contents()).is_ok());
        let missing =
            |path: &str| if path == "1" { Err(std::io::ErrorKind::NotFound.into()) } else { read(path) };
        let found = Source::open(&given, missing).err().unwrap();
        assert!(found.message.starts_with("cannot read `1`: "), "{found:?}");
        assert_eq!(
            found.help.as_deref(),
            Some("check `data.target_tokenizer`, or leave it out to learn one")
        );
        let other_end = |path: &str| if path == "1" { Ok(with_languages()) } else { read(path) };
        let found = Source::open(&given, other_end).err().unwrap();
        assert_eq!(found.message, "the tokenizers of sources and targets end a text by ids 1 and 2");
        let without_end =
            br#"{"model": {"type": "Unigram", "unk_id": 0, "vocab": [["<unk>", 0.0], ["a", -1.0]]}}"#;
        let found = Source::open(&given, |_| Ok(without_end.to_vec())).err().unwrap();
        assert_eq!(found.message, "the tokenizer has no piece that ends a text");
        let mut many = given.clone();
        many.data.sentinels = 1 << 31;
        let found = Source::open(&many, read).err().unwrap();
        assert_eq!(found.message, "a vocabulary of 2147484048 does not fit 32 bits");
        let other = Source::open(&given, |_| Ok(saved[0].clone())).unwrap();
        assert!(other.contents().tokenizer_since(source.contents()).is_err());
    }

    #[test]
    fn languages_that_are_not_learnt_are_in_no_batch_and_no_vocabulary() {
        let one = "languages = [\"pt-br\"]\ntarget_vocabulary = 300\n[model]\nembeddings = \"separate\"\n";
        let mut source = Source::open(&pairs("one", one), |path| std::fs::read(path)).unwrap();
        for side in [Side::Training, Side::HeldOut] {
            let batch = source.batches(side, None).next_batch().unwrap();
            assert!(batch.parts.iter().zip(&batch.decoder.segments).all(|(part, at)| *at == 0 || *part == 1));
        }
        let pieces = |text: &str| source.tokenizer().encode(text).len();
        assert!(pieces("<pt-br>") == 1 && pieces("<de>") > 1 && pieces("Satz") > pieces("frase"));
        let wrong = pairs("none", "languages = [\"pt_br\"]\n");
        let found = Source::open(&wrong, |path| std::fs::read(path)).err().unwrap();
        assert!(found.message.contains("`pt_br`, and the corpus does not"), "{found:?}");
        assert!(found.help.as_ref().is_some_and(|help| help.contains("`pt-br`")), "{found:?}");
        let phrases = "[data]\ndocuments = 3000\nvocabulary = 600\nbatch = 8\nlanguages = [\"fr\"]\n";
        let mut source = Source::open(&config(phrases), |path| std::fs::read(path)).unwrap();
        let batch = source.batches(Side::Training, None).next_batch().unwrap();
        let of_french = batch.parts.iter().zip(&batch.decoder.segments).filter(|(_, at)| **at > 0);
        assert_eq!(of_french.map(|(part, _)| *part).collect::<std::collections::BTreeSet<_>>().len(), 1);
    }

    #[test]
    fn two_vocabularies_need_two_tables_and_two_texts() {
        let said = |text: &str| {
            let config = Config::read(&SourceText::new("t", text)).unwrap();
            config.check().into_iter().map(|found| found.message).collect::<Vec<_>>().concat()
        };
        let two = "[data]\ntarget_vocabulary = 300\n";
        assert!(said(two).contains("would share one table"), "{}", said(two));
        assert_eq!(said(&format!("{two}[model]\nembeddings = \"separate\"\n")), "");
        assert_eq!(said(&format!("{two}[model]\nfamily = \"gshard\"\nrouting = \"gshard\"\n")), "");
        let spans = format!("{two}task = \"spans\"\n[model]\nembeddings = \"separate\"\n");
        assert!(said(&spans).contains("task \"spans\" has one text"), "{}", said(&spans));
    }

    #[test]
    fn held_out_documents_are_shown_once() {
        let config = config("[data]\ndocuments = 200\nvocabulary = 600\nheld_out_one_in = 30\n");
        let mut source = Source::open(&config, |path| std::fs::read(path)).unwrap();
        let found = source.held_out(50).unwrap();
        assert!((2..50).contains(&found.len()), "{}", found.len());
        for (at, one) in found.iter().enumerate() {
            assert!(!found[..at].contains(one), "{one:?}");
        }
    }

    #[test]
    fn spans_are_shown_with_their_sentinels() {
        let config =
            config("[data]\ncorpus = \"text\"\ntask = \"spans\"\ndocuments = 500\nvocabulary = 700\n");
        let mut source = Source::open(&config, |path| std::fs::read(path)).unwrap();
        let document = source.held_out(1).unwrap().remove(0);
        let (input, target) = source.spans(&document, 1).unwrap();
        assert_eq!(source.spans(&document, 1).unwrap(), (input.clone(), target.clone()));
        let (kept, hidden) = (source.shown(&input), source.shown(&target));
        assert!(kept.contains(" <0> ") && hidden.starts_with("<0> "), "{kept}\n{hidden}");
        assert_eq!(kept.matches('<').count(), hidden.matches('<').count());
    }

    #[test]
    fn a_saved_tokenizer_gives_the_same_batches() {
        let text = "[model]\ndecoder_only = true\n[data]\ncorpus = \"text\"\ntask = \"next\"\ndocuments = 500\nbatch = 4\n";
        let mut learnt =
            Source::open(&config(&format!("{text}vocabulary = 700\n")), |_| unreachable!()).unwrap();
        let saved = learnt.tokenizer().to_sentencepiece();
        let given = config(&format!("{text}tokenizer = \"saved.model\"\n"));
        let mut again = Source::open(&given, |_| Ok(saved.clone())).unwrap();
        let take = |source: &mut Source| source.batches(Side::Training, None).next_batch().unwrap();
        assert_eq!(take(&mut learnt), take(&mut again));
        let broken = Source::open(&given, |_| Ok(saved[..40].to_vec())).err().unwrap();
        assert!(broken.message.starts_with("`saved.model` is no tokenizer: "), "{broken:?}");
        let missing = |_: &str| Err(std::io::ErrorKind::NotFound.into());
        assert!(
            Source::open(&given, missing).err().unwrap().message.starts_with("cannot read `saved.model`")
        );
    }
}
