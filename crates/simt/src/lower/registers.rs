//! Allocates few rows for PTX's virtual registers: liveness analysis and linear scan.
//!
//! nvcc's PTX uses a new register for nearly every value. With a row for each, a warp would exceed the host's
//! caches, so values with disjoint live ranges share a row. Each lane is a separate column, so the liveness
//! of a single thread is the right one, however the lanes diverge.

use crate::program::{FILE_32, FILE_64, FILE_PRED, NO_ROW, ROW_32, ROW_64, Row};
use kernels::blocks::Block;
use kernels::registers::Place;
use ptx::ast::ScalarType;
use ptx::flat::{Flat, FlatInstruction, RegId};

/// The register file of a unit, which occupies one row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum File {
    R32,
    R64,
    Pred,
}

impl File {
    pub(super) fn of(ty: ScalarType) -> File {
        match ty.bits() {
            1 if ty == ScalarType::Pred => File::Pred,
            0..=32 => File::R32,
            _ => File::R64,
        }
    }
}

/// The rows of a function's registers.
#[derive(Debug)]
pub(super) struct Allocation {
    /// The first unit of each register.
    first: Vec<u32>,
    rows: Vec<Row>,
    carry: u32,
    pub bytes_32: u32,
    pub bytes_64: u32,
    pub bytes_pred: u32,
}

impl Allocation {
    /// Returns the row of an element (or half of a 128-bit register).
    pub(super) fn row(&self, register: RegId, element: u32) -> Row {
        self.rows[(self.first[register.0 as usize] + element) as usize]
    }

    /// Returns the row of the condition code's carry flag.
    pub(super) fn carry(&self) -> Row {
        self.rows[self.carry as usize]
    }
}

struct Units<'a, 'b> {
    flat: &'b Flat<'a>,
    first: Vec<u32>,
    files: Vec<File>,
    carry: u32,
}

impl<'a, 'b> Units<'a, 'b> {
    fn new(flat: &'b Flat<'a>) -> Self {
        let mut first = Vec::with_capacity(flat.registers.len());
        let mut files = Vec::new();
        for register in &flat.registers {
            first.push(files.len() as u32);
            let halves = if register.ty.bits() == 128 { 2 } else { 1 };
            for _ in 0..halves * u32::from(register.vector.max(1)) {
                files.push(File::of(register.ty));
            }
        }
        let carry = files.len() as u32;
        files.push(File::Pred);
        Units { flat, first, files, carry }
    }

    fn count(&self, id: RegId) -> u32 {
        let next = self.first.get(id.0 as usize + 1).copied().unwrap_or(self.carry);
        next - self.first[id.0 as usize]
    }

    fn place(&self, place: Place, f: &mut impl FnMut(u32)) {
        match place {
            Place::Whole(id) => {
                let first = self.first[id.0 as usize];
                (first..first + self.count(id)).for_each(f);
            }
            Place::Element(id, e) if u32::from(e) < self.count(id) => {
                f(self.first[id.0 as usize] + u32::from(e));
            }
            Place::Element(..) => {}
            Place::Carry => f(self.carry),
        }
    }

    /// Calls `f(unit, is_definition)` for all units of an instruction, uses first. A guarded definition is a
    /// use, too.
    fn visit(&self, inst: &FlatInstruction<'a>, mut f: impl FnMut(u32, bool)) {
        kernels::registers::visit(inst, |place, written| self.place(place, &mut |unit| f(unit, written)));
    }
}

/// Returns whether a destination may share its row with a source whose live range ends here.
fn shares_rows(inst: &FlatInstruction<'_>) -> bool {
    inst.op.as_ref().is_ok_and(|op| !kernels::effects(op, &inst.args).staged)
}

/// Functions with more register-block pairs than this get a row for each register.
const MAX_LIVENESS_BITS: usize = 1 << 31;

