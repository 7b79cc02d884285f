//! Changes one file of an input, or two, inside its structure.

use crate::stock::Input;
use meshwright_attack::change::{Dice, change_bytes, change_content};
use meshwright_attack::{bundle, formats};
use meshwright_train::checksum::checksum;
use serde_json::Value;
use std::fs;
use std::io::{self, Read};
use std::path::Path;

/// Files that the command does not read. Damage to them would test nothing.
const SPARED: [&str; 4] = ["add.mlir", "step.mlir", "text.txt", "small.toml"];

/// Damages a copy of an input.
pub fn damage(input: &Input, folder: &Path, dice: &mut Dice) -> io::Result<()> {
    let is_damaged = |path: &Path| {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        // The configuration beside a tokenizer or an image is damaged as a configuration.
        !SPARED.contains(&&*name) && (name != "in.toml" || input.kind == "config") && !name.ends_with(".lock")
    };
    let files: Vec<_> = crate::files(folder)?.into_iter().filter(|path| is_damaged(path)).collect();
    let is_mended = dice.roll(2) == 0;
    for _ in 0..=dice.roll(2) {
        let Some(path) = dice.pick(&files) else { break };
        match (dice.roll(40), path.exists()) {
            (_, false) => {}
            (0, _) => fs::remove_file(path)?,
            _ => {
                let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
                let bytes = fs::read(path)?;
                let changed = if is_mended { change_within(&name, &bytes, dice) } else { None };
                fs::write(path, changed.unwrap_or_else(|| change_outside(&bytes, dice)))?;
            }
        }
    }
    if is_mended {
        mend_checkpoints(folder)?;
    }
    Ok(())
}

/// Changes bytes as they are: checksums and lengths fit no more.
fn change_outside(bytes: &[u8], dice: &mut Dice) -> Vec<u8> {
    if dice.roll(3) == 0 { change_bytes(bytes, dice) } else { change_content(bytes, dice) }
}

/// Opens a file, changes its content, and closes it with the lengths and checksums of the new one.
fn change_within(name: &str, bytes: &[u8], dice: &mut Dice) -> Option<Vec<u8>> {
    if name.ends_with(".safetensors") {
        let open = formats::open_safetensors(bytes)?;
        let end = open.iter().position(|byte| *byte == b'\n')?;
        let (header, data) = open.split_at(end);
        let header = change_content(header, dice);
        let data = if dice.roll(2) == 0 { change_bytes(data, dice) } else { data.to_vec() };
        return Some(formats::safetensors(&[&header[..], &data].concat()));
    }
    if name == formats::INDEX {
        let inner = change_content(formats::open_index(bytes)?.as_bytes(), dice);
        return Some(formats::close_index(&String::from_utf8_lossy(&inner)));
    }
    if name.ends_with(".npz") {
        let mut parts = open_archive(bytes)?;
        let at = dice.roll(parts.len());
        let (name, content) = parts.get_mut(at)?;
        *content = change_content(content, dice);
        if dice.roll(4) == 0 {
            *name = String::from_utf8_lossy(&change_content(name.as_bytes(), dice)).into_owned();
        }
        return Some(formats::npz(&parts));
    }
    if name.ends_with(".program") {
        let parts = formats::open_stored(bytes)?;
        let changed = meshwright_attack::change::change(&bundle::join(&parts), dice);
        return Some(formats::stored_program(&bundle::split(&changed)?));
    }
    if bytes.starts_with(&[0x1f, 0x8b]) {
        let mut open = Vec::new();
        flate2::read::MultiGzDecoder::new(bytes).take(1 << 20).read_to_end(&mut open).ok()?;
        return Some(formats::gzip(&change_bytes(&open, dice)));
    }
    None
}

/// The entries of an archive, their headers as lines.
fn open_archive(bytes: &[u8]) -> Option<Vec<bundle::NamedBytes>> {
    let mut zip = zip::ZipArchive::new(io::Cursor::new(bytes)).ok()?;
    let mut parts = Vec::new();
    for at in 0..zip.len() {
        let mut entry = zip.by_index(at).ok()?;
        let name = entry.name().ok()?.to_string();
        let mut content = Vec::new();
        entry.read_to_end(&mut content).ok()?;
        // The writer adds magic, version and header length.
        parts.push((name, content.get(10..)?.to_vec()));
    }
    Some(parts)
}

/// Puts the sizes and checksums of damaged files into the indexes beside them.
fn mend_checkpoints(folder: &Path) -> io::Result<()> {
    let files = crate::files(folder)?;
    for path in files.iter().filter(|path| path.file_name().is_some_and(|name| name == formats::INDEX)) {
        let bytes = fs::read(path)?;
        let inner = formats::open_index(&bytes).and_then(|inner| serde_json::from_str::<Value>(inner).ok());
        let (Some(mut index), Some(place)) = (inner, path.parent()) else { continue };
        for (name, row) in index.get_mut("files").and_then(Value::as_object_mut).into_iter().flatten() {
            if let (Ok(bytes), Some(row)) = (fs::read(place.join(name)), row.as_object_mut()) {
                row.insert("bytes".into(), bytes.len().into());
                row.insert("checksum".into(), format!("{:08x}", checksum(&bytes)).into());
            }
        }
        let tensors = index.get_mut("tensors").and_then(Value::as_object_mut).into_iter().flatten();
        let pieces = tensors
            .filter_map(|(_, tensor)| tensor.get_mut("pieces")?.as_array_mut())
            .flatten()
            .filter_map(Value::as_object_mut);
        // Without a sum of its own, a piece is compared with that of its file.
        pieces.for_each(|piece| drop(piece.insert("checksum".into(), Value::Null)));
        fs::write(path, formats::close_index(&format!("{index:#}")))?;
    }
    Ok(())
}
