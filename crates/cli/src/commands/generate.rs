//! `meshwright generate`: a checkpoint goes on with texts.

use crate::failure::{Failure, Fault};
use crate::languages::{Mark, Reader, unsaid};
use crate::report::Report;
use crate::train_args::GenerateArgs;
use crate::training::{OpenedText, ended_by, on_devices, opened_text};
use meshwright_base::{Code, Diagnostic};
use meshwright_train::data::corpus::marked;
use meshwright_train::run::{Decoder, Decoding, Host, NextToken, Search, TextNet, continued};
use serde_json::json;

const TEMPERATURE: Code = Code(1146);

/// Prompts that are worked on together.
const MOST_PROMPTS: usize = 256;

pub fn generate(args: &GenerateArgs) -> Result<Report, Failure> {
    let choice = choice(args)?;
    let mut model = opened_text(&args.model, &args.host)?;
    let mark = mark(args, &mut model)?;
    let (tokenizer, of_targets) = (model.feed.tokenizer(), model.feed.target_tokenizer());
    let prompts: Vec<Vec<u32>> =
        args.prompt.iter().map(|prompt| tokenizer.encode(&mark.on(prompt))).collect();
    let (frame, most) = (model.feed.frame(), args.tokens as usize);
    let (plan, weights) = (&model.plan, &mut *model.weights);
    let mut write = |host: &Host<'_>| {
        let (rows, room) = (prompts.len().min(MOST_PROMPTS), args.room.capacity.room());
        let decoding = Decoding::of(plan, rows, frame, room, Search::One(choice));
        let mut decoder = Decoder::new(plan, decoding, host)?;
        let states = decoder.states(weights, host)?;
        continued(&mut decoder, &states, &prompts, most, host)
    };
    let (backend, devices) = (args.model.backend, model.devices);
    let written = on_devices(&args.host, backend, devices, |host| write(host).map_err(ended_by))?;
    let Some(written) = written else { return Ok(Report::elsewhere()) };
    let texts: Vec<String> = written.iter().map(|tokens| of_targets.decode(tokens)).collect();
    // A model with an encoder answers; another goes on with the same text, of which its tokens know the spaces.
    let line = |(prompt, text, tokens): (&String, &String, Vec<u32>)| match plan.model {
        TextNet::Pair(_) => format!("{prompt} -> {text}\n"),
        TextNet::Language(_) => format!("{}\n", tokenizer.decode(&tokens)),
    };
    let whole = prompts.into_iter().zip(written).map(|(prompt, more)| [prompt, more].concat());
    let shown = args.prompt.iter().zip(&texts).zip(whole);
    let lines: Vec<String> = shown.map(|((prompt, text), tokens)| line((prompt, text, tokens))).collect();
    let rows = args.prompt.iter().zip(&texts);
    let rows: Vec<_> = rows.map(|(prompt, text)| json!({ "prompt": prompt, "text": text })).collect();
    Ok(Report { notes: model.notes, ..Report::new(lines.concat()) }.with("texts", rows))
}

/// The languages of prompts and answers. A prompt may also say itself which it is of, as the corpus does.
fn mark(args: &GenerateArgs, model: &mut OpenedText) -> Result<Mark, Failure> {
    let reader = Reader::of(model);
    let known = reader.by_corpus();
    let says = |prompt: &String| known.iter().any(|name| prompt.starts_with(&marked(name, "")));
    if reader.is_marked() && args.languages.from.is_none() && !args.prompt.iter().all(says) {
        return Err(unsaid(&known));
    }
    args.languages.spoken(reader)
}

fn choice(args: &GenerateArgs) -> Result<NextToken, Failure> {
    match args.temperature {
        None => Ok(NextToken::Likeliest),
        Some(temperature) if temperature > 0.0 && temperature.is_finite() => {
            Ok(NextToken::Drawn { temperature, seed: args.seed })
        }
        Some(temperature) => {
            let diagnostic = Diagnostic::error(TEMPERATURE, format!("`--temperature {temperature}`"))
                .help("give a number over 0, or leave it out for the most likely text");
            Err(Failure::new(Fault::Usage, diagnostic))
        }
    }
}
