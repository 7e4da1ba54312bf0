//! Summarises a PTX module: kernels, line information and synchronisation.

use ptx::ast::{Block, Function, FunctionKind, Instruction, Item, Module, Statement, VarAttribute};
use std::collections::BTreeMap;
use std::fmt::Write;

/// Writes the summary of a module, indented below its entry.
pub(super) fn describe(out: &mut String, text: &str) {
    let parsed = ptx::parse(text);
    let module = &parsed.module;
    let (major, minor) = module.version;
    let _ = writeln!(out, "    version {major}.{minor}, target {}", module.target.join(", "));
    let functions: Vec<&Function> = module
        .items
        .iter()
        .filter_map(|i| match i {
            Item::Function(f) if f.body.is_some() => Some(f),
            _ => None,
        })
        .collect();
    let lines = if functions.iter().any(|f| f.body.as_ref().is_some_and(has_loc)) {
        "yes"
    } else {
        "no (compile with -lineinfo)"
    };
    let _ = writeln!(out, "    line information: {lines}");
    variables(out, module);
    for function in functions {
        let what = if function.kind == FunctionKind::Entry { "kernel" } else { "function" };
        let _ = writeln!(out, "    {what} {}", names::symbol::full(&function.name.text));
        let uses = vocabulary(function);
        if !uses.is_empty() {
            let list: Vec<String> = uses
                .iter()
                .map(|(name, n)| if *n == 1 { name.clone() } else { format!("{name} ({n})") })
                .collect();
            let _ = writeln!(out, "      {}", list.join(", "));
        }
    }
    for error in parsed.errors.iter().take(5) {
        let _ = writeln!(
            out,
            "    malformed PTX at line {}, column {}: {}",
            error.line, error.column, error.message
        );
    }
    if parsed.errors.len() > 5 {
        let _ = writeln!(out, "    … and {} more errors", parsed.errors.len() - 5);
    }
}

fn variables(out: &mut String, module: &Module) {
    let managed = |v: &ptx::ast::Variable| v.attributes.contains(&VarAttribute::Managed);
    let mut names: Vec<String> = module
        .items
        .iter()
        .filter_map(|i| match i {
            Item::Variable(v) => {
                let space = if managed(v) { "managed" } else { v.space.name() };
                Some(format!("{} ({space})", names::symbol::variable(&v.name.text)))
            }
            _ => None,
        })
        .filter(|name| !name.starts_with("$str") && !name.starts_with("__unnamed"))
        .collect();
    names.dedup();
    if names.len() > 12 {
        let more = names.len() - 12;
        names.truncate(12);
        names.push(format!("{more} more"));
    }
    if !names.is_empty() {
        let _ = writeln!(out, "    variables: {}", names.join(", "));
    }
}

fn has_loc(block: &Block) -> bool {
    block.statements.iter().any(|s| match s {
        Statement::Loc(_) => true,
        Statement::Block(b) => has_loc(b),
        _ => false,
    })
}

/// Counts the occurrences of each kind of synchronisation in a function's text, not in its execution.
fn vocabulary(function: &Function) -> BTreeMap<String, usize> {
    let mut uses = BTreeMap::new();
    if let Some(body) = &function.body {
        collect(body, &mut uses);
    }
    uses
}

fn collect(block: &Block, uses: &mut BTreeMap<String, usize>) {
    for statement in &block.statements {
        match statement {
            Statement::Block(inner) => collect(inner, uses),
            Statement::Instruction(i) if synchronises(i) => *uses.entry(mnemonic(i)).or_default() += 1,
            _ => {}
        }
    }
}

/// Returns whether an instruction synchronises or works asynchronously. The operands of the decoded
/// instruction are taken as registers.
fn synchronises(i: &Instruction) -> bool {
    const ASYNCHRONOUS: [&str; 3] = ["wgmma", "tcgen05", "tensormap"];
    ASYNCHRONOUS.contains(&i.opcode.text.as_str())
        || i.modifiers.iter().any(|modifier| modifier.text.as_str() == "tensor")
        || ptx::decode(i).is_ok_and(|op| kernels::effects(&op, &[]).synchronises())
}

fn mnemonic(i: &Instruction) -> String {
    let mut text = i.opcode.text.to_string();
    for modifier in &i.modifiers {
        text.push('.');
        text.push_str(&modifier.text);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tensor_cores_and_tensor_copies_are_named() {
        let text = ".version 8.7\n.target sm_100a\n.address_size 64\n.visible .entry k()\n{\n.reg .b32 %r<3>;\n.reg .b64 %d<3>;\n\
                    wgmma.fence.sync.aligned;\nwgmma.commit_group.sync.aligned;\ntcgen05.fence::before_thread_sync;\n\
                    cp.async.bulk.tensor.1d.shared::cluster.global.mbarrier::complete_tx::bytes [%r1], [%d1, {%r2}], [%r0];\n\
                    ret;\n}\n";
        let mut out = String::new();
        describe(&mut out, text);
        for name in ["wgmma.fence", "wgmma.commit_group", "tcgen05.fence", "cp.async.bulk.tensor.1d"] {
            assert!(out.contains(name), "{name}: {out}");
        }
    }
}
