//! Relations between the extents and the arguments of a launch that the host code fixes, whatever else is not known.
//!
//! Integers are sums of values that are not known further; quotients, products and such are values with relations of
//! their own ([`reader`]). Conditions on the way to the launch are relations, too. Each says whether it follows from the
//! host code alone, or only if the host's arithmetic does not overflow.

mod ascending;
mod atoms;
mod bounds;
mod cases;
mod combinations;
mod conditions;
mod counted_loops;
mod different;
mod disjunctions;
mod elements;
mod exchanges;
mod filled;
mod grown;
mod indexed;
mod members;
mod operations;
mod packed;
mod parameters;
mod phis;
mod powers;
mod reader;
mod rows;
mod sorted;
mod tables;
mod turn_ranges;
mod variables;
mod word_bounds;
mod writes;

use super::eval::Eval;
use super::ir::Op;
use super::launch_sites::Site;
use super::linear::{Sum, connected, renamed};
use super::operands::Parts;
use super::program::{Frame, Program};
use super::value::{Given, Origin};
use crate::relation::{Axis, Expr, Name, Relation, Test};
use cases::Case;
pub use parameters::Parameter;
use parameters::Passed;
use reader::{Reader, Said};
use std::collections::{BTreeMap, BTreeSet};

/// What the host code fixes of a launch, whatever its unknown values are.
#[derive(Clone, Debug, Default)]
pub struct Constraints {
    /// The extents of blocks and grids, if they are known.
    pub block: Option<[u32; 3]>,
    pub grid: Option<[u32; 3]>,
    /// Values of scalar parameters, by index and offset in the parameter.
    pub scalars: BTreeMap<(u32, u32), i128>,
    pub relations: Vec<Relation>,
    /// Bytes of dynamic shared memory.
    pub dynamic_shared: Option<u32>,
    /// Parameters that point into the array of another one, with the distance in bytes if it is known.
    pub aliases: BTreeMap<u32, (u32, Option<i128>)>,
    /// Parameters whose pointers may lead into the memory of any other pointer.
    pub loose: BTreeSet<u32>,
    /// Some of this holds only if the host's arithmetic does not overflow.
    pub host_arithmetic: bool,
}

/// The constraints of the launches of one call, about the arguments of the host's function.
#[derive(Clone, Debug, Default)]
pub struct CallConstraints {
    without_overflow: Constraints,
    certain: Constraints,
    /// The host function's arguments.
    arguments: Vec<Passed>,
}

impl CallConstraints {
    /// Returns the constraints of a kernel with these parameters that hold if the host's arithmetic does not overflow.
    pub fn without_overflow(&self, parameters: &[Parameter]) -> Constraints {
        parameters::of_parameters(&self.without_overflow, &self.arguments, parameters)
    }

    /// Returns the constraints of a kernel with these parameters that hold whatever the host's arithmetic does.
    pub fn certain(&self, parameters: &[Parameter]) -> Constraints {
        parameters::of_parameters(&self.certain, &self.arguments, parameters)
    }
}

/// Returns whether memory of that origin is no other origin's.
fn is_apart(origin: &Origin) -> bool {
    matches!(origin, Origin::Allocation(..) | Origin::Local(..) | Origin::Global(_))
}

/// The relations of a launch: those that always hold, and those of each case if there are several. Each launch is one of
/// a case.
pub(super) fn of_call<'a>(
    program: &Program<'a>,
    site: &Site,
    parts: &Parts<'a>,
    chain: &[Frame],
    given: &Given<'a>,
) -> (CallConstraints, Vec<CallConstraints>) {
    let (nothing, last) = (Given::new(), chain.len() - 1);
    let (eval, plain) = (Eval::new(program, chain, given), Eval::new(program, chain, &nothing));
    let always = of_case(&eval, &plain, parts, last, Case::default()).unwrap_or_default();
    let mut all = Vec::new();
    let cases = cases::cases(program, site, parts, &eval);
    let cases = tables::with_entries((site, parts), &eval, &plain, cases);
    for case in powers::with_powers(&eval, &plain, cases) {
        if case.is_excluded(&eval) {
            continue;
        }
        let given = case.given(&eval, given);
        let eval = Eval::new(program, chain, &given);
        all.extend(of_case(&eval, &plain, parts, last, case));
    }
    (always, all)
}

