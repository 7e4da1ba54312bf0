//! Executes the IR of a `main` for given arguments, instruction by instruction: what it launches.

use crate::Given;
use crate::kernels::{KERNELS, Made};
use host_ir::ir::{Function, Op};
use std::collections::HashMap;

/// Instructions of one run.
const MOST: usize = 20_000;

#[derive(Clone, Debug, PartialEq)]
enum Value {
    /// With its sign.
    Int(i64),
    /// An array of the device, and bytes behind its beginning.
    Array(usize, i64),
    /// A local variable.
    Local(String),
    /// The table of arguments, and bytes behind its beginning.
    Table(i64),
    /// The text of an argument.
    Text(usize),
    Null,
}

/// The launches, in order; `None` if what the program does is not defined, or it takes too long.
pub(crate) fn run(f: &Function<'_>, given: &Given) -> Option<Vec<Made>> {
    let mut m = Machine {
        f,
        given,
        values: HashMap::new(),
        locals: HashMap::new(),
        arrays: 0,
        made: Vec::new(),
        extents: None,
    };
    m.values.insert(f.params[0].to_owned(), Value::Int(given.len() as i64 + 1));
    m.values.insert(f.params[1].to_owned(), Value::Table(0));
    m.run()?;
    Some(m.made)
}

struct Machine<'f, 'a> {
    f: &'f Function<'a>,
    given: &'f Given,
    values: HashMap<String, Value>,
    locals: HashMap<String, Value>,
    arrays: usize,
    made: Vec<Made>,
    extents: Option<([u32; 3], [u32; 3])>,
}

fn wrapped(v: i128, bits: u32) -> i64 {
    (v << (128 - bits) >> (128 - bits)) as i64
}

fn unsigned(v: i64, bits: u32) -> u128 {
    (v as i128 as u128) & ((1u128 << bits) - 1)
}

impl Machine<'_, '_> {
    fn value(&self, name: &str) -> Option<Value> {
        match name {
            "null" => Some(Value::Null),
            "true" => Some(Value::Int(1)),
            "false" => Some(Value::Int(0)),
            _ => match name.parse::<i64>() {
                Ok(n) => Some(Value::Int(n)),
                Err(_) => self.values.get(name).cloned(),
            },
        }
    }

    fn int(&self, name: &str) -> Option<i64> {
        match self.value(name)? {
            Value::Int(n) => Some(n),
            _ => None,
        }
    }

    fn run(&mut self) -> Option<()> {
        let (mut block, mut before) = (0usize, usize::MAX);
        let mut steps = 0;
        loop {
            let insts = &self.f.blocks[block].insts;
            // All phis at once.
            let mut phis = Vec::new();
            for inst in insts {
                let (Op::Phi { incoming }, Some(result)) = (&inst.op, inst.result) else { break };
                let (value, _) = incoming.iter().find(|(_, from)| *from == before)?;
                phis.push((result.to_owned(), self.value(value)));
            }
            for (result, value) in phis {
                self.values.remove(&result);
                self.values.extend(value.map(|v| (result, v)));
            }
            let mut next = None;
            for inst in insts {
                steps += 1;
                if steps > MOST {
                    return None;
                }
                match &inst.op {
                    Op::Phi { .. } => {}
                    Op::Branch { condition, yes, no } => {
                        next = Some(if self.int(condition)? & 1 == 1 { *yes } else { *no });
                    }
                    Op::Switch { value, cases, default } => {
                        let v = i128::from(self.int(value)?);
                        next = Some(cases.iter().find(|(c, _)| *c == v).map_or(*default, |(_, to)| *to));
                    }
                    _ if inst.text.starts_with("br label ") => {
                        next = self.f.blocks[block].successors.first().copied()
                    }
                    _ if inst.text.starts_with("ret ") || inst.text == "unreachable" => return Some(()),
                    // A result that overflows has no value, which matters if it is used.
                    op @ Op::Binary { .. } => {
                        let value = self.execute(op, inst.result);
                        let result = inst.result.unwrap_or_default();
                        self.values.remove(result);
                        self.values.extend(value.map(|v| (result.to_owned(), v)));
                    }
                    op => {
                        let value = match self.execute(op, inst.result) {
                            Some(value) => value,
                            // Nor has what is made of it; what is done with it is not defined.
                            None if matches!(
                                op,
                                Op::Cast { .. } | Op::Compare { .. } | Op::Select { .. } | Op::Element { .. }
                            ) =>
                            {
                                self.values.remove(inst.result.unwrap_or_default());
                                continue;
                            }
                            None if matches!(op, Op::Call { callee: Some(c), .. } if c.starts_with("llvm.")) =>
                            {
                                self.values.remove(inst.result.unwrap_or_default());
                                continue;
                            }
                            None => return None,
                        };
                        if let Some(result) = inst.result {
                            self.values.insert(result.to_owned(), value);
                        }
                    }
                }
            }
            (before, block) = (block, next?);
        }
    }

