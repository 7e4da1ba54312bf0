//! Index arrays that the host code fills, whatever their number of elements is.
//!
//! An array is followed back from a launch to one copy that fills all of it, and from there to the host's memory. There
//! the turns of one loop are the last to write each word ([`super::filled`] says what they write). Other kernels than the launched one may not know the array: whether that one writes to it is the
//! prover's question.

use super::super::eval::Eval;
use super::super::ir::{Function, Op, Operand};
use super::super::linear::Sum;
use super::super::operands::Parts;
use super::super::program::Written;
use super::super::value::Origin;
use super::counted_loops::is_before;
use super::filled::{Fill, Read};
use super::reader::Reader;
use super::writes::{Accesses, Copy, accesses};
use crate::relation::{Expr, Name, Relation, Test};

/// A launch, by the host's function, that is passed an array as one of its arguments.
#[derive(Clone, Copy)]
struct Passed<'a> {
    stub: &'a str,
    position: usize,
}

/// The host's array that one copy brings to a device.
struct Filled<'a> {
    copy: Copy<'a>,
    bytes: Sum,
    accesses: Accesses<'a>,
}

impl<'a> Reader<'_, '_, 'a> {
    /// Returns what holds of the words of the arrays that a launch is passed.
    pub(super) fn elements(&mut self, parts: &Parts<'a>, last: usize) -> Vec<Relation> {
        let mut found = Vec::new();
        for (n, argument) in parts.arguments.iter().enumerate() {
            if argument.ty != "ptr" || argument.by_value.is_some() || parts.array.is_some() {
                continue;
            }
            let Some(filled) = self.filled(last, argument.value) else { continue };
            let array = || Expr::Name(Name::Param(format!("arg{n}")));
            let accesses = &filled.accesses;
            let read =
                Read { depth: last, copy: &filled.copy, bytes: &filled.bytes, writes: &accesses.writes };
            let fill = Fill::of(self, &read);
            if fill.as_ref().is_some_and(|fill| fill.is_different(self)) {
                found.push(Relation::new(array(), Test::Permutation, Expr::Number(0)));
            }
            if let Some(fill) = fill.as_ref().filter(|fill| fill.is_ascending(self)) {
                found.push(Relation::new(array(), Test::Monotone, Expr::Number(fill.bytes)));
            }
            if fill.as_ref().is_some_and(Fill::is_of_rows) && self.keeps_rows(last, accesses) {
                found.push(Relation::new(array(), Test::Rows, Expr::Number(8)));
            }
        }
        found
    }

    /// Returns how the host code fills an array that a launch is passed.
    fn filled(&mut self, last: usize, array: &'a str) -> Option<Filled<'a>> {
        let eval = self.eval;
        let at = eval.chain[last].at;
        if eval.chain.iter().filter(|frame| frame.at == at).count() > 1 {
            return None;
        }
        let f = eval.program.function(at);
        let (copy, size) = copied(eval, last, array)?;
        // All of the array.
        let ((size, bytes), exact) = self.read(|r| (r.sum(last, size), r.sum(last, copy.bytes)));
        let bytes = bytes.filter(|bytes| exact && size.as_ref() == Some(bytes))?;
        let accesses = accesses(f, &eval.program.modules[at.module], copy.from)?;
        Some(Filled { copy, bytes, accesses })
    }
}

/// Returns the one copy of the host's memory into an array that a launch is passed, and the array's size. Nothing else
/// writes there but the launched kernel.
fn copied<'a>(eval: &Eval<'_, 'a>, last: usize, array: &'a str) -> Option<(Copy<'a>, &'a str)> {
    let (Origin::Allocation(depth, block, inst), Some(0)) = eval.root(last, array)? else { return None };
    if depth != last {
        return None;
    }
    let frame = eval.chain[last];
    let (f, flow) = (eval.program.function(frame.at), eval.program.flow(frame.at));
    let Op::Call { callee: Some("cudaMalloc"), arguments, .. } = &f.blocks[block].insts[inst].op else {
        return None;
    };
    let [variable, size] = arguments[..] else { return None };
    let contents = eval.program.contents(Some(frame.at), variable.value);
    let [one] = &contents.writers[..] else { return None };
    let alone = flow.around(block).is_empty()
        && matches!(f.definition(variable.value), Some(Op::Alloca))
        && one.place == Some((0, 8))
        && matches!(one.what, Written::Allocation(_))
        && !contents.escapes;
    let launch = &f.blocks[frame.block].insts[frame.inst].op;
    let Op::Call { callee: Some(stub), arguments: passed, .. } = launch else { return None };
    let launch = Passed { stub, position: passed.iter().position(|a| a.value == array)? };
    let mut copies = Vec::new();
    for &(block, inst) in f.uses.get(variable.value)? {
        let used = &f.blocks[block].insts[inst];
        match &used.op {
            Op::Load { .. } => copies_to(f, used.result?, launch, false, &mut copies)?,
            Op::Call { .. } => {}
            _ => return None,
        }
    }
    let [copy] = copies[..] else { return None };
    let before = is_before(&flow, copy.spot, (frame.block, frame.inst));
    (alone && before).then_some((copy, size.value))
}

/// Collects the copies to an address in the memory of devices; `None` if something else may write there than launches of one
/// kernel that are passed it as the same argument.
fn copies_to<'a>(
    f: &Function<'a>,
    pointer: &'a str,
    launch: Passed<'_>,
    is_within: bool,
    into: &mut Vec<Copy<'a>>,
) -> Option<()> {
    for &(block, inst) in f.uses.get(pointer).into_iter().flatten() {
        let used = &f.blocks[block].insts[inst];
        match &used.op {
            Op::Compare { .. } => {}
            Op::Element { base, .. } if *base == pointer && !is_within => {
                copies_to(f, used.result?, launch, true, into)?;
            }
            Op::Call { callee: Some(callee), arguments, .. } => {
                let to = arguments.first().is_some_and(|a| a.value == pointer);
                match (*callee, &arguments[..]) {
                    ("cudaMemcpy", [_, from, bytes, kind]) if to && from.value != pointer => {
                        // From the host, and whole.
                        let copy = Copy { spot: (block, inst), from: from.value, bytes: bytes.value };
                        into.push(Some(copy).filter(|_| matches!(kind.value, "1" | "4") && !is_within)?);
                    }
                    ("cudaMemcpy" | "cudaMemcpyAsync", _) if !to => {}
                    ("cudaFree", _) => {}
                    (name, all) if name == launch.stub => {
                        let elsewhere =
                            |(n, a): (usize, &Operand<'a>)| a.value == pointer && n != launch.position;
                        if all.iter().enumerate().any(elsewhere) {
                            return None;
                        }
                    }
                    _ => return None,
                }
            }
            _ => return None,
        }
    }
    Some(())
}

#[cfg(test)]
mod tests;
