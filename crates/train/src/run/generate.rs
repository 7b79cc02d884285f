//! Text from a model: the tokens of a prompt, then one after the other what the model makes of them; and which tokens
//! of a given text it would have written.

use super::decoding::{Decoder, Decoding, Hypothesis};
use super::error::Error;
use super::held::Held;
use super::host::Host;
use super::load::Loaded;
use super::plan::TextPlan;
use super::programs;
use super::state::States;

/// What a model finds likeliest in texts that are given, `rows` at a time: a pass over the whole window tells it of all
/// their tokens.
pub struct Foreteller {
    program: Loaded,
    decoding: Decoding,
}

impl Foreteller {
    pub fn new(plan: &TextPlan, decoding: Decoding, host: &Host<'_>) -> Result<Foreteller, Error> {
        let program = Loaded::new(programs::likeliest(plan, decoding.rows as i64)?, host)?;
        Ok(Foreteller { program, decoding })
    }

    /// Of each token of `expected`, whether it is the likeliest after the prompt and the true tokens before it. What is
    /// longer than the model's window is left out.
    pub fn foretold(
        &mut self,
        states: &States,
        prompts: &[Vec<u32>],
        expected: &[Vec<u32>],
        host: &Host<'_>,
    ) -> Result<Vec<Vec<bool>>, Error> {
        let Decoding { rows, places, .. } = self.decoding;
        let windows: Vec<Window> =
            (0..rows).map(|row| self.window(prompts.get(row), expected.get(row))).collect();
        let joined =
            |of: fn(&Window) -> &Vec<i32>| windows.iter().flat_map(of).copied().collect::<Vec<i32>>();
        let (sources, texts) = (joined(|window| &window.source), joined(|window| &window.text));
        let mut args = Vec::new();
        for (at, input) in self.program.program.inputs().iter().enumerate() {
            args.push(match &*input.name {
                "tokens" | "target" => self.program.feed_whole(at, &texts, host)?,
                "source" => self.program.feed_whole(at, &sources, host)?,
                name => states.lend(name, &self.program.input_place(at)?, host)?,
            });
        }
        let array = self.program.launch(args)?.into_iter().next().ok_or_else(programs::no_result)?;
        let found = Held { place: self.program.result_place(0)?, array }.numbers()?;
        let of = |(row, expected): (usize, &Vec<u32>)| {
            let begins = windows.get(row).map_or(0, |window| window.begins);
            let places = (begins..places).map(|place| found.get(row * places + place));
            let told = places.zip(expected);
            told.map(|(found, token)| found == Some(&f64::from(*token))).collect()
        };
        Ok(expected.iter().take(rows).enumerate().map(of).collect())
    }

    /// With an encoder a text is read one place late by the model itself; without, padding and the prompt stand before
    /// it.
    fn window(&self, given: Option<&Vec<u32>>, expected: Option<&Vec<u32>>) -> Window {
        let Decoding { source, places, frame, .. } = self.decoding;
        let numbers = |tokens: Option<&Vec<u32>>| -> Vec<i32> {
            tokens.map_or_else(Vec::new, |tokens| tokens.iter().map(|token| *token as i32).collect())
        };
        let (prompt, expected) = (numbers(given), numbers(expected));
        let last = |most: usize| prompt[prompt.len() - prompt.len().min(most)..].to_vec();
        let filled = |mut tokens: Vec<i32>, size: usize| {
            tokens.resize(size, 0);
            tokens
        };
        if source > 0 {
            let first: Vec<i32> = frame.answer.iter().map(|token| *token as i32).collect();
            let begins = first.len();
            let text = filled([first, expected, vec![frame.end as i32]].concat(), places);
            let own = given.map_or(&[][..], Vec::as_slice);
            return Window { source: frame.source(own, source), text, begins };
        }
        let begun = [vec![0], last(places.saturating_sub(1))].concat();
        let begins = begun.len() - 1;
        Window { source: Vec::new(), text: filled([begun, expected].concat(), places), begins }
    }
}

/// A text in a model's window.
struct Window {
    source: Vec<i32>,
    text: Vec<i32>,
    /// The place at which its first token is asked for.
    begins: usize,
}

/// Texts that go on from prompts, or answer them, one each: the best that was found.
pub fn continued(
    decoder: &mut Decoder,
    states: &States,
    prompts: &[Vec<u32>],
    most: usize,
    host: &Host<'_>,
) -> Result<Vec<Vec<u32>>, Error> {
    let found = decoder.run(states, prompts, most, 0, host)?;
    let best = |all: Vec<Hypothesis>| all.into_iter().next().map_or_else(Vec::new, |best| best.tokens);
    Ok(found.into_iter().map(best).collect())
}
