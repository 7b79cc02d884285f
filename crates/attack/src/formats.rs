//! Files of each format from their parts: lengths, offsets and checksums are those of a sound file, whatever the parts
//! hold.

use crate::bundle::NamedBytes;
use meshwright_pjrt::Stored;
use meshwright_train::checksum::checksum;
use serde_json::Value;
use std::io::{Cursor, Write};
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

/// Most bytes of data that a header alone stands for.
const MOST_FILLED: u64 = 1 << 18;

/// Begins names of entries to be deflated.
pub const DEFLATED: &str = "z/";

/// A `.npy` file. Text from `{` to the end of the line becomes its header; other bytes are the file itself.
pub fn npy(content: &[u8]) -> Vec<u8> {
    let Some((header, data)) = head_and_rest(content) else { return content.to_vec() };
    let length = u16::try_from(header.len()).unwrap_or(u16::MAX);
    [b"\x93NUMPY\x01\0", &length.to_le_bytes()[..], header, data].concat()
}

/// A `.npz` archive with an entry for each part.
pub fn npz(parts: &[NamedBytes]) -> Vec<u8> {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, content) in parts {
        let (name, method) = match name.strip_prefix(DEFLATED) {
            Some(name) => (name, CompressionMethod::Deflated),
            None => (&**name, CompressionMethod::Stored),
        };
        let options = SimpleFileOptions::default().compression_method(method);
        // A name that is there twice is refused by the writer.
        if zip.start_file(name, options).is_ok() {
            zip.write_all(&npy(content)).expect("memory takes all");
        }
    }
    zip.finish().expect("memory takes all").into_inner()
}

/// Builds a safetensors file. Text from `{` to the end of the line becomes its header. The data is cut or padded with
/// zeros to the length that the header states.
pub fn safetensors(content: &[u8]) -> Vec<u8> {
    let Some((header, data)) = head_and_rest(content) else { return content.to_vec() };
    let stated = data_length(header).filter(|stated| *stated <= MOST_FILLED).unwrap_or(data.len() as u64);
    let mut data = data.to_vec();
    data.resize(usize::try_from(stated).expect("it is small"), 0);
    [&(header.len() as u64).to_le_bytes()[..], header, &data].concat()
}

/// The header of a file of safetensors, its newline, and its data: the reverse.
pub fn open_safetensors(file: &[u8]) -> Option<Vec<u8>> {
    let (length, rest) = file.split_first_chunk()?;
    let (header, data) = rest.split_at_checked(usize::try_from(u64::from_le_bytes(*length)).ok()?)?;
    let is_line = header.starts_with(b"{") && !header.contains(&b'\n');
    is_line.then(|| [header, b"\n", data].concat())
}

/// The end of the last tensor of a header.
fn data_length(header: &[u8]) -> Option<u64> {
    let header: Value = serde_json::from_slice(header).ok()?;
    let ends = header.as_object()?.values().filter_map(|entry| entry["data_offsets"][1].as_u64());
    Some(ends.max().unwrap_or(0))
}

/// Splits off the first line, if it begins with `{`.
fn head_and_rest(content: &[u8]) -> Option<(&[u8], &[u8])> {
    let end = content.iter().position(|byte| *byte == b'\n').unwrap_or(content.len());
    let (head, rest) = content.split_at(end);
    head.starts_with(b"{").then_some((head, rest.get(1..).unwrap_or(&[])))
}

/// A checksum to be filled in.
pub const MEND: &str = "mend";

/// The name of a checkpoint's index.
pub const INDEX: &str = "index.json";

const INDEX_HEAD: &str = "{\"checksum\": \"";
const INDEX_MIDDLE: &str = "\", \"index\": ";
const INDEX_TAIL: &str = "}\n";

/// The files of a checkpoint. Its index is given without its own checksum; sizes and checksums of files that are
/// `"mend"` become those of the parts.
pub fn checkpoint(parts: &[NamedBytes]) -> Vec<NamedBytes> {
    let files = parts.iter().filter(|(name, _)| name != INDEX);
    let mut files: Vec<NamedBytes> =
        files.map(|(name, content)| (name.clone(), safetensors(content))).collect();
    let index = parts.iter().find(|(name, _)| name == INDEX).map(|(_, content)| &content[..]);
    let Some(index) = index.and_then(|index| std::str::from_utf8(index).ok()) else { return files };
    let inner = match serde_json::from_str(index) {
        Ok(value) => format!("{:#}", mend_index(value, &files)),
        Err(_) => index.to_string(),
    };
    files.push((INDEX.into(), close_index(&inner)));
    files
}

/// An index with its checksum.
pub fn close_index(inner: &str) -> Vec<u8> {
    format!("{INDEX_HEAD}{:08x}{INDEX_MIDDLE}{inner}{INDEX_TAIL}", checksum(inner.as_bytes())).into_bytes()
}

