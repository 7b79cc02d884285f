//! MessagePack, as far as flax writes it.

/// A value.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Packed {
    Nil,
    Bool(bool),
    Whole(i64),
    Float(f64),
    Text(String),
    Bytes(Vec<u8>),
    List(Vec<Packed>),
    /// Keys are texts.
    Map(Vec<(String, Packed)>),
    Extension(i8, Vec<u8>),
}

/// Deepest nesting that is read.
const DEEPEST: usize = 64;

impl Packed {
    pub fn get(&self, key: &str) -> Option<&Packed> {
        match self {
            Packed::Map(all) => all.iter().find(|(known, _)| known == key).map(|(_, value)| value),
            _ => None,
        }
    }

    /// Puts a value into maps within maps.
    pub fn put(&mut self, path: &[&str], value: Packed) {
        let (Packed::Map(all), [first, rest @ ..]) = (self, path) else { return };
        let at = all.iter().position(|(known, _)| known == first).unwrap_or_else(|| {
            all.push((first.to_string(), Packed::Map(Vec::new())));
            all.len() - 1
        });
        if rest.is_empty() {
            all[at].1 = value;
        } else {
            all[at].1.put(rest, value);
        }
    }

    pub fn pack(&self) -> Vec<u8> {
        let mut out = Vec::new();
        self.pack_into(&mut out);
        out
    }

    fn pack_into(&self, out: &mut Vec<u8>) {
        // Lengths in 32 bits, which every reader takes.
        let head = |out: &mut Vec<u8>, tag: u8, length: usize| {
            out.push(tag);
            out.extend((length as u32).to_be_bytes());
        };
        match self {
            Packed::Nil => out.push(0xc0),
            Packed::Bool(value) => out.push(if *value { 0xc3 } else { 0xc2 }),
            Packed::Whole(value) => {
                out.push(0xd3);
                out.extend(value.to_be_bytes());
            }
            Packed::Float(value) => {
                out.push(0xcb);
                out.extend(value.to_be_bytes());
            }
            Packed::Text(text) => {
                head(out, 0xdb, text.len());
                out.extend(text.as_bytes());
            }
            Packed::Bytes(bytes) => {
                head(out, 0xc6, bytes.len());
                out.extend(bytes);
            }
            Packed::List(all) => {
                head(out, 0xdd, all.len());
                all.iter().for_each(|value| value.pack_into(out));
            }
            Packed::Map(all) => {
                head(out, 0xdf, all.len());
                all.iter().for_each(|(key, value)| {
                    Packed::Text(key.clone()).pack_into(out);
                    value.pack_into(out);
                });
            }
            Packed::Extension(kind, bytes) => {
                head(out, 0xc9, bytes.len());
                out.push(*kind as u8);
                out.extend(bytes);
            }
        }
    }
}

/// The one value of these bytes.
pub(super) fn unpack(bytes: &[u8]) -> Result<Packed, String> {
    let mut reader = Reader { bytes, at: 0 };
    let found = reader.value(0)?;
    if reader.at == bytes.len() { Ok(found) } else { Err("there is more after its end".into()) }
}

struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl Reader<'_> {
    fn take(&mut self, count: u64) -> Result<&[u8], String> {
        let end = usize::try_from(count).ok().and_then(|count| self.at.checked_add(count));
        let end = end.filter(|end| *end <= self.bytes.len());
        let end = end.ok_or_else(|| format!("it ends within a value, at byte {}", self.bytes.len()))?;
        let found = &self.bytes[self.at..end];
        self.at = end;
        Ok(found)
    }

    /// A number of so many bytes, the largest first.
    fn number(&mut self, bytes: u64) -> Result<u64, String> {
        Ok(self.take(bytes)?.iter().fold(0, |all, byte| all << 8 | u64::from(*byte)))
    }

    fn value(&mut self, depth: usize) -> Result<Packed, String> {
        if depth > DEEPEST {
            return Err(format!("it nests deeper than {DEEPEST} values"));
        }
        let tag = self.take(1)?[0];
        Ok(match tag {
            0x00..=0x7f => Packed::Whole(i64::from(tag)),
            0xe0..=0xff => Packed::Whole(i64::from(tag as i8)),
            0x80..=0x8f => self.map(u64::from(tag & 0x0f), depth)?,
            0x90..=0x9f => self.list(u64::from(tag & 0x0f), depth)?,
            0xa0..=0xbf => self.text(u64::from(tag & 0x1f))?,
            0xc0 => Packed::Nil,
            0xc2 | 0xc3 => Packed::Bool(tag == 0xc3),
            0xc4..=0xc6 => {
                let length = self.number(1 << (tag - 0xc4))?;
                Packed::Bytes(self.take(length)?.to_vec())
            }
            0xc7..=0xc9 => {
                let length = self.number(1 << (tag - 0xc7))?;
                self.extension(length)?
            }
            0xca => Packed::Float(f64::from(f32::from_bits(self.number(4)? as u32))),
            0xcb => Packed::Float(f64::from_bits(self.number(8)?)),
            0xcc..=0xcf => {
                let found = self.number(1 << (tag - 0xcc))?;
                let found =
                    i64::try_from(found).map_err(|_| format!("the number {found} is over {}", i64::MAX))?;
                Packed::Whole(found)
            }
            0xd0 => Packed::Whole(i64::from(self.number(1)? as i8)),
            0xd1 => Packed::Whole(i64::from(self.number(2)? as i16)),
            0xd2 => Packed::Whole(i64::from(self.number(4)? as i32)),
            0xd3 => Packed::Whole(self.number(8)? as i64),
            0xd4..=0xd8 => self.extension(1 << (tag - 0xd4))?,
            0xd9..=0xdb => {
                let length = self.number(1 << (tag - 0xd9))?;
                self.text(length)?
            }
            0xdc | 0xdd => {
                let length = self.number(2 << (tag - 0xdc))?;
                self.list(length, depth)?
            }
            0xde | 0xdf => {
                let length = self.number(2 << (tag - 0xde))?;
                self.map(length, depth)?
            }
            0xc1 => return Err(format!("byte {} begins no value", self.at - 1)),
        })
    }

    fn text(&mut self, length: u64) -> Result<Packed, String> {
        let bytes = self.take(length)?.to_vec();
        String::from_utf8(bytes).map(Packed::Text).map_err(|error| format!("a text of it is none: {error}"))
    }

    fn extension(&mut self, length: u64) -> Result<Packed, String> {
        let kind = self.take(1)?[0] as i8;
        Ok(Packed::Extension(kind, self.take(length)?.to_vec()))
    }

    fn list(&mut self, length: u64, depth: usize) -> Result<Packed, String> {
        (0..length).map(|_| self.value(depth + 1)).collect::<Result<_, _>>().map(Packed::List)
    }

    fn map(&mut self, length: u64, depth: usize) -> Result<Packed, String> {
        let one = |reader: &mut Self| match reader.value(depth + 1)? {
            Packed::Text(key) => Ok((key, reader.value(depth + 1)?)),
            _ => Err("a key of a map is not text".to_string()),
        };
        (0..length).map(|_| one(self)).collect::<Result<_, _>>().map(Packed::Map)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_packed_comes_back() {
        let text = |text: &str| Packed::Text(text.into());
        let all = Packed::Map(vec![
            ("a".into(), Packed::List(vec![Packed::Whole(-1), Packed::Float(0.5), Packed::Nil])),
            ("b".into(), Packed::Extension(1, vec![1, 2, 3])),
            ("c".into(), Packed::Bytes(vec![0; 300])),
            ("d".into(), Packed::List(vec![Packed::Bool(true), text(&"x".repeat(40))])),
        ]);
        assert_eq!(unpack(&all.pack()), Ok(all));
    }

    #[test]
    fn short_forms_are_read() {
        let bytes = [0x82, 0xa1, b'a', 0x7f, 0xa1, b'b', 0x93, 0xe0, 0xcd, 1, 0, 0xc7, 1, 1, 9];
        let list = vec![Packed::Whole(-32), Packed::Whole(256), Packed::Extension(1, vec![9])];
        let expected = vec![("a".into(), Packed::Whole(127)), ("b".into(), Packed::List(list))];
        assert_eq!(unpack(&bytes), Ok(Packed::Map(expected)));
    }

    #[test]
    fn whatever_is_cut_or_broken_is_refused() {
        let whole = Packed::List(vec![Packed::Text("abc".into()), Packed::Bytes(vec![7; 20])]).pack();
        (0..whole.len()).for_each(|end| assert!(unpack(&whole[..end]).is_err()));
        assert!(unpack(&[&whole[..], &[0xc0]].concat()).is_err());
        for (bytes, said) in [
            (&[0x91; 100][..], "it nests deeper than 64 values"),
            (&[0xdd, 0xff, 0xff, 0xff, 0xff], "it ends within a value, at byte 5"),
            (&[0xc6, 0xff, 0xff, 0xff, 0xff], "it ends within a value, at byte 5"),
            (&[0xc0, 0xc0], "there is more after its end"),
            (&[0x92, 0xc0, 0xc1], "byte 2 begins no value"),
            (&[0xa1, 0xff], "a text of it is none: invalid utf-8 sequence of 1 bytes from index 0"),
            (&[0x81, 0x01, 0xc0], "a key of a map is not text"),
            (&[0xcf; 9], "the number 14974415777481871311 is over 9223372036854775807"),
        ] {
            assert_eq!(unpack(bytes), Err(said.to_string()));
        }
    }
}
