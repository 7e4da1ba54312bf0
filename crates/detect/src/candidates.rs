//! Pairs of accesses that may race under another schedule: what to try to drive together.
//!
//! This is happens-before with only what holds in every schedule: program order, and barriers
//! of blocks, warps and clusters, and mbarriers. What locks, flags and fences order is left
//! out, because another schedule may order it otherwise, or not at all. So a candidate is no
//! finding: most candidates of a correct program are well synchronised.
//!
//! **Guarantee:** none; each candidate must be confirmed by an execution in which the `ptx` lens
//! sees the race. Pairs that are morally strong (PTX §8.7) whoever is first are left out.

use crate::hb::engine::Engine;
use crate::hb::idioms::{Acquire, Release};
use crate::hb::rules::{Place, Rules};
use crate::hb::threads::{Threads, Who};
use crate::lens::serial::Lens;
use clocks::compressed::{Compressed, Seen, VectorClock, WarpIndex};
use events::finding::Actor;
use events::{AccessKind, BlockId, LaneMask, Proxy, Scope, Side, SiteId, Space, Strength, ThreadId};
use rustc_hash::FxHashMap;
use std::sync::{Arc, Mutex, PoisonError};

/// A pair of sites, in order.
pub type SitePair = (SiteId, SiteId);

/// Examples that are kept of each pair of sites.
const EXAMPLES: usize = 4;

/// Pairs of sites that are kept of one launch.
const PAIRS: usize = 4096;

/// A thread that makes an access.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Accessor {
    pub site: SiteId,
    pub block: BlockId,
    pub thread: ThreadId,
    /// It does so for the n-th time, from 1.
    pub nth: u32,
}

/// Two accesses that conflict, in the order in which they happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Candidate {
    pub accesses: [Accessor; 2],
}

#[derive(Debug, Default)]
struct Found {
    index: FxHashMap<SitePair, Vec<Candidate>>,
    /// In the order in which they were found.
    order: Vec<SitePair>,
    /// Whether `volatile` is as strong as PTX says.
    volatile_strong: bool,
    capped: bool,
}

/// The races that the lens has found so far.
#[derive(Clone, Debug)]
pub struct Candidates(Arc<Mutex<Found>>);

impl Candidates {
    /// Every pair of sites with some examples, in the order in which they were found.
    pub fn take(&self) -> Vec<(SitePair, Vec<Candidate>)> {
        let mut found = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let order = std::mem::take(&mut found.order);
        order.into_iter().filter_map(|pair| Some((pair, found.index.remove(&pair)?))).collect()
    }

    /// Returns whether there were too many pairs to keep.
    pub fn capped(&self) -> bool {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).capped
    }
}

/// The pair of sites of two, in order.
pub fn site_pair(a: SiteId, b: SiteId) -> SitePair {
    (a.min(b), a.max(b))
}

/// The lens, and what it will find.
pub fn build(volatile_strong: bool) -> (Box<dyn Lens>, Candidates) {
    let found = Arc::new(Mutex::new(Found { volatile_strong, ..Found::default() }));
    let rules = BarrierOrder { found: Arc::clone(&found) };
    (Box::new(Engine::<_, Compressed>::new(rules)), Candidates(found))
}

struct BarrierOrder {
    found: Arc<Mutex<Found>>,
}

impl<C: VectorClock> Rules<C> for BarrierOrder {
    const NAME: &'static str = "candidates";
    const COUNTS: bool = true;

    fn fresh(&self) -> Self {
        BarrierOrder { found: Arc::clone(&self.found) }
    }

    fn acquire(&mut self, _: &mut Threads<C>, _: Who, _: &Acquire) {}

    fn release(&mut self, _: &mut Threads<C>, _: Who, _: &Release) {}

    fn touch(&mut self, _: &mut Threads<C>, _: Who, _: Place, _: bool) {}

    fn order<'a>(&self, threads: &'a mut Threads<C>, who: Who) -> &'a C {
        &threads.state(who).h
    }

    fn predicts(&self, _: &mut Threads<C>, _: Who, _: Who, _: u32) -> bool {
        false
    }

    fn holds(&self, _: Who) -> bool {
        false
    }

    fn exit(&mut self, _: WarpIndex, _: LaneMask) {}

    fn bytes(&self, _: &mut Seen) -> u64 {
        0
    }

    fn rule(&self) -> &'static str {
        "not ordered by barriers"
    }

    fn keeps(&mut self, sides: &[Side; 2], nth: [u32; 2], _: Space) -> bool {
        let mut found = self.found.lock().unwrap_or_else(PoisonError::into_inner);
        let accessor = |i: usize| match (sides[i].site, sides[i].who) {
            (Some(site), Actor::Thread { block, thread }) => {
                Some(Accessor { site, block, thread, nth: nth[i] })
            }
            _ => None,
        };
        let (Some(first), Some(second)) = (accessor(0), accessor(1)) else { return true };
        if morally_strong(sides, first.block == second.block, found.volatile_strong) {
            return true;
        }
        found.add(Candidate { accesses: [first, second] });
        true
    }
}

