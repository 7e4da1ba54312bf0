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
//! | 7 | swizzle mode, by `tensormap.replace` |
//! | 8 | out-of-bound fill |
//! | 9 | mode: 0 for `.tile`, else 1 more than the [`Im2colMode`] |
//! | 10..15 | traversal strides |
//! | 15 | swizzle atomicity, by `tensormap.replace` |
//! | 16..24 | global address |
//! | 24..44 | sizes of the dimensions, minus 1 |
//! | 44..64 | box (of `.tile`) |
//! | 64..96 | strides of dimensions 1 to 4, in bytes |
//! | 96..98, 98..100 | channels per pixel, pixels per column (of `.im2col`) |
//! | 100..106, 106..112 | lower and upper corner of the pixel box (of `.im2col`) |

mod described;
mod element;
mod swizzle;

pub use described::{Described, Unfit};
pub use element::Element;
pub use swizzle::Swizzle;

use ptx::op::TensormapField;

/// The number of bytes of a map.
pub const BYTES: usize = 128;

const MAGIC: u32 = 0x7074_6d77;

/// The dimensions that a traversal of pixels walks over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Im2colMode {
    /// All spatial dimensions: `.im2col` (PTX §5.5.4).
    Whole,
    /// W alone: `.im2col::w` (PTX §5.5.5).
    W,
    /// W alone, 128 pixels: `.im2col::w::128`.
    W128,
}

impl Im2colMode {
    const ALL: [Im2colMode; 3] = [Im2colMode::Whole, Im2colMode::W, Im2colMode::W128];
}

