//! The values that other values are computed from.

use super::ir::Op;
use super::program::{Frame, Program};
use std::collections::HashSet;

/// Returns the values that `roots` are computed from, along the chain of calls.
pub(super) fn needed<'a>(
    program: &Program<'a>,
    chain: &[Frame],
    roots: Vec<(usize, &'a str)>,
) -> HashSet<(usize, &'a str)> {
    let mut found = HashSet::new();
    let mut work = roots;
    while let Some((depth, name)) = work.pop() {
        if !name.starts_with('%') || !found.insert((depth, name)) {
            continue;
        }
        let f = program.function(chain[depth].at);
        match f.defs.get(name) {
            Some(&(block, inst)) => {
                let inst = &f.blocks[block].insts[inst];
                work.extend(super::ir::locals(inst.text).filter(|n| *n != name).map(|n| (depth, n)));
                // Which way was taken decides a phi.
                if let Op::Phi { incoming } = &inst.op {
                    let flow = program.flow(chain[depth].at);
                    for (_, from) in incoming.iter().filter(|_| incoming.len() < 9) {
                        work.extend(flow.conditions(f, *from).into_iter().take(6).map(|(v, _)| (depth, v)));
                    }
                }
            }
            None => {
                let Some(n) = f.params.iter().position(|p| *p == name) else { continue };
                let Some(above) = depth.checked_sub(1) else { continue };
                let frame = chain[above];
                let call = &program.function(frame.at).blocks[frame.block].insts[frame.inst].op;
                if let Op::Call { arguments, .. } = call {
                    work.extend(arguments.get(n).map(|a| (above, a.value)));
                }
            }
        }
    }
    found
}
