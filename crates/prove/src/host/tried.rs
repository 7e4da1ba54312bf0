//! The host code executed with inputs of our own: arguments, variables of the environment, numbers to read.
//!
//! Inputs are made of the numbers that the host code compares and computes with, their neighbours, usual sizes, and the
//! words that it compares its arguments with. An execution that comes to a launch without any branch that was left open
//! shows that the program makes that launch for that input, and what its memory holds then.

use super::ir::{Function, Op};
use super::numbers::Concrete;
use super::program::Program;
use super::run::{Input, run};
use std::collections::{BTreeMap, BTreeSet};

/// A launch, and what the program is given that makes it.
#[derive(Clone, Debug)]
pub struct Tried {
    pub launch: Concrete,
    pub input: Input,
}

/// Inputs that are tried, instructions that are executed for all of them, and launches that are kept of each kernel.
const MOST_INPUTS: usize = 240;
const MOST_STEPS: u64 = 12_000_000;
const MOST_KEPT: usize = 32;
const MOST_OF_INPUT: usize = 3;
/// Arguments, numbers to read, and numbers to choose from.
const MOST_ARGUMENTS: usize = 8;
const MOST_TYPED: usize = 8;
const MOST_NUMBERS: usize = 64;

/// What a program looks at.
#[derive(Debug, Default)]
struct Asked {
    arguments: usize,
    variables: BTreeSet<String>,
    typed: usize,
    numbers: BTreeSet<i64>,
    words: BTreeSet<String>,
}

/// By kernel, launches that the program was seen to make.
pub(super) fn tried(program: &Program<'_>) -> BTreeMap<String, Vec<Tried>> {
    let mut found: BTreeMap<String, Vec<Tried>> = BTreeMap::new();
    let asked = asked(program);
    if !program.whole || asked.arguments == 0 && asked.variables.is_empty() && asked.typed == 0 {
        return found;
    }
    let mut left = MOST_STEPS;
    let mut seen: Vec<Input> = Vec::new();
    let mut source = Source::new(&asked);
    for turn in 0..MOST_INPUTS {
        let input = source.input(&asked, turn);
        if left == 0 || seen.contains(&input) {
            continue;
        }
        let Some(made) = run(program, Some((&input, left))) else { break };
        seen.push(input.clone());
        left = left.saturating_sub(made.steps.max(1));
        for (kernel, launches) in made.kernels {
            let all = found.entry(kernel).or_default();
            let mut launches: Vec<Concrete> =
                launches.into_iter().filter(|l| l.sure && l.is_accepted() && l.is_worth_running()).collect();
            // Of many that a loop makes, the last ones and the first one.
            if launches.len() > MOST_OF_INPUT {
                launches.drain(1..=launches.len() - MOST_OF_INPUT);
            }
            for launch in launches {
                if all.len() < MOST_KEPT && !all.iter().any(|t| t.launch == launch) {
                    all.push(Tried { launch, input: input.clone() });
                }
            }
        }
    }
    for all in found.values_mut() {
        all.sort_by_key(|t| t.launch.threads());
    }
    found
}

