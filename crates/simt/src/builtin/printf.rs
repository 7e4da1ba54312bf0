//! `printf` of device code: C's conversions over the packed argument buffer that
//! nvcc makes. Every argument is 4 or 8 bytes, aligned to its size; floats are doubles.

/// One argument, by its conversion.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Argument {
    Int(u64),
    Float(f64),
    /// The address of a string.
    Text(u64),
}

/// A conversion: `%[flags][width][.precision][length]letter`.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Spec {
    left: bool,
    plus: bool,
    space: bool,
    alternate: bool,
    zero: bool,
    width: Option<usize>,
    width_star: bool,
    precision: Option<usize>,
    precision_star: bool,
    /// Bytes of an integer.
    length: u8,
    letter: u8,
}

/// A part of a format.
#[derive(Clone, Debug)]
pub(crate) enum Piece {
    Literal(Vec<u8>),
    Conversion(Spec),
}

pub(crate) fn pieces(format: &[u8]) -> Vec<Piece> {
    let mut pieces = Vec::new();
    let mut rest = format;
    while !rest.is_empty() {
        let literal = rest.iter().position(|&c| c == b'%').unwrap_or(rest.len());
        if literal > 0 {
            pieces.push(Piece::Literal(rest[..literal].to_vec()));
            rest = &rest[literal..];
            continue;
        }
        if rest.get(1) == Some(&b'%') {
            pieces.push(Piece::Literal(rest[..1].to_vec()));
            rest = &rest[2..];
            continue;
        }
        match spec(&rest[1..]) {
            Some((spec, used)) => {
                pieces.push(Piece::Conversion(spec));
                rest = &rest[1 + used..];
            }
            None => {
                pieces.push(Piece::Literal(rest[..1].to_vec()));
                rest = &rest[1..];
            }
        }
    }
    pieces
}

fn spec(text: &[u8]) -> Option<(Spec, usize)> {
    let mut s = Spec { length: 4, ..Spec::default() };
    let mut i = 0;
    loop {
        match text.get(i)? {
            b'-' => s.left = true,
            b'+' => s.plus = true,
            b' ' => s.space = true,
            b'#' => s.alternate = true,
            b'0' => s.zero = true,
            _ => break,
        }
        i += 1;
    }
    let number = |i: &mut usize| {
        let start = *i;
        let mut n = 0usize;
        while let Some(d) = text.get(*i).filter(|c| c.is_ascii_digit()) {
            n = (n * 10 + usize::from(d - b'0')).min(4096);
            *i += 1;
        }
        (*i > start).then_some(n)
    };
    if text.get(i) == Some(&b'*') {
        s.width_star = true;
        i += 1;
    } else {
        s.width = number(&mut i);
    }
    if text.get(i) == Some(&b'.') {
        i += 1;
        if text.get(i) == Some(&b'*') {
            s.precision_star = true;
            i += 1;
        } else {
            s.precision = Some(number(&mut i).unwrap_or(0));
        }
    }
    loop {
        match text.get(i)? {
            b'l' | b'j' | b'z' | b't' | b'q' => s.length = 8,
            b'h' if text.get(i + 1) == Some(&b'h') => {
                s.length = 1;
                i += 1;
            }
            b'h' => s.length = 2,
            b'L' => {}
            _ => break,
        }
        i += 1;
    }
    s.letter = *text.get(i)?;
    b"diouxXcsaAeEfFgGp".contains(&s.letter).then_some((s, i + 1))
}

