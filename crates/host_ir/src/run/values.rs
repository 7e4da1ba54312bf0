//! Arithmetic of the host code on known values.

use super::state::State;
use super::{Value, is_address, memory};
use crate::eval;

pub(super) fn binary(state: &mut State<'_>, op: &str, bits: u32, a: &Value, b: &Value) -> Value {
    use Value::{Near, Number, Unknown};
    match (a, b) {
        (Number(x), Number(y)) => {
            let pointers = (is_address(*x) && bits == 64, is_address(*y) && bits == 64);
            let object = |v: i64| memory::object(v as u64).map(|o| o.0);
            let told = match (pointers, op) {
                ((false, false), _) | ((true, false), "add" | "sub") | ((false, true), "add") => true,
                // The low four bits of an address are known from the alignment of allocations.
                ((true, false), "and") => (0..16).contains(y),
                ((true, true), "sub") => object(*x) == object(*y),
                _ => false,
            };
            match told.then(|| eval::binary(op, bits, i128::from(*x), i128::from(*y))).flatten() {
                Some(v) => Number(v as i64),
                None => {
                    state.escape(a);
                    state.escape(b);
                    Unknown
                }
            }
        }
        (Near(id), _) | (_, Near(id)) if matches!(op, "add" | "sub") && bits == 64 => {
            let other = if matches!(a, Near(_)) { b } else { a };
            state.escape(other);
            Near(*id)
        }
        // One known operand determines the result.
        (Number(0), _) | (_, Number(0)) if matches!(op, "and" | "mul") => Number(0),
        _ => {
            state.escape(a);
            state.escape(b);
            Unknown
        }
    }
}

pub(super) fn compare(test: &str, bits: u32, a: &Value, b: &Value) -> Value {
    use Value::{Near, Number, Unknown};
    match (a, b) {
        (Number(x), Number(y)) => {
            let object = |v: i64| if bits == 64 { memory::object(v as u64).map(|o| o.0) } else { None };
            let order = !matches!(test, "eq" | "ne");
            if order && object(*x) != object(*y) {
                return Unknown;
            }
            eval::compare(test, bits, i128::from(*x), i128::from(*y))
                .map_or(Unknown, |c| Number(i64::from(c)))
        }
        (Near(_), Number(0)) | (Number(0), Near(_)) => match test {
            "eq" => Number(0),
            "ne" => Number(1),
            _ => Unknown,
        },
        _ => Unknown,
    }
}

pub(super) fn real(v: &Value, single: bool) -> Option<f64> {
    let v = v.number()?;
    Some(match single {
        true => f64::from(f32::from_bits(v as u32)),
        false => f64::from_bits(v as u64),
    })
}

pub(super) fn of_real(v: f64, single: bool) -> Value {
    Value::Number(match single {
        true => i64::from((v as f32).to_bits() as i32),
        false => v.to_bits() as i64,
    })
}

pub(super) fn cast(op: &str, (from, to): (u32, u32), of: &Value, single: (bool, bool)) -> Value {
    let value = match (op, of) {
        ("ptrtoint" | "inttoptr", Value::Near(_)) => return of.clone(),
        (_, Value::Number(v)) => *v,
        _ => return Value::Unknown,
    };
    let wide = i128::from(value);
    Value::Number(match op {
        "zext" if to > 0 => eval::signed(eval::unsigned(wide, from), to) as i64,
        "sext" | "trunc" | "ptrtoint" | "inttoptr" if to > 0 => eval::signed(wide, to) as i64,
        "sitofp" if from > 0 => return of_real(value as f64, single.1),
        "uitofp" if from > 0 => return of_real(eval::unsigned(wide, from) as f64, single.1),
        "fptosi" | "fptoui" => match real(of, single.0) {
            Some(v) if v.abs() < 1e15 => eval::signed(v as i128, to) as i64,
            _ => return Value::Unknown,
        },
        "fpext" | "fptrunc" => match real(of, single.0) {
            Some(v) => return of_real(v, single.1),
            None => return Value::Unknown,
        },
        _ => return Value::Unknown,
    })
}
