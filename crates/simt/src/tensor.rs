//! The elements that a tensor copy moves: the lines of a box, with their global addresses (PTX §5.5.3 to §5.5.5).

use crate::failure::FailureKind;
use kernels::tensor_map::{Element, Im2col, Im2colMode, Swizzle, TensorMap};
use ptx::ast::ScalarType;
use ptx::op::{TensorCopy, TensorMode, TensorWay};

/// One line of a box: elements that are adjacent in dimension 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Line {
    /// The global address of the first element inside of the tensor.
    pub address: u64,
    /// The bytes of the line that are before that element.
    pub before: u32,
    /// The bytes of the line inside of the tensor, as global memory has them; 0 if none is.
    pub inside: u32,
}

/// The lines of a box, in the order in which shared memory holds them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Lines {
    pub lines: Vec<Line>,
    /// The bytes of a whole line in shared memory.
    pub pitch: u32,
    /// The bytes of a whole line in global memory.
    pub packed: u32,
}

impl Lines {
    /// Returns the lines of a box at some coordinates; `offsets` are those of the modes of pixels.
    pub(crate) fn of(
        map: &TensorMap,
        mode: TensorMode,
        at: &[i32; 5],
        offsets: &[u16; 3],
    ) -> Result<Lines, FailureKind> {
        match map.element {
            Element::U4 if at[0] % 2 != 0 => {
                return Err(unsupported("a tensor copy from an odd 4-bit element"));
            }
            _ if map.element.is_padded() && at[0] % 128 != 0 => {
                return Err(illegal("a tensor copy of padded elements from no multiple of 128"));
            }
            _ => {}
        }
        if let Some(slice) = slice(map) {
            let width = if map.im2col.is_some() || map.steps[0] > 1 { 1 } else { map.boxed[0] };
            let lines = match &map.im2col {
                Some(im2col) => Lines::of_pixels(map, im2col, at, offsets)?,
                None => Lines::of_tile(map, at),
            };
            return Ok(Lines { lines, pitch: width * slice, packed: width * slice });
        }
        let (width, lines) = match &map.im2col {
            Some(im2col) if im2col.mode == Im2colMode::Whole => {
                (im2col.channels.into(), Lines::of_pixels(map, im2col, at, offsets)?)
            }
            Some(im2col) => (im2col.channels.into(), Lines::along_w(map, im2col, at, offsets)?),
            None if mode == TensorMode::Rows => (map.boxed[0], Lines::of_rows(map, at)),
            None => (map.boxed[0], Lines::of_tile(map, at)),
        };
        Ok(Lines { lines, pitch: map.element.in_shared(width), packed: width * map.element.bits() / 8 })
    }

    /// Returns four lines: of a column, and of four rows (PTX §5.5.3.4).
    fn of_rows(map: &TensorMap, &[column, rows @ ..]: &[i32; 5]) -> Vec<Line> {
        rows.map(|row| line(map, column.into(), map.boxed[0], |_| row.into())).to_vec()
    }

    /// Returns the bytes that the box occupies in shared memory.
    pub(crate) fn bytes(&self) -> u32 {
        self.lines.len() as u32 * self.pitch
    }

    /// Returns the bytes by which a load of the box completes a phase: padding does not count.
    pub(crate) fn completes(&self) -> u32 {
        self.lines.len() as u32 * self.packed
    }

    fn of_tile(map: &TensorMap, at: &[i32; 5]) -> Vec<Line> {
        let rank = map.rank as usize;
        // Interleaved pixels that are not adjacent are lines of their own; a box has one slice of channels.
        let apart = map.interleave != 0 && map.steps[0] > 1;
        let count = |i: usize| match i {
            0 if !apart => 1,
            _ if i >= rank || map.interleave != 0 && i == rank - 2 => 1,
            _ => map.boxed[i].div_ceil(map.steps[i]),
        };
        let counts: [u32; 5] = std::array::from_fn(count);
        let width = if apart { 1 } else { map.boxed[0] };
        let mut lines = Vec::with_capacity(counts.iter().product::<u32>() as usize);
        let mut index = [0u32; 5];
        loop {
            let position = |i: usize| i64::from(at[i]) + i64::from(index[i]) * i64::from(map.steps[i].max(1));
            lines.push(line(map, position(0), width, position));
            // The next line: an odometer over the dimensions.
            let Some(next) = (0..5).find(|&i| index[i] + 1 < counts[i]) else { break };
            index[next] += 1;
            index[..next].fill(0);
        }
        lines
    }

