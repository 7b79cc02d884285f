"""Just-in-time compilation: caches, static arguments, donation, methods, refs."""

import functools
import inspect

import jax
import jax.numpy as jnp
import numpy as np

from documented import at, grid, needs, numbers, on, put, traced

case = on("Just-in-time compilation")


@case("a second call of the same types is not traced")
def _(jit):
    count = []
    f = jit(traced(lambda x: x + 1, count))
    x = put((8, 4), "x")
    return f(x), f(x + 1), len(count)


@case("another shape is traced again")
def _(jit):
    count = []
    f = jit(traced(lambda x: x * 2, count))
    f(put((8, 4), "x")), f(put((4, 4), "x"))
    return len(count)


@case("another element type is traced again")
def _(jit):
    count = []
    f = jit(traced(lambda x: x * 2, count))
    return f(put((8, 4), "x")), f(put((8, 4), "x", dtype=np.int32)), len(count)


@case("another sharding of an argument is not traced again in auto mode", split=False)
def _(jit):
    count = []
    f = jit(traced(lambda x: x * 2, count))
    return f(put((8, 4), "x")), f(put((8, 4), None, "y")), len(count)


@case("two jits of one function share traces")
def _(jit):
    count = []
    f = traced(lambda x: x + 3, count)
    x = put((8,), "x")
    return jit(f)(x), jit(f)(x), len(count)


@case("a static argument by number is a Python value")
def _(jit):
    f = jit(lambda n, x: x * n if n > 1 else x, static_argnums=0)
    x = put((8, 4), "x", "y")
    return f(1, x), f(3, x)


@case("a static argument by name is a Python value")
def _(jit):
    def f(x, n):
        for _ in range(n):
            x = x + 1
        return x

    return jit(f, static_argnames=["n"])(put((8, 4), "x"), n=3), jit(f, static_argnames="n")(put((8,), "y"), 2)


@case("each value of a static argument is traced once")
def _(jit):
    count = []
    f = jit(traced(lambda n, x: x + n, count), static_argnums=0)
    x = put((8,), "x")
    f(1, x), f(2, x), f(1, x)
    return len(count)


@case("a static argument that has no hash is refused")
def _(jit):
    return jit(lambda n, x: x, static_argnums=0)([1], put((8,), "x"))


@case("static numbers beyond the arguments are refused")
def _(jit):
    return jit(lambda x: x, static_argnums=3)(put((8,), "x"))


@case("static names that there are not are refused")
def _(jit):
    return jit(lambda x: x, static_argnames="m")(put((8,), "x"))


@case("Python control flow on values is refused")
def _(jit):
    return jit(lambda x: x if x[0] > 0 else -x)(put((8,), "x"))


@case("a Python loop on a value is refused")
def _(jit):
    def f(x, n):
        while n > 0:
            n = n - 1
        return x

    return jit(f)(put((8,), "x"), 3)


@case("control flow on shapes is free")
def _(jit):
    f = jit(lambda x: jnp.log2(x * x + 1) if x.ndim == 2 else x)
    return f(put((8, 4), "x")), f(put((8,), "x"))


@case("an index by a traced condition is refused")
def _(jit):
    return jit(lambda x: x[x > 0])(put((8,), "x"))


@case("numpy on a traced value is refused")
def _(jit):
    return jit(lambda x: np.sin(np.asarray(x)))(put((8,), "x"))


@case("a value that leaks out of a trace is refused")
def _(jit):
    kept = []
    jit(lambda x: kept.append(x) or x)(put((8,), "x"))
    return kept[0] + 1


@case("side effects of Python happen while tracing, once")
def _(jit):
    seen = []
    f = jit(lambda x: seen.append("called") or x + 1)
    x = put((8,), "x")
    f(x), f(x)
    return tuple(seen)


@case("tracing goes by the order of the arguments")
def _(jit):
    seen = []

    def f(b, a, *rest, d, c):
        seen.extend([b.shape, a.shape, *(one.shape for one in rest), c.shape, d.shape])
        return a.sum() + b.sum() + c.sum() + d.sum()

    return jit(f)(put((8,), "x"), put((4,), "x"), np.ones(3), c=np.ones(2), d=np.ones(1)), tuple(seen)


@case("a decorator, with and without arguments")
def _(jit):
    @jit
    def f(x):
        "Adds one."
        return x + 1

    @functools.partial(jit, static_argnames=("n",))
    def g(x, n=2):
        return x * n

    return f(put((8,), "x")), g(put((8,), "x")), f.__name__, f.__doc__, g.__name__


@case("signatures are those of the function")
def _(jit):
    def f(a, b=2, *, c):
        return a

    return str(inspect.signature(jit(f))), inspect.unwrap(jit(f)) is f


@case("a method by a helper function")
def _(jit):
    class Scaled:
        def __init__(self, x):
            self.x = x

        def __call__(self, y):
            return helper(self.x, y)

    helper = jit(lambda x, y: x * y)
    return Scaled(put((8,), "x"))(put((8,), "x"))


