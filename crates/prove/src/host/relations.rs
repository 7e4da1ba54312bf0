//! Relations between the extents and the arguments of a launch that the host code fixes, whatever else is not known.
//!
//! Integers are sums of values that are not known further; quotients, products and such are values with relations of
//! their own. That the host's arithmetic does not overflow is assumed (and listed).

mod halves;

use super::eval::Eval;
use super::flow::Holds;
use super::inputs;
use super::ir::Op;
use super::parts::Parts;
use super::program::{Frame, Written};
use super::sums::{Sum, connected, renamed};
use super::value::Origin;
use crate::assume::{Expr, Name, Test};
use crate::facts::Facts;
use crate::syms::Axis;
use std::collections::{BTreeMap, HashMap, HashSet};

/// What is known of a launch without its numbers.
#[derive(Clone, Debug, Default)]
pub struct HostFacts {
    facts: Facts,
    /// Sizes in bytes of the host function's arguments; 0 where they are no numbers or addresses.
    sizes: Vec<u64>,
    given: bool,
}

impl HostFacts {
    /// Does all that is not known of a kernel with parameters of these sizes follow from what the program is given?
    pub(crate) fn given(&self, parameters: &[u64]) -> bool {
        self.given && self.sizes == parameters
    }

    /// As facts of a kernel with parameters of these sizes. What the host passes in pieces, or in memory, has other
    /// arguments than the kernel has parameters: then only what is said of the extents is kept.
    pub fn facts(&self, parameters: &[u64]) -> Facts {
        if self.sizes == parameters {
            return self.facts.clone();
        }
        let of_extents = |relation: &&crate::assume::Relation| {
            let mut all = true;
            for side in [&relation.left, &relation.right] {
                side.each_name(&mut |name| all &= !matches!(name, Name::Param(_)));
            }
            all
        };
        Facts {
            block: self.facts.block,
            grid: self.facts.grid,
            relations: self.facts.relations.iter().filter(of_extents).cloned().collect(),
            host_arithmetic: self.facts.host_arithmetic,
            ..Facts::default()
        }
    }
}

struct Reader<'e, 'p, 'a> {
    eval: &'e Eval<'p, 'a>,
    atoms: HashMap<(usize, &'a str), u32>,
    count: u32,
    side: Vec<(Expr, Test, Expr)>,
    deep: u32,
    /// Arithmetic was read as that of integers without bounds.
    narrowed: bool,
    /// By value, what it is the quotient of, rounded towards zero, and by which number.
    quotients: HashMap<u32, (Sum, i128)>,
    /// What is not known is an input of the program,
    given: bool,
    /// but for these, if they have to do with the launch.
    foreign: HashSet<u32>,
}

/// Definitions that a value is followed through.
const MOST_DEEP: u32 = 24;
/// Larger coefficients are no sizes.
const LARGEST: i128 = 1 << 40;

impl<'a> Reader<'_, '_, 'a> {
    fn fresh(&mut self) -> u32 {
        self.count += 1;
        self.count
    }

    fn itself(&mut self, depth: usize, name: &'a str) -> Sum {
        if let Some(&a) = self.atoms.get(&(depth, name)) {
            return Sum::atom(a);
        }
        let a = self.fresh();
        self.atoms.insert((depth, name), a);
        Sum::atom(a)
    }

    /// Is it what the program's user chooses?
    fn is_input(&self, depth: usize, name: &'a str, deep: u32) -> bool {
        if deep > 8 || self.eval.int(depth, name).is_some() {
            return deep <= 8;
        }
        let f = self.eval.program.function(self.eval.chain[depth].at);
        let Some(&(block, inst)) = f.defs.get(name) else {
            return depth == 0 && f.name == "main";
        };
        match &f.blocks[block].insts[inst].op {
            Op::Call { callee: Some(callee), .. } => inputs::READ.contains(callee),
            Op::Cast { of, .. } | Op::Same(of) => self.is_input(depth, of, deep + 1),
            _ => false,
        }
    }

    fn says(&mut self, left: &Sum, test: Test, right: &Sum) {
        self.side.push((left.expr(), test, right.expr()));
    }

