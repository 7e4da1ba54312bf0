//! Values that depend only on the program's inputs: its arguments and its devices. A condition on such values
//! is satisfiable unless their ranges exclude it.

use super::control_flow::Holds;
use super::eval::{Eval, binary, compare};
use super::ir::{Op, locals};
use super::program::{Frame, Written};
use super::value::{Origin, Value};
use std::cell::{Cell, RefCell};
use std::collections::{HashMap, HashSet};

/// These functions convert input texts to numbers.
pub(super) const READ: [&str; 9] = [
    "atoi",
    "atol",
    "atoll",
    "strtol",
    "strtoll",
    "strtoul",
    "strtoull",
    "__isoc23_strtol",
    "__isoc23_strtoul",
];

/// The results of these functions depend on their arguments only.
pub(super) const OF_ARGUMENTS: [&str; 14] = [
    "atof",
    "strtod",
    "strtof",
    "strlen",
    "strcmp",
    "strncmp",
    "strcasecmp",
    "strncasecmp",
    "strchr",
    "strrchr",
    "strstr",
    "strspn",
    "strcspn",
    "memcmp",
];

/// CUDA functions whose nonzero result is not always an error.
const MAY_BE_LATER: [&str; 4] = ["cudaStreamQuery", "cudaEventQuery", "cuStreamQuery", "cuEventQuery"];

/// The integers from the first to the second one.
pub(super) type Range = (i128, i128);

const ANY: Range = (i64::MIN as i128, u64::MAX as i128);
/// Limits of the values that are examined for one condition, and of the depth of the recursion.
const MOST: usize = 4000;
const MOST_DEEP: u32 = 60;

/// Ranges of the fields of `cudaDeviceProp` whose offsets have been stable since CUDA 5, and of device
/// attributes.
const WARP: Range = (32, 32);
const THREADS: Range = (1024, 1024);
const MAJOR: Range = (5, 99);
const MINOR: Range = (0, 9);
const COUNT: Range = (0, i32::MAX as i128);

pub(super) struct Inputs<'e, 'p, 'a> {
    eval: &'e Eval<'p, 'a>,
    ranges: RefCell<HashMap<(usize, &'a str), Range>>,
    deep: Cell<u32>,
    /// A value that was followed depends on what the program is given, and not on its devices alone.
    given: Cell<bool>,
}

impl<'e, 'p, 'a> Inputs<'e, 'p, 'a> {
    pub(super) fn new(eval: &'e Eval<'p, 'a>) -> Self {
        Inputs { eval, ranges: RefCell::default(), deep: Cell::new(0), given: Cell::new(false) }
    }

    /// Returns whether a value depends on what the program is given, and not on its devices alone.
    pub(super) fn is_given(&self, depth: usize, name: &'a str) -> bool {
        self.given.set(false);
        !self.follows(depth, name) || self.given.get()
    }

