//! Inputs that lead to a launch by what is known of the host code: arguments, and variables of the environment.
//!
//! Numbers that the program reads from its inputs are chosen, and the host code is evaluated under them. An input is
//! proposed if the launch seems to be reached and its numbers are known then. Executing the host code with the input
//! shows whether it is ([`super::tried_inputs`]).
//!
//! A number is chosen only where it is known which text it is read from: two numbers that are read from one text are one.

use super::concrete::{Concrete, in_numbers};
use super::eval::Eval;
use super::input_ranges::{OF_ARGUMENTS, READ};
use super::ir::Op;
use super::launch_sites::Site;
use super::operands::{parts, roots};
use super::program::{Frame, Program};
use super::reachability::{self, Reach};
use super::run::Input;
use super::slice::needed;
use super::value::{Given, Value};
use std::collections::{BTreeMap, BTreeSet};

/// A part of a program's input.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Place {
    /// The argument of that number; 0 is the program's name.
    Argument(u32),
    /// A variable of the environment.
    Variable(String),
}

/// Returns the input of a program with these numbers, and so many arguments with its name.
fn input(count: i128, numbers: &BTreeMap<Place, i128>) -> Input {
    let mut input = Input::default();
    let highest = numbers.keys().filter_map(|p| match p {
        Place::Argument(n) => Some(i128::from(*n) + 1),
        Place::Variable(_) => None,
    });
    for n in 1..count.max(highest.max().unwrap_or(1)).min(MOST_COUNT) {
        let value = u32::try_from(n).ok().and_then(|n| numbers.get(&Place::Argument(n)));
        input.arguments.push(value.unwrap_or(&1).to_string());
    }
    for (place, value) in numbers {
        if let Place::Variable(name) = place {
            input.variables.insert(name.clone(), value.to_string());
        }
    }
    input
}

/// Choices that are evaluated for one launch, and launches that are kept of them.
const MOST_TRIED: usize = 240;
const MOST_KEPT: usize = 24;
const FEWEST_TRIED: usize = 30;
/// And for all launches of a program together.
const MOST_OF_PROGRAM: usize = 4_000;
/// Numbers that are chosen together.
const MOST_INPUTS: usize = 8;
/// Arguments of a program, with its name.
const MOST_ARGUMENTS: u32 = 16;
/// Arguments of a proposed input, with the program's name: their number may be a size.
const MOST_COUNT: i128 = 200;
/// Threads of a launch that are worth running, and bytes of its memory.
const MOST_THREADS: u64 = 1 << 17;
const MOST_BYTES: u64 = 1 << 28;

