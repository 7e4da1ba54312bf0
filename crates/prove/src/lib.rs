//! A static prover of data races, over PTX.
//!
//! The question is HGRD's (Nayak, Ghosh, Basu, arXiv 2604.02106): can two threads of any launch that
//! satisfies the facts make a race? Here shared memory is included, and every alarm is replayed.
//!
//! * [`exec`] executes a kernel symbolically: each access has an address and a guard over coordinates,
//!   extents, parameters and loop iterations. [`facts`] and [`assume`] are the facts about launches. Called
//!   functions are inlined first (`inline`).
//! * [`barriers`] finds which accesses may happen between the same two barriers, of a block, a warp or a
//!   cluster. `pending` tracks copies that a thread has begun. `meetings` finds mbarriers at which a block
//!   synchronises, `pipeline` the order that other mbarriers establish.
//! * [`pair`] asks [`solve`] whether two threads can access the same byte, [`order`] whether flags, counters
//!   or locks order them; [`decide`] does so for all pairs.
//! * [`smt`] passes the remaining queries to z3 or cvc5, if one is installed.
//! * [`host`] converts launches of host code (`host_ir`), which `launched` analyses.
//! * `weaker` preserves proofs when more facts are known, `vacuous` names questions about no launch;
//!   `replayed` runs one launch again.
//! * `settled` separates proofs for all launches of host code from those that depend on conditions the host
//!   code can violate.
//! * [`observed`] analyses launches that a run has made; [`determined`] identifies those that one execution
//!   settles, and [`waits`] the loops that only wait; [`phases`] checks in it that the phases of barriers are
//!   always the same.
//! * `shown` runs launches that are partly unknown: `about` finds the instructions that affect a race,
//!   `unread` the memory that a launch read without having written it, and `before` what it does before
//!   anything unknown decides.
//! * [`answer`]: *proved*, under the assumptions that it lists; a *race*, if a launch ([`witness`]) that the
//!   virtual GPU ran ([`launch`]) has shown it to the detector of the PTX memory model; or *unknown*, with
//!   the reason.
//!
//! # Guarantee
//!
//! *Proved* means that no launch satisfying the listed assumptions has a data race between two of the
//! kernel's own accesses. Unsupported constructs are approximated on the safe side or make the answer
//! unknown. A *race* is never reported by reasoning alone. Tests check both against the virtual GPU on random
//! kernels.

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
mod tried;
mod unread;
mod vacuous;
mod vocabulary;
mod waits;
mod weaker;
pub mod witness;

pub use answer::{Answer, Doubt, Exactness, Part, Prover, Race, Verdict};
pub use facts::Facts;
pub use launch_text::Malformed;
