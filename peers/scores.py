"""Systems' translations with made-up slips, scored by `meshwright score` and by sacreBLEU.

    python scores.py [--meshwright PATH] [--lines N] [--seed S]
"""

import argparse
import json
import pathlib
import random
import subprocess
import sys
import tempfile

import sacrebleu

ENGLISH = """the a of printer page file is are not in on with you can if when select click open close save Calc Writer
formula cell row's don't O'Brien well-known e-mail re-use and or but which document, however, (optional) "quoted" colour""".split()
OTHERS = """größer Straße ñandú façade привет мир файл 日本語 中文文件 한국어 العربية ملف हिन्दी ไทย Ελληνικά naïve ﬁn 👍 🇩🇪
e\u0301clair\u200b zero\u200bwidth no\u00a0break İstanbul""".replace("\n", " ").split(" ")
SIGNS = """1,234.5 .5 6. 10-year 3-4 2,000, 50% $9.99 a/b x_y [1] {2} <b> &amp; &lt;i&gt; &quot;q&quot; &amp;lt; ... --
„gut“ «bon» … — 100-fold C++ C# @home #1 ~user ^2 `code` 1.2.3 ,5 5,-""".split()


def sentence(rng):
    words = []
    for _ in range(rng.randrange(1, 25)):
        words.append(rng.choice(rng.choices([ENGLISH, OTHERS, SIGNS], [7, 1, 2])[0]))
    return " ".join(words) + rng.choice([".", "!", "?", ":", "", " "])


def dropped(rng, words):
    return [word for word in words if rng.random() > 0.15]


def doubled(rng, words):
    return [word for word in words for _ in range(1 + (rng.random() < 0.2))]


def swapped(rng, words):
    words = list(words)
    for at in range(len(words) - 1):
        if rng.random() < 0.25:
            words[at], words[at + 1] = words[at + 1], words[at]
    return words


def other_letters(rng, words):
    change = lambda c: rng.choice("aeiouxßя字") if rng.random() < 0.05 else c
    return ["".join(map(change, word)) for word in words]


def systems(rng, reference):
    """Name to lines."""
    slipped = lambda slip: [" ".join(slip(rng, line.split(" "))) for line in reference]
    emptied = [line if rng.random() > 0.3 else "" for line in slipped(swapped)]
    repeated = list(reference)
    for at in range(1, len(repeated)):
        if rng.random() < 0.4:
            repeated[at] = repeated[at - 1]
    return {
        "the same": reference,
        "words dropped": slipped(dropped),
        "words doubled": slipped(doubled),
        "words swapped": slipped(swapped),
        "letters changed": slipped(other_letters),
        "empty lines": emptied,
        "repeated lines": repeated,
        "no spaces": [line.replace(" ", "") for line in reference],
        "many spaces": [line.replace(" ", "  \t ") for line in reference],
        "all but a few empty": [line if at < 3 else "" for at, line in enumerate(slipped(dropped))],
        "all empty": ["" for _ in reference],
        "other lines": [sentence(rng) for _ in reference],
    }


def ours(binary, folder, reference, hypotheses):
    write = lambda name, lines: (folder / name).write_text("".join(line + "\n" for line in lines), newline="\n")
    write("reference", reference)
    for number, lines in enumerate(hypotheses.values()):
        write(f"{number}", lines)
    files = ["reference"] + [f"{number}" for number in range(len(hypotheses))]
    done = subprocess.run([binary, "score", "--json", *files], cwd=folder, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(done.stderr)
    return json.loads(done.stdout)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--meshwright", default="meshwright")
    parser.add_argument("--lines", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    rng = random.Random(args.seed)
    reference = [sentence(rng) for _ in range(args.lines)]
    hypotheses = systems(rng, reference)
    binary = args.meshwright if "/" not in args.meshwright else str(pathlib.Path(args.meshwright).resolve())
    with tempfile.TemporaryDirectory() as folder:
        told = ours(binary, pathlib.Path(folder), reference, hypotheses)
    bleu, chrf = sacrebleu.BLEU(), sacrebleu.CHRF()
    print(f"sacreBLEU {sacrebleu.__version__}, {args.lines} lines, seed {args.seed}")
    print(f"{'system':20} {'BLEU':>16} {'chrF2':>16}   (ours, sacreBLEU's)")
    worst = 0.0
    for (name, lines), row in zip(hypotheses.items(), told["systems"]):
        theirs = bleu.corpus_score(lines, [reference]).score, chrf.corpus_score(lines, [reference]).score
        worst = max(worst, abs(row["bleu"] - theirs[0]), abs(row["chrf2"] - theirs[1]))
        print(f"{name:20} {row['bleu']:8.3f}{theirs[0]:8.3f} {row['chrf2']:8.3f}{theirs[1]:8.3f}")
    signatures = str(bleu.get_signature()), str(chrf.get_signature())
    same = signatures == (told["signatures"]["bleu"], told["signatures"]["chrf2"])
    print(f"largest difference {worst:.2g}; signatures {'are the same' if same else f'differ: {signatures}'}")
    sys.exit(0 if same and worst < 0.01 else 1)


if __name__ == "__main__":
    main()
