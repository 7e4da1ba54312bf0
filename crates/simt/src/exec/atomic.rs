//! `atom` and `red`.

use super::data::{peek, rest};
use super::place::Part;
use super::words::words;
use super::{Failed, Run, Worker};
use crate::alu::row::Lanes;
use crate::failure::FailureKind;
use crate::num::rmw;
use crate::program::{AtomInst, Code, NO_ROW, Row};
use events::{Access, AccessKind, LaneMask, Observer, Proxy, Space, Strength};
use ptx::ast::ScalarType;
use ptx::op::Rmw;
use std::sync::atomic::{AtomicU8, AtomicU16, AtomicU32, AtomicU64, Ordering};

/// Bytes of the smallest word with all atomic operations.
const WORD: u64 = 4;

impl<O: Observer> Worker<'_, O> {
    pub(super) fn atom(
        &mut self,
        run: &mut Run<'_>,
        inst: &AtomInst,
        active: LaneMask,
    ) -> Result<(), Failed> {
        let bytes = u64::from(inst.size) * u64::from(inst.elements);
        let mut addresses = self.addresses(run, &inst.address, active, bytes);
        self.atom_at(run, inst, &mut addresses, active)
    }

    /// Returns the end of a region of global memory for the current instruction, an access of `bytes` bytes.
    /// Strong accesses of aligned words may extend beyond the end by less than a word: PTX has no atomics of
    /// single bytes, so libcu++ accesses the containing words (`cuda::atomic_ref<bool>`). The hardware
    /// allocates in larger units, and no page ends inside a word, so those bytes exist.
    #[cold]
    pub(super) fn strong_end(&self, run: &Run<'_>, bytes: u64, end: u64) -> u64 {
        let program = self.ctx.program();
        let strong = match program.code[run.pc as usize].code {
            Code::Atom(_) => true,
            Code::Load(n) | Code::StrongStore(n) => {
                matches!(program.mems[n as usize].strength, Strength::Strong { .. })
            }
            _ => false,
        };
        if strong && bytes <= WORD { end.next_multiple_of(bytes) } else { end }
    }

    /// Executes the operation at addresses that [`Worker::addresses`] computed.
    pub(super) fn atom_at(
        &mut self,
        run: &mut Run<'_>,
        inst: &AtomInst,
        addresses: &mut [u64; 32],
        active: LaneMask,
    ) -> Result<(), Failed> {
        if self.s.observer.weak.is_some() {
            return self.update_weakly(run, inst, addresses, active);
        }
        let bytes = u64::from(inst.size) * u64::from(inst.elements);
        let mut mask = active;
        run.polled = true;
        while mask != 0 {
            let part = self.place(run, inst.address.target, addresses, mask, bytes, true)?;
            let mut values = [(0, 0); 32];
            let mut stored = 0;
            let before = self.s.watch.is_some().then(|| Self::snapshot(&part, addresses, bytes));
            // Subnormal sums are flushed in global memory only (PTX §9.7.13.5).
            let flush = matches!(part.space, Some(Space::Global));
            if inst.size == 16 {
                stored = wide(run, inst, &part, addresses);
            } else if let Some(sum) = uniform_sum(run, inst, &part, addresses) {
                self.sum(run, inst, &part, addresses[sum], &mut values);
                stored = part.mask;
            } else if let Some(lanes) = words(run, inst, &part, addresses, &mut values, flush) {
                stored = lanes;
            } else {
                for lane in Lanes(part.mask) {
                    for e in 0..usize::from(inst.elements) {
                        let p = part.host(addresses[lane]).wrapping_add(e * usize::from(inst.size));
                        let wide = inst.size == 8;
                        let b = truncate(run.get(inst.b[e], wide, lane), inst.size);
                        let c = match inst.c.get(e) {
                            Some(&row) => truncate(run.get(row, wide, lane), inst.size),
                            None => 0,
                        };
                        // SAFETY: `place` checked range and alignment.
                        let done = unsafe { update(p, inst, &part, b, c, flush) };
                        let Some((old, new)) = done else {
                            let text = "an atomic operation of this type".to_owned();
                            return Err(self.fail(
                                run,
                                part.mask,
                                FailureKind::Unsupported { instruction: text },
                            ));
                        };
                        if let Some(&d) = inst.d.get(e)
                            && d != NO_ROW
                        {
                            run.set(d, lane, old);
                        }
                        values[lane] = (old, new);
                        // A failed compare-and-swap changes nothing; all other operations write.
                        if inst.op != Rmw::Cas || old == b {
                            stored |= 1 << lane;
                        }
                    }
                }
            }
            if let Some(before) = before {
                if before != Self::snapshot(&part, addresses, bytes) {
                    self.watch_stored(&part);
                }
                self.watch_read(&part, addresses, bytes);
            }
            self.changed_strongly(&part, addresses, stored);
            self.atom_event(run, inst, &part, addresses, stored, &values);
            mask = rest(mask, &part);
        }
        Ok(())
    }

    /// Adds the integers of all lanes to one location: one host operation, with a prefix sum for each lane's
    /// result.
    fn sum(
        &mut self,
        run: &mut Run<'_>,
        inst: &AtomInst,
        part: &Part,
        address: u64,
        values: &mut [(u64, u64); 32],
    ) {
        let wide = inst.size == 8;
        let total = Lanes(part.mask).fold(0u64, |sum, lane| sum.wrapping_add(run.get(inst.b[0], wide, lane)));
        // SAFETY: `place` checked range and alignment.
        let mut old = unsafe {
            let p = part.host(address);
            if wide {
                AtomicU64::from_ptr(p.cast()).fetch_add(total, Ordering::Relaxed)
            } else {
                AtomicU32::from_ptr(p.cast()).fetch_add(total as u32, Ordering::Relaxed).into()
            }
        };
        if !inst.returns && !self.s.observer.active() {
            return;
        }
        for lane in Lanes(part.mask) {
            let new = truncate(old.wrapping_add(run.get(inst.b[0], wide, lane)), inst.size);
            values[lane] = (old, new);
            if inst.returns {
                run.set(inst.d[0], lane, old);
            }
            old = new;
        }
    }

    pub(super) fn atom_event(
        &mut self,
        run: &Run<'_>,
        inst: &AtomInst,
        part: &Part,
        addresses: &[u64; 32],
        stored: LaneMask,
        values: &[(u64, u64); 32],
    ) {
        let Some(space) = part.space else { return };
        self.s.stats.accesses += u64::from(part.mask.count_ones());
        if !self.s.observer.active() {
            return;
        }
        // Each half of a packed type is a separate operation (PTX §8.2.5).
        let halves = if matches!(inst.ty, ScalarType::F16x2 | ScalarType::Bf16x2) { 2 } else { 1 };
        let access = Access {
            warp: run.name(self),
            site: self.event_site(run.pc),
            space,
            kind: AccessKind::Atomic { op: inst.kind, returns: inst.returns },
            strength: Strength::Strong { sem: inst.sem, scope: inst.scope },
            proxy: Proxy::Generic,
            size: u32::from(inst.size) / u32::from(halves),
            elements: inst.elements * halves,
            mask: part.mask,
            addresses,
            stride: None,
            stored,
            values: (inst.size <= 8 && inst.elements * halves == 1).then_some(values),
            written: Default::default(),
        };
        self.s.observer.modelled(&access);
    }
}

