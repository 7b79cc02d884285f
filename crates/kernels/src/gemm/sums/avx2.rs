//! At most 6 rows by 16 columns of sums in twelve registers. Four rows take no longer than their multiplications.

use super::{PrefetchRun, Rows, Segments};
use std::arch::asm;
use std::arch::x86_64::*;

/// Rows and columns of sums in registers.
pub const ROWS: usize = 6;
pub const COLUMNS: usize = 16;
/// Sums of 6 rows and 16 columns.
pub type Sums = [[__m256; 2]; ROWS];

/// The loop, of `$rows` rows: `$before` goes before each run of `left` depths, `$beside` into each of them, `$after`
/// behind each run.
macro_rules! walk {
    ($sums:ident, $rows:expr, [$($before:literal),*], [$($beside:literal),*], [$($after:literal),*], $($operand:tt)*) => {
        asm!(
            "vxorps ymm0, ymm0, ymm0",
            "vxorps ymm1, ymm1, ymm1",
            "vxorps ymm2, ymm2, ymm2",
            "vxorps ymm3, ymm3, ymm3",
            "vxorps ymm4, ymm4, ymm4",
            "vxorps ymm5, ymm5, ymm5",
            "vxorps ymm6, ymm6, ymm6",
            "vxorps ymm7, ymm7, ymm7",
            "vxorps ymm8, ymm8, ymm8",
            "vxorps ymm9, ymm9, ymm9",
            "vxorps ymm10, ymm10, ymm10",
            "vxorps ymm11, ymm11, ymm11",
            "3:",
            $($before,)*
            "2:",
            "vmovaps ymm12, [{panel}]",
            "vmovaps ymm13, [{panel} + 32]",
            "vbroadcastss ymm14, [{a}]",
            "vfmadd231ps ymm0, ymm14, ymm12",
            "vfmadd231ps ymm1, ymm14, ymm13",
            ".if {rows} > 1",
            "vbroadcastss ymm15, [{a} + {r1}]",
            "vfmadd231ps ymm2, ymm15, ymm12",
            "vfmadd231ps ymm3, ymm15, ymm13",
            ".endif",
            ".if {rows} > 2",
            "vbroadcastss ymm14, [{a} + {r1}*2]",
            "vfmadd231ps ymm4, ymm14, ymm12",
            "vfmadd231ps ymm5, ymm14, ymm13",
            ".endif",
            ".if {rows} > 3",
            "vbroadcastss ymm15, [{a} + {r3}]",
            "vfmadd231ps ymm6, ymm15, ymm12",
            "vfmadd231ps ymm7, ymm15, ymm13",
            ".endif",
            ".if {rows} > 4",
            "vbroadcastss ymm14, [{a} + {r1}*4]",
            "vfmadd231ps ymm8, ymm14, ymm12",
            "vfmadd231ps ymm9, ymm14, ymm13",
            ".endif",
            ".if {rows} > 5",
            "vbroadcastss ymm15, [{a} + {r5}]",
            "vfmadd231ps ymm10, ymm15, ymm12",
            "vfmadd231ps ymm11, ymm15, ymm13",
            ".endif",
            "add {a}, {step}",
            $($beside,)*
            "add {panel}, 64",
            "dec {left}",
            "jnz 2b",
            $($after,)*
            $($operand)*
            rows = const $rows,
            left = out(reg) _,
            out("ymm0") $sums[0][0],
            out("ymm1") $sums[0][1],
            out("ymm2") $sums[1][0],
            out("ymm3") $sums[1][1],
            out("ymm4") $sums[2][0],
            out("ymm5") $sums[2][1],
            out("ymm6") $sums[3][0],
            out("ymm7") $sums[3][1],
            out("ymm8") $sums[4][0],
            out("ymm9") $sums[4][1],
            out("ymm10") $sums[5][0],
            out("ymm11") $sums[5][1],
            out("ymm12") _,
            out("ymm13") _,
            out("ymm14") _,
            out("ymm15") _,
            options(nostack, readonly),
        )
    };
}

/// Sums of the first `R` rows over all depths of all runs, one at least.
///
/// # Safety
/// The rows and the panel exist; neither the runs nor their depth are none.
#[target_feature(enable = "avx2,fma")]
#[inline]
pub unsafe fn multiply<const R: usize>(a: Segments<'_>, panel: *const f32) -> Sums {
    let mut sums = [[_mm256_setzero_ps(); 2]; ROWS];
    // SAFETY: the caller's.
    unsafe {
        walk!(
            sums,
            R,
            ["mov {a}, [{segment}]", "add {a}, {base}", "mov {left}, {depth}"],
            [],
            ["add {segment}, 8", "dec {count}", "jnz 3b"],
            a = out(reg) _,
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

/// Sums of 6 rows over as many depths as there are to ask at: one at least in each of them, and one of them at least.
///
/// # Safety
/// The rows and the panel exist. What is asked for need not.
#[target_feature(enable = "avx2,fma")]
#[inline]
pub unsafe fn multiply_prefetching(a: Rows, asking: &[PrefetchRun], panel: *const f32) -> Sums {
    let mut sums = [[_mm256_setzero_ps(); 2]; ROWS];
    // SAFETY: the caller's.
    unsafe {
        walk!(
            sums,
            ROWS,
            ["mov {left}, [{asking}]", "mov {soon}, [{asking} + 8]", "mov {hop}, [{asking} + 16]"],
            ["prefetcht1 [{soon}]", "prefetcht1 [{soon} + 64]", "add {soon}, {hop}"],
            ["add {asking}, 24", "dec {count}", "jnz 3b"],
            a = inout(reg) a.at => _,
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
