//! Seeds made in code: small sound files of each format, and parts of every kind.
//!
//! The committed corpus in `fuzz/seeds/TARGET` holds them beside inputs that the fuzzer found. A file made here is
//! named `made-*`; a test compares it with this code. Readers take all of them but `made-refused-*`.

use crate::bundle::{self, NamedBytes};
use crate::change::Dice;
use crate::formats::{self, MEND};
use crate::scratch::Scratch;
use meshwright_base::SourceText;
use meshwright_text::{Format, parse, print};
use meshwright_train::checkpoint::{
    Element, Origin, Owner, Piece, Region, Role, RunId, Snapshot, State, Store, Tensor,
};
use meshwright_train::data::tokenizer::{self, Kind, Normalizer, Tokenizer};
use meshwright_train::preset;
use serde_json::{Map, Value, json};
use std::path::Path;

/// A file of the corpus: its name and its bytes.
pub type Seed = (String, Vec<u8>);

/// Makes the seeds of a target. `root` is the repository: models of other libraries are cut from `tests/golden_hf`.
pub fn make(target: &str, root: &Path) -> Vec<Seed> {
    let seeds = match target {
        "stablehlo" => programs(Format::Stablehlo),
        "hlo" => programs(Format::Hlo),
        "modules" => [Format::Stablehlo, Format::Hlo].into_iter().flat_map(programs).collect(),
        "engine" => choices(),
        "npz" => npz(),
        "safetensors" => safetensors(),
        "hugging_face" => hugging_face(root),
        "t5x" => t5x(),
        "checkpoint" => checkpoint(),
        "tokenizer" => tokenizers(),
        "deb" => deb(),
        "catalogue" => catalogues(),
        "config" => configs(),
        "stored" => stored_programs(),
        "http" => requests(),
        "images" => images(),
        _ => Vec::new(),
    };
    seeds.into_iter().map(|(name, bytes)| (format!("made-{name}"), bytes)).collect()
}

fn seed(name: &str, bytes: impl AsRef<[u8]>) -> Seed {
    (name.to_string(), bytes.as_ref().to_vec())
}

fn bundle_of(name: &str, parts: &[(&str, &[u8])]) -> Seed {
    let parts: Vec<NamedBytes> =
        parts.iter().map(|(name, content)| (name.to_string(), content.to_vec())).collect();
    (name.to_string(), bundle::join(&parts))
}

/// Programs in StableHLO, which are written in the other form too.
const PROGRAMS: &[(&str, &str)] = &[
    (
        "dot",
        r#"sdy.mesh @m = <["x"=2]>
func.func public @main(%a: tensor<4x2xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}, %b: tensor<2x3xf32>) -> tensor<4x3xf32> {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<4x2xf32>, tensor<2x3xf32>) -> tensor<4x3xf32>
  %1 = stablehlo.tanh %0 : tensor<4x3xf32>
  return %1 : tensor<4x3xf32>
}
"#,
    ),
    (
        "movement",
        r#"func.func public @main(%a: tensor<2x3xi32>) -> (tensor<3x2xi32>, tensor<6xi8>) {
  %0 = stablehlo.transpose %a, dims = [1, 0] : (tensor<2x3xi32>) -> tensor<3x2xi32>
  %1 = stablehlo.reshape %a : (tensor<2x3xi32>) -> tensor<6xi32>
  %2 = stablehlo.convert %1 : (tensor<6xi32>) -> tensor<6xi8>
  return %0, %2 : tensor<3x2xi32>, tensor<6xi8>
}
"#,
    ),
];

fn programs(format: Format) -> Vec<Seed> {
    let printed = |(name, text): &(&str, &str)| {
        let module = parse(&SourceText::new(*name, *text)).expect("a sound program");
        let end = if format == Format::Hlo { "hlo" } else { "mlir" };
        seed(&format!("{name}.{end}"), print(&module, format))
    };
    PROGRAMS.iter().map(printed).collect()
}

