//! CUDA arrays, and the texture and surface objects through which kernels access them.
//!
//! An object's handle is the address of its description in device memory.

use super::array::{Array, Format, Image};
use super::memory::{self, Fill, Id, Place};
use super::state::State;
use super::{Machine, Value};
use crate::objects::{Addressing, ChannelKind, Surface, Texture};
use std::rc::Rc;

/// `cudaArrayLayered` and `cudaArrayCubemap`.
const LAYERED: u32 = 1;
const CUBEMAP: u32 = 4;

impl<'a> Machine<'_, 'a> {
    /// Executes a function that creates arrays or objects; `None` for other functions, or if something that
    /// it needs is unknown.
    pub(super) fn image(&mut self, state: &mut State<'a>, name: &str, arguments: &[Value]) -> Option<()> {
        let a = |n: usize| arguments.get(n).and_then(Value::number);
        let size = |v: Option<i64>| u32::try_from(v?).ok();
        match name {
            "cudaCreateChannelDesc" => {
                for n in 0..5 {
                    state.write(a(0)? + 4 * n as i64, 4, arguments.get(n + 1)?)?;
                }
                Some(())
            }
            "cudaMallocArray" => {
                // Missing extents are zero.
                let extent = [size(a(2))?, size(a(3))?, 0];
                self.new_array(state, a(0)?, a(1)?, extent, size(a(4))?)
            }
            "cudaMalloc3DArray" => {
                let field = |n: i64| size(state.read(a(2)? + 8 * n, 8).number());
                let extent = [field(0)?, field(1)?, field(2)?];
                self.new_array(state, a(0)?, a(1)?, extent, size(a(3))?)
            }
            "cudaCreateSurfaceObject" => {
                let (id, array) = resource_array(state, a(1)?)?;
                let surface = Surface {
                    base: memory::base(id),
                    row: array.row()?,
                    slice: array.slice()?,
                    extent: array.extent,
                    element: u32::try_from(array.format.texel()).ok()?,
                    layered: array.flags & (LAYERED | CUBEMAP) != 0,
                };
                self.describe(state, a(0)?, &self.program.objects.surface(&surface))
            }
            "cudaCreateTextureObject" => {
                // Resource views are not supported.
                let texture = texture(state, a(1)?, a(2)?).filter(|_| a(3) == Some(0))?;
                self.describe(state, a(0)?, &self.program.objects.texture(&texture))
            }
            _ => None,
        }
    }

    fn new_array(
        &mut self,
        state: &mut State<'a>,
        to: i64,
        format: i64,
        extent: [u32; 3],
        flags: u32,
    ) -> Option<()> {
        let array = Array { format: format_at(state, format)?, extent, flags };
        let bytes = array.bytes().filter(|&n| n > 0)?;
        let id = self.allocate(state, Some(bytes), Place::Device, Fill::Nothing);
        Rc::make_mut(state.objects.get_mut(&id)?).image = Some(Image::Array(array));
        state.write(to, 8, &Value::Number(memory::base(id) as i64))
    }

    /// Creates a description, whose address is the handle.
    fn describe(&mut self, state: &mut State<'a>, to: i64, bytes: &[u8]) -> Option<()> {
        let id = self.allocate(state, Some(bytes.len() as u64), Place::Device, Fill::Nothing);
        let object = Rc::make_mut(state.objects.get_mut(&id)?);
        for (n, byte) in bytes.iter().enumerate() {
            object.write(n as u64, 1, &Value::Number((*byte).into()));
        }
        object.image = Some(Image::Description);
        state.write(to, 8, &Value::Number(memory::base(id) as i64))
    }
}

fn array_at(state: &State<'_>, handle: i64) -> Option<(Id, Array)> {
    let (id, offset) = memory::object(handle as u64)?;
    match state.objects.get(&id)?.image {
        Some(Image::Array(array)) if offset == 0 => Some((id, array)),
        _ => None,
    }
}

/// Returns the array of a `cudaResourceDesc`, if it describes one.
fn resource_array(state: &State<'_>, at: i64) -> Option<(Id, Array)> {
    (state.read(at, 4).number()? == 0).then_some(())?;
    array_at(state, state.read(at + 8, 8).number()?)
}

fn format_at(state: &State<'_>, at: i64) -> Option<Format> {
    let field = |n: i64| state.read(at + 4 * n, 4).number();
    let (bits, rest) = (field(0)?, [field(1)?, field(2)?, field(3)?]);
    let more = rest.iter().take_while(|&&b| b == bits).count();
    let plain =
        matches!(bits, 8 | 16 | 32) && matches!(more, 0 | 1 | 3) && rest[more..].iter().all(|&b| b == 0);
    let kind = match field(4)? {
        0 => ChannelKind::Signed,
        1 => ChannelKind::Unsigned,
        2 => ChannelKind::Float,
        _ => return None,
    };
    plain.then_some(Format { channels: more as u8 + 1, bits: bits as u8, kind })
}

/// Returns the texture of a `cudaResourceDesc` and a `cudaTextureDesc`.
fn texture(state: &State<'_>, resource: i64, how: i64) -> Option<Texture> {
    let long = |at: i64| state.read(resource + at, 8).number();
    let word = |at: i64| state.read(how + at, 4).number();
    let size = |v: i64| u32::try_from(v).ok();
    let kind = state.read(resource, 4).number()?;
    let (base, format, extent, row, slice) = match kind {
        0 => {
            let (id, array) = resource_array(state, resource)?;
            (memory::base(id), array.format, array.extent, array.row()?, array.slice()?)
        }
        2 => {
            let (format, bytes) = (format_at(state, resource + 16)?, u64::try_from(long(40)?).ok()?);
            let texels = u32::try_from(bytes / format.texel()).ok()?;
            (long(8)? as u64, format, [texels, 0, 0], bytes, 0)
        }
        3 => {
            let extent = [size(long(40)?)?, size(long(48)?)?, 0];
            (long(8)? as u64, format_at(state, resource + 16)?, extent, u64::try_from(long(56)?).ok()?, 0)
        }
        _ => return None,
    };
    let addressing = |n: i64| {
        Some(match word(4 * n)? {
            0 => Addressing::Wrap,
            2 => Addressing::Mirror,
            3 => Addressing::Border,
            _ => Addressing::Clamp,
        })
    };
    let border = |n: i64| Some(f32::from_bits(word(24 + 4 * n)? as u32));
    let texture = Texture {
        base,
        row,
        slice,
        extent,
        channels: format.channels,
        bits: format.bits,
        kind: format.kind,
        addressing: [addressing(0)?, addressing(1)?, addressing(2)?],
        linear: word(12)? == 1 && kind != 2,
        normalized_float: word(16)? == 1,
        normalized_coordinates: word(40)? != 0,
        buffer: kind == 2,
        border: [border(0)?, border(1)?, border(2)?, border(3)?],
    };
    let (id, offset) = memory::object(base)?;
    let fits = state.objects.get(&id)?.holds(offset, texture.span());
    (fits && word(20)? == 0).then_some(texture)
}
