//! The memory that all pointers of a launch lead to together.
//!
//! Two pointers that a loop exchanges each lead to both arrays, but never to the same one. [`combinations`] follows all
//! pointers at once, backwards from the launch. A step replaces the phis of one block by the values of one of its edges,
//! and selects of one condition by the values of one side; pointers that an array keeps are known for each value of what
//! their indices are computed of ([`super::indexed`]).
//!
//! A step is made where every other value that is still followed is defined in a dominator. The definition of such a value
//! is not executed between that block and the place that was left, so the value is the same there.

use super::super::eval::Eval;
use super::super::ir::Op;
use super::super::value::Origin;
use super::indexed::{Indexed, choices, indexed};
use super::is_apart;
use std::collections::BTreeSet;

/// The largest number of combinations, with those on the way to the launch.
const MOST_STATES: usize = 256;

/// A pointer that is followed.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Target<'a> {
    Known(Origin),
    /// It may lead anywhere.
    Anywhere,
    /// A value of the function at that index of the chain.
    Open(usize, &'a str),
}

/// Returns the origins of the pointers in each state that the launch may find, in the order of `pointers`. An origin that
/// is not known is `None`. `plain` evaluates without what holds at the launch alone.
pub(super) fn combinations<'a>(
    plain: &Eval<'_, 'a>,
    depth: usize,
    pointers: &[&'a str],
) -> Option<BTreeSet<Vec<Option<Origin>>>> {
    let first: Vec<Target<'a>> = pointers.iter().map(|p| Target::Open(depth, p)).collect();
    let mut seen = BTreeSet::from([first.clone()]);
    let mut work = vec![first];
    let mut found = BTreeSet::new();
    while let Some(mut state) = work.pop() {
        for target in &mut state {
            *target = resolved(plain, target);
        }
        let known = |t: &Target<'a>| match t {
            Target::Known(origin) => Some(Some(origin.clone())),
            Target::Anywhere => Some(None),
            Target::Open(..) => None,
        };
        if let Some(origins) = state.iter().map(known).collect() {
            found.insert(origins);
            continue;
        }
        for next in before(plain, &state)? {
            if seen.insert(next.clone()) {
                work.push(next);
            }
        }
        if seen.len() > MOST_STATES {
            return None;
        }
    }
    Some(found)
}

/// Follows a pointer through places in an array, and to the callers' arguments.
fn resolved<'a>(plain: &Eval<'_, 'a>, target: &Target<'a>) -> Target<'a> {
    let Target::Open(mut depth, mut name) = *target else { return target.clone() };
    loop {
        if let Some((origin, _)) = plain.root(depth, name)
            && is_apart(&origin)
        {
            return Target::Known(origin);
        }
        let frame = plain.chain[depth];
        let f = plain.program.function(frame.at);
        match f.definition(name) {
            Some(Op::Element { base, .. } | Op::Same(base)) => name = base,
            Some(Op::Phi { .. } | Op::Select { .. }) => return Target::Open(depth, name),
            Some(Op::Load { .. }) if indexed(plain, depth, name).is_some() => {
                return Target::Open(depth, name);
            }
            Some(_) => return Target::Anywhere,
            None => {
                let passed = f.params.iter().position(|p| *p == name).zip(depth.checked_sub(1));
                let Some((n, above)) = passed else { return Target::Anywhere };
                let caller = plain.chain[above];
                let call = &plain.program.function(caller.at).blocks[caller.block].insts[caller.inst].op;
                let Op::Call { arguments, .. } = call else { return Target::Anywhere };
                let Some(argument) = arguments.get(n) else { return Target::Anywhere };
                (depth, name) = (above, argument.value);
            }
        }
    }
}

