//! A corpus without packages: the phrases that rules make in fifteen languages, cleaned and split as sentences are.

use super::{LANGUAGES, Language};
use meshwright_base::{Diagnostic, nearest};
use meshwright_cli::failure::{Failure, Fault};
use meshwright_cli::train_args::M4Args;
use meshwright_cli::training::ended_by;
use meshwright_train::data::corpus::{Corpus, Multilingual};
use meshwright_train::data::pairs::{LanguagePairs, Origin};

/// So many phrases of each language, less those that do not pass.
pub fn pairs(languages: &[Language], count: u64, args: &M4Args) -> Result<Vec<LanguagePairs>, Failure> {
    let parts = Multilingual::new(args.seed, 0, 0.0).parts().len() as u64;
    let mut corpus = Multilingual::new(args.seed, count.saturating_mul(parts), 0.0);
    let names: Vec<String> = corpus.parts().iter().map(|part| part.name.clone()).collect();
    languages
        .iter()
        .map(|language| {
            let part = names.iter().position(|name| *name == language.0);
            let part = part.ok_or_else(|| unknown(language, &names))?;
            let mut pairs = LanguagePairs::new(&language.0);
            pairs.most_words = args.words as usize;
            for at in 0..count {
                let phrase = corpus.document(part, at).map_err(ended_by)?;
                pairs.add(Origin::Phrases, &phrase.source, &phrase.target);
            }
            Ok(pairs)
        })
        .collect()
}

fn unknown(language: &Language, names: &[String]) -> Failure {
    let near = nearest::suggest(&language.0, names.iter().map(String::as_str));
    let near = near.map_or(String::new(), |near| format!("{near} "));
    let message = format!("the program has no phrases in `{}`", language.0);
    let help = format!("{near}it has phrases in {}", names.join(", "));
    Failure::new(Fault::Usage, Diagnostic::error(LANGUAGES, message).help(help))
}
