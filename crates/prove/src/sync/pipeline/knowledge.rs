//! Threads' knowledge of ended phases.

#[cfg(test)]
mod tests;

use super::facts::{Fact, add};
use super::iteration::Ways;
use super::{Arrival, Form, Known, Line, Origin, Pipelines, Wait};
use crate::solver::cond::Cond;
use crate::solver::instance::Instance;
use crate::solver::poly::Poly;
use crate::solver::symbols::Syms;
use crate::sync::split_barriers::BarrierFacts;

/// How often knowledge is passed on.
const MOST_HANDS: usize = 3;

/// Limits the iterations that a fact is old, unless the ring has gone round.
const MOST_AGO: i128 = 4;

/// Computes the knowledge after all waits. Returns false if an arrival may precede the phases that its number
/// requires.
pub(super) fn spread(
    syms: &mut Syms,
    asked: &BarrierFacts<'_>,
    ways: Ways<'_>,
    found: &mut Pipelines,
) -> bool {
    let turns = asked.turns;
    let holds = |c: &Cond, path: &[Cond]| {
        *c == Cond::True || {
            let mut question = Instance::new(syms);
            question.assume_all(path, asked.given);
            question.assume(&c.not());
            question.refuted()
        }
    };
    let applies = |a: &Arrival| found.waits.iter().map(|w| holds(&w.only, &a.path)).collect();
    let applies: Vec<Vec<bool>> = found.arrivals.iter().map(applies).collect();
    let of = |a: &Arrival| {
        let members = found.classes[a.form.class].members();
        members.map(|member| !holds(&Cond::eq(&found.thread, &member).not(), &a.path))
    };
    let makers: Vec<[bool; 2]> = found.arrivals.iter().map(of).collect();
    let hands = Hands { ways, found, applies: &applies, makers: &makers };
    let behind = hands.passed_on(false);
    // When a thread arrives is a question of time, and not of what it comes behind.
    let in_time = match found.arrivals.iter().any(|a| a.of_copies) {
        true => hands.passed_on(true),
        false => behind.clone(),
    };
    let right = found.arrivals.iter().zip(&applies).all(|(a, of)| {
        let known = at(ways, found, &in_time, (a, of));
        let enough = |fact: &Fact| fact.form == a.form && fact.line.is_at_least(&a.line);
        // The first arrival requires no knowledge.
        a.line == Line::fixed(0) || known.iter().any(enough)
    });
    for (wait, facts) in found.waits.iter_mut().zip(behind) {
        let turn = match wait.of_loop {
            None => Some(Poly::default()),
            Some(l) => turns[l].map(Poly::sym),
        };
        let Some(turn) = turn else { continue };
        let mut seen = |facts: &[Fact]| {
            let known = |Fact { form, line }: &Fact| {
                let (at, least) = (form.at(syms, &turn)?, line.at(syms, &turn, form.ring)?);
                let origin = match form.ring == 1 || form.shift == wait.form.shift {
                    true if *form == wait.form => Origin::Wait,
                    true => Origin::Stage,
                    false => Origin::Ring,
                };
                Some(Known { class: form.class, only: wait.only.clone(), at, least, origin })
            };
            facts.iter().filter_map(known).collect()
        };
        wait.behind = seen(&facts);
        if wait.of_loop.is_some() {
            let mut old = Vec::new();
            facts.iter().flat_map(|f| earlier(*f, &[])).for_each(|f| add(&mut old, f));
            wait.before = seen(&old);
        }
    }
    right
}

/// The threads that pass knowledge on.
struct Hands<'a> {
    ways: Ways<'a>,
    found: &'a Pipelines,
    /// For each arrival, which waits are those of its threads.
    applies: &'a [Vec<bool>],
    /// For each arrival, whether the first or the last one of those that arrive in each phase may make it.
    makers: &'a [[bool; 2]],
}

