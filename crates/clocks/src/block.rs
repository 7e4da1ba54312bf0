//! The vector clock of one block.

use crate::Tick;
use crate::seen::Seen;
use std::sync::Arc;

/// The vector clock over the threads of one block, compressed along the thread hierarchy.
///
/// A thread's entry is the largest of three ticks: the block's, its warp's and its own. An entry that a
/// coarser one covers is not stored. If all 32 lanes of a warp have entries, their minimum is the warp's
/// entry. Equal clocks therefore compare equal and stay small.
///
/// A clone of a neighbouring clock is common, since an update of one block's clock copies the whole chunk
/// that holds it. Most clocks have at most one warp entry and one thread entry; these are stored inline. More
/// entries go to a list that clones share.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BlockClock {
    all: Tick,
    /// The inline warp entry and thread entry: the two indices and their ticks. A tick of 0 marks an absent
    /// entry.
    warp: u16,
    thread: u16,
    of_warp: Tick,
    of_thread: Tick,
    /// The entry lists. If this is `Some`, the inline entries are unused.
    more: Option<Arc<More>>,
}

/// Pairs of a warp's or thread's index and its tick.
type Entries = Vec<(u32, Tick)>;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct More {
    /// Warp entries, sorted by warp.
    warps: Entries,
    /// Thread entries, sorted by thread.
    threads: Entries,
}

fn find(entries: &[(u32, Tick)], key: u32) -> Tick {
    match entries.binary_search_by_key(&key, |e| e.0) {
        Ok(i) => entries[i].1,
        Err(_) => 0,
    }
}

fn raise(entries: &mut Entries, key: u32, tick: Tick) {
    match entries.binary_search_by_key(&key, |e| e.0) {
        Ok(i) => entries[i].1 = entries[i].1.max(tick),
        Err(i) => entries.insert(i, (key, tick)),
    }
}

/// Returns the only entry of a list, `(0, 0)` for an empty list, and `None` if the list does not fit the
/// inline form.
fn only(entries: &[(u32, Tick)]) -> Option<(u16, Tick)> {
    match entries {
        [] => Some((0, 0)),
        &[(key, tick)] => Some((u16::try_from(key).ok()?, tick)),
        _ => None,
    }
}

impl More {
    fn raise_all(&mut self, tick: Tick) {
        self.warps.retain(|e| e.1 > tick);
        self.threads.retain(|e| e.1 > tick);
    }

    fn raise_warp(&mut self, warp: u32, tick: Tick) {
        raise(&mut self.warps, warp, tick);
        self.threads.retain(|e| e.0 / 32 != warp || e.1 > tick);
    }

    /// Raises the entry of `thread`. If all 32 lanes of its warp then have entries, the warp's entry rises to
    /// their minimum.
    fn raise_thread(&mut self, thread: u32, tick: Tick) {
        raise(&mut self.threads, thread, tick);
        let warp = thread / 32;
        let first = self.threads.partition_point(|e| e.0 < warp * 32);
        let lanes = &self.threads[first..];
        if lanes.len() < 32 || lanes[31].0 != warp * 32 + 31 {
            return;
        }
        if let Some(least) = lanes[..32].iter().map(|e| e.1).min()
            && least > find(&self.warps, warp)
        {
            self.raise_warp(warp, least);
        }
    }
}

impl BlockClock {
    /// Returns the bytes on the heap that `seen` does not count yet.
    pub(crate) fn bytes(&self, seen: &mut Seen) -> usize {
        match &self.more {
            Some(more) if seen.first(more) => {
                size_of::<More>() + 16 + (more.warps.capacity() + more.threads.capacity()) * 8
            }
            _ => 0,
        }
    }

    /// Returns the tick that every thread of the block has reached in this clock.
    pub fn all(&self) -> Tick {
        self.all
    }

    /// Returns the tick that every thread of `warp` has reached in this clock.
    pub fn warp(&self, warp: u32) -> Tick {
        let own = match &self.more {
            None if u32::from(self.warp) == warp => self.of_warp,
            None => 0,
            Some(more) => find(&more.warps, warp),
        };
        self.all.max(own)
    }

