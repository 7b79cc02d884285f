//! Moving elements between views, and filling.

use crate::load::integer;
use crate::step::{At, Bases, BufId, Counter};
use crate::view::Walk;
use meshwright_ir::DType;
use meshwright_runtime::Workers;
use meshwright_steps::{Access, Extent};
use transposed::{BAND, band as transposed_band};

mod transposed;

/// Elements of a piece.
const PIECE: usize = 1 << 15;

/// A place that is known only when the program runs, in steps of `stride` elements, clamped to `0..=max`.
#[derive(Clone, PartialEq, Debug)]
pub struct Place {
    pub from: PlaceFrom,
    pub stride: isize,
    pub max: i64,
}

#[derive(Clone, PartialEq, Debug)]
pub enum PlaceFrom {
    /// Trip of a loop; `reverse`: counted from the last.
    Counter {
        counter: Counter,
        reverse: bool,
    },
    Scalar {
        buf: BufId,
        dtype: DType,
    },
}

/// A part of a buffer that is found when the program runs: another buffer begins there from then on.
#[derive(Clone, PartialEq, Debug)]
pub struct Alias {
    pub to: BufId,
    pub of: BufId,
    pub width: usize,
    pub offset: isize,
    pub places: Vec<Place>,
}

impl Alias {
    pub fn accesses(&self) -> Vec<Access> {
        let found = [Access::read(self.of, Extent::Somewhere), Access::write(self.to, Extent::All)];
        Access::reads(scalars(&self.places)).chain(found).collect()
    }

    pub fn find(&self, bases: &Bases, counters: &[i64]) -> *mut u8 {
        let place = self.offset + shift(&self.places, bases, counters);
        bases.at(self.of).wrapping_offset(place * self.width as isize)
    }
}

/// Buffers that places are read from.
fn scalars(places: &[Place]) -> impl Iterator<Item = BufId> {
    places.iter().filter_map(|place| match &place.from {
        PlaceFrom::Scalar { buf, .. } => Some(*buf),
        PlaceFrom::Counter { .. } => None,
    })
}

/// Copy a view of one buffer to a view of another. Both have the same dims.
#[derive(Clone, PartialEq, Debug)]
pub struct Copy {
    pub from: BufId,
    pub to: BufId,
    /// Bytes of an element.
    pub width: usize,
    pub dims: Vec<usize>,
    pub source: Vec<isize>,
    pub source_offset: isize,
    pub target: Vec<isize>,
    pub target_offset: isize,
    pub source_places: Vec<Place>,
    pub target_places: Vec<Place>,
    /// The copy writes all of the target, in order, from all of the source.
    pub whole: bool,
    /// Other copies into the target are pieces too, and write other elements.
    pub piece: bool,
}

impl Copy {
    pub fn accesses(&self) -> Vec<Access> {
        let extent = |places: &[Place], offset: isize, strides: &[isize]| {
            if places.is_empty() {
                Extent::of_view(self.width, offset, &self.dims, strides)
            } else {
                Extent::Somewhere
            }
        };
        let from = extent(&self.source_places, self.source_offset, &self.source);
        let to = extent(&self.target_places, self.target_offset, &self.target);
        let places = scalars(&self.source_places).chain(scalars(&self.target_places));
        let moved = [Access::read(self.from, from), Access::write(self.to, to)];
        Access::reads(places).chain(moved).collect()
    }

    pub fn run(&self, bases: &Bases, counters: &[i64], workers: &dyn Workers) {
        let source = self.source_offset + shift(&self.source_places, bases, counters);
        let target = self.target_offset + shift(&self.target_places, bases, counters);
        let width = self.width as isize;
        let from = At(bases.at(self.from).wrapping_offset(source * width));
        let to = At(bases.at(self.to).wrapping_offset(target * width));
        match self.width {
            1 => self.moved::<u8>(from, to, workers),
            2 => self.moved::<u16>(from, to, workers),
            4 => self.moved::<u32>(from, to, workers),
            8 => self.moved::<u64>(from, to, workers),
            _ => self.moved::<[u64; 2]>(from, to, workers),
        }
    }

    fn way(&self) -> Way {
        let rank = self.dims.len();
        if rank >= 2
            && self.target[rank - 1] == 1
            && self.source[rank - 1] != 1
            && let Some(d) = (0..rank - 1).rev().find(|d| self.source[*d] == 1)
        {
            return Way::Transposed(d);
        }
        if rank >= 2 && self.dims[rank - 1] < SHORT { Way::ShortRows } else { Way::Runs }
    }

