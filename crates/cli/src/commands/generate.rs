//! `meshwright generate`: a checkpoint goes on with texts.

use crate::failure::{Failure, Fault};
use crate::report::Report;
use crate::train_args::GenerateArgs;
use crate::training::{ended_by, on_devices, opened_text};
use meshwright_base::{Code, Diagnostic};
use meshwright_train::data::tokenizer::Tokenizer;
use meshwright_train::run::{Decoder, Decoding, Host, NextToken, Search, TextNet, continued};
use serde_json::json;

const TEMPERATURE: Code = Code(1146);
const PIECE: Code = Code(1215);

/// Prompts that are worked on together.
const MOST_PROMPTS: usize = 256;

pub fn generate(args: &GenerateArgs) -> Result<Report, Failure> {
    let choice = choice(args)?;
    let mut model = opened_text(&args.model, &args.host)?;
    let (tokenizer, of_targets) = (model.feed.tokenizer(), model.feed.target_tokenizer());
    let (from, to) = (piece(tokenizer, args.from.as_deref())?, piece(of_targets, args.to.as_deref())?);
    if let (Some(to), TextNet::Language(_)) = (&args.to, &model.plan.model) {
        let message = format!("`--to {to}`, and the model has no encoder: it goes on with the prompt itself");
        let diagnostic = Diagnostic::error(PIECE, message).help("let the prompt end with what comes next");
        return Err(Failure::new(Fault::Usage, diagnostic));
    }
    let encode = |prompt: &String| from.into_iter().chain(tokenizer.encode(prompt)).collect();
    let prompts: Vec<Vec<u32>> = args.prompt.iter().map(encode).collect();
    let (end, most) = (model.feed.end(), args.tokens as usize);
    let (plan, weights) = (&model.plan, &mut *model.weights);
    let mut write = |host: &Host<'_>| {
        let (rows, room) = (prompts.len().min(MOST_PROMPTS), args.room.capacity.room());
        let decoding = Decoding::of(plan, rows, end, room, Search::One(choice));
        let mut decoder = Decoder::new(plan, decoding, host)?;
        decoder.first = to;
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

/// The number of a piece.
fn piece(tokenizer: &Tokenizer, name: Option<&str>) -> Result<Option<u32>, Failure> {
    let Some(name) = name else { return Ok(None) };
    tokenizer.id(name).map(Some).ok_or_else(|| {
        let message = format!("`{name}` is no piece of the vocabulary, which has {}", tokenizer.size());
        let help = "name one as its tokenizer spells it, as `eng_Latn` of NLLB";
        Failure::new(Fault::Usage, Diagnostic::error(PIECE, message).help(help))
    })
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