/// Reads the arguments that a format needs, in order, `*`s included, in place of what `arguments` had. `read` gives four or
/// eight bytes from an offset in the buffer on.
#[inline(always)]
pub(crate) fn arguments(
    pieces: &[Piece],
    read: &mut impl FnMut(u64, u64) -> u64,
    arguments: &mut Vec<Argument>,
) {
    let mut offset = 0u64;
    let mut next = |bytes: u64| {
        let at = (offset + bytes - 1) & !(bytes - 1);
        offset = at + bytes;
        read(at, bytes)
    };
    arguments.clear();
    for piece in pieces {
        let Piece::Conversion(s) = piece else { continue };
        for _ in 0..u8::from(s.width_star) + u8::from(s.precision_star) {
            arguments.push(Argument::Int(next(4)));
        }
        arguments.push(match s.letter {
            b's' => Argument::Text(next(8)),
            b'p' => Argument::Int(next(8)),
            b'a' | b'A' | b'e' | b'E' | b'f' | b'F' | b'g' | b'G' => Argument::Float(f64::from_bits(next(8))),
            _ if s.length == 8 => Argument::Int(next(8)),
            _ => Argument::Int(next(4)),
        });
    }
}

/// Bytes of the buffer that a format's arguments take.
pub(crate) fn room(pieces: &[Piece]) -> u64 {
    let mut end = 0;
    let mut read = |at: u64, bytes: u64| {
        end = at + bytes;
        0
    };
    arguments(pieces, &mut read, &mut Vec::new());
    end
}

/// Adds the text to `out`, and tells how many arguments it has (the result of `vprintf`). `text` is the string at an
/// address.
pub(crate) fn format<'t>(
    out: &mut Vec<u8>,
    pieces: &[Piece],
    arguments: &[Argument],
    text: impl Fn(u64) -> &'t [u8],
) -> u32 {
    let mut args = arguments.iter();
    let mut count = 0;
    for piece in pieces {
        let s = match piece {
            Piece::Literal(text) => {
                out.extend_from_slice(text);
                continue;
            }
            Piece::Conversion(s) => s,
        };
        let mut starred;
        let mut star = || match args.next() {
            Some(Argument::Int(v)) => *v as u32 as i32,
            _ => 0,
        };
        let s = if s.width_star || s.precision_star {
            starred = s.clone();
            if s.width_star {
                let w = star();
                starred.left |= w < 0;
                starred.width = Some((w.unsigned_abs() as usize).min(4096));
            }
            if s.precision_star {
                let p = star();
                starred.precision = (p >= 0).then_some((p as usize).min(4096));
            }
            &starred
        } else {
            s
        };
        let Some(argument) = args.next() else { continue };
        count += 1;
        match *argument {
            Argument::Text(address) => {
                let text = text(address);
                let n = s.precision.unwrap_or(text.len()).min(text.len());
                pad(out, s, b"", &text[..n], false);
            }
            Argument::Float(v) => float(out, s, v),
            Argument::Int(v) => integer(out, s, v),
        }
    }
    count
}

/// Pads a sign or prefix and a body to the width.
#[inline]
fn pad(out: &mut Vec<u8>, s: &Spec, sign: &[u8], body: &[u8], zeros: bool) {
    if s.width.is_some() {
        return padded(out, s, sign, body, zeros);
    }
    if !sign.is_empty() {
        out.extend_from_slice(sign);
    }
    out.extend_from_slice(body);
}

fn padded(out: &mut Vec<u8>, s: &Spec, sign: &[u8], body: &[u8], zeros: bool) {
    let fill = s.width.unwrap_or(0).saturating_sub(sign.len() + body.len());
    let zeros = zeros && s.zero && !s.left;
    if !s.left && !zeros {
        out.extend(std::iter::repeat_n(b' ', fill));
    }
    out.extend_from_slice(sign);
    if zeros {
        out.extend(std::iter::repeat_n(b'0', fill));
    }
    out.extend_from_slice(body);
    if s.left {
        out.extend(std::iter::repeat_n(b' ', fill));
    }
}

fn sign_of(s: &Spec, negative: bool) -> &'static [u8] {
    match (negative, s.plus, s.space) {
        (true, ..) => b"-",
        (false, true, _) => b"+",
        (false, false, true) => b" ",
        _ => b"",
    }
}

