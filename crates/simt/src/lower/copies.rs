//! Copies of library functions, one for each call, whose sites name the caller.
//!
//! A debug build calls `atomicAdd` instead of inlining it, so the atomic itself lies in a function of a
//! toolkit header that all the program's atomics share. A copy of the function for each call gives each of
//! them sites of its own, whose frames continue with the calls as an inline chain does. Functions of the user
//! need no copies, since their lines are the user's.

use events::Frame;
use kernels::libraries::is_library;
use ptx::ast::FunctionKind;
use ptx::flat::Flat;
use ptx::lines::FunctionLines;
use std::collections::HashSet;

/// The largest number of instructions in all copies. Beyond it, calls share the original.
const MOST: usize = 1 << 16;

/// The largest number of calls recorded for a copy.
const DEEPEST: usize = 6;

/// The functions to lower: all originals in order, then copies of some.
#[derive(Default)]
pub(super) struct Copies {
    /// The number of instructions of each original; `None` if calls share it.
    sizes: Vec<Option<usize>>,
    copies: Vec<(usize, Vec<Frame>)>,
    /// The number of instructions in the copies.
    copied: usize,
}

/// Returns the number of instructions of a function that has no line of the user.
pub(super) fn size(flat: &Flat<'_>, lines: &FunctionLines<'_>) -> Option<usize> {
    if flat.function.kind == FunctionKind::Entry {
        return None;
    }
    let mut seen = HashSet::new();
    let new = flat.instructions.iter().filter(|inst| seen.insert(inst.loc));
    let users = |inst| lines.frames(inst).iter().any(|frame| !is_library(frame.file));
    (!new.into_iter().any(users)).then_some(flat.instructions.len())
}

impl Copies {
    pub(super) fn new(sizes: impl Iterator<Item = Option<usize>>) -> Copies {
        Copies { sizes: sizes.collect(), copies: Vec::new(), copied: 0 }
    }

    /// Returns the function to lower under a number, and the calls that lead to it.
    pub(super) fn get(&self, number: usize) -> Option<(usize, Vec<Frame>)> {
        if number < self.sizes.len() {
            return Some((number, Vec::new()));
        }
        self.copies.get(number - self.sizes.len()).cloned()
    }

    /// Returns the number of the function that a call of `function` is to call: a new copy, if the call has
    /// line information and the limit allows it.
    pub(super) fn callee(&mut self, function: u32, calls: Vec<Frame>) -> u32 {
        let size = self.sizes.get(function as usize).copied().flatten();
        let Some(size) = size.filter(|size| self.copied + size <= MOST) else { return function };
        if calls.is_empty() || calls.len() > DEEPEST {
            return function;
        }
        self.copied += size;
        self.copies.push((function as usize, calls));
        (self.sizes.len() + self.copies.len() - 1) as u32
    }
}
