//! The sections of a configuration: every field with its meaning, its default, and what binds it once a run has begun
//! ([`Bound`](super::Bound)). This file is the reference.

use super::field::{Axes, Sizes, choice, section};

choice! {
    /// The model family.
    Family {
        /// Encoder-decoder after T5 with routed FFNs, or a decoder alone.
        Switch = "switch",
        /// Encoder-decoder Transformer with an MoE layer in every other place.
        Gshard = "gshard",
        /// Dense T5.
        T5 = "t5",
        /// The dense language model of GSPMD 5.1.
        Dense2d = "dense2d",
        /// The U-Net of GSPMD 5.6, with the fields of `[model.unet]`.
        Unet = "unet",
        /// NLLB's encoder-decoder: biases, layer norms, waves that begin at place 2, embeddings times sqrt(`d_model`).
        Nllb = "nllb",
        /// Mixtral's decoder: rotary positions, `kv_heads`, and as Mixtral is published activation "swiglu", routing
        /// "top" and capacity rule "unlimited".
        Mixtral = "mixtral",
        /// A residual network with batch norm, with the fields of `[model.residual]`.
        Residual = "residual",
        /// A Vision Transformer, with the sizes of `[model]` and the patches of `[model.vit]`.
        Vit = "vit",
        /// The same with experts in its blocks, to which each patch goes by itself, with the fields of experts (V-MoE).
        Vmoe = "v-moe",
        /// A stack of ever further convolutions that tells the middle of what it sees, as MetNet-2's, with the fields
        /// of `[model.dilated]`.
        Dilated = "dilated",
        /// A residual network for images, with the fields of `[model.residual]`, and a Transformer for what is asked of
        /// them, with the sizes of `[model]`.
        Joined = "joined",
        /// The Conformer of GSPMD 5.3, with the fields of `[model.conformer]`.
        Conformer = "conformer",
    }
}

choice! {
    /// How tokens choose experts.
    Routing {
        /// Switch: the best expert, scaled by its raw probability.
        Switch = "switch",
        /// GShard's Algorithm 1, line by line.
        Gshard = "gshard",
        /// GShard's top 2 as its authors' code has it: a skipped second choice takes no place.
        GshardCode = "gshard-code",
        /// The best `top` experts.
        Top = "top",
        /// Experts choose tokens, in the encoder: a decoder would be told what comes later, so its tokens choose, as
        /// with "switch".
        ExpertChoice = "expert-choice",
        /// Switch's choice without capacity: tokens are sorted by expert, and none is dropped.
        Dropless = "dropless",
        /// Switch's, and who finds no place asks the next best expert, `stages` in all: No-Token-Left-Behind.
        NoneLeftBehind = "none-left-behind",
        /// Switch's, but an expert takes the tokens with the largest gates, not the first. In the encoder, as with
        /// "expert-choice".
        Prioritized = "prioritized",
    }
}

choice! {
    /// How gates become the weights of several experts of a token.
    GateWeights {
        /// As the routing's paper has it: "normalized-before".
        Auto = "auto",
        /// Divided by their sum before any choice is dropped (GShard, Algorithm 1): who loses an expert keeps the
        /// weight of the other as it is.
        NormalizedBefore = "normalized-before",
        /// Divided by the sum of what is left after dropping (praxis, DeepSpeed, fairseq).
        NormalizedAfter = "normalized-after",
        /// As the softmax gave them (Switch).
        Raw = "raw",
    }
}

choice! {
    /// Which second choices are used, by g, the share of the second gate in the sum of both.
    Second {
        /// As the routing has it: "random".
        Auto = "auto",
        /// With probability min(1, g / `second_threshold`) in training, always otherwise. GShard's 2 g > rnd is 0.5.
        Random = "random",
        /// As "random", but by the second gate itself and not its share (fairseq's and NLLB-MoE's "random").
        RandomGate = "random-gate",
        /// Always, and training draws which expert it is: each as likely as its gate (fairseq's and NLLB-MoE's
        /// "sampling").
        Sampled = "sampled",
        /// Where g is above `second_threshold`.
        Threshold = "threshold",
        /// Always.
        All = "all",
        /// Never.
        None = "none",
    }
}

