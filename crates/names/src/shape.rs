//! The largest shape that the launches of a kernel may have: `KERNEL=GX,GY,GZ/BX,BY,BZ`.

use crate::as_text;
use events::Dim3;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt::{self, Display};
use std::str::FromStr;

/// Limits each extent of the launches of a kernel (`--launch-shape`).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LaunchShape {
    /// The mangled name, as PTX has it.
    pub kernel: String,
    pub grid: Dim3,
    pub block: Dim3,
}

impl LaunchShape {
    /// Returns a launch's grid and block, each extent cut down to this shape's.
    pub fn cut(&self, grid: Dim3, block: Dim3) -> (Dim3, Dim3) {
        let least = |a: Dim3, b: Dim3| Dim3 { x: a.x.min(b.x), y: a.y.min(b.y), z: a.z.min(b.z) };
        (least(grid, self.grid), least(block, self.block))
    }
}

impl Serialize for LaunchShape {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        as_text::serialize(self, serializer)
    }
}

impl<'de> Deserialize<'de> for LaunchShape {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        as_text::deserialize(deserializer)
    }
}

impl Display for LaunchShape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (Dim3 { x: a, y: b, z: c }, Dim3 { x, y, z }) = (self.grid, self.block);
        write!(f, "{}={a},{b},{c}/{x},{y},{z}", self.kernel)
    }
}

/// The text names no shape. Printed, it is a fragment of a sentence.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("expected KERNEL=GX,GY,GZ/BX,BY,BZ with numbers from 1 on")]
pub struct UnknownShape;

impl FromStr for LaunchShape {
    type Err = UnknownShape;

    fn from_str(text: &str) -> Result<Self, UnknownShape> {
        let (kernel, extents) = text.split_once('=').ok_or(UnknownShape)?;
        let (grid, block) = extents.split_once('/').ok_or(UnknownShape)?;
        if kernel.is_empty() {
            return Err(UnknownShape);
        }
        Ok(LaunchShape { kernel: kernel.to_owned(), grid: three(grid)?, block: three(block)? })
    }
}

/// Reads three extents from 1 on.
fn three(text: &str) -> Result<Dim3, UnknownShape> {
    let read = |word: &str| word.parse().ok().filter(|&n| n > 0).ok_or(UnknownShape);
    let extents: Vec<u32> = text.split(',').map(read).collect::<Result<_, _>>()?;
    let [x, y, z] = extents[..] else { return Err(UnknownShape) };
    Ok(Dim3 { x, y, z })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shape_is_read_as_it_is_printed() {
        let shape: LaunchShape = "_Z1kPi=2,1,1/64,1,1".parse().unwrap();
        assert_eq!((shape.grid, shape.block), (Dim3::new(2, 1, 1), Dim3::new(64, 1, 1)));
        assert_eq!(shape.cut(Dim3::new(1, 3, 1), Dim3::new(128, 1, 1)), (Dim3::ONE, Dim3::new(64, 1, 1)));
        assert_eq!(shape.to_string(), "_Z1kPi=2,1,1/64,1,1");
        for bad in ["", "k", "k=1,1,1", "=1,1,1/1,1,1", "k=1,1/1,1,1", "k=0,1,1/1,1,1", "k=1,1,1,1/1,1,1"] {
            assert_eq!(bad.parse::<LaunchShape>(), Err(UnknownShape), "{bad}");
        }
    }
}
