//! Translates device addresses to host memory.

#![allow(clippy::needless_range_loop, reason = "loops over lanes read best by lane number")]

use super::lanes::{examine, fill, offset32, offset64, within};
use super::{FULL, Failed, Run, Worker};
use crate::alu::row::Lanes;
use crate::failure::FailureKind;
use crate::program::{Address, AddressBase, NO_ROW, Target, window};
use events::{BlockId, LaneMask, Observer, Space};

/// The memory of some lanes of an access.
#[derive(Clone, Copy, Debug)]
pub(super) struct Part {
    /// The lanes of this part.
    pub mask: LaneMask,
    /// The host address is `bias` plus the lane's address (wrapping).
    pub bias: *mut u8,
    /// The space for events; `None` for memory that cannot race.
    pub space: Option<Space>,
    /// Whether every lane's address is the previous one's plus the access's size.
    pub contiguous: bool,
    /// Whether all lanes' addresses are known to be equal.
    pub point: bool,
    /// Whether the memory belongs to this worker, so that no other thread accesses it while this warp runs.
    pub private: bool,
}

impl Part {
    #[inline(always)]
    pub(super) fn host(&self, address: u64) -> *mut u8 {
        self.bias.wrapping_add(address as usize)
    }

    /// Returns the constant stride between lanes' addresses, if it is known, for an access of `bytes` per
    /// lane.
    #[inline(always)]
    pub(super) fn stride(&self, bytes: u64) -> Option<u64> {
        match (self.contiguous, self.point) {
            (true, _) => Some(bytes),
            (_, true) => Some(0),
            _ => None,
        }
    }
}

