"""Holds ours and JAX to AVX2 on a CPU with AVX-512, where `cpuid` cannot be trapped (else `avx2_only.c` does it for any program).

Three parts of JAX ask the CPU. The compiler takes a flag and oneDNN a variable; YNNPACK, which multiplies matrices, takes neither:
what it has found is a number in the library, which is masked here. Without that, `--xla_cpu_max_isa=AVX2` leaves most
products to AVX-512. Scripts call `if_asked` before `import jax`; it does nothing unless AVX2=1, and fails if it cannot.
"""
import ctypes
import os
import struct

FLAG = '--xla_cpu_max_isa=AVX2'
# Bits of what YNNPACK finds, below AVX-512 F.
KEPT = (1 << 7) - 1
FUNCTION = b'_ZN3ynn24get_supported_arch_flagsEv'
FOUND = b'_ZZN3ynn24get_supported_arch_flagsEvE5flags'


def symbols(path, wanted):
    """Addresses of symbols in a library, exported or not."""
    with open(path, 'rb') as file:
        def part(at, size):
            file.seek(at)
            return file.read(size)

        header = part(0, 64)
        at, (size, count) = struct.unpack_from('<Q', header, 40)[0], struct.unpack_from('<HH', header, 58)
        sections = [struct.unpack('<IIQQQQIIQQ', part(at + i * size, size)) for i in range(count)]
        found = {}
        for _, kind, _, _, start, length, link, _, _, entry in sections:
            if kind != 2:
                continue
            names = part(sections[link][4], sections[link][5])
            # A name's place in the table of names tells its symbol.
            places = {names.index(b'\0' + name + b'\0') + 1: name for name in wanted}
            for name, _, _, _, value, _ in struct.iter_unpack('<IBBHQQ', part(start, length)):
                if name in places:
                    found[places[name]] = value
        return found


def if_asked():
    if not os.environ.get('AVX2'):
        return
    os.environ.update(XLA_FLAGS=f'{os.environ.get("XLA_FLAGS", "")} {FLAG}', ONEDNN_MAX_CPU_ISA='AVX2', MESHWRIGHT_CPU='avx2')
    import jaxlib._jax  # noqa: F401 (loads the library)
    with open('/proc/self/maps') as maps:
        lines = [line.split() for line in maps if line.rstrip().endswith('/libjax_common.so')]
    base, path = min(int(line[0].split('-')[0], 16) for line in lines), lines[0][-1]
    at = symbols(path, [FUNCTION, FOUND])
    ask = ctypes.CFUNCTYPE(ctypes.c_uint64)(base + at[FUNCTION])
    found = ask()
    ctypes.c_uint64.from_address(base + at[FOUND]).value = found & KEPT
    if ask() != found & KEPT:
        raise SystemExit('avx2_only: YNNPACK in this JAX keeps what it finds elsewhere')
