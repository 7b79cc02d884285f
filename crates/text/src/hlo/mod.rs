//! The text form of XLA's HLO.
