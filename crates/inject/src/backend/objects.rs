//! Objects that kernels identify by a handle, described independently of a back end's layout.

/// The treatment of coordinates outside a texture. Wrapping and mirroring apply to normalised ones only.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Addressing {
    Wrap,
    Clamp,
    Mirror,
    Border,
}

/// The type of a channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ChannelKind {
    Signed,
    Unsigned,
    Float,
}

/// A texture object.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Texture {
    /// The address of the first texel.
    pub(crate) base: u64,
    /// Bytes between rows.
    pub(crate) row: u64,
    /// Bytes between slices, layers or faces.
    pub(crate) slice: u64,
    pub(crate) width: u32,
    pub(crate) height: u32,
    pub(crate) depth: u32,
    pub(crate) channels: u8,
    /// Bits of a channel: 8, 16 or 32.
    pub(crate) bits: u8,
    pub(crate) kind: ChannelKind,
    pub(crate) addressing: [Addressing; 3],
    pub(crate) linear: bool,
    /// Whether integers are read as fractions of their largest value.
    pub(crate) normalized_float: bool,
    pub(crate) normalized_coordinates: bool,
    /// Whether it is linear memory, whose texels outside read as zero.
    pub(crate) buffer: bool,
    pub(crate) border: [f32; 4],
}

impl Texture {
    /// Returns the bytes from the first texel to the end of the last one.
    pub(crate) fn span(&self) -> u64 {
        let last = |n: u32| u64::from(n.max(1) - 1);
        let texel = u64::from(self.channels) * u64::from(self.bits) / 8;
        last(self.depth)
            .saturating_mul(self.slice)
            .saturating_add(last(self.height).saturating_mul(self.row))
            .saturating_add(u64::from(self.width) * texel)
    }
}

/// A surface object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Surface {
    /// The address of the first element.
    pub(crate) base: u64,
    /// Bytes between rows.
    pub(crate) row: u64,
    /// Bytes between slices, layers or faces.
    pub(crate) slice: u64,
    /// The extents in elements; 0 for dimensions that it lacks.
    pub(crate) width: u32,
    pub(crate) height: u32,
    /// The number of slices, layers or faces.
    pub(crate) depth: u32,
    /// Bytes of an element.
    pub(crate) element: u32,
    /// Whether the slices are layers.
    pub(crate) layered: bool,
}
