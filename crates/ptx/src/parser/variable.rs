//! Declarations of variables, registers and parameters (PTX §5.4), and initialisers.

use super::constant::SUM_STRENGTH;
use super::{Parsed, Parser};
use crate::ast::{Init, Linkage, ScalarType, Space, Span, VarAttribute, Variable};
use crate::lexer::TokenKind;

/// The parts of a declaration that precede the name.
#[derive(Clone)]
struct Head {
    space: Space,
    bank: Option<u32>,
    align: Option<u32>,
    vector: u8,
    ty: ScalarType,
    attributes: Vec<VarAttribute>,
}

impl Parser<'_> {
    /// Parses `.space … name [= init] {, name [= init]} ;` and appends the valid declarations to `out`.
    pub(super) fn variables(&mut self, linkage: Linkage, start: u32, out: &mut Vec<Variable>) -> Parsed<()> {
        let head = self.head()?;
        loop {
            let variable = self.declarator(head.clone(), linkage, start)?;
            out.push(variable);
            if !self.eat(b',') {
                break;
            }
        }
        self.expect(b';')
    }

    /// Parses `( .param .b64 a, .reg .u32 b )` from after the `(` to the `)`, inclusive.
    pub(super) fn parameters(&mut self) -> Parsed<Vec<Variable>> {
        let mut parameters = Vec::new();
        while !self.eat(b')') {
            let start = self.current.start;
            let head = self.head()?;
            parameters.push(self.declarator(head, Linkage::None, start)?);
            if !self.is(b')') {
                self.expect(b',')?;
            }
        }
        Ok(parameters)
    }

    fn head(&mut self) -> Parsed<Head> {
        let Some(space) = self.dot().and_then(Space::from_name) else {
            return Err(self.expected("a state space"));
        };
        self.advance();
        let mut bank = None;
        if self.is(b'[') {
            self.advance();
            bank = Some(self.u32()?);
            self.expect(b']')?;
        }
        let mut align = None;
        let mut vector = 1;
        let mut ty = None;
        let mut attributes = Vec::new();
        while let Some(word) = self.dot() {
            match word {
                "align" => {
                    self.advance();
                    align = Some(self.u32()?);
                }
                "v2" | "v4" | "v8" => {
                    vector = word.as_bytes()[1] - b'0';
                    self.advance();
                }
                "ptr" => {
                    self.advance();
                    attributes.push(self.ptr()?);
                }
                "attribute" => {
                    self.advance();
                    self.attributes(&mut attributes)?;
                }
                _ => match ScalarType::from_name(word) {
                    Some(found) if ty.is_none() => {
                        ty = Some(found);
                        self.advance();
                    }
                    _ => return Err(self.expected("a type or a name")),
                },
            }
        }
        let Some(ty) = ty else {
            return Err(self.expected("a type"));
        };
        Ok(Head { space, bank, align, vector, ty, attributes })
    }

    /// Parses `.ptr {.space} {.align n}`.
    fn ptr(&mut self) -> Parsed<VarAttribute> {
        let space = self.dot().and_then(Space::from_name);
        if space.is_some() {
            self.advance();
        }
        let align = if self.eat_dot("align") { Some(self.u32()?) } else { None };
        Ok(VarAttribute::Ptr { space, align })
    }

    /// Parses `(.managed, .unified(a, b))`.
    pub(super) fn attributes(&mut self, out: &mut Vec<VarAttribute>) -> Parsed<()> {
        self.expect(b'(')?;
        loop {
            match self.dot() {
                Some("managed") => {
                    self.advance();
                    out.push(VarAttribute::Managed);
                }
                Some("unified") => {
                    self.advance();
                    self.expect(b'(')?;
                    let first = self.u64()?;
                    self.expect(b',')?;
                    let second = self.u64()?;
                    self.expect(b')')?;
                    out.push(VarAttribute::Unified(first, second));
                }
                Some(_) => {
                    let start = self.advance().start;
                    if self.is(b'(') {
                        self.skip_balanced();
                    }
                    let span = self.since(start);
                    let text = &self.text[span.start as usize..span.end as usize];
                    out.push(VarAttribute::Other(text.to_string()));
                }
                None => return Err(self.expected("an attribute")),
            }
            if !self.eat(b',') {
                break;
            }
        }
        self.expect(b')')
    }

    fn declarator(&mut self, head: Head, linkage: Linkage, start: u32) -> Parsed<Variable> {
        let name = self.name("a name")?;
        let mut count = None;
        if self.eat(b'<') {
            count = Some(self.u32()?);
            self.expect(b'>')?;
        }
        let mut dims = Vec::new();
        while self.eat(b'[') {
            if self.eat(b']') {
                dims.push(None);
                continue;
            }
            let span = self.current.span();
            let value = self.constant()?;
            let Ok(value) = u64::try_from(value) else {
                return Err(self.error_at(span, "array dimension does not fit 64 bits"));
            };
            dims.push(Some(value));
            self.expect(b']')?;
        }
        if !dims.is_empty() && head.space != Space::Reg {
            self.remember_array(&name, head.ty.bytes() * u32::from(head.vector), &dims);
        }
        let init = if self.eat(b'=') { Some(self.init()?) } else { None };
        Ok(Variable {
            linkage,
            space: head.space,
            bank: head.bank,
            align: head.align,
            vector: head.vector,
            ty: head.ty,
            attributes: head.attributes,
            name,
            count,
            dims,
            init,
            span: Span { start, end: self.previous_end },
        })
    }

    fn init(&mut self) -> Parsed<Init> {
        match self.current.kind {
            TokenKind::Punct(b'{') => self.nested(Self::init_list),
            TokenKind::Ident if !self.is_warp_size() => self.init_symbol(None),
            TokenKind::Number => {
                if self.peek().kind == TokenKind::Punct(b'(') {
                    let mask = self.u64()?;
                    self.expect(b'(')?;
                    let init = self.init_symbol(Some(mask))?;
                    self.expect(b')')?;
                    return Ok(init);
                }
                self.init_number()
            }
            _ => self.init_number(),
        }
    }

    fn init_list(&mut self) -> Parsed<Init> {
        let start = self.current.start;
        self.expect(b'{')?;
        let mut items = Vec::new();
        while !self.eat(b'}') {
            // `.texref t = { width = 4, addr_mode_0 = wrap };` is stored verbatim.
            if self.current.kind == TokenKind::Ident && self.peek().kind == TokenKind::Punct(b'=') {
                while !self.is(b'}') && !self.at_end() {
                    self.advance();
                }
                self.expect(b'}')?;
                let span = self.since(start);
                let text = &self.text[span.start as usize..span.end as usize];
                return Ok(Init::Other(text.to_string()));
            }
            items.push(self.init()?);
            if !self.is(b'}') {
                self.expect(b',')?;
            }
        }
        Ok(Init::List(items))
    }

    fn init_number(&mut self) -> Parsed<Init> {
        Ok(match self.constant_or_float()? {
            super::constant::Constant::Int(value) => Init::Int(value),
            super::constant::Constant::F32(bits) => Init::F32(bits),
            super::constant::Constant::F64(bits) => Init::F64(bits),
        })
    }

    /// Parses `name`, `name+4` or `generic(name)+4`, each possibly inside `mask( … )`.
    fn init_symbol(&mut self, mask: Option<u64>) -> Parsed<Init> {
        let mut name = self.name("a symbol")?;
        let mut generic = false;
        let mut offset = 0;
        if name.text == "generic" && self.eat(b'(') {
            generic = true;
            name = self.name("a symbol")?;
            offset += self.offset()?;
            self.expect(b')')?;
        }
        offset += self.offset()?;
        Ok(match mask {
            Some(mask) => Init::MaskedSymbol { mask, name, generic, offset },
            None => Init::Symbol { name, generic, offset },
        })
    }

    /// Parses any number of `+n` and `-n`.
    pub(super) fn offset(&mut self) -> Parsed<i64> {
        let mut total = 0i64;
        while self.is(b'+') || self.is(b'-') {
            let mut negative = self.eat(b'-');
            if !negative {
                self.advance();
            }
            // `[%r1+-4]`
            if self.eat(b'-') {
                negative = !negative;
            }
            let value = match self.current.kind {
                // Products bind closer: `[%rd1+4*2]`.
                TokenKind::Number | TokenKind::Punct(b'(') => self.binary(SUM_STRENGTH)? as i64,
                _ => return Err(self.expected("an offset")),
            };
            total = if negative { total.wrapping_sub(value) } else { total.wrapping_add(value) };
        }
        Ok(total)
    }
}