/// The relations of a launch in one case; `None` if nothing fulfils them.
fn of_case<'a>(
    eval: &Eval<'_, 'a>,
    plain: &Eval<'_, 'a>,
    parts: &Parts<'a>,
    last: usize,
    case: Case<'a>,
) -> Option<CallConstraints> {
    let chosen = case.conditions(eval);
    let mut reader = Reader::new(eval, plain, case);
    let mut facts = Constraints::default();
    reader.conditions_of_chain();
    for (depth, value, holds) in chosen {
        reader.condition(depth, value, holds);
    }
    if reader.bounds.contradict() {
        return None;
    }
    let conditions = reader.side.len();
    let [grid, grid_z, block, block_z, shared] = parts.extents;
    facts.dynamic_shared = eval.int(last, shared).and_then(|n| u32::try_from(n).ok());
    let mut extents = |xy, z| {
        let ([x, y], exact) = reader.read(|r| r.halves(last, xy));
        let (z, exact_z) = reader.read(|r| r.sum(last, z));
        [(x, exact), (y, exact), (z, exact_z)]
    };
    let (grid, block) = (extents(grid, grid_z), extents(block, block_z));
    let constant = |e: &[(Option<Sum>, bool); 3], sure: bool| -> Option<[u32; 3]> {
        let one = |(s, exact): &(Option<Sum>, bool)| {
            let number = u32::try_from(s.as_ref()?.constant()?).ok();
            number.filter(|&n| n > 0 && (*exact || !sure))
        };
        Some([one(&e[0])?, one(&e[1])?, one(&e[2])?])
    };
    facts.grid = constant(&grid, false);
    facts.block = constant(&block, false);
    let mut sure = facts.clone();
    (sure.grid, sure.block) = (constant(&grid, true), constant(&block, true));
    let mut arguments: Vec<(u32, Sum, bool)> = Vec::new();
    for (n, a) in parts.arguments.iter().enumerate().filter(|(_, a)| a.ty.starts_with('i')) {
        let (sum, exact) = reader.read(|r| r.sum(last, a.value));
        let Some(sum) = sum else { continue };
        match sum.constant() {
            Some(c) => {
                facts.scalars.insert((n as u32, 0), c);
                if exact {
                    sure.scalars.insert((n as u32, 0), c);
                }
            }
            None => arguments.push((n as u32, sum, exact)),
        }
    }
    let halves = reader.members(parts, last);
    (facts.aliases, facts.loose) = pointers(eval, plain, parts, last);
    let offsets = reader.offsets(parts, last, &facts.aliases);
    (sure.aliases, sure.loose) = (facts.aliases.clone(), facts.loose.clone());
    let argument = |n: u32| Expr::Name(Name::Param(format!("arg{n}")));
    let mut all: Vec<Said> = Vec::new();
    for (n, sum, exact) in &arguments {
        all.push(Said { left: argument(*n), test: Test::Eq, right: sum.expr(), exact: *exact });
    }
    all.extend(halves.into_iter().chain(offsets));
    let axes = || Axis::ALL.into_iter().zip(0..);
    for (axis, at) in axes() {
        for (extent, name) in [(&grid[at], Name::Grid(axis)), (&block[at], Name::Block(axis))] {
            let (Some(sum), exact) = extent else { continue };
            let whole = match name {
                Name::Grid(_) => facts.grid.is_some(),
                _ => facts.block.is_some(),
            };
            let of_sure = match name {
                Name::Grid(_) => sure.grid.is_some(),
                _ => sure.block.is_some(),
            };
            if !(whole && of_sure) {
                all.push(Said { left: Expr::Name(name), test: Test::Eq, right: sum.expr(), exact: *exact });
            }
        }
    }
    // An extent is positive: as a quotient it is rounded down.
    for (extent, exact) in grid.iter().chain(&block) {
        let Some(extent) = extent else { continue };
        if let Some((of, by, of_exact)) =
            extent.terms.keys().next().and_then(|a| reader.quotients.get(a)).cloned()
            && extent.constant == 0
            && extent.terms.len() == 1
            && extent.terms.values().all(|&c| c == 1)
        {
            let exact = *exact && of_exact;
            all.push(Said { left: extent.times(by).expr(), test: Test::Le, right: of.expr(), exact });
        }
    }
    // Relations of values precede those of conditions, as they are read.
    let mut side = std::mem::take(&mut reader.side);
    side.rotate_left(conditions);
    all.append(&mut side);
    // Values that an argument or an extent is are called so.
    let name_all = |exactly: bool| {
        let mut names: BTreeMap<u32, Expr> = BTreeMap::new();
        for (n, sum, exact) in &arguments {
            if let (Some((&a, 1)), 1) = (sum.terms.iter().next(), sum.terms.len())
                && (*exact || !exactly)
            {
                let shifted = match sum.constant {
                    0 => argument(*n),
                    c => Expr::Sub(Box::new(argument(*n)), Box::new(Expr::Number(c))),
                };
                names.entry(a).or_insert(shifted);
            }
        }
        for (axis, at) in axes() {
            for (extent, name) in [(&grid[at], Name::Grid(axis)), (&block[at], Name::Block(axis))] {
                let (Some(extent), exact) = extent else { continue };
                if let (Some((&a, 1)), 1, 0) =
                    (extent.terms.iter().next(), extent.terms.len(), extent.constant)
                    && (*exact || !exactly)
                {
                    names.entry(a).or_insert(Expr::Name(name));
                }
            }
        }
        names
    };
    let relations = |exactly: bool| {
        let names = name_all(exactly);
        let said = all.iter().filter(|s| s.exact || !exactly);
        let named = said.map(|s| (renamed(&s.left, &names), s.test, renamed(&s.right, &names)));
        connected(named.filter(|(l, _, r)| l != r).collect())
    };
    (facts.relations, sure.relations) = (relations(false), relations(true));
    let mut elements = reader.elements(parts, last);
    let names = name_all(true);
    for relation in &mut elements {
        *relation = Relation::new(relation.left.clone(), relation.test, renamed(&relation.right, &names));
    }
    facts.relations.extend(elements.iter().cloned());
    sure.relations.extend(elements);
    let said = |s: &Said| !s.exact;
    facts.host_arithmetic = all.iter().any(said) && facts.relations != sure.relations
        || facts.scalars != sure.scalars
        || (facts.grid, facts.block) != (sure.grid, sure.block);
    Some(CallConstraints { arguments: parameters::passed(parts), without_overflow: facts, certain: sure })
}

