// Hides AVX-512 and AMX from a program: LD_PRELOAD this, where the CPU lets `cpuid` be trapped.
//
//     cc -O2 -shared -fPIC avx2_only.c -o avx2_only.so && LD_PRELOAD=$PWD/avx2_only.so program
//
// Options such as --xla_cpu_max_isa reach the code that a compiler makes, not the libraries beside it, which ask the CPU.
// Here `cpuid` stops with a signal, and the answer is given without those bits. Threads take that over from the first one.
#define _GNU_SOURCE
#include <asm/prctl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

static void trap(unsigned long allowed) {
    syscall(SYS_arch_prctl, ARCH_SET_CPUID, allowed);
}

static void answer(int signal, siginfo_t *info, void *context) {
    greg_t *r = ((ucontext_t *)context)->uc_mcontext.gregs;
    const uint8_t *at = (const uint8_t *)r[REG_RIP];
    (void)info;
    if (at[0] != 0x0f || at[1] != 0xa2) {
        // A fault of another kind ends the program as it would have.
        struct sigaction usual = {.sa_handler = SIG_DFL};
        sigaction(signal, &usual, NULL);
        return;
    }
    uint32_t a = r[REG_RAX], b, c = r[REG_RCX], d, leaf = a, part = c;
    trap(1);
    __asm__ volatile("cpuid" : "+a"(a), "=b"(b), "+c"(c), "=d"(d));
    trap(0);
    if (leaf == 7 && part == 0) {
        // F, DQ, IFMA, PF, ER, CD, BW, VL; VBMI, VBMI2, VNNI, BITALG, VPOPCNTDQ; 4VNNIW, 4FMAPS, VP2INTERSECT, AMX, FP16.
        b &= ~(1u << 16 | 1u << 17 | 1u << 21 | 1u << 26 | 1u << 27 | 1u << 28 | 1u << 30 | 1u << 31);
        c &= ~(1u << 1 | 1u << 6 | 1u << 11 | 1u << 12 | 1u << 14);
        d &= ~(1u << 2 | 1u << 3 | 1u << 8 | 1u << 22 | 1u << 23 | 1u << 24 | 1u << 25);
    }
    if (leaf == 7 && part == 1) {
        // AVX-VNNI, AVX512-BF16, AMX-FP16; AVX10.
        a &= ~(1u << 4 | 1u << 5 | 1u << 21);
        d &= ~(1u << 19);
    }
    r[REG_RAX] = a, r[REG_RBX] = b, r[REG_RCX] = c, r[REG_RDX] = d;
    r[REG_RIP] += 2;
}

__attribute__((constructor)) static void begin(void) {
    struct sigaction act = {.sa_sigaction = answer, .sa_flags = SA_SIGINFO | SA_NODEFER};
    sigaction(SIGSEGV, &act, NULL);
    if (syscall(SYS_arch_prctl, ARCH_SET_CPUID, 0) != 0) {
        fputs("avx2_only: this machine does not let cpuid be trapped\n", stderr);
        exit(1);
    }
}
