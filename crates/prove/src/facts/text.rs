//! The text of assumptions, of polynomials and of launches in reports.

use super::{Assumption, Facts};
use crate::solver::poly::Poly;
use crate::solver::symbols::{Kind, Syms};
use events::{Dim3, ObservedLaunch};

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
            Assumption::ConstantsApart => {
                f.write_str("no constant that it loads is in memory that it writes to")
            }
            Assumption::FirstElected => f.write_str("`elect.sync` elects the first thread of a warp"),
            Assumption::TensorsApart => {
                f.write_str("no tensor that it copies from is in memory that it writes to")
            }
            Assumption::PeersStay => {
                f.write_str("no block of a cluster exits while another uses its shared memory")
            }
            Assumption::TensorsDivided => f.write_str(
                "each tensor that it copies to is memory of its own, and its boxes at different coordinates are apart",
            ),
            Assumption::SharedWritten => f.write_str("shared memory is not read before it is written"),
            Assumption::Solver(name) => write!(f, "{name} is right about pairs that warprace cannot decide"),
            Assumption::Positive(p) => write!(f, "{p} > 0"),
            Assumption::Launch(shape) => write!(f, "the launch {shape} with the arguments that it had"),
            Assumption::Given(text) => write!(f, "{text}"),
        }
    }
}

/// The assumption of relations that are interpreted over unbounded integers.
pub(crate) const HOST_ARITHMETIC: &str = "sizes that the host code computes do not overflow";

/// The assumption about pointers whose memory the host code does not determine.
pub(crate) const APART: &str =
    "pointers that the host code takes from different places point to different arrays";

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
    let show = |p: &Poly| show_some(syms, names, p, left);
    let name = |s| match &syms.get(s).kind {
        Kind::Tid(a) => format!("threadIdx.{}", a.name()),
        Kind::Ctaid(a) => format!("blockIdx.{}", a.name()),
        Kind::Ntid(a) => format!("blockDim.{}", a.name()),
        Kind::Nctaid(a) => format!("gridDim.{}", a.name()),
        Kind::Param { index, offset, .. } => names(*index, *offset),
        Kind::Spread(part) => names(part.index, part.offset),
        Kind::Shared(name) | Kind::Global(name) | Kind::Tensor(name) => name.clone(),
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

/// Formats the extents of a launch, as in `<<<(2, 1, 1), 64>>>`.
pub(crate) fn shape(launch: &ObservedLaunch) -> String {
    let dim = |d: Dim3| match (d.x, d.y, d.z) {
        (x, 1, 1) => x.to_string(),
        (x, y, 1) => format!("({x}, {y})"),
        (x, y, z) => format!("({x}, {y}, {z})"),
    };
    format!("<<<{}, {}>>>", dim(launch.info.grid), dim(launch.info.block))
}