    /// Returns whether a value depends on the program's inputs only.
    pub(super) fn follows(&self, depth: usize, name: &'a str) -> bool {
        let mut seen: HashSet<(usize, &'a str)> = HashSet::new();
        let mut work = vec![(depth, name)];
        while let Some((depth, name)) = work.pop() {
            if !name.starts_with('%') || !seen.insert((depth, name)) {
                continue;
            }
            if seen.len() > MOST {
                return false;
            }
            if !matches!(self.eval.value(depth, name), None | Some(Value::Address(..))) {
                continue;
            }
            if self.sources(depth, name, &mut work).is_none() {
                return false;
            }
        }
        true
    }

    /// Collects the values that a value is computed from; `None` if it does not depend on inputs only.
    fn sources(&self, depth: usize, name: &'a str, work: &mut Vec<(usize, &'a str)>) -> Option<()> {
        let (program, chain) = (self.eval.program, self.eval.chain);
        let at = chain[depth].at;
        let f = program.function(at);
        let Some(&(block, inst)) = f.defs.get(name) else {
            // The first function of the chain may get any arguments.
            let Some(above) = depth.checked_sub(1) else {
                self.given.set(true);
                return Some(());
            };
            work.push((above, passed(self.eval, depth, name)?));
            return Some(());
        };
        let inst_at = &f.blocks[block].insts[inst];
        match &inst_at.op {
            Op::Call { callee: Some(c), .. } if is_success(c) => {}
            Op::Call { callee: Some(c), .. } if READ.contains(c) || *c == "getopt" => self.given.set(true),
            Op::Call { callee: Some(c), .. } if OF_ARGUMENTS.contains(c) || is_arithmetic(c) => {
                work.extend(locals(inst_at.text).filter(|n| *n != name).map(|n| (depth, n)));
            }
            Op::Load { from, .. } => match self.eval.root(depth, from)?.0 {
                origin @ Origin::Local(..) => match self.last_write(&origin, depth, (block, inst))? {
                    Source::Value(depth, value) => work.push((depth, value)),
                    Source::Device(_) => {}
                },
                // The contents of memory that arguments point to are inputs.
                Origin::Other(depth, base) => {
                    let f = program.function(chain[depth].at);
                    let known = f.defs.keys().chain(&f.params).copied().find(|n| *n == base);
                    work.push((depth, known?));
                }
                _ => return None,
            },
            Op::Phi { .. } => {
                work.extend(locals(inst_at.text).filter(|n| *n != name).map(|n| (depth, n)));
                // A value of a phi also depends on the branches that select the path.
                let flow = program.flow(at);
                let above = flow.above(block);
                let own = flow.loops.iter().find(|l| l.header == block);
                for (b, other) in f.blocks.iter().enumerate() {
                    let between = flow.dominates(above, b)
                        && (!flow.dominates(block, b) || own.is_some_and(|l| l.contains(b)));
                    if let Some(Op::Branch { condition: c, .. } | Op::Switch { value: c, .. }) =
                        other.insts.last().map(|i| &i.op).filter(|_| between)
                    {
                        work.push((depth, c));
                    }
                }
            }
            Op::Binary { .. }
            | Op::Cast { .. }
            | Op::Compare { .. }
            | Op::Select { .. }
            | Op::Same(_)
            | Op::Element { .. } => {
                work.extend(locals(inst_at.text).filter(|n| *n != name).map(|n| (depth, n)));
            }
            _ => return None,
        }
        Some(())
    }