choice! {
    /// How a router that chooses one expert explores in training (Switch, appendix C).
    Explore {
        /// Not at all.
        Argmax = "argmax",
        /// The expert is drawn from the softmax.
        Sample = "sample",
        /// Noise of `jitter` on the router's input.
        Jitter = "jitter",
        /// Dropout of `router_dropout` on the router's input.
        InputDropout = "input-dropout",
    }
}

choice! {
    /// How `capacity_factor` f becomes places per expert, for S tokens in a group and E experts.
    CapacityRule {
        /// S f / E, rounded up (Switch).
        Switch = "switch",
        /// 2 S / E, rounded up: no factor (GShard).
        Gshard = "gshard",
        /// S f / E rounded down, 4 at least.
        MeshTensorflow = "mesh-tensorflow",
        /// S f / E rounded down, then up to a multiple of 4.
        Praxis = "praxis",
        /// S f / E to the nearest, halves to even, 4 at least.
        Flaxformer = "flaxformer",
        /// k S f / E rounded up, where a token has k experts (DeepSpeed, Megatron).
        PerChoice = "per-choice",
        /// k f times S / E rounded up, and rounded up again (fairseq and NLLB-MoE in training, where f is 1).
        Fairseq = "fairseq",
        /// f places, however many tokens there are (Hugging Face's Switch).
        Fixed = "fixed",
        /// No bound: tokens are sorted by expert, and none is dropped.
        Unlimited = "unlimited",
    }
}

choice! {
    /// Over what the losses of routers are taken.
    LossesOver {
        /// Each layer for itself, summed up (Switch, GShard).
        Layers = "layers",
        /// The tokens of a group in all layers of a stack together, and who was dropped counts for the first expert
        /// (Hugging Face's Switch).
        Stack = "stack",
    }
}

choice! {
    /// How rows get to experts and back: the same numbers.
    Exchange {
        /// By index, and by masks where experts choose their tokens.
        Auto = "auto",
        /// Products with one-hot masks (GShard, Algorithm 2).
        Einsum = "einsum",
        /// Rows by index (GShard 3.2).
        Gather = "gather",
    }
}

choice! {
    /// Experts in attention, in the blocks that have experts (Switch, appendix A).
    AttentionExperts {
        None = "none",
        /// A matrix each, for queries and for keys with values.
        Linear = "linear",
        /// An FFN each, of `d_ff`.
        Ffn = "ffn",
    }
}

choice! {
    /// What activations are stored in.
    Dtype { F32 = "f32", Bf16 = "bf16", F64 = "f64", }
}

choice! {
    /// What weights are stored in between steps.
    ParamDtype {
        /// f32, or f64 where `dtype` is "f64".
        Wide = "wide",
        /// Half the bytes on the devices and between them; see `optimizer.master`.
        Bf16 = "bf16",
    }
}

choice! {
    /// Where dropout is besides what enters a stack, what layers add to the residual, and attention's chances.
    DropoutPlaces {
        /// As the family has it: "residual" in "gshard", "everywhere" in others.
        Auto = "auto",
        /// Nowhere else (GShard, A.2).
        Residual = "residual",
        /// Also inside of FFNs and behind the last norm of a stack (T5).
        Everywhere = "everywhere",
    }
}

choice! {
    /// The FFN's nonlinearity.
    Activation { Relu = "relu", Gelu = "gelu", Geglu = "geglu", Swiglu = "swiglu", }
}

choice! {
    /// In which order the stages of a pipeline compute blocks.
    PipelineSchedule {
        /// Each stage has one run of blocks.
        Gpipe = "gpipe",
        /// Each has `rounds` runs, and a microbatch goes round: layers 0, 4, 8 on the first of four stages.
        Circular = "circular",
    }
}

