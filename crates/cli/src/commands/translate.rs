//! `meshwright translate`: sentences from a file or standard input, a line at a time in and out, several at a time
//! through the model.
//!
//! ```text
//! reader (a thread) --lines--> batches of what is there --> translations, each line in its place
//! ```
//!
//! A batch is what has come when the last one is done, so that who sends a line and waits gets its translation. What a
//! line becomes does not depend on its batch while experts take all; where they do not, and where ranks have to agree,
//! batches are full but for the last.

mod lines;

use crate::decode_args::{RoomArg, TranslateArgs};
use crate::failure::{Failure, Fault};
use crate::input;
use crate::languages::{Mark, Reader, unsaid};
use crate::output::is_stdout;
use crate::report::{Report, stream_text, told};
use crate::train_args::TrainBackend;
use crate::training::{OpenedText, ended_by, on_devices, opened_text};
use lines::{Line, Lines, Refused};
use meshwright_base::{Code, Diagnostic, Severity};
use meshwright_train::config::Task;
use meshwright_train::data::source::Source;
use meshwright_train::run::{Host, Hypothesis, TextNet, Translator};
use serde_json::{Value, json};

const NO_TRANSLATOR: Code = Code(1170);
const ONE_RANK: Code = Code(1173);

pub fn translate(args: &TranslateArgs, json: bool) -> Result<Report, Failure> {
    let mut model = opened_text(&args.model, &args.host)?;
    check_task(&model, args)?;
    let mark = mark(args, &mut model)?;
    let is_mpi = args.model.backend == TrainBackend::Mpi;
    if is_mpi && is_stdout(&args.file) {
        let diagnostic = Diagnostic::error(ONE_RANK, "standard input reaches one rank alone")
            .help("name a file, which all ranks can read");
        return Err(Failure::new(Fault::Usage, diagnostic));
    }
    let waits = is_mpi || args.search.room.capacity == RoomArg::Training;
    let lines = Lines::open(&args.file, args.search.batch as usize, waits)?;
    let how = args.search.translating();
    let (plan, source, weights) = (&model.plan, &model.feed, &mut *model.weights);
    let done = on_devices(&args.host, args.model.backend, model.devices, |host| {
        let translator = Translator::new(plan, source.frame(), weights, &how, host).map_err(ended_by)?;
        let translator = translator.ok_or_else(|| no_translator(args, "it has no encoder"))?;
        let mut stream = Stream { translator, source, mark, is_json: json, done: Done::default() };
        stream.all(lines, host)?;
        Ok(stream.done)
    })?;
    let Some(done) = done else { return Ok(Report::elsewhere()) };
    let report = Report::new(String::new())
        .noted(model.notes)
        .with("lines", done.lines)
        .with("search", args.search.shown())
        .with("translations", done.translations)
        .with("refused", done.refused.clone());
    Ok(Report { exit: if done.refused.is_empty() { 0 } else { Fault::Input as u8 }, ..report })
}

/// Whether the run has learnt to translate.
fn check_task(model: &OpenedText, args: &TranslateArgs) -> Result<(), Failure> {
    let task = model.config.data.task;
    match (&model.plan.model, task) {
        (TextNet::Language(_), _) => {
            Err(no_translator(args, "it is a decoder alone, which goes on with texts"))
        }
        (TextNet::Pair(_), Task::Translate) => Ok(()),
        (TextNet::Pair(_), Task::Spans) => {
            Err(no_translator(args, "it has learnt to fill in what was cut out of texts"))
        }
        (TextNet::Pair(_), Task::Next | Task::Segment | Task::Classify | Task::Speech) => {
            Err(no_translator(args, "it has learnt to go on with texts"))
        }
    }
}

fn no_translator(args: &TranslateArgs, why: &str) -> Failure {
    let dir = args.model.dir.display();
    let message = format!("the model in `{dir}` is no translator: {why}");
    let help = format!(
        "let it write by `meshwright generate {dir} --prompt ..`, or train a translator: `meshwright train gshard-tiny`"
    );
    Failure::input(Diagnostic::error(NO_TRANSLATOR, message).help(help))
}