fn asked(program: &Program<'_>) -> Asked {
    let mut asked = Asked::default();
    for at in program.all() {
        let f = program.function(at);
        let module = &program.modules[at.module];
        for inst in f.blocks.iter().flat_map(|b| &b.insts) {
            match &inst.op {
                Op::Element { base, indices, constant } if f.params.contains(base) => {
                    let is_argument = |name: &str| {
                        f.uses.get(name).into_iter().flatten().any(|&(block, inst)| {
                            matches!(f.blocks[block].insts[inst].op, Op::Load { ty: "ptr", .. })
                        })
                    };
                    if inst.result.is_some_and(is_argument) {
                        let highest =
                            if indices.is_empty() { usize::try_from(constant / 8).unwrap_or(0) } else { 4 };
                        asked.arguments = asked.arguments.max(highest.min(MOST_ARGUMENTS));
                    }
                }
                Op::Call { callee: Some(callee), arguments, .. } => {
                    let word = |n: usize| module.string(arguments.get(n)?.value.strip_prefix('@')?);
                    match *callee {
                        "getenv" | "secure_getenv" => asked.variables.extend(word(0)),
                        c if c.ends_with("scanf") => {
                            let formats = (0..3).filter_map(word);
                            asked.typed += formats.map(|f| f.matches('%').count()).sum::<usize>();
                        }
                        c if c.starts_with("_ZNSirsER") => asked.typed += 1,
                        "strcmp" | "strncmp" | "strcasecmp" => asked.words.extend((0..2).filter_map(word)),
                        "main" => {}
                        _ => asked.numbers.extend(arguments.iter().filter_map(|a| small(a.value))),
                    }
                }
                Op::Binary { a, b, .. } | Op::Compare { a, b, .. } | Op::Select { a, b, .. } => {
                    asked.numbers.extend([a, b].into_iter().filter_map(|v| small(v)));
                    asked.numbers.extend(limit_of_sum(f, a, b));
                }
                Op::Phi { incoming } => asked.numbers.extend(incoming.iter().filter_map(|(v, _)| small(v))),
                Op::Switch { cases, .. } => {
                    asked.numbers.extend(cases.iter().filter_map(|(c, _)| i64::try_from(*c).ok()));
                }
                _ => {}
            }
        }
    }
    let main = program.all().find(|&at| program.function(at).name == "main");
    let uses_count = main.is_some_and(|at| {
        let f = program.function(at);
        f.params.first().is_some_and(|p| f.uses.contains_key(p))
    });
    asked.arguments = asked.arguments.max(usize::from(uses_count));
    asked.typed = asked.typed.min(MOST_TYPED);
    asked
}

/// The number that is compared where a sum is: `x + added` with `limit`.
fn limit_of_sum(f: &Function<'_>, a: &str, limit: &str) -> Option<i64> {
    match f.definition(a) {
        Some(Op::Binary { op: "add", b: added, .. }) => Some(small(limit)? - small(added)?),
        _ => None,
    }
}

fn small(value: &str) -> Option<i64> {
    value.parse::<i64>().ok().filter(|v| v.abs() <= 1 << 20)
}

/// Makes inputs.
struct Source {
    state: u64,
    numbers: Vec<i64>,
}

impl Source {
    fn new(asked: &Asked) -> Source {
        let near: BTreeSet<i64> = asked.numbers.iter().flat_map(|c| [c - 1, *c, c + 1, -c, 1 - c]).collect();
        let mut numbers: Vec<i64> = near.into_iter().collect();
        numbers.sort_by_key(|n| n.abs());
        numbers.truncate(MOST_NUMBERS);
        for n in
            [1, 2, 3, 4, 8, 16, 31, 32, 33, 63, 64, 65, 100, 127, 128, 129, 256, 500, 1000, 1024, 4096, 0, -1]
        {
            if !numbers.contains(&n) {
                numbers.push(n);
            }
        }
        Source { state: 0x9e37_79b9_7f4a_7c15, numbers }
    }

    fn next(&mut self, below: usize) -> usize {
        self.state ^= self.state << 13;
        self.state ^= self.state >> 7;
        self.state ^= self.state << 17;
        (self.state >> 11) as usize % below.max(1)
    }

    fn number(&mut self) -> i64 {
        let n = self.next(self.numbers.len());
        self.numbers[n]
    }

    fn input(&mut self, asked: &Asked, turn: usize) -> Input {
        let words: Vec<&String> = asked.words.iter().collect();
        let same = self.numbers[turn / 2 % self.numbers.len()];
        let number = |source: &mut Source| if turn.is_multiple_of(2) { same } else { source.number() };
        let count = match turn % 4 {
            3 => self.next(asked.arguments + 2),
            _ => asked.arguments,
        };
        let mut input = Input::default();
        if turn == 1 {
            return input;
        }
        while input.arguments.len() < count {
            if !words.is_empty() && self.next(2) == 0 {
                input.arguments.push(words[self.next(words.len())].clone());
                if self.next(4) == 0 {
                    continue;
                }
            }
            input.arguments.push(number(self).to_string());
        }
        for name in &asked.variables {
            if self.next(4) > 0 {
                input.variables.insert(name.clone(), number(self).to_string());
            }
        }
        input.typed = (0..asked.typed).map(|_| number(self)).collect();
        input
    }
}
