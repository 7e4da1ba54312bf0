//! `printf` of device code: C's conversions over the packed argument buffer that nvcc generates. Every
//! argument is 4 or 8 bytes, aligned to its size; floats are doubles.

mod before;
mod numbers;
mod printer;
mod text;

use crate::program::window;
use before::Before;
pub(crate) use printer::Printer;
use text::Text;

/// A parsed format string.
#[derive(Clone, Debug, Default)]
pub(crate) struct Format {
    pieces: Vec<Piece>,
    /// The literal text of all pieces, followed by padding for copies of fixed size.
    literals: Vec<u8>,
    /// The bytes of the buffer that the arguments occupy.
    pub(crate) room: usize,
    /// The offsets of string addresses in the buffer.
    pub(crate) texts: Vec<usize>,
}

#[derive(Clone, Debug)]
enum Piece {
    /// A range of the literal text: offset and length.
    Literal {
        at: usize,
        bytes: usize,
    },
    Conversion(Spec),
}

/// A conversion: `%[flags][width][.precision][length]letter`.
#[derive(Clone, Debug, Default, PartialEq)]
struct Spec {
    left: bool,
    plus: bool,
    space: bool,
    alternate: bool,
    zero: bool,
    width: usize,
    precision: Option<usize>,
    /// The offsets of the width and the precision in the buffer, if they are `*`.
    width_at: Option<usize>,
    precision_at: Option<usize>,
    /// Bytes of an integer.
    length: u8,
    letter: u8,
    /// The argument's offset in the buffer, and its size there.
    at: usize,
    bytes: usize,
    /// Whether the conversion has no flags, width or precision.
    plain: bool,
}

impl Spec {
    /// Returns whether the argument alone determines the text. A string in a thread's local memory has the
    /// same address in every thread, so its address does not.
    #[inline(always)]
    fn tells_all(&self, argument: u64) -> bool {
        let own = self.letter == b's' && argument >> window::SHIFT != 0;
        self.width_at.is_none() && self.precision_at.is_none() && !own
    }

    /// Returns the conversion with the width and the precision from the arguments.
    fn starred(&self, arguments: &[u8]) -> Spec {
        let mut s = self.clone();
        let star = |at: usize| read(arguments, at, 4) as u32 as i32;
        if let Some(w) = self.width_at.map(star) {
            s.left |= w < 0;
            s.width = (w.unsigned_abs() as usize).min(4096);
        }
        if let Some(p) = self.precision_at.map(star) {
            s.precision = (p >= 0).then_some((p as usize).min(4096));
        }
        s
    }
}

impl Format {
    pub(crate) fn of(text: &[u8]) -> Format {
        let mut format = Format::default();
        let mut rest = text;
        while !rest.is_empty() {
            let literal = rest.iter().position(|&c| c == b'%').unwrap_or(rest.len());
            if literal > 0 {
                format.literal(&rest[..literal]);
                rest = &rest[literal..];
                continue;
            }
            if rest.get(1) == Some(&b'%') {
                format.literal(b"%");
                rest = &rest[2..];
                continue;
            }
            match spec(&rest[1..]) {
                Some((spec, used)) => {
                    format.conversion(spec);
                    rest = &rest[1 + used..];
                }
                None => {
                    format.literal(b"%");
                    rest = &rest[1..];
                }
            }
        }
        format.literals.extend([0; text::AT_ONCE]);
        format
    }

    fn literal(&mut self, text: &[u8]) {
        self.pieces.push(Piece::Literal { at: self.literals.len(), bytes: text.len() });
        self.literals.extend(text);
    }