choice! {
    /// How the model lies on the mesh.
    Strategy {
        /// The one of the next six that names just the axes of the mesh.
        Auto = "auto",
        Data = "data",
        Model = "model",
        Expert = "expert",
        DataModel = "data+model",
        ExpertData = "expert+data",
        ExpertModelData = "expert+model+data",
        /// The batch over `data`, and weights with the optimizer's states too.
        WeightUpdate = "weight-update",
        /// GSPMD, Table 1, over `x` and `y`: weights and activations alike.
        Attempt1 = "2d-attempt-1",
        /// The same weights, the batch over `x`.
        Attempt2 = "2d-attempt-2",
        /// And what lives between layers over `y`.
        Finalized = "2d-finalized",
        /// GSPMD 5.5: the same, with experts over `x` and their hidden dim over `y`.
        Hybrid = "hybrid",
        /// GSPMD 5.2, Table 4: stages of a pipeline over `stage`, in each the batch over `x` and the model over `y`.
        Pipelined = "2d-pipelined",
        /// GSPMD 5.6: the batch over `data`, the first spatial dim of images over `spatial`, the second over
        /// `spatial_2`, the third over `spatial_3`; axes that the mesh lacks split nothing.
        Spatial = "spatial",
        /// Family "joined" over `x` and `y`: images in space over both, their first dim over `x`; text by its batch
        /// over `x` and its heads over `y`.
        ByMode = "by-mode",
        /// GSPMD 5.3: stages of a pipeline over `stage`, in each the batch over `data`; before and behind them it is
        /// over both.
        PipelinedData = "pipelined+data",
        /// GSPMD, Figure 2: stages over `x`, in each the batch or the experts over `y`; before and behind them the
        /// batch over `x`, the vocabulary over `y`.
        PipelinedExperts = "pipelined-experts",
    }
}

choice! {
    /// Where text comes from, or images.
    Corpus {
        /// Generated by rules: phrases in twelve and more languages with their English (synthetic).
        Multilingual = "multilingual",
        /// Generated by rules: English-like paragraphs (synthetic).
        Text = "text",
        /// The same stories, and what is so in made-up towns, which tasks ask for (synthetic).
        World = "world",
        /// Generated by rules: nine kinds of questions with their answers (synthetic). A question about a town is
        /// answered by corpus "world" of the same seed.
        Tasks = "tasks",
        /// The lines of `data.files`.
        Files = "files",
        /// Sentences with their English, as `meshwright data m4` wrote them into the folder that `data.files` names.
        Pairs = "pairs",
        /// Generated by rules: solid and hollow bodies in noise, with the class of each place (synthetic).
        Volumes = "volumes",
        /// Generated by rules: one body in noise, of one of six kinds (synthetic).
        Pictures = "pictures",
        /// Generated by rules: showers in the wind, with the rain that they will bring (synthetic).
        Weather = "weather",
        /// Generated by rules: two bodies in noise, and a question about them (synthetic).
        Questions = "questions",
        /// Images or volumes with their labels, in the `.npz` archives or folders of images that `data.files` names.
        Arrays = "arrays",
        /// Generated by rules: tones in noise, with which they are (synthetic).
        Spectrograms = "spectrograms",
    }
}

choice! {
    /// What is learnt from it.
    Task {
        /// Fill in corrupted spans, as T5.
        Spans = "spans",
        /// Write the target of a source: the English of a phrase, the answer to a question.
        Translate = "translate",
        /// Predict the next token.
        Next = "next",
        /// Give each place of an image or a volume its class.
        Segment = "segment",
        /// Say of which class an image is.
        Classify = "classify",
        /// Say which labels are heard in a sequence of frames, one after the other.
        Speech = "speech",
    }
}

choice! {
    /// How often each part of a mixture is drawn.
    Mixture {
        /// In proportion to its tokens.
        Tokens = "tokens",
        /// In proportion to its tokens to the power 1/temperature.
        Temperature = "temperature",
    }
}

choice! {
    /// How a U-Net halves spatial dims.
    Down {
        /// By the step of the level's first convolution.
        Stride = "stride",
        /// By the largest of two places.
        Pool = "pool",
    }
}

choice! {
    /// What follows a convolution.
    Normalization {
        /// Each feature of an example by itself.
        Instance = "instance",
        /// Each feature over the whole batch, with running averages for evaluation.
        Batch = "batch",
    }
}

