//! Tensor maps: the 128 bytes that describe a tensor to a tensor copy (PTX §5.5).
//!
//! The layout is opaque to programs, which make maps by `cuTensorMapEncode…` and change them by
//! `tensormap.replace` only. This one is warprace's own, little-endian:
//!
//! | bytes | content |
//! |---|---|
//! | 0..4 | [`MAGIC`] |
//! | 4 | rank - 1 |
//! | 5 | element type, by `CUtensorMapDataType` |
//! | 6 | interleave layout |
//! | 7 | swizzle mode, by `CUtensorMapSwizzle` |
//! | 8 | out-of-bound fill |
//! | 9 | im2col |
//! | 10..15 | traversal strides |
//! | 16..24 | global address |
//! | 24..44 | sizes of the dimensions, minus 1 |
//! | 44..64 | box (of `.tile`) |
//! | 64..96 | strides of dimensions 1 to 4, in bytes |
//! | 96..98, 98..100 | channels per pixel, pixels per column (of `.im2col`) |
//! | 100..106, 106..112 | lower and upper corner of the pixel box (of `.im2col`) |

mod described;

pub use described::{Described, Unfit};

use ptx::op::TensormapField;

/// The number of bytes of a map.
pub const BYTES: usize = 128;

const MAGIC: u32 = 0x7074_6d77;

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
}

impl Element {
    const ALL: [Element; 13] = [
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
    ];

    /// Returns the element type of a number of `CUtensorMapDataType`.
    pub fn of_driver(number: u32) -> Option<Element> {
        Element::ALL.get(number as usize).copied()
    }

    /// Returns the element type of an operand of `tensormap.replace.tile.elemtype` (PTX table 33).
    fn of_ptx(number: u32) -> Option<Element> {
        use Element::{Bf16, F16, F32, F32Ftz, F64, S32, S64, Tf32, Tf32Ftz, U8, U16, U32, U64};
        let order = [U8, U16, U32, S32, U64, S64, F16, F32, F32Ftz, F64, Bf16, Tf32, Tf32Ftz];
        order.get(number as usize).copied()
    }

    pub fn bytes(self) -> u32 {
        match self {
            Element::U8 => 1,
            Element::U16 | Element::F16 | Element::Bf16 => 2,
            Element::U32
            | Element::S32
            | Element::F32
            | Element::F32Ftz
            | Element::Tf32
            | Element::Tf32Ftz => 4,
            Element::U64 | Element::S64 | Element::F64 => 8,
        }
    }

    pub fn is_float(self) -> bool {
        !matches!(
            self,
            Element::U8 | Element::U16 | Element::U32 | Element::S32 | Element::U64 | Element::S64
        )
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

/// The permutation of 16-byte chunks in shared memory (PTX §5.5.7).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Swizzle {
    None,
    B32,
    B64,
    B128,
    /// 128 bytes in units of 32 bytes.
    B128By32,
    /// 128 bytes in units of 32 bytes, with halves of 16 bytes exchanged in odd lines.
    B128By32Flip,
    /// 128 bytes in units of 64 bytes.
    B128By64,
}

impl Swizzle {
    const ALL: [Swizzle; 7] = [
        Swizzle::None,
        Swizzle::B32,
        Swizzle::B64,
        Swizzle::B128,
        Swizzle::B128By32,
        Swizzle::B128By32Flip,
        Swizzle::B128By64,
    ];

    /// Returns the mode of a number of `CUtensorMapSwizzle`.
    pub fn of_driver(number: u32) -> Option<Swizzle> {
        Swizzle::ALL.get(number as usize).copied()
    }

    /// Returns how many bytes a line of the box may have; `None` if there is no limit.
    pub fn span(self) -> Option<u32> {
        match self {
            Swizzle::None => None,
            Swizzle::B32 => Some(32),
            Swizzle::B64 => Some(64),
            _ => Some(128),
        }
    }

