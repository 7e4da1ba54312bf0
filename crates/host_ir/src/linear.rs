//! Sums of the host code's values, and relations between them.

use crate::relation::{Expr, Name, Relation, Test};
use std::collections::{BTreeMap, BTreeSet};

/// A linear combination of unknown values and a constant.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Sum {
    pub(super) terms: BTreeMap<u32, i128>,
    pub(super) constant: i128,
}

impl Sum {
    pub(super) fn of(c: i128) -> Sum {
        Sum { terms: BTreeMap::new(), constant: c }
    }

    pub(super) fn atom(a: u32) -> Sum {
        Sum { terms: BTreeMap::from([(a, 1)]), constant: 0 }
    }

    pub(super) fn constant(&self) -> Option<i128> {
        self.terms.is_empty().then_some(self.constant)
    }

    pub(super) fn plus(&self, other: &Sum, times: i128) -> Sum {
        let mut sum = self.clone();
        sum.constant += other.constant * times;
        for (a, c) in &other.terms {
            *sum.terms.entry(*a).or_insert(0) += c * times;
        }
        sum.terms.retain(|_, c| *c != 0);
        sum
    }

    pub(super) fn times(&self, by: i128) -> Sum {
        Sum::default().plus(self, by)
    }

    pub(super) fn expr(&self) -> Expr {
        let mut all: Option<Expr> = None;
        for (a, c) in &self.terms {
            let name = Expr::Name(Name::Host(*a));
            let term = Expr::Mul(Box::new(Expr::Number(*c)), Box::new(name));
            all = Some(match all {
                Some(e) => Expr::Add(Box::new(e), Box::new(term)),
                None => term,
            });
        }
        match all {
            Some(e) => Expr::Add(Box::new(e), Box::new(Expr::Number(self.constant))),
            None => Expr::Number(self.constant),
        }
    }
}

pub(super) fn renamed(e: &Expr, names: &BTreeMap<u32, Expr>) -> Expr {
    let both = |a: &Expr, b: &Expr| (Box::new(renamed(a, names)), Box::new(renamed(b, names)));
    match e {
        Expr::Name(Name::Host(a)) => names.get(a).cloned().unwrap_or_else(|| e.clone()),
        Expr::Number(_) | Expr::Name(_) => e.clone(),
        Expr::Add(a, b) => match both(a, b) {
            (a, b) if *b == Expr::Number(0) => *a,
            (a, b) => Expr::Add(a, b),
        },
        Expr::Sub(a, b) => {
            let (a, b) = both(a, b);
            Expr::Sub(a, b)
        }
        Expr::Mul(a, b) => match both(a, b) {
            (a, b) if *a == Expr::Number(1) => *b,
            (a, b) => Expr::Mul(a, b),
        },
        Expr::Rem(a, b) => {
            let (a, b) = both(a, b);
            Expr::Rem(a, b)
        }
    }
}

/// Returns the relations that constrain the launch: directly, or through values that other relations share.
pub(super) fn connected(all: Vec<(Expr, Test, Expr)>) -> Vec<Relation> {
    let speaks: Vec<(BTreeSet<u32>, bool)> = all
        .iter()
        .map(|(l, _, r)| {
            let (mut hosts, mut launch) = (BTreeSet::new(), false);
            for e in [l, r] {
                e.each_name(&mut |n| match n {
                    Name::Host(a) => _ = hosts.insert(*a),
                    _ => launch = true,
                });
            }
            (hosts, launch)
        })
        .collect();
    let mut kept: Vec<bool> = speaks.iter().map(|s| s.1).collect();
    let mut known: BTreeSet<u32> = speaks.iter().filter(|s| s.1).flat_map(|s| s.0.iter().copied()).collect();
    let mut changed = true;
    while std::mem::take(&mut changed) {
        for (i, (hosts, _)) in speaks.iter().enumerate() {
            if !kept[i] && hosts.iter().any(|h| known.contains(h)) {
                kept[i] = true;
                known.extend(hosts);
                changed = true;
            }
        }
    }
    // A relation with a value that no other relation has is of no use.
    let mut found: Vec<Relation> = Vec::new();
    for ((left, test, right), _) in all.into_iter().zip(kept).filter(|(_, k)| *k) {
        let relation = Relation::new(left, test, right);
        if !found.contains(&relation) {
            found.push(relation);
        }
    }
    found
}
