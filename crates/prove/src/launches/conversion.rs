//! Launches of host code ([`host_ir`]) in the prover's terms: its constraints are facts, its texture and surface
//! objects those of the virtual GPU.

use crate::facts::Facts;
use host_ir::{Addressing, ChannelKind, Constraints, Launches, ObjectEncoding};
use simt::texture;

/// Reads the launches of a program from the LLVM IR of all its modules.
pub fn of_host_code(irs: &[&str]) -> Launches {
    host_ir::launches(irs, &VirtualGpu)
}

impl From<Constraints> for Facts {
    fn from(constraints: Constraints) -> Facts {
        let Constraints { block, grid, scalars, relations, dynamic_shared, aliases, loose, host_arithmetic } =
            constraints;
        Facts {
            block,
            grid,
            scalars,
            relations,
            dynamic_shared,
            aliases,
            loose,
            host_arithmetic,
            ..Facts::default()
        }
    }
}

/// Objects as kernels on the virtual GPU read them.
struct VirtualGpu;

impl ObjectEncoding for VirtualGpu {
    fn texture(&self, t: &host_ir::Texture) -> Vec<u8> {
        let [width, height, depth] = t.extent;
        let object = texture::Texture {
            base: t.base,
            row: t.row,
            slice: t.slice,
            width,
            height,
            depth,
            channels: t.channels,
            bits: t.bits,
            kind: match t.kind {
                ChannelKind::Signed => texture::ChannelKind::Signed,
                ChannelKind::Unsigned => texture::ChannelKind::Unsigned,
                ChannelKind::Float => texture::ChannelKind::Float,
            },
            addressing: t.addressing.map(|addressing| match addressing {
                Addressing::Wrap => texture::Addressing::Wrap,
                Addressing::Clamp => texture::Addressing::Clamp,
                Addressing::Mirror => texture::Addressing::Mirror,
                Addressing::Border => texture::Addressing::Border,
            }),
            linear: t.linear,
            normalized_float: t.normalized_float,
            normalized_coordinates: t.normalized_coordinates,
            buffer: t.buffer,
            border: t.border,
        };
        object.encode().to_vec()
    }

    fn surface(&self, s: &host_ir::Surface) -> Vec<u8> {
        let [width, height, depth] = s.extent;
        let (base, row, slice, element, layered) = (s.base, s.row, s.slice, s.element, s.layered);
        simt::surface::Surface { base, row, slice, width, height, depth, element, layered }.encode().to_vec()
    }
}
