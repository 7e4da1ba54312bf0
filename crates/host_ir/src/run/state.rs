//! The state of an execution of host code: memory and the call stack.

use super::Value;
use super::code::{Arg, Code};
use super::memory::{self, Id, Object};
use crate::program::At;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

#[derive(Clone, Debug)]
pub(super) struct Frame<'a> {
    pub(super) at: At,
    pub(super) code: Rc<Code<'a>>,
    pub(super) registers: Vec<Value>,
    pub(super) block: usize,
    pub(super) step: usize,
    /// The caller's register for the result.
    pub(super) result: Option<u32>,
}

/// The whole state of an execution.
#[derive(Clone, Debug, Default)]
pub(super) struct State<'a> {
    pub(super) objects: BTreeMap<Id, Rc<Object>>,
    pub(super) frames: Vec<Frame<'a>>,
    /// Objects whose addresses may be known to other code, or were lost in an unknown value.
    pub(super) escaped: BTreeSet<Id>,
    /// The configuration of the next launch: extents and shared memory.
    pub(super) configuration: Option<Vec<Value>>,
    /// Streams are captured, so that launches go into a graph.
    pub(super) capturing: bool,
    /// The value that the first function has returned.
    pub(super) returned: Option<i64>,
    /// Since the innermost fork, some paths have ended, or have returned to an earlier branch.
    pub(super) left: bool,
    /// Whether the execution comes here is not known: an undecided branch may have led elsewhere.
    pub(super) doubted: bool,
    /// `atoi` may have been called.
    pub(super) converts: bool,
}

/// The end of a part of the execution: a block of the frame at that depth, or the return of that frame.
#[derive(Clone, Copy, Debug)]
pub(super) struct Until {
    pub(super) depth: usize,
    pub(super) block: Option<usize>,
}

/// A function, a block, and the number of its executed steps.
pub(super) type Spot = (At, usize, usize);

/// Returns the positions of all functions on the stack; for the innermost one, the step that it is executing.
pub(super) fn stack(state: &State<'_>) -> Vec<Spot> {
    let last = state.frames.len();
    let step = |n: usize, step: usize| if n + 1 == last { step.saturating_sub(1) } else { step };
    state.frames.iter().enumerate().map(|(n, f)| (f.at, f.block, step(n, f.step))).collect()
}

pub(super) fn is_there(state: &State<'_>, until: Until) -> bool {
    let depth = state.frames.len();
    depth < until.depth
        || depth == until.depth
            && state.frames.last().is_some_and(|f| f.step == 0 && Some(f.block) == until.block)
}

pub(super) fn get(state: &State<'_>, arg: &Arg) -> Value {
    match arg {
        Arg::Is(value) => value.clone(),
        Arg::Register(r) => state.frames.last().map_or(Value::Unknown, |f| f.registers[*r as usize].clone()),
    }
}

pub(super) fn jump(state: &mut State<'_>, to: usize) {
    let Some(frame) = state.frames.last() else { return };
    let from = frame.block;
    let code = Rc::clone(&frame.code);
    let values: Vec<(u32, Value)> = code.blocks[to]
        .phis
        .iter()
        .map(|(r, all)| {
            let value = all.iter().find(|(b, _)| *b == from).map_or(Value::Unknown, |(_, v)| get(state, v));
            (*r, value)
        })
        .collect();
    if let Some(frame) = state.frames.last_mut() {
        for (r, value) in values {
            frame.registers[r as usize] = value;
        }
        frame.block = to;
        frame.step = 0;
    }
}

impl<'a> State<'a> {
    pub(super) fn object(&mut self, address: i64) -> Option<(&mut Object, i64)> {
        let (id, offset) = memory::object(address as u64)?;
        Some((Rc::make_mut(self.objects.get_mut(&id)?), offset))
    }

    pub(super) fn read(&self, address: i64, bytes: u32) -> Value {
        let Some((id, offset)) = memory::object(address as u64) else { return Value::Unknown };
        self.objects.get(&id).map_or(Value::Unknown, |o| o.read(offset, bytes))
    }

