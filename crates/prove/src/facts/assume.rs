//! The language of `--assume`: relations between parameters and extents, joined by `&&`.
//!
//! `n <= gridDim.x * blockDim.x && arg3 % 4`: names are `argN` (from 0), a parameter's own name in PTX,
//! `blockDim.x`, `gridDim.x` and so on. Expressions are products and sums of integers; tests are `<`, `<=`,
//! `>`, `>=`, `==` and `!=`. `distinct(a, b)` is the default and may be stated. `permutation(a)` states that
//! the elements of the array that parameter `a` points to, words of 32 or 64 bits, as the kernel reads them,
//! are all different; `monotone(a)` that no element is smaller, as a signed number, than its predecessor; `rows(a)` that
//! each element is the address of an array of its own, to which no other pointer leads.

use crate::solver::cond::Cond;
use crate::solver::poly::Poly;
pub use host_ir::relation::{Axis, Expr, Name, Part, Relation, Test};

/// The reason why a text is no assumption. It prints as a sentence fragment.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    #[error("`{0}`: expected `)`")]
    NoEndOf(String),
    #[error("`{0}`: expected the name of one parameter")]
    NotAParameter(String),
    #[error("`{0}(…)` is not known; there are distinct(a, b), permutation(a), monotone(a) and rows(a)")]
    UnknownFunction(String),
    #[error("`{0}`: expected a comparison")]
    NoComparison(String),
    #[error("`{part}`: expected a comparison, not `{word}`")]
    NotAComparison { part: String, word: String },
    #[error("`{part}`: what is `{word}` for?")]
    LeftOver { part: String, word: String },
    #[error("`{text}`: `{character}` is not understood; there are + - * % ( ) and comparisons")]
    Character { text: String, character: char },
    #[error("expected a number or a name")]
    NoOperand,
    #[error("expected a number or a name, not `{0}`")]
    NotAnOperand(String),
    #[error("expected `)`")]
    NoParenthesis,
    #[error("`{0}`: expected .x, .y or .z")]
    NoAxis(String),
}

/// The reason why a relation cannot become a condition.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Meaningless {
    #[error("the kernel has no parameter `{0}`")]
    NoParameter(String),
    #[error("a product of too many factors")]
    Product,
}

/// Parses `[kernel:] relation && …` into a part of the kernels' names (empty for all) and the relations.
pub fn parse(text: &str) -> Result<(String, Vec<Relation>), Error> {
    let (kernel, rest) = match text.split_once(':') {
        Some((kernel, rest)) => (kernel.trim().to_owned(), rest),
        None => (String::new(), text),
    };
    let mut relations = Vec::new();
    for part in rest.split("&&") {
        let part = part.trim();
        if let Some(inside) = part.strip_prefix("distinct(") {
            if !inside.ends_with(')') {
                return Err(Error::NoEndOf(part.to_owned()));
            }
            continue;
        }
        let of_elements =
            [("permutation(", Test::Permutation), ("monotone(", Test::Monotone), ("rows(", Test::Rows)];
        let of_elements =
            of_elements.into_iter().find_map(|(word, test)| Some((part.strip_prefix(word)?, test)));
        if let Some((inside, test)) = of_elements {
            let name =
                inside.strip_suffix(')').map(str::trim).ok_or_else(|| Error::NoEndOf(part.to_owned()))?;
            let mut parser = Parser { words: words(name)?, at: 0 };
            let left = parser.leaf()?;
            if !matches!(left, Expr::Name(Name::Param(_))) || parser.next().is_some() {
                return Err(Error::NotAParameter(part.to_owned()));
            }
            let right = Expr::Number(0);
            relations.push(Relation { text: part.to_owned(), left, test, right });
            continue;
        }
        if let Some((name, _)) = part.split_once('(')
            && !name.is_empty()
            && name.chars().all(|c| c.is_ascii_alphabetic())
        {
            return Err(Error::UnknownFunction(name.to_owned()));
        }
        let mut parser = Parser { words: words(part)?, at: 0 };
        let left = parser.sum()?;
        let test = match parser.next().as_deref() {
            Some("<") => Test::Lt,
            Some("<=") => Test::Le,
            Some(">") => Test::Gt,
            Some(">=") => Test::Ge,
            Some("==") => Test::Eq,
            Some("!=") => Test::Ne,
            Some(word) => return Err(Error::NotAComparison { part: part.to_owned(), word: word.to_owned() }),
            None => return Err(Error::NoComparison(part.to_owned())),
        };
        let right = parser.sum()?;
        if let Some(word) = parser.next() {
            return Err(Error::LeftOver { part: part.to_owned(), word });
        }
        relations.push(Relation { text: part.to_owned(), left, test, right });
    }
    Ok((kernel, relations))
}

fn words(text: &str) -> Result<Vec<String>, Error> {
    let mut found = Vec::new();
    let mut chars = text.chars().peekable();
    while let Some(&c) = chars.peek() {
        if c.is_whitespace() {
            chars.next();
        } else if c.is_ascii_alphanumeric() || c == '_' || c == '$' {
            let mut word = String::new();
            while let Some(&c) = chars.peek()
                && (c.is_ascii_alphanumeric() || "_$.".contains(c))
            {
                word.push(c);
                chars.next();
            }
            found.push(word);
        } else if "<>=!".contains(c) {
            chars.next();
            let mut word = c.to_string();
            if chars.peek() == Some(&'=') {
                chars.next();
                word.push('=');
            }
            found.push(word);
        } else if "+-*%()".contains(c) {
            chars.next();
            found.push(c.to_string());
        } else {
            return Err(Error::Character { text: text.to_owned(), character: c });
        }
    }
    Ok(found)
}

struct Parser {
    words: Vec<String>,
    at: usize,
}

