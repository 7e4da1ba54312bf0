//! The operands of a launch in the host code.

use super::ir::{Op, Operand};
use super::launch_sites::{How, Site};
use super::program::Program;

/// The operands of a launch: extents of the grid and of the block (x and y in one number, then z), and the
/// size of shared memory.
pub(super) struct Parts<'a> {
    pub(super) extents: [&'a str; 5],
    pub(super) arguments: Vec<Operand<'a>>,
    /// An array with the addresses of the arguments, in place of `arguments`.
    pub(super) array: Option<&'a str>,
    pub(super) cooperative: bool,
}

pub(super) fn parts<'a>(program: &Program<'a>, site: &Site) -> Option<Parts<'a>> {
    let f = program.function(site.frame.at);
    let operands = |(block, inst): (usize, usize)| match &f.blocks[block].insts[inst].op {
        Op::Call { arguments, .. } => Some(arguments.clone()),
        _ => None,
    };
    let called = operands((site.frame.block, site.frame.inst))?;
    let at = |list: &[Operand<'a>], n: usize| list.get(n).map(|o| o.value);
    match site.how {
        How::Stub { configuration } => {
            let c = operands(configuration)?;
            let extents = [at(&c, 0)?, at(&c, 1)?, at(&c, 2)?, at(&c, 3)?, at(&c, 4)?];
            Some(Parts { extents, arguments: called, array: None, cooperative: false })
        }
        How::Call { cooperative } => {
            let c = &called;
            let extents = [at(c, 1)?, at(c, 2)?, at(c, 3)?, at(c, 4)?, at(c, 6)?];
            Some(Parts { extents, arguments: Vec::new(), array: at(c, 5), cooperative })
        }
    }
}

/// Returns the values that the launch is computed from, along the call chain.
pub(super) fn roots<'a>(
    program: &Program<'a>,
    site: &Site,
    parts: &Parts<'a>,
    last: usize,
) -> Vec<(usize, &'a str)> {
    let mut roots: Vec<(usize, &str)> = parts.extents.iter().map(|e| (last, *e)).collect();
    roots.extend(parts.arguments.iter().map(|a| (last, a.value)));
    if let Op::Call { through: Some(t), .. } =
        program.function(site.frame.at).blocks[site.frame.block].insts[site.frame.inst].op
    {
        roots.push((last, t));
    }
    if parts.array.is_some() {
        let f = program.function(site.frame.at);
        for inst in f.blocks.iter().flat_map(|b| &b.insts) {
            if let Op::Store { value, .. } = inst.op {
                roots.push((last, value));
            }
        }
    }
    roots
}
