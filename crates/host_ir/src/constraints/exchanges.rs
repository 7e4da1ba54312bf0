//! Exchanges of words of an array: `std::swap(a[i], a[j])`, and with it `std::reverse` and shuffles; and `std::sort`. The
//! array has the same words afterwards, in another order.

use super::super::ir::{Function, Op};
use super::writes::{Spot, Stored, Write};
use std::collections::BTreeSet;

/// Returns the places of writes that exchange words of an array.
pub(super) fn exchanges<'a>(f: &Function<'a>, array: &str, writes: &[Write<'a>]) -> BTreeSet<Spot> {
    let mut found = BTreeSet::new();
    for one in writes {
        if one.stored == Stored::Sorted {
            found.insert(one.spot);
        }
        for other in writes.iter().filter(|other| other.spot.0 == one.spot.0 && other.spot > one.spot) {
            if is_exchange(f, array, writes, [one, other]) {
                found.extend([one.spot, other.spot]);
            }
        }
    }
    found
}

/// Returns whether two words are loaded from two addresses of the array, and then each is stored where the other one was,
/// without another write to the array in between.
fn is_exchange<'a>(f: &Function<'a>, array: &str, writes: &[Write<'a>], both: [&Write<'a>; 2]) -> bool {
    let block = both[0].spot.0;
    let insts = &f.blocks[block].insts;
    let stored = |write: &Write<'a>| match &insts[write.spot.1] {
        inst if !is_aligned(inst.text, write.bytes) => None,
        inst => match &inst.op {
            Op::Store { value, to, .. } if derives(f, to, array, &mut BTreeSet::new()) => Some((*value, *to)),
            _ => None,
        },
    };
    let loaded = |value: &str, from: &str| {
        let &(at, inst) = f.defs.get(value)?;
        let is_load =
            matches!(&f.blocks[at].insts[inst].op, Op::Load { from: address, .. } if *address == from);
        (at == block && is_load).then_some(inst)
    };
    let (Some((x, to)), Some((y, other))) = (stored(both[0]), stored(both[1])) else { return false };
    let (Some(a), Some(b)) = (loaded(x, other), loaded(y, to)) else { return false };
    let (first, last) = (both[0].spot.1, both[1].spot.1);
    let between = |write: &&Write<'a>| write.spot.0 == block && (a.min(b)..=last).contains(&write.spot.1);
    let touched: BTreeSet<Spot> = writes.iter().filter(between).map(|write| write.spot).collect();
    a.max(b) < first && both[0].bytes == both[1].bytes && touched == both.map(|write| write.spot).into()
}

/// Returns whether an access is aligned to its bytes: no part of another word is touched.
fn is_aligned(text: &str, bytes: i128) -> bool {
    let align = text.split_once(" align ").map(|(_, rest)| rest.split(|c: char| !c.is_ascii_digit()).next());
    align.flatten().and_then(|digits| digits.parse::<i128>().ok()).is_some_and(|align| align >= bytes)
}

/// Returns whether an address is computed of the array's alone, on every way.
fn derives<'a>(f: &Function<'a>, name: &'a str, array: &str, seen: &mut BTreeSet<&'a str>) -> bool {
    if name == array || !seen.insert(name) {
        return true;
    }
    match f.definition(name) {
        Some(Op::Element { base: of, .. } | Op::Same(of)) => derives(f, of, array, seen),
        Some(Op::Select { a, b, .. }) => derives(f, a, array, seen) && derives(f, b, array, seen),
        Some(Op::Phi { incoming }) => incoming.iter().all(|(value, _)| derives(f, value, array, seen)),
        _ => false,
    }
}