/// The parts of an input that are chosen, and the values that are read from each.
#[derive(Default)]
struct Inputs<'a> {
    /// How many arguments there are.
    count: Option<(usize, &'a str)>,
    numbers: BTreeMap<Place, Vec<(usize, &'a str)>>,
    /// Comparisons of a variable's text with null, and what they give if there is one.
    there: Vec<((usize, &'a str), bool)>,
}

/// Returns inputs that seem to lead to a launch, each to another one.
pub(super) fn inputs_that_lead<'a>(
    program: &Program<'a>,
    site: &Site,
    chain: &[Frame],
    tries: usize,
) -> Vec<Input> {
    let mut found: Vec<(Concrete, Input)> = Vec::new();
    let Some(parts) = parts(program, site) else { return Vec::new() };
    let mut from = roots(program, site, &parts, chain.len() - 1);
    // Conditions in all functions of the chain decide which path is taken.
    for (depth, frame) in chain.iter().enumerate() {
        for block in &program.function(frame.at).blocks {
            if let Some(Op::Branch { condition: c, .. } | Op::Switch { value: c, .. }) =
                block.insts.last().map(|i| &i.op)
            {
                from.push((depth, c));
            }
        }
    }
    let needed: BTreeSet<(usize, &'a str)> = needed(program, chain, from).into_iter().collect();
    let Some(inputs) = inputs(program, chain, &needed) else { return Vec::new() };
    if inputs.count.is_none() && inputs.numbers.is_empty() || inputs.numbers.len() > MOST_INPUTS {
        return Vec::new();
    }
    let candidates = candidates(program, chain, &needed);
    for (count, numbers) in choices(&inputs, &candidates).into_iter().take(tries) {
        if !program.follows() || found.len() >= MOST_KEPT {
            break;
        }
        program.refill();
        let given = given(&inputs, count, &numbers);
        if reachability::reach(&Eval::new(program, chain, &given)) == Reach::Open {
            continue;
        }
        let (in_numbers, _) = in_numbers(program, site, &parts, chain, given);
        for one in in_numbers.concrete.unwrap_or_default().into_iter().filter(Concrete::is_worth_running) {
            let input = input(count, &numbers);
            match found.iter().position(|(launch, _)| *launch == one) {
                // Inputs with few arguments are easier to read.
                Some(n) if input.arguments.len() < found[n].1.arguments.len() => found[n].1 = input,
                None if found.len() < MOST_KEPT => found.push((one, input)),
                _ => {}
            }
        }
    }
    // Small launches show a race sooner.
    found.sort_by_key(|(launch, _)| launch.threads());
    found.into_iter().map(|(_, input)| input).collect()
}

/// Choices that are evaluated for each of so many launches.
pub(super) fn tries(launches: usize) -> usize {
    (MOST_OF_PROGRAM / launches.max(1)).clamp(FEWEST_TRIED, MOST_TRIED)
}

/// How many arguments a program has that are read as numbers, with its name.
fn highest(inputs: &Inputs<'_>) -> i128 {
    let numbers = inputs.numbers.keys().filter_map(|p| match p {
        Place::Argument(n) => Some(i128::from(*n) + 1),
        Place::Variable(_) => None,
    });
    numbers.max().unwrap_or(1)
}

/// Returns the parts that can be chosen; `None` if something else is made of the same texts.
fn inputs<'a>(
    program: &Program<'a>,
    chain: &[Frame],
    needed: &BTreeSet<(usize, &'a str)>,
) -> Option<Inputs<'a>> {
    let mut inputs = Inputs::default();
    let main = program.function(chain[0].at);
    if main.name == "main" {
        inputs.count = main.params.first().map(|p| (0, *p)).filter(|key| needed.contains(key));
    }
    for &(depth, name) in needed {
        let f = program.function(chain[depth].at);
        let Some((&name, &(block, inst))) = f.defs.get_key_value(name) else { continue };
        match &f.blocks[block].insts[inst].op {
            Op::Call { callee: Some(c), arguments, .. } if READ.contains(c) => {
                let place = text(program, chain, depth, arguments.first()?.value)?;
                inputs.numbers.entry(place).or_default().push((depth, name));
            }
            Op::Compare { test: test @ ("eq" | "ne"), a, b: "null", .. } => {
                if let Some(Place::Variable(_)) = text(program, chain, depth, a) {
                    inputs.there.push(((depth, name), *test == "ne"));
                }
            }
            _ => {}
        }
    }
    // Another function may read the same text.
    for (depth, frame) in chain.iter().enumerate() {
        for inst in program.function(frame.at).blocks.iter().flat_map(|b| &b.insts) {
            let Op::Call { callee: Some(c), arguments, .. } = &inst.op else { continue };
            if OF_ARGUMENTS.contains(c) {
                let others = arguments.iter().filter(|a| a.ty == "ptr" && a.value.starts_with('%'));
                for a in others {
                    match text(program, chain, depth, a.value) {
                        Some(place) if !inputs.numbers.contains_key(&place) => {}
                        _ if inputs.numbers.is_empty() => {}
                        _ => return None,
                    }
                }
            }
        }
    }
    Some(inputs)
}

/// The text that an address is of.
fn text<'a>(program: &Program<'a>, chain: &[Frame], depth: usize, name: &'a str) -> Option<Place> {
    let f = program.function(chain[depth].at);
    let Some(&(block, inst)) = f.defs.get(name) else {
        // A parameter is the caller's argument.
        let n = f.params.iter().position(|p| *p == name)?;
        let above = depth.checked_sub(1)?;
        let frame = chain[above];
        let call = &program.function(frame.at).blocks[frame.block].insts[frame.inst].op;
        let Op::Call { arguments, .. } = call else { return None };
        return text(program, chain, above, arguments.get(n)?.value);
    };
    match &f.blocks[block].insts[inst].op {
        Op::Same(of) => text(program, chain, depth, of),
        Op::Load { ty: "ptr", from } => {
            let (base, offset) = match f.definition(from) {
                Some(Op::Element { base, indices, constant }) if indices.is_empty() => (*base, *constant),
                Some(_) => return None,
                None => (*from, 0),
            };
            let number = u32::try_from(offset / 8).ok().filter(|_| offset % 8 == 0)?;
            if !is_vector(program, chain, depth, base) {
                return None;
            }
            (1..MOST_ARGUMENTS).contains(&number).then_some(Place::Argument(number))
        }
        Op::Call { callee: Some("getenv"), arguments, .. } => {
            let symbol = arguments.first()?.value.strip_prefix('@')?;
            Some(Place::Variable(program.modules[chain[depth].at.module].string(symbol)?))
        }
        _ => None,
    }
}

/// Returns whether an address is that of the program's arguments.
fn is_vector<'a>(program: &Program<'a>, chain: &[Frame], depth: usize, name: &'a str) -> bool {
    let f = program.function(chain[depth].at);
    if let Some(Op::Same(of)) = f.definition(name) {
        return is_vector(program, chain, depth, of);
    }
    if depth == 0 {
        return f.name == "main" && f.params.get(1) == Some(&name);
    }
    let Some(n) = f.params.iter().position(|p| *p == name) else { return false };
    let frame = chain[depth - 1];
    let call = &program.function(frame.at).blocks[frame.block].insts[frame.inst].op;
    let Op::Call { arguments, .. } = call else { return false };
    arguments.get(n).is_some_and(|a| is_vector(program, chain, depth - 1, a.value))
}

