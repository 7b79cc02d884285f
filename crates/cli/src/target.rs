//! `--target`: a machine by name and shape, the measured machine (`this`), or a machine file.
//!
//! `meshwright bench machine` writes the file as JSON: a value, its uncertainty and its source for each coefficient,
//! and the network between devices. Members that the file leaves out keep their defaults, those of an unknown network.

use meshwright_base::Ask;
use meshwright_base::nearest::suggest;
use meshwright_cost::machine::{Known, Overlap, Source};
use meshwright_cost::network::{Network, Tier, TierKind};
use meshwright_cost::{Coefficient, Machine, Target};
use meshwright_ir::DType;
use meshwright_runtime::files::read_text;
use serde_json::{Map, Value, json};
use std::path::{Path, PathBuf};

/// The default file of the measured machine.
const HERE: &str = "meshwright-machine.json";
const PLACE: &str = "MESHWRIGHT_MACHINE";

/// Returns the file of `this` machine.
pub fn this() -> PathBuf {
    std::env::var_os(PLACE).map_or_else(|| PathBuf::from(HERE), PathBuf::from)
}

/// Parses a target.
pub fn target(text: &str) -> Result<Target, String> {
    if text == "this" {
        let path = this();
        if !path.is_file() {
            let path = path.display();
            return Err(format!(
                "no measurement of this machine at `{path}`; run `meshwright bench machine`{} to write it",
                Ask::Either { line: "", python: " in a terminal" }
            ));
        }
        return read(&path);
    }
    let is_path = text.contains(['/', '\\']) || Path::new(text).extension().is_some_and(|of| of == "json");
    if is_path {
        return read(Path::new(text));
    }
    Target::parse(text)
        .map_err(|told| [Some(told.message), told.help].into_iter().flatten().collect::<Vec<_>>().join("; "))
}

/// Most that a description of a machine has.
const MACHINE_BYTES: u64 = 16 << 20;

fn read(path: &Path) -> Result<Target, String> {
    let shown = path.display();
    let text = read_text(path, MACHINE_BYTES).map_err(|error| format!("cannot read `{shown}`: {error}"))?;
    let value: Value =
        serde_json::from_str(&text).map_err(|error| format!("`{shown}` is not valid JSON: {error}"))?;
    machine(&value).map(Target::of).map_err(|error| format!("`{shown}`: {error}"))
}

fn machine(value: &Value) -> Result<Machine, String> {
    let object = value.as_object().ok_or("a machine file holds one JSON object")?;
    let mut made = Machine::default();
    for (key, value) in object {
        made = with_member(made, key, value)?;
    }
    Ok(made)
}

const MEMBERS: [&str; 10] =
    ["ok", "name", "capacity", "workers", "tile", "overlap", "fuses", "types", "caches", "network"];

fn with_member(made: Machine, key: &str, value: &Value) -> Result<Machine, String> {
    let whole =
        || value.as_i64().filter(|number| *number > 0).ok_or(format!("`{key}` must be a number over 0"));
    Ok(match key {
        "ok" | "measured" => made,
        "name" => {
            Machine { name: value.as_str().ok_or("`name` must be a string")?.to_string().into(), ..made }
        }
        "capacity" => Machine { capacity: whole()?, ..made },
        "workers" if value.is_null() => Machine { workers: None, ..made },
        "workers" => Machine { workers: Some(whole()?), ..made },
        "tile" => Machine { tile: whole()?, ..made },
        "fuses" => Machine { fuses: value.as_bool().ok_or("`fuses` must be true or false")?, ..made },
        "overlap" => Machine { overlap: overlap(value)?, ..made },
        "types" => {
            Machine { types: pairs(value, key)?.into_iter().map(typed).collect::<Result<_, _>>()?, ..made }
        }
        "caches" => {
            Machine { caches: pairs(value, key)?.into_iter().map(sized).collect::<Result<_, _>>()?, ..made }
        }
        "network" => Machine { network: network(value)?, ..made },
        "coefficients" => with_coefficients(made, value)?,
        _ => {
            let known = MEMBERS.iter().copied().chain(["coefficients"]);
            let near = suggest(key, known.clone()).map_or(String::new(), |near| format!("; {near}"));
            return Err(format!(
                "unknown member `{key}`{near} the members are {}",
                known.collect::<Vec<_>>().join(", ")
            ));
        }
    })
}

fn with_coefficients(made: Machine, value: &Value) -> Result<Machine, String> {
    let members = value.as_object().ok_or("`coefficients` must be an object")?;
    members.iter().try_fold(made, |made, (name, value)| {
        let of = Coefficient::ALL.into_iter().find(|of| of.name() == name).ok_or_else(|| {
            let near = suggest(name, Coefficient::ALL.into_iter().map(Coefficient::name));
            format!("unknown coefficient `{name}`; {}", near.unwrap_or_default())
        })?;
        let number =
            |member: &str| value.get(member).and_then(Value::as_f64).filter(|number| number.is_finite());
        let wrong =
            || format!("`{name}` needs a `value` and a relative uncertainty `within`, both 0 or more");
        let known = Known {
            value: number("value").filter(|value| *value >= 0.0).ok_or_else(wrong)?,
            within: number("within").filter(|within| *within >= 0.0).ok_or_else(wrong)?,
            source: Source::parse(value.get("source").and_then(Value::as_str).unwrap_or("unknown")),
        };
        Ok(made.knowing(of, known))
    })
}

