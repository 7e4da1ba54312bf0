//! Formats integers and floating-point numbers like C's `printf`.

use super::text::AT_ONCE;
use super::{Spec, Text};

fn sign_of(s: &Spec, negative: bool) -> &'static [u8] {
    match (negative, s.plus, s.space) {
        (true, ..) => b"-",
        (false, true, _) => b"+",
        (false, false, true) => b" ",
        _ => b"",
    }
}

/// Formats `%d` of four bytes.
#[inline(always)]
pub(super) fn word(out: &mut Text, v: i32) {
    let mut digits = Digits::of(v.unsigned_abs().into());
    if v < 0 {
        digits.byte(b'-');
    }
    digits.put_bare(out);
}

/// Formats `%f`; returns false if the number is too long.
#[inline]
pub(super) fn fixed_point(out: &mut Text, v: f64) -> bool {
    const DECIMALS: usize = 6;
    // Twelve digits, the point, six decimals and the sign are the most that fits.
    let Some((whole @ ..1_000_000_000_000, mut fraction)) = rounded(v.abs(), DECIMALS) else { return false };
    let mut digits = Digits::none();
    for _ in 0..DECIMALS {
        digits.byte(b'0' + (fraction % 10) as u8);
        fraction /= 10;
    }
    digits.byte(b'.');
    digits.before(whole);
    if v.is_sign_negative() {
        digits.byte(b'-');
    }
    digits.put_bare(out);
    true
}

pub(super) fn integer(out: &mut Text, s: &Spec, v: u64) {
    let bits = 8 * u32::from(s.length);
    let mask = if bits == 64 { u64::MAX } else { (1 << bits) - 1 };
    let signed = ((v << (64 - bits)) as i64) >> (64 - bits);
    match s.letter {
        b'd' | b'i' if s.precision.is_none() => {
            let (sign, digits) = (sign_of(s, signed < 0), Digits::of(signed.unsigned_abs()));
            return digits.put(out, s, sign);
        }
        b'u' if s.precision.is_none() => return Digits::of(v & mask).put(out, s, b""),
        _ => {}
    }
    let (sign, digits): (&[u8], String) = match s.letter {
        b'c' => return out.pad(s, b"", &[v as u8], false),
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
    out.pad(s, sign, digits.as_bytes(), s.precision.is_none());
}

pub(super) fn float(out: &mut Text, s: &Spec, v: f64) {
    let upper = s.letter.is_ascii_uppercase();
    let sign = sign_of(s, v.is_sign_negative());
    let a = v.abs();
    if !v.is_finite() {
        let body = if v.is_nan() { "nan" } else { "inf" };
        let body = if upper { body.to_uppercase() } else { body.to_owned() };
        return out.pad(s, sign, body.as_bytes(), false);
    }
    let precision = s.precision.unwrap_or(6);
    if s.letter.eq_ignore_ascii_case(&b'f')
        && let Some((whole, fraction)) = rounded(a, precision)
        && precision > 0
    {
        let (whole, fraction) = (Digits::of(whole), Digits::of(fraction).at_least(precision));
        if s.width == 0 {
            whole.put(out, s, sign);
            return fraction.put(out, s, b".");
        }
        let mut body = [0; 48];
        let (whole, fraction) = (whole.bytes(), fraction.bytes());
        let n = whole.len() + 1 + fraction.len();
        body[..whole.len()].copy_from_slice(whole);
        body[whole.len()] = b'.';
        body[whole.len() + 1..n].copy_from_slice(fraction);
        return out.pad(s, sign, &body[..n], true);
    }
    let body = match s.letter.to_ascii_lowercase() {
        b'f' => fixed(a, precision, s.alternate),
        b'e' => exponent(a, precision, s.alternate),
        b'a' => hexadecimal(a, s.precision, s.alternate),
        _ => general(a, precision.max(1), s.alternate),
    };
    let body = if upper { body.to_uppercase() } else { body };
    out.pad(s, sign, body.as_bytes(), true);
}

/// The decimal digits of a number, built from the last digit.
struct Digits {
    /// Leading zeros, the digits up to [`Digits::END`], and padding for a copy of fixed size from any digit.
    text: [u8; Digits::END + AT_ONCE],
    at: usize,
}

impl Digits {
    /// The number of digits of the largest `u64`.
    const END: usize = 20;

    #[inline(always)]
    fn of(v: u64) -> Digits {
        let mut digits = Digits::none();
        digits.before(v);
        digits
    }

    #[inline(always)]
    fn none() -> Digits {
        Digits { text: [b'0'; _], at: Digits::END }
    }

    /// Prepends the digits of a number.
    #[inline(always)]
    fn before(&mut self, mut v: u64) {
        while v > u64::from(u32::MAX) {
            self.byte(b'0' + (v % 10) as u8);
            v /= 10;
        }
        // Divisions of 32 bits take half as long.
        let mut low = v as u32;
        loop {
            self.byte(b'0' + (low % 10) as u8);
            low /= 10;
            if low == 0 {
                return;
            }
        }
    }

    #[inline(always)]
    fn byte(&mut self, byte: u8) {
        self.at -= 1;
        self.text[self.at] = byte;
    }

    /// Extends the number with leading zeros to at least `count` digits.
    fn at_least(mut self, count: usize) -> Digits {
        self.at = self.at.min(Digits::END.saturating_sub(count));
        self
    }

    fn bytes(&self) -> &[u8] {
        &self.text[self.at..Digits::END]
    }

    /// Appends a sign and the digits, padded to the width.
    #[inline(always)]
    fn put(&self, out: &mut Text, s: &Spec, sign: &[u8]) {
        if s.width != 0 {
            return out.pad(s, sign, self.bytes(), true);
        }
        if !sign.is_empty() {
            out.put(sign);
        }
        self.put_bare(out);
    }

    #[inline(always)]
    fn put_bare(&self, out: &mut Text) {
        match self.text[self.at..].first_chunk::<AT_ONCE>() {
            Some(chunk) if self.at >= Digits::END - AT_ONCE => out.put_short(chunk, Digits::END - self.at),
            _ => out.put(self.bytes()),
        }
    }
}

/// Powers of ten.
const POWERS: [u64; 20] = {
    let mut powers = [1; 20];
    let mut i = 1;
    while i < powers.len() {
        powers[i] = 10 * powers[i - 1];
        i += 1;
    }
    powers
};

/// Rounds a non-negative number to `precision` decimals, half to even like the C library; returns the
/// integral part, and the decimals as an integer. Returns `None` if the result does not fit.
#[inline(always)]
fn rounded(a: f64, precision: usize) -> Option<(u64, u64)> {
    let power = *POWERS.get(precision)?;
    let bits = a.to_bits();
    let field = (bits >> 52) as i32 & 0x7ff;
    let fraction = bits & ((1 << 52) - 1);
    let (significand, exponent) =
        if field == 0 { (fraction, -1074) } else { (fraction | 1 << 52, field - 1075) };
    if exponent >= 0 {
        return (exponent <= 11).then(|| (significand << exponent, 0));
    }
    let down = exponent.unsigned_abs();
    // Below 2^-74, which is far less than half of the last of at most nineteen decimals.
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
    // Rust formats the exponent as `1.5e-7`; C requires a sign and at least two digits.
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
        // Rounds to nearest even.
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
