//! `tcgen05.ld`, `st` and `wait` (PTX §9.7.17.8).

use super::memory::{Cells, LANES};
use super::{FULL, Failed, Issue, Run, Worker};
use crate::exec::async_copy::AsyncWait;
use crate::exec::collective::{gather, scatter};
use crate::exec::frame::Parts;
use crate::num::rmw;
use crate::program::{Address, CollectiveInst};
use events::{Observer, TensorAction};
use ptx::ast::ScalarType;
use ptx::op::{TensorReduction, TensorShape, TensorTile};
use smallvec::SmallVec;

/// Returns the lane of tensor memory, from the tile's first, and the column, in registers of 32 bits, of a
/// register of a lane of the warp.
fn cell(shape: TensorShape, lane: u32, register: u32) -> (u32, u32) {
    match shape {
        TensorShape::L32b32 => (lane, register),
        TensorShape::L16b32x2 => (lane % 16, register),
        TensorShape::L16b64 => (lane / 4 + 8 * (lane % 2), 2 * register + lane / 2 % 2),
        TensorShape::L16b128 => (lane / 4 + 8 * (register % 2), lane % 4 + 4 * (register / 2)),
        TensorShape::L16b256 => {
            (lane / 4 + 8 * (register / 2 % 2), 2 * (lane % 4) + register % 2 + 8 * (register / 4))
        }
    }
}

/// A tile at its place in tensor memory.
struct Placed {
    tile: TensorTile,
    lane: u32,
    column: u32,
    split: u32,
}

impl Placed {
    /// Returns the lane and the column of a register; the column is the first of two, if the tile is packed.
    fn at(&self, lane: u32, register: u32) -> (u32, u32) {
        let (row, column) = cell(self.tile.shape, lane, register);
        let second = self.tile.shape == TensorShape::L16b32x2 && lane >= 16;
        let from = self.column + if second { self.split } else { 0 };
        (self.lane + row, from + column * (1 + u32::from(self.tile.packed)))
    }

    fn cells(&self) -> SmallVec<[Cells; 2]> {
        let count = u32::from(self.tile.count) * (1 + u32::from(self.tile.packed));
        let of = |lanes, columns, column| Cells::of(self.lane, lanes, column, columns);
        match self.tile.shape {
            TensorShape::L32b32 => SmallVec::from_slice(&[of(32, count, self.column)]),
            TensorShape::L16b64 => SmallVec::from_slice(&[of(16, 2 * count, self.column)]),
            TensorShape::L16b128 => SmallVec::from_slice(&[of(16, 4 * count, self.column)]),
            TensorShape::L16b256 => SmallVec::from_slice(&[of(16, 8 * count, self.column)]),
            TensorShape::L16b32x2 => {
                let second = self.column + self.split;
                SmallVec::from_slice(&[of(16, count, self.column), of(16, count, second)])
            }
        }
    }
}