impl<O: Observer> Worker<'_, O> {
    /// Computes the addresses of the active lanes. Inactive lanes receive addresses contiguous with the first
    /// active one, `bytes` apart.
    #[inline(always)]
    pub(super) fn addresses(
        &self,
        run: &Run<'_>,
        address: &Address,
        mask: LaneMask,
        bytes: u64,
    ) -> [u64; 32] {
        let base = match address.base {
            AddressBase::None => 0,
            AddressBase::Frame => i64::from(run.frame.local),
            AddressBase::Dynamic => i64::from(self.ctx.dynamic_base),
        };
        let offset = address.offset.wrapping_add(base) as u64;
        let mut out = [offset; 32];
        if address.row != NO_ROW {
            let p = run.row(address.row);
            // SAFETY: the row is one of the frame's or a constant, and as wide as lowering says.
            unsafe {
                if address.wide {
                    offset64(&mut out, &*p.cast(), offset);
                } else {
                    offset32(&mut out, &*p.cast(), offset as u32);
                }
            }
        }
        if mask != FULL {
            fill(&mut out, mask, bytes.trailing_zeros());
        }
        out
    }

    /// Returns the host memory at a global address, the remaining bytes of its region, and whether this
    /// device may read them.
    pub(super) fn region(&mut self, address: u64) -> Option<(*const u8, u64, bool)> {
        let (host, left, readable, _) = self.region_rights(address)?;
        Some((host.cast_const(), left, readable))
    }

    /// Returns the result of [`Worker::region`], and whether this device may write the memory.
    pub(super) fn region_rights(&mut self, address: u64) -> Option<(*mut u8, u64, bool, bool)> {
        let entry = self.s.tlb.find(&self.ctx.memory, address, self.ctx.launch.device)?;
        let host = entry.host.wrapping_add((address - entry.base) as usize);
        Some((host, entry.end - address, entry.accessible, entry.accessible && !entry.read_only))
    }

    /// Finds the memory of the first lane of `mask` and of all lanes in the same region or block. Replaces
    /// generic addresses by those in their space; `bytes` is the size and the alignment of a lane's whole
    /// access.
    #[inline(always)]
    pub(super) fn place(
        &mut self,
        run: &Run<'_>,
        target: Target,
        addresses: &mut [u64; 32],
        mask: LaneMask,
        bytes: u64,
        write: bool,
    ) -> Result<Part, Failed> {
        let first = mask.trailing_zeros() as usize & 31;
        let (apart, any) = examine(addresses, bytes.trailing_zeros());
        let contiguous = apart == 0;
        if any & (bytes - 1) != 0 {
            self.check_alignment(run, addresses, mask, bytes)?;
        }
        if contiguous && matches!(target, Target::Global | Target::Generic) {
            let last = 31 - mask.leading_zeros() as usize;
            let (low, high) = (addresses[first], addresses[last & 31]);
            if low >> window::SHIFT == 0
                && let Some(entry) = self.s.tlb.find_at(run.pc, &self.ctx.memory, low, self.ctx.launch.device)
                && high <= entry.end - bytes.min(entry.end)
                && high >= low
                && entry.accessible
                && !(write && entry.read_only)
            {
                let bias = entry.host.wrapping_sub(entry.base as usize);
                return Ok(Part {
                    mask,
                    bias,
                    space: Some(Space::Global),
                    contiguous,
                    point: false,
                    private: false,
                });
            }
        }
        if target == Target::Shared {
            // Addresses in other blocks' shared memory exceed any size.
            let inside = u64::from(run.shared_bytes)
                .checked_sub(bytes)
                .is_some_and(|limit| within(addresses, 0, limit) == FULL);
            if inside {
                let space = Some(Space::Shared(run.block));
                return Ok(Part { mask, bias: run.shared, space, contiguous, point: false, private: true });
            }
        }
        self.place_slow(run, target, addresses, mask, bytes, write, contiguous)
    }

    #[cold]
    fn check_alignment(
        &self,
        run: &Run<'_>,
        addresses: &[u64; 32],
        mask: LaneMask,
        bytes: u64,
    ) -> Result<(), Failed> {
        for lane in Lanes(mask) {
            let address = addresses[lane];
            if address & (bytes - 1) != 0 {
                return Err(self.fail(run, 1 << lane, FailureKind::Misaligned { address, bytes }));
            }
        }
        Ok(())
    }

    #[expect(clippy::too_many_arguments, reason = "a slow path that takes over from `place` in the middle")]
    fn place_slow(
        &mut self,
        run: &Run<'_>,
        target: Target,
        addresses: &mut [u64; 32],
        mask: LaneMask,
        bytes: u64,
        write: bool,
        contiguous: bool,
    ) -> Result<Part, Failed> {
        let first = mask.trailing_zeros() as usize & 31;
        let (mut target, mut mask) = (target, mask);
        if target == Target::Generic {
            let tag = addresses[first] >> window::SHIFT;
            target = match tag {
                0 => Target::Global,
                1 => Target::Shared,
                2 => Target::Local,
                3 => Target::Param,
                _ => {
                    return Err(self.illegal(
                        run,
                        addresses[first],
                        1 << first,
                        bytes,
                        write,
                        "no such window",
                    ));
                }
            };
            for lane in Lanes(mask) {
                if addresses[lane] >> window::SHIFT != tag {
                    mask &= !(1 << lane);
                }
            }
            // Lanes outside this part retain their generic addresses, since they are placed later.
            let mut inside = *addresses;
            for lane in Lanes(mask) {
                inside[lane] &= window::OFFSET;
            }
            let part = self.place_in(run, target, &mut inside, mask, bytes, write, contiguous)?;
            for lane in Lanes(part.mask) {
                addresses[lane] = inside[lane];
            }
            return Ok(part);
        }
        self.place_in(run, target, addresses, mask, bytes, write, contiguous)
    }

    /// Places addresses in the space `target`; otherwise like [`Worker::place_slow`].
    #[expect(clippy::too_many_arguments, reason = "the second half of `place_slow`")]
    fn place_in(
        &mut self,
        run: &Run<'_>,
        target: Target,
        addresses: &mut [u64; 32],
        mask: LaneMask,
        bytes: u64,
        write: bool,
        contiguous: bool,
    ) -> Result<Part, Failed> {
        match target {
            Target::Global | Target::Generic => {
                self.place_global(run, addresses, mask, bytes, write, contiguous)
            }
            Target::Shared => self.place_shared(run, addresses, mask, bytes, write, contiguous),
            Target::Local => {
                let limit = u64::from(run.frame.local_top.max(run.stride)).saturating_sub(bytes);
                for lane in Lanes(mask) {
                    if addresses[lane] > limit {
                        return Err(self.illegal(
                            run,
                            addresses[lane],
                            1 << lane,
                            bytes,
                            write,
                            "outside of local memory",
                        ));
                    }
                    addresses[lane] += lane as u64 * u64::from(run.stride);
                }
                Ok(Part {
                    mask,
                    bias: run.local,
                    space: None,
                    contiguous: false,
                    point: false,
                    private: true,
                })
            }
            Target::Param => {
                let params = &self.ctx.launch.params;
                let limit = (params.len() as u64).checked_sub(bytes);
                for lane in Lanes(mask) {
                    if limit.is_none_or(|limit| addresses[lane] > limit) || write {
                        let why =
                            if write { "parameters are read-only" } else { "outside of the parameters" };
                        return Err(self.illegal(run, addresses[lane], 1 << lane, bytes, write, why));
                    }
                }
                Ok(Part {
                    mask,
                    bias: params.as_ptr().cast_mut(),
                    space: None,
                    contiguous,
                    point: false,
                    private: true,
                })
            }
        }
    }

    fn place_global(
        &mut self,
        run: &Run<'_>,
        addresses: &[u64; 32],
        mask: LaneMask,
        bytes: u64,
        write: bool,
        contiguous: bool,
    ) -> Result<Part, Failed> {
        let first = mask.trailing_zeros() as usize & 31;
        let address = addresses[first];
        let device = self.ctx.launch.device;
        let Some(entry) = self.s.tlb.find_at(run.pc, &self.ctx.memory, address, device) else {
            return Err(self.illegal(run, address, 1 << first, bytes, write, "nothing is mapped there"));
        };
        if !entry.accessible {
            return Err(self.illegal(
                run,
                address,
                1 << first,
                bytes,
                write,
                "not accessible from this device",
            ));
        }
        if write && entry.read_only {
            return Err(self.illegal(run, address, 1 << first, bytes, write, "read-only memory"));
        }
        let end = self.strong_end(run, bytes, entry.end);
        let limit = match (end - entry.base).checked_sub(bytes) {
            Some(limit) if address - entry.base <= limit => limit,
            _ => {
                return Err(self.illegal(
                    run,
                    address,
                    1 << first,
                    bytes,
                    write,
                    "beyond the end of the allocation",
                ));
            }
        };
        let part = within(addresses, entry.base, limit);
        let bias = entry.host.wrapping_sub(entry.base as usize);
        Ok(Part {
            mask: mask & part,
            bias,
            space: Some(Space::Global),
            contiguous: contiguous && mask & !part == 0,
            point: false,
            private: false,
        })
    }

    fn place_shared(
        &mut self,
        run: &Run<'_>,
        addresses: &mut [u64; 32],
        mask: LaneMask,
        bytes: u64,
        write: bool,
        contiguous: bool,
    ) -> Result<Part, Failed> {
        let first = mask.trailing_zeros() as usize & 31;
        let rank = addresses[first] >> window::RANK_SHIFT;
        let (shared, size, block, mut part) = if rank == 0 {
            let mut far = 0u32;
            for i in 0..32 {
                far |= u32::from(addresses[i] >> window::RANK_SHIFT != 0) << i;
            }
            (run.shared, run.shared_bytes, run.block, mask & !far)
        } else {
            let mut near = 0u32;
            for lane in Lanes(mask) {
                near |= u32::from(addresses[lane] >> window::RANK_SHIFT == rank) << lane;
            }
            let Some((shared, size, block)) = self.peer_shared(run, rank) else {
                return Err(self.illegal(
                    run,
                    addresses[first],
                    1 << first,
                    bytes,
                    write,
                    "no such block in the cluster",
                ));
            };
            for lane in Lanes(mask & near) {
                addresses[lane] &= window::SHARED_OFFSET;
            }
            (shared, size, block, mask & near)
        };
        let limit = u64::from(size).checked_sub(bytes);
        for lane in Lanes(part) {
            if limit.is_none_or(|limit| addresses[lane] > limit) {
                let why = "outside of the block's shared memory";
                return Err(self.illegal(run, addresses[lane], 1 << lane, bytes, write, why));
            }
        }
        part &= mask;
        let contiguous = contiguous && part == mask;
        Ok(Part {
            mask: part,
            bias: shared,
            space: Some(Space::Shared(block)),
            contiguous,
            point: false,
            private: true,
        })
    }

    /// Returns the shared memory of another block of the cluster, by its rank plus one.
    pub(super) fn peer_shared(&mut self, run: &Run<'_>, rank: u64) -> Option<(*mut u8, u32, BlockId)> {
        let slot = *self.block(run.slot)?.peers.get(rank as usize - 1)?;
        let block = self.block(slot)?;
        Some((block.shared(), block.shared_bytes, block.id))
    }

    #[cold]
    pub(super) fn illegal(
        &self,
        run: &Run<'_>,
        address: u64,
        lanes: LaneMask,
        bytes: u64,
        write: bool,
        why: &'static str,
    ) -> Failed {
        self.fail(run, lanes, FailureKind::IllegalAddress { address, bytes, write, why })
    }
}
