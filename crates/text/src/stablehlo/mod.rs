//! The text form of StableHLO, with the Shardy dialect and `mhlo` annotations.