/// The languages of sentences and translations.
fn mark(args: &TranslateArgs, model: &mut OpenedText) -> Result<Mark, Failure> {
    let reader = Reader::of(model);
    if reader.is_marked() && args.languages.from.is_none() {
        return Err(unsaid(&reader.by_corpus()));
    }
    args.languages.spoken(reader)
}

/// What has been done.
#[derive(Default)]
struct Done {
    lines: usize,
    translations: Vec<Value>,
    refused: Vec<Value>,
}

/// Lines on their way.
struct Stream<'a> {
    translator: Translator,
    source: &'a Source,
    mark: Mark,
    is_json: bool,
    done: Done,
}

impl Stream<'_> {
    /// All lines, until there are none or nobody reads any more.
    fn all(&mut self, mut lines: Lines, host: &Host<'_>) -> Result<(), Failure> {
        loop {
            let (batch, end) = lines.next();
            let goes_on = batch.is_empty() || self.batch(batch, host)?;
            match end {
                _ if !goes_on => return Ok(()),
                None => {}
                Some(Ok(())) => return Ok(()),
                Some(Err(error)) => return Err(input::unreadable(lines.name(), &error)),
            }
        }
    }

    /// Some lines; false if nobody reads the translations.
    fn batch(&mut self, batch: Vec<Line>, host: &Host<'_>) -> Result<bool, Failure> {
        let first = self.done.lines;
        let read: Vec<Result<Vec<u32>, Refused>> = batch.into_iter().map(|line| self.read(line)).collect();
        let sources: Vec<Vec<u32>> =
            read.iter().flatten().filter(|tokens| !tokens.is_empty()).cloned().collect();
        let found = self.translator.translate(&sources, first, host).map_err(ended_by)?;
        let mut found = found.into_iter();
        let mut text = String::new();
        for line in read {
            self.done.lines += 1;
            let all = match line {
                Ok(tokens) if tokens.is_empty() => Vec::new(),
                Ok(_) => found.next().unwrap_or_default(),
                Err(refused) => {
                    self.refuse(&refused, host)?;
                    Vec::new()
                }
            };
            text += &self.shown(&all);
            text.push('\n');
        }
        if self.is_json || !host.is_first {
            return Ok(true);
        }
        stream_text(&text).map_err(|error| input::unwritable("<stdout>", &error))
    }

    /// The tokens of a line; none of one without words.
    fn read(&self, line: Line) -> Result<Vec<u32>, Refused> {
        let text = line?;
        if text.trim().is_empty() {
            return Ok(Vec::new());
        }
        let read = self.translator.read(self.source.tokenizer().encode(&self.mark.on(&text)));
        if read.too_many == 0 {
            return Ok(read.tokens);
        }
        let (words, most) = (text.split_whitespace().count(), self.translator.longest());
        let message =
            format!("{words} words are {} tokens, and the model reads {most}", most + read.too_many);
        Err(Refused { message, help: "give one sentence a line" })
    }

    /// Tells of a line that is not translated.
    fn refuse(&mut self, refused: &Refused, host: &Host<'_>) -> Result<(), Failure> {
        let line = self.done.lines;
        self.done.refused.push(json!({ "line": line, "message": refused.message }));
        if !host.is_first {
            return Ok(());
        }
        let message = format!("line {line} is not translated: {}", refused.message);
        told(&Diagnostic::new(Severity::Warning, lines::LINE, message).help(refused.help))
            .map_err(|error| input::unwritable("<stderr>", &error))
    }

    /// The best hypothesis as text; all of them are kept where they are asked for.
    fn shown(&mut self, all: &[Hypothesis]) -> String {
        let text = |one: &Hypothesis| self.source.shown(&one.tokens);
        let best = all.first().map_or_else(String::new, text);
        if self.is_json {
            let one =
                |one: &Hypothesis| json!({ "text": text(one), "score": one.score, "ended": one.is_ended });
            let all: Vec<Value> = all.iter().map(one).collect();
            self.done.translations.push(json!({ "line": self.done.lines, "text": best, "hypotheses": all }));
        }
        best
    }
}
