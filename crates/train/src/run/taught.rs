//! Distillation: a model that also learns what another one finds likely (Switch 4.2).
//!
//! ```text
//! loss = (1 - share) * cross entropy with the text + share * T^2 * cross entropy with softmax(teacher / T)
//! ```
//!
//! Teacher and student are in one program: the teacher's weights are inputs of the step that stay on the devices, laid
//! out by the same table, and it reads the same batch. So nothing is cached, every mesh that trains the student takes
//! the teacher too, and a step costs the teacher's forward pass more. The teacher is as in evaluation: its capacity is
//! that of evaluation, and nothing in it is random.

use super::net::TextNet;
use meshwright_base::Diagnostic;
use meshwright_nn::models::step::{Field, Judged, Losses, Model, Soft, Training};
use meshwright_nn::params::{Params, Specs};
use meshwright_nn::tensor::prelude::*;

/// Under which the teacher's weights are inputs of a step.
pub const TEACHER: &str = "teacher";

/// Who teaches, and how much is learnt of it.
#[derive(Clone, Debug)]
pub struct Teacher {
    pub net: TextNet,
    pub share: f64,
    pub temperature: f64,
}

/// A student beside its teacher, as one model that is trained. It is no model for anything else.
#[derive(Clone)]
pub struct Taught {
    pub student: TextNet,
    pub teacher: Teacher,
    /// The teacher's weights in the program that is traced.
    pub weights: Option<Params>,
}

impl Model for Taught {
    fn check(&self, training: &Training) -> Result<(), Diagnostic> {
        self.teacher.net.check(training)?;
        self.student.check(training)
    }

    fn specs(&self) -> Specs {
        self.student.specs()
    }

    fn fields(&self, training: &Training) -> Vec<Field> {
        self.student.fields(training)
    }

    fn bound(&self, t: Trace, training: &Training) -> Self {
        let weights = self.teacher.net.specs().params(t, TEACHER, training.dtype);
        Taught { weights: Some(weights), ..self.clone() }
    }

    fn predicted(&self, batch: &Params) -> Tensor {
        self.student.predicted(batch)
    }

    fn losses(&self, p: &Params, batch: &Params, count: Tensor, key: Option<Key>) -> Losses {
        let teacher = &self.teacher;
        let soft = self.weights.as_ref().map(|weights| Soft {
            logits: teacher.net.asked(weights, batch),
            share: teacher.share,
            temperature: teacher.temperature,
        });
        self.student.losses_taught(p, batch, count, key, soft)
    }

    fn judged(&self, p: &Params, batch: &Params) -> Judged {
        self.student.judged(p, batch)
    }

    fn groups(&self) -> Option<i64> {
        self.student.groups().or(self.teacher.net.groups())
    }

    fn part(&self, n: i64) -> Self {
        let teacher = Teacher { net: self.teacher.net.part(n), ..self.teacher };
        Taught { student: self.student.part(n), teacher, weights: self.weights.clone() }
    }
}
