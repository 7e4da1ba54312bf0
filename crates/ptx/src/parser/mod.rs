//! Recursive-descent parser with error recovery.
//!
//! Recovery points are `;` and `}`: an invalid statement does not affect the statements around it. Recursion
//! is bounded by [`MAX_DEPTH`], so hostile text cannot overflow the stack.

mod array;
mod constant;
mod function;
mod module;
mod operand;
mod statement;
mod variable;

use std::collections::HashMap;

use crate::ast::{Module, Name, SmolStr, Span};
use crate::lexer::{Lexer, Token, TokenKind};
use crate::number::{Number, parse_number};

/// The bound on the nesting of scopes, initialisers, operands and constant expressions together.
pub const MAX_DEPTH: u32 = 128;

/// The number of errors after which further ones are dropped.
const MAX_ERRORS: usize = 200;

/// A syntax error.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    pub span: Span,
    /// The line, from 1.
    pub line: u32,
    /// The column in characters, from 1.
    pub column: u32,
    /// A lower-case sentence fragment.
    pub message: String,
}

impl std::fmt::Display for Error {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}:{}: {}", self.line, self.column, self.message)
    }
}

impl std::error::Error for Error {}

/// The result of parsing: the valid parts of a text, and the errors.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Parse {
    pub module: Module,
    /// The errors in text order; empty for a well-formed module.
    pub errors: Vec<Error>,
}

/// Parses a module. Never fails as a whole and never panics.
pub fn parse(text: &str) -> Parse {
    if u32::try_from(text.len()).is_err() {
        return Parse {
            module: Module::default(),
            errors: vec![Error {
                span: Span::default(),
                line: 1,
                column: 1,
                message: "PTX text of 4 GiB or more".to_string(),
            }],
        };
    }
    let mut parser = Parser::new(text);
    let module = parser.module();
    if parser.errors.is_empty() {
        return Parse { module, errors: Vec::new() };
    }
    let index = crate::position::LineIndex::new(text);
    let errors = parser
        .errors
        .into_iter()
        .map(|(span, message)| {
            let (line, column) = index.line_column(span.start);
            Error { span, line, column, message }
        })
        .collect();
    Parse { module, errors }
}

/// The current construct cannot be completed; the error has been recorded.
pub(crate) struct Failed;

pub(crate) type Parsed<T> = Result<T, Failed>;

pub(crate) struct Parser<'a> {
    text: &'a str,
    lexer: Lexer<'a>,
    current: Token,
    /// The end of the token before `current`.
    previous_end: u32,
    depth: u32,
    /// The arrays in scope, and the arrays that they shadow.
    arrays: HashMap<SmolStr, array::Array>,
    array_scopes: Vec<(SmolStr, Option<array::Array>)>,
    errors: Vec<(Span, String)>,
}

impl<'a> Parser<'a> {
    fn new(text: &'a str) -> Self {
        let mut lexer = Lexer::new(text);
        let current = lexer.next();
        Parser {
            text,
            lexer,
            current,
            previous_end: 0,
            depth: 0,
            arrays: HashMap::new(),
            array_scopes: Vec::new(),
            errors: Vec::new(),
        }
    }

    fn advance(&mut self) -> Token {
        let token = self.current;
        if token.kind == TokenKind::Unknown {
            // Skipped and verbatim text reports unknown tokens as well.
            self.expected("PTX");
        }
        self.previous_end = token.end;
        self.current = self.lexer.next();
        token
    }

    /// Returns the token after the current one.
    fn peek(&self) -> Token {
        self.lexer.clone().next()
    }

