//! Ordinary accesses of PTX made atomic.
//!
//! Only types that CUDA's functions of the same name take are accepted, so that the change of the source
//! compiles: 32-bit integers and floats, and `double` for `atomicAdd`.

use super::{Code, Error, Patch};
use crate::change::Atomic;
use ptx::ast::{Instruction, Operand};

/// The instructions of a line that take part.
struct Line<'c, 't> {
    code: &'c Code<'t>,
    all: Vec<usize>,
}

/// Makes the accesses of a line atomic.
pub(super) fn atomic(
    code: &Code<'_>,
    file: &str,
    number: u32,
    form: Atomic,
    patches: &mut Vec<Patch>,
) -> Result<(), Error> {
    let line = Line { code, all: code.on(file, number) };
    if line.accesses("ld").chain(line.accesses("st")).next().is_none() {
        return Ok(());
    }
    let before = patches.len();
    let complete = match form {
        Atomic::Store => line.stores(patches),
        Atomic::Load => line.loads(patches),
        Atomic::Update | Atomic::Fetch => line.updates(patches),
    };
    match complete && patches.len() > before {
        true => Ok(()),
        false => Err(Error::NotAtomic(number)),
    }
}

impl Line<'_, '_> {
    fn source(&self, i: usize) -> &Instruction {
        self.code.flat.instructions[i].source
    }

    /// Returns the weak accesses of shared, global or generic memory.
    fn accesses(&self, opcode: &'static str) -> impl Iterator<Item = usize> {
        let other = ["param", "local", "const", "volatile", "relaxed", "acquire", "release"];
        self.all.iter().copied().filter(move |&i| {
            let inst = self.source(i);
            inst.opcode.text == opcode && !inst.modifiers.iter().any(|m| other.contains(&m.text.as_str()))
        })
    }

    fn kind(&self, i: usize) -> &str {
        self.source(i).modifiers.last().map_or("", |m| m.text.as_str())
    }

    /// Returns the address of an access as it is written.
    fn address(&self, i: usize) -> Option<&str> {
        self.source(i).operands.iter().find_map(|operand| match operand {
            Operand::Address { span, .. } => Some(self.code.of(*span)),
            _ => None,
        })
    }

    fn space(&self, i: usize) -> String {
        let space = self
            .source(i)
            .modifiers
            .iter()
            .find(|m| ["global", "shared", "shared::cta", "shared::cluster"].contains(&m.text.as_str()));
        space.map_or_else(String::new, |m| format!(".{}", m.text))
    }

    /// Stores become exchanges, which are relaxed at device scope.
    fn stores(&self, patches: &mut Vec<Patch>) -> bool {
        let mut complete = true;
        for i in self.accesses("st") {
            let inst = self.source(i);
            let narrow = matches!(self.kind(i), "u32" | "s32" | "b32" | "f32");
            if !narrow || inst.modifiers.iter().any(|m| m.text.starts_with('v')) {
                complete = false;
                continue;
            }
            patches.push(Patch::behind(inst.opcode.span, ".relaxed.gpu".to_owned()));
        }
        complete
    }

    /// Loads become volatile.
    fn loads(&self, patches: &mut Vec<Patch>) -> bool {
        let mut complete = true;
        for i in self.accesses("ld") {
            let inst = self.source(i);
            if !matches!(self.kind(i), "u32" | "s32" | "b32" | "f32" | "u64" | "s64" | "b64" | "f64")
                || inst.modifiers.iter().any(|m| m.text == "nc")
            {
                complete = false;
                continue;
            }
            patches.push(Patch::behind(inst.opcode.span, ".volatile".to_owned()));
        }
        complete
    }

    /// A load, an operation and a store of one address become one atomic operation.
    fn updates(&self, patches: &mut Vec<Patch>) -> bool {
        let mut complete = true;
        for store in self.accesses("st").collect::<Vec<_>>() {
            match self.update(store, patches) {
                Some(()) => {}
                None => complete = false,
            }
        }
        complete
    }

    fn update(&self, store: usize, patches: &mut Vec<Patch>) -> Option<()> {
        let address = self.address(store)?;
        let load = self.accesses("ld").filter(|&i| i < store && self.address(i) == Some(address)).last()?;
        let [Operand::Name(old), _] = &self.source(load).operands[..] else { return None };
        let [_, Operand::Name(new)] = &self.source(store).operands[..] else { return None };
        let makes = |i: &usize| matches!(self.source(*i).operands.first(), Some(Operand::Name(n)) if n.text == new.text);
        let operation = self.all.iter().copied().filter(|i| (load..store).contains(i)).find(makes)?;
        let inst = self.source(operation);
        let [_, a, b] = &inst.operands[..] else { return None };
        let is_old = |operand: &Operand| matches!(operand, Operand::Name(n) if n.text == old.text);
        let value = if is_old(a) {
            b
        } else if is_old(b) {
            a
        } else {
            return None;
        };
        let value = self.written(value)?;
        let name = inst.opcode.text.as_str();
        let kind = match (name, self.kind(store)) {
            ("add", "u32" | "s32" | "b32") => "u32",
            ("add", "f32") => "f32",
            ("add", "f64") => "f64",
            ("or" | "and" | "xor", "u32" | "s32" | "b32") => "b32",
            _ => return None,
        };
        let space = self.space(store);
        let uses =
            self.code.flat.instructions.iter().filter(|i| i.source.operands.iter().any(is_old)).count();
        // The load's own destination, and the operation.
        if uses == 2 {
            let text = format!("red.relaxed.gpu{space}.{name}.{kind} {address}, {value};");
            patches.push(Patch::instead(self.source(store).span, text));
            patches.push(Patch::instead(self.source(load).span, String::new()));
            patches.push(Patch::instead(inst.span, String::new()));
        } else {
            let text = format!("atom.relaxed.gpu{space}.{name}.{kind} {}, {address}, {value};", old.text);
            patches.push(Patch::instead(self.source(load).span, text));
            patches.push(Patch::instead(self.source(store).span, String::new()));
        }
        Some(())
    }

    fn written<'o>(&'o self, operand: &'o Operand) -> Option<&'o str> {
        match operand {
            Operand::Name(name) => Some(name.text.as_str()),
            Operand::Int(_, span) | Operand::F32(_, span) | Operand::F64(_, span) => {
                Some(self.code.of(*span))
            }
            _ => None,
        }
    }
}
