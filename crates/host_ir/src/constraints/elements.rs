//! Index arrays that the host code fills, whatever their number of elements is.
//!
//! An array is followed back from a launch to one copy that fills all of it, and from there to the host's memory. There
//! the turns of one loop are the last to write each word ([`super::filled`] says what they write). Other kernels than the launched one may not know the array: whether that one writes to it is the
//! prover's question.

use super::super::control_flow::Flow;
use super::super::eval::Eval;
use super::super::ir::{Function, Op, Operand};
use super::super::operands::Parts;
use super::super::program::Written;
use super::super::value::Origin;
use super::filled::Fill;
use super::reader::Reader;
use super::writes::{Copy, Spot, writes};
use crate::relation::{Expr, Name, Relation, Test};

/// A launch, by the host's function, that is passed an array as one of its arguments.
#[derive(Clone, Copy)]
struct Passed<'a> {
    stub: &'a str,
    position: usize,
}

impl<'a> Reader<'_, '_, 'a> {
    /// Returns what holds of the words of the arrays that a launch is passed.
    pub(super) fn elements(&mut self, parts: &Parts<'a>, last: usize) -> Vec<Relation> {
        let mut found = Vec::new();
        for (n, argument) in parts.arguments.iter().enumerate() {
            if argument.ty != "ptr" || argument.by_value.is_some() || parts.array.is_some() {
                continue;
            }
            if self.has_different_words(last, argument.value) {
                let array = Expr::Name(Name::Param(format!("arg{n}")));
                found.push(Relation::new(array, Test::Permutation, Expr::Number(0)));
            }
        }
        found
    }

    fn has_different_words(&mut self, last: usize, array: &'a str) -> bool {
        let eval = self.eval;
        let at = eval.chain[last].at;
        if eval.chain.iter().filter(|frame| frame.at == at).count() > 1 {
            return false;
        }
        let f = eval.program.function(at);
        let Some((copy, size)) = copied(eval, last, array) else { return false };
        // All of the array.
        let ((size, bytes), exact) = self.read(|r| (r.sum(last, size), r.sum(last, copy.bytes)));
        let (Some(size), Some(bytes), true) = (size, bytes, exact) else { return false };
        let Some(writes) = writes(f, &eval.program.modules[at.module], copy.from) else { return false };
        if size != bytes {
            return false;
        }
        let Some(fill) = Fill::of(self, last, &copy, &bytes, &writes) else { return false };
        fill.is_different(self)
    }
}

/// Returns the one copy of the host's memory into an array that a launch is passed, and the array's size. Nothing else
/// writes there but the launched kernel.
fn copied<'a>(eval: &Eval<'_, 'a>, last: usize, array: &'a str) -> Option<(Copy<'a>, &'a str)> {
    let (Origin::Allocation(depth, block, inst), Some(0)) = eval.root(last, array)? else { return None };
    if depth != last {
        return None;
    }
    let frame = eval.chain[last];
    let (f, flow) = (eval.program.function(frame.at), eval.program.flow(frame.at));
    let Op::Call { callee: Some("cudaMalloc"), arguments, .. } = &f.blocks[block].insts[inst].op else {
        return None;
    };
    let [variable, size] = arguments[..] else { return None };
    let contents = eval.program.contents(Some(frame.at), variable.value);
    let [one] = &contents.writers[..] else { return None };
    let alone = flow.around(block).is_empty()
        && matches!(f.definition(variable.value), Some(Op::Alloca))
        && one.place == Some((0, 8))
        && matches!(one.what, Written::Allocation(_))
        && !contents.escapes;
    let launch = &f.blocks[frame.block].insts[frame.inst].op;
    let Op::Call { callee: Some(stub), arguments: passed, .. } = launch else { return None };
    let launch = Passed { stub, position: passed.iter().position(|a| a.value == array)? };
    let mut copies = Vec::new();
    for &(block, inst) in f.uses.get(variable.value)? {
        let used = &f.blocks[block].insts[inst];
        match &used.op {
            Op::Load { .. } => copies_to(f, used.result?, launch, false, &mut copies)?,
            Op::Call { .. } => {}
            _ => return None,
        }
    }
    let [copy] = copies[..] else { return None };
    let before = is_before(&flow, copy.spot, (frame.block, frame.inst));
    (alone && before).then_some((copy, size.value))
}

