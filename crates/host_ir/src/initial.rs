//! Initial values of variables, in structures and arrays.

use super::ir::{Module, bits, parts};
use super::value::{Value, constant};

/// Returns the number of so many bytes at an offset in a variable's initial value; `text` is the variable's definition.
pub(super) fn initial<'a>(module: &Module<'a>, text: &'a str, place: (i128, i128)) -> Option<Value> {
    let (_, value) = text.split_once("constant ").or_else(|| text.split_once("global "))?;
    number(module, parts(value).first()?, place)
}

/// Returns the number of so many bytes at an offset in `TYPE VALUE`.
fn number<'a>(module: &Module<'a>, text: &'a str, (offset, bytes): (i128, i128)) -> Option<Value> {
    let (ty, value) = split(text);
    let size = module.bytes(ty)?;
    if offset < 0 || offset + bytes > size {
        return None;
    }
    if value == "zeroinitializer" {
        return Some(Value::Int(0));
    }
    if let Some(list) = value.strip_prefix('[').and_then(|v| v.strip_suffix(']')) {
        let list = parts(list);
        let each = size / i128::try_from(list.len()).ok().filter(|n| *n > 0 && size % n == 0)?;
        let element = list.get(usize::try_from(offset / each).ok()?)?;
        return number(module, element, (offset % each, bytes));
    }
    let packed = value.strip_prefix('<').and_then(|v| v.strip_suffix('>')).unwrap_or(value);
    if let Some(list) = packed.strip_prefix('{').and_then(|v| v.strip_suffix('}')) {
        for (n, field) in parts(list).into_iter().enumerate() {
            let at = module.offset(ty, n)?;
            if (at..at + module.bytes(split(field).0)?).contains(&offset) {
                return number(module, field, (offset - at, bytes));
            }
        }
        return None;
    }
    (offset == 0 && i128::from(bits(ty)) == 8 * bytes).then(|| constant(value)).flatten()
}

/// Splits `TYPE VALUE` in an initial value.
pub(super) fn split(text: &str) -> (&str, &str) {
    let text = text.trim();
    let mut depth = 0i32;
    let mut quoted = false;
    for (i, c) in text.char_indices() {
        match c {
            '"' => quoted = !quoted,
            _ if quoted => {}
            '[' | '{' | '<' | '(' => depth += 1,
            ']' | '}' | '>' | ')' => depth -= 1,
            ' ' if depth == 0 => return (&text[..i], text[i + 1..].trim()),
            _ => {}
        }
    }
    (text, "")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_in_structures_and_arrays_are_found() {
        let text = r#"
%struct.Config = type { i32, i8, i64 }
@table = internal constant [2 x %struct.Config] [%struct.Config { i32 2, i8 3, i64 -4 }, %struct.Config zeroinitializer]
@packed = constant <{ i8, i32, [4 x i8] }> <{ i8 7, i32 9, [4 x i8] c"ab\00d" }>, align 1
@nested = global { [2 x [2 x i32]], float } { [2 x [2 x i32]] [[2 x i32] [i32 1, i32 2], [2 x i32] [i32 3, i32 4]], float 1.0 }
"#;
        let module = Module::read(text);
        let at = |name: &str, offset, bytes| {
            initial(&module, module.globals[name], (offset, bytes)).and_then(|value| value.int())
        };
        assert_eq!([0, 4].map(|o| at("table", o, if o == 0 { 4 } else { 1 })), [Some(2), Some(3)]);
        assert_eq!(at("table", 8, 8), Some(-4));
        assert_eq!([16, 24].map(|o| at("table", o, 4)), [Some(0); 2]);
        assert_eq!([at("packed", 0, 1), at("packed", 1, 4)], [Some(7), Some(9)]);
        assert_eq!([0, 4, 8, 12].map(|o| at("nested", o, 4)), [Some(1), Some(2), Some(3), Some(4)]);
        // Gaps, parts of numbers, several numbers, places behind the end, text and fractions.
        assert_eq!([at("table", 5, 1), at("table", 8, 4), at("table", 0, 8)], [None; 3]);
        assert_eq!([at("table", 32, 4), at("table", 28, 8), at("table", -4, 4)], [None; 3]);
        assert_eq!([at("packed", 5, 1), at("nested", 16, 4)], [None; 2]);
    }
}
