//! Copies and memsets.

use std::ops::Range;

/// One side of a copy.
#[derive(Clone, Debug)]
pub(crate) enum Side {
    /// Memory that stays valid until the copy is done; `tracked` if kernels may access it.
    Memory { engine: usize, address: u64, tracked: bool },
    /// Bytes that were read when the copy was submitted, since pageable memory is staged. Rows are packed.
    Staged(Vec<u8>),
}

/// The shape of a copy: rows of `width` bytes, `height` of them a slice, `depth` slices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Shape {
    pub(crate) width: usize,
    pub(crate) height: usize,
    pub(crate) depth: usize,
}

/// The distances in bytes between rows and between slices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Pitch {
    pub(crate) row: usize,
    pub(crate) slice: usize,
}

impl Shape {
    pub(crate) const fn line(bytes: usize) -> Self {
        Shape { width: bytes, height: 1, depth: 1 }
    }

    pub(crate) const fn is_empty(self) -> bool {
        self.width == 0 || self.height == 0 || self.depth == 0
    }

    /// Returns pitches without gaps.
    pub(crate) const fn packed(self) -> Pitch {
        Pitch { row: self.width, slice: self.width * self.height }
    }

    /// Returns the bytes from the first to the last one, including gaps; `None` if that overflows.
    pub(crate) fn span(self, pitch: Pitch) -> Option<usize> {
        if self.is_empty() {
            return Some(0);
        }
        (self.depth - 1)
            .checked_mul(pitch.slice)?
            .checked_add((self.height - 1).checked_mul(pitch.row)?)?
            .checked_add(self.width)
    }

    /// Returns the contiguous ranges of offsets, with neighbours merged.
    pub(crate) fn ranges(self, pitch: Pitch) -> Vec<Range<usize>> {
        let mut out: Vec<Range<usize>> = Vec::new();
        if self.is_empty() {
            return out;
        }
        for z in 0..self.depth {
            for y in 0..self.height {
                let start = z * pitch.slice + y * pitch.row;
                match out.last_mut() {
                    Some(last) if last.end == start => last.end = start + self.width,
                    _ => out.push(start..start + self.width),
                }
            }
        }
        out
    }
}

#[derive(Clone, Debug)]
pub(crate) struct Copy {
    pub(crate) shape: Shape,
    pub(crate) src: Side,
    pub(crate) src_pitch: Pitch,
    pub(crate) dst: Side,
    pub(crate) dst_pitch: Pitch,
}

impl Copy {
    /// Performs the copy.
    ///
    /// # Safety
    /// Both sides are valid for the shape at their pitches, and stay so during the call.
    pub(crate) unsafe fn run(&self) {
        if self.shape.is_empty() {
            return;
        }
        let src = match &self.src {
            Side::Memory { engine, .. } => *engine as *const u8,
            Side::Staged(bytes) => bytes.as_ptr(),
        };
        let Side::Memory { engine, .. } = self.dst else { return };
        let dst = engine as *mut u8;
        let packed = self.shape.packed();
        if self.src_pitch == packed && self.dst_pitch == packed {
            // SAFETY: the caller's promise; ranges may overlap, so this is a `memmove`.
            unsafe { std::ptr::copy(src, dst, packed.slice * self.shape.depth) };
            return;
        }
        for z in 0..self.shape.depth {
            for y in 0..self.shape.height {
                // SAFETY: the row lies within the shape's span on each side.
                unsafe {
                    std::ptr::copy(
                        src.add(z * self.src_pitch.slice + y * self.src_pitch.row),
                        dst.add(z * self.dst_pitch.slice + y * self.dst_pitch.row),
                        self.shape.width,
                    );
                }
            }
        }
    }

    /// Returns the tracked ranges that the copy reads (`false`) and writes (`true`), as device addresses.
    pub(crate) fn accesses(&self) -> Vec<(Range<u64>, bool)> {
        let mut out = Vec::new();
        for (side, pitch, write) in [(&self.src, self.src_pitch, false), (&self.dst, self.dst_pitch, true)] {
            if let Side::Memory { address, tracked: true, .. } = side {
                for range in self.shape.ranges(pitch) {
                    out.push((address + range.start as u64..address + range.end as u64, write));
                }
            }
        }
        out
    }
}