/// An index without its checksum: the reverse.
pub fn open_index(file: &[u8]) -> Option<&str> {
    let text = std::str::from_utf8(file).ok()?;
    let rest = text.strip_prefix(INDEX_HEAD)?.get(8..)?;
    rest.strip_prefix(INDEX_MIDDLE)?.strip_suffix(INDEX_TAIL)
}

fn mend_index(mut index: Value, files: &[NamedBytes]) -> Value {
    for (name, bytes) in files {
        let Some(row) = index.get_mut("files").and_then(|rows| rows.get_mut(name)) else { continue };
        if row["bytes"] == MEND {
            row["bytes"] = bytes.len().into();
        }
        if row["checksum"] == MEND {
            row["checksum"] = format!("{:08x}", checksum(bytes)).into();
        }
    }
    index
}

/// A `.deb` of its members' files: parts `control.tar/PATH` and `data.tar.gz/PATH`. Other names are members as they
/// are.
pub fn deb(parts: &[NamedBytes]) -> Vec<u8> {
    let archive = |begins: &str| {
        let of = |part: &NamedBytes| Some((part.0.strip_prefix(begins)?.to_string(), part.1.clone()));
        let files: Vec<NamedBytes> = parts.iter().filter_map(of).collect();
        (!files.is_empty()).then(|| tar(&files))
    };
    let mut members = vec![("debian-binary".to_string(), b"2.0\n".to_vec())];
    members.extend(archive("control.tar/").map(|bytes| ("control.tar".into(), bytes)));
    members.extend(archive("data.tar/").map(|bytes| ("data.tar".into(), bytes)));
    members.extend(archive("data.tar.gz/").map(|bytes| ("data.tar.gz".into(), gzip(&bytes))));
    members.extend(parts.iter().filter(|(name, _)| !name.contains('/')).cloned());
    let mut bytes = b"!<arch>\n".to_vec();
    for (name, content) in members {
        bytes
            .extend(format!("{name:16.16}{0:12}{0:6}{0:6}{1:8}{2:10}`\n", 0, 100_644, content.len()).bytes());
        bytes.extend(&content);
        bytes.extend(if content.len() % 2 == 1 { &b"\n"[..] } else { b"" });
    }
    bytes
}

/// Bytes as gzip packs them.
pub fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    packed.write_all(bytes).expect("memory takes all");
    packed.finish().expect("memory takes all")
}

/// An archive of plain files. A name that begins with one letter and a colon chooses another kind of entry.
fn tar(files: &[NamedBytes]) -> Vec<u8> {
    const BLOCK: usize = 512;
    let mut bytes = Vec::new();
    for (name, content) in files {
        let (kind, name) = match name.as_bytes() {
            [kind, b':', name @ ..] => (*kind, name),
            name => (b'0', name),
        };
        let mut header = [0; BLOCK];
        let length = name.len().min(100);
        header[..length].copy_from_slice(&name[..length]);
        header[124..135].copy_from_slice(format!("{:011o}", content.len()).as_bytes());
        header[156] = kind;
        header[257..262].copy_from_slice(b"ustar");
        header[148..156].fill(b' ');
        let sum: u32 = header.iter().map(|byte| u32::from(*byte)).sum();
        header[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
        bytes.extend(header);
        bytes.extend(content);
        bytes.resize(bytes.len().next_multiple_of(BLOCK), 0);
    }
    bytes.resize(bytes.len() + 2 * BLOCK, 0);
    bytes
}

/// A PNG of its chunks: a part's name begins with the kind of its chunk. `IDAT` is packed. `IHDR` is given
/// in words: width, height, and the five bytes that follow.
pub fn png(parts: &[NamedBytes]) -> Vec<u8> {
    let mut bytes = b"\x89PNG\r\n\x1a\n".to_vec();
    for (name, content) in parts {
        let mut kind = [b' '; 4];
        kind.iter_mut().zip(name.bytes()).for_each(|(to, byte)| *to = byte);
        let content = match &kind {
            b"IHDR" => image_header(content),
            b"IDAT" => {
                let mut packed = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::fast());
                packed.write_all(content).expect("memory takes all");
                packed.finish().expect("memory takes all")
            }
            _ => content.clone(),
        };
        let mut sum = flate2::Crc::new();
        sum.update(&[&kind[..], &content].concat());
        let length = u32::try_from(content.len()).unwrap_or(u32::MAX).to_be_bytes();
        bytes.extend([&length[..], &kind, &content, &sum.sum().to_be_bytes()].concat());
    }
    bytes
}

fn image_header(words: &[u8]) -> Vec<u8> {
    let text = String::from_utf8_lossy(words);
    let numbers = text.split_whitespace().map(|word| word.parse::<u32>().unwrap_or(u32::MAX));
    let wide = |(at, number): (usize, u32)| match at {
        0 | 1 => number.to_be_bytes().to_vec(),
        _ => vec![number as u8],
    };
    numbers.enumerate().flat_map(wide).collect()
}

