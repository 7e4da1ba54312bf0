//! Functions that kernels call.
//!
//! What a thread knows (its counts of barriers, its last acquire) is in registers of the kernel. A function of the text is told of it by
//! one more parameter, the address of a place in the thread's own memory: whoever calls puts there what may have changed, and takes
//! it from there behind the call; the function does likewise. That all who call a function know of the parameter is certain if nobody can
//! but this text: if none of its functions is visible elsewhere, none comes from there, and all of its kernels are looked at.
//!
//! Of a function that is not told nothing is looked at, and it may do anything: a call of it counts as a release of all before it, and
//! behind it all is taken as acquired. What may pass any number of barriers there has others count as releases, too.

use super::emit;
use super::known::Known;
use super::{Options, register};
use crate::PREFIX;
use crate::edit::Edits;
use kernels::effects::{Control, Order, Place, effects};
use ptx::ast::{Block, Function, FunctionKind, Item, Linkage, Module, Operand, Space, Statement};
use ptx::flat::{Arg, Flat, FlatInstruction, flatten};
use ptx::op::{MemSpace, Op, Sem};
use std::collections::HashSet;
use std::fmt::Write;

/// What the system brings synchronises nothing of the program's, but for what [`is_heap`] says.
const SYSTEM: [&str; 5] = ["vprintf", "malloc", "free", "__assertfail", "cudaGraphSetConditional"];

/// The register with the address of what is told, the parameter that brings it, and the place itself.
const AT: &str = "at";

fn parameter() -> String {
    format!("{PREFIX}told")
}

fn place() -> String {
    format!("{PREFIX}known")
}

/// What one thread gives back another one may get.
pub(super) fn is_heap(inst: &FlatInstruction<'_>) -> bool {
    inst.args.iter().any(|arg| matches!(arg, Arg::Symbol("malloc" | "free", _)))
}

/// The functions of a module.
pub(super) struct Calls<'m> {
    /// Are those with a body told?
    told: bool,
    /// Those that do nothing but weak accesses, if they are not.
    quiet: HashSet<&'m str>,
    /// What holds in all that tell each other.
    pub(super) known: Known,
}

impl<'m> Calls<'m> {
    pub(super) fn of(module: &'m Module, options: &Options, wanted: &dyn Fn(&str) -> bool) -> Calls<'m> {
        let functions = || {
            module.items.iter().filter_map(|item| match item {
                Item::Function(function) if function.kind == FunctionKind::Func => Some(function),
                _ => None,
            })
        };
        let bodies: HashSet<&str> = functions().filter(|f| f.body.is_some()).map(|f| &*f.name.text).collect();
        let own = |function: &Function| match bodies.contains(&*function.name.text) {
            true => {
                function.linkage == Linkage::None && function.params.iter().all(|p| p.space == Space::Param)
            }
            false => SYSTEM.contains(&&*function.name.text),
        };
        let all = module.items.iter().all(|item| match item {
            Item::Function(f) if f.kind == FunctionKind::Entry => wanted(&f.name.text),
            _ => true,
        });
        let renamed = module.items.iter().any(|item| matches!(item, Item::Alias(..)));
        let (mut quiet, mut silent) = (HashSet::new(), true);
        for function in functions().filter(|f| f.body.is_some()) {
            let flat = flatten(function);
            let mut accesses = false;
            let plain = flat.instructions.iter().all(|inst| {
                let Ok(op) = &inst.op else { return false };
                let effects = effects(op, &inst.args);
                accesses |= effects.touches.iter().any(|touch| {
                    !matches!(
                        touch.place,
                        Place::Memory(
                            MemSpace::Local | MemSpace::Const | MemSpace::Param | MemSpace::ParamFunc
                        )
                    )
                });
                matches!(effects.order, None | Some(Order::Rendezvous | Order::Aligned))
                    && effects.control != Control::Call
                    && effects.touches.iter().all(|touch| touch.sem == Sem::Weak)
            });
            if plain {
                quiet.insert(&*function.name.text);
            }
            silent &= plain && !accesses;
        }
        // What is only arithmetic need not know anything.
        let told = all && !silent && !renamed && options.table.is_some() && functions().all(own);
        Calls { told, quiet, known: Known::default() }
    }

    /// The functions that are told.
    pub(super) fn told<'a>(&self, module: &'a Module) -> impl Iterator<Item = &'a Function> {
        let told = self.told;
        module.items.iter().filter_map(move |item| match item {
            Item::Function(f) if told && f.kind == FunctionKind::Func && f.body.is_some() => Some(f),
            _ => None,
        })
    }

    /// Is that function told?
    pub(super) fn tells(&self, function: &Function) -> bool {
        self.told && function.kind == FunctionKind::Func && !SYSTEM.contains(&&*function.name.text)
    }

    /// Does it call something of which nothing is known?
    pub(super) fn unknown(&self, inst: &FlatInstruction<'_>) -> bool {
        let named = |arg: &Arg<'_>| matches!(arg, Arg::Symbol(name, _) if SYSTEM.contains(name) || self.quiet.contains(name));
        is_call(inst) && !self.told && !inst.args.iter().any(named)
    }

    /// Does it call what nothing is looked at of?
    pub(super) fn unseen(&self, inst: &FlatInstruction<'_>) -> bool {
        is_call(inst) && !self.told && !calls_system(inst)
    }

    /// Adds the parameter, to a declaration, too.
    pub(super) fn parameter(&self, text: &str, function: &Function, edits: &mut Edits<'_>) {
        let (at, what) = super::added(text, function, format!(".param .b64 {}", parameter()));
        edits.insert(at, what);
    }

    /// At the beginning of a function that is told.
    pub(super) fn beginning(&self, options: &Options) -> String {
        let at = register(AT);
        let mut out = format!("\n{}", emit::declared(options));
        let _ = write!(out, "\t.reg .b64 {at};\n\tld.param.u64 {at}, [{}];\n", parameter());
        out += &moved(options, self.known, true, false);
        out
    }

    /// At the beginning of a kernel, behind what it knows itself.
    pub(super) fn place(&self, flat: &Flat<'_>, options: &Options) -> Option<String> {
        if !self.told || !flat.instructions.iter().any(|inst| is_call(inst) && !calls_system(inst)) {
            return None;
        }
        let (at, place) = (register(AT), place());
        let bytes = 8 * emit::kept(options, self.known).len();
        Some(format!(
            "\t.reg .b64 {at};\n\t.local .align 8 .b8 {place}[{bytes}];\n\tmov.u64 {at}, {place};\n{}",
            moved(options, self.known, true, true)
        ))
    }

    /// Around calls, and before what returns.
    pub(super) fn around(
        &self,
        (flat, inst): (&Flat<'_>, &FlatInstruction<'_>),
        number: usize,
        options: &Options,
        edits: &mut Edits<'_>,
    ) {
        if !self.told {
            return;
        }
        let span = inst.source.span;
        let function = flat.function.kind == FunctionKind::Func;
        if function && matches!(inst.op, Ok(Op::Ret)) {
            edits.insert(span.start, moved(options, self.known, false, true));
        }
        if !is_call(inst) || calls_system(inst) {
            return;
        }
        let (at, argument) = (register(AT), format!("{PREFIX}told{number}"));
        let store = moved(options, self.known, false, true);
        edits.insert(
            span.start,
            format!("{store}\t.param .b64 {argument};\n\tst.param.b64 [{argument}], {at};\n"),
        );
        let operands = &inst.source.operands;
        let returns = usize::from(matches!(operands.first(), Some(Operand::List(..))));
        match (operands.get(returns), operands.get(returns + 1)) {
            (_, Some(Operand::List(items, list))) => {
                let comma = if items.is_empty() { "" } else { ", " };
                edits.insert(list.end - 1, format!("{comma}{argument}"));
            }
            (Some(Operand::Name(name)), _) => edits.insert(name.span.end, format!(", ({argument})")),
            _ => {}
        }
        edits.insert_behind(span.end, format!("\n{}", moved(options, self.known, false, false)));
    }

    /// The parameter in all prototypes of a body.
    pub(super) fn prototypes(&self, text: &str, body: &Block, edits: &mut Edits<'_>) {
        if !self.told {
            return;
        }
        for statement in &body.statements {
            match statement {
                Statement::Block(block) => self.prototypes(text, block, edits),
                Statement::CallPrototype { label, params, .. } => {
                    if let Some(at) = parameters_end(text, label.span.end as usize) {
                        let comma = if params.is_empty() { "" } else { ", " };
                        edits.insert(at as u32, format!("{comma}.param .b64 _"));
                    }
                }
                _ => {}
            }
        }
    }
}

