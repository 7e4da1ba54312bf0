//! Matrix instructions: the traffic between memory, registers and `num::matrix`.

use super::collective::{gather, scatter};
use super::data;
use super::frame::Parts;
use super::{Failed, Run, Worker};
use crate::alu::row::Lanes;
use crate::failure::FailureKind;
use crate::num::matrix::{self, Map, Mma, lanes as blocks};
use crate::program::{Address, Collective, CollectiveInst, FILE_32, FILE_CONST, FILE_MASK, NO_ROW, Row};
use events::{Access, AccessKind, LaneMask, Observer, Proxy, Strength, Written, WrittenBytes};
use ptx::op::{BlockShape, Layout, Op};
use smallvec::{SmallVec, smallvec};
use std::cell::RefCell;
use std::rc::Rc;

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
            Collective::Mma(how) => {
                self.mma(run, (inst, how), parts, lanes)?;
                Some(())
            }
            Collective::MatrixLoad(op) => self.fragment(run, inst, parts, lanes, op, false)?,
            Collective::MatrixStore(op) => self.fragment(run, inst, parts, lanes, op, true)?,
            Collective::Ldmatrix(op) | Collective::Stmatrix(op) => self.blocks(run, inst, parts, op)?,
            Collective::Movmatrix => {
                let a = gather(run, parts, inst.a[0], false).map(|v| v as u32);
                scatter(run, parts, inst.d[0], &blocks::transpose(&a).map(u64::from));
                Some(())
            }
            Collective::Wgmma(how) => {
                self.wgmma(run, (inst, how), parts, lanes)?;
                Some(())
            }
            Collective::WgmmaFence => {
                self.wgmma_fence(run);
                Some(())
            }
            Collective::WgmmaCommit => {
                self.wgmma_commit(run, lanes);
                Some(())
            }
            Collective::WgmmaWait { keep } => {
                self.wgmma_wait(run, *keep, lanes);
                Some(())
            }
            Collective::MapCopy { dst, src, fence } => {
                self.copy_map(run, parts, (dst, src), lanes)?;
                self.fence(run, fence, lanes);
                Some(())
            }
            Collective::TensorMemory(how) => {
                self.tensor_memory_of_warp(run, (inst, how), parts, lanes)?;
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

    /// Executes `wmma.load` and `wmma.store`.
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
        let row_major = layout == Layout::Row;
        let cells = cells(&map);
        // Elements smaller than a byte are transferred a register at a time, as are two elements adjacent in
        // memory.
        let (units, elements, bytes) = match (map.per_register(), bits) {
            (_, ..8) => (1, 1, 4),
            (2, 16) if cells.along == Some(row_major) => (1, 2, 2),
            (units, bits) => (units, 1, bits / 8),
        };
        let whole = elements * bytes == 4;
        let offsets = cells.offsets(stride, row_major);
        for (register, &row) in rows.iter().enumerate() {
            let mut values = if store { gather(run, parts, row, false) } else { [0; 32] };
            for j in 0..units {
                let at = &offsets[register * map.per_register() + j];
                let mut addresses = base;
                for (address, &offset) in addresses.iter_mut().zip(at) {
                    *address = address.wrapping_add(offset);
                }
                let size = (bytes as u32, elements as u8);
                // SAFETY: `each_place` checked the address.
                let put = |p: *mut u8, bytes, value| unsafe { data::write(p, bytes, value) };
                // SAFETY: `each_place` checked the address.
                let get = |p: *mut u8, bytes| unsafe { data::read(p, bytes) };
                match (store, whole) {
                    (true, true) => self.each_place(run, address, addresses, lanes, size, true, |lane, p| {
                        put(p, 4, values[lane]);
                    }),
                    (true, false) => {
                        self.each_place(run, address, addresses, lanes, size, true, |lane, p| {
                            put(p, bytes as u8, map.element(values[lane], j));
                        })
                    }
                    (false, true) => {
                        self.each_place(run, address, addresses, lanes, size, false, |lane, p| {
                            values[lane] = get(p, 4);
                        })
                    }
                    (false, false) => {
                        self.each_place(run, address, addresses, lanes, size, false, |lane, p| {
                            values[lane] |= map.place(get(p, bytes as u8), j);
                        })
                    }
                }?;
            }
            if !store {
                scatter(run, parts, row, &values);
            }
        }
        Ok(Some(()))
    }

    /// Executes `ldmatrix` and `stmatrix`: each row of 16 bytes is at the address of one lane.
    fn blocks(
        &mut self,
        run: &mut Run<'_>,
        inst: &CollectiveInst,
        parts: &Parts,
        op: &Op,
    ) -> Result<Option<()>, Failed> {
        let (shape, count, trans, bits, store) = match *op {
            Op::Ldmatrix { shape, count, trans, bits, .. } => (shape, count, trans, bits, false),
            Op::Stmatrix { shape, count, trans, ty, .. } => (shape, count, trans, ty.bits() as u8, true),
            _ => return Ok(None),
        };
        let count = usize::from(count) * if shape == BlockShape::M16n16 { 2 } else { 1 };
        let registers = if store { &inst.a } else { &inst.d };
        let Some(address) = &inst.address else { return Ok(None) };
        if registers.len() != count || count > 4 {
            return Ok(None);
        }
        let addresses = self.operand_addresses(run, parts, address);
        let providers = if count == 4 { u32::MAX } else { (1u32 << (8 * count)) - 1 };
        let mut memory: [blocks::Bytes; 32] = [[0; 16]; 32];
        if store {
            for (m, &row) in registers.iter().enumerate() {
                let values = gather(run, parts, row, false).map(|v| v as u32);
                blocks::store_block(&mut memory, m, shape, trans, &values);
            }
        }
        let transfer = |lane: usize, p: *mut u8| {
            let data = memory[lane].as_mut_ptr();
            // SAFETY: `each_place` checked 16 bytes, the size of a row.
            unsafe {
                if store {
                    std::ptr::copy_nonoverlapping(data, p, 16);
                } else {
                    std::ptr::copy_nonoverlapping(p, data, 16);
                }
            }
        };
        self.each_place(run, address, addresses, providers, (16, 1), store, transfer)?;
        if !store {
            if bits < 8 {
                memory.iter_mut().for_each(|row| *row = blocks::unpack(row, bits.into()));
            }
            for (m, &row) in registers.iter().enumerate() {
                let values = blocks::load_block(&memory, m, shape, trans);
                scatter(run, parts, row, &values.map(u64::from));
            }
        }
        Ok(Some(()))
    }

    /// Computes the address operands of all lanes, each from its own frame.
    pub(super) fn operand_addresses(&self, run: &mut Run<'_>, parts: &Parts, address: &Address) -> [u64; 32] {
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
        (size, elements): (u32, u8),
        write: bool,
        mut f: impl FnMut(usize, *mut u8),
    ) -> Result<(), Failed> {
        let mut mask = lanes;
        let bytes = u64::from(size) * u64::from(elements);
        while mask != 0 {
            let part = self.place(run, address.target, &mut addresses, mask, bytes, write)?;
            if write {
                self.watch_changed();
            } else if self.s.watch.is_some() {
                self.watch_read(&part, &addresses, bytes);
            }
            let mut written = (write && self.s.observer.active()).then_some(Fragments([[0; 16]; 32]));
            let mut transfer = |lane: usize| {
                let p = part.host(addresses[lane]);
                f(lane, p);
                if let Some(Fragments(written)) = &mut written {
                    // SAFETY: `place` checked the lane's address range, of at most 16 bytes.
                    written[lane] = unsafe { data::peek(p, bytes as usize) }.to_le_bytes();
                }
            };
            match part.mask {
                super::FULL => (0..32).for_each(&mut transfer),
                mask => Lanes(mask).for_each(&mut transfer),
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
                    size,
                    elements,
                    mask: part.mask,
                    addresses: &addresses,
                    stride: None,
                    stored: if write { part.mask } else { 0 },
                    values: None,
                    written: written.as_ref().map_or(Written::Unknown, |written| Written::Bytes(written)),
                };
                self.s.observer.access(&access);
            }
        }
        Ok(())
    }
}

