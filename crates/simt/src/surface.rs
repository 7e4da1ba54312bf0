//! Surface objects: their representation in memory, and the addresses of accesses (PTX §9.7.12).
//!
//! As with textures, a surface object's handle is the address of a [`Surface`] in global memory.

use ptx::op::{Boundary, SurfaceQuery, TexGeometry};

/// A surface object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Surface {
    /// The address of the first element.
    pub base: u64,
    /// Bytes from one row to the next.
    pub row: u64,
    /// Bytes from one slice, layer or face to the next.
    pub slice: u64,
    /// The width in elements; extents that the surface does not have are 0.
    pub width: u32,
    pub height: u32,
    /// The number of slices, layers or faces.
    pub depth: u32,
    /// Bytes of an element.
    pub element: u32,
    /// Whether the slices are layers.
    pub layered: bool,
}

const MAGIC: u64 = 0x7761_7270_7375_7266;

/// The location of an access.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// The offset in bytes from the surface's start.
    At(u64),
    /// The access is dropped; a load returns zero.
    Nowhere,
    Trap,
}

impl Surface {
    /// Bytes of a surface object in memory.
    pub const BYTES: usize = 56;

    /// Returns the bytes in memory at the object's handle.
    pub fn encode(&self) -> [u8; Self::BYTES] {
        let mut out = [0; Self::BYTES];
        let size = |low: u32, high: u32| u64::from(high) << 32 | u64::from(low);
        let words = [
            MAGIC,
            self.base,
            self.row,
            self.slice,
            size(self.width, self.height),
            size(self.depth, self.element),
            self.layered.into(),
        ];
        for (place, word) in out.chunks_exact_mut(8).zip(words) {
            place.copy_from_slice(&word.to_le_bytes());
        }
        out
    }

    /// Decodes the bytes at a handle; `None` if they are not a surface object.
    pub fn decode(bytes: &[u8; Self::BYTES]) -> Option<Surface> {
        let (chunks, _) = bytes.as_chunks::<8>();
        let [magic, base, row, slice, size, more, layered] =
            <[_; 7]>::try_from(chunks).ok()?.map(u64::from_le_bytes);
        (magic == MAGIC).then_some(Surface {
            base,
            row,
            slice,
            width: size as u32,
            height: (size >> 32) as u32,
            depth: more as u32,
            element: (more >> 32) as u32,
            layered: layered != 0,
        })
    }

    /// Returns the location of `bytes` bytes at raw coordinates.
    pub(crate) fn place(
        &self,
        geometry: TexGeometry,
        boundary: Boundary,
        raw: [u32; 4],
        bytes: u64,
    ) -> Place {
        // The layer is unsigned, the coordinates are signed.
        let [x, y, z] = match geometry {
            TexGeometry::D1 => [signed(raw[0]), 0, 0],
            TexGeometry::D2 => [signed(raw[0]), signed(raw[1]), 0],
            TexGeometry::A1 => [signed(raw[1]), 0, raw[0].into()],
            TexGeometry::A2 => [signed(raw[1]), signed(raw[2]), raw[0].into()],
            TexGeometry::D3 | TexGeometry::Cube => [signed(raw[0]), signed(raw[1]), signed(raw[2])],
        };
        let row = i64::from(self.width) * i64::from(self.element);
        let last = [row - bytes as i64, i64::from(self.height.max(1)) - 1, i64::from(self.depth.max(1)) - 1];
        let at = [x, y, z];
        let inside = at.iter().zip(last).all(|(&at, last)| (0..=last).contains(&at));
        let [x, y, z] = match boundary {
            _ if inside => at,
            // The surface is narrower than the access.
            Boundary::Clamp if last[0] < 0 => return Place::Nowhere,
            Boundary::Clamp => [0, 1, 2].map(|d| at[d].clamp(0, last[d])),
            Boundary::Zero => return Place::Nowhere,
            Boundary::Trap => return Place::Trap,
        };
        Place::At(x as u64 + y as u64 * self.row + z as u64 * self.slice)
    }

    pub(crate) fn query(&self, query: SurfaceQuery) -> u32 {
        match query {
            SurfaceQuery::Width => self.width,
            SurfaceQuery::Height => self.height,
            SurfaceQuery::Depth if self.layered => 0,
            SurfaceQuery::Depth => self.depth,
            SurfaceQuery::ArraySize if self.layered => self.depth,
            // Arrays have an undocumented layout on real GPUs.
            SurfaceQuery::ArraySize | SurfaceQuery::MemoryLayout => 0,
        }
    }
}

fn signed(raw: u32) -> i64 {
    (raw as i32).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    const SURFACE: Surface = Surface {
        base: 512,
        row: 64,
        slice: 256,
        width: 10,
        height: 4,
        depth: 3,
        element: 4,
        layered: false,
    };

    #[test]
    fn an_object_survives_memory() {
        let layered = Surface { layered: true, ..SURFACE };
        assert_eq!(Surface::decode(&layered.encode()), Some(layered));
        assert_eq!(Surface::decode(&[0; Surface::BYTES]), None);
    }

    #[test]
    fn the_first_coordinate_is_in_bytes_and_layers_come_first() {
        let at = |geometry, raw| SURFACE.place(geometry, Boundary::Trap, raw, 4);
        assert_eq!(at(TexGeometry::D1, [36, 9, 9, 9]), Place::At(36));
        assert_eq!(at(TexGeometry::D2, [8, 3, 9, 9]), Place::At(3 * 64 + 8));
        assert_eq!(at(TexGeometry::D3, [8, 1, 2, 9]), Place::At(2 * 256 + 64 + 8));
        assert_eq!(at(TexGeometry::A1, [2, 4, 9, 9]), Place::At(2 * 256 + 4));
        assert_eq!(at(TexGeometry::A2, [1, 4, 3, 9]), Place::At(256 + 3 * 64 + 4));
    }

    #[test]
    fn boundaries_are_those_of_whole_accesses() {
        let at = |boundary, x: i32, y: i32| {
            SURFACE.place(TexGeometry::D2, boundary, [x as u32, y as u32, 0, 0], 8)
        };
        assert_eq!(at(Boundary::Trap, 32, 0), Place::At(32));
        assert_eq!(at(Boundary::Trap, 36, 0), Place::Trap);
        assert_eq!(at(Boundary::Zero, -4, 0), Place::Nowhere);
        assert_eq!(at(Boundary::Zero, 0, 4), Place::Nowhere);
        assert_eq!(at(Boundary::Clamp, 99, -7), Place::At(32));
        assert_eq!(at(Boundary::Clamp, -1, 99), Place::At(3 * 64));
        let narrow = Surface { width: 1, ..SURFACE };
        assert_eq!(narrow.place(TexGeometry::D1, Boundary::Clamp, [0; 4], 8), Place::Nowhere);
    }
}