    /// The value of an integer.
    fn sum(&mut self, depth: usize, name: &'a str) -> Option<Sum> {
        if let Some(v) = self.eval.value(depth, name) {
            return v.int().map(Sum::of);
        }
        if !name.starts_with('%') {
            return None;
        }
        if self.atoms.contains_key(&(depth, name)) || self.deep > MOST_DEEP {
            return Some(self.itself(depth, name));
        }
        self.deep += 1;
        let found = self.defined(depth, name);
        self.deep -= 1;
        let found =
            found.filter(|s| s.terms.values().all(|c| c.abs() < LARGEST) && s.constant.abs() < LARGEST);
        Some(match found {
            Some(sum) => sum,
            None => {
                let sum = self.itself(depth, name);
                if !self.is_input(depth, name, 0) {
                    self.foreign.extend(sum.terms.keys());
                }
                sum
            }
        })
    }

    fn defined(&mut self, depth: usize, name: &'a str) -> Option<Sum> {
        let frame = self.eval.chain[depth];
        let program = self.eval.program;
        let f = program.function(frame.at);
        let Some(&(block, inst)) = f.defs.get(name) else {
            let n = f.params.iter().position(|p| *p == name)?;
            let above = depth.checked_sub(1)?;
            let frame = self.eval.chain[above];
            let call = &program.function(frame.at).blocks[frame.block].insts[frame.inst].op;
            let Op::Call { arguments, .. } = call else { return None };
            return self.sum(above, arguments.get(n)?.value);
        };
        match &f.blocks[block].insts[inst].op {
            // The lower part with its sign, and as bytes of elements.
            Op::Binary { op: "ashr", bits, a, b, .. } if self.lower_part(depth, *bits, a, b).is_some() => {
                let (of, left, factor) = self.lower_part(depth, *bits, a, b)?;
                Some(self.low(depth, of, left)?.times(factor))
            }
            Op::Binary { op: "lshr" | "ashr", bits: 64, a, b, .. } if self.of_halves(depth, b) => {
                self.shifted(depth, name, a, b)
            }
            Op::Binary { op, exact, a, b, bits } => {
                let (x, y) = (self.sum(depth, a)?, self.sum(depth, b)?);
                self.narrowed |=
                    !exact && matches!(*op, "add" | "sub" | "mul" | "shl" | "udiv" | "lshr" | "urem");
                match (*op, x.constant(), y.constant()) {
                    ("add", ..) => Some(x.plus(&y, 1)),
                    ("sub", ..) => Some(x.plus(&y, -1)),
                    ("or", ..) if *exact => Some(x.plus(&y, 1)),
                    ("mul", _, Some(c)) => Some(x.times(c)),
                    ("mul", Some(c), _) => Some(y.times(c)),
                    ("shl", _, Some(c)) if (0..32).contains(&c) => Some(x.times(1 << c)),
                    ("mul", ..) => {
                        let product = self.itself(depth, name);
                        let right = Expr::Mul(Box::new(x.expr()), Box::new(y.expr()));
                        self.side.push((product.expr(), Test::Eq, right));
                        Some(product)
                    }
                    ("sdiv" | "udiv" | "lshr" | "ashr", _, Some(c)) => {
                        let by = if matches!(*op, "lshr" | "ashr") { 1i128 << c.clamp(0, 40) } else { c };
                        let q = self.itself(depth, name);
                        // Rounded towards zero: of a number below zero, up.
                        let above = if *op == "sdiv" { x.plus(&Sum::of(by - 1), 1) } else { x.clone() };
                        let product = q.times(by);
                        if let Some((&a, _)) = q.terms.iter().next() {
                            self.quotients.insert(a, (x.clone(), by));
                        }
                        self.says(&product, Test::Le, &above);
                        self.says(&x, Test::Le, &product.plus(&Sum::of(by - 1), 1));
                        (by > 0).then_some(q)
                    }
                    ("urem", _, Some(c)) if c > 0 => Some(self.remainder(depth, name, &x, c)),
                    ("and", _, Some(c)) if c == (1 << 32) - 1 && *bits == 64 => self.low(depth, a, 32),
                    ("and", _, Some(c)) if c > 0 && (c + 1).count_ones() == 1 => {
                        Some(self.remainder(depth, name, &x, c + 1))
                    }
                    _ => None,
                }
            }
            Op::Cast { op: "sext", of, .. } => self.sum(depth, of),
            Op::Cast { op: "trunc", of, from, to } if *from > 1 => self.low(depth, of, *to),
            Op::Cast { op: "zext", of, from, .. } if *from > 1 => {
                self.narrowed = true;
                self.sum(depth, of)
            }
            Op::Same(of) => self.sum(depth, of),
            Op::Call { callee: Some(callee), arguments, .. } => {
                let test = match () {
                    () if callee.starts_with("llvm.smin.") || callee.starts_with("llvm.umin.") => Test::Le,
                    () if callee.starts_with("llvm.smax.") || callee.starts_with("llvm.umax.") => Test::Ge,
                    () => return None,
                };
                let one = self.itself(depth, name);
                for a in arguments.iter().take(2) {
                    let s = self.sum(depth, a.value)?;
                    self.says(&one, test, &s);
                }
                Some(one)
            }
            Op::Load { from, .. } => self.pitch(depth, (block, inst), from),
            Op::Select { a, b, .. } => self.one_of(depth, name, &[a, b]),
            Op::Phi { incoming } => {
                let values: Vec<&'a str> = incoming.iter().map(|(v, _)| *v).collect();
                self.one_of(depth, name, &values)
            }
            _ => None,
        }
    }

