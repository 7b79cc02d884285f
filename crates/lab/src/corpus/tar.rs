//! Plain files of a `tar` archive (ustar, with long names as GNU and POSIX write them). Pure.

const BLOCK: usize = 512;

/// A plain file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ArchivedFile {
    /// Without `./` at its beginning.
    pub path: String,
    pub bytes: Vec<u8>,
}

/// Files whose paths are wanted, in the archive's order. Links and folders are passed over; nothing is unpacked to
/// disk, so a path may be anything.
pub fn files(archive: &[u8], is_wanted: impl Fn(&str) -> bool) -> Result<Vec<ArchivedFile>, String> {
    let (mut found, mut at, mut long_name) = (Vec::new(), 0, None);
    while let Some(header) = archive.get(at..at + BLOCK) {
        if header.iter().all(|byte| *byte == 0) {
            return Ok(found);
        }
        let broken = |what: &str| format!("its tar archive has {what} at byte {at}");
        if number(&header[148..156]) != Some(sum(header)) {
            return Err(broken("a wrong checksum"));
        }
        let size = number(&header[124..136]).ok_or_else(|| broken("no size"))?;
        let begin = at + BLOCK;
        let end = usize::try_from(size).ok().and_then(|size| begin.checked_add(size));
        let content = end.and_then(|end| archive.get(begin..end)).ok_or_else(|| broken("a file cut off"))?;
        match header[156] {
            b'L' => long_name = Some(text(content)),
            b'x' => long_name = extended_path(content).or(long_name),
            kind => {
                let path = long_name.take().unwrap_or_else(|| name(header));
                let path = path.trim_start_matches("./");
                if matches!(kind, b'0' | 0) && is_wanted(path) {
                    found.push(ArchivedFile { path: path.into(), bytes: content.into() });
                }
            }
        }
        at = begin + content.len().next_multiple_of(BLOCK);
    }
    Err(format!("its tar archive ends at byte {} without an end", archive.len()))
}

/// The name in a header, with its folder.
fn name(header: &[u8]) -> String {
    let prefix = if &header[257..262] == b"ustar" { text(&header[345..500]) } else { String::new() };
    let name = text(&header[..100]);
    if prefix.is_empty() { name } else { format!("{prefix}/{name}") }
}

/// What stands before the first zero.
fn text(bytes: &[u8]) -> String {
    let text = bytes.split(|byte| *byte == 0).next().unwrap_or(&[]);
    String::from_utf8_lossy(text).into_owned()
}

/// An octal number between blanks.
fn number(field: &[u8]) -> Option<u64> {
    let text = text(field);
    u64::from_str_radix(text.trim_matches([' ', '\0']), 8).ok()
}

/// The sum of a header's bytes, that of the sum itself counted as blanks.
fn sum(header: &[u8]) -> u64 {
    let (before, after) = (&header[..148], &header[156..]);
    before.iter().chain(after).map(|byte| u64::from(*byte)).sum::<u64>() + 8 * u64::from(b' ')
}

/// The path of a POSIX extended header: lines of `LENGTH path=..`.
fn extended_path(content: &[u8]) -> Option<String> {
    String::from_utf8_lossy(content).lines().find_map(|line| {
        let (_, field) = line.split_once(' ')?;
        field.strip_prefix("path=").map(str::to_string)
    })
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    fn entry(kind: u8, name: &str, content: &[u8]) -> Vec<u8> {
        let mut block = vec![0; BLOCK];
        block[..name.len()].copy_from_slice(name.as_bytes());
        block[124..135].copy_from_slice(format!("{:011o}", content.len()).as_bytes());
        block[156] = kind;
        block[257..262].copy_from_slice(b"ustar");
        let sum = format!("{:06o}\0 ", sum(&block));
        block[148..156].copy_from_slice(sum.as_bytes());
        block.extend(content);
        block.resize(block.len().next_multiple_of(BLOCK), 0);
        block
    }

    /// An archive of plain files.
    pub fn archive(files: &[(&str, &[u8])]) -> Vec<u8> {
        let mut bytes: Vec<u8> =
            files.iter().flat_map(|(name, content)| entry(b'0', name, content)).collect();
        bytes.resize(bytes.len() + 2 * BLOCK, 0);
        bytes
    }

    #[test]
    fn plain_files_are_found_by_short_and_long_names() {
        let long = format!("./{}/b", "a".repeat(200));
        let mut bytes = entry(b'5', "./folder/", b"");
        bytes.extend(entry(b'L', "././@LongLink", format!("{long}\0").as_bytes()));
        bytes.extend(entry(b'0', "cut", b"gnu"));
        bytes.extend(entry(b'x', "pax", b"30 mtime=1\n17 path=c/long\n"));
        bytes.extend(entry(b'0', "cut", &[7; 513]));
        bytes.extend(archive(&[("./plain", b"")]));
        let found = files(&bytes, |_| true).unwrap();
        let names: Vec<&str> = found.iter().map(|file| file.path.as_str()).collect();
        assert_eq!(names, [&long[2..], "c/long", "plain"]);
        assert_eq!(found[1].bytes, [7; 513]);
    }

    #[test]
    fn broken_archives_are_told_by_place() {
        let whole = archive(&[("a", b"one"), ("b", b"two")]);
        let mut wrong = whole.clone();
        wrong[1024] = b'x';
        assert!(files(&wrong, |_| true).unwrap_err().contains("a wrong checksum at byte 1024"));
        let mut sizeless = whole.clone();
        sizeless[124] = b'x';
        let sum = format!("{:06o}\0 ", sum(&sizeless[..BLOCK]));
        sizeless[148..156].copy_from_slice(sum.as_bytes());
        assert!(files(&sizeless, |_| true).unwrap_err().contains("no size at byte 0"));
        assert!(files(&whole[..1536], |_| true).unwrap_err().contains("a file cut off at byte 1024"));
        assert!(files(&whole[..1024], |_| true).unwrap_err().contains("ends at byte 1024 without an end"));
    }
}
