//! The abstract state at one place of added code.

use crate::domain::{ANY, Bound, Facts, Value};
use ptx::flat::{RegId, VarId};
use std::collections::BTreeMap;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct State<'a> {
    /// Registers that were written; all others have any value.
    registers: BTreeMap<RegId, Value<'a>>,
    /// The arguments of the next call that were stored.
    pub(crate) arguments: BTreeMap<VarId, Value<'a>>,
    /// Predicates of the program, and their values.
    known: Vec<(RegId, bool)>,
    /// Whether the block's instruction of the program may have been executed, which may have changed registers.
    pub(crate) passed: bool,
}

impl<'a> State<'a> {
    pub(crate) fn get(&self, register: RegId) -> Value<'a> {
        self.registers.get(&register).cloned().unwrap_or(ANY)
    }

    /// Sets a register; `maybe` if the instruction may not be executed.
    pub(crate) fn set(&mut self, register: RegId, value: Value<'a>, maybe: bool) {
        let value = if maybe { self.get(register).join(value) } else { value };
        for other in self.registers.values_mut() {
            if let Value::Predicate(Facts { yes, no }) = other {
                yes.retain(|(of, _)| *of != register);
                no.retain(|(of, _)| *of != register);
            }
        }
        match value == ANY {
            true => self.registers.remove(&register),
            false => self.registers.insert(register, value),
        };
    }

    /// Returns a register's value under the bounds that hold if a predicate has a value.
    pub(crate) fn under(&self, register: RegId, bounds: &[(RegId, Bound)]) -> Value<'a> {
        let bounds = bounds.iter().filter(|(of, _)| *of == register);
        bounds.fold(self.get(register), |value, (_, bound)| value.bounded(*bound))
    }

    /// Assumes that a predicate has a value. `program` tells that it is one of the program's.
    pub(crate) fn assume(&mut self, predicate: RegId, holds: bool, program: bool) {
        if program {
            self.known.push((predicate, holds));
            return;
        }
        let Value::Predicate(facts) = self.get(predicate) else { return };
        let bounds = if holds { facts.yes } else { facts.no };
        for (register, bound) in bounds {
            let value = self.get(register).bounded(bound);
            self.registers.insert(register, value);
        }
    }

    pub(crate) fn is_known(&self, predicate: RegId, holds: bool) -> bool {
        self.known.contains(&(predicate, holds))
    }

    /// Forgets which lanes execute together: a branch may have divided them.
    pub(crate) fn divide(&mut self) {
        for value in self.registers.values_mut() {
            if matches!(value, Value::Lanes(_) | Value::Agreed) {
                *value = ANY;
            }
        }
    }

    /// Returns a state that contains both; `wide` lets every value that grows be any value, so that loops end.
    pub(crate) fn join(&self, other: &State<'a>, wide: bool) -> State<'a> {
        let mut out = State { passed: self.passed || other.passed, ..State::default() };
        for (register, value) in &self.registers {
            let Some(others) = other.registers.get(register) else { continue };
            let joined = value.clone().join(others.clone());
            let grown = wide && joined != *value;
            if joined != ANY && !grown {
                out.registers.insert(*register, joined);
            }
        }
        let both = self.arguments.iter().filter_map(|(variable, value)| {
            let others = other.arguments.get(variable)?;
            Some((*variable, value.clone().join(others.clone())))
        });
        out.arguments = both.collect();
        out.known = self.known.iter().filter(|known| other.known.contains(known)).copied().collect();
        out
    }
}
