//! Texture objects: their representation in memory, and the texels that a fetch reads.
//!
//! A texture object's handle is the address of a [`Texture`] in global memory, which the implementation of
//! the CUDA API has written. Texels lie in rows and slices, as in pitched memory. Addressing and filtering
//! are those of the CUDA Programming Guide, "Texture Fetching": in linear filtering the fraction has 8 bits.

mod squares;

use crate::filter;
use ptx::op::TexGeometry;
use smallvec::SmallVec;

/// The treatment of coordinates outside a texture; wrapping and mirroring exist for normalised coordinates
/// only.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Addressing {
    Wrap,
    Clamp,
    Mirror,
    Border,
}

/// The type of a channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum ChannelKind {
    Signed,
    Unsigned,
    Float,
}

/// A texture object.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Texture {
    /// The address of the first texel.
    pub base: u64,
    /// Bytes from one row to the next.
    pub row: u64,
    /// Bytes from one slice, layer or face to the next.
    pub slice: u64,
    pub width: u32,
    pub height: u32,
    pub depth: u32,
    pub channels: u8,
    /// Bits of a channel: 8, 16 or 32.
    pub bits: u8,
    pub kind: ChannelKind,
    pub addressing: [Addressing; 3],
    pub linear: bool,
    /// Whether integers are read as fractions of their largest value.
    pub normalized_float: bool,
    pub normalized_coordinates: bool,
    /// Whether the texture is linear memory, where texels outside read as zero.
    pub buffer: bool,
    pub border: [f32; 4],
}

const MAGIC: u64 = 0x7761_7270_7465_7831;

/// One texel of a fetch.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Corner {
    /// The offset in bytes from the texture's start; `None` for the border.
    pub offset: Option<u64>,
    pub weight: f32,
}

pub(crate) type Corners = SmallVec<[Corner; 8]>;

impl Texture {
    /// Bytes of a texture object in memory.
    pub const BYTES: usize = 96;

    /// Returns the bytes in memory at the object's handle.
    pub fn encode(&self) -> [u8; Self::BYTES] {
        let mut out = [0; Self::BYTES];
        let mut at = 0;
        let mut put = |bytes: &[u8]| {
            out[at..at + bytes.len()].copy_from_slice(bytes);
            at += bytes.len();
        };
        [MAGIC, self.base, self.row, self.slice].iter().for_each(|v| put(&v.to_le_bytes()));
        [self.width, self.height, self.depth].iter().for_each(|v| put(&v.to_le_bytes()));
        let [a, b, c] = self.addressing.map(|a| a as u8);
        let flags = [self.linear, self.normalized_float, self.normalized_coordinates, self.buffer];
        put(&[self.channels, self.bits, self.kind as u8, a, b, c]);
        put(&flags.map(u8::from));
        self.border.iter().for_each(|v| put(&v.to_bits().to_le_bytes()));
        out
    }

    /// Decodes the bytes at a handle; `None` if they are not a texture object.
    pub fn decode(bytes: &[u8]) -> Option<Texture> {
        let bytes: &[u8; Self::BYTES] = bytes.get(..Self::BYTES)?.try_into().ok()?;
        let long = |at: usize| Some(u64::from_le_bytes(bytes.get(at..at + 8)?.try_into().ok()?));
        let word = |at: usize| Some(u32::from_le_bytes(bytes.get(at..at + 4)?.try_into().ok()?));
        if long(0)? != MAGIC {
            return None;
        }
        let addressing = |v: u8| match v {
            0 => Addressing::Wrap,
            2 => Addressing::Mirror,
            3 => Addressing::Border,
            _ => Addressing::Clamp,
        };
        Some(Texture {
            base: long(8)?,
            row: long(16)?,
            slice: long(24)?,
            width: word(32)?,
            height: word(36)?,
            depth: word(40)?,
            channels: bytes[44],
            bits: bytes[45],
            kind: match bytes[46] {
                0 => ChannelKind::Signed,
                1 => ChannelKind::Unsigned,
                _ => ChannelKind::Float,
            },
            addressing: [addressing(bytes[47]), addressing(bytes[48]), addressing(bytes[49])],
            linear: bytes[50] != 0,
            normalized_float: bytes[51] != 0,
            normalized_coordinates: bytes[52] != 0,
            buffer: bytes[53] != 0,
            border: [
                f32::from_bits(word(54)?),
                f32::from_bits(word(58)?),
                f32::from_bits(word(62)?),
                f32::from_bits(word(66)?),
            ],
        })
    }

