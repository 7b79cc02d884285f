"""Tiny checkpoints of Hugging Face's `transformers` with what it computes of them: writes tests/golden_hf/*.

    pip install torch transformers==4.57.1 safetensors
    python peers/transformers_checkpoints.py tests/golden_hf [NAME..]

Weights are drawn here, by seed, and large enough that greedy texts differ; nothing is downloaded. Of each model:

    config.json, model*.safetensors   as `save_pretrained` writes them
    expected.safetensors              source, target (0 is padding), logits, loss, written (greedily), grad.NAME;
                                      beams with their scores, `forced*` with a first token given

4.57 is taken because later versions route otherwise than the published models (capacity of Switch, experts of NLLB).
"""

import json
import pathlib
import shutil
import sys

import torch
import transformers as hf
from safetensors.torch import save_file

ROWS, SOURCE, TARGET, VOCAB, BEAM = 8, 24, 12, 48, 4
T5 = dict(vocab_size=VOCAB, d_model=16, d_kv=4, d_ff=32, num_layers=2, num_heads=4, dropout_rate=0.0,
          decoder_start_token_id=0)


def t5(**more):
    return hf.T5ForConditionalGeneration(hf.T5Config(**{**T5, **more}))


def mt5():
    return hf.MT5ForConditionalGeneration(hf.MT5Config(**T5, feed_forward_proj="gated-gelu", tie_word_embeddings=False))


def switch(**more):
    config = hf.SwitchTransformersConfig(
        **{**T5, "num_sparse_encoder_layers": 1, "num_sparse_decoder_layers": 1, **more},
        num_decoder_layers=2, num_experts=4, expert_capacity=7, router_jitter_noise=0.01,
        router_z_loss_coef=0.01, router_aux_loss_coef=0.02)
    return hf.SwitchTransformersForConditionalGeneration(config)


def nllb_moe(**more):
    return hf.NllbMoeForConditionalGeneration(hf.NllbMoeConfig(
        **more, vocab_size=VOCAB, d_model=16, encoder_layers=2, decoder_layers=2, encoder_ffn_dim=32, decoder_ffn_dim=32,
        encoder_attention_heads=4, decoder_attention_heads=4, encoder_sparse_step=2, decoder_sparse_step=2,
        num_experts=4, max_position_embeddings=64, dropout=0.0, attention_dropout=0.0,
        router_z_loss_coef=0.01, router_aux_loss_coef=0.02))


def mixtral():
    return hf.MixtralForCausalLM(hf.MixtralConfig(
        vocab_size=VOCAB, hidden_size=16, intermediate_size=32, num_hidden_layers=2, num_attention_heads=4,
        num_key_value_heads=2, num_local_experts=4, num_experts_per_tok=2, max_position_embeddings=64,
        rope_theta=1e6, sliding_window=None, pad_token_id=0, attn_implementation="eager"))


MODELS = {
    "t5": t5,
    "t5-v1_1": lambda: t5(feed_forward_proj="gated-gelu", tie_word_embeddings=False, num_decoder_layers=1),
    "mt5": mt5,
    "switch": switch,
    "switch-all": lambda: switch(num_sparse_encoder_layers=2, num_sparse_decoder_layers=2, router_bias=False),
    "nllb-moe": lambda: nllb_moe(expert_capacity=64),
    "mixtral": mixtral,
    "nllb-moe-trained": lambda: nllb_moe(
        expert_capacity=None, moe_token_dropout=0.0, encoder_layerdrop=0.0, decoder_layerdrop=0.0),
}
# As in training, where tokens are dropped, with nothing left to chance.
TRAINED = ["nllb-moe-trained"]
# The token that texts are made to begin with.
FORCED = {"nllb-moe": 17}
# What ends sources and texts of a beam search: with their own end these models come to none.
BEAM_ENDS = {"t5": 47, "switch": 42, "nllb-moe": 37}
# So many bytes a file that there are three.
SHARDED = {"mt5": 22_000}


def drawn(model, seed):
    generator = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for name, weight in model.named_parameters():
            noise = torch.randn(weight.shape, generator=generator)
            is_norm = "norm" in name and name.endswith("weight")
            size = 0.1 if name.startswith("lm_head") else 0.3
            weight.copy_(1 + 0.2 * noise if is_norm else size * noise)
    return model.eval()


