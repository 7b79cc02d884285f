"""Tokenizers of T5's, mT5's, NLLB's and Mixtral's kind beside ours: the same ids for texts in many scripts.

    pip install sentencepiece==0.2.3 transformers==4.57.1
    python peers/pieces.py [--lines N] [--fixtures DIR]

Trains small ones by SentencePiece with what those were trained with (unigram or BPE, its normalizing by NFKC or none,
bytes as a last resort, digits one by one), on made-up text of many scripts; has `transformers` make `tokenizer.json` of
them, with the added tokens and languages that those have. Both files are read here: the one is held against
`tokenizers`, the other against SentencePiece. `--fixtures DIR` writes what the tests read.
"""

import argparse
import json
import random
from pathlib import Path

import sentencepiece
import transformers
from byte_level_bpe import SCRIPTS, corpus, ours, word
from tokenizers import AddedToken, pre_tokenizers

def published(tokenizer):
    whole = tokenizer.backend_tokenizer
    whole.normalizer = whole.normalizer[0]
    whole.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.WhitespaceSplit(), pre_tokenizers.Metaspace(prepend_scheme="always")])
    # Tokens that were added later are found in texts: the one as it is, the other in what is normalized.
    whole.add_tokens([AddedToken("<tool>", normalized=False), AddedToken("\u00bdmarked", normalized=True)])
    return tokenizer


LANGUAGES = ["ace_Arab", "deu_Latn", "eng_Latn", "zho_Hans", "zul_Latn"]
T5 = {"pad_id": 0, "eos_id": 1, "unk_id": 2, "bos_id": -1}

# How each was trained, and which class reads it.
FORMS = {
    "t5": ({**T5, "model_type": "unigram"}, lambda path: transformers.T5TokenizerFast(path, extra_ids=100)),
    # As the published file of T5 is, which was made by an earlier converter.
    "t5-published": ({**T5, "model_type": "unigram"}, lambda path: published(transformers.T5TokenizerFast(path, extra_ids=100))),
    "mt5": (
        {**T5, "model_type": "unigram", "byte_fallback": True},
        lambda path: transformers.MT5TokenizerFast(path, extra_ids=0),
    ),
    "nllb": (
        {"model_type": "bpe"},
        lambda path: transformers.NllbTokenizerFast(path, additional_special_tokens=LANGUAGES),
    ),
    "mixtral": (
        {"model_type": "bpe", "byte_fallback": True, "normalization_rule_name": "identity", "split_digits": True,
         "remove_extra_whitespaces": False, "allow_whitespace_only_pieces": True},
        lambda path: transformers.LlamaTokenizerFast(path, add_prefix_space=True),
    ),
}


def trained(form, texts, size, folder, rules=None):
    """The two files of a tokenizer, and who reads them; with a few rules of normalizing in place of NFKC's."""
    settings, fast = FORMS[form]
    normalizing = {"normalization_rule_tsv": str(rules)} if rules and "normalization_rule_name" not in settings else {}
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "spiece.model"
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(texts), model_prefix=str(folder / "spiece"), vocab_size=size, minloglevel=2,
        num_threads=1, hard_vocab_limit=False, **settings, **normalizing)
    (folder / "spiece.vocab").unlink()
    whole = fast(str(path)).backend_tokenizer
    whole.no_truncation()
    whole.no_padding()
    whole.save(str(folder / "tokenizer.json"), pretty=False)
    return sentencepiece.SentencePieceProcessor(model_file=str(path)), whole


def few(draw, letters):
    """Words of the first letters of each script: a small vocabulary has a piece for each."""
    ranges = [(first, min(ord(last), ord(first) + letters)) for first, last in SCRIPTS.values() if first > " "]
    return ["".join(chr(draw.randint(ord(first), last)) for _ in range(draw.randint(1, 5))) for first, last in ranges]


def written_rules(folder):
    """Some of NFKC's, which fill less than all of them: a character becomes none, one, or two; two become one."""
    folder.mkdir(parents=True, exist_ok=True)
    rules = [("\u00a0", " "), ("\u3000", " "), ("\t", " "), ("\n", " "), ("\u200d", ""), ("\u2160", "I"), ("\u2161", "II"),
             ("\ufb01", "fi"), ("e\u0301", "\u00e9"), ("\uff21", "A"), ("\u00bd", "1\u20442"), ("\u2026", "...")]
    path = folder / "rules.tsv"
    hexes = lambda text: " ".join(f"{ord(c):X}" for c in text)
    path.write_text("".join(f"{hexes(a)}\t{hexes(b)}\n" for a, b in rules))
    return path


def expected(texts, pieces, whole):
    yield "tokenizer.json", [found.ids for found in whole.encode_batch(texts, add_special_tokens=False)]
    yield "spiece.model", pieces.encode(texts)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--lines", type=int, default=2_000)
    parser.add_argument("--vocabulary", type=int, default=4_000)
    parser.add_argument("--fixtures", type=Path)
    parser.add_argument("--tokenize", default="cargo run --quiet --release -p meshwright-train --example tokenize --")
    parser.add_argument("--out", type=Path, default=Path("pieces"))
    args = parser.parse_args()
    draw = random.Random(7)
    words = [word(draw, letters) for letters in SCRIPTS.values() for _ in range(30)]
    learnt_from = [" ".join(draw.choices(few(draw, 8 if args.fixtures else 40), k=12)) for _ in range(4_000)]
    texts = [text.replace("\0", "") for text in corpus(2, args.lines, words)]
    texts[::25] = [f"{text}<tool> x\u00bdmarked{text}" for text in texts[::25]]
    rules = written_rules(args.out) if args.fixtures else None
    for form in FORMS:
        size = 800 if args.fixtures else args.vocabulary
        folder = (args.fixtures or args.out) / form
        of = trained(form, learnt_from, size, folder, rules)
        for file, ids in expected(texts, *of):
            if args.fixtures:
                rows = [json.dumps([text, one]) for text, one in zip(texts[:40], ids)]
                (folder / f"{file}.jsonl").write_text("\n".join(rows) + "\n")
                continue
            found = ours(args.tokenize, (folder / file).resolve(), texts)
            wrong = [at for at, (a, b) in enumerate(zip(ids, found, strict=True)) if a != b]
            print(f"{form} {file}: {len(texts) - len(wrong)} of {len(texts)} texts equal, {sum(map(len, ids))} ids")
            for at in wrong[:3]:
                print(f"  {texts[at]!r}\n    theirs {ids[at]}\n    ours   {found[at]}")


if __name__ == "__main__":
    main()
