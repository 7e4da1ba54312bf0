//! Textures and surfaces, which kernels know by handles. Their texels and elements are memory of the file, in rows and slices.

use serde::{Deserialize, Serialize};

/// What a handle means.
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

/// Where texels or elements are, and how many.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Layout {
    /// Address of the first one.
    pub base: u64,
    /// Bytes from one row to the next.
    pub row: u64,
    /// Bytes from one slice, layer or face to the next.
    pub slice: u64,
    pub width: u32,
    /// What it does not have is 0.
    pub height: u32,
    /// Slices, layers or faces.
    pub depth: u32,
}

impl Layout {
    /// Bytes from the first one to the end of the last one, each of so many bytes; `None` if they would leave all address space.
    pub fn span(&self, each: u32) -> Option<u64> {
        let last = |n: u32| u64::from(n.max(1) - 1);
        let row = u64::from(self.width) * u64::from(each);
        last(self.depth)
            .checked_mul(self.slice)?
            .checked_add(last(self.height).checked_mul(self.row)?)?
            .checked_add(row)
    }
}

/// How coordinates outside of a texture are taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Addressing {
    Wrap,
    Clamp,
    Mirror,
    Border,
}

/// What a channel is.
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
    /// Of a channel: 8, 16 or 32.
    pub bits: u8,
    pub channel: Channel,
    pub addressing: [Addressing; 3],
    pub linear: bool,
    /// Integers are read as fractions of their largest value.
    pub normalized_float: bool,
    pub normalized_coordinates: bool,
    /// Linear memory: texels outside read as zero.
    pub buffer: bool,
    pub border: [f32; 4],
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Surface {
    pub layout: Layout,
    /// Bytes of an element.
    pub element: u32,
    /// Are the slices layers?
    pub layered: bool,
}

impl Object {
    /// The first address, and how many bytes; `None` if nothing can be like that.
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
