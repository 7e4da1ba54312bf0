//! Launches of host code ([`host_ir`]) in the prover's terms: its constraints are facts, its texture and surface
//! objects those of the virtual GPU.

use crate::answer::{CallFacts, Prover};
use crate::facts::Facts;
use host_ir::{
    Addressing, CallConstraints, ChannelKind, Constraints, HostLaunch, Launches, ObjectEncoding, Parameter,
};
use simt::texture;

/// Reads the launches of a program from the LLVM IR of all its modules.
pub fn of_host_code(irs: &[&str]) -> Launches {
    host_ir::launches(irs, &VirtualGpu)
}

/// Reads the launches until `stop` returns true: what is not known by then stays unknown.
pub fn of_host_code_until(irs: &[&str], stop: &dyn Fn() -> bool) -> Launches {
    host_ir::launches_until(irs, &VirtualGpu, stop)
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

fn parameter(p: &ptx::ast::Variable) -> Parameter {
    Parameter { bytes: p.size().unwrap_or(0), is_structure: !p.dims.is_empty() }
}

impl Prover<'_> {
    /// Returns the facts about the launches of one call, together with the user's.
    pub(crate) fn call_facts(&self, kernel: usize, facts: &Facts, launch: &HostLaunch) -> CallFacts {
        let flat = &self.linked.functions[self.linked.kernels[kernel].function].flat;
        let parameters: Vec<Parameter> = flat.function.params.iter().map(parameter).collect();
        let with_user = |constraints: Constraints| {
            let mut stated = Facts::from(constraints);
            stated.block = facts.block.or(stated.block);
            stated.grid = facts.grid.or(stated.grid);
            stated.volatile_weak = facts.volatile_weak;
            stated.smt = facts.smt.clone();
            stated.relations.extend(facts.relations.iter().cloned());
            stated
        };
        let both = |of: &CallConstraints| {
            [with_user(of.without_overflow(&parameters)), with_user(of.certain(&parameters))]
        };
        CallFacts { always: both(&launch.constraints), cases: launch.cases.iter().map(both).collect() }
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
