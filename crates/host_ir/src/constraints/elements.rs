//! Index arrays that the host code fills, whatever their number of elements is.
//!
//! An array is followed back from a launch to one copy that fills all of it, and from there to the host's memory. There
//! the turns of one loop are the last to write each word ([`super::filled`] and [`super::grown`] say what they write), or a
//! sort is the last to write all. Other kernels than the launched one may not know the array: whether that one writes to it
//! is the prover's question.

use super::super::eval::Eval;
use super::super::ir::{Function, Op, Operand};
use super::super::operands::Parts;
use super::super::program::Written;
use super::super::value::Origin;
use super::counted_loops::{distance, is_before};
use super::filled::{Fill, Read};
use super::grown::Grown;
use super::reader::Reader;
use super::sorted::sorted_last;
use super::word_bounds::WordBounds;
use super::writes::{Accesses, Copy, accesses};
use crate::relation::{Expr, Name, Relation, Test};

/// A launch, by the host's function, that is passed an array as one of its arguments.
#[derive(Clone, Copy)]
struct Passed<'a> {
    stub: &'a str,
    position: usize,
}

/// The host's array that one copy brings to a device.
struct Filled<'p, 'a> {
    accesses: Accesses<'a>,
    /// The words, if one loop is the last to write each.
    fill: Option<Fill<'p, 'a>>,
    /// The bytes of a word, if a sort is the last to write all.
    sorted: Option<i128>,
}

impl<'p, 'a> Reader<'_, 'p, 'a> {
    /// Returns what holds of the words of the arrays that a launch is passed.
    pub(super) fn elements(&mut self, parts: &Parts<'a>, last: usize) -> Vec<Relation> {
        let mut found = Vec::new();
        for (n, argument) in parts.arguments.iter().enumerate() {
            if argument.ty != "ptr" || argument.by_value.is_some() || parts.array.is_some() {
                continue;
            }
            let Some(Filled { accesses, fill, sorted }) = self.filled(last, argument.value) else { continue };
            let array = || Expr::Name(Name::Param(format!("arg{n}")));
            let is_different = fill.as_ref().is_some_and(|fill| fill.is_different(self));
            if is_different {
                found.push(Relation::new(array(), Test::Permutation, Expr::Number(0)));
            }
            let ascending = fill.as_ref().filter(|fill| fill.is_ascending(self)).map(|fill| fill.bytes);
            if let Some(bytes) = ascending.or(sorted) {
                found.push(Relation::new(array(), Test::Monotone, Expr::Number(bytes)));
            }
            // These say less than that all are different.
            let bounds = fill.as_ref().filter(|_| !is_different).and_then(|fill| fill.word_bounds(self));
            if let Some(WordBounds { least, most }) = bounds {
                found.push(Relation::new(array(), Test::ElementsAtLeast, least.expr()));
                found.push(Relation::new(array(), Test::ElementsAtMost, most.expr()));
            }
            if fill.as_ref().is_some_and(Fill::is_of_rows) && self.keeps_rows(last, &accesses) {
                found.push(Relation::new(array(), Test::Rows, Expr::Number(8)));
            }
        }
        found
    }

    /// Returns how the host code fills an array that a launch is passed.
    fn filled(&mut self, last: usize, array: &'a str) -> Option<Filled<'p, 'a>> {
        let eval = self.eval;
        let at = eval.chain[last].at;
        if eval.chain.iter().filter(|frame| frame.at == at).count() > 1 {
            return None;
        }
        let (f, flow) = (eval.program.function(at), eval.program.flow(at));
        let module = &eval.program.modules[at.module];
        let (copy, size) = copied(eval, last, array)?;
        if let Some(grown) = Grown::of(f, module, copy.from) {
            return self.of_vector(last, &copy, size, grown);
        }
        // All of the array.
        let ((size, bytes), exact) = self.read(|r| (r.sum(last, size), r.sum(last, copy.bytes)));
        let bytes = bytes.filter(|bytes| exact && size.as_ref() == Some(bytes))?;
        let accesses = accesses(f, module, copy.from)?;
        let read = Read { depth: last, copy: &copy, bytes: &bytes, writes: &accesses.writes };
        let fill = Fill::of(self, &read);
        let mut is_end = |end| {
            let (way, exact) = self.read(|r| distance(r, last, end, copy.from));
            exact && way.as_ref() == Some(&bytes)
        };
        let sorted = sorted_last(f, &flow, &copy, &accesses, &mut is_end);
        Some(Filled { accesses, fill, sorted })
    }

    /// Returns how a vector is filled that grows word by word.
    fn of_vector(
        &mut self,
        last: usize,
        copy: &Copy<'a>,
        size: &'a str,
        grown: Grown<'a>,
    ) -> Option<Filled<'p, 'a>> {
        let at = self.eval.chain[last].at;
        let (f, flow) = (self.eval.program.function(at), self.eval.program.flow(at));
        let words = grown.words(self, last, copy);
        let by_length = size == copy.bytes && grown.is_length(f, size, copy.from);
        let mut by_number = || {
            let (_, number) = words.as_ref()?;
            let ((size, bytes), exact) = self.read(|r| (r.sum(last, size), r.sum(last, copy.bytes)));
            let all = words.as_ref().map(|(fill, _)| number.times(fill.bytes));
            (exact && size == bytes && bytes == all).then_some(())
        };
        (by_length || by_number().is_some()).then_some(())?;
        let sorted = sorted_last(f, &flow, copy, &grown.accesses, &mut |end| grown.is_end(f, end));
        Some(Filled { accesses: grown.accesses, fill: words.map(|(fill, _)| fill), sorted })
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
