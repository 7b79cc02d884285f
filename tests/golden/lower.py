"""The golden cases: each function is lowered, run and written to a folder of its name.

    python lower.py                all cases
    python lower.py --only NAME..  some

Every case is one decorated function; what follows `@case` is its inputs. Float inputs are small
integers wherever that keeps the results exact. `fixture.py` does the work.
"""
import functools

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.experimental import io_callback
from jax.experimental.shard_alike import shard_alike
from jax.sharding import AxisType, Mesh, NamedSharding, PartitionSpec as P

from fixture import bits, c, case, distinct, f, flags, i, whole

bf16, f16, f32, f64 = jnp.bfloat16, np.float16, np.float32, np.float64
i8, i16, i32, i64 = np.int8, np.int16, np.int32, np.int64
u8, u16, u32, u64 = np.uint8, np.uint16, np.uint32, np.uint64


# Elementwise

@case(f(3, 5), generic=True, opt=True)
def unary_float(x):
    return -x, lax.abs(x), lax.sign(x), lax.floor(x), lax.ceil(x), lax.exp(x), lax.expm1(x), lax.sin(x), lax.cos(x), lax.tanh(x), lax.logistic(x)


@case(f(3, 5, low=.1, high=4.))
def unary_float_positive(x):
    return lax.log(x), lax.log1p(x), lax.sqrt(x), lax.rsqrt(x), lax.cbrt(x), lax.exp2(x), lax.reciprocal(x), lax.integer_pow(x, 3), lax.square(x)


@case(np.array([-2.5, -1.5, -.5, .5, 1.5, 2.5, -2.2, 2.7, -0., 3e9], f32))
def rounding(x):
    return lax.round(x, lax.RoundingMethod.AWAY_FROM_ZERO), lax.round(x, lax.RoundingMethod.TO_NEAREST_EVEN), lax.floor(x), lax.ceil(x), jnp.trunc(x)


@case(f(2, 7, low=-1.4, high=1.4))
def trigonometry(x):
    return lax.tan(x), lax.sinh(x), lax.cosh(x), lax.atan(x), lax.asinh(x), lax.atan2(x, x + 3)


@case(f(2, 7, low=-.9, high=.9), f(2, 7, low=1.1, high=4.))
def trigonometry_inverse(x, y):
    return lax.asin(x), lax.acos(x), lax.atanh(x), lax.acosh(y)


@case(f(12, low=-2.5, high=2.5))
def error_functions(x):
    return lax.erf(x), lax.erfc(x), lax.erf_inv(x / 3)


@case(f(12, low=.2, high=6.))
def gamma_functions(x):
    return lax.lgamma(x), lax.digamma(x), lax.lgamma(x - 7.3), lax.polygamma(jnp.float32(1), x), lax.zeta(x + 1.5, x)


@case(f(6, low=.5, high=4.), f(6, low=.5, high=4.))
def incomplete_gamma(a, x):
    return lax.igamma(a, x), lax.igammac(a, x), lax.betainc(a, x, jnp.full(6, .3, f32))


@case(f(10, low=-6., high=6.))
def bessel(x):
    return lax.bessel_i0e(x), lax.bessel_i1e(x), jax.scipy.special.i0(x), jax.scipy.special.i1(x)


@case(f(3, 4), f(3, 4))
def binary_float(x, y):
    return x + y, x - y, x * y, x / y, lax.max(x, y), lax.min(x, y), lax.pow(lax.abs(x), y), lax.atan2(x, y), lax.rem(x * 4, y), lax.nextafter(x, y)


@case(f(4, 6, dtype=f64), f(4, 6, low=.3, dtype=f64), x64=True)
def elementwise_f64(x, y):
    return lax.exp(x), lax.log(y), lax.tanh(x), lax.sqrt(y), lax.pow(y, x), lax.erf(x), lax.cbrt(x), lax.lgamma(y), lax.log1p(y), lax.expm1(x), lax.erf_inv(x / 3), lax.logistic(x)


@case(np.array([np.nan, np.inf, -np.inf, 0., -0., 1., -1., 1e-40, 3.4e38, -3.4e38], f32))
def special_unary(x):
    return (lax.abs(x), -x, lax.sign(x), lax.floor(x), lax.is_finite(x), lax.sqrt(x), lax.exp(x), lax.log(x), lax.tanh(x), lax.rsqrt(x),
            lax.cbrt(x), lax.log1p(x), lax.expm1(x), jnp.isnan(x), jnp.isinf(x), jnp.signbit(x), jnp.nan_to_num(x))


@case(np.repeat(np.array([np.nan, np.inf, -np.inf, 0., -0., 2.], f32), 6), np.tile(np.array([np.nan, np.inf, -np.inf, 0., -0., -3.], f32), 6))
def special_binary(x, y):
    return (x + y, x - y, x * y, x / y, lax.max(x, y), lax.min(x, y), lax.pow(x, y), lax.rem(x, y), lax.atan2(x, y),
            x == y, x != y, x < y, x <= y, x > y, x >= y)


@case(np.array([np.nan, np.inf, -0., 3., 0., -np.inf, -np.nan, -3., 0., 1.], f32))
def special_reduce(x):
    return jnp.max(x), jnp.min(x[1:6]), jnp.argmax(x), jnp.argmin(x), jnp.nanmax(x), jnp.sort(x), jnp.nansum(jnp.where(jnp.isinf(x), 0, x))


@case(i(3, 5), i(3, 5, low=1))
def integer_arithmetic(x, y):
    return (x + y, x - y, x * y, lax.div(x, y), lax.rem(x, y), x // y, x % y, -x, lax.abs(x), lax.sign(x), lax.max(x, y), lax.min(x, y),
            lax.integer_pow(x, 3), jnp.power(x, y), x < y, x == y)


@case(bits(12), i(12, low=0, high=40, dtype=u32))
def bitwise_u32(x, shift):
    return (x & shift, x | shift, x ^ shift, ~x, lax.shift_left(x, shift), lax.shift_right_logical(x, shift),
            lax.shift_right_arithmetic(x.astype(i32), shift.astype(i32)), lax.population_count(x), lax.clz(x), lax.mulhi(x, x))


@case(bits(8, dtype=i8), bits(8, dtype=u8), bits(8, dtype=i16), bits(8, dtype=u16))
def small_integers(a, b, p, q):
    return (a + a, b * b, a * a, lax.div(b, u8(7)), lax.rem(a, i8(7)), lax.shift_right_arithmetic(a, i8(2)), lax.clz(b), lax.population_count(a),
            p * p, q - u16(1), p.astype(i8), a.astype(u8), b.astype(i32), q.astype(f32), a < a[::-1], b < b[::-1])


@case(bits(6, dtype=i64), bits(6, dtype=u64), f(6, dtype=f64), x64=True)
def integers_64(a, b, x):
    return a * a, b * b, a ^ (a >> 7), b >> 9, lax.clz(a), lax.population_count(b), a // 1000003, b % 97, a < 0, x.astype(i64), a.astype(f64), b.astype(f32)


@case(flags(3, 4), flags(3, 4))
def booleans(x, y):
    return x & y, x | y, x ^ y, ~x, x == y, x.astype(f32), jnp.where(x, 1, 2), jnp.any(x), jnp.all(y, 0), x < y


@case(i(4, 4, low=-3, high=3), whole(4, 4), whole(4, 4))
def compare_select_clamp(n, x, y):
    return n > 0, x >= y, lax.select(n < 0, x, y), lax.clamp(f32(-2), x, f32(1)), lax.clamp(n, n * 2, n + 1), lax.select_n(n % 3, x, y, x + y)


@case(np.array([0., -0., 1.4, 1.5, -1.5, -2.7, 100.3, 250., -129., 3e9, -3e9, np.inf, np.nan], f32))
def convert_from_f32(x):
    return (x.astype(i32), x.astype(bool), x.astype(f16), x.astype(bf16), jnp.clip(jnp.nan_to_num(x), 0, 255).astype(u8), x.astype(jnp.complex64))


