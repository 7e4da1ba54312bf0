//! Parses LLVM IR text as far as launches need it: integers, pointers, branches and calls.
//!
//! An instruction that is not supported becomes [`Op::Other`], whose result is unknown.
//!
//! **Size:** one grammar, with a few lines for each instruction.

use std::collections::HashMap;

/// A module's functions, and the initial values of its variables.
#[derive(Debug, Default)]
pub struct Module<'a> {
    /// The text of the module.
    pub ir: &'a str,
    pub functions: Vec<Function<'a>>,
    /// The text after the `=`, by name.
    pub globals: HashMap<&'a str, &'a str>,
    pub types: HashMap<&'a str, &'a str>,
    /// For each defined or declared function, whether it only reads through each argument and does not retain
    /// it.
    only_read: HashMap<&'a str, Vec<bool>>,
}

#[derive(Debug)]
pub struct Function<'a> {
    pub name: &'a str,
    /// Only the same module may call the function.
    pub internal: bool,
    pub params: Vec<&'a str>,
    pub blocks: Vec<Block<'a>>,
    /// The block and the index of the definition of each value.
    pub defs: HashMap<&'a str, (usize, usize)>,
    labels: HashMap<&'a str, usize>,
    /// A label that an instruction names and no block has: the function's control flow is not known.
    pub unknown_label: Option<&'a str>,
    /// The instructions that use each local value.
    pub uses: HashMap<&'a str, Vec<(usize, usize)>>,
}

#[derive(Debug, Default)]
pub struct Block<'a> {
    pub insts: Vec<Inst<'a>>,
    pub successors: Vec<usize>,
    pub predecessors: Vec<usize>,
}

#[derive(Debug)]
pub struct Inst<'a> {
    pub result: Option<&'a str>,
    pub op: Op<'a>,
    /// The whole text of the instruction, for searches for uses.
    pub text: &'a str,
}

/// An argument of a call.
#[derive(Clone, Copy, Debug)]
pub struct Operand<'a> {
    pub ty: &'a str,
    pub value: &'a str,
    /// The type of a structure that is passed by value in memory.
    pub by_value: Option<&'a str>,
    /// The number of bytes that an address is guaranteed to point to.
    pub there: Option<u32>,
}

