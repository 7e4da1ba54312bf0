//! Textures and surfaces, which kernels name by handles. Their texels and elements lie in memory of the file,
//! in rows and slices.

use serde::{Deserialize, Serialize};

/// A handle and the image that it names.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Object {
    pub handle: u64,
    pub image: Image,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Image {
    Texture(Texture),
    Surface(Surface),
}

/// The addresses of an image's texels or elements, and its extents.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Layout {
    /// The address of the first texel or element.
    pub base: u64,
    /// Bytes from one row to the next.
    pub row: u64,
    /// Bytes from one slice, layer or face to the next.
    pub slice: u64,
    pub width: u32,
    /// The number of rows; 0 for an image of one dimension.
    pub height: u32,
    /// The number of slices, layers or faces; 0 if the image has none.
    pub depth: u32,
}

impl Layout {
    /// Returns the bytes from the first element to the end of the last, each of `each` bytes; `None` if that
    /// overflows.
    pub fn span(&self, each: u32) -> Option<u64> {
        let last = |n: u32| u64::from(n.max(1) - 1);
        let row = u64::from(self.width) * u64::from(each);
        last(self.depth)
            .checked_mul(self.slice)?
            .checked_add(last(self.height).checked_mul(self.row)?)?
            .checked_add(row)
    }
}

/// The treatment of coordinates outside a texture.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Addressing {
    Wrap,
    Clamp,
    Mirror,
    Border,
}

/// The type of a channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Channel {
    Signed,
    Unsigned,
    Float,
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Texture {
    pub layout: Layout,
    pub channels: u8,
    /// Bits of a channel: 8, 16 or 32.
    pub bits: u8,
    pub channel: Channel,
    pub addressing: [Addressing; 3],
    pub linear: bool,
    /// Integers are read as fractions of their largest value.
    pub normalized_float: bool,
    pub normalized_coordinates: bool,
    /// The texture is linear memory: texels outside read as zero.
    pub buffer: bool,
    pub border: [f32; 4],
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Surface {
    pub layout: Layout,
    /// Bytes of an element.
    pub element: u32,
    /// Whether the slices are layers.
    pub layered: bool,
}

impl Object {
    /// Returns the address and the length of the object's memory; `None` if its description is invalid.
    pub fn memory(&self) -> Option<(u64, u64)> {
        let (layout, each) = match &self.image {
            Image::Texture(Texture { layout, channels, bits, .. }) => {
                let known = matches!(channels, 1 | 2 | 4) && matches!(bits, 8 | 16 | 32);
                (layout, known.then_some(u32::from(*channels) * u32::from(*bits) / 8)?)
            }
            Image::Surface(Surface { layout, element, .. }) => {
                (layout, Some(*element).filter(|element| matches!(element, 1 | 2 | 4 | 8 | 16))?)
            }
        };
        Some((layout.base, layout.span(each).filter(|bytes| *bytes > 0)?))
    }
}
