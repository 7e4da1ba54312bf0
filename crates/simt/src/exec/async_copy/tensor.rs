//! Tensor copies: `cp{.reduce}.async.bulk.tensor` (PTX §9.7.9.25.5), and changes of tensor maps (§9.7.9.26).

use super::super::frame::Parts;
use super::super::{FULL, Failed, Run, Worker};
use super::state::{Copy, How, Moves, Piece, Pieces, Signalled};
use super::{Range, state};
use crate::alu::row::Lanes;
use crate::failure::FailureKind;
use crate::num::rmw;
use crate::program::{Address, NO_ROW, ReplaceInst, Target, TensorInst, window};
use crate::tensor::{Line, Lines, fits, scalar};
use events::{AccessKind, AsyncOpId, LaneMask, Observer, Proxy, Scope, Sem, Space, Strength};
use kernels::tensor_map::{self, Element, Swizzle, TensorMap};
use ptx::op::TensorWay;
use smallvec::SmallVec;

/// The alignment of a tensor copy's shared memory.
const SHARED_ALIGN: u32 = 128;

/// The alignment of a tensor map.
const MAP_ALIGN: u32 = 64;

impl<O: Observer> Worker<'_, O> {
    pub(super) fn tensor(&mut self, run: &mut Run<'_>, inst: &TensorInst, lane: usize) -> Result<(), Failed> {
        let op = self.next_op();
        let map = self.tensor_map(run, inst, lane, op)?;
        let (mut at, mut offsets) = ([0i32; 5], [0u16; 3]);
        for (at, &row) in at.iter_mut().zip(&inst.coordinates) {
            *at = run.get(row, false, lane) as i32;
        }
        for (offset, &row) in offsets.iter_mut().zip(&inst.offsets) {
            *offset = run.get(row, false, lane) as u16;
        }
        let lines = Lines::of(&map, inst.copy.mode, &at, &offsets);
        let lines = lines.map_err(|kind| self.fail(run, 1 << lane, kind))?;
        match inst.copy.way {
            TensorWay::Load { .. } => self.tensor_load(run, inst, lane, (&map, &lines), op),
            TensorWay::Store => self.tensor_store(run, inst, lane, (&map, &lines), op),
        }
    }

    /// Returns the lanes that issue a copy. Of lanes that store one box to one place in one instruction the lowest issues the copy for
    /// all: GPUs store it once.
    pub(super) fn tensor_issuers(&mut self, run: &Run<'_>, inst: &TensorInst, active: LaneMask) -> LaneMask {
        if inst.copy.way != TensorWay::Store || inst.copy.op.is_some() {
            return active;
        }
        let maps = self.addresses(run, &inst.map, active, 1);
        let boxes = self.addresses(run, &inst.shared, active, 1);
        let operands = |lane: usize| {
            let at: SmallVec<[u64; 5]> =
                inst.coordinates.iter().map(|&row| run.get(row, false, lane)).collect();
            (maps[lane], boxes[lane], at)
        };
        let mut issued: SmallVec<[_; 1]> = SmallVec::new();
        let mut issuers = 0;
        for lane in Lanes(active) {
            let of_lane = operands(lane);
            if !issued.contains(&of_lane) {
                issued.push(of_lane);
                issuers |= 1 << lane;
            }
        }
        issuers
    }

    /// Reads the tensor map of a lane, as an access through the tensormap proxy.
    fn tensor_map(
        &mut self,
        run: &Run<'_>,
        inst: &TensorInst,
        lane: usize,
        op: AsyncOpId,
    ) -> Result<TensorMap, Failed> {
        let bytes = tensor_map::BYTES as u32;
        let value = self.addresses(run, &inst.map, 1 << lane, 1)[lane];
        let param = match inst.map.target {
            Target::Param => Some(value),
            Target::Generic if value >> window::SHIFT == window::PARAM >> window::SHIFT => {
                Some(value & window::OFFSET)
            }
            _ => None,
        };
        let mut map = [0; tensor_map::BYTES];
        if let Some(offset) = param {
            let params = &self.ctx.launch.params;
            let found = usize::try_from(offset).ok().and_then(|at| params.get(at..at + tensor_map::BYTES));
            let Some(found) = found else {
                return Err(self.illegal(
                    run,
                    value,
                    1 << lane,
                    bytes.into(),
                    false,
                    "outside of the parameters",
                ));
            };
            map.copy_from_slice(found);
        } else {
            if !value.is_multiple_of(u64::from(MAP_ALIGN)) {
                return Err(self.fail(
                    run,
                    1 << lane,
                    FailureKind::Misaligned { address: value, bytes: MAP_ALIGN.into() },
                ));
            }
            let range = self.range_at(run, Target::Global, value, lane, bytes, 16, false)?;
            let how = (Proxy::Tensormap, Strength::Weak);
            self.async_event(run, lane, &range, bytes, AccessKind::AsyncRead { op }, how);
            // SAFETY: `range_at` checked the range.
            unsafe { std::ptr::copy_nonoverlapping(range.host, map.as_mut_ptr(), tensor_map::BYTES) };
        }
        let map = match TensorMap::decode(&map) {
            Ok(map) => map,
            Err(why) => {
                let kind = FailureKind::IllegalInstruction { why: format!("{why} at {value:#x}") };
                return Err(self.fail(run, 1 << lane, kind));
            }
        };
        fits(&inst.copy, &map).map_err(|kind| self.fail(run, 1 << lane, kind))?;
        Ok(map)
    }

    fn tensor_load(
        &mut self,
        run: &mut Run<'_>,
        inst: &TensorInst,
        lane: usize,
        (map, lines): (&TensorMap, &Lines),
        mut op: AsyncOpId,
    ) -> Result<(), Failed> {
        let bytes = lines.bytes();
        let Some(mbar) = &inst.mbar else { return Ok(()) };
        let objects = self.objects(run, (mbar, inst.multicast, inst.signals), lane)?;
        let mut to_all: Vec<Range> = Vec::new();
        if inst.multicast == NO_ROW {
            to_all.push(self.tensor_shared(run, &inst.shared, lane, bytes, true)?);
        } else {
            let mask = run.get(inst.multicast, false, lane) as u32;
            let to = self.shared_address(run, &inst.shared, lane);
            if !to.is_multiple_of(u64::from(SHARED_ALIGN)) {
                let kind = FailureKind::Misaligned { address: to, bytes: SHARED_ALIGN.into() };
                return Err(self.fail(run, 1 << lane, kind));
            }
            for rank in Lanes(mask & 0xffff) {
                let at = |a: u64| (rank as u64 + 1) << window::RANK_SHIFT | a & window::SHARED_OFFSET;
                to_all.push(self.range_at(run, Target::Shared, at(to), lane, bytes, 16, true)?);
            }
        }
        let stretches = self.tensor_stretches(run, lane, lines, false)?;
        for (i, (to, mbar)) in to_all.into_iter().zip(objects).enumerate() {
            if i > 0 {
                op = self.next_op();
            }
            let weak = (Proxy::Async, Strength::Weak);
            for (range, bytes) in &stretches {
                self.async_event(run, lane, range, *bytes, AccessKind::AsyncRead { op }, weak);
            }
            self.async_event(run, lane, &to, bytes, AccessKind::AsyncWrite { op }, weak);
            let pieces = loads(map, lines, &to, &stretches);
            self.current_phase(run, mbar, lane)?;
            self.touch_object(run, mbar, 1 << lane, Some(op));
            let (bytes, moves) = (lines.completes(), Moves::Pieces(pieces));
            let copy = Copy { lane: lane as u8, op, bytes, group: None, moved: false, moves };
            let mbar = (mbar.slot, mbar.offset, mbar.block);
            self.s.signalled.push(Signalled { copy, mbar });
        }
        Ok(())
    }

    fn tensor_store(
        &mut self,
        run: &mut Run<'_>,
        inst: &TensorInst,
        lane: usize,
        (map, lines): (&TensorMap, &Lines),
        op: AsyncOpId,
    ) -> Result<(), Failed> {
        let bytes = lines.bytes();
        let reduce = inst.copy.op.map(|op| (op, scalar(map)));
        if let Some((op, ty)) = reduce
            && (ty.bytes() < 4 && !ty.is_float() || rmw::apply(op, ty, 0, 0, 0, true).is_none())
        {
            let instruction = format!("a tensor reduction by {op:?} of .{}", ty.name());
            return Err(self.fail(run, 1 << lane, FailureKind::Unsupported { instruction }));
        }
        let from = self.tensor_shared(run, &inst.shared, lane, bytes, false)?;
        let stretches = self.tensor_stretches(run, lane, lines, true)?;
        let weak = (Proxy::Async, Strength::Weak);
        let strong = (Proxy::Async, Strength::Strong { sem: Sem::Relaxed, scope: Scope::Gpu });
        self.async_event(run, lane, &from, bytes, AccessKind::AsyncRead { op }, weak);
        let how = if reduce.is_some() { strong } else { weak };
        for (range, bytes) in &stretches {
            self.async_event(run, lane, range, *bytes, AccessKind::AsyncWrite { op }, how);
        }
        let mut pieces = stores(map, lines, &from, &stretches);
        if let Some((op, ty)) = reduce {
            pieces.how = How::Reduced(op, ty);
        }
        let moves = Moves::Pieces(pieces);
        state(run).bulk.push(Copy { lane: lane as u8, op, bytes, group: None, moved: false, moves });
        Ok(())
    }

    /// Returns the shared memory of a box.
    fn tensor_shared(
        &mut self,
        run: &Run<'_>,
        address: &Address,
        lane: usize,
        bytes: u32,
        write: bool,
    ) -> Result<Range, Failed> {
        let value = self.addresses(run, address, 1 << lane, 1)[lane];
        if !value.is_multiple_of(u64::from(SHARED_ALIGN)) {
            let kind = FailureKind::Misaligned { address: value, bytes: SHARED_ALIGN.into() };
            return Err(self.fail(run, 1 << lane, kind));
        }
        self.range_at(run, address.target, value, lane, bytes, 16, write)
    }

    /// Returns the global memory of a box, as stretches with their lengths.
    fn tensor_stretches(
        &mut self,
        run: &Run<'_>,
        lane: usize,
        lines: &Lines,
        write: bool,
    ) -> Result<Vec<(Range, u32)>, Failed> {
        let mut found = Vec::new();
        lines.stretches(|address, bytes| found.push((address, bytes)));
        found
            .into_iter()
            .map(|(address, bytes)| {
                let range = self.range_at(run, Target::Global, address, lane, bytes, 1, write)?;
                Ok((range, bytes))
            })
            .collect()
    }

    /// Executes `tensormap.replace`: a weak write of the whole map by each lane.
    pub(super) fn replace(
        &mut self,
        run: &mut Run<'_>,
        inst: &ReplaceInst,
        active: LaneMask,
    ) -> Result<(), Failed> {
        for lane in Lanes(active) {
            let bytes = tensor_map::BYTES as u32;
            let range = self.range(run, &inst.address, lane, bytes, 16, true)?;
            let mut map = [0; tensor_map::BYTES];
            // SAFETY: `range` checked the range.
            unsafe { std::ptr::copy_nonoverlapping(range.host, map.as_mut_ptr(), tensor_map::BYTES) };
            let value = run.get(inst.value, inst.field.is_wide(), lane);
            if let Err(why) = TensorMap::replace(&mut map, inst.field, inst.ordinal, value) {
                let instruction = format!("tensormap.replace of {why}");
                return Err(self.fail(run, 1 << lane, FailureKind::Unsupported { instruction }));
            }
            // SAFETY: `range` checked the range.
            unsafe { std::ptr::copy_nonoverlapping(map.as_ptr(), range.host, tensor_map::BYTES) };
            let mut addresses = [0; 32];
            addresses[lane] = range.address;
            if let Some(space) = range.space {
                self.map_event(run, (1 << lane, &addresses), space, AccessKind::Write, (16, 8));
            }
        }
        Ok(())
    }

    /// Executes the copy of `tensormap.cp_fenceproxy`: the warp's threads make it together, and it counts as the first one's.
    pub(in crate::exec) fn copy_map(
        &mut self,
        run: &mut Run<'_>,
        parts: &Parts,
        (dst, src): (&Address, &Address),
        lanes: LaneMask,
    ) -> Result<(), Failed> {
        if lanes != FULL {
            let why = "a copy of a tensor map by a warp of fewer than 32 threads".to_owned();
            return Err(self.fail(run, lanes, FailureKind::IllegalInstruction { why }));
        }
        self.watch_changed();
        let words = |mut addresses: [u64; 32]| {
            let first = addresses[0];
            addresses.iter_mut().enumerate().for_each(|(lane, a)| *a = first.wrapping_add(4 * lane as u64));
            addresses
        };
        let mut from = words(self.operand_addresses(run, parts, src));
        let mut to = words(self.operand_addresses(run, parts, dst));
        let source = self.place(run, src.target, &mut from, lanes, 4, false)?;
        let target = self.place(run, dst.target, &mut to, lanes, 4, true)?;
        for (part, addresses) in [(&source, &from), (&target, &to)] {
            if part.mask != FULL {
                let lane = (!part.mask).trailing_zeros() as usize & 31;
                let why = "a tensor map in two allocations";
                return Err(self.illegal(run, addresses[lane], 1 << lane, 4, true, why));
            }
        }
        for lane in 0..32 {
            // SAFETY: `place` checked both words of each lane.
            unsafe { std::ptr::copy(source.host(from[lane]), target.host(to[lane]), 4) };
        }
        for (part, addresses, kind) in [(&source, &from, AccessKind::Read), (&target, &to, AccessKind::Write)]
        {
            if let Some(space) = part.space {
                self.map_event(run, (1, addresses), space, kind, (16, 8));
            }
        }
        Ok(())
    }

    /// Reports a generic access of a tensor map, in elements of `size` bytes.
    pub(in crate::exec) fn map_event(
        &mut self,
        run: &Run<'_>,
        row: (LaneMask, &[u64; 32]),
        space: Space,
        kind: AccessKind,
        elements: (u32, u8),
    ) {
        self.async_row(run, row, space, elements, kind, (Proxy::Generic, Strength::Weak));
    }
}

