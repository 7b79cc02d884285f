//! Which bytes of which buffer a step touches.
//!
//! ```text
//! %3                            all of a buffer
//! %3[16 + 4 x 128 + 8 x 4 : 4]  from byte 16 on: 4 times 8 elements of 4 bytes, 128 and 4 bytes apart
//! %3[?]                         somewhere inside: the place is known when the program runs
//! ```
//!
//! A step says what it touches once, as a list of accesses; what it reads and writes is read off that list.

use std::fmt;

meshwright_base::define_id!(
    /// A buffer of the program.
    pub BufId, "buf"
);

/// A loop counter of a device.
pub type Counter = usize;

/// What of a buffer is touched.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Extent {
    All,
    Strided(Strided),
    Somewhere,
}

/// Elements at equal distances, in bytes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Strided {
    pub offset: isize,
    /// How many, and how far apart.
    pub dims: Vec<(usize, isize)>,
    /// Bytes of an element.
    pub width: usize,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Region {
    pub buf: BufId,
    pub extent: Extent,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Mode {
    Read,
    Write,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Access {
    pub mode: Mode,
    pub region: Region,
}

impl Access {
    pub fn read(buf: BufId, extent: Extent) -> Access {
        Access { mode: Mode::Read, region: Region { buf, extent } }
    }

    pub fn write(buf: BufId, extent: Extent) -> Access {
        Access { mode: Mode::Write, region: Region { buf, extent } }
    }

    /// All of a buffer, or nothing that is known better.
    pub fn reads(bufs: impl IntoIterator<Item = BufId>) -> impl Iterator<Item = Access> {
        bufs.into_iter().map(|buf| Access::read(buf, Extent::All))
    }

    pub fn writes(bufs: impl IntoIterator<Item = BufId>) -> impl Iterator<Item = Access> {
        bufs.into_iter().map(|buf| Access::write(buf, Extent::All))
    }
}

impl Extent {
    /// Elements of `width` bytes, with strides and offset in elements.
    pub fn of_view(width: usize, offset: isize, dims: &[usize], strides: &[isize]) -> Extent {
        let one = width as isize;
        let dims = dims.iter().zip(strides).map(|(n, stride)| (*n, stride * one)).collect();
        Extent::Strided(Strided { offset: offset * one, dims, width }.normal())
    }

    /// Whether that is certainly all of a buffer of so many bytes.
    pub fn is_all(&self, bytes: usize) -> bool {
        match self {
            Extent::All => true,
            Extent::Strided(strided) => strided.is_dense() && strided.bytes() == bytes,
            Extent::Somewhere => false,
        }
    }
}

impl Strided {
    /// How many bytes elements have together; those seen twice count twice.
    pub fn bytes(&self) -> usize {
        self.dims.iter().fold(self.width, |n, (size, _)| n.saturating_mul(*size))
    }

    /// The first byte and the one behind the last; `None` if there are none.
    pub fn span(&self) -> Option<(isize, isize)> {
        if self.bytes() == 0 {
            return None;
        }
        let ends = self.dims.iter().map(|(size, stride)| (*size as isize - 1).saturating_mul(*stride));
        let (mut low, mut high) = (self.offset, self.offset);
        ends.for_each(|end| if end < 0 { low += end } else { high = high.saturating_add(end) });
        Some((low, high.saturating_add(self.width as isize)))
    }

    /// Whether bytes lie one after another from the start.
    fn is_dense(&self) -> bool {
        self.offset == 0 && self.dims.is_empty()
    }

    /// The same bytes with positive strides, the largest first; what is seen again, and dims that go on where the next
    /// one ends, are left out.
    pub fn normal(&self) -> Strided {
        let Strided { mut offset, width, .. } = *self;
        let mut dims: Vec<(usize, isize)> = Vec::new();
        for (size, stride) in
            self.dims.iter().filter(|(size, stride)| *size != 1 && (*stride != 0 || *size == 0))
        {
            if *stride < 0 {
                offset += stride * (*size as isize - 1);
            }
            let at = dims.iter().position(|(_, other)| *other < stride.abs()).unwrap_or(dims.len());
            dims.insert(at, (*size, stride.abs()));
        }
        let mut joined: Vec<(usize, isize)> = Vec::new();
        let mut width = width;
        for (size, stride) in dims.into_iter().rev() {
            match joined.last_mut() {
                None if stride == width as isize => width *= size,
                Some(inner) if stride == inner.1 * inner.0 as isize => inner.0 *= size,
                _ => joined.push((size, stride)),
            }
        }
        joined.reverse();
        Strided { offset, dims: joined, width }
    }
}

impl fmt::Display for Region {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "%{}", meshwright_base::Id::index(self.buf))?;
        match &self.extent {
            Extent::All => Ok(()),
            Extent::Somewhere => f.write_str("[?]"),
            Extent::Strided(Strided { offset, dims, width }) => {
                write!(f, "[{offset}")?;
                dims.iter().try_for_each(|(size, stride)| write!(f, " + {size} x {stride}"))?;
                write!(f, " : {width}]")
            }
        }
    }
}