fn choices() -> Vec<Seed> {
    let bytes = |seed: u64| -> Vec<u8> {
        let mut dice = Dice::new(seed);
        (0..160).map(|_| dice.roll(256) as u8).collect()
    };
    (0..6).map(|at| (format!("choices-{at}"), bytes(at))).collect()
}

/// An array with a header of these words.
fn array(descr: &str, fortran: bool, shape: &str, bytes: &[u8]) -> Vec<u8> {
    let order = if fortran { "True" } else { "False" };
    let header = format!("{{'descr': '{descr}', 'fortran_order': {order}, 'shape': {shape}, }}\n");
    [header.as_bytes(), bytes].concat()
}

fn npz() -> Vec<Seed> {
    let columns = array("|u1", true, "(2, 3)", &[1, 4, 2, 5, 3, 6]);
    let wide = array("<f8", false, "(1,)", &[0; 8]);
    let turned = array(">i4", false, "(2,)", &[0, 0, 0, 1, 0, 0, 0, 2]);
    let single = array("<f4", false, "()", &[0, 0, 128, 63]);
    let half = array("<u2", false, "(2,)", &[128, 63, 0, 64]);
    let narrow = array("|i1", false, "(2,)", &[7, 0xf8]);
    let flags = array("|b1", false, "(3,)", &[0, 1, 2]);
    let empty = array("<i8", false, "(0, 5)", &[]);
    let huge = array("<f4", false, "(999999999, 999999999)", &[]);
    let all = bundle_of(
        "all",
        &[
            ("0.npy", &single),
            ("1:bf16.npy", &half),
            ("z/2.npy", &columns),
            ("3:s4.npy", &narrow),
            ("arr_4.npy", &flags),
            ("5.npy", &wide),
        ],
    );
    let edges =
        bundle_of("edges", &[("0.npy", &empty), ("1.npy", &turned), ("3.npy", &huge), ("w", b"plain")]);
    let unknown = bundle_of("refused-type", &[("2:f99.npy", &half)]);
    let parts = bundle::split(&all.1).expect("it is a bundle");
    let raw = ("archive".to_string(), formats::npz(&parts[..2]));
    vec![all, edges, unknown, raw]
}

fn safetensors() -> Vec<Seed> {
    let of = |name: &str, header: Value| {
        let text = format!("{header}\n");
        bundle_of(name, &[("model.safetensors", text.as_bytes())])
    };
    let good = json!({
        "__metadata__": {"format": "pt"},
        "a": {"dtype": "F32", "shape": [2, 3], "data_offsets": [0, 24]},
        "b": {"dtype": "BF16", "shape": [], "data_offsets": [24, 26]},
        "c": {"dtype": "U8", "shape": [0, 4], "data_offsets": [26, 26]},
    });
    let gap = json!({
        "a": {"dtype": "I64", "shape": [1], "data_offsets": [8, 16]},
        "b": {"dtype": "BOOL", "shape": [4], "data_offsets": [0, 4]},
    });
    let raw = formats::safetensors(format!("{good}\n").as_bytes());
    vec![of("good", good), of("refused-gap", gap), seed("file", raw)]
}

/// Folders of published models: their configuration, and the headers of their weights.
fn hugging_face(root: &Path) -> Vec<Seed> {
    const MODELS: [&str; 6] = ["t5", "t5-v1_1", "mt5", "switch", "mixtral", "nllb-moe"];
    MODELS
        .iter()
        .map(|model| (model.to_string(), folder(&root.join("tests/golden_hf").join(model))))
        .collect()
}

fn folder(path: &Path) -> Vec<u8> {
    let entries = path.read_dir().expect("the folder of a model");
    let mut names: Vec<String> =
        entries.flatten().map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    let mut parts = Vec::new();
    for name in names.into_iter().filter(|name| name != "expected.safetensors") {
        let bytes = std::fs::read(path.join(&name)).expect("a file of a model");
        let bytes = match formats::open_safetensors(&bytes) {
            Some(open) => [open.split(|byte| *byte == b'\n').next().unwrap_or(&[]), b"\n"].concat(),
            None => bytes,
        };
        parts.push((name, bytes));
    }
    bundle::join(&parts)
}

