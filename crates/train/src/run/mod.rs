//! A run: one configuration becomes programs, the programs are loaded on devices, and batches go through them.
//!
//! ```text
//! Config --plan--> model, table, mesh --programs--> first, step, evaluate, decode --load--> devices
//! batch -> step (values, gradients, optimizer and schedule in one program; states stay on the devices) -> metrics
//! ```
//!
//! Knows no engine: whoever starts a run gives it [`Host`], a set of devices and a way to gather what they hold. Prints
//! nothing: what happens is told to a [`Watch`].

mod answers;
mod claim;
mod decoding;
mod distill;
mod error;
mod evaluate;
mod examples;
mod figures;
mod generate;
mod held;
mod host;
mod layout;
mod load;
mod net;
mod pictures;
mod plan;
mod programs;
mod report;
mod restore;
mod run_dir;
mod samples;
mod saving;
mod shown;
mod snapshot;
mod state;
mod step;
mod taught;
mod trainer;
mod transcripts;
mod translation;
mod view;

pub use answers::{Answered, Peak, peaks, score};
pub use claim::Claim;
pub use decoding::{Decoder, Decoding, Framing, Hypothesis, Room, Search, TurnBytes};
pub use error::Error;
pub use evaluate::{Amount, Evaluation, OfPart, evaluate};
pub use examples::{Picture, Shown};
pub use figures::Figure;
pub use generate::{Foreteller, continued};
pub use host::Host;
pub use layout::Laid;
pub use load::{compile, compile_observed};
pub use meshwright_nn::models::decode::cache::CacheLayout;
pub use meshwright_nn::models::decode::greedy::NextToken;
pub use net::{Net, TextNet};
pub use pictures::check_pictures;
pub use plan::{TextPlan, TrainingPlan, group_size};
pub use programs::step as step_program;
pub use report::{CURVE, Sent, Setup, Told, curve, report};
pub use run_dir::{RunDir, Saved, find};
pub use samples::{Sample, summary};
pub use shown::looked_at;
pub use state::States;
pub use step::{Experts, Loads};
pub use trainer::{Ending, Facts, Outcome, Start, Watch, open_feed, open_source, train};
pub use translation::{Read, Scored, Translating, Translator, scored};
pub use view::{Seen, view};
