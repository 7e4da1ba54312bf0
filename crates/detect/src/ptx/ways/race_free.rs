//! Accesses that a proof says race with no access of their launch.
//!
//! In shared memory they need not be judged. In global memory other tasks may race with them, so that each word
//! needs one access of the instruction in its history: the first of each worker is judged like any other, and
//! those that follow are skipped.
//!
//! The proof assumes that no instruction leaves the array that its pointer leads to. If one does, the launch
//! skips nothing from then on, and the account's limits say so.

use super::LaunchState;
use crate::ptx::access::touches::lanes;
use crate::ptx::launch::Launch;
use events::{Access, Proof, SiteId, Space};
use rustc_hash::FxHashMap;
use std::ops::Range;

/// Bytes of a page, as a shift.
const PAGE: u32 = 12;
/// Accesses after which an instruction that mostly meets new words is judged as if nothing were proved. The first
/// pass of a loop over an array meets new words only.
const TRIAL: u32 = 1 << 16;

/// What a proof says of the instructions of a launch, for one worker.
#[derive(Debug, Default)]
pub(super) struct RaceFree {
    /// The first instruction of `sites`.
    first: u32,
    sites: Box<[Proved]>,
    global: Vec<Instruction>,
}

#[derive(Clone, Copy, Debug)]
enum Proved {
    Nothing,
    Shared,
    /// An index into [`RaceFree::global`].
    Global(u32),
}

/// An instruction that accesses global memory.
#[derive(Debug)]
struct Instruction {
    array: Range<u64>,
    is_free: bool,
    /// The words that the instruction has accessed, a bit for each, by page.
    words: Vec<[u32; 32]>,
    pages: FxHashMap<u64, u32>,
    /// The page of the last access, and its place in `words`.
    last: (u64, u32),
    accesses: u32,
    skipped: u32,
}

impl RaceFree {
    /// Uses the proofs of a launch. A launch that overlaps others, or whose memory is bounded, skips nothing in
    /// global memory.
    pub(super) fn new(launch: &Launch) -> RaceFree {
        let proofs = launch.proofs();
        let skips_global = !launch.early.overlaps() && !launch.memory().capped();
        let first = proofs.first().map_or(0, |(site, _)| site.0);
        let count = proofs.last().map_or(0, |(last, _)| (last.0 - first) as usize + 1);
        let (mut sites, mut global) = (vec![Proved::Nothing; count], Vec::new());
        for (site, proof) in proofs {
            sites[(site.0 - first) as usize] = match proof {
                Proof::Shared => Proved::Shared,
                Proof::Global { .. } if !skips_global => Proved::Nothing,
                Proof::Global { array, is_free } => {
                    global.push(Instruction::new(array.clone(), *is_free));
                    Proved::Global(global.len() as u32 - 1)
                }
            };
        }
        RaceFree { first, sites: sites.into(), global }
    }

    #[inline]
    fn of(&self, site: SiteId) -> Proved {
        self.sites.get(site.0.wrapping_sub(self.first) as usize).copied().unwrap_or(Proved::Nothing)
    }
}

impl Instruction {
    fn new(array: Range<u64>, is_free: bool) -> Instruction {
        let last = (u64::MAX, 0);
        Instruction {
            array,
            is_free,
            words: vec![],
            pages: FxHashMap::default(),
            last,
            accesses: 0,
            skipped: 0,
        }
    }

    /// Returns the words of a page that the instruction has accessed.
    #[inline]
    fn page(&mut self, number: u64) -> &mut [u32; 32] {
        if self.last.0 != number {
            let next = self.words.len() as u32;
            let place = *self.pages.entry(number).or_insert(next);
            if place == next {
                self.words.push([0; 32]);
            }
            self.last = (number, place);
        }
        &mut self.words[self.last.1 as usize]
    }

    /// Adds the words at `address`. Returns whether the instruction has accessed all of them before.
    #[inline]
    fn add(&mut self, address: u64, bytes: u64) -> bool {
        let (mut word, end) = (address >> 2, (address + bytes) >> 2);
        let mut known = true;
        while word < end {
            let (at, next) = (word as u32 % 32, (word | 31) + 1);
            let bits = u32::MAX >> (32 - (next.min(end) - word)) << at;
            let there = &mut self.page(word >> (PAGE - 2))[(word >> 5) as usize % 32];
            known &= *there & bits == bits;
            *there |= bits;
            word = next;
        }
        known
    }

    /// Adds an access. Returns whether the instruction has accessed all of its words before; `None` if it leaves
    /// the array.
    #[inline]
    fn access(&mut self, access: &Access<'_>) -> Option<bool> {
        let bytes = u64::from(access.size) * u64::from(access.elements.max(1));
        let first = access.addresses[access.mask.trailing_zeros() as usize % 32];
        let count = u64::from(access.mask.count_ones());
        let one_run = match access.stride {
            Some(0) => Some(bytes),
            Some(stride)
                if stride == bytes
                    && (access.mask >> access.mask.trailing_zeros()).wrapping_add(1).is_power_of_two() =>
            {
                Some(count * bytes)
            }
            _ => None,
        };
        let is_inside = |from: u64, bytes: u64| self.array.start <= from && from + bytes <= self.array.end;
        let inside = match one_run {
            Some(bytes) => is_inside(first, bytes),
            None => lanes(access.mask).all(|lane| is_inside(access.addresses[lane], bytes)),
        };
        if !inside {
            return None;
        }
        if !self.is_free || !bytes.is_multiple_of(4) {
            return Some(false);
        }
        let known = match one_run {
            Some(bytes) => self.add(first, bytes),
            None => {
                // Each lane's words are added, whether those of others are known or not.
                let mut known = true;
                lanes(access.mask).for_each(|lane| known &= self.add(access.addresses[lane], bytes));
                known
            }
        };
        self.accesses += 1;
        self.skipped += u32::from(known);
        if self.accesses == TRIAL {
            self.end_trial();
        }
        Some(known)
    }

    /// Stops noting words if that skips less than half of the accesses.
    #[cold]
    fn end_trial(&mut self) {
        if self.skipped < TRIAL / 2 {
            *self = Instruction::new(self.array.clone(), false);
        }
        (self.accesses, self.skipped) = (0, 0);
    }
}

impl LaunchState {
    /// Returns whether a plain access can be skipped, since it races with nothing and leaves nothing to be known.
    #[inline]
    pub(super) fn is_race_free(&mut self, access: &Access<'_>) -> bool {
        if self.race_free.sites.is_empty() {
            return false;
        }
        match (self.race_free.of(access.site), access.space) {
            (Proved::Shared, Space::Shared(_)) => true,
            (Proved::Global(at), Space::Global) => self.is_known(at, access),
            _ => false,
        }
    }

    fn is_known(&mut self, at: u32, access: &Access<'_>) -> bool {
        match self.race_free.global[at as usize].access(access) {
            Some(known) => known,
            None => {
                self.launch.stray();
                self.race_free = RaceFree::default();
                false
            }
        }
    }
}
