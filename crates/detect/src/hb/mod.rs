//! Lens `hb`: scoped happens-before with vector clocks, the detector that *Predictive Data
//! Race Detection for GPUs* calls Barracuda+ (§5.1) after *BARRACUDA* (Eizenberg et al.;
//! PLDI 2017).
//!
//! **Followed:** happens-before is the closure of program order of each *thread* (no
//! lockstep), block and warp barriers, and releases to acquires of one variable if both are in
//! one block or at least one of them has device scope; releases and acquires are inferred
//! from fences next to memory operations ([`idioms`]). Two accesses race if they conflict,
//! are unordered, and are not both atomics whose lesser scope covers both. Lanes of one instruction that store to one location race.
//! Global and shared memory are checked, the latter for each block apart. ClockOptions are
//! compressed along the thread hierarchy ([`clocks::compressed`]), threads that only meet at
//! barriers share them, and threads that exit give them up ([`threads`]).
//!
//! **Deviations:** `.acquire` and `.release` forms, strong loads and stores (which are
//! atomics), cluster barriers and mbarriers are understood; memory is told apart by bytes; an
//! asynchronous copy counts as made by its issuer when it is issued; a thread that left
//! before a block barrier is taken for one that arrived. A volatile load that spins on a
//! release store, or acquires it, does not race with it. That one device scope of a release
//! and an acquire suffices is the papers' rule, PTX demands both; of atomics the paper says
//! in one sentence that the lesser scope must cover both and in the next that only two
//! block-scoped ones race: the first is followed.
//!
//! **Guarantee:** every finding has two conflicting accesses of this run that happens-before
//! does not order, under the reading of fences above. A consumer that reads a flag without a
//! fence after it has acquired nothing, so its reads race, as in PTX, whatever ScoRD says.

pub mod engine;
pub mod idioms;
pub mod rules;
pub mod shadow;
#[cfg(test)]
mod tests;
pub mod threads;
pub mod variables;

use crate::lens::serial::Lens;
use clocks::compressed::{Compressed, Plain, Seen, VectorClock, WarpIndex};
use engine::Engine;
use events::LaneMask;
use idioms::{Acquire, Release, Variable};
use names::lens::ClockOptions;
use rules::{Place, Rules};
use rustc_hash::FxHashMap;
use threads::{Threads, Who};
use variables::Scoped;

/// The lens.
pub fn build(options: ClockOptions) -> Box<dyn Lens> {
    if options.compressed {
        Box::new(Engine::new(HappensBefore::<Compressed>::default()))
    } else {
        Box::new(Engine::new(HappensBefore::<Plain>::default()))
    }
}

/// The order: what each variable's releases have published.
pub struct HappensBefore<C> {
    variables: FxHashMap<Variable, Scoped<C>>,
}

impl<C> Default for HappensBefore<C> {
    fn default() -> Self {
        HappensBefore { variables: FxHashMap::default() }
    }
}

impl<C: VectorClock> Rules<C> for HappensBefore<C> {
    const NAME: &'static str = "hb";

    fn fresh(&self) -> Self {
        Self::default()
    }

    fn acquire(&mut self, threads: &mut Threads<C>, who: Who, acquire: &Acquire) {
        let shape = threads.shape;
        if let Some(published) = self.variables.get(&acquire.variable) {
            let state = threads.state_mut(who);
            published.join_into(&shape, who.at.block, acquire.block_scope, &mut state.h);
        }
    }

    fn release(&mut self, threads: &mut Threads<C>, who: Who, release: &Release) {
        let shape = threads.shape;
        let clock = threads.state(who).full_h(&shape, who);
        let published = self.variables.entry(release.variable).or_default();
        published.join(&shape, who.at.block, release.block_scope, &clock);
    }

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

    fn bytes(&self, seen: &mut Seen) -> u64 {
        self.variables.values().map(|v| v.bytes(seen)).sum()
    }

    fn rule(&self) -> &'static str {
        "not ordered by scoped happens-before (Barracuda+)"
    }
}
