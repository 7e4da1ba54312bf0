//! The elements that a tensor copy moves: the lines of a box, with their global addresses (PTX §5.5.3, §5.5.4).

use kernels::tensor_map::{Im2col, TensorMap};
use ptx::ast::ScalarType;

/// One line of a box: elements that are adjacent in dimension 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Line {
    /// The global address of the first element inside of the tensor.
    pub address: u64,
    /// The bytes of the line that are before that element.
    pub before: u32,
    /// The bytes of the line inside of the tensor; 0 if none is.
    pub inside: u32,
}

/// The lines of a box, in the order in which shared memory holds them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Lines {
    pub lines: Vec<Line>,
    /// The bytes of a whole line.
    pub pitch: u32,
}

impl Lines {
    /// Returns the lines of a box at some coordinates; `offsets` are those of `.im2col`.
    pub(crate) fn of(map: &TensorMap, at: &[i32; 5], offsets: &[u16; 3]) -> Lines {
        match &map.im2col {
            Some(im2col) => Lines::of_pixels(map, im2col, at, offsets),
            None => Lines::of_tile(map, at),
        }
    }

    /// Returns four lines: of a column, and of four rows (PTX §5.5.3.4).
    pub(crate) fn of_rows(map: &TensorMap, &[column, rows @ ..]: &[i32; 5]) -> Lines {
        let line = |row: i32| line(map, column, map.boxed[0], |_| row.into());
        Lines { lines: rows.map(line).to_vec(), pitch: map.boxed[0] * map.element.bytes() }
    }

    /// Returns the bytes that the box occupies in shared memory.
    pub(crate) fn bytes(&self) -> u32 {
        self.lines.len() as u32 * self.pitch
    }

    fn of_tile(map: &TensorMap, at: &[i32; 5]) -> Lines {
        let rank = map.rank as usize;
        let count = |i: usize| if i < rank { map.boxed[i].div_ceil(map.steps[i]) } else { 1 };
        let counts: [u32; 5] = std::array::from_fn(count);
        let mut lines = Vec::with_capacity(counts[1..].iter().product::<u32>() as usize);
        let mut index = [0u32; 5];
        loop {
            let position = |i: usize| i64::from(at[i]) + i64::from(index[i]) * i64::from(map.steps[i].max(1));
            lines.push(line(map, at[0], map.boxed[0], position));
            // The next line: an odometer over dimensions 1 to 4.
            let Some(next) = (1..5).find(|&i| index[i] + 1 < counts[i]) else { break };
            index[next] += 1;
            index[1..next].fill(0);
        }
        Lines { lines, pitch: map.boxed[0] * map.element.bytes() }
    }

    /// Walks over the pixels of the bounding box from the coordinates on.
    fn of_pixels(map: &TensorMap, im2col: &Im2col, at: &[i32; 5], offsets: &[u16; 3]) -> Lines {
        let spatial = map.rank as usize - 2;
        let mut pixel: [i64; 5] = at.map(i64::from);
        let mut lines = Vec::with_capacity(im2col.pixels.into());
        for _ in 0..im2col.pixels {
            let position = |i: usize| match i {
                1..=3 if i <= spatial => pixel[i] + i64::from(offsets[i - 1]),
                _ => pixel[i],
            };
            lines.push(line(map, at[0], im2col.channels.into(), position));
            for i in 1..=spatial {
                pixel[i] += i64::from(map.steps[i]);
                if pixel[i] < map.sizes[i] as i64 + i64::from(im2col.upper[i - 1]) {
                    break;
                }
                pixel[i] = im2col.lower[i - 1].into();
                if i == spatial {
                    pixel[spatial + 1] += 1;
                }
            }
        }
        Lines { lines, pitch: u32::from(im2col.channels) * map.element.bytes() }
    }

    /// Calls `f(address, bytes)` for all stretches of global memory, with adjacent lines as one.
    pub(crate) fn stretches(&self, mut f: impl FnMut(u64, u32)) {
        let mut last: Option<(u64, u32)> = None;
        for line in self.lines.iter().filter(|line| line.inside > 0) {
            last = match last {
                Some((address, bytes)) if address + u64::from(bytes) == line.address => {
                    Some((address, bytes + line.inside))
                }
                other => {
                    if let Some((address, bytes)) = other {
                        f(address, bytes);
                    }
                    Some((line.address, line.inside))
                }
            };
        }
        if let Some((address, bytes)) = last {
            f(address, bytes);
        }
    }
}

/// Returns the line of `length` elements from `first` on, at these positions in the other dimensions.
fn line(map: &TensorMap, first: i32, length: u32, position: impl Fn(usize) -> i64) -> Line {
    let element = u64::from(map.element.bytes());
    let (mut address, mut outside) = (map.address, false);
    for i in 1..map.rank as usize {
        let at = position(i);
        outside |= at < 0 || at as u64 >= map.sizes[i];
        address = address.wrapping_add((at as u64).wrapping_mul(map.strides[i - 1]));
    }
    let first = i64::from(first);
    let (low, high) = (first.max(0), (first + i64::from(length)).min(map.sizes[0] as i64));
    if outside || low >= high {
        return Line { address: 0, before: 0, inside: 0 };
    }
    Line {
        address: address.wrapping_add(low as u64 * element),
        before: ((low - first) as u64 * element) as u32,
        inside: ((high - low) as u64 * element) as u32,
    }
}

