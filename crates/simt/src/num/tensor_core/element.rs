//! The types of factors and of their scales.

use crate::num::fp::{BF16, E2M1, E2M3, E3M2, E4M3, E5M2, F16, F32, Format};

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
    let bits = u64::from(bits);
    let magnitude = bits & (format.sign() - 1);
    let value = if format.is_nan(bits) {
        f64::NAN
    } else if format.is_inf(bits) {
        f64::INFINITY
    } else {
        // The fields of a double with another bias, which a product corrects, exactly even for subnormals.
        let bias = (1 << (format.exp_bits - 1)) - 1;
        f64::from_bits(magnitude << (52 - format.man_bits)) * f64::from_bits((2046 - bias) << 52)
    };
    if bits & format.sign() == 0 { value } else { -value }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::num::fp::Number;

    #[test]
    fn values_are_those_of_the_formats() {
        for format in [F16, BF16, E4M3, E5M2, E2M3, E3M2, E2M1] {
            for bits in 0..2 * format.sign() {
                let found = value(format, bits as u32);
                match format.unpack(bits) {
                    Number::Nan => assert!(found.is_nan()),
                    Number::Inf { neg } => {
                        assert_eq!(found, if neg { -f64::INFINITY } else { f64::INFINITY })
                    }
                    Number::Finite(x) => {
                        let magnitude = x.sig as f64 * 2f64.powi(x.exp);
                        assert_eq!(found, if x.neg { -magnitude } else { magnitude });
                    }
                }
            }
        }
    }
}
