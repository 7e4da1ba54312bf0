//! Barriers of a kernel's blocks.

use super::{Exec, State};
use crate::kernel::instructions::signals;
use crate::solver::poly::Poly;
use crate::solver::symbols::Kind;
use crate::sync::barriers::of_blocks;
use crate::sync::named_barriers::{BARRIERS, BarUse, Bars};
use crate::sync::pipeline::Pipelines;
use crate::sync::split_barriers::{BarrierFacts, MbarrierUse};
use crate::sync::wait_loops::of_phases;
use ptx::flat::Arg;
use ptx::op::{BarKind, MbarrierOp};

impl Exec<'_> {
    /// Records the use of an mbarrier.
    pub(super) fn use_mbarrier(&mut self, state: &State, op: MbarrierOp, args: &[Arg<'_>]) {
        if !self.recording {
            return;
        }
        let at = args.iter().position(|a| matches!(a, Arg::Address { .. }));
        let token = matches!(op, MbarrierOp::Wait { parity: false, .. });
        let number = at.and_then(|at| args.get(at + 1)).filter(|_| !token);
        let number = number.map(|n| self.int(state, n, 32));
        match at {
            Some(at) => self.use_object(state, &args[at], number),
            None => {
                let used = MbarrierUse { object: None, number, path: self.path_and_guard(state) };
                self.mbarriers.insert(self.inst, used);
            }
        }
    }

    /// Records the use of the mbarrier at an address.
    pub(super) fn use_object(&mut self, state: &State, at: &Arg<'_>, number: Option<Poly>) {
        if !self.recording {
            return;
        }
        let address = self.address(state, at);
        let object = self.base(&address).and_then(|base| {
            let shared = matches!(self.syms.get(base).kind, Kind::Shared(_));
            shared.then(|| (base, address.minus(&Poly::sym(base))))
        });
        let used = MbarrierUse { object, number, path: self.path_and_guard(state) };
        self.mbarriers.insert(self.inst, used);
    }

    /// Records the use of a named barrier.
    pub(super) fn use_bar(&mut self, state: &State, kind: BarKind, args: &[Arg<'_>]) {
        if !self.recording {
            return;
        }
        let reduces = !matches!(kind, BarKind::Sync | BarKind::Arrive);
        // A reduction has a result before the number, and a predicate behind the count.
        let (id, count) = match (reduces, args) {
            (false, [id]) | (true, [_, id, _]) => (id, None),
            (false, [id, count]) | (true, [_, id, count, _]) => (id, Some(count)),
            _ => return,
        };
        let id = self.int(state, id, 32);
        let count = count.map(|count| self.int(state, count, 32));
        let range = self.syms.range(&id);
        let range = range.lo.zip(range.hi).filter(|(lo, hi)| *lo >= 0 && *hi < BARRIERS);
        let used = BarUse { id, range, count, path: self.path_and_guard(state) };
        self.bars.insert(self.inst, used);
    }

    /// Returns the barriers that all threads of a block pass together, whether they include others than `bar`, and
    /// the pipelines. Unsupported ones are written to `unmodelled`.
    pub(super) fn barriers(
        &mut self,
        kernel: &kernels::Kernel,
        unmodelled: &mut Option<String>,
    ) -> (Vec<usize>, bool, Option<Pipelines>) {
        if self.flat.instructions.iter().any(|inst| inst.op.as_ref().is_ok_and(signals)) {
            return self.pipelines(kernel, unmodelled);
        }
        let threads = self.threads();
        let bars = Bars { flat: self.flat, used: &self.bars, threads };
        let alone = |name: &str| is_alone(kernel, name);
        let barriers = of_blocks(bars, &self.cfg, &self.shape, &self.branches, &[]);
        let asked = BarrierFacts {
            bars,
            flat: self.flat,
            cfg: &self.cfg,
            shape: &self.shape,
            turns: &self.turns,
            given: &self.given,
            decided: &self.decided,
            accesses: &self.accesses,
            used: &self.mbarriers,
            barriers: &barriers,
            alone: &alone,
        };
        let has_named = bars.reachable(&self.cfg, &self.shape).iter().any(|(i, _)| !barriers.contains(i));
        let meetings = match asked.of_blocks(&mut self.syms) {
            Ok(meetings) => meetings,
            Err(_) => return self.pipelines(kernel, unmodelled),
        };
        if has_named {
            let (mut why, branches) = (None, self.branches.clone());
            let found = self.pipelines(kernel, &mut why);
            if why.is_none() && found.2.as_ref().is_some_and(Pipelines::has_named) {
                return found;
            }
            self.branches = branches;
        }
        // These branches only decide how often a wait is tried.
        for b in &meetings.trying {
            self.branches[b.0 as usize] = None;
        }
        if meetings.at.is_empty() {
            return (barriers, false, None);
        }
        let bars = Bars { flat: self.flat, used: &self.bars, threads };
        (of_blocks(bars, &self.cfg, &self.shape, &self.branches, &meetings.at), true, None)
    }

    /// Analyses the order that mbarriers and named barriers establish if they are no barriers of the whole block.
    fn pipelines(
        &mut self,
        kernel: &kernels::Kernel,
        unmodelled: &mut Option<String>,
    ) -> (Vec<usize>, bool, Option<Pipelines>) {
        let waited = of_phases(self.flat, &self.cfg);
        for wait in &waited {
            let region = wait.region.iter().enumerate().filter(|r| *r.1).map(|r| r.0);
            region.chain([wait.block.0 as usize]).for_each(|b| self.branches[b] = None);
        }
        let threads = self.threads();
        let bars = Bars { flat: self.flat, used: &self.bars, threads };
        let alone = |name: &str| is_alone(kernel, name);
        let branches = &self.branches;
        let of_bar = of_blocks(bars, &self.cfg, &self.shape, branches, &[]);
        let asked = BarrierFacts {
            bars,
            flat: self.flat,
            cfg: &self.cfg,
            shape: &self.shape,
            turns: &self.turns,
            given: &self.given,
            decided: &self.decided,
            accesses: &self.accesses,
            used: &self.mbarriers,
            barriers: &of_bar,
            alone: &alone,
        };
        let found = asked.of_clusters().and_then(|clusters| {
            let barriers = of_blocks(bars, &self.cfg, &self.shape, branches, &clusters.at);
            let asked = BarrierFacts { barriers: &barriers, ..asked };
            let mut found = crate::sync::pipeline::find(&asked, branches, &waited, &mut self.syms)?;
            found.copies = crate::sync::bulk_copies::find(&asked, &found)?;
            Ok((barriers, true, Some(found)))
        });
        found.unwrap_or_else(|why| {
            unmodelled.get_or_insert(why.to_owned());
            (of_bar, false, None)
        })
    }
}

/// Returns whether a variable in shared memory overlaps no other variable: those of dynamic size begin at one address.
fn is_alone(kernel: &kernels::Kernel, name: &str) -> bool {
    let one_is_dynamic = kernel.shared_variables.iter().filter(|v| v.bytes.is_none()).count() == 1;
    kernel.shared_variables.iter().any(|v| v.name == name && (v.bytes.is_some() || one_is_dynamic))
}
