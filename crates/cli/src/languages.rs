//! `--from` and `--to`: the source and target languages of all commands that run a text model.
//!
//! A model knows languages in one of two ways. Its vocabulary has a piece for each, which is no word (`deu_Latn` of
//! NLLB): one stands before a source, one before what is written. Or its corpus has several (`de`), and a source may
//! begin with the name as text (`<de>`); such a model writes one language.

use crate::failure::{Failure, Fault};
use crate::help::DECODING;
use crate::training::OpenedText;
use meshwright_base::{Code, Diagnostic, nearest};
use meshwright_train::Config;
use meshwright_train::config::Corpus;
use meshwright_train::data::corpus::marked;
use meshwright_train::data::languages::{LANGUAGE, NO_LANGUAGES};
use meshwright_train::data::source::{End, Source};
use meshwright_train::run::TextNet;

/// The source and target language.
#[derive(clap::Args, Clone, Debug, Default)]
pub struct LanguageArgs {
    /// Set the source language, for example de or deu_Latn.
    ///
    /// Use the name in the corpus (de), or in the vocabulary of a model such as NLLB (deu_Latn).
    #[arg(long, value_name = "LANGUAGE", help_heading = DECODING)]
    pub from: Option<String>,
    /// Set the target language, for example eng_Latn.
    ///
    /// Use the name in the vocabulary of a model such as NLLB.
    #[arg(long, value_name = "LANGUAGE", help_heading = DECODING)]
    pub to: Option<String>,
}

/// What reads texts, and what is known of them.
pub struct Reader<'a> {
    pub config: &'a Config,
    pub source: &'a mut Source,
    /// Whether the corpus of the configuration is one that the model has learnt from.
    pub is_learnt: bool,
    pub has_encoder: bool,
}

/// What stands before a text, as text.
#[derive(Default)]
pub struct Mark(Option<String>);

impl Mark {
    /// A text with its language.
    pub fn on(&self, text: &str) -> String {
        self.0.as_deref().map_or_else(|| text.to_string(), |language| marked(language, text))
    }
}

impl LanguageArgs {
    fn is_given(&self) -> bool {
        self.from.is_some() || self.to.is_some()
    }

    /// Lets sources and answers begin with their languages; those of the vocabulary are the source's own from now on.
    pub fn spoken(&self, reader: Reader<'_>) -> Result<Mark, Failure> {
        let known = reader.by_corpus();
        if !known.is_empty() {
            return self.of_corpus(&reader, &known);
        }
        self.of_vocabulary(reader, true)?;
        Ok(Mark::default())
    }

    /// The same for who times texts of any tokens, which need no language.
    pub fn timed(&self, reader: Reader<'_>) -> Result<(), Failure> {
        let known = reader.by_corpus();
        if known.is_empty() {
            return self.of_vocabulary(reader, false);
        }
        self.of_corpus(&reader, &known).map(|_| ())
    }

    /// The same for who draws its texts from the corpus, which marks them itself.
    pub fn drawn(&self, reader: Reader<'_>) -> Result<(), Failure> {
        let known = reader.by_corpus();
        let Some(name) = self.from.as_ref().or(self.to.as_ref()).filter(|_| !known.is_empty()) else {
            return self.of_vocabulary(reader, true);
        };
        let option = if self.from.is_some() { "--from" } else { "--to" };
        let one = self.from.as_deref().filter(|from| known.iter().any(|name| name == from));
        let message =
            format!("`{option} {name}`: texts are drawn from the corpus, which says their languages");
        let help = format!(
            "leave it out, or take one of its languages alone: `--set 'data.languages=[\"{}\"]'`",
            one.or(known.first().map(String::as_str)).unwrap_or("de")
        );
        refuse(NO_LANGUAGES, message, help)
    }

    /// Refuses languages of what is no text.
    pub fn none(&self) -> Result<(), Failure> {
        if !self.is_given() {
            return Ok(());
        }
        let message = "`--from` and `--to` name languages, and what the run has learnt from is no text";
        refuse(NO_LANGUAGES, message.to_string(), "leave them out".to_string())
    }

    fn of_vocabulary(&self, reader: Reader<'_>, is_needed: bool) -> Result<(), Failure> {
        let Reader { config, source, has_encoder, .. } = reader;
        if !has_encoder && self.is_given() {
            let option = if self.from.is_some() { "--from" } else { "--to" };
            let message = format!(
                "`{option}` is given, and the model has no encoder: it goes on with the prompt itself"
            );
            return refuse(NO_LANGUAGES, message, "leave it out".to_string());
        }
        let given = [(End::Source, "--from", &self.from), (End::Target, "--to", &self.to)];
        for (end, option, name) in given {
            if let Some(name) = name {
                source.speak(end, option, name).map_err(|found| Failure::new(Fault::Usage, found))?;
            }
        }
        if !is_needed {
            return Ok(());
        }
        let needed = source.check_languages(config, "both, by `--from` and `--to`");
        needed.map_err(|found| Failure::new(Fault::Usage, found))
    }

    fn of_corpus(&self, reader: &Reader<'_>, known: &[String]) -> Result<Mark, Failure> {
        if let Some(to) = &self.to {
            let message = format!("`--to {to}`: the model writes one language, that of its corpus' targets");
            return refuse(NO_LANGUAGES, message, "leave `--to` out".to_string());
        }
        match &self.from {
            Some(name) if !known.contains(name) => {
                let near = nearest::suggest(name, known.iter().map(String::as_str));
                let near = near.map_or(String::new(), |near| format!("{near} "));
                let message = format!("the model has not learnt the language `{name}`");
                refuse(LANGUAGE, message, format!("{near}it knows {}", known.join(", ")))
            }
            from => Ok(Mark(from.clone().filter(|_| reader.is_marked()))),
        }
    }
}

impl<'a> Reader<'a> {
    pub fn of(model: &'a mut OpenedText) -> Reader<'a> {
        let has_encoder = matches!(model.plan.model, TextNet::Pair(_));
        Reader { config: &model.config, source: &mut model.feed, is_learnt: model.step > 0, has_encoder }
    }

    /// Whether sources begin with their language as text.
    pub fn is_marked(&self) -> bool {
        self.is_learnt && self.config.data.corpus == Corpus::Pairs && self.config.data.marks_languages()
    }

    /// The languages that the model has learnt, as its corpus calls them; none where its vocabulary has languages.
    pub fn by_corpus(&self) -> Vec<String> {
        let data = &self.config.data;
        let is_named = matches!(data.corpus, Corpus::Pairs | Corpus::Multilingual);
        if !self.is_learnt
            || !is_named
            || !self.has_encoder
            || !self.source.tokenizer().languages().is_empty()
        {
            return Vec::new();
        }
        if data.languages.is_empty() { self.source.parts() } else { data.languages.clone() }
    }
}

/// What is said where a model reads which language a text is of, and `--from` does not say it.
pub fn unsaid(known: &[String]) -> Failure {
    let message = "the model reads which language a sentence is of, and `--from` does not say it";
    let help = format!("name one by `--from`: {}", known.join(", "));
    Failure::new(Fault::Usage, Diagnostic::error(LANGUAGE, message).help(help))
}

fn refuse<R>(code: Code, message: String, help: String) -> Result<R, Failure> {
    Err(Failure::new(Fault::Usage, Diagnostic::error(code, message).help(help)))
}
