//! Statements of a function body.

use super::{Failed, Parsed, Parser};
use crate::ast::{Block, Guard, InlinedAt, Instruction, Linkage, Loc, Name, Space, Statement};
use crate::lexer::TokenKind;

impl Parser<'_> {
    /// Parses `{ … }`. A missing closing brace is an error that preserves the statements before it.
    pub(super) fn block(&mut self) -> Parsed<Block> {
        let start = self.current.start;
        if self.depth >= super::MAX_DEPTH {
            let failed = self.nested(|_| Ok(())).err().unwrap_or(Failed);
            self.skip_balanced();
            return Err(failed);
        }
        self.expect(b'{')?;
        let mut statements = Vec::new();
        let arrays = self.array_mark();
        self.depth += 1;
        while !self.is(b'}') {
            if self.at_end() {
                self.expected("`}`");
                break;
            }
            if self.statement(&mut statements).is_err() {
                self.recover();
            }
        }
        self.depth -= 1;
        self.forget_arrays(arrays);
        self.eat(b'}');
        Ok(Block { statements, span: self.since(start) })
    }

    fn statement(&mut self, out: &mut Vec<Statement>) -> Parsed<()> {
        match self.current.kind {
            TokenKind::Ident => {
                // A dot or an operand nearly always follows; only blanks require the lexer.
                let is_label = match self.text.as_bytes().get(self.current.end as usize) {
                    Some(b':') => true,
                    Some(b' ' | b'\t' | b'\r' | b'\n' | b'/') => self.peek().kind == TokenKind::Punct(b':'),
                    _ => false,
                };
                if is_label {
                    self.label(out)
                } else {
                    let instruction = self.instruction()?;
                    out.push(Statement::Instruction(instruction));
                    Ok(())
                }
            }
            TokenKind::Punct(b'@') => {
                let instruction = self.instruction()?;
                out.push(Statement::Instruction(instruction));
                Ok(())
            }
            TokenKind::Dot => self.directive(out),
            TokenKind::Punct(b'{') => {
                let start = self.current.start;
                match self.block() {
                    Ok(block) => out.push(Statement::Block(block)),
                    // The block exceeded the nesting limit and was skipped as a whole.
                    Err(failed) if self.current.start == start => return Err(failed),
                    Err(_) => {}
                }
                Ok(())
            }
            TokenKind::Punct(b';') => {
                self.advance();
                Ok(())
            }
            _ => Err(self.expected("a statement")),
        }
    }

    fn label(&mut self, out: &mut Vec<Statement>) -> Parsed<()> {
        let label = self.name("a label")?;
        self.expect(b':')?;
        match self.dot() {
            Some("branchtargets") => {
                self.advance();
                let targets = self.names()?;
                out.push(Statement::BranchTargets { label, targets });
            }
            Some("calltargets") => {
                self.advance();
                let targets = self.names()?;
                out.push(Statement::CallTargets { label, targets });
            }
            Some("callprototype") => {
                self.advance();
                let returns = if self.eat(b'(') { self.parameters()? } else { Vec::new() };
                self.name("`_`")?;
                let params = if self.eat(b'(') { self.parameters()? } else { Vec::new() };
                let mut noreturn = false;
                while let Some(word) = self.dot() {
                    noreturn |= word == "noreturn";
                    self.advance();
                    if self.current.kind == TokenKind::Number {
                        self.advance();
                    }
                }
                self.expect(b';')?;
                out.push(Statement::CallPrototype { label, returns, params, noreturn });
            }
            _ => out.push(Statement::Label(label)),
        }
        Ok(())
    }

    /// Parses `a, b, c;`.
    fn names(&mut self) -> Parsed<Vec<Name>> {
        let mut names = vec![self.name("a name")?];
        while self.eat(b',') {
            names.push(self.name("a name")?);
        }
        self.expect(b';')?;
        Ok(names)
    }

    fn directive(&mut self, out: &mut Vec<Statement>) -> Parsed<()> {
        let start = self.current.start;
        let word = self.dot().unwrap_or("");
        let linkage = match word {
            "extern" => Linkage::Extern,
            "visible" => Linkage::Visible,
            "weak" => Linkage::Weak,
            "common" => Linkage::Common,
            _ => Linkage::None,
        };
        if linkage != Linkage::None {
            self.advance();
        }
        match self.dot().unwrap_or("") {
            "loc" => {
                self.advance();
                let loc = self.loc()?;
                out.push(Statement::Loc(loc));
            }
            "pragma" => {
                self.advance();
                let pragmas = self.pragmas()?;
                out.push(Statement::Pragma(pragmas));
            }
            space if Space::from_name(space).is_some() => {
                let mut variables = Vec::new();
                let result = self.variables(linkage, start, &mut variables);
                out.extend(variables.into_iter().map(Statement::Variable));
                result?;
            }
            _ => {
                self.advance();
                let (text, span) = self.verbatim(start);
                out.push(Statement::Other { text, span });
            }
        }
        Ok(())
    }

    fn loc(&mut self) -> Parsed<Loc> {
        let file = self.u32()?;
        let line = self.u32()?;
        let column = if self.current.kind == TokenKind::Number { self.u32()? } else { 0 };
        let mut inlined = None;
        if self.eat(b',') {
            // The two attributes come in either order; each is useless alone.
            let mut function_name = None;
            let mut site = None;
            loop {
                let attribute = self.name("`function_name` or `inlined_at`")?;
                match attribute.text.as_str() {
                    "function_name" => {
                        let label = self.name("a label in `.debug_str`")?;
                        let offset = if self.eat(b'+') { self.u64()? } else { 0 };
                        function_name = Some((label.text, offset));
                    }
                    "inlined_at" => site = Some((self.u32()?, self.u32()?, self.u32()?)),
                    _ => {
                        return Err(self.error_at(attribute.span, "expected `function_name` or `inlined_at`"));
                    }
                }
                if !self.eat(b',') {
                    break;
                }
            }
            match (function_name, site) {
                (Some(function_name), Some((file, line, column))) => {
                    inlined = Some(InlinedAt { function_name, file, line, column });
                }
                _ => return Err(self.expected("both `function_name` and `inlined_at`")),
            }
        }
        self.eat(b';');
        Ok(Loc { file, line, column, inlined })
    }

    fn instruction(&mut self) -> Parsed<Instruction> {
        let start = self.current.start;
        let mut guard = None;
        if self.eat(b'@') {
            let negated = self.eat(b'!');
            let register = self.name("a predicate register")?;
            guard = Some(Guard { negated, register });
        }
        let opcode = self.name("an instruction")?;
        let mut modifiers = Vec::new();
        while self.current.kind == TokenKind::Dot {
            let token = self.advance();
            let mut span = token.span();
            span.start += 1;
            modifiers.push(Name { text: self.slice(token)[1..].into(), span });
        }
        let operands = self.operands(&opcode.text)?;
        self.expect(b';')?;
        Ok(Instruction { guard, opcode, modifiers, operands, span: self.since(start) })
    }
}
