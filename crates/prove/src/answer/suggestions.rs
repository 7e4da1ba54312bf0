//! Suggests options that could settle an open pair: options that were not given, for parameters that exist.

use crate::exec::Summary;
use crate::facts::Facts;
use crate::kernel::access::Access;
use crate::solver::poly::Sym;
use crate::solver::symbols::Kind;
use ptx::ast::Variable;
use rustc_hash::FxHashSet;
use std::collections::BTreeSet;

/// Says how exactly an alarm follows from the kernel's text (the distinction of Faial, Liew et al., OOPSLA
/// 2024).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Exactness {
    Exact,
    /// Values from memory affect whether the access is reached.
    ControlApproximate,
    /// Values from memory affect the address.
    DataApproximate,
}

impl Exactness {
    pub const fn name(self) -> &'static str {
        match self {
            Exactness::Exact => "exact",
            Exactness::ControlApproximate => "control-approximate",
            Exactness::DataApproximate => "data-approximate",
        }
    }
}

/// Returns a suggestion that could settle a pair of accesses; `None` if there is none.
pub(crate) fn suggested(
    summary: &Summary,
    parameters: &[Variable],
    (a, b): (&Access, &Access),
    exactness: Exactness,
    facts: &Facts,
) -> Option<String> {
    if exactness == Exactness::DataApproximate {
        let arrays: Vec<String> = index_arrays(summary, [a, b]).iter().map(|n| format!("arg{n}")).collect();
        let first = arrays.first()?;
        return Some(format!(
            "what an index array holds decides: --assume 'permutation({first})' or 'monotone({first})'"
        ));
    }
    let mut options: Vec<String> = Vec::new();
    if facts.observed.is_none() {
        options.extend(facts.block.is_none().then(|| "--block".to_owned()));
        options.extend(facts.grid.is_none().then(|| "--grid".to_owned()));
        options.extend(number(summary, parameters, [a, b], facts).map(|n| format!("--assume 'arg{n} <= …'")));
    }
    let solver = "install z3 or cvc5, which are not found";
    match (options.is_empty(), facts.smt.is_none()) {
        (false, true) => Some(format!("say more of its launches: {}; or {solver}", options.join(", "))),
        (false, false) => Some(format!("say more of its launches: {}", options.join(", "))),
        (true, true) => Some(solver.to_owned()),
        (true, false) => None,
    }
}

/// Returns the symbols that addresses and guards depend on.
fn symbols(summary: &Summary, accesses: [&Access; 2]) -> FxHashSet<Sym> {
    let mut work: Vec<Sym> = Vec::new();
    for a in accesses {
        work.extend(a.offset.syms());
        for c in &a.guard {
            work.extend(c.syms());
        }
    }
    let mut seen = FxHashSet::default();
    while let Some(s) = work.pop() {
        if !seen.insert(s) {
            continue;
        }
        let info = summary.syms.get(s);
        for c in info.facts.iter().chain(&info.cases) {
            work.extend(c.syms());
        }
        match &info.kind {
            Kind::Quotient { of, by } | Kind::Remainder { of, by } => work.extend(of.syms().chain(by.syms())),
            Kind::Alias(p) | Kind::Seen { of: p, .. } => work.extend(p.syms()),
            _ => {}
        }
    }
    seen
}

/// Returns an integer parameter that the pair depends on and that has no fixed value.
fn number(summary: &Summary, parameters: &[Variable], pair: [&Access; 2], facts: &Facts) -> Option<u32> {
    let is_number = |n: u32| {
        let p = parameters.get(n as usize);
        p.is_some_and(|p| p.dims.is_empty() && !p.ty.is_float()) && !facts.scalars.contains_key(&(n, 0))
    };
    let found: BTreeSet<u32> = symbols(summary, pair)
        .into_iter()
        .filter_map(|s| match summary.syms.get(s).kind {
            Kind::Param { index, offset: 0, .. } if is_number(index) => Some(index),
            _ => None,
        })
        .collect();
    found.into_iter().next()
}

/// Returns the parameters whose arrays the kernel reads, if addresses depend on values from memory.
fn index_arrays(summary: &Summary, pair: [&Access; 2]) -> BTreeSet<u32> {
    let loaded =
        symbols(summary, pair).iter().any(|&s| matches!(summary.syms.get(s).kind, Kind::Loaded { .. }));
    let written: BTreeSet<Sym> = summary
        .accesses
        .iter()
        .filter(|x| x.kind != crate::kernel::access::AccessKind::Read)
        .filter_map(|x| x.base)
        .collect();
    // Only arrays that are read and not written can be permutations.
    let bases = summary.bases.values().flatten().filter(|s| !written.contains(s));
    let parameter = |s: &Sym| match summary.syms.get(*s).kind {
        Kind::Param { index, offset: 0, .. } => Some(index),
        _ => None,
    };
    bases.filter_map(parameter).filter(|_| loaded).collect()
}

/// Returns how an access's address and guard depend on values from memory.
pub fn exactness(summary: &Summary, a: &Access) -> Exactness {
    let opaque = |p: &crate::solver::poly::Poly| {
        let mut work: Vec<crate::solver::poly::Sym> = p.syms().collect();
        let mut seen = rustc_hash::FxHashSet::default();
        while let Some(s) = work.pop() {
            if !seen.insert(s) {
                continue;
            }
            let info = summary.syms.get(s);
            match &info.kind {
                Kind::Loaded { .. } | Kind::Other { .. } => return true,
                _ => {}
            }
            for c in info.facts.iter().chain(&info.cases) {
                work.extend(c.syms());
            }
        }
        false
    };
    if opaque(&a.offset) {
        return Exactness::DataApproximate;
    }
    let mut control = false;
    for c in &a.guard {
        c.each_poly(&mut |p| control |= opaque(p));
    }
    if control { Exactness::ControlApproximate } else { Exactness::Exact }
}
