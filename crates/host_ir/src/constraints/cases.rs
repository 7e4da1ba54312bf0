//! Ways to a launch that differ in what they choose: one edge of each join, one side of each condition.
//!
//! Several values that one branch chooses belong together: a block of 64 threads with rows of 64, one of 128 with rows of
//! 128. What holds of a launch is told for each such case by itself.
//!
//! A join counts if every way to the launch leads through it, and if it begins no loop: then what its edges bring, and what
//! holds there, is at the launch what it was when the join was last passed.

use super::super::control_flow::{Flow, Holds};
use super::super::eval::Eval;
use super::super::ir::Op;
use super::super::launch_sites::Site;
use super::super::operands::{Parts, roots};
use super::super::program::Program;
use super::super::slice::needed;
use super::super::value::Given;
use super::disjunctions::{one_of, required};
use std::collections::{BTreeSet, HashMap};

/// The choices that are taken for granted on the way to a launch.
#[derive(Clone, Debug, Default)]
pub(super) struct Case<'a> {
    /// The block that a block was entered from, by function of the chain and block.
    pub(super) edges: HashMap<(usize, usize), usize>,
    /// The truth of conditions, by function of the chain and condition.
    pub(super) selects: HashMap<(usize, &'a str), bool>,
    /// The numbers that values are, by function of the chain and value.
    pub(super) numbers: HashMap<(usize, &'a str), i128>,
}

/// Cases of one launch.
pub(super) const MOST_CASES: usize = 24;

/// Conditions that are one of two on the way to a launch.
const MOST_DISJUNCTIONS: usize = 2;

/// Something that chooses.
enum Choice<'a> {
    Join { block: usize, from: Vec<usize> },
    Select { condition: &'a str },
}

/// The cases of a launch; none if there is but one.
pub(super) fn cases<'a>(
    program: &Program<'a>,
    site: &Site,
    parts: &Parts<'a>,
    eval: &Eval<'_, 'a>,
) -> Vec<Case<'a>> {
    let last = eval.chain.len() - 1;
    let needed: BTreeSet<(usize, &'a str)> =
        needed(program, eval.chain, roots(program, site, parts, last)).into_iter().collect();
    let mut all = vec![Case::default()];
    let either = disjunctions(eval).into_iter().take(MOST_DISJUNCTIONS);
    let either = either.map(|(depth, condition)| (depth, Choice::Select { condition }));
    for (depth, choice) in choices(eval, &needed).into_iter().chain(either) {
        let ways = match &choice {
            Choice::Join { from, .. } => from.len(),
            Choice::Select { .. } => 2,
        };
        if all.len() * ways > MOST_CASES {
            continue;
        }
        let before = std::mem::take(&mut all);
        for case in before {
            for way in 0..ways {
                let mut case = case.clone();
                match &choice {
                    Choice::Join { block, from } => _ = case.edges.insert((depth, *block), from[way]),
                    Choice::Select { condition } => _ = case.selects.insert((depth, *condition), way == 1),
                }
                all.push(case);
            }
        }
    }
    if all.len() < 2 { Vec::new() } else { all }
}

/// Returns the first condition of each pair of which one must hold on the way to the launch.
fn disjunctions<'a>(eval: &Eval<'_, 'a>) -> Vec<(usize, &'a str)> {
    let mut found = Vec::new();
    for (depth, condition, is) in required(eval) {
        let f = eval.program.function(eval.chain[depth].at);
        if let Some([first, _]) = f.definition(condition).and_then(|op| one_of(op, is))
            && first.starts_with('%')
            && is_chosen_once(eval, depth, first)
            && !found.contains(&(depth, first))
        {
            found.push((depth, first));
        }
    }
    found
}