@case(bits(9, dtype=i32), bits(9, dtype=u32), f(9, dtype=f64), x64=True)
def convert_wide(a, b, x):
    return a.astype(f32), b.astype(f32), a.astype(f64), b.astype(i64), a.astype(i8), b.astype(u16), x.astype(f32), x.astype(bf16), x.astype(f16), a.astype(u64)


@case(f(2, 4), bits(2, 4), bits(3, 4, dtype=u8), bits(3, dtype=u32))
def bitcast(x, n, bytes_, words):
    cast = lax.bitcast_convert_type
    return cast(x, u32), cast(n, i32), cast(bytes_, u32), cast(words, u8), cast(x, u16), cast(cast(x, u32), f32)


@case(np.array([1.1, -3.14159, 65519., 65520., 1e-8, 3e38, np.inf, np.nan, -0.], f32))
def reduce_precision(x):
    return lax.reduce_precision(x, 5, 10), lax.reduce_precision(x, 8, 7), lax.reduce_precision(x, 4, 3), lax.reduce_precision(x, 8, 3)


@case(c(3, 4), c(3, 4))
def complex_arithmetic(x, y):
    return x + y, x * y, x / y, -x, lax.conj(x), lax.real(x), lax.imag(x), lax.abs(x), lax.complex(lax.real(x), lax.imag(y)), x == y, x @ y.T, jnp.sum(x), jnp.angle(x)


@case(c(7))
def complex_functions(x):
    return lax.exp(x), lax.log(x), lax.sqrt(x), lax.rsqrt(x), lax.sin(x), lax.cos(x), lax.tanh(x), lax.log1p(x), lax.expm1(x), lax.pow(x, x), lax.sign(x), lax.tan(x)


@case(c(7, dtype=np.complex128), x64=True)
def complex_f64(x):
    return lax.exp(x), lax.log(x), lax.sqrt(x), lax.cosh(x), lax.sinh(x), lax.atan(x), x * x, lax.abs(x)


@case(f(3, 4, dtype=bf16), f(3, 4, dtype=bf16), generic=True)
def elementwise_bf16(x, y):
    return x + y, x * y, x / y, lax.exp(x), lax.tanh(x), lax.max(x, y), x.astype(f32), x < y, lax.rsqrt(lax.abs(x)), x * 3 + y


@case(f(3, 4, dtype=f16), f(3, 4, dtype=f16))
def elementwise_f16(x, y):
    return x + y, x * y, x / y, lax.exp(x), lax.tanh(x), lax.max(x, y), x.astype(f32), x.astype(bf16), lax.sqrt(lax.abs(x)), x * 3 + y


# Contractions

@case(whole(3, 4), whole(4, 5), whole(4), generic=True, opt=True)
def dot_plain(a, b, v):
    return a @ b, a @ v, jnp.dot(v, v), jnp.outer(v, v)


@case(whole(2, 3, 4, 5), whole(2, 5, 6, 4), generic=True)
def dot_general(a, b):
    return lax.dot_general(a, b, (((3, 2), (1, 3)), ((0,), (0,)))), lax.dot_general(a, b, (((3,), (1,)), ((0, 2), (0, 3))))


@case(whole(3, 8, dtype=bf16), whole(8, 3, dtype=bf16), i(3, 8, dtype=i8), i(8, 3, dtype=i8))
def dot_types(a, b, m, n):
    return a @ b, lax.dot(a, b, preferred_element_type=f32), lax.dot(m, n, preferred_element_type=i32), lax.dot(a.astype(f32), b.astype(f32), precision='highest')


@case(f(3, 5), f(5, 3))
def dot_algorithm(a, b):
    return lax.dot(a, b, precision=lax.DotAlgorithmPreset.F32_F32_F32), lax.dot(a, b, precision=(lax.Precision.HIGH, lax.Precision.DEFAULT))


@case(whole(2, 3, 4), whole(4, 5, 3), whole(2, 5))
def einsum(a, b, v):
    return (jnp.einsum('bij,jki->bk', a, b), jnp.einsum('bij->jb', a), jnp.einsum('bij,jki,bk->', a, b, v), jnp.einsum('bii->b', a[:, :, :3]),
            jnp.einsum('...ij,jk...->ik...', a[0], b), jnp.einsum('bi,bj->bij', v, v), jnp.tensordot(a, b, axes=[[2, 1], [0, 2]]))


# Reductions

@case(whole(3, 4, 5), generic=True, opt=True)
def reduce_plain(x):
    return jnp.sum(x), jnp.sum(x, 1), jnp.max(x, (0, 2)), jnp.min(x, -1), jnp.prod(x[:, :2, 0], 1), jnp.mean(x, 0), jnp.sum(x, (), keepdims=True)


@case(i(4, 6), flags(4, 6))
def reduce_integer(n, b):
    axes = (1,)
    return (jnp.sum(n, 0), jnp.prod(n, 1), jnp.max(n), jnp.any(b, 1), jnp.all(b, 1), lax.reduce_and(n, axes), lax.reduce_or(n, axes), lax.reduce_xor(n, axes),
            jnp.count_nonzero(n, 0))


@case(distinct(4, 6), whole(4, 6, low=0, high=2))
def argmax_argmin(x, ties):
    return jnp.argmax(x, 1), jnp.argmin(x, 0), jnp.argmax(x), lax.argmax(ties, 1, i32), lax.argmin(ties, 0, i32)


@case(whole(4, 6), i(4, 6, low=0, high=40))
def reduce_variadic(x, n):
    def later_max(a, b):
        (x, i), (y, j) = a, b
        keep = (x > y) | ((x == y) & (i > j))
        return jnp.where(keep, x, y), jnp.where(keep, i, j)
    return lax.reduce((x, n), (f32(-100), i32(-1)), later_max, (1,))


@case(whole(3, 16, dtype=bf16), whole(3, 16, dtype=f16))
def reduce_narrow(x, y):
    return jnp.sum(x, 1), jnp.max(x, 0), jnp.mean(x), lax.reduce(x, bf16(0), lax.add, (1,)), lax.reduce(y, f16(1), lax.mul, (0,)), jnp.var(y)


@case(f(3, 7), f(3, 1))
def softmax_logsumexp(x, y):
    return (jax.nn.softmax(x), jax.nn.log_softmax(x, 0), jax.nn.logsumexp(x, 1), jax.nn.logsumexp(x, b=lax.abs(y)), jnp.std(x, 1), jnp.var(x, ddof=1),
            jnp.linalg.norm(x), jnp.logaddexp(x, y))


@case(distinct(3, 7))
def median_quantile(x):
    return jnp.median(x), jnp.median(x, 0), jnp.quantile(x, .3, axis=1), jnp.percentile(x, jnp.array([25., 75.]), axis=1)


# Movement

@case(i(2, 3, 4), generic=True)
def reshape_transpose(x):
    return x.reshape(6, 4), x.reshape(-1), x.transpose(2, 0, 1), x[None, :, None], jnp.squeeze(x[:, :1], 1), jnp.swapaxes(x, 0, 1).reshape(3, 8), jnp.ravel(x, order='F')


@case(whole(3), whole(3, 1), whole())
def broadcast(v, m, s):
    return v + m, jnp.broadcast_to(v, (2, 4, 3)), lax.broadcast_in_dim(v, (3, 2), (0,)), lax.broadcast_in_dim(m, (2, 3, 4), (1, 2)), s * jnp.ones((2, 2)), jnp.tile(v, (2, 2))


@case(whole(4, 6), whole(2, 6))
def slice_concatenate(x, y):
    return x[1:3, ::2], x[::-1], x[-2:, 3], x[:, 5:1:-2], jnp.concatenate([x, y, x]), jnp.stack([y, y + 1], 1), jnp.split(x, 3, 1)[1], lax.rev(x, (0, 1)), jnp.hstack([x, x])


