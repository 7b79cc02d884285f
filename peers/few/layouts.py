"""Where parameters, optimizer state and inputs are split: a layout says it by the names of dims, for any model and mesh.

A mesh has the axes `x`, `x y` or `r x y`. The batch is split over `r` and `x`; `y` is for tensors or for the sequence. What
does not divide stays whole. Nothing else of a step is annotated, but gradients under ZeRO-2.
"""
import dataclasses
import typing

AXES = {1: ('x',), 2: ('x', 'y'), 3: ('r', 'x', 'y')}
INNER = 'H', 'N', 'K', 'Q', 'KD', 'V', 'E', 'C'  # what tensor parallelism splits first
BATCH = 'B', 'nodes', 'edges'
SEQUENCE = 'S', 'size'


@dataclasses.dataclass
class Layout:
    """Functions of (dims, sizes, mesh, number of the parameter) that give what each dim is split over."""
    weights: typing.Callable
    moments: typing.Callable
    batch: typing.Callable
    gradients: typing.Callable | None = None


def whole(dims, sizes, mesh, number):
    return [()] * len(dims)


def assign(dims, sizes, mesh, wishes):
    """Each wish is a group of axes and positions, best first: it gets the first that is free and divides."""
    spec = [()] * len(dims)
    for group, places in wishes:
        group = tuple(axis for axis in group if axis in mesh)
        parts = 1
        for axis in group:
            parts *= mesh[axis]
        size = lambda at: dims[at] if isinstance(dims[at], int) else sizes[dims[at]]
        fits = [at for at in places if dims[at] != 'L' and not spec[at] and size(at) % parts == 0]
        if fits and group:
            spec[fits[0]] = group
    return spec


def by_size(dims, sizes):
    return sorted(range(len(dims)), key=lambda at: -(dims[at] if isinstance(dims[at], int) else sizes[dims[at]]))


ORDERS = {
    'first': lambda dims, sizes, number: range(len(dims)),
    'last': lambda dims, sizes, number: range(len(dims))[::-1],
    'largest': lambda dims, sizes, number: by_size(dims, sizes),
    'mixed': lambda dims, sizes, number: range(len(dims))[::1 if number % 2 else -1],
}


def is_gain(dims):
    return len([dim for dim in dims if dim != 'L']) == 1


def table_wishes(tables):
    """A vocabulary's table split otherwise than the rest: by rows, by width, or by both."""
    vocabulary = lambda dims: dims.index('V')
    width = lambda dims: dims.index('M')
    return {
        'rows': lambda dims: [(('y', 'x'), [vocabulary(dims)])],
        'width': lambda dims: [(('y', 'x'), [width(dims)])],
        'both': lambda dims: [(('x',), [vocabulary(dims)]), (('y',), [width(dims)])],
    }[tables]


def with_tables(rule, tables):
    if tables is None:
        return rule
    return lambda dims, sizes, mesh, number: (
        assign(dims, sizes, mesh, table_wishes(tables)(dims)) if set(dims) == {'V', 'M'} else rule(dims, sizes, mesh, number))


def weights_over(order, axes, gains='split'):
    """All of the axes on one dim."""
    def rule(dims, sizes, mesh, number):
        if gains == 'whole' and is_gain(dims):
            return whole(dims, sizes, mesh, number)
        return assign(dims, sizes, mesh, [(axes, ORDERS[order](dims, sizes, number))])
    return rule


def batch_over(axes, sequence=()):
    def rule(dims, sizes, mesh, number):
        first = [at for at, dim in enumerate(dims) if dim in BATCH]
        second = [at for at, dim in enumerate(dims) if dim in SEQUENCE]
        return assign(dims, sizes, mesh, [(axes, first), (sequence, second)])
    return rule


def inner_first(dims):
    named = [at for at, dim in enumerate(dims) if dim in INNER]
    return named + [at for at in reversed(range(len(dims))) if at not in named]


def fsdp(order='first', gains='split', tables=None):
    """Weights and moments over all axes, on one dim; the batch too."""
    rule = with_tables(weights_over(order, ('r', 'x', 'y'), gains), tables)
    return Layout(rule, rule, batch_over(('r', 'x', 'y')))


def zero(stage, order='first'):
    """1: moments are split; 2: gradients too; 3: weights too, but no gains."""
    split = weights_over(order, ('r', 'x', 'y'))
    if stage == 3:
        split = weights_over(order, ('r', 'x', 'y'), 'whole')
    return Layout(split if stage == 3 else whole, split, batch_over(('r', 'x', 'y')), split if stage == 2 else None)


def plane(gains='split', tables=None):
    """The first two dims that divide over `x` and over `y`; the batch over `x`."""
    def rule(dims, sizes, mesh, number):
        if gains == 'whole' and is_gain(dims):
            return whole(dims, sizes, mesh, number)
        return assign(dims, sizes, mesh, [(('r', 'x'), range(len(dims))), (('y',), range(len(dims)))])
    rule = with_tables(rule, tables)
    return Layout(rule, rule, batch_over(('r', 'x')))


def fsdp_tp(gains='whole', tables=None, heads='x'):
    """Heads, hidden layer and vocabulary over `y`, what is left over `x` (and not `r`: then this is HSDP with tensors)."""
    def rule(dims, sizes, mesh, number):
        if is_gain(dims):
            return assign(dims, sizes, mesh, [((heads,), range(len(dims)))] if gains == 'split' else [])
        inner = inner_first(dims)
        return assign(dims, sizes, mesh, [(('y',), inner), (('x',), [at for at in range(len(dims)) if at != inner[0]] + inner[:1])])
    rule = with_tables(rule, tables)
    return Layout(rule, rule, batch_over(('r', 'x')))


def tp(tables=None):
    """Weights over `y` alone, replicated over the batch's axis."""
    rule = with_tables(lambda dims, sizes, mesh, number: whole(dims, sizes, mesh, number) if is_gain(dims) else assign(
        dims, sizes, mesh, [(('y',), inner_first(dims))]), tables)
    return Layout(rule, rule, batch_over(('r', 'x')))


def hsdp(order='first', gains='split'):
    """Weights over `x` (and `y`), replicated over `r`; the batch over all."""
    rule = weights_over(order, ('x', 'y'), gains)
    return Layout(rule, rule, batch_over(('r', 'x', 'y')))


def sequence(order='first', gains='split', weights=('x', 'y')):
    """The batch over `x`, the sequence (or an image's rows) over `y`, weights over both."""
    rule = weights_over(order, weights, gains)
    return Layout(rule, rule, batch_over(('r', 'x'), ('y',)))


def experts(order='largest'):
    """Experts over the batch's axes, all else as FSDP."""
    other = weights_over(order, ('r', 'x', 'y'))

    def rule(dims, sizes, mesh, number):
        if 'E' in dims and len(dims) > 2:
            return assign(dims, sizes, mesh, [(('x',), [dims.index('E')]), (('y',), inner_first(dims))])
        return other(dims, sizes, mesh, number)
    return Layout(rule, rule, batch_over(('r', 'x', 'y')))


LAYOUTS = dict(fsdp=fsdp, zero=zero, plane=plane, fsdp_tp=fsdp_tp, tp=tp, hsdp=hsdp, sequence=sequence, experts=experts)
