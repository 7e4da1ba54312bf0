//! Assumptions about a kernel's launches, and those that a proof has used.

use crate::cond::Cond;
use crate::poly::Poly;
use crate::syms::{Axis, Syms};
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
    /// Relations, see [`crate::assume`].
    pub relations: Vec<crate::assume::Relation>,
    /// Bytes of dynamic shared memory.
    pub dynamic_shared: Option<u32>,
    /// `volatile` accesses are treated as weak (`--volatile weak`), although PTX §8.4.2 makes them strong.
    pub volatile_weak: bool,
    /// The external solver for questions that the internal one leaves open.
    pub smt: Option<crate::smt::Smt>,
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

impl std::fmt::Display for Assumption {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Assumption::FlatBlocks(a) => {
                write!(f, "blockDim.{} is 1, as nothing reads threadIdx.{}", a.name(), a.name())
            }
            Assumption::FlatGrids(a) => {
                write!(f, "gridDim.{} is 1, as nothing reads blockIdx.{}", a.name(), a.name())
            }
            Assumption::Distinct(a, b) => write!(f, "distinct({a}, {b}): no access leaves its own array"),
            Assumption::Fits(p) => write!(f, "`{p}` does not overflow"),
            Assumption::NotNegative(p) => write!(f, "{p} >= 0"),
            Assumption::Zero(p) => write!(f, "{p} is zero before the launch"),
            Assumption::Within(name, bytes) => write!(f, "no access leaves `{name}` ({bytes} bytes)"),
            Assumption::VolatileIsStrong => f.write_str("volatile accesses are strong (--volatile strong)"),
            Assumption::VolatileIsWeak => {
                f.write_str("volatile accesses are ordinary ones (--volatile weak)")
            }
            Assumption::TexturesApart => f.write_str("no texture is of memory that it writes to"),
            Assumption::PeersStay => {
                f.write_str("no block of a cluster exits while another uses its shared memory")
            }
            Assumption::SharedWritten => f.write_str("shared memory is not read before it is written"),
            Assumption::Solver(name) => write!(f, "{name} is right about pairs that warprace cannot decide"),
            Assumption::Positive(p) => write!(f, "{p} > 0"),
            Assumption::Launch(shape) => write!(f, "the launch {shape} with the arguments that it had"),
            Assumption::Given(text) => write!(f, "{text}"),
        }
    }
}

pub type Assumed = BTreeSet<Assumption>;

/// The assumption of relations that are interpreted over unbounded integers.
pub(crate) const HOST_ARITHMETIC: &str = "sizes that the host code computes do not overflow";

/// The assumption about pointers whose memory the host code does not determine.
pub(crate) const APART: &str =
    "pointers that the host code takes from different places point to different arrays";

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
            | Assumption::TexturesApart => true,
            Assumption::Given(text) => !text.contains("cooperative grid"),
            Assumption::Distinct(..) => !facts.loose.is_empty(),
            Assumption::SharedWritten
            | Assumption::PeersStay
            | Assumption::VolatileIsStrong
            | Assumption::VolatileIsWeak
            | Assumption::Solver(_)
            | Assumption::Launch(_) => false,
        }
    }
}

/// Limits the symbols in a displayed polynomial: each quotient in it contains another polynomial, possibly
/// several times.
const MOST_SHOWN: u32 = 40;

/// Formats a polynomial for display.
pub fn show(syms: &Syms, names: &impl Fn(u32, u32) -> String, p: &Poly) -> String {
    show_some(syms, names, p, &std::cell::Cell::new(MOST_SHOWN))
}

