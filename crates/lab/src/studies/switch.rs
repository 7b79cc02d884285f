//! The tables and figures of the Switch Transformer that are trained: each a preset, variants and claims.
//!
//! All but one pre-train an encoder-decoder on spans, as the paper does, of many languages; those that fine-tune begin
//! with a made-up world and go on with tasks about it. Sizes are those of the presets; `--scale` makes them larger.

use super::claim::Claim::{
    Alike, Better, BetterInAllParts, Faster, Follows, KeepsGain, SoonerInParts, SoonerInSeconds,
    SoonerInSteps, Steadier,
};
use super::{Claim, Measure, Stated, Study, Variant};

const fn v(name: &'static str, sets: &'static [&'static str]) -> Variant {
    Variant::new(name, sets)
}

const fn says(claim: Claim, paper: &'static str) -> Stated {
    Stated { claim, paper, size: None }
}

/// A student's share of its teacher's gain.
const fn keeps(
    student: &'static str,
    teacher: &'static str,
    control: Option<&'static str>,
    paper: &'static str,
) -> Stated {
    says(KeepsGain { student, alone: "dense", teacher, control }, paper)
}

/// One language with its English after the other, half of it hidden in spans of ten. Fifteen languages are more than a
/// dense model of this size learns in so many steps; of stories it learns all that can be told. And of short spans it
/// learns nothing until it has found where they were cut out, which takes half of these steps, or all.
const LANGUAGES: &[&str] = &[
    "data.corpus=multilingual",
    "data.mixture=temperature",
    "data.noise_density=0.5",
    "data.mean_span=10",
    "data.input_length=48",
    "data.target_length=64",
    "train.steps=1600",
];

/// Stories and what is so in made-up towns, which the tasks are about that follow.
const WORLD: &[&str] = &["train.steps=1200"];

/// A study of pre-training that owns its runs.
const fn study(
    name: &'static str,
    about: &'static str,
    variants: &'static [Variant],
    claims: &'static [Stated],
) -> Study {
    Study {
        name,
        runs: name,
        about,
        preset: "switch-spans",
        sets: LANGUAGES,
        measure: Measure::HeldOut,
        axis: "variant",
        variants,
        paper: "negative log perplexity",
        claims,
    }
}

const NLL: &str = "negative log perplexity at 100k steps; examples per second";

const DENSE: &[&str] = &["model.experts=0"];
/// About 3.5 times the flops per token.
const LARGE: &[&str] =
    &["model.experts=0", "model.d_model=96", "model.d_ff=192", "model.layers=3", "model.heads=6"];
const SWITCH: &[&str] = &["model.experts=16"];

/// Fine-tuning as in 4.1: few steps on few examples, a constant rate, other lengths and capacities, dropout in
/// training.
macro_rules! tuned {
    ($($more:literal),*) => {
        &[
            "data.corpus=tasks", "data.task=translate", "data.documents=18000", "data.held_out_one_in=10",
            "data.target_length=24", "data.batch=32", "optimizer.schedule=constant", "optimizer.learning_rate=0.03",
            "train.steps=400", "train.eval_every=50", "train.eval_batches=4", "train.questions=40",
            $($more),*
        ]
    };
}

const BY_EXPERTS: [Variant; 6] = [
    v("dense", DENSE),
    v("2 experts", &["model.experts=2"]).at(2),
    v("4 experts", &["model.experts=4"]).at(4),
    v("8 experts", &["model.experts=8"]).at(8),
    v("16 experts", SWITCH).at(16),
    v("32 experts", &["model.experts=32"]).at(32),
];

const FIGURE_12: Study = Study {
    axis: "experts",
    ..study(
        "switch-figure-12",
        "Switch, figure 12: already few experts are better than none, at equal flops per token",
        &BY_EXPERTS,
        &[
            says(Better("2 experts", "dense"), "2 experts improve on T5-Base"),
            says(Better("4 experts", "dense"), "4 experts do"),
            says(Better("8 experts", "dense"), "8 experts do, by more"),
            says(SoonerInSteps("8 experts", "dense"), "in fewer steps"),
            says(SoonerInSeconds("8 experts", "dense"), "and less time"),
        ],
    )
};

/// Tasks judged behind two models of each size, dense and sparse.
const FINE_TUNED: [Variant; 8] = [
    v("dense, pre-trained", DENSE),
    v("switch, pre-trained", SWITCH),
    v("large, pre-trained", LARGE),
    v(
        "large switch, pre-trained",
        &["model.experts=16", "model.d_model=96", "model.d_ff=192", "model.layers=3", "model.heads=6"],
    ),
    v("dense", tuned!("model.experts=0", "model.dropout=0.1"))
        .from("dense, pre-trained")
        .paper("SuperGLUE 75.1, CB Trivia QA 24.5"),
    v("switch", tuned!("model.experts=16", "model.dropout=0.1", "model.expert_dropout=0.4"))
        .from("switch, pre-trained")
        .paper("SuperGLUE 79.5, CB Trivia QA 30.7"),
    v(
        "large",
        tuned!(
            "model.experts=0",
            "model.d_model=96",
            "model.d_ff=192",
            "model.layers=3",
            "model.heads=6",
            "model.dropout=0.1"
        ),
    )
    .from("large, pre-trained")
    .paper("SuperGLUE 82.7, CB Trivia QA 29.5"),
    v(
        "large switch",
        tuned!(
            "model.experts=16",
            "model.d_model=96",
            "model.d_ff=192",
            "model.layers=3",
            "model.heads=6",
            "model.dropout=0.1",
            "model.expert_dropout=0.4"
        ),
    )
    .from("large switch, pre-trained")
    .paper("SuperGLUE 84.7, CB Trivia QA 36.9"),
];

const TABLE_5: Study = Study {
    sets: WORLD,
    measure: Measure::Answers,
    paper: "scores",
    ..study(
        "switch-table-5",
        "Switch, table 5: sparse models are better behind fine-tuning, too",
        &FINE_TUNED,
        &[
            says(Better("switch", "dense"), "Switch-Base beats T5-Base in 10 of 11 tasks"),
            says(Better("large switch", "large"), "Switch-Large beats T5-Large in 10 of 11"),
        ],
    )
};

const FIGURE_7: Study = Study {
    paper: "",
    ..study(
        "switch-figure-7",
        "Switch, figure 7: a sparse model is better in every language",
        &[v("dense", DENSE), v("switch", SWITCH)],
        &[
            says(BetterInAllParts("switch", "dense"), "in all 101 languages"),
            says(Better("switch", "dense"), "on average"),
        ],
    )
};

/// Distilled with both parts of the loss, from the weights that both have.
const MIXED: &[&str] = &["model.experts=0", "distill.share=0.25"];

pub const STUDIES: &[Study] = &[
    study(
        "switch-table-1",
        "Switch, table 1: one expert per token beside two and none, by capacity",
        &[
            v("dense", DENSE).paper("-1.731; 1600"),
            v("large", LARGE).paper("-1.550; 470"),
            v(
                "moe 2.0",
                &[
                    "model.experts=16",
                    "model.routing=gshard-code",
                    "model.capacity_factor=2.0",
                    "model.eval_capacity_factor=2.0",
                ],
            )
            .paper("-1.547; 840"),
            v(
                "switch 2.0",
                &["model.experts=16", "model.capacity_factor=2.0", "model.eval_capacity_factor=2.0"],
            )
            .paper("-1.554; 860"),
            v(
                "moe 1.25",
                &[
                    "model.experts=16",
                    "model.routing=gshard-code",
                    "model.capacity_factor=1.25",
                    "model.eval_capacity_factor=1.25",
                ],
            )
            .paper("-1.559; 790"),
            v(
                "switch 1.25",
                &["model.experts=16", "model.capacity_factor=1.25", "model.eval_capacity_factor=1.25"],
            )
            .paper("-1.553; 910"),
            v(
                "moe 1.0",
                &[
                    "model.experts=16",
                    "model.routing=gshard-code",
                    "model.capacity_factor=1.0",
                    "model.eval_capacity_factor=1.0",
                ],
            )
            .paper("-1.572; 860"),
            v(
                "switch 1.0",
                &["model.experts=16", "model.capacity_factor=1.0", "model.eval_capacity_factor=1.0"],
            )
            .paper("-1.561; 1000"),
            v(
                "switch+ 1.0",
                &[
                    "model.experts=16",
                    "model.capacity_factor=1.0",
                    "model.eval_capacity_factor=1.0",
                    "model.d_model=76",
                    "model.heads=5",
                ],
            )
            .paper("-1.534; 780"),
        ],
        &[
            says(Better("switch 1.25", "dense"), "-1.553 against -1.731").by(0.178),
            says(Better("moe 2.0", "dense"), "-1.547 against -1.731").by(0.184),
            says(Better("switch 1.0", "moe 1.0"), "-1.561 against -1.572").by(0.011),
            says(Better("switch 1.25", "moe 1.25"), "-1.553 against -1.559").by(0.006),
            says(Alike("switch 2.0", "moe 2.0"), "-1.554 against -1.547"),
            says(Faster("switch 1.0", "moe 1.0"), "1000 against 860 examples a second").times(1000.0 / 860.0),
            says(Faster("switch 1.25", "moe 1.25"), "910 against 790").times(910.0 / 790.0),
            says(Better("switch+ 1.0", "moe 1.0"), "as fast as MoE, and better than all"),
            says(SoonerInSeconds("switch 1.25", "dense"), "dense does not come to the threshold"),
        ],
    ),
    Study {
        paper: "negative log perplexity early in training; examples per second",
        ..study(
            "switch-table-2",
            "Switch, table 2: a router in f32 keeps a model in bf16 stable, at its speed",
            &[
                v("f32", SWITCH).paper("-1.718; 1160"),
                v("bf16", &["model.experts=16", "model.dtype=bf16", "model.router_f32=false"])
                    .paper("-3.780, diverged; 1390"),
                v("selective", &["model.experts=16", "model.dtype=bf16"]).paper("-1.716; 1390"),
            ],
            &[
                says(Better("selective", "bf16"), "-1.716 against -3.780, diverged").by(2.064),
                says(Better("f32", "bf16"), "-1.718 against -3.780, diverged").by(2.062),
                says(Alike("f32", "selective"), "-1.718 against -1.716"),
                says(Faster("selective", "f32"), "1390 against 1160 examples a second")
                    .times(1390.0 / 1160.0),
            ],
        )
    },
    Study {
        paper: "mean and deviation of negative log perplexity after 3.5k steps",
        ..study(
            "switch-table-3",
            "Switch, table 3: smaller first weights are better early in training, and steadier",
            &[
                v("0.1 x init", &["model.experts=16", "train.steps=200", "train.eval_every=50"])
                    .paper("-2.72, 0.01"),
                v(
                    "1.0 x init",
                    &["model.experts=16", "model.init_scale=1.0", "train.steps=200", "train.eval_every=50"],
                )
                .seeds(5)
                .paper("-3.60, 0.68"),
            ],
            &[
                says(Better("0.1 x init", "1.0 x init"), "-2.72 against -3.60").by(0.88),
                says(Steadier("0.1 x init", "1.0 x init"), "0.01 against 0.68"),
            ],
        )
    },
    Study {
        measure: Measure::Answers,
        sets: WORLD,
        paper: "GLUE, SuperGLUE",
        ..study(
            "switch-table-4",
            "Switch, table 4: much dropout within experts alone serves fine-tuning best",
            &[
                v("dense, pre-trained", DENSE),
                v("switch, pre-trained", SWITCH),
                v("dense d=0.1", tuned!("model.experts=0", "model.dropout=0.1"))
                    .from("dense, pre-trained")
                    .paper("82.9, 72.4"),
                v("switch d=0.1", tuned!("model.experts=16", "model.dropout=0.1"))
                    .from("switch, pre-trained")
                    .paper("84.7, 73.0"),
                v("switch d=0.2", tuned!("model.experts=16", "model.dropout=0.2"))
                    .from("switch, pre-trained")
                    .paper("84.4, 73.2"),
                v("switch d=0.3", tuned!("model.experts=16", "model.dropout=0.3"))
                    .from("switch, pre-trained")
                    .paper("83.9, 70.7"),
                v(
                    "switch d=0.1 ed=0.4",
                    tuned!("model.experts=16", "model.dropout=0.1", "model.expert_dropout=0.4"),
                )
                .from("switch, pre-trained")
                .paper("85.2, 73.0"),
            ],
            &[
                says(
                    Better("switch d=0.1 ed=0.4", "switch d=0.1"),
                    "GLUE 85.2 against 84.7, SuperGLUE the same",
                )
                .by(0.005),
                says(
                    Better("switch d=0.1", "switch d=0.3"),
                    "84.7 against 83.9: more dropout everywhere is worse",
                )
                .by(0.008),
                says(Better("switch d=0.1 ed=0.4", "dense d=0.1"), "85.2 against 82.9").by(0.023),
            ],
        )
    },
    TABLE_5,
    study(
        "switch-table-6",
        "Switch, table 6: what of a sparse teacher's gain a dense student keeps",
        &[
            v("dense", DENSE).paper("-1.636"),
            v("switch", SWITCH).paper("-1.444"),
            v("distilled", &["model.experts=0", "distill.share=1.0"])
                .taught_by("switch")
                .paper("-1.631 (3 %)"),
            v("+ weights", &["model.experts=0", "distill.share=1.0"])
                .from("switch")
                .taught_by("switch")
                .paper("-1.598 (20 %)"),
            v("+ mixed loss", MIXED).from("switch").taught_by("switch").paper("-1.580 (29 %)"),
            v("weights alone", DENSE).from("switch").paper("-1.639 (0 %)"),
        ],
        &[
            keeps("distilled", "switch", Some("dense"), "3 %").by(0.03),
            keeps("+ weights", "switch", Some("weights alone"), "20 %").by(0.2),
            keeps("+ mixed loss", "switch", Some("weights alone"), "29 %").by(0.29),
            says(Alike("weights alone", "dense"), "-1.639 against -1.636 (0 %)"),
            says(Better("+ mixed loss", "distilled"), "-1.580 against -1.631").by(0.051),
        ],
    ),
    study(
        "switch-table-7",
        "Switch, table 7: distillation from ever more experts",
        &[
            v("dense", DENSE).paper("-1.636"),
            v("2 experts", &["model.experts=2"]).at(2),
            v("8 experts", &["model.experts=8"]).at(8).paper("-1.505 (1.1B)"),
            v("32 experts", &["model.experts=32"]).at(32).paper("-1.444 (3.8B)"),
            v("student of 2", MIXED).from("2 experts").taught_by("2 experts"),
            v("student of 8", MIXED)
                .from("8 experts")
                .taught_by("8 experts")
                .paper("-1.587 (37 %, compressed by 82 %)"),
            v("student of 32", MIXED)
                .from("32 experts")
                .taught_by("32 experts")
                .paper("-1.579 (30 %, compressed by 95 %)"),
        ],
        &[
            keeps("student of 2", "2 experts", None, "not in the paper"),
            keeps("student of 8", "8 experts", None, "37 %").by(0.37),
            keeps("student of 32", "32 experts", None, "30 %").by(0.3),
        ],
    ),
    Study {
        measure: Measure::Answers,
        sets: WORLD,
        paper: "SuperGLUE",
        ..study(
            "switch-table-8",
            "Switch, table 8: a fine-tuned sparse model teaches a dense one",
            &[
                v("dense, pre-trained", DENSE),
                v("switch, pre-trained", SWITCH),
                v("dense", tuned!("model.experts=0", "model.dropout=0.1"))
                    .from("dense, pre-trained")
                    .paper("74.6"),
                v("switch", tuned!("model.experts=16", "model.dropout=0.1", "model.expert_dropout=0.4"))
                    .from("switch, pre-trained")
                    .paper("81.3"),
                v("distilled", tuned!("model.experts=0", "model.dropout=0.1", "distill.share=0.25"))
                    .from("dense, pre-trained")
                    .taught_by("switch")
                    .paper("76.6 (30 %)"),
            ],
            &[
                says(Better("switch", "dense"), "81.3 against 74.6").by(0.067),
                keeps("distilled", "switch", Some("dense"), "30 %").by(0.3),
            ],
        )
    },
    Study {
        paper: "negative log perplexity at 250k and 500k steps",
        ..study(
            "switch-table-9-nll",
            "Switch, table 9, its last columns: models of one family after equal steps",
            &[
                v("dense", DENSE).paper("-1.599, -1.556"),
                v("large", LARGE).paper("-1.402, -1.350"),
                v("switch", SWITCH).paper("-1.370, -1.306"),
                v(
                    "large switch",
                    &[
                        "model.experts=16",
                        "model.d_model=96",
                        "model.d_ff=192",
                        "model.layers=3",
                        "model.heads=6",
                    ],
                )
                .paper("-1.248, -1.177"),
                v("switch, every layer", &["model.experts=16", "model.expert_every=1"])
                    .paper("-1.096, -1.043 (Switch-C)"),
            ],
            &[
                says(Better("switch", "dense"), "-1.306 against -1.556").by(0.25),
                says(Better("large switch", "large"), "-1.177 against -1.350").by(0.173),
                says(Better("switch", "large"), "-1.306 against -1.350, of more than three times the flops")
                    .by(0.044),
                says(SoonerInSteps("large switch", "large"), "4 times as fast (Switch-C beside T5-XXL)")
                    .times(4.0),
            ],
        )
    },
    Study {
        paper: NLL,
        ..study(
            "switch-table-10",
            "Switch, table 10: experts in attention, in f32 and in bf16",
            &[
                v("ffn", SWITCH).paper("-1.548; 1480"),
                v(
                    "attention",
                    &["model.experts=16", "model.ffn_experts=false", "model.attention_experts=ffn"],
                )
                .paper("-1.524; 1330"),
                v(
                    "attention, bf16",
                    &[
                        "model.experts=16",
                        "model.ffn_experts=false",
                        "model.attention_experts=ffn",
                        "model.dtype=bf16",
                    ],
                )
                .paper("diverges"),
                v("ffn + attention", &["model.experts=16", "model.attention_experts=ffn"])
                    .paper("-1.513; 1240"),
                v(
                    "ffn + attention, bf16",
                    &["model.experts=16", "model.attention_experts=ffn", "model.dtype=bf16"],
                )
                .paper("diverges"),
            ],
            &[
                says(Better("attention", "ffn"), "-1.524 against -1.548").by(0.024),
                says(Better("ffn + attention", "ffn"), "-1.513 against -1.548").by(0.035),
                says(Faster("ffn", "attention"), "1480 against 1330 examples a second")
                    .times(1480.0 / 1330.0),
                says(Better("attention", "attention, bf16"), "diverges in bf16"),
                says(Better("ffn + attention", "ffn + attention, bf16"), "diverges in bf16"),
            ],
        )
    },
    study(
        "switch-table-11",
        "Switch, table 11: how a router explores",
        &[
            v("argmax", &["model.experts=16", "model.explore=argmax"]).paper("-1.471"),
            v("sample", &["model.experts=16", "model.explore=sample"]).paper("-1.570"),
            v("input dropout", &["model.experts=16", "model.explore=input-dropout"]).paper("-1.480"),
            v("input jitter", SWITCH).paper("-1.468"),
        ],
        &[
            says(Better("input jitter", "sample"), "-1.468 against -1.570").by(0.102),
            says(Better("argmax", "sample"), "-1.471 against -1.570").by(0.099),
            says(Better("input jitter", "input dropout"), "-1.468 against -1.480").by(0.012),
            says(Alike("argmax", "input jitter"), "-1.471 against -1.468"),
        ],
    ),
    Study {
        runs: "switch-figure-12",
        claims: &[
            says(Better("4 experts", "2 experts"), "every doubling of experts is better"),
            says(Better("8 experts", "4 experts"), "every doubling of experts is better"),
            says(Better("16 experts", "8 experts"), "every doubling of experts is better"),
            says(Better("32 experts", "16 experts"), "every doubling of experts is better"),
            says(
                SoonerInSteps("32 experts", "dense"),
                "64 experts come to T5-Base's quality in a seventh of the steps",
            )
            .times(7.0),
        ],
        ..named(
            FIGURE_12,
            "switch-figure-1",
            "Switch, figures 1 and 4: quality grows with experts at equal flops, and steps are saved",
        )
    },
    Study {
        runs: "switch-figure-12",
        claims: &[
            says(SoonerInSeconds("8 experts", "dense"), "sooner by the clock, too"),
            says(SoonerInSeconds("16 experts", "dense"), "sooner by the clock, too"),
            says(SoonerInSeconds("32 experts", "dense"), "64 experts: a seventh of the time").times(7.0),
        ],
        ..named(FIGURE_12, "switch-figure-5", "Switch, figure 5: experts save time, not steps alone")
    },
    // Its runs are its own: those of table 9 are not timed by turns.
    study(
        "switch-figure-6",
        "Switch, figure 6: a sparse model beside a dense one of 3.5 times the flops",
        &[
            v("dense", DENSE).paper("-1.599, -1.556"),
            v("large", LARGE).paper("-1.402, -1.350"),
            v("switch", SWITCH).paper("-1.370, -1.306"),
        ],
        &[
            says(SoonerInSteps("switch", "large"), "in fewer steps"),
            says(SoonerInSeconds("switch", "large"), "2.5 times as fast").times(2.5),
            says(SoonerInSeconds("switch", "dense"), "7 times as fast").times(7.0),
        ],
    ),
    FIGURE_7,
    Study {
        runs: "switch-figure-7",
        claims: &[says(
            SoonerInParts("switch", "dense"),
            "5 times as fast in the mean, 4 times and more in 91 %",
        )
        .times(5.0)],
        ..named(
            FIGURE_7,
            "switch-figure-8",
            "Switch, figure 8: in how many steps a sparse model comes to a dense one, by language",
        )
    },
    study(
        "switch-figure-11",
        "Switch, figure 11: who finds no place asks the next expert",
        &[
            v(
                "dropped",
                &["model.experts=16", "model.capacity_factor=1.0", "model.eval_capacity_factor=1.0"],
            ),
            v(
                "none left behind",
                &[
                    "model.experts=16",
                    "model.capacity_factor=1.0",
                    "model.eval_capacity_factor=1.0",
                    "model.routing=none-left-behind",
                ],
            ),
        ],
        &[says(Alike("none left behind", "dropped"), "no gain in quality")],
    ),
    FIGURE_12,
    Study {
        preset: "switch-figure-12-decoder",
        sets: &[],
        axis: "experts",
        ..study(
            "switch-figure-12-decoder",
            "Switch, figure 12, of a decoder alone that predicts the next token of many languages",
            &[
                v("dense", DENSE),
                v("1 expert", &["model.experts=1"]).at(1),
                v("2 experts", &["model.experts=2"]).at(2),
                v("4 experts", &["model.experts=4"]).at(4),
                v("8 experts", &["model.experts=8"]).at(8),
                v("16 experts", SWITCH).at(16),
            ],
            &[
                says(Alike("1 expert", "dense"), "one expert is the same function, up to its gate"),
                says(Better("4 experts", "dense"), "4 experts improve on dense"),
                says(Better("16 experts", "4 experts"), "more are better"),
                says(SoonerInSteps("16 experts", "dense"), "in fewer steps"),
                says(SoonerInSeconds("16 experts", "dense"), "and less time"),
            ],
        )
    },
    Study {
        runs: "switch-table-5",
        claims: &[says(Follows, "scores follow negative log perplexity, loosely")],
        ..named(TABLE_5, "switch-figure-13", "Switch, figure 13: quality before fine-tuning and after it")
    },
];

/// The same runs, looked at for something else.
const fn named(study: Study, name: &'static str, about: &'static str) -> Study {
    Study { name, about, ..study }
}
