//! Launches that the host code makes for inputs of our own: arguments, variables of the environment, numbers to read.
//!
//! Inputs are made of the numbers that the host code compares and computes with, their neighbours, usual sizes, and the
//! words that it compares its arguments with; of those that the evaluation of single launches proposes; and of those that
//! have led to launches, changed in one place. An execution that comes to a launch without any branch that was left open
//! shows that the program makes that launch for that input, and what its memory holds then.

use super::concrete::{Concrete, Number};
use super::ir::{Function, Op};
use super::program::Program;
use super::run::{Input, Inputs, STRING_COMPARES, run};
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// A launch, and the input that makes the program launch it.
#[derive(Clone, Debug)]
pub struct Tried {
    pub launch: Concrete,
    pub input: Input,
}

/// Inputs that are tried, instructions that are executed for all of them, and launches that are kept of each kernel.
const MOST_INPUTS: usize = 320;
/// Inputs that are tried if none has made a launch.
const MOST_WITHOUT: usize = 1200;
const MOST_STEPS: u64 = 24_000_000;
const MOST_KEPT: usize = 64;
/// Launches that are held while inputs are tried, and bytes of their memory.
const MOST_SEEN: usize = 400;
const MOST_BYTES: usize = 64 << 20;
const MOST_OF_INPUT: usize = 3;
/// Arguments, numbers to read, and numbers to choose from.
const MOST_ARGUMENTS: usize = 8;
const MOST_TYPED: usize = 8;
const MOST_NUMBERS: usize = 64;

/// The parts of its input that a program looks at.
#[derive(Debug, Default)]
struct Asked {
    arguments: usize,
    variables: BTreeSet<String>,
    typed: usize,
    numbers: BTreeSet<i64>,
    words: BTreeSet<String>,
}

/// Returns launches that the program was seen to make, by kernel.
pub(super) fn tried(program: &Program<'_>, proposed: Vec<Input>) -> BTreeMap<String, Vec<Tried>> {
    let asked = asked(program);
    let mut found: BTreeMap<String, Vec<Tried>> = BTreeMap::new();
    if !program.whole || asked.arguments == 0 && asked.variables.is_empty() && asked.typed == 0 {
        return found;
    }
    let mut left = MOST_STEPS;
    let mut seen: BTreeSet<Input> = BTreeSet::new();
    let mut proposed = VecDeque::from(proposed);
    let mut source = Source::new(&asked);
    // Inputs that have made a launch.
    let mut good: Vec<Input> = Vec::new();
    for turn in 0..MOST_WITHOUT {
        if turn >= MOST_INPUTS && !good.is_empty() {
            break;
        }
        let input = match turn % 3 {
            1 => {
                // Those with few arguments, and those with many.
                let next = if turn % 2 == 0 { proposed.pop_front() } else { proposed.pop_back() };
                next.unwrap_or_else(|| source.near(&good, &asked, turn))
            }
            2 => source.near(&good, &asked, turn),
            _ => source.input(&asked, turn / 3),
        };
        if left == 0 || !seen.insert(input.clone()) {
            continue;
        }
        if program.is_stopped() {
            break;
        }
        let Some(made) = run(program, Inputs::Given { input: &input, steps: left }) else { break };
        left = left.saturating_sub(made.steps.max(1));
        let input = Input { file: made.file, ..input };
        let mut any = false;
        for (kernel, launches) in made.kernels {
            any |= keep(found.entry(kernel).or_default(), launches, &input);
        }
        if any {
            good.push(input);
        }
    }
    found.retain(|_, all| !all.is_empty());
    for all in found.values_mut() {
        *all = extreme(std::mem::take(all));
    }
    found
}

/// The numbers of a launch: its extents, and its scalar arguments.
fn features(launch: &Concrete) -> Vec<i64> {
    let mut found: Vec<i64> = launch.grid.iter().chain(&launch.block).map(|&n| i64::from(n)).collect();
    for piece in launch.arguments.iter().flat_map(|a| &a.pieces) {
        found.push(match piece.number {
            Number::Bits(bits) if piece.bytes == 4 => i64::from(bits as u32 as i32),
            Number::Bits(bits) => bits as i64,
            Number::Address(_, offset) => i64::try_from(offset).unwrap_or(0),
        });
    }
    found
}

/// Keeps the launches with the least and the greatest of each of their numbers, and some others. Races are often at a limit.
fn extreme(all: Vec<Tried>) -> Vec<Tried> {
    let features: Vec<Vec<i64>> = all.iter().map(|t| features(&t.launch)).collect();
    let mut order: Vec<usize> = Vec::new();
    for n in 0..features.iter().map(Vec::len).max().unwrap_or(0) {
        let with = || (0..all.len()).filter(|&i| features[i].len() > n);
        order.extend(with().min_by_key(|&i| features[i][n]));
        order.extend(with().max_by_key(|&i| features[i][n]));
    }
    order.extend(0..all.len());
    let mut seen = BTreeSet::new();
    order.retain(|&i| seen.insert(i));
    order.truncate(MOST_KEPT);
    let mut kept: Vec<Tried> =
        all.into_iter().enumerate().filter(|(i, _)| order.contains(i)).map(|(_, t)| t).collect();
    // Small launches show a race sooner.
    kept.sort_by_key(|t| t.launch.threads());
    kept
}

