//! Where a kernel's blocks meet.

use super::{Exec, State};
use crate::barriers::of_blocks;
use crate::meetings::{Asked, Meetings, Used};
use crate::poly::Poly;
use crate::syms::Kind;
use ptx::flat::Arg;
use ptx::op::MbarrierOp;

impl Exec<'_> {
    /// Notes how an mbarrier is used.
    pub(super) fn use_mbarrier(&mut self, state: &State, op: MbarrierOp, args: &[Arg<'_>]) {
        if !self.recording {
            return;
        }
        let at = args.iter().position(|a| matches!(a, Arg::Address { .. }));
        let object = at.and_then(|at| {
            let address = self.address(state, &args[at]);
            let base = self.base(&address)?;
            let shared = matches!(self.syms.get(base).kind, Kind::Shared(_));
            shared.then(|| (base, address.minus(&Poly::sym(base))))
        });
        let token = matches!(op, MbarrierOp::Wait { parity: false, .. });
        let number = at.and_then(|at| args.get(at + 1)).filter(|_| !token);
        let number = number.map(|n| self.int(state, n, 32));
        let used = Used { object, number, path: self.path_and_guard(state) };
        self.mbarriers.insert(self.inst, used);
    }

    /// The barriers that all threads of a block meet together, and whether others than `bar` are among them. What is not
    /// understood of those goes to `unmodelled`.
    pub(super) fn barriers(
        &mut self,
        kernel: &kernels::Kernel,
        unmodelled: &mut Option<String>,
    ) -> (Vec<usize>, bool) {
        let threads = self.threads();
        let alone = |name: &str| kernel.shared_variables.iter().any(|v| v.name == name && v.bytes.is_some());
        let barriers = of_blocks(self.flat, &self.cfg, &self.shape, &self.branches, (threads, &[]));
        let asked = Asked {
            flat: self.flat,
            cfg: &self.cfg,
            shape: &self.shape,
            turns: &self.turns,
            given: &self.given,
            accesses: &self.accesses,
            used: &self.mbarriers,
            barriers: &barriers,
            alone: &alone,
        };
        let meetings = asked.meetings(&mut self.syms).unwrap_or_else(|why| {
            unmodelled.get_or_insert(why.to_owned());
            Meetings::default()
        });
        // They decide nothing but how often a wait is tried.
        for b in &meetings.trying {
            self.branches[b.0 as usize] = None;
        }
        if meetings.at.is_empty() {
            return (barriers, false);
        }
        let known = (threads, &meetings.at[..]);
        (of_blocks(self.flat, &self.cfg, &self.shape, &self.branches, known), true)
    }
}
