//! Assumptions about a kernel's launches, and those that a proof has used.
//!
//! [`assume`] reads the language of `--assume`, [`observed`] derives the facts of a recorded launch, [`spread`] replaces
//! numbers among them by ranges, `fewer` leaves some out, and `text` writes assumptions and claims for reports.

pub mod assume;
pub(crate) mod fewer;
pub mod observed;
pub mod spread;
mod text;

pub(crate) use text::{APART, HOST_ARITHMETIC, shape};
pub use text::{given, show};

use crate::solver::cond::Cond;
use crate::solver::symbols::{Axis, Syms};
use events::{Dim3, ObservedLaunch};
use std::collections::{BTreeMap, BTreeSet};

/// The properties of launches that a user or an observed launch states.
#[derive(Clone, Debug, Default)]
pub struct Facts {
    /// The known extents of blocks and grids.
    pub block: Option<[u32; 3]>,
    pub grid: Option<[u32; 3]>,
    /// Values of scalar parameters, by index and offset in the parameter.
    pub scalars: BTreeMap<(u32, u32), i128>,
    /// Relations, see [`crate::facts::assume`].
    pub relations: Vec<crate::facts::assume::Relation>,
    /// Bytes of dynamic shared memory.
    pub dynamic_shared: Option<u32>,
    /// `volatile` accesses are treated as weak (`--volatile weak`), although PTX §8.4.2 makes them strong.
    pub volatile_weak: bool,
    /// The external solver for questions that the internal one leaves open.
    pub smt: Option<crate::solver::smt::Smt>,
    /// Parameters that point into the array of another one, with the distance in bytes if it is known.
    pub aliases: BTreeMap<u32, (u32, Option<i128>)>,
    /// Parameters without a known value in the given launch.
    pub unknown: BTreeSet<u32>,
    /// The relations treat the host's arithmetic as that of unbounded integers.
    pub host_arithmetic: bool,
    /// Integer arithmetic wraps around as on the machine: a result that may overflow is a remainder.
    pub exact: bool,
    /// Excludes assumptions that host code could break: those about extents that are not given, and that
    /// `loose` parameters point to different arrays.
    pub strict: bool,
    /// Parameters whose pointers may lead into the memory of any other pointer.
    pub loose: BTreeSet<u32>,
    /// Variables that are zero before the launch.
    pub zeroed: BTreeSet<String>,
    /// Assumes that accesses of a shared variable are within it; launches with a block too large for its tile
    /// are then not covered.
    pub within: bool,
    /// The single launch that the question is about.
    pub observed: Option<std::sync::Arc<ObservedLaunch>>,
    /// Launches that are asked about together with the observed one.
    pub spread: spread::Spread,
}

impl Facts {
    /// Returns the cluster extents of the given launch.
    pub(crate) fn cluster(&self) -> Option<Dim3> {
        self.observed.as_ref().map(|launch| launch.info.cluster)
    }
}

/// An assumption of a proof.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Assumption {
    /// The kernel does not read this coordinate, so the extent is assumed to be one.
    FlatBlocks(Axis),
    FlatGrids(Axis),
    /// These parameters or variables are different memory, and no access leaves its own.
    Distinct(String, String),
    /// This integer arithmetic with at most 32 bits does not overflow.
    Fits(String),
    NotNegative(String),
    /// The kernel writes to no memory of a texture.
    TexturesApart,
    /// The kernel writes to no constant that it loads.
    ConstantsApart,
    /// `elect.sync` of a whole warp elects its first thread.
    FirstElected,
    /// The kernel writes to no memory of a tensor that it copies from.
    TensorsApart,
    /// A tensor that the kernel copies to is in memory that it accesses in no other way, and its boxes at different
    /// coordinates do not overlap.
    TensorsDivided,
    /// Every block of a cluster exists until its peers have made their last access to its shared memory.
    PeersStay,
    /// This memory (flags and counters) is zero before the launch.
    Zero(String),
    /// No access to this shared variable of the given size in bytes is outside it.
    Within(String, u32),
    /// The kernel reads no shared memory before it is written.
    SharedWritten,
    /// `volatile` accesses are strong, as in PTX §8.4.2.
    VolatileIsStrong,
    /// `volatile` accesses are weak.
    VolatileIsWeak,
    Positive(String),
    /// This solver has refuted pairs.
    Solver(&'static str),
    /// The user has given this fact.
    Given(String),
    /// The extents are those of an observed launch.
    Launch(String),
}

pub type Assumed = BTreeSet<Assumption>;

impl Assumption {
    /// Returns whether host code can make valid launches for which this is false.
    pub(crate) fn host_can_break(&self, facts: &Facts) -> bool {
        match self {
            Assumption::FlatBlocks(_) | Assumption::FlatGrids(_) => facts.observed.is_none(),
            // The flags of an observed launch are known to be zero.
            Assumption::Zero(name) => facts.observed.is_none() && !facts.zeroed.contains(name),
            // Counters of a launch do not reach 2^32.
            Assumption::Fits(what) => !what.starts_with("what "),
            Assumption::NotNegative(_)
            | Assumption::Positive(_)
            | Assumption::Within(..)
            | Assumption::TexturesApart
            | Assumption::ConstantsApart
            | Assumption::TensorsApart
            | Assumption::TensorsDivided => true,
            Assumption::Given(text) => !text.contains("cooperative grid"),
            Assumption::Distinct(..) => !facts.loose.is_empty(),
            Assumption::SharedWritten
            | Assumption::FirstElected
            | Assumption::PeersStay
            | Assumption::VolatileIsStrong
            | Assumption::VolatileIsWeak
            | Assumption::Solver(_)
            | Assumption::Launch(_) => false,
        }
    }
}

/// Returns whether the ranges of the symbols alone imply `c`.
pub fn trivially(syms: &Syms, c: &Cond) -> bool {
    syms.simplified(c.clone()) == Cond::True
}
