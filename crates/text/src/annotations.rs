//! Every form of annotation that a text may have, each with a module that has it.
//!
//! The reference page of annotations is made of this, and a test completes each module; so what is written there is
//! read, and says what stands beside it. A form that a reader learns gets a row here.

/// A form of annotation.
#[derive(Clone, Copy, Debug)]
pub struct AnnotationForm {
    /// As it stands in a text.
    pub written: &'static str,
    /// What it says of the value.
    pub says: &'static str,
    example: Example,
}

/// What a module is made of that has the form.
#[derive(Clone, Copy, Debug)]
enum Example {
    /// The form is a sharding of a parameter.
    Sharding,
    /// The form is the mesh's body; the sharding that is over it.
    Mesh(&'static str),
    /// The form is the text of a parameter's `mhlo.sharding`.
    Tiles,
    /// These lines make `%r` of `%a`, which is split so.
    Lines { given: &'static str, lines: &'static str },
    /// The same in a module whose annotations are GSPMD's.
    Calls { given: &'static str, lines: &'static str },
    /// Instructions of HLO; the last is `r`.
    Hlo(&'static str),
}

/// Where a form comes from.
#[derive(Clone, Copy, Debug)]
pub struct AnnotationForms {
    pub title: &'static str,
    pub about: &'static str,
    pub forms: &'static [AnnotationForm],
}

impl AnnotationForm {
    /// A module with it. The value that is annotated is `f32[8,16]`, on 8 devices.
    pub fn module(&self) -> String {
        const TYPE: &str = "tensor<8x16xf32>";
        let shardy = |mesh: &str, of: &str, lines: &str, result: &str| {
            format!(
                "sdy.mesh @mesh = {mesh}\nfunc.func public @main(%a: {TYPE} {{sdy.sharding = #sdy.sharding<{of}>}}) -> {TYPE} {{\n{lines}  \
                 return {result} : {TYPE}\n}}\n"
            )
        };
        let gspmd = |of: &str, lines: &str, result: &str| {
            format!(
                "module @m attributes {{mhlo.num_partitions = 8 : i32}} {{\nfunc.func public @main(%a: {TYPE} {{mhlo.sharding = \"{of}\"}}) -> {TYPE} {{\n\
                 {lines}  return {result} : {TYPE}\n}}\n}}\n"
            )
        };
        const MESH: &str = "<[\"x\"=4, \"y\"=2]>";
        match self.example {
            Example::Sharding if self.written.starts_with('[') => {
                shardy(MESH, &format!("@mesh, {}", self.written), "", "%a")
            }
            Example::Sharding => shardy(MESH, self.written, "", "%a"),
            Example::Mesh(sharding) => {
                let mesh = self.written.split_once(" = ").map_or(self.written, |(_, mesh)| mesh);
                shardy(mesh, &format!("@mesh, {sharding}"), "", "%a")
            }
            Example::Tiles => gspmd(self.written, "", "%a"),
            Example::Lines { given, lines } => shardy(MESH, &format!("@mesh, {given}"), lines, "%r"),
            Example::Calls { given, lines } => gspmd(given, lines, "%r"),
            Example::Hlo(lines) => format!("HloModule m, num_partitions=8\n\nENTRY main {{\n{lines}}}\n"),
        }
    }

    /// The annotated value, as its module calls it.
    pub fn value(&self) -> &'static str {
        match self.example {
            Example::Sharding | Example::Mesh(_) | Example::Tiles => "%a",
            Example::Lines { .. } | Example::Calls { .. } | Example::Hlo(_) => "%r",
        }
    }
}

const fn sharding(written: &'static str, says: &'static str) -> AnnotationForm {
    AnnotationForm { written, says, example: Example::Sharding }
}

const fn tiles(written: &'static str, says: &'static str) -> AnnotationForm {
    AnnotationForm { written, says, example: Example::Tiles }
}

const fn lines(
    written: &'static str,
    says: &'static str,
    given: &'static str,
    lines: &'static str,
) -> AnnotationForm {
    AnnotationForm { written, says, example: Example::Lines { given, lines } }
}

/// All forms, by where they come from.
pub const ANNOTATIONS: &[AnnotationForms] = &[
    AnnotationForms {
        title: "Shardy's shardings",
        about: "As JAX writes them with `jax_use_shardy_partitioner`, the default today: `{sdy.sharding = #sdy.sharding<@mesh, ..>}` on a parameter or a result, \
                `#sdy.sharding_per_value<[..]>` on an op. The mesh is `sdy.mesh @mesh = <[\"x\"=4, \"y\"=2]>`, its major axis first.",
        forms: &[
            sharding(
                r#"[{"x"}, {}]"#,
                "dim 0 over `x`, dim 1 whole; both closed: completion splits them no further",
            ),
            sharding(
                r#"[{"x", ?}, {?}]"#,
                "the same, but both dims are open: completion may split them further",
            ),
            sharding(r#"[{"x", "y"}, {}]"#, "one dim over two axes, `x` the major one"),
            sharding(
                r#"[{"x":(1)2}, {"x":(2)2}]"#,
                "pieces of an axis: dim 0 over the first 2 parts of `x`, dim 1 over the 2 within each of them",
            ),
            sharding(r#"[{"x"}p1, {"y"}]"#, "`x` spreads after everything of priority 0"),
            sharding(r#"[{"x", ?}, {?}], replicated={"y"}"#, "never split over `y`"),
            sharding(r#"mesh<["x"=4, "y"=2]>, [{"x"}, {}]"#, "the mesh stands in the sharding"),
            AnnotationForm {
                written: r#"sdy.mesh @mesh = <["x"=4, "y"=2], device_ids=[7, 6, 5, 4, 3, 2, 1, 0]>"#,
                says: "another order of devices",
                example: Example::Mesh(r#"[{"x"}, {}]"#),
            },
            AnnotationForm {
                written: "sdy.mesh @mesh = <[], device_ids=[3]>",
                says: "on one device; every device computes it",
                example: Example::Mesh("[]"),
            },
        ],
    },
    AnnotationForms {
        title: "Shardy's ops",
        about: "Annotations within a program. `%a` is `f32[8,16]` on the same mesh.",
        forms: &[
            lines(
                "sdy.sharding_constraint",
                "a value is split so; what JAX's `with_sharding_constraint` becomes",
                "[{?}, {?}]",
                "  %r = sdy.sharding_constraint %a <@mesh, [{\"x\"}, {?}]> : tensor<8x16xf32>\n",
            ),
            lines(
                "sdy.sharding_group",
                "values of one number are split alike",
                "[{\"x\"}, {?}]",
                "  %r = stablehlo.constant dense<0.0> : tensor<8x16xf32>\n  sdy.sharding_group %a group_id=1 : tensor<8x16xf32>\n  sdy.sharding_group %r group_id=1 : tensor<8x16xf32>\n",
            ),
            lines(
                "sdy.manual_computation",
                "a region that sees a device's own pieces, over its manual axes; JAX's `shard_map`",
                "[{\"x\"}, {}]",
                "  %r = sdy.manual_computation(%a) in_shardings=[<@mesh, [{\"x\"}, {}]>] out_shardings=[<@mesh, [{\"x\"}, {}]>] manual_axes={\"x\"} (%p: tensor<2x16xf32>) {\n    %q = stablehlo.tanh %p : tensor<2x16xf32>\n    sdy.return %q : tensor<2x16xf32>\n  } : (tensor<8x16xf32>) -> tensor<8x16xf32>\n",
            ),
            lines(
                "sdy.named_computation",
                "a part with a name, and shardings at its edges",
                "[{?}, {?}]",
                "  %r = sdy.named_computation<\"block\">(%a) in_shardings=[<@mesh, [{\"x\", ?}, {?}]>] out_shardings=[<@mesh, [{?}, {\"y\"}]>] (%p: tensor<8x16xf32>) {\n    %q = stablehlo.tanh %p : tensor<8x16xf32>\n    sdy.return %q : tensor<8x16xf32>\n  } : (tensor<8x16xf32>) -> tensor<8x16xf32>\n",
            ),
            lines(
                "sdy.propagation_barrier",
                "lets nothing through: here the result stays whole",
                "[{\"x\"}, {}]",
                "  %r = sdy.propagation_barrier %a allowed_direction=NONE : tensor<8x16xf32>\n",
            ),
            lines(
                "sdy.reshard",
                "a change of sharding that stays where it is",
                "[{\"x\"}, {}]",
                "  %r = sdy.reshard %a <@mesh, [{}, {\"y\"}]> : tensor<8x16xf32>\n",
            ),
            lines(
                "sdy.all_gather",
                "a reshard whose step is said: axes go from dims",
                "[{\"x\"}, {}]",
                "  %r = sdy.all_gather [{\"x\"}, {}] %a out_sharding=<@mesh, [{}, {}]> : tensor<8x16xf32>\n",
            ),
            lines(
                "sdy.all_slice",
                "the same: axes come to dims, each device keeps its part",
                "[{}, {}]",
                "  %r = sdy.all_slice [{\"x\"}, {}] %a out_sharding=<@mesh, [{\"x\"}, {}]> : tensor<8x16xf32>\n",
            ),
            lines(
                "sdy.all_to_all",
                "the same: axes go from one dim to another",
                "[{\"x\"}, {}]",
                "  %r = sdy.all_to_all [{\"x\"}: 0->1] %a out_sharding=<@mesh, [{}, {\"x\"}]> : tensor<8x16xf32>\n",
            ),
            lines(
                "sdy.collective_permute",
                "the same: as many tiles over other axes",
                "[{\"x\":(1)2}, {}]",
                "  %r = sdy.collective_permute %a out_sharding=<@mesh, [{\"y\"}, {}]> : tensor<8x16xf32>\n",
            ),
            lines(
                "sdy.all_reduce",
                "the same: a sum over axes is finished",
                "[{}, {}], unreduced={\"y\"}",
                "  %r = sdy.all_reduce {\"y\"} %a out_sharding=<@mesh, [{}, {}]> : tensor<8x16xf32>\n",
            ),
            lines(
                "sdy.reduce_scatter",
                "the same, and split over these axes",
                "[{}, {}], unreduced={\"x\"}",
                "  %r = sdy.reduce_scatter [{\"x\"}, {}] %a out_sharding=<@mesh, [{\"x\"}, {}]> : tensor<8x16xf32>\n",
            ),
            lines(
                "sdy.replicated_to_unreduced",
                "the same: a whole value as a sum of which one device has all",
                "[{}, {}]",
                "  %r = sdy.replicated_to_unreduced {\"x\"} %a out_sharding=<@mesh, [{}, {}], unreduced={\"x\"}> : tensor<8x16xf32>\n",
            ),
        ],
    },
    AnnotationForms {
        title: "GSPMD's tiles",
        about: "As JAX wrote them before, in `mhlo.sharding`. Devices go by number; completion finds a mesh that all shardings of a module share.",
        forms: &[
            tiles("{devices=[4,2]<=[8]}", "tiles of the two dims, devices in order"),
            tiles("{devices=[2,4]<=[4,2]T(1,0)}", "the same devices, transposed"),
            tiles("{devices=[4,2]0,1,2,3,4,5,6,7}", "devices one by one"),
            tiles("{devices=[4,1,2]<=[8] last_tile_dim_replicate}", "each tile on two devices"),
            tiles(
                "{devices=[4,1,2]<=[8] last_tile_dims={replicated}}",
                "the same: what the last dims of the list are, `manual`, `replicated` or `unreduced`",
            ),
            tiles(
                "{devices=[4,2]<=[8] shard_as 1}",
                "values of one number are split alike; one may also say `shard_like 1`",
            ),
            tiles("{replicated}", "whole on every device"),
            tiles("{maximal device=3}", "on one device; every device computes it"),
            tiles("{unknown}", "nothing is said"),
            tiles("{mesh['x'=4,'y'=2], [{'x'}, {}]}", "by names of axes, as newer XLA writes"),
        ],
    },
    AnnotationForms {
        title: "GSPMD's calls",
        about: "Custom calls that annotate within a program.",
        forms: &[
            AnnotationForm {
                written: "@Sharding",
                says: "a value is split so; dims that `unspecified_dims=[..]` names are open",
                example: Example::Calls {
                    given: "{devices=[4,1,2]<=[8] last_tile_dim_replicate}",
                    lines: "  %r = stablehlo.custom_call @Sharding(%a) {backend_config = \"unspecified_dims=[1]\", mhlo.sharding = \"{devices=[4,1,2]<=[8] last_tile_dim_replicate}\"} : (tensor<8x16xf32>) -> tensor<8x16xf32>\n",
                },
            },
            AnnotationForm {
                written: "@SPMDFullToShardShape, @SPMDShardToFullShape",
                says: "into a part that sees a device's own pieces, and out of it; between the two stands `{manual}`, or `last_tile_dims={manual}`",
                example: Example::Calls {
                    given: "{devices=[8,1]<=[8]}",
                    lines: "  %i = stablehlo.custom_call @Sharding(%a) {mhlo.sharding = \"{devices=[8,1]<=[8]}\"} : (tensor<8x16xf32>) -> tensor<8x16xf32>\n  %l = stablehlo.custom_call @SPMDFullToShardShape(%i) {mhlo.sharding = \"{manual}\"} : (tensor<8x16xf32>) -> tensor<1x16xf32>\n  %t = stablehlo.tanh %l : tensor<1x16xf32>\n  %o = stablehlo.custom_call @Sharding(%t) {mhlo.sharding = \"{manual}\"} : (tensor<1x16xf32>) -> tensor<1x16xf32>\n  %r = stablehlo.custom_call @SPMDShardToFullShape(%o) {mhlo.sharding = \"{devices=[8,1]<=[8]}\"} : (tensor<1x16xf32>) -> tensor<8x16xf32>\n",
                },
            },
        ],
    },
    AnnotationForms {
        title: "HLO",
        about: "GSPMD's texts behind `sharding=`, in dumps of XLA.",
        forms: &[
            AnnotationForm {
                written: "f32[8,16] parameter(0), sharding={..}",
                says: "on a parameter",
                example: Example::Hlo(
                    "  a = f32[8,16] parameter(0), sharding={devices=[4,1,2]<=[8] last_tile_dim_replicate}\n  ROOT r = f32[8,16] tanh(a)\n",
                ),
            },
            AnnotationForm {
                written: "f32[8,16] tanh(a), sharding={..}",
                says: "on any instruction",
                example: Example::Hlo(
                    "  a = f32[8,16] parameter(0)\n  ROOT r = f32[8,16] tanh(a), sharding={devices=[4,2]<=[8]}\n",
                ),
            },
            AnnotationForm {
                written: "sharding={{replicated}, {devices=[8,1]<=[8]}}",
                says: "one in braces for each leaf of a tuple",
                example: Example::Hlo(
                    "  a = f32[8,16] parameter(0)\n  r = f32[8,16] tanh(a)\n  ROOT t = (f32[8,16], f32[8,16]) tuple(a, r), sharding={{replicated}, {devices=[8,1]<=[8]}}\n",
                ),
            },
            AnnotationForm {
                written: "custom-call(..), custom_call_target=\"Sharding\"",
                says: "within a program, with `backend_config=\"unspecified_dims=[..]\"` as above",
                example: Example::Hlo(
                    "  a = f32[8,16] parameter(0)\n  c = f32[8,16] custom-call(a), custom_call_target=\"Sharding\", sharding={devices=[4,1,2]<=[8] last_tile_dim_replicate}\n  ROOT r = f32[8,16] tanh(c)\n",
                ),
            },
        ],
    },
];

#[cfg(test)]
mod tests {
    use super::*;
    use meshwright_base::SourceText;

    #[test]
    fn every_form_is_read_and_its_module_has_it() {
        for form in ANNOTATIONS.iter().flat_map(|forms| forms.forms) {
            let module = form.module();
            let read = crate::parse(&SourceText::new("form", &*module));
            assert!(read.is_ok(), "{}: {:?}\n{module}", form.written, read.err());
            let is_there = form.written.split([',', ' ']).any(|word| module.contains(word));
            assert!(is_there, "{}: not in\n{module}", form.written);
        }
    }
}
