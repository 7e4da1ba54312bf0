//! Executes single instructions of the host code.

use super::code::{Arg, Step, Wraps};
use super::memory::{self, Fill, Place};
use super::state::{State, get};
use super::values::{binary, cast, compare, of_real, real};
use super::{Machine, Value};
use std::rc::Rc;

const NOWHERE: &str = "it is not known where something is written";

impl<'a> Machine<'_, 'a> {
    /// Returns an instruction's result; an error if its effects are unknown.
    pub(super) fn step(&mut self, state: &mut State<'a>, step: &Step<'a>) -> Result<Value, &'static str> {
        let of = |a: &Arg| get(state, a);
        Ok(match step {
            Step::Binary { op, bits, a, b, wraps } => {
                let (a, b) = (of(a), of(b));
                if let (Some(wraps), Some(x), Some(y)) = (wraps, a.number(), b.number())
                    && wraps_around(*wraps, op, *bits, (x, y))
                {
                    self.wrapped = true;
                    state.escape(&a);
                    state.escape(&b);
                    return Ok(Value::Unknown);
                }
                converted(op, *bits, &a, &b).unwrap_or_else(|| binary(state, op, *bits, &a, &b))
            }
            Step::Real { op, single, a, b } => match (real(&of(a), *single), real(&of(b), *single)) {
                (Some(a), Some(b)) => {
                    let compute = |a: f64, b: f64| match *op {
                        "fadd" => a + b,
                        "fsub" => a - b,
                        "fmul" => a * b,
                        _ => a / b,
                    };
                    // Computing in double precision rounds the result of two singles correctly.
                    of_real(compute(a, b), *single)
                }
                _ => Value::Unknown,
            },
            Step::Cast { op, from, to, of: a, single } => cast(op, (*from, *to), &of(a), *single),
            Step::Compare { test, bits, a, b } => {
                let (a, b) = (of(a), of(b));
                let holds = |a: i64, b: i64| crate::eval::compare(test, 32, a.into(), b.into()) == Some(true);
                let value = match (&a, &b) {
                    (&Value::Converted { plus }, &Value::Number(c)) if *bits == 32 => {
                        self.compare_class(state, plus, |v| holds(v, c), c)
                    }
                    (&Value::Number(c), &Value::Converted { plus }) if *bits == 32 => {
                        self.compare_class(state, plus, |v| holds(c, v), c)
                    }
                    _ => Some(compare(test, *bits, &a, &b)),
                };
                value.ok_or("the class of inputs is divided")?
            }
            Step::RealCompare { test, single, a, b } => {
                match (real(&of(a), *single), real(&of(b), *single)) {
                    (Some(a), Some(b)) => {
                        let (ordered, test) = test.split_at(1);
                        let holds = match test {
                            "eq" => a == b,
                            "ne" => a != b,
                            "lt" => a < b,
                            "le" => a <= b,
                            "gt" => a > b,
                            "ge" => a >= b,
                            _ => return Ok(Value::Unknown),
                        };
                        let nan = a.is_nan() || b.is_nan();
                        Value::Number(i64::from(if nan { ordered == "u" } else { holds }))
                    }
                    _ => Value::Unknown,
                }
            }
            Step::Select { condition, a, b } => match of(condition) {
                Value::Number(c) => of(if c & 1 == 1 { a } else { b }),
                _ => {
                    let (a, b) = (of(a), of(b));
                    state.either(&a, &b)
                }
            },
            Step::Load { bytes, plain, from } => match (of(from), bytes) {
                (Value::Number(at), Some(bytes)) if *plain => state.read(at, *bytes),
                _ => Value::Unknown,
            },
            Step::Store { bytes, value, to } => {
                let (value, to) = (of(value), of(to));
                match (to, bytes) {
                    (Value::Number(at), Some(bytes)) => state.write(at, *bytes, &value).ok_or(NOWHERE)?,
                    (Value::Near(id), _) => {
                        state.escape(&value);
                        state.forget(id);
                    }
                    _ => return Err(NOWHERE),
                }
                Value::Unknown
            }
            Step::Element { base, indices, constant } => {
                let base = of(base);
                let mut sum = Some(*constant);
                for (index, bytes) in indices {
                    sum = sum.zip(of(index).number()).map(|(s, i)| s.wrapping_add(i.wrapping_mul(*bytes)));
                }
                match (base, sum) {
                    (Value::Number(base), Some(sum)) => Value::Number(base.wrapping_add(sum)),
                    (Value::Number(base), None) => {
                        memory::object(base as u64).map_or(Value::Unknown, |(id, _)| Value::Near(id))
                    }
                    (Value::Near(id), _) => Value::Near(id),
                    _ => Value::Unknown,
                }
            }
            Step::Alloca { bytes, count } => {
                let count = of(count).number().and_then(|c| u64::try_from(c).ok());
                let size = bytes.zip(count).and_then(|(b, c)| b.checked_mul(c));
                let id = self.allocate(state, size, Place::Host, Fill::Nothing);
                Value::Number(memory::base(id) as i64)
            }
            Step::Same(a) => of(a),
            Step::Extract(a, n) => match of(a) {
                Value::Several(all) => all.get(*n).cloned().unwrap_or(Value::Unknown),
                _ => Value::Unknown,
            },
            Step::Insert(into, value, n) => {
                let mut all = match of(into) {
                    Value::Several(all) => all.to_vec(),
                    _ => Vec::new(),
                };
                let value = of(value);
                if all.len() <= *n {
                    all.resize(n + 1, Value::Unknown);
                }
                all[*n] = value;
                Value::Several(Rc::new(all))
            }
            Step::Change(address) => {
                match of(address) {
                    Value::Number(at) => {
                        let (id, _) = memory::object(at as u64).ok_or(NOWHERE)?;
                        state.forget(id);
                    }
                    Value::Near(id) => state.forget(id),
                    _ => return Err(NOWHERE),
                }
                Value::Unknown
            }
            Step::Unknown => Value::Unknown,
            Step::Lost | Step::Call(_) => return Err("it cannot be told what an instruction does"),
        })
    }
}

/// Returns the sum or the difference of the class's number and a constant.
fn converted(op: &str, bits: u32, a: &Value, b: &Value) -> Option<Value> {
    let plus = match (op, a, b) {
        _ if bits != 32 => return None,
        ("add", Value::Converted { plus }, Value::Number(c))
        | ("add", Value::Number(c), Value::Converted { plus }) => plus.wrapping_add(*c as i32),
        ("sub", Value::Converted { plus }, Value::Number(c)) => plus.wrapping_sub(*c as i32),
        _ => return None,
    };
    Some(Value::Converted { plus })
}

/// Returns whether an operation has no value because it wraps around.
fn wraps_around(how: Wraps, op: &str, bits: u32, (x, y): (i64, i64)) -> bool {
    let number = |v: i64| match how {
        Wraps::Signed => i128::from(v),
        Wraps::Unsigned => crate::eval::unsigned(i128::from(v), bits),
    };
    let whole = crate::eval::binary(op, 126, number(x), number(y));
    whole.is_none_or(|whole| match how {
        Wraps::Signed => crate::eval::signed(whole, bits) != whole,
        Wraps::Unsigned => crate::eval::unsigned(whole, bits) != whole,
    })
}
