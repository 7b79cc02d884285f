"""Where a row's programs part: kinds of collectives, the largest ones and what they are for, and values split otherwise."""
import collections
import math
import re

from few.measure import answer

KINDS = 'all-gather', 'all-reduce', 'reduce-scatter', 'all-to-all', 'collective-permute'
WIDTHS = dict(f64=8, s64=8, u64=8, f32=4, s32=4, u32=4, bf16=2, f16=2, s16=2, u16=2, pred=1, s8=1, u8=1)
LINE = re.compile(r'^\s*(?:ROOT )?%(\S+) = (.*?) ([a-z][a-z0-9-]*)\((.*)$')


def explained(binary, row, folder):
    """A few lines on one measured row."""
    better = row['better']
    lines = [f"{row['name']}: bytes {row['ratio']['bytes']:.3f}, flops {row['ratio']['flops']:.3f}, peak {row['ratio']['peak']:.3f} of {better}"]
    lines += kinds(row['ours']['by_kind'], row[better].get('by_kind', {}))
    local = folder / 'ours.hlo'
    answer([binary, 'partition', folder / 'step.mlir', '--format', 'hlo', '-o', local])
    ours, theirs = collectives(local.read_text()), collectives((folder / better / 'after_partitioning.hlo').read_text())
    for title, left, right in ('only ours', ours, theirs), (f'only {better}', theirs, ours):
        lines += [f'    {title}: {line}' for line in largest(left - right)]
    if better == 'gspmd':
        lines += differences(answer([binary, 'compare-xla', folder / 'gspmd'])['rows'][0]['completion'])
    return '\n'.join(lines)


def kinds(ours, theirs):
    lines = []
    for kind in sorted({*ours, *theirs}):
        (a, b) = (side.get(kind, dict(count=0, bytes=0)) for side in (ours, theirs))
        if a != b:
            lines.append(f"  {kind:20} {a['count']:5.0f} x {a['bytes'] / 1e6:10.3f} MB   XLA {b['count']:5.0f} x {b['bytes'] / 1e6:10.3f} MB")
    return lines


def collectives(text):
    """How often each (kind, result, place) is in a program's text, loops once."""
    found, users, places = [], {}, {}
    for line in text.splitlines():
        match = LINE.match(line)
        if not match:
            continue
        name, result, op, rest = match.groups()
        place = re.search(r'op_name="([^"]*)"', rest)
        places[name] = place[1].split('/', 1)[-1] if place else None
        for operand in re.findall(r'%([\w.-]+)', rest.split('), ')[0]):
            users.setdefault(operand, name)
        if op in KINDS:
            found.append((op, result, name, rest))
    counts = collections.Counter()
    for op, result, name, rest in found:
        place, user = places[name], users.get(name)
        while place is None and user is not None:
            place, user = places.get(user), users.get(user)
        shape = re.sub(r'\{[\d,]*\}', '', result)
        counts[op, shape, round(sent(op, result, rest)), place or 'the results'] += 1
    return counts


def sent(op, result, rest):
    """Bytes of one run, roughly: as many as a ring sends."""
    size = sum(WIDTHS.get(kind, 4) * math.prod(int(n) for n in dims.split(',') if n) for kind, dims in re.findall(r'(\w+)\[([\d,]*)\]', result))
    n = group_size(rest)
    return {'all-gather': size * (n - 1) / n, 'all-reduce': 2 * size * (n - 1) / n, 'reduce-scatter': size * (n - 1),
            'all-to-all': size * (n - 1) / n, 'collective-permute': size}[op]


def group_size(rest):
    if axes := re.search(r"replica_groups=mesh\[(.*?)\] ?\{(.*?)\}", rest):
        sizes = {name: int(size) for name, size in re.findall(r"'(\w+)'=(\d+)", axes[1])}
        parts = [int(part[2]) if part[2] else sizes[part[1]] for part in re.finditer(r"'(\w+)'(?::\(\d+\)(\d+))?", axes[2])]
        return math.prod(parts) or 1
    if shape := re.search(r'replica_groups=\[([\d,]+)\]<=', rest):
        return int(shape[1].split(',')[-1])
    if first := re.search(r'replica_groups=\{\{([\d,]+)\}', rest):
        return len(first[1].split(','))
    return 2


def largest(counts, most=8):
    order = sorted(counts.items(), key=lambda item: (-item[0][2] * item[1], item[0]))
    lines = [f'{count} x {op} {shape} {size / 1e6:.3f} MB  {place}' for (op, shape, size, place), count in order[:most]]
    rest = sum(size * count for (_, _, size, _), count in order[most:])
    return lines + ([f'and {len(order) - most} more, {rest / 1e6:.3f} MB'] if len(order) > most else [])


def differences(completion, most=6):
    """Values that completion splits otherwise than GSPMD, those of one shape and one difference together."""
    groups = collections.defaultdict(list)
    for one in completion['differences']:
        groups[tuple(one['shape']), one['ours'], one['xla']].append(one['value'])
    order = sorted(groups.items(), key=lambda item: (-math.prod(item[0][0]) * len(item[1]), item[0]))
    lines = [f"  completion: {completion['equal']} of {completion['total']} values split alike"]
    return lines + [f'    {len(names):4} values {list(shape)}: ours {ours}, gspmd {theirs}  (%{names[0]})'
                    for (shape, ours, theirs), names in order[:most]]


def report(binary, found, out):
    """All rows above 1.0 in bytes, the shortest explanation first."""
    above = [row for row in found if 'ratio' in row and row['ratio']['bytes'] > 1.0005]
    texts = [explained(binary, row, out / row['name']) for row in above]
    return '\n\n'.join(sorted(texts, key=lambda text: (len(text.splitlines()), text))) + '\n'