    /// Returns the entry of `thread` (warp * 32 + lane).
    pub fn thread(&self, thread: u32) -> Tick {
        let own = match &self.more {
            None if u32::from(self.thread) == thread => self.of_thread,
            None => 0,
            Some(more) => find(&more.threads, thread),
        };
        self.warp(thread / 32).max(own)
    }

    /// Applies `change` to the list form, then returns to the inline form if the entries fit it.
    #[cold]
    fn change(&mut self, change: impl FnOnce(&mut More)) {
        let mut more = self.more.take().unwrap_or_else(|| {
            let entries = |key: u16, tick| if tick > 0 { vec![(key.into(), tick)] } else { Vec::new() };
            let (warps, threads) = (entries(self.warp, self.of_warp), entries(self.thread, self.of_thread));
            Arc::new(More { warps, threads })
        });
        change(Arc::make_mut(&mut more));
        let few = only(&more.warps).zip(only(&more.threads));
        ((self.warp, self.of_warp), (self.thread, self.of_thread)) = few.unwrap_or_default();
        self.more = few.is_none().then_some(more);
    }

    pub fn raise_all(&mut self, tick: Tick) {
        if tick <= self.all {
            return;
        }
        self.all = tick;
        if self.more.is_some() {
            return self.change(|more| more.raise_all(tick));
        }
        if self.of_warp <= tick {
            (self.warp, self.of_warp) = (0, 0);
        }
        if self.of_thread <= tick {
            (self.thread, self.of_thread) = (0, 0);
        }
    }

    pub fn raise_warp(&mut self, warp: u32, tick: Tick) {
        if tick <= self.warp(warp) {
            return;
        }
        match u16::try_from(warp) {
            Ok(own) if self.more.is_none() && (self.of_warp == 0 || self.warp == own) => {
                (self.warp, self.of_warp) = (own, tick);
                if u32::from(self.thread) / 32 == warp && self.of_thread <= tick {
                    (self.thread, self.of_thread) = (0, 0);
                }
            }
            _ => self.change(|more| more.raise_warp(warp, tick)),
        }
    }

    pub fn raise_thread(&mut self, thread: u32, tick: Tick) {
        if tick <= self.thread(thread) {
            return;
        }
        match u16::try_from(thread) {
            Ok(own) if self.more.is_none() && (self.of_thread == 0 || self.thread == own) => {
                (self.thread, self.of_thread) = (own, tick);
            }
            _ => self.change(|more| more.raise_thread(thread, tick)),
        }
    }

    /// Raises this clock to the pointwise maximum of both clocks.
    pub fn join(&mut self, other: &BlockClock) {
        self.raise_all(other.all);
        match &other.more {
            None => {
                self.raise_warp(other.warp.into(), other.of_warp);
                self.raise_thread(other.thread.into(), other.of_thread);
            }
            Some(more) => {
                more.warps.iter().for_each(|&(warp, tick)| self.raise_warp(warp, tick));
                more.threads.iter().for_each(|&(thread, tick)| self.raise_thread(thread, tick));
            }
        }
    }

    /// Returns whether every entry of this clock is at least that of `other`.
    #[inline]
    pub fn covers(&self, other: &BlockClock) -> bool {
        other.all <= self.all
            && match &other.more {
                None => {
                    other.of_warp <= self.warp(other.warp.into())
                        && other.of_thread <= self.thread(other.thread.into())
                }
                Some(more) => self.covers_each(more),
            }
    }