fn is_call(inst: &FlatInstruction<'_>) -> bool {
    matches!(inst.op, Ok(Op::Call))
}

/// Is it a call of a function of the system, none of which has to do with copies?
pub(super) fn is_silent_call(inst: &FlatInstruction<'_>) -> bool {
    is_call(inst) && calls_system(inst)
}

fn calls_system(inst: &FlatInstruction<'_>) -> bool {
    inst.args.iter().any(|arg| matches!(arg, Arg::Symbol(name, _) if SYSTEM.contains(name)))
}

/// Where the list of parameters of a prototype ends, whose label ends at `from`: `: .callprototype (returns) _ (parameters)`.
fn parameters_end(text: &str, from: usize) -> Option<usize> {
    const WORD: &str = ".callprototype";
    let mut at = from + text.get(from..)?.find(WORD)? + WORD.len();
    let rest = text.get(at..)?;
    if rest.trim_start().starts_with('(') {
        at += rest.find(')')? + 1;
    }
    at += text.get(at..)?.find('(')?;
    Some(at + text.get(at..)?.find(')')?)
}

/// Text that moves what is known to its place, or from there: all of it, or what may change.
fn moved(options: &Options, known: Known, all: bool, stores: bool) -> String {
    let (at, mut out) = (register(AT), String::new());
    out += "\t{\n\t.reg .b32 %wr_k;\n\t.reg .pred %wr_kp;\n";
    for (i, one) in emit::kept(options, known).iter().enumerate().filter(|(_, one)| all || one.changes) {
        let (offset, name, bits) = (8 * i, &one.name, one.bits);
        let _ = match (one.bits, stores) {
            (1, true) => {
                writeln!(out, "\tselp.u32 %wr_k, 1, 0, {name};\n\tst.local.b32 [{at}+{offset}], %wr_k;")
            }
            (1, false) => {
                writeln!(out, "\tld.local.b32 %wr_k, [{at}+{offset}];\n\tsetp.ne.u32 {name}, %wr_k, 0;")
            }
            (_, true) => writeln!(out, "\tst.local.b{bits} [{at}+{offset}], {name};"),
            (_, false) => writeln!(out, "\tld.local.b{bits} {name}, [{at}+{offset}];"),
        };
    }
    out + "\t}\n"
}

#[cfg(test)]
mod tests {
    use super::parameters_end;

    #[test]
    fn parameters_of_prototypes_are_found() {
        for (text, end) in [
            ("p: .callprototype (.param .b32 _) _ (.param .b64 _, .param .b32 _);", 65),
            ("p : .callprototype ()_ (.param .b64 _);", 37),
            ("p: .callprototype _ ();", 21),
        ] {
            assert_eq!(parameters_end(text, 1), Some(end), "{text}");
        }
        assert_eq!(parameters_end("p: .callprototype _;", 1), None);
    }
}