    /// Assigns the arguments of a conversion, including each `*`, their offsets in the buffer.
    fn conversion(&mut self, mut spec: Spec) {
        let mut place = |bytes: usize| {
            let at = self.room.next_multiple_of(bytes);
            self.room = at + bytes;
            at
        };
        spec.bytes = match spec.letter {
            b's' | b'p' | b'a' | b'A' | b'e' | b'E' | b'f' | b'F' | b'g' | b'G' => 8,
            _ if spec.length == 8 => 8,
            _ => 4,
        };
        spec.plain =
            spec == Spec { length: spec.length, letter: spec.letter, bytes: spec.bytes, ..Spec::default() };
        for star in [&mut spec.width_at, &mut spec.precision_at].into_iter().flatten() {
            *star = place(4);
        }
        spec.at = place(spec.bytes);
        if spec.letter == b's' {
            self.texts.push(spec.at);
        }
        self.pieces.push(Piece::Conversion(spec));
    }

    /// Appends the text for these arguments to `out`, and returns the number of arguments (the result of
    /// `vprintf`). `text` returns the string at an address; `before` caches the previous lane's text.
    pub(crate) fn print<'t>(
        &self,
        out: &mut Text,
        before: &mut Before,
        arguments: &[u8],
        text: impl Fn(u64) -> &'t [u8],
    ) -> u32 {
        let (mut count, mut lane) = (0, before.lane(self.pieces.len(), out));
        for (i, piece) in self.pieces.iter().enumerate() {
            let s = match piece {
                Piece::Literal { .. } if lane.repeats(i, 0) => continue,
                &Piece::Literal { at, bytes } => {
                    lane.catch_up(out);
                    match self.literals[at..].first_chunk::<{ text::AT_ONCE }>() {
                        Some(chunk) if bytes <= chunk.len() => out.put_short(chunk, bytes),
                        _ => out.put(&self.literals[at..][..bytes]),
                    }
                    lane.printed(i, 0, out);
                    continue;
                }
                Piece::Conversion(s) => s,
            };
            count += 1;
            let argument = read(arguments, s.at, s.bytes);
            if s.tells_all(argument) && lane.repeats(i, argument) {
                continue;
            }
            lane.catch_up(out);
            match s.letter {
                b'd' if s.plain && s.length == 4 => numbers::word(out, argument as u32 as i32),
                b'f' if s.plain && numbers::fixed_point(out, f64::from_bits(argument)) => {}
                _ => self.other(out, s, argument, arguments, &text),
            }
            lane.printed(i, argument, out);
        }
        lane.catch_up(out);
        count
    }

    fn other<'t>(
        &self,
        out: &mut Text,
        s: &Spec,
        argument: u64,
        arguments: &[u8],
        text: &impl Fn(u64) -> &'t [u8],
    ) {
        let starred;
        let s = if s.width_at.is_some() || s.precision_at.is_some() {
            starred = s.starred(arguments);
            &starred
        } else {
            s
        };
        match s.letter {
            b's' => {
                let text = text(argument);
                let n = s.precision.unwrap_or(text.len()).min(text.len());
                out.pad(s, b"", &text[..n], false);
            }
            b'a' | b'A' | b'e' | b'E' | b'f' | b'F' | b'g' | b'G' => {
                numbers::float(out, s, f64::from_bits(argument));
            }
            _ => numbers::integer(out, s, argument),
        }
    }
}

/// Reads four or eight bytes of the arguments.
#[inline(always)]
pub(crate) fn read(arguments: &[u8], at: usize, bytes: usize) -> u64 {
    let Some(rest) = arguments.get(at..) else { return 0 };
    match bytes {
        4 => rest.first_chunk().map_or(0, |b| u32::from_le_bytes(*b).into()),
        _ => rest.first_chunk().map_or(0, |b| u64::from_le_bytes(*b)),
    }
}

/// Parses a conversion after its `%`; returns it with its length. The offsets of its arguments are assigned
/// later.
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
        s.width_at = Some(0);
        i += 1;
    } else {
        s.width = number(&mut i).unwrap_or(0);
    }
    if text.get(i) == Some(&b'.') {
        i += 1;
        if text.get(i) == Some(&b'*') {
            s.precision_at = Some(0);
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

#[cfg(test)]
mod tests;
