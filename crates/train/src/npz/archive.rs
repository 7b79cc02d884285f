//! Archives: find an array by its position or name, read it, write a whole archive.

use super::Array;
use super::header::{Header, stored_as};
use meshwright_ir::{DType, TensorType};
use std::fs::File;
use std::io::{self, BufReader, Cursor, Read, Seek, Write};
use std::path::Path;
use zip::read::ZipFile;
use zip::result::ZipError;
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipArchive, ZipWriter};

/// An open archive.
pub struct Archive<R> {
    zip: ZipArchive<R>,
    /// Entries in the order of the file: what they are called, and the type their key states.
    keys: Vec<Key>,
}

/// The name of an entry taken apart: `1:bf16.npy`.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Key {
    /// `1`.
    name: String,
    /// `bf16`.
    dtype: Option<DType>,
}

/// What can be read at any place.
pub trait Source: Read + Seek {}

impl<T: Read + Seek> Source for T {}

/// An archive of a file.
pub type FileArchive = Archive<Box<dyn Source>>;

/// An archive that comes through a pipe is read into memory first, up to this many bytes.
const LARGEST_PIPED: u64 = 8 << 30;

impl FileArchive {
    /// Open a file or a pipe. Errors say what is wrong with it.
    pub fn open(path: &Path) -> io::Result<Result<Self, String>> {
        let file = File::open(path)?;
        let source: Box<dyn Source> = if file.metadata()?.is_file() {
            Box::new(BufReader::new(file))
        } else {
            match read_whole(file, LARGEST_PIPED)? {
                Ok(whole) => Box::new(whole),
                Err(error) => return Ok(Err(error)),
            }
        };
        Ok(Archive::new(source))
    }
}

/// All bytes of what cannot be read at any place, unless it is no archive or too large.
fn read_whole(mut reader: impl Read, largest: u64) -> io::Result<Result<Cursor<Vec<u8>>, String>> {
    const MAGIC: &[u8] = b"PK";
    let mut bytes = Vec::new();
    reader.by_ref().take(MAGIC.len() as u64).read_to_end(&mut bytes)?;
    if bytes != MAGIC {
        return Ok(Err(format!("it is no .npz archive: it begins with {bytes:02x?}")));
    }
    reader.take(largest + 1 - bytes.len() as u64).read_to_end(&mut bytes)?;
    Ok(if bytes.len() as u64 > largest {
        Err(format!("more than {largest} bytes come through this pipe; give a file instead"))
    } else {
        Ok(Cursor::new(bytes))
    })
}

impl<R: Read + Seek> Archive<R> {
    pub fn new(reader: R) -> Result<Self, String> {
        let broken = |error: ZipError| format!("it is no .npz archive: {error}");
        let zip = ZipArchive::new(reader).map_err(broken)?;
        let keys =
            zip.file_names().map(|name| Key::parse(&name.map_err(broken)?)).collect::<Result<_, _>>()?;
        Ok(Archive { zip, keys })
    }

    pub fn len(&self) -> usize {
        self.keys.len()
    }

    pub fn is_empty(&self) -> bool {
        self.keys.is_empty()
    }

    /// Names of the arrays, without their types.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.keys.iter().map(|key| key.name.as_str())
    }

    /// Where the array is that is called `index`, `arr_index` or one of `names`.
    pub fn find(&self, index: usize, names: &[&str]) -> Option<usize> {
        let (plain, numpy) = (index.to_string(), format!("arr_{index}"));
        self.keys
            .iter()
            .position(|key| key.name == plain || key.name == numpy || names.contains(&key.name.as_str()))
    }

    /// Type of the array at `entry`, without reading its elements.
    pub fn ty(&mut self, entry: usize) -> Result<TensorType, String> {
        let stated = self.keys[entry].dtype;
        let header = Header::read(&mut self.entry(entry)?)?;
        typed(&header, stated, None)
    }

    /// Read the array at `entry`, if it is not larger than `limit` bytes.
    pub fn read(&mut self, entry: usize, limit: u64) -> Result<Array, String> {
        self.read_as(entry, limit, None)
    }

    /// The same where elements of a type without a name are `wanted`.
    pub fn read_as(&mut self, entry: usize, limit: u64, wanted: Option<DType>) -> Result<Array, String> {
        let stated = self.keys[entry].dtype;
        let mut file = self.entry(entry)?;
        let header = Header::read(&mut file)?;
        let size = size_in_bytes(&header.ty).filter(|size| *size as u64 <= limit);
        let size = size.ok_or_else(|| format!("its header claims {}, more than {limit} bytes", header.ty))?;
        let mut bytes = Vec::new();
        file.by_ref()
            .take(size as u64)
            .read_to_end(&mut bytes)
            .map_err(|error| format!("it cannot be read: {error}"))?;
        if bytes.len() < size {
            return Err(format!(
                "{} takes {size} bytes but only {} follow its header",
                header.ty,
                bytes.len()
            ));
        }
        end(&mut file)?;
        if header.fortran_order {
            bytes = row_major(&bytes, &header.ty);
        }
        let ty = typed(&header, stated, wanted)?;
        normalize(ty.dtype, &mut bytes)?;
        Ok(Array { ty, bytes })
    }

    fn entry(&mut self, entry: usize) -> Result<ZipFile<'_, R>, String> {
        self.zip.by_index(entry).map_err(|error| format!("it cannot be unpacked: {error}"))
    }
}

