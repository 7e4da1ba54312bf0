//! Tensor maps as programs describe them to the driver: the arguments of `cuTensorMapEncodeTiled`, `…Im2col`
//! and `…Im2colWide`.

use super::{Element, Im2col, Im2colMode, Swizzle, TensorMap};

/// The driver would refuse a description.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unfit;

/// The arguments that all functions that make tensor maps share, by the numbers of the driver.
#[derive(Clone, Copy, Debug)]
pub struct Described<'a> {
    pub element: i32,
    pub address: u64,
    /// Sizes in elements, as many as the tensor has dimensions.
    pub sizes: &'a [u64],
    /// Strides in bytes, one less.
    pub strides: &'a [u64],
    /// Traversal strides, as many as dimensions.
    pub steps: &'a [u32],
    pub interleave: i32,
    pub swizzle: i32,
    pub fill: i32,
}

/// Returns values followed by others that are all `rest`.
fn padded<T: Copy, const N: usize>(from: &[T], rest: T) -> Result<[T; N], Unfit> {
    match from.len() <= N {
        true => Ok(std::array::from_fn(|i| from.get(i).copied().unwrap_or(rest))),
        false => Err(Unfit),
    }
}

impl Described<'_> {
    /// Returns the map, with a box of one element.
    fn map(&self) -> Result<TensorMap, Unfit> {
        let rank = self.sizes.len();
        if !(1..=5).contains(&rank) || self.strides.len() != rank - 1 || self.steps.len() != rank {
            return Err(Unfit);
        }
        let element = u32::try_from(self.element).ok().and_then(Element::of_driver).ok_or(Unfit)?;
        let swizzle = u32::try_from(self.swizzle).ok().and_then(Swizzle::of_driver);
        let mut steps: [u32; 5] = padded(self.steps, 1)?;
        if self.interleave == 0 {
            // "TMA doesn't support the stride for dimension zero".
            steps[0] = 1;
        }
        Ok(TensorMap {
            rank: rank as u32,
            element,
            interleave: u8::try_from(self.interleave).ok().filter(|i| *i <= 2).ok_or(Unfit)?,
            swizzle: swizzle.ok_or(Unfit)?,
            nan: self.fill != 0,
            address: self.address,
            sizes: padded(self.sizes, 1)?,
            strides: padded(self.strides, 0)?,
            boxed: [1; 5],
            steps,
            im2col: None,
        })
    }

    /// Returns the map of `cuTensorMapEncodeTiled`.
    pub fn tiled(&self, boxed: &[u32]) -> Result<TensorMap, Unfit> {
        checked(TensorMap { boxed: padded(boxed, 1)?, ..self.map()? })
    }

    /// Returns the map of `cuTensorMapEncodeIm2col`.
    pub fn im2col(
        &self,
        (lower, upper): (&[i32], &[i32]),
        channels: u32,
        pixels: u32,
    ) -> Result<TensorMap, Unfit> {
        let narrow = |n: u32| u16::try_from(n).map_err(|_| Unfit);
        let corner = |corners: &[i32]| padded(corners, 0).map(|corners| corners.map(|c| c as i16));
        // Corners have 16, 8 or 5 bits, by the number of spatial dimensions.
        let most = [0, 1 << 15, 1 << 7, 1 << 4][lower.len().min(3)];
        if lower.iter().chain(upper).any(|c| !(-most..most).contains(c)) {
            return Err(Unfit);
        }
        let (channels, pixels) = (narrow(channels)?, narrow(pixels)?);
        let mode = Im2colMode::Whole;
        let im2col = Im2col { mode, channels, pixels, lower: corner(lower)?, upper: corner(upper)? };
        checked(TensorMap { im2col: Some(im2col), ..self.map()? })
    }

    /// Returns the map of `cuTensorMapEncodeIm2colWide`, by the number of its mode.
    pub fn wide(
        &self,
        (lower, upper): (i32, i32),
        channels: u32,
        pixels: u32,
        mode: i32,
    ) -> Result<TensorMap, Unfit> {
        let (mode, pixels) = match mode {
            0 => (Im2colMode::W, pixels),
            1 => (Im2colMode::W128, 128),
            _ => return Err(Unfit),
        };
        let map = self.map()?;
        let corner = |corner: i32| i16::try_from(corner).map(|corner| [corner, 0, 0]).map_err(|_| Unfit);
        let narrow = |n: u32| u16::try_from(n).map_err(|_| Unfit);
        let (channels, pixels) = (narrow(channels)?, narrow(pixels)?);
        if i64::from(lower) >= map.sizes[1] as i64 + i64::from(upper) {
            return Err(Unfit);
        }
        let im2col = Im2col { mode, channels, pixels, lower: corner(lower)?, upper: corner(upper)? };
        checked(TensorMap { im2col: Some(im2col), ..map })
    }
}

/// Returns a map that is as the driver's reference requires.
fn checked(map: TensorMap) -> Result<TensorMap, Unfit> {
    map.check().map(|()| map).map_err(|_| Unfit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_description_makes_the_map_that_the_driver_would() {
        let described = Described {
            element: 3,
            address: 0x7000_0000_0000,
            sizes: &[64, 16],
            strides: &[256],
            steps: &[7, 1],
            interleave: 0,
            swizzle: 0,
            fill: 0,
        };
        let map = described.tiled(&[64, 8]).unwrap();
        assert_eq!((map.rank, map.element, map.steps[0]), (2, Element::S32, 1));
        assert_eq!((map.sizes, map.boxed), ([64, 16, 1, 1, 1], [64, 8, 1, 1, 1]));
        assert_eq!(described.tiled(&[64, 0]), Err(Unfit));
        assert_eq!(Described { element: 16, ..described }.tiled(&[64, 8]), Err(Unfit));
        let narrow = Described { element: 13, ..described }.tiled(&[64, 8]).unwrap();
        assert_eq!(narrow.element, Element::U4);
        assert_eq!(Described { strides: &[], ..described }.tiled(&[64, 8]), Err(Unfit));
        let images =
            Described { sizes: &[64, 9, 8, 7], strides: &[256, 2304, 18432], steps: &[1; 4], ..described };
        let map = images.im2col((&[-1, -1], &[1, 1]), 64, 32).unwrap();
        assert_eq!(map.im2col.map(|i| (i.channels, i.lower)), Some((64, [-1, -1, 0])));
        assert_eq!(images.im2col((&[-200, 0], &[0, 0]), 64, 32), Err(Unfit));
        let halves = Described { element: 6, swizzle: 3, ..images };
        let map = halves.wide((-1, 1), 64, 32, 1).unwrap();
        assert_eq!(map.im2col.map(|i| (i.mode, i.pixels)), Some((Im2colMode::W128, 128)));
        assert_eq!(halves.wide((4, -5), 64, 32, 0), Err(Unfit), "a box of no pixels");
        assert_eq!(Described { swizzle: 0, ..halves }.wide((0, 0), 64, 32, 0), Err(Unfit));
    }
}