fn choices<'a>(eval: &Eval<'_, 'a>, needed: &BTreeSet<(usize, &'a str)>) -> Vec<(usize, Choice<'a>)> {
    let mut found: Vec<(usize, usize, Choice<'a>)> = Vec::new();
    for &(depth, name) in needed {
        let frame = eval.chain[depth];
        let (f, flow) = (eval.program.function(frame.at), eval.program.flow(frame.at));
        let Some(&(block, inst)) = f.defs.get(name) else { continue };
        if eval.value(depth, name).is_some() || !is_passed_once(&flow, block, frame.block) {
            continue;
        }
        let choice = match &f.blocks[block].insts[inst].op {
            Op::Phi { incoming } if incoming.iter().all(|(_, from)| !flow.dominates(block, *from)) => {
                let mut from: Vec<usize> = incoming.iter().map(|(_, from)| *from).collect();
                from.sort_unstable();
                from.dedup();
                Choice::Join { block, from }
            }
            Op::Select { condition, .. } if condition.starts_with('%') => Choice::Select { condition },
            _ => continue,
        };
        let same = |other: &Choice<'a>| match (other, &choice) {
            (Choice::Join { block: a, .. }, Choice::Join { block: b, .. }) => a == b,
            (Choice::Select { condition: a }, Choice::Select { condition: b }) => a == b,
            _ => false,
        };
        if !found.iter().any(|(d, _, other)| *d == depth && same(other)) {
            found.push((depth, block, choice));
        }
    }
    // Those next to the launch first.
    found.sort_by_key(|(depth, block, _)| std::cmp::Reverse((*depth, *block)));
    found.into_iter().map(|(depth, _, choice)| (depth, choice)).collect()
}

/// Returns whether every way to the launch leads through a block, and through no other turn of a loop behind it: what is
/// chosen there would be taken for the choice of each turn.
pub(super) fn is_passed_once(flow: &Flow, block: usize, launch: usize) -> bool {
    let turns = |l: &flowgraph::Loop| l.contains(block) && !l.contains(launch);
    flow.dominates(block, launch) && !flow.loops.iter().any(turns)
}

/// Returns whether a value has at the launch the only number that is evaluated for it.
pub(super) fn is_chosen_once(eval: &Eval<'_, '_>, depth: usize, name: &str) -> bool {
    let frame = eval.chain[depth];
    let (f, flow) = (eval.program.function(frame.at), eval.program.flow(frame.at));
    // A parameter is what the caller passes.
    f.defs.get(name).is_none_or(|&(block, _)| is_passed_once(&flow, block, frame.block))
}

impl<'a> Case<'a> {
    /// Returns the cases in each of which a value is one of these numbers.
    pub(super) fn with_numbers(
        mut all: Vec<Case<'a>>,
        value: (usize, &'a str),
        numbers: &[i128],
    ) -> Vec<Case<'a>> {
        if all.is_empty() {
            all.push(Case::default());
        }
        let each = |case: Case<'a>| {
            let one = |number: &i128| {
                let mut case = case.clone();
                case.numbers.insert(value, *number);
                case
            };
            numbers.iter().map(one).collect::<Vec<_>>()
        };
        all.into_iter().flat_map(each).collect()
    }

    /// Returns the conditions that hold in this case only, the outermost last, by function of the chain.
    pub(super) fn conditions(&self, eval: &Eval<'_, 'a>) -> Vec<(usize, &'a str, Holds)> {
        let mut found = Vec::new();
        for (&(depth, block), &from) in &self.edges {
            let at = eval.chain[depth].at;
            let (f, flow) = (eval.program.function(at), eval.program.flow(at));
            let all = flow.conditions_of_edge(f, from, block);
            found.extend(all.into_iter().rev().map(|(value, holds)| (depth, value, holds)));
        }
        found.extend(self.selects.iter().map(|(&(depth, c), &is)| (depth, c, Holds::Is(is))));
        found
    }

    /// Returns whether a value that is known says otherwise.
    pub(super) fn is_excluded(&self, eval: &Eval<'_, 'a>) -> bool {
        self.conditions(eval).into_iter().any(|(depth, value, holds)| eval.fails(depth, value, holds))
    }

    /// Returns the given values, and those that the case chooses, if they are known.
    pub(super) fn given(&self, eval: &Eval<'_, 'a>, given: &Given<'a>) -> Given<'a> {
        let mut chosen = given.clone();
        for (&(depth, block), &from) in &self.edges {
            let f = eval.program.function(eval.chain[depth].at);
            for inst in &f.blocks[block].insts {
                let (Op::Phi { incoming }, Some(result)) = (&inst.op, inst.result) else { break };
                let value = incoming.iter().find(|(_, b)| *b == from);
                if let Some(value) = value.and_then(|(v, _)| eval.value(depth, v)) {
                    chosen.insert((depth, result), value);
                }
            }
        }
        for (&(depth, condition), &is) in &self.selects {
            chosen.insert((depth, condition), super::super::value::Value::Int(i128::from(is)));
        }
        for (&value, &number) in &self.numbers {
            chosen.insert(value, super::super::value::Value::Int(number));
        }
        chosen
    }
}