choice! {
    /// How the convolution of a Conformer's block is normalized.
    ConvNormalization {
        /// Each time by itself.
        Layer = "layer",
        /// Each feature over all times of a batch, with running averages for evaluation (Gulati et al.).
        Batch = "batch",
        /// Groups of features over the times of each sequence.
        Group = "group",
    }
}

choice! {
    /// Tables of embeddings of an encoder and a decoder.
    Embeddings {
        /// As the family has it: two in "gshard", one in others.
        Auto = "auto",
        /// One table for both.
        Shared = "shared",
        /// One each, which two vocabularies need.
        Separate = "separate",
    }
}

choice! {
    /// How pieces of words are learnt when no tokenizer is given.
    TokenizerKind { Unigram = "unigram", Bpe = "bpe", }
}

choice! {
    /// The update rule.
    Rule {
        /// With T5's settings, which Switch took over: steps relative to the size of a weight.
        Adafactor = "adafactor",
        /// With GShard's (A.2): the second moment decays by 0.99 at most. How far a step goes, `step_size` says.
        AdafactorGshard = "adafactor-gshard",
        Adam = "adam",
        Adamw = "adamw",
        Sgd = "sgd",
    }
}

choice! {
    /// What a step of adafactor is a multiple of.
    StepSize {
        /// The root mean square of the parameter, 0.001 at least: as T5 and the authors of GShard ran it. With
        /// schedule "rsqrt" and `warmup` 10000 a weight changes by 1 % of its size at first.
        Relative = "relative",
        /// Nothing: the rate is used as it is, as the words of GShard's A.2 may be read. At the rate of 1 that they
        /// give a run diverges.
        Absolute = "absolute",
    }
}

choice! {
    /// The learning rate over steps.
    Schedule {
        Constant = "constant",
        /// 1/sqrt(max(step, warmup)): T5's, and GShard's as its authors ran it.
        Rsqrt = "rsqrt",
        /// 1 up to step `warmup`, then 1/sqrt(step/warmup): the words of GShard's A.2.
        HoldRsqrt = "hold-rsqrt",
        /// Linear warmup, then a cosine down to zero at the last step.
        Cosine = "cosine",
        /// Linear warmup, then a line down to zero at the last step.
        Linear = "linear",
    }
}