    fn execute(&mut self, op: &Op<'_>, result: Option<&str>) -> Option<Value> {
        match op {
            Op::Binary { op, bits, exact, signed, a, b } => {
                let (a, b) = (self.int(a)?, self.int(b)?);
                let (x, y) = (i128::from(a), i128::from(b));
                let (ux, uy) = (unsigned(a, *bits), unsigned(b, *bits));
                let shift = u32::try_from(uy).ok().filter(|s| s < bits);
                let whole: i128 = match *op {
                    "add" => x + y,
                    "sub" => x - y,
                    "mul" => x * y,
                    "shl" => x << shift?,
                    "lshr" => (ux >> shift?) as i128,
                    "ashr" => x >> shift?,
                    "sdiv" => x.checked_div(y)?,
                    "srem" => x.checked_rem(y)?,
                    "udiv" => ux.checked_div(uy)? as i128,
                    "urem" => ux.checked_rem(uy)? as i128,
                    "and" => x & y,
                    "or" => x | y,
                    "xor" => x ^ y,
                    _ => return None,
                };
                let found = wrapped(whole, *bits);
                // A run with poison does not count.
                if *signed && matches!(*op, "add" | "sub" | "mul" | "shl") && i128::from(found) != whole {
                    return None;
                }
                let without_sign = match *op {
                    "add" => ux + uy,
                    "mul" => ux * uy,
                    // Generated for these two only.
                    _ => 0,
                };
                if *exact && !*signed && without_sign >> bits != 0 {
                    return None;
                }
                Some(Value::Int(found))
            }
            Op::Cast { op, from, to, of } => {
                let v = self.int(of)?;
                Some(Value::Int(match *op {
                    "zext" => wrapped(unsigned(v, *from) as i128, *to),
                    "sext" => wrapped(wrapped(i128::from(v), *from).into(), *to),
                    "trunc" => wrapped(i128::from(v), *to),
                    _ => return None,
                }))
            }
            Op::Compare { test, bits, a, b } => {
                let (x, y) = match (self.value(a)?, self.value(b)?) {
                    (Value::Int(x), Value::Int(y)) => (x, y),
                    (x, y) => return Some(Value::Int(((x == y) == (*test == "eq")).into())),
                };
                let (ux, uy) = (unsigned(x, *bits), unsigned(y, *bits));
                let is = match *test {
                    "eq" => ux == uy,
                    "ne" => ux != uy,
                    "slt" => x < y,
                    "sle" => x <= y,
                    "sgt" => x > y,
                    "sge" => x >= y,
                    "ult" => ux < uy,
                    "ule" => ux <= uy,
                    "ugt" => ux > uy,
                    "uge" => ux >= uy,
                    _ => return None,
                };
                Some(Value::Int(is.into()))
            }
            Op::Select { condition, a, b } => {
                let of = if self.int(condition)? & 1 == 1 { a } else { b };
                self.value(of)
            }
            Op::Element { base, indices, constant } => {
                let mut at = *constant;
                for (index, bytes) in indices {
                    at += i128::from(self.int(index)?) * bytes;
                }
                match self.value(base)? {
                    Value::Array(n, place) => Some(Value::Array(n, place + i64::try_from(at).ok()?)),
                    Value::Table(place) => Some(Value::Table(place + i64::try_from(at).ok()?)),
                    _ => None,
                }
            }
            Op::Alloca => Some(Value::Local(result?.to_owned())),
            Op::Same(of) => self.value(of),
            Op::Load { from, .. } => match self.value(from)? {
                Value::Local(name) => self.locals.get(&name).cloned(),
                Value::Table(at) => {
                    let n = usize::try_from(at / 8).ok()?;
                    Some(if n <= self.given.len() { Value::Text(n) } else { Value::Null })
                }
                _ => None,
            },
            Op::Store { value, to, .. } => {
                let (Value::Local(name), value) = (self.value(to)?, self.value(value)?) else { return None };
                self.locals.insert(name, value);
                Some(Value::Null)
            }
            Op::Call { callee: Some(callee), arguments, bits, .. } => {
                self.call(callee, arguments.iter().map(|a| a.value).collect(), *bits)
            }
            _ => None,
        }
    }