    /// How far the rows of an allocation are apart, if it is that what is read.
    fn pitch(&mut self, depth: usize, (block, inst): (usize, usize), from: &'a str) -> Option<Sum> {
        let (eval, program) = (self.eval, self.eval.program);
        let (Origin::Local(owner, name), Some(0)) = eval.root(depth, from)? else { return None };
        let at = eval.chain[owner].at;
        let name = *program.function(at).defs.get_key_value(name.as_str())?.0;
        let contents = program.contents(Some(at), name);
        let pitches = contents.writers.iter().filter(|w| matches!(w.what, Written::Pitch(_))).count();
        if pitches != 1 || eval.chain.iter().filter(|frame| frame.at == at).count() > 1 {
            return None;
        }
        let reader = match owner == depth {
            true => Frame { at, block, inst },
            false => eval.chain[owner],
        };
        let dead = |w: &Frame| eval.never_comes_to(owner, w.block);
        let Written::Pitch(width) = program.written(&contents, (0, 8), reader, &dead)?.what else {
            return None;
        };
        // The variable's name stands for what it holds: its address is no number.
        let new = !self.atoms.contains_key(&(owner, name));
        let pitch = self.itself(owner, name);
        self.foreign.extend(pitch.terms.keys());
        if new && let Some(width) = self.sum(owner, width) {
            self.says(&width, Test::Le, &pitch);
        }
        Some(pitch)
    }

    fn remainder(&mut self, depth: usize, name: &'a str, of: &Sum, by: i128) -> Sum {
        let rest = self.itself(depth, name);
        let right = Expr::Rem(Box::new(of.expr()), Box::new(Expr::Number(by)));
        self.side.push((rest.expr(), Test::Eq, right));
        rest
    }