impl Found {
    fn add(&mut self, candidate: Candidate) {
        let [a, b] = candidate.accesses;
        let pair = site_pair(a.site, b.site);
        if !self.index.contains_key(&pair) {
            if self.order.len() >= PAIRS {
                self.capped = true;
                return;
            }
            self.order.push(pair);
        }
        let examples = self.index.entry(pair).or_default();
        let who = |c: &Candidate| c.accesses.map(|a| (a.site, a.block, a.thread));
        if examples.iter().any(|e| who(e) == who(&candidate)) {
            return;
        }
        // The first ones, and the latest: what is odd often comes at the end.
        if examples.len() == EXAMPLES {
            examples.pop();
        }
        examples.push(candidate);
    }
}

/// Returns whether the two never race, because both are strong towards each other (PTX §8.7). A cluster's
/// extent is not known here: of such scopes only those in one block count.
fn morally_strong(sides: &[Side; 2], same_block: bool, volatile_strong: bool) -> bool {
    let covers = |side: &Side| match side.strength {
        Strength::Weak => false,
        Strength::Volatile => volatile_strong,
        Strength::Strong { scope: Scope::Gpu | Scope::Sys, .. } => true,
        Strength::Strong { .. } => same_block,
    };
    let [a, b] = sides;
    let one = (a.address, a.size, a.proxy) == (b.address, b.size, b.proxy);
    covers(a) && covers(b) && (one || is_of_one_word(a, b) || is_of_one_word(b, a))
}

/// A strong load or store of a byte or half, and a strong read of the aligned word around it (assumption 6a).
fn is_of_one_word(part: &Side, word: &Side) -> bool {
    let strong =
        |side: &Side| matches!(side.strength, Strength::Strong { .. }) && side.proxy == Proxy::Generic;
    let kinds = matches!(part.kind, AccessKind::Read | AccessKind::Write)
        && matches!(word.kind, AccessKind::Read | AccessKind::Atomic { .. });
    let within = part.size <= 2 && word.size == 4 && part.address & !3 == word.address;
    within && kinds && strong(part) && strong(word)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lens::script::{Script, T, strong};
    use events::Scope::{Cta, Gpu};
    use events::Sem;

    const X: u64 = 0x1000;
    const L: u64 = 0x2000;
    const A: T = T(0, 0);
    const W: T = T(0, 32);
    const B: T = T(1, 0);

    fn script() -> (Script<Box<dyn Lens>>, Candidates) {
        let (lens, candidates) = build(true);
        (Script::new(lens, 4, 96), candidates)
    }

    #[test]
    fn locks_order_nothing_here() {
        let (mut s, candidates) = script();
        for t in [A, B] {
            s.lock(t, L, Gpu);
            s.write(t, X);
            s.unlock(t, L, Gpu);
        }
        assert_eq!(s.end(), [], "candidates are no findings");
        let found = candidates.take();
        assert_eq!(found.len(), 1, "the lock itself is no candidate: {found:?}");
        let [a, b] = found[0].1[0].accesses;
        assert_eq!((a.block, b.block, a.nth, b.nth), (BlockId(0), BlockId(1), 1, 1));
    }

    #[test]
    fn barriers_do() {
        let (mut s, candidates) = script();
        s.write(A, X);
        s.barrier(0);
        s.write(W, X);
        s.end();
        assert_eq!(candidates.take(), []);
    }

    #[test]
    fn the_execution_is_counted_for_each_thread() {
        let (mut s, candidates) = script();
        let write = |s: &mut Script<_>, t, address| s.write(t, address);
        for i in 0..3 {
            write(&mut s, A, X + 4 * i);
        }
        s.read(B, X + 4);
        s.end();
        let found = candidates.take();
        assert_eq!(found.len(), 1);
        let [a, b] = found[0].1[0].accesses;
        assert_eq!((a.nth, b.nth), (2, 1), "the second of the three writes is the one that is read");
    }

    #[test]
    fn morally_strong_pairs_are_left_out() {
        for (scope, other, expected) in [(Gpu, B, 0), (Cta, W, 0), (Cta, B, 1)] {
            let (mut s, candidates) = script();
            s.write_in(A, Space::Global, X, 1, strong(Sem::Relaxed, scope));
            s.read_in(other, Space::Global, X, strong(Sem::Relaxed, Gpu));
            s.end();
            assert_eq!(candidates.take().len(), expected, "{scope:?}");
        }
    }

    #[test]
    fn a_few_examples_of_each_pair_are_kept() {
        let (mut s, candidates) = script();
        let write = |s: &mut Script<_>, t| s.write_in(t, Space::Global, X, 1, Strength::Weak);
        for thread in 0..90 {
            write(&mut s, T(u32::from(thread) % 4, thread));
        }
        s.end();
        let found = candidates.take();
        assert_eq!((found.len(), found[0].1.len()), (1, EXAMPLES));
    }
}
