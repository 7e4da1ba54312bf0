//! Converts functions of the host code to an executable form: numbered registers, and blocks with their
//! terminators.

use super::Value;
use super::constants::{self, Places};
use crate::ir::{Function, Inst, Module, Op, Operand, bits, parts};
use flowgraph::{Dominators, Graph};
use std::collections::HashMap;

#[derive(Clone, Debug)]
pub(super) enum Arg {
    Register(u32),
    Is(Value),
}

#[derive(Debug)]
pub(super) struct Call<'a> {
    pub(super) callee: Option<&'a str>,
    pub(super) through: Option<Arg>,
    pub(super) operands: Vec<Operand<'a>>,
    pub(super) arguments: Vec<Arg>,
    /// The width of the result.
    pub(super) bits: u32,
}

/// How an operation must not wrap around.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Wraps {
    Signed,
    Unsigned,
}

#[derive(Debug)]
pub(super) enum Step<'a> {
    Binary {
        op: &'a str,
        bits: u32,
        a: Arg,
        b: Arg,
        /// It has no value where it wraps around: with a sign, or without one.
        wraps: Option<Wraps>,
    },
    Real {
        op: &'a str,
        single: bool,
        a: Arg,
        b: Arg,
    },
    Cast {
        op: &'a str,
        from: u32,
        to: u32,
        of: Arg,
        /// Whether the number that is converted is in single precision, and whether the result is.
        single: (bool, bool),
    },
    Compare {
        test: &'a str,
        bits: u32,
        a: Arg,
        b: Arg,
    },
    RealCompare {
        test: &'a str,
        single: bool,
        a: Arg,
        b: Arg,
    },
    Select {
        condition: Arg,
        a: Arg,
        b: Arg,
    },
    Load {
        bytes: Option<u32>,
        /// The value is an integer or an address; other types are not evaluated.
        plain: bool,
        from: Arg,
    },
    Store {
        bytes: Option<u32>,
        value: Arg,
        to: Arg,
    },
    Element {
        base: Arg,
        indices: Vec<(Arg, i64)>,
        constant: i64,
    },
    Call(Box<Call<'a>>),
    Alloca {
        bytes: Option<u64>,
        count: Arg,
    },
    Same(Arg),
    Extract(Arg, usize),
    Insert(Arg, Arg, usize),
    /// The instruction changes the memory at this address.
    Change(Arg),
    Unknown,
    /// The effect of the instruction is unknown.
    Lost,
}

#[derive(Debug)]
pub(super) enum End {
    Jump(usize),
    Branch {
        condition: Arg,
        yes: usize,
        no: usize,
    },
    Switch {
        value: Arg,
        cases: Vec<(i64, usize)>,
        default: usize,
    },
    Return(Option<Arg>),
    /// The end is unreachable, or passes an exception on.
    Never,
}

/// Pairs of a predecessor and the value on the edge from it.
type Incoming = Vec<(usize, Arg)>;

#[derive(Debug)]
pub(super) struct Block<'a> {
    pub(super) phis: Vec<(u32, Incoming)>,
    pub(super) steps: Vec<(Option<u32>, Step<'a>)>,
    pub(super) end: End,
}

#[derive(Debug)]
pub(super) struct Code<'a> {
    pub(super) blocks: Vec<Block<'a>>,
    pub(super) parameters: Vec<u32>,
    pub(super) registers: u32,
    /// For each block, the next block that is on every path to the function's end, if there is one.
    pub(super) joins: Vec<Option<usize>>,
}

struct Compiler<'c, 'a> {
    module: &'c Module<'a>,
    places: &'c dyn Places,
    registers: HashMap<&'a str, u32>,
}

pub(super) fn compile<'a>(module: &Module<'a>, f: &Function<'a>, places: &dyn Places) -> Code<'a> {
    let mut compiler = Compiler { module, places, registers: HashMap::new() };
    let parameters = f.params.iter().map(|p| compiler.register(p)).collect();
    for inst in f.blocks.iter().flat_map(|b| &b.insts) {
        if let Some(result) = inst.result {
            compiler.register(result);
        }
    }
    let mut blocks: Vec<Block<'a>> =
        f.blocks.iter().map(|b| compiler.block(&b.insts, &b.successors)).collect();
    if blocks.is_empty() {
        blocks.push(Block { phis: Vec::new(), steps: Vec::new(), end: End::Never });
    }
    let joins = joins(&blocks);
    Code { blocks, parameters, registers: compiler.registers.len() as u32, joins }
}