/// Numbers that may make a difference: those of the host code, with their neighbours, and usual sizes.
fn candidates<'a>(program: &Program<'a>, chain: &[Frame], needed: &BTreeSet<(usize, &'a str)>) -> Vec<i128> {
    let mut own: BTreeSet<i128> = BTreeSet::new();
    for &(depth, name) in needed {
        let f = program.function(chain[depth].at);
        let Some(&(block, inst)) = f.defs.get(name) else { continue };
        let inst = &f.blocks[block].insts[inst];
        let constants: Vec<&str> = match &inst.op {
            Op::Binary { a, b, .. } | Op::Compare { a, b, .. } => vec![a, b],
            Op::Select { a, b, .. } => vec![a, b],
            Op::Phi { incoming } => incoming.iter().map(|(v, _)| *v).collect(),
            Op::Call { arguments, .. } => arguments.iter().map(|a| a.value).collect(),
            _ => continue,
        };
        for c in constants.into_iter().filter_map(|c| c.parse::<i128>().ok()) {
            if c.abs() < 1 << 24 {
                own.extend([c - 1, c, c + 1, -c, 1 - c]);
            }
        }
    }
    let mut found: Vec<i128> = own.into_iter().filter(|c| c.abs() <= 1 << 22).collect();
    found.truncate(64);
    for c in
        [1, 2, 3, 4, 8, 16, 31, 32, 33, 63, 64, 65, 100, 127, 128, 129, 256, 500, 1000, 1024, 4096, 0, -1]
    {
        if !found.contains(&c) {
            found.push(c);
        }
    }
    found
}

/// Threads that a block has at most.
const MOST_OF_BLOCK: u32 = 1024;

impl Concrete {
    /// All threads, together.
    pub(super) fn threads(&self) -> u64 {
        self.grid.iter().chain(&self.block).fold(1u64, |all, &n| all.saturating_mul(u64::from(n)))
    }

