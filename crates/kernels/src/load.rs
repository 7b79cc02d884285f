//! Tiles from and to memory: any element type, any view.

use crate::convert::{float_bits, float_of_bits};
use crate::tile::{Held, Reg, TILE, Tiles, wrap_i32, wrap_u32};
use crate::view::Walk;
use meshwright_ir::DType;

/// Whether an element lies in memory as a tile holds it.
pub fn held_as_is(dtype: DType) -> bool {
    Held::of(dtype).bytes() == dtype.bytes()
}

/// Copy `n` elements that a walk visits into consecutive places.
///
/// # Safety
/// The walk must stay in the buffer; `to` must have room.
#[inline(always)]
pub unsafe fn collect<T: Copy>(
    base: *const T,
    walk: &mut Walk,
    dims: &[usize],
    strides: &[isize],
    to: *mut T,
    n: usize,
) {
    let inner = strides.last().copied().unwrap_or(0);
    let mut done = 0;
    while done < n {
        let run = walk.left(dims).min(n - done);
        // SAFETY: the caller's.
        unsafe {
            let from = base.offset(walk.at);
            let to = to.add(done);
            match inner {
                1 => std::ptr::copy_nonoverlapping(from, to, run),
                0 => std::slice::from_raw_parts_mut(to, run).fill(*from),
                step => (0..run).for_each(|i| *to.add(i) = *from.offset(step * i as isize)),
            }
        }
        walk.advance(dims, strides, run);
        done += run;
    }
}

/// As [`collect`], `bf16` to `f32` on the way.
///
/// # Safety
/// As [`collect`].
unsafe fn collect_bf16(
    base: *const u16,
    walk: &mut Walk,
    (dims, strides): (&[usize], &[isize]),
    to: *mut u32,
    n: usize,
) {
    let inner = strides.last().copied().unwrap_or(0);
    let mut done = 0;
    while done < n {
        let run = walk.left(dims).min(n - done);
        // SAFETY: the caller's.
        unsafe {
            let from = base.offset(walk.at);
            let to = std::slice::from_raw_parts_mut(to.add(done), run);
            match inner {
                1 => widen_bf16(std::slice::from_raw_parts(from, run), to),
                0 => to.fill(u32::from(*from) << 16),
                step => to.iter_mut().enumerate().for_each(|(i, to)| {
                    *to = u32::from(*from.offset(step * i as isize)) << 16;
                }),
            }
        }
        walk.advance(dims, strides, run);
        done += run;
    }
}

/// A loop with the widest vectors the CPU has.
macro_rules! wide_loop {
    ($name:ident, $wide:ident, $avx2:ident, $from:ty, $to:ty, $x:ident => $value:expr) => {
        fn $name(from: &[$from], to: &mut [$to]) {
            #[cfg(target_arch = "x86_64")]
            if crate::isa::avx512() {
                // SAFETY: the feature is there.
                return unsafe { $wide(from, to) };
            }
            #[cfg(target_arch = "x86_64")]
            if crate::isa::avx2() {
                // SAFETY: the feature is there.
                return unsafe { $avx2(from, to) };
            }
            from.iter().zip(to).for_each(|($x, to)| *to = $value);
        }
        #[cfg(target_arch = "x86_64")]
        #[target_feature(enable = "avx512f,avx512bw")]
        fn $wide(from: &[$from], to: &mut [$to]) {
            from.iter().zip(to).for_each(|($x, to)| *to = $value);
        }
        #[cfg(target_arch = "x86_64")]
        #[target_feature(enable = "avx2")]
        fn $avx2(from: &[$from], to: &mut [$to]) {
            from.iter().zip(to).for_each(|($x, to)| *to = $value);
        }
    };
}
wide_loop!(widen_bf16, widen_bf16_avx512, widen_bf16_avx2, u16, u32, x => u32::from(*x) << 16);
// Numbers that are rounded already.
wide_loop!(narrow_bf16, narrow_bf16_avx512, narrow_bf16_avx2, u32, u16, x => (*x >> 16) as u16);

