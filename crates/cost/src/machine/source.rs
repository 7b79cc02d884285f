//! Where a number about a machine comes from: a type, so that nothing fitted or assumed passes for a measurement.

use std::borrow::Cow;
use std::fmt;

type Text = Cow<'static, str>;

/// The origin of a coefficient's value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Source {
    /// The maker states it, or it follows from such a statement.
    PublishedSpec(Text),
    /// A third party measured it and no row of this repository is compared with that measurement.
    MeasuredByOthers(Text),
    /// `meshwright bench machine` measured it on the machine itself.
    MeasuredHere,
    /// Chosen so that these tables or figures come out: these do not test it. Names of
    /// `meshwright reproduce`, separated by commas, then a note in parentheses.
    Fitted(Text),
    /// No source states it; a reason or a caveat, if there is one.
    Assumed(Text),
    /// A machine file gives it and says this of it.
    File(Text),
}

const SPEC: &str = "published spec: ";
const OTHERS: &str = "measured by others: ";
const HERE: &str = "measured";
const FITTED: &str = "fitted on ";
const ASSUMED: &str = "assumed";

impl Source {
    pub const fn spec(text: &'static str) -> Source {
        Source::PublishedSpec(Cow::Borrowed(text))
    }

    pub const fn others(text: &'static str) -> Source {
        Source::MeasuredByOthers(Cow::Borrowed(text))
    }

    pub const fn fitted(rows: &'static str) -> Source {
        Source::Fitted(Cow::Borrowed(rows))
    }

    pub const fn assumed(reason: &'static str) -> Source {
        Source::Assumed(Cow::Borrowed(reason))
    }

    /// Parses the text of [`Display`](fmt::Display); any other text is a file's own word.
    pub fn parse(text: &str) -> Source {
        let own = |text: &str| Cow::Owned(text.to_string());
        if text == HERE {
            return Source::MeasuredHere;
        }
        let assumed = || text.strip_prefix(ASSUMED).filter(|rest| rest.is_empty() || rest.starts_with(": "));
        if let Some(rest) = text.strip_prefix(SPEC) {
            return Source::PublishedSpec(own(rest));
        }
        if let Some(rest) = text.strip_prefix(OTHERS) {
            return Source::MeasuredByOthers(own(rest));
        }
        if let Some(rest) = text.strip_prefix(FITTED) {
            return Source::Fitted(own(rest));
        }
        match assumed() {
            Some(rest) => Source::Assumed(own(rest.trim_start_matches(": "))),
            None => Source::File(own(text)),
        }
    }

    /// The kind alone, for a column of a table.
    pub fn kind(&self) -> &'static str {
        match self {
            Source::PublishedSpec(_) => "published spec",
            Source::MeasuredByOthers(_) => "measured by others",
            Source::MeasuredHere => "measured here",
            Source::Fitted(_) => "fitted",
            Source::Assumed(_) => "assumed",
            Source::File(_) => "machine file",
        }
    }

    /// Its words without the kind.
    pub fn detail(&self) -> &str {
        match self {
            Source::MeasuredHere => "",
            Source::PublishedSpec(text)
            | Source::MeasuredByOthers(text)
            | Source::Fitted(text)
            | Source::Assumed(text)
            | Source::File(text) => text,
        }
    }

    /// The tables and figures that a fitted value was fitted on.
    pub fn fitted_on(&self) -> impl Iterator<Item = &str> {
        let rows = match self {
            Source::Fitted(text) => text.split(" (").next(),
            _ => None,
        };
        rows.into_iter().flat_map(|rows| rows.split(", "))
    }
}

impl fmt::Display for Source {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Source::PublishedSpec(text) => write!(out, "{SPEC}{text}"),
            Source::MeasuredByOthers(text) => write!(out, "{OTHERS}{text}"),
            Source::MeasuredHere => out.write_str(HERE),
            Source::Fitted(text) => write!(out, "{FITTED}{text}"),
            Source::Assumed(text) if text.is_empty() => out.write_str(ASSUMED),
            Source::Assumed(text) => write!(out, "{ASSUMED}: {text}"),
            Source::File(text) => out.write_str(text),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sources_are_read_as_they_are_written() {
        for source in [
            Source::spec("v3 paper"),
            Source::others("nccl-tests"),
            Source::MeasuredHere,
            Source::fitted("gspmd-table-2, gspmd-table-3 (every second row)"),
            Source::assumed(""),
            Source::assumed("no source"),
            Source::File("between neighbours".into()),
            Source::File("assumedly".into()),
        ] {
            assert_eq!(Source::parse(&source.to_string()), source);
        }
        let fitted = Source::fitted("gspmd-table-2, gspmd-table-3 (every second row)");
        assert_eq!(fitted.fitted_on().collect::<Vec<_>>(), ["gspmd-table-2", "gspmd-table-3"]);
    }
}