fn integer(out: &mut Vec<u8>, s: &Spec, v: u64) {
    let bits = 8 * u32::from(s.length);
    let mask = if bits == 64 { u64::MAX } else { (1 << bits) - 1 };
    let signed = ((v << (64 - bits)) as i64) >> (64 - bits);
    let mut digits = Digits::default();
    match s.letter {
        b'd' | b'i' if s.precision.is_none() => {
            let sign = sign_of(s, signed < 0);
            return pad(out, s, sign, digits.of(signed.unsigned_abs()), true);
        }
        b'u' if s.precision.is_none() => return pad(out, s, b"", digits.of(v & mask), true),
        _ => {}
    }
    let (sign, digits): (&[u8], String) = match s.letter {
        b'c' => return pad(out, s, b"", &[v as u8], false),
        b'd' | b'i' => (sign_of(s, signed < 0), signed.unsigned_abs().to_string()),
        b'u' => (b"", (v & mask).to_string()),
        b'o' => (b"", format!("{}{:o}", if s.alternate && v & mask != 0 { "0" } else { "" }, v & mask)),
        b'x' => (if s.alternate && v & mask != 0 { b"0x" } else { b"" }, format!("{:x}", v & mask)),
        b'X' => (if s.alternate && v & mask != 0 { b"0X" } else { b"" }, format!("{:X}", v & mask)),
        _ => (b"0x", format!("{v:x}")),
    };
    let digits = match s.precision {
        Some(0) if digits == "0" => String::new(),
        Some(p) if p > digits.len() => format!("{}{digits}", "0".repeat(p - digits.len())),
        _ => digits,
    };
    pad(out, s, sign, digits.as_bytes(), s.precision.is_none());
}

fn float(out: &mut Vec<u8>, s: &Spec, v: f64) {
    let upper = s.letter.is_ascii_uppercase();
    let sign = sign_of(s, v.is_sign_negative());
    let a = v.abs();
    if !v.is_finite() {
        let body = if v.is_nan() { "nan" } else { "inf" };
        let body = if upper { body.to_uppercase() } else { body.to_owned() };
        return pad(out, s, sign, body.as_bytes(), false);
    }
    let precision = s.precision.unwrap_or(6);
    if s.letter.eq_ignore_ascii_case(&b'f')
        && let Some((whole, fraction)) = rounded(a, precision)
        && precision > 0
    {
        let (mut first, mut second) = (Digits::default(), Digits::default());
        let (whole, fraction) = (first.of(whole), second.of(fraction));
        let mut body = [b'0'; 48];
        let n = whole.len() + 1 + precision;
        body[..whole.len()].copy_from_slice(whole);
        body[whole.len()] = b'.';
        body[n - fraction.len()..n].copy_from_slice(fraction);
        return pad(out, s, sign, &body[..n], true);
    }
    let body = match s.letter.to_ascii_lowercase() {
        b'f' => fixed(a, precision, s.alternate),
        b'e' => exponent(a, precision, s.alternate),
        b'a' => hexadecimal(a, s.precision, s.alternate),
        _ => general(a, precision.max(1), s.alternate),
    };
    let body = if upper { body.to_uppercase() } else { body };
    pad(out, s, sign, body.as_bytes(), true);
}

/// The decimal digits of a number.
#[derive(Default)]
struct Digits([u8; 20]);

impl Digits {
    fn of(&mut self, mut v: u64) -> &[u8] {
        let mut at = self.0.len();
        loop {
            at -= 1;
            self.0[at] = b'0' + (v % 10) as u8;
            v /= 10;
            if v == 0 {
                return &self.0[at..];
            }
        }
    }
}

