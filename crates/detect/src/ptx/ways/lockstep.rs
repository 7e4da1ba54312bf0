//! `volatile` accesses of one warp whose lanes are taken to run in lockstep.
//!
//! By PTX §8.4.2 a `volatile` access is a relaxed operation, and two such do not race. But a reduction whose lanes exchange words
//! by `volatile` accesses alone, with no `__syncwarp()` between, relies on an order that independent thread scheduling does not
//! give. That is reported as a hazard.
//!
//! A hazard needs a store by which several lanes write a word each, a flag is none; an access of such a word by
//! another lane of the warp, by another instruction; and nothing between that begins a new tick of the warp (barriers, `__syncwarp()`,
//! fences). Of each instruction so many executions are looked at: it does the same in every warp.

use super::LaunchState;
use crate::ptx::access::touches::lanes;
use events::access::Warp;
use events::finding::Actor;
use events::{Access, Class, Evidence, Finding, LaneMask, Level, Side, SiteId, Space, SyncNote, ThreadId};
use rustc_hash::{FxHashMap, FxHashSet};

/// Executions of an instruction that are looked at.
const LOOKS: u32 = 256;
/// Accesses of a warp that are kept within one tick.
const KEPT: usize = 32;

/// One `volatile` access of a warp.
#[derive(Clone, Debug)]
struct Exchange {
    site: SiteId,
    space: Space,
    mask: LaneMask,
    bytes: u64,
    writes: bool,
    addresses: [u64; 32],
    /// Several lanes write words of their own.
    spread: bool,
    access: events::AccessKind,
}

/// The accesses of a warp since its last tick began.
#[derive(Debug, Default)]
struct Window {
    tick: u32,
    exchanges: Vec<Exchange>,
}

/// One observer's `volatile` accesses.
#[derive(Debug, Default)]
pub(super) struct Lockstep {
    windows: FxHashMap<(u32, u16), Window>,
    looks: FxHashMap<SiteId, u32>,
    /// Pairs that were reported.
    told: FxHashSet<(SiteId, SiteId)>,
}

impl Lockstep {
    pub(super) fn end_block(&mut self, block: u32) {
        self.windows.retain(|(of, _), _| *of != block);
    }

    /// Returns whether this execution of an instruction is one of those that are looked at.
    fn looks_at(&mut self, site: SiteId) -> bool {
        let looks = self.looks.entry(site).or_default();
        *looks = looks.saturating_add(1);
        *looks <= LOOKS
    }

    /// Adds an access; returns earlier ones of the same tick that it conflicts with, and a lane of each.
    fn add(&mut self, new: &Exchange, warp: Warp, tick: u32) -> Vec<(Exchange, (u32, u32))> {
        let window = self.windows.entry((warp.block.0, warp.warp.0)).or_default();
        if window.tick != tick {
            window.exchanges.clear();
            window.tick = tick;
        }
        let mut found = Vec::new();
        for old in window.exchanges.iter().filter(|old| old.space == new.space && old.site != new.site) {
            let spread = old.writes && old.spread || new.writes && new.spread;
            let pair = (old.site.min(new.site), old.site.max(new.site));
            if spread
                && !self.told.contains(&pair)
                && let Some(lanes) = meets(old, new)
            {
                self.told.insert(pair);
                found.push((old.clone(), lanes));
            }
        }
        if window.exchanges.len() < KEPT {
            window.exchanges.push(new.clone());
        }
        found
    }
}

/// Two different lanes that access a common byte.
fn meets(old: &Exchange, new: &Exchange) -> Option<(u32, u32)> {
    meets_by_words(old, new).unwrap_or_else(|| meets_by_bytes(old, new))
}

/// Words that [`meets_by_words`] can tell apart.
const WORDS: u64 = 1024;

