//! What is written is read back. That code computes what tiles do is tested where tiles are, in `kernels`.

mod decoded;
