//! Finds the kernels that may be launched after the point where the execution was lost.

use super::{Machine, Target};
use crate::ir::{Op, symbols};
use crate::program::At;
use std::collections::{BTreeSet, HashSet};

impl<'a> Machine<'_, 'a> {
    /// Returns the kernels whose launches may have been missed.
    pub(super) fn missed(&mut self) -> BTreeSet<String> {
        let mut missed = BTreeSet::new();
        // The rests of partly executed blocks, from that step on.
        let mut blocks: Vec<(At, usize, usize)> = Vec::new();
        let mut functions: Vec<At> = Vec::new();
        if let Some((_, from, _)) = &self.lost {
            let phis = |at: &At, block: usize| self.code.get(at).map_or(0, |c| c.blocks[block].phis.len());
            blocks.extend(from.iter().map(|(at, block, step)| (*at, *block, step + phis(at, *block))));
        }
        for address in self.deferred.clone() {
            match self.target(address as i64) {
                Some(Target::Here(at)) => functions.push(at),
                _ => continue,
            }
        }
        let mut seen: HashSet<(At, usize)> = HashSet::new();
        let mut called: HashSet<At> = HashSet::new();
        let mut indirect = false;
        loop {
            while let Some(at) = functions.pop() {
                if called.insert(at) {
                    blocks.push((at, 0, 0));
                }
            }
            let Some((at, block, step)) = blocks.pop() else { break };
            if step == 0 && !seen.insert((at, block)) {
                continue;
            }
            let Some(b) = self.program.function(at).blocks.get(block) else { continue };
            blocks.extend(b.successors.iter().map(|s| (at, *s, 0)));
            for inst in b.insts.iter().skip(step) {
                let by_address = match inst.op {
                    Op::Call { callee, .. } => callee.is_none_or(launches),
                    _ => false,
                };
                if by_address && !std::mem::replace(&mut indirect, true) {
                    let (more, kernels) = self.taken();
                    functions.extend(more);
                    missed.extend(kernels);
                }
                for symbol in symbols(inst.text) {
                    if let Some(kernel) = self.kernels.get(&(at.module, symbol)) {
                        missed.insert(kernel.clone());
                    }
                    // A launch by a handle may be of any kernel.
                    self.all_broken |= symbol.starts_with("cuLaunch") || symbol.starts_with("cuGraph");
                    match self.place(at.module, symbol).and_then(|a| self.target(a as i64)) {
                        Some(Target::Here(to)) if !called.contains(&to) => functions.push(to),
                        _ => {}
                    }
                }
            }
        }
        missed
    }

    /// Returns the functions whose addresses appear somewhere, and such kernels.
    fn taken(&self) -> (Vec<At>, BTreeSet<String>) {
        let (mut found, mut kernels) = (Vec::new(), BTreeSet::new());
        let mut add = |module: usize, symbol: &'a str| {
            kernels.extend(self.kernels.get(&(module, symbol)).cloned());
            if let Some(Target::Here(at)) = self.place(module, symbol).and_then(|a| self.target(a as i64)) {
                found.push(at);
            }
        };
        for (n, module) in self.program.modules.iter().enumerate() {
            let values = module.globals.iter().filter(|(name, _)| !name.starts_with("llvm."));
            values.flat_map(|(_, text)| symbols(text)).for_each(|s| add(n, s));
            for inst in module.functions.iter().flat_map(|f| &f.blocks).flat_map(|b| &b.insts) {
                let callee = match &inst.op {
                    Op::Call { callee: Some(c), .. } if c.starts_with("__cudaRegister") => continue,
                    Op::Call { callee, .. } => *callee,
                    _ => None,
                };
                symbols(inst.text).into_iter().filter(|s| Some(*s) != callee).for_each(|s| add(n, s));
            }
        }
        (found, kernels)
    }
}

/// Returns whether a function launches the kernel that it is passed.
fn launches(callee: &str) -> bool {
    callee.starts_with("cudaLaunch") || callee.starts_with("cudaGraph")
}
