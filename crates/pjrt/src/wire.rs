//! The wire format of protocol buffers, as much of it as options to write and programs to look at need.

/// A message being written.
#[derive(Default)]
pub struct Message(Vec<u8>);

const VARINT: u64 = 0;
const FIXED64: u64 = 1;
const BYTES: u64 = 2;
const FIXED32: u64 = 5;

impl Message {
    /// A number, sign-extended as the format wants it.
    pub fn int(mut self, field: u64, value: i64) -> Self {
        self.varint(field << 3 | VARINT);
        self.varint(value as u64);
        self
    }

    pub fn flag(self, field: u64, value: bool) -> Self {
        self.int(field, i64::from(value))
    }

    pub fn bytes(mut self, field: u64, value: &[u8]) -> Self {
        self.varint(field << 3 | BYTES);
        self.varint(value.len() as u64);
        self.0.extend_from_slice(value);
        self
    }

    pub fn message(self, field: u64, value: Message) -> Self {
        self.bytes(field, &value.0)
    }

    pub fn into_bytes(self) -> Vec<u8> {
        self.0
    }

    fn varint(&mut self, mut value: u64) {
        while value >= 0x80 {
            self.0.push(value as u8 | 0x80);
            value >>= 7;
        }
        self.0.push(value as u8);
    }
}

/// What a field holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FieldValue<'a> {
    Number(u64),
    /// A text, a message, or numbers one behind the other.
    Bytes(&'a [u8]),
}

/// The fields of a message but those of fixed width. Ends where the message does not read.
pub fn fields(message: &[u8]) -> Fields<'_> {
    Fields { rest: message }
}

/// Numbers that are packed one behind the other.
pub fn packed(bytes: &[u8]) -> impl Iterator<Item = u64> {
    let mut fields = Fields { rest: bytes };
    std::iter::from_fn(move || fields.varint())
}

pub struct Fields<'a> {
    rest: &'a [u8],
}

impl<'a> Iterator for Fields<'a> {
    type Item = (u64, FieldValue<'a>);

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let tag = self.varint()?;
            match tag & 7 {
                VARINT => return Some((tag >> 3, FieldValue::Number(self.varint()?))),
                FIXED64 => drop(self.taken(8)?),
                FIXED32 => drop(self.taken(4)?),
                BYTES => {
                    let length = usize::try_from(self.varint()?).ok()?;
                    return Some((tag >> 3, FieldValue::Bytes(self.taken(length)?)));
                }
                _ => return None,
            }
        }
    }
}

impl<'a> Fields<'a> {
    fn varint(&mut self) -> Option<u64> {
        let mut value = 0;
        for shift in (0..64).step_by(7) {
            let (byte, rest) = self.rest.split_first()?;
            self.rest = rest;
            value |= u64::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return Some(value);
            }
        }
        None
    }

    fn taken(&mut self, length: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.rest.split_at_checked(length)?;
        self.rest = rest;
        Some(taken)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_read_back_and_broken_ones_end() {
        let inner = Message::default().bytes(1, b"name").int(2, -1);
        let bytes = Message::default().int(4, 300).message(3, inner).flag(6, true).bytes(9, b"").into_bytes();
        let read: Vec<(u64, FieldValue<'_>)> = fields(&bytes).collect();
        assert_eq!(read.iter().map(|(field, _)| *field).collect::<Vec<_>>(), [4, 3, 6, 9]);
        assert_eq!((read[0].1, read[2].1), (FieldValue::Number(300), FieldValue::Number(1)));
        let FieldValue::Bytes(inner) = read[1].1 else { panic!("a message is bytes") };
        let inner: Vec<_> = fields(inner).collect();
        assert_eq!(inner, [(1, FieldValue::Bytes(b"name")), (2, FieldValue::Number(u64::MAX))]);
        for cut in 0..bytes.len() {
            assert!(fields(&bytes[..cut]).count() <= 4);
        }
        assert_eq!(fields(&[0xff; 20]).count(), 0);
        assert_eq!(packed(&[5, 0xac, 2, 0x80]).collect::<Vec<_>>(), [5, 300]);
    }
}
