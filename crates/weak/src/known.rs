//! The knowledge of a point in a launch: the events that precede it in base causality order, and those of
//! which proxy fences preserve that order (PTX §8.9.5).

use crate::path::{Crossing, Proxy};
use clocks::{Shared, Tick};
use events::sync::ProxySpace;

#[derive(Clone, Debug, Default)]
pub(crate) struct Known {
    base: Shared,
    /// The events behind which fences made each crossing; empty in launches without proxy fences.
    crossed: Vec<(Crossing, Shared)>,
}

impl Known {
    pub(crate) fn is_empty(&self) -> bool {
        self.base.is_empty()
    }

    pub(crate) fn join(&mut self, other: &Known) {
        self.base.join(&other.base);
        for (crossing, clock) in &other.crossed {
            self.cross(*crossing, clock);
        }
    }

    /// Returns whether this knowledge contains the other.
    pub(crate) fn covers(&self, other: &Known) -> bool {
        let mut crossed = other.crossed.iter();
        self.base.covers(&other.base)
            && crossed.all(|(crossing, clock)| match self.crossed(*crossing) {
                Some(mine) => mine.covers(clock),
                None => clock.is_empty(),
            })
    }

    /// Returns the time of a thread that precedes in base causality order or, of a crossing, behind its
    /// fences.
    pub(crate) fn thread(&self, crossing: Option<Crossing>, block: u32, thread: u32) -> Tick {
        match crossing {
            None => self.base.thread(block, thread),
            Some(crossing) => self.crossed(crossing).map_or(0, |clock| clock.thread(block, thread)),
        }
    }

    pub(crate) fn raise(&mut self, block: u32, thread: u32, at: Tick) {
        self.base.make_mut().block_mut(block).raise_thread(thread, at);
    }

    fn crossed(&self, crossing: Crossing) -> Option<&Shared> {
        self.crossed.iter().find(|(of, _)| *of == crossing).map(|(_, clock)| clock)
    }

    fn cross(&mut self, crossing: Crossing, clock: &Shared) {
        match self.crossed.iter_mut().find(|(of, _)| *of == crossing) {
            Some((_, mine)) => mine.join(clock),
            None => self.crossed.push((crossing, clock.clone())),
        }
    }

    /// Adds what a fence makes of the knowledge `whole` of its thread. A fence of a proxy lets the accesses of
    /// its block by that proxy reach others, and others' reach those of its block; an alias fence lets every
    /// access reach other virtual addresses.
    pub(crate) fn fence(&mut self, whole: &Known, fence: ProxyFence, block: u32) {
        let none = Crossing { from: None, alias: false, to: None };
        let behind = whole.crossed.iter().map(|(of, clock)| (*of, clock));
        for (crossing, clock) in std::iter::once((none, &whole.base)).chain(behind) {
            match fence {
                ProxyFence::Alias if crossing.to.is_none() && !crossing.alias => {
                    self.cross(Crossing { alias: true, ..crossing }, clock);
                }
                ProxyFence::Of(proxy) if crossing.to.is_none() => {
                    self.cross(Crossing { to: Some((proxy, block)), ..crossing }, clock);
                }
                _ => {}
            }
        }
        if let ProxyFence::Of(proxy) = fence
            && let Some(own) = whole.base.get().and_then(|clock| clock.block(block))
        {
            let mut clock = Shared::default();
            clock.make_mut().block_mut(block).join(own);
            self.cross(Crossing { from: Some(proxy), ..none }, &clock);
        }
    }
}

/// A `fence.proxy` instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProxyFence {
    /// Between the generic proxy and this one.
    Of(Proxy),
    /// `fence.proxy.alias`.
    Alias,
}

impl ProxyFence {
    /// Returns the fences that an event stands for, in which the generic proxy means virtual aliases.
    pub(crate) fn of(proxy: events::Proxy, space: Option<ProxySpace>) -> impl Iterator<Item = ProxyFence> {
        let of = move |shared| match Proxy::of(proxy, shared) {
            Proxy::Generic => ProxyFence::Alias,
            proxy => ProxyFence::Of(proxy),
        };
        let global = space.is_none_or(|space| space == ProxySpace::Global);
        let shared = proxy == events::Proxy::Async && space.is_none_or(|space| space != ProxySpace::Global);
        [global.then(|| of(false)), shared.then(|| of(true))].into_iter().flatten()
    }
}
