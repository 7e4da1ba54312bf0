//! Spelling and size of types and state spaces.

use crate::ast::{ScalarType, Space};

macro_rules! scalar_types {
    ($($name:literal $variant:ident $bits:literal),* $(,)?) => {
        impl ScalarType {
            /// Returns the type that a modifier names, without its dot.
            pub fn from_name(name: &str) -> Option<ScalarType> {
                match name {
                    $($name => Some(ScalarType::$variant),)*
                    _ => None,
                }
            }

            /// Returns the spelling, without the dot.
            pub fn name(self) -> &'static str {
                match self {
                    $(ScalarType::$variant => $name,)*
                }
            }

            /// Returns the width in bits; 1 for predicates, 64 for opaque handles.
            pub fn bits(self) -> u32 {
                match self {
                    $(ScalarType::$variant => $bits,)*
                }
            }

            /// Every type, for tables and tests.
            pub const ALL: &'static [ScalarType] = &[$(ScalarType::$variant),*];
        }
    };
}

scalar_types! {
    "pred" Pred 1,
    "b1" B1 1,
    "b4" B4 4,
    "b8" B8 8,
    "b16" B16 16,
    "b32" B32 32,
    "b64" B64 64,
    "b128" B128 128,
    "u4" U4 4,
    "u8" U8 8,
    "u16" U16 16,
    "u32" U32 32,
    "u64" U64 64,
    "s4" S4 4,
    "s8" S8 8,
    "s16" S16 16,
    "s32" S32 32,
    "s64" S64 64,
    "f16" F16 16,
    "f16x2" F16x2 32,
    "bf16" Bf16 16,
    "bf16x2" Bf16x2 32,
    "tf32" Tf32 32,
    "f32" F32 32,
    "f32x2" F32x2 64,
    "f64" F64 64,
    "u16x2" U16x2 32,
    "s16x2" S16x2 32,
    "u8x4" U8x4 32,
    "s8x4" S8x4 32,
    "e4m3" E4m3 8,
    "e5m2" E5m2 8,
    "e2m1" E2m1 4,
    "e2m3" E2m3 6,
    "e3m2" E3m2 6,
    "ue8m0" Ue8m0 8,
    "ue4m3" Ue4m3 8,
    "e4m3x2" E4m3x2 16,
    "e5m2x2" E5m2x2 16,
    "e4m3x4" E4m3x4 32,
    "e5m2x4" E5m2x4 32,
    "e2m1x4" E2m1x4 16,
    "e2m3x4" E2m3x4 32,
    "e3m2x4" E3m2x4 32,
    "e2m1x2" E2m1x2 8,
    "e2m3x2" E2m3x2 16,
    "e3m2x2" E3m2x2 16,
    "ue8m0x2" Ue8m0x2 16,
    "s2f6x2" S2f6x2 16,
    "texref" Texref 64,
    "samplerref" Samplerref 64,
    "surfref" Surfref 64,
}

impl ScalarType {
    /// Returns the size in memory; sub-byte types and predicates occupy a byte.
    pub fn bytes(self) -> u32 {
        self.bits().div_ceil(8)
    }

    pub fn is_signed(self) -> bool {
        use ScalarType::*;
        matches!(self, S4 | S8 | S16 | S32 | S64 | S16x2 | S8x4)
    }

    pub fn is_unsigned(self) -> bool {
        use ScalarType::*;
        matches!(self, U4 | U8 | U16 | U32 | U64 | U16x2 | U8x4)
    }

    /// Returns whether the type is untyped bits (not a predicate).
    pub fn is_bits(self) -> bool {
        use ScalarType::*;
        matches!(self, B1 | B4 | B8 | B16 | B32 | B64 | B128)
    }

    /// Returns whether the type is a scalar or packed floating-point format.
    pub fn is_float(self) -> bool {
        !self.is_signed()
            && !self.is_unsigned()
            && !self.is_bits()
            && !matches!(
                self,
                ScalarType::Pred | ScalarType::Texref | ScalarType::Samplerref | ScalarType::Surfref
            )
    }
}

impl Space {
    /// Returns the space that a declaration's directive names, without its dot.
    pub fn from_name(name: &str) -> Option<Space> {
        Some(match name {
            "reg" => Space::Reg,
            "sreg" => Space::Sreg,
            "const" => Space::Const,
            "global" => Space::Global,
            "local" => Space::Local,
            "param" => Space::Param,
            "shared" | "shared::cta" => Space::Shared,
            "tex" => Space::Tex,
            _ => return None,
        })
    }

    pub fn name(self) -> &'static str {
        match self {
            Space::Reg => "reg",
            Space::Sreg => "sreg",
            Space::Const => "const",
            Space::Global => "global",
            Space::Local => "local",
            Space::Param => "param",
            Space::Shared => "shared",
            Space::Tex => "tex",
        }
    }
}

impl crate::ast::Variable {
    /// Returns the size in bytes (element times vector length times dimensions); 0 for `[]`, and `None` if it
    /// overflows.
    pub fn size(&self) -> Option<u64> {
        let element = u64::from(self.ty.bytes()) * u64::from(self.vector);
        self.dims.iter().try_fold(element, |size, dim| size.checked_mul(dim.unwrap_or(0)))
    }

    /// Returns the alignment in bytes: as declared, or natural (PTX §5.4.5: the element's size).
    pub fn alignment(&self) -> u32 {
        self.align.unwrap_or_else(|| (self.ty.bytes() * u32::from(self.vector)).max(1))
    }
}
