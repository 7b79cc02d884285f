//! Language tokens: pieces of a vocabulary that are no words, of which a text has one before it, as `deu_Latn` of NLLB.
//! (The `<de>` of corpus "pairs" is text like any other.)

use super::tokenizer::Tokenizer;
use meshwright_base::{Code, Diagnostic, nearest};

/// A language that is not known, or is missing.
pub const LANGUAGE: Code = Code(1171);
/// A language for a model that reads none.
pub const NO_LANGUAGES: Code = Code(1215);

/// Most that a message lists; NLLB has 202.
const MOST: usize = 300;

/// What stands around texts, and is not shown.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Framing {
    /// What every source of task "translate" begins with: its language.
    pub source: Option<u32>,
    /// What every answer to one begins with.
    pub answer: Option<u32>,
    /// What ends a text.
    pub end: u32,
}

impl Framing {
    /// How many tokens it takes of a source.
    pub fn around_source(&self) -> usize {
        1 + usize::from(self.source.is_some())
    }

    /// A source of so many places: its end, where it is too long, and padding behind it.
    pub fn source(&self, own: &[u32], places: usize) -> Vec<i32> {
        let room = places.saturating_sub(self.around_source());
        let last = &own[own.len() - own.len().min(room)..];
        let all = self.source.iter().chain(last).chain([&self.end]);
        let mut tokens: Vec<i32> = all.map(|token| *token as i32).collect();
        tokens.resize(places, 0);
        tokens
    }
}

/// The piece of a language; `asked` is where it was named, as `--from` or `data.source_language`.
pub fn piece(tokenizer: &Tokenizer, asked: &str, name: &str) -> Result<u32, Diagnostic> {
    let known = tokenizer.languages();
    if known.is_empty() {
        let message = format!("`{asked}` is `{name}`, and the model's vocabulary has no languages");
        let help = format!("leave `{asked}` out: texts are read as they are");
        return Err(Diagnostic::error(NO_LANGUAGES, message).help(help));
    }
    match tokenizer.id(name).filter(|_| known.contains(&name)) {
        Some(id) => Ok(id),
        None => {
            let near = nearest::suggest(name, known.iter().copied());
            let near = near.map_or(String::new(), |near| format!("{near} "));
            let message = format!("`{asked}` is `{name}`, which is no language of the model");
            Err(Diagnostic::error(LANGUAGE, message).help(format!("{near}it knows {}", listed(&known))))
        }
    }
}

/// What is said where a model that reads languages was told none.
pub fn missing(tokenizer: &Tokenizer, which: &str) -> Diagnostic {
    let known = tokenizer.languages();
    let message = "the model's texts begin with their language, and which it is was not said";
    Diagnostic::error(LANGUAGE, message).help(format!("name {which}: it knows {}", listed(&known)))
}

fn listed(names: &[&str]) -> String {
    let more = names.len().saturating_sub(MOST);
    let shown = names.iter().take(MOST).copied().collect::<Vec<_>>().join(", ");
    if more > 0 { format!("{shown} and {more} more") } else { shown }
}
