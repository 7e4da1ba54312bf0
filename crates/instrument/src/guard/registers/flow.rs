//! Accesses of registers of products that some path through a kernel may leave without a wait or a fence.
//!
//! A forward analysis of the control flow graph. On each path it decides exactly what the thread's registers contain, since
//! groups are committed and waited for by number: a product of a group that is the `a`th last one is complete behind a wait
//! that leaves fewer than `a` outstanding. Where paths meet, the record that races more often is kept. A right kernel, whose
//! waits and fences are on every path, has no candidates.

use super::touches::{Touch, Unit, Units};
use kernels::blocks::{Block, blocks};
use ptx::flat::{Arg, Flat, FlatInstruction};
use ptx::op::Op;
use std::collections::BTreeMap;

/// The instruction that may be missing between two accesses of a register.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Rule {
    /// `wgmma.wait_group`.
    Wait,
    /// `wgmma.fence`.
    Fence,
}

/// An access that may race with an earlier one of the same register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Candidate {
    pub(super) inst: usize,
    pub(super) unit: Unit,
    pub(super) rule: Rule,
}

/// The possible races of a kernel's registers.
#[derive(Debug, Default)]
pub(super) struct Candidates {
    pub(super) accesses: Vec<Candidate>,
    /// Products that may be the warp's first without any fence before.
    pub(super) first: Vec<usize>,
}

/// The number of groups committed behind a product; [`NONE`] without an unfinished product.
type Age = u8;
const NONE: Age = Age::MAX;
/// Ages are not counted beyond this one.
const OLDEST: Age = 200;

/// Accesses since the last fence. Higher bits are accumulators of products, one for each shape.
const READ: u32 = 1;
const WRITE: u32 = 2;
const FACTOR: u32 = 4;
const SHAPES_AT: u32 = 3;
/// The number of shapes that are told apart.
const SHAPES: u32 = 32 - SHAPES_AT;

/// The record of a register on the paths to a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Record {
    sum: Age,
    factor: Age,
    last: u32,
}

const NOTHING: Record = Record { sum: NONE, factor: NONE, last: 0 };

impl Record {
    fn join(self, other: Record) -> Record {
        Record {
            sum: self.sum.min(other.sum),
            factor: self.factor.min(other.factor),
            last: self.last | other.last,
        }
    }

    const fn is_pending(self) -> bool {
        self.sum != NONE || self.factor != NONE
    }

    /// Returns which rules an access may break.
    fn breaks(self, touch: &Touch, shape: u32) -> [bool; 2] {
        match touch {
            Touch::Read(_) => [self.sum != NONE, false],
            Touch::Write(_) => [self.is_pending(), false],
            Touch::Copy { to, from } => [self.is_pending() && !from.contains(to), false],
            Touch::Factor(_) => [self.sum != NONE, self.last & !(READ | FACTOR) != 0],
            Touch::Sum(_) => [self.factor != NONE, self.last & !shape != 0],
            Touch::Forget(_) => [false; 2],
        }
    }
}

/// The records of all units, and whether a path without a fence leads to the place.
#[derive(Clone, Debug, PartialEq, Eq)]
struct State {
    records: Vec<Record>,
    unfenced: bool,
}

/// Returns the shapes of a function's products, the first of which is number 0.
pub(super) fn shapes(flat: &Flat<'_>) -> BTreeMap<(u16, u16), u32> {
    let mut shapes = BTreeMap::new();
    for inst in &flat.instructions {
        if let Ok(Op::Wgmma(product)) = &inst.op {
            let next = shapes.len() as u32;
            shapes.entry((product.n, product.k)).or_insert(next);
        }
    }
    shapes
}

/// Returns the number of groups that a wait leaves outstanding.
pub(super) fn left(inst: &FlatInstruction<'_>) -> Option<u32> {
    match (&inst.op, inst.args.as_slice()) {
        (Ok(Op::WgmmaWait), [Arg::Int(left)]) => u32::try_from(*left).ok(),
        _ => None,
    }
}

struct Analysis<'f> {
    flat: &'f Flat<'f>,
    /// The accesses of each instruction.
    touches: &'f [Vec<Touch>],
    numbers: BTreeMap<Unit, usize>,
    shapes: BTreeMap<(u16, u16), u32>,
}

