//! Launches in numbers: which ones a call makes, where constants, loops and branches decide that.

use super::HostLaunch;
use super::Last;
use super::constraints;
use super::control_flow::Holds;
use super::eval::{Eval, turns};
use super::ir::Op;
use super::launch_sites::Site;
use super::operands::{Parts, parts, roots};
use super::program::{Frame, Program};
use super::reachability::{self, Reach};
use super::slice::needed;
use super::value::{Given, Origin, Value, constant};
use std::collections::HashSet;
use std::rc::Rc;

/// One launch. Equal ones are told once.
#[derive(Clone, Debug, PartialEq)]
pub struct Concrete {
    pub grid: [u32; 3],
    pub block: [u32; 3],
    pub shared: u32,
    pub cooperative: bool,
    pub arguments: Vec<Argument>,
    /// Extents of clusters, if the launch says them.
    pub cluster: Option<[u32; 3]>,
    /// Memory that arguments point to: its size in bytes, if that is known. All are different if `apart`.
    pub memory: Vec<Memory>,
    /// The host code was executed up to there: all variables are among `memory`, and contents are known.
    pub executed: bool,
    /// No branch of the executed host code decides whether it is made, but for those that else give up.
    pub sure: bool,
}

/// Something that arguments point to, or a variable of a module.
#[derive(Clone, Debug, PartialEq)]
pub struct Memory {
    pub bytes: Option<u64>,
    /// Allocated by a call that is known: it is no other one's.
    pub allocated: bool,
    /// A variable's name, as in PTX.
    pub variable: Option<String>,
    /// A variable without writes, whatever its launches do: it holds what its module says.
    pub untouched: bool,
    /// The bytes that the host code has put there, if all are known.
    pub contents: Option<Rc<Vec<u8>>>,
    /// Addresses among these.
    pub pointers: Vec<Pointer>,
    /// Launches that had its address since: kernel and index of the argument. The contents are known if none writes there.
    pub launches: Vec<(String, u32)>,
    /// The last of these.
    pub last: Last,
}

/// An address that memory holds: where, and how far behind the beginning of which of [`Concrete::memory`] it leads.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pointer {
    pub at: u64,
    pub memory: usize,
    pub offset: i64,
}

impl Memory {
    /// In [`Memory::launches`]: not by an argument.
    pub const ANYWHERE: u32 = u32::MAX;

    fn of(bytes: Option<u64>, allocated: bool) -> Memory {
        let (contents, launches, last) = (None, Vec::new(), Last::default());
        let pointers = Vec::new();
        Memory { bytes, allocated, variable: None, untouched: false, contents, pointers, launches, last }
    }
}

/// The value that the host passes for one parameter, or for a part of one.
#[derive(Clone, Debug, PartialEq)]
pub struct Argument {
    /// 0 if it is not known.
    pub bytes: u32,
    pub pieces: Vec<Piece>,
    /// The parameter may be shorter, and there may be fewer.
    pub open: bool,
}

impl Argument {
    /// Its first bytes; `None` if there are not as many.
    pub fn first(&self, bytes: u32) -> Option<Argument> {
        let mut pieces = Vec::new();
        for p in self.pieces.iter().filter(|p| p.offset < bytes) {
            let size = p.bytes.min(bytes - p.offset);
            match p.number {
                Number::Address(..) if size < p.bytes => {}
                _ => pieces.push(Piece { bytes: size, ..p.clone() }),
            }
        }
        (self.bytes >= bytes).then_some(Argument { bytes, pieces, open: false })
    }
}

#[derive(Clone, Debug, PartialEq)]
pub struct Piece {
    pub offset: u32,
    pub bytes: u32,
    pub number: Number,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Number {
    /// Bits of a number.
    Bits(u64),
    /// So many bytes behind the beginning of that memory, by index in [`Concrete::memory`].
    Address(usize, i128),
}

/// Most launches of one call that are told in numbers.
const MOST: usize = 512;
/// Combinations of turns and branches that are looked at for them.
const MOST_WAYS: usize = 4000;

/// Returns the launches that a call makes, on one chain of calls, under given values.
pub(super) fn launch<'a>(program: &Program<'a>, site: &Site, chain: &[Frame], told: Given<'a>) -> HostLaunch {
    let Some(parts) = parts(program, site) else {
        return HostLaunch {
            constraints: Default::default(),
            cases: Vec::new(),
            concrete: None,
            made: false,
            certain: false,
            one_of_them: false,
            unasked: None,
        };
    };
    let (numbers, given) = in_numbers(program, site, &parts, chain, told);
    let (constraints, cases) = constraints::of_call(program, site, &parts, chain, &given);
    let InNumbers { concrete, made, one_of_them, certain } = numbers;
    HostLaunch { constraints, cases, concrete, made, certain, one_of_them, unasked: None }
}