@case(whole(3, 4), whole())
def pad(x, v):
    return (lax.pad(x, v, ((1, 2, 0), (0, 1, 2))), lax.pad(x, v, ((-1, 1, 0), (2, -3, 1))), lax.pad(x, v, ((0, -1, 1), (-2, -1, 2))),
            jnp.pad(x, 1), jnp.pad(x, ((1, 0), (0, 2)), mode='edge'), jnp.pad(x, 2, mode='reflect'), jnp.pad(x, 1, mode='wrap'))


@case()
def iota():
    return jnp.arange(5), lax.broadcasted_iota(f32, (2, 3, 2), 1), jnp.eye(3, 4, 1), jnp.arange(0., 3., .5), jnp.linspace(0., 1., 5), jnp.tri(3, dtype=bool), lax.iota(u8, 4)


@case()
def constants():
    return (jnp.array([[1, -2, 3], [4, 5, -6]], i8), jnp.array([1.5, np.nan, np.inf, -np.inf, -0., 1e-40, 3.4028235e38], f32), jnp.full((2, 2), 7, bf16),
            jnp.array([True, False, True]), jnp.array([1 + 2j, -.5j], np.complex64), jnp.array([np.pi, np.nan], f16), jnp.zeros((0, 3)), jnp.array([2**32 - 1], u32))


@case(whole(3, 5), i(), i(2, low=0, high=3))
def roll_take(x, shift, index):
    return (jnp.roll(x, 2), jnp.roll(x, -1, 1), jnp.roll(x, shift, 0), jnp.take(x, index, 1), jnp.take_along_axis(x, index[None].repeat(3, 0), 1), jax.nn.one_hot(index, 4),
            jnp.diff(x, axis=1), jnp.flip(x, 1), jnp.rot90(x), jnp.triu(x), jnp.diagonal(x), jnp.repeat(x, 2, 0), jnp.kron(x[:2, :2], x[:1, :2]))


# Dynamic slices, gather, scatter

@case(whole(5, 6), i(), i(), whole(2, 3), generic=True)
def dynamic_slice(x, row, column, update):
    return lax.dynamic_slice(x, (row, column), (2, 3)), lax.dynamic_update_slice(x, update, (row, column)), lax.dynamic_index_in_dim(x, 3, 1), x[column]


@case(whole(5, 6), i(4, low=-2, high=7))
def gather_modes(x, index):
    pick = lambda mode, **more: x.at[index].get(mode=mode, **more)
    return pick('clip'), pick('drop'), pick('fill', fill_value=-1.), pick(None), x[:, index % 6], x[index % 5, index % 6]


@case(whole(5, 6), i(4, low=0, high=4), i(4, 1, low=0, high=5))
def gather_in_bounds(x, rows, columns):
    return x.at[rows].get(mode='promise_in_bounds'), x[rows, columns], x[rows[:, None], jnp.arange(3)], x.at[jnp.sort(rows)].get(indices_are_sorted=True)


@case(whole(4, 5, 6), i(3, 2, low=0, high=3))
def gather_general(x, index):
    dims = lambda *a, **k: lax.GatherDimensionNumbers(*a, **k)
    return (lax.gather(x, index, dims((1, 2), (1,), (0, 2)), (2, 1, 3), mode='clip'),
            lax.gather(x, index, dims((0, 2), (2,), (2, 0)), (2, 3, 1), mode='fill'),
            lax.gather(x, index[:, :1], dims((1, 2), (0,), (1,)), (1, 2, 6), mode='promise_in_bounds'))


@case(whole(3, 5, 2), i(3, 4, low=0, high=4))
def gather_batched(x, index):
    return jax.vmap(lambda x, n: x[n])(x, index), jax.vmap(lambda x, n: lax.dynamic_slice(x, (n[0], n[1]), (2, 1)))(x, index), jnp.take_along_axis(x[:, :, 0], index, 1)


@case(whole(5, 6), i(4, low=0, high=4), whole(4, 6), generic=True)
def scatter_kinds(x, index, y):
    at = x.at[index]
    return x.at[jnp.array([3, 0, 4, 1])].set(y), at.add(y), at.multiply(y), at.min(y), at.max(y), at.subtract(y), at.divide(f32(2)), at.apply(lambda v: v * 2 + 1)


@case(whole(5, 6), i(4, low=-2, high=7), whole(4, 6))
def scatter_modes(x, index, y):
    add = lambda mode: x.at[index].add(y, mode=mode)
    return add('clip'), add('drop'), add('fill'), x.at[:, index].add(y.T[:5, :4], mode='drop')


@case(whole(5, 6), whole(3, 2))
def scatter_unique(x, y):
    rows = jnp.array([0, 2, 4])
    return (x.at[rows, 1:3].set(y, unique_indices=True, indices_are_sorted=True), x.at[rows[:, None], jnp.array([3, 5])].add(y, mode='promise_in_bounds'), x.at[1:4, ::3].set(y),
            x.at[2].set(0), x.at[0, 0].multiply(5))


@case(whole(3, 5, 2), i(3, 4, low=-1, high=6), whole(3, 4, 2))
def scatter_batched(x, index, y):
    return jax.vmap(lambda x, n, y: x.at[n].add(y))(x, index, y), jax.vmap(lambda x, n, y: lax.dynamic_update_slice(x, y[:2, :1], (n[0], n[1])))(x, index, y)


@case(whole(4, 5, 6), i(3, 2, low=0, high=5), whole(3, 2, 3))
def scatter_general(x, index, y):
    dims = lax.ScatterDimensionNumbers((1, 2), (1,), (0, 2))
    return (lax.scatter_add(x, index, y, dims, mode='fill'), lax.scatter_max(x, index, y, dims, mode='clip'),
            lax.scatter_mul(x, index % 3, y, dims, mode='promise_in_bounds'))


@case(i(6, low=0, high=3), whole(6, 2), f(8, low=0., high=4.))
def segments_bins(segment, x, v):
    return jax.ops.segment_sum(x, segment, 4), jax.ops.segment_max(x, segment, 4), jnp.bincount(segment, length=5), jnp.searchsorted(jnp.arange(5.), v), jnp.histogram(v, 4, (0, 4))[0]


@case(whole(5, 6), i(4, low=0, high=4))
def gather_gradient(x, index):
    return jax.grad(lambda x: jnp.sum(x[index] ** 2) + jnp.sum(lax.dynamic_slice(x, (index[0], 1), (2, 2)) ** 3))(x)


# Sort, top-k, cumulative

@case(distinct(4, 6), i(4, 6, low=0, high=3), generic=True)
def sort(x, key):
    return jnp.sort(x), jnp.sort(x, 0), jnp.argsort(x), jnp.argsort(key, stable=True), jnp.sort(x, descending=True), jnp.argsort(-key)


@case(i(8, low=0, high=2), i(8, low=0, high=2), distinct(8))
def sort_multi(a, b, x):
    return (*lax.sort((a, b, x), num_keys=2), *lax.sort((a, x), num_keys=1, is_stable=True), jnp.lexsort((b, a)))


@case(distinct(3, 8), i(3, 8, low=0, high=40))
def top_k(x, n):
    return *lax.top_k(x, 3), *lax.top_k(n, 2), jnp.partition(x, 2)


@case(distinct(3, 8))
def approx_top_k(x):
    return lax.approx_max_k(x, 2), lax.approx_min_k(x, 3, recall_target=.8)


@case(whole(3, 6), whole(3, 6, low=1, high=2), i(3, 6))
def cumulative(x, y, n):
    return jnp.cumsum(x, 1), jnp.cumsum(n, 0), jnp.cumprod(y, 1), lax.cummax(x, 1), lax.cummin(n, 0, reverse=True), lax.cumsum(x, 1, reverse=True)


@case(f(3, 6))
def cumulative_float(x):
    return lax.cumlogsumexp(x, 1), jax.grad(lambda x: jnp.sum(jnp.cumsum(x, 1) ** 2))(x), jax.grad(lambda x: jnp.sum(jnp.cumprod(x, 1)))(x), lax.associative_scan(lax.mul, x, axis=1)


