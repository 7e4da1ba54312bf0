//! Finds arrays that `std::sort` leaves in ascending order.

use super::super::control_flow::Flow;
use super::super::ir::{Function, Op};
use super::counted_loops::{is_before, leads};
use super::writes::{Accesses, Copy, Spot, Stored, Write};
use crate::prepare::sorted;

/// Returns the bytes of a word, if a sort of all words of an array is the last write before the copy. `is_end` says which
/// addresses are behind the last word.
pub(super) fn sorted_last<'a>(
    f: &Function<'a>,
    flow: &Flow,
    copy: &Copy<'a>,
    accesses: &Accesses<'a>,
    is_end: &mut dyn FnMut(&'a str) -> bool,
) -> Option<i128> {
    let sorts = accesses.writes.iter().filter(|write| write.stored == Stored::Sorted);
    let mut sorts = sorts.filter(|sort| {
        let once = flow.around(sort.spot.0).is_empty() && is_before(flow, sort.spot, copy.spot);
        let others = || accesses.writes.iter().filter(|other| other.spot != sort.spot);
        once && !others().any(|other| comes_later(f, sort.spot, other.spot))
    });
    sorts.find(|sort| is_of_all(f, sort, copy, is_end)).map(|sort| sort.bytes)
}

/// Returns whether an instruction may be executed behind another one, which is in no loop.
fn comes_later(f: &Function<'_>, one: Spot, other: Spot) -> bool {
    match one.0 == other.0 {
        true => other.1 > one.1,
        false => leads(f, one.0, other.0, f.blocks.len()),
    }
}

/// Returns whether a sort brings numbers with signs into ascending order, and takes all words of the array.
fn is_of_all<'a>(
    f: &Function<'a>,
    sort: &Write<'a>,
    copy: &Copy<'a>,
    is_end: &mut dyn FnMut(&'a str) -> bool,
) -> bool {
    let Op::Call { callee: Some(callee), arguments, .. } = &f.blocks[sort.spot.0].insts[sort.spot.1].op
    else {
        return false;
    };
    let [begin, end] = arguments[..] else { return false };
    sorted(callee).is_some_and(|s| s.is_signed && !s.descends)
        && begin.value == copy.from
        && is_end(end.value)
}
