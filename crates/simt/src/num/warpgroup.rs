//! Matrix descriptors and the tiles of shared memory that they describe (PTX §9.7.15.5.1, §9.7.17.4.1).
//!
//! A row of a tile, of A or of B transposed, has 32 bytes of factors: two chunks of 16 bytes. A tile is in shared
//! memory row by row (*K-major*), or column by column (*MN-major*), which `wgmma` allows for 16-bit factors.

use kernels::tensor_map::Swizzle;
use std::cell::RefCell;
use std::ops::Range;
use std::rc::Rc;

/// The bytes of a chunk, which no swizzle divides.
const CHUNK: u32 = 16;

/// A matrix descriptor of `wgmma` or of `tcgen05`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Descriptor {
    start: u32,
    /// The leading and the stride dimension's byte offset.
    leading: u32,
    stride: u32,
    swizzle: Swizzle,
}

impl Descriptor {
    /// Returns the fields of a descriptor of `wgmma`; an error names what is not implemented.
    pub fn of(bits: u64) -> Result<Descriptor, &'static str> {
        if bits >> 49 & 7 != 0 {
            return Err("wgmma with a base offset in its matrix descriptor");
        }
        let swizzle = match bits >> 62 {
            0 => Swizzle::None,
            1 => Swizzle::B128,
            2 => Swizzle::B64,
            _ => Swizzle::B32,
        };
        Ok(Descriptor::fields(bits, swizzle))
    }

    /// Returns the fields of a descriptor of `tcgen05` (PTX §9.7.17.4.1); an error names what is not implemented.
    pub fn of_tensor_core(bits: u64) -> Result<Descriptor, &'static str> {
        if bits >> 49 & 7 != 0 {
            return Err("tcgen05 with a base offset in its matrix descriptor");
        }
        if bits >> 52 & 1 != 0 {
            return Err("tcgen05 with an absolute address in its matrix descriptor");
        }
        let swizzle = match bits >> 61 {
            0 => Swizzle::None,
            1 => Swizzle::B128By32,
            2 => Swizzle::B128,
            4 => Swizzle::B64,
            6 => Swizzle::B32,
            _ => return Err("tcgen05 with an unknown swizzling mode"),
        };
        Ok(Descriptor::fields(bits, swizzle))
    }

    fn fields(bits: u64, swizzle: Swizzle) -> Descriptor {
        let field = |at: u32| (bits >> at & 0x3fff) as u32 * CHUNK;
        Descriptor { start: field(0), leading: field(16), stride: field(32), swizzle }
    }

    /// Returns the number of chunks in a line of the swizzle's pattern.
    fn line(&self) -> u32 {
        self.swizzle.span().map_or(1, |bytes| bytes / CHUNK)
    }

    /// Returns the descriptor of the second 32 bytes of each row.
    pub fn second_half(&self, major: Major) -> Descriptor {
        let of_rows = match (major, self.swizzle) {
            (Major::K { .. }, Swizzle::None) => 2 * self.leading,
            (Major::K { .. }, Swizzle::B32) => self.leading,
            (Major::K { .. }, _) => 2 * CHUNK,
            (Major::Mn { bytes }, swizzle) => {
                let blocks = 2 * CHUNK / u32::from(bytes) / self.repeats();
                blocks * if swizzle == Swizzle::None { self.leading } else { self.stride }
            }
        };
        Descriptor { start: self.start + of_rows, ..*self }
    }

    /// Returns the number of columns of an MN-major tile behind which the swizzle's pattern repeats.
    fn repeats(&self) -> u32 {
        // Of units of 32 bytes behind four columns (PTX table 58).
        if self.swizzle == Swizzle::B128By32 { 4 } else { 8 }
    }

    /// Returns the address of a chunk of a row of a K-major tile.
    fn by_row(&self, row: u32, chunk: u32) -> u32 {
        let of_chunk = if self.swizzle == Swizzle::None { self.leading } else { CHUNK };
        let at = row % 8 * self.line() * CHUNK + row / 8 * self.stride + chunk * of_chunk;
        self.swizzle.place(self.start + at)
    }

    /// Returns the address of the `group`-th chunk of rows at a column of an MN-major tile.
    fn by_column(&self, group: u32, column: u32) -> u32 {
        let line = self.line();
        let (of_groups, of_columns) = match self.swizzle {
            Swizzle::None => (self.stride, self.leading),
            _ => (self.leading, self.stride),
        };
        let repeats = self.repeats();
        let rows = group % line * CHUNK + group / line * of_groups;
        let columns = column % repeats * line * CHUNK + column / repeats * of_columns;
        self.swizzle.place(self.start + rows + columns)
    }
}

/// The order of a tile's elements in shared memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Major {
    /// Row by row, of so many chunks.
    K { chunks: u8 },
    /// Column by column, of elements of so many bytes.
    Mn { bytes: u8 },
}

/// Rows of a matrix in shared memory.
#[derive(Debug)]
pub struct Tile {
    major: Major,
    rows: usize,
    /// Chunks: of each row one or two, or of each column one for every 16 bytes of rows.
    chunks: Vec<u32>,
    /// Stretches of shared memory: address and bytes, in order.
    pub runs: Vec<(u32, u32)>,
    /// The end of the last stretch.
    pub end: u32,
}

/// The tiles that are remembered.
const MOST: usize = 512;

type Known = Vec<((Descriptor, Major, Range<usize>), Rc<Tile>)>;

