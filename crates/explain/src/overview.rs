//! The report as a page of text: a table of contents, then collectives, memory and advice, each with a line or two.

use crate::model::{Collective, Explanation, Label, Layer, Site, Suggestion, Totals};
use crate::reasons::base_name;
use crate::suggest::MOST_OPS;
use meshwright_base::Ask;
use meshwright_base::units::{bytes, percent, seconds};
use std::fmt::Write;

/// Lines of each part; the rest is counted.
const MOST_LAYERS: usize = 14;
const MOST_COLLECTIVES: usize = 8;
const MOST_ALIVE: usize = 6;

/// All of it.
pub fn overview(of: &Explanation) -> String {
    let mut out = headline(of);
    layers(&mut out, of);
    collectives(&mut out, of, MOST_COLLECTIVES);
    memory(&mut out, of);
    suggestions(&mut out, of);
    out
}

/// What `partition` says unasked: the largest collectives, the peak and the time.
pub fn in_short(of: &Explanation) -> String {
    const MOST: usize = 5;
    let mut out = String::new();
    collectives(&mut out, of, MOST);
    let at = of.memory.label.as_ref().map_or(String::new(), |label| format!(" at {}", value(label)));
    let _ = writeln!(
        out,
        "\nat most {} alive{at}{}; {} a run on {}",
        bytes(of.totals.peak as f64),
        planned_peak(of),
        seconds(of.totals.seconds),
        machine(of)
    );
    out
}

fn headline(of: &Explanation) -> String {
    let meshes: Vec<String> = of
        .program
        .meshes
        .iter()
        .map(|mesh| {
            let axes: Vec<String> =
                mesh.axes.iter().map(|axis| format!("{}={}", axis.name, axis.size)).collect();
            axes.join(", ")
        })
        .collect();
    let Totals { sent, collectives, seconds: time, peak, .. } = of.totals;
    let mesh = if meshes.is_empty() { String::new() } else { format!(", mesh {}", meshes.join("; ")) };
    let name = if of.program.name.is_empty() { "it runs" } else { &of.program.name };
    format!(
        "{name} on {} devices{mesh}\na device sends {} in {collectives:.0} collectives, holds at most {}, takes {} on {}\n",
        of.program.devices,
        bytes(sent),
        format_args!("{}{}", bytes(peak as f64), planned_peak(of)),
        seconds(time),
        machine(of)
    )
}

/// What seconds are of.
fn machine(of: &Explanation) -> String {
    match of.program.machine.as_str() {
        "plain" => "a plain machine".into(),
        name => name.into(),
    }
}

fn layers(out: &mut String, of: &Explanation) {
    let count = of.layers.len();
    let _ = writeln!(out, "\nlayers, as they first run (time of each by itself):");
    let widest =
        of.layers.iter().take(MOST_LAYERS).map(|layer| title(layer).chars().count()).max().unwrap_or(0);
    for layer in of.layers.iter().take(MOST_LAYERS) {
        let share = if of.totals.sent > 0.0 { layer.sent / of.totals.sent } else { 0.0 };
        let line = format!(
            "  {:widest$}  {:>9} {:>5}  {:>8}  {}",
            title(layer),
            bytes(layer.sent),
            percent(share),
            seconds(layer.compute_seconds + layer.collective_seconds),
            lines(&layer.sites)
        );
        let _ = writeln!(out, "{}", line.trim_end());
    }
    if count > MOST_LAYERS {
        let rest: f64 = of.layers.iter().skip(MOST_LAYERS).map(|layer| layer.sent).sum();
        let _ = writeln!(out, "  and {} more, which send {}", count - MOST_LAYERS, bytes(rest));
    }
}

fn title(layer: &Layer) -> String {
    const WIDEST: usize = 40;
    let name: String = match layer.name.chars().count() {
        count if count > WIDEST => {
            format!("..{}", layer.name.chars().skip(count - WIDEST + 2).collect::<String>())
        }
        _ => layer.name.clone(),
    };
    if layer.instances > 1 { format!("{name} x {}", layer.instances) } else { name }
}

