//! Pictures as SVG text.
//!
//! ```text
//! tensors     on their mesh: tiles, with the devices that hold each              tensor
//! op          before partitioning on whole tensors, and on one device            op
//! exchange    which elements each device has, gets of others, and masks          halo
//! pipelines   what each stage does in time                                       pipeline
//! ```
//!
//! What is drawn is handed over as plain facts; this crate knows meshes and shardings, and neither modules nor files. A
//! picture is a [`Scene`](scene::Scene) of rectangles, texts, lines and arrows that grows with what is put into it.
//! Devices have the colors of their places on the mesh ([`palette`]), the same in every picture. A picture has its own
//! ground and follows the reader's choice of light or dark. The same facts give the same bytes.

#![forbid(unsafe_code)]

pub mod halo;
pub mod op;
pub mod palette;
pub mod pipeline;
pub mod scene;
pub mod tensor;

pub use halo::{Exchanged, halo};
pub use op::{Edge, OpDrawn, Sent, op};
pub use pipeline::{PipelineDrawn, Task, TaskKind, pipelines};
pub use tensor::{TensorDrawn, tensors};