impl<'a> Compiler<'_, 'a> {
    fn register(&mut self, name: &'a str) -> u32 {
        let next = self.registers.len() as u32;
        *self.registers.entry(name).or_insert(next)
    }

    fn arg(&self, text: &'a str, single: bool) -> Arg {
        match self.registers.get(text) {
            Some(&r) => Arg::Register(r),
            None => Arg::Is(constants::number(self.module, self.places, text, single)),
        }
    }

    fn block(&self, insts: &[Inst<'a>], successors: &[usize]) -> Block<'a> {
        let mut block = Block { phis: Vec::new(), steps: Vec::new(), end: End::Never };
        for (n, inst) in insts.iter().enumerate() {
            let result = inst.result.and_then(|r| self.registers.get(r).copied());
            let single = inst.text.contains(" float ");
            if let (Op::Phi { incoming }, Some(result)) = (&inst.op, result) {
                let all = incoming.iter().map(|(v, from)| (*from, self.arg(v, single)));
                block.phis.push((result, all.collect()));
                continue;
            }
            if n + 1 == insts.len()
                && let Some(end) = self.end(inst, successors)
            {
                if !matches!(inst.op, Op::Call { .. }) {
                    block.end = end;
                    continue;
                }
                // An `invoke` is assumed not to throw.
                block.steps.push((result, self.step(inst, single)));
                block.end = end;
                continue;
            }
            block.steps.push((result, self.step(inst, single)));
        }
        block
    }

    fn end(&self, inst: &Inst<'a>, successors: &[usize]) -> Option<End> {
        Some(match &inst.op {
            Op::Branch { condition, yes, no } => {
                End::Branch { condition: self.arg(condition, false), yes: *yes, no: *no }
            }
            Op::Switch { value, cases, default } => End::Switch {
                value: self.arg(value, false),
                cases: cases.iter().map(|(c, to)| (*c as i64, *to)).collect(),
                default: *default,
            },
            _ if inst.text.starts_with("ret void") => End::Return(None),
            _ if inst.text.starts_with("ret ") => {
                let operand = inst.text[4..].split(", !").next().unwrap_or_default();
                let (ty, value) = crate::ir::typed(operand);
                End::Return(Some(self.arg(value, ty == "float")))
            }
            _ if inst.text.starts_with("br label ") || inst.text.contains("invoke ") => {
                End::Jump(*successors.first()?)
            }
            _ => return None,
        })
    }

    fn step(&self, inst: &Inst<'a>, single: bool) -> Step<'a> {
        let text = match inst.text.split_once(" = ") {
            Some((result, body)) if result.starts_with('%') && !result.contains(' ') => body,
            _ => inst.text,
        };
        let text = text.split(", !").next().unwrap_or(text);
        let (word, rest) = text.split_once(' ').unwrap_or((text, ""));
        let arg = |v: &'a str| self.arg(v, single);
        let size = |ty: &'a str| constants::size(self.module, ty).and_then(|n| u32::try_from(n).ok());
        // Atomic accesses have further operands after the address.
        if let Some(rest) = rest.strip_prefix("atomic ") {
            let rest = rest.strip_prefix("volatile ").unwrap_or(rest);
            let all = parts(rest);
            let (Some(first), Some(second)) = (all.first(), all.get(1)) else { return Step::Lost };
            let address = second.split(' ').nth(1).unwrap_or_default();
            return match word {
                "load" => Step::Load { bytes: size(first), plain: true, from: arg(address) },
                _ => {
                    let (ty, value) = crate::ir::typed(first);
                    Step::Store { bytes: size(ty), value: arg(value), to: arg(address) }
                }
            };
        }
        match &inst.op {
            Op::Binary { op, bits, exact, signed, a, b } if *bits > 0 => {
                let wraps = match matches!(*op, "add" | "sub" | "mul" | "shl") {
                    true if *signed => Some(Wraps::Signed),
                    true if *exact => Some(Wraps::Unsigned),
                    _ => None,
                };
                Step::Binary { op, bits: *bits, a: arg(a), b: arg(b), wraps }
            }
            Op::Cast { op, from, to, of } => {
                let (before, after) = rest.split_once(" to ").unwrap_or((rest, ""));
                let of_single = before.contains("float ");
                let single = (of_single, after.trim() == "float");
                if before.contains('<') {
                    return Step::Unknown;
                }
                Step::Cast { op, from: *from, to: *to, of: self.arg(of, of_single), single }
            }
            Op::Compare { test, bits, a, b } if *bits > 0 => {
                Step::Compare { test, bits: *bits, a: arg(a), b: arg(b) }
            }
            Op::Select { condition, a, b } if !rest.starts_with('<') => {
                Step::Select { condition: arg(condition), a: arg(a), b: arg(b) }
            }
            Op::Load { ty, from } => Step::Load {
                bytes: size(ty),
                plain: bits(ty) > 0 || matches!(*ty, "float" | "double"),
                from: arg(from),
            },
            Op::Store { ty, value, to } => {
                Step::Store { bytes: size(ty), value: self.arg(value, *ty == "float"), to: arg(to) }
            }
            Op::Element { base, indices, constant } => Step::Element {
                base: arg(base),
                indices: indices.iter().map(|(v, n)| (arg(v), *n as i64)).collect(),
                constant: *constant as i64,
            },
            Op::Call { callee, through, arguments, bits } => Step::Call(Box::new(Call {
                callee: *callee,
                through: through.map(arg),
                operands: arguments.clone(),
                arguments: arguments.iter().map(|a| self.arg(a.value, a.ty == "float")).collect(),
                bits: *bits,
            })),
            Op::Alloca => {
                let all = parts(rest);
                let ty = all.first().copied().unwrap_or_default();
                let count = all.get(1).filter(|c| !c.starts_with("align")).and_then(|c| c.rsplit(' ').next());
                Step::Alloca { bytes: constants::size(self.module, ty), count: arg(count.unwrap_or("1")) }
            }
            Op::Same(of) => Step::Same(arg(of)),
            _ => self.other(word, rest, single),
        }
    }

    /// Converts instructions that launches do not need, but contents of memory may.
    fn other(&self, word: &'a str, rest: &'a str, single: bool) -> Step<'a> {
        let rest = ["fast ", "nnan ", "ninf ", "nsz ", "arcp ", "contract ", "afn ", "reassoc "]
            .iter()
            .fold(rest, |rest, flag| rest.strip_prefix(flag).unwrap_or(rest));
        let all = parts(rest);
        match word {
            "fadd" | "fsub" | "fmul" | "fdiv"
                if rest.starts_with("float ") || rest.starts_with("double ") =>
            {
                let (Some(a), Some(b)) = (all.first(), all.get(1)) else { return Step::Unknown };
                let single = rest.starts_with("float ");
                let a = a.rsplit(' ').next().unwrap_or_default();
                Step::Real { op: word, single, a: self.arg(a, single), b: self.arg(b, single) }
            }
            "fcmp" => {
                let (Some(a), Some(b)) = (all.first(), all.get(1)) else { return Step::Unknown };
                let mut words = a.split(' ');
                let (Some(test), Some(ty), Some(a)) = (words.next(), words.next(), words.next()) else {
                    return Step::Unknown;
                };
                if !matches!(ty, "float" | "double") {
                    return Step::Unknown;
                }
                let single = ty == "float";
                Step::RealCompare { test, single, a: self.arg(a, single), b: self.arg(b, single) }
            }
            "extractvalue" => {
                let of = all.first().and_then(|a| a.rsplit(' ').next()).unwrap_or_default();
                match all.get(1).and_then(|n| n.parse().ok()) {
                    Some(n) if all.len() == 2 => Step::Extract(self.arg(of, single), n),
                    _ => Step::Unknown,
                }
            }
            "insertvalue" => {
                let last = |n: usize| all.get(n).and_then(|a| a.rsplit(' ').next()).unwrap_or_default();
                match all.get(2).and_then(|n| n.parse().ok()) {
                    Some(n) if all.len() == 3 => {
                        let single = all[1].starts_with("float ");
                        Step::Insert(self.arg(last(0), false), self.arg(last(1), single), n)
                    }
                    _ => Step::Unknown,
                }
            }
            "atomicrmw" | "cmpxchg" => {
                let address = rest.split("ptr ").nth(1).and_then(|r| r.split([' ', ',']).next());
                Step::Change(self.arg(address.unwrap_or_default(), false))
            }
            // Inline assembly that takes memory has unknown effects.
            "call" | "tail" | "invoke" if rest.contains("ptr ") || rest.contains("memory") => Step::Lost,
            "va_arg" | "indirectbr" | "callbr" | "store" | "catchswitch" => Step::Lost,
            _ => Step::Unknown,
        }
    }
}

impl End {
    pub(super) fn targets(&self) -> Vec<usize> {
        match self {
            End::Jump(to) => vec![*to],
            End::Branch { yes, no, .. } => vec![*yes, *no],
            End::Switch { cases, default, .. } => cases.iter().map(|c| c.1).chain([*default]).collect(),
            End::Return(_) | End::Never => Vec::new(),
        }
    }
}

/// For each block, returns the nearest one on every path from it to a `ret`; other ends do not count.
fn joins(blocks: &[Block<'_>]) -> Vec<Option<usize>> {
    // The common end is an additional node.
    let end = blocks.len();
    let mut after: Vec<Vec<usize>> = blocks
        .iter()
        .map(|block| match &block.end {
            End::Return(_) => vec![end],
            other => other.targets(),
        })
        .collect();
    after.push(Vec::new());
    // The dominators of the reversed graph are the postdominators.
    let dominators = Dominators::new(&Graph::new(after).reversed(), end);
    (0..end).map(|b| dominators.immediate(b).filter(|&above| above < end)).collect()
}