    /// Returns the store that a load from a local variable reads.
    fn last_write(&self, origin: &Origin, depth: usize, place: (usize, usize)) -> Option<Source<'a>> {
        let Origin::Local(owner, name) = origin else { return None };
        let (program, chain) = (self.eval.program, self.eval.chain);
        let at = chain[*owner].at;
        if chain.iter().filter(|frame| frame.at == at).count() > 1 {
            return None;
        }
        let f = program.function(chain[depth].at);
        let inst = &f.blocks[place.0].insts[place.1];
        let Op::Load { ty, from } = &inst.op else { return None };
        let Value::Address(_, offset) = self.eval.address(depth, from)? else { return None };
        let bytes = program.modules[chain[depth].at.module].bytes(ty)?;
        let reader = match chain[depth].at == at {
            true => Frame { at, block: place.0, inst: place.1 },
            false => chain[*owner],
        };
        let name = program.function(at).defs.get_key_value(name.as_str())?.0;
        let contents = program.contents(Some(at), name);
        let dead = |w: &Frame| self.eval.never_comes_to(*owner, w.block);
        let writer = program.last_write(&contents, (offset, bytes), reader, &dead)?;
        match writer.what {
            Written::Value(v) if writer.place == Some((offset, bytes)) => Some(Source::Value(*owner, v)),
            Written::Unknown => {
                let f = program.function(writer.frame.at);
                let inst = &f.blocks[writer.frame.block].insts[writer.frame.inst];
                let Op::Call { callee: Some(callee), arguments, .. } = &inst.op else { return None };
                let number = |n: usize| self.eval.int(*owner, arguments.get(n)?.value);
                device(callee, offset, number(1)).map(Source::Device)
            }
            _ => None,
        }
    }

    /// Returns the truth value of a one-bit condition, if it is known.
    pub(super) fn truth(&self, depth: usize, condition: &'a str) -> Option<bool> {
        match self.range(depth, condition)? {
            (0, 0) => Some(false),
            (1, 1) | (-1, -1) => Some(true),
            _ => None,
        }
    }

    /// Returns whether a `switch` at the end of a block may lead to another block.
    fn may_lead(&self, depth: usize, value: &'a str, (from, to): (usize, usize)) -> bool {
        let f = self.eval.program.function(self.eval.chain[depth].at);
        let known = self.range(depth, value).filter(|(least, most)| least == most);
        known.is_none_or(|(number, _)| f.leads(from, number, to))
    }

    /// Returns the range of a value, if it is bounded.
    pub(super) fn range(&self, depth: usize, name: &'a str) -> Option<Range> {
        match self.eval.value(depth, name) {
            Some(Value::Int(v)) => return Some((v, v)),
            Some(_) => return None,
            None => {}
        }
        if let Some(known) = self.ranges.borrow().get(&(depth, name)) {
            return Some(*known).filter(|known| *known != ANY);
        }
        if self.deep.get() > MOST_DEEP || !name.starts_with('%') || !self.eval.program.follows() {
            return None;
        }
        // A value that depends on itself has an unlimited range during the evaluation.
        self.ranges.borrow_mut().insert((depth, name), ANY);
        self.deep.set(self.deep.get() + 1);
        let found = self.found(depth, name).unwrap_or(ANY);
        self.deep.set(self.deep.get() - 1);
        self.ranges.borrow_mut().insert((depth, name), found);
        (found != ANY).then_some(found)
    }

    fn found(&self, depth: usize, name: &'a str) -> Option<Range> {
        let program = self.eval.program;
        let at = self.eval.chain[depth].at;
        let f = program.function(at);
        let Some(&(block, inst)) = f.defs.get(name) else {
            let above = depth.checked_sub(1)?;
            return self.range(above, passed(self.eval, depth, name)?);
        };
        let hull = |a: Range, b: Range| (a.0.min(b.0), a.1.max(b.1));
        match &f.blocks[block].insts[inst].op {
            Op::Call { callee: Some(c), .. } if is_success(c) => Some((0, 0)),
            Op::Load { from, .. } => {
                match self.last_write(&self.eval.root(depth, from)?.0, depth, (block, inst))? {
                    Source::Value(depth, value) => self.range(depth, value),
                    Source::Device(range) => Some(range),
                }
            }
            Op::Binary { op, bits, a, b, .. } if ["add", "sub", "mul"].contains(op) => {
                let (a, b) = (self.range(depth, a)?, self.range(depth, b)?);
                // The corners are computed in a width without overflow, so that they bound the result.
                let corners = [(a.0, b.0), (a.0, b.1), (a.1, b.0), (a.1, b.1)];
                let mut all = corners.map(|(a, b)| binary(op, 127, a, b));
                all.sort_unstable();
                let found = (all[0]?, all[3]?);
                fits(found, *bits).then_some(found)
            }
            Op::Cast { op, from, to, of } => {
                let range = self.range(depth, of)?;
                match *op {
                    "zext" if range.0 >= 0 => Some(range),
                    "zext" if *from == 1 => Some((0, 1)),
                    "sext" => (*from > 1).then_some(range),
                    "trunc" => fits(range, *to).then_some(range),
                    _ => None,
                }
            }
            Op::Compare { test, bits, a, b } => {
                let (a, b) = (self.range(depth, a)?, self.range(depth, b)?);
                if test.starts_with('u') && (a.0 < 0 || b.0 < 0) {
                    return None;
                }
                let corners = [(a.0, b.0), (a.0, b.1), (a.1, b.0), (a.1, b.1)];
                let all = corners.map(|(a, b)| compare(test, *bits, a, b));
                match *test {
                    "eq" | "ne" if a.1 < b.0 || b.1 < a.0 || a == b && a.0 == a.1 => {}
                    "eq" | "ne" => return None,
                    _ => {}
                }
                let first = all[0]?;
                all.iter().all(|c| *c == Some(first)).then_some((i128::from(first), i128::from(first)))
            }
            Op::Select { condition, a, b } => match self.truth(depth, condition) {
                Some(true) => self.range(depth, a),
                Some(false) => self.range(depth, b),
                None => Some(hull(self.range(depth, a)?, self.range(depth, b)?)),
            },
            Op::Same(of) => self.range(depth, of),
            Op::Phi { incoming } => {
                let flow = program.flow(at);
                let taken = |from: usize| {
                    let last = match f.blocks[from].insts.last().map(|i| &i.op) {
                        Some(Op::Branch { condition, yes, no }) if yes != no => {
                            self.truth(depth, condition).is_none_or(|c| block == if c { *yes } else { *no })
                        }
                        Some(Op::Switch { value, .. }) => self.may_lead(depth, value, (from, block)),
                        _ => true,
                    };
                    let holds = |(v, holds): (&'a str, Holds)| match holds {
                        Holds::Is(is) => self.truth(depth, v).is_none_or(|c| c == is),
                        Holds::Equals(c) => self.range(depth, v).is_none_or(|r| r.0 <= c && c <= r.1),
                        Holds::Leads { from, to } => self.may_lead(depth, v, (from, to)),
                    };
                    last && flow.conditions(f, from).into_iter().all(holds)
                };
                let mut all =
                    incoming.iter().filter(|(_, from)| taken(*from)).map(|(v, _)| self.range(depth, v));
                let first = all.next()??;
                all.try_fold(first, |whole, one| Some(hull(whole, one?)))
            }
            _ => None,
        }
    }
}

