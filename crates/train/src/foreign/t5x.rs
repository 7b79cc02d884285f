//! A checkpoint of T5X: one file of MessagePack that holds small arrays, and beside it a folder of Zarr for each array
//! that was split over devices.
//!
//! ```text
//! checkpoint_1000000/checkpoint                       { version, optimizer: { target: { encoder: .. }, state } }
//! checkpoint_1000000/target.encoder.layers_0.mlp.wi_0.kernel/.zarray, 0.0, 0.1, ..
//! ```
//!
//! It says nothing of the model but by names and shapes, of which sizes are read: of T5 as T5X has it, and of Switch as
//! flaxformer does, whose experts of a layer are one array. What is written has all arrays in the one file, which T5X
//! and flax read, too.

use super::folder::{Folder, Kept, Stored};
use super::pack::{Packed, unpack};
use super::zarr::{self, element};
use super::{ARCHITECTURE, FOLDER, damaged};
use meshwright_base::Diagnostic;
use meshwright_ir::DType;
use meshwright_runtime::files::read_regular;
use meshwright_runtime::safetensors::Entry;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::path::Path;

/// The one file.
pub(super) const FILE: &str = "checkpoint";

/// What gives the experts of a layer their tokens.
const ROUTER: &str = "mlp/router/router_weights/w";

/// flax's number of an array among MessagePack's extensions.
const ARRAY: i8 = 1;

/// Opens a folder, and reads all but arrays of Zarr.
pub(super) fn open(path: &Path) -> Result<Folder, Diagnostic> {
    let file = path.join(FILE);
    let bytes = read_regular(&file).map_err(|error| {
        Diagnostic::error(FOLDER, format!("cannot read `{}`: {error}", file.display()))
            .help("name a folder `checkpoint_N` of T5X, which has a file `checkpoint`")
    })?;
    let all = unpack(&bytes).map_err(|what| damaged(&file, what))?;
    let target = all.get("optimizer").and_then(|optimizer| optimizer.get("target"));
    let target = target.ok_or_else(|| damaged(&file, "it has no `optimizer` with a `target`"))?;
    let mut tensors = BTreeMap::new();
    flatten(path, "", target, &mut tensors)?;
    if !["encoder", "decoder"].iter().all(|stack| has(&tensors, &format!("{stack}/layers_0/"))) {
        let message = format!(
            "no model here is that of `{}`: it has no `encoder/layers_0` with a `decoder/layers_0`",
            path.display()
        );
        let help = "what is read of T5X is T5 and Switch, with an encoder and a decoder and each layer by itself: no \
                    decoder alone, and no layers in piles, as `scan_layers` makes them";
        return Err(Diagnostic::error(ARCHITECTURE, message).help(help));
    }
    let config = model(&tensors);
    let notes = tensors.iter().filter_map(|(name, stored)| stored.filled(name)).collect();
    Ok(Folder { notes, ..Folder::of(path, (Vec::new(), config), tensors) })
}

/// Whether the name of any array begins so.
fn has(tensors: &BTreeMap<String, Stored>, begins: &str) -> bool {
    tensors.range(begins.to_string()..).next().is_some_and(|(name, _)| name.starts_with(begins))
}

fn flatten(
    folder: &Path,
    name: &str,
    from: &Packed,
    into: &mut BTreeMap<String, Stored>,
) -> Result<(), Diagnostic> {
    let file = folder.join(FILE);
    match from {
        Packed::Map(_) if from.get("driver").is_some() => {
            let place = from.get("kvstore").and_then(|store| store.get("path")).or_else(|| from.get("path"));
            let Some(Packed::Text(place)) = place else {
                return Err(damaged(&file, format!("`{name}` does not say in which folder it lies")));
            };
            let place = place.trim_end_matches('/');
            if place.contains(['/', '\\']) || place.starts_with('.') {
                return Err(damaged(&file, format!("`{name}` lies outside of the folder, in `{place}`")));
            }
            let (entry, chunks) = zarr::open(&folder.join(place))?;
            into.insert(name.to_string(), Stored { entry, bytes: Kept::Chunks(chunks) });
            Ok(())
        }
        Packed::Map(all) => all.iter().try_for_each(|(key, value)| {
            let name = if name.is_empty() { key.clone() } else { format!("{name}/{key}") };
            flatten(folder, &name, value, into)
        }),
        Packed::Extension(ARRAY, bytes) => {
            let found = array(bytes).ok_or_else(|| damaged(&file, format!("`{name}` is no array")))?;
            into.insert(name.to_string(), found);
            Ok(())
        }
        _ => Err(damaged(&file, format!("`{name}` is no array"))),
    }
}