impl Hands<'_> {
    /// Returns the knowledge behind each wait. An arrival that copies make comes behind nothing that its thread knew; it
    /// comes later `in_time`.
    fn passed_on(&self, in_time: bool) -> Vec<Vec<Fact>> {
        let Hands { ways, found, applies, makers } = *self;
        let mut behind: Vec<Vec<Fact>> =
            found.waits.iter().map(|w| vec![Fact { form: w.form, line: w.line }]).collect();
        for _ in 0..MOST_HANDS {
            // The knowledge of each arrival's thread.
            let told = |(a, of): (&Arrival, &Vec<bool>)| match a.of_copies && !in_time {
                true => Vec::new(),
                false => at(ways, found, &behind, (a, of)),
            };
            let known: Vec<Vec<Fact>> = found.arrivals.iter().zip(applies).map(told).collect();
            for facts in &mut behind {
                for fact in facts.clone() {
                    // Each of the threads that arrive in every phase knew something.
                    for member in [0, 1] {
                        let made = |n: &usize| makers[*n][member];
                        for told in handed_on(&found.arrivals, &known, &made, fact) {
                            add(facts, told);
                        }
                    }
                }
            }
        }
        behind
    }
}

/// Returns the knowledge at an arrival, in terms of its iteration. `applies` says which waits are those of its threads.
fn at(
    ways: Ways<'_>,
    found: &Pipelines,
    behind: &[Vec<Fact>],
    (arrival, applies): (&Arrival, &Vec<bool>),
) -> Vec<Fact> {
    let mut all = Vec::new();
    let mut old = Vec::new();
    for ((wait, facts), _) in found.waits.iter().zip(behind).zip(applies).filter(|(_, applies)| **applies) {
        let same = wait.of_loop == arrival.of_loop;
        if !same && wait.of_loop.is_some() {
            continue;
        }
        if wait.is_before(ways, arrival.inst) {
            facts.iter().for_each(|f| add(&mut all, *f));
        }
        if let (true, Some(l)) = (same, wait.of_loop)
            && ways.in_each_turn(wait.block, arrival.block, l)
        {
            old.extend(facts.iter().copied());
        }
    }
    // In the first iterations the threads know what they knew before the loop.
    let old: Vec<Fact> = old.into_iter().flat_map(|fact| earlier(fact, &all)).collect();
    old.into_iter().for_each(|fact| add(&mut all, fact));
    all
}

/// Returns what a fact of some iterations ago says, in terms of this iteration, as far as it holds in the first ones, about
/// which other facts are `known`.
fn earlier(fact: Fact, known: &[Fact]) -> Vec<Fact> {
    let turns = (1..=MOST_AGO.min(fact.form.ring - 1)).chain([fact.form.ring]);
    turns.filter_map(|turns| ago(fact, turns, known)).collect()
}

/// Returns what a fact of this many iterations ago says, in terms of this iteration; none if it need not hold in the first
/// ones, about which other facts are `known`.
fn ago(fact: Fact, turns: i128, known: &[Fact]) -> Option<Fact> {
    let old = fact.moved(-turns);
    (old.line.each > 0 && (0..turns).all(|turn| old.follows(turn, known))).then_some(old)
}

/// The knowledge of an arrival's thread, if the arrival is the one that ends the last of the phases of a fact.
enum Told {
    /// The arrival has another number.
    Nothing,
    /// It may have that number in some iteration.
    Unknown,
    /// It has that number.
    Always(Vec<Fact>),
    /// It has that number in this iteration of the fact.
    Once(i128, Vec<Fact>),
}

/// Returns the knowledge of a thread that has made one of the last arrivals of the ended phases: those that it may have
/// `made`.
fn handed_on(
    arrivals: &[Arrival],
    known: &[Vec<Fact>],
    made: &dyn Fn(&usize) -> bool,
    fact: Fact,
) -> Vec<Fact> {
    let mut all: Option<Vec<Fact>> = None;
    let mut once: Vec<(i128, Vec<Fact>)> = Vec::new();
    let of_class = |n: &usize| made(n) && arrivals[*n].form.class == fact.form.class;
    for n in (0..arrivals.len()).filter(of_class) {
        match told(&arrivals[n], &known[n], fact) {
            Told::Nothing => {}
            Told::Unknown => return Vec::new(),
            Told::Once(turn, facts) => once.push((turn, facts)),
            // The fact must hold for every possible arrival.
            Told::Always(facts) => {
                all = Some(match all {
                    None => facts,
                    Some(all) => all.into_iter().filter_map(|f| f.least(&facts)).collect(),
                });
            }
        }
    }
    // The threads' knowledge in one iteration counts only as far as it always holds.
    let holds = |f: &Fact| once.iter().all(|(turn, facts)| f.follows(*turn, facts));
    all.unwrap_or_default().into_iter().filter(holds).collect()
}

