//! Writes a question as SMT-LIB 2.

use super::Problem;
use crate::solver::cond::Cond;
use crate::solver::poly::{Poly, Sym};
use std::fmt::Write as _;

impl Problem {
    /// Returns the question as SMT-LIB 2.
    pub fn smt(&self) -> String {
        let mut out = String::from("(set-logic QF_NIA)\n");
        for n in 0..self.bounds.len() {
            out.push_str(&format!("(declare-const v{n} Int)\n"));
        }
        let mut say = |c: &Cond| out.push_str(&format!("(assert {})\n", condition(c)));
        for (n, range) in self.bounds.iter().enumerate() {
            let v = Poly::sym(Sym(n as u32));
            range.lo.iter().for_each(|lo| say(&Cond::le(&Poly::constant(*lo), &v)));
            range.hi.iter().for_each(|hi| say(&Cond::le(&v, &Poly::constant(*hi))));
        }
        self.ge.iter().for_each(|p| say(&Cond::Ge(p.clone())));
        self.eq.iter().for_each(|p| say(&Cond::Eq(p.clone())));
        self.clauses.iter().for_each(|any| say(&Cond::Or(any.clone())));
        if self.contradiction {
            say(&Cond::False);
        }
        out.push_str("(check-sat)\n");
        out
    }
}

/// Returns an integer as SMT-LIB.
fn integer(n: i128) -> String {
    if n < 0 { format!("(- {})", n.unsigned_abs()) } else { n.to_string() }
}

fn polynomial(p: &Poly) -> String {
    let mut out = String::from("(+ 0");
    for (m, c) in p.terms() {
        if m.is_empty() {
            let _ = write!(out, " {}", integer(*c));
            continue;
        }
        let _ = write!(out, " (* {}", integer(*c));
        for s in m.iter() {
            let _ = write!(out, " v{}", s.0);
        }
        out.push(')');
    }
    out.push(')');
    out
}

/// Returns a condition on variables `v0`, `v1` and so on as SMT-LIB.
fn condition(c: &Cond) -> String {
    let all = |word: &str, list: &[Cond]| {
        let parts: Vec<String> = list.iter().map(condition).collect();
        format!("({word} {})", parts.join(" "))
    };
    match c {
        Cond::True => "true".into(),
        Cond::False => "false".into(),
        Cond::Ge(p) => format!("(>= {} 0)", polynomial(p)),
        Cond::Eq(p) => format!("(= {} 0)", polynomial(p)),
        Cond::Ne(p) => format!("(not (= {} 0))", polynomial(p)),
        Cond::And(list) if list.is_empty() => "true".into(),
        Cond::Or(list) if list.is_empty() => "false".into(),
        Cond::And(list) => all("and", list),
        Cond::Or(list) => all("or", list),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conditions_are_written() {
        let p = Poly::sym(Sym(0)).scaled(-3).expect("small").plus_constant(2);
        assert_eq!(condition(&Cond::Ne(p)), "(not (= (+ 0 2 (* (- 3) v0)) 0))");
        assert_eq!(condition(&Cond::Or(Vec::new())), "false");
    }
}
