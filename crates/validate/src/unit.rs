//! Abstract interpretation of added code: one block of it at a time, and each added function as a whole.
//!
//! Scratch registers are declared in the block that uses them, so nothing is known of them at its beginning.
//! Registers that last from one block to another have, everywhere, one of the values that some added instruction
//! writes, if one is written at the beginning of the kernel on every path; otherwise any value.

use crate::Reason;
use crate::context::Context;
use crate::domain::Value;
use crate::exec::{Arguments, Machine};
use crate::loops;
use crate::memory::Beside;
use crate::place::{At, at, target};
use crate::state::State;
use crate::tool;
use crate::weave::Woven;
use ptx::flat::{Arg, Flat, RegId};
use ptx::op::Op;
use ptx::sreg::SpecialReg;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::ops::Range;

/// The number of turns after which growing values are any value.
const TURNS: u32 = 4;

/// Checks the added code of a function of the program; returns the number of proved accesses.
pub(crate) fn check<'a>(
    flat: &Flat<'a>,
    woven: &Woven,
    context: &Context<'_>,
    arguments: &mut Arguments,
) -> Result<usize, At> {
    let initialised = initialised(flat, woven);
    let mut machine = Machine {
        flat,
        context,
        arguments,
        parameters: None,
        lasting: HashMap::new(),
        written: HashMap::new(),
        results: HashMap::new(),
        beside: Beside::default(),
        renamed: None,
        checks: false,
        accesses: 0,
    };
    for unit in &woven.units {
        machine.enter(unit, woven);
        run(&mut machine, unit.clone(), Some(woven))?;
    }
    let written = std::mem::take(&mut machine.written);
    machine.lasting = written.into_iter().filter(|(register, _)| initialised.contains(register)).collect();
    machine.checks = true;
    for unit in &woven.units {
        machine.enter(unit, woven);
        run(&mut machine, unit.clone(), Some(woven))?;
    }
    Ok(machine.accesses)
}

/// Checks an added function; returns the number of proved accesses.
pub(crate) fn helper<'a>(
    flat: &Flat<'a>,
    context: &Context<'_>,
    arguments: &mut Arguments,
) -> Result<usize, At> {
    let name = flat.function.name.text.as_str();
    // A function that is not called does nothing.
    let Some(parameters) = arguments.received(name).map(<[_]>::to_vec) else { return Ok(0) };
    let mut machine = Machine {
        flat,
        context,
        arguments,
        parameters: Some(parameters),
        lasting: HashMap::new(),
        written: HashMap::new(),
        results: HashMap::new(),
        beside: Beside::default(),
        renamed: None,
        checks: true,
        accesses: 0,
    };
    run(&mut machine, 0..flat.instructions.len(), None)?;
    Ok(machine.accesses)
}

/// Returns the lasting registers that are written before any instruction of the program and any branch past it.
fn initialised(flat: &Flat<'_>, woven: &Woven) -> HashSet<RegId> {
    let first = woven.origins.iter().position(Option::is_some).unwrap_or(woven.origins.len());
    let away = |i: &usize| {
        let inst = &flat.instructions[*i];
        target(flat, inst).is_some_and(|to| to > first)
    };
    let end = (0..first).find(away).unwrap_or(first);
    let alone = woven.units.iter().filter(|unit| unit.len() == 1 && unit.end <= end);
    let written = alone.filter_map(|unit| match (&flat.instructions[unit.start].args[..], unit.start) {
        ([Arg::Reg(id), ..], i) if flat.instructions[i].guard.is_none() => Some(*id),
        _ => None,
    });
    written.filter(|id| tool::is_lasting(&flat.registers[id.0 as usize].name)).collect()
}