    fn call(&mut self, callee: &str, arguments: Vec<&str>, bits: u32) -> Option<Value> {
        let two = |m: &Self| Some((m.int(arguments.first()?)?, m.int(arguments.get(1)?)?));
        Some(match callee {
            "atoi" => match self.value(arguments[0])? {
                Value::Text(n) => Value::Int(i64::from(*self.given.get(n.checked_sub(1)?)? as i32)),
                // The program crashes.
                _ => return None,
            },
            "cudaMalloc" => {
                let Value::Local(name) = self.value(arguments[0])? else { return None };
                self.locals.insert(name, Value::Array(self.arrays, 0));
                self.arrays += 1;
                Value::Int(0)
            }
            // The code behind the call is not reached.
            "exit" | "__assert_fail" => Value::Null,
            "__cudaPushCallConfiguration" => {
                // Extents without a value are those of some launch, or of none.
                let all: Option<Vec<i64>> = (0..4).map(|n| self.int(arguments[n])).collect();
                let extents = |xy: i64, z: i64| [xy as u32, (xy as u64 >> 32) as u32, z as u32];
                self.extents = all.map(|all| (extents(all[0], all[1]), extents(all[2], all[3])));
                Value::Int(0)
            }
            _ if callee.starts_with("llvm.smin") => two(self).map(|(a, b)| Value::Int(a.min(b)))?,
            _ if callee.starts_with("llvm.smax") => two(self).map(|(a, b)| Value::Int(a.max(b)))?,
            _ if callee.starts_with("llvm.umin") || callee.starts_with("llvm.umax") => {
                let (a, b) = two(self)?;
                let least = (unsigned(a, bits) < unsigned(b, bits)) == callee.starts_with("llvm.umin");
                Value::Int(if least { a } else { b })
            }
            _ => {
                let kernel = KERNELS.iter().position(|k| *k == callee)?;
                let place = |m: &Self, n: usize| match m.value(arguments[n])? {
                    Value::Array(a, at) => Some((a, at)),
                    _ => None,
                };
                let Some((grid, block)) = self.extents.take() else { return Some(Value::Null) };
                let made = Made {
                    kernel,
                    grid,
                    block,
                    low: place(self, 0)?,
                    high: place(self, 1)?,
                    number: self.int(arguments[2])? as i32,
                };
                // A launch of no threads, or too many, is refused.
                let threads = block.iter().map(|&n| u64::from(n)).product::<u64>();
                let accepted = (1..=1024).contains(&threads)
                    && grid.iter().all(|&n| n > 0)
                    && grid[0] <= i32::MAX as u32
                    && grid[1] <= 65_535;
                if accepted {
                    self.made.push(made);
                }
                Value::Null
            }
        })
    }
}