# Random bits

@case(bits(2))
def random_threefry(key):
    key = jax.random.wrap_key_data(key)
    one, two = jax.random.split(key)
    return jax.random.bits(one, (5,)), jax.random.uniform(two, (3, 2)), jax.random.normal(one, (4,)), jax.random.randint(two, (5,), 0, 10), jax.random.key_data(jax.random.fold_in(key, 7))


@case(bits(2))
def random_distributions(key):
    key = jax.random.wrap_key_data(key)
    return (jax.random.permutation(key, 6), jax.random.bernoulli(key, .3, (6,)), jax.random.categorical(key, jnp.arange(4.), shape=(5,)), jax.random.gumbel(key, (3,)),
            jax.random.exponential(key, (3,)), jax.random.truncated_normal(key, -1., 1., (3,)))


@case(bits(4))
def random_rbg(key):
    key = jax.random.wrap_key_data(key, impl='rbg')
    one, two = jax.random.split(key)
    return jax.random.bits(one, (5,)), jax.random.uniform(two, (3, 2)), jax.random.key_data(one)


@case(bits(4))
def random_unsafe_rbg(key):
    key = jax.random.wrap_key_data(key, impl='unsafe_rbg')
    one, two = jax.random.split(key)
    return jax.random.bits(one, (7,)), jax.random.normal(two, (3,)), jax.random.key_data(jax.random.fold_in(two, 3))


@case(bits(4), bits(2), generic=True)
def rng_bit_generator(key4, key2):
    make = lax.rng_bit_generator
    return (*make(key4, (5,), algorithm=lax.RandomAlgorithm.RNG_PHILOX), *make(key2.astype(u32).repeat(2), (3, 3), algorithm=lax.RandomAlgorithm.RNG_DEFAULT),
            *make(key4, (6,), algorithm=lax.RandomAlgorithm.RNG_THREE_FRY), *make(key4, (4,), dtype=u8), *make(key4, (5,), dtype=u16))


@case(bits(3, dtype=u64), bits(2, dtype=u64), x64=True)
def rng_bit_generator_64(key3, key2):
    return *lax.rng_bit_generator(lax.bitcast_convert_type(key3[:2], u32).reshape(4), (5,), dtype=u64), *lax.rng_bit_generator(lax.bitcast_convert_type(key2, u32).reshape(4), (3,))


@case(f(), f(low=3., high=4.), outputs=False)
def rng_uniform(low, high):
    return lax.rng_uniform(low, high, (4,))


# Control flow

@case(whole(6, 3), whole(3), generic=True, opt=True)
def scan(xs, init):
    def body(carry, x):
        carry = carry + x
        return carry, carry * 2
    return lax.scan(body, init, xs), lax.scan(body, init, xs, reverse=True), lax.scan(body, init, xs, unroll=2)


@case(i(low=20, high=60), whole(4))
def while_loop(limit, x):
    return lax.while_loop(lambda s: s[0] < limit, lambda s: (s[0] * 2 + 1, s[1] + 1), (i32(1), x)), lax.fori_loop(0, 5, lambda k, v: v + k * x, x), lax.fori_loop(0, limit, lambda k, v: v + 1, 0)


@case(i(low=1, high=1), i(low=0, high=1), whole(4), generic=True)
def cond_switch(n, flag, x):
    return (lax.cond(flag > 0, lambda v: v + 1, lambda v: v * 2, x), lax.switch(n, [lambda v: v, lambda v: -v, lambda v: v * v], x),
            lax.cond(n == 0, lambda v: (v.sum(), v), lambda v: (v.max(), v[::-1]), x), lax.switch(n + 9, [lambda v: v, lambda v: v + 3], x))


@case(f(5, 3), f(3))
def scan_gradient(xs, w):
    def loss(w, xs):
        return lax.scan(lambda h, x: (jnp.tanh(h * w + x), h.sum()), jnp.zeros(3), xs)[1].sum()
    return jax.value_and_grad(loss, (0, 1))(w, xs)


@case(whole(3, 4), i(3, low=1, high=5))
def control_flow_batched(x, n):
    return (jax.vmap(lambda x, n: lax.while_loop(lambda s: s[0] < n, lambda s: (s[0] + 1, s[1] * 2), (0, x)))(x, n), jax.vmap(lambda x, n: lax.cond(n > 2, jnp.negative, jnp.abs, x))(x, n),
            jax.vmap(lambda x: lax.scan(lambda a, b: (a + b, a), 0., x))(x))


@case(f(4), f(4))
def calls(x, y):
    @jax.jit
    def inner(a, b):
        return jnp.sin(a) * b

    @jax.custom_vjp
    def twice(a):
        return a * 2
    twice.defvjp(lambda a: (twice(a), a), lambda a, g: (g * 3,))
    return inner(x, y) + inner(y, x), jax.grad(lambda x: jnp.sum(twice(x)))(x), jax.grad(lambda x: jnp.sum(jax.checkpoint(inner)(x, y)))(x), lax.optimization_barrier((x, y))


# Convolutions

def conv(x, w, strides, padding, dims, **more):
    return lax.conv_general_dilated(x, w, strides, padding, dimension_numbers=dims, **more)


NHWC, NCHW = ('NHWC', 'HWIO', 'NHWC'), ('NCHW', 'OIHW', 'NCHW')


@case(whole(2, 6, 7, 3), whole(3, 2, 3, 4), generic=True, opt=True)
def conv_2d(x, w):
    return conv(x, w, (1, 1), 'SAME', NHWC), conv(x, w, (2, 3), 'VALID', NHWC), conv(x, w, (1, 2), ((2, 1), (0, 3)), NHWC)


@case(whole(2, 3, 9), whole(4, 3, 3), whole(1, 2, 4, 5, 4), whole(2, 2, 2, 3, 2))
def conv_1d_3d(x, w, y, v):
    return (conv(x, w, (2,), ((1, 2),), ('NCH', 'OIH', 'NCH')), conv(y, v[:, :, :, :2], (1, 2, 1), 'SAME', ('NCDHW', 'DHWIO', 'NDHWC')),
            jnp.convolve(x[0, 0], w[0, 0]), jnp.correlate(x[0, 0], w[0, 0], 'same'))


@case(whole(1, 2, 6, 7), whole(3, 2, 2, 3))
def conv_dilated(x, w):
    return (conv(x, w, (1, 1), ((0, 0), (0, 0)), NCHW, rhs_dilation=(2, 3)), conv(x, w, (1, 1), ((1, 1), (2, 2)), NCHW, lhs_dilation=(2, 3)),
            conv(x, w, (2, 1), ((1, 0), (-1, 2)), NCHW, lhs_dilation=(3, 1), rhs_dilation=(1, 2)))


@case(whole(2, 5, 5, 4), whole(3, 3, 2, 6), whole(3, 3, 1, 8))
def conv_groups(x, w, depthwise):
    return conv(x, w, (1, 1), 'SAME', NHWC, feature_group_count=2), conv(x, depthwise, (2, 2), 'VALID', NHWC, feature_group_count=4)


@case(whole(4, 5, 5, 3), whole(2, 2, 3, 4))
def conv_batch_groups(x, w):
    return conv(x, w, (1, 1), 'VALID', NHWC, batch_group_count=2), conv(x, w, (2, 1), 'SAME', NHWC, batch_group_count=4)


@case(whole(2, 5, 6, 2, low=-2, high=2), whole(3, 2, 2, 3, low=-2, high=2))
def conv_gradient(x, w):
    loss = lambda strides, **more: lambda x, w: jnp.sum(conv(x, w, strides, 'SAME', NHWC, **more) ** 2)
    return jax.grad(loss((1, 1)), (0, 1))(x, w), jax.grad(loss((2, 3)), (0, 1))(x, w), jax.grad(loss((1, 1), rhs_dilation=(2, 1)), (0, 1))(x, w)


