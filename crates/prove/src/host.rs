//! Launches of kernels, read from the host code: LLVM IR of what `nvcc -cuda` makes of a source.
//!
//! A launch is a call of `__cudaPushCallConfiguration` whose success leads to a call of the kernel's stub. Known of it are
//! extents and arguments that are constants, and extents that are computed from arguments: by addition, multiplication
//! with a constant, and division that rounds up or down. Arguments that are one value are equal.
//!
//! A kernel whose stub is used in any other way (its address is taken, a call that nothing configures) has launches that are
//! not known: nothing is said of it. Launches by other sources are not seen; that this source's are all is assumed.

use crate::assume::{Expr, Name, Relation, Test};
use crate::facts::Facts;
use crate::syms::Axis;
use std::collections::BTreeMap;

/// By kernel (mangled, as in PTX), its launches.
pub type Launches = BTreeMap<String, Vec<HostLaunch>>;

/// What is known of one launch.
#[derive(Clone, Debug)]
pub struct HostLaunch {
    facts: Facts,
    /// Sizes in bytes of the host function's arguments; 0 where they are no numbers or addresses.
    sizes: Vec<u64>,
}

impl HostLaunch {
    /// As facts of a kernel with parameters of these sizes. What the host passes in pieces, or in memory, has other
    /// arguments than the kernel has parameters: then only the extents are kept.
    pub fn facts(&self, parameters: &[u64]) -> Facts {
        if self.sizes == parameters {
            return self.facts.clone();
        }
        Facts { block: self.facts.block, grid: self.facts.grid, ..Facts::default() }
    }
}

/// A function of the text: its name and lines.
struct Function<'a> {
    name: &'a str,
    lines: Vec<&'a str>,
}

/// Reads a module's text.
pub fn launches(ir: &str) -> Launches {
    let functions = functions(ir);
    // The host's name of each kernel, and the device's.
    let mut kernels: Vec<(&str, String)> = Vec::new();
    for line in ir.lines().filter(|l| l.contains("@__cudaRegisterFunction(") && l.contains("call ")) {
        let names = symbols(line);
        if let [_, host, text, ..] = names[..]
            && let Some(device) = string(ir, text)
        {
            kernels.push((host, device));
        }
    }
    let mut found = Launches::new();
    for (host, device) in kernels {
        // The stub that the host's function calls may have been inlined into it, or it into its callers.
        let own = functions.iter().find(|f| f.name == host);
        let stub =
            own.and_then(|f| f.lines.iter().flat_map(|l| symbols(l)).find(|s| s.contains("__device_stub_")));
        let is_it = |symbol: &str| symbol == host || Some(symbol) == stub;
        let mut all = Vec::new();
        let mut understood = true;
        for f in &functions {
            if is_it(f.name) || f.name.contains("cudaRegisterAll") {
                continue;
            }
            for (n, line) in f.lines.iter().enumerate() {
                if !symbols(line).iter().any(|s| is_it(s)) {
                    continue;
                }
                let called = callee(line).is_some_and(|(name, _)| is_it(name));
                match called.then(|| launch(f, n)).flatten() {
                    Some(facts) => all.push(facts),
                    None => understood = false,
                }
            }
        }
        if understood && !all.is_empty() {
            found.insert(device, all);
        }
    }
    found
}

fn functions(ir: &str) -> Vec<Function<'_>> {
    let mut found: Vec<Function<'_>> = Vec::new();
    let mut inside = false;
    for line in ir.lines() {
        if line.starts_with("define ") {
            let name = symbols(line).first().copied().unwrap_or_default();
            found.push(Function { name, lines: Vec::new() });
            inside = true;
        } else if line == "}" {
            inside = false;
        } else if let Some(f) = found.last_mut().filter(|_| inside) {
            f.lines.push(line);
        }
    }
    found
}

/// The global names of a line.
fn symbols(line: &str) -> Vec<&str> {
    let end = |text: &str| {
        text.find(|c: char| !(c.is_ascii_alphanumeric() || "_.$".contains(c))).unwrap_or(text.len())
    };
    line.match_indices('@').map(|(at, _)| &line[at + 1..at + 1 + end(&line[at + 1..])]).collect()
}