fn overlap(value: &Value) -> Result<Overlap, String> {
    let all = [Overlap::Nothing, Overlap::Permutes, Overlap::All];
    let found = all.into_iter().find(|overlap| Some(overlap_name(*overlap)) == value.as_str());
    found.ok_or_else(|| "`overlap` must be `nothing`, `permutes` or `all`".into())
}

fn overlap_name(overlap: Overlap) -> &'static str {
    match overlap {
        Overlap::Nothing => "nothing",
        Overlap::Permutes => "permutes",
        Overlap::All => "all",
    }
}

fn pairs(value: &Value, key: &str) -> Result<Vec<(String, f64)>, String> {
    let members = value.as_object().ok_or(format!("`{key}` must be an object of numbers"))?;
    let pair = |(name, value): (&String, &Value)| {
        let number = value.as_f64().filter(|number| *number > 0.0);
        number
            .map(|number| (name.clone(), number))
            .ok_or(format!("`{key}`: `{name}` must be a number over 0"))
    };
    members.iter().map(pair).collect()
}

fn typed((name, rate): (String, f64)) -> Result<(DType, f64), String> {
    DType::from_hlo(&name).map(|dtype| (dtype, rate)).ok_or(format!("`types`: unknown element type `{name}`"))
}

fn sized((bytes, times): (String, f64)) -> Result<(f64, f64), String> {
    let bytes = crate::bytes::bytes(&bytes).map_err(|error| format!("`caches`: `{bytes}`: {error}"))?;
    Ok((bytes as f64, times))
}

fn network(value: &Value) -> Result<Network, String> {
    let wrong = "`network` must be a list of objects with `kind` (hosts, ring, line, switch, chip, threads) and `size`";
    let tiers = value.as_array().filter(|tiers| !tiers.is_empty()).ok_or(wrong)?;
    let tier = |value: &Value| {
        let kind = KINDS.iter().find(|kind| value.get("kind").and_then(Value::as_str) == Some(kind.name()));
        // A larger tier than any machine has makes no difference.
        let size =
            value.get("size").and_then(Value::as_i64).filter(|size| *size > 0).map(|size| size.min(MOST));
        kind.zip(size).map(|(kind, size)| Tier::new(*kind, size)).ok_or_else(|| wrong.to_string())
    };
    Ok(Network::new(tiers.iter().map(tier).collect::<Result<_, _>>()?))
}

/// The largest tier, in devices.
const MOST: i64 = 1 << 20;

const KINDS: [TierKind; 6] = [
    TierKind::Hosts,
    TierKind::Ring { closed: true },
    TierKind::Ring { closed: false },
    TierKind::Switch,
    TierKind::Chip,
    TierKind::Threads,
];

/// Returns the members of the machine file.
pub fn to_json(machine: &Machine) -> Map<String, Value> {
    let coefficient = |of: Coefficient| {
        let known = machine.known(of);
        (
            of.name().into(),
            json!({ "value": known.value, "within": known.within, "source": known.source.to_string() }),
        )
    };
    let tier = |tier: &Tier| json!({ "kind": tier.kind.name(), "size": tier.size });
    let types = machine.types.iter().map(|(dtype, rate)| (dtype.hlo_name().into(), json!(rate)));
    let caches = machine.caches.iter().map(|(bytes, times)| (format!("{bytes:.0}"), json!(times)));
    let members = [
        ("name", json!(machine.name)),
        ("capacity", json!(machine.capacity)),
        ("workers", json!(machine.workers)),
        ("tile", json!(machine.tile)),
        ("overlap", json!(overlap_name(machine.overlap))),
        ("fuses", json!(machine.fuses)),
        ("types", Value::Object(types.collect())),
        ("caches", Value::Object(caches.collect())),
        ("network", json!(machine.network.tiers.iter().map(tier).collect::<Vec<_>>())),
        ("coefficients", Value::Object(Coefficient::ALL.into_iter().map(coefficient).collect())),
    ];
    members.into_iter().map(|(name, value)| (name.to_string(), value)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_machine_is_read_as_it_was_written() {
        let target = Target::parse("tpu-v3:4x4").and_then(|target| target.machine(32)).expect("a target");
        let written = Value::Object(to_json(&target));
        assert_eq!(machine(&written), Ok(target));
    }

    #[test]
    fn what_a_file_gets_wrong_is_told() {
        let said = |text: &str| machine(&serde_json::from_str(text).expect("JSON")).unwrap_err();
        assert!(said(r#"{"capacty": 1}"#).contains("did you mean `capacity`?"));
        assert!(said(r#"{"coefficients": {"prodcts": {}}}"#).contains("did you mean `products`?"));
        assert!(said(r#"{"coefficients": {"products": {"value": -1}}}"#).contains("`products`"));
        assert!(said(r#"{"network": [{"kind": "star", "size": 4}]}"#).contains("ring"));
        assert!(target("no/such.json").unwrap_err().contains("no/such.json"));
        assert!(target("tpu-v33").unwrap_err().contains("did you mean `tpu-v3`?"));
    }
}