    /// Walks over the pixels of the bounding box from the coordinates on. Interleaved tensors have their channels in the last
    /// dimension but one, others in the first.
    fn of_pixels(
        map: &TensorMap,
        im2col: &Im2col,
        at: &[i32; 5],
        offsets: &[u16; 3],
    ) -> Result<Vec<Line>, FailureKind> {
        let (spatial, images) = (map.rank as usize - 2, map.rank as usize - 1);
        let (first, width) = if map.interleave == 0 { (1, im2col.channels.into()) } else { (0, 1) };
        let corner = |corners: &[i16; 3], i: usize| i64::from(corners[i - first]);
        let mut pixel: [i64; 5] = at.map(i64::from);
        if pixel[first] < corner(&im2col.lower, first) {
            return Err(illegal("a tensor copy of pixels from left of the bounding box"));
        }
        let mut lines = Vec::with_capacity(im2col.pixels.into());
        for _ in 0..im2col.pixels {
            let position = |i: usize| match i.checked_sub(first) {
                Some(nth) if nth < spatial => pixel[i] + i64::from(offsets[nth]),
                _ => pixel[i],
            };
            lines.push(line(map, position(0), width, position));
            for i in first..first + spatial {
                pixel[i] += i64::from(map.steps[i]);
                if pixel[i] < map.sizes[i] as i64 + corner(&im2col.upper, i) {
                    break;
                }
                pixel[i] = corner(&im2col.lower, i);
                if i == first + spatial - 1 {
                    pixel[images] += 1;
                }
            }
        }
        Ok(lines)
    }

