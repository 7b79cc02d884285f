//! 14 rows by 32 columns of sums in 28 registers: each row is a constant multiple of the stride away from one of two
//! addresses. Up to seven rows leave the other seven out.

use super::{PrefetchRun, Rows, Segments};
use std::arch::asm;
use std::arch::x86_64::*;

/// Rows and columns of sums in registers.
pub const ROWS: usize = 14;
pub const COLUMNS: usize = 32;
/// Sums of 14 rows and 32 columns.
pub type Sums = [[__m512; 2]; ROWS];

/// The loop, of `$rows` rows: `$before` goes before each run of `left` depths, `$beside` into each of them, `$after`
/// behind each run.
macro_rules! walk {
    ($sums:ident, $rows:expr, [$($before:literal),*], [$($beside:literal),*], [$($after:literal),*], $($operand:tt)*) => {
        asm!(
            "vpxord zmm0, zmm0, zmm0",
            "vpxord zmm1, zmm1, zmm1",
            "vpxord zmm2, zmm2, zmm2",
            "vpxord zmm3, zmm3, zmm3",
            "vpxord zmm4, zmm4, zmm4",
            "vpxord zmm5, zmm5, zmm5",
            "vpxord zmm6, zmm6, zmm6",
            "vpxord zmm7, zmm7, zmm7",
            "vpxord zmm8, zmm8, zmm8",
            "vpxord zmm9, zmm9, zmm9",
            "vpxord zmm10, zmm10, zmm10",
            "vpxord zmm11, zmm11, zmm11",
            "vpxord zmm12, zmm12, zmm12",
            "vpxord zmm13, zmm13, zmm13",
            "vpxord zmm14, zmm14, zmm14",
            "vpxord zmm15, zmm15, zmm15",
            "vpxord zmm16, zmm16, zmm16",
            "vpxord zmm17, zmm17, zmm17",
            "vpxord zmm18, zmm18, zmm18",
            "vpxord zmm19, zmm19, zmm19",
            "vpxord zmm20, zmm20, zmm20",
            "vpxord zmm21, zmm21, zmm21",
            "vpxord zmm22, zmm22, zmm22",
            "vpxord zmm23, zmm23, zmm23",
            "vpxord zmm24, zmm24, zmm24",
            "vpxord zmm25, zmm25, zmm25",
            "vpxord zmm26, zmm26, zmm26",
            "vpxord zmm27, zmm27, zmm27",
            "3:",
            $($before,)*
            "2:",
            "vmovaps zmm28, [{panel}]",
            "vmovaps zmm29, [{panel} + 64]",
            "vbroadcastss zmm30, [{a}]",
            "vfmadd231ps zmm0, zmm30, zmm28",
            "vfmadd231ps zmm1, zmm30, zmm29",
            "vbroadcastss zmm31, [{a} + {r1}]",
            "vfmadd231ps zmm2, zmm31, zmm28",
            "vfmadd231ps zmm3, zmm31, zmm29",
            "vbroadcastss zmm30, [{a} + {r1}*2]",
            "vfmadd231ps zmm4, zmm30, zmm28",
            "vfmadd231ps zmm5, zmm30, zmm29",
            "vbroadcastss zmm31, [{a} + {r3}]",
            "vfmadd231ps zmm6, zmm31, zmm28",
            "vfmadd231ps zmm7, zmm31, zmm29",
            "vbroadcastss zmm30, [{a} + {r1}*4]",
            "vfmadd231ps zmm8, zmm30, zmm28",
            "vfmadd231ps zmm9, zmm30, zmm29",
            "vbroadcastss zmm31, [{a} + {r5}]",
            "vfmadd231ps zmm10, zmm31, zmm28",
            "vfmadd231ps zmm11, zmm31, zmm29",
            "vbroadcastss zmm30, [{a} + {r3}*2]",
            "vfmadd231ps zmm12, zmm30, zmm28",
            "vfmadd231ps zmm13, zmm30, zmm29",
            ".if {rows} > 7",
            "vbroadcastss zmm31, [{b}]",
            "vfmadd231ps zmm14, zmm31, zmm28",
            "vfmadd231ps zmm15, zmm31, zmm29",
            "vbroadcastss zmm30, [{b} + {r1}]",
            "vfmadd231ps zmm16, zmm30, zmm28",
            "vfmadd231ps zmm17, zmm30, zmm29",
            "vbroadcastss zmm31, [{b} + {r1}*2]",
            "vfmadd231ps zmm18, zmm31, zmm28",
            "vfmadd231ps zmm19, zmm31, zmm29",
            "vbroadcastss zmm30, [{b} + {r3}]",
            "vfmadd231ps zmm20, zmm30, zmm28",
            "vfmadd231ps zmm21, zmm30, zmm29",
            "vbroadcastss zmm31, [{b} + {r1}*4]",
            "vfmadd231ps zmm22, zmm31, zmm28",
            "vfmadd231ps zmm23, zmm31, zmm29",
            "vbroadcastss zmm30, [{b} + {r5}]",
            "vfmadd231ps zmm24, zmm30, zmm28",
            "vfmadd231ps zmm25, zmm30, zmm29",
            "vbroadcastss zmm31, [{b} + {r3}*2]",
            "vfmadd231ps zmm26, zmm31, zmm28",
            "vfmadd231ps zmm27, zmm31, zmm29",
            ".endif",
            "add {a}, {step}",
            "add {b}, {step}",
            $($beside,)*
            "add {panel}, 128",
            "dec {left}",
            "jnz 2b",
            $($after,)*
            $($operand)*
            rows = const $rows,
            left = out(reg) _,
            out("zmm0") $sums[0][0],
            out("zmm1") $sums[0][1],
            out("zmm2") $sums[1][0],
            out("zmm3") $sums[1][1],
            out("zmm4") $sums[2][0],
            out("zmm5") $sums[2][1],
            out("zmm6") $sums[3][0],
            out("zmm7") $sums[3][1],
            out("zmm8") $sums[4][0],
            out("zmm9") $sums[4][1],
            out("zmm10") $sums[5][0],
            out("zmm11") $sums[5][1],
            out("zmm12") $sums[6][0],
            out("zmm13") $sums[6][1],
            out("zmm14") $sums[7][0],
            out("zmm15") $sums[7][1],
            out("zmm16") $sums[8][0],
            out("zmm17") $sums[8][1],
            out("zmm18") $sums[9][0],
            out("zmm19") $sums[9][1],
            out("zmm20") $sums[10][0],
            out("zmm21") $sums[10][1],
            out("zmm22") $sums[11][0],
            out("zmm23") $sums[11][1],
            out("zmm24") $sums[12][0],
            out("zmm25") $sums[12][1],
            out("zmm26") $sums[13][0],
            out("zmm27") $sums[13][1],
            out("zmm28") _,
            out("zmm29") _,
            out("zmm30") _,
            out("zmm31") _,
            options(nostack, readonly),
        )
    };
}

