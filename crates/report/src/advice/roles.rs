//! Advice for warp-specialised code, whose warps take different ways of a branch.
//!
//! A `__syncthreads()` on one way waits for threads that never come. Threads of one way meet at a barrier of their own, and
//! hand over to the other way by an mbarrier.

use super::{Chooser, Group, Position, Step, Way};
use events::{Role, SiteId};

/// How two sites of one function lie to a branch that the threads of a block take differently.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Apart {
    /// On the same way of the branch at that line.
    OneWay(u32),
    /// On its two ways.
    BothWays(u32),
}

impl Chooser<'_> {
    fn roles(&self, a: Option<SiteId>, b: Option<SiteId>) -> Option<Apart> {
        let [a, b] = [a, b].map(|site| site.and_then(|id| self.sites.get(id)));
        let (a, b) = (a?, b?);
        let (one, other): (Role, Role) = (a.role?, b.role?);
        if one.branch != other.branch || a.function != b.function {
            return None;
        }
        // Between the rounds of a loop around the branch all threads meet.
        let rounds = one.repeated && a.ptx_line >= b.ptx_line;
        match one.taken == other.taken {
            true if rounds => None,
            true => Some(Apart::OneWay(one.line)),
            false => Some(Apart::BothWays(one.line)),
        }
    }

    /// A barrier of `group` between two sites, or what takes its place if not all threads of the block reach it.
    pub(super) fn meet(&self, group: Group, at: Position, (a, b): (Option<SiteId>, Option<SiteId>)) -> Step {
        match self.roles(a, b).filter(|_| group == Group::Block) {
            None => Step::InsertBarrier { group, at },
            Some(Apart::OneWay(branch)) => Step::InsertRoleBarrier { branch, at },
            Some(Apart::BothWays(branch)) => Step::HandOver { branch, at },
        }
    }

    /// The ways with no barrier of the whole block between accesses of which not all of its threads reach one.
    pub(super) fn reachable(&self, ways: Vec<Way>) -> Vec<Way> {
        let [first, second] = [0, 1].map(|n: usize| self.finding.sides[n].site);
        if self.roles(first, second).is_none() {
            return ways;
        }
        let mut out: Vec<Way> = Vec::new();
        for Way { steps } in ways {
            let steps = steps.into_iter().map(|step| match step {
                Step::InsertBarrier { group, at } if !self.is_signalled(&at) => {
                    self.meet(group, at, (first, second))
                }
                Step::SplitStatement { group, at } if group == Group::Block => {
                    self.meet(group, Position::After(at), (first, second))
                }
                step => step,
            });
            let way = Way::new(steps.collect::<Vec<_>>());
            let rounds = |at: &Position| matches!(at, Position::BetweenRounds(..));
            let again = way.steps.iter().all(|step| match step {
                Step::HandOver { at, .. } => rounds(at),
                _ => false,
            });
            if !out.contains(&way) && !again {
                out.push(way);
            }
        }
        out
    }

    /// Whether a position is beside what signals, and not between the two accesses.
    fn is_signalled(&self, at: &Position) -> bool {
        use super::Role::{First, Second};
        let side = |spot: &super::Spot| matches!(spot.role, First | Second);
        match at {
            Position::Between(a, b) | Position::BetweenRounds(a, b) => !(side(a) && side(b)),
            Position::Before(_) | Position::After(_) => false,
        }
    }
}