/// The bytes of a matrix that each lane has stored.
struct Fragments([[u8; 16]; 32]);

impl WrittenBytes for Fragments {
    fn copy(&self, lane: usize, to: &mut [u8]) {
        to.copy_from_slice(&self.0[lane][..to.len()]);
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

/// Multiplies when all lanes are in one frame and the product has a common form; returns false, without
/// effect, otherwise. See [`multiply`] for the general case.
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
        // SAFETY: the rows are the frame's, 32 lanes of 32 bits, and the borrows have ended.
        unsafe { run.row(row).cast::<matrix::Words>().write(*words) };
    }
    true
}

/// The positions of a fragment's elements in the matrix, looked up once for each kind of fragment.
struct Cells {
    map: Map,
    /// For each register and element in it, the rows and columns of the lanes.
    at: Vec<[(u16, u16); 32]>,
    /// Whether the elements of each register are adjacent in a row (true) or in a column (false), if either.
    along: Option<bool>,
    /// The last arguments and result of [`Cells::offsets`].
    last: RefCell<Option<(usize, bool, Offsets)>>,
}

/// Byte offsets from a matrix's beginning, for each register and element in it, and for each lane.
type Offsets = Rc<[[u64; 32]]>;

impl Cells {
    /// Returns the memory offsets of the elements, for rows (or columns) that are `stride` elements apart.
    /// The last result is cached, since a program rarely changes the stride.
    fn offsets(&self, stride: usize, row_major: bool) -> Offsets {
        let mut last = self.last.borrow_mut();
        if let Some((for_stride, for_rows, offsets)) = &*last
            && (*for_stride, *for_rows) == (stride, row_major)
        {
            return Rc::clone(offsets);
        }
        let bits = self.map.element_bits() as usize;
        let offset = |(r, c): (u16, u16)| {
            let (outer, inner) = if row_major { (r, c) } else { (c, r) };
            ((usize::from(outer) * stride + usize::from(inner)) * bits / 8) as u64
        };
        let offsets: Offsets = self.at.iter().map(|lanes| lanes.map(offset)).collect();
        *last = Some((stride, row_major, Rc::clone(&offsets)));
        offsets
    }
}

