//! What is known of one block.

use crate::Tick;
use smallvec::SmallVec;

/// Ticks up to which a thread of the block is known: the largest of the block's, its warp's
/// and its own. Entries that a coarser one covers are not kept, and those of a whole warp are one of the
/// warp, so equal knowledge is equal and small.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct BlockClock {
    all: Tick,
    /// `(warp, tick)`, sorted by warp.
    warps: SmallVec<[(u32, Tick); 2]>,
    /// `(thread, tick)`, sorted by thread.
    threads: SmallVec<[(u32, Tick); 2]>,
}

/// Whoever changes what is known of one block copies that of its neighbours, too.
impl Clone for BlockClock {
    #[inline]
    fn clone(&self) -> Self {
        BlockClock { all: self.all, warps: copy(&self.warps), threads: copy(&self.threads) }
    }
}

/// Most have an entry or none.
#[inline]
fn copy(entries: &SmallVec<[(u32, Tick); 2]>) -> SmallVec<[(u32, Tick); 2]> {
    match **entries {
        [] => SmallVec::new(),
        [one] => SmallVec::from_buf_and_len([one, (0, 0)], 1),
        [one, other] => SmallVec::from_buf([one, other]),
        ref all => SmallVec::from_slice(all),
    }
}

fn find(entries: &[(u32, Tick)], key: u32) -> Tick {
    match entries.binary_search_by_key(&key, |e| e.0) {
        Ok(i) => entries[i].1,
        Err(_) => 0,
    }
}

fn raise(entries: &mut SmallVec<[(u32, Tick); 2]>, key: u32, tick: Tick) {
    match entries.binary_search_by_key(&key, |e| e.0) {
        Ok(i) => entries[i].1 = entries[i].1.max(tick),
        Err(i) => entries.insert(i, (key, tick)),
    }
}

impl BlockClock {
    /// Bytes on the heap.
    pub(crate) fn bytes(&self) -> usize {
        let heap = |list: &SmallVec<[(u32, Tick); 2]>| if list.spilled() { list.capacity() * 8 } else { 0 };
        heap(&self.warps) + heap(&self.threads)
    }

    /// The tick up to which every thread is known.
    pub fn all(&self) -> Tick {
        self.all
    }

    /// The tick up to which every thread of `warp` is known.
    pub fn warp(&self, warp: u32) -> Tick {
        self.all.max(find(&self.warps, warp))
    }

    /// The tick up to which `thread` (warp * 32 + lane) is known.
    pub fn thread(&self, thread: u32) -> Tick {
        self.warp(thread / 32).max(find(&self.threads, thread))
    }

    pub fn raise_all(&mut self, tick: Tick) {
        if tick > self.all {
            self.all = tick;
            self.warps.retain(|e| e.1 > tick);
            self.threads.retain(|e| e.1 > tick);
        }
    }

    pub fn raise_warp(&mut self, warp: u32, tick: Tick) {
        if tick > self.warp(warp) {
            raise(&mut self.warps, warp, tick);
            self.threads.retain(|e| e.0 / 32 != warp || e.1 > tick);
        }
    }

    pub fn raise_thread(&mut self, thread: u32, tick: Tick) {
        if tick > self.thread(thread) {
            raise(&mut self.threads, thread, tick);
            self.join_lanes(thread / 32);
        }
    }

    /// What is known of each of 32 lanes is known of the warp.
    fn join_lanes(&mut self, warp: u32) {
        let first = self.threads.partition_point(|e| e.0 < warp * 32);
        let lanes = &self.threads[first..];
        if lanes.len() < 32 || lanes[31].0 != warp * 32 + 31 {
            return;
        }
        if let Some(least) = lanes[..32].iter().map(|e| e.1).min() {
            self.raise_warp(warp, least);
        }
    }

    /// Becomes the least clock that knows what either knew.
    pub fn join(&mut self, other: &BlockClock) {
        self.raise_all(other.all);
        for &(warp, tick) in &other.warps {
            self.raise_warp(warp, tick);
        }
        for &(thread, tick) in &other.threads {
            self.raise_thread(thread, tick);
        }
    }

    /// Does it know all that `other` knows?
    pub fn covers(&self, other: &BlockClock) -> bool {
        other.all <= self.all && (other.warps.len() + other.threads.len() == 0 || self.covers_each(other))
    }

    /// Which of two covers the other, if that is soon told: most know of a barrier of all, and of one thread at most.
    #[inline]
    pub(crate) fn soon_compared(&self, other: &BlockClock) -> Option<(bool, bool)> {
        let ((all, thread, tick), (of_all, of_thread, of_tick)) = (self.few()?, other.few()?);
        let alike = thread == of_thread;
        let covers = of_all <= all && (of_tick <= all || alike && of_tick <= tick);
        let covered = all <= of_all && (tick <= of_all || alike && tick <= of_tick);
        Some((covers, covered))
    }

    /// What is known of all, and of which thread more, up to which tick; 0 if of none. `None` if there is more.
    #[inline]
    fn few(&self) -> Option<(Tick, u32, Tick)> {
        match (self.warps.is_empty(), &*self.threads) {
            (true, []) => Some((self.all, 0, 0)),
            (true, &[(thread, tick)]) => Some((self.all, thread, tick)),
            _ => None,
        }
    }

    fn covers_each(&self, other: &BlockClock) -> bool {
        other.warps.iter().all(|&(w, t)| t <= self.warp(w))
            && other.threads.iter().all(|&(u, t)| t <= self.thread(u))
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

    /// As far as the short way goes, it says what the long one says.
    #[test]
    fn what_is_soon_compared_is_compared() {
        let (mut seed, mut few) = (1u64, 0);
        let mut random = |of: u64| {
            seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (seed >> 33) % of
        };
        for _ in 0..20_000 {
            let [one, other] = [(); 2].map(|()| {
                let mut clock = BlockClock::default();
                clock.raise_all(random(4) as Tick);
                (0..random(3)).for_each(|_| clock.raise_thread(random(3) as u32, random(6) as Tick));
                if random(8) == 0 {
                    clock.raise_warp(random(2) as u32, random(6) as Tick);
                }
                clock
            });
            if let Some(soon) = one.soon_compared(&other) {
                few += 1;
                assert_eq!(soon, (one.covers(&other), other.covers(&one)), "{one:?} {other:?}");
            }
        }
        assert!(few > 5000, "{few}");
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
