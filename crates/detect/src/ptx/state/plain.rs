//! The shortest way, for most of all accesses: a whole warp, or each half of it, reads or writes neighbouring bytes, or reads the
//! same ones, of a page of global memory that no other worker reaches.

use super::LaunchState;
use crate::ptx::class::AccessClass;
use crate::ptx::entry::Entry;
use crate::ptx::pager::{Need, Pager};
use crate::ptx::shape::{Run, halves, one_run};
use crate::ptx::stamp::Stamp;
use crate::ptx::step::{Step, entries};
use crate::shadow::Opened;
use events::{Access, Space};
use smallvec::SmallVec;

impl LaunchState {
    /// A weak access by the generic proxy. False if it has to go the long way; then nothing has happened.
    #[inline]
    pub(super) fn coalesced(&mut self, access: &Access<'_>, class: AccessClass) -> bool {
        if access.mask.is_power_of_two() {
            return self.alone(access, class);
        }
        let bytes = u64::from(access.size) * u64::from(access.elements.max(1));
        if access.space != Space::Global || self.bound.is_some() || self.launch.early.overlaps() {
            return false;
        }
        if let Some(run) = one_run(access, bytes) {
            return self.run(access, class, (&run, bytes));
        }
        let Some(halves) = halves(access, bytes) else { return false };
        halves.iter().all(|run| self.has_page(run, bytes))
            && halves.iter().all(|run| self.run(access, class, (run, bytes)))
    }

    /// Is all of a run in one page that there is, and that no other worker reaches?
    fn has_page(&mut self, run: &Run, bytes: u64) -> bool {
        let Opened::Own(mut table) = self.launch.global.open_by(&mut self.favour) else { return false };
        let number = run.address >> 12;
        (run.end(bytes) - 1) >> 12 == number
            && table
                .as_mut()
                .and_then(|table| table.page_mut(number, || false)?.as_deref_mut())
                .is_some_and(|page| !page.given_up)
    }

    /// One run of lanes. False as above.
    #[inline]
    fn run(&mut self, access: &Access<'_>, class: AccessClass, (run, bytes): (&Run, u64)) -> bool {
        let first = run.address;
        if (run.end(bytes) - 1) >> 12 != first >> 12 {
            return false;
        }
        let (block, warp) = (access.warp.block.0, access.warp.warp.0);
        let Some(state) = self.blocks.get(&block).and_then(|block| block.warps.get(usize::from(warp))) else {
            return false;
        };
        let Opened::Own(mut table) = self.launch.global.open_by(&mut self.favour) else { return false };
        let page = table.as_mut().and_then(|table| table.page_mut(first >> 12, || false)?.as_deref_mut());
        let Some(page) = page.filter(|page| !page.given_up) else { return false };
        let stamp = Stamp::new((block, warp), state.tick, access.site, class);
        let order = (state, self.order.simple, self.order.orderless && self.launch.is_large());
        let (mut grown, mut left) = (0, SmallVec::<[(u64, Stamp); 4]>::new());
        run.lines(bytes, &stamp, |number, stamp| {
            let packing = (self.launch.packing.as_ref(), &mut self.kinds);
            if !page.weak(number as usize, stamp, order, packing, &mut grown) {
                left.push((number, stamp));
            }
        });
        drop(table);
        if grown > 0 {
            self.launch.grew(grown);
        }
        if !left.is_empty() {
            self.exactly(access, &left);
        }
        true
    }

    /// What lines cannot take.
    #[cold]
    pub(super) fn exactly(&mut self, access: &Access<'_>, left: &[(u64, Stamp)]) {
        let Some(Stamp { block, warp, tick, site, class, .. }) = left.first().map(|(_, stamp)| *stamp) else {
            return;
        };
        let Some(state) = self.blocks.get_mut(&block) else { return };
        self.order.shared = access.space != Space::Global;
        let need = Need { must: false, may: true, refused: false };
        let mut pager = match access.space {
            Space::Global => {
                let opened = self.launch.global.open_by(&mut self.favour);
                Pager::Global { launch: &self.launch, opened, held: None, need }
            }
            Space::Shared(owner) => {
                Pager::Shared { shadow: &mut self.shared.blocks.entry(owner.0).or_default().0, need }
            }
        };
        let new = Entry { block, tick, lanes: 0, site, warp, bytes: 0, class, chain: 0, place: 0 };
        let mut step = Step {
            state,
            order: &self.order,
            launch: &self.launch,
            clues: self.clues.all(),
            kinds: &mut self.kinds,
            known: &self.known,
            space: access.space,
            new,
            grown: 0,
        };
        for (number, stamp) in left {
            step.touches(&mut pager, &entries(*number, stamp));
        }
        let grown = step.grown;
        drop(pager);
        if grown > 0 {
            match access.space {
                Space::Global => self.launch.grew(grown),
                Space::Shared(owner) => self.shared.grew(owner.0, grown, &self.launch),
            }
        }
    }
}
