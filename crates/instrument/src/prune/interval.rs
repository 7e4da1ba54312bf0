//! Decides which instructions two threads of a block may execute between the same two barriers.
//!
//! Each thread counts the barriers of its block that it has passed. On all paths, the `n`-th barrier of one
//! thread is the `n`-th of all: an access before a thread's `n`-th barrier is ordered before one behind
//! another thread's. A thread that ends orders nothing more, so its last accesses may race with all later
//! ones of other threads.

use kernels::blocks::blocks;
use ptx::flat::{Arg, Flat, FlatInstruction};
use ptx::op::{BarKind, Op};

/// The modulus of counts; the number of barriers in a loop's body should divide it.
const CYCLE: u32 = 60;
const ALL: u64 = (1 << CYCLE) - 1;

/// The largest number of basic blocks of a function that is analysed.
const MOST_BLOCKS: usize = 5000;

/// The possible numbers of barriers that a thread has passed when it reaches an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Passed {
    /// Bit `n` is set if the count may be `n` modulo [`CYCLE`].
    counts: u64,
    least: u32,
    /// The greatest count; `u32::MAX` if there is no bound.
    most: u32,
    /// Whether the thread may end without another barrier.
    open: bool,
}

impl Passed {
    const UNKNOWN: Passed = Passed { counts: ALL, least: 0, most: u32::MAX, open: true };
    const NEVER: Passed = Passed { counts: 0, least: u32::MAX, most: 0, open: false };

    /// Returns whether two threads may be at the two instructions without a barrier between them.
    pub(super) fn meets(self, other: Passed) -> bool {
        self.counts & other.counts != 0
            || self.open && other.most >= self.least
            || other.open && self.most >= other.least
    }

    fn join(self, other: Passed) -> Passed {
        Passed {
            counts: self.counts | other.counts,
            least: self.least.min(other.least),
            most: self.most.max(other.most),
            open: self.open || other.open,
        }
    }

    fn next(self, bound: u32) -> Passed {
        let turned = (self.counts << 1 | self.counts >> (CYCLE - 1)) & ALL;
        // The count exceeds the number of barriers: one was passed twice, hence in a loop.
        let most = if self.most >= bound { u32::MAX } else { self.most + 1 };
        Passed { counts: turned, least: self.least.saturating_add(1), most, open: false }
    }
}

/// The effect of a barrier instruction on the count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Barrier {
    /// Barrier 0 of all threads of the block.
    Whole,
    /// A barrier of some threads, or another number: it may order, but need not be counted.
    Other,
    /// Another participation in barrier 0, after which counts mean nothing.
    Foreign,
}

fn barrier(inst: &FlatInstruction<'_>) -> Option<Barrier> {
    let Ok(Op::Bar { kind, .. }) = &inst.op else { return None };
    let operands = match kind {
        BarKind::Sync | BarKind::Arrive => &inst.args[..],
        BarKind::RedPopc | BarKind::RedAnd | BarKind::RedOr => inst.args.get(1..).unwrap_or_default(),
    };
    let whole = match kind {
        BarKind::Sync => operands.len() == 1,
        BarKind::Arrive => false,
        // The predicate comes last.
        BarKind::RedPopc | BarKind::RedAnd | BarKind::RedOr => operands.len() == 2,
    };
    Some(match operands.first() {
        Some(Arg::Int(0)) if whole => Barrier::Whole,
        Some(Arg::Int(0)) => Barrier::Foreign,
        Some(Arg::Int(_)) => Barrier::Other,
        _ => Barrier::Foreign,
    })
}

