//! Constant expressions (PTX §4.5.4 to §4.5.6), folded while parsing.

use super::{Parsed, Parser};
use crate::lexer::TokenKind;
use crate::number::Number;

/// The binding strength of `+` and `-`.
pub(super) const SUM_STRENGTH: u8 = 9;

/// A folded constant.
pub(super) enum Constant {
    Int(i128),
    F32(u32),
    F64(u64),
}

impl Parser<'_> {
    /// Returns whether the current token is `WARP_SZ`, the only name that denotes a number.
    pub(super) fn is_warp_size(&self) -> bool {
        self.slice(self.current) == "WARP_SZ"
    }

    /// Parses an integer constant expression.
    pub(super) fn constant(&mut self) -> Parsed<i128> {
        let span = self.current.span();
        match self.constant_or_float()? {
            Constant::Int(value) => Ok(value),
            _ => Err(self.error_at(span, "expected an integer constant")),
        }
    }

    /// Parses a signed floating-point literal or an integer constant expression.
    pub(super) fn constant_or_float(&mut self) -> Parsed<Constant> {
        let negative = self.is(b'-');
        let is_float = |kind, text: &str| {
            kind == TokenKind::Number
                && matches!(crate::number::parse_number(text), Ok(Number::F32(_) | Number::F64(_)))
        };
        let literal = if negative || self.is(b'+') { self.peek() } else { self.current };
        if is_float(literal.kind, self.slice(literal)) {
            if literal != self.current {
                self.advance();
            }
            return Ok(match self.number()? {
                Number::F32(bits) => Constant::F32(bits ^ (u32::from(negative) << 31)),
                Number::F64(bits) => Constant::F64(bits ^ (u64::from(negative) << 63)),
                Number::Int(value) => Constant::Int(i128::from(value)),
            });
        }
        self.conditional().map(Constant::Int)
    }

    fn conditional(&mut self) -> Parsed<i128> {
        let condition = self.binary(0)?;
        if !self.eat(b'?') {
            return Ok(condition);
        }
        let yes = self.nested(Self::conditional)?;
        self.expect(b':')?;
        let no = self.nested(Self::conditional)?;
        Ok(if condition != 0 { yes } else { no })
    }

    /// Returns the operator at the current token: its binding strength, spelling and token count.
    fn operator(&self) -> Option<(u8, &'static str, u8)> {
        let TokenKind::Punct(c) = self.current.kind else {
            return match self.current.kind {
                TokenKind::ShiftLeft => Some((8, "<<", 1)),
                TokenKind::ShiftRight => Some((8, ">>", 1)),
                _ => None,
            };
        };
        let next = self.text.as_bytes().get(self.current.end as usize).copied().unwrap_or(0);
        Some(match (c, next) {
            (b'|', b'|') => (1, "||", 2),
            (b'&', b'&') => (2, "&&", 2),
            (b'|', _) => (3, "|", 1),
            (b'^', _) => (4, "^", 1),
            (b'&', _) => (5, "&", 1),
            (b'=', b'=') => (6, "==", 2),
            (b'!', b'=') => (6, "!=", 2),
            (b'<', b'=') => (7, "<=", 2),
            (b'>', b'=') => (7, ">=", 2),
            (b'<', _) => (7, "<", 1),
            (b'>', _) => (7, ">", 1),
            (b'+', _) => (SUM_STRENGTH, "+", 1),
            (b'-', _) => (SUM_STRENGTH, "-", 1),
            (b'*', _) => (10, "*", 1),
            (b'/', _) => (10, "/", 1),
            (b'%', _) => (10, "%", 1),
            _ => return None,
        })
    }

    /// Parses an expression of operators that bind closer than `strength`.
    pub(super) fn binary(&mut self, strength: u8) -> Parsed<i128> {
        let mut left = self.constant_primary()?;
        while let Some((binding, operator, tokens)) = self.operator() {
            if binding <= strength {
                break;
            }
            let span = self.current.span();
            for _ in 0..tokens {
                self.advance();
            }
            let right = self.nested(|p| p.binary(binding))?;
            left = match fold(operator, left, right) {
                Some(value) => value,
                None => return Err(self.error_at(span, "division by zero in a constant expression")),
            };
        }
        Ok(left)
    }

    /// Parses a literal, `WARP_SZ`, a sign, `!`, `~`, a cast or a parenthesised expression.
    pub(super) fn constant_primary(&mut self) -> Parsed<i128> {
        match self.current.kind {
            TokenKind::Number => {
                let span = self.current.span();
                match self.number()? {
                    Number::Int(value) => Ok(i128::from(value)),
                    _ => Err(self.error_at(span, "expected an integer constant")),
                }
            }
            TokenKind::Ident if self.is_warp_size() => {
                self.advance();
                Ok(32)
            }
            TokenKind::Punct(c @ (b'-' | b'+' | b'!' | b'~')) => {
                self.advance();
                let value = self.nested(Self::constant_primary)?;
                Ok(match c {
                    b'-' => narrow(value.wrapping_neg()),
                    b'!' => i128::from(value == 0),
                    b'~' => narrow(!value),
                    _ => value,
                })
            }
            TokenKind::Punct(b'(') => {
                self.advance();
                let cast = self.dot().filter(|&word| word == "s64" || word == "u64");
                if let Some(cast) = cast {
                    self.advance();
                    self.expect(b')')?;
                    let value = self.nested(Self::constant_primary)?;
                    return Ok(if cast == "s64" {
                        i128::from(value as i64)
                    } else {
                        i128::from(value as u64)
                    });
                }
                let value = self.nested(Self::conditional)?;
                self.expect(b')')?;
                Ok(value)
            }
            _ => Err(self.expected("an operand")),
        }
    }
}

/// Evaluates a binary operator; `None` for a division by zero.
fn fold(operator: &str, a: i128, b: i128) -> Option<i128> {
    Some(match operator {
        "||" => i128::from(a != 0 || b != 0),
        "&&" => i128::from(a != 0 && b != 0),
        "|" => a | b,
        "^" => a ^ b,
        "&" => a & b,
        "==" => i128::from(a == b),
        "!=" => i128::from(a != b),
        "<=" => i128::from(a <= b),
        ">=" => i128::from(a >= b),
        "<" => i128::from(a < b),
        ">" => i128::from(a > b),
        "<<" => narrow(a.wrapping_shl(b as u32 & 63)),
        ">>" => a.wrapping_shr(b as u32 & 63),
        "+" => narrow(a.wrapping_add(b)),
        "-" => narrow(a.wrapping_sub(b)),
        "*" => narrow(a.wrapping_mul(b)),
        "/" => a.checked_div(b)?,
        _ => a.checked_rem(b)?,
    })
}

/// Narrows a constant to 64 bits; preserves the value if it fits either signedness.
fn narrow(value: i128) -> i128 {
    if value >= i128::from(i64::MIN) && value <= i128::from(u64::MAX) {
        value
    } else {
        i128::from(value as i64)
    }
}
