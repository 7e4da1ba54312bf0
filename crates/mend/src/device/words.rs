//! Scopes and orders of PTX instructions.

use super::{Code, Patch};
use ptx::ast::{Instruction, Name};
use report::advice::{MemoryOrder, Reach};

/// PTX's scopes from narrow to wide.
const SCOPES: [&str; 4] = ["cta", "cluster", "gpu", "sys"];

/// The levels of `membar`, by the scopes that they stand for.
const LEVELS: [(&str, usize); 3] = [("cta", 0), ("gl", 2), ("sys", 3)];

/// Opcodes that have a scope.
const SCOPED: [&str; 7] = ["ld", "st", "atom", "red", "fence", "membar", "mbarrier"];

fn wanted(reach: Reach) -> usize {
    match reach {
        Reach::Block => 0,
        Reach::Cluster => 1,
        Reach::Device => 2,
        Reach::System => 3,
    }
}

/// Widens the scopes of the instructions of some lines; of all lines of the file, if there are none.
pub(super) fn widen(code: &Code<'_>, file: &str, lines: &[u32], reach: Reach, patches: &mut Vec<Patch>) {
    let there = |i: usize| {
        let mut frames = code.frames[i].iter();
        frames.any(|f| f.file == file && (lines.is_empty() || lines.contains(&f.line)))
    };
    let wanted = wanted(reach);
    for (i, inst) in code.flat.instructions.iter().enumerate().filter(|(i, _)| there(*i)) {
        let opcode = inst.source.opcode.text.as_str();
        if !SCOPED.contains(&opcode) || code.frames[i].is_empty() {
            continue;
        }
        let modifiers = &inst.source.modifiers;
        if opcode == "membar" {
            let level = modifiers.iter().find_map(|m| Some((m, LEVELS.iter().find(|l| l.0 == m.text)?)));
            if let Some((name, (_, old))) = level.filter(|(_, level)| level.1 < wanted) {
                let new = LEVELS.iter().find(|(_, scope)| *scope >= wanted.max(*old)).map_or("sys", |l| l.0);
                patches.push(Patch::instead(name.span, new.to_owned()));
            }
            continue;
        }
        let scope = modifiers.iter().find_map(|m| Some((m, SCOPES.iter().position(|s| *s == m.text)?)));
        match scope {
            Some((name, old)) if old < wanted => {
                patches.push(Patch::instead(name.span, SCOPES[wanted].to_owned()));
            }
            // Atomics without a scope have that of the device.
            None if matches!(opcode, "atom" | "red") && wanted > 2 => {
                patches.push(Patch::behind(inst.source.opcode.span, ".sys".to_owned()));
            }
            _ => {}
        }
    }
}

/// Lets relaxed operations of a line release or acquire.
pub(super) fn order(code: &Code<'_>, file: &str, line: u32, order: MemoryOrder, patches: &mut Vec<Patch>) {
    let new = match order {
        MemoryOrder::Release => "release",
        MemoryOrder::Acquire => "acquire",
    };
    for i in code.on(file, line) {
        let inst = code.flat.instructions[i].source;
        let possible = match order {
            MemoryOrder::Release => inst.opcode.text != "ld",
            MemoryOrder::Acquire => inst.opcode.text != "st" && inst.opcode.text != "red",
        };
        if let Some(name) = inst.modifiers.iter().find(|m| m.text == "relaxed").filter(|_| possible) {
            patches.push(Patch::instead(name.span, new.to_owned()));
        }
    }
}

/// Returns the scope of a fence or an atomic: its index among the scopes.
pub(super) fn scope(inst: &Instruction) -> Option<usize> {
    let named = |m: &Name| match inst.opcode.text.as_str() {
        "membar" => LEVELS.iter().find(|l| l.0 == m.text).map(|l| l.1),
        _ => SCOPES.iter().position(|s| *s == m.text),
    };
    let implied = matches!(inst.opcode.text.as_str(), "atom" | "red").then_some(2);
    inst.modifiers.iter().find_map(named).or(implied)
}

/// Narrows the scopes of the fences and atomics of a line.
pub(super) fn narrow(code: &Code<'_>, file: &str, line: u32, reach: Reach, patches: &mut Vec<Patch>) {
    let wanted = wanted(reach);
    for i in code.on(file, line) {
        let inst = code.flat.instructions[i].source;
        let opcode = inst.opcode.text.as_str();
        let scoped = matches!(opcode, "membar" | "fence" | "atom" | "red");
        if !scoped || scope(inst).is_none_or(|old| old <= wanted) {
            continue;
        }
        let level = LEVELS.iter().find(|l| l.1 >= wanted).map_or("sys", |l| l.0);
        let new = if opcode == "membar" { level } else { SCOPES[wanted] };
        let is_scope = |name: &str| match opcode {
            "membar" => LEVELS.iter().any(|l| l.0 == name),
            _ => SCOPES.contains(&name),
        };
        match inst.modifiers.iter().find(|m| is_scope(&m.text)) {
            Some(name) => patches.push(Patch::instead(name.span, new.to_owned())),
            None => patches.push(Patch::behind(inst.opcode.span, format!(".{new}"))),
        }
    }
}