/// Returns a state's successors in which pointers that are loaded by one seed's indices are known; `None` if there are no such
/// pointers.
fn loaded<'a>(plain: &Eval<'_, 'a>, state: &[Target<'a>]) -> Option<Vec<Vec<Target<'a>>>> {
    let of = |t: &Target<'a>| match t {
        Target::Open(depth, name) => Some((*depth, indexed(plain, *depth, name)?)),
        Target::Known(_) | Target::Anywhere => None,
    };
    let all: Vec<_> = state.iter().map(of).collect();
    let (depth, first) = all.iter().flatten().next()?;
    let is_of_seed = |one: &&Option<(usize, Indexed<'a>)>| {
        one.as_ref().is_some_and(|(d, one)| d == depth && one.seed == first.seed)
    };
    let own: Vec<Indexed<'a>> = all.iter().filter(is_of_seed).flatten().map(|(_, one)| one.clone()).collect();
    let unknown = || vec![vec![None; own.len()]];
    let with = |origins: Vec<Option<Origin>>| {
        let mut origins = origins.into_iter();
        let replaced = state.iter().zip(&all).map(|(target, one)| match is_of_seed(&one) {
            true => origins.next().flatten().map_or(Target::Anywhere, Target::Known),
            false => target.clone(),
        });
        replaced.collect()
    };
    Some(choices(plain, &own).unwrap_or_else(unknown).into_iter().map(with).collect())
}

/// Returns the states from which a state may come; `None` if that is not known.
fn before<'a>(plain: &Eval<'_, 'a>, state: &[Target<'a>]) -> Option<Vec<Vec<Target<'a>>>> {
    let open = state.iter().filter_map(|t| match t {
        Target::Open(depth, name) => Some((*depth, *name)),
        Target::Known(_) | Target::Anywhere => None,
    });
    if let Some(loaded) = loaded(plain, state) {
        return Some(loaded);
    }
    // Values of the innermost function are younger than those of its callers.
    let open: Vec<(usize, &'a str)> = open.collect();
    let depth = open.iter().map(|(d, _)| *d).max()?;
    let at = plain.chain[depth].at;
    let (f, flow) = (plain.program.function(at), plain.program.flow(at));
    let own = || open.iter().filter(|(d, _)| *d == depth).map(|(_, name)| *name);
    let mut youngest: Option<usize> = None;
    for name in own() {
        let block = f.defs.get(name)?.0;
        youngest = Some(match youngest {
            Some(other) if flow.dominates(block, other) => other,
            Some(other) if flow.dominates(other, block) => block,
            Some(_) => return None,
            None => block,
        });
    }
    let youngest = youngest?;
    let replaced = |value: &dyn Fn(&'a str) -> Option<&'a str>| -> Vec<Target<'a>> {
        let one = |t: &Target<'a>| match t {
            Target::Open(d, name) if *d == depth => {
                value(name).map_or_else(|| t.clone(), |v| Target::Open(depth, v))
            }
            other => other.clone(),
        };
        state.iter().map(one).collect()
    };
    // Selects are behind the phis of their block.
    let selects = own().find_map(|name| match f.definition(name) {
        Some(Op::Select { condition, .. }) if f.defs[name].0 == youngest => Some(*condition),
        _ => None,
    });
    if let Some(chosen) = selects {
        let side = |first: bool| {
            replaced(&|name| match f.definition(name) {
                Some(Op::Select { condition, a, b })
                    if *condition == chosen && f.defs[name].0 == youngest =>
                {
                    Some(if first { *a } else { *b })
                }
                _ => None,
            })
        };
        return Some(vec![side(true), side(false)]);
    }
    let phis: Vec<&'a str> = own().filter(|name| f.defs[name].0 == youngest).collect();
    let brought = |name: &str, from: usize| match f.definition(name) {
        Some(Op::Phi { incoming }) => incoming.iter().find(|(_, b)| *b == from).map(|(v, _)| *v),
        _ => None,
    };
    let mut found = Vec::new();
    for &from in &f.blocks[youngest].predecessors {
        if phis.iter().any(|name| brought(name, from).is_none()) {
            return None;
        }
        found.push(replaced(&|name| phis.contains(&name).then(|| brought(name, from)).flatten()));
    }
    Some(found)
}