#[derive(Debug)]
pub enum Op<'a> {
    Binary {
        op: &'a str,
        bits: u32,
        exact: bool,
        /// The result equals that of unbounded signed integers (`nsw`, `disjoint`).
        signed: bool,
        a: &'a str,
        b: &'a str,
    },
    Cast {
        op: &'a str,
        from: u32,
        to: u32,
        of: &'a str,
    },
    Compare {
        test: &'a str,
        bits: u32,
        a: &'a str,
        b: &'a str,
    },
    Select {
        condition: &'a str,
        a: &'a str,
        b: &'a str,
    },
    Phi {
        incoming: Vec<(&'a str, usize)>,
    },
    Load {
        ty: &'a str,
        from: &'a str,
    },
    Store {
        ty: &'a str,
        value: &'a str,
        to: &'a str,
    },
    /// An address: the base plus each index times a number of bytes.
    Element {
        base: &'a str,
        indices: Vec<(&'a str, i128)>,
        constant: i128,
    },
    /// A call; `through` is the address of an indirectly called function.
    Call {
        callee: Option<&'a str>,
        through: Option<&'a str>,
        arguments: Vec<Operand<'a>>,
        bits: u32,
    },
    Branch {
        condition: &'a str,
        yes: usize,
        no: usize,
    },
    Switch {
        value: &'a str,
        cases: Vec<(i128, usize)>,
        default: usize,
    },
    Alloca,
    Same(&'a str),
    Other,
}

/// Returns the bits of an integer type; 64 for a pointer, 0 for all other types.
pub fn bits(ty: &str) -> u32 {
    match ty {
        "ptr" => 64,
        _ => ty.strip_prefix('i').and_then(|n| n.parse().ok()).filter(|&n| n <= 64).unwrap_or(0),
    }
}

/// Splits a text at commas outside brackets and quotation marks.
pub fn parts(text: &str) -> Vec<&str> {
    let (mut found, mut depth, mut start, mut quoted) = (Vec::new(), 0i32, 0, false);
    for (i, c) in text.char_indices() {
        match c {
            '"' => quoted = !quoted,
            _ if quoted => {}
            '(' | '[' | '{' | '<' => depth += 1,
            ')' | ']' | '}' | '>' => depth -= 1,
            ',' if depth == 0 => {
                found.push(text[start..i].trim());
                start = i + 1;
            }
            _ => {}
        }
    }
    if !text[start..].trim().is_empty() {
        found.push(text[start..].trim());
    }
    found
}

/// Returns the text up to the bracket that closes one before `text`.
pub fn inside(text: &str) -> &str {
    let mut depth = 1i32;
    let end = text.char_indices().find_map(|(i, c)| {
        depth += match c {
            '(' | '[' | '{' => 1,
            ')' | ']' | '}' => -1,
            _ => 0,
        };
        (depth == 0).then_some(i)
    });
    &text[..end.unwrap_or(text.len())]
}

/// Returns the global names of a line.
pub fn symbols(line: &str) -> Vec<&str> {
    let end = |text: &str| {
        text.find(|c: char| !(c.is_ascii_alphanumeric() || "_.$".contains(c))).unwrap_or(text.len())
    };
    line.match_indices('@').map(|(at, _)| &line[at + 1..at + 1 + end(&line[at + 1..])]).collect()
}

/// Returns the local names of an instruction.
pub fn locals(text: &str) -> impl Iterator<Item = &str> {
    text.match_indices('%').map(|(at, _)| {
        let rest = &text[at + 1..];
        let end = rest.find(|c: char| !(c.is_ascii_alphanumeric() || "_.$-".contains(c)));
        &text[at..at + 1 + end.unwrap_or(rest.len())]
    })
}

/// Returns the value of an operand with its type.
pub fn value(operand: &str) -> &str {
    match operand.ends_with(')') {
        // The operand is a constant expression.
        true => operand.split_once(' ').map_or(operand, |(_, rest)| rest),
        false => operand.rsplit(' ').next().unwrap_or(operand),
    }
}

/// Splits `TYPE VALUE`, where the type may have brackets.
pub fn typed(operand: &str) -> (&str, &str) {
    let operand = operand.trim();
    let value = value(operand);
    (operand[..operand.len() - value.len()].trim(), value)
}

impl<'a> Module<'a> {
    pub fn read(ir: &'a str) -> Module<'a> {
        let mut module = Module { ir, ..Module::default() };
        // Types are collected first, because index computations need them.
        for line in ir.lines() {
            if let Some((name, ty)) = line.split_once(" = type ").filter(|_| line.starts_with('%')) {
                module.types.insert(name, ty);
            } else if let Some((name, rest)) = line.strip_prefix('@').and_then(|l| l.split_once(" = ")) {
                module.globals.insert(name, rest);
            }
        }
        let mut lines = ir.lines();
        while let Some(line) = lines.next() {
            if line.starts_with("declare ") {
                module.learn(line);
            }
            if line.starts_with("define ") {
                module.learn(line);
                let body: Vec<&'a str> = lines.by_ref().take_while(|l| *l != "}").collect();
                let function = module.function(line, &body, ir);
                module.functions.extend(function);
            }
        }
        module
    }

    /// Records the attributes of the arguments in a function's head.
    fn learn(&mut self, line: &'a str) {
        let Some((name, rest)) = symbols(line).first().and_then(|name| {
            let (_, rest) = line.split_once(&format!("@{name}("))?;
            Some((*name, rest))
        }) else {
            return;
        };
        let only_read = |argument: &str| {
            let has = |word: &str| argument.split(' ').any(|w| w == word);
            (has("nocapture") || has("captures(none)")) && (has("readonly") || has("readnone"))
        };
        self.only_read.insert(name, parts(inside(rest)).into_iter().map(only_read).collect());
    }

    /// Returns whether a function only reads through an argument; `None` if the module does not know the
    /// function.
    pub fn only_reads(&self, function: &str, argument: usize) -> Option<bool> {
        Some(self.only_read.get(function)?.get(argument).copied().unwrap_or(false))
    }

    /// Returns the functions that the module names.
    pub fn declared(&self) -> impl Iterator<Item = &'a str> + '_ {
        self.only_read.keys().copied()
    }

    fn function(&self, line: &'a str, body: &[&'a str], ir: &'a str) -> Option<Function<'a>> {
        let name = *symbols(line).first()?;
        let (_, rest) = line.split_once(&format!("@{name}("))?;
        let params = parts(inside(rest)).into_iter().map(value).collect();
        let mut f = Function {
            name,
            internal: line.contains(" internal ") || line.contains(" private "),
            params,
            blocks: Vec::new(),
            defs: HashMap::new(),
            labels: HashMap::new(),
            unknown_label: None,
            uses: HashMap::new(),
        };
        // Labels are collected first, because branches can go forward.
        // The first block may have a label, for example after inlining.
        if body.iter().find(|l| !l.trim().is_empty()).is_none_or(|l| label(l).is_none()) {
            f.blocks.push(Block::default());
        }
        for (n, label) in (f.blocks.len()..).zip(body.iter().filter_map(|l| label(l))) {
            f.labels.insert(label, n);
        }
        let mut n = 0;
        while n < body.len() {
            let line = body[n];
            n += 1;
            if label(line).is_some() {
                f.blocks.push(Block::default());
                continue;
            }
            // Some instructions continue in further lines.
            let first = line.trim();
            let mut last = first;
            let more = |next: &str| next.trim_start().starts_with("to label ");
            if first.starts_with("switch ") && first.ends_with('[') {
                while n < body.len() && !last.starts_with(']') {
                    last = body[n].trim();
                    n += 1;
                }
            } else if body.get(n).is_some_and(|l| more(l)) {
                last = body[n].trim();
                n += 1;
            }
            let text = joined(ir, first, last);
            if text.is_empty() || text.starts_with(';') {
                continue;
            }
            let unknown = targets(text).find(|label| !f.labels.contains_key(label));
            f.unknown_label = f.unknown_label.or(unknown);
            let inst = self.inst(&f, text);
            let at = f.blocks.len() - 1;
            if let Some(result) = inst.result {
                f.defs.insert(result, (at, f.blocks[at].insts.len()));
            }
            for used in locals(text).filter(|u| Some(*u) != inst.result) {
                f.uses.entry(used).or_default().push((at, f.blocks[at].insts.len()));
            }
            let next = successors(&f, &inst);
            f.blocks[at].successors.extend(next);
            f.blocks[at].insts.push(inst);
        }
        for b in 0..f.blocks.len() {
            for s in f.blocks[b].successors.clone() {
                if !f.blocks[s].predecessors.contains(&b) {
                    f.blocks[s].predecessors.push(b);
                }
            }
        }
        Some(f)
    }

    fn inst(&self, f: &Function<'a>, text: &'a str) -> Inst<'a> {
        let (result, body) = match text.split_once(" = ") {
            Some((result, body)) if result.starts_with('%') && !result.contains(' ') => (Some(result), body),
            _ => (None, text),
        };
        let body = body.split(", !").next().unwrap_or(body);
        let op = self.op(f, body).unwrap_or(Op::Other);
        Inst { result, op, text }
    }

    fn op(&self, f: &Function<'a>, body: &'a str) -> Option<Op<'a>> {
        let (op, rest) = body.split_once(' ').unwrap_or((body, ""));
        Some(match op {
            "add" | "sub" | "mul" | "sdiv" | "udiv" | "srem" | "urem" | "shl" | "lshr" | "ashr" | "and"
            | "or" | "xor" => {
                let exact = rest.contains("nsw") || rest.contains("nuw") || rest.contains("disjoint");
                let [a, b] = parts(rest)[..] else { return None };
                let ty = a.split(' ').rev().nth(1)?;
                let signed = a.split(' ').any(|w| matches!(w, "nsw" | "disjoint"));
                Op::Binary { op, bits: bits(ty), exact, signed, a: value(a), b: value(b) }
            }
            "zext" | "sext" | "trunc" | "ptrtoint" | "inttoptr" | "sitofp" | "uitofp" | "fptosi"
            | "fptoui" | "fpext" | "fptrunc" => {
                let (from, to) = rest.split_once(" to ")?;
                let ty = from.split(' ').rev().nth(1)?;
                Op::Cast { op, from: bits(ty), to: bits(to.trim()), of: value(from) }
            }
            "icmp" => {
                let rest = rest.strip_prefix("samesign ").unwrap_or(rest);
                let [a, b] = parts(rest)[..] else { return None };
                let mut words = a.split(' ');
                let (test, ty) = (words.next()?, words.next()?);
                Op::Compare { test, bits: bits(ty), a: value(a), b: value(b) }
            }
            "select" => {
                let [c, a, b] = parts(rest)[..] else { return None };
                Op::Select { condition: value(c), a: value(a), b: value(b) }
            }
            "phi" => {
                let (_, list) = rest.split_once('[')?;
                let start = rest.len() - list.len() - 1;
                let pair = |p: &'a str| {
                    let (value, label) = p.strip_prefix('[')?.strip_suffix(']')?.trim().rsplit_once(',')?;
                    Some((value.trim(), f.predecessor(label.trim())?))
                };
                Op::Phi { incoming: parts(&rest[start..]).into_iter().map(pair).collect::<Option<_>>()? }
            }
            "load" => {
                let all = parts(rest);
                let ty = all.first()?.strip_prefix("volatile ").unwrap_or(all.first()?);
                Op::Load { ty, from: value(all.get(1)?) }
            }
            "store" => {
                let all = parts(rest.strip_prefix("volatile ").unwrap_or(rest));
                let (ty, stored) = typed(all.first()?);
                Op::Store { ty, value: stored, to: value(all.get(1)?) }
            }
            "getelementptr" => self.element(rest)?,
            "call" | "tail" | "musttail" | "notail" | "invoke" => call(body)?,
            "br" => {
                let [c, yes, no] = parts(rest)[..] else { return Some(Op::Other) };
                Op::Branch { condition: value(c), yes: f.label(value(yes)), no: f.label(value(no)) }
            }
            "switch" => {
                let (head, cases) = rest.split_once('[')?;
                let [of, default] = parts(head)[..] else { return None };
                let case = |text: &'a str| {
                    let (value, rest) = text.trim().split_once(',')?;
                    Some((value.trim().parse().ok()?, f.label(rest.trim().strip_prefix("label ")?)))
                };
                let cases = cases
                    .split(']')
                    .next()?
                    .split(" i")
                    .filter_map(|c| case(c.trim().split_once(' ').map(|(_, value)| value)?));
                Op::Switch { value: value(of), cases: cases.collect(), default: f.label(value(default)) }
            }
            "alloca" => Op::Alloca,
            "freeze" | "bitcast" | "addrspacecast" => {
                Op::Same(value(rest.split(" to ").next().unwrap_or(rest)))
            }
            _ => return None,
        })
    }

    /// Returns the text of a constant.
    pub fn string(&self, symbol: &str) -> Option<String> {
        let text = self.globals.get(symbol)?.split_once("c\"")?.1.split_once("\\00\"")?.0;
        Some(text.to_owned())
    }
}

