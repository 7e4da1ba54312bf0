//! Objects in the layout in which the virtual GPU's kernels read them.

use crate::backend::{Addressing, ChannelKind, Surface, Texture};

pub(super) fn texture(t: &Texture) -> Vec<u8> {
    use simt::texture as own;
    let texture = own::Texture {
        base: t.base,
        row: t.row,
        slice: t.slice,
        width: t.width,
        height: t.height,
        depth: t.depth,
        channels: t.channels,
        bits: t.bits,
        kind: match t.kind {
            ChannelKind::Signed => own::ChannelKind::Signed,
            ChannelKind::Unsigned => own::ChannelKind::Unsigned,
            ChannelKind::Float => own::ChannelKind::Float,
        },
        addressing: t.addressing.map(|mode| match mode {
            Addressing::Wrap => own::Addressing::Wrap,
            Addressing::Clamp => own::Addressing::Clamp,
            Addressing::Mirror => own::Addressing::Mirror,
            Addressing::Border => own::Addressing::Border,
        }),
        linear: t.linear,
        normalized_float: t.normalized_float,
        normalized_coordinates: t.normalized_coordinates,
        buffer: t.buffer,
        border: t.border,
    };
    texture.encode().to_vec()
}

pub(super) fn surface(s: &Surface) -> Vec<u8> {
    let surface = simt::surface::Surface {
        base: s.base,
        row: s.row,
        slice: s.slice,
        width: s.width,
        height: s.height,
        depth: s.depth,
        element: s.element,
        layered: s.layered,
    };
    surface.encode().to_vec()
}

pub(super) fn condition(value: u32) -> Vec<u8> {
    simt::conditional::encode(value).to_vec()
}

pub(super) fn condition_at(cell: &[u8]) -> Option<usize> {
    simt::conditional::decode(cell.first_chunk()?).map(|_| simt::conditional::VALUE)
}