/// Finds the host memory of global addresses that are asked for in the order of the stretches.
struct Cursor<'a> {
    stretches: &'a [(Range, u32)],
    at: usize,
}

impl Cursor<'_> {
    fn host(&mut self, line: &Line) -> *mut u8 {
        loop {
            let Some((range, bytes)) = self.stretches.get(self.at) else { return std::ptr::null_mut() };
            let offset = line.address.wrapping_sub(range.address);
            if offset < u64::from(*bytes) {
                return range.host.wrapping_add(offset as usize);
            }
            self.at += 1;
        }
    }
}

/// Calls `f(at, offset, bytes)` for the parts of a stretch of a box that stay together in shared memory: `at` is
/// the part's place relative to the box's first byte, `offset` its distance from the stretch's beginning.
fn parts(swizzle: Swizzle, shared: u64, begin: u32, bytes: u32, mut f: impl FnMut(isize, u32, u32)) {
    if swizzle == Swizzle::None {
        return f(begin as isize, 0, bytes);
    }
    let (base, unit) = (shared as u32, swizzle.unit());
    let mut done = 0;
    while done < bytes {
        let address = base + begin + done;
        let length = (unit - address % unit).min(bytes - done);
        f(swizzle.place(address) as isize - base as isize, done, length);
        done += length;
    }
}