    /// One of several values, the least and the greatest of which may be known. What a loop adds to goes up.
    fn one_of(&mut self, depth: usize, name: &'a str, values: &[&'a str]) -> Option<Sum> {
        let one = self.itself(depth, name);
        let at = self.eval.chain[depth].at;
        let mut all = Vec::new();
        let mut grows = false;
        for v in values {
            if let Some(c) = self.eval.int(depth, v) {
                all.push(c);
                continue;
            }
            match self.eval.program.function(at).definition(v) {
                Some(Op::Binary { op: "add", a, b, exact: true, .. }) if *a == name => {
                    grows = self.eval.int(depth, b)? > 0;
                }
                Some(Op::Binary { op: "shl", a, exact: true, .. }) if *a == name => {
                    grows = true;
                }
                _ => {
                    if !self.is_input(depth, v, 0) {
                        self.foreign.extend(one.terms.keys());
                    }
                    return Some(one);
                }
            }
        }
        let (least, most) = (all.iter().min().copied()?, all.iter().max().copied()?);
        if !grows || least >= 0 {
            self.says(&Sum::of(least), Test::Le, &one);
        }
        if !grows {
            self.says(&one, Test::Le, &Sum::of(most));
            // Not all that is between.
            self.foreign.extend(one.terms.keys());
        }
        Some(one)
    }

    /// What a condition says.
    fn condition(&mut self, depth: usize, value: &'a str, holds: Holds) {
        let f = self.eval.program.function(self.eval.chain[depth].at);
        if let Holds::Equals(c) = holds {
            if let Some(s) = self.sum(depth, value) {
                self.says(&s, Test::Eq, &Sum::of(c));
            }
            return;
        }
        let is = holds == Holds::Is(true);
        match f.definition(value) {
            Some(Op::Select { condition, a, b: "false", .. }) if is => {
                self.condition(depth, condition, holds);
                self.condition(depth, a, holds);
            }
            Some(Op::Select { condition, a: "true", b, .. }) if !is => {
                self.condition(depth, condition, holds);
                self.condition(depth, b, holds);
            }
            Some(Op::Binary { op, a, b, bits: 1, .. })
                if matches!((*op, is), ("and", true) | ("or", false)) =>
            {
                self.condition(depth, a, holds);
                self.condition(depth, b, holds);
            }
            Some(Op::Compare { test, bits, a, b }) if *bits >= 8 => {
                let (Some(x), Some(y)) = (self.sum(depth, a), self.sum(depth, b)) else { return };
                let test = match (*test, is) {
                    ("eq", true) | ("ne", false) => Test::Eq,
                    ("ne", true) | ("eq", false) => Test::Ne,
                    ("slt", true) | ("sge", false) => Test::Lt,
                    ("sle", true) | ("sgt", false) => Test::Le,
                    ("sgt", true) | ("sle", false) => Test::Gt,
                    ("sge", true) | ("slt", false) => Test::Ge,
                    // Below a number that is not negative without a sign: not negative either.
                    ("ult", true) | ("uge", false) if y.constant().is_some_and(|c| c >= 0) => Test::Lt,
                    ("ule", true) | ("ugt", false) if y.constant().is_some_and(|c| c >= 0) => Test::Le,
                    _ => return,
                };
                let unsigned = matches!(
                    f.definition(value),
                    Some(Op::Compare { test: "ult" | "ule" | "ugt" | "uge", .. })
                );
                if unsigned {
                    self.says(&x, Test::Ge, &Sum::of(0));
                }
                self.says(&x, test, &y);
            }
            _ => {}
        }
    }
}