    fn slice(&self, token: Token) -> &'a str {
        &self.text[token.start as usize..token.end as usize]
    }

    fn since(&self, start: u32) -> Span {
        Span { start, end: self.previous_end.max(start) }
    }

    fn is(&self, c: u8) -> bool {
        self.current.kind == TokenKind::Punct(c)
    }

    fn at_end(&self) -> bool {
        self.current.kind == TokenKind::Eof
    }

    fn eat(&mut self, c: u8) -> bool {
        let found = self.is(c);
        if found {
            self.advance();
        }
        found
    }

    fn expect(&mut self, c: u8) -> Parsed<()> {
        if self.eat(c) { Ok(()) } else { Err(self.expected(&format!("`{}`", c as char))) }
    }

    /// Records an error for a span.
    fn error_at(&mut self, span: Span, message: impl Into<String>) -> Failed {
        let repeated = self.errors.last().is_some_and(|(last, _)| *last == span);
        if self.errors.len() < MAX_ERRORS && !repeated {
            self.errors.push((span, message.into()));
        }
        Failed
    }

    /// Records "expected X, found Y" at the current token.
    fn expected(&mut self, what: &str) -> Failed {
        let found = match self.current.kind {
            TokenKind::Eof => "the end of the text".to_string(),
            TokenKind::Unknown if self.slice(self.current).starts_with("/*") => {
                "a comment without end".to_string()
            }
            TokenKind::Unknown if self.slice(self.current).starts_with('"') => {
                "a string without end".to_string()
            }
            _ => {
                let text = self.slice(self.current);
                let short: String = text.chars().take(40).collect();
                format!("`{}`", short.escape_debug())
            }
        };
        self.error_at(self.current.span(), format!("expected {what}, found {found}"))
    }

    /// Runs a nested construct, or fails if nesting is too deep.
    fn nested<T>(&mut self, parse: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        if self.depth >= MAX_DEPTH {
            return Err(self.error_at(self.current.span(), format!("nesting deeper than {MAX_DEPTH} levels")));
        }
        self.depth += 1;
        let result = parse(self);
        self.depth -= 1;
        result
    }

    fn name_of(&self, token: Token) -> Name {
        Name { text: self.slice(token).into(), span: token.span() }
    }

    fn name(&mut self, what: &str) -> Parsed<Name> {
        if self.current.kind == TokenKind::Ident {
            let token = self.advance();
            Ok(self.name_of(token))
        } else {
            Err(self.expected(what))
        }
    }

    /// Returns the text of the current token without its dot, if it is a dot word.
    fn dot(&self) -> Option<&'a str> {
        match self.current.kind {
            TokenKind::Dot => Some(&self.slice(self.current)[1..]),
            _ => None,
        }
    }

    fn eat_dot(&mut self, word: &str) -> bool {
        let found = self.dot() == Some(word);
        if found {
            self.advance();
        }
        found
    }

    fn string(&mut self) -> Parsed<String> {
        if self.current.kind == TokenKind::Str {
            let token = self.advance();
            let text = self.slice(token);
            Ok(text[1..text.len() - 1].to_string())
        } else {
            Err(self.expected("a string"))
        }
    }

    /// Parses a literal's value. A malformed literal is recorded as an error and reads as zero.
    fn number(&mut self) -> Parsed<Number> {
        if self.current.kind != TokenKind::Number {
            return Err(self.expected("a number"));
        }
        let token = self.advance();
        match parse_number(self.slice(token)) {
            Ok(number) => Ok(number),
            Err(message) => {
                self.error_at(token.span(), message);
                Ok(Number::Int(0))
            }
        }
    }

    fn u64(&mut self) -> Parsed<u64> {
        let span = self.current.span();
        match self.number()? {
            Number::Int(value) => Ok(value),
            _ => Err(self.error_at(span, "expected an integer, found a floating-point literal")),
        }
    }

    fn u32(&mut self) -> Parsed<u32> {
        let span = self.current.span();
        let value = self.u64()?;
        u32::try_from(value).map_err(|_| self.error_at(span, "integer does not fit 32 bits"))
    }

    /// Skips to just after the next `;` at this nesting, or to before the `}` that closes the surrounding
    /// scope, or to the end.
    fn recover(&mut self) {
        let mut open = 0u32;
        loop {
            match self.current.kind {
                TokenKind::Eof => return,
                TokenKind::Punct(b'{') => open += 1,
                TokenKind::Punct(b'}') if open == 0 => return,
                TokenKind::Punct(b'}') => open -= 1,
                TokenKind::Punct(b';') if open == 0 => {
                    self.advance();
                    return;
                }
                _ => {}
            }
            self.advance();
        }
    }

    /// Consumes a balanced `( … )`, `{ … }` or `[ … ]` without interpreting its content. An unbalanced one is
    /// recorded as an error, and consumed up to the mismatch.
    fn skip_balanced(&mut self) {
        let mut open: Vec<u8> = Vec::new();
        loop {
            let closes = |c| if c == b'(' { b')' } else { c + 2 };
            match self.current.kind {
                TokenKind::Punct(c @ (b'(' | b'{' | b'[')) => open.push(closes(c)),
                TokenKind::Punct(c @ (b')' | b'}' | b']')) if open.last() == Some(&c) => {
                    open.pop();
                }
                TokenKind::Punct(b')' | b'}' | b']') | TokenKind::Eof => {
                    self.expected("a closing bracket");
                    return;
                }
                TokenKind::Punct(b';') if open.last() != Some(&b'}') => {
                    self.expected("a closing bracket");
                    return;
                }
                _ => {}
            }
            self.advance();
            if open.is_empty() {
                return;
            }
        }
    }

    /// Returns whether a line break precedes the current token.
    fn on_new_line(&self) -> bool {
        self.text.as_bytes()[self.previous_end as usize..self.current.start as usize].contains(&b'\n')
    }

    /// Consumes the rest of an unknown directive, verbatim: up to its `;` (consumed), or to a new line that
    /// starts another statement.
    fn verbatim(&mut self, start: u32) -> (String, Span) {
        let word = &self.text[start as usize..self.previous_end as usize];
        if !word.starts_with('.') || word[1..].starts_with(|c: char| c.is_ascii_digit()) {
            // `.32` is a word only where it is glued to another token; as a directive it is an error.
            self.error_at(self.since(start), "expected a directive, found a number");
        }
        loop {
            match self.current.kind {
                TokenKind::Eof | TokenKind::Punct(b'}') => break,
                TokenKind::Punct(b';') => break,
                TokenKind::Punct(b'{' | b'(' | b'[') => {
                    self.skip_balanced();
                    continue;
                }
                TokenKind::Dot | TokenKind::Ident | TokenKind::Punct(b'@')
                    if self.on_new_line() && self.current.start > start =>
                {
                    break;
                }
                _ => {}
            }
            self.advance();
        }
        let span = self.since(start);
        let text = self.text[span.start as usize..span.end as usize].to_string();
        self.eat(b';');
        (text, span)
    }
}