section! {
    /// `[model]`
    ModelSection {
        /// The model family.
        family: Family = Family::Switch => Model,
        /// A decoder alone instead of an encoder and a decoder.
        decoder_only: bool = false => Model,
        /// Layers of the encoder, and of a decoder alone.
        layers: usize = 2usize => Model,
        /// Layers of the decoder beside an encoder; 0 takes `layers`.
        decoder_layers: usize = 0usize => Model,
        /// Width of the residual stream.
        d_model: usize = 128usize => Model,
        /// Width of an FFN, and of every expert.
        d_ff: usize = 512usize => Model,
        /// Width of every expert, if it is another; 0 takes `d_ff`. One expert of twice the width costs what two do.
        expert_ff: usize = 0usize => Model,
        /// Attention heads.
        heads: usize = 4usize => Model,
        /// Heads of keys and values, each of which serves as many heads of queries; 0 takes `heads`.
        kv_heads: usize = 0usize => Model,
        /// Width of a head.
        d_kv: usize = 32usize => Model,
        /// Experts per routed layer; 0 makes every FFN dense.
        experts: usize = 8usize => Model,
        /// Every how many layers the FFN is routed: 1 all, 2 every other one, beginning with the second.
        expert_every: usize = 2usize => Model,
        /// How tokens choose experts.
        routing: Routing = Routing::Switch => Free,
        /// Experts per token where routing is "top".
        top: usize = 2usize => Free,
        /// How gates weigh the experts of a token, where routing is "gshard", "gshard-code" or "top".
        gate_weights: GateWeights = GateWeights::Auto => Free,
        /// Which second choices are used, where routing is "gshard" or "gshard-code".
        second: Second = Second::Auto => Free,
        /// Threshold of `second`; 0 is the routing's own: 0.5 with "gshard" (2 g > rnd), 0.2 with "gshard-code".
        second_threshold: f64 = 0.0 => Free,
        /// Experts that a token may ask one after the other where routing is "none-left-behind".
        stages: usize = 2usize => Free,
        /// Places per expert in training, as a multiple of tokens / experts.
        capacity_factor: f64 = 1.25 => Free,
        /// The same in evaluation.
        eval_capacity_factor: f64 = 2.0 => Free,
        /// How the factor is read and rounded.
        capacity_rule: CapacityRule = CapacityRule::Switch => Free,
        /// Drop no token in evaluation, whatever `capacity_rule` is (NLLB-MoE).
        eval_dropless: bool = false => Free,
        /// How rows get to experts and back: "auto" is by index, which is faster on CPU cores, and by masks where
        /// experts choose their tokens.
        exchange: Exchange = Exchange::Auto => Free,
        /// Experts in the FFNs of routed layers. Without them only attention has experts; see `attention_experts`.
        ffn_experts: bool = true => Model,
        /// Routed layers in a decoder, too, beside an encoder: without them it is dense.
        decoder_experts: bool = true => Model,
        /// Experts in the attention of routed layers.
        attention_experts: AttentionExperts = AttentionExperts::None => Model,
        /// Most tokens routed together; 0 is all of a device's.
        group_size: usize = 0usize => Free,
        /// Route padding as any token: it takes places, and counts in the losses of routers. As Hugging Face's models.
        route_padding: bool = false => Free,
        /// Over what the load-balancing loss and the z-loss are taken.
        router_losses: LossesOver = LossesOver::Layers => Free,
        /// Weight of the load-balancing loss.
        aux_loss: f64 = 1e-2 => Free,
        /// Share of each label that training spreads evenly over the vocabulary.
        label_smoothing: f64 = 0.0 => Free,
        /// Weight of the router's z-loss.
        z_loss: f64 = 0.0 => Free,
        /// How the router explores in training.
        explore: Explore = Explore::Jitter => Free,
        /// Relative noise on the router's input where `explore` is "jitter".
        jitter: f64 = 1e-2 => Free,
        /// Dropout of the router's input where `explore` is "input-dropout".
        router_dropout: f64 = 0.1 => Free,
        /// Keep the router in f32 whatever `dtype` is: selective precision (Switch 2.4). Without it the router is as
        /// narrow as activations, and the paper's model diverges.
        router_f32: bool = true => Free,
        /// Share of activations that training sets to 0.
        dropout: f64 = 0.0 => Free,
        /// Where that is done.
        dropout_places: DropoutPlaces = DropoutPlaces::Auto => Free,
        /// Dropout on the inner activation of experts; needs experts.
        expert_dropout: f64 = 0.0 => Free,
        /// Dropout on what experts say; outside of training all of it is smaller by this share (NLLB-MoE).
        expert_masking: f64 = 0.0 => Free,
        /// Added to the variance that norms divide by; 0 is the family's own: 1e-5 in "nllb" and "mixtral", 1e-6 in
        /// others.
        norm_epsilon: f64 = 0.0 => Model,
        /// Base of rotary positions; 0 is the family's own, 1000000 in "mixtral".
        rotary_base: usize = 0usize => Model,
        /// The FFN's nonlinearity.
        activation: Activation = Activation::Relu => Model,
        /// What activations are stored in; statistics are f32, or f64 with "f64".
        dtype: Dtype = Dtype::F32 => States,
        /// What weights are stored in.
        param_dtype: ParamDtype = ParamDtype::Wide => States,
        /// Scale s of the initial weights, sigma = sqrt(s / fan in).
        init_scale: f64 = 0.1 => Beginning,
        /// Rows of the table of embeddings, at least as many as the tokenizer has pieces and sentinels; 0 takes just as
        /// many. Checkpoints of others have more, so that a number of devices divides them.
        vocabulary: usize = 0usize => Model,
        /// Row of the table that is read for padding.
        pad_token: usize = 0usize => Model,
        /// Row of the table that is read where a decoder begins.
        start_token: usize = 0usize => Model,
        /// One matrix for embedding and logits.
        tied_embeddings: bool = true => Model,
        /// Tables of embeddings of an encoder and a decoder.
        embeddings: Embeddings = Embeddings::Auto => Model,
        /// Compute blocks again in the backward pass, instead of keeping what they made.
        recompute: bool = false => Free,
        /// One loop over all blocks, whose weights lie in piles: a program that does not grow with the depth.
        stacked: bool = false => Model,
        /// Longest sequence; 0 is no bound, which relative positions allow.
        positions: usize = 0usize => Free,
    }
}