/// The launches of a call, as far as numbers are known.
pub(super) struct InNumbers {
    pub(super) concrete: Option<Vec<Concrete>>,
    pub(super) made: bool,
    pub(super) one_of_them: bool,
    pub(super) certain: bool,
}

/// The launches in numbers under what is given, and what is given then: conditions on the way fix more.
pub(super) fn in_numbers<'a>(
    program: &Program<'a>,
    site: &Site,
    parts: &Parts<'a>,
    chain: &[Frame],
    told: Given<'a>,
) -> (InNumbers, Given<'a>) {
    let last = chain.len() - 1;
    let fixed = pinned(program, chain, &told);
    let needed = needed(program, chain, roots(program, site, parts, last));
    let pinned = fixed.keys().any(|k| needed.contains(k));
    // That conditions hold is not known where it is asked whether they do.
    let always = reachability::reach(&Eval::new(program, chain, &told)) == Reach::Always;
    let supposed: Vec<(usize, &str)> = fixed.keys().filter(|k| !told.contains_key(*k)).copied().collect();
    let mut given = fixed;
    given.extend(told);
    let (ways, forked) = ways(program, chain, given.clone(), &needed);
    let mut concrete: Option<Vec<Concrete>> = Some(Vec::new());
    let mut made = always || ways.len() <= MOST;
    for way in &ways {
        let eval = Eval::new(program, chain, way);
        if unreachable(&eval) {
            continue;
        }
        made = made && (always || is_reached(program, chain, way, &supposed));
        // The kernel that is called.
        if let Some(kernel) = &site.kernel {
            let through =
                match program.function(site.frame.at).blocks[site.frame.block].insts[site.frame.inst].op {
                    Op::Call { through: Some(t), .. } => eval.value(last, t),
                    _ => None,
                };
            match through {
                Some(Value::Address(Origin::Global(name), 0)) if name.trim_start_matches('@') != kernel => {
                    continue;
                }
                Some(Value::Address(Origin::Global(_), 0)) => {}
                _ => {
                    concrete = None;
                    break;
                }
            }
        }
        let one = one(&eval, parts, site.frame, last);
        // A launch without threads, or of too many, is refused: it is none.
        if one.as_ref().is_some_and(|o| !o.is_accepted()) {
            continue;
        }
        match (&mut concrete, one) {
            (Some(all), Some(one)) if all.len() < MOST => {
                if !all.contains(&one) {
                    all.push(one);
                }
            }
            _ => {
                concrete = None;
                break;
            }
        }
    }
    // If the numbers of one way are not known, others were not looked at.
    let made = always || made && concrete.is_some();
    let one_of_them = made && !pinned;
    (InNumbers { concrete, made, certain: one_of_them && !forked, one_of_them }, given)
}

/// Values that conditions on the way fix, where nothing else tells them.
fn pinned<'a>(program: &Program<'a>, chain: &[Frame], told: &Given<'a>) -> Given<'a> {
    let mut given = Given::new();
    for (depth, frame) in chain.iter().enumerate() {
        let (f, flow) = (program.function(frame.at), program.flow(frame.at));
        for (value, holds) in flow.conditions(f, frame.block) {
            let (value, c) = match (holds, f.definition(value)) {
                (Holds::Equals(c), _) => (value, c),
                (Holds::Is(true), Some(Op::Compare { test: "eq", a, b, .. })) => match constant(b) {
                    Some(Value::Int(c)) => (*a, c),
                    _ => continue,
                },
                _ => continue,
            };
            if Eval::new(program, chain, told).value(depth, value).is_none() {
                given.entry((depth, value)).or_insert(Value::Int(c));
            }
        }
    }
    given
}

