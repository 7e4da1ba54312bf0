//! PTX tokens (PTX §4).
//!
//! The lexer is lazy, has no state but a position, and never fails: a byte it does not know becomes a
//! [`TokenKind::Unknown`] token, which the parser reports. Every token ends on a character boundary, so
//! slicing is safe.

use crate::ast::Span;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TokenKind {
    /// `%r1`, `_Z3addPf`, `$L__BB0_2`, `_`.
    Ident,
    /// `.global`, `.shared::cta`, `.16x64b`: a dot and its word.
    Dot,
    /// Any numeric literal, undecoded; see [`crate::number`].
    Number,
    /// `"…"` including its quotes.
    Str,
    /// Any other single ASCII character.
    Punct(u8),
    /// `<<`.
    ShiftLeft,
    /// `>>`.
    ShiftRight,
    /// An unterminated comment or string, or a stray character.
    Unknown,
    Eof,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Token {
    pub(crate) kind: TokenKind,
    pub(crate) start: u32,
    pub(crate) end: u32,
}

impl Token {
    pub(crate) fn span(self) -> Span {
        Span { start: self.start, end: self.end }
    }
}

#[derive(Clone, Debug)]
pub(crate) struct Lexer<'a> {
    bytes: &'a [u8],
    pos: usize,
}

const IDENT: u8 = 1;
const SPACE: u8 = 2;

/// The class of each byte. Bytes from 0x80 count as identifier characters, so that a token never ends inside
/// a UTF-8 sequence.
static CLASS: [u8; 256] = {
    let mut table = [0; 256];
    let mut i = 0;
    while i < 256 {
        let c = i as u8;
        if c.is_ascii_alphanumeric() || c == b'_' || c == b'$' || c >= 0x80 {
            table[i] = IDENT;
        } else if c.is_ascii_whitespace() || c == 0x0b || c == 0 {
            // Drivers pass PTX as C strings, so a final NUL is no error.
            table[i] = SPACE;
        }
        i += 1;
    }
    table
};

fn is_ident(c: u8) -> bool {
    CLASS[c as usize] == IDENT
}

impl<'a> Lexer<'a> {
    /// Creates a lexer. The caller rejects texts of 4 GiB and more, which do not fit a [`Span`].
    pub(crate) fn new(text: &'a str) -> Self {
        Lexer { bytes: text.as_bytes(), pos: 0 }
    }

    fn at(&self, i: usize) -> u8 {
        self.bytes.get(i).copied().unwrap_or(0)
    }

    fn ident_end(&self, mut i: usize) -> usize {
        while i < self.bytes.len() && is_ident(self.bytes[i]) {
            i += 1;
        }
        i
    }

    fn line_end(&self, i: usize) -> usize {
        self.bytes[i..].iter().position(|&c| c == b'\n').map_or(self.bytes.len(), |n| i + n)
    }

    /// Skips blanks, comments and preprocessor lines. Returns the start of an unterminated comment as `Err`.
    fn skip_trivia(&mut self) -> Result<(), usize> {
        loop {
            let i = self.pos;
            let Some(&c) = self.bytes.get(i) else {
                return Ok(());
            };
            if CLASS[c as usize] == SPACE {
                self.pos += 1;
            } else if c == b'/' && self.at(i + 1) == b'/' {
                self.pos = self.line_end(i);
            } else if c == b'/' && self.at(i + 1) == b'*' {
                match self.bytes[i + 2..].windows(2).position(|w| w == b"*/") {
                    Some(n) => self.pos = i + 2 + n + 2,
                    None => {
                        self.pos = self.bytes.len();
                        return Err(i);
                    }
                }
            } else if c == b'#' || self.bytes[i..].starts_with(b"@@DWARF") {
                // `# 1 "file.ptx"` of a C preprocessor, and debug lines of PTX before 2.0.
                self.pos = self.line_end(i);
            } else {
                return Ok(());
            }
        }
    }

    fn number_end(&self, start: usize) -> usize {
        let hex = self.at(start) == b'0' && matches!(self.at(start + 1), b'x' | b'X');
        let bits = self.at(start) == b'0' && matches!(self.at(start + 1), b'f' | b'F' | b'd' | b'D');
        let mut i = start;
        while let Some(&c) = self.bytes.get(i) {
            let exponent_sign = !hex
                && !bits
                && (c == b'+' || c == b'-')
                && matches!(self.at(i - 1), b'e' | b'E')
                && self.at(i + 1).is_ascii_digit();
            if is_ident(c) || (c == b'.' && !hex && !bits) || (i > start && exponent_sign) {
                i += 1;
            } else {
                break;
            }
        }
        i
    }

    pub(crate) fn next(&mut self) -> Token {
        let unterminated = self.skip_trivia().err();
        let start = self.pos;
        let (kind, end) = match unterminated {
            Some(comment) => {
                return Token { kind: TokenKind::Unknown, start: comment as u32, end: self.pos as u32 };
            }
            None => self.scan(start),
        };
        self.pos = end;
        Token { kind, start: start as u32, end: end as u32 }
    }

    fn scan(&self, start: usize) -> (TokenKind, usize) {
        let Some(&c) = self.bytes.get(start) else {
            return (TokenKind::Eof, start);
        };
        match c {
            b'0'..=b'9' => (TokenKind::Number, self.number_end(start)),
            _ if is_ident(c) => (TokenKind::Ident, self.ident_end(start)),
            b'%' if is_ident(self.at(start + 1)) => (TokenKind::Ident, self.ident_end(start + 1)),
            b'.' => self.dot(start),
            b'"' => self.string(start),
            b'<' if self.at(start + 1) == b'<' => (TokenKind::ShiftLeft, start + 2),
            b'>' if self.at(start + 1) == b'>' => (TokenKind::ShiftRight, start + 2),
            _ if c.is_ascii_punctuation() => (TokenKind::Punct(c), start + 1),
            _ => (TokenKind::Unknown, start + 1),
        }
    }

    /// Scans a string. The only escape is `\"`, which path names contain; a string ends with its line.
    fn string(&self, start: usize) -> (TokenKind, usize) {
        let mut i = start + 1;
        loop {
            match self.bytes.get(i) {
                None | Some(b'\n') => return (TokenKind::Unknown, i),
                Some(b'\\') if self.at(i + 1) == b'"' => i += 2,
                Some(b'"') => return (TokenKind::Str, i + 1),
                Some(_) => i += 1,
            }
        }
    }

    fn dot(&self, start: usize) -> (TokenKind, usize) {
        // `.5` is a float unless a word precedes the dot; `.1d` after one is a modifier.
        let glued = start > 0 && is_ident(self.bytes[start - 1]);
        if !glued && self.at(start + 1).is_ascii_digit() {
            return (TokenKind::Number, self.number_end(start));
        }
        let mut end = self.ident_end(start + 1);
        if end == start + 1 {
            return (TokenKind::Punct(b'.'), end);
        }
        while self.at(end) == b':' && self.at(end + 1) == b':' && is_ident(self.at(end + 2)) {
            end = self.ident_end(end + 2);
        }
        (TokenKind::Dot, end)
    }
}