/// Returns the counts for each instruction of an entry point.
pub(super) fn passed(flat: &Flat<'_>) -> Vec<Passed> {
    let barriers: Vec<Option<Barrier>> = flat.instructions.iter().map(barrier).collect();
    let blocks = blocks(flat);
    if barriers.contains(&Some(Barrier::Foreign)) || blocks.len() > MOST_BLOCKS {
        return vec![Passed::UNKNOWN; flat.instructions.len()];
    }
    let bound = barriers.iter().filter(|b| **b == Some(Barrier::Whole)).count() as u32;
    let step = |at: Passed, i: usize| match barriers[i] {
        Some(Barrier::Whole) if flat.instructions[i].guard.is_some() => at.join(at.next(bound)),
        Some(Barrier::Whole) => at.next(bound),
        _ => at,
    };
    // Forward analysis of the counts, over reachable blocks only.
    let mut before = vec![Passed::NEVER; blocks.len()];
    let mut work = Vec::new();
    if !blocks.is_empty() {
        before[0] = Passed { counts: 1, least: 0, most: 0, open: false };
        work.push(0);
    }
    while let Some(b) = work.pop() {
        let after = (blocks[b].start..blocks[b].end).fold(before[b], step);
        for &s in &blocks[b].successors {
            let joined = before[s].join(after);
            if joined != before[s] {
                before[s] = joined;
                work.push(s);
            }
        }
    }
    // Backward analysis of whether a thread may end.
    let ends = |i: usize| matches!(flat.instructions[i].op, Ok(Op::Ret | Op::Exit | Op::Trap));
    let definite = |i: usize| barriers[i] == Some(Barrier::Whole) && flat.instructions[i].guard.is_none();
    let back = |open: bool, i: usize| (open || ends(i)) && !definite(i);
    let mut leaves: Vec<bool> = blocks.iter().map(|b| b.successors.is_empty()).collect();
    loop {
        let mut changed = false;
        for b in (0..blocks.len()).rev() {
            let open = blocks[b].successors.iter().any(|&s| {
                let block = &blocks[s];
                (block.start..block.end).rev().fold(leaves[s], back)
            });
            changed |= open && !leaves[b];
            leaves[b] |= open;
        }
        if !changed {
            break;
        }
    }
    let mut out = vec![Passed::NEVER; flat.instructions.len()];
    for (b, block) in blocks.iter().enumerate() {
        let mut at = before[b];
        for (i, passed) in out.iter_mut().enumerate().take(block.end).skip(block.start) {
            *passed = at;
            at = step(at, i);
        }
        let mut open = leaves[b];
        for i in (block.start..block.end).rev() {
            open = back(open, i);
            out[i].open |= open && out[i].counts != 0;
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use ptx::ast::Item;
    use ptx::flat::flatten;

    /// Returns the counts at the stores of a kernel with this body.
    fn stores(body: &str) -> Vec<Passed> {
        let text = format!(
            ".version 7.0\n.target sm_75\n.address_size 64\n.visible .entry k()\n{{\n.reg .pred %p;\n\
             .reg .b32 %r<9>;\n{body}\n}}\n"
        );
        let parsed = ptx::parse(&text);
        assert!(parsed.errors.is_empty(), "{:?}", parsed.errors);
        let Some(Item::Function(function)) = parsed.module.items.first() else { panic!() };
        let flat = flatten(function);
        let passed = passed(&flat);
        let stores = flat.instructions.iter().enumerate().filter(|(_, i)| matches!(i.op, Ok(Op::St(_))));
        stores.map(|(i, _)| passed[i]).collect()
    }

    const STORE: &str = "st.shared.u32 [%r1], 0;";

    #[test]
    fn barriers_divide_and_what_is_last_of_an_early_leaver_does_not_end() {
        let two = stores(&format!("{STORE} bar.sync 0; {STORE} ret;"));
        assert!(!two[0].meets(two[1]) && two[0].meets(two[0]));
        // A barrier does not wait for a thread that exits before it.
        let left = stores(&format!("{STORE} @%p ret; bar.sync 0; {STORE} ret;"));
        assert!(left[0].meets(left[1]));
        // A thread that may skip the barrier may have passed none.
        let skipped = stores(&format!("{STORE} @%p bra L; bar.sync 0; L: {STORE} ret;"));
        assert!(skipped[0].meets(skipped[1]));
        let guarded = stores(&format!("{STORE} @%p bar.sync 0; {STORE} ret;"));
        assert!(guarded[0].meets(guarded[1]));
    }

    #[test]
    fn two_barriers_in_a_loop_keep_its_halves_apart() {
        let body = |second: &str| {
            format!("L: {STORE} bar.sync 0; {STORE} {second} @%p bra L; bar.sync 0; {STORE} bar.sync 0; ret;")
        };
        let [a, b, c] = stores(&body("bar.sync 0;"))[..] else { panic!() };
        assert!(!a.meets(b));
        // Behind the loop the count is odd, as in its second half.
        assert!(b.meets(c) && !a.meets(c));
        let [a, b, _] = stores(&body(""))[..] else { panic!() };
        assert!(a.meets(b), "the next turn begins without a barrier");
    }

    #[test]
    fn other_barriers_order_nothing_here() {
        for other in ["bar.sync 1;", "bar.sync 0, 64;", "bar.arrive 0, 64;", "bar.sync %r1;"] {
            let two = stores(&format!("{STORE} {other} {STORE} ret;"));
            assert!(two[0].meets(two[1]), "{other}");
        }
    }
}