fn show_some(
    syms: &Syms,
    names: &impl Fn(u32, u32) -> String,
    p: &Poly,
    left: &std::cell::Cell<u32>,
) -> String {
    use crate::syms::Kind;
    let show = |p: &Poly| show_some(syms, names, p, left);
    let name = |s| match &syms.get(s).kind {
        Kind::Tid(a) => format!("threadIdx.{}", a.name()),
        Kind::Ctaid(a) => format!("blockIdx.{}", a.name()),
        Kind::Ntid(a) => format!("blockDim.{}", a.name()),
        Kind::Nctaid(a) => format!("gridDim.{}", a.name()),
        Kind::Param { index, offset, .. } => names(*index, *offset),
        Kind::Shared(name) | Kind::Global(name) => name.clone(),
        Kind::Local => "local".into(),
        Kind::Env(_) => "the grid's memory".into(),
        Kind::ClusterRank => "the rank in the cluster".into(),
        Kind::ClusterSize => "the blocks of a cluster".into(),
        Kind::Far(_) => "the memory of another block".into(),
        Kind::Turn { .. } => "turn".into(),
        Kind::Quotient { of, by } => format!("({} / {})", show(of), show(by)),
        Kind::Remainder { of, by } => format!("({} % {})", show(of), show(by)),
        Kind::Alias(p) | Kind::Seen { of: p, .. } => format!("({})", show(p)),
        Kind::Host(n) => format!("host{n}"),
        Kind::Loaded { .. } => "a loaded value".into(),
        Kind::Head { .. } => "a value of a loop".into(),
        Kind::Row { .. } => "a row".into(),
        Kind::Chosen(_) | Kind::Other { .. } => "a computed value".into(),
    };
    let mut out = String::new();
    for (m, c) in p.terms().iter().rev() {
        let sign = match (out.is_empty(), *c < 0) {
            (true, true) => "-",
            (true, false) => "",
            (false, true) => " - ",
            (false, false) => " + ",
        };
        out.push_str(sign);
        let Some(fewer) = left.get().checked_sub(m.len() as u32 + 1) else {
            out.push('…');
            break;
        };
        left.set(fewer);
        let factors: Vec<String> = m.iter().map(|&s| name(s)).collect();
        match (c.abs(), factors.is_empty()) {
            (1, false) => out.push_str(&factors.join("*")),
            (c, true) => out.push_str(&c.to_string()),
            (c, false) => out.push_str(&format!("{c}*{}", factors.join("*"))),
        }
    }
    if out.is_empty() { "0".into() } else { out }
}

/// Returns the given facts, as assumptions of a proof.
pub fn given(facts: &Facts) -> Vec<Assumption> {
    let dims =
        |name: &str, d: [u32; 3]| Assumption::Given(format!("{name} is ({}, {}, {})", d[0], d[1], d[2]));
    let mut all: Vec<Assumption> = Vec::new();
    if let Some(launch) = &facts.observed {
        let shape = shape(launch);
        all.push(Assumption::Launch(shape));
        all.extend(facts.relations.iter().map(|r| Assumption::Given(r.text.clone())));
        return all;
    }
    all.extend(facts.block.map(|d| dims("blockDim", d)));
    all.extend(facts.grid.map(|d| dims("gridDim", d)));
    for ((index, offset), value) in &facts.scalars {
        let place = if *offset == 0 { String::new() } else { format!("+{offset}") };
        all.push(Assumption::Given(format!("arg{index}{place} is {value}")));
    }
    all.extend(facts.relations.iter().map(|r| Assumption::Given(r.text.clone())));
    if facts.host_arithmetic {
        all.push(Assumption::Given(HOST_ARITHMETIC.into()));
    }
    all.extend(facts.aliases.iter().map(|(n, (of, at))| {
        let place = at.map_or_else(|| "somewhere in".into(), |at| format!("{at} bytes behind the start of"));
        Assumption::Given(format!("arg{n} points {place} the array of arg{of}"))
    }));
    all
}

/// Returns whether the ranges of the symbols alone imply `c`.
pub fn trivially(syms: &Syms, c: &Cond) -> bool {
    syms.simplified(c.clone()) == Cond::True
}

/// Formats the extents of a launch, as in `<<<(2, 1, 1), 64>>>`.
pub(crate) fn shape(launch: &ObservedLaunch) -> String {
    let dim = |d: Dim3| match (d.x, d.y, d.z) {
        (x, 1, 1) => x.to_string(),
        (x, y, 1) => format!("({x}, {y})"),
        (x, y, z) => format!("({x}, {y}, {z})"),
    };
    format!("<<<{}, {}>>>", dim(launch.info.grid), dim(launch.info.block))
}