/// Returns whether the program comes there, without values that are only supposed.
fn is_reached<'a>(
    program: &Program<'a>,
    chain: &[Frame],
    way: &Given<'a>,
    supposed: &[(usize, &'a str)],
) -> bool {
    let mut way = way.clone();
    supposed.iter().for_each(|key| _ = way.remove(key));
    reachability::reach(&Eval::new(program, chain, &way)) == Reach::Always
}

/// Returns whether a condition on the way does not hold.
fn unreachable(eval: &Eval<'_, '_>) -> bool {
    eval.chain.iter().enumerate().any(|(depth, frame)| {
        let (f, flow) = (eval.program.function(frame.at), eval.program.flow(frame.at));
        flow.conditions(f, frame.block).into_iter().any(|(v, holds)| eval.fails(depth, v, holds))
    })
}

/// The combinations of turns of loops and of branches that are not known; and whether there are such branches.
fn ways<'a>(
    program: &Program<'a>,
    chain: &[Frame],
    given: Given<'a>,
    needed: &HashSet<(usize, &'a str)>,
) -> (Vec<Given<'a>>, bool) {
    let mut all = vec![given];
    let mut forked = false;
    for (depth, frame) in chain.iter().enumerate() {
        let (f, flow) = (program.function(frame.at), program.flow(frame.at));
        let around = flow.around(frame.block);
        let mut choices: Vec<((usize, usize), &'a str)> = Vec::new();
        for &(_, name) in needed.iter().filter(|(d, _)| *d == depth) {
            let Some((key, &place)) = f.defs.get_key_value(name) else { continue };
            let choice = match &f.blocks[place.0].insts[place.1].op {
                Op::Select { .. } => true,
                Op::Phi { incoming } => incoming.len() > 1 && !flow.loops.iter().any(|l| l.header == place.0),
                _ => false,
            };
            if choice {
                choices.push((place, *key));
            }
        }
        choices.sort_unstable();
        let inside = |block: usize| around.iter().any(|&l| flow.loops[l].contains(block));
        for &(_, name) in choices.iter().filter(|(place, _)| !inside(place.0)) {
            forked |= fork(program, chain, depth, name, &mut all);
        }
        for &l in &around {
            let header = flow.loops[l].header;
            let counts = f.blocks[header].insts.iter().any(|i| {
                matches!(i.op, Op::Phi { .. }) && i.result.is_some_and(|r| needed.contains(&(depth, r)))
            });
            if !counts {
                continue;
            }
            let mut next = Vec::new();
            for given in all {
                let eval = Eval::new(program, chain, &given);
                match turns(&eval, depth, l) {
                    Some(turns) if next.len() + turns.len() <= MOST_WAYS => next.extend(turns),
                    _ => next.push(given),
                }
            }
            all = next;
        }
        for &(_, name) in choices.iter().filter(|(place, _)| inside(place.0)) {
            forked |= fork(program, chain, depth, name, &mut all);
        }
    }
    (all, forked)
}

/// Takes each of the values that a branch chooses from, if all are known.
fn fork<'a>(
    program: &Program<'a>,
    chain: &[Frame],
    depth: usize,
    name: &'a str,
    all: &mut Vec<Given<'a>>,
) -> bool {
    let mut next = Vec::new();
    let mut forked = false;
    let f = program.function(chain[depth].at);
    let sources: Vec<&'a str> = match f.definition(name) {
        Some(Op::Select { a, b, .. }) => vec![a, b],
        Some(Op::Phi { incoming }) => incoming.iter().map(|(v, _)| *v).collect(),
        _ => return false,
    };
    for given in all.drain(..) {
        let eval = Eval::new(program, chain, &given);
        if given.contains_key(&(depth, name)) || eval.value(depth, name).is_some() {
            next.push(given);
            continue;
        }
        let mut values: Vec<Value> = Vec::new();
        let mut known = true;
        for &s in &sources {
            match eval.value(depth, s) {
                // An address that is not known further is one like any other.
                Some(v) => {
                    if !values.contains(&v) {
                        values.push(v);
                    }
                }
                None => known = false,
            }
        }
        if !known || values.len() > 16 || next.len() + values.len() > MOST_WAYS {
            next.push(given);
            continue;
        }
        forked |= values.len() > 1;
        for v in values {
            let mut one = given.clone();
            one.insert((depth, name), v);
            next.push(one);
        }
    }
    *all = next;
    forked
}