impl Parser {
    fn next(&mut self) -> Option<String> {
        let word = self.words.get(self.at).cloned();
        self.at += 1;
        word
    }

    fn peek(&self) -> Option<&str> {
        self.words.get(self.at).map(String::as_str)
    }

    fn sum(&mut self) -> Result<Expr, Error> {
        let mut left = self.product()?;
        while let Some(sign @ ("+" | "-")) = self.peek() {
            let plus = sign == "+";
            self.at += 1;
            let right = Box::new(self.product()?);
            left = match plus {
                true => Expr::Add(Box::new(left), right),
                false => Expr::Sub(Box::new(left), right),
            };
        }
        Ok(left)
    }

    fn product(&mut self) -> Result<Expr, Error> {
        let mut left = self.leaf()?;
        while let Some(sign @ ("*" | "%")) = self.peek() {
            let times = sign == "*";
            self.at += 1;
            let right = Box::new(self.leaf()?);
            left = match times {
                true => Expr::Mul(Box::new(left), right),
                false => Expr::Rem(Box::new(left), right),
            };
        }
        Ok(left)
    }

    fn leaf(&mut self) -> Result<Expr, Error> {
        let word = self.next().ok_or(Error::NoOperand)?;
        if word == "-" {
            return Ok(Expr::Sub(Box::new(Expr::Number(0)), Box::new(self.leaf()?)));
        }
        if word == "(" {
            let inside = self.sum()?;
            return match self.next().as_deref() {
                Some(")") => Ok(inside),
                _ => Err(Error::NoParenthesis),
            };
        }
        if let Ok(number) = word.parse() {
            return Ok(Expr::Number(number));
        }
        let axis = |rest: &str| match rest {
            "x" => Ok(Axis::X),
            "y" => Ok(Axis::Y),
            "z" => Ok(Axis::Z),
            _ => Err(Error::NoAxis(word.clone())),
        };
        if let Some(rest) = word.strip_prefix("blockDim.") {
            return Ok(Expr::Name(Name::Block(axis(rest)?)));
        }
        if let Some(rest) = word.strip_prefix("gridDim.") {
            return Ok(Expr::Name(Name::Grid(axis(rest)?)));
        }
        match word.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') {
            true => Ok(Expr::Name(Name::Param(word))),
            false => Err(Error::NotAnOperand(word)),
        }
    }
}

/// Converts a relation to a condition. `name` returns the value of a name, and `remainder` that of `a % b`.
pub fn condition(
    relation: &Relation,
    name: &mut dyn FnMut(&Name) -> Result<Poly, Meaningless>,
    remainder: &mut dyn FnMut(&Poly, &Poly) -> Poly,
) -> Result<Cond, Meaningless> {
    let left = polynomial(&relation.left, name, remainder)?;
    let right = polynomial(&relation.right, name, remainder)?;
    Ok(match relation.test {
        Test::Lt => Cond::lt(&left, &right),
        Test::Le => Cond::le(&left, &right),
        Test::Gt => Cond::lt(&right, &left),
        Test::Ge => Cond::le(&right, &left),
        Test::Eq => Cond::eq(&left, &right),
        Test::Ne => Cond::eq(&left, &right).not(),
        // These relations constrain contents, which `exec` handles.
        _ => Cond::True,
    })
}

/// Returns the value of an expression, likewise.
pub(crate) fn polynomial(
    expr: &Expr,
    name: &mut dyn FnMut(&Name) -> Result<Poly, Meaningless>,
    remainder: &mut dyn FnMut(&Poly, &Poly) -> Poly,
) -> Result<Poly, Meaningless> {
    Ok(match expr {
        Expr::Number(n) => Poly::constant(*n),
        Expr::Name(n) => name(n)?,
        Expr::Add(a, b) => polynomial(a, name, remainder)?.plus(&polynomial(b, name, remainder)?),
        Expr::Sub(a, b) => polynomial(a, name, remainder)?.minus(&polynomial(b, name, remainder)?),
        Expr::Mul(a, b) => {
            let product = polynomial(a, name, remainder)?.times(&polynomial(b, name, remainder)?);
            product.ok_or(Meaningless::Product)?
        }
        Expr::Rem(a, b) => {
            let (a, b) = (polynomial(a, name, remainder)?, polynomial(b, name, remainder)?);
            remainder(&a, &b)
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn relations_are_read_and_hold() {
        let (kernel, relations) =
            parse("sum: arg2 <= gridDim.x*blockDim.x && distinct(arg0, arg1) && n % 4 == 0").unwrap();
        assert_eq!((kernel.as_str(), relations.len()), ("sum", 2));
        let value = |n: &Name| match n {
            Name::Block(_) => Some(64),
            Name::Grid(_) => Some(2),
            Name::Param(p) if p == "arg2" => Some(128),
            Name::Param(_) => Some(6),
            Name::Host(_) | Name::Part(_) | Name::Offset(_) => None,
        };
        assert_eq!(relations.iter().map(|r| r.holds(&value)).collect::<Vec<_>>(), [Some(true), Some(false)]);
        for (text, expected) in [
            ("n", "expected a comparison"),
            ("n < ", "expected a number or a name"),
            ("n < 3 4", "what is `4` for"),
            ("growing(p)", "is not known"),
            ("permutation(p", "expected `)`"),
            ("permutation(p + 1)", "the name of one parameter"),
            ("permutation(3)", "the name of one parameter"),
            ("monotone(3)", "the name of one parameter"),
            ("blockDim.w > 1", "expected .x, .y or .z"),
            ("n / 2 > 1", "`/` is not understood"),
        ] {
            let error = parse(text).unwrap_err().to_string();
            assert!(error.contains(expected), "{text}: {error}");
        }
    }
}