    /// Returns the bytes of a texel.
    pub fn texel(&self) -> u64 {
        u64::from(self.channels) * u64::from(self.bits) / 8
    }

    /// Returns the bytes from the first texel to the end of the last one.
    pub fn span(&self) -> u64 {
        let last = |n: u32| u64::from(n.max(1) - 1);
        last(self.depth)
            .saturating_mul(self.slice)
            .saturating_add(last(self.height).saturating_mul(self.row))
            .saturating_add(u64::from(self.width) * self.texel())
    }

    /// Returns the texel that a fetch without filtering reads from a texture of one or two dimensions; `None`
    /// for other fetches, which [`Texture::corners`] handles.
    pub(crate) fn point(&self, geometry: TexGeometry, integers: bool, raw: [u32; 4]) -> Option<Option<u64>> {
        let two = match geometry {
            TexGeometry::D1 => false,
            TexGeometry::D2 => true,
            _ => return None,
        };
        if self.linear && !integers {
            return None;
        }
        let x = self.nearest(self.width, self.addressing[0], raw[0], integers, false);
        let y = if two && self.height > 0 {
            self.nearest(self.height, self.addressing[1], raw[1], integers, false)
        } else {
            Some(0)
        };
        Some(x.zip(y).map(|(x, y)| x * self.texel() + y * self.row))
    }

    /// Returns the four texels that a fetch with filtering reads from a texture of two dimensions, in the
    /// order of [`Texture::corners`]; `None` for other fetches.
    pub(crate) fn square(&self, geometry: TexGeometry, integers: bool, raw: [u32; 4]) -> Option<[Corner; 4]> {
        if geometry != TexGeometry::D2 || integers || !self.linear || self.width == 0 || self.height == 0 {
            return None;
        }
        let ([left, right], a) = self.axis(self.width, self.addressing[0], raw[0], false, false);
        let ([upper, lower], b) = self.axis(self.height, self.addressing[1], raw[1], false, false);
        let shares = filter::plane(a?, b?);
        let corner = |x: Option<u64>, y: Option<u64>, share: u32| Corner {
            offset: x.zip(y).map(|(x, y)| x * self.texel() + y * self.row),
            weight: share as f32 / filter::ONE as f32,
        };
        Some([
            corner(left, upper, shares[0][0]),
            corner(left, lower, shares[0][1]),
            corner(right, upper, shares[1][0]),
            corner(right, lower, shares[1][1]),
        ])
    }

