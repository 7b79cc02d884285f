//! Collectives in shared memory: one group joined at once, reading its members' operands in place.
//!
//! Sums are taken in ascending position: the first member's element, then the others added one by one, narrow floats in
//! `f32` (or the wider type the program asks for) and rounded once. Work is cut into pieces by shape. Every piece reads
//! all members and writes all results, so a sum moves each operand once and each result once.

use crate::pool::Workers;
use crate::site::Site;
use crate::{RunError, RunErrorKind, stream};
use half::{bf16, f16};
use meshwright_ir::op::CollectiveKind;
use meshwright_ir::{DType, TensorType, small_float};
use meshwright_shard::Reducer;

/// Elements of a piece.
const PIECE: usize = 1 << 16;
/// Elements of all members that are added up at a time, in registers.
const LANES: usize = 16;

/// Operands of one member.
pub type Operands<'a> = &'a [*const u8];
/// Results of one member; `None` where nobody here needs them.
pub type Results<'a> = Option<&'a [*mut u8]>;

/// `outer` runs of `len` elements, `from_step` and `to_step` apart.
#[derive(Clone, Copy, Debug)]
struct Runs {
    outer: usize,
    len: usize,
    from: usize,
    from_step: usize,
    to: usize,
    to_step: usize,
}

/// How results are written: past the caches if they are much larger than these.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Store {
    Cached,
    Streamed,
}

impl Store {
    fn of(result: &TensorType) -> Store {
        Store::of_all(result, 1)
    }

    /// For so many results, all written before one of them is read.
    fn of_all(result: &TensorType, count: usize) -> Store {
        if elements(result).saturating_mul(result.dtype.bytes()).saturating_mul(count) >= stream::LARGE {
            Store::Streamed
        } else {
            Store::Cached
        }
    }

    /// # Safety
    /// `bytes` bytes lie at both places, which are the same or do not overlap.
    unsafe fn copy(self, from: *const u8, to: *mut u8, bytes: usize) {
        match self {
            _ if std::ptr::eq(from, to) => {}
            // SAFETY: the caller's promise.
            Store::Cached => unsafe { std::ptr::copy_nonoverlapping(from, to, bytes) },
            // SAFETY: the caller's promise.
            Store::Streamed => unsafe { stream::copy(from, to, bytes) },
        }
    }

    /// A piece has been written.
    fn finish(self) {
        if self == Store::Streamed {
            stream::finish();
        }
    }
}

/// Addresses that may cross to other workers.
#[derive(Clone, Copy)]
struct At(*mut u8);
// SAFETY: pieces write disjoint places; all buffers live until the group is joined.
unsafe impl Send for At {}
// SAFETY: as above.
unsafe impl Sync for At {}

impl At {
    fn add(self, bytes: usize) -> *mut u8 {
        self.0.wrapping_add(bytes)
    }
}