    #[cold]
    fn covers_each(&self, other: &Arc<More>) -> bool {
        let More { warps, threads } = &**other;
        let shared = self.more.as_ref().is_some_and(|own| Arc::ptr_eq(own, other));
        shared
            || warps.iter().all(|&(w, t)| t <= self.warp(w))
                && threads.iter().all(|&(u, t)| t <= self.thread(u))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_known_of_all_lanes_is_known_of_the_warp() {
        let mut c = BlockClock::default();
        for lane in (0..32).rev() {
            assert_eq!(c.warp(1), 0);
            c.raise_thread(32 + lane, 3 + lane % 2);
        }
        assert_eq!((c.warp(1), c.thread(32), c.thread(33), c.thread(31)), (3, 3, 4, 0));
        let mut same = BlockClock::default();
        same.raise_warp(1, 3);
        for lane in (1..32).step_by(2) {
            same.raise_thread(32 + lane, 4);
        }
        assert_eq!(c, same);
    }

    /// Compares the inline form and the list form with a plain table of threads: entries agree, and clocks
    /// that agree on all threads are equal.
    #[test]
    fn clocks_of_a_block_know_what_a_plain_table_knows() {
        const THREADS: [u32; 70] = {
            let mut all = [0; 70];
            let mut i = 0;
            while i < 70 {
                all[i] = if i < 66 { i as u32 } else { (1 << 16) + i as u32 };
                i += 1;
            }
            all
        };
        let (mut seed, mut listed, mut alike) = (1u64, 0, 0);
        let mut random = |of: u64| {
            seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (seed >> 33) % of
        };
        let mut clocks = vec![(BlockClock::default(), [0 as Tick; 70]); 3];
        for turn in 0..if cfg!(miri) { 40 } else { 30_000 } {
            let (which, from) = (random(3) as usize, random(3) as usize);
            if turn % 50 == 0 {
                clocks[which] = (BlockClock::default(), [0; 70]);
            }
            let theirs = clocks[from].clone();
            let (clock, table) = &mut clocks[which];
            let (thread, tick) = (random(if turn % 100 < 50 { 4 } else { 70 }) as usize, random(9) as Tick);
            let raised = |known: &mut Tick| *known = tick.max(*known);
            match random(40) {
                0 => {
                    clock.raise_all(tick / 2);
                    table.iter_mut().for_each(|known| *known = (tick / 2).max(*known));
                }
                1..4 => {
                    let warp = THREADS[thread] / 32;
                    clock.raise_warp(warp, tick);
                    table
                        .iter_mut()
                        .zip(THREADS)
                        .filter(|(_, t)| t / 32 == warp)
                        .for_each(|(known, _)| raised(known));
                }
                4 => {
                    clock.join(&theirs.0);
                    table.iter_mut().zip(theirs.1).for_each(|(known, tick)| *known = tick.max(*known));
                }
                5 => {
                    // All lanes of a warp, in ascending order.
                    for lane in 0..32 {
                        clock.raise_thread(lane, tick);
                        raised(&mut table[lane as usize]);
                    }
                }
                _ => {
                    clock.raise_thread(THREADS[thread], tick);
                    raised(&mut table[thread]);
                }
            }
            let (clock, table) = &clocks[which];
            listed += usize::from(clock.more.is_some());
            for (thread, &tick) in THREADS.iter().zip(table) {
                assert_eq!(clock.thread(*thread), tick, "{thread} {clock:?}");
            }
            for (other, of_other) in &clocks {
                let covers = table.iter().zip(of_other).all(|(a, b)| a >= b);
                // An entry for a whole warp or block also covers threads outside the table, so the table may
                // cover more than the clock.
                assert!(covers || !clock.covers(other), "{clock:?} {other:?}");
                assert!(
                    !clock.covers(other) || !other.covers(clock) || clock == other,
                    "{clock:?} {other:?}"
                );
                alike += usize::from(clock == other);
            }
        }
        assert!(cfg!(miri) || listed > 5000 && alike > 30_000, "{listed} {alike}");
    }

    #[test]
    fn coarser_knowledge_absorbs_finer() {
        let mut c = BlockClock::default();
        c.raise_thread(33, 4);
        c.raise_thread(34, 9);
        c.raise_warp(1, 5);
        assert_eq!(c.thread(33), 5);
        assert_eq!(c.thread(34), 9);
        assert_eq!(c.thread(5), 0);
        c.raise_all(9);
        assert_eq!(c, BlockClock { all: 9, ..BlockClock::default() });
    }
}