    pub(super) fn write(&mut self, address: i64, bytes: u32, value: &Value) -> Option<()> {
        if let Value::Near(_) | Value::Several(_) = value {
            self.escape(value);
        }
        let (object, offset) = self.object(address)?;
        object.holds(offset, u64::from(bytes)).then(|| object.write(offset as u64, bytes, value))
    }

    /// Makes the contents of an object unknown; the addresses in it escape.
    pub(super) fn forget(&mut self, id: Id) {
        if let Some(object) = self.objects.get_mut(&id) {
            let pointers = object.pointers();
            Rc::make_mut(object).forget();
            self.escaped.extend(pointers.into_iter().filter_map(|p| Some(memory::object(p)?.0)));
        }
    }

    /// Records that an address was lost and may be anywhere.
    pub(super) fn escape(&mut self, value: &Value) {
        match value {
            Value::Number(v) => self.escaped.extend(memory::object(*v as u64).map(|o| o.0)),
            Value::Near(id) => _ = self.escaped.insert(*id),
            Value::Several(all) => all.iter().for_each(|v| self.escape(v)),
            Value::Unknown | Value::Converted { .. } => {}
        }
    }

    /// Returns the common part of two values.
    pub(super) fn either(&mut self, a: &Value, b: &Value) -> Value {
        let object = |v: &Value| match v {
            Value::Number(v) => memory::object(*v as u64).map(|o| o.0),
            Value::Near(id) => Some(*id),
            _ => None,
        };
        match (a, b) {
            _ if a == b => a.clone(),
            (Value::Several(a), Value::Several(b)) if a.len() == b.len() => {
                let all: Vec<Value> = a.iter().zip(b.iter()).map(|(a, b)| self.either(a, b)).collect();
                Value::Several(Rc::new(all))
            }
            _ if object(a).is_some() && object(a) == object(b) => Value::Near(object(a).unwrap_or(0)),
            _ => {
                self.escape(a);
                self.escape(b);
                Value::Unknown
            }
        }
    }

    /// Retains what both states agree on. Returns whether this state has lost something; `None` if the states
    /// are at different positions.
    pub(super) fn merge(&mut self, other: &State<'a>) -> Option<bool> {
        let place = |s: &State<'a>| -> Vec<_> { s.frames.iter().map(|f| (f.at, f.block, f.step)).collect() };
        if place(self) != place(other) {
            return None;
        }
        let mut changed = false;
        let mut lost = BTreeSet::new();
        let both: BTreeSet<Id> =
            self.objects.keys().copied().filter(|id| other.objects.contains_key(id)).collect();
        for (id, object) in &other.objects {
            match self.objects.get_mut(id) {
                Some(own) if Rc::ptr_eq(own, object) => {}
                Some(own) => changed |= Rc::make_mut(own).merge(object, &mut lost),
                None => _ = self.objects.insert(*id, Rc::clone(object)),
            }
        }
        for n in 0..self.frames.len() {
            for r in 0..self.frames[n].registers.len() {
                let (a, b) = (self.frames[n].registers[r].clone(), &other.frames[n].registers[r]);
                if a != *b {
                    let v = self.either(&a, b);
                    changed |= v != a;
                    self.frames[n].registers[r] = v;
                }
            }
        }
        let escaped = lost.into_iter().filter_map(|p| Some(memory::object(p)?.0));
        let escaped: Vec<Id> = escaped.chain(other.escaped.iter().copied()).collect();
        // Objects that only one path has created do not affect the common ones.
        changed |= escaped.iter().any(|id| both.contains(id) && !self.escaped.contains(id));
        self.escaped.extend(escaped);
        if self.configuration != other.configuration {
            changed |= self.configuration.is_some();
            self.configuration = None;
        }
        if self.returned != other.returned {
            self.returned = None;
        }
        self.left |= other.left;
        changed |= other.doubted && !self.doubted;
        self.doubted |= other.doubted;
        changed |= other.converts && !self.converts;
        self.converts |= other.converts;
        changed |= other.capturing && !self.capturing;
        self.capturing |= other.capturing;
        Some(changed)
    }
}
