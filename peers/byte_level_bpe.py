"""Our reading of byte-level BPE beside the `tokenizers` package: the same ids for texts in many scripts.

Trains small tokenizers in the forms of GPT-2, Llama 3, Qwen 2 and GPT-4o (their published patterns) on made-up text, writes
them as `tokenizer.json`, has both sides encode other lines, and compares. `--fixtures DIR` writes what the tests read.
"""

import argparse
import json
import random
import subprocess
from pathlib import Path

from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, trainers

HERE = Path(__file__).resolve().parent
LLAMA3 = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)
QWEN2 = LLAMA3.replace(r"\p{N}{1,3}", r"\p{N}")
O200K = "|".join(
    [
        r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?",
        r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?",
        r"\p{N}{1,3}",
        r" ?[^\s\p{L}\p{N}]+[\r\n/]*",
        r"\s*[\r\n]+",
        r"\s+(?!\S)",
        r"\s+",
    ]
)

# First and last letter of what words of a script are made from.
SCRIPTS = {
    "latin": "az",
    "capitals": "AZ",
    "accents": "\u00c0\u017f",
    "greek": "\u03b1\u03c9",
    "cyrillic": "\u0430\u044f",
    "armenian": "\u0561\u0586",
    "hebrew": "\u05d0\u05ea",
    "arabic": "\u0621\u064a",
    "devanagari": "\u0904\u094d",
    "bengali": "\u0985\u09cd",
    "tamil": "\u0b85\u0bcd",
    "thai": "\u0e01\u0e4e",
    "tibetan": "\u0f40\u0f84",
    "georgian": "\u10d0\u10f0",
    "hangul": "\uac00\ud7a3",
    "jamo": "\u1100\u11ff",
    "kana": "\u3041\u30fe",
    "han": "\u4e00\u9fff",
    "ethiopic": "\u1200\u1359",
    "khmer": "\u1780\u17d3",
    "gothic": "\U00010330\U0001034a",
    "math": "\U0001d400\U0001d7ff",
    "emoji": "\U0001f300\U0001f64f",
    "symbols": "\u2190\u27bf",
    "marks": "\u0300\u036f",
    "digits": "09",
    "more digits": "\u0660\u0669",
    "roman": "\u2160\u2188",
    "punctuation": "!/",
    "controls": "\u0001\u001f",
    "anything": "\u0000\uffff",
    "beyond": "\U00010000\U0003ffff",
}
SPACES = [" ", " ", " ", " ", "  ", "   ", "\t", "\n", "\n\n", "\r\n", " \n ", "\u00a0", "\u2009", "\u3000", "\u0085", ""]
ENDINGS = ["'s", "'t", "'RE", "'ve", "'M", "'ll", "'D", "'\u017f", "'x", "!", "...", "?!\n", ",", "\u3002", "\u0301", "\u200d"]


def word(draw, letters):
    first, last = map(ord, letters)
    picks = (chr(draw.randint(first, min(last, first + 400) if draw.random() < 0.7 else last)) for _ in range(draw.randint(1, 7)))
    return "".join(c for c in picks if not 0xD800 <= ord(c) < 0xE000)


def line(draw, words):
    script = draw.choice(list(SCRIPTS))
    parts = []
    for _ in range(draw.randint(1, 12)):
        letters = SCRIPTS[script if draw.random() < 0.7 else draw.choice(list(SCRIPTS))]
        parts.append(draw.choice(words) if draw.random() < 0.3 else word(draw, letters))
        parts.append(draw.choice(ENDINGS) if draw.random() < 0.2 else "")
        parts.append(draw.choice(SPACES))
    return "".join(parts)


def corpus(seed, lines, words):
    draw = random.Random(seed)
    return [line(draw, words) for _ in range(lines)]


def split(pattern):
    cut = pre_tokenizers.Split(Regex(pattern), behavior="isolated")
    return pre_tokenizers.Sequence([cut, pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)])


FORMS = {
    "gpt2": (None, pre_tokenizers.ByteLevel(add_prefix_space=False), False),
    "prefix": (None, pre_tokenizers.Sequence([pre_tokenizers.Digits(individual_digits=True), pre_tokenizers.ByteLevel(add_prefix_space=True)]), False),
    "llama3": (None, split(LLAMA3), True),
    "qwen2": (normalizers.NFC(), split(QWEN2), False),
    "o200k": (None, split(O200K), False),
}


def trained(form, texts, size):
    normalizer, cut, ignore_merges = FORMS[form]
    tokenizer = Tokenizer(models.BPE(ignore_merges=ignore_merges))
    if normalizer:
        tokenizer.normalizer = normalizer
    tokenizer.pre_tokenizer = cut
    tokenizer.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    tokenizer.train_from_iterator(texts, trainers.BpeTrainer(vocab_size=size, initial_alphabet=alphabet, show_progress=False))
    tokenizer.add_special_tokens(["<|endoftext|>"])
    tokenizer.add_tokens([AddedToken("<tool_call>", normalized=False), AddedToken("<tool", normalized=False)])
    return tokenizer


def ours(tokenize, path, texts):
    command = [*tokenize.split(), str(path)]
    fed = "".join(json.dumps(text) + "\n" for text in texts)
    made = subprocess.run(command, input=fed, capture_output=True, text=True, check=True, cwd=HERE.parent)
    return [list(map(int, row.split())) for row in made.stdout.splitlines()]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--lines", type=int, default=10_000)
    parser.add_argument("--vocabulary", type=int, default=4_000)
    parser.add_argument("--fixtures", type=Path)
    parser.add_argument("--tokenize", default="cargo run --quiet --release -p meshwright-train --example tokenize --")
    parser.add_argument("--out", type=Path, default=Path("byte-level"))
    args = parser.parse_args()
    draw = random.Random(7)
    words = [word(draw, letters) for letters in SCRIPTS.values() for _ in range(30)]
    learnt_from = corpus(1, 5_000, words)
    texts = corpus(2, args.lines, words)
    texts[::50] = [text + "<tool_call> x<tool>" + text for text in texts[::50]]
    for folder in filter(None, [args.out, args.fixtures]):
        folder.mkdir(parents=True, exist_ok=True)
    for form in FORMS:
        if args.fixtures:
            tokenizer = trained(form, learnt_from, 600)
            tokenizer.save(str(args.fixtures / f"{form}.json"), pretty=False)
            rows = [json.dumps([text, tokenizer.encode(text, add_special_tokens=False).ids]) for text in texts[:150]]
            (args.fixtures / f"{form}.jsonl").write_text("\n".join(rows) + "\n")
            continue
        tokenizer, path = trained(form, learnt_from, args.vocabulary), args.out / f"{form}.json"
        tokenizer.save(str(path))
        expected = [found.ids for found in tokenizer.encode_batch(texts, add_special_tokens=False)]
        found = ours(args.tokenize, path.resolve(), texts)
        wrong = [at for at, (a, b) in enumerate(zip(expected, found, strict=True)) if a != b]
        print(f"{form}: {len(texts) - len(wrong)} of {len(texts)} lines equal, {sum(map(len, expected))} ids")
        for at in wrong[:3]:
            print(f"  {texts[at]!r}\n    theirs {expected[at]}\n    ours   {found[at]}")


if __name__ == "__main__":
    main()