impl<O: Observer> Worker<'_, O> {
    /// Begins a load or store by a warp: checks the lanes that it may access, and reports the access.
    fn begin_move(
        &mut self,
        run: &Run<'_>,
        tile: &TensorTile,
        (address, split): (&Address, u32),
        stores: bool,
    ) -> Result<Placed, Failed> {
        let at = self.cell_address(run, address, FULL)?;
        let placed = Placed { tile: *tile, lane: at >> 16, column: at & 0xffff, split };
        let lanes = if tile.shape == TensorShape::L32b32 { 32 } else { 16 };
        let own = u32::from(run.warp.index) % 4 * 32;
        if placed.lane < own || placed.lane + lanes > own + 32 || placed.lane >= LANES {
            let (what, last) = (if stores { "st" } else { "ld" }, placed.lane + lanes - 1);
            let why = format!(
                "tcgen05.{what} of lanes {} to {last} by warp {}, which may access lanes {own} to {}",
                placed.lane,
                run.warp.index,
                own + 31
            );
            return Err(self.illegal_tensor(run, FULL, why));
        }
        let op = self.next_op();
        let action = if stores { TensorAction::Store } else { TensorAction::Load };
        let issue = Issue { op, action, pair: false, lanes: FULL };
        for cells in placed.cells() {
            self.access_cells(run, issue, (run.slot, &cells), stores)?;
        }
        if let Some(memory) = self.tensor_memory(run.slot) {
            memory.moves.entry(run.warp.index).or_default()[usize::from(stores)].push(op);
        }
        Ok(placed)
    }

    pub(super) fn load_cells(
        &mut self,
        run: &mut Run<'_>,
        (inst, parts): (&CollectiveInst, &Parts),
        (tile, reduction): (&TensorTile, Option<TensorReduction>),
        place: (&Address, u32),
    ) -> Result<(), Failed> {
        let placed = self.begin_move(run, tile, place, false)?;
        let Some(memory) = self.tensor_memory(run.slot) else { return Ok(()) };
        let registers = tile.registers() as u32;
        let values: Vec<[u64; 32]> = (0..registers)
            .map(|register| {
                std::array::from_fn(|lane| {
                    let (row, column) = placed.at(lane as u32, register);
                    let first = memory.get(row, column);
                    let value = match tile.packed {
                        true => first & 0xffff | memory.get(row, column + 1) << 16,
                        false => first,
                    };
                    u64::from(value)
                })
            })
            .collect();
        for (&row, values) in inst.d.iter().zip(&values) {
            scatter(run, parts, row, values);
        }
        if let Some(reduction) = reduction {
            let result = std::array::from_fn(|lane| {
                let of_lane = values.iter().map(|register| register[lane] as u32);
                of_lane.reduce(|a, b| reduce(reduction, a, b)).unwrap_or(0).into()
            });
            scatter(run, parts, inst.p, &result);
        }
        Ok(())
    }

    pub(super) fn store_cells(
        &mut self,
        run: &mut Run<'_>,
        (inst, parts): (&CollectiveInst, &Parts),
        tile: &TensorTile,
        place: (&Address, u32),
    ) -> Result<(), Failed> {
        let placed = self.begin_move(run, tile, place, true)?;
        for (register, &row) in inst.a.iter().enumerate() {
            let values = gather(run, parts, row, false);
            let Some(memory) = self.tensor_memory(run.slot) else { return Ok(()) };
            for (lane, value) in values.iter().enumerate() {
                let (row, column) = placed.at(lane as u32, register as u32);
                let value = *value as u32;
                if tile.packed {
                    memory.set(row, column, value & 0xffff);
                    memory.set(row, column + 1, value >> 16);
                } else {
                    memory.set(row, column, value);
                }
            }
        }
        Ok(())
    }

    /// Executes `tcgen05.wait`.
    pub(super) fn tensor_wait(&mut self, run: &Run<'_>, stores: bool) {
        let moves = self.tensor_memory(run.slot).and_then(|memory| memory.moves.get_mut(&run.warp.index));
        let ops = moves.map(|moves| std::mem::take(&mut moves[usize::from(stores)])).unwrap_or_default();
        self.waited_together(run, FULL, &ops, AsyncWait::Together);
    }
}

/// Returns the smaller or larger of two values.
fn reduce(how: TensorReduction, a: u32, b: u32) -> u32 {
    if how.ty != ScalarType::F32 {
        let op = if how.max { ptx::op::Rmw::Max } else { ptx::op::Rmw::Min };
        return rmw::apply(op, how.ty, a.into(), b.into(), 0, false).unwrap_or(0) as u32;
    }
    let value = |bits: u32| f32::from_bits(if how.abs { bits & 0x7fff_ffff } else { bits });
    let (x, y) = (value(a), value(b));
    match (x.is_nan(), y.is_nan()) {
        (true, true) => 0x7fff_ffff,
        (true, _) | (_, true) if how.nan => 0x7fff_ffff,
        (true, _) => y.to_bits(),
        (_, true) => x.to_bits(),
        // -0 is less than +0.
        _ if (x < y || x == y && x.is_sign_negative()) != how.max => x.to_bits(),
        _ => y.to_bits(),
    }
}