@case(whole(2, 5, 5, 4, low=-2, high=2), whole(3, 3, 2, 4, low=-2, high=2), whole(2, 2, 4, 2, low=-2, high=2))
def conv_groups_gradient(x, w, v):
    grouped = lambda x, w: jnp.sum(conv(x, w, (2, 1), 'SAME', NHWC, feature_group_count=2) ** 2)
    batched = lambda x, v: jnp.sum(conv(x, v, (1, 1), 'VALID', NHWC, batch_group_count=2) ** 2)
    return jax.grad(grouped, (0, 1))(x, w), jax.grad(batched, (0, 1))(x, v)


@case(whole(1, 3, 4, 2), whole(3, 3, 2, 3))
def conv_transpose(x, w):
    return lax.conv_transpose(x, w, (2, 2), 'SAME'), lax.conv_transpose(x, w, (1, 3), 'VALID'), lax.conv_transpose(x, w.swapaxes(2, 3), (2, 1), 'SAME', transpose_kernel=True)


@case(whole(2, 1, 4, 4, 2), whole(2, 2, 2, 2, 3), whole(1, 4, 4, 2, dtype=bf16), whole(2, 2, 2, 3, dtype=bf16))
def conv_batched(x, w, y, v):
    plain = lambda x, w: conv(x, w, (1, 1), 'SAME', NHWC)
    return (jax.vmap(plain)(x, w), jax.vmap(plain, (0, None))(x, w[0]), jax.vmap(plain, (None, 0))(x[0], w), plain(y, v),
            conv(y, v, (1, 1), 'VALID', NHWC, preferred_element_type=f32), lax.conv_general_dilated_patches(x[0], (2, 2), (1, 1), 'VALID', dimension_numbers=NHWC))


# Windows

@case(whole(1, 6, 6, 2), generic=True)
def pooling(x):
    window, strides = (1, 2, 3, 1), (1, 2, 2, 1)
    pool = lambda init, op, padding, **more: lax.reduce_window(x, f32(init), op, window, strides, padding, **more)
    return pool(-np.inf, lax.max, 'VALID'), pool(0, lax.add, 'SAME'), pool(np.inf, lax.min, ((0, 0), (1, 1), (2, 0), (0, 0))), pool(1, lax.mul, 'VALID')


@case(whole(7, 6), i(7, 6))
def pooling_dilated(x, n):
    pool = lambda x, init, op, **more: lax.reduce_window(x, init, op, (2, 3), (1, 2), ((1, 1), (0, 2)), **more)
    return (pool(x, f32(0), lax.add, base_dilation=(2, 1)), pool(x, f32(-np.inf), lax.max, window_dilation=(2, 2)), pool(n, i32(-100), lax.max, base_dilation=(1, 2), window_dilation=(3, 1)),
            pool(x, f32(1), lambda a, b: a * b + 0 * a, window_dilation=(1, 2)))


@case(whole(3, 8), i(3, 8, low=0, high=50))
def pooling_variadic(x, n):
    def larger(a, b):
        keep = (a[0] > b[0]) | ((a[0] == b[0]) & (a[1] < b[1]))
        return jnp.where(keep, a[0], b[0]), jnp.where(keep, a[1], b[1])
    return lax.reduce_window((x, n), (f32(-100), i32(99)), larger, (1, 3), (1, 2), 'VALID')


@case(distinct(1, 6, 6, 2), generic=True)
def pooling_gradient(x):
    pool = lambda init, op, strides, padding: lambda x: jnp.sum(lax.reduce_window(x, f32(init), op, (1, 2, 2, 1), strides, padding) ** 2)
    return jax.grad(pool(-np.inf, lax.max, (1, 2, 2, 1), 'VALID'))(x), jax.grad(pool(-np.inf, lax.max, (1, 1, 3, 1), 'SAME'))(x), jax.grad(pool(0, lax.add, (1, 2, 1, 1), 'SAME'))(x), \
        jax.grad(pool(np.inf, lax.min, (1, 2, 2, 1), 'VALID'))(x)


@case(whole(3, 6), i(3, 6), platform='tpu')
def cumulative_windows(x, n):
    return jnp.cumsum(x, 1), jnp.cumsum(n, 0), lax.cummax(x, 1), lax.cumsum(x, 0, reverse=True)


# Fourier transforms, linear algebra

@case(c(3, 6), f(3, 6), generic=True)
def fft(z, x):
    return jnp.fft.fft(z), jnp.fft.ifft(z), jnp.fft.rfft(x), jnp.fft.irfft(z), jnp.fft.irfft(z, 9), jnp.fft.fft(z, axis=0)


@case(c(2, 3, 4), f(2, 4, 6))
def fft_2d_3d(z, x):
    return jnp.fft.fft2(z), jnp.fft.ifftn(z), jnp.fft.rfft2(x), jnp.fft.irfftn(z), jnp.fft.rfftn(x), jax.vmap(jnp.fft.fft)(z)


@case(f(5, dtype=f64), c(5, dtype=np.complex128), x64=True)
def fft_f64(x, z):
    return jnp.fft.fft(z), jnp.fft.rfft(x), jnp.fft.irfft(z, 8), jax.grad(lambda x: jnp.sum(jnp.abs(jnp.fft.rfft(x)) ** 2))(x)


def positive_definite(n, *batch):
    def draw(rng):
        a = rng.uniform(-1, 1, (*batch, n, n))
        return (a @ a.swapaxes(-1, -2) + n * np.eye(n)).astype(f32)
    return draw


def lower_triangle(n, *batch):
    return lambda rng: (np.tril(rng.uniform(-1, 1, (*batch, n, n))) + 2 * np.eye(n)).astype(f32)


@case(positive_definite(4), lower_triangle(4), f(4, 3), f(2, 4), platform='tpu', generic=True)
def cholesky_triangular_solve(a, t, b, row):
    solve = lax.linalg.triangular_solve
    return (lax.linalg.cholesky(a), solve(t, b, left_side=True, lower=True), solve(t.T, b, left_side=True), solve(t, row, lower=True), solve(t, b, left_side=True, lower=True, transpose_a=True),
            solve(t, b, left_side=True, lower=True, unit_diagonal=True))


@case(positive_definite(3, 2), lower_triangle(3, 2), f(2, 3, 2), platform='tpu')
def linear_algebra_batched(a, t, b):
    return lax.linalg.cholesky(a), lax.linalg.triangular_solve(t, b, left_side=True, lower=True), jax.grad(lambda a: jnp.sum(lax.linalg.cholesky(a)))(a)


@case(positive_definite(4), f(4, 2))
def linear_algebra_lapack(a, b):
    return jnp.linalg.cholesky(a), jnp.linalg.solve(a, b), jnp.linalg.inv(a), jnp.linalg.slogdet(a)[1], jax.scipy.linalg.cho_solve((jnp.linalg.cholesky(a), True), b)


@case(positive_definite(4), f(4, 3))
def decompositions_lapack(a, b):
    return jnp.linalg.eigvalsh(a), jnp.abs(jnp.linalg.qr(b)[1]), jnp.linalg.svd(b, compute_uv=False), jax.scipy.linalg.lu(a)[2]


# Narrow types

F8 = [jnp.float8_e4m3fn, jnp.float8_e5m2, jnp.float8_e4m3b11fnuz, jnp.float8_e4m3fnuz, jnp.float8_e5m2fnuz, jnp.float8_e3m4, jnp.float8_e4m3, jnp.float8_e8m0fnu]


@case(np.array([0., -0., 1., -1.1, 3.3, 17., 200., -300., 470., 6e4, -1e6, 1e-2, 1.3e-3, -2e-5, np.inf, np.nan], f32))
def convert_f8(x):
    there = [x.astype(kind) for kind in F8[:-1]] + [lax.abs(x).astype(F8[-1])]
    return there, [y.astype(f32) for y in there]