/// Returns an active lane if the instruction is an integer addition of all lanes to one address.
fn uniform_sum(run: &Run<'_>, inst: &AtomInst, part: &Part, addresses: &[u64; 32]) -> Option<usize> {
    let integer = matches!(inst.size, 4 | 8) && !inst.ty.is_float();
    if inst.op != Rmw::Add || !integer || inst.elements != 1 {
        return None;
    }
    // Operands must be read before results are written, since both may share a row.
    let shares = inst.returns && inst.d[0] == inst.b[0];
    let _ = run;
    let first = part.mask.trailing_zeros() as usize & 31;
    let same = Lanes(part.mask).all(|lane| addresses[lane] == addresses[first]);
    (same && !shares).then_some(first)
}

pub(super) fn truncate(value: u64, bytes: u8) -> u64 {
    if bytes >= 8 { value } else { value & ((1 << (8 * bytes)) - 1) }
}

/// Performs one lane's operation; returns the old and the new value.
///
/// # Safety
/// `p` is valid for the operation's size and aligned to it.
unsafe fn update(
    p: *mut u8,
    inst: &AtomInst,
    part: &Part,
    b: u64,
    c: u64,
    flush: bool,
) -> Option<(u64, u64)> {
    let f = |old: u64| rmw::apply(inst.op, inst.ty, old, b, c, flush);
    macro_rules! atomic {
        ($atomic:ty, $int:ty) => {{
            // SAFETY: by contract; memory that is not a Rust object may be viewed as atomics.
            let cell = unsafe { <$atomic>::from_ptr(p.cast::<$int>()) };
            let mut old = cell.load(Ordering::Relaxed);
            loop {
                let new = f(old.into())?;
                if part.private {
                    cell.store(new as $int, Ordering::Relaxed);
                    return Some((old.into(), new));
                }
                match cell.compare_exchange_weak(old, new as $int, Ordering::Relaxed, Ordering::Relaxed) {
                    Ok(_) => return Some((old.into(), new)),
                    Err(now) => old = now,
                }
            }
        }};
    }
    match inst.size {
        1 => atomic!(AtomicU8, u8),
        2 => atomic!(AtomicU16, u16),
        4 => atomic!(AtomicU32, u32),
        _ => atomic!(AtomicU64, u64),
    }
}

/// Performs `exch` and `cas` of 128 bits. They are not atomic towards host threads, which have no such
/// operation on device memory.
pub(super) fn wide(run: &mut Run<'_>, inst: &AtomInst, part: &Part, addresses: &[u64; 32]) -> LaneMask {
    let pair = |run: &Run<'_>, rows: &[Row], lane: usize| match rows {
        [low, high, ..] => {
            u128::from(run.get(*low, true, lane)) | u128::from(run.get(*high, true, lane)) << 64
        }
        _ => 0,
    };
    let mut stored = 0;
    for lane in Lanes(part.mask) {
        let p = part.host(addresses[lane]);
        // SAFETY: `place` checked the lane's range of 16 bytes.
        let old = unsafe { peek(p, 16) };
        let b = pair(run, &inst.b, lane);
        let new = match inst.op {
            Rmw::Cas if old != b => None,
            Rmw::Cas => Some(pair(run, &inst.c, lane)),
            _ => Some(b),
        };
        if let Some(new) = new {
            // SAFETY: `place` checked the lane's range of 16 bytes.
            unsafe { std::ptr::copy_nonoverlapping(new.to_le_bytes().as_ptr(), p, 16) };
            stored |= 1 << lane;
        }
        for (k, &d) in inst.d.iter().enumerate().filter(|&(_, &d)| d != NO_ROW) {
            run.set(d, lane, (old >> (64 * k)) as u64);
        }
    }
    stored
}
