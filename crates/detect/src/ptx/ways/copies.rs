//! Copies of a whole warp instruction, from when they begin until their threads wait for them.
//!
//! Lines keep them ([`copies`](crate::ptx::history::copies)); here is which lines those are, and what they cannot keep goes to cells.

use super::LaunchState;
use crate::ptx::access::class::AccessClass;
use crate::ptx::access::touches::lanes;
use crate::ptx::history::copies::Flying;
use crate::ptx::history::stamp::Stamp;
use crate::ptx::ways::pager::Pager;
use crate::ptx::ways::shape;
use crate::ptx::ways::step::entries;
use crate::shadow::lock;
use events::access::Warp;
use events::{Access, AsyncOpId, LaneMask, Space};
use smallvec::SmallVec;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The copies of one instruction.
#[derive(Debug)]
struct Flight {
    warp: Warp,
    lanes: LaneMask,
    /// The lines that know of it.
    lines: SmallVec<[(Space, u64); 4]>,
    /// Some of it is in cells, which know its operations by number.
    numbered: bool,
}

/// An observer's copies that no thread has waited for, by the lowest lane's operation.
#[derive(Debug, Default)]
pub(super) struct Flights(BTreeMap<AsyncOpId, Flight>);

impl Flights {
    /// Takes out the one that `op` is of.
    fn of(&mut self, op: AsyncOpId) -> Option<(AsyncOpId, Flight)> {
        let (&first, flight) = self.0.range(..=op).next_back()?;
        let here = op.0 - first.0 < u64::from(flight.lanes.count_ones());
        let flight = here.then(|| self.0.remove(&first)).flatten()?;
        Some((first, flight))
    }

    /// A block has ended. What its threads have not waited for stays in the lines.
    pub(super) fn end_block(&mut self, block: u32) {
        if !self.0.is_empty() {
            self.0.retain(|_, flight| flight.warp.block.0 != block);
        }
    }
}

impl LaunchState {
    /// Side by side, copies of several lanes begin. False if each has to be judged by itself.
    pub(super) fn depart(&mut self, access: &Access<'_>, class: AccessClass, op: AsyncOpId) -> bool {
        let bytes = u64::from(access.size) * u64::from(access.elements.max(1));
        let plain = class.asynchronous() && !class.strong() && !class.other_proxy();
        if !plain || !self.launch.shortcuts.direct || self.launch.early.overlaps() {
            return false;
        }
        if !shape::whole(access, bytes, &mut self.runs) && !shape::split(access, bytes, &mut self.runs) {
            return false;
        }
        let (need, space) = (self.need(false), access.space);
        let Some(new) = self.entry(access, class) else { return true };
        let (warp, ops) = (usize::from(new.warp), Arc::clone(&self.launch.ops));
        let stamp = Stamp::new(new.at(), new.tick, new.site, class);
        let (runs, mut flights) = (std::mem::take(&mut self.runs), std::mem::take(&mut self.flights));
        let Some((mut pager, mut step)) = self.step(space, new, need) else { return true };
        let of_op =
            || Flight { warp: access.warp, lanes: access.mask, lines: SmallVec::new(), numbered: false };
        let flight = flights.0.entry(op).or_insert_with(of_op);
        // A damaged trace may give an operation's number twice.
        flight.numbered |= (flight.warp, flight.lanes) != (access.warp, access.mask);
        for run in &runs {
            run.lines(bytes, &stamp, |number, stamp| {
                let Some(page) = pager.page(number >> 5, &mut step.grown) else { return };
                let flying = Flying { stamp: *stamp, lanes: access.mask, op };
                let own = &step.state.warps[warp];
                if page.line(number as usize).depart(flying, &ops, own) {
                    if flight.lines.last() != Some(&(space, number)) {
                        flight.lines.push((space, number));
                    }
                    return;
                }
                flight.numbered = true;
                let touches = entries(number, stamp);
                for lane in lanes(stamp.lanes) {
                    step.new.tick = lock(&ops).number(op.of_lane(access.mask, lane as u32));
                    let mut own: crate::ptx::access::touches::Touches = touches.clone();
                    own.retain(|touch| touch.lanes >> lane & 1 != 0);
                    own.iter_mut().for_each(|touch| touch.lanes = 1 << lane);
                    step.touches(&mut pager, &own);
                }
            });
        }
        let grown = step.grown;
        drop(pager);
        (self.runs, self.flights) = (runs, flights);
        self.grew(space, grown);
        true
    }

    /// `lanes` have waited for copies, the lowest one for `op`. False if some of them are known by number, and that has
    /// to be said of each.
    pub(super) fn land(&mut self, warp: Warp, lanes: LaneMask, op: AsyncOpId) -> bool {
        let whole = |flight: &Flight| (flight.warp, flight.lanes) == (warp, lanes);
        if !self.flights.0.get(&op).is_some_and(whole) {
            self.ground(lanes, op);
            return false;
        }
        let Some(Flight { lines, numbered, .. }) = self.flights.0.remove(&op) else { return false };
        let mut landed = !numbered;
        for (space, number) in lines {
            let (need, mut grown) = (self.need(false), 0);
            let Some(state) = self.blocks.get(warp.block.0) else { return false };
            let Some(own) = state.warps.get(usize::from(warp.warp.0)) else { return false };
            let mut pager = Pager::open(space, need, &self.launch, &mut self.bias, &mut self.shared);
            landed &= pager
                .page(number >> 5, &mut grown)
                .is_some_and(|page| page.line(number as usize).land(op, own, self.order.simple, &mut grown));
            drop(pager);
            self.grew(space, grown);
        }
        landed
    }

    /// From now on the operations of `lanes`, of which `op` is the lowest one's, are known by number.
    pub(super) fn ground(&mut self, lanes_of: LaneMask, op: AsyncOpId) {
        for lane in lanes(lanes_of) {
            let Some((_, flight)) = self.flights.of(op.of_lane(lanes_of, lane as u32)) else { continue };
            for (space, number) in flight.lines {
                let (need, mut grown) = (self.need(false), 0);
                Pager::open(space, need, &self.launch, &mut self.bias, &mut self.shared)
                    .cell(number * 8, &mut grown);
                self.grew(space, grown);
            }
        }
    }
}
