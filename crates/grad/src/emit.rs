//! How a tape writes: the words are [`Build`]'s.
//!
//! An op that does not fit its operands is a bug of ours: it is reported once and the transform fails.

use crate::codes::INTERNAL;
use crate::tape::Tape;
use meshwright_base::Diagnostic;
use meshwright_ir::op::Constant;
use meshwright_ir::{At, Build, Builder, Editor, Function, InferCx, InferError, Literal, Op, ValueId};

impl Build for Tape<'_> {
    fn func(&self) -> &Function {
        &self.func
    }

    fn builder(&mut self) -> Builder<'_> {
        let at = At::End(self.block());
        let cx = InferCx::of_meshes(&self.module.meshes);
        Builder::with(Editor::new(&mut self.func), at, self.source, cx)
    }

    fn misfit(&mut self, op: &Op, error: InferError) {
        let text = format!("the derivative made a wrong {}: {}", op.mnemonic(), error.message);
        let place = self.module.place(self.source);
        self.report(
            Diagnostic::error(INTERNAL, text).at_place(place).help("this is a bug: please report it"),
        );
    }

    /// One constant per block, type and number.
    fn constant(&mut self, literal: Literal) -> ValueId {
        if let Some(known) = self.known_splat(&literal) {
            return known;
        }
        let value = self.push(Op::Constant(Constant(literal.clone())), []);
        if literal.is_splat() {
            self.keep_splat(literal, value);
        }
        value
    }
}