/// The text of a constant.
fn string(ir: &str, symbol: &str) -> Option<String> {
    let start = format!("@{symbol} = ");
    let line = ir.lines().find(|l| l.starts_with(&start))?;
    let text = line.split_once("c\"")?.1.split_once("\\00\"")?.0;
    Some(text.to_owned())
}

/// Of a call: whom, and with which operands.
fn callee(line: &str) -> Option<(&str, Vec<&str>)> {
    let (_, call) = line.split_once("call ").or_else(|| line.split_once("invoke "))?;
    let (_, named) = call.split_once('@')?;
    let (name, rest) = named.split_once('(')?;
    // Operands end with the parenthesis that closes the call's own.
    let mut depth = 1;
    let end = rest.char_indices().find_map(|(i, c)| {
        depth += match c {
            '(' => 1,
            ')' => -1,
            _ => 0,
        };
        (depth == 0).then_some(i)
    })?;
    let mut operands = Vec::new();
    let (mut depth, mut start) = (0, 0);
    for (i, c) in rest[..end].char_indices() {
        match c {
            '(' => depth += 1,
            ')' => depth -= 1,
            ',' if depth == 0 => {
                operands.push(rest[start..i].trim());
                start = i + 1;
            }
            _ => {}
        }
    }
    if end > start {
        operands.push(rest[start..end].trim());
    }
    Some((name, operands))
}

/// The launch whose stub is called there: its block is reached only from a successful configuration.
fn launch(f: &Function<'_>, at: usize) -> Option<HostLaunch> {
    let label = (0..at).rev().find_map(|n| {
        let (label, rest) = f.lines[n].split_once(':')?;
        label.chars().all(|c| c.is_ascii_alphanumeric() || "._".contains(c)).then_some((n, label, rest))
    });
    let (_, label, rest) = label?;
    let (_, before) = rest.split_once("preds = ")?;
    if before.contains(',') {
        return None;
    }
    // `%c = icmp eq i32 %r, 0` and `br i1 %c, label %LABEL, …` behind `%r = call … @__cudaPushCallConfiguration(…)`.
    let jump = format!(", label %{label}, ");
    let condition = f.lines.iter().find_map(|l| {
        let (condition, rest) =
            l.trim().strip_prefix("br i1 ")?.split_at_checked(l.trim()[6..].find(',')?)?;
        rest.starts_with(&jump).then_some(condition)
    })?;
    let values = Values { f };
    let compared = values.definition(condition)?.strip_prefix("icmp eq i32 ")?;
    let (result, zero) = compared.split_once(", ")?;
    let (called, operands) = callee(values.definition(result)?)?;
    let configured = zero.trim() == "0" && called == "__cudaPushCallConfiguration";
    let [grid, grid_z, block, block_z, ..] = operands[..] else { return None };
    if !configured {
        return None;
    }
    let (_, arguments) = callee(f.lines[at])?;
    let mut facts = Facts::default();
    let extents = |xy: &str, z: &str| {
        let [x, y] = values.halves(last(xy), 0);
        [x, y, values.linear(last(z), 0)]
    };
    let (grid, block) = (extents(grid, grid_z), extents(block, block_z));
    let constant = |e: &[Option<Linear>; 3]| -> Option<[u32; 3]> {
        let one = |l: &Option<Linear>| u32::try_from(l.as_ref()?.constant()?).ok().filter(|&n| n > 0);
        Some([one(&e[0])?, one(&e[1])?, one(&e[2])?])
    };
    facts.grid = constant(&grid);
    facts.block = constant(&block);
    let mut known: Vec<(usize, Linear)> = Vec::new();
    for (n, argument) in arguments.iter().enumerate() {
        let integer = argument.starts_with("i32 ") || argument.starts_with("i64 ");
        let Some(value) = values.linear(last(argument), 0).filter(|_| integer) else { continue };
        match value.constant() {
            Some(c) => _ = facts.scalars.insert((n as u32, 0), c),
            None => known.push((n, value)),
        }
    }
    for (i, (n, value)) in known.iter().enumerate() {
        for (m, other) in &known[..i] {
            if value == other {
                facts.relations.push(relation(argument(*m), Test::Eq, argument(*n)));
            }
        }
    }
    for (axis, at) in Axis::ALL.into_iter().zip(0..) {
        for (extent, name) in [(&grid[at], Name::Grid(axis)), (&block[at], Name::Block(axis))] {
            let Some(extent) = extent else { continue };
            let name = Expr::Name(name);
            match extent.constant() {
                Some(_) if facts.block.is_some() && facts.grid.is_some() => {}
                Some(c) => facts.relations.push(relation(name, Test::Eq, Expr::Number(c))),
                None => facts.relations.extend(extent.relations(&name, &known)),
            }
        }
    }
    let sizes = arguments.iter().map(|a| bytes(a)).collect();
    Some(HostLaunch { facts, sizes })
}

