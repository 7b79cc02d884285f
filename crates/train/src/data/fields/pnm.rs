//! PGM and PPM images: a header of words, then pixels as bytes (P5, P6) or as words (P2, P3).

use super::raster::{MOST_PIXELS, Pixels};

/// Reads an image; errors say what is wrong with it.
pub fn read_pnm(bytes: &[u8]) -> Result<Pixels, String> {
    let mut reader = Reader { bytes, at: 0 };
    let (channels, is_text) = match reader.word()? {
        b"P2" => (1, true),
        b"P3" => (3, true),
        b"P5" => (1, false),
        b"P6" => (3, false),
        other => {
            return Err(format!(
                "it begins with `{}`, and not as a PNG, PGM or PPM image does",
                shown(other)
            ));
        }
    };
    let (width, height) = (reader.number("width")?, reader.number("height")?);
    let most = reader.number("largest value")?;
    let most = u16::try_from(most).ok().filter(|most| *most > 0);
    let most = most.ok_or_else(|| "its largest value is not from 1 to 65535".to_string())?;
    let count = width.checked_mul(height).filter(|count| (1..=MOST_PIXELS).contains(count));
    let count = count.ok_or_else(|| format!("its header claims {width}x{height} pixels"))? * channels;
    let values: Vec<u16> = if is_text {
        (0..count)
            .map(|_| reader.number("pixel").map(|value| u16::try_from(value).unwrap_or(u16::MAX)))
            .collect::<Result<_, _>>()?
    } else {
        reader.pixels(count, if most > 255 { 2 } else { 1 })?
    };
    if let Some(value) = values.iter().find(|value| **value > most) {
        return Err(format!("a pixel has the value {value}, and the largest is {most}"));
    }
    Ok(Pixels { height, width, channels, most, values })
}

fn shown(bytes: &[u8]) -> String {
    bytes[..bytes.len().min(8)].escape_ascii().to_string()
}

struct Reader<'b> {
    bytes: &'b [u8],
    at: usize,
}

impl<'b> Reader<'b> {
    /// The next word, behind spaces and comments.
    fn word(&mut self) -> Result<&'b [u8], String> {
        let mut is_comment = false;
        while let Some(byte) = self.bytes.get(self.at) {
            match byte {
                b'\n' => is_comment = false,
                b'#' => is_comment = true,
                _ if is_comment || byte.is_ascii_whitespace() => {}
                _ => break,
            }
            self.at += 1;
        }
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        let length = rest.iter().position(u8::is_ascii_whitespace).unwrap_or(rest.len());
        self.at += length;
        if length == 0 { Err(format!("it ends at byte {}", self.at)) } else { Ok(&rest[..length]) }
    }

    fn number(&mut self, what: &str) -> Result<usize, String> {
        let word = self.word()?;
        let number = std::str::from_utf8(word).ok().and_then(|word| word.parse().ok());
        number.ok_or_else(|| format!("its {what} is `{}`", shown(word)))
    }

    /// Behind one space.
    fn pixels(&mut self, count: usize, width: usize) -> Result<Vec<u16>, String> {
        let rest = self.bytes.get(self.at + 1..).unwrap_or_default();
        let size = count * width;
        let pixels = rest.get(..size);
        let pixels =
            pixels.ok_or_else(|| format!("its pixels take {size} bytes, and {} are there", rest.len()))?;
        let one = |bytes: &[u8]| bytes.iter().fold(0, |value, byte| value << 8 | u16::from(*byte));
        Ok(pixels.chunks_exact(width).map(one).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn images_are_read_in_all_four_forms() {
        let grey = Pixels { height: 2, width: 3, channels: 1, most: 255, values: vec![0, 1, 2, 3, 4, 255] };
        assert_eq!(read_pnm(b"P2 # made by hand\n3 2\n255\n0 1 2\n3 4 255\n").unwrap(), grey);
        assert_eq!(read_pnm(b"P5\n3 2\n255\n\x00\x01\x02\x03\x04\xff").unwrap(), grey);
        let coloured = Pixels { height: 1, width: 1, channels: 3, most: 1000, values: vec![1, 258, 1000] };
        assert_eq!(read_pnm(b"P3 1 1 1000 1 258 1000").unwrap(), coloured);
        assert_eq!(read_pnm(b"P6 1 1 1000\n\x00\x01\x01\x02\x03\xe8").unwrap(), coloured);
    }

    #[test]
    fn what_is_wrong_with_an_image_is_told() {
        let said = |bytes: &[u8]| read_pnm(bytes).unwrap_err();
        assert_eq!(said(b""), "it ends at byte 0");
        let jpeg = said(b"\xff\xd8\xff\xe0");
        assert_eq!(jpeg, r"it begins with `\xff\xd8\xff\xe0`, and not as a PNG, PGM or PPM image does");
        assert_eq!(said(b"P5 4 4 255\nabc"), "its pixels take 16 bytes, and 3 are there");
        assert_eq!(said(b"P2 2 1 255 7"), "it ends at byte 12");
        assert_eq!(said(b"P2 2 1 10 7 11"), "a pixel has the value 11, and the largest is 10");
        assert!(said(b"P5 0 4 255\n").contains("0x4"));
        assert!(said(b"P5 99999999999 99999999999 255\n").contains("claims"));
        assert!(said(b"P5 x 4 255\n").contains("width is `x`"));
        assert!(said(b"P5 4 4 70000\n").contains("65535"));
    }
}
