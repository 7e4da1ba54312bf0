//! Finds the host code's accesses of one of its own arrays.

use super::super::ir::{Function, Module, Op, bits};
use crate::prepare::sorted;

/// Places within places that an address is followed through.
const MOST_DEEP: u32 = 8;

/// A block, and an instruction in it.
pub(super) type Spot = (usize, usize);

/// The part of an array that is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place<'a> {
    /// So many bytes behind its beginning.
    At(i128),
    /// The element with that number, of elements of so many bytes, and `at` bytes behind it.
    Element {
        number: &'a str,
        bytes: i128,
        at: i128,
    },
    /// A place that a loop moves by so many bytes in each turn: `at` bytes behind the array's beginning in the first
    /// turn. `pointer` is the phi that moves.
    Moved {
        pointer: &'a str,
        bytes: i128,
        at: i128,
    },
    Anywhere,
}

/// The value that a write leaves in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stored<'a> {
    Integer(&'a str),
    Pointer(&'a str),
    /// The address of memory that the call allocates.
    Allocation,
    /// Words of the array in ascending order.
    Sorted,
    Unknown,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Write<'a> {
    pub(super) spot: Spot,
    pub(super) place: Place<'a>,
    pub(super) stored: Stored<'a>,
    /// The bytes of the value, if it is known.
    pub(super) bytes: i128,
}

impl<'a> Write<'a> {
    /// Returns the integer that is stored, if it is one.
    pub(super) fn integer(&self) -> Option<&'a str> {
        match self.stored {
            Stored::Integer(value) => Some(value),
            _ => None,
        }
    }
}

/// All accesses of an array by the host code.
#[derive(Debug, Default)]
pub(super) struct Accesses<'a> {
    pub(super) writes: Vec<Write<'a>>,
    /// The values that are loaded from it.
    pub(super) loads: Vec<&'a str>,
    /// Something else than a copy to a device reads it.
    pub(super) is_read: bool,
}

/// The copy that fills an array.
#[derive(Clone, Copy, Debug)]
pub(super) struct Copy<'a> {
    pub(super) spot: Spot,
    pub(super) from: &'a str,
    pub(super) bytes: &'a str,
}

/// Returns the size of memory that the host allocates, if a value is its address.
pub(super) fn allocated<'a>(f: &Function<'a>, array: &str) -> Option<&'a str> {
    match f.definition(array)? {
        Op::Call { callee: Some("malloc" | "_Znwm" | "_Znam"), arguments, .. } => {
            arguments.first().map(|a| a.value)
        }
        _ => None,
    }
}

/// Returns whether a value is the address of new memory that `new` has allocated.
pub(super) fn is_new(f: &Function<'_>, array: &str) -> bool {
    matches!(f.definition(array), Some(Op::Call { callee: Some("_Znwm"), .. }))
}

/// Returns all accesses of several blocks of memory; `None` if there may be other writes.
pub(super) fn writes_of_all<'a>(
    f: &Function<'a>,
    module: &Module<'a>,
    blocks: &[&'a str],
) -> Option<Accesses<'a>> {
    let mut found = Found { f, module, accesses: Accesses::default(), phis: Vec::new() };
    blocks.iter().all(|block| found.collect(block, Place::At(0), 0)).then_some(found.accesses)
}

/// Returns all accesses of memory that the host has allocated, or of a local variable; `None` if there may be other writes.
pub(super) fn accesses<'a>(f: &Function<'a>, module: &Module<'a>, array: &'a str) -> Option<Accesses<'a>> {
    let own = match f.definition(array)? {
        Op::Call { callee: Some(callee), .. } => ["malloc", "calloc", "_Znwm", "_Znam"].contains(callee),
        Op::Alloca => true,
        _ => false,
    };
    let mut found = Found { f, module, accesses: Accesses::default(), phis: Vec::new() };
    (own && found.collect(array, Place::At(0), 0)).then_some(found.accesses)
}

/// The accesses through the addresses of an array that were followed.
struct Found<'p, 'a> {
    f: &'p Function<'a>,
    module: &'p Module<'a>,
    accesses: Accesses<'a>,
    /// Phis that were followed.
    phis: Vec<&'a str>,
}