/// An array as flax packs it: shape, type, bytes.
fn array(bytes: &[u8]) -> Option<Stored> {
    let Packed::List(parts) = unpack(bytes).ok()? else { return None };
    let [Packed::List(shape), Packed::Text(dtype), Packed::Bytes(bytes)] = &parts[..] else { return None };
    let size = |size: &Packed| match size {
        Packed::Whole(size) => usize::try_from(*size).ok(),
        _ => None,
    };
    let shape: Vec<usize> = shape.iter().map(size).collect::<Option<_>>()?;
    let element = element(dtype)?;
    let length = shape.iter().try_fold(element.bytes(), |all, size| all.checked_mul(*size))?;
    let entry = Entry { element, shape, begin: 0, bytes: bytes.len() as u64 };
    (length == bytes.len()).then(|| Stored { entry, bytes: Kept::Here(bytes.clone()) })
}

/// What names and shapes say of the model, in the words of a `config.json` of T5; of experts in words of its own.
fn model(tensors: &BTreeMap<String, Stored>) -> Value {
    let shape = |name: &str| tensors.get(name).map(|found| found.entry.shape.clone()).unwrap_or_default();
    let size = |name: &str, dim: usize| shape(name).get(dim).copied().unwrap_or(0);
    let layers = |stack: &str| (0..).take_while(|at| has(tensors, &format!("{stack}/layers_{at}/"))).count();
    let (encoder, decoder) = (layers("encoder"), layers("decoder"));
    let of = |stack: &str, at: usize, name: &str| format!("{stack}/layers_{at}/{name}/kernel");
    let with = |stack: &str, layers: usize, name: &str| -> Vec<usize> {
        (0..layers).filter(|at| tensors.contains_key(&of(stack, *at, name))).collect()
    };
    let (routed, in_decoder) = (with("encoder", encoder, ROUTER), with("decoder", decoder, ROUTER));
    let router = routed.first().map(|at| of("encoder", *at, ROUTER));
    let router = router.or_else(|| in_decoder.first().map(|at| of("decoder", *at, ROUTER)));
    let heads = size("encoder/relpos_bias/rel_embedding", 0);
    let first = |name: &str| with("encoder", encoder, name).first().map(|at| of("encoder", *at, name));
    let hidden = |name: Option<String>, dim: usize| name.map_or(0, |name| size(&name, dim));
    let is_gated = first("mlp/wi_0").or_else(|| first("mlp/expert/wi_0")).is_some();
    let (dense, expert) =
        if is_gated { ("mlp/wi_0", "mlp/expert/wi_0") } else { ("mlp/wi", "mlp/expert/wi") };
    let (dense, expert) = (hidden(first(dense), 1), hidden(first(expert), 2));
    let rows = [
        ("model_type", json!("t5x")),
        ("vocab_size", json!(size("token_embedder/embedding", 0))),
        ("d_model", json!(size("token_embedder/embedding", 1))),
        ("num_heads", json!(heads)),
        ("d_kv", json!(size(&of("encoder", 0, "attention/query"), 1) / heads.max(1))),
        ("d_ff", json!(if dense == 0 { expert } else { dense })),
        ("expert_ff", json!(if dense == 0 || dense == expert { 0 } else { expert })),
        ("num_layers", json!(encoder)),
        ("num_decoder_layers", json!(decoder)),
        ("num_experts", json!(router.map_or(0, |name| size(&name, 1)))),
        ("encoder_expert_layers", json!(routed)),
        ("decoder_expert_layers", json!(in_decoder)),
        ("relative_attention_num_buckets", json!(size("encoder/relpos_bias/rel_embedding", 1))),
        ("feed_forward_proj", json!(if is_gated { "gated-gelu" } else { "relu" })),
        ("tie_word_embeddings", json!(!tensors.contains_key("decoder/logits_dense/kernel"))),
    ];
    Value::Object(rows.into_iter().map(|(name, value)| (name.to_string(), value)).collect::<Map<_, _>>())
}

