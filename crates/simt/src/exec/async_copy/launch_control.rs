//! `clusterlaunchcontrol`: a cluster that has not begun is cancelled, and its work taken over (PTX §9.7.14.18).
//!
//! The response has the coordinates of the cluster's first block, and 1 in its last word if one was cancelled.

use super::state::{Copy, Moves, Signalled};
use super::{Range, Worker};
use crate::alu::row::Lanes;
use crate::exec::{Failed, Run};
use crate::failure::FailureKind;
use crate::program::{Address, NO_ROW, Row, Signals, Target, window};
use events::{AccessKind, LaneMask, Observer, Proxy, Strength};
use ptx::op::CancelQuery;

/// The bytes of a response.
const RESPONSE: u32 = 16;

impl<O: Observer> Worker<'_, O> {
    /// Executes `try_cancel` of a lane. The response is written when its mbarrier is examined.
    pub(super) fn try_cancel(
        &mut self,
        run: &mut Run<'_>,
        dst: &Address,
        (mbar, signals): (&Address, Signals),
        lane: usize,
    ) -> Result<(), Failed> {
        let objects = self.objects(run, (mbar, NO_ROW, signals), lane)?;
        let mut to_all: Vec<Range> = Vec::new();
        if signals == Signals::Cluster {
            let offset = self.shared_address(run, dst, lane) & window::SHARED_OFFSET;
            for rank in 1..=self.ctx.launch.cluster.count() {
                let at = rank << window::RANK_SHIFT | offset;
                to_all.push(self.range_at(run, Target::Shared, at, lane, RESPONSE, RESPONSE, true)?);
            }
        } else {
            to_all.push(self.range(run, dst, lane, RESPONSE, RESPONSE, true)?);
        }
        let words = self.ctx.units.cancel().map_or([0; 4], |unit| {
            let first = self.first_block(unit);
            [first.x, first.y, first.z, 1]
        });
        let value = std::array::from_fn(|i| words[i / 4].to_le_bytes()[i % 4]);
        for (to, mbar) in to_all.into_iter().zip(objects) {
            let op = self.next_op();
            let how = (Proxy::Async, Strength::Weak);
            self.async_event(run, lane, &to, RESPONSE, AccessKind::AsyncWrite { op }, how);
            self.current_phase(run, mbar, lane)?;
            self.touch_object(run, mbar, 1 << lane, Some(op));
            let moves = Moves::Value { dst: to.host, value };
            let copy = Copy { lane: lane as u8, op, bytes: RESPONSE, group: None, moved: false, moves };
            let mbar = (mbar.slot, mbar.offset, mbar.block);
            self.s.signalled.push(Signalled { copy, mbar });
        }
        Ok(())
    }

    /// Executes `query_cancel` of the two halves of a response.
    pub(in crate::exec) fn query_cancel(
        &mut self,
        run: &mut Run<'_>,
        query: CancelQuery,
        (d, a): (&[Row], [Row; 2]),
        active: LaneMask,
    ) -> Result<(), Failed> {
        for lane in Lanes(active) {
            let [low, high] = a.map(|row| run.get(row, true, lane));
            let coordinates = [low & 0xffff_ffff, low >> 32, high & 0xffff_ffff];
            let cancelled = high >> 32 == 1;
            let values = match query {
                CancelQuery::IsCanceled => [cancelled.into(), 0, 0],
                _ if !cancelled => {
                    let why = "the first block of a cluster that was not cancelled".to_owned();
                    return Err(self.fail(run, 1 << lane, FailureKind::IllegalInstruction { why }));
                }
                CancelQuery::First => coordinates,
                CancelQuery::Coordinate(n) => [coordinates[usize::from(n) % 3], 0, 0],
            };
            for (&row, value) in d.iter().zip(values).filter(|(row, _)| **row != NO_ROW) {
                run.set(row, lane, value);
            }
        }
        Ok(())
    }
}
