//! The threads that touched the bytes of a page.

use super::{NO_SITE, Run};
use crate::ptx::history::words::summary::Each;
use events::SiteId;
use std::sync::Arc;

/// The thread that touched the bytes up to the next touch of a run, or to the run's end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Touch {
    pub(super) from: u16,
    /// The thread of the first byte, and above it the logarithm of the bytes of each next thread, or [`ONE`].
    pub(super) who: u16,
    pub(super) block: u32,
    pub(super) site: u32,
}

/// Bits of the index of a thread in its block.
pub(super) const THREAD: u32 = 11;
/// One thread touched all bytes.
pub(super) const ONE: u16 = 31;

impl Touch {
    pub(super) fn thread(&self, at: u16) -> u16 {
        let log = self.who >> THREAD;
        let first = self.who & ((1 << THREAD) - 1);
        if log == ONE { first } else { first + ((at - self.from) >> log) }
    }

    /// The same from a later byte on.
    pub(super) fn since(mut self, at: u16) -> Touch {
        if self.who >> THREAD != ONE {
            self.who = self.who & !((1 << THREAD) - 1) | self.thread(at);
        }
        self.from = at;
        self
    }

    /// Returns whether it stands for `next` behind it, too.
    pub(super) fn goes_on(&self, next: &Touch) -> bool {
        let log = self.who >> THREAD;
        (self.block, self.site, log) == (next.block, next.site, next.who >> THREAD)
            && self.thread(next.from) == next.thread(next.from)
            && (log == ONE || (next.from - self.from).is_multiple_of(1 << log))
    }
}

/// Set in where a run's touches begin: it is of words, of which `Touches::each` tells, and the other bits are the layer there.
pub(super) const LAYER: u32 = 1 << 31;

/// The threads that touched the bytes of a page's runs.
#[derive(Clone, Debug)]
pub(crate) struct Touches {
    pub(super) some: Arc<[Touch]>,
    /// Threads of runs of words that were touched one by one, if there are any.
    pub(super) each: Option<Arc<Each>>,
}

/// One thread's access.
pub(crate) struct Toucher {
    pub(crate) site: Option<SiteId>,
    pub(crate) block: u32,
    pub(crate) thread: u16,
    /// The first byte of its element, in the page.
    pub(crate) from: u16,
}

impl Touches {
    fn of(&self, run: &Run) -> &[Touch] {
        let first = run.first as usize;
        self.some.get(first..first + usize::from(run.touches)).unwrap_or_default()
    }

    /// Those of a run of words, and which layer of them.
    fn each(&self, run: &Run) -> Option<(&Each, u32)> {
        Some((self.each.as_deref().filter(|_| run.first & LAYER != 0)?, run.first & !LAYER))
    }

    /// The touches of a run from byte `from` on, each with its instruction and where the next one begins.
    pub(super) fn from(&self, run: &Run, from: u16) -> impl Iterator<Item = (Option<SiteId>, u16)> {
        let touches = self.of(run);
        let touches = &touches[touches.partition_point(|t| t.from <= from).saturating_sub(1)..];
        let some = touches.iter().enumerate().map(|(i, touch)| {
            let site = (touch.site != NO_SITE).then_some(SiteId(touch.site));
            (site, touches.get(i + 1).map_or(u16::MAX, |next| next.from))
        });
        let words = from / 4..run.to.div_ceil(4);
        some.chain(self.each(run).into_iter().flat_map(move |(each, layer)| {
            words.clone().map(move |word| (Some(each.site(layer, word.into())), (word + 1) * 4))
        }))
    }

    /// Returns the thread that touched a byte of a run.
    pub(crate) fn at(&self, run: &Run, byte: u16) -> Option<Toucher> {
        if let Some((each, layer)) = self.each(run) {
            let (block, thread) = each.thread(layer, (byte / 4).into());
            let site = Some(each.site(layer, (byte / 4).into()));
            return Some(Toucher { site, block, thread, from: byte / 4 * 4 });
        }
        let touches = self.of(run);
        let touch = touches.get(touches.partition_point(|t| t.from <= byte).checked_sub(1)?)?;
        let into = byte - touch.from;
        Some(Toucher {
            site: (touch.site != NO_SITE).then_some(SiteId(touch.site)),
            block: touch.block,
            thread: touch.thread(byte),
            from: byte - into % run.size.max(1),
        })
    }
}
