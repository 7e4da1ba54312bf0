//! The host code executed, as far as it is known what it does: which launches a program makes that is started without
//! arguments, and what its memory holds before each of them.
//!
//! Bytes and registers are known or not. Where a branch is not decided, all its ways are taken up to where they meet
//! again, and what they agree about stays known; a loop whose end is not known is repeated until nothing changes any
//! more. So whatever the program does, its launches are among those that were found, up to the place where the
//! execution was lost, if it was: kernels that might be launched behind that place are left out ([`Made::kernels`]).
//!
//! Calls of CUDA are taken to succeed, and nothing is thrown. What a kernel writes is not known: [`Memory::launches`] says
//! which launches had an address by then. [`library`] says what functions do whose code is not there.
//!
//! [`Memory::launches`]: crate::Memory
//!
//! **Size:** one interpreter, whose steps share the state of its ways.

mod array;
mod code;
mod constants;
mod cuda;
mod errno;
mod every_input;
mod fork;
mod images;
mod input;
mod launch;
mod library;
mod load;
mod memory;
mod reach;
mod sort;
mod state;
mod step;
mod values;

pub(crate) use every_input::for_every_input;
pub use input::Input;
pub(crate) use input::STRING_COMPARES;

use super::concrete::Concrete;
use super::program::{At, Program};
use super::source_lines;
use code::{Call, Code, End, Step};
use constants::Places;
use fork::Fork;
use memory::{Fill, Id, Object, Place};
use state::{Frame, Spot, State, Until, get, is_there, jump, stack};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::rc::Rc;

/// The contents of a register.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Value {
    Unknown,
    /// With the sign of its width; bits of a floating-point number; an address.
    Number(i64),
    /// Somewhere in that object.
    Near(Id),
    /// The sum of a constant and the number by which inputs are divided into classes ([`every_input`]), in 32 bits.
    Converted {
        plus: i32,
    },
    Several(Rc<Vec<Value>>),
}

impl Value {
    fn number(&self) -> Option<i64> {
        match self {
            Value::Number(v) => Some(*v),
            _ => None,
        }
    }
}

/// Instructions that are executed.
const MOST_STEPS: u64 = 20_000_000;
/// The clock is asked once in so many instructions.
const CHECKED_EVERY: u64 = 1024;
/// Branches that are not decided: all together, and within one another.
const MOST_FORKS: usize = 4000;
const MOST_NESTED: usize = 40;
/// Turns of a loop of which the end is not known, until nothing changes.
const MOST_ROUNDS: usize = 12;
const MOST_CALLS: usize = 200;
const MOST_OBJECTS: u32 = 1 << 20;

/// Addresses of functions.
const FUNCTION: u64 = 0x5B;

/// All launches that the program makes, as far as they are known.
#[derive(Debug, Default)]
pub(super) struct Made {
    /// Launches by kernel, if none can have been missed.
    pub(super) kernels: BTreeMap<String, Vec<Concrete>>,
    /// The program looks at its arguments.
    pub(super) asks: bool,
    /// The place where the execution was lost, and why.
    pub(super) lost: Option<String>,
    /// Instructions that were executed.
    pub(super) steps: u64,
    /// Kernels with launches that are not known.
    pub(super) missed: BTreeSet<String>,
    /// All kernels may have such launches.
    pub(super) all_missed: bool,
    /// The number at which the class of inputs must be divided.
    pub(super) split: Option<i64>,
    /// The file from which the input's numbers were read.
    pub(super) file: Option<input::File>,
}

/// What the program is given.
#[derive(Clone, Copy)]
pub(super) enum Inputs<'i> {
    /// No arguments, and anything else.
    NoArguments,
    /// This input; so many instructions are executed.
    Given { input: &'i Input, steps: u64 },
    /// Any input of a class.
    Any { class: every_input::Class, steps: u64 },
}

impl<'i> Inputs<'i> {
    fn steps(self) -> u64 {
        match self {
            Inputs::NoArguments => MOST_STEPS,
            Inputs::Given { steps, .. } | Inputs::Any { steps, .. } => steps,
        }
    }

    fn given(self) -> Option<&'i Input> {
        match self {
            Inputs::Given { input, .. } => Some(input),
            _ => None,
        }
    }

    fn class(self) -> Option<every_input::Class> {
        match self {
            Inputs::Any { class, .. } => Some(class),
            _ => None,
        }
    }
}

#[derive(Clone, Copy, Debug)]
enum Target<'a> {
    Here(At),
    Outside(&'a str),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Outcome {
    Reached,
    /// The program ends.
    Ended,
    /// It goes on where another part has been: at that fork, of those that are open.
    Again(usize),
    /// It ends with an error.
    GaveUp,
    Lost,
}