    /// Returns the texels that a fetch reads; their number depends only on the texture and the geometry.
    /// Coordinates are raw registers: floats, or integers if `integers`.
    pub(crate) fn corners(&self, geometry: TexGeometry, integers: bool, raw: [u32; 4]) -> Corners {
        let (at, layer) = match geometry {
            TexGeometry::A1 | TexGeometry::A2 => {
                // Layers beyond the last one are clamped to it.
                let layer = (raw[0] as i32).clamp(0, self.depth.max(1) as i32 - 1);
                ([raw[1], raw[2], raw[3]], layer as u64)
            }
            TexGeometry::Cube => {
                let (face, x, y) = face([raw[0], raw[1], raw[2]].map(f32::from_bits));
                ([x.to_bits(), y.to_bits(), 0], face)
            }
            _ => ([raw[0], raw[1], raw[2]], 0),
        };
        let sizes = match geometry {
            TexGeometry::D1 | TexGeometry::A1 => [self.width, 0, 0],
            TexGeometry::D2 | TexGeometry::A2 | TexGeometry::Cube => [self.width, self.height, 0],
            TexGeometry::D3 => [self.width, self.height, self.depth],
        };
        let cube = geometry == TexGeometry::Cube;
        let strides = [self.texel(), self.row, self.slice];
        let mut offsets = [None; 8];
        offsets[0] = Some(layer * self.slice);
        let mut corners = 1;
        let mut fractions: SmallVec<[u32; 3]> = SmallVec::new();
        for d in (0..3).filter(|&d| sizes[d] > 0) {
            let ([first, second], fraction) = self.axis(sizes[d], self.addressing[d], at[d], integers, cube);
            let at = |offset: Option<u64>, index: Option<u64>| Some(offset? + index? * strides[d]);
            if fraction.is_none() {
                offsets[..corners].iter_mut().for_each(|offset| *offset = at(*offset, first));
                continue;
            }
            // In descending order, because each entry expands to two.
            for k in (0..corners).rev() {
                let offset = offsets[k];
                (offsets[2 * k], offsets[2 * k + 1]) = (at(offset, first), at(offset, second));
            }
            corners *= 2;
            fractions.extend(fraction);
        }
        if geometry == TexGeometry::D1 && !fractions.is_empty() && self.addressing[1] == Addressing::Border {
            // An H200 reads at coordinate 0 of a second dimension, halfway to the texels outside.
            for k in (0..corners).rev() {
                (offsets[2 * k], offsets[2 * k + 1]) = (None, offsets[k]);
            }
            corners *= 2;
            fractions.push(filter::ONE / 2);
        }
        let weight = |share: u32| share as f32 / filter::ONE as f32;
        let shares = filter::shares(&fractions);
        offsets[..corners]
            .iter()
            .zip(shares)
            .map(|(&offset, s)| Corner { offset, weight: weight(s) })
            .collect()
    }

    /// Returns the index of a coordinate without filtering.
    fn nearest(&self, size: u32, mode: Addressing, raw: u32, integers: bool, cube: bool) -> Option<u64> {
        let n = i64::from(size.max(1));
        if integers {
            return self.index(i64::from(raw as i32), n, mode, false);
        }
        let (x, mode) = self.place(n, mode, raw, cube);
        self.index(floor(x) as i64, n, mode, true)
    }

    /// Returns a coordinate in texels, and the addressing mode for it.
    fn place(&self, n: i64, mode: Addressing, raw: u32, cube: bool) -> (f32, Addressing) {
        let (c, normalized) = (f32::from_bits(raw), self.normalized_coordinates || cube);
        let mode = match mode {
            _ if cube => Addressing::Clamp,
            Addressing::Wrap | Addressing::Mirror if !normalized => Addressing::Clamp,
            mode => mode,
        };
        let x = match (normalized, mode) {
            (false, _) => c,
            (true, Addressing::Wrap) => (c - c.floor()) * n as f32,
            (true, Addressing::Mirror) => {
                let (whole, part) = (c.floor(), c - c.floor());
                n as f32 * if whole.rem_euclid(2.0) == 0.0 { part } else { 1.0 - part }
            }
            (true, _) => c * n as f32,
        };
        (x, mode)
    }

    /// Returns the indices of one coordinate; with filtering, the two adjacent indices and the position
    /// between them in 256ths.
    fn axis(
        &self,
        size: u32,
        mode: Addressing,
        raw: u32,
        integers: bool,
        cube: bool,
    ) -> ([Option<u64>; 2], Option<u32>) {
        if integers || !self.linear {
            return ([self.nearest(size, mode, raw, integers, cube), None], None);
        }
        let n = i64::from(size.max(1));
        let (x, mode) = self.place(n, mode, raw, cube);
        let below = x - 0.5;
        let i = floor(below);
        // NaN becomes 0.
        let parts = (below - i) * filter::ONE as f32;
        let fraction = parts as u32;
        let fraction = fraction + u32::from(parts - fraction as f32 >= 0.5);
        let i = i as i64;
        let next = i.saturating_add(1);
        let indices = [self.index(i, n, mode, true), self.index(next, n, mode, true)];
        (indices, Some(fraction.min(filter::ONE)))
    }