/// Returns the text from one line to another.
fn joined<'a>(text: &'a str, first: &'a str, last: &'a str) -> &'a str {
    let at = |part: &str| part.as_ptr() as usize - text.as_ptr() as usize;
    &text[at(first)..at(last) + last.len()]
}

impl<'a> Function<'a> {
    /// Returns the block that a branch leads to. Of an unknown one (`unknown_label`) nothing is read.
    fn label(&self, name: &str) -> usize {
        self.labels.get(name.trim_start_matches('%')).copied().unwrap_or(0)
    }

    /// Returns the block of a label in a phi: the first block may have a number that is not in the text.
    fn predecessor(&self, name: &str) -> Option<usize> {
        let name = name.trim_start_matches('%');
        let first = || !self.labels.values().any(|&b| b == 0) && name.bytes().all(|b| b.is_ascii_digit());
        self.labels.get(name).copied().or_else(|| first().then_some(0))
    }

    /// Returns the definition of a value.
    pub fn definition(&self, name: &str) -> Option<&Op<'a>> {
        let &(block, at) = self.defs.get(name)?;
        Some(&self.blocks[block].insts[at].op)
    }
}

/// Returns the label that a line is. It has quotes if it contains other characters than these, as names of lambdas do.
fn label(line: &str) -> Option<&str> {
    if line.starts_with('"') {
        return Some(&line[..=line.find("\":")?]);
    }
    let (label, _) = line.split_once(':')?;
    label.chars().all(|c| c.is_ascii_alphanumeric() || "._-$".contains(c)).then_some(label)
}

