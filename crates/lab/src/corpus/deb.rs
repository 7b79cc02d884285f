//! Files of a Debian package: an `ar` archive with `control.tar.*` (what the package is) and `data.tar.*` (its files).
//!
//! All is read in memory, and what unpacks to more than [`LARGEST`] is refused: a package of texts has some 30 MB.

use super::tar::{ArchivedFile, files};
use super::{BROKEN, sha256};
use meshwright_base::Diagnostic;
use std::io::{self, Read};

/// Most bytes of an unpacked archive.
const LARGEST: u64 = 1 << 30;

const MAGIC: &[u8] = b"!<arch>\n";
const HEADER: usize = 60;

/// A package that was read.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Package {
    pub name: String,
    pub version: String,
    /// Of the whole `.deb`.
    pub sha256: String,
    /// Plain files with paths from the root, as `usr/share/doc/x`.
    pub files: Vec<ArchivedFile>,
}

impl Package {
    /// Of the bytes of a `.deb`; `is_wanted` chooses files by path. `path` is for messages.
    pub fn read(path: &str, bytes: &[u8], is_wanted: impl Fn(&str) -> bool) -> Result<Package, Diagnostic> {
        read(bytes, is_wanted).map_err(|why| {
            Diagnostic::error(BROKEN, format!("`{path}` ({} bytes) is no whole .deb: {why}", bytes.len()))
                .help("remove it and download it again: `apt-get download NAME`")
        })
    }
}

fn read(bytes: &[u8], is_wanted: impl Fn(&str) -> bool) -> Result<Package, String> {
    let control = files(&member(bytes, "control.tar")?, |path| path == "control")?;
    let control = control.first().ok_or("its control.tar has no file `control`")?;
    let control = String::from_utf8_lossy(&control.bytes).into_owned();
    let field = |name: &str| {
        let value = control.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'));
        value.map(|value| value.trim().to_string()).ok_or(format!("its control file has no field `{name}`"))
    };
    Ok(Package {
        name: field("Package")?,
        version: field("Version")?,
        sha256: sha256(bytes),
        files: files(&member(bytes, "data.tar")?, is_wanted)?,
    })
}

/// The member of an `ar` archive whose name begins so, unpacked.
fn member(bytes: &[u8], begins: &str) -> Result<Vec<u8>, String> {
    let mut rest = bytes.strip_prefix(MAGIC).ok_or("it does not begin as an ar archive does")?;
    while !rest.is_empty() {
        let at = bytes.len() - rest.len();
        let header = rest.get(..HEADER).filter(|header| header.ends_with(b"`\n"));
        let header = header.ok_or(format!("no member begins at byte {at}"))?;
        let field = |from: usize, to: usize| String::from_utf8_lossy(&header[from..to]).trim().to_string();
        let name = field(0, 16).trim_end_matches('/').to_string();
        let size: usize =
            field(48, 58).parse().map_err(|_| format!("member `{name}` at byte {at} has no size"))?;
        let content = rest[HEADER..].get(..size).ok_or_else(|| {
            format!("member `{name}` at byte {at} has {size} bytes, and {} are there", rest.len() - HEADER)
        })?;
        if let Some(form) = name.strip_prefix(begins) {
            return unpacked(content, form).map_err(|why| format!("member `{name}`: {why}"));
        }
        rest = &rest[(HEADER + size.next_multiple_of(2)).min(rest.len())..];
    }
    Err(format!("it has no member `{begins}.*`"))
}

fn unpacked(packed: &[u8], form: &str) -> Result<Vec<u8>, String> {
    let said = |error: io::Error| error.to_string();
    match form {
        "" => Ok(packed.to_vec()),
        ".xz" => whole(lzma_rust2::XzReader::new(packed, true), LARGEST).map_err(said)?,
        ".gz" => whole(flate2::read::MultiGzDecoder::new(packed), LARGEST).map_err(said)?,
        ".zst" => {
            let decoder = ruzstd::decoding::StreamingDecoder::new(packed)
                .map_err(|error| format!("it is no zstd stream: {error}"))?;
            whole(decoder, LARGEST).map_err(said)?
        }
        _ => Err("packed in a way that is not read; `.xz`, `.gz`, `.zst` and nothing are".into()),
    }
}