    fn index(&self, i: i64, n: i64, mode: Addressing, reduced: bool) -> Option<u64> {
        let inside = (0..n).contains(&i);
        Some(match mode {
            _ if inside => i,
            _ if self.buffer => return None,
            Addressing::Border => return None,
            Addressing::Wrap if reduced => i.rem_euclid(n),
            _ => i.clamp(0, n - 1),
        } as u64)
    }

    /// Returns a texel's channels as registers, from its bytes (up to 16).
    pub(crate) fn channels_of(&self, bytes: u128) -> [u32; 4] {
        if self.channels == 1 && self.bits == 32 {
            return [bytes as u32, 0, 0, 0];
        }
        let mut out = [0; 4];
        let width = u32::from(self.bits.clamp(8, 32));
        for (c, out) in out.iter_mut().enumerate().take(self.channels.min(4).into()) {
            let raw = (bytes >> (width * c as u32)) as u32 & (u32::MAX >> (32 - width));
            let signed = (raw << (32 - width)) as i32 >> (32 - width);
            *out = match (self.kind, self.normalized_float && width < 32) {
                (ChannelKind::Float, _) if width == 16 => half(raw as u16).to_bits(),
                (ChannelKind::Float, _) | (ChannelKind::Unsigned, false) => raw,
                (ChannelKind::Signed, false) => signed as u32,
                (ChannelKind::Unsigned, true) => (raw as f32 / (u32::MAX >> (32 - width)) as f32).to_bits(),
                (ChannelKind::Signed, true) => {
                    (signed as f32 / (u32::MAX >> (33 - width)) as f32).max(-1.0).to_bits()
                }
            };
        }
        out
    }

    /// Returns the border's channels as registers.
    pub(crate) fn border_channels(&self) -> [u32; 4] {
        if self.buffer { [0; 4] } else { self.border.map(f32::to_bits) }
    }
}

/// Computes `f32::floor`, for which not every processor has an instruction.
#[inline(always)]
fn floor(x: f32) -> f32 {
    if x.abs() < 8_388_608.0 {
        let whole = x as i32 as f32;
        if whole > x { whole - 1.0 } else { whole }
    } else {
        x
    }
}

/// Returns the face of a cube that a direction meets, and the position on it, from 0 to 1 (Programming Guide,
/// "Cubemap Textures").
fn face([x, y, z]: [f32; 3]) -> (u64, f32, f32) {
    let (face, m, s, t) = if x.abs() > y.abs() && x.abs() > z.abs() {
        if x >= 0.0 { (0, x, -z, -y) } else { (1, -x, z, -y) }
    } else if y.abs() > z.abs() {
        if y >= 0.0 { (2, y, x, z) } else { (3, -y, x, -z) }
    } else if z >= 0.0 {
        (4, z, x, -y)
    } else {
        (5, -z, -x, -y)
    };
    (face, (s / m + 1.0) / 2.0, (t / m + 1.0) / 2.0)
}

fn half(bits: u16) -> f32 {
    let (exponent, fraction) = (bits >> 10 & 31, f32::from(bits & 1023));
    let value = match exponent {
        0 => fraction / 1024.0 * 2f32.powi(-14),
        31 if fraction == 0.0 => f32::INFINITY,
        31 => f32::NAN,
        e => (1.0 + fraction / 1024.0) * 2f32.powi(i32::from(e) - 15),
    };
    if bits >> 15 != 0 { -value } else { value }
}

#[cfg(test)]
mod tests;
