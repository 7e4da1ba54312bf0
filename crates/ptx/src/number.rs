//! Numeric literals (PTX §4.5).

/// The value of a literal; floats as bits.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Number {
    Int(u64),
    F32(u32),
    F64(u64),
}

/// Decodes a literal token. The error is a message about its form.
pub(crate) fn parse_number(text: &str) -> Result<Number, &'static str> {
    let bytes = text.as_bytes();
    // Fast path for the most common form.
    if bytes.len() < 19 && bytes.iter().all(u8::is_ascii_digit) && (bytes[0] != b'0' || bytes.len() == 1) {
        return Ok(Number::Int(bytes.iter().fold(0, |n, c| n * 10 + u64::from(c - b'0'))));
    }
    if bytes[0] == b'0' && bytes.len() > 1 {
        match bytes[1] {
            b'f' | b'F' => return float_bits(&text[2..], 8).map(|b| Number::F32(b as u32)),
            b'd' | b'D' => return float_bits(&text[2..], 16).map(Number::F64),
            b'x' | b'X' => return integer(&text[2..], 16),
            b'b' | b'B' => return integer(&text[2..], 2),
            _ => {}
        }
    }
    if bytes.iter().any(|c| matches!(c, b'.' | b'e' | b'E')) {
        return match text.parse::<f64>() {
            Ok(value) => Ok(Number::F64(value.to_bits())),
            Err(_) => Err("malformed floating-point literal"),
        };
    }
    if bytes[0] == b'0' && bytes.len() > 1 && bytes[1].is_ascii_digit() {
        return integer(&text[1..], 8);
    }
    integer(text, 10)
}

fn float_bits(digits: &str, len: usize) -> Result<u64, &'static str> {
    if digits.len() != len || !digits.bytes().all(|c| c.is_ascii_hexdigit()) {
        return Err(if len == 8 {
            "a `0f` literal has exactly 8 hexadecimal digits"
        } else {
            "a `0d` literal has exactly 16 hexadecimal digits"
        });
    }
    u64::from_str_radix(digits, 16).map_err(|_| "malformed floating-point literal")
}

fn integer(digits: &str, radix: u32) -> Result<Number, &'static str> {
    let digits = digits.strip_suffix(['U', 'u']).unwrap_or(digits);
    if digits.is_empty() || !digits.chars().all(|c| c.is_digit(radix)) {
        return Err("malformed integer literal");
    }
    u64::from_str_radix(digits, radix).map(Number::Int).map_err(|_| "integer literal does not fit 64 bits")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn literals_of_every_form() {
        for (text, value) in [
            ("0", Number::Int(0)),
            ("42", Number::Int(42)),
            ("42U", Number::Int(42)),
            ("0x1fU", Number::Int(31)),
            ("0XfF", Number::Int(255)),
            ("017", Number::Int(15)),
            ("0b101", Number::Int(5)),
            ("18446744073709551615", Number::Int(u64::MAX)),
            ("0f3F800000", Number::F32(0x3f80_0000)),
            ("0d3FF0000000000000", Number::F64(1f64.to_bits())),
            ("1.5", Number::F64(1.5f64.to_bits())),
            ("1e3", Number::F64(1000f64.to_bits())),
            ("1.0e-3", Number::F64(0.001f64.to_bits())),
            (".5", Number::F64(0.5f64.to_bits())),
            ("2.", Number::F64(2f64.to_bits())),
        ] {
            assert_eq!(parse_number(text), Ok(value), "{text}");
        }
    }

    #[test]
    fn literals_that_are_none() {
        for text in ["0x", "09", "0b2", "18446744073709551616", "0f12", "0d1", "1x", "1.2.3", "0xgg", "12é"]
        {
            assert!(parse_number(text).is_err(), "{text}");
        }
    }
}
