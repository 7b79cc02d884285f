//! The commands of filetests. A new one is a row and a function.

use super::case::{Case, Test};
use meshwright_base::{Diagnostic, Id, render};
use meshwright_cli::compare::difference;
use meshwright_cli::load::{is_partitioned, stated_devices};
use meshwright_cli::views::run_both;
use meshwright_cli::{located, read, show};
use meshwright_compile::{Options, StopAfter, Unobserved};
use meshwright_complete::without_scalar_shardings;
use meshwright_cost::{Form, Traffic, traffic};
use meshwright_interp::{Style, Tensor, random_inputs, run_devices, run_global};
use meshwright_ir::{Def, Function, InstId, Module, Op, SpmdModule, rule_of};
use meshwright_opt::PASSES;
use meshwright_opt::passes::Work;
use meshwright_shard::sdy_text::print_sharding;
use meshwright_spmd::Loops;
use meshwright_text::stablehlo::{GroupForm, PrintOptions};
use meshwright_text::{hlo, stablehlo};
use std::fmt::Write;

/// What the command prints, or the diagnostics it gives.
type Said = Result<String, Vec<Diagnostic>>;

/// A command; its own error is a mistake in the test.
type Command = fn(&Case, &Test) -> Result<Said, String>;

/// Name, the arguments it knows, what it does.
const COMMANDS: &[(&str, &[&str], Command)] = &[
    ("parse", &[], parse),
    ("print", &["stablehlo", "hlo", "generic", "locations", "lists"], print),
    ("verify", &[], verify),
    ("rule", &["OPS"], rule),
    ("run", &["devices=", "seeds="], run_module),
    ("complete", &["devices=", "priorities-alone", "stats", "notes", "values"], complete),
    (
        "partition",
        &["devices=", "loops=", "memory-limit=", "priorities-alone", "plan", "pad", "reshard"],
        partition,
    ),
    ("collectives", &["devices=", "loops=", "memory-limit=", "priorities-alone"], collectives),
    ("opt", &["memory-limit=", "PASS"], opt),
    ("cpu-steps", &["STEP_PASS"], cpu_steps),
    ("equal", &["devices=", "loops=", "memory-limit=", "priorities-alone", "seeds="], equal),
];

