//! All sources of a program: callers of functions, and contents of variables in memory.

use super::ObjectEncoding;
use super::control_flow::Flow;
use super::disjoint;
use super::ir::{Function, Module, Op, symbols};
use super::value::{Given, Value};
use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::rc::Rc;

/// These start kernels, from arrays of addresses of arguments that they only read.
pub(super) const LAUNCHES: [&str; 4] = [
    "cudaLaunchCooperativeKernel",
    "cudaLaunchKernel",
    "cudaLaunchCooperativeKernel_ptsz",
    "cudaLaunchKernel_ptsz",
];

/// They put the address of new memory where their first argument says, of a size that their second one says.
const ALLOCATE: [&str; 3] = ["cudaMalloc", "cudaMallocManaged", "cudaMallocAsync"];

/// They write there what is not known, and keep no address.
const WRITE: [&str; 7] = [
    "cudaGetDeviceProperties",
    "cudaGetDeviceProperties_v2",
    "cudaDeviceGetAttribute",
    "cudaGetDevice",
    "cudaGetDeviceCount",
    "cudaMallocHost",
    "cudaHostAlloc",
];

/// They write what they read to where an argument points, and keep no address: the first of these that may be one.
const READ_INTO: [(&str, usize); 17] = [
    ("scanf", 1),
    ("__isoc99_scanf", 1),
    ("__isoc23_scanf", 1),
    ("sscanf", 2),
    ("__isoc99_sscanf", 2),
    ("__isoc23_sscanf", 2),
    ("fscanf", 2),
    ("__isoc99_fscanf", 2),
    ("__isoc23_fscanf", 2),
    ("strtol", 1),
    ("strtoul", 1),
    ("__isoc23_strtol", 1),
    ("__isoc23_strtoul", 1),
    ("_ZNSirsERi", 1),
    ("_ZNSirsERj", 1),
    ("_ZNSirsERl", 1),
    ("_ZNSirsERm", 1),
];

/// Likewise, by their first argument.
const READ_FIRST: [&str; 2] = ["fread", "fgets"];

/// Returns whether a function reads into memory that this argument points to.
fn reads_into(callee: &str, argument: usize) -> bool {
    READ_INTO.iter().any(|(name, first)| *name == callee && argument >= *first)
        || READ_FIRST.contains(&callee) && argument == 0
}

/// It allocates rows, and writes how far they are apart: not less than their width, which is its third argument.
const ALLOCATE_ROWS: &str = "cudaMallocPitch";

/// Turns of loops that are followed for one launch.
const MOST_OF_LAUNCH: usize = 100_000;
/// And for all launches of a program: there may be hundreds behind the same loops.
const MOST_OF_PROGRAM: usize = 300_000;
/// Definitions that are followed for all launches of a program: some seconds.
const MOST_DEFINITIONS: usize = 20_000_000;
/// The clock is asked once in so many definitions.
const CHECKED_EVERY: usize = 1024;

/// A function's place: module and number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct At {
    pub(super) module: usize,
    pub(super) function: usize,
}

/// A call on the way to a launch, or the launch: a function, and where in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Frame {
    pub(super) at: At,
    pub(super) block: usize,
    pub(super) inst: usize,
}

pub(super) struct Program<'a> {
    pub(super) modules: Vec<Module<'a>>,
    /// Encodes the texture and surface objects that the program creates.
    pub(super) objects: &'a dyn ObjectEncoding,
    /// Returns true once the time for the program's host code is used up.
    stop: &'a dyn Fn() -> bool,
    stopped: Cell<bool>,
    flows: RefCell<HashMap<At, Rc<Flow>>>,
    contents: RefCell<Known<'a>>,
    /// `main` is among the sources, and so are all calls.
    pub(super) whole: bool,
    turns: Cell<usize>,
    /// And those that may still be followed for all launches together; definitions likewise.
    left: Cell<usize>,
    definitions: Cell<usize>,
    /// Definitions that are being followed.
    pub(super) deep: Cell<u32>,
}

/// Contents by function (none for a global variable) and name.
type Known<'a> = HashMap<(Option<At>, &'a str), Rc<Contents<'a>>>;

/// The writes to a variable in memory.
#[derive(Debug, Default)]
pub(super) struct Contents<'a> {
    pub(super) writers: Vec<Writer<'a>>,
    /// Its address is known to what may write to it.
    pub(super) escapes: bool,
}

