//! Tensor maps as programs describe them to the driver: the arguments of `cuTensorMapEncodeTiled` and `…Im2col`.

use super::{Element, Im2col, Swizzle, TensorMap};

/// The reason why a description makes no map.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unfit {
    /// Elements of 4 or 6 bits, which the virtual GPU does not have.
    Packed,
    Invalid,
}

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
        false => Err(Unfit::Invalid),
    }
}

impl Described<'_> {
    /// Returns the map, with a box of one element.
    fn map(&self) -> Result<TensorMap, Unfit> {
        let rank = self.sizes.len();
        if !(1..=5).contains(&rank) || self.strides.len() != rank - 1 || self.steps.len() != rank {
            return Err(Unfit::Invalid);
        }
        let element = u32::try_from(self.element).ok().and_then(Element::of_driver).ok_or(Unfit::Packed)?;
        let swizzle = u32::try_from(self.swizzle).ok().and_then(Swizzle::of_driver);
        let mut steps: [u32; 5] = padded(self.steps, 1)?;
        if self.interleave == 0 {
            // "TMA doesn't support the stride for dimension zero".
            steps[0] = 1;
        }
        Ok(TensorMap {
            rank: rank as u32,
            element,
            interleave: u8::try_from(self.interleave).ok().filter(|i| *i <= 2).ok_or(Unfit::Invalid)?,
            swizzle: swizzle.ok_or(Unfit::Invalid)?,
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
        let narrow = |n: u32| u16::try_from(n).map_err(|_| Unfit::Invalid);
        let corner = |corners: &[i32]| padded(corners, 0).map(|corners| corners.map(|c| c as i16));
        // Corners have 16, 8 or 5 bits, by the number of spatial dimensions.
        let most = [0, 1 << 15, 1 << 7, 1 << 4][lower.len().min(3)];
        if lower.iter().chain(upper).any(|c| !(-most..most).contains(c)) {
            return Err(Unfit::Invalid);
        }
        let (channels, pixels) = (narrow(channels)?, narrow(pixels)?);
        let im2col = Im2col { channels, pixels, lower: corner(lower)?, upper: corner(upper)? };
        checked(TensorMap { im2col: Some(im2col), ..self.map()? })
    }
}

/// Returns a map that is as the driver's reference requires.
fn checked(map: TensorMap) -> Result<TensorMap, Unfit> {
    map.check().map(|()| map).map_err(|_| Unfit::Invalid)
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
        assert_eq!(described.tiled(&[64, 0]), Err(Unfit::Invalid));
        assert_eq!(Described { element: 13, ..described }.tiled(&[64, 8]), Err(Unfit::Packed));
        assert_eq!(Described { strides: &[], ..described }.tiled(&[64, 8]), Err(Unfit::Invalid));
        let images =
            Described { sizes: &[64, 9, 8, 7], strides: &[256, 2304, 18432], steps: &[1; 4], ..described };
        let map = images.im2col((&[-1, -1], &[1, 1]), 64, 32).unwrap();
        assert_eq!(map.im2col.map(|i| (i.channels, i.lower)), Some((64, [-1, -1, 0])));
        assert_eq!(images.im2col((&[-200, 0], &[0, 0]), 64, 32), Err(Unfit::Invalid));
    }
}
