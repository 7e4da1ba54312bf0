//! What is assumed of a kernel's launches, and what a proof has used.

use crate::cond::Cond;
use crate::poly::Poly;
use crate::syms::{Axis, Syms};
use events::{Dim3, ObservedLaunch};
use std::collections::{BTreeMap, BTreeSet};

/// What a user, or an observed launch, says of launches.
#[derive(Clone, Debug, Default)]
pub struct Facts {
    /// Extents of blocks and grids, where they are known.
    pub block: Option<[u32; 3]>,
    pub grid: Option<[u32; 3]>,
    /// Values of scalar parameters, by index and offset in it.
    pub scalars: BTreeMap<(u32, u32), i128>,
    /// Relations, see [`crate::assume`].
    pub relations: Vec<crate::assume::Relation>,
    /// Bytes of dynamic shared memory.
    pub dynamic_shared: Option<u32>,
    /// `volatile` accesses are ordinary ones (`--volatile weak`), which PTX §8.4.2 does not make of them.
    pub volatile_weak: bool,
    /// Who is asked about what the own solver leaves open.
    pub smt: Option<crate::smt::Smt>,
    /// Parameters that point into the array of another one: how many bytes behind it, if that is known.
    pub aliases: BTreeMap<u32, (u32, Option<i128>)>,
    /// Parameters of which the launch that is meant says nothing.
    pub unknown: BTreeSet<u32>,
    /// The relations take the host's arithmetic for that of integers without bounds.
    pub host_arithmetic: bool,
    /// Nothing is taken for granted of numbers: what may overflow is a remainder.
    pub exact: bool,
    /// Nothing is assumed that host code could break: neither extents that are not given, nor that `loose` parameters point apart.
    pub strict: bool,
    /// Parameters whose pointers may lead into the memory of any other pointer.
    pub loose: BTreeSet<u32>,
    /// Variables that are zero before the launch.
    pub zeroed: BTreeSet<String>,
    /// Who accesses a variable in shared memory is within it: of a block that is too large for its tile nothing is asked.
    pub within: bool,
    /// The one launch that is meant.
    pub observed: Option<std::sync::Arc<ObservedLaunch>>,
}

impl Facts {
    /// Extents of the clusters of the one launch that is meant.
    pub(crate) fn cluster(&self) -> Option<Dim3> {
        self.observed.as_ref().map(|launch| launch.info.cluster)
    }
}

/// What a proof has taken for granted.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Assumption {
    /// Nothing in the kernel reads that coordinate: extents there are one.
    FlatBlocks(Axis),
    FlatGrids(Axis),
    /// These parameters, or variables, are different memory, of which no access leaves its own.
    Distinct(String, String),
    /// This integer arithmetic of 32 bits or less does not overflow.
    Fits(String),
    NotNegative(String),
    /// No texture is of memory that the kernel writes to.
    TexturesApart,
    /// Every block of a cluster is there until its peers have made their last access of its shared memory.
    PeersStay,
    /// That memory is zero before the launch: flags and counters.
    Zero(String),
    /// No access of that variable in shared memory, of so many bytes, is outside of it.
    Within(String, u32),
    /// Nothing is read of shared memory that was not written.
    SharedWritten,
    /// `volatile` is what PTX §8.4.2 makes of it, and not as weak as other accesses.
    VolatileIsStrong,
    /// It is as weak as other accesses.
    VolatileIsWeak,
    Positive(String),
    /// Pairs were refuted by that solver.
    Solver(&'static str),
    /// Given by the user.
    Given(String),
    /// A launch that a run has made: its extents.
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

/// What relations take for granted that are read as those of integers without bounds.
pub(crate) const HOST_ARITHMETIC: &str = "sizes that the host code computes do not overflow";

/// What a proof says of pointers whose memory the host code does not tell.
pub(crate) const APART: &str =
    "pointers that the host code takes from different places point to different arrays";

impl Assumption {
    /// Returns whether host code can make launches for which this is false, although each of them is a valid launch.
    pub(crate) fn host_can_break(&self, facts: &Facts) -> bool {
        match self {
            Assumption::FlatBlocks(_) | Assumption::FlatGrids(_) => facts.observed.is_none(),
            // Flags of the launch that is meant are seen to be zero.
            Assumption::Zero(name) => facts.observed.is_none() && !facts.zeroed.contains(name),
            // No launch counts to 2^32.
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

/// Symbols of a polynomial that people get to see: each quotient in it is another polynomial, and may be in it often.
const MOST_SHOWN: u32 = 40;

/// A polynomial for people.
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

/// Facts that hold for every launch, as conditions on the symbols of a kernel.
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

/// `c`, if it can never be false by the ranges of its symbols alone.
pub fn trivially(syms: &Syms, c: &Cond) -> bool {
    syms.simplified(c.clone()) == Cond::True
}

/// `<<<(2, 1, 1), 64>>>`
pub(crate) fn shape(launch: &ObservedLaunch) -> String {
    let dim = |d: Dim3| match (d.x, d.y, d.z) {
        (x, 1, 1) => x.to_string(),
        (x, y, 1) => format!("({x}, {y})"),
        (x, y, z) => format!("({x}, {y}, {z})"),
    };
    format!("<<<{}, {}>>>", dim(launch.info.grid), dim(launch.info.block))
}