/// Names and shapes of a model of one layer: eight wide, two heads, eleven pieces.
const T5X: &[(&str, &[usize])] = &[
    ("token_embedder/embedding", &[11, 8]),
    ("encoder/relpos_bias/rel_embedding", &[2, 32]),
    ("encoder/encoder_norm/scale", &[8]),
    ("encoder/layers_0/attention/query/kernel", &[8, 8]),
    ("encoder/layers_0/attention/key/kernel", &[8, 8]),
    ("encoder/layers_0/attention/value/kernel", &[8, 8]),
    ("encoder/layers_0/attention/out/kernel", &[8, 8]),
    ("encoder/layers_0/pre_attention_layer_norm/scale", &[8]),
    ("encoder/layers_0/mlp/wi_0/kernel", &[8, 12]),
    ("encoder/layers_0/mlp/wi_1/kernel", &[8, 12]),
    ("encoder/layers_0/mlp/wo/kernel", &[12, 8]),
    ("encoder/layers_0/pre_mlp_layer_norm/scale", &[8]),
    ("decoder/relpos_bias/rel_embedding", &[2, 32]),
    ("decoder/decoder_norm/scale", &[8]),
    ("decoder/logits_dense/kernel", &[8, 11]),
    ("decoder/layers_0/self_attention/query/kernel", &[8, 8]),
    ("decoder/layers_0/self_attention/key/kernel", &[8, 8]),
    ("decoder/layers_0/self_attention/value/kernel", &[8, 8]),
    ("decoder/layers_0/self_attention/out/kernel", &[8, 8]),
    ("decoder/layers_0/pre_self_attention_layer_norm/scale", &[8]),
    ("decoder/layers_0/encoder_decoder_attention/query/kernel", &[8, 8]),
    ("decoder/layers_0/encoder_decoder_attention/key/kernel", &[8, 8]),
    ("decoder/layers_0/encoder_decoder_attention/value/kernel", &[8, 8]),
    ("decoder/layers_0/encoder_decoder_attention/out/kernel", &[8, 8]),
    ("decoder/layers_0/pre_cross_attention_layer_norm/scale", &[8]),
    ("decoder/layers_0/mlp/wi_0/kernel", &[8, 12]),
    ("decoder/layers_0/mlp/wi_1/kernel", &[8, 12]),
    ("decoder/layers_0/mlp/wo/kernel", &[12, 8]),
    ("decoder/layers_0/pre_mlp_layer_norm/scale", &[8]),
];

