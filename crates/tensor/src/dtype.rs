//! Element types under the names Rust and the papers use, so that `t.input("x", f32, [B, D])` can be written.
//!
//! A constant may be called `f32`: values and types have different namespaces.

use meshwright_ir::DType;

macro_rules! names {
    ($($name:ident = $dtype:ident,)*) => {
        $(
            #[allow(non_upper_case_globals)]
            #[doc = concat!("The element type `", stringify!($name), "`.")]
            ///
            /// ```
            /// use meshwright_tensor::prelude::*;
            #[doc = concat!("let program = trace(\"f\", |t| t.input(\"x\", ", stringify!($name), ", [4]))?;")]
            /// # Ok::<(), Errors>(())
            /// ```
            pub const $name: DType = DType::$dtype;
        )*
    };
}

names! {
    pred = Pred,
    bool = Pred,
    i8 = S8,
    i16 = S16,
    i32 = S32,
    i64 = S64,
    u8 = U8,
    u16 = U16,
    u32 = U32,
    u64 = U64,
    f16 = F16,
    bf16 = BF16,
    f32 = F32,
    f64 = F64,
    f8e4m3fn = F8E4M3FN,
    f8e5m2 = F8E5M2,
    c64 = C64,
    c128 = C128,
}
