//! A static prover of data races, over PTX.
//!
//! The question is HGRD's (Nayak, Ghosh, Basu, arXiv 2604.02106): can two threads of any launch that
//! satisfies the facts make a race? Here shared memory is included, and every alarm is replayed.
//!
//! # From a kernel to an answer
//!
//! [`exec`] executes a kernel symbolically, for one arbitrary thread: each access gets an address and a guard, which
//! are polynomials and conditions over coordinates, extents, parameters and loop iterations. [`sync`] divides the
//! accesses into intervals between barriers. [`pairs`] takes all pairs of accesses that may happen in one interval and
//! asks [`solver`] whether two threads can access the same byte there. A pair that stays open is an *alarm*: [`answer`]
//! generates launches that may show it, and [`replay`] runs them on the virtual GPU under the detector of the PTX
//! memory model. An alarm that no launch shows is a doubt, and the answer *unknown*.
//!
//! # Where to look
//!
//! | question | module |
//! |---|---|
//! | what is a symbol, a polynomial, a condition; when is a question refuted | [`solver`] |
//! | what is assumed, how `--assume` is read, how a claim's text is made | [`facts`] |
//! | which instructions, loops and accesses does a kernel have | [`kernel`] |
//! | how is a barrier understood, an mbarrier, an asynchronous copy | [`sync`] |
//! | how is an instruction executed symbolically, a loop, a quotient | [`exec`] |
//! | how is a pair decided; when do flags, counters and locks order it | [`pairs`] |
//! | how is an alarm replayed; what is a witness, a replay line | [`replay`] |
//! | when does one execution stand for all | [`determinism`] |
//! | how do these become an answer | [`answer`] |
//! | what of the launches that a run or the host code makes | [`launches`] |
//!
//! Each uses those before it in this table, and none behind it. `host_ir`, a crate of its own, reads launches from host
//! code.
//!
//! # Guarantee
//!
//! *Proved* means that no launch satisfying the listed assumptions has a data race between two of the
//! kernel's own accesses. Unsupported constructs are approximated on the safe side or make the answer
//! unknown. A *race* is never reported by reasoning alone: a launch that the virtual GPU ran has shown it. Tests check
//! both against the virtual GPU on random kernels.

pub mod answer;
pub mod determinism;
pub mod exec;
pub mod facts;
pub mod kernel;
pub mod launches;
pub mod pairs;
pub mod replay;
pub mod solver;
pub mod sync;

pub use answer::{Answer, Doubt, Exactness, Part, Prover, Race, Verdict};
pub use facts::Facts;
pub use replay::Malformed;
