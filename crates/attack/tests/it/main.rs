//! The committed corpus of the fuzzer, replayed; seeds and their table.

mod corpus;
