//! Conditions on the way to a launch, taken apart.

use super::super::control_flow::Holds;
use super::super::eval::Eval;
use super::super::ir::Op;

/// Returns two conditions of which one has that truth if the operation has it: one of a disjunction's holds, one of a
/// conjunction's does not.
pub(super) fn one_of<'a>(op: &Op<'a>, is: bool) -> Option<[&'a str; 2]> {
    match op {
        Op::Select { condition, a, b: "false" } if !is => Some([condition, a]),
        Op::Select { condition, a: "true", b } if is => Some([condition, b]),
        Op::Binary { op: "and", a, b, bits: 1, .. } if !is => Some([a, b]),
        Op::Binary { op: "or", a, b, bits: 1, .. } if is => Some([a, b]),
        _ => None,
    }
}

/// Returns the conditions on the way to the launch with their truth, and the parts of conjunctions.
pub(super) fn required<'a>(eval: &Eval<'_, 'a>) -> Vec<(usize, &'a str, bool)> {
    let mut found = Vec::new();
    for (depth, frame) in eval.chain.iter().enumerate() {
        let (f, flow) = (eval.program.function(frame.at), eval.program.flow(frame.at));
        let is = |(value, holds)| match holds {
            Holds::Is(is) => Some((value, is)),
            Holds::Equals(_) | Holds::Leads { .. } => None,
        };
        let mut work: Vec<(&'a str, bool)> =
            flow.conditions(f, frame.block).into_iter().filter_map(is).collect();
        while let Some((value, is)) = work.pop() {
            match f.definition(value) {
                Some(Op::Same(of)) => work.push((of, is)),
                Some(Op::Binary { op: "xor", a, b: "true", bits: 1, .. }) => work.push((a, !is)),
                Some(Op::Select { condition, a, b: "false" }) if is => {
                    work.extend([(*condition, is), (*a, is)])
                }
                Some(Op::Select { condition, a: "true", b }) if !is => {
                    work.extend([(*condition, is), (*b, is)])
                }
                Some(Op::Binary { op, a, b, bits: 1, .. })
                    if matches!((*op, is), ("and", true) | ("or", false)) =>
                {
                    work.extend([(*a, is), (*b, is)]);
                }
                _ => found.push((depth, value, is)),
            }
        }
    }
    found
}