    /// Returns the place of a byte of shared memory. The line of 128 bytes that an address is in chooses the
    /// permutation of its chunks, so that a pattern begins where the ISA's table says, wherever the box does.
    pub fn place(self, address: u32) -> u32 {
        let line = address >> 7;
        address
            ^ match self {
                Swizzle::None => 0,
                Swizzle::B32 => (line & 1) << 4,
                Swizzle::B64 => (line & 3) << 4,
                Swizzle::B128 => (line & 7) << 4,
                Swizzle::B128By32 => (line & 3) << 5,
                Swizzle::B128By32Flip => (line & 3) << 5 | (line & 1) << 3,
                Swizzle::B128By64 => (line & 1) << 6,
            }
    }

    /// Returns the number of bytes that stay together.
    pub fn unit(self) -> u32 {
        match self {
            Swizzle::B128By32 => 32,
            Swizzle::B128By32Flip => 8,
            Swizzle::B128By64 => 64,
            _ => 16,
        }
    }
}

/// The traversal of `.im2col` maps (PTX §5.5.4).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Im2col {
    pub channels: u16,
    pub pixels: u16,
    /// The corners of the bounding box in the spatial dimensions, the innermost first, relative to the
    /// tensor's own corners.
    pub lower: [i16; 3],
    pub upper: [i16; 3],
}

/// A tensor map.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TensorMap {
    pub rank: u32,
    pub element: Element,
    pub interleave: u8,
    pub swizzle: Swizzle,
    /// Whether elements outside of the tensor are NaN instead of zero.
    pub nan: bool,
    pub address: u64,
    /// Sizes in elements.
    pub sizes: [u64; 5],
    /// Strides of dimensions 1 to 4, in bytes.
    pub strides: [u64; 4],
    pub boxed: [u32; 5],
    /// Traversal strides in elements.
    pub steps: [u32; 5],
    pub im2col: Option<Im2col>,
}

impl TensorMap {
    pub fn encode(&self) -> [u8; BYTES] {
        let mut out = [0; BYTES];
        let mut put = |at: usize, bytes: &[u8]| out[at..at + bytes.len()].copy_from_slice(bytes);
        put(0, &MAGIC.to_le_bytes());
        let element = Element::ALL.iter().position(|&e| e == self.element).unwrap_or(0);
        let swizzle = Swizzle::ALL.iter().position(|&s| s == self.swizzle).unwrap_or(0);
        let rank = self.rank.wrapping_sub(1) as u8;
        put(4, &[rank, element as u8, self.interleave, swizzle as u8, u8::from(self.nan)]);
        put(9, &[u8::from(self.im2col.is_some())]);
        put(10, &self.steps.map(|step| step as u8));
        put(16, &self.address.to_le_bytes());
        for i in 0..5 {
            put(24 + 4 * i, &(self.sizes[i].wrapping_sub(1) as u32).to_le_bytes());
            put(44 + 4 * i, &self.boxed[i].to_le_bytes());
        }
        for i in 0..4 {
            put(64 + 8 * i, &self.strides[i].to_le_bytes());
        }
        if let Some(im2col) = self.im2col {
            put(96, &im2col.channels.to_le_bytes());
            put(98, &im2col.pixels.to_le_bytes());
            for i in 0..3 {
                put(100 + 2 * i, &im2col.lower[i].to_le_bytes());
                put(106 + 2 * i, &im2col.upper[i].to_le_bytes());
            }
        }
        out
    }