/// Join a group. Addresses must be those of buffers of the site's types, which nobody else touches meanwhile.
pub fn join_group(
    site: &Site,
    group: usize,
    operands: &[Operands<'_>],
    results: &[Results<'_>],
    workers: &dyn Workers,
) -> Result<(), RunError> {
    match &site.kind {
        CollectiveKind::AllReduce => {
            for (k, ty) in site.operands.iter().enumerate() {
                let count = elements(ty);
                let whole = Runs { outer: 1, len: count, from: 0, from_step: 0, to: 0, to_step: 0 };
                let targets: Vec<At> = results.iter().flatten().map(|own| At(own[k])).collect();
                let store = Store::of(&site.results[k]);
                reduce(site, k, (&sources(operands, k), &targets, store), whole, workers)?;
            }
        }
        CollectiveKind::ReduceScatter { dim } => {
            for (k, ty) in site.operands.iter().enumerate() {
                for (position, own) in results.iter().enumerate() {
                    let Some(own) = own else { continue };
                    let runs = piece_of(ty, *dim, position, results.len());
                    let store = Store::of_all(&site.results[k], results.len());
                    reduce(site, k, (&sources(operands, k), &[At(own[k])], store), runs, workers)?;
                }
            }
        }
        CollectiveKind::AllGather { dim } => {
            for (k, ty) in site.operands.iter().enumerate() {
                let (outer, row) = rows(ty, *dim);
                for (position, from) in operands.iter().enumerate() {
                    let to = position * row;
                    let to_step = row * operands.len();
                    let runs = Runs { outer, len: row, from: 0, from_step: row, to, to_step };
                    let targets: Vec<At> = results.iter().flatten().map(|own| At(own[k])).collect();
                    let store = Store::of(&site.results[k]);
                    copy(ty.dtype.bytes(), At(from[k].cast_mut()), &targets, runs, store, workers);
                }
            }
        }
        CollectiveKind::AllToAll { split_dim, concat_dim, .. } => {
            for k in 0..site.operands.len() {
                all_to_all(site, k, (*split_dim, *concat_dim), operands, results, workers);
            }
        }
        CollectiveKind::AllToAllTuple => {
            for (position, own) in results.iter().enumerate() {
                for (i, from) in operands.iter().enumerate() {
                    let Some(own) = own else { continue };
                    copy_whole(&site.operands[i], from[position], &[At(own[i])], workers);
                }
            }
        }
        CollectiveKind::Broadcast => {
            for (k, ty) in site.operands.iter().enumerate() {
                let targets: Vec<At> = results.iter().flatten().map(|own| At(own[k])).collect();
                copy_whole(ty, operands[0][k], &targets, workers);
            }
        }
        CollectiveKind::Permute { pairs } => permute(site, group, pairs, operands, results, workers),
    }
    Ok(())
}

fn sources(operands: &[Operands<'_>], k: usize) -> Vec<At> {
    operands.iter().map(|own| At(own[k].cast_mut())).collect()
}

fn elements(ty: &TensorType) -> usize {
    usize::try_from(ty.elements()).unwrap_or(0)
}

/// Number of rows before `dim` and elements of each.
fn rows(ty: &TensorType, dim: usize) -> (usize, usize) {
    let count = |dims: &[i64]| dims.iter().map(|dim| *dim as usize).product::<usize>();
    (count(&ty.dims[..dim]), count(&ty.dims[dim..]))
}

/// Piece `index` of `count` equal ones along a dim, to a dense target.
fn piece_of(ty: &TensorType, dim: usize, index: usize, count: usize) -> Runs {
    let (outer, row) = rows(ty, dim);
    let len = row / count;
    Runs { outer, len, from: index * len, from_step: row, to: 0, to_step: len }
}

fn all_to_all(
    site: &Site,
    k: usize,
    (split, concat): (usize, usize),
    operands: &[Operands<'_>],
    results: &[Results<'_>],
    workers: &dyn Workers,
) {
    let ty = &site.operands[k];
    let store = Store::of(&site.results[k]);
    let members = operands.len();
    let mut piece = ty.clone();
    piece.dims[split] /= members as i64;
    for (position, own) in results.iter().enumerate() {
        let Some(own) = own else { continue };
        for (i, from) in operands.iter().enumerate() {
            // Source: piece `position` along `split`. Target: part `i` along `concat` of the result.
            let source = Strides::of(&ty.dims, split, position * piece.dims[split] as usize);
            let target = Strides::of(&site.results[k].dims, concat, i * piece.dims[concat] as usize);
            let places = (At(from[k].cast_mut()), At(own[k]));
            copy_box(ty.dtype.bytes(), &piece.dims, places, (&source, &target), store, workers);
        }
    }
}

/// Row-major strides of an array and where a box in it starts, in elements.
struct Strides {
    strides: Vec<usize>,
    start: usize,
}

impl Strides {
    fn of(dims: &[i64], dim: usize, at: usize) -> Strides {
        let mut strides = vec![1; dims.len()];
        for d in (0..dims.len().saturating_sub(1)).rev() {
            strides[d] = strides[d + 1] * dims[d + 1] as usize;
        }
        let start = strides[dim] * at;
        Strides { strides, start }
    }
}

/// Copy a box of `dims` elements between two arrays.
fn copy_box(
    width: usize,
    dims: &[i64],
    (from, to): (At, At),
    (source, target): (&Strides, &Strides),
    store: Store,
    workers: &dyn Workers,
) {
    let dims: Vec<usize> = dims.iter().map(|dim| *dim as usize).collect();
    let mut inner = dims.len();
    let mut run = 1;
    while inner > 0 && source.strides[inner - 1] == run && target.strides[inner - 1] == run {
        run *= dims[inner - 1];
        inner -= 1;
        if inner > 0 && (source.strides[inner - 1] != run || target.strides[inner - 1] != run) {
            break;
        }
    }
    let count: usize = dims[..inner].iter().product();
    let per = (PIECE / run.max(1)).max(1);
    // A long run is cut, so that there is work for all.
    let cuts = run.div_ceil(PIECE).max(1);
    workers.each(count.div_ceil(per) * cuts, &|piece| {
        let (from, to) = (from, to);
        let (block, cut) = (piece / cuts, piece % cuts * PIECE);
        let len = PIECE.min(run - cut);
        for index in block * per..((block + 1) * per).min(count) {
            let (mut rest, mut a, mut b) = (index, source.start + cut, target.start + cut);
            for d in (0..inner).rev() {
                let at = rest % dims[d];
                rest /= dims[d];
                a += at * source.strides[d];
                b += at * target.strides[d];
            }
            // SAFETY: the box lies in both arrays.
            unsafe { store.copy(from.add(a * width), to.add(b * width), len * width) };
        }
        store.finish();
    });
}

fn permute(
    site: &Site,
    group: usize,
    pairs: &[(u32, u32)],
    operands: &[Operands<'_>],
    results: &[Results<'_>],
    workers: &dyn Workers,
) {
    let members = &site.groups[group];
    let number = |device: &crate::DeviceId| meshwright_base::Id::index(*device) as u32;
    let place = |device: u32| members.iter().position(|member| number(member) == device);
    for (position, own) in results.iter().enumerate() {
        let Some(own) = own else { continue };
        let source = pairs.iter().find(|pair| pair.1 == number(&members[position]));
        let source = source.and_then(|pair| place(pair.0));
        for (k, ty) in site.operands.iter().enumerate() {
            match source {
                Some(source) => copy_whole(ty, operands[source][k], &[At(own[k])], workers),
                // SAFETY: the result has as many bytes as its type.
                None => unsafe { own[k].write_bytes(0, elements(ty) * ty.dtype.bytes()) },
            }
        }
    }
}

fn copy_whole(ty: &TensorType, from: *const u8, targets: &[At], workers: &dyn Workers) {
    let runs = Runs { outer: 1, len: elements(ty), from: 0, from_step: 0, to: 0, to_step: 0 };
    copy(ty.dtype.bytes(), At(from.cast_mut()), targets, runs, Store::of(ty), workers);
}

/// Cut runs into pieces: calls with (place in the source, place in the target, elements).
fn each_piece(runs: Runs, store: Store, workers: &dyn Workers, run: &(dyn Fn(usize, usize, usize) + Sync)) {
    if runs.len == 0 || runs.outer == 0 {
        return;
    }
    let cuts = runs.len.div_ceil(PIECE);
    let rows = (PIECE / runs.len).max(1);
    workers.each(runs.outer.div_ceil(rows) * cuts, &|piece| {
        let (block, cut) = (piece / cuts, piece % cuts);
        let at = cut * PIECE;
        let len = PIECE.min(runs.len - at);
        for row in block * rows..((block + 1) * rows).min(runs.outer) {
            run(runs.from + row * runs.from_step + at, runs.to + row * runs.to_step + at, len);
        }
        store.finish();
    });
}

fn copy(width: usize, from: At, targets: &[At], runs: Runs, store: Store, workers: &dyn Workers) {
    each_piece(runs, store, workers, &|a, b, len| {
        for to in targets {
            // SAFETY: runs lie in the source and in every target.
            unsafe { store.copy(from.add(a * width), to.add(b * width), len * width) };
        }
    });
}

/// How elements of a type are held while they are added up.
trait Element: Copy + Send + Sync + 'static {
    type Wide: Copy;
    fn widen(self) -> Self::Wide;
    fn narrow(wide: Self::Wide) -> Self;
    fn combine(reducer: Reducer, a: Self::Wide, b: Self::Wide) -> Self::Wide;
}

macro_rules! integer {
    ($($ty:ty),*) => {$(
        impl Element for $ty {
            type Wide = $ty;
            #[inline(always)]
            fn widen(self) -> $ty { self }
            #[inline(always)]
            fn narrow(wide: $ty) -> $ty { wide }
            #[inline(always)]
            fn combine(reducer: Reducer, a: $ty, b: $ty) -> $ty {
                match reducer {
                    Reducer::Sum => a.wrapping_add(b),
                    Reducer::Product => a.wrapping_mul(b),
                    Reducer::Min => a.min(b),
                    Reducer::Max => a.max(b),
                    Reducer::And => a & b,
                    Reducer::Or => a | b,
                    Reducer::Xor => a ^ b,
                }
            }
        }
    )*};
}
integer!(i8, i16, i32, i64, u8, u16, u32, u64);

macro_rules! float_combine {
    ($ty:ty) => {
        #[inline(always)]
        fn combine(reducer: Reducer, a: $ty, b: $ty) -> $ty {
            match reducer {
                Reducer::Product => a * b,
                Reducer::Max => {
                    if a.is_nan() || a > b || (a == b && b.is_sign_negative()) {
                        a
                    } else {
                        b
                    }
                }
                Reducer::Min => {
                    if a.is_nan() || a < b || (a == b && a.is_sign_negative()) {
                        a
                    } else {
                        b
                    }
                }
                Reducer::Sum | Reducer::And | Reducer::Or | Reducer::Xor => a + b,
            }
        }
    };
}

macro_rules! float {
    ($ty:ty, $wide:ty, $widen:expr, $narrow:expr) => {
        impl Element for $ty {
            type Wide = $wide;
            #[inline(always)]
            fn widen(self) -> $wide {
                $widen(self)
            }
            #[inline(always)]
            fn narrow(wide: $wide) -> $ty {
                $narrow(wide)
            }
            float_combine!($wide);
        }
    };
}
float!(f32, f32, |x| x, |x| x);
float!(f64, f64, |x| x, |x| x);
float!(bf16, f32, bf16::to_f32, bf16::from_f32);
float!(f16, f32, f16::to_f32, f16::from_f32);

/// `pred`: sum is or, product is and.
#[derive(Clone, Copy)]
#[repr(transparent)]
struct Bit(u8);

impl Element for Bit {
    type Wide = u8;
    fn widen(self) -> u8 {
        self.0
    }
    fn narrow(wide: u8) -> Bit {
        Bit(wide)
    }
    fn combine(reducer: Reducer, a: u8, b: u8) -> u8 {
        match reducer {
            Reducer::Sum | Reducer::Or | Reducer::Max => a | b,
            Reducer::Product | Reducer::And | Reducer::Min => a & b,
            Reducer::Xor => a ^ b,
        }
    }
}

/// Narrow in memory, `f64` in the sum.
#[derive(Clone, Copy)]
#[repr(transparent)]
struct InF64<T>(T);

macro_rules! in_f64 {
    ($ty:ty, $widen:expr, $narrow:expr) => {
        impl Element for InF64<$ty> {
            type Wide = f64;
            fn widen(self) -> f64 {
                $widen(self.0)
            }
            fn narrow(wide: f64) -> Self {
                InF64($narrow(wide))
            }
            float_combine!(f64);
        }
    };
}
in_f64!(f32, f64::from, |x| x as f32);
in_f64!(bf16, bf16::to_f64, bf16::from_f64);
in_f64!(f16, f16::to_f64, f16::from_f64);

/// A complex number as it lies in memory.
#[derive(Clone, Copy)]
#[repr(C)]
struct Complex<T>(T, T);

macro_rules! complex {
    ($ty:ty) => {
        impl Element for Complex<$ty> {
            type Wide = Complex<$ty>;
            fn widen(self) -> Self {
                self
            }
            fn narrow(wide: Self) -> Self {
                wide
            }
            fn combine(reducer: Reducer, a: Self, b: Self) -> Self {
                match reducer {
                    Reducer::Product => Complex(a.0 * b.0 - a.1 * b.1, a.0 * b.1 + a.1 * b.0),
                    _ => Complex(a.0 + b.0, a.1 + b.1),
                }
            }
        }
    };
}
complex!(f32);
complex!(f64);

/// An 8-bit float by its number in [`DType`], held in `f32`.
macro_rules! small {
    ($name:ident, $dtype:expr) => {
        #[derive(Clone, Copy)]
        #[repr(transparent)]
        struct $name(u8);
        impl Element for $name {
            type Wide = f32;
            fn widen(self) -> f32 {
                small_float::decode($dtype, self.0) as f32
            }
            fn narrow(wide: f32) -> Self {
                $name(small_float::encode($dtype, f64::from(wide)))
            }
            float_combine!(f32);
        }
    };
}
small!(E4M3FN, DType::F8E4M3FN);
small!(E5M2, DType::F8E5M2);

/// Whether sums over this element type are made here.
pub fn reduces(dtype: DType) -> bool {
    summing(dtype, false).is_some()
}

/// A sum of all members, written to all targets.
struct Sum<'a> {
    reducer: Reducer,
    from: &'a [At],
    targets: &'a [At],
    store: Store,
}

/// Sums a run: where it begins in the members, where in the targets, its elements.
type Summing = fn(&Sum<'_>, usize, usize, usize);

/// `wide`: in `f64`.
fn summing(dtype: DType, wide: bool) -> Option<Summing> {
    Some(match dtype {
        DType::Pred => sum::<Bit>,
        DType::S8 => sum::<i8>,
        DType::S16 => sum::<i16>,
        DType::S32 => sum::<i32>,
        DType::S64 => sum::<i64>,
        DType::U8 => sum::<u8>,
        DType::U16 => sum::<u16>,
        DType::U32 => sum::<u32>,
        DType::U64 => sum::<u64>,
        DType::F16 if wide => sum::<InF64<f16>>,
        DType::BF16 if wide => sum::<InF64<bf16>>,
        DType::F32 if wide => sum::<InF64<f32>>,
        DType::F16 => sum::<f16>,
        DType::BF16 => sum::<bf16>,
        DType::F32 => sum::<f32>,
        DType::F64 => sum::<f64>,
        DType::C64 => sum::<Complex<f32>>,
        DType::C128 => sum::<Complex<f64>>,
        DType::F8E4M3FN => sum::<E4M3FN>,
        DType::F8E5M2 => sum::<E5M2>,
        DType::S2
        | DType::S4
        | DType::U2
        | DType::U4
        | DType::F4E2M1FN
        | DType::F8E3M4
        | DType::F8E4M3
        | DType::F8E4M3FNUZ
        | DType::F8E4M3B11FNUZ
        | DType::F8E5M2FNUZ
        | DType::F8E8M0FNU => return None,
    })
}

fn reduce(
    site: &Site,
    k: usize,
    (from, targets, store): (&[At], &[At], Store),
    runs: Runs,
    workers: &dyn Workers,
) -> Result<(), RunError> {
    let dtype = site.operands[k].dtype;
    let summing = summing(dtype, site.wide == Some(DType::F64))
        .ok_or_else(|| RunError::new(RunErrorKind::Unsound, format!("no sums of {dtype} are made")))?;
    let sum = Sum { reducer: site.reducer.unwrap_or_default(), from, targets, store };
    each_piece(runs, store, workers, &|a, b, len| summing(&sum, a, b, len));
    Ok(())
}

/// Add up `len` elements of all members, line by line, and write them to all targets.
fn sum<T: Element>(job: &Sum<'_>, a: usize, b: usize, len: usize) {
    match job.reducer {
        Reducer::Sum => sum_by::<T>(|x, y| T::combine(Reducer::Sum, x, y), job, a, b, len),
        other => sum_by::<T>(|x, y| T::combine(other, x, y), job, a, b, len),
    }
}

#[inline(always)]
fn sum_by<T: Element>(
    combine: impl Fn(T::Wide, T::Wide) -> T::Wide,
    job: &Sum<'_>,
    a: usize,
    b: usize,
    len: usize,
) {
    let whole = len / LANES * LANES;
    // SAFETY: the run lies in every member's operand and in every target; elements are plain data.
    unsafe {
        for done in (0..whole).step_by(LANES) {
            sum_line::<T, LANES>(&combine, job, a + done, b + done);
        }
        for done in whole..len {
            sum_line::<T, 1>(&combine, job, a + done, b + done);
        }
    }
}

/// `N` elements. Each is read from all members before anything is written, so a target may be an operand. The members'
/// next lines are asked for meanwhile: so many streams at once are more than the hardware foresees.
///
/// # Safety
/// `N` elements lie at `a` in every member and at `b` in every target.
#[inline(always)]
unsafe fn sum_line<T: Element, const N: usize>(
    combine: &impl Fn(T::Wide, T::Wide) -> T::Wide,
    job: &Sum<'_>,
    a: usize,
    b: usize,
) {
    let Some((first, others)) = job.from.split_first() else { return };
    let load = |at: &At| {
        let from = at.0.cast::<T>().wrapping_add(a);
        stream::ask_for(from.cast());
        // SAFETY: the caller's promise.
        unsafe { from.cast::<[T; N]>().read_unaligned() }
    };
    let mut sum = load(first).map(T::widen);
    for other in others {
        let x = load(other);
        for i in 0..N {
            sum[i] = combine(sum[i], x[i].widen());
        }
    }
    let narrow = sum.map(T::narrow);
    for target in job.targets {
        let to = target.0.cast::<T>().wrapping_add(b);
        // SAFETY: the caller's promise.
        unsafe { job.store.copy(narrow.as_ptr().cast(), to.cast(), size_of::<[T; N]>()) };
    }
}
