//! Operands (PTX §6).

use super::constant::Constant;
use super::{Parsed, Parser};
use crate::ast::{AddressBase, Name, Operand, Span};
use crate::lexer::{Token, TokenKind};
use crate::sreg::SpecialReg;

/// The context of an operand.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    /// An operand of `call`: parentheses are argument lists, not constant expressions.
    Call,
    /// An operand of `mov`: an array element denotes its address, not a memory operand.
    Mov,
    Other,
}

impl Parser<'_> {
    /// Parses all operands up to the `;`, which is not consumed.
    pub(super) fn operands(&mut self, opcode: &str) -> Parsed<Vec<Operand>> {
        let mut operands = Vec::new();
        if self.is(b';') {
            return Ok(operands);
        }
        let place = match opcode {
            "call" => Place::Call,
            "mov" => Place::Mov,
            _ => Place::Other,
        };
        loop {
            operands.push(self.operand(place)?);
            if !self.eat(b',') {
                return Ok(operands);
            }
        }
    }

    fn operand(&mut self, place: Place) -> Parsed<Operand> {
        let start = self.current.start;
        match self.current.kind {
            TokenKind::Ident if !self.is_warp_size() => {
                let first = self.named()?;
                if self.is(b'[')
                    && let Operand::Name(name) = first
                {
                    return self.element(name, place == Place::Mov);
                }
                if self.eat(b'|') {
                    let second = self.named()?;
                    return Ok(Operand::Pair(Box::new(first), Box::new(second)));
                }
                Ok(first)
            }
            TokenKind::Punct(b'[') => self.nested(Self::address),
            TokenKind::Punct(b'{') => {
                let items = self.nested(|p| p.sequence(b'}'))?;
                let vector = Operand::Vector(items, self.since(start));
                if self.eat(b'|') {
                    // `{%f1, %f2, %f3, %f4}|%p1` of a texture fetch.
                    let second = self.named()?;
                    return Ok(Operand::Pair(Box::new(vector), Box::new(second)));
                }
                Ok(vector)
            }
            TokenKind::Punct(b'(') if place == Place::Call => {
                let items = self.nested(|p| p.sequence(b')'))?;
                Ok(Operand::List(items, self.since(start)))
            }
            TokenKind::Punct(b'!') if self.name_follows() => {
                self.advance();
                let name = self.register()?;
                Ok(Operand::NotName(name))
            }
            TokenKind::Punct(b'-') if self.name_follows() => {
                self.advance();
                let name = self.register()?;
                let suffixed = self.current.kind == TokenKind::Dot && self.current.start == name.span.end;
                let selector = match self.dot() {
                    Some(selector) if suffixed && is_selector(selector) => Some(selector.into()),
                    _ if suffixed => return Err(self.expected("bytes or halves")),
                    _ => None,
                };
                if selector.is_some() {
                    self.advance();
                }
                Ok(Operand::Negated(name, selector))
            }
            _ => Ok(match self.constant_or_float()? {
                Constant::Int(value) => Operand::Int(value, self.since(start)),
                Constant::F32(bits) => Operand::F32(bits, self.since(start)),
                Constant::F64(bits) => Operand::F64(bits, self.since(start)),
            }),
        }
    }

    /// Returns whether the next token is a name other than the constant `WARP_SZ`.
    fn name_follows(&self) -> bool {
        let next = self.peek();
        next.kind == TokenKind::Ident && self.slice(next) != "WARP_SZ"
    }

    /// Parses operands between an opening bracket (the current token) and `close`.
    fn sequence(&mut self, close: u8) -> Parsed<Vec<Operand>> {
        self.advance();
        let mut items = Vec::new();
        while !self.eat(close) {
            items.push(self.operand(Place::Other)?);
            if !self.is(close) {
                self.expect(b',')?;
            }
        }
        Ok(items)
    }

    /// Parses an identifier with the dot suffix of special registers: `%tid.x`.
    fn register(&mut self) -> Parsed<Name> {
        let token = self.current;
        let mut name = self.name("a register")?;
        if let Some(end) = self.special_suffix(token) {
            name.text = self.text[token.start as usize..end as usize].into();
            name.span.end = end;
            self.advance();
        }
        Ok(name)
    }

    /// Returns the end of `%tid.x` if `token` is its `%tid` and the current token is the suffix.
    fn special_suffix(&self, token: Token) -> Option<u32> {
        let suffixed = self.current.kind == TokenKind::Dot && self.current.start == token.end;
        let whole = &self.text[token.start as usize..self.current.end as usize];
        (suffixed && SpecialReg::from_name(whole).is_some()).then_some(self.current.end)
    }

    fn named(&mut self) -> Parsed<Operand> {
        let token = self.current;
        let text = self.slice(token);
        if text == "_" {
            self.advance();
            return Ok(Operand::Sink);
        }
        let name = self.register()?;
        if self.current.kind == TokenKind::Dot && self.current.start == name.span.end {
            let element = match self.dot() {
                Some("x" | "r") => 0,
                Some("y" | "g") => 1,
                Some("z" | "b") => 2,
                Some("w" | "a") => 3,
                Some(selector) if is_selector(selector) => {
                    self.advance();
                    return Ok(Operand::Selected(name, selector.into()));
                }
                _ => return Err(self.expected("a vector element")),
            };
            self.advance();
            return Ok(Operand::Element(name, element));
        }
        if self.is(b'+') || self.is(b'-') {
            let offset = self.offset()?;
            return Ok(Operand::NameOffset(name, offset));
        }
        Ok(Operand::Name(name))
    }

    /// Parses `[base+offset]`, `[tensor, {x, y}]` or `[12]`.
    fn address(&mut self) -> Parsed<Operand> {
        let start = self.advance().start;
        let (base, mut offset) = match self.current.kind {
            TokenKind::Ident if !self.is_warp_size() => {
                let name = self.register()?;
                (AddressBase::Name(name), 0)
            }
            _ => {
                let span = self.current.span();
                let value = self.constant()?;
                (AddressBase::Absolute, self.address_constant(value, span)?)
            }
        };
        offset = offset.wrapping_add(self.offset()?);
        let mut rest = Vec::new();
        while self.eat(b',') {
            rest.push(self.operand(Place::Other)?);
        }
        self.expect(b']')?;
        Ok(Operand::Address { base, offset, rest, span: self.since(start) })
    }

    fn address_constant(&mut self, value: i128, span: Span) -> Parsed<i64> {
        if value >= i128::from(i64::MIN) && value <= i128::from(u64::MAX) {
            Ok(value as i64)
        } else {
            Err(self.error_at(span, "address does not fit 64 bits"))
        }
    }
}

/// Returns whether a word is a selector of video instructions: `b0`, `h1`, `b3210`, `h32`.
fn is_selector(word: &str) -> bool {
    let digits = word.strip_prefix(['b', 'h']).unwrap_or("");
    matches!(digits.len(), 1..=4) && digits.bytes().all(|c| c.is_ascii_digit())
}
