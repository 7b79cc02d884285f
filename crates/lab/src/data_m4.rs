//! `meshwright data m4`: sentences of many languages with their English, out of Debian's packages and what is
//! installed.
//!
//! Packages are downloaded by `apt-get download`, which installs nothing, or lie in a folder. What is missing or broken
//! is told and the rest goes on. Where there are none, the program's own phrases go the same way.

mod gathered;
mod packages;
mod phrases;

use crate::corpus::GUIDE;
use gathered::Gathered;
use meshwright_base::{Code, Diagnostic};
use meshwright_cli::failure::{Failure, Fault};
use meshwright_cli::report::Report;
use meshwright_cli::train_args::M4Args;
use meshwright_cli::training::ended_by;
use meshwright_train::data::pairs::{GUIDE_FOLDER, LanguagePairs, MANIFEST, Origin, Sizes, Split, write};
use meshwright_train::run::RunDir;
use packages::Packages;
use serde_json::{Map, Value, json};
use std::path::Path;

const LANGUAGES: Code = Code(1164);
const NOTHING: Code = Code(1165);

/// A language by the name that packages have: `de`, `pt-br`.
struct Language(String);

impl Language {
    /// Letters and hyphens only: names become parts of paths and of package names.
    fn parse(name: &str) -> Result<Language, Failure> {
        let lower = name.trim().to_ascii_lowercase().replace('_', "-");
        let is_name = |part: &str| {
            (2..=8).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_alphanumeric())
        };
        let parts: Vec<&str> = lower.split('-').collect();
        let wrong = |what: &str| {
            let message = format!("`--languages` has `{name}`, which {what}");
            let help = "write languages as Debian's packages do, as `de,fr,pt-br,zh-cn`; all go into English";
            Failure::new(Fault::Usage, Diagnostic::error(LANGUAGES, message).help(help))
        };
        match parts[..] {
            ["en", ..] => Err(wrong("is what is translated into")),
            [_] | [_, _] if parts.iter().all(|part| is_name(part)) => Ok(Language(lower)),
            _ => Err(wrong("is no name of a language")),
        }
    }

    /// As folders of catalogues have it: `de`, `pt_BR`.
    fn locale(&self) -> String {
        match self.0.split_once('-') {
            Some((language, country)) => format!("{language}_{}", country.to_ascii_uppercase()),
            None => self.0.clone(),
        }
    }

    fn help(&self) -> String {
        format!("libreoffice-help-{}", self.0)
    }

    fn screen(&self) -> String {
        format!("libreoffice-l10n-{}", self.0)
    }
}

const ENGLISH: &str = "libreoffice-help-en-us";

pub fn m4(args: &M4Args) -> Result<Report, Failure> {
    let languages = languages(&args.languages)?;
    RunDir::new(args.out.clone()).check_absent(&[MANIFEST]).map_err(ended_by)?;
    let mut gathered = Gathered::default();
    let all = match args.phrases {
        Some(count) => phrases::pairs(&languages, count, args)?,
        None => of_packages(&languages, args, &mut gathered)?,
    };
    let sizes = Sizes {
        test_one_in: args.test_one_in,
        dev_one_in: args.dev_one_in,
        skew: args.skew,
        seed: args.seed,
    };
    let about = Map::from_iter([
        ("most_words".to_string(), json!(args.words)),
        ("packages".into(), json!(gathered.packages)),
        ("catalogues".into(), json!(gathered.catalogues)),
        ("notes".into(), json!(gathered.notes)),
    ]);
    let manifest = write(&args.out, &all, sizes, about).map_err(ended_by)?;
    Ok(told(&manifest, &gathered, &args.out))
}

/// What packages and installed catalogues have.
fn of_packages(
    languages: &[Language],
    args: &M4Args,
    gathered: &mut Gathered,
) -> Result<Vec<LanguagePairs>, Failure> {
    let wanted: Vec<String> = languages
        .iter()
        .flat_map(|one| [one.help(), one.screen()])
        .chain([ENGLISH, GUIDE].map(String::from))
        .collect();
    let packages = match &args.from {
        Some(folder) => Packages::within(folder)?,
        None => Packages::downloaded(&args.out.join("packages"), &wanted, &mut gathered.notes)?,
    };
    let english = gathered.help(&packages, ENGLISH);
    let guide = gathered.guide(&packages);
    let mut all = Vec::new();
    for language in languages {
        let mut pairs = LanguagePairs::new(&language.0);
        pairs.most_words = args.words as usize;
        pairs.add_help(&gathered.help(&packages, &language.help()), &english);
        gathered.screen(&packages, &language.screen(), &mut pairs);
        gathered.installed(&args.catalogues.join(language.locale()), &language.0, &mut pairs);
        pairs.add_guide(&guide.pairs(&language.locale()));
        if pairs.pairs.is_empty() {
            gathered.notes.push(format!("`{}` has no pairs and is left out", language.0));
            gathered.is_broken = true;
        }
        all.push(pairs);
    }
    if all.iter().all(|pairs| pairs.pairs.is_empty()) {
        return Err(nothing(&wanted, &gathered.notes));
    }
    Ok(all)
}