/// Returns the labels of the blocks that an instruction may lead to.
fn targets(text: &str) -> impl Iterator<Item = &str> {
    text.match_indices("label %").map(|(at, found)| {
        let rest = &text[at + found.len()..];
        if let Some(quoted) = rest.strip_prefix('"') {
            return &rest[..quoted.find('"').map_or(rest.len(), |end| end + 2)];
        }
        let end = rest.find(|c: char| !(c.is_ascii_alphanumeric() || "_.$-".contains(c)));
        &rest[..end.unwrap_or(rest.len())]
    })
}

/// Returns a type without the attributes after it.
fn first_type(ty: &str) -> &str {
    match ty.starts_with(['<', '[', '{']) {
        true => ty.find(['>', ']', '}']).map_or(ty, |end| &ty[..=end]),
        false => ty.split(' ').next().unwrap_or_default(),
    }
}

fn call(body: &str) -> Option<Op<'_>> {
    let (_, call) = body.split_once("call ").or_else(|| body.split_once("invoke "))?;
    let open = call.find('(').filter(|_| !call.contains(" asm "))?;
    // The types of variadic functions contain parentheses, too.
    let named = call.find('@').or_else(|| call.find('%'))?;
    let open =
        if named > open && call[open..named].contains(')') { named + call[named..].find('(')? } else { open };
    let before = call[..open].trim();
    let callee = before.rfind('@').map(|at| &before[at + 1..]);
    let through = before.rsplit(' ').next().filter(|t| t.starts_with('%'));
    let returns = call[..named.min(open)].split(' ').rev().find(|w| !w.is_empty()).unwrap_or_default();
    let argument = |text| {
        let (ty, value) = typed(text);
        let by_value = ty.split_once("byval(").map(|(_, rest)| inside(rest));
        let there = ty.split_once("dereferenceable(").and_then(|(_, rest)| inside(rest).parse().ok());
        Operand { ty: first_type(ty), value, by_value, there }
    };
    let arguments = parts(inside(&call[open + 1..])).into_iter().map(argument);
    Some(Op::Call { callee, through, arguments: arguments.collect(), bits: bits(returns) })
}

fn successors(f: &Function<'_>, inst: &Inst<'_>) -> Vec<usize> {
    match &inst.op {
        Op::Branch { yes, no, .. } => vec![*yes, *no],
        Op::Switch { cases, default, .. } => cases.iter().map(|c| c.1).chain([*default]).collect(),
        _ if inst.text.starts_with("br label ") => {
            vec![f.label(value(inst.text.split(", !").next().unwrap_or_default()))]
        }
        _ if inst.text.contains("invoke ") => {
            let label = |after: &str| Some(f.label(inst.text.split_once(after)?.1.split([' ', ',']).next()?));
            [label(" to label ").or_else(|| label("to label ")), label("unwind label ")]
                .into_iter()
                .flatten()
                .collect()
        }
        _ => Vec::new(),
    }
}
