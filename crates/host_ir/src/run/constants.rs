//! Constants of LLVM IR: numbers, addresses, and initial values of variables.

use super::Value;
use super::memory::{Byte, Object};
use crate::initial::split;
use crate::ir::{Module, Op, bits, inside, parts};

/// The addresses of functions and variables.
pub(super) trait Places {
    fn place(&self, symbol: &str) -> Option<u64>;
}

/// Returns the size of a type, including types that launches do not need.
pub(super) fn size<'a>(module: &Module<'a>, ty: &'a str) -> Option<u64> {
    if let Some(vector) = ty.strip_prefix('<').filter(|t| !t.starts_with('{')) {
        let (n, element) = vector.split_once(" x ")?;
        let element = element.strip_suffix('>')?;
        return Some(n.parse::<u64>().ok()? * size(module, element)?);
    }
    match ty {
        "x86_fp80" | "i128" | "fp128" => Some(16),
        _ => u64::try_from(module.bytes(ty)?).ok(),
    }
}

fn real(value: f64, single: bool) -> Value {
    Value::Number(match single {
        true => i64::from((value as f32).to_bits() as i32),
        false => value.to_bits() as i64,
    })
}

/// Parses a literal or an address.
pub(super) fn number<'a>(module: &Module<'a>, places: &dyn Places, text: &'a str, single: bool) -> Value {
    match text {
        "true" => return Value::Number(1),
        "false" | "null" | "zeroinitializer" => return Value::Number(0),
        "undef" | "poison" | "" => return Value::Unknown,
        _ => {}
    }
    if let Ok(c) = text.parse::<i64>() {
        return Value::Number(c);
    }
    if let Ok(c) = text.parse::<u64>() {
        return Value::Number(c as i64);
    }
    if let Some(hex) = text.strip_prefix("0x") {
        return u64::from_str_radix(hex, 16).map_or(Value::Unknown, |b| real(f64::from_bits(b), single));
    }
    if text.starts_with(|c: char| c.is_ascii_digit() || c == '-') {
        return text.parse().map_or(Value::Unknown, |v| real(v, single));
    }
    if let Some(symbol) = text.strip_prefix('@') {
        return places.place(symbol.trim_matches('"')).map_or(Value::Unknown, |a| Value::Number(a as i64));
    }
    if let Some((_, rest)) = text.split_once("getelementptr ")
        && let Some(rest) = rest.strip_prefix('(').or_else(|| Some(rest.split_once(" (")?.1))
        && let Some(Op::Element { base, indices, constant }) = module.element(inside(rest))
        && indices.is_empty()
        && let Value::Number(base) = number(module, places, base, false)
    {
        return Value::Number(base.wrapping_add(constant as i64));
    }
    for cast in ["ptrtoint (", "inttoptr (", "bitcast (", "addrspacecast ("] {
        if let Some((_, rest)) = text.split_once(cast)
            && text.starts_with(cast)
            && let Some((of, _)) = inside(rest).rsplit_once(" to ")
        {
            return number(module, places, split(of).1, false);
        }
    }
    Value::Unknown
}

/// Writes the value of `TYPE VALUE`; parts that are not supported become unknown.
pub(super) fn put<'a>(
    module: &Module<'a>,
    places: &dyn Places,
    text: &'a str,
    into: &mut Object,
    at: u64,
) -> Option<u64> {
    let (ty, value) = split(text);
    let bytes = size(module, ty)?;
    match value {
        "zeroinitializer" | "null" => into.fill(at, bytes, Byte::Known(0)),
        "undef" | "poison" => {}
        _ if value.starts_with("c\"") => {
            let mut rest = &value.as_bytes()[2..];
            let mut n = at;
            while let Some((&b, more)) = rest.split_first().filter(|(b, _)| **b != b'"') {
                let hex = || u8::from_str_radix(std::str::from_utf8(more.get(..2)?).ok()?, 16).ok();
                let (byte, more) = match b {
                    b'\\' if more.first() == Some(&b'\\') => (b'\\', &more[1..]),
                    b'\\' => (hex()?, &more[2..]),
                    _ => (b, more),
                };
                into.put(n, Byte::Known(byte));
                n += 1;
                rest = more;
            }
        }
        _ if value.starts_with('[') => {
            let mut n = at;
            for element in parts(value[1..].strip_suffix(']')?) {
                n += put(module, places, element, into, n)?;
            }
        }
        _ if value.starts_with('{') => {
            for (n, field) in parts(value[1..].strip_suffix('}')?).into_iter().enumerate() {
                let offset = u64::try_from(module.offset(ty, n)?).ok()?;
                put(module, places, field, into, at + offset)?;
            }
        }
        _ if bits(ty) > 0 || matches!(ty, "float" | "double") => {
            let v = number(module, places, value, ty == "float");
            into.write(at, u32::try_from(bytes).ok()?, &v);
        }
        _ => into.fill(at, bytes, Byte::Unknown),
    }
    Some(bytes)
}
