//! A static prover of data races, over PTX.
//!
//! HGRD's question (Nayak, Ghosh, Basu, arXiv 2604.02106): can two threads of any launch that satisfies the facts
//! make a race? For shared memory, too, and with every alarm replayed.
//!
//! * [`exec`] executes a kernel symbolically: for every access an address and a guard over coordinates, extents,
//!   parameters and turns of loops. [`facts`] and [`assume`] say what is known of launches.
//!   Functions that it calls are written out first (`inline`).
//! * [`barriers`] finds which accesses may happen between the same two barriers, of a block, a warp or a cluster.
//!   `pending` says until when copies go on that a thread has begun.
//!   `meetings` finds mbarriers at which a block meets, `pipeline` what is known at others.
//! * [`pair`] asks [`solve`] whether two threads can meet in a byte, [`order`] whether flags, counters or locks order
//!   them; [`decide`] does so for all pairs.
//! * [`smt`] puts what is left to z3 or cvc5, if there is one.
//! * [`host`] reads launches from the host code, about which `launched` asks.
//! * `weaker` keeps proofs where more is known, `vacuous` names questions about no launch; `replayed` runs one launch again.
//! * `settled` tells proofs of all launches of host code from those that rest on what it can break.
//! * [`observed`] asks about launches that a run has made; [`determined`] tells which of them one execution
//!   settles, and [`waits`] which loops only wait; [`phases`] holds in it that barriers' phases are always the same.
//! * `shown` runs launches of which not all is known: `about` finds which instructions have to do with a race, `unread` what a
//!   launch read of memory that it had not written, and `before` what it does before anything that is not known decides.
//! * [`answer`]: *proved*, under the assumptions it lists; a *race*, if a launch ([`witness`]) that the virtual GPU
//!   ran ([`launch`]) has shown it to the detector of the PTX memory model; or *unknown*, and why.
//!
//! # Guarantee
//!
//! *Proved* means that no launch satisfying the listed assumptions has a data race between two of the kernel's own
//! accesses. What is not understood is approximated on the safe side or makes the answer unknown. A *race* is never
//! reported by reasoning alone. Tests hold both against the virtual GPU on random kernels.

mod about;
pub mod access;
pub mod answer;
mod apart;
pub mod assume;
pub mod barriers;
pub mod base_order;
mod before;
pub mod cfg;
pub mod cond;
pub mod decide;
pub mod determined;
mod dominators;
pub mod exec;
pub mod facts;
mod flows;
pub mod host;
mod inline;
pub mod launch;
mod launch_text;
mod launched;
mod launches;
mod left;
mod meetings;
pub mod observed;
mod order;
pub mod pair;
pub mod pending;
mod phases;
mod pipeline;
pub mod poly;
pub mod question;
mod replayed;
mod rerun;
mod settled;
mod shown;
pub mod smt;
pub mod solve;
mod stated;
mod suggested;
pub mod syms;
mod traps;
mod unread;
mod vacuous;
mod vocabulary;
mod waits;
mod weaker;
pub mod witness;

pub use answer::{Answer, Doubt, Exactness, Part, Prover, Race, Verdict};
pub use facts::Facts;
pub use launch_text::Malformed;