struct Machine<'p, 'a> {
    program: &'p Program<'a>,
    code: HashMap<At, Rc<Code<'a>>>,
    /// Symbols by module, and those that all share.
    own: Vec<HashMap<&'a str, u64>>,
    shared: HashMap<&'a str, u64>,
    targets: Vec<Target<'a>>,
    /// Kernels by module and symbol of the host's function or its stub.
    kernels: HashMap<(usize, &'a str), String>,
    /// Variables of modules by the host's address.
    variables: BTreeMap<u64, Id>,
    /// Handles of kernels that were looked up by name.
    handles: Vec<String>,
    next: Id,
    steps: u64,
    /// The input of the program, if it is known, and how many numbers it has read.
    input: Option<Input>,
    read: usize,
    /// The file that it has opened.
    stream: Option<input::Stream>,
    /// It has read from several streams, or other numbers on other paths: which ones the input's numbers are is not known.
    mixed: bool,
    /// The class of inputs, and the number at which it must be divided.
    class: Option<every_input::Class>,
    split: Option<i64>,
    /// An operation has wrapped around that must not: what the program does may be undefined.
    wrapped: bool,
    forked: usize,
    forks: Vec<Fork<'a>>,
    /// The place of the outermost fork.
    root: Vec<Spot>,
    /// Why it is not known how the program goes on, from where, and the place where that was seen.
    lost: Option<(String, Vec<Spot>, Option<Spot>)>,
    /// Functions that are called at the end.
    deferred: Vec<u64>,
    made: BTreeMap<String, Vec<Concrete>>,
    /// Launches that were made since the program began, and since each of the forks that are open: by kernel and place in
    /// `made`.
    here: Vec<BTreeSet<(String, usize)>>,
    /// Kernels with a launch of which too little is known.
    broken: BTreeSet<String>,
    /// All kernels, if it is not known which one.
    all_broken: bool,
    /// The memory of `errno`.
    errno: Id,
}

struct Symbols<'m, 'a> {
    own: &'m HashMap<&'a str, u64>,
    shared: &'m HashMap<&'a str, u64>,
}

impl Places for Symbols<'_, '_> {
    fn place(&self, symbol: &str) -> Option<u64> {
        self.own.get(symbol).or_else(|| self.shared.get(symbol)).copied()
    }
}

/// Executes `main`, if it is there.
pub(super) fn run(program: &Program<'_>, inputs: Inputs<'_>) -> Option<Made> {
    if !program.whole {
        return None;
    }
    let main = program.all().find(|&at| program.function(at).name == "main")?;
    let mut machine = Machine {
        program,
        code: HashMap::new(),
        own: Vec::new(),
        shared: HashMap::new(),
        targets: Vec::new(),
        kernels: HashMap::new(),
        variables: BTreeMap::new(),
        handles: Vec::new(),
        next: 1,
        steps: inputs.steps(),
        input: inputs.given().cloned(),
        read: 0,
        stream: None,
        mixed: false,
        class: inputs.class(),
        split: None,
        wrapped: false,
        forked: 0,
        forks: Vec::new(),
        root: Vec::new(),
        lost: None,
        deferred: Vec::new(),
        made: BTreeMap::new(),
        here: vec![BTreeSet::new()],
        broken: BTreeSet::new(),
        all_broken: false,
        errno: 0,
    };
    let mut state = State::default();
    machine.load(&mut state);
    machine.errno = machine.allocate(&mut state, Some(4), Place::Host, Fill::Byte(0));
    for at in machine.constructors() {
        machine.enter(&mut state, at, Vec::new(), None);
        let until = Until { depth: 1, block: None };
        if machine.run(&mut state, until) != Outcome::Reached {
            let lost = machine.lost.as_ref().map(|(why, from, at)| machine.told(why, from, *at));
            return Some(Made { lost, all_missed: true, split: machine.split, ..Made::default() });
        }
    }
    let f = program.function(main);
    let asks = f.params.iter().any(|p| f.uses.contains_key(p));
    let all = match inputs {
        Inputs::Any { .. } => machine.any_arguments(&mut state),
        _ => {
            let (count, list) = machine.arguments(&mut state, &inputs.given().cloned().unwrap_or_default());
            let environment = machine.unknown_memory(&mut state);
            [Value::Number(count), Value::Number(memory::base(list) as i64), environment]
        }
    };
    let arguments = all.into_iter().take(f.params.len()).collect();
    machine.enter(&mut state, main, arguments, None);
    machine.run(&mut state, Until { depth: 1, block: None });
    for (kernel, place) in machine.here.swap_remove(0) {
        if let Some(launch) = machine.made.get_mut(&kernel).and_then(|all| all.get_mut(place)) {
            launch.sure = true;
        }
    }
    let mut missed = machine.missed();
    missed.extend(std::mem::take(&mut machine.broken));
    let lost = machine.lost.as_ref().map(|(why, from, at)| machine.told(why, from, *at));
    // Objects cost time, too.
    let steps = inputs.steps() - machine.steps + u64::from(machine.next);
    let kernels = match machine.all_broken {
        // With an input, launches that are certain count, whatever else is launched.
        _ if machine.input.is_some() && (machine.wrapped || machine.mixed) => BTreeMap::new(),
        _ if machine.input.is_some() => machine.made,
        true => BTreeMap::new(),
        false => machine.made.into_iter().filter(|(k, _)| !missed.contains(k)).collect(),
    };
    let (all_missed, split) = (machine.all_broken, machine.split);
    let file = machine.stream.filter(|_| machine.read > 0).map(|stream| stream.file);
    Some(Made { kernels, asks, lost, steps, missed, all_missed, split, file })
}

fn is_address(v: i64) -> bool {
    matches!(v as u64 >> 56, 0x5A | FUNCTION)
}

impl<'a> Machine<'_, 'a> {
    fn allocate(&mut self, state: &mut State<'a>, size: Option<u64>, place: Place, fill: Fill) -> Id {
        let id = self.next;
        self.next += 1;
        state.objects.insert(id, Rc::new(Object::new(size, place, fill)));
        id
    }

