//! Every way to route tokens is trained from one TOML, on eight devices; what cannot be is refused with its reason.

use crate::support::{good, json, losses, place, refused};

const EIGHT: [&str; 4] = ["--mesh", "data=2,expert=4", "--steps", "6"];

/// With an encoder, which reads what the decoder is to write in English.
const PAIR: [&str; 6] =
    ["--set", "model.decoder_only=false", "--set", "data.task=translate", "--set", "data.input_length=16"];

#[test]
fn every_routing_is_trained_on_eight_devices() {
    let place = place("routing");
    for routing in ["switch", "top", "gshard", "gshard-code", "expert-choice", "dropless"] {
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
    let (code, said) = refused(&place, &["train", "small.toml", "--set", "model.routing=expert-choice"]);
    assert_eq!(code, 1);
    assert!(said.contains("would be trained on what it is to predict"), "{said}");
    assert!(said.contains("take an encoder beside it") && !place.join("runs").exists(), "{said}");
}
