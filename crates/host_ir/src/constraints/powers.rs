//! Numbers that are checked to be powers of two: each power within the bounds of the number is a case of its own.

use super::super::eval::Eval;
use super::super::ir::Op;
use super::cases::{Case, MOST_CASES, is_chosen_once};
use super::disjunctions::required;
use super::reader::Reader;

/// Returns the cases with each number chosen that is a power of two at the launch, as far as there are not too many.
pub(super) fn with_powers<'a>(
    eval: &Eval<'_, 'a>,
    plain: &Eval<'_, 'a>,
    cases: Vec<Case<'a>>,
) -> Vec<Case<'a>> {
    let conditions = required(eval);
    let mut all = cases;
    for &(depth, condition, is) in &conditions {
        let Some((value, zero)) = power(eval, depth, condition, is) else { continue };
        let again = all.iter().any(|case| case.numbers.contains_key(&(depth, value)));
        if again || !is_chosen_once(eval, depth, value) {
            continue;
        }
        let Some((least, most)) = range(eval, plain, depth, value) else { continue };
        let powers = (0..31).map(|n| 1i128 << n).chain(zero.then_some(0));
        let numbers: Vec<i128> = powers.filter(|n| (least..=most).contains(n)).collect();
        // The greatest number of 32 bits has a sign: it is a power of two, too.
        if least < 0 || most > 1 << 30 || numbers.len() * all.len().max(1) > MOST_CASES {
            continue;
        }
        all = Case::with_numbers(all, (depth, value), &numbers);
    }
    all
}

/// Returns the least and the greatest number that a value can be at the launch.
pub(super) fn range<'a>(
    eval: &Eval<'_, 'a>,
    plain: &Eval<'_, 'a>,
    depth: usize,
    value: &'a str,
) -> Option<(i128, i128)> {
    let mut reader = Reader::new(eval, plain, Case::default());
    reader.conditions_of_chain();
    let (sum, exact) = reader.read(|r| r.sum(depth, value));
    sum.filter(|_| exact).and_then(|sum| reader.bounds.of(&sum))
}

/// Returns the value that a condition says to be a power of two, and whether it may be zero, too.
fn power<'a>(eval: &Eval<'_, 'a>, depth: usize, condition: &'a str, is: bool) -> Option<(&'a str, bool)> {
    let f = eval.program.function(eval.chain[depth].at);
    let Some(Op::Compare { test, a, b, .. }) = f.definition(condition) else { return None };
    let limit = eval.int(depth, b)?;
    match f.definition(a)? {
        // The number of its bits.
        Op::Call { callee: Some(callee), arguments, .. } if callee.starts_with("llvm.ctpop.i") => {
            let of = arguments.first()?.value;
            match (*test, limit, is) {
                ("ult", 2, true) | ("ugt", 1, false) => Some((of, true)),
                ("eq", 1, true) | ("ne", 1, false) => Some((of, false)),
                _ => None,
            }
        }
        // x & (x - 1)
        Op::Binary { op: "and", a: one, b: other, .. } if limit == 0 => {
            let below = |x: &'a str, y: &'a str| match f.definition(y) {
                Some(Op::Binary { op: "add", a, b, .. }) => *a == x && eval.int(depth, b) == Some(-1),
                _ => false,
            };
            let of = if below(one, other) { Some(*one) } else { below(other, one).then_some(*other) };
            matches!((*test, is), ("eq", true) | ("ne", false)).then_some((of?, true))
        }
        _ => None,
    }
}