/// Only at an entry's end is its checksum held against what was read.
fn end(entry: &mut impl Read) -> Result<(), String> {
    match entry.read(&mut [0]) {
        Ok(0) => Ok(()),
        Ok(_) => Err("more bytes follow its header than its type takes".into()),
        Err(error) => Err(format!("it cannot be read: {error}")),
    }
}

impl Key {
    fn parse(name: &str) -> Result<Key, String> {
        let name = name.strip_suffix(".npy").unwrap_or(name);
        let Some((name, ty)) = name.split_once(':') else {
            return Ok(Key { name: name.into(), dtype: None });
        };
        let dtype = DType::from_mlir(ty).or_else(|| DType::from_hlo(ty));
        let dtype =
            dtype.ok_or_else(|| format!("array `{name}:{ty}` names an unknown element type `{ty}`"))?;
        Ok(Key { name: name.into(), dtype: Some(dtype) })
    }

    fn write(index: usize, dtype: DType) -> String {
        if stored_as(dtype) == dtype {
            format!("{index}.npy")
        } else {
            format!("{index}:{}.npy", dtype.hlo_name())
        }
    }
}

/// The array's type. If its key states one, that must be as wide as what is stored; so must what is wanted of elements
/// whose type has no name.
fn typed(header: &Header, stated: Option<DType>, wanted: Option<DType>) -> Result<TensorType, String> {
    let stored = &header.ty;
    let taken = wanted.filter(|wanted| header.nameless && stored_as(*wanted).bytes() == stored.dtype.bytes());
    match stated.or(taken) {
        Some(dtype) if stored.dtype == dtype => Ok(stored.clone()),
        Some(dtype) if stored.dtype.bytes() == dtype.bytes() && stored.dtype.is_integer() => {
            Ok(stored.with_dtype(dtype))
        }
        Some(dtype) => Err(format!(
            "its key says {dtype} but {} is stored; {} would hold the bits",
            stored.dtype,
            stored_as(dtype)
        )),
        None if header.nameless => Err(format!(
            "its elements have a type of {} bytes that numpy has no name for; save their bits and name the type in the \
             key, as `np.savez(path, **{{'0:bf16': a.view(np.uint16)}})`",
            stored.dtype.bytes()
        )),
        None => Ok(stored.clone()),
    }
}

fn size_in_bytes(ty: &TensorType) -> Option<usize> {
    let mut size = ty.dtype.bytes();
    for dim in &ty.dims {
        size = size.checked_mul(usize::try_from(*dim).ok()?)?;
    }
    Some(size)
}

/// Reorder elements stored with the first dim fastest.
fn row_major(bytes: &[u8], ty: &TensorType) -> Vec<u8> {
    let width = ty.dtype.bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut index = vec![0usize; ty.rank()];
    for _ in 0..bytes.len() / width {
        let (mut at, mut stride) = (0, 1);
        for (i, dim) in index.iter().zip(&ty.dims) {
            at += i * stride;
            stride *= *dim as usize;
        }
        out.extend_from_slice(&bytes[at * width..(at + 1) * width]);
        for (i, dim) in index.iter_mut().zip(&ty.dims).rev() {
            *i += 1;
            if *i < *dim as usize {
                break;
            }
            *i = 0;
        }
    }
    out
}

