//! Matrix products of warpgroups: `wgmma` (PTX §9.7.15.5).
//!
//! A product belongs to four warps. Each of them computes its 16 rows when it comes to the instruction, from
//! registers or shared memory as they are then; a program without races cannot tell. The product's reads of
//! shared memory are asynchronous and made through the async proxy: of A, each warp makes those of its own
//! rows; of B, a quarter each. They are complete when a warp of the group has waited for their group. That
//! wait needs the other warps' part of the product, so it suspends the warp until they have committed it.

use super::async_copy::{AsyncRange, AsyncWait};
use super::block::Block;
use super::collective::{gather, scatter};
use super::frame::Parts;
use super::products::{WARPS, Warpgroup};
use super::turns::rouse;
use super::{FULL, Failed, Run, Worker};
use crate::exec::warp::Wait;
use crate::failure::FailureKind;
use crate::num::matrix::{self, Mma, Words};
use crate::num::sparse;
use crate::num::warpgroup::{Descriptor, Major, Tile};
use crate::program::{CollectiveInst, FILE_32, FILE_CONST, FILE_MASK, Row, WgmmaInst};
use events::{AccessKind, AsyncOpId, LaneMask, Observer, Proxy, Strength, Sync};
use ptx::ast::ScalarType;
use ptx::op::{Layout, Shape};

pub(super) fn place(warp: u16) -> (usize, usize) {
    (usize::from(warp) / WARPS, usize::from(warp) % WARPS)
}

impl Block {
    pub(super) fn warpgroup(&mut self, index: usize) -> &mut Warpgroup {
        if self.warpgroups.len() <= index {
            self.warpgroups.resize_with(index + 1, Warpgroup::default);
        }
        &mut self.warpgroups[index]
    }

    /// Returns whether all warps of a warpgroup that have not exited have committed `groups` groups. The running
    /// warp is `own`.
    fn has_committed(&mut self, own: u16, groups: u32) -> bool {
        let (index, _) = place(own);
        let first = index * WARPS;
        let live: [bool; WARPS] = std::array::from_fn(|i| {
            first + i != usize::from(own)
                && self.warps.get(first + i).and_then(Option::as_ref).is_some_and(|warp| warp.alive != 0)
        });
        let members = &self.warpgroup(index).members;
        live.iter().zip(members).all(|(live, member)| !live || member.committed >= groups)
    }
}