impl<'a> Found<'_, 'a> {
    /// Collects the writes to an address; returns whether these are all.
    fn collect(&mut self, address: &'a str, place: Place<'a>, deep: u32) -> bool {
        let f = self.f;
        deep < MOST_DEEP
            && f.uses.get(address).into_iter().flatten().all(|&spot| self.used(address, place, spot, deep))
    }

    /// Collects the writes that one use of an address makes; returns whether these are all.
    fn used(&mut self, address: &'a str, place: Place<'a>, spot: Spot, deep: u32) -> bool {
        let f = self.f;
        let used = &f.blocks[spot.0].insts[spot.1];
        match &used.op {
            Op::Compare { .. } => true,
            Op::Load { .. } => {
                self.accesses.loads.extend(used.result);
                true
            }
            Op::Store { ty, value, to } if *to == address && *value != address => {
                let stored = match (*ty, bits(ty)) {
                    ("ptr", _) => Stored::Pointer(value),
                    (_, 32 | 64) => Stored::Integer(value),
                    _ => Stored::Unknown,
                };
                self.writes(spot, place, stored, i128::from(bits(ty) / 8))
            }
            Op::Element { base, indices, constant } if *base == address => {
                let place = match (place, &indices[..]) {
                    (Place::At(at), []) => Place::At(at + constant),
                    (Place::At(at), [(number, bytes)]) => {
                        Place::Element { number, bytes: *bytes, at: at + constant }
                    }
                    (Place::Moved { pointer, bytes, at }, []) => {
                        Place::Moved { pointer, bytes, at: at + constant }
                    }
                    _ => Place::Anywhere,
                };
                used.result.is_some_and(|r| self.collect(r, place, deep + 1))
            }
            Op::Phi { incoming } => {
                let Some(result) = used.result else { return false };
                if self.phis.contains(&result) {
                    return true;
                }
                self.phis.push(result);
                let place = moved(self.f, result, incoming, address, place).unwrap_or(Place::Anywhere);
                self.collect(result, place, deep + 1)
            }
            Op::Select { .. } => used.result.is_some_and(|r| self.collect(r, Place::Anywhere, deep + 1)),
            Op::Cast { op: "ptrtoint", .. } => used.result.is_some_and(|r| self.only_subtracted(r)),
            Op::Call { callee: Some(callee), arguments, .. } => {
                let positions: Vec<usize> =
                    (0..arguments.len()).filter(|n| arguments[*n].value == address).collect();
                self.called(place, spot, callee, &positions)
            }
            _ => false,
        }
    }

    /// Collects what a call does that gets an address as these arguments; returns whether that is all.
    fn called(&mut self, place: Place<'a>, spot: Spot, callee: &str, positions: &[usize]) -> bool {
        let first = positions.first() == Some(&0);
        match callee {
            c if c.starts_with("llvm.lifetime") || c.starts_with("llvm.dbg") => true,
            "free" | "_ZdlPv" | "_ZdlPvm" | "_ZdaPv" | "_ZdaPvm" => true,
            c if ["llvm.memset", "llvm.memcpy", "llvm.memmove"].iter().any(|m| c.starts_with(m)) => {
                self.accesses.is_read |= positions != [0];
                !first || self.writes(spot, place, Stored::Unknown, 0)
            }
            c if sorted(c).is_some() => {
                let bytes = sorted(c).map_or(0, |s| i128::from(s.bytes));
                self.accesses.is_read = true;
                self.writes(spot, Place::Anywhere, Stored::Sorted, bytes)
            }
            "cudaMalloc" if positions == [0] => self.writes(spot, place, Stored::Allocation, 8),
            "cudaMemcpy" => !first,
            c => {
                self.accesses.is_read = true;
                positions.iter().all(|&n| self.module.only_reads(c, n) == Some(true))
            }
        }
    }

    fn writes(&mut self, spot: Spot, place: Place<'a>, stored: Stored<'a>, bytes: i128) -> bool {
        self.accesses.writes.push(Write { spot, place, stored, bytes });
        true
    }

    /// Returns whether a number that an address is becomes nothing but the distance to another address.
    fn only_subtracted(&self, number: &str) -> bool {
        let f = self.f;
        let is_address = |name: &str| matches!(f.definition(name), Some(Op::Cast { op: "ptrtoint", .. }));
        f.uses.get(number).into_iter().flatten().all(|&(block, inst)| match &f.blocks[block].insts[inst].op {
            Op::Compare { .. } => true,
            Op::Binary { op: "sub", a, b, .. } => is_address(a) && is_address(b),
            _ => false,
        })
    }
}

/// Returns the place of a pointer that begins with `address` and that each turn moves by the same number of bytes.
fn moved<'a>(
    f: &Function<'a>,
    pointer: &'a str,
    incoming: &[(&'a str, usize)],
    address: &str,
    place: Place<'a>,
) -> Option<Place<'a>> {
    let Place::At(at) = place else { return None };
    let [(a, _), (b, _)] = incoming else { return None };
    let next = if *a == address { b } else { a };
    match f.definition(next)? {
        Op::Element { base, indices, constant }
            if *base == pointer && indices.is_empty() && *constant > 0 =>
        {
            Some(Place::Moved { pointer, bytes: *constant, at })
        }
        _ => None,
    }
}