impl Tile {
    /// Returns the tile of some rows. The last tiles are remembered.
    pub fn of(descriptor: &Descriptor, major: Major, rows: Range<usize>) -> Rc<Tile> {
        thread_local! {
            static KNOWN: RefCell<rustc_hash::FxHashMap<u64, Known>> = RefCell::default();
        }
        let key = (*descriptor, major, rows.clone());
        let bucket = u64::from(descriptor.start) << 32 | rows.end as u64;
        KNOWN.with_borrow_mut(|known| {
            if known.len() > MOST {
                known.clear();
            }
            let known = known.entry(bucket).or_default();
            if let Some((_, tile)) = known.iter().find(|(k, _)| *k == key) {
                return Rc::clone(tile);
            }
            let tile = Rc::new(Tile::new(descriptor, major, rows));
            if known.len() > 16 {
                known.clear();
            }
            known.push((key, Rc::clone(&tile)));
            tile
        })
    }

    fn new(descriptor: &Descriptor, major: Major, rows: Range<usize>) -> Tile {
        let (first, last) = (rows.start as u32, rows.end as u32);
        let chunks: Vec<u32> = match major {
            Major::Mn { bytes } => {
                let each = CHUNK / u32::from(bytes);
                let groups = first / each..last / each;
                let columns = 0..2 * each;
                let of_column = |k| groups.clone().map(move |group| descriptor.by_column(group, k));
                columns.flat_map(of_column).collect()
            }
            Major::K { chunks } => (first..last)
                .flat_map(|row| (0..u32::from(chunks)).map(move |chunk| descriptor.by_row(row, chunk)))
                .collect(),
        };
        let mut sorted = chunks.clone();
        sorted.sort_unstable();
        sorted.dedup();
        let mut runs: Vec<(u32, u32)> = Vec::new();
        for address in sorted {
            match runs.last_mut() {
                Some((from, bytes)) if *from + *bytes == address => *bytes += CHUNK,
                _ => runs.push((address, CHUNK)),
            }
        }
        let end = runs.last().map_or(0, |(address, bytes)| address + bytes);
        Tile { major, rows: rows.len(), chunks, runs, end }
    }

    /// Returns the rows, of eight words each.
    ///
    /// # Safety
    /// `shared` is valid for [`Tile::end`] bytes.
    pub unsafe fn read(&self, shared: *const u8) -> Vec<[u32; 8]> {
        let mut rows = vec![[0u32; 8]; self.rows];
        let bytes = match self.major {
            Major::K { chunks } => {
                for (row, chunks) in rows.iter_mut().zip(self.chunks.chunks_exact(chunks.max(1).into())) {
                    for (half, &chunk) in chunks.iter().enumerate() {
                        // SAFETY: the caller's promise: every chunk ends before `end`.
                        let words = unsafe { shared.add(chunk as usize).cast::<[u32; 4]>().read_unaligned() };
                        row[4 * half..4 * half + 4].copy_from_slice(&words);
                    }
                }
                return rows;
            }
            Major::Mn { bytes } => usize::from(bytes),
        };
        let each = CHUNK as usize / bytes;
        let groups = self.rows / each;
        for (column, chunks) in self.chunks.chunks_exact(groups.max(1)).enumerate() {
            for (group, &chunk) in chunks.iter().enumerate() {
                // SAFETY: as in the other case.
                let elements = unsafe { shared.add(chunk as usize).cast::<[u8; 16]>().read_unaligned() };
                for (i, element) in elements.chunks_exact(bytes).enumerate() {
                    let mut word = [0; 4];
                    word[..bytes].copy_from_slice(element);
                    let at = column * bytes;
                    rows[each * group + i][at / 4] |= u32::from_le_bytes(word) << (8 * (at % 4));
                }
            }
        }
        rows
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn descriptor(layout: u64, start: u64, leading: u64, stride: u64) -> Descriptor {
        let bits = (layout << 62) | ((stride / 16) << 32) | ((leading / 16) << 16) | (start / 16);
        Descriptor::of(bits).unwrap()
    }

    #[test]
    fn rows_without_swizzle_are_in_blocks_of_eight() {
        let d = descriptor(0, 0x400, 128, 256);
        let tile = Tile::new(&d, Major::K { chunks: 2 }, 0..16);
        assert_eq!(tile.chunks[..4], [0x400, 0x480, 0x410, 0x490]);
        assert_eq!(tile.runs, [(0x400, 512)]);
    }

    #[test]
    fn a_slice_of_128_byte_rows_is_swizzled_by_its_address() {
        // The second 32 bytes of each row.
        let d = descriptor(1, 0x2000 + 32, 16, 1024);
        let tile = Tile::new(&d, Major::K { chunks: 2 }, 0..9);
        assert_eq!(tile.chunks[..4], [0x2020, 0x2030, 0x20b0, 0x20a0]);
        assert_eq!(tile.chunks[16..], [0x2420, 0x2430]);
        assert!(tile.runs.iter().all(|(_, bytes)| *bytes == 32));
    }

    #[test]
    fn columns_are_transposed() {
        let d = descriptor(1, 0, 4096, 1024);
        let tile = Tile::new(&d, Major::Mn { bytes: 2 }, 0..16);
        let mut shared = vec![0u8; tile.end as usize];
        // Row 9, column 3: the second chunk of the fourth line, swizzled.
        let at = Swizzle::B128.place(3 * 128 + 16) as usize + 2;
        shared[at..at + 2].copy_from_slice(&0x1234u16.to_le_bytes());
        // SAFETY: the memory has as many bytes.
        let rows = unsafe { tile.read(shared.as_ptr()) };
        assert_eq!(rows[9][1], 0x1234_0000);
    }
}