/// Sums of the first `R` rows over all depths of all runs, one at least.
///
/// # Safety
/// The rows and the panel exist; neither the runs nor their depth are none.
#[target_feature(enable = "avx512f")]
#[inline]
pub unsafe fn multiply<const R: usize>(a: Segments<'_>, panel: *const f32) -> Sums {
    let mut sums = [[_mm512_setzero_ps(); 2]; ROWS];
    // SAFETY: the caller's.
    unsafe {
        walk!(
            sums,
            R,
            [
                "mov {a}, [{segment}]",
                "add {a}, {base}",
                "lea {b}, [{a} + {r1}]",
                "lea {b}, [{b} + {r3}*2]",
                "mov {left}, {depth}"
            ],
            [],
            ["add {segment}, 8", "dec {count}", "jnz 3b"],
            a = out(reg) _,
            b = out(reg) _,
            base = in(reg) a.at,
            segment = inout(reg) a.starts.as_ptr() => _,
            count = inout(reg) a.starts.len() => _,
            panel = inout(reg) panel => _,
            depth = in(reg) a.depth,
            step = in(reg) 4 * a.step,
            r1 = in(reg) 4 * a.row,
            r3 = in(reg) 12 * a.row,
            r5 = in(reg) 20 * a.row,
        );
    }
    sums
}

/// Sums of 14 rows over as many depths as there are to ask at: one at least in each of them, and one of them at least.
///
/// # Safety
/// The rows and the panel exist. What is asked for need not.
#[target_feature(enable = "avx512f")]
#[inline]
pub unsafe fn multiply_prefetching(a: Rows, asking: &[PrefetchRun], panel: *const f32) -> Sums {
    let mut sums = [[_mm512_setzero_ps(); 2]; ROWS];
    // SAFETY: the caller's.
    unsafe {
        walk!(
            sums,
            ROWS,
            ["mov {left}, [{asking}]", "mov {soon}, [{asking} + 8]", "mov {hop}, [{asking} + 16]"],
            ["prefetcht1 [{soon}]", "prefetcht1 [{soon} + 64]", "add {soon}, {hop}"],
            ["add {asking}, 24", "dec {count}", "jnz 3b"],
            a = inout(reg) a.at => _,
            b = inout(reg) a.at.wrapping_offset(7 * a.row) => _,
            asking = inout(reg) asking.as_ptr() => _,
            count = inout(reg) asking.len() => _,
            soon = out(reg) _,
            hop = out(reg) _,
            panel = inout(reg) panel => _,
            step = in(reg) 4 * a.step,
            r1 = in(reg) 4 * a.row,
            r3 = in(reg) 12 * a.row,
            r5 = in(reg) 20 * a.row,
        );
    }
    sums
}
