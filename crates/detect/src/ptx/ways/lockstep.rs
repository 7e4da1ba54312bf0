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
use crate::ptx::access::thread::index;
use crate::ptx::access::touches::lanes;
use clocks::compressed::WarpIndex;
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
    row: Option<Row>,
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
    windows: FxHashMap<WarpIndex, Window>,
    looks: FxHashMap<SiteId, u32>,
    /// Pairs that were reported.
    told: FxHashSet<(SiteId, SiteId)>,
}

impl Lockstep {
    pub(super) fn end_block(&mut self, block: u32) {
        self.windows.retain(|of, _| of.block != block);
    }

    /// Returns whether this execution of an instruction is one of those that are looked at.
    fn looks_at(&mut self, site: SiteId) -> bool {
        let looks = self.looks.entry(site).or_default();
        *looks = looks.saturating_add(1);
        *looks <= LOOKS
    }

    /// Adds an access; returns earlier ones of the same tick that it conflicts with, and a lane of each.
    fn add(&mut self, new: &Exchange, warp: Warp, tick: u32) -> Vec<(Exchange, (u32, u32))> {
        let window = self.windows.entry(index(warp)).or_default();
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

/// Addresses of a warp's lanes: lane `n` accesses `first + n * step`.
#[derive(Clone, Copy, Debug)]
struct Row {
    first: u64,
    step: u64,
}

impl Row {
    /// Returns the row of the lanes in `mask`; `None` if they have no common step of at least `bytes`.
    fn new(mask: LaneMask, addresses: &[u64; 32], bytes: u64) -> Option<Row> {
        let mut active = lanes(mask);
        let (a, b) = (active.next()?, active.next()?);
        let apart = addresses[b].checked_sub(addresses[a])?;
        let step = apart / (b - a) as u64;
        let first = addresses[a].wrapping_sub(step.wrapping_mul(a as u64));
        let fits = |lane: usize| first.wrapping_add(step.wrapping_mul(lane as u64)) == addresses[lane];
        (step >= bytes && lanes(mask).all(fits)).then_some(Row { first, step })
    }
}

/// Returns two different lanes that access a common byte: the lowest lane of `old`, with the lowest of `new`.
fn meets(old: &Exchange, new: &Exchange) -> Option<(u32, u32)> {
    match (old.row, new.row) {
        (Some(a), Some(b)) if a.step == b.step => meets_in_rows(old, new, a, b.first.wrapping_sub(a.first)),
        _ => meets_by_bytes(old, new),
    }
}

/// As [`meets`], for rows of the same step. `apart` is the distance of their first addresses, modulo 2^64.
fn meets_in_rows(old: &Exchange, new: &Exchange, row: Row, apart: u64) -> Option<(u32, u32)> {
    let apart = apart as i64;
    // Lane `a` of `old` and lane `a - shift` of `new` access addresses that differ by less than a step for
    // two shifts at most.
    let least = apart.checked_div_euclid(i64::try_from(row.step).ok()?)?;
    let shifts = [least, least.saturating_add(1)].into_iter().filter(|&shift| {
        let distance = apart.wrapping_sub((row.step as i64).wrapping_mul(shift));
        shift != 0 && shift.abs() < 32 && distance < old.bytes as i64 && -distance < new.bytes as i64
    });
    let pairs = shifts.filter_map(|shift| {
        let by = shift.unsigned_abs() as u32;
        let partners = if shift > 0 { new.mask << by } else { new.mask >> by };
        let a = (old.mask & partners).trailing_zeros();
        (a < 32).then(|| (a, (i64::from(a) - shift) as u32))
    });
    pairs.min()
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
        let bytes = u64::from(access.size) * u64::from(access.elements.max(1));
        let new = Exchange {
            site: access.site,
            space: access.space,
            mask: access.mask,
            bytes,
            row: Row::new(access.mask, access.addresses, bytes),
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
    use super::{Exchange, Row, meets, meets_by_bytes};
    use events::{AccessKind, SiteId, Space};
    use proptest::prelude::*;

    fn exchange() -> impl Strategy<Value = Exchange> {
        let masks = prop_oneof![any::<u32>(), Just(u32::MAX)];
        let steps = prop::sample::select(vec![1_u64, 4, 6, 8, 16]);
        (masks, prop::sample::select(vec![1_u64, 4, 8, 16]), 0_u64..300, steps).prop_map(
            |(mask, bytes, first, step)| {
                let addresses = std::array::from_fn(|lane| 0x2000 + first + step * lane as u64);
                let row = Row::new(mask, &addresses, bytes);
                let (site, space, access) = (SiteId(0), Space::Global, AccessKind::Write);
                Exchange { site, space, mask, bytes, writes: true, addresses, row, spread: true, access }
            },
        )
    }

    proptest! {
        #[test]
        fn rows_and_bytes_find_the_same_lanes(old in exchange(), new in exchange()) {
            prop_assert_eq!(meets(&old, &new), meets_by_bytes(&old, &new));
        }
    }
}
