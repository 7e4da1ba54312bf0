//! Texture and surface objects that host code creates.

/// Encodes objects as the engine that runs the launches reads them: the bytes in device memory at an object's handle.
pub trait ObjectEncoding {
    fn texture(&self, texture: &Texture) -> Vec<u8>;
    fn surface(&self, surface: &Surface) -> Vec<u8>;
}

/// The treatment of coordinates outside a texture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Addressing {
    Wrap,
    Clamp,
    Mirror,
    Border,
}

/// The type of a channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChannelKind {
    Signed,
    Unsigned,
    Float,
}

/// A texture object.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Texture {
    /// The address of the first texel.
    pub base: u64,
    /// Bytes from one row to the next.
    pub row: u64,
    /// Bytes from one slice, layer or face to the next.
    pub slice: u64,
    /// The extents in texels; a missing extent is 0.
    pub extent: [u32; 3],
    pub channels: u8,
    /// Bits of a channel: 8, 16 or 32.
    pub bits: u8,
    pub kind: ChannelKind,
    pub addressing: [Addressing; 3],
    pub linear: bool,
    /// Whether integers are read as fractions of their largest value.
    pub normalized_float: bool,
    pub normalized_coordinates: bool,
    /// Whether the texture is linear memory.
    pub buffer: bool,
    pub border: [f32; 4],
}

impl Texture {
    /// Returns the bytes from the first texel to the end of the last one.
    pub(crate) fn span(&self) -> u64 {
        let texel = u64::from(self.channels) * u64::from(self.bits) / 8;
        let [width, height, depth] = self.extent;
        let last = |n: u32| u64::from(n.max(1) - 1);
        last(depth)
            .saturating_mul(self.slice)
            .saturating_add(last(height).saturating_mul(self.row))
            .saturating_add(u64::from(width) * texel)
    }
}

/// A surface object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Surface {
    /// The address of the first element.
    pub base: u64,
    /// Bytes from one row to the next.
    pub row: u64,
    /// Bytes from one slice, layer or face to the next.
    pub slice: u64,
    /// The extents in elements; a missing extent is 0.
    pub extent: [u32; 3],
    /// Bytes of an element.
    pub element: u32,
    /// Whether the slices are layers.
    pub layered: bool,
}

/// An encoding for programs without objects.
#[cfg(test)]
pub(crate) struct Unencoded;

#[cfg(test)]
impl ObjectEncoding for Unencoded {
    fn texture(&self, _: &Texture) -> Vec<u8> {
        unreachable!("no test creates a texture")
    }

    fn surface(&self, _: &Surface) -> Vec<u8> {
        unreachable!("no test creates a surface")
    }
}
