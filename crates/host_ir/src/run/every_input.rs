//! Launches of a program for every input: its host code is executed with unknown arguments, once for each class of
//! inputs.
//!
//! A class has the inputs for which the first call of `atoi` returns a number of one interval, and those for which there
//! is no such call. The first class has all numbers. An interval is divided where a comparison of the number depends on
//! it, and into single numbers where a launch is not known otherwise. Everything else that the program may be given is
//! unknown, and so are the results of later calls. So each launch that the program makes for some input is among those
//! that the execution of one class has found.

use super::state::State;
use super::{Inputs, Machine, Value, run};
use crate::concrete::Concrete;
use crate::program::Program;
use std::collections::{BTreeMap, BTreeSet};

/// Limits the instructions of all classes, and the number of classes.
const MOST_STEPS: u64 = 12_000_000;
const MOST_CLASSES: usize = 400;
/// Intervals of at most so many numbers are divided into these.
const MOST_NUMBERS: i64 = 256;
/// Limits the known contents of memory in bytes.
const MOST_BYTES: usize = 32 << 20;

/// The least and the greatest result of the first `atoi`.
pub(super) type Class = (i64, i64);

/// When an interval of few numbers is divided into these.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Division {
    Always,
    /// If a launch is not known otherwise.
    IfNeeded,
}

/// Returns the launches for all inputs, by kernel. A kernel is missing if some of its launches may not be known.
pub(crate) fn for_every_input(program: &Program<'_>) -> BTreeMap<String, Vec<Concrete>> {
    let found = by_class(program, Division::Always).or_else(|| by_class(program, Division::IfNeeded));
    found.unwrap_or_default()
}

/// Executes the program for each class of inputs; `None` if there are too many, or if too little is known.
fn by_class(program: &Program<'_>, division: Division) -> Option<BTreeMap<String, Vec<Concrete>>> {
    let mut open: Vec<Class> = vec![(i32::MIN.into(), i32::MAX.into())];
    let mut found: BTreeMap<String, Vec<Concrete>> = BTreeMap::new();
    let mut missed: BTreeSet<String> = BTreeSet::new();
    let (mut steps, mut bytes) = (MOST_STEPS, 0);
    for _ in 0..MOST_CLASSES {
        if program.is_stopped() {
            return None;
        }
        let Some((low, high)) = open.pop() else {
            found.retain(|kernel, _| !missed.contains(kernel));
            return Some(found);
        };
        let made = run(program, Inputs::Any { class: (low, high), steps })?;
        steps = steps.saturating_sub(made.steps.max(1));
        if let Some(at) = made.split {
            open.extend([(at, high), (low, at - 1)]);
            continue;
        }
        let incomplete = made.all_missed || !made.missed.is_empty();
        let more = incomplete || division == Division::Always && !made.kernels.is_empty();
        if more && low < high && high - low < MOST_NUMBERS {
            open.extend((low..=high).map(|n| (n, n)));
            continue;
        }
        if made.all_missed || steps == 0 {
            return None;
        }
        missed.extend(made.missed);
        for (kernel, launches) in made.kernels {
            let all = found.entry(kernel).or_default();
            for launch in launches {
                bytes += known_bytes(&launch);
                if !all.contains(&launch) {
                    all.push(launch);
                }
            }
        }
        if bytes > MOST_BYTES {
            return None;
        }
    }
    None
}

fn known_bytes(launch: &Concrete) -> usize {
    launch.memory.iter().filter_map(|m| m.contents.as_ref()).map(|contents| contents.len()).sum()
}

impl<'a> Machine<'_, 'a> {
    /// Returns the arguments of `main` for any input: a number, and the addresses of unknown memory.
    pub(super) fn any_arguments(&mut self, state: &mut State<'a>) -> [Value; 3] {
        let [list, environment] = [(); 2].map(|()| self.unknown_memory(state));
        [Value::Unknown, list, environment]
    }

    /// Returns the result of a call of `atoi`, if inputs are divided into classes.
    pub(super) fn classified(&mut self, state: &mut State<'a>) -> Option<Value> {
        let (low, high) = self.class?;
        let first = std::mem::replace(&mut state.converts, true);
        Some(match first {
            true => Value::Unknown,
            false if low == high => Value::Number(low),
            false => Value::Converted { plus: 0 },
        })
    }

    /// Compares the class's number plus `plus` with a constant. Asks for a division of the class if the result is not the
    /// same for all its numbers.
    pub(super) fn compare_class(
        &mut self,
        state: &State<'a>,
        plus: i32,
        holds: impl Fn(i64) -> bool,
        constant: i64,
    ) -> Option<Value> {
        let (low, high) = self.class?;
        let sum = |v: i64| i64::from((v as i32).wrapping_add(plus));
        let first = holds(sum(low));
        // The result changes at the constant only, and where numbers wrap around.
        let changes = [constant, constant + 1, 0, i64::from(i32::MIN)];
        let mut at: Vec<i64> = changes.map(|c| i64::from((c as i32).wrapping_sub(plus))).to_vec();
        at.retain(|&v| low < v && v <= high && holds(sum(v)) != first);
        match at.into_iter().min() {
            Some(at) => {
                self.split = Some(at);
                self.lose(state, "the class of inputs is divided");
                None
            }
            None => Some(Value::Number(first.into())),
        }
    }
}
