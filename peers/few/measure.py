"""Counts of all three programs of a row, by the same code, and what becomes of them in a table."""
import json
import pathlib
import subprocess

MEASURES = 'bytes', 'flops', 'peak'
EQUAL = 1.0005


def answer(command):
    """A command's JSON, or an error with what it wrote."""
    done = subprocess.run([*map(str, command), '--json'], capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError((done.stderr or done.stdout).strip().splitlines()[0])
    return json.loads(done.stdout)


def xla_counts(binary, folder):
    """Of XLA's two programs; counted once and kept in the folder."""
    kept = folder / 'xla.json'
    if not kept.exists():
        rows = {propagation: answer([binary, 'compare-xla', folder / propagation])['rows'][0]['xla']
                for propagation in ('gspmd', 'shardy')}
        kept.write_text(json.dumps(rows, indent=1))
    return json.loads(kept.read_text())


def our_counts(binary, folder, options=()):
    """Of what Meshwright makes of the step."""
    local = folder / 'ours.mlir'
    stats = answer([binary, 'partition', folder / 'step.mlir', '-o', local, *options])['stats']
    return dict(bytes=stats['bytes_sent'], collectives=stats['collectives_run'], flops=stats['contraction_flops'],
                peak=stats['program_peak_bytes'], by_kind=stats['collectives'])


def measured(binary, folder, options=()):
    """All of a row's counts, or why there are none."""
    found = dict(name=folder.name)
    try:
        found |= xla_counts(binary, folder)
        found['better'] = min(('gspmd', 'shardy'), key=lambda which: (found[which]['bytes'], found[which]['peak']))
        found['ours'] = our_counts(binary, folder, options)
        better = found[found['better']]
        found['ratio'] = ratios(found['ours'], better)
        if found['ratio']['peak'] > EQUAL:
            found['within'] = within(binary, folder, better, options)
    except RuntimeError as error:
        found['error'] = str(error)
    return found


def within(binary, folder, better, options):
    """What our program costs that takes no more memory than XLA's, or why there is none."""
    try:
        counts = our_counts(binary, folder, (*options, '--memory-limit', str(int(better['peak']))))
        return dict(counts=counts, ratio=ratios(counts, better))
    except RuntimeError as error:
        return dict(error=str(error))


def ratios(ours, theirs):
    return {measure: ratio(ours[measure], theirs[measure]) for measure in MEASURES}


def ratio(ours, theirs):
    if ours == theirs:
        return 1.0
    return ours / theirs if theirs else float('inf')


def folders(out):
    return sorted(path.parent for path in pathlib.Path(out).glob('*/step.mlir') if not path.parent.name.startswith('.'))


def table(rows):
    """One line a row, the worst bytes last, then worst and mean of all."""
    good = sorted((row for row in rows if 'ratio' in row), key=lambda row: (row['ratio']['bytes'], row['name']))
    lines = [f"{'':28} {'ours MB':>9} {'gspmd':>9} {'shardy':>9}   {'bytes':>6} {'flops':>6} {'peak':>6}  calls     within XLA's peak"]
    for row in good:
        sent = [row[which]['bytes'] / 1e6 for which in ('ours', 'gspmd', 'shardy')]
        calls = [row[which]['collectives'] for which in ('ours', row['better'])]
        lines.append(f"{row['name']:28} {sent[0]:9.3f} {sent[1]:9.3f} {sent[2]:9.3f}   "
                     + ' '.join(f"{row['ratio'][measure]:6.3f}" for measure in MEASURES) + f"  {f'{calls[0]:.0f}/{calls[1]:.0f}':8}" + fitted(row))
    for title, fold in ('worst', max), ('mean', lambda all: sum(all) / len(all)):
        if good:
            values = ' '.join(f"{fold([row['ratio'][measure] for row in good]):6.3f}" for measure in MEASURES)
            lines.append(f"{title + f' of {len(good)}':28} {'':29}   {values}")
    above = {measure: sum(row['ratio'][measure] > EQUAL for row in good) for measure in MEASURES}
    lines.append('above 1.0: ' + ', '.join(f'{measure} {count}' for measure, count in above.items()))
    fits = [row['within']['ratio'] for row in good if 'ratio' in row.get('within', {})]
    if fits:
        worst = ' '.join(f'{max(fit[measure] for fit in fits):6.3f}' for measure in MEASURES)
        missing = sum('error' in row.get('within', {}) for row in good)
        lines.append(f"within XLA's peak, {len(fits)} rows, worst: {worst}; {missing} do not fit")
    lines += [f"{row['name']:28} FAILED: {row['error']}" for row in rows if 'error' in row]
    return '\n'.join(lines)


def fitted(row):
    """The ratios of the program that takes no more than XLA's peak, where the first one takes more."""
    if 'within' not in row:
        return ''
    if 'error' in row['within']:
        return '  none: ' + row['within']['error'][:60]
    return '  ' + ' '.join(f"{row['within']['ratio'][measure]:6.3f}" for measure in MEASURES)


def changes(before, now):
    """Rows whose counts are others than they were, what rose first."""
    was = {row['name']: row for row in before if 'ours' in row}
    lines = []
    for row in now:
        old = was.get(row['name'])
        if old is None or 'ours' not in row:
            continue
        moved = {measure: ratio(row['ours'][measure], old['ours'][measure]) for measure in MEASURES}
        if any(abs(moved[measure] - 1) > 5e-4 for measure in MEASURES):
            parts = ', '.join(f"{measure} {old['ratio'][measure]:.3f} -> {row['ratio'][measure]:.3f}" for measure in MEASURES)
            lines.append((-moved['bytes'], f"  {row['name']:28} {parts}"))
    return '\n'.join([f'{len(lines)} of {len(now)} rows changed, as ratios to XLA:', *(line for _, line in sorted(lines))])
