//! An image as numbers, whatever file it is read from.

/// An image, row after row, channels last.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Pixels {
    pub height: usize,
    pub width: usize,
    /// 1 is grey, 3 is coloured; 2 and 4 are the same with how opaque it is.
    pub channels: usize,
    /// The value of white.
    pub most: u16,
    pub values: Vec<u16>,
}

/// Most pixels of an image.
pub(super) const MOST_PIXELS: usize = 1 << 28;
