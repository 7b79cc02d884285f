//! CRC-32C: one checksum for checkpoints and event files. It finds every single changed byte and every short burst;
//! it is no protection against somebody who wants to deceive.

/// Tables for eight bytes at a time; the first alone does one.
static TABLES: [[u32; 256]; 8] = tables();

const fn tables() -> [[u32; 256]; 8] {
    let mut tables = [[0u32; 256]; 8];
    let mut byte = 0;
    while byte < 256 {
        let mut word = byte as u32;
        let mut bit = 0;
        while bit < 8 {
            word = if word & 1 == 1 { word >> 1 ^ 0x82F6_3B78 } else { word >> 1 };
            bit += 1;
        }
        tables[0][byte] = word;
        byte += 1;
    }
    let mut table = 1;
    while table < 8 {
        byte = 0;
        while byte < 256 {
            let before = tables[table - 1][byte];
            tables[table][byte] = before >> 8 ^ tables[0][(before & 0xFF) as usize];
            byte += 1;
        }
        table += 1;
    }
    tables
}

/// A checksum that is added to piece by piece.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Checksum(u32);

impl Default for Checksum {
    fn default() -> Self {
        Checksum(!0)
    }
}

impl Checksum {
    pub fn add(&mut self, bytes: &[u8]) {
        let (eights, rest) = bytes.as_chunks::<8>();
        for eight in eights {
            let low = (u32::from_le_bytes([eight[0], eight[1], eight[2], eight[3]]) ^ self.0).to_le_bytes();
            let all = [low[0], low[1], low[2], low[3], eight[4], eight[5], eight[6], eight[7]];
            self.0 = all
                .iter()
                .zip(TABLES.iter().rev())
                .fold(0, |sum, (byte, table)| sum ^ table[usize::from(*byte)]);
        }
        for byte in rest {
            self.0 = self.0 >> 8 ^ TABLES[0][usize::from(self.0 as u8 ^ byte)];
        }
    }

    pub fn value(self) -> u32 {
        !self.0
    }
}

pub fn checksum(bytes: &[u8]) -> u32 {
    let mut sum = Checksum::default();
    sum.add(bytes);
    sum.value()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_values_and_any_cutting() {
        assert_eq!(checksum(b""), 0);
        assert_eq!(checksum(b"123456789"), 0xE306_9283);
        assert_eq!(checksum(&[0; 32]), 0x8A91_36AA);
        let bytes: Vec<u8> = (0..100).collect();
        for cut in 0..100 {
            let mut sum = Checksum::default();
            sum.add(&bytes[..cut]);
            sum.add(&bytes[cut..]);
            assert_eq!(sum.value(), checksum(&bytes));
        }
    }
}