/// Returns whether one instruction is on each way to another one.
fn is_before(flow: &Flow, one: Spot, other: Spot) -> bool {
    match one.0 == other.0 {
        true => one.1 < other.1,
        false => flow.dominates(one.0, other.0),
    }
}

/// Collects the copies to an address in the memory of devices; `None` if something else may write there than launches of one
/// kernel that are passed it as the same argument.
fn copies_to<'a>(
    f: &Function<'a>,
    pointer: &'a str,
    launch: Passed<'_>,
    is_within: bool,
    into: &mut Vec<Copy<'a>>,
) -> Option<()> {
    for &(block, inst) in f.uses.get(pointer).into_iter().flatten() {
        let used = &f.blocks[block].insts[inst];
        match &used.op {
            Op::Compare { .. } => {}
            Op::Element { base, .. } if *base == pointer && !is_within => {
                copies_to(f, used.result?, launch, true, into)?;
            }
            Op::Call { callee: Some(callee), arguments, .. } => {
                let to = arguments.first().is_some_and(|a| a.value == pointer);
                match (*callee, &arguments[..]) {
                    ("cudaMemcpy", [_, from, bytes, kind]) if to && from.value != pointer => {
                        // From the host, and whole.
                        let copy = Copy { spot: (block, inst), from: from.value, bytes: bytes.value };
                        into.push(Some(copy).filter(|_| matches!(kind.value, "1" | "4") && !is_within)?);
                    }
                    ("cudaMemcpy" | "cudaMemcpyAsync", _) if !to => {}
                    ("cudaFree", _) => {}
                    (name, all) if name == launch.stub => {
                        let elsewhere =
                            |(n, a): (usize, &Operand<'a>)| a.value == pointer && n != launch.position;
                        if all.iter().enumerate().any(elsewhere) {
                            return None;
                        }
                    }
                    _ => return None,
                }
            }
            _ => return None,
        }
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use crate::objects::Unencoded;
    use crate::program::Program;
    use crate::{Parameter, concrete, launch_sites};

    const FILLED: &str = include_str!("../../../../tests/prove/filled.ll");

    /// The module of a program, with changes.
    fn module(program: &str, changes: &[(&str, &str)]) -> String {
        let mut text = String::new();
        for part in FILLED.split_inclusive("\n}\n") {
            let (before, definition) = part.split_at(part.find("define ").unwrap_or(part.len()));
            let name =
                definition.split_once('@').and_then(|(_, name)| name.split_once('(')).map_or("", |n| n.0);
            text += before;
            if name == program || !(name.ends_with("_clean") || name.ends_with("_race")) {
                text += definition;
            }
        }
        let mut text = text.replace(&format!("@{program}("), "@main(");
        for (from, to) in changes {
            assert_eq!(text.matches(from).count(), 1, "`{from}` in {text}");
            text = text.replace(from, to);
        }
        text
    }

    /// Returns the relations of arrays' elements, in each case.
    fn said(program: &str, changes: &[(&str, &str)]) -> Vec<Vec<String>> {
        let text = module(program, changes);
        let program = Program::new(&[&text], &Unencoded, &|| false);
        let parameters = [8, 8, 4].map(Parameter::scalar);
        let mut all = Vec::new();
        for sites in launch_sites::sites(&program).into_values().flatten() {
            for site in &sites {
                for chain in launch_sites::chains(&program, site.frame) {
                    let call = concrete::launch(&program, site, &chain, Default::default());
                    let always = std::slice::from_ref(&call.constraints);
                    for case in if call.cases.is_empty() { always } else { &call.cases[..] } {
                        let certain = case.certain(&parameters).relations;
                        let elements = certain.iter().filter(|r| r.elements().is_some());
                        all.push(elements.map(|r| r.text.clone()).collect());
                    }
                }
            }
        }
        all
    }

    fn holds(program: &str, changes: &[(&str, &str)], relation: &str) -> bool {
        let all = said(program, changes);
        println!("{program}: {all:?}");
        !all.is_empty() && all.iter().all(|case| case.iter().any(|said| said == relation))
    }

    #[test]
    fn words_that_loops_store_are_different() {
        for program in ["reversed_clean", "round_clean", "neighbours_clean", "thirds_clean"] {
            assert!(holds(program, &[], "permutation(arg0)"), "{program}");
        }
        for program in ["reversed_race", "round_race", "neighbours_race", "thirds_race"] {
            assert!(!holds(program, &[], "permutation(arg0)"), "{program}");
        }
    }
    /// Variants in which two words are one, or something else than the loop may have written them.
    #[test]
    fn words_that_may_be_equal_are_not_different() {
        let copy = "invoke i32 @cudaMemcpy(ptr noundef %23, ptr noundef nonnull %16, i64 noundef %20, i32 noundef 1)";
        let other = "%22 = call i32 @cudaMalloc(ptr noundef nonnull %4, i64 noundef 16777216)";
        let variants = [
            ("%31 = xor i32 %indvars36, -1", "%31 = and i32 %indvars36, -2".to_owned()),
            ("%31 = xor i32 %indvars36, -1", "%31 = mul i32 %indvars36, 6".to_owned()),
            ("%31 = xor i32 %indvars36, -1", "%31 = lshr i32 %indvars36, 1".to_owned()),
            // Another word than that of the counter, a word too few, and words of which the loop writes half.
            ("i32, ptr %16, i64 %indvars.iv\n", "i32, ptr %16, i64 %13\n".to_owned()),
            ("i32, ptr %16, i64 %indvars.iv\n", "i64, ptr %16, i64 %indvars.iv\n".to_owned()),
            ("icmp eq i64 %indvars.iv.next, %wide", "icmp eq i64 %indvars.iv, %wide".to_owned()),
            (
                "[ 0, %.lr.ph.preheader ], [ %indvars.iv.next",
                "[ 1, %.lr.ph.preheader ], [ %indvars.iv.next".to_owned(),
            ),
            // The copy is of something else, or goes elsewhere.
            (copy, copy.replace("i32 noundef 1", "i32 noundef 3")),
            (copy, copy.replace("%20", "%13")),
            (copy, copy.replace("ptr noundef %23", "ptr noundef %3")),
            // Something is written behind the loop, on the host and on the device; the kernel is passed the array twice.
            (other, format!("store i32 0, ptr %16, align 4\n  {other}")),
            (other, format!("call void @unknown(ptr %16)\n  {other}")),
            (
                other,
                format!("{other}\n  %again = load ptr, ptr %3, align 8\n  call void @unknown(ptr %again)"),
            ),
            ("(ptr noundef %23, ptr noundef %29,", "(ptr noundef %23, ptr noundef %23,".to_owned()),
        ];
        for (from, to) in variants {
            assert!(!holds("reversed_clean", &[(from, &to)], "permutation(arg0)"), "{to}");
        }
        let round = [
            ("srem i32 %44, %14", "srem i32 %44, 1000"),
            ("%44 = add nsw i32 %31, %43", "%44 = mul nsw i32 %31, %43"),
            ("%44 = add nsw i32 %31, %43", "%44 = add i32 %24, %43"),
        ];
        for (from, to) in round {
            assert!(!holds("round_clean", &[(from, to)], "permutation(arg0)"), "{to}");
        }
    }
}
