//! Module scope (PTX §11.1, §11.5).

use super::{Parsed, Parser};
use crate::ast::{File, Item, Linkage, Module, Section, SectionLine, SectionValue, Space};
use crate::lexer::TokenKind;
use crate::number::Number;

impl Parser<'_> {
    pub(super) fn module(&mut self) -> Module {
        let mut module = Module {
            // The default of `.address_size` is 32 (PTX §11.1.3).
            address_size: 32,
            ..Module::default()
        };
        while !self.at_end() {
            let start = self.current.start;
            if self.item(&mut module).is_err() {
                self.recover();
                // A function that failed inside its body leaves its closing brace.
                self.eat(b'}');
            }
            if self.current.start == start && !self.at_end() {
                self.advance();
            }
        }
        module
    }

    fn item(&mut self, module: &mut Module) -> Parsed<()> {
        let start = self.current.start;
        if self.eat(b';') {
            return Ok(());
        }
        if self.current.kind == TokenKind::Ident && self.peek().kind == TokenKind::Punct(b':') {
            // LLVM labels the end of debug sections: `$L__sec_end0:`.
            self.advance();
            self.advance();
            let span = self.since(start);
            let text = self.text[span.start as usize..span.end as usize].to_string();
            module.items.push(Item::Other { text, span });
            return Ok(());
        }
        let Some(mut word) = self.dot() else {
            return Err(self.expected("a directive"));
        };
        let mut linkage = Linkage::None;
        loop {
            linkage = match word {
                "extern" => Linkage::Extern,
                "visible" => Linkage::Visible,
                "weak" => Linkage::Weak,
                "common" => Linkage::Common,
                _ => break,
            };
            self.advance();
            match self.dot() {
                Some(next) => word = next,
                None => return Err(self.expected("a function or variable after its linkage")),
            }
        }
        match word {
            "version" => {
                self.advance();
                module.version = self.version()?;
            }
            "target" => {
                self.advance();
                loop {
                    let name = self.name("a target")?;
                    module.target.push(name.text.to_string());
                    if !self.eat(b',') {
                        break;
                    }
                }
            }
            "address_size" => {
                self.advance();
                module.address_size = self.u32()?;
            }
            "entry" | "func" => {
                let function = self.function(linkage, start)?;
                module.items.push(Item::Function(function));
            }
            "file" => {
                self.advance();
                let file = self.file()?;
                module.items.push(Item::File(file));
            }
            "section" => {
                self.advance();
                let section = self.section()?;
                module.items.push(Item::Section(section));
            }
            "pragma" => {
                self.advance();
                let pragmas = self.pragmas()?;
                module.items.push(Item::Pragma(pragmas));
            }
            "alias" => {
                self.advance();
                let alias = self.name("a function")?;
                self.expect(b',')?;
                let aliasee = self.name("a function")?;
                self.expect(b';')?;
                module.items.push(Item::Alias(alias, aliasee));
            }
            _ if Space::from_name(word).is_some() => {
                let mut variables = Vec::new();
                let result = self.variables(linkage, start, &mut variables);
                module.items.extend(variables.into_iter().map(Item::Variable));
                result?;
            }
            _ => {
                self.advance();
                let (text, span) = self.verbatim(start);
                module.items.push(Item::Other { text, span });
            }
        }
        Ok(())
    }

    fn version(&mut self) -> Parsed<(u32, u32)> {
        let token = self.current;
        if token.kind == TokenKind::Number {
            let text = self.slice(token);
            let mut parts = text.splitn(2, '.');
            let major = parts.next().and_then(|p| p.parse().ok());
            let minor = parts.next().map_or(Some(0), |p| p.parse().ok());
            if let (Some(major), Some(minor)) = (major, minor) {
                self.advance();
                return Ok((major, minor));
            }
        }
        Err(self.expected("a version such as `8.7`"))
    }

    /// Parses `"…" {, "…"} ;`.
    pub(super) fn pragmas(&mut self) -> Parsed<Vec<String>> {
        let mut pragmas = vec![self.string()?];
        while self.eat(b',') {
            pragmas.push(self.string()?);
        }
        self.expect(b';')?;
        Ok(pragmas)
    }

    fn file(&mut self) -> Parsed<File> {
        let index = self.u32()?;
        let path = self.string()?;
        let mut timestamp_and_size = None;
        if self.eat(b',') {
            let timestamp = self.u64()?;
            self.expect(b',')?;
            timestamp_and_size = Some((timestamp, self.u64()?));
        }
        self.eat(b';');
        Ok(File { index, path, timestamp_and_size })
    }

    fn section(&mut self) -> Parsed<Section> {
        let name = match self.current.kind {
            TokenKind::Dot | TokenKind::Ident => {
                let token = self.advance();
                self.slice(token).to_string()
            }
            _ => return Err(self.expected("a section name")),
        };
        self.expect(b'{')?;
        let mut lines = Vec::new();
        while !self.eat(b'}') {
            match self.current.kind {
                TokenKind::Ident => {
                    let label = self.name("a label")?;
                    self.expect(b':')?;
                    lines.push(SectionLine::Label(label.text.to_string()));
                }
                TokenKind::Dot => {
                    if let Some(fill) = self.fill()? {
                        lines.push(fill);
                        continue;
                    }
                    let width = match self.dot() {
                        Some("b8") => 1,
                        Some("b16") => 2,
                        Some("b32") => 4,
                        Some("b64") => 8,
                        _ => return Err(self.expected("`.b8`, `.b16`, `.b32` or `.b64`")),
                    };
                    self.advance();
                    let mut values = Vec::new();
                    loop {
                        values.push(self.section_value()?);
                        if !self.eat(b',') {
                            break;
                        }
                    }
                    self.eat(b';');
                    lines.push(SectionLine::Data { width, values });
                }
                _ => return Err(self.expected("a label or data")),
            }
        }
        Ok(Section { name, lines })
    }

    /// Parses `.b84,255`: LLVM prints a fill of 4 bytes of 255 with the directive of single bytes.
    fn fill(&mut self) -> Parsed<Option<SectionLine>> {
        let count = self.dot().and_then(|word| word.strip_prefix("b8")).and_then(|n| n.parse::<u16>().ok());
        let Some(count) = count else {
            return Ok(None);
        };
        self.advance();
        let value = if self.eat(b',') { self.section_value()? } else { SectionValue::Int(0) };
        Ok(Some(SectionLine::Data { width: 1, values: vec![value; count.into()] }))
    }

    fn section_value(&mut self) -> Parsed<SectionValue> {
        let start = self.current.start;
        let negative = self.eat(b'-');
        match self.current.kind {
            TokenKind::Number => {
                let span = self.current.span();
                match self.number()? {
                    Number::Int(value) => {
                        let value = i128::from(value);
                        Ok(SectionValue::Int(if negative { -value } else { value }))
                    }
                    _ => Err(self.error_at(span, "expected an integer, found a floating-point literal")),
                }
            }
            TokenKind::Ident | TokenKind::Dot if !negative => {
                self.advance();
                while self.is(b'+') || self.is(b'-') {
                    self.advance();
                    match self.current.kind {
                        TokenKind::Ident | TokenKind::Dot | TokenKind::Number => self.advance(),
                        _ => return Err(self.expected("a label or number")),
                    };
                }
                let span = self.since(start);
                let text: String =
                    self.text[span.start as usize..span.end as usize].split_ascii_whitespace().collect();
                Ok(SectionValue::Symbol(text))
            }
            _ => Err(self.expected("a number or label")),
        }
    }
}