/// `model.py:8-31`; of several files the first, and how many more.
fn lines(sites: &[Site]) -> String {
    let Some(first) = sites.first() else { return String::new() };
    let of_file: Vec<u32> =
        sites.iter().filter(|site| site.file == first.file).map(|site| site.line).collect();
    let (low, high) =
        (of_file.iter().min().copied().unwrap_or(0), of_file.iter().max().copied().unwrap_or(0));
    let mut files: Vec<&str> = sites.iter().map(|site| &*site.file).collect();
    files.dedup();
    let range = if low == high { low.to_string() } else { format!("{low}-{high}") };
    let more = match files.len() {
        0 | 1 => String::new(),
        2 => " and one file more".into(),
        count => format!(" and {} files more", count - 1),
    };
    format!("{}:{range}{more}", base_name(&first.file))
}

fn collectives(out: &mut String, of: &Explanation, most: usize) {
    if of.collectives.is_empty() {
        let _ = writeln!(out, "\nnothing is sent");
        return;
    }
    let runs: f64 = of.collectives.iter().map(|collective| collective.runs).sum();
    let together = match of.totals.collectives {
        all if runs > all => format!(" ({all:.0} for {runs:.0} values: some are sent together)"),
        _ => String::new(),
    };
    let _ = writeln!(out, "\ncollectives, what sends most first{together}:");
    for collective in of.collectives.iter().take(most) {
        one_collective(out, collective);
    }
    if of.collectives.len() > most {
        let rest: f64 = of.collectives.iter().skip(most).map(|collective| collective.sent).sum();
        let _ = writeln!(
            out,
            "  and {} more, which send {} ({} has all)",
            of.collectives.len() - most,
            bytes(rest),
            Ask::Either { line: "`--json`", python: "`data`" }
        );
    }
}

fn one_collective(out: &mut String, of: &Collective) {
    let over = match of.axes.as_str() {
        "" if of.group_size > 1 => format!(" over {} devices", of.group_size),
        "" => String::new(),
        axes => format!(" over {axes}"),
    };
    let runs = if of.runs > 1.0 { format!(", {:.0} times", of.runs) } else { String::new() };
    let _ = writeln!(
        out,
        "  {:>9} {:>5}  {:>8}  {}{over}{runs}: {}",
        bytes(of.sent),
        percent(of.share),
        seconds(of.seconds),
        of.kind,
        value(&of.value)
    );
    if !of.reason.text.is_empty() {
        let _ = writeln!(out, "      {}", of.reason.text);
    }
}

/// `p['w1'] f32[8,16]`; `%12 (dot_general at model.py:31) f32[8,16]`.
pub fn value(label: &Label) -> String {
    let name = match (&label.called, &label.site) {
        (Some(called), _) if label.op == "parameter" => called.clone(),
        (Some(called), _) => format!("{} of {called}", label.op),
        (None, Some(site)) => {
            format!("{} ({} at {}:{})", label.name, label.op, base_name(&site.file), site.line)
        }
        (None, None) if label.op.is_empty() || label.op == "parameter" => label.name.clone(),
        (None, None) => format!("{} ({})", label.name, label.op),
    };
    if label.ty.is_empty() { name } else { format!("{} {}", name.trim_start(), label.ty) }
}

/// The peak that plans tell, beside the one of the program as it is.
fn planned_peak(of: &Explanation) -> String {
    let planned = of.totals.planned_peak;
    planned.map_or(String::new(), |peak| {
        format!(" if nothing is fused, {} as {} fuses loops", bytes(peak as f64), machine(of))
    })
}

