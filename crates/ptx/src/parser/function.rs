//! Functions (PTX §7, §11.2) and their performance directives (§11.4).

use super::{Parsed, Parser};
use crate::ast::{Function, FunctionDirective, FunctionKind, Linkage};
use crate::lexer::TokenKind;

impl Parser<'_> {
    /// Parses a function from `.entry` or `.func` to the end of its body or the `;` of its declaration.
    pub(super) fn function(&mut self, linkage: Linkage, start: u32) -> Parsed<Function> {
        let kind = if self.eat_dot("entry") {
            FunctionKind::Entry
        } else {
            self.advance();
            FunctionKind::Func
        };
        let mut directives = Vec::new();
        while self.dot() == Some("attribute") {
            let start = self.advance().start;
            self.attributes(&mut Vec::new())?;
            directives.push(self.other_directive(start));
        }
        let arrays = self.array_mark();
        let returns = if self.eat(b'(') { self.parameters()? } else { Vec::new() };
        let name = self.name("a function name")?;
        let params = if self.eat(b'(') { self.parameters()? } else { Vec::new() };
        self.function_directives(&mut directives)?;
        let body = if self.is(b'{') {
            Some(self.block()?)
        } else {
            self.expect(b';')?;
            None
        };
        self.forget_arrays(arrays);
        Ok(Function { kind, linkage, name, returns, params, directives, body, span: self.since(start) })
    }

    fn function_directives(&mut self, out: &mut Vec<FunctionDirective>) -> Parsed<()> {
        while let Some(word) = self.dot() {
            let start = self.advance().start;
            out.push(match word {
                "maxnreg" => FunctionDirective::MaxNReg(self.u32()?),
                "maxntid" => FunctionDirective::MaxNTid(self.dimensions()?),
                "reqntid" => FunctionDirective::ReqNTid(self.dimensions()?),
                "minnctapersm" => FunctionDirective::MinNCtaPerSm(self.u32()?),
                "maxnctapersm" => FunctionDirective::MaxNCtaPerSm(self.u32()?),
                "noreturn" => FunctionDirective::NoReturn,
                "explicitcluster" => FunctionDirective::ExplicitCluster,
                "reqnctapercluster" => FunctionDirective::ReqNCtaPerCluster(self.dimensions()?),
                "maxclusterrank" => FunctionDirective::MaxClusterRank(self.u32()?),
                "blocksareclusters" => FunctionDirective::BlocksAreClusters,
                "pragma" => FunctionDirective::Pragma(self.pragmas()?),
                _ => {
                    // `.abi_preserve 12` and directives newer than this parser.
                    while matches!(self.current.kind, TokenKind::Number | TokenKind::Punct(b',')) {
                        self.advance();
                    }
                    self.other_directive(start)
                }
            });
        }
        Ok(())
    }

    fn other_directive(&self, start: u32) -> FunctionDirective {
        let span = self.since(start);
        FunctionDirective::Other(self.text[span.start as usize..span.end as usize].to_string())
    }

    /// Parses `x {, y {, z}}`.
    fn dimensions(&mut self) -> Parsed<[u32; 3]> {
        let mut dimensions = [self.u32()?, 1, 1];
        for dimension in &mut dimensions[1..] {
            if !self.eat(b',') {
                break;
            }
            *dimension = self.u32()?;
        }
        Ok(dimensions)
    }
}