/// Returns the type by which a reduction treats the tensor's elements.
pub(crate) fn scalar(map: &TensorMap) -> ScalarType {
    use kernels::tensor_map::Element;
    match map.element {
        Element::U8 => ScalarType::U8,
        Element::U16 => ScalarType::U16,
        Element::U32 => ScalarType::U32,
        Element::S32 => ScalarType::S32,
        Element::U64 => ScalarType::U64,
        Element::S64 => ScalarType::S64,
        Element::F16 => ScalarType::F16,
        Element::Bf16 => ScalarType::Bf16,
        Element::F64 => ScalarType::F64,
        Element::F32 | Element::F32Ftz | Element::Tf32 | Element::Tf32Ftz => ScalarType::F32,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use kernels::tensor_map::{Element, Swizzle};

    fn map() -> TensorMap {
        TensorMap {
            rank: 2,
            element: Element::U16,
            interleave: 0,
            swizzle: Swizzle::None,
            nan: false,
            address: 0x1000,
            sizes: [20, 4, 1, 1, 1],
            strides: [48, 0, 0, 0],
            boxed: [8, 3, 1, 1, 1],
            steps: [1; 5],
            im2col: None,
        }
    }

    fn lines(map: &TensorMap, at: [i32; 5]) -> Vec<(u64, u32, u32)> {
        Lines::of(map, &at, &[0; 3]).lines.iter().map(|l| (l.address, l.before, l.inside)).collect()
    }

    #[test]
    fn a_tile_has_one_line_for_each_row() {
        assert_eq!(lines(&map(), [8, 1, 0, 0, 0]), [(0x1040, 0, 16), (0x1070, 0, 16), (0x10a0, 0, 16)]);
        assert_eq!(Lines::of(&map(), &[8, 1, 0, 0, 0], &[0; 3]).bytes(), 48);
    }

    #[test]
    fn what_is_outside_of_the_tensor_has_no_address() {
        assert_eq!(lines(&map(), [-3, -1, 0, 0, 0]), [(0, 0, 0), (0x1000, 6, 10), (0x1030, 6, 10)]);
        assert_eq!(lines(&map(), [16, 2, 0, 0, 0]), [(0x1080, 0, 8), (0x10b0, 0, 8), (0, 0, 0)]);
    }

    #[test]
    fn four_rows_may_be_in_any_order() {
        let one = TensorMap { boxed: [8, 1, 1, 1, 1], ..map() };
        let found = Lines::of_rows(&one, &[16, 3, 0, 4, 0]).lines;
        let found: Vec<_> = found.iter().map(|l| (l.address, l.inside)).collect();
        assert_eq!(found, [(0x10b0, 8), (0x1020, 8), (0, 0), (0x1020, 8)]);
    }

    #[test]
    fn traversal_strides_skip_rows() {
        let every_second = TensorMap { boxed: [8, 4, 1, 1, 1], steps: [1, 2, 1, 1, 1], ..map() };
        assert_eq!(lines(&every_second, [0, 1, 0, 0, 0]), [(0x1030, 0, 16), (0x1090, 0, 16)]);
    }

    #[test]
    fn pixels_wrap_at_the_bounding_box() {
        let im2col = Im2col { channels: 8, pixels: 5, lower: [-1, 0, 0], upper: [-1, 0, 0] };
        // Width 4 with 8 channels of 2 bytes; three images.
        let images = TensorMap {
            rank: 3,
            sizes: [8, 4, 3, 1, 1],
            strides: [16, 64, 0, 0],
            boxed: [0; 5],
            im2col: Some(im2col),
            ..map()
        };
        let found = Lines::of(&images, &[0, 1, 0, 0, 0], &[1, 0, 0]).lines;
        let found: Vec<_> = found.iter().map(|l| (l.address, l.inside)).collect();
        // Pixels 1, 2 of image 0, then -1, 0, 1 of image 1, each seen one pixel to the right.
        assert_eq!(found, [(0x1020, 16), (0x1030, 16), (0x1040, 16), (0x1050, 16), (0x1060, 16)]);
    }

    #[test]
    fn adjacent_lines_are_one_stretch() {
        let dense = TensorMap { sizes: [8, 9, 1, 1, 1], strides: [16, 0, 0, 0], ..map() };
        let mut found = Vec::new();
        Lines::of(&dense, &[0, 2, 0, 0, 0], &[0; 3]).stretches(|address, bytes| found.push((address, bytes)));
        assert_eq!(found, [(0x1020, 48)]);
    }
}
