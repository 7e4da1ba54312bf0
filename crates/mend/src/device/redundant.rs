//! Barriers, fences and scopes of PTX, by the source lines that they are on.

use super::{Code, Patch, Where, codes, words};
use ptx::ast::{FunctionKind, Instruction};
use report::advice::Reach;
use std::collections::HashSet;

/// The synchronisation of a source line.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Synchronisation {
    pub file: String,
    pub line: u32,
    pub kind: Kind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    Barrier,
    Fence(Scope),
    Atomic(Scope),
}

/// The scope of a fence or an atomic.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Scope {
    Block,
    Device,
    System,
}

impl Scope {
    /// Returns the scopes inside of this one, the narrowest first.
    pub fn narrower(self) -> &'static [Reach] {
        match self {
            Scope::Block => &[],
            Scope::Device => &[Reach::Block],
            Scope::System => &[Reach::Block, Reach::Device],
        }
    }
}

/// Returns the barriers, fences and atomics of a text, by lines of the files that `wanted` accepts. A line
/// counts only if all code that has it is of kernels that `ran`: of other code no run shows what it needs.
pub fn synchronisations(
    text: &str,
    wanted: impl Fn(&str) -> bool,
    ran: impl Fn(&str) -> bool,
) -> Vec<Synchronisation> {
    let parsed = ptx::parse(text);
    let (mut out, mut others) = (Vec::new(), HashSet::new());
    for code in codes(text, &parsed.module) {
        let function = code.flat.function;
        let runs = function.kind == FunctionKind::Entry && ran(&function.name.text);
        for (i, inst) in code.flat.instructions.iter().enumerate() {
            let Some(kind) = kind(inst.source) else { continue };
            let own = |frame: &&Where| wanted(&frame.file);
            let Some(Where { file, line, .. }) = code.frames[i].iter().find(own) else { continue };
            match runs {
                true => out.push(Synchronisation { file: file.clone(), line: *line, kind }),
                false => _ = others.insert((file.clone(), *line)),
            }
        }
    }
    out.retain(|at| !others.contains(&(at.file.clone(), at.line)));
    out.sort();
    out.dedup();
    out
}

fn kind(inst: &Instruction) -> Option<Kind> {
    let scope = match words::scope(inst) {
        Some(3) => Scope::System,
        Some(2) => Scope::Device,
        _ => Scope::Block,
    };
    match inst.opcode.text.as_str() {
        _ if is_barrier(inst) => Some(Kind::Barrier),
        "membar" | "fence" if is_fence(inst) => Some(Kind::Fence(scope)),
        "atom" | "red" => Some(Kind::Atomic(scope)),
        _ => None,
    }
}

/// Returns whether the instruction is a barrier of the block or the warp at which threads meet.
fn is_barrier(inst: &Instruction) -> bool {
    let has = |name: &str| inst.modifiers.iter().any(|m| m.text == name);
    matches!(inst.opcode.text.as_str(), "bar" | "barrier") && has("sync") && !has("cluster")
}

/// Returns whether the instruction is a fence between threads, not between proxies.
fn is_fence(inst: &Instruction) -> bool {
    !inst.modifiers.iter().any(|m| m.text.starts_with("proxy") || m.text.starts_with("mbarrier"))
}

/// Removes the barriers and fences of a line.
pub(super) fn remove(code: &Code<'_>, file: &str, line: u32, patches: &mut Vec<Patch>) {
    for i in code.on(file, line) {
        let inst = code.flat.instructions[i].source;
        let fence = matches!(inst.opcode.text.as_str(), "membar" | "fence") && is_fence(inst);
        if is_barrier(inst) || fence {
            patches.push(Patch::instead(inst.span, String::new()));
        }
    }
}