/// The relations of a launch.
pub(super) fn facts<'a>(eval: &Eval<'_, 'a>, parts: &Parts<'a>, last: usize) -> HostFacts {
    let mut reader = Reader {
        eval,
        atoms: HashMap::new(),
        count: 0,
        side: Vec::new(),
        deep: 0,
        narrowed: false,
        quotients: HashMap::new(),
        given: true,
        foreign: HashSet::new(),
    };
    let mut facts = Facts::default();
    let [grid, grid_z, block, block_z, shared] = parts.extents;
    facts.dynamic_shared = eval.int(last, shared).and_then(|n| u32::try_from(n).ok());
    let mut extents = |xy, z| {
        let [x, y] = reader.halves(last, xy);
        [x, y, reader.sum(last, z)]
    };
    let (grid, block) = (extents(grid, grid_z), extents(block, block_z));
    reader.given &= grid.iter().chain(&block).all(Option::is_some);
    let constant = |e: &[Option<Sum>; 3]| -> Option<[u32; 3]> {
        let one = |s: &Option<Sum>| u32::try_from(s.as_ref()?.constant()?).ok().filter(|&n| n > 0);
        Some([one(&e[0])?, one(&e[1])?, one(&e[2])?])
    };
    facts.grid = constant(&grid);
    facts.block = constant(&block);
    let mut arguments: Vec<(u32, Sum)> = Vec::new();
    for (n, a) in parts.arguments.iter().enumerate().filter(|(_, a)| a.ty.starts_with('i')) {
        let Some(sum) = reader.sum(last, a.value) else {
            reader.given = false;
            continue;
        };
        match sum.constant() {
            Some(c) => _ = facts.scalars.insert((n as u32, 0), c),
            None => arguments.push((n as u32, sum)),
        }
    }
    // Two arguments that point into one array.
    let pointers = parts.arguments.iter().enumerate().filter(|(_, a)| a.ty == "ptr" && a.by_value.is_none());
    let mut places: Vec<(u32, Origin, Option<i128>)> = Vec::new();
    for (n, a) in pointers {
        let Some((origin, offset)) = eval.root(last, a.value) else { continue };
        if let Some((first, _, at)) = places.iter().find(|(_, o, _)| *o == origin) {
            facts.aliases.insert(n as u32, (*first, at.zip(offset).map(|(a, b)| b - a)));
        } else {
            places.push((n as u32, origin, offset));
        }
    }
    for (depth, frame) in eval.chain.iter().enumerate() {
        let (f, flow) = (eval.program.function(frame.at), eval.program.flow(frame.at));
        for (value, holds) in flow.conditions(f, frame.block) {
            reader.condition(depth, value, holds);
        }
    }
    let mut all = Vec::new();
    let argument = |n: u32| Expr::Name(Name::Param(format!("arg{n}")));
    for (n, sum) in &arguments {
        all.push((argument(*n), Test::Eq, sum.expr()));
    }
    for (axis, at) in Axis::ALL.into_iter().zip(0..) {
        for (extent, name) in [(&grid[at], Name::Grid(axis)), (&block[at], Name::Block(axis))] {
            let Some(extent) = extent else { continue };
            let whole = match name {
                Name::Grid(_) => facts.grid.is_some(),
                _ => facts.block.is_some(),
            };
            if !whole {
                all.push((Expr::Name(name), Test::Eq, extent.expr()));
            }
        }
    }
    // An extent is positive: as a quotient it is rounded down.
    for extent in grid.iter().chain(&block).flatten() {
        if let Some((of, by)) = extent.terms.keys().next().and_then(|a| reader.quotients.get(a)).cloned()
            && extent.constant == 0
            && extent.terms.len() == 1
            && extent.terms.values().all(|&c| c == 1)
        {
            all.push((extent.times(by).expr(), Test::Le, of.expr()));
        }
    }
    all.append(&mut reader.side);
    for relation in connected(all.clone()) {
        for side in [&relation.left, &relation.right] {
            side.each_name(&mut |name| {
                reader.given &= !matches!(name, Name::Host(atom) if reader.foreign.contains(atom));
            });
        }
    }
    // Values that an argument or an extent is are called so.
    let mut names: BTreeMap<u32, Expr> = BTreeMap::new();
    for (n, sum) in &arguments {
        if let (Some((&a, 1)), 1) = (sum.terms.iter().next(), sum.terms.len()) {
            let shifted = match sum.constant {
                0 => argument(*n),
                c => Expr::Sub(Box::new(argument(*n)), Box::new(Expr::Number(c))),
            };
            names.entry(a).or_insert(shifted);
        }
    }
    for (axis, at) in Axis::ALL.into_iter().zip(0..) {
        for (extent, name) in [(&grid[at], Name::Grid(axis)), (&block[at], Name::Block(axis))] {
            let Some(extent) = extent else { continue };
            if let (Some((&a, 1)), 1, 0) = (extent.terms.iter().next(), extent.terms.len(), extent.constant) {
                names.entry(a).or_insert(Expr::Name(name));
            }
        }
    }
    let all = all.into_iter().map(|(l, t, r)| (renamed(&l, &names), t, renamed(&r, &names)));
    facts.relations = connected(all.filter(|(l, _, r)| l != r).collect());
    facts.host_arithmetic = reader.narrowed && !facts.relations.is_empty();
    let sizes = parts.arguments.iter().map(|a| match (a.by_value, a.ty) {
        (Some(_), _) => 0,
        (None, "float") => 4,
        (None, "double") => 8,
        (None, ty) => u64::from(super::ir::bits(ty)).div_ceil(8),
    });
    HostFacts { sizes: sizes.collect(), facts, given: reader.given }
}
