//! Decides whether a polling loop's next turn repeats the last one.
//!
//! The effects of a turn depend on the memory it reads, and on the registers that decide control flow,
//! addresses, stored values and values exchanged with other lanes. These registers are found by a backward
//! data-flow analysis over the trace of a turn, iterated to a fixed point across turns (a register needed at
//! the beginning of the next turn is needed at the end of this one). If all of them have the values they had
//! when the turn began, and the memory read is unchanged, then all further turns repeat, whatever other
//! registers count.

use super::spin::{Ends, Watch};
use crate::exec::frame::Registers;
use crate::program::{
    Address, Code, FILE_CONST, FILE_MASK, FILE_PRED, GUARD_NEGATED, Move, NO_GUARD, NO_ROW, Program,
    RareInst, Row,
};
use events::LaneMask;
use ptx::op::MbarrierOp;
use ptx::sreg::SpecialReg as S;
use rustc_hash::FxHashSet;

/// The rows of its frame that an instruction reads and writes.
#[derive(Default)]
struct Flow {
    /// Rows that it overwrites.
    writes: Vec<Row>,
    /// Rows that it writes in part or conditionally.
    adds_to: Vec<Row>,
    /// Rows that determine the values it writes.
    from: Vec<Row>,
    /// Rows that determine its observable effects.
    decides: Vec<Row>,
    /// Whether it reads a clock.
    clock: bool,
}

/// Returns which events can end a loop that polled memory in vain, from a turn that was watched with its
/// trace.
pub(super) fn ends(program: &Program, watch: &Watch, now: &Registers, mask: LaneMask) -> Ends {
    let Some(trace) = &watch.trace else { return Ends::Perhaps };
    if watch.private {
        return Ends::Perhaps;
    }
    let Some((needed, clock)) = needs(program, trace) else { return Ends::Perhaps };
    match needed.iter().all(|&row| watch.registers.same_row(now, row, mask)) {
        false => Ends::Perhaps,
        true if clock => Ends::InTime,
        true => Ends::Never,
    }
}

/// Returns the rows that determine the effects of a loop's turns, and whether clocks do, too. Returns `None`
/// if the trace contains an instruction without a known flow.
fn needs(program: &Program, trace: &[u32]) -> Option<(FxHashSet<Row>, bool)> {
    let flows = trace.iter().map(|&pc| flow(program, pc)).collect::<Option<Vec<Flow>>>()?;
    let mut next: FxHashSet<Row> = FxHashSet::default();
    loop {
        let mut needed = next.clone();
        let mut clock = false;
        for flow in flows.iter().rev() {
            let any = flow.writes.iter().chain(&flow.adds_to).any(|row| needed.contains(row));
            for row in &flow.writes {
                needed.remove(row);
            }
            if any {
                clock |= flow.clock;
                needed.extend(flow.from.iter().filter(|row| **row & FILE_MASK != FILE_CONST));
            }
            needed.extend(flow.decides.iter().filter(|row| **row & FILE_MASK != FILE_CONST));
        }
        if needed.is_subset(&next) {
            return Some((needed, clock));
        }
        next.extend(needed);
    }
}

fn flow(program: &Program, pc: u32) -> Option<Flow> {
    let inst = program.code.get(pc as usize)?;
    let mut flow = Flow::default();
    match &inst.code {
        Code::Alu { d, a, b, c, .. } => {
            flow.writes.push(*d);
            flow.from.extend([*a, *b, *c]);
        }
        Code::Eval(n) => {
            let eval = &program.evals[*n as usize];
            flow.writes.extend([eval.d, eval.second]);
            flow.from.extend(eval.sources.iter().map(|s| s.row));
            flow.from.push(eval.carry);
        }
        Code::Moves(n) => moves(&program.moves[*n as usize], &mut flow),
        Code::Sreg { d, which } => {
            flow.writes.push(*d);
            flow.clock = matches!(
                which,
                S::Clock | S::Clock64 | S::ClockHi | S::Globaltimer | S::GlobaltimerLo | S::GlobaltimerHi
            );
        }
        Code::LocalAddress { d, .. } | Code::DynamicShared { d, .. } => flow.writes.push(*d),
        Code::Load(n) => {
            let load = &program.mems[*n as usize];
            address(&load.address, &mut flow);
            flow.writes.extend(&load.rows);
        }
        Code::Store(n) | Code::StrongStore(n) => {
            let store = &program.mems[*n as usize];
            address(&store.address, &mut flow);
            flow.decides.extend(&store.rows);
        }
        Code::Atom(n) => {
            let atom = &program.atoms[*n as usize];
            address(&atom.address, &mut flow);
            flow.decides.extend(atom.b.iter().chain(&atom.c));
            flow.writes.extend(&atom.d);
        }
        Code::WarpSync { member } => flow.decides.push(*member),
        Code::Collective(n) => {
            let inst = &program.collectives[*n as usize];
            flow.decides.extend(inst.a.iter().chain(&inst.b).chain(&inst.c));
            flow.decides.push(inst.member);
            if let Some(at) = &inst.address {
                address(at, &mut flow);
            }
            flow.writes.extend(&inst.d);
            flow.writes.push(inst.p);
        }
        Code::Mbarrier(n) => {
            let inst = &program.mbarriers[*n as usize];
            if !matches!(inst.op, MbarrierOp::Wait { .. }) {
                return None;
            }
            address(&inst.address, &mut flow);
            flow.decides.push(inst.a);
            flow.writes.push(inst.d);
        }
        Code::Rare(n) => match &program.rares[*n as usize] {
            RareInst::Isspacep { d, a, .. } | RareInst::Getctarank { d, a, .. } => {
                flow.writes.push(*d);
                flow.from.push(*a);
            }
            RareInst::Mapa { d, a, rank, .. } => {
                flow.writes.push(*d);
                flow.from.extend([*a, *rank]);
            }
            _ => return None,
        },
        // The duration of a sleep affects clocks only.
        Code::Bra { .. } | Code::Skip { .. } | Code::Fence(_) | Code::Nanosleep { .. } | Code::Nop => {}
        _ => return None,
    }
    if inst.guard != NO_GUARD {
        flow.decides.push(FILE_PRED | inst.guard & !GUARD_NEGATED);
        // Lanes whose guard is false retain their old values.
        flow.adds_to.append(&mut flow.writes);
    }
    for rows in [&mut flow.writes, &mut flow.adds_to, &mut flow.from, &mut flow.decides] {
        rows.retain(|row| *row != NO_ROW);
    }
    Some(flow)
}

fn address(address: &Address, flow: &mut Flow) {
    flow.decides.push(address.row);
}

/// Adds the flow of parallel moves, several of which may write parts of one row.
fn moves(moves: &[Move], flow: &mut Flow) {
    for m in moves {
        flow.from.push(m.src);
        match moves.iter().any(|other| other.dst == m.dst && other.clear) {
            true => flow.writes.push(m.dst),
            false => flow.adds_to.push(m.dst),
        }
    }
}
