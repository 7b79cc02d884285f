//! The commands of filetests. A new one is a row and a function.

use crate::case::{Case, Test};
use meshwright_cli::load::{is_partitioned, stated_devices};
use meshwright_cli::{read, show};
use meshwright_ground::{Diagnostic, Id};
use meshwright_interp::{Style, random_inputs, run_devices, run_global};
use meshwright_ir::{Function, InstId, Module, rule_of};
use meshwright_text::stablehlo::PrintOptions;
use meshwright_text::{hlo, stablehlo};
use std::fmt::Write;

/// What the command prints, or the diagnostics it gives.
type Said = Result<String, Vec<Diagnostic>>;

/// A command; its own error is a mistake in the test.
type Command = fn(&Case, &Test) -> Result<Said, String>;

/// Name, the arguments it knows, what it does.
const COMMANDS: &[(&str, &[&str], Command)] = &[
    ("parse", &[], parse),
    ("print", &["stablehlo", "hlo", "generic", "locations"], print),
    ("verify", &[], verify),
    ("rule", &[], rule),
    ("run", &["devices=", "seeds="], run_module),
];

pub fn run(case: &Case, test: &Test) -> Result<Said, String> {
    let Some((_, known, command)) = COMMANDS.iter().find(|(name, ..)| *name == test.command) else {
        let names: Vec<&str> = COMMANDS.iter().map(|(name, ..)| *name).collect();
        return Err(format!("unknown command `{}`; known are {}", test.command, names.join(", ")));
    };
    let fits = |arg: &String| {
        known.iter().any(|known| arg == known || known.ends_with('=') && arg.starts_with(known))
    };
    match test.args.iter().find(|arg| !fits(arg)) {
        Some(arg) => Err(format!("`{}` does not know `{arg}`; it knows {}", test.command, known.join(", "))),
        None => command(case, test),
    }
}

/// Nothing: the text is read.
fn parse(case: &Case, _: &Test) -> Result<Said, String> {
    Ok(meshwright_text::parse(&case.text).map(|_| String::new()))
}

/// The module in one of its forms.
fn print(case: &Case, test: &Test) -> Result<Said, String> {
    let has = |word: &str| test.args.iter().any(|arg| arg == word);
    let options = PrintOptions { generic: has("generic"), locations: has("locations") };
    let print = |module: Module| match has("hlo") {
        true => hlo::print(&module),
        false => stablehlo::print_with(&module, &options),
    };
    Ok(meshwright_text::parse(&case.text).map(print))
}

/// Nothing: the text is read and verified.
fn verify(case: &Case, _: &Test) -> Result<Said, String> {
    Ok(read::read(&case.text).map(|_| String::new()))
}

/// The rules of the entry function's instructions, but for scalar ones.
fn rule(case: &Case, _: &Test) -> Result<Said, String> {
    let rules = |module: Module| {
        let main = module.main();
        let rules = main.insts_in_order().into_iter().map(|inst| (inst, rule_of(main, inst)));
        let shown = rules.filter(|(_, rule)| !rule.factors.is_empty());
        shown.map(|(inst, rule)| format!("{} {rule}\n", label(main, inst))).collect()
    };
    Ok(read::read(&case.text).map(rules))
}

/// `%5 = add`.
fn label(func: &Function, inst: InstId) -> String {
    let inst = func.inst(inst);
    let name = |value: &meshwright_ir::ValueId| match &func.value(*value).name {
        Some(name) => format!("%{}", name.trim_start_matches('%')),
        None => format!("%{}", value.index()),
    };
    let results: Vec<String> = inst.results.iter().map(name).collect();
    format!("{} = {}:", results.join(", "), inst.op.mnemonic())
}

/// Results on parameters made up from seeds 0, 1, ...; a partitioned program gets other ones on every device.
fn run_module(case: &Case, test: &Test) -> Result<Said, String> {
    let (devices, seeds) = (test.number("devices")?, test.number("seeds")?.unwrap_or(1));
    let said = read::read(&case.text).and_then(|module| {
        let devices = devices.unwrap_or(stated_devices(&module) as u64);
        let mut out = String::new();
        for seed in 0..seeds {
            if seeds > 1 {
                let _ = writeln!(out, "seed {seed}");
            }
            out.push_str(&results(&module, devices, seed).map_err(|diagnostic| vec![diagnostic])?);
        }
        Ok(out)
    });
    Ok(said)
}

fn results(module: &Module, devices: u64, seed: u64) -> Result<String, Diagnostic> {
    /// More elements of a result are not shown.
    const SHOWN: usize = 256;
    let inputs = |device: u64| random_inputs(module, seed + (device << 32), Style::SmallInts);
    let results = match is_partitioned(module) {
        true => {
            run_devices(module, devices as usize, &(0..devices).map(inputs).collect::<Result<Vec<_>, _>>()?)?
        }
        false => vec![run_global(module, &inputs(0)?)?],
    };
    Ok(show::results(&results, SHOWN))
}