fn cells(map: &Map) -> Rc<Cells> {
    thread_local! {
        static KNOWN: RefCell<Vec<Rc<Cells>>> = const { RefCell::new(Vec::new()) };
    }
    KNOWN.with_borrow_mut(|known| {
        if let Some(cells) = known.iter().find(|cells| cells.map == *map) {
            return Rc::clone(cells);
        }
        let each = map.per_register();
        let of = |register, j| {
            std::array::from_fn(|lane| {
                let (row, column) = map.at(lane, register, j);
                (row as u16, column as u16)
            })
        };
        let at: Vec<[(u16, u16); 32]> = (0..map.registers() * each).map(|i| of(i / each, i % each)).collect();
        let all = |step: (u16, u16)| {
            let follows = |a: &(u16, u16), b: &(u16, u16)| (a.0 + step.0, a.1 + step.1) == *b;
            let mut registers = at.chunks_exact(each);
            registers.all(|j| j.windows(2).all(|j| j[0].iter().zip(&j[1]).all(|(a, b)| follows(a, b))))
        };
        let along = match (all((0, 1)), all((1, 0))) {
            (true, _) => Some(true),
            (_, true) => Some(false),
            _ => None,
        };
        let cells = Rc::new(Cells { map: *map, at, along, last: RefCell::new(None) });
        known.push(Rc::clone(&cells));
        cells
    })
}
