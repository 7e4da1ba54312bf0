//! Race detectors: events in, findings out.
//!
//! One module for each lens: [`ptx`] is the law (PTX ISA chapter 8), [`scord`], [`iguard`], [`hb`], [`gwcp`] and [`hirace`] are the
//! published detectors as their papers define them. Each module's header names its source, where it deviates, and what it
//! guarantees. [`lens`] is what they share, [`named`] their types by the names of [`names::lens`], [`candidates`] pairs of accesses that another
//! schedule might show as races.
//!
//! # Invariants
//!
//! * A detector sees events and nothing else; it never learns which engine speaks.
//! * A lens never reports what its own definition does not call a race. For `ptx` that definition is checked against the oracle.
//! * A serial lens can be divided among workers by memory ([`lens::shard`]): each hears everything and judges its own pages.
//!   What it knows of threads never depends on what it knows of memory: so a divided lens reports exactly what a whole one does.
//!
//! # How to add a lens
//!
//! 1. A folder whose header names the paper, each deviation and what is guaranteed. A type implements [`lens::Lens`]: a launch
//!    begins and ends, accesses and synchronisation come in one order, memory is forgotten, findings are taken.
//! 2. What lenses share is in [`lens`]: [`launches`](lens::launches) keeps the state of running launches apart,
//!    [`elements`](lens::elements) takes a warp's access apart, [`pages`](lens::pages) and [`slab`](lens::slab) are shadow memory,
//!    [`witness`](lens::witness) says who made an access, [`pairs`](lens::pairs) makes one finding of a pair of sites,
//!    [`shard`](lens::shard) divides memory among workers (then the lens answers `restrict` with true),
//!    [`operation`](lens::operation) and [`granularity`](lens::granularity) are what `scord` and `iguard` agree on.
//! 3. Its name and options in [`names::lens`]: `SERIAL`, `OPTIONS`, `Settings`, `FromStr` and `name`; its type in [`named::lens`]. Help, completions, replay
//!    strings, `predict`, `compare`, `lens-NAME` directives and the tests over all lenses take them from there; the table of
//!    `docs/options.md` is made by `WARPRACE_BLESS=1 cargo test -p warprace --bin warprace`. By hand are only words and choices: why
//!    the lens is silent (`warprace`'s `offline::compare`), and the lists of what `xtask` measures.
//! 4. Tests by `lens::script`, whose warps write their events as instructions and have a memory, and `lens-NAME` directives in
//!    fixtures. (The tests of `ptx` write theirs in the same words, which are in `detect/tests/script`; there a monitor
//!    listens.) `lens::toy` is the smallest lens, and a test.

pub mod candidates;
pub mod gwcp;
pub mod hb;
pub mod hirace;
pub mod iguard;
pub mod lens;
pub mod named;
pub mod ptx;
#[cfg(test)]
mod random;
pub mod scord;
mod shadow;
