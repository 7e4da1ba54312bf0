//! Does a program come to a launch, whatever it is that is not known?
//!
//! What is not decided may be what the program is given ([`Inputs`]): then one way that leads there is enough, as somebody may
//! give it that. Of all other branches each way must lead there, or give up: end the program with an error, or throw.

use super::eval::Eval;
use super::inputs::Inputs;
use super::ir::{Function, Op};
use std::collections::{BTreeMap, HashMap};

/// Blocks on one way, one behind the other.
const MOST_DEEP: usize = 1500;

/// What becomes of a program from some block on.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Fate {
    /// It may go on without the launch.
    Avoids,
    /// It ends with an error, or it does not end.
    GivesUp,
    Reaches,
}

/// Is the end of the chain reached? Of a whole program it must begin in `main`: what else may be called, perhaps nobody calls.
pub(super) fn is_reached(eval: &Eval<'_, '_>) -> bool {
    let first = eval.program.function(eval.chain[0].at).name;
    if eval.program.whole && first != "main" {
        return false;
    }
    let inputs = Inputs::new(eval);
    (0..eval.chain.len()).all(|depth| {
        let f = eval.program.function(eval.chain[depth].at);
        let returned = match depth == 0 && f.name == "main" {
            true => returned(f),
            false => Vec::new(),
        };
        let mut way =
            Way { inputs: &inputs, f, depth, to: eval.chain[depth].block, returned, fates: HashMap::new() };
        way.fate(0, Known::new(), 0) == Fate::Reaches
    })
}

/// Of values that `main` returns, those that are known.
type Known<'a> = BTreeMap<&'a str, i128>;

struct Way<'w, 'e, 'p, 'a> {
    inputs: &'w Inputs<'e, 'p, 'a>,
    f: &'w Function<'a>,
    depth: usize,
    to: usize,
    /// What the function returns, or may: values that are chosen by the way that was taken.
    returned: Vec<&'a str>,
    /// `None` while it is asked for.
    fates: HashMap<(usize, Known<'a>), Option<Fate>>,
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
            // Another turn of a loop, which ends at some time.
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
            // Nothing is thrown.
            _ => (None, self.f.blocks[block].successors.first().copied().into_iter().collect()),
        };
        let mut fates: Vec<Fate> = Vec::new();
        for to in ways {
            let passed = self.passed(block, to, known);
            fates.push(self.fate(to, passed, deep + 1));
        }
        let best = fates.iter().copied().max().unwrap_or(Fate::Avoids);
        match condition {
            Some(condition) if fates.contains(&Fate::Avoids) && best != Fate::Avoids => {
                if self.inputs.follows(self.depth, condition) { best } else { Fate::Avoids }
            }
            _ => best,
        }
    }

    /// What is known of the values that are returned, on the way into a block.
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

    /// Behind a call that does not come back.
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

/// Values that a function returns, and those that they may be.
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