/// A catalogue of gettext: a part's name is an English text, its content the translation.
pub fn catalogue(parts: &[NamedBytes]) -> Vec<u8> {
    let word = |number: usize| u32::try_from(number).unwrap_or(u32::MAX).to_le_bytes();
    let begin = 28 + 16 * parts.len();
    let (mut tables, mut strings) = ([Vec::new(), Vec::new()], Vec::new());
    for (original, translation) in parts {
        for (table, text) in tables.iter_mut().zip([original.as_bytes(), translation]) {
            table.extend([word(text.len()), word(begin + strings.len())].concat());
            strings.extend([text, b"\0"].concat());
        }
    }
    let head = [0x9504_12de, 0, parts.len(), 28, 28 + 8 * parts.len(), 0, begin].map(word).concat();
    [head, tables.concat(), strings].concat()
}

/// A stored program of its fields.
pub fn stored_program(parts: &[NamedBytes]) -> Vec<u8> {
    let bytes =
        |name: &str| parts.iter().find(|(known, _)| known == name).map(|(_, content)| content.clone());
    let text = |name: &str| String::from_utf8_lossy(&bytes(name).unwrap_or_default()).into_owned();
    let number = |name: &str| text(name).trim().parse().unwrap_or(0);
    let stored = Stored {
        platform: text("platform"),
        version: text("version"),
        plan: text("plan"),
        mark: number("mark"),
        devices: number("devices"),
        bytes: bytes("bytes").unwrap_or_default(),
    };
    stored.to_bytes()
}

/// The fields of a stored program: the reverse.
pub fn open_stored(file: &[u8]) -> Option<Vec<NamedBytes>> {
    let stored = Stored::read(file).ok()?;
    let part = |name: &str, bytes: &[u8]| (name.to_string(), bytes.to_vec());
    Some(vec![
        part("platform", stored.platform.as_bytes()),
        part("version", stored.version.as_bytes()),
        part("plan", stored.plan.as_bytes()),
        part("mark", stored.mark.to_string().as_bytes()),
        part("devices", stored.devices.to_string().as_bytes()),
        part("bytes", &stored.bytes),
    ])
}

/// MessagePack of JSON, as flax writes checkpoints. `{"$array": ["float32", [2, 3]]}` is an array of zeros of
/// that shape; a third member holds its bytes as text. Returns `None` for invalid JSON.
pub fn message_pack(json: &[u8]) -> Option<Vec<u8>> {
    let mut out = Vec::new();
    pack(&serde_json::from_slice(json).ok()?, &mut out);
    Some(out)
}

const ARRAY: &str = "$array";

fn pack(value: &Value, out: &mut Vec<u8>) {
    let head = |out: &mut Vec<u8>, tag: u8, length: usize| {
        out.push(tag);
        out.extend(u32::try_from(length).unwrap_or(u32::MAX).to_be_bytes());
    };
    match value {
        Value::Null => out.push(0xc0),
        Value::Bool(value) => out.push(if *value { 0xc3 } else { 0xc2 }),
        Value::Number(number) => match (number.as_i64(), number.as_f64()) {
            (Some(whole @ 0..128), _) => out.push(whole as u8),
            (Some(whole), _) => {
                out.push(0xd3);
                out.extend(whole.to_be_bytes());
            }
            (None, float) => {
                out.push(0xcb);
                out.extend(float.unwrap_or(0.0).to_be_bytes());
            }
        },
        Value::String(text) => {
            head(out, 0xdb, text.len());
            out.extend(text.as_bytes());
        }
        Value::Array(all) => {
            head(out, 0xdd, all.len());
            all.iter().for_each(|value| pack(value, out));
        }
        Value::Object(all) if all.contains_key(ARRAY) => {
            let array = &all[ARRAY];
            let mut inner = vec![0x93];
            pack(&array[1], &mut inner);
            pack(&array[0], &mut inner);
            let bytes = array[2].as_str().map_or_else(|| zeros(&array[0], &array[1]), |text| text.into());
            head(&mut inner, 0xc6, bytes.len());
            inner.extend(bytes);
            head(out, 0xc9, inner.len());
            out.push(1);
            out.extend(inner);
        }
        Value::Object(all) => {
            head(out, 0xdf, all.len());
            for (key, value) in all {
                head(out, 0xdb, key.len());
                out.extend(key.as_bytes());
                pack(value, out);
            }
        }
    }
}

/// The zeros of an array, if they are few.
fn zeros(dtype: &Value, shape: &Value) -> Vec<u8> {
    let width = match dtype.as_str() {
        Some("bfloat16" | "float16") => 2,
        Some("float64") => 8,
        _ => 4,
    };
    let sizes = shape.as_array().into_iter().flatten().map(|size| size.as_u64().unwrap_or(0));
    let bytes = sizes.fold(width, u64::saturating_mul);
    vec![0; if bytes <= MOST_FILLED { bytes as usize } else { 0 }]
}
