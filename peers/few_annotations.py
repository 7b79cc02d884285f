"""Training steps with parameters and inputs annotated and no activation: what Meshwright makes of them beside XLA.

    python few_annotations.py --out DIR --meshwright BIN [--only NAME ...]      the listed rows
    python few_annotations.py --out DIR --meshwright BIN --seed N --count K     rows drawn from a seed
    python few_annotations.py --out DIR --meshwright BIN --measure              again what lies in DIR, without JAX

XLA partitions each step twice, with its own propagation (GSPMD) and with Shardy; ours is `meshwright partition` of the
StableHLO that JAX lowers for Shardy. Bytes sent, flops and program peak per device are counted by one code for all three;
the ratios are to the program of XLA's that sends less. Prints the table and writes `DIR/few.json`.
`--verify K` runs K rows at small sizes on the interpreter, partitioned and not; `--why` says what differs. Needs jax[cpu]==0.10.2, see requirements.txt.
"""
import argparse
import json
import math
import pathlib
import sys

from few import measure, rows, why


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--out', type=pathlib.Path, required=True, help='folder of the rows, a folder each')
    parser.add_argument('--meshwright', required=True)
    parser.add_argument('--only', nargs='+', help='rows by name')
    parser.add_argument('--seed', type=int, help='draw rows instead of the listed ones')
    parser.add_argument('--count', type=int, default=20)
    parser.add_argument('--measure', action='store_true', help='what lies in the folder, nothing new')
    parser.add_argument('--why', action='store_true', help='what differs in the rows above 1.0: to DIR/why.txt, with --only to stdout')
    parser.add_argument('--before', type=pathlib.Path, help='a few.json of another binary: rows that changed are told')
    parser.add_argument('--verify', type=int, default=0, metavar='K', help='run K of the rows small, beside the original')
    parser.add_argument('--options', nargs=argparse.REMAINDER, default=[], help='for `meshwright partition`, last')
    args = parser.parse_args()
    args.out.mkdir(parents=True, exist_ok=True)
    listed = rows.LISTED if args.seed is None else rows.drawn(args.seed, args.count)
    listed = [row for row in listed if not args.only or row.name in args.only]
    if not args.measure:
        dump_all(listed, args)
    chosen = [path for path in measure.folders(args.out) if not args.only or path.name in args.only]
    before = json.loads(args.before.read_text()) if args.before else []
    found = [measure.measured(args.meshwright, path, args.options) for path in chosen]
    if not args.only:
        (args.out / 'few.json').write_text(json.dumps(found, indent=1))
    print(measure.table(found))
    if before:
        print(measure.changes(before, found))
    if args.why:
        text = why.report(args.meshwright, found, args.out)
        print(text) if args.only else (args.out / 'why.txt').write_text(text)
    wrong = verified(listed, args) if args.verify else []
    sys.exit(1 if wrong or any('error' in row for row in found) else 0)


def verified(listed, args):
    """Some rows, spread over all those on eight devices."""
    from few.small import verified
    eight = [row for row in listed if math.prod(row.mesh) == 8]
    return verified(args.meshwright, eight[::max(1, len(eight) // args.verify)][:args.verify], args.out)


def dump_all(listed, args):
    from few.dump import dump
    for row in listed:
        try:
            measure.xla_counts(args.meshwright, dump(row, args.out))
            print(row.name, file=sys.stderr, flush=True)
        except Exception as error:  # one row that JAX refuses must not hide the others
            print(f'{row.name} is not there: {error}'.splitlines()[0], file=sys.stderr, flush=True)


main()
