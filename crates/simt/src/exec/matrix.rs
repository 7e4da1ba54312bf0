//! Matrix instructions: the traffic between memory, registers and `num::matrix`.

use super::collective::{Parts, gather, scatter};
use super::data;
use super::row::Lanes;
use super::{Failed, Run, Worker};
use crate::failure::FailureKind;
use crate::num::matrix::{self, Map, Mma, lanes as blocks};
use crate::program::{Address, Collective, CollectiveInst, FILE_32, FILE_CONST, FILE_MASK, NO_ROW, Row};
use events::{Access, AccessKind, LaneMask, Observer, Proxy, Strength};
use ptx::op::{Layout, Op};
use smallvec::{SmallVec, smallvec};

impl<O: Observer> Worker<'_, O> {
    pub(super) fn matrix(
        &mut self,
        run: &mut Run<'_>,
        inst: &CollectiveInst,
        parts: &Parts,
        lanes: LaneMask,
    ) -> Result<(), Failed> {
        let done = match &inst.what {
            Collective::Matrix(op) => multiply(run, inst, parts, op),
            Collective::MatrixLoad(op) => self.fragment(run, inst, parts, lanes, op, false)?,
            Collective::MatrixStore(op) => self.fragment(run, inst, parts, lanes, op, true)?,
            Collective::Ldmatrix { count, trans, op } => {
                self.blocks(run, inst, parts, *count, *trans, op, false)?
            }
            Collective::Stmatrix { count, trans, op } => {
                self.blocks(run, inst, parts, *count, *trans, op, true)?
            }
            Collective::Movmatrix => {
                let a = gather(run, parts, inst.a[0], false).map(|v| v as u32);
                scatter(run, parts, inst.d[0], &blocks::transpose(&a).map(u64::from));
                Some(())
            }
            _ => None,
        };
        match done {
            Some(()) => Ok(()),
            None => {
                let instruction = match self.site(run.pc) {
                    Some(_) => "a matrix instruction of this shape and type".to_owned(),
                    None => "a matrix instruction".to_owned(),
                };
                Err(self.fail(run, lanes, FailureKind::Unsupported { instruction }))
            }
        }
    }

    /// `wmma.load` and `wmma.store`.
    fn fragment(
        &mut self,
        run: &mut Run<'_>,
        inst: &CollectiveInst,
        parts: &Parts,
        lanes: LaneMask,
        op: &Op,
        store: bool,
    ) -> Result<Option<()>, Failed> {
        let (fragment, layout, shape, ty) = match *op {
            Op::WmmaLoad { fragment, layout, shape, ty, .. } => (fragment, layout, shape, ty),
            Op::WmmaStore { layout, shape, ty, .. } => (ptx::op::Fragment::D, layout, shape, ty),
            _ => return Ok(None),
        };
        let Some(map) = Map::wmma(fragment, shape, ty) else { return Ok(None) };
        let rows = if store { &inst.a } else { &inst.d };
        let Some(address) = &inst.address else { return Ok(None) };
        if rows.len() != map.registers() {
            return Ok(None);
        }
        let base = self.operand_addresses(run, parts, address);
        let (height, width) = map.size();
        let first = lanes.trailing_zeros() as usize & 31;
        let stride = match inst.b.first() {
            Some(&row) => gather(run, parts, row, false)[first] as u32 as usize,
            None if layout == Layout::Row => width,
            None => height,
        };
        let bits = map.element_bits() as usize;
        // Elements below a byte come a whole register at a time.
        let (units, bytes) = if bits < 8 { (1, 4) } else { (map.per_register(), bits / 8) };
        for (register, &row) in rows.iter().enumerate() {
            let mut values = if store { gather(run, parts, row, false) } else { [0; 32] };
            for j in 0..units {
                let mut addresses = [0; 32];
                for lane in 0..32 {
                    let (r, c) = map.at(lane, register, j);
                    let index = if layout == Layout::Row { r * stride + c } else { c * stride + r };
                    addresses[lane] = base[lane].wrapping_add((index * bits / 8) as u64);
                }
                let moved = |value: &mut u64, p: *mut u8| {
                    // SAFETY: `each_place` checked the address.
                    unsafe {
                        if store {
                            let v = if bits < 8 { *value } else { map.element(*value, j) };
                            data::write(p, bytes as u8, v);
                        } else {
                            let v = data::read(p, bytes as u8);
                            *value |= if bits < 8 { v } else { map.place(v, j) };
                        }
                    }
                };
                let n = bytes as u64;
                self.each_place(run, address, addresses, lanes, n, store, |lane, p| {
                    moved(&mut values[lane], p)
                })?;
            }
            if !store {
                scatter(run, parts, row, &values);
            }
        }
        Ok(Some(()))
    }

    /// `ldmatrix` and `stmatrix`: each row of 16 bytes at the address of one lane.
    #[expect(clippy::too_many_arguments, reason = "the instruction has that many attributes")]
    fn blocks(
        &mut self,
        run: &mut Run<'_>,
        inst: &CollectiveInst,
        parts: &Parts,
        count: u8,
        trans: bool,
        op: &Op,
        store: bool,
    ) -> Result<Option<()>, Failed> {
        let ty = match op {
            Op::Ldmatrix { ty, .. } | Op::Stmatrix { ty, .. } => *ty,
            _ => return Ok(None),
        };
        let count = usize::from(count);
        let registers = if store { &inst.a } else { &inst.d };
        let Some(address) = &inst.address else { return Ok(None) };
        if ty.bits() != 16 || registers.len() != count || count > 4 {
            return Ok(None);
        }
        let addresses = self.operand_addresses(run, parts, address);
        let providers = if count == 4 { u32::MAX } else { (1u32 << (8 * count)) - 1 };
        let mut memory = vec![[[0u16; 8]; 8]; 4];
        if store {
            for (m, &row) in registers.iter().enumerate() {
                let values = gather(run, parts, row, false).map(|v| v as u32);
                memory[m] = blocks::store(&values, trans);
            }
        }
        let transfer = |lane: usize, p: *mut u8| {
            // Which matrix and row a lane's address is for; the inverse of `address_lane`.
            let (m, row) = (lane / 8, lane % 8);
            debug_assert_eq!(blocks::address_lane(m, row), lane);
            let data: *mut u8 = memory[m][row].as_mut_ptr().cast();
            // SAFETY: `each_place` checked 16 bytes, the size of a row.
            unsafe {
                if store {
                    std::ptr::copy_nonoverlapping(data, p, 16);
                } else {
                    std::ptr::copy_nonoverlapping(p, data, 16);
                }
            }
        };
        self.each_place(run, address, addresses, providers, 16, store, transfer)?;
        if !store {
            for (m, &row) in registers.iter().enumerate() {
                scatter(run, parts, row, &blocks::load(&memory[m], trans).map(u64::from));
            }
        }
        Ok(Some(()))
    }

    /// The lanes' address operands, each from its own frame.
    fn operand_addresses(&self, run: &mut Run<'_>, parts: &Parts, address: &Address) -> [u64; 32] {
        let mut out = [0; 32];
        super::collective::with_frames(run, parts, |run, mask| {
            let addresses = self.addresses(run, address, super::FULL, 1);
            for lane in Lanes(mask) {
                out[lane] = addresses[lane];
            }
        });
        out
    }

    /// Checks the lanes' addresses, calls `f` with each lane's memory, and reports the access.
    #[expect(clippy::too_many_arguments, reason = "what an access is made of")]
    fn each_place(
        &mut self,
        run: &Run<'_>,
        address: &Address,
        mut addresses: [u64; 32],
        lanes: LaneMask,
        bytes: u64,
        write: bool,
        mut f: impl FnMut(usize, *mut u8),
    ) -> Result<(), Failed> {
        let mut mask = lanes;
        while mask != 0 {
            let part = self.place(run, address.target, &mut addresses, mask, bytes, write)?;
            if write {
                self.watch_changed();
            } else if self.s.watch.is_some() {
                self.watch_read(&part, &addresses, bytes);
            }
            for lane in Lanes(part.mask) {
                f(lane, part.host(addresses[lane]));
            }
            mask = data::rest(mask, &part);
            let Some(space) = part.space else { continue };
            self.s.stats.accesses += u64::from(part.mask.count_ones());
            if self.s.observer.active() {
                let access = Access {
                    warp: run.name(self),
                    site: self.event_site(run.pc),
                    space,
                    kind: if write { AccessKind::Write } else { AccessKind::Read },
                    strength: Strength::Weak,
                    proxy: Proxy::Generic,
                    size: bytes as u32,
                    elements: 1,
                    mask: part.mask,
                    addresses: &addresses,
                    stored: if write { part.mask } else { 0 },
                    values: None,
                };
                self.s.observer.access(&access);
            }
        }
        Ok(())
    }
}