fn memory(out: &mut String, of: &Explanation) {
    let memory = &of.memory;
    let at = memory.label.as_ref().map_or(String::new(), |label| format!(", at {}", value(label)));
    let (peak, planned) = (bytes(memory.peak as f64), planned_peak(of));
    let _ = writeln!(out, "\nmemory: {peak} at most{at}{planned}; alive then:");
    for (alive, count) in alike(of).into_iter().take(MOST_ALIVE) {
        let each = if count > 1 { format!(" x {count}") } else { String::new() };
        let local =
            if alive.local == alive.label.ty { String::new() } else { format!(", here {}", alive.local) };
        let _ = writeln!(
            out,
            "  {:>9} {:>5}  {}{local}{each}",
            bytes((alive.bytes * count as i64) as f64),
            percent((alive.bytes * count as i64) as f64 / memory.peak.max(1) as f64),
            value(&alive.label)
        );
    }
}

/// Values that are alive at the peak, those of one line or name and one size together, largest first.
fn alike(of: &Explanation) -> Vec<(&crate::model::Alive, usize)> {
    use meshwright_base::arrange::Arrange;
    let mut found: Vec<(&crate::model::Alive, usize)> = Vec::new();
    let called = |label: &Label| label.called.as_deref().map(crate::layers::folded_name);
    for alive in &of.memory.alive {
        let same = |(known, _): &&mut (&crate::model::Alive, usize)| {
            let (a, b) = (&known.label, &alive.label);
            let named = a.called.is_some() || a.site.is_some();
            let same_line = a.line() == b.line() && a.ty == b.ty;
            named && a.op == b.op && same_line && called(a) == called(b) && known.local == alive.local
        };
        match found.iter_mut().find(same) {
            Some((_, count)) => *count += 1,
            None => found.push((alive, 1)),
        }
    }
    found.arrange_by_key(|(alive, count)| std::cmp::Reverse(alive.bytes * *count as i64));
    found
}

fn suggestions(out: &mut String, of: &Explanation) {
    let ops = of.graph.nodes.len();
    if ops > MOST_OPS && of.totals.sent > 0.0 {
        let _ = writeln!(
            out,
            "\nannotations that would save bytes: none was tried, of {ops} ops; {} tries one",
            Ask::Either { line: "`--why-not`", python: "`why_not(..)`" }
        );
    }
    if of.suggestions.is_empty() && of.tried > 0 {
        let _ =
            writeln!(out, "\nannotations that would save bytes: none of the {} that were tried", of.tried);
    }
    if of.suggestions.is_empty() {
        return;
    }
    let _ = writeln!(
        out,
        "\nannotations that would save bytes (each was tried: this is what partitioning with it gives):"
    );
    for suggestion in &of.suggestions {
        one_suggestion(out, suggestion);
    }
}

/// What to do with advice on a value of a backward pass.
pub const BACKWARD: &str = "a gradient, which that line does not make: constrain what `jax.grad` returns, or its value in a `jax.custom_vjp`";

fn one_suggestion(out: &mut String, of: &Suggestion) {
    let Totals { sent, seconds: time, peak, .. } = of.after;
    let first = of.values.first().cloned().unwrap_or_default();
    let more =
        if of.values.len() > 1 { format!(" and {} alike", of.values.len() - 1) } else { String::new() };
    let instead = of.instead_of.as_ref().map_or(String::new(), |was| format!(" instead of {was}"));
    let _ = writeln!(
        out,
        "  {} less ({}): {} split {}{more}{instead}: {} sent, {}, peak {}",
        bytes(of.before.sent - sent),
        percent((of.before.sent - sent) / of.before.sent),
        value(&first),
        of.sharding,
        bytes(sent),
        seconds(time),
        bytes(peak as f64)
    );
    if let Some(jax) = &of.jax {
        let at = first.site.as_ref().filter(|_| first.called.is_none());
        let at = at.map_or(String::new(), |site| format!(" at {}:{}", base_name(&site.file), site.line));
        let instead = if of.instead_of.is_some() { " instead" } else { "" };
        let _ = writeln!(out, "      JAX{at}:  {jax}{instead}");
    }
    if of.backward {
        let _ = writeln!(out, "      JAX: {BACKWARD}");
    }
    let _ = writeln!(out, "      Rust: {}", of.rust);
}