/// Returns what the thread of an arrival knew, if the arrival is the one that ends the last of the phases of a fact.
fn told(arrival: &Arrival, facts: &[Fact], fact: Fact) -> Told {
    let Fact { form, line } = fact;
    let number = arrival.line;
    match (number.each, line.each) {
        (0, 0) if (arrival.form, number.first + 1) != (form, line.first) || line.first < 1 => Told::Nothing,
        (0, 0) => Told::Always(facts.to_vec()),
        (_, 0) if !arrival.form.selects(&form) => Told::Unknown,
        (_, 0) => match turn_of((arrival.form, number), (form.first, line.first - 1)) {
            Some(turn) => Told::Always(facts.iter().map(|f| f.in_turn(turn)).collect()),
            None => Told::Nothing,
        },
        (0, _) if !form.selects(&arrival.form) => Told::Unknown,
        (0, _) => match turn_of((form, line), (arrival.form.first, number.first + 1)) {
            Some(turn) => Told::Once(turn, facts.to_vec()),
            None => Told::Nothing,
        },
        _ if !arrival.form.is_like(&form) || number.each != line.each => Told::Unknown,
        (each, _) => match line.first - 1 - number.first {
            apart if apart % each == 0 => Told::Always(told_in_turns(arrival, facts, fact, apart / each)),
            _ => Told::Nothing,
        },
    }
}

/// Returns the iteration in which a form selects an mbarrier and a line has a number.
fn turn_of((form, line): (Form, Line), (place, number): (i128, i128)) -> Option<i128> {
    let rounds = number - line.first;
    let begin = rounds / line.each * form.ring - line.lag;
    let is_it = |turn: &i128| *turn >= 0 && form.place(*turn) == place;
    (rounds % line.each == 0).then(|| (begin..begin + form.ring).find(is_it)).flatten()
}

/// Returns what the thread of an arrival knew, in terms of a fact's iteration. The arrival that ends the last phase is as many
/// rounds further on.
fn told_in_turns(arrival: &Arrival, facts: &[Fact], Fact { form, line }: Fact, rounds: i128) -> Vec<Fact> {
    let number = arrival.line;
    // The iteration of the arrival is as many iterations later, or has another place in its round.
    let between = (form.shift - line.lag - arrival.form.shift + number.lag).rem_euclid(form.ring);
    let later = line.lag - number.lag + form.ring * rounds;
    let moved = |of: &Fact| match between {
        _ if of.line.each == 0 && of.form.ring == 1 => Some(*of),
        0 => Some(of.moved(later)),
        _ if of.form.ring != form.ring || of.line.lag != number.lag => None,
        _ => {
            let shift = (form.shift - arrival.form.shift + of.form.shift).rem_euclid(form.ring);
            let first = of.line.first + of.line.each * rounds;
            Some(Fact { form: Form { shift, ..of.form }, line: Line { lag: line.lag, first, ..of.line } })
        }
    };
    // In iterations in which no phase has ended there may be no arrival; then the fact must be trivial.
    let ended = (-line.first).div_euclid(line.each) + 1;
    let last = form.ring * ended - line.lag - 1;
    let told = facts.iter().filter_map(moved);
    told.filter(|f| last < 0 || f.value(last) <= 0).collect()
}

impl Wait {
    /// Returns whether every thread that reaches an instruction has waited, in the same iteration.
    pub(crate) fn is_before(&self, ways: Ways<'_>, inst: usize) -> bool {
        if let Some(own) = self.inst {
            return ways.is_first(own, inst);
        }
        let b = ways.block(inst);
        b != self.block && !self.region[b.0 as usize] && ways.shape.dominates(self.block, b)
    }
}
