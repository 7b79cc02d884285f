//! Every op, and what is expected of its derivative.