/// Adds launches that an input has certainly made; returns whether there is a new one.
fn keep(all: &mut Vec<Tried>, launches: Vec<Concrete>, input: &Input) -> bool {
    let mut launches: Vec<Concrete> =
        launches.into_iter().filter(|l| l.sure && l.is_accepted() && l.is_worth_running()).collect();
    // A loop makes many: the first one and the last ones are kept.
    if launches.len() > MOST_OF_INPUT {
        launches.drain(1..=launches.len() - MOST_OF_INPUT);
    }
    let before = all.len();
    for launch in launches {
        let bytes = |t: &Tried| {
            t.launch.memory.iter().filter_map(|m| m.contents.as_ref()).map(|c| c.len()).sum::<usize>()
        };
        if all.len() < MOST_SEEN
            && all.iter().map(bytes).sum::<usize>() < MOST_BYTES
            && !all.iter().any(|t| t.launch == launch)
        {
            all.push(Tried { launch, input: input.clone() });
        }
    }
    all.len() > before
}

fn asked(program: &Program<'_>) -> Asked {
    let mut asked = Asked::default();
    for at in program.all() {
        let f = program.function(at);
        let module = &program.modules[at.module];
        asked.words.extend(compared_bytes(f));
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
                        "fread" => {
                            asked.typed += arguments.get(2).and_then(|a| small(a.value)).unwrap_or(0) as usize
                        }
                        "strcmp" | "strncmp" | "strcasecmp" | STRING_COMPARES => {
                            asked.words.extend((0..2).filter_map(word));
                        }
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

/// Words that a function compares byte by byte, as compilers write comparisons with short ones.
fn compared_bytes(f: &Function<'_>) -> BTreeSet<String> {
    let (mut words, mut word) = (BTreeSet::new(), String::new());
    let mut bytes: BTreeSet<&str> = BTreeSet::new();
    for inst in f.blocks.iter().flat_map(|b| &b.insts) {
        let compared = match (&inst.op, inst.result) {
            (Op::Load { ty: "i8", .. }, Some(result)) => {
                bytes.insert(result);
                continue;
            }
            (Op::Cast { of, .. }, Some(result)) if bytes.contains(of) => {
                bytes.insert(result);
                continue;
            }
            (Op::Binary { op: "add" | "sub" | "xor", a, b, .. } | Op::Compare { a, b, .. }, _) => {
                let of_byte = bytes.contains(a) || bytes.contains(b);
                if !of_byte {
                    continue;
                }
                small(a).or(small(b))
            }
            _ => continue,
        };
        match compared.and_then(|c| u8::try_from(c.abs()).ok()).filter(u8::is_ascii_graphic) {
            // An option begins.
            Some(b'-') if !word.trim_start_matches('-').is_empty() => {
                words.insert(std::mem::replace(&mut word, "-".into()));
            }
            Some(byte) => word.push(byte.into()),
            None if !word.is_empty() => _ = words.insert(std::mem::take(&mut word)),
            None => {}
        }
    }
    words.extend((!word.is_empty()).then_some(word));
    words
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
        match self.next(5) {
            0 => 1 + self.next(8) as i64,
            _ => {
                let n = self.next(self.numbers.len());
                self.numbers[n]
            }
        }
    }

    /// An input that has led to a launch, changed in one place; any other one if there is none.
    fn near(&mut self, good: &[Input], asked: &Asked, turn: usize) -> Input {
        let Some(from) = good.get(self.next(good.len())) else { return self.input(asked, turn) };
        let mut input = Input { file: None, ..from.clone() };
        let (arguments, variables) = (input.arguments.len(), input.variables.len());
        let place = self.next(arguments + variables + input.typed.len());
        let other = |source: &mut Source, old: i64| match source.next(8) {
            0 => old + 1,
            1 => old - 1,
            2 => old / 2,
            3 => old * 2,
            _ => source.number(),
        };
        let text = |source: &mut Source, old: &mut String| {
            let number = other(source, old.parse().unwrap_or(0));
            *old = number.to_string();
        };
        if place < arguments {
            text(self, &mut input.arguments[place]);
        } else if let Some(old) = input.variables.values_mut().nth(place - arguments) {
            text(self, old);
        } else if let Some(old) = input.typed.get_mut(place - arguments - variables) {
            *old = other(self, *old);
        }
        input
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