fn loads(map: &TensorMap, lines: &Lines, to: &Range, stretches: &[(Range, u32)]) -> Pieces {
    let mut cursor = Cursor { stretches, at: 0 };
    let mut pieces = Vec::new();
    for (n, line) in lines.lines.iter().enumerate() {
        let start = n as u32 * lines.pitch;
        let mut part = |begin: u32, bytes: u32, src: *const u8| {
            parts(map.swizzle, to.address, start + begin, bytes, |at, offset, bytes| {
                let src = if src.is_null() { src } else { src.wrapping_add(offset as usize) };
                pieces.push(Piece { dst: to.host.wrapping_offset(at), src, bytes });
            });
        };
        if map.element.is_padded() && line.inside > 0 {
            // Padding keeps what shared memory had: the ISA does not say what it is.
            let (src, bytes) = (cursor.host(line), 2 * map.element.bits());
            (0..lines.pitch / 16).for_each(|n| part(16 * n, bytes, src.wrapping_add((bytes * n) as usize)));
            continue;
        }
        let end = line.before + line.inside;
        if line.before > 0 {
            part(0, line.before, std::ptr::null());
        }
        if line.inside > 0 {
            part(line.before, line.inside, cursor.host(line));
        }
        if end < lines.pitch {
            part(end, lines.pitch - end, std::ptr::null());
        }
    }
    let fill = if map.nan { map.element.nan() } else { 0 };
    Pieces { pieces, fill, element: map.element.bits().div_ceil(8), how: How::Copied }
}

fn stores(map: &TensorMap, lines: &Lines, from: &Range, stretches: &[(Range, u32)]) -> Pieces {
    let mut cursor = Cursor { stretches, at: 0 };
    let mut pieces = Vec::new();
    let sixths = map.element == Element::U6Padded;
    for (n, line) in lines.lines.iter().enumerate().filter(|(_, line)| line.inside > 0) {
        let dst = cursor.host(line);
        let start = n as u32 * lines.pitch + line.before;
        let mut part = |begin: u32, bytes: u32, dst: *mut u8| {
            parts(map.swizzle, from.address, start + begin, bytes, |at, offset, bytes| {
                let src = from.host.wrapping_offset(at).cast_const();
                pieces.push(Piece { dst: dst.wrapping_add(offset as usize), src, bytes });
            });
        };
        if sixths {
            (0..lines.pitch / 16).for_each(|n| part(16 * n, 16, dst.wrapping_add(12 * n as usize)));
        } else {
            part(0, line.inside, dst);
        }
    }
    let how = if sixths { How::Packed } else { How::Copied };
    Pieces { pieces, fill: 0, element: map.element.bits().div_ceil(8), how }
}