/// The one file of a checkpoint that holds these arrays.
pub(super) fn file(dtype: DType, step: u64, tensors: &[(String, Vec<usize>, Vec<u8>)]) -> Vec<u8> {
    let word = match dtype {
        DType::BF16 => "bfloat16",
        _ => "float32",
    };
    let mut target = Packed::Map(Vec::new());
    for (name, shape, bytes) in tensors {
        let sizes = shape.iter().map(|size| Packed::Whole(*size as i64)).collect();
        let parts = vec![Packed::List(sizes), Packed::Text(word.into()), Packed::Bytes(bytes.clone())];
        target
            .put(&name.split('/').collect::<Vec<_>>(), Packed::Extension(ARRAY, Packed::List(parts).pack()));
    }
    let map = |rows: Vec<(&str, Packed)>| {
        Packed::Map(rows.into_iter().map(|(name, value)| (name.to_string(), value)).collect())
    };
    let step = Packed::Whole(i64::try_from(step).unwrap_or(i64::MAX));
    let state = map(vec![("step", step), ("param_states", map(Vec::new()))]);
    let optimizer = map(vec![("target", target), ("state", state)]);
    map(vec![("version", Packed::Whole(3)), ("optimizer", optimizer)]).pack()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn map(rows: &[(&str, Packed)]) -> Packed {
        Packed::Map(rows.iter().map(|(name, value)| (name.to_string(), value.clone())).collect())
    }

    fn text(text: &str) -> Packed {
        Packed::Text(text.into())
    }

    #[test]
    fn every_fault_of_a_checkpoint_is_named() {
        let folder = std::env::temp_dir().join(format!("meshwright-t5x-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&folder);
        std::fs::create_dir_all(&folder).unwrap();
        let found = open(&folder).unwrap_err();
        assert!(found.code == FOLDER && found.message.starts_with("cannot read `"), "{found:?}");
        let of = |value: Packed| map(&[("optimizer", map(&[("target", map(&[("w", value)]))]))]).pack();
        let at = |place: &str| of(map(&[("driver", text("zarr")), ("path", text(place))]));
        let kept = |place: Packed| of(map(&[("driver", text("zarr")), ("kvstore", map(&[("path", place)]))]));
        let array = |parts: &[Packed]| of(Packed::Extension(ARRAY, Packed::List(parts.to_vec()).pack()));
        let sizes = Packed::List(vec![Packed::Whole(2)]);
        for (bytes, words) in [
            (vec![0xc1], "is damaged: byte 0 begins no value"),
            (map(&[("optimizer", Packed::Nil)]).pack(), "it has no `optimizer` with a `target`"),
            (of(map(&[("driver", text("zarr"))])), "`w` does not say in which folder it lies"),
            (kept(Packed::Whole(1)), "`w` does not say in which folder it lies"),
            (at("../w"), "`w` lies outside of the folder, in `../w`"),
            (at(".w/"), "`w` lies outside of the folder, in `.w`"),
            (kept(text("/w")), "`w` lies outside of the folder, in `/w`"),
            (at("w"), "cannot read `"),
            (of(Packed::Whole(1)), "`w` is no array"),
            (array(&[sizes.clone(), text("float32"), Packed::Bytes(vec![0; 4])]), "`w` is no array"),
            (array(&[sizes.clone(), text("int32"), Packed::Bytes(vec![0; 8])]), "`w` is no array"),
            (array(&[sizes, text("float32")]), "`w` is no array"),
        ] {
            std::fs::write(folder.join(FILE), bytes).unwrap();
            let found = open(&folder).unwrap_err();
            assert!(found.code == FOLDER && found.message.contains(words), "no `{words}` in {found:?}");
        }
        let whole = array(&[Packed::List(vec![]), text("float32"), Packed::Bytes(vec![0; 4])]);
        std::fs::write(folder.join(FILE), whole).unwrap();
        assert_eq!(open(&folder).unwrap_err().code, ARCHITECTURE);
    }
}
