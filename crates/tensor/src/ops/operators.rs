//! `+ - * / % & | ^ !` and unary minus, on tensors, references to them, and numbers on either side.

use crate::arg::Arg;
use crate::ops::elementwise::{binary, unary};
use crate::tensor::Tensor;
use meshwright_ir::op::{BinaryOp, UnaryOp};
use std::ops::{Add, BitAnd, BitOr, BitXor, Div, Mul, Neg, Not, Rem, Sub};
use std::panic::Location;

macro_rules! operator {
    ($trait:ident $method:ident $op:ident: $($number:ty)*) => {
        impl<A: Into<Arg>> $trait<A> for Tensor {
            type Output = Tensor;
            #[track_caller]
            fn $method(self, other: A) -> Tensor {
                binary(BinaryOp::$op, self.into(), other.into(), Location::caller())
            }
        }

        impl<A: Into<Arg>> $trait<A> for &Tensor {
            type Output = Tensor;
            #[track_caller]
            fn $method(self, other: A) -> Tensor {
                binary(BinaryOp::$op, self.into(), other.into(), Location::caller())
            }
        }

        $(
            impl $trait<Tensor> for $number {
                type Output = Tensor;
                #[track_caller]
                fn $method(self, other: Tensor) -> Tensor {
                    binary(BinaryOp::$op, self.into(), other.into(), Location::caller())
                }
            }

            impl $trait<&Tensor> for $number {
                type Output = Tensor;
                #[track_caller]
                fn $method(self, other: &Tensor) -> Tensor {
                    binary(BinaryOp::$op, self.into(), other.into(), Location::caller())
                }
            }
        )*
    };
}

operator!(Add add Add: f32 f64 i32 i64);
operator!(Sub sub Subtract: f32 f64 i32 i64);
operator!(Mul mul Multiply: f32 f64 i32 i64);
operator!(Div div Divide: f32 f64 i32 i64);
operator!(Rem rem Remainder: f32 f64 i32 i64);
operator!(BitAnd bitand And:);
operator!(BitOr bitor Or:);
operator!(BitXor bitxor Xor:);

macro_rules! prefix {
    ($trait:ident $method:ident $op:ident) => {
        impl $trait for Tensor {
            type Output = Tensor;
            #[track_caller]
            fn $method(self) -> Tensor {
                unary(UnaryOp::$op, self, Location::caller())
            }
        }

        impl $trait for &Tensor {
            type Output = Tensor;
            #[track_caller]
            fn $method(self) -> Tensor {
                unary(UnaryOp::$op, *self, Location::caller())
            }
        }
    };
}

prefix!(Neg neg Negate);
prefix!(Not not Not);
