//! The report as text for a terminal: a summary, collectives with their causes, memory at the peak, layers and
//! suggestions. A section that would be empty is left out.

use crate::model::{Alive, Collective, Explanation, Label, Layer, Site, Suggestion, Totals};
use crate::reasons::base_name;
use crate::suggest::MOST_OPS;
use meshwright_base::Ask;
use meshwright_base::units::{bytes, count, percent, seconds};
use meshwright_complete::Report;
use std::fmt::Write;

/// Lines of each section; the rest is counted.
const MOST_LAYERS: usize = 14;
const MOST_COLLECTIVES: usize = 8;
const MOST_ALIVE: usize = 6;

/// The text of a report, of a module from `file`.
pub fn overview(of: &Explanation, file: &str, completion: &Report) -> String {
    let mut out = summary(of, file, completion);
    collectives(&mut out, of, MOST_COLLECTIVES);
    memory(&mut out, of);
    layers(&mut out, of);
    suggestions(&mut out, of);
    out
}

/// The summary that `partition` prints: the largest collectives, the peak and the time.
pub fn in_short(of: &Explanation) -> String {
    const MOST: usize = 5;
    let mut out = String::new();
    collectives(&mut out, of, MOST);
    let at = of.memory.label.as_ref().map_or(String::new(), |label| format!(", at {}", value(label)));
    let _ = writeln!(
        out,
        "\npeak memory {}{at}\nestimated step {} ({})",
        peak(of),
        seconds(of.totals.seconds),
        machine(of)
    );
    out
}

/// ```text
/// layer (layer.mlir) on 8 devices, mesh data=4,model=2
///   tensors      2 annotated, 7 inferred, 0 replicated
///   each device  sends 2.05 kB in 1 collective, peak memory 26.6 kB, estimated step 1.25 us (generic machine)
/// ```
fn summary(of: &Explanation, file: &str, completion: &Report) -> String {
    let meshes: Vec<String> = of
        .program
        .meshes
        .iter()
        .map(|mesh| {
            let axes: Vec<String> =
                mesh.axes.iter().map(|axis| format!("{}={}", axis.name, axis.size)).collect();
            axes.join(",")
        })
        .collect();
    let mesh = match meshes.as_slice() {
        [] => String::new(),
        [one] => format!(", mesh {one}"),
        several => format!(", meshes {}", several.join(" and ")),
    };
    let name = match of.program.name.as_str() {
        "" => file.to_string(),
        // A text that is no file is called by the module's name in brackets.
        name if name == file
            || file.strip_prefix('<').and_then(|file| file.strip_suffix('>')) == Some(name) =>
        {
            name.to_string()
        }
        name => format!("{name} ({file})"),
    };
    let devices = count(usize::try_from(of.program.devices).unwrap_or(0), "device");
    let Totals { sent, collectives, seconds: time, .. } = of.totals;
    let sends = match collectives as usize {
        0 => "sends nothing".to_string(),
        number => format!("sends {} in {}", bytes(sent), count(number, "collective")),
    };
    let Report { given, inferred, replicated, .. } = completion;
    let (time, machine) = (seconds(time), machine(of));
    format!(
        "{name} on {devices}{mesh}\n  tensors      {given} annotated, {inferred} inferred, {replicated} replicated\n  \
         each device  {sends}, peak memory {}, estimated step {time} ({machine})\n",
        peak(of)
    )
}

/// The machine that times are estimated for.
fn machine(of: &Explanation) -> &str {
    match of.program.machine.as_str() {
        "plain" => "generic machine",
        name => name,
    }
}

/// The peak memory of the program, and the one with the loop fusion of the target.
fn peak(of: &Explanation) -> String {
    let planned = of.totals.planned_peak.map_or(String::new(), |peak| {
        format!(" ({} with the loop fusion of {})", bytes(peak as f64), machine(of))
    });
    format!("{}{planned}", bytes(of.totals.peak as f64))
}

