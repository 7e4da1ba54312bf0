//! Accesses that a proof says race with no access of their launch.
//!
//! In shared memory they need not be judged. In global memory other tasks may race with them, so that each element
//! of an array needs one access of the instruction in its history. The first of each worker is judged like any
//! other; accesses all of whose [`elements`] the instruction has accessed before are skipped. An instruction most of
//! whose accesses were judged nevertheless is not asked about in later launches.
//!
//! The proof may assume that no instruction leaves the array that its pointer leads to. If one does, the launch
//! skips nothing from then on, and the account's limits say so.
//!
//! A proof holds for the whole launch, whenever it becomes known: what has been judged before stays in the history.

mod elements;

use super::LaunchState;
use crate::ptx::launch::{InVain, Launch};
use crate::shadow::lock;
use elements::Elements;
use events::{Access, LaneMask, Proof, SiteId, Space};
use std::sync::Arc;

/// Limits the bytes of what a worker notes of one launch's elements.
const MOST_BYTES: u64 = 1 << 30;

/// One worker's record of the instructions of a launch that a proof covers.
#[derive(Debug, Default)]
pub(super) struct RaceFree {
    /// The first instruction of `sites`.
    first: u32,
    sites: Box<[Proved]>,
    global: Vec<(SiteId, Elements)>,
    in_vain: InVain,
    /// Whether the launch had begun when the proof came: elements were accessed before that are not noted.
    is_late: bool,
}

#[derive(Clone, Copy, Debug)]
enum Proved {
    Nothing,
    Shared,
    /// An index into [`RaceFree::global`].
    Global(u32),
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
        let mut left = MOST_BYTES;
        let in_vain = lock(&launch.in_vain);
        for (site, proof) in proofs {
            sites[(site.0 - first) as usize] = match proof {
                Proof::Shared => Proved::Shared,
                Proof::Global { .. } if !skips_global => Proved::Nothing,
                Proof::Global { is_free: false, is_inside: true, .. } => Proved::Nothing,
                Proof::Global { is_inside: true, .. } if in_vain.contains(site) => Proved::Nothing,
                Proof::Global { array, is_free, .. } => {
                    let is_free = *is_free && !in_vain.contains(site);
                    let bytes = if is_free { elements::most_bytes(array) } else { 0 };
                    let notes = bytes <= left;
                    left -= if notes { bytes } else { 0 };
                    global.push((*site, Elements::new(array.clone(), is_free && notes)));
                    Proved::Global(global.len() as u32 - 1)
                }
            };
        }
        RaceFree { first, sites: sites.into(), global, in_vain: Arc::clone(&launch.in_vain), is_late: false }
    }

    #[inline]
    fn of(&self, site: SiteId) -> Proved {
        self.sites.get(site.0.wrapping_sub(self.first) as usize).copied().unwrap_or(Proved::Nothing)
    }
}

impl Drop for RaceFree {
    fn drop(&mut self) {
        let noted = if self.is_late { &[][..] } else { &self.global };
        let in_vain = noted.iter().filter(|(_, elements)| elements.is_in_vain());
        let mut sites = in_vain.map(|(site, _)| *site).peekable();
        if sites.peek().is_some() {
            lock(&self.in_vain).extend(sites);
        }
    }
}

impl LaunchState {
    /// Returns the lanes of a plain access that are to be judged. The others race with nothing, and leave nothing
    /// to be known.
    #[inline]
    pub(super) fn not_race_free(&mut self, access: &Access<'_>) -> LaneMask {
        if self.race_free.sites.is_empty() {
            return access.mask;
        }
        match (self.race_free.of(access.site), access.space) {
            (Proved::Shared, Space::Shared(_)) => 0,
            (Proved::Global(at), Space::Global) => match self.race_free.global[at as usize].1.add(access) {
                Some(new) => new,
                None => self.strays(access),
            },
            _ => access.mask,
        }
    }

    #[cold]
    fn strays(&mut self, access: &Access<'_>) -> LaneMask {
        self.launch.stray();
        self.race_free = RaceFree::default();
        access.mask
    }

    /// Uses proofs that have become known since the launch began.
    pub(in crate::ptx) fn pick_up_proofs(&mut self) {
        if self.race_free.sites.is_empty() && !self.launch.proofs().is_empty() && !self.launch.has_strayed() {
            let mut race_free = RaceFree::new(&self.launch);
            race_free.is_late = true;
            self.race_free = race_free;
        }
    }
}