    /// Returns whether a launch may show a race. An argument that is not known may have no value: it may be a number that
    /// the program fails to read, or one that overflows.
    pub(super) fn is_worth_running(&self) -> bool {
        let bytes = self.memory.iter().fold(0u64, |all, m| all.saturating_add(m.bytes.unwrap_or(0)));
        let allocated = self.memory.iter().all(|m| !m.allocated || m.bytes.is_some_and(|n| n > 0));
        let known = |a: &super::Argument| a.bytes > 0 && !a.pieces.is_empty();
        self.threads() <= MOST_THREADS && bytes <= MOST_BYTES && allocated && self.arguments.iter().all(known)
    }

    /// Returns whether a device takes a launch of these extents.
    pub(super) fn is_accepted(&self) -> bool {
        let threads = self.block.iter().try_fold(1u32, |all, &n| all.checked_mul(n));
        self.grid.iter().chain(&self.block).all(|&n| n > 0)
            && threads.is_some_and(|n| n <= MOST_OF_BLOCK)
            && self.block[2] <= 64
            && self.grid[0] <= i32::MAX as u32
            && self.grid[1..].iter().all(|&n| n <= 65_535)
    }
}

/// Choices of all numbers: in turns the same for all, and any.
fn choices<'a>(inputs: &Inputs<'a>, candidates: &[i128]) -> Vec<(i128, BTreeMap<Place, i128>)> {
    let places: Vec<&Place> = inputs.numbers.keys().collect();
    let all = highest(inputs);
    let mut found: Vec<(i128, BTreeMap<Place, i128>)> = Vec::new();
    let mut push = |count: i128, values: &dyn Fn(usize) -> i128| {
        let given = |p: &&Place| match p {
            Place::Argument(n) => i128::from(*n) < count,
            Place::Variable(_) => true,
        };
        let numbers = places.iter().enumerate().filter(|(_, p)| given(p));
        let numbers: BTreeMap<Place, i128> = numbers.map(|(n, p)| ((*p).clone(), values(n))).collect();
        let one = (count, numbers);
        if found.len() < MOST_TRIED && !found.contains(&one) {
            found.push(one);
        }
    };
    if places.is_empty() {
        for count in 1..=i128::from(MOST_ARGUMENTS) {
            push(count, &|_| 0);
        }
        for &c in candidates.iter().filter(|&&c| c >= 1) {
            push(c, &|_| 0);
        }
        return found;
    }
    let mut state = 0x9e37_79b9_7f4a_7c15u64;
    let mut random = move |n: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 11) as usize % n.max(1)
    };
    let more: Vec<i128> = candidates.iter().copied().filter(|&c| c > all).chain([all + 1, all + 2]).collect();
    for turn in 0..MOST_TRIED {
        let same = candidates[turn / 4 % candidates.len()];
        let picked: Vec<i128> = places.iter().map(|_| candidates[random(candidates.len())]).collect();
        let count = match turn % 4 {
            // With fewer arguments others have their default values; the number of arguments may itself be a size.
            2 if inputs.count.is_some() => more[random(more.len())],
            3 if inputs.count.is_some() => 1 + random(all as usize) as i128,
            _ => all,
        };
        match turn % 4 {
            0 => push(count, &|_| same),
            _ => push(count, &|n| picked[n]),
        }
    }
    found
}

fn given<'a>(inputs: &Inputs<'a>, count: i128, numbers: &BTreeMap<Place, i128>) -> Given<'a> {
    let mut given = Given::new();
    if let Some(key) = inputs.count {
        given.insert(key, Value::Int(count));
    }
    for (place, names) in &inputs.numbers {
        if let Some(value) = numbers.get(place) {
            given.extend(names.iter().map(|key| (*key, Value::Int(*value))));
        }
    }
    given.extend(inputs.there.iter().map(|(key, is)| (*key, Value::Int(i128::from(*is)))));
    given
}