/// A number that is not negative, rounded to so many decimals, half to even as the C library does: what is before the
/// point, and what is behind it as an integer. `None` if that does not fit.
fn rounded(a: f64, precision: usize) -> Option<(u64, u64)> {
    let power = 10u64.checked_pow(u32::try_from(precision).ok()?)?;
    let bits = a.to_bits();
    let field = (bits >> 52) as i32 & 0x7ff;
    let fraction = bits & ((1 << 52) - 1);
    let (significand, exponent) =
        if field == 0 { (fraction, -1074) } else { (fraction | 1 << 52, field - 1075) };
    if exponent >= 0 {
        return (exponent <= 11).then(|| (significand << exponent, 0));
    }
    let down = exponent.unsigned_abs();
    // Below 2^-74, and so far below a half of the last digit: there are at most nineteen.
    if down > 126 {
        return Some((0, 0));
    }
    let whole = if down < 64 { significand >> down } else { 0 };
    let rest = u128::from(significand) - (u128::from(whole) << down.min(64));
    // Less than 2^53 times 10^19.
    let scaled = rest * u128::from(power);
    let (digits, left, half) = ((scaled >> down) as u64, scaled & ((1 << down) - 1), 1u128 << (down - 1));
    let up = left > half || left == half && (if power == 1 { whole } else { digits }) & 1 == 1;
    let digits = digits + u64::from(up);
    Some(if digits == power { (whole + 1, 0) } else { (whole, digits) })
}

fn fixed(a: f64, precision: usize, point: bool) -> String {
    let mut text = format!("{a:.precision$}");
    if point && precision == 0 {
        text.push('.');
    }
    text
}

fn exponent(a: f64, precision: usize, point: bool) -> String {
    // Rust writes `1.5e-7`, C at least two digits and a sign.
    let text = format!("{a:.precision$e}");
    let (mantissa, e) = text.split_once('e').unwrap_or((&text, "0"));
    let (sign, digits) = match e.strip_prefix('-') {
        Some(digits) => ('-', digits),
        None => ('+', e),
    };
    let dot = if point && precision == 0 { "." } else { "" };
    format!("{mantissa}{dot}e{sign}{digits:0>2}")
}

fn general(a: f64, precision: usize, keep: bool) -> String {
    let scientific = format!("{a:.*e}", precision - 1);
    let e: i32 = scientific.split_once('e').and_then(|(_, e)| e.parse().ok()).unwrap_or(0);
    let strip = |text: String| {
        if keep || !text.contains('.') {
            return text;
        }
        text.trim_end_matches('0').trim_end_matches('.').to_owned()
    };
    if e < -4 || e >= precision as i32 {
        let text = exponent(a, precision - 1, keep);
        let (mantissa, e) = text.split_once('e').unwrap_or((&text, "+00"));
        format!("{}e{e}", strip(mantissa.to_owned()))
    } else {
        strip(fixed(a, (precision as i32 - 1 - e).max(0) as usize, keep))
    }
}

fn hexadecimal(a: f64, precision: Option<usize>, point: bool) -> String {
    let bits = a.to_bits();
    let (mut e, mut fraction) = ((bits >> 52) as i32 & 0x7ff, bits & ((1 << 52) - 1));
    let mut lead = 1u64;
    if e == 0 {
        lead = 0;
        e = if fraction == 0 { 0 } else { -1022 };
    } else {
        e -= 1023;
    }
    if let Some(p) = precision
        && p < 13
    {
        // Round to nearest even.
        let drop = 4 * (13 - p) as u32;
        let whole = lead << 52 | fraction;
        let half = 1u64 << (drop - 1);
        let rounded = (whole + half - 1 + (whole >> drop & 1)) >> drop << drop;
        lead = rounded >> 52;
        fraction = rounded & ((1 << 52) - 1);
    }
    let mut digits = format!("{fraction:013x}");
    match precision {
        Some(p) if p <= 13 => digits.truncate(p),
        Some(p) => digits.push_str(&"0".repeat(p - 13)),
        None => digits.truncate(digits.trim_end_matches('0').len()),
    }
    let dot = if digits.is_empty() && !point { "" } else { "." };
    format!("0x{lead}{dot}{digits}p{e:+}")
}

#[cfg(test)]
mod tests;