@case(f(3, 4, dtype=jnp.float8_e4m3fn), f(4, 3, dtype=jnp.float8_e5m2), f(3, 4, dtype=jnp.float8_e4m3fn))
def arithmetic_f8(a, b, y):
    return a + y, a * y, lax.max(a, y), lax.dot(a, b, preferred_element_type=f32), a < y, -a, a.astype(bf16), b.T, jnp.where(a > 0, a, y)


@case(i(2, 6, low=-8, high=7, dtype=jnp.int4), i(2, 6, low=0, high=15, dtype=jnp.uint4))
def int4(a, b):
    return a + a, a.astype(i8), b.astype(i32), b * b, a.astype(f32), a.T, a < 0


# Attributes and custom calls

@case(f(6))
def result_accuracy(x):
    return lax.exp(x, accuracy=lax.AccuracyMode.HIGHEST), lax.tanh(x, accuracy=lax.Tolerance(atol=1e-5, rtol=1e-5, ulps=4))


@case(f(4), f(4))
def composite(x, y):
    @functools.partial(lax.composite, name='meshwright.gelu', version=2)
    def gelu(x, *, approximate):
        return jax.nn.gelu(x, approximate=approximate)
    return gelu(x, approximate=True) + gelu(y, approximate=False)


@case(whole(6, 3), whole(3, 3, 4), np.array([2, 0, 4], i32))
def ragged_dot(x, w, sizes):
    return lax.ragged_dot(x, w, sizes)


@case(whole(6, 3), whole(3, 3, 4), np.array([2, 0, 4], i32), platform='tpu')
def ragged_dot_chlo(x, w, sizes):
    return lax.ragged_dot(x, w, sizes)


@case(f(3), outputs=False)
def callbacks(x):
    """Calls back into Python: an ordered one with a token, a pure one, a print."""
    like = jax.ShapeDtypeStruct((3,), f32)
    jax.debug.print('{}', x)
    return io_callback(np.sin, like, x, ordered=True), jax.pure_callback(np.cos, like, x)


@case(f(4, 5), f(4, 5), f(5), donate_argnums=(0, 2))
def donation(x, y, z):
    return x + y, z * 2, y.sum()


@case(f(3), whole(4, 3), whole(4, 3), flags(4), f(3, 5))
def jnp_functions(v, x, y, mask, m):
    return (jnp.interp(v, jnp.arange(-2., 3.), jnp.arange(5.) ** 2), jnp.where(mask[:, None], x, y), jnp.cov(m), jnp.cross(x, y), jnp.vander(v, 3), jnp.trapezoid(m), jnp.clip(x, -1, 2),
            jnp.select([x > 2, x < -2], [x, -x], 0), jnp.nonzero(mask, size=3)[0], jnp.unique(x.astype(i32), size=5), jnp.meshgrid(v, v)[0], jnp.polyval(v, v), jnp.floor_divide(x, 3), jnp.mod(x, 3),
            jnp.heaviside(x, .5), jnp.isin(x, v), jnp.convolve(v, v), jnp.ptp(m), jnp.average(m, 0, v), jnp.allclose(x, y))


@case(f(3, 4))
def activations(x):
    n = jax.nn
    return n.relu(x), n.gelu(x), n.gelu(x, approximate=False), n.silu(x), n.softplus(x), n.elu(x), n.leaky_relu(x), n.hard_tanh(x), n.glu(x), n.selu(x), n.log_sigmoid(x), n.relu6(x * 4), n.mish(x), n.standardize(x)


@case(f(3, 4), f(3, 4, low=.2, high=.9))
def elementwise_gradients(x, y):
    functions = [jnp.sin, jnp.tanh, jnp.exp, jnp.log, jnp.sqrt, lax.rsqrt, lax.erf, lax.logistic, lax.lgamma, jnp.arctan, lax.cbrt, jnp.log1p, jnp.arcsin, lax.erf_inv, lax.digamma]
    return [jax.grad(lambda y: g(y).sum())(y) for g in functions], jax.grad(lambda x: jnp.max(x) + jnp.prod(x) + jnp.linalg.norm(x))(x), jax.jacfwd(lambda v: v ** 2 * v[::-1])(x[0]), \
        jax.hessian(lambda v: jnp.sum(v[:-1] ** 2 * v[1:]))(x[0])


@case(whole(2, 3, 4), whole(2, 4, 3), i(2, low=0, high=2), whole(2, 3))
def batched(x, y, n, v):
    both = jax.vmap
    return (both(jnp.matmul)(x, y), both(jnp.dot, (0, None))(x, y[0]), both(jnp.sort)(x), both(lambda x: jnp.pad(x, 1))(x), both(lambda x, n: jnp.roll(x, n, 0))(x, n), both(lambda x, n: x[n])(x, n),
            both(lambda x, n, v: x.at[:, n].set(v))(x, n, v), both(both(jnp.cumsum))(x), both(lambda x: jnp.concatenate([x, x[::-1]]))(x), both(jnp.argmax)(x), both(lambda x: x.reshape(2, 6))(x),
            both(jax.grad(lambda x: jnp.sum(x @ x.T)))(x), both(lambda n: jnp.arange(3) == n)(n), both(lambda x: x.T, in_axes=2, out_axes=1)(x))