    /// Walks over the pixels of one row, and of the same row of the next images (PTX §5.5.5). `halo` pixels follow the last
    /// pixel, or each 32 pixels; the walk goes on where they begin.
    fn along_w(
        map: &TensorMap,
        im2col: &Im2col,
        at: &[i32; 5],
        &[halo, offset, _]: &[u16; 3],
    ) -> Result<Vec<Line>, FailureKind> {
        let (most, part) = match im2col.mode {
            Im2colMode::W128 => (32, 32),
            _ => (512, im2col.pixels),
        };
        if halo >= most || offset >= 32 {
            return Err(illegal("a tensor copy of pixels along W with no such halo or offset"));
        }
        let offset = i64::from(offset);
        let end = map.sizes[1] as i64 + i64::from(im2col.upper[0]) + offset;
        let mut pixel = at.map(i64::from);
        pixel[1] += offset;
        if pixel[1] >= end {
            return Err(illegal("a tensor copy of pixels along W from behind the bounding box"));
        }
        let line = |pixel: [i64; 5]| line(map, pixel[0], im2col.channels.into(), |i| pixel[i]);
        let mut lines = Vec::with_capacity((im2col.pixels + halo).into());
        for nth in 1..=im2col.pixels {
            lines.push(line(pixel));
            let last = pixel;
            pixel[1] += i64::from(map.steps[1]);
            if pixel[1] >= end {
                pixel[1] = i64::from(im2col.lower[0]) + offset;
                pixel[map.rank as usize - 1] += 1;
            }
            if nth % part != 0 {
                continue;
            }
            for k in 1..=i64::from(halo) {
                let mut beside = last;
                beside[1] += k * i64::from(map.steps[1]);
                if beside[1] >= end {
                    return Err(unsupported("a halo of pixels that crosses the end of the bounding box"));
                }
                lines.push(line(beside));
            }
        }
        Ok(lines)
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
fn line(map: &TensorMap, first: i64, length: u32, position: impl Fn(usize) -> i64) -> Line {
    let bytes = |count: i64| match slice(map) {
        Some(slice) => count as u64 * u64::from(slice),
        None => count as u64 * u64::from(map.element.bits()) / 8,
    };
    let (mut address, mut outside) = (map.address, false);
    for i in 1..map.rank as usize {
        let at = position(i);
        outside |= at < 0 || at as u64 >= map.sizes[i];
        address = address.wrapping_add((at as u64).wrapping_mul(map.strides[i - 1]));
    }
    let (low, high) = (first.max(0), (first + i64::from(length)).min(map.sizes[0] as i64));
    if outside || low >= high {
        return Line { address: 0, before: 0, inside: 0 };
    }
    Line {
        address: address.wrapping_add(bytes(low)),
        before: bytes(low - first) as u32,
        inside: bytes(high - low) as u32,
    }
}

/// Returns the bytes of a slice of channels, which is a step along dimension 0 of an interleaved tensor (PTX §5.5.6).
fn slice(map: &TensorMap) -> Option<u32> {
    match map.interleave {
        0 => None,
        1 => Some(16),
        _ => Some(32),
    }
}

fn illegal(why: &str) -> FailureKind {
    FailureKind::IllegalInstruction { why: why.to_owned() }
}

fn unsupported(instruction: &str) -> FailureKind {
    FailureKind::Unsupported { instruction: instruction.to_owned() }
}

/// Returns why a copy cannot be made by a map.
pub(crate) fn fits(copy: &TensorCopy, map: &TensorMap) -> Result<(), FailureKind> {
    if map.rank != u32::from(copy.dim) {
        return Err(illegal(&format!("a copy of {} dimensions by a tensor map of {}", copy.dim, map.rank)));
    }
    let mode = match map.im2col.map(|im2col| im2col.mode) {
        None => TensorMode::Tile,
        Some(Im2colMode::Whole) => TensorMode::Im2col,
        Some(Im2colMode::W) => TensorMode::W,
        Some(Im2colMode::W128) => TensorMode::W128,
    };
    let rows = copy.mode == TensorMode::Rows;
    if mode != copy.mode && !(rows && mode == TensorMode::Tile) {
        let name = TensorMode::name;
        return Err(illegal(&format!("a copy in {} by a tensor map of {}", name(copy.mode), name(mode))));
    }
    if rows && (map.boxed[1] != 1 || map.interleave != 0) {
        return Err(illegal("a copy of four rows by a tensor map whose box has other than one row"));
    }
    if copy.way == TensorWay::Store {
        if map.swizzle == Swizzle::B128By32Flip {
            return Err(illegal("a store with a swizzle of loads"));
        }
        if map.element == Element::U4Padded || copy.op.is_some() && map.element.bits() < 8 {
            return Err(illegal("a store or a reduction of elements that are only loaded"));
        }
    }
    let channels = map.boxed[map.rank.max(2) as usize - 2] * map.element.bits() / 8;
    match slice(map) {
        Some(slice) if map.im2col.is_none() && channels > slice => {
            Err(unsupported("a tensor copy of an interleaved box of several slices"))
        }
        Some(_) if map.element.is_padded() => {
            Err(unsupported("a tensor copy of padded elements with an interleaved layout"))
        }
        _ => Ok(()),
    }
}

/// Returns the type by which a reduction treats the tensor's elements.
pub(crate) fn scalar(map: &TensorMap) -> ScalarType {
    match map.element {
        Element::U8 | Element::U4 | Element::U4Padded | Element::U6Padded => ScalarType::U8,
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
mod recorded;

#[cfg(test)]
mod tests {
    use super::*;
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
        let lines = Lines::of(map, TensorMode::Tile, &at, &[0; 3]).unwrap().lines;
        lines.iter().map(|l| (l.address, l.before, l.inside)).collect()
    }

    #[test]
    fn a_tile_has_one_line_for_each_row() {
        assert_eq!(lines(&map(), [8, 1, 0, 0, 0]), [(0x1040, 0, 16), (0x1070, 0, 16), (0x10a0, 0, 16)]);
        let lines = Lines::of(&map(), TensorMode::Tile, &[8, 1, 0, 0, 0], &[0; 3]).unwrap();
        assert_eq!((lines.bytes(), lines.completes()), (48, 48));
    }

    #[test]
    fn what_is_outside_of_the_tensor_has_no_address() {
        assert_eq!(lines(&map(), [-3, -1, 0, 0, 0]), [(0, 0, 0), (0x1000, 6, 10), (0x1030, 6, 10)]);
        assert_eq!(lines(&map(), [16, 2, 0, 0, 0]), [(0x1080, 0, 8), (0x10b0, 0, 8), (0, 0, 0)]);
    }

    #[test]
    fn four_rows_may_be_in_any_order() {
        let one = TensorMap { boxed: [8, 1, 1, 1, 1], ..map() };
        let found = Lines::of(&one, TensorMode::Rows, &[16, 3, 0, 4, 0], &[0; 3]).unwrap().lines;
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
        let im2col =
            Im2col { mode: Im2colMode::Whole, channels: 8, pixels: 5, lower: [-1, 0, 0], upper: [-1, 0, 0] };
        // Width 4 with 8 channels of 2 bytes; three images.
        let images = TensorMap {
            rank: 3,
            sizes: [8, 4, 3, 1, 1],
            strides: [16, 64, 0, 0],
            boxed: [0; 5],
            im2col: Some(im2col),
            ..map()
        };
        let found = Lines::of(&images, TensorMode::Im2col, &[0, 1, 0, 0, 0], &[1, 0, 0]).unwrap().lines;
        let found: Vec<_> = found.iter().map(|l| (l.address, l.inside)).collect();
        // Pixels 1, 2 of image 0, then -1, 0, 1 of image 1, each seen one pixel to the right.
        assert_eq!(found, [(0x1020, 16), (0x1030, 16), (0x1040, 16), (0x1050, 16), (0x1060, 16)]);
    }

    /// Returns the first bytes of the pixels along W, in pixels of a tensor of width 7 in rows of one pixel, five images.
    fn along_w(mode: Im2colMode, pixels: u16, at: [i32; 5], info: [u16; 3]) -> Result<Vec<i64>, FailureKind> {
        let im2col = Im2col { mode, channels: 64, pixels, lower: [-1, 0, 0], upper: [0, 0, 0] };
        let images = TensorMap {
            rank: 4,
            swizzle: Swizzle::B128,
            sizes: [64, 7, 1, 5, 1],
            strides: [128, 896, 896, 0],
            boxed: [0; 5],
            im2col: Some(im2col),
            ..map()
        };
        let lines = Lines::of(&images, TensorMode::W, &at, &info)?.lines;
        Ok(lines.iter().map(|l| if l.inside == 0 { -1 } else { (l.address as i64 - 0x1000) / 128 }).collect())
    }

    #[test]
    fn pixels_along_w_go_on_in_the_next_image() {
        let found = along_w(Im2colMode::W, 6, [0, 4, 0, 0, 0], [2, 0, 0]).unwrap();
        assert_eq!(found, [4, 5, 6, -1, 7, 8, 9, 10]);
        // An offset moves the first pixel and the bounding box.
        assert_eq!(along_w(Im2colMode::W, 5, [0, 4, 0, 0, 0], [0, 1, 0]).unwrap(), [5, 6, -1, 7, 8]);
        assert!(along_w(Im2colMode::W, 2, [0, 4, 0, 0, 0], [2, 0, 0]).is_err(), "a halo across the end");
        assert!(along_w(Im2colMode::W, 2, [0, 7, 0, 0, 0], [0, 0, 0]).is_err(), "behind the box");
    }

    #[test]
    fn halos_follow_each_32_of_128_pixels() {
        let found = along_w(Im2colMode::W128, 128, [0, 0, 0, 0, 0], [1, 0, 0]).unwrap();
        let plain = along_w(Im2colMode::W128, 128, [0, 0, 0, 0, 0], [0, 0, 0]).unwrap();
        assert_eq!((found.len(), plain.len()), (132, 128));
        assert_eq!(&found[..32], &plain[..32]);
        assert_eq!((found[32], &found[33..65]), (plain[32], &plain[32..64]));
    }

    #[test]
    fn padded_elements_complete_what_global_memory_has() {
        let narrow = TensorMap {
            element: Element::U6Padded,
            sizes: [256, 4, 1, 1, 1],
            strides: [192, 0, 0, 0],
            boxed: [128, 2, 1, 1, 1],
            ..map()
        };
        let lines = Lines::of(&narrow, TensorMode::Tile, &[128, 3, 0, 0, 0], &[0; 3]).unwrap();
        assert_eq!((lines.bytes(), lines.completes()), (256, 192));
        let found: Vec<_> = lines.lines.iter().map(|l| (l.address, l.inside)).collect();
        assert_eq!(found, [(0x1000 + 3 * 192 + 96, 96), (0, 0)]);
        assert!(Lines::of(&narrow, TensorMode::Tile, &[64, 3, 0, 0, 0], &[0; 3]).is_err());
    }

    #[test]
    fn adjacent_lines_are_one_stretch() {
        let dense = TensorMap { sizes: [8, 9, 1, 1, 1], strides: [16, 0, 0, 0], ..map() };
        let mut found = Vec::new();
        let lines = Lines::of(&dense, TensorMode::Tile, &[0, 2, 0, 0, 0], &[0; 3]).unwrap();
        lines.stretches(|address, bytes| found.push((address, bytes)));
        assert_eq!(found, [(0x1020, 48)]);
    }
}