impl<'a> Machine<'a, '_> {
    /// Finds what is beside a block of added code.
    fn enter(&mut self, unit: &Range<usize>, woven: &Woven) {
        let is_original = |i: &usize| woven.origins[*i].is_some();
        let inside = unit.clone().find(is_original);
        let behind = (unit.end..woven.origins.len()).find(is_original);
        self.beside = inside.or(behind).map(|i| Beside::of(self.flat, i)).unwrap_or_default();
        self.renamed = (0..unit.start).rfind(is_original).and_then(|i| self.renamed(i, unit.start));
    }

    /// Returns the register that code at `begin`, directly behind the instruction `i`, may rename.
    fn renamed(&self, i: usize, begin: usize) -> Option<RegId> {
        let inst = &self.flat.instructions[i];
        let labelled =
            self.flat.labels.iter().any(|label| (i + 1..=begin).contains(&(label.target as usize)));
        match (&inst.op, &inst.args[..]) {
            (Ok(Op::Mov { ty }), [Arg::Reg(to), Arg::Special(SpecialReg::CtaidX)])
                if ty.bits() == 32 && self.context.declared.renames && !labelled && begin == i + 1 =>
            {
                Some(*to)
            }
            _ => None,
        }
    }
}

/// Interprets a range until nothing changes. Branches out of the range end there.
fn run<'a>(machine: &mut Machine<'a, '_>, range: Range<usize>, woven: Option<&Woven>) -> Result<(), At> {
    let mut labels: BTreeMap<usize, (State<'a>, u32)> = BTreeMap::new();
    loop {
        let mut changed = false;
        let mut current = Some(State::default());
        for i in range.clone() {
            if let Some((known, _)) = labels.get(&i) {
                current = Some(current.map_or(known.clone(), |state| state.join(known, false)));
            }
            let Some(state) = &mut current else { continue };
            if woven.is_some_and(|woven| woven.origins[i].is_some()) {
                state.passed = true;
                continue;
            }
            let (taken, next) = turn(machine, i, state)?;
            if let Some((to, state)) = taken.filter(|(to, _)| range.contains(to)) {
                changed |= arrive(&mut labels, to, state) && to <= i;
            }
            if !next {
                current = None;
            }
        }
        if !changed {
            break;
        }
    }
    for (back, amount) in loops::amounts(machine.flat, range)? {
        let proceeds = machine.results.get(&amount).is_some_and(|value| value.interval().0 > 0);
        if machine.checks && !proceeds {
            return Err(at(&machine.flat.instructions[back], Reason::Loop));
        }
    }
    Ok(())
}

/// Adds a state to those that reach a label; returns whether that changes them.
fn arrive<'a>(labels: &mut BTreeMap<usize, (State<'a>, u32)>, to: usize, state: State<'a>) -> bool {
    match labels.get_mut(&to) {
        None => {
            labels.insert(to, (state, 0));
            true
        }
        Some((known, turns)) => {
            let joined = known.join(&state, *turns > TURNS);
            let changed = joined != *known;
            *turns += u32::from(changed);
            *known = joined;
            changed
        }
    }
}

/// A branch's target, and the state there.
type Taken<'a> = Option<(usize, State<'a>)>;

/// Executes an instruction. Returns the target and the state of a branch, and whether control goes on behind it.
fn turn<'a>(machine: &mut Machine<'a, '_>, i: usize, state: &mut State<'a>) -> Result<(Taken<'a>, bool), At> {
    let inst = &machine.flat.instructions[i];
    let helper = machine.parameters.is_some();
    match &inst.op {
        Ok(Op::Bra { .. }) => {}
        Ok(Op::Trap) if helper && machine.context.declared.traps => return Ok((None, inst.guard.is_some())),
        Ok(Op::Ret) if helper => {
            if let Some(guard) = inst.guard {
                state.assume(guard.register, guard.negated, false);
            }
            return Ok((None, inst.guard.is_some()));
        }
        _ => {
            machine.step(i, state)?;
            return Ok((None, true));
        }
    }
    if machine.open(state).is_some() {
        return Err(at(inst, Reason::Call));
    }
    let to = target(machine.flat, inst).ok_or_else(|| at(inst, Reason::Branch))?;
    let Some(guard) = inst.guard else { return Ok((Some((to, state.clone())), false)) };
    let program = !helper && !tool::is_own(&machine.flat.registers[guard.register.0 as usize].name);
    if program || state.get(guard.register) != Value::Agreed {
        state.divide();
    }
    let mut taken = state.clone();
    taken.assume(guard.register, !guard.negated, program);
    state.assume(guard.register, guard.negated, program);
    Ok((Some((to, taken)), true))
}
