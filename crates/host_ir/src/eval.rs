//! Evaluates values of the host code as far as constants and given values determine them.

mod turns;

use turns::last_turn;
pub(super) use turns::turns;

use super::initial::initial;
use super::ir::Op;
use super::program::{At, Frame, Program, Written};
use super::value::{Given, Origin, Value, constant};
use std::cell::RefCell;
use std::collections::HashMap;

/// Evaluates with given values, along a chain of calls.
pub(super) struct Eval<'p, 'a> {
    pub(super) program: &'p Program<'a>,
    pub(super) chain: &'p [Frame],
    pub(super) given: &'p Given<'a>,
    known: RefCell<HashMap<(usize, &'a str), Option<Value>>>,
}

/// Limits the depth of definitions that one value is followed through.
const MOST_DEEP: u32 = 150;
/// Limits the iterations of a loop that are followed.
pub(super) const MOST_TURNS: usize = 3000;

pub(super) fn signed(v: i128, bits: u32) -> i128 {
    match bits {
        0 | 128.. => v,
        _ => v << (128 - bits) >> (128 - bits),
    }
}

pub(super) fn unsigned(v: i128, bits: u32) -> i128 {
    match bits {
        0 | 127.. => v,
        _ => v & ((1i128 << bits) - 1),
    }
}

impl<'p, 'a> Eval<'p, 'a> {
    pub(super) fn new(program: &'p Program<'a>, chain: &'p [Frame], given: &'p Given<'a>) -> Self {
        Eval { program, chain, given, known: RefCell::default() }
    }

    /// Returns the value of an operand of the function at that index of the chain.
    pub(super) fn value(&self, depth: usize, name: &'a str) -> Option<Value> {
        if let Some(constant) = constant(name) {
            return Some(constant);
        }
        if name.starts_with('@') {
            return Some(Value::Address(Origin::Global(name.to_owned()), 0));
        }
        if !name.starts_with('%') {
            return None;
        }
        let key = (depth, name);
        if let Some(v) = self.given.get(&key) {
            return Some(v.clone());
        }
        if let Some(v) = self.known.borrow().get(&key) {
            return v.clone();
        }
        let deep = self.program.deep.get();
        if deep > MOST_DEEP || !self.program.follows() {
            return None;
        }
        // A value that depends on itself is unknown during the evaluation.
        self.known.borrow_mut().insert(key, None);
        self.program.deep.set(deep + 1);
        let v = self.defined(depth, name);
        self.program.deep.set(deep);
        self.known.borrow_mut().insert(key, v.clone());
        v
    }

    pub(super) fn int(&self, depth: usize, name: &'a str) -> Option<i128> {
        self.value(depth, name)?.int()
    }

    /// Returns an address; an unknown one stands for itself, unless it is an unknown place in an array.
    pub(super) fn address(&self, depth: usize, name: &'a str) -> Option<Value> {
        let value = self.value(depth, name);
        let place =
            || matches!(self.program.function(self.at(depth)).definition(name), Some(Op::Element { .. }));
        if value.is_some() || !name.starts_with('%') || place() {
            return value;
        }
        Some(Value::Address(Origin::Other(depth, name.to_owned()), 0))
    }

    /// Returns the origin of an address, and its distance from there if it is known.
    pub(super) fn root(&self, depth: usize, name: &'a str) -> Option<(Origin, Option<i128>)> {
        match self.value(depth, name) {
            Some(Value::Address(origin, at)) => return Some((origin, Some(at))),
            Some(_) => return None,
            None => {}
        }
        match self.program.function(self.at(depth)).definition(name) {
            Some(Op::Element { base, .. }) => Some((self.root(depth, base)?.0, None)),
            Some(Op::Select { condition, a, b }) if self.int(depth, condition).is_some() => {
                let is = self.int(depth, condition)? & 1 == 1;
                self.root(depth, if is { a } else { b })
            }
            _ => match self.address(depth, name) {
                Some(Value::Address(origin, at)) => Some((origin, Some(at))),
                _ => None,
            },
        }
    }

    fn at(&self, depth: usize) -> At {
        self.chain[depth].at
    }