    /// Returns the address of memory of which nothing is known.
    fn unknown_memory(&mut self, state: &mut State<'a>) -> Value {
        Value::Number(memory::base(self.allocate(state, None, Place::Host, Fill::Unknown)) as i64)
    }

    fn function_at(&mut self, target: Target<'a>) -> u64 {
        self.targets.push(target);
        FUNCTION << 56 | (self.targets.len() as u64) << 4
    }

    fn target(&self, address: i64) -> Option<Target<'a>> {
        let address = address as u64;
        let index = (address & !(0xff << 56)) >> 4;
        (address >> 56 == FUNCTION && address.is_multiple_of(16))
            .then(|| self.targets.get((index as usize).checked_sub(1)?).copied())?
    }

    fn place(&self, module: usize, symbol: &str) -> Option<u64> {
        Symbols { own: &self.own[module], shared: &self.shared }.place(symbol)
    }

    fn enter(&mut self, state: &mut State<'a>, at: At, arguments: Vec<Value>, result: Option<u32>) {
        let code = match self.code.get(&at) {
            Some(code) => Rc::clone(code),
            None => {
                let symbols = Symbols { own: &self.own[at.module], shared: &self.shared };
                let module = &self.program.modules[at.module];
                let code = Rc::new(code::compile(module, self.program.function(at), &symbols));
                self.code.insert(at, Rc::clone(&code));
                code
            }
        };
        let mut registers = vec![Value::Unknown; code.registers as usize];
        for (&r, value) in code.parameters.iter().zip(arguments) {
            registers[r as usize] = value;
        }
        state.frames.push(Frame { at, code, registers, block: 0, step: 0, result });
    }

    /// It is not known how the program goes on.
    fn lose(&mut self, state: &State<'a>, why: impl Into<String>) -> Outcome {
        if self.lost.is_none() {
            let from = match self.forks.is_empty() {
                true => stack(state),
                false => self.root.clone(),
            };
            self.lost = Some((why.into(), from, stack(state).pop()));
        }
        Outcome::Lost
    }

    /// Where the execution was lost, and why.
    fn told(&self, why: &str, from: &[Spot], at: Option<Spot>) -> String {
        let line = |&(at, block, step): &Spot| {
            let phis = self.code.get(&at)?.blocks[block].phis.len();
            let inst = self.program.function(at).blocks.get(block)?.insts.get(step + phis)?;
            source_lines::line(self.program.modules[at.module].ir, inst.text)
        };
        let near = |spots: &[Spot]| spots.iter().rev().find_map(line);
        let seen = at.as_ref().and_then(line);
        let from = near(from).unwrap_or_else(|| "some place".to_owned());
        match seen.filter(|seen| *seen != from) {
            Some(seen) => format!("from {from} on the host code could not be followed: {why} ({seen})"),
            None => format!("from {from} on the host code could not be followed: {why}"),
        }
    }

    fn run(&mut self, state: &mut State<'a>, until: Until) -> Outcome {
        loop {
            let Some(frame) = state.frames.last() else { return Outcome::Reached };
            let code = Rc::clone(&frame.code);
            let block = &code.blocks[frame.block];
            if let Some((result, step)) = block.steps.get(frame.step) {
                self.steps = self.steps.saturating_sub(1);
                if self.steps == 0 || self.next > MOST_OBJECTS {
                    return self.lose(state, "it takes too long");
                }
                if self.steps.is_multiple_of(CHECKED_EVERY) && self.program.is_stopped() {
                    return self.lose(state, "its time is used up");
                }
                if let Step::Call(call) = step {
                    match self.call(state, call, *result) {
                        Ok(()) => {}
                        Err(outcome) => return outcome,
                    }
                    continue;
                }
                let value = match self.step(state, step) {
                    Ok(value) => value,
                    Err(why) => return self.lose(state, why),
                };
                if let Some(frame) = state.frames.last_mut() {
                    if let Some(result) = result {
                        frame.registers[*result as usize] = value;
                    }
                    frame.step += 1;
                }
                continue;
            }
            let outcome = match &block.end {
                End::Jump(to) => {
                    jump(state, *to);
                    Outcome::Reached
                }
                End::Branch { condition, yes, no } => match get(state, condition) {
                    Value::Number(c) => {
                        jump(state, if c & 1 == 1 { *yes } else { *no });
                        Outcome::Reached
                    }
                    _ => self.fork(state, vec![*yes, *no]),
                },
                End::Switch { value, cases, default } => match get(state, value) {
                    Value::Number(v) => {
                        jump(state, cases.iter().find(|c| c.0 == v).map_or(*default, |c| c.1));
                        Outcome::Reached
                    }
                    _ => self.fork(state, block.end.targets()),
                },
                End::Return(value) => {
                    let value = value.as_ref().map(|v| get(state, v));
                    if state.frames.len() == 1 {
                        state.returned = value.as_ref().and_then(Value::number);
                    }
                    let result = state.frames.pop().and_then(|f| f.result);
                    if let Some(caller) = state.frames.last_mut()
                        && let (Some(result), Some(value)) = (result, value)
                    {
                        caller.registers[result as usize] = value;
                    }
                    Outcome::Reached
                }
                End::Never => Outcome::GaveUp,
            };
            if outcome != Outcome::Reached {
                return outcome;
            }
            if is_there(state, until) {
                return Outcome::Reached;
            }
        }
    }

    /// Calls what is there, or does what it does.
    fn call(&mut self, state: &mut State<'a>, call: &Call<'a>, result: Option<u32>) -> Result<(), Outcome> {
        let Some(frame) = state.frames.last_mut() else { return Err(Outcome::Ended) };
        let at = frame.at;
        frame.step += 1;
        let arguments: Vec<Value> = call.arguments.iter().map(|a| get(state, a)).collect();
        let target = match (call.callee, &call.through) {
            (Some(name), _) => match self.place(at.module, name).and_then(|a| self.target(a as i64)) {
                Some(target) => target,
                None => Target::Outside(name),
            },
            (None, Some(through)) => {
                let target = get(state, through).number().and_then(|a| self.target(a));
                target.ok_or_else(|| self.lose(state, "it calls a function that is not known"))?
            }
            _ => return Err(self.lose(state, "it calls a function that is not known")),
        };
        match target {
            Target::Here(to) => {
                if state.frames.len() > MOST_CALLS {
                    return Err(self.lose(state, "its calls are too deep"));
                }
                let mut arguments = arguments;
                for (operand, value) in call.operands.iter().zip(&mut arguments) {
                    if let Some(ty) = operand.by_value {
                        *value = self.copied(state, at.module, ty, value);
                    }
                }
                self.enter(state, to, arguments, result);
            }
            Target::Outside(name) => {
                let value = self.outside(state, at.module, name, call, &arguments)?;
                if let (Some(result), Some(frame)) = (result, state.frames.last_mut()) {
                    frame.registers[result as usize] = value;
                }
            }
        }
        Ok(())
    }

    /// A structure that is passed whole is the called function's own.
    fn copied(&mut self, state: &mut State<'a>, module: usize, ty: &'a str, from: &Value) -> Value {
        let size = constants::size(&self.program.modules[module], ty);
        let id = self.allocate(state, size, Place::Host, Fill::Nothing);
        let to = Value::Number(memory::base(id) as i64);
        self.copy(state, &to, from, &Value::Number(size.unwrap_or(0) as i64));
        to
    }
}

#[cfg(test)]
mod tests;