impl<O: Observer> Worker<'_, O> {
    /// Returns the number of groups that a `wgmma.wait_group` waits for, if another warp has yet to commit them.
    pub(super) fn waits_for_warpgroup(&mut self, run: &Run<'_>, keep: u32) -> Option<u32> {
        let own = run.warp.index;
        let (index, member) = place(own);
        let block = self.block(run.slot)?;
        let groups = block.warpgroup(index).members[member].committed.saturating_sub(keep);
        (!block.has_committed(own, groups)).then_some(groups)
    }

    /// Wakes the groups of a warp that wait for other warps' products.
    pub(super) fn wake_at_warpgroup(&mut self, slot: u32, w: usize) {
        let Some(block) = self.block(slot) else { return };
        let Some(mut warp) = block.warps.get_mut(w).and_then(Option::take) else { return };
        for group in &mut warp.groups {
            if let Wait::Warpgroup { groups } = group.wait
                && block.has_committed(warp.index, groups)
            {
                rouse(group);
            }
        }
        block.warps[w] = Some(warp);
    }

    pub(super) fn wgmma_commit(&mut self, run: &Run<'_>, lanes: LaneMask) {
        let (index, member) = place(run.warp.index);
        let Some(block) = self.block(run.slot) else { return };
        let member = &mut block.warpgroup(index).members[member];
        let (group, open) = (member.committed, std::mem::take(&mut member.open));
        member.groups.push_back((group, open.clone()));
        member.committed += 1;
        block.idle = 0;
        if self.s.observer.active() {
            let (warp, site) = (run.name(self), self.event_site(run.pc));
            for op in open {
                self.s.observer.sync(&Sync::ProductCommitted { warp, site, lanes, op, group });
            }
        }
    }

    /// Completes the products of all groups but the last `keep`, of all warps of the warpgroup.
    pub(super) fn wgmma_wait(&mut self, run: &Run<'_>, keep: u32, lanes: LaneMask) {
        let (index, own) = place(run.warp.index);
        let Some(block) = self.block(run.slot) else { return };
        let group = block.warpgroup(index);
        let (from, to) = (group.members[own].waited, group.members[own].committed.saturating_sub(keep));
        if to <= from {
            return;
        }
        group.members[own].waited = to;
        let mut ops = Vec::new();
        for member in &group.members {
            let done = member.groups.iter().filter(|(number, _)| (from..to).contains(number));
            done.for_each(|(_, of_group)| ops.extend_from_slice(of_group));
        }
        // Groups that every warp with products has waited for are forgotten.
        let least = group.members.iter().filter(|m| m.committed > 0).map(|m| m.waited).min().unwrap_or(0);
        for member in &mut group.members {
            while member.groups.front().is_some_and(|(number, _)| *number < least) {
                member.groups.pop_front();
            }
        }
        self.waited_together(run, lanes, &ops, AsyncWait::Together);
    }

    pub(super) fn wgmma(
        &mut self,
        run: &mut Run<'_>,
        (inst, how): (&CollectiveInst, &WgmmaInst),
        parts: &Parts,
        lanes: LaneMask,
    ) -> Result<(), Failed> {
        if lanes != FULL {
            let why = "a product of a warpgroup by a warp of fewer than 32 threads".to_owned();
            return Err(self.fail(run, lanes, FailureKind::IllegalInstruction { why }));
        }
        let product = how.product;
        let (index, member) = place(run.warp.index);
        let op = self.next_op();
        let n = usize::from(product.n);
        let mut a = match how.a_shared {
            true => {
                let first = 16 * member;
                let desc = gather(run, parts, inst.a[0], true)[0];
                let (tile, values) = self.operand(run, desc, (how.trans_a, false), first..first + 16)?;
                self.operand_events(run, tile.runs.iter(), op);
                let words = |row: usize, word: usize| values[row][word];
                fragment_a(words)
            }
            false => std::array::from_fn(|i| read(run, parts, inst.a[i])),
        };
        negate(&mut a, product.a, how.negate_a);
        let desc = gather(run, parts, inst.b[0], true)[0];
        let mut halves = Vec::with_capacity(2);
        for second in [false, true].into_iter().take(1 + usize::from(product.sparse)) {
            let (tile, mut b) = self.operand(run, desc, (how.trans_b, second), 0..n)?;
            self.operand_events(run, tile.runs.iter().skip(member).step_by(WARPS), op);
            negate(&mut b, product.b, how.negate_b && !product.sparse);
            halves.push(b);
        }

        let accumulates = match inst.c.first() {
            Some(&row) => gather(run, parts, row, false)[0] & 1 != u64::from(inst.negated),
            None => true,
        };
        let mut d: Vec<Words> = if accumulates {
            inst.d.iter().map(|&row| read(run, parts, row)).collect()
        } else {
            vec![[0; 32]; inst.d.len()]
        };
        let done = match halves.as_slice() {
            [first, second] => {
                let metadata = read(run, parts, inst.b[1]);
                multiply_sparse(how, &a, (first, second), &metadata, &mut d)
            }
            b => multiply(&how.mma(), &a, &b[0], &mut d),
        };
        if !done {
            let instruction = "wgmma.mma_async of this shape and type".to_owned();
            return Err(self.fail(run, lanes, FailureKind::Unsupported { instruction }));
        }
        for (&row, words) in inst.d.iter().zip(&d) {
            write(run, parts, row, words);
        }
        self.product_registers(run, how, lanes);
        if let Some(block) = self.block(run.slot) {
            block.warpgroup(index).members[member].open.push(op);
        }
        Ok(())
    }

    /// Returns 32 bytes of some rows of an operand in shared memory: where they are, and their values.
    fn operand(
        &mut self,
        run: &Run<'_>,
        desc: u64,
        (trans, second): (bool, bool),
        rows: std::ops::Range<usize>,
    ) -> Result<(std::rc::Rc<Tile>, Vec<[u32; 8]>), Failed> {
        let descriptor = match Descriptor::of(desc) {
            Ok(descriptor) => descriptor,
            Err(instruction) => {
                let kind = FailureKind::Unsupported { instruction: instruction.to_owned() };
                return Err(self.fail(run, FULL, kind));
            }
        };
        let major = if trans { Major::Mn { bytes: 2 } } else { Major::K { chunks: 2 } };
        let descriptor = if second { descriptor.second_half(major) } else { descriptor };
        let tile = Tile::of(&descriptor, major, rows);
        if tile.end > run.shared_bytes {
            let why = "outside of the block's shared memory";
            return Err(self.illegal(run, tile.end.into(), FULL, 16, false, why));
        }
        // SAFETY: the tile ends inside of the block's shared memory.
        let values = unsafe { tile.read(run.shared) };
        Ok((tile, values))
    }

    fn operand_events<'t>(
        &mut self,
        run: &Run<'_>,
        runs: impl Iterator<Item = &'t (u32, u32)>,
        op: AsyncOpId,
    ) {
        if !self.s.observer.active() {
            return;
        }
        for &(address, bytes) in runs {
            let range = AsyncRange::shared(run, address);
            let how = (Proxy::Async, Strength::Weak);
            self.async_event(run, 0, &range, bytes, AccessKind::AsyncRead { op }, how);
        }
    }
}

