//! The types of a tensor's elements (PTX §5.5.1).

/// The type of a tensor's elements, in the order of `CUtensorMapDataType`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Element {
    U8,
    U16,
    U32,
    S32,
    U64,
    S64,
    F16,
    F32,
    F64,
    Bf16,
    F32Ftz,
    Tf32,
    Tf32Ftz,
    /// Elements of 4 bits.
    U4,
    /// Elements of 4 bits, which a load spreads: 16 of them over 16 bytes, of which the last 8 are padding.
    U4Padded,
    /// Elements of 6 bits. A load spreads 16 of them over 16 bytes, of which the last 4 are padding; a store takes each from the low
    /// bits of a byte (`.b6x16_p32` and `.b6p2x16` of PTX §5.5.1.1).
    U6Padded,
}

impl Element {
    pub(super) const ALL: [Element; 16] = [
        Element::U8,
        Element::U16,
        Element::U32,
        Element::S32,
        Element::U64,
        Element::S64,
        Element::F16,
        Element::F32,
        Element::F64,
        Element::Bf16,
        Element::F32Ftz,
        Element::Tf32,
        Element::Tf32Ftz,
        Element::U4,
        Element::U4Padded,
        Element::U6Padded,
    ];

    /// Returns the element type of a number of `CUtensorMapDataType`.
    pub fn of_driver(number: u32) -> Option<Element> {
        Element::ALL.get(number as usize).copied()
    }

    /// Returns the element type of an operand of `tensormap.replace.tile.elemtype` (PTX table 33).
    pub(super) fn of_ptx(number: u32) -> Option<Element> {
        use Element::{Bf16, F16, F32, F32Ftz, F64, S32, S64, Tf32, Tf32Ftz, U8, U16, U32, U64};
        let order = [U8, U16, U32, S32, U64, S64, F16, F32, F32Ftz, F64, Bf16, Tf32, Tf32Ftz];
        order.get(number as usize).copied().or_else(|| Element::of_driver(number))
    }

    /// Returns the size in global memory.
    pub fn bits(self) -> u32 {
        match self {
            Element::U4 | Element::U4Padded => 4,
            Element::U6Padded => 6,
            Element::U8 => 8,
            Element::U16 | Element::F16 | Element::Bf16 => 16,
            Element::U32
            | Element::S32
            | Element::F32
            | Element::F32Ftz
            | Element::Tf32
            | Element::Tf32Ftz => 32,
            Element::U64 | Element::S64 | Element::F64 => 64,
        }
    }

    /// Returns whether 16 elements are spread over 16 bytes of shared memory.
    pub fn is_padded(self) -> bool {
        matches!(self, Element::U4Padded | Element::U6Padded)
    }

    /// Returns the bytes that elements occupy in shared memory.
    pub fn in_shared(self, count: u32) -> u32 {
        if self.is_padded() { count } else { count * self.bits() / 8 }
    }

    pub fn is_float(self) -> bool {
        use Element::{S32, S64, U4, U4Padded, U6Padded, U8, U16, U32, U64};
        !matches!(self, U8 | U16 | U32 | S32 | U64 | S64 | U4 | U4Padded | U6Padded)
    }

    /// Returns the bits of `OOB-NaN`.
    pub fn nan(self) -> u64 {
        match self {
            Element::F16 => 0x7fff,
            Element::Bf16 => 0x7fff,
            Element::F64 => 0x7fff_ffff_ffff_ffff,
            _ => 0x7fff_ffff,
        }
    }
}