enum Source<'a> {
    Value(usize, &'a str),
    Device(Range),
}

/// Returns the caller's argument for a parameter.
fn passed<'a>(eval: &Eval<'_, 'a>, depth: usize, name: &'a str) -> Option<&'a str> {
    let (program, chain) = (eval.program, eval.chain);
    let n = program.function(chain[depth].at).params.iter().position(|p| *p == name)?;
    let frame = chain[depth.checked_sub(1)?];
    let Op::Call { arguments, .. } = &program.function(frame.at).blocks[frame.block].insts[frame.inst].op
    else {
        return None;
    };
    Some(arguments.get(n)?.value)
}

/// Returns whether a function returns zero on success.
fn is_success(callee: &str) -> bool {
    let own = callee.strip_prefix("__cuda").or_else(|| callee.strip_prefix("cuda"));
    let own = own
        .or_else(|| callee.strip_prefix("cu"))
        .is_some_and(|n| n.starts_with(|c: char| c.is_ascii_uppercase()));
    let asks = callee.starts_with("cudaGetErrorName") || callee.starts_with("cudaGetErrorString");
    own && !asks && !MAY_BE_LATER.iter().any(|m| callee.starts_with(m))
}

/// Returns whether a function is an LLVM intrinsic that computes its result from its arguments.
fn is_arithmetic(callee: &str) -> bool {
    let of = |name: &&str| callee.strip_prefix("llvm.").is_some_and(|c| c.starts_with(&format!("{name}.")));
    ["smin", "smax", "umin", "umax", "abs", "ctlz", "ctpop", "cttz", "fshl", "bswap"].iter().any(of)
}

/// Returns the range of a device property at an offset, or of a device attribute, on devices that CUDA
/// supports.
fn device(callee: &str, offset: i128, attribute: Option<i128>) -> Option<Range> {
    Some(match callee {
        "cudaGetDeviceProperties" | "cudaGetDeviceProperties_v2" => match offset {
            308 => WARP,
            320 => THREADS,
            360 => MAJOR,
            364 => MINOR,
            _ => ANY,
        },
        "cudaDeviceGetAttribute" => match attribute {
            Some(1) => THREADS,
            Some(10) => WARP,
            Some(75) => MAJOR,
            Some(76) => MINOR,
            _ => COUNT,
        },
        "cudaGetDevice" | "cudaGetDeviceCount" => COUNT,
        _ => return None,
    })
}

/// Returns whether all numbers of a range fit into `bits` bits as signed integers.
fn fits(range: Range, bits: u32) -> bool {
    bits > 0 && bits < 127 && range.0 >= -(1 << (bits - 1)) && range.1 < 1 << (bits - 1)
}