/// The traversal of `.im2col` maps (PTX §5.5.4).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Im2col {
    pub mode: Im2colMode,
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
        let (swizzle, atomicity) = self.swizzle.numbers();
        let rank = self.rank.wrapping_sub(1) as u8;
        put(4, &[rank, element as u8, self.interleave, swizzle, u8::from(self.nan)]);
        let mode = self.im2col.and_then(|im2col| Im2colMode::ALL.iter().position(|&m| m == im2col.mode));
        put(9, &[mode.map_or(0, |mode| mode as u8 + 1)]);
        put(10, &self.steps.map(|step| step as u8));
        put(15, &[atomicity]);
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
        let mode = match usize::from(bytes[9]) {
            0 => None,
            n => Some(*Im2colMode::ALL.get(n - 1).ok_or("a tensor map of no such mode")?),
        };
        let map = TensorMap {
            rank: u32::from(bytes[4]) + 1,
            element: Element::of_driver(bytes[5].into()).ok_or("a tensor map with no such element type")?,
            interleave: bytes[6],
            swizzle: Swizzle::of_numbers(bytes[7], bytes[15])
                .ok_or("a tensor map with no such swizzle mode")?,
            nan: bytes[8] != 0,
            address: long(16),
            sizes: std::array::from_fn(|i| u64::from(word(24 + 4 * i)) + 1),
            strides: std::array::from_fn(|i| long(64 + 8 * i)),
            boxed: std::array::from_fn(|i| word(44 + 4 * i)),
            steps: std::array::from_fn(|i| bytes[10 + i].into()),
            im2col: mode.map(|mode| Im2col {
                mode,
                channels: half(96),
                pixels: half(98),
                lower: std::array::from_fn(|i| half(100 + 2 * i) as i16),
                upper: std::array::from_fn(|i| half(106 + 2 * i) as i16),
            }),
        };
        map.check()?;
        Ok(map)
    }

    /// Checks what `cuTensorMapEncodeTiled`, `…Im2col` and `…Im2colWide` require, and PTX §9.7.9.26.5.1 of narrow elements.
    pub fn check(&self) -> Result<(), &'static str> {
        let rank = self.rank as usize;
        let least = if self.im2col.is_some() || self.interleave != 0 { 3 } else { 1 };
        if !(least..=5).contains(&rank) {
            return Err("a tensor map of no such rank");
        }
        let align = if self.interleave == 2 || self.element.is_padded() { 32 } else { 16 };
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
        let inner = self.inner()?;
        let line = self.element.in_shared(inner);
        if !line.is_multiple_of(16) {
            return Err("a tensor map whose box has lines of no multiple of 16 bytes");
        }
        if self.interleave == 0 && self.swizzle.span().is_some_and(|span| line > span) {
            return Err("a tensor map whose box has lines that are longer than the swizzle's span");
        }
        if self.interleave == 2 && self.swizzle != Swizzle::B32 {
            return Err("a tensor map of an interleave of 32 bytes with another swizzle than of 32 bytes");
        }
        if self.nan && !self.element.is_float() {
            return Err("a tensor map that fills integers with NaN");
        }
        self.check_narrow(inner)
    }

    /// Returns the elements of a line of the box.
    fn inner(&self) -> Result<u32, &'static str> {
        let rank = self.rank as usize;
        match self.im2col {
            Some(im2col) => {
                if !(1..=256).contains(&im2col.channels) || !(1..=1024).contains(&im2col.pixels) {
                    return Err("a tensor map with no such number of channels or pixels");
                }
                let wide = im2col.mode != Im2colMode::Whole;
                if wide && self.interleave != 0 {
                    return Err("a tensor map of pixels along W with an interleaved layout");
                }
                if wide && matches!(self.swizzle, Swizzle::None | Swizzle::B128By32Flip)
                    || im2col.mode == Im2colMode::W128 && self.swizzle == Swizzle::B96
                {
                    return Err("a tensor map of pixels along W with no such swizzle mode");
                }
                Ok(im2col.channels.into())
            }
            None => {
                if self.boxed[..rank].iter().any(|size| !(1..=256).contains(size)) {
                    return Err("a tensor map with a box of zero or above 256");
                }
                Ok(self.boxed[0])
            }
        }
    }

    /// Checks what elements of less than a byte require.
    fn check_narrow(&self, inner: u32) -> Result<(), &'static str> {
        let multiple = match self.element {
            Element::U4 => 2,
            Element::U4Padded | Element::U6Padded => 128,
            _ => return Ok(()),
        };
        if !self.sizes[0].is_multiple_of(multiple) {
            return Err("a tensor map of 4-bit or 6-bit elements with no such size of dimension 0");
        }
        if self.element.is_padded() && inner != 128 {
            return Err("a tensor map of padded elements whose box has lines of other than 128 elements");
        }
        let swizzles = [Swizzle::None, Swizzle::B128, Swizzle::B128By32, Swizzle::B128By64];
        if self.element.is_padded() && !swizzles.contains(&self.swizzle) {
            return Err("a tensor map of padded elements with no such swizzle mode");
        }
        if self.element == Element::U6Padded && self.interleave != 0 {
            return Err("a tensor map of 6-bit elements with an interleaved layout");
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
                let element = Element::of_ptx(value as u32).ok_or("no such element type")?;
                let number = Element::ALL.iter().position(|&e| e == element).unwrap_or(0);
                put(5, &[number as u8]);
            }
            TensormapField::Interleave => put(6, &[value as u8]),
            TensormapField::Swizzle if value > 4 => return Err("no such swizzle mode"),
            TensormapField::Swizzle => put(7, &[value as u8]),
            TensormapField::SwizzleAtomicity if value > 3 => return Err("no such swizzle atomicity"),
            TensormapField::SwizzleAtomicity => put(15, &[value as u8]),
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
        let corners =
            Im2col { mode: Im2colMode::W, channels: 64, pixels: 96, lower: [-1, -2, 3], upper: [1, 2, -3] };
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
        let mut set = |field, value| TensorMap::replace(&mut bytes, field, 0, value);
        set(TensormapField::SwizzleAtomicity, 1).unwrap();
        set(TensormapField::Swizzle, 3).unwrap();
        assert_eq!(set(TensormapField::ElementType, 16), Err("no such element type"));
        assert_eq!(TensorMap::decode(&bytes).unwrap().swizzle, Swizzle::B128By32);
        let mut set = |field, value| TensorMap::replace(&mut bytes, field, 0, value);
        set(TensormapField::Swizzle, 4).unwrap();
        assert!(TensorMap::decode(&bytes).is_err(), "96 bytes in units of 32");
        TensorMap::replace(&mut bytes, TensormapField::SwizzleAtomicity, 0, 0).unwrap();
        assert_eq!(TensorMap::decode(&bytes).unwrap().swizzle, Swizzle::B96);
    }

    #[test]
    fn narrow_elements_have_requirements_of_their_own() {
        let narrow = TensorMap { element: Element::U4Padded, boxed: [128, 8, 1, 1, 1], ..matrix() };
        let narrow = TensorMap { address: 0x7000_0000_0020, ..narrow };
        assert_eq!(TensorMap::decode(&narrow.encode()), Ok(narrow));
        assert!(TensorMap { boxed: [64, 8, 1, 1, 1], ..narrow }.check().is_err());
        assert!(TensorMap { sizes: [192, 8, 1, 1, 1], ..narrow }.check().is_err());
        assert!(TensorMap { swizzle: Swizzle::B64, ..narrow }.check().is_err());
        assert!(TensorMap { address: 0x7000_0000_0010, ..narrow }.check().is_err());
        let packed = TensorMap { element: Element::U4, sizes: [192, 8, 1, 1, 1], ..narrow };
        assert_eq!(packed.check(), Ok(()));
        assert!(TensorMap { sizes: [191, 8, 1, 1, 1], ..packed }.check().is_err());
    }
}
