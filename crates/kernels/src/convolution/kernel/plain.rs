//! 6 x 16 results, and 8 lanes, of whatever vectors the compiler has for every CPU of the target.

use super::{Kernel, OnVectors, Vector};
use crate::gemm::any::{FUSES, Number, fused, pack_panels};
use crate::gemm::sums::Segments;
use crate::gemm::{Strided, Target};

const ROWS: usize = 6;
const COLUMNS: usize = 16;
const LANES: usize = 8;

pub struct Plain;

impl Kernel for Plain {
    type Vector = Lanes;
    const COLUMNS: usize = COLUMNS;

    fn rows(left: usize) -> usize {
        left.min(ROWS)
    }

    unsafe fn tile((rows, columns): (usize, usize), a: Segments<'_>, panel: *const f32, c: Target) {
        // Each row by itself and written out: arrays of arrays stay in memory.
        let [mut p, mut q, mut r, mut s, mut t, mut u] = [[0f32; COLUMNS]; ROWS];
        let mut line = panel;
        for start in a.starts {
            let mut from = a.at.wrapping_byte_offset(*start);
            for _ in 0..a.depth {
                // SAFETY: the caller's.
                let (x, y) = unsafe {
                    let x: [f32; ROWS] = std::array::from_fn(|row| *from.offset(row as isize * a.row));
                    (x, &*line.cast::<[f32; COLUMNS]>())
                };
                p = fused::<f32, COLUMNS, FUSES>(p, x[0], y);
                q = fused::<f32, COLUMNS, FUSES>(q, x[1], y);
                r = fused::<f32, COLUMNS, FUSES>(r, x[2], y);
                s = fused::<f32, COLUMNS, FUSES>(s, x[3], y);
                t = fused::<f32, COLUMNS, FUSES>(t, x[4], y);
                u = fused::<f32, COLUMNS, FUSES>(u, x[5], y);
                (from, line) = (from.wrapping_offset(a.step), line.wrapping_add(COLUMNS));
            }
        }
        for (row, sums) in [p, q, r, s, t, u].iter().enumerate().take(rows) {
            let to = c.at.wrapping_offset(row as isize * c.row);
            for (column, sum) in sums.iter().enumerate().take(columns) {
                // SAFETY: the caller's.
                unsafe {
                    let to = to.add(column);
                    *to = if c.add { *sum + *to } else { *sum };
                }
            }
        }
    }

    unsafe fn pack(b: Strided, depth: usize, columns: usize, to: *mut f32) {
        // SAFETY: the caller's.
        unsafe { pack_panels::<f32, COLUMNS>(b, depth, columns, to) };
    }

    unsafe fn on_vectors(work: &impl OnVectors) {
        // SAFETY: the caller's.
        unsafe { work.run::<Lanes>() }
    }
}

/// Eight numbers.
#[derive(Clone, Copy)]
pub struct Lanes([f32; LANES]);

impl Vector for Lanes {
    const LANES: usize = LANES;
    const SUMS: usize = 12;
    type First = usize;
    type Order = [u8; LANES];

    #[inline(always)]
    fn first(count: usize) -> usize {
        count.min(LANES)
    }

    #[inline(always)]
    fn order(from: impl Fn(usize) -> usize) -> [u8; LANES] {
        std::array::from_fn(|lane| from(lane) as u8)
    }

    #[inline(always)]
    fn zero() -> Lanes {
        Lanes([0.0; LANES])
    }

    #[inline(always)]
    unsafe fn load(at: *const f32) -> Lanes {
        // SAFETY: the caller's.
        Lanes(unsafe { *at.cast() })
    }

    #[inline(always)]
    unsafe fn load_first(at: *const f32, first: usize) -> Lanes {
        let mut lanes = [0.0; LANES];
        // SAFETY: the caller's.
        unsafe { lanes.as_mut_ptr().copy_from_nonoverlapping(at, first) };
        Lanes(lanes)
    }

    #[inline(always)]
    unsafe fn store(self, at: *mut f32) {
        // SAFETY: the caller's.
        unsafe { *at.cast() = self.0 };
    }

    #[inline(always)]
    unsafe fn store_first(self, at: *mut f32, first: usize) {
        // SAFETY: the caller's.
        unsafe { at.copy_from_nonoverlapping(self.0.as_ptr(), first) };
    }

    #[inline(always)]
    fn taken(self, order: [u8; LANES]) -> Lanes {
        Lanes(order.map(|from| self.0[usize::from(from) % LANES]))
    }

    #[inline(always)]
    fn fused(self, x: Lanes, y: Lanes) -> Lanes {
        let of = |i: usize| {
            if FUSES { self.0[i].fused(x.0[i], y.0[i]) } else { self.0[i].fused_slowly(x.0[i], y.0[i]) }
        };
        Lanes(std::array::from_fn(of))
    }

    #[inline(always)]
    fn plus(self, x: Lanes) -> Lanes {
        Lanes(std::array::from_fn(|i| self.0[i] + x.0[i]))
    }
}
