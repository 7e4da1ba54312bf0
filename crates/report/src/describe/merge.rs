//! One report for one pair of source lines.
//!
//! Detectors group by pairs of instructions; loops that were unrolled and templates that were
//! instantiated give a pair of lines many of them.

use crate::model::{Access, Described};
use events::Class;

/// Merges findings that a reader would call the same, adding their counts. Keeps the order of
/// first appearance.
pub(super) fn by_source(all: Vec<Described>) -> Vec<Described> {
    let mut out: Vec<Described> = Vec::new();
    for new in all {
        match out.iter_mut().find(|old| same(old, &new)) {
            Some(old) => {
                old.count = old.count.saturating_add(new.count);
                let mut schedules = std::mem::take(&mut old.schedules);
                schedules.extend(
                    new.schedules.iter().filter(|s| !schedules.contains(s)).cloned().collect::<Vec<_>>(),
                );
                if rank(new.class) > rank(old.class) {
                    // The wider problem's description stands for both: its fix mends both.
                    let count = old.count;
                    *old = new;
                    old.count = count;
                }
                old.schedules = schedules;
            }
            None => out.push(new),
        }
    }
    out
}

fn same(a: &Described, b: &Described) -> bool {
    let [a1, a2] = &a.accesses;
    let [b1, b2] = &b.accesses;
    a.level == b.level
        && (a.class == b.class || rank(a.class) != 0 && rank(b.class) != 0)
        && a.space == b.space
        && (same_place(a1, b1) && same_place(a2, b2) || same_place(a1, b2) && same_place(a2, b1))
}

/// A missing barrier lets threads of one warp race, too, and where a `__syncthreads()` belongs
/// a `__syncwarp()` is no answer.
const fn rank(class: Class) -> u8 {
    match class {
        Class::MissingBarrier => 2,
        Class::DivergentWarp => 1,
        _ => 0,
    }
}

/// By line: the load and the store of `x += y` are one place to a reader. Without lines, by
/// instruction.
fn same_place(a: &Access, b: &Access) -> bool {
    a.file == b.file && a.line == b.line && (a.line != 0 || a.kernel == b.kernel && a.ptx_line == b.ptx_line)
}