/// Bring bytes into the one form that each type has here; out of range is an error.
fn normalize(dtype: DType, bytes: &mut [u8]) -> Result<(), String> {
    match dtype {
        DType::Pred => bytes.iter_mut().for_each(|byte| *byte = u8::from(*byte != 0)),
        DType::S2 | DType::S4 | DType::U2 | DType::U4 | DType::F4E2M1FN => {
            let bits = dtype.bits();
            let fits = |byte: u8| match dtype {
                DType::S2 | DType::S4 => (byte as i8) >= -(1 << (bits - 1)) && (byte as i8) < 1 << (bits - 1),
                _ => byte < 1 << bits,
            };
            if let Some(at) = bytes.iter().position(|byte| !fits(*byte)) {
                return Err(format!("element {at} has the byte {:#04x}, which is no {dtype}", bytes[at]));
            }
        }
        _ => {}
    }
    Ok(())
}

/// Write arrays as `0`, `1`, ... . The same arrays give the same bytes.
pub fn write(sink: impl Write + Seek, arrays: &[Array]) -> io::Result<()> {
    let mut zip = ZipWriter::new(sink);
    for (index, array) in arrays.iter().enumerate() {
        let options = SimpleFileOptions::default()
            .compression_method(CompressionMethod::Stored)
            .large_file(array.bytes.len() > u32::MAX as usize / 2);
        zip.start_file(Key::write(index, array.ty.dtype), options)?;
        Header::write(&array.ty, &mut zip)?;
        zip.write_all(&array.bytes)?;
    }
    zip.finish()?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Cursor;
    use std::path::PathBuf;

    fn folder(name: &str) -> PathBuf {
        let folder = std::env::temp_dir().join(format!("meshwright-npz-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        folder
    }

    /// An archive with one entry of the given name and content, deflated.
    fn archive(name: &str, content: &[u8]) -> Result<Archive<Cursor<Vec<u8>>>, String> {
        let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
        let options = SimpleFileOptions::default().compression_method(CompressionMethod::Deflated);
        zip.start_file(name, options).unwrap();
        zip.write_all(content).unwrap();
        Archive::new(zip.finish().unwrap())
    }

    fn npy(descr: &str, fortran: bool, shape: &str, bytes: &[u8]) -> Vec<u8> {
        let order = if fortran { "True" } else { "False" };
        let text = format!("{{'descr': '{descr}', 'fortran_order': {order}, 'shape': {shape}}}");
        [b"\x93NUMPY\x01\0", &(text.len() as u16).to_le_bytes()[..], text.as_bytes(), bytes].concat()
    }

    #[test]
    fn arrays_of_all_types_come_back_as_they_were() {
        let path = folder("all").join("a.npz");
        let arrays: Vec<Array> = DType::all()
            .map(|dtype| Array { ty: TensorType::new(dtype, [3]), bytes: [1, 0, 1].repeat(dtype.bytes()) })
            .collect();
        write(File::create(&path).unwrap(), &arrays).unwrap();
        let mut archive = Archive::open(&path).unwrap().unwrap();
        for (index, array) in arrays.iter().enumerate() {
            let entry = archive.find(index, &[]).unwrap();
            assert_eq!(archive.ty(entry).as_ref(), Ok(&array.ty));
            assert_eq!(archive.read(entry, 1 << 20).as_ref(), Ok(array));
        }
        assert_eq!(path.parent().unwrap().read_dir().unwrap().count(), 1, "no partial file stays");
    }

    #[test]
    fn fortran_order_is_turned_and_names_are_found() {
        let columns = npy("|u1", true, "(2, 3)", &[1, 4, 2, 5, 3, 6]);
        let mut archive = archive("w.npy", &columns).unwrap();
        assert_eq!(archive.find(0, &[]), None);
        let entry = archive.find(0, &["w"]).unwrap();
        assert_eq!(archive.read(entry, 6).unwrap().bytes, [1, 2, 3, 4, 5, 6]);
    }

    #[test]
    fn broken_arrays_are_refused_with_numbers() {
        let error = |name: &str, content: &[u8]| match archive(name, content) {
            Ok(mut archive) => archive.read(0, 1 << 20).unwrap_err(),
            Err(error) => error,
        };
        assert!(error("0.npy", &npy("<f4", false, "(2,)", &[0; 7])).contains("8 bytes but only 7"));
        assert!(
            error("0.npy", &npy("<f4", false, "(999999999, 999999999)", &[]))
                .contains("more than 1048576 bytes")
        );
        assert!(error("0.npy", &npy("<f4", false, "(99999999999, 99999999999)", &[])).contains("more than"));
        assert!(
            error("0:bf16.npy", &npy("<f4", false, "()", &[0; 4]))
                .contains("says bf16 but f32 is stored; u16")
        );
        assert!(error("0:f99.npy", &npy("<f4", false, "()", &[0; 4])).contains("unknown element type `f99`"));
        assert!(
            error("0:i4.npy", &npy("|i1", false, "(2,)", &[7, 8])).contains("element 1 has the byte 0x08")
        );
        assert!(Archive::new(Cursor::new(b"garbage".to_vec())).is_err());
        assert!(error("0.npy", &npy("<f4", false, "(2,)", &[0; 9])).contains("more bytes follow"));
        let said = error("0.npy", &npy("|V2", false, "(2,)", &[0; 4]));
        assert!(said.starts_with("its elements have a type of 2 bytes that numpy has no name for"), "{said}");
    }

    #[test]
    fn entries_that_cannot_be_unpacked_are_refused() {
        let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
        let options = SimpleFileOptions::default().compression_method(CompressionMethod::Deflated);
        zip.start_file("0.npy", options).unwrap();
        let mut random = meshwright_base::random::Random::new(1, 0);
        let numbers: Vec<u8> = (0..4096).map(|_| random.word() as u8).collect();
        zip.write_all(&npy("|u1", false, "(4096,)", &numbers)).unwrap();
        let whole = zip.finish().unwrap().into_inner();
        let read = |bytes: Vec<u8>| Archive::new(Cursor::new(bytes)).unwrap().read(0, 1 << 20);
        assert!(read(whole.clone()).is_ok());
        let directory = whole.windows(4).position(|window| window == b"PK\x01\x02").unwrap();
        // A way of packing that is not read, a password, and a place where no entry begins.
        for (at, byte, words) in [(10, 97, "method not supported"), (8, 1, "assword"), (42, 1, "nvalid")] {
            let mut other = whole.clone();
            other[directory + at] = byte;
            let said = read(other).unwrap_err();
            assert!(said.starts_with("it cannot be unpacked: ") && said.contains(words), "{said}");
        }
        // Half of the packed bytes, which end in the middle of the array.
        let mut cut = whole;
        let packed = u32::from_le_bytes(cut[directory + 20..directory + 24].try_into().unwrap());
        cut[directory + 20..directory + 24].copy_from_slice(&(packed / 2).to_le_bytes());
        let said = read(cut).unwrap_err();
        assert!(said.starts_with("it cannot be read: "), "{said}");
    }

    #[test]
    fn one_changed_bit_of_a_stored_array_is_found() {
        let mut whole = Cursor::new(Vec::new());
        let array = Array { ty: TensorType::new(DType::F32, [64]), bytes: vec![7; 256] };
        write(&mut whole, std::slice::from_ref(&array)).unwrap();
        let read = |bytes: Vec<u8>| Archive::new(Cursor::new(bytes)).unwrap().read(0, 1 << 20);
        let mut bytes = whole.into_inner();
        assert_eq!(read(bytes.clone()), Ok(array));
        let at = bytes.windows(8).position(|window| window == [7; 8]).unwrap() + 100;
        bytes[at] ^= 1;
        assert!(read(bytes).unwrap_err().contains("checksum"));
    }

    #[test]
    fn archives_come_through_pipes_and_endless_ones_are_refused() {
        let mut whole = Cursor::new(Vec::new());
        let array = Array { ty: TensorType::new(DType::U8, [3]), bytes: vec![1, 2, 3] };
        write(&mut whole, std::slice::from_ref(&array)).unwrap();
        let piped = read_whole(&whole.get_ref()[..], 4096).unwrap().unwrap();
        assert_eq!(Archive::new(piped).unwrap().read(0, 3), Ok(array));
        assert!(read_whole(io::repeat(0), 4096).unwrap().unwrap_err().contains("begins with [00, 00]"));
        assert!(read_whole(io::repeat(b'P'), 4096).unwrap().unwrap_err().contains("no .npz archive"));
        assert!(read_whole(&[b"PK", &[0; 4096][..]].concat()[..], 4096).unwrap().is_err());
        #[cfg(unix)]
        {
            let endless = Archive::open(Path::new("/dev/zero")).unwrap();
            assert!(endless.is_err_and(|error| error.ends_with("it begins with [00, 00]")));
        }
    }
}