/// The layers that cost something, if they are several.
fn layers(out: &mut String, of: &Explanation) {
    let time = |layer: &Layer| layer.compute_seconds + layer.collective_seconds;
    let costly: Vec<&Layer> =
        of.layers.iter().filter(|layer| layer.sent > 0.0 || time(layer) > 0.0).collect();
    if costly.len() < 2 {
        return;
    }
    let _ = writeln!(out, "\nlayers, in order of execution (bytes sent; time without overlap)");
    let shown = || costly.iter().take(MOST_LAYERS);
    let widest = shown().map(|layer| title(layer).chars().count()).max().unwrap_or(0);
    for layer in shown() {
        let share = if of.totals.sent > 0.0 { layer.sent / of.totals.sent } else { 0.0 };
        let line = format!(
            "  {:>9}  {:>4}  {:>8}  {:widest$}  {}",
            bytes(layer.sent),
            percent(share),
            seconds(time(layer)),
            title(layer),
            lines(&layer.sites)
        );
        let _ = writeln!(out, "{}", line.trim_end());
    }
    if costly.len() > MOST_LAYERS {
        let rest: f64 = costly.iter().skip(MOST_LAYERS).map(|layer| layer.sent).sum();
        let _ = writeln!(out, "  {:>9}  in {}", bytes(rest), count(costly.len() - MOST_LAYERS, "more layer"));
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

/// `model.py:8-31`; of several files the first, and the number of the others.
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
        several => format!(" and {}", count(several - 1, "more file")),
    };
    format!("{}:{range}{more}", base_name(&first.file))
}

fn collectives(out: &mut String, of: &Explanation, most: usize) {
    if of.collectives.is_empty() {
        return;
    }
    let runs: f64 = of.collectives.iter().map(|collective| collective.runs).sum();
    let combined = match of.totals.collectives {
        all if runs > all => format!(
            " ({} in {} after combining)",
            count(runs as usize, "tensor"),
            count(all as usize, "collective")
        ),
        _ => String::new(),
    };
    let _ = writeln!(out, "\ncollectives, largest first{combined}");
    let shown = || of.collectives.iter().take(most);
    let widest = shown().map(|one| exchange(one).chars().count()).max().unwrap_or(0);
    for collective in shown() {
        one_collective(out, collective, widest);
    }
    if of.collectives.len() > most {
        let rest: f64 = of.collectives.iter().skip(most).map(|collective| collective.sent).sum();
        let _ = writeln!(
            out,
            "  {:>9}  in {} ({} lists all)",
            bytes(rest),
            count(of.collectives.len() - most, "more kind"),
            Ask::Either { line: "`--json`", python: "`data`" }
        );
    }
}

/// ``all-reduce over `x*y`, 3 runs``.
fn exchange(of: &Collective) -> String {
    let over = match of.axes.as_str() {
        "" if of.group_size > 1 => format!(" over {} devices", of.group_size),
        "" => String::new(),
        axes => format!(" over `{axes}`"),
    };
    let runs = if of.runs > 1.0 { format!(", {:.0} runs", of.runs) } else { String::new() };
    format!("{}{over}{runs}", of.kind)
}

fn one_collective(out: &mut String, of: &Collective, widest: usize) {
    let line = format!(
        "  {:>9}  {:>4}  {:>8}  {:widest$}  {}",
        bytes(of.sent),
        percent(of.share),
        seconds(of.seconds),
        exchange(of),
        value(&of.value)
    );
    let _ = writeln!(out, "{}", line.trim_end());
    let text = &of.reason.text;
    if !text.is_empty() {
        let (made, needed) = text.split_at(outer_semicolon(text));
        let _ = writeln!(
            out,
            "             cause: {made}{}",
            needed.replacen("; ", ";\n                    ", 1)
        );
    }
}

/// The place of the first `; ` outside of parentheses; the end where there is none.
fn outer_semicolon(text: &str) -> usize {
    let mut depth = 0;
    for (at, letter) in text.char_indices() {
        match letter {
            '(' => depth += 1,
            ')' => depth -= 1,
            ';' if depth == 0 => return at,
            _ => {}
        }
    }
    text.len()
}

/// `p['w1'] f32[8,16]`; `%12 f32[8,16] (dot_general, model.py:31)`.
pub fn value(label: &Label) -> String {
    let origin = detail(label);
    let parts = [name(label), &label.ty, &origin];
    parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" ")
}

/// The name in the user's program or in the text; the op where there is neither.
fn name(label: &Label) -> &str {
    match label.called.as_deref().unwrap_or(&label.name) {
        "" => &label.op,
        name => name,
    }
}

/// `(dot_general, model.py:31)`: the op and line of a value, without the part that its name repeats.
fn detail(label: &Label) -> String {
    let op = match label.op.as_str() {
        "parameter" => "",
        op if op == name(label) => "",
        op => op,
    };
    let site = label.site.as_ref().filter(|_| label.called.is_none());
    let site = site.map_or(String::new(), |site| format!("{}:{}", base_name(&site.file), site.line));
    match (op, site.as_str()) {
        ("", "") => String::new(),
        ("", site) => format!("({site})"),
        (op, "") => format!("({op})"),
        (op, site) => format!("({op}, {site})"),
    }
}