@case("a method whose self is static")
def _(jit):
    class Scaled:
        def __init__(self, by):
            self.by = by

        @functools.partial(jit, static_argnums=0)
        def calc(self, y):
            return y * self.by

        def __hash__(self):
            return hash(self.by)

        def __eq__(self, other):
            return isinstance(other, Scaled) and self.by == other.by

    y = put((8,), "x")
    return Scaled(2.0).calc(y), Scaled(3.0).calc(y)


@case("a method of a class that is a pytree")
def _(jit):
    @jax.tree_util.register_pytree_node_class
    class Scaled:
        def __init__(self, x, twice):
            self.x, self.twice = x, twice

        @jit
        def calc(self, y):
            return self.x * y * (2 if self.twice else 1)

        def tree_flatten(self):
            return (self.x,), self.twice

        @classmethod
        def tree_unflatten(cls, twice, children):
            return cls(*children, twice)

    one, y = Scaled(put((8,), "x"), True), put((8,), "x")
    first = one.calc(y)
    one.twice = False
    return first, one.calc(y)


@case("a method whose self is no type of JAX's is refused")
def _(jit):
    class Plain:
        @jit
        def calc(self, y):
            return y

    return Plain().calc(put((8,), "x"))


@case("donated buffers are gone")
def _(jit):
    x, y = put((8, 4), "x"), put((8, 4), "x")
    result = jit(lambda x, y: x + y, donate_argnums=(0,))(x, y)
    return result, x.is_deleted(), y.is_deleted()


@case("buffers donated by name are gone")
def _(jit):
    x, y = put((8, 4), "x"), put((8, 4), "x")
    result = jit(lambda x, y: x + y, donate_argnames="y")(x, y=y)
    return result, x.is_deleted(), y.is_deleted()


@case("a donated tree is gone, leaf by leaf")
def _(jit):
    state = {"w": put((8, 4), "x", "y"), "b": put((4,), "y")}
    result = jit(lambda s: jax.tree.map(lambda x: x * 0.5, s), donate_argnums=0)(state)
    return result, [x.is_deleted() for x in jax.tree.leaves(state)]


@case("a donated array is refused the second time")
def _(jit):
    x = put((8, 4), "x")
    jit(lambda x: x + 1, donate_argnums=0)(x)
    return np.asarray(x)


@case("a donated array whose buffer no result can use stays usable or goes, as with JAX")
def _(jit):
    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        x = put((8, 4), "x")
        result = jit(lambda x: x.sum(), donate_argnums=0)(x)
        return result, x.is_deleted()


@case("donation of a static argument is refused")
def _(jit):
    return jit(lambda x: x, donate_argnums=0, static_argnums=0)(put((8,), "x"))


@case("keep_unused keeps what is not used")
def _(jit):
    f = jit(lambda x, y: x + 1, keep_unused=True)
    compiled = f.lower(put((8,), "x"), put((4,), "x")).compile()
    return f(put((8,), "x"), put((4,), "x")), len(jax.tree.leaves(compiled.input_shardings))


@case("inline has the same result")
def _(jit):
    inner = jit(lambda x: jnp.sin(x) + 1, inline=True)
    return jit(lambda x: inner(x) * inner(x))(put((8, 4), "x"))


@case("a jit in a jit is part of it")
def _(jit):
    count = []
    inner = jit(traced(lambda x: x * 2, count))
    outer = jit(lambda x: inner(x) + inner(x + 1))
    return outer(put((8, 4), "x", "y")), len(count)


@case("recursion by static arguments")
def _(jit):
    @functools.partial(jit, static_argnums=1)
    def f(x, n):
        return x if n == 0 else f(x + 1, n - 1)

    return f(put((8,), "x"), 3)


@case("clear_cache traces again")
def _(jit):
    count = []
    f = jit(traced(lambda x: x - 1, count))
    x = put((8,), "x")
    f(x)
    f.clear_cache()
    f(x)
    return len(count)


@case("numbers of Python are weakly typed")
def _(jit):
    f = jit(lambda x, n: (x + n, n * 2))
    return f(put((8,), "x", dtype=jnp.bfloat16), 2.0)


@case("arguments by name and with defaults")
def _(jit):
    f = jit(lambda x, scale=2.0, *, shift: x * scale + shift)
    return f(put((8,), "x"), shift=1.0), f(scale=3, x=put((8,), "x"), shift=np.float32(2))


@case("an argument that is missing is refused")
def _(jit):
    return jit(lambda x, y: x + y)(put((8,), "x"))


@case("an argument that is no array is refused")
def _(jit):
    return jit(lambda x, y: x)(put((8,), "x"), "text")


@case("a result that is no array is refused")
def _(jit):
    return jit(lambda x: (x, "text"))(put((8,), "x"))