/// Pointers into the array of another one, by argument.
type Aliases = BTreeMap<u32, (u32, Option<i128>)>;

/// Arguments that point into one array, and those of which it is not known where they point.
fn pointers<'a>(
    eval: &Eval<'_, 'a>,
    plain: &Eval<'_, 'a>,
    parts: &Parts<'a>,
    last: usize,
) -> (Aliases, BTreeSet<u32>) {
    let (mut aliases, mut loose) = (Aliases::new(), BTreeSet::new());
    let mut places: Vec<(u32, Origin, Option<i128>)> = Vec::new();
    let mut all: Vec<(u32, BTreeSet<Origin>)> = Vec::new();
    for (n, a) in parts.arguments.iter().enumerate() {
        let n = n as u32;
        if a.by_value.is_some() {
            // A structure may have pointers.
            loose.insert(n);
            continue;
        }
        if a.ty != "ptr" {
            continue;
        }
        let mut origins = BTreeSet::new();
        if !origins_of(eval, last, a.value, &mut origins, 0) {
            loose.insert(n);
        }
        all.push((n, origins));
        let Some((origin, offset)) = eval.root(last, a.value) else { continue };
        if let Some((first, _, at)) = places.iter().find(|(_, o, _)| *o == origin) {
            aliases.insert(n, (*first, at.zip(offset).map(|(a, b)| b - a)));
        } else {
            places.push((n, origin, offset));
        }
    }
    // Memory that another pointer may lead to, too, is known to be an array of both by their distance only.
    let values: Vec<&'a str> = all.iter().map(|(n, _)| parts.arguments[*n as usize].value).collect();
    let open = all.iter().any(|(n, _)| loose.contains(n)) || all.len() > 1;
    let together = if open { combinations::combinations(plain, last, &values) } else { None };
    if let Some(together) = &together {
        for (i, (n, _)) in all.iter().enumerate() {
            match together.iter().any(|origins| origins[i].is_none()) {
                true => _ = loose.insert(*n),
                false => _ = loose.remove(n),
            }
        }
    }
    let first = |n: &u32| aliases.get(n).map_or(*n, |(of, _)| *of);
    for (i, (n, origins)) in all.iter().enumerate() {
        let meets = |(j, (m, others)): (usize, &(u32, BTreeSet<Origin>))| {
            let meet = match &together {
                Some(together) => together.iter().any(|o| o[i].is_some() && o[i] == o[j]),
                None => !origins.is_disjoint(others),
            };
            m != n && first(m) != first(n) && meet
        };
        if all.iter().enumerate().any(meets) {
            loose.insert(*n);
        }
    }
    (aliases, loose)
}

/// Choices that a pointer is followed through.
const MOST_CHOICES: u32 = 6;

/// Collects the memory that a pointer may lead to; returns whether that is all memory, and no other origin's.
fn origins_of<'a>(
    eval: &Eval<'_, 'a>,
    depth: usize,
    name: &'a str,
    found: &mut BTreeSet<Origin>,
    deep: u32,
) -> bool {
    if let Some((origin, _)) = eval.root(depth, name)
        && is_apart(&origin)
    {
        found.insert(origin);
        return true;
    }
    if deep > MOST_CHOICES {
        return false;
    }
    let f = eval.program.function(eval.chain[depth].at);
    let mut each = |name: &'a str| origins_of(eval, depth, name, found, deep + 1);
    match f.definition(name) {
        Some(Op::Select { a, b, .. }) => each(a) && each(b),
        Some(Op::Phi { incoming }) => incoming.iter().all(|(v, _)| each(v)),
        Some(Op::Element { base, .. } | Op::Same(base)) => each(base),
        _ => false,
    }
}
