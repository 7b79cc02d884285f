"""Answers with made-up slips, scored by T5's `qa_utils` and by `rouge_score`: the pairs of a test.

    pip install rouge_score==0.1.2 absl-py numpy && pip download --no-deps t5==0.9.4
    python answers.py --t5 t5-0.9.4-py2.py3-none-any.whl > ../crates/train/tests/fixtures/answers.tsv

A line is what was written, what is expected, exact match, F1, ROUGE-1, -2 and -L, between tabs.
"""

import argparse
import importlib.util
import pathlib
import random
import tempfile
import zipfile

from rouge_score import rouge_scorer

WORDS = """the a an The river of Dunmere sells red apples and salt, "cloth" Anna's well-known half-way 12 1,234.5 3rd U.S.
theatre answer another (optional) co-op don't it's A-level an/the grey_blue ÉCLAIR größer Straße naïve façade привет 日本
b.c. — “quoted” ‘single’ `code` $9.99 50% #1 ... Is is IS to To x y z a.""".split()


def sentence(rng):
    return " ".join(rng.choice(WORDS) for _ in range(rng.randrange(0 if rng.random() < 0.05 else 1, 16)))


def slipped(rng, text):
    words = []
    for word in text.split(" "):
        slip = rng.random()
        if slip < 0.12:
            continue
        words.append(rng.choice(WORDS) if slip < 0.24 else word)
        if slip > 0.92:
            words.append(word)
    if rng.random() < 0.3:
        rng.shuffle(words)
    joined = rng.choice([" ", "  ", " "]).join(words)
    return rng.choice([joined, joined.upper(), joined.lower(), joined + ".", joined])


def answers_of(wheel):
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(zipfile.ZipFile(wheel).extract("t5/evaluation/qa_utils.py", folder))
        spec = importlib.util.spec_from_file_location("qa_utils", path)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
    return module


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--t5", required=True)
    parser.add_argument("--pairs", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    rng = random.Random(args.seed)
    qa = answers_of(args.t5)
    kinds = ["rouge1", "rouge2", "rougeL"]
    rouge = rouge_scorer.RougeScorer(kinds)
    for _ in range(args.pairs):
        expected = sentence(rng)
        written = expected if rng.random() < 0.05 else slipped(rng, expected)
        found = qa.qa_metrics([[qa.normalize_squad(expected)]], [qa.normalize_squad(written)])
        scores = [found["em"] / 100, found["f1"] / 100]
        scores += [rouge.score(expected, written)[kind].fmeasure for kind in kinds]
        print(written, expected, *(f"{float(score):.12g}" for score in scores), sep="\t")


if __name__ == "__main__":
    main()
