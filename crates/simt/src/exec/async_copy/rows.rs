//! `cp.async` copies (non-bulk), stored as one row for each warp instruction.

use super::super::copied::{End, Moved};
use super::super::{Failed, Run, Worker};
use super::row::Row;
use super::state::AsyncState;
use super::{Range, state};
use crate::alu::row::Lanes;
use crate::failure::FailureKind;
use crate::program::Address;
use events::{AccessKind, AsyncOpId, LaneMask, Observer, Proxy, Strength};

impl AsyncState {
    /// Splits rows of which only some lanes are in `active`, or whose lanes have committed different numbers
    /// of groups.
    fn divide(&mut self, active: LaneMask) {
        let committed = self.committed;
        let even = committed == [committed[0]; 32];
        let together = |row: &Row| {
            let (here, first) = (row.lanes & active, row.lanes.trailing_zeros() as usize & 31);
            (here == 0 || here == row.lanes)
                && (even || Lanes(row.lanes).all(|lane| committed[lane] == committed[first]))
        };
        if self.rows.iter().all(together) {
            return;
        }
        for row in std::mem::take(&mut self.rows) {
            if together(&row) {
                self.rows.push(row);
            } else {
                self.rows.extend(row.each());
            }
        }
    }

    /// Executes `cp.async.commit_group`.
    pub(super) fn commit(&mut self, active: LaneMask) {
        self.divide(active);
        for row in self.rows.iter_mut().filter(|row| row.lanes & active != 0) {
            row.group.get_or_insert(self.committed[row.lanes.trailing_zeros() as usize & 31]);
        }
        Lanes(active).for_each(|lane| self.committed[lane] += 1);
    }

    /// Executes `cp.async.wait_group`, or `wait_all` if `keep` is `None`: calls `done` with lanes and the
    /// operation id of the lowest.
    pub(super) fn wait(
        &mut self,
        active: LaneMask,
        keep: Option<u32>,
        mut done: impl FnMut(LaneMask, AsyncOpId),
    ) {
        self.divide(active);
        let committed = self.committed;
        self.rows.retain_mut(|row| {
            let groups = committed[row.lanes.trailing_zeros() as usize & 31];
            let over = match (row.group, keep) {
                (_, None) => true,
                (Some(group), Some(keep)) => group < groups.saturating_sub(keep),
                (None, Some(_)) => false,
            };
            let over = over && row.lanes & active != 0;
            if over {
                row.perform();
                done(row.lanes, row.op);
            }
            !over
        });
    }

    /// Executes `cp.async.mbarrier.arrive` for one lane: calls `done` with each of its operations.
    pub(super) fn arrive(&mut self, lane: LaneMask, mut done: impl FnMut(AsyncOpId)) {
        self.divide(lane);
        for row in self.rows.iter_mut().filter(|row| row.lanes == lane) {
            row.perform();
            done(row.op);
        }
    }

    /// Completes the outstanding copies of exiting lanes.
    pub(super) fn exit(&mut self, lanes: LaneMask) {
        self.divide(lanes);
        self.rows.retain_mut(|row| {
            let exits = row.lanes & lanes != 0;
            if exits {
                row.perform();
            }
            !exits
        });
        self.bulk.retain_mut(|copy| {
            let exits = lanes >> copy.lane & 1 != 0;
            if exits {
                copy.perform();
            }
            !exits
        });
    }
}

impl<O: Observer> Worker<'_, O> {
    /// Issues the copies of a `cp.async` between two addresses, `size` bytes of each lane; `reads` returns
    /// how many of them are read.
    pub(super) fn copy_rows(
        &mut self,
        run: &mut Run<'_>,
        (dst, src): (&Address, &Address),
        size: u32,
        active: LaneMask,
        reads: impl Fn(&Run<'_>, usize) -> u32,
    ) -> Result<(), Failed> {
        let bytes = u64::from(size);
        let to_all = self.addresses(run, dst, active, bytes);
        let from_all = self.addresses(run, src, active, bytes);
        let mut rest = active;
        while rest != 0 {
            // One row contains the lanes that read equal byte counts from one memory and write to one memory.
            let (mut to, mut from) = (to_all, from_all);
            let src_bytes = reads(run, rest.trailing_zeros() as usize & 31);
            let alike = Lanes(rest).filter(|&lane| reads(run, lane) == src_bytes);
            let alike = alike.fold(0, |mask, lane| mask | 1 << lane);
            let target = self.place(run, dst.target, &mut to, alike, bytes, true)?;
            let (mut mask, mut source, mut whole) = (target.mask, None, target.contiguous);
            if src_bytes == size {
                let part = self.place(run, src.target, &mut from, mask, bytes, false)?;
                (mask, source) = (part.mask, Some((part.bias, part.space)));
                whole &= part.contiguous;
            } else if src_bytes != 0 {
                // A source shorter than `size` may end at the end of its mapping, so lanes are checked one by
                // one.
                mask &= mask.wrapping_neg();
                let lane = mask.trailing_zeros() as usize & 31;
                let Range { host, space, address } =
                    self.range_at(run, src.target, from[lane], lane, src_bytes, size, false)?;
                from[lane] = address;
                source = Some((host.wrapping_sub(address as usize), space));
            }
            for space in [Some(target.space), source.map(|(_, space)| space)] {
                if space == Some(None) {
                    let why =
                        "an asynchronous copy to or from memory that is neither global nor shared".into();
                    return Err(self.fail(run, mask, FailureKind::IllegalInstruction { why }));
                }
            }
            rest &= !mask;

            let op = self.next_ops(mask.count_ones());
            let generic = (Proxy::Generic, Strength::Weak);
            let mut moved = false;
            if self.s.observer.weak.is_some() {
                for lane in Lanes(mask) {
                    let what = Moved {
                        op: op.of_lane(mask, lane as u32),
                        proxy: Proxy::Generic,
                        dst: End::of(target.host(to[lane]), target.space, to[lane]),
                        src: source.and_then(|(bias, space)| {
                            End::of(bias.wrapping_add(from[lane] as usize), space, from[lane])
                        }),
                        bytes: size,
                        src_bytes,
                    };
                    let name = (run.block, run.warp.index, lane);
                    moved |= self.copy_weakly(name, self.event_site(run.pc), what);
                }
            }
            if let Some((_, Some(space))) = source {
                self.async_row(
                    run,
                    (mask, &from),
                    space,
                    (src_bytes, 1),
                    AccessKind::AsyncRead { op },
                    generic,
                );
            }
            if let Some(space) = target.space {
                self.async_row(run, (mask, &to), space, (size, 1), AccessKind::AsyncWrite { op }, generic);
            }
            let ends = |lane: usize| {
                let dst = target.host(to[lane]);
                (dst, source.map_or(dst, |(bias, _)| bias.wrapping_add(from[lane] as usize)).cast_const())
            };
            let gaps = (mask >> mask.trailing_zeros()).wrapping_add(1) & mask >> mask.trailing_zeros() != 0;
            let count = if whole && !gaps { 1 } else { 32 };
            let ends = Lanes(mask).take(count).map(ends).collect();
            let row = Row { lanes: mask, op, bytes: size, src_bytes, group: None, moved, ends };
            state(run).rows.push(row);
        }
        Ok(())
    }
}
