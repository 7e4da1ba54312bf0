//! Decides whether a program certainly reaches a launch, for any unknown values.
//!
//! An undecided condition may depend on the program's inputs only ([`Inputs`]): then one path to the launch
//! is sufficient, because some input selects it. For all other branches each path must lead to the launch or
//! give up: end the program with an error, or throw an exception.

use super::eval::Eval;
use super::input_ranges::Inputs;
use super::ir::{Function, Op};
use std::collections::{BTreeMap, HashMap};

/// The largest number of successive blocks on one path.
const MOST_DEEP: usize = 1500;

/// The possible outcomes of an execution from some block on.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Fate {
    /// The program may continue or end without the launch.
    Avoids,
    /// The program ends with an error, or it does not end.
    GivesUp,
    Reaches,
}

/// Whether the program comes to the end of a chain of calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reach {
    /// It may avoid it.
    Open,
    /// Conditions on its inputs decide that, and their ranges do not exclude it.
    ForSomeInput,
    /// Whatever the inputs are, if the program does not give up for other reasons.
    Always,
}

/// Returns whether the end of the chain is reached. In a whole program the chain must begin in `main`, because
/// other functions may never be called.
pub(super) fn reach(eval: &Eval<'_, '_>) -> Reach {
    let first = eval.program.function(eval.chain[0].at).name;
    if eval.program.whole && first != "main" {
        return Reach::Open;
    }
    let inputs = Inputs::new(eval);
    let mut chosen = false;
    let is_reached = (0..eval.chain.len()).all(|depth| {
        let f = eval.program.function(eval.chain[depth].at);
        let returned = match depth == 0 && f.name == "main" {
            true => returned(f),
            false => Vec::new(),
        };
        let mut way = Way {
            inputs: &inputs,
            f,
            depth,
            to: eval.chain[depth].block,
            returned,
            fates: HashMap::new(),
            chosen: false,
        };
        let fate = way.fate(0, Known::new(), 0);
        chosen |= way.chosen;
        fate == Fate::Reaches
    });
    match (is_reached, chosen) {
        (false, _) => Reach::Open,
        (true, true) => Reach::ForSomeInput,
        (true, false) => Reach::Always,
    }
}

/// The known ones among the values that a function may return.
type Known<'a> = BTreeMap<&'a str, i128>;

struct Way<'w, 'e, 'p, 'a> {
    inputs: &'w Inputs<'e, 'p, 'a>,
    f: &'w Function<'a>,
    depth: usize,
    to: usize,
    /// The values that the function may return, including those that phis select from.
    returned: Vec<&'a str>,
    /// The fate by block and known values; `None` during its computation.
    fates: HashMap<(usize, Known<'a>), Option<Fate>>,
    /// A condition on the program's inputs was taken to hold on one path.
    chosen: bool,
}

impl<'a> Way<'_, '_, '_, 'a> {
    fn fate(&mut self, block: usize, known: Known<'a>, deep: usize) -> Fate {
        if block == self.to {
            return Fate::Reaches;
        }
        if deep > MOST_DEEP {
            return Fate::Avoids;
        }
        match self.fates.get(&(block, known.clone())) {
            Some(Some(fate)) => return *fate,
            // The block was reached again through a loop. The loop ends eventually, so this path adds no
            // outcome.
            Some(None) => return Fate::GivesUp,
            None => {}
        }
        self.fates.insert((block, known.clone()), None);
        let fate = self.goes_on(block, &known, deep);
        self.fates.insert((block, known), Some(fate));
        fate
    }

