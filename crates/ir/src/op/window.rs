//! Sliding windows: reduce_window and select_and_scatter.

/// A window along one dim, in HLO's words.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct WindowDim {
    pub size: i64,
    pub stride: i64,
    pub pad_low: i64,
    pub pad_high: i64,
    /// Distance between neighbouring elements of the input after dilation (1: none).
    pub base_dilation: i64,
    /// Distance between neighbouring elements of the window (1: none).
    pub window_dilation: i64,
    pub reversal: bool,
}

impl WindowDim {
    /// A window of one element that moves nothing.
    pub const TRIVIAL: WindowDim =
        WindowDim { size: 1, stride: 1, pad_low: 0, pad_high: 0, base_dilation: 1, window_dilation: 1, reversal: false };
}

/// Operands: n inputs, n initial values; one window entry per dim.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct ReduceWindow {
    pub window: Vec<WindowDim>,
}

/// `(operand, source, init)`; one window entry per dim, without dilation.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct SelectAndScatter {
    pub window: Vec<WindowDim>,
}