/// Of an operand with its type.
fn bytes(operand: &str) -> u64 {
    match operand.split(' ').next() {
        _ if operand.contains("byval") => 0,
        Some("i64" | "ptr" | "double") => 8,
        Some("i32" | "float") => 4,
        Some("i16") => 2,
        Some("i8" | "i1") => 1,
        _ => 0,
    }
}

fn argument(n: usize) -> Expr {
    Expr::Name(Name::Param(format!("arg{n}")))
}

fn relation(left: Expr, test: Test, right: Expr) -> Relation {
    let sign = match test {
        Test::Le => "<=",
        _ => "==",
    };
    Relation { text: format!("{left} {sign} {right}"), left, test, right }
}

/// The value of an operand, without its type and attributes.
fn last(operand: &str) -> &str {
    operand.rsplit(' ').next().unwrap_or(operand)
}

/// `(value + add) * times`, the quotient of which by `by` is rounded towards zero. A constant has no value.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Linear {
    value: Option<String>,
    times: i128,
    add: i128,
    by: i128,
}

impl Linear {
    fn of(constant: i128) -> Self {
        Linear { value: None, times: 0, add: constant, by: 1 }
    }

    fn constant(&self) -> Option<i128> {
        (self.value.is_none() && self.by == 1).then_some(self.add)
    }

    /// What follows of an extent, which is positive, for the arguments that it is computed from.
    fn relations(&self, extent: &Expr, known: &[(usize, Linear)]) -> Vec<Relation> {
        let of = known.iter().find(|(_, l)| l.value == self.value && l.by == 1 && l.times == 1);
        let Some((n, l)) = of else { return Vec::new() };
        // extent = floor((times * (arg - l.add) + add) / by)
        let times = |c: i128, e: Expr| Expr::Mul(Box::new(Expr::Number(c)), Box::new(e));
        let plus = |e: Expr, c: i128| Expr::Add(Box::new(e), Box::new(Expr::Number(c)));
        let dividend = plus(times(self.times, argument(*n)), self.add - self.times * l.add);
        let product = times(self.by, extent.clone());
        vec![
            relation(product.clone(), Test::Le, dividend.clone()),
            relation(dividend, Test::Le, plus(product, self.by - 1)),
        ]
    }
}

/// Most definitions that one value is followed through.
const MOST_DEEP: usize = 12;

struct Values<'a> {
    f: &'a Function<'a>,
}