pub(super) fn allocate(flat: &Flat<'_>, blocks: &[Block], order: &[usize]) -> Allocation {
    let units = Units::new(flat);
    let n = units.files.len();
    let mut intervals = intervals(&units, blocks, order);
    // Parameters and results passed in registers are live throughout, because calls copy them.
    for binding in flat.params.iter().chain(&flat.returns) {
        if let ptx::flat::Binding::Reg(id) = binding {
            for unit in units.first[id.0 as usize]..units.first[id.0 as usize] + units.count(*id) {
                intervals[unit as usize] = Some((0, u32::MAX));
            }
        }
    }
    let mut by_start: Vec<u32> = (0..n as u32).filter(|&u| intervals[u as usize].is_some()).collect();
    by_start.sort_by_key(|&u| intervals[u as usize]);
    let mut rows = vec![NO_ROW; n];
    let mut next = [0u32; 3];
    let mut free: [Vec<u32>; 3] = Default::default();
    // (end, unit), the smallest end first.
    let mut active: std::collections::BinaryHeap<std::cmp::Reverse<(u32, u32)>> = Default::default();
    let mut slots = vec![0u32; n];
    for unit in by_start {
        let Some((start, end)) = intervals[unit as usize] else { continue };
        while let Some(&std::cmp::Reverse((ends, other))) = active.peek() {
            if ends >= start {
                break;
            }
            active.pop();
            free[units.files[other as usize] as usize].push(slots[other as usize]);
        }
        let file = units.files[unit as usize];
        let slot = free[file as usize].pop().unwrap_or_else(|| {
            next[file as usize] += 1;
            next[file as usize] - 1
        });
        slots[unit as usize] = slot;
        rows[unit as usize] = match file {
            File::R32 => FILE_32 | (slot * ROW_32),
            File::R64 => FILE_64 | (slot * ROW_64),
            File::Pred => FILE_PRED | (slot * 4),
        };
        active.push(std::cmp::Reverse((end, unit)));
    }
    Allocation {
        carry: units.carry,
        first: units.first,
        rows,
        bytes_32: next[0] * ROW_32,
        bytes_64: next[1] * ROW_64,
        bytes_pred: next[2] * 4,
    }
}

/// Returns, for each unit that occurs, the first and last position (two per instruction) between which it
/// must retain its row.
fn intervals(units: &Units<'_, '_>, blocks: &[Block], order: &[usize]) -> Vec<Option<(u32, u32)>> {
    let n = units.files.len();
    // Units that a block uses before it defines them: candidates for live ranges across blocks.
    let mut defined_in = vec![u32::MAX; n];
    let mut crosses = vec![u32::MAX; n];
    let mut crossing: Vec<u32> = Vec::new();
    for &b in order {
        for inst in &units.flat.instructions[blocks[b].start..blocks[b].end] {
            units.visit(inst, |unit, is_def| {
                if is_def {
                    defined_in[unit as usize] = b as u32;
                } else if defined_in[unit as usize] != b as u32 && crosses[unit as usize] == u32::MAX {
                    crosses[unit as usize] = crossing.len() as u32;
                    crossing.push(unit);
                }
            });
        }
    }
    let words = crossing.len().div_ceil(64);
    if words * 64 * order.len() > MAX_LIVENESS_BITS {
        return vec![Some((0, u32::MAX)); n];
    }
    let live_in = live_in(units, blocks, order, &crosses, words);
    let mut intervals: Vec<Option<(u32, u32)>> = vec![None; n];
    let mut extend = |unit: u32, at: u32| {
        let entry = &mut intervals[unit as usize];
        *entry = Some(entry.map_or((at, at), |(s, e)| (s.min(at), e.max(at))));
    };
    let mut position = 0u32;
    for &b in order {
        let each = |set: &[u64], f: &mut dyn FnMut(u32)| {
            for (w, &word) in set.iter().enumerate() {
                let mut word = word;
                while word != 0 {
                    f(crossing[w * 64 + word.trailing_zeros() as usize]);
                    word &= word - 1;
                }
            }
        };
        each(&live_in[b], &mut |unit| extend(unit, position));
        for inst in &units.flat.instructions[blocks[b].start..blocks[b].end] {
            let together = shares_rows(inst);
            units.visit(inst, |unit, is_def| {
                extend(unit, position + u32::from(is_def == together));
            });
            position += 2;
        }
        for &s in &blocks[b].successors {
            each(&live_in[s], &mut |unit| extend(unit, position));
        }
        position += 1;
    }
    intervals
}

fn live_in(
    units: &Units<'_, '_>,
    blocks: &[Block],
    order: &[usize],
    crosses: &[u32],
    words: usize,
) -> Vec<Vec<u64>> {
    let mut used = vec![Vec::new(); blocks.len()];
    let mut killed = vec![Vec::new(); blocks.len()];
    for &b in order {
        let (mut uses, mut kills) = (vec![0u64; words], vec![0u64; words]);
        for inst in &units.flat.instructions[blocks[b].start..blocks[b].end] {
            units.visit(inst, |unit, is_def| {
                let c = crosses[unit as usize];
                if c == u32::MAX {
                    return;
                }
                let (w, bit) = (c as usize / 64, 1u64 << (c % 64));
                if is_def {
                    kills[w] |= bit;
                } else if kills[w] & bit == 0 {
                    uses[w] |= bit;
                }
            });
        }
        used[b] = uses;
        killed[b] = kills;
    }
    let mut live = used.clone();
    let mut changed = true;
    while changed {
        changed = false;
        for &b in order.iter().rev() {
            for w in 0..words {
                let out =
                    blocks[b].successors.iter().fold(0, |out, &s| out | live[s].get(w).copied().unwrap_or(0));
                let new = used[b][w] | (out & !killed[b][w]);
                if new != live[b][w] {
                    live[b][w] = new;
                    changed = true;
                }
            }
        }
    }
    live
}