pub fn run(case: &Case, test: &Test) -> Result<Said, String> {
    let Some((_, known, command)) = COMMANDS.iter().find(|(name, ..)| *name == test.command) else {
        let names: Vec<&str> = COMMANDS.iter().map(|(name, ..)| *name).collect();
        return Err(format!("unknown command `{}`; known are {}", test.command, names.join(", ")));
    };
    let is_pass = |known: &str, arg: &str| known == "PASS" && PASSES.iter().any(|pass| pass.name == arg);
    let is_step_pass = |known: &str, arg: &str| {
        known == "STEP_PASS" && meshwright_cpu::PASSES.iter().any(|pass| pass.name == arg)
    };
    let is_ops = |known: &str, arg: &str| known == "OPS" && arg.starts_with(char::is_uppercase);
    let fits = |arg: &String| {
        let is = |known: &&str| {
            arg == known
                || known.ends_with('=') && arg.starts_with(*known)
                || is_pass(known, arg)
                || is_step_pass(known, arg)
                || is_ops(known, arg)
        };
        known.iter().any(is)
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
    let groups = if has("lists") { GroupForm::Lists } else { GroupForm::Axes };
    let options = PrintOptions { generic: has("generic"), locations: has("locations"), groups };
    let print = |module: Module| {
        if has("hlo") { hlo::print(&module) } else { stablehlo::print_with(&module, &options) }
    };
    Ok(meshwright_text::parse(&case.text).map(print))
}

/// Nothing: the text is read and verified.
fn verify(case: &Case, _: &Test) -> Result<Said, String> {
    Ok(read::read(&case.text).map(|_| String::new()))
}

/// The rules of the entry function's instructions, but for those without factors. Variants of `Op` that are named are
/// all shown, and have to be there; `Scan` has loops that can be one made one.
fn rule(case: &Case, test: &Test) -> Result<Said, String> {
    let mut module = match read::read(&case.text) {
        Ok(module) => module,
        Err(found) => return Ok(Err(found)),
    };
    if test.args.iter().any(|arg| arg == "Scan") {
        meshwright_ir::raise_scan(&mut module);
    }
    let main = module.main();
    let insts: Vec<(InstId, String)> =
        main.insts_in_order().into_iter().map(|inst| (inst, variant(&main.inst(inst).op))).collect();
    if let Some(missing) = test.args.iter().find(|arg| !insts.iter().any(|(_, variant)| variant == *arg)) {
        return Err(format!("no instruction of the entry function is of `Op::{missing}`"));
    }
    let rules = insts.into_iter().map(|(inst, variant)| (inst, variant, rule_of(main, inst)));
    let shown = rules.filter(|(_, variant, rule)| !rule.factors.is_empty() || test.args.contains(variant));
    Ok(Ok(shown.map(|(inst, _, rule)| format!("{} {rule}\n", label(main, inst))).collect()))
}

/// Which variant of `Op` it is.
fn variant(op: &Op) -> String {
    format!("{op:?}").chars().take_while(|c| c.is_alphanumeric()).collect()
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

/// `%a`, `%r#1`; a place where the text has no name.
fn label_of(func: &Function, value: meshwright_ir::ValueId) -> String {
    let info = func.value(value);
    let several = match info.def {
        Def::Result { inst, index } => func.inst(inst).name.as_ref().map(|name| format!("%{name}#{index}")),
        Def::Param { .. } => None,
    };
    let own = info.name.as_ref().map(|name| format!("%{name}"));
    own.or(several).unwrap_or_else(|| format!("%{}", value.index()))
}

fn options(test: &Test) -> Result<Options, String> {
    let mut options = Options::default();
    options.complete.devices = test.number("devices")?.map(i64::from);
    options.priorities_alone = test.args.iter().any(|arg| arg == "priorities-alone");
    options.memory_limit = test.number("memory-limit")?.map(i64::from);
    options.partition.loops = match test.args.iter().find_map(|arg| arg.strip_prefix("loops=")) {
        None => Loops::default(),
        Some(words) => Loops::All(form(words)?),
    };
    Ok(options)
}

/// How einsums loop: `loops=one-way`, `loops=both-ways,unrolled`.
fn form(words: &str) -> Result<Form, String> {
    let mut form = Form::default();
    for word in words.split(',') {
        match word {
            "one-way" => form.both_ways = false,
            "both-ways" => form.both_ways = true,
            "unrolled" => form.unrolled = true,
            _ => return Err(format!("`loops=` knows one-way, both-ways and unrolled, not `{word}`")),
        }
    }
    Ok(form)
}

/// The module with a sharding on every value; `stats`: how many were given; `notes`: what pulls
/// different ways; `values`: the axes of each named tensor.
fn complete(case: &Case, test: &Test) -> Result<Said, String> {
    let options = options(test)?;
    let has = |word: &str| test.args.iter().any(|arg| arg == word);
    Ok(located::completed(&case.text, &options, &mut Unobserved).map(|done| {
        let (module, report) = (done.sharded.module(), &done.report);
        if has("stats") {
            let (given, inferred) = (report.given, report.inferred);
            format!("given {given}, inferred {inferred}, replicated {}\n", report.replicated)
        } else if has("notes") {
            report.conflicts.iter().map(|note| render(note, None)).collect()
        } else if has("values") {
            module.funcs.values().flat_map(|func| shardings(module, func)).collect()
        } else {
            stablehlo::print(&without_scalar_shardings(module.clone()))
        }
    }))
}

/// Named tensors with their dims' axes, a line each, regions after what is around them.
fn shardings(module: &Module, func: &Function) -> Vec<String> {
    let values = func.blocks_in_order().into_iter().flat_map(|block| {
        let insts = func.block(block).insts.iter().flat_map(|inst| &func.inst(*inst).results);
        func.block(block).params.iter().chain(insts).copied()
    });
    let line = |value| {
        let sharding =
            func.value(value).sharding.as_ref()?.as_mesh().filter(|sharding| sharding.rank() > 0)?;
        let dims = print_sharding(sharding, &module.meshes);
        let dims = dims.split_once(", ").map_or(dims.as_str(), |(_, dims)| dims.trim_end_matches('>'));
        Some(format!("{} {dims}\n", label_of(func, value)))
    };
    values.filter_map(line).collect()
}

/// The program of each device, or what an earlier stage made.
fn partition(case: &Case, test: &Test) -> Result<Said, String> {
    let options = options(test)?;
    let stages = [("plan", StopAfter::Plan), ("pad", StopAfter::Pad), ("reshard", StopAfter::Reshard)];
    let has = |(name, _): &(&str, StopAfter)| test.args.iter().any(|arg| arg == name);
    let stage = stages.into_iter().find(has).map(|(_, stage)| stage);
    let partitioned = |module: Module| match stage {
        Some(stage) => meshwright_compile::plan(module, &options, stage, &mut Unobserved)
            .map(|(planned, _)| stablehlo::print(planned.module())),
        None => meshwright_compile::partition(module, &options, &mut Unobserved)
            .map(|compiled| stablehlo::print(compiled.program.module())),
    };
    Ok(read::read(&case.text).and_then(partitioned))
}

/// The module behind one pass, on the text as it stands; `unchanged` if that is how it was.
fn opt(case: &Case, test: &Test) -> Result<Said, String> {
    let named = PASSES.iter().find(|pass| test.args.iter().any(|arg| arg == pass.name));
    let pass = named.ok_or("`opt` goes with the name of a pass: `meshwright passes` lists them")?;
    let limit = test.number("memory-limit")?.map(i64::from);
    let run = |module: &mut Module| match (pass.work, limit) {
        (Work::Plain(run), None) => Ok(run(module)),
        (Work::Within(run), Some(limit)) => Ok(run(module, limit).values > 0),
        (Work::Plain(_), Some(_)) => Err(format!("`{}` takes no memory limit", pass.name)),
        (Work::Within(_), None) => Err(format!("`{}` goes with `memory-limit=BYTES`", pass.name)),
    };
    let mut module = match read::read(&case.text) {
        Ok(module) => module,
        Err(found) => return Ok(Err(found)),
    };
    let before = stablehlo::print(&module);
    let changed = run(&mut module)?;
    if let Err(found) = meshwright_ir::verify(&module) {
        return Ok(Err(found));
    }
    let behind = stablehlo::print(&module);
    match (changed, behind == before) {
        (false, false) => {
            Err(format!("`{}` says that it changed nothing, but the module is another", pass.name))
        }
        (_, true) => Ok(Ok("unchanged\n".into())),
        (true, false) => Ok(Ok(behind)),
    }
}

/// The steps of the CPU engine behind one pass; `unchanged` if that is how they were.
fn cpu_steps(case: &Case, test: &Test) -> Result<Said, String> {
    let pass = test
        .args
        .first()
        .ok_or("`cpu-steps` goes with the name of a pass: `meshwright passes` lists them")?;
    let module = match read::read(&case.text) {
        Ok(module) => module,
        Err(found) => return Ok(Err(found)),
    };
    let texts = meshwright_cpu::steps_after_each(&module, 1).map_err(|error| error.to_string())?;
    let at = texts.iter().position(|(name, _)| name == pass).ok_or("the pass did not run")?;
    let (before, behind) = (&texts[at - 1].1, &texts[at].1);
    Ok(Ok(if before == behind { "unchanged\n".into() } else { behind.clone() }))
}

/// What one device sends, by kind and group, and what it multiplies.
fn collectives(case: &Case, test: &Test) -> Result<Said, String> {
    let options = options(test)?;
    let counted = |module: Module| {
        let compiled = meshwright_compile::partition(module, &options, &mut Unobserved)?;
        Ok(sent(&traffic(compiled.program.module(), &options.partition.machine)))
    };
    Ok(read::read(&case.text).and_then(counted))
}

fn sent(traffic: &Traffic) -> String {
    let mut out = String::new();
    for ((pattern, members), total) in &traffic.by_group {
        let over = members.axes.as_ref().map(|axes| format!(" over {axes}")).unwrap_or_default();
        let _ = writeln!(out, "{} {pattern}{over}: {} bytes", total.count, total.sent);
    }
    let _ = writeln!(out, "{} flops in contractions", traffic.contraction_flops);
    out
}

/// Nothing, if the partitioned program gives the same results, to the last bit, on small integers.
fn equal(case: &Case, test: &Test) -> Result<Said, String> {
    let (options, seeds) = (options(test)?, test.number("seeds")?.unwrap_or(1));
    Ok(read::read(&case.text).and_then(|module| compare(&module, seeds, &options)))
}

/// Results on parameters made up from seeds 0, 1, ...; a partitioned program gets other ones on every device.
fn run_module(case: &Case, test: &Test) -> Result<Said, String> {
    let (devices, seeds) = (test.number("devices")?, test.number("seeds")?.unwrap_or(1));
    let run = |module: Module| results(&module, devices, seeds).map_err(|diagnostic| vec![diagnostic]);
    Ok(read::read(&case.text).and_then(run))
}

fn results(module: &Module, devices: Option<u32>, seeds: u32) -> Result<String, Diagnostic> {
    /// More elements of a result are not shown.
    const SHOWN: usize = 256;
    let devices = devices.map_or_else(|| stated_devices(module), i64::from) as u64;
    let mut out = String::new();
    for seed in 0..u64::from(seeds) {
        let inputs = |device: u64| random_inputs(module, seed + (device << 32), Style::SmallInts);
        let results = if is_partitioned(module) {
            run_devices(module, devices as usize, &(0..devices).map(inputs).collect::<Result<Vec<_>, _>>()?)?
        } else {
            vec![run_global(module, &inputs(0)?)?]
        };
        if seeds > 1 {
            let _ = writeln!(out, "seed {seed}");
        }
        out.push_str(&show::results(&results, SHOWN));
    }
    Ok(out)
}

/// What differs when both are run.
fn compare(module: &Module, seeds: u32, options: &Options) -> Result<String, Vec<Diagnostic>> {
    let compiled = meshwright_compile::partition(module.clone(), options, &mut Unobserved)?;
    let mut out = String::new();
    for seed in 0..seeds {
        let differences =
            differences(module, &compiled.program, seed).map_err(|diagnostic| vec![diagnostic])?;
        differences.into_iter().for_each(|words| {
            let _ = writeln!(out, "seed {seed}: {words}");
        });
    }
    Ok(out)
}

fn differences(module: &Module, program: &SpmdModule, seed: u32) -> Result<Vec<String>, Diagnostic> {
    let made = |view: u64| random_inputs(module, u64::from(seed) + (view << 32), Style::SmallInts);
    let both = run_both(module, program, u64::from(seed), made)?;
    let of_device = |(whole, parts): &(Vec<Tensor>, Vec<Tensor>)| -> Vec<String> {
        let pairs = whole.iter().zip(parts).enumerate().filter(|(_, (whole, parts))| !whole.same(parts));
        let told = pairs.map(|(index, (whole, parts))| {
            let words = difference(parts, whole).unwrap_or("a difference within rounding".into());
            format!("result {index} differs: {words}")
        });
        told.collect()
    };
    Ok(both.results.iter().flat_map(of_device).chain(both.outfeeds.iter().flat_map(of_device)).collect())
}
