//! An image as numbers, read from a PNG, PGM or PPM file, whichever it is.

use super::pnm::read_pnm;
use super::raster::{MOST_PIXELS, Pixels};
use png::{BitDepth, ColorType, Decoder, Limits, Transformations};
use std::io::Cursor;

/// What every PNG begins with.
const PNG: &[u8] = b"\x89PNG\r\n\x1a\n";

/// The most that deflate makes of a byte. Rows beyond it cannot be in the file, and are not allocated.
const MOST_INFLATED: usize = 1032;

/// What the numbers of an image are to be.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Meaning {
    /// How bright it is: colours of a palette are looked up.
    Brightness,
    /// Classes: of a palette the numbers themselves.
    Classes,
}

/// Reads an image; errors say what is wrong with it.
pub fn read_pixels(bytes: &[u8], meaning: Meaning) -> Result<Pixels, String> {
    if bytes.starts_with(PNG) { read_png(bytes, meaning) } else { read_pnm(bytes) }
}

fn read_png(bytes: &[u8], meaning: Meaning) -> Result<Pixels, String> {
    let said = |error: png::DecodingError| error.to_string();
    let mut decoder = Decoder::new_with_limits(Cursor::new(bytes), Limits { bytes: MOST_PIXELS });
    decoder.set_transformations(match meaning {
        Meaning::Brightness => Transformations::EXPAND,
        Meaning::Classes => Transformations::IDENTITY,
    });
    let mut reader = decoder.read_info().map_err(said)?;
    let (width, height) = reader.info().size();
    let [width, height] = [width, height].map(|size| usize::try_from(size).unwrap_or(usize::MAX));
    let claims = || format!("its header claims {width}x{height} pixels");
    width.checked_mul(height).filter(|count| (1..=MOST_PIXELS).contains(count)).ok_or_else(claims)?;
    // The decoder takes the colours three bytes at a time, and panics where some are missing.
    let colours = reader.info().palette.as_deref().map_or(0, <[u8]>::len);
    if !colours.is_multiple_of(3) {
        return Err(format!("its palette has {colours} bytes, which is not a multiple of three"));
    }
    let size = reader.output_buffer_size().ok_or_else(claims)?;
    // Expanding a palette or narrow samples makes up to 32 bytes of one.
    let most = bytes.len().saturating_mul(MOST_INFLATED).saturating_mul(32);
    if size > most {
        return Err(format!("{}, more than its {} bytes can hold", claims(), bytes.len()));
    }
    let mut rows = vec![0; size];
    let found = reader.next_frame(&mut rows).map_err(said)?;
    let channels = found.color_type.samples();
    let bits = match found.bit_depth {
        BitDepth::One => 1,
        BitDepth::Two => 2,
        BitDepth::Four => 4,
        BitDepth::Eight => 8,
        BitDepth::Sixteen => 16,
    };
    let is_palette = found.color_type == ColorType::Indexed;
    let values = rows.chunks_exact(found.line_size.max(1)).take(height);
    let values = values.flat_map(|row| samples(row, bits).take(width * channels)).collect();
    // Numbers of a palette have no white; as classes they have no need of it.
    let most = if is_palette { u16::MAX } else { u16::MAX >> (16 - bits) };
    Ok(Pixels { height, width, channels, most, values })
}