/// The same for whole words near each other, as they are in shared memory; `None` for others.
fn meets_by_words(old: &Exchange, new: &Exchange) -> Option<Option<(u32, u32)>> {
    let base = addresses(old).chain(addresses(new)).min()?;
    let near = |of: &Exchange| {
        of.bytes.is_multiple_of(4)
            && addresses(of)
                .all(|at| (at - base).is_multiple_of(4) && (at - base) / 4 + of.bytes / 4 <= WORDS)
    };
    if !near(old) || !near(new) {
        return None;
    }
    let words = |of: &Exchange, lane: usize| {
        let first = ((of.addresses[lane] - base) / 4) as usize;
        first..first + (of.bytes / 4) as usize
    };
    // For each word the first two lanes that access it: for any lane, one of them is another lane.
    let mut lanes_of = [[NO_LANE; 2]; WORDS as usize];
    for lane in lanes(old.mask) {
        for [first, second] in &mut lanes_of[words(old, lane)] {
            if *first == NO_LANE {
                *first = lane as u8;
            } else if *second == NO_LANE {
                *second = lane as u8;
            }
        }
    }
    let other = |lane: usize| {
        let of = lanes_of[words(new, lane)].iter().flatten().copied();
        of.filter(|&other| other != NO_LANE && usize::from(other) != lane).min()
    };
    Some(lanes(new.mask).filter_map(|b| Some((u32::from(other(b)?), b as u32))).min())
}

/// No lane of a warp.
const NO_LANE: u8 = u8::MAX;

fn addresses(of: &Exchange) -> impl Iterator<Item = u64> + '_ {
    lanes(of.mask).map(|lane| of.addresses[lane])
}

fn meets_by_bytes(old: &Exchange, new: &Exchange) -> Option<(u32, u32)> {
    lanes(old.mask).find_map(|a| {
        let meets = |b: usize| {
            let (x, y) = (old.addresses[a], new.addresses[b]);
            a != b && x < y.wrapping_add(new.bytes) && y < x.wrapping_add(old.bytes)
        };
        lanes(new.mask).find(|&b| meets(b)).map(|b| (a as u32, b as u32))
    })
}

impl LaunchState {
    /// A `volatile` access of a warp, which is a strong one.
    pub(super) fn exchanges(&mut self, access: &Access<'_>) {
        if !self.lockstep.looks_at(access.site) {
            return;
        }
        let Warp { block, warp, .. } = access.warp;
        let known = self.blocks.get(block.0).and_then(|block| block.warps.get(usize::from(warp.0)));
        let tick = known.map_or(1, |warp| warp.tick);
        let (first, writes) = (access.mask.trailing_zeros() as usize % 32, access.kind.writes());
        let spread = lanes(access.mask).any(|lane| access.addresses[lane] != access.addresses[first]);
        let new = Exchange {
            site: access.site,
            space: access.space,
            mask: access.mask,
            bytes: u64::from(access.size) * u64::from(access.elements.max(1)),
            writes,
            addresses: *access.addresses,
            spread,
            access: access.kind,
        };
        for (old, (a, b)) in self.lockstep.add(&new, access.warp, tick) {
            let side = |of: &Exchange, lane: u32| Side {
                site: Some(of.site),
                task: access.warp.task,
                who: Actor::Thread { block, thread: ThreadId(warp.0 * 32 + lane as u16) },
                kind: of.access,
                strength: events::Strength::Volatile,
                proxy: events::Proxy::Generic,
                address: of.addresses[lane as usize % 32],
                size: of.bytes as u32,
            };
            self.launch.sink.add(Finding {
                lens: "ptx".to_owned(),
                level: Level::Hazard,
                class: Class::VolatileWarp,
                evidence: Evidence::Observed,
                space: access.space,
                sides: [side(&old, a), side(&new, b)],
                notes: vec![SyncNote::Nothing],
                count: 1,
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Exchange, meets_by_bytes, meets_by_words};
    use events::{AccessKind, SiteId, Space};
    use proptest::prelude::*;

    fn exchange() -> impl Strategy<Value = Exchange> {
        let offsets = prop::collection::vec(0_u64..48, 32);
        (any::<u32>(), prop::sample::select(vec![4_u64, 8, 16]), offsets).prop_map(
            |(mask, bytes, offsets)| {
                let mut addresses = [0; 32];
                for (address, offset) in addresses.iter_mut().zip(offsets) {
                    *address = 0x2000 + 4 * offset;
                }
                let (site, space, access) = (SiteId(0), Space::Global, AccessKind::Write);
                Exchange { site, space, mask, bytes, writes: true, addresses, spread: true, access }
            },
        )
    }

    proptest! {
        #[test]
        fn words_and_bytes_find_the_same_lanes(old in exchange(), new in exchange()) {
            prop_assume!(old.mask != 0 || new.mask != 0);
            prop_assert_eq!(meets_by_words(&old, &new), Some(meets_by_bytes(&old, &new)));
        }
    }
}
