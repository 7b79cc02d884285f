//! The header of an `.npy` file: element type, order, shape.
//!
//! ```text
//! \x93NUMPY  1 0  118 0  {'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }   \n
//! magic      version length, little endian (4 bytes from version 2 on)
//! ```

use meshwright_ir::{DType, TensorType};
use std::io::{self, Read, Write};

/// Headers longer than this are not read: ours take some hundred bytes.
const LONGEST: usize = 1 << 20;

const MAGIC: &[u8] = b"\x93NUMPY";

/// Numpy's names of element types, for those both sides have. The first row of a type is the one written.
const NAMES: &[(&str, DType)] = &[
    ("|b1", DType::Pred),
    ("|i1", DType::S8),
    ("<i2", DType::S16),
    ("<i4", DType::S32),
    ("<i8", DType::S64),
    ("|u1", DType::U8),
    ("<u2", DType::U16),
    ("<u4", DType::U32),
    ("<u8", DType::U64),
    ("<f2", DType::F16),
    ("<f4", DType::F32),
    ("<f8", DType::F64),
    ("<c8", DType::C64),
    ("<c16", DType::C128),
];

/// What an `.npy` file says of itself.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Header {
    /// Element type and shape.
    pub ty: TensorType,
    /// The first dim varies fastest.
    pub fortran_order: bool,
    /// Elements of a type numpy has no name for, which Python packages add: bits as wide as those of the type given
    /// here.
    pub nameless: bool,
}

impl Header {
    /// Read a header; the reader stands at the first element afterwards. Errors say what is wrong with the file.
    pub fn read(reader: &mut impl Read) -> Result<Header, String> {
        let short = |error: io::Error| match error.kind() {
            io::ErrorKind::UnexpectedEof => format!("the header ends early: {error}"),
            _ => format!("it cannot be unpacked: {error}"),
        };
        let mut start = [0; 8];
        reader.read_exact(&mut start).map_err(short)?;
        if !start.starts_with(MAGIC) {
            return Err("it does not begin with numpy's magic bytes".into());
        }
        let mut length = [0; 4];
        let width = match start[6] {
            1 => 2,
            2 | 3 => 4,
            version => {
                return Err(format!("version {version} of the format is unknown; versions 1 to 3 are read"));
            }
        };
        reader.read_exact(&mut length[..width]).map_err(short)?;
        let length = u32::from_le_bytes(length) as usize;
        if length > LONGEST {
            return Err(format!("its header claims {length} bytes; at most {LONGEST} are read"));
        }
        let mut text = vec![0; length];
        reader.read_exact(&mut text).map_err(short)?;
        parse(&String::from_utf8_lossy(&text))
    }

    /// Write the header of a row-major array. The elements begin at a multiple of 64, as numpy has it.
    pub fn write(ty: &TensorType, writer: &mut impl Write) -> io::Result<()> {
        let shape: String = ty.dims.iter().map(|dim| format!("{dim}, ")).collect();
        let descr = numpy_name(stored_as(ty.dtype));
        let text =
            format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': ({}), }}", shape.trim_end());
        const FIXED: usize = 10;
        let length = (FIXED + text.len() + 1).next_multiple_of(64) - FIXED;
        writer.write_all(MAGIC)?;
        writer.write_all(&[1, 0])?;
        writer.write_all(&u16::try_from(length).map_err(io::Error::other)?.to_le_bytes())?;
        writeln!(writer, "{text:<width$}", width = length - 1)
    }
}

/// The type numpy stores a type's bits in: itself, or an integer as wide.
pub fn stored_as(dtype: DType) -> DType {
    match dtype {
        known if NAMES.iter().any(|(_, dtype)| *dtype == known) => known,
        DType::BF16 => DType::U16,
        DType::S2 | DType::S4 => DType::S8,
        _ => DType::U8,
    }
}

fn numpy_name(dtype: DType) -> &'static str {
    NAMES.iter().find(|row| row.1 == dtype).map_or("|u1", |row| row.0)
}

/// Parse the header's text: a Python dict of three entries, in any order.
fn parse(text: &str) -> Result<Header, String> {
    let value = |key: &str| {
        let at = text
            .find(&format!("'{key}'"))
            .ok_or_else(|| format!("its header has no '{key}': {}", shown(text)))?;
        let rest = text[at + key.len() + 2..].trim_start();
        Ok::<&str, String>(rest.strip_prefix(':').unwrap_or(rest).trim_start())
    };
    let (dtype, nameless) = parse_descr(value("descr")?)?;
    let fortran_order = value("fortran_order")?.starts_with("True");
    let dims = parse_shape(value("shape")?)?;
    Ok(Header { ty: TensorType::new(dtype, dims), fortran_order, nameless })
}