fn t5x() -> Vec<Seed> {
    let mut target = json!({});
    for (name, shape) in T5X {
        put(&mut target, name, json!({"$array": ["float32", shape]}));
    }
    let of = |name: &str, target: &Value, files: &[(&str, &[u8])]| {
        let all = json!({"version": 3, "optimizer": {"target": target, "state": {"step": 7}}});
        let text = all.to_string();
        bundle_of(name, &[&[("checkpoint", text.as_bytes())], files].concat())
    };
    let whole = of("whole", &target, &[]);
    put(&mut target, "token_embedder/embedding", json!({"driver": "zarr", "kvstore": {"path": "table"}}));
    let zarray = |more: Value| {
        let mut all = json!({"chunks": [6, 8], "compressor": null, "dtype": "<f4", "fill_value": null,
            "filters": null, "order": "C", "shape": [11, 8], "zarr_format": 2});
        for (key, value) in more.as_object().into_iter().flatten() {
            all[key] = value.clone();
        }
        all.to_string()
    };
    let (plain, packed) =
        (zarray(json!({})), zarray(json!({"compressor": {"id": "gzip"}, "fill_value": 0.5})));
    let chunk = [0; 6 * 8 * 4];
    let split = of(
        "split",
        &target,
        &[("table/.zarray", plain.as_bytes()), ("table/0.0", &chunk), ("table/1.0", &chunk)],
    );
    let filled = of("filled", &target, &[("table/.zarray", packed.as_bytes()), ("gz/table/1.0", &chunk)]);
    let raw = formats::message_pack(br#"{"optimizer": {"target": {"a": {"$array": ["bfloat16", [2]]}}}}"#);
    vec![whole, split, filled, seed("refused-packed", raw.unwrap_or_default())]
}

fn put(into: &mut Value, path: &str, value: Value) {
    let place = path.split('/').fold(into, |place, part| {
        if !place.is_object() {
            *place = Value::Object(Map::new());
        }
        &mut place[part]
    });
    *place = value;
}

/// A checkpoint as a run writes it, with the checksums of files left to be filled in.
fn checkpoint() -> Vec<Seed> {
    let scratch = Scratch::new("seed");
    let owner = Owner { run: RunId::from_number(7).expect("a number"), origin: Origin::Nothing };
    let store = Store::open(scratch.path(), 2, owner).expect("an empty folder");
    let piece = |start: [usize; 2], shape: [usize; 2]| {
        let bytes = vec![1; 4 * shape[0] * shape[1]];
        Piece { region: Region { start: start.into(), shape: shape.into() }, bytes }
    };
    let tensor = |name: &str, role, pieces| Tensor {
        name: name.into(),
        role,
        element: Element::F32,
        shape: vec![4, 3],
        pieces,
    };
    let tensors = vec![
        tensor("params.w", Role::Weight, vec![piece([0, 0], [2, 3]), piece([2, 0], [2, 3])]),
        tensor("adam.w", Role::Optimizer, vec![piece([0, 0], [4, 3])]),
    ];
    let config = "[model]\nlayers = 1\n".to_string();
    let state = State { run: RunId::from_number(7), step: 3, random: vec![1, 2], config, ..State::default() };
    let path = store.write(&Snapshot { state, tensors }).expect("an empty folder");
    let mut parts = Vec::new();
    let mut names: Vec<String> = path
        .read_dir()
        .expect("the checkpoint")
        .flatten()
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    for name in names {
        let bytes = std::fs::read(path.join(&name)).expect("a file of it");
        let open = if name == formats::INDEX {
            formats::open_index(&bytes).map(|inner| clear_checksums(inner).into_bytes())
        } else {
            formats::open_safetensors(&bytes)
        };
        parts.push((name, open.unwrap_or(bytes)));
    }
    let raw = std::fs::read(path.join(formats::INDEX)).expect("its index");
    vec![("run".into(), bundle::join(&parts)), seed("refused-index", raw)]
}

/// Removes sizes and checksums of files, and checksums of pieces, from an index.
fn clear_checksums(inner: &str) -> String {
    let mut index: Value = serde_json::from_str(inner).expect("it was just written");
    for file in index["files"].as_object_mut().into_iter().flat_map(|files| files.values_mut()) {
        file["checksum"] = MEND.into();
        file["bytes"] = MEND.into();
    }
    for tensor in index["tensors"].as_object_mut().into_iter().flat_map(|all| all.values_mut()) {
        for piece in tensor["pieces"].as_array_mut().into_iter().flatten() {
            piece["checksum"] = Value::Null;
        }
    }
    format!("{index:#}")
}

fn tokenizers() -> Vec<Seed> {
    let piece = |text: &str, score: f32, kind| tokenizer::Piece::new(text, score, kind);
    let mut pieces = vec![
        piece("<pad>", 0.0, Kind::Control),
        piece("</s>", 0.0, Kind::Control),
        piece("<unk>", 0.0, Kind::Unknown),
    ];
    for (at, text) in ["▁", "a", "b", "e", "h", "▁a", "he", "▁the", "s"].iter().enumerate() {
        pieces.push(piece(text, -(at as f32) / 4.0, Kind::Normal));
    }
    let sound = "sound pieces";
    let unigram = Tokenizer::unigram(pieces.clone(), Normalizer::default()).expect(sound);
    let bpe = Tokenizer::bpe(pieces, Normalizer::default()).expect(sound);
    let mut all = vec![
        seed("unigram.model", unigram.to_sentencepiece()),
        seed("bpe.model", bpe.to_sentencepiece()),
        seed("unigram.json", unigram.to_json()),
        seed("bpe.json", bpe.to_json()),
    ];
    all.push(seed("byte-level.json", byte_level(json!({"type": "ByteLevel", "add_prefix_space": false}))));
    let pattern = r"(?i:'s|'t)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s+(?!\S)|\s+";
    let split = json!({"type": "Sequence", "pretokenizers": [
        {"type": "Split", "pattern": {"Regex": pattern}, "behavior": "Isolated", "invert": false},
        {"type": "ByteLevel", "add_prefix_space": false, "trim_offsets": true, "use_regex": false},
    ]});
    all.push(seed("split.json", byte_level(split)));
    all
}

/// A tokenizer of bytes: all 256 letters, and two merges.
fn byte_level(cut: Value) -> String {
    let mut letters: Vec<String> = letters_of_bytes().map(String::from).collect();
    letters.extend(["he".to_string(), "the".into()]);
    let vocab: Map<String, Value> =
        letters.into_iter().enumerate().map(|(id, letter)| (letter, id.into())).collect();
    let added = json!([{"id": 258, "content": "<|end|>", "single_word": false, "lstrip": false, "rstrip": false,
        "normalized": false, "special": true}]);
    json!({"version": "1.0", "truncation": null, "padding": null, "added_tokens": added, "normalizer": null,
        "pre_tokenizer": cut, "post_processor": null,
        "decoder": {"type": "ByteLevel", "add_prefix_space": true, "trim_offsets": true, "use_regex": true},
        "model": {"type": "BPE", "dropout": null, "unk_token": null, "continuing_subword_prefix": "",
            "end_of_word_suffix": "", "fuse_unk": false, "byte_fallback": false, "vocab": vocab,
            "merges": ["h e", "t he"]}})
    .to_string()
}

/// The letters that stand for bytes: printable ones for themselves, the others from U+0100 on.
fn letters_of_bytes() -> impl Iterator<Item = char> {
    let mut next = 0x100;
    (0..=255u8).map(move |byte| {
        if matches!(byte, b'!'..=b'~' | 0xa1..=0xac | 0xae..=0xff) {
            return char::from(byte);
        }
        next += 1;
        char::from_u32(next - 1).unwrap_or('?')
    })
}

fn deb() -> Vec<Seed> {
    let control: (&str, &[u8]) = ("control.tar/./control", b"Package: texts\nVersion: 1:7.4-1\n");
    let gzip = bundle_of("gzip", &[control, ("data.tar.gz/./usr/a", b"one"), ("data.tar.gz/./usr/b", b"")]);
    let long = bundle_of(
        "long",
        &[
            control,
            ("data.tar/5:./folder/", b""),
            ("data.tar/L:././@LongLink", b"./a/long/name\0"),
            ("data.tar/cut", b"gnu"),
            ("data.tar/x:pax", b"30 mtime=1\n17 path=c/long\n"),
            ("data.tar/cut", b"posix"),
        ],
    );
    // `printf tar | xz` and `| zstd`.
    let xz = b"\xfd\x37\x7a\x58\x5a\x00\x00\x04\xe6\xd6\xb4\x46\x02\x00\x21\x01\x16\x00\x00\x00\x74\x2f\xe5\xa3\x01\
        \x00\x02\x74\x61\x72\x00\x00\x4b\x67\xbb\x31\xe4\x40\x7d\x09\x00\x01\x1b\x03\x0b\x2f\xb9\x10\x1f\xb6\xf3\x7d\
        \x01\x00\x00\x00\x00\x04\x59\x5a";
    let zst = b"\x28\xb5\x2f\xfd\x04\x58\x19\x00\x00\x74\x61\x72\x25\xfd\x5b\xb5";
    let unpacked = [
        bundle_of("refused-xz", &[control, ("data.tar.xz", xz)]),
        bundle_of("refused-zst", &[control, ("data.tar.zst", zst)]),
        bundle_of("refused-packed-control", &[("control.tar.xz", xz)]),
    ];
    let raw = formats::deb(&bundle::split(&gzip.1).expect("it is a bundle"));
    [vec![gzip, long, seed("file", raw)], unpacked.into()].concat()
}

fn catalogues() -> Vec<Seed> {
    let header: (&str, &[u8]) = ("", b"Language: de\nContent-Type: text/plain; charset=UTF-8\n");
    let latin: (&str, &[u8]) = ("", b"Content-Type: text/plain; charset=ISO-8859-1\n");
    let good = bundle_of(
        "good",
        &[
            header,
            ("Open file", "Datei öffnen".as_bytes()),
            ("menu\u{4}Close", b"Schliessen"),
            ("%d file\0%d files", b"%d Datei\0%d Dateien"),
            ("Not yet", b""),
        ],
    );
    let raw = formats::catalogue(&bundle::split(&good.1).expect("it is a bundle"));
    vec![good, bundle_of("latin", &[latin, ("coffee", b"caf\xe9")]), seed("file", raw)]
}

fn configs() -> Vec<Seed> {
    preset::PRESETS.iter().map(|preset| seed(&format!("{}.toml", preset.name), preset.text)).collect()
}

fn stored_programs() -> Vec<Seed> {
    let plan = br#"{"target":"tpu-v5e:4x4","room":"worth","mesh":"x=2,y=4"}"#;
    let parts: [(&str, &[u8]); 6] = [
        ("platform", b"cuda"),
        ("version", b"1"),
        ("plan", plan),
        ("mark", b"17"),
        ("devices", b"4"),
        ("bytes", b"\0\x01\x02"),
    ];
    let whole = bundle_of("whole", &parts);
    let raw = formats::stored_program(&bundle::split(&whole.1).expect("it is a bundle"));
    vec![whole, seed("file", raw)]
}

fn requests() -> Vec<Seed> {
    [
        ("get", "GET / HTTP/1.1\r\nHost: localhost:8080\r\nAccept: text/html\r\n\r\n"),
        ("head", "HEAD /run.json?x=1 HTTP/1.0\r\nhost:\t127.0.0.1:8080 \r\n\r\n"),
        ("refused-foreign", "GET / HTTP/1.1\r\nHost: example.org:8080\r\n\r\n"),
        ("refused-twice", "GET / HTTP/1.1\r\nHost: localhost:8080\r\nHost: localhost:8080\r\n\r\n"),
        ("refused-post", "POST / HTTP/1.1\r\nHost: localhost:8080\r\nContent-Length: 2\r\n\r\nab"),
        ("refused-url", "GET http://localhost:8080/ HTTP/1.1\r\nHost: localhost:8080\r\n\r\n"),
        ("refused-folded", "GET / HTTP/1.1\r\nHost: localhost:8080\r\n folded\r\n\r\n"),
    ]
    .map(|(name, text)| seed(name, text))
    .into()
}

fn images() -> Vec<Seed> {
    let grey = bundle_of("grey", &[("IHDR", b"3 2 8 0 0 0 0"), ("IDAT", b"\0abc\x01abc"), ("IEND", b"")]);
    let palette: [(&str, &[u8]); 4] =
        [("IHDR", b"4 1 2 3 0 0 0"), ("PLTE", b"\0\0\0rgbRGB"), ("IDAT", b"\0\x1b"), ("IEND", b"")];
    let wide = [("IHDR", &b"1 2 16 6 0 0 1"[..]), ("IDAT", &[0; 18]), ("IEND", b"")];
    let raw = formats::png(&bundle::split(&grey.1).expect("it is a bundle"));
    vec![
        grey,
        bundle_of("palette", &palette),
        bundle_of("wide", &wide),
        seed("file", raw),
        seed("pgm", "P2\n# grey\n2 2 15\n0 1 2 15\n"),
        seed("ppm", "P6 1 1 255\nabc"),
    ]
}
