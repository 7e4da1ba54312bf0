//! Retries an open question with fewer facts: a proof for more launches is also one for fewer.
//!
//! Numbers can hide a structure that symbols show: the prover sees that a block's threads are halved until
//! one is left for a block of any size, but not for one of 256 threads. Therefore, if a question is left
//! open, it is asked again with some of the facts left out.

use crate::facts::Facts;
use crate::facts::assume::{Expr, Name, Relation, Test};
use crate::solver::symbols::Axis;

/// Up to this number of facts, every combination is left out; of more facts, each alone, all of a kind, and
/// all.
const ALL_SUBSETS: usize = 4;

/// Returns variants of the facts with something left out, those with the most left last.
pub(crate) fn fewer_facts(facts: &Facts) -> Vec<Facts> {
    let mut parts: Vec<Part> = Vec::new();
    parts.extend(facts.block.map(|_| Part::Block));
    parts.extend(facts.grid.map(|_| Part::Grid));
    parts.extend(facts.scalars.keys().map(|key| Part::Scalar(*key)));
    parts.extend((0..facts.relations.len()).map(Part::Relation));
    if parts.is_empty() {
        return Vec::new();
    }
    let without = |left_out: &[Part]| {
        let mut weaker = facts.clone();
        for part in left_out {
            match part {
                Part::Block => without_extents(&mut weaker, true),
                Part::Grid => without_extents(&mut weaker, false),
                Part::Scalar(key) => _ = weaker.scalars.remove(key),
                Part::Relation(_) => {}
            }
        }
        let kept = |n: &usize| !left_out.contains(&Part::Relation(*n));
        let added = weaker.relations.split_off(facts.relations.len());
        let relations = (0..facts.relations.len()).filter(kept).map(|n| facts.relations[n].clone());
        weaker.relations = relations.chain(added).collect();
        weaker
    };
    let mut all: Vec<Vec<Part>> = Vec::new();
    if parts.len() <= ALL_SUBSETS {
        let mut masks: Vec<u32> = (1..1 << parts.len()).collect();
        masks.sort_by_key(|mask| mask.count_ones());
        let of = |mask: u32| parts.iter().enumerate().filter(move |(n, _)| mask >> n & 1 == 1);
        all.extend(masks.into_iter().map(|mask| of(mask).map(|(_, part)| *part).collect()));
    } else {
        all.extend(parts.iter().map(|part| vec![*part]));
        let kind = |of: fn(&Part) -> bool| parts.iter().copied().filter(of).collect::<Vec<_>>();
        all.push(kind(|p| matches!(p, Part::Block | Part::Grid)));
        all.push(kind(|p| matches!(p, Part::Scalar(_))));
        all.push(kind(|p| !matches!(p, Part::Relation(_))));
        all.push(parts.clone());
    }
    all.iter().filter(|left_out| !left_out.is_empty()).map(|left_out| without(left_out)).collect()
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    Block,
    Grid,
    Scalar((u32, u32)),
    Relation(usize),
}

/// Leaves out extents other than one: a launch without an axis remains a launch without it.
fn without_extents(facts: &mut Facts, of_block: bool) {
    let extents = if of_block { facts.block.take() } else { facts.grid.take() };
    for (axis, n) in Axis::ALL.into_iter().zip(extents.into_iter().flatten()) {
        if n == 1 {
            let name = if of_block { Name::Block(axis) } else { Name::Grid(axis) };
            facts.relations.push(Relation::new(Expr::Name(name), Test::Eq, Expr::Number(1)));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn facts_are_left_out_one_by_one_and_all_together() {
        let (_, relations) = crate::facts::assume::parse("arg1 <= 4").expect("a relation");
        let facts = Facts { block: Some([256, 1, 1]), relations, ..Facts::default() };
        let all = fewer_facts(&facts);
        assert_eq!(all.len(), 3);
        assert!(all.iter().any(|f| f.block.is_none() && f.relations.len() == 3));
        assert!(all.iter().any(|f| f.block.is_some() && f.relations.is_empty()));
        assert!(all[2].block.is_none() && all[2].relations.len() == 2);
        assert!(fewer_facts(&Facts::default()).is_empty());
    }
}