    pub fn pieces(&self) -> usize {
        let (count, rank) = (self.dims.iter().product::<usize>(), self.dims.len());
        match self.way() {
            _ if count == 0 => 0,
            Way::Transposed(d) => {
                let (bands, columns) = (self.dims[d].div_ceil(BAND), self.dims[rank - 1]);
                let outer = count / (self.dims[d] * columns);
                (outer * bands).div_ceil(bands_of_a_piece(columns))
            }
            Way::ShortRows => (count / self.dims[rank - 1]).div_ceil((PIECE / self.dims[rank - 1]).max(1)),
            Way::Runs => count.div_ceil(PIECE),
        }
    }

    fn moved<T: std::marker::Copy>(&self, from: At, to: At, workers: &dyn Workers) {
        let count: usize = self.dims.iter().product();
        if count == 0 {
            return;
        }
        match self.way() {
            Way::Transposed(d) => return self.transposed::<T>(d, from, to, workers),
            Way::ShortRows => return self.short_rows::<T>(from, to, workers),
            Way::Runs => {}
        }
        workers.each(count.div_ceil(PIECE), &|piece| {
            let (from, to) = (from, to);
            let start = piece * PIECE;
            let mut left = PIECE.min(count - start);
            let mut a = Walk::new(&self.dims, &self.source, start);
            let mut b = Walk::new(&self.dims, &self.target, start);
            let (step_a, step_b) =
                (self.source.last().copied().unwrap_or(0), self.target.last().copied().unwrap_or(0));
            while left > 0 {
                let run = a.left(&self.dims).min(left);
                // SAFETY: both views lie in their buffers.
                unsafe {
                    row::<T>(
                        from.0.cast::<T>().offset(a.at),
                        step_a,
                        to.0.cast::<T>().offset(b.at),
                        step_b,
                        run,
                    )
                };
                a.advance(&self.dims, &self.source, run);
                b.advance(&self.dims, &self.target, run);
                left -= run;
            }
        });
    }

    /// Rows of few elements: all rows of the next dim in one loop.
    fn short_rows<T: std::marker::Copy>(&self, from: At, to: At, workers: &dyn Workers) {
        let (rank, n) = (self.dims.len(), self.dims[self.dims.len() - 1]);
        let dims = &self.dims[..rank - 1];
        let (source, target) = (&self.source[..rank - 1], &self.target[..rank - 1]);
        let rows: usize = dims.iter().product();
        let per = PIECE / n;
        let steps = [self.source[rank - 1], self.target[rank - 1]];
        let apart = [source[rank - 2], target[rank - 2]];
        workers.each(rows.div_ceil(per), &|piece| {
            let start = piece * per;
            let mut left = per.min(rows - start);
            let (mut a, mut b) = (Walk::new(dims, source, start), Walk::new(dims, target, start));
            while left > 0 {
                let run = a.left(dims).min(left);
                // SAFETY: both views lie in their buffers.
                unsafe {
                    let (from, to) = (from.ptr().cast::<T>().offset(a.at), to.ptr().cast::<T>().offset(b.at));
                    match n {
                        2 => short::<T, 2>(from, to, apart, steps, run),
                        3 => short::<T, 3>(from, to, apart, steps, run),
                        4 => short::<T, 4>(from, to, apart, steps, run),
                        8 => short::<T, 8>(from, to, apart, steps, run),
                        _ => (0..run as isize).for_each(|i| {
                            let (from, to) = (from.offset(i * apart[0]), to.offset(i * apart[1]));
                            elements(from, to, steps, n);
                        }),
                    }
                }
                a.advance(dims, source, run);
                b.advance(dims, target, run);
                left -= run;
            }
        });
    }

    /// The source is dense along dim `d`, the target along the last: go by blocks that are transposed in registers, in
    /// the order in which the source lies.
    fn transposed<T: std::marker::Copy>(&self, d: usize, from: At, to: At, workers: &dyn Workers) {
        let last = self.dims.len() - 1;
        let mut others: Vec<usize> = (0..last).filter(|i| *i != d).collect();
        others.sort_by_key(|i| std::cmp::Reverse(self.source[*i].abs()));
        let dims: Vec<usize> = others.iter().map(|i| self.dims[*i]).collect();
        let pick = |strides: &[isize]| others.iter().map(|i| strides[*i]).collect::<Vec<_>>();
        let (outer_a, outer_b) = (pick(&self.source), pick(&self.target));
        let outer: usize = dims.iter().product();
        let (rows, columns) = (self.dims[d], self.dims[last]);
        let steps = (self.source[last], self.target[d]);
        let bands = rows.div_ceil(BAND);
        let per = bands_of_a_piece(columns);
        workers.each((outer * bands).div_ceil(per), &|piece| {
            let (from, to) = (from, to);
            for band in piece * per..((piece + 1) * per).min(outer * bands) {
                let a = Walk::new(&dims, &outer_a, band / bands).at;
                let b = Walk::new(&dims, &outer_b, band / bands).at;
                let row = band % bands * BAND;
                let from = from.0.cast::<T>().wrapping_offset(a + row as isize);
                let to = to.0.cast::<T>().wrapping_offset(b + row as isize * steps.1);
                // SAFETY: both views lie in their buffers.
                unsafe { transposed_band(from, to, steps, (BAND.min(rows - row), columns)) };
            }
        });
    }
}