def texts(length, generator, end, low):
    """Rows of random tokens, each with its end, padded by 0."""
    out = torch.zeros(ROWS, length, dtype=torch.long)
    for row in range(ROWS):
        count = length if row % 3 == 0 else int(torch.randint(length // 2, length, (1,), generator=generator))
        out[row, :count] = torch.randint(low, VOCAB, (count,), generator=generator)
        out[row, count - 1] = end
    return out


def pair(model, name, generator):
    config = model.config
    pad, end = config.pad_token_id, config.eos_token_id
    low = max(pad, end, 1) + 1
    source, target = texts(SOURCE, generator, end, low), texts(TARGET, generator, end, low)
    real, asked = source != 0, target != 0
    given = torch.where(real, source, pad)
    labels = torch.where(asked, target, -100)
    more = {"output_router_logits": True} if "switch" in name else {}
    if name in TRAINED:
        # Without it padding of targets takes places.
        more["decoder_attention_mask"] = asked.long()
    out = model(input_ids=given, attention_mask=real.long(), labels=labels, **more)
    out.loss.backward()
    model.eval()

    def wrote(**more):
        with torch.no_grad():
            written = model.generate(
                given, attention_mask=real.long(), max_new_tokens=TARGET, do_sample=False, **more)[:, 1:]
        return torch.nn.functional.pad(written, (0, TARGET - written.shape[1]), value=pad)

    def searched(**more):
        """All hypotheses of a beam search that ends with as many as it keeps, by their plain scores."""
        with torch.no_grad():
            found = model.generate(
                torch.where(given == end, BEAM_ENDS[name], given), attention_mask=real.long(), max_new_tokens=TARGET,
                do_sample=False, num_beams=BEAM, num_return_sequences=BEAM, early_stopping=True, length_penalty=0.0,
                eos_token_id=BEAM_ENDS[name], output_scores=True, return_dict_in_generate=True, **more)
        texts = found.sequences[:, 1:]
        texts = torch.nn.functional.pad(texts, (0, TARGET - texts.shape[1]), value=pad)
        return texts.view(ROWS, BEAM, TARGET), found.sequences_scores.view(ROWS, BEAM)

    said = {"source": source, "target": target, "logits": out.logits, "loss": out.loss, "written": wrote()}
    if name in BEAM_ENDS:
        said["beams"], said["scores"] = searched()
    if name in FORCED:
        said["forced"] = wrote(forced_bos_token_id=FORCED[name])
        said["forced_beams"], said["forced_scores"] = searched(forced_bos_token_id=FORCED[name])
    return said


def language(model, name, generator):
    tokens = torch.randint(3, VOCAB, (ROWS, SOURCE), generator=generator)
    tokens[:, 0] = 1
    out = model(input_ids=tokens, labels=tokens)
    out.loss.backward()
    with torch.no_grad():
        begun = tokens[:, :6]
        written = model.generate(begun, attention_mask=torch.ones_like(begun), max_new_tokens=TARGET, do_sample=False)
    written = torch.nn.functional.pad(written[:, 6:], (0, 6 + TARGET - written.shape[1]))
    return {"tokens": tokens, "logits": out.logits, "loss": out.loss, "written": written}


def main(folder, names):
    for at, (name, make) in enumerate(MODELS.items()):
        if names and name not in names:
            continue
        model = drawn(make(), at + 1).train(name in TRAINED)
        generator = torch.Generator().manual_seed(100 + at)
        said = (language if name == "mixtral" else pair)(model, name, generator)
        into = pathlib.Path(folder) / name
        shutil.rmtree(into, ignore_errors=True)
        model.save_pretrained(into, max_shard_size=SHARDED.get(name, "5GB"))
        (into / "generation_config.json").unlink(missing_ok=True)
        said |= {f"grad.{key}": weight.grad for key, weight in model.named_parameters() if weight.grad is not None}
        narrow = lambda x: x.detach().to(torch.int32 if x.dtype == torch.long else torch.float32).contiguous()
        save_file({key: narrow(x) for key, x in said.items()}, into / "expected.safetensors")
        config = json.loads((into / "config.json").read_text())
        (into / "config.json").write_text(json.dumps(config, indent=1, sort_keys=True) + "\n")
        print(name, float(said["loss"]), said["written"][:3].tolist())


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