    fn goes_on(&mut self, block: usize, known: &Known<'a>, deep: usize) -> Fate {
        let Some(last) = self.f.blocks[block].insts.last() else { return Fate::Avoids };
        let (condition, ways) = match &last.op {
            Op::Branch { condition, yes, no } => match self.inputs.truth(self.depth, condition) {
                Some(is) => (None, vec![if is { *yes } else { *no }]),
                None => (Some(*condition), vec![*yes, *no]),
            },
            Op::Switch { value, cases, default } => match self.inputs.range(self.depth, value) {
                Some((a, b)) if a == b => {
                    (None, vec![cases.iter().find(|(c, _)| *c == a).map_or(*default, |(_, to)| *to)])
                }
                _ => (Some(*value), self.f.blocks[block].successors.clone()),
            },
            _ if last.text.starts_with("ret ") => return self.returns(last.text, known),
            _ if last.text.starts_with("unreachable") => return self.ends(block),
            _ if last.text.starts_with("resume ") => return Fate::GivesUp,
            // No exception is thrown, so the first successor follows.
            _ => (None, self.f.blocks[block].successors.first().copied().into_iter().collect()),
        };
        let mut fates: Vec<Fate> = Vec::new();
        for to in ways {
            let passed = self.passed(block, to, known);
            fates.push(self.fate(to, passed, deep + 1));
        }
        let best = fates.iter().copied().max().unwrap_or(Fate::Avoids);
        let Some(condition) = condition.filter(|_| fates.iter().any(|fate| *fate != best)) else {
            return best;
        };
        // The best fate is only one of several. Without a condition on inputs, checks are taken to succeed.
        match (self.inputs.follows(self.depth, condition), fates.contains(&Fate::Avoids)) {
            (true, _) => {
                self.chosen |= self.inputs.is_given(self.depth, condition);
                best
            }
            (false, true) => Fate::Avoids,
            (false, false) => best,
        }
    }

    /// Updates the known return values for the edge into a block.
    fn passed(&self, from: usize, to: usize, known: &Known<'a>) -> Known<'a> {
        let mut passed = known.clone();
        for inst in &self.f.blocks[to].insts {
            let (Op::Phi { incoming }, Some(result)) = (&inst.op, inst.result) else { break };
            if !self.returned.contains(&result) {
                continue;
            }
            let value = incoming.iter().find(|(_, b)| *b == from).map(|(v, _)| *v);
            match value.and_then(|v| v.parse().ok().or_else(|| known.get(v).copied())) {
                Some(number) => _ = passed.insert(result, number),
                None => _ = passed.remove(result),
            }
        }
        passed
    }

    fn returns(&self, text: &str, known: &Known<'a>) -> Fate {
        let value = text.split(", !").next().and_then(|t| t.rsplit(' ').next()).unwrap_or_default();
        let number = value.parse::<i128>().ok().or_else(|| known.get(value).copied());
        let main = self.depth == 0 && self.f.name == "main";
        match number {
            Some(n) if main && n != 0 => Fate::GivesUp,
            _ => Fate::Avoids,
        }
    }

    /// Returns the outcome after a call that does not return.
    fn ends(&self, block: usize) -> Fate {
        let well = |inst: &super::ir::Inst<'a>| match &inst.op {
            Op::Call { callee: Some("exit" | "_exit" | "quick_exit"), arguments, .. } => arguments
                .first()
                .is_none_or(|a| self.inputs.range(self.depth, a.value).is_none_or(|r| r.0 <= 0 && 0 <= r.1)),
            _ => false,
        };
        match self.f.blocks[block].insts.iter().any(well) {
            true => Fate::Avoids,
            false => Fate::GivesUp,
        }
    }
}

/// Returns the values that a function returns, and those that phis and selects choose them from.
fn returned<'a>(f: &Function<'a>) -> Vec<&'a str> {
    let last = f.blocks.iter().filter_map(|b| b.insts.last()).filter(|i| i.text.starts_with("ret "));
    let mut work: Vec<&'a str> =
        last.filter_map(|i| i.text.split(", !").next()?.rsplit(' ').next()).collect();
    let mut found = Vec::new();
    while let Some(name) = work.pop() {
        if found.contains(&name) {
            continue;
        }
        if let Some(Op::Phi { incoming }) = f.definition(name) {
            found.push(name);
            work.extend(incoming.iter().map(|(v, _)| *v));
        }
    }
    found
}
