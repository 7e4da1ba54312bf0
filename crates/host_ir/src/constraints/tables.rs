//! Numbers that choose an entry of a constant table (`static const Config table[]`): each of them is a case of its own.

use super::super::eval::Eval;
use super::super::ir::Op;
use super::super::launch_sites::Site;
use super::super::operands::{Parts, roots};
use super::super::slice::needed;
use super::cases::{Case, MOST_CASES, is_chosen_once};
use super::powers::range;
use std::collections::BTreeSet;

/// Places within places that an address is followed through.
const MOST_DEEP: u32 = 4;

/// Returns the cases with each number chosen by which the launch's values are read from a constant table, as far as there
/// are not too many.
pub(super) fn with_entries<'a>(
    (site, parts): (&Site, &Parts<'a>),
    eval: &Eval<'_, 'a>,
    plain: &Eval<'_, 'a>,
    cases: Vec<Case<'a>>,
) -> Vec<Case<'a>> {
    let roots = roots(eval.program, site, parts, eval.chain.len() - 1);
    let needed: BTreeSet<(usize, &'a str)> = needed(eval.program, eval.chain, roots).into_iter().collect();
    let indices: BTreeSet<(usize, &'a str)> =
        needed.into_iter().filter_map(|(depth, name)| Some((depth, index(eval, depth, name)?))).collect();
    let mut all = cases;
    for (depth, index) in indices {
        let is_chosen = all.iter().any(|case| case.numbers.contains_key(&(depth, index)));
        if is_chosen || !is_chosen_once(eval, depth, index) {
            continue;
        }
        let Some((least, most)) = range(eval, plain, depth, index) else { continue };
        let most_numbers = (MOST_CASES / all.len().max(1)) as i128;
        if least >= 0 && most - least < most_numbers {
            let numbers: Vec<i128> = (least..=most).collect();
            all = Case::with_numbers(all, (depth, index), &numbers);
        }
    }
    all
}

/// Returns the index of a load from a constant table, if it has one that is not known.
fn index<'a>(eval: &Eval<'_, 'a>, depth: usize, name: &'a str) -> Option<&'a str> {
    let f = eval.program.function(eval.chain[depth].at);
    let Some(Op::Load { from, .. }) = f.definition(name) else { return None };
    let (mut address, mut found) = (*from, None);
    for _ in 0..MOST_DEEP {
        let Some(Op::Element { base, indices, .. }) = f.definition(address) else { break };
        for (index, _) in indices.iter().filter(|(index, _)| eval.int(depth, index).is_none()) {
            if found.replace(*index).is_some_and(|other| other != *index) {
                return None;
            }
        }
        address = base;
    }
    let global = address.strip_prefix('@')?;
    let texts = eval.program.modules.iter().filter_map(|m| m.globals.get(global));
    let is_constant = |text: &&str| text.starts_with("constant ") || text.contains(" constant ");
    found.filter(|_| texts.into_iter().any(is_constant))
}