section! {
    /// `[model.unet]`: the model of family "unet".
    UnetSection {
        /// Levels, each half as fine as the one above it.
        levels: usize = 3usize => Model,
        /// Features of the finest level; each coarser one has twice as many.
        features: usize = 8usize => Model,
        /// How spatial dims are halved.
        down: Down = Down::Stride => Model,
        /// What follows a convolution.
        norm: Normalization = Normalization::Instance => Model,
        /// Factor of the Dice loss beside cross entropy; 0 is without.
        overlap: f64 = 1.0 => Free,
    }
}

section! {
    /// `[model.residual]`: the model of family "residual".
    ResidualSection {
        /// Stages, each but the first with half as many places and twice as many features.
        stages: usize = 2usize => Model,
        /// Blocks of a stage.
        blocks: usize = 1usize => Model,
        /// Features of the first stage.
        features: usize = 8usize => Model,
        /// Blocks of three convolutions around a quarter of the features, instead of two.
        bottleneck: bool = false => Model,
    }
}

section! {
    /// `[model.vit]`: what a model of family "vit" has beside the sizes of `[model]`.
    VitSection {
        /// Places along each side of a patch.
        patch: usize = 4usize => Model,
    }
}

section! {
    /// `[model.dilated]`: the model of family "dilated".
    DilatedSection {
        /// Stacks of blocks.
        stacks: usize = 1usize => Model,
        /// Blocks of a stack, of two convolutions each; their windows' elements are 1, 2, 4 and so on apart.
        blocks: usize = 3usize => Model,
        /// Features of every convolution.
        features: usize = 16usize => Model,
    }
}

section! {
    /// `[data.image]`: the images or volumes of tasks "segment" and "classify".
    ImageSection {
        /// Spatial sizes, two of images, three of volumes.
        size: Sizes = Sizes(vec![24, 24, 24]) => Model,
        /// Spatial sizes of the middle, which has the labels, where a model of family "dilated" tells less than it
        /// sees; empty is all.
        told: Sizes = Sizes::default() => Model,
        /// Numbers of a place; of corpus "weather" the times at which it was seen.
        channels: usize = 1usize => Model,
        /// Classes of labels, from 0 on.
        classes: usize = 3usize => Model,
        /// What the classes of corpus "arrays" are called, from 0 on. Without them folders of classes give their names,
        /// in the order of the alphabet, and other classes go by number.
        names: Vec<String> = Vec::<String>::new() => Model,
        /// Deviation of the noise of generated corpora, where bodies have a brightness of 1 and rain is heavy at 0.8.
        noise: f64 = 0.5 => Texts,
    }
}

section! {
    /// `[data.question]`: what is asked of images, where family is "joined".
    QuestionSection {
        /// Words of a question at most.
        length: usize = 7usize => Model,
        /// Kinds of words, from 0 on; 0 is no word.
        words: usize = 22usize => Model,
    }
}

section! {
    /// `[model.conformer]`: what a model of family "conformer" has beside the sizes of `[model]`.
    ConformerSection {
        /// Channels of the two convolutions in front, each of which halves times and energies.
        channels: usize = 8usize => Model,
        /// Times that a block's convolution looks at.
        window: usize = 9usize => Model,
        /// How a block's convolution is normalized. Frames behind the end of a sequence are no part of it.
        norm: ConvNormalization = ConvNormalization::Layer => Model,
        /// Groups of features where `norm` is "group"; they divide `d_model`.
        norm_groups: usize = 4usize => Model,
    }
}