impl Analysis<'_> {
    /// Applies an instruction to a state, and passes each access and the record that it finds to `f`.
    fn step(&self, i: usize, state: &mut State, mut f: impl FnMut(&Touch, Record, u32)) {
        let inst = &self.flat.instructions[i];
        let guarded = inst.guard.is_some();
        let mut shape = 0;
        match &inst.op {
            Ok(Op::WgmmaCommit) if !guarded => {
                for record in &mut state.records {
                    for age in [&mut record.sum, &mut record.factor] {
                        *age = if *age < OLDEST { *age + 1 } else { *age };
                    }
                }
            }
            Ok(Op::WgmmaWait) if !guarded => {
                let left = left(inst).unwrap_or(u32::MAX);
                for record in &mut state.records {
                    for age in [&mut record.sum, &mut record.factor] {
                        *age = if u32::from(*age) > left { NONE } else { *age };
                    }
                }
            }
            Ok(Op::WgmmaFence) if !guarded => {
                state.records.iter_mut().for_each(|record| record.last = 0);
                state.unfenced = false;
            }
            Ok(Op::Wgmma(product)) => {
                shape = 1 << (SHAPES_AT + self.shapes[&(product.n, product.k)] % SHAPES);
            }
            _ => {}
        }
        for touch in &self.touches[i] {
            let number = self.numbers[&touch.unit()];
            let old = state.records[number];
            f(touch, old, shape);
            let new = match touch {
                Touch::Read(_) => Record { last: old.last & WRITE | READ, ..old },
                Touch::Write(_) => Record { last: WRITE, ..NOTHING },
                Touch::Copy { from, .. } => {
                    from.iter().map(|unit| state.records[self.numbers[unit]]).fold(NOTHING, Record::join)
                }
                Touch::Factor(_) => Record { factor: 0, last: FACTOR, ..NOTHING },
                Touch::Sum(_) => Record { sum: 0, last: shape, ..NOTHING },
                Touch::Forget(_) => NOTHING,
            };
            state.records[number] = if guarded { new.join(old) } else { new };
        }
    }

    /// Returns the state at the beginning of each block; `None` for those that no path reaches.
    fn states(&self, blocks: &[Block]) -> Vec<Option<State>> {
        let mut states: Vec<Option<State>> = vec![None; blocks.len()];
        let Some(first) = states.first_mut() else { return states };
        *first = Some(State { records: vec![NOTHING; self.numbers.len()], unfenced: true });
        let mut changed = vec![0];
        while let Some(b) = changed.pop() {
            let Some(mut state) = states[b].clone() else { continue };
            for i in blocks[b].start..blocks[b].end {
                self.step(i, &mut state, |_, _, _| {});
            }
            for &next in &blocks[b].successors {
                let joined = match &states[next] {
                    Some(old) => State {
                        records: old.records.iter().zip(&state.records).map(|(a, b)| a.join(*b)).collect(),
                        unfenced: old.unfenced | state.unfenced,
                    },
                    None => state.clone(),
                };
                if states[next].as_ref() != Some(&joined) {
                    states[next] = Some(joined);
                    changed.push(next);
                }
            }
        }
        states
    }
}

/// Returns the possible races of a kernel's registers; `touches` has the accesses of each instruction.
pub(super) fn candidates(flat: &Flat<'_>, units: &Units, touches: &[Vec<Touch>]) -> Candidates {
    let analysis = Analysis { flat, touches, numbers: units.numbered(), shapes: shapes(flat) };
    let blocks = blocks(flat);
    let mut found = Candidates::default();
    for (block, state) in blocks.iter().zip(analysis.states(&blocks)) {
        let Some(mut state) = state else { continue };
        for i in block.start..block.end {
            if state.unfenced && matches!(flat.instructions[i].op, Ok(Op::Wgmma(_))) {
                found.first.push(i);
            }
            analysis.step(i, &mut state, |touch, record, shape| {
                for (rule, breaks) in [Rule::Wait, Rule::Fence].into_iter().zip(record.breaks(touch, shape)) {
                    if breaks {
                        found.accesses.push(Candidate { inst: i, unit: touch.unit(), rule });
                    }
                }
            });
        }
    }
    found
}