fn multiply(run: &mut Run<'_>, inst: &CollectiveInst, parts: &Parts, op: &Op) -> Option<()> {
    let mma = Mma::of(op)?;
    if multiply_words(run, inst, parts, &mma) {
        return Some(());
    }
    let mut rows = |rows: &[crate::program::Row]| -> Vec<matrix::Lanes> {
        rows.iter().map(|&row| gather(run, parts, row, false)).collect()
    };
    let (a, b, c) = (rows(&inst.a), rows(&inst.b), rows(&inst.c));
    let d = matrix::multiply(&mma, &a, &b, &c)?;
    for (&row, values) in inst.d.iter().zip(&d) {
        scatter(run, parts, row, values);
    }
    Some(())
}

/// As [`multiply`], where all lanes are in one place and the product is one of the usual ones. False if not.
fn multiply_words(run: &mut Run<'_>, inst: &CollectiveInst, parts: &Parts, mma: &Mma) -> bool {
    let narrow = |row: &Row| matches!(row & FILE_MASK, FILE_32 | FILE_CONST) && *row != NO_ROW;
    let sources = [&inst.a, &inst.b, &inst.c];
    let together = matches!(parts.as_slice(), [(super::FULL, frame)] if *frame == run.frame);
    let known = sources.iter().all(|rows| rows.iter().all(narrow))
        && inst.d.iter().all(|row| narrow(row) && row & FILE_MASK == FILE_32);
    if !together || !known {
        return false;
    }
    // SAFETY: the rows are the frame's, 32 lanes of 32 bits; nothing is written while they are borrowed.
    let words = |row: &Row| unsafe { &*run.row(*row).cast::<matrix::Words>() };
    let [a, b, c] = sources.map(|rows| rows.iter().map(words).collect::<SmallVec<[_; 8]>>());
    let mut d: SmallVec<[matrix::Words; 8]> = smallvec![[0; 32]; inst.d.len()];
    if !matrix::multiply_words(mma, &a, &b, &c, &mut d) {
        return false;
    }
    for (&row, words) in inst.d.iter().zip(&d) {
        // SAFETY: as above.
        unsafe { run.row(row).cast::<matrix::Words>().write(*words) };
    }
    true
}