impl WgmmaInst {
    /// Returns the product of 16 rows and 8 columns that the instruction consists of, of a sparse one without what A does
    /// not have.
    fn mma(&self) -> Mma {
        let product = self.product;
        Mma {
            shape: Shape { m: 16, n: 8, k: if product.sparse { product.k / 2 } else { product.k } },
            wmma: false,
            a_layout: Layout::Row,
            b_layout: Layout::Col,
            d: product.d,
            a: product.a,
            b: product.b,
            c: product.d,
            satfinite: product.satfinite,
            bit_op: product.bit_op,
        }
    }
}

/// Returns the registers of A, from its rows of eight words.
fn fragment_a(word: impl Fn(usize, usize) -> u32) -> [Words; 4] {
    std::array::from_fn(|i| std::array::from_fn(|lane| word(lane / 4 + 8 * (i & 1), lane % 4 + 4 * (i >> 1))))
}

/// Multiplies 16 rows of A by all columns of B, which are rows of eight words.
fn multiply(mma: &Mma, a: &[Words; 4], b: &[[u32; 8]], d: &mut [Words]) -> bool {
    let each = if mma.d == ScalarType::F16 { 2 } else { 4 };
    let mut rows = matrix::Rows::of(mma, a);
    let a: [&Words; 4] = std::array::from_fn(|i| &a[i]);
    for (columns, d) in b.chunks_exact(8).zip(d.chunks_exact_mut(each)) {
        if rows.as_mut().is_some_and(|rows| rows.add(columns, d)) {
            continue;
        }
        let of_b: [Words; 2] =
            std::array::from_fn(|i| std::array::from_fn(|lane| columns[lane / 4][lane % 4 + 4 * i]));
        let c: Vec<Words> = d.to_vec();
        let c: Vec<&Words> = c.iter().collect();
        if matrix::multiply_words_of_warpgroup(mma, &a, &[&of_b[0], &of_b[1]], &c, d) {
            continue;
        }
        if matches!(mma.a, ScalarType::E4m3 | ScalarType::E5m2) {
            if !multiply_eight(mma, &a, columns, d) {
                return false;
            }
            continue;
        }
        let wide = |words: &[&Words]| words.iter().map(|w| w.map(u64::from)).collect::<Vec<_>>();
        let Some(sums) = matrix::multiply(mma, &wide(&a), &wide(&[&of_b[0], &of_b[1]]), &wide(&c)) else {
            return false;
        };
        for (d, sum) in d.iter_mut().zip(&sums) {
            *d = sum.map(|v| v as u32);
        }
    }
    true
}

