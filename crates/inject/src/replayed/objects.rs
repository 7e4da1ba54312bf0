//! Textures and surfaces of a saved launch. Their descriptions lie in memory of their own, and the back end's
//! kernels find them by the original handles.

use super::Error;
use crate::backend::{Addressing, ChannelKind, Surface, Texture};
use crate::context::{MemoryKind, Request, Runtime, State};
use events::task::HostCall;
use snapshot::{Channel, Image, Object};
use std::collections::HashMap;

pub(super) fn restore(
    runtime: &Runtime,
    state: &mut State,
    device: u32,
    objects: &[Object],
) -> Result<(), Error> {
    if objects.is_empty() {
        return Ok(());
    }
    let mut named = HashMap::new();
    for object in objects {
        named.insert(object.handle, describe(runtime, state, device, object)?);
    }
    runtime.backend.name_objects(named, HashMap::new());
    Ok(())
}

/// Returns the address of the description of a new texture or surface.
pub(super) fn describe(
    runtime: &Runtime,
    state: &mut State,
    device: u32,
    object: &Object,
) -> Result<u64, Error> {
    let bytes = match &object.image {
        Image::Texture(saved) => runtime.backend.texture(&texture(saved)),
        Image::Surface(saved) => runtime.backend.surface(&surface(saved)),
    };
    let request = Request::new(bytes.len() as u64, MemoryKind::Device, device, HostCall::default());
    let address = runtime.allocate(state, request).map_err(Error::Cuda)?;
    runtime.backend.write(address, &bytes).map_err(|_| Error::Memory(address))?;
    Ok(address)
}

fn texture(saved: &snapshot::Texture) -> Texture {
    let snapshot::Layout { base, row, slice, width, height, depth } = saved.layout;
    Texture {
        base,
        row,
        slice,
        width,
        height,
        depth,
        channels: saved.channels,
        bits: saved.bits,
        kind: match saved.channel {
            Channel::Signed => ChannelKind::Signed,
            Channel::Unsigned => ChannelKind::Unsigned,
            Channel::Float => ChannelKind::Float,
        },
        addressing: saved.addressing.map(|mode| match mode {
            snapshot::Addressing::Wrap => Addressing::Wrap,
            snapshot::Addressing::Clamp => Addressing::Clamp,
            snapshot::Addressing::Mirror => Addressing::Mirror,
            snapshot::Addressing::Border => Addressing::Border,
        }),
        linear: saved.linear,
        normalized_float: saved.normalized_float,
        normalized_coordinates: saved.normalized_coordinates,
        buffer: saved.buffer,
        border: saved.border,
    }
}

fn surface(saved: &snapshot::Surface) -> Surface {
    let snapshot::Layout { base, row, slice, width, height, depth } = saved.layout;
    let (element, layered) = (saved.element, saved.layered);
    Surface { base, row, slice, width, height, depth, element, layered }
}
