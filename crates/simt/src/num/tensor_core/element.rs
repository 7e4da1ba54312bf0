//! The types of factors and of their scales.

use crate::num::fp::{BF16, E4M3, E5M2, F16, F32, Format, Number};

/// The type of a factor's elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Element {
    F16,
    Bf16,
    Tf32,
    E4m3,
    E5m2,
    E2m3,
    E3m2,
    E2m1,
    S8,
    U8,
    /// An exponent of two, of a scale.
    Ue8m0,
    /// A positive `E4m3`, of a scale.
    Ue4m3,
}

/// Formats without infinities and NaN.
const E2M3: Format = Format { exp_bits: 2, man_bits: 3, max: 0x1f, has_inf: false, nan: 0 };
const E3M2: Format = Format { exp_bits: 3, man_bits: 2, max: 0x1f, has_inf: false, nan: 0 };
const E2M1: Format = Format { exp_bits: 2, man_bits: 1, max: 0x7, has_inf: false, nan: 0 };

impl Element {
    /// Returns the number of bits that an element has in memory.
    pub fn bits(self) -> usize {
        match self {
            Element::Tf32 => 32,
            Element::F16 | Element::Bf16 => 16,
            Element::E2m3 | Element::E3m2 => 6,
            Element::E2m1 => 4,
            _ => 8,
        }
    }

    /// Returns the value of an element's bits.
    pub fn value(self, bits: u32) -> f64 {
        let format = match self {
            Element::F16 => F16,
            Element::Bf16 => BF16,
            // The lower 13 bits are not read.
            Element::Tf32 => return value(F32, bits & !0x1fff),
            Element::E4m3 => E4M3,
            Element::E5m2 => E5M2,
            Element::E2m3 => E2M3,
            Element::E3m2 => E3M2,
            Element::E2m1 => E2M1,
            Element::S8 => return f64::from(bits as i8),
            Element::U8 => return f64::from(bits as u8),
            Element::Ue8m0 if bits == 0xff => return f64::NAN,
            Element::Ue8m0 => return 2f64.powi(bits as i32 - 127),
            Element::Ue4m3 => return value(E4M3, bits & 0x7f),
        };
        value(format, bits)
    }
}

fn value(format: Format, bits: u32) -> f64 {
    match format.unpack(bits.into()) {
        Number::Nan => f64::NAN,
        Number::Inf { neg } => {
            if neg {
                f64::NEG_INFINITY
            } else {
                f64::INFINITY
            }
        }
        Number::Finite(x) => {
            let magnitude = x.sig as f64 * 2f64.powi(x.exp);
            if x.neg { -magnitude } else { magnitude }
        }
    }
}