/// Multiplies 16 compressed rows of A by all columns of B, whose rows have two halves.
fn multiply_sparse(
    how: &WgmmaInst,
    a: &[Words; 4],
    (first, second): (&[[u32; 8]], &[[u32; 8]]),
    metadata: &Words,
    d: &mut [Words],
) -> bool {
    let mma = how.mma();
    let indices = sparse::indices(metadata, (sparse::unit(mma.a), sparse::ROW), how.selector);
    let whole = |(low, high): (&[u32; 8], &[u32; 8])| -> [u8; 2 * sparse::ROW] {
        std::array::from_fn(|i| {
            let word = if i < sparse::ROW { low[i / 4] } else { high[(i - sparse::ROW) / 4] };
            word.to_le_bytes()[i % 4]
        })
    };
    // The signs of B change behind the selection.
    let mut a = *a;
    negate(&mut a, mma.b, how.negate_b);
    let b: Vec<_> = first.iter().zip(second).map(whole).collect();
    let a: [&Words; 4] = std::array::from_fn(|i| &a[i]);
    sparse::Sparse { mma, warpgroup: true }.multiply(&a, &b, &indices, d)
}

/// Multiplies 8-bit floats, which warpgroups add otherwise than single warps.
fn multiply_eight(mma: &Mma, a: &[&Words; 4], b: &[[u32; 8]], d: &mut [Words]) -> bool {
    let row_of = |row: usize| -> [u8; 32] {
        std::array::from_fn(|k| {
            let word = k / 4;
            let register = row / 8 + 2 * (word / 4);
            a[register][row % 8 * 4 + word % 4].to_le_bytes()[k % 4]
        })
    };
    let rows: [[u8; 32]; 16] = std::array::from_fn(row_of);
    let half = mma.d == ScalarType::F16;
    for (i, words) in d.iter_mut().enumerate() {
        for (lane, word) in words.iter_mut().enumerate() {
            let sum = |row: usize, column: usize, c: u32| {
                let column: [u8; 32] = std::array::from_fn(|k| b[column][k / 4].to_le_bytes()[k % 4]);
                matrix::eight_of_warpgroup(mma, &rows[row], &column, c.into()).map(|sum| sum as u32)
            };
            let (row, column) = (lane / 4, lane % 4 * 2);
            let result = if half {
                let row = row + 8 * i;
                sum(row, column, *word & 0xffff)
                    .zip(sum(row, column + 1, *word >> 16))
                    .map(|(low, high)| low | high << 16)
            } else {
                sum(row + i / 2 * 8, column + i % 2, *word)
            };
            let Some(result) = result else { return false };
            *word = result;
        }
    }
    true
}

/// Changes the signs of factors.
fn negate<const N: usize>(words: &mut [[u32; N]], ty: ScalarType, negate: bool) {
    if negate {
        let signs = match ty {
            ScalarType::F16 | ScalarType::Bf16 => 0x8000_8000,
            ScalarType::Tf32 => 0x8000_0000,
            _ => 0x8080_8080,
        };
        words.iter_mut().flatten().for_each(|word| *word ^= signs);
    }
}

/// Returns whether all lanes are in the current frame and a row has 32 bits.
fn is_whole(run: &Run<'_>, parts: &Parts, row: Row) -> bool {
    matches!(parts.as_slice(), [(FULL, frame)] if *frame == run.frame)
        && matches!(row & FILE_MASK, FILE_32 | FILE_CONST)
}

pub(super) fn read(run: &mut Run<'_>, parts: &Parts, row: Row) -> Words {
    if is_whole(run, parts, row) {
        // SAFETY: the row is one of the frame's or a constant, 32 lanes of 32 bits.
        return unsafe { run.row(row).cast::<Words>().read() };
    }
    gather(run, parts, row, false).map(|v| v as u32)
}

pub(super) fn write(run: &mut Run<'_>, parts: &Parts, row: Row, words: &Words) {
    if is_whole(run, parts, row) && row & FILE_MASK == FILE_32 {
        // SAFETY: the row is one of the frame's, 32 lanes of 32 bits.
        return unsafe { run.row(row).cast::<Words>().write(*words) };
    }
    scatter(run, parts, row, &words.map(u64::from));
}