@case(distinct(2, 6, 8), c(2, 6), i(2, 6, low=-90, high=90), i(2, low=0, high=3), np.arange(4, dtype=u32).reshape(2, 2))
def batched_more(x, z, b, n, keys):
    both = jax.vmap
    pool = functools.partial(lax.reduce_window, init_value=-jnp.inf, computation=lax.max, window_dimensions=(2, 3), window_strides=(2, 1), padding='SAME')
    return (both(pool)(x), both(jax.grad(lambda x: pool(x).sum()))(x), both(lambda x: lax.top_k(x, 3))(x), both(jnp.fft.fft)(z), both(jnp.fft.rfft)(x), both(lambda a: lax.sort((a, -a), dimension=0, num_keys=1))(x),
            both(lambda k: jax.random.bits(jax.random.wrap_key_data(k), (4,)))(keys), both(lambda b: (b.astype(i8) * b.astype(i8)) // 3)(b), both(lambda b: lax.population_count(b) + lax.clz(b))(b),
            both(lambda x: x.astype(bf16) + x.sum().astype(bf16))(x), both(lambda x, n: lax.dynamic_slice(x, (n, n), (2, 3)))(x, n), both(lambda x, n: lax.dynamic_update_slice(x, -x[:2], (n, 0)))(x, n),
            both(lambda x: lax.cummax(x, 1))(x), both(lambda z: z * z.conj())(z), both(lambda x: x.astype(jnp.float8_e4m3fn).astype(f32))(x), both(lambda x, n: lax.select_n(n, x, -x, 2 * x))(x, n))


# Eight devices

def mesh(*sizes, kind=AxisType.Auto):
    names = ('x', 'y', 'z')[:len(sizes)]
    return Mesh(np.array(jax.devices()).reshape(sizes), names, axis_types=(kind,) * len(sizes))


M8, M42, M222 = mesh(8), mesh(4, 2), mesh(2, 2, 2)


def over(m, *spec):
    return NamedSharding(m, P(*spec))


def constrain(x, m, *spec):
    return lax.with_sharding_constraint(x, over(m, *spec))


def reductions(x):
    return lax.psum(x, 'x'), lax.psum(x, ('x', 'y')), lax.pmax(x, 'y'), lax.pmin(x, 'x'), lax.pmean(x, 'y'), lax.psum(1, 'x') * x


def manual(fn, m, inputs, outputs, **more):
    return jax.shard_map(fn, mesh=m, in_specs=inputs, out_specs=outputs, check_vma=False, **more)


XY = P('x', 'y')


def under_vmap(x):
    inner = manual(lambda x: lax.psum(x * 2, 'y') + lax.axis_index('x').astype(f32), M42, (XY,), P('x'))
    return jax.vmap(inner)(x), jax.vmap(lambda x: constrain(x + 1, M42, 'x', None) * 2)(x)


@case(whole(3, 8, 4))
def sharded_batched(x):
    return under_vmap(x)


@case(whole(3, 8, 4), shardy=False)
def sharded_batched_gspmd(x):
    return under_vmap(x)


@case(whole(8, 4), generic=True, opt=True)
def all_reduce(x):
    return manual(reductions, M42, (XY,), (P(None, 'y'), P(), P('x'), P(None, 'y'), P('x'), XY))(x)


@case(whole(8, 4), shardy=False, opt=True)
def all_reduce_gspmd(x):
    return manual(reductions, M42, (XY,), (P(None, 'y'), P(), P('x'), P(None, 'y'), P('x'), XY))(x)


@case(whole(8, 4), generic=True)
def all_gather(x):
    def body(x):
        return lax.all_gather(x, 'x', tiled=True), lax.all_gather(x, 'y', axis=1, tiled=True), lax.all_gather(x, 'x'), lax.all_gather(x, ('y', 'x'), axis=1)
    return manual(body, M42, (XY,), (P(None, 'y'), P('x'), P(None, None, 'y'), P()))(x)


@case(whole(16, 8), opt=True)
def reduce_scatter(x):
    def body(x):
        return lax.psum_scatter(x, 'x', tiled=True), lax.psum_scatter(x, 'y', scatter_dimension=1, tiled=True), lax.psum_scatter(x, 'x')
    return manual(body, M42, (XY,), (P('x', 'y'), P('x', 'y'), P('x')))(x)


@case(whole(16, 8), opt=True)
def all_to_all(x):
    def body(x):
        return lax.all_to_all(x, 'x', 1, 0, tiled=True), lax.all_to_all(x, 'x', 0, 1), lax.all_to_all(x, 'y', 0, 1, tiled=True)
    return manual(body, M42, (P('x'),), (P(None, 'x'), P(None, 'x'), P('x')))(x)


@case(whole(8, 2), generic=True, opt=True)
def collective_permute(x):
    def body(x):
        ring = lax.ppermute(x, 'x', [(k, (k + 1) % 4) for k in range(4)])
        return ring, lax.ppermute(x, 'x', [(0, 2), (3, 1)]), lax.ppermute(x, 'y', [(0, 1), (1, 0)]), lax.pshuffle(x, 'x', [2, 0, 3, 1])
    return manual(body, M42, (XY,), (XY,) * 4)(x)


@case(whole(8, 2), shardy=False)
def collective_permute_gspmd(x):
    return manual(lambda x: lax.ppermute(x, 'x', [(0, 2), (3, 1)]), M42, (XY,), XY)(x)


@case(whole(8, 2), platform='cuda', outputs=False)
def collective_broadcast(x):
    return manual(lambda x: lax.pbroadcast(x, 'x', 2), M42, (XY,), XY)(x)


@case(whole(8))
def axis_index(x):
    return manual(lambda x: (x + lax.axis_index('x') * 10 + lax.axis_index('y'), x * lax.axis_index(('y', 'x'))), M42, (P('x'),), (P(('x', 'y')), P(('x', 'y'))))(x)


@case(whole(8, 8), whole(8, 4), generic=True)
def shard_map_matmul(a, b):
    return manual(lambda a, b: lax.psum(a @ b, 'y'), M42, (P('x', 'y'), P('y')), P('x'))(a, b)


@case(f(8, 4), f(4, 4), generic=True)
def shard_map_gradient(x, w):
    def loss(w, x):
        y = lax.all_gather(jnp.tanh(x @ w), 'y', axis=1, tiled=True)
        return lax.psum(jnp.sum(y ** 2), 'x')
    step = jax.shard_map(loss, mesh=M42, in_specs=(P(None, 'y'), P('x')), out_specs=P(), check_vma=False)
    return jax.value_and_grad(step)(w, x)


@case(whole(8, 8), whole(8, 8), in_shardings=(over(M42, 'x', 'y'), over(M42, 'y', None)), generic=True)
def shard_map_partly_manual(a, b):
    body = jax.shard_map(lambda a, b: lax.psum(a @ b, 'y'), mesh=M42, in_specs=(P(None, 'y'), P('y')), out_specs=P(), axis_names={'y'}, check_vma=False)
    return body(a * 2, b) + 1


@case(whole(8, 8), whole(8, 8), shardy=False, in_shardings=(over(M42, 'x', 'y'), over(M42, 'y', None)))
def shard_map_partly_manual_gspmd(a, b):
    body = jax.shard_map(lambda a, b: lax.psum(a @ b, 'y'), mesh=M42, in_specs=(P(None, 'y'), P('y')), out_specs=P(), axis_names={'y'}, check_vma=False)
    return body(a * 2, b) + 1


@case(whole(8, 4), whole(8, 6), i(8, low=0, high=3))
def shard_map_ring_matmul(a, b, steps):
    """A contraction over a sharded dim, one shard of `b` passing by at a time."""
    def body(a, b):
        def step(k, state):
            acc, b = state
            owner = (lax.axis_index('x') + k) % 8
            acc = acc + lax.dynamic_slice_in_dim(a, owner, 1, 1) * b
            return acc, lax.ppermute(b, 'x', [((k + 1) % 8, k) for k in range(8)])
        return lax.fori_loop(0, 8, step, (jnp.zeros((4, 6)), b))[0]
    return manual(body, M8, (P(), P('x')), P())(a.T, b) + steps.sum()


def constrained(x, w):
    x = constrain(x, M42, 'x', None)
    y = constrain(x @ w, M42, 'x', 'y')
    z = constrain(jnp.tanh(y), M42, ('x', 'y'), None)
    return constrain(z.reshape(2, 4, 8), M42, None, ('y', 'x'), None), lax.with_sharding_constraint(z + 1, over(M42, P.UNCONSTRAINED, 'y')), z.sum(0)


@case(f(8, 4), f(4, 8), in_shardings=(over(M42, 'x'), over(M42, None, 'y')), generic=True, opt=True)
def sharding_constraint(x, w):
    return constrained(x, w)


@case(f(8, 4), f(4, 8), shardy=False, in_shardings=(over(M42, 'x'), over(M42, None, 'y')), generic=True, opt=True)
def sharding_constraint_gspmd(x, w):
    return constrained(x, w)


def three_axes(x, w):
    h = constrain(jnp.einsum('bsm,mh->bsh', x, w), M222, 'x', 'y', 'z')
    return constrain(jnp.einsum('bsh,mh->bsm', h, w), M222, ('x', 'z'), None, 'y'), constrain(h.transpose(2, 0, 1), M222, 'z', None, None)


IN222 = dict(in_shardings=(over(M222, ('x', 'z'), 'y'), over(M222, None, 'z')), out_shardings=(over(M222, 'x'), over(M222, 'z')))


@case(whole(4, 4, 4), whole(4, 8), **IN222)
def sharding_three_axes(x, w):
    return three_axes(x, w)


@case(whole(4, 4, 4), whole(4, 8), shardy=False, **IN222)
def sharding_three_axes_gspmd(x, w):
    return three_axes(x, w)


def alike(x, y):
    x, y = shard_alike(x * 2, y + 1)
    return x, y @ x.T


@case(whole(8, 8), whole(8, 8), in_shardings=(over(M42, 'x', 'y'), over(M42)))
def sharding_alike(x, y):
    return alike(x, y)


@case(whole(8, 8), whole(8, 8), shardy=False, in_shardings=(over(M42, 'x', 'y'), over(M42)))
def sharding_alike_gspmd(x, y):
    return alike(x, y)


E42 = mesh(4, 2, kind=AxisType.Explicit)


@case(whole(8, 4), whole(4, 8), in_shardings=(over(E42, 'x', None), over(E42, None, 'y')))
def sharding_in_types(x, w):
    y = jnp.einsum('bm,mh->bh', x, w)
    return jnp.sum(y, 1), jax.sharding.reshard(y, over(E42, None, 'x')), jnp.einsum('bm,bh->mh', x, y, out_sharding=over(E42, None, 'y'))


@case(whole(8, 6), in_shardings=(over(M42, 'x'),))
def sharding_reduce_scan(x):
    xs = constrain(x, M42, 'x', 'y')
    return lax.scan(lambda c, row: (c + row, c.sum()), jnp.zeros(6), xs), jnp.sort(xs, 0), jnp.argmax(xs, 0), jnp.cumsum(xs, 0)


@case(whole(1, 8, 8, 2), whole(3, 3, 2, 4), in_shardings=(over(M42, None, 'x', 'y'), None), opt=True)
def sharding_convolution(x, w):
    y = constrain(conv(x, w, (1, 1), 'SAME', NHWC), M42, None, 'x', 'y', None)
    return y, lax.reduce_window(y, f32(-np.inf), lax.max, (1, 2, 2, 1), (1, 2, 2, 1), 'VALID')


# Models

@case(f(4, 6), f(6, 8, low=-1, high=1), f(8), f(8, 3, low=-1, high=1), i(4, low=0, high=2), generic=True, opt=True)
def mlp(x, w1, b1, w2, labels):
    def loss(params):
        w1, b1, w2 = params
        with jax.named_scope('hidden'):
            h = jax.nn.relu(x @ w1 + b1)
        with jax.named_scope('loss'):
            return -jnp.mean(jnp.take_along_axis(jax.nn.log_softmax(h @ w2), labels[:, None], 1))
    return jax.value_and_grad(loss)((w1, b1, w2))


@case(f(2, 5, 2, 4), f(2, 5, 2, 4), f(2, 5, 2, 4))
def attention(q, k, v):
    return jax.nn.dot_product_attention(q, k, v), jax.nn.dot_product_attention(q, k, v, is_causal=True), jax.nn.dot_product_attention(q, k[:, :, :1], v[:, :, :1])


def norm(x, scale):
    return x * lax.rsqrt(jnp.mean(x * x, -1, keepdims=True) + 1e-6) * scale


def transformer_layer(p, x):
    qkv, out, up, down, scale = p
    q, k, v = jnp.einsum('bsm,cmnd->cbsnd', norm(x, scale[0]), qkv)
    scores = jnp.einsum('bsnd,btnd->bnst', q, k) / 2
    causal = jnp.tril(jnp.ones(scores.shape[-2:], bool))
    weights = jax.nn.softmax(jnp.where(causal, scores, -1e9), -1)
    x = x + jnp.einsum('bnst,btnd,ndm->bsm', weights, v, out)
    return x + jax.nn.gelu(norm(x, scale[1]) @ up) @ down


LAYER = f(3, 8, 2, 4, low=-.5, high=.5), f(2, 4, 8, low=-.5, high=.5), f(8, 16, low=-.5, high=.5), f(16, 8, low=-.5, high=.5), f(2, 8, low=.5, high=1.5)


@case(*LAYER, f(2, 6, 8))
def transformer(*args):
    *p, x = args
    return jax.value_and_grad(lambda p: jnp.mean(transformer_layer(p, x) ** 2))(p)


@case(*LAYER, f(2, 6, 8, dtype=bf16))
def transformer_bf16(*args):
    *p, x = args
    return transformer_layer([v.astype(bf16) for v in p], x)


@case(f(3, 3, 8, 2, 4, low=-.3, high=.3), f(3, 2, 4, 8, low=-.3, high=.3), f(3, 8, 16, low=-.3, high=.3), f(3, 16, 8, low=-.3, high=.3), f(3, 2, 8, low=.5, high=1.5), f(2, 4, 8))
def transformer_scanned(*args):
    """Three layers, their weights stacked, rematerialized in the backward pass."""
    *p, x = args
    layer = jax.checkpoint(lambda x, p: (transformer_layer(p, x), None))
    return jax.value_and_grad(lambda p: jnp.mean(lax.scan(layer, x, p)[0] ** 2))(p)


def moe_layer(x, gate, up, down, capacity=4):
    """Top-2 routing by one-hot dispatch and combine einsums, as in GShard."""
    experts = gate.shape[1]
    gates = jax.nn.softmax(jnp.einsum('gsm,me->gse', x, gate))
    first = jax.nn.one_hot(jnp.argmax(gates, -1), experts)
    second = jax.nn.one_hot(jnp.argmax(gates * (1 - first), -1), experts)
    place1 = jnp.cumsum(first, 1) * first - first
    place2 = (jnp.cumsum(second, 1) - second + first.sum(1, keepdims=True)) * second
    combine = 0
    for chosen, place in (first, place1), (second, place2):
        kept = chosen * (place < capacity)
        slot = jax.nn.one_hot(place.sum(-1).astype(i32), capacity)
        combine += jnp.einsum('gse,gsc->gsec', gates * kept, slot)
    inside = jnp.einsum('gsec,gsm->egcm', (combine > 0).astype(x.dtype), x)
    inside = jnp.einsum('egch,ehm->egcm', jax.nn.relu(jnp.einsum('egcm,emh->egch', inside, up)), down)
    return jnp.einsum('gsec,egcm->gsm', combine, inside)


EXPERTS = f(2, 6, 4), f(4, 4), f(4, 4, 8, low=-1, high=1), f(4, 8, 4, low=-1, high=1)


@case(*EXPERTS)
def moe(x, gate, up, down):
    return jax.value_and_grad(lambda *p: jnp.mean(moe_layer(x, *p) ** 2), (0, 1, 2))(gate, up, down)


@case(f(8, 6, 4), *EXPERTS[1:], in_shardings=(over(M42, 'x'), over(M42), over(M42, 'x', None, 'y'), over(M42, 'x', 'y')))
def moe_sharded(x, gate, up, down):
    return constrain(moe_layer(x, gate, up, down), M42, 'x', None, None)


@case(f(8, 6, 4), *EXPERTS[1:], shardy=False, in_shardings=(over(M42, 'x'), over(M42), over(M42, 'x', None, 'y'), over(M42, 'x', 'y')))
def moe_sharded_gspmd(x, gate, up, down):
    return constrain(moe_layer(x, gate, up, down), M42, 'x', None, None)


@case(f(2, 6, 6, 3), f(3, 3, 3, 4, low=-.5, high=.5), f(2, 4), f(36, 3, low=-.5, high=.5))
def convnet(x, w, scale_shift, head):
    """Convolution, batch norm with statistics of the batch, max pooling and a dense head, with gradients."""
    def loss(w, scale_shift, head):
        y = conv(x, w, (1, 1), 'SAME', NHWC)
        y = jax.nn.standardize(y, (0, 1, 2)) * scale_shift[0] + scale_shift[1]
        y = lax.reduce_window(jax.nn.relu(y), f32(-np.inf), lax.max, (1, 2, 2, 1), (1, 2, 2, 1), 'VALID')
        return jnp.mean(jax.nn.logsumexp(y.reshape(2, -1) @ head, 1))
    return jax.value_and_grad(loss, (0, 1, 2))(w, scale_shift, head)


@case(f(3, 4), f(3, 4, low=-.1, high=.1), f(3, 4, low=.01, high=.1), f(3, 4), donate_argnums=(0, 1, 2))
def adam(p, m, v, g):
    m, v = .9 * m + .1 * g, .99 * v + .01 * g * g
    return p - 1e-3 * m / (jnp.sqrt(v) + 1e-8), m, v


@case(f(5, 2, 3), f(6, 12, low=-.7, high=.7), f(12))
def lstm(xs, w, b):
    def cell(state, x):
        h, memory = state
        i, f, g, o = jnp.split(jnp.concatenate([x, h], 1) @ w + b, 4, 1)
        memory = lax.logistic(f) * memory + lax.logistic(i) * jnp.tanh(g)
        h = lax.logistic(o) * jnp.tanh(memory)
        return (h, memory), h
    return lax.scan(cell, (jnp.zeros((2, 3)), jnp.zeros((2, 3))), xs)
