//! The shortest way, for most of all accesses: a whole warp, or each of a few parts of it, reads or writes neighbouring bytes, or
//! reads the same ones, of a page of global memory that no other worker reaches.

use super::LaunchState;
use crate::ptx::access::class::AccessClass;
use crate::ptx::access::entry::Entry;
use crate::ptx::access::thread::index;
use crate::ptx::history::page::Page;
use crate::ptx::history::stamp::Stamp;
use crate::ptx::history::words::packing::{Kinds, Stand};
use crate::ptx::launch::Launch;
use crate::ptx::order::knowledge::WarpState;
use crate::ptx::ways::pager::Need;
use crate::ptx::ways::shape::{FEW_RUNS, Run, halves, may_be_few, one_run, same_place, split};
use crate::shadow::Own;
use events::{Access, Space, is_one_lane};
use smallvec::SmallVec;

/// Stamps that their lines could not take.
type Left = SmallVec<[(u64, Stamp); 4]>;

/// Adds a run that is in one page to its lines.
#[inline(always)]
fn add(
    page: &mut Page,
    (run, bytes, stamp): (&Run, u64, &Stamp),
    order: (&WarpState, bool, Stand),
    (launch, kinds): (&Launch, &mut Kinds),
    (grown, left): (&mut usize, &mut Left),
) {
    if let Some((number, stamp)) = run.only_line(bytes, stamp)
        && page.first(number as usize, &stamp)
    {
        return;
    }
    run.lines(bytes, stamp, |number, stamp| {
        let packing = (launch.packing.as_ref(), &mut *kinds);
        if !page.weak(number as usize, stamp, order, packing, grown) {
            left.push((number, *stamp));
        }
    });
}

impl LaunchState {
    /// A weak access by the generic proxy. False if it has to go the long way; then nothing has happened.
    #[inline]
    pub(super) fn coalesced(&mut self, access: &Access<'_>, class: AccessClass) -> bool {
        if is_one_lane(access.mask) {
            return self.alone(access, class);
        }
        let bytes = u64::from(access.size) * u64::from(access.elements.max(1));
        if access.space != Space::Global || !self.launch.shortcuts.direct || self.launch.early.overlaps() {
            return false;
        }
        if let Some(run) = one_run(access, bytes) {
            return self.run(access, class, &run, bytes);
        }
        // Elsewhere two lanes at one place have to be judged one by one.
        if self.order.simple
            && let Some(run) = same_place(access, bytes)
        {
            return self.run(access, class, &run, bytes);
        }
        if let Some(halves) = halves(access, bytes) {
            return self.each_run(access, class, &halves, bytes);
        }
        if !may_be_few(access, bytes) {
            return false;
        }
        let mut runs = std::mem::take(&mut self.runs);
        let done = split(access, bytes, &mut runs)
            && runs.len() <= FEW_RUNS
            && self.each_run(access, class, &runs, bytes);
        self.runs = runs;
        done
    }

    #[inline]
    fn each_run(&mut self, access: &Access<'_>, class: AccessClass, runs: &[Run], bytes: u64) -> bool {
        runs.iter().all(|run| self.has_page(run, bytes))
            && runs.iter().all(|run| self.run(access, class, run, bytes))
    }

    /// Returns whether all of a run is in one page that there is, and that no other worker reaches.
    fn has_page(&mut self, run: &Run, bytes: u64) -> bool {
        let number = run.address >> 12;
        let there = |own: &mut Own<Page>| {
            let page = own.page_mut(number, || false).and_then(|page| page.as_deref());
            page.is_some_and(|page| !page.given_up)
        };
        (run.end(bytes) - 1) >> 12 == number
            && self.launch.global.with_own(&mut self.bias, there) == Some(true)
    }

    /// One run of lanes. False as above.
    #[inline]
    fn run(&mut self, access: &Access<'_>, class: AccessClass, run: &Run, bytes: u64) -> bool {
        let first = run.address;
        if (run.end(bytes) - 1) >> 12 != first >> 12 {
            return false;
        }
        let (block, warp) = (access.warp.block.0, access.warp.warp.0);
        let Some(state) = self.blocks.get(block).and_then(|block| block.warps.get(usize::from(warp))) else {
            return false;
        };
        let stamp = Stamp::new(index(access.warp), state.tick, access.site, class);
        let (launch, kinds, ahead) = (&*self.launch, &mut self.kinds, &mut self.ahead);
        let order = (state, self.order.simple, self.order.stand());
        let (mut grown, mut left) = (0, Left::new());
        let done = launch.global.with_own(&mut self.bias, |own| {
            ahead.look(access.site, first, own);
            let page = own.page_mut(first >> 12, || false).and_then(Option::as_deref_mut);
            let Some(page) = page.filter(|page| !page.given_up) else { return false };
            add(page, (run, bytes, &stamp), order, (launch, kinds), (&mut grown, &mut left));
            true
        });
        if grown > 0 {
            self.launch.grew(grown);
        }
        if !left.is_empty() {
            grown += self.exactly(access, &left);
        }
        if done == Some(true) {
            self.remembered(access, grown);
        }
        done == Some(true)
    }

    /// Judges in cells what lines cannot take. Returns the bytes that were added.
    #[cold]
    pub(super) fn exactly(&mut self, access: &Access<'_>, left: &[(u64, Stamp)]) -> usize {
        let Some(Stamp { block, warp, tick, site, class, .. }) = left.first().map(|(_, stamp)| *stamp) else {
            return 0;
        };
        let need = Need { must: false, may: true, refused: false };
        let new = Entry { block, tick, lanes: 0, site, warp, bytes: 0, class, chain: 0, place: 0 };
        let Some((mut pager, mut step)) = self.step(access.space, new, need) else { return 0 };
        for (number, stamp) in left {
            step.line(&mut pager, *number, stamp);
        }
        let grown = step.grown;
        drop(pager);
        self.grew(access.space, grown);
        grown
    }
}