/// How elements are gone through.
enum Way {
    /// Those that lie along this dim of the source lie along the last of the target.
    Transposed(usize),
    ShortRows,
    Runs,
}

fn bands_of_a_piece(columns: usize) -> usize {
    (PIECE / (BAND * columns).max(1)).max(1)
}

/// Rows of fewer elements than this are short.
const SHORT: usize = 16;

/// # Safety
/// All elements must exist.
#[inline(always)]
unsafe fn elements<T: std::marker::Copy>(from: *const T, to: *mut T, steps: [isize; 2], n: usize) {
    for i in 0..n as isize {
        // SAFETY: the caller's.
        unsafe { *to.offset(i * steps[1]) = *from.offset(i * steps[0]) };
    }
}

/// Rows of `N` elements, `apart` from each other.
///
/// # Safety
/// All elements must exist.
unsafe fn short<T: std::marker::Copy, const N: usize>(
    from: *const T,
    to: *mut T,
    apart: [isize; 2],
    steps: [isize; 2],
    rows: usize,
) {
    for i in 0..rows as isize {
        // SAFETY: the caller's.
        unsafe {
            let (from, to) = (from.offset(i * apart[0]), to.offset(i * apart[1]));
            match steps {
                [1, 1] => elements(from, to, [1, 1], N),
                _ => elements(from, to, steps, N),
            }
        }
    }
}

fn shift(places: &[Place], bases: &Bases, counters: &[i64]) -> isize {
    let one = |place: &Place| {
        let index = match &place.from {
            PlaceFrom::Counter { counter, reverse: false } => counters[*counter],
            PlaceFrom::Counter { counter, reverse: true } => place.max - counters[*counter],
            // SAFETY: the buffer holds one element of the type.
            PlaceFrom::Scalar { buf, dtype } => unsafe { integer(*dtype, bases.at(*buf)) },
        };
        index.clamp(0, place.max.max(0)) as isize * place.stride
    };
    places.iter().map(one).sum()
}

/// # Safety
/// Both runs must lie in their buffers.
#[inline(always)]
unsafe fn row<T: std::marker::Copy>(from: *const T, step_a: isize, to: *mut T, step_b: isize, n: usize) {
    // SAFETY: the caller's.
    unsafe {
        match (step_a, step_b) {
            (1, 1) => std::ptr::copy(from, to, n),
            (0, 1) => std::slice::from_raw_parts_mut(to, n).fill(*from),
            _ => {
                for i in 0..n as isize {
                    *to.offset(i * step_b) = *from.offset(i * step_a);
                }
            }
        }
    }
}

/// Fill a buffer with one element.
#[derive(Clone, PartialEq, Debug)]
pub struct Fill {
    pub to: BufId,
    pub element: [u8; 16],
    pub width: usize,
    pub count: usize,
}

impl Fill {
    pub fn accesses(&self) -> Vec<Access> {
        vec![Access::write(self.to, Extent::of_view(self.width, 0, &[self.count], &[1]))]
    }

    pub fn run(&self, bases: &Bases, workers: &dyn Workers) {
        let at = At(bases.at(self.to));
        let word = |bytes: usize| &self.element[..bytes];
        match self.width {
            1 => self.fill(at, self.element[0], workers),
            2 => self.fill(at, u16::from_le_bytes(word(2).try_into().unwrap_or_default()), workers),
            4 => self.fill(at, u32::from_le_bytes(word(4).try_into().unwrap_or_default()), workers),
            8 => self.fill(at, u64::from_le_bytes(word(8).try_into().unwrap_or_default()), workers),
            _ => self.fill(at, self.element, workers),
        }
    }

    pub fn pieces(&self) -> usize {
        self.count.div_ceil(PIECE)
    }

    fn fill<T: std::marker::Copy + Sync>(&self, at: At, x: T, workers: &dyn Workers) {
        workers.each(self.pieces(), &|piece| {
            let start = piece * PIECE;
            let n = PIECE.min(self.count - start);
            // SAFETY: the buffer has `count` elements.
            unsafe { std::slice::from_raw_parts_mut(at.ptr().cast::<T>().add(start), n).fill(x) };
        });
    }
}
