//! The largest or smallest of many floats, by their bits.
//!
//! Read as whole numbers, floats above zero are in order, and those below zero in the reverse order, above all others
//! or below them as the sign bit is taken. So three extremes of whole numbers, which are an instruction each, tell the
//! extreme of floats, the sign of a zero, and whether one was no number; nothing is widened.

/// Bits of `f32` or `bf16`.
pub trait Bits: Copy + Sync + 'static {
    /// Only the sign.
    const SIGN: Self;
    const NONE: Self;
    const ALL: Self;
    fn larger_with_sign(self, other: Self) -> Self;
    fn larger(self, other: Self) -> Self;
    fn smaller(self, other: Self) -> Self;
    fn has_sign(self) -> bool;
    fn is_no_number(self) -> bool;
}

macro_rules! bits {
    ($ty:ident, $signed:ident, $infinite:literal) => {
        impl Bits for $ty {
            const SIGN: $ty = 1 << ($ty::BITS - 1);
            const NONE: $ty = 0;
            const ALL: $ty = $ty::MAX;
            #[inline(always)]
            fn larger_with_sign(self, other: $ty) -> $ty {
                (self as $signed).max(other as $signed) as $ty
            }
            #[inline(always)]
            fn larger(self, other: $ty) -> $ty {
                self.max(other)
            }
            #[inline(always)]
            fn smaller(self, other: $ty) -> $ty {
                self.min(other)
            }
            #[inline(always)]
            fn has_sign(self) -> bool {
                (self as $signed) < 0
            }
            #[inline(always)]
            fn is_no_number(self) -> bool {
                self & !Self::SIGN > $infinite
            }
        }
    };
}
bits!(u16, i16, 0x7f80);
bits!(u32, i32, 0x7f80_0000);

/// What a lane has seen: the largest with a sign, the largest and the smallest without.
type Seen<B> = [B; 3];

#[inline(always)]
fn seen<B: Bits>([most, largest, smallest]: Seen<B>, [a, b, c]: Seen<B>) -> Seen<B> {
    [most.larger_with_sign(a), largest.larger(b), smallest.smaller(c)]
}

/// The largest (or the smallest) that was seen; all bits if one was no number.
#[inline(always)]
fn extreme<B: Bits>([most, largest, smallest]: Seen<B>, wants_largest: bool) -> B {
    if largest.is_no_number() && largest.has_sign() || most.is_no_number() && !most.has_sign() {
        return B::ALL;
    }
    match wants_largest {
        true if most.has_sign() => smallest,
        true => most,
        false if largest.has_sign() => largest,
        false => smallest,
    }
}

/// What `N` lanes have seen, lane by lane.
pub struct Lanes<B, const N: usize> {
    most: [B; N],
    largest: [B; N],
    smallest: [B; N],
}

impl<B: Bits, const N: usize> Lanes<B, N> {
    /// Lanes that have seen nothing yet.
    #[inline(always)]
    pub fn begun() -> Lanes<B, N> {
        Lanes { most: [B::SIGN; N], largest: [B::NONE; N], smallest: [B::ALL; N] }
    }

    /// One number more in each of the first lanes.
    #[inline(always)]
    pub fn see(&mut self, row: &[B]) {
        let lanes = self.most.iter_mut().zip(&mut self.largest).zip(&mut self.smallest);
        for (((most, largest), smallest), x) in lanes.zip(row) {
            *most = most.larger_with_sign(*x);
            *largest = largest.larger(*x);
            *smallest = smallest.smaller(*x);
        }
    }

    /// Four numbers more, which are read before what was seen is written.
    #[inline(always)]
    pub fn see_four(&mut self, [a, b, c, d]: [&[B]; 4]) {
        let lanes = self.most.iter_mut().zip(&mut self.largest).zip(&mut self.smallest);
        let rows = a.iter().zip(b).zip(c.iter().zip(d));
        for (((most, largest), smallest), ((a, b), (c, d))) in lanes.zip(rows) {
            let signed = a.larger_with_sign(*b).larger_with_sign(c.larger_with_sign(*d));
            *most = most.larger_with_sign(signed);
            *largest = largest.larger(a.larger(*b).larger(c.larger(*d)));
            *smallest = smallest.smaller(a.smaller(*b).smaller(c.smaller(*d)));
        }
    }

    #[inline(always)]
    fn lane(&self, lane: usize) -> Seen<B> {
        [self.most[lane], self.largest[lane], self.smallest[lane]]
    }

    /// The extreme of each lane; of one that has seen something.
    #[inline(always)]
    pub fn each(&self, wants_largest: bool, mut each: impl FnMut(usize, B), lanes: usize) {
        (0..lanes.min(N)).for_each(|lane| each(lane, extreme(self.lane(lane), wants_largest)));
    }

    /// The extreme of all.
    #[inline(always)]
    fn all(&self, wants_largest: bool) -> B {
        let all = (1..N).fold(self.lane(0), |all, lane| seen(all, self.lane(lane)));
        extreme(all, wants_largest)
    }
}

/// The extreme of a run of at least one number, with `N` lanes.
#[inline(always)]
pub fn of_run<B: Bits, const N: usize>(x: &[B], wants_largest: bool) -> B {
    let mut lanes = Lanes::<B, N>::begun();
    let (chunks, rest) = x.as_chunks::<N>();
    chunks.iter().for_each(|chunk| lanes.see(chunk));
    lanes.see(rest);
    lanes.all(wants_largest)
}