/// The type, and whether it only says how wide elements are.
fn parse_descr(rest: &str) -> Result<(DType, bool), String> {
    let name = rest.strip_prefix('\'').and_then(|rest| rest.split('\'').next());
    let name = name.ok_or_else(|| format!("records are no tensors: {}", shown(rest)))?;
    let plain = match name.strip_prefix('=') {
        Some(native) => format!("<{native}"),
        None => name.to_string(),
    };
    if let Some((_, dtype)) = NAMES.iter().find(|(known, _)| *known == plain) {
        return Ok((*dtype, false));
    }
    match name.get(1..) {
        Some("V1" | "f1") => return Ok((DType::U8, true)),
        Some("V2") => return Ok((DType::U16, true)),
        _ => {}
    }
    let help = match name.as_bytes() {
        [b'>', ..] => {
            "big-endian arrays are not read; convert with `a.astype(a.dtype.newbyteorder('<'))`".into()
        }
        _ => format!("known are {}", NAMES.iter().map(|row| row.0).collect::<Vec<_>>().join(" ")),
    };
    Err(format!("element type '{name}' is not one of ours; {help}"))
}

fn parse_shape(rest: &str) -> Result<Vec<i64>, String> {
    let bad = || format!("its header has a malformed shape: {}", shown(rest));
    let inner = rest.strip_prefix('(').and_then(|rest| rest.split_once(')')).ok_or_else(bad)?.0;
    let dims = inner.split(',').map(str::trim).filter(|dim| !dim.is_empty());
    dims.map(|dim| dim.parse::<i64>().ok().filter(|size| *size >= 0).ok_or_else(bad)).collect()
}

/// The start of a text for a message.
fn shown(text: &str) -> String {
    text.trim().chars().take(80).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(version: u8, text: &str) -> Result<Header, String> {
        let mut bytes = MAGIC.to_vec();
        bytes.extend([version, 0]);
        match version {
            1 => bytes.extend((text.len() as u16).to_le_bytes()),
            _ => bytes.extend((text.len() as u32).to_le_bytes()),
        }
        bytes.extend(text.as_bytes());
        Header::read(&mut &bytes[..])
    }

    #[test]
    fn what_is_written_reads_back_for_every_type() {
        for dtype in DType::all() {
            for dims in [vec![], vec![3], vec![2, 0, 5]] {
                let ty = TensorType::new(dtype, dims);
                let mut bytes = Vec::new();
                Header::write(&ty, &mut bytes).unwrap();
                assert_eq!(bytes.len() % 64, 0);
                let ty = ty.with_dtype(stored_as(dtype));
                let expected = Header { ty, fortran_order: false, nameless: false };
                assert_eq!(Header::read(&mut &bytes[..]), Ok(expected));
                assert_eq!(stored_as(dtype).bytes(), dtype.bytes());
            }
        }
    }

    #[test]
    fn all_versions_any_order_of_keys_and_native_order_are_read() {
        let text = "{'shape': (4,), 'fortran_order': True, 'descr': '=f8'}\n";
        for version in 1..=3 {
            let header = read(version, text).unwrap();
            assert_eq!((header.ty, header.fortran_order), (TensorType::new(DType::F64, [4]), true));
        }
    }

    #[test]
    fn types_numpy_has_no_name_for_are_bits() {
        for (name, dtype) in [("<V2", DType::U16), ("|V1", DType::U8), ("<f1", DType::U8)] {
            let text = format!("{{'descr': '{name}', 'fortran_order': False, 'shape': (4,)}}");
            let ty = TensorType::new(dtype, [4]);
            assert_eq!(read(1, &text), Ok(Header { ty, fortran_order: false, nameless: true }));
        }
    }

    #[test]
    fn bad_headers_say_what_is_wrong() {
        let error = |version, text| read(version, text).unwrap_err();
        assert!(error(9, "").contains("version 9"));
        assert!(error(1, "{}").contains("no 'descr'"));
        assert!(error(1, "{'descr': '>f4', 'fortran_order': False, 'shape': ()}").contains("big-endian"));
        assert!(error(1, "{'descr': '|V3', 'fortran_order': False, 'shape': ()}").contains("'|V3'"));
        assert!(
            error(1, "{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': ()}").contains("records")
        );
        assert!(
            error(1, "{'descr': '<f4', 'fortran_order': False, 'shape': (-1,)}").contains("malformed shape")
        );
        assert!(Header::read(&mut &b"PK"[..]).unwrap_err().contains("ends early"));
        assert!(Header::read(&mut &b"not numpy at all"[..]).unwrap_err().contains("magic"));
        let long = [MAGIC, &[2, 0], &u32::MAX.to_le_bytes()].concat();
        assert!(Header::read(&mut &long[..]).unwrap_err().contains("4294967295 bytes"));
    }
}