/// A memset, which repeats `element`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Fill {
    pub(crate) shape: Shape,
    pub(crate) pitch: Pitch,
    pub(crate) engine: usize,
    pub(crate) address: u64,
    /// The element, whose first `element_size` (1, 2 or 4) bytes are used.
    pub(crate) element: [u8; 4],
    pub(crate) element_size: usize,
}

impl Fill {
    /// Performs the memset.
    ///
    /// # Safety
    /// The memory is valid for the shape at its pitch, and stays so during the call.
    pub(crate) unsafe fn run(&self) {
        for range in self.shape.ranges(self.pitch) {
            let at = self.engine as *mut u8;
            // SAFETY: the range lies within the shape's span.
            unsafe {
                if self.element_size == 1 {
                    std::ptr::write_bytes(at.add(range.start), self.element[0], range.len());
                } else {
                    for (i, offset) in range.enumerate() {
                        at.add(offset).write(self.element[i % self.element_size]);
                    }
                }
            }
        }
    }

    pub(crate) fn accesses(&self) -> Vec<(Range<u64>, bool)> {
        self.shape
            .ranges(self.pitch)
            .into_iter()
            .map(|r| (self.address + r.start as u64..self.address + r.end as u64, true))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn memory(bytes: &mut [u8]) -> Side {
        Side::Memory { engine: bytes.as_mut_ptr() as usize, address: 0x1000, tracked: true }
    }

    #[test]
    fn rows_keep_their_gaps() {
        let (mut src, mut dst) = ((0u8..24).collect::<Vec<_>>(), vec![0xff; 20]);
        let copy = Copy {
            shape: Shape { width: 2, height: 2, depth: 2 },
            src: memory(&mut src),
            src_pitch: Pitch { row: 4, slice: 12 },
            dst: memory(&mut dst),
            dst_pitch: Pitch { row: 3, slice: 10 },
        };
        // SAFETY: the spans (18 and 15 bytes) lie in the vectors.
        unsafe { copy.run() };
        assert_eq!(dst[..6], [0, 1, 0xff, 4, 5, 0xff]);
        assert_eq!(dst[10..16], [12, 13, 0xff, 16, 17, 0xff]);
        assert_eq!(copy.shape.span(copy.src_pitch), Some(18));
        let writes: Vec<_> = copy.accesses().into_iter().filter(|a| a.1).map(|a| a.0).collect();
        assert_eq!(writes, [0x1000..0x1002, 0x1003..0x1005, 0x100a..0x100c, 0x100d..0x100f]);
    }

    #[test]
    fn packed_rows_are_one_access() {
        let shape = Shape { width: 8, height: 4, depth: 2 };
        assert_eq!(shape.ranges(shape.packed()), Vec::from([Range { start: 0, end: 64 }]));
        assert!(Shape { width: 0, height: 4, depth: 1 }.ranges(Pitch { row: 8, slice: 32 }).is_empty());
    }

    #[test]
    fn a_fill_repeats_its_element() {
        let mut bytes = [0u8; 12];
        let fill = Fill {
            shape: Shape { width: 4, height: 2, depth: 1 },
            pitch: Pitch { row: 6, slice: 12 },
            engine: bytes.as_mut_ptr() as usize,
            address: 0,
            element: [1, 2, 0, 0],
            element_size: 2,
        };
        // SAFETY: the span is 10 bytes.
        unsafe { fill.run() };
        assert_eq!(bytes, [1, 2, 1, 2, 0, 0, 1, 2, 1, 2, 0, 0]);
    }

    #[test]
    fn a_shape_that_overflows_has_no_span() {
        let shape = Shape { width: 8, height: usize::MAX, depth: 2 };
        assert_eq!(shape.span(Pitch { row: 16, slice: 16 }), None);
    }
}