/// Fill a tile with `n` elements that a walk visits.
///
/// # Safety
/// As [`collect`]; `n` must be at most [`TILE`].
pub unsafe fn load(
    dtype: DType,
    base: *const u8,
    walk: &mut Walk,
    (dims, strides): (&[usize], &[isize]),
    tiles: &Tiles,
    to: Reg,
    n: usize,
) {
    // SAFETY: the caller's.
    unsafe {
        match (held_as_is(dtype), dtype.bytes()) {
            (true, 1) => collect::<u8>(base, walk, dims, strides, tiles.ptr(to), n),
            (true, 4) => collect::<u32>(base.cast(), walk, dims, strides, tiles.ptr(to), n),
            (true, 8) => collect::<u64>(base.cast(), walk, dims, strides, tiles.ptr(to), n),
            (true, _) => collect::<[u64; 2]>(base.cast(), walk, dims, strides, tiles.ptr(to), n),
            (false, 1) => {
                let mut raw = [0u8; TILE];
                collect::<u8>(base, walk, dims, strides, raw.as_mut_ptr(), n);
                (0..n).for_each(|i| widen(dtype, u32::from(raw[i]), tiles, to, i));
            }
            (false, _) if dtype == DType::BF16 => {
                collect_bf16(base.cast(), walk, (dims, strides), tiles.ptr(to), n)
            }
            (false, _) => {
                let mut raw = [0u16; TILE];
                collect::<u16>(base.cast(), walk, dims, strides, raw.as_mut_ptr(), n);
                (0..n).for_each(|i| widen(dtype, u32::from(raw[i]), tiles, to, i));
            }
        }
    }
}

/// # Safety
/// `i` must lie in the tile.
unsafe fn widen(dtype: DType, bits: u32, tiles: &Tiles, to: Reg, i: usize) {
    // SAFETY: the caller's.
    unsafe {
        match Held::of(dtype) {
            Held::I32 => *tiles.ptr::<i32>(to).add(i) = wrap_i32(narrow_sign(dtype), bits as i32),
            Held::U32 => *tiles.ptr::<u32>(to).add(i) = bits,
            _ => *tiles.ptr::<f32>(to).add(i) = float_of_bits(dtype, bits),
        }
    }
}

/// Sub-byte signed types are stored sign extended in a byte.
fn narrow_sign(dtype: DType) -> DType {
    if dtype.bytes() == 1 { DType::S8 } else { dtype }
}

/// Write `n` elements of a tile to consecutive places.
///
/// # Safety
/// `to` must have room for `n` elements of the type.
pub unsafe fn store(dtype: DType, tiles: &Tiles, from: Reg, to: *mut u8, n: usize) {
    // SAFETY: the caller's.
    unsafe {
        if held_as_is(dtype) {
            std::ptr::copy(tiles.ptr::<u8>(from), to, n * dtype.bytes());
            return;
        }
        if dtype == DType::BF16 {
            let from = std::slice::from_raw_parts(tiles.ptr::<u32>(from).cast_const(), n);
            return narrow_bf16(from, std::slice::from_raw_parts_mut(to.cast(), n));
        }
        for i in 0..n {
            let bits = match Held::of(dtype) {
                Held::I32 => wrap_i32(dtype, *tiles.ptr::<i32>(from).add(i)) as u32,
                Held::U32 => wrap_u32(dtype, *tiles.ptr::<u32>(from).add(i)),
                _ => float_bits(dtype, *tiles.ptr::<f32>(from).add(i)),
            };
            match dtype.bytes() {
                1 => *to.add(i) = bits as u8,
                _ => *to.cast::<u16>().add(i) = bits as u16,
            }
        }
    }
}

/// Put one element (as bytes of its type) into all places of a tile.
pub fn splat(dtype: DType, element: &[u8; 16], tiles: &Tiles, to: Reg) {
    splat_some(dtype, element, tiles, to, TILE);
}

/// The same for the first elements of a tile.
pub fn splat_some(dtype: DType, element: &[u8; 16], tiles: &Tiles, to: Reg, n: usize) {
    #[repr(align(16))]
    struct Aligned([u8; 16]);
    let aligned = Aligned(*element);
    let mut walk = Walk::new(&[TILE], &[0], 0);
    // SAFETY: the walk visits the one element again and again; a tile has no more than it.
    unsafe { load(dtype, aligned.0.as_ptr(), &mut walk, (&[TILE], &[0]), tiles, to, n.min(TILE)) }
}

/// Read an integer element.
///
/// # Safety
/// There must be an element of the type at `at`.
pub unsafe fn integer(dtype: DType, at: *const u8) -> i64 {
    // SAFETY: the caller's.
    unsafe {
        match dtype {
            DType::S2 | DType::S4 | DType::S8 => i64::from(*at.cast::<i8>()),
            DType::S16 => i64::from(*at.cast::<i16>()),
            DType::S32 => i64::from(*at.cast::<i32>()),
            DType::S64 => *at.cast::<i64>(),
            DType::U16 => i64::from(*at.cast::<u16>()),
            DType::U32 => i64::from(*at.cast::<u32>()),
            DType::U64 => i64::try_from(*at.cast::<u64>()).unwrap_or(i64::MAX),
            _ => i64::from(*at),
        }
    }
}