    /// Returns the map in some bytes; an error says what is wrong with them.
    pub fn decode(bytes: &[u8; BYTES]) -> Result<TensorMap, &'static str> {
        let word = |at: usize| u32::from_le_bytes(std::array::from_fn(|i| bytes[at + i]));
        let long = |at: usize| u64::from_le_bytes(std::array::from_fn(|i| bytes[at + i]));
        let half = |at: usize| u16::from_le_bytes([bytes[at], bytes[at + 1]]);
        if word(0) != MAGIC {
            return Err("no tensor map");
        }
        let map = TensorMap {
            rank: u32::from(bytes[4]) + 1,
            element: Element::of_driver(bytes[5].into()).ok_or("a tensor map with no such element type")?,
            interleave: bytes[6],
            swizzle: Swizzle::of_driver(bytes[7].into()).ok_or("a tensor map with no such swizzle mode")?,
            nan: bytes[8] != 0,
            address: long(16),
            sizes: std::array::from_fn(|i| u64::from(word(24 + 4 * i)) + 1),
            strides: std::array::from_fn(|i| long(64 + 8 * i)),
            boxed: std::array::from_fn(|i| word(44 + 4 * i)),
            steps: std::array::from_fn(|i| bytes[10 + i].into()),
            im2col: (bytes[9] != 0).then(|| Im2col {
                channels: half(96),
                pixels: half(98),
                lower: std::array::from_fn(|i| half(100 + 2 * i) as i16),
                upper: std::array::from_fn(|i| half(106 + 2 * i) as i16),
            }),
        };
        map.check()?;
        Ok(map)
    }

    /// Checks what `cuTensorMapEncodeTiled` and `…Im2col` require.
    pub fn check(&self) -> Result<(), &'static str> {
        let rank = self.rank as usize;
        let least = if self.im2col.is_some() || self.interleave != 0 { 3 } else { 1 };
        if !(least..=5).contains(&rank) {
            return Err("a tensor map of no such rank");
        }
        let align = if self.interleave == 2 { 32 } else { 16 };
        if !self.address.is_multiple_of(align) {
            return Err("a tensor map with a misaligned address");
        }
        if self.sizes[..rank].iter().any(|&size| size == 0 || size > 1 << 32) {
            return Err("a tensor map with a size of zero or above 2^32");
        }
        if self.strides[..rank - 1].iter().any(|&s| !s.is_multiple_of(align) || s >= 1 << 40) {
            return Err("a tensor map with strides that are no multiples of 16 bytes below 2^40");
        }
        if self.steps[..rank].iter().any(|step| !(1..=8).contains(step)) {
            return Err("a tensor map with a traversal stride of zero or above 8");
        }
        let inner = match self.im2col {
            Some(im2col) => {
                if !(1..=256).contains(&im2col.channels) || !(1..=1024).contains(&im2col.pixels) {
                    return Err("a tensor map with no such number of channels or pixels");
                }
                u32::from(im2col.channels)
            }
            None => {
                if self.boxed[..rank].iter().any(|size| !(1..=256).contains(size)) {
                    return Err("a tensor map with a box of zero or above 256");
                }
                self.boxed[0]
            }
        };
        let line = inner * self.element.bytes();
        if self.interleave == 0 && !line.is_multiple_of(16) {
            return Err("a tensor map whose box has lines of no multiple of 16 bytes");
        }
        if self.interleave == 0 && self.swizzle.span().is_some_and(|span| line > span) {
            return Err("a tensor map whose box has lines that are longer than the swizzle's span");
        }
        if self.nan && !self.element.is_float() {
            return Err("a tensor map that fills integers with NaN");
        }
        Ok(())
    }

    /// Replaces a field of an encoded map, by the numbers of `tensormap.replace` (PTX §9.7.9.26).
    pub fn replace(
        bytes: &mut [u8; BYTES],
        field: TensormapField,
        ordinal: usize,
        value: u64,
    ) -> Result<(), &'static str> {
        let mut put = |at: usize, new: &[u8]| bytes[at..at + new.len()].copy_from_slice(new);
        if ordinal > 4 {
            return Err("a dimension above 4");
        }
        match field {
            TensormapField::GlobalAddress => put(16, &value.to_le_bytes()),
            TensormapField::Rank => put(4, &[value as u8]),
            TensormapField::BoxDim => put(44 + 4 * ordinal, &(value as u32).to_le_bytes()),
            TensormapField::GlobalDim => {
                put(24 + 4 * ordinal, &(value as u32).wrapping_sub(1).to_le_bytes());
            }
            TensormapField::GlobalStride if ordinal < 4 => put(64 + 8 * ordinal, &value.to_le_bytes()),
            TensormapField::GlobalStride => return Err("a stride of a dimension above 4"),
            TensormapField::ElementStride => put(10 + ordinal, &[value as u8]),
            TensormapField::ElementType => {
                let element =
                    Element::of_ptx(value as u32).ok_or("an element type of other architectures")?;
                let number = Element::ALL.iter().position(|&e| e == element).unwrap_or(0);
                put(5, &[number as u8]);
            }
            TensormapField::Interleave => put(6, &[value as u8]),
            TensormapField::Swizzle if value > 3 => return Err("a swizzle mode of other architectures"),
            TensormapField::Swizzle => put(7, &[value as u8]),
            TensormapField::SwizzleAtomicity => match value {
                0 => {}
                _ => return Err("a swizzle atomicity of other architectures"),
            },
            TensormapField::Fill => put(8, &[value as u8]),
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matrix() -> TensorMap {
        TensorMap {
            rank: 2,
            element: Element::Bf16,
            interleave: 0,
            swizzle: Swizzle::B128,
            nan: false,
            address: 0x7000_0000_0040,
            sizes: [1 << 32, 77, 1, 1, 1],
            strides: [1 << 33, 0, 0, 0],
            boxed: [64, 128, 1, 1, 1],
            steps: [1; 5],
            im2col: None,
        }
    }

    #[test]
    fn a_map_is_what_was_encoded() {
        let map = matrix();
        assert_eq!(TensorMap::decode(&map.encode()), Ok(map));
        let corners = Im2col { channels: 64, pixels: 96, lower: [-1, -2, 3], upper: [1, 2, -3] };
        let map = TensorMap { rank: 4, im2col: Some(corners), boxed: [0; 5], sizes: [64, 9, 8, 7, 1], ..map };
        assert_eq!(TensorMap::decode(&map.encode()), Ok(map));
    }

    #[test]
    fn other_bytes_are_no_map() {
        assert_eq!(TensorMap::decode(&[0; BYTES]), Err("no tensor map"));
        let wide = TensorMap { boxed: [128, 1, 1, 1, 1], ..matrix() };
        assert!(TensorMap::decode(&wide.encode()).is_err(), "256 bytes in a swizzle of 128");
    }

    #[test]
    fn replaced_fields_are_the_numbers_of_ptx() {
        let mut bytes = matrix().encode();
        let mut set = |field, ordinal, value| TensorMap::replace(&mut bytes, field, ordinal, value);
        set(TensormapField::GlobalAddress, 0, 0x1000).unwrap();
        set(TensormapField::GlobalDim, 1, 5).unwrap();
        set(TensormapField::GlobalStride, 0, 256).unwrap();
        set(TensormapField::ElementType, 0, 10).unwrap();
        set(TensormapField::Swizzle, 0, 2).unwrap();
        set(TensormapField::BoxDim, 0, 32).unwrap();
        let map = TensorMap::decode(&bytes).unwrap();
        assert_eq!((map.address, map.sizes[1], map.strides[0]), (0x1000, 5, 256));
        assert_eq!((map.element, map.swizzle, map.boxed[0]), (Element::Bf16, Swizzle::B64, 32));
    }

    /// The second line of each table of §5.5.7.
    #[test]
    fn chunks_change_places_by_their_line() {
        let line = |swizzle: Swizzle, n: u32| -> Vec<u32> {
            (0..8).map(|chunk| (swizzle.place(128 * n + 16 * chunk) - 128 * n) / 16).collect()
        };
        assert_eq!(line(Swizzle::B32, 1), [1, 0, 3, 2, 5, 4, 7, 6]);
        assert_eq!(line(Swizzle::B64, 3), [3, 2, 1, 0, 7, 6, 5, 4]);
        assert_eq!(line(Swizzle::B128, 5), [5, 4, 7, 6, 1, 0, 3, 2]);
        assert_eq!(line(Swizzle::B128By32, 1), [2, 3, 0, 1, 6, 7, 4, 5]);
        assert_eq!(line(Swizzle::B128By64, 1), [4, 5, 6, 7, 0, 1, 2, 3]);
        assert_eq!(line(Swizzle::B32, 2), [0, 1, 2, 3, 4, 5, 6, 7]);
    }
}