section! {
    /// `[data.speech]`: the sequences of task "speech".
    SpeechSection {
        /// Frames of a sequence at most.
        frames: usize = 96usize => Model,
        /// Energies of a frame.
        features: usize = 16usize => Model,
        /// Kinds of labels, which are 1 to so many.
        labels: usize = 10usize => Model,
        /// Labels of a sequence at most.
        most_labels: usize = 6usize => Model,
        /// Deviation of the noise of corpus "spectrograms", where tones have an energy of about 1.
        noise: f64 = 0.5 => Texts,
    }
}

section! {
    /// `[model.pipeline]`
    PipelineSection {
        /// Stages that the layers of each stack lie on, one behind the other; 1 is no pipeline.
        stages: usize = 1usize => Model,
        /// In which order stages compute.
        schedule: PipelineSchedule = PipelineSchedule::Gpipe => Model,
        /// How often a microbatch goes through all stages where `schedule` is "circular".
        rounds: usize = 2usize => Model,
        /// Parts of the batch that go through the stages one behind the other: the more, the less of the work is
        /// bubbles.
        microbatches: usize = 8usize => Free,
        /// Keep only what enters a stage for the backward pass, and compute the rest again.
        recompute: bool = false => Free,
    }
}

section! {
    /// `[mesh]`
    MeshSection {
        /// Axes and sizes, major first. Empty is one device.
        axes: Axes = Axes::default() => Free,
        /// How the model lies on them.
        strategy: Strategy = Strategy::Auto => Free,
    }
}

section! {
    /// `[data]`
    DataSection {
        /// Where text comes from.
        corpus: Corpus = Corpus::Multilingual => Texts,
        /// The files of corpora "arrays" and "files": of the latter one document a line, `source<TAB>target` for task
        /// "translate".
        files: Vec<String> = Vec::<String>::new() => Content,
        /// Whether sources of corpus "pairs" begin with their language, as `<de>`.
        language_token: bool = true => Texts,
        /// Of a vocabulary with language tokens, as NLLB's: the one that every source of task "translate" begins with,
        /// as "deu_Latn".
        source_language: String = "" => Texts,
        /// The one that every target begins with.
        target_language: String = "" => Texts,
        /// Languages of corpora "pairs" and "multilingual" that are learnt; empty is all. One is a bilingual model.
        languages: Vec<String> = Vec::<String>::new() => Texts,
        /// Tasks of corpus "tasks" that are learnt; empty is all.
        tasks: Vec<String> = Vec::<String>::new() => Texts,
        /// What is learnt.
        task: Task = Task::Translate => Texts,
        /// Documents or examples the generated corpora hold, all languages together.
        documents: u64 = 200_000u64 => Texts,
        /// Exponent of the power law of language sizes: the n-th language has n^-skew times the first one's documents.
        skew: f64 = 1.0 => Texts,
        /// One document or example in this many is held out for evaluation.
        held_out_one_in: u64 = 50u64 => Texts,
        /// How often each language or file is drawn.
        mixture: Mixture = Mixture::Tokens => Free,
        /// Temperature of mixture "temperature": 1 is by tokens, large is evenly.
        temperature: f64 = 5.0 => Free,
        /// A `.model` or `tokenizer.json`; empty trains one on the corpus.
        tokenizer: String = "" => Content,
        /// What is trained then.
        tokenizer_kind: TokenizerKind = TokenizerKind::Unigram => Vocabulary,
        /// Pieces of a trained tokenizer, sentinels not counted.
        vocabulary: usize = 2048usize => Vocabulary,
        /// Pieces of a second tokenizer, trained on targets alone and the first on sources alone; 0 is one for both.
        target_vocabulary: usize = 0usize => Vocabulary,
        /// A `.model` or `tokenizer.json` for targets, beside the one for sources.
        target_tokenizer: String = "" => Content,
        /// Sentinels at the top of the vocabulary; task "spans" needs one for each span of a sample.
        sentinels: usize = 100usize => Model,
        /// Tokens of the encoder's side.
        input_length: usize = 64usize => Free,
        /// Tokens of the decoder's side.
        target_length: usize = 64usize => Free,
        /// Share of tokens that task "spans" hides.
        noise_density: f64 = 0.15 => Free,
        /// Mean length of a hidden span.
        mean_span: f64 = 3.0 => Free,
        /// Put several short samples into one row, with their own positions.
        packing: bool = true => Free,
        /// Rows per step, on all devices together.
        batch: usize = 64usize => Free,
        /// Seed of the order, of the corruption and of generated text; 0 takes `train.seed`.
        seed: u64 = 0u64 => Texts,
    }
}

