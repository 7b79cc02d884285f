"""What XLA's partitioner sends for our models of images and sound, beside ours: the same program with the same annotations.

    cargo run -p meshwright-nn --example spatial_models FOLDER
    halos.py FOLDER --meshwright BIN

For each `NAME.mlir` in the folder XLA partitions the program with Shardy's propagation and with GSPMD's; the one that sends
less is told, but not one where devices compute what others compute too, half as much again. Both sides' collectives go through the same cleanup and are counted by the same code (`compare-xla`). Prints
the bytes that a device sends, all of them and those of permutes, which halos are, and what it multiplies. Nothing is run. Needs JAX. Ends with 1
if ours are more anywhere.
"""
import argparse
import json
import math
import pathlib
import re
import subprocess
import sys
import tempfile

import on_xla

DUMP = {'xla_dump_hlo_as_text': True, 'xla_dump_large_constants': True, 'xla_dump_hlo_pass_re': 'spmd.*', 'xla_backend_optimization_level': 0}


def said(*command):
    done = subprocess.run([*map(str, command)], capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError((done.stderr or done.stdout).strip().splitlines()[0])
    return done.stdout


def for_gspmd(hlo):
    """A StableHLO text with GSPMD's annotations, from HLO."""
    from jax._src.lib import hlo as parser
    proto = parser.hlo_module_from_text(hlo).as_serialized_hlo_module_proto()
    with on_xla.mlir.make_ir_context():
        return str(on_xla.ir.Module.parse(on_xla.xc._xla.mlir.hlo_to_stablehlo(proto)))


def partitioned(text, devices):
    """XLA's text behind partitioning."""
    with tempfile.TemporaryDirectory() as dump:
        try:
            on_xla.compiled(text, devices, dict(DUMP, xla_dump_to=dump))
        except on_xla.jax.errors.JaxRuntimeError:  # it may refuse what it made: a donated state that it has split
            if not list(pathlib.Path(dump).glob('*after_spmd-partitioning*')):
                raise
        [after] = pathlib.Path(dump).glob('*after_spmd-partitioning*')
        return re.sub(r'input_output_alias=\{.*? \}, ', '', after.read_text(), count=1)


def counted(binary, module, after):
    """Both sides, from the rows of `compare-xla`: XLA's texts from before partitioning are not looked at."""
    with tempfile.TemporaryDirectory() as folder:
        for name in 'before_propagation', 'after_propagation':
            pathlib.Path(folder, f'{name}.hlo').write_text(module)
        pathlib.Path(folder, 'after_partitioning.hlo').write_text(after)
        row = json.loads(said(binary, 'compare-xla', folder, '--json'))['rows'][0]
        return row['end_to_end'], row['xla']


def halos(count):
    return count['by_kind'].get('permute', {}).get('bytes', 0)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('folder', type=pathlib.Path)
    parser.add_argument('--meshwright', required=True)
    parser.add_argument('--kinds', action='store_true', help='what each kind of collective sends, too')
    args = parser.parse_args()
    on_xla.start(8)
    print("| program | ours sends | XLA's | with | of these, permutes: ours | XLA's | flops of contractions, ours by XLA's |\n|---|---|---|---|---|---|---|")
    more = 0
    for path in sorted(args.folder.glob('*.mlir')):
        text = path.read_text()
        mesh = re.search(r'sdy\.mesh @\w+ = <\[(.*?)\]>', text).group(1)
        devices = on_xla.jax.devices()[:math.prod(map(int, re.findall(r'=(\d+)', mesh)))]
        texts = dict(Shardy=text, GSPMD=for_gspmd(said(args.meshwright, 'print', path, '--format', 'hlo')))
        found = {name: counted(args.meshwright, text, partitioned(one, devices)) for name, one in texts.items()}
        least = min(xla['flops'] for _, xla in found.values())
        name = min((name for name in found if found[name][1]['flops'] <= 1.5 * least), key=lambda name: found[name][1]['bytes'])
        ours, xla = found[name]
        more += ours['bytes'] > xla['bytes'] or halos(ours) > halos(xla)
        cells = path.stem, ours['bytes'], xla['bytes'], name, halos(ours), halos(xla), f'{ours["flops"] / xla["flops"]:.2f}'
        print('| ' + ' | '.join(cell if isinstance(cell, str) else f'{cell:.0f}' for cell in cells) + ' |', flush=True)
        if args.kinds:
            print(json.dumps(dict(ours=ours['by_kind'], **{name: both[1]['by_kind'] for name, both in found.items()})), flush=True)
    sys.exit(more > 0)


main()