impl<'a> Values<'a> {
    /// What follows `%name = `.
    fn definition(&self, name: &str) -> Option<&'a str> {
        let start = format!("{name} = ");
        let line = self.f.lines.iter().find_map(|l| l.trim_start().strip_prefix(&start))?;
        Some(line.strip_prefix("tail ").unwrap_or(line))
    }

    /// The lower and the upper 32 bits of 64.
    fn halves(&self, value: &str, deep: usize) -> [Option<Linear>; 2] {
        let zero = || Some(Linear::of(0));
        let is_zero = |l: &Option<Linear>| l.as_ref().and_then(Linear::constant) == Some(0);
        if let Ok(c) = value.parse::<i128>() {
            return [Some(Linear::of(c & 0xffff_ffff)), Some(Linear::of(c >> 32 & 0xffff_ffff))];
        }
        let Some(definition) = self.definition(value).filter(|_| deep < MOST_DEEP) else {
            return [None, None];
        };
        let (op, operands) = parts(definition);
        match (op, &operands[..]) {
            ("zext", [from, ..]) if definition.contains(" i32 ") => [self.linear(from, deep + 1), zero()],
            ("shl", [from, "32"]) => {
                let [low, _] = self.halves(from, deep + 1);
                [zero(), low]
            }
            ("or", [a, b]) if definition.contains("disjoint") => {
                let ([a, b], [c, d]) = (self.halves(a, deep + 1), self.halves(b, deep + 1));
                let one = |a: Option<Linear>, b: Option<Linear>| match (is_zero(&a), is_zero(&b)) {
                    (true, _) => b,
                    (_, true) => a,
                    _ => None,
                };
                [one(a, c), one(b, d)]
            }
            _ => [None, None],
        }
    }

    /// An integer; anything not understood is a value of its own.
    fn linear(&self, value: &str, deep: usize) -> Option<Linear> {
        if let Ok(c) = value.parse::<i128>() {
            return Some(Linear::of(c));
        }
        if !value.starts_with('%') {
            return None;
        }
        let itself = Linear { value: Some(value.to_owned()), times: 1, add: 0, by: 1 };
        let Some(definition) = self.definition(value).filter(|_| deep < MOST_DEEP) else {
            return Some(itself);
        };
        let (op, operands) = parts(definition);
        let exact = definition.contains("nsw") || definition.contains("nuw");
        let constant = |at: usize| operands.get(at).and_then(|c| c.parse::<i128>().ok());
        let first = || operands.first().and_then(|v| self.linear(v, deep + 1)).filter(|l| l.by == 1);
        let understood = match (op, constant(1)) {
            ("sext", _) => operands.first().and_then(|v| self.linear(v, deep + 1)),
            ("add", Some(c)) if exact => first().map(|l| Linear { add: l.add + c, ..l }),
            ("mul", Some(c)) if exact && c > 0 => {
                first().map(|l| Linear { times: l.times * c, add: l.add * c, ..l })
            }
            ("shl", Some(c)) if exact && (0..31).contains(&c) => {
                first().map(|l| Linear { times: l.times << c, add: l.add << c, ..l })
            }
            ("sdiv", Some(c)) if c > 0 => first().map(|l| Linear { by: c, ..l }),
            // Without a sign, a sum that wraps around is less than the divisor: its quotient is zero, and no extent.
            ("udiv" | "lshr", Some(c)) => {
                let by = if op == "udiv" { c } else { 1i128 << c.clamp(0, 31) };
                let from = operands.first().copied().unwrap_or_default();
                let inner = self.definition(from).map(parts);
                match inner {
                    Some(("add", of)) if deep == 0 || deep < MOST_DEEP => {
                        let add = of.get(1).and_then(|c| c.parse::<i128>().ok());
                        match add.filter(|a| (0..by).contains(a)) {
                            Some(add) => self
                                .linear(of[0], deep + 1)
                                .filter(|l| l.by == 1 && l.times == 1 && l.add == 0)
                                .map(|l| Linear { add, by, ..l }),
                            None => None,
                        }
                    }
                    _ => None,
                }
            }
            _ => None,
        };
        Some(understood.unwrap_or(itself))
    }
}