section! {
    /// `[optimizer]`
    OptimizerSection {
        /// The update rule.
        rule: Rule = Rule::Adafactor => States,
        /// The learning rate that the schedule multiplies.
        learning_rate: f64 = 1.0 => Free,
        /// What a step of adafactor is a multiple of.
        step_size: StepSize = StepSize::Relative => Free,
        /// The learning rate over steps.
        schedule: Schedule = Schedule::Rsqrt => Free,
        /// Steps until the schedule falls.
        warmup: u64 = 1_000u64 => Free,
        /// First-moment decay of adam and adamw, momentum of sgd.
        beta1: f64 = 0.9 => States,
        /// Second-moment decay of adam and adamw.
        beta2: f64 = 0.999 => Free,
        /// Added to the square root of the second moment of adam and adamw.
        epsilon: f64 = 1e-8 => Free,
        /// Decoupled decay of adamw.
        weight_decay: f64 = 0.0 => Free,
        /// Largest norm of the whole gradient; 0 is no bound.
        clip_norm: f64 = 0.0 => Free,
        /// Where weights are "bf16", keep an f32 copy of each that steps are added to; without, small steps are lost.
        master: bool = true => States,
        /// Parts a batch is computed in, one after the other.
        accumulate: usize = 1usize => Free,
    }
}

section! {
    /// `[distill]`
    DistillSection {
        /// A run that teaches, or another library's folder, as `hf:DIR` or `t5x:DIR`: a model with an encoder if this
        /// one has one, of the same vocabulary. Empty is none.
        teacher: String = "" => Free,
        /// Share of the loss that is the teacher's chances; the rest is the text.
        share: f64 = 0.25 => Free,
        /// What the logits of both are divided by there; the loss is multiplied by its square.
        temperature: f64 = 1.0 => Free,
    }
}

section! {
    /// `[train]`
    TrainSection {
        /// Steps of the whole run.
        steps: u64 = 1_000u64 => Free,
        /// Seed of everything that has none of its own.
        seed: u64 = 1u64 => Texts,
        /// Evaluate every so many steps; 0 only at the end.
        eval_every: u64 = 200u64 => Free,
        /// Batches of an evaluation.
        eval_batches: u64 = 8u64 => Free,
        /// Held-out questions of each part that the model answers by itself at each evaluation, to be scored, where
        /// task is "translate"; 0 asks none.
        questions: u64 = 0u64 => Free,
        /// Write a metrics line every so many steps.
        log_every: u64 = 10u64 => Free,
    }
}

section! {
    /// `[checkpoint]`
    CheckpointSection {
        /// Where checkpoints lie; empty writes none.
        dir: String = "checkpoints" => Free,
        /// Write one every so many steps, and one at the end.
        every: u64 = 500u64 => Free,
        /// How many of the newest stay.
        keep: usize = 3usize => Free,
        /// Write while the next steps run.
        background: bool = true => Free,
        /// Take weights by name from this checkpoint, with a fresh optimizer; empty starts afresh.
        init_from: String = "" => Beginning,
    }
}

section! {
    /// `[metrics]`
    MetricsSection {
        /// A file of one JSON object a line; empty writes none. Names here and in `checkpoint.dir` begin in the run's
        /// directory.
        jsonl: String = "metrics.jsonl" => Free,
        /// A directory for TensorBoard event files; empty writes none.
        tensorboard: String = "tensorboard" => Free,
    }
}
