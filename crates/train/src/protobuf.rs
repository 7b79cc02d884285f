//! The wire form of protocol buffers, as far as tokenizers and event files need it: fields with numbers, varints and
//! byte strings.
//!
//! Reading never allocates by a length that the text states: fields are slices of it.

/// The value of a field.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Wire<'a> {
    Varint(u64),
    Fixed64(u64),
    Bytes(&'a [u8]),
    Fixed32(u32),
}

impl<'a> Wire<'a> {
    pub fn bytes(self) -> Option<&'a [u8]> {
        if let Wire::Bytes(bytes) = self { Some(bytes) } else { None }
    }

    pub fn text(self) -> Option<&'a str> {
        std::str::from_utf8(self.bytes()?).ok()
    }

    pub fn number(self) -> Option<u64> {
        if let Wire::Varint(number) = self { Some(number) } else { None }
    }

    pub fn float(self) -> Option<f32> {
        if let Wire::Fixed32(bits) = self { Some(f32::from_bits(bits)) } else { None }
    }
}

/// All fields of a message in order, or `None` if it is broken anywhere.
pub fn fields(mut message: &[u8]) -> Option<Vec<(u64, Wire<'_>)>> {
    let mut found = Vec::new();
    while !message.is_empty() {
        let key = varint(&mut message)?;
        let value = match key & 7 {
            0 => Wire::Varint(varint(&mut message)?),
            1 => Wire::Fixed64(u64::from_le_bytes(*chunk(&mut message)?)),
            2 => Wire::Bytes(counted(&mut message)?),
            5 => Wire::Fixed32(u32::from_le_bytes(*chunk(&mut message)?)),
            _ => return None,
        };
        found.push((key >> 3, value));
    }
    Some(found)
}

fn varint(message: &mut &[u8]) -> Option<u64> {
    let mut number = 0u64;
    for at in 0..10 {
        let (byte, rest) = message.split_first()?;
        *message = rest;
        number |= u64::from(byte & 0x7F) << (7 * at);
        if byte & 0x80 == 0 {
            return Some(number);
        }
    }
    None
}

fn chunk<'a, const N: usize>(message: &mut &'a [u8]) -> Option<&'a [u8; N]> {
    let (chunk, rest) = message.split_first_chunk::<N>()?;
    *message = rest;
    Some(chunk)
}

fn counted<'a>(message: &mut &'a [u8]) -> Option<&'a [u8]> {
    let length = usize::try_from(varint(message)?).ok()?;
    let (bytes, rest) = message.split_at_checked(length)?;
    *message = rest;
    Some(bytes)
}

/// A message under construction.
#[derive(Default)]
pub struct Message(pub Vec<u8>);

impl Message {
    pub fn number(&mut self, field: u64, number: u64) {
        self.varint(field << 3);
        self.varint(number);
    }

    pub fn float(&mut self, field: u64, value: f32) {
        self.varint(field << 3 | 5);
        self.0.extend(value.to_le_bytes());
    }

    pub fn double(&mut self, field: u64, value: f64) {
        self.varint(field << 3 | 1);
        self.0.extend(value.to_le_bytes());
    }

    pub fn bytes(&mut self, field: u64, bytes: &[u8]) {
        self.varint(field << 3 | 2);
        self.varint(bytes.len() as u64);
        self.0.extend(bytes);
    }

    fn varint(&mut self, mut number: u64) {
        while number >= 0x80 {
            self.0.push(number as u8 | 0x80);
            number >>= 7;
        }
        self.0.push(number as u8);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        let mut message = Message::default();
        message.number(1, 300);
        message.float(2, 1.5);
        message.bytes(30, b"ab");
        let read = fields(&message.0).unwrap();
        assert_eq!(
            read,
            [(1, Wire::Varint(300)), (2, Wire::Fixed32(1.5f32.to_bits())), (30, Wire::Bytes(b"ab"))]
        );
    }

    #[test]
    fn broken_messages_are_refused() {
        for broken in [
            &[0x80u8][..],
            &[0x0A, 5, 1],
            &[0x0D, 1],
            &[0x0B],
            &[0xFF; 12],
            &[0x0A, 0xFF, 0xFF, 0xFF, 0xFF, 0x7F],
        ] {
            assert_eq!(fields(broken), None, "{broken:?}");
        }
    }
}