    fn defined(&self, depth: usize, name: &'a str) -> Option<Value> {
        let f = self.program.function(self.at(depth));
        let Some(&(block, inst)) = f.defs.get(name) else {
            // A parameter has the value of the caller's argument.
            let n = f.params.iter().position(|p| *p == name)?;
            let above = depth.checked_sub(1)?;
            let frame = self.chain[above];
            let call = &self.program.function(frame.at).blocks[frame.block].insts[frame.inst].op;
            let Op::Call { arguments, .. } = call else { return None };
            return self.value(above, arguments.get(n)?.value);
        };
        let int = |v: &'a str| self.int(depth, v);
        match &f.blocks[block].insts[inst].op {
            Op::Binary { op, bits, exact, signed, a, b } => {
                let (a, b) = (int(a)?, int(b)?);
                let wide = 126;
                // If a result overflows despite a no-wrap flag, it has no value.
                let arithmetic = matches!(*op, "add" | "sub" | "mul" | "shl");
                if arithmetic && *signed && binary(op, wide, a, b) != binary(op, *bits, a, b) {
                    return None;
                }
                let (ua, ub) = (unsigned(a, *bits), unsigned(b, *bits));
                if arithmetic && *exact && !*signed {
                    let whole = binary(op, wide, ua, ub)?;
                    if whole < 0 || unsigned(whole, *bits) != whole {
                        return None;
                    }
                }
                binary(op, *bits, a, b).map(Value::Int)
            }
            Op::Cast { op, from, to, of } => match (*op, self.value(depth, of)?) {
                ("zext", Value::Int(v)) => Some(Value::Int(signed(unsigned(v, *from), *to))),
                ("sext" | "trunc" | "inttoptr", Value::Int(v)) => Some(Value::Int(signed(v, *to))),
                ("ptrtoint" | "inttoptr", v @ Value::Address(..)) if *to == 64 || *from == 64 => Some(v),
                ("sitofp", Value::Int(v)) => Some(Value::Float(v as f64)),
                ("uitofp", Value::Int(v)) => Some(Value::Float(unsigned(v, *from) as f64)),
                ("fptosi", Value::Float(v)) if v.abs() < 1e15 => Some(Value::Int(signed(v as i128, *to))),
                ("fpext", v @ Value::Float(_)) => Some(v),
                _ => None,
            },
            Op::Compare { test, bits, a, b } => {
                let (a, b) = match (self.value(depth, a)?, self.value(depth, b)?) {
                    (Value::Int(a), Value::Int(b)) => (a, b),
                    (Value::Address(a, x), Value::Address(b, y)) if a == b => (x, y),
                    _ => return None,
                };
                compare(test, *bits, a, b).map(|c| Value::Int(i128::from(c)))
            }
            Op::Select { condition, a, b, .. } => {
                let (x, y) = (self.value(depth, a), self.value(depth, b));
                match int(condition) {
                    Some(c) => {
                        if c & 1 == 1 {
                            x
                        } else {
                            y
                        }
                    }
                    None => x.filter(|x| Some(x) == y.as_ref()),
                }
            }
            Op::Phi { incoming } => self.phi(depth, block, name, incoming),
            Op::Element { base, indices, constant } => {
                let Value::Address(origin, mut at) = self.address(depth, base)? else { return None };
                at += constant;
                for (index, bytes) in indices {
                    at += int(index)? * bytes;
                }
                Some(Value::Address(origin, at))
            }
            Op::Alloca => Some(Value::Address(Origin::Local(depth, name.to_owned()), 0)),
            Op::Same(of) => self.value(depth, of),
            Op::Load { ty, from } => {
                let v = self.loaded(depth, (block, inst), ty, from);
                let address = *ty == "ptr";
                v.or_else(|| address.then(|| Value::Address(Origin::Other(depth, name.to_owned()), 0)))
            }
            Op::Call { callee: Some(callee), arguments, bits, .. } => {
                let a = arguments.first().and_then(|a| int(a.value))?;
                let b = arguments.get(1).and_then(|a| int(a.value));
                let of = |op: &str| callee.starts_with(&format!("llvm.{op}."));
                let (ua, ub) = (unsigned(a, *bits), b.map(|b| unsigned(b, *bits)));
                Some(Value::Int(match () {
                    () if of("smin") => a.min(b?),
                    () if of("smax") => a.max(b?),
                    () if of("umin") => signed(ua.min(ub?), *bits),
                    () if of("umax") => signed(ua.max(ub?), *bits),
                    () if of("abs") => a.abs(),
                    () if of("ctlz") => i128::from(*bits) - i128::from(128 - ua.leading_zeros()),
                    () if of("ctpop") => i128::from(ua.count_ones()),
                    () if of("cttz") => i128::from(ua.trailing_zeros().min(*bits)),
                    () => return None,
                }))
            }
            _ => None,
        }
    }

