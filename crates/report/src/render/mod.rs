//! A described run in the formats that other tools read.

mod github;
mod junit;
mod sarif;

pub use github::github;
pub use junit::junit;
pub use sarif::sarif;

use crate::model::{Access, Described};

/// `write of 4 bytes by thread (3, 0, 0) of block (0, 0, 0)`
fn side(access: &Access) -> String {
    format!("{} by {}", access.what, access.who)
}

/// The finding on one line: what happened, and on the other side.
fn headline(f: &Described) -> String {
    let [first, second] = &f.accesses;
    format!("{}: (1) {}; (2) {}", f.title, side(first), side(second))
}

/// What stays the same when lines move and other allocations come first: class, functions, kinds, variable.
fn fingerprint(f: &Described) -> String {
    let [a, b] = f.accesses.each_ref().map(|s| format!("{}\0{}\0{}\0{}", s.file, s.function, s.kind, s.size));
    let (a, b) = if a <= b { (a, b) } else { (b, a) };
    let variable = f.memory.variable.as_deref().unwrap_or_default();
    let text = format!("{}\0{}\0{variable}\0{a}\0{b}", f.class.name(), f.space);
    // FNV-1a: short, and the same everywhere.
    let hash =
        text.bytes().fold(0xcbf2_9ce4_8422_2325u64, |h, b| (h ^ u64::from(b)).wrapping_mul(0x100_0000_01b3));
    format!("{hash:016x}")
}