/// The operation and its operands, without types and flags.
fn parts(definition: &str) -> (&str, Vec<&str>) {
    let definition = definition.split(", !").next().unwrap_or(definition);
    let (op, rest) = definition.split_once(' ').unwrap_or((definition, ""));
    let rest = rest.split(" to ").next().unwrap_or(rest);
    (op, rest.split(',').map(|o| last(o.trim())).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    const IR: &str = r#"
@0 = private unnamed_addr constant [9 x i8] c"_Z3rowPi\00", align 1
@1 = private unnamed_addr constant [10 x i8] c"_Z4eachPi\00", align 1
@2 = private unnamed_addr constant [10 x i8] c"_Z4gonePi\00", align 1
define dso_local void @main(i32 noundef %0, ptr %1) {
  %12 = call i32 @__cudaPushCallConfiguration(i64 4294967300, i32 1, i64 4294967360, i32 1, i64 noundef 0, ptr noundef null)
  %13 = icmp eq i32 %12, 0
  br i1 %13, label %14, label %16

14:                                               ; preds = %2
  call void @_Z18__device_stub__rowPi(ptr noundef %1, i32 noundef 64)
  br label %16

16:                                               ; preds = %2, %14
  %17 = add nsw i32 %0, 255
  %18 = sdiv i32 %17, 256
  %19 = zext i32 %18 to i64
  %20 = or disjoint i64 %19, 4294967296
  %21 = call i32 @__cudaPushCallConfiguration(i64 %20, i32 1, i64 4294967552, i32 1, i64 noundef 0, ptr noundef null)
  %22 = icmp eq i32 %21, 0
  br i1 %22, label %23, label %26

23:                                               ; preds = %16
  call void @_ZL4eachPi(ptr noundef %1, i32 noundef %0)
  br label %26

26:                                               ; preds = %16, %23
  call void @take(ptr @_Z4gonePi)
  ret void
}
define hidden void @_Z3rowPi(ptr noundef %0, i32 %1) {
  tail call void @_Z18__device_stub__rowPi(ptr noundef %0, i32 noundef %1)
  ret void
}
define internal void @__sti____cudaRegisterAll() {
  %1 = call i32 @__cudaRegisterFunction(ptr %0, ptr @_Z3rowPi, ptr @0, ptr @0, i32 -1)
  %2 = call i32 @__cudaRegisterFunction(ptr %0, ptr @_ZL4eachPi, ptr @1, ptr @1, i32 -1)
  %3 = call i32 @__cudaRegisterFunction(ptr %0, ptr @_Z4gonePi, ptr @2, ptr @2, i32 -1)
  ret void
}
"#;

    #[test]
    fn launches_are_read() {
        let found = launches(IR);
        assert_eq!(found.keys().collect::<Vec<_>>(), ["_Z3rowPi", "_Z4eachPi"]);
        let row = found["_Z3rowPi"][0].facts(&[8, 4]);
        assert_eq!((row.grid, row.block), (Some([4, 1, 1]), Some([64, 1, 1])));
        assert_eq!(row.scalars[&(1, 0)], 64);
        // A structure is passed in two pieces.
        let other = found["_Z3rowPi"][0].facts(&[16]);
        assert_eq!((other.block, other.scalars.len()), (Some([64, 1, 1]), 0));
        let each = found["_Z4eachPi"][0].facts(&[8, 4]);
        assert_eq!((each.grid, each.block), (None, Some([256, 1, 1])));
        let holds = |grid: i128, n: i128| {
            let value = |name: &Name| match name {
                Name::Grid(Axis::X) => Some(grid),
                Name::Grid(_) => Some(1),
                Name::Block(Axis::X) => Some(256),
                Name::Block(_) => Some(1),
                Name::Param(_) => Some(n),
            };
            each.relations.iter().all(|r| r.holds(&value) == Some(true))
        };
        for n in [1, 255, 256, 257, 1000] {
            for grid in 1..6 {
                assert_eq!(holds(grid, n), grid == (n + 255) / 256, "{grid} blocks for {n}");
            }
        }
    }

    /// A stub that may be called after either of two configurations says nothing.
    #[test]
    fn what_is_not_understood_says_nothing() {
        let shared = IR.replace(
            "14:                                               ; preds = %2\n",
            "14:  ; preds = %2, %3\n",
        );
        assert!(!launches(&shared).contains_key("_Z3rowPi"));
        let taken = IR.replace("@take(ptr @_Z4gonePi)", "@take(ptr @_ZL4eachPi)");
        assert!(!launches(&taken).contains_key("_Z4eachPi"));
    }
}
