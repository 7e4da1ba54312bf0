//! Barriers at which the warps of a block wait at several instructions, for explanations only.
//!
//! `bar.sync` counts threads, not instructions: a `__syncthreads()` in a branch that half of the warps take meets the next
//! one of the other half, and from there on the halves are out of step. Nothing here decides whether two accesses race.

use events::sync::Member;
use events::{BarrierId, BarrierMembers, SiteId};
use rustc_hash::FxHashMap;

/// Warps by the instruction at which they waited.
pub(crate) type Places = Vec<(SiteId, Vec<u16>)>;

type Key = (u32, BarrierId);

/// Arrivals at barriers that are not complete.
#[derive(Debug, Default)]
pub(crate) struct Meetings {
    /// The barrier that was arrived at last, and its first arrival's instruction.
    last: Option<(Key, SiteId)>,
    /// Instructions of first arrivals at the barriers before.
    first: FxHashMap<Key, SiteId>,
    /// Arrivals at another instruction than the first one.
    others: FxHashMap<Key, Vec<(SiteId, u16)>>,
    /// Blocks whose last complete barrier was met at several instructions.
    apart: Vec<u32>,
}

impl Meetings {
    /// Records that a warp waits at a barrier of its block.
    #[inline]
    pub(crate) fn arrives(&mut self, key: Key, site: SiteId, warp: u16) {
        if self.last != Some((key, site)) {
            self.arrives_elsewhere(key, site, warp);
        }
    }

    #[cold]
    fn arrives_elsewhere(&mut self, key: Key, site: SiteId, warp: u16) {
        let first = match self.last {
            Some((last, first)) if last == key => Some(first),
            last => {
                self.first.extend(last);
                self.first.remove(&key)
            }
        };
        self.last = Some((key, first.unwrap_or(site)));
        if first.is_some_and(|first| first != site) {
            self.others.entry(key).or_default().push((site, warp));
        }
    }

    /// Records that a barrier is complete. Returns the places to remember for its block, if its warps waited at several;
    /// no places if those of the barrier before are to be forgotten.
    pub(crate) fn completes(
        &mut self,
        key: Key,
        warps: usize,
        members: &BarrierMembers<'_>,
    ) -> Option<Places> {
        let first = match self.last {
            Some((last, first)) if last == key => {
                self.last = None;
                Some(first)
            }
            _ if self.first.is_empty() => None,
            _ => self.first.remove(&key),
        };
        let others = if self.others.is_empty() { None } else { self.others.remove(&key) };
        let (Some(first), Some(others)) = (first, others) else {
            let known = self.apart.iter().position(|block| *block == key.0)?;
            self.apart.swap_remove(known);
            return Some(Places::new());
        };
        let mut places = Places::new();
        let at = |warp: u16| others.iter().find(|other| other.1 == warp).map_or(first, |other| other.0);
        let mut put = |warp: u16| match places.iter_mut().find(|(site, _)| *site == at(warp)) {
            Some((_, warps)) => warps.push(warp),
            None => places.push((at(warp), vec![warp])),
        };
        match members {
            BarrierMembers::WholeBlock => (0..warps as u16).for_each(&mut put),
            BarrierMembers::Some(members) => {
                let waited = |m: &&Member| m.waited & m.arrived != 0;
                members.iter().filter(waited).for_each(|m| put(m.warp.0));
            }
        }
        if !self.apart.contains(&key.0) {
            self.apart.push(key.0);
        }
        Some(places)
    }

    /// Forgets a block that has ended.
    pub(crate) fn end_block(&mut self, block: u32) {
        self.last = self.last.filter(|((at, _), _)| *at != block);
        self.first.retain(|(at, _), _| *at != block);
        self.others.retain(|(at, _), _| *at != block);
        self.apart.retain(|at| *at != block);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_meet_apart_until_all_meet_at_one_instruction() {
        let (key, all) = ((3, BarrierId::Cta(0)), BarrierMembers::WholeBlock);
        let mut meetings = Meetings::default();
        let mut meet = |sites: [u32; 4]| {
            for (warp, site) in sites.into_iter().enumerate() {
                meetings.arrives(key, SiteId(site), warp as u16);
            }
            meetings.completes(key, 4, &all)
        };
        assert_eq!(meet([7, 7, 7, 7]), None);
        let halves = vec![(SiteId(7), vec![0, 2]), (SiteId(9), vec![1, 3])];
        assert_eq!(meet([7, 9, 7, 9]), Some(halves));
        assert_eq!(meet([7, 7, 7, 7]), Some(vec![]), "they are forgotten");
        assert_eq!(meet([7, 7, 7, 7]), None);
    }

    #[test]
    fn barriers_of_two_blocks_are_two() {
        let all = BarrierMembers::WholeBlock;
        let mut meetings = Meetings::default();
        let of = |block| (block, BarrierId::Cta(0));
        for (block, site) in [(0, 1), (1, 2), (0, 1), (1, 3)] {
            meetings.arrives(of(block), SiteId(site), site as u16 - 1);
        }
        assert_eq!(meetings.completes(of(0), 2, &all), None);
        assert!(meetings.completes(of(1), 3, &all).is_some_and(|places| places.len() == 2));
    }
}