fn memory(out: &mut String, of: &Explanation) {
    let memory = &of.memory;
    let groups = alike(of);
    if groups.is_empty() {
        return;
    }
    let at = memory.label.as_ref().map_or(String::new(), |label| format!(", at {}", value(label)));
    let _ = writeln!(out, "\npeak memory {}{at}; live there", bytes(memory.peak as f64));
    let shown = || groups.iter().take(MOST_ALIVE);
    let line = |bytes_held: f64, text: &str| {
        format!(
            "  {:>9}  {:>4}  {text}\n",
            bytes(bytes_held),
            percent(bytes_held / memory.peak.max(1) as f64)
        )
    };
    let widest = shown().map(|(alive, _)| name(&alive.label).chars().count()).max().unwrap_or(0);
    for (alive, number) in shown() {
        let times = if *number > 1 { format!(" x {number}") } else { String::new() };
        let ty = match (alive.label.ty.as_str(), alive.local.as_str()) {
            ("", local) => local.to_string(),
            (ty, local) if ty == local => ty.to_string(),
            (ty, local) => format!("{ty}, per device {local}"),
        };
        let text = format!("{:widest$}  {ty}{times}  {}", name(&alive.label), detail(&alive.label));
        out.push_str(&line((alive.bytes * *number as i64) as f64, text.trim_end()));
    }
    if groups.len() > MOST_ALIVE {
        let rest = || groups.iter().skip(MOST_ALIVE);
        let held: i64 = rest().map(|(alive, number)| alive.bytes * *number as i64).sum();
        let number: usize = rest().map(|(_, number)| number).sum();
        out.push_str(&line(held as f64, &format!("in {}", count(number, "more value"))));
    }
}

/// Values that are live at the peak, those of one line or name and one size together, largest first.
fn alike(of: &Explanation) -> Vec<(&Alive, usize)> {
    use meshwright_base::arrange::Arrange;
    let mut found: Vec<(&Alive, usize)> = Vec::new();
    let called = |label: &Label| label.called.as_deref().map(crate::layers::folded_name);
    for alive in &of.memory.alive {
        let same = |(known, _): &&mut (&Alive, usize)| {
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
            "\nsuggestions: not computed above {MOST_OPS} ops (this program has {ops}); {} prices one sharding",
            Ask::Either { line: "`--why-not`", python: "`why_not(..)`" }
        );
    }
    if of.suggestions.is_empty() && of.tried > 0 {
        let _ = writeln!(
            out,
            "\nsuggestions: none ({} partitioned, none saves 2% of the bytes without more flops)",
            count(of.tried, "annotation")
        );
    }
    if of.suggestions.is_empty() {
        return;
    }
    let _ = writeln!(out, "\nsuggestions (figures from partitioning with each one)");
    for suggestion in &of.suggestions {
        one_suggestion(out, suggestion);
    }
}

/// The advice for a value of a backward pass.
pub const BACKWARD: &str = "this line does not compute the gradient: constrain the result of `jax.grad`, or the value in a `jax.custom_vjp`";

fn one_suggestion(out: &mut String, of: &Suggestion) {
    let Totals { sent, seconds: time, peak, .. } = of.after;
    let first = of.values.first().cloned().unwrap_or_default();
    let more = match of.values.len() {
        0 | 1 => String::new(),
        several => format!(" and {} like it", several - 1),
    };
    let site = first.site.as_ref().filter(|_| first.called.is_none());
    let site = site.map_or(String::new(), |site| format!("{}:{}", base_name(&site.file), site.line));
    let has_jax = of.jax.is_some() || of.backward;
    let at = if has_jax || site.is_empty() { String::new() } else { format!(" ({site})") };
    let instead = of.instead_of.as_ref().map_or(String::new(), |was| format!(" instead of {was}"));
    let _ = writeln!(
        out,
        "  saves {} ({}): shard {} {}{at}{more} as {}{instead}",
        bytes(of.before.sent - sent),
        percent((of.before.sent - sent) / of.before.sent),
        name(&first),
        first.ty,
        of.sharding
    );
    let _ = writeln!(
        out,
        "    result  sends {}, peak memory {}, estimated step {}",
        bytes(sent),
        bytes(peak as f64),
        seconds(time)
    );
    let line = if site.is_empty() { String::new() } else { format!("{site}: ") };
    match &of.jax {
        Some(jax) if of.instead_of.is_some() => {
            let _ = writeln!(out, "    JAX     {line}change the sharding to {jax}");
        }
        Some(jax) => {
            let _ = writeln!(out, "    JAX     {line}{jax}");
        }
        None => {}
    }
    if of.backward {
        let _ = writeln!(out, "    JAX     {line}{BACKWARD}");
    }
    let _ = writeln!(out, "    Rust    {}", of.rust);
}
