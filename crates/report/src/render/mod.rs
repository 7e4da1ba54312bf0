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