/// All of it, or that it is too large.
fn whole(reader: impl Read, largest: u64) -> io::Result<Result<Vec<u8>, String>> {
    let mut bytes = Vec::new();
    reader.take(largest + 1).read_to_end(&mut bytes)?;
    Ok(if bytes.len() as u64 > largest {
        Err(format!("it unpacks to more than {largest} bytes"))
    } else {
        Ok(bytes)
    })
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::corpus::tar::tests::archive;
    use std::io::Write;

    /// A `.deb` of these files, its data packed with gzip.
    pub fn deb(name: &str, version: &str, files: &[(&str, &[u8])]) -> Vec<u8> {
        let control = format!("Package: {name}\nVersion: {version}\nDescription: made by a test\n");
        let data = gzip(&archive(files));
        ar(&[
            ("debian-binary", b"2.0\n"),
            ("control.tar", &archive(&[("./control", control.as_bytes())])),
            ("data.tar.gz", &data),
        ])
    }

    fn gzip(bytes: &[u8]) -> Vec<u8> {
        let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        packed.write_all(bytes).unwrap();
        packed.finish().unwrap()
    }

    fn ar(members: &[(&str, &[u8])]) -> Vec<u8> {
        let mut bytes = MAGIC.to_vec();
        for (name, content) in members {
            bytes.extend(
                format!("{name:16}{:12}{:6}{:6}{:8}{:10}`\n", 0, 0, 0, 100644, content.len()).bytes(),
            );
            bytes.extend(*content);
            bytes.extend(if content.len() % 2 == 1 { &b"\n"[..] } else { b"" });
        }
        bytes
    }

    #[test]
    fn a_package_has_its_name_version_and_wanted_files() {
        let bytes = deb("texts", "4:7.4-1", &[("./usr/a", b"one"), ("./usr/b", b"two")]);
        let package = Package::read("x.deb", &bytes, |path| path.ends_with('b')).unwrap();
        assert_eq!([&package.name, &package.version], ["texts", "4:7.4-1"]);
        assert_eq!(package.files, [ArchivedFile { path: "usr/b".into(), bytes: b"two".into() }]);
        assert_eq!(package.sha256.len(), 64);
    }

    #[test]
    fn all_three_ways_to_pack_are_read() {
        // `printf tar | xz` and `| zstd`.
        let packed: [(&str, &[u8]); 3] = [(".xz", XZ), (".zst", ZST), (".gz", &gzip(b"tar"))];
        for (form, bytes) in packed {
            assert_eq!(unpacked(bytes, form).unwrap(), b"tar", "{form}");
            assert!(unpacked(&bytes[..bytes.len() - 5], form).is_err(), "{form}");
        }
        assert!(unpacked(b"tar", ".lzma").unwrap_err().contains("not read"));
        let said = unpacked(b"no zstd", ".zst").unwrap_err();
        assert!(said.starts_with("it is no zstd stream: "), "{said}");
        let said = whole(io::repeat(0), 9).unwrap().unwrap_err();
        assert_eq!(said, "it unpacks to more than 9 bytes");
    }

    const XZ: &[u8] = b"\xfd\x37\x7a\x58\x5a\x00\x00\x04\xe6\xd6\xb4\x46\x02\x00\x21\x01\x16\x00\x00\x00\x74\x2f\xe5\xa3\x01\x00\x02\x74\x61\x72\x00\x00\x4b\x67\xbb\x31\xe4\x40\x7d\x09\x00\x01\x1b\x03\x0b\x2f\xb9\x10\x1f\xb6\xf3\x7d\x01\x00\x00\x00\x00\x04\x59\x5a";
    const ZST: &[u8] = b"\x28\xb5\x2f\xfd\x04\x58\x19\x00\x00\x74\x61\x72\x25\xfd\x5b\xb5";

    #[test]
    fn broken_packages_are_told_apart() {
        let bytes = deb("texts", "1", &[("./usr/a", b"one")]);
        let said = |bytes: &[u8]| Package::read("x.deb", bytes, |_| true).unwrap_err().message;
        assert!(said(b"").contains("(0 bytes) is no whole .deb: it does not begin as an ar archive"));
        assert!(said(&bytes[..bytes.len() - 1]).contains("are there"));
        assert!(said(&bytes[..100]).contains("no member begins at byte 72"), "{}", said(&bytes[..100]));
        assert!(said(&ar(&[("debian-binary", b"2.0\n")])).contains("no member `control.tar.*`"));
        let mut sizeless = bytes.clone();
        sizeless[MAGIC.len() + 48] = b'x';
        let words = "member `debian-binary` at byte 8 has no size";
        assert!(said(&sizeless).contains(words), "{}", said(&sizeless));
        let mut turned = bytes.clone();
        let last = turned.len() - 30;
        turned[last] ^= 0x55;
        assert!(said(&turned).contains("member `data.tar.gz`"), "{}", said(&turned));
    }
}
