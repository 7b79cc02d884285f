//! Every way to route tokens is trained from one TOML, on eight devices; what cannot be is refused with its reason.

use crate::train::support::{good, json, losses, place, refused};

const EIGHT: [&str; 4] = ["--mesh", "data=2,expert=4", "--steps", "6"];

/// With an encoder, which reads what the decoder is to write in English.
const PAIR: [&str; 6] =
    ["--set", "model.decoder_only=false", "--set", "data.task=translate", "--set", "data.input_length=16"];

#[test]
fn every_routing_is_trained_on_eight_devices() {
    let place = place("routing");
    for routing in [
        "switch",
        "top",
        "gshard",
        "gshard-code",
        "expert-choice",
        "dropless",
        "none-left-behind",
        "prioritized",
    ] {
        let set = format!("model.routing={routing}");
        let out = format!("runs/{routing}");
        let args = ["train", "small.toml", "--out", &out, "--set", &set];
        let done = json(&place, &[&args[..], &EIGHT, &PAIR].concat());
        assert_eq!(done["is_done"], true, "{routing}");
        let losses = losses(&place.join(&out));
        let loss = |at: usize| losses[at].1.parse::<f64>().unwrap();
        assert!(losses.len() == 6 && loss(5) < loss(0), "{routing}: {losses:?}");
        let found = json(&place, &["eval", &out]);
        let drops = found["drop_rate"].as_f64().unwrap();
        assert!(routing != "dropless" || drops == 0.0, "{drops}");
        let answer = good(&place, &["generate", &out, "--prompt", "drei", "--tokens", "3"]);
        assert!(answer.starts_with("drei -> "), "{answer}");
    }
}

#[test]
fn tokens_without_capacity_are_trained_by_a_decoder_alone() {
    let place = place("dropless");
    let done =
        json(&place, &[&["train", "small.toml", "--set", "model.routing=dropless"], &EIGHT[..]].concat());
    assert_eq!(done["is_done"], true);
    let report = std::fs::read_to_string(place.join("runs/small/report.md")).unwrap();
    assert!(report.contains("0.00% dropped"), "{report}");
}

#[test]
fn experts_do_not_choose_for_a_decoder_alone() {
    let place = place("leak");
    for routing in ["model.routing=expert-choice", "model.routing=prioritized"] {
        let (code, said) = refused(&place, &["train", "small.toml", "--set", routing]);
        assert_eq!(code, 1);
        assert!(said.contains("would be trained on what it is to predict"), "{said}");
        assert!(said.contains("take an encoder beside it") && !place.join("runs").exists(), "{said}");
    }
}

/// Losses of a run of these fields on eight devices.
fn losses_of(name: &str, sets: &[&str]) -> Vec<f64> {
    let place = place(name);
    let sets = sets.iter().flat_map(|set| ["--set", set]);
    let args: Vec<&str> =
        ["train", "small.toml", "--out", "run"].into_iter().chain(EIGHT).chain(sets).collect();
    good(&place, &args);
    losses(&place.join("run")).iter().map(|(_, loss)| loss.parse().unwrap()).collect()
}

#[test]
fn a_token_left_behind_asks_the_next_expert() {
    let drops = |set: &str| {
        let place = place("behind");
        let args = ["train", "small.toml", "--out", "run", "--set", set, "--set", "model.jitter=0.0"];
        good(&place, &[&args[..if set.ends_with("behind") { 6 } else { 8 }], &EIGHT].concat());
        let text = std::fs::read_to_string(place.join("run/metrics.jsonl")).unwrap();
        let first: serde_json::Value = serde_json::from_str(text.lines().next().unwrap()).unwrap();
        first["drop_rate"].as_f64().unwrap()
    };
    let (switch, behind) = (drops("model.routing=switch"), drops("model.routing=none-left-behind"));
    assert!(behind < switch, "{behind} {switch}");
}

#[test]
fn masks_and_indices_learn_the_same() {
    let [einsum, gather] = ["einsum", "gather"].map(|way| {
        let set = format!("model.exchange={way}");
        losses_of(way, &["model.dtype=f64", &set])
    });
    assert_eq!(einsum.len(), 6);
    for (a, b) in einsum.iter().zip(&gather) {
        assert!((a - b).abs() <= 1e-10 * a, "{einsum:?} {gather:?}");
    }
}

#[test]
fn a_router_explores_in_four_ways() {
    let ways = ["argmax", "sample", "jitter", "input-dropout"].map(|way| format!("model.explore={way}"));
    let found: Vec<Vec<f64>> = ways.iter().map(|set| losses_of("explore", &[set])).collect();
    for (at, losses) in found.iter().enumerate() {
        assert!(losses[5] < losses[0], "{losses:?}");
        assert!(found[..at].iter().all(|other| other != losses), "{}", ways[at]);
    }
}

#[test]
fn capacity_is_counted_as_other_libraries_do() {
    let rules = ["switch", "gshard", "mesh-tensorflow", "praxis", "flaxformer", "per-choice"];
    let places = |rule: &str| {
        let set = format!("model.capacity_rule={rule}");
        losses_of("capacity", &[&set, "model.jitter=0.0"])[5]
    };
    // 32 tokens for 4 experts: 10 places of them, and 16 where there is no factor.
    assert_ne!(places(rules[0]), places(rules[1]));
    rules.iter().for_each(|rule| assert!(places(rule).is_finite()));
}

/// Table 10: experts in FFNs and attention, or in attention alone.
#[test]
fn attention_has_experts_too_or_alone() {
    let layers = ["| `block_1 queries` |", "| `block_1 keys` |", "| `block_1` |"];
    for (kind, in_ffn) in [("linear", true), ("ffn", true), ("linear", false)] {
        let place = place("attention");
        let sets = [format!("model.attention_experts={kind}"), format!("model.ffn_experts={in_ffn}")];
        let args = ["train", "small.toml", "--out", "run", "--set", &sets[0], "--set", &sets[1]];
        let done = json(&place, &[&args[..], &EIGHT].concat());
        assert_eq!(done["is_done"], true);
        let report = std::fs::read_to_string(place.join("run/report.md")).unwrap();
        for (at, layer) in layers.iter().enumerate() {
            assert_eq!(report.contains(layer), at < 2 || in_ffn, "{layer}: {report}");
        }
        assert!(good(&place, &["generate", "run", "--prompt", "drei", "--tokens", "2"]).starts_with("drei"));
    }
}

/// Table 2: all in f32, all in bf16, and the router alone in f32.
#[test]
fn a_router_is_as_narrow_as_it_is_told() {
    let rows: [&[&str]; 3] = [&[], &["model.dtype=bf16", "model.router_f32=false"], &["model.dtype=bf16"]];
    let found = rows.map(|sets| losses_of("precision", sets));
    for (at, losses) in found.iter().enumerate() {
        assert!(losses[5] < losses[0], "{losses:?}");
        assert!(found[..at].iter().all(|other| other != losses), "{:?}", rows[at]);
    }
}