    /// Returns whether one of the loops around the position in the chain has this header.
    fn turns(&self, depth: usize, header: usize) -> bool {
        let flow = self.program.flow(self.at(depth));
        flow.loops.iter().any(|l| l.header == header && l.contains(self.chain[depth].block))
    }

    fn phi(&self, depth: usize, block: usize, name: &'a str, incoming: &[(&'a str, usize)]) -> Option<Value> {
        if let [(one, _)] = incoming {
            return self.value(depth, one);
        }
        let flow = self.program.flow(self.at(depth));
        if let Some(l) = flow.loops.iter().position(|l| l.header == block) {
            // Code after the loop sees the value of the last iteration.
            if self.turns(depth, block) {
                return None;
            }
            return last_turn(self, depth, l)?.get(&(depth, name)).cloned();
        }
        // Finds the only edge that can have been taken.
        let f = self.program.function(self.at(depth));
        let mut taken: Option<Option<Value>> = None;
        for (value, from) in incoming {
            if self.excluded(depth, f, *from, block) {
                continue;
            }
            let v = self.value(depth, value);
            match &taken {
                None => taken = Some(v),
                Some(other) if *other == v => {}
                Some(_) => return None,
            }
        }
        taken.flatten()
    }

    /// Returns whether an edge cannot have been taken.
    fn excluded(&self, depth: usize, f: &super::ir::Function<'a>, from: usize, to: usize) -> bool {
        let flow = self.program.flow(self.at(depth));
        let last = match &f.blocks[from].insts.last().map(|i| &i.op) {
            Some(Op::Branch { condition, yes, no }) if yes != no => {
                let c = self.int(depth, condition).map(|c| c & 1 == 1);
                c.is_some_and(|c| if c { *yes != to } else { *no != to })
            }
            Some(Op::Switch { value, .. }) => self.int(depth, value).is_some_and(|v| !f.leads(from, v, to)),
            _ => false,
        };
        let fails = |(v, holds)| self.fails(depth, v, holds);
        last || flow.conditions(f, from).into_iter().any(fails)
    }

    /// Returns whether a condition is known not to hold.
    pub(super) fn fails(&self, depth: usize, value: &'a str, holds: super::control_flow::Holds) -> bool {
        use super::control_flow::Holds;
        self.int(depth, value).is_some_and(|v| match holds {
            Holds::Is(is) => (v & 1 == 1) != is,
            Holds::Equals(c) => v != c,
            Holds::Leads { from, to } => !self.program.function(self.at(depth)).leads(from, v, to),
        })
    }

    /// Returns whether a block of the function at that index of the chain is known to be unreachable.
    pub(super) fn never_comes_to(&self, depth: usize, block: usize) -> bool {
        let at = self.at(depth);
        let (f, flow) = (self.program.function(at), self.program.flow(at));
        // A condition inside a loop may differ between iterations, so only those that lead to the loop count.
        let place = flow.around(block).first().map_or(block, |&l| flow.loops[l].header);
        flow.conditions(f, place).into_iter().any(|(v, holds)| self.fails(depth, v, holds))
    }

    /// Returns the value that a load reads.
    fn loaded(
        &self,
        depth: usize,
        (block, inst): (usize, usize),
        ty: &'a str,
        from: &'a str,
    ) -> Option<Value> {
        let Value::Address(origin, offset) = self.address(depth, from)? else { return None };
        let bytes = self.program.modules[self.at(depth).module].bytes(ty)?;
        let reader = Frame { at: self.at(depth), block, inst };
        self.held(&origin, (offset, bytes), reader)
    }

    /// Returns the value of a variable when it is read, written by one store, or by two of 32 bits.
    pub(super) fn held(&self, origin: &Origin, place: (i128, i128), reader: Frame) -> Option<Value> {
        let whole = self.held_at_once(origin, place, reader);
        if whole.is_some() || place.1 != 8 {
            return whole;
        }
        let half = |at| self.held_at_once(origin, (at, 4), reader)?.int();
        Some(Value::Int(signed(half(place.0 + 4)? << 32 | unsigned(half(place.0)?, 32), 64)))
    }

    fn held_at_once(&self, origin: &Origin, place: (i128, i128), reader: Frame) -> Option<Value> {
        match origin {
            Origin::Local(owner, name) => {
                let at = self.at(*owner);
                let name = self.program.function(at).defs.get_key_value(name.as_str())?.0;
                let contents = self.program.contents(Some(at), name);
                // A recursive function has several instances of the variable.
                if self.chain.iter().filter(|frame| frame.at == at).count() > 1 {
                    return None;
                }
                // During a call from the owner the variable does not change: no other function has its
                // address.
                let reader = if reader.at == at { reader } else { self.chain[*owner] };
                let dead = |w: &Frame| self.never_comes_to(*owner, w.block);
                let writer = self.program.written(&contents, place, reader, &dead)?;
                self.was_written(*owner, &writer.what, writer.frame)
            }
            Origin::Global(name) => {
                let global = name.trim_start_matches('@');
                let (module, key, text) = self.program.modules.iter().find_map(|m| {
                    let (key, text) = m.globals.get_key_value(global)?;
                    (!text.starts_with("external")).then_some((m, *key, *text))
                })?;
                let constant_one = text.contains(" constant ") || text.starts_with("constant ");
                let contents = self.program.contents(None, key);
                if constant_one || contents.writers.is_empty() && !contents.escapes {
                    return initial(module, text, place);
                }
                let writer = self.program.written(&contents, place, reader, &|_| false)?;
                match writer.what {
                    Written::Allocation(_) => {
                        Some(Value::Address(Origin::Global(format!("{name} points there")), 0))
                    }
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// Returns the offsets and sizes of all stores to a local variable.
    pub(super) fn places(&self, origin: &Origin) -> Vec<(i128, i128)> {
        let Origin::Local(owner, name) = origin else { return Vec::new() };
        let f = self.program.function(self.at(*owner));
        let Some((name, _)) = f.defs.get_key_value(name.as_str()) else { return Vec::new() };
        let contents = self.program.contents(Some(self.at(*owner)), name);
        contents.writers.iter().filter_map(|w| w.place).collect()
    }

    fn was_written(&self, depth: usize, what: &Written<'a>, frame: Frame) -> Option<Value> {
        match what {
            Written::Value(v) => self.value(depth, v),
            Written::Allocation(_) => {
                Some(Value::Address(Origin::Allocation(depth, frame.block, frame.inst), 0))
            }
            Written::Pitch(_) | Written::Unknown => None,
        }
    }

    /// Returns the size of an allocation in bytes.
    pub(super) fn size(&self, origin: &Origin) -> Option<i128> {
        let (depth, size) = match origin {
            Origin::Allocation(depth, block, inst) => {
                let f = self.program.function(self.at(*depth));
                let Op::Call { arguments, .. } = &f.blocks[*block].insts[*inst].op else { return None };
                (*depth, arguments.get(1)?.value)
            }
            _ => return None,
        };
        self.int(depth, size).filter(|&n| n > 0)
    }
}

pub(super) fn binary(op: &str, bits: u32, a: i128, b: i128) -> Option<i128> {
    let (ua, ub) = (unsigned(a, bits), unsigned(b, bits));
    let shift = u32::try_from(ub).ok().filter(|&s| s < bits);
    let v = match op {
        "add" => a.checked_add(b)?,
        "sub" => a.checked_sub(b)?,
        "mul" => a.checked_mul(b)?,
        "sdiv" => a.checked_div(b)?,
        "srem" => a.checked_rem(b)?,
        "udiv" => ua.checked_div(ub)?,
        "urem" => ua.checked_rem(ub)?,
        "shl" => ua.checked_shl(shift?)?,
        "lshr" => ua >> shift?,
        "ashr" => a >> shift?,
        "and" => a & b,
        "or" => a | b,
        "xor" => a ^ b,
        _ => return None,
    };
    Some(signed(v, bits))
}

pub(super) fn compare(test: &str, bits: u32, a: i128, b: i128) -> Option<bool> {
    let (ua, ub) = (unsigned(a, bits), unsigned(b, bits));
    Some(match test {
        "eq" => ua == ub,
        "ne" => ua != ub,
        "slt" => a < b,
        "sle" => a <= b,
        "sgt" => a > b,
        "sge" => a >= b,
        "ult" => ua < ub,
        "ule" => ua <= ub,
        "ugt" => ua > ub,
        "uge" => ua >= ub,
        _ => return None,
    })
}