#[derive(Clone, Debug)]
pub(super) struct Writer<'a> {
    pub(super) frame: Frame,
    /// `None` if it is not known where; bytes likewise.
    pub(super) place: Option<(i128, i128)>,
    pub(super) what: Written<'a>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Written<'a> {
    Value(&'a str),
    /// The address of new memory, of so many bytes.
    Allocation(&'a str),
    /// How far rows of so many bytes are apart.
    Pitch(&'a str),
    Unknown,
}

impl<'a> Program<'a> {
    pub(super) fn new(
        irs: &[&'a str],
        objects: &'a dyn ObjectEncoding,
        stop: &'a dyn Fn() -> bool,
    ) -> Program<'a> {
        let mut modules: Vec<Module<'a>> = irs.iter().map(|ir| Module::read(ir)).collect();
        modules.iter_mut().flat_map(|module| &mut module.functions).for_each(disjoint::mark);
        let whole = modules.iter().any(|m| m.functions.iter().any(|f| f.name == "main"));
        Program {
            modules,
            objects,
            stop,
            stopped: Cell::new(false),
            flows: RefCell::default(),
            contents: RefCell::default(),
            whole,
            turns: Cell::new(MOST_OF_LAUNCH),
            left: Cell::new(MOST_OF_PROGRAM),
            definitions: Cell::new(MOST_DEFINITIONS),
            deep: Cell::new(0),
        }
    }

    /// Returns whether the time for the host code is used up.
    pub(super) fn is_stopped(&self) -> bool {
        if !self.stopped.get() {
            self.stopped.set((self.stop)());
        }
        self.stopped.get()
    }

    /// Returns whether one more turn of a loop may be followed.
    pub(super) fn spend(&self) -> bool {
        self.turns.set(self.turns.get().saturating_sub(1));
        self.left.set(self.left.get().saturating_sub(1));
        self.turns.get() > 0
    }

    /// Returns whether one more definition may be followed.
    pub(super) fn follows(&self) -> bool {
        let left = self.definitions.get().saturating_sub(1);
        self.definitions.set(left);
        if left > 0 && left.is_multiple_of(CHECKED_EVERY) && self.is_stopped() {
            self.definitions.set(0);
        }
        self.definitions.get() > 0
    }

    /// For the next launch, if not too many were followed for those before.
    pub(super) fn refill(&self) {
        self.turns.set(MOST_OF_LAUNCH.min(self.left.get()));
    }

    /// Returns a function that branches to a label which it does not have, and the label. What it may launch is not known.
    pub(super) fn unknown_label(&self) -> Option<(&'a str, &'a str)> {
        self.all().find_map(|at| {
            let f = self.function(at);
            Some((f.name, f.unknown_label?))
        })
    }

    pub(super) fn function(&self, at: At) -> &Function<'a> {
        &self.modules[at.module].functions[at.function]
    }

    /// Returns the argument count that `main` gets without arguments, if a chain begins there.
    pub(super) fn without_arguments(&self, chain: &[Frame]) -> Option<Given<'a>> {
        let main = self.function(chain.first()?.at);
        let count = *main.params.first().filter(|_| main.name == "main")?;
        Some(Given::from([((0, count), Value::Int(1))]))
    }

    pub(super) fn flow(&self, at: At) -> Rc<Flow> {
        let mut flows = self.flows.borrow_mut();
        Rc::clone(flows.entry(at).or_insert_with(|| Rc::new(Flow::of(self.function(at)))))
    }

    pub(super) fn all(&self) -> impl Iterator<Item = At> + '_ {
        self.modules
            .iter()
            .enumerate()
            .flat_map(|(module, m)| (0..m.functions.len()).map(move |function| At { module, function }))
    }

    /// Calls of a function; `None` if it may also be called in ways that are not seen.
    pub(super) fn callers(&self, at: At) -> Option<Vec<Frame>> {
        let name = self.function(at).name;
        let mut found = Vec::new();
        for caller in self.all() {
            for (block, b) in self.function(caller).blocks.iter().enumerate() {
                for (inst, i) in b.insts.iter().enumerate() {
                    if !symbols(i.text).contains(&name) {
                        continue;
                    }
                    match &i.op {
                        Op::Call { callee: Some(callee), arguments, .. }
                            if *callee == name
                                && arguments.iter().all(|a| !symbols(a.value).contains(&name)) =>
                        {
                            found.push(Frame { at: caller, block, inst });
                        }
                        _ => return None,
                    }
                }
            }
        }
        let in_tables = |m: &Module<'_>| m.globals.values().any(|text| symbols(text).contains(&name));
        (!self.modules.iter().any(in_tables)).then_some(found)
    }

    /// Returns the writes to a local variable, or to a global one if no function is named.
    pub(super) fn contents(&self, of: Option<At>, name: &'a str) -> Rc<Contents<'a>> {
        if let Some(known) = self.contents.borrow().get(&(of, name)) {
            return Rc::clone(known);
        }
        let mut contents = Contents::default();
        match of {
            Some(at) => self.uses(at, name, Some(0), &mut contents, 0),
            None => {
                let global = name.trim_start_matches('@');
                for at in self.all() {
                    let f = self.function(at);
                    for (block, b) in f.blocks.iter().enumerate() {
                        for (inst, i) in b.insts.iter().enumerate() {
                            if symbols(i.text).contains(&global) {
                                self.used(Frame { at, block, inst }, name, Some(0), &mut contents, 0);
                            }
                        }
                    }
                }
                contents.escapes |= !self.whole;
                let elsewhere = |m: &Module<'_>| {
                    m.globals.iter().any(|(n, text)| *n != global && symbols(text).contains(&global))
                };
                contents.escapes |= self.modules.iter().any(elsewhere);
            }
        }
        let contents = Rc::new(contents);
        self.contents.borrow_mut().insert((of, name), Rc::clone(&contents));
        contents
    }

    fn uses(&self, at: At, name: &'a str, offset: Option<i128>, into: &mut Contents<'a>, deep: u32) {
        let uses = self.function(at).uses.get(name).cloned().unwrap_or_default();
        for (block, inst) in uses {
            self.used(Frame { at, block, inst }, name, offset, into, deep);
        }
    }

    /// One use of the address of a variable, or of a place in it.
    fn used(&self, frame: Frame, name: &'a str, offset: Option<i128>, into: &mut Contents<'a>, deep: u32) {
        let f = self.function(frame.at);
        let inst = &f.blocks[frame.block].insts[frame.inst];
        let mut writes = |bytes: Option<i128>, what: Written<'a>| {
            into.writers.push(Writer { frame, place: offset.zip(bytes), what });
        };
        match &inst.op {
            Op::Load { from, .. } if *from == name => {}
            Op::Compare { .. } => {}
            Op::Store { ty, value, to } if *to == name && *value != name => {
                let bytes = self.modules[frame.at.module].bytes(ty);
                let what = if super::ir::bits(ty) > 0 || matches!(*ty, "float" | "double") {
                    Written::Value(value)
                } else {
                    Written::Unknown
                };
                writes(bytes, what);
            }
            Op::Store { value, to, .. } if *value == name => {
                // Into an array of arguments of a launch, which is only read.
                into.escapes |= deep > 8 || !self.only_launches(frame.at, to);
            }
            Op::Element { base, indices, constant } if *base == name && deep < 8 => {
                let at = offset.filter(|_| indices.is_empty()).map(|o| o + constant);
                if let Some(result) = inst.result {
                    self.uses(frame.at, result, at, into, deep + 1);
                }
            }
            Op::Call { callee: Some(callee), arguments, .. } => {
                let position = |a: &super::ir::Operand<'_>| a.value == name;
                let first = arguments.iter().position(position);
                let once = arguments.iter().filter(|a| position(a)).count() == 1;
                match *callee {
                    c if c.starts_with("llvm.lifetime") || c.starts_with("llvm.dbg") => {}
                    c if LAUNCHES.contains(&c) => {}
                    c if ALLOCATE.contains(&c) && first == Some(0) && once => {
                        writes(Some(8), Written::Allocation(arguments[1].value));
                    }
                    // The size is not known.
                    ALLOCATE_ROWS if first == Some(0) && once => {
                        writes(Some(8), Written::Allocation(""));
                    }
                    ALLOCATE_ROWS if first == Some(1) && once => {
                        writes(Some(8), Written::Pitch(arguments[2].value));
                    }
                    c if WRITE.contains(&c) && first == Some(0) && once => writes(None, Written::Unknown),
                    c if once && first.is_some_and(|n| reads_into(c, n)) => writes(None, Written::Unknown),
                    // A stub copies the structures that it gets by reference.
                    c if c.contains("__device_stub_")
                        && arguments.iter().filter(|a| position(a)).all(|a| a.there.is_some()) => {}
                    c if c.starts_with("llvm.memcpy") || c.starts_with("llvm.memset") => {
                        if first == Some(0) {
                            writes(arguments[2].value.parse().ok(), Written::Unknown);
                        }
                    }
                    _ if first.is_some()
                        && arguments.iter().enumerate().filter(|(_, a)| position(a)).all(|(n, a)| {
                            let module = &self.modules[frame.at.module];
                            a.by_value.is_some() || module.only_reads(callee, n) == Some(true)
                        }) => {}
                    _ => into.escapes = true,
                }
            }
            _ => into.escapes = true,
        }
    }

    /// Returns whether an array is used for nothing but arguments of launches.
    fn only_launches(&self, at: At, to: &'a str) -> bool {
        let f = self.function(at);
        let base = match f.definition(to) {
            Some(Op::Element { base, .. }) => base,
            _ => to,
        };
        if !matches!(f.definition(base), Some(Op::Alloca)) {
            return false;
        }
        let mut work: Vec<&str> = vec![base];
        while let Some(name) = work.pop() {
            for &(block, inst) in f.uses.get(name).into_iter().flatten() {
                let inst = &f.blocks[block].insts[inst];
                match &inst.op {
                    Op::Store { to, .. } if *to == name => {}
                    Op::Element { base, .. } if *base == name => work.extend(inst.result),
                    Op::Call { callee: Some(c), .. }
                        if LAUNCHES.contains(c) || c.starts_with("llvm.lifetime") => {}
                    _ => return false,
                }
            }
        }
        true
    }

    /// The one write that a read of so many bytes sees, and that writes these and no others.
    pub(super) fn written(
        &self,
        contents: &Contents<'a>,
        place: (i128, i128),
        reader: Frame,
        dead: &dyn Fn(&Frame) -> bool,
    ) -> Option<Writer<'a>> {
        self.last_write(contents, place, reader, dead).filter(|w| w.place == Some(place))
    }

    /// The one write that a read of so many bytes sees: it comes before on every way, and none comes between. `dead` tells
    /// writes that are never made.
    pub(super) fn last_write(
        &self,
        contents: &Contents<'a>,
        (start, bytes): (i128, i128),
        reader: Frame,
        dead: &dyn Fn(&Frame) -> bool,
    ) -> Option<Writer<'a>> {
        if contents.escapes {
            return None;
        }
        let touches = |w: &&Writer<'_>| w.place.is_none_or(|(at, n)| at < start + bytes && start < at + n);
        let mut all: Vec<&Writer<'a>> = contents.writers.iter().filter(touches).collect();
        let empty = |w: &Writer<'_>| matches!(w.what, Written::Value("null" | "0" | "undef" | "poison"));
        if all.iter().any(|w| matches!(w.what, Written::Allocation(_))) {
            all.retain(|w| !empty(w));
        }
        if let [one] = all[..]
            && one.frame.at != reader.at
        {
            // Those of another function may be written at any time.
            let allocation = matches!(one.what, Written::Allocation(_));
            return allocation.then(|| one.clone());
        }
        if all.iter().any(|w| w.frame.at != reader.at) {
            return None;
        }
        if all.len() > 1 {
            all.retain(|w| !dead(&w.frame));
        }
        let flow = self.flow(reader.at);
        let f = self.function(reader.at);
        let before = |w: &Frame, r: &Frame| match w.block == r.block {
            true => w.inst < r.inst,
            false => flow.dominates(w.block, r.block),
        };
        // Looks for a path from one place to the other one.
        let leads = |a: &Frame, b: &Frame| {
            if a.block == b.block && a.inst < b.inst {
                return true;
            }
            let mut seen = vec![false; f.blocks.len()];
            let mut work = f.blocks[a.block].successors.clone();
            while let Some(block) = work.pop() {
                if !std::mem::replace(&mut seen[block], true) {
                    work.extend(&f.blocks[block].successors);
                }
            }
            seen[b.block]
        };
        let last = |w: &Writer<'_>| {
            let between =
                |o: &&Writer<'_>| o.frame != w.frame && leads(&w.frame, &o.frame) && leads(&o.frame, &reader);
            before(&w.frame, &reader) && !all.iter().any(between)
        };
        all.iter().copied().find(|w| last(w)).cloned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Hundreds of launches behind the same loops, as of a template's instances, each had turns of its own.
    #[test]
    fn the_turns_of_all_launches_together_are_bounded() {
        let program = Program::new(&[], &crate::objects::Unencoded, &|| false);
        let mut turns = 0;
        for _ in 0..200 {
            program.refill();
            while program.spend() {
                turns += 1;
            }
        }
        assert!((MOST_OF_LAUNCH..=MOST_OF_PROGRAM).contains(&turns), "{turns}");
        let definitions = (0..2 * MOST_DEFINITIONS).filter(|_| program.follows()).count();
        assert!(definitions < MOST_DEFINITIONS);
    }
}
