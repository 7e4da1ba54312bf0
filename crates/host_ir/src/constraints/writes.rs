//! Finds the host code's writes to one of its own arrays.

use super::super::ir::{Function, Module, Op};

/// Places within places that an address is followed through.
const MOST_DEEP: u32 = 6;

/// A block, and an instruction in it.
pub(super) type Spot = (usize, usize);

/// The part of an array that is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place<'a> {
    /// So many bytes behind its beginning.
    At(i128),
    /// A word by its number, and so many bytes.
    Word(&'a str, i128),
    Anywhere,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Write<'a> {
    pub(super) spot: Spot,
    pub(super) place: Place<'a>,
    /// The value, if one word is stored.
    pub(super) value: Option<&'a str>,
}

/// The copy that fills an array.
#[derive(Clone, Copy, Debug)]
pub(super) struct Copy<'a> {
    pub(super) spot: Spot,
    pub(super) from: &'a str,
    pub(super) bytes: &'a str,
}

/// Returns all writes to memory that the host has allocated, or to a local variable; `None` if there may be others.
pub(super) fn writes<'a>(f: &Function<'a>, module: &Module<'a>, array: &'a str) -> Option<Vec<Write<'a>>> {
    let own = match f.definition(array)? {
        Op::Call { callee: Some(callee), .. } => ["malloc", "calloc", "_Znwm", "_Znam"].contains(callee),
        Op::Alloca => true,
        _ => false,
    };
    let mut found = Vec::new();
    (own && collect(f, module, (array, Place::At(0)), &mut found, 0)).then_some(found)
}

/// Collects the writes to an address; returns whether these are all.
fn collect<'a>(
    f: &Function<'a>,
    module: &Module<'a>,
    (address, place): (&'a str, Place<'a>),
    into: &mut Vec<Write<'a>>,
    deep: u32,
) -> bool {
    deep < MOST_DEEP
        && f.uses.get(address).into_iter().flatten().all(|&spot| {
            let used = &f.blocks[spot.0].insts[spot.1];
            match &used.op {
                Op::Load { .. } | Op::Compare { .. } => true,
                Op::Store { ty, value, to } if *to == address && *value != address => {
                    into.push(Write { spot, place, value: Some(*value).filter(|_| *ty == "i32") });
                    true
                }
                Op::Element { base, indices, constant } if *base == address => {
                    let place = match (place, &indices[..]) {
                        (Place::At(at), []) => Place::At(at + constant),
                        (Place::At(at), [(index, 4)]) => Place::Word(index, at + constant),
                        _ => Place::Anywhere,
                    };
                    used.result.is_some_and(|r| collect(f, module, (r, place), into, deep + 1))
                }
                Op::Call { callee: Some(callee), arguments, .. } => {
                    let first = arguments.first().is_some_and(|a| a.value == address);
                    match *callee {
                        c if c.starts_with("llvm.lifetime") || c.starts_with("llvm.dbg") => true,
                        "free" | "_ZdlPv" | "_ZdlPvm" | "_ZdaPv" | "_ZdaPvm" => true,
                        c if c.starts_with("llvm.memset") || c.starts_with("llvm.memcpy") => {
                            if first {
                                into.push(Write { spot, place, value: None });
                            }
                            true
                        }
                        "cudaMemcpy" => !first,
                        c => arguments
                            .iter()
                            .enumerate()
                            .filter(|(_, a)| a.value == address)
                            .all(|(n, _)| module.only_reads(c, n) == Some(true)),
                    }
                }
                _ => false,
            }
        })
}