fn languages(names: &[String]) -> Result<Vec<Language>, Failure> {
    let mut found: Vec<Language> = Vec::new();
    for name in names {
        let language = Language::parse(name)?;
        if found.iter().any(|other| other.0 == language.0) {
            let message = format!("`--languages` has `{}` twice", language.0);
            let diagnostic = Diagnostic::error(LANGUAGES, message).help("name each language once");
            return Err(Failure::new(Fault::Usage, diagnostic));
        }
        found.push(language);
    }
    Ok(found)
}

fn nothing(wanted: &[String], notes: &[String]) -> Failure {
    let help = format!(
        "on a Debian machine run `apt-get download {}` and name the folder with `--from`; without packages, take the \
         program's own phrases: `--languages de,fr --phrases 20000`",
        wanted.join(" ")
    );
    let diagnostic = Diagnostic::error(NOTHING, "no pairs were found in any language").help(help);
    let diagnostic = notes.iter().fold(diagnostic, |diagnostic, note| diagnostic.note(note.clone()));
    Failure::new(Fault::Environment, diagnostic)
}

/// What was written, as a table; and what was not, as notes.
fn told(manifest: &Value, gathered: &Gathered, out: &Path) -> Report {
    let heads = Origin::ALL.map(|origin| format!("{:>10}", origin.name())).concat();
    let splits = Split::ALL.map(|split| format!("{:>9}", split.name())).concat();
    let mut text = format!("language{heads}{splits}{GUIDE_FOLDER:>9}\n");
    for row in manifest["languages"].as_array().into_iter().flatten() {
        let count = |value: &Value| value.as_u64().unwrap_or(0);
        let origins =
            Origin::ALL.map(|origin| format!("{:>10}", count(&row["origins"][origin.name()]))).concat();
        let splits = Split::ALL.map(|split| format!("{:>9}", count(&row[split.name()]["pairs"]))).concat();
        let guide = count(&row[GUIDE_FOLDER]["pairs"]);
        text += &format!("{:8}{origins}{splits}{guide:>9}\n", row["language"].as_str().unwrap_or(""));
    }
    let manifest_path = out.join(MANIFEST);
    text += &format!(
        "{}: what this is of: {} packages, {} catalogues\n",
        manifest_path.display(),
        gathered.packages.len(),
        gathered.catalogues.len()
    );
    text += &format!("train on it: {}\n", train_on(manifest, out));
    let notes: String = gathered.notes.iter().map(|note| format!("note: {note}\n")).collect();
    let report = Report::new(text).noted(notes).with("manifest", manifest_path.display().to_string());
    let report =
        report.with("languages", manifest["languages"].clone()).with("notes", gathered.notes.clone());
    Report { exit: if gathered.is_broken { Fault::Environment as u8 } else { 0 }, ..report }
}

/// A command that trains on the corpus, small languages more often than they come.
fn train_on(manifest: &Value, out: &Path) -> String {
    let held_out = format!("data.held_out_one_in={}", manifest["held_out_one_in"]);
    let sets = ["data.corpus=pairs", "data.mixture=temperature", "data.vocabulary=4096", &held_out];
    let sets = sets.map(|set| format!("--set {set}")).join(" ");
    format!("meshwright train gshard-tiny {sets} --set 'data.files=[\"{}\"]'", out.display())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn languages_are_named_as_packages_and_as_locales() {
        let parsed = |name: &str| Language::parse(name).map(|one| (one.help(), one.locale())).ok();
        assert_eq!(parsed("de"), Some(("libreoffice-help-de".into(), "de".into())));
        assert_eq!(parsed("pt_BR"), Some(("libreoffice-help-pt-br".into(), "pt_BR".into())));
        for wrong in ["", "d", "en", "en-gb", "../x", "de;ls", "a-b-c", "größe"] {
            assert_eq!(parsed(wrong), None, "{wrong}");
        }
    }
}