/// The launch under what is given.
fn one<'a>(eval: &Eval<'_, 'a>, parts: &Parts<'a>, reader: Frame, last: usize) -> Option<Concrete> {
    let [grid, grid_z, block, block_z, shared] = parts.extents.map(|e| eval.int(last, e));
    let extents = |xy: Option<i128>, z: Option<i128>| {
        let (xy, z) = (xy?, z?);
        let all = [xy & 0xffff_ffff, xy >> 32 & 0xffff_ffff, z & 0xffff_ffff];
        let all = all.map(|n| u32::try_from(n).unwrap_or(0));
        Some(all)
    };
    let mut found = Concrete {
        grid: extents(grid, grid_z)?,
        block: extents(block, block_z)?,
        shared: u32::try_from(shared?).ok()?,
        cooperative: parts.cooperative,
        cluster: None,
        arguments: Vec::new(),
        memory: Vec::new(),
        executed: false,
        sure: true,
    };
    let mut origins: Vec<Origin> = Vec::new();
    let mut number = |value: Value, bytes: u32| match value {
        Value::Int(v) => Some(Number::Bits(v as u64)),
        Value::Float(v) if bytes == 4 => Some(Number::Bits(u64::from((v as f32).to_bits()))),
        Value::Float(v) if bytes == 8 => Some(Number::Bits(v.to_bits())),
        Value::Float(_) => None,
        Value::Address(origin, offset) => {
            let index = origins.iter().position(|o| *o == origin).unwrap_or_else(|| {
                origins.push(origin.clone());
                let bytes = eval.size(&origin).and_then(|n| u64::try_from(n).ok());
                found.memory.push(Memory::of(bytes, matches!(origin, Origin::Allocation(..))));
                origins.len() - 1
            });
            Some(Number::Address(index, offset))
        }
    };
    let mut arguments: Vec<Argument> = Vec::new();
    let module = &eval.program.modules[reader.at.module];
    let size = |ty: &'a str| module.bytes(ty).and_then(|n| u32::try_from(n).ok());
    for a in &parts.arguments {
        let mut argument = Argument { bytes: 0, pieces: Vec::new(), open: false };
        // Stubs get structures by reference.
        let structure = a.by_value.map(|ty| size(ty).unwrap_or(0)).or(a.there.filter(|_| a.ty == "ptr"));
        match structure {
            Some(bytes) => {
                argument.bytes = bytes;
                if let Some(Value::Address(origin, offset)) = eval.address(last, a.value) {
                    argument.pieces = pieces(eval, &origin, offset, reader, &mut number);
                }
            }
            None => {
                argument.bytes = size(a.ty).unwrap_or(match a.ty {
                    "<2 x float>" => 8,
                    _ => 0,
                });
                let value = match a.ty {
                    "ptr" => eval.address(last, a.value),
                    _ => eval.value(last, a.value),
                };
                if let Some(number) = value.and_then(|v| number(v, argument.bytes)) {
                    argument.pieces.push(Piece { offset: 0, bytes: argument.bytes, number });
                }
            }
        }
        arguments.push(argument);
    }
    if let Some(array) = parts.array {
        let Some(Value::Address(origin, offset)) = eval.address(last, array) else { return None };
        for n in 0.. {
            let Some(Value::Address(of, at)) = eval.held(&origin, (offset + 8 * n, 8), reader) else { break };
            let pieces = pieces(eval, &of, at, reader, &mut number);
            let bytes = pieces.iter().map(|p| p.offset + p.bytes).max().unwrap_or(0);
            arguments.push(Argument { bytes, pieces, open: false });
        }
    }
    found.arguments = arguments;
    Some(found)
}

/// Returns the parts of a variable's contents that are known.
fn pieces<'a>(
    eval: &Eval<'_, 'a>,
    origin: &Origin,
    offset: i128,
    reader: Frame,
    number: &mut impl FnMut(Value, u32) -> Option<Number>,
) -> Vec<Piece> {
    let mut found = Vec::new();
    for (at, bytes) in eval.places(origin) {
        let Some(value) = eval.held(origin, (at, bytes), reader) else { continue };
        if let (Ok(offset), Ok(bytes)) = (u32::try_from(at - offset), u32::try_from(bytes))
            && let Some(number) = number(value, bytes)
        {
            found.push(Piece { offset, bytes, number });
        }
    }
    found.sort_by_key(|p| p.offset);
    found.dedup_by_key(|p| p.offset);
    found
}
