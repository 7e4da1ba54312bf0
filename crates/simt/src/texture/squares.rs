//! Filtered fetches of two dimensions, for all lanes at once.

use super::{Addressing, Texture, floor};
use crate::filter;
use events::LaneMask;
use ptx::op::TexGeometry;

/// The four texels that each lane reads, in the order of [`Texture::square`].
pub(crate) struct Squares {
    /// Offsets in bytes from the texture's start.
    pub offsets: [[u64; 32]; 4],
    pub weights: [[f32; 32]; 4],
}

/// The size beyond which not every integer is a float.
const LARGEST: u32 = 1 << 23;

impl Texture {
    /// Computes [`Texture::square`] for each lane, for textures clamped at the edges; `None` for other
    /// fetches.
    pub(crate) fn squares(
        &self,
        geometry: TexGeometry,
        integers: bool,
        [x, y]: [&[u32; 32]; 2],
        mask: LaneMask,
    ) -> Option<Squares> {
        let clamps = |mode| match mode {
            Addressing::Clamp => true,
            Addressing::Wrap | Addressing::Mirror => !self.normalized_coordinates,
            Addressing::Border => false,
        };
        let all = geometry == TexGeometry::D2 && !integers && self.linear && !self.buffer;
        let sized = [self.width, self.height].iter().all(|n| (1..=LARGEST).contains(n));
        if !all || !sized || !clamps(self.addressing[0]) || !clamps(self.addressing[1]) {
            return None;
        }
        let mut none = 0;
        for lane in 0..32 {
            let nan = f32::from_bits(x[lane]).is_nan() || f32::from_bits(y[lane]).is_nan();
            none |= LaneMask::from(nan) << lane;
        }
        if none & mask != 0 {
            return None;
        }
        let (columns, a) = axis(self.width, self.normalized_coordinates, x);
        let (rows, b) = axis(self.height, self.normalized_coordinates, y);
        let mut squares = Squares { offsets: [[0; 32]; 4], weights: [[0.0; 32]; 4] };
        for lane in 0..32 {
            let shares = filter::plane(a[lane], b[lane]);
            for k in 0..4 {
                squares.weights[k][lane] = shares[k >> 1][k & 1] as f32 / filter::ONE as f32;
            }
        }
        for k in 0..4 {
            for lane in 0..32 {
                let (column, row) = (columns[k >> 1][lane], rows[k & 1][lane]);
                squares.offsets[k][lane] = u64::from(column) * self.texel() + u64::from(row) * self.row;
            }
        }
        Some(squares)
    }
}

/// Returns the indices along one axis, and the positions between them in 256ths: see [`Texture::axis`].
fn axis(size: u32, normalized: bool, raw: &[u32; 32]) -> ([[u32; 32]; 2], [u32; 32]) {
    let (n, last) = (size as f32, (size - 1) as f32);
    let (mut indices, mut fractions) = ([[0; 32]; 2], [0; 32]);
    for lane in 0..32 {
        let c = f32::from_bits(raw[lane]);
        let below = if normalized { c * n } else { c } - 0.5;
        let i = floor(below);
        let parts = (below - i) * filter::ONE as f32;
        let fraction = parts as i32;
        let fraction = fraction + i32::from(parts - fraction as f32 >= 0.5);
        fractions[lane] = fraction.clamp(0, filter::ONE as i32) as u32;
        indices[0][lane] = i.clamp(0.0, last) as i32 as u32;
        indices[1][lane] = (i + 1.0).clamp(0.0, last) as i32 as u32;
    }
    (indices, fractions)
}

#[cfg(test)]
mod tests {
    use super::super::ChannelKind;
    use super::*;

    #[test]
    fn all_lanes_read_what_each_reads() {
        let special = [f32::INFINITY, f32::NEG_INFINITY, 1e30, -1e30, -0.0, 0.5, 8.5, 16_777_217.0];
        let points: Vec<f32> = (-200..300).map(|i| i as f32 * 0.0479).chain(special).collect();
        for (normalized, mode) in
            [(false, Addressing::Clamp), (false, Addressing::Wrap), (true, Addressing::Clamp)]
        {
            let t = Texture {
                base: 0x1000,
                row: 64,
                slice: 640,
                width: 8,
                height: 5,
                depth: 0,
                channels: 1,
                bits: 32,
                kind: ChannelKind::Float,
                addressing: [mode; 3],
                linear: true,
                normalized_float: false,
                normalized_coordinates: normalized,
                buffer: false,
                border: [7.0; 4],
            };
            for (i, lanes) in points.windows(32).enumerate() {
                let x: [u32; 32] = std::array::from_fn(|lane| lanes[lane].to_bits());
                let y: [u32; 32] =
                    std::array::from_fn(|lane| points[(i * 7 + lane * 3) % points.len()].to_bits());
                let all = t.squares(TexGeometry::D2, false, [&x, &y], u32::MAX).unwrap();
                for lane in 0..32 {
                    let one = t.square(TexGeometry::D2, false, [x[lane], y[lane], 0, 0]).unwrap();
                    for (k, corner) in one.iter().enumerate() {
                        let same = (Some(all.offsets[k][lane]), all.weights[k][lane]);
                        assert_eq!((corner.offset, corner.weight), same, "{normalized} {:?}", lanes[lane]);
                    }
                }
            }
            let (mut x, y) = ([0; 32], [0; 32]);
            x[3] = f32::NAN.to_bits();
            assert!(t.squares(TexGeometry::D2, false, [&x, &y], u32::MAX).is_none());
            assert!(t.squares(TexGeometry::D2, false, [&x, &y], !8).is_some());
            assert!(t.squares(TexGeometry::D2, true, [&x, &y], !8).is_none());
            let bordered = Texture { addressing: [mode, Addressing::Border, mode], ..t };
            assert!(bordered.squares(TexGeometry::D2, false, [&y, &y], u32::MAX).is_none());
        }
    }
}
