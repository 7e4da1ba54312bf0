//! Made-up textures and surfaces: images whose texels lie in an array of their own.
//!
//! An image has as many dimensions as any fetch takes: 64 × 32 texels of four 32-bit channels in eight slices, which are also
//! layers or faces. Channels are read as they are, so that one texture serves fetches of numbers of either kind.

use crate::replay::contents::ARRAY_BYTES;
use ptx::ast::ScalarType;
use ptx::flat::{Arg, Base, Flat, FlatInstruction, RegId, VarRole};
use ptx::op::{MemSpace, Op};
use simt::surface::Surface;
use simt::texture::{Addressing, ChannelKind, Texture};
use std::collections::BTreeMap;

const WIDTH: u32 = 64;
const HEIGHT: u32 = 32;
const DEPTH: u32 = 8;
const TEXEL: u64 = 16;
const ROW: u64 = WIDTH as u64 * TEXEL;
const SLICE: u64 = HEIGHT as u64 * ROW;
const _: () = assert!(DEPTH as u64 * SLICE == ARRAY_BYTES);

/// Bytes that an object takes in memory.
pub(crate) const OBJECT_BYTES: u64 = 128;
const _: () = assert!(Texture::BYTES as u64 <= OBJECT_BYTES && Surface::BYTES as u64 <= OBJECT_BYTES);

/// Limits the copies between a parameter and the instruction that takes it for a handle.
const MOST_COPIES: u32 = 4;

/// The kind of a made-up image.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Image {
    Texture,
    Surface,
}

impl Image {
    /// Returns the object of an image whose texels begin at an address, as words of memory.
    pub(crate) fn object(self, base: u64) -> Vec<u64> {
        let mut bytes = match self {
            Image::Texture => Texture {
                base,
                row: ROW,
                slice: SLICE,
                width: WIDTH,
                height: HEIGHT,
                depth: DEPTH,
                channels: 4,
                bits: 32,
                kind: ChannelKind::Float,
                addressing: [Addressing::Clamp; 3],
                linear: false,
                normalized_float: false,
                normalized_coordinates: false,
                buffer: false,
                border: [0.0; 4],
            }
            .encode()
            .to_vec(),
            Image::Surface => Surface {
                base,
                row: ROW,
                slice: SLICE,
                width: WIDTH,
                height: HEIGHT,
                depth: DEPTH,
                element: TEXEL as u32,
                layered: false,
            }
            .encode()
            .to_vec(),
        };
        bytes.resize(OBJECT_BYTES as usize, 0);
        bytes.as_chunks::<8>().0.iter().map(|word| u64::from_le_bytes(*word)).collect()
    }
}

/// Returns the parts of a kernel's parameters, by number and offset, that it takes for handles of images.
pub(crate) fn images(flat: &Flat<'_>) -> BTreeMap<(u32, u32), Image> {
    let mut found = BTreeMap::new();
    for inst in &flat.instructions {
        let (image, operand) = match &inst.op {
            Ok(Op::Tex { .. }) => (Image::Texture, inst.args.get(1)),
            Ok(Op::Suld(_) | Op::Suq { .. }) => (Image::Surface, inst.args.get(1)),
            Ok(Op::Sust(_) | Op::Sured { .. }) => (Image::Surface, inst.args.first()),
            _ => continue,
        };
        if let Some(Arg::Address { base: Base::Reg(handle), .. }) = operand
            && let Some(place) = parameter(flat, *handle, MOST_COPIES)
        {
            found.insert(place, image);
        }
    }
    found
}

/// Returns the part of the parameters that a register holds; `None` if that is not known.
fn parameter(flat: &Flat<'_>, register: RegId, copies: u32) -> Option<(u32, u32)> {
    let writes = |i: &&FlatInstruction<'_>| i.args.first() == Some(&Arg::Reg(register));
    let mut all = flat.instructions.iter().filter(writes);
    let inst = all.next().filter(|_| all.next().is_none())?;
    match (&inst.op, inst.args.get(1)?) {
        (Ok(Op::Ld(mem)), Arg::Address { base: Base::Variable(id), offset, .. })
            if matches!(mem.space, MemSpace::Param) && mem.ty.bytes() == ScalarType::U64.bytes() =>
        {
            match flat.variables[id.0 as usize].role {
                VarRole::Param(n) => Some((n, u32::try_from(*offset).ok()?)),
                _ => None,
            }
        }
        (Ok(Op::Mov { .. }), Arg::Reg(from)) if copies > 0 => parameter(flat, *from, copies - 1),
        _ => None,
    }
}