@case("None is an empty tree, as argument and result")
def _(jit):
    return jit(lambda x, y: (x + 1, y, None))(put((8,), "x"), None)


@case("an empty result, and one that is an argument")
def _(jit):
    return jit(lambda x: ((), x, {}))(put((8, 4), "x", "y"))


@case("a constant that was closed over")
def _(jit):
    table = put((8, 4), "x")
    return jit(lambda x: x @ table)(put((4, 8), None, "y"))


@case("what the function itself refuses is refused so")
def _(jit):
    def f(x):
        raise KeyError("my own")

    return jit(f)(put((8,), "x"))


@case("shapes that do not fit are refused by jnp")
def _(jit):
    return jit(lambda x, y: x + y)(put((8,), "x"), put((4,), "x"))


@case("disable_jit runs op by op")
def _(jit):
    seen = []
    with jax.disable_jit():
        result = jit(lambda x: seen.append(float(x[0])) or x + 1)(put((8,), "x"))
    return result, tuple(seen)


@case("dispatch does not wait, and block_until_ready does")
def _(jit):
    return jax.block_until_ready(jit(lambda x: x @ x)(put((64, 64), "x", "y")))


@case("what is no number, under debug_nans, is refused")
def _(jit):
    with jax.debug_nans(True):
        return jit(lambda x: jnp.log(-x * x - 1))(put((8,), "x"))


@case("check_tracer_leaks")
def _(jit):
    with jax.check_tracer_leaks():
        return jit(lambda x: x + 1)(put((8,), "x"))


@case("x64 within its context")
def _(jit):
    with jax.enable_x64(True) if hasattr(jax, "enable_x64") else jax.experimental.enable_x64():
        return jit(lambda x: x / 3)(jax.device_put(np.arange(8.0), at("x")))


@case("default_matmul_precision")
def _(jit):
    with jax.default_matmul_precision("float32"):
        return jit(lambda x, y: x @ y)(put((8, 4), "x"), put((4, 8), None, "y"))


@case("a ref that is written within")
def _(jit):
    needs(jax, "new_ref")
    ref = jax.new_ref(put((8, 4), "x"))

    @jit
    def f(ref, by):
        ref[...] = ref[...] * by
        return ref[0]

    return f(ref, 2.0), ref[...]


@case("a ref that is made within")
def _(jit):
    needs(jax, "new_ref")

    @jit
    def f(x):
        ref = jax.new_ref(x)
        ref[...] += 1
        return ref[...]

    return f(put((8, 4), "x"))


@case("in_shardings and out_shardings by tree")
def _(jit):
    f = jit(
        lambda d: {"sum": d["a"] + d["b"], "a": d["a"]},
        in_shardings=({"a": at("x"), "b": at(None, "y")},),
        out_shardings={"sum": at("x", "y"), "a": None},
    )
    result = f({"a": numbers(8, 4), "b": numbers(8, 4)})
    return result["sum"], np.asarray(result["a"])


@case("one sharding is a prefix of a tree")
def _(jit):
    f = jit(lambda d: d, in_shardings=at("x"), out_shardings=at(None))
    return f({"a": numbers(8, 4), "b": (numbers(8), numbers(4, 2))})


@case("in_shardings that are not a prefix are refused")
def _(jit):
    return jit(lambda x, y: x, in_shardings=(at("x"),))(numbers(8), numbers(8))


@case("an argument placed elsewhere than in_shardings is refused")
def _(jit):
    return jit(lambda x: x, in_shardings=at("x"))(put((8, 4), None, "y"))


@case("an uncommitted argument goes where in_shardings say")
def _(jit):
    return jit(lambda x: x + 1, in_shardings=at("x", "y"))(jnp.ones((8, 4)))


@case("a spec of higher rank than its array is refused")
def _(jit):
    return jit(lambda x: x, in_shardings=at("x", "y"))(numbers(8))


@case("sizes that do not divide are refused for arguments")
def _(jit):
    return jit(lambda x: x, in_shardings=at("x"))(numbers(7))


@case("sizes that do not divide are refused for results")
def _(jit):
    return jit(lambda x: x, out_shardings=at("x"))(numbers(7))


@case("an axis that the mesh has not is refused")
def _(jit):
    return jit(lambda x: x, in_shardings=at("z"))(numbers(8))


@case("devices of two meshes are refused")
def _(jit):
    few = grid("Auto", (2,), ("d",))
    return jit(lambda x, y: x + y)(put((8,), "x"), put((8,), "d", mesh=few))


@case("a spec without a mesh is refused")
def _(jit):
    return jit(lambda x: x, in_shardings=jax.sharding.PartitionSpec("x"))(numbers(8))


@case("a compiler option that there is not is refused")
def _(jit):
    return jit(lambda x: x + 1, compiler_options={"xla_no_such_flag": 1})(put((8,), "x"))