/// The numbers of a row, of so many bits each, the first in a byte's highest bits.
fn samples(row: &[u8], bits: usize) -> Box<dyn Iterator<Item = u16> + '_> {
    if bits == 16 {
        return Box::new(row.chunks_exact(2).map(|pair| u16::from_be_bytes([pair[0], pair[1]])));
    }
    let within = 8 / bits;
    let mask = u16::MAX >> (16 - bits);
    Box::new(
        row.iter().flat_map(move |byte| {
            (0..within).map(move |at| (u16::from(*byte) >> (8 - bits * (at + 1))) & mask)
        }),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn png(
        width: u32,
        height: u32,
        color: ColorType,
        depth: BitDepth,
        rows: &[u8],
        palette: &[u8],
    ) -> Vec<u8> {
        let mut bytes = Vec::new();
        let mut encoder = png::Encoder::new(&mut bytes, width, height);
        encoder.set_color(color);
        encoder.set_depth(depth);
        if !palette.is_empty() {
            encoder.set_palette(palette.to_vec());
        }
        let mut writer = encoder.write_header().unwrap();
        writer.write_image_data(rows).unwrap();
        writer.finish().unwrap();
        bytes
    }

    #[test]
    fn pngs_of_all_kinds_are_numbers() {
        let read = |bytes: &[u8], meaning| read_pixels(bytes, meaning).unwrap();
        let bright = Meaning::Brightness;
        let grey =
            read(&png(3, 2, ColorType::Grayscale, BitDepth::Eight, &[0, 1, 2, 3, 4, 255], &[]), bright);
        assert_eq!((grey.height, grey.width, grey.channels, grey.most), (2, 3, 1, 255));
        assert_eq!(grey.values, [0, 1, 2, 3, 4, 255]);
        let wide = read(&png(2, 1, ColorType::Grayscale, BitDepth::Sixteen, &[1, 2, 255, 255], &[]), bright);
        assert_eq!((wide.most, wide.values), (65_535, vec![258, 65_535]));
        let coloured = read(&png(1, 1, ColorType::Rgb, BitDepth::Eight, &[1, 2, 3], &[]), bright);
        assert_eq!((coloured.channels, coloured.values), (3, vec![1, 2, 3]));
        let clear = read(&png(1, 1, ColorType::Rgba, BitDepth::Eight, &[1, 2, 3, 4], &[]), bright);
        assert_eq!((clear.channels, clear.values), (4, vec![1, 2, 3, 4]));
        // Five numbers of two bits in two bytes.
        let narrow = png(5, 1, ColorType::Grayscale, BitDepth::Two, &[0b00_01_10_11, 0b01_000000], &[]);
        assert_eq!(read(&narrow, Meaning::Classes).values, [0, 1, 2, 3, 1]);
        assert_eq!(read(&narrow, bright).values, [0, 85, 170, 255, 85]);
    }

    #[test]
    fn a_palette_is_colours_or_classes() {
        let bytes = png(2, 1, ColorType::Indexed, BitDepth::Eight, &[1, 0], &[9, 8, 7, 6, 5, 4]);
        let colours = read_pixels(&bytes, Meaning::Brightness).unwrap();
        assert_eq!((colours.channels, colours.values), (3, vec![6, 5, 4, 9, 8, 7]));
        let classes = read_pixels(&bytes, Meaning::Classes).unwrap();
        assert_eq!((classes.channels, classes.values), (1, vec![1, 0]));
    }

    #[test]
    fn a_palette_of_parts_of_colours_is_refused() {
        let with = |length: usize| png(2, 1, ColorType::Indexed, BitDepth::Eight, &[1, 0], &vec![7; length]);
        for meaning in [Meaning::Brightness, Meaning::Classes] {
            for length in [4, 10, 767] {
                let reason = read_pixels(&with(length), meaning).unwrap_err();
                assert!(reason.contains(&format!("its palette has {length} bytes")), "{reason}");
            }
            assert!(read_pixels(&with(768), meaning).is_ok());
            for length in [1, 771] {
                assert!(read_pixels(&with(length), meaning).is_err());
            }
        }
    }

    /// The header of this file claims two gigabytes.
    #[test]
    fn a_size_that_the_file_cannot_hold_is_not_allocated() {
        let mut bytes = Vec::new();
        let mut encoder = png::Encoder::new(&mut bytes, 16_000, 16_000);
        encoder.set_color(ColorType::Rgba);
        encoder.set_depth(BitDepth::Sixteen);
        let mut writer = encoder.write_header().unwrap();
        writer.write_chunk(png::chunk::IDAT, &[0; 16]).unwrap();
        drop(writer);
        let reason = read_pixels(&bytes, Meaning::Brightness).unwrap_err();
        assert!(reason.contains("16000x16000 pixels, more than its"), "{reason}");
    }

    #[test]
    fn what_is_wrong_with_a_png_is_told() {
        let whole = png(8, 8, ColorType::Grayscale, BitDepth::Eight, &[7; 64], &[]);
        for length in [8, 20, 40, whole.len() - 20] {
            let said = read_pixels(&whole[..length], Meaning::Brightness).unwrap_err();
            assert!(!said.is_empty(), "{length}");
        }
        let mut large = whole.clone();
        large[16..24].fill(0x7F);
        assert!(read_pixels(&large, Meaning::Brightness).is_err());
        assert!(read_pixels(b"hello", Meaning::Brightness).unwrap_err().contains("not as a PNG"));
    }
}
